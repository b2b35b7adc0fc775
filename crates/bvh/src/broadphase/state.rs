//! What a body is and what happened to it since the last update, as bits.

/// The number is in use.
pub(super) const USED: u8 = 1;

/// It was given another box.
pub(super) const MOVED: u8 = 4;

/// Its leaf or its layers changed, or it came or went: the pairs it may be in are to be searched for.
pub(super) const STALE: u8 = 8;

/// Its leaf was made anew in the bulk move that is under way.
pub(super) const RENEWED: u8 = 16;

/// It came since the last update, which therefore knows no pair of it: its number may be given out again as soon as it goes.
pub(super) const NEW: u8 = 32;

/// What an update leaves.
pub(super) const LASTING: u8 = USED;
