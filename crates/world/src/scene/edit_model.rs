//! Exchanges the shape of an object and keeps its pose.

use crate::{
    ObjectKey, Shape, World,
    scene::world::{Entry, Posed},
};
use cullide_narrowphase::{Error, Obb};

/// By this share of its edges a box may differ from another one and is still the same, rounded.
const ROUNDED: f32 = 4.0 * f32::EPSILON;

impl World {
    /// Gives an object another shape at the [pose](World::transform) that it has, and returns the one before, as
    /// [`World::model`] does; `None` for a stale key. So a shape gets coarser far away, or a figure crouches, wherever it
    /// is and however it is turned. A box, a ball and a capsule are put with their centre where the pose is; any other
    /// shape is given in its own coordinates.
    ///
    /// The shape that the object has already is no edit, and nobody wakes, so an engine may write it in every frame. A
    /// rigid body keeps its velocity.
    ///
    /// # Errors
    /// Those of [`World::set_transform`], if the shape cannot be put there; then nothing has changed.
    ///
    /// ```
    /// # use cullide_world::{Mesh, Object, World, narrowphase::Hull, glam::{Quat, Vec3}};
    /// let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// let fine = Mesh::new(&corners, &[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])?;
    /// let coarse = Hull::new(&corners)?;
    /// let mut world = World::new();
    /// let rock = world.insert(Object::fixed(fine.clone()));
    /// let (turn, place) = (Quat::from_rotation_y(0.5), Vec3::X * 9.0);
    /// world.set_transform(rock, turn, place)?;
    /// assert_eq!(world.set_model(rock, coarse.clone())?, Some(fine.into()));
    /// assert_eq!((world.transform(rock), world.model(rock)), (Some((turn, place)), Some(coarse.into())));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_model(&mut self, key: ObjectKey, shape: impl Into<Shape>) -> Result<Option<Shape>, Error> {
        let Some(slot) = key.slot(self.id) else { return Ok(None) };
        let Some(entry) = self.objects.get(slot) else { return Ok(None) };
        let (had, model) = (entry.model()?, shape.into().model()?);
        if had == model || are_one_box(&had, &model) {
            return Ok(Some(had));
        }
        let (rotation, translation) = entry.pose();
        let shape = model.transformed(rotation, translation)?;
        self.proxies.set(entry.proxy, &shape.aabb());
        self.exchange_shape(slot, shape, Some(Box::new(Posed { model, rotation, translation })));
        Ok(Some(had))
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
