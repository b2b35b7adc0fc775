//! Fifteen seconds in the level, the same whoever computes them: a walk up the stairs, across the terrace, down the ramp
//! and into a pile of crates, throws, a crater, and questions on the way. `script.js` does the same in JavaScript.

use crate::{
    keys,
    level::{Level, SAMPLES, at, bump, height},
};
use cullide_world::{
    Character, DynamicsConfig, Filter, Mover, Object, Shape, ShapeSweep, Target, World,
    glam::{Quat, Vec3},
    narrowphase::{Capsule, Ray, Sphere},
};
use std::error::Error;

const DT: f32 = 1.0 / 60.0;
/// What gravity adds to a fall in a tick.
const FALL: f32 = 0.1640625;
/// How many ticks to walk with which velocity along x and z.
const WALK: [(u32, [f32; 2]); 5] =
    [(60, [0.0, -4.0]), (60, [-4.0, 0.0]), (285, [0.0, -4.0]), (270, [4.0, 0.0]), (240, [0.0, 4.0])];
/// The tick in which the crater is dug, and its centre, radius and depth.
const CRATER: (u32, [f64; 4]) = (240, [24.0, 20.0, 4.5, 3.0]);

/// What the script ends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The hash of the world and its bodies.
    pub world: u64,
    /// A hash of the answers on the way.
    pub answers: u64,
}

/// Answers, folded into one number (FNV-1a over words).
struct Fold(u64);

impl Fold {
    fn word(&mut self, word: u32) {
        self.0 = (self.0 ^ u64::from(word)).wrapping_mul(0x100_0000_01b3);
    }

    fn float(&mut self, float: f32) {
        self.word(float.to_bits());
    }

    fn target(&mut self, target: Target) {
        self.word(keys::of_target(target) as i64 as u32);
    }
}

/// Runs the script.
///
/// # Errors
/// None, or the level is wrong.
pub fn run() -> Result<Outcome, Box<dyn Error>> {
    let (mut level, mut fold) = (Level::new()?, Fold(0xcbf2_9ce4_8422_2325));
    let body = Capsule::from_half_axis(Vec3::new(0.0, 0.9375, 8.0), Vec3::Y * 0.6, 0.3)?;
    let (mut hero, mover) = (Character::new(body), Mover::default());
    hero.object = Some(level.world.insert(Object::moving(body)));
    let ways = WALK.iter().flat_map(|&(ticks, way)| (0..ticks).map(move |_| way));
    for (tick, [x, z]) in (0..).zip(ways) {
        happen(&mut level, tick)?;
        let y = if hero.is_on_ground() { 0.0 } else { hero.velocity.y - FALL };
        hero.velocity = Vec3::new(x, y, z);
        level.dynamics.walk(&level.world, &mover, &mut hero, DT, &Filter::ALL)?;
        hero.place(&mut level.world);
        level.dynamics.step(&mut level.world, DT, &DynamicsConfig::default())?;
        if tick % 60 == 0 {
            look(&level.world, &mut fold)?;
        }
    }
    hero.position().to_array().into_iter().for_each(|float| fold.float(float));
    Ok(Outcome { world: level.world.hash() ^ level.dynamics.hash(&level.world).rotate_left(1), answers: fold.0 })
}

/// What happens at the beginning of a tick.
fn happen(level: &mut Level, tick: u32) -> Result<(), Box<dyn Error>> {
    let thrown = match tick {
        60 => Some((level.ball.clone(), Vec3::new(4.0, 2.0, -5.0), Vec3::new(20.0, 2.0, 8.0), Vec3::ZERO)),
        120 => {
            Some((level.crate_.clone(), Vec3::new(0.0, 2.0, 6.0), Vec3::new(12.0, 2.0, 0.0), Vec3::new(2.0, 4.0, 6.0)))
        }
        _ => None,
    };
    if let Some((shape, at, velocity, spin)) = thrown {
        let key = level.drop(&shape, at, Quat::IDENTITY)?;
        level.dynamics.body_mut(&level.world, key).expect("dropped just now").set_velocity(velocity, spin)?;
    }
    if tick == CRATER.0 {
        let [x, z, radius, depth] = CRATER.1;
        let heights = (0..SAMPLES).flat_map(|row| (0..SAMPLES).map(move |column| (at(column), at(row))));
        let heights =
            heights.map(|(at_x, at_z)| (height(at_x, at_z) - depth * bump(at_x - x, at_z - z, radius)) as f32);
        let heights: Vec<f32> = heights.collect();
        let edited = level
            .world
            .object_mut(level.terrain)
            .and_then(|mut object| object.edit_terrain(|terrain| terrain.edit(0..SAMPLES, 0..SAMPLES, &heights)));
        edited.ok_or("no terrain")??;
    }
    Ok(())
}

/// Asks and folds the answers: rays in all directions, what is about the pile, what is nearest, how far a ball gets.
fn look(world: &World, fold: &mut Fold) -> Result<(), Box<dyn Error>> {
    for i in 0..64u8 {
        let [x, z] = [i % 8, i / 8].map(|side| f32::from(side) - 3.5);
        let ray = Ray::new(Vec3::new(0.0, 1.5, 0.0), Vec3::new(x, -0.125, z))?;
        if let Some(hit) = world.cast_ray(&ray, 60.0, &Filter::ALL) {
            fold.target(hit.target);
            [hit.distance, hit.point.x, hit.normal.y].into_iter().for_each(|float| fold.float(float));
        }
    }
    let ball = Shape::from(Sphere::new(Vec3::new(14.0, 1.0, -1.0), 2.5)?);
    let (mut targets, mut near) = (vec![], vec![]);
    world.overlap(&ball, &Filter::ALL.moving_only(), &mut targets);
    targets.into_iter().for_each(|target| fold.target(target));
    world.nearest(Vec3::new(6.0, 1.0, 2.0), 50.0, 4, &Filter::ALL, &mut near);
    for near in near {
        fold.target(near.target);
        fold.float(near.distance);
    }
    let sweep = ShapeSweep::new(&ball, Vec3::new(-30.0, 0.0, 0.0))?;
    fold.float(world.sweep(&sweep, &Filter::ALL.fixed_only()).translation.x);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With `CULLIDE_WRITE=1` the file is written. Node and the browser compare their hashes with it.
    #[test]
    fn script_ends_on_the_hashes_that_the_page_expects() -> Result<(), Box<dyn Error>> {
        let outcome = run()?;
        let found = format!("{:016x} {:016x}\n", outcome.world, outcome.answers);
        if std::env::var_os("CULLIDE_WRITE").is_some() {
            std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/page/native.txt"), &found)?;
        }
        assert_eq!(found, include_str!("../page/native.txt"));
        Ok(())
    }
}
