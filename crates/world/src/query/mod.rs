//! Queries of the scene as it is now: rays and segments ([`rays`]; many rays in [`ray_batch`], [`ray_packet`] and
//! [`ray_picture`]; the features that they hit in [`features`]), overlaps ([`overlap`]; with single parts in
//! [`overlap_parts`], with shapes of any kind in [`overlap_shape`]), nearest objects ([`nearest`]), frusta and planes
//! ([`cull`]).

mod best;
pub(crate) mod cull;
mod features;
pub(crate) mod nearest;
mod overlap;
mod overlap_parts;
mod overlap_shape;
mod ray_batch;
mod ray_packet;
mod ray_picture;
pub(crate) mod rays;

/// Appends the answer to each question, in order of the questions; in parallel with the feature `parallel`.
pub(crate) fn batch<Q: Sync, A: Clone + Send>(
    questions: &[Q],
    answers: &mut Vec<A>,
    empty: A,
    answer: impl Fn(&Q) -> A + Sync,
) {
    let first = answers.len();
    answers.resize(first + questions.len(), empty);
    let each = |(question, place): (&Q, &mut A)| *place = answer(question);
    // With a pool of one thread, this one would only wait for it.
    #[cfg(feature = "parallel")]
    if rayon::current_num_threads() > 1 {
        use rayon::prelude::*;
        return questions.par_iter().zip(&mut answers[first..]).with_min_len(64).for_each(each);
    }
    questions.iter().zip(&mut answers[first..]).for_each(each);
}
