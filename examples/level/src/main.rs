//! A collision world on a real level: its contents, walkers that move through it, and what a camera sees of it.

mod args;
mod camera;
mod crowd;
mod depth;
mod level;
mod look;
mod map;
mod picture;
mod plan;
mod report;
mod space;
mod spots;
mod steering;
mod view;
mod walk;

use std::path::Path;
use std::process::ExitCode;

use args::{Args, Output, Request};
use camera::Shot;
use crowd::Crowd;
use cullide_world::Shape;
use cullide_world::glam::Vec3;
use depth::Solids;
use level::Level;
use look::Culling;
use map::Map;
use picture::Canvas;
use plan::{Cover, Plan, PlanFace, Sight};
use rayon::prelude::*;
use report::Report;
use space::{Space, Tally};

/// The exit code of a run that ends early: because of a bad command line, a map that cannot be used, or a picture that
/// cannot be written.
const REFUSED: u8 = 2;

/// The folder that pictures are written to.
const FOLDER: &str = "target/level";

/// Steps between two examinations of the walkers' positions.
const STRIDE: usize = 60;

fn main() -> ExitCode {
    match args::parse(std::env::args_os().skip(1)) {
        Ok(Request::Help) => {
            println!("{}", args::USAGE);
            ExitCode::SUCCESS
        }
        Ok(Request::Run(args)) => match run(&args) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => refuse(&error.to_string()),
        },
        Err(error) => refuse(&format!("{error} (--help lists the options)")),
    }
}

fn refuse(message: &str) -> ExitCode {
    warn(message);
    ExitCode::from(REFUSED)
}

fn warn(message: &str) {
    eprintln!("level: {}", map::one_line(message));
}

fn run(args: &Args) -> Result<(), Box<dyn std::error::Error>> {
    let (file, map) = match &args.map {
        Some(path) => (path.display().to_string(), Map::read(path)?),
        None => ("level.map".to_owned(), Map::parse("level.map", include_bytes!("../level.map"))?),
    };
    let level = Level::build(&map, &file, args.form)?;
    if let Some(warning) = &level.warning {
        warn(warning);
    }

    let (crowd, deepest_penetration) = walk(args, &map, &level);
    if crowd.falls() > 0 {
        warn(&format!("walkers fell out of the level {} times", crowd.falls()));
    }
    let trails = crowd.trails();

    let shot = Shot::of_map(&map, level.low, level.high);
    let picture = look::picture(&level, shot);
    save(&picture.canvas, "view.png")?;

    let culling = match trails.first() {
        Some(trail) => look::cull(&level, Shot::along(trail)),
        None => look::cull(&level, std::iter::once(shot)),
    };
    save(&plan(&level, &culling, &trails).draw(), "plan.png")?;

    let (sweeps, contacts) = crowd.tally();
    let report = Report {
        map: file,
        brushes: map.brushes().count(),
        faces: map.brushes().map(|brush| brush.faces.len()).sum(),
        walkers: trails.len(),
        steps: (trails.len() * crowd.steps()) as u64,
        sweeps,
        contacts,
        deepest_penetration,
        stuck_walkers: crowd.stuck(),
        rays: picture.rays,
        rays_hit: picture.rays_hit,
        visible_mean: culling.seen as f64 / culling.cameras.max(1) as f64,
        build_ms: level.build_time.as_secs_f64() * 1e3,
        step_us: crowd.time.as_secs_f64() * 1e6 / crowd.steps().max(1) as f64,
        ray_ns: picture.time.as_secs_f64() * 1e9 / picture.rays.max(1) as f64,
        cull_us: culling.time.as_secs_f64() * 1e6 / culling.cameras.max(1) as f64,
    };
    match args.output {
        Output::Json => println!("{}", report.json()),
        Output::Table => println!("{report}\npictures  {FOLDER}/view.png, {FOLDER}/plan.png"),
    }
    Ok(())
}

/// Lets all walkers walk, and measures every position that they reach; also returns the greatest depth of any position
/// in a solid.
fn walk(args: &Args, map: &Map, level: &Level) -> (Crowd, f64) {
    let tally = Tally::default();
    let bounds = (level.low, level.high);
    let space = Space { world: &level.world, tally: &tally };
    let sweep = |center, motion| space.sweep(center, motion);
    let starts = spots::starts(map, args.walkers, bounds, |center| level.free(center), sweep);
    let steps = (args.seconds * f64::from(walk::STEPS_PER_SECOND)).ceil() as usize;
    let mut crowd = Crowd::new(&starts, steps);
    let solids = Solids::new(map);
    let mut deepest = solids.deepest(&starts);
    let bar = report::progress(args.output, "walking", steps as u64);
    loop {
        let steps = crowd.advance(level, STRIDE);
        if steps == 0 {
            break;
        }
        deepest = crowd.fresh().into_par_iter().map(|centers| solids.deepest(centers)).reduce(|| deepest, f64::max);
        bar.inc(steps as u64);
    }
    bar.finish_and_clear();
    (crowd, deepest)
}

fn plan<'a>(level: &Level, culling: &Culling, trails: &'a [Vec<Vec3>]) -> Plan<'a> {
    let covers = look::covers(level, trails);
    let mut faces = Vec::new();
    for (key, object) in level.brushes.objects() {
        let Shape::Brush(brush) = &object.shape else { continue };
        let sight = if culling.last.binary_search(&key).is_ok() { Sight::Seen } else { Sight::Unseen };
        let cover = covers.get(&key).copied().unwrap_or(Cover::Ground);
        faces.extend(brush.faces().map(|face| PlanFace {
            corners: face.vertices.iter().map(|&vertex| brush.vertices()[vertex].as_vec3()).collect(),
            normal: face.plane.normal.as_vec3(),
            cover,
            sight,
        }));
    }
    let highest = trails.iter().flatten().map(|center| center.z).reduce(f32::max);
    Plan { faces, overhead: highest.unwrap_or(level.high.z), frustum: culling.corners, trails }
}

fn save(canvas: &Canvas, name: &str) -> Result<(), String> {
    canvas.save(&Path::new(FOLDER).join(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use args::Form;

    #[test]
    fn walkers_in_the_embedded_level_stay_out_of_solids_alike_for_any_number_of_threads() {
        let map = Map::parse("level.map", include_bytes!("../level.map")).unwrap();
        for form in [Form::Brushes, Form::Mesh] {
            let level = Level::build(&map, "level.map", form).unwrap();
            let args = Args { map: None, form, walkers: 12, seconds: 8.0, output: Output::Json };
            let run = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let (crowd, deepest) = pool.install(|| walk(&args, &map, &level));
                (crowd.trails(), crowd.tally(), crowd.stuck(), crowd.falls(), deepest.to_bits())
            };
            let alone = run(1);
            assert_eq!((alone.0.len(), alone.2, alone.3, alone.4), (12, 0, 0, 0), "{form:?}");
            assert_eq!(run(3), alone);
        }
    }
}
