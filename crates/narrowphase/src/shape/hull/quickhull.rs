//! The triangles of the convex hull of points, found by repeatedly adding the farthest point outside a triangle.
//!
//! Every outside point waits in the list of one triangle whose plane it lies in front of. An added point, the apex,
//! sees the triangles whose planes it lies in front of. These are removed, and the closed chain of edges around them,
//! the horizon, forms a fan of new triangles with the apex:
//!
//! ```text
//!        ● apex
//!       ╱│╲                 seen: the apex lies strictly before the plane
//!      ╱ │ ╲  fan           kept: behind it or in it, so that no new triangle is flat:
//!     ●──●──●  horizon      an apex in line with an edge lies in the planes of both sides
//!      kept
//! ```
//! All signs are exact, so after each step the surface is that of a convex solid, whatever the points: triangles of one
//! plane are seen together or not at all. A point that waited for a removed triangle, and that no triangle of the fan
//! sees, is inside for good: otherwise the triangles that it sees, which are connected, would lie on both sides of some
//! edge of the horizon, and it would see the triangle of the fan there, too.
//!
//! Source: Barber, Dobkin and Huhdanpaa, "The Quickhull Algorithm for Convex Hulls", 1996. Cost: `n log n` where the
//! lists split evenly, as they do for points of any natural distribution; one waiting point costs `log k` in a fan of
//! `k` (see [`HullSurface::seen_in`]).

use crate::{
    arrays::Mapped,
    exact::orientation::{HEIGHT_ERROR, cross, orientation},
};
use glam::{DVec3, Vec3};
use std::{
    cmp::Ordering::{self, Equal, Greater, Less},
    collections::VecDeque,
};

/// The end of a list of points.
const END: u32 = u32::MAX;

/// From this many triangles on, 4096, a hull is large: a few hundred kilobytes.
const LARGE: usize = 1 << 12;

/// A triangle of a closed surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct HullFacet {
    /// Indices of its points, counter-clockwise when seen from outside.
    pub(super) corners: [u32; 3],
    /// The triangles across its edges: from corner 0 to 1, from 1 to 2, from 2 to 0.
    pub(super) neighbours: [u32; 3],
    /// Of any length.
    normal: DVec3,
    /// A bound on the error of a point's height above it, times the length of the normal.
    error: f64,
    /// The list of points that wait for it, and the farthest of them.
    first: u32,
    farthest: u32,
    height: f64,
    state: FacetState,
    is_pending: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FacetState {
    Kept,
    Seen,
    Gone,
}

/// An edge between the triangles that the apex sees and those that it does not.
#[derive(Clone, Copy, Debug)]
struct HorizonEdge {
    from: u32,
    /// The triangle across the edge, which is kept.
    beyond: u32,
}

struct HullSurface<'a> {
    points: &'a [Vec3],
    /// The size of the box around all points.
    extent: DVec3,
    facets: Vec<HullFacet>,
    /// Slots of removed triangles.
    free: Vec<u32>,
    /// Triangles for which points wait, and some that were removed since.
    pending: VecDeque<u32>,
    /// For each point, the next one that waits for the same triangle.
    next: Vec<u32>,
}

/// The triangles of the hull of `points`, starting from `simplex`, the indices of four that span a solid. Triangles may
/// share a plane, and corners may lie inside an edge or a face.
pub(super) fn quickhull(points: &[Vec3], simplex: [u32; 4]) -> Vec<HullFacet> {
    let mut surface = HullSurface::new(points, simplex);
    let (mut seen, mut horizon, mut fan) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(facet) = surface.next_pending() {
        surface.facets[facet as usize].is_pending = false;
        if surface.facets[facet as usize].state == FacetState::Gone {
            surface.free.push(facet);
            continue;
        }
        let apex = surface.facets[facet as usize].farthest;
        surface.find_horizon(facet, apex, &mut seen, &mut horizon);
        surface.add_fan(apex, &horizon, &mut fan);
        surface.remove(&seen, apex, &fan);
        for &facet in &fan {
            if surface.facets[facet as usize].first != END {
                surface.facets[facet as usize].is_pending = true;
                surface.pending.push_back(facet);
            }
        }
    }
    surface.compact()
}

impl<'a> HullSurface<'a> {
    /// The surface of the first four points, with all others in the lists of its triangles.
    fn new(points: &'a [Vec3], [a, b, c, d]: [u32; 4]) -> Self {
        let (min, max) = points.iter().fold((points[0], points[0]), |(min, max), &p| (min.min(p), max.max(p)));
        let mut surface = Self {
            points,
            extent: max.as_dvec3() - min.as_dvec3(),
            facets: Vec::new(),
            free: Vec::new(),
            pending: VecDeque::new(),
            next: vec![END; points.len()],
        };
        for (corners, neighbours) in
            [([a, b, c], [1, 2, 3]), ([a, d, b], [3, 2, 0]), ([b, d, c], [1, 3, 0]), ([c, d, a], [2, 1, 0])]
        {
            let facet = surface.facet(corners, neighbours);
            surface.facets.push(facet);
        }
        for point in (0..points.len() as u32).filter(|point| ![a, b, c, d].contains(point)) {
            if let Some(height) = (0..4).find_map(|facet| Some((facet, surface.height_before(facet, point)?))) {
                surface.wait(height.0, point, height.1);
            }
        }
        for facet in (0..4u32).filter(|&facet| surface.facets[facet as usize].first != END).collect::<Vec<_>>() {
            surface.facets[facet as usize].is_pending = true;
            surface.pending.push_back(facet);
        }
        surface
    }

    /// The triangle to continue with: the oldest, so that the hull grows evenly, or, once the hull is large, the
    /// newest, whose surroundings are in the cache.
    fn next_pending(&mut self) -> Option<u32> {
        if self.facets.len() < LARGE { self.pending.pop_front() } else { self.pending.pop_back() }
    }

    fn at(&self, point: u32) -> DVec3 {
        self.points[point as usize].as_dvec3()
    }

    fn facet(&self, corners: [u32; 3], neighbours: [u32; 3]) -> HullFacet {
        let [a, b, c] = corners.mapped(|corner| self.at(corner));
        let (normal, permanent) = cross(b - a, c - a);
        let error = HEIGHT_ERROR * permanent.dot(self.extent);
        let (first, farthest, height) = (END, END, f64::NEG_INFINITY);
        HullFacet {
            corners,
            neighbours,
            normal,
            error,
            first,
            farthest,
            height,
            state: FacetState::Kept,
            is_pending: false,
        }
    }

    /// On which side of a triangle's plane a point lies, exactly, and its rounded height times the normal's length.
    fn side(&self, facet: u32, point: u32) -> (Ordering, f64) {
        let facet = &self.facets[facet as usize];
        let point = self.at(point);
        let height = facet.normal.dot(point - self.at(facet.corners[0]));
        if height.abs() > facet.error {
            return (if height > 0.0 { Greater } else { Less }, height);
        }
        (orientation(facet.corners.mapped(|corner| self.at(corner)), point), height)
    }

    fn height_before(&self, facet: u32, point: u32) -> Option<f64> {
        let (side, height) = self.side(facet, point);
        (side == Greater).then_some(height)
    }

    /// Puts a point into the list of a triangle.
    fn wait(&mut self, facet: u32, point: u32, height: f64) {
        let facet = &mut self.facets[facet as usize];
        self.next[point as usize] = facet.first;
        facet.first = point;
        if height > facet.height {
            (facet.farthest, facet.height) = (point, height);
        }
    }

    /// Finds the triangles that the apex sees, one of which is `start`, and the edges around them, counter-clockwise.
    fn find_horizon(&mut self, start: u32, apex: u32, seen: &mut Vec<u32>, horizon: &mut Vec<HorizonEdge>) {
        seen.clear();
        seen.push(start);
        self.facets[start as usize].state = FacetState::Seen;
        let (mut facet, mut edge) = (start, 0);
        let mut visited = 0;
        while let Some(&current) = seen.get(visited) {
            visited += 1;
            for (i, neighbour) in self.facets[current as usize].neighbours.into_iter().enumerate() {
                if self.facets[neighbour as usize].state == FacetState::Seen {
                    continue;
                }
                if self.height_before(neighbour, apex).is_some() {
                    self.facets[neighbour as usize].state = FacetState::Seen;
                    seen.push(neighbour);
                } else {
                    (facet, edge) = (current, i);
                }
            }
        }
        // Walks around on the seen side: at the end of each edge, across all triangles that meet there.
        horizon.clear();
        let first = (facet, edge);
        loop {
            let HullFacet { corners, neighbours, .. } = self.facets[facet as usize];
            horizon.push(HorizonEdge { from: corners[edge], beyond: neighbours[edge] });
            edge = (edge + 1) % 3;
            loop {
                let neighbour = self.facets[facet as usize].neighbours[edge];
                if self.facets[neighbour as usize].state != FacetState::Seen {
                    break;
                }
                edge = (self.edge_from(neighbour, self.facets[facet as usize].corners[(edge + 1) % 3]) + 1) % 3;
                facet = neighbour;
            }
            if (facet, edge) == first {
                break;
            }
        }
        // A point whose two edges lie in one plane with the apex is not a corner of the cone from the apex: see
        // `seen_in`.
        let from = |i: usize| horizon[i % horizon.len()].from;
        let count = horizon.len();
        let is_corner = |&i: &usize| {
            let plane = [from(i + count - 1), from(i), apex].mapped(|point| self.at(point));
            orientation(plane, self.at(from(i + 1))) != Equal
        };
        if let Some(corner) = (0..count).find(is_corner) {
            horizon.rotate_left(corner);
        }
    }

    /// Which of a triangle's edges starts at a corner.
    fn edge_from(&self, facet: u32, corner: u32) -> usize {
        let corners = self.facets[facet as usize].corners;
        if corners[0] == corner {
            0
        } else if corners[1] == corner {
            1
        } else {
            2
        }
    }

    /// Joins the horizon with the apex.
    fn add_fan(&mut self, apex: u32, horizon: &[HorizonEdge], fan: &mut Vec<u32>) {
        fan.clear();
        for _ in horizon {
            let place = self.free.pop().unwrap_or_else(|| {
                let template = self.facets[0];
                self.facets.push(template);
                self.facets.len() as u32 - 1
            });
            fan.push(place);
        }
        let count = horizon.len();
        for (i, &HorizonEdge { from, beyond }) in horizon.iter().enumerate() {
            let to = horizon[(i + 1) % count].from;
            let neighbours = [beyond, fan[(i + 1) % count], fan[(i + count - 1) % count]];
            self.facets[fan[i] as usize] = self.facet([from, to, apex], neighbours);
            let shared = self.edge_from(beyond, to);
            self.facets[beyond as usize].neighbours[shared] = fan[i];
        }
    }

    /// Removes the triangles that the apex sees. The points that waited for them now wait for the fan, or are inside.
    fn remove(&mut self, seen: &[u32], apex: u32, fan: &[u32]) {
        for &facet in seen {
            let mut point = self.facets[facet as usize].first;
            while point != END {
                let next = self.next[point as usize];
                if point != apex
                    && let Some((facet, height)) = self.seen_in(fan, point)
                {
                    self.wait(facet, point, height);
                }
                point = next;
            }
            self.facets[facet as usize].state = FacetState::Gone;
            // A pending triangle is still in the queue.
            if !self.facets[facet as usize].is_pending {
                self.free.push(facet);
            }
        }
    }

    /// A triangle of the fan whose plane a point lies in front of, and the point's height there.
    ///
    /// The triangles form a convex cone, of which the first and the last share the corner `a`. Between those, planes
    /// through `a`, the apex and one more corner each divide the space: a point that neither the first triangle nor the
    /// last sees lies between two of these planes, and then in the cone unless the triangle there sees it.
    fn seen_in(&self, fan: &[u32], point: u32) -> Option<(u32, f64)> {
        let (first, last) = (fan[0], fan[fan.len() - 1]);
        let (first_side, height) = self.side(first, point);
        if first_side == Greater {
            return Some((first, height));
        }
        let (last_side, height) = self.side(last, point);
        if last_side == Greater {
            return Some((last, height));
        }
        let [a, _, apex] = self.facets[first as usize].corners;
        if (first_side, last_side) == (Equal, Equal) {
            // On the line through `a` and the apex, and so in the cone unless beyond the apex.
            let (to_a, to_point) = (self.at(a) - self.at(apex), self.at(point) - self.at(apex));
            let is_beyond = (0..3).any(|axis| to_a[axis] * to_point[axis] < 0.0);
            let mut others = fan.iter().filter(|_| is_beyond);
            return others.find_map(|&facet| Some((facet, self.height_before(facet, point)?)));
        }
        let (mut low, mut high) = (1, fan.len() - 1);
        while high - low > 1 {
            let middle = (low + high) / 2;
            let corner = self.facets[fan[middle] as usize].corners[0];
            let plane = [a, corner, apex].mapped(|corner| self.at(corner));
            let side = orientation(plane, self.at(point));
            // Several corners may lie in the plane of the last triangle: the space ends at the first of them.
            if side == Greater || (side, last_side) == (Equal, Equal) { high = middle } else { low = middle }
        }
        Some((fan[low], self.height_before(fan[low], point)?))
    }

    /// The remaining triangles, numbered from 0.
    fn compact(self) -> Vec<HullFacet> {
        let mut places = vec![END; self.facets.len()];
        let mut kept = Vec::new();
        for (place, facet) in places.iter_mut().zip(&self.facets) {
            if facet.state == FacetState::Kept {
                *place = kept.len() as u32;
                kept.push(*facet);
            }
        }
        for facet in &mut kept {
            facet.neighbours = facet.neighbours.mapped(|neighbour| places[neighbour as usize]);
        }
        kept
    }
}
