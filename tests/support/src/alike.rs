//! The same world in several copies, all of which have to give the same answers.

use cullide_scenes::Rng;
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Character, Filter, Mobility, Mover, Object, ObjectKey, PlaneKey, Response,
    Shape, SlideOptions, World, WorldPlane,
    glam::{Quat, Vec3},
    narrowphase::{BoxSweep, Brush, Camera, Frustum, Obb, Patch, Plane, Ray, Segment, Sphere},
};
use std::fmt::Debug;
use std::ops::ControlFlow;

/// The duration of a step, in seconds.
pub const DT: f32 = 1.0 / 60.0;

/// Half the size of the room in which things fall about.
pub const ROOM: f32 = 12.0;

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from_array([(); 3].map(|()| (rng.f32() - 0.5) * size))
}

fn turn(rng: &mut Rng) -> Quat {
    Quat::from_euler(Default::default(), rng.f32() * 6.0, rng.f32() * 6.0, rng.f32() * 6.0)
}

/// A random box in the room.
pub fn turned_box(rng: &mut Rng) -> Obb {
    let size = Vec3::new(0.3, 0.5, 0.8) * (0.2 + rng.f32());
    Obb::new(vector(rng, 2.0 * ROOM), turn(rng), size).unwrap()
}

fn shape(rng: &mut Rng) -> Shape {
    let obb = turned_box(rng);
    match rng.usize(0..8) {
        0 => Sphere::new(obb.center(), rng.f32() * 2.0).unwrap().into(),
        1 => Brush::try_from(&obb).unwrap().into(),
        2 => Patch::new(&[0, 1, 3, 2].map(|corner| obb.corners()[corner])).unwrap().into(),
        3 | 4 => obb.aabb().into(),
        _ => obb.into(),
    }
}

fn layers(rng: &mut Rng) -> u32 {
    if rng.usize(0..4) > 0 { u32::MAX } else { rng.u32(0..8) }
}

fn object(rng: &mut Rng) -> Object {
    let shape = shape(rng);
    let object = if rng.bool() { Object::fixed(shape) } else { Object::moving(shape) };
    object.layers(layers(rng)).pairs_with(layers(rng)).user(rng.u64(..))
}

fn plane(rng: &mut Rng) -> Plane {
    let normal =
        if rng.bool() { Vec3::AXES[rng.usize(0..3)] * if rng.bool() { 1.0 } else { -1.0 } } else { vector(rng, 2.0) };
    Plane::new(normal, normal.length() * ROOM * (0.5 + rng.f32())).unwrap()
}

/// A random motion.
pub fn body(rng: &mut Rng) -> BoxBody {
    let response = match rng.usize(0..4) {
        0 => Response::Stop,
        1 => Response::Slide,
        _ => Response::Bounce { restitution: rng.f32(), friction: rng.f32() },
    };
    let gravity_scale = if rng.usize(0..5) > 0 { 1.0 } else { -0.0 };
    BoxBody { velocity: vector(rng, 20.0), angular_velocity: vector(rng, 9.0), response, gravity_scale }
}

/// The worlds to compare.
#[derive(Debug)]
pub struct Worlds {
    /// At least one, with the boxes that move in it; the others are made from it.
    pub all: Vec<(World, BoxStepper)>,
    /// Keys of their objects, stale ones included.
    pub objects: Vec<ObjectKey>,
    /// Keys of their planes, stale ones included.
    pub planes: Vec<PlaneKey>,
}

impl Worlds {
    /// One world, to be edited.
    pub fn of(world: World) -> Self {
        let objects = world.objects().map(|(key, _)| key).collect();
        let planes = world.planes().map(|(key, _)| key).collect();
        Self { all: vec![(world, BoxStepper::new())], objects, planes }
    }

    /// Makes the same call on all worlds and compares the answers as printed, which shows every bit of a number.
    pub fn each<R: Debug>(&mut self, call: impl Fn(&mut World) -> R) -> R {
        self.each_with_boxes(|world, _| call(world))
    }

    /// The same, with the boxes that move in them.
    pub fn each_with_boxes<R: Debug>(&mut self, call: impl Fn(&mut World, &mut BoxStepper) -> R) -> R {
        let [(world, boxes), others @ ..] = &mut self.all[..] else { unreachable!() };
        let answer = call(world, boxes);
        for (world, boxes) in others {
            assert_eq!(format!("{answer:?}"), format!("{:?}", call(world, boxes)));
        }
        answer
    }

    fn some_object(&self, rng: &mut Rng) -> Option<ObjectKey> {
        (!self.objects.is_empty()).then(|| self.objects[rng.usize(0..self.objects.len())])
    }

    /// Makes one edit of a random kind, sometimes with stale keys.
    pub fn edit(&mut self, rng: &mut Rng) {
        let Some(key) = self.some_object(rng).filter(|_| self.objects.len() > 40 || rng.bool()) else {
            let object = object(rng);
            let key = self.each(|world| world.insert(object.clone()));
            return self.objects.push(key);
        };
        match rng.usize(0..16) {
            0 | 1 => {
                let object = object(rng);
                let key = self.each(|world| world.insert(object.clone()));
                self.objects.push(key);
            }
            2 => _ = self.each(|world| world.remove(key)),
            3 => {
                let shape = shape(rng);
                self.each(|world| world.object_mut(key).map(|mut object| object.set_shape(shape.clone())));
            }
            4 => {
                let layers = layers(rng);
                self.each(|world| world.object_mut(key).map(|mut object| object.set_layers(layers)));
            }
            5 => {
                let layers = layers(rng);
                self.each(|world| world.object_mut(key).map(|mut object| object.set_pairs_with(layers)));
            }
            6 => {
                let mobility = if rng.bool() { Mobility::Fixed } else { Mobility::Moving };
                self.each(|world| world.object_mut(key).map(|mut object| object.set_mobility(mobility)));
            }
            7 => {
                let velocity = if rng.bool() { vector(rng, 600.0) } else { Vec3::ZERO };
                _ = self
                    .each(|world| world.object_mut(key).map(|mut object| object.set_velocity(velocity)).transpose());
            }
            8 | 9 => {
                let body = body(rng);
                _ = self.each_with_boxes(|world, boxes| boxes.insert(world, key, body));
            }
            10 => {
                let moves: Vec<_> = (0..rng.usize(0..9))
                    .filter_map(|_| Some((self.some_object(rng)?, turn(rng), vector(rng, 3.0))))
                    .collect();
                _ = self.each(|world| world.set_transform_batch(&moves));
            }
            11 => {
                let shapes: Vec<_> =
                    (0..rng.usize(0..9)).filter_map(|_| Some((self.some_object(rng)?, shape(rng)))).collect();
                self.each(|world| world.set_shape_batch(shapes.clone()));
            }
            12 => {
                let (plane, layers) = (plane(rng), layers(rng));
                let key = match rng.usize(0..4) {
                    0 => self.each(|world| world.insert_plane(WorldPlane::wall(plane).layers(layers))),
                    _ => self.each(|world| world.insert_plane(WorldPlane::half_space(plane).layers(layers))),
                };
                self.planes.push(key);
            }
            13 | 14 if !self.planes.is_empty() => {
                let (key, plane) = (self.planes[rng.usize(0..self.planes.len())], plane(rng));
                match rng.usize(0..3) {
                    0 => _ = self.each(|world| world.plane_mut(key).map(|mut entry| entry.set_plane(plane))),
                    _ => _ = self.each(|world| world.remove_plane(key)),
                }
            }
            _ => self.each(World::optimize),
        }
    }

    /// Steps all worlds once.
    pub fn step(&mut self, dt: f32, config: &BoxStepConfig) {
        self.each_with_boxes(|world, boxes| {
            let events = boxes.step(world, dt, config).unwrap();
            [events.begun, events.persisting, events.ended].map(<[_]>::to_vec)
        });
    }

    /// Updates the pairs of all worlds once.
    pub fn update_pairs(&mut self, dt: f32) {
        self.each(|world| {
            let events = world.update_pairs(dt);
            [events.begun, events.ended].map(<[_]>::to_vec)
        });
        self.each(|world| world.pairs().collect::<Vec<_>>());
    }

    /// Makes every query. Results in no particular order are sorted first.
    pub fn ask(&mut self, rng: &mut Rng) {
        let excluded: Vec<ObjectKey> = self.some_object(rng).into_iter().collect();
        let predicate = |key: ObjectKey, object: &Object| !object.user.is_multiple_of(7) || excluded.contains(&key);
        let filter = match rng.usize(0..3) {
            0 => Filter::ALL,
            1 => Filter::layers(rng.u32(..)).without(&excluded),
            _ => Filter::ALL.only(&predicate),
        };
        let (from, to) = (vector(rng, 2.0 * ROOM), vector(rng, 2.0 * ROOM));
        let (ray, segment) = (Ray::new(from, to - from).unwrap(), Segment::between(from, to).unwrap());
        let (obb, sphere, plane) = (turned_box(rng), Sphere::new(from, rng.f32() * 4.0).unwrap(), plane(rng));
        let camera = Camera { position: from, forward: to - from, ..Camera::default() };
        let frustum = Frustum::from_camera(&camera).unwrap();
        let sweep = BoxSweep::new(obb, to - from).unwrap();
        let turning = sweep.rotating(vector(rng, 4.0)).unwrap();
        let slide = SlideOptions::default();
        self.each_with_boxes(|world, boxes| (world.hash(), boxes.hash(world)));
        self.each(|world| (world.cast_ray(&ray, 50.0, &filter), world.cast_segment(&segment, &filter)));
        self.each(|world| (world.any_segment_hit(&segment, &filter), world.any_ray_hit(&ray, 9.0, &filter)));
        self.each(|world| (world.sweep(&sweep, &filter), world.sweep_turning(&turning, 1e-3, &filter)));
        self.each(|world| world.slide(&sweep, &filter, &slide));
        self.each(|world| world.slide_turning(&turning, 1e-3, &filter, &slide));
        self.each(|world| world.depenetrate(&obb, &filter));
        _ = self.each(|world| {
            let mut character = Character::new(obb);
            character.velocity = to - from;
            let walks = [0.5; 2].map(|dt| Mover::default().walk(world, &mut character, dt, &filter));
            (character, walks)
        });
        self.each(|world| {
            let (mut hits, mut answers) = (vec![], vec![]);
            world.cast_ray_all(&ray, 50.0, &filter, &mut hits);
            world.cast_ray_batch(&[ray; 2], 50.0, &filter, &mut answers);
            (hits, answers)
        });
        self.each(|world| {
            let (mut touched, mut near) = (vec![], vec![]);
            world.overlap(&obb, &filter, &mut touched);
            world.overlap(&sphere, &filter, &mut touched);
            world.overlap(&from, &filter, &mut touched);
            world.nearest(from, f32::INFINITY, 9, &filter, &mut near);
            (touched, near)
        });
        self.each(|world| {
            let (mut visible, mut contained, mut sides, mut pairs) = (vec![], vec![], vec![], vec![]);
            world.cull(&frustum, &filter, &mut visible);
            world.for_each_visible(&frustum, &filter, |key, _, containment| contained.push((key, containment)));
            world.for_each_side(&plane, &filter, |key, _, side| sides.push((key, side)));
            world.for_each_pair(|pair| {
                pairs.push(pair);
                ControlFlow::Continue(())
            });
            contained.sort_unstable_by_key(|(key, _)| *key);
            sides.sort_unstable_by_key(|(key, _)| *key);
            pairs.sort_unstable();
            (visible, contained, sides, pairs)
        });
        self.each_with_boxes(|world, boxes| {
            let objects: Vec<_> = world.objects().map(|(key, object)| (key, object.clone())).collect();
            let motions: Vec<_> = objects
                .iter()
                .map(|(key, _)| (boxes.body(*key), world.object(*key).map(|object| object.velocity())))
                .collect();
            (world.len(), objects, motions, world.planes().map(|(key, plane)| (key, *plane)).collect::<Vec<_>>())
        });
    }
}
