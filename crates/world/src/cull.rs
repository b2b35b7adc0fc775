//! What a camera sees, and on which side of a plane things lie.

use crate::{Filter, ObjectKey, World};
use cullide_bvh::Visit;
use cullide_narrowphase::{Containment, Frustum, Plane, Side};

impl World {
    /// Appends every object that touches `frustum` to `visible`, ordered by key.
    ///
    /// Boxes and spheres are decided exactly; a brush or a patch may be kept that lies outside near an edge of the frustum.
    /// Infinite planes are never listed.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Camera, Frustum, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// let ahead = world.insert(Object::fixed(Sphere::new(Vec3::Z * -9.0, 2.0)?));
    /// let behind = world.insert(Object::fixed(Sphere::new(Vec3::Z * 9.0, 2.0)?));
    /// let mut visible = vec![];
    /// world.cull(&Frustum::from_camera(&Camera::default())?, &Filter::ALL, &mut visible);
    /// assert_eq!(visible, [ahead]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn cull(&self, frustum: &Frustum, filter: &Filter, visible: &mut Vec<ObjectKey>) {
        let first = visible.len();
        for tree in self.trees(filter) {
            tree.cull(frustum.planes(), filter.mask(), |leaf, undecided| {
                let (key, object) = self.behind(leaf);
                if filter.accepts(key, object) && (undecided == 0 || object.shape.is_visible(frustum)) {
                    visible.push(key);
                }
                Visit::Continue
            });
        }
        visible[first..].sort_unstable();
    }

    /// Calls `visit` for every object that touches `frustum`, in no fixed order: [`Containment::Inside`] when it surely lies
    /// inside, [`Containment::Crossing`] otherwise. Cheaper than [`World::cull`], as each is asked by the planes alone: one that is behind
    /// none of them and yet misses the frustum near an edge of it is `Crossing`, too.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Camera, Containment, Frustum, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert(Object::fixed(Sphere::new(Vec3::Z * -9.0, 2.0)?));
    /// world.cull_each(&Frustum::from_camera(&Camera::default())?, &Filter::ALL, |_, containment| {
    ///     assert_eq!(containment, Containment::Inside);
    /// });
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn cull_each(&self, frustum: &Frustum, filter: &Filter, mut visit: impl FnMut(ObjectKey, Containment)) {
        for tree in self.trees(filter) {
            tree.cull(frustum.planes(), filter.mask(), |leaf, undecided| {
                let (key, object) = self.behind(leaf);
                if filter.accepts(key, object) {
                    // Decided by the shape wherever the tree is not sure: what a leaf's box adds must not show.
                    let inside = undecided == 0;
                    match if inside { Containment::Inside } else { object.shape.containment(frustum) } {
                        Containment::Outside => {}
                        containment => visit(key, containment),
                    }
                }
                Visit::Continue
            });
        }
    }

    /// Calls `visit` for every object with the side of `plane` on which it lies, touching being [`Side::Straddling`]; in no fixed
    /// order. Whole groups of objects that lie on one side are decided at once.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Plane, Side, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert(Object::fixed(Sphere::new(Vec3::Y * 2.0, 2.0)?));
    /// let mut sides = vec![];
    /// world.for_each_side(&Plane::new(Vec3::Y, 0.0)?, &Filter::ALL, |_, side| sides.push(side));
    /// assert_eq!(sides, [Side::Straddling]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn for_each_side(&self, plane: &Plane, filter: &Filter, mut visit: impl FnMut(ObjectKey, Side)) {
        for tree in self.trees(filter) {
            tree.classify(plane, filter.mask(), |leaf, side| {
                let (key, object) = self.behind(leaf);
                if filter.accepts(key, object) {
                    visit(key, if side == Side::Straddling { object.shape.side_of(plane) } else { side });
                }
                Visit::Continue
            });
        }
    }
}
