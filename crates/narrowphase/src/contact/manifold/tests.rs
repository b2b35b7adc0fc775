use crate::{
    Aabb, BoxSweep, Brush, Contacts, Feature, FeatureId, Obb, Patch, Plane, Sides, Sphere, SphereSweep,
    contact::contacts::FEATURE_ANGLE,
};
use cullide_scenes::{Rng, SEED};
use glam::{DVec2, DVec3, Quat, Vec3};

const HALF: Vec3 = Vec3::new(1.0, 1.5, 2.5);

/// From y = −2 to 0, and from −6 to 6 along x and −8 to 8 along z.
fn slab() -> Aabb {
    Aabb::new(Vec3::new(-6.0, -2.0, -8.0), Vec3::new(6.0, 0.0, 8.0)).unwrap()
}

/// A box rotated by `turn`, with its lowest corner at a given height.
fn leaning(turn: Quat, lowest: f32) -> Obb {
    let body = Obb::new(Vec3::ZERO, turn, HALF).unwrap();
    let low = body.corners().iter().map(|corner| corner.y).fold(f32::INFINITY, f32::min);
    body.translated(Vec3::Y * (lowest - low)).unwrap()
}

/// The corners of its lower face, by its own vertex numbers: edge 1 points upward.
fn lower_corners(body: &Obb) -> Vec<Vec3> {
    [0b101, 0b001, 0b000, 0b100].map(|vertex: usize| body.corners()[vertex]).to_vec()
}

#[test]
fn two_boxes_that_penetrate_by_three_millimetres_say_so_at_each_corner() {
    let body = leaning(Quat::IDENTITY, -0.003);
    let solids = [slab().contacts(&body, Vec3::Y, 0.0, FeatureId::NONE), {
        Obb::from(&slab()).contacts(&body, Vec3::Y, 0.02, FeatureId::NONE)
    }];
    for contacts in solids {
        assert_eq!(contacts.points(), lower_corners(&body));
        assert!(contacts.separations().iter().all(|s| (s + 0.003).abs() < 1e-6), "{contacts:?}");
    }
}

#[test]
fn a_tilted_box_tells_the_depth_of_each_of_its_corners() {
    // By 1 cm over its width, and by less over its length.
    let body = leaning(Quat::from_euler(glam::EulerRot::XYZ, 0.001, 0.0, 0.005), -0.0125);
    let brush = Brush::try_from(&slab()).unwrap();
    let patch = [(6, 8), (6, -8), (-6, -8), (-6, 8)].map(|(x, z)| Vec3::new(x as f32, 0.0, z as f32));
    let patch = Patch::new(&patch).unwrap();
    for contacts in [
        slab().contacts(&body, Vec3::Y, 0.0, FeatureId::NONE),
        Obb::from(&slab()).contacts(&body, Vec3::Y, 0.0, FeatureId::NONE),
        brush.contacts(&body, Vec3::Y, 0.01, FeatureId::NONE),
        patch.contacts(&body, Vec3::Y, 0.01, FeatureId::NONE),
        Plane::new(Vec3::Y, 0.0).unwrap().manifold(&body, Sides::Front, 0.01, FeatureId::NONE).unwrap().contacts,
    ] {
        let within = if contacts.points().len() == 3 { 0.0 } else { 0.01 };
        let expected: Vec<_> = lower_corners(&body).into_iter().filter(|corner| corner.y <= within).collect();
        assert_eq!(contacts.points(), expected, "{contacts:?}");
        for (point, separation) in contacts.points().iter().zip(contacts.separations()) {
            assert!((point.y - separation).abs() < 1e-6, "{contacts:?}");
        }
    }
}

/// A convex polygon above a plane, given by its corners in that plane and its height at each place.
struct Sheet {
    corners: Vec<DVec2>,
    height: Box<dyn Fn(DVec2) -> f64>,
}

fn flat(v: DVec3) -> DVec2 {
    DVec2::new(v.x, v.z)
}

impl Sheet {
    /// Through corners, the first three of which span the plane.
    fn new(corners: &[DVec3]) -> Self {
        let (a, b, c) = (corners[0], corners[1], corners[2]);
        let normal = (b - a).cross(c - a);
        let height = move |at: DVec2| a.y - (normal.x * (at.x - a.x) + normal.z * (at.y - a.z)) / normal.y;
        Self { corners: corners.iter().map(|v| flat(*v)).collect(), height: Box::new(height) }
    }

    fn sides(&self) -> impl Iterator<Item = (DVec2, DVec2)> {
        let n = self.corners.len();
        (0..n).map(move |i| (self.corners[i], self.corners[(i + 1) % n]))
    }

    fn contains(&self, at: DVec2) -> bool {
        let turns: Vec<f64> = self.sides().map(|(a, b)| (b - a).perp_dot(at - a)).collect();
        turns.iter().all(|turn| *turn >= -1e-9) || turns.iter().all(|turn| *turn <= 1e-9)
    }
}

/// The corners of the intersection of two sheets, and how far the first is above the second there: corners of either
/// that the other contains, and the crossings of their sides.
fn overlay(upper: &Sheet, lower: &Sheet) -> Vec<(DVec2, f64)> {
    let mut places: Vec<DVec2> = upper.corners.iter().copied().filter(|at| lower.contains(*at)).collect();
    places.extend(lower.corners.iter().filter(|at| upper.contains(**at)));
    for (a, b) in upper.sides() {
        for (c, d) in lower.sides() {
            let turn = (b - a).perp_dot(d - c);
            let (s, t) = ((c - a).perp_dot(d - c) / turn, (c - a).perp_dot(b - a) / turn);
            if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
                places.push(a + (b - a) * s);
            }
        }
    }
    let mut distinct: Vec<DVec2> = vec![];
    for at in places {
        if distinct.iter().all(|old| old.distance(at) > 1e-6) {
            distinct.push(at);
        }
    }
    distinct.into_iter().map(|at| (at, (upper.height)(at) - (lower.height)(at))).collect()
}

/// The largest area of a triangle or quadrangle of some points.
fn largest(points: &[DVec2]) -> f64 {
    let mut best = 0.0f64;
    for &a in points {
        for &b in points {
            let side = |sign: f64| points.iter().map(|c| sign * (b - a).perp_dot(*c - a)).fold(0.0, f64::max);
            best = best.max(0.5 * (side(1.0) + side(-1.0)));
        }
    }
    best
}

/// Compares contacts with an overlay: all of its corners within the margin, or four points that reach nearly as far,
/// including the deepest.
fn check(contacts: &Contacts, overlay: &[(DVec2, f64)], margin: f64, tolerance: f64) {
    let least = overlay.iter().map(|place| place.1).fold(f64::INFINITY, f64::min);
    let mut found = vec![];
    for (point, separation) in contacts.points().iter().zip(contacts.separations()) {
        let at = flat(point.as_dvec3());
        let place = overlay.iter().find(|(place, _)| place.distance(at) <= tolerance);
        let (_, expected) = place.unwrap_or_else(|| panic!("{point} is no corner: {contacts:?} {overlay:?}"));
        assert!((expected - f64::from(*separation)).abs() <= tolerance, "{contacts:?} {overlay:?}");
        // Within the margin, or as level as a feature may be.
        assert!(*expected <= margin.max(least + FEATURE_ANGLE * 20.0) + tolerance, "{contacts:?} {overlay:?}");
        found.push(at);
    }
    let deepest = contacts.separations().iter().copied().fold(f32::INFINITY, f32::min);
    assert!((f64::from(deepest) - least).abs() <= tolerance.max(FEATURE_ANGLE * 20.0), "{contacts:?} {overlay:?}");
    let inside: Vec<DVec2> =
        overlay.iter().filter(|place| place.1 <= margin - tolerance).map(|place| place.0).collect();
    // At most four, and rounding may decide which of them are within the margin.
    let most = margin.max(least + FEATURE_ANGLE * 20.0) + tolerance;
    if overlay.iter().filter(|place| place.1 <= most).count() <= 4 {
        for at in inside {
            assert!(
                found.iter().any(|found| found.distance(at) <= tolerance),
                "{at} is missing: {contacts:?} {overlay:?}"
            );
        }
    } else {
        assert!(largest(&found) >= 0.5 * largest(&inside), "{contacts:?} {overlay:?}");
    }
}

#[test]
fn contacts_are_the_corners_that_the_facing_faces_share_within_the_margin() {
    let mut rng = Rng::with_seed(SEED);
    let mut counts = [0; 5];
    for case in 0..20_000 {
        let mut signed = |size: f32| (2.0 * rng.f32() - 1.0) * size;
        let lean = [0.0, 1e-3, 0.02, 0.2][case % 4];
        let offset = [Vec3::ZERO, Vec3::new(4000.0, 0.0, -7000.0)][case / 4 % 2];
        let tolerance = if offset == Vec3::ZERO { 2e-5 } else { 4e-3 };
        let mut turn = |lean: f32| {
            Quat::from_rotation_x(signed(lean))
                * Quat::from_rotation_z(signed(lean))
                * Quat::from_rotation_y(signed(3.0))
        };
        let (above, below) = (turn(lean), turn(lean * f32::from(u8::from(case % 3 != 0))));
        let body = Obb::new(offset + Vec3::new(signed(2.0), 1.5, signed(2.0)), above, HALF).unwrap();
        let under = Obb::new(offset - Vec3::Y * 2.0, below, Vec3::new(3.0, 2.0, 2.0)).unwrap();
        let corners = |obb: &Obb, up: usize| {
            let corner = |vertex: usize| {
                let ends = [0, 1, 2].map(|i| if vertex >> i & 1 == 1 { 1.0 } else { -1.0 });
                (0..3).fold(obb.center().as_dvec3(), |at, i| at + obb.half_edges()[i].as_dvec3() * ends[i])
            };
            [0b101, 0b001, 0b000, 0b100].map(|vertex| corner(vertex | up << 1))
        };
        let (lower, upper) = (corners(&body, 0), corners(&under, 1));
        let overlay = overlay(&Sheet::new(&lower), &Sheet::new(&upper));
        // If they share nothing, they do not face each other.
        if overlay.len() < 3 {
            continue;
        }
        let margin = [0.0, 0.02, 0.3][case % 3];
        let least = overlay.iter().map(|place| place.1).fold(f64::INFINITY, f64::min);
        let contacts = under.contacts(&body, Vec3::Y, margin, FeatureId::NONE);
        if least <= f64::from(margin) {
            check(&contacts, &overlay, margin.into(), tolerance);
            counts[contacts.points().len()] += 1;
        }
        let brush = Brush::try_from(&under).unwrap().contacts(&body, Vec3::Y, margin, FeatureId::NONE);
        let patch = Patch::new(&upper.map(|corner| corner.as_vec3()));
        let patch = patch.map(|patch| patch.contacts(&body, Vec3::Y, margin, FeatureId::NONE));
        if least <= f64::from(margin) {
            check(&brush, &overlay, margin.into(), tolerance);
            if let Ok(patch) = patch {
                // Its corners are rounded, which shifts crossings of sides at a small angle.
                check(&patch, &overlay, margin.into(), 8.0 * tolerance);
            }
        }
    }
    assert!(counts[1..].iter().all(|count| *count > 500), "{counts:?}");
}

#[test]
fn a_plane_keeps_every_corner_of_a_tilted_box_within_the_margin() {
    let floor = Plane::new(Vec3::Y, 0.0).unwrap();
    let mut rng = Rng::with_seed(SEED ^ 1);
    let mut counts = [0; 5];
    for case in 0..4_000 {
        let mut signed = |size: f32| (2.0 * rng.f32() - 1.0) * size;
        let lean = [1e-3, 0.05, 0.3][case % 3];
        let turn = Quat::from_rotation_x(signed(lean))
            * Quat::from_rotation_z(signed(lean))
            * Quat::from_rotation_y(signed(3.0));
        let body = leaning(turn, signed(0.02));
        let margin = [0.02, 0.1, 0.5][case / 3 % 3];
        let contacts = floor.manifold(&body, Sides::Front, margin, FeatureId::NONE).unwrap().contacts;
        let near = lower_corners(&body).into_iter().filter(|corner| corner.y <= margin).count();
        let (points, id) = (contacts.points(), contacts.id());
        assert!(points.len() >= near, "case {case}: {contacts:?}");
        let vertices: Vec<Vec3> = id.vertices().map(|vertex| body.corners()[vertex]).collect();
        assert!(vertices.iter().zip(points).all(|(a, b)| a.distance(*b) < 1e-6), "case {case}: {contacts:?}");
        assert_eq!(vertices.len(), points.len(), "case {case}: {contacts:?}");
        for (point, separation) in points.iter().zip(contacts.separations()) {
            assert!((point.y - separation).abs() < 1e-6 && point.y <= margin + 2e-3, "case {case}: {contacts:?}");
        }
        counts[points.len()] += 1;
    }
    assert!(counts[1..].iter().all(|count| *count > 50), "{counts:?}");
}

#[test]
fn a_box_that_leans_over_the_side_of_a_solid_touches_up_to_there() {
    // The lower end is beyond x = 6, the other one is 2 cm higher.
    let body = leaning(Quat::from_rotation_z(-0.01), -0.012).translated(Vec3::X * 5.5).unwrap();
    let contacts = slab().contacts(&body, Vec3::Y, 0.02, FeatureId::NONE);
    let x: Vec<f32> = contacts.points().iter().map(|point| (point.x * 100.0).round() / 100.0).collect();
    assert_eq!(x.iter().filter(|x| **x == 6.0).count(), 2, "{contacts:?}");
    assert_eq!((x.len(), contacts.feature()), (4, Feature::Face), "{contacts:?}");
}

#[test]
fn a_large_box_in_a_ball_touches_it_where_the_ball_is() {
    let body = Obb::new(Vec3::Y * 1.5, Quat::IDENTITY, Vec3::new(10.0, 1.5, 20.0)).unwrap();
    let ball = Sphere::new(Vec3::new(3.0, -0.4375, 2.0), 0.5).unwrap();
    let overlap = BoxSweep::new(body, Vec3::X).unwrap().against(ball).overlap().unwrap();
    assert_eq!(
        (overlap.contacts.points(), overlap.contacts.separations()),
        (&[Vec3::new(3.0, 0.0, 2.0)][..], &[-0.0625][..])
    );
    let overlap = SphereSweep::new(ball, Vec3::X).unwrap().against(body).overlap().unwrap();
    assert_eq!(
        (overlap.contacts.points(), overlap.contacts.separations()),
        (&[Vec3::new(3.0, 0.0625, 2.0)][..], &[-0.0625][..])
    );
    assert_eq!((overlap.contacts.id(), overlap.normal), (FeatureId::NONE, Vec3::NEG_Y));
}
