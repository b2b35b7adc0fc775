//! `rapier3d`: its broadphase, without the rest of the engine.

use crate::{moving_peer::MovingPeer, neighbours::Neighbours, peer::Bounds};
use rapier3d::{
    math::Vector,
    prelude::{
        Aabb, ActiveCollisionTypes, BroadPhaseBvh, BroadPhasePairEvent, ColliderBuilder, ColliderHandle, ColliderSet,
        IntegrationParameters, RigidBodySet,
    },
};

/// The broadphase, and the pairs that follow from its events.
pub struct BroadPhase {
    phase: BroadPhaseBvh,
    params: IntegrationParameters,
    /// The broadphase reads only their filters; boxes are passed by `set_aabb`.
    colliders: ColliderSet,
    bodies: RigidBodySet,
    handles: Vec<ColliderHandle>,
    events: Vec<BroadPhasePairEvent>,
    pairs: Neighbours,
}

impl BroadPhase {
    /// With the default margin, 0.04.
    pub fn fixed_margin(boxes: &[Bounds]) -> Self {
        Self::new(BroadPhaseBvh::new(), boxes)
    }

    /// With a margin of an eighth of each box's least extent.
    pub fn adaptive_margin(boxes: &[Bounds]) -> Self {
        let mut phase = BroadPhaseBvh::new();
        phase.adaptive_change_detection_margin = true;
        Self::new(phase, boxes)
    }

    fn new(phase: BroadPhaseBvh, boxes: &[Bounds]) -> Self {
        // Colliders without bodies count as fixed, and two fixed ones do not pair unless they ask for it.
        let collider = ColliderBuilder::ball(0.5).active_collision_types(ActiveCollisionTypes::all());
        let mut colliders = ColliderSet::new();
        let handles: Vec<_> = boxes.iter().map(|_| colliders.insert(collider.clone())).collect();
        let mut new = Self {
            phase,
            params: IntegrationParameters::default(),
            colliders,
            bodies: RigidBodySet::new(),
            handles,
            events: Vec::new(),
            pairs: Neighbours::new(boxes.len()),
        };
        let all: Vec<(u32, Bounds)> = (0..).zip(boxes.iter().copied()).collect();
        new.frame(&all);
        new
    }
}

impl MovingPeer for BroadPhase {
    fn frame(&mut self, moved: &[(u32, Bounds)]) {
        for (index, bounds) in moved {
            self.phase.set_aabb(&self.params, self.handles[*index as usize], aabb(bounds));
        }
        self.events.clear();
        self.phase.update(&self.params, &self.colliders, &self.bodies, &[], &[], &mut self.events);
        for event in &self.events {
            match event {
                BroadPhasePairEvent::AddPair(pair) => self.pairs.link(index(pair.collider1), index(pair.collider2)),
                BroadPhasePairEvent::DeletePair(pair) => {
                    self.pairs.unlink(index(pair.collider1), index(pair.collider2))
                }
            }
        }
    }

    fn pairs(&self, out: &mut Vec<(u32, u32)>) {
        self.pairs.append_to(out);
    }
}

/// Colliders are numbered in the order of insertion.
fn index(handle: ColliderHandle) -> u32 {
    handle.into_raw_parts().0
}

#[inline(always)]
fn aabb(bounds: &Bounds) -> Aabb {
    let [min, max] = bounds.map(Vector::from_array);
    Aabb::new(min, max)
}
