//! Which side of a face a box or a ball is on, by exact arithmetic on the stored numbers.

use cullide_oracle::{Exact, Vector};
use cullide_world::{
    glam::{DVec3, Vec3},
    narrowphase::{BrushPlane, Obb, Plane, Sphere},
};

/// The points `p` with `normal · p ≥ offset`, exactly.
#[derive(Debug)]
pub struct HalfSpace {
    normal: Vector,
    offset: Exact,
    /// The same normal, rounded, and a point near the face: for what `f64` can decide.
    rounded: DVec3,
    near: DVec3,
}

fn exact(v: Vec3) -> Vector {
    Vector::new(v.to_array())
}

fn rounded(v: &Vector) -> DVec3 {
    DVec3::from_array([0, 1, 2].map(|i| v.0[i].to_f64()))
}

impl HalfSpace {
    /// In front of the plane through a point, with the normal `u × v`.
    fn new(point: Vector, u: &Vector, v: &Vector) -> Self {
        let normal = u.cross(v);
        Self { offset: normal.dot(&point), rounded: rounded(&normal), near: rounded(&point), normal }
    }

    /// The front of a triangle.
    pub fn of_triangle([a, b, c]: [Vec3; 3]) -> Self {
        let [a, b, c] = [a, b, c].map(exact);
        Self::new(a.clone(), &b.minus(&a), &c.minus(&a))
    }

    /// The half-space beyond the face of a box at the end of a half edge.
    pub fn of_face(obb: &Obb, axis: usize, outward: f32) -> Self {
        let edges = obb.half_edges().map(exact);
        let [u, v] = [1, 2].map(|i| &edges[(axis + i) % 3]);
        let sign = Exact::new(outward);
        let top = exact(obb.center()).plus(&edges[axis].times(&sign));
        let along = u.cross(v).dot(&edges[axis]);
        // A flat box has two faces in one plane; the cyclic order of the edges then decides which way is outward.
        let flip = if along.is_negative() { -&sign } else { sign };
        Self::new(top, &u.times(&flip), v)
    }

    /// Beyond a coordinate, or below it for a negative `outward`.
    pub fn of_coordinate(axis: usize, coordinate: f32, outward: f32) -> Self {
        let normal = Vec3::AXES[axis] * outward;
        let near = (Vec3::AXES[axis] * coordinate).as_dvec3();
        Self {
            offset: exact(normal).0[axis].clone() * Exact::new(coordinate),
            rounded: normal.as_dvec3(),
            near,
            normal: exact(normal),
        }
    }

    /// The front of a plane.
    pub fn of_plane(plane: &Plane) -> Self {
        let normal = plane.normal().as_dvec3();
        let near = -normal * f64::from(plane.d()) / normal.length_squared();
        Self { normal: exact(plane.normal()), offset: -Exact::new(plane.d()), rounded: normal, near }
    }

    /// The outside of a brush's plane.
    pub fn of_brush_plane(plane: &BrushPlane) -> Self {
        let normal = Vector::new(plane.normal.to_array());
        Self { normal, offset: Exact::new(plane.distance), rounded: plane.normal, near: plane.normal * plane.distance }
    }

    /// The unit normal, rounded.
    pub fn direction(&self) -> DVec3 {
        self.rounded.normalize()
    }

    /// The signed distance of a point in front, rounded.
    pub fn height(&self, point: Vec3) -> f64 {
        let height = self.normal.dot(&exact(point)) + -&self.offset;
        height.to_f64() / self.rounded.length()
    }

    /// Whether no part of the box is behind.
    pub fn holds_box(&self, body: &Obb) -> bool {
        let edges = body.half_edges();
        let wide = edges.map(|edge| edge.as_dvec3());
        let away = body.center().as_dvec3() - self.near;
        let gap = self.rounded.dot(away) - wide.iter().map(|edge| self.rounded.dot(*edge).abs()).sum::<f64>();
        let size = wide.iter().map(|edge| edge.abs()).sum::<DVec3>() + away.abs() + self.near.abs() * 8.0;
        if gap.abs() > 1e-15 * self.rounded.abs().dot(size) {
            return gap > 0.0;
        }
        let radius: Exact = edges.iter().map(|edge| self.normal.dot(&exact(*edge)).abs()).sum();
        let height = self.normal.dot(&exact(body.center())) + -&self.offset;
        height >= radius
    }

    /// The fraction of its radius by which a ball is behind, rounded: 0 for one in front, more than 1 for one whose
    /// centre is behind.
    pub fn share_behind(&self, ball: &Sphere) -> f64 {
        let radius = f64::from(ball.radius());
        ((radius - self.height(ball.center())) / radius).max(0.0)
    }
}
