//! Bodies against things a billion times as large: within the range of coordinates they stop where they should, and
//! what is beyond it is refused when it is constructed.

use cullide_narrowphase::{
    Aabb, BoxSweep, Brush, BrushPlane, Camera, ClipSpace, Error, Frustum, MAX_COORDINATE, Obb, Patch, Plane,
    PlaneMotion, Ray, Segment, Solid, Sphere, SphereSweep, Sweep,
    glam::{DVec3, Mat4, Quat, Vec3, Vec4},
};
use cullide_scenes::{Rng, SEED};

/// Sizes of bodies and things, as powers of two: from the smallest that `f64` resolves at the end of the range.
const SMALLEST: i32 = -20;
const LARGEST: i32 = 28;

const CASES: usize = 40_000;

#[test]
fn a_box_and_a_ball_stop_at_a_wall_however_long_it_is() {
    let wall = |half_length: f32| Obb::new(Vec3::X * 0.5, Quat::from_rotation_y(0.3), Vec3::new(0.5, half_length, 1.0));
    let body = Obb::new(Vec3::X * -4.0, Quat::IDENTITY, Vec3::splat(0.5)).unwrap();
    let sweep = BoxSweep::new(body, Vec3::X * 8.0).unwrap();
    let ball = SphereSweep::new(Sphere::new(Vec3::X * -4.0, 0.5).unwrap(), Vec3::X * 8.0).unwrap();
    let stops = |half_length: f32| {
        let wall = wall(half_length).unwrap();
        [sweep.against(wall), ball.against(wall)].map(|got| got.hit().expect("a wall"))
    };
    let expected = stops(8.0);
    for power in 4..=LARGEST + 1 {
        for (got, expected) in stops(2f32.powi(power)).into_iter().zip(expected) {
            assert!((got.toi - expected.toi).abs() < 2e-6, "2^{power}: {got:?}");
            assert!(got.position.distance(expected.position) < 2e-5, "2^{power}: {got:?}");
            assert!(got.normal.distance(expected.normal) < 1e-6, "2^{power}: {got:?}");
        }
    }
    for too_long in [2e9, 1e15, 4e15, 1e25] {
        assert_eq!(wall(too_long), Err(Error::OutOfRange { field: "half_extents" }));
    }
}

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0)))
}

fn turn(rng: &mut Rng) -> Quat {
    Quat::from_scaled_axis(vector(rng, 3.0))
}

fn size(rng: &mut Rng, largest: i32) -> f32 {
    (1.0 + rng.f32()) * 2f32.powi(rng.i32(SMALLEST..largest))
}

/// A thing of any size, as seen by boxes and balls in the exact tests.
enum Thing {
    Obb(Obb),
    Aabb(Aabb),
    Brush(Brush, Obb),
    Patch(Patch, Obb),
    Sphere(Sphere),
}

impl Thing {
    /// A random thing, with a place on its surface.
    fn random(rng: &mut Rng, kind: usize) -> Option<(Self, Vec3)> {
        let mut half = Vec3::from([(); 3].map(|()| size(rng, LARGEST)));
        if rng.bool() {
            half.x = half.x.min(1.0);
        }
        let center = if rng.bool() { vector(rng, 1.0) } else { vector(rng, 1.0) * size(rng, LARGEST) };
        let obb = Obb::new(center, if kind == 1 { Quat::IDENTITY } else { turn(rng) }, half).ok()?;
        let [a, b, c] = obb.half_edges();
        let mut share = vector(rng, 1.0);
        share[rng.usize(0..3)] = if rng.bool() { 1.0 } else { -1.0 };
        let on_box = center + a * share.x + b * share.y + c * share.z;
        Some(match kind {
            0 => (Self::Obb(obb), on_box),
            1 => (Self::Aabb(obb.aabb()), on_box),
            2 => (Self::Brush(Brush::try_from(&obb).ok()?, obb), on_box),
            3 => {
                let tile = Obb::from_half_edges(center, [Vec3::ZERO, b, c]).ok()?;
                let corners = [center - b - c, center + b - c, center + b + c, center - b + c];
                (Self::Patch(Patch::new(&corners).ok()?, tile), center + b * share.y + c * share.z)
            }
            _ => (Self::Sphere(Sphere::new(center, half.x).ok()?), center + (turn(rng) * Vec3::X) * half.x),
        })
    }

    fn stop_box(&self, sweep: &BoxSweep) -> Sweep {
        match self {
            Self::Obb(thing) => sweep.against(thing),
            Self::Aabb(thing) => sweep.against(thing),
            Self::Brush(thing, _) => sweep.against(thing),
            Self::Patch(thing, _) => sweep.against(thing),
            Self::Sphere(thing) => sweep.against(thing),
        }
    }

    fn stop_ball(&self, sweep: &SphereSweep) -> Sweep {
        match self {
            Self::Obb(thing) => sweep.against(thing),
            Self::Aabb(thing) => sweep.against(thing),
            Self::Brush(thing, _) => sweep.against(thing),
            Self::Patch(thing, _) => sweep.against(thing),
            Self::Sphere(thing) => sweep.against(thing),
        }
    }

    /// By an exact test for boxes.
    fn overlaps_box(&self, body: &Obb) -> bool {
        match self {
            Self::Obb(thing) | Self::Brush(_, thing) | Self::Patch(_, thing) => thing.overlaps(body),
            Self::Aabb(thing) => thing.overlaps_obb(body),
            Self::Sphere(thing) => thing.overlaps_obb(body),
        }
    }

    fn overlaps_ball(&self, ball: &Sphere) -> bool {
        match self {
            Self::Obb(thing) | Self::Brush(_, thing) | Self::Patch(_, thing) => thing.overlaps_sphere(ball),
            Self::Aabb(thing) => thing.overlaps_sphere(ball),
            Self::Sphere(thing) => thing.overlaps(ball),
        }
    }

    /// How far the corners may be from those of the box, due to rounding.
    fn rounding(&self) -> f32 {
        match self {
            Self::Patch(_, thing) | Self::Brush(_, thing) => {
                2.0 * f32::EPSILON * thing.aabb().min().abs().max(thing.aabb().max().abs()).max_element()
            }
            _ => 0.0,
        }
    }
}

#[test]
fn sweeps_agree_with_overlaps_along_the_way_at_every_ratio_of_sizes() {
    let mut rng = Rng::with_seed(SEED);
    let mut verdicts = [[0; 3]; 10];
    for case in 0..CASES {
        let (kind, is_ball) = (case % 5, case / 5 % 2 == 0);
        let Some((thing, near)) = Thing::random(&mut rng, kind) else { continue };
        // A body that starts near that place and moves about there.
        let near = if rng.u32(0..4) == 0 { Vec3::ZERO } else { near };
        let width = size(&mut rng, 4);
        let half = width * Vec3::new(1.0, 0.5 + rng.f32(), 0.25 + rng.f32());
        let start = near + vector(&mut rng, 4.0 * width);
        let motion = (near - start) * 2.0 + vector(&mut rng, width);
        let Ok(body) = Obb::new(start, turn(&mut rng), half) else { continue };
        let (Ok(ball), Ok(sweep)) = (Sphere::new(start, width), BoxSweep::new(body, motion)) else { continue };
        let Ok(rolling) = SphereSweep::new(ball, motion) else { continue };
        // If a step of `f32` is not small compared with the body, its place is not known accurately enough.
        let step = f32::EPSILON * start.abs().max_element() + thing.rounding();
        if step > 0.005 * width {
            continue;
        }
        let overlaps = |center: Vec3, share: f32| {
            if is_ball {
                thing.overlaps_ball(&Sphere::new(center, width * share).unwrap())
            } else {
                let edges = body.half_edges().map(|edge| edge * share);
                thing.overlaps_box(&Obb::from_half_edges(center, edges).unwrap())
            }
        };
        let got = if is_ball { thing.stop_ball(&rolling) } else { thing.stop_box(&sweep) };
        let context = || format!("case {case}, {kind}: {sweep:?} {width} {got:?}");
        let verdict = match got {
            Sweep::Clear => {
                let is_free = |i: u16| !overlaps(sweep.pose(f32::from(i) / 33.0).center(), 0.95);
                assert!((0..33).all(is_free), "passes through: {}", context());
                0
            }
            Sweep::Hit(hit) => {
                assert!(!overlaps(start, 0.98), "starts inside: {}", context());
                assert!(!overlaps(hit.position, 0.98), "stops inside: {}", context());
                let there = start.as_dvec3() + motion.as_dvec3() * f64::from(hit.toi);
                let off = hit.position.as_dvec3().distance(there) as f32;
                assert!(off <= 0.02 * width + 8.0 * step, "stops {off:e} off its way: {}", context());
                1
            }
            Sweep::Overlap(_) => {
                assert!(overlaps(start, 1.02), "does not overlap: {}", context());
                2
            }
        };
        verdicts[2 * kind + usize::from(is_ball)][verdict] += 1;
    }
    assert!(verdicts.as_flattened().iter().all(|&count| count > CASES / 800), "{verdicts:?}");
}

#[test]
fn what_lies_beyond_the_range_is_refused_where_it_is_made() {
    let beyond = MAX_COORDINATE.next_up();
    let (far, wide) = (Vec3::Y * beyond, DVec3::Y * f64::from(beyond));
    fn refused<T: std::fmt::Debug>(made: Result<T, Error>) {
        assert!(matches!(made, Err(Error::OutOfRange { .. })), "{made:?}");
    }
    refused(Aabb::new(Vec3::ZERO, far));
    refused(Aabb::from_points([far]));
    refused(Aabb::from_center_half_extents(Vec3::ZERO, far));
    refused(Obb::new(far, Quat::IDENTITY, Vec3::ONE));
    refused(Obb::new(Vec3::ZERO, Quat::IDENTITY, far));
    refused(Obb::from_half_edges(Vec3::Y * MAX_COORDINATE, Vec3::AXES.map(|axis| axis * 64.0)));
    refused(Sphere::new(far, 1.0));
    refused(Sphere::new(Vec3::ZERO, beyond));
    refused(Plane::new(Vec3::Y, beyond));
    refused(Plane::from_point_normal(far, Vec3::Y));
    refused(Plane::from_normal_distance(Vec3::Y, beyond));
    refused(Plane::from_points(Vec3::X, far, Vec3::Z));
    refused(Patch::new(&[Vec3::ZERO, Vec3::X, far]));
    refused(Ray::new(far, Vec3::X));
    refused(Segment::new(far, Vec3::X));
    refused(Segment::new(Vec3::ZERO, far));
    refused(Segment::between(Vec3::ZERO, far));
    let unit = Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::ONE).unwrap();
    let still = BoxSweep::new(unit, Vec3::ZERO).unwrap();
    refused(BoxSweep::new(unit, far));
    refused(unit.translated(far));
    refused(SphereSweep::new(Sphere::new(Vec3::ZERO, 1.0).unwrap(), far));
    refused(still.rotating(Vec3::X).unwrap().accelerated(far));
    refused(PlaneMotion::new(far, Vec3::ZERO, Vec3::ZERO));
    let cube = Brush::try_from(&unit).unwrap();
    refused(cube.translated(far));
    let planes = |by: f64| {
        cube.planes().iter().map(|&BrushPlane { normal, distance }| (normal, distance * by)).collect::<Vec<_>>()
    };
    refused(Brush::from_half_spaces(&planes(f64::from(beyond))));
    refused(Brush::from_point_triples(&[[DVec3::ZERO, DVec3::X, wide]; 4]));
    refused(Frustum::from_camera(&Camera { position: far, ..Camera::default() }));
    refused(Frustum::from_camera(&Camera { far: beyond, ..Camera::default() }));
}

#[test]
fn a_far_plane_of_a_matrix_beyond_the_range_bounds_nothing() {
    // z' = 1 - z / 2^40, w = 1: the far plane is at z = 2^40.
    let depth = Vec4::new(0.0, 0.0, (-40f32).exp2(), 0.0);
    let cube = Mat4::from_cols(Vec4::X, Vec4::Y, depth, Vec4::W);
    let seen = Frustum::from_matrix(&cube, ClipSpace::ZeroToOne).unwrap();
    assert!(seen.planes().len() == 5 && seen.contains_point(Vec3::Z * MAX_COORDINATE) && !seen.is_bounded());
    // And one that leaves nothing of the range: z' = z / 2^40 - 1.
    let behind = Mat4::from_cols(Vec4::X, Vec4::Y, depth, Vec4::new(0.0, 0.0, -1.0, 1.0));
    assert_eq!(Frustum::from_matrix(&behind, ClipSpace::ZeroToOne), Err(Error::Empty { field: "matrix" }));
}
