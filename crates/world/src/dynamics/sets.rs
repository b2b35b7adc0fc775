//! Disjoint sets of bodies.
//!
//! Source: Galler and Fischer, "An Improved Equivalence Algorithm", 1964 (a forest; here paths are halved).

/// Bodies, by number, in disjoint sets.
#[derive(Clone, Debug, Default)]
pub(super) struct Sets {
    /// By body: another body of the same set, or itself.
    parents: Vec<u32>,
}

impl Sets {
    /// Puts each of `count` bodies into a set of its own.
    pub(super) fn reset(&mut self, count: usize) {
        self.parents.clear();
        self.parents.extend(0..count as u32);
    }

    /// The body that stands for the set of a body: the one with the smallest number.
    pub(super) fn root(&mut self, mut body: u32) -> u32 {
        while self.parents[body as usize] != body {
            let grandparent = self.parents[self.parents[body as usize] as usize];
            self.parents[body as usize] = grandparent;
            body = grandparent;
        }
        body
    }

    pub(super) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        // The smaller number, so that the order of joins does not matter.
        self.parents[a.max(b) as usize] = a.min(b);
    }
}
