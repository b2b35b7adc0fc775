//! The same scene in other units, scaled by a power of two, gives the same answers apart from the units: no length,
//! speed or force is built in besides those that a caller gives.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Character, Compound, Dynamics, DynamicsConfig, Filter, Material, Mesh, Mover,
    Object, ObjectKey, PlacedCompound, Response, RigidBody, Shape, SlideOptions, SweptBody, Terrain, World,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{
        Aabb, BoxSweep, Capsule, CapsuleSweep, Hull, Obb, Plane, Ray, Segment, Sphere, SphereSweep, TurningBoxSweep,
    },
};

const DT: f32 = 1.0 / 60.0;

/// Samples per side of the ground.
const SIDE: u32 = 25;

/// The number of these units in one unit of the given scene.
#[derive(Clone, Copy)]
struct Units(f32);

/// The answers, with lengths in the units of the given scene.
#[derive(Default)]
struct Answers(Vec<(&'static str, Vec<f32>)>);

impl Answers {
    fn length(&mut self, name: &'static str, units: Units, lengths: impl IntoIterator<Item = f32>) {
        self.0.push((name, lengths.into_iter().map(|length| length / units.0).collect()));
    }

    fn number(&mut self, name: &'static str, numbers: impl IntoIterator<Item = f32>) {
        self.0.push((name, numbers.into_iter().collect()));
    }

    fn swept(&mut self, name: &'static str, units: Units, swept: &SweptBody) {
        self.length(name, units, swept.position.to_array());
        if let Some(hit) = &swept.hit {
            self.number(name, hit.normal.to_array().into_iter().chain([hit.toi, hit.part as f32]));
            self.length(name, units, hit.contacts.points().iter().flat_map(|point| point.to_array()));
        }
        self.length(name, units, swept.overlap.iter().map(|overlap| overlap.depth));
    }
}

/// Checks that answers do not depend on the units.
fn assert_alike(ask: impl Fn(Units) -> Answers) {
    // With much larger units, squares of remaining impulses underflow.
    assert_alike_in([128.0, 1.0 / 16.0], ask);
}

fn assert_alike_in(scales: [f32; 2], ask: impl Fn(Units) -> Answers) {
    let Answers(expected) = ask(Units(1.0));
    for scale in scales {
        let Answers(found) = ask(Units(scale));
        for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(found, expected, "answer {i} with {scale} units for one");
        }
        assert_eq!(found.len(), expected.len());
    }
}

impl Units {
    fn obb(self, center: Vec3, rotation: Quat, half_extents: Vec3) -> Obb {
        Obb::new(center * self.0, rotation, half_extents * self.0).unwrap()
    }

    fn aabb(self, min: Vec3, max: Vec3) -> Aabb {
        Aabb::new(min * self.0, max * self.0).unwrap()
    }

    fn sphere(self, center: Vec3, radius: f32) -> Sphere {
        Sphere::new(center * self.0, radius * self.0).unwrap()
    }

    fn capsule(self, center: Vec3, half: Vec3, radius: f32) -> Capsule {
        Capsule::new((center - half) * self.0, (center + half) * self.0, radius * self.0).unwrap()
    }

    /// A ball, a box, a capsule or a hull.
    fn solid(self, rng: &mut Rng, center: Vec3) -> Shape {
        let turn = Quat::from_scaled_axis(vector(rng) * 3.0);
        let size = Vec3::splat(0.2) + (vector(rng) + 1.0) * 0.1;
        match rng.u32(0..4) {
            0 => self.sphere(center, size.x).into(),
            1 => self.capsule(center, turn * Vec3::Y * size.y, 0.7 * size.x).into(),
            2 => self.obb(center, turn, size).into(),
            _ => {
                let points = self.obb(center, turn, size).corners().map(|corner| corner + vector(rng) * 0.1 * self.0);
                Hull::new(&points).unwrap().into()
            }
        }
    }

    fn terrain(self, rng: &mut Rng) -> Terrain {
        let heights: Vec<f32> = (0..SIDE * SIDE).map(|_| 0.3 * rng.f32() * self.0).collect();
        Terrain::new(SIDE, SIDE, &heights, Vec2::splat(0.5 * self.0), Vec2::splat(-6.0 * self.0)).unwrap()
    }

    fn mesh(self, rng: &mut Rng) -> Mesh {
        let at = |i: u32| Vec3::new(0.5 * (i % SIDE) as f32 - 6.0, 0.0, 0.5 * (i / SIDE) as f32 - 6.0);
        let vertices: Vec<Vec3> = (0..SIDE * SIDE).map(|i| (at(i) + Vec3::Y * 0.3 * rng.f32()) * self.0).collect();
        let squares = (0..(SIDE - 1) * (SIDE - 1)).map(|i| i / (SIDE - 1) * SIDE + i % (SIDE - 1));
        let triangles = squares.flat_map(|i| [[i, i + SIDE, i + 1], [i + 1, i + SIDE, i + SIDE + 1]]);
        Mesh::new(&vertices, &triangles.collect::<Vec<_>>()).unwrap()
    }

    /// Shapes of every kind over a ground, of a kind that depends on the seed, within walls.
    fn world(self, seed: u64) -> (World, Rng) {
        let mut rng = Rng::with_seed(SEED ^ seed);
        let mut world = World::with_tag(1);
        match seed % 3 {
            0 => world.insert(Object::fixed(self.terrain(&mut rng))),
            1 => world.insert(Object::fixed(self.mesh(&mut rng))),
            _ => world.insert(Object::fixed(self.aabb(Vec3::new(-9.0, -1.0, -9.0), Vec3::new(9.0, 0.0, 9.0)))),
        };
        for normal in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
            world.insert_plane(Plane::new(normal, 5.0 * self.0).unwrap());
        }
        let children = [self.solid(&mut rng, Vec3::X), self.solid(&mut rng, Vec3::ZERO)];
        let compound = Compound::new(children).unwrap();
        let (turn, shift) = (Quat::from_rotation_y(1.0), Vec3::new(1.0, 1.5, -2.0) * self.0);
        world.insert(Object::fixed(PlacedCompound::new(&compound, turn, shift).unwrap()));
        for _ in 0..12 {
            let center = vector(&mut rng) * Vec3::new(4.0, 1.0, 4.0) + Vec3::Y;
            let shape = self.solid(&mut rng, center);
            world.insert(Object::fixed(shape));
        }
        (world, rng)
    }
}

/// A vector with components from −1 to 1.
fn vector(rng: &mut Rng) -> Vec3 {
    Vec3::from([(); 3].map(|()| 2.0 * rng.f32() - 1.0))
}

#[test]
fn questions() {
    for seed in 0..12 {
        assert_alike(|units| {
            let (world, mut rng) = units.world(seed);
            let (mut answers, filter) = (Answers::default(), Filter::ALL);
            for _ in 0..60 {
                let (at, way) = (vector(&mut rng) * Vec3::new(5.0, 1.5, 5.0) + Vec3::Y, vector(&mut rng) * 4.0);
                let (start, motion) = (at * units.0, way * units.0);
                let mut hits = vec![];
                world.cast_ray_all(&Ray::new(start, way).unwrap(), 9.0 * units.0, &filter, &mut hits);
                for hit in hits {
                    answers.length("ray", units, hit.point.to_array().into_iter().chain([hit.distance, hit.exit]));
                    answers.number("ray", hit.normal.to_array().into_iter().chain([hit.part as f32]));
                }
                let segment = Segment::new(start, motion).unwrap();
                answers.number("segment", world.cast_segment(&segment, &filter).map(|hit| hit.fraction));
                let mut near = vec![];
                world.nearest(start, 2.0 * units.0, 5, &filter, &mut near);
                answers.length("near", units, near.iter().map(|near| near.distance));

                let turn = Quat::from_scaled_axis(vector(&mut rng) * 3.0);
                let (obb, sphere, capsule) = (
                    units.obb(at, turn, Vec3::new(0.2, 0.3, 0.4)),
                    units.sphere(at, 0.3),
                    units.capsule(at, Vec3::Y * 0.3, 0.2),
                );
                let mut targets = vec![];
                world.overlap(&obb, &filter, &mut targets);
                world.overlap(&sphere, &filter, &mut targets);
                world.overlap(&capsule, &filter, &mut targets);
                answers.number("overlaps", [targets.len() as f32]);
                let box_sweep = BoxSweep::new(obb, motion).unwrap();
                let sphere_sweep = SphereSweep::new(sphere, motion).unwrap();
                let capsule_sweep = CapsuleSweep::new(capsule, motion).unwrap();
                answers.swept("box", units, &world.sweep(&box_sweep, &filter));
                answers.swept("ball", units, &world.sweep(&sphere_sweep, &filter));
                answers.swept("capsule", units, &world.sweep(&capsule_sweep, &filter));
                let rotating = TurningBoxSweep::new(&obb, motion, vector(&mut rng) * 2.0).unwrap();
                let turned = world.sweep_turning(&rotating, 1e-3 * units.0, &filter);
                answers.length("turning box", units, turned.body.center().to_array());
                answers.number("turning box", turned.hit.map(|hit| hit.toi));
                let options = SlideOptions::default();
                for slide in [
                    world.slide(&box_sweep, &filter, &options),
                    world.slide(&sphere_sweep, &filter, &options),
                    world.slide(&capsule_sweep, &filter, &options),
                ] {
                    answers.length(
                        "slide",
                        units,
                        [slide.position, slide.motion].into_iter().flat_map(|v| v.to_array()),
                    );
                }
                let out = [
                    world.depenetrate(&obb, &filter),
                    world.depenetrate(&sphere, &filter),
                    world.depenetrate(&capsule, &filter),
                ];
                answers.length("depenetrate", units, out.into_iter().flatten().flat_map(|way| way.to_array()));
            }
            answers
        });
    }
}

#[test]
fn walks() {
    for seed in 0..8 {
        assert_alike(|units| {
            let (world, mut rng) = units.world(seed);
            let mut answers = Answers::default();
            let mover = Mover::default().in_units(units.0);
            let mut boxed = Character::new(units.obb(Vec3::Y * 3.0, Quat::IDENTITY, Vec3::new(0.3, 0.6, 0.3)));
            let mut capsule = Character::new(units.capsule(Vec3::Y * 3.0, Vec3::Y * 0.4, 0.3));
            let mut wish = Vec3::ZERO;
            for step in 0..600 {
                if step % 40 == 0 {
                    wish = vector(&mut rng) * Vec3::new(4.0, 0.0, 4.0) * units.0;
                }
                let fall = Vec3::NEG_Y * 9.81 * DT * units.0;
                let along = |velocity: Vec3, is_on_ground: bool| {
                    if is_on_ground { wish } else { Vec3::new(wish.x, velocity.y, wish.z) + fall }
                };
                boxed.velocity = along(boxed.velocity, boxed.is_on_ground());
                capsule.velocity = along(capsule.velocity, capsule.is_on_ground());
                mover.walk(&world, &mut boxed, DT, &Filter::ALL).unwrap();
                mover.walk(&world, &mut capsule, DT, &Filter::ALL).unwrap();
                answers.length("box", units, boxed.position().to_array());
                answers.length("capsule", units, capsule.position().to_array());
            }
            answers
        });
    }
}

#[test]
fn steps_of_boxes() {
    for seed in 0..8 {
        assert_alike(|units| {
            let ((mut world, mut rng), mut boxes) = (units.world(seed), BoxStepper::new());
            let keys: Vec<ObjectKey> = (0..12)
                .map(|i| {
                    let center = vector(&mut rng) * 3.0 + Vec3::Y * 5.0;
                    let turn = Quat::from_scaled_axis(vector(&mut rng));
                    let key = world.insert(Object::moving(units.obb(center, turn, Vec3::new(0.2, 0.3, 0.25))));
                    let response =
                        if i % 2 == 0 { Response::Slide } else { Response::Bounce { restitution: 0.5, friction: 0.4 } };
                    let velocity = vector(&mut rng) * 5.0 * units.0;
                    let angular_velocity = vector(&mut rng) * 3.0;
                    boxes
                        .insert(&mut world, key, BoxBody { velocity, angular_velocity, response, ..BoxBody::default() })
                        .unwrap();
                    key
                })
                .collect();
            let config = BoxStepConfig::default().in_units(units.0);
            let mut answers = Answers::default();
            for _ in 0..200 {
                boxes.step(&mut world, DT, &config).unwrap();
                answers.length("centers", units, keys.iter().flat_map(|key| center(&world, *key).to_array()));
            }
            answers
        });
    }
}

#[test]
fn rigid_bodies() {
    for seed in 0..8 {
        assert_alike(|units| {
            let (mut world, mut rng) = units.world(seed);
            let mut dynamics = Dynamics::new();
            let material = Material { restitution: 0.3 * (seed % 2) as f32, ..Material::default() };
            let keys: Vec<ObjectKey> = (0..40)
                .map(|_| {
                    let center = vector(&mut rng) * Vec3::new(2.0, 3.0, 2.0) + Vec3::Y * 6.0;
                    let shape = units.solid(&mut rng, center);
                    let key = world.insert(Object::moving(shape));
                    let velocity = vector(&mut rng) * units.0;
                    dynamics.insert(&mut world, key, RigidBody { velocity, material, ..RigidBody::dynamic() }).unwrap();
                    key
                })
                .collect();
            let config = DynamicsConfig::default().in_units(units.0);
            let mut answers = Answers::default();
            let mover = Mover::default().in_units(units.0);
            let mut walker = Character::new(units.capsule(Vec3::Y * 9.0, Vec3::Y * 0.4, 0.3));
            for step in 0..400 {
                let awake = dynamics.step(&mut world, DT, &config).unwrap().awake;
                let wish = Vec3::new((0.02 * step as f32).sin(), 0.0, 1.0) * 2.0 * units.0;
                walker.velocity = if walker.is_on_ground() { wish } else { walker.velocity + config.gravity * DT };
                let walk = dynamics.walk(&world, &mover, &mut walker, DT, &Filter::ALL).unwrap();
                answers.length("walker", units, walker.position().to_array());
                answers.number("pushes", [walk.pushes.len() as f32]);
                answers.number("awake", [awake as f32]);
                answers.length("centers", units, keys.iter().flat_map(|key| center(&world, *key).to_array()));
            }
            answers
        });
    }
}

#[test]
fn collisions() {
    for seed in 0..200 {
        // In the larger unit, squares of the energies are out of the range of `f32`.
        assert_alike_in([8192.0, 1.0 / 64.0], |units| {
            let (mut world, mut dynamics, mut rng) = (World::new(), Dynamics::new(), Rng::with_seed(SEED + seed));
            let keys = [-1.0, 1.0].map(|side| {
                let center = Vec3::X * 2.0 * side + 0.2 * vector(&mut rng);
                let turn = Quat::from_scaled_axis(2.0 * vector(&mut rng));
                let key = world.insert(Object::moving(units.obb(center, turn, Vec3::new(0.5, 0.6, 0.7))));
                let velocity = (vector(&mut rng) - Vec3::X * 12.0 * side) * units.0;
                let angular_velocity = vector(&mut rng) * 5.0;
                let material = Material { restitution: rng.f32(), friction: 0.0, ..Material::default() };
                let body = RigidBody { velocity, angular_velocity, material, ..RigidBody::dynamic() };
                dynamics.insert(&mut world, key, body).unwrap();
                key
            });
            let config = DynamicsConfig { gravity: Vec3::ZERO, ..DynamicsConfig::default() }.in_units(units.0);
            let mut answers = Answers::default();
            for _ in 0..30 {
                dynamics.step(&mut world, DT, &config).unwrap();
                answers.length("centers", units, keys.iter().flat_map(|key| center(&world, *key).to_array()));
            }
            answers
        });
    }
}

/// The centre of the box around an object.
fn center(world: &World, key: ObjectKey) -> Vec3 {
    world.object(key).unwrap().shape.aabb().center()
}
