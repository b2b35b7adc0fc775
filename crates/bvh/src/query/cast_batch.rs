//! Casts of many probes together, with a visitor for the leaves that each meets.

use super::{
    Probe,
    ray::RayVisitor,
    ray_stream::{LeafAction, StreamRay, in_streams},
};
use crate::{
    Leaf,
    lanes::{LANES, Simd, each_lane, f32x16, keys, store_keys},
    node::{EMPTY, LEAF, Node, NodeIndex},
    traverse::{Visit, traverse_from},
    tree::Bvh,
};

impl Bvh {
    /// Calls `visit` for each of many probes as [`Bvh::cast`] does, with the number of the probe as first argument.
    /// Probes in similar directions traverse the tree together, so that their visits are interleaved; an answer narrows
    /// only the search of the probe that was visited, and [`Visit::Stop`] ends only that search.
    ///
    /// Worthwhile from a thousand probes on: with an exact test of each box, the rays of a camera take 70 to 80 % of
    /// the time that they take one by one, and eight thousand long rays in all directions 80 to 85 %. The thread keeps
    /// the memory for it: at most 5 MB if no direction is parallel to a coordinate plane.
    ///
    /// ```
    /// # use cullide_bvh::{ALL, Bvh, Probe, Visit, narrowphase::{Aabb, Ray, glam::Vec3}};
    /// let tree = Bvh::build(&[Aabb::new(Vec3::X, Vec3::ONE)?, Aabb::new(Vec3::X * 3.0, Vec3::splat(3.0))?]);
    /// let rays = [Ray::new(Vec3::ZERO, Vec3::NEG_X)?, Ray::new(Vec3::ZERO, Vec3::X)?];
    /// let mut first = [None; 2];
    /// tree.cast_batch(&rays.map(|ray| Probe::ray(&ray, 100.0)), ALL, |i, leaf, entry| {
    ///     first[i] = Some(leaf.index());
    ///     Visit::Within(entry)
    /// });
    /// assert_eq!(first, [None, Some(0)]);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn cast_batch(&self, probes: &[Probe], mask: u32, mut visit: impl FnMut(usize, Leaf, f32) -> Visit) {
        self.cast_batch_in(probes, mask, &mut visit);
    }

    fn cast_batch_in(&self, probes: &[Probe], mask: u32, visit: &mut dyn FnMut(usize, Leaf, f32) -> Visit) {
        for (chunk, probes) in probes.chunks(CHUNK).enumerate() {
            let mut show = LeafVisitor { visit: &mut |number, leaf, entry| visit(chunk * CHUNK + number, leaf, entry) };
            in_streams(self, probes, Probe::clone, |stream| drop(stream.trace(self, mask, &mut show)));
        }
    }
}

/// The maximum number of probes in a chunk, so that their numbers fit in 32 bits.
const CHUNK: usize = 1 << 31;

/// A limit that nothing is within.
const STOPPED: f32 = -1.0;

/// Passes the leaves to a closure.
struct LeafVisitor<'a> {
    visit: &'a mut dyn FnMut(usize, Leaf, f32) -> Visit,
}

impl LeafAction for LeafVisitor<'_> {
    /// Visits the nearest leaf first, as in [`Bvh::cast`].
    #[inline(always)]
    fn add<S: Simd>(&mut self, _: S, ray: &mut StreamRay, node: &Node, entries: f32x16<S>, lanes: u32) {
        let mut row = [0; LANES];
        store_keys(keys(entries), &mut row);
        let mut rest = lanes;
        while rest != 0 {
            let first = rest.trailing_zeros() as usize % LANES;
            let lane = each_lane(rest).min_by_key(|&lane| row[lane]).unwrap_or(first);
            rest &= !(1 << lane);
            let (child, entry) = (node.children[lane], f32::from_bits(row[lane]));
            if child == EMPTY {
                continue;
            }
            if entry > Probe::reach(ray.limit) {
                break;
            }
            let answer = (self.visit)(ray.number as usize, Leaf::from_bits(child & !LEAF), entry);
            ray.limit = narrowed(ray.limit, answer);
        }
    }

    #[inline(always)]
    fn traverse_alone<S: Simd>(
        &mut self,
        simd: S,
        ray: &mut StreamRay,
        probe: &Probe,
        (tree, filter, start): (&Bvh, Option<u32>, NodeIndex),
    ) {
        if ray.limit < 0.0 {
            return;
        }
        let (number, limit) = (ray.number as usize, &mut ray.limit);
        let mut visit = |leaf: Leaf, entry: f32| {
            let answer = (self.visit)(number, leaf, entry);
            *limit = narrowed(*limit, answer);
            answer
        };
        traverse_from(simd, tree, filter, start, &mut RayVisitor::new(simd, probe, &mut visit));
    }
}

fn narrowed(limit: f32, answer: Visit) -> f32 {
    match answer {
        Visit::Continue => limit,
        Visit::Within(within) => limit.min(within),
        Visit::Stop => STOPPED,
    }
}
