//! Triangles from files by other authors: the surface of a Wavefront OBJ file.

use crate::data::malformed;
use std::{
    fs,
    io::{Error, ErrorKind, Result},
    path::Path,
};

/// A surface: points, and triangles as the indices of three of them, counter-clockwise seen from the front.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// The points.
    pub vertices: Vec<[f32; 3]>,
    /// The triangles.
    pub triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// The corners of the triangles, in order.
    pub fn corners(&self) -> impl ExactSizeIterator<Item = [[f32; 3]; 3]> {
        self.triangles.iter().map(|corners| corners.map(|i| self.vertices[i as usize]))
    }

    /// Adds a polygon, given by the indices of its corners, as a fan of triangles about the first of them.
    pub fn add_polygon(&mut self, corners: &[u32]) {
        let Some((&first, others)) = corners.split_first() else { return };
        self.triangles.extend(others.windows(2).map(|pair| [first, pair[0], pair[1]]));
    }
}

/// The faces of all objects and groups of an OBJ file, those with more than three corners as fans. Texture coordinates,
/// normals, materials, lines and whatever else the file holds are ignored.
///
/// # Errors
/// If the file cannot be read, a vertex is not made of three numbers, or a face names a vertex that has not come before
/// it or has fewer than three corners.
pub fn read_obj(path: &Path) -> Result<Surface> {
    parse_obj(&fs::read_to_string(path)?)
}

fn parse_obj(text: &str) -> Result<Surface> {
    let mut surface = Surface::default();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => surface.vertices.push(parse_vertex(words).ok_or_else(|| malformed(line))?),
            Some("f") => {
                let count = surface.vertices.len();
                let corners: Option<Vec<u32>> = words.map(|word| parse_corner(word, count)).collect();
                let corners = corners.filter(|corners| corners.len() >= 3).ok_or_else(|| malformed(line))?;
                surface.add_polygon(&corners);
            }
            _ => {}
        }
    }
    if surface.triangles.is_empty() {
        return Err(Error::new(ErrorKind::InvalidData, "no faces"));
    }
    Ok(surface)
}

/// The first three numbers; a weight or a colour may follow.
fn parse_vertex<'a>(words: impl Iterator<Item = &'a str>) -> Option<[f32; 3]> {
    let numbers: Option<Vec<f32>> = words.take(3).map(|word| word.parse().ok()).collect();
    numbers?.try_into().ok()
}

/// A corner is `vertex`, `vertex/texture`, `vertex//normal` or `vertex/texture/normal`. Vertices are counted from 1, or
/// backwards from -1, the latest one.
fn parse_corner(word: &str, count: usize) -> Option<u32> {
    let number: i64 = word.split('/').next()?.parse().ok()?;
    let index = if number < 0 { i64::try_from(count).ok()?.checked_add(number)? } else { number - 1 };
    let index = usize::try_from(index).ok().filter(|index| *index < count)?;
    u32::try_from(index).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: &str = "# a square\no square\nv 0 0 0\nv 2.5 0 0 1.0\nv 2.5 -3e0 0\nv 0 3 0\nvn 0 0 1\nvt 0 0\n";

    fn triangles(faces: &str) -> Option<Vec<[u32; 3]>> {
        parse_obj(&format!("{SQUARE}{faces}")).ok().map(|surface| surface.triangles)
    }

    #[test]
    fn vertices_are_the_first_three_numbers_of_their_lines() {
        let surface = parse_obj(&format!("{SQUARE}f 1 2 3")).expect("a surface");
        assert_eq!(surface.vertices, [[0.0, 0.0, 0.0], [2.5, 0.0, 0.0], [2.5, -3.0, 0.0], [0.0, 3.0, 0.0]]);
        assert_eq!(surface.corners().collect::<Vec<_>>(), [[[0.0; 3], [2.5, 0.0, 0.0], [2.5, -3.0, 0.0]]]);
    }

    #[test]
    fn a_polygon_becomes_a_fan_about_its_first_corner() {
        assert_eq!(triangles("f 1 2 3 4"), Some(vec![[0, 1, 2], [0, 2, 3]]));
        assert_eq!(triangles("f 2/1 3/1/1 4//1\r\ns off\nf 4 3 2 1"), Some(vec![[1, 2, 3], [3, 2, 1], [3, 1, 0]]));
    }

    #[test]
    fn negative_numbers_count_back_from_the_last_vertex_so_far() {
        assert_eq!(triangles("f -4 -3 -1\nv 9 9 9\nf -1 -5 2"), Some(vec![[0, 1, 3], [4, 0, 1]]));
    }

    #[test]
    fn a_face_of_vertices_that_are_not_there_is_an_error() {
        for faces in ["", "f 1 2", "f 1 2 5", "f 0 1 2", "f -5 1 2", "f 1 2 x", "f 1 2 9999999999999999999", "f"] {
            assert_eq!(triangles(faces), None, "{faces}");
        }
        assert!(parse_obj("v 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3").is_err());
    }
}
