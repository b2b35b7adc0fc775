//! Whatever happens to bodies between two updates, pairs, events and trees match those of a plain list.

use cullide_bvh::{
    ALL, Broadphase, BroadphaseBody, Leaf, Mobility, Pair, Proxy,
    narrowphase::{Aabb, glam::Vec3},
};
use cullide_scenes::{Rng, SEED, awkward, uniform};
use cullide_support::{
    frames::Frames,
    scene::{aabb, aabbs},
};
use std::ops::ControlFlow;

fn at(x: f32) -> Aabb {
    aabb([[x, 0.0, 0.0], [x + 2.0, 3.0, 5.0]])
}

fn pair(a: Proxy, b: Proxy) -> Pair {
    Pair { first: a.min(b), second: a.max(b) }
}

/// A random body, usually an ordinary one.
fn any_body(rng: &mut Rng, boxes: &[Aabb]) -> BroadphaseBody {
    let aabb = boxes[rng.usize(0..boxes.len())];
    let body = if rng.u32(0..3) == 0 { BroadphaseBody::fixed(aabb) } else { BroadphaseBody::moving(aabb) };
    if rng.bool() { body } else { body.layers(rng.u32(0..8)).pairs_with(rng.u32(0..8)) }
}

fn nudged(aabb: &Aabb, rng: &mut Rng) -> Aabb {
    let step = Vec3::from_array([(); 3].map(|()| rng.f32() - 0.5));
    Aabb::new(aabb.min() + step, aabb.max() + step).unwrap()
}

/// Makes one random edit of a random body; most of the proxies are valid.
fn edit(world: &mut Frames, proxies: &mut Vec<Proxy>, rng: &mut Rng, boxes: &[Aabb]) {
    if proxies.is_empty() || (rng.u32(0..5) == 0 && proxies.len() < 120) {
        if rng.u32(0..20) == 0 {
            let bodies: Vec<BroadphaseBody> = (0..rng.usize(0..30)).map(|_| any_body(rng, boxes)).collect();
            proxies.extend(world.insert_batch(&bodies));
        } else {
            proxies.push(world.insert(&any_body(rng, boxes)));
        }
        return;
    }
    let i = rng.usize(0..proxies.len());
    let proxy = proxies[i];
    let other = boxes[rng.usize(0..boxes.len())];
    let near = world.bodies.get(&proxy).map_or(other, |body| nudged(&body.aabb, rng));
    match rng.u32(0..10) {
        0 | 1 => {
            world.remove(proxies.swap_remove(i));
            assert!(!world.remove(proxy));
        }
        2 => world.set(proxy, &other),
        3..6 => world.set(proxy, &near),
        6 => world.set_layers(proxy, rng.u32(0..8), rng.u32(0..8)),
        7 => {
            let mobility = if rng.bool() { Mobility::Fixed } else { Mobility::Moving };
            proxies[i] = world.set_mobility(proxy, mobility).unwrap();
        }
        8 => {
            let count = rng.usize(1..=proxies.len());
            let start = rng.usize(0..proxies.len());
            let some: Vec<Proxy> = proxies.iter().cycle().skip(start).take(count).copied().collect();
            let set: Vec<_> =
                some.iter().map(|&p| (p, world.bodies.get(&p).map_or(other, |b| nudged(&b.aabb, rng)))).collect();
            world.set_batch(&set);
        }
        _ => world.broadphase.rebuild(),
    }
}

#[test]
fn any_script_of_edits_leaves_the_pairs_and_events_of_a_list() {
    for seed in 0..200 {
        let mut rng = Rng::with_seed(SEED ^ seed);
        let boxes = aabbs(&if seed % 3 == 0 { awkward::grid(60, SEED) } else { uniform(60, SEED) });
        let (mut world, mut proxies) = (Frames::default(), vec![]);
        for _ in 0..300 {
            edit(&mut world, &mut proxies, &mut rng, &boxes);
            world.check_trees();
            match rng.u32(0..12) {
                0..3 => world.update(),
                3 => world.check_full_query(),
                _ => {}
            }
        }
        world.update();
        world.update();
    }
}

#[test]
fn a_broad_phase_and_its_clone_go_on_alike() {
    let mut rng = Rng::with_seed(SEED);
    let boxes = aabbs(&uniform(60, SEED));
    let (mut world, mut proxies) = (Frames::default(), vec![]);
    (0..200).for_each(|_| edit(&mut world, &mut proxies, &mut rng, &boxes));
    let (mut twin, mut twin_proxies, mut twin_rng) = (world.clone(), proxies.clone(), rng.clone());
    for _ in 0..100 {
        edit(&mut world, &mut proxies, &mut rng, &boxes);
        edit(&mut twin, &mut twin_proxies, &mut twin_rng, &boxes);
        world.update();
        twin.update();
        assert!(world.broadphase.pairs().eq(twin.broadphase.pairs()) && proxies == twin_proxies);
    }
}

#[test]
fn a_body_removed_and_another_put_in_its_place_ends_one_pair_and_begins_another() {
    let mut broadphase = Broadphase::new();
    let wall = broadphase.insert(&BroadphaseBody::fixed(at(0.0)));
    let first = broadphase.insert(&BroadphaseBody::moving(at(1.0)));
    broadphase.update();
    broadphase.remove(first);
    let second = broadphase.insert(&BroadphaseBody::moving(at(1.0)));
    assert_ne!(first, second, "a number is not given out again before the update");
    let events = broadphase.update();
    assert_eq!((events.begun, events.ended), (&[pair(wall, second)][..], &[pair(wall, first)][..]));
    assert_eq!(broadphase.insert(&BroadphaseBody::moving(at(50.0))), first, "and is after it");
    let events = broadphase.update();
    assert!(events.begun.is_empty() && events.ended.is_empty());
}

#[test]
fn bodies_that_come_and_go_without_an_update_take_no_more_numbers() {
    let mut broadphase = Broadphase::new();
    let wall = broadphase.insert(&BroadphaseBody::fixed(at(0.0)));
    let mut numbers = 0;
    for turn in 0..1000 {
        let body = if turn % 2 == 0 { BroadphaseBody::fixed(at(1.0)) } else { BroadphaseBody::moving(at(1.0)) };
        let proxies = [broadphase.insert(&body), broadphase.insert(&body)];
        numbers = numbers.max(proxies[0].index().max(proxies[1].index()) + 1);
        proxies.iter().for_each(|proxy| _ = broadphase.remove(*proxy));
    }
    assert!(numbers <= 3, "{numbers} numbers of three bodies");
    let ball = broadphase.insert(&BroadphaseBody::moving(at(1.0)));
    let events = broadphase.update();
    assert_eq!((events.begun, events.ended), (&[pair(wall, ball)][..], &[][..]));
}

#[test]
fn a_number_that_is_used_again_at_once_is_in_no_pair_of_the_body_before() {
    let mut broadphase = Broadphase::new();
    let [wall, gone] = [at(0.0), at(1.0)].map(|aabb| broadphase.insert(&BroadphaseBody::moving(aabb)));
    assert_eq!(broadphase.update().begun, [pair(wall, gone)]);
    broadphase.remove(gone);
    let passing = broadphase.insert(&BroadphaseBody::moving(at(50.0)));
    broadphase.remove(passing);
    let ball = broadphase.insert(&BroadphaseBody::moving(at(-1.0)));
    assert!(passing == ball && ball != gone, "{passing:?} {ball:?} {gone:?}");
    let events = broadphase.update();
    assert_eq!((events.begun, events.ended), (&[pair(wall, ball)][..], &[pair(wall, gone)][..]));
}

#[test]
fn a_body_that_comes_and_goes_between_two_updates_was_never_there() {
    let mut broadphase = Broadphase::new();
    broadphase.insert(&BroadphaseBody::fixed(at(0.0)));
    broadphase.update();
    let passing = broadphase.insert(&BroadphaseBody::moving(at(1.0)));
    broadphase.remove(passing);
    let events = broadphase.update();
    assert!(events.begun.is_empty() && events.ended.is_empty());
}

#[test]
fn a_teleport_and_back_is_no_event_and_a_teleport_is_one_in_the_same_frame() {
    let mut broadphase = Broadphase::new();
    let wall = broadphase.insert(&BroadphaseBody::fixed(at(0.0)));
    let ball = broadphase.insert(&BroadphaseBody::moving(at(1.0)));
    broadphase.update();
    broadphase.set(ball, &at(1e6));
    broadphase.set(ball, &at(-1.0));
    assert!(broadphase.update().begun.is_empty() && broadphase.pair_count() == 1);
    broadphase.set(ball, &at(1e6));
    assert_eq!(broadphase.update().ended, [pair(wall, ball)]);
    broadphase.set(ball, &at(-2.0));
    assert_eq!(broadphase.update().begun, [pair(wall, ball)], "touching counts");
    broadphase.set(ball, &at((-2.0f32).next_down()));
    assert_eq!(broadphase.update().ended, [pair(wall, ball)]);
}

#[test]
fn fixed_bodies_are_never_a_pair_however_many_touch() {
    let mut broadphase = Broadphase::new();
    let proxies: Vec<Proxy> = (0..100).map(|i| broadphase.insert(&BroadphaseBody::fixed(at(2.0 * i as f32)))).collect();
    assert!(broadphase.update().begun.is_empty());
    let moving = broadphase.set_mobility(proxies[50], Mobility::Moving).unwrap();
    assert_eq!(broadphase.update().begun, [pair(proxies[49], moving), pair(moving, proxies[51])]);
    broadphase.set(proxies[51], &at(500.0));
    assert_eq!(broadphase.update().ended, [pair(moving, proxies[51])], "a fixed body may be moved");
    broadphase.set_mobility(moving, Mobility::Fixed);
    assert_eq!(broadphase.update().ended, [pair(proxies[49], moving)]);
}

#[test]
fn a_body_that_comes_to_rest_is_in_the_same_pairs_under_another_proxy() {
    let mut broadphase = Broadphase::new();
    let [a, b] = [at(0.0), at(1.0)].map(|aabb| broadphase.insert(&BroadphaseBody::moving(aabb)));
    assert_eq!(broadphase.update().begun, [pair(a, b)]);
    let wall = broadphase.set_mobility(b, Mobility::Fixed).unwrap();
    assert_eq!((broadphase.set_mobility(wall, Mobility::Fixed), wall.mobility()), (Some(wall), Mobility::Fixed));
    let events = broadphase.update();
    assert_eq!((events.begun, events.ended), (&[pair(a, wall)][..], &[pair(a, b)][..]));
    assert_eq!((broadphase.fixed().len(), broadphase.moving().len(), broadphase.pair_count()), (1, 1, 1));
}

#[test]
fn both_bodies_must_pair_with_a_layer_of_the_other() {
    const PLAYER: u32 = 0b01;
    const DEBRIS: u32 = 0b10;
    let mut broadphase = Broadphase::new();
    let player = broadphase.insert(&BroadphaseBody::moving(at(0.0)).layers(PLAYER));
    let debris = broadphase.insert(&BroadphaseBody::moving(at(1.0)).layers(DEBRIS).pairs_with(DEBRIS));
    assert!(broadphase.update().begun.is_empty(), "debris does not pair with players");
    broadphase.set_layers(debris, DEBRIS, PLAYER);
    assert_eq!(broadphase.update().begun, [pair(player, debris)]);
    broadphase.set_layers(player, PLAYER, PLAYER);
    assert_eq!(broadphase.update().ended, [pair(player, debris)]);
    broadphase.set_layers(player, 0, ALL);
    assert!(broadphase.update().begun.is_empty(), "what is in no layer is in no pair");
    assert_eq!(broadphase.moving().mask(Leaf::new(player.index() as u32)), Some(0));
}

#[test]
fn a_swept_box_pairs_with_what_it_passes() {
    let mut broadphase = Broadphase::new();
    let wall = broadphase.insert(&BroadphaseBody::fixed(at(10.0)));
    let bullet = broadphase.insert(&BroadphaseBody::moving(at(0.0)));
    broadphase.update();
    broadphase.set(bullet, &at(0.0).swept(Vec3::X * 100.0).unwrap());
    assert_eq!(broadphase.update().begun, [pair(wall, bullet)]);
    broadphase.set(bullet, &at(100.0));
    assert_eq!(broadphase.update().ended, [pair(wall, bullet)]);
}

#[test]
fn edits_of_bodies_that_are_not_there_change_nothing() {
    let mut broadphase = Broadphase::new();
    let proxies: Vec<Proxy> = (0..20).map(|i| broadphase.insert(&BroadphaseBody::moving(at(i as f32)))).collect();
    broadphase.update();
    let pairs = broadphase.pair_count();
    let gone = broadphase.insert(&BroadphaseBody::moving(at(0.0)));
    broadphase.remove(gone);
    for stale in [gone, Proxy::from(Leaf::new(77))] {
        assert_eq!((broadphase.remove(stale), broadphase.body(stale), broadphase.aabb(stale)), (None, None, None));
        assert!(!broadphase.set(stale, &at(1.0)) && !broadphase.set_layers(stale, 1, 1));
        assert_eq!(broadphase.set_mobility(stale, Mobility::Fixed), None);
        assert_eq!(broadphase.set_batch(&[(stale, at(1.0)), (proxies[3], at(3.0))]), 1);
    }
    let events = broadphase.update();
    assert!(events.begun.is_empty() && events.ended.is_empty());
    assert_eq!((broadphase.pair_count(), broadphase.len()), (pairs, 20));
}

#[test]
fn of_a_body_set_twice_at_once_the_last_box_counts() {
    let mut broadphase = Broadphase::new();
    let proxies: Vec<Proxy> =
        (0..40).map(|i| broadphase.insert(&BroadphaseBody::moving(at(10.0 * i as f32)))).collect();
    broadphase.update();
    let twice: Vec<_> = proxies.iter().chain(&proxies).zip(0..).map(|(&p, i)| (p, at(7.0 * i as f32))).collect();
    assert_eq!(broadphase.set_batch(&twice), 80);
    assert_eq!(broadphase.moving().validate(), Ok(()));
    for (proxy, aabb) in &twice[40..] {
        assert_eq!(broadphase.aabb(*proxy), Some(*aabb));
    }
}

#[test]
fn a_visitor_of_pairs_that_says_stop_is_not_called_again() {
    let mut broadphase = Broadphase::new();
    for i in 0..10 {
        broadphase.insert(&BroadphaseBody::fixed(at(i as f32 * 0.1)));
    }
    for i in 0..10 {
        broadphase.insert(&BroadphaseBody::moving(at(i as f32 * 0.1)));
    }
    for calls in [1, 2, 44, 45, 46, 144] {
        let mut called = 0;
        broadphase.for_each_pair(|_| {
            called += 1;
            if called == calls { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(called, calls);
    }
}
