//! Streams of probes in similar directions that traverse a tree together.

use super::{
    Probe,
    closest::Closest,
    probe::{EntryFaces, Numbers, PAD, ProbeMotion, RayLanes, SlabLanes},
};
use crate::{
    lanes::{Simd, f32x16, splat, vectorized_512},
    node::{Node, NodeIndex},
    stream::{StreamQuery, traverse_stream},
    tree::Bvh,
};
use cullide_narrowphase::{Mapped, glam::Vec3A};
use std::cell::Cell;

/// The maximum number of probes in a stream: the more share a node, the better, but at 80 bytes each they should fit in
/// a core's cache beside the tree. With streams of half as many, 50,000 long probes through 100,000 boxes of a town
/// take 4 to 8 % longer.
const STREAM: usize = 8192;

/// The same in a tree of fewer than `SMALL` leaves, which stays in the cache whatever the stream takes.
const STREAM_IN_SMALL: usize = 2048;
const SMALL: usize = 8192;

thread_local! {
    /// The streams by direction, empty between calls. Their memory, 640 KB for a direction with many probes, is kept,
    /// as allocating it again costs a seventh of the time.
    static STREAMS: Cell<Vec<Option<RayStream>>> = const { Cell::new(Vec::new()) };
}

/// The action on leaves that the probes of a stream meet.
pub(super) trait LeafAction {
    /// Processes some leaf lanes of a node, which may be empty, given where the probe enters each, and shortens the
    /// probe.
    fn add<S: Simd>(&mut self, simd: S, ray: &mut StreamRay, node: &Node, entries: f32x16<S>, lanes: u32);

    /// The same for all leaves below a node, which the probe, with its current limit, traverses alone.
    fn traverse_alone<S: Simd>(
        &mut self,
        simd: S,
        ray: &mut StreamRay,
        probe: &Probe,
        below: (&Bvh, Option<u32>, NodeIndex),
    );
}

/// A probe of a stream, in one cache line.
#[repr(C, align(64))]
pub(super) struct StreamRay {
    motion: Numbers,
    pub(super) limit: f32,
    /// Its number among the caller's probes.
    pub(super) number: u32,
    /// Used by [`Bvh::closest_batch`].
    pub(super) closest: Closest,
}

/// One cache line.
const _: () = assert!(size_of::<StreamRay>() == 64);

/// Probes that meet the same faces of boxes first. They are stored side by side: if they were selected from the probes
/// of all directions, they would take a tenth longer.
pub(super) struct RayStream {
    faces: EntryFaces,
    /// The signs of the motion along the axes of the slabs.
    forward: Vec3A,
    rays: Vec<StreamRay>,
    /// Where the search of each ray ends, see [`end`]. Infinite until the ray has met a leaf: until then it meets no
    /// node beyond its limit anyway.
    ends: Vec<Vec3A>,
}

impl RayStream {
    fn new(faces: EntryFaces) -> Self {
        let forward = Vec3A::from(faces.near.mapped(|face| if face.is_upper() { -1.0 } else { 1.0 }));
        Self { faces, forward, rays: Vec::new(), ends: Vec::new() }
    }

    /// Adds a probe, which must meet the same faces first as the others; returns the number of probes.
    #[inline(always)]
    fn push(&mut self, probe: &Probe, number: u32) -> usize {
        self.rays.push(StreamRay { motion: probe.motion.numbers(), limit: probe.max, number, closest: Closest::NONE });
        self.rays.len()
    }

    /// Where a child begins along each axis, in the direction of the motion.
    #[inline(always)]
    fn place(&self, node: &Node, lane: usize) -> Vec3A {
        Vec3A::from(self.faces.near.mapped(|face| node.bounds[face as usize][lane])) * self.forward
    }

    /// Traces all probes, and removes them from the stream.
    pub(super) fn trace(
        &mut self,
        tree: &Bvh,
        mask: u32,
        action: &mut impl LeafAction,
    ) -> impl Iterator<Item = StreamRay> {
        let all = (0..self.rays.len() as u32).collect();
        self.ends.clear();
        self.ends.resize(self.rays.len(), Vec3A::INFINITY);
        let mut trace = Trace { stream: self, action };
        vectorized_512!(tree.level, simd => traverse_stream(simd, tree, mask, &mut trace, all));
        self.rays.drain(..)
    }
}

/// Collects the probes of paths, numbered in their order, into streams by direction, so that one order of the children
/// suits all probes of a stream. Passes each stream to `trace` when it is full, and the others at the end.
pub(super) fn in_streams<P>(
    tree: &Bvh,
    paths: &[P],
    probe: impl Fn(&P) -> Probe,
    mut trace: impl FnMut(&mut RayStream),
) {
    let mut streams = STREAMS.take();
    let full = if tree.len() < SMALL { STREAM_IN_SMALL } else { STREAM };
    streams.resize_with(Probe::DIRECTIONS, || None);
    for (number, path) in (0..).zip(paths) {
        let probe = probe(path);
        if probe.reaches_any() {
            let stream = streams[probe.direction()].get_or_insert_with(|| RayStream::new(probe.faces));
            if stream.push(&probe, number) == full {
                trace(stream);
            }
        }
    }
    for stream in streams.iter_mut().flatten() {
        trace(stream);
    }
    STREAMS.set(streams);
}

/// A stream being traced.
struct Trace<'a, A> {
    stream: &'a mut RayStream,
    action: &'a mut A,
}

/// How far a search goes along each axis, measured in the direction of the motion: no box that begins beyond that is
/// met within `limit`.
///
/// The distance is divided by the reciprocal that the test multiplies with; the terms added compensate for the
/// roundings of both. If a distance is infinite or its axis is not to be tested, the end is NaN, which nothing lies
/// beyond.
#[inline(always)]
fn end(motion: &ProbeMotion, forward: Vec3A, limit: f32) -> Vec3A {
    // For less than that, the test's product could be rounded to zero.
    let reach = Probe::reach(limit).max(f32::MIN_POSITIVE);
    let way = Vec3A::splat(reach * PAD) / Vec3A::from_vec4(motion.inverse).abs();
    let end = Vec3A::from_vec4(motion.leading) * forward + way;
    end + end.abs() * (2.0 * f32::EPSILON)
}

impl<S: Simd, A: LeafAction> StreamQuery<S> for Trace<'_, A> {
    type Location = Vec3A;

    /// Tests as a single ray does, see [`Bvh::cast`].
    #[inline(always)]
    fn enter(&mut self, simd: S, node: &Node, leaves: u32, allowed: u32, queries: &[u32], met: &mut [u32]) {
        let rows = self.stream.faces.rows(simd, node);
        for (&query, met) in queries.iter().zip(met) {
            let ray = &mut self.stream.rays[query as usize];
            let reach = splat(simd, Probe::reach(ray.limit));
            let (lanes, entries) = RayLanes::new(simd, &ProbeMotion::of_numbers(ray.motion)).test(simd, rows, reach);
            let lanes = lanes & allowed;
            *met = lanes & !leaves;
            if lanes & leaves != 0 {
                self.action.add(simd, ray, node, entries, lanes & leaves);
                self.stream.ends[query as usize] =
                    end(&ProbeMotion::of_numbers(ray.motion), self.stream.forward, ray.limit);
            }
        }
    }

    #[inline(always)]
    fn traverse_alone(&mut self, simd: S, tree: &Bvh, filter: Option<u32>, start: NodeIndex, query: u32) {
        let ray = &mut self.stream.rays[query as usize];
        let probe = Probe { faces: self.stream.faces, motion: ProbeMotion::of_numbers(ray.motion), max: ray.limit };
        self.action.traverse_alone(simd, ray, &probe, (tree, filter, start));
        self.stream.ends[query as usize] = end(&ProbeMotion::of_numbers(ray.motion), self.stream.forward, ray.limit);
    }

    #[inline(always)]
    fn place(&self, node: &Node, lane: usize) -> Vec3A {
        self.stream.place(node, lane)
    }

    /// Measured to the center: boxes overlap, and a large one may begin before a small one that is nearer.
    #[inline(always)]
    fn distance(&self, node: &Node, lane: usize) -> f32 {
        let EntryFaces { near, far } = &self.stream.faces;
        let along = |i: usize| {
            let center = node.bounds[near[i] as usize][lane] + node.bounds[far[i] as usize][lane];
            if near[i].is_upper() { -center } else { center }
        };
        along(0) + along(1) + along(2)
    }

    #[inline(always)]
    fn keep(&self, place: &Vec3A, queries: &mut [u32]) -> usize {
        let mut kept = 0;
        for i in 0..queries.len() {
            let query = queries[i];
            queries[kept] = query;
            kept += usize::from(!place.cmpgt(self.stream.ends[query as usize]).any());
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::{LANES, Level};
    use cullide_narrowphase::{Aabb, glam::Vec3};

    /// The lanes hit within a limit, those entered only beyond it, and the entry of each.
    #[inline(always)]
    fn judged<S: Simd>(simd: S, probe: &Probe, node: &Node, limit: f32) -> (u32, u32, [f32; LANES]) {
        let stream = RayStream::new(probe.faces);
        let end = end(&probe.motion, stream.forward, limit);
        let is_culled = |&lane: &usize| stream.place(node, lane).cmpgt(end).any();
        let beyond = (0..LANES).filter(is_culled).fold(0, |lanes, lane| lanes | 1 << lane);
        let (met, entries) = RayLanes::new(simd, &probe.motion).test(
            simd,
            probe.faces.rows(simd, node),
            splat(simd, Probe::reach(limit)),
        );
        (met, beyond, entries.into())
    }

    #[test]
    fn what_begins_beyond_an_end_is_not_met_and_what_is_entered_later_begins_beyond_it() {
        let mut state = 1u32;
        let mut random = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        let scales = [1e-42, 1e-30, 1e-3, 1.0, 1e3, 1e8];
        let (mut late, mut found) = (0, 0);
        for i in 0..20_000 {
            let (scale, far) = (scales[i % 6], scales[i / 6 % 6]);
            let mut vector = |scale: f32| Vec3::new(random(), random(), random()) * scale;
            let mut node = Node::VACANT;
            for lane in 0..LANES {
                let (a, b) = (vector(scale), vector(scale));
                node.put_row(lane, 0, a.min(b), a.max(b));
            }
            let (start, mut delta, size) = (vector(scale), vector(far), vector(scale).abs() * 0.1);
            if i % 5 < 3 {
                delta[i % 5] = 0.0;
            }
            let size = if i % 2 == 0 { Vec3::ZERO } else { size };
            let probe = Probe::swept(&Aabb::new(start - size, start + size).unwrap(), delta);
            let (_, _, entries) = vectorized_512!(Level::new(), simd => judged(simd, &probe, &node, f32::INFINITY));
            for limit in entries.into_iter().chain([0.0, 1e-45, 1.0, f32::MAX, f32::INFINITY]) {
                let (met, beyond, _) = vectorized_512!(Level::new(), simd => judged(simd, &probe, &node, limit));
                assert_eq!(met & beyond, 0, "{probe:?} within {limit}");
                for lane in
                    (0..LANES).filter(|&lane| scale == far && scale > 1e-30 && entries[lane] > 1.01 * limit + 0.001)
                {
                    late += 1;
                    found += beyond >> lane & 1;
                }
            }
        }
        assert!(late > 100_000);
        assert_eq!(found, late);
    }
}
