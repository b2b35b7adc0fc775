//! Questions about the scene as it is now: rays and segments ([`rays`]), overlaps and nearest objects ([`overlap`]), frusta and planes ([`cull`]).

pub(crate) mod cull;
pub(crate) mod overlap;
pub(crate) mod rays;
