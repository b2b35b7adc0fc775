//! Path against capsule: the distance between two pieces of lines.
//!
//! Whether they touch is exact: the path is a piece of a line, the capsule's axis is another, and they are no farther
//! apart than the radius (see [`lines`](crate::exact::lines)). Where they touch is given by the quadratic of the
//! infinite cylinder about the axis or, beyond the ends of the axis, by that of the ball there.
//!
//! ```text
//!      ╭──┬───────┬──╮      the path enters the cylinder beside the axis: there it enters the capsule;
//!   ───┼──●───────●──┼──    beyond an end: where it enters the ball at that end
//!      ╰──┴───────┴──╯
//! ```
//! Source: Haines, Günther, Akenine-Möller, "Precision Improvements for Ray/Sphere Intersection", Ray Tracing Gems, ch.
//! 7, in the plane across the axis.

use super::{
    Cast, Crossing, Path,
    sphere::{entry_normal, roots},
};
use crate::{
    Capsule,
    exact::{
        lines::{BoundedLine, ExactLine},
        predicate::Exact,
        vector,
    },
};
use glam::DVec3;

impl Cast for Capsule {
    fn crossing(&self, path: &Path) -> Option<Crossing> {
        let radius = f64::from(self.radius());
        let inside = self.is_met(&Path { delta: DVec3::ZERO, max: 0.0, ..*path });
        if path.delta == DVec3::ZERO {
            return inside.then(|| path.starting_inside(path.max));
        }
        if !inside && !self.is_met(path) {
            return None;
        }
        let way = AxialPath::new(self, path);
        if inside {
            return path.starting_inside(way.exit(radius)).within(&self.aabb(), path);
        }
        let (enter, normal) = way.enter(radius);
        let enter = enter.clamp(0.0, path.max) + 0.0;
        let exit = way.exit(radius).clamp(enter, path.max);
        Crossing { enter, exit, normal, inside: false }.within(&self.aabb(), path)
    }

    fn is_crossed(&self, path: &Path) -> bool {
        self.is_met(path)
    }
}

impl Capsule {
    /// Whether a path comes no farther from the axis than the radius, exactly.
    fn is_met(&self, path: &Path) -> bool {
        let line = BoundedLine { base: path.origin, direction: path.delta, max: path.max };
        let nearest = line.nearest_to(&self.axis());
        let apart = nearest.distance - f64::from(self.radius());
        if apart.abs() > nearest.error {
            return apart < 0.0;
        }
        let line = ExactLine::new([path.origin], path.delta, path.max);
        line.reaches(&self.exact_axis(), &Exact::sum(&[self.radius().into()]))
    }
}

/// A path as seen from the middle of a capsule's axis, with its parts along the axis and across it.
struct AxialPath {
    from: DVec3,
    delta: DVec3,
    from_across: DVec3,
    delta_across: DVec3,
    /// Unit; zero for an axis of no length.
    axis: DVec3,
    half_length: f64,
}

impl AxialPath {
    fn new(capsule: &Capsule, path: &Path) -> Self {
        let (half, delta) = (capsule.wide_axis(), path.delta);
        let from = path.origin - capsule.center().as_dvec3();
        let axis = vector::normalized_or_zero(half);
        // By products of `f32` numbers, which are exactly zero for parallel vectors and lose nothing for nearly
        // parallel ones.
        let across = |v: DVec3| if half == DVec3::ZERO { v } else { half.cross(v).cross(half) / half.length_squared() };
        Self { from, delta, from_across: across(from), delta_across: across(delta), axis, half_length: half.length() }
    }

    /// When the line enters a capsule that it touches, and the normal there.
    fn enter(&self, radius: f64) -> (f64, DVec3) {
        match self.end(self.in_cylinder(radius).map(|[enter, _]| enter), -1.0) {
            Some(end) => {
                let nearest = nearest_approach(self.from - end, self.delta);
                (times(self.from - end, self.delta, radius)[0], entry_normal(radius, self.delta, nearest))
            }
            None => {
                let nearest = nearest_approach(self.from_across, self.delta_across);
                let enter = times(self.from_across, self.delta_across, radius)[0];
                // For a capsule of radius zero, against the path as for a ball.
                let against = if radius == 0.0 { self.delta } else { self.delta_across };
                (enter, entry_normal(radius, against, nearest))
            }
        }
    }

    /// When the line leaves the capsule.
    fn exit(&self, radius: f64) -> f64 {
        match self.end(self.in_cylinder(radius).map(|[_, exit]| exit), 1.0) {
            Some(end) => times(self.from - end, self.delta, radius)[1],
            None => times(self.from_across, self.delta_across, radius)[1],
        }
    }

    /// When the line enters and leaves the infinite cylinder; `None` for a line along it.
    fn in_cylinder(&self, radius: f64) -> Option<[f64; 2]> {
        (self.delta_across != DVec3::ZERO).then(|| times(self.from_across, self.delta_across, radius))
    }

    /// The end of the axis beyond which the line is at `time`, or, without a time, as it comes (−1) or goes (1); `None`
    /// beside the axis.
    fn end(&self, time: Option<f64>, going: f64) -> Option<DVec3> {
        let along = match time {
            Some(time) => (self.from + self.delta * time).dot(self.axis),
            None => going * self.delta.dot(self.axis) * f64::INFINITY,
        };
        (along.abs() >= self.half_length).then(|| self.axis * self.half_length.copysign(along))
    }
}

fn nearest_approach(from: DVec3, delta: DVec3) -> DVec3 {
    from - delta * (from.dot(delta) / delta.length_squared())
}

/// When `from + t delta` is at a distance of `radius` from the origin.
fn times(from: DVec3, delta: DVec3, radius: f64) -> [f64; 2] {
    let left = radius * radius - nearest_approach(from, delta).length_squared();
    roots(delta.length_squared(), -from.dot(delta), from.length_squared() - radius * radius, left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ray, Segment, Sphere};
    use glam::Vec3;

    /// From (0, 1, 0) to (0, 3, 0), of radius 1.
    fn pill() -> Capsule {
        Capsule::new(Vec3::Y, Vec3::Y * 3.0, 1.0).unwrap()
    }

    #[test]
    fn a_ray_hits_the_side_at_right_angles() {
        let hit = Ray::new(Vec3::new(-4.0, 1.5, 0.0), Vec3::X).unwrap().cast(&pill(), 9.0).unwrap();
        assert_eq!((hit.distance, hit.exit, hit.normal, hit.inside), (3.0, 5.0, Vec3::NEG_X, false));
    }

    #[test]
    fn a_ray_along_the_axis_hits_the_caps() {
        let hit = Ray::new(Vec3::Y * 9.0, Vec3::NEG_Y).unwrap().cast(&pill(), 99.0).unwrap();
        assert_eq!((hit.distance, hit.exit, hit.normal), (5.0, 9.0, Vec3::Y));
        // Parallel to the axis and touching the side.
        let side = Ray::new(Vec3::new(1.0, 9.0, 0.0), Vec3::NEG_Y).unwrap().cast(&pill(), 99.0).unwrap();
        assert_eq!((side.distance, side.exit), (6.0, 8.0));
        let beside = Vec3::new(1f32.next_up(), 9.0, 0.0);
        assert!(!Ray::new(beside, Vec3::NEG_Y).unwrap().hits(&pill(), 99.0));
    }

    #[test]
    fn a_cap_is_hit_where_its_ball_is() {
        let ball = Sphere::new(Vec3::Y * 3.0, 1.0).unwrap();
        let path = Segment::between(Vec3::new(-3.0, 5.0, 0.25), Vec3::new(2.0, 2.5, -0.25)).unwrap();
        let (expected, got) = (path.cast(&ball).unwrap(), path.cast(&pill()).unwrap());
        assert_eq!((got.fraction, got.normal), (expected.fraction, expected.normal));
    }

    #[test]
    fn starts_inside_and_points_follow_the_contract() {
        let inside = Segment::new(Vec3::Y * 2.0, Vec3::X * 4.0).unwrap().cast(&pill()).unwrap();
        assert_eq!((inside.fraction, inside.exit, inside.inside, inside.normal), (0.0, 0.25, true, Vec3::NEG_X));
        let point = |p: Vec3| Segment::new(p, Vec3::ZERO).unwrap().hits(&pill());
        assert!(point(Vec3::new(0.6, 3.8, 0.0)) == pill().contains_point(Vec3::new(0.6, 3.8, 0.0)));
        assert!(point(Vec3::ZERO) && point(Vec3::new(1.0, 2.0, 0.0)) && !point(Vec3::new(1f32.next_up(), 2.0, 0.0)));
    }

    #[test]
    fn a_capsule_of_no_size_is_a_segment_and_a_point() {
        let needle = Capsule::new(Vec3::Y, Vec3::Y * 3.0, 0.0).unwrap();
        let hit = Ray::new(Vec3::new(-4.0, 2.0, 0.0), Vec3::X).unwrap().cast(&needle, 9.0).unwrap();
        assert_eq!((hit.distance, hit.exit, hit.normal), (4.0, 4.0, Vec3::NEG_X));
        assert!(!Ray::new(Vec3::new(-4.0, 2.0, 1e-30), Vec3::X).unwrap().hits(&needle, 9.0));
        let point = Capsule::new(Vec3::Y, Vec3::Y, 0.0).unwrap();
        let hit = Ray::new(Vec3::new(-4.0, 1.0, 0.0), Vec3::X).unwrap().cast(&point, 9.0).unwrap();
        assert_eq!((hit.distance, hit.normal), (4.0, Vec3::NEG_X));
    }
}
