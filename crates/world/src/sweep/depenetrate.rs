//! The shortest way out of what a body penetrates.
//!
//! Mostly a push out of the deepest overlap, and then out of the next deepest, leads out. If it does not, or leads
//! farther than the overlaps are deep, the shortest way is searched for. A body leaves a convex solid through one of
//! the half-spaces that support the Minkowski sum of the two; with one of these chosen for each solid, the nearest
//! point of their intersection is a way. Solids are considered one after another, as the way so far runs into them,
//! shortest ways first, so the first way that is free is the shortest of all:
//!
//! ```text
//!   start ─ n₁·x >= d₁ ─ n₁·x >= d₁, m₁·x >= e₁          a node for each choice of half-spaces,
//!         └ n₂·x >= d₂ ─ …                               its length |x| for the least such x
//! ```
//! Sources: Land and Doig 1960 (branch and bound); the least x by enumeration of the faces, edges and corners that it
//! may lie on.

use crate::{
    CharacterBody, Filter, World,
    shape::Convex,
    sweep::{candidates::Obstacle, origin::Origin, slide::Slides, swept_shape::SweepingShape},
    tuning,
};
use cullide_narrowphase::{
    Capsule, Gap, Obb, Sphere,
    glam::{DVec3, Vec3},
};
use std::{cmp::Ordering, collections::BinaryHeap};

/// A body that can be pushed out of things.
pub(crate) trait Recovers: SweepingShape {
    /// The ways of one of its parts out of a shape; see [`Exits`](cullide_narrowphase::Exits).
    fn exits(&self, part: u32, shape: Convex, visit: &mut dyn FnMut(Gap));
    /// The part of it that is deepest in a shape.
    fn deepest_part(&self, _shape: Convex) -> u32 {
        0
    }
}

impl Recovers for Obb {
    fn exits(&self, _part: u32, shape: Convex, visit: &mut dyn FnMut(Gap)) {
        shape.solid().exits(self, visit);
    }
}

impl Recovers for Sphere {
    fn exits(&self, _part: u32, shape: Convex, visit: &mut dyn FnMut(Gap)) {
        shape.solid().exits_of_sphere(self, visit);
    }
}

impl Recovers for Capsule {
    fn exits(&self, _part: u32, shape: Convex, visit: &mut dyn FnMut(Gap)) {
        shape.solid().exits_of_capsule(self, visit);
    }
}

impl World {
    /// Returns a place near a body's own at which it overlaps nothing: the centre of a box, a ball or a capsule, the
    /// position of a [`MovingShape`](crate::MovingShape). It is its own, bit for bit, if a sweep without motion reports no
    /// overlap there, however close the fit. One thing is always left, by the shortest way. Several
    /// are left whenever there is a way no longer than the sum of the depths of the overlaps and a tenth of the body's
    /// size; longer ways may or may not be found. Returns `None` if none was found, as between walls closer together
    /// than the body is wide.
    ///
    /// Meshes are surfaces: one that is met from both sides is left by the shorter way, to the side of the body's
    /// centre, even if that is the inside of a closed mesh. A body that was pressed into it therefore gets out where it
    /// came from; but in a wall of a mesh that is thinner than the body is wide there is no room, and the body stays, as
    /// between walls.
    ///
    /// The search is bounded: amid dozens of things at once it may give up. It does where more than 2,048 parts (the
    /// triangles of meshes and terrains, the children of compounds, planes and other objects) have boxes that touch that
    /// of the body, unless it soon turns out that the body overlaps none of them. Of two hulls with very many edges, and of
    /// what is round in a [`MovingShape`](crate::MovingShape), not all ways out are considered: where several things
    /// overlap, the one that is found may then be longer than the shortest.
    ///
    /// ```
    /// # use cullide_world::{Filter, MovingShape, World, narrowphase::{Hull, Obb, Plane}, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
    /// let body = Obb::new(Vec3::Y * 1.5, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
    /// assert_eq!(world.depenetrate(&body, &Filter::ALL), Some(Vec3::Y * 2.0));
    /// let rock = Hull::new(&[Vec3::NEG_Y * 2.0, Vec3::Y * 4.0, Vec3::X * 3.0, Vec3::Z * 3.0])?;
    /// assert_eq!(world.depenetrate(&MovingShape::new(rock, Vec3::ZERO)?, &Filter::ALL), Some(Vec3::Y * 2.0));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn depenetrate(&self, body: &impl CharacterBody, filter: &Filter) -> Option<Vec3> {
        body.depenetrated(self, filter)
    }

    /// Whether a body overlaps nothing, as sweeps report it: it need not leave what it touches, even within rounding.
    fn is_free<B: Slides>(&self, body: &B, filter: &Filter) -> bool {
        body.swept(self, Vec3::ZERO, filter).is_some_and(|swept| swept.overlap.is_none())
    }

    /// Returns the body at the nearest place where it overlaps nothing.
    pub(crate) fn recovered<B: Slides>(&self, body: &B, filter: &Filter) -> Option<B> {
        self.recovered_by(body, filter, &mut |end| Some(*end))
    }

    /// The same, if not every free place can be reached: `reach` returns where a body gets on its way to one.
    pub(crate) fn recovered_by<B: Slides>(
        &self,
        body: &B,
        filter: &Filter,
        reach: &mut dyn FnMut(&B) -> Option<B>,
    ) -> Option<B> {
        let (origin, mut parts) = (Origin::Pushed(body), tuning::DEPENETRATE_NEAR);
        if !self.is_few(body, origin, filter, &mut parts) {
            let stays = !self.may_overlap(body, origin, filter) && self.is_free(body, filter);
            return stays.then_some(*body);
        }
        let Some((deepest, _)) = self.deepest(body, origin, filter) else { return Some(*body) };
        if deepest.required_push() == 0.0 || self.is_free(body, filter) {
            return Some(*body);
        }
        parts += tuning::DEPENETRATE_MORE;
        let mut may_look = |end: &B| end.center() == body.center() || self.is_few(end, origin, filter, &mut parts);
        let pushed = self.push_out_while(body, origin, filter, tuning::DEPENETRATE_ROUNDS, &mut may_look);
        let pushed = pushed.and_then(|end| reach(&end));
        // Rounding may take it a few steps of f32 farther.
        let is_near = |end: &B, depth: f64| {
            let way = end.center().as_dvec3() - body.center().as_dvec3();
            way.length() <= 1.001 * depth + 4.0 * step_of_rounding(body, 0.0)
        };
        if pushed.is_some_and(|end| is_near(&end, deepest.required_push())) {
            return pushed;
        }
        if !self.is_few(body, origin, filter, &mut parts) {
            return pushed;
        }
        let mut depths = 0.0;
        self.penetrations(body, origin, filter, &mut |gap, _| depths += gap.required_push());
        let near = pushed.filter(|end| is_near(end, depths));
        near.or_else(|| ExitSearch::new(self, body, filter, depths, parts).run(reach)).or(pushed)
    }
}

/// An upper bound on a step of `f32` at any coordinate of a body that moves this far.
fn step_of_rounding(body: &impl SweepingShape, way: f64) -> f64 {
    let size = (body.center().abs() + body.spread()).max_element();
    f64::from(f32::EPSILON) * (f64::from(size) + way) + f64::from(f32::MIN_POSITIVE)
}

/// Displacements along `normal` by at least `depth`.
#[derive(Clone, Copy, Debug)]
struct HalfSpace {
    normal: DVec3,
    depth: f64,
}

/// As many products with half-spaces take the time of a part.
const PRODUCTS: usize = 256;

/// A way that leads through some half-spaces.
struct SearchNode {
    displacement: DVec3,
    /// Nodes of the same length are taken in the order in which they were found.
    number: usize,
    chosen: Vec<HalfSpace>,
}

/// A search for the shortest way out.
struct ExitSearch<'a, B> {
    world: &'a World,
    filter: &'a Filter<'a>,
    body: &'a B,
    /// Longer ways do not count.
    longest: f64,
    /// A body that is apart from a thing by this much in `f64` is also apart from it as rounded to `f32`.
    margin: f64,
    /// The number of parts near the places that it may still consider.
    parts: usize,
    found: usize,
    open: BinaryHeap<SearchNode>,
    /// The ways of a part of the body out of things, relative to the start.
    exits: Vec<((Obstacle, u32), Vec<HalfSpace>)>,
}

impl<'a, B: Slides> ExitSearch<'a, B> {
    fn new(world: &'a World, body: &'a B, filter: &'a Filter<'a>, depths: f64, parts: usize) -> Self {
        let size = 2.0 * f64::from(body.extents().length());
        let longest = depths + 0.1 * size;
        let margin = step_of_rounding(body, longest);
        let start = SearchNode { displacement: DVec3::ZERO, number: 0, chosen: Vec::new() };
        let open = BinaryHeap::from([start]);
        Self { world, filter, body, longest, margin, parts, found: 1, open, exits: Vec::new() }
    }

    /// Returns where the body gets on its way to the nearest free place that can be reached.
    fn run(mut self, reach: &mut dyn FnMut(&B) -> Option<B>) -> Option<B> {
        for _ in 0..tuning::DEPENETRATE_NODES {
            let node = self.open.pop()?;
            let center = (self.body.center().as_dvec3() + node.displacement).as_vec3();
            let Some(body) = self.body.at(center) else { continue };
            if !self.world.is_few(&body, Origin::Pushed(self.body), self.filter, &mut self.parts) {
                return None;
            }
            let deepest = self.world.deepest(&body, Origin::Pushed(self.body), self.filter);
            // The body may be within rounding of what it only touches.
            let overlapped = deepest.filter(|(gap, _)| gap.separation < 0.0 || !self.world.is_free(&body, self.filter));
            match overlapped {
                Some((gap, target)) => self.branch(&node, &body, &gap, target),
                None => match reach(&body) {
                    Some(reached) => return Some(reached),
                    None => continue,
                },
            }
        }
        None
    }

    /// Adds a node for each way out of the thing in which the body is deepest at the end of a way.
    fn branch(&mut self, node: &SearchNode, body: &B, gap: &Gap, target: Obstacle) {
        let way = body.center().as_dvec3() - self.body.center().as_dvec3();
        // For something round, the nearest way out from here.
        let nearest = HalfSpace { normal: gap.normal, depth: gap.normal.dot(way) + gap.required_push() + self.margin };
        let exits = self.exits_of(target, body);
        let chosen = node.chosen.len() + 1;
        self.parts = self.parts.saturating_sub(self.exits[exits].1.len() * chosen * chosen * chosen / PRODUCTS);
        for exit in (0..self.exits[exits].1.len()).map(|i| self.exits[exits].1[i]).chain([nearest]) {
            if exit.depth > self.longest {
                continue;
            }
            let Some(displacement) = least(&node.chosen, &exit, 0.001 * self.margin) else { continue };
            // An exit that changes nothing does not lead out.
            if displacement.length() > self.longest || exit.normal.dot(node.displacement) >= exit.depth {
                continue;
            }
            let mut chosen = node.chosen.clone();
            chosen.push(exit);
            self.open.push(SearchNode { displacement, number: self.found, chosen });
            self.found += 1;
        }
    }

    /// The index of the list of ways out of a thing; the list is empty for a plane, which has only the nearest.
    fn exits_of(&mut self, target: Obstacle, body: &B) -> usize {
        let shape = self.world.convex(target);
        let own = shape.map_or(0, |shape| body.deepest_part(shape));
        if let Some(known) = self.exits.iter().position(|(of, _)| *of == (target, own)) {
            return known;
        }
        let (mut exits, margin) = (Vec::new(), self.margin);
        if let Some(shape) = shape {
            let mut visit = |gap: Gap| exits.push(HalfSpace { normal: gap.normal, depth: margin - gap.certain() });
            self.body.exits(own, shape, &mut visit);
        }
        self.exits.push(((target, own), exits));
        self.exits.len() - 1
    }
}

impl Ord for SearchNode {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |node: &Self| node.displacement.length_squared();
        // The heap gives the greatest first.
        key(other).total_cmp(&key(self)).then(other.number.cmp(&self.number))
    }
}

impl PartialOrd for SearchNode {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for SearchNode {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for SearchNode {}

/// The least displacement that lies in some half-spaces and in a new one, in which the least for those alone does not
/// lie: it is on the boundary of the new one, and on those of none, one or two of the others.
fn least(chosen: &[HalfSpace], new: &HalfSpace, tolerance: f64) -> Option<DVec3> {
    let lies_in_all = |x: &DVec3| chosen.iter().all(|h| h.normal.dot(*x) >= h.depth - tolerance);
    let mut least: Option<DVec3> = None;
    let mut offer = |x: DVec3| {
        let is_less = least.is_none_or(|least| x.length_squared() < least.length_squared());
        if is_less && x.is_finite() && lies_in_all(&x) {
            least = Some(x);
        }
    };
    offer(new.normal * new.depth);
    for other in chosen {
        on_edge(new, other).into_iter().for_each(&mut offer);
    }
    for (i, a) in chosen.iter().enumerate() {
        for b in &chosen[i + 1..] {
            on_corner(new, a, b).into_iter().for_each(&mut offer);
        }
    }
    least
}

/// The least displacement on two boundaries.
fn on_edge(a: &HalfSpace, b: &HalfSpace) -> Option<DVec3> {
    let cosine = a.normal.dot(b.normal);
    let sine_squared = a.normal.cross(b.normal).length_squared();
    (sine_squared > 0.0).then(|| {
        let (p, q) = (a.depth - cosine * b.depth, b.depth - cosine * a.depth);
        (a.normal * p + b.normal * q) / sine_squared
    })
}

/// The displacement on three boundaries.
fn on_corner(a: &HalfSpace, b: &HalfSpace, c: &HalfSpace) -> Option<DVec3> {
    let (bc, ca, ab) = (b.normal.cross(c.normal), c.normal.cross(a.normal), a.normal.cross(b.normal));
    let volume = a.normal.dot(bc);
    (volume != 0.0).then(|| (bc * a.depth + ca * b.depth + ab * c.depth) / volume)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half_space(normal: DVec3, depth: f64) -> HalfSpace {
        HalfSpace { normal: normal.normalize(), depth }
    }

    #[test]
    fn the_least_displacement_lies_on_a_face_an_edge_or_a_corner() {
        let (x, y, z) = (half_space(DVec3::X, 2.0), half_space(DVec3::Y, 3.0), half_space(DVec3::Z, 5.0));
        assert_eq!(least(&[], &x, 0.0), Some(DVec3::X * 2.0));
        assert_eq!(least(&[x], &y, 0.0), Some(DVec3::new(2.0, 3.0, 0.0)));
        assert_eq!(least(&[x, y], &z, 0.0), Some(DVec3::new(2.0, 3.0, 5.0)));
        // Out of a slanted one, the way leads past the first altogether.
        let slanted = half_space(DVec3::new(1.0, 1.0, 0.0), 8.0);
        let found = least(&[x], &slanted, 0.0).unwrap();
        assert!(found.distance(DVec3::new(1.0, 1.0, 0.0).normalize() * 8.0) < 1e-12, "{found}");
        // Two that face each other leave no way out between them.
        assert_eq!(least(&[x], &half_space(DVec3::NEG_X, -1.0), 0.0), None);
    }
}
