//! `rapier3d`: steps of rigid bodies between six walls.

use super::rapier_engine;
use crate::room_peer::{DT, Flyer, Found, HALF, HALF_EXTENTS, RoomPeer, WALLS};
use cullide_narrowphase::glam::{DQuat, DVec3};
use rapier3d::{
    math::{Pose, Real, Rotation, Vector},
    prelude::{
        ColliderBuilder, ColliderSet, Group, IntegrationParameters, InteractionGroups, InteractionTestMode,
        RigidBodyBuilder, RigidBodyHandle, RigidBodySet, SharedShape,
    },
};

/// The half thickness of a wall that is a slab, which is as thick as the room.
const SLAB: Real = HALF;

/// The groups of the walls and of the boxes, which collide only with walls.
const WALL: Group = Group::GROUP_1;
const FLYER: Group = Group::GROUP_2;

/// The engine, and the boxes in it.
pub struct Engine {
    engine: rapier_engine::Engine,
    handles: Vec<RigidBodyHandle>,
}

/// The infinite half-space behind a wall.
fn half_space(normal: Vector) -> ColliderBuilder {
    ColliderBuilder::new(SharedShape::halfspace(normal)).translation(normal * -HALF)
}

/// A slab in place of a half-space.
fn slab(normal: Vector) -> ColliderBuilder {
    let size = Vector::splat(HALF + 2.0 * SLAB) * (Vector::ONE - normal.abs()) + normal.abs() * SLAB;
    ColliderBuilder::cuboid(size.x, size.y, size.z).translation(normal * -(HALF + SLAB))
}

/// What its documentation recommends for fast bodies: continuous collision detection for each.
fn bullet(_: &Flyer) -> RigidBodyBuilder {
    RigidBodyBuilder::dynamic().ccd_enabled(true)
}

impl Engine {
    /// Half-spaces, and `ccd_enabled`.
    pub fn continuous(flyers: &[Flyer]) -> Self {
        Self::new(flyers, half_space, bullet)
    }

    /// Thick boxes as walls, since the sweeps of its continuous collision detection ignore half-spaces.
    pub fn slabs(flyers: &[Flyer]) -> Self {
        Self::new(flyers, slab, bullet)
    }

    /// The same, with contacts that look ahead as far as a box flies in a step: its soft continuous collision
    /// detection. Four substeps of the hard one, which make up for what sweeps cut off, took four times as long and
    /// lost four times as many boxes as this.
    pub fn slabs_ahead(flyers: &[Flyer]) -> Self {
        Self::new(flyers, slab, |flyer| bullet(flyer).soft_ccd_prediction(flyer.velocity.length() * DT))
    }

    /// Half-spaces, without continuous collision detection.
    pub fn discrete(flyers: &[Flyer]) -> Self {
        let mut engine = Self::new(flyers, half_space, |_| RigidBodyBuilder::dynamic());
        engine.engine.params.max_ccd_substeps = 0;
        engine
    }

    fn new(
        flyers: &[Flyer],
        wall: impl Fn(Vector) -> ColliderBuilder,
        body: impl Fn(&Flyer) -> RigidBodyBuilder,
    ) -> Self {
        let (mut bodies, mut colliders) = (RigidBodySet::new(), ColliderSet::new());
        let only = |own, others| InteractionGroups::new(own, others, InteractionTestMode::And);
        let bouncy = |collider: ColliderBuilder| collider.restitution(1.0).friction(0.0);
        for normal in WALLS {
            let wall = wall(Vector::from_array(normal.to_array()));
            colliders.insert(bouncy(wall).collision_groups(only(WALL, FLYER)));
        }
        let [x, y, z] = HALF_EXTENTS.to_array();
        let collider = bouncy(ColliderBuilder::cuboid(x, y, z)).collision_groups(only(FLYER, WALL));
        let mut handles = Vec::new();
        for flyer in flyers {
            let [center, velocity, spin] =
                [flyer.center, flyer.velocity, flyer.spin].map(|v| Vector::from_array(v.to_array()));
            let pose = Pose::from_parts(center, Rotation::from_array(flyer.rotation.to_array()));
            let body = body(flyer).pose(pose).linvel(velocity).angvel(spin);
            // Its limit of an eighth of a turn per step would be reached after some bounces.
            let handle = bodies.insert(body.can_sleep(false).allow_fast_rotation(true));
            colliders.insert_with_parent(collider.clone(), handle, &mut bodies);
            handles.push(handle);
        }
        // Without its limit of 400 units per second.
        let params = IntegrationParameters { dt: DT, normalized_max_linear_velocity: Real::MAX, ..Default::default() };
        Self { engine: rapier_engine::Engine::new(bodies, colliders, params), handles }
    }
}

impl RoomPeer for Engine {
    fn step(&mut self) {
        self.engine.step(Vector::ZERO);
    }

    fn boxes(&self) -> Vec<Found> {
        let wide = |v: Vector| DVec3::from(v.to_array().map(f64::from));
        let found = |handle: &RigidBodyHandle| {
            let body = &self.engine.bodies[*handle];
            let rotation = DQuat::from_array(body.rotation().to_array().map(f64::from)).normalize();
            let axes = [DVec3::X, DVec3::Y, DVec3::Z];
            Found {
                center: wide(body.translation()),
                half_edges: std::array::from_fn(|i| rotation * axes[i] * f64::from(HALF_EXTENTS[i])),
                velocity: wide(body.linvel()),
                spin: wide(body.angvel()),
            }
        };
        self.handles.iter().map(found).collect()
    }
}
