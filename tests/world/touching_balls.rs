//! A ball touches a mesh, wherever the mesh is, exactly if it touches one of its triangles.

use cullide_narrowphase::{
    Solid, Sphere,
    glam::{Quat, Vec3},
};
use cullide_scenes::{Rng, SEED};
use cullide_world::{Filter, Mesh, Object, PlacedMesh, World};

/// Small triangles, with integer vertices or not, slivers among them.
fn mesh(rng: &mut Rng, case: usize) -> Mesh {
    let round = |v: Vec3| if case.is_multiple_of(2) { v.round() } else { v };
    let mut vector = |size: f32| round(Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0))));
    let mut vertices = vec![];
    for i in 0..80 {
        let a = vector(12.0);
        let [b, c] = [a + vector(4.0), a + vector(4.0)];
        let c = if i % 5 == 0 { a + (b - a) * 0.3 + (c - a) * [0.0, 1e-3, 1e-5][i % 3] } else { c };
        vertices.extend([a, b, c]);
    }
    let triangles: Vec<[u32; 3]> = (0..80).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::new(&vertices, &triangles).unwrap()
}

/// The mesh at one of several places, scaled uniformly or not.
fn placed(rng: &mut Rng, mesh: &Mesh, case: usize) -> PlacedMesh {
    let axis = Vec3::from([(); 3].map(|()| rng.f32() - 0.5)).normalize_or(Vec3::Y);
    let turn = Quat::from_axis_angle(axis, 3.0 * rng.f32());
    let (turn, shift, scale) = match case % 8 {
        0 | 1 => return mesh.clone().into(),
        2 => (Quat::IDENTITY, Vec3::new(7.0, -2.0, 3.0), Vec3::ONE),
        3 => (turn, Vec3::new(700.1, -20.3, 3.0), Vec3::ONE),
        4 => (turn, Vec3::Y, Vec3::new(-0.013, 0.013, 0.013)),
        5 => (turn, Vec3::splat(1e6), Vec3::splat(0.25)),
        6 => (turn, Vec3::X, Vec3::new(1.0, 1.3, 0.9)),
        _ => (turn, Vec3::X, Vec3::new(1.0, 30.0, 0.1)),
    };
    PlacedMesh::new(mesh, turn, shift, scale).unwrap()
}

#[test]
fn a_ball_touches_a_mesh_if_it_touches_a_triangle_of_it() {
    let mut rng = Rng::with_seed(SEED ^ 91);
    let mut counts = [[0; 2]; 8];
    for case in 0..160 {
        let mesh = mesh(&mut rng, case);
        let placed = placed(&mut rng, &mesh, case);
        let triangles: Vec<_> = (0..mesh.len() as u32).filter_map(|number| placed.triangle(number)).collect();
        let mut world = World::new();
        world.insert(Object::fixed(placed.clone()));
        let (low, size) = (placed.aabb().min(), placed.aabb().max() - placed.aabb().min());
        for i in 0..24 {
            let mut center = low + size * Vec3::from([(); 3].map(|()| rng.f32()));
            if i % 3 == 0 {
                center = center.round();
            }
            let distances = triangles.iter().map(|triangle| triangle.closest_point(center).distance(center));
            let least = distances.fold(f32::INFINITY, f32::min);
            // Barely near enough or not, by single steps of `f32`, and clearly so.
            for radius in
                [least, least.next_up(), least.next_down(), least * 1.000_001, least * 0.999_999, 2.0 * least, 0.0]
            {
                let Ok(ball) = Sphere::new(center, radius) else { continue };
                let expected = triangles.iter().any(|triangle| triangle.overlaps_sphere(&ball));
                let mut near = vec![];
                world.overlap(&ball, &Filter::ALL, &mut near);
                assert_eq!(!near.is_empty(), expected, "case {case}: {ball:?}");
                if case % 8 < 2 {
                    assert_eq!(mesh.overlaps_sphere(&ball), expected, "case {case}: {ball:?}");
                }
                counts[case % 8][usize::from(expected)] += 1;
            }
        }
    }
    assert!(counts.iter().flatten().all(|count| *count > 400), "{counts:?}");
}
