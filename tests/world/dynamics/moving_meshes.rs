//! Meshes that move as kinematic bodies: lifts, ships and doors of triangles push, carry and hold as boxes do.

use super::{Scene, aabb, ball, capsule, center, mesh_of, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Character, Compound, Filter, Material, Mesh, Mover, Object, ObjectKey, PlacedCompound, PlacedMesh, PlacedTerrain,
    RigidBody, Shape, Terrain,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{Capsule, Error, Hull, Patch, Triangle},
};

/// A flat square at height 0, of two triangles in each of `count` by `count` squares of this width, which is met from
/// above.
fn sheet(count: u16, width: f32) -> Mesh {
    let corner = |i: u16| f32::from(i) * width - 0.5 * f32::from(count) * width;
    let vertices: Vec<Vec3> =
        (0..=count).flat_map(|z| (0..=count).map(move |x| Vec3::new(corner(x), 0.0, corner(z)))).collect();
    let square = |i: u16| {
        let a = u32::from(i / count * (count + 1) + i % count);
        let (b, c) = (a + 1, a + u32::from(count) + 1);
        [[a, c, b], [b, c, c + 1]]
    };
    Mesh::new(&vertices, &(0..count * count).flat_map(square).collect::<Vec<_>>()).unwrap()
}

fn hull(center: Vec3) -> Hull {
    let corners = [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z, Vec3::Y].map(|corner| center + 0.4 * corner);
    Hull::new(&corners).unwrap()
}

/// A crate, a ball, a capsule that lies, and a pyramid, on a floor at height 0.
fn load() -> [Shape; 4] {
    [
        obb(Vec3::new(1.0, 0.301, 1.0), Quat::from_rotation_y(0.3), Vec3::splat(0.3)).into(),
        ball(Vec3::new(-1.0, 0.301, 1.0), 0.3).into(),
        capsule(Vec3::new(1.0, 0.251, -1.0), Vec3::X * 0.4, 0.25).into(),
        hull(Vec3::new(-1.0, 0.001, -1.0)).into(),
    ]
}

/// Where the load is after two seconds on a kinematic floor.
fn carried(floor: impl Into<Shape>, body: RigidBody) -> [Vec3; 4] {
    let mut scene = Scene::new();
    let material = Material { rolling_resistance: 0.1, ..Material::default() };
    scene.add(floor, RigidBody { material, ..body });
    let keys = load().map(|shape| scene.add(shape, RigidBody::dynamic()));
    scene.steps(120);
    keys.map(|key| scene.shape(key).aabb().center())
}

#[test]
fn a_floor_of_triangles_carries_as_a_block_does() {
    let block = || aabb(Vec3::NEG_Y, Vec3::new(3.0, 1.0, 3.0));
    let still = RigidBody::kinematic();
    let moves = [
        ("up", RigidBody { velocity: Vec3::Y * 2.0, ..still }, 0.01),
        ("aside", RigidBody { velocity: Vec3::new(0.7, 0.3, -0.2), ..still }, 0.05),
        ("round", RigidBody { angular_velocity: Vec3::Y * 0.8, ..still }, 0.1),
    ];
    for (name, body, most) in moves {
        let expected = carried(block(), body);
        let other_floors: [Shape; 5] = [
            sheet(2, 3.0).into(),
            sheet(40, 0.15).into(),
            mesh_of(&obb(Vec3::NEG_Y, Quat::IDENTITY, Vec3::new(3.0, 1.0, 3.0))).into(),
            Terrain::new(9, 9, &[0.0; 81], Vec2::splat(0.75), Vec2::splat(-3.0)).unwrap().into(),
            Compound::new([sheet(20, 0.3).into(), aabb(Vec3::Y * 4.0, Vec3::ONE).into()]).unwrap().into(),
        ];
        for floor in other_floors {
            let found = carried(floor, body);
            for (found, expected) in found.into_iter().zip(expected) {
                assert!(found.distance(expected) < most, "{name}: {found} instead of {expected}");
            }
        }
    }
}

#[test]
fn nothing_gets_through_a_wall_that_moves_at_any_speed() {
    let upright = Quat::from_rotation_z(-std::f32::consts::FRAC_PI_2);
    let walls: [Shape; 2] = [
        PlacedMesh::new(&sheet(24, 0.5), upright, Vec3::X * -6.0, Vec3::ONE).unwrap().into(),
        aabb(Vec3::X * -6.5, Vec3::new(0.5, 6.0, 6.0)).into(),
    ];
    for (speed, turning) in [(3.0, 0.0), (40.0, 0.0), (300.0, 0.0), (10.0, 2.0)] {
        for wall in &walls {
            let velocity = Vec3::X * speed;
            let body = RigidBody { velocity, angular_velocity: Vec3::X * turning, ..RigidBody::kinematic() };
            is_in_front(wall.clone(), body, (12.0 / speed * 60.0).ceil() as usize);
        }
    }
}

/// Bodies that a wall pushes stay in front of it, even if they meet each other.
fn is_in_front(wall: Shape, body: RigidBody, steps: usize) {
    let mut rng = Rng::with_seed(SEED);
    let mut scene = Scene::weightless();
    let wall = scene.add(wall, body);
    let any_body = |i: usize| {
        let at = vector(&mut rng, 3.0);
        let shape: Shape = match i % 4 {
            0 => obb(at, turn(&mut rng), Vec3::new(0.3, 0.1, 0.2)).into(),
            1 => ball(at, 0.15).into(),
            2 => capsule(at, vector(&mut rng, 0.3), 0.1).into(),
            _ => hull(at).into(),
        };
        scene.add(shape, RigidBody::dynamic())
    };
    let bodies: Vec<ObjectKey> = (0..40).map(any_body).collect();
    for step in 0..steps {
        scene.step();
        let front = scene.shape(wall).aabb().max().x;
        for key in &bodies {
            let at = scene.shape(*key).aabb().center().x;
            assert!(at > front - 0.02, "{} in step {step}: {at} behind {front}", body.velocity.x);
        }
    }
}

#[test]
fn what_is_in_a_ship_stays_in_it_however_it_pitches_and_rolls() {
    let mut rng = Rng::with_seed(SEED);
    let block = obb(Vec3::ZERO, Quat::IDENTITY, Vec3::new(4.0, 1.5, 2.0));
    // Seen from inside: each triangle the other way round.
    let outside = mesh_of(&block);
    let corners: Vec<Vec3> = (0..12).flat_map(|number| outside.triangle(number).unwrap().points()).collect();
    let flipped: Vec<[u32; 3]> = (0..12).map(|i| [3 * i, 3 * i + 2, 3 * i + 1]).collect();
    let inside = Mesh::new(&corners, &flipped).unwrap();
    let mut scene = Scene::new();
    let ship = scene.add(inside, RigidBody::kinematic());
    let bodies: Vec<ObjectKey> = (0..24)
        .map(|i| {
            let at = vector(&mut rng, 1.0) * Vec3::new(3.0, 1.0, 1.5);
            match i % 3 {
                0 => scene.add(obb(at, turn(&mut rng), Vec3::splat(0.2)), RigidBody::dynamic()),
                1 => scene.add(ball(at, 0.2), RigidBody::dynamic()),
                _ => scene.add(capsule(at, vector(&mut rng, 0.3), 0.15), RigidBody::dynamic()),
            }
        })
        .collect();
    for step in 0..900 {
        let time = step as f32 / 60.0;
        let velocity = Vec3::new(12.0, 2.0 * (1.3 * time).sin(), 5.0 * (0.4 * time).cos());
        scene.set_velocity(
            ship,
            velocity,
            Vec3::new((0.9 * time).sin(), 0.4 * (0.3 * time).cos(), 1.2 * (1.7 * time).sin()),
        );
        scene.step();
        let (rotation, translation) = scene.world.object(ship).unwrap().transform();
        for key in &bodies {
            let local = rotation.inverse() * (center(scene.shape(*key)) - translation);
            let room = Vec3::new(4.0, 1.5, 2.0) - local.abs();
            assert!(room.min_element() > 0.05, "step {step}: {local}");
        }
    }
}

#[test]
fn the_triangles_of_a_floor_that_moves_are_not_felt() {
    let smooth = Material { friction: 0.0, ..Material::default() };
    for (floor, spin) in [(sheet(60, 0.25), 0.0), (sheet(15, 1.0), 0.0), (sheet(60, 0.25), 0.5)] {
        let mut scene = Scene::new();
        let body = RigidBody {
            velocity: Vec3::new(-3.0, 1.0, 0.5),
            angular_velocity: Vec3::Y * spin,
            material: smooth,
            ..RigidBody::kinematic()
        };
        let floor = scene.add(floor, body);
        let start = Vec3::new(2.0, 1.0, -0.3);
        let keys = load()
            .map(|shape| scene.add(shape, RigidBody { velocity: start, material: smooth, ..RigidBody::dynamic() }));
        for step in 0..75 {
            scene.step();
            let height = scene.shape(floor).aabb().max().y;
            for key in keys {
                let (velocity, spin) = (scene.velocity(key), scene.spin(key));
                let off = (velocity - start) * Vec3::new(1.0, 0.3, 1.0);
                assert!(off.length() < 0.01 && spin.length() < 0.05, "step {step}: {velocity} {spin}");
                let above = scene.shape(key).aabb().min().y - height;
                assert!(above.abs() < 0.004, "step {step}: {above} above the floor");
            }
        }
    }
}

#[test]
fn they_keep_their_shape_however_long_they_turn_and_the_transform_tells_where_they_are() {
    let mut rng = Rng::with_seed(SEED);
    for scale in [Vec3::ONE, Vec3::new(2.0, 0.5, -1.5), Vec3::splat(-0.3)] {
        let mesh = mesh_of(&obb(vector(&mut rng, 2.0), turn(&mut rng), Vec3::new(1.0, 2.0, 0.5)));
        let given = PlacedMesh::new(&mesh, turn(&mut rng), vector(&mut rng, 5.0), scale).unwrap();
        let mut scene = Scene::weightless();
        let (velocity, angular_velocity) = (vector(&mut rng, 1e-3), vector(&mut rng, 9.0));
        let key = scene.add(given.clone(), RigidBody { velocity, angular_velocity, ..RigidBody::kinematic() });
        for step in 1..=36_000 {
            scene.step();
            if step % 6000 != 1 {
                continue;
            }
            let (rotation, translation) = scene.world.object(key).unwrap().transform();
            let Shape::Mesh(now) = scene.shape(key) else { panic!("a mesh") };
            for number in 0..mesh.len() as u32 {
                let [first, found] = [&given, now].map(|placed| placed.triangle(number).unwrap().points());
                for (first, found) in first.into_iter().zip(found) {
                    let expected = rotation * first + translation;
                    assert!(found.distance(expected) < 2e-5, "{scale}, step {step}: {found} instead of {expected}");
                }
            }
        }
    }
}

#[test]
fn an_animation_takes_it_to_the_pose_that_it_gives() {
    let mut scene = Scene::new();
    let given =
        PlacedMesh::new(&sheet(3, 1.0), Quat::from_rotation_x(0.3), Vec3::Z, Vec3::new(1.0, 2.0, -3.0)).unwrap();
    let key = scene.add(given, RigidBody::kinematic());
    for frame in 1..=100 {
        let time = frame as f32 / 60.0;
        let pose = (Quat::from_rotation_y(time) * Quat::from_rotation_x(0.3 * time), Vec3::new(time, 2.0 * time, 0.0));
        scene.dynamics.body_mut(&scene.world, key).unwrap().move_kinematic(pose.0, pose.1, super::DT).unwrap();
        scene.step();
        let (rotation, translation) = scene.world.object(key).unwrap().transform();
        assert!(translation.distance(pose.1) < 1e-5 && rotation.dot(pose.0).abs() > 0.999_999, "{frame}: {rotation}");
    }
}

/// Bodies on things without a mass, most of which move.
fn restless() -> Scene {
    let mut rng = Rng::with_seed(SEED);
    let mut scene = Scene::new();
    let mut turned = || turn(&mut rng);
    let place = |i: usize| Vec3::X * 8.0 * i as f32;
    let mixed = Compound::new([sheet(6, 1.0).into(), ball(Vec3::Y, 0.5).into()]).unwrap();
    let field = Terrain::new(4, 4, &[0.0; 16], Vec2::splat(2.0), Vec2::splat(-3.0)).unwrap();
    let mesh = |scale: Vec3, i: usize, turn: Quat| PlacedMesh::new(&sheet(6, 1.0), turn, place(i), scale).unwrap();
    let floors: [Shape; 5] = [
        mesh(Vec3::ONE, 0, turned()).into(),
        mesh(Vec3::new(1.5, 1.0, 0.7), 1, turned()).into(),
        PlacedCompound::scaled(&mixed, turned(), place(2), Vec3::splat(-1.2)).unwrap().into(),
        PlacedTerrain::new(&field, turned(), place(3)).unwrap().into(),
        mesh(Vec3::new(-1.0, 3.0, 1.3), 4, turned()).into(),
    ];
    for (i, floor) in floors.into_iter().enumerate() {
        let spin = if i < 4 { vector(&mut rng, 1.0) } else { Vec3::ZERO };
        scene.add(floor, RigidBody { velocity: 0.3 * spin, angular_velocity: spin, ..RigidBody::kinematic() });
        for _ in 0..12 {
            let at = place(i) + vector(&mut rng, 2.5);
            scene.add(obb(at, turn(&mut rng), Vec3::splat(0.2)), RigidBody::dynamic());
            scene.add(ball(at + Vec3::Y * 3.0, 0.3), RigidBody::dynamic());
        }
    }
    scene
}

#[test]
fn restored_scenes_go_on_with_the_same_bits() {
    let mut scene = restless();
    for step in 0..120 {
        let mut other = scene.restored();
        scene.step();
        other.step();
        assert_eq!(scene.hash(), other.hash(), "step {step}");
        if step % 40 == 7 {
            let mut ahead = other.clone();
            (0..30).for_each(|_| _ = ahead.step());
            let mut again = other.restored();
            (0..30).for_each(|_| _ = again.step());
            assert_eq!(ahead.hash(), again.hash(), "from step {step}");
        }
    }
}

#[test]
fn only_a_kinematic_body_need_not_be_solid() {
    let mut scene = Scene::new();
    let terrain = Terrain::new(2, 2, &[0.0; 4], Vec2::ONE, Vec2::ZERO).unwrap();
    let flat: [Shape; 3] = [
        sheet(2, 1.0).into(),
        terrain.into(),
        Compound::new([sheet(1, 1.0).into(), aabb(Vec3::Y, Vec3::ONE).into()]).unwrap().into(),
    ];
    for shape in flat {
        let key = scene.world.insert(Object::fixed(shape));
        let refused = scene.dynamics.insert(&mut scene.world, key, RigidBody::dynamic());
        assert_eq!(refused, Err(Error::NotABody { field: "key" }));
        assert!(scene.dynamics.body(key).is_none());
        assert_eq!(scene.dynamics.insert(&mut scene.world, key, RigidBody::kinematic()), Ok(()));
    }
    // A body whose object becomes a mesh remains one only if nothing but its velocity moves it.
    let [falling, lift] = [RigidBody::dynamic(), RigidBody { velocity: Vec3::Y, ..RigidBody::kinematic() }]
        .map(|body| scene.add(aabb(Vec3::X * 9.0, Vec3::ONE), body));
    scene.step();
    for key in [falling, lift] {
        scene.world.object_mut(key).unwrap().set_shape(sheet(2, 1.0));
    }
    scene.steps(60);
    assert!(scene.dynamics.body(falling).is_none() && scene.dynamics.body(lift).is_some());
    let heights = [falling, lift].map(|key| scene.shape(key).aabb().max().y);
    assert!(heights[0] == 0.0 && (heights[1] - 1.0).abs() < 1e-3, "{heights:?}");
}

#[test]
fn bodies_sleep_on_a_mesh_at_rest_and_wake_when_it_starts() {
    let mut scene = Scene::new();
    let floor = scene.add(sheet(20, 0.3), RigidBody::kinematic());
    let keys = load().map(|shape| scene.add(shape, RigidBody::dynamic()));
    scene.steps(300);
    assert!(keys.iter().all(|key| scene.dynamics.body(*key).unwrap().is_asleep()));
    scene.set_velocity(floor, Vec3::Y, Vec3::ZERO);
    scene.steps(60);
    for (key, shape) in keys.into_iter().zip(load()) {
        let risen = scene.shape(key).aabb().center().y - shape.aabb().center().y;
        assert!((risen - 1.0).abs() < 0.01, "{risen}");
    }
}

#[test]
fn a_character_rides_on_a_floor_of_triangles_that_turns() {
    let mut scene = Scene::new();
    let spin = Vec3::Y * 0.7;
    scene.add(sheet(20, 0.3), RigidBody { velocity: Vec3::Y * 0.5, angular_velocity: spin, ..RigidBody::kinematic() });
    let mut hero = Character::new(Capsule::new(Vec3::new(1.5, 0.3, 0.0), Vec3::new(1.5, 1.5, 0.0), 0.3).unwrap());
    for step in 1..=240 {
        let dt = super::DT;
        scene.step();
        hero.velocity = Vec3::ZERO;
        scene.dynamics.walk(&scene.world, &Mover::default(), &mut hero, dt, &Filter::ALL).unwrap();
        let time = step as f32 * dt;
        let expected = Quat::from_rotation_y(0.7 * time) * (Vec3::X * 1.5) + Vec3::Y * (0.9 + 0.5 * time);
        assert!(hero.position().distance(expected) < 0.05, "{step}: {} instead of {expected}", hero.position());
    }
}

/// A triangle or a patch is moved as a mesh of the same triangles is, and its pose tells where.
#[test]
fn flat_shapes_are_moved_as_meshes_of_their_triangles() {
    let corners = [(-3.0, -3.0), (-3.0, 3.0), (3.0, 3.0), (3.0, -3.0)].map(|(x, z)| Vec3::new(x, 0.0, z));
    let flat: [(Shape, &[[u32; 3]]); 2] = [
        (Triangle::new(corners[0], corners[1], corners[2]).unwrap().into(), &[[0, 1, 2]]),
        (Patch::new(&corners).unwrap().into(), &[[0, 1, 2], [0, 2, 3]]),
    ];
    for (shape, triangles) in flat {
        for is_posed in [false, true] {
            let mesh: Shape = Mesh::new(&corners[..triangles.len() + 2], triangles).unwrap().into();
            let moved = [shape.clone(), mesh].map(|shape| {
                let mut scene = Scene::new();
                let body = RigidBody { velocity: Vec3::Y, angular_velocity: Vec3::Y * 0.2, ..RigidBody::kinematic() };
                let lift = scene.add(shape, body);
                if is_posed {
                    scene
                        .world
                        .object_mut(lift)
                        .unwrap()
                        .set_transform(Quat::from_rotation_y(0.3), Vec3::X * 0.5)
                        .unwrap();
                }
                let crate_ = scene.add(aabb(Vec3::new(-1.0, 0.302, 1.0), Vec3::splat(0.3)), RigidBody::dynamic());
                scene.steps(120);
                assert!((scene.center(crate_).y - 2.3).abs() < 0.01, "{}", scene.center(crate_));
                (scene.world.object(lift).unwrap().transform(), scene.center(crate_))
            });
            let [((rotation, place), carried), (pose, center)] = moved;
            assert_eq!((rotation, place), pose);
            // A patch may be cut along the other diagonal.
            assert!(carried.distance(center) < 5e-3, "{carried} {center}");
            assert!((place.y - 2.0).abs() < 1e-4, "{place}");
            let expected = Quat::from_rotation_y(0.4 + if is_posed { 0.3 } else { 0.0 });
            assert!(rotation.dot(expected).abs() > 0.999_99, "{rotation}");
        }
    }
}
