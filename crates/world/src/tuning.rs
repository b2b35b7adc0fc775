//! The few numbers that are choices, with unit, reason and consequence.

/// Sub-steps that one slide may take. A corner takes at most four; more only happens between surfaces that lean
/// together. When they run out the body stops where it is, which is safe.
pub(crate) const SLIDE_STEPS: usize = 24;

/// Surfaces that can hold a sliding body at once: three in a corner, and one to spare. Of more, the ones met last
/// count.
pub(crate) const SLIDE_SURFACES: usize = 6;

/// How much a slide leans away from the surfaces that it slides along, as a share of its length: a few times what
/// rounding a normal and a motion to `f32` does. Less, and rounding makes it meet the same surface again at once.
pub(crate) const SLIDE_LEAN: f64 = 8.0 * f32::EPSILON as f64;

/// Normals that differ by no more, squared, are those of one surface for a slide that turns: its contacts shift a
/// little while it does.
pub(crate) const SAME_TURN: f64 = 1e-4;

/// Normals that differ by no more, squared, are those of one side of a thing that a body touches and turns on: half a
/// radian.
pub(crate) const SAME_SIDE: f64 = 0.25;

/// A contact after so small a share of a step is no progress; see `BodyStep`.
pub(crate) const STALLED_SHARE: f64 = 1.0 / (1u64 << 20) as f64;

/// After so many touches right after each other a body that rebounds is pushed off as well, by a millionth of its speed
/// at first: with fewer, a perfect rebound would gain energy that can be seen.
pub(crate) const STALLED_REBOUNDS: i32 = 4;

/// Radians in a step, all coordinates together, beyond which a turning body shares one budget among the candidates near
/// it; up to there a test takes a few dozen evaluations.
pub(crate) const FAST_ROTATION: f32 = 8.0;

/// Evaluations of a gap that a body which turns farther may take in a step: a sixth of a millisecond.
pub(crate) const STEP_LOOKS: u32 = 1 << 12;

/// Evaluations for each candidate near it, however many there are: about a microsecond.
pub(crate) const LEAST_LOOKS: u32 = 16;

/// What each candidate is charged besides, in evaluations: half a microsecond.
pub(crate) const THING_LOOKS: u32 = 32;

/// Rounds of pushing a rounded position out of what it penetrates, deepest first. Rounding penetrates by less than a
/// step of `f32`; more rounds are needed only in a corner.
pub(crate) const RESOLVE_ROUNDS: usize = 8;

/// What is thinner to either side of its centre than this share of its coordinates, 64 steps of `f32`, is settled with
/// care: the rounds of pushing out together move a body by no more.
pub(crate) const THIN: f32 = 64.0 * f32::EPSILON;

/// The most steps of `f32` by which a body is lifted out of a corner: half of how thin a body may be that is pushed at
/// all.
pub(crate) const RESOLVE_LIFT: f64 = 32.0;

/// Where rounds of pushing out fail, a body tries going back by these shares of its motion, and at last all the way.
pub(crate) const RESOLVE_BACK: [f32; 5] = [1.0 / 4096.0, 1.0 / 256.0, 1.0 / 16.0, 0.25, 0.5];

/// Rounds of pushing a body out of what it overlaps, deepest first.
pub(crate) const DEPENETRATE_ROUNDS: usize = 32;

/// Ways that a search for the shortest way out follows at most. Two things at once take a dozen; when they run out
/// there is none.
pub(crate) const DEPENETRATE_NODES: usize = 512;

/// By so much of its size an edge of a body may be too long, or out of square, before a step straightens it: some
/// thirty roundings.
pub(crate) const SLANT: f64 = 32.0 * f32::EPSILON as f64;
