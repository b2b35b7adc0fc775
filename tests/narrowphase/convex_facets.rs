//! The truth about two convexes from all facets of their difference: the plain way, and for integers exact, because
//! every product below is then an integer that an `f64` holds.
//!
//! The difference is that of all points of the second less all of the first; the first moves.

use cullide_narrowphase::{
    Convex, ConvexCore, Hull, Triangle,
    glam::{DVec3, Vec3},
};
use cullide_scenes::Rng;
use std::cmp::Ordering::{self, Equal, Greater, Less};

/// A hull or a triangle as vertices, faces and edges.
pub struct Solid {
    pub vertices: Vec<DVec3>,
    normals: Vec<DVec3>,
    loops: Vec<Vec<usize>>,
    edges: Vec<([usize; 2], [usize; 2])>,
    pub core: ConvexCore,
}

/// A number as a quotient whose second part is positive.
#[derive(Clone, Copy, Debug)]
pub struct Fraction(pub f64, pub f64);

impl Fraction {
    pub fn cmp(self, other: Self) -> Ordering {
        (self.0 * other.1 + 0.0).total_cmp(&(other.0 * self.1 + 0.0))
    }

    pub fn value(self) -> f64 {
        self.0 / self.1
    }
}

impl Solid {
    pub fn hull(points: &[Vec3]) -> Option<Self> {
        let hull = Hull::new(points).ok()?;
        let vertices: Vec<DVec3> = hull.vertices().map(|v| v.as_dvec3()).collect();
        let loops: Vec<Vec<usize>> = hull.faces().map(|face| face.vertices.to_vec()).collect();
        let normals = loops.iter().map(|face| widest_normal(&vertices, face)).collect();
        let edges = hull.edges().iter().map(|edge| (edge.vertices, edge.faces)).collect();
        Some(Self { vertices, normals, loops, edges, core: Convex::from(&hull).core() })
    }

    pub fn triangle(points: &[Vec3]) -> Option<Self> {
        let &[a, b, c] = points else { return None };
        let triangle = Triangle::new(a, b, c).ok()?;
        let vertices = vec![a.as_dvec3(), b.as_dvec3(), c.as_dvec3()];
        let loops = vec![vec![0, 1, 2], vec![0, 2, 1]];
        let normals = loops.iter().map(|face| widest_normal(&vertices, face)).collect();
        let edges = [[0, 1], [1, 2], [2, 0]].map(|edge| (edge, [0, 1])).to_vec();
        Some(Self { vertices, normals, loops, edges, core: Convex::from(triangle).core() })
    }

    /// The same with its vertices moved; the core stays.
    pub fn moved(&self, by: DVec3) -> Self {
        let vertices = self.vertices.iter().map(|v| *v + by).collect();
        let (normals, loops, edges) = (self.normals.clone(), self.loops.clone(), self.edges.clone());
        Self { vertices, normals, loops, edges, core: self.core.clone() }
    }

    /// The same moved, core and all, by a vector of `f32`.
    pub fn placed(&self, by: DVec3) -> Self {
        Self { core: self.core.translated(by.as_vec3()).unwrap(), ..self.moved(by) }
    }

    fn way(&self, edge: [usize; 2]) -> DVec3 {
        self.vertices[edge[1]] - self.vertices[edge[0]]
    }

    fn is_flat(&self) -> bool {
        self.normals.len() == 2
    }

    fn triangles(&self) -> impl Iterator<Item = [DVec3; 3]> + '_ {
        self.loops
            .iter()
            .flat_map(|face| face[1..].windows(2).map(|pair| [face[0], pair[0], pair[1]].map(|i| self.vertices[i])))
    }
}

fn widest_normal(vertices: &[DVec3], face: &[usize]) -> DVec3 {
    let at = |i: usize| vertices[face[i]] - vertices[face[0]];
    let normals = (2..face.len()).map(|i| at(i - 1).cross(at(i)));
    normals.max_by(|a, b| a.length_squared().total_cmp(&b.length_squared())).unwrap_or_default()
}

/// How far the difference reaches along `n`.
pub fn reach(a: &Solid, b: &Solid, n: DVec3) -> f64 {
    let most = |solid: &Solid, n: DVec3| solid.vertices.iter().map(|v| v.dot(n)).fold(f64::NEG_INFINITY, f64::max);
    most(b, n) + most(a, -n) + 0.0
}

/// Outward normals of all facets of the difference, and of some planes that only touch it.
pub fn facets(a: &Solid, b: &Solid) -> Vec<DVec3> {
    let mut normals: Vec<DVec3> = b.normals.iter().copied().chain(a.normals.iter().map(|n| -n)).collect();
    let is_flat = a.is_flat() || b.is_flat();
    for (own, faces) in &a.edges {
        for (other, others) in &b.edges {
            let (e, f) = (a.way(*own), b.way(*other));
            let side =
                |solid: &Solid, faces: &[usize; 2], way: DVec3| faces.map(|i| solid.normals[i].dot(way).signum());
            let crosses = |[x, y]: [f64; 2], way: DVec3| x * y < 0.0 || way == DVec3::ZERO;
            let is_facet = crosses(side(a, faces, f), f) && crosses(side(b, others, e), e);
            if is_flat || is_facet || touches(a, faces, f) || touches(b, others, e) {
                normals.extend([e.cross(f), f.cross(e)]);
            }
        }
    }
    for solid in [a, b].into_iter().filter(|solid| solid.is_flat()) {
        for (edge, _) in &solid.edges {
            let n = solid.way(*edge).cross(solid.normals[0]);
            normals.extend([n, -n]);
        }
    }
    normals.retain(|n| *n != DVec3::ZERO);
    normals
}

/// Whether a way runs along one of the two faces of an edge.
fn touches(solid: &Solid, faces: &[usize; 2], way: DVec3) -> bool {
    faces.iter().any(|i| solid.normals[*i].dot(way) == 0.0)
}

/// When the line along `motion` enters and leaves the difference; `None` if it does not go through its interior.
pub fn times(a: &Solid, b: &Solid, motion: DVec3) -> Option<[Fraction; 2]> {
    let (mut enter, mut exit) = (Fraction(f64::NEG_INFINITY, 1.0), Fraction(f64::INFINITY, 1.0));
    for n in facets(a, b) {
        let (h, along) = (reach(a, b, n), n.dot(motion));
        if along < 0.0 {
            let time = Fraction(-h, -along);
            if time.cmp(enter) == Greater {
                enter = time;
            }
        } else if along > 0.0 {
            let time = Fraction(h, along);
            if time.cmp(exit) == Less {
                exit = time;
            }
        } else if h <= 0.0 {
            return None;
        }
    }
    (enter.cmp(exit) == Less).then_some([enter, exit])
}

/// Whether the two are apart (`Less`), touch, or have inner points in common, by the facets of a solid difference.
pub fn relation(a: &Solid, b: &Solid) -> Ordering {
    facets(a, b).into_iter().map(|n| reach(a, b, n).total_cmp(&0.0)).min().unwrap_or(Equal)
}

/// The distance of two that are apart: between all corners and faces, and all pairs of edges.
pub fn distance(a: &Solid, b: &Solid) -> f64 {
    let mut least = f64::INFINITY;
    for (one, other) in [(a, b), (b, a)] {
        for point in &one.vertices {
            least = other.triangles().map(|triangle| to_inside(*point, triangle)).fold(least, f64::min);
        }
    }
    for (own, _) in &a.edges {
        for (other, _) in &b.edges {
            least = least.min(of_edges(own.map(|i| a.vertices[i]), other.map(|i| b.vertices[i])));
        }
    }
    least
}

/// The distance of a point from a triangle whose plane has its foot inside; infinite otherwise.
fn to_inside(point: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let n = (b - a).cross(c - a);
    let is_inside = [(a, b), (b, c), (c, a)].iter().all(|&(p, q)| n.cross(q - p).dot(point - p) >= 0.0);
    if is_inside { (n.dot(point - a) / n.length()).abs() } else { f64::INFINITY }
}

/// The distance of two segments.
fn of_edges([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> f64 {
    let to_segment = |p: DVec3, a: DVec3, b: DVec3| {
        let t = (p - a).dot(b - a) / (b - a).length_squared();
        p.distance(a + (b - a) * t.clamp(0.0, 1.0))
    };
    let ends = [to_segment(a, c, d), to_segment(b, c, d), to_segment(c, a, b), to_segment(d, a, b)];
    let n = (b - a).cross(d - c);
    let (s, t) = ((c - a).cross(d - c).dot(n), (c - a).cross(b - a).dot(n));
    let whole = n.length_squared();
    let inner = if whole > 0.0 && s >= 0.0 && s <= whole && t >= 0.0 && t <= whole {
        ((c - a).dot(n) / n.length()).abs()
    } else {
        f64::INFINITY
    };
    ends.into_iter().fold(inner, f64::min)
}

/// A direction of unit length.
pub fn direction(rng: &mut Rng) -> DVec3 {
    loop {
        let v = DVec3::from([(); 3].map(|()| 2.0 * rng.f64() - 1.0));
        if (0.01..1.0).contains(&v.length_squared()) {
            return v / v.length();
        }
    }
}

/// Three directions at right angles.
pub fn frame(rng: &mut Rng) -> [DVec3; 3] {
    loop {
        let (a, b) = (direction(rng), direction(rng));
        let c = a.cross(b);
        if c.length() > 0.1 {
            let c = c / c.length();
            return [a, c.cross(a), c];
        }
    }
}

/// Points on the unit sphere, stretched along the axes, turned and moved.
pub fn cloud(rng: &mut Rng, count: usize, size: DVec3, frame: [DVec3; 3], center: DVec3) -> Vec<Vec3> {
    let place = |p: DVec3| (center + frame[0] * p.x + frame[1] * p.y + frame[2] * p.z).as_vec3();
    (0..count).map(|_| place(direction(rng) * size)).collect()
}
