//! Worlds, their objects and planes.

#[cfg(feature = "dynamics")]
use crate::bodies::Bodies;
use crate::{
    characters::Walker,
    keys,
    memory::{Failure, Input, Module, Slots, call, number},
};
use cullide_world::{
    Filter, Mobility, Object, ObjectKey, Target, World, WorldPlane,
    glam::{Quat, Vec3},
    narrowphase::Plane,
};

/// A world with its bodies and characters. A clone shares what neither changes.
#[derive(Clone, Default)]
pub(crate) struct Scene {
    pub(crate) world: World,
    #[cfg(feature = "dynamics")]
    pub(crate) bodies: Bodies,
    pub(crate) walkers: Slots<Walker>,
}

/// Reads a filter: layers, whether only fixed (1) or only moving (2), how many are left out, and these.
pub(crate) fn filter(world: &World, input: &mut Input) -> Result<Filter<'static>, Failure> {
    let words = input.words(4)?;
    let without: Vec<ObjectKey> =
        input.keys(words[2] as usize)?.iter().filter_map(|&number| keys::object(world, number)).collect();
    let filter = Filter::layers(words[0]).without(&without);
    Ok(match words[1] {
        1 => filter.fixed_only(),
        2 => filter.moving_only(),
        _ => filter,
    })
}

/// Runs a call on a scene with its input.
pub(crate) fn edit(scene: u32, work: impl FnOnce(&mut Scene, &mut Input) -> Result<usize, Failure>) -> i32 {
    call(|module| work(module.scenes.get_mut(scene)?, &mut Input(&module.input)))
}

#[unsafe(no_mangle)]
extern "C" fn world_new() -> i32 {
    // Snapshots of two pages that did the same are equal: no random tag.
    let scene = Scene { world: World::with_tag(1), ..Scene::default() };
    call(|module| Ok(module.scenes.insert(scene)))
}

#[unsafe(no_mangle)]
extern "C" fn world_clone(scene: u32) -> i32 {
    call(|module| {
        let scene = module.scenes.get(scene)?.clone();
        Ok(module.scenes.insert(scene))
    })
}

#[unsafe(no_mangle)]
extern "C" fn world_free(scene: u32) {
    call(|module| Ok(module.scenes.remove(scene).map_or(0, |_| 1)));
}

/// Inserts a shape at each of `count` poses, and returns their keys.
#[unsafe(no_mangle)]
extern "C" fn world_insert(scene: u32, shape: u32, count: usize, moving: bool, layers: u32, pairs_with: u32) -> i32 {
    call(|module| {
        let Module { scenes, shapes, input, answer, .. } = module;
        let (world, shape) = (&mut scenes.get_mut(scene)?.world, shapes.get(shape)?);
        keys::have_room(world, count)?;
        let mobility = if moving { Mobility::Moving } else { Mobility::Fixed };
        let object = Object { shape: shape.clone(), mobility, layers, pairs_with, user: 0 };
        let poses: Vec<(Quat, Vec3)> = Input(input).poses(count)?.collect();
        // A pose that cannot be applied is found before anything is inserted.
        for (i, (rotation, translation)) in poses.iter().enumerate() {
            number(i, shape.transformed(*rotation, *translation))?;
        }
        let inserted = world.insert_batch(std::iter::repeat_n(object, count));
        let transforms: Vec<_> = inserted.iter().zip(poses).map(|(key, (turn, at))| (*key, turn, at)).collect();
        world.set_transform_batch(&transforms)?;
        answer.keys.extend(inserted.into_iter().map(keys::of_object));
        Ok(count)
    })
}

/// Inserts an infinite plane: a floor is solid below, a wall only a surface.
#[unsafe(no_mangle)]
extern "C" fn world_insert_plane(scene: u32, x: f32, y: f32, z: f32, d: f32, is_wall: bool, layers: u32) -> i32 {
    call(|module| {
        let (world, plane) = (&mut module.scenes.get_mut(scene)?.world, Plane::new(Vec3::new(x, y, z), d)?);
        let plane = if is_wall { WorldPlane::wall(plane) } else { WorldPlane::half_space(plane) };
        let key = world.insert_plane(plane.layers(layers));
        module.answer.keys.push(keys::of_target(key.into()));
        Ok(1)
    })
}

/// Removes objects and planes, and returns how many there were.
#[unsafe(no_mangle)]
extern "C" fn world_remove(scene: u32, count: usize) -> i32 {
    edit(scene, |scene, input| {
        let removed = input.keys(count)?.iter().filter(|&&number| match keys::target(&scene.world, number) {
            Some(Target::Object(key)) => scene.world.remove(key).is_some(),
            Some(Target::Plane(key)) => scene.world.remove_plane(key).is_some(),
            None => false,
        });
        Ok(removed.count())
    })
}

/// Gives objects poses, skips those that were removed, and returns how many there were.
#[unsafe(no_mangle)]
extern "C" fn world_set_transforms(scene: u32, count: usize) -> i32 {
    edit(scene, |scene, input| {
        let numbers = input.keys(count)?.iter().map(|&number| keys::object(&scene.world, number));
        let transforms: Vec<_> =
            numbers.zip(input.poses(count)?).filter_map(|(key, (turn, at))| Some((key?, turn, at))).collect();
        Ok(scene.world.set_transform_batch(&transforms)?)
    })
}

/// The poses of objects; zeros for those that were removed.
#[unsafe(no_mangle)]
extern "C" fn world_transforms(scene: u32, count: usize) -> i32 {
    call(|module| {
        let world = &module.scenes.get(scene)?.world;
        for &number in Input(&module.input).keys(count)? {
            let pose = keys::object(world, number).and_then(|key| world.object(key).map(|object| object.transform()));
            module.answer.pose(pose.unwrap_or((Quat::from_array([0.0; 4]), Vec3::ZERO)));
        }
        Ok(count)
    })
}

/// Puts objects and planes into layers, and returns how many there were.
#[unsafe(no_mangle)]
extern "C" fn world_set_layers(scene: u32, count: usize, layers: u32, pairs_with: u32) -> i32 {
    edit(scene, |Scene { world, .. }, input| {
        let mut changed = 0;
        for &number in input.keys(count)? {
            match keys::target(world, number) {
                Some(Target::Object(key)) => {
                    let Some(mut object) = world.object_mut(key) else { continue };
                    object.set_layers(layers);
                    object.set_pairs_with(pairs_with);
                }
                Some(Target::Plane(key)) => {
                    let Some(mut plane) = world.plane_mut(key) else { continue };
                    plane.set_layers(layers);
                }
                None => continue,
            }
            changed += 1;
        }
        Ok(changed)
    })
}

/// Switches objects on or off, and returns how many there were.
#[unsafe(no_mangle)]
extern "C" fn world_set_enabled(scene: u32, count: usize, enabled: bool) -> i32 {
    edit(scene, |Scene { world, .. }, input| {
        let mut changed = 0;
        for &number in input.keys(count)? {
            let Some(mut object) = keys::object(world, number).and_then(|key| world.object_mut(key)) else { continue };
            object.set_enabled(enabled);
            changed += 1;
        }
        Ok(changed)
    })
}

#[unsafe(no_mangle)]
extern "C" fn world_len(scene: u32) -> i32 {
    edit(scene, |scene, _| Ok(scene.world.len()))
}

#[unsafe(no_mangle)]
extern "C" fn world_optimize(scene: u32) -> i32 {
    edit(scene, |scene, _| {
        scene.world.optimize();
        Ok(0)
    })
}

/// Edits a terrain: gives the samples in a rectangle heights (`how` 0), digs holes in its cells (1) or fills them (2).
#[unsafe(no_mangle)]
extern "C" fn world_edit_terrain(scene: u32, column: u32, row: u32, columns: u32, rows: u32, how: u32) -> i32 {
    edit(scene, |Scene { world, .. }, input| {
        let key = keys::object(world, input.keys(1)?[0]).ok_or("the terrain was removed")?;
        let count = if how == 0 { columns as usize * rows as usize } else { 0 };
        let heights = input.floats(count)?;
        let (columns, rows) = (column..column.saturating_add(columns), row..row.saturating_add(rows));
        let edited = world.object_mut(key).and_then(|mut object| {
            object.edit_terrain(|terrain| match how {
                0 => terrain.edit(columns, rows, heights),
                1 => terrain.dig(columns, rows),
                _ => terrain.fill(columns, rows),
            })
        });
        edited.ok_or("it is not a terrain")??;
        Ok(1)
    })
}

/// A hash of everything that determines the future, bodies included.
#[unsafe(no_mangle)]
extern "C" fn world_hash(scene: u32) -> u64 {
    let mut hash = 0;
    call(|module| {
        hash = module.scenes.get(scene)?.hash();
        Ok(0)
    });
    hash
}

impl Scene {
    pub(crate) fn hash(&self) -> u64 {
        #[cfg(feature = "dynamics")]
        return self.world.hash() ^ self.bodies.dynamics.hash(&self.world).rotate_left(1);
        #[cfg(not(feature = "dynamics"))]
        self.world.hash()
    }
}
