//! Rigid bodies.

use crate::{
    keys,
    memory::{Failure, Input, Module, call},
    worlds::{Scene, edit},
};
use cullide_world::{
    BodyKind, BodyMut, Dynamics, DynamicsConfig, Mass, Material, ObjectKey, RigidBody, Target, World,
    glam::{BVec3, Vec3},
    narrowphase::Error,
};

/// The bodies of a world, and how they are stepped.
#[derive(Clone, Default)]
pub(crate) struct Bodies {
    pub(crate) dynamics: Dynamics,
    pub(crate) config: DynamicsConfig,
}

/// Reads a description: kinematic, mass, whether that is a density, friction, restitution, rolling resistance, gravity
/// scale, linear and angular damping, locked axes of translation and rotation, whether it may sleep, whether it is a
/// sensor.
fn body(input: &mut Input) -> Result<RigidBody, Failure> {
    let floats = input.floats(13)?;
    let [friction, restitution, rolling_resistance] = [floats[3], floats[4], floats[5]];
    Ok(RigidBody {
        kind: if floats[0] == 0.0 { BodyKind::Dynamic } else { BodyKind::Kinematic },
        mass: if floats[2] == 0.0 { Mass::Total(floats[1]) } else { Mass::Density(floats[1]) },
        material: Material { friction, restitution, rolling_resistance, surface_velocity: Vec3::ZERO },
        gravity_scale: floats[6],
        linear_damping: floats[7],
        angular_damping: floats[8],
        locked_translation: axes(floats[9]),
        locked_rotation: axes(floats[10]),
        can_sleep: floats[11] != 0.0,
        is_sensor: floats[12] != 0.0,
        ..RigidBody::default()
    })
}

/// Calls for each of the next keys, and counts those that were still there.
fn each(
    world: &mut World,
    input: &mut Input,
    count: usize,
    mut change: impl FnMut(&mut World, usize, ObjectKey) -> Result<bool, Failure>,
) -> Result<usize, Failure> {
    let mut changed = 0;
    for (i, &number) in input.keys(count)?.iter().enumerate() {
        if let Some(key) = keys::object(world, number) {
            changed += usize::from(change(world, i, key)?);
        }
    }
    Ok(changed)
}

/// The axes whose bits are set: 1 for x, 2 for y, 4 for z.
fn axes(bits: f32) -> BVec3 {
    BVec3::from_array([1, 2, 4].map(|axis| bits as u8 & axis != 0))
}

/// Changes bodies, and returns how many there were that could be changed so.
fn each_body(
    scene: &mut Scene,
    input: &mut Input,
    count: usize,
    mut change: impl FnMut(usize, BodyMut) -> Result<(), Error>,
) -> Result<usize, Failure> {
    let Scene { world, bodies, .. } = scene;
    each(world, input, count, |world, i, key| match bodies.dynamics.body_mut(world, key).map(|body| change(i, body)) {
        None | Some(Err(Error::NotKinematic { .. })) => Ok(false),
        Some(changed) => Ok(changed.map(|()| true)?),
    })
}

fn pairs(columns: &[f32], size: usize, i: usize) -> &[f32] {
    &columns[size * i..size * (i + 1)]
}

/// Makes objects bodies of one description: description, keys, and velocities if there are any.
#[unsafe(no_mangle)]
extern "C" fn bodies_insert(scene: u32, count: usize, have_velocities: bool) -> i32 {
    edit(scene, |Scene { world, bodies, .. }, input| {
        let body = body(input)?;
        let mut keys = Input(input.0);
        input.keys(count)?;
        let velocities = input.floats(if have_velocities { 6 * count } else { 0 })?;
        each(world, &mut keys, count, |world, i, key| {
            let own = if have_velocities { pairs(velocities, 6, i) } else { &[0.0; 6] };
            let [velocity, angular_velocity] = [Vec3::from_slice(own), Vec3::from_slice(&own[3..])];
            bodies.dynamics.insert(world, key, RigidBody { velocity, angular_velocity, ..body })?;
            Ok(true)
        })
    })
}

/// Makes bodies objects that steps do not move.
#[unsafe(no_mangle)]
extern "C" fn bodies_remove(scene: u32, count: usize) -> i32 {
    edit(scene, |Scene { world, bodies, .. }, input| {
        each(world, input, count, |_, _, key| Ok(bodies.dynamics.remove(key).is_some()))
    })
}

/// Sets gravity and the number of substeps.
#[unsafe(no_mangle)]
extern "C" fn bodies_configure(scene: u32, x: f32, y: f32, z: f32, substeps: u32) -> i32 {
    edit(scene, |scene, _| {
        let config = &mut scene.bodies.config;
        (config.gravity, config.substeps) = (Vec3::new(x, y, z), substeps);
        Ok(0)
    })
}

/// Steps all bodies: keys of those that moved, pairs that begin to touch, pairs that cease to; poses of those that
/// moved; how many there are of the three, and how many bodies are awake.
#[unsafe(no_mangle)]
extern "C" fn bodies_step(scene: u32, dt: f32) -> i32 {
    call(|Module { scenes, answer, .. }| {
        let Scene { world, bodies, .. } = scenes.get_mut(scene)?;
        bodies.dynamics.step(world, dt, &bodies.config)?;
        let report = bodies.dynamics.report();
        answer.keys.extend(report.moved.iter().map(|&key| keys::of_object(key)));
        report
            .moved
            .iter()
            .filter_map(|&key| world.object(key).map(|object| object.transform()))
            .for_each(|pose| answer.pose(pose));
        for &(first, second) in report.begun.iter().chain(report.ended) {
            answer.keys.extend([keys::of_object(first), keys::of_target(second)]);
        }
        let numbers = [report.moved.len(), report.begun.len(), report.ended.len(), report.awake];
        answer.words.extend(numbers.map(|number| number as u32));
        Ok(report.moved.len())
    })
}

/// The points at which things touch: both keys; points, normals, separations, impulses.
#[unsafe(no_mangle)]
extern "C" fn bodies_contacts(scene: u32) -> i32 {
    call(|Module { scenes, answer, .. }| {
        let Scene { world, bodies, .. } = scenes.get(scene)?;
        let touching = bodies.dynamics.contacts().filter(|pair| pair.is_touching());
        let points: Vec<_> = touching
            .flat_map(|pair| pair.points(world).map(|point| (Target::from(pair.first), pair.second, point)))
            .collect();
        answer.keys.extend(points.iter().map(|point| keys::of_target(point.0)));
        answer.keys.extend(points.iter().map(|point| keys::of_target(point.1)));
        answer.vectors(points.iter().map(|point| point.2.point));
        answer.vectors(points.iter().map(|point| point.2.normal));
        answer.floats.extend(points.iter().map(|point| point.2.separation));
        answer.floats.extend(points.iter().map(|point| point.2.impulse));
        Ok(points.len())
    })
}

/// Velocities and angular velocities, six numbers each, zero for what is no body; then which are asleep.
#[unsafe(no_mangle)]
extern "C" fn bodies_velocities(scene: u32, count: usize) -> i32 {
    call(|Module { scenes, input, answer, .. }| {
        let Scene { world, bodies: Bodies { dynamics, .. }, .. } = scenes.get(scene)?;
        for &number in Input(input).keys(count)? {
            let key = keys::object(world, number);
            let body = key.and_then(|key| dynamics.body(key));
            let velocities = body.map(|body| [body.velocity, body.angular_velocity]);
            answer.vectors(velocities.unwrap_or_default().into_iter());
            answer.words.push(body.is_some_and(|body| body.is_asleep()).into());
        }
        Ok(count)
    })
}

/// Sets velocities and angular velocities, six numbers each.
#[unsafe(no_mangle)]
extern "C" fn bodies_set_velocities(scene: u32, count: usize) -> i32 {
    edit(scene, |scene, input| {
        let mut keys = Input(input.0);
        input.keys(count)?;
        let velocities = input.floats(6 * count)?;
        each_body(scene, &mut keys, count, |i, mut body| {
            let own = pairs(velocities, 6, i);
            body.set_velocity(Vec3::from_slice(own), Vec3::from_slice(&own[3..]))
        })
    })
}

/// Applies impulses at points, six numbers each.
#[unsafe(no_mangle)]
extern "C" fn bodies_impulses(scene: u32, count: usize) -> i32 {
    edit(scene, |scene, input| {
        let mut keys = Input(input.0);
        input.keys(count)?;
        let impulses = input.floats(6 * count)?;
        each_body(scene, &mut keys, count, |i, mut body| {
            let own = pairs(impulses, 6, i);
            body.apply_impulse(Vec3::from_slice(own), Vec3::from_slice(&own[3..]))
        })
    })
}

/// Lets kinematic bodies reach poses in the next step of `dt` seconds.
#[unsafe(no_mangle)]
extern "C" fn bodies_move(scene: u32, count: usize, dt: f32) -> i32 {
    edit(scene, |scene, input| {
        let mut keys = Input(input.0);
        input.keys(count)?;
        let poses: Vec<_> = input.poses(count)?.collect();
        each_body(scene, &mut keys, count, |i, mut body| body.move_kinematic(poses[i].0, poses[i].1, dt))
    })
}

/// Sets the materials of objects and planes: friction, restitution, rolling resistance, surface velocity.
#[unsafe(no_mangle)]
extern "C" fn bodies_set_materials(scene: u32, count: usize) -> i32 {
    edit(scene, |Scene { world, bodies, .. }, input| {
        let floats = input.floats(6)?;
        let [friction, restitution, rolling_resistance] = [floats[0], floats[1], floats[2]];
        let surface_velocity = Vec3::from_slice(&floats[3..]);
        let material = Material { friction, restitution, rolling_resistance, surface_velocity };
        let targets = input.keys(count)?.iter().filter_map(|&number| keys::target(world, number));
        targets.map(|target| bodies.dynamics.set_material(world, target, material)).try_for_each(|done| done)?;
        Ok(count)
    })
}
