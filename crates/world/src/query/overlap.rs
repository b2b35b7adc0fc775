//! Overlap queries with static volumes.

use crate::{Filter, Filters, Object, ObjectKey, Target, World, WorldPlane, query::batch};
use cullide_bvh::{Bvh, Leaf};
use cullide_narrowphase::{Aabb, Capsule, Obb, Side, Sides, Sphere, glam::Vec3};
use std::ops::ControlFlow;

/// With this many objects or fewer, the faces of an oriented box are not tested against their boxes.
const FEW: usize = 4;

/// A visitor that is called with what is touched, until it breaks.
pub(super) type Show<'a> = dyn FnMut(Target) -> ControlFlow<()> + 'a;

impl World {
    /// Appends everything that an oriented box touches to `near`, ordered by key. It touches every half-space that it
    /// is not wholly in front of, including those that it is wholly behind, which sweeps ignore.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Obb, Sphere}, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::fixed(Sphere::new(Vec3::X * 3.0, 2.0)?));
    /// let mut near = vec![];
    /// world.overlap_box(&Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::ONE)?, &Filter::ALL, &mut near);
    /// assert_eq!(near, [ball.into()]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn overlap_box(&self, obb: &Obb, filter: &Filter, near: &mut Vec<Target>) {
        sorted(near, |show| self.touched_by_box(obb, filter, show));
    }

    /// Whether an oriented box touches anything, for example to test whether there is room for it. A box that lies on a
    /// floor touches the floor. Cheaper than [`World::overlap_box`].
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Obb, Sphere}, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// world.insert(Object::fixed(Sphere::new(Vec3::X * 3.0, 2.0)?));
    /// let crate_at = |x: f32| Obb::new(Vec3::X * x, Quat::IDENTITY, Vec3::ONE).unwrap();
    /// assert!(world.any_overlap_box(&crate_at(0.0), &Filter::ALL));
    /// assert!(!world.any_overlap_box(&crate_at(-0.5), &Filter::ALL));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn any_overlap_box(&self, obb: &Obb, filter: &Filter) -> bool {
        is_any(|show| self.touched_by_box(obb, filter, show))
    }

    fn touched_by_box(&self, obb: &Obb, filter: &Filter, show: &mut Show<'_>) -> ControlFlow<()> {
        self.touched_planes(filter, |entry| entry.plane.side_of_obb(obb), show)?;
        let bounds = obb.aabb();
        let touches = |object: &Object| object.shape.overlaps_obb(obb, &bounds);
        self.touched_objects(filter, touches, show, |tree, visit| {
            // With few objects, rejecting one by the faces of the box costs no less than the object's own test.
            if tree.len() <= FEW {
                tree.overlap_aabb(&bounds, filter.mask(), visit);
            } else {
                tree.overlap_obb(obb, filter.mask(), visit);
            }
        })
    }

    /// Appends everything that an axis-aligned box, such as a trigger volume or a grid cell, touches to `near`, ordered
    /// by key.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Aabb, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::fixed(Sphere::new(Vec3::X * 3.0, 2.0)?));
    /// let mut near = vec![];
    /// world.overlap_aabb(&Aabb::new(Vec3::ZERO, Vec3::ONE)?, &Filter::ALL, &mut near);
    /// assert_eq!(near, [ball.into()]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn overlap_aabb(&self, aabb: &Aabb, filter: &Filter, near: &mut Vec<Target>) {
        sorted(near, |show| self.touched_by_aabb(aabb, filter, show));
    }

    /// Whether an axis-aligned box touches anything; as [`World::any_overlap_box`].
    ///
    /// ```
    /// # use cullide_world::{Filter, World, narrowphase::Aabb, glam::Vec3};
    /// assert!(!World::new().any_overlap_aabb(&Aabb::new(Vec3::ZERO, Vec3::ONE)?, &Filter::ALL));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn any_overlap_aabb(&self, aabb: &Aabb, filter: &Filter) -> bool {
        is_any(|show| self.touched_by_aabb(aabb, filter, show))
    }

    fn touched_by_aabb(&self, aabb: &Aabb, filter: &Filter, show: &mut Show<'_>) -> ControlFlow<()> {
        self.touched_planes(filter, |entry| entry.plane.side_of_aabb(aabb), show)?;
        let touches = |object: &Object| object.shape.overlaps_aabb(aabb);
        self.touched_objects(filter, touches, show, |tree, visit| tree.overlap_aabb(aabb, filter.mask(), visit))
    }

    /// Appends the answer of [`World::overlap_box`] for each of `boxes` to `answers`, in order of the boxes; in
    /// parallel with the feature `parallel`.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Obb, Sphere}, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// let ball = world.insert(Object::fixed(Sphere::new(Vec3::X * 3.0, 2.0)?));
    /// let boxes = [Vec3::NEG_X, Vec3::X].map(|center| Obb::new(center, Quat::IDENTITY, Vec3::ONE).unwrap());
    /// let mut answers = vec![];
    /// world.overlap_box_batch(&boxes, &Filter::ALL, &mut answers);
    /// assert_eq!(answers, [vec![], vec![ball.into()]]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn overlap_box_batch(&self, boxes: &[Obb], filters: &(impl Filters + ?Sized), answers: &mut Vec<Vec<Target>>) {
        batch(boxes, filters, answers, Vec::new(), |obb, filter| {
            let mut near = Vec::new();
            self.overlap_box(obb, filter, &mut near);
            near
        });
    }

    /// Appends everything that a sphere touches to `near`, ordered by key.
    ///
    /// ```
    /// # use cullide_world::{Filter, World, narrowphase::{Plane, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// let floor = world.insert_plane(Plane::new(Vec3::Y, 0.0)?, 0b1);
    /// let mut near = vec![];
    /// world.overlap_sphere(&Sphere::new(Vec3::Y * 2.0, 2.0)?, &Filter::ALL, &mut near);
    /// assert_eq!(near, [floor.into()]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn overlap_sphere(&self, sphere: &Sphere, filter: &Filter, near: &mut Vec<Target>) {
        sorted(near, |show| self.touched_by_sphere(sphere, filter, show));
    }

    /// Whether a sphere touches anything; as [`World::any_overlap_box`].
    ///
    /// ```
    /// # use cullide_world::{Filter, World, narrowphase::{Plane, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert_plane(Plane::new(Vec3::Y, 0.0)?, 0b1);
    /// let is_free = |height: f32| !world.any_overlap_sphere(&Sphere::new(Vec3::Y * height, 2.0).unwrap(), &Filter::ALL);
    /// assert!(is_free(2.5) && !is_free(2.0));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn any_overlap_sphere(&self, sphere: &Sphere, filter: &Filter) -> bool {
        is_any(|show| self.touched_by_sphere(sphere, filter, show))
    }

    fn touched_by_sphere(&self, sphere: &Sphere, filter: &Filter, show: &mut Show<'_>) -> ControlFlow<()> {
        self.touched_planes(filter, |entry| entry.plane.side_of_sphere(sphere), show)?;
        let touches = |object: &Object| object.shape.overlaps_sphere(sphere);
        self.touched_objects(filter, touches, show, |tree, visit| tree.overlap_sphere(sphere, filter.mask(), visit))
    }

    /// Appends everything that a capsule touches to `near`, ordered by key; for example, what a character has run into.
    ///
    /// ```
    /// # use cullide_world::{Filter, World, narrowphase::{Capsule, Plane}, glam::Vec3};
    /// let mut world = World::new();
    /// let beam = world.insert_plane(Plane::new(Vec3::NEG_Y, 2.0)?, 0b1);
    /// let mut near = vec![];
    /// world.overlap_capsule(&Capsule::new(Vec3::Y * 0.5, Vec3::Y * 1.5, 0.5)?, &Filter::ALL, &mut near);
    /// assert_eq!(near, [beam.into()]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn overlap_capsule(&self, capsule: &Capsule, filter: &Filter, near: &mut Vec<Target>) {
        sorted(near, |show| self.touched_by_capsule(capsule, filter, show));
    }

    /// Whether a capsule touches anything, for example to test whether a character has room to appear; as
    /// [`World::any_overlap_box`]. A capsule that stands on a floor touches the floor: keep the capsule a little above
    /// it, or exclude the floor by the filter.
    ///
    /// ```
    /// # use cullide_world::{Filter, World, narrowphase::{Capsule, Plane}, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert_plane(Plane::new(Vec3::NEG_Y, 2.0)?, 0b1);
    /// let standing = Capsule::new(Vec3::Y * 0.5, Vec3::Y * 1.5, 0.5)?;
    /// assert!(world.any_overlap_capsule(&standing, &Filter::ALL));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn any_overlap_capsule(&self, capsule: &Capsule, filter: &Filter) -> bool {
        is_any(|show| self.touched_by_capsule(capsule, filter, show))
    }

    fn touched_by_capsule(&self, capsule: &Capsule, filter: &Filter, show: &mut Show<'_>) -> ControlFlow<()> {
        self.touched_planes(filter, |entry| entry.plane.side_of_capsule(capsule), show)?;
        let bounds = capsule.aabb();
        let touches = |object: &Object| object.shape.overlaps_capsule(capsule, &bounds);
        self.touched_objects(filter, touches, show, |tree, visit| tree.overlap_aabb(&bounds, filter.mask(), visit))
    }

    /// Appends everything that contains `point`, surfaces included, to `near`, ordered by key. A NaN lies in nothing,
    /// nor does a point beyond [`MAX_COORDINATE`](cullide_narrowphase::MAX_COORDINATE).
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::Sphere, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert(Object::fixed(Sphere::new(Vec3::X * 3.0, 2.0)?));
    /// let mut near = vec![];
    /// world.overlap_point(Vec3::ZERO, &Filter::ALL, &mut near);
    /// assert!(near.is_empty());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn overlap_point(&self, point: Vec3, filter: &Filter, near: &mut Vec<Target>) {
        if let Ok(sphere) = Sphere::new(point, 0.0) {
            self.overlap_sphere(&sphere, filter, near);
        }
    }

    /// Whether anything contains `point`; as [`World::overlap_point`].
    ///
    /// ```
    /// # use cullide_world::{Filter, World, narrowphase::Plane, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert_plane(Plane::new(Vec3::Y, 0.0)?, 0b1);
    /// assert!(world.any_overlap_point(Vec3::ZERO, &Filter::ALL) && !world.any_overlap_point(Vec3::Y, &Filter::ALL));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn any_overlap_point(&self, point: Vec3, filter: &Filter) -> bool {
        Sphere::new(point, 0.0).is_ok_and(|sphere| self.any_overlap_sphere(&sphere, filter))
    }

    /// Calls `show` with the planes accepted by the filter whose solid side, or whose surface for a wall, is touched by
    /// a volume. `side` returns the side of a plane on which the volume lies.
    pub(super) fn touched_planes(
        &self,
        filter: &Filter,
        side: impl Fn(&WorldPlane) -> Side,
        show: &mut Show<'_>,
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
    pub(super) fn touched_objects(
        &self,
        filter: &Filter,
        touches: impl Fn(&Object) -> bool,
        show: &mut Show<'_>,
        each_near: impl Fn(&Bvh, &mut dyn FnMut(Leaf) -> ControlFlow<()>),
    ) -> ControlFlow<()> {
        for tree in self.trees(filter) {
            let mut ask = |key: ObjectKey, object: &Object| {
                let is_touched = touches(object) && filter.accepts(key, || object);
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

/// Appends everything that `each` shows, ordered by key.
pub(super) fn sorted(near: &mut Vec<Target>, each: impl FnOnce(&mut Show<'_>) -> ControlFlow<()>) {
    let first = near.len();
    let _ = each(&mut |target| {
        near.push(target);
        ControlFlow::Continue(())
    });
    near[first..].sort_unstable();
}

/// Whether `each` shows anything.
pub(super) fn is_any(each: impl FnOnce(&mut Show<'_>) -> ControlFlow<()>) -> bool {
    each(&mut |_| ControlFlow::Break(())).is_break()
}
