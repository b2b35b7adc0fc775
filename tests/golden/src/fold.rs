//! Folds answers into one number, with every bit of them.

use cullide_world::{
    BodyHit, BodyOverlap, BoxContact, ObjectKey, ObjectPair, RayHit, SegmentHit, Shape, Slide, SlideContact, Target,
    glam::{DVec3, Quat, Vec3},
    narrowphase::{Aabb, Contacts, Containment, Feature, Obb, Side, Sweep},
};
use std::collections::BTreeMap;

/// A hash of words in order, and the number of answers behind them that found something.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fold {
    hash: u64,
    found: u64,
    /// A number for everything that was inserted: keys themselves contain the tag of their world, and their layout is
    /// free to change.
    names: BTreeMap<Target, u64>,
}

impl Fold {
    /// An empty hash, for answers about the things named.
    pub(crate) fn new(names: &BTreeMap<Target, u64>) -> Self {
        Self { names: names.clone(), ..Self::default() }
    }

    /// The hash.
    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    /// The number of answers that found something.
    pub(crate) fn found(&self) -> u64 {
        self.found
    }

    /// Numbers another object or plane, in the order of calls.
    pub(crate) fn learn(&mut self, target: impl Into<Target>) {
        let name = self.names.len() as u64;
        self.names.insert(target.into(), name);
    }

    /// Adds a word: a different word gives a different hash, whatever came before.
    pub(crate) fn word(&mut self, word: u64) {
        self.hash = (self.hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.hash ^= self.hash >> 32;
    }

    /// Adds the bits of a number, the sign of a zero included.
    pub(crate) fn number(&mut self, x: f32) {
        self.word(x.to_bits().into());
    }

    /// Like [`Fold::number`].
    pub(crate) fn wide(&mut self, x: f64) {
        self.word(x.to_bits());
    }

    /// Adds the components.
    pub(crate) fn vector(&mut self, v: Vec3) {
        v.to_array().into_iter().for_each(|x| self.number(x));
    }

    /// Adds the components.
    pub(crate) fn wide_vector(&mut self, v: DVec3) {
        v.to_array().into_iter().for_each(|x| self.wide(x));
    }

    /// Adds the components.
    pub(crate) fn quaternion(&mut self, q: Quat) {
        q.to_array().into_iter().for_each(|x| self.number(x));
    }

    /// Adds a yes or a no.
    pub(crate) fn flag(&mut self, flag: bool) {
        self.found += u64::from(flag);
        self.word(flag.into());
    }

    /// Adds whether there is a value, and the value.
    pub(crate) fn maybe<T>(&mut self, thing: Option<T>, add: impl FnOnce(&mut Self, T)) {
        self.flag(thing.is_some());
        if let Some(thing) = thing {
            add(self, thing);
        }
    }

    /// Adds a list and its length.
    pub(crate) fn list<T>(&mut self, things: impl IntoIterator<Item = T>, mut add: impl FnMut(&mut Self, T)) {
        let mut count = 0;
        for thing in things {
            add(self, thing);
            count += 1;
        }
        self.found += count;
        self.word(count);
    }

    /// Adds which object or plane it is.
    pub(crate) fn target(&mut self, target: Target) {
        self.word(self.name(target));
    }

    /// Adds which object it is.
    pub(crate) fn object(&mut self, key: ObjectKey) {
        self.target(key.into());
    }

    /// The number of an object or plane, by which answers that come in no particular order are sorted.
    pub(crate) fn name(&self, target: Target) -> u64 {
        self.names[&target]
    }

    /// Adds both objects.
    pub(crate) fn pair(&mut self, pair: &ObjectPair) {
        self.object(pair.first);
        self.object(pair.second);
    }

    /// Adds all of a hit.
    pub(crate) fn ray_hit(&mut self, hit: &RayHit) {
        self.target(hit.target);
        self.number(hit.distance);
        self.number(hit.exit);
        self.vector(hit.point);
        self.vector(hit.normal);
        self.word(hit.inside.into());
    }

    /// Adds all of a hit.
    pub(crate) fn segment_hit(&mut self, hit: &SegmentHit) {
        self.target(hit.target);
        self.number(hit.fraction);
        self.number(hit.exit);
        self.vector(hit.point);
        self.vector(hit.normal);
        self.word(hit.inside.into());
    }

    /// Adds points, separations, feature and id.
    pub(crate) fn contacts(&mut self, contacts: &Contacts) {
        self.word(contacts.points().len() as u64);
        contacts.points().iter().for_each(|point| self.vector(*point));
        contacts.separations().iter().for_each(|separation| self.number(*separation));
        let feature = match contacts.feature() {
            Feature::Vertex => 0,
            Feature::Edge => 1,
            Feature::Face => 2,
        };
        self.word(feature);
        self.word(contacts.id().mask().into());
    }

    /// Adds what stopped a body and what it overlaps.
    pub(crate) fn stop(&mut self, hit: Option<BodyHit>, overlap: Option<BodyOverlap>) {
        self.maybe(hit, |fold, hit| {
            fold.target(hit.target);
            fold.number(hit.toi);
            fold.vector(hit.normal);
            fold.contacts(&hit.contacts);
        });
        self.overlap(overlap);
    }

    /// Adds what a body overlaps.
    pub(crate) fn overlap(&mut self, overlap: Option<BodyOverlap>) {
        self.maybe(overlap, |fold, overlap| {
            fold.target(overlap.target);
            fold.number(overlap.depth);
            fold.vector(overlap.normal);
            fold.contacts(&overlap.contacts);
        });
    }

    /// Adds all of a contact on a slide.
    pub(crate) fn slide_contact(&mut self, contact: &SlideContact) {
        self.target(contact.target);
        self.vector(contact.normal);
        self.vector(contact.position);
    }

    /// Adds all of a slide.
    pub(crate) fn slide(&mut self, slide: &Slide) {
        self.vector(slide.position);
        self.vector(slide.motion);
        self.list(&slide.contacts, Self::slide_contact);
        self.overlap(slide.overlap);
    }

    /// Adds all of a contact of a step.
    pub(crate) fn contact(&mut self, contact: &BoxContact) {
        self.object(contact.body);
        self.target(contact.target);
        self.vector(contact.normal);
        self.contacts(&contact.contacts);
    }

    /// Adds all of the answer for one pair of shapes.
    pub(crate) fn sweep(&mut self, sweep: Sweep) {
        self.maybe(sweep.hit(), |fold, hit| {
            fold.number(hit.toi);
            fold.vector(hit.normal);
            fold.vector(hit.position);
            fold.contacts(&hit.contacts);
        });
        self.maybe(sweep.overlap(), |fold, overlap| {
            fold.number(overlap.depth);
            fold.vector(overlap.normal);
            fold.contacts(&overlap.contacts);
        });
    }

    /// Adds which side it is.
    pub(crate) fn side(&mut self, side: Side) {
        self.word(match side {
            Side::Front => 0,
            Side::Straddling => 1,
            Side::Back => 2,
        });
    }

    /// Adds how it is contained.
    pub(crate) fn containment(&mut self, containment: Containment) {
        self.word(match containment {
            Containment::Inside => 0,
            Containment::Crossing => 1,
            Containment::Outside => 2,
        });
    }

    /// Adds both corners.
    pub(crate) fn aabb(&mut self, aabb: &Aabb) {
        self.vector(aabb.min());
        self.vector(aabb.max());
    }

    /// Adds the centre and the half edges.
    pub(crate) fn obb(&mut self, obb: &Obb) {
        self.vector(obb.center());
        obb.half_edges().into_iter().for_each(|edge| self.vector(edge));
    }

    /// Adds all numbers of a shape.
    pub(crate) fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Aabb(aabb) => self.aabb(aabb),
            Shape::Obb(obb) => self.obb(obb),
            Shape::Sphere(sphere) => {
                self.vector(sphere.center());
                self.number(sphere.radius());
            }
            Shape::Brush(brush) => {
                self.list(brush.planes(), |fold, plane| {
                    fold.wide_vector(plane.normal);
                    fold.wide(plane.distance);
                });
                self.list(brush.vertices(), |fold, vertex| fold.wide_vector(*vertex));
            }
            Shape::Patch(patch) => {
                self.list(patch.points(), |fold, point| fold.vector(*point));
                self.vector(patch.plane().normal());
                self.number(patch.plane().d());
            }
            other => panic!("{other:?} has no hash yet"),
        }
        self.aabb(&shape.aabb());
    }
}
