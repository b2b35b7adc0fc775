//! Exchanges the shape of an object and keeps its pose.

use crate::{
    ObjectMut, Shape,
    scene::world::{Entry, Posed},
};
use cullide_narrowphase::{Error, Obb};

/// By this share of its edges a box may differ from another one and is still the same, rounded.
const ROUNDED: f32 = 4.0 * f32::EPSILON;

impl ObjectMut<'_> {
    /// Gives the object another shape at the [pose](crate::ObjectRef::transform) that it has, and returns the one before, as
    /// [`ObjectRef::model`](crate::ObjectRef::model) does. So a shape gets coarser far away, or a figure crouches, wherever it
    /// is and however it is turned. A box, a ball, a capsule and a cylinder are put with their centre where the pose is; any other
    /// shape is given in its own coordinates.
    ///
    /// A rigid body keeps its velocity.
    ///
    /// # Errors
    /// Those of [`ObjectMut::set_transform`], if the shape cannot be put there; then nothing has changed.
    ///
    /// ```
    /// # use cullide_world::{Mesh, Object, World, narrowphase::Hull, glam::{Quat, Vec3}};
    /// let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// let fine = Mesh::new(&corners, &[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])?;
    /// let coarse = Hull::new(&corners)?;
    /// let mut world = World::new();
    /// let (turn, place) = (Quat::from_rotation_y(0.5), Vec3::X * 9.0);
    /// let key = world.insert_at(Object::fixed(fine.clone()), turn, place)?;
    /// let mut rock = world.object_mut(key).unwrap();
    /// assert_eq!(rock.set_model(coarse.clone())?, fine.into());
    /// assert_eq!((rock.as_ref().transform(), rock.as_ref().model()), ((turn, place), Some(coarse.into())));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_model(&mut self, shape: impl Into<Shape>) -> Result<Shape, Error> {
        let entry = self.entry();
        let (had, model) = (entry.model()?, shape.into().model()?);
        if had == model || are_one_box(&had, &model) {
            return Ok(had);
        }
        let ((rotation, translation), proxy) = (entry.pose(), entry.proxy);
        let shape = model.transformed(rotation, translation)?;
        self.world.proxies.set(proxy, &shape.aabb());
        self.world.exchange_shape(self.slot, shape, Some(Box::new(Posed { model, rotation, translation })));
        Ok(had)
    }
}

impl Entry {
    /// Returns the shape that its pose takes to where it is.
    pub(super) fn model(&self) -> Result<Shape, Error> {
        self.model.as_ref().map_or_else(|| self.object.shape.model(), |posed| Ok(posed.model.clone()))
    }
}

/// Whether two boxes about their centres have the same edges, up to rounding.
fn are_one_box(one: &Shape, other: &Shape) -> bool {
    let edges = |shape: &Shape| match shape {
        Shape::Aabb(shape) => Some(Obb::from(shape).half_edges()),
        Shape::Obb(shape) => Some(shape.half_edges()),
        _ => None,
    };
    let Some((one, other)) = edges(one).zip(edges(other)) else { return false };
    one.into_iter().zip(other).all(|(one, other)| (one - other).length() <= ROUNDED * one.length())
}
