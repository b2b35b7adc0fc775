//! Compounds as bodies.

use super::{DT, Scene, aabb, ball, capsule, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Compound, Filter, Material, Object, ObjectKey, PlacedCompound, RigidBody, Shape, Target,
    glam::{Quat, Vec3},
    narrowphase::{Hull, Obb, Ray, Solid, Sphere},
};

fn compound(children: impl IntoIterator<Item = Shape>) -> Compound {
    Compound::new(children).unwrap()
}

fn mass_center(scene: &Scene, key: ObjectKey) -> Vec3 {
    scene.dynamics.body(key).unwrap().mass(&scene.world).unwrap().center
}

fn placed(scene: &Scene, key: ObjectKey) -> &PlacedCompound {
    match scene.shape(key) {
        Shape::Compound(placed) => placed,
        other => panic!("no compound: {other:?}"),
    }
}

/// The distance of a compound's children from a box; negative if one is inside.
fn gap(scene: &Scene, key: ObjectKey, fixed: &Obb) -> f64 {
    let placed = placed(scene, key);
    let children = (0..placed.compound().len() as u32).map(|number| placed.child(number).unwrap().into_owned());
    let gaps = children.map(|child| match child {
        Shape::Aabb(child) => child.gap(fixed).separation,
        Shape::Obb(child) => child.gap(fixed).separation,
        Shape::Sphere(child) => child.gap(fixed).separation,
        Shape::Capsule(child) => child.gap(fixed).separation,
        Shape::Brush(child) => child.gap(fixed).separation,
        other => panic!("no solid: {other:?}"),
    });
    gaps.fold(f64::INFINITY, f64::min)
}

/// A handle along x from 0 to 3, and a head at its end.
fn hammer(at: Vec3) -> Compound {
    let handle = aabb(at + Vec3::new(1.5, 0.0, 0.0), Vec3::new(1.5, 0.1, 0.1));
    let head = aabb(at + Vec3::new(3.2, 0.0, 0.0), Vec3::new(0.2, 0.1, 0.5));
    compound([handle.into(), head.into()])
}

/// The position of the hammer's centre of mass along x, by volumes.
fn hammer_center() -> f32 {
    let (handle, head) = (3.0 * 0.2 * 0.2, 0.4 * 0.2 * 1.0);
    (handle * 1.5 + head * 3.2) / (handle + head)
}

#[test]
fn the_mass_of_a_compound_is_the_sum_of_its_children() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..50 {
        let mut any = |center: Vec3| -> Shape {
            let size = 0.2 + rng.f32();
            match rng.usize(0..4) {
                0 => obb(center, turn(&mut rng), Vec3::new(1.0, 0.7, 0.4) * size).into(),
                1 => ball(center, size).into(),
                2 => capsule(center, turn(&mut rng) * Vec3::Y * size, 0.5 * size).into(),
                _ => {
                    let points: Vec<Vec3> = (0..10).map(|_| center + vector(&mut rng, size)).collect();
                    Hull::new(&points).unwrap().into()
                }
            }
        };
        let children = [any(Vec3::ZERO), any(Vec3::X * 3.0), any(Vec3::new(1.0, 2.0, -3.0))];
        let mut scene = Scene::weightless();
        let singles = children.clone().map(|child| {
            let key = scene.add(child, RigidBody::dynamic());
            scene.dynamics.body(key).unwrap().mass(&scene.world).unwrap()
        });
        let whole = scene.add(compound(children), RigidBody::dynamic());
        let found = scene.dynamics.body(whole).unwrap().mass(&scene.world).unwrap();
        let mass: f32 = singles.iter().map(|single| single.mass).sum();
        let center = singles.iter().map(|single| single.center * single.mass).sum::<Vec3>() / mass;
        assert!((found.mass / mass - 1.0).abs() < 1e-5 && (found.center - center).length() < 1e-4, "case {case}");
        // About each of its axes: Σ mᵢ (dᵢ × a)² + Iᵢ.
        for (axis, moment) in found.axes.into_iter().zip(found.inertia.to_array()) {
            let about = |single: &cullide_world::BodyMass| {
                let own = (0..3).map(|i| single.inertia[i] * single.axes[i].dot(axis).powi(2)).sum::<f32>();
                own + single.mass * (single.center - center).cross(axis).length_squared()
            };
            let expected: f32 = singles.iter().map(about).sum();
            assert!((moment / expected - 1.0).abs() < 1e-4, "case {case}: {moment} {expected}");
        }
    }
}

/// Whether the hammer lies level after three seconds on a ledge that supports it at `at`.
fn balances(at: f32) -> bool {
    let mut scene = Scene::with_floor();
    scene.fixed(aabb(Vec3::Y, Vec3::new(0.05, 1.0, 1.0)));
    let place = PlacedCompound::new(&hammer(Vec3::ZERO), Quat::IDENTITY, Vec3::new(-at, 2.101, 0.0)).unwrap();
    let key = scene.add(place, RigidBody::dynamic());
    scene.steps(180);
    (mass_center(&scene, key).y - 2.1).abs() < 0.02
}

#[test]
fn a_hammer_balances_at_its_centre_of_mass_and_not_elsewhere() {
    let center = hammer_center();
    for off in [-0.03, 0.0, 0.03] {
        assert!(balances(center + off), "{off}");
    }
    for off in [-0.5, -0.08, 0.08, 0.5] {
        assert!(!balances(center + off), "{off}");
    }
}

#[test]
fn an_l_of_two_boxes_that_is_tipped_over_rests_on_the_ends_of_both_legs() {
    // Legs of 2 and 3 along x and y, half a unit wide; set down on the open side.
    let long = aabb(Vec3::new(0.25, 1.5, 0.0), Vec3::new(0.25, 1.5, 0.25));
    let short = aabb(Vec3::new(1.25, 0.25, 0.0), Vec3::new(0.75, 0.25, 0.25));
    let tipped = Quat::from_rotation_z(-2.2);
    let place = PlacedCompound::new(&compound([long.into(), short.into()]), tipped, Vec3::Y * 4.0).unwrap();
    let mut scene = Scene::with_floor();
    let key = scene.add(place, RigidBody::dynamic());
    scene.steps(480);
    assert!(scene.dynamics.body(key).unwrap().is_asleep());
    let placed = placed(&scene, key);
    let lowest = |child: u32| placed.child(child).unwrap().aabb().min().y;
    // Both legs reach the floor, and the corner between them is in the air.
    assert!(lowest(0).abs() < 0.01 && lowest(1).abs() < 0.01, "{} {}", lowest(0), lowest(1));
    let corner = scene.world.object(key).unwrap().shape.clone();
    let Shape::Compound(corner) = corner else { panic!("a compound") };
    let Some(Shape::Obb(leg)) = corner.child(0).map(|child| child.into_owned()) else { panic!("a box") };
    let heel = leg.center() - leg.half_edges()[1] - leg.half_edges()[0];
    assert!(heel.y > 0.5, "{heel}");
}

#[test]
fn a_compound_of_one_box_falls_and_lands_as_the_box_does() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..10 {
        let given =
            obb(Vec3::new(4.0, 3.0, -2.0), Quat::from_scaled_axis(vector(&mut rng, 0.05)), Vec3::new(0.2, 0.3, 0.5));
        let body = RigidBody { angular_velocity: vector(&mut rng, 0.1), ..RigidBody::dynamic() };
        let (mut boxes, mut compounds) = (Scene::with_floor(), Scene::with_floor());
        let keys = (boxes.add(given, body), compounds.add(compound([given.into()]), body));
        for step in 0..120 {
            boxes.step();
            compounds.step();
            let Some(Shape::Obb(found)) = placed(&compounds, keys.1).child(0).map(|child| child.into_owned()) else {
                panic!("a box")
            };
            let Shape::Obb(expected) = boxes.shape(keys.0) else { panic!("a box") };
            let off = found.corners().iter().zip(expected.corners()).map(|(a, b)| a.distance(b)).fold(0.0, f32::max);
            assert!(off < 3e-3, "case {case}, step {step}: {off}");
        }
    }
}

/// A table, a dumbbell, a cross and a spiked hull.
fn furniture(kind: usize, size: f32) -> Compound {
    let slab = |center: Vec3, half: Vec3| Shape::from(aabb(center * size, half * size));
    match kind % 4 {
        0 => {
            let leg = |x: f32, z: f32| slab(Vec3::new(x, -0.5, z), Vec3::new(0.08, 0.5, 0.08));
            let top = slab(Vec3::Y * 0.05, Vec3::new(0.7, 0.06, 0.7));
            compound([top, leg(-0.6, -0.6), leg(0.6, -0.6), leg(-0.6, 0.6), leg(0.6, 0.6)])
        }
        1 => {
            let rod = capsule(Vec3::ZERO, Vec3::X * 0.7 * size, 0.1 * size);
            compound([
                rod.into(),
                ball(Vec3::X * -0.8 * size, 0.3 * size).into(),
                ball(Vec3::X * 0.8 * size, 0.3 * size).into(),
            ])
        }
        2 => {
            let arm = |axis: Vec3| slab(Vec3::ZERO, axis * 0.7 + Vec3::splat(0.12));
            compound([arm(Vec3::X), arm(Vec3::Y), arm(Vec3::Z)])
        }
        _ => {
            let points = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::splat(0.6)].map(|point| (point - 0.3) * size);
            let spike = slab(Vec3::new(-0.5, -0.1, -0.1), Vec3::new(0.4, 0.06, 0.06));
            compound([Hull::new(&points).unwrap().into(), spike])
        }
    }
}

fn attic(count: usize) -> (Scene, Vec<ObjectKey>, Vec<Obb>) {
    let mut rng = Rng::with_seed(SEED);
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
        let cell = Vec3::new((i % 4) as f32 - 1.5, (i / 16) as f32, (i / 4 % 4) as f32 - 1.5);
        let place = cell * 1.7 + Vec3::Y * 1.2 + vector(&mut rng, 0.1);
        let size = 0.5 + 0.3 * rng.f32();
        let placed = PlacedCompound::new(&furniture(i, size), turn(&mut rng), place).unwrap();
        // Otherwise a compound that stands on balls rolls for a long time.
        scene.add(placed, RigidBody { angular_damping: 0.5, ..RigidBody::dynamic() })
    });
    let keys = keys.collect();
    (scene, keys, walls.iter().map(Obb::from).collect())
}

#[test]
fn a_heap_of_compounds_is_in_nothing_and_comes_to_rest() {
    let (mut scene, keys, walls) = attic(48);
    for step in 0..1200 {
        scene.step();
        for key in &keys {
            let center = mass_center(&scene, *key);
            assert!(center.y > 0.0 && center.x.abs().max(center.z.abs()) < 4.0, "step {step}: {key} is outside");
            for wall in &walls {
                let gap = gap(&scene, *key, wall);
                assert!(gap >= 0.0, "step {step}: {key} is in a wall by {gap}");
            }
        }
        if keys.iter().all(|key| scene.dynamics.body(*key).unwrap().is_asleep()) {
            return;
        }
    }
    panic!("{} awake", keys.iter().filter(|key| !scene.dynamics.body(**key).unwrap().is_asleep()).count());
}

#[test]
fn compounds_fall_alike_in_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut scene, ..) = attic(48);
            let run = (0..6).map(|_| {
                scene.steps(20);
                scene.world.hash()
            });
            run.collect::<Vec<u64>>()
        })
    };
    let expected = run(1);
    assert_eq!([1, 2, 3].map(run), [expected.clone(), expected.clone(), expected]);
}

#[test]
fn shaken_compounds_do_not_leave_a_room_of_thin_walls() {
    (0..12).for_each(shake_compounds);
}

/// A struck compound may rotate faster than was known, and each child has found only what is near itself.
#[test]
#[ignore = "takes a minute"]
fn shaken_compounds_do_not_leave_any_of_many_rooms() {
    (12..80).for_each(shake_compounds);
}

fn shake_compounds(seed: u64) {
    let mut rng = Rng::with_seed(SEED + seed);
    let mut scene = Scene::new();
    let sides = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| {
        [-1.0, 1.0].map(|side| aabb(axis * side * 5.005, Vec3::splat(5.01) * (Vec3::ONE - axis) + axis * 0.005))
    });
    let walls: Vec<Obb> = sides.iter().flatten().map(Obb::from).collect();
    sides.iter().flatten().for_each(|side| _ = scene.fixed(*side));
    let keys = (0..12).map(|i| {
        let placed = PlacedCompound::new(&furniture(i, 0.6), turn(&mut rng), vector(&mut rng, 3.0)).unwrap();
        scene.add(placed, RigidBody::dynamic())
    });
    let keys: Vec<ObjectKey> = keys.collect();
    for step in 0..200 {
        if step % 30 == 0 {
            for &key in &keys {
                let (velocity, spin) = (vector(&mut rng, 300.0), vector(&mut rng, 50.0));
                scene.set_velocity(key, velocity, spin);
            }
        }
        scene.step();
        for &key in &keys {
            let center = mass_center(&scene, key);
            assert!(center.abs().max_element() < 5.0, "{seed}, step {step}: {key} is outside at {center}");
            for wall in &walls {
                let gap = gap(&scene, key, wall);
                assert!(gap >= 0.0, "{seed}, step {step}: {key} is in a wall by {gap}");
            }
        }
    }
}

#[test]
fn contacts_name_the_children_and_rays_find_them_where_they_are() {
    let mut scene = Scene::with_floor();
    // A stool: only its legs touch the floor.
    let leg = |x: f32, z: f32| Shape::from(aabb(Vec3::new(x, 0.5, z), Vec3::new(0.1, 0.5, 0.1)));
    let seat = Shape::from(aabb(Vec3::new(0.0, 1.1, 0.0), Vec3::new(0.6, 0.1, 0.6)));
    let stool = compound([seat, leg(-0.5, -0.5), leg(0.5, -0.5), leg(0.0, 0.5)]).with_surfaces(&[5, 6, 6, 6]).unwrap();
    let key = scene.add(PlacedCompound::new(&stool, Quat::IDENTITY, Vec3::Y * 0.3).unwrap(), RigidBody::dynamic());
    scene.steps(120);
    assert!(scene.dynamics.body(key).unwrap().is_asleep());
    let pair = scene.dynamics.contacts().next().unwrap();
    let touching = pair.parts().iter().filter(|part| !part.manifold.points().is_empty());
    assert_eq!(touching.map(|part| (part.first_part, part.part)).collect::<Vec<_>>(), [(1, 0), (2, 0), (3, 0)]);
    let down = Ray::new(Vec3::new(0.2, 9.0, 0.1), Vec3::NEG_Y).unwrap();
    let hit = scene.world.cast_ray(&down, 99.0, &Filter::ALL).unwrap();
    assert_eq!((hit.target, hit.part, hit.surface), (Target::from(key), 0, 5));
    assert!((hit.distance - 7.8).abs() < 0.01, "{hit:?}");
}

#[test]
fn a_compound_goes_along_on_a_mesh_and_stops_at_a_plane() {
    let mut scene = Scene::new();
    let [a, b, c, d] = [[-9.0, -9.0], [9.0, -9.0], [9.0, 9.0], [-9.0, 9.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
    scene.fixed(cullide_world::Mesh::new(&[a, b, c, d], &[[0, 2, 1], [0, 3, 2]]).unwrap());
    scene.plane(Vec3::X * 3.0, Vec3::NEG_X);
    let ice = Material { friction: 0.0, ..Material::default() };
    let body = RigidBody { velocity: Vec3::X * 2.0, material: ice, ..RigidBody::dynamic() };
    let sled = compound([-0.4, 0.4].map(|z| aabb(Vec3::new(0.0, 0.102, z), Vec3::new(0.5, 0.1, 0.1)).into()));
    let key = scene.add(sled, body);
    let mut farthest = 0.0f32;
    for _ in 0..(3.0 / DT) as usize {
        scene.step();
        farthest = farthest.max(mass_center(&scene, key).x);
    }
    assert!((farthest - 2.5).abs() < 0.01, "{farthest}");
    assert!((mass_center(&scene, key).y - 0.1).abs() < 0.01);
}

#[test]
fn what_is_no_solid_is_refused() {
    let mut scene = Scene::new();
    let triangle = cullide_world::narrowphase::Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y).unwrap();
    let ball = Sphere::new(Vec3::ZERO, 1.0).unwrap();
    let with_triangle = compound([ball.into(), triangle.into()]);
    let scaled = PlacedCompound::scaled(&with_triangle, Quat::IDENTITY, Vec3::ZERO, Vec3::splat(2.0)).unwrap();
    for shape in [Shape::from(triangle), with_triangle.into(), scaled.into()] {
        let key = scene.world.insert(Object::moving(shape));
        assert!(scene.dynamics.insert(&mut scene.world, key, RigidBody::dynamic()).is_err());
    }
    assert!(scene.dynamics.bodies().next().is_none());
}

#[test]
fn the_transform_of_a_compound_tells_where_steps_have_put_it() {
    let mut rng = Rng::with_seed(SEED);
    let given = hammer(Vec3::ZERO);
    let starts = [(Quat::IDENTITY, Vec3::ZERO), (turn(&mut rng), Vec3::new(3.0, 5.0, -2.0))];
    for placed_at in starts {
        for start in starts {
            let mut scene = Scene::new();
            let body = RigidBody { angular_velocity: vector(&mut rng, 4.0), ..RigidBody::dynamic() };
            let first = PlacedCompound::new(&given, placed_at.0, placed_at.1).unwrap();
            let key = scene.world.insert(Object::moving(first));
            assert_eq!(scene.world.object(key).map(|object| object.transform()), Some((Quat::IDENTITY, Vec3::ZERO)));
            scene.world.object_mut(key).unwrap().set_transform(start.0, start.1).unwrap();
            scene.dynamics.insert(&mut scene.world, key, body).unwrap();
            for _ in 0..40 {
                scene.step();
                let (rotation, translation) = scene.world.object(key).unwrap().transform();
                // The end of the head, for the hammer as given and then placed.
                let head = placed_at.0 * Vec3::new(3.2, 0.0, 0.0) + placed_at.1;
                let found = placed(&scene, key).child(1).unwrap().aabb().center();
                assert!((rotation * head + translation).distance(found) < 1e-4);
            }
            scene.world.object_mut(key).unwrap().set_transform(start.0, start.1).unwrap();
            assert_eq!(scene.world.object(key).map(|object| object.transform()), Some(start));
        }
    }
}
