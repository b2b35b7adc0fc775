//! The frustum: what it may over-report, what it may not miss, and how it is constructed.

use cullide_narrowphase::{
    Aabb, Brush, Camera, Capsule, ClipSpace, Containment, Convex, Error, Frustum, Obb, Patch, Plane, Side, Solid,
    Sphere, Triangle,
    glam::{DMat3, DVec3, Mat4, Quat, Vec3, Vec4},
};

/// Numbers in `[−1, 1)` with a fixed seed (xorshift64*, Vigna).
struct Stream(u64);

impl Stream {
    fn number(&mut self) -> f32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 40) as f32 / (1u32 << 23) as f32 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }

    fn rotation(&mut self) -> Quat {
        Quat::from_xyzw(self.number(), self.number(), self.number(), self.number() + 1.5).normalize()
    }

    fn camera(&mut self) -> Camera {
        let rotation = self.rotation();
        let far = [10.0, 100.0, f32::INFINITY][(self.0 % 3) as usize];
        Camera {
            position: self.vector() * 100.0,
            forward: rotation * Vec3::NEG_Z,
            up: rotation * Vec3::Y,
            fov_y: 1.2 + self.number(),
            aspect: 1.5 + self.number(),
            near: 0.6 + 0.5 * self.number(),
            far,
        }
    }

    /// A box around a point in or near the camera's view, small or large in comparison.
    fn obb(&mut self, camera: &Camera) -> Obb {
        let reach = if camera.far.is_finite() { camera.far } else { 50.0 };
        let center = camera.position + camera.forward * reach * (0.5 + self.number()) + self.vector() * reach;
        let half = (self.vector() * reach * [0.05, 0.5, 2.0][(self.0 % 3) as usize]).abs();
        Obb::new(center, self.rotation(), half).unwrap()
    }
}

/// A plane as `(normal, d)`; a convex region is in front of it.
type HalfSpace = (DVec3, f64);

fn half_spaces(frustum: &Frustum) -> Vec<HalfSpace> {
    frustum.planes().iter().map(|plane| (plane.normal().as_dvec3(), f64::from(plane.d()))).collect()
}

fn half_spaces_of_obb(obb: &Obb) -> Vec<HalfSpace> {
    let [a, b, c] = obb.half_edges().map(Vec3::as_dvec3);
    let faces = [(b.cross(c), a), (c.cross(a), b), (a.cross(b), c)];
    let both = faces.into_iter().flat_map(|(normal, edge)| {
        let normal = normal.normalize();
        [normal, -normal].map(|n| (n, n.dot(edge).abs() - n.dot(obb.center().as_dvec3())))
    });
    both.collect()
}

/// How far the region common to all half-spaces, which must be bounded, is from being non-empty: for the corner of any
/// three planes that is least behind the others, the distance behind.
fn emptiness(spaces: &[HalfSpace]) -> f64 {
    let mut least = f64::INFINITY;
    for (i, a) in spaces.iter().enumerate() {
        for (j, b) in spaces.iter().enumerate().skip(i + 1) {
            for c in &spaces[j + 1..] {
                let rows = DMat3::from_cols(a.0, b.0, c.0).transpose();
                if rows.determinant().abs() > 1e-9 {
                    let corner = rows.inverse() * -DVec3::new(a.1, b.1, c.1);
                    let behind = spaces.iter().map(|(n, d)| -(n.dot(corner) + d)).fold(f64::NEG_INFINITY, f64::max);
                    least = least.min(behind);
                }
            }
        }
    }
    least
}

#[test]
fn the_six_plane_answer_may_over_report_and_the_exact_one_agrees_with_a_search_of_all_corners() {
    let mut next = Stream(1);
    let [mut kept, mut culled, mut over_reported] = [0; 3];
    for _ in 0..3_000 {
        let camera = next.camera();
        let frustum = Frustum::from_camera(&camera).unwrap();
        let obb = next.obb(&camera);
        let aabb = obb.aabb();
        let check = |spaces: Vec<HalfSpace>, touches: bool, answer: Containment| {
            let all: Vec<HalfSpace> = half_spaces(&frustum).into_iter().chain(spaces).collect();
            let gap = emptiness(&all);
            assert!(gap.abs() < 1e-6 || (gap < 0.0) == touches, "{camera:?} {obb:?} gap {gap}");
            assert!(!touches || answer != Containment::Outside);
            (touches, answer == Containment::Outside)
        };
        let axis_aligned = Obb::from(&aabb);
        let answers = [
            check(half_spaces_of_obb(&obb), frustum.intersects_obb(&obb), frustum.containment_of_obb(&obb)),
            check(
                half_spaces_of_obb(&axis_aligned),
                frustum.intersects_aabb(&aabb),
                frustum.containment_of_aabb(&aabb),
            ),
        ];
        for (touches, outside) in answers {
            kept += usize::from(touches);
            culled += usize::from(outside);
            over_reported += usize::from(!touches && !outside);
        }
    }
    assert!(kept > 1000 && culled > 1000 && over_reported > 50, "{kept} {culled} {over_reported}");
}

#[test]
fn a_box_between_unlimited_side_planes_is_seen_however_far_away() {
    let frustum = Frustum::from_camera(&Camera { far: f32::INFINITY, ..Camera::default() }).unwrap();
    for distance in [1e2, 1e4, 1e6, 1e9] {
        let center = Vec3::new(0.3, 0.2, -1.0) * distance;
        let aabb = Aabb::from_center_half_extents(center, Vec3::new(0.02, 0.03, 0.05) * distance).unwrap();
        assert_eq!(frustum.containment_of_aabb(&aabb), Containment::Inside);
        assert!(frustum.intersects_aabb(&aabb) && frustum.intersects_obb(&Obb::from(&aabb)));
    }
    assert!(!frustum.is_bounded() && frustum.aabb().is_none() && frustum.corners().len() == 4);
}

#[test]
fn a_sphere_is_seen_iff_its_centre_is_within_the_radius_of_the_frustum() {
    let mut next = Stream(3);
    let mut answers = [0; 2];
    for _ in 0..2_000 {
        let camera = next.camera();
        let frustum = Frustum::from_camera(&camera).unwrap();
        let center = next.obb(&camera).center();
        // Dykstra's alternating projections find the nearest point of the frustum from its planes alone.
        let planes = half_spaces(&frustum);
        let (mut point, mut kept) = (center.as_dvec3(), vec![DVec3::ZERO; planes.len()]);
        for _ in 0..3_000 {
            for ((normal, d), correction) in planes.iter().zip(&mut kept) {
                let from = point + *correction;
                point = from - *normal * ((normal.dot(from) + d) / normal.length_squared()).min(0.0);
                *correction = from - point;
            }
        }
        let distance = point.distance(center.as_dvec3());
        for (radius, expected) in [(distance * 0.999, distance < 1e-9), (distance * 1.001 + 1e-4, true)] {
            let sphere = Sphere::new(center, radius as f32).unwrap();
            assert_eq!(frustum.intersects_sphere(&sphere), expected, "{camera:?} {sphere:?} {distance}");
            answers[usize::from(expected)] += 1;
        }
    }
    assert!(answers.iter().all(|&n| n > 500), "{answers:?}");
}

#[test]
fn touching_the_border_counts_from_outside_and_is_still_inside_from_within() {
    let cube = Frustum::from_matrix(&Mat4::IDENTITY, ClipSpace::MinusOneToOne).unwrap();
    let from = |min: Vec3, max: Vec3| Aabb::new(min, max).unwrap();
    let outside = from(Vec3::ONE, Vec3::new(2.0, 3.0, 5.0));
    assert!(cube.intersects_aabb(&outside) && cube.intersects_obb(&Obb::from(&outside)));
    assert_eq!(cube.containment_of_aabb(&outside), Containment::Crossing);
    assert_eq!(cube.containment_of_aabb(&from(Vec3::ZERO, Vec3::new(0.25, 0.5, 1.0))), Containment::Inside);
    assert_eq!(cube.containment_of_aabb(&from(Vec3::ZERO, Vec3::new(0.25, 0.5, 1.25))), Containment::Crossing);
    let beyond = from(Vec3::splat(1f32.next_up()), Vec3::splat(2.0));
    assert_eq!(cube.containment_of_aabb(&beyond), Containment::Outside);
    assert!(cube.intersects_sphere(&Sphere::new(Vec3::new(4.0, 5.0, 1.0), 5.0).unwrap()));
    assert!(!cube.intersects_sphere(&Sphere::new(Vec3::new(4.0, 5.0, 1.0), 5f32.next_down()).unwrap()));
}

/// A perspective projection with y in `[−1, 1]` and the given depth row.
fn projection(fov_y: f32, aspect: f32, depth: [f32; 2]) -> Mat4 {
    let slope = 1.0 / (0.5 * fov_y).tan();
    Mat4::from_cols(
        Vec4::X * slope / aspect,
        Vec4::Y * slope,
        Vec4::new(0.0, 0.0, depth[0], -1.0),
        Vec4::new(0.0, 0.0, depth[1], 0.0),
    )
}

#[test]
fn matrix_and_camera_make_the_same_frustum_in_every_clip_space() {
    let (near, far) = (0.5, 64.0);
    let camera = Camera { near, far, ..Camera::default() };
    let endless = Camera { far: f32::INFINITY, ..camera };
    let depths = [
        ("zero to one", ClipSpace::ZeroToOne, [far / (near - far), near * far / (near - far)], camera),
        ("reversed", ClipSpace::ZeroToOne, [near / (far - near), near * far / (far - near)], camera),
        ("−1 to 1", ClipSpace::MinusOneToOne, [(near + far) / (near - far), 2.0 * near * far / (near - far)], camera),
        ("endless", ClipSpace::ZeroToOne, [-1.0, -near], endless),
        ("endless reversed", ClipSpace::ZeroToOne, [0.0, near], endless),
        ("endless −1 to 1", ClipSpace::MinusOneToOne, [-1.0, -2.0 * near], endless),
    ];
    for (name, clip_space, depth, camera) in depths {
        for flip in [Vec3::ONE, Vec3::new(1.0, -1.0, 1.0), Vec3::new(-1.0, 1.0, 1.0)] {
            let matrix = Mat4::from_scale(flip) * projection(camera.fov_y, camera.aspect, depth);
            let made = Frustum::from_matrix(&matrix, clip_space).unwrap();
            let expected = Frustum::from_camera(&camera).unwrap();
            assert_eq!(made.planes().len(), expected.planes().len(), "{name}");
            assert_eq!(made.corners().len(), expected.corners().len(), "{name}");
            for corner in expected.corners() {
                let nearest = made.corners().iter().map(|c| c.distance(*corner)).fold(f64::INFINITY, f64::min);
                assert!(nearest < 1e-3 * corner.length(), "{name}: {corner} is off by {nearest}");
            }
        }
    }
}

#[test]
fn a_matrix_that_shows_nothing_is_refused() {
    let named = "matrix";
    // According to the depth row, z > 1 everywhere.
    let empty = projection(1.0, 1.0, [0.0, -1.0]);
    let behind = Mat4::from_cols(Vec4::X, Vec4::Y, Vec4::ZERO, Vec4::new(0.0, 0.0, 2.0, 1.0));
    assert_eq!(Frustum::from_matrix(&behind, ClipSpace::ZeroToOne), Err(Error::Empty { field: named }));
    assert!(Frustum::from_matrix(&empty, ClipSpace::ZeroToOne).is_err());
    assert_eq!(Frustum::from_matrix(&Mat4::ZERO, ClipSpace::ZeroToOne), Err(Error::Unbounded { field: named }));
    assert_eq!(Frustum::from_matrix(&Mat4::NAN, ClipSpace::ZeroToOne), Err(Error::NonFinite { field: named }));
}

#[test]
fn a_camera_that_cannot_see_is_refused_by_the_name_of_the_field() {
    let good = Camera::default();
    let refused = |camera: Camera| Frustum::from_camera(&camera).unwrap_err();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let vector = Vec3::new(0.0, bad, 1.0);
        assert_eq!(refused(Camera { position: vector, ..good }), Error::NonFinite { field: "position" });
        assert_eq!(refused(Camera { forward: vector, ..good }), Error::NonFinite { field: "forward" });
        assert_eq!(refused(Camera { up: vector, ..good }), Error::NonFinite { field: "up" });
        assert_eq!(refused(Camera { fov_y: bad, ..good }), Error::NonFinite { field: "fov_y" });
        assert_eq!(refused(Camera { aspect: bad, ..good }), Error::NonFinite { field: "aspect" });
        assert_eq!(refused(Camera { near: bad, ..good }), Error::NonFinite { field: "near" });
    }
    assert_eq!(refused(Camera { far: f32::NAN, ..good }), Error::NonFinite { field: "far" });
    assert_eq!(refused(Camera { forward: Vec3::ZERO, ..good }), Error::ZeroNormal { field: "forward" });
    assert_eq!(refused(Camera { up: Vec3::NEG_Z * 3.0, ..good }), Error::ZeroNormal { field: "up" });
    assert_eq!(refused(Camera { fov_y: 0.0, ..good }), Error::OutOfRange { field: "fov_y" });
    assert_eq!(refused(Camera { fov_y: 3.2, ..good }), Error::OutOfRange { field: "fov_y" });
    assert_eq!(refused(Camera { aspect: 0.0, ..good }), Error::OutOfRange { field: "aspect" });
    assert_eq!(refused(Camera { near: 0.0, ..good }), Error::OutOfRange { field: "near" });
    assert_eq!(refused(Camera { near: 5.0, far: 5.0, ..good }), Error::Inverted { field: "near" });
}

#[test]
fn planes_that_leave_nothing_or_too_much_are_refused() {
    let plane = |normal: Vec3, d: f32| Plane::new(normal, d).unwrap();
    let slab = [plane(Vec3::X, 0.0), plane(Vec3::NEG_X, 1.0)];
    assert_eq!(Frustum::from_planes(&slab), Err(Error::Unbounded { field: "planes" }));
    let empty = [plane(Vec3::X, 0.0), plane(Vec3::NEG_X, -1.0), plane(Vec3::Y, 0.0), plane(Vec3::Z, 0.0)];
    assert_eq!(Frustum::from_planes(&empty), Err(Error::Empty { field: "planes" }));
    assert_eq!(Frustum::from_planes(&[plane(Vec3::X, 0.0); 7]), Err(Error::TooMany { field: "planes" }));
}

/// The corners computed from the camera itself: right, up and far are bits 0, 1 and 2 of the index.
fn corners_of_picture(camera: &Camera) -> Vec<DVec3> {
    let forward = camera.forward.as_dvec3().normalize();
    let right = forward.cross(camera.up.as_dvec3()).normalize();
    let height = (0.5 * f64::from(camera.fov_y)).tan();
    let (right, up) = (right * height * f64::from(camera.aspect), right.cross(forward) * height);
    let depths = [camera.near, camera.far].into_iter().filter(|depth| depth.is_finite());
    let signs = [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)];
    let corners = depths.flat_map(|depth| {
        signs.map(|(x, y)| camera.position.as_dvec3() + (forward + right * x + up * y) * f64::from(depth))
    });
    corners.collect()
}

fn shows_its_picture(camera: &Camera) {
    let frustum = Frustum::from_camera(camera).unwrap_or_else(|error| panic!("{error:?}: {camera:?}"));
    let expected = corners_of_picture(camera);
    assert_eq!(frustum.corners().len(), expected.len(), "{camera:?}");
    assert_eq!(frustum.is_bounded(), camera.far.is_finite(), "{camera:?}");
    for (corner, expected) in frustum.corners().iter().zip(expected) {
        // The planes are rounded to `f32`, which moves corners by an amount that depends on the slopes of the picture.
        let scale = f64::from(f32::EPSILON) * (expected.length() + camera.position.as_dvec3().length() + 1.0);
        assert!(corner.distance(expected) < 30.0 * scale, "{camera:?}: {corner} is not {expected}");
    }
}

#[test]
fn planes_that_would_share_a_line_and_meet_far_away_are_no_corner() {
    let seen = |position: [f32; 3], forward: [f32; 3], far: f32| {
        shows_its_picture(&Camera { position: position.into(), forward: forward.into(), far, ..Camera::default() });
    };
    // The upper, lower and near (or far) plane, or the left and right, meet about 1e16 away, which is beyond the
    // accuracy of `f64`.
    seen([-10.501375, 0.43477535, -11.976828], [4.0022964, 2.0237389, 8.294659], 1000.0);
    seen([5.4813395, -10.184673, 11.587236], [-3.7124217, 7.208154, -5.1066628], 100.0);
    seen([7.569985, -0.72321224, 9.906364], [-8.150955, 2.0271504, 6.8318653], 100.0);
    seen([3.1498618, -11.0609455, -3.138226], [-3.5966444, 7.46049, 5.447204], 100.0);
    seen([11.889905, -11.527883, 2.9497318], [-6.644523, 8.4913025, -2.7574873], 100.0);
    seen([-10.0357, -0.020014286, -9.688989], [7.682229, 9.845245, -8.225687], 100.0);
    // Without a far plane, that point used to be taken for a fifth corner.
    seen([-5.33731, 10.172827, 4.447882], [6.107684, 8.462533, 7.960411], f32::INFINITY);
    seen([6.94278, -11.326311, -2.346322], [-3.064766, 6.947774, 5.57568], f32::INFINITY);
    seen([2.0806146, -4.2121167, -0.71277523], [3.4021306, 8.09595, 6.6440153], f32::INFINITY);
    let mut next = Stream(21);
    for _ in 0..100_000 {
        let far = [1000.0, 100.0, f32::INFINITY][(next.0 % 3) as usize];
        let (position, forward) = (next.vector() * 12.0, next.vector() * 10.0);
        if forward.cross(Vec3::Y).length() > 0.01 {
            seen(position.to_array(), forward.to_array(), far);
        }
    }
}

#[test]
fn a_region_of_any_thickness_has_an_interior_and_a_flat_one_has_none() {
    let plane = |normal: Vec3, d: f32| Plane::new(normal, d).unwrap();
    let sides = [plane(Vec3::Y, 0.0), plane(Vec3::NEG_Y, 3.0), plane(Vec3::Z, 0.0), plane(Vec3::NEG_Z, 5.0)];
    let between = |low: f32, high: f32| {
        Frustum::from_planes(&[&[plane(Vec3::X, -low), plane(Vec3::NEG_X, high)], &sides[..]].concat())
    };
    assert_eq!(between(7.0, 7.0), Err(Error::Empty { field: "planes" }));
    assert_eq!(between(7f32.next_up(), 7.0), Err(Error::Empty { field: "planes" }));
    assert_eq!(between(7.0, 7f32.next_up()).unwrap().corners().len(), 8);
    assert!(between(0.0, 1e-30).unwrap().contains_point(Vec3::new(0.5e-30, 1.0, 2.0)));
    // Nearly parallel planes: a wedge that ends 2^29 away.
    let tip = Frustum::from_planes(&[
        plane(Vec3::X, 0.0),
        plane(Vec3::new(-1.0, -(-29f32).exp2(), 0.0), 1.0),
        sides[0],
        sides[2],
        sides[3],
    ]);
    let tip = tip.unwrap().aabb().unwrap().max();
    assert!(tip.cmpge(Vec3::new(1.0, 29f32.exp2(), 5.0)).all() && tip.y < 1.001 * 29f32.exp2(), "{tip}");
}

#[test]
fn corners_lie_on_the_planes_they_are_named_after() {
    let frustum = Frustum::from_camera(&Stream(9).camera()).unwrap();
    for (index, corner) in frustum.corners().iter().enumerate().filter(|_| frustum.corners().len() == 8) {
        for axis in 0..3 {
            let plane = frustum.planes()[2 * axis + (index >> axis & 1)];
            let height = plane.normal().as_dvec3().dot(*corner) + f64::from(plane.d());
            assert!(height.abs() < 1e-9, "corner {index} is {height} off plane {axis}");
        }
    }
}

#[test]
fn a_frustum_survives_a_round_trip_and_bad_planes_do_not() {
    let frustum = Frustum::from_camera(&Stream(5).camera()).unwrap();
    let text = serde_json::to_string(&frustum).unwrap();
    assert_eq!(serde_json::from_str::<Frustum>(&text).unwrap(), frustum);
    assert!(serde_json::from_str::<Frustum>(r#"{"planes":[]}"#).is_err());
}

#[test]
fn a_point_is_inside_iff_no_plane_has_it_behind() {
    let mut next = Stream(11);
    for _ in 0..2_000 {
        let camera = next.camera();
        let frustum = Frustum::from_camera(&camera).unwrap();
        let point = camera.position + camera.forward * 3.0 + next.vector() * 4.0;
        let expected = frustum.planes().iter().all(|plane| plane.side_of_point(point) != Side::Back);
        assert_eq!(frustum.contains_point(point), expected);
    }
    assert!(!Frustum::from_camera(&Camera::default()).unwrap().contains_point(Vec3::NAN));
}

#[test]
fn what_any_shape_is_told_is_what_its_kind_is_told() {
    let (mut next, mut seen) = (Stream(11), [0; 3]);
    let frustum = Frustum::from_camera(&Camera { near: 1.0, far: 30.0, ..Camera::default() }).unwrap();
    for _ in 0..20_000 {
        let (at, half, turn) = (next.vector() * 40.0, next.vector().abs() * 4.0, next.rotation());
        let aabb = Aabb::from_center_half_extents(at, half).unwrap();
        let (obb, ball) = (Obb::new(at, turn, half).unwrap(), Sphere::new(at, half.x).unwrap());
        let capsule = Capsule::from_half_axis(at, half, half.y).unwrap();
        let told = [
            (Convex::from(aabb), frustum.intersects_aabb(&aabb), frustum.containment_of_aabb(&aabb)),
            (obb.into(), frustum.intersects_obb(&obb), frustum.containment_of_obb(&obb)),
            (ball.into(), frustum.intersects_sphere(&ball), frustum.containment_of_sphere(&ball)),
            (capsule.into(), frustum.intersects_capsule(&capsule), frustum.containment_of_capsule(&capsule)),
        ];
        for (shape, touches, containment) in told {
            assert_eq!((frustum.intersects(shape), frustum.containment_of(shape)), (touches, containment), "{shape:?}");
            let visibility = if touches { containment } else { Containment::Outside };
            assert_eq!(frustum.visibility_of(shape), visibility, "{shape:?}");
            seen[visibility as usize] += 1;
        }
        // Nothing that touches the frustum is called outside, and no corner of what is inside lies behind a plane.
        let Ok(brush) = Brush::try_from(&obb) else { continue };
        assert_eq!(frustum.intersects(&brush), frustum.visibility_of(&brush) != Containment::Outside);
        assert!(frustum.intersects(&brush) || !frustum.intersects(obb), "{obb:?}");
    }
    assert!(seen.iter().all(|count| *count > 1000), "{seen:?}");
}

#[test]
fn a_point_lies_in_a_triangle_and_a_patch_as_in_other_solids() {
    let triangle = Triangle::new(Vec3::ZERO, Vec3::X * 4.0, Vec3::Z * 4.0).unwrap();
    let patch = Patch::new(&[Vec3::ZERO, Vec3::X * 4.0, Vec3::new(4.0, 0.0, 4.0), Vec3::Z * 4.0]).unwrap();
    for solid in [&triangle as &dyn Solid, &patch] {
        assert!([Vec3::ZERO, Vec3::X * 4.0, Vec3::new(1.0, 0.0, 1.0)].map(|at| solid.contains_point(at)) == [true; 3]);
        let beside = [Vec3::new(1.0, f32::MIN_POSITIVE, 1.0), Vec3::X * 4f32.next_up(), Vec3::NAN, Vec3::INFINITY];
        assert!(beside.map(|at| solid.contains_point(at)) == [false; 4]);
        assert_eq!([solid.distance(Vec3::Y * 3.0), solid.distance(Vec3::new(-3.0, 4.0, 0.0))], [3.0, 5.0]);
    }
    assert_eq!(
        [triangle.distance(Vec3::new(3.0, 0.0, 3.0)) > 1.0, patch.contains_point(Vec3::new(3.0, 0.0, 3.0))],
        [true; 2]
    );
}
