//! A body as a rigid box, and the impulses of a contact.

use cullide_narrowphase::{Listed, Mapped, Obb, glam::DVec3};
use smallvec::SmallVec;

/// A rigid box of unit mass in motion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RigidBox {
    pub(crate) velocity: DVec3,
    pub(crate) angular_velocity: DVec3,
    /// Unit axes of the box, and the reciprocals of its moments of inertia about them; zero about an axis across which
    /// it has no extent.
    axes: [DVec3; 3],
    inverse_inertia: [f64; 3],
}

impl RigidBox {
    pub(crate) fn new(body: &Obb, velocity: DVec3, angular_velocity: DVec3) -> Self {
        let [a, b, c] = body.half_edges();
        let (a, b, c) = (a.as_dvec3(), b.as_dvec3(), c.as_dvec3());
        let squares = [a.length_squared(), b.length_squared(), c.length_squared()];
        // A box with half extents a, b, c: I = (b² + c²) / 3 about the first axis.
        let about = |i: usize| squares[(i + 1) % 3] + squares[(i + 2) % 3];
        let inverse = |i: usize| if about(i) > 0.0 { 3.0 / about(i) } else { 0.0 };
        Self {
            velocity,
            angular_velocity,
            axes: [a.normalize_or_zero(), b.normalize_or_zero(), c.normalize_or_zero()],
            inverse_inertia: [inverse(0), inverse(1), inverse(2)],
        }
    }

    /// Twice the kinetic energy.
    pub(crate) fn energy(&self) -> f64 {
        let turning = |i: usize| {
            let angular_velocity = self.axes[i].dot(self.angular_velocity);
            if self.inverse_inertia[i] > 0.0 {
                angular_velocity * angular_velocity / self.inverse_inertia[i]
            } else {
                0.0
            }
        };
        self.velocity.length_squared() + turning(0) + turning(1) + turning(2)
    }

    /// The velocity of the point at `offset` from the centre.
    pub(crate) fn velocity_at(&self, offset: DVec3) -> DVec3 {
        self.velocity + self.angular_velocity.cross(offset)
    }

    /// The change of angular velocity caused by an angular impulse.
    fn turned_by(&self, impulse: DVec3) -> DVec3 {
        (0..3).map(|i| self.axes[i] * (self.axes[i].dot(impulse) * self.inverse_inertia[i])).sum()
    }

    /// Pushes at `offset` along a unit `direction` until the speed of that point along it has changed by `change`, with
    /// an impulse of at most `most`; returns the impulse.
    fn push(&mut self, offset: DVec3, direction: DVec3, change: f64, most: f64) -> f64 {
        // The change of the angular velocity, and then of the speed of that point, per unit of impulse.
        let turned = self.turned_by(offset.cross(direction));
        let yielding = 1.0 + turned.cross(offset).dot(direction);
        let impulse = (change / yielding).min(most);
        self.velocity += direction * impulse;
        self.angular_velocity += turned * impulse;
        impulse
    }

    /// Applies the impulses of a contact: none of the points approaches along `normal` any more, each rebounds with
    /// `restitution` times its approach speed, and friction at most stops its sliding.
    ///
    /// The points are treated one after the other, the fastest first. Each impulse alone loses energy, or keeps it at a
    /// restitution of 1, and so do all of them in sequence, in any order. For all points at once, with friction, this
    /// would not hold (Kane's paradox).
    pub(crate) fn rebound(&mut self, offsets: &[DVec3], normal: DVec3, restitution: f64, friction: f64) {
        let approach = |rigid: &Self, offset: DVec3| -normal.dot(rigid.velocity_at(offset));
        let slow = offsets.iter().map(|offset| approach(self, *offset).abs()).fold(0.0, f64::max) * SETTLED;
        for _ in 0..ROUNDS {
            let speeds = offsets.iter().map(|offset| approach(self, *offset)).enumerate();
            let Some((i, speed)) = speeds.max_by(|a, b| a.1.total_cmp(&b.1)) else { return };
            if speed <= slow {
                return;
            }
            let offset = offsets[i];
            let impulse = self.push(offset, normal, (1.0 + restitution) * speed, f64::INFINITY);
            let sliding = self.velocity_at(offset);
            let sliding = sliding - normal * normal.dot(sliding);
            if friction > 0.0 && sliding != DVec3::ZERO {
                self.push(offset, -sliding.normalize(), sliding.length(), friction * impulse);
            }
        }
    }
}

impl RigidBox {
    /// Gives the body the velocity with which the points of a resting contact hold it: none approaches along its normal
    /// any more, none rebounds, and friction stops sliding where it can.
    ///
    /// All points are treated at once, by impulses that accumulate over rounds and whose sums never pull. The surfaces
    /// that support a body on several sides therefore cancel exactly the motion that it arrived with, and it stands
    /// still. At the solution the work of all impulses is negative or zero, whatever the friction.
    ///
    /// Source: Catto, "Iterative Dynamics with Temporal Coherence", GDC 2005 (projected Gauss-Seidel); Guendelman,
    /// Bridson and Fedkiw, "Nonconvex Rigid Bodies with Stacking", 2003 (contact apart from collision).
    pub(crate) fn hold(&mut self, points: impl Iterator<Item = ImpulsePoint> + Clone, friction: f64) {
        let mut rows: SmallVec<[ConstraintRow; 16]> =
            points.clone().map(|point| ConstraintRow::new(self, &point)).listed();
        let size = points.map(|point| point.offset.length()).fold(0.0, f64::max);
        let settled = SETTLED * (self.velocity.length() + self.angular_velocity.length() * size);
        for _ in 0..ROUNDS {
            let most = rows.iter_mut().map(|row| row.relax(self, friction)).fold(0.0, f64::max);
            if most <= settled {
                break;
            }
        }
    }
}

/// A point of contact: its offset from the body's centre, and the unit normal of what it touches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImpulsePoint {
    pub(crate) offset: DVec3,
    pub(crate) normal: DVec3,
}

/// The state of one point during the iteration: its normal and two directions across it.
struct ConstraintRow {
    offset: DVec3,
    directions: [DVec3; 3],
    /// The change of angular velocity per unit of impulse, and the impulse that changes the speed by 1.
    turned: [DVec3; 3],
    stiffness: [f64; 3],
    impulses: [f64; 3],
}

impl ConstraintRow {
    fn new(rigid: &RigidBox, &ImpulsePoint { offset, normal }: &ImpulsePoint) -> Self {
        let (u, v) = normal.any_orthonormal_pair();
        let directions = [normal, u, v];
        let turned = directions.mapped(|direction| rigid.turned_by(offset.cross(direction)));
        let stiffness = [0, 1, 2].mapped(|i: usize| 1.0 / (1.0 + turned[i].cross(offset).dot(directions[i])));
        Self { offset, directions, turned, stiffness, impulses: [0.0; 3] }
    }

    /// Updates the point's own impulses, and returns by how much its velocity had to change.
    fn relax(&mut self, rigid: &mut RigidBox, friction: f64) -> f64 {
        let velocity = rigid.velocity_at(self.offset);
        let normal = (self.impulses[0] - self.directions[0].dot(velocity) * self.stiffness[0]).max(0.0);
        let mut most = self.set(0, normal, rigid);
        if friction > 0.0 {
            let velocity = rigid.velocity_at(self.offset);
            let across = [1, 2].mapped(|i| self.impulses[i] - self.directions[i].dot(velocity) * self.stiffness[i]);
            let (length, limit) = ((across[0] * across[0] + across[1] * across[1]).sqrt(), friction * normal);
            let share = if length > limit { limit / length } else { 1.0 };
            most = most.max(self.set(1, across[0] * share, rigid));
            most = most.max(self.set(2, across[1] * share, rigid));
        }
        most
    }

    /// Replaces one impulse; returns the change of speed that this causes at the point.
    fn set(&mut self, i: usize, impulse: f64, rigid: &mut RigidBox) -> f64 {
        let change = impulse - self.impulses[i];
        self.impulses[i] = impulse;
        rigid.velocity += self.directions[i] * change;
        rigid.angular_velocity += self.turned[i] * change;
        (change / self.stiffness[i]).abs()
    }
}

/// The limit on rounds of impulses at a contact; four points settle within a dozen.
const ROUNDS: usize = 64;

/// An approach slower than this fraction of the fastest one at the start counts as over.
const SETTLED: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_narrowphase::glam::{Quat, Vec3};

    fn brick(velocity: DVec3, angular_velocity: DVec3) -> RigidBox {
        RigidBox::new(
            &Obb::new(Vec3::ZERO, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0)).unwrap(),
            velocity,
            angular_velocity,
        )
    }

    #[test]
    fn a_perfect_rebound_keeps_the_energy_and_turns_the_approach_around() {
        let offset = DVec3::new(1.0, -2.0, 3.0);
        let mut body = brick(DVec3::new(0.5, -4.0, 0.0), DVec3::new(1.0, 2.0, -3.0));
        let (before, approach) = (body.energy(), body.velocity_at(offset).y);
        assert!(approach < 0.0);
        body.rebound(&[offset], DVec3::Y, 1.0, 0.0);
        assert!((body.energy() - before).abs() < 1e-12 * before);
        assert!((body.velocity_at(offset).y + approach).abs() < 1e-12);
    }

    #[test]
    fn no_contact_adds_energy_and_no_point_goes_on_approaching() {
        let face = [(1.0, 3.0), (-1.0, 3.0), (-1.0, -3.0), (1.0, -3.0)].map(|(x, z)| DVec3::new(x, -2.0, z));
        for case in 0..500 {
            let number = |k: f64| ((case as f64 * k).sin() * 1e4).fract() * 5.0;
            let velocity = DVec3::new(number(1.1), number(1.3) - 3.0, number(1.7));
            let mut body = brick(velocity, DVec3::new(number(2.1), number(2.3), number(2.9)));
            let before = body.energy();
            let (restitution, friction) = (number(3.1).abs() / 5.0, number(3.7).abs());
            body.rebound(&face[..1 + case % 4], DVec3::Y, restitution, friction);
            assert!(body.energy() <= before * (1.0 + 1e-12), "case {case}");
            let slowest =
                face[..1 + case % 4].iter().map(|offset| body.velocity_at(*offset).y).fold(f64::INFINITY, f64::min);
            assert!(slowest > -1e-4, "case {case}: {slowest}");
        }
    }

    #[test]
    fn a_box_that_lands_flat_without_restitution_stands_still() {
        let face = [(1.0, 3.0), (-1.0, 3.0), (-1.0, -3.0), (1.0, -3.0)].map(|(x, z)| DVec3::new(x, -2.0, z));
        let mut body = brick(DVec3::Y * -4.0, DVec3::ZERO);
        let before = body.energy();
        body.rebound(&face, DVec3::Y, 0.0, 0.5);
        assert!(body.energy() < 1e-6 * before, "{body:?}");
    }
}
