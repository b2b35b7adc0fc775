//! A triangle soup: how close a capsule or a box comes to its triangles, by independent arithmetic in `f64`.

use cullide_narrowphase::{
    Aabb, Capsule, Obb,
    glam::{DVec3, Vec3},
};

/// Triangles, each with the box around it.
#[derive(Clone, Debug, Default)]
pub struct Soup {
    triangles: Vec<([Vec3; 2], [DVec3; 3])>,
}

/// A body whose distance to a triangle is known.
pub trait Body {
    /// The box around it.
    fn around(&self) -> Aabb;

    /// A lower bound on how deep it is in a triangle; negative where they are apart.
    fn depth(&self, triangle: [DVec3; 3]) -> f64;
}

impl Soup {
    /// The triangles with these corners; a triangle whose corners are collinear is left out, as nothing can meet it.
    pub fn new(triangles: impl IntoIterator<Item = [Vec3; 3]>) -> Self {
        let bounds = |[a, b, c]: [Vec3; 3]| [a.min(b).min(c), a.max(b).max(c)];
        let has_area = |[a, b, c]: &[DVec3; 3]| (b - a).cross(c - a) != DVec3::ZERO;
        let all = triangles.into_iter().map(|corners| (bounds(corners), corners.map(|corner| corner.as_dvec3())));
        Self { triangles: all.filter(|(_, corners)| has_area(corners)).collect() }
    }

    /// The number of triangles.
    #[expect(clippy::len_without_is_empty, reason = "nobody asks for none")]
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// The triangles whose boxes touch these bounds.
    pub fn near(&self, [min, max]: [Vec3; 2]) -> impl Iterator<Item = &[DVec3; 3]> {
        let is_near = move |[low, high]: &[Vec3; 2]| low.cmple(max).all() && high.cmpge(min).all();
        self.triangles.iter().filter(move |(bounds, _)| is_near(bounds)).map(|(_, corners)| corners)
    }

    /// Whether a triangle, of those whose boxes touch these bounds, is straight below or above a point.
    pub fn is_over(&self, point: Vec3, bounds: [Vec3; 2]) -> bool {
        let up = |[a, b, c]: [DVec3; 3]| DVec3::Y * (b - a).cross(c - a).y;
        self.near(bounds).any(|triangle| {
            let up = up(*triangle);
            up != DVec3::ZERO && is_beside_no_edge(point.as_dvec3(), *triangle, up)
        })
    }

    /// The greatest depth of a body in any triangle; zero if it is outside all of them.
    pub fn depth(&self, body: &impl Body) -> f64 {
        let around = body.around();
        let depths = self.near([around.min(), around.max()]).map(|triangle| body.depth(*triangle));
        depths.fold(0.0, f64::max)
    }
}

impl Body for Capsule {
    fn around(&self) -> Aabb {
        self.aabb()
    }

    fn depth(&self, triangle: [DVec3; 3]) -> f64 {
        let (center, half) = (self.center().as_dvec3(), self.half_axis().as_dvec3());
        f64::from(self.radius()) - segment_to_triangle([center - half, center + half], triangle)
    }
}

impl Body for Obb {
    fn around(&self) -> Aabb {
        self.aabb()
    }

    fn depth(&self, triangle: [DVec3; 3]) -> f64 {
        let (center, edges) = (self.center().as_dvec3(), self.half_edges().map(|edge| edge.as_dvec3()));
        let corners = triangle.map(|corner| corner - center);
        let sides = [corners[1] - corners[0], corners[2] - corners[1], corners[0] - corners[2]];
        let across = sides.into_iter().flat_map(|side| edges.map(|edge| edge.cross(side)));
        let axes = edges.into_iter().chain([sides[0].cross(sides[1])]).chain(across);
        let depth = |axis: DVec3| {
            let reach: f64 = edges.iter().map(|edge| axis.dot(*edge).abs()).sum();
            let heights = corners.map(|corner| axis.dot(corner));
            let (low, high) = (heights[0].min(heights[1]).min(heights[2]), heights[0].max(heights[1]).max(heights[2]));
            (reach - low).min(reach + high)
        };
        axes.filter_map(DVec3::try_normalize).map(depth).fold(f64::INFINITY, f64::min)
    }
}

/// The distance of a segment from a triangle.
fn segment_to_triangle([from, to]: [DVec3; 2], triangle: [DVec3; 3]) -> f64 {
    let [a, b, c] = triangle;
    let normal = (b - a).cross(c - a);
    let [start, end] = [from, to].map(|point| normal.dot(point - a));
    if start * end <= 0.0 && start != end {
        let point = from + (to - from) * (start / (start - end));
        if is_beside_no_edge(point, triangle, normal) {
            return 0.0;
        }
    }
    let sides = [[a, b], [b, c], [c, a]].map(|side| segment_to_segment([from, to], side));
    let ends = [from, to].map(|point| {
        let height = normal.dot(point - a).abs() / normal.length();
        if is_beside_no_edge(point, triangle, normal) { height } else { f64::INFINITY }
    });
    sides.into_iter().chain(ends).fold(f64::INFINITY, f64::min)
}

/// Whether a point is outside no edge of a triangle, as seen along a direction on whose side its front is.
fn is_beside_no_edge(point: DVec3, [a, b, c]: [DVec3; 3], front: DVec3) -> bool {
    [[a, b], [b, c], [c, a]].iter().all(|[p, q]| (*q - *p).cross(point - *p).dot(front) >= 0.0)
}

/// Ericson, *Real-Time Collision Detection*, §5.1.9.
fn segment_to_segment([p, p_end]: [DVec3; 2], [q, q_end]: [DVec3; 2]) -> f64 {
    let (d, e, r) = (p_end - p, q_end - q, p - q);
    let (dd, ee, de, dr, er) = (d.dot(d), e.dot(e), d.dot(e), d.dot(r), e.dot(r));
    let on_q = |s: f64| if ee > 0.0 { ((de * s + er) / ee).clamp(0.0, 1.0) } else { 0.0 };
    let on_p = |t: f64| if dd > 0.0 { ((de * t - dr) / dd).clamp(0.0, 1.0) } else { 0.0 };
    let parallel = dd * ee - de * de;
    let s = if parallel > 0.0 { ((de * er - dr * ee) / parallel).clamp(0.0, 1.0) } else { 0.0 };
    let t = on_q(s);
    let s = on_p(t);
    (p + d * s).distance(q + e * t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_narrowphase::glam::Quat;

    const FLOOR: [DVec3; 3] = [DVec3::ZERO, DVec3::new(0.0, 0.0, 8.0), DVec3::new(8.0, 0.0, 0.0)];

    #[test]
    fn depths_are_those_worked_out_by_hand() {
        let capsule = |from: Vec3, to: Vec3| Capsule::new(from, to, 0.5).unwrap().depth(FLOOR);
        // Above the floor, through it, beside its edge along z, and beyond its corner.
        assert_eq!(capsule(Vec3::new(1.0, 0.25, 2.0), Vec3::new(1.0, 3.0, 2.0)), 0.25);
        assert_eq!(capsule(Vec3::new(1.0, -1.0, 2.0), Vec3::new(1.0, 3.0, 2.0)), 0.5);
        assert_eq!(capsule(Vec3::new(-0.75, -1.0, 2.0), Vec3::new(-0.75, 3.0, 2.0)), -0.25);
        assert_eq!(capsule(Vec3::new(-3.0, 0.0, -4.0), Vec3::new(-3.0, 2.0, -4.0)), -4.5);
        let block = |center: Vec3| Obb::new(center, Quat::IDENTITY, Vec3::new(2.0, 3.0, 5.0)).unwrap().depth(FLOOR);
        assert_eq!(block(Vec3::new(3.0, 2.75, 3.0)), 0.25);
        assert_eq!(block(Vec3::new(-2.5, 0.0, 3.0)), -0.5);
    }

    #[test]
    fn the_deepest_of_all_is_told() {
        let corners = FLOOR.map(|corner| corner.as_vec3());
        let soup = Soup::new([corners, corners.map(|corner| corner + Vec3::Y * 0.25), [Vec3::ZERO; 3]]);
        assert_eq!(soup.len(), 2);
        let capsule = Capsule::new(Vec3::new(1.0, 0.5, 2.0), Vec3::new(1.0, 3.0, 2.0), 0.5).unwrap();
        assert_eq!(soup.depth(&capsule), 0.25);
    }

    #[test]
    fn a_point_is_over_what_is_straight_below_it() {
        let soup = Soup::new([FLOOR.map(|corner| corner.as_vec3())]);
        let is_over = |point: Vec3, height: f32| soup.is_over(point, [point.with_y(-height), point.with_y(height)]);
        assert!(is_over(Vec3::new(1.0, 9.0, 2.0), 1.0) && is_over(Vec3::new(0.0, 9.0, 2.0), 0.0));
        assert!(!is_over(Vec3::new(5.0, 9.0, 5.0), 1.0) && !is_over(Vec3::new(-0.1, 9.0, 2.0), 1.0));
        assert!(!soup.is_over(Vec3::new(1.0, 9.0, 2.0), [Vec3::splat(0.5), Vec3::splat(9.0)]));
    }
}
