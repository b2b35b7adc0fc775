//! Bodies whose mass, centre and inertia are given, whatever their shape.

use super::DT;
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BodyMass, Character, Compound, Dynamics, DynamicsConfig, DynamicsSnapshot, Filter, Mass, Mover, Object, ObjectKey,
    RigidBody, Shape, Snapshot, World, WorldPlane,
    glam::{BVec3, DMat3, DQuat, DVec3, Mat3, Quat, Vec3},
    narrowphase::{Aabb, Brush, Capsule, Error, Hull, Obb, Plane, Sphere},
};

fn any(rng: &mut Rng) -> f64 {
    2.0 * f64::from(rng.f32()) - 1.0
}

fn vector(rng: &mut Rng) -> DVec3 {
    DVec3::new(any(rng), any(rng), any(rng))
}

fn turn(rng: &mut Rng) -> DMat3 {
    DMat3::from_quat(DQuat::from_scaled_axis(vector(rng) * 3.0))
}

/// The inertia of a cloud of points about its centre: any that is one is that of three pairs of points.
fn inertia(rng: &mut Rng, size: f64) -> DMat3 {
    let at = DVec3::new(rng.f32().into(), rng.f32().into(), rng.f32().into()) * size + 0.05 * size;
    let squares = at * at;
    let moments = DVec3::new(squares.y + squares.z, squares.x + squares.z, squares.x + squares.y);
    let turn = turn(rng);
    turn * DMat3::from_diagonal(moments) * turn.transpose()
}

/// A shape of each kind that a rigid body may have.
fn shape(rng: &mut Rng, kind: usize) -> Shape {
    let (at, half) = ((vector(rng) * 3.0).as_vec3(), (vector(rng).abs() + 0.3).as_vec3());
    let rotation = DQuat::from_scaled_axis(vector(rng)).as_quat();
    let corners = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::new(0.2, 0.1, -1.2)];
    match kind % 7 {
        0 => Aabb::from_center_half_extents(at, half).unwrap().into(),
        1 => Obb::new(at, rotation, half).unwrap().into(),
        2 => Sphere::new(at, half.x).unwrap().into(),
        3 => Capsule::from_half_axis(at, rotation * (Vec3::Y * half.y), half.x).unwrap().into(),
        4 => Hull::new(&corners.map(|corner| at + corner * half)).unwrap().into(),
        5 => Brush::try_from(&Obb::new(at, rotation, half).unwrap()).unwrap().into(),
        _ => {
            let [near, far] = [0.0, 1.0].map(|x| Sphere::new(at + Vec3::X * x, half.y).unwrap().into());
            Compound::new([near, far, Obb::new(at, rotation, half).unwrap().into()]).unwrap().into()
        }
    }
}

/// A body of a kind, in some pose, with a given mass.
fn body(rng: &mut Rng, kind: usize) -> (World, Dynamics, ObjectKey, RigidBody) {
    let (mut world, mut dynamics) = (World::with_tag(1), Dynamics::new());
    let key = world.insert(Object::moving(shape(rng, kind)));
    if kind % 2 == 1 {
        let (rotation, translation) = (DQuat::from_scaled_axis(vector(rng) * 2.0), vector(rng) * 5.0);
        world.object_mut(key).unwrap().set_transform(rotation.as_quat(), translation.as_vec3()).unwrap();
    }
    let mass = (0.2 + any(rng).abs()) as f32;
    let inertia = (inertia(rng, 0.7) * f64::from(mass)).as_mat3();
    let mass = Mass::Given { mass, center: (vector(rng) * 0.6).as_vec3(), inertia };
    let (velocity, angular_velocity) = ((vector(rng) * 3.0).as_vec3(), (vector(rng) * 4.0).as_vec3());
    let body = RigidBody { mass, velocity, angular_velocity, ..RigidBody::dynamic() };
    assert_eq!(dynamics.insert(&mut world, key, body), Ok(()));
    (world, dynamics, key, body)
}

fn free() -> DynamicsConfig {
    DynamicsConfig { gravity: Vec3::ZERO, ..DynamicsConfig::default() }
}

/// The tensor in the world.
fn tensor(mass: &BodyMass) -> DMat3 {
    let mut sum = DMat3::ZERO;
    for (axis, moment) in mass.axes.into_iter().zip(mass.inertia.to_array()) {
        let axis = axis.as_dvec3();
        sum += DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z) * f64::from(moment);
    }
    sum
}

fn off(a: &DMat3, b: &DMat3) -> f64 {
    (*a - *b).to_cols_array().into_iter().fold(0.0, |most, entry| entry.abs().max(most))
}

/// What the description says of where mass and inertia are in the world, given the pose of the object.
fn expected(world: &World, key: ObjectKey, body: &RigidBody) -> (f32, Vec3, DMat3) {
    let Mass::Given { mass, center, inertia } = body.mass else { panic!("given") };
    let (rotation, translation) = world.object(key).unwrap().transform();
    let turn = DMat3::from_quat(rotation.as_dquat());
    (mass, rotation * center + translation, turn * inertia.as_dmat3() * turn.transpose())
}

fn assert_is_where_it_was_given(world: &World, dynamics: &Dynamics, key: ObjectKey, case: &str) {
    let (mass, center, inertia) = expected(world, key, dynamics.body(key).unwrap().get());
    let known = dynamics.body(key).unwrap().mass(world).unwrap();
    assert!((known.mass / mass - 1.0).abs() < 1e-6, "{case}: {known:?}");
    assert!(known.center.distance(center) < 2e-5, "{case}: {} {center}", known.center);
    assert!(off(&tensor(&known), &inertia) < 2e-5, "{case}: {known:?} {inertia}");
}

#[test]
fn mass_is_where_it_was_given_and_moves_with_the_pose() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..140 {
        let (mut world, mut dynamics, key, body) = body(&mut rng, case);
        assert_is_where_it_was_given(&world, &dynamics, key, &format!("{case}, at first"));
        let start = dynamics.body(key).unwrap().mass(&world).unwrap();
        let momentum = tensor(&start) * body.angular_velocity.as_dvec3();
        for _ in 0..60 {
            dynamics.step(&mut world, DT, &free()).unwrap();
        }
        assert_is_where_it_was_given(&world, &dynamics, key, &format!("{case}, later"));
        // Nothing pushes it: its centre goes straight on, and its angular momentum stays.
        let end = dynamics.body(key).unwrap().mass(&world).unwrap();
        let straight = start.center + body.velocity;
        assert!(end.center.distance(straight) < 1e-4, "{case}: {} {straight}", end.center);
        let kept = tensor(&end) * dynamics.body(key).unwrap().angular_velocity.as_dvec3();
        assert!((kept - momentum).length() < 0.01 * momentum.length(), "{case}: {kept} {momentum}");
        // Posed by hand, it takes its centre along.
        let pose = (DQuat::from_scaled_axis(vector(&mut rng)).as_quat(), vector(&mut rng).as_vec3());
        world.object_mut(key).unwrap().set_transform(pose.0, pose.1).unwrap();
        assert_is_where_it_was_given(&world, &dynamics, key, &format!("{case}, posed"));
        dynamics.step(&mut world, DT, &free()).unwrap();
        assert_is_where_it_was_given(&world, &dynamics, key, &format!("{case}, posed and moved"));
    }
}

#[test]
fn an_impulse_turns_it_as_the_given_tensor_says() {
    let mut rng = Rng::with_seed(SEED + 1);
    for case in 0..140 {
        let (world, mut dynamics, key, body) = body(&mut rng, case);
        let (mass, center, inertia) = expected(&world, key, &body);
        let (at, impulse) = ((vector(&mut rng) * 3.0).as_vec3(), vector(&mut rng).as_vec3());
        assert_eq!(dynamics.body_mut(&world, key).unwrap().apply_impulse(impulse, at), Ok(()));
        let now = dynamics.body(key).unwrap();
        let (gained, turned) = (now.velocity - body.velocity, now.angular_velocity - body.angular_velocity);
        let arm = (at - center).as_dvec3();
        let spin = inertia.inverse() * arm.cross(impulse.as_dvec3());
        assert!((gained - impulse / mass).length() < 1e-4 * (1.0 + gained.length()), "{case}: {gained}");
        assert!((turned.as_dvec3() - spin).length() < 1e-3 * (1.0 + spin.length()), "{case}: {turned} {spin}");
    }
}

#[test]
fn what_a_density_makes_of_a_shape_can_be_given() {
    let mut rng = Rng::with_seed(SEED + 2);
    for case in 0..70 {
        let shape = shape(&mut rng, case);
        let (mut world, mut dynamics) = (World::with_tag(1), Dynamics::new());
        let keys = [(); 2].map(|()| world.insert(Object::moving(shape.clone())));
        dynamics.insert(&mut world, keys[0], RigidBody { mass: Mass::Density(2.5), ..RigidBody::dynamic() }).unwrap();
        let even = dynamics.body(keys[0]).unwrap().mass(&world).unwrap();
        let (rotation, translation) = world.object(keys[1]).unwrap().transform();
        let back = DMat3::from_quat(rotation.as_dquat()).transpose();
        let inertia = (back * tensor(&even) * back.transpose()).as_mat3();
        let center = rotation.inverse() * (even.center - translation);
        let mass = Mass::Given { mass: even.mass, center, inertia };
        dynamics.insert(&mut world, keys[1], RigidBody { mass, ..RigidBody::dynamic() }).unwrap();
        let given = dynamics.body(keys[1]).unwrap().mass(&world).unwrap();
        assert_eq!(given.mass, even.mass);
        assert!(given.center.distance(even.center) < 1e-5, "{case}");
        let size = even.inertia.max_element().into();
        assert!(off(&tensor(&given), &tensor(&even)) < 1e-5 * f64::max(size, 0.1), "{case}: {given:?} {even:?}");
    }
}

/// Steiner's theorem for two boxes, in numbers of its own.
#[test]
fn parts_of_different_densities_make_the_mass_of_their_sum() {
    let mut rng = Rng::with_seed(SEED + 3);
    for case in 0..200 {
        let parts: Vec<(DVec3, DVec3, f64)> = (0..2 + case % 3)
            .map(|_| (vector(&mut rng) * 4.0, vector(&mut rng).abs() + 0.1, 0.1 + 3.0 * any(&mut rng).abs()))
            .map(|(at, half, density)| (at.as_vec3().as_dvec3(), half.as_vec3().as_dvec3(), f64::from(density as f32)))
            .collect();
        let boxes = parts.iter().map(|(at, half, _)| Obb::new(at.as_vec3(), Quat::IDENTITY, half.as_vec3()).unwrap());
        let shapes: Vec<Shape> = boxes.map(Shape::from).collect();
        let masses: Vec<f64> =
            parts.iter().map(|(_, half, density)| 8.0 * half.x * half.y * half.z * density).collect();
        let total: f64 = masses.iter().sum();
        let middle = parts.iter().zip(&masses).map(|((at, ..), mass)| *at * *mass).sum::<DVec3>() / total;
        let mut sum = [[0.0; 3]; 3];
        for ((at, half, _), mass) in parts.iter().zip(&masses) {
            let (from, squares) = (*at - middle, *half * *half / 3.0 + (*at - middle) * (*at - middle));
            for i in 0..3 {
                for j in 0..3 {
                    let own = if i == j { squares.x + squares.y + squares.z - squares[i] } else { -from[i] * from[j] };
                    sum[i][j] += mass * own;
                }
            }
        }
        let densities = parts.iter().map(|(_, _, density)| *density as f32);
        let Ok(Mass::Given { mass, center, inertia }) = Mass::of_parts(shapes.iter().zip(densities)) else {
            panic!("{case}")
        };
        assert!((f64::from(mass) / total - 1.0).abs() < 1e-6 && center.as_dvec3().distance(middle) < 1e-6, "{case}");
        let sum = DMat3::from_cols_array_2d(&sum);
        let size = sum.x_axis.x + sum.y_axis.y + sum.z_axis.z;
        assert!(off(&inertia.as_dmat3(), &sum) < 1e-6 * size, "{case}: {inertia} {sum}");
    }
    let ball = Shape::from(Sphere::new(Vec3::ZERO, 1.0).unwrap());
    let of = |density: f32| Mass::of_parts([(&ball, density)]);
    assert_eq!(of(f32::NAN), Err(Error::NonFinite { field: "density" }));
    assert_eq!(of(-1.0), Err(Error::Negative { field: "density" }));
    assert_eq!(of(0.0), Err(Error::NotPositive { field: "mass" }));
    assert_eq!(of(1e30), Err(Error::OutOfRange { field: "mass" }));
    assert_eq!(Mass::of_parts([]), Err(Error::NotPositive { field: "mass" }));
}

#[test]
fn what_is_no_inertia_is_refused_with_advice() {
    let of = |mass: f32, center: Vec3, inertia: Mat3| {
        let (mut world, mut dynamics) = (World::with_tag(1), Dynamics::new());
        let key = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0).unwrap()));
        let mass = Mass::Given { mass, center, inertia };
        dynamics.insert(&mut world, key, RigidBody { mass, ..RigidBody::dynamic() })
    };
    let diagonal = |x: f32, y: f32, z: f32| of(1.0, Vec3::ZERO, Mat3::from_diagonal(Vec3::new(x, y, z)));
    let refused = Err(Error::NotAnInertia { field: "inertia" });
    assert_eq!(diagonal(1.0, 1.0, 2.1), refused);
    assert_eq!(diagonal(3.0, 1.0, 1.0), refused);
    assert_eq!(diagonal(-1.0, 1.0, 1.0), refused);
    assert_eq!(diagonal(-1.0, -1.0, -1.0), refused);
    assert_eq!(diagonal(0.0, 0.0, 1.0), refused);
    assert_eq!(of(1.0, Vec3::ZERO, Mat3::from_cols(Vec3::new(1.0, 0.2, 0.0), Vec3::Y, Vec3::Z)), refused);
    assert_eq!(of(1.0, Vec3::ZERO, Mat3::from_diagonal(Vec3::NAN)), Err(Error::NonFinite { field: "inertia" }));
    assert_eq!(of(1.0, Vec3::NAN, Mat3::IDENTITY), Err(Error::NonFinite { field: "center" }));
    assert_eq!(of(1.0, Vec3::X * 2e9, Mat3::IDENTITY), Err(Error::OutOfRange { field: "center" }));
    assert_eq!(of(0.0, Vec3::ZERO, Mat3::IDENTITY), Err(Error::NotPositive { field: "mass" }));
    assert_eq!(of(f32::INFINITY, Vec3::ZERO, Mat3::IDENTITY), Err(Error::NonFinite { field: "mass" }));
    let message = Error::NotAnInertia { field: "inertia" }.to_string();
    assert!(message.contains("symmetric") && message.contains("larger than the sum of the other two"), "{message}");
    // A plate, a rod and a point are the limits.
    for [x, y, z] in [[1.0, 2.0, 3.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0], [1e-30, 1e-30, 1e-30], [1e30, 1e30, 1e30]] {
        assert_eq!(diagonal(x, y, z), Ok(()), "{x} {y} {z}");
    }
    let mut rng = Rng::with_seed(SEED + 4);
    for case in 0..1000 {
        // Computed in single precision.
        let turn = turn(&mut rng).as_mat3();
        let (x, y) = (rng.f32(), rng.f32());
        let plate = turn * Mat3::from_diagonal(Vec3::new(x, y, x + y)) * turn.transpose();
        assert_eq!(of(1.0, Vec3::ZERO, plate), Ok(()), "{case}: {plate}");
        let beyond = Vec3::new(x, y, (x + y) * 1.01 + 0.01);
        let none = turn * Mat3::from_diagonal(beyond) * turn.transpose();
        assert_eq!(of(1.0, Vec3::ZERO, none), refused, "{case}: {none}");
    }
}

/// A box on its edge falls to the side on which its centre of mass is.
#[test]
fn a_tilted_box_rights_itself_if_its_centre_is_inside_of_the_edge() {
    let mut count = [0, 0];
    for (i, height) in [0.3f32, 0.8, 1.4, 2.0].into_iter().enumerate() {
        for step in 1..7 {
            let angle = 0.18 * step as f32;
            // Above the edge when tan = 0.5 / height.
            let rights = angle.tan() * height < 0.5;
            if (angle.tan() * height - 0.5).abs() < 0.1 {
                continue;
            }
            count[usize::from(rights)] += 1;
            let (mut world, mut dynamics) = (World::with_tag(i as u32), Dynamics::new());
            world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
            let rotation = Quat::from_rotation_z(-angle);
            // The lower right edge is at the origin.
            let center = rotation * Vec3::new(-0.5, 1.5, 0.0) + Vec3::Y * 1e-3;
            let key = world.insert(Object::moving(Obb::new(center, rotation, Vec3::new(0.5, 1.5, 0.5)).unwrap()));
            let mass = Mass::Given { mass: 3.0, center: Vec3::Y * (height - 1.5), inertia: Mat3::IDENTITY * 3.0 * 0.4 };
            let body = RigidBody { mass, angular_damping: 0.3, ..RigidBody::dynamic() };
            dynamics.insert(&mut world, key, body).unwrap();
            for _ in 0..600 {
                dynamics.step(&mut world, DT, &DynamicsConfig::default()).unwrap();
            }
            let up = world.object(key).unwrap().transform().0 * Vec3::Y;
            assert_eq!(up.y > 0.99, rights, "{height} {angle}: {up}");
            assert!(rights || up.y < 0.1, "{height} {angle}: {up}");
        }
    }
    assert!(count[0] >= 6 && count[1] >= 6, "{count:?}");
}

#[test]
fn clones_hashes_and_snapshots_keep_it() {
    let mut rng = Rng::with_seed(SEED + 5);
    for case in 0..42 {
        let (mut world, mut dynamics, key, body) = body(&mut rng, case);
        world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, -2.0).unwrap()).layers(1));
        for _ in 0..case % 3 * 20 {
            dynamics.step(&mut world, DT, &DynamicsConfig::default()).unwrap();
        }
        let text = serde_json::to_string(&(world.snapshot(), dynamics.snapshot(&world).unwrap())).unwrap();
        let saved: (Snapshot, DynamicsSnapshot) = serde_json::from_str(&text).unwrap();
        let mut other = World::restore(&saved.0).unwrap();
        let mut others = Dynamics::restore(&saved.1, &other).unwrap_or_else(|error| panic!("{case}: {error}"));
        let (mut third, mut thirds) = (world.clone(), dynamics.clone());
        for step in 0..40 {
            assert_eq!(dynamics.hash(&world), others.hash(&other), "{case}, step {step}");
            assert_eq!(dynamics.hash(&world), thirds.hash(&third), "{case}, step {step}");
            assert_eq!((world.hash(), world.hash()), (other.hash(), third.hash()), "{case}, step {step}");
            for (world, dynamics) in [(&mut world, &mut dynamics), (&mut other, &mut others), (&mut third, &mut thirds)]
            {
                dynamics.step(world, DT, &DynamicsConfig::default()).unwrap();
            }
        }
        assert_eq!(others.body(key).unwrap().mass, body.mass);
        let known = dynamics.hash(&world);
        let Mass::Given { mass, center, inertia } = body.mass else { panic!("given") };
        let others = [
            Mass::Given { mass, center: center + Vec3::X * 1e-3, inertia },
            Mass::Given { mass, center, inertia: inertia * 1.001 },
            Mass::Given { mass: mass * 1.001, center, inertia },
        ];
        for mass in others {
            let (mut world, mut dynamics) = (world.clone(), dynamics.clone());
            let body = RigidBody { mass, ..*dynamics.body(key).unwrap() };
            dynamics.insert(&mut world, key, body).unwrap();
            assert_ne!(dynamics.hash(&world), known, "{case}");
        }
    }
}

#[test]
fn changed_bytes_of_a_given_mass_are_refused() {
    let mut rng = Rng::with_seed(SEED + 6);
    let (world, dynamics, ..) = body(&mut rng, 2);
    let saved = serde_json::to_value(dynamics.snapshot(&world).unwrap()).unwrap();
    let refused = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut changed = saved.clone();
        change(&mut changed["bodies"][0]["given"]);
        let read: Result<DynamicsSnapshot, _> = serde_json::from_value(changed);
        read.is_err() || Dynamics::restore(&read.unwrap(), &world).is_err()
    };
    assert!(!refused(&|_| {}));
    assert!(refused(&|given| *given = serde_json::Value::Null));
    assert!(refused(&|given| given[0][1] = 7.0.into()));
    assert!(refused(&|given| given[1][4] = 7.0.into()));
    assert!(refused(&|given| given[1][4] = (-1.0).into()));
}

#[test]
fn it_survives_another_shape_and_the_same_description_wakes_nobody() {
    let (mut world, mut dynamics) = (World::with_tag(1), Dynamics::new());
    world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
    let key = world.insert(Object::moving(Obb::new(Vec3::Y * 0.5, Quat::IDENTITY, Vec3::splat(0.5)).unwrap()));
    let mass = Mass::Given { mass: 2.0, center: Vec3::Y * -0.2, inertia: Mat3::IDENTITY * 0.3 };
    dynamics.insert(&mut world, key, RigidBody { mass, ..RigidBody::dynamic() }).unwrap();
    for _ in 0..120 {
        dynamics.step(&mut world, DT, &DynamicsConfig::default()).unwrap();
    }
    assert!(dynamics.body(key).unwrap().is_asleep());
    let body = *dynamics.body(key).unwrap();
    dynamics.insert(&mut world, key, body).unwrap();
    let (rotation, translation) = world.object(key).unwrap().transform();
    world.object_mut(key).unwrap().set_transform(rotation, translation).unwrap();
    dynamics.step(&mut world, DT, &DynamicsConfig::default()).unwrap();
    assert!(dynamics.body(key).unwrap().is_asleep());
    world.object_mut(key).unwrap().set_shape(Sphere::new(translation, 0.5).unwrap());
    assert_eq!(dynamics.body(key).unwrap().mass(&world).unwrap().center, translation + Vec3::Y * -0.2);
    dynamics.step(&mut world, DT, &DynamicsConfig::default()).unwrap();
    assert!(!dynamics.body(key).unwrap().is_asleep() && dynamics.body(key).unwrap().mass == mass);
}

/// The first step replaces the shape, but not by one elsewhere.
#[test]
fn what_stands_on_such_a_body_stays() {
    for rotated in [0.0, 0.7] {
        for is_ball in [false, true] {
            let (mut world, mut dynamics) = (World::with_tag(1), Dynamics::new());
            world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
            let at = Vec3::new(7.0, 0.5, -3.0);
            let block: Shape = match is_ball {
                true => Sphere::new(at, 0.5).unwrap().into(),
                false => Obb::new(at, Quat::from_rotation_y(rotated), Vec3::new(2.0, 0.5, 1.0)).unwrap().into(),
            };
            let key = world.insert(Object::moving(block));
            let mass = Mass::Given { mass: 900.0, center: Vec3::Y * -0.4, inertia: Mat3::IDENTITY * 900.0 };
            let body = RigidBody { mass, locked_rotation: BVec3::TRUE, ..RigidBody::dynamic() };
            let start = at + Vec3::Y * 1.41;
            let mut hero = Character::new(Obb::new(start, Quat::IDENTITY, Vec3::new(0.3, 0.9, 0.3)).unwrap());
            dynamics.walk(&world, &Mover::default(), &mut hero, DT, &Filter::ALL).unwrap();
            assert_eq!(hero.ground.unwrap().target, key.into());
            dynamics.insert(&mut world, key, body).unwrap();
            for _ in 0..30 {
                dynamics.step(&mut world, DT, &DynamicsConfig::default()).unwrap();
                dynamics.walk(&world, &Mover::default(), &mut hero, DT, &Filter::ALL).unwrap();
                assert!(hero.position().distance(start) < 0.02, "{is_ball} {rotated}: {}", hero.position());
            }
        }
    }
}

#[test]
fn extremes_neither_panic_nor_enter_the_floor() {
    let mut rng = Rng::with_seed(SEED + 7);
    let sizes = [0.0, 1e-30, 1e-6, 1.0, 1e6, 1e30, 1e38];
    for case in 0..70 {
        let (mut world, mut dynamics) = (World::with_tag(1), Dynamics::new());
        world.insert(Object::fixed(Aabb::new(Vec3::new(-50.0, -1.0, -50.0), Vec3::new(50.0, 0.0, 50.0)).unwrap()));
        let shape = shape(&mut rng, case);
        let key = world.insert(Object::moving(shape.transformed(Quat::IDENTITY, Vec3::Y * 12.0).unwrap()));
        let inertia = Mat3::from_diagonal(Vec3::new(0.4, 0.5, 0.6) * sizes[case / 7 % 7]);
        let center = vector(&mut rng).as_vec3() * [0.0, 1.0, 1e4][case % 3];
        let mass = Mass::Given { mass: [1e-45, 1.0, 1e30][case / 3 % 3], center, inertia };
        dynamics.insert(&mut world, key, RigidBody { mass, ..RigidBody::dynamic() }).unwrap();
        // Something that comes to lie on it.
        let other =
            world.insert(Object::moving(Aabb::new(Vec3::new(-1.0, 16.0, -1.0), Vec3::new(1.0, 17.0, 1.0)).unwrap()));
        dynamics.insert(&mut world, other, RigidBody::dynamic()).unwrap();
        for _ in 0..120 {
            dynamics.step(&mut world, DT, &DynamicsConfig::default()).unwrap();
            let (aabb, body) = (world.object(key).unwrap().shape.aabb(), dynamics.body(key).unwrap());
            let is_above = aabb.max().x.abs() > 40.0 || aabb.max().z.abs() > 40.0 || {
                let floor = Aabb::new(Vec3::new(-45.0, -0.9, -45.0), Vec3::new(45.0, -0.001, 45.0)).unwrap();
                !world.any_overlap(&floor, &Filter::ALL.moving_only())
            };
            assert!(is_above && body.velocity.is_finite() && body.angular_velocity.is_finite(), "{case}: {aabb:?}");
        }
    }
}
