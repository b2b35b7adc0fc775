//! Overlaps with a shape of any kind.

use super::overlap::{Show, is_any, sorted};
use crate::{Filter, Filters, Object, Shape, Target, World, query::batch};
use std::ops::ControlFlow;

impl World {
    /// Appends everything that a shape of any kind touches to `near`, ordered by key; of half-spaces as
    /// [`World::overlap_box`]. Of a compound, a mesh or a terrain some part touches it, or parts of it lie on both sides of
    /// a wall.
    ///
    /// Brushes, hulls, patches and triangles touch each other up to rounding; everything else is decided as by the
    /// functions for single boxes, balls and capsules, which are faster.
    ///
    /// ```
    /// # use cullide_world::{Compound, Filter, Object, PlacedCompound, Shape, World, narrowphase::{Aabb, Sphere}, glam::{Quat, Vec3}};
    /// let wing = |x: f32| Aabb::from_center_half_extents(Vec3::X * x, Vec3::new(1.0, 2.0, 4.0)).map(Shape::from);
    /// let house = Compound::new([wing(-3.0)?, wing(3.0)?])?;
    /// let mut world = World::new();
    /// let tree = world.insert(Object::fixed(Sphere::new(Vec3::ZERO, 1.0)?));
    /// let at = |x: f32| PlacedCompound::new(&house, Quat::IDENTITY, Vec3::X * x).unwrap();
    /// let mut near = vec![];
    /// // The tree is in the yard between the wings.
    /// world.overlap_shape(&at(0.0).into(), &Filter::ALL, &mut near);
    /// assert!(near.is_empty());
    /// world.overlap_shape(&at(1.5).into(), &Filter::ALL, &mut near);
    /// assert_eq!(near, [tree.into()]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overlap_shape(&self, shape: &Shape, filter: &Filter, near: &mut Vec<Target>) {
        sorted(near, |show| self.touched_by_shape(shape, filter, show));
    }

    /// Whether a shape of any kind touches anything, as one that lies on a floor does: whether there is room for a
    /// building. Cheaper than [`World::overlap_shape`].
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, Shape, World, narrowphase::{Aabb, Hull}, glam::Vec3};
    /// let tent = Hull::new(&[Vec3::ZERO, Vec3::X * 2.0, Vec3::Z * 2.0, Vec3::Y * 2.0])?;
    /// let mut world = World::new();
    /// world.insert(Object::fixed(Aabb::new(Vec3::ONE, Vec3::splat(2.0))?));
    /// assert!(!world.any_overlap_shape(&Shape::from(tent), &Filter::ALL));
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn any_overlap_shape(&self, shape: &Shape, filter: &Filter) -> bool {
        is_any(|show| self.touched_by_shape(shape, filter, show))
    }

    /// Appends the answer of [`World::overlap_shape`] for each of `shapes` to `answers`, in their order; in parallel with
    /// the feature `parallel`.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, Shape, World, narrowphase::{Hull, Sphere}, glam::Vec3};
    /// let tent = |x: f32| Hull::new(&[Vec3::X, Vec3::X * 2.0, Vec3::Y, Vec3::Z].map(|corner| corner + Vec3::X * x));
    /// let mut world = World::new();
    /// let ball = world.insert(Object::fixed(Sphere::new(Vec3::X * 9.0, 1.0)?));
    /// let mut answers = vec![];
    /// world.overlap_shape_batch(&[tent(0.0)?.into(), tent(7.0)?.into()], &Filter::ALL, &mut answers);
    /// assert_eq!(answers, [vec![], vec![ball.into()]]);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn overlap_shape_batch(
        &self,
        shapes: &[Shape],
        filters: &(impl Filters + ?Sized),
        answers: &mut Vec<Vec<Target>>,
    ) {
        batch(shapes, filters, answers, Vec::new(), |shape, filter| {
            let mut near = Vec::new();
            self.overlap_shape(shape, filter, &mut near);
            near
        });
    }

    fn touched_by_shape(&self, shape: &Shape, filter: &Filter, show: &mut Show<'_>) -> ControlFlow<()> {
        self.touched_planes(filter, |entry| shape.side_of(&entry.plane), show)?;
        let bounds = shape.aabb();
        let touches = |object: &Object| object.shape.overlaps(shape);
        self.touched_objects(filter, touches, show, |tree, visit| tree.overlap_aabb(&bounds, filter.mask(), visit))
    }
}
