//! Placed shapes that are flattened so strongly that points beside them are out of range in their own coordinates.

use cullide_scenes::Rng;
use cullide_world::{
    Compound, Filter, Mesh, Object, PlacedCompound, PlacedMesh, RayHit, Shape, World,
    glam::{Quat, Vec3},
    narrowphase::{Ray, Segment, Triangle},
};

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| (2.0 * rng.f32() - 1.0) * size))
}

fn turn(rng: &mut Rng) -> Quat {
    Quat::from_scaled_axis(vector(rng, 3.0))
}

/// A bumpy square of `2 n²` triangles across an axis, or in one case a single triangle.
fn sheet(rng: &mut Rng, size: f32, n: u32) -> Mesh {
    let side = |i: u32| size * (2.0 * i as f32 / n as f32 - 1.0);
    let corners = (0..=n).flat_map(|i| (0..=n).map(move |j| (i, j)));
    let vertices: Vec<Vec3> =
        corners.map(|(i, j)| Vec3::new(size * (2.0 * rng.f32() - 1.0), side(i), side(j))).collect();
    let at = |i: u32, j: u32| i * (n + 1) + j;
    let cells = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let triangles: Vec<[u32; 3]> = cells
        .flat_map(|(i, j)| [[at(i, j), at(i + 1, j), at(i, j + 1)], [at(i + 1, j + 1), at(i, j + 1), at(i + 1, j)]])
        .collect();
    Mesh::new(&vertices, &triangles).unwrap()
}

/// These triangles as a mesh; `None` if there are none.
fn mesh_of(triangles: impl Iterator<Item = Triangle>) -> Option<Mesh> {
    let corners: Vec<[Vec3; 3]> = triangles.map(|triangle| triangle.points()).collect();
    let numbers: Vec<[u32; 3]> = (0..corners.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::new(corners.as_flattened(), &numbers).ok()
}

/// Checks that rays meet a placed shape as they meet its placed triangles, and returns how many do: one by one, in
/// batches, as segments, and whether there is any.
fn check(rng: &mut Rng, placed: Shape, triangles: &Mesh, case: usize) -> usize {
    let aabb = placed.aabb();
    let worlds = [placed, triangles.into()].map(|shape| {
        let mut world = World::with_tag(1);
        world.insert(Object::fixed(shape));
        world
    });
    let from = aabb.center() + vector(rng, 3.0) * aabb.half_extents().max_element();
    let aims: Vec<Vec3> = (0..40)
        .map(|_| {
            let number = rng.u32(0..triangles.len() as u32);
            let [a, b, c] = triangles.triangle(number).map_or([aabb.center(); 3], |triangle| triangle.points());
            let (s, t) = (0.5 * rng.f32(), 0.5 * rng.f32());
            a + (b - a) * s + (c - a) * t
        })
        .collect();
    let rays: Vec<Ray> = aims.iter().filter_map(|aim| Ray::new(from, *aim - from).ok()).collect();
    let answers = worlds.each_ref().map(|world| {
        let mut batch: Vec<Option<RayHit>> = vec![];
        world.cast_ray_batch(&rays, f32::INFINITY, &Filter::ALL, &mut batch);
        for (ray, batched) in rays.iter().zip(&batch) {
            assert_eq!(world.cast_ray(ray, f32::INFINITY, &Filter::ALL), *batched, "case {case}");
            assert_eq!(world.any_ray_hit(ray, f32::INFINITY, &Filter::ALL), batched.is_some(), "case {case}");
        }
        batch
    });
    let [ours, theirs] = answers.each_ref().map(|hits| hits.iter().map(|hit| hit.map(|hit| (hit.distance, hit.point))));
    assert!(ours.eq(theirs), "case {case}: {answers:?}");
    for aim in &aims {
        let Ok(segment) = Segment::between(from, *aim + (*aim - from)) else { continue };
        let [ours, theirs] = worlds.each_ref().map(|world| world.cast_segment(&segment, &Filter::ALL));
        assert_eq!(ours.map(|hit| hit.fraction), theirs.map(|hit| hit.fraction), "case {case}");
    }
    answers[1].iter().flatten().count()
}

#[test]
fn rays_meet_flattened_meshes_as_they_meet_their_triangles() {
    let (mut rng, mut met) = (Rng::with_seed(1), 0);
    for case in 0..300 {
        let size = [1.0, 2e3, 1e6][case % 3];
        let n = [1, 2, 12][case / 3 % 3];
        let given = sheet(&mut rng, size, n);
        let flat = 2f32.powi(-8 - (case % 13) as i32);
        let scale = [Vec3::new(flat, 1.0, 1.0), Vec3::new(1.0, -flat, 1.0), Vec3::new(flat, flat, 1.0)][case / 9 % 3];
        let Ok(placed) = PlacedMesh::new(&given, turn(&mut rng), vector(&mut rng, size), scale) else { continue };
        let Some(triangles) = mesh_of((0..given.len() as u32).filter_map(|i| placed.triangle(i))) else { continue };
        met += check(&mut rng, placed.into(), &triangles, case);
        // The same, as a child of a compound that places it.
        let compound = Compound::new([Shape::from(&given)]).unwrap();
        if let Ok(child) = PlacedCompound::scaled(&compound, turn(&mut rng), vector(&mut rng, size), scale) {
            let Some(Shape::Mesh(placed)) = child.child(0).map(|child| child.into_owned()) else { panic!("no mesh") };
            let Some(triangles) = mesh_of((0..given.len() as u32).filter_map(|i| placed.triangle(i))) else { continue };
            met += check(&mut rng, child.into(), &triangles, case);
        }
    }
    assert!(met > 10_000, "{met}");
}
