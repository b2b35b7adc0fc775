//! Readers for inputs that are shared with other projects and kept outside this one.

use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

/// The folder of shared inputs: `CULLIDE_DATA`, or `../shared/data` beside the workspace.
pub fn data_dir() -> PathBuf {
    match std::env::var_os("CULLIDE_DATA") {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    }
}

/// The folder of cases by other authors, next to the data.
pub fn oracles_dir() -> PathBuf {
    data_dir().join("../oracles")
}

/// Boxes captured from games: `bounds("bounds02")`.
///
/// # Errors
/// If the file is missing or not made of six numbers a line.
pub fn bounds(name: &str) -> Result<Vec<[[f32; 3]; 2]>> {
    read_boxes(&data_dir().join("box3d").join(name).with_extension("txt"))
}

/// 4,000 point clouds of a game's convex parts.
///
/// # Errors
/// If the file is missing or ends in the middle of a cloud.
pub fn point_clouds() -> Result<Vec<Vec<[f32; 3]>>> {
    let bytes = std::fs::read(data_dir().join("jolt/convex_hulls_4000.bin"))?;
    let (words, rest) = bytes.as_chunks::<4>();
    let ends_early = || Error::from(ErrorKind::UnexpectedEof);
    let mut words = if rest.is_empty() { words } else { return Err(ends_early()) };
    let mut clouds = Vec::new();
    while let Some((count, after)) = words.split_first() {
        let count = u32::from_le_bytes(*count) as usize;
        let (points, after) = after.split_at_checked(3 * count).ok_or_else(ends_early)?;
        let (points, _) = points.as_chunks::<3>();
        clouds.push(points.iter().map(|point| point.map(f32::from_le_bytes)).collect());
        words = after;
    }
    Ok(clouds)
}

/// The number of vertices and the volume of the hull of each of the [`point_clouds`], as Qhull finds them.
///
/// # Errors
/// If the file is missing or not made of an index, two counts and a number a line.
pub fn known_hulls() -> Result<Vec<(usize, f64)>> {
    let text = std::fs::read_to_string(data_dir().join("jolt/hulls.csv"))?;
    let row = |line: &str| {
        let mut fields = line.split(',').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    text.lines().skip(1).map(|line| row(line).ok_or_else(|| ErrorKind::InvalidData.into())).collect()
}

/// 32,000 disjoint boxes and 6 walls.
///
/// # Errors
/// If the file is missing or not made of six numbers a line.
pub fn bullet_boxes() -> Result<Vec<[[f32; 3]; 2]>> {
    read_boxes(&data_dir().join("bullet/32006GPUAABBs.txt"))
}

/// Boxes as lines of `minx miny minz maxx maxy maxz`; empty lines are skipped.
///
/// # Errors
/// If the file cannot be read or a line is not made of six numbers.
pub fn read_boxes(path: &Path) -> Result<Vec<[[f32; 3]; 2]>> {
    let text = fs::read_to_string(path)?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| parse_box(line).ok_or_else(|| malformed(line))).collect()
}

fn parse_box(line: &str) -> Option<[[f32; 3]; 2]> {
    let [a, b, c, d, e, f] = numbers::<f32>(line.split_whitespace())?.try_into().ok()?;
    Some([[a, b, c], [d, e, f]])
}

/// A convex solid of a level as the planes of its faces: three points each, clockwise seen from outside.
pub type Brush = Vec<[[f64; 3]; 3]>;

/// The brushes of all entities of a `.map` file, in order.
///
/// A brush is a `{ … }` within an entity's `{ … }`, of faces `( x y z ) ( x y z ) ( x y z ) texture …`.
///
/// # Errors
/// If the file cannot be read or a face does not start with three points.
pub fn map_brushes(path: &Path) -> Result<Vec<Brush>> {
    let text = fs::read_to_string(path)?;
    let mut brushes = Vec::new();
    let mut faces = Brush::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with('(') {
            faces.push(parse_face(line).ok_or_else(|| malformed(line))?);
        } else if line.starts_with('}') && !faces.is_empty() {
            brushes.push(std::mem::take(&mut faces));
        }
    }
    Ok(brushes)
}

/// The positions of the entities of a `.map` file that are not made of brushes: lights, players, monsters and items, in
/// order.
///
/// # Errors
/// If the file cannot be read or an origin is not three numbers.
pub fn map_spots(path: &Path) -> Result<Vec<[f32; 3]>> {
    let text = fs::read_to_string(path)?;
    let mut spots = Vec::new();
    let mut origin: Option<[f32; 3]> = None;
    for line in text.lines().map(str::trim) {
        if line.starts_with(['{', '(']) {
            // The origin of another entity, or of one with brushes.
            origin = None;
        } else if line.starts_with('}') {
            spots.extend(origin.take());
        } else if let Some(words) = line.strip_prefix("\"origin\"") {
            let found = numbers::<f32>(words.trim().trim_matches('"').split_whitespace());
            origin = Some(found.and_then(|found| found.try_into().ok()).ok_or_else(|| malformed(line))?);
        }
    }
    Ok(spots)
}

fn parse_face(line: &str) -> Option<[[f64; 3]; 3]> {
    let words = line.split_whitespace().filter(|word| !matches!(*word, "(" | ")"));
    let [a, b, c, d, e, f, g, h, i] = numbers::<f64>(words.take(9))?.try_into().ok()?;
    Some([[a, b, c], [d, e, f], [g, h, i]])
}

fn numbers<'a, T: std::str::FromStr>(words: impl Iterator<Item = &'a str>) -> Option<Vec<T>> {
    words.map(|word| word.parse().ok()).collect()
}

pub(crate) fn malformed(line: &str) -> Error {
    Error::new(ErrorKind::InvalidData, format!("unexpected line: {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_six_numbers_is_a_box_and_nothing_else_is() {
        assert_eq!(parse_box("-1 0 2.5 1 3 5"), Some([[-1.0, 0.0, 2.5], [1.0, 3.0, 5.0]]));
        assert_eq!(parse_box("1 2 3 4 5"), None);
        assert_eq!(parse_box("1 2 3 4 5 x"), None);
    }

    #[test]
    fn a_face_is_its_first_three_points() {
        let line = "( 0 1 2 ) ( 3 4 5 ) ( -6 7.5 8 ) STONE [ 1 0 0 0 ] [ 0 1 0 0 ] 0 1 1";
        assert_eq!(parse_face(line), Some([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [-6.0, 7.5, 8.0]]));
        assert_eq!(parse_face("( 0 1 2 ) ( 3 4 5 )"), None);
    }
}
