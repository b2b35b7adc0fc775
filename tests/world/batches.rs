//! Batches of queries are the single queries, each with its own filter.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Filter, Object, ObjectKey, Shape, ShapeSweep, TurningShapeSweep, World, WorldPlane,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, BoxSweep, Capsule, CapsuleSweep, Hull, Obb, Plane, Ray, Segment, Sphere, SphereSweep},
};

const COUNT: usize = 700;

fn vector(rng: &mut Rng) -> Vec3 {
    Vec3::new(rng.f32(), rng.f32(), rng.f32()) * 2.0 - 1.0
}

fn world(rng: &mut Rng) -> (World, Vec<ObjectKey>) {
    let mut world = World::with_tag(1);
    world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, -8.0).unwrap()).layers(0b100));
    let mut keys = vec![];
    for i in 0..200 {
        let (at, half) = (vector(rng) * 9.0, vector(rng).abs() + 0.2);
        let object = match i % 3 {
            0 => Object::moving(Obb::new(at, Quat::from_scaled_axis(half), half).unwrap()),
            1 => Object::fixed(Aabb::from_center_half_extents(at, half).unwrap()),
            _ => Object::moving(Sphere::new(at, half.x).unwrap()),
        };
        keys.push(world.insert(object.layers(1 << (i % 2))));
    }
    (world, keys)
}

/// A filter of a kind of its own for each.
fn filters<'a>(
    keys: &[ObjectKey],
    rng: &mut Rng,
    is_odd: &'a (dyn Fn(ObjectKey, &Object) -> bool + Sync),
) -> Vec<Filter<'a>> {
    let filter = |i: usize| match i % 5 {
        0 => Filter::ALL,
        1 => Filter::layers(0b10),
        2 => Filter::ALL.fixed_only(),
        3 => Filter::ALL.only(is_odd),
        _ => Filter::ALL,
    };
    (0..COUNT).map(|i| filter(i).without(&keys[(rng.f32() * 100.0) as usize..][..i % 90])).collect()
}

#[test]
fn each_query_of_a_batch_has_its_own_filter() {
    let mut rng = Rng::with_seed(SEED);
    let (world, keys) = world(&mut rng);
    let is_odd = |key: ObjectKey, _: &Object| key.to_bits() % 2 == 1;
    let own = filters(&keys, &mut rng, &is_odd);
    let points: Vec<Vec3> = (0..COUNT).map(|_| vector(&mut rng) * 9.0).collect();
    let segment = |point: &Vec3, rng: &mut Rng| Segment::new(*point, vector(rng) * 8.0).unwrap();
    let segments: Vec<Segment> = points.iter().map(|point| segment(point, &mut rng)).collect();
    let spheres: Vec<Sphere> = points.iter().map(|point| Sphere::new(*point, 2.0 * rng.f32()).unwrap()).collect();
    let boxes: Vec<Obb> = points.iter().map(|point| Obb::new(*point, Quat::IDENTITY, Vec3::ONE).unwrap()).collect();

    let rays: Vec<Ray> =
        points.iter().map(|point| Ray::new(*point, vector(&mut rng) + Vec3::Y * 1e-3).unwrap()).collect();
    let (mut first, mut shadowed) = (vec![None], vec![true]);
    world.cast_ray_batch(&rays, 12.0, &own, &mut first);
    world.any_ray_hit_batch(&rays, 12.0, &own, &mut shadowed);
    let each = || rays.iter().zip(&own);
    assert!(first[1..].iter().copied().eq(each().map(|(ray, filter)| world.cast_ray(ray, 12.0, filter))));
    assert!(shadowed[1..].iter().copied().eq(each().map(|(ray, filter)| world.any_ray_hit(ray, 12.0, filter))));
    let hits = first.iter().flatten().count();
    assert!(hits > COUNT / 4 && hits < COUNT, "{hits}");

    let (mut closest, mut any) = (vec![None], vec![true]);
    world.cast_segment_batch(&segments, &own, &mut closest);
    world.any_segment_hit_batch(&segments, &own[..], &mut any);
    let (mut balls, mut at_points, mut in_boxes, mut nearest) =
        (vec![vec![]], vec![vec![]], vec![vec![]], vec![vec![]]);
    world.overlap_batch(&spheres, &own, &mut balls);
    world.overlap_batch(&points, &own, &mut at_points);
    world.overlap_batch(&boxes, &own, &mut in_boxes);
    world.nearest_batch(&points, 3.0, 2, &own, &mut nearest);
    let mut hits = [0; 4];
    for (i, filter) in own.iter().enumerate() {
        assert_eq!(closest[1 + i], world.cast_segment(&segments[i], filter), "{i}");
        assert_eq!(any[1 + i], world.any_segment_hit(&segments[i], filter), "{i}");
        let mut near = vec![];
        world.overlap(&spheres[i], filter, &mut near);
        assert_eq!(balls[1 + i], near, "{i}");
        near.clear();
        world.overlap(&points[i], filter, &mut near);
        assert_eq!(at_points[1 + i], near, "{i}");
        near.clear();
        world.overlap(&boxes[i], filter, &mut near);
        assert_eq!(in_boxes[1 + i], near, "{i}");
        let mut few = vec![];
        world.nearest(points[i], 3.0, 2, filter, &mut few);
        assert_eq!(nearest[1 + i], few, "{i}");
        let found = [any[1 + i], !balls[1 + i].is_empty(), !at_points[1 + i].is_empty(), !few.is_empty()];
        (0..4).for_each(|kind| hits[kind] += usize::from(found[kind]));
    }
    assert!(hits.iter().all(|count| *count > 20), "{hits:?}");
    // The same for all, and a list that is too short.
    for (filters, answered) in [(own[..1].to_vec(), 1), (vec![], 0)] {
        let mut answers = vec![];
        world.cast_segment_batch(&segments, &filters, &mut answers);
        assert!(answers.len() == COUNT && answers[answered..].iter().all(Option::is_none));
    }
    let (mut one, mut many) = (vec![], vec![]);
    world.cast_segment_batch(&segments, &Filter::layers(0b10), &mut one);
    world.cast_segment_batch(&segments, &vec![Filter::layers(0b10); COUNT], &mut many);
    assert_eq!(one, many);
}

#[test]
fn each_sweep_of_a_batch_has_its_own_filter() {
    let mut rng = Rng::with_seed(SEED + 1);
    let (world, keys) = world(&mut rng);
    let is_odd = |key: ObjectKey, _: &Object| key.to_bits() % 2 == 1;
    let own = filters(&keys, &mut rng, &is_odd);
    let (mut balls, mut boxes, mut capsules) = (vec![], vec![], vec![]);
    for _ in 0..COUNT {
        let (at, motion) = (vector(&mut rng) * 9.0, vector(&mut rng) * 8.0);
        balls.push(SphereSweep::new(Sphere::new(at, 0.2).unwrap(), motion).unwrap());
        boxes.push(BoxSweep::new(Obb::new(at, Quat::IDENTITY, Vec3::splat(0.2)).unwrap(), motion).unwrap());
        capsules.push(CapsuleSweep::new(Capsule::from_half_axis(at, Vec3::Y * 0.2, 0.2).unwrap(), motion).unwrap());
    }
    let (mut of_balls, mut of_boxes, mut of_capsules) = (vec![], vec![], vec![]);
    world.sweep_batch(&balls, &own, &mut of_balls);
    world.sweep_batch(&boxes, &own, &mut of_boxes);
    world.sweep_batch(&capsules, &own, &mut of_capsules);
    let mut hits = 0;
    for (i, filter) in own.iter().enumerate() {
        assert_eq!(of_balls[i], world.sweep(&balls[i], filter), "{i}");
        assert_eq!(of_boxes[i], world.sweep(&boxes[i], filter), "{i}");
        assert_eq!(of_capsules[i], world.sweep(&capsules[i], filter), "{i}");
        hits += usize::from(of_balls[i].hit.is_some());
    }
    assert!(hits > 100, "{hits}");
}

#[test]
fn each_shape_of_a_batch_has_its_own_filter() {
    let mut rng = Rng::with_seed(SEED + 2);
    let (world, keys) = world(&mut rng);
    let is_odd = |key: ObjectKey, _: &Object| key.to_bits() % 2 == 1;
    let own = filters(&keys, &mut rng, &is_odd);
    let shapes: Vec<Shape> = (0..COUNT)
        .map(|_| {
            let at = vector(&mut rng) * 9.0;
            Hull::new(&[(); 7].map(|()| at + vector(&mut rng))).unwrap().into()
        })
        .collect();
    let sweeps: Vec<ShapeSweep> =
        shapes.iter().map(|shape| ShapeSweep::new(shape, vector(&mut rng) * 8.0).unwrap()).collect();
    let turning: Vec<TurningShapeSweep> = sweeps
        .iter()
        .map(|sweep| sweep.clone().turning(sweep.shape().aabb().center(), vector(&mut rng)).unwrap())
        .collect();
    let (mut near, mut all, mut turned) = (vec![], vec![], vec![]);
    world.overlap_batch(&shapes, &own, &mut near);
    world.sweep_all_batch(&sweeps, &own, &mut all);
    world.sweep_turning_batch(&turning, 1e-3, &own, &mut turned);
    let mut hits = [0; 3];
    for (i, filter) in own.iter().enumerate() {
        let (mut few, mut met) = (vec![], vec![]);
        world.overlap(&shapes[i], filter, &mut few);
        world.sweep_all(&sweeps[i], filter, &mut met);
        assert_eq!((&near[i], &all[i]), (&few, &met), "{i}");
        assert_eq!(turned[i], world.sweep_turning(&turning[i], 1e-3, filter), "{i}");
        let found = [!few.is_empty(), !met.is_empty(), turned[i].hit.is_some()];
        (0..3).for_each(|kind| hits[kind] += usize::from(found[kind]));
    }
    assert!(hits.iter().all(|count| *count > 50), "{hits:?}");
}
