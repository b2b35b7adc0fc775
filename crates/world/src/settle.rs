//! Where a moving body stops so that it penetrates nothing there, rounding considered.

use crate::{
    Filter, PlaneKey, Shape, Target, World, WorldPlane,
    met::Met,
    planes::{NearPlane, NearPlanes, Way},
    tuning,
};
use cullide_bvh::Visit;
use cullide_narrowphase::{
    Aabb, Gap, Obb, Sides, Sphere,
    glam::{DVec3, Vec3},
};

/// A body that sweeps: a box or a ball.
pub(crate) trait Settles: Copy {
    fn center(&self) -> Vec3;
    /// The same at another place; `None` out of range.
    fn at(&self, center: Vec3) -> Option<Self>;
    fn aabb(&self) -> Aabb;
    /// Half of the size of its box, but for rounding.
    fn extents(&self) -> Vec3;
    /// Half of its width along a normal, times its length.
    fn reach(&self, normal: DVec3) -> f64;
    /// Straight on.
    fn way(&self, motion: Vec3) -> Way;
    /// How far it is from a plane, on the side where its `start` was, or how deep in it.
    fn gap_since(&self, start: &Self, entry: &WorldPlane) -> Gap;
    /// How deep it may be in a shape, rounding considered; `None` when they are apart.
    fn penetration(&self, shape: &Shape) -> Option<Gap>;
}

impl Settles for Obb {
    #[inline]
    fn center(&self) -> Vec3 {
        self.center()
    }

    #[inline]
    fn at(&self, center: Vec3) -> Option<Self> {
        Self::from_half_edges(center, self.half_edges()).ok()
    }

    #[inline]
    fn aabb(&self) -> Aabb {
        self.aabb()
    }

    #[inline]
    fn extents(&self) -> Vec3 {
        let [a, b, c] = self.half_edges();
        a.abs() + b.abs() + c.abs()
    }

    #[inline]
    fn reach(&self, normal: DVec3) -> f64 {
        let [a, b, c] = self.half_edges();
        let along = |edge: Vec3| normal.dot(edge.as_dvec3()).abs();
        along(a) + along(b) + along(c)
    }

    #[inline]
    fn way(&self, motion: Vec3) -> Way {
        Way::new(self, motion, Vec3::ZERO, 0.0)
    }

    #[inline]
    fn gap_since(&self, start: &Self, entry: &WorldPlane) -> Gap {
        entry.plane.gap_since(start, self, entry.sides)
    }

    #[inline]
    fn penetration(&self, shape: &Shape) -> Option<Gap> {
        shape.penetration(self)
    }
}

impl Settles for Sphere {
    fn center(&self) -> Vec3 {
        self.center()
    }

    fn at(&self, center: Vec3) -> Option<Self> {
        Self::new(center, self.radius()).ok()
    }

    fn aabb(&self) -> Aabb {
        self.aabb()
    }

    fn extents(&self) -> Vec3 {
        Vec3::splat(self.radius())
    }

    fn reach(&self, normal: DVec3) -> f64 {
        f64::from(self.radius()) * normal.length()
    }

    fn way(&self, motion: Vec3) -> Way {
        Way::of_ball(self.center(), self.radius(), motion)
    }

    fn gap_since(&self, start: &Self, entry: &WorldPlane) -> Gap {
        entry.plane.gap_of_sphere_since(start, self, entry.sides)
    }

    fn penetration(&self, shape: &Shape) -> Option<Gap> {
        Some(shape.gap_of_sphere(self)).filter(|gap| !gap.is_apart())
    }
}

impl World {
    /// Of what a body that comes from its `start` may penetrate, rounding considered, the deepest. A small one may have been rounded or
    /// pushed through a plane altogether: it belongs where it started.
    pub(crate) fn deepest<B: Settles>(&self, body: &B, start: &B, filter: &Filter) -> Option<(Gap, Target)> {
        let mut deepest: Option<(Gap, Target)> = None;
        self.penetrations(body, start, filter, |gap, target| {
            let is_deeper = |(old, key): (Gap, Target)| (gap.separation, target) < (old.separation, key);
            if deepest.is_none_or(is_deeper) {
                deepest = Some((gap, target));
            }
        });
        deepest
    }

    /// All that a body that comes from its `start` may penetrate, in no order.
    pub(crate) fn penetrations<B: Settles>(
        &self,
        body: &B,
        start: &B,
        filter: &Filter,
        mut visit: impl FnMut(Gap, Target),
    ) {
        let mut near = NearPlanes::new();
        self.planes.near(&body.way(start.center() - body.center()), filter, &mut near);
        for NearPlane { slot, .. } in near {
            let entry = self.planes.get(slot).filter(|entry| !is_surely_apart(entry, body, start));
            if let Some(gap) = entry.map(|entry| body.gap_since(start, entry)).filter(|gap| !gap.is_apart()) {
                visit(gap, PlaneKey::new(slot, self.id).into());
            }
        }
        for tree in self.trees(filter) {
            tree.overlap_aabb(&body.aabb(), filter.mask(), |leaf| {
                let (key, object) = self.behind(leaf);
                if filter.accepts(key, || object)
                    && let Some(gap) = body.penetration(&object.shape)
                {
                    visit(gap, key.into());
                }
                Visit::Continue
            });
        }
    }

    /// Moves a body from where it gets to to the place next to it where it penetrates nothing. Rounding may have put it a step of `f32`
    /// into what it touches; where pushing out does not help, as in a corner, it goes `back` by a share of its way, or to its
    /// `start`, which is free.
    #[inline]
    pub(crate) fn settle<B: Settles>(
        &self,
        body: &mut B,
        met: &Met,
        start: &B,
        back: impl Fn(f32) -> B,
        filter: &Filter,
    ) {
        if self.is_free_of_planes(body, met, start) && self.is_free_of_objects(body, met) {
            return;
        }
        let pushed = self.push_out(body, start, filter, tuning::SETTLE_ROUNDS);
        let free =
            || tuning::SETTLE_BACK.into_iter().map(back).find(|body| self.deepest(body, start, filter).is_none());
        *body = pushed.or_else(free).unwrap_or(*start);
    }

    /// Whether a body, where it ends or first touches something, certainly does not penetrate any of the planes near its way.
    #[inline]
    fn is_free_of_planes<B: Settles>(&self, body: &B, met: &Met, start: &B) -> bool {
        let reached = met.planes.iter().take_while(|plane| plane.from <= met.first.limit());
        let mut others = reached.filter(|plane| !met.first.is_hit_on(PlaneKey::new(plane.slot, self.id).into()));
        others.all(|plane| self.planes.get(plane.slot).is_none_or(|entry| is_surely_apart(entry, body, start)))
    }

    /// Whether a body, where it ends or first touches something, certainly penetrates none of the objects near its way: it is near no others.
    #[inline]
    fn is_free_of_objects(&self, body: &impl Settles, met: &Met) -> bool {
        met.objects.iter().all(|&leaf| {
            let (key, object) = self.behind(leaf);
            met.first.is_hit_on(key.into())
                || !object.shape.aabb().overlaps(&body.aabb())
                || body.penetration(&object.shape).is_none()
        })
    }

    /// The body, which comes from its `start`, moved to where it penetrates nothing, if so many rounds lead there.
    pub(crate) fn push_out<B: Settles>(&self, body: &B, start: &B, filter: &Filter, rounds: usize) -> Option<B> {
        let (mut body, mut share, mut last) = (*body, 1.0, None);
        for _ in 0..rounds {
            let Some((gap, target)) = self.deepest(&body, start, filter) else { return Some(body) };
            // Of a push along a slant rounding leaves a part to do: each time twice as much.
            let step = f64::from(f32::EPSILON) * f64::from(body.center().abs().max_element());
            share = if last == Some(target) && gap.lacking() <= 2.0 * step { 2.0 * share } else { 1.0 };
            body = body.at(gap.moved_by(body.center(), share * gap.lacking()))?;
            last = Some(target);
        }
        None
    }
}

/// The body at another place; where it is when that is out of range.
#[inline]
pub(crate) fn placed<B: Settles>(body: &B, center: Vec3) -> B {
    body.at(center).unwrap_or(*body)
}

/// Whether a body is apart from a plane, on the side where its `start` was, by more than all that `f64` may lose, some hundred times over.
#[inline]
fn is_surely_apart<B: Settles>(entry: &WorldPlane, body: &B, start: &B) -> bool {
    let (normal, d) = (entry.plane.normal().as_dvec3(), f64::from(entry.plane.d()));
    let height = |center: Vec3| {
        let product = normal * center.as_dvec3();
        (product.element_sum() + d, product.abs().element_sum() + d.abs())
    };
    let reach = body.reach(normal);
    let (distance, size) = height(body.center());
    let side = if entry.sides == Sides::Both {
        let (distance, size) = height(start.center());
        if distance.abs() <= LOST * size {
            return false;
        }
        distance.signum()
    } else {
        1.0
    };
    side * distance - reach > LOST * (size + reach)
}

/// A hundred times what `f64` may lose of a sum of a few products, as a share of their magnitudes.
const LOST: f64 = 1e-12;
