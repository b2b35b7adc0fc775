//! Selects which objects a query considers.

use crate::{Mobility, Object, ObjectKey, PlaneKey, Target, scene::slot_map::Slot};
use smallvec::SmallVec;

/// Selects which objects a query considers: by layers and mobility (decided by the trees), then by key, then by a
/// predicate of the caller's.
///
/// Planes are selected by layers, and left out if only moving objects are considered. A filter owns the keys that it
/// excludes, and borrows only its predicate.
#[derive(Clone)]
pub struct Filter<'a> {
    layers: u32,
    /// Sorted; a few need no allocation.
    excluded: Option<SmallVec<[Target; 4]>>,
    predicate: Option<&'a Predicate<'a>>,
    /// Only objects of this mobility; `None` for all.
    mobility: Option<Mobility>,
    /// Planes that sweeps ignore: see [`World::past_ignored`](crate::World::past_ignored).
    ignored: Option<SmallVec<[Target; 4]>>,
}

/// A caller's decision about an object; it may be called from several threads at once.
type Predicate<'a> = dyn Fn(ObjectKey, &Object) -> bool + Sync + 'a;

impl std::fmt::Debug for Filter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let has_predicate = self.predicate.is_some();
        f.debug_struct("Filter")
            .field("layers", &self.layers)
            .field("mobility", &self.mobility)
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
    /// Everything that is in any layer.
    pub const ALL: Self = Self::layers(u32::MAX);

    /// Considers what shares a layer with `layers`. What is in no layer is never found.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, WorldPlane, narrowphase::{Plane, Ray, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert(Object::fixed(Sphere::new(Vec3::X * 9.0, 2.0)?).layers(0));
    /// world.insert_plane(WorldPlane::wall(Plane::new(Vec3::X, -20.0)?).layers(0));
    /// let ray = Ray::new(Vec3::ZERO, Vec3::X)?;
    /// assert!(world.cast_ray(&ray, 100.0, &Filter::ALL).is_none());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub const fn layers(layers: u32) -> Self {
        Self { layers, excluded: None, predicate: None, mobility: None, ignored: None }
    }

    /// Excludes these objects as well. Up to four keys need no allocation; each object that a query finds is searched
    /// for among them in O(log n).
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
        excluded.iter().for_each(|key| keys.push((*key).into()));
        keys.sort_unstable();
        self
    }

    /// Considers only objects for which `predicate` holds; of several predicates, only the last one counts.
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

    /// Considers only fixed objects and planes: the tree of the moving objects is not searched.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Ray, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert(Object::moving(Sphere::new(Vec3::X * 5.0, 2.0)?));
    /// let wall = world.insert(Object::fixed(Sphere::new(Vec3::X * 9.0, 2.0)?));
    /// let ray = Ray::new(Vec3::ZERO, Vec3::X)?;
    /// assert_eq!(world.cast_ray(&ray, 100.0, &Filter::ALL.fixed_only()).unwrap().target, wall.into());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    #[must_use]
    pub const fn fixed_only(mut self) -> Self {
        self.mobility = Some(Mobility::Fixed);
        self
    }

    /// Considers only moving objects, and no planes: the tree of the fixed objects is not searched.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Plane, Ray, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert_plane(Plane::new(Vec3::Y, 0.0)?);
    /// world.insert(Object::fixed(Sphere::new(Vec3::Y * 5.0, 2.0)?));
    /// let ray = Ray::new(Vec3::Y * 9.0, Vec3::NEG_Y)?;
    /// assert_eq!(world.cast_ray(&ray, 100.0, &Filter::ALL.moving_only()), None);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    #[must_use]
    pub const fn moving_only(mut self) -> Self {
        self.mobility = Some(Mobility::Moving);
        self
    }

    /// Restricts the filter to what shares a layer with `layers` of what it considers.
    pub(crate) fn among(self, layers: u32) -> Self {
        Self { layers: self.layers & layers, ..self }
    }

    /// Restricts the filter to what is fixed of what it considers: to nothing, if it considers only moving objects.
    pub(crate) fn fixed_among(self) -> Self {
        let layers = if self.accepts_mobility(Mobility::Fixed) { self.layers } else { 0 };
        Self { layers, ..self }.fixed_only()
    }

    /// Whether objects of a mobility are considered.
    pub(crate) fn accepts_mobility(&self, mobility: Mobility) -> bool {
        self.mobility.is_none_or(|only| only == mobility)
    }

    /// The layer mask for the trees.
    pub(crate) fn mask(&self) -> u32 {
        self.layers
    }

    /// Decides what the tree has not decided.
    pub(crate) fn accepts(&self, key: ObjectKey, object: &Object) -> bool {
        self.excluded.as_ref().is_none_or(|excluded| excluded.binary_search(&key.into()).is_err())
            && self.predicate.is_none_or(|predicate| predicate(key, object))
    }

    /// Whether the tree decides everything.
    pub(crate) fn is_only_layers(&self) -> bool {
        self.excluded.is_none() && self.predicate.is_none()
    }

    pub(crate) fn accepts_layers(&self, layers: u32) -> bool {
        self.layers & layers != 0
    }

    /// Makes sweeps ignore this plane as well.
    pub(crate) fn ignore_plane(&mut self, key: PlaneKey) {
        self.ignored.get_or_insert_default().push(key.into());
    }

    /// Whether sweeps ignore a plane.
    #[inline]
    pub(crate) fn ignores_plane(&self, slot: Slot) -> bool {
        self.ignored.as_ref().is_some_and(|ignored| ignored.iter().any(|plane| plane.is_plane_in(slot)))
    }

    /// Whether a plane in these layers is considered.
    #[inline]
    pub(crate) fn accepts_plane(&self, layers: u32) -> bool {
        self.accepts_layers(layers) && self.accepts_mobility(Mobility::Fixed)
    }
}
