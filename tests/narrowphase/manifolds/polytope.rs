//! A shape of any kind in `f64`, as vertices, edges and faces: what a manifold is compared with.

use super::{boxes::EDGE_BIAS, oracle};
use cullide_narrowphase::{
    Brush, Capsule, ContactManifold, ContactShape, Hull, Obb, Patch, Triangle,
    glam::{DVec3, Vec3},
};
use cullide_scenes::Rng;

/// How much worse than the best an axis may be, relative to half the extent of the smaller shape.
pub const TOLERANCE: f64 = 1.0 / 256.0;

/// A convex solid, polygon or segment, and everything within a radius of it.
#[derive(Clone, Debug)]
pub struct Polytope {
    pub vertices: Vec<DVec3>,
    pub edges: Vec<[DVec3; 2]>,
    /// The unit normal and the loop of corners of each face, counter-clockwise.
    pub faces: Vec<(DVec3, Vec<DVec3>)>,
    pub radius: f64,
    pub center: DVec3,
    /// How far a corner of a polygon may be off its plane.
    pub bent: f64,
}

/// A shape that owns its data.
#[derive(Clone, Debug)]
pub enum Owned {
    Box(Obb),
    Brush(Brush),
    Patch(Patch),
    Triangle(Triangle),
    Capsule(Capsule),
}

impl Owned {
    pub fn shape(&self) -> ContactShape<'_> {
        match self {
            Self::Box(obb) => ContactShape::Box(obb),
            Self::Brush(brush) => ContactShape::Brush(brush),
            Self::Patch(patch) => ContactShape::Patch(patch),
            Self::Triangle(triangle) => ContactShape::Triangle(triangle),
            Self::Capsule(capsule) => ContactShape::Capsule(capsule),
        }
    }

    /// A random shape of about the given scale around a centre.
    pub fn random(rng: &mut Rng, kind: usize, center: Vec3, scale: f32) -> Self {
        let point = |rng: &mut Rng| center + oracle::vector(rng) * scale;
        loop {
            let found = match kind {
                0 => {
                    let half = Vec3::from([(); 3].map(|()| scale * (0.1 + rng.f32())));
                    let obb = Obb::new(center, oracle::rotation(rng), half).unwrap();
                    let [x, y, z] = obb.half_edges();
                    // Some are skewed.
                    let skew = 0.5 * rng.f32() * f32::from(rng.u8(0..8) / 7);
                    Obb::from_half_edges(center, [x, y + x * skew, z]).ok().map(Self::Box)
                }
                1 => {
                    let half = Vec3::from([(); 3].map(|()| scale * (0.1 + rng.f32())));
                    let obb = Obb::new(center, oracle::rotation(rng), half).unwrap();
                    Brush::try_from(&obb).ok().map(Self::Brush)
                }
                2 => {
                    let points: Vec<Vec3> = (0..rng.usize(4..12)).map(|_| point(rng)).collect();
                    Hull::new(&points).ok().map(|hull| Self::Brush(Brush::from(hull)))
                }
                3 => {
                    let (u, v) = (oracle::vector(rng), oracle::vector(rng));
                    let (u, v) = (u.normalize(), u.cross(v).normalize());
                    let count = rng.usize(3..7);
                    let corner = |i: usize| {
                        let (sin, cos) = (i as f32 * std::f32::consts::TAU / count as f32).sin_cos();
                        center + (u * cos + v * sin * 0.6) * scale
                    };
                    Patch::new(&(0..count).map(corner).collect::<Vec<_>>()).ok().map(Self::Patch)
                }
                4 => {
                    let mut corners = [point(rng), point(rng), point(rng)];
                    if rng.bool() {
                        corners.iter_mut().for_each(|corner| corner.y = center.y);
                    }
                    Triangle::new(corners[0], corners[1], corners[2]).ok().map(Self::Triangle)
                }
                _ => {
                    let mut half = oracle::vector(rng) * scale;
                    if rng.bool() {
                        half = Vec3::AXES[rng.usize(0..3)] * half.x;
                    }
                    let radius = scale * rng.f32() * f32::from(rng.u8(0..4).min(1));
                    Capsule::from_half_axis(center, half, radius).ok().map(Self::Capsule)
                }
            };
            if let Some(found) = found {
                return found;
            }
        }
    }

    /// The same shape elsewhere.
    pub fn moved(&self, by: Vec3) -> Option<Self> {
        let moved = |points: &[Vec3]| points.iter().map(|p| *p + by).collect::<Vec<_>>();
        Some(match self {
            Self::Box(obb) => Self::Box(obb.translated(by).ok()?),
            Self::Brush(brush) => Self::Brush(brush.translated(by).ok()?),
            Self::Patch(patch) => Self::Patch(Patch::new(&moved(patch.points())).ok()?),
            Self::Triangle(triangle) => {
                let [a, b, c] = triangle.points();
                Self::Triangle(Triangle::new(a + by, b + by, c + by).ok()?)
            }
            Self::Capsule(capsule) => {
                let center = capsule.center() + by;
                Self::Capsule(Capsule::from_half_axis(center, capsule.half_axis(), capsule.radius()).ok()?)
            }
        })
    }

    pub fn wide(&self) -> Polytope {
        let center = self.shape().center().as_dvec3();
        let polygon = |points: &[Vec3]| {
            let vertices: Vec<DVec3> = points.iter().map(|p| p.as_dvec3()).collect();
            let count = vertices.len();
            let edges = (0..count).map(|i| [vertices[i], vertices[(i + 1) % count]]).collect();
            let normal = (0..count).map(|i| (vertices[i] - center).cross(vertices[(i + 1) % count] - center));
            let normal = normal.sum::<DVec3>().normalize();
            let back = vertices.iter().rev().copied().collect();
            let faces = vec![(normal, vertices.clone()), (-normal, back)];
            let bent = vertices.iter().map(|v| normal.dot(*v - vertices[0]).abs()).fold(0.0, f64::max);
            Polytope { vertices, edges, faces, radius: 0.0, center, bent }
        };
        let solid = |brush: &Brush| {
            let vertices = brush.vertices().to_vec();
            let edges = brush.edges().iter().map(|edge| edge.vertices.map(|i| vertices[i])).collect();
            let faces = brush.faces();
            let faces = faces.map(|f| (f.plane.normal, f.vertices.iter().map(|&i| vertices[i]).collect())).collect();
            Polytope { vertices, edges, faces, radius: 0.0, center, bent: 0.0 }
        };
        match self {
            Self::Box(obb) => solid(&Brush::try_from(obb).unwrap()),
            Self::Brush(brush) => solid(brush),
            Self::Patch(patch) => polygon(patch.points()),
            Self::Triangle(triangle) => polygon(&triangle.points()),
            Self::Capsule(capsule) => {
                let half = capsule.half_axis().as_dvec3();
                let ends = [center - half, center + half];
                let (vertices, radius) = (ends.to_vec(), capsule.radius().into());
                Polytope { vertices, edges: vec![ends], faces: vec![], radius, center, bent: 0.0 }
            }
        }
    }
}

impl Polytope {
    pub fn reach(&self, normal: DVec3) -> f64 {
        self.vertices.iter().map(|v| normal.dot(*v - self.center)).fold(f64::NEG_INFINITY, f64::max) + self.radius
    }

    pub fn size(&self) -> f64 {
        self.vertices.iter().map(|v| v.distance(self.center)).fold(0.0, f64::max) + self.radius
    }

    /// How far a point is from the surface, roughly: along faces, or from the core.
    fn off_surface(&self, point: DVec3) -> f64 {
        if self.faces.is_empty() {
            let [a, b] = self.edges[0];
            // The lowest point of the ball at an end is inside a capsule that leans.
            return to_segment(point, [a, b]) - self.radius;
        }
        let beyond = |(normal, corners): &(DVec3, Vec<DVec3>)| normal.dot(point - corners[0]);
        let most = self.faces.iter().map(beyond).fold(f64::NEG_INFINITY, f64::max);
        match &self.faces[..] {
            [front, _] => {
                let (normal, corners) = front;
                let side = |i: usize| {
                    let (from, to) = (corners[i], corners[(i + 1) % corners.len()]);
                    (to - from).cross(*normal).normalize().dot(point - from)
                };
                (0..corners.len()).map(side).fold(most, f64::max)
            }
            _ => most.abs(),
        }
    }
}

fn to_segment(point: DVec3, [a, b]: [DVec3; 2]) -> f64 {
    let way = b - a;
    let share = if way == DVec3::ZERO { 0.0 } else { (way.dot(point - a) / way.length_squared()).clamp(0.0, 1.0) };
    point.distance(a + way * share)
}

/// The separation of two shapes along a direction.
pub fn along(a: &Polytope, b: &Polytope, normal: DVec3) -> f64 {
    normal.dot(b.center - a.center) - a.reach(normal) - b.reach(-normal)
}

/// The largest separation along faces, along sides of polygons and across edges, without pairs of edges with a sine
/// below `least_sine`; along faces alone if that is one or more.
pub fn separation(a: &Polytope, b: &Polytope, least_sine: f64) -> f64 {
    let normals = |p: &Polytope| {
        let sides = |(normal, corners): &(DVec3, Vec<DVec3>)| -> Vec<DVec3> {
            let count = if p.faces.len() == 2 && least_sine < 1.0 { corners.len() } else { 0 };
            let side = |i: usize| (corners[(i + 1) % corners.len()] - corners[i]).cross(*normal).normalize();
            std::iter::once(*normal).chain((0..count).map(side)).collect()
        };
        p.faces.iter().flat_map(sides).collect::<Vec<_>>()
    };
    let faces = normals(a).into_iter().chain(normals(b).into_iter().map(|n| -n)).map(|n| along(a, b, n));
    let ways = |p: &Polytope| p.edges.iter().map(|[a, b]| (*b - *a).normalize_or_zero()).collect::<Vec<_>>();
    let (ours, theirs) = (ways(a), ways(b));
    let across = ours.iter().flat_map(|p| theirs.iter().map(|q| p.cross(*q)));
    let across = across.filter(|n| n.length() > least_sine).map(DVec3::normalize);
    // In the plane of a polygon, perpendicular to a segment that may lie in it.
    let in_plane = |p: &Polytope, ways: &[DVec3]| {
        let flat = p.faces.len() == 2 && least_sine < 1.0;
        let ways = if flat { ways.to_vec() } else { vec![] };
        let normal = p.faces.first().map_or(DVec3::ZERO, |(normal, _)| *normal);
        ways.into_iter().filter_map(move |way| normal.cross(way).try_normalize()).collect::<Vec<_>>()
    };
    let beside = in_plane(a, &theirs).into_iter().chain(in_plane(b, &ours));
    let both_ways = across.chain(beside).map(|n| along(a, b, n).max(along(a, b, -n)));
    faces.chain(both_ways).fold(f64::NEG_INFINITY, f64::max)
}

/// The distance of two shapes that are apart.
pub fn distance(a: &Polytope, b: &Polytope) -> f64 {
    let to_faces = |a: &Polytope, b: &Polytope| {
        let mut least = f64::INFINITY;
        for v in &a.vertices {
            for (normal, corners) in &b.faces {
                let height = normal.dot(*v - corners[0]);
                let is_above = (0..corners.len()).all(|i| {
                    let (from, to) = (corners[i], corners[(i + 1) % corners.len()]);
                    (to - from).cross(*normal).dot(*v - from) <= 0.0
                });
                if height >= 0.0 && is_above {
                    least = least.min(height);
                }
            }
        }
        least
    };
    let mut least = to_faces(a, b).min(to_faces(b, a));
    for &p in &a.edges {
        for &q in &b.edges {
            least = least.min(oracle::between(p, q));
            least = least.min(to_segment(p[0], q)).min(to_segment(p[1], q));
            least = least.min(to_segment(q[0], p)).min(to_segment(q[1], p));
        }
    }
    least - a.radius - b.radius
}

/// Checks what holds for every manifold; returns the number of its points.
pub fn check(a: &Polytope, b: &Polytope, margin: f32, manifold: &ContactManifold) -> usize {
    let normal = manifold.normal().as_dvec3();
    assert!((normal.length() - 1.0).abs() < 1e-6, "{normal}");
    let size = a.size() + b.size() + a.center.distance(b.center);
    // Vertices in the world are rounded; those of brushes in `f64`.
    let rounded = oracle::ROUNDED * size + 1e-12 * (a.center.length() + b.center.length());
    let lost = rounded + 2.0 * (a.bent + b.bent);
    let tolerance = 2.0 * TOLERANCE * a.size().min(b.size());
    let (best, chosen) = (separation(a, b, 1e-9), along(a, b, normal));
    // Segments do not penetrate.
    let has_core_apart = best + a.radius + b.radius > 0.0 || a.faces.is_empty() && b.faces.is_empty();
    let truth = if has_core_apart { distance(a, b) } else { best.max(chosen) };
    let found = f64::from(manifold.distance());
    assert!(found <= truth + 2.0 * (a.bent + b.bent), "{found} > {truth}, by the axes {best} and {chosen}");
    let is_round = a.faces.is_empty() || b.faces.is_empty();
    let is_near = found <= f64::from(margin);
    if is_round && is_near {
        assert!(found >= truth - lost, "{found} of {truth}");
    }
    // Edges that are nearly parallel may be skipped, and for two shapes that are apart, any edges whose normals do not
    // meet.
    let reached = if best > 0.0 { separation(a, b, f64::INFINITY) } else { separation(a, b, 1.0 / 250.0) };
    if is_near && !(is_round && has_core_apart) {
        let preferred = 2.0 * tolerance + EDGE_BIAS * (-chosen).max(0.0);
        assert!(chosen >= reached - preferred - size / 1024.0, "{chosen} of {reached}");
    }

    let points = manifold.points();
    assert!(is_near || points.is_empty());
    if !is_round && best < -lost - tolerance || is_round && truth < f64::from(margin) - 2.0 * tolerance {
        let deepest = points.iter().map(|point| point.separation).fold(f32::INFINITY, f32::min);
        assert!(f64::from(deepest) <= best.max(truth) + tolerance + lost, "{deepest} of {best}");
    }
    for (i, point) in points.iter().enumerate() {
        let [p, q] = [a.center + point.from_first.as_dvec3(), b.center + point.from_second.as_dvec3()];
        for (place, solid) in [(p, a), (q, b)] {
            let off = solid.off_surface(place);
            assert!(off <= tolerance + lost, "off by {off} of {size}");
        }
        let separation = normal.dot(q - p);
        assert!((separation - f64::from(point.separation)).abs() <= lost, "{separation} {point:?}");
        assert!(f64::from(point.separation) <= f64::from(margin) + lost);
        assert!(points[..i].iter().all(|other| other.feature != point.feature));
    }
    points.len()
}
