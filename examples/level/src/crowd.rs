//! All walkers of a run. They ignore each other, so they step in parallel.

use std::time::{Duration, Instant};

use cullide_world::glam::Vec3;
use rayon::prelude::*;

use crate::level::Level;
use crate::space::{Space, Tally};
use crate::walk::Walker;

/// A walker that is this far below the level, in units, has left it.
const LOST: f32 = 100.0;

/// The number of positions kept until they are examined, 48 megabytes: the more walkers, the fewer steps at once.
const POSITIONS: usize = 4_000_000;

/// The number of points of all trails together: more cannot be distinguished on the plan.
const TRAIL_POINTS: usize = 1_000_000;

/// The walkers of a level.
pub struct Crowd {
    members: Vec<Member>,
    steps: usize,
    /// The number of steps between points of the trails.
    stride: usize,
    done: usize,
    /// Time spent in steps.
    pub time: Duration,
}

struct Member {
    walker: Walker,
    start: Vec3,
    /// All positions of the last advance.
    fresh: Vec<Vec3>,
    trail: Vec<Vec3>,
    tally: Tally,
    falls: usize,
}

impl Crowd {
    /// Creates walkers at `starts`, which will make `steps` steps each.
    pub fn new(starts: &[Vec3], steps: usize) -> Self {
        let member = |(seed, &start): (usize, &Vec3)| Member {
            walker: Walker::new(start, seed as u64),
            start,
            fresh: Vec::new(),
            trail: vec![start],
            tally: Tally::default(),
            falls: 0,
        };
        let members: Vec<Member> = starts.iter().enumerate().map(member).collect();
        let stride = (members.len() * steps).div_ceil(TRAIL_POINTS).max(1);
        Self { members, steps, stride, done: 0, time: Duration::ZERO }
    }

    /// Lets every walker make its next steps, at most `most` of them, and returns how many: 0 at the end of the run.
    pub fn advance(&mut self, level: &Level, most: usize) -> usize {
        let room = (POSITIONS / self.members.len().max(1)).max(1);
        let steps = (self.steps - self.done).min(room).min(most);
        let start = Instant::now();
        self.members.par_iter_mut().for_each(|member| member.advance(level, steps));
        self.time += start.elapsed();
        for step in (self.done..self.done + steps).filter(|step| (step + 1) % self.stride == 0) {
            for member in &mut self.members {
                member.trail.push(member.fresh[step - self.done]);
            }
        }
        self.done += steps;
        steps
    }

    /// All positions that each walker reached in the last [`Crowd::advance`].
    pub fn fresh(&self) -> Vec<&[Vec3]> {
        self.members.iter().map(|member| &member.fresh[..]).collect()
    }

    /// Where each walker was.
    pub fn trails(&self) -> Vec<Vec<Vec3>> {
        self.members.iter().map(|member| member.trail.clone()).collect()
    }

    /// The number of steps of each walker over the whole run.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// The number of sweeps and walks requested, and of contacts met.
    pub fn tally(&self) -> (u64, u64) {
        let sum = |count: fn(&Tally) -> u64| self.members.iter().map(|member| count(&member.tally)).sum();
        (sum(|tally| tally.sweeps.get()), sum(|tally| tally.contacts.get()))
    }

    pub fn stuck(&self) -> usize {
        self.members.iter().filter(|member| member.walker.was_stuck()).count()
    }

    /// How often walkers fell out of the level.
    pub fn falls(&self) -> usize {
        self.members.iter().map(|member| member.falls).sum()
    }
}

impl Member {
    fn advance(&mut self, level: &Level, steps: usize) {
        self.fresh.clear();
        let space = Space { world: &level.world, tally: &self.tally };
        for _ in 0..steps {
            self.walker.step(&space);
            if self.walker.center().z < level.low.z - LOST {
                self.walker.put(self.start);
                self.falls += 1;
            }
            self.fresh.push(self.walker.center());
        }
    }
}
