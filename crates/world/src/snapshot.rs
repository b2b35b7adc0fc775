//! A world as a plain value: all the state that determines its future answers, without the structures that only make it
//! fast.

use crate::{
    Object, World, WorldPlane,
    scene::objects::Objects,
    scene::planes::Planes,
    scene::proxies::ObjectProxies,
    scene::slot_map::{Slot, SlotMap},
    scene::world::{Entry, Posed},
    shape::shared::{SavedShape, SharedShapes},
};
use cullide_bvh::{Broadphase, Mobility, Pair, Proxy, SavedBroadphase};
use cullide_narrowphase::{
    Aabb, Error,
    glam::{Quat, Vec3},
};
use serde::{Deserialize, Serialize};

/// The state of a [`World`] at one moment: made by [`World::snapshot`], read by [`World::restore`].
///
/// It can be written in any serde format that preserves numbers exactly (with `serde_json`, enable its feature
/// `float_roundtrip`). The first field is the number of its layout, so that a snapshot of another version is refused.
/// Reading a snapshot costs as much as building the shapes in it. It takes at most some hundred times the length of the
/// input in memory, not counting the brushes and patches of each compound that is placed elsewhere than where it was
/// given: limit the length of untrusted input.
///
/// A mesh, a terrain or a compound is stored once, however many objects use it, and they share it again in the restored
/// world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    layout: Layout,
    /// The world's id, so that keys stay valid.
    world: u32,
    /// The data that objects share.
    shapes: SharedShapes,
    objects: SlotMap<SavedObject>,
    planes: SlotMap<WorldPlane>,
    /// Proxies of the broadphase that stand for no object; apart from them, those freed since the last update, each
    /// with the slot of the object that it stood for.
    free: Vec<Proxy>,
    freed: Vec<(Proxy, Slot)>,
    /// Proxies of objects added since the last update.
    came: Vec<Proxy>,
    /// The pairs of the last update.
    pairs: Vec<Pair>,
    /// Objects that are switched off, with the layers in which they will be, and those with which they will pair.
    off: Vec<(Slot, u32, u32)>,
}

/// The layout that this version writes and reads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
struct Layout;

const LAYOUT: u32 = 9;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SavedObject {
    shape: SavedShape,
    mobility: Mobility,
    layers: u32,
    pairs_with: u32,
    user: u64,
    model: Option<Box<SavedModel>>,
    proxy: Proxy,
    /// The box that the last update gave it, if that differs from its shape's own.
    swept: Option<Aabb>,
    /// Not zero.
    velocity: Option<Vec3>,
}

/// The shape that an object's poses start from, and its last pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SavedModel {
    shape: SavedShape,
    rotation: Quat,
    translation: Vec3,
}

impl World {
    /// Returns all the state that determines this world's future answers, to continue from it later or elsewhere; see
    /// [`World::restore`]. To go back within one program, a clone of the world is cheaper.
    pub fn snapshot(&self) -> Snapshot {
        let SavedBroadphase { free, freed, came, pairs, .. } = self.proxies.broadphase.save();
        let mut shapes = SharedShapes::default();
        let objects = self.objects.map(|_, entry| self.saved(entry, &mut shapes));
        Snapshot {
            layout: Layout,
            world: self.id,
            shapes,
            objects,
            planes: self.planes.entries().clone(),
            free,
            freed: freed.into_iter().map(|proxy| (proxy, self.objects.slot_of(proxy))).collect(),
            came,
            pairs,
            off: self.objects.iter().filter_map(|(slot, entry)| Some((slot, entry.off?.0, entry.off?.1))).collect(),
        }
    }

    /// Returns a world that continues from where another one was saved, bit for bit: given the same calls, both return
    /// the same results, including the keys of new objects. Only results that are documented to come in no fixed order
    /// may come in a different one, since the trees are rebuilt.
    ///
    /// Keys that are valid in the saved world are valid in this one, and stale keys remain stale.
    /// [Filters](crate::Filter) belong to queries, not to the world: none is saved, and predicates are passed with each
    /// query as before.
    ///
    /// # Errors
    /// [`Error::Inconsistent`] for a snapshot that no world has made, such as one read from modified bytes. Each part
    /// is checked when it is read; whether the parts fit together is checked here. Any world that is returned answers
    /// queries and continues without a panic.
    ///
    /// ```
    /// # use cullide_world::{Object, Snapshot, World, narrowphase::Sphere, glam::Vec3};
    /// let mut world = World::new();
    /// let [ball, other] = [(); 2].map(|()| world.insert(Object::moving(Sphere::new(Vec3::ZERO, 1.0).unwrap())));
    /// world.update_pairs(0.0);
    ///
    /// let text = serde_json::to_string(&world.snapshot())?;
    /// let mut restored = World::restore(&serde_json::from_str::<Snapshot>(&text)?)?;
    /// assert_eq!(restored.object(ball), world.object(ball));
    /// for world in [&mut world, &mut restored] {
    ///     world.remove(other);
    ///     assert_eq!(world.update_pairs(0.0).ended.len(), 1);
    /// }
    /// let more = Object::fixed(Sphere::new(Vec3::X, 2.0)?);
    /// assert_eq!(world.insert(more.clone()), restored.insert(more));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn restore(snapshot: &Snapshot) -> Result<Self, Error> {
        let Snapshot { layout: Layout, world: id, objects, planes, .. } = snapshot;
        let entries = objects.try_map(|_, saved| saved.entry(&snapshot.shapes))?;
        let mut world = Self {
            id: *id,
            proxies: snapshot.proxies(&entries)?,
            objects: Objects::of(&entries, &snapshot.freed),
            planes: Planes::of(planes.clone()),
            ..Self::with_tag(*id)
        };
        for (slot, saved) in objects.iter() {
            let Some(velocity) = saved.velocity else { continue };
            if !velocity.is_finite() || velocity == Vec3::ZERO {
                return Err(inconsistent("velocity"));
            }
            world.set_object_velocity(slot, velocity);
        }
        for &(slot, layers, pairs_with) in &snapshot.off {
            let entry = world.objects.get_mut(slot).filter(|entry| entry.off.is_none());
            let entry = entry.filter(|entry| (entry.object.layers, entry.object.pairs_with) == (0, 0));
            entry.ok_or(inconsistent("off"))?.off = Some((layers, pairs_with));
            world.off += 1;
        }
        // Edits before the next step wake the bodies near them, as in the saved world.
        world.edits.watch();
        Ok(world)
    }

    fn saved(&self, entry: &Entry, shapes: &mut SharedShapes) -> SavedObject {
        let Entry { object, proxy, velocity_index, model, .. } = entry;
        let (own, swept) = (object.shape.aabb(), self.proxies.broadphase.aabb(*proxy));
        let Object { shape, mobility, layers, pairs_with, user } = object;
        SavedObject {
            shape: shapes.save(shape),
            mobility: *mobility,
            layers: *layers,
            pairs_with: *pairs_with,
            user: *user,
            model: model.as_ref().map(|posed| {
                let Posed { model, rotation, translation } = &**posed;
                Box::new(SavedModel { shape: shapes.save(model), rotation: *rotation, translation: *translation })
            }),
            proxy: *proxy,
            swept: swept.filter(|aabb| *aabb != own),
            velocity: velocity_index.map(|velocity_index| self.velocities[velocity_index].velocity),
        }
    }
}

impl SavedObject {
    /// Returns the object; the data that it shares is in the table.
    fn entry(&self, shapes: &SharedShapes) -> Result<Entry, Error> {
        let Self { mobility, layers, pairs_with, user, .. } = *self;
        let object = Object { shape: shapes.restore(&self.shape)?, mobility, layers, pairs_with, user };
        let model = self.model.as_ref().map(|saved| {
            let SavedModel { ref shape, rotation, translation } = **saved;
            if !(rotation.is_finite() && translation.is_finite()) {
                return Err(inconsistent("model"));
            }
            Ok(Box::new(Posed { model: shapes.restore(shape)?, rotation, translation }))
        });
        Ok(Entry { object, proxy: self.proxy, velocity_index: None, model: model.transpose()?, off: None })
    }
}

impl Snapshot {
    /// Returns the broadphase, if every proxy stands for one object or none.
    fn proxies(&self, entries: &SlotMap<Entry>) -> Result<ObjectProxies, Error> {
        let counted = self.objects.iter().map(|(_, saved)| saved.proxy).chain(self.free.iter().copied());
        let counted = counted.chain(self.freed.iter().map(|(proxy, _)| *proxy));
        let (fixed, moving): (Vec<Proxy>, Vec<Proxy>) = counted.partition(|proxy| proxy.mobility() == Mobility::Fixed);
        let (mut fixed, mut moving) = (vec![None; fixed.len()], vec![None; moving.len()]);
        for ((_, SavedObject { proxy, swept, .. }), (_, entry)) in self.objects.iter().zip(entries.iter()) {
            let own = ObjectProxies::body(&entry.object);
            let aabb = swept.unwrap_or(own.aabb);
            let bodies = if proxy.mobility() == Mobility::Fixed { &mut fixed } else { &mut moving };
            match bodies.get_mut(proxy.index()) {
                // Queries rely on the box containing the shape.
                Some(body @ None) if aabb.contains(&own.aabb) => {
                    *body = Some(cullide_bvh::BroadphaseBody { aabb, ..own })
                }
                _ => return Err(inconsistent("proxy")),
            }
        }
        // A freed proxy that was exchanged for another one names an object that still exists.
        let any_exchanged = self.freed.iter().any(|(_, slot)| self.objects.get(*slot).is_some());
        let freed = self.freed.iter().map(|&(proxy, _)| proxy).collect();
        let (free, came, pairs) = (self.free.clone(), self.came.clone(), self.pairs.clone());
        let saved = SavedBroadphase { fixed, moving, free, freed, came, pairs };
        Ok(ObjectProxies { broadphase: Broadphase::restore(&saved)?, any_exchanged })
    }
}

fn inconsistent(field: &'static str) -> Error {
    Error::Inconsistent { field }
}

impl From<Layout> for u32 {
    fn from(_: Layout) -> Self {
        LAYOUT
    }
}

impl TryFrom<u32> for Layout {
    type Error = String;

    fn try_from(layout: u32) -> Result<Self, String> {
        if layout == LAYOUT {
            Ok(Self)
        } else {
            Err(format!("a snapshot of layout {layout}; this version reads {LAYOUT}"))
        }
    }
}
