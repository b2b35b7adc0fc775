//! A level from `.map` text, as level editors write it: Standard or Valve-220 texture axes, entities made of brushes.
//!
//! The text is read by the crate `quake-map`; this file adds what a collision world needs: which brushes are solid, on
//! which line each begins, and a one-line error message for everything that can be wrong.

use std::fmt;
use std::path::Path;

use quake_map::TextParseError;

/// A level: its entities in the order of the file, by convention with the world itself first.
#[derive(Clone, Debug)]
pub struct Map {
    pub entities: Vec<Entity>,
}

/// An entity of the level: its keys, and the brushes that it is made of (none for a spot or a light).
#[derive(Clone, Debug)]
pub struct Entity {
    pub classname: String,
    pub keys: Vec<(String, String)>,
    pub brushes: Vec<MapBrush>,
}

/// A convex solid as in the text: three points per face, clockwise as seen from outside.
#[derive(Clone, Debug)]
pub struct MapBrush {
    /// The line of the brush's opening brace.
    pub line: usize,
    pub faces: Vec<[[f64; 3]; 3]>,
    /// Whether it stops a player; false for triggers, liquids and the compiler's own brushes.
    pub solid: bool,
}

/// What is wrong with a map, and where. Its `Display` is one line.
#[derive(Debug)]
pub struct MapError {
    file: String,
    line: Option<usize>,
    what: String,
}

impl Map {
    /// Reads the level in a file.
    pub fn read(path: &Path) -> Result<Self, MapError> {
        let file = path.display().to_string();
        match std::fs::read(path) {
            Ok(text) => Self::parse(&file, &text),
            Err(error) => Err(MapError { file, line: None, what: format!("cannot be read: {error}") }),
        }
    }

    /// Parses the level in a text; `file` is its name in errors.
    pub fn parse(file: &str, text: &[u8]) -> Result<Self, MapError> {
        let fail = |line, what| MapError { file: file.to_owned(), line: Some(line), what };
        let last_line = text.split(|&byte| byte == b'\n').count();
        let parsed = quake_map::parse(&mut &text[..]).map_err(|error| match error {
            TextParseError::Lexer(at) | TextParseError::Parser(at) => {
                fail(at.line_number.map_or(last_line, |line| line.get() as usize), at.message)
            }
            TextParseError::Io(error) => fail(1, error.to_string()),
        })?;

        let mut lines = brush_lines(text).into_iter();
        let mut entities = Vec::with_capacity(parsed.entities.len());
        for (number, parsed) in parsed.entities.iter().enumerate() {
            let keys: Vec<(String, String)> = parsed
                .edict
                .iter()
                .map(|(key, value)| (key.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
                .collect();
            let classname = value_of(&keys, "classname").unwrap_or_default().to_owned();
            let mut brushes = Vec::with_capacity(parsed.brushes.len());
            for (index, surfaces) in parsed.brushes.iter().enumerate() {
                let line = lines.next().unwrap_or(last_line);
                let place = || format!("brush {index} of entity {number} ({classname})");
                if surfaces.len() < 4 {
                    let count = surfaces.len();
                    return Err(fail(line, format!("{} has {count} faces: a solid needs at least 4", place())));
                }
                if surfaces.iter().flat_map(|s| s.half_space).flatten().any(|x| !x.is_finite()) {
                    return Err(fail(line, format!("{} has a coordinate that is not finite", place())));
                }
                let solid = class_is_solid(&classname) && textures_are_solid(surfaces);
                let faces = surfaces.iter().map(|surface| surface.half_space).collect();
                brushes.push(MapBrush { line, faces, solid });
            }
            entities.push(Entity { classname, keys, brushes });
        }

        let map = Self { entities };
        if map.brushes().next().is_none() {
            let count = map.entities.len();
            return Err(fail(
                last_line,
                format!("the map ends without a brush ({count} entities): nothing to walk on"),
            ));
        }
        Ok(map)
    }

    /// Every brush of every entity, in the order of the file.
    pub fn brushes(&self) -> impl Iterator<Item = &MapBrush> {
        self.entities.iter().flat_map(|entity| &entity.brushes)
    }
}

impl Entity {
    /// The value of a key; of two equal keys, that of the first.
    pub fn value(&self, key: &str) -> Option<&str> {
        value_of(&self.keys, key)
    }

    /// Three numbers under a key such as `origin`; `None` if the key is missing or has any other value.
    pub fn vector(&self, key: &str) -> Option<[f32; 3]> {
        let mut numbers =
            self.value(key)?.split_whitespace().map(|word| word.parse().ok().filter(|x: &f32| x.is_finite()));
        let vector = [numbers.next()??, numbers.next()??, numbers.next()??];
        numbers.next().is_none().then_some(vector)
    }
}

impl MapError {
    /// Creates an error found after reading, such as a brush whose planes enclose nothing.
    pub fn at(file: &str, line: usize, what: String) -> Self {
        Self { file: file.to_owned(), line: Some(line), what }
    }
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        f.write_str(&one_line(&format!("{}{line}: {}", self.file, self.what)))
    }
}

impl std::error::Error for MapError {}

/// A message on one line and of bounded length, whatever a file or an argument contributes to it.
pub fn one_line(message: &str) -> String {
    const MOST: usize = 300; // characters: a file of one enormous word stays readable
    let mut line: String = message.chars().take(MOST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if message.chars().nth(MOST).is_some() {
        line.push('…');
    }
    line
}

fn value_of<'a>(keys: &'a [(String, String)], key: &str) -> Option<&'a str> {
    keys.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
}

/// Entities made of brushes are solid (world, details, walls, doors, lifts) unless their class says that they can be
/// walked through.
fn class_is_solid(classname: &str) -> bool {
    let class = classname.to_ascii_lowercase();
    !class.starts_with("trigger_") && !class.contains("illusionary") && class != "func_ladder"
}

/// All faces of liquids have `*` or `!` textures; brushes meant only for the map compiler have one of its texture
/// names.
fn textures_are_solid(surfaces: &[quake_map::Surface]) -> bool {
    const COMPILER_ONLY: [&str; 7] = ["hint", "hintskip", "skip", "trigger", "origin", "null", "areaportal"];
    !surfaces.iter().all(|surface| {
        let name = surface.texture.to_string_lossy().to_ascii_lowercase();
        let name = name.rsplit('/').next().unwrap_or_default();
        name.starts_with(['*', '!']) || COMPILER_ONLY.contains(&name)
    })
}

/// The line of every brush's opening brace: the second brace of two open ones, outside of quotes and comments.
fn brush_lines(text: &[u8]) -> Vec<usize> {
    let (mut lines, mut depth, mut quoted) = (Vec::new(), 0_usize, false);
    for (number, line) in text.split(|&byte| byte == b'\n').enumerate() {
        for word in line.split(u8::is_ascii_whitespace) {
            if !quoted && word.starts_with(b"//") {
                break;
            }
            match word {
                b"{" if !quoted => {
                    depth += 1;
                    if depth == 2 {
                        lines.push(number + 1);
                    }
                }
                b"}" if !quoted => depth = depth.saturating_sub(1),
                _ => quoted ^= word.iter().filter(|&&byte| byte == b'"').count() % 2 == 1,
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const PYRAMID: &str = "{\n\"classname\" \"worldspawn\"\n// a pyramid {\n{\n\
        ( 0 0 0 ) ( 2 0 0 ) ( 0 3 0 ) stone 0 0 0 1 1\n( 0 0 0 ) ( 0 0 5 ) ( 2 0 0 ) stone 0 0 0 1 1\n\
        ( 0 0 0 ) ( 0 3 0 ) ( 0 0 5 ) stone [ 1 0 0 0 ] [ 0 1 0 0 ] 0 1 1\n( 2 0 0 ) ( 0 0 5 ) ( 0 3 0 ) stone 0 0 0 1 1\n}\n}\n";

    fn error_of(text: &str) -> String {
        Map::parse("some.map", text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn both_texture_formats_are_read_and_a_brush_knows_its_line() {
        let map = Map::parse("some.map", PYRAMID.as_bytes()).unwrap();
        let brush = map.brushes().next().unwrap();
        assert_eq!((brush.line, brush.faces.len(), brush.solid), (4, 4, true));
        assert_eq!(brush.faces[1], [[0.0; 3], [0.0, 0.0, 5.0], [2.0, 0.0, 0.0]]);
    }

    #[test]
    fn the_embedded_level_has_its_brushes_and_a_place_to_start() {
        let map = Map::parse("level.map", include_bytes!("../level.map")).unwrap();
        assert_eq!(map.brushes().count(), 842);
        assert_eq!(map.brushes().map(|brush| brush.faces.len()).sum::<usize>(), 5594);
        assert_eq!(map.brushes().filter(|brush| !brush.solid).count(), 3); // a trigger, water, ivy
        assert!(map.entities.iter().any(|entity| entity.classname == "info_player_start"));
    }

    #[test]
    fn triggers_liquids_and_compiler_brushes_are_not_solid() {
        let solid = |text: String| Map::parse("some.map", text.as_bytes()).unwrap().brushes().next().unwrap().solid;
        for texture in ["*water", "!lava", "Hint", "textures/common/trigger", "skip"] {
            assert!(!solid(PYRAMID.replace("stone", texture)), "{texture}");
        }
        for texture in ["clip", "sky1", "{fence"] {
            assert!(solid(PYRAMID.replace("stone", texture)), "{texture}");
        }
        for class in ["trigger_once", "func_illusionary", "func_detail_illusionary"] {
            assert!(!solid(PYRAMID.replace("worldspawn", class)), "{class}");
        }
        for class in ["func_door", "func_wall", "func_detail", "func_group"] {
            assert!(solid(PYRAMID.replace("worldspawn", class)), "{class}");
        }
    }

    #[test]
    fn an_error_is_one_line_with_file_and_line() {
        let cases = [
            ("", "some.map:1: the map ends without a brush (0 entities): nothing to walk on".to_owned()),
            ("junk", "some.map:1: Expected `{`, got `junk`".to_owned()),
            ("{\n\"a\" \"b\nc", "some.map:3: Missing closing quote".to_owned()),
            (&PYRAMID[..PYRAMID.len() - 3], "some.map:9: Unexpected end-of-file".to_owned()),
            (&PYRAMID.replace("0 3 0", "0 x 0"), "some.map:5: Expected number, got `x`".to_owned()),
            (
                &PYRAMID.replace("0 3 0", "0 nan 0"),
                "some.map:4: brush 0 of entity 0 (worldspawn) has a coordinate that is not finite".to_owned(),
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(error_of(text), expected);
        }
        let three_faces: String =
            PYRAMID.lines().filter(|line| !line.contains('[')).map(|l| format!("{l}\n")).collect();
        assert!(error_of(&three_faces).starts_with("some.map:4: brush 0 of entity 0 (worldspawn) has 3 faces"));
        let missing = Map::read(Path::new("no/such.map")).unwrap_err().to_string();
        assert!(missing.starts_with("no/such.map: cannot be read: "), "{missing}");
    }

    #[test]
    fn hostile_text_gives_an_answer_or_one_line() {
        const INSERTS: [&str; 14] =
            ["{", "}", "(", ")", "[", "\"", "//", "/", "nan", "1e999", "\0", "\r", "\n", "\u{e9}"];
        let mut state = 0x5eed_u64;
        let mut below = |limit: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % limit as u64) as usize
        };
        for _ in 0..3000 {
            let mut text = PYRAMID.as_bytes().to_vec();
            for _ in 0..=below(3) {
                let start = below(text.len() + 1);
                let end = (start + below(5)).min(text.len());
                text.splice(start..end, INSERTS[below(INSERTS.len())].bytes());
            }
            if let Err(error) = Map::parse("some.map", &text) {
                let line = error.to_string();
                assert!(line.starts_with("some.map:") && !line.contains(char::is_control), "{line}");
            }
        }
    }
}
