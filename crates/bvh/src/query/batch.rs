//! Many probes through one tree.

use super::{Probe, coach::Coach};
use crate::{Leaf, tree::Bvh};
use std::cell::Cell;

/// The most probes of one direction that go together: the more share a node the better, but at 80 bytes each they should fit in a core's cache
/// beside the tree. Of 50,000 long ones, half as many together take 4 to 8 % longer through 100,000 boxes of a town.
const SEATS: usize = 8192;

/// The same through a tree of a few thousand leaves, whose nodes are near whoever shares them.
const SEATS_IN_SMALL: usize = 2048;
const SMALL: usize = 8192;

thread_local! {
    /// By direction, empty between calls: their memory, 640 KB for a direction in which many went, is kept as it costs a seventh of the time to
    /// have it anew from the system.
    static COACHES: Cell<Vec<Option<Coach>>> = const { Cell::new(Vec::new()) };
}

/// Numbers of paths fit in 32 bits.
const MOST: usize = 1 << 31;

/// Fewer are not worth a thread, more are shared better in parts.
#[cfg(feature = "parallel")]
const FEWEST: usize = 1024;
#[cfg(feature = "parallel")]
const SHARE: usize = 4 * SEATS;

impl Bvh {
    /// Appends the answer of [`Bvh::closest`] to the probe of each path to `answers`, in the order of the paths, which may be of any type.
    /// Probes in similar directions go through the tree together: 50,000 long random ones take about 70 % of the time that they take one by one.
    /// The thread keeps the memory for it, 5 MB at most for directions along no axis's plane.
    /// With the feature `parallel`, many are divided among rayon's threads.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Leaf, Probe, narrowphase::{Aabb, Ray, glam::Vec3}};
    /// let tree = Bvh::build(&[Aabb::new(Vec3::X, Vec3::ONE)?]);
    /// let rays = [Ray::new(Vec3::ZERO, Vec3::X)?, Ray::new(Vec3::ZERO, Vec3::NEG_X)?];
    /// let mut answers = vec![];
    /// tree.closest_each(&rays, |ray| Probe::ray(ray, 100.0), ALL, &mut answers);
    /// assert_eq!(answers, [Some((Leaf::new(0), 1.0)), None]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn closest_each<P: Sync>(
        &self,
        paths: &[P],
        probe: impl Fn(&P) -> Probe + Sync,
        mask: u32,
        answers: &mut Vec<Option<(Leaf, f32)>>,
    ) {
        let first = answers.len();
        answers.resize(first + paths.len(), None);
        let answers = &mut answers[first..];
        #[cfg(feature = "parallel")]
        if paths.len() > FEWEST && rayon::current_num_threads() > 1 {
            use rayon::prelude::*;
            let share = paths.len().div_ceil(rayon::current_num_threads()).clamp(FEWEST, SHARE);
            let shares = paths.par_chunks(share).zip(answers.par_chunks_mut(share));
            shares.for_each(|(paths, answers)| self.closest_together(paths, &probe, mask, answers));
            return;
        }
        for (paths, answers) in paths.chunks(MOST).zip(answers.chunks_mut(MOST)) {
            self.closest_together(paths, &probe, mask, answers);
        }
    }

    fn closest_together<P>(
        &self,
        paths: &[P],
        probe: &impl Fn(&P) -> Probe,
        mask: u32,
        answers: &mut [Option<(Leaf, f32)>],
    ) {
        // By direction, so that one order of the children suits all.
        let mut coaches = COACHES.take();
        let seats = if self.len() < SMALL { SEATS_IN_SMALL } else { SEATS };
        coaches.resize_with(Probe::DIRECTIONS, || None);
        for (seat, path) in (0..).zip(paths) {
            let probe = probe(path);
            if probe.max >= 0.0 {
                let coach = coaches[probe.direction()].get_or_insert_with(|| Coach::new(probe.sides));
                if coach.board(&probe, seat) == seats {
                    coach.drive(self, mask, answers);
                }
            }
        }
        for coach in coaches.iter_mut().flatten() {
            coach.drive(self, mask, answers);
        }
        COACHES.set(coaches);
    }
}
