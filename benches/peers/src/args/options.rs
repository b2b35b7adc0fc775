//! The options of all commands, and parsing of their numbers.

use crate::instructions::Instructions;
use cullide_scenes::SEED;
use lexopt::prelude::*;
use std::{ffi::OsString, path::PathBuf};

/// The options given, for any command.
pub struct Options {
    pub frames: Option<usize>,
    pub speeds: Vec<f32>,
    pub spins: Vec<f32>,
    pub steps: Option<usize>,
    pub out: Option<PathBuf>,
    pub from: Option<PathBuf>,
    pub embree4: Option<PathBuf>,
    pub runs: Option<usize>,
    pub seed: u64,
    pub instructions: Instructions,
}

impl Options {
    /// Reads the names on a command line and its options; `None` if it asks for help.
    pub fn read(words: impl IntoIterator<Item = OsString>) -> Result<Option<(Vec<String>, Self)>, String> {
        let mut parser = lexopt::Parser::from_args(words);
        let mut names = Vec::new();
        let (speeds, spins) = (Vec::new(), Vec::new());
        let (out, from, embree4, instructions) = (None, None, None, Instructions::All);
        let mut options =
            Self { frames: None, speeds, spins, steps: None, out, from, embree4, runs: None, seed: SEED, instructions };
        while let Some(word) = parser.next().map_err(|error| error.to_string())? {
            match word {
                Long("help") | Short('h') => return Ok(None),
                Long("frames") => options.frames = Some(count(parser.value(), "--frames")?),
                Long("speed") => options.speeds.extend(rates(&mut parser, "--speed")?),
                Long("spin") => options.spins.extend(rates(&mut parser, "--spin")?),
                Long("steps") => options.steps = Some(count(parser.value(), "--steps")?),
                Long("out") => options.out = Some(path(&mut parser)?),
                Long("from") => options.from = Some(path(&mut parser)?),
                Long("embree4") => options.embree4 = Some(path(&mut parser)?),
                Long("runs") => options.runs = Some(count(parser.value(), "--runs")?),
                Long("seed") => options.seed = number(parser.value(), "--seed")?,
                Long("instructions") => options.instructions = instructions_of(&mut parser)?,
                Value(word) => names.push(word.to_string_lossy().into_owned()),
                other => return Err(other.unexpected().to_string()),
            }
        }
        Ok(Some((names, options)))
    }

    /// Checks that all given options are among those of a command, besides `--runs`, `--seed` and
    /// `--instructions`, which all commands have.
    pub fn are_among(&self, command: &str, names: &[&str]) -> Result<(), String> {
        let given = [
            ("--frames", self.frames.is_some()),
            ("--speed", !self.speeds.is_empty()),
            ("--spin", !self.spins.is_empty()),
            ("--steps", self.steps.is_some()),
            ("--out", self.out.is_some()),
            ("--from", self.from.is_some()),
            ("--embree4", self.embree4.is_some()),
        ];
        match given.into_iter().find(|(name, is_given)| *is_given && !names.contains(name)) {
            Some((name, _)) => Err(format!("{command} has no {name}")),
            None => Ok(()),
        }
    }
}

/// Parses a count; at least one.
pub fn count(value: Result<OsString, lexopt::Error>, name: &str) -> Result<usize, String> {
    Ok(number(value, name)?.max(1) as usize)
}

fn number(value: Result<OsString, lexopt::Error>, name: &str) -> Result<u64, String> {
    let value = value.map_err(|error| error.to_string())?;
    value
        .to_str()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| format!("{name} takes a whole number, not {value:?}"))
}

fn instructions_of(parser: &mut lexopt::Parser) -> Result<Instructions, String> {
    let value = parser.value().map_err(|error| error.to_string())?;
    let named = value.to_str().and_then(Instructions::named);
    named.ok_or_else(|| format!("--instructions takes avx2 or sse, not {value:?}"))
}

fn path(parser: &mut lexopt::Parser) -> Result<PathBuf, String> {
    parser.value().map(PathBuf::from).map_err(|error| error.to_string())
}

/// One or more finite numbers that are not negative.
fn rates(parser: &mut lexopt::Parser, name: &str) -> Result<Vec<f32>, String> {
    let rate = |value: OsString| {
        let rate = value.to_str().and_then(|text| text.parse().ok());
        rate.filter(|rate: &f32| rate.is_finite() && *rate >= 0.0)
            .ok_or_else(|| format!("{name} takes numbers of at least 0, not {value:?}"))
    };
    parser.values().map_err(|error| error.to_string())?.map(rate).collect()
}
