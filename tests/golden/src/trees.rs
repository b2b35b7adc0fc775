//! Questions that trees of boxes and the broadphase answer on their own, for any set of vector instructions.

use crate::{
    draw::Draw,
    fold::Fold,
    scene::{Scene, layers},
};
use cullide_bvh::{
    ALL, Broadphase, BroadphaseBody, BuildOptions, Bvh, Instructions, Leaf, Mobility, Probe, Proxy, Quality, Visit,
    narrowphase::{Aabb, Camera, Frustum},
};
use std::ops::ControlFlow;

/// A tree of the scene's boxes.
fn tree(scene: &Scene, quality: Quality) -> Bvh {
    let boxes = scene.boxes().map(|(aabb, layers, _)| (aabb, layers));
    at(scene.instructions, Bvh::build_with(boxes, &BuildOptions { quality }))
}

/// The tree with other instructions; callers request only supported ones.
fn at(instructions: Option<Instructions>, tree: Bvh) -> Bvh {
    match instructions {
        Some(instructions) => tree.with_instructions(instructions).expect("this processor has them"),
        None => tree,
    }
}

/// Rays, boxes, balls, points, planes and cameras, one at a time.
pub(crate) fn tree_queries(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    let quality = draw.of([Quality::Best, Quality::Fast]);
    ask(scene, &tree(scene, quality), scene.asks(12), draw, fold);
}

/// The same queries after edits.
pub(crate) fn tree_edits(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    let (mut tree, place) = (at(scene.instructions, Bvh::new()), &scene.place);
    let mut leaves: Vec<Leaf> = scene.boxes().map(|(aabb, layers, _)| tree.insert(&aabb, layers)).collect();
    for _ in 0..3 {
        for _ in 0..scene.asks(12) {
            let leaf = leaves[draw.below(leaves.len())];
            let aabb = place.aabb(draw, 1.0);
            match draw.below(4) {
                0 => leaves.push(tree.insert(&aabb, layers(draw))),
                1 => fold.maybe(tree.remove(leaf), |fold, aabb| fold.aabb(&aabb)),
                2 => fold.flag(tree.set(leaf, &aabb)),
                _ => fold.flag(tree.set_mask(leaf, layers(draw))),
            }
        }
        let moved: Vec<(Leaf, Aabb)> = leaves.iter().step_by(3).map(|leaf| (*leaf, place.aabb(draw, 1.0))).collect();
        fold.word(tree.refit(moved) as u64);
        ask(scene, &tree, scene.asks(4), draw, fold);
    }
    tree.rebuild();
    ask(scene, &tree, scene.asks(4), draw, fold);
}

/// Many rays and many boxes at once.
pub(crate) fn tree_batches(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    let (tree, place) = (tree(scene, Quality::Best), &scene.place);
    // Enough to be divided among threads in the larger worlds.
    let count = scene.asks(scene.asks(48));
    let rays: Vec<_> = (0..count).map(|_| place.ray(draw, None)).collect();
    let mut answers = Vec::new();
    tree.closest_batch(&rays, |ray| Probe::ray(ray, 4.0 * place.room), ALL, &mut answers);
    fold.list(answers, |fold, answer| {
        fold.maybe(answer, |fold, (leaf, distance)| {
            fold.word(leaf.index() as u64);
            fold.number(distance);
        });
    });
    let boxes: Vec<Aabb> = (0..count).map(|_| place.aabb(draw, 1.0)).collect();
    let mask = layers(draw);
    fold.list(&boxes, |fold, aabb| leaves(fold, |visit| tree.overlap_aabb(aabb, mask, visit)));
}

/// The pairs of one frame after another.
pub(crate) fn broadphase(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    let mut broadphase = Broadphase::new();
    if let Some(instructions) = scene.instructions {
        broadphase = broadphase.with_instructions(instructions).expect("this processor has them");
    }
    let bodies: Vec<BroadphaseBody> = scene
        .boxes()
        .map(|(aabb, layers, mobility)| {
            let body = if mobility == cullide_world::Mobility::Fixed {
                BroadphaseBody::fixed(aabb)
            } else {
                BroadphaseBody::moving(aabb)
            };
            body.layers(layers)
        })
        .collect();
    let mut proxies = broadphase.insert_batch(&bodies);
    for frame in 0..10 {
        for _ in 0..if frame % 3 == 0 { scene.asks(8) } else { 0 } {
            change(scene, &mut broadphase, &mut proxies, draw, fold);
        }
        // All of them by a little, or a few of them far.
        let (stride, size) = [(1, 0.125), (1, 0.5), (7, 8.0)][frame % 3];
        let moved: Vec<(Proxy, Aabb)> = proxies
            .iter()
            .step_by(stride)
            .filter_map(|proxy| {
                let (old, step) = (broadphase.aabb(*proxy)?, scene.place.vector(draw, size));
                Some((*proxy, Aabb::new(old.min() + step, old.max() + step).ok()?))
            })
            .collect();
        fold.word(broadphase.set_batch(&moved) as u64);
        let events = broadphase.update();
        for pairs in [events.begun, events.ended] {
            fold.list(pairs, |fold, pair| {
                fold.word(pair.first.index() as u64);
                fold.word(pair.second.index() as u64);
            });
        }
        fold.word(broadphase.pair_count() as u64);
    }
    fold.list(broadphase.pairs().collect::<Vec<_>>(), |fold, pair| {
        fold.word(pair.first.index() as u64);
        fold.word(pair.second.index() as u64);
    });
    ask(scene, broadphase.fixed(), scene.asks(2), draw, fold);
    ask(scene, broadphase.moving(), scene.asks(2), draw, fold);
}

fn change(scene: &Scene, broadphase: &mut Broadphase, proxies: &mut Vec<Proxy>, draw: &mut Draw, fold: &mut Fold) {
    let at = draw.below(proxies.len());
    let aabb = scene.place.aabb(draw, 1.0);
    match draw.below(5) {
        0 => proxies.push(broadphase.insert(&BroadphaseBody::moving(aabb).pairs_with(layers(draw)))),
        1 => fold.maybe(broadphase.remove(proxies[at]), |fold, aabb| fold.aabb(&aabb)),
        2 => fold.flag(broadphase.set(proxies[at], &aabb)),
        3 => fold.flag(broadphase.set_layers(proxies[at], layers(draw), layers(draw))),
        _ => {
            let mobility = draw.of([Mobility::Fixed, Mobility::Moving]);
            let new = broadphase.set_mobility(proxies[at], mobility);
            fold.flag(new.is_some());
            proxies[at] = new.unwrap_or(proxies[at]);
        }
    }
}

/// Makes all queries once or more, and sorts what comes in no particular order.
fn ask(scene: &Scene, tree: &Bvh, times: usize, draw: &mut Draw, fold: &mut Fold) {
    let place = &scene.place;
    for _ in 0..times {
        let mask = layers(draw);
        let aim = scene.aim(draw);
        let ray = place.ray(draw, Some(aim));
        let probe = match draw.below(3) {
            0 => Probe::ray(&ray, f32::INFINITY),
            1 => Probe::ray(&ray, place.room),
            _ => Probe::swept(&place.aabb(draw, 0.5), place.vector(draw, 8.0)),
        };
        fold.maybe(tree.closest(&probe, mask), |fold, (leaf, distance)| {
            fold.word(leaf.index() as u64);
            fold.number(distance);
        });
        let mut met: Vec<(Leaf, f32)> = Vec::new();
        tree.cast(&probe, mask, |leaf, entry| {
            met.push((leaf, entry));
            Visit::Continue
        });
        met.sort_unstable_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        fold.flag(!met.is_empty());
        fold.list(met.into_iter().take(5), |fold, (leaf, distance)| {
            fold.word(leaf.index() as u64);
            fold.number(distance);
        });

        let (aabb, obb, sphere, point) = (place.aabb(draw, 2.0), place.obb(draw, 2.0), place.sphere(draw, 2.0), aim);
        leaves(fold, |visit| tree.overlap_aabb(&aabb, mask, visit));
        leaves(fold, |visit| tree.overlap_obb(&obb, mask, visit));
        leaves(fold, |visit| tree.overlap_sphere(&sphere, mask, visit));
        let at_point = Aabb::new(point, point).expect("within the room");
        leaves(fold, |visit| tree.overlap_aabb(&at_point, mask, visit));

        let mut near: Vec<(Leaf, f32)> = Vec::new();
        tree.nearest(point, place.room, mask, |leaf, distance| {
            near.push((leaf, distance));
            Visit::Continue
        });
        near.sort_unstable_by_key(|(leaf, _)| leaf.index());
        fold.list(near, |fold, (leaf, distance)| {
            fold.word(leaf.index() as u64);
            fold.number(distance);
        });

        let mut sides = Vec::new();
        tree.classify(&place.plane(draw), mask, |leaf, side| {
            sides.push((leaf, side));
            ControlFlow::Continue(())
        });
        sides.sort_unstable_by_key(|(leaf, _)| leaf.index());
        fold.list(sides, |fold, (leaf, side)| {
            fold.word(leaf.index() as u64);
            fold.side(side);
        });

        let camera = Camera { position: point, forward: ray.direction(), far: 2.0 * place.room, ..Camera::default() };
        let Ok(frustum) = Frustum::from_camera(&camera) else { continue };
        let mut seen = Vec::new();
        tree.cull(frustum.planes(), mask, |leaf, undecided| {
            seen.push((leaf, undecided));
            ControlFlow::Continue(())
        });
        seen.sort_unstable_by_key(|(leaf, _)| leaf.index());
        fold.list(seen, |fold, (leaf, undecided)| {
            fold.word(leaf.index() as u64);
            fold.word(undecided.into());
        });
        let mut gathered = Vec::new();
        tree.cull_into(frustum.planes(), mask, &mut gathered);
        fold.list(sorted(gathered), |fold, leaf| fold.word(leaf.index() as u64));
    }
}

/// Adds the leaves that a query shows.
fn leaves(fold: &mut Fold, query: impl FnOnce(&mut dyn FnMut(Leaf) -> ControlFlow<()>)) {
    let mut shown = Vec::new();
    query(&mut |leaf| {
        shown.push(leaf);
        ControlFlow::Continue(())
    });
    fold.list(sorted(shown), |fold, leaf| fold.word(leaf.index() as u64));
}

fn sorted(mut leaves: Vec<Leaf>) -> Vec<Leaf> {
    leaves.sort_unstable_by_key(|leaf| leaf.index());
    leaves
}
