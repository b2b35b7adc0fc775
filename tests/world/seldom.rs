//! Cases that callers rarely meet, each a bug that was fixed.

use cullide_world::narrowphase::{
    Aabb, BoxSweep, Brush, Camera, Capsule, CapsuleSweep, Containment, Frustum, HitFeature, Hull, Obb, Patch, Plane,
    Ray, Sides, Sphere, SphereSweep, Triangle,
    glam::{BVec3, Quat, Vec3},
};
use cullide_world::{
    Character, Compound, ContactTracker, DrawOptions, Dynamics, DynamicsConfig, Filter, Mesh, Mover, Object,
    PlacedMesh, RigidBody, Shape, SlideOptions, World, WorldPlane,
};

const DT: f32 = 1.0 / 60.0;

/// A square of two triangles at a height, centred on the y axis.
fn square(height: f32, triangles: &[[u32; 3]; 2]) -> Mesh {
    let corners = [(-5.0, -5.0), (5.0, -5.0), (5.0, 5.0), (-5.0, 5.0)].map(|(x, z)| Vec3::new(x, height, z));
    Mesh::new(&corners, triangles).unwrap()
}

fn upright(center: Vec3, half_extents: Vec3) -> Obb {
    Obb::new(center, Quat::IDENTITY, half_extents).unwrap()
}

/// When a hull is rotated, its points are sorted differently, and so are its faces.
#[test]
fn a_hull_carries_whoever_stands_on_it_as_it_turns() {
    let mut world = World::new();
    let corners: Vec<Vec3> =
        (0..8).map(|i| Vec3::new([-2.0, 2.0][i & 1], [-0.5, 0.5][i >> 1 & 1], [-2.0, 2.0][i >> 2])).collect();
    let lift = world.insert(Object::moving(Hull::new(&corners).unwrap()));
    let mut hero = Character::new(upright(Vec3::new(1.0, 1.5, 0.0), Vec3::new(0.3, 1.0, 0.3)));
    let mover = Mover::default();
    for step in 0..100 {
        let turn = Quat::from_rotation_y(0.01 * step as f32);
        world.object_mut(lift).unwrap().set_transform(turn, Vec3::X * 0.01 * step as f32).unwrap();
        mover.walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
        assert!(hero.is_on_ground());
        let place = turn * Vec3::X + Vec3::new(0.01 * step as f32, 1.5, 0.0);
        assert!(hero.position().distance(place) < 1e-3, "{} {place}", hero.position());
    }
}

#[test]
fn nobody_stands_up_through_a_ceiling_that_is_seen_from_below_alone() {
    let ceiling = square(0.85, &[[0, 1, 2], [0, 2, 3]]).with_sides(Sides::Front);
    assert_eq!(ceiling.triangle(0).unwrap().normal(), Vec3::NEG_Y);
    let mut world = World::new();
    world.insert(Object::fixed(ceiling));
    let (mover, low) = (Mover::default(), upright(Vec3::Y * 0.4, Vec3::new(0.3, 0.4, 0.3)));
    let mut hero = Character::new(low);
    assert!(!hero.set_height(&world, &mover, 1.8, &Filter::ALL).unwrap() && hero.body == low);
    assert!(hero.set_height(&world, &mover, 0.84, &Filter::ALL).unwrap());
    let low = Capsule::new(Vec3::Y * 0.3, Vec3::Y * 0.5, 0.3).unwrap();
    let mut hero = Character::new(low);
    assert!(!hero.set_height(&world, &mover, 1.8, &Filter::ALL).unwrap() && hero.body == low);
    // Seen from above it is not there.
    let mut hero = Character::new(upright(Vec3::Y * 1.2, Vec3::new(0.3, 0.4, 0.3)));
    assert!(hero.set_height(&world, &mover, 1.8, &Filter::ALL).unwrap());
}

#[test]
fn a_box_tells_what_surface_it_meets_however_fast_it_spins() {
    let mut world = World::new();
    let floor = square(0.0, &[[0, 2, 1], [0, 3, 2]]).with_surfaces(&[7, 7]).unwrap();
    world.insert(Object::fixed(floor));
    let body = upright(Vec3::Y * 3.0, Vec3::new(1.0, 0.5, 1.0));
    for spin in [2.0, 20.0] {
        let sweep = BoxSweep::new(body, Vec3::Y * -4.0).unwrap().rotating(Vec3::Y * spin).unwrap();
        let hit = world.sweep_turning(&sweep, 1e-3, &Filter::ALL).hit.unwrap();
        assert_eq!(hit.surface, 7, "{spin}");
    }
}

#[test]
fn a_skewed_box_is_where_steps_have_put_it() {
    let edges = [Vec3::new(1.0, 0.5, 0.0), Vec3::new(0.25, 2.0, 1.0), Vec3::new(-1.0, 0.0, 3.0)];
    for is_posed in [false, true] {
        let (mut world, mut dynamics) = (World::new(), Dynamics::new());
        let shape = Obb::from_half_edges(Vec3::Y * 10.0, edges).unwrap();
        let key = world.insert(Object::moving(shape));
        let (rotation, start) = world.object(key).unwrap().transform();
        if is_posed {
            world.object_mut(key).unwrap().set_transform(rotation, start).unwrap();
        }
        let body = RigidBody { velocity: Vec3::X, ..RigidBody::dynamic() };
        dynamics.insert(&mut world, key, body).unwrap();
        for step in 1..=60 {
            dynamics
                .step(&mut world, DT, &DynamicsConfig { gravity: Vec3::ZERO, ..DynamicsConfig::default() })
                .unwrap();
            let (turned, place) = world.object(key).unwrap().transform();
            assert!(turned.dot(rotation).abs() > 0.9999, "{turned} {rotation}");
            assert!(place.distance(start + Vec3::X * DT * step as f32) < 1e-4, "{place}");
        }
        // Putting it where it is leaves it unchanged.
        let before = world.object(key).unwrap().shape.aabb();
        let (rotation, place) = world.object(key).unwrap().transform();
        world.object_mut(key).unwrap().set_transform(rotation, place).unwrap();
        let after = world.object(key).unwrap().shape.aabb();
        assert!(after.min().distance(before.min()) < 1e-4 && after.max().distance(before.max()) < 1e-4);
    }
}

#[test]
fn contacts_of_what_has_become_composite_end() {
    let mut world = World::new();
    let floor = Aabb::new(Vec3::new(-9.0, -1.0, -9.0), Vec3::new(9.0, 0.0, 9.0)).unwrap();
    let floor = world.insert(Object::fixed(floor));
    let shape = Aabb::new(Vec3::new(-1.0, -0.001, -1.0), Vec3::new(1.0, 2.0, 1.0)).unwrap();
    let key = world.insert(Object::moving(shape));
    let mut tracker = ContactTracker::new();
    assert_eq!(tracker.update(&mut world, DT, 0.02).begun, [(key, floor.into())]);
    world.object_mut(key).unwrap().set_shape(Compound::new([shape.into()]).unwrap());
    assert_eq!(tracker.update(&mut world, DT, 0.02).ended, [(key, floor.into())]);
    assert_eq!(tracker.contacts().count(), 0);
    assert!(tracker.update(&mut world, DT, 0.02).ended.is_empty());
    world.object_mut(key).unwrap().set_shape(shape);
    assert_eq!(tracker.update(&mut world, DT, 0.02).begun, [(key, floor.into())]);
    assert_eq!(tracker.contacts().next().unwrap().parts()[0].manifold.points().len(), 4);
}

#[test]
fn what_a_body_may_not_move_along_it_is_not_pushed_along() {
    let (mut world, mut dynamics) = (World::new(), Dynamics::new());
    let slope = Obb::new(Vec3::ZERO, Quat::from_rotation_z(0.6), Vec3::new(10.0, 1.0, 10.0)).unwrap();
    world.insert(Object::fixed(slope));
    let ball = world.insert(Object::moving(Sphere::new(Vec3::Y * 3.9, 0.5).unwrap()));
    let body = RigidBody {
        velocity: Vec3::Y * -200.0,
        locked_translation: BVec3::new(true, false, true),
        ..RigidBody::dynamic()
    };
    dynamics.insert(&mut world, ball, body).unwrap();
    let config = DynamicsConfig { margin: 1.0, ..DynamicsConfig::default() };
    for _ in 0..60 {
        dynamics.step(&mut world, DT, &config).unwrap();
        let place = world.object(ball).unwrap().shape.aabb().center();
        assert!(place.x == 0.0 && place.z == 0.0, "{place}");
        // Half a unit from the top of the slope, or more, at right angles to it.
        assert!(place.y * 0.6f32.cos() > 1.0 + 0.5 - 1e-3, "{place}");
    }
}

#[test]
fn the_motion_to_go_on_with_leads_into_nothing_when_the_steps_run_out() {
    let mut world = World::new();
    world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
    let sweep = BoxSweep::new(upright(Vec3::Y * 2.5, Vec3::new(1.0, 2.0, 3.0)), Vec3::new(4.0, -1.0, 0.0)).unwrap();
    let options = SlideOptions { max_steps: 1 };
    let slide = world.slide(&sweep, &Filter::ALL, &options);
    // Rounding leaves no part of a motion along the plane that leads into it.
    let is_along = |motion: Vec3| motion.y >= 0.0 && (motion - Vec3::X * 4.0).length() < 1e-5;
    assert!(slide.contacts.len() == 1 && is_along(slide.motion), "{}", slide.motion);
    let turning = sweep.rotating(Vec3::Y * 0.1).unwrap();
    let slide = world.slide_turning(&turning, 1e-3, &Filter::ALL, &options);
    assert!(slide.contacts.len() == 1 && is_along(slide.motion), "{}", slide.motion);
}

#[test]
fn a_batch_tells_of_a_plane_that_is_infinitely_far() {
    let mut world = World::new();
    world.insert_plane(WorldPlane::wall(Plane::new(Vec3::X, -1e9).unwrap()).layers(1));
    let rays = [Ray::new(Vec3::ZERO, Vec3::new(1e-37, 1.0, 1e-37)).unwrap(); 16];
    let mut answers = vec![];
    world.cast_ray_batch(&rays, f32::INFINITY, &Filter::ALL, &mut answers);
    let alone = world.cast_ray(&rays[0], f32::INFINITY, &Filter::ALL);
    assert_eq!(alone.map(|hit| hit.distance), Some(f32::INFINITY));
    // Its point is NaN along axes that the ray does not move along.
    let told = |hit: &cullide_world::RayHit| (hit.target, hit.distance, hit.normal);
    assert!(answers.iter().all(|answer| answer.as_ref().map(told) == alone.as_ref().map(told)));
}

#[test]
fn sensors_are_not_in_the_way_of_characters() {
    let (mut world, mut dynamics) = (World::new(), Dynamics::new());
    world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
    let zone = Aabb::new(Vec3::new(1.0, 0.0, -1.0), Vec3::new(2.0, 2.0, 1.0)).unwrap();
    let zone = world.insert(Object::moving(zone));
    let sensor = RigidBody { is_sensor: true, ..RigidBody::kinematic() };
    dynamics.insert(&mut world, zone, sensor).unwrap();
    let mut hero = Character::new(upright(Vec3::Y * 0.9, Vec3::new(0.3, 0.9, 0.3)));
    for _ in 0..60 {
        hero.velocity = Vec3::X * 3.0;
        dynamics.walk(&world, &Mover::default(), &mut hero, DT, &Filter::ALL).unwrap();
    }
    assert!((hero.position().x - 3.0).abs() < 1e-3, "{}", hero.position());
}

#[test]
fn a_tiny_capsule_is_as_long_as_it_is() {
    let mut world = World::new();
    world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
    let body = Capsule::from_half_axis(Vec3::Y * 3e-25, Vec3::Y * 1e-25, 1e-27).unwrap();
    let swept = world.sweep(&CapsuleSweep::new(body, Vec3::Y * -2.5e-25).unwrap(), &Filter::ALL);
    let toi = swept.hit.unwrap().toi;
    assert!((toi - 0.796).abs() < 1e-3, "{toi}");
}

#[test]
fn a_character_is_finite_after_ever_so_short_a_time() {
    let mut world = World::new();
    let shape = Aabb::new(Vec3::new(-2.0, -1.0, -2.0), Vec3::new(2.0, 0.0, 2.0)).unwrap();
    let lift = world.insert(Object::moving(shape));
    let mut hero = Character::new(upright(Vec3::Y, Vec3::new(0.5, 1.0, 0.5)));
    let mover = Mover::default();
    mover.walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
    assert!(hero.is_on_ground());
    world.object_mut(lift).unwrap().set_transform(Quat::IDENTITY, Vec3::Y * 99.5).unwrap();
    mover.walk(&world, &mut hero, 1e-37, &Filter::ALL).unwrap();
    assert!(hero.velocity.is_finite(), "{}", hero.velocity);
    mover.walk(&world, &mut hero, DT, &Filter::ALL).unwrap();
}

/// A rotated box around an odd number of steps of `f32` is one step larger.
#[test]
fn what_overlaps_a_box_does_so_whatever_else_is_there() {
    let step = f32::EPSILON;
    let query = Aabb::new(Vec3::X, Vec3::new(1.0 + 3.0 * step, 1.0, 1.0)).unwrap();
    let at = |x: f32| [Vec3::new(x, 0.0, 0.0), Vec3::new(x, 1.0, 0.0), Vec3::new(x, 0.0, 1.0)];
    let count = |shapes: &[Shape]| {
        let (mut world, mut near) = (World::new(), vec![]);
        shapes.iter().for_each(|shape| _ = world.insert(Object::fixed(shape.clone())));
        world.overlap(&query, &Filter::ALL, &mut near);
        near.len()
    };
    for (steps, expected) in [(3.0, 1), (4.0, 0)] {
        let corners = at(1.0 + steps * step);
        let triangle = Shape::from(Triangle::new(corners[0], corners[1], corners[2]).unwrap());
        let far = Shape::from(Sphere::new(Vec3::splat(99.0), 1.0).unwrap());
        assert_eq!(count(std::slice::from_ref(&triangle)), expected);
        assert_eq!(count(&[triangle, far]), expected);
        let baked = Mesh::new(&corners, &[[0, 1, 2]]).unwrap();
        let mesh = Mesh::new(&at(steps * step), &[[0, 1, 2]]).unwrap();
        let placed = PlacedMesh::new(&mesh, Quat::IDENTITY, Vec3::X, Vec3::ONE).unwrap();
        assert_eq!((count(&[baked.into()]), count(&[placed.into()])), (expected, expected));
    }
}

#[test]
fn a_hit_has_no_feature_where_its_ray_has_come_to_miss() {
    let (mut world, ray) = (World::new(), Ray::new(Vec3::Y, Vec3::NEG_Y).unwrap());
    let plane = Plane::new(Vec3::Y, 0.0).unwrap();
    let key = world.insert_plane(WorldPlane::half_space(plane).layers(1));
    let hit = world.cast_ray(&ray, 9.0, &Filter::ALL).unwrap();
    assert_eq!(hit.feature(&world, &ray), Some(HitFeature::Face(0)));
    world.plane_mut(key).unwrap().set_plane(plane.flipped());
    assert_eq!((world.cast_ray(&ray, 9.0, &Filter::ALL), hit.feature(&world, &ray)), (None, None));

    let (mut world, floor) = (World::new(), [[0, 2, 1], [0, 3, 2]]);
    let key = world.insert(Object::fixed(square(0.0, &floor).with_sides(Sides::Front)));
    let ray = Ray::new(Vec3::new(1.0, 1.0, 2.0), Vec3::NEG_Y).unwrap();
    let hit = world.cast_ray(&ray, 9.0, &Filter::ALL).unwrap();
    assert!(hit.feature(&world, &ray).is_some());
    world.object_mut(key).unwrap().set_shape(square(0.0, &floor.map(|[a, b, c]| [a, c, b])).with_sides(Sides::Front));
    assert_eq!((world.cast_ray(&ray, 9.0, &Filter::ALL), hit.feature(&world, &ray)), (None, None));
}

#[test]
fn what_a_filter_leaves_out_is_not_drawn() {
    let mut world = World::new();
    let key = world.insert(Object::moving(Aabb::new(Vec3::ZERO, Vec3::ONE).unwrap()));
    world.object_mut(key).unwrap().set_velocity(Vec3::X).unwrap();
    let lines = |filter: &Filter| {
        let mut lines = 0;
        world.debug_draw(&DrawOptions::default(), filter, |_| lines += 1);
        lines
    };
    assert_eq!(lines(&Filter::ALL.fixed_only()), 0);
    assert!(lines(&Filter::ALL.moving_only()) >= 12);
}

/// Shapes of other kinds behave like boxes and balls here.
#[test]
fn what_touches_the_border_of_a_frustum_from_inside_is_inside() {
    let frustum = Frustum::from_camera(&Camera { near: 1.0, far: 9.0, ..Camera::default() }).unwrap();
    let corners = [Vec3::NEG_Z, Vec3::new(0.1, 0.0, -2.0), Vec3::new(0.0, 0.1, -2.0)];
    let aabb = Aabb::new(Vec3::new(-0.1, -0.1, -2.0), Vec3::new(0.1, 0.1, -1.0)).unwrap();
    let tip = [Vec3::new(0.1, 0.1, -2.0), Vec3::new(-0.1, 0.1, -2.0), Vec3::new(0.0, -0.1, -2.0), Vec3::NEG_Z];
    let shapes: [Shape; 5] = [
        aabb.into(),
        Triangle::new(corners[0], corners[1], corners[2]).unwrap().into(),
        Patch::new(&corners).unwrap().into(),
        Brush::try_from(&aabb).unwrap().into(),
        Hull::new(&tip).unwrap().into(),
    ];
    for (beyond, expected) in [(0.0, Containment::Inside), (0.25, Containment::Crossing), (1.5, Containment::Outside)] {
        for shape in &shapes {
            let mut world = World::new();
            let key = world.insert(Object::moving(shape.clone()));
            let (turn, at) = world.object(key).unwrap().transform();
            world.object_mut(key).unwrap().set_transform(turn, at + Vec3::Z * beyond).unwrap();
            let mut seen = Containment::Outside;
            world.for_each_visible(&frustum, &Filter::ALL, |_, _, containment| seen = containment);
            assert_eq!(seen, expected, "{shape:?}");
        }
    }
}

/// A body that rises slightly into the border of a one-sided surface, with its centre in front of the surface, hits it,
/// and does not end on top of it.
#[test]
fn a_body_that_rises_meets_the_border_of_a_one_sided_surface() {
    let corners = [Vec3::new(-50.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 50.0), Vec3::new(50.0, 0.0, 0.0)];
    let floor = Mesh::new(&corners, &[[0, 1, 2]]).unwrap().with_sides(Sides::Front);
    let mut world = World::new();
    world.insert(Object::fixed(floor));
    let ball = Sphere::new(Vec3::new(0.0, 0.25, -2.0), 1.0).unwrap();
    for rise in [-0.01, 0.0, 0.01] {
        let swept = world.sweep(&SphereSweep::new(ball, Vec3::new(0.0, rise, 4.0)).unwrap(), &Filter::ALL);
        assert!((swept.hit.unwrap().toi - 0.258).abs() < 2e-3, "{rise}: {swept:?}");
        assert!((swept.position.y - 0.25).abs() < 0.01, "{rise}: {swept:?}");
    }

    // A bar under a slanted two-sided roof used to be lifted through it.
    let s = 0.5f32.sqrt();
    let (across, center) = (Vec3::new(-s, s, 0.0), Vec3::new(0.0, 1.0, -2.0));
    let edges = [Vec3::new(2.5 * s, 2.5 * s, 0.0), across * 0.05, Vec3::Z * 0.05];
    let bar = Obb::from_half_edges(center, edges).unwrap();
    let roof = [Vec3::new(4.0, 4.0, -20.0), Vec3::new(4.0, 4.0, 40.0), Vec3::new(-0.9, -0.9, 0.0)];
    let [a, b, c] = roof.map(|corner| center + across * 0.3 + corner);
    world.insert(Object::fixed(Triangle::new(a, b, c).unwrap()));
    world.insert(Object::fixed(Aabb::new(Vec3::new(-9.0, -9.0, 3.0), Vec3::new(9.0, 9.0, 4.0)).unwrap()));
    let swept = world.sweep(&BoxSweep::new(bar, Vec3::new(0.0, 0.01, 8.0)).unwrap(), &Filter::ALL);
    assert!((swept.position - center).dot(across) < 0.3, "{swept:?}");
}

/// Which triangles are next to a contact does not depend on how many more a tree or a placed mesh visits.
#[test]
fn a_placed_mesh_has_the_normals_of_the_mesh_of_its_triangles() {
    let corners = [
        [1.0, 2.0, 0.0],
        [46912.0, 65365.0, -93470.0],
        [31127.0, -19289.0, 47130.0],
        [2.0, 1.0, 0.0],
        [51921.0, -48700.0, -59090.0],
        [29087.0, 80363.0, -50377.0],
    ];
    let triangles = [[0, 1, 2], [3, 4, 5]];
    let mesh = Mesh::new(&corners.map(Vec3::from), &triangles).unwrap();
    let turn = Quat::from_rotation_y(1.0) * Quat::from_rotation_x(0.5);
    let placed = PlacedMesh::new(&mesh, turn, Vec3::ZERO, Vec3::ONE).unwrap();
    let corners: Vec<Vec3> = [0, 1].into_iter().flat_map(|number| placed.triangle(number).unwrap().points()).collect();
    let shapes: [Shape; 2] = [Mesh::new(&corners, &triangles).unwrap().into(), placed.into()];
    let ball = Sphere::new(Vec3::new(84.0, 51.0, 1000.0), 200.0).unwrap();
    let sweep = SphereSweep::new(ball, Vec3::Z * -1e6).unwrap();
    let hits = shapes.map(|shape| {
        let mut world = World::with_tag(1);
        world.insert(Object::fixed(shape));
        world.sweep(&sweep, &Filter::ALL).hit.unwrap()
    });
    assert_eq!(hits[0], hits[1]);
}
