//! Whom a query looks at.

use crate::{Object, ObjectKey};
use smallvec::SmallVec;

/// Whom a query looks at: by layers (decided inside the tree), then by key, then by a predicate of the caller's.
///
/// Planes are chosen by layers alone. A filter keeps the keys that it leaves out, and borrows only its predicate.
#[derive(Clone)]
pub struct Filter<'a> {
    layers: u32,
    /// In order; a few without an allocation.
    excluded: Option<SmallVec<[ObjectKey; 4]>>,
    predicate: Option<&'a Predicate<'a>>,
    /// Whether moving objects are left out.
    fixed_only: bool,
}

/// What a caller decides about an object; it may be asked from several threads at once.
type Predicate<'a> = dyn Fn(ObjectKey, &Object) -> bool + Sync + 'a;

impl std::fmt::Debug for Filter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let has_predicate = self.predicate.is_some();
        f.debug_struct("Filter")
            .field("layers", &self.layers)
            .field("excluded", &self.excluded)
            .field("predicate", &has_predicate)
            .finish()
    }
}

impl Default for Filter<'_> {
    fn default() -> Self {
        Self::ALL
    }
}

impl<'a> Filter<'a> {
    /// Everything that is in a layer.
    pub const ALL: Self = Self::layers(u32::MAX);

    /// What shares a layer with `layers`. What is in no layer is never found.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Plane, Ray, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert(Object::fixed(Sphere::new(Vec3::X * 9.0, 2.0)?).layers(0));
    /// world.insert_wall(Plane::new(Vec3::X, -20.0)?, 0);
    /// let ray = Ray::new(Vec3::ZERO, Vec3::X)?;
    /// assert!(world.cast_ray(&ray, 100.0, &Filter::ALL).is_none());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub const fn layers(layers: u32) -> Self {
        Self { layers, excluded: None, predicate: None, fixed_only: false }
    }

    /// Without these objects as well. Up to four take no allocation; of many, each that a query finds is searched for in O(log n).
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Ray, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// let own = world.insert(Object::moving(Sphere::new(Vec3::ZERO, 2.0)?));
    /// let ray = Ray::new(Vec3::ZERO, Vec3::X)?;
    /// let others = Filter::layers(1).without(&[own]);
    /// assert!(world.cast_ray(&ray, 100.0, &others).is_none());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    #[must_use]
    pub fn without(mut self, excluded: &[ObjectKey]) -> Self {
        let keys = self.excluded.get_or_insert_default();
        keys.extend_from_slice(excluded);
        keys.sort_unstable();
        self
    }

    /// Only objects for which `predicate` holds; of several predicates, the last one counts.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Ray, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert(Object::fixed(Sphere::new(Vec3::X * 9.0, 2.0)?).user(7));
    /// let ray = Ray::new(Vec3::ZERO, Vec3::X)?;
    /// let solid = |_, object: &Object| object.user != 7;
    /// assert!(world.cast_ray(&ray, 100.0, &Filter::ALL.only(&solid)).is_none());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    #[must_use]
    pub const fn only(mut self, predicate: &'a Predicate<'a>) -> Self {
        self.predicate = Some(predicate);
        self
    }

    /// The same filter, for fixed objects only.
    pub(crate) const fn fixed(mut self) -> Self {
        self.fixed_only = true;
        self
    }

    pub(crate) fn is_fixed_only(&self) -> bool {
        self.fixed_only
    }

    /// The mask for the tree.
    pub(crate) fn mask(&self) -> u32 {
        self.layers
    }

    /// What the tree has not decided. The object is looked up only for a predicate.
    pub(crate) fn accepts<'b>(&self, key: ObjectKey, object: impl FnOnce() -> &'b Object) -> bool {
        self.excluded.as_ref().is_none_or(|excluded| excluded.binary_search(&key).is_err())
            && self.predicate.is_none_or(|predicate| predicate(key, object()))
    }

    pub(crate) fn accepts_layers(&self, layers: u32) -> bool {
        self.layers & layers != 0
    }
}
