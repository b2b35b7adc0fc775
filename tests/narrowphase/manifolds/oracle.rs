//! Random pairs, and the truth about them in `f64`.

use cullide_narrowphase::{
    ContactManifold, ContactShape, ManifoldCache, Obb,
    glam::{DVec3, Quat, Vec3},
};
use cullide_scenes::Rng;

/// What `f32` may lose of a separation or a place, relative to the extents of both and the distance between them.
pub const ROUNDED: f64 = 1.0 / (1 << 18) as f64;

pub fn manifold(first: &ContactShape, second: &ContactShape, margin: f32) -> ContactManifold {
    let mut manifold = ContactManifold::default();
    manifold.update(first, second, margin, &mut ManifoldCache::default());
    manifold
}

/// A box in `f64`, unless it is skewed.
#[derive(Clone, Copy, Debug)]
pub struct WideBox {
    pub center: DVec3,
    pub edges: [DVec3; 3],
    /// Of unit length, completed if edges vanish.
    pub axes: [DVec3; 3],
}

impl WideBox {
    pub fn new(obb: &Obb) -> Self {
        let edges = obb.half_edges().map(|edge| edge.as_dvec3());
        let mut axes = edges.map(|edge| edge.normalize_or_zero());
        for i in 0..3 {
            if axes[i] == DVec3::ZERO {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                axes[i] = match (axes[j] == DVec3::ZERO, axes[k] == DVec3::ZERO) {
                    (false, false) => axes[j].cross(axes[k]),
                    (true, true) => DVec3::AXES[i],
                    (false, true) => axes[j].any_orthonormal_vector(),
                    (true, false) => axes[k].any_orthonormal_vector(),
                };
            }
        }
        Self { center: obb.center().as_dvec3(), edges, axes }
    }

    pub fn size(&self) -> f64 {
        self.edges.iter().map(|edge| edge.length()).sum()
    }

    pub fn longest(&self) -> f64 {
        self.edges.iter().map(|edge| edge.length()).fold(0.0, f64::max)
    }

    pub fn reach(&self, normal: DVec3) -> f64 {
        self.edges.iter().map(|edge| edge.dot(normal).abs()).sum()
    }

    pub fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|q| {
            (0..3).fold(self.center, |p, i| p + self.edges[i] * if q >> i & 1 == 1 { 1.0 } else { -1.0 })
        })
    }

    /// How far a point is beyond the face that it is farthest beyond.
    pub fn beyond(&self, point: DVec3) -> f64 {
        let beyond = |i: usize| self.axes[i].dot(point - self.center).abs() - self.edges[i].length();
        (0..3).map(beyond).fold(f64::NEG_INFINITY, f64::max)
    }

    pub fn distance(&self, point: DVec3) -> f64 {
        let beyond = |i: usize| (self.axes[i].dot(point - self.center).abs() - self.edges[i].length()).max(0.0);
        DVec3::new(beyond(0), beyond(1), beyond(2)).length()
    }

    fn sides(&self) -> impl Iterator<Item = [DVec3; 2]> {
        let corners = self.corners();
        (0..8)
            .flat_map(move |q| (0..3).filter(move |i| q >> i & 1 == 0).map(move |i| [corners[q], corners[q | 1 << i]]))
    }
}

/// The separation of two boxes along a direction.
pub fn along(a: &WideBox, b: &WideBox, normal: DVec3) -> f64 {
    let normal = normal.normalize();
    normal.dot(b.center - a.center) - a.reach(normal) - b.reach(normal)
}

/// The largest separation over the fifteen axes, in both directions, without pairs of edges with a smaller sine.
pub fn separation(a: &WideBox, b: &WideBox, least_sine: f64) -> f64 {
    let faces = a.axes.into_iter().chain(b.axes);
    let across = a.axes.iter().flat_map(|x| b.axes.iter().map(|y| x.cross(*y))).filter(|n| n.length() > least_sine);
    let axes: Vec<DVec3> = faces.chain(across).collect();
    axes.iter().map(|&n| along(a, b, n).max(along(a, b, -n))).fold(f64::NEG_INFINITY, f64::max)
}

/// The distance of two boxes that are apart.
pub fn distance(a: &WideBox, b: &WideBox) -> f64 {
    let corners = a.corners().iter().map(|p| b.distance(*p)).fold(f64::INFINITY, f64::min);
    let corners = b.corners().iter().map(|p| a.distance(*p)).fold(corners, f64::min);
    a.sides().flat_map(|p| b.sides().map(move |q| between(p, q))).fold(corners, f64::min)
}

/// The distance of two segments, except where an end of one is nearest: the corners cover those cases.
pub fn between([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> f64 {
    let (p, q, w) = (b - a, d - c, a - c);
    let (pp, pq, qq) = (p.dot(p), p.dot(q), q.dot(q));
    let determinant = pp * qq - pq * pq;
    if determinant <= 1e-12 * pp * qq {
        return f64::INFINITY;
    }
    let s = (pq * q.dot(w) - qq * p.dot(w)) / determinant;
    let t = (pp * q.dot(w) - pq * p.dot(w)) / determinant;
    if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) { (w + p * s - q * t).length() } else { f64::INFINITY }
}

pub fn vector(rng: &mut Rng) -> Vec3 {
    Vec3::from([(); 3].map(|()| 2.0 * rng.f32() - 1.0))
}

pub fn rotation(rng: &mut Rng) -> Quat {
    let quarter = std::f32::consts::FRAC_PI_2;
    match rng.u8(0..6) {
        0 => Quat::IDENTITY,
        1 => Quat::from_rotation_y(quarter * f32::from(rng.u8(0..4))),
        // Nearly level.
        2 => Quat::from_axis_angle(vector(rng).try_normalize().unwrap_or(Vec3::X), 0.01 * rng.f32()),
        3 => Quat::from_rotation_y(9.0 * rng.f32()),
        _ => Quat::from_xyzw(rng.f32() - 0.5, rng.f32() - 0.5, rng.f32() - 0.5, rng.f32() - 0.5),
    }
}

/// A power of ten between a thousandth and a thousand.
pub fn scale(rng: &mut Rng) -> f32 {
    10f32.powi(rng.i32(-3..=3))
}

/// The place of a pair: mostly near the origin.
pub fn place(rng: &mut Rng, scale: f32) -> Vec3 {
    if rng.u8(0..4) == 0 { vector(rng) * (scale * 1e4) } else { vector(rng) * scale }
}

/// A box of about the given scale, often thin, sometimes flat, a rod or a point.
pub fn obb(rng: &mut Rng, center: Vec3, scale: f32) -> Obb {
    let mut half = Vec3::from([(); 3].map(|()| scale * (0.1 + rng.f32())));
    for i in 0..3 {
        match rng.u8(0..24) {
            0 => half[i] = 0.0,
            1 | 2 => half[i] *= 0.01,
            3 => half[i] *= 30.0,
            _ => {}
        }
    }
    Obb::new(center, rotation(rng), half).unwrap()
}

/// A gap to aim at: penetrating, touching, nearly touching, or apart.
pub fn gap(rng: &mut Rng, scale: f32) -> f64 {
    f64::from(scale)
        * match rng.u8(0..5) {
            0 => 0.0,
            1 => 1e-3 * (rng.f64() - 0.5),
            2 => 0.05 * (rng.f64() - 0.5),
            _ => rng.f64() - 0.5,
        }
}
