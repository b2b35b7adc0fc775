//! Hulls and brushes as bodies.

use super::{DT, Scene, aabb, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Filter, Mass, Material, ObjectKey, RigidBody, Shape, Target,
    glam::{DVec3, Quat, Vec3},
    narrowphase::{Brush, Hull, Obb, Ray, Solid},
};

fn hull(points: &[Vec3]) -> Shape {
    Hull::new(points).unwrap().into()
}

fn hull_of(obb: &Obb) -> Shape {
    hull(&obb.corners())
}

/// A prism of a polygon in the xy-plane.
fn prism(outline: &[[f32; 2]], depth: f32) -> Shape {
    let corners = |z: f32| outline.iter().map(move |[x, y]| Vec3::new(*x, *y, z));
    hull(&corners(-0.5 * depth).chain(corners(0.5 * depth)).collect::<Vec<_>>())
}

fn cloud(rng: &mut Rng, center: Vec3, size: f32) -> Vec<Vec3> {
    (0..12).map(|_| center + vector(rng, 1.0).normalize() * size).collect()
}

fn brush_of(scene: &Scene, key: ObjectKey) -> &Brush {
    match scene.shape(key) {
        Shape::Brush(brush) => brush,
        other => panic!("no brush: {other:?}"),
    }
}

fn mass_center(scene: &Scene, key: ObjectKey) -> Vec3 {
    scene.dynamics.body(key).unwrap().mass(&scene.world).unwrap().center
}

/// The greatest distance of a corner of the box from the nearest vertex of the brush.
fn farthest_corner(brush: &Brush, obb: &Obb) -> f64 {
    let nearest = |corner: DVec3| brush.vertices().iter().map(|v| v.distance(corner)).fold(f64::INFINITY, f64::min);
    obb.corners().iter().map(|corner| nearest(corner.as_dvec3())).fold(0.0, f64::max)
}

/// How far a box and the hull of its corners are from each other as they fall onto a floor: the maximum while they are
/// above it, and the distance after three seconds.
fn box_and_hull(given: Obb, body: RigidBody) -> (f64, f64) {
    let (mut boxes, mut hulls) = (Scene::with_floor(), Scene::with_floor());
    let keys = (boxes.add(given, body), hulls.add(hull_of(&given), body));
    let (mut flying, mut off) = (0.0, 0.0);
    for _ in 0..180 {
        boxes.step();
        hulls.step();
        let Shape::Obb(expected) = boxes.shape(keys.0) else { panic!("a box") };
        off = farthest_corner(brush_of(&hulls, keys.1), expected);
        flying = if expected.aabb().min().y > 0.0025 { off.max(flying) } else { flying };
    }
    let low = [boxes.shape(keys.0), hulls.shape(keys.1)].map(|shape| shape.aabb().min().y);
    assert!(low.into_iter().all(|low| (0.0..0.002).contains(&low)), "{low:?}");
    (flying, off)
}

#[test]
fn the_hull_of_a_box_falls_and_lands_as_the_box_does() {
    let mut rng = Rng::with_seed(SEED);
    let half = Vec3::new(0.2, 0.3, 0.5);
    for case in 0..20u8 {
        let height = 0.31 + 0.001 * f32::from(case);
        let (flying, landed) =
            box_and_hull(obb(Vec3::new(4.0, height, -2.0), Quat::IDENTITY, half), RigidBody::dynamic());
        assert!(flying < 1e-5 && landed < 1e-3, "case {case}: {flying} {landed}");
        // From 2.7 m it hits the floor at 7 m/s: it comes to rest on the same side, but only approximately at the same
        // place, as boxes with differently numbered corners do, because the solver handles a manifold's points one by
        // one.
        let (velocity, angular_velocity) = (vector(&mut rng, 0.5), vector(&mut rng, 0.1));
        let body = RigidBody { velocity, angular_velocity, ..RigidBody::dynamic() };
        let lean = Quat::from_scaled_axis(vector(&mut rng, 0.05));
        let (_, landed) = box_and_hull(obb(Vec3::new(4.0, 3.0, -2.0), lean, half), body);
        assert!(landed < 0.1, "case {case}: {landed}");
    }
}

#[test]
fn mass_centre_and_inertia_of_a_hull_are_those_of_the_box_that_it_is() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..50 {
        let given = obb(vector(&mut rng, 9.0), turn(&mut rng), Vec3::new(0.2, 0.5, 0.9));
        let mut scene = Scene::weightless();
        let body = RigidBody { mass: Mass::Density(7.0), ..RigidBody::dynamic() };
        let keys = [scene.add(given, body), scene.add(hull_of(&given), body)];
        let [expected, found] = keys.map(|key| scene.dynamics.body(key).unwrap().mass(&scene.world).unwrap());
        assert!((found.mass / expected.mass - 1.0).abs() < 1e-5, "case {case}: {found:?} {expected:?}");
        assert!((found.center - expected.center).length() < 1e-5, "case {case}: {found:?} {expected:?}");
        for (axis, moment) in expected.axes.into_iter().zip(expected.inertia.to_array()) {
            let (same, _) = found.axes.iter().zip(found.inertia.to_array()).fold((f32::NAN, 0.0), |best, (own, m)| {
                if own.dot(axis).abs() > best.1 { (m, own.dot(axis).abs()) } else { best }
            });
            assert!((same / moment - 1.0).abs() < 1e-4, "case {case}: {found:?} {expected:?}");
        }
    }
}

#[test]
fn a_hull_that_tumbles_keeps_its_centre_of_mass_on_its_parabola_and_its_shape() {
    let mut rng = Rng::with_seed(SEED);
    let points: Vec<Vec3> = cloud(&mut rng, Vec3::new(5.0, 9.0, -3.0), 0.7);
    let given = hull(&points);
    let mut scene = Scene::new();
    let velocity = Vec3::new(3.0, 12.0, -1.0);
    let spin = Vec3::new(2.0, -5.0, 3.0);
    let key = scene.add(given.clone(), RigidBody { velocity, angular_velocity: spin, ..RigidBody::dynamic() });
    let start = mass_center(&scene, key);
    let Shape::Brush(first) = &given else { panic!("a brush") };
    for step in 1..=120 {
        scene.step();
        let time = step as f32 * DT;
        // In each sub-step the velocity is updated before the position: gravity counts for half a sub-step more.
        let ahead = 0.5 * time * DT / scene.config.substeps as f32;
        let expected = start + velocity * time + scene.config.gravity * (0.5 * time * time + ahead);
        assert!((mass_center(&scene, key) - expected).length() < 2e-4, "step {step}");
    }
    let last = brush_of(&scene, key);
    assert_eq!((last.vertices().len(), last.edges()), (first.vertices().len(), first.edges()));
    for (i, a) in first.vertices().iter().enumerate() {
        for (j, b) in first.vertices().iter().enumerate() {
            let found = last.vertices()[i].distance(last.vertices()[j]);
            assert!((found - a.distance(*b)).abs() < 1e-13, "{i} {j}: {found}");
        }
    }
}

#[test]
fn a_ray_meets_a_hull_where_it_fell() {
    let mut scene = Scene::with_floor();
    let key = scene.add(hull_of(&obb(Vec3::Y * 3.0, Quat::IDENTITY, Vec3::new(0.5, 0.25, 0.5))), RigidBody::dynamic());
    scene.steps(180);
    assert!(scene.dynamics.body(key).unwrap().is_asleep());
    let down = Ray::new(Vec3::new(0.1, 9.0, 0.2), Vec3::NEG_Y).unwrap();
    let hit = scene.world.cast_ray(&down, 99.0, &Filter::ALL).unwrap();
    assert_eq!(hit.target, Target::from(key));
    assert!((hit.distance - 8.5).abs() < 0.01, "{hit:?}");
}

/// The greatest distance of a centre of mass from where it was.
fn farthest(scene: &Scene, keys: &[ObjectKey], before: &[Vec3]) -> f32 {
    keys.iter().zip(before).map(|(key, place)| mass_center(scene, *key).distance(*place)).fold(0.0, f32::max)
}

/// A semicircle of stones with an inner radius of 3 and an outer one of 4 between two springers.
fn arch(stones: usize, can_sleep: bool) -> (Scene, Vec<ObjectKey>) {
    let mut scene = Scene::new();
    let rough = Material { friction: 0.8, ..Material::default() };
    for side in [-1.0, 1.0] {
        let springer = scene.fixed(aabb(Vec3::new(3.5 * side, -1.0, 0.0), Vec3::new(1.0, 1.0, 1.0)));
        scene.dynamics.set_material(&scene.world, springer, rough).unwrap();
    }
    // Joints as wide as the gap between bodies at rest.
    let gap = 0.5 * scene.config.skin;
    let keys = (0..stones).map(|i| {
        let angle = |i: usize| i as f32 * std::f32::consts::PI / stones as f32;
        let corner = |i: usize, radius: f32, side: f32| {
            let (sin, cos) = angle(i).sin_cos();
            [radius * cos - side * gap * sin, radius * sin + side * gap * cos]
        };
        let outline = [corner(i, 3.0, 1.0), corner(i, 4.0, 1.0), corner(i + 1, 4.0, -1.0), corner(i + 1, 3.0, -1.0)];
        let body = RigidBody { material: rough, can_sleep, ..RigidBody::dynamic() };
        scene.add(prism(&outline, 1.0), body)
    });
    let keys = keys.collect();
    (scene, keys)
}

#[test]
fn an_arch_of_eleven_stones_stands_asleep_and_awake() {
    for can_sleep in [true, false] {
        let (mut scene, stones) = arch(11, can_sleep);
        let before: Vec<Vec3> = stones.iter().map(|key| mass_center(&scene, *key)).collect();
        scene.steps(600);
        let off = farthest(&scene, &stones, &before);
        assert!(off < 0.02, "{can_sleep}: {off}");
        assert!(stones.iter().all(|stone| scene.dynamics.body(*stone).unwrap().is_asleep() == can_sleep));
    }
}

#[test]
fn without_its_crown_an_arch_falls() {
    let (mut scene, stones) = arch(11, true);
    // Without the keystone, the two halves would lean on each other.
    stones[4..7].iter().for_each(|stone| _ = scene.world.remove(*stone));
    scene.steps(300);
    let lowest = [3, 7].map(|i| mass_center(&scene, stones[i]).y);
    assert!(lowest.into_iter().all(|y| y < 1.0), "{lowest:?}");
}

/// A room with a floor and four walls, and hulls that fall into it.
fn room(count: usize, seed: u64) -> (Scene, Vec<ObjectKey>, Vec<Obb>) {
    let mut rng = Rng::with_seed(seed);
    let mut scene = Scene::new();
    let walls = [
        aabb(Vec3::NEG_Y, Vec3::new(7.0, 1.0, 7.0)),
        aabb(Vec3::new(5.0, 6.0, 0.0), Vec3::new(1.0, 8.0, 7.0)),
        aabb(Vec3::new(-5.0, 6.0, 0.0), Vec3::new(1.0, 8.0, 7.0)),
        aabb(Vec3::new(0.0, 6.0, 5.0), Vec3::new(7.0, 8.0, 1.0)),
        aabb(Vec3::new(0.0, 6.0, -5.0), Vec3::new(7.0, 8.0, 1.0)),
    ];
    walls.iter().for_each(|wall| _ = scene.fixed(*wall));
    let keys = (0..count).map(|i| {
        let cell = Vec3::new((i % 5) as f32 - 2.0, (i / 25) as f32, (i / 5 % 5) as f32 - 2.0);
        let center = cell * 1.3 + Vec3::Y + vector(&mut rng, 0.1);
        let size = 0.3 + 0.25 * rng.f32();
        scene.add(hull(&cloud(&mut rng, center, size)), RigidBody::dynamic())
    });
    let keys = keys.collect();
    (scene, keys, walls.iter().map(Obb::from).collect())
}

#[test]
fn a_hundred_hulls_come_to_rest_in_a_room_and_in_nothing() {
    let (mut scene, keys, walls) = room(100, SEED);
    let mut asleep = None;
    for step in 0..900 {
        scene.step();
        for key in &keys {
            let brush = brush_of(&scene, *key);
            let (low, high) = (brush.aabb().min(), brush.aabb().max());
            assert!(low.min_element() > -4.01 && high.x.max(high.z) < 4.01 && high.y < 14.0, "{key} is outside");
            for wall in &walls {
                let gap = brush.gap(wall).separation;
                assert!(gap >= 0.0, "step {step}: {key} is in a wall by {gap}");
            }
        }
        if keys.iter().all(|key| scene.dynamics.body(*key).unwrap().is_asleep()) {
            asleep = Some(step);
            break;
        }
    }
    assert!(
        asleep.is_some(),
        "{} awake",
        keys.iter().filter(|key| !scene.dynamics.body(**key).unwrap().is_asleep()).count()
    );
}

#[test]
fn hulls_fall_alike_in_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut scene, ..) = room(80, SEED);
            (0..6)
                .map(|_| {
                    scene.steps(20);
                    scene.world.hash()
                })
                .collect::<Vec<u64>>()
        })
    };
    let expected = run(1);
    assert_eq!([1, 2, 3].map(run), [expected.clone(), expected.clone(), expected]);
}

#[test]
fn a_kinematic_hull_pushes_and_a_hull_that_is_a_sensor_reports() {
    let mut scene = Scene::with_floor();
    let pushed =
        scene.add(hull_of(&obb(Vec3::new(1.0, 0.502, 0.0), Quat::IDENTITY, Vec3::splat(0.5))), RigidBody::dynamic());
    let moves = RigidBody { velocity: Vec3::X, ..RigidBody::kinematic() };
    let pusher = scene.add(hull_of(&obb(Vec3::new(-1.0, 0.6, 0.0), Quat::IDENTITY, Vec3::splat(0.5))), moves);
    let sensor = RigidBody { is_sensor: true, ..RigidBody::kinematic() };
    let sensor = scene.add(hull_of(&obb(Vec3::new(3.5, 0.6, 0.0), Quat::IDENTITY, Vec3::splat(0.5))), sensor);
    let mut is_seen = false;
    for _ in 0..180 {
        let report = scene.step();
        is_seen |= report.begun.contains(&(pushed, sensor.into()));
    }
    assert!(is_seen);
    assert!((mass_center(&scene, pushed).x - 3.0).abs() < 0.05, "{}", mass_center(&scene, pushed));
    assert!((f64::from(scene.shape(pusher).aabb().center().x) - 2.0).abs() < 1e-4);
}

#[test]
fn a_fast_hull_does_not_get_through_a_thin_wall() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..100 {
        let mut scene = Scene::weightless();
        let wall = obb(Vec3::ZERO, Quat::IDENTITY, Vec3::new(0.005, 200.0, 200.0));
        scene.fixed(wall);
        let points = cloud(&mut rng, Vec3::new(-3.0, 0.0, 0.0), 0.4);
        let body = RigidBody {
            velocity: Vec3::X * (10.0 + 500.0 * rng.f32()),
            angular_velocity: vector(&mut rng, 60.0),
            ..RigidBody::dynamic()
        };
        let key = scene.add(hull(&points), body);
        for step in 0..30 {
            scene.step();
            let gap = brush_of(&scene, key).gap(&wall).separation;
            assert!(gap >= 0.0 && mass_center(&scene, key).x < 0.0, "case {case}, step {step}: {gap}");
        }
    }
}

/// Cards that lean against each other in pairs, with a card across each pair.
fn house_of_cards(storeys: usize, can_sleep: bool) -> (Scene, Vec<ObjectKey>) {
    let mut scene = Scene::new();
    let rough = Material { friction: 0.8, ..Material::default() };
    let floor = scene.fixed(aabb(Vec3::NEG_Y, Vec3::new(9.0, 1.0, 9.0)));
    scene.dynamics.set_material(&scene.world, floor, rough).unwrap();
    let body = RigidBody { material: rough, can_sleep, ..RigidBody::dynamic() };
    let (long, thin, lean) = (0.5, 0.01, 0.3f32);
    let (sin, cos) = lean.sin_cos();
    // The extents of a card that leans by the angle.
    let (height, width) = (2.0 * (long * cos + thin * sin), 2.0 * (long * sin + thin * cos));
    let gap = scene.config.skin;
    let mut keys = Vec::new();
    let mut add = |center: Vec3, turn: Quat| {
        keys.push(scene.add(hull_of(&obb(center, turn, Vec3::new(thin, long, 0.35))), body));
    };
    for storey in 0..storeys {
        let base = storey as f32 * (height + 2.0 * thin + 2.0 * gap) + gap;
        let tents = storeys - storey;
        for tent in 0..tents {
            let x = (tent as f32 - 0.5 * (tents - 1) as f32) * (2.0 * width + gap);
            for side in [-1.0, 1.0] {
                let center = Vec3::new(x + side * 0.5 * (width + gap), base + 0.5 * height, 0.0);
                add(center, Quat::from_rotation_z(side * lean));
            }
            if tent > 0 {
                let across = Vec3::new(x - width - 0.5 * gap, base + height + gap + thin, 0.0);
                add(across, Quat::from_rotation_z(0.5 * std::f32::consts::PI));
            }
        }
    }
    (scene, keys)
}

#[test]
fn a_house_of_cards_stands_asleep_and_awake() {
    for (storeys, can_sleep) in [(1, true), (2, true), (3, true), (1, false), (2, false), (3, false)] {
        let (mut scene, cards) = house_of_cards(storeys, can_sleep);
        let before: Vec<Vec3> = cards.iter().map(|key| mass_center(&scene, *key)).collect();
        scene.steps(600);
        let off = farthest(&scene, &cards, &before);
        assert!(off < 0.02, "{storeys} storeys, {can_sleep}: {off}");
    }
}

#[test]
fn the_transform_of_a_hull_tells_where_steps_have_put_its_points() {
    let mut rng = Rng::with_seed(SEED);
    let points = cloud(&mut rng, Vec3::new(0.2, 0.1, -0.3), 0.6);
    let start = (turn(&mut rng), Vec3::new(3.0, 5.0, -2.0));
    for is_posed in [false, true] {
        let mut scene = Scene::new();
        let body = RigidBody { angular_velocity: vector(&mut rng, 4.0), ..RigidBody::dynamic() };
        let key = scene.world.insert(cullide_world::Object::moving(hull(&points)));
        if is_posed {
            scene.world.object_mut(key).unwrap().set_transform(start.0, start.1).unwrap();
        }
        scene.dynamics.insert(&mut scene.world, key, body).unwrap();
        let is_there = |scene: &Scene| {
            let (rotation, translation) = scene.world.object(key).unwrap().transform();
            brush_of(scene, key).vertices().iter().all(|vertex| {
                let near = |point: &Vec3| (rotation * *point + translation).distance(vertex.as_vec3()) < 1e-5;
                points.iter().any(near)
            })
        };
        for _ in 0..40 {
            scene.step();
            assert!(is_there(&scene), "{is_posed}");
        }
        // Moved back to where it began, it continues from there.
        scene.world.object_mut(key).unwrap().set_transform(start.0, start.1).unwrap();
        let (rotation, translation) = scene.world.object(key).unwrap().transform();
        assert!(is_there(&scene) && translation == start.1 && rotation.dot(start.0).abs() > 0.999_999);
        scene.step();
        assert!(is_there(&scene), "{is_posed}");
        assert!(scene.world.object(key).unwrap().transform().1.distance(start.1) < 0.3);
    }
}

#[test]
fn a_press_does_not_push_hulls_into_the_floor() {
    let mut rng = Rng::with_seed(SEED);
    let mut scene = Scene::with_floor();
    let floor = Obb::from(&aabb(Vec3::new(0.0, -1.0, 0.0), Vec3::new(50.0, 1.0, 50.0)));
    let keys = (0..8).map(|i| {
        let center = Vec3::new((i % 3) as f32 - 1.0, 0.7 + (i / 3) as f32, (i % 2) as f32);
        scene.add(hull(&cloud(&mut rng, center, 0.6)), RigidBody::dynamic())
    });
    let keys: Vec<ObjectKey> = keys.collect();
    let press = RigidBody { velocity: Vec3::NEG_Y, ..RigidBody::kinematic() };
    scene.add(hull_of(&obb(Vec3::Y * 5.0, Quat::IDENTITY, Vec3::new(9.0, 0.5, 9.0))), press);
    let mut has_held = false;
    for step in 0..290 {
        has_held |= !scene.step().held.is_empty();
        for key in &keys {
            let gap = brush_of(&scene, *key).gap(&floor).separation;
            assert!(gap >= 0.0, "step {step}: {key} is in the floor by {gap}");
        }
    }
    // The press comes down until they have no room left.
    assert!(has_held);
}
