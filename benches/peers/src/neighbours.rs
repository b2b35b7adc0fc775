//! The set of pairs that most libraries leave to their users, as a list of neighbours for each box. Both removing the
//! pairs of one box and looking up a pair scan a few numbers, where a hash set has a cache miss for each pair.

use smallvec::SmallVec;

/// A set of pairs of boxes.
#[derive(Clone, Debug)]
pub struct Neighbours(Vec<SmallVec<[u32; 6]>>);

impl Neighbours {
    /// An empty set for `n` boxes.
    pub fn new(n: usize) -> Self {
        Self(vec![SmallVec::new(); n])
    }

    /// A set of these pairs among `n` boxes.
    pub fn of(n: usize, pairs: &[(u32, u32)]) -> Self {
        let mut all = Self::new(n);
        pairs.iter().for_each(|&(a, b)| all.link(a, b));
        all
    }

    /// Whether the pair is in the set.
    pub fn are_linked(&self, a: u32, b: u32) -> bool {
        self.0[a as usize].contains(&b)
    }

    /// Adds a pair that is not in the set yet.
    pub fn link(&mut self, a: u32, b: u32) {
        debug_assert!(!self.are_linked(a, b), "{a} and {b} are a pair already");
        self.0[a as usize].push(b);
        self.0[b as usize].push(a);
    }

    /// Removes a pair if it is in the set.
    pub fn unlink(&mut self, a: u32, b: u32) {
        self.forget(a, b);
        self.forget(b, a);
    }

    /// Removes the pairs of a box with others for which `keep` returns false.
    pub fn retain(&mut self, a: u32, mut keep: impl FnMut(u32) -> bool) {
        let mut others = std::mem::take(&mut self.0[a as usize]);
        others.retain(|b| {
            let kept = keep(*b);
            if !kept {
                self.forget(*b, a);
            }
            kept
        });
        self.0[a as usize] = others;
    }

    /// Appends all pairs, each once.
    pub fn append_to(&self, pairs: &mut Vec<(u32, u32)>) {
        for (a, others) in (0u32..).zip(&self.0) {
            pairs.extend(others.iter().filter(|&&b| a < b).map(|&b| (a, b)));
        }
    }

    fn forget(&mut self, a: u32, b: u32) {
        let others = &mut self.0[a as usize];
        if let Some(at) = others.iter().position(|&other| other == b) {
            others.swap_remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_there_from_link_to_unlink() {
        let mut set = Neighbours::new(4);
        [(0, 1), (2, 1), (1, 3)].into_iter().for_each(|(a, b)| set.link(a, b));
        assert!(set.are_linked(1, 2) && !set.are_linked(0, 3));
        set.unlink(1, 0);
        set.unlink(0, 3);
        set.retain(1, |other| other == 3);
        let mut pairs = Vec::new();
        set.append_to(&mut pairs);
        assert_eq!(pairs, [(1, 3)]);
        assert!(!set.are_linked(2, 1));
    }
}
