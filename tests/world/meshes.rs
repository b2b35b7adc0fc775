//! A mesh answers as its triangles would if each were a separate object.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Filter, Mesh, Object, ObjectKey, PlacedMesh, Response, SlideOptions, Target,
    World,
    glam::{Quat, Vec3},
    narrowphase::{
        Aabb, BoxSweep, Camera, Capsule, CapsuleSweep, Frustum, Obb, Plane, Ray, Segment, Sides, Solid, Sphere,
        SphereSweep, Triangle,
    },
};

/// A world with one mesh, and one with its triangles, whose keys are in the order of their numbers.
struct Pair {
    mesh: World,
    whole: ObjectKey,
    triangles: World,
    keys: Vec<ObjectKey>,
}

impl Pair {
    fn new(placed: &PlacedMesh) -> Self {
        let (mut mesh, mut triangles) = (World::new(), World::new());
        let whole = mesh.insert(Object::fixed(placed.clone()));
        let all = (0..placed.mesh().len() as u32).map(|number| placed.triangle(number));
        // A triangle without area keeps its number.
        let far = Triangle::new(Vec3::splat(1e8), Vec3::splat(1e8) + Vec3::X * 64.0, Vec3::splat(1e8) + Vec3::Y * 64.0);
        let keys = all.map(|triangle| triangles.insert(Object::fixed(triangle.unwrap_or(far.unwrap())))).collect();
        Self { mesh, whole, triangles, keys }
    }

    fn key(&self, (target, part): (Target, u32)) -> Target {
        if target == self.whole.into() { self.keys[part as usize].into() } else { target }
    }
}

/// Hills of 2 × 12 × 12 triangles, about 12 wide.
fn hills(rng: &mut Rng) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut height = || 0.25 * f32::from(rng.i8(-4..=4));
    let vertices = (0..169u8).map(|i| Vec3::new(f32::from(i % 13) - 6.0, height(), f32::from(i / 13) - 6.0)).collect();
    let squares = (0..144u32).map(|i| i / 12 * 13 + i % 12);
    (vertices, squares.flat_map(|i| [[i, i + 13, i + 1], [i + 1, i + 13, i + 14]]).collect())
}

/// Random triangles, some without area.
fn soup(rng: &mut Rng) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut point =
        || Vec3::from([0; 3].map(|_| if rng.bool() { f32::from(rng.i8(-5..=5)) } else { 10.0 * (rng.f32() - 0.5) }));
    let vertices: Vec<Vec3> = (0..90).map(|_| point()).collect();
    let mut corner = || rng.u32(0..90);
    (vertices, (0..60).map(|_| [corner(), corner(), corner()]).collect())
}

fn placements(rng: &mut Rng, mesh: &Mesh) -> Vec<PlacedMesh> {
    let mut any = || 2.0 * rng.f32() - 1.0;
    let mut placed = vec![PlacedMesh::from(mesh.clone())];
    for scale in [Vec3::ONE, Vec3::new(-1.0, 1.0, 1.0), Vec3::new(0.5, -2.0, 1.5)] {
        let turn = Quat::from_xyzw(any(), any(), any(), any());
        let place = 50.0 * Vec3::new(any(), any(), any());
        placed.push(PlacedMesh::new(mesh, turn, place, scale).unwrap());
    }
    placed
}

/// Calls `visit` with placed meshes as worlds, a number generator for queries, and the middle of the region to query.
fn each_pair(rounds: usize, sides: Sides, mut visit: impl FnMut(&Pair, &mut Rng, Vec3)) {
    let mut rng = Rng::with_seed(SEED);
    for round in 0..rounds {
        let (vertices, triangles) = if round % 2 == 0 { hills(&mut rng) } else { soup(&mut rng) };
        let mesh = Mesh::new(&vertices, &triangles).unwrap().with_sides(sides);
        for placed in placements(&mut rng, &mesh) {
            visit(&Pair::new(&placed), &mut rng, placed.aabb().center());
        }
    }
}

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from([0; 3].map(|_| size * (2.0 * rng.f32() - 1.0)))
}

#[test]
fn rays_and_segments_meet_the_same_triangles() {
    let mut hits = 0;
    each_pair(12, Sides::Both, |pair, rng, middle| {
        for _ in 0..300 {
            let (from, to) = (middle + vector(rng, 12.0), middle + vector(rng, 6.0));
            let ray = Ray::new(from, to - from).unwrap();
            let max = if rng.bool() { f32::INFINITY } else { from.distance(to) };
            let [mesh, single] = [&pair.mesh, &pair.triangles].map(|world| world.cast_ray(&ray, max, &Filter::ALL));
            let told =
                mesh.map(|hit| (pair.key((hit.target, hit.part)), hit.distance, hit.point, hit.normal, hit.inside));
            assert_eq!(told, single.map(|hit| (hit.target, hit.distance, hit.point, hit.normal, hit.inside)));
            assert_eq!(pair.mesh.any_ray_hit(&ray, max, &Filter::ALL), mesh.is_some());
            let segment = Segment::between(from, to).unwrap();
            let (mut all, mut singles) = (vec![], vec![]);
            pair.mesh.cast_segment_all(&segment, &Filter::ALL, &mut all);
            pair.triangles.cast_segment_all(&segment, &Filter::ALL, &mut singles);
            let told: Vec<_> = all.iter().map(|hit| (pair.key((hit.target, hit.part)), hit.fraction)).collect();
            assert_eq!(told, singles.iter().map(|hit| (hit.target, hit.fraction)).collect::<Vec<_>>());
            hits += all.len();
        }
    });
    assert!(hits > 20_000, "{hits}");
}

#[test]
fn a_mesh_alone_answers_as_in_a_world() {
    let (mut rng, mut counts) = (Rng::with_seed(SEED), [0; 3]);
    for round in 0..12 {
        let (vertices, triangles) = if round % 2 == 0 { hills(&mut rng) } else { soup(&mut rng) };
        let sides = if round % 3 == 0 { Sides::Front } else { Sides::Both };
        let mesh = Mesh::new(&vertices, &triangles).unwrap().with_sides(sides);
        let mut world = World::new();
        world.insert(Object::fixed(&mesh));
        for _ in 0..200 {
            let (from, to, size) = (vector(&mut rng, 12.0), vector(&mut rng, 6.0), vector(&mut rng, 1.0).abs());
            // On a grid, for ties.
            let [from, to] = if rng.bool() { [from.round(), to.round()] } else { [from, to] };
            let max = if rng.bool() { f32::INFINITY } else { from.distance(to) };
            let Ok(ray) = Ray::new(from, to - from) else { continue };
            let told =
                mesh.cast_ray(&ray, max).map(|(part, hit)| (part, hit.distance, hit.exit, hit.point, hit.normal));
            let hit = world.cast_ray(&ray, max, &Filter::ALL);
            assert_eq!(told, hit.map(|hit| (hit.part, hit.distance, hit.exit, hit.point, hit.normal)));
            counts[0] += usize::from(told.is_some());
            let (mut near, reach) = (vec![], if rng.bool() { f32::INFINITY } else { size.x });
            world.nearest(to, reach, 1, &Filter::ALL, &mut near);
            assert_eq!(mesh.closest_point(to, reach), near.first().map(|near| (near.part, near.point)));
            counts[1] += near.len();
            let turned = Obb::new(to, Quat::from_rotation_y(rng.f32()), size).unwrap();
            let straight = Aabb::new(to - size, to + size).unwrap();
            let (ball, hero) = (Sphere::new(to, size.x).unwrap(), Capsule::new(to, to + size, size.y).unwrap());
            let mut touched = [(); 4].map(|()| vec![]);
            let [a, b, c, d] = &mut touched;
            world.overlap(&turned, &Filter::ALL, a);
            world.overlap(&straight, &Filter::ALL, b);
            world.overlap(&ball, &Filter::ALL, c);
            world.overlap(&hero, &Filter::ALL, d);
            let told = [
                mesh.overlaps_box(&turned),
                mesh.overlaps_aabb(&straight),
                mesh.overlaps_sphere(&ball),
                mesh.overlaps_capsule(&hero),
            ];
            assert_eq!(told, touched.map(|near| !near.is_empty()));
            counts[2] += told.iter().filter(|touches| **touches).count();
        }
        let nowhere = Vec3::new(0.0, f32::NAN, 0.0);
        assert_eq!((mesh.closest_point(nowhere, 1.0), mesh.closest_point(Vec3::ZERO, f32::NAN)), (None, None));
        assert_eq!(mesh.closest_point(Vec3::ZERO, -1.0), None);
        assert_eq!(mesh.cast_ray(&Ray::new(Vec3::ZERO, Vec3::Y).unwrap(), -1.0), None);
    }
    assert!(counts[0] > 500 && counts[1] > 1000 && counts[2] > 1000, "{counts:?}");
}

#[test]
fn overlaps_and_nearest_points_are_those_of_the_triangles() {
    let mut touched = 0;
    each_pair(12, Sides::Both, |pair, rng, middle| {
        let any = |near: &[Target]| !near.is_empty();
        for _ in 0..100 {
            let (center, size) = (middle + vector(rng, 7.0), vector(rng, 1.0).abs());
            let turned = Obb::new(center, Quat::from_rotation_y(rng.f32()), size).unwrap();
            let (mut mesh, mut single) = (vec![], vec![]);
            pair.mesh.overlap(&turned, &Filter::ALL, &mut mesh);
            pair.triangles.overlap(&turned, &Filter::ALL, &mut single);
            assert_eq!(any(&mesh), any(&single));
            touched += mesh.len();
            let ball = Sphere::new(center, size.x).unwrap();
            mesh.clear();
            single.clear();
            pair.mesh.overlap(&ball, &Filter::ALL, &mut mesh);
            pair.triangles.overlap(&ball, &Filter::ALL, &mut single);
            assert_eq!(any(&mesh), any(&single));
            let (mut near, mut nearest) = (vec![], vec![]);
            pair.mesh.nearest(center, f32::INFINITY, 1, &Filter::ALL, &mut near);
            pair.triangles.nearest(center, f32::INFINITY, 1, &Filter::ALL, &mut nearest);
            assert_eq!(near[0].distance, nearest[0].distance);
            assert_eq!(near[0].point.distance(center), nearest[0].point.distance(center));
        }
    });
    assert!(touched > 500, "{touched}");
}

#[test]
fn sweeps_of_boxes_balls_and_turning_boxes_stop_at_the_same_triangles() {
    let mut hits = 0;
    each_pair(8, Sides::Both, |pair, rng, middle| {
        for _ in 0..60 {
            let (center, motion) = (middle + vector(rng, 8.0), vector(rng, 12.0));
            let turn = Quat::from_rotation_z(6.0 * rng.f32());
            let body = Obb::new(center, turn, vector(rng, 0.5).abs()).unwrap();
            let sweep = BoxSweep::new(body, motion).unwrap();
            let [mesh, single] = [&pair.mesh, &pair.triangles].map(|world| world.sweep(&sweep, &Filter::ALL));
            let told = mesh.hit.map(|hit| (pair.key((hit.target, hit.part)), hit.toi, hit.normal, hit.contacts));
            assert_eq!(told, single.hit.map(|hit| (hit.target, hit.toi, hit.normal, hit.contacts)));
            assert_eq!(mesh.position, single.position);
            assert_eq!(mesh.overlap.map(|overlap| overlap.depth), single.overlap.map(|overlap| overlap.depth));
            hits += usize::from(mesh.hit.is_some());

            let ball = SphereSweep::new(Sphere::new(center, 0.4 * rng.f32()).unwrap(), motion).unwrap();
            let [mesh, single] = [&pair.mesh, &pair.triangles].map(|world| world.sweep(&ball, &Filter::ALL));
            assert_eq!(
                mesh.hit.map(|hit| (pair.key((hit.target, hit.part)), hit.toi)),
                single.hit.map(|hit| (hit.target, hit.toi))
            );
            assert_eq!(mesh.position, single.position);

            let spin = sweep.rotating(vector(rng, 3.0)).unwrap();
            let [mesh, single] =
                [&pair.mesh, &pair.triangles].map(|world| world.sweep_turning(&spin, 1e-3, &Filter::ALL));
            assert_eq!(
                mesh.hit.map(|hit| (pair.key((hit.target, hit.part)), hit.toi)),
                single.hit.map(|hit| (hit.target, hit.toi))
            );
            assert_eq!(mesh.body, single.body);
        }
    });
    assert!(hits > 300, "{hits}");
}

#[test]
fn a_body_that_starts_in_many_triangles_is_told_the_deepest() {
    let mut overlaps = [0; 3];
    each_pair(8, Sides::Both, |pair, rng, middle| {
        for _ in 0..60 {
            let (center, motion) = (middle + vector(rng, 6.0), vector(rng, 4.0));
            let half = Vec3::splat(0.5) + vector(rng, 1.0).abs();
            let body = Obb::new(center, Quat::from_rotation_z(6.0 * rng.f32()), half).unwrap();
            let ball = Sphere::new(center, half.x).unwrap();
            let rod = Capsule::from_half_axis(center, vector(rng, 1.5), half.y).unwrap();
            let sweeps = (
                BoxSweep::new(body, motion).unwrap(),
                SphereSweep::new(ball, motion).unwrap(),
                CapsuleSweep::new(rod, motion).unwrap(),
            );
            let [mesh, single] = [&pair.mesh, &pair.triangles].map(|world| {
                let [a, b, c] = [
                    world.sweep(&sweeps.0, &Filter::ALL),
                    world.sweep(&sweeps.1, &Filter::ALL),
                    world.sweep(&sweeps.2, &Filter::ALL),
                ];
                [a, b, c].map(|swept| swept.overlap)
            });
            for shape in 0..3 {
                let told = mesh[shape].map(|o| (pair.key((o.target, o.part)), o.depth, o.normal, o.contacts));
                assert_eq!(told, single[shape].map(|o| (o.target, o.depth, o.normal, o.contacts)));
                overlaps[shape] += usize::from(told.is_some());
            }
        }
    });
    assert!(overlaps.iter().all(|count| *count > 400), "{overlaps:?}");
}

#[test]
fn slides_and_ways_out_are_the_same() {
    let mut contacts = 0;
    each_pair(6, Sides::Both, |pair, rng, middle| {
        for _ in 0..30 {
            let body =
                Obb::new(middle + vector(rng, 6.0), Quat::IDENTITY, Vec3::splat(0.1) + vector(rng, 0.3).abs()).unwrap();
            let sweep = BoxSweep::new(body, vector(rng, 5.0)).unwrap();
            let options = SlideOptions::default();
            let [mesh, single] = [&pair.mesh, &pair.triangles].map(|world| world.slide(&sweep, &Filter::ALL, &options));
            assert_eq!(mesh.position, single.position);
            let told: Vec<_> = mesh.contacts.iter().map(|met| (pair.key((met.target, met.part)), met.normal)).collect();
            assert_eq!(told, single.contacts.iter().map(|met| (met.target, met.normal)).collect::<Vec<_>>());
            contacts += told.len();
            let [mesh, single] = [&pair.mesh, &pair.triangles].map(|world| world.depenetrate(&body, &Filter::ALL));
            assert_eq!(mesh, single);
        }
    });
    assert!(contacts > 100, "{contacts}");
}

#[test]
fn steps_over_a_mesh_are_those_over_its_triangles() {
    let mut rng = Rng::with_seed(SEED);
    let (vertices, triangles) = hills(&mut rng);
    let mut pair = Pair::new(&Mesh::new(&vertices, &triangles).unwrap().into());
    let response = Response::Bounce { restitution: 0.2, friction: 0.6 };
    let ([mut mesh_boxes, mut single_boxes], mut bodies) = ([BoxStepper::new(), BoxStepper::new()], vec![]);
    for i in 0..20u8 {
        let at = Vec3::new(f32::from(i % 5) - 2.0, 3.0 + 0.1 * f32::from(i), f32::from(i / 5) - 2.0);
        let crate_ = Obb::new(at, Quat::from_rotation_x(f32::from(i)), Vec3::splat(0.25)).unwrap();
        let body = BoxBody { velocity: vector(&mut rng, 2.0), response, ..BoxBody::default() };
        let worlds = [(&mut pair.mesh, &mut mesh_boxes), (&mut pair.triangles, &mut single_boxes)];
        bodies.push(worlds.map(|(world, boxes)| {
            let key = world.insert(Object::moving(crate_));
            boxes.insert(world, key, body).unwrap();
            key
        }));
    }
    for step in 0..240 {
        let config = BoxStepConfig::default();
        mesh_boxes.step(&mut pair.mesh, 1.0 / 60.0, &config).unwrap();
        single_boxes.step(&mut pair.triangles, 1.0 / 60.0, &config).unwrap();
        for [mesh, single] in &bodies {
            let [mesh, single] = [pair.mesh.object(*mesh), pair.triangles.object(*single)];
            assert_eq!(mesh.map(|object| &object.get().shape), single.map(|object| &object.get().shape), "step {step}");
        }
    }
    assert!(mesh_boxes.contacts().len() > 10);
}

#[test]
fn a_one_sided_mesh_is_met_from_its_front_alone() {
    let corners = [Vec3::new(-4.0, 0.0, -4.0), Vec3::new(4.0, 0.0, -4.0), Vec3::new(0.0, 0.0, 4.0)];
    let sheet = Mesh::new(&corners, &[[0, 2, 1]]).unwrap().with_sides(Sides::Front);
    let turned = [Vec3::ONE, Vec3::new(-1.0, 1.0, 1.0), Vec3::new(-2.0, 1.0, -1.0)];
    for scale in turned {
        let (mut world, mut boxes) = (World::new(), BoxStepper::new());
        world.insert(Object::fixed(PlacedMesh::new(&sheet, Quat::IDENTITY, Vec3::ZERO, scale).unwrap()));
        for (height, is_met) in [(2.0, true), (-2.0, false)] {
            let at = Vec3::new(0.1, height, 0.1);
            let through = Vec3::Y * -2.0 * height;
            assert_eq!(world.any_ray_hit(&Ray::new(at, through).unwrap(), 9.0, &Filter::ALL), is_met);
            let body = Obb::new(at, Quat::from_rotation_z(0.3), Vec3::splat(0.5)).unwrap();
            let sweep = BoxSweep::new(body, through).unwrap();
            assert_eq!(world.sweep(&sweep, &Filter::ALL).hit.is_some(), is_met);
            let spin = sweep.rotating(Vec3::X).unwrap();
            assert_eq!(world.sweep_turning(&spin, 1e-3, &Filter::ALL).hit.is_some(), is_met);
            let ball = SphereSweep::new(Sphere::new(at, 0.5).unwrap(), through).unwrap();
            assert_eq!(world.sweep(&ball, &Filter::ALL).hit.is_some(), is_met);
            let key = world.insert(Object::moving(body));
            let response = Response::Stop;
            boxes
                .insert(
                    &mut world,
                    key,
                    BoxBody { velocity: through, response, gravity_scale: 0.0, ..BoxBody::default() },
                )
                .unwrap();
            boxes.step(&mut world, 1.0, &BoxStepConfig::default()).unwrap();
            let end = world.object(key).unwrap().shape.aabb().center().y;
            assert_eq!(end.signum() == at.y.signum(), is_met, "{end}");
            world.remove(key);
        }
        // A body that does not move is on no side.
        for height in [0.2, -0.2] {
            let mut near = vec![];
            world.overlap(&Sphere::new(Vec3::Y * height, 0.5).unwrap(), &Filter::ALL, &mut near);
            assert_eq!(near.len(), 1);
        }
    }
}

#[test]
fn planes_and_frusta_tell_a_mesh_from_its_box() {
    let mut rng = Rng::with_seed(SEED);
    let (vertices, triangles) = hills(&mut rng);
    let mesh = Mesh::new(&vertices, &triangles).unwrap();
    let mut world = World::new();
    let key = world.insert(Object::fixed(&mesh));
    for _ in 0..200 {
        let plane = Plane::from_point_normal(vector(&mut rng, 6.0), vector(&mut rng, 1.0)).unwrap();
        let sides: Vec<_> =
            (0..mesh.len() as u32).map(|number| mesh.triangle(number).unwrap().side_of(&plane)).collect();
        let expected = if sides.iter().all(|side| *side == sides[0]) {
            sides[0]
        } else {
            cullide_world::narrowphase::Side::Straddling
        };
        world.for_each_side(&plane, &Filter::ALL, |_, _, side| assert_eq!(side, expected));
    }
    let camera = Camera { position: Vec3::new(0.0, 0.0, 20.0), ..Camera::default() };
    let mut visible = vec![];
    world.cull(&Frustum::from_camera(&camera).unwrap(), &Filter::ALL, &mut visible);
    assert_eq!(visible, [key]);
    let away = Camera { position: Vec3::new(0.0, 0.0, -20.0), ..Camera::default() };
    visible.clear();
    world.cull(&Frustum::from_camera(&away).unwrap(), &Filter::ALL, &mut visible);
    assert!(visible.is_empty());
}

#[test]
fn a_placed_mesh_answers_as_the_baked_copy() {
    let mut rng = Rng::with_seed(SEED ^ 1);
    let (vertices, triangles) = soup(&mut rng);
    let mesh = Mesh::new(&vertices, &triangles).unwrap();
    for placed in placements(&mut rng, &mesh) {
        let numbers: Vec<u32> = (0..mesh.len() as u32).filter(|&number| placed.triangle(number).is_some()).collect();
        let corners: Vec<Vec3> = numbers.iter().flat_map(|&number| placed.triangle(number).unwrap().points()).collect();
        let indices: Vec<[u32; 3]> = (0..numbers.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let baked = Mesh::new(&corners, &indices).unwrap();
        let (mut world, mut other) = (World::new(), World::new());
        world.insert(Object::fixed(placed.clone()));
        other.insert(Object::fixed(&baked));
        let middle = placed.aabb().center();
        for _ in 0..500 {
            let from = middle + vector(&mut rng, 15.0);
            let ray = Ray::new(from, middle + vector(&mut rng, 5.0) - from).unwrap();
            let [a, b] = [&world, &other].map(|world| world.cast_ray(&ray, f32::INFINITY, &Filter::ALL));
            assert_eq!(a.map(|hit| (hit.part, hit.distance)), b.map(|hit| (numbers[hit.part as usize], hit.distance)));
            let body = Aabb::new(from, from + Vec3::ONE).unwrap();
            let sweep = BoxSweep::new(Obb::from(&body), middle - from).unwrap();
            let [a, b] = [&world, &other].map(|world| world.sweep(&sweep, &Filter::ALL));
            assert_eq!((a.position, a.hit.map(|hit| hit.toi)), (b.position, b.hit.map(|hit| hit.toi)));
        }
    }
}

#[test]
fn a_world_with_a_mesh_is_saved_hashed_and_drawn() {
    let mut rng = Rng::with_seed(SEED);
    let (vertices, triangles) = soup(&mut rng);
    let surfaces: Vec<u16> = (0..60).collect();
    let mesh = Mesh::new(&vertices, &triangles).unwrap().with_surfaces(&surfaces).unwrap().with_sides(Sides::Front);
    let mut world = World::new();
    let key = world
        .insert(Object::fixed(PlacedMesh::new(&mesh, Quat::from_rotation_x(1.0), Vec3::Y, Vec3::splat(2.0)).unwrap()));
    let saved = serde_json::to_string(&world.snapshot()).unwrap();
    let restored = World::restore(&serde_json::from_str(&saved).unwrap()).unwrap();
    assert_eq!(restored.hash(), world.hash());
    assert_eq!(restored.object(key), world.object(key));
    world.object_mut(key).unwrap().set_transform(Quat::IDENTITY, Vec3::X).unwrap();
    assert_ne!(restored.hash(), world.hash());
    let mut lines = 0;
    world.debug_draw(&cullide_world::DrawOptions::default(), &Filter::ALL, |_| lines += 1);
    assert!(lines >= 3 * (mesh.len() - mesh.degenerate()));
}
