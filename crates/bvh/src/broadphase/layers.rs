//! Which bodies may be pairs.

/// The layers of a body and those it pairs with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Layers {
    pub(super) own: u32,
    pub(super) pairs_with: u32,
}

impl Layers {
    /// In all, and pairing with all.
    pub(super) const ALL: Self = Self { own: u32::MAX, pairs_with: u32::MAX };

    /// Whether each of two bodies pairs with the other.
    #[inline(always)]
    pub(super) fn pair(self, other: Self) -> bool {
        (self.own & other.pairs_with != 0) & (other.own & self.pairs_with != 0)
    }
}

/// The layers of all moving bodies, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct LayersOfAll {
    list: Vec<Layers>,
    /// Whether any body ever had other ones than [`Layers::ALL`]. Until then none are looked up, which would wait for memory: frames of 64,000
    /// boxes that move by half their size take 3 % less.
    any_differ: bool,
}

impl LayersOfAll {
    /// Has room for another body.
    pub(super) fn add(&mut self) {
        self.list.push(Layers::ALL);
    }

    /// A body has layers, fixed or not.
    pub(super) fn note(&mut self, layers: Layers) {
        self.any_differ |= layers != Layers::ALL;
    }

    /// Gives a body layers; returns those it had.
    pub(super) fn set(&mut self, number: u32, layers: Layers) -> Layers {
        self.note(layers);
        std::mem::replace(&mut self.list[number as usize], layers)
    }

    pub(super) fn of(&self, number: u32) -> Layers {
        self.list[number as usize]
    }

    /// Those of each, whether they are looked up or not.
    pub(super) fn all(&self) -> &[Layers] {
        &self.list
    }

    /// Those of each; `None` while any two bodies may be a pair.
    pub(super) fn limits(&self) -> Option<&[Layers]> {
        self.any_differ.then_some(&self.list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_pair_unless_layers_that_one_was_given_forbid_it() {
        let mut layers = LayersOfAll::default();
        (0..3).for_each(|_| layers.add());
        assert!(layers.limits().is_none() && layers.of(0).pair(layers.of(1)));
        let some = Layers { own: 1, pairs_with: 2 };
        assert_eq!(layers.set(1, some), Layers::ALL);
        assert_eq!(layers.limits(), Some([Layers::ALL, some, Layers::ALL].as_slice()));
        assert!(layers.of(0).pair(some) && !some.pair(some));
        assert!(!Layers::ALL.pair(Layers { own: 2, pairs_with: 0 }));
        assert_eq!(layers.set(1, Layers::ALL), some);
        assert!(layers.limits().is_some(), "they are looked up from then on");
    }
}
