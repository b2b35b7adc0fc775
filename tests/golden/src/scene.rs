//! The seeded worlds.

use crate::draw::{Draw, Place};
use cullide_bvh::Instructions;
use cullide_world::{
    Filter, Mobility, Object, ObjectKey, Shape, Target, World, WorldPlane,
    glam::Vec3,
    narrowphase::{Aabb, Plane},
};
use std::collections::BTreeMap;

/// Worlds of 5 to 60 objects.
pub(crate) const SMALL: usize = 200;

/// Worlds of 600 objects, after the small ones.
pub(crate) const MEDIUM: usize = 8;

/// Worlds of 5,000 objects, after the medium ones.
pub(crate) const LARGE: usize = 2;

/// The number of layers in use.
const LAYERS: u32 = 6;

/// A world, and what its questions are made from.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    /// The space that it fills.
    pub(crate) place: Place,
    /// The world.
    pub(crate) world: World,
    /// Its objects, in the order in which they were inserted.
    pub(crate) keys: Vec<ObjectKey>,
    /// The numbers by which hashes name its objects and planes.
    pub(crate) names: BTreeMap<Target, u64>,
    /// The instructions for trees of boxes alone; `None` for the best that the processor supports.
    pub(crate) instructions: Option<Instructions>,
}

impl Scene {
    /// The world with a number below `SMALL + MEDIUM + LARGE`.
    pub(crate) fn new(number: usize, instructions: Option<Instructions>) -> Self {
        let draw = &mut Draw::new(number as u64);
        let (objects, room) = if number < SMALL {
            (5 + draw.below(56), 7.0)
        } else if number < SMALL + MEDIUM {
            (600, 18.0)
        } else {
            (5000, 40.0)
        };
        let place = Place {
            origin: [Vec3::ZERO, Vec3::new(1e3, -500.0, 250.0), Vec3::new(-5e4, 1e5, 25e3), Vec3::ZERO][number % 4],
            room,
            // The last of every four, and some of those far from the origin.
            is_grid: number % 4 == 3 || number % 16 == 1 || number % 16 == 6,
        };
        let mut world = World::with_tag(number as u32);
        let mut planes = vec![world.insert_plane(floor(&place))];
        for _ in 0..draw.below(4) {
            let (plane, layers) = (place.plane(draw), layers(draw));
            planes.push(if draw.one_in(3) {
                world.insert_plane(WorldPlane::wall(plane).layers(layers))
            } else {
                // Pushed away from the middle, so that half of the space is free.
                world.insert_plane(WorldPlane::half_space(outward(&place, plane)).layers(layers))
            });
        }
        let objects = (0..objects).map(|number| object(&place, draw).user(number as u64)).collect::<Vec<_>>();
        let keys = world.insert_batch(objects);
        let targets = keys.iter().map(|key| Target::from(*key)).chain(planes.iter().map(|key| Target::from(*key)));
        let names = targets.zip(0..).collect();
        Self { place, world, keys, names, instructions }
    }

    /// The number of questions of a kind that asks `few` of a small world.
    pub(crate) fn asks(&self, few: usize) -> usize {
        match self.keys.len() {
            ..100 => few,
            100..1000 => 4 * few,
            _ => 8 * few,
        }
    }

    /// One of the objects.
    pub(crate) fn some_key(&self, draw: &mut Draw) -> ObjectKey {
        self.keys[draw.below(self.keys.len())]
    }

    /// A point worth asking about: a corner or the middle of an object, or a random point.
    pub(crate) fn aim(&self, draw: &mut Draw) -> Vec3 {
        let aabb = self.world.object(self.some_key(draw)).map(|object| object.shape.aabb());
        match (aabb, draw.below(4)) {
            (Some(aabb), 0) => aabb.min(),
            (Some(aabb), 1 | 2) => 0.5 * aabb.min() + 0.5 * aabb.max(),
            _ => self.place.point(draw),
        }
    }

    /// A random filter.
    pub(crate) fn filter(&self, draw: &mut Draw) -> Filter<'static> {
        match draw.below(6) {
            0 => Filter::layers(layers(draw)),
            1 => Filter::ALL.without(&[self.some_key(draw), self.some_key(draw)]),
            2 => Filter::ALL.only(&is_no_third),
            _ => Filter::ALL,
        }
    }

    /// The boxes of all objects, with their layers.
    pub(crate) fn boxes(&self) -> impl Iterator<Item = (Aabb, u32, Mobility)> + '_ {
        self.keys.iter().filter_map(|key| {
            let object = self.world.object(*key)?;
            Some((object.shape.aabb(), object.layers, object.mobility))
        })
    }

    /// The objects that are boxes and can move.
    pub(crate) fn moving_boxes(&self) -> impl Iterator<Item = ObjectKey> + '_ {
        self.keys.iter().copied().filter(|key| {
            self.world.object(*key).is_some_and(|object| {
                object.mobility == Mobility::Moving && matches!(object.shape, Shape::Aabb(_) | Shape::Obb(_))
            })
        })
    }
}

fn is_no_third(_: ObjectKey, object: &Object) -> bool {
    !object.user.is_multiple_of(3)
}

/// At least one layer.
pub(crate) fn layers(draw: &mut Draw) -> u32 {
    if draw.one_in(2) { u32::MAX } else { (draw.bits() as u32 % (1 << LAYERS)) | (1 << draw.below(LAYERS as usize)) }
}

/// A random object.
pub(crate) fn object(place: &Place, draw: &mut Draw) -> Object {
    let shape = place.shape(draw);
    let object = if draw.one_in(2) { Object::fixed(shape) } else { Object::moving(shape) };
    object.layers(layers(draw)).pairs_with(layers(draw))
}

/// A floor below nearly everything.
fn floor(place: &Place) -> Plane {
    Plane::from_point_normal(place.origin - Vec3::Y * place.room, Vec3::Y).expect("a unit normal")
}

/// The plane, flipped if needed to have the middle of the space in front of it.
fn outward(place: &Place, plane: Plane) -> Plane {
    if plane.signed_distance(place.origin) < 0.0 { plane.flipped() } else { plane }
}
