//! What lands flat on bumps lies down on them, and what slides over kinks without friction is not tripped by them.

use super::{Scene, obb};
use cullide_scenes::{CRATE_HALF_EXTENTS, Rng, SEED, bumpy, crates};
use cullide_world::{
    Compound, Material, Mesh, ObjectKey, RigidBody, Shape,
    glam::{Quat, Vec3},
    narrowphase::{Hull, Obb},
};
use std::{collections::BTreeMap, f32::consts::TAU};

const SMOOTH: Material =
    Material { friction: 0.0, restitution: 0.0, rolling_resistance: 0.0, surface_velocity: Vec3::ZERO };

/// A mesh of these triangles, joined at their common corners.
fn joined(triangles: &[[[f32; 3]; 3]]) -> Mesh {
    let (mut numbers, mut vertices) = (BTreeMap::new(), Vec::new());
    let mut number = |corner: [f32; 3]| {
        *numbers.entry(corner.map(f32::to_bits)).or_insert_with(|| {
            vertices.push(Vec3::from(corner));
            vertices.len() as u32 - 1
        })
    };
    let triangles: Vec<[u32; 3]> = triangles.iter().map(|corners| corners.map(&mut number)).collect();
    Mesh::new(&vertices, &triangles).unwrap()
}

/// The same box as a box, a hull, or a compound of two halves.
fn as_shape(body: Obb, kind: usize) -> Shape {
    let [x, y, z] = body.half_edges();
    let half = |side: f32| Obb::from_half_edges(body.center() + 0.5 * side * x, [0.5 * x, y, z]).unwrap();
    match kind {
        0 => body.into(),
        1 => Hull::new(&body.corners()).unwrap().into(),
        _ => Compound::new([half(1.0), half(-1.0)].map(Shape::from)).unwrap().into(),
    }
}

/// The mean speed at which bodies turn.
fn mean_spin(scene: &Scene, keys: &[ObjectKey]) -> f32 {
    keys.iter().map(|key| scene.spin(*key).length()).sum::<f32>() / keys.len() as f32
}

/// Crates that fall upright, as fast as 10 units/s at last, on ground whose bumps are a few hundredths high.
#[test]
fn crates_that_land_flat_on_bumps_lie_down() {
    let material = Material { friction: 0.6, restitution: 0.1, ..Material::default() };
    for (seed, kind) in [(SEED, 0), (1, 0), (2, 1)] {
        let mut scene = Scene::new();
        let ground = scene.fixed(joined(&bumpy(200, 1.0)));
        scene.dynamics.set_material(&scene.world, ground, material).unwrap();
        let mut rng = Rng::with_seed(seed);
        let mut add = |center: [f32; 3]| {
            let turn = Quat::from_rotation_y(TAU * rng.f32());
            let shape = as_shape(obb(center.into(), turn, CRATE_HALF_EXTENTS.into()), kind);
            scene.add(shape, RigidBody { material, ..RigidBody::dynamic() })
        };
        let keys: Vec<ObjectKey> = crates(200, seed).iter().map(|thing| add(thing.center)).collect();
        scene.steps(80);
        let spin = mean_spin(&scene, &keys);
        assert!(spin < 0.3, "{seed} {kind}: {spin}");
        scene.steps(99);
        let awake = scene.step().awake;
        // One may be left that stands on an edge, or rocks.
        assert!(awake <= 4, "{seed} {kind}: {awake} awake");
    }
}

/// Ground whose height depends on x alone.
#[derive(Clone, Copy, Debug)]
enum Profile {
    Flat,
    Crest,
    Valley,
    Waves,
}

impl Profile {
    fn height(self, slope: f32, x: f32) -> f32 {
        match self {
            Self::Flat => 0.0,
            Self::Crest => -slope * x.abs(),
            Self::Valley => slope * x.abs(),
            Self::Waves => slope * x.sin(),
        }
    }

    /// The height of the triangles there, whose corners are at whole numbers.
    fn of_triangles(self, slope: f32, x: f32) -> f32 {
        let (column, share) = (x.floor(), x - x.floor());
        self.height(slope, column) * (1.0 - share) + self.height(slope, column + 1.0) * share
    }

    fn mesh(self, slope: f32) -> Mesh {
        let at = |x: i8, z: i8| [f32::from(x), self.height(slope, f32::from(x)), f32::from(z)];
        let cells = (-24..24).flat_map(|x| (-24..24).map(move |z| (x, z)));
        let triangles = cells.flat_map(|(x, z)| {
            let [a, b, c, d] = [at(x, z), at(x + 1, z), at(x, z + 1), at(x + 1, z + 1)];
            [[a, c, b], [b, c, d]]
        });
        joined(&triangles.collect::<Vec<_>>())
    }
}

/// What became of a crate that slid without friction.
#[derive(Debug)]
struct Slide {
    /// The shares of the speed that the energy at the end, and the highest energy, would give where it began.
    kept: f32,
    most: f32,
    /// The highest speed at which it went sideways, as a share of its speed.
    sideways: f32,
}

/// A crate slides over ground without friction, in some direction: straight across, nearly so, or another; and turned
/// along the ground, along its way, or in any way.
fn slide(profile: Profile, slope: f32, speed: f32, case: usize, rng: &mut Rng) -> Slide {
    let heading = [0.0, 0.2 * (rng.f32() - 0.5), TAU * rng.f32()][case % 3];
    let yaw = [0.0, -heading, TAU * rng.f32()][case / 3 % 3];
    let forward = Quat::from_rotation_y(-heading) * Vec3::X;
    let start = -forward * (1.25 * speed).min(9.0) + Vec3::new(rng.f32() - 0.5, 0.0, rng.f32() - 0.5);
    let rise = 50.0 * (profile.of_triangles(slope, start.x + 0.01) - profile.of_triangles(slope, start.x - 0.01));
    let up = Vec3::new(-rise, 1.0, 0.0).normalize();
    let turn = Quat::from_rotation_arc(Vec3::Y, up) * Quat::from_rotation_y(yaw);
    let half = Vec3::new(0.5, 0.3, 0.4);
    // As low as its bottom may be.
    let places =
        (-5..=5i8).flat_map(|i| (-5..=5i8).map(move |j| Vec3::new(f32::from(i) / 5.0, -1.0, f32::from(j) / 5.0)));
    let lift = places.map(|place| start + turn * (place * half)).map(|at| profile.of_triangles(slope, at.x) - at.y);
    let center = start + Vec3::Y * (lift.fold(f32::MIN, f32::max) + 0.001);
    let velocity = (forward - up * forward.dot(up)).normalize() * speed;

    let mut scene = Scene::new();
    let ground = scene.fixed(profile.mesh(slope));
    scene.dynamics.set_material(&scene.world, ground, SMOOTH).unwrap();
    let body = RigidBody { velocity, material: SMOOTH, can_sleep: false, ..RigidBody::dynamic() };
    let key = scene.add(as_shape(obb(center, turn, half), if case % 8 == 7 { 1 } else { 0 }), body);
    let energy = |scene: &Scene| {
        let mass = scene.dynamics.body(key).unwrap().mass(&scene.world).unwrap();
        let (velocity, spin) = (scene.velocity(key), scene.spin(key));
        let turning: f32 = (0..3).map(|i| mass.inertia[i] * mass.axes[i].dot(spin).powi(2)).sum();
        0.5 * (velocity.length_squared() + turning / mass.mass) - scene.config.gravity.y * mass.center.y
    };
    let as_speed = |gained: f32| (2.0 * gained + speed * speed).max(0.0).sqrt() / speed;
    let before = energy(&scene);
    let (mut now, mut most, mut sideways) = (before, before, 0.0f32);
    for _ in 0..150 {
        scene.step();
        let at = scene.shape(key).aabb().center();
        if at.x.abs().max(at.z.abs()) > 22.0 {
            break;
        }
        now = energy(&scene);
        most = most.max(now);
        sideways = sideways.max(scene.velocity(key).dot(forward.cross(Vec3::Y)).abs() / speed);
    }
    Slide { kept: as_speed(now - before), most: as_speed(most - before), sideways }
}

#[test]
fn what_slides_over_kinks_without_friction_keeps_its_speed() {
    let mut rng = Rng::with_seed(SEED);
    for profile in [Profile::Crest, Profile::Valley, Profile::Waves] {
        let mut sum = 0.0;
        for case in 0..200 {
            let (slope, speed) = ((1.0 + 5.0 * rng.f32()).to_radians().tan(), 2.0 + 10.0 * rng.f32());
            let found = slide(profile, slope, speed, case, &mut rng);
            let name = format!("{profile:?} {case}: slope {slope}, speed {speed}: {found:?}");
            assert!(found.most < 1.0001 && found.kept > 0.85, "{name}");
            sum += found.kept;
        }
        assert!(sum > 0.96 * 200.0, "{profile:?}: {}", sum / 200.0);
    }
}

#[test]
fn what_slides_over_flat_triangles_goes_straight_on() {
    let mut rng = Rng::with_seed(SEED ^ 1);
    for case in 0..200 {
        let speed = 2.0 + 10.0 * rng.f32();
        let found = slide(Profile::Flat, 0.0, speed, case, &mut rng);
        assert!(found.sideways < 1e-4 && found.kept > 0.999 && found.most < 1.0001, "{case}: speed {speed}: {found:?}");
    }
}
