//! The command line: `static`, `scene`, `moving`, `room`, `bumpy`, `pile`, `sweep`, `capsule`, `convex`, `level`, `mesh` or
//! `report`, its subject, and options.

mod options;
#[cfg(test)]
mod tests;

use crate::instructions::Instructions;
use cullide_scenes::Motion;
use options::{Options, count};
use std::{ffi::OsString, path::PathBuf};

/// What `--help` prints.
pub const USAGE: &str = "\
Times Cullide beside other libraries, on the same boxes and questions in one process.

Usage: peers static [SCENE] [N] [--runs R] [--seed S]
       peers scene [SCENE] [N] [--runs R] [--seed S]
       peers moving [SCENE] [N] [--frames F] [--runs R] [--seed S]
       peers room [N] [--speed V]... [--spin W]... [--steps K] [--runs R] [--seed S]
       peers bumpy [N] [--steps K] [--runs R] [--seed S]
       peers pile [SCENE] [N] [--steps K] [--runs R] [--seed S]
       peers sweep [N] [--runs R] [--seed S]
       peers capsule [N] [--runs R] [--seed S]
       peers convex [N] [--runs R] [--seed S]
       peers level [N] [--steps K] [--runs R] [--seed S]
       peers mesh [SCENE] [N] [--embree4 FILE] [--runs R] [--seed S]
       peers report [--out FOLDER] [--from FILE] [--runs R] [--seed S]

static: building and querying
  SCENE       uniform, city, or a file of shared boxes such as bounds02
              [default: uniform of 10000, city of 100000, and bounds02]
  N           boxes of uniform and city   [default: 10000 and 100000]

scene: objects, queried as in a game; SCENE and N as above

moving: bringing the near pairs up to date
  SCENE       slow, fast, few, rare, brownian, free-fall, rotating-gravity, or
              million: rare of 1000000   [default: slow, fast and few]
  N           boxes   [default: 1000, 10000 and 64000]
  --frames F  timed frames   [default: 3840000 / N, from 60 to 600]

room: steps of bouncy boxes between six walls
  N           boxes   [default: 1000]
  --speed V   units per second, one or more values   [default: 50 500 5000]
  --spin W    radians per second, one or more values   [default: 0 30]
  --steps K   steps of 1/60 s   [default: 200]

bumpy: crates that fall on a terrain of 79202 triangles
  N           crates   [default: 200]
  --steps K   steps of 1/60 s   [default: 600]

pile: crates that fall, stand on each other and fall asleep; other engines alone
  SCENE       heap, stack, pyramid or bumpy: on the terrain of bumpy
              [default: all, heap of 1000 and of 5000]
  N           crates, or rows of a pyramid   [default: 1000 and 5000, 20, 30, 200]
  --steps K   steps of 1/60 s   [default: 900 (700 from 5000 crates on), 3600, 1800, 600]

sweep: moving boxes, each against a plane
  N           cases   [default: 100000]

capsule: capsules that move past shapes or overlap them, one pair at a time

convex: boxes, hulls, triangles and capsules that move into or past each other, and their distances
  N           pairs of each kind   [default: 4096]

level: steps of boxes that bounce or fall in lq_e4m4.map, on one thread and on two; ours alone
  N           boxes   [default: 10000]
  --steps K   timed steps of 1/60 s, after as many untimed ones   [default: 60]

mesh: building over triangles and querying them
  SCENE       terrain, a level such as lq_e4m4, bunny, or a shared mesh file such as
              collision_mesh_01   [default: all four]
  N           samples per side of the terrain   [default: 708]
  --embree4 FILE
              the shared library of Embree 4, to take part as well

report: a picture of times over the sizes of scenes, and its points: speed.svg and speed.csv
  --out FOLDER   where to write them   [default: target/report]
  --from FILE    draws the points of this file, without timing anything

  --runs R    runs, of which the quickest counts   [default: 5; 3 for moving, room, bumpy,
              pile, level and mesh; 15 for capsule, 25 for
              convex]
  --seed S    seed of scenes and questions
  --instructions avx2|sse
              no more than these, for ours and Embree   [default: all that the processor has]";

/// Samples per side of the terrain: about a million triangles.
const SIDE: usize = 708;

/// What the command line asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    Static(Static),
    Scene(Scenes),
    Moving(Moving),
    Room(Room),
    Bumpy(Bumpy),
    Pile(Piles),
    Sweep(Sweep),
    Capsule(Capsules),
    Convex(Convexes),
    Level(Level),
    Mesh(Meshes),
    Report(Report),
    Help,
}

/// Boxes at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Static {
    /// Empty for the defaults.
    pub scenes: Vec<Scene>,
    pub runs: usize,
    pub seed: u64,
}

/// Objects at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenes {
    pub scenes: Vec<Scene>,
    pub runs: usize,
    pub seed: u64,
}

/// The source of boxes.
#[derive(Clone, Debug, PartialEq)]
pub enum Scene {
    Uniform(usize),
    City(usize),
    File(String),
}

impl Scene {
    /// The scenes of the published tables.
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
    /// `None` for the default for that number of boxes.
    pub frames: Option<usize>,
    pub runs: usize,
    pub seed: u64,
}

/// Boxes that bounce in a room.
#[derive(Clone, Debug, PartialEq)]
pub struct Room {
    pub n: usize,
    /// Each speed, in units per second, is run with each spin, in radians per second.
    pub speeds: Vec<f32>,
    pub spins: Vec<f32>,
    pub steps: usize,
    pub runs: usize,
    pub seed: u64,
}

/// Crates on bumpy ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Bumpy {
    pub n: usize,
    pub steps: usize,
    pub runs: usize,
    pub seed: u64,
}

/// Crates that collide with each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Piles {
    pub piles: Vec<Pile>,
    /// `None` for the default of the pile.
    pub steps: Option<usize>,
    pub runs: usize,
    pub seed: u64,
}

/// How crates are piled, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pile {
    Heap(usize),
    Stack(usize),
    /// The number of rows.
    Pyramid(usize),
    Bumpy(usize),
}

impl Pile {
    /// The piles of the published tables.
    const ALL: [Self; 5] = [Self::Heap(1000), Self::Heap(5000), Self::Stack(20), Self::Pyramid(30), Self::Bumpy(200)];

    fn name(self) -> &'static str {
        match self {
            Self::Heap(_) => "heap",
            Self::Stack(_) => "stack",
            Self::Pyramid(_) => "pyramid",
            Self::Bumpy(_) => "bumpy",
        }
    }

    fn with_size(self, n: usize) -> Self {
        match self {
            Self::Heap(_) => Self::Heap(n),
            Self::Stack(_) => Self::Stack(n),
            Self::Pyramid(_) => Self::Pyramid(n),
            Self::Bumpy(_) => Self::Bumpy(n),
        }
    }
}

/// Moving boxes against planes.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    pub n: usize,
    pub runs: usize,
    pub seed: u64,
}

/// Capsules and shapes at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Capsules {
    pub n: usize,
    pub runs: usize,
    pub seed: u64,
}

/// Two convexes.
#[derive(Clone, Debug, PartialEq)]
pub struct Convexes {
    pub n: usize,
    pub runs: usize,
    pub seed: u64,
}

/// Moving boxes in a level.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    pub n: usize,
    pub steps: usize,
    pub runs: usize,
    pub seed: u64,
}

/// Meshes at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Meshes {
    pub scenes: Vec<Source>,
    /// A shared library.
    pub embree4: Option<PathBuf>,
    pub runs: usize,
    pub seed: u64,
}

/// The picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The folder to write to.
    pub out: PathBuf,
    /// The points of an earlier report, to be drawn again.
    pub from: Option<PathBuf>,
    pub runs: usize,
    pub seed: u64,
}

/// The source of triangles.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// Samples per side.
    Fractal(usize),
    File(String),
}

/// Parses a command line, without the program's name, into what is asked for and the instructions that are allowed; the
/// error says which argument is wrong.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<(Request, Instructions), String> {
    let Some((names, options)) = Options::read(words)? else { return Ok((Request::Help, Instructions::All)) };
    let instructions = options.instructions;
    Ok((request(&names.iter().map(String::as_str).collect::<Vec<_>>(), options)?, instructions))
}

fn request(names: &[&str], options: Options) -> Result<Request, String> {
    match names {
        [] => Ok(Request::Help),
        ["static", rest @ ..] => parse_static(rest, &options).map(Request::Static),
        ["scene", rest @ ..] => parse_scene(rest, &options).map(Request::Scene),
        ["moving", rest @ ..] => parse_moving(rest, &options).map(Request::Moving),
        ["room", rest @ ..] => parse_room(rest, &options).map(Request::Room),
        ["bumpy", rest @ ..] => parse_bumpy(rest, &options).map(Request::Bumpy),
        ["pile", rest @ ..] => parse_pile(rest, &options).map(Request::Pile),
        ["sweep", rest @ ..] => parse_sweep(rest, &options).map(Request::Sweep),
        ["capsule", rest @ ..] => parse_capsule(rest, &options).map(Request::Capsule),
        ["convex", rest @ ..] => parse_convex(rest, &options).map(Request::Convex),
        ["level", rest @ ..] => parse_level(rest, &options).map(Request::Level),
        ["mesh", rest @ ..] => parse_mesh(rest, options).map(Request::Mesh),
        ["report", rest @ ..] => parse_report(rest, options).map(Request::Report),
        [command, ..] => Err(format!("no such command: {command}")),
    }
}

fn parse_static(names: &[&str], options: &Options) -> Result<Static, String> {
    options.are_among("static", &[])?;
    Ok(Static { scenes: chosen(names)?, runs: options.runs.unwrap_or(5), seed: options.seed })
}

fn parse_scene(names: &[&str], options: &Options) -> Result<Scenes, String> {
    options.are_among("scene", &[])?;
    let scenes = if names.is_empty() { vec![Scene::named("uniform"), Scene::named("city")] } else { chosen(names)? };
    Ok(Scenes { scenes, runs: options.runs.unwrap_or(3), seed: options.seed })
}

/// The scene with these names; none for no names.
fn chosen(names: &[&str]) -> Result<Vec<Scene>, String> {
    Ok(match *names {
        [] => Vec::new(),
        [scene] => vec![Scene::named(scene)],
        [scene, n] => vec![match Scene::named(scene) {
            Scene::Uniform(_) => Scene::Uniform(count(Ok(n.into()), "N")?),
            Scene::City(_) => Scene::City(count(Ok(n.into()), "N")?),
            Scene::File(name) => return Err(format!("{name} has a fixed number of boxes: no N")),
        }],
        [_, _, other, ..] => return Err(format!("one scene at a time: {other}")),
    })
}

fn parse_moving(names: &[&str], options: &Options) -> Result<Moving, String> {
    options.are_among("moving", &["--frames"])?;
    let (motions, mut sizes) = match names.first() {
        None => (vec![Motion::Slow, Motion::Fast, Motion::Few], vec![1000, 10_000, 64_000]),
        Some(&"million") => (vec![Motion::Rare], vec![1_000_000]),
        Some(name) => {
            let motion = Motion::named(name).ok_or_else(|| format!("no such motion: {name}"))?;
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

fn parse_room(names: &[&str], options: &Options) -> Result<Room, String> {
    options.are_among("room", &["--speed", "--spin", "--steps"])?;
    let or = |given: &[f32], usual: &[f32]| if given.is_empty() { usual.to_vec() } else { given.to_vec() };
    Ok(Room {
        n: size(names)?.unwrap_or(1000),
        speeds: or(&options.speeds, &[50.0, 500.0, 5000.0]),
        spins: or(&options.spins, &[0.0, 30.0]),
        steps: options.steps.unwrap_or(200),
        runs: options.runs.unwrap_or(3),
        seed: options.seed,
    })
}

fn parse_bumpy(names: &[&str], options: &Options) -> Result<Bumpy, String> {
    options.are_among("bumpy", &["--steps"])?;
    let (n, steps) = (size(names)?.unwrap_or(200), options.steps.unwrap_or(600));
    Ok(Bumpy { n, steps, runs: options.runs.unwrap_or(3), seed: options.seed })
}

fn parse_pile(names: &[&str], options: &Options) -> Result<Piles, String> {
    options.are_among("pile", &["--steps"])?;
    let mut piles = Pile::ALL.to_vec();
    if let Some(name) = names.first() {
        piles.retain(|pile| pile.name() == *name);
    }
    let Some(first) = piles.first() else { return Err(format!("no such pile: {}", names[0])) };
    match names {
        [_, n] => piles = vec![first.with_size(count(Ok(n.into()), "N")?)],
        [_, _, other, ..] => return Err(format!("one scene at a time: {other}")),
        _ => {}
    }
    Ok(Piles { piles, steps: options.steps, runs: options.runs.unwrap_or(3), seed: options.seed })
}

fn parse_sweep(names: &[&str], options: &Options) -> Result<Sweep, String> {
    options.are_among("sweep", &[])?;
    Ok(Sweep { n: size(names)?.unwrap_or(100_000), runs: options.runs.unwrap_or(5), seed: options.seed })
}

fn parse_convex(names: &[&str], options: &Options) -> Result<Convexes, String> {
    options.are_among("convex", &[])?;
    Ok(Convexes { n: size(names)?.unwrap_or(512), runs: options.runs.unwrap_or(25), seed: options.seed })
}

fn parse_capsule(names: &[&str], options: &Options) -> Result<Capsules, String> {
    options.are_among("capsule", &[])?;
    Ok(Capsules { n: size(names)?.unwrap_or(4096), runs: options.runs.unwrap_or(15), seed: options.seed })
}

fn parse_level(names: &[&str], options: &Options) -> Result<Level, String> {
    options.are_among("level", &["--steps"])?;
    let (n, steps) = (size(names)?.unwrap_or(10_000), options.steps.unwrap_or(60));
    Ok(Level { n, steps, runs: options.runs.unwrap_or(3), seed: options.seed })
}

fn parse_mesh(names: &[&str], options: Options) -> Result<Meshes, String> {
    options.are_among("mesh", &["--embree4"])?;
    let file = |name: &str| Source::File(name.into());
    let scenes = match *names {
        [] => vec![Source::Fractal(SIDE), file("lq_e4m4"), file("collision_mesh_01"), file("bunny")],
        ["terrain"] => vec![Source::Fractal(SIDE)],
        // A cell needs two samples per side.
        ["terrain", n] => vec![Source::Fractal(count(Ok(n.into()), "N")?.max(2))],
        [name] => vec![file(name)],
        [_, _, other, ..] => return Err(format!("one scene at a time: {other}")),
        [name, _] => return Err(format!("{name} has a fixed number of triangles: no N")),
    };
    Ok(Meshes { scenes, embree4: options.embree4, runs: options.runs.unwrap_or(3), seed: options.seed })
}

fn parse_report(names: &[&str], options: Options) -> Result<Report, String> {
    options.are_among("report", &["--out", "--from"])?;
    if let Some(other) = names.first() {
        return Err(format!("report has no {other}"));
    }
    let out = options.out.unwrap_or_else(|| "target/report".into());
    Ok(Report { out, from: options.from, runs: options.runs.unwrap_or(5), seed: options.seed })
}

/// The size of a scene that is given by number alone.
fn size(names: &[&str]) -> Result<Option<usize>, String> {
    match *names {
        [] => Ok(None),
        [n] => Ok(Some(count(Ok(n.into()), "N")?)),
        [_, other, ..] => Err(format!("one number is enough: {other}")),
    }
}
