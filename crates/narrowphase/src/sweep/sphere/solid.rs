//! A translating sphere against brushes and patches.
//!
//! The distance of a point from a convex solid is a convex function of the point, so along a straight line it is a
//! convex function of time: see [`conservative_advancement`](super::conservative_advancement). Inside a brush it
//! continues as minus the distance to the nearest face, which is convex as well. A patch has no inside: the distance
//! rises on both sides of its plane.

use crate::{
    Aabb, Brush, Contacts, FeatureId, Gap, Patch, Sphere, SphereSweep, Triangle,
    arrays::Mapped,
    distance::{measured_polygon::MeasuredPolygon, polygon::PolygonPoint},
    exact::{ROUNDING, unit, vector},
    shape::polygon::Polygon,
    sweep::{
        Overlap, Sweep, SweepHit,
        passing::PassingBody,
        round_toi,
        straight::{PathOutcome, StraightPath, exactly_at},
    },
};
use glam::{DVec3, Vec3};

impl SphereSweep {
    /// Returns the first touch of `brush`, with the rules of
    /// [`BoxSweep::against`](crate::BoxSweep::against) and one contact, on the brush. Decided in `f64`; at
    /// the hit's position the ball does not penetrate it.
    pub(crate) fn against_brush(&self, brush: &Brush) -> Sweep {
        self.against_solid(&brush.aabb(), |ball| ball.gap_to_brush(brush), 1.0)
    }

    /// Returns the first touch of `patch`, from either side; as for a brush of zero thickness. A ball whose centre is
    /// nearer than its radius overlaps the patch. A point, of radius zero, that is on the patch counts as leaving it,
    /// whichever way it goes.
    pub(crate) fn against_patch(&self, patch: &Patch) -> Sweep {
        self.against_polygon(&patch.polygon(), 1.0)
    }

    /// Returns the same when the first of many is sought: as
    /// [`BoxSweep::against`](crate::BoxSweep::against).
    pub(crate) fn against_triangle_until(&self, triangle: &Triangle, until: f32) -> Sweep {
        let body = PassingBody::new(self.body.center(), [], self.body.radius(), self.motion);
        if body.passes_by(triangle, until.into()) {
            return Sweep::Clear;
        }
        self.against_near_triangle_until(triangle, until)
    }

    /// Returns the same for a triangle that [`BodyWay::touches`](crate::BodyWay::touches) has reported: as
    /// [`BoxSweep::against`](crate::BoxSweep::against).
    pub(crate) fn against_near_triangle_until(&self, triangle: &Triangle, until: f32) -> Sweep {
        self.against_polygon(&triangle.wide().polygon(), until.into())
    }

    pub(in crate::sweep) fn against_polygon(&self, polygon: &Polygon, until: f64) -> Sweep {
        let (start, motion) = (Ball::from(&self.body), self.motion.as_dvec3());
        let side = start.side_of(polygon, motion);
        if start.stays_above(polygon, side, motion) {
            return Sweep::Clear;
        }
        let measured = MeasuredPolygon::new(polygon);
        self.against_solid(&polygon.aabb, |ball| ball.gap_to_polygon(&measured, side), until)
    }

    /// The first touch of a solid within `bounds`, given the gap of a ball to it. A touch later than `until` may be
    /// left out.
    pub(super) fn against_solid(&self, bounds: &Aabb, gap: impl Fn(&Ball) -> Gap, until: f64) -> Sweep {
        let radius = f64::from(self.body.radius());
        let path = StraightPath::new(self.body.center(), self.motion, radius, until);
        let gap = |near: DVec3, way: DVec3| gap(&Ball::new(near, radius).moved(way));
        match path.meets(bounds, gap, |center| Sphere::new(center, self.body.radius()).is_ok()) {
            PathOutcome::Clear => Sweep::Clear,
            PathOutcome::Inside(gap) => {
                let contacts = contact(self.body.center().as_dvec3(), gap.normal * radius, gap.separation);
                let (depth, normal) = (-gap.separation as f32, unit::unit(gap.normal));
                Sweep::Overlap(Overlap { depth, normal, contacts })
            }
            PathOutcome::Touches { toi, normal, position, gap } => {
                let separation = gap.separation.max(0.0);
                let contacts = contact(position.as_dvec3(), gap.normal * (radius + separation), separation);
                Sweep::Hit(SweepHit { toi: round_toi(toi), normal: unit::unit(normal), position, contacts })
            }
        }
    }

    /// The centre at a time of the step, rounded once.
    pub(crate) fn exactly_at(&self, time: f64) -> DVec3 {
        exactly_at(self.body.center(), self.motion, time)
    }
}

impl Brush {
    /// Returns how far `ball` is from this brush, or how deep in it; the normal is the direction in which to move
    /// `ball`.
    pub(crate) fn gap_of_sphere(&self, ball: &Sphere) -> Gap {
        Ball::from(ball).gap_to_brush(self)
    }
}

impl Patch {
    /// Returns how far `ball` is from this patch, or by how much its centre is nearer than its radius: as
    /// [`Solid::gap_of_sphere`].
    pub(crate) fn gap_of_sphere(&self, ball: &Sphere) -> Gap {
        gap_of_sphere(&self.polygon(), ball)
    }
}

impl Triangle {
    /// Returns how far `ball` is from this triangle, or by how much its centre is nearer than its radius: as
    /// [`Solid::gap_of_sphere`].
    pub(crate) fn gap_of_sphere(&self, ball: &Sphere) -> Gap {
        gap_of_sphere(&self.wide().polygon(), ball)
    }

    /// Returns the gap of `ball` to this triangle, or `None` if they are certainly apart ([`Gap::is_apart`]): as
    /// [`Solid::penetration`].
    pub(crate) fn penetration_of_sphere(&self, ball: &Sphere) -> Option<Gap> {
        let body = PassingBody::new(ball.center(), [], ball.radius(), Vec3::ZERO);
        let is_apart = body.passes_by(self, 0.0);
        (!is_apart).then(|| self.gap_of_sphere(ball)).filter(|gap| !gap.is_apart())
    }
}

fn gap_of_sphere(polygon: &Polygon, ball: &Sphere) -> Gap {
    let ball = Ball::from(ball);
    ball.gap_to_polygon(&MeasuredPolygon::new(polygon), ball.side_of(polygon, DVec3::ZERO))
}

/// A moving ball.
#[derive(Clone, Copy)]
pub(crate) struct Ball {
    pub(crate) center: DVec3,
    pub(crate) radius: f64,
    /// No less than the coordinates that its centre is the sum of, plus the radius.
    pub(crate) size: f64,
}

impl From<&Sphere> for Ball {
    fn from(sphere: &Sphere) -> Self {
        Self::new(sphere.center().as_dvec3(), sphere.radius().into())
    }
}

impl Ball {
    pub(crate) fn new(center: DVec3, radius: f64) -> Self {
        Self { center, radius, size: center.abs().max_element() + radius }
    }

    fn moved(&self, way: DVec3) -> Self {
        Self { center: self.center + way, size: self.size + way.abs().max_element(), ..*self }
    }

    /// Bound on what rounding may do to a gap to a solid within `bounds`.
    fn error(&self, [min, max]: [DVec3; 2]) -> f64 {
        self.error_beside(min.abs().max(max.abs()).max_element())
    }

    /// The same for a solid that has no coordinate larger than this.
    fn error_beside(&self, size: f64) -> f64 {
        64.0 * ROUNDING * (self.size + size)
    }

    pub(crate) fn gap_to_brush(&self, brush: &Brush) -> Gap {
        let error = self.error(brush.bounds()) + 4.0 * brush.vertex_error().max(brush.plane_error());
        self.gap_to_surface(brush, error).or(self.gap_to_bounds(brush.bounds()))
    }

    fn gap_to_surface(&self, brush: &Brush, error: f64) -> Gap {
        let nearest = brush.nearest(self.center);
        if let Some((distance, normal)) = nearest.and_then(|nearest| self.outside(&nearest, error)) {
            return Gap::new(distance - self.radius, error, normal);
        }
        // The centre lies in the brush: out through the nearest face.
        let faces = brush.planes().iter().map(|plane| (plane.signed_distance(self.center), plane.normal));
        let (distance, normal) = faces.fold((f64::NEG_INFINITY, DVec3::Y), |a, b| if b.0 > a.0 { b } else { a });
        Gap::new(distance - self.radius, error, normal)
    }

    /// On which side of a polygon the ball is held: 1 for the front, −1 for the back. If its centre is on the polygon's
    /// plane, it is held on the side to which it is `leaving`.
    pub(crate) fn side_of(&self, polygon: &Polygon, leaving: DVec3) -> f64 {
        let [front, back] = polygon.plane;
        let is_leaving = !back.is_before(self.center) && front.normal.dot(leaving) >= 0.0;
        if front.is_before(self.center) || is_leaving { 1.0 } else { -1.0 }
    }

    /// Whether the ball has a size and stays on that side of a polygon's plane as it moves, or touches the plane, up to
    /// rounding. It then moves along the plane, or comes to it at the end, and passes over edges as over the face.
    fn stays_above(&self, polygon: &Polygon, side: f64, motion: DVec3) -> bool {
        let face = polygon.faces[if side > 0.0 { 0 } else { 1 }];
        let length = face.normal.length();
        let above = face.signed_distance(self.center) / length - self.radius;
        let error = self.error([polygon.aabb.min(), polygon.aabb.max()].mapped(|corner| corner.as_dvec3()));
        self.radius > error && above >= -error && above + face.normal.dot(motion) / length >= -error
    }

    pub(crate) fn gap_to_polygon(&self, polygon: &MeasuredPolygon, side: f64) -> Gap {
        let error = self.error_beside(polygon.size) + polygon.thickness;
        let nearest = polygon.nearest(self.center);
        let (distance, offset) = self.way_from(&nearest);
        let (distance, normal) = if distance <= error {
            (0.0, side * polygon.unit)
        } else if let Some(normal) = nearest.normal {
            (distance, polygon.unit * normal.dot(offset).signum())
        } else {
            (distance, offset / distance)
        };
        Gap::new(distance - self.radius, error, normal).or(self.gap_to_bounds(polygon.bounds))
    }

    /// The gap of the ball to the bounds of a solid, which are no farther away than the solid. Where the bounds are
    /// large along one axis only, the rounding along it does not count along the others.
    fn gap_to_bounds(&self, [min, max]: [DVec3; 2]) -> Gap {
        let offset = (self.center - max).max(DVec3::ZERO) - (min - self.center).max(DVec3::ZERO);
        let distance = offset.length();
        let normal = if distance > 0.0 { offset / distance } else { DVec3::Y };
        // Inside the bounds it decides nothing.
        let separation = if distance > 0.0 { distance - self.radius } else { f64::NEG_INFINITY };
        Gap::new(separation, 16.0 * ROUNDING * (self.size + distance), normal)
    }

    /// How far the centre is from a point, and the vector from the point to the centre.
    fn way_from(&self, nearest: &PolygonPoint) -> (f64, DVec3) {
        let offset = self.center - nearest.point;
        (offset.length(), offset)
    }

    /// How far the centre is from the point nearest to it, and in which direction; `None` if that is no more than
    /// rounding.
    fn outside(&self, nearest: &PolygonPoint, error: f64) -> Option<(f64, DVec3)> {
        let (distance, offset) = self.way_from(nearest);
        if distance <= error {
            return None;
        }
        // Next to a face, the face's own normal does not depend on how near the centre is.
        let facing = |normal: DVec3| vector::normalized(normal) * normal.dot(offset).signum();
        Some((distance, nearest.normal.map_or_else(|| offset / distance, facing)))
    }
}

/// The contact of a ball with its centre at `center`: the point that lies `down` below it.
fn contact(center: DVec3, down: DVec3, separation: f64) -> Contacts {
    Contacts::new(&[((center - down).as_vec3(), separation)], FeatureId::NONE)
}
