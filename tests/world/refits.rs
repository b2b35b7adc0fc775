//! A mesh whose vertices were moved equals the mesh of the moved vertices.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Filter, Mesh, MeshError, Object, World,
    glam::{Quat, Vec3},
    narrowphase::{BoxSweep, Error, Obb, Ray, Sides},
};

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from([0; 3].map(|_| size * (2.0 * rng.f32() - 1.0)))
}

/// Some of a soup's vertices are on a grid, so that triangles lose and gain area as they move.
fn vertices(rng: &mut Rng, is_flat: bool) -> Vec<Vec3> {
    let mut point = || {
        if is_flat { Vec3::new(f32::from(rng.i8(-3..=3)), 0.0, 0.0) } else { vector(rng, 6.0) }
    };
    (0..60).map(|_| point()).collect()
}

fn triangles(rng: &mut Rng) -> Vec<[u32; 3]> {
    (0..200).map(|_| [(); 3].map(|()| rng.u32(0..60))).collect()
}

#[test]
fn a_mesh_with_moved_vertices_answers_as_one_built_of_them() {
    let mut rng = Rng::with_seed(SEED);
    let mut hits = 0;
    for round in 0..60 {
        let triangles = triangles(&mut rng);
        let surfaces: Vec<u16> = (0..200).map(|_| rng.u16(..)).collect();
        let before = vertices(&mut rng, round % 7 == 0);
        // In every other mesh a few vertices move onto others or apart; in the rest all move a little.
        let mut after = before.clone();
        if round % 2 == 0 {
            (0..8).for_each(|_| after[rng.usize(0..60)] = before[rng.usize(0..60)]);
        } else {
            after.iter_mut().for_each(|vertex| *vertex += vector(&mut rng, 0.5));
        }
        if round % 5 == 0 {
            after = vertices(&mut rng, round % 10 == 0);
        }
        let build = |vertices: &[Vec3]| {
            let mesh = Mesh::new(vertices, &triangles).unwrap().with_sides(Sides::Front);
            mesh.with_surfaces(&surfaces).unwrap()
        };
        let (mut moved, built) = (build(&before), build(&after));
        let old = moved.clone();
        moved.refit(&after).unwrap();
        assert!(moved == built && old == build(&before) && (moved != old || before == after));
        assert_eq!((moved.aabb(), moved.degenerate()), (built.aabb(), built.degenerate()));
        assert!((0..200).all(|number| moved.triangle(number) == built.triangle(number)));
        let [one, other] = [&moved, &built].map(|mesh| {
            let mut world = World::with_tag(1);
            world.insert(Object::fixed(mesh));
            world
        });
        assert_eq!(one.hash(), other.hash());
        for _ in 0..100 {
            let from = vector(&mut rng, 9.0);
            let ray = Ray::new(from, vector(&mut rng, 5.0) - from).unwrap();
            let [a, b] = [&one, &other].map(|world| world.cast_ray(&ray, f32::INFINITY, &Filter::ALL));
            assert_eq!(a, b);
            hits += usize::from(a.is_some());
            let body = Obb::new(from, Quat::from_rotation_x(rng.f32()), Vec3::new(0.2, 0.3, 0.5)).unwrap();
            let sweep = BoxSweep::new(body, vector(&mut rng, 9.0)).unwrap();
            let [a, b] = [&one, &other].map(|world| world.sweep(&sweep, &Filter::ALL));
            assert_eq!(a, b);
            let [a, b] = [&one, &other].map(|world| {
                let mut near = vec![];
                world.nearest(from, f32::INFINITY, 1, &Filter::ALL, &mut near);
                near
            });
            assert_eq!(a, b);
        }
    }
    assert!(hits > 1500, "{hits}");
}

#[test]
fn vertices_that_cannot_be_leave_the_mesh_as_it_is() {
    let mut rng = Rng::with_seed(SEED);
    let vertices = vertices(&mut rng, false);
    let mut mesh = Mesh::new(&vertices, &triangles(&mut rng)).unwrap();
    let before = mesh.clone();
    assert_eq!(mesh.refit(&vertices[1..]), Err(MeshError::VertexCount { vertices: 59, expected: 60 }));
    let mut bad = vertices;
    bad[7].y = f32::NAN;
    let error = mesh.refit(&bad).unwrap_err();
    assert_eq!(error, MeshError::BadVertex { vertex: 7, error: Error::NonFinite { field: "vertices" } });
    assert_eq!(error.to_string(), "vertex 7: `vertices` holds a NaN or an infinity; give finite numbers");
    assert_eq!(mesh, before);
}
