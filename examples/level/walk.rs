//! Walkers: boxes that fall, walk, climb steps and slide along walls, steered at random but alike for a seed.
//!
//! A walker knows two questions about the level, both answered for its box at a centre: how far a straight motion goes
//! (a sweep), and where a motion ends that slides along what it meets. It only ever stands where one of the answers put
//! it, so if they never end inside of a solid, it never does.

use glam::{Vec2, Vec3};

/// Half the size of a walker, in units.
pub const HALF_EXTENTS: Vec3 = Vec3::new(16.0, 16.0, 28.0);

/// Steps in a second.
pub const STEPS_PER_SECOND: u32 = 60;

/// Units per second squared, downwards.
const GRAVITY: f32 = 800.0;
/// Units per second on the ground. At 60 steps this is 5.3 units a step, a third of a walker's half width.
const SPEED: f32 = 320.0;
/// Units per second: falls get no faster, so that a step's motion stays below the size of a room.
const FASTEST_FALL: f32 = 2000.0;
/// The highest step that a walker climbs, in units: levels are built with steps of 16.
const STEP_HEIGHT: f32 = 18.0;
/// The smallest z of a unit normal that one can stand on: 45.6 degrees.
const STEEPEST_FLOOR: f32 = 0.7;

/// In the air a walker is held when it moves less than this in a step (falling from rest it makes 0.2), and stands after
/// so many such steps. Fewer, and it could climb what is too steep to stand on.
const HELD_UNITS: f32 = 0.05;
const HELD_STEPS: u32 = 10;

/// Seconds until a walker takes another heading of itself.
const HEADING_SECONDS: std::ops::Range<f32> = 0.5..2.0;
/// A walker that makes less than this share of the way it wants is blocked; after so many steps it turns.
const BLOCKED_SHARE: f32 = 0.2;
const BLOCKED_STEPS: u32 = 4;

/// Stuck: moved less than this in this time, though it tried this many directions and one of them was free.
const STUCK_UNITS: f32 = 1.0;
const STUCK_STEPS: u32 = 5 * STEPS_PER_SECOND;
const STUCK_HEADINGS: u32 = 4;
/// Headings count as different when they lie in different ones of this many equal sectors.
const SECTORS: u32 = 16;

/// Where a straight motion ends.
#[derive(Clone, Copy, Debug)]
pub struct Swept {
    /// The centre of the box when it touches, or at the end: never `start + motion`, which rounding may put into a floor.
    pub center: Vec3,
    /// Unit, from what stops the box to the box; `None` when nothing does.
    pub normal: Option<Vec3>,
}

impl Swept {
    fn is_on_floor(&self) -> bool {
        self.normal.is_some_and(|normal| normal.z >= STEEPEST_FLOOR)
    }
}

/// The two questions, asked for a box of [`HALF_EXTENTS`] by centre and motion.
pub struct Space<Sweep, Slide> {
    /// Where a straight motion ends.
    pub sweep: Sweep,
    /// The centre at the end of a motion that slides along what it meets.
    pub slide: Slide,
}

/// A player-sized box on its way.
#[derive(Clone, Debug)]
pub struct Walker {
    center: Vec3,
    /// Horizontal; kept through a fall, replaced by the heading on the ground.
    velocity: Vec2,
    /// Units per second upwards, 0 on the ground.
    rise: f32,
    footing: Footing,
    /// Steps in the air without a way down.
    held_steps: u32,
    steering: Steering,
    watch: Watch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Footing {
    Ground,
    Air,
}

/// A heading for a while, then another.
#[derive(Clone, Debug)]
struct Steering {
    random: Random,
    /// Radians from x towards y.
    heading: f32,
    steps_left: u32,
    blocked_steps: u32,
}

/// Looks for five seconds without a unit of way.
#[derive(Clone, Debug)]
struct Watch {
    anchor: Vec3,
    steps: u32,
    /// A bit for every sector of headings asked for since the anchor.
    sectors: u32,
    stuck: bool,
}

impl Walker {
    /// A walker that starts in the air at `center`. Equal seeds steer alike.
    pub fn new(center: Vec3, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let heading = random.between(0.0..std::f32::consts::TAU);
        Self {
            center,
            velocity: Vec2::ZERO,
            rise: 0.0,
            footing: Footing::Air,
            held_steps: 0,
            steering: Steering { random, heading, steps_left: 0, blocked_steps: 0 },
            watch: Watch { anchor: center, steps: 0, sectors: 0, stuck: false },
        }
    }

    pub fn center(&self) -> Vec3 {
        self.center
    }

    /// Puts it somewhere else, in the air and at rest, as one does with a walker that left the level.
    pub fn put(&mut self, center: Vec3) {
        self.center = center;
        (self.velocity, self.rise, self.held_steps) = (Vec2::ZERO, 0.0, 0);
        self.footing = Footing::Air;
        (self.watch.anchor, self.watch.steps, self.watch.sectors) = (center, 0, 0);
    }

    /// Whether it was ever stuck: less than one unit of way in five seconds, though its steering tried at least four
    /// directions and one was free.
    pub fn was_stuck(&self) -> bool {
        self.watch.stuck
    }

    /// One step of 1/60 s.
    pub fn step<Sweep, Slide>(&mut self, space: &Space<Sweep, Slide>)
    where
        Sweep: Fn(Vec3, Vec3) -> Swept,
        Slide: Fn(Vec3, Vec3) -> Vec3,
    {
        let seconds = 1.0 / STEPS_PER_SECOND as f32;
        self.steering.turn_in_time();
        let heading = Vec2::from_angle(self.steering.heading);
        self.watch.sectors |= 1 << sector(self.steering.heading);

        let before = self.center;
        match self.footing {
            Footing::Ground => {
                self.velocity = heading * SPEED;
                self.center = climb(space, before, (self.velocity * seconds).extend(0.0));
                self.stay_on_ground(space);
            }
            Footing::Air => {
                // A little push from the steering, or a walker on a slope too steep to stand on could not leave it.
                self.velocity = (self.velocity + heading * (SPEED * seconds)).clamp_length_max(SPEED);
                self.rise = (self.rise - GRAVITY * seconds).max(-FASTEST_FALL);
                self.fall(space, seconds);
            }
        }

        let made = (self.center - before).truncate();
        self.steering.feel(made.dot(heading), SPEED * seconds);
        self.watch.look(self.center, || is_anywhere_free(space, self.center));
    }

    /// Sinks to a floor at most a step below, as down a stair, or begins to fall.
    fn stay_on_ground<Sweep, Slide>(&mut self, space: &Space<Sweep, Slide>)
    where
        Sweep: Fn(Vec3, Vec3) -> Swept,
    {
        let below = (space.sweep)(self.center, Vec3::NEG_Z * STEP_HEIGHT);
        if below.is_on_floor() {
            self.center = below.center;
        } else {
            self.footing = Footing::Air;
        }
    }

    fn fall<Sweep, Slide>(&mut self, space: &Space<Sweep, Slide>, seconds: f32)
    where
        Sweep: Fn(Vec3, Vec3) -> Swept,
        Slide: Fn(Vec3, Vec3) -> Vec3,
    {
        let before = self.center;
        let motion = (self.velocity * seconds).extend(self.rise * seconds);
        self.center = (space.slide)(before, motion);
        // What was stopped stays stopped: the fall goes on from the speed that was left.
        let made = (self.center - before) / seconds;
        self.velocity = made.truncate().clamp_length_max(SPEED);
        // Slopes too steep to stand on may still hold a walker between them: after a while that is as good as a floor.
        self.held_steps = if self.center.distance(before) < HELD_UNITS { self.held_steps + 1 } else { 0 };
        if self.held_steps >= HELD_STEPS {
            self.footing = Footing::Ground;
        }
        self.rise = made.z.clamp(self.rise, 0.0);
        let below = (space.sweep)(self.center, Vec3::NEG_Z);
        if below.is_on_floor() {
            self.center = below.center;
            self.footing = Footing::Ground;
        }
        if self.footing == Footing::Ground {
            (self.rise, self.held_steps) = (0.0, 0);
        }
    }
}

/// Where a horizontal motion on the ground ends: sliding, or if that loses way, up a step, forward and down again,
/// whichever gets farther. The step counts only if it ends on a floor (Quake's walk move: up, forward, down).
fn climb<Sweep, Slide>(space: &Space<Sweep, Slide>, start: Vec3, motion: Vec3) -> Vec3
where
    Sweep: Fn(Vec3, Vec3) -> Swept,
    Slide: Fn(Vec3, Vec3) -> Vec3,
{
    // Way made along the wish; sliding sideways along a wall is no reason to rather not climb.
    let way = |end: Vec3| (end - start).dot(motion);
    let plain = (space.slide)(start, motion);
    if way(plain) >= 0.99 * motion.length_squared() {
        return plain;
    }
    let raised = (space.sweep)(start, Vec3::Z * STEP_HEIGHT).center;
    let ahead = (space.slide)(raised, motion);
    // As far down as it went up; on flat ground the floor is then met at the very end, which is not yet a hit.
    let down = Vec3::NEG_Z * (raised.z - start.z + 1.0);
    let stepped = (space.sweep)(ahead, down);
    if stepped.is_on_floor() && way(stepped.center) > way(plain) { stepped.center } else { plain }
}

/// Whether the box could move one stuck walker's worth in one of the sectors' directions.
fn is_anywhere_free<Sweep, Slide>(space: &Space<Sweep, Slide>, center: Vec3) -> bool
where
    Sweep: Fn(Vec3, Vec3) -> Swept,
{
    (0..SECTORS).any(|sector| {
        let direction = Vec2::from_angle(std::f32::consts::TAU * sector as f32 / SECTORS as f32);
        (space.sweep)(center, (direction * STUCK_UNITS).extend(0.0)).normal.is_none()
    })
}

/// Which of the equal sectors of the circle an angle in 0..2 pi lies in.
fn sector(angle: f32) -> u32 {
    (angle / std::f32::consts::TAU * SECTORS as f32) as u32 % SECTORS
}

impl Steering {
    fn turn_in_time(&mut self) {
        if self.steps_left == 0 {
            let heading = self.random.between(0.0..std::f32::consts::TAU);
            self.take(heading);
        }
        self.steps_left -= 1;
    }

    /// After a few blocked steps turns away, between a right angle and straight back, to either side.
    fn feel(&mut self, made: f32, wanted: f32) {
        self.blocked_steps = if made < BLOCKED_SHARE * wanted { self.blocked_steps + 1 } else { 0 };
        if self.blocked_steps >= BLOCKED_STEPS {
            let turn = self.random.between(0.5 * std::f32::consts::PI..1.5 * std::f32::consts::PI);
            self.take(self.heading + turn);
        }
    }

    fn take(&mut self, heading: f32) {
        self.heading = heading.rem_euclid(std::f32::consts::TAU);
        self.steps_left = (self.random.between(HEADING_SECONDS) * STEPS_PER_SECOND as f32) as u32;
        self.blocked_steps = 0;
    }
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

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014): the same numbers on
/// every machine, and neighbouring seeds far apart.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A number in the range, its end excluded.
    pub fn between(&mut self, range: std::ops::Range<f32>) -> f32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        let share = (bits >> 40) as f32 / (1_u64 << 24) as f32;
        range.start + (range.end - range.start) * share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A floor at z = 0 and a wall at x = 100 whose top is `wall_top`: enough to walk, bump, climb and slide.
    fn space(wall_top: f32) -> Space<impl Fn(Vec3, Vec3) -> Swept, impl Fn(Vec3, Vec3) -> Vec3> {
        let sweep = move |center: Vec3, motion: Vec3| {
            let ground = |center: Vec3| if center.x > 100.0 - HALF_EXTENTS.x { wall_top } else { 0.0 };
            let end = center + motion;
            let floor = ground(center) + HALF_EXTENTS.z;
            if motion.z < 0.0 && end.z < floor {
                let share = (center.z - floor) / -motion.z;
                return Swept { center: (center + motion * share).with_z(floor), normal: Some(Vec3::Z) };
            }
            let wall = 100.0 - HALF_EXTENTS.x;
            let low = center.z < wall_top + HALF_EXTENTS.z;
            if low && center.x <= wall && end.x > wall {
                let share = (wall - center.x) / motion.x;
                return Swept { center: (center + motion * share).with_x(wall), normal: Some(Vec3::NEG_X) };
            }
            Swept { center: end, normal: None }
        };
        let slide = move |center: Vec3, motion: Vec3| {
            let first = sweep(center, motion);
            let Some(normal) = first.normal else { return first.center };
            let rest = center + motion - first.center;
            sweep(first.center, rest - normal * rest.dot(normal)).center
        };
        Space { sweep, slide }
    }

    fn walked(wall_top: f32, steps: u32) -> Walker {
        let mut walker = Walker::new(Vec3::new(0.0, 0.0, 100.0), 7);
        let space = space(wall_top);
        for _ in 0..steps {
            walker.step(&space);
        }
        walker
    }

    #[test]
    fn a_walker_falls_to_the_floor_and_then_walks_at_its_speed() {
        let (landed, later) = (walked(1e6, 60), walked(1e6, 61));
        assert_eq!(landed.center().z, HALF_EXTENTS.z);
        assert_eq!(landed.footing, Footing::Ground);
        let way = later.center().distance(landed.center());
        assert!((SPEED / 60.0 - way).abs() < 0.001 * way, "{way}");
    }

    #[test]
    fn a_step_of_16_is_climbed_and_one_of_20_is_not() {
        let motion = Vec3::new(5.0, 2.0, 0.0);
        let at_wall = Vec3::new(100.0 - HALF_EXTENTS.x, 0.0, HALF_EXTENTS.z);
        assert_eq!(climb(&space(16.0), at_wall, motion), at_wall + motion + Vec3::Z * 16.0);
        assert_eq!(climb(&space(20.0), at_wall, motion), at_wall + Vec3::new(0.0, 2.0, 0.0));
    }

    #[test]
    fn steering_is_alike_for_a_seed_and_leaves_a_wall() {
        assert_eq!(walked(1e6, 1800).center(), walked(1e6, 1800).center());
        assert!(walked(1e6, 1800).center().x <= 100.0 - HALF_EXTENTS.x);
        assert!(!walked(1e6, 1800).was_stuck());
    }

    #[test]
    fn a_walker_that_is_held_although_it_is_free_counts_as_stuck_and_one_walled_in_does_not() {
        let stuck_in = |free: bool| {
            let floor_only = move |center: Vec3, motion: Vec3| {
                let is_stopped = motion.z < 0.0 || !free;
                Swept { center, normal: is_stopped.then_some(Vec3::Z) }
            };
            let space = Space { sweep: floor_only, slide: |center: Vec3, _: Vec3| center };
            let mut walker = Walker::new(Vec3::ZERO, 3);
            (0..=STUCK_STEPS).for_each(|_| walker.step(&space));
            walker.was_stuck()
        };
        assert!(stuck_in(true));
        assert!(!stuck_in(false));
    }
}
