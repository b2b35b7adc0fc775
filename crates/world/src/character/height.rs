//! Crouching and standing up: a change of height with the feet in place.

use crate::{
    Character, Filter, Mover, World,
    sweep::{origin::Origin, slide::Slides},
};
use cullide_narrowphase::{
    Capsule, Error, Obb,
    glam::{DVec3, Vec3},
};

/// What rounding moves a body by, as a share of its coordinates and size.
const ROUNDING: f32 = 8.0 * f32::EPSILON;

impl Character<Obb> {
    /// Changes the height of its box along [`Mover::up`], with its lower side where it is: to crouch, and to stand up.
    ///
    /// Returns whether it did. A box that gets higher needs room above, and otherwise stays as it is. One that gets
    /// lower always has room.
    ///
    /// The most upright of its edges changes its length.
    ///
    /// # Errors
    /// [`Error::NonFinite`] for a height or an up that is not finite; [`Error::OutOfRange`] for a height that a box
    /// with these other edges cannot have.
    ///
    /// ```
    /// # use cullide_world::{Character, Filter, Mover, Object, World, narrowphase::{Aabb, Obb}, glam::{Quat, Vec3}};
    /// let mut world = World::new();
    /// // A duct 1.2 high.
    /// let roof = world.insert(Object::fixed(Aabb::new(Vec3::new(-9.0, 1.2, -9.0), Vec3::new(9.0, 2.0, 9.0))?));
    /// let crouched = Obb::new(Vec3::Y * 0.5, Quat::IDENTITY, Vec3::new(0.3, 0.5, 0.3))?;
    /// let (mut hero, mover) = (Character::new(crouched), Mover::default());
    /// assert!(!hero.set_height(&world, &mover, 1.8, &Filter::ALL)? && hero.body == crouched);
    /// world.remove(roof);
    /// assert!(hero.set_height(&world, &mover, 1.8, &Filter::ALL)? && hero.position() == Vec3::Y * 0.9);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn set_height(&mut self, world: &World, mover: &Mover, height: f32, filter: &Filter) -> Result<bool, Error> {
        let (up, half) = halved(mover, height)?;
        let mut edges = self.body.half_edges();
        let rise = |edge: &Vec3| edge.as_dvec3().dot(up).abs();
        let upright = (0..3).max_by(|i, j| rise(&edges[*i]).total_cmp(&rise(&edges[*j]))).unwrap_or(0);
        let others: f64 = (0..3).filter(|i| *i != upright).map(|i| rise(&edges[i])).sum();
        let old = edges[upright].as_dvec3();
        let new = old * ((half - others) / rise(&edges[upright]));
        if !new.is_finite() || half <= others {
            return Err(Error::OutOfRange { field: "height" });
        }
        edges[upright] = new.as_vec3();
        let center = raised(self.body.center(), old, new, up);
        Ok(put(self, world, Obb::from_half_edges(center, edges)?, filter))
    }
}

impl Character<Capsule> {
    /// Changes the height of its capsule along [`Mover::up`], with its lower end where it is, as
    /// [`set_height`](Character::<Obb>::set_height) does for a box. Its radius stays the same; at a height of twice the
    /// radius it is a ball.
    ///
    /// # Errors
    /// [`Error::NonFinite`] for a height or an up that is not finite; [`Error::OutOfRange`] for a height below twice
    /// its radius, and for a capsule that lies on its side.
    ///
    /// ```
    /// # use cullide_world::{Character, Filter, Mover, World, narrowphase::Capsule, glam::Vec3};
    /// let mut hero = Character::new(Capsule::new(Vec3::Y * 0.25, Vec3::Y * 1.75, 0.25)?);
    /// assert!(hero.set_height(&World::new(), &Mover::default(), 1.0, &Filter::ALL)?);
    /// assert_eq!(hero.body, Capsule::new(Vec3::Y * 0.25, Vec3::Y * 0.75, 0.25)?);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn set_height(&mut self, world: &World, mover: &Mover, height: f32, filter: &Filter) -> Result<bool, Error> {
        let (up, half) = halved(mover, height)?;
        let (old, radius) = (self.body.half_axis().as_dvec3(), f64::from(self.body.radius()));
        // A ball has no axis yet.
        let direction = if old == DVec3::ZERO { up } else { old };
        let new = direction * ((half - radius) / direction.dot(up).abs());
        if !new.is_finite() || half < radius {
            return Err(Error::OutOfRange { field: "height" });
        }
        let center = raised(self.body.center(), old, new, up);
        let body = Capsule::from_half_axis(center, new.as_vec3(), self.body.radius())?;
        Ok(put(self, world, body, filter))
    }
}

/// Gives a character a body, if the body is lower than the present one or overlaps nothing.
fn put<B: Slides>(character: &mut Character<B>, world: &World, body: B, filter: &Filter) -> bool {
    let others = character.without_own(filter);
    let filter = others.as_ref().unwrap_or(filter);
    let size = body.center().abs().max_element() + body.extents().max_element();
    // Its feet may have been rounded into the floor.
    let rounding = ROUNDING * size;
    let is_near = |end: &B| end.center().distance(body.center()) <= rounding;
    let free = world.recovered_by(&body, filter, &mut |end| is_near(end).then_some(*end)).filter(is_near);
    // A ceiling keeps it on the side where it was, even if its new centre would lie behind it.
    let deepest = |end: &B| world.deepest(end, Origin::Pushed(&character.body), filter);
    let free = free.filter(|end| deepest(end).is_none_or(|(gap, _)| gap.separation >= -f64::from(rounding)));
    let is_lower = body.extents().cmple(character.body.extents()).all();
    let Some(body) = free.or(is_lower.then_some(body)) else { return false };
    character.body = body;
    true
}

/// Up as a unit vector, and half of a height.
fn halved(mover: &Mover, height: f32) -> Result<(DVec3, f64), Error> {
    if !mover.up.is_finite() {
        return Err(Error::NonFinite { field: "up" });
    }
    if !height.is_finite() {
        return Err(Error::NonFinite { field: "height" });
    }
    Ok((mover.unit_up().as_dvec3(), 0.5 * f64::from(height)))
}

/// The centre of a body whose half axis changes while its lower end stays in place.
fn raised(center: Vec3, old: DVec3, new: DVec3, up: DVec3) -> Vec3 {
    let sign = if new.dot(up) < 0.0 { -1.0 } else { 1.0 };
    (center.as_dvec3() + (new - old) * sign).as_vec3()
}
