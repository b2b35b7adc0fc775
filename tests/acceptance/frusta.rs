//! Frusta of unusual matrices, checked against the matrix's own clip coordinates, which are computed exactly.

use crate::{Wrong, between, for_each_seed, rotation, sized, vector};
use cullide_oracle::{Exact, Vector};
use cullide_scenes::Rng;
use cullide_world::{
    Filter, Object, World,
    glam::{DMat3, DMat4, DVec3, DVec4, Mat4, Vec3, Vec4},
    narrowphase::{Aabb, ClipSpace, Containment, Error, Frustum, Obb, Sphere},
};

/// An inequality `n · p + d ≥ 0` of a clip volume.
#[derive(Clone, Debug)]
struct Bound {
    normal: Vector,
    d: Exact,
    /// The same divided by the length of the normal, and rounded.
    unit: DVec3,
    distance: f64,
}

impl Bound {
    /// Sums of the matrix's rows are exact.
    fn new(row: [Exact; 4]) -> Self {
        let [x, y, z, d] = row;
        let normal = Vector([x, y, z]);
        let rounded = DVec3::from_array([0, 1, 2].map(|i| normal.0[i].to_f64()));
        let length = rounded.length();
        Self { unit: rounded / length, distance: d.to_f64() / length, normal, d }
    }

    /// Whether it gives the same answer for all points.
    fn is_constant(&self) -> bool {
        self.normal.is_zero()
    }

    /// The signed distance of a point, from the exact value of the inequality.
    fn height(&self, point: Vec3) -> f64 {
        let value = self.normal.dot(&Vector::new(point.to_array())) + self.d.clone();
        value.to_f64() * self.unit_scale()
    }

    fn unit_scale(&self) -> f64 {
        let squared = self.normal.length_squared().to_f64();
        1.0 / squared.sqrt()
    }

    /// The same for a point that is not in `f32`, rounded.
    fn rounded_height(&self, point: DVec3) -> f64 {
        self.unit.dot(point) + self.distance
    }

    /// How far off the height of something within `reach` of the origin is when the plane's numbers are `f32`: half a
    /// step for each coefficient, and twice that for normalising.
    fn rounding(&self, reach: f64) -> f64 {
        f64::from(f32::EPSILON) * (2.0 * reach + self.distance.abs())
    }
}

/// The inequalities of a clip volume: `-w ≤ x ≤ w`, `-w ≤ y ≤ w`, and those of the depth.
fn bounds(matrix: &Mat4, clip_space: ClipSpace) -> Vec<Bound> {
    let rows = [0, 1, 2, 3].map(|i| matrix.row(i).to_array().map(Exact::new));
    let sum = |a: &[Exact; 4], b: &[Exact; 4], sign: f32| {
        let sign = Exact::new(sign);
        Bound::new(std::array::from_fn(|i| &a[i] + &(&b[i] * &sign)))
    };
    let [x, y, z, w] = &rows;
    let near = match clip_space {
        ClipSpace::ZeroToOne => Bound::new(z.clone()),
        _ => sum(w, z, 1.0),
    };
    vec![sum(w, x, 1.0), sum(w, x, -1.0), sum(w, y, 1.0), sum(w, y, -1.0), near, sum(w, z, -1.0)]
}

/// A projection, in `f64`, of any kind that a program may use; depths start at 0 or at -1.
fn projection(rng: &mut Rng, clip_space: ClipSpace) -> DMat4 {
    let near = f64::from(sized(rng, 1e-2, 10.0));
    let far = near * f64::from(sized(rng, 1.5, 1e4));
    let high = near * f64::from(sized(rng, 1e-3, 5.0));
    let wide = high * f64::from(sized(rng, 0.05, 20.0));
    // Off-centre by up to the whole picture.
    let (x, y) =
        if rng.bool() { (0.0, 0.0) } else { (f64::from(between(rng, -1.0, 1.0)), f64::from(between(rng, -1.0, 1.0))) };
    let (left, right) = (wide * (x - 1.0), wide * (x + 1.0));
    let (bottom, top) = (high * (y - 1.0), high * (y + 1.0));
    let handed = if rng.bool() { 1.0 } else { -1.0 };
    // Depth as a / w + b for perspective projections: 0 or -1 at the near end and 1 at the far end, or reversed.
    let begin = if matches!(clip_space, ClipSpace::ZeroToOne) { 0.0 } else { -1.0 };
    let (at_near, at_far) = if rng.bool() { (begin, 1.0) } else { (1.0, begin) };
    let kind = rng.usize(0..4);
    if kind == 0 {
        let scale = (at_far - at_near) / (far - near);
        return DMat4::from_cols(
            DVec4::new(2.0 / (right - left), 0.0, 0.0, 0.0),
            DVec4::new(0.0, 2.0 / (top - bottom), 0.0, 0.0),
            DVec4::new(0.0, 0.0, handed * scale, 0.0),
            DVec4::new(-x, -y, at_near - scale * near, 1.0),
        );
    }
    let (a, b) = if kind == 1 {
        // Without a far end.
        (near * (at_near - at_far), at_far)
    } else {
        let a = (at_near - at_far) * near * far / (far - near);
        (a, at_near - a / near)
    };
    DMat4::from_cols(
        DVec4::new(2.0 * near / (right - left), 0.0, 0.0, 0.0),
        DVec4::new(0.0, 2.0 * near / (top - bottom), 0.0, 0.0),
        DVec4::new(-x * handed, -y * handed, b * handed, handed),
        DVec4::new(0.0, 0.0, a, 0.0),
    )
}

/// The camera's view: placed, and possibly mirrored, stretched or sheared.
fn view(rng: &mut Rng) -> DMat4 {
    let mut linear = DMat3::from_quat(rotation(rng).as_dquat());
    if rng.usize(0..3) == 0 {
        linear = DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0)) * linear;
    }
    match rng.usize(0..4) {
        0 => {
            let scale = Vec3::from_array(std::array::from_fn(|_| sized(rng, 0.05, 20.0)));
            linear *= DMat3::from_diagonal(scale.as_dvec3());
        }
        1 => linear *= DMat3::from_cols(DVec3::X, vector(rng).as_dvec3() + DVec3::Y * 1.5, DVec3::Z),
        _ => {}
    }
    let eye = vector(rng) * sized(rng, 0.1, 1000.0);
    DMat4::from_mat3(linear) * DMat4::from_translation(-eye.as_dvec3())
}

/// The point that projects to a point of the clip volume.
fn unprojected(inverse: &DMat4, clip: DVec3) -> Option<Vec3> {
    let p = *inverse * clip.extend(1.0);
    let point = (p.truncate() / p.w).as_vec3();
    (point.is_finite() && point.abs().max_element() < 1e6).then_some(point)
}

/// The half-spaces of a box.
fn faces(corners: &[Vec3], edges: [DVec3; 3]) -> Vec<(DVec3, f64)> {
    let [a, b, c] = edges;
    let mut faces = vec![];
    for normal in [b.cross(c), c.cross(a), a.cross(b)] {
        for n in [normal.normalize(), -normal.normalize()] {
            let least = corners.iter().map(|corner| n.dot(corner.as_dvec3())).fold(f64::INFINITY, f64::min);
            faces.push((n, -least));
        }
    }
    faces
}

/// Whether some point is in front of all planes: then a corner of some three of them is, since the region is bounded.
fn have_a_common_point(planes: &[(DVec3, f64)], slack: f64) -> bool {
    for (i, a) in planes.iter().enumerate() {
        for (j, b) in planes.iter().enumerate().skip(i + 1) {
            for c in &planes[j + 1..] {
                let volume = a.0.dot(b.0.cross(c.0));
                if volume.abs() > 1e-12 {
                    let corner = (b.0.cross(c.0) * -a.1 + c.0.cross(a.0) * -b.1 + a.0.cross(b.0) * -c.1) / volume;
                    if planes.iter().all(|(n, d)| n.dot(corner) + d >= -slack) {
                        return true;
                    }
                }
            }
        }
    }
    false
}

/// The distance of a point from the region in front of all planes: the nearest point of the region is the point itself,
/// the nearest one on a plane or on the line of two, or a corner.
fn distance(bounds: &[&Bound], point: DVec3, slack: f64) -> f64 {
    let mut least = f64::INFINITY;
    let mut consider = |q: DVec3| {
        if bounds.iter().all(|bound| bound.rounded_height(q) >= -slack) {
            least = least.min(q.distance(point));
        }
    };
    consider(point);
    for (i, a) in bounds.iter().enumerate() {
        let s = -a.rounded_height(point);
        consider(point + a.unit * s);
        for (j, b) in bounds.iter().enumerate().skip(i + 1) {
            let (t, c) = (-b.rounded_height(point), a.unit.dot(b.unit));
            let determinant = 1.0 - c * c;
            if determinant > 1e-14 {
                consider(point + a.unit * ((s - c * t) / determinant) + b.unit * ((t - c * s) / determinant));
            }
            for k in &bounds[j + 1..] {
                let (u, volume) = (-k.rounded_height(point), a.unit.dot(b.unit.cross(k.unit)));
                if volume.abs() > 1e-12 {
                    let [bk, ka, ab] = [b.unit.cross(k.unit), k.unit.cross(a.unit), a.unit.cross(b.unit)];
                    consider(point + (bk * s + ka * t + ab * u) / volume);
                }
            }
        }
    }
    least
}

const OBJECTS: usize = 12;

/// `[frusta, refused, points inside, boxes and balls inside, crossing, outside, crossing ones that are in sight]`.
fn play(rng: &mut Rng, seed: u64, wrong: &Wrong) -> [usize; 7] {
    let mut counts = [0; 7];
    let clip_space = if rng.bool() { ClipSpace::ZeroToOne } else { ClipSpace::MinusOneToOne };
    let projection = projection(rng, clip_space);
    let truth = projection * view(rng) * f64::from(sized(rng, 1e-3, 1e3));
    let matrix = truth.as_mat4();
    let all = bounds(&matrix, clip_space);
    let constant = all.iter().filter(|bound| bound.is_constant());
    let is_empty = constant.clone().any(|bound| bound.d.is_negative());
    let bounds: Vec<&Bound> = all.iter().filter(|bound| !bound.is_constant()).collect();
    let context = || format!("{clip_space:?} {matrix:?}");
    let fail = |what: String| wrong.push(seed, format!("{what}. {}", context()));

    // Points all over the volume, on its border and around it.
    let inverse = truth.inverse();
    let depth = if matches!(clip_space, ClipSpace::ZeroToOne) { (0.0, 1.0) } else { (-1.0, 1.0) };
    let points: Vec<Vec3> = (0..60)
        .filter_map(|i| {
            let share = [0.99, 1.0, 1.0001, 1.5][i % 4];
            let mut clip = vector(rng).as_dvec3() * share;
            if i % 3 == 0 {
                clip[rng.usize(0..3)] = if rng.bool() { share } else { -share };
            }
            clip.z = depth.0 + (clip.z + 1.0) * 0.5 * (depth.1 - depth.0);
            unprojected(&inverse, clip)
        })
        .collect();
    let rounding = |bound: &Bound, point: Vec3| bound.rounding(f64::from(point.abs().max_element()) * 3.0);
    let is_inside = |point: Vec3| bounds.iter().all(|bound| bound.height(point) > rounding(bound, point));
    let is_outside = |point: Vec3| bounds.iter().any(|bound| bound.height(point) < -rounding(bound, point));
    let has_interior = !is_empty && points.iter().any(|point| is_inside(*point));

    let frustum = match Frustum::from_matrix(&matrix, clip_space) {
        Ok(frustum) => frustum,
        Err(error) => {
            counts[1] += 1;
            if has_interior {
                fail(format!("{error:?}, and yet it shows something"));
            }
            return counts;
        }
    };
    counts[0] += 1;
    if is_empty {
        fail("it shows nothing".into());
    }
    for &point in &points {
        let contains = frustum.contains_point(point);
        counts[2] += usize::from(contains);
        if (contains && is_outside(point)) || (!contains && is_inside(point)) {
            fail(format!("{point:?}: {contains}"));
        }
    }

    let mut world = World::new();
    let mut in_sight = vec![];
    for i in 0..OBJECTS {
        let Some(&at) = points.get(rng.usize(0..points.len().max(1))) else { continue };
        let reach = points.iter().map(|point| point.distance(at)).fold(0.0, f32::max).max(1e-3);
        let size = reach * sized(rng, 1e-4, 1.0);
        let center = at + vector(rng) * size;
        let half = Vec3::from_array(std::array::from_fn(|_| size * between(rng, 0.1, 1.0)));
        let biggest = f64::from(center.abs().max_element()) + 2.0 * f64::from(size);
        let slack = |bound: &Bound| bound.rounding(3.0 * biggest);
        // The least and the greatest height above each plane, the answers, and whether a point of it is in sight:
        // certainly or possibly.
        let (name, heights, containment, touches, sight) = match i % 3 {
            0 => {
                let ball = Sphere::new(center, size).unwrap();
                let radius = f64::from(size);
                let heights: Vec<_> =
                    bounds.iter().map(|bound| bound.height(center)).map(|h| (h - radius, h + radius)).collect();
                let off = bounds.iter().map(|bound| slack(bound)).fold(0.0, f64::max) * 4.0;
                // For a region that is slightly smaller, or larger: at a sharp corner its nearest point is much farther
                // away, or nearer.
                let surely = distance(&bounds, center.as_dvec3(), -off) < radius - off;
                let perhaps = distance(&bounds, center.as_dvec3(), off) <= radius + off;
                let key = world.insert(Object::fixed(ball));
                in_sight.extend(surely.then_some(key));
                (
                    format!("{ball:?}"),
                    heights,
                    frustum.containment_of_sphere(&ball),
                    frustum.intersects_sphere(&ball),
                    (surely, perhaps),
                )
            }
            kind => {
                let obb = Obb::new(center, rotation(rng), half).unwrap();
                let aabb = Aabb::new(center - half, center + half).unwrap();
                let is_aligned = kind == 1;
                let (edges, corners) = if is_aligned {
                    let bound = |i: usize, axis: usize| [aabb.min(), aabb.max()][i >> axis & 1][axis];
                    (DVec3::AXES, [0, 1, 2, 3, 4, 5, 6, 7].map(|i| Vec3::new(bound(i, 0), bound(i, 1), bound(i, 2))))
                } else {
                    (obb.half_edges().map(|edge| edge.as_dvec3()), obb.corners())
                };
                let span = |bound: &&Bound| {
                    let heights = corners.map(|corner| bound.height(corner));
                    (
                        heights.iter().copied().fold(f64::INFINITY, f64::min),
                        heights.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                    )
                };
                let heights = bounds.iter().map(span).collect();
                let common = |sign: f64| {
                    let mut planes: Vec<_> =
                        bounds.iter().map(|bound| (bound.unit, bound.distance + sign * 2.0 * slack(bound))).collect();
                    planes.extend(faces(&corners, edges));
                    have_a_common_point(&planes, 1e-12 * biggest)
                };
                let sight = (common(-1.0), common(1.0));
                let key = world.insert(if is_aligned { Object::fixed(aabb) } else { Object::fixed(obb) });
                in_sight.extend(sight.0.then_some(key));
                if is_aligned {
                    (
                        format!("{aabb:?}"),
                        heights,
                        frustum.containment_of_aabb(&aabb),
                        frustum.intersects_aabb(&aabb),
                        sight,
                    )
                } else {
                    (format!("{obb:?}"), heights, frustum.containment_of_obb(&obb), frustum.intersects_obb(&obb), sight)
                }
            }
        };
        let slacks: Vec<f64> = bounds.iter().map(|bound| slack(bound)).collect();
        let each = || heights.iter().zip(&slacks);
        let expected = match containment {
            Containment::Inside => each().all(|((low, _), slack)| *low >= -slack),
            Containment::Outside => each().any(|((_, high), slack)| *high <= *slack),
            Containment::Crossing => {
                each().any(|((low, _), slack)| *low <= *slack) && each().all(|((_, high), slack)| *high >= -slack)
            }
        };
        if !expected {
            fail(format!("{name} is {containment:?}, heights {heights:?}"));
        }
        if sight.0 && (!touches || containment == Containment::Outside) {
            fail(format!("{name} is in sight, and yet {containment:?}, {touches}"));
        }
        if touches && !sight.1 {
            fail(format!("{name} is out of sight, and yet intersects"));
        }
        match containment {
            Containment::Inside => counts[3] += 1,
            Containment::Crossing => counts[4] += 1,
            Containment::Outside => counts[5] += 1,
        }
        counts[6] += usize::from(containment == Containment::Crossing && sight.0);
    }
    let mut visible = vec![];
    world.cull(&frustum, &Filter::ALL, &mut visible);
    if let Some(key) = in_sight.iter().find(|key| !visible.contains(key)) {
        fail(format!("{:?} is in sight and culled", world.object(*key)));
    }
    counts
}

#[test]
fn a_frustum_of_any_matrix_holds_what_the_clip_coordinates_say() {
    let wrong = Wrong::default();
    let [frusta, refused, points, inside, crossing, outside, in_sight] =
        for_each_seed(3_000, |rng, seed| play(rng, seed, &wrong));
    println!(
        "{frusta} frusta, {refused} refused; {points} points inside; {inside} bodies inside, {crossing} crossing, of them {in_sight} in \
         sight, {outside} outside"
    );
    wrong.none();
    assert!(frusta > 2_800 && points > 50_000 && inside > 1_500 && in_sight > 5_000 && outside > 5_000);
    assert!(crossing > in_sight + 100, "nothing crosses planes out of sight");
}

#[test]
fn a_matrix_that_shows_nothing_or_has_no_corner_is_refused() {
    let identity = Mat4::IDENTITY;
    let with_row = |matrix: Mat4, row: usize, values: Vec4| {
        let mut transposed = matrix.transpose();
        *transposed.col_mut(row) = values;
        transposed.transpose()
    };
    for clip_space in [ClipSpace::ZeroToOne, ClipSpace::MinusOneToOne] {
        let error = |matrix: Mat4| Frustum::from_matrix(&matrix, clip_space).map(|_| ()).unwrap_err();
        for i in 0..16 {
            for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                let mut values = identity.to_cols_array();
                values[i] = bad;
                assert_eq!(error(Mat4::from_cols_array(&values)), Error::NonFinite { field: "matrix" });
            }
        }
        // w is negative everywhere.
        assert_eq!(error(with_row(identity, 3, Vec4::new(0.0, 0.0, 0.0, -1.0))), Error::Empty { field: "matrix" });
        // x is beyond w everywhere.
        assert_eq!(error(with_row(identity, 0, Vec4::new(0.0, 0.0, 0.0, 2.0))), Error::Empty { field: "matrix" });
        // All depths are the same and within the range: a prism without ends. Or one of the other rows has no effect.
        for row in 0..3 {
            let open = with_row(identity, row, Vec4::new(0.0, 0.0, 0.0, 0.5));
            assert_eq!(error(open), Error::Unbounded { field: "matrix" });
        }
        assert!(Frustum::from_matrix(&Mat4::ZERO, clip_space).is_err());
        // A flat volume has no interior.
        let flat = with_row(identity, 3, Vec4::new(0.0, 0.0, 0.0, 0.0));
        assert_eq!(error(flat), Error::Empty { field: "matrix" });
    }
}

/// Matrices of small integers, many of which have no frustum: each is refused iff its inequalities say so.
#[test]
fn a_matrix_of_small_integers_is_refused_iff_its_clip_volume_has_no_interior_or_no_corner() {
    let wrong = Wrong::default();
    let [made, empty, flat, open] = for_each_seed(20_000, |rng, seed| {
        let clip_space = if rng.bool() { ClipSpace::ZeroToOne } else { ClipSpace::MinusOneToOne };
        let matrix = Mat4::from_cols_array(&std::array::from_fn(|_| rng.i32(-2..3) as f32));
        let all = bounds(&matrix, clip_space);
        let bounds: Vec<_> =
            all.iter().filter(|bound| !bound.is_constant()).map(|bound| (bound.unit, bound.distance)).collect();
        let has_corner = bounds.iter().enumerate().any(|(i, a)| {
            let others = &bounds[i + 1..];
            others.iter().enumerate().any(|(j, b)| others[j + 1..].iter().any(|c| a.0.dot(b.0.cross(c.0)).abs() > 1e-6))
        });
        // Moved inward or outward by more than rounding, and by less than inequalities of such small numbers can
        // differ.
        let moved = |by: f64| bounds.iter().map(|(n, d)| (*n, d + by)).collect::<Vec<_>>();
        let is_never = all.iter().any(|bound| bound.is_constant() && bound.d.is_negative());
        let has_interior = !is_never && has_corner && have_a_common_point(&moved(-1e-4), 1e-9);
        // A volume with points but without an interior is a borderline case, and may be rounded to one with an
        // interior.
        let has_points = !is_never && has_corner && have_a_common_point(&moved(1e-6), 1e-9);
        let answer = Frustum::from_matrix(&matrix, clip_space);
        let fits = match answer {
            // Planes that are all parallel to one line may meet far away once their normals are rounded to `f32`.
            Ok(ref frustum) => has_points || frustum.corners().iter().all(|corner| corner.length() > 1e6),
            Err(Error::Empty { .. }) => !has_interior,
            Err(Error::Unbounded { .. }) => !has_corner,
            Err(_) => false,
        };
        if !fits {
            let found = format!("points {has_points}, interior {has_interior}, corners {has_corner}");
            wrong.push(seed, format!("{answer:?}, {found}: {clip_space:?} {matrix:?}"));
        }
        let flat = has_points && !has_interior;
        [answer.is_ok(), has_corner && !has_points, flat, !has_corner].map(usize::from)
    });
    println!("{made} made, {empty} empty, {flat} flat, {open} without a corner");
    wrong.none();
    assert!(made > 17_000 && empty > 1_000 && flat * 50 < made && open > 400);
}
