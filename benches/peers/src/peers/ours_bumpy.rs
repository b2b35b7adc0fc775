//! `cullide-world`: steps of bodies on patches.

use crate::bumpy::{BumpyPeer, DT, FRICTION, Ground, RESTITUTION};
use cullide_narrowphase::{
    Obb, Patch,
    glam::{Quat, Vec3},
};
use cullide_scenes::{CRATE_HALF_EXTENTS, Crate};
use cullide_world::{BoxBody, BoxStepConfig, BoxStepper, Object, ObjectKey, Response, Shape, World};

const GROUND: u32 = 0b01;
const CRATE: u32 = 0b10;

/// A world with a fixed patch for each triangle.
pub struct Ours {
    world: World,
    boxes: BoxStepper,
    keys: Vec<ObjectKey>,
    config: BoxStepConfig,
}

impl Ours {
    pub fn new(ground: &Ground, crates: &[Crate]) -> Self {
        let (mut world, mut boxes) = (World::new(), BoxStepper::new());
        let patch = |corners: &[[f32; 3]; 3]| Patch::new(&corners.map(Vec3::from)).expect("a triangle");
        world.insert_batch(ground.iter().map(|corners| Object::fixed(patch(corners)).layers(GROUND).pairs_with(CRATE)));
        world.optimize();
        let response = Response::Bounce { restitution: RESTITUTION, friction: FRICTION };
        let add = |thing: &Crate| {
            let rotation = Quat::from_array(thing.rotation);
            let pose = Obb::new(thing.center.into(), rotation, CRATE_HALF_EXTENTS.into()).expect("a box");
            let key = world.insert(Object::moving(pose).layers(CRATE).pairs_with(GROUND));
            boxes.insert(&mut world, key, BoxBody { response, ..BoxBody::default() }).expect("it is a box");
            key
        };
        let keys = crates.iter().map(add).collect();
        Self { world, boxes, keys, config: BoxStepConfig::default() }
    }
}

impl BumpyPeer for Ours {
    fn step(&mut self) {
        self.boxes.step(&mut self.world, DT, &self.config).expect("its world");
    }

    fn resting(&self) -> usize {
        let bodies = self.keys.iter().map(|key| self.boxes.body(*key).expect("it was made a body"));
        bodies.filter(|body| body.velocity == Vec3::ZERO && body.angular_velocity == Vec3::ZERO).count()
    }

    fn crates(&self) -> Vec<Obb> {
        let pose = |key: &ObjectKey| match self.world.object(*key).expect("nothing was removed").shape {
            Shape::Obb(pose) => pose,
            _ => panic!("a body is a box"),
        };
        self.keys.iter().map(pose).collect()
    }
}
