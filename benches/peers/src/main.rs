//! Cullide beside other libraries, on the same boxes and questions in one process. The README explains how to read the
//! tables.

mod agree;
mod args;
mod bumpy;
mod capsule_peer;
mod capsule_truth;
mod capsules;
mod convex_peer;
mod convexes;
mod instructions;
mod laps;
mod leaf;
mod level;
mod memory;
mod mesh_peer;
mod mesh_queries;
mod mesh_question;
mod mesh_scene;
mod mesh_truth;
mod moving_boxes;
mod moving_peer;
mod neighbours;
mod peer;
mod peers;
mod pile;
mod pile_census;
mod pile_peer;
mod pile_scene;
mod plane_sweeps;
mod pool;
mod question;
mod report;
mod report_figures;
mod report_picture;
mod room;
mod room_peer;
mod scene_peer;
mod scene_queries;
mod static_boxes;
mod sweep_peer;
mod sweep_truth;
mod table;
mod truth;

use args::{
    Bumpy, Capsules, Convexes, Level, Meshes, Moving, Piles, Report, Request, Room, Scene, Scenes, Static, Sweep,
};
use cullide_scenes as scenes;
use indicatif::{ProgressBar, ProgressStyle};
use peer::Bounds;
use std::{io::IsTerminal, path::Path, process::ExitCode};

#[global_allocator]
static HEAP: memory::Counting = memory::Counting;

fn main() -> ExitCode {
    let done = args::parse(std::env::args_os().skip(1)).and_then(|(request, instructions)| {
        instructions.allow()?;
        run(request)
    });
    done.map_or_else(
        |error| {
            eprintln!("peers: {error}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

fn run(request: Request) -> Result<(), String> {
    match request {
        Request::Help => {
            println!("{}", args::USAGE);
            Ok(())
        }
        Request::Static(options) => run_static(&options),
        Request::Scene(options) => run_scene(&options),
        Request::Moving(options) => run_moving(&options),
        Request::Room(options) => run_room(&options),
        Request::Bumpy(options) => run_bumpy(&options),
        Request::Pile(options) => run_pile(&options),
        Request::Sweep(options) => run_sweep(&options),
        Request::Capsule(options) => run_capsule(&options),
        Request::Convex(options) => run_convex(&options),
        Request::Level(options) => run_level(&options),
        Request::Mesh(options) => run_mesh(&options),
        Request::Report(options) => run_report(&options),
    }
}

fn run_static(options: &Static) -> Result<(), String> {
    let chosen = if options.scenes.is_empty() { Scene::all() } else { options.scenes.clone() };
    let loaded: Vec<(String, Vec<Bounds>)> =
        chosen.iter().map(|scene| load(scene, options.seed)).collect::<Result<_, _>>()?;
    print_heading(&format!("least of {} runs, one thread", options.runs));
    let steps = loaded.len() * options.runs * peer::competitors().len() * static_boxes::STEPS;
    let bar = progress(steps);
    let wrong: usize = loaded.into_iter().map(|(title, boxes)| static_boxes::run(title, &boxes, options, &bar)).sum();
    bar.finish_and_clear();
    if wrong > 0 { Err(format!("{wrong} of our answers are wrong")) } else { Ok(()) }
}

fn run_scene(options: &Scenes) -> Result<(), String> {
    use_one_thread()?;
    print_heading(&format!("least of {} runs, one thread", options.runs));
    let bar = progress(options.scenes.len() * options.runs * scene_queries::STEPS);
    for scene in &options.scenes {
        let (title, boxes) = load(scene, options.seed)?;
        scene_queries::run(&title, &boxes, options, &bar);
    }
    bar.finish_and_clear();
    Ok(())
}

fn run_moving(options: &Moving) -> Result<(), String> {
    use_one_thread()?;
    print_heading(&format!("least of {} runs for each frame, one thread", options.runs));
    let bar = progress(options.motions.len() * options.sizes.len() * options.runs * moving_peer::competitors().len());
    let scenes = options.motions.iter().flat_map(|motion| options.sizes.iter().map(move |&n| (*motion, n)));
    let wrong: usize = scenes.map(|(motion, n)| moving_boxes::run(motion, n, options, &bar)).sum();
    bar.finish_and_clear();
    if wrong > 0 { Err(format!("{wrong} of our pairs are wrong")) } else { Ok(()) }
}

fn run_room(options: &Room) -> Result<(), String> {
    use_one_thread()?;
    print_heading(&format!("least of {} runs for each step, one thread", options.runs));
    let cases: Vec<_> = options.speeds.iter().flat_map(|v| options.spins.iter().map(move |w| (*v, *w))).collect();
    let bar = progress(cases.len() * options.runs * room_peer::competitors().len());
    let outside: usize = cases.into_iter().map(|(speed, spin)| room::run(speed, spin, options, &bar)).sum();
    bar.finish_and_clear();
    if outside > 0 { Err(format!("{outside} of our boxes are outside their rooms")) } else { Ok(()) }
}

fn run_bumpy(options: &Bumpy) -> Result<(), String> {
    use_one_thread()?;
    print_heading(&format!("least of {} runs for each step, one thread", options.runs));
    let bar = progress(bumpy::RUNS * options.runs);
    let inside = bumpy::run(options, &bar);
    bar.finish_and_clear();
    if inside > 0 { Err(format!("{inside} of our crates are in the ground")) } else { Ok(()) }
}

fn run_pile(options: &Piles) -> Result<(), String> {
    use_one_thread()?;
    print_heading(&format!("least of {} runs for each step, one thread", options.runs));
    let bar = progress(options.piles.len() * options.runs * pile_peer::competitors().len());
    options.piles.iter().for_each(|pile| pile::run(*pile, options, &bar));
    bar.finish_and_clear();
    Ok(())
}

fn run_sweep(options: &Sweep) -> Result<(), String> {
    print_heading(&format!("least of {} runs, one thread", options.runs));
    let bar = progress(options.runs * sweep_peer::Question::ALL.len() * sweep_peer::COMPETITORS);
    let wrong = plane_sweeps::run(options, &bar);
    bar.finish_and_clear();
    if wrong > 0 { Err(format!("{wrong} of our answers are wrong")) } else { Ok(()) }
}

fn run_capsule(options: &Capsules) -> Result<(), String> {
    print_heading(&format!("least of {} runs, one thread", options.runs));
    let bar = progress(options.runs * capsules::STEPS);
    let wrong = capsules::run(options, &bar);
    bar.finish_and_clear();
    if wrong > 0 { Err(format!("{wrong} of our answers are wrong")) } else { Ok(()) }
}

fn run_convex(options: &Convexes) -> Result<(), String> {
    print_heading(&format!("least of {} runs, one thread", options.runs));
    let bar = progress(options.runs * convexes::steps());
    convexes::run(options, &bar);
    bar.finish_and_clear();
    Ok(())
}

fn run_level(options: &Level) -> Result<(), String> {
    print_heading(&format!("least of {} runs for each step", options.runs));
    let bar = progress(level::RUNS * options.runs);
    let done = level::run(options, &bar);
    bar.finish_and_clear();
    done
}

fn run_mesh(options: &Meshes) -> Result<(), String> {
    use_one_thread()?;
    options.embree4.as_deref().map_or(Ok(()), load_embree4)?;
    print_heading(&format!("least of {} runs, one thread", options.runs));
    let steps = options.scenes.len() * options.runs * mesh_peer::competitors().len() * mesh_queries::STEPS;
    let bar = progress(steps);
    let mut wrong = 0;
    for scene in &options.scenes {
        wrong += mesh_queries::run(&mesh_scene::MeshScene::load(scene, options.seed)?, options, &bar);
    }
    bar.finish_and_clear();
    if wrong > 0 { Err(format!("{wrong} of our answers are wrong")) } else { Ok(()) }
}

fn run_report(options: &Report) -> Result<(), String> {
    let bar = progress(report::STEPS);
    // On the one thread itself: to hand over a few microseconds' work would take as long.
    let done = pool::pinned(1).install(|| report::run(options, &processor(), &bar));
    bar.finish_and_clear();
    done
}

/// Restricts everyone to one thread; ours would otherwise use all of them.
fn use_one_thread() -> Result<(), String> {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().map_err(|error| error.to_string())
}

/// The title and the boxes of a scene.
fn load(scene: &Scene, seed: u64) -> Result<(String, Vec<Bounds>), String> {
    let (name, boxes) = match scene {
        Scene::Uniform(n) => ("uniform", scenes::uniform(*n, seed)),
        Scene::City(n) => ("city", scenes::city(*n, seed)),
        Scene::File(name) => {
            let folder = scenes::data_dir();
            let boxes = scenes::bounds(name).map_err(|error| {
                format!("{name}: {error} ({} is not the folder of shared data: set CULLIDE_DATA)", folder.display())
            })?;
            (name.as_str(), boxes)
        }
    };
    if boxes.is_empty() {
        Err(format!("{name} has no boxes"))
    } else {
        Ok((format!("{name}, {} boxes", boxes.len()), boxes))
    }
}

/// Prints what is above the tables: the processor, how it is timed, and which instructions run.
fn print_heading(timing: &str) {
    println!("{}, {timing}\nours: {}", processor(), instructions::ours());
    #[cfg(feature = "embree")]
    println!("{}", peers::embree::describe());
    println!();
}

/// Loads Embree 4 from a shared library.
#[cfg(feature = "embree")]
fn load_embree4(path: &Path) -> Result<(), String> {
    peers::embree::load_four(path)
}

#[cfg(not(feature = "embree"))]
fn load_embree4(_: &Path) -> Result<(), String> {
    Err("--embree4 needs the feature embree".into())
}

/// The processor's name, if the system provides it.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    line.and_then(|line| line.split(": ").nth(1)).unwrap_or(std::env::consts::ARCH).into()
}

/// A progress bar on stderr, or one that draws nothing if stderr is not a terminal.
fn progress(steps: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{msg:24} {bar:40} {pos}/{len} {eta}");
    ProgressBar::new(steps as u64).with_style(style.expect("the template is a constant"))
}
