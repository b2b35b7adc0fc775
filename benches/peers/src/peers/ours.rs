//! `cullide-bvh`.

use crate::{
    peer::{Bounds, Path, Peer, Plane, Reach, Support},
    pool::pinned,
};
use cullide_bvh::{
    ALL, Bvh, Leaf, Probe,
    narrowphase::{self, Aabb, Ray, Segment, glam::Vec3},
};
use rayon::ThreadPool;
use std::{cell::RefCell, ops::ControlFlow, sync::OnceLock};

/// A tree over the boxes, built on the given number of threads.
pub struct Builder {
    name: String,
    boxes: Vec<Aabb>,
    pool: &'static ThreadPool,
    tree: Bvh,
}

/// The threads that build and query: started once, as in a game, not once per run. A thread gets its memory from the
/// system piece by piece.
fn pool(threads: usize) -> &'static ThreadPool {
    static ONE: OnceLock<ThreadPool> = OnceLock::new();
    static MANY: OnceLock<ThreadPool> = OnceLock::new();
    let pool = if threads == 1 { &ONE } else { &MANY };
    pool.get_or_init(|| pinned(threads))
}

impl Builder {
    pub fn new(boxes: &[Bounds], threads: usize) -> Self {
        let boxes = boxes.iter().map(aabb).collect();
        Self { name: format!("ours, {threads} threads"), boxes, pool: pool(threads), tree: Bvh::new() }
    }
}

impl Peer for Builder {
    fn name(&self) -> &str {
        &self.name
    }

    fn build(&mut self) -> Support {
        let threads = rayon::current_thread_index().map(|_| rayon::current_num_threads());
        self.tree = if threads == Some(self.pool.current_num_threads()) {
            Bvh::build(&self.boxes)
        } else {
            self.pool.install(|| Bvh::build(&self.boxes))
        };
        Support::Answered
    }
}

/// The tree and its queries.
pub struct Ours {
    builder: Builder,
    /// The result of a cull, kept to reuse its memory.
    leaves: RefCell<Vec<Leaf>>,
}

impl Ours {
    pub fn new(boxes: &[Bounds], threads: usize) -> Self {
        let builder = Builder { name: "ours".into(), ..Builder::new(boxes, threads) };
        Self { builder, leaves: RefCell::default() }
    }
}

impl Peer for Ours {
    fn name(&self) -> &str {
        self.builder.name()
    }

    fn build(&mut self) -> Support {
        self.builder.build()
    }

    fn closest(&self, paths: &[Path], reach: Reach, entries: &mut Vec<Option<f32>>) -> Support {
        let tree = &self.builder.tree;
        match reach {
            Reach::Distance(limit) => {
                entries.extend(paths.iter().map(|path| Some(tree.closest(&ray(path, limit), ALL)?.1)));
            }
            Reach::Delta => entries.extend(paths.iter().map(|path| Some(tree.closest(&segment(path), ALL)?.1))),
        }
        Support::Answered
    }

    fn overlap(&self, queries: &[Bounds], counts: &mut Vec<u32>) -> Support {
        counts.extend(queries.iter().map(|query| {
            let mut count = 0;
            self.builder.tree.overlap_aabb(&aabb(query), ALL, |_| {
                count += 1;
                ControlFlow::Continue(())
            });
            count
        }));
        Support::Answered
    }

    fn cull(&self, planes: &[Plane; 6], seen: &mut Vec<u32>) -> Support {
        let planes = planes.map(|[x, y, z, d]| narrowphase::Plane::new(Vec3::new(x, y, z), d).expect("a normal"));
        let mut leaves = self.leaves.borrow_mut();
        leaves.clear();
        self.builder.tree.cull_into(&planes, ALL, &mut leaves);
        seen.extend(leaves.iter().map(|leaf| leaf.index() as u32));
        Support::Answered
    }
}

/// The tree, queried for many paths in one call.
pub struct Batch {
    builder: Builder,
    /// Kept to reuse its memory.
    answers: RefCell<Vec<Option<(Leaf, f32)>>>,
}

impl Batch {
    pub fn new(boxes: &[Bounds]) -> Self {
        let builder = Builder { name: "ours, batch".into(), ..Builder::new(boxes, 1) };
        Self { builder, answers: RefCell::default() }
    }
}

impl Peer for Batch {
    fn name(&self) -> &str {
        self.builder.name()
    }

    fn build(&mut self) -> Support {
        // Timed as part of the first of ours.
        self.builder.build();
        Support::NotOffered
    }

    fn slice(&self) -> usize {
        usize::MAX
    }

    fn closest(&self, paths: &[Path], reach: Reach, entries: &mut Vec<Option<f32>>) -> Support {
        let answers = &mut *self.answers.borrow_mut();
        answers.clear();
        let Builder { pool, tree, .. } = &self.builder;
        pool.install(|| match reach {
            Reach::Distance(limit) => tree.closest_batch(paths, |path| ray(path, limit), ALL, answers),
            Reach::Delta => tree.closest_batch(paths, segment, ALL, answers),
        });
        entries.extend(answers.iter().map(|answer| Some(answer.as_ref()?.1)));
        Support::Answered
    }
}

fn ray(&[origin, direction]: &Path, limit: f32) -> Probe {
    Probe::ray(&Ray::new(origin.into(), direction.into()).expect("a direction"), limit)
}

fn segment(&[start, delta]: &Path) -> Probe {
    Probe::segment(&Segment::new(start.into(), delta.into()).expect("finite"))
}

fn aabb(bounds: &Bounds) -> Aabb {
    let [min, max] = bounds.map(Vec3::from_array);
    Aabb::new(min, max).expect("a box")
}
