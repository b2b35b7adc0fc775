//! The command line: `--map FILE --as FORM --walkers N --seconds S --json`.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::prelude::*;

/// The text that `--help` prints.
pub const USAGE: &str = "\
Walks, looks and culls in a level, and writes target/level/view.png and target/level/plan.png.

Usage: level [--map FILE] [--as FORM] [--walkers N] [--seconds S] [--json]

  --map FILE     a .map file, Standard or Valve-220   [default: the level of this example]
  --as FORM      brushes, each an object of its own, or mesh: one of all their faces   [default: brushes]
  --walkers N    walkers of 32 x 32 x 56 units, up to 100000   [default: 200]
  --seconds S    simulated seconds at 60 steps each, up to 86400   [default: 30]
  --json         one JSON object on stdout instead of the table";

/// The options of a run of the example.
#[derive(Clone, Debug, PartialEq)]
pub struct Args {
    /// `None` is the embedded level.
    pub map: Option<PathBuf>,
    pub form: Form,
    pub walkers: usize,
    pub seconds: f64,
    pub output: Output,
}

/// What walkers and rays meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Brushes,
    Mesh,
}

/// What is printed to stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    Table,
    Json,
}

/// What the command line asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    Run(Args),
    Help,
}

/// Parses a command line without the program's name; the error says which argument is wrong.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Request, String> {
    let mut args = Args { map: None, form: Form::Brushes, walkers: 200, seconds: 30.0, output: Output::Table };
    let mut parser = lexopt::Parser::from_args(words);
    while let Some(word) = parser.next().map_err(|error| error.to_string())? {
        match word {
            Long("map") => args.map = Some(value(&mut parser, "--map", "a file", |text| Some(PathBuf::from(text)))?),
            Long("as") => {
                args.form = value(&mut parser, "--as", "brushes or mesh", |text| match text.to_str()? {
                    "brushes" => Some(Form::Brushes),
                    "mesh" => Some(Form::Mesh),
                    _ => None,
                })?;
            }
            Long("walkers") => {
                args.walkers = value(&mut parser, "--walkers", "a whole number from 0 to 100000", |text| {
                    text.to_str()?.parse().ok().filter(|count| *count <= 100_000)
                })?;
            }
            Long("seconds") => {
                args.seconds = value(&mut parser, "--seconds", "a number above 0, up to 86400", |text| {
                    text.to_str()?.parse().ok().filter(|seconds| *seconds > 0.0 && *seconds <= 86_400.0)
                })?;
            }
            Long("json") => args.output = Output::Json,
            Long("help") | Short('h') => return Ok(Request::Help),
            other => return Err(other.unexpected().to_string()),
        }
    }
    Ok(Request::Run(args))
}

/// Returns the value of an option, or an error line that names the option, what it takes and what it got.
fn value<T>(
    parser: &mut lexopt::Parser,
    option: &str,
    takes: &str,
    read: impl Fn(&OsString) -> Option<T>,
) -> Result<T, String> {
    let text = parser.value().map_err(|_| format!("{option} takes {takes}"))?;
    read(&text).ok_or_else(|| format!("{option} takes {takes}, not {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Request, String> {
        parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn options_may_come_in_any_order_and_have_defaults() {
        let run = Args { map: None, form: Form::Brushes, walkers: 200, seconds: 30.0, output: Output::Table };
        assert_eq!(parsed(""), Ok(Request::Run(run.clone())));
        let map = Some(PathBuf::from("a.map"));
        assert_eq!(
            parsed("--json --seconds=2.5 --map a.map --as mesh --walkers 3"),
            Ok(Request::Run(Args { map, form: Form::Mesh, walkers: 3, seconds: 2.5, output: Output::Json }))
        );
        assert_eq!(parsed("--json --help"), Ok(Request::Help));
    }

    #[test]
    fn a_bad_argument_is_named() {
        for (line, named) in [
            ("--as", "--as"),
            ("--as patches", "patches"),
            ("--walkers", "--walkers"),
            ("--walkers many", "many"),
            ("--walkers -1", "-1"),
            ("--seconds 0", "--seconds"),
            ("--seconds nan", "nan"),
            ("--seconds inf", "inf"),
            ("--colour", "--colour"),
            ("stray", "stray"),
            ("--json=yes", "--json"),
        ] {
            let error = parsed(line).unwrap_err();
            assert!(error.contains(named) && error.lines().count() == 1, "{line}: {error}");
        }
    }
}
