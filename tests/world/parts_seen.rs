//! No part of an object that a camera sees is left out, and few others are shown. A volume touches the same parts as if
//! they were separate objects.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Compound, Filter, Mesh, Object, PlacedCompound, PlacedMesh, PlacedTerrain, Shape, Target, Terrain, World,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{Aabb, Camera, Capsule, Containment, Frustum, Obb, Plane, Side, Sphere},
};
use std::collections::BTreeMap;

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from([0; 3].map(|_| size * (2.0 * rng.f32() - 1.0)))
}

/// Each part of a shape as an object of its own, numbered like the part.
fn apart(shape: &Shape) -> World {
    let mut world = World::new();
    let mut insert = |number: u32, shape: Shape| _ = world.insert(Object::fixed(shape).user(number.into()));
    match shape {
        Shape::Mesh(mesh) => (0..mesh.mesh().len() as u32)
            .for_each(|number| mesh.triangle(number).into_iter().for_each(|part| insert(number, part.into()))),
        Shape::Terrain(terrain) => (0..terrain.terrain().len() as u32)
            .for_each(|number| terrain.triangle(number).into_iter().for_each(|part| insert(number, part.into()))),
        Shape::Compound(compound) => {
            for part in 0.. {
                let Some((number, inner)) = compound.compound().child_of(part) else { break };
                match compound.child(number).unwrap().into_owned() {
                    Shape::Mesh(mesh) => mesh.triangle(inner).into_iter().for_each(|shape| insert(part, shape.into())),
                    child => insert(part, child),
                }
            }
        }
        other => insert(0, other.clone()),
    }
    world
}

fn shapes(rng: &mut Rng) -> Vec<Shape> {
    let vertex = |i: u32| Vec3::new((i % 41) as f32 - 20.0, (i % 7) as f32 * 0.25, (i / 41) as f32 - 20.0);
    let vertices: Vec<Vec3> = (0..41 * 41).map(vertex).collect();
    let squares = (0..40 * 40u32).map(|i| i / 40 * 41 + i % 40);
    let triangles: Vec<[u32; 3]> = squares.flat_map(|i| [[i, i + 41, i + 1], [i + 1, i + 41, i + 42]]).collect();
    let mesh = Mesh::new(&vertices, &triangles).unwrap();
    let heights: Vec<f32> = (0..41 * 41).map(|_| rng.f32()).collect();
    let mut terrain = Terrain::new(41, 41, &heights, Vec2::ONE, Vec2::splat(-20.0)).unwrap();
    terrain.dig(3..20, 7..9).unwrap();
    let balls = (0..400).map(|_| Sphere::new(vector(rng, 20.0), rng.f32()).unwrap().into());
    let small = PlacedMesh::new(&mesh, Quat::IDENTITY, Vec3::Y * 5.0, Vec3::splat(0.25)).unwrap();
    let compound = Compound::new(balls.chain([small.into()])).unwrap();
    let (turn, shift) = (Quat::from_xyzw(0.3, -0.2, 0.7, 0.5), Vec3::new(3.0, -7.0, 11.0));
    vec![
        Sphere::new(Vec3::X, 2.0).unwrap().into(),
        mesh.clone().into(),
        PlacedMesh::new(&mesh, turn, shift, Vec3::new(-1.0, 2.0, 0.5)).unwrap().into(),
        terrain.clone().into(),
        PlacedTerrain::new(&terrain, turn, shift).unwrap().into(),
        compound.clone().into(),
        PlacedCompound::new(&compound, turn, shift).unwrap().into(),
    ]
}

#[test]
fn all_parts_that_a_camera_sees_are_shown_and_few_others() {
    let mut rng = Rng::with_seed(SEED);
    for shape in shapes(&mut rng) {
        let (mut world, parts) = (World::new(), apart(&shape));
        let middle = shape.aabb().center();
        let key = world.insert(Object::fixed(shape));
        let (mut seen, mut shown, mut inside) = (0, 0, 0);
        for _ in 0..60 {
            let (position, forward) = (middle + vector(&mut rng, 25.0), vector(&mut rng, 1.0));
            let far = [f32::INFINITY, 12.0][rng.usize(0..2)];
            let camera = Camera { position, forward, far, ..Camera::default() };
            let frustum = Frustum::from_camera(&camera).unwrap();
            let mut told = BTreeMap::new();
            world.cull_parts(key, &frustum, |parts, containment| {
                for part in parts {
                    assert!(told.insert(u64::from(*part), containment).is_none(), "{part} is shown twice");
                }
            });
            let mut each = BTreeMap::new();
            parts.for_each_visible(&frustum, &Filter::ALL, |_, part, containment| {
                _ = each.insert(part.user, containment)
            });
            for part in each.keys() {
                assert!(told.contains_key(part), "{part}");
            }
            for (part, _) in told.iter().filter(|(_, containment)| **containment == Containment::Inside) {
                assert_eq!(each.get(part), Some(&Containment::Inside), "{part}");
                inside += 1;
            }
            assert!(told.values().all(|containment| *containment != Containment::Outside));
            (seen, shown) = (seen + each.len(), shown + told.len());
        }
        world.remove(key);
        let frustum = Frustum::from_camera(&Camera::default()).unwrap();
        world.cull_parts(key, &frustum, |parts, _| panic!("{parts:?} of nothing"));
        assert!(inside > 0 && shown < 2 * seen, "{shown} of {seen}, {inside} inside");
    }
}

/// A whole object is seen where any part of it is, and is on the side on which all its parts are.
#[test]
fn a_whole_is_seen_and_lies_as_its_parts_do() {
    let mut rng = Rng::with_seed(SEED);
    let (mut seen, mut sides) = ([0; 2], [0; 3]);
    for shape in shapes(&mut rng) {
        let parts = apart(&shape);
        let mut whole = World::new();
        whole.insert(Object::fixed(shape));
        for case in 0..120 {
            let position = vector(&mut rng, 30.0);
            let camera = Camera { position, forward: vector(&mut rng, 1.0), ..Camera::default() };
            let frustum = Frustum::from_camera(&camera).unwrap();
            let [of_whole, of_parts] = [&whole, &parts].map(|world| {
                let mut visible = vec![];
                world.cull(&frustum, &Filter::ALL, &mut visible);
                !visible.is_empty()
            });
            assert_eq!(of_whole, of_parts, "case {case} from {position}");
            seen[usize::from(of_whole)] += 1;
            let plane = Plane::from_point_normal(vector(&mut rng, 18.0), vector(&mut rng, 1.0)).unwrap();
            let [of_whole, of_parts] = [&whole, &parts].map(|world| {
                let mut found = vec![];
                world.for_each_side(&plane, &Filter::ALL, |_, _, side| found.push(side));
                found.dedup();
                if found.len() > 1 { Side::Straddling } else { found[0] }
            });
            assert_eq!(of_whole, of_parts, "case {case} {plane:?}");
            sides[of_whole as usize] += 1;
        }
    }
    assert!(seen.iter().all(|count| *count > 100) && sides.iter().all(|count| *count > 30), "{seen:?} {sides:?}");
}

#[test]
fn a_volume_touches_the_parts_that_it_touches_one_by_one() {
    let mut rng = Rng::with_seed(SEED);
    let (mut some, mut none) = ([0; 4], [0; 4]);
    for shape in shapes(&mut rng) {
        let (mut world, apart) = (World::new(), apart(&shape));
        let around = shape.aabb();
        let key = world.insert(Object::fixed(shape));
        for case in 0..200 {
            let share = Vec3::from([0; 3].map(|_| rng.f32()));
            let (center, size) = (around.min() + (around.max() - around.min()) * share, 0.1 + 2.0 * rng.f32());
            let (turn, axis) = (Quat::from_scaled_axis(vector(&mut rng, 3.0)), vector(&mut rng, size));
            let obb = Obb::new(center, turn, Vec3::new(size, 0.5 * size, 0.3)).unwrap();
            let aabb = Aabb::from_center_half_extents(center, Vec3::new(0.3, size, 0.6 * size)).unwrap();
            let sphere = Sphere::new(center, size).unwrap();
            let capsule = Capsule::from_half_axis(center, axis, 0.4 * size).unwrap();
            let mut parts = [(); 4].map(|()| vec![]);
            world.overlap_parts(key, &obb, &mut parts[0]);
            world.overlap_parts(key, &aabb, &mut parts[1]);
            world.overlap_parts(key, &sphere, &mut parts[2]);
            world.overlap_parts(key, &capsule, &mut parts[3]);
            let mut each = [(); 4].map(|()| vec![]);
            apart.overlap(&obb, &Filter::ALL, &mut each[0]);
            apart.overlap(&aabb, &Filter::ALL, &mut each[1]);
            apart.overlap(&sphere, &Filter::ALL, &mut each[2]);
            apart.overlap(&capsule, &Filter::ALL, &mut each[3]);
            for (i, (parts, each)) in parts.iter().zip(&each).enumerate() {
                let number = |target: &Target| apart.object(target.object().unwrap()).unwrap().user as u32;
                assert_eq!(*parts, each.iter().map(number).collect::<Vec<_>>(), "case {case} of {i}: {obb:?}");
                *if parts.is_empty() { &mut none[i] } else { &mut some[i] } += 1;
            }
        }
        world.remove(key);
        let mut parts = vec![];
        world.overlap_parts(key, &Sphere::new(Vec3::ZERO, 99.0).unwrap(), &mut parts);
        assert!(parts.is_empty());
    }
    assert!(some.iter().chain(&none).all(|count| *count > 100), "{some:?} {none:?}");
}
