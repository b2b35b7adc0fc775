//! A custom solver over the contacts of a world: sequential impulses, warm-started by the features of the points.
//!
//! `cargo run --release -p own_solver` stacks ten crates, and prints the height of the stack and how fast it still
//! moves.
//!
//! Source: Catto, "Iterative Dynamics with Temporal Coherence", GDC 2005.

use cullide_world::{
    ContactTracker, Object, ObjectKey, Shape, Target, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Error, Obb},
};
use std::collections::HashMap;

const CRATES: u8 = 10;
const DT: f32 = 1.0 / 120.0;
const FRICTION: f32 = 0.6;
/// How far crates may penetrate, and the fraction of any deeper penetration that is undone in a step.
const SLOP: f32 = 0.002;
const PUSH: f32 = 0.2;

/// A cube of edge 1 and mass 1, whose inertia is the same about all axes.
#[derive(Clone, Copy)]
struct Crate {
    key: ObjectKey,
    center: Vec3,
    turn: Quat,
    velocity: Vec3,
    spin: Vec3,
}

/// The reciprocal of the inertia.
const INVERSE_INERTIA: f32 = 6.0;

/// Identifies a contact point: two objects, a part of each, and the feature of the point where these touch.
type Name = (ObjectKey, Target, [u32; 3]);

/// A contact point between two crates, or a crate and the floor.
struct Row {
    bodies: [Option<usize>; 2],
    arms: [Vec3; 2],
    axes: [Vec3; 3],
    bias: f32,
    /// Along the axes: normal impulse, and friction in two directions.
    impulses: [f32; 3],
    name: Name,
}

fn main() -> Result<(), Error> {
    let mut world = World::new();
    world.insert(Object::fixed(Aabb::new(Vec3::new(-9.0, -1.0, -9.0), Vec3::new(9.0, 0.0, 9.0))?));
    let mut crates = Vec::new();
    for i in 0..CRATES {
        let (center, turn) = (Vec3::Y * (0.5 + 1.01 * f32::from(i)), Quat::from_rotation_y(0.1 * f32::from(i)));
        let key = world.insert(Object::moving(Obb::new(center, turn, Vec3::splat(0.5))?));
        crates.push(Crate { key, center, turn, velocity: Vec3::ZERO, spin: Vec3::ZERO });
    }
    let (mut tracker, mut known) = (ContactTracker::new(), HashMap::new());
    for _ in 0..1200 {
        tracker.update(&mut world, DT, 0.02);
        crates.iter_mut().for_each(|body| body.velocity.y -= 9.81 * DT);
        let mut rows = rows(&tracker, &crates, &known);
        for row in &mut rows {
            let warm = std::mem::take(&mut row.impulses);
            (0..3).for_each(|axis| push(&mut crates, row, axis, warm[axis]));
        }
        for _ in 0..20 {
            rows.iter_mut().for_each(|row| solve(&mut crates, row));
        }
        known = rows.iter().map(|row| (row.name, row.impulses)).collect();
        for body in &mut crates {
            body.center += body.velocity * DT;
            body.turn = (Quat::from_scaled_axis(body.spin * DT) * body.turn).normalize();
            world.object_mut(body.key).unwrap().set_shape(Shape::from(Obb::new(
                body.center,
                body.turn,
                Vec3::splat(0.5),
            )?));
        }
    }
    let top = crates.last().map_or(0.0, |top| top.center.y + 0.5);
    let fastest = crates.iter().map(|body| body.velocity.length()).fold(0.0, f32::max);
    assert!((top - f32::from(CRATES)).abs() < 0.1 && fastest < 0.05, "{top} {fastest}");
    println!(
        "{CRATES} crates stand {top:.2} high after {:.0} seconds; the fastest moves {fastest:.4} a second",
        1200.0 * DT
    );
    Ok(())
}

/// Returns a row for each point of all contacts, with its impulses from the last step.
fn rows(tracker: &ContactTracker, crates: &[Crate], known: &HashMap<Name, [f32; 3]>) -> Vec<Row> {
    let body = |target: Target| crates.iter().position(|body| target == body.key.into());
    let mut rows = Vec::new();
    for pair in tracker.contacts() {
        for part in pair.parts() {
            let normal = part.manifold.normal();
            let (u, v) = normal.any_orthonormal_pair();
            rows.extend(part.manifold.points().iter().map(|point| {
                let name = (pair.first, pair.second, [part.first_part, part.part, point.feature]);
                let deep = (point.separation + SLOP).min(0.0);
                Row {
                    bodies: [body(pair.first.into()), body(pair.second)],
                    arms: [point.from_first, point.from_second],
                    axes: [normal, u, v],
                    // Bodies that are apart may close the gap within the step.
                    bias: if point.separation > 0.0 { point.separation / DT } else { PUSH * deep / DT },
                    impulses: known.get(&name).copied().unwrap_or_default(),
                    name,
                }
            }));
        }
    }
    rows
}

/// Updates the impulses of a row.
fn solve(crates: &mut [Crate], row: &mut Row) {
    for axis in 0..3 {
        let direction = row.axes[axis];
        let (mut speed, mut yielding) = (0.0, 0.0);
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let Some(body) = row.bodies[side] else { continue };
            let (body, across) = (crates[body], row.arms[side].cross(direction));
            speed += sign * direction.dot(body.velocity + body.spin.cross(row.arms[side]));
            yielding += 1.0 + INVERSE_INERTIA * across.length_squared();
        }
        let bias = if axis == 0 { row.bias } else { 0.0 };
        let wanted = row.impulses[axis] - (speed + bias) / yielding;
        let most = FRICTION * row.impulses[0];
        let new = if axis == 0 { wanted.max(0.0) } else { wanted.clamp(-most, most) };
        let change = new - row.impulses[axis];
        push(crates, row, axis, change);
    }
}

/// Pushes the two bodies of a row apart along an axis.
fn push(crates: &mut [Crate], row: &mut Row, axis: usize, impulse: f32) {
    row.impulses[axis] += impulse;
    for (side, sign) in [(0, -1.0), (1, 1.0)] {
        let Some(body) = row.bodies[side] else { continue };
        let impulse = row.axes[axis] * (sign * impulse);
        crates[body].velocity += impulse;
        crates[body].spin += row.arms[side].cross(impulse) * INVERSE_INERTIA;
    }
}
