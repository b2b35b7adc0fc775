//! The way of a body that is fast for its size among many parts.
//!
//! ```text
//!   where a ball around the body touches nothing, it goes straight on             free_share
//!   from there a piece as long as the body, with everything around it            guard
//!   and so on; what it grazes, it slides along
//! ```
//! A box over the whole way would contain parts by the square of its length, and most of them far from the way.

use super::{
    beside::NearbyObstacles,
    guard::{Way, rounding_of},
    obstacle::Fixed,
};
use crate::{
    World,
    contact::cache::reach_of,
    dynamics::{BodyState, Dynamics, body::pose::BodyShape},
    scene::planes::MotionBounds,
    shape::way::StraightWay,
};
use cullide_narrowphase::{BodyWay, Mapped, Sphere, SphereSweep, Sweep, glam::Vec3};

/// The limit on pieces beside something, and on those that are pushed back; after these a body stays there until the
/// next step.
const PIECES: usize = 32;
const PUSHES: usize = 3;

/// What is pushed back by more than this share of a piece has hit something, and stays there until the next step; what is
/// pushed back less slides along it.
const HIT: f32 = 0.25;

/// The least and the greatest length of a piece, in radii of the body: each is twice as long as the one before, unless
/// that was pushed back.
const PIECE: [f32; 2] = [2.0, 8.0];

/// How far beyond a piece things are listed, as a share of the body's radius.
const AROUND: f32 = 0.5;

impl Dynamics {
    /// The way of a body, taken piece by piece; `None` if its object is gone, or beyond the range of coordinates.
    pub(super) fn long_way(&self, world: &World, state: &BodyState, motion: Vec3, rotation: Vec3) -> Option<Way> {
        let mut there = BodyState { pairs: Default::default(), ..state.clone() };
        let (mut time, mut ahead, mut turned, mut is_cut, mut pushes) = (0.0f32, motion, Vec3::ZERO, false, 0);
        let [least, most] = PIECE.mapped(|radii| radii * state.radius);
        let mut length = least;
        for _ in 0..PIECES {
            let share = self.free_share(world, &there, ahead * (1.0 - time))? * (1.0 - time);
            there.shape = there.shape.moved(ahead * share, rotation * share)?.resized(state.sizes);
            (time, turned) = (time + share, turned + rotation * share);
            if time >= 1.0 {
                break;
            }
            let share = (length / ahead.length().max(f32::MIN_POSITIVE)).min(1.0 - time);
            let way = self.piece(world, &mut there, ahead * share, rotation * share)?;
            (is_cut, time, turned) = (way.is_cut, time + share, turned + way.rotation);
            let pushed = way.motion - ahead * share;
            there.shape = way.end;
            length = (2.0 * length).min(most);
            let is_hit = pushed.length() > HIT * share * ahead.length();
            if let Some(normal) = pushed.try_normalize() {
                (pushes, length) = (pushes + 1, least);
                ahead -= normal * ahead.dot(normal).min(0.0);
            }
            if is_cut || is_hit || pushes == PUSHES {
                break;
            }
        }
        let end: BodyShape = there.shape;
        let is_whole = pushes == 0 && !is_cut && time >= 1.0;
        let motion = if is_whole { motion } else { end.center() - state.shape.center() };
        Some(Way { motion, rotation: turned, turn: None, wanted: [Vec3::ZERO; 2], end, is_cut })
    }

    /// A piece of the way of a body from where it is.
    fn piece(&self, world: &World, there: &mut BodyState, motion: Vec3, rotation: Vec3) -> Option<Way> {
        let aabb = there.shape.aabb();
        let room = AROUND * there.radius + there.radius * rotation.length().min(2.0);
        there.reach = reach_of(&aabb, motion, 1.0, room);
        let end = there.shape.moved(motion, rotation)?.resized(there.sizes);
        let (below, above) = (aabb.min() - there.reach.min(), there.reach.max() - aabb.max());
        let near = NearbyObstacles::in_box(there.reach, self.obstacles_near(world, there, [below, above])?);
        self.beside(world, there, near, [motion, rotation], &end)
    }

    /// The share of a motion on which a ball around a body touches nothing fixed, however the body turns. `None` if its
    /// object is gone.
    fn free_share(&self, world: &World, state: &BodyState, motion: Vec3) -> Option<f32> {
        let rounding = rounding_of(state) as f32;
        let ball = Sphere::new(state.shape.center(), state.radius + rounding).ok()?;
        let sweep = SphereSweep::new(ball, motion).ok()?;
        let (around, body) = (ball.aabb(), BodyWay::from(&sweep));
        let way = StraightWay { around: &around, motion, body: &|| &body };
        let mut first = 1.0f32;
        let time = |sweep: Sweep| match sweep {
            Sweep::Clear => 1.0,
            Sweep::Hit(hit) => hit.toi,
            Sweep::Overlap(_) => 0.0,
        };
        let bounds = MotionBounds::of_ball(ball.center(), ball.radius(), motion);
        self.each_plane(world, state, &bounds, |plane| {
            if let Fixed::Plane(plane, sides) = plane {
                first = first.min(time(sweep.against_plane(plane, sides)));
            }
        })?;
        self.each_fixed(world, state, &around.swept(motion)?, |object| {
            object.shape.parts_along(&way, first, &mut |_, part, filtered| {
                first = first.min(time(sweep.against_part(&part, first, filtered)));
                first
            });
        })?;
        // It stays apart by more than rounding takes.
        let apart = 4.0 * rounding / motion.length().max(f32::MIN_POSITIVE);
        Some(if first < 1.0 { (first - apart).max(0.0) } else { 1.0 })
    }
}
