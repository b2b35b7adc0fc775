//! Editing a tree leaf by leaf: as in an R-tree, a full node is divided and its new sibling goes up; bounds and masks of all
//! ancestors stay exact unions, so that no query ever needs an update first.
//!
//! Source: Guttman, "R-Trees: A Dynamic Index Structure for Spatial Searching"; dividing follows Beckmann et al., "The R*-tree".

use crate::{
    Leaf,
    lanes::LANES,
    node::{Child, LEAF, Node, NodeIndex, Slot},
    tree::Bvh,
};
use cullide_narrowphase::Aabb;
use smallvec::SmallVec;

/// A divided node keeps at least this many children: fewer would let the tree grow deep, more would force long boxes together.
const LEAST_CHILDREN: usize = 6;

impl Bvh {
    /// Adds a box with a layer mask and returns its number.
    ///
    /// # Panics
    /// With 2^31 − 1 leaves already.
    ///
    /// ```
    /// # use cullide_bvh::{Bvh, narrowphase::{Aabb, glam::Vec3}};
    /// let mut tree = Bvh::new();
    /// let leaf = tree.insert(&Aabb::new(Vec3::ZERO, Vec3::ONE)?, 0b1);
    /// assert_eq!((tree.len(), tree.mask(leaf)), (1, Some(0b1)));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn insert(&mut self, aabb: &Aabb, mask: u32) -> Leaf {
        let leaf = self.free_leaves.pop().map_or_else(
            || {
                self.slots.push(Slot::NONE);
                Leaf::new(self.slots.len() as u32 - 1)
            },
            Leaf::from_bits,
        );
        self.layerless += usize::from(mask == 0);
        self.place(leaf, aabb, mask);
        leaf
    }

    /// Removes a leaf and returns its box; `None` when it is not there.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, narrowphase::{Aabb, glam::Vec3}};
    /// let mut tree = Bvh::new();
    /// let leaf = tree.insert(&Aabb::new(Vec3::ZERO, Vec3::ONE)?, ALL);
    /// assert!(tree.remove(leaf).is_some() && tree.remove(leaf).is_none());
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn remove(&mut self, leaf: Leaf) -> Option<Aabb> {
        let (aabb, mask) = (self.aabb(leaf)?, self.mask(leaf)?);
        self.layerless -= usize::from(mask == 0);
        self.detach(leaf);
        self.free_leaves.push(leaf.bits());
        self.limit_height();
        Some(aabb)
    }

    /// Gives a leaf a new box; `false` when it is not there. A small move stays in its node, a large one is placed anew.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, narrowphase::{Aabb, glam::Vec3}};
    /// let mut tree = Bvh::new();
    /// let leaf = tree.insert(&Aabb::new(Vec3::ZERO, Vec3::ONE)?, ALL);
    /// assert!(tree.set(leaf, &Aabb::new(Vec3::X, Vec3::X)?));
    /// assert_eq!(tree.aabb(leaf).unwrap().min(), Vec3::X);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn set(&mut self, leaf: Leaf, aabb: &Aabb) -> bool {
        let (Some(slot), Some(mask)) = (self.slot(leaf), self.mask(leaf)) else { return false };
        let stays = self.nodes[slot.node()].union().is_some_and(|around| around.contains(aabb));
        if stays || slot.node() == 0 {
            self.nodes[slot.node()].set_bounds(slot.lane(), aabb);
            self.refresh(slot.node());
        } else {
            self.detach(leaf);
            self.place(leaf, aabb, mask);
        }
        true
    }

    /// Gives a leaf a new layer mask; `false` when it is not there.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, narrowphase::{Aabb, glam::Vec3}};
    /// let mut tree = Bvh::new();
    /// let leaf = tree.insert(&Aabb::new(Vec3::ZERO, Vec3::ONE)?, ALL);
    /// assert!(tree.set_mask(leaf, 0b10));
    /// assert_eq!(tree.mask(leaf), Some(0b10));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn set_mask(&mut self, leaf: Leaf, mask: u32) -> bool {
        let Some(slot) = self.slot(leaf) else { return false };
        let old = std::mem::replace(&mut self.masks[slot.node()][slot.lane()], mask);
        self.layerless = self.layerless + usize::from(mask == 0) - usize::from(old == 0);
        self.refresh(slot.node());
        true
    }

    /// Gives many leaves new boxes and keeps the shape of the tree: the cheapest update when most leaves move a little. Leaves
    /// that are not there are passed over; returns how many were there.
    ///
    /// ```
    /// # use cullide_bvh::{Bvh, Leaf, narrowphase::{Aabb, glam::Vec3}};
    /// let mut tree = Bvh::build(&[Aabb::new(Vec3::ZERO, Vec3::ONE)?]);
    /// assert_eq!(tree.refit([(Leaf::new(0), Aabb::new(Vec3::X, Vec3::X)?)]), 1);
    /// assert_eq!(tree.bounds().unwrap().max(), Vec3::X);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn refit(&mut self, moved: impl IntoIterator<Item = (Leaf, Aabb)>) -> usize {
        let mut stale = vec![false; self.nodes.len()];
        let mut count = 0;
        for (leaf, aabb) in moved {
            if let Some(slot) = self.slot(leaf) {
                self.nodes[slot.node()].set_bounds(slot.lane(), &aabb);
                stale[slot.node()] = true;
                count += 1;
            }
        }
        // Children before parents: the depth-first order, backward.
        for node in self.depth_first().into_iter().rev() {
            let parent = self.parents[node as usize];
            if let (true, false, Some(union)) =
                (stale[node as usize], parent.is_none(), self.nodes[node as usize].union())
            {
                self.nodes[parent.node()].set_bounds(parent.lane(), &union);
                stale[parent.node()] = true;
            }
        }
        count
    }

    /// Hangs a leaf that hangs nowhere.
    fn place(&mut self, leaf: Leaf, aabb: &Aabb, mask: u32) {
        let node = self.choose(aabb);
        self.attach(node, leaf.bits() | LEAF, aabb, mask);
        self.limit_height();
    }

    /// The node that should take `aabb`: down the child that grows least, until a node has no child nodes, or has room and the
    /// box is larger than that child, which it would only blow up.
    ///
    /// Stopping wherever a child would grow by more than the box covers fills the upper nodes with small leaves: 10,000 inserts
    /// then make 18 levels instead of 6, at 2.6 times the cost.
    fn choose(&self, aabb: &Aabb) -> usize {
        let mut index = 0;
        loop {
            let node = &self.nodes[index];
            let growth = |lane: usize| {
                let old = node.aabb(lane).map_or(0.0, |a| a.surface_area());
                let new = node.aabb(lane).map_or(0.0, |a| a.union(aabb).surface_area());
                (new - old, old)
            };
            let children = node.lanes().filter_map(|lane| match Child::of(node.children[lane]) {
                Child::Node(child) => Some((growth(lane), child as usize)),
                _ => None,
            });
            let best = children.min_by(|(a, _), (b, _)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
            match best {
                None => return index,
                Some(((_, covered), _)) if aabb.surface_area() > covered && node.free_lane().is_some() => return index,
                Some((_, child)) => index = child,
            }
        }
    }

    /// Puts a child into a node, dividing it, and its ancestors, as far as they are full.
    fn attach(&mut self, mut index: usize, mut child: u32, aabb: &Aabb, mut mask: u32) {
        let mut aabb = *aabb;
        while self.nodes[index].free_lane().is_none() {
            let sibling = self.divide(index, child, &aabb, mask);
            let parent = self.parents[index];
            if parent.is_none() {
                self.grow_root(sibling);
                return;
            }
            self.update_lane(parent, index);
            // The sibling now looks for a place beside the node.
            (index, child) = (parent.node(), sibling as u32);
            (aabb, mask) = (self.nodes[sibling].union().unwrap_or(aabb), self.mask_of(sibling));
        }
        if let Some(lane) = self.nodes[index].free_lane() {
            self.put(Slot::new(index as NodeIndex, lane), child, &aabb, mask);
        }
        self.refresh(index);
    }

    /// Writes a child into a free lane and tells the child where it hangs.
    fn put(&mut self, slot: Slot, child: u32, aabb: &Aabb, mask: u32) {
        self.nodes[slot.node()].put(slot.lane(), child, aabb);
        self.masks[slot.node()][slot.lane()] = mask;
        match Child::of(child) {
            Child::Leaf(leaf) => self.slots[leaf as usize] = slot,
            Child::Node(node) => self.parents[node as usize] = slot,
            Child::Empty => {}
        }
    }

    /// Divides the children of a full node and one more between the node and a new sibling, which is returned and hangs nowhere yet.
    fn divide(&mut self, index: usize, child: u32, aabb: &Aabb, mask: u32) -> usize {
        let node = self.nodes[index];
        let mut members: SmallVec<[(Aabb, u32, u32); LANES + 1]> = node
            .lanes()
            .filter_map(|lane| Some((node.aabb(lane)?, node.children[lane], self.masks[index][lane])))
            .collect();
        members.push((*aabb, child, mask));
        let cut = best_cut(&mut members);
        let sibling = self.add_node(Slot::NONE) as usize;
        self.nodes[index] = Node::VACANT;
        self.masks[index] = [0; LANES];
        for (target, half) in [(index, &members[..cut]), (sibling, &members[cut..])] {
            for (lane, (aabb, child, mask)) in half.iter().enumerate() {
                self.put(Slot::new(target as NodeIndex, lane), *child, aabb, *mask);
            }
        }
        sibling
    }

    /// After the root was divided: moves its half into a new node and hangs both below the root.
    fn grow_root(&mut self, sibling: usize) {
        let old = self.add_node(Slot::NONE) as usize;
        self.relocate(0, old);
        for (lane, half) in [old, sibling].into_iter().enumerate() {
            if let Some(aabb) = self.nodes[half].union() {
                self.put(Slot::new(0, lane), half as u32, &aabb, self.mask_of(half));
            }
        }
        self.height += 1;
    }

    /// Moves all children of a node into a vacant one.
    fn relocate(&mut self, from: usize, to: usize) {
        let node = std::mem::replace(&mut self.nodes[from], Node::VACANT);
        let masks = std::mem::take(&mut self.masks[from]);
        for lane in node.lanes() {
            if let Some(aabb) = node.aabb(lane) {
                self.put(Slot::new(to as NodeIndex, lane), node.children[lane], &aabb, masks[lane]);
            }
        }
    }

    /// Takes a leaf out of its node, and the node out of its parent when nothing or one child is left.
    fn detach(&mut self, leaf: Leaf) {
        let Some(slot) = self.slot(leaf) else { return };
        self.slots[leaf.index()] = Slot::NONE;
        self.empty(slot);
        let mut index = slot.node();
        while index != 0 {
            let parent = self.parents[index];
            let mut left = self.nodes[index].lanes().take(2).collect::<SmallVec<[usize; 2]>>().into_iter();
            match (left.next(), left.next()) {
                (None, _) => self.empty(parent),
                (Some(lane), None) => {
                    let (child, mask) = (self.nodes[index].children[lane], self.masks[index][lane]);
                    if let Some(aabb) = self.nodes[index].aabb(lane) {
                        self.put(parent, child, &aabb, mask);
                    }
                }
                _ => break,
            }
            self.free_nodes.push(index as u32);
            index = parent.node();
        }
        self.refresh(index);
        self.shrink_root();
    }

    /// Takes away the levels at the top that hold a single node.
    fn shrink_root(&mut self) {
        let only_node = |tree: &Self| {
            let mut lanes = tree.nodes[0].lanes();
            let (lane, None) = (lanes.next()?, lanes.next()) else { return None };
            let Child::Node(node) = Child::of(tree.nodes[0].children[lane]) else { return None };
            Some((lane, node))
        };
        while let Some((lane, node)) = only_node(self) {
            self.empty(Slot::new(0, lane));
            self.relocate(node as usize, 0);
            self.free_nodes.push(node);
            self.height -= 1;
        }
        let root = &self.nodes[0];
        if root.lanes().all(|lane| matches!(Child::of(root.children[lane]), Child::Leaf(_))) {
            self.height = 1;
        }
    }

    /// Starts over when the tree is deeper than any fair sequence of edits makes it.
    fn limit_height(&mut self) {
        if self.height > 2 * self.len().max(1).ilog2() + 16 {
            self.rebuild();
        }
    }

    fn empty(&mut self, slot: Slot) {
        self.nodes[slot.node()].clear(slot.lane());
        self.masks[slot.node()][slot.lane()] = 0;
    }

    /// Makes the bounds and masks of all ancestors of a node exact again, as far up as they change.
    fn refresh(&mut self, mut index: usize) {
        while !self.parents[index].is_none() {
            let slot = self.parents[index];
            if !self.update_lane(slot, index) {
                return;
            }
            index = slot.node();
        }
    }

    /// Writes the union of a node into the lane where it hangs; returns whether that changed anything.
    fn update_lane(&mut self, slot: Slot, index: usize) -> bool {
        let Some(union) = self.nodes[index].union() else { return false };
        let mask = self.mask_of(index);
        let (node, masks) = (&mut self.nodes[slot.node()], &mut self.masks[slot.node()]);
        if node.aabb(slot.lane()) == Some(union) && masks[slot.lane()] == mask {
            return false;
        }
        node.set_bounds(slot.lane(), &union);
        masks[slot.lane()] = mask;
        true
    }

    pub(crate) fn mask_of(&self, index: usize) -> u32 {
        self.masks[index].iter().fold(0, |all, mask| all | mask)
    }
}

/// Sorts the members along the axis, and returns the cut, that give the two parts the least area times count.
fn best_cut(members: &mut [(Aabb, u32, u32)]) -> usize {
    let cost = |part: &[(Aabb, u32, u32)]| {
        let union = part.iter().map(|member| member.0).reduce(|a, b| a.union(&b));
        union.map_or(0.0, |aabb| aabb.surface_area()) * part.len() as f64
    };
    let by = |axis: usize| {
        move |a: &(Aabb, u32, u32), b: &(Aabb, u32, u32)| {
            let middle = |m: &(Aabb, u32, u32)| m.0.min()[axis] + m.0.max()[axis];
            middle(a).total_cmp(&middle(b)).then(a.1.cmp(&b.1))
        }
    };
    let mut best = (f64::INFINITY, 0, members.len() / 2);
    for axis in 0..3 {
        members.sort_unstable_by(by(axis));
        for cut in LEAST_CHILDREN..=members.len() - LEAST_CHILDREN {
            let cost = cost(&members[..cut]) + cost(&members[cut..]);
            if cost < best.0 {
                best = (cost, axis, cut);
            }
        }
    }
    members.sort_unstable_by(by(best.1));
    best.2
}
