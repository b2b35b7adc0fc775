//! A world of mixed shapes that is edited at random, and queries answered by asking each object and plane in turn.

use cullide_narrowphase::{
    Aabb, BoxSweep, Brush, Convex, Distance, Obb, Overlap, Patch, Plane, Ray, Side, Sides, Solid, Sphere, SphereSweep,
    Sweep,
    glam::{Quat, Vec3},
};
use cullide_scenes::{Rng, SEED};
use cullide_world::{BodyHit, BodyOverlap, Filter, Near, Object, ObjectKey, RayHit, Shape, Target, World, WorldPlane};

/// A vector with coordinates up to half of `size`.
pub fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| (rng.f32() - 0.5) * size))
}

/// A random point: now and then on whole numbers, so that there are touches and ties, or so close to zero along an axis
/// that a sum with a whole number loses the difference.
pub fn point(rng: &mut Rng) -> Vec3 {
    let point = vector(rng, 24.0);
    match rng.usize(0..4) {
        0 | 1 => point,
        2 => point.round(),
        _ => {
            let mut point = (0.2 * point).round();
            point[rng.usize(0..3)] = [1e-9, -1e-9, 1e-17, -1e-17, 1e-30, -1e-30, 1e-40, -1e-40][rng.usize(0..8)];
            point
        }
    }
}

/// A box of any size and rotation, or of whole numbers.
pub fn turned(rng: &mut Rng) -> Obb {
    let half_extents = Vec3::new(1.0, 2.0, 3.0) * if rng.bool() { 1.0 } else { 0.2 + rng.f32() };
    let rotation = if rng.bool() { Quat::IDENTITY } else { Quat::from_scaled_axis(vector(rng, 6.0)) };
    Obb::new(point(rng), rotation, half_extents).unwrap()
}

/// A shape of any kind.
pub fn shape(rng: &mut Rng) -> Shape {
    let upright = Aabb::from_center_half_extents(point(rng), Vec3::new(3.0, 2.0, 1.0)).unwrap();
    match rng.usize(0..5) {
        0 => upright.into(),
        1 => turned(rng).into(),
        2 => Sphere::new(point(rng), rng.u32(0..3) as f32).unwrap().into(),
        3 => Brush::try_from(&upright).unwrap().into(),
        _ => {
            let (corner, a, b) = (point(rng), vector(rng, 9.0).round(), vector(rng, 9.0));
            // The first edge may have been rounded to nothing.
            Patch::new(&[corner, corner + a, corner + b]).map_or_else(|_| upright.into(), Shape::from)
        }
    }
}

/// All layers, or some of the first three.
pub fn layers(rng: &mut Rng) -> u32 {
    if rng.bool() { u32::MAX } else { rng.u32(0..8) }
}

/// A plane anywhere, often perpendicular to an axis.
pub fn plane(rng: &mut Rng) -> Plane {
    let normal = if rng.bool() { Vec3::AXES[rng.usize(0..3)] } else { vector(rng, 2.0) };
    Plane::from_point_normal(point(rng), normal).unwrap()
}

/// Makes one edit of a random kind; about thirty objects and three planes remain.
fn edit(world: &mut World, rng: &mut Rng) {
    let keys: Vec<ObjectKey> = world.objects().map(|(key, _)| key).collect();
    let planes: Vec<_> = world.planes().map(|(key, _)| key).collect();
    let any = |rng: &mut Rng| keys[rng.usize(0..keys.len())];
    match rng.usize(0..8) {
        0 if keys.len() > 30 => assert!(world.remove(any(rng)).is_some()),
        1 if !keys.is_empty() => {
            assert!(world.object_mut(any(rng)).map(|mut object| object.set_shape(shape(rng))).is_some())
        }
        2 if !keys.is_empty() => {
            assert!(world.object_mut(any(rng)).map(|mut object| object.set_layers(layers(rng))).is_some())
        }
        3 if planes.len() > 3 => assert!(world.remove_plane(planes[rng.usize(0..planes.len())]).is_some()),
        4 if !planes.is_empty() => {
            assert!(
                world
                    .plane_mut(planes[rng.usize(0..planes.len())])
                    .map(|mut entry| entry.set_plane(plane(rng)))
                    .is_some()
            );
        }
        5 if planes.len() < 5 => {
            let (plane, layers) = (plane(rng), layers(rng));
            if rng.bool() {
                world.insert_plane(WorldPlane::half_space(plane).layers(layers))
            } else {
                world.insert_plane(WorldPlane::wall(plane).layers(layers))
            };
        }
        6 => world.optimize(),
        7 => drop(world.update_pairs(0.1)),
        _ => {
            let shape = shape(rng);
            let object = if rng.bool() { Object::fixed(shape) } else { Object::moving(shape) };
            world.insert(object.layers(layers(rng)).user(rng.u64(0..4)));
        }
    }
}

/// What a moving body meets: everything it overlaps at the start, and what it hits first.
pub type Swept = (Vec<BodyOverlap>, Option<BodyHit>);

/// A world, and which of its objects and planes to look at.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The world.
    pub world: &'a World,
    /// Only what shares one of these layers is looked at.
    pub layers: u32,
    /// These objects are left out.
    pub excluded: &'a [ObjectKey],
}

/// Accepts three of four user values.
fn is_wanted(_: ObjectKey, object: &Object) -> bool {
    object.user != 3
}

/// Calls `check` with `worlds` worlds in turn, each after `edits` more edits than the one before.
pub fn after_edits(worlds: usize, edits: usize, mut check: impl FnMut(&Asked, &mut Rng)) {
    let mut rng = Rng::with_seed(SEED);
    for _ in 0..worlds {
        let mut world = World::new();
        for _ in 0..edits {
            edit(&mut world, &mut rng);
            let keys = world.objects().map(|(key, _)| key);
            let excluded: Vec<ObjectKey> = keys.filter(|_| rng.usize(0..9) == 0).collect();
            let layers = layers(&mut rng);
            check(&Asked { world: &world, layers, excluded: &excluded }, &mut rng);
        }
    }
}

impl Asked<'_> {
    /// The same conditions as a filter for the world.
    pub fn filter(&self) -> Filter<'_> {
        Filter::layers(self.layers).without(self.excluded).only(&is_wanted)
    }

    /// The objects to look at.
    pub fn objects(&self) -> impl Iterator<Item = (ObjectKey, &Shape)> {
        let accepts = |key: ObjectKey, object: &Object| {
            object.layers & self.layers != 0 && !self.excluded.contains(&key) && is_wanted(key, object)
        };
        self.world
            .objects()
            .filter(move |(key, object)| accepts(*key, object))
            .map(|(key, object)| (key, &object.get().shape))
    }

    /// The planes to look at.
    pub fn planes(&self) -> impl Iterator<Item = (Target, &WorldPlane)> {
        self.world.planes().filter(|(_, entry)| entry.layers & self.layers != 0).map(|(key, entry)| (key.into(), entry))
    }

    /// Everything a ray meets, in order.
    pub fn cast_all(&self, ray: &Ray, max_distance: f32) -> Vec<RayHit> {
        let objects = self.objects().map(|(key, shape)| (Target::from(key), ray.cast(shape, max_distance)));
        let planes = self.planes().map(|(key, entry)| match entry.sides {
            Sides::Front => (key, ray.cast_front(&entry.plane, max_distance)),
            Sides::Both => (key, ray.cast(&entry.plane, max_distance)),
        });
        let hits = objects.chain(planes).filter_map(|(target, hit)| Some((target, hit?)));
        let mut hits: Vec<_> = hits
            .map(|(target, hit)| RayHit {
                part: 0,
                surface: 0,
                target,
                distance: hit.distance,
                exit: hit.exit,
                point: hit.point,
                normal: hit.normal,
                inside: hit.inside,
            })
            .collect();
        hits.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.target.cmp(&b.target)));
        hits
    }

    /// Everything that touches, by key, given the test of an object and the side of a plane.
    pub fn touched(&self, touches: impl Fn(&Shape) -> bool, side: impl Fn(&Plane) -> Side) -> Vec<Target> {
        let planes = self.planes().filter(|(_, entry)| match (entry.sides, side(&entry.plane)) {
            (Sides::Front, side) => side != Side::Front,
            (Sides::Both, side) => side == Side::Straddling,
        });
        let objects = self.objects().filter(|(_, shape)| touches(shape)).map(|(key, _)| Target::from(key));
        let mut touched: Vec<_> = objects.chain(planes.map(|(key, _)| key)).collect();
        touched.sort_unstable();
        touched
    }

    /// What is nearest to a point and within a distance, in order, at most `count`.
    pub fn nearest(&self, point: Vec3, max_distance: f32, count: usize) -> Vec<Near> {
        let objects = self.objects().map(|(key, shape)| {
            let nearest = match shape {
                Shape::Aabb(shape) => shape.closest_point(point),
                Shape::Obb(shape) => shape.closest_point(point),
                Shape::Sphere(shape) => shape.closest_point(point),
                Shape::Brush(shape) => shape.closest_point(point),
                Shape::Patch(shape) => shape.closest_point(point),
                _ => panic!("a shape that is not known here"),
            };
            let dot = Convex::from(Sphere::new(point, 0.0).unwrap()).core();
            let Distance { normal, separation, .. } = dot.distance(&convex(shape).core());
            (Target::from(key), nearest, normal.as_vec3(), separation as f32)
        });
        let planes = self.planes().map(|(key, WorldPlane { plane, sides, .. })| {
            let is_inside = *sides == Sides::Front && plane.side_of_point(point) != Side::Front;
            let along = plane.signed_distance(point);
            let normal = if *sides == Sides::Both && along < 0.0 { -plane.normal() } else { plane.normal() };
            (key, if is_inside { point } else { plane.closest_point(point) }, normal, along)
        });
        let distance = |nearest: Vec3| nearest.as_dvec3().distance(point.as_dvec3()) as f32;
        let found = objects.chain(planes);
        let mut near: Vec<_> = found
            .map(|(target, nearest, normal, depth)| {
                let (distance, normal) = (distance(nearest), normal + Vec3::ZERO);
                let separation = if distance > 0.0 { distance } else { depth.min(0.0) + 0.0 };
                Near { target, part: 0, surface: 0, distance, point: nearest, normal, separation }
            })
            .collect();
        near.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.target.cmp(&b.target)));
        near.retain(|near| near.distance <= max_distance);
        near.truncate(count);
        near
    }

    /// What a body meets, given the first touch of an object and of a plane.
    fn swept(&self, touch: impl Fn(&Shape) -> Sweep, touch_plane: impl Fn(&WorldPlane) -> Sweep) -> Swept {
        let objects = self.objects().map(|(key, shape)| (Target::from(key), touch(shape)));
        let planes = self.planes().map(|(key, entry)| (key, touch_plane(entry)));
        let (mut overlaps, mut first) = (Vec::new(), None::<BodyHit>);
        for (target, answer) in objects.chain(planes) {
            match answer {
                Sweep::Clear => {}
                Sweep::Overlap(Overlap { depth, normal, contacts }) => {
                    overlaps.push(BodyOverlap { target, part: 0, surface: 0, depth, normal, contacts });
                }
                Sweep::Hit(hit) => {
                    if first.is_none_or(|first| (hit.toi, target) < (first.toi, first.target)) {
                        first = Some(BodyHit {
                            target,
                            part: 0,
                            surface: 0,
                            toi: hit.toi,
                            normal: hit.normal,
                            contacts: hit.contacts,
                        });
                    }
                }
            }
        }
        (overlaps, first)
    }

    /// What a box meets.
    pub fn swept_box(&self, sweep: &BoxSweep) -> Swept {
        let touch = |shape: &Shape| match shape {
            Shape::Aabb(shape) => sweep.against(shape),
            Shape::Obb(shape) => sweep.against(shape),
            Shape::Sphere(shape) => sweep.against(shape),
            Shape::Brush(shape) => sweep.against(&**shape),
            Shape::Patch(shape) => sweep.against(&**shape),
            _ => panic!("a shape that is not known here"),
        };
        self.swept(touch, |entry| sweep.against_plane(&entry.plane, entry.sides))
    }

    /// What a ball meets.
    pub fn swept_sphere(&self, sweep: &SphereSweep) -> Swept {
        let touch = |shape: &Shape| match shape {
            Shape::Aabb(shape) => sweep.against(shape),
            Shape::Obb(shape) => sweep.against(shape),
            Shape::Sphere(shape) => sweep.against(shape),
            Shape::Brush(shape) => sweep.against(&**shape),
            Shape::Patch(shape) => sweep.against(&**shape),
            _ => panic!("a shape that is not known here"),
        };
        self.swept(touch, |entry| sweep.against_plane(&entry.plane, entry.sides))
    }
}

/// A shape as distances take it.
fn convex(shape: &Shape) -> Convex<'_> {
    match shape {
        Shape::Aabb(shape) => (*shape).into(),
        Shape::Obb(shape) => (*shape).into(),
        Shape::Sphere(shape) => (*shape).into(),
        Shape::Brush(shape) => (&**shape).into(),
        Shape::Patch(shape) => (&**shape).into(),
        _ => panic!("a shape that is not known here"),
    }
}
