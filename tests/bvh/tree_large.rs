//! What a tree of many boxes holds; none of its numbers overflow.

use cullide_bvh::{
    ALL, Bvh, Leaf, Visit,
    narrowphase::{
        Aabb, Segment,
        glam::{DVec3, Vec3},
    },
};
use cullide_scenes::{Bounds, SEED, bounds_of, city, long_segments, overlap_boxes, uniform};
use cullide_support::{
    question::Question,
    scene::aabb,
    truth::{ROUNDINGS, is_entry, nearly_meets},
};
use rayon::prelude::*;
use std::{ops::ControlFlow, time::Instant};

/// The most bytes that a box may take: 24 bytes of bounds and three numbers, in nodes that are seven tenths full.
const BYTES: f64 = 56.0;

fn bytes_a_box(tree: &Bvh) -> f64 {
    tree.memory() as f64 / tree.len() as f64
}

#[test]
fn a_built_tree_holds_at_most_56_bytes_a_box() {
    let boxes: Vec<Aabb> = city(100_000, SEED).into_iter().map(aabb).collect();
    let bytes = bytes_a_box(&Bvh::build(&boxes));
    assert!(bytes <= BYTES, "{bytes} bytes a box");
}

/// A segment in `f64`, tested against one box after another.
struct Scanner {
    start: DVec3,
    inverse: DVec3,
}

impl Scanner {
    /// The `f64` test below errs by a few 2^-53; this is ample.
    const SURE: f64 = 1e-12;

    fn new(segment: &Segment) -> Self {
        Self { start: segment.start().as_dvec3(), inverse: segment.delta().as_dvec3().recip() }
    }

    fn surely_meets(&self, &[min, max]: &Bounds) -> bool {
        let low = (Vec3::from(min).as_dvec3() - self.start) * self.inverse;
        let high = (Vec3::from(max).as_dvec3() - self.start) * self.inverse;
        let (enter, exit) = (low.min(high).max_element().max(0.0), low.max(high).min_element().min(1.0));
        enter + Self::SURE < exit
    }
}

fn overlaps(a: &Bounds, b: &Bounds) -> bool {
    (0..3).all(|i| a[0][i] <= b[1][i] && b[0][i] <= a[1][i])
}

/// For each query, the boxes that pass, tested one after another as plain numbers.
fn scan<Q: Sync>(boxes: &[Bounds], questions: &[Q], passes: impl Fn(&Q, &Bounds) -> bool + Sync) -> Vec<Vec<usize>> {
    // A block stays in the cache while several queries scan it.
    const BLOCK: usize = 4096;
    const TOGETHER: usize = 25;
    let search = |questions: &[Q]| {
        let mut found = vec![vec![]; questions.len()];
        for (block, boxes) in boxes.chunks(BLOCK).enumerate() {
            for (question, found) in questions.iter().zip(&mut found) {
                let passing = (0..boxes.len()).filter(|&i| passes(question, &boxes[i]));
                found.extend(passing.map(|i| BLOCK * block + i));
            }
        }
        found
    };
    questions.par_chunks(TOGETHER).flat_map_iter(search).collect()
}

fn overlapping(tree: &Bvh, volume: &Aabb) -> Vec<usize> {
    let mut shown = vec![];
    tree.overlap_aabb(volume, ALL, |leaf| {
        shown.push(leaf.index());
        ControlFlow::Continue(())
    });
    shown.sort_unstable();
    shown
}

/// The numbers of everything a segment hits, each checked against the truth; the closest has to be the first of them.
fn met(tree: &Bvh, boxes: &[Aabb], segment: &Segment) -> Vec<usize> {
    let question = Question::Segment(*segment);
    let mut shown = vec![];
    tree.cast(&question.probe(), ALL, |leaf, entry| {
        shown.push((leaf.index(), entry));
        Visit::Continue
    });
    for &(i, entry) in &shown {
        let (enter, meets) = nearly_meets(&question, &boxes[i], ROUNDINGS);
        assert!(meets && is_entry(entry, enter), "{segment:?} {i} {:?}: {entry}, not {enter}", boxes[i]);
    }
    shown.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    let closest = tree.closest(&question.probe(), ALL).map(|(leaf, entry)| (leaf.index(), entry));
    assert_eq!(closest, shown.first().copied(), "{segment:?}");
    let mut numbers: Vec<usize> = shown.into_iter().map(|(i, _)| i).collect();
    numbers.sort_unstable();
    numbers
}

#[test]
#[ignore = "takes gigabytes and seconds"]
fn ten_million_boxes_are_found_as_by_a_scan() {
    const BOXES: usize = 10_000_000;
    let raw = uniform(BOXES, SEED);
    let bounds = bounds_of(&raw);
    let boxes: Vec<Aabb> = raw.iter().copied().map(aabb).collect();

    let start = Instant::now();
    let tree = Bvh::build(&boxes);
    println!("built in {:.2?}: {} bytes, {:.1} a box", start.elapsed(), tree.memory(), bytes_a_box(&tree));
    assert!(bytes_a_box(&tree) <= BYTES);
    let start = Instant::now();
    assert_eq!(tree.validate(), Ok(()));
    println!("validated in {:.2?}", start.elapsed());

    assert_eq!((tree.len(), tree.leaves().count()), (BOXES, BOXES));
    assert!((0..BOXES).all(|i| tree.aabb(Leaf::new(i as u32)) == Some(boxes[i])), "a leaf has another's box");

    let start = Instant::now();
    let segments: Vec<Segment> = long_segments(bounds, 200, SEED)
        .into_iter()
        .map(|[start, delta]| Segment::new(start.into(), delta.into()).expect("a segment"))
        .collect();
    let scanners: Vec<Scanner> = segments.iter().map(Scanner::new).collect();
    let mut count = 0;
    for (segment, sure) in segments.iter().zip(scan(&raw, &scanners, Scanner::surely_meets)) {
        let shown = met(&tree, &boxes, segment);
        let missed = sure.iter().find(|i| shown.binary_search(i).is_err());
        assert_eq!(missed, None, "{segment:?} meets it");
        count += shown.len();
    }
    println!("200 segments meet {count} boxes, checked in {:.2?}", start.elapsed());
    assert!(count > 1000, "the segments hit too little: {count}");

    let start = Instant::now();
    let volumes = overlap_boxes(bounds, 200, SEED);
    for (volume, expected) in volumes.iter().zip(scan(&raw, &volumes, overlaps)) {
        assert_eq!(overlapping(&tree, &aabb(*volume)), expected, "{volume:?}");
    }
    // Every second one is a corner of a box.
    let point = |(i, volume): (usize, &Bounds)| if i % 2 == 0 { volume[0] } else { raw[i * 49_999][1] };
    let points: Vec<Bounds> = volumes.iter().enumerate().map(point).map(|point| [point, point]).collect();
    for (point, expected) in points.iter().zip(scan(&raw, &points, overlaps)) {
        assert_eq!(overlapping(&tree, &aabb(*point)), expected, "{point:?}");
    }
    println!("200 boxes and 200 points checked in {:.2?}", start.elapsed());
}
