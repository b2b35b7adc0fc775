//! A world with all that moves in it, as one value.

use crate::{
    BoxStepper, Character, CharacterBody, Triggers, World,
    scene::hash::{Fold, Words},
};
#[cfg(feature = "serde")]
use crate::{BoxStepperSnapshot, Snapshot};
#[cfg(feature = "dynamics")]
use crate::{ContactTracker, Dynamics};
#[cfg(all(feature = "dynamics", feature = "serde"))]
use crate::{ContactTrackerSnapshot, DynamicsSnapshot};
#[cfg(feature = "serde")]
use cullide_narrowphase::Error;
use cullide_narrowphase::Obb;

/// A world together with all that moves in it and watches it, to be cloned, compared and saved as one.
///
/// These belong together: a world that is set back without its rigid bodies, or restored without its characters, goes on
/// in another way than it did. Here none can be forgotten. What a game does not use stays empty, and costs nothing. How a
/// frame goes is the game's: it calls the parts in its own order. Characters have bodies of one type; a
/// [`MovingShape`](crate::MovingShape) may be of any kind.
///
/// A clone is the cheapest way to go back, since it shares what is fixed (see [`World`]):
///
/// ```
/// use cullide_world::{BoxBody, Character, Filter, Mover, Object, Simulation, BoxStepConfig, World, glam::Vec3};
/// use cullide_world::narrowphase::{Aabb, Capsule, Error};
/// fn frame(game: &mut Simulation<Capsule>, speed: f32) -> Result<(), Error> {
///     let Simulation { world, boxes, triggers, characters, .. } = game;
///     boxes.step(world, 1.0 / 60.0, &BoxStepConfig::default())?;
///     for hero in characters {
///         hero.velocity = Vec3::X * speed;
///         Mover::default().walk(world, hero, 1.0 / 60.0, &Filter::ALL)?;
///     }
///     triggers.update(world, &Filter::ALL);
///     Ok(())
/// }
/// let mut game = Simulation::new(World::with_tag(1));
/// game.world.insert(Object::fixed(Aabb::new(Vec3::new(-9.0, -1.0, -9.0), Vec3::new(9.0, 0.0, 9.0))?));
/// let crate_ = game.world.insert(Object::moving(Aabb::new(Vec3::new(2.0, 1.0, 0.0), Vec3::new(3.0, 2.0, 1.0))?));
/// game.boxes.insert(&mut game.world, crate_, BoxBody::default())?;
/// game.characters.push(Character::new(Capsule::new(Vec3::Y * 0.3, Vec3::Y * 1.5, 0.3)?));
///
/// // Another player's input arrives late: back, and the same frames again with it.
/// let past = game.clone();
/// (0..8).try_for_each(|_| frame(&mut game, 1.0))?;
/// let mut again = past.clone();
/// (0..8).try_for_each(|_| frame(&mut again, 2.0))?;
/// assert_ne!(again.hash(), game.hash());
/// // With the same input, they are the same.
/// again = past;
/// (0..8).try_for_each(|_| frame(&mut again, 1.0))?;
/// assert_eq!(again.hash(), game.hash());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Simulation<B = Obb> {
    /// The scene.
    pub world: World,
    /// Boxes that move past the level, and through each other.
    pub boxes: BoxStepper,
    /// Rigid bodies.
    #[cfg(feature = "dynamics")]
    pub dynamics: Dynamics,
    /// Contacts for a solver of the caller's.
    #[cfg(feature = "dynamics")]
    pub tracker: ContactTracker,
    /// Volumes that tell what enters and leaves them.
    pub triggers: Triggers,
    /// Those that walk, in the caller's order.
    pub characters: Vec<Character<B>>,
}

impl<B: CharacterBody> Simulation<B> {
    /// Returns a world in which nothing moves yet.
    ///
    /// ```
    /// # use cullide_world::{Simulation, World, narrowphase::Capsule};
    /// let game = Simulation::<Capsule>::new(World::with_tag(1));
    /// assert!(game.world.is_empty() && game.boxes.bodies().next().is_none() && game.characters.is_empty());
    /// ```
    pub fn new(world: World) -> Self {
        Self {
            world,
            boxes: BoxStepper::new(),
            #[cfg(feature = "dynamics")]
            dynamics: Dynamics::new(),
            #[cfg(feature = "dynamics")]
            tracker: ContactTracker::new(),
            triggers: Triggers::new(),
            characters: Vec::new(),
        }
    }

    /// Returns a hash of all the state that determines future answers: the checksum by which the peers of a lockstep
    /// game see that theirs are the same. What [`World::hash`] says of its own holds for all parts. It is that of the
    /// features with which the crate was built.
    ///
    /// ```
    /// # use cullide_world::{Character, Simulation, World, glam::{Quat, Vec3}, narrowphase::Obb};
    /// let mut game = Simulation::new(World::with_tag(1));
    /// game.characters.push(Character::new(Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::ONE)?));
    /// let mut peer = game.clone();
    /// assert_eq!(peer.hash(), game.hash());
    /// peer.characters[0].velocity = Vec3::X;
    /// assert_ne!(peer.hash(), game.hash());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn hash(&self) -> u64 {
        let mut words = Fold::default();
        words.add(self.world.hash());
        words.add(self.boxes.hash(&self.world));
        #[cfg(feature = "dynamics")]
        words.add(self.dynamics.hash(&self.world));
        #[cfg(feature = "dynamics")]
        words.add(self.tracker.hash());
        self.triggers.add_to(&mut words);
        words.add(self.characters.len() as u64);
        self.characters.iter().for_each(|character| character.add_to(&mut words));
        words.finish()
    }

    /// Returns everything that determines future answers, to continue from it later or elsewhere; see
    /// [`Simulation::restore`].
    ///
    /// # Errors
    /// [`Error::OtherWorld`] if bodies are not those of the world: one of the two was exchanged.
    #[cfg(feature = "serde")]
    pub fn snapshot(&self) -> Result<SimulationSnapshot<B>, Error> {
        Ok(SimulationSnapshot {
            world: self.world.snapshot(),
            boxes: self.boxes.snapshot(&self.world)?,
            #[cfg(feature = "dynamics")]
            dynamics: self.dynamics.snapshot(&self.world)?,
            #[cfg(feature = "dynamics")]
            tracker: self.tracker.snapshot(&self.world),
            triggers: self.triggers.clone(),
            characters: self.characters.clone(),
        })
    }

    /// Returns what continues from where another one was saved, bit for bit: given the same calls, both return the same.
    ///
    /// # Errors
    /// [`Error::Inconsistent`] for a snapshot that was read from bytes that have been changed; whatever is returned can
    /// be used without a panic.
    ///
    /// ```
    /// # use cullide_world::{BoxBody, Object, Simulation, SimulationSnapshot, BoxStepConfig, World, glam::Vec3, narrowphase::Aabb};
    /// let mut game: Simulation = Simulation::new(World::with_tag(1));
    /// let crate_ = game.world.insert(Object::moving(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// game.boxes.insert(&mut game.world, crate_, BoxBody::default())?;
    /// game.boxes.step(&mut game.world, 0.1, &BoxStepConfig::default())?;
    ///
    /// let text = serde_json::to_string(&game.snapshot()?)?;
    /// let saved: SimulationSnapshot = serde_json::from_str(&text)?;
    /// let mut restored = Simulation::restore(&saved)?;
    /// assert_eq!(restored.hash(), game.hash());
    /// for game in [&mut game, &mut restored] {
    ///     game.boxes.step(&mut game.world, 0.1, &BoxStepConfig::default())?;
    /// }
    /// assert_eq!(restored.hash(), game.hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "serde")]
    pub fn restore(snapshot: &SimulationSnapshot<B>) -> Result<Self, Error> {
        let world = World::restore(&snapshot.world)?;
        Ok(Self {
            boxes: BoxStepper::restore(&snapshot.boxes, &world)?,
            #[cfg(feature = "dynamics")]
            dynamics: Dynamics::restore(&snapshot.dynamics, &world)?,
            #[cfg(feature = "dynamics")]
            tracker: ContactTracker::restore(&snapshot.tracker, &world)?,
            triggers: snapshot.triggers.clone(),
            characters: snapshot.characters.clone(),
            world,
        })
    }
}

/// The state of a [`Simulation`] at one time: made by [`Simulation::snapshot`], for [`Simulation::restore`].
///
/// It can be written in any serde format that preserves numbers exactly, as a [`Snapshot`] can, and read with the same
/// features of this crate.
#[cfg(feature = "serde")]
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct SimulationSnapshot<B = Obb> {
    world: Snapshot,
    boxes: BoxStepperSnapshot,
    #[cfg(feature = "dynamics")]
    dynamics: DynamicsSnapshot,
    #[cfg(feature = "dynamics")]
    tracker: ContactTrackerSnapshot,
    triggers: Triggers,
    characters: Vec<Character<B>>,
}
