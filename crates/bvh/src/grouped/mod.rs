//! A tree over boxes that stay, for many of them: the leaves of the tree are groups of sixteen boxes at most, which are
//! kept with eight bits a bound.
//!
//! ```text
//!   tree over groups ──► group: sixteen boxes at most, a little larger than given, and a number of the caller's for each
//! ```
//! A box takes some 21 bytes, less than half of what it takes in a [`Bvh`]. What a query shows is decided by the enlarged
//! boxes: some more than needed, none too few.

mod cast;
mod cast_packet;
mod group;
mod nearest;
mod overlap;

use crate::{Leaf, threads, tree::Bvh};
use cullide_narrowphase::Aabb;
use group::Group;

/// A tree over many boxes that are built once, in groups, with a number of the caller's for each: a [`Bvh`] in half the
/// memory, for shapes of which the boxes need not be known exactly.
///
/// ```
/// use cullide_bvh::{GroupedBvh, Probe, Visit, narrowphase::{Aabb, Ray, glam::Vec3}};
/// let boxes = [1.0, 3.0].map(|x| Aabb::new(Vec3::X * x, Vec3::X * x + Vec3::ONE).unwrap());
/// let tree = GroupedBvh::build(&boxes, |i| 70 + i as u32);
/// let mut met = vec![];
/// tree.cast(&Probe::ray(&Ray::new(Vec3::ZERO, Vec3::X)?, 2.0), |numbers, _| {
///     met.extend_from_slice(numbers);
///     Visit::Continue
/// });
/// assert_eq!(met, [70]);
/// # Ok::<(), cullide_bvh::narrowphase::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct GroupedBvh {
    /// A leaf a group, of the same number.
    tree: Bvh,
    groups: Vec<Group>,
    len: usize,
}

impl GroupedBvh {
    /// The tree over `boxes`; `number` gives the caller's number of the `i`-th. With the feature `parallel` it is built
    /// on all threads.
    ///
    /// # Panics
    /// With 2^30 − 1 boxes or more.
    ///
    /// ```
    /// # use cullide_bvh::{GroupedBvh, narrowphase::{Aabb, glam::Vec3}};
    /// let tree = GroupedBvh::build(&vec![Aabb::new(Vec3::ZERO, Vec3::ONE)?; 1000], |i| i as u32);
    /// assert_eq!(tree.len(), 1000);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn build(boxes: &[Aabb], number: impl Fn(usize) -> u32 + Sync) -> Self {
        let (mut order, mut starts, mut bounds) = (Vec::with_capacity(boxes.len()), vec![0], vec![]);
        Bvh::build(boxes).for_each_leaf_group(|leaves| {
            bounds.extend(leaves.iter().map(|leaf| boxes[leaf.index()]).reduce(|a, b| a.union(&b)));
            order.extend_from_slice(leaves);
            starts.push(order.len());
        });
        let groups = threads::vec(bounds.len(), |i| {
            let leaves = order[starts[i]..starts[i + 1]].iter();
            Group::new(&bounds[i], leaves.map(|leaf| (boxes[leaf.index()], number(leaf.index()))))
        });
        Self { tree: Bvh::build(&bounds), groups, len: boxes.len() }
    }

    /// The number of boxes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no boxes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The smallest box around all; `None` without boxes.
    pub fn bounds(&self) -> Option<Aabb> {
        self.tree.bounds()
    }

    /// The tree over groups, for queries that take these whole: each of its boxes is the smallest around those of a
    /// group.
    ///
    /// ```
    /// # use cullide_bvh::{GroupedBvh, narrowphase::{Aabb, glam::Vec3}};
    /// let tree = GroupedBvh::build(&[Aabb::new(Vec3::ZERO, Vec3::X)?, Aabb::new(Vec3::ZERO, Vec3::Y)?], |i| i as u32);
    /// let groups: Vec<_> = tree.groups().leaves().map(|leaf| tree.numbers(leaf)).collect();
    /// assert_eq!(groups, [[0, 1]]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn groups(&self) -> &Bvh {
        &self.tree
    }

    /// The numbers of the boxes of a group.
    ///
    /// # Panics
    /// For a leaf that is none of [`GroupedBvh::groups`].
    #[inline]
    pub fn numbers(&self, leaf: Leaf) -> &[u32] {
        self.groups[leaf.index()].numbers()
    }

    /// Gives all boxes new bounds, by their numbers; the groups stay as they are.
    ///
    /// ```
    /// # use cullide_bvh::{GroupedBvh, narrowphase::{Aabb, glam::Vec3}};
    /// let mut tree = GroupedBvh::build(&[Aabb::new(Vec3::ZERO, Vec3::X)?], |_| 5);
    /// let moved = Aabb::new(Vec3::Y, Vec3::ONE)?;
    /// tree.refit(|number| if number == 5 { moved } else { unreachable!() });
    /// assert_eq!(tree.bounds(), Some(moved));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn refit(&mut self, mut aabb: impl FnMut(u32) -> Aabb) {
        let mut moved = Vec::with_capacity(self.groups.len());
        let mut boxes = vec![];
        for (leaf, group) in self.tree.leaves().zip(&mut self.groups) {
            boxes.clear();
            boxes.extend(group.numbers().iter().map(|&number| (aabb(number), number)));
            let Some(around) = boxes.iter().map(|(aabb, _)| *aabb).reduce(|a, b| a.union(&b)) else { continue };
            *group = Group::new(&around, boxes.drain(..));
            moved.push((leaf, around));
        }
        self.tree.refit(moved);
    }

    /// Bytes of memory.
    ///
    /// ```
    /// # use cullide_bvh::{GroupedBvh, narrowphase::{Aabb, glam::Vec3}};
    /// let boxes = [(); 4096].map(|()| Aabb::new(Vec3::ZERO, Vec3::ONE).unwrap());
    /// assert!(GroupedBvh::build(&boxes, |i| i as u32).memory() < 24 * boxes.len());
    /// ```
    pub fn memory(&self) -> usize {
        size_of_val(&*self.groups) + self.tree.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Probe, Visit};
    use cullide_narrowphase::{Cast, Ray, glam::Vec3};
    use std::ops::ControlFlow::Continue;

    /// Boxes and rays in the same space, from small integers: many are flat, and many rays run along faces.
    struct Random(u32);

    impl Random {
        fn point(&mut self, size: u32) -> Vec3 {
            Vec3::from([(); 3].map(|()| {
                self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                ((self.0 >> 16) % size) as f32
            }))
        }

        fn aabb(&mut self) -> Aabb {
            let corner = self.point(200);
            Aabb::new(corner, corner + self.point(12)).unwrap()
        }
    }

    /// How many boxes of those met are shown, at least all, and how many more.
    fn check(tree: &GroupedBvh, boxes: &[Aabb], random: &mut Random) -> [usize; 2] {
        let [mut met, mut shown] = [0, 0];
        for _ in 0..200 {
            let Ok(ray) = Ray::new(random.point(200), random.point(200) - random.point(200)) else { continue };
            let limit = 150.0;
            let mut found = vec![];
            tree.cast(&Probe::ray(&ray, limit), |numbers, entries| {
                assert_eq!(numbers.len(), entries.len());
                for (&number, &entry) in numbers.iter().zip(entries) {
                    let crossing = boxes[number as usize / 3].crossing(&ray.path(limit).unwrap());
                    assert!(crossing.is_none_or(|crossing| f64::from(entry) <= crossing.enter * (1.0 + 1e-6)));
                }
                found.extend_from_slice(numbers);
                Visit::Continue
            });
            found.sort_unstable();
            assert!(found.is_sorted_by(|a, b| a < b), "one twice");
            let path = ray.path(limit).unwrap();
            for (number, aabb) in (0..).map(|i| 3 * i).zip(boxes) {
                let is_met = aabb.is_crossed(&path);
                assert!(!is_met || found.binary_search(&number).is_ok(), "{ray:?} {aabb:?}");
                met += usize::from(is_met);
            }
            shown += found.len();
        }
        [met, shown]
    }

    #[test]
    fn every_box_that_is_met_is_shown_and_few_others_are() {
        let mut random = Random(7);
        for count in [0, 1, 15, 16, 17, 700, 5000] {
            let mut boxes: Vec<Aabb> = (0..count).map(|_| random.aabb()).collect();
            let mut tree = GroupedBvh::build(&boxes, |i| 3 * i as u32);
            assert_eq!((tree.len(), tree.is_empty()), (count, count == 0));
            let numbers = tree.groups().leaves().map(|leaf| tree.numbers(leaf).len());
            assert_eq!(numbers.sum::<usize>(), count);
            for _ in 0..2 {
                let [met, shown] = check(&tree, &boxes, &mut random);
                assert!(shown <= met + met / 4 + 20, "{shown} shown, {met} met of {count}");
                boxes.iter_mut().for_each(|aabb| *aabb = random.aabb());
                tree.refit(|number| boxes[number as usize / 3]);
                assert_eq!(tree.bounds(), boxes.iter().copied().reduce(|a, b| a.union(&b)));
            }
        }
    }

    #[test]
    fn every_box_that_overlaps_or_is_near_is_shown_and_few_others_are() {
        let mut random = Random(11);
        let boxes: Vec<Aabb> = (0..3000).map(|_| random.aabb()).collect();
        let tree = GroupedBvh::build(&boxes, |i| i as u32);
        let (mut met, mut shown, mut asked) = (0, 0, 0);
        for _ in 0..300 {
            let (around, point) = (random.aabb(), random.point(220));
            let mut found = vec![false; boxes.len()];
            tree.overlap_aabb(&around, |numbers| {
                numbers.iter().for_each(|&number| assert!(!std::mem::replace(&mut found[number as usize], true)));
                Continue(())
            });
            for (aabb, &is_found) in boxes.iter().zip(&found) {
                assert!(is_found || !aabb.overlaps(&around), "{aabb:?} {around:?}");
                met += usize::from(aabb.overlaps(&around));
                shown += usize::from(is_found);
            }
            let distance_to = |aabb: &Aabb| (aabb.min() - point).max(point - aabb.max()).max(Vec3::ZERO).length();
            let mut nearest = f32::INFINITY;
            tree.nearest(point, f32::INFINITY, |numbers| {
                let distances = numbers.iter().map(|&number| distance_to(&boxes[number as usize]));
                (nearest, asked) = (distances.fold(nearest, f32::min), asked + numbers.len());
                Visit::Within(nearest)
            });
            assert_eq!(nearest, boxes.iter().map(distance_to).fold(f32::INFINITY, f32::min));
            let mut within = vec![];
            tree.nearest(point, 20.0, |numbers| {
                within.extend_from_slice(numbers);
                Visit::Continue
            });
            within.sort_unstable();
            for (number, aabb) in (0..).zip(&boxes) {
                assert!(distance_to(aabb) > 20.0 || within.binary_search(&number).is_ok());
            }
        }
        assert!(shown < met + met / 2 + 100, "{shown} shown, {met} met");
        assert!(asked < 300 * 16, "{asked} asked for the nearest");
    }

    #[test]
    fn a_search_ends_where_the_visitor_wants() {
        let boxes: Vec<Aabb> = (0..300).map(|i| Vec3::X * i as f32).map(|at| Aabb::new(at, at).unwrap()).collect();
        let tree = GroupedBvh::build(&boxes, |i| i as u32);
        let probe = Probe::ray(&Ray::new(Vec3::NEG_X, Vec3::X).unwrap(), f32::INFINITY);
        for (answer, most) in [(Visit::Stop, 16), (Visit::Within(40.0), 64), (Visit::Continue, 300)] {
            let mut shown = 0;
            tree.cast(&probe, |numbers, _| {
                shown += numbers.len();
                answer
            });
            assert!((1..=most).contains(&shown), "{shown} with {answer:?}");
        }
    }
}
