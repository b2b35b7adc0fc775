//! `level`: steps of boxes in a level that others made, on one thread and on two. Ours alone: no peer keeps its boxes in there.

use crate::{args, laps::Laps, table::number};
use cullide_narrowphase::{
    Brush, Obb,
    glam::{DVec3, Vec3},
};
use cullide_scenes::{Thrown, data_dir, map_brushes, map_spots, thrown};
use cullide_world::{Body, Filter, Object, Response, StepConfig, World};
use indicatif::ProgressBar;

const MAP: &str = "librequake/lq_e4m4.map";
const DT: f32 = 1.0 / 60.0;
const THREADS: [usize; 2] = [1, 2];

/// The layer of the level, and that of the boxes, which pair with the level alone.
const SOLID: u32 = 0b01;
const THROWN: u32 = 0b10;

/// Boxes that fly on without loss, all of them in motion, and boxes that fall and come to rest.
const SCENES: [(&str, Response, f32); 2] = [
    ("flying", Response::Bounce { restitution: 1.0, friction: 0.0 }, 0.0),
    ("falling", Response::Bounce { restitution: 0.4, friction: 0.4 }, 1.0),
];

/// How often the steps are played in a run.
pub const RUNS: usize = SCENES.len() * THREADS.len();

/// Prints a line a scene and a number of threads.
pub fn run(options: &args::Level, bar: &ProgressBar) -> Result<(), String> {
    let (level, bodies) = load(options)?;
    println!("lq_e4m4, {} boxes, {} steps\n", options.n, options.steps);
    println!("{:22}{:>11}{:>11}{:>11}{:>11}{:>11}", "", "threads", "mean ms", "median ms", "worst ms", "speed-up");
    for (name, response, gravity_scale) in SCENES {
        let mut alone = None;
        for threads in THREADS {
            let pool =
                rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| error.to_string())?;
            let mut laps: Option<Laps> = None;
            for _ in 0..options.runs {
                let run = pool.install(|| play(&level, &bodies, response, gravity_scale, options.steps));
                laps = Some(match laps {
                    Some(earlier) => earlier.least(run),
                    None => run,
                });
                bar.inc(1);
            }
            let laps = laps.unwrap_or_default();
            let [mean, median, worst] = [Laps::mean, Laps::median, Laps::worst].map(|of| of(&laps) / 1e6);
            let speed_up = *alone.get_or_insert(mean) / mean;
            let cells = [mean, median, worst, speed_up].map(|x| number(Some(x)));
            let line: String = cells.iter().map(|cell| format!("{cell:>11}")).collect();
            bar.suspend(|| println!("{name:22}{threads:>11}{line}"));
        }
    }
    Ok(())
}

/// The level, and boxes where its things stand and there is room.
fn load(options: &args::Level) -> Result<(World, Vec<Thrown>), String> {
    let path = data_dir().join(MAP);
    let fail = |error| format!("{}: {error} (set CULLIDE_DATA to the folder of shared data)", path.display());
    let mut world = World::new();
    for faces in map_brushes(&path).map_err(fail)? {
        let faces: Vec<_> = faces.iter().map(|points| points.map(DVec3::from)).collect();
        let brush = Brush::from_point_triples(&faces).map_err(|error| error.to_string())?;
        world.insert(Object::fixed(brush).layers(SOLID).pairs_with(THROWN));
    }
    world.optimize();
    let has_room = |spot: &[f32; 3]| {
        let around = Obb::from_half_edges(Vec3::from(*spot), Vec3::AXES.map(|axis| axis * 18.0));
        around.is_ok_and(|around| world.depenetrate(&around, &Filter::ALL) == Some(around.center()))
    };
    let spots: Vec<_> = map_spots(&path).map_err(fail)?.into_iter().filter(has_room).collect();
    Ok((world, thrown(&spots, options.n, options.seed)))
}

/// The times of steps, after as many others in which the boxes leave each other.
fn play(level: &World, bodies: &[Thrown], response: Response, gravity_scale: f32, steps: usize) -> Laps {
    let mut world = level.clone();
    for thrown in bodies {
        let [center, a, b, c] = thrown.obb.map(Vec3::from);
        let pose = Obb::from_half_edges(center, [a, b, c]).expect("a box");
        let key = world.insert(Object::moving(pose).layers(THROWN).pairs_with(SOLID));
        let (velocity, angular_velocity) = (thrown.velocity.into(), thrown.spin.into());
        let body = Body { velocity, angular_velocity, response, gravity_scale };
        assert_eq!(world.set_body(key, body), Ok(true), "the object was inserted just now");
    }
    let gravity = Vec3::NEG_Z * 800.0;
    let config = StepConfig { gravity, skin: 0.01, restitution_speed: 20.0, rest_speed: 1.0, ..StepConfig::default() };
    for _ in 0..steps {
        world.step(DT, &config);
    }
    let mut laps = Laps::default();
    for _ in 0..steps {
        laps.lap(1, || {
            world.step(DT, &config);
        });
    }
    laps
}
