//! The few numbers that are tuning choices, each with its unit, reason and consequence.

/// Sub-steps that one slide may take. A corner takes at most four; more are only needed between surfaces that lean
/// towards each other. When they run out, the body stops where it is, which is safe.
pub(crate) const SLIDE_STEPS: usize = 24;

/// Surfaces that can hold a sliding body at once: three in a corner, and some to spare. If there are more, those met
/// last count.
pub(crate) const SLIDE_SURFACES: usize = 6;

/// How far a slide leans away from the surfaces that it slides along, as a fraction of its length: a few times the
/// error of rounding a normal and a motion to `f32`. With less, rounding makes it meet the same surface again at once.
pub(crate) const SLIDE_LEAN: f64 = 8.0 * f32::EPSILON as f64;

/// Normals whose squared difference is at most this belong to one surface for a rotating slide, whose contacts shift a
/// little as the body rotates.
pub(crate) const SAME_TURN: f64 = 1e-4;

/// Normals whose squared difference is at most this belong to one side of an object that a body touches and turns on:
/// half a radian.
pub(crate) const SAME_SIDE: f64 = 0.25;

/// A contact after less than this fraction of a step is no progress; see `BodyStep`.
pub(crate) const STALLED_SHARE: f64 = 1.0 / (1u64 << 20) as f64;

/// After this many touches in immediate succession, a body that rebounds is pushed off as well, at first by a millionth
/// of its speed. With a smaller number, a perfect rebound would visibly gain energy.
pub(crate) const STALLED_REBOUNDS: i32 = 4;

/// Radians per step, summed over the coordinates, beyond which a rotating body shares one budget among the candidates
/// near it; up to this, a test takes a few dozen evaluations.
pub(crate) const FAST_ROTATION: f32 = 8.0;

/// Evaluations of a gap per step for a body that rotates farther than [`FAST_ROTATION`]: a sixth of a millisecond.
pub(crate) const STEP_LOOKS: u32 = 1 << 12;

/// Least evaluations for each candidate near such a body, however many there are: about a microsecond.
pub(crate) const LEAST_LOOKS: u32 = 16;

/// Fixed charge for each candidate on top of its evaluations, in evaluations: half a microsecond.
pub(crate) const THING_LOOKS: u32 = 32;

/// Rounds of pushing a rounded position out of what it penetrates, deepest first. Rounding causes a penetration of less
/// than a step of `f32`; more rounds are needed only in a corner.
pub(crate) const RESOLVE_ROUNDS: usize = 8;

/// A body thinner than this to either side of its centre, as a fraction of its coordinates (64 steps of `f32`), is
/// settled with extra care: all rounds of pushing out together move a body by no more than this.
pub(crate) const THIN: f32 = 64.0 * f32::EPSILON;

/// The most steps of `f32` by which a body is lifted out of a corner: half the least thickness of a body that is pushed
/// at all (see [`THIN`]).
pub(crate) const RESOLVE_LIFT: f64 = 32.0;

/// If the rounds of pushing out fail, a body tries going back by these fractions of its motion, and finally all the
/// way.
pub(crate) const RESOLVE_BACK: [f32; 5] = [1.0 / 4096.0, 1.0 / 256.0, 1.0 / 16.0, 0.25, 0.5];

/// Rounds of pushing a body out of what it overlaps, deepest first.
pub(crate) const DEPENETRATE_ROUNDS: usize = 32;

/// The most paths that a search for the shortest way out follows. Two overlapping things take a dozen; when the paths
/// run out, no way out is found.
pub(crate) const DEPENETRATE_NODES: usize = 512;

/// Parts that may be near a body that is pushed out of them: at a microsecond each, or less, two milliseconds. Amid more,
/// no way out is found.
pub(crate) const DEPENETRATE_NEAR: usize = 1 << 11;

/// Parts near the other places that a search for a way out considers, all together. When they run out, no way out is
/// found.
pub(crate) const DEPENETRATE_MORE: usize = 1 << 11;

/// A body near more parts than [`DEPENETRATE_NEAR`] counts as overlapping one of them after this many tests.
pub(crate) const CROWD_LOOKS: usize = 1 << 10;

/// How far an edge of a body may be too long or out of square, as a fraction of its size, before a step straightens it:
/// some thirty roundings.
pub(crate) const SLANT: f64 = 32.0 * f32::EPSILON as f64;
