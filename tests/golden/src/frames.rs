//! Worlds over time: pairs, steps of bodies, snapshots, poses.

use crate::{
    draw::Draw,
    fold::Fold,
    scene::{Scene, layers, object},
};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Mobility, ObjectKey, Response, World, glam::Vec3, narrowphase::Plane,
};

/// The duration of a frame, in seconds.
const DT: f32 = 1.0 / 64.0;

/// Which objects pair while they move, change, appear and disappear.
pub(crate) fn pairs(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    let (mut world, mut keys) = (scene.world.clone(), scene.keys.clone());
    for frame in 0..16 {
        if frame % 4 != 3 {
            (0..keys.len().div_ceil(4)).for_each(|_| edit(scene, &mut world, &mut keys, draw, fold));
        }
        if frame == 9 {
            world.optimize();
        }
        update(&mut world, draw.of([0.0, DT, 0.5]), fold);
        fold.list(world.pairs().collect::<Vec<_>>(), |fold, pair| fold.pair(&pair));
    }
}

/// Bodies that fall, rotate, bounce, slide and come to rest.
pub(crate) fn steps(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    let (mut world, mut config) = (scene.world.clone(), BoxStepConfig::default());
    enclose(scene, &mut world, fold);
    let (mut boxes, bodies) = make_bodies(scene, &mut world, draw);
    for frame in 0..if bodies.len() < 100 { 48 } else { 12 } {
        if frame == 24 {
            config = BoxStepConfig { max_recovery: f32::INFINITY, skin: 1.0 / 128.0, ..config };
        }
        step(&mut boxes, &mut world, &config, fold);
        if frame % 8 == 7 {
            bodies.iter().for_each(|key| moved(&world, &boxes, *key, fold));
            disturb(scene, &mut world, &mut boxes, &bodies, draw);
        }
    }
}

/// A world that is saved, restored, edited and stepped, next to a copy of it.
pub(crate) fn snapshots(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    let mut world = scene.world.clone();
    enclose(scene, &mut world, fold);
    let (mut boxes, bodies) = make_bodies(scene, &mut world, draw);
    let mut keys = scene.keys.clone();
    for _ in 0..3 {
        for _ in 0..3 {
            step(&mut boxes, &mut world, &BoxStepConfig::default(), fold);
            update(&mut world, DT, fold);
        }
        hash(&world, &boxes, fold);
        let saved = boxes.snapshot(&world).expect("its world");
        world = World::restore(&world.snapshot()).expect("a world made it");
        boxes = BoxStepper::restore(&saved, &world).expect("a stepper made it");
        hash(&world, &boxes, fold);
        (0..6).for_each(|_| edit(scene, &mut world, &mut keys, draw, fold));
        disturb(scene, &mut world, &mut boxes, &bodies, draw);
    }
    // A copy stays as it was while the original goes on.
    let (before, boxes_before) = (world.clone(), boxes.clone());
    step(&mut boxes, &mut world, &BoxStepConfig::default(), fold);
    hash(&before, &boxes_before, fold);
    hash(&world, &boxes, fold);
    world.objects().for_each(|(key, _)| moved(&world, &boxes, key, fold));
}

/// Shapes that are rotated and moved, and the poses that are read back.
pub(crate) fn poses(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    let mut world = scene.world.clone();
    for key in scene.keys.iter().take(scene.asks(60)) {
        let object = world.object(*key).expect("nothing is removed");
        fold.shape(&object.shape);
        fold.maybe(world.object(*key).map(|object| object.transform()), |fold, (rotation, translation)| {
            fold.quaternion(rotation);
            fold.vector(translation);
        });
        for _ in 0..2 {
            let (rotation, translation) = (scene.place.rotation(draw), scene.place.point(draw));
            fold.flag(
                world
                    .object_mut(*key)
                    .map(|mut object| object.set_transform(rotation, translation))
                    .transpose()
                    .is_ok(),
            );
            moved(&world, &BoxStepper::new(), *key, fold);
        }
    }
}

/// Makes one change of a random kind.
fn edit(scene: &Scene, world: &mut World, keys: &mut Vec<ObjectKey>, draw: &mut Draw, fold: &mut Fold) {
    let key = keys[draw.below(keys.len())];
    match draw.below(16) {
        0 => {
            let new = world.insert(object(&scene.place, draw));
            fold.learn(new);
            keys.push(new);
        }
        1 => fold.flag(world.remove(key).is_some()),
        2 => {
            let layers = layers(draw);
            fold.flag(world.object_mut(key).map(|mut object| object.set_layers(layers)).is_some());
        }
        3 => {
            let layers = layers(draw);
            fold.flag(world.object_mut(key).map(|mut object| object.set_pairs_with(layers)).is_some());
        }
        4 => {
            let mobility = draw.of([Mobility::Fixed, Mobility::Moving]);
            fold.flag(world.object_mut(key).map(|mut object| object.set_mobility(mobility)).is_some());
        }
        5..=8 => {
            let velocity = draw.cube() * draw.of([0.0, 4.0, 64.0]);
            fold.maybe(
                world.object_mut(key).map(|mut object| object.set_velocity(velocity)).transpose().expect("finite"),
                Fold::vector,
            );
        }
        9..=12 => {
            let moves = [(); 3].map(|()| keys[draw.below(keys.len())]).map(|key| {
                let (rotation, translation) = world.object(key).map(|object| object.transform()).unwrap_or_default();
                (key, rotation, translation + draw.cube())
            });
            // A brush may be too thin for its destination.
            fold.word(world.set_transform_batch(&moves).unwrap_or(usize::MAX) as u64);
        }
        _ => {
            let shape = scene.place.shape(draw);
            fold.flag(world.set_shape_batch([(key, shape)]) == 1);
        }
    }
}

fn update(world: &mut World, dt: f32, fold: &mut Fold) {
    let events = world.update_pairs(dt);
    fold.list(events.begun, Fold::pair);
    fold.list(events.ended, Fold::pair);
}

fn hash(world: &World, boxes: &BoxStepper, fold: &mut Fold) {
    fold.word(world.hash());
    fold.word(boxes.hash(world));
}

fn step(boxes: &mut BoxStepper, world: &mut World, config: &BoxStepConfig, fold: &mut Fold) {
    let events = boxes.step(world, DT, config).expect("its world");
    fold.list(events.begun, Fold::contact);
    fold.list(events.persisting, Fold::contact);
    fold.list(events.ended, Fold::contact);
}

/// Everything known about an object that moves.
fn moved(world: &World, boxes: &BoxStepper, key: ObjectKey, fold: &mut Fold) {
    fold.object(key);
    fold.maybe(world.object(key), |fold, object| fold.shape(&object.shape));
    fold.maybe(world.object(key).map(|object| object.transform()), |fold, (rotation, translation)| {
        fold.quaternion(rotation);
        fold.vector(translation);
    });
    fold.maybe(world.object(key).map(|object| object.velocity()), Fold::vector);
    fold.maybe(boxes.body(key), |fold, body| {
        fold.vector(body.velocity);
        fold.vector(body.angular_velocity);
    });
}

/// Walls around the space.
fn enclose(scene: &Scene, world: &mut World, fold: &mut Fold) {
    for normal in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
        let plane = Plane::from_point_normal(scene.place.origin - normal * scene.place.room, normal);
        let key = world.insert_plane(plane.expect("a unit normal"));
        fold.learn(key);
    }
}

fn make_bodies(scene: &Scene, world: &mut World, draw: &mut Draw) -> (BoxStepper, Vec<ObjectKey>) {
    let mut boxes = BoxStepper::new();
    let bodies: Vec<ObjectKey> = scene.moving_boxes().collect();
    for key in &bodies {
        let body = body(draw);
        boxes.insert(world, *key, body).expect("a box");
    }
    (boxes, bodies)
}

/// A random motion.
fn body(draw: &mut Draw) -> BoxBody {
    let response = match draw.below(4) {
        0 => Response::Stop,
        1 => Response::Slide,
        _ => Response::Bounce { restitution: draw.unit(), friction: draw.unit() },
    };
    let gravity_scale = draw.of([1.0, 1.0, 1.0, 0.0]);
    let (velocity, angular_velocity) =
        (draw.cube() * draw.of([0.0, 8.0, 80.0]), draw.cube() * draw.of([0.0, 2.0, 16.0]));
    BoxBody { velocity, angular_velocity, response, gravity_scale }
}

/// Pushes a body, and moves something on which others may lie.
fn disturb(scene: &Scene, world: &mut World, boxes: &mut BoxStepper, bodies: &[ObjectKey], draw: &mut Draw) {
    if let Some(key) = bodies.get(draw.below(bodies.len().max(1)))
        && world.object(*key).is_some()
        && let Some(kept) = boxes.body(*key)
    {
        let body = BoxBody { velocity: draw.cube() * 8.0, ..kept };
        _ = boxes.insert(world, *key, body);
    }
    let key = scene.some_key(draw);
    if let Some((rotation, translation)) = world.object(key).map(|object| object.transform()) {
        let translation = translation + draw.cube() * 0.5;
        _ = world.object_mut(key).map(|mut object| object.set_transform(rotation, translation));
    }
}
