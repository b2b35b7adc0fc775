//! `level`: steps of boxes in a level by other authors, on one thread and on two. Ours alone: no peer keeps its boxes
//! inside.

use crate::{args, laps::Laps, pool::pinned, table::number};
use cullide_support::level::{Course, DT, Level, config};
use cullide_world::{BoxStepper, World};
use indicatif::ProgressBar;

const THREADS: [usize; 2] = [1, 2];
const SCENES: [(&str, Course); 2] = [("flying", Course::Flying), ("falling", Course::Falling)];

/// How many times a run plays the steps.
pub const RUNS: usize = SCENES.len() * THREADS.len();

/// Prints a line per scene and number of threads.
pub fn run(options: &args::Level, bar: &ProgressBar) -> Result<(), String> {
    let level = Level::load()?;
    println!("lq_e4m4, {} boxes, {} steps\n", options.n, options.steps);
    println!("{:22}{:>11}{:>11}{:>11}{:>11}{:>11}", "", "threads", "mean ms", "median ms", "worst ms", "speed-up");
    for (name, course) in SCENES {
        let (world, boxes, _) = level.with_bodies(options.n, course, options.seed);
        let mut alone = None;
        for threads in THREADS {
            let pool = pinned(threads);
            let mut laps: Option<Laps> = None;
            for _ in 0..options.runs {
                let run = pool.install(|| play(world.clone(), boxes.clone(), options.steps));
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

/// Times `steps` steps, after as many untimed ones in which the boxes spread out.
fn play(mut world: World, mut boxes: BoxStepper, steps: usize) -> Laps {
    for _ in 0..steps {
        boxes.step(&mut world, DT, &config()).expect("its world");
    }
    let mut laps = Laps::default();
    for _ in 0..steps {
        laps.lap(1, || {
            boxes.step(&mut world, DT, &config()).expect("its world");
        });
    }
    laps
}
