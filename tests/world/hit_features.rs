//! Hits report which feature of their part they are on: rays from above, aimed at the corners, edges and faces of
//! meshes, terrains and compounds on a grid, compared with where each hit is seen from above.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Compound, Filter, Mesh, Object, ObjectKey, PlacedCompound, PlacedMesh, PlacedTerrain, Shape, Terrain, World,
    WorldPlane,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{Aabb, Capsule, Feature, HitFeature, Plane, Ray, Segment, Sphere},
};

const SIZE: usize = 9;

/// Whole-numbered heights of a grid of `SIZE` by `SIZE`.
fn heights(rng: &mut Rng) -> Vec<f32> {
    (0..SIZE * SIZE).map(|_| f32::from(rng.i8(-3..=3))).collect()
}

/// The same grid as triangles, each cell cut along either diagonal.
fn mesh(rng: &mut Rng) -> Mesh {
    let heights = heights(rng);
    let at = |i: usize| Vec3::new((i % SIZE) as f32, heights[i], (i / SIZE) as f32);
    let vertices: Vec<Vec3> = (0..SIZE * SIZE).map(at).collect();
    let mut triangles = vec![];
    for i in (0..SIZE * (SIZE - 1)).filter(|i| i % SIZE + 1 < SIZE) {
        let [a, b, c, d] = [i, i + 1, i + SIZE, i + SIZE + 1].map(|i| i as u32);
        triangles.extend(if rng.bool() { [[a, c, d], [d, b, a]] } else { [[c, d, b], [b, a, c]] });
    }
    Mesh::new(&vertices, &triangles).unwrap()
}

/// The feature of a triangle on which a point is, both seen from above.
fn seen(corners: [Vec3; 3], point: Vec3) -> Option<HitFeature> {
    let across = |a: Vec3, b: Vec3| (b.x - a.x) * (point.z - a.z) - (b.z - a.z) * (point.x - a.x);
    let sides = [0, 1, 2].map(|i| across(corners[i], corners[(i + 1) % 3]));
    if sides.iter().any(|side| *side > 0.0) && sides.iter().any(|side| *side < 0.0) {
        return None;
    }
    let on: Vec<usize> = (0..3).filter(|&i| sides[i] == 0.0).collect();
    Some(match on[..] {
        [] => HitFeature::Face(0),
        [0] => HitFeature::Edge([0, 1]),
        [1] => HitFeature::Edge([1, 2]),
        [2] => HitFeature::Edge([0, 2]),
        [0, 1] => HitFeature::Vertex(1),
        [1, 2] => HitFeature::Vertex(2),
        _ => HitFeature::Vertex(0),
    })
}

fn corners(shape: &Shape, part: u32) -> [Vec3; 3] {
    let triangle = match shape {
        Shape::Mesh(mesh) => mesh.triangle(part),
        Shape::Terrain(terrain) => terrain.triangle(part),
        _ => None,
    };
    triangle.unwrap().points()
}

/// Casts a ray and a segment from above at multiples of a quarter on the grid; `triangle` returns the corners of a
/// part.
fn ask(world: &World, at: Vec3, unit: f32, triangle: impl Fn(u32) -> [Vec3; 3], counts: &mut [usize; 3]) {
    let reach = 4 * (SIZE as i32 - 1);
    for (x, z) in (0..=reach).flat_map(|x| (0..=reach).map(move |z| (x, z))) {
        let from = at + Vec3::new(x as f32, 0.0, z as f32) * (0.25 * unit) + Vec3::Y * 64.0;
        let ray = Ray::new(from, Vec3::NEG_Y).unwrap();
        let hit = world.cast_ray(&ray, 200.0, &Filter::ALL).unwrap_or_else(|| panic!("a hole at {from}"));
        let feature = hit.feature(world, &ray);
        assert_eq!(feature, seen(triangle(hit.part), from), "{from} {:?}", triangle(hit.part));
        let segment = Segment::new(from, Vec3::Y * -128.0).unwrap();
        let others = world.cast_segment(&segment, &Filter::ALL).unwrap();
        assert_eq!((others.part, others.feature(world, &segment)), (hit.part, feature));
        let mut all = vec![];
        world.cast_ray_all(&ray, 200.0, &Filter::ALL, &mut all);
        assert!(all.iter().all(|hit| hit.feature(world, &ray) == seen(triangle(hit.part), from)));
        counts[feature.unwrap().kind() as usize] += 1;
    }
}

#[test]
fn of_meshes_and_terrains_wherever_they_are() {
    let (mut rng, mut counts) = (Rng::with_seed(SEED), [0; 3]);
    let quarter = Quat::from_xyzw(0.0, 1.0, 0.0, 0.0);
    for _ in 0..4 {
        let (mesh, far) = (mesh(&mut rng), Vec3::new(40.0, 1.0, -30.0));
        let terrain = Terrain::new(SIZE as u32, SIZE as u32, &heights(&mut rng), Vec2::ONE, Vec2::ZERO).unwrap();
        let end = (SIZE - 1) as f32;
        let placed = |turn: Quat, scale: Vec3| PlacedMesh::new(&mesh, turn, far, scale).unwrap().into();
        let half_turned = far - Vec3::new(end, 0.0, end);
        let cases: [(Shape, Vec3, f32); 5] = [
            (mesh.clone().into(), Vec3::ZERO, 1.0),
            (placed(Quat::IDENTITY, Vec3::splat(2.0)), far, 2.0),
            // Mirrored, and rotated by half a turn.
            (placed(Quat::IDENTITY, Vec3::new(-1.0, 1.0, 1.0)), far - Vec3::X * end, 1.0),
            (placed(quarter, Vec3::ONE), half_turned, 1.0),
            (PlacedTerrain::new(&terrain, Quat::IDENTITY, far).unwrap().into(), far, 1.0),
        ];
        for (shape, at, unit) in cases {
            let mut world = World::new();
            world.insert(Object::fixed(shape.clone()));
            ask(&world, at, unit, |part| corners(&shape, part), &mut counts);
        }
    }
    assert!(counts.iter().all(|&count| count > 1000), "{counts:?}");
}

#[test]
fn of_children_of_a_compound() {
    let (mut rng, mut counts) = (Rng::with_seed(SEED), [0; 3]);
    let mesh = mesh(&mut rng);
    // Below all heights.
    let tile = Aabb::new(Vec3::new(2.0, -9.0, 2.0), Vec3::new(3.0, -8.0, 4.0)).unwrap();
    let compound = Compound::new([tile.into(), mesh.clone().into()]).unwrap();
    let scale = Vec3::new(1.0, 1.0, -2.0);
    let placed = PlacedCompound::scaled(&compound, Quat::IDENTITY, Vec3::Z * 16.0, scale).unwrap();
    let mut world = World::new();
    let key = world.insert(Object::fixed(placed.clone()));
    let child = placed.child(1).unwrap().into_owned();
    let from_above = |x: f32, z: f32| Ray::new(Vec3::new(x, 64.0, z), Vec3::NEG_Y).unwrap();
    for (x, z) in (0..=32).flat_map(|x| (0..=32).map(move |z| (0.25 * x as f32, 0.5 * z as f32))) {
        let ray = from_above(x, z);
        let hit = world.cast_ray(&ray, 200.0, &Filter::ALL).unwrap();
        let expected = seen(corners(&child, hit.part - 1), ray.origin());
        assert_eq!(hit.feature(&world, &ray), expected);
        counts[expected.unwrap().kind() as usize] += 1;
    }
    assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
    let below = Ray::new(Vec3::new(2.5, -40.0, 10.0), Vec3::Y).unwrap();
    let hit = world.cast_ray(&below, 200.0, &Filter::ALL).unwrap();
    assert_eq!((hit.part, hit.feature(&world, &below)), (0, Some(HitFeature::Face(3))));
    world.remove(key);
    assert_eq!(hit.feature(&world, &below), None);
}

#[test]
fn of_other_shapes_and_of_what_is_no_longer_there() {
    let mut world = World::new();
    let ray = Ray::new(Vec3::NEG_X * 9.0, Vec3::X).unwrap();
    let feature = |world: &World| world.cast_ray(&ray, 99.0, &Filter::ALL).unwrap().feature(world, &ray);
    let wall = world.insert_plane(WorldPlane::wall(Plane::new(Vec3::X, -5.0).unwrap()).layers(1));
    assert_eq!(feature(&world), Some(HitFeature::Face(0)));
    let round: [Shape; 2] =
        [Sphere::new(Vec3::ZERO, 1.0).unwrap().into(), Capsule::new(Vec3::NEG_Y, Vec3::Y, 1.0).unwrap().into()];
    for shape in round {
        let key: ObjectKey = world.insert(Object::fixed(shape));
        assert_eq!(feature(&world), None);
        world.remove(key);
    }
    let solid = world.insert(Object::fixed(Aabb::new(Vec3::splat(-2.0), Vec3::splat(2.0)).unwrap()));
    let hit = world.cast_ray(&ray, 99.0, &Filter::ALL).unwrap();
    assert_eq!(hit.feature(&world, &ray).map(HitFeature::kind), Some(Feature::Face));
    // From inside, and with the box moved away.
    let inside = Ray::new(Vec3::ZERO, Vec3::X).unwrap();
    let start = world.cast_ray(&inside, 99.0, &Filter::ALL).unwrap();
    assert!(start.inside && start.feature(&world, &inside).is_none());
    world.object_mut(solid).unwrap().set_shape(Aabb::new(Vec3::splat(3.0), Vec3::splat(4.0)).unwrap());
    assert_eq!(hit.feature(&world, &ray), None);
    world.remove_plane(wall);
    assert!(world.cast_ray(&ray, 99.0, &Filter::ALL).is_none());
}
