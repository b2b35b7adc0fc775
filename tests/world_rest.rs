//! A step passes over a body that it would leave as it is, and does not ask a flying one for planes that are far off. Nobody can tell: a
//! world in which nothing is known from the step before, because something fixed is edited in between, does the same to the last bit,
//! whatever else happens to it.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Body, Mobility, Object, ObjectKey, PlaneKey, Response, Shape, StepConfig, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Brush, Obb, Plane},
};

const DT: f32 = 1.0 / 60.0;
const GROUND: u32 = 0b001;
const THING: u32 = 0b010;
const NOTHING: u32 = 0b100;

/// Things that lie on tiles, some of them over the edge; below is a floor.
struct Yard {
    world: World,
    floor: PlaneKey,
    tiles: Vec<ObjectKey>,
    things: Vec<ObjectKey>,
    /// A tile that nothing ever meets.
    far: ObjectKey,
}

fn tile(x: i32, z: i32, height: f32) -> Brush {
    let corner = Vec3::new(x as f32 * 4.0, height - 1.0, z as f32 * 4.0);
    Brush::try_from(&Aabb::new(corner, corner + Vec3::new(4.0, 1.0, 4.0)).unwrap()).unwrap()
}

fn yard() -> Yard {
    let mut rng = Rng::with_seed(SEED);
    let mut world = World::new();
    let floor = world.insert_plane(Plane::from_point_normal(Vec3::Y * -4.0, Vec3::Y).unwrap(), GROUND);
    let places = (-2..2).flat_map(|x| (-2..2).map(move |z| (x, z)));
    let tiles = places.map(|(x, z)| world.insert(Object::fixed(tile(x, z, 0.0)).layers(GROUND).pairs_with(THING)));
    let tiles = tiles.collect();
    let responses = [Response::Slide, Response::Stop, Response::Bounce { restitution: 0.3, friction: 0.5 }];
    let things = (0..60).map(|i| {
        let mut vector = |size: f32| Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0)));
        let (at, turn, spread) = (vector(8.0), vector(3.0), vector(0.2));
        let rotation = if i % 2 == 0 { Quat::IDENTITY } else { Quat::from_scaled_axis(turn) };
        let pose = Obb::new(at.with_y(2.0), rotation, Vec3::new(0.4, 0.5, 0.6) + spread).unwrap();
        let key = world.insert(Object::moving(pose).layers(THING).pairs_with(GROUND));
        assert_eq!(world.set_body(key, Body { response: responses[i % 3], ..Body::default() }), Ok(true));
        key
    });
    let mut things: Vec<_> = things.collect();
    // A room with flyers, far enough from its walls to forget them for a while.
    for normal in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z, Vec3::NEG_Y] {
        world.insert_plane(Plane::from_point_normal(normal * -30.0, normal).unwrap(), GROUND);
    }
    let response = Response::Bounce { restitution: 1.0, friction: 0.0 };
    for i in 0..20 {
        let mut vector = |size: f32| Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0)));
        let pose = Obb::new(Vec3::new(0.0, 15.0, 0.0) + vector(10.0), Quat::IDENTITY, Vec3::splat(0.5)).unwrap();
        let key = world.insert(Object::moving(pose).layers(THING).pairs_with(GROUND));
        let angular_velocity = if i % 2 == 0 { vector(9.0) } else { Vec3::ZERO };
        let body = Body { velocity: vector(20.0), angular_velocity, response, gravity_scale: 0.0 };
        assert_eq!(world.set_body(key, body), Ok(true));
        things.push(key);
    }
    let far = world.insert(Object::fixed(tile(1000, 1000, 0.0)).layers(NOTHING));
    Yard { world, floor, tiles, things, far }
}

/// What happens before a step, and the step's settings.
fn happen(yard: &mut Yard, step: usize) -> StepConfig {
    let Yard { world, floor, tiles, things, .. } = yard;
    match step {
        300 => drop(world.remove(tiles[0])),
        340 => drop(world.set_shape(tiles[1], tile(-2, -1, 0.25))),
        380 => drop(world.set_plane(*floor, Plane::from_point_normal(Vec3::Y * -6.0, Vec3::Y).unwrap())),
        420 => drop(world.set_layers(tiles[2], NOTHING)),
        460 => drop(world.set_pairs_with(tiles[3], NOTHING)),
        500 => drop(world.set_mobility(tiles[4], Mobility::Moving)),
        540 => drop(world.insert(Object::fixed(tile(-1, -1, 0.1)).layers(GROUND).pairs_with(THING))),
        580 => drop(world.set_velocity(things[7], Vec3::new(1.0, 2.0, 0.5)).unwrap()),
        620 => {
            let lifted = world.object(things[8]).unwrap().shape.aabb().center() + Vec3::Y;
            world.set_shape(things[8], Obb::new(lifted, Quat::IDENTITY, Vec3::splat(0.3)).unwrap());
        }
        660 => drop(world.set_shapes([(tiles[5], Shape::from(tile(-1, 0, 0.125)))])),
        700 => drop(world.set_transforms(&[(tiles[6], Quat::from_rotation_z(0.1), Vec3::Y * 0.5)]).unwrap()),
        740 => drop(world.set_layers(things[9], NOTHING)),
        780 => drop(world.set_pairs_with(things[10], NOTHING)),
        820 => drop(world.remove_plane(*floor)),
        860 => drop(world.set_mobility(things[11], Mobility::Fixed)),
        900 => drop(world.insert_plane(Plane::from_point_normal(Vec3::Y * 5.0, Vec3::Y).unwrap(), GROUND)),
        920 => drop(world.insert_wall(Plane::from_point_normal(Vec3::ZERO, Vec3::X).unwrap(), GROUND)),
        940 => drop(world.set_body(things[12], Body { angular_velocity: Vec3::Y, ..Body::default() }).unwrap()),
        980 => drop(world.remove(things[13])),
        _ => {}
    }
    let gravity = if step < 1020 { Vec3::Y * -9.81 } else { Vec3::new(4.0, -9.0, 0.0) };
    StepConfig { gravity, ..StepConfig::default() }
}

#[test]
fn a_world_at_rest_does_what_one_does_that_is_stirred_before_every_step() {
    let mut calm = yard();
    let mut stirred =
        Yard { world: calm.world.clone(), tiles: calm.tiles.clone(), things: calm.things.clone(), ..calm };
    let mut last = Vec::new();
    for step in 0..1100 {
        let config = happen(&mut calm, step);
        assert_eq!(happen(&mut stirred, step), config);
        stirred.world.set_layers(stirred.far, NOTHING);
        let (a, b) = (calm.world.step(DT, &config), stirred.world.step(DT, &config));
        assert_eq!(a, b, "step {step}");
        let state = |yard: &Yard| -> Vec<_> {
            let of = |key: &ObjectKey| Some((yard.world.object(*key)?.shape.clone(), yard.world.body(*key)));
            yard.things.iter().map(of).collect()
        };
        let (a, b) = (state(&calm), state(&stirred));
        assert_eq!(a, b, "step {step}");
        if step == 299 {
            let still = a.iter().zip(&last).filter(|(now, before)| now == before).count();
            assert!(still > 30, "{still} of 80 rest");
        }
        last = a;
        let (a, b) = (calm.world.update(DT), stirred.world.update(DT));
        assert_eq!((a.begun, a.ended), (b.begun, b.ended), "update {step}");
    }
}
