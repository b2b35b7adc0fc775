//! Path against axis-aligned box, by slabs: the path is in the box while it is in all three slabs at once.
//!
//! Sources: Kay and Kajiya, "Ray Tracing Complex Scenes" (1986), the slabs; Woo, "Fast Ray-Box Intersection", Graphics
//! Gems (1990). Slab times are computed in `f64`; where rounding could change the answer, the order of two crossings
//! `(n − o) / d` is decided by the sign of the exact cross product.

use super::{Cast, Crossing, HitFeature, Path};
use crate::{Aabb, exact::predicate::sign};
use glam::DVec3;
use std::cmp::Ordering;

impl Cast for Aabb {
    fn crossing(&self, path: &Path) -> Option<Crossing> {
        let slabs = Slabs::new(self, path)?;
        if !slabs.is_crossed(path) {
            return None;
        }
        let exit = slabs.exit();
        if slabs.enter() <= 0.0 {
            return Some(path.starting_inside(exit));
        }
        let enter = slabs.enter().min(path.max);
        let axis = slabs.entry_axis();
        let normal = DVec3::AXES[axis] * -path.delta[axis].signum();
        Some(Crossing { enter, exit: exit.clamp(enter, path.max), normal, inside: false })
    }

    fn is_crossed(&self, path: &Path) -> bool {
        Slabs::new(self, path).is_some_and(|slabs| slabs.is_crossed(path))
    }

    fn entry_feature(&self, path: &Path) -> Option<HitFeature> {
        self.is_crossed(path).then(|| self.feature_of(path)).flatten()
    }
}

impl Crossing {
    /// The crossing clipped to the bounds of the shape, so that rounding never reports a hit that a tree of bounds
    /// would not visit.
    pub(super) fn within(self, bounds: &Aabb, path: &Path) -> Option<Self> {
        let slabs = Slabs::new(bounds, path)?;
        if !slabs.is_crossed(path) {
            return None;
        }
        let enter = self.enter.max(slabs.enter()).min(path.max);
        let inside = self.inside && enter == 0.0;
        // Between zeros of opposite signs, the compiler may choose either as the larger.
        let exit = self.exit.min(slabs.exit()).max(enter) + 0.0;
        Some(Self { enter: enter + 0.0, exit, inside, ..self })
    }
}

/// The faces that the path meets first and last on each axis, and when. On an axis without motion no face is met: the
/// times are −∞ and +∞.
struct Slabs {
    near: DVec3,
    far: DVec3,
    near_t: DVec3,
    far_t: DVec3,
}

impl Slabs {
    /// `None` when an axis without motion lies outside its slab.
    fn new(aabb: &Aabb, path: &Path) -> Option<Self> {
        let (min, max) = (aabb.min().as_dvec3(), aabb.max().as_dvec3());
        let mut slabs = Self { near: min, far: max, near_t: DVec3::NEG_INFINITY, far_t: DVec3::INFINITY };
        for axis in 0..3 {
            let (o, d) = (path.origin[axis], path.delta[axis]);
            if d == 0.0 {
                if o < min[axis] || o > max[axis] {
                    return None;
                }
                continue;
            }
            if d < 0.0 {
                (slabs.near[axis], slabs.far[axis]) = (max[axis], min[axis]);
            }
            slabs.near_t[axis] = (slabs.near[axis] - o) / d;
            slabs.far_t[axis] = (slabs.far[axis] - o) / d;
        }
        Some(slabs)
    }

    fn enter(&self) -> f64 {
        self.near_t.max_element()
    }

    fn exit(&self) -> f64 {
        self.far_t.min_element()
    }

    fn entry_axis(&self) -> usize {
        let enter = self.enter();
        (0..3).find(|&axis| self.near_t[axis] == enter).unwrap_or(0)
    }

    /// Whether the latest entry comes no later than the earliest exit, exactly.
    fn is_crossed(&self, path: &Path) -> bool {
        // Each time carries two roundings, so a gap of eight decides; the signs of the times are exact.
        let (enter, exit) = (self.enter().max(0.0), self.exit().min(path.max));
        let slack = 4.0 * f64::EPSILON * enter;
        if exit < 0.0 || enter - exit > slack {
            return false;
        }
        exit - enter > slack || self.is_crossed_exactly(path)
    }

    #[cold]
    fn is_crossed_exactly(&self, path: &Path) -> bool {
        (0..3).filter(|&i| path.delta[i] != 0.0).all(|i| {
            let (o, d, near) = (path.origin[i], path.delta[i], self.near[i]);
            // near_i <= max, multiplied by d_i; an endless path reaches every face ahead.
            let within = path.max.is_infinite() || along(d, sign(&[near, -o, -path.max * d])) != Ordering::Greater;
            within
                && (0..3).filter(|&j| j != i && path.delta[j] != 0.0).all(|j| {
                    // near_i <= far_j, multiplied by d_i · d_j.
                    let (oj, dj, far) = (path.origin[j], path.delta[j], self.far[j]);
                    let order = sign(&[near * dj, -o * dj, -far * d, oj * d]);
                    along(d * dj.signum(), order) != Ordering::Greater
                })
        })
    }
}

/// The order of two quotients from the sign of their difference times a `divisor`.
fn along(divisor: f64, order: Ordering) -> Ordering {
    if divisor < 0.0 { order.reverse() } else { order }
}
