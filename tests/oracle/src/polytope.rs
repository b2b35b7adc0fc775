//! Convex solids with rational corners: built from planes, swept against, and measured for separation.
//!
//! A box and a polytope can only be separated along a facet normal of their Minkowski sum: a face normal of either or
//! the cross product of an edge of each (Gottschalk, Lin & Manocha, "OBBTree", 1996, for boxes).

use std::{cmp::Ordering, collections::BTreeMap};

use crate::sweep::{Sweep, verdict};
use crate::vector::{Aabb, Obb, Point, Real, Vector, common_point};
use crate::zonotope::{Slab, Zonotope, facet_axes};
use crate::{Exact, Ratio};

/// A bounded convex solid, or a convex polygon.
#[derive(Clone, Debug)]
pub struct Polytope {
    vertices: Vec<Point>,
    /// The directions of the edges, one for each set of parallel edges.
    edges: Vec<Vector>,
    /// The face normals, one for each set of parallel faces; none for a polygon.
    normals: Vec<Vector>,
}

impl Polytope {
    /// The solid `normal · p <= distance` for every `[normal, distance]`; redundant planes do no harm. `None` if it is
    /// empty, flat or unbounded.
    pub fn from_planes<T: Real>(planes: &[[T; 4]]) -> Option<Self> {
        let exact = |&[x, y, z, distance]: &[T; 4]| (Vector::new([x, y, z]), Exact::new(distance));
        Self::from_half_spaces(planes.iter().map(exact).collect())
    }

    /// The solid behind planes through three points each, clockwise seen from outside, as level editors write them.
    /// `None` if it is empty, flat or unbounded.
    pub fn from_point_triples<T: Real>(triples: &[[[T; 3]; 3]]) -> Option<Self> {
        let plane = |triple: &[[T; 3]; 3]| {
            let [a, b, c] = triple.map(Vector::new);
            let normal = c.minus(&a).cross(&b.minus(&a));
            let distance = normal.dot(&a);
            (normal, distance)
        };
        Self::from_half_spaces(triples.iter().map(plane).collect())
    }

    /// A convex polygon: the corners of one plane, in order. They must be exactly coplanar (three always are).
    pub fn from_polygon<T: Real>(corners: &[[T; 3]]) -> Self {
        let vertices: Vec<_> = corners.iter().map(|&corner| Point::new(corner)).collect();
        let next = vertices.iter().cycle().skip(1);
        let edges = vertices.iter().zip(next).map(|(a, b)| a.direction_to(b));
        Self { edges: without_parallels(edges), vertices, normals: Vec::new() }
    }

    /// The parallelepiped of a centre and three half edges; without volume it is a polygon, a segment or a point.
    pub fn from_obb<T: Real>(obb: Obb<T>) -> Self {
        let [center, a, b, c] = obb.map(Vector::new);
        let half_edges = [a, b, c];
        let corner = |index: usize| {
            let signed = |sum: Vector, i: usize| {
                if index >> i & 1 == 1 { sum.plus(&half_edges[i]) } else { sum.minus(&half_edges[i]) }
            };
            Point { numerator: (0..3).fold(center.clone(), signed), denominator: Exact::ONE }
        };
        let normals = without_parallels((0..3).map(|i| half_edges[i].cross(&half_edges[(i + 1) % 3])));
        let vertices = (0..8).map(corner).collect();
        let normals = if normals.len() == 3 { normals } else { Vec::new() };
        Self { vertices, normals, edges: without_parallels(half_edges.into_iter()) }
    }

    fn from_half_spaces(planes: Vec<(Vector, Exact)>) -> Option<Self> {
        let height = |point: &Point, plane: usize| {
            let (normal, distance) = &planes[plane];
            (point.numerator.dot(normal) - distance * &point.denominator).sign()
        };
        let rounded: Vec<Rounded> = planes.iter().map(|(normal, distance)| Rounded::new(normal, distance)).collect();
        let mut vertices: Vec<Point> = Vec::new();
        let mut lines = Vec::new();
        for j in 0..planes.len() {
            for i in 0..j {
                let line = planes[i].0.cross(&planes[j].0);
                let across: Vec<usize> = (0..i).filter(|k| !planes[*k].0.dot(&line).is_zero()).collect();
                lines.push((i, j, line));
                for k in across.into_iter().filter(|k| !certainly_outside(&rounded, [*k, i, j])) {
                    let three = [k, i, j].map(|index| (&planes[index].0, &planes[index].1));
                    let Some(point) = common_point(three) else { continue };
                    let inside = (0..planes.len()).all(|plane| height(&point, plane).is_le());
                    if inside && !vertices.contains(&point) {
                        vertices.push(point);
                    }
                }
            }
        }
        // An unbounded solid with a vertex has an infinite edge, along the line of two of its planes.
        let falls = |line: &Vector, sign: Ordering| planes.iter().all(|(normal, _)| normal.dot(line).sign() != sign);
        let endless =
            |line: &Vector| !line.is_zero() && (falls(line, Ordering::Less) || falls(line, Ordering::Greater));
        if vertices.len() < 4 || lines.iter().any(|(_, _, line)| endless(line)) {
            return None;
        }
        // How many vertices lie on two planes: both ends of an edge do.
        let mut on_both: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for point in &vertices {
            let through: Vec<usize> = (0..planes.len()).filter(|plane| height(point, *plane).is_eq()).collect();
            for (n, j) in through.iter().enumerate() {
                through[..n].iter().for_each(|i| *on_both.entry((*i, *j)).or_default() += 1);
            }
        }
        let edges = lines.into_iter().filter_map(|(i, j, line)| {
            (!line.is_zero() && on_both.get(&(i, j)).is_some_and(|count| *count > 1)).then_some(line)
        });
        let edges = without_parallels(edges);
        let normals = without_parallels(planes.iter().map(|plane| plane.0.clone()));
        spans_space(&edges).then_some(Self { vertices, edges, normals })
    }

    /// The corners.
    pub fn vertices(&self) -> &[Point] {
        &self.vertices
    }

    /// The directions of the edges, one for each set of parallel edges, of no particular length.
    pub fn edge_directions(&self) -> &[Vector] {
        &self.edges
    }

    /// The smallest and the largest coordinate along an axis.
    pub fn bounds(&self, axis: usize) -> [Ratio; 2] {
        self.extent(&Vector::axis(axis))
    }

    fn extent(&self, direction: &Vector) -> [Ratio; 2] {
        let heights = || self.vertices.iter().map(|vertex| vertex.dot(direction));
        [heights().min(), heights().max()].map(|end| end.expect("a polytope has corners"))
    }

    /// Axes that suffice to decide whether the polytope and a box share points, and the extent of their Minkowski sum
    /// on each.
    fn sum_extents<'a>(&'a self, body: &'a Zonotope) -> impl Iterator<Item = (Vector, [Ratio; 2])> + 'a {
        let box_edges = &body.generators;
        let axes = if self.normals.is_empty() {
            facet_axes(&[self.edges.clone(), box_edges.clone()].concat())
        } else {
            let pairs = self.edges.iter().flat_map(|edge| box_edges.iter().map(|other| edge.cross(other)));
            let faces = (0..3).map(|i| box_edges[i].cross(&box_edges[(i + 1) % 3]));
            without_parallels(self.normals.iter().cloned().chain(faces).chain(pairs))
        };
        axes.into_iter().map(|axis| {
            let radius = body.radius(&axis);
            let [low, high] = self.extent(&axis);
            let extent = [low.plus(&-&radius), high.plus(&radius)];
            (axis, extent)
        })
    }

    fn slabs(&self, body: &Zonotope, delta: &Vector) -> Vec<Slab> {
        self.sum_extents(body)
            .map(|(axis, [low, high])| Slab::new(&body.center.dot(&axis), &delta.dot(&axis), &low, &high))
            .collect()
    }

    fn meets(&self, body: &Zonotope) -> bool {
        let slabs = self.slabs(body, &Vector::new([0, 0, 0]));
        slabs.iter().all(|slab| slab.sides.iter().all(|side| !side.value.is_negative()))
    }

    fn gap(&self, body: &Zonotope) -> Gap {
        let separations = self.sum_extents(body).map(|(axis, [low, high])| {
            let at = body.center.dot(&axis);
            let beyond = high.plus(&-&at).negated().max(low.plus(&-at));
            let square = beyond.numerator() * &beyond.numerator().abs();
            let length = beyond.denominator() * beyond.denominator() * axis.length_squared();
            Ratio::new(square, length)
        });
        Gap { signed_square: separations.max().expect("there is always an axis") }
    }
}

/// A plane in `f64`, with a unit normal.
struct Rounded {
    normal: [f64; 3],
    distance: f64,
}

impl Rounded {
    fn new(normal: &Vector, distance: &Exact) -> Self {
        let wide = [0, 1, 2].map(|i| normal.0[i].to_f64());
        let length = dot(wide, wide).sqrt();
        Self { normal: wide.map(|x| x / length), distance: distance.to_f64() / length }
    }
}

/// Whether the common point of three planes lies in front of another one, by much more than `f64` may be wrong: of the
/// millions of points that a solid of hundreds of faces has, all but its corners.
fn certainly_outside(planes: &[Rounded], three: [usize; 3]) -> bool {
    let [a, b, c] = three.map(|i| &planes[i]);
    let crosses = [cross(b.normal, c.normal), cross(c.normal, a.normal), cross(a.normal, b.normal)];
    let determinant = dot(a.normal, crosses[0]);
    let sum = |i: usize| a.distance * crosses[0][i] + b.distance * crosses[1][i] + c.distance * crosses[2][i];
    let point = [0, 1, 2].map(|i| sum(i) / determinant);
    let size = a.distance.abs() + b.distance.abs() + c.distance.abs();
    let doubt = DOUBT * size / (determinant * determinant);
    // A NaN is in doubt.
    planes.iter().any(|plane| dot(plane.normal, point) - plane.distance > doubt + DOUBT * plane.distance.abs())
}

/// A thousand times what rounding does to a point, relative to the distances of its planes and divided by the square of
/// their determinant.
const DOUBT: f64 = 1e-12;

fn dot([a, b, c]: [f64; 3], [x, y, z]: [f64; 3]) -> f64 {
    a * x + b * y + c * z
}

fn cross([a, b, c]: [f64; 3], [x, y, z]: [f64; 3]) -> [f64; 3] {
    [b * z - c * y, c * x - a * z, a * y - b * x]
}

/// The signed separation of two convex bodies along their best separating axis.
///
/// Negative: the depth, which is how far one has to move to leave the other's interior. Zero or more: the interiors are
/// apart, by at least this much.
#[derive(Clone, Debug)]
pub struct Gap {
    /// The square of the separation, with the separation's sign: it is rational even where the separation is not.
    pub signed_square: Ratio,
}

impl Gap {
    /// Whether the interiors share points.
    pub fn is_penetrating(&self) -> bool {
        self.signed_square.sign().is_lt()
    }

    /// The separation, accurate to two ulps.
    pub fn to_f64(&self) -> f64 {
        let square = self.signed_square.to_f64();
        square.abs().sqrt().copysign(square)
    }
}

/// Whether an axis-aligned box and a polytope share a point.
pub fn aabb_polytope<T: Real>(aabb: Aabb<T>, polytope: &Polytope) -> bool {
    polytope.meets(&Zonotope::from_aabb(aabb))
}

/// Whether a parallelepiped and a polytope share a point.
pub fn obb_polytope<T: Real>(obb: Obb<T>, polytope: &Polytope) -> bool {
    polytope.meets(&Zonotope::from_obb(obb))
}

/// An axis-aligned box moving by `delta` against a polytope at rest.
pub fn sweep_aabb_polytope<T: Real>(aabb: Aabb<T>, delta: [T; 3], polytope: &Polytope) -> Sweep {
    verdict(&polytope.slabs(&Zonotope::from_aabb(aabb), &Vector::new(delta)))
}

/// A parallelepiped moving by `delta` against a polytope at rest; with zero half edges, a moving point.
pub fn sweep_obb_polytope<T: Real>(obb: Obb<T>, delta: [T; 3], polytope: &Polytope) -> Sweep {
    verdict(&polytope.slabs(&Zonotope::from_obb(obb), &Vector::new(delta)))
}

/// The separation of an axis-aligned box from a polytope.
pub fn gap_aabb_polytope<T: Real>(aabb: Aabb<T>, polytope: &Polytope) -> Gap {
    polytope.gap(&Zonotope::from_aabb(aabb))
}

/// The separation of a parallelepiped from a polytope.
pub fn gap_obb_polytope<T: Real>(obb: Obb<T>, polytope: &Polytope) -> Gap {
    polytope.gap(&Zonotope::from_obb(obb))
}

pub(crate) fn without_parallels(directions: impl Iterator<Item = Vector>) -> Vec<Vector> {
    let mut kept: Vec<Vector> = Vec::new();
    for direction in directions {
        if !direction.is_zero() && !kept.iter().any(|other| other.cross(&direction).is_zero()) {
            kept.push(direction);
        }
    }
    kept
}

fn spans_space(directions: &[Vector]) -> bool {
    let [first, second, rest @ ..] = directions else { return false };
    let normal = first.cross(second);
    rest.iter().any(|direction| !direction.dot(&normal).is_zero())
}
