//! Queries by entity, and components that cast.

mod support;

use bevy_cullide::{
    cullide::narrowphase::{Aabb, Camera, Frustum},
    prelude::*,
};
use bevy_ecs::prelude::*;
use bevy_math::{Dir3, Quat, Vec3};
use bevy_transform::components::Transform;
use support::*;

/// Three balls of radius 1 along x, at 10, 20 and 30.
fn balls() -> (bevy_app::App, [Entity; 3]) {
    let mut app = app();
    let balls = [10.0, 20.0, 30.0].map(|x| app.world_mut().spawn((Collider::sphere(1.0), at(x, 0.0, 0.0))).id());
    ticks(&mut app, 1);
    (app, balls)
}

#[test]
fn rays_find_the_first_all_and_those_of_a_predicate() {
    let (mut app, [first, second, third]) = balls();
    let ray = (Vec3::ZERO, Dir3::X);
    ask(&mut app, |query| {
        let hit = query.cast_ray(ray.0, ray.1, f32::MAX, true, &all()).unwrap();
        assert_eq!((hit.entity, hit.distance, hit.normal, hit.exit), (first, 9.0, Vec3::NEG_X, 11.0));
        assert!(query.cast_ray(ray.0, ray.1, 8.9, true, &all()).is_none());
        let others = all().with_excluded_entities([first]);
        assert_eq!(query.cast_ray(ray.0, ray.1, 99.0, true, &others).unwrap().entity, second);
        let last = query.cast_ray_predicate(ray.0, ray.1, 99.0, true, &all(), &|entity| entity == third);
        assert_eq!(last.unwrap().distance, 29.0);
        let hits = query.ray_hits(ray.0, ray.1, 99.0, 2, true, &all());
        assert_eq!(hits.iter().map(|hit| hit.entity).collect::<Vec<_>>(), [first, second]);
        let mut seen = Vec::new();
        query.ray_hits_callback(ray.0, ray.1, 99.0, true, &all(), |hit| {
            seen.push(hit.entity);
            hit.entity != second
        });
        assert_eq!(seen, [first, second]);
        let rays = [ray, (Vec3::X * f32::NAN, Dir3::X), (Vec3::ZERO, Dir3::Y), (Vec3::X * 15.0, Dir3::X)];
        let batch = query.cast_ray_batch(&rays, 99.0, &all());
        let found: Vec<Option<Entity>> = batch.iter().map(|hit| hit.map(|hit| hit.entity)).collect();
        assert_eq!(found, [Some(first), None, None, Some(second)]);
        assert!(
            !query.line_of_sight(Vec3::ZERO, Vec3::X * 15.0, &all())
                && query.line_of_sight(Vec3::ZERO, Vec3::Y, &all())
        );
    });
}

#[test]
fn a_ray_from_inside_meets_a_hollow_ball_where_it_leaves() {
    let (mut app, [first, second, _]) = balls();
    let inner = app.world_mut().spawn((Collider::cuboid(0.2, 0.2, 0.2), at(10.5, 0.0, 0.0))).id();
    ticks(&mut app, 1);
    ask(&mut app, |query| {
        let start = Vec3::X * 10.0;
        let hit = query.cast_ray(start, Dir3::X, 99.0, true, &all()).unwrap();
        assert_eq!((hit.entity, hit.distance), (first, 0.0));
        let hit = query.cast_ray(start, Dir3::X, 99.0, false, &all()).unwrap();
        assert!(hit.entity == inner && (hit.distance - 0.4).abs() < 1e-6);
        let hits = query.ray_hits(start, Dir3::X, 99.0, 9, false, &all());
        assert_eq!(hits.iter().map(|hit| hit.entity).collect::<Vec<_>>()[..3], [inner, first, second]);
        assert!(
            (hits[1].distance - 1.0).abs() < 1e-6 && (hits[1].normal - Vec3::NEG_X).length() < 1e-3,
            "{:?}",
            hits[1]
        );
        assert!(query.cast_ray(start, Dir3::Y, 0.5, false, &all()).is_none());
    });
}

#[test]
fn shapes_find_what_they_meet_overlap_and_are_near() {
    let (mut app, [first, second, third]) = balls();
    ask(&mut app, |query| {
        let cube = Collider::cuboid(1.0, 1.0, 1.0);
        let config = ShapeCastConfig::from_max_distance(50.0);
        let (turn, way) = (Quat::IDENTITY, Dir3::X);
        let hit = query.cast_shape(&cube, Vec3::ZERO, turn, way, &config, &all()).unwrap();
        assert!(hit.entity == first && (hit.distance - 8.5).abs() < 1e-4 && hit.normal1.x < -0.99, "{hit:?}");
        assert!((hit.point1 - Vec3::X * 9.0).length() < 1e-3);
        // As far as there is anything.
        assert_eq!(
            query.cast_shape(&cube, Vec3::ZERO, turn, way, &ShapeCastConfig::DEFAULT, &all()).unwrap().entity,
            first
        );
        let hit = query.cast_shape_predicate(&cube, Vec3::ZERO, turn, way, &config, &all(), &|entity| entity != first);
        assert_eq!(hit.unwrap().entity, second);
        let inside = Vec3::X * 10.0;
        assert_eq!(query.cast_shape(&cube, inside, turn, way, &config, &all()).unwrap().distance, 0.0);
        let past = ShapeCastConfig { ignore_origin_penetration: true, ..config };
        assert_eq!(query.cast_shape(&cube, inside, turn, way, &past, &all()).unwrap().entity, second);
        let hits = query.shape_hits(&cube, Vec3::ZERO, turn, way, 9, &config, &all());
        assert_eq!(hits.iter().map(|hit| hit.entity).collect::<Vec<_>>(), [first, second, third]);
        // What it overlaps at the start is met at once.
        let hits = query.shape_hits(&cube, inside, turn, way, 9, &config, &all());
        assert_eq!(hits.iter().map(|hit| hit.entity).collect::<Vec<_>>(), [first, second, third]);
        assert_eq!(hits[0], query.cast_shape(&cube, inside, turn, way, &config, &all()).unwrap());
        let hits = query.shape_hits(&cube, inside, turn, way, 9, &past, &all());
        assert_eq!(hits.iter().map(|hit| hit.entity).collect::<Vec<_>>(), [second, third]);
        let mut seen = Vec::new();
        query.shape_hits_callback(&cube, inside, turn, way, &config, &all(), |hit| {
            seen.push((hit.entity, hit.distance == 0.0));
            hit.entity != second
        });
        assert_eq!(seen, [(first, true), (second, false)]);
        // Only a convex shape can be cast.
        let sheet = Collider::trimesh(vec![Vec3::ZERO, Vec3::Y, Vec3::Z], vec![[0, 1, 2]]);
        assert!(query.cast_shape(&sheet, Vec3::ZERO, turn, way, &config, &all()).is_none());

        assert_eq!(query.shape_intersections(&cube, Vec3::X * 9.0, turn, &all()), [first]);
        assert_eq!(query.point_intersections(Vec3::X * 20.5, &all()), [second]);
        let aabb = Aabb::new(Vec3::new(15.0, -1.0, -1.0), Vec3::new(35.0, 1.0, 1.0)).unwrap();
        assert_eq!(query.aabb_intersections_with_aabb(aabb), [second, third]);
        let long = Collider::cuboid(20.0, 1.0, 1.0);
        assert_eq!(query.aabb_intersections_with_aabb(long.aabb(Vec3::X * 25.0, turn)), [second, third]);
        let plane = Collider::half_space(Vec3::Y);
        assert!(query.aabb_intersections_with_aabb(plane.aabb(Vec3::X * 25.0, turn)).is_empty());
        for until in [1, 2] {
            let mut seen = [0; 3];
            let once = |count: &mut usize| {
                *count += 1;
                *count < until
            };
            query.aabb_intersections_with_aabb_callback(aabb, |_| once(&mut seen[0]));
            query.shape_intersections_callback(&long, Vec3::X * 25.0, turn, &all(), |_| once(&mut seen[1]));
            query.point_intersections_callback(Vec3::X * 20.5, &all(), |_| once(&mut seen[2]));
            assert_eq!(seen, [until, until, 1]);
        }
        let near = query.project_point(Vec3::X * 14.0, true, &all()).unwrap();
        assert_eq!((near.entity, near.point, near.is_inside), (first, Vec3::X * 11.0, false));
        let near = query.project_point(Vec3::X * 20.5, true, &all()).unwrap();
        assert_eq!((near.entity, near.point, near.is_inside), (second, Vec3::X * 20.5, true));
        let near = query.project_point(Vec3::X * 20.5, false, &all()).unwrap();
        assert!((near.point - Vec3::X * 21.0).length() < 1e-5 && (near.separation + 0.5).abs() < 1e-5);
        let near = query.project_point_predicate(Vec3::ZERO, true, &all(), &|entity| entity == third).unwrap();
        assert_eq!(near.entity, third);
        let near = query.nearest(Vec3::ZERO, 20.0, 9, &all());
        assert_eq!(near.iter().map(|near| near.entity).collect::<Vec<_>>(), [first, second]);
        let camera = Camera { position: Vec3::new(20.0, 0.0, 9.0), forward: Vec3::NEG_Z, ..Camera::default() };
        let frustum = Frustum::from_camera(&Camera { fov_y: 0.5, aspect: 1.0, ..camera }).unwrap();
        assert_eq!(query.frustum_intersections(&frustum, &all()), [second]);
        // The rest, of the library itself.
        let targets: Vec<Option<Entity>> =
            query.world().objects().map(|(key, _)| query.physics().owner(key.into())).collect();
        assert_eq!(targets, [Some(first), Some(second), Some(third)]);
    });
}

#[test]
fn casters_look_from_where_their_entities_are() {
    let (mut app, [first, second, third]) = balls();
    let parent = app.world_mut().spawn(Transform::from_xyz(20.0, 0.0, 20.0)).id();
    let ray = RayCaster::new(Vec3::Z * 5.0, Dir3::NEG_Z).with_max_distance(50.0);
    let shape = ShapeCaster::new(Collider::sphere(0.5), Vec3::ZERO, Quat::IDENTITY, Dir3::NEG_Z).with_max_hits(2);
    let eye = app.world_mut().spawn((ray, shape, Collider::sphere(1.0), ChildOf(parent))).id();
    ticks(&mut app, 1);
    let seen = |app: &bevy_app::App| -> (Vec<(Entity, f32)>, Vec<Entity>) {
        let rays = app.world().get::<RayHits>(eye).unwrap().iter().map(|hit| (hit.entity, hit.distance)).collect();
        (rays, app.world().get::<ShapeHits>(eye).unwrap().iter().map(|hit| hit.entity).collect())
    };
    // Hits are iterated over like those of a list.
    let hits = app.world().get::<RayHits>(eye).unwrap();
    assert!(hits.into_iter().copied().eq(hits.iter_sorted()) && hits.clone().into_iter().eq(hits.iter_sorted()));
    // Itself is passed over.
    assert_eq!(seen(&app), (vec![(second, 24.0)], vec![second]));
    app.world_mut().get_mut::<Transform>(parent).unwrap().translation.x = 10.0;
    ticks(&mut app, 1);
    assert_eq!(seen(&app), (vec![(first, 24.0)], vec![first]));
    // Turned towards x.
    app.world_mut().get_mut::<Transform>(parent).unwrap().rotation =
        Quat::from_rotation_y(-std::f32::consts::FRAC_PI_2);
    app.world_mut().get_mut::<Transform>(parent).unwrap().translation = Vec3::ZERO;
    ticks(&mut app, 1);
    let (rays, _) = seen(&app);
    assert_eq!(rays.iter().map(|hit| hit.0).collect::<Vec<_>>(), [first, second, third]);
    app.world_mut().get_mut::<RayCaster>(eye).unwrap().disable();
    ticks(&mut app, 1);
    assert!(seen(&app).0.is_empty());
}

#[test]
fn what_has_no_entity_is_in_the_way() {
    let (mut app, [first, ..]) = balls();
    let wall = Aabb::new(Vec3::new(5.0, -1.0, -1.0), Vec3::new(6.0, 1.0, 1.0)).unwrap();
    let wall = app.world_mut().resource_mut::<Physics>().world.insert(bevy_cullide::cullide::Object::fixed(wall));
    ask(&mut app, |query| {
        assert_eq!(query.cast_ray(Vec3::ZERO, Dir3::X, 99.0, true, &all()), None);
        assert!(!query.line_of_sight(Vec3::ZERO, Vec3::X * 7.0, &all()));
        let hits = query.ray_hits(Vec3::ZERO, Dir3::X, 99.0, 1, true, &all());
        assert_eq!((hits[0].entity, query.physics().owner(wall.into())), (first, None));
    });
}
