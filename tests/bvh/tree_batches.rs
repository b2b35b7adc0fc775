//! Many probes of a tree in one call are answered as each would be alone, in order.

use cullide_bvh::{
    ALL, Bvh, Probe, Visit,
    narrowphase::{Aabb, Segment},
};
use cullide_scenes::{SEED, bounds_of, long_segments, uniform};
use cullide_support::{history::each_scene, question::Asker};

#[test]
fn many_probes_at_once_are_answered_like_each_alone_in_their_order() {
    each_scene(|scene, trees, _| {
        let mut asker = Asker::new(&scene.boxes, SEED + 9);
        let probes: Vec<_> = (0..3000).map(|_| asker.path().probe()).collect();
        for (history, tree) in trees {
            for (count, mask) in [(0, ALL), (1, ALL), (20, 3), (3000, ALL), (3000, 6)] {
                let mut answers = vec![None];
                tree.closest_batch(&probes[..count], Clone::clone, mask, &mut answers);
                let alone = probes[..count].iter().map(|probe| tree.closest(probe, mask));
                assert!(answers[1..].iter().copied().eq(alone), "{} {history}", scene.name);
            }
        }
    });
}

#[test]
fn more_probes_of_one_direction_than_go_together_are_answered_like_each_alone() {
    let scene = uniform(1000, SEED);
    let boxes: Vec<_> = scene.iter().map(|[min, max]| Aabb::new((*min).into(), (*max).into()).unwrap()).collect();
    let tree = Bvh::build(&boxes);
    let segments = long_segments(bounds_of(&scene), 30_000, SEED);
    let probe = |[start, delta]: &[[f32; 3]; 2]| {
        // Two thirds along one diagonal, the others in any direction.
        let delta = if start[0] < start[1] || start[1] < start[2] { delta.map(f32::abs) } else { *delta };
        Probe::segment(&Segment::new((*start).into(), delta.into()).unwrap())
    };
    let mut answers = vec![];
    for _ in 0..2 {
        answers.clear();
        tree.closest_batch(&segments, probe, ALL, &mut answers);
        assert!(answers.iter().copied().eq(segments.iter().map(|path| tree.closest(&probe(path), ALL))));
    }
    assert!(answers.iter().flatten().count() > 10_000);
}

#[test]
fn many_probes_at_once_are_shown_the_leaves_that_each_alone_is_shown() {
    each_scene(|scene, trees, _| {
        let mut asker = Asker::new(&scene.boxes, SEED + 11);
        let probes: Vec<_> = (0..1000).map(|_| asker.path().probe()).collect();
        for (history, tree) in trees {
            for (count, mask) in [(0, ALL), (1, ALL), (20, 3), (1000, ALL), (1000, 6)] {
                let probes = &probes[..count];
                let mut shown = vec![];
                tree.cast_batch(probes, mask, |i, leaf, entry| {
                    shown.push((i, leaf, entry.to_bits()));
                    Visit::Continue
                });
                shown.sort_unstable();
                let mut alone = vec![];
                for (i, probe) in probes.iter().enumerate() {
                    tree.cast(probe, mask, |leaf, entry| {
                        alone.push((i, leaf, entry.to_bits()));
                        Visit::Continue
                    });
                }
                alone.sort_unstable();
                assert_eq!(shown, alone, "{} {history} mask {mask:#x}", scene.name);

                // Each narrowed to its closest hit, and each stopped at whichever comes first.
                let mut closest = vec![None; count];
                tree.cast_batch(probes, mask, |i, leaf, entry| {
                    let first = closest[i].map_or((entry, leaf), |(other, known): (f32, _)| {
                        if (entry, leaf) < (other, known) { (entry, leaf) } else { (other, known) }
                    });
                    closest[i] = Some(first);
                    Visit::Within(first.0)
                });
                let expected = probes.iter().map(|probe| tree.closest(probe, mask).map(|(leaf, entry)| (entry, leaf)));
                assert!(closest.iter().copied().eq(expected), "{} {history} mask {mask:#x}", scene.name);
                let mut calls = vec![0; count];
                tree.cast_batch(probes, mask, |i, _, _| {
                    calls[i] += 1;
                    Visit::Stop
                });
                let met = closest.iter().map(|first| usize::from(first.is_some()));
                assert!(calls.iter().copied().eq(met), "{} {history} mask {mask:#x}", scene.name);
            }
        }
    });
}
