//! What a mesh should answer, by brute force: rays and distances in `f64` without any library, with an allowance for
//! rounding; sweeps and overlaps by asking each triangle on its own.

use crate::{mesh_peer::Body, mesh_question::Question, peer::Path};
use cullide_narrowphase::Solid as _;
use cullide_narrowphase::{
    BoxSweep, Capsule, CapsuleSweep, Obb, Sides, Sphere, SphereSweep, Sweep, Triangle,
    glam::{DVec3, Vec3},
};
use cullide_scenes::Surface;

/// How far rounding may move a value, relative to the coordinates involved.
const ROUNDING: f64 = 16.0 * f32::EPSILON as f64;

/// The range of right answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Right {
    from: f64,
    to: f64,
}

impl Right {
    /// An answer that rounding does not move.
    fn exactly(answer: f64) -> Self {
        Self { from: answer, to: answer }
    }

    pub fn allows(&self, answer: f32) -> bool {
        (self.from..=self.to).contains(&f64::from(answer))
    }
}

/// What is right for the question with this number, if rays hit triangles from these sides; `None` if brute force
/// cannot tell.
pub fn right(surface: &Surface, question: &Question, number: usize, sides: Sides) -> Option<Right> {
    match question {
        Question::Rays(paths, reach) => Some(first_hit(surface, &paths[number], reach.limit(), sides)),
        Question::Closest(points) => Some(distance(surface, points[number])),
        Question::Sweep(sweeps) => {
            let (body, motion) = sweeps[number];
            let (share, room) = (swept(body, motion)?, bounds(body).swept(motion));
            let shares = near(surface, &room).map(|triangle| match share(&triangle) {
                Sweep::Clear => f64::INFINITY,
                Sweep::Hit(hit) => f64::from(hit.toi),
                Sweep::Overlap(_) => 0.0,
            });
            Some(Right::exactly(shares.fold(f64::INFINITY, f64::min)))
        }
        Question::Overlap(bodies) => {
            let touches = |triangle: &Triangle| match bodies[number] {
                Body::Ball { center, radius } => {
                    Sphere::new(center, radius).is_ok_and(|b| triangle.overlaps_sphere(&b))
                }
                Body::Box(placed) => Obb::new(placed.center, placed.rotation, placed.half_extents)
                    .is_ok_and(|b| triangle.overlaps_obb(&b)),
                Body::Capsule { ends: [a, b], radius } => {
                    Capsule::new(a, b, radius).is_ok_and(|b| triangle.overlaps_capsule(&b))
                }
            };
            let found = near(surface, &bounds(bodies[number])).any(|triangle| touches(&triangle));
            Some(Right::exactly(f64::from(u8::from(found))))
        }
    }
}

/// Where a path first hits the surface: at the earliest if all triangles are as large as rounding may make them, at the
/// latest if they are as small.
fn first_hit(surface: &Surface, path: &Path, limit: f32, sides: Sides) -> Right {
    let ([start, delta], limit) = (path.map(wide), f64::from(limit));
    let mut right = Right { from: f64::INFINITY, to: f64::INFINITY };
    for corners in surface.corners().map(|corners| corners.map(wide)) {
        let [a, b, c] = corners;
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let slope = delta.dot(normal);
        if normal == DVec3::ZERO || (sides == Sides::Front && slope > 0.0) || slope == 0.0 {
            continue;
        }
        let share = (a - start).dot(normal) / slope;
        if !(-1e-3 * limit..=1.001 * limit).contains(&share) {
            continue;
        }
        let point = start + delta * share;
        let edges = [(a, b), (b, c), (c, a)];
        let depth = |(p, q): (DVec3, DVec3)| normal.cross(q - p).normalize_or_zero().dot(point - p);
        let depth = edges.map(depth).into_iter().fold(f64::INFINITY, f64::min);
        let size =
            corners.map(|corner| corner.abs().max_element()).into_iter().fold(start.abs().max_element(), f64::max);
        // A plane that is slightly off is hit this much earlier or later.
        let slack = ROUNDING * size / slope.abs();
        let aside = slack * delta.length();
        if depth >= -aside && (-slack..=limit + slack).contains(&share) {
            right.from = right.from.min(share - slack);
        }
        if depth >= aside && (slack..=limit - slack).contains(&share) {
            right.to = right.to.min(share + slack);
        }
    }
    right
}

/// The distance from a point to the surface.
fn distance(surface: &Surface, point: Vec3) -> Right {
    let point = point.as_dvec3();
    let (mut least, mut size) = (f64::INFINITY, point.abs().max_element());
    for corners in surface.corners().map(|corners| corners.map(wide)) {
        let [a, b, c] = corners;
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let edges = [(a, b), (b, c), (c, a)];
        let is_above = |(p, q): (DVec3, DVec3)| normal.cross(q - p).dot(point - p) >= 0.0;
        let to_edge = |(p, q): (DVec3, DVec3)| {
            let (edge, from) = (q - p, point - p);
            let share = (from.dot(edge) / edge.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
            (from - edge * share).length()
        };
        let distance = if normal != DVec3::ZERO && edges.into_iter().all(is_above) {
            normal.dot(point - a).abs()
        } else {
            edges.map(to_edge).into_iter().fold(f64::INFINITY, f64::min)
        };
        if distance < least {
            (least, size) = (distance, size.max(a.abs().max_element()));
        }
    }
    let slack = ROUNDING * size;
    Right { from: least - slack, to: least + slack }
}

/// A body against one triangle.
type Against = Box<dyn Fn(&Triangle) -> Sweep>;

/// The sweep of a body against a triangle.
fn swept(body: Body, motion: Vec3) -> Option<Against> {
    match body {
        Body::Ball { center, radius } => {
            let sweep = SphereSweep::new(Sphere::new(center, radius).ok()?, motion).ok()?;
            Some(Box::new(move |triangle| sweep.against(triangle)))
        }
        Body::Box(placed) => {
            let body = Obb::new(placed.center, placed.rotation, placed.half_extents).ok()?;
            let sweep = BoxSweep::new(body, motion).ok()?;
            Some(Box::new(move |triangle| sweep.against(triangle)))
        }
        Body::Capsule { ends: [a, b], radius } => {
            let sweep = CapsuleSweep::new(Capsule::new(a, b, radius).ok()?, motion).ok()?;
            Some(Box::new(move |triangle| sweep.against(triangle)))
        }
    }
}

/// A box around a body, with some margin.
fn bounds(body: Body) -> Room {
    let (center, reach) = match body {
        Body::Ball { center, radius } => (center, radius),
        Body::Box(placed) => (placed.center, placed.half_extents.length()),
        Body::Capsule { ends: [a, b], radius } => (0.5 * (a + b), 0.5 * a.distance(b) + radius),
    };
    let reach = 1.001 * reach + 1e-5 * center.abs().max_element();
    Room { min: center - reach, max: center + reach }
}

struct Room {
    min: Vec3,
    max: Vec3,
}

impl Room {
    fn swept(self, motion: Vec3) -> Self {
        Self { min: self.min + motion.min(Vec3::ZERO), max: self.max + motion.max(Vec3::ZERO) }
    }
}

/// The triangles with an area whose boxes are near a room.
fn near(surface: &Surface, room: &Room) -> impl Iterator<Item = Triangle> {
    let (min, max) = (room.min, room.max);
    surface.corners().map(|corners| corners.map(Vec3::from)).filter_map(move |[a, b, c]| {
        let is_near = a.min(b).min(c).cmple(max).all() && a.max(b).max(c).cmpge(min).all();
        if is_near { Triangle::new(a, b, c).ok() } else { None }
    })
}

fn wide(v: [f32; 3]) -> DVec3 {
    Vec3::from(v).as_dvec3()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peer::Reach;

    /// A triangle at z = 2, facing up.
    fn surface() -> Surface {
        let vertices = vec![[0.0, 0.0, 2.0], [4.0, 0.0, 2.0], [0.0, 4.0, 2.0]];
        Surface { vertices, triangles: vec![[0, 1, 2], [0, 1, 1]] }
    }

    fn ray(start: [f32; 3], sides: Sides) -> Right {
        let question = Question::Rays(vec![[start, [0.0, 0.0, 1.0]]], Reach::Distance(9.0));
        right(&surface(), &question, 0, sides).expect("an answer")
    }

    #[test]
    fn a_ray_hits_the_inside_misses_the_outside_and_may_do_either_at_an_edge() {
        assert!(ray([1.0, 1.0, 0.0], Sides::Both).allows(2.0) && !ray([1.0, 1.0, 0.0], Sides::Both).allows(2.001));
        assert!(!ray([1.0, 1.0, 0.0], Sides::Both).allows(f32::INFINITY));
        assert!(ray([1.0, 1.0, 0.0], Sides::Front).allows(f32::INFINITY));
        assert!(
            ray([3.0, 3.0, 0.0], Sides::Both).allows(f32::INFINITY) && !ray([3.0, 3.0, 0.0], Sides::Both).allows(2.0)
        );
        assert!(
            ray([2.0, 2.0, 0.0], Sides::Both).allows(f32::INFINITY) && ray([2.0, 2.0, 0.0], Sides::Both).allows(2.0)
        );
    }

    #[test]
    fn a_point_is_nearest_to_the_face_an_edge_or_a_vertex() {
        let distance = |point: Vec3| right(&surface(), &Question::Closest(vec![point]), 0, Sides::Both).expect("one");
        assert!(distance(Vec3::new(1.0, 1.0, 5.0)).allows(3.0) && !distance(Vec3::new(1.0, 1.0, 5.0)).allows(3.001));
        assert!(distance(Vec3::new(1.0, -3.0, 6.0)).allows(5.0));
        assert!(distance(Vec3::new(-2.0, -3.0, 8.0)).allows(7.0));
    }

    #[test]
    fn capsules_are_swept_by_both_ends() {
        let ends = [Vec3::new(1.0, 1.0, -3.0), Vec3::new(1.0, 1.0, 0.0)];
        let question = Question::Sweep(vec![(Body::Capsule { ends, radius: 1.0 }, Vec3::Z * 4.0)]);
        assert_eq!(right(&surface(), &question, 0, Sides::Both), Some(Right::exactly(0.25)));
    }

    #[test]
    fn balls_touch_and_are_swept_triangle_by_triangle() {
        let ball = Body::Ball { center: Vec3::new(1.0, 1.0, 0.0), radius: 1.0 };
        let answer = |question| right(&surface(), &question, 0, Sides::Both).expect("an answer");
        assert_eq!(answer(Question::Overlap(vec![ball])), Right::exactly(0.0));
        assert_eq!(answer(Question::Sweep(vec![(ball, Vec3::Z * 4.0)])), Right::exactly(0.25));
        assert_eq!(answer(Question::Sweep(vec![(ball, Vec3::Z * 0.5)])), Right::exactly(f64::INFINITY));
    }
}
