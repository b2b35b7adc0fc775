//! The nearest objects to a shape of any kind.

use crate::{
    Filter, Object, ObjectKey, Shape, ShapeDistance, Target, World,
    query::best::Best,
    shape::distance::{Measured, margin},
};
use cullide_bvh::Visit;

/// An object or a plane near a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NearShape {
    /// What it is.
    pub target: Target,
    /// How far the shape, the first of the two, is from it.
    pub distance: ShapeDistance,
}

impl World {
    /// What is nearest to a shape: see [`World::nearest`].
    pub(super) fn nearest_to_shape(
        &self,
        shape: &Shape,
        max_distance: f32,
        count: usize,
        filter: &Filter,
        near: &mut Vec<NearShape>,
    ) {
        if count == 0 || max_distance.is_nan() || max_distance < 0.0 {
            return;
        }
        let (measured, bounds) = (Measured::new(shape), shape.aabb());
        let order = |a: &NearShape, b: &NearShape| {
            a.distance.separation.total_cmp(&b.distance.separation).then(a.target.cmp(&b.target))
        };
        let (mut best, mut limit) = (Best::new(near, count, order), f64::from(max_distance));
        let mut offer = |target: Target, found: Option<ShapeDistance>, limit: &mut f64| {
            if let Some(distance) = found {
                best.offer(NearShape { target, distance });
                *limit = best.greatest().map_or(*limit, |last| last.distance.separation);
            }
        };
        for (key, entry) in self.planes().filter(|(_, entry)| filter.accepts_plane(entry.layers)) {
            offer(key.into(), measured.distance_to_plane(&entry.plane, entry.sides, limit), &mut limit);
        }
        let mut ask = |(key, object): (ObjectKey, &Object), limit: &mut f64| {
            if filter.accepts(key, object) {
                offer(key.into(), measured.distance(&object.shape, *limit), limit);
            }
        };
        for tree in self.trees(filter) {
            if let Some(leaf) = tree.lone_leaf() {
                let (key, object) = self.keyed_object(leaf);
                if filter.accepts_layers(object.layers) {
                    ask((key, object), &mut limit);
                }
                continue;
            }
            let margin = tree.bounds().map_or(0.0, |all| margin([&bounds, &all]));
            let within = |limit: f64| ((limit.max(0.0) + margin) as f32).next_up();
            tree.nearest_to_box(&bounds, within(limit), filter.mask(), |leaf, _| {
                ask(self.keyed_object(leaf), &mut limit);
                Visit::Within(within(limit))
            });
        }
        best.finish();
    }
}
