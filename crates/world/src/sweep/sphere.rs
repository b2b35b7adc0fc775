//! Where a moving ball or capsule stops.

use crate::{
    Filter, Filters, SweptBody, World, WorldPlane,
    query::batch,
    shape::Convex,
    shape::way::{Filtered, Limit},
    sweep::candidates::SweepCandidates,
    sweep::swept_shape::Settles,
};
use cullide_narrowphase::{BodyWay, CapsuleSweep, SphereSweep, Sweep, glam::Vec3};

impl World {
    /// Appends the answer of [`World::sweep_sphere`] for each of `sweeps` to `answers`, in their order; in parallel
    /// with the feature `parallel`.
    pub fn sweep_sphere_batch(
        &self,
        sweeps: &[SphereSweep],
        filters: &(impl Filters + ?Sized),
        answers: &mut Vec<SweptBody>,
    ) {
        let empty = SweptBody { position: Vec3::ZERO, hit: None, overlap: None };
        batch(sweeps, filters, answers, empty, |sweep, filter| self.sweep_sphere(sweep, filter));
    }

    /// Returns how far a ball gets along its motion: a camera's arm, a projectile, a round character. As for
    /// [`World::sweep_box`], nothing stops it that it moves away from or along, a touch exactly at the end belongs to
    /// the next step, and of several things touched at the same time the one with the smallest key is reported. A ball
    /// of radius zero is a ray that stops in front of what it hits.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Aabb, Sphere, SphereSweep}, glam::Vec3};
    /// let mut world = World::new();
    /// let wall = world.insert(Object::fixed(Aabb::new(Vec3::new(4.0, -9.0, -9.0), Vec3::splat(9.0))?));
    /// // A camera that looks at the origin from as far away along +X as the wall lets it.
    /// let arm = SphereSweep::new(Sphere::new(Vec3::ZERO, 0.5)?, Vec3::X * 7.0)?;
    /// let swept = world.sweep_sphere(&arm, &Filter::ALL);
    /// let hit = swept.hit.unwrap();
    /// assert_eq!((hit.target, hit.toi, hit.normal), (wall.into(), 0.5, Vec3::NEG_X));
    /// assert!(swept.position.x <= 3.5 && swept.position.x > 3.499);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn sweep_sphere(&self, sweep: &SphereSweep, filter: &Filter) -> SweptBody {
        let against_plane = |entry: &WorldPlane| sweep.against_plane(&entry.plane, entry.sides);
        let against = (
            |part: Convex, limit: Limit, filtered| part.sweep_sphere(sweep, limit.until(), filtered),
            || Some(BodyWay::from(sweep)),
        );
        self.sweep_round(sweep.body(), sweep.motion(), filter, against_plane, against)
    }

    /// Appends the answer of [`World::sweep_capsule`] for each of `sweeps` to `answers`, in their order; in parallel
    /// with the feature `parallel`.
    pub fn sweep_capsule_batch(
        &self,
        sweeps: &[CapsuleSweep],
        filters: &(impl Filters + ?Sized),
        answers: &mut Vec<SweptBody>,
    ) {
        let empty = SweptBody { position: Vec3::ZERO, hit: None, overlap: None };
        batch(sweeps, filters, answers, empty, |sweep, filter| self.sweep_capsule(sweep, filter));
    }

    /// Returns how far a capsule gets along its motion, as [`World::sweep_box`] does for a box. The capsule does not
    /// turn.
    ///
    /// ```
    /// # use cullide_world::{Filter, Object, World, narrowphase::{Aabb, Capsule, CapsuleSweep}, glam::Vec3};
    /// let mut world = World::new();
    /// let wall = world.insert(Object::fixed(Aabb::new(Vec3::new(4.0, -9.0, -9.0), Vec3::splat(9.0))?));
    /// let hero = Capsule::new(Vec3::ZERO, Vec3::Y, 0.5)?;
    /// let swept = world.sweep_capsule(&CapsuleSweep::new(hero, Vec3::X * 7.0)?, &Filter::ALL);
    /// let hit = swept.hit.unwrap();
    /// assert_eq!((hit.target, hit.toi, hit.normal), (wall.into(), 0.5, Vec3::NEG_X));
    /// assert!(swept.position.x <= 3.5 && swept.position.x > 3.499);
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn sweep_capsule(&self, sweep: &CapsuleSweep, filter: &Filter) -> SweptBody {
        let against_plane = |entry: &WorldPlane| sweep.against_plane(&entry.plane, entry.sides);
        let against = (
            |part: Convex, limit: Limit, filtered| part.sweep_capsule(sweep, limit.until(), filtered),
            || Some(BodyWay::from(sweep)),
        );
        self.sweep_round(sweep.body(), sweep.motion(), filter, against_plane, against)
    }

    /// The same for any round body.
    fn sweep_round<B: Settles>(
        &self,
        start: &B,
        motion: Vec3,
        filter: &Filter,
        against_plane: impl Fn(&WorldPlane) -> Sweep,
        against: (impl Fn(Convex, Limit, Filtered) -> Sweep, impl Fn() -> Option<BodyWay>),
    ) -> SweptBody {
        let (way, mut candidates, mut body) = (start.way(motion), SweepCandidates::default(), *start);
        self.test_planes(&way, filter, against_plane, &mut candidates);
        self.test_objects(&way, [Vec3::ZERO; 2], start.extents(), filter, against, &mut candidates);
        self.settle_edge_normal(motion, filter, &mut candidates);
        self.stop(start, motion, filter, &mut body, &candidates);
        let (hit, overlap) = self.told(candidates);
        SweptBody { position: body.center(), hit, overlap }
    }
}
