//! The command line: `static [SCENE] [N]` or `moving [SCENE] [N]`, and options.

use cullide_scenes::{Motion, SEED};
use lexopt::prelude::*;
use std::ffi::OsString;

/// What `--help` prints.
pub const USAGE: &str = "\
Times Cullide beside other libraries, on the same boxes and questions in one process.

Usage: peers static [SCENE] [N] [--runs R] [--seed S]
       peers moving [SCENE] [N] [--frames F] [--runs R] [--seed S]

static: building and asking
  SCENE       uniform, city, or a file of shared boxes such as bounds02
              [default: uniform of 10000, city of 100000, and bounds02]
  N           boxes of uniform and city   [default: 10000 and 100000]

moving: bringing the near pairs up to date
  SCENE       slow, fast, few, rare, brownian, free-fall, rotating-gravity, or
              million: rare of 1000000   [default: slow, fast and few]
  N           boxes   [default: 1000, 10000 and 64000]
  --frames F  timed frames   [default: 3840000 / N, from 60 to 600]

  --runs R    runs, of which the quickest counts   [default: 5, moving 3]
  --seed S    seed of scenes and questions";

/// What to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    Static(Static),
    Moving(Moving),
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

/// Boxes in motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Moving {
    pub motions: Vec<Motion>,
    /// Each motion with each number of boxes.
    pub sizes: Vec<usize>,
    /// `None` for what suits the number of boxes.
    pub frames: Option<usize>,
    pub runs: usize,
    pub seed: u64,
}

/// The options of both commands.
struct Options {
    frames: Option<usize>,
    runs: Option<usize>,
    seed: u64,
}

/// The request in a command line, without the program's name; the error says which argument is wrong.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Request, String> {
    let mut parser = lexopt::Parser::from_args(words);
    let mut names = Vec::new();
    let mut options = Options { frames: None, runs: None, seed: SEED };
    while let Some(word) = parser.next().map_err(|error| error.to_string())? {
        match word {
            Long("help") | Short('h') => return Ok(Request::Help),
            Long("frames") => options.frames = Some(count(parser.value(), "--frames")?),
            Long("runs") => options.runs = Some(count(parser.value(), "--runs")?),
            Long("seed") => options.seed = number(parser.value(), "--seed")?,
            Value(word) => names.push(word.to_string_lossy().into_owned()),
            other => return Err(other.unexpected().to_string()),
        }
    }
    match names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Ok(Request::Help),
        ["static", ref rest @ ..] => parse_static(rest, &options).map(Request::Static),
        ["moving", ref rest @ ..] => parse_moving(rest, &options).map(Request::Moving),
        [command, ..] => Err(format!("no such command: {command}")),
    }
}

fn parse_static(names: &[&str], options: &Options) -> Result<Static, String> {
    if options.frames.is_some() {
        return Err("static has no --frames".into());
    }
    let scenes = match *names {
        [] => Vec::new(),
        [scene] => vec![Scene::named(scene)],
        [scene, n] => vec![match Scene::named(scene) {
            Scene::Uniform(_) => Scene::Uniform(count(Ok(n.into()), "N")?),
            Scene::City(_) => Scene::City(count(Ok(n.into()), "N")?),
            Scene::File(name) => return Err(format!("{name} has the boxes it has: no N")),
        }],
        [_, _, other, ..] => return Err(format!("one scene at a time: {other}")),
    };
    Ok(Static { scenes, runs: options.runs.unwrap_or(5), seed: options.seed })
}

fn parse_moving(names: &[&str], options: &Options) -> Result<Moving, String> {
    let (motions, mut sizes) = match names.first() {
        None => (vec![Motion::Slow, Motion::Fast, Motion::Few], vec![1000, 10_000, 64_000]),
        Some(&"million") => (vec![Motion::Rare], vec![1_000_000]),
        Some(name) => {
            let motion = Motion::named(name).ok_or_else(|| format!("nothing moves like this: {name}"))?;
            (vec![motion], vec![1000, 10_000, 64_000])
        }
    };
    match names {
        [_, n] => sizes = vec![count(Ok(n.into()), "N")?],
        [_, _, other, ..] => return Err(format!("one scene at a time: {other}")),
        _ => {}
    }
    Ok(Moving { motions, sizes, frames: options.frames, runs: options.runs.unwrap_or(3), seed: options.seed })
}

/// At least one of something.
fn count(value: Result<OsString, lexopt::Error>, name: &str) -> Result<usize, String> {
    Ok(number(value, name)?.max(1) as usize)
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
    fn a_motion_may_be_followed_by_its_size() {
        let run = |motions: &[Motion], sizes: &[usize], frames, runs| {
            let (motions, sizes) = (motions.to_vec(), sizes.to_vec());
            Ok(Request::Moving(Moving { motions, sizes, frames, runs, seed: SEED }))
        };
        let sizes = [1000, 10_000, 64_000];
        assert_eq!(parsed("moving"), run(&[Motion::Slow, Motion::Fast, Motion::Few], &sizes, None, 3));
        assert_eq!(parsed("moving free-fall"), run(&[Motion::FreeFall], &sizes, None, 3));
        assert_eq!(parsed("moving fast 77 --frames 5 --runs 2"), run(&[Motion::Fast], &[77], Some(5), 2));
        assert_eq!(parsed("moving million"), run(&[Motion::Rare], &[1_000_000], None, 3));
    }

    #[test]
    fn a_bad_argument_is_named() {
        for (line, named) in [
            ("turning", "turning"),
            ("static city x", "x"),
            ("static city 5 6", "6"),
            ("static bounds02 5", "bounds02"),
            ("static --frames 5", "--frames"),
            ("moving sideways", "sideways"),
            ("moving fast many", "many"),
            ("--no", "--no"),
        ] {
            assert!(parsed(line).unwrap_err().contains(named), "{line}");
        }
    }
}
