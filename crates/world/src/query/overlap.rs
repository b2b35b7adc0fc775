//! Which objects and planes a volume touches.

use super::region::{Region, Volume};
use crate::{Filter, Filters, Object, ObjectKey, Target, World, WorldPlane, query::batch};
use cullide_bvh::{Bvh, Leaf};
use cullide_narrowphase::{Side, Sides};
use std::ops::ControlFlow;

/// A visitor that is called with what is touched, until it breaks.
pub(crate) type TargetVisitor<'a> = dyn FnMut(Target) -> ControlFlow<()> + 'a;

impl World {
    /// Appends everything that a volume touches to `targets`, ordered by key: a box, a ball, a capsule, a shape of any
    /// kind or a point ([`Region`]). It touches every half-space that it is not wholly in front of, including those that
    /// it is wholly behind, which sweeps ignore. Of a compound, a mesh or a terrain some part touches it.
    ///
    /// Brushes, hulls, patches and triangles touch each other up to rounding; everything else is decided exactly. A shape
    /// that is a box, a ball or a capsule is tested faster as such than as a [`Shape`](crate::Shape). A point is touched by what contains
    /// it, surfaces included; one that is NaN or out of range touches nothing.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Obb, Plane, Sphere}, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::fixed(Sphere::new(Vec3::X * 3.0, 2.0)?));
    /// let lake = world.insert_plane(Plane::new(Vec3::Y, 4.0)?);
    /// let mut targets = vec![];
    /// world.overlap(&Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::ONE)?, &Filter::ALL, &mut targets);
    /// assert_eq!(targets, [ball.into()]);
    /// targets.clear();
    /// world.overlap(&Vec3::new(9.0, -5.0, 0.0), &Filter::ALL, &mut targets);
    /// assert_eq!(targets, [lake.into()]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    ///
    /// A compound touches by its parts, not by its box:
    ///
    /// ```
    /// # use cullide_world::{Compound, Filter, Object, PlacedCompound, Shape, World, narrowphase::{Aabb, Sphere}, glam::{Quat, Vec3}};
    /// let wing = |x: f32| Aabb::from_center_half_extents(Vec3::X * x, Vec3::new(1.0, 2.0, 4.0)).map(Shape::from);
    /// let house = Compound::new([wing(-3.0)?, wing(3.0)?])?;
    /// let mut world = World::new();
    /// let tree = world.insert(Object::fixed(Sphere::new(Vec3::ZERO, 1.0)?));
    /// let at = |x: f32| Shape::from(PlacedCompound::new(&house, Quat::IDENTITY, Vec3::X * x).unwrap());
    /// // The tree is in the yard between the wings.
    /// assert!(!world.any_overlap(&at(0.0), &Filter::ALL) && world.any_overlap(&at(1.5), &Filter::ALL));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overlap(&self, region: &impl Region, filter: &Filter, targets: &mut Vec<Target>) {
        let first = targets.len();
        let _ = region.touched(self, filter, &mut |target| {
            targets.push(target);
            ControlFlow::Continue(())
        });
        targets[first..].sort_unstable();
    }

    /// Whether a volume touches anything, for example to test whether there is room for it; cheaper than
    /// [`World::overlap`]. What stands on a floor touches the floor: keep it a little above, or exclude the floor by the
    /// filter.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Capsule, Obb, Sphere}, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// world.insert(Object::fixed(Sphere::new(Vec3::X * 3.0, 2.0)?));
    /// let crate_at = |x: f32| Obb::new(Vec3::X * x, Quat::IDENTITY, Vec3::ONE).unwrap();
    /// assert!(world.any_overlap(&crate_at(0.0), &Filter::ALL));
    /// assert!(!world.any_overlap(&crate_at(-0.5), &Filter::ALL));
    /// assert!(world.any_overlap(&Capsule::new(Vec3::ZERO, Vec3::Y, 1.0)?, &Filter::ALL));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn any_overlap(&self, region: &impl Region, filter: &Filter) -> bool {
        region.touched(self, filter, &mut |_| ControlFlow::Break(())).is_break()
    }

    /// Appends the answer of [`World::overlap`] for each of `regions` to `answers`, in their order; in parallel with the
    /// feature `parallel`.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::Sphere, glam::Vec3};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::fixed(Sphere::new(Vec3::X * 3.0, 2.0)?));
    /// let blasts = [Sphere::new(Vec3::ZERO, 2.0)?, Sphere::new(Vec3::NEG_X, 0.5)?];
    /// let mut answers = vec![];
    /// world.overlap_batch(&blasts, &Filter::ALL, &mut answers);
    /// assert_eq!(answers, [vec![ball.into()], vec![]]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn overlap_batch(
        &self,
        regions: &[impl Region],
        filters: &(impl Filters + ?Sized),
        answers: &mut Vec<Vec<Target>>,
    ) {
        batch(regions, filters, answers, Vec::new(), |region, filter| {
            let mut targets = Vec::new();
            self.overlap(region, filter, &mut targets);
            targets
        });
    }

    /// Appends the numbers of the parts of an object that a volume touches to `parts`, in ascending order: of a mesh and a
    /// terrain triangles, of a compound children as [`Compound::child_of`](crate::Compound::child_of) counts them, of
    /// another shape 0. For what an explosion breaks off, the triangles beneath a decal, or those of a tile of a navigation
    /// mesh. A stale key appends nothing.
    ///
    /// It costs O(parts whose boxes are near + log of all). Which objects there are to ask, [`World::overlap`] returns.
    ///
    /// ```
    /// # use cullide_world::{Mesh, Object, World, narrowphase::{Obb, Sphere}, glam::{Quat, Vec3}};
    /// let corners = [Vec3::ZERO, Vec3::Z * 4.0, Vec3::X * 4.0, Vec3::new(4.0, 0.0, 4.0)];
    /// let floor = Mesh::new(&corners, &[[0, 1, 2], [2, 1, 3]])?;
    /// let mut world = World::new();
    /// let key = world.insert(Object::fixed(&floor));
    /// let crate_at = |x: f32| Obb::new(Vec3::new(x, 0.5, 1.0), Quat::from_rotation_y(0.5), Vec3::splat(0.5)).unwrap();
    /// let mut parts = vec![];
    /// world.overlap_parts(key, &crate_at(3.0), &mut parts);
    /// assert_eq!(parts, [0, 1]);
    /// parts.clear();
    /// world.overlap_parts(key, &Sphere::new(Vec3::ZERO, 0.5)?, &mut parts);
    /// assert_eq!(parts, [0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overlap_parts(&self, key: ObjectKey, region: &impl Region, parts: &mut Vec<u32>) {
        let Some(object) = self.object(key) else { return };
        let first = parts.len();
        region.touched_parts(&object.shape, parts);
        parts[first..].sort_unstable();
    }

    /// Shows what a volume touches.
    pub(super) fn touched(
        &self,
        volume: &impl Volume,
        filter: &Filter,
        show: &mut TargetVisitor<'_>,
    ) -> ControlFlow<()> {
        self.touched_planes(filter, |entry| volume.side_of(&entry.plane), show)?;
        let bounds = volume.bounds();
        self.touched_objects(
            filter,
            |object| volume.touches(&object.shape, &bounds),
            show,
            |tree, visit| {
                volume.each_near(tree, &bounds, filter.mask(), visit);
            },
        )
    }

    /// Calls `show` with the planes accepted by the filter whose solid side, or whose surface for a wall, is touched by
    /// a volume. `side` returns the side of a plane on which the volume lies.
    fn touched_planes(
        &self,
        filter: &Filter,
        side: impl Fn(&WorldPlane) -> Side,
        show: &mut TargetVisitor<'_>,
    ) -> ControlFlow<()> {
        let mut planes = self.planes().filter(|(_, entry)| filter.accepts_plane(entry.layers));
        planes.try_for_each(|(key, entry)| {
            let is_touched = match entry.sides {
                Sides::Front => side(entry) != Side::Front,
                Sides::Both => side(entry) == Side::Straddling,
            };
            if is_touched { show(key.into()) } else { ControlFlow::Continue(()) }
        })
    }

    /// Calls `show` with the objects accepted by the filter that a volume `touches`, in no fixed order. `each_near`
    /// calls its visitor with the leaves of a tree that may be near the volume, until it breaks.
    fn touched_objects(
        &self,
        filter: &Filter,
        touches: impl Fn(&Object) -> bool,
        show: &mut TargetVisitor<'_>,
        each_near: impl Fn(&Bvh, &mut dyn FnMut(Leaf) -> ControlFlow<()>),
    ) -> ControlFlow<()> {
        for tree in self.trees(filter) {
            let mut ask = |key: ObjectKey, object: &Object| {
                let is_touched = touches(object) && filter.accepts(key, object);
                if is_touched { show(key.into()) } else { ControlFlow::Continue(()) }
            };
            // A lone object's own test rejects it more cheaply than the tree would: it has a tree of its own, or few
            // faces.
            if let Some(leaf) = tree.lone_leaf() {
                let (key, object) = self.keyed_object(leaf);
                if filter.accepts_layers(object.layers) {
                    ask(key, object)?;
                }
                continue;
            }
            let mut end = ControlFlow::Continue(());
            each_near(tree, &mut |leaf| {
                let (key, object) = self.keyed_object(leaf);
                end = ask(key, object);
                end
            });
            end?;
        }
        ControlFlow::Continue(())
    }
}
