//! Walkers: boxes that fall, walk, climb steps and slide along walls, steered at random but deterministically for a
//! seed.
//!
//! The world's own [`Mover`] determines how a box walks; a walker adds where it wants to go, its speed, and gravity. It
//! only ever stands where an answer of the world put it: if no answer ends inside a solid, neither does a walker.

use cullide_world::glam::{Vec2, Vec3};
use cullide_world::{Character, Mover};

use crate::space::{Space, walker};
use crate::steering::Steering;

/// Half the size of a walker, in units.
pub const HALF_EXTENTS: Vec3 = Vec3::new(16.0, 16.0, 28.0);

/// Steps in a second.
pub const STEPS_PER_SECOND: u32 = 60;

/// Units per second squared, downwards.
const GRAVITY: f32 = 800.0;
/// Units per second on the ground. At 60 steps this is 5.3 units a step, a third of a walker's half width.
const SPEED: f32 = 320.0;
/// The maximum speed of a fall in units per second, so that a step's motion stays below the size of a room.
const FASTEST_FALL: f32 = 2000.0;
/// Levels are built with steps of 16 units; no walker stands on slopes of more than 45.6 degrees.
const MOVER: Mover = Mover { up: Vec3::Z, step_height: 18.0, max_slope: 0.7954, landing: 1.0, push_force: 0.0 };

/// A walker is stuck if it moved less than this in this time, although it tried this many directions and one of them
/// was free.
const STUCK_UNITS: f32 = 1.0;
const STUCK_STEPS: u32 = 5 * STEPS_PER_SECOND;
const STUCK_HEADINGS: u32 = 4;
/// Headings count as different if they lie in different sectors, of this many equal ones.
const SECTORS: u32 = 16;

/// A player-sized box that walks.
#[derive(Clone, Debug)]
pub struct Walker {
    character: Character,
    steering: Steering,
    watch: Watch,
}

/// Watches for five seconds in which the walker moves less than a unit.
#[derive(Clone, Debug)]
struct Watch {
    anchor: Vec3,
    steps: u32,
    /// A bit for every sector of the headings requested since the anchor.
    sectors: u32,
    stuck: bool,
}

impl Walker {
    /// Creates a walker that starts in the air at `center`. Equal seeds steer alike.
    pub fn new(center: Vec3, seed: u64) -> Self {
        Self {
            character: Self::at_rest(center),
            steering: Steering::new(seed),
            watch: Watch { anchor: center, steps: 0, sectors: 0, stuck: false },
        }
    }

    pub fn center(&self) -> Vec3 {
        self.character.position()
    }

    /// Puts it somewhere else, in the air and at rest, for a walker that left the level.
    pub fn put(&mut self, center: Vec3) {
        self.character = Self::at_rest(center);
        (self.watch.anchor, self.watch.steps, self.watch.sectors) = (center, 0, 0);
    }

    fn at_rest(center: Vec3) -> Character {
        Character::new(walker(center).expect("a level lies in the range of coordinates"))
    }

    /// Whether it was ever stuck: it moved less than one unit in five seconds, although its steering tried at least
    /// four directions and one was free.
    pub fn was_stuck(&self) -> bool {
        self.watch.stuck
    }

    /// Advances by one step of 1/60 s.
    pub fn step(&mut self, space: &Space) {
        let seconds = 1.0 / STEPS_PER_SECOND as f32;
        let angle = self.steering.heading();
        let heading = Vec2::from_angle(angle);
        self.watch.sectors |= 1 << sector(angle);

        let before = self.center();
        let velocity = self.character.velocity;
        self.character.velocity = if self.character.is_on_ground() {
            (heading * SPEED).extend(0.0)
        } else {
            // A small push from the steering: without it, a walker on a slope too steep to stand on could not leave it.
            let across = (velocity.truncate() + heading * (SPEED * seconds)).clamp_length_max(SPEED);
            across.extend((velocity.z - GRAVITY * seconds).max(-FASTEST_FALL))
        };
        space.walk(&MOVER, &mut self.character, seconds);

        let made = (self.center() - before).truncate();
        self.steering.feel(made.dot(heading), SPEED * seconds);
        let center = self.center();
        self.watch.look(center, || is_anywhere_free(space, center));
    }
}

/// Whether the box could move by `STUCK_UNITS` in the direction of one of the sectors.
fn is_anywhere_free(space: &Space, center: Vec3) -> bool {
    (0..SECTORS).any(|sector| {
        let direction = Vec2::from_angle(std::f32::consts::TAU * sector as f32 / SECTORS as f32);
        space.sweep(center, (direction * STUCK_UNITS).extend(0.0)).normal.is_none()
    })
}

/// The sector of the circle that an angle in 0..2 pi lies in.
fn sector(angle: f32) -> u32 {
    (angle / std::f32::consts::TAU * SECTORS as f32) as u32 % SECTORS
}

impl Watch {
    fn look(&mut self, center: Vec3, is_anywhere_free: impl Fn() -> bool) {
        self.steps += 1;
        if center.distance(self.anchor) >= STUCK_UNITS {
            (self.anchor, self.steps, self.sectors) = (center, 0, 0);
        } else if self.steps >= STUCK_STEPS {
            self.stuck |= self.sectors.count_ones() >= STUCK_HEADINGS && is_anywhere_free();
            (self.anchor, self.steps, self.sectors) = (center, 0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Tally;
    use cullide_world::{Object, World, narrowphase::Aabb};

    /// A floor at z = 0, and from x = 100 on a block as high as `top`.
    fn world(top: f32) -> World {
        let mut world = World::new();
        let far = 10_000.0;
        for (x, top) in [(-far, 0.0), (100.0, top)] {
            let block = Aabb::new(Vec3::new(x, -far, -20.0), Vec3::new(far, far, top)).unwrap();
            world.insert(Object::fixed(block));
        }
        world
    }

    fn walked(top: f32, steps: u32) -> Walker {
        let (world, tally) = (world(top), Tally::default());
        let mut walker = Walker::new(Vec3::new(0.0, 0.0, 100.0), 7);
        (0..steps).for_each(|_| walker.step(&Space { world: &world, tally: &tally }));
        walker
    }

    #[test]
    fn a_walker_falls_to_the_floor_and_then_walks_at_its_speed() {
        let (landed, later) = (walked(1e4, 60), walked(1e4, 61));
        assert_eq!(landed.center().z, HALF_EXTENTS.z);
        assert!(landed.character.is_on_ground());
        let way = later.center().distance(landed.center());
        assert!((SPEED / 60.0 - way).abs() < 0.001 * way, "{way}");
    }

    #[test]
    fn a_step_of_16_is_climbed_and_one_of_20_is_not() {
        let at_wall = Vec3::new(100.0 - HALF_EXTENTS.x, 0.0, HALF_EXTENTS.z);
        let motion = Vec3::new(5.0, 2.0, 0.0);
        let after = |top| {
            let (world, tally) = (world(top), Tally::default());
            let space = Space { world: &world, tally: &tally };
            let mut character = Character::new(walker(at_wall).unwrap());
            space.walk(&MOVER, &mut character, 1.0);
            character.velocity = motion;
            space.walk(&MOVER, &mut character, 1.0);
            (character.position(), character.is_on_ground())
        };
        assert_eq!(after(16.0), (at_wall + motion + Vec3::Z * 16.0, true));
        assert_eq!(after(20.0), (at_wall + Vec3::new(0.0, 2.0, 0.0), true));
    }

    #[test]
    fn steering_is_alike_for_a_seed_and_leaves_a_wall() {
        assert_eq!(walked(1e4, 1800).center(), walked(1e4, 1800).center());
        assert!(walked(1e4, 1800).center().x <= 100.0 - HALF_EXTENTS.x);
        assert!(!walked(1e4, 1800).was_stuck());
    }

    #[test]
    fn a_walker_that_is_held_although_it_is_free_counts_as_stuck_and_one_walled_in_does_not() {
        let stuck = |is_free: bool, sectors: u32| {
            let mut watch = Watch { anchor: Vec3::ZERO, steps: 0, sectors, stuck: false };
            (0..STUCK_STEPS).for_each(|_| watch.look(Vec3::X * (0.9 * STUCK_UNITS), || is_free));
            watch.stuck
        };
        assert!(stuck(true, 0b1111));
        assert!(!stuck(false, 0b1111));
        assert!(!stuck(true, 0b0111));
    }
}
