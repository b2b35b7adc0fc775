//! Bodies in a level by other authors: where there is room for them, how they are thrown, and how they step.

use cullide_scenes::{data_dir, map_brushes, map_spots, thrown};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Filter, Object, ObjectKey, Response, World,
    glam::{DVec3, Vec3},
    narrowphase::{Brush, Obb},
};

/// A file of the shared data.
const MAP: &str = "librequake/lq_e4m4.map";

/// The duration of a step, in seconds.
pub const DT: f32 = 1.0 / 60.0;

/// The layer of the level, and that of the bodies, which pair only with the level.
const SOLID: u32 = 0b01;
const THROWN: u32 = 0b10;

/// How bodies move.
#[derive(Clone, Copy, Debug)]
pub enum Course {
    /// Forever, without loss of energy; no body rests.
    Flying,
    /// Down, until they rest.
    Falling,
}

impl Course {
    /// How a body responds to a touch, and how much of gravity acts on it.
    fn rules(self) -> (Response, f32) {
        match self {
            Self::Flying => (Response::Bounce { restitution: 1.0, friction: 0.0 }, 0.0),
            Self::Falling => (Response::Bounce { restitution: 0.4, friction: 0.4 }, 1.0),
        }
    }
}

/// Faces of a solid, three points each.
pub type Faces = Vec<[[f64; 3]; 3]>;

/// The solids of a level and the free places in it.
#[derive(Debug)]
pub struct Level {
    /// As given in the file.
    pub solids: Vec<Faces>,
    world: World,
    spots: Vec<[f32; 3]>,
}

impl Level {
    /// Reads the level.
    ///
    /// # Errors
    /// If the file cannot be read or a brush in it is not a solid; the message says what to do.
    pub fn load() -> Result<Self, String> {
        let path = data_dir().join(MAP);
        let fail = |error| format!("{}: {error} (set CULLIDE_DATA to the folder of shared data)", path.display());
        let solids = map_brushes(&path).map_err(fail)?;
        let mut world = World::new();
        for faces in &solids {
            let faces: Vec<_> = faces.iter().map(|points| points.map(DVec3::from)).collect();
            let brush = Brush::from_point_triples(&faces).map_err(|error| error.to_string())?;
            world.insert(Object::fixed(brush).layers(SOLID).pairs_with(THROWN));
        }
        world.optimize();
        // A box of twenty units a side fits there, however it is rotated.
        let has_room = |spot: &[f32; 3]| {
            let around = Obb::from_half_edges(Vec3::from(*spot), Vec3::AXES.map(|axis| axis * 18.0));
            around.is_ok_and(|around| world.depenetrate(&around, &Filter::ALL) == Some(around.center()))
        };
        let spots: Vec<_> = map_spots(&path).map_err(fail)?.into_iter().filter(has_room).collect();
        Ok(Self { solids, world, spots })
    }

    /// The level with `count` bodies in it, what steps them, and their keys.
    pub fn with_bodies(&self, count: usize, course: Course, seed: u64) -> (World, BoxStepper, Vec<ObjectKey>) {
        let (mut world, mut boxes) = (self.world.clone(), BoxStepper::new());
        let (response, gravity_scale) = course.rules();
        let insert = |thrown: cullide_scenes::Thrown| {
            let [center, a, b, c] = thrown.obb.map(Vec3::from);
            let pose = Obb::from_half_edges(center, [a, b, c]).expect("a box");
            let key = world.insert(Object::moving(pose).layers(THROWN).pairs_with(SOLID));
            let (velocity, angular_velocity) = (thrown.velocity.into(), thrown.spin.into());
            let body = BoxBody { velocity, angular_velocity, response, gravity_scale };
            boxes.insert(&mut world, key, body).expect("the object was inserted just now");
            key
        };
        let keys = thrown(&self.spots, count, seed).into_iter().map(insert).collect();
        (world, boxes, keys)
    }
}

/// The configuration for a step of the level, whose unit is a fortieth of a metre.
pub fn config() -> BoxStepConfig {
    let gravity = Vec3::NEG_Z * 800.0;
    BoxStepConfig { gravity, skin: 0.01, restitution_speed: 20.0, rest_speed: 1.0, ..BoxStepConfig::default() }
}
