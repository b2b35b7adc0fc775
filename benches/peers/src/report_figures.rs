//! The figures of a report, as lines of comma-separated values: its picture is drawn from them.

use std::{fmt, str::FromStr};

/// A library, or ours.
pub struct Library {
    pub name: &'static str,
    /// Whose version is noted; empty for a library of the system.
    package: &'static str,
    /// The colour of its lines.
    pub color: &'static str,
}

/// All libraries, ours first.
pub const LIBRARIES: [Library; 7] = [
    Library { name: OURS, package: "cullide-world", color: "#d4380d" },
    Library { name: "parry3d", package: "parry3d", color: "#1f6fb4" },
    Library { name: "rapier3d", package: "rapier3d", color: "#12805c" },
    Library { name: "obvhs", package: "obvhs", color: "#7a45c4" },
    Library { name: "bvh", package: "bvh", color: "#8d6a00" },
    Library { name: "Box3D", package: "box3d-sys", color: "#b0348a" },
    Library { name: "Embree", package: "", color: "#4a4a4a" },
];

pub const OURS: &str = "Cullide";

/// Competitors that get many questions or threads at once, or know more of the scene, are left out.
const LEFT_OUT: [&str; 5] = ["threads", "batch", ", 16", "terrain", "HeightField"];

/// The library of a competitor in the tables; `None` for a competitor that is left out.
pub fn library(competitor: &str) -> Option<&'static Library> {
    let word = competitor.split([' ', ',']).next()?;
    let name = if word == "ours" { OURS } else { word };
    let is_left_out = LEFT_OUT.iter().any(|part| competitor.contains(part));
    LIBRARIES.iter().find(|library| library.name == name && !is_left_out)
}

/// A point of the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The panel's title.
    pub question: String,
    /// The size of the scene, and of what.
    pub size: usize,
    pub unit: String,
    pub library: String,
    /// The library's quickest competitor in the tables, at this size.
    variant: String,
    /// Empty if unknown.
    pub version: String,
    pub nanoseconds: f64,
}

impl Row {
    pub fn new(question: &str, size: usize, unit: &str, library: &Library, variant: &str, nanoseconds: f64) -> Self {
        let entry = format!("name = \"{}\"\nversion = \"", library.package);
        let version =
            include_str!("../../../Cargo.lock").split_once(&entry).and_then(|(_, rest)| rest.split('"').next());
        let [question, unit, variant] = [question, unit, variant].map(|text| text.replace(',', ""));
        let (library, version) = (library.name.into(), version.unwrap_or_default().into());
        Self { question, size, unit, library, variant, version, nanoseconds }
    }

    fn parse(line: &str) -> Option<Self> {
        let [question, size, unit, name, variant, version, time] = line.split(',').collect::<Vec<_>>()[..] else {
            return None;
        };
        let library = LIBRARIES.iter().find(|library| library.name == name)?;
        let size = size.parse().ok().filter(|size| *size > 0)?;
        let time = time.parse().ok().filter(|time: &f64| time.is_finite() && *time > 0.0)?;
        Some(Self { version: version.into(), ..Self::new(question, size, unit, library, variant, time) })
    }
}

/// All points of a report, and where and when they were timed.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    pub caption: String,
    pub rows: Vec<Row>,
}

const COLUMNS: &str = "question,size,unit,library,variant,version,nanoseconds";

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# {}\n{COLUMNS}", self.caption)?;
        for Row { question, size, unit, library, variant, version, nanoseconds } in &self.rows {
            writeln!(f, "{question},{size},{unit},{library},{variant},{version},{nanoseconds}")?;
        }
        Ok(())
    }
}

impl FromStr for Figures {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let rest = text.strip_prefix("# ").and_then(|text| text.split_once('\n'));
        let (caption, rest) = rest.ok_or("no caption in the first line")?;
        let rest = rest.strip_prefix(COLUMNS).ok_or_else(|| format!("the second line is not {COLUMNS}"))?;
        let row = |line: &str| Row::parse(line).ok_or_else(|| format!("not a point of a report: {line}"));
        Ok(Self { caption: caption.into(), rows: rest.trim().lines().map(row).collect::<Result<_, _>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_as_they_were_written() {
        let of = |name, time| Row::new("A ray", 100, "boxes", library(name).unwrap(), name, time);
        let rows = vec![of("ours", 12.25), of("parry3d, rebuilt", 1.0 / 3.0), of("Embree robust", 1e9)];
        let figures = Figures { caption: "Some CPU, 2025-11-28".into(), rows };
        assert_eq!(figures.to_string().parse(), Ok(figures.clone()));
        assert!(figures.rows[1].version.starts_with("0.") && figures.rows[2].version.is_empty());
        for line in ["A,9,b,bvh,,1", "A,9,b,Unity,,,1", "A,x,b,bvh,,,1", "A,0,b,bvh,,,1", "A,9,b,bvh,,,NaN"] {
            assert!(format!("{figures}{line}\n").parse::<Figures>().unwrap_err().contains(line));
        }
    }

    #[test]
    fn nobody_is_asked_many_questions_at_once() {
        let name = |competitor| library(competitor).map(|library| library.name);
        assert_eq!(["ours", "Embree 3 (user boxes)"].map(name), [Some("Cullide"), Some("Embree")]);
        assert_eq!(["ours, 2 threads", "ours, batch", "Embree robust, 16", "linear scan (SIMD)"].map(name), [None; 4]);
    }
}
