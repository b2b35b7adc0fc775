//! What is set to what it is already is no edit: nothing changes, and nobody wakes.

use super::{DT, Scene, aabb, ball, capsule, mesh_of, obb, turn, vector};
use cullide_scenes::Rng;
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Compound, Diagonal, Material, Mobility, Object, ObjectKey, PlaneKey, RigidBody,
    Shape, Terrain, World,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{Brush, Hull, Obb, Plane},
};

/// Bodies of several shapes that sleep on a ground, the plane below it, and how each was posed when it was made.
struct Asleep {
    scene: Scene,
    ground: ObjectKey,
    bodies: Vec<ObjectKey>,
    plane: PlaneKey,
    made: (Quat, Vec3),
}

const HALF: Vec3 = Vec3::new(12.0, 1.0, 12.0);

/// A shape whose top is level and about at height 0, and the pose in which it was made.
fn ground(rng: &mut Rng, case: usize) -> (Shape, (Quat, Vec3)) {
    let (center, given) = (Vec3::Y * -1.0, (Quat::IDENTITY, Vec3::ZERO));
    let about = Quat::from_rotation_y(3.0 * rng.f32());
    let block = aabb(center, HALF);
    match case % 7 {
        0 => (block.into(), (Quat::IDENTITY, center)),
        1 => (obb(center, about, HALF).into(), (about, center)),
        2 => (Brush::try_from(&block).unwrap().into(), given),
        3 => (Hull::new(&Obb::from(&block).corners()).unwrap().into(), given),
        4 => (Compound::new([block.into()]).unwrap().into(), given),
        5 => ((&mesh_of(&obb(center, about, HALF))).into(), given),
        _ => (Terrain::new(9, 9, &[0.0; 81], Vec2::splat(3.0), Vec2::splat(-12.0)).unwrap().into(), given),
    }
}

fn asleep(rng: &mut Rng, case: usize) -> Asleep {
    let mut scene = Scene::new();
    let (shape, made) = ground(rng, case);
    let ground = scene.fixed(shape);
    let plane = scene.plane(Vec3::Y * -30.0, Vec3::Y);
    let mut bodies = vec![];
    for i in 0..7 {
        let place = Vec3::new(3.0 * i as f32 - 9.0, 1.2, 2.0 * rng.f32());
        let half = Vec3::splat(0.4) + vector(rng, 0.1);
        let tilted = Quat::from_rotation_z(0.2 * rng.f32()) * Quat::from_rotation_y(rng.f32());
        let given = obb(place, tilted, half);
        let body =
            RigidBody { material: Material { rolling_resistance: 0.1, ..Material::default() }, ..RigidBody::dynamic() };
        let shape: Shape = match i {
            0 => aabb(place, half).into(),
            1 => given.into(),
            2 => ball(place, 0.5).into(),
            3 => capsule(place, Vec3::X * 0.5, 0.4).into(),
            4 => Hull::new(&given.corners()).unwrap().into(),
            5 => Brush::try_from(&given).unwrap().into(),
            _ => Compound::new([given.into(), ball(place, 0.3).into()]).unwrap().into(),
        };
        bodies.push(scene.add(shape, body));
    }
    scene.steps(300);
    Asleep { scene, ground, bodies, plane, made }
}

impl Asleep {
    fn all(&self) -> Vec<ObjectKey> {
        self.bodies.iter().copied().chain([self.ground]).collect()
    }
}

type Set = fn(&mut Asleep, ObjectKey);

/// The setters of the world, by name, each given what is there.
const SETTERS: [(&str, Set); 17] = [
    ("the pose as it is read", |at, key| {
        let (rotation, translation) = at.scene.world.object(key).unwrap().transform();
        at.scene.world.object_mut(key).unwrap().set_transform(rotation, translation).unwrap();
    }),
    ("the negative of its quaternion", |at, key| {
        let (rotation, translation) = at.scene.world.object(key).unwrap().transform();
        at.scene.world.set_transform_batch(&[(key, -rotation, translation)]).unwrap();
    }),
    ("the pose as it was made", |at, _| {
        let (rotation, translation) = at.made;
        at.scene.world.object_mut(at.ground).unwrap().set_transform(rotation, translation).unwrap();
    }),
    ("the shape", |at, key| {
        let shape = at.scene.shape(key).clone();
        assert_eq!(at.scene.world.object_mut(key).map(|mut object| object.set_shape(shape.clone())), Some(shape));
    }),
    ("the shape in a batch", |at, key| {
        let shape = at.scene.shape(key).clone();
        assert_eq!(at.scene.world.set_shape_batch([(key, shape)]), 1);
    }),
    ("layers", |at, key| {
        assert_eq!(at.scene.world.object_mut(key).map(|mut object| object.set_layers(u32::MAX)), Some(u32::MAX));
    }),
    ("the layers to pair with", |at, key| {
        assert_eq!(at.scene.world.object_mut(key).map(|mut object| object.set_pairs_with(u32::MAX)), Some(u32::MAX));
    }),
    ("mobility", |at, key| {
        let mobility = at.scene.world.object(key).unwrap().mobility;
        at.scene.world.object_mut(key).unwrap().set_mobility(mobility);
    }),
    ("the caller's number", |at, key| {
        at.scene.world.object_mut(key).unwrap().set_user(0);
    }),
    ("the velocity in the world", |at, key| {
        let velocity = at.scene.world.object(key).unwrap().velocity();
        at.scene.world.object_mut(key).unwrap().set_velocity(velocity).unwrap();
    }),
    ("the plane", |at, _| {
        let plane: Plane = at.scene.world.plane(at.plane).unwrap().plane;
        at.scene.world.plane_mut(at.plane).unwrap().set_plane(plane);
    }),
    ("heights and cells", |at, _| {
        at.scene.world.object_mut(at.ground).and_then(|mut object| {
            object.edit_terrain(|terrain| {
                terrain.edit(0..9, 0..9, &[0.0; 81]).unwrap();
                terrain.fill(0..8, 0..8).unwrap();
                terrain.set_surface(0..8, 0..8, 0).unwrap();
                terrain.set_diagonal(0..8, 0..8, Diagonal::default()).unwrap();
            })
        });
    }),
    ("materials", |at, key| {
        let material = at.scene.dynamics.body(key).map_or(Material::default(), |body| body.material);
        at.scene.dynamics.set_material(&at.scene.world, key, material).unwrap();
        at.scene.dynamics.set_surface_material(&at.scene.world, key, 3, Material::default()).unwrap();
    }),
    ("the body", |at, key| {
        if let Some(body) = at.scene.dynamics.body(key).map(|body| *body) {
            assert_eq!(at.scene.dynamics.insert(&mut at.scene.world, key, body), Ok(()));
        }
    }),
    ("the velocity of the body", |at, key| {
        if let Some(body) = at.scene.dynamics.body(key).map(|body| *body) {
            at.scene
                .dynamics
                .body_mut(&at.scene.world, key)
                .unwrap()
                .set_velocity(body.velocity, body.angular_velocity)
                .unwrap();
        }
    }),
    ("forces and impulses of zero", |at, key| {
        let Asleep { scene: Scene { world, dynamics, .. }, .. } = at;
        let Some(mut body) = dynamics.body_mut(world, key) else { return };
        body.apply_force(Vec3::ZERO, Vec3::ZERO).unwrap();
        body.apply_force_at(Vec3::ZERO, Vec3::ONE).unwrap();
        body.apply_impulse(Vec3::ZERO, Vec3::ONE).unwrap();
        body.apply_angular_impulse(Vec3::ZERO).unwrap();
    }),
    ("pairs that are ignored, and that are not", |at, key| {
        if key != at.bodies[0] {
            at.scene.dynamics.ignore_pair(&at.scene.world, key, key).unwrap();
        }
        at.scene.dynamics.restore_pair(key, at.bodies[0]);
    }),
];

#[test]
fn nobody_wakes_of_what_is_set_to_what_it_is() {
    let mut rng = Rng::with_seed(18);
    let mut asked = 0;
    for case in 0..21 {
        let mut at = asleep(&mut rng, case);
        for key in at.all() {
            at.scene.dynamics.set_surface_material(&at.scene.world, key, 3, Material::default()).unwrap();
            at.scene.dynamics.ignore_pair(&at.scene.world, key, key).unwrap();
        }
        at.scene.dynamics.restore_pair(at.bodies[0], at.bodies[0]);
        // As an engine that writes its transforms before the first step has left them.
        at.scene.world.object_mut(at.ground).unwrap().set_transform(at.made.0, at.made.1).unwrap();
        at.scene.steps(60);
        assert_eq!(at.scene.step().awake, 0, "case {case}");
        for (name, set) in SETTERS {
            let before = at.scene.hash();
            for key in at.all() {
                set(&mut at, key);
            }
            assert_eq!(at.scene.hash(), before, "case {case}: {name}");
            let report = at.scene.step();
            assert_eq!((report.awake, at.scene.hash()), (0, before), "case {case}: {name}");
            asked += 1;
        }
    }
    assert_eq!(asked, 21 * SETTERS.len());
}

/// The ground is as it was made until the first pose is set: that the pose is read off its edges with a rounding wakes
/// nobody.
#[test]
fn nobody_wakes_of_the_pose_in_which_the_ground_was_made() {
    let mut rng = Rng::with_seed(19);
    for case in 0..100 {
        let mut scene = Scene::new();
        let (about, center) = (Quat::from_rotation_y(6.0 * rng.f32()), vector(&mut rng, 50.0));
        let ground = scene.fixed(obb(center, about, HALF + vector(&mut rng, 0.5)));
        let top = scene.shape(ground).aabb().max().y;
        let crate_ = scene.add(aabb(center.with_y(top + 0.501), Vec3::splat(0.5)), RigidBody::dynamic());
        scene.steps(60);
        assert!(scene.dynamics.body(crate_).unwrap().is_asleep(), "case {case}");
        let before = scene.hash();
        scene.world.object_mut(ground).unwrap().set_transform(about, center).unwrap();
        scene.step();
        assert_eq!((scene.dynamics.body(crate_).unwrap().is_asleep(), scene.hash()), (true, before), "case {case}");
        // By the least that can be seen, it is an edit.
        scene.world.object_mut(ground).unwrap().set_transform(about, center.with_y(center.y.next_up())).unwrap();
        scene.step();
        assert!(!scene.dynamics.body(crate_).unwrap().is_asleep(), "case {case}");
    }
}

/// A ball that is turned on the spot by its pose, and what lies on it, sleep on; the pose is told.
#[test]
fn the_turn_of_a_ball_wakes_nobody() {
    let mut scene = Scene::new();
    let globe = scene.fixed(ball(Vec3::Y * -50.0, 50.0));
    let body =
        RigidBody { material: Material { rolling_resistance: 0.1, ..Material::default() }, ..RigidBody::dynamic() };
    let [crate_, marble] = [aabb(Vec3::Y * 0.501, Vec3::splat(0.5)).into(), Shape::from(ball(Vec3::Y * 1.502, 0.5))]
        .map(|shape| scene.add(shape, body));
    scene.steps(200);
    for key in [globe, marble] {
        let (rotation, translation) = (turn(&mut Rng::with_seed(3)), scene.world.object(key).unwrap().transform().1);
        scene.world.object_mut(key).unwrap().set_transform(rotation, translation).unwrap();
        assert_eq!(scene.world.object(key).map(|object| object.transform()), Some((rotation, translation)));
        scene.step();
        assert!(scene.dynamics.body(crate_).unwrap().is_asleep() && scene.dynamics.body(marble).unwrap().is_asleep());
    }
}

/// Of several poses of one object in a batch, the last one counts, be it the one that it has.
#[test]
fn the_last_pose_of_a_batch_counts() {
    let mut world = World::new();
    let turned = obb(Vec3::X, turn(&mut Rng::with_seed(4)), Vec3::new(1.0, 2.0, 3.0));
    for shape in [Shape::from(turned), ball(Vec3::X, 1.0).into(), Hull::new(&turned.corners()).unwrap().into()] {
        let key = world.insert(Object::moving(shape.clone()));
        let (rotation, translation) = world.object(key).unwrap().transform();
        let away = (key, Quat::from_rotation_x(1.0), Vec3::Y * 9.0);
        assert_eq!(world.set_transform_batch(&[away, (key, rotation, translation)]), Ok(2));
        assert_eq!(world.object(key).unwrap().transform().1, translation);
        assert!(world.object(key).unwrap().shape.aabb().center().distance(shape.aabb().center()) < 1e-5);
        world.remove(key);
    }
}

/// A lift that its animation holds, by any of the calls that may move it, lets what is on it fall asleep.
#[test]
fn a_lift_that_is_held_lets_what_is_on_it_sleep() {
    let mut rng = Rng::with_seed(20);
    for case in 0..60 {
        let mut scene = Scene::new();
        let (about, center) = (Quat::from_rotation_y(6.0 * rng.f32()), vector(&mut rng, 20.0));
        let about = if case % 2 == 0 { Quat::IDENTITY } else { about };
        let shape: Shape = if case % 2 == 0 { aabb(center, HALF).into() } else { obb(center, about, HALF).into() };
        let lift = scene.add(shape.clone(), RigidBody::kinematic());
        let crate_ = scene.add(aabb(center + Vec3::Y * 1.501, Vec3::splat(0.5)), RigidBody::dynamic());
        for _ in 0..120 {
            match case / 2 % 3 {
                0 => assert_eq!(
                    scene.dynamics.body_mut(&scene.world, lift).unwrap().move_kinematic(about, center, DT),
                    Ok(())
                ),
                1 => {
                    _ = scene
                        .world
                        .object_mut(lift)
                        .map(|mut object| object.set_transform(about, center))
                        .transpose()
                        .unwrap()
                }
                _ => _ = scene.world.object_mut(lift).unwrap().set_shape(shape.clone()),
            }
            scene.step();
        }
        assert!(scene.dynamics.body(crate_).unwrap().is_asleep(), "case {case}");
    }
}

/// The same for the boxes that [`BoxStepper::step`] moves: what they are told again leaves them at rest.
#[test]
fn boxes_at_rest_stay_so_when_they_are_told_what_they_are() {
    let (mut world, mut boxes) = (World::with_tag(1), BoxStepper::new());
    world.insert(Object::fixed(aabb(Vec3::Y * -1.0, HALF)));
    let lift = world.insert(Object::moving(aabb(Vec3::new(5.0, -0.5, 0.0), Vec3::ONE)));
    let keys: Vec<ObjectKey> = (0..6)
        .map(|i| {
            let key = world.insert(Object::moving(aabb(Vec3::new(2.0 * i as f32 - 5.0, 0.6, 0.0), Vec3::splat(0.5))));
            boxes.insert(&mut world, key, BoxBody::default()).unwrap();
            key
        })
        .collect();
    let step =
        |boxes: &mut BoxStepper, world: &mut World| _ = boxes.step(world, DT, &BoxStepConfig::default()).unwrap();
    let hashes = |boxes: &BoxStepper, world: &World| (world.hash(), boxes.hash(world));
    (0..200).for_each(|_| step(&mut boxes, &mut world));
    let before = hashes(&boxes, &world);
    step(&mut boxes, &mut world);
    assert_eq!(hashes(&boxes, &world), before);
    for key in keys.into_iter().chain([lift]) {
        let (shape, pose) = (world.object(key).unwrap().shape.clone(), world.object(key).unwrap().transform());
        if let Some(body) = boxes.body(key) {
            assert_eq!(boxes.insert(&mut world, key, body), Ok(body));
            world.object_mut(key).unwrap().set_velocity(body.velocity).unwrap();
        }
        world.object_mut(key).unwrap().set_shape(shape);
        world.object_mut(key).unwrap().set_transform(pose.0, pose.1).unwrap();
        world.object_mut(key).unwrap().set_mobility(Mobility::Moving);
        assert_eq!(hashes(&boxes, &world), before);
    }
    step(&mut boxes, &mut world);
    assert_eq!(hashes(&boxes, &world), before);
}
