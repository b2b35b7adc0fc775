//! Hashes a world to one number, to compare worlds that are not in one place, and compares worlds with each other.
//!
//! ```text
//!   world  ->  words: those of each object, then of planes, pairs and free numbers  ->  hash
//! ```
//! Floats are hashed by their bits. The words of each object are folded separately, so that those of the next object
//! need not wait for them.

use crate::{Compound, Mesh, Mobility, Shape, Target, Terrain, World, scene::slot_map::Slot, scene::world::Entry};
use cullide_narrowphase::{
    Obb, Sides,
    glam::{DMat3, DVec3, Vec3},
};
use slotmap::Key;

impl World {
    /// Returns a hash of all the state that determines this world's future answers: a checksum by which the peers of a
    /// lockstep game see that their worlds are the same.
    ///
    /// It covers objects and planes with all that they were given and the slots they are in, poses, velocities, the pairs
    /// of the last update, and which slots come next. What moves beside the world has a hash of its own:
    /// [`BoxStepper::hash`](crate::BoxStepper::hash), [`Dynamics::hash`](crate::Dynamics::hash). It does not cover the world's [tag](World::with_tag), nor trees and caches, which determine no
    /// answer. So it is the same after the same calls with the same numbers on any machine, for any number of threads,
    /// in debug and release builds, and for a clone or a restored snapshot. Zero and minus zero differ. The hash may
    /// change with the version of this crate, and is no defence against someone who searches for worlds with the same
    /// hash.
    ///
    /// Costs O(objects), some 20 ns each. The first hash of a mesh, a compound or a terrain, and that of a refitted mesh,
    /// goes through its data once; edits of a terrain that has been hashed cost what they change.
    ///
    /// ```
    /// # use cullide_world::{Object, World, narrowphase::Sphere, glam::Vec3};
    /// let ball = |x: f32| Object::moving(Sphere::new(Vec3::X * x, 1.0).unwrap());
    /// let (mut here, mut there) = (World::new(), World::new());
    /// let (key, same) = (here.insert(ball(0.5)), there.insert(ball(0.5)));
    /// assert_eq!(here.hash(), there.hash());
    /// here.object_mut(key).unwrap().set_user(7);
    /// assert_ne!(here.hash(), there.hash());
    /// there.object_mut(same).unwrap().set_user(7);
    /// assert_eq!(here.hash(), there.hash());
    /// ```
    pub fn hash(&self) -> u64 {
        let mut all = Fold::default();
        for (slot, entry) in self.objects.iter() {
            let mut own = Fold::default();
            self.add_object(slot, entry, &mut own);
            all.add(own.0);
        }
        self.add_rest(&mut all);
        all.finish()
    }

    fn add_object(&self, slot: Slot, entry: &Entry, words: &mut impl Words) {
        let Entry { object, proxy, velocity_index, model, off } = entry;
        words.add(slot.data().as_ffi());
        let is_moving = u64::from(object.mobility == Mobility::Moving);
        words.add(is_moving << 32 | proxy.index() as u64);
        words.add(u64::from(object.layers) << 32 | u64::from(object.pairs_with));
        if let Some((layers, pairs_with)) = *off {
            words.add(u64::from(layers) << 32 | u64::from(pairs_with));
        }
        words.add(object.user);
        add_shape(&object.shape, words);
        words.add(u64::from(model.is_some()));
        if let Some(posed) = model {
            add_shape(&posed.model, words);
            words.add_floats(posed.rotation.to_array());
            words.add_vector(posed.translation);
        }
        words.add(velocity_index.is_some().into());
        if let Some(velocity_index) = velocity_index {
            words.add_vector(self.velocities[*velocity_index].velocity);
            // Only an object with a velocity has a box that differs from its shape's own.
            let aabb = self.proxies.broadphase.aabb(*proxy).unwrap_or(object.shape.aabb());
            words.add_vector(aabb.min());
            words.add_vector(aabb.max());
        }
    }

    /// Adds everything but the objects.
    fn add_rest(&self, words: &mut impl Words) {
        add_slots(self.objects.vacant(), words);
        add_slots(self.planes.entries().vacant(), words);
        for (slot, entry) in self.planes.iter() {
            words.add(slot.data().as_ffi());
            words.add_vector(entry.plane.normal());
            let is_wall = u64::from(entry.sides == Sides::Both);
            words.add(is_wall << 32 | u64::from(entry.plane.d().to_bits()));
            words.add(entry.layers.into());
        }
        let broadphase = &self.proxies.broadphase;
        broadphase.for_each_number(|number| words.add(number));
        words.add(broadphase.pair_count() as u64);
        for pair in broadphase.pairs() {
            words.add(u64::from(u32::from(pair.first)) << 32 | u64::from(u32::from(pair.second)));
        }
    }
}

/// Worlds are equal if they have the same tag and agree in everything that [`World::hash`] covers: then they give the
/// same answers, and continue to do so after the same calls. Floats are compared by their bits. Costs O(objects).
///
/// ```
/// # use cullide_world::{Object, World, narrowphase::Sphere, glam::Vec3};
/// let mut world = World::new();
/// world.insert(Object::fixed(Sphere::new(Vec3::ZERO, 1.0)?));
/// let mut branch = world.clone();
/// assert_eq!(branch, world);
/// branch.insert(Object::fixed(Sphere::new(Vec3::X, 1.0)?));
/// assert_ne!(branch, world);
/// # Ok::<(), cullide_world::narrowphase::Error>(())
/// ```
impl PartialEq for World {
    fn eq(&self, other: &Self) -> bool {
        if (self.id, self.objects.len()) != (other.id, other.objects.len()) {
            return false;
        }
        let (mut own, mut others) = (Vec::new(), Vec::new());
        for (a, b) in self.objects.iter().zip(other.objects.iter()) {
            own.clear();
            others.clear();
            self.add_object(a.0, a.1, &mut own);
            other.add_object(b.0, b.1, &mut others);
            if own != others {
                return false;
            }
        }
        own.clear();
        others.clear();
        self.add_rest(&mut own);
        other.add_rest(&mut others);
        own == others
    }
}

impl Eq for World {}

/// Takes one word after another: a hash folds them in, a list keeps them.
pub(crate) trait Words {
    fn add(&mut self, word: u64);

    /// Adds floats, two to a word; the last one alone if their number is odd.
    fn add_floats<const N: usize>(&mut self, floats: [f32; N]) {
        let bits = |float: Option<&f32>| float.map_or(0, |float| u64::from(float.to_bits()));
        floats.chunks(2).for_each(|pair| self.add(bits(pair.get(1)) << 32 | bits(pair.first())));
    }

    fn add_vector(&mut self, vector: Vec3) {
        self.add_floats(vector.to_array());
    }

    fn add_wide(&mut self, vector: DVec3) {
        vector.as_ref().iter().for_each(|x| self.add(x.to_bits()));
    }
}

impl Words for Vec<u64> {
    fn add(&mut self, word: u64) {
        self.push(word);
    }
}

/// Folds words into one. Each step is a bijection: the same word keeps two different states different, and two
/// different words make the same state different.
pub(crate) struct Fold(u64);

impl Default for Fold {
    fn default() -> Self {
        Self(GOLDEN)
    }
}

/// 2^64 over the golden ratio, made odd: its multiples spread over all bits (Knuth, "The Art of Computer Programming"
/// 3, 6.4).
pub(crate) const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl Words for Fold {
    #[inline]
    fn add(&mut self, word: u64) {
        let product = (self.0 ^ word).wrapping_mul(GOLDEN);
        self.0 = product ^ product >> 32;
    }
}

impl Fold {
    pub(crate) fn finish(self) -> u64 {
        mixed(self.0)
    }
}

/// Makes every bit depend on all others.
///
/// Source: the finalizer of MurmurHash3, Appleby.
#[inline]
pub(crate) fn mixed(word: u64) -> u64 {
    let mixed = (word ^ word >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let mixed = (mixed ^ mixed >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    mixed ^ mixed >> 33
}

/// Adds which slots are given out next.
fn add_slots((free, places): (&[Slot], u32), words: &mut impl Words) {
    words.add((free.len() as u64) << 32 | u64::from(places));
    free.iter().for_each(|slot| words.add(slot.data().as_ffi()));
}

pub(crate) fn add_shape(shape: &Shape, words: &mut impl Words) {
    match shape {
        Shape::Aabb(aabb) => {
            words.add(0);
            words.add_vector(aabb.min());
            words.add_vector(aabb.max());
        }
        Shape::Obb(obb) => {
            words.add(1);
            add_obb(obb, words);
        }
        Shape::Sphere(sphere) => {
            let [x, y, z] = sphere.center().to_array();
            words.add(2);
            words.add_floats([x, y, z, sphere.radius()]);
        }
        Shape::Brush(brush) => {
            words.add(3);
            words.add((brush.planes().len() as u64) << 32 | brush.vertices().len() as u64);
            for plane in brush.planes() {
                words.add_wide(plane.normal);
                words.add(plane.distance.to_bits());
            }
            brush.vertices().iter().for_each(|vertex| words.add_wide(*vertex));
        }
        Shape::Triangle(triangle) => {
            words.add(5);
            triangle.points().iter().for_each(|point| words.add_vector(*point));
        }
        Shape::Mesh(placed) => {
            words.add(6);
            words.add(placed.mesh().hash());
            add_map(placed.map(), words);
        }
        Shape::Capsule(capsule) => {
            words.add(7);
            words.add_vector(capsule.center());
            words.add_vector(capsule.half_axis());
            words.add(capsule.radius().to_bits().into());
        }
        Shape::Cylinder(cylinder) => {
            words.add(11);
            words.add_vector(cylinder.center());
            words.add_vector(cylinder.half_axis());
            words.add_floats(cylinder.radii());
        }
        Shape::Terrain(placed) => {
            words.add(9);
            words.add(placed.terrain().hash());
            add_map(placed.map(), words);
        }
        Shape::Compound(placed) => {
            words.add(10);
            words.add(placed.compound().hash());
            add_map(placed.map(), words);
        }
        Shape::Patch(patch) => {
            words.add(4);
            words.add(patch.points().len() as u64);
            patch.points().iter().for_each(|point| words.add_vector(*point));
        }
    }
}

fn add_map((linear, translation): (&DMat3, DVec3), words: &mut impl Words) {
    [linear.x_axis, linear.y_axis, linear.z_axis, translation].iter().for_each(|v| words.add_wide(*v));
}

fn add_triangles(mesh: &Mesh, words: &mut impl Words) {
    words.add(match mesh.sides() {
        Sides::Front => 0,
        Sides::Both => 1,
    });
    mesh.vertices().iter().for_each(|vertex| words.add_vector(*vertex));
    for number in 0..mesh.len() as u32 {
        let [a, b, c] = mesh.corners(number).unwrap_or_default();
        words.add(u64::from(b) << 32 | u64::from(a));
        words.add(u64::from(mesh.surface(number).unwrap_or(0)) << 32 | u64::from(c));
    }
}

/// Returns a hash of everything that determines the answers of a mesh.
pub(crate) fn of_mesh(mesh: &Mesh) -> u64 {
    let mut words = Fold::default();
    add_triangles(mesh, &mut words);
    words.finish()
}

/// Returns a hash of everything that determines the answers of a compound.
pub(crate) fn of_compound(compound: &Compound) -> u64 {
    let mut words = Fold::default();
    for (number, child) in (0..).zip(compound.children()) {
        add_shape(child, &mut words);
        words.add(compound.surface(number).unwrap_or(0).into());
    }
    words.finish()
}

/// Returns a hash of everything that determines the answers of a terrain, of whose samples and cells it gets the sum.
pub(crate) fn of_terrain(terrain: &Terrain, sum: u64) -> u64 {
    let mut words = Fold::default();
    let is_wall = u64::from(terrain.sides() == Sides::Both);
    words.add(is_wall);
    words.add(u64::from(terrain.columns()) << 32 | u64::from(terrain.rows()));
    words.add_floats(terrain.spacing().to_array());
    words.add_floats(terrain.origin().to_array());
    words.add(sum);
    words.finish()
}

pub(crate) fn add_obb(obb: &Obb, words: &mut impl Words) {
    let [a, b, c] = obb.half_edges();
    [obb.center(), a, b, c].iter().for_each(|vector| words.add_vector(*vector));
}

pub(crate) fn add_target(target: Target, words: &mut impl Words) {
    let (is_plane, bits) = match target {
        Target::Object(key) => (false, key.to_bits()),
        Target::Plane(key) => (true, key.to_bits()),
    };
    words.add(is_plane.into());
    words.add(bits);
}
