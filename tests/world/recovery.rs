//! Bodies that things were pushed into get out, and by no longer a way than there is.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Filter, Object, Shape, World,
    glam::{Quat, Vec3},
    narrowphase::{Obb, Sphere},
};

/// Times the number that `CULLIDE_CASES` gives.
const CASES: usize = 500;

const HALF: Vec3 = Vec3::new(0.3, 0.9, 0.3);

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::new(rng.f32() - 0.5, rng.f32() - 0.5, rng.f32() - 0.5) * (2.0 * size)
}

/// A slab turned at random, upright half of the time, that reaches into what is around `near`.
fn slab(rng: &mut Rng, near: Vec3) -> Obb {
    let rotation =
        if rng.bool() { Quat::from_rotation_y(rng.f32() * 6.3) } else { Quat::from_scaled_axis(vector(rng, 3.0)) };
    let half = Vec3::new(0.05 + 0.3 * rng.f32(), 0.5 + rng.f32(), 0.5 + rng.f32());
    let out = rotation * Vec3::new([-1.0, 1.0][rng.usize(0..2)], rng.f32() - 0.5, rng.f32() - 0.5);
    Obb::new(near + out * (half.x + 0.2 + 0.2 * rng.f32()), rotation, half).unwrap()
}

/// Points all around, nearest first by lengths that grow evenly up to `longest`.
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
            (world.depenetrate_sphere(&ball, &Filter::ALL), &gaps_of_ball, 0.8),
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
