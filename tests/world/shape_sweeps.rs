//! Any convex shape, and compounds of them, swept through a world: the first of what each thing alone would give, the
//! same as the sweeps of boxes, balls and capsules, and nothing is ever passed through.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Compound, Filter, Mesh, Object, PlacedCompound, PlacedMesh, Shape, ShapeHit, ShapeSweep, SweptShape, Terrain,
    World, WorldPlane,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{
        Aabb, BoxSweep, Capsule, CapsuleSweep, Convex, Cylinder, Error, Hull, Obb, Patch, Plane, Sides, Sphere,
        SphereSweep, Triangle,
    },
};

pub(super) fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from([0; 3].map(|_| size * (2.0 * rng.f32() - 1.0)))
}

fn turn(rng: &mut Rng) -> Quat {
    Quat::from_scaled_axis(vector(rng, 3.0))
}

fn hull(rng: &mut Rng, center: Vec3, size: f32) -> Hull {
    let points: Vec<Vec3> = (0..10).map(|_| center + vector(rng, size)).collect();
    Hull::new(&points).unwrap()
}

/// The triangles of two tetrahedra that penetrate each other.
fn rock(rng: &mut Rng) -> Mesh {
    let points: Vec<Vec3> = (0..8).map(|_| vector(rng, 1.0)).collect();
    let faces = |i: u32| [[i, i + 1, i + 2], [i, i + 2, i + 3], [i, i + 3, i + 1], [i + 1, i + 3, i + 2]];
    Mesh::new(&points, &[faces(0), faces(4)].concat()).unwrap()
}

/// Some of each kind of shape.
pub(super) fn shapes(rng: &mut Rng) -> Vec<Shape> {
    let (one_sided, rock) = (rock(rng).with_sides(Sides::Front), rock(rng));
    let heights: Vec<f32> = (0..15 * 15).map(|_| rng.f32() - 6.0).collect();
    let hills = Terrain::new(15, 15, &heights, Vec2::ONE, Vec2::splat(-7.0)).unwrap();
    let mut shapes = vec![Shape::from(&hills)];
    for i in 0..48 {
        let (center, rotation) = (vector(rng, 6.0), turn(rng));
        shapes.push(match i % 9 {
            0 => Aabb::from_center_half_extents(center, Vec3::new(0.4, 0.7, 1.0)).unwrap().into(),
            1 => Obb::new(center, rotation, Vec3::new(0.4, 0.7, 1.0)).unwrap().into(),
            2 => Capsule::from_half_axis(center, rotation * Vec3::Y, 0.4).unwrap().into(),
            3 => hull(rng, center, 1.0).into(),
            4 => PlacedMesh::new(&rock, rotation, center, Vec3::new(1.0, -1.5, 0.7)).unwrap().into(),
            5 => PlacedMesh::new(&one_sided, rotation, center, Vec3::ONE).unwrap().into(),
            6 => Triangle::new(center, center + vector(rng, 2.0), center + vector(rng, 2.0)).unwrap().into(),
            7 => Cylinder::from_half_axis(center, rotation * Vec3::Y, [0.4, 0.8]).unwrap().into(),
            _ => Sphere::new(center, 0.8).unwrap().into(),
        });
    }
    shapes
}

fn planes(world: &mut World) {
    world.insert_plane(Plane::new(Vec3::X, 6.0).unwrap());
    world.insert_plane(WorldPlane::wall(Plane::new(Vec3::new(0.6, 0.0, 0.8), 4.0).unwrap()));
}

fn world_of(shapes: &[Shape]) -> World {
    let mut world = World::with_tag(1);
    planes(&mut world);
    for (i, shape) in shapes.iter().enumerate() {
        world.insert(if i % 2 == 0 { Object::fixed(shape.clone()) } else { Object::moving(shape.clone()) });
    }
    world
}

/// A shape that can be swept, near the origin.
pub(super) fn mover(rng: &mut Rng, center: Vec3) -> Shape {
    let rotation = turn(rng);
    match rng.usize(0..8) {
        0 => hull(rng, center, 0.7).into(),
        1 => Obb::new(center, rotation, Vec3::new(0.3, 0.9, 0.5)).unwrap().into(),
        2 => Capsule::from_half_axis(center, rotation * Vec3::X, 0.3).unwrap().into(),
        3 => Sphere::new(center, 0.5).unwrap().into(),
        4 => Triangle::new(center, center + vector(rng, 1.0), center + vector(rng, 1.0)).unwrap().into(),
        5 => {
            let corner = |x: f32, z: f32| center + Vec3::new(x, 0.0, z);
            Patch::new(&[corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)]).unwrap().into()
        }
        6 => Cylinder::from_half_axis(center, rotation * Vec3::X, [0.5, 0.2]).unwrap().into(),
        _ => compound(rng, rotation, center).into(),
    }
}

fn compound(rng: &mut Rng, rotation: Quat, center: Vec3) -> PlacedCompound {
    let children: Vec<Shape> = vec![
        Obb::new(Vec3::X, turn(rng), Vec3::new(0.3, 0.5, 0.2)).unwrap().into(),
        hull(rng, Vec3::NEG_X, 0.6).into(),
        Sphere::new(Vec3::Z, 0.4).unwrap().into(),
    ];
    PlacedCompound::new(&Compound::new(children).unwrap(), rotation, center).unwrap()
}

fn swept(world: &World, shape: &Shape, motion: Vec3) -> SweptShape {
    world.sweep(&ShapeSweep::new(shape, motion).unwrap(), &Filter::ALL)
}

#[test]
fn what_is_hit_first_is_the_first_of_what_each_thing_alone_gives() {
    let mut rng = Rng::with_seed(SEED);
    let [mut hits, mut overlaps] = [0; 2];
    for case in 0..40 {
        let shapes = shapes(&mut rng);
        let world = world_of(&shapes);
        // Each object alone, under the key that it has among all.
        let alone: Vec<World> = (0..=shapes.len())
            .map(|kept| {
                let mut world = world_of(&shapes);
                let keys: Vec<_> = world.objects().map(|(key, _)| key).collect();
                let planes: Vec<_> = world.planes().map(|(key, _)| key).collect();
                for (i, key) in keys.into_iter().enumerate() {
                    if i != kept {
                        world.remove(key);
                    }
                }
                if kept < shapes.len() {
                    planes.into_iter().for_each(|key| _ = world.remove_plane(key));
                }
                world
            })
            .collect();
        for _ in 0..20 {
            let (center, motion) = (vector(&mut rng, 6.0), vector(&mut rng, 6.0));
            let shape = mover(&mut rng, center);
            let found = swept(&world, &shape, motion);
            let each: Vec<SweptShape> = alone.iter().map(|world| swept(world, &shape, motion)).collect();
            let deepest = each.iter().filter_map(|swept| swept.overlap);
            let deepest = deepest
                .min_by(|a, b| (-a.depth).total_cmp(&-b.depth).then((a.target, a.part).cmp(&(b.target, b.part))));
            let first = each.iter().filter_map(|swept| swept.hit);
            let first = first.min_by(|a, b| a.toi.total_cmp(&b.toi).then((a.target, a.part).cmp(&(b.target, b.part))));
            assert_eq!(found.overlap, deepest, "case {case}: {shape:?} by {motion}");
            let first = first.filter(|_| deepest.is_none());
            // Neighbours change the normal at the edge of a triangle.
            let told = |hit: ShapeHit| (hit.target, hit.part, hit.own_part, hit.toi, hit.point);
            assert_eq!(found.hit.map(told), first.map(told), "case {case}: {shape:?} by {motion}");
            hits += usize::from(found.hit.is_some());
            overlaps += usize::from(found.overlap.is_some());
        }
    }
    assert!(hits > 250 && overlaps > 150, "{hits} hits, {overlaps} overlaps");
}

#[test]
fn boxes_balls_and_capsules_hit_what_their_own_sweeps_say() {
    let mut rng = Rng::with_seed(SEED);
    let (mut count, mut differ) = (0, 0);
    for _ in 0..40 {
        let world = world_of(&shapes(&mut rng));
        for _ in 0..30 {
            let (center, motion) = (vector(&mut rng, 6.0), vector(&mut rng, 6.0));
            let obb = Obb::new(center, turn(&mut rng), Vec3::new(0.3, 0.9, 0.5)).unwrap();
            let ball = Sphere::new(center, 0.5).unwrap();
            let capsule = Capsule::from_half_axis(center, turn(&mut rng) * Vec3::X, 0.3).unwrap();
            let expected = [
                world.sweep(&BoxSweep::new(obb, motion).unwrap(), &Filter::ALL),
                world.sweep(&SphereSweep::new(ball, motion).unwrap(), &Filter::ALL),
                world.sweep(&CapsuleSweep::new(capsule, motion).unwrap(), &Filter::ALL),
            ];
            for (shape, expected) in [obb.into(), ball.into(), capsule.into()].iter().zip(expected) {
                let found = swept(&world, shape, motion);
                assert_eq!(found.overlap.is_some(), expected.overlap.is_some(), "{shape:?} by {motion}");
                assert_eq!(found.hit.is_some(), expected.hit.is_some(), "{shape:?} by {motion}");
                if let (Some(found), Some(expected)) = (found.hit, expected.hit) {
                    assert!((found.toi - expected.toi).abs() < 1e-5, "{found:?} {expected:?} {shape:?}");
                    differ += usize::from((found.target, found.part) != (expected.target, expected.part));
                    count += 1;
                }
                if let (Some(found), Some(expected)) = (found.overlap, expected.overlap) {
                    assert!((found.depth - expected.depth).abs() < 1e-4, "{found:?} {expected:?} {shape:?}");
                }
            }
        }
    }
    // Neighbouring triangles are hit at the same time up to rounding.
    assert!(count > 900 && differ * 50 < count, "{differ} of {count}");
}

#[test]
fn a_compound_stops_where_the_first_of_its_children_does() {
    let mut rng = Rng::with_seed(SEED);
    let mut hits = [0; 3];
    for _ in 0..30 {
        let world = world_of(&shapes(&mut rng));
        for _ in 0..20 {
            let (center, motion, rotation) = (vector(&mut rng, 6.0), vector(&mut rng, 6.0), turn(&mut rng));
            let whole = compound(&mut rng, rotation, center);
            let each = [0, 1, 2].map(|child| swept(&world, &whole.child(child).unwrap(), motion));
            let found = swept(&world, &whole.into(), motion);
            assert_eq!(found.overlap.is_some(), each.iter().any(|child| child.overlap.is_some()));
            if found.overlap.is_none() {
                let times = each.map(|child| child.hit.map_or(2.0, |hit| hit.toi));
                let least = times.into_iter().fold(2.0, f32::min);
                assert_eq!(found.hit.map_or(2.0, |hit| hit.toi), least);
                if let Some(hit) = found.hit {
                    assert_eq!(times[hit.own_part as usize], least);
                    hits[hit.own_part as usize] += 1;
                }
            }
        }
    }
    assert!(hits.iter().all(|hits| *hits > 20), "{hits:?}");
}

/// The convex parts of a shape by value: boxes and triangles only.
fn convexes(shape: &Shape) -> Vec<Convex<'static>> {
    match shape {
        Shape::Obb(shape) => vec![(*shape).into()],
        Shape::Triangle(shape) => vec![(*shape).into()],
        Shape::Mesh(mesh) => (0..8).filter_map(|number| mesh.triangle(number)).map(Convex::from).collect(),
        _ => vec![],
    }
}

#[test]
fn a_shape_penetrates_nothing_where_it_stops_near_or_far_out() {
    let mut rng = Rng::with_seed(SEED);
    let mut hits = 0;
    for case in 0..60 {
        let far = [0.0, 100.0, 1e4, 1e6][case % 4];
        let offset = vector(&mut rng, far);
        let mut world = World::new();
        let rock = rock(&mut rng);
        for i in 0..12 {
            let center = offset + vector(&mut rng, 4.0);
            world.insert(Object::fixed(match i % 3 {
                0 => Shape::from(Obb::new(center, turn(&mut rng), Vec3::new(0.4, 0.7, 1.0)).unwrap()),
                1 => PlacedMesh::new(&rock, turn(&mut rng), center, Vec3::ONE).unwrap().into(),
                _ => Triangle::new(center, center + vector(&mut rng, 2.0), center + vector(&mut rng, 2.0))
                    .map_or_else(|_| Sphere::new(center, 0.1).unwrap().into(), Shape::from),
            }));
        }
        let start = |rng: &mut Rng| {
            let center = offset + vector(rng, 4.0);
            Shape::from(hull(rng, center, 0.6))
        };
        let mut shape = start(&mut rng);
        for _ in 0..40 {
            let motion = vector(&mut rng, 3.0) + 0.5 * (offset - shape.aabb().center());
            let found = swept(&world, &shape, motion);
            if found.overlap.is_some() {
                shape = start(&mut rng);
                continue;
            }
            let stopped = shape.transformed(Quat::IDENTITY, found.translation).unwrap();
            let Shape::Brush(brush) = &stopped else { panic!() };
            let own = Convex::from(&**brush).core();
            for (key, object) in world.objects() {
                for part in convexes(&object.shape) {
                    assert!(!own.penetrates(&part.core()), "case {case}: in {key}: {shape:?} by {motion}");
                }
            }
            hits += usize::from(found.hit.is_some());
            shape = stopped;
        }
    }
    assert!(hits > 500, "{hits}");
}

#[test]
fn a_shape_without_thickness_never_passes_a_triangle() {
    let mut rng = Rng::with_seed(SEED);
    let mut hits = 0;
    for case in 0..400 {
        let far = [0.0, 1e3, 1e5, 1e7][case % 4];
        let (offset, size) = (vector(&mut rng, far), 1.0 + far * 1e-6);
        let corner = |x: f32, z: f32| offset + size * Vec3::new(x, 0.0, z);
        let lean = if case % 3 == 0 { 0.0 } else { 1e-3 };
        let mut world = World::new();
        let sheet = [corner(-50.0, -50.0), corner(50.0, -50.0), corner(0.0, 90.0)];
        world.insert(Object::fixed(Triangle::new(sheet[0], sheet[1], sheet[2]).unwrap()));
        let above = Vec3::Y * size * 2.0;
        let points = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0) + Vec3::Y * size * lean];
        let [a, b, c] = points.map(|point| point + above);
        let mut shape = Shape::from(Triangle::new(a, b, c).unwrap());
        for step in 0..30 {
            let motion = size * Vec3::new(rng.f32() - 0.5, -0.3 * rng.f32(), rng.f32() - 0.5);
            let found = swept(&world, &shape, motion);
            assert!(found.overlap.is_none(), "case {case}, step {step}: {shape:?}");
            shape = shape.transformed(Quat::IDENTITY, found.translation).unwrap();
            hits += usize::from(found.hit.is_some());
            let Shape::Triangle(triangle) = &shape else { panic!() };
            let least = triangle.points().into_iter().map(|point| point.y - offset.y).fold(f32::INFINITY, f32::min);
            assert!(least >= 0.0, "case {case}, step {step}: {least} below: {shape:?}");
        }
    }
    assert!(hits > 2000, "{hits}");
}

#[test]
fn a_hull_rests_on_a_plane_and_slides_along_it() {
    let mut rng = Rng::with_seed(SEED);
    let (mut hits, mut free) = (0, 0);
    for case in 0..500 {
        let normal = vector(&mut rng, 1.0).normalize();
        let plane = Plane::new(normal, rng.f32()).unwrap();
        let mut world = World::new();
        world.insert_plane(WorldPlane::half_space(plane).layers(1));
        let mut shape = Shape::from(hull(&mut rng, normal * 6.0, 1.0));
        for _ in 0..8 {
            let motion = vector(&mut rng, 4.0) - 2.0 * normal;
            let found = swept(&world, &shape, motion);
            assert!(found.overlap.is_none(), "case {case}");
            shape = shape.transformed(Quat::IDENTITY, found.translation).unwrap();
            let Shape::Brush(brush) = &shape else { panic!() };
            assert!(Convex::from(&**brush).core().heights_over(&plane)[0] >= 0.0, "case {case}");
            match found.hit {
                Some(hit) => {
                    hits += 1;
                    assert!(hit.normal.distance(normal) < 1e-6 && plane.signed_distance(hit.point).abs() < 1e-4);
                }
                None => free += 1,
            }
        }
    }
    assert!(hits > 1500 && free > 500, "{hits} {free}");
}

#[test]
fn batches_and_refusals() {
    let mut rng = Rng::with_seed(SEED);
    let world = world_of(&shapes(&mut rng));
    let movers: Vec<(Shape, Vec3)> = (0..200)
        .map(|_| {
            let center = vector(&mut rng, 6.0);
            (mover(&mut rng, center), vector(&mut rng, 6.0))
        })
        .collect();
    let sweeps: Vec<ShapeSweep> =
        movers.iter().map(|(shape, motion)| ShapeSweep::new(shape, *motion).unwrap()).collect();
    let mut answers = vec![];
    world.sweep_batch(&sweeps, &Filter::ALL, &mut answers);
    let single: Vec<SweptShape> = sweeps.iter().map(|sweep| world.sweep(sweep, &Filter::ALL)).collect();
    assert_eq!(answers, single);
    let error = |shape: &Shape, motion: Vec3| ShapeSweep::new(shape, motion).unwrap_err();
    let ball = Shape::from(Sphere::new(Vec3::ZERO, 1.0).unwrap());
    assert_eq!(error(&ball, Vec3::NAN), Error::NonFinite { field: "motion" });
    assert_eq!(error(&ball, Vec3::X * 2e9), Error::OutOfRange { field: "motion" });
    let rock = Shape::from(&rock(&mut rng));
    assert_eq!(error(&rock, Vec3::X), Error::Surface { field: "shape" });
    let house = Shape::from(Compound::new([ball, rock]).unwrap());
    assert_eq!(error(&house, Vec3::X), Error::Surface { field: "shape" });
}

#[test]
fn nothing_is_touched_before_the_time_of_impact() {
    let mut rng = Rng::with_seed(SEED);
    let mut hits = 0;
    for _ in 0..40 {
        let shapes = shapes(&mut rng);
        let world = world_of(&shapes);
        for _ in 0..20 {
            let (center, motion) = (vector(&mut rng, 6.0), vector(&mut rng, 6.0));
            let rock = hull(&mut rng, center, 0.7);
            let shape = Shape::from(rock.clone());
            let found = swept(&world, &shape, motion);
            let Some(hit) = found.hit else { continue };
            hits += 1;
            let own = Convex::from(&rock).core();
            for share in [0.25, 0.5, 0.9, 0.999] {
                let part_way = motion * (share * hit.toi);
                let there = own.translated(part_way).unwrap();
                for shape in &shapes {
                    for part in convexes(shape) {
                        // One-sided meshes may be entered from behind.
                        if !matches!(shape, Shape::Mesh(mesh) if mesh.mesh().sides() == Sides::Front) {
                            assert!(!there.penetrates(&part.core()), "{shape:?} at {share} of {}", hit.toi);
                        }
                    }
                }
            }
        }
    }
    assert!(hits > 200, "{hits}");
}
