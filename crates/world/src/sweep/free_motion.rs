//! What holds a sliding body, and the motion that it leaves.
//!
//! At a stop, every surface that holds the body restricts its motion `u` to the half-space `N · x >= 0`; together they
//! leave a cone, and the body continues with the point of the cone nearest to `u`. That point is found exactly, over
//! all faces and edges of the cone, so it does not depend on the order in which surfaces were met, and a slide that
//! exists is never missed. (Clipping by one plane after another, as Quake does, stops dead in some corners that can be
//! left.)
//!
//! For a character, a slope that is too steep to stand on is a wall as well: besides its own half-space there is that
//! of its normal's horizontal direction, `H · x >= 0`, and what leads into the latter is removed from the motion first.
//! No combination of such slopes then lifts the character: lowered to the height that the motion itself brings, the
//! nearest point would still lie in the cone, and be nearer.
//!
//! Source: Moreau, "Décomposition orthogonale d'un espace hilbertien selon deux cônes mutuellement polaires" (1962).

use crate::{sweep::candidates::Obstacle, tuning};
use cullide_narrowphase::{Listed, glam::DVec3};
use smallvec::SmallVec;

/// Normals of the surfaces that hold a body, including walls of slopes.
pub(crate) type Normals = SmallVec<[DVec3; 16]>;

/// How a body treats the surfaces that it slides along.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Manner {
    /// All surfaces are alike.
    Free,
    /// As a character on the ground: anything too steep is a wall, and only walls change where it wants to go.
    Walking(Incline),
    /// As a character in the air: a slope that is too steep lifts it no farther than it rises by itself, and one that
    /// carries ends the fall.
    Falling(Incline),
}

/// What a character can stand on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Incline {
    /// Unit vector against gravity; zero if there is none.
    pub(crate) up: DVec3,
    /// The least cosine between up and the normal of a floor.
    pub(crate) steepest: f64,
}

impl Incline {
    /// Whether a surface with this normal carries.
    pub(crate) fn carries(&self, normal: DVec3) -> bool {
        self.up != DVec3::ZERO && normal.dot(self.up) >= self.steepest
    }

    /// The part of a motion perpendicular to up.
    fn across(&self, motion: DVec3) -> DVec3 {
        motion - self.up * motion.dot(self.up)
    }

    /// How far slopes that carry have to lift a motion for it to lead into none of them.
    fn lift(&self, motion: DVec3, normals: &[DVec3]) -> f64 {
        let floors = normals.iter().filter(|n| self.carries(**n) && n.dot(self.up) >= UPRIGHT);
        floors.map(|n| -n.dot(motion) / n.dot(self.up)).fold(0.0, f64::max)
    }

    /// The horizontal direction of a normal; `None` if the normal is upright.
    fn wall(&self, normal: DVec3) -> Option<DVec3> {
        let across = self.across(normal);
        let length = across.length();
        (length > tuning::SLIDE_LEAN).then(|| across / length)
    }
}

/// A surface that holds a body.
pub(crate) struct HoldingSurface {
    pub(crate) target: Obstacle,
    pub(crate) normal: DVec3,
}

impl HoldingSurface {
    /// Returns a surface of the same thing that faces another way.
    pub(crate) fn facing(&self, normal: DVec3) -> Self {
        Self { target: self.target, normal }
    }

    /// Whether both face the same way up to rounding; then they hold a body alike.
    pub(crate) fn is_alike(&self, other: &Self) -> bool {
        (self.normal - other.normal).length_squared() <= tuning::SLIDE_LEAN * tuning::SLIDE_LEAN
    }
}

/// A body at a stop, with what holds it.
pub(crate) struct Held {
    manner: Manner,
    /// The motion with which it came there.
    motion: DVec3,
    surfaces: SmallVec<[HoldingSurface; tuning::SLIDE_SURFACES]>,
}

/// What surfaces leave of a motion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Left {
    /// The motion along the surfaces.
    pub(crate) free: DVec3,
    /// The motion to continue with elsewhere.
    pub(crate) wish: DVec3,
    /// Whether a surface that carries lifts the body, and has to be beneath it all the way.
    pub(crate) is_lifted: bool,
}

/// The least cosine between up and the normal of a slope that lifts by as much as the motion along the level demands.
const UPRIGHT: f64 = 1.0 / 16.0;

/// A slope that rises by a smaller share of the way does not count as lifting.
const LIFTED: f64 = 1e-4;

impl Left {
    fn unchanged(motion: DVec3) -> Self {
        Self { free: motion, wish: motion, is_lifted: false }
    }
}

impl Held {
    /// Returns a body that nothing holds.
    pub(crate) fn new(manner: Manner, motion: DVec3) -> Self {
        Self { manner, motion, surfaces: SmallVec::new() }
    }

    /// Moves on to another place, where only surfaces for which `still_holds` is true hold the body. What the others
    /// took from its motion is lost. While all still hold it, the whole motion counts: in a corner wider than a right
    /// angle, what the first side leaves would lead back out along the second.
    pub(crate) fn move_on(&mut self, left: &Left, still_holds: &dyn Fn(&mut HoldingSurface) -> bool) {
        let before = self.surfaces.len();
        self.surfaces.retain(|surface| still_holds(surface));
        if self.surfaces.len() < before {
            self.motion = left.wish;
        }
    }

    /// Adds a surface; returns `false` if it is one already: then rounding leaves no way to continue.
    pub(crate) fn add(&mut self, surface: HoldingSurface) -> bool {
        if self.surfaces.iter().any(|held| held.is_alike(&surface)) {
            return false;
        }
        if self.surfaces.len() == tuning::SLIDE_SURFACES {
            self.surfaces.remove(0);
        }
        self.surfaces.push(surface);
        true
    }

    /// The surfaces that carry the body.
    pub(crate) fn carriers(&self) -> impl Iterator<Item = &HoldingSurface> {
        let incline = match self.manner {
            Manner::Free => None,
            Manner::Walking(incline) | Manner::Falling(incline) => Some(incline),
        };
        self.surfaces.iter().filter(move |surface| incline.is_some_and(|incline| incline.carries(surface.normal)))
    }

    /// Returns what the surfaces that hold the body leave of its motion.
    pub(crate) fn left(&self) -> Left {
        let mut normals: Normals = self.surfaces.iter().map(|held| held.normal).listed();
        let (incline, is_falling) = match self.manner {
            _ if normals.is_empty() => return Left::unchanged(self.motion),
            Manner::Free => {
                return Left::unchanged(free_motion(self.motion, &normals));
            }
            Manner::Walking(incline) => (incline, false),
            Manner::Falling(incline) => (incline, true),
        };
        let is_ceiling = |normal: &DVec3| normal.dot(incline.up) <= 0.0;
        let is_wall = |normal: &DVec3| !incline.carries(*normal) && (!is_falling || !is_ceiling(normal));
        let walls: Normals = normals.iter().filter(|n| is_wall(n)).filter_map(|n| incline.wall(*n)).listed();
        let across = project_onto_cone(incline.across(self.motion), &walls);
        let mut rise = self.motion.dot(incline.up);
        if is_falling && normals.iter().any(|normal| incline.carries(*normal)) {
            rise = rise.max(0.0);
        }
        let wish = incline.across(across) + incline.up * rise;
        let is_other = |wall: &DVec3, normals: &Normals| {
            normals.iter().all(|n| n.distance_squared(*wall) > tuning::SLIDE_LEAN * tuning::SLIDE_LEAN)
        };
        for wall in walls {
            if is_other(&wall, &normals) {
                normals.push(wall);
            }
        }
        // Walking up a slope, it keeps its direction and its pace on the level.
        let lift = if is_falling { 0.0 } else { incline.lift(wish, &normals) };
        let free = free_motion(wish + incline.up * lift, &normals);
        // A body keeps the height that a slope adds only as long as the slope is beneath it.
        let excess = (free.dot(incline.up) - rise.max(0.0)).max(0.0);
        let is_lifted = excess > LIFTED * free.length();
        let wish = if is_falling { free - incline.up * excess } else { wish };
        Left { free, wish, is_lifted }
    }
}

/// What is left of a motion along surfaces with these normals, leaning away from them by a little more than rounding.
pub(crate) fn free_motion(motion: DVec3, normals: &[DVec3]) -> DVec3 {
    let along = project_onto_cone(motion, normals);
    if along == DVec3::ZERO || normals.is_empty() {
        return along;
    }
    let away = normals.iter().sum::<DVec3>().normalize_or_zero();
    let least = normals.iter().map(|n| n.dot(away)).fold(f64::INFINITY, f64::min);
    // Surfaces that face each other leave no direction to lean in.
    if least <= tuning::SLIDE_LEAN.sqrt() {
        along
    } else {
        along + away * (along.length() * tuning::SLIDE_LEAN / least)
    }
}

/// The point of the cone `{x : N · x >= 0 for every unit normal N}` nearest to `u`. It lies in the cone's interior, on
/// a face, on an edge, or at the apex: it is the nearest candidate that lies in the cone.
fn project_onto_cone(u: DVec3, normals: &[DVec3]) -> DVec3 {
    // A candidate on a face misses its own plane by rounding.
    let tolerance = 16.0 * f64::EPSILON * u.length();
    let is_in_cone = |x: DVec3| normals.iter().all(|n| n.dot(x) >= -tolerance);
    let (mut nearest, mut least) = (DVec3::ZERO, f64::INFINITY);
    let mut offer = |x: DVec3| {
        let distance = x.distance_squared(u);
        if distance < least && is_in_cone(x) {
            (nearest, least) = (x, distance);
        }
    };
    offer(u);
    normals.iter().for_each(|n| offer(u - *n * n.dot(u)));
    for (i, a) in normals.iter().enumerate() {
        for b in &normals[i + 1..] {
            let along = a.cross(*b).normalize_or_zero();
            offer(along * along.dot(u));
        }
    }
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_motion_into_a_wall_keeps_what_runs_along_it() {
        let x = project_onto_cone(DVec3::new(2.0, -3.0, 5.0), &[DVec3::Y]);
        assert_eq!(x, DVec3::new(2.0, 0.0, 5.0));
    }

    #[test]
    fn three_walls_of_which_one_does_not_matter_do_not_stop_a_slide() {
        // Clip by clip, the third plane would end the move, but the edge of the first two runs free of it.
        let normals = [DVec3::Y, DVec3::new(1.0, 0.3, 0.0).normalize(), DVec3::new(-0.2, 1.0, 0.0).normalize()];
        let x = project_onto_cone(DVec3::new(-1.0, -1.0, 1.0), &normals);
        assert!(x.distance(DVec3::Z) < 1e-12, "{x}");
    }

    #[test]
    fn in_a_corner_nothing_is_left() {
        assert_eq!(project_onto_cone(-DVec3::ONE, &[DVec3::X, DVec3::Y, DVec3::Z]), DVec3::ZERO);
    }
}
