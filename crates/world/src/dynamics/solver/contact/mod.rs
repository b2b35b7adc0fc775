//! Eight contacts in the form that the solver takes: one number per lane.
//!
//! Source: Catto, "Solver2D", 2024 (sub-steps); Gregorius, "Robust Contact Creation for
//! Physics Simulations", GDC 2015 (friction at the middle of a manifold).

mod prepare;
mod rebound;
mod solve;

use super::lanes::{LANES, Row, Simd, Symmetric, Vec3x8, f32x8, gather, load, scatter, splat, sqrt};
use crate::{Material, contact::Impulses};
use cullide_narrowphase::{ManifoldPoint, Mapped, glam::Vec3};
pub(super) use solve::{Limits, PassOrder, Since};

/// The greatest number of points of a manifold.
pub(super) const POINTS: usize = 4;

/// One contact, before it gets a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane<'a> {
    /// Rows of the two bodies; that of something fixed has no mass.
    pub(super) bodies: [u32; 2],
    /// Unit vector from the first to the second.
    pub(super) normal: Vec3,
    /// The combination of the two bodies' materials.
    pub(super) material: Material,
    /// A length: rolling is resisted with a torque of up to this times the pressing force.
    pub(super) resistance: f32,
    pub(super) points: &'a [ManifoldPoint],
    /// From the centre of mass of each to the points at the moment of a first touch, when what they touch with has
    /// turned; `None` if that is where the points are.
    pub(super) arms: Option<&'a [[Vec3; 2]]>,
    /// From the centre of mass of each to the origin of the points' offsets; `None` for something fixed.
    pub(super) origins: [Option<Vec3>; 2],
    /// The radius with which each body rolls there: this much of the offset of a point along the normal does not turn
    /// with the body. Infinite for all of it.
    pub(super) rolling: [f32; 2],
    /// Whether the second is a surface of triangles, or another composite.
    pub(super) is_of_surface: bool,
    /// Those of the last step.
    pub(super) impulses: &'a Impulses,
}

/// A body, as the solver takes it: rows of velocity, angular velocity and two unused numbers.
#[derive(Clone, Copy, Debug)]
pub(in crate::dynamics::solver) struct SolverBody {
    pub(in crate::dynamics::solver) velocities: Row,
    /// What it gains per second; 0 if it is kinematic.
    pub(in crate::dynamics::solver) accelerations: Row,
    /// The shares that are left after a sub-step: 0 for a locked coordinate.
    pub(in crate::dynamics::solver) kept: Row,
    /// 0 for each locked coordinate, and 1 for the others.
    pub(in crate::dynamics::solver) free: Row,
    /// The inverses of the mass and of the inertia: xx, yy, zz, yz, xz, xy; and one unused number.
    pub(in crate::dynamics::solver) inertia: Row,
}

impl SolverBody {
    /// Something fixed.
    pub(in crate::dynamics::solver) const FIXED: Self = Self {
        velocities: [0.0; LANES],
        accelerations: [0.0; LANES],
        kept: [0.0; LANES],
        free: [0.0; LANES],
        inertia: [0.0; LANES],
    };
}

/// How an impulse along a direction, at an arm, turns a body: the angular part of a row of the Jacobian.
#[derive(Clone, Copy, Debug)]
struct WideJacobian {
    /// The cross product of arm and direction: its dot product with the angular velocity is the speed there; until it is
    /// prepared, the arm.
    angular: [Row; 3],
    /// The change of angular velocity per unit of impulse.
    response: [Row; 3],
}

impl WideJacobian {
    const NONE: Self = Self { angular: [[0.0; LANES]; 3], response: [[0.0; LANES]; 3] };
}

/// One point of each contact.
#[derive(Clone, Copy, Debug)]
struct WidePoint {
    /// Points of both bodies that turn with them: these say how far the two are apart.
    from_first: [Row; 3],
    from_second: [Row; 3],
    /// For both bodies and an impulse along the normal.
    jacobians: [WideJacobian; 2],
    /// The separation before anything has moved, less the skin and the part that is due to the offsets then; until it is
    /// prepared, the separation.
    base: Row,
    /// The speed at which the two may come together, because they are still apart.
    ahead: Row,
    normal_mass: Row,
    impulse: Row,
    /// The impulse in the sub-step before.
    held: Row,
    /// The sum of the impulses of all sub-steps so far.
    total: Row,
    /// Twice the energy that stopping the bodies has taken.
    taken: Row,
    /// The speed along the normal before the step.
    approach: Row,
}

/// Eight contacts, no two of which share a body that moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct WideContact {
    bodies: [[u32; LANES]; 2],
    inverse_mass: [Row; 2],
    inverse_inertia: [[Row; 6]; 2],
    normal: [Row; 3],
    tangent: [Row; 3],
    friction: Row,
    restitution: Row,
    points: [WidePoint; POINTS],
    /// The greatest number of points in any lane.
    count: usize,
    /// For friction: from both bodies to the middle of the points.
    arms: [[Row; 3]; 2],
    /// The distances of the points from that middle.
    radii: [Row; POINTS],
    /// The inverse of the matrix that maps two impulses across the normal to speeds: first, second, both.
    tangent_mass: [Row; 3],
    twist_mass: Row,
    /// The change of angular velocity of each body per unit of impulse about the normal.
    twisted: [[Row; 3]; 2],
    /// The radii with which the bodies roll.
    rolling: [Row; 2],
    /// The relative velocity of the surfaces.
    surface: [Row; 3],
    /// The impulses of friction across the normal; until they are prepared, a vector in the world.
    across: [Row; 3],
    /// The sum of those across the normal of all sub-steps so far, along the two tangents.
    rubbed: [Row; 2],
    /// The impulse of friction about the normal.
    twist: Row,
    /// Whether any lane rebounds at all.
    rebounds: bool,
    /// In how many sub-steps an impact may still go on: 0 where bodies did not come together before the step so fast
    /// that they get through the slop in a sub-step.
    impacts: Row,
    /// Whether there may be any.
    any_impacts: bool,
    /// Whether some of them are between two solids.
    is_of_solids: bool,
    /// Whether these are contacts of bodies that may lie under much heavier ones.
    is_loaded: bool,
    /// How much each lane resists rolling: a length.
    resistance: Row,
    /// The inverse of the matrix that maps two torques across the normal to angular velocities: first, second, both.
    rolling_mass: [Row; 3],
    /// The impulses of rolling resistance, in the form of those of friction.
    roll: [Row; 3],
    /// Whether any lane resists rolling at all.
    resists: bool,
}

/// The motion of eight bodies.
#[derive(Clone, Copy)]
struct Motion<S: Simd> {
    velocity: Vec3x8<S>,
    angular: Vec3x8<S>,
    rest: [f32x8<S>; 2],
}

impl<S: Simd> Motion<S> {
    #[inline(always)]
    fn gather(simd: S, rows: &[Row], at: &[u32; LANES]) -> Self {
        let [x, y, z, a, b, c, d, e] = gather(simd, rows, at);
        Self { velocity: Vec3x8 { x, y, z }, angular: Vec3x8 { x: a, y: b, z: c }, rest: [d, e] }
    }

    #[inline(always)]
    fn scatter(self, rows: &mut [Row], at: &[u32; LANES]) {
        let (v, w, [d, e]) = (self.velocity, self.angular, self.rest);
        scatter(rows, at, [v.x, v.y, v.z, w.x, w.y, w.z, d, e]);
    }

    /// The displacement and rotation `moved` of bodies, after this small further motion.
    #[inline(always)]
    fn added_to(&self, simd: S, moved: [f32x8<S>; LANES]) -> [f32x8<S>; LANES] {
        let [u, v, t, rest, x, y, z, w] = moved;
        let half = self.angular * splat(simd, 0.5);
        // Adds (half, 0) times the quaternion, and normalizes.
        let axis = Vec3x8 { x, y, z };
        let turned = axis + half * w + half.cross(axis);
        let real = w - half.dot(axis);
        let scale = splat(simd, 1.0) / sqrt(turned.dot(turned) + real * real);
        let (turned, move_by) = (turned * scale, self.velocity);
        [u + move_by.x, v + move_by.y, t + move_by.z, rest, turned.x, turned.y, turned.z, real * scale]
    }

    #[inline(always)]
    fn at(&self, arm: Vec3x8<S>) -> Vec3x8<S> {
        self.velocity + self.angular.cross(arm)
    }
}

/// The inverse mass and inertia of eight bodies.
#[derive(Clone, Copy)]
struct Inertia<S: Simd> {
    mass: f32x8<S>,
    matrix: Symmetric<S>,
}

impl<S: Simd> Inertia<S> {
    /// Applies `impulse` at `arm`.
    #[inline(always)]
    fn push(&self, motion: &mut Motion<S>, arm: Vec3x8<S>, impulse: Vec3x8<S>) {
        motion.velocity = motion.velocity + impulse * self.mass;
        motion.angular = motion.angular + self.matrix.apply(arm.cross(impulse));
    }

    #[inline(always)]
    fn pull(&self, motion: &mut Motion<S>, arm: Vec3x8<S>, impulse: Vec3x8<S>) {
        motion.velocity = motion.velocity - impulse * self.mass;
        motion.angular = motion.angular - self.matrix.apply(arm.cross(impulse));
    }
}

/// The rows of the bodies of a block.
pub(super) struct Bodies<'a> {
    /// The inverses of the mass and of the inertia: xx, yy, zz, yz, xz, xy; one unused number.
    pub(super) inertia: &'a [Row],
    /// Velocity, angular velocity, two unused numbers.
    pub(super) velocities: &'a mut [Row],
    /// The velocities of the sub-step, without what contacts change in it.
    pub(super) without: &'a mut [Row],
    /// How far the centre has moved in the step, one unused number, and the quaternion of the body's rotation.
    pub(super) moved: &'a mut [Row],
    /// The same before contacts push them apart.
    pub(super) unpushed: &'a mut [Row],
}

impl<'a> Bodies<'a> {
    /// Splits off the first `count` rows.
    pub(super) fn take(&mut self, count: usize) -> Bodies<'a> {
        let first = |rows: &mut &'a mut [Row]| {
            let (first, rest) = std::mem::take(rows).split_at_mut(count);
            *rows = rest;
            first
        };
        let (inertia, rest) = self.inertia.split_at(count);
        self.inertia = rest;
        Bodies {
            inertia,
            velocities: first(&mut self.velocities),
            without: first(&mut self.without),
            moved: first(&mut self.moved),
            unpushed: first(&mut self.unpushed),
        }
    }
}

impl WideContact {
    /// Contacts of a class, without any so far.
    pub(super) fn empty(is_loaded: bool) -> Self {
        Self { is_loaded, ..Self::EMPTY }
    }

    /// No contact in any lane.
    const EMPTY: Self = {
        let zero = [0.0; LANES];
        let point = WidePoint {
            from_first: [zero; 3],
            from_second: [zero; 3],
            jacobians: [WideJacobian::NONE; 2],
            base: zero,
            ahead: zero,
            normal_mass: zero,
            impulse: zero,
            held: zero,
            total: zero,
            taken: zero,
            approach: zero,
        };
        Self {
            bodies: [[0; LANES]; 2],
            inverse_mass: [zero; 2],
            inverse_inertia: [[zero; 6]; 2],
            normal: [zero; 3],
            tangent: [zero; 3],
            friction: zero,
            restitution: zero,
            points: [point; POINTS],
            count: 0,
            arms: [[zero; 3]; 2],
            radii: [zero; POINTS],
            tangent_mass: [zero; 3],
            twist_mass: zero,
            twisted: [[zero; 3]; 2],
            rolling: [zero; 2],
            surface: [zero; 3],
            across: [zero; 3],
            rubbed: [zero; 2],
            twist: zero,
            rebounds: false,
            impacts: zero,
            any_impacts: false,
            is_of_solids: false,
            is_loaded: false,
            resistance: zero,
            rolling_mass: [zero; 3],
            roll: [zero; 3],
            resists: false,
        }
    };

    /// Fills lane `i`; `rows` are those of the two bodies in their block.
    pub(super) fn set(&mut self, i: usize, lane: &Lane, rows: [u32; 2]) {
        let Lane { normal, material, points, impulses, .. } = *lane;
        let Material { friction, restitution, surface_velocity, .. } = material;
        (self.bodies[0][i], self.bodies[1][i]) = (rows[0], rows[1]);
        for k in 0..3 {
            self.normal[k][i] = normal[k];
            self.surface[k][i] = surface_velocity[k];
            self.across[k][i] = impulses.across[k];
            self.roll[k][i] = impulses.rolling[k];
        }
        self.twist[i] = impulses.twist;
        self.friction[i] = friction;
        self.restitution[i] = restitution;
        self.rebounds |= restitution > 0.0;
        self.is_of_solids |= !lane.is_of_surface;
        self.resistance[i] = lane.resistance;
        self.resists |= lane.resistance > 0.0;
        self.count = self.count.max(points.len());
        let mut heights = [0.0f32; 2];
        // Both are pushed at the same place; otherwise they would turn each other. That is on the surface of the one that
        // rolls, as friction at another radius would make it slip.
        let between = match lane.rolling.mapped(|radius| radius > 0.0) {
            [true, false] => 0.0,
            [false, true] => 1.0,
            _ => 0.5,
        };
        for (k, (point, from)) in self.points.iter_mut().zip(points).enumerate() {
            let [first, second] = lane.origins;
            let first = first.map_or(Vec3::ZERO, |origin| origin + from.from_first);
            let second = second.map_or(Vec3::ZERO, |origin| origin + from.from_second);
            let [own, other] = lane.arms.map_or([first, second], |arms| arms[k]);
            let own = own + normal * (between * from.separation);
            let other = other - normal * ((1.0 - between) * from.separation);
            for k in 0..3 {
                point.from_first[k][i] = first[k];
                point.from_second[k][i] = second[k];
                point.jacobians[0].angular[k][i] = own[k];
                point.jacobians[1].angular[k][i] = other[k];
            }
            heights = [heights[0].max(first.dot(normal)), heights[1].max(-second.dot(normal))];
            point.impulse[i] = impulses.normal[k];
            point.base[i] = from.separation;
            // Marks the lane as used; `prepare` puts the mass there.
            point.normal_mass[i] = 1.0;
        }
        for (side, height) in heights.into_iter().enumerate() {
            let radius = lane.rolling[side];
            self.rolling[side][i] = if radius.is_finite() { radius } else { height };
        }
    }

    /// Whether some of the contacts are between two solids, not with a surface of triangles.
    pub(super) fn is_of_solids(&self) -> bool {
        self.is_of_solids
    }

    /// The rows of all lanes; unused lanes have row 0.
    pub(super) fn rows(&self) -> impl Iterator<Item = usize> {
        self.bodies.as_flattened().iter().map(|&row| row as usize)
    }

    /// The impulses of lane `i`.
    pub(super) fn impulses(&self, i: usize) -> Impulses {
        let vector = |rows: &[Row; 3]| Vec3::new(rows[0][i], rows[1][i], rows[2][i]);
        let (normal, tangent) = (vector(&self.normal), vector(&self.tangent));
        let across = |rows: &[Row]| (tangent * rows[0][i] + normal.cross(tangent) * rows[1][i]).to_array();
        Impulses {
            normal: [0, 1, 2, 3].mapped(|k: usize| self.points[k].impulse[i]),
            total: [0, 1, 2, 3].mapped(|k: usize| self.points[k].total[i]),
            across: across(&self.across),
            rubbed: across(&self.rubbed),
            twist: self.twist[i],
            rolling: if self.resists { across(&self.roll) } else { [0.0; 3] },
        }
    }

    /// Whether the contact of lane `i` has stopped an approach faster than `speed`.
    pub(super) fn is_hit(&self, i: usize, speed: f32) -> bool {
        self.points.iter().any(|point| point.total[i] > 0.0 && point.approach[i] < -speed)
    }

    /// From both bodies to the middle of the points.
    #[inline(always)]
    fn arms<S: Simd>(&self, simd: S) -> [Vec3x8<S>; 2] {
        [Vec3x8::load(simd, &self.arms[0]), Vec3x8::load(simd, &self.arms[1])]
    }

    #[inline(always)]
    fn inertia<S: Simd>(&self, simd: S, side: usize) -> Inertia<S> {
        Inertia {
            mass: load(simd, &self.inverse_mass[side]),
            matrix: Symmetric::load(simd, &self.inverse_inertia[side]),
        }
    }
}
