//! The command line: `static [SCENE] [N] [--runs R] [--seed S]`.

use cullide_scenes::SEED;
use lexopt::prelude::*;
use std::ffi::OsString;

/// What `--help` prints.
pub const USAGE: &str = "\
Times Cullide beside other libraries, on the same boxes and questions in one process.

Usage: peers static [SCENE] [N] [--runs R] [--seed S]

  SCENE       uniform, city, or a file of shared boxes such as bounds02
              [default: uniform of 10000, city of 100000, and bounds02]
  N           boxes of uniform and city   [default: 10000 and 100000]
  --runs R    runs, of which the quickest counts   [default: 5]
  --seed S    seed of scenes and questions";

/// What to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    Static(Static),
    Help,
}

/// Boxes at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Static {
    /// Empty for the default ones.
    pub scenes: Vec<Scene>,
    pub runs: usize,
    pub seed: u64,
}

/// Where boxes come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Scene {
    Uniform(usize),
    City(usize),
    File(String),
}

impl Scene {
    /// The scenes of the published table.
    pub fn all() -> Vec<Self> {
        vec![Self::named("uniform"), Self::named("city"), Self::named("bounds02")]
    }

    fn named(name: &str) -> Self {
        match name {
            "uniform" => Self::Uniform(10_000),
            "city" => Self::City(100_000),
            file => Self::File(file.into()),
        }
    }
}

/// The request in a command line, without the program's name; the error says which argument is wrong.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Request, String> {
    let mut parser = lexopt::Parser::from_args(words);
    let mut command = None;
    let mut options = Static { scenes: Vec::new(), runs: 5, seed: SEED };
    while let Some(word) = parser.next().map_err(|error| error.to_string())? {
        match word {
            Long("help") | Short('h') => return Ok(Request::Help),
            Long("runs") => options.runs = number(parser.value(), "--runs")?.max(1) as usize,
            Long("seed") => options.seed = number(parser.value(), "--seed")?,
            Value(word) if command.is_none() => command = Some(word),
            Value(word) => match options.scenes.last_mut() {
                None => options.scenes.push(Scene::named(&word.to_string_lossy())),
                Some(Scene::Uniform(n) | Scene::City(n)) => *n = number(Ok(word), "N")? as usize,
                Some(Scene::File(name)) => return Err(format!("{name} has the boxes it has: no N")),
            },
            other => return Err(other.unexpected().to_string()),
        }
    }
    match command {
        Some(command) if command == "static" => Ok(Request::Static(options)),
        Some(command) => Err(format!("no such command: {}", command.to_string_lossy())),
        None => Ok(Request::Help),
    }
}

fn number(value: Result<OsString, lexopt::Error>, name: &str) -> Result<u64, String> {
    let value = value.map_err(|error| error.to_string())?;
    value
        .to_str()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| format!("{name} takes a whole number, not {value:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Request, String> {
        parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn a_scene_may_be_followed_by_its_size() {
        let run = |scenes, runs| Ok(Request::Static(Static { scenes, runs, seed: SEED }));
        assert_eq!(parsed("static"), run(vec![], 5));
        assert_eq!(parsed("static city"), run(vec![Scene::City(100_000)], 5));
        assert_eq!(parsed("static uniform 77 --runs 3"), run(vec![Scene::Uniform(77)], 3));
        assert_eq!(parsed("--runs=0 static bounds02"), run(vec![Scene::File("bounds02".into())], 1));
    }

    #[test]
    fn a_bad_argument_is_named() {
        for (line, named) in
            [("moving", "moving"), ("static city x", "x"), ("static bounds02 5", "bounds02"), ("--no", "--no")]
        {
            assert!(parsed(line).unwrap_err().contains(named), "{line}");
        }
    }
}
