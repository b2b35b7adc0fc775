//! Many probes through one tree.

use super::Probe;
use crate::{Leaf, tree::Bvh};

/// Probes that a thread takes at a time: some hundred microseconds of work.
#[cfg(feature = "parallel")]
const CHUNK: usize = 1024;

impl Bvh {
    /// Appends the answer of [`Bvh::closest`] to each probe to `answers`, in the order of the probes. With the feature `parallel`
    /// many probes are divided among rayon's threads.
    ///
    /// On one thread they are asked one after the other. Tried with 50,000 long rays: four under way at once, node by node in turn, are
    /// slower by 3 to 22 %; sorting by octant, start and end, if it cost nothing, would gain 2 to 5 %.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Leaf, Probe, narrowphase::{Aabb, Ray, glam::Vec3}};
    /// let tree = Bvh::build(&[Aabb::new(Vec3::X, Vec3::ONE)?]);
    /// let probes = [Vec3::X, Vec3::NEG_X].map(|direction| Probe::ray(&Ray::new(Vec3::ZERO, direction).unwrap(), 100.0));
    /// let mut answers = vec![];
    /// tree.closest_each(&probes, ALL, &mut answers);
    /// assert_eq!(answers, [Some((Leaf::new(0), 1.0)), None]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn closest_each(&self, probes: &[Probe], mask: u32, answers: &mut Vec<Option<(Leaf, f32)>>) {
        #[cfg(feature = "parallel")]
        if probes.len() > CHUNK && rayon::current_num_threads() > 1 {
            use rayon::prelude::*;
            let first = answers.len();
            answers.resize(first + probes.len(), None);
            let chunks = probes.par_chunks(CHUNK).zip(answers[first..].par_chunks_mut(CHUNK));
            chunks.for_each(|(probes, answers)| {
                for (probe, answer) in probes.iter().zip(answers) {
                    *answer = self.closest(probe, mask);
                }
            });
            return;
        }
        answers.extend(probes.iter().map(|probe| self.closest(probe, mask)));
    }
}
