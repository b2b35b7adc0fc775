//! Overlaps with shapes of any kind.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Compound, Filter, Mesh, Object, PlacedCompound, PlacedMesh, Shape, Target, Terrain, World, WorldPlane,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{Aabb, Capsule, Cylinder, Hull, Obb, Patch, Plane, Sphere, Triangle},
};

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from([0; 3].map(|_| size * (2.0 * rng.f32() - 1.0)))
}

fn turn(rng: &mut Rng) -> Quat {
    Quat::from_scaled_axis(vector(rng, 3.0))
}

fn hull(rng: &mut Rng, center: Vec3) -> Hull {
    let points: Vec<Vec3> = (0..8).map(|_| center + vector(rng, 1.0)).collect();
    Hull::new(&points).unwrap()
}

/// A terrain of sharp hills, a little smaller than the scene.
fn hills(rng: &mut Rng) -> Terrain {
    let heights: Vec<f32> = (0..15 * 15).map(|_| rng.f32() - 6.0).collect();
    Terrain::new(15, 15, &heights, Vec2::ONE, Vec2::splat(-7.0)).unwrap()
}

/// The triangles of two tetrahedra that penetrate each other.
fn rock(rng: &mut Rng) -> Mesh {
    let points: Vec<Vec3> = (0..8).map(|_| vector(rng, 1.0)).collect();
    let faces = |i: u32| [[i, i + 1, i + 2], [i, i + 2, i + 3], [i, i + 3, i + 1], [i + 1, i + 3, i + 2]];
    Mesh::new(&points, &[faces(0), faces(4)].concat()).unwrap()
}

/// Some of each kind of shape, and two planes.
fn scene(rng: &mut Rng) -> World {
    let mut world = World::with_tag(1);
    let (rock, hills) = (rock(rng), hills(rng));
    for i in 0..60 {
        let (center, rotation) = (vector(rng, 6.0), turn(rng));
        let shape: Shape = match i % 7 {
            0 => Aabb::from_center_half_extents(center, Vec3::new(0.4, 0.7, 1.0)).unwrap().into(),
            1 => Obb::new(center, rotation, Vec3::new(0.4, 0.7, 1.0)).unwrap().into(),
            2 => Capsule::from_half_axis(center, rotation * Vec3::Y, 0.4).unwrap().into(),
            3 => hull(rng, center).into(),
            4 => PlacedMesh::new(&rock, rotation, center, Vec3::new(1.0, -1.5, 0.7)).unwrap().into(),
            5 => Cylinder::from_half_axis(center, rotation * Vec3::Y, [0.4, 0.8]).unwrap().into(),
            _ => Sphere::new(center, 0.8).unwrap().into(),
        };
        world.insert(if i % 2 == 0 { Object::fixed(shape) } else { Object::moving(shape) });
    }
    world.insert(Object::fixed(&hills));
    world.insert_plane(Plane::new(Vec3::X, 6.0).unwrap());
    world.insert_plane(WorldPlane::wall(Plane::new(Vec3::new(0.6, 0.0, 0.8), 4.0).unwrap()));
    world
}

fn touched(world: &World, shape: &Shape) -> Vec<Target> {
    let mut near = vec![];
    world.overlap(shape, &Filter::ALL, &mut near);
    assert_eq!(world.any_overlap(shape, &Filter::ALL), !near.is_empty());
    near
}

#[test]
fn boxes_balls_and_capsules_touch_what_their_own_functions_say() {
    let mut rng = Rng::with_seed(SEED);
    let world = scene(&mut rng);
    let mut count = 0;
    for case in 0..600 {
        let (center, rotation) = (vector(&mut rng, 7.0), turn(&mut rng));
        let obb = Obb::new(center, rotation, Vec3::new(0.3, 0.9, 0.5)).unwrap();
        let aabb = Aabb::from_center_half_extents(center, Vec3::new(0.3, 0.9, 0.5)).unwrap();
        let sphere = Sphere::new(center, 0.7).unwrap();
        let capsule = Capsule::from_half_axis(center, rotation * Vec3::X, 0.3).unwrap();
        let mut expected = [(); 4].map(|()| vec![]);
        world.overlap(&obb, &Filter::ALL, &mut expected[0]);
        world.overlap(&aabb, &Filter::ALL, &mut expected[1]);
        world.overlap(&sphere, &Filter::ALL, &mut expected[2]);
        world.overlap(&capsule, &Filter::ALL, &mut expected[3]);
        for (shape, expected) in [obb.into(), aabb.into(), sphere.into(), capsule.into()].iter().zip(&expected) {
            assert_eq!(touched(&world, shape), *expected, "case {case}: {shape:?}");
            count += expected.len();
        }
        // A hull of the corners of a box touches what the box does.
        let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| {
            let side = |axis: usize| if i >> axis & 1 == 0 { -1.0 } else { 1.0 };
            center + rotation * (Vec3::new(side(0), side(1), side(2)) * Vec3::new(0.3, 0.9, 0.5))
        });
        assert_eq!(touched(&world, &Hull::new(&corners).unwrap().into()), expected[0], "case {case}: {obb:?}");
    }
    assert!(count > 1500, "{count}");
}

#[test]
fn a_composite_touches_what_its_parts_touch() {
    let mut rng = Rng::with_seed(SEED);
    let world = scene(&mut rng);
    let rock = rock(&mut rng);
    let (mut some, mut none) = (0, 0);
    for case in 0..300 {
        let (place, rotation) = (vector(&mut rng, 6.0), turn(&mut rng));
        let children: Vec<Shape> = vec![
            Obb::new(Vec3::X * 2.0, turn(&mut rng), Vec3::new(0.3, 0.5, 0.2)).unwrap().into(),
            hull(&mut rng, Vec3::NEG_X).into(),
            Sphere::new(Vec3::Z * 1.5, 0.4).unwrap().into(),
        ];
        let compound = PlacedCompound::new(&Compound::new(children).unwrap(), rotation, place).unwrap();
        let mesh = PlacedMesh::new(&rock, rotation, place, Vec3::ONE).unwrap();
        let parts: [Vec<Shape>; 2] = [
            (0..3).map(|child| compound.child(child).unwrap().into_owned()).collect(),
            (0..8).filter_map(|number| mesh.triangle(number)).map(Shape::from).collect(),
        ];
        for (whole, parts) in [Shape::from(compound), mesh.into()].iter().zip(&parts) {
            let mut each: Vec<Target> = parts.iter().flat_map(|part| touched(&world, part)).collect();
            each.sort_unstable();
            each.dedup();
            let mut all = touched(&world, whole);
            // A whole may cross a wall between two of its parts.
            all.retain(|target| target.object().is_some());
            each.retain(|target| target.object().is_some());
            assert_eq!(all, each, "case {case}: {whole:?}");
            *if all.is_empty() { &mut none } else { &mut some } += 1;
        }
    }
    assert!(some > 100 && none > 20, "{some} {none}");
}

/// Whichever of the two is asked for: also of solids and triangles, for which there are no functions of their own.
#[test]
fn two_shapes_touch_each_other_or_neither_does() {
    let mut rng = Rng::with_seed(SEED);
    let (rock, hills) = (rock(&mut rng), hills(&mut rng));
    let (mut touching, mut apart) = (0, 0);
    for case in 0..600 {
        let mut shape = |kind: usize| -> Shape {
            let center = vector(&mut rng, 2.0) - Vec3::Y * 4.0;
            match kind {
                0 => hull(&mut rng, center).into(),
                1 => PlacedMesh::new(&rock, turn(&mut rng), center, Vec3::splat(1.5)).unwrap().into(),
                2 => Triangle::new(center, center + vector(&mut rng, 2.0), center + vector(&mut rng, 2.0))
                    .unwrap()
                    .into(),
                _ => (&hills).into(),
            }
        };
        let (a, b) = (shape(case % 4), shape(case / 4 % 3));
        let touches = |a: &Shape, b: &Shape| {
            let mut world = World::new();
            world.insert(Object::fixed(b.clone()));
            !touched(&world, a).is_empty()
        };
        assert_eq!(touches(&a, &b), touches(&b, &a), "case {case}: {a:?} and {b:?}");
        *if touches(&a, &b) { &mut touching } else { &mut apart } += 1;
    }
    assert!(touching > 100 && apart > 100, "{touching} {apart}");
}

/// Two polygons in one plane are apart only along that plane: triangles of integers on either side of a slanted border,
/// and patches, turned in space; and those that share an edge or a corner touch.
#[test]
fn flat_shapes_in_one_plane_touch_only_where_they_meet() {
    let mut rng = Rng::with_seed(SEED);
    let flat = |corners: &[[f32; 2]]| -> Vec<Vec3> { corners.iter().map(|[x, z]| Vec3::new(*x, 0.0, *z)).collect() };
    let triangle = flat(&[[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]]);
    let others = [
        (flat(&[[4.0, 4.0], [2.0, 4.0], [4.0, 2.0]]), false),
        (flat(&[[1000.0, 1.0], [1001.0, 1.0], [1000.0, 2.0]]), false),
        (flat(&[[4.0, 0.0], [4.0, 4.0], [0.0, 4.0]]), true),
        (flat(&[[4.0, 0.0], [8.0, 0.0], [8.0, 1.0]]), true),
        (flat(&[[1.0, 1.0], [2.0, 1.0], [1.0, 2.0]]), true),
        (flat(&[[3.0, 3.0], [-1.0, -1.0], [3.0, 4.0]]), true),
    ];
    for case in 0..200 {
        // At first where they are, where all is exact.
        let (rotation, place) = if case == 0 { Default::default() } else { (turn(&mut rng), vector(&mut rng, 9.0)) };
        let placed = |corners: &[Vec3]| -> Shape {
            let [a, b, c] = [0, 1, 2].map(|i| rotation * corners[i] + place);
            Triangle::new(a, b, c).unwrap().into()
        };
        for (i, (other, touches)) in others.iter().enumerate() {
            let mut world = World::new();
            world.insert(Object::fixed(placed(&triangle)));
            // Rounding puts rotated ones into two planes, which may be apart.
            let is_touched = !touched(&world, &placed(other)).is_empty();
            assert!(is_touched == *touches || (case > 0 && !is_touched), "{case}, {i}");
            // Among others the tree tells them apart by their boxes.
            world.insert(Object::fixed(Sphere::new(Vec3::splat(-50.0), 1.0).unwrap()));
            if !touches {
                assert!(touched(&world, &placed(other)).is_empty(), "{case}, {i}");
            }
        }
    }
    let square = |x: f32| {
        let corners = flat(&[[x, 0.0], [x, 1.0], [x + 1.0, 1.0], [x + 1.0, 0.0]]);
        Shape::from(Patch::new(&corners).unwrap())
    };
    let mut world = World::new();
    world.insert(Object::fixed(square(0.0)));
    assert_eq!([0.5, 1.0, 1.5, 900.0].map(|x| world.any_overlap(&square(x), &Filter::ALL)), [true, true, false, false]);
}
