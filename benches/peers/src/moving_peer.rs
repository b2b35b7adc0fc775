//! What every competitor does with moving boxes, and the list of them.

use crate::{peer::Bounds, peers, pool::pinned};
use rayon::ThreadPool;
use std::sync::OnceLock;

/// A competitor over moving boxes, constructed with their initial places.
pub trait MovingPeer {
    /// Takes the boxes that moved and brings the set of near pairs up to date; timed, with everything that the library
    /// needs for it.
    fn frame(&mut self, moved: &[(u32, Bounds)]);

    /// Appends the near pairs, each once: all that overlap, and those added by the competitor's margins.
    fn pairs(&self, out: &mut Vec<(u32, u32)>);
}

/// Makes a competitor over boxes.
pub type New = fn(&[Bounds]) -> Box<dyn MovingPeer>;

/// What the work of a frame depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upkeep {
    /// The library decides what to update.
    Own,
    /// All boxes, however few moved.
    All,
    /// The boxes that moved, each handled separately.
    Moved,
}

impl Upkeep {
    /// The reason why it makes no sense if `moved` of `n` boxes move, if there is one.
    pub fn out_of_place(self, moved: usize, n: usize) -> Option<&'static str> {
        match self {
            Self::All if moved < n / FEW => Some("finds all pairs again"),
            Self::Moved if moved > n / MANY => Some("looks up each moved box"),
            _ => None,
        }
    }
}

/// If fewer than one in this many move, processing all boxes takes seconds for what takes a millisecond.
const FEW: usize = 500;

/// If more than one in this many move, a pass over all boxes is quicker than that many look-ups; rapier3d switches here
/// too.
const MANY: usize = 16;

/// One competitor.
#[derive(Clone, Copy, Debug)]
pub struct Competitor {
    /// Its name and variant, as the table shows it.
    pub name: &'static str,
    /// The number of threads on which it plays.
    pub threads: usize,
    pub upkeep: Upkeep,
    pub new: New,
}

impl Competitor {
    /// Plays a whole game on the competitor's threads, like a game whose own thread is one of them: handing each frame
    /// over to another thread would take about fifty microseconds.
    pub fn play<A: Send>(&self, game: impl FnOnce() -> A + Send) -> A {
        static TWO: OnceLock<ThreadPool> = OnceLock::new();
        if self.threads == 1 { game() } else { TWO.get_or_init(|| pinned(2)).install(game) }
    }
}

/// The number of competitors that are ours; they come first.
pub const OURS: usize = 2;

/// All competitors.
pub fn competitors() -> Vec<Competitor> {
    use Upkeep::{All, Moved, Own};
    let entry = |name, upkeep, new| Competitor { name, threads: 1, upkeep, new };
    let ours = entry("ours", Own, |boxes| Box::new(peers::ours_moving::Ours::new(boxes)));
    vec![
        ours,
        Competitor { name: "ours, 2 threads", threads: 2, ..ours },
        entry("rapier3d", Own, |boxes| Box::new(peers::rapier_moving::BroadPhase::fixed_margin(boxes))),
        entry("rapier3d adaptive", Own, |boxes| Box::new(peers::rapier_moving::BroadPhase::adaptive_margin(boxes))),
        #[cfg(feature = "box3d")]
        entry("Box3D tree", Own, |boxes| Box::new(peers::box3d_moving::BroadPhase::new(boxes))),
        entry("parry3d, optimized", All, |boxes| Box::new(peers::parry_moving::AllPairs::optimized(boxes))),
        entry("parry3d, rebuilt", All, |boxes| Box::new(peers::parry_moving::AllPairs::rebuilt(boxes))),
        entry("parry3d, moved", Moved, |boxes| Box::new(peers::parry_moving::MovedPairs::new(boxes))),
        entry("obvhs, rebuilt", All, |boxes| Box::new(peers::obvhs_moving::AllPairs::new(boxes))),
        entry("obvhs, moved", Moved, |boxes| Box::new(peers::obvhs_moving::MovedPairs::new(boxes))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth;
    use cullide_scenes::{Motion, Moving};

    #[test]
    fn every_competitor_has_the_true_pairs_in_every_frame() {
        for (motion, competitor) in Motion::ALL.into_iter().flat_map(|m| competitors().into_iter().map(move |c| (m, c)))
        {
            competitor.play(|| {
                let mut scene = Moving::new(700, motion, 3);
                let mut peer = (competitor.new)(scene.boxes());
                for frame in 0..40 {
                    scene.advance();
                    let moved: Vec<_> = scene.moved().map(|i| (i as u32, scene.boxes()[i])).collect();
                    peer.frame(&moved);
                    let mut near = Vec::new();
                    peer.pairs(&mut near);
                    let tally = truth::judge(&mut near, scene.boxes(), &truth::pairs(scene.boxes()));
                    assert_eq!(tally.wrong, 0, "{} at {motion:?}, frame {frame}", competitor.name);
                }
            });
        }
    }

    #[test]
    fn looking_at_everything_is_out_of_place_where_nearly_nothing_moves() {
        let out = |upkeep: Upkeep, moved| upkeep.out_of_place(moved, 1_000_000).is_some();
        assert!(out(Upkeep::All, 1000) && !out(Upkeep::All, 20_000) && !out(Upkeep::All, 1_000_000));
        assert!(!out(Upkeep::Moved, 1000) && !out(Upkeep::Moved, 20_000) && out(Upkeep::Moved, 1_000_000));
        assert!(!out(Upkeep::Own, 1000) && !out(Upkeep::Own, 1_000_000));
    }
}
