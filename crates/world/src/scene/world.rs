//! The world: the parts that own its state, and look-ups in them.

use crate::{
    Filter, Mobility, Object, ObjectKey, ObjectRef, PlaneKey, Shape, Target, WorldPlane, scene::edit_log::EditLog,
    scene::motion::ObjectVelocity, scene::objects::Objects, scene::pairs::PairHistory, scene::planes::Planes,
    scene::proxies::ObjectProxies, scene::slot_map::Slot,
};
use cullide_bvh::{Bvh, Leaf, Proxy};
#[cfg(feature = "dynamics")]
use cullide_narrowphase::glam::{DQuat, DVec3};
use cullide_narrowphase::{
    Aabb, Error,
    glam::{Quat, Vec3},
};
use std::hash::{BuildHasher, RandomState};

/// A scene of objects and infinite planes.
///
/// Edits take `&mut self`, queries `&self`: any number of threads may query at once. A query sees every earlier edit.
///
/// A clone gives the same answers, accepts the same keys, and is still the same world after the same calls, new keys
/// included, as [`World::hash`] and `==` show. Once the two are edited differently, a key that one of them has given
/// out since names nothing, or something else, in the other.
///
/// A clone shares what is fixed with the world it was made of, for as long as neither changes it: cloning costs a copy
/// of the moving objects, and some nanoseconds per hundred fixed ones. The first edit of a fixed object afterwards
/// copies the tree of the fixed objects; edits of moving objects and steps copy nothing that is fixed.
#[derive(Clone, Debug)]
pub struct World {
    /// The tag in every key, by which a key of another world is known to be stale. Nothing else depends on it.
    pub(crate) id: u32,
    pub(crate) objects: Objects,
    pub(crate) planes: Planes,
    pub(crate) proxies: ObjectProxies,
    /// Objects with a velocity.
    pub(crate) velocities: Vec<ObjectVelocity>,
    /// How many objects are switched off.
    pub(crate) off: usize,
    /// A buffer of boxes for the broadphase, kept for its memory.
    pub(crate) moved_aabbs: Vec<(Proxy, Aabb)>,
    /// A buffer of shapes for their objects, kept for its memory.
    pub(crate) pending_shapes: Vec<PendingShape>,
    /// The events of the last update.
    pub(crate) pair_history: PairHistory,
    /// How many updates there have been.
    pub(crate) pair_serial: u64,
    /// How often an object has lost its velocity, and with it the margin of its box.
    pub(crate) rest_serial: u64,
    pub(crate) edits: EditLog,
}

/// A shape for an object, the pose that gives it, and its model if the object has none yet.
pub(crate) type PendingShape = (Slot, Shape, (Quat, Vec3), Option<Box<Posed>>);

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) object: Object,
    pub(crate) proxy: Proxy,
    /// Its index in the world's `velocities`, if it has a velocity.
    pub(crate) velocity_index: Option<usize>,
    /// What [`World::set_transform_batch`] starts from; `None` if it was not needed since a shape was given.
    pub(crate) model: Option<Box<Posed>>,
    /// If it is switched off, the layers in which it will be, and those with which it will pair.
    pub(crate) off: Option<(u32, u32)>,
}

/// The shape that an object was given, about its own origin, and where it was last put.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Posed {
    pub(crate) model: Shape,
    pub(crate) rotation: Quat,
    pub(crate) translation: Vec3,
}

impl Posed {
    /// Makes the model of a shape, posed where the shape was given.
    pub(crate) fn new(shape: &Shape) -> Result<Self, Error> {
        let (rotation, translation) = shape.own_pose();
        Ok(Self { model: shape.model()?, rotation, translation })
    }

    /// Records that a ball or a capsule has rotated further, to where it is now.
    #[cfg(feature = "dynamics")]
    pub(crate) fn turn(&mut self, turn: DQuat, shape: &Shape) {
        let mut rotation = turn * self.rotation.as_dquat();
        // The axis of a capsule or a cylinder can be seen, so rounding does not accumulate.
        let axes = match (&self.model, shape) {
            (Shape::Capsule(model), Shape::Capsule(shape)) => Some([model.half_axis(), shape.half_axis()]),
            (Shape::Cylinder(model), Shape::Cylinder(shape)) => Some([model.half_axis(), shape.half_axis()]),
            _ => None,
        };
        if let Some([model, shape]) = axes {
            let along = |axis: Vec3| axis.as_dvec3().normalize_or_zero();
            let own = rotation * along(model);
            let now = along(shape);
            let (across, dot) = (own.cross(now), 1.0 + own.dot(now));
            if own != DVec3::ZERO && now != DVec3::ZERO && dot > 0.5 {
                rotation = DQuat::from_xyzw(across.x, across.y, across.z, dot) * rotation;
            }
        }
        (self.rotation, self.translation) = (rotation.normalize().as_quat(), shape.own_pose().1);
    }
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// Creates an empty world with a random tag: the keys of two such worlds are told apart, except with a probability
    /// of 1 in 2^32.
    ///
    /// ```
    /// # use cullide_world::World;
    /// assert_eq!(World::new().len(), 0);
    /// ```
    pub fn new() -> Self {
        Self::with_tag(RandomState::new().hash_one(0) as u32)
    }

    /// Creates an empty world with the caller's tag, which is part of all its keys: after the same calls, worlds with
    /// the same tag have the same keys, and snapshots of the same bytes, on any machine. They also accept each other's
    /// keys, so each world within one program should have a tag of its own.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Sphere, glam::Vec3};
    /// let [mut host, mut guest] = [World::with_tag(1), World::with_tag(1)];
    /// let ball = Object::moving(Sphere::new(Vec3::ZERO, 1.0)?);
    /// assert_eq!(host.insert(ball.clone()), guest.insert(ball));
    /// assert_eq!(host, guest);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn with_tag(tag: u32) -> Self {
        Self {
            id: tag,
            objects: Objects::default(),
            planes: Planes::default(),
            proxies: ObjectProxies::default(),
            velocities: Vec::new(),
            off: 0,
            moved_aabbs: Vec::new(),
            pending_shapes: Vec::new(),
            pair_history: PairHistory::default(),
            pair_serial: 0,
            rest_serial: 0,
            edits: EditLog::default(),
        }
    }

    /// Returns the caller's number for a part of a target, such as its material: 0 for a plane, for a shape that has
    /// none and for a part that does not exist; `None` for a stale key. Hits report it as their `surface`.
    ///
    /// ```
    /// # use cullide_world::{Mesh, Object, World, glam::Vec3};
    /// let mesh = Mesh::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z], &[[0, 1, 2], [0, 3, 1]])?.with_surfaces(&[7, 9])?;
    /// let mut world = World::new();
    /// let key = world.insert(Object::fixed(mesh));
    /// assert_eq!([0, 1, 2].map(|part| world.surface(key.into(), part)), [Some(7), Some(9), Some(0)]);
    /// # Ok::<(), cullide_world::MeshError>(())
    /// ```
    pub fn surface(&self, target: Target, part: u32) -> Option<u16> {
        match target {
            Target::Object(key) => Some(self.object(key)?.shape.surface(part)),
            Target::Plane(key) => self.plane(key).map(|_| 0),
        }
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there are neither objects nor planes.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.planes.is_empty()
    }

    /// All objects, in ascending order of their keys.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Aabb, glam::Vec3};
    /// let mut world = World::new();
    /// let key = world.insert(Object::fixed(Aabb::new(Vec3::ZERO, Vec3::ONE)?));
    /// assert_eq!(world.objects().map(|(key, _)| key).collect::<Vec<_>>(), [key]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn objects(&self) -> impl Iterator<Item = (ObjectKey, ObjectRef<'_>)> {
        let object = |entry| ObjectRef { world: self, entry };
        self.objects.iter().map(move |(slot, entry)| (ObjectKey::new(slot, self.id), object(entry)))
    }

    /// All planes, in ascending order of their keys.
    pub fn planes(&self) -> impl Iterator<Item = (PlaneKey, &WorldPlane)> {
        self.planes.iter().map(|(slot, plane)| (PlaneKey::new(slot, self.id), plane))
    }

    /// Rebuilds the trees for the fastest queries, which is worth it once after a level was loaded object by object. No
    /// answer changes.
    ///
    /// ```
    /// # use cullide_world::World;
    /// World::new().optimize();
    /// ```
    pub fn optimize(&mut self) {
        self.proxies.broadphase.rebuild();
    }

    /// The trees that hold objects a filter may accept, fixed objects first.
    pub(crate) fn trees(&self, filter: &Filter) -> impl Iterator<Item = &Bvh> {
        let accepted = |tree: &Bvh, mobility| filter.accepts_mobility(mobility) && !tree.is_empty();
        let [fixed, moving] = self.proxies.trees();
        let fixed = Some(fixed).filter(|fixed| accepted(fixed, Mobility::Fixed));
        fixed.into_iter().chain(Some(moving).filter(|moving| accepted(moving, Mobility::Moving)))
    }

    /// Returns the object of a leaf of either tree, with its key.
    #[inline(always)]
    pub(crate) fn keyed_object(&self, leaf: Leaf) -> (ObjectKey, &Object) {
        let (slot, entry) = self.objects.entry_of(leaf.into());
        (ObjectKey::new(slot, self.id), &entry.object)
    }

    pub(crate) fn plane_key(&self, slot: Slot) -> PlaneKey {
        PlaneKey::new(slot, self.id)
    }

    #[inline(always)]
    pub(crate) fn key_of_leaf(&self, leaf: Leaf) -> ObjectKey {
        ObjectKey::new(self.objects.slot_of(leaf.into()), self.id)
    }

    #[inline(always)]
    pub(crate) fn object_of_leaf(&self, leaf: Leaf) -> &Object {
        self.keyed_object(leaf).1
    }
}
