//! The closest hits of many rays.

use crate::{
    Filter, Filters, RayHit, World,
    query::{
        batch,
        ray_packet::{Neighbourhood, Room},
        ray_picture::{RayTile, SIDE, width_of_lines},
        rays::{Found, at_most, crossing_of_plane},
    },
};
use cullide_bvh::{Packet, Probe, Visit};
use cullide_narrowphase::{Path, Ray};
use std::ops::Range;

/// Fewer rays in all directions are faster one by one, since too few share a node: 1280 long rays at a time take a
/// fifth longer together through 10,000 uniform boxes, and just as long through 20,000 boxes of a town.
const MIN_RAYS: usize = 4096;

/// The tree of fewer objects has too few nodes to share.
const MIN_OBJECTS: usize = 64;

/// Rays that traverse the trees together. Each needs some 300 bytes.
const CHUNK: usize = 8192;

/// The least number of rays that a thread takes at a time, if many may go together.
#[cfg(feature = "parallel")]
const MIN_CHUNK: usize = 1024;

/// The number of rays that a thread takes at a time, if only those of a packet go together.
#[cfg(feature = "parallel")]
const PART: usize = 64;

/// A ray during the traversal.
struct Tracked {
    path: Path,
    best: Option<Found>,
    /// Its number in the chunk.
    number: usize,
}

impl Tracked {
    /// How far the ray still has to be followed.
    fn limit(&self) -> Visit {
        self.best.map_or(Visit::Continue, |best| Visit::Within(best.distance()))
    }
}

impl World {
    /// Appends the answer of [`World::cast_ray`] for each of `rays` to `answers`, in order of the rays; in parallel
    /// with the feature `parallel`. The answers do not depend on the number of threads.
    ///
    /// Rays that are neighbours in `rays`, start close together and go in nearly the same direction, such as those of a
    /// scanline of a camera's image, traverse the trees and meshes sixteen at a time; if several scanlines follow each
    /// other, in tiles of four by four. Of the other rays, thousands traverse the trees together if there are many
    /// objects: eight thousand long rays in all directions take 80 to 85 % of the time that they take one by one. Rays that
    /// have a filter each are cast one by one.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Ray, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert(Object::fixed(Sphere::new(Vec3::X * 9.0, 2.0)?));
    /// let rays = [Ray::new(Vec3::ZERO, Vec3::Y)?, Ray::new(Vec3::ZERO, Vec3::X)?];
    /// let mut answers = vec![];
    /// world.cast_ray_batch(&rays, 100.0, &Filter::ALL, &mut answers);
    /// assert!(answers[0].is_none() && answers[1].is_some());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn cast_ray_batch(
        &self,
        rays: &[Ray],
        max_distance: f32,
        filters: &(impl Filters + ?Sized),
        answers: &mut Vec<Option<RayHit>>,
    ) {
        match filters.common() {
            Some(filter) => self.cast_alike(rays, max_distance, filter, answers),
            None => {
                batch(rays, filters, answers, None, |ray, filter| self.cast_ray(ray, max_distance, filter));
            }
        }
    }

    /// The answers for rays that have a filter in common.
    fn cast_alike(&self, rays: &[Ray], max_distance: f32, filter: &Filter, answers: &mut Vec<Option<RayHit>>) {
        let first = answers.len();
        answers.resize(first + rays.len(), None);
        let objects: usize = self.trees(filter).map(|tree| tree.len()).sum();
        let is_many = rays.len() >= MIN_RAYS && objects >= MIN_OBJECTS;
        let near = Neighbourhood::new(self, filter);
        let width = width_of_lines(&near, rays);
        let each = |(rays, answers): (&[Ray], &mut [_])| {
            if !is_many {
                self.cast_in_packets(rays, max_distance, filter, (&near, width), answers, &mut |number, answers| {
                    answers[number] = self.cast_ray(&rays[number], max_distance, filter);
                });
                return;
            }
            let mut alone = vec![];
            self.cast_in_packets(rays, max_distance, filter, (&near, width), answers, &mut |number, _| {
                alone.push(number)
            });
            if alone.len() >= MIN_RAYS {
                return self.cast_together(&alone, rays, max_distance, filter, answers);
            }
            for number in alone {
                answers[number] = self.cast_ray(&rays[number], max_distance, filter);
            }
        };
        #[cfg(feature = "parallel")]
        if rayon::current_num_threads() > 1 {
            use rayon::prelude::*;
            let chunk = if is_many {
                rays.len().div_ceil(2 * rayon::current_num_threads()).clamp(MIN_CHUNK, CHUNK)
            } else {
                PART
            };
            let threads = 2 * rayon::current_num_threads();
            let band = width.map(|width| SIDE * width).filter(|band| band * threads <= rays.len());
            let chunk = band.map_or(chunk, |band| chunk.next_multiple_of(band));
            return rays.par_chunks(chunk).zip(answers[first..].par_chunks_mut(chunk)).for_each(each);
        }
        rays.chunks(CHUNK).zip(answers[first..].chunks_mut(CHUNK)).for_each(each);
    }

    /// Answers the rays that go in packets; calls `alone` with the numbers of the others, and with the answers. If the
    /// rays form an image whose scanlines have a known `width`, its tiles are the packets.
    fn cast_in_packets(
        &self,
        rays: &[Ray],
        max_distance: f32,
        filter: &Filter,
        (near, width): (&Neighbourhood, Option<usize>),
        answers: &mut [Option<RayHit>],
        alone: &mut dyn FnMut(usize, &mut [Option<RayHit>]),
    ) {
        let (mut room, mut next) = (Room::default(), 0);
        let mut cast_line = |room: &mut Room, range: Range<usize>, answers: &mut [Option<RayHit>]| {
            let mut next = range.start;
            // Among scattered rays, a packet is looked for less and less often.
            let mut scattered = 1;
            while next < range.end {
                let end = next + near.packet_of(&rays[next..range.end]);
                let answer = |lane: usize, hit: RayHit| answers[next + lane] = Some(hit);
                if end > next && self.cast_packet(room, &rays[next..end], None, max_distance, filter, answer) {
                    (next, scattered) = (end, 1);
                    continue;
                }
                let end = end.max(next + scattered).min(range.end);
                scattered = (2 * scattered).min(Packet::MAX);
                (next..end).for_each(|number| alone(number, answers));
                next = end;
            }
        };
        if let Some(width) = width {
            while near.is_band(&rays[next..], width) {
                let columns = width - width % SIDE;
                for first in (next..next + columns).step_by(SIDE) {
                    let tile = RayTile { first, width };
                    let answer = |lane: usize, hit: RayHit| answers[tile.number(lane)] = Some(hit);
                    if !self.cast_packet(&mut room, &tile.rays(rays), Some(near), max_distance, filter, answer) {
                        for start in (0..SIDE).map(|line| first + line * width) {
                            cast_line(&mut room, start..start + SIDE, answers);
                        }
                    }
                }
                for line in 0..SIDE {
                    let start = next + line * width;
                    cast_line(&mut room, start + columns..start + width, answers);
                }
                next += SIDE * width;
            }
        }
        cast_line(&mut room, next..rays.len(), answers);
    }

    fn cast_together(
        &self,
        numbers: &[usize],
        rays: &[Ray],
        max_distance: f32,
        filter: &Filter,
        answers: &mut [Option<RayHit>],
    ) {
        let tracked = numbers
            .iter()
            .filter_map(|&number| Some(Tracked { path: rays[number].path(max_distance)?, best: None, number }));
        let mut tracked: Vec<Tracked> = tracked.collect();
        let mut probes: Vec<Probe> = tracked.iter().map(|ray| Probe::ray(&rays[ray.number], max_distance)).collect();
        for (key, entry) in self.planes().filter(|(_, entry)| filter.accepts_plane(entry.layers)) {
            for Tracked { path, best, .. } in &mut tracked {
                if let Some(crossing) = crossing_of_plane(entry, path) {
                    Found { target: key.into(), part: 0, surface: 0, crossing }.keep_first(best);
                }
            }
        }
        for tree in self.trees(filter) {
            for (ray, probe) in tracked.iter().zip(&mut probes) {
                *probe = at_most(probe, ray.limit()).into_owned();
            }
            tree.cast_batch(&probes, filter.mask(), |i, leaf, _| {
                let ray = &mut tracked[i];
                let limit = ray.limit();
                self.crossings_of_object(
                    leaf,
                    &ray.path,
                    || Some(at_most(&probes[i], limit)),
                    filter,
                    |found| found.keep_first(&mut ray.best),
                )
            });
        }
        for Tracked { path, best, number } in tracked {
            answers[number] = best.map(|found| found.ray_hit(&path));
        }
    }
}
