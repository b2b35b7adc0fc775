//! Cases in which other libraries failed, with the geometry from the reports.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Character, Filter, Mesh, Mover, Object, PlacedMesh, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, BoxSweep, Capsule, Obb, Ray, Sides, Sphere, SphereSweep},
};

fn world_of(mesh: &Mesh) -> World {
    let mut world = World::new();
    world.insert(Object::fixed(mesh));
    world
}

/// Squares over a grid of points, by column and row.
fn sheet(columns: u32, rows: u32, point: impl Fn(f32, f32) -> Vec3) -> Mesh {
    let place = |i: u32| point((i % (columns + 1)) as f32, (i / (columns + 1)) as f32);
    let vertices: Vec<Vec3> = (0..(columns + 1) * (rows + 1)).map(place).collect();
    let corners = (0..columns * rows).map(|i| i / columns * (columns + 1) + i % columns);
    let below = columns + 1;
    let triangles: Vec<[u32; 3]> =
        corners.flat_map(|i| [[i, i + below, i + 1], [i + 1, i + below, i + below + 1]]).collect();
    Mesh::new(&vertices, &triangles).unwrap()
}

#[test]
fn t3_of_flat_quads_only_the_rim_gives_side_normals() {
    let world = world_of(&sheet(7, 7, |x, z| Vec3::new(x, 0.0, z)));
    let mut rng = Rng::with_seed(SEED);
    for i in 0..2000 {
        // Above an edge or a vertex, every other time.
        let mut at = || if i % 2 == 0 { f32::from(rng.u8(1..=6)) } else { 0.5 + 6.0 * rng.f32() };
        let start = Vec3::new(at(), 0.5, at());
        let motion = Vec3::new(0.2 * rng.f32() - 0.1, -1.0, 0.2 * rng.f32() - 0.1);
        let ball = SphereSweep::new(Sphere::new(start, 0.25).unwrap(), motion).unwrap();
        let normal = world.sweep(&ball, &Filter::ALL).hit.unwrap().normal;
        assert!((normal - Vec3::Y).length() < 1e-5, "{normal}");
        let body = Obb::new(start, Quat::from_rotation_y(f32::from(i as u16)), Vec3::splat(0.2)).unwrap();
        let hit = world.sweep(&BoxSweep::new(body, motion).unwrap(), &Filter::ALL).hit.unwrap();
        assert_eq!(hit.normal, Vec3::Y);
    }
    for (start, motion) in [(Vec3::new(-1.0, 0.0, 3.3), Vec3::X), (Vec3::new(3.0, 0.0, 8.0), Vec3::NEG_Z)] {
        let ball = SphereSweep::new(Sphere::new(start, 0.25).unwrap(), motion).unwrap();
        assert_eq!(world.sweep(&ball, &Filter::ALL).hit.unwrap().normal, -motion);
    }
}

#[test]
fn t4_rays_straight_down_on_vertices_and_edges_of_a_field_hit() {
    let height = |x: f32, z: f32| {
        Vec3::new(5.0 * x, if x * z == 0.0 || x == 20.0 || z == 20.0 { 10.0 } else { x.sin() + z.cos() }, 5.0 * z)
    };
    let world = world_of(&sheet(20, 20, height));
    for (x, z) in [(5.0, 2.63113), (9.50162, 5.0), (10.0, 5.26226), (19.00324, 10.0), (30.0, 15.78678)] {
        let ray = Ray::new(Vec3::new(x, 50.0, z), Vec3::NEG_Y).unwrap();
        let hit = world.cast_ray(&ray, f32::INFINITY, &Filter::ALL);
        assert!(hit.is_some_and(|hit| hit.point.x == x && hit.point.z == z), "{x} {z}: {hit:?}");
    }
}

#[test]
fn t5_a_ray_along_the_cut_of_a_quad_hits_it() {
    let corners = [(-5.0, -5.0), (5.0, -5.0), (5.0, 5.0), (-5.0, 5.0)].map(|(x, y)| Vec3::new(x, y, 0.0));
    let world = world_of(&Mesh::new(&corners, &[[0, 1, 2], [0, 2, 3]]).unwrap());
    let ray = Ray::new(Vec3::Z * 10.0, Vec3::new(0.304_584_47, 0.304_584_47, -0.902_472_5)).unwrap();
    let hit = world.cast_ray(&ray, f32::INFINITY, &Filter::ALL).unwrap();
    assert!((hit.point - Vec3::new(3.375, 3.375, 0.0)).length() < 1e-5, "{}", hit.point);
}

/// A closed surface about the origin: an octahedron subdivided four times, with its vertices pushed in and out.
fn closed(rng: &mut Rng) -> Mesh {
    let mut vertices = vec![Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
    let mut triangles: Vec<[u32; 3]> =
        vec![[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]];
    for _ in 0..4 {
        let mut middles = std::collections::BTreeMap::new();
        let mut finer = vec![];
        for [a, b, c] in triangles {
            let mut middle = |a: u32, b: u32| {
                *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                    vertices.push((vertices[a as usize] + vertices[b as usize]).normalize());
                    vertices.len() as u32 - 1
                })
            };
            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    vertices.iter_mut().for_each(|vertex| *vertex *= 10.0 * (0.9 + 0.2 * rng.f32()));
    Mesh::new(&vertices, &triangles).unwrap()
}

/// Casts rays from inside at vertices, at edges and next to them; returns how many. None leaves.
fn aim(rays: usize) -> usize {
    let mut rng = Rng::with_seed(SEED);
    let mesh = closed(&mut rng);
    let world = world_of(&mesh);
    let mut cast = 0;
    while cast < rays {
        let mut any = || 2.0 * rng.f32() - 1.0;
        let origin = 5.0 * Vec3::new(any(), any(), any());
        let [a, b, _] = mesh.corners(rng.u32(0..mesh.len() as u32)).unwrap().map(|i| mesh.vertices()[i as usize]);
        let share = [0.0, 0.5, rng.f32()][cast % 3];
        let at = a.lerp(b, share);
        let at = if cast % 4 == 0 { Vec3::new(at.x.next_up(), at.y.next_down(), at.z) } else { at };
        let ray = Ray::new(origin, at - origin).unwrap();
        assert!(world.any_ray_hit(&ray, f32::INFINITY, &Filter::ALL), "{ray:?}");
        cast += 1;
    }
    cast
}

#[test]
fn t6_no_ray_leaves_a_closed_mesh() {
    assert_eq!(aim(200_000), 200_000);
}

#[test]
#[ignore = "10 million rays take a while"]
fn t6_none_of_ten_million_rays_leaves_a_closed_mesh() {
    assert_eq!(aim(10_000_000), 10_000_000);
}

#[test]
fn t13_what_rests_on_a_mesh_and_moves_away_or_along_hits_nothing() {
    let world = world_of(&sheet(4, 4, |x, z| Vec3::new(x, 0.0, z)));
    let body = Obb::new(Vec3::new(2.1, 0.5, 1.9), Quat::IDENTITY, Vec3::splat(0.5)).unwrap();
    let ball = Sphere::new(Vec3::new(2.1, 0.5, 1.9), 0.5).unwrap();
    for motion in [Vec3::Y, Vec3::X, Vec3::new(1.0, 0.5, 0.3), Vec3::NEG_Z] {
        let swept = world.sweep(&BoxSweep::new(body, motion).unwrap(), &Filter::ALL);
        assert!(swept.hit.is_none() && swept.overlap.is_none(), "{motion}");
        let swept = world.sweep(&SphereSweep::new(ball, motion).unwrap(), &Filter::ALL);
        assert!(swept.hit.is_none() && swept.overlap.is_none(), "{motion}");
    }
}

/// A box as twelve triangles that face outward.
fn cube(half: Vec3) -> Mesh {
    let corner = |i: u32| half * Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32).map(|x| 2.0 * x - 1.0);
    let vertices: Vec<Vec3> = (0..8).map(corner).collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::new(&vertices, &triangles).unwrap().with_sides(Sides::Front)
}

#[test]
fn t14_a_scaled_mesh_answers_as_one_of_that_size() {
    let size = Vec3::new(1.5, 0.5, 1.5);
    let scaled = PlacedMesh::new(&cube(Vec3::ONE), Quat::IDENTITY, Vec3::ZERO, size).unwrap();
    let mirrored =
        PlacedMesh::new(&cube(Vec3::ONE), Quat::IDENTITY, Vec3::ZERO, size * Vec3::new(-1.0, 1.0, 1.0)).unwrap();
    let worlds = [PlacedMesh::from(cube(size)), scaled, mirrored].map(|mesh| {
        let mut world = World::new();
        world.insert(Object::fixed(mesh));
        world
    });
    let mut rng = Rng::with_seed(SEED);
    for _ in 0..500 {
        let mut any = || 6.0 * rng.f32() - 3.0;
        let (from, to) = (Vec3::new(any(), any(), any()), Vec3::new(any(), any(), any()));
        let body = Obb::new(from, Quat::from_rotation_z(any()), Vec3::splat(0.3)).unwrap();
        let answers = [&worlds[0], &worlds[1], &worlds[2]].map(|world| {
            let ray = world.cast_ray(&Ray::new(from, to - from).unwrap(), f32::INFINITY, &Filter::ALL);
            let swept = world.sweep(&BoxSweep::new(body, to - from).unwrap(), &Filter::ALL);
            let mut near = vec![];
            world.overlap(&body, &Filter::ALL, &mut near);
            (ray.map(|hit| (hit.distance, hit.normal)), swept.position, near.len())
        });
        assert!(answers[0] == answers[1] && answers[0] == answers[2], "{answers:?}");
    }
}

#[test]
fn t19_the_height_of_a_character_on_flat_ground_never_varies() {
    let mut worlds = [world_of(&sheet(40, 40, |x, z| Vec3::new(x - 20.0, 0.0, z - 20.0))), World::new()];
    let floor = Aabb::new(Vec3::new(-20.0, -1.0, -20.0), Vec3::new(20.0, 0.0, 20.0)).unwrap();
    worlds[1].insert(Object::fixed(floor));
    for world in worlds {
        let body = Obb::new(Vec3::new(-15.0, 1.1, -14.0), Quat::IDENTITY, Vec3::new(0.35, 1.1, 0.35)).unwrap();
        let mut hero = Character::new(body);
        let (mover, seconds) = (Mover::default(), 1.0 / 30.0);
        for frame in 0..90 {
            let turn = Quat::from_rotation_y(0.02 * f32::from(frame as u8));
            hero.velocity = turn * Vec3::new(6.0, 0.0, 6.7) - Vec3::Y * 30.0 * seconds;
            mover.walk(&world, &mut hero, seconds, &Filter::ALL).unwrap();
            assert_eq!(hero.position().y, 1.1, "frame {frame}");
            assert!(hero.is_on_ground());
        }
    }
}

/// Rides a lift of triangles up and down, its top at 0.25 in the middle. `walk` steps by the given number of seconds
/// and returns the height of the foot if it stands on something.
fn ride(mut walk: impl FnMut(&World, f32) -> Option<f32>) {
    let mut world = World::new();
    let platform = cube(Vec3::new(2.0, 0.25, 2.0));
    let lift = world.insert(Object::moving(&platform));
    for frame in 0..600u16 {
        let height = 3.0 * (0.02 * f32::from(frame)).sin();
        world.object_mut(lift).unwrap().set_transform(Quat::IDENTITY, Vec3::Y * height).unwrap();
        let foot = walk(&world, 1.0 / 60.0).unwrap_or_else(|| panic!("frame {frame}: in the air"));
        let above = foot - height - 0.25;
        assert!(above.abs() < 1e-4, "frame {frame}: {above}");
    }
}

#[test]
fn t20_a_lift_of_triangles_carries_a_character_up_and_down() {
    let mut hero = Character::new(Obb::new(Vec3::Y * 1.35, Quat::IDENTITY, Vec3::new(0.35, 1.1, 0.35)).unwrap());
    ride(|world, seconds| {
        hero.velocity = Vec3::NEG_Y * 9.81 * seconds;
        Mover::default().walk(world, &mut hero, seconds, &Filter::ALL).unwrap();
        hero.is_on_ground().then_some(hero.position().y - 1.1)
    });
}

#[test]
fn t20_a_lift_of_triangles_carries_a_capsule_up_and_down() {
    let mut hero = Character::new(Capsule::new(Vec3::Y * 0.6, Vec3::Y * 2.1, 0.35).unwrap());
    ride(|world, seconds| {
        hero.velocity = Vec3::NEG_Y * 9.81 * seconds;
        Mover::default().walk(world, &mut hero, seconds, &Filter::ALL).unwrap();
        hero.is_on_ground().then_some(hero.position().y - 1.1)
    });
}
