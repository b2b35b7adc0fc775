//! `cullide-world`: steps of bodies between six planes.

use crate::room_peer::{DT, Flyer, Found, HALF, HALF_EXTENTS, RoomPeer, WALLS};
use cullide_narrowphase::{Obb, Plane, glam::Vec3};
use cullide_world::{BoxBody, BoxStepConfig, BoxStepper, Object, ObjectKey, Response, Shape, World, WorldPlane};

/// The layer of the walls, and that of the boxes, which pair only with walls.
const WALL: u32 = 0b01;
const FLYER: u32 = 0b10;

/// Whether the pairs of near objects are brought up to date after each step; there are none between boxes, and steps do
/// not need them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairs {
    Left,
    Updated,
}

/// A world of six half-spaces.
pub struct Ours {
    world: World,
    boxes: BoxStepper,
    keys: Vec<ObjectKey>,
    config: BoxStepConfig,
    pairs: Pairs,
}

impl Ours {
    pub fn new(flyers: &[Flyer], pairs: Pairs) -> Self {
        let (mut world, mut boxes) = (World::new(), BoxStepper::new());
        for normal in WALLS {
            world.insert_plane(
                WorldPlane::half_space(Plane::from_point_normal(normal * -HALF, normal).expect("a wall")).layers(WALL),
            );
        }
        let mut keys = Vec::new();
        for flyer in flyers {
            let pose = Obb::new(flyer.center, flyer.rotation, HALF_EXTENTS).expect("a box");
            let key = world.insert(Object::moving(pose).layers(FLYER).pairs_with(WALL));
            let response = Response::Bounce { restitution: 1.0, friction: 0.0 };
            let (velocity, angular_velocity) = (flyer.velocity, flyer.spin);
            let body = BoxBody { velocity, angular_velocity, response, gravity_scale: 1.0 };
            boxes.insert(&mut world, key, body).expect("the object was inserted just now");
            keys.push(key);
        }
        world.update_pairs(DT);
        // Perfectly bouncy at any speed; nothing comes to rest.
        let config =
            BoxStepConfig { gravity: Vec3::ZERO, restitution_speed: 0.0, rest_speed: 0.0, ..BoxStepConfig::default() };
        Self { world, boxes, keys, config, pairs }
    }
}

impl RoomPeer for Ours {
    fn step(&mut self) {
        self.boxes.step(&mut self.world, DT, &self.config).expect("its world");
        if self.pairs == Pairs::Updated {
            self.world.update_pairs(DT);
        }
    }

    fn boxes(&self) -> Vec<Found> {
        let found = |key: &ObjectKey| {
            let object = self.world.object(*key).expect("nothing was removed");
            let Shape::Obb(pose) = &object.shape else { panic!("a body is a box") };
            let body = self.boxes.body(*key).expect("it was made a body");
            Found {
                center: pose.center().as_dvec3(),
                half_edges: pose.half_edges().map(|edge| edge.as_dvec3()),
                velocity: body.velocity.as_dvec3(),
                spin: body.angular_velocity.as_dvec3(),
            }
        };
        self.keys.iter().map(found).collect()
    }
}
