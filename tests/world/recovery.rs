//! Bodies that things were pushed into get out, and by no longer a way than necessary.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Filter, Object, Shape, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, BoxSweep, Capsule, CapsuleSweep, Obb, Solid, Sphere, SphereSweep},
};

/// Multiplied by the number in `CULLIDE_CASES`.
const CASES: usize = 500;

const HALF: Vec3 = Vec3::new(0.3, 0.9, 0.3);

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::new(rng.f32() - 0.5, rng.f32() - 0.5, rng.f32() - 0.5) * (2.0 * size)
}

/// A randomly rotated slab, upright half of the time, that reaches into what is around `near`.
fn slab(rng: &mut Rng, near: Vec3) -> Obb {
    let rotation =
        if rng.bool() { Quat::from_rotation_y(rng.f32() * 6.3) } else { Quat::from_scaled_axis(vector(rng, 3.0)) };
    let half = Vec3::new(0.05 + 0.3 * rng.f32(), 0.5 + rng.f32(), 0.5 + rng.f32());
    let out = rotation * Vec3::new([-1.0, 1.0][rng.usize(0..2)], rng.f32() - 0.5, rng.f32() - 0.5);
    Obb::new(near + out * (half.x + 0.2 + 0.2 * rng.f32()), rotation, half).unwrap()
}

/// Points all around, nearest first, at distances that grow evenly up to `longest`.
fn around(longest: f32) -> impl Iterator<Item = Vec3> {
    // A spiral from pole to pole.
    const DIRECTIONS: u16 = 150;
    (1..=8u8).flat_map(move |ring| {
        (0..DIRECTIONS).map(move |i| {
            let height = 1.0 - 2.0 * (f32::from(i) + 0.5) / f32::from(DIRECTIONS);
            let (sin, cos) = (f32::from(i) * 2.399_963).sin_cos();
            let across = (1.0 - height * height).sqrt();
            Vec3::new(across * cos, height, across * sin) * (longest * f32::from(ring) / 8.0)
        })
    })
}

#[test]
fn a_body_gets_out_by_no_longer_a_way_than_there_is() {
    let mut rng = Rng::with_seed(SEED);
    let factor = std::env::var("CULLIDE_CASES").ok().and_then(|factor| factor.parse().ok()).unwrap_or(1);
    let (mut pushed, mut shut_in) = ([0; 4], 0);
    for case in 0..CASES * factor {
        let size = [1.0, 100.0][rng.usize(0..2)];
        let at = vector(&mut rng, size);
        let count = 1 + rng.usize(0..3);
        let slabs: Vec<Obb> = (0..count).map(|_| slab(&mut rng, at)).collect();
        let mut world = World::new();
        for slab in &slabs {
            world.insert(Object::moving(Shape::from(*slab)));
        }
        let body = Obb::new(at, Quat::IDENTITY, HALF).unwrap();
        let ball = Sphere::new(at, 0.4).unwrap();
        let gaps_of_box = |center: Vec3| {
            let body = Obb::new(center, Quat::IDENTITY, HALF).unwrap();
            slabs.iter().map(move |slab| slab.gap(&body)).collect::<Vec<_>>()
        };
        let gaps_of_ball = |center: Vec3| {
            let ball = Sphere::new(center, 0.4).unwrap();
            slabs.iter().map(move |slab| slab.gap_of_sphere(&ball)).collect::<Vec<_>>()
        };
        let ends = [
            (world.depenetrate(&body, &Filter::ALL), &gaps_of_box as &dyn Fn(Vec3) -> Vec<_>, 1.8),
            (world.depenetrate(&ball, &Filter::ALL), &gaps_of_ball, 0.8),
        ];
        for (end, gaps, size) in ends {
            let depths: Vec<f64> = gaps(at).iter().map(|gap| gap.required_push()).collect();
            let overlapped = depths.iter().filter(|depth| **depth > 0.0).count();
            let limit = depths.iter().sum::<f64>() as f32 + 0.1 * size;
            if let Some(end) = end {
                assert!(gaps(end).iter().all(|gap| gap.is_apart()), "case {case}: it penetrates something");
                if overlapped == 1 && count == 1 {
                    let way = (end - at).length();
                    assert!(f64::from(way) <= depths[0] + 1e-4, "case {case}: {way} out of {depths:?}");
                }
            }
            let is_free = |way: &Vec3| gaps(at + *way).iter().all(|gap| gap.is_apart());
            let found = if overlapped == 0 { Some(Vec3::ZERO) } else { around(limit).find(is_free) };
            let length = end.map(|end| (end - at).length());
            if let Some(found) = found {
                let is_short = length.is_some_and(|length| length <= limit + 1e-4);
                assert!(
                    is_short,
                    "case {case}: {length:?}, and there is {found} of {} below {limit}: {depths:?}",
                    found.length()
                );
                pushed[overlapped] += 1;
            } else {
                shut_in += usize::from(end.is_none());
            }
        }
    }
    assert!(pushed[1..].iter().all(|count| *count > CASES / 20), "{pushed:?} {shut_in}");
}

/// A body to be pushed out of things.
#[derive(Clone, Copy, Debug)]
enum Pushed {
    Ball(Sphere),
    Box(Obb),
    Capsule(Capsule),
}

impl Pushed {
    fn center(&self) -> Vec3 {
        match self {
            Self::Ball(body) => body.center(),
            Self::Box(body) => body.center(),
            Self::Capsule(body) => body.center(),
        }
    }

    fn at(&self, center: Vec3) -> Self {
        match self {
            Self::Ball(body) => Self::Ball(Sphere::new(center, body.radius()).unwrap()),
            Self::Box(body) => Self::Box(Obb::from_half_edges(center, body.half_edges()).unwrap()),
            Self::Capsule(body) => {
                Self::Capsule(Capsule::from_half_axis(center, body.half_axis(), body.radius()).unwrap())
            }
        }
    }

    /// Whether a sweep without motion reports no overlap.
    fn is_free(&self, world: &World) -> bool {
        let all = Filter::ALL;
        let swept = match self {
            Self::Ball(body) => world.sweep(&SphereSweep::new(*body, Vec3::ZERO).unwrap(), &all),
            Self::Box(body) => world.sweep(&BoxSweep::new(*body, Vec3::ZERO).unwrap(), &all),
            Self::Capsule(body) => world.sweep(&CapsuleSweep::new(*body, Vec3::ZERO).unwrap(), &all),
        };
        swept.overlap.is_none()
    }

    fn depenetrate(&self, world: &World) -> Option<Vec3> {
        match self {
            Self::Ball(body) => world.depenetrate(body, &Filter::ALL),
            Self::Box(body) => world.depenetrate(body, &Filter::ALL),
            Self::Capsule(body) => world.depenetrate(body, &Filter::ALL),
        }
    }
}

/// Integers from -size to size.
fn grid(rng: &mut Rng, size: u8) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| rng.usize(0..2 * usize::from(size) + 1) as f32 - f32::from(size)))
}

#[test]
fn a_body_that_overlaps_nothing_stays_where_it_is() {
    let mut rng = Rng::with_seed(SEED);
    let (mut free, mut touching, mut pushed, mut shut_in) = (0, 0, 0, 0);
    for case in 0..20_000 {
        let mut world = World::new();
        let mut boxes = Vec::new();
        for _ in 0..1 + rng.usize(0..5) {
            let corner = grid(&mut rng, 2);
            boxes.push(Aabb::new(corner, corner + Vec3::ONE).unwrap());
        }
        for shape in &boxes {
            world.insert(Object::fixed(*shape));
        }
        if case % 4 == 0 {
            let (center, axis) = (grid(&mut rng, 4), grid(&mut rng, 1));
            world.insert(Object::fixed(Capsule::from_half_axis(center, axis, 0.5).unwrap()));
        }
        // They fit exactly between some of the boxes.
        let (center, size) = (grid(&mut rng, 4) * 0.5, [0.5, 1.0][rng.usize(0..2)]);
        let edges = [Vec3::new(1.4995853, 0.035268247, 0.0), Vec3::new(-0.105804734, 4.498756, 0.0), Vec3::Z * 1.5];
        let body = match rng.usize(0..4) {
            0 => Pushed::Ball(Sphere::new(center, size).unwrap()),
            1 => Pushed::Box(Obb::new(center, Quat::IDENTITY, Vec3::splat(size)).unwrap()),
            2 => Pushed::Box(Obb::from_half_edges(center, edges).unwrap()),
            _ => Pushed::Capsule(Capsule::from_half_axis(center, Vec3::Y * 0.5, size).unwrap()),
        };
        let end = body.depenetrate(&world);
        if body.is_free(&world) {
            assert_eq!(
                end.map(|end| end.to_array().map(f32::to_bits)),
                Some(center.to_array().map(f32::to_bits)),
                "case {case}: {body:?}"
            );
            free += 1;
            let Pushed::Ball(ball) = body else { continue };
            touching += usize::from(boxes.iter().any(|shape| !shape.gap_of_sphere(&ball).is_apart()));
        } else if let Some(end) = end {
            assert!(end != center && body.at(end).is_free(&world), "case {case}: {body:?} to {end}");
            pushed += 1;
        } else {
            shut_in += 1;
        }
    }
    assert!(free > 5000 && touching > 150 && pushed > 5000, "{free} {touching} {pushed} {shut_in}");
}

#[test]
fn a_body_that_fits_exactly_between_walls_gets_out_of_the_floor() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..300 {
        let mut world = World::new();
        // A corridor one wide, at places that `f32` represents exactly.
        let corner = grid(&mut rng, 20);
        let walls = [
            (Vec3::new(-2.0, -1.0, -8.0), Vec3::new(0.0, 9.0, 8.0)),
            (Vec3::new(1.0, -1.0, -8.0), Vec3::new(3.0, 9.0, 8.0)),
        ];
        let floor = (Vec3::new(-2.0, -1.0, -8.0), Vec3::new(3.0, 0.0, 8.0));
        for (min, max) in [walls[0], walls[1], floor] {
            world.insert(Object::fixed(Aabb::new(corner + min, corner + max).unwrap()));
        }
        let depth = [0.25, 0.1, 0.01][case % 3] * (0.5 + rng.f32());
        let center = corner + Vec3::new(0.5, 0.5 - depth, rng.f32());
        let body = match case / 3 % 3 {
            0 => Pushed::Ball(Sphere::new(center, 0.5).unwrap()),
            1 => Pushed::Box(Obb::new(center, Quat::IDENTITY, Vec3::splat(0.5)).unwrap()),
            _ => Pushed::Capsule(Capsule::from_half_axis(center, Vec3::Z, 0.5).unwrap()),
        };
        let end = body.depenetrate(&world);
        let end = end.unwrap_or_else(|| panic!("case {case}: there is a way out of {depth}: {body:?}"));
        let way = end - body.center();
        assert!(body.at(end).is_free(&world) && way.distance(Vec3::Y * depth) < 1e-4, "case {case}: {way} of {depth}");
    }
}
