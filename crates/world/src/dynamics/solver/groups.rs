//! Contacts in groups of eight, no two of which share a body that moves, and passes over these groups.

use super::{
    cluster::ClusterOrigin,
    contact::{Bodies, Lane, Limits, PassOrder, Since, SolverBody, WideContact},
    first_touch::PredictedContact,
    lanes::{LANES, Level, Row, vectorized},
};
use crate::contact::Impulses;
use cullide_narrowphase::Mapped;
use std::ops::Range;

/// Contacts in groups of eight, and where each comes from.
#[derive(Clone, Debug, Default)]
pub(super) struct ContactGroups {
    wide: Vec<WideContact>,
    /// Groups of contacts of bodies that lie under much heavier ones.
    loaded: Vec<u32>,
    /// Groups of contacts of bodies that hit each other in this sub-step.
    hits: Vec<u32>,
    sources: Vec<[Source; LANES]>,
    /// Where contacts are that are not known before the step, in ascending order of their sources.
    touches: Vec<(Source, PredictedContact)>,
    /// The origins of contacts that stand for several.
    clusters: Vec<ClusterOrigin>,
    /// Groups that still have a free lane, by how many points their contacts have: see [`CLASS_OF`].
    open: [Vec<OpenGroup>; CLASSES],
    /// For each row, the open groups that it is in, one bit each.
    in_open: Vec<[u32; CLASSES]>,
}

/// A group that still has a free lane.
#[derive(Clone, Copy, Debug)]
struct OpenGroup {
    /// [`NONE`] if there is none.
    group: u32,
    used: usize,
}

/// A pair and one of its parts; from [`CLUSTER`] on, one of [`ContactGroups::clusters`] instead of a part.
pub(super) type Source = (u32, u32);

/// No pair has this many parts.
const CLUSTER: u32 = 1 << 31;

/// No contact, or no group.
const NONE: u32 = u32::MAX;

/// The number of groups of a class that are filled at a time.
const OPEN: usize = 24;

/// Contacts with the same number of points are solved together, so that no lane waits for points that it does not have.
const CLASSES: usize = 4;

/// The class of contacts of bodies that lie under much heavier ones.
const LOADED: usize = 3;

/// How often a pass repeats these: what the ground does to a light body changes the velocity of a heavy one on top of
/// it only by the ratio of their masses each time. The same for several impacts on solids, as on tiles, each of which
/// takes what is left by the others; on bumps of triangles that would make what lands turn more.
const AGAIN: usize = 4;

/// The classes of other contacts, of one to four points.
const CLASS_OF: [usize; 4] = [0, 1, 2, 2];

impl ContactGroups {
    pub(super) fn clear(&mut self, rows: usize) {
        self.wide.clear();
        self.loaded.clear();
        self.sources.clear();
        self.touches.clear();
        self.clusters.clear();
        self.open.iter_mut().for_each(Vec::clear);
        self.in_open.clear();
        self.in_open.resize(rows, [0; CLASSES]);
    }

    /// Adds a contact to the first open group of its class that contains neither of its bodies; `moves` says which of
    /// them move.
    fn push(&mut self, lane: &Lane, rows: [u32; 2], moves: [bool; 2], source: Source, is_loaded: bool) {
        let class = if is_loaded { LOADED } else { CLASS_OF[lane.points.len().clamp(1, 4) - 1] };
        let [a, b] = rows.mapped(|row| row as usize);
        let groups_of = |row: usize, moves: bool| if moves { self.in_open[row][class] } else { 0 };
        let mut place = (groups_of(a, moves[0]) | groups_of(b, moves[1])).trailing_ones() as usize;
        if place >= OPEN {
            // All of them contain one: the fullest is closed.
            place = (0..OPEN).max_by_key(|&place| (self.open[class][place].used, OPEN - place)).unwrap_or(0);
            self.close(class, place);
        }
        if place >= self.open[class].len() {
            place = self.open[class].len();
            self.open[class].push(OpenGroup { group: NONE, used: 0 });
        }
        if self.open[class][place].group == NONE {
            self.open[class][place] = OpenGroup { group: self.wide.len() as u32, used: 0 };
            if is_loaded {
                self.loaded.push(self.wide.len() as u32);
            }
            self.wide.extend_from_slice(&[WideContact::empty(is_loaded)]);
            self.sources.push([(NONE, NONE); LANES]);
        }
        let open = &mut self.open[class][place];
        let (group, used) = (open.group as usize, open.used);
        open.used += 1;
        self.wide[group].set(used, lane, rows);
        self.sources[group][used] = source;
        for (row, moves) in [(a, moves[0]), (b, moves[1])] {
            if moves {
                self.in_open[row][class] |= 1 << place;
            }
        }
        if used + 1 == LANES {
            self.close(class, place);
        }
    }

    /// Closes the group at a place to further contacts.
    fn close(&mut self, class: usize, place: usize) {
        let closed = std::mem::replace(&mut self.open[class][place], OpenGroup { group: NONE, used: 0 });
        if let Some(wide) = self.wide.get(closed.group as usize) {
            for row in wide.rows() {
                self.in_open[row][class] &= !(1 << place);
            }
        }
    }
}

/// The contacts of a block, or between blocks, while they are added.
pub(super) struct GroupsOfBlock<'a> {
    pub(super) groups: &'a mut ContactGroups,
    /// The first row of the block.
    pub(super) first: usize,
}

impl GroupsOfBlock<'_> {
    /// The row of fixed things.
    pub(super) fn fixed_row(&self) -> u32 {
        self.first as u32
    }

    /// Adds a contact; `moves` says which of the two it may move, and [`ContactGroups::impulses`] refers to it by `source`.
    pub(super) fn add(&mut self, lane: &Lane, moves: [bool; 2], source: Source, is_loaded: bool) {
        self.groups.push(lane, lane.bodies.mapped(|row| row - self.first as u32), moves, source, is_loaded);
    }

    /// Says where the contact with this source, the last one that was added, will be.
    pub(super) fn tell(&mut self, source: Source, touch: PredictedContact) {
        self.groups.touches.push((source, touch));
    }

    /// Adds a contact that stands for several contacts of a pair.
    pub(super) fn add_cluster(
        &mut self,
        lane: &Lane,
        moves: [bool; 2],
        pair: u32,
        origin: ClusterOrigin,
        is_loaded: bool,
    ) {
        if let Some(part) = origin.only_part() {
            return self.add(lane, moves, (pair, part), is_loaded);
        }
        let clusters = &mut self.groups.clusters;
        clusters.push(origin);
        let part = CLUSTER + (clusters.len() - 1) as u32;
        self.add(lane, moves, (pair, part), is_loaded);
    }
}

impl ContactGroups {
    pub(super) fn prepare(&mut self, level: Level, bodies: &Bodies, limits: &Limits) {
        vectorized!(level, simd => for wide in &mut self.wide {
            wide.prepare(simd, bodies, limits);
        });
    }

    pub(super) fn warm_start(&self, level: Level, velocities: &mut [Row]) {
        vectorized!(level, simd => for wide in &self.wide {
            wide.warm_start(simd, velocities);
        });
    }

    pub(super) fn solve(&mut self, level: Level, bodies: &mut Bodies, limits: &Limits, since: Since, order: PassOrder) {
        let Self { wide, loaded, hits, .. } = self;
        hits.clear();
        // Each of the two calls of `solve` is compiled for each instruction set.
        match order {
            PassOrder::Forward => vectorized!(level, simd => {
                for round in 0..=2 * AGAIN {
                    let (since, count) = match round {
                        0 => (since, wide.len()),
                        1..=AGAIN => (Since::Pushed, loaded.len()),
                        _ => (Since::Pushed, if hits.len() > 1 { hits.len() } else { 0 }),
                    };
                    for i in 0..count {
                        let group = match round {
                            0 => i as u32,
                            1..=AGAIN => loaded[i],
                            _ => hits[i],
                        };
                        let wide = &mut wide[group as usize];
                        if round > AGAIN && !wide.is_of_solids() {
                            continue;
                        }
                        if wide.solve(simd, bodies, limits, since, PassOrder::Forward) && round == 0 {
                            hits.push(group);
                        }
                    }
                }
                for &i in &*hits {
                    wide[i as usize].keep(simd, bodies.without, limits);
                }
            }),
            PassOrder::Backward => vectorized!(level, simd => {
                for round in 0..=AGAIN {
                    let (since, count) = if round == 0 { (since, wide.len()) } else { (Since::Pushed, loaded.len()) };
                    for i in (0..count).rev() {
                        let wide = &mut wide[if round == 0 { i } else { loaded[i] as usize }];
                        if round == 0 {
                            wide.hold();
                        }
                        wide.solve(simd, bodies, limits, since, PassOrder::Backward);
                    }
                }
            }),
        }
    }

    pub(super) fn separate(&mut self, level: Level, moved: &mut [Row], limits: &Limits) {
        vectorized!(level, simd => for wide in &mut self.wide {
            wide.separate(simd, moved, limits);
        });
    }

    /// `own` are the bodies as they were before the step.
    pub(super) fn rebound(&mut self, level: Level, own: &[SolverBody], velocities: &mut [Row], threshold: f32) {
        vectorized!(level, simd => {
            for wide in &mut self.wide {
                if wide.rebounds() {
                    wide.rebound(simd, own, velocities, threshold);
                }
            }
        });
    }

    /// Calls `visit` with the source of each contact of these pairs, its impulses, whether they have stopped an approach
    /// faster than `speed`, and where it is if it was not known before.
    pub(super) fn impulses(
        &self,
        pairs: &Range<u32>,
        speed: f32,
        visit: &mut impl FnMut(Source, Impulses, bool, Option<&PredictedContact>),
    ) {
        for (wide, sources) in self.wide.iter().zip(&self.sources) {
            for (i, &source) in sources.iter().enumerate().filter(|(_, source)| pairs.contains(&source.0)) {
                let ((pair, part), is_hit) = (source, wide.is_hit(i, speed));
                match part.checked_sub(CLUSTER).map(|cluster| &self.clusters[cluster as usize]) {
                    None => {
                        let known = self.touches.binary_search_by_key(&source, |(source, _)| *source);
                        visit(source, wide.impulses(i), is_hit, known.ok().map(|at| &self.touches[at].1));
                    }
                    Some(cluster) => {
                        cluster.split(&wide.impulses(i), |part, own| visit((pair, part), own, is_hit, None));
                    }
                }
            }
        }
    }
}
