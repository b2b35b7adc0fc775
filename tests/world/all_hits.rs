//! All that a moving shape touches on its way: what each thing alone would report, in order.

use super::shape_sweeps::{mover, shapes, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Filter, Object, ObjectKey, Shape, ShapeHit, ShapeSweep, World, WorldPlane,
    glam::Vec3,
    narrowphase::{Plane, Sphere},
};

const OBJECTS: u32 = 1;
const FLOOR: u32 = 2;
const WALL: u32 = 4;

fn world_of(shapes: &[Shape]) -> World {
    let mut world = World::new();
    world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::X, 6.0).unwrap()).layers(FLOOR));
    world.insert_plane(WorldPlane::wall(Plane::new(Vec3::new(0.6, 0.0, 0.8), 4.0).unwrap()).layers(WALL));
    for (i, shape) in shapes.iter().enumerate() {
        let object = if i % 2 == 0 { Object::fixed(shape.clone()) } else { Object::moving(shape.clone()) };
        world.insert(object.layers(OBJECTS));
    }
    world
}

/// The first hit on each thing, asked for one by one.
fn one_by_one(world: &World, sweep: &ShapeSweep) -> Vec<ShapeHit> {
    let mut hits = vec![];
    for (key, _) in world.objects() {
        let is_it = |other: ObjectKey, _: &Object| other == key;
        hits.extend(world.sweep(sweep, &Filter::layers(OBJECTS).only(&is_it)).hit);
    }
    for layer in [FLOOR, WALL] {
        hits.extend(world.sweep(sweep, &Filter::layers(layer)).hit);
    }
    hits.sort_by(|a, b| a.toi.total_cmp(&b.toi).then(a.target.cmp(&b.target)));
    hits
}

/// Neighbours change the normal at the edge of a triangle.
fn told(hits: &[ShapeHit]) -> Vec<impl PartialEq + std::fmt::Debug> {
    hits.iter().map(|hit| (hit.target, hit.part, hit.own_part, hit.toi, hit.point, hit.surface)).collect()
}

#[test]
fn all_hits_are_those_on_each_thing_alone_in_order() {
    let mut rng = Rng::with_seed(SEED);
    let (mut most, mut count, mut filtered) = (0, 0, 0);
    for case in 0..40 {
        let world = world_of(&shapes(&mut rng));
        for _ in 0..20 {
            let center = vector(&mut rng, 6.0);
            let (shape, motion) = (mover(&mut rng, center), vector(&mut rng, 12.0));
            let sweep = ShapeSweep::new(&shape, motion).unwrap();
            let mut found = vec![];
            world.sweep_all(&sweep, &Filter::ALL, &mut found);
            let expected = one_by_one(&world, &sweep);
            assert_eq!(told(&found), told(&expected), "case {case}: {shape:?} by {motion}");
            // The closest one is the first of them, unless something is overlapped at the start.
            let swept = world.sweep(&sweep, &Filter::ALL);
            if swept.overlap.is_none() {
                let first: Vec<ShapeHit> = swept.hit.into_iter().collect();
                assert_eq!(told(&first), told(&found[..found.len().min(1)]), "case {case}");
            }
            let mut moving = vec![];
            world.sweep_all(&sweep, &Filter::ALL.moving_only(), &mut moving);
            let others = found.iter().filter(|hit| !moving.iter().any(|other| other.target == hit.target)).count();
            assert_eq!(others + moving.len(), found.len());
            (most, count, filtered) = (most.max(found.len()), count + found.len(), filtered + others);
        }
    }
    assert!(most >= 8 && count > 900 && filtered > 500, "{most} at most, {count} in all, {filtered} filtered");
}

#[test]
fn batches_of_all_hits_are_the_single_answers() {
    let mut rng = Rng::with_seed(SEED);
    let world = world_of(&shapes(&mut rng));
    let movers: Vec<(Shape, Vec3)> = (0..150)
        .map(|_| {
            let center = vector(&mut rng, 6.0);
            (mover(&mut rng, center), vector(&mut rng, 9.0))
        })
        .collect();
    let sweeps: Vec<ShapeSweep> =
        movers.iter().map(|(shape, motion)| ShapeSweep::new(shape, *motion).unwrap()).collect();
    let mut answers = vec![];
    world.sweep_all_batch(&sweeps, &Filter::ALL, &mut answers);
    for (sweep, answer) in sweeps.iter().zip(&answers) {
        let mut hits = vec![];
        world.sweep_all(sweep, &Filter::ALL, &mut hits);
        assert_eq!(*answer, hits);
    }
    assert!(answers.iter().map(Vec::len).sum::<usize>() > 150);
    // Nothing stops a shape that does not move, and hits are appended.
    let ball = Shape::from(Sphere::new(Vec3::ZERO, 9.0).unwrap());
    let mut hits = answers[0].clone();
    world.sweep_all(&ShapeSweep::new(&ball, Vec3::ZERO).unwrap(), &Filter::ALL, &mut hits);
    assert_eq!(hits, answers[0]);
}
