//! Queries of the scene as it is now: rays and segments ([`rays`]; many rays in [`ray_batch`], [`ray_packet`] and
//! [`ray_picture`]; many lines of sight in [`sight`]; the features that they hit in [`features`]), overlaps ([`overlap`], with
//! what a [`region`] may be), nearest objects (to points in
//! [`nearest`], to shapes in [`nearest_shape`]), frusta and planes ([`cull`]), surfaces ([`triangles`]); many queries at
//! once ([`batches`]); and what has changed in volumes since they were last queried ([`triggers`]).

pub(crate) mod batches;
mod best;
pub(crate) mod cull;
mod features;
pub(crate) mod nearest;
pub(crate) mod nearest_shape;
mod overlap;
mod ray_batch;
mod ray_packet;
mod ray_picture;
pub(crate) mod rays;
pub(crate) mod region;
mod sight;
pub(crate) mod triangles;
pub(crate) mod triggers;

use crate::{Filter, Filters};

/// The least number of questions that a thread takes at a time.
#[cfg(feature = "parallel")]
const PART: usize = 64;

/// Appends the answer to each question, in order of the questions, with the filter of each; without one, the answer is
/// `empty`. In parallel with the feature `parallel`.
pub(crate) fn batch<Q: Sync, A: Clone + Send>(
    questions: &[Q],
    filters: &(impl Filters + ?Sized),
    answers: &mut Vec<A>,
    empty: A,
    answer: impl Fn(&Q, &Filter) -> A + Sync,
) {
    let first = answers.len();
    answers.resize(first + questions.len(), empty);
    let each = |((number, question), place): ((usize, &Q), &mut A)| {
        if let Some(filter) = filters.of(number) {
            *place = answer(question, filter);
        }
    };
    // With a pool of one thread, or with few questions, this one would only wait for it.
    #[cfg(feature = "parallel")]
    if questions.len() > PART && rayon::current_num_threads() > 1 {
        use rayon::prelude::*;
        return questions.par_iter().enumerate().zip(&mut answers[first..]).with_min_len(PART).for_each(each);
    }
    questions.iter().enumerate().zip(&mut answers[first..]).for_each(each);
}
