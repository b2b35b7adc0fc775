//! A translating box against a sphere.

use super::conservative_advancement;
use crate::{
    Contacts, Gap, Obb, Sphere, SphereSweep,
    arrays::Mapped,
    contact::contacts,
    distance::gap::{Hold, placed},
    exact::{ROUNDING, predicate::Exact, unit},
    sweep::{BoxSweep, Overlap, Sweep, SweepHit, round_toi},
};
use glam::{DVec3, Vec3};

impl BoxSweep {
    /// Returns the first touch of `sphere`, as [`BoxSweep::against`]; decided in `f64`.
    pub(crate) fn against_sphere(&self, sphere: &Sphere) -> Sweep {
        let touch = match first_touch(self, &SphereSweep { body: *sphere, motion: Vec3::ZERO }) {
            Ok(touch) => touch,
            Err(sweep) => return sweep,
        };
        let moved = (self.body().center().as_dvec3() + self.motion().as_dvec3() * touch.toi).as_vec3();
        let moved = if touch.toi == 0.0 { self.body().center() } else { moved };
        let touching = self.body().center().as_dvec3() + self.motion().as_dvec3() * touch.toi;
        let size = (self.body().center().abs() + self.motion().abs()).as_dvec3().max_element();
        let hold = Hold::new(touching, touch.normal, reach_of(self.body(), touch.normal), size);
        let beside = hold.pushed_apart(moved, &|center| Some(sphere.gap(&placed(self.body(), center)?)));
        // At the end of the range of coordinates the start is safe.
        let position = beside.unwrap_or(self.body().center());
        let contact = (sphere.center().as_dvec3() + touch.normal * f64::from(sphere.radius())).as_vec3();
        let to = sphere.center().as_dvec3() - position.as_dvec3();
        let separation = ball_gap(self.body(), to, sphere.radius(), DVec3::ZERO).separation;
        let id = contacts::lowest(self.body(), position.as_dvec3(), touch.normal, 0.0).id();
        let contacts = Contacts::new(&[(contact, separation)], id);
        Sweep::Hit(SweepHit { toi: round_toi(touch.toi), normal: unit::unit(touch.normal), position, contacts })
    }
}

/// When a box touches a ball, and the direction from the ball to the box.
pub(crate) struct BallTouch {
    pub(crate) toi: f64,
    pub(crate) normal: DVec3,
}

/// The first touch of a box and a ball that both move; or the answer, if there is none.
pub(crate) fn first_touch(sweep: &BoxSweep, ball: &SphereSweep) -> Result<BallTouch, Sweep> {
    let (body, sphere) = (sweep.body(), ball.body());
    let start = sphere.gap(body);
    if start.separation < 0.0 {
        let id = contacts::lowest(body, body.center().as_dvec3(), start.normal, 0.0).id();
        // The point of the box nearest to the ball's centre, or, if the centre is inside, the way out of the box.
        let deepest = sphere.center().as_dvec3() + start.normal * (f64::from(sphere.radius()) + start.separation);
        let contacts = Contacts::new(&[(deepest.as_vec3(), start.separation)], id);
        let (depth, normal) = (-start.separation as f32, unit::unit(start.normal));
        return Err(Sweep::Overlap(Overlap { depth, normal, contacts }));
    }
    let motion = sweep.motion().as_dvec3() - ball.motion().as_dvec3();
    let (from, to) = approach(sweep, ball, motion);
    let gap_after = |after: f64| ball_gap(body, to, sphere.radius(), motion * after);
    let start = if from == 0.0 { start } else { gap_after(0.0) };
    let touch = conservative_advancement::first_touch(from, start, motion, gap_after, 1.0).ok_or(Sweep::Clear)?;
    Ok(BallTouch { toi: from + touch.after, normal: touch.normal })
}

/// A time before any touch, and the vector from the box's centre to the ball's at that time.
fn approach(sweep: &BoxSweep, ball: &SphereSweep, motion: DVec3) -> (f64, DVec3) {
    let (body, sphere) = (sweep.body(), ball.body());
    let way = sphere.center().as_dvec3() - body.center().as_dvec3();
    let size = f64::from(sphere.radius()) + body.wide_edges().iter().map(|edge| edge.length()).sum::<f64>();
    let from = conservative_advancement::time_before(-way, motion, size);
    if from == 0.0 {
        return (0.0, way);
    }
    let time = Exact::sum(&[from]);
    let exactly = |axis: usize| {
        let start = Exact::sum(&[sphere.center()[axis].into(), -f64::from(body.center()[axis])]);
        let motion = Exact::sum(&[sweep.motion()[axis].into(), -f64::from(ball.motion()[axis])]);
        start.minus(&motion.times(&time)).value()
    };
    (from, DVec3::new(exactly(0), exactly(1), exactly(2)))
}

impl Sphere {
    /// Returns how far `body` is from this sphere, or how deep in it.
    pub(crate) fn gap(&self, body: &Obb) -> Gap {
        ball_gap(body, self.center().as_dvec3() - body.center().as_dvec3(), self.radius(), DVec3::ZERO)
    }
}

/// How far a box reaches along a normal.
pub(crate) fn reach_of(body: &Obb, normal: DVec3) -> f64 {
    body.wide_edges().iter().map(|edge| normal.dot(*edge).abs()).sum()
}

/// The gap of a box that has moved by `moved` and a ball whose centre is at `to` from where that of the box was.
pub(crate) fn ball_gap(body: &Obb, to: DVec3, radius: f32, moved: DVec3) -> Gap {
    let radius = f64::from(radius);
    let size = to.abs().max(moved.abs()).max_element() + radius;
    let to = to - moved;
    let depths = body.slabs().mapped(|(axis, reach)| (axis.dot(to).abs() - reach, axis * -axis.dot(to).signum()));
    let error = 64.0 * ROUNDING * (size + body.half_edges().iter().map(|h| h.as_dvec3().length()).sum::<f64>());
    if depths.iter().any(|(depth, _)| *depth > 0.0) {
        let offset = body.nearest_on_surface(to) - to;
        let distance = offset.length();
        if distance > error {
            return Gap::new(distance - radius, error, offset / distance);
        }
    }
    // The ball's centre lies in the box: out through the nearest face.
    let (separation, normal) = depths.into_iter().fold(depths[0], |a, b| if b.0 > a.0 { b } else { a });
    Gap::new(separation - radius, error, normal)
}
