//! The nearest triangle of a mesh is the one found by asking all its triangles one by one.

use cullide_narrowphase::Solid;
use cullide_scenes::{Rng, SEED, fractal, grid};
use cullide_world::{
    Compound, Filter, Mesh, Mobility, Object, PlacedMesh, Shape, Terrain, World,
    glam::{Quat, Vec2, Vec3},
};

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0)))
}

#[test]
fn the_nearest_triangle_is_that_of_all_and_of_equals_the_first() {
    let mut rng = Rng::with_seed(SEED ^ 31);
    // Bumps, with many points nearest to an edge or a corner, and a cone of a hundred triangles about one corner.
    let heights = fractal(24, SEED);
    let bumps = grid(&heights, 24);
    let bumps = (bumps.vertices.into_iter().map(Vec3::from).collect::<Vec<_>>(), bumps.triangles);
    let rim = (0..100).map(|i| Quat::from_rotation_y(i as f32 * 0.06) * Vec3::new(3.0, -2.0, 0.0));
    let cone: Vec<Vec3> = std::iter::once(Vec3::ZERO).chain(rim).collect();
    let cone = (cone, (1..100).map(|i| [0, i, i + 1]).collect::<Vec<_>>());
    let mut shared = 0;
    for (vertices, triangles) in [bumps, cone] {
        let mesh = Mesh::new(&vertices, &triangles).unwrap();
        for _ in 0..1500 {
            let near = vertices[rng.usize(..vertices.len())] + vector(&mut rng, 2.0);
            let point = if rng.bool() { near.round() } else { near };
            let distance = |at: Vec3| at.as_dvec3().distance(point.as_dvec3());
            let all = (0..triangles.len() as u32).filter_map(|i| Some((i, mesh.triangle(i)?.closest_point(point))));
            let all: Vec<_> = all.collect();
            let least = all.iter().map(|(_, at)| distance(*at)).fold(f64::INFINITY, f64::min);
            let first = all.iter().find(|(_, at)| distance(*at) == least).copied();
            assert_eq!(mesh.closest_point(point, f32::INFINITY), first, "{point}");
            let within = mesh.closest_point(point, least as f32 * 0.999);
            assert!(within.is_none() || least == 0.0, "{point}");
            shared += usize::from(all.iter().filter(|(_, at)| distance(*at) == least).count() > 1);
        }
    }
    assert!(shared > 500, "{shared}");
}

#[test]
fn the_nearest_triangle_of_a_placed_mesh_is_that_of_all_however_it_is_scaled_and_far_away() {
    let mut rng = Rng::with_seed(SEED ^ 37);
    let bumps = grid(&fractal(24, SEED), 24);
    let vertices: Vec<Vec3> = bumps.vertices.into_iter().map(Vec3::from).collect();
    let mesh = Mesh::new(&vertices, &bumps.triangles).unwrap();
    let mut shared = 0;
    // Rotated; mirrored; larger; smaller; stretched a little, a lot, and so much that no bound holds before a triangle
    // is asked.
    let scales = [
        Vec3::ONE,
        Vec3::new(-1.0, 1.0, 1.0),
        Vec3::splat(5.0),
        Vec3::splat(1e-3),
        Vec3::new(1.0, 1.4, 1.0),
        Vec3::new(1.0, 3.0, 0.5),
        Vec3::new(1e-4, 1.0, 1.0),
    ];
    for (scale, far) in scales.into_iter().flat_map(|scale| [0.0, 30.0, 1e5].map(|far| (scale, far))) {
        let (rotation, translation) = (Quat::from_rotation_x(far * 0.03), Vec3::new(far, -far, 0.3 * far));
        let placed = PlacedMesh::new(&mesh, rotation, translation, scale).unwrap();
        let mut world = World::new();
        world.insert(Object::fixed(placed.clone()));
        for _ in 0..60 {
            let near = vertices[rng.usize(..vertices.len())] + vector(&mut rng, 2.0);
            let point = rotation * (scale * if rng.bool() { near.round() } else { near }) + translation;
            let distance = |at: Vec3| at.as_dvec3().distance(point.as_dvec3());
            let all = (0..mesh.len() as u32).filter_map(|i| Some((i, placed.triangle(i)?.closest_point(point))));
            let all: Vec<_> = all.collect();
            let least = all.iter().map(|(_, at)| distance(*at)).fold(f64::INFINITY, f64::min);
            let first = all.iter().find(|(_, at)| distance(*at) == least).copied();
            let mut found = vec![];
            world.nearest(point, f32::INFINITY, 1, &Filter::ALL, &mut found);
            let found = found.first().map(|near| (near.part, near.point));
            assert_eq!(found, first, "{scale} {far} {point}");
            shared += usize::from(all.iter().filter(|(_, at)| distance(*at) == least).count() > 1);
        }
    }
    assert!(shared > 100, "{shared}");
}

#[test]
fn what_is_as_far_as_the_limit_is_near_and_of_equals_the_first_key_comes_first() {
    let mut rng = Rng::with_seed(SEED ^ 41);
    let terrain = Terrain::new(2, 2, &[0.0, 0.0, 0.0, 1.0], Vec2::ONE, Vec2::ZERO).unwrap();
    let corners: Vec<Vec3> = (0..2).flat_map(|number| terrain.triangle(number).unwrap().points()).collect();
    let mesh = Mesh::new(&corners, &[[0, 1, 2], [3, 4, 5]]).unwrap();
    let compound = Compound::new([Shape::from(&terrain)]).unwrap();
    for shape in [Shape::from(&terrain), Shape::from(&mesh), Shape::from(&compound)] {
        for _ in 0..1000 {
            let point = vector(&mut rng, 3.0);
            let mut world = World::new();
            let first = world.insert(Object::moving(shape.clone()));
            let second = world.insert(Object::fixed(shape.clone()));
            let nearest = |world: &World, limit: f32, count: usize| {
                let mut near = vec![];
                world.nearest(point, limit, count, &Filter::ALL, &mut near);
                near
            };
            let near = nearest(&world, f32::INFINITY, 2);
            assert_eq!([near[0].target, near[1].target], [first.into(), second.into()], "{point}");
            let limit = near[0].distance;
            assert_eq!(nearest(&world, limit, 2), near, "{point}");
            assert_eq!(nearest(&world, limit, 1), near[..1], "{point}");
            assert_eq!(nearest(&world, limit.next_down(), 1), [], "{point}");
            world.object_mut(first).unwrap().set_mobility(Mobility::Fixed);
            assert_eq!(nearest(&world, f32::INFINITY, 1), near[..1], "{point}");
        }
    }
}
