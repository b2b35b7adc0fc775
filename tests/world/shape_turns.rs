//! Shapes of any kind that turn while they move: they touch nothing before the time that is told, and end in nothing.

use super::shape_bodies::{compound, hull, mover, penetrates, scene, turn, vector, with_convexes};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Filter, Object, Shape, ShapeSweep, SweptTurningShape, Target, TurningShapeSweep, World, WorldPlane,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, BoxSweep, Convex, ConvexCore, Error, Hull, Obb, Plane, Sides, Triangle, Turn},
};
use std::f32::consts::{FRAC_PI_2, PI};

const SKIN: f32 = 1e-3;

fn cores(shape: &Shape) -> Vec<ConvexCore> {
    let mut cores = vec![];
    with_convexes(shape, &mut |convex: Convex| cores.push(convex.core()));
    cores
}

/// The least separation of parts from the objects and planes of a world that they start apart from.
fn least(world: &World, starts: &[ConvexCore], parts: &[ConvexCore]) -> f64 {
    let mut least = f64::INFINITY;
    for (start, part) in starts.iter().zip(parts) {
        for (_, object) in world.objects() {
            with_convexes(&object.shape, &mut |other| least = least.min(part.distance(&other.core()).separation));
        }
        for (_, entry) in world.planes() {
            let [low, high] = part.heights_over(&entry.plane);
            match start.heights_over(&entry.plane) {
                [first, _] if first >= 0.0 => least = least.min(low),
                [_, last] if last <= 0.0 && entry.sides == Sides::Both => least = least.min(-high),
                _ => {}
            }
        }
    }
    least
}

fn turning<'a>(shape: &'a Shape, motion: Vec3, pivot: Vec3, rotation: Vec3) -> TurningShapeSweep<'a> {
    ShapeSweep::new(shape, motion).unwrap().turning(pivot, rotation).unwrap()
}

fn swept(world: &World, sweep: &TurningShapeSweep) -> SweptTurningShape {
    world.sweep_turning(sweep, SKIN, &Filter::ALL)
}

#[test]
fn nothing_is_touched_on_the_way_nor_penetrated_at_its_end() {
    let mut rng = Rng::with_seed(SEED);
    let [mut hits, mut free, mut overlaps] = [0; 3];
    for case in 0..110 {
        let at = vector(&mut rng, [0.0, 30.0, 1e3][case % 3]);
        let world = scene(&mut rng, at, 0..7);
        for _ in 0..10 {
            let center = at + vector(&mut rng, 3.0);
            let shape = mover(&mut rng, center);
            let (motion, rotation) = (vector(&mut rng, 2.0), vector(&mut rng, [1.0, 9.0][case % 2]));
            let pivot = if case % 4 == 0 { at } else { center };
            let sweep = turning(&shape, motion, pivot, rotation);
            let end = swept(&world, &sweep);
            if end.overlap.is_some() {
                assert_eq!((end.rotation, end.translation, end.hit), (Quat::IDENTITY, Vec3::ZERO, None));
                overlaps += 1;
                continue;
            }
            let stopped = shape.transformed(end.rotation, end.translation).unwrap();
            assert!(!penetrates(&world, &stopped), "case {case}: {shape:?} by {motion}, {rotation}");
            let rest = world.sweep(&ShapeSweep::new(&stopped, Vec3::ZERO).unwrap(), &Filter::ALL);
            // A half-space that it came from behind is left out.
            let is_free = rest.overlap.is_none_or(|overlap| matches!(overlap.target, Target::Plane(_)));
            assert!(is_free, "case {case}: {shape:?} by {motion}, {rotation} in {rest:?}");
            let until = end.hit.map_or(1.0, |hit| f64::from(hit.toi));
            *(if end.hit.is_some() { &mut hits } else { &mut free }) += 1;
            let (starts, path) = (cores(&shape), Turn::new(pivot, motion, rotation).unwrap());
            let rounding = 1e-9 * f64::from(1.0 + at.length());
            let ended = least(&world, &starts, &cores(&stopped));
            assert!(ended > -rounding, "case {case}: {ended}, {shape:?} by {motion}, {rotation}");
            for step in 0..=40 {
                let time = until * f64::from(step) / 40.0;
                let there: Vec<_> = starts.iter().map(|start| start.turned(&path, time)).collect();
                let least = least(&world, &starts, &there);
                assert!(least > -rounding, "case {case} at {step}: {least}, {shape:?} by {motion}, {rotation}");
            }
        }
    }
    assert!(hits > 250 && free > 150 && overlaps > 300, "{hits} hits, {free} free, {overlaps} overlaps");
}

#[test]
fn a_box_turns_as_far_as_its_own_sweep() {
    let mut rng = Rng::with_seed(SEED);
    let (mut hits, mut differ, mut count) = (0, 0, 0);
    for case in 0..60 {
        let world = scene(&mut rng, Vec3::ZERO, 0..7);
        for _ in 0..10 {
            let center = vector(&mut rng, 3.0);
            let (motion, rotation) = (vector(&mut rng, 3.0), vector(&mut rng, 4.0));
            let body = Obb::new(center, turn(&mut rng), Vec3::new(0.3, 0.6, 0.4)).unwrap();
            let own = BoxSweep::new(body, motion).unwrap().rotating(rotation).unwrap();
            let expected = world.sweep_turning(&own, SKIN, &Filter::ALL);
            let shape = if case % 2 == 0 { Shape::from(body) } else { Hull::new(&body.corners()).unwrap().into() };
            let found = swept(&world, &turning(&shape, motion, center, rotation));
            assert_eq!(found.overlap.is_some(), expected.overlap.is_some(), "case {case}: {body:?}");
            let times = [found.hit.map(|hit| hit.toi), expected.hit.map(|hit| hit.toi)].map(|toi| toi.unwrap_or(1.0));
            differ += usize::from((times[0] - times[1]).abs() > 0.01);
            hits += usize::from(found.hit.is_some());
            count += 1;
        }
    }
    // What only comes within the skin may be hit or not.
    assert!(hits > 100 && differ * 50 < count, "{differ} differ of {count}, {hits} hits");
}

#[test]
fn what_rests_on_something_turns_along_it_and_away_but_not_into_it() {
    let floor = Aabb::new(Vec3::new(-9.0, -1.0, -9.0), Vec3::new(9.0, 0.0, 9.0)).unwrap();
    let mut worlds = [World::new(), World::new()];
    worlds[0].insert(Object::fixed(floor));
    worlds[1].insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
    let half = Vec3::new(1.0, 0.5, 2.0);
    for world in &worlds {
        // Touching exactly, and within the skin.
        for height in [0.0, 0.25 * SKIN, 0.9 * SKIN] {
            let body = Aabb::from_center_half_extents(Vec3::Y * (0.5 + height), half).unwrap();
            let shape = Shape::from(body);
            let spin = swept(world, &turning(&shape, Vec3::ZERO, Vec3::ZERO, Vec3::Y * 3.0));
            assert!(spin.hit.is_none() && spin.overlap.is_none(), "{height}: {spin:?}");
            let slide = swept(world, &turning(&shape, Vec3::X, Vec3::ZERO, Vec3::Y * 3.0));
            assert!(slide.hit.is_none(), "{height}: {slide:?}");
            let lift = swept(world, &turning(&shape, Vec3::Y * 3.0, Vec3::Y * 0.5, Vec3::new(0.3, 1.0, 0.2)));
            assert!(lift.hit.is_none(), "{height}: {lift:?}");
            let tip = swept(world, &turning(&shape, Vec3::ZERO, Vec3::Y * 0.5, Vec3::Z * 0.5));
            assert!(tip.hit.is_some_and(|hit| hit.toi < 1e-2 && hit.normal.y > 0.9), "{height}: {tip:?}");
            // About its lower edge it rolls over, until its side lies down.
            let edge = Vec3::new(1.0, height, 0.0);
            let roll = swept(world, &turning(&shape, Vec3::ZERO, edge, Vec3::Z * -PI));
            let half_way = roll.hit.unwrap().toi;
            assert!((half_way - 0.5).abs() < 2e-3, "{height}: {half_way}");
            let lies = shape.transformed(roll.rotation, roll.translation).unwrap().aabb();
            assert!(lies.min().y >= 0.0 && lies.min().y < 2.0 * SKIN && (lies.max().y - 2.0).abs() < 0.01);
        }
    }
}

#[test]
fn blades_that_turn_many_times_in_a_step_do_not_pass_a_thin_post() {
    let mut rng = Rng::with_seed(SEED);
    let mut hits = 0;
    for case in 0..300 {
        let (angle, distance) = (PI * 2.0 * rng.f32(), 0.5 + 2.4 * rng.f32());
        let foot = Quat::from_rotation_y(angle) * Vec3::X * distance;
        let mut world = World::new();
        let sheet = [foot - Vec3::Y, foot + Vec3::Y, foot + Vec3::new(0.0, 0.0, 1e-4)];
        world.insert(Object::fixed(Triangle::new(sheet[0], sheet[1], sheet[2]).unwrap()));
        // A blade of no thickness, or a thin one, from the axis outward.
        let shape: Shape = if case % 2 == 0 {
            Triangle::new(Vec3::X * 0.1, Vec3::new(3.0, 0.0, 0.0), Vec3::new(3.0, 0.1, 0.0)).unwrap().into()
        } else {
            let blade = Aabb::new(Vec3::X * 0.1, Vec3::new(3.0, 0.01, 0.01)).unwrap();
            Hull::new(&Obb::from(&blade).corners()).unwrap().into()
        };
        let turns = [0.9, 5.0, 60.0][case % 3];
        // It comes by at least once on its first turn.
        let needed = angle / (2.0 * PI);
        let found = swept(&world, &turning(&shape, Vec3::ZERO, Vec3::ZERO, Vec3::Y * (turns * 2.0 * PI)));
        if turns < needed + 0.01 || found.overlap.is_some() {
            continue;
        }
        let hit = found.hit.unwrap_or_else(|| panic!("case {case}: it passed"));
        let turned = hit.toi * turns;
        assert!(turned < needed + 1e-3 && turned > needed - 0.02, "case {case}: {turned} of {needed}");
        hits += 1;
    }
    assert!(hits > 200, "{hits}");
}

#[test]
fn batches_straight_sweeps_and_refusals() {
    let mut rng = Rng::with_seed(SEED);
    let world = scene(&mut rng, Vec3::ZERO, 0..8);
    let shapes: Vec<Shape> = (0..100)
        .map(|i| {
            let (center, rotation) = (vector(&mut rng, 3.0), turn(&mut rng));
            if i % 2 == 0 { hull(&mut rng, center, 0.6).into() } else { compound(&mut rng, rotation, center).into() }
        })
        .collect();
    let sweeps: Vec<_> = shapes
        .iter()
        .map(|shape| turning(shape, vector(&mut rng, 3.0), shape.aabb().center(), vector(&mut rng, 3.0)))
        .collect();
    let mut answers = vec![];
    world.sweep_turning_batch(&sweeps, SKIN, &Filter::ALL, &mut answers);
    assert!(answers.iter().zip(&sweeps).all(|(answer, sweep)| *answer == swept(&world, sweep)));
    for sweep in &sweeps {
        let straight = world.sweep(sweep.translating(), &Filter::ALL);
        let still = sweep.translating().clone().turning(sweep.pivot(), Vec3::ZERO).unwrap();
        let found = swept(&world, &still);
        assert_eq!(
            (found.translation, found.hit, found.overlap),
            (straight.translation, straight.hit, straight.overlap)
        );
        assert_eq!(found.rotation, Quat::IDENTITY);
        // Without a skin, or with one that is no number, it is what rounding takes.
        for skin in [0.0, -1.0, f32::NAN] {
            let found = world.sweep_turning(sweep, skin, &Filter::ALL);
            assert!(found.rotation.is_finite() && found.translation.is_finite());
        }
    }
    let refused = |pivot: Vec3, rotation: Vec3| {
        let sweep = ShapeSweep::new(&shapes[0], Vec3::ZERO).unwrap();
        sweep.turning(pivot, rotation).err()
    };
    assert_eq!(refused(Vec3::NAN, Vec3::Y), Some(Error::NonFinite { field: "pivot" }));
    assert_eq!(refused(Vec3::ZERO, Vec3::INFINITY), Some(Error::NonFinite { field: "rotation" }));
    assert_eq!(refused(Vec3::ZERO, Vec3::Y * 1e6), Some(Error::OutOfRange { field: "rotation" }));
    assert_eq!(refused(Vec3::X * 9e8, Vec3::Y), Some(Error::OutOfRange { field: "pivot" }));
    assert!(refused(Vec3::ZERO, Vec3::Y * FRAC_PI_2).is_none());
}
