//! Queries of the collision world, answered by entity.

use crate::{
    Collider, Physics, PointProjection, RayHitData, ShapeCastConfig, ShapeHitData, SpatialQueryFilter, collider::Form,
};
use bevy_ecs::{prelude::*, system::SystemParam};
use bevy_math::{Dir3, Quat, Vec3};
use cullide_world::{
    Filter, Near, NearShape, Object, ObjectKey, Shape, ShapeSweep, Target, World,
    narrowphase::{Aabb, Frustum, MAX_COORDINATE, Ray, Segment},
};

/// Queries of the collision world, as it was left by the last fixed tick.
///
/// Of a body with several colliders, hits name the collider, and lists name the body. What a game has put into the world
/// without an entity is in the way, but is not told: [`SpatialQuery::world`] has every query of the library, also for
/// that, and [`SpatialQuery::physics`] tells the entities of its answers.
///
/// ```
/// use bevy_cullide::prelude::*;
/// use bevy_ecs::prelude::*;
/// use bevy_math::{Dir3, Vec3};
/// fn look_down(query: SpatialQuery) {
///     let filter = SpatialQueryFilter::default();
///     if let Some(hit) = query.cast_ray(Vec3::Y * 10.0, Dir3::NEG_Y, 100.0, true, &filter) {
///         println!("{} at {} with normal {}", hit.entity, hit.distance, hit.normal);
///     }
/// }
/// # bevy_ecs::system::assert_is_system(look_down);
/// ```
#[derive(SystemParam, Debug)]
pub struct SpatialQuery<'w> {
    physics: Res<'w, Physics>,
}

type Predicate<'a> = dyn Fn(Entity) -> bool + Sync + 'a;

impl SpatialQuery<'_> {
    /// The collision world, with every query of the library.
    pub fn world(&self) -> &World {
        &self.physics.world
    }

    /// The resource, which tells the entities of the world's answers: [`Physics::entity`].
    pub fn physics(&self) -> &Physics {
        &self.physics
    }

    /// The library's filter, for queries of the [world](SpatialQuery::world).
    pub fn filter(&self, filter: &SpatialQueryFilter) -> Filter<'static> {
        let excluded = filter.excluded_entities.iter().filter_map(|entity| self.physics.key(*entity));
        match filter.excluded_entities.is_empty() {
            true => Filter::layers(filter.mask.0),
            false => Filter::layers(filter.mask.0).without(&excluded.collect::<Vec<_>>()),
        }
    }

    /// Calls with the filter and a predicate on entities.
    fn with<R>(
        &self,
        filter: &SpatialQueryFilter,
        predicate: Option<&Predicate>,
        call: impl FnOnce(&Filter) -> R,
    ) -> R {
        let filter = self.filter(filter);
        let Some(predicate) = predicate else { return call(&filter) };
        let holds = |_: ObjectKey, object: &Object| Entity::try_from_bits(object.user).is_some_and(predicate);
        call(&filter.only(&holds))
    }

    /// Returns the first collider on a ray; `None` also for a ray whose numbers are not finite. A solid one is met at
    /// once by a ray that starts inside, any other where the ray leaves it.
    pub fn cast_ray(
        &self,
        origin: Vec3,
        direction: Dir3,
        max_distance: f32,
        solid: bool,
        filter: &SpatialQueryFilter,
    ) -> Option<RayHitData> {
        self.first_on_ray(origin, direction, max_distance, solid, filter, None)
    }

    /// The same among entities (the body, of one with several colliders) for which a predicate holds.
    pub fn cast_ray_predicate(
        &self,
        origin: Vec3,
        direction: Dir3,
        max_distance: f32,
        solid: bool,
        filter: &SpatialQueryFilter,
        predicate: &Predicate,
    ) -> Option<RayHitData> {
        self.first_on_ray(origin, direction, max_distance, solid, filter, Some(predicate))
    }

    fn first_on_ray(
        &self,
        origin: Vec3,
        direction: Dir3,
        max_distance: f32,
        solid: bool,
        filter: &SpatialQueryFilter,
        predicate: Option<&Predicate>,
    ) -> Option<RayHitData> {
        let ray = Ray::new(origin, *direction).ok()?;
        self.with(filter, predicate, |filter| {
            let hit = self.world().cast_ray(&ray, max_distance, filter)?;
            if solid || !hit.inside {
                return self.ray_hit(&hit);
            }
            let mut hits = Vec::new();
            self.world().cast_ray_all(&ray, max_distance, filter, &mut hits);
            let hits = hits.iter().filter_map(|hit| self.hollow(&ray, max_distance, hit));
            hits.min_by(|a, b| a.distance.total_cmp(&b.distance))
        })
    }

    /// Returns the colliders on a ray, nearest first, no more than `max_hits`.
    pub fn ray_hits(
        &self,
        origin: Vec3,
        direction: Dir3,
        max_distance: f32,
        max_hits: u32,
        solid: bool,
        filter: &SpatialQueryFilter,
    ) -> Vec<RayHitData> {
        let Ok(ray) = Ray::new(origin, *direction) else { return Vec::new() };
        let mut hits = Vec::new();
        self.world().cast_ray_all(&ray, max_distance, &self.filter(filter), &mut hits);
        let hits = hits.iter().filter_map(|hit| match solid {
            true => self.ray_hit(hit),
            false => self.hollow(&ray, max_distance, hit),
        });
        let mut hits: Vec<RayHitData> = hits.collect();
        if !solid {
            hits.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        }
        hits.truncate(max_hits as usize);
        hits
    }

    /// Calls with each collider on a ray, nearest first, until the callback returns `false`.
    pub fn ray_hits_callback(
        &self,
        origin: Vec3,
        direction: Dir3,
        max_distance: f32,
        solid: bool,
        filter: &SpatialQueryFilter,
        callback: impl FnMut(RayHitData) -> bool,
    ) {
        let hits = self.ray_hits(origin, direction, max_distance, u32::MAX, solid, filter);
        let _ = hits.into_iter().all(callback);
    }

    /// Returns the first collider on each of many rays, on all threads.
    pub fn cast_ray_batch(
        &self,
        rays: &[(Vec3, Dir3)],
        max_distance: f32,
        filter: &SpatialQueryFilter,
    ) -> Vec<Option<RayHitData>> {
        // A ray whose numbers are not finite hits nothing, like one behind all.
        let given: Vec<Option<Ray>> = rays.iter().map(|(origin, way)| Ray::new(*origin, **way).ok()).collect();
        let valid: Vec<Ray> = given.iter().flatten().cloned().collect();
        let mut hits = Vec::new();
        self.world().cast_ray_batch(&valid, max_distance, &self.filter(filter), &mut hits);
        let mut hits = hits.into_iter();
        let mut next = || self.ray_hit(&hits.next()??);
        given.iter().map(|ray| ray.as_ref().and_then(|_| next())).collect()
    }

    /// Whether nothing is between two points.
    pub fn line_of_sight(&self, from: Vec3, to: Vec3, filter: &SpatialQueryFilter) -> bool {
        Segment::new(from, to).is_ok_and(|line| !self.world().any_segment_hit(&line, &self.filter(filter)))
    }

    /// Returns what a shape meets first on its way; `None` also for a shape that cannot move, such as a mesh.
    pub fn cast_shape(
        &self,
        shape: &Collider,
        origin: Vec3,
        shape_rotation: Quat,
        direction: Dir3,
        config: &ShapeCastConfig,
        filter: &SpatialQueryFilter,
    ) -> Option<ShapeHitData> {
        self.first_on_way(shape, origin, shape_rotation, direction, config, filter, None)
    }

    /// The same among entities (the body, of one with several colliders) for which a predicate holds.
    pub fn cast_shape_predicate(
        &self,
        shape: &Collider,
        origin: Vec3,
        shape_rotation: Quat,
        direction: Dir3,
        config: &ShapeCastConfig,
        filter: &SpatialQueryFilter,
        predicate: &Predicate,
    ) -> Option<ShapeHitData> {
        self.first_on_way(shape, origin, shape_rotation, direction, config, filter, Some(predicate))
    }

    fn first_on_way(
        &self,
        shape: &Collider,
        origin: Vec3,
        shape_rotation: Quat,
        direction: Dir3,
        config: &ShapeCastConfig,
        filter: &SpatialQueryFilter,
        predicate: Option<&Predicate>,
    ) -> Option<ShapeHitData> {
        let shape = placed(shape, origin, shape_rotation)?;
        let motion = motion(origin, direction, config);
        let sweep = ShapeSweep::new(&shape, motion).ok()?;
        self.with(filter, predicate, |filter| {
            let mut filter = filter.clone();
            if config.ignore_origin_penetration {
                let overlapped = self.overlapped(&shape, &filter);
                filter = filter.without(&overlapped);
            }
            let swept = self.world().sweep(&sweep, &filter);
            if let Some(overlap) = swept.overlap {
                return self.overlap_hit(overlap.target, overlap.part, overlap.surface, origin, overlap.normal);
            }
            self.shape_hit(&swept.hit?, motion.length())
        })
    }

    /// Returns what a shape meets on its way if nothing stops it, nearest first, no more than `max_hits`. What it overlaps
    /// at the start is met at a distance of 0, the deepest first, unless the configuration ignores it.
    pub fn shape_hits(
        &self,
        shape: &Collider,
        origin: Vec3,
        shape_rotation: Quat,
        direction: Dir3,
        max_hits: u32,
        config: &ShapeCastConfig,
        filter: &SpatialQueryFilter,
    ) -> Vec<ShapeHitData> {
        let Some(shape) = placed(shape, origin, shape_rotation) else { return Vec::new() };
        let motion = motion(origin, direction, config);
        let Ok(sweep) = ShapeSweep::new(&shape, motion) else { return Vec::new() };
        let (filter, mut hits, mut near) = (self.filter(filter), Vec::new(), Vec::new());
        self.world().sweep_all(&sweep, &filter, &mut hits);
        if !config.ignore_origin_penetration {
            self.world().nearest(&shape, 0.0, usize::MAX, &filter, &mut near);
        }
        // By rounding, what touches the shape may be both.
        let overlaps = near
            .iter()
            .filter(|near| near.distance.separation < 0.0 && !hits.iter().any(|hit| hit.target == near.target));
        let overlaps = overlaps.filter_map(|NearShape { target, distance, .. }| {
            self.overlap_hit(*target, distance.parts[1], distance.surfaces[1], origin, distance.normal.as_vec3())
        });
        let hits = overlaps.chain(hits.iter().filter_map(|hit| self.shape_hit(hit, motion.length())));
        hits.take(max_hits as usize).collect()
    }

    /// Calls with what a shape meets on its way if nothing stops it, nearest first, until the callback returns `false`.
    pub fn shape_hits_callback(
        &self,
        shape: &Collider,
        origin: Vec3,
        shape_rotation: Quat,
        direction: Dir3,
        config: &ShapeCastConfig,
        filter: &SpatialQueryFilter,
        callback: impl FnMut(ShapeHitData) -> bool,
    ) {
        let hits = self.shape_hits(shape, origin, shape_rotation, direction, u32::MAX, config, filter);
        let _ = hits.into_iter().all(callback);
    }

    /// Returns the point of all colliders that is nearest to another point. That of a solid one around the point is the
    /// point itself, any other's is on its surface.
    pub fn project_point(&self, point: Vec3, solid: bool, filter: &SpatialQueryFilter) -> Option<PointProjection> {
        self.nearest_of(point, solid, filter, None)
    }

    /// The same among entities (the body, of one with several colliders) for which a predicate holds.
    pub fn project_point_predicate(
        &self,
        point: Vec3,
        solid: bool,
        filter: &SpatialQueryFilter,
        predicate: &Predicate,
    ) -> Option<PointProjection> {
        self.nearest_of(point, solid, filter, Some(predicate))
    }

    fn nearest_of(
        &self,
        point: Vec3,
        solid: bool,
        filter: &SpatialQueryFilter,
        predicate: Option<&Predicate>,
    ) -> Option<PointProjection> {
        let mut near = Vec::new();
        self.with(filter, predicate, |filter| self.world().nearest(point, f32::INFINITY, 1, filter, &mut near));
        self.projection(point, solid, near.first()?)
    }

    /// Returns the `count` colliders nearest to a point and no farther than `max_distance`, nearest first.
    pub fn nearest(
        &self,
        point: Vec3,
        max_distance: f32,
        count: usize,
        filter: &SpatialQueryFilter,
    ) -> Vec<PointProjection> {
        let mut near = Vec::new();
        self.world().nearest(point, max_distance, count, &self.filter(filter), &mut near);
        near.iter().filter_map(|near| self.projection(point, true, near)).collect()
    }

    /// Returns what contains a point.
    pub fn point_intersections(&self, point: Vec3, filter: &SpatialQueryFilter) -> Vec<Entity> {
        let mut targets = Vec::new();
        self.world().overlap(&point, &self.filter(filter), &mut targets);
        self.owners(&targets)
    }

    /// Calls with what contains a point, until the callback returns `false`.
    pub fn point_intersections_callback(
        &self,
        point: Vec3,
        filter: &SpatialQueryFilter,
        callback: impl FnMut(Entity) -> bool,
    ) {
        let _ = self.point_intersections(point, filter).into_iter().all(callback);
    }

    /// Returns the colliders that overlap a box: their shapes, not only their boxes. `None`, as [`Collider::aabb`] is of a
    /// half-space, overlaps nothing.
    pub fn aabb_intersections_with_aabb(&self, aabb: impl Into<Option<Aabb>>) -> Vec<Entity> {
        let Some(aabb) = aabb.into() else { return Vec::new() };
        let mut targets = Vec::new();
        self.world().overlap(&aabb, &Filter::ALL, &mut targets);
        self.owners(&targets)
    }

    /// Calls with the colliders that overlap a box, until the callback returns `false`.
    pub fn aabb_intersections_with_aabb_callback(
        &self,
        aabb: impl Into<Option<Aabb>>,
        callback: impl FnMut(Entity) -> bool,
    ) {
        let _ = self.aabb_intersections_with_aabb(aabb).into_iter().all(callback);
    }

    /// Returns what a shape overlaps.
    pub fn shape_intersections(
        &self,
        shape: &Collider,
        shape_position: Vec3,
        shape_rotation: Quat,
        filter: &SpatialQueryFilter,
    ) -> Vec<Entity> {
        let Some(shape) = placed(shape, shape_position, shape_rotation) else { return Vec::new() };
        let mut targets = Vec::new();
        self.world().overlap(&shape, &self.filter(filter), &mut targets);
        self.owners(&targets)
    }

    /// Calls with what a shape overlaps, until the callback returns `false`.
    pub fn shape_intersections_callback(
        &self,
        shape: &Collider,
        shape_position: Vec3,
        shape_rotation: Quat,
        filter: &SpatialQueryFilter,
        callback: impl FnMut(Entity) -> bool,
    ) {
        let _ = self.shape_intersections(shape, shape_position, shape_rotation, filter).into_iter().all(callback);
    }

    /// Returns what a camera sees.
    pub fn frustum_intersections(&self, frustum: &Frustum, filter: &SpatialQueryFilter) -> Vec<Entity> {
        let mut visible = Vec::new();
        self.world().cull(frustum, &self.filter(filter), &mut visible);
        visible.into_iter().filter_map(|key| self.physics.owner(key.into())).collect()
    }

    fn owners(&self, targets: &[Target]) -> Vec<Entity> {
        targets.iter().filter_map(|target| self.physics.owner(*target)).collect()
    }

    fn overlapped(&self, shape: &Shape, filter: &Filter) -> Vec<ObjectKey> {
        let mut targets = Vec::new();
        self.world().overlap(shape, filter, &mut targets);
        targets.into_iter().filter_map(Target::object).collect()
    }

    fn ray_hit(&self, hit: &cullide_world::RayHit) -> Option<RayHitData> {
        Some(RayHitData {
            entity: self.physics.entity(hit.target, hit.part)?,
            distance: hit.distance,
            normal: hit.normal,
            part: hit.part,
            surface: hit.surface,
            exit: hit.exit,
        })
    }

    /// A hit of a shape without an inside: where the ray leaves it, if it starts there.
    fn hollow(&self, ray: &Ray, max_distance: f32, hit: &cullide_world::RayHit) -> Option<RayHitData> {
        let data = self.ray_hit(hit)?;
        if !hit.inside {
            return Some(data);
        }
        if hit.exit >= max_distance {
            return None;
        }
        // The same surface from outside.
        let beyond = hit.exit + (hit.exit * 1e-3).max(1e-3);
        let back = Ray::new(ray.origin() + ray.direction() * beyond, -ray.direction()).ok()?;
        let only = |key: ObjectKey, _: &Object| Target::Object(key) == hit.target;
        let there = self.world().cast_ray(&back, beyond, &Filter::ALL.only(&only))?;
        Some(RayHitData { distance: hit.exit, normal: -there.normal, part: there.part, surface: there.surface, ..data })
    }

    fn shape_hit(&self, hit: &cullide_world::ShapeHit, way: f32) -> Option<ShapeHitData> {
        Some(ShapeHitData {
            entity: self.physics.entity(hit.target, hit.part)?,
            distance: hit.toi * way,
            point1: hit.point,
            normal1: hit.normal,
            part: hit.part,
            surface: hit.surface,
        })
    }

    /// What a shape overlaps at its start.
    fn overlap_hit(
        &self,
        target: Target,
        part: u32,
        surface: u16,
        origin: Vec3,
        normal1: Vec3,
    ) -> Option<ShapeHitData> {
        let entity = self.physics.entity(target, part)?;
        Some(ShapeHitData { entity, distance: 0.0, point1: origin, normal1, part, surface })
    }

    fn projection(&self, point: Vec3, solid: bool, near: &Near) -> Option<PointProjection> {
        let is_inside = near.separation < 0.0 || near.point == point;
        let point = if is_inside && !solid { point - near.normal * near.separation } else { near.point };
        Some(PointProjection {
            entity: self.physics.entity(near.target, near.part)?,
            point,
            is_inside,
            normal: near.normal,
            separation: near.separation,
            part: near.part,
            surface: near.surface,
        })
    }
}

fn placed(shape: &Collider, position: Vec3, rotation: Quat) -> Option<Shape> {
    let Ok(Form::Shape(shape)) = &shape.0 else { return None };
    shape.transformed(rotation, position).ok()
}

/// The motion, within the range of coordinates.
fn motion(origin: Vec3, direction: Dir3, config: &ShapeCastConfig) -> Vec3 {
    let most = 0.5 * MAX_COORDINATE - origin.abs().max_element();
    *direction * config.max_distance.min(most).max(0.0)
}
