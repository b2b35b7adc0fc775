//! Path against sphere, by the quadratic `|f + t D|² = r²` with `f = O − C`.
//!
//! The nearest approach is computed first and the discriminant from it (`r² − l²`), which keeps its accuracy when the
//! sphere is far away; the root nearer to zero follows from the other by Vieta's formula. Where rounding could change
//! the answer, the signs of the polynomials are computed exactly.
//!
//! Source: Haines, Günther, Akenine-Möller, "Precision Improvements for Ray/Sphere Intersection", Ray Tracing Gems, ch.
//! 7.

use super::{Cast, Crossing, Path};
use crate::{
    Sphere,
    arrays::Mapped,
    exact::{
        predicate::Exact,
        quadratic::{Quadratic, signed},
        vector,
    },
};
use glam::DVec3;
use std::cmp::Ordering;

impl Cast for Sphere {
    fn crossing(&self, path: &Path) -> Option<Crossing> {
        let f = path.origin - self.center().as_dvec3();
        let radius_squared = f64::from(self.radius()) * f64::from(self.radius());
        let a = path.delta.length_squared();
        let b = -f.dot(path.delta);
        let inside = signed(f.length_squared() - radius_squared, f.length_squared() + radius_squared, || {
            self.quadratic(path).value(0.0)
        }) != Ordering::Greater;
        if a == 0.0 {
            return inside.then(|| path.starting_inside(path.max));
        }
        // What is left of the radius at the nearest approach decides whether the line touches at all.
        let nearest = f + path.delta * (b / a);
        let left = radius_squared - nearest.length_squared();
        let scale = radius_squared + f.length_squared();
        if !inside {
            let heading = signed(-b, f.length() * path.delta.length(), || self.quadratic(path).heading(0.0));
            if heading != Ordering::Less
                || signed(left, scale, || self.quadratic(path).discriminant()) == Ordering::Less
            {
                return None;
            }
        }
        let product = f.length_squared() - radius_squared;
        let [enter, exit] = roots(a, b, product, left);
        if inside {
            return Some(path.starting_inside(exit));
        }
        if !self.is_reached(path, f) {
            return None;
        }
        let enter = enter.clamp(0.0, path.max) + 0.0;
        let normal = entry_normal(self.radius().into(), path.delta, nearest);
        let crossing = Crossing { enter, exit: exit.clamp(enter, path.max), normal, inside: false };
        // Close to the sphere, little accuracy is left in the product.
        if product < scale * f64::from(f32::EPSILON) { crossing.within(&self.aabb(), path) } else { Some(crossing) }
    }
}

impl Sphere {
    /// Whether the entry comes no later than `path.max`; the line is known to touch the sphere ahead of an outside
    /// start. So the end has passed the entry iff it lies in the sphere or beyond the nearest approach.
    fn is_reached(&self, path: &Path, f: DVec3) -> bool {
        if path.max.is_infinite() {
            return true;
        }
        let (motion, radius) = (path.delta * path.max, f64::from(self.radius()));
        let (end, size) = (f + motion, f.length() + motion.length());
        let heading =
            signed(end.dot(path.delta), size * path.delta.length(), || self.quadratic(path).heading(path.max));
        let (outside, scale) = (end.length_squared() - radius * radius, size * size + radius * radius);
        heading != Ordering::Less
            || signed(outside, scale, || self.quadratic(path).value(path.max)) != Ordering::Greater
    }

    /// The same quadratic, exactly.
    fn quadratic(&self, path: &Path) -> Quadratic {
        let from = |i: usize| Exact::sum(&[path.origin[i], -f64::from(self.center()[i])]);
        let motion = |i: usize| Exact::sum(&[path.delta[i]]);
        Quadratic::new([0, 1, 2].mapped(from), [0, 1, 2].mapped(motion), &Exact::sum(&[self.radius().into()]))
    }
}

/// The roots of `a t² − 2 b t + product`, in ascending order. `left` is a quarter of the discriminant divided by `a`; a
/// negative one counts as zero.
pub(super) fn roots(a: f64, b: f64, product: f64, left: f64) -> [f64; 2] {
    let root = (a * left.max(0.0)).sqrt();
    // q is the sum of two numbers of one sign: it is zero only for a start on the sphere with a tangential motion.
    let q = if b >= 0.0 { b + root } else { b - root };
    let (one, other) = if q == 0.0 { (0.0, 0.0) } else { (product / q, q / a) };
    if one > other { [other, one] } else { [one, other] }
}

/// The normal where a path along `delta` enters a round shape, from its nearest approach: across the path it is the
/// nearest approach, and the rest of the radius goes against the path. So it is against the motion even where the start
/// is so far away that `f + t D` is noise, and for a shape of zero size.
pub(super) fn entry_normal(radius: f64, delta: DVec3, nearest: DVec3) -> DVec3 {
    let direction = vector::normalized(delta);
    if radius == 0.0 {
        return -direction;
    }
    let across = vector::no_longer_than(radius, nearest - direction * nearest.dot(direction));
    across - direction * (radius * radius - across.length_squared()).max(0.0).sqrt()
}
