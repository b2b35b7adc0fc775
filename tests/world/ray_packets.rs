//! A batch answers each ray as if it were cast alone, whatever its neighbours are.

use cullide_scenes::{Rng, SEED};
use cullide_support::asked::{self, plane, point, vector};
use cullide_world::{
    Filter, Mesh, Object, PlacedMesh, World, WorldPlane,
    glam::{Quat, Vec3},
    narrowphase::{Ray, Sides},
};

/// A bumpy floor of 2 · 24² triangles over ±12.
fn floor(rng: &mut Rng, sides: Sides) -> Mesh {
    const SIDE: u32 = 25;
    let height = |rng: &mut Rng| if rng.bool() { 0.0 } else { rng.f32() };
    let corners: Vec<Vec3> =
        (0..SIDE * SIDE).map(|i| Vec3::new((i % SIDE) as f32 - 12.0, height(rng), (i / SIDE) as f32 - 12.0)).collect();
    let square = |i: u32| {
        let a = i / (SIDE - 1) * SIDE + i % (SIDE - 1);
        [[a, a + SIDE, a + 1], [a + 1, a + SIDE, a + SIDE + 1]]
    };
    let triangles: Vec<[u32; 3]> = (0..(SIDE - 1) * (SIDE - 1)).flat_map(square).collect();
    Mesh::new(&corners, &triangles).unwrap().with_sides(sides)
}

/// Meshes as given, moved, rotated, scaled and mirrored, some twice at the same place, and other shapes.
fn world(rng: &mut Rng) -> World {
    let mut world = World::new();
    for sides in [Sides::Both, Sides::Front] {
        let floor = floor(rng, sides);
        world.insert(Object::fixed(floor.clone()));
        let turn = Quat::from_scaled_axis(vector(rng, 6.0));
        for (rotation, shift, scale) in [
            (Quat::IDENTITY, Vec3::new(0.0, -3.0, 0.0), Vec3::ONE),
            (Quat::IDENTITY, Vec3::new(1.0, 4.0, 2.0), Vec3::new(-0.5, 1.0, 0.3)),
            (turn, vector(rng, 9.0), Vec3::new(0.3, 0.2, 0.5)),
            (turn, vector(rng, 9.0), Vec3::splat(-0.2)),
        ] {
            let placed = PlacedMesh::new(&floor, rotation, shift, scale).unwrap();
            world.insert(Object::fixed(placed.clone()).layers(rng.u32(0..8)));
            world.insert(Object::moving(placed));
        }
    }
    for i in 0..100 {
        let shape = asked::shape(rng);
        let object = if i % 4 == 0 { Object::moving(shape) } else { Object::fixed(shape) };
        world.insert(object.layers(rng.u32(0..8)));
    }
    world.insert_plane(WorldPlane::half_space(plane(rng)).layers(0b1));
    world.insert_plane(WorldPlane::wall(plane(rng)).layers(0b10));
    world
}

/// A picture of 24 by 12 rays from `eye`, or, without an angle, parallel rays.
fn picture(eye: Vec3, forward: Vec3, angle: Option<f32>) -> Vec<Ray> {
    let right = forward.cross(Vec3::new(0.1, 1.0, 0.2));
    let up = right.cross(forward);
    let ray = |i: u32| {
        let across = right * ((i % 24) as f32 / 12.0 - 1.0) + up * ((i / 24) as f32 / 6.0 - 1.0);
        match angle {
            Some(angle) => Ray::new(eye, forward + across * angle),
            None => Ray::new(eye + across * 0.5, forward),
        }
    };
    (0..24 * 12).filter_map(|i| ray(i).ok()).collect()
}

fn check(world: &World, rays: &[Ray], max_distance: f32, filter: &Filter) -> usize {
    let alone: Vec<_> = rays.iter().map(|ray| world.cast_ray(ray, max_distance, filter)).collect();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut answers = vec![];
        pool.install(|| world.cast_ray_batch(rays, max_distance, filter, &mut answers));
        for ((answer, expected), ray) in answers.iter().zip(&alone).zip(rays) {
            assert_eq!(answer, expected, "{ray:?} up to {max_distance}, {threads} threads");
        }
        assert_eq!(answers.len(), alone.len());
    }
    alone.iter().flatten().count()
}

#[test]
fn a_picture_is_what_each_of_its_rays_gives() {
    let mut rng = Rng::with_seed(SEED);
    let (mut hits, mut all) = (0, 0);
    for _ in 0..3 {
        let world = world(&mut rng);
        let skipped = world.objects().map(|(key, _)| key).nth(1).unwrap();
        for round in 0..40 {
            let eye = point(&mut rng);
            let forward = if round % 4 == 0 { Vec3::AXES[round % 3] } else { point(&mut rng) - eye };
            let mut rays = picture(eye, forward, [Some(0.02), Some(0.3), None, Some(1e-6)][round % 4]);
            match round % 5 {
                // Every second ray elsewhere; half a packet elsewhere; the same ray repeated.
                1 => rays.iter_mut().step_by(2).for_each(|ray| *ray = Ray::new(point(&mut rng), forward).unwrap()),
                2 => rays.chunks_mut(16).for_each(|rays| rays[8..].reverse()),
                3 => rays.chunks_mut(12).for_each(|rays| rays.fill(rays[0])),
                _ => {}
            }
            let filter = [Filter::ALL, Filter::layers(0b11).without(&[skipped]), Filter::ALL.fixed_only()];
            let max_distance = [f32::INFINITY, 30.0, 5.0, f32::INFINITY, 0.0, -1.0, f32::NAN][round % 7];
            hits += check(&world, &rays, max_distance, &filter[round % 3]);
            all += rays.len();
        }
    }
    assert!(hits > all / 4 && hits < all, "{hits} of {all} hit");
}

#[test]
fn rays_through_the_edges_and_corners_of_a_mesh_hit_the_same_triangle_together() {
    let mut rng = Rng::with_seed(SEED);
    let mut world = World::new();
    let floor = floor(&mut rng, Sides::Both);
    world.insert(Object::fixed(floor.clone()));
    world.insert(Object::fixed(floor.clone()));
    let eye = Vec3::new(3.0, 20.0, 1.0);
    let aims = (0..1000).map(|i| {
        let [a, b, _] = floor.triangle(i).unwrap().points();
        a.lerp(b, [0.0, 0.5, 1.0][i as usize % 3])
    });
    let rays: Vec<Ray> = aims.map(|aim| Ray::new(eye, aim - eye).unwrap()).collect();
    // All except some along the border.
    let hits = check(&world, &rays, f32::INFINITY, &Filter::ALL);
    assert!(hits > 950, "{hits} of {} hit", rays.len());
}
