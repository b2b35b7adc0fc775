//! The leaves that each of many probes meets.

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
    /// Calls `visit` as [`Bvh::cast`] does for each of many probes, with the number of the probe first. Probes in
    /// similar directions traverse the tree together, so that those of one and of another come in turns; what is
    /// answered to a visit narrows the search of its probe alone, and [`Visit::Stop`] ends that.
    ///
    /// Worth it for a thousand probes: with an exact test of each box, a camera's rays take 70 to 80 % of the time that
    /// they take one by one, eight thousand long ones in all directions 80 to 85 %. The thread keeps the memory, 5 MB at
    /// most for directions along no axis's plane.
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
            let mut show = Show { visit: &mut |number, leaf, entry| visit(chunk * CHUNK + number, leaf, entry) };
            in_streams(self, probes, Probe::clone, |stream| drop(stream.trace(self, mask, &mut show)));
        }
    }
}

/// Numbers of probes fit in 32 bits.
const CHUNK: usize = 1 << 31;

/// A limit that nothing is within.
const STOPPED: f32 = -1.0;

/// Shows the leaves to a closure.
struct Show<'a> {
    visit: &'a mut dyn FnMut(usize, Leaf, f32) -> Visit,
}

impl LeafAction for Show<'_> {
    /// The nearest first, as in [`Bvh::cast`].
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
