//! The bits of seeded results are the same with every version of glam, in debug and in release builds, on every target:
//! a world that is computed twice is the same. A change that is meant to change them changes these numbers; nothing
//! else may.

use cullide_narrowphase::{
    Aabb, BoxSweep, Brush, Camera, Cast, Frustum, Obb, Patch, Plane, Ray, Sides, Sphere, SphereSweep, Sweep,
    glam::{DVec3, Quat, Vec3},
};
use cullide_scenes::{Rng, SEED};

/// Fowler, Noll and Vo's hash of numbers, none of which is a negative zero.
struct Bits(u64);

impl Bits {
    fn of(write: impl FnOnce(&mut Self)) -> u64 {
        let mut bits = Self(0xcbf2_9ce4_8422_2325);
        write(&mut bits);
        bits.0
    }

    fn word(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn number(&mut self, x: f64) {
        assert!(x != 0.0 || x.is_sign_positive(), "a negative zero");
        self.word(x.to_bits());
    }

    fn vector(&mut self, v: Vec3) {
        self.wide(v.as_dvec3());
    }

    fn wide(&mut self, v: DVec3) {
        v.to_array().into_iter().for_each(|x| self.number(x));
    }

    fn cast(&mut self, ray: &Ray, shape: &impl Cast) {
        let Some(hit) = ray.cast(shape, 40.0) else { return self.word(0) };
        self.word(1 + u64::from(hit.inside));
        self.number(hit.distance.into());
        self.number(hit.exit.into());
        self.vector(hit.normal);
    }

    fn sweep(&mut self, sweep: Sweep) {
        match sweep {
            Sweep::Clear => self.word(0),
            Sweep::Hit(hit) => {
                self.word(1);
                self.number(hit.toi.into());
                self.vector(hit.normal);
                self.vector(hit.position);
            }
            Sweep::Overlap(overlap) => {
                self.word(2);
                self.number(overlap.depth.into());
                self.vector(overlap.normal);
            }
        }
    }
}

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0)))
}

/// Sometimes on a grid, where things touch and zeros appear.
fn point(rng: &mut Rng, size: f32) -> Vec3 {
    let v = vector(rng, size);
    if rng.u32(0..3) == 0 { v.map(|x| (x + 0.5).floor()) } else { v }
}

fn rotation(rng: &mut Rng) -> Quat {
    // Of any length, and sometimes with few digits.
    let mut number = || if rng.u32(0..4) == 0 { rng.i8(-1..=1).into() } else { rng.f32() - 0.5 };
    Quat::from_xyzw(number(), number(), number(), number())
}

fn obb(rng: &mut Rng) -> Obb {
    loop {
        if let Ok(obb) = Obb::new(point(rng, 4.0), rotation(rng), point(rng, 2.0).abs()) {
            return obb;
        }
    }
}

fn brush(rng: &mut Rng) -> Brush {
    loop {
        let half_spaces = (0..rng.usize(5..14)).map(|_| (vector(rng, 1.0).as_dvec3(), 1.0 + rng.f64()));
        if let Ok(brush) = Brush::from_half_spaces(&half_spaces.collect::<Vec<_>>()) {
            return brush.translated(point(rng, 4.0)).unwrap_or(brush);
        }
    }
}

fn patch(rng: &mut Rng) -> Patch {
    loop {
        if let Ok(patch) = Patch::new(&[(); 3].map(|()| point(rng, 5.0))) {
            return patch;
        }
    }
}

fn aabb(rng: &mut Rng) -> Aabb {
    Aabb::from_points([point(rng, 5.0), point(rng, 5.0)]).unwrap()
}

fn plane(rng: &mut Rng) -> Plane {
    loop {
        if let Ok(plane) = Plane::from_point_normal(point(rng, 4.0), point(rng, 2.0)) {
            return plane;
        }
    }
}

fn sphere(rng: &mut Rng) -> Sphere {
    let radius = point(rng, 2.0).x.abs();
    Sphere::new(point(rng, 4.0), radius).unwrap()
}

#[test]
fn brushes_have_the_same_vertices_everywhere() {
    let rng = &mut Rng::with_seed(SEED);
    let hash = Bits::of(|bits| {
        for _ in 0..400 {
            let brush = brush(rng);
            brush.vertices().iter().for_each(|vertex| bits.wide(*vertex + DVec3::ZERO));
            brush.planes().iter().for_each(|plane| bits.wide(plane.normal + DVec3::ZERO));
        }
    });
    assert_eq!(hash, BRUSHES, "{hash:#x}");
}

#[test]
fn boxes_patches_and_cameras_are_the_same_everywhere() {
    let rng = &mut Rng::with_seed(SEED);
    let hash = Bits::of(|bits| {
        for _ in 0..2000 {
            let obb = obb(rng);
            obb.half_edges().into_iter().for_each(|edge| bits.vector(edge));
            if let Ok(brush) = Brush::try_from(&obb) {
                brush.vertices().iter().for_each(|vertex| bits.wide(*vertex + DVec3::ZERO));
            }
            bits.vector(patch(rng).plane().normal());
            let (forward, up) = (vector(rng, 1.0), vector(rng, 1.0));
            let camera =
                Camera { position: point(rng, 9.0), forward, up, fov_y: 0.1 + 3.0 * rng.f32(), ..Camera::default() };
            for plane in Frustum::from_camera(&camera).unwrap().planes() {
                bits.vector(plane.normal());
                bits.number(plane.d().into());
            }
        }
    });
    assert_eq!(hash, SHAPES, "{hash:#x}");
}

#[test]
fn rays_hit_at_the_same_distance_everywhere() {
    let rng = &mut Rng::with_seed(SEED);
    let hash = Bits::of(|bits| {
        for _ in 0..4000 {
            let (obb, brush, patch) = (obb(rng), brush(rng), patch(rng));
            let from = if rng.bool() { point(rng, 8.0) } else { patch.points()[0] };
            let Ok(ray) = Ray::new(from, patch.points()[1] + point(rng, 1.0) - from) else { continue };
            bits.cast(&ray, &obb);
            bits.cast(&ray, &brush);
            bits.cast(&ray, &patch);
            bits.cast(&ray, &aabb(rng));
            bits.cast(&ray, &plane(rng));
            bits.cast(&ray, &sphere(rng));
        }
    });
    assert_eq!(hash, CASTS, "{hash:#x}");
}

#[test]
fn what_moves_stops_at_the_same_place_everywhere() {
    let rng = &mut Rng::with_seed(SEED);
    let hash = Bits::of(|bits| {
        for _ in 0..2000 {
            let body = BoxSweep::new(obb(rng), point(rng, 9.0)).unwrap();
            let ball = SphereSweep::new(sphere(rng), point(rng, 9.0)).unwrap();
            let (aabb, obb, brush, patch, sphere) = (aabb(rng), obb(rng), brush(rng), patch(rng), sphere(rng));
            let sides = if rng.bool() { Sides::Front } else { Sides::Both };
            let plane = plane(rng);
            bits.sweep(body.against(aabb));
            bits.sweep(body.against(obb));
            bits.sweep(body.against(&brush));
            bits.sweep(body.against(&patch));
            bits.sweep(body.against(sphere));
            bits.sweep(body.against_plane(&plane, sides));
            bits.sweep(body.against_moving_sphere(&ball));
            bits.sweep(ball.against(aabb));
            bits.sweep(ball.against(obb));
            bits.sweep(ball.against(&brush));
            bits.sweep(ball.against(&patch));
            bits.sweep(ball.against(sphere));
            bits.sweep(ball.against_plane(&plane, sides));
            bits.sweep(ball.against_moving_box(&body));
        }
    });
    assert_eq!(hash, SWEEPS, "{hash:#x}");
}

#[test]
fn a_corner_of_a_patch_is_met_and_left_at_a_plain_zero() {
    let rng = &mut Rng::with_seed(SEED);
    for _ in 0..4000 {
        let patch = patch(rng);
        let corner = patch.points()[rng.usize(0..3)];
        let Ok(ray) = Ray::new(corner, point(rng, 2.0)) else { continue };
        let Some(hit) = ray.cast(&patch, f32::INFINITY) else { continue };
        let crossing = patch.crossing(&ray.path(f32::INFINITY).unwrap()).unwrap();
        let numbers = [hit.distance.into(), hit.exit.into(), crossing.enter, crossing.exit];
        assert!(numbers.iter().all(|x: &f64| x.is_sign_positive()), "{ray:?} {patch:?} {hit:?} {crossing:?}");
    }
}

const BRUSHES: u64 = 0x0dc3_acb6_cfa8_82c5;
const SHAPES: u64 = 0xce3f_1b1d_6179_bd20;
const CASTS: u64 = 0x4ce6_c6bd_c2f9_80df;
const SWEEPS: u64 = 0x01f9_a3f3_56f8_53e9;
