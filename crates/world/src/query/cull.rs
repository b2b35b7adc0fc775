//! Frustum culling, and the side of a plane on which objects lie.

use crate::{Filter, Object, ObjectKey, World};
use cullide_bvh::Leaf;
use cullide_narrowphase::{Containment, Frustum, Plane, Side};
use std::ops::{ControlFlow, Deref};

/// An object that a query reports, looked up only when it is dereferenced: memory that is not read costs nothing.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    world: &'a World,
    leaf: Leaf,
}

impl Deref for Shown<'_> {
    type Target = Object;

    #[inline]
    fn deref(&self) -> &Object {
        self.world.object_of_leaf(self.leaf)
    }
}

impl World {
    /// Appends every object that touches `frustum` to `visible`, ordered by key.
    ///
    /// Boxes, spheres and capsules are decided exactly; any other shape that lies outside, near an edge of the frustum,
    /// may be included. Infinite planes are never listed.
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
        self.cull_leaves(frustum, filter, |leaf, _| visible.push(self.key_of_leaf(leaf)));
        ObjectKey::sort(&mut visible[first..]);
    }

    /// Calls `visit` for every object that [`World::cull`] would append, in no fixed order and cheaper.
    ///
    /// An object comes with [`Containment::Inside`] if it lies inside, with [`Containment::Crossing`] if part of it
    /// lies outside. A mesh, a terrain or a compound counts as inside if its box lies inside, which is larger than
    /// necessary if the shape is rotated. The caller's data of an object is available in its [`user`](Object::user),
    /// without looking up the key; an object that is not dereferenced costs nothing.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Camera, Containment, Frustum, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert(Object::fixed(Sphere::new(Vec3::Z * -9.0, 2.0)?).user(7));
    /// let mut drawn = vec![];
    /// world.for_each_visible(&Frustum::from_camera(&Camera::default())?, &Filter::ALL, |_, object, containment| {
    ///     drawn.push((object.user, containment));
    /// });
    /// assert_eq!(drawn, [(7, Containment::Inside)]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn for_each_visible(
        &self,
        frustum: &Frustum,
        filter: &Filter,
        mut visit: impl FnMut(ObjectKey, Shown<'_>, Containment),
    ) {
        self.cull_leaves(frustum, filter, |leaf, containment| {
            visit(self.key_of_leaf(leaf), Shown { world: self, leaf }, containment);
        });
    }

    /// Calls `visit` with the parts of an object that may touch `frustum`, in groups, for example to draw a large mesh.
    /// A group comes with [`Containment::Inside`] if all of it lies inside, with [`Containment::Crossing`] if some of
    /// it may lie outside. The order is not fixed; a stale key has no parts.
    ///
    /// A group is up to sixteen triangles of a mesh, or those of up to sixteen cells of a terrain, and is visited if
    /// the box around it touches the frustum. Children of a compound are decided as objects are by [`World::cull`]; any
    /// other shape is one part, with the number 0.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, Terrain, World, narrowphase::{Camera, Frustum}, glam::{Vec2, Vec3}};
    /// let field = Terrain::new(65, 65, &[-2.0; 65 * 65], Vec2::ONE, Vec2::splat(-32.0))?;
    /// let mut world = World::new();
    /// let key = world.insert(Object::fixed(&field));
    /// let mut triangles = 0;
    /// // Ahead is one quarter of it.
    /// let frustum = Frustum::from_camera(&Camera::default())?;
    /// world.cull_parts(key, &frustum, |parts, _| triangles += parts.len());
    /// assert!((field.len() / 8..field.len() / 2).contains(&triangles));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cull_parts(&self, key: ObjectKey, frustum: &Frustum, mut visit: impl FnMut(&[u32], Containment)) {
        if let Some(object) = self.object(key) {
            object.shape.cull(frustum, &mut visit);
        }
    }

    /// Calls `visit` with the leaves of what is visible. An object is looked up only where it decides.
    fn cull_leaves(&self, frustum: &Frustum, filter: &Filter, mut visit: impl FnMut(Leaf, Containment)) {
        for tree in self.trees(filter) {
            tree.cull(frustum.planes(), filter.mask(), |leaf, undecided| {
                if filter.is_only_layers() || filter.accepts(self.key_of_leaf(leaf), self.object_of_leaf(leaf)) {
                    // The shape decides wherever the tree does not: the answer must not depend on how large a leaf's
                    // box is.
                    let containment = match undecided {
                        0 => Containment::Inside,
                        _ => self.object_of_leaf(leaf).shape.visibility(frustum),
                    };
                    if containment != Containment::Outside {
                        visit(leaf, containment);
                    }
                }
                ControlFlow::Continue(())
            });
        }
    }

    /// Calls `visit` for every object with the side of `plane` on which it lies, in no fixed order; touching is
    /// [`Side::Straddling`]. Whole groups of objects that lie on one side are decided at once.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Plane, Side, Sphere}, glam::Vec3};
    /// let mut world = World::new();
    /// world.insert(Object::fixed(Sphere::new(Vec3::Y * 2.0, 2.0)?).user(7));
    /// let mut sides = vec![];
    /// world.for_each_side(&Plane::new(Vec3::Y, 0.0)?, &Filter::ALL, |_, object, side| sides.push((object.user, side)));
    /// assert_eq!(sides, [(7, Side::Straddling)]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn for_each_side(&self, plane: &Plane, filter: &Filter, mut visit: impl FnMut(ObjectKey, Shown<'_>, Side)) {
        for tree in self.trees(filter) {
            tree.classify(plane, filter.mask(), |leaf, side| {
                let key = self.key_of_leaf(leaf);
                if filter.is_only_layers() || filter.accepts(key, self.object_of_leaf(leaf)) {
                    let straddles = side == Side::Straddling;
                    let side = if straddles { self.object_of_leaf(leaf).shape.side_of(plane) } else { side };
                    visit(key, Shown { world: self, leaf }, side);
                }
                ControlFlow::Continue(())
            });
        }
    }
}
