//! Worlds as bytes.

#[cfg(feature = "dynamics")]
use crate::bodies::Bodies;
use crate::{
    characters::Walker,
    memory::{Failure, Input, Module, Slots, call},
    worlds::Scene,
};
use cullide_world::{Character, Mover, Snapshot, World, narrowphase::Capsule};
#[cfg(feature = "dynamics")]
use cullide_world::{Dynamics, DynamicsConfig, DynamicsSnapshot};

#[cfg(feature = "dynamics")]
type SavedBodies = (DynamicsSnapshot, DynamicsConfig);
#[cfg(not(feature = "dynamics"))]
type SavedBodies = ();
type Saved = (Snapshot, SavedBodies, Vec<Option<(Character<Capsule>, Mover)>>);

impl Scene {
    fn save(&self) -> Result<Saved, Failure> {
        #[cfg(feature = "dynamics")]
        let bodies = (self.bodies.dynamics.snapshot(&self.world)?, self.bodies.config);
        #[cfg(not(feature = "dynamics"))]
        let bodies = ();
        let walkers =
            self.walkers.values().iter().map(|walker| walker.as_ref().map(|walker| (walker.character, walker.mover)));
        Ok((self.world.snapshot(), bodies, walkers.collect()))
    }

    fn restore((world, bodies, walkers): Saved) -> Result<Self, Failure> {
        let world = World::restore(&world)?;
        #[cfg(feature = "dynamics")]
        let bodies = Bodies { dynamics: Dynamics::restore(&bodies.0, &world)?, config: bodies.1 };
        #[cfg(not(feature = "dynamics"))]
        let () = bodies;
        let walkers = walkers.into_iter().map(|saved| saved.map(|(character, mover)| Walker { character, mover }));
        let walkers = Slots::new(walkers.collect());
        Ok(Self {
            world,
            #[cfg(feature = "dynamics")]
            bodies,
            walkers,
        })
    }
}

/// Saves a world with its bodies and characters as bytes, and returns how many.
#[unsafe(no_mangle)]
extern "C" fn world_snapshot(scene: u32) -> i32 {
    call(|Module { scenes, answer, .. }| {
        answer.bytes = postcard::to_allocvec(&scenes.get(scene)?.save()?)?;
        Ok(answer.bytes.len())
    })
}

/// Restores a world from bytes.
#[unsafe(no_mangle)]
extern "C" fn world_restore(count: usize) -> i32 {
    call(|Module { scenes, input, .. }| {
        let saved = postcard::from_bytes(Input(input).bytes(count)?)?;
        Ok(scenes.insert(Scene::restore(saved)?))
    })
}
