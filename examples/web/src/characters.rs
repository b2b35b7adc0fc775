//! Characters that walk: upright capsules.

use crate::{
    keys,
    memory::{Input, Module, call},
    worlds::{Scene, edit, filter},
};
use cullide_world::{
    Character, Filter, Mover, Object,
    glam::Vec3,
    narrowphase::{Capsule, Error},
};

/// A character, and how it walks.
#[derive(Clone)]
pub(crate) struct Walker {
    pub(crate) character: Character<Capsule>,
    pub(crate) mover: Mover,
}

/// Inserts a character whose capsule has its centre at a point, and the object that others meet.
#[unsafe(no_mangle)]
extern "C" fn character_new(scene: u32, x: f32, y: f32, z: f32, half: f32, radius: f32, layers: u32) -> i32 {
    call(|Module { scenes, answer, .. }| {
        let Scene { world, walkers, .. } = scenes.get_mut(scene)?;
        let body = Capsule::from_half_axis(Vec3::new(x, y, z), Vec3::Y * half, radius)?;
        let mut character = Character::new(body);
        let key = world.insert(Object::moving(body).layers(layers));
        character.object = Some(key);
        answer.keys.push(keys::of_object(key));
        Ok(walkers.insert(Walker { character, mover: Mover::default() }))
    })
}

/// Removes a character and its object.
#[unsafe(no_mangle)]
extern "C" fn character_free(scene: u32, character: u32) -> i32 {
    edit(scene, |Scene { world, walkers, .. }, _| {
        let removed = walkers.remove(character).and_then(|walker| walker.character.object);
        Ok(usize::from(removed.and_then(|key| world.remove(key)).is_some()))
    })
}

/// Sets how it walks: step height, steepest slope in radians, push force.
#[unsafe(no_mangle)]
extern "C" fn character_configure(scene: u32, character: u32, step: f32, slope: f32, force: f32) -> i32 {
    edit(scene, |scene, _| {
        let walker = scene.walkers.get_mut(character)?;
        walker.mover = Mover { step_height: step, max_slope: slope, push_force: force, ..walker.mover };
        Ok(0)
    })
}

/// Puts a character elsewhere.
#[unsafe(no_mangle)]
extern "C" fn character_move(scene: u32, character: u32, x: f32, y: f32, z: f32) -> i32 {
    edit(scene, |Scene { world, walkers, .. }, _| {
        let Walker { character, .. } = walkers.get_mut(character)?;
        let body = character.body;
        character.body = Capsule::from_half_axis(Vec3::new(x, y, z), body.half_axis(), body.radius())?;
        character.ground = None;
        character.place(world);
        Ok(0)
    })
}

/// Walks for `dt` seconds at a velocity: ground; position, velocity, normal of the ground, how far a step raised it;
/// surface of the ground.
#[unsafe(no_mangle)]
extern "C" fn character_walk(scene: u32, character: u32, x: f32, y: f32, z: f32, dt: f32) -> i32 {
    call(|Module { scenes, input, answer, .. }| {
        let scene = scenes.get_mut(scene)?;
        let filter = filter(&scene.world, &mut Input(input))?;
        let mut walker = scene.walkers.get(character)?.clone();
        walker.character.velocity = Vec3::new(x, y, z);
        let stepped = scene.walk(&mut walker, dt, &filter)?;
        walker.character.place(&mut scene.world);
        let Character { ground, velocity, .. } = walker.character;
        answer.keys.push(ground.map_or(0.0, |ground| keys::of_target(ground.target)));
        let normal = ground.map_or(Vec3::ZERO, |ground| ground.normal);
        answer.vectors([walker.character.position(), velocity, normal].into_iter());
        answer.floats.push(stepped);
        answer.words.push(ground.map_or(0, |ground| ground.surface.into()));
        *scene.walkers.get_mut(character)? = walker;
        Ok(1)
    })
}

impl Scene {
    /// Returns how far a step raised it.
    fn walk(&mut self, walker: &mut Walker, dt: f32, filter: &Filter) -> Result<f32, Error> {
        let Walker { character, mover } = walker;
        #[cfg(feature = "dynamics")]
        let walk = self.bodies.dynamics.walk(&self.world, mover, character, dt, filter)?;
        #[cfg(not(feature = "dynamics"))]
        let walk = mover.walk(&self.world, character, dt, filter)?;
        Ok(walk.stepped)
    }
}
