//! A body's whole move, sliding along what it meets.
//!
//! At a stop, every surface that holds the body narrows its motion `u` to the half-space `N · x >= 0`; together they leave a cone, and
//! the body goes on with the point of the cone nearest to `u`. That point is found exactly, over all faces and edges of the cone,
//! so it does not depend on the order in which surfaces were met, and a slide that exists is never lost. (Clipping one plane after
//! another, as Quake does, stops dead in some of the corners that can be left.)
//!
//! Source: Moreau, "Décomposition orthogonale d'un espace hilbertien selon deux cônes mutuellement polaires" (1962).

use crate::{BodyOverlap, Filter, Target, World, tuning};
use cullide_narrowphase::{
    BoxSweep, Obb,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;

/// Where a slide ends and what it met.
#[derive(Clone, Debug, PartialEq)]
pub struct Slide {
    /// The centre of the box at the end; it penetrates nothing there.
    pub position: Vec3,
    /// What is left of the motion's direction and length per step after all contacts: the motion to go on with. Zero for a body
    /// that is held.
    pub motion: Vec3,
    /// What it met, in order; a surface met twice is listed twice.
    pub contacts: SmallVec<[SlideContact; 4]>,
    /// What the box overlapped at the start and could not be pushed out of; then it has not moved.
    pub overlap: Option<BodyOverlap>,
}

/// A surface that a sliding body met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlideContact {
    /// What it met.
    pub target: Target,
    /// Unit normal of the surface.
    pub normal: Vec3,
    /// The centre of the box when it met it.
    pub position: Vec3,
}

/// How a slide goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlideOptions {
    /// The most sub-steps, each to the next surface. When they run out the body stops, which is safe.
    pub max_steps: usize,
}

impl Default for SlideOptions {
    fn default() -> Self {
        Self { max_steps: tuning::SLIDE_STEPS }
    }
}

impl World {
    /// Moves a box, letting it slide along what it meets until its motion is used up. A box that overlaps something at the start is
    /// first pushed out, as by [`World::depenetrate`].
    ///
    /// ```
    /// # use cullide_world::{Filter, SlideOptions, World, narrowphase::{BoxSweep, Obb, Plane}, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?, 0b1);
    /// let body = Obb::new(Vec3::Y * 2.0, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// let slide = world.slide_box(&BoxSweep::new(body, Vec3::new(4.0, -1.0, 0.0))?, &Filter::ALL, &SlideOptions::default());
    /// assert!(slide.position.distance(Vec3::new(4.0, 2.0, 0.0)) < 1e-4 && slide.position.y >= 2.0);
    /// assert_eq!(slide.contacts[0].target, floor.into());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn slide_box(&self, sweep: &BoxSweep, filter: &Filter, options: &SlideOptions) -> Slide {
        let mut slide =
            Slide { position: sweep.body().center(), motion: sweep.motion(), contacts: SmallVec::new(), overlap: None };
        // What holds the body where it is, and the motion that it came there with.
        let mut held = Held { motion: sweep.motion().as_dvec3(), surfaces: SmallVec::new() };
        let mut left = 1.0;
        let mut is_recovered = false;
        for _ in 0..options.max_steps {
            let free = held.free_motion();
            slide.motion = free.as_vec3();
            let Some(step) = step(sweep.body(), slide.position, free * left) else { break };
            let swept = self.sweep_box(&step, filter);
            if let Some(overlap) = swept.overlap {
                match self.depenetrate(step.body(), filter).filter(|_| !is_recovered) {
                    Some(position) => slide.position = position,
                    None => slide.overlap = Some(overlap),
                }
                if slide.overlap.is_some() {
                    break;
                }
                is_recovered = true;
                continue;
            }
            let from = std::mem::replace(&mut slide.position, swept.position);
            let Some(hit) = swept.hit else { break };
            slide.contacts.push(SlideContact { target: hit.target, normal: hit.normal, position: swept.position });
            left *= 1.0 - f64::from(hit.toi);
            let surface = Surface { target: hit.target, normal: hit.normal.as_dvec3().normalize_or_zero() };
            if !is_same_place(from, swept.position) {
                held.motion = free;
                held.surfaces
                    .retain(|old| !old.is_alike(&surface) && self.still_holds(old, step.body(), swept.position));
            }
            if !held.add(surface) {
                slide.motion = Vec3::ZERO;
                break;
            }
        }
        slide
    }

    /// Whether a body that slid along a surface still touches it at `position`. If it were forgotten, the next step would run into
    /// it again at once, and a valley would be a zigzag of ever so small steps.
    fn still_holds(&self, surface: &Surface, body: &Obb, position: Vec3) -> bool {
        let Ok(body) = Obb::from_half_edges(position, body.half_edges()) else { return false };
        let gap = match surface.target {
            Target::Object(key) => self.object(key).map(|object| object.shape.gap(&body)),
            Target::Plane(key) => self.plane(key).map(|entry| entry.plane.gap(&body, entry.sides)),
        };
        let reach = f64::from(steps_of_rounding(position).max_element());
        gap.is_some_and(|gap| {
            let touched = Surface { target: surface.target, normal: gap.normal };
            gap.separation <= reach && surface.is_alike(&touched)
        })
    }
}

/// The sweep of one sub-step; `None` when nothing is left to do.
fn step(body: &Obb, position: Vec3, motion: DVec3) -> Option<BoxSweep> {
    let motion = motion.as_vec3();
    if motion == Vec3::ZERO {
        return None;
    }
    BoxSweep::new(Obb::from_half_edges(position, body.half_edges()).ok()?, motion).ok()
}

/// Whether two positions differ by no more than a few steps of `f32`: what settling may move a body that went nowhere.
pub(crate) fn is_same_place(a: Vec3, b: Vec3) -> bool {
    (a - b).abs().cmple(steps_of_rounding(a).max(steps_of_rounding(b))).all()
}

/// A few steps of `f32` at a position.
fn steps_of_rounding(position: Vec3) -> Vec3 {
    position.abs() * tuning::SLIDE_LEAN as f32
}

/// A surface that holds a body.
struct Surface {
    target: Target,
    normal: DVec3,
}

impl Surface {
    /// Whether both face the same way but for rounding; then they hold a body alike.
    fn is_alike(&self, other: &Self) -> bool {
        (self.normal - other.normal).length_squared() <= tuning::SLIDE_LEAN * tuning::SLIDE_LEAN
    }
}

/// A body at a stop.
struct Held {
    motion: DVec3,
    surfaces: SmallVec<[Surface; tuning::SLIDE_SURFACES]>,
}

impl Held {
    /// Adds a surface; `false` when it is one already: then rounding leaves no way to go on.
    fn add(&mut self, surface: Surface) -> bool {
        if self.surfaces.iter().any(|held| held.is_alike(&surface)) {
            return false;
        }
        if self.surfaces.len() == tuning::SLIDE_SURFACES {
            self.surfaces.remove(0);
        }
        self.surfaces.push(surface);
        true
    }

    /// The motion along all surfaces that hold the body.
    fn free_motion(&self) -> DVec3 {
        let normals: SmallVec<[DVec3; tuning::SLIDE_SURFACES]> = self.surfaces.iter().map(|held| held.normal).collect();
        free_motion(self.motion, &normals)
    }
}

/// What is left of a motion along surfaces of these normals, leaning away from them by a little more than rounding.
pub(crate) fn free_motion(motion: DVec3, normals: &[DVec3]) -> DVec3 {
    let along = project_onto_cone(motion, normals);
    if along == DVec3::ZERO || normals.is_empty() {
        return along;
    }
    let away = normals.iter().sum::<DVec3>().normalize_or_zero();
    let least = normals.iter().map(|n| n.dot(away)).fold(f64::INFINITY, f64::min);
    // Surfaces that face each other leave no way to lean.
    if least <= tuning::SLIDE_LEAN.sqrt() {
        along
    } else {
        along + away * (along.length() * tuning::SLIDE_LEAN / least)
    }
}

/// The point of the cone `{x : N · x >= 0 for every unit normal N}` nearest to `u`. It lies in the cone's interior, on a face, on an
/// edge, or at the apex; the nearest candidate that lies in the cone is it.
fn project_onto_cone(u: DVec3, normals: &[DVec3]) -> DVec3 {
    // A candidate on a face misses its own plane by rounding.
    let tolerance = 16.0 * f64::EPSILON * u.length();
    let is_in_cone = |x: DVec3| normals.iter().all(|n| n.dot(x) >= -tolerance);
    let faces = normals.iter().map(|n| u - *n * n.dot(u));
    let edges = normals.iter().enumerate().flat_map(|(i, a)| {
        normals[i + 1..].iter().map(move |b| {
            let along = a.cross(*b).normalize_or_zero();
            along * along.dot(u)
        })
    });
    let candidates = std::iter::once(u).chain(faces).chain(edges).filter(|x| is_in_cone(*x));
    candidates.min_by(|a, b| a.distance_squared(u).total_cmp(&b.distance_squared(u))).unwrap_or(DVec3::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_narrowphase::{Plane, glam::Quat};

    #[test]
    fn a_motion_into_a_wall_keeps_what_runs_along_it() {
        let x = project_onto_cone(DVec3::new(2.0, -3.0, 5.0), &[DVec3::Y]);
        assert_eq!(x, DVec3::new(2.0, 0.0, 5.0));
    }

    #[test]
    fn three_walls_of_which_one_does_not_matter_do_not_stop_a_slide() {
        // Clip by clip, the third plane ends the move; but the edge of the first two runs free of it.
        let normals = [DVec3::Y, DVec3::new(1.0, 0.3, 0.0).normalize(), DVec3::new(-0.2, 1.0, 0.0).normalize()];
        let x = project_onto_cone(DVec3::new(-1.0, -1.0, 1.0), &normals);
        assert!(x.distance(DVec3::Z) < 1e-12, "{x}");
    }

    #[test]
    fn a_valley_is_followed_in_a_few_steps_and_not_in_a_zigzag() {
        // Touched in f32 only nearly: a body that forgot one side each time it met the other took 24 steps and still stopped short.
        let normals = [Vec3::new(0.4311249, 0.670155, 0.6041718), Vec3::new(-0.89753187, -0.44094956, 0.0)];
        let half_extents = Vec3::new(16.0, 16.0, 28.0);
        let start = Vec3::new(-23.002216, -17.691936, 138.07207);
        let mut world = World::new();
        for normal in normals {
            let lowest = start - half_extents * normal.signum();
            world.insert_plane(Plane::from_point_normal(lowest, normal).unwrap(), 1);
        }
        let body = Obb::new(start, Quat::IDENTITY, half_extents).unwrap();
        let start = world.depenetrate(&body, &Filter::ALL).unwrap();
        let body = Obb::new(start, Quat::IDENTITY, half_extents).unwrap();
        let motion = Vec3::new(-0.6473558, 1.1220306, -1.116906);
        let slide = world.slide_box(&BoxSweep::new(body, motion).unwrap(), &Filter::ALL, &SlideOptions::default());
        assert!(slide.contacts.len() <= 4, "{} contacts", slide.contacts.len());
        let along = normals[0].cross(normals[1]).normalize();
        let wanted = start + along * along.dot(motion);
        assert!(slide.position.distance(wanted) < 1e-4, "{} instead of {wanted}", slide.position);
    }

    #[test]
    fn in_a_corner_nothing_is_left() {
        assert_eq!(project_onto_cone(-DVec3::ONE, &[DVec3::X, DVec3::Y, DVec3::Z]), DVec3::ZERO);
    }
}
