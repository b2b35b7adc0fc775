//! Contacts of things that are not near each other yet, taken where they will touch.
//!
//! Two bodies meet along the direction in which they are nearest before a step only if they come straight at each
//! other. Otherwise a body that passes by would be deflected by something that it never touches, and one that is struck
//! off its centre would leave in the wrong direction. The contact of bodies that come together in a step is therefore
//! taken where they first touch, moving and turning by themselves, and there is none if they do not.
//!
//! Source: Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996 (conservative advancement).

use crate::{
    DynamicsConfig, PartContact, Target, World,
    contact::ContactPair,
    dynamics::{
        BodyState, Dynamics,
        body::{
            moved_part::MovedPart,
            pose::{BodyShape, quaternion},
        },
        continuous::{
            axes::{Edged, UnknownSpan, any_axis},
            passage::Swing,
        },
        pairs::roles::Approach,
        solver::contact::POINTS,
    },
    shape::Convex,
};
use cullide_narrowphase::{
    ContactManifold, ManifoldPoint, Obb,
    glam::{DVec3, Vec3},
};
use smallvec::SmallVec;

/// Things nearer than this, or that move by less, in skins, are taken as they are.
const NEAR: f32 = 4.0;

/// Things that approach by a smaller share of the smaller one's size meet about where they are nearest; the second
/// number is the share at which the motion of points by rotation counts towards that.
const SLOW: (f32, f32) = (1.0 / 16.0, 1.0);

/// The same for two bodies with faces, which take longer and mostly touch with the faces that are nearest.
const SLOW_SOLIDS: (f32, f32) = (1.0 / 4.0, 1.0 / 4.0);

/// A body that comes this near to something fixed, in skins, touches it; for two bodies it is one skin.
const TOUCHES: f32 = 0.125;

/// A share of the coordinates that exceeds how far rounding may move two things.
const ROUNDED: f32 = 16.0 * f32::EPSILON;

/// The last time at which they may touch, in steps: a little more than they move by themselves.
const LATEST: f32 = 1.25;

/// The limit on steps of conservative advancement.
const ADVANCES: usize = 10;

/// The contact of two things where they first touch in a step.
pub(super) enum FirstTouch {
    /// The contact as it is known.
    Known,
    /// They pass by each other.
    Never,
    At(Box<PredictedContact>),
}

/// Where two things first touch.
#[derive(Clone, Debug)]
pub(super) struct PredictedContact {
    /// The contact there, in the form that lasts until the next step.
    pub(super) manifold: ContactManifold,
    /// Its points at their places before the step.
    pub(super) points: SmallVec<[ManifoldPoint; 4]>,
    /// From the centres of both to its points.
    pub(super) arms: [[Vec3; 2]; POINTS],
}

/// One of two things that may touch.
#[derive(Clone, Copy)]
pub(super) enum Partner<'a> {
    /// A part of a body. It moves with its velocity: what forces add to that may be held by other contacts.
    Body(&'a BodyState, u32),
    /// A part of a fixed object.
    Fixed(Convex<'a>),
}

impl Partner<'_> {
    fn center(&self) -> Vec3 {
        match self {
            Self::Body(state, ..) => state.shape.center(),
            Self::Fixed(part) => part.contact_shape().center(),
        }
    }

    fn inner_radius(&self) -> f32 {
        match self {
            Self::Body(state, ..) => state.inner_radius,
            Self::Fixed(_) => f32::INFINITY,
        }
    }

    fn is_round(&self) -> bool {
        let part = match self {
            Self::Body(state, part) => state.shape.part(*part),
            Self::Fixed(part) => Some(*part),
        };
        matches!(part, Some(Convex::Sphere(_) | Convex::Capsule(_)))
    }

    fn motion(&self, dt: f32) -> Vec3 {
        match self {
            Self::Body(state, _) => state.body.velocity * dt,
            Self::Fixed(_) => Vec3::ZERO,
        }
    }

    fn rotation(&self, dt: f32) -> Vec3 {
        match self {
            Self::Body(state, ..) => state.body.angular_velocity * dt,
            Self::Fixed(_) => Vec3::ZERO,
        }
    }

    fn swing(&self, dt: f32) -> Option<Swing> {
        match self {
            Self::Body(state, ..) => Some(Swing::new(state, self.rotation(dt))),
            Self::Fixed(_) => None,
        }
    }

    /// What it is at a share of the step; `None` for something fixed, or out of range.
    fn at(&self, time: f32, dt: f32) -> Option<MovedPart> {
        match self {
            Self::Body(state, part) => {
                MovedPart::new(&state.shape, *part, self.motion(dt) * time, self.rotation(dt) * time)
            }
            Self::Fixed(_) => None,
        }
    }

    /// Its edges before the step and at the last time of a touch, if it is a shape with edges; relative to `origin`.
    fn edged(&self, dt: f32, origin: Vec3) -> Option<Edged> {
        let origin = origin.as_dvec3();
        match self {
            Self::Body(state, ..) => match &state.shape {
                BodyShape::Box(shape) => {
                    let motion = f64::from(LATEST) * self.motion(dt).as_dvec3();
                    let turn = quaternion(f64::from(LATEST) * self.rotation(dt).as_dvec3());
                    Some(Edged::of_moving_box(shape, motion, turn, origin))
                }
                _ => None,
            },
            Self::Fixed(Convex::Obb(shape)) => Some(Edged::of_box([shape; 2], origin)),
            Self::Fixed(Convex::Aabb(shape)) => Some(Edged::of_box([&Obb::from(shape); 2], origin)),
            Self::Fixed(Convex::Triangle(triangle, _)) => Some(Edged::of_triangle(triangle, origin)),
            Self::Fixed(_) => None,
        }
    }

    fn part<'a>(&'a self, moved: Option<&'a MovedPart>) -> Option<Convex<'a>> {
        match self {
            Self::Body(..) => moved?.convex(),
            Self::Fixed(part) => Some(*part),
        }
    }

    /// The place before the step of a point that is given relative to the origin of its offsets at a share of the step:
    /// relative to that origin then, and along `out`, the unit normal that points out of this; and from the centre to
    /// the point as it was given. A body turns all of it but the radius with which it rolls.
    fn before(&self, from: Vec3, moved: Option<&MovedPart>, out: Vec3, time: f32, dt: f32) -> (Vec3, f64, Vec3) {
        let (Self::Body(state, part), Some(moved)) = (self, moved) else {
            return (from, out.as_dvec3().dot(self.center().as_dvec3() + from.as_dvec3()), from);
        };
        let arm = moved.contact_offset() + from;
        let rolling = out * state.shape.rolling_radius(*part, out);
        let back = quaternion(-(self.rotation(dt) * time).as_dvec3());
        let turned = (back * (arm - rolling).as_dvec3()).as_vec3() + rolling;
        let along = out.as_dvec3().dot(state.shape.center().as_dvec3() + turned.as_dvec3());
        (turned - state.shape.contact_offset(*part), along, arm)
    }
}

impl Dynamics {
    /// Where the two of a pair first touch with these parts.
    pub(super) fn first_touch(
        &self,
        world: &World,
        part: &PartContact,
        pair: &ContactPair,
        dt: f32,
        config: &DynamicsConfig,
    ) -> FirstTouch {
        // What has no points yet would be told of none.
        if part.manifold.points().is_empty() || part.impulses.normal != [0.0; 4] {
            return FirstTouch::Known;
        }
        // Which edge of a surface is met depends on the neighbouring triangles, and what has no mass is costly to move.
        let is_composite = |body: u32| matches!(self.state(body).shape, BodyShape::Composite(_));
        if self.is_body(pair.bodies[1]) && is_composite(pair.bodies[1]) {
            return FirstTouch::Known;
        }
        let partner = |body: u32, part: u32| Partner::Body(self.state(body), part);
        let [one, other] = pair.bodies;
        let second = match pair.second {
            _ if self.is_body(other) => partner(other, part.part),
            Target::Object(key) => match world.object(key).and_then(|object| object.get().shape.part(part.part)) {
                Some(part) => Partner::Fixed(part),
                None => return FirstTouch::Known,
            },
            Target::Plane(_) => return FirstTouch::Known,
        };
        first_touch(part, [partner(one, part.first_part), second], dt, config.skin, config.margin)
    }
}

/// Whether two are so fast that they may first touch elsewhere than where they are nearest, as far as is known about
/// them.
pub(super) fn may_differ(one: &Approach, other: &Approach, dt: f32) -> bool {
    let (slow, turning) = if one.is_box && other.is_box { SLOW_SOLIDS } else { SLOW };
    let closing = (one.velocity - other.velocity).length() + turning * (one.swinging + other.swinging);
    closing * dt > slow * one.inner_radius.min(other.inner_radius)
}

/// The contact of two things in a step; `known` is their contact before it.
pub(super) fn first_touch(known: &PartContact, sides: [Partner; 2], dt: f32, skin: f32, margin: f32) -> FirstTouch {
    let [first, second] = &sides;
    let motion = (first.motion(dt) - second.motion(dt)).as_dvec3();
    let swings = [first.swing(dt), second.swing(dt)];
    let turning = |normal: DVec3| swings.iter().flatten().map(|swing| swing.way(normal)).sum::<f64>();
    let most: f64 = swings.iter().flatten().map(|swing| swing.radius * swing.rotation.length()).sum();
    let noise = ROUNDED * first.center().abs().max(second.center().abs()).max_element();
    let is_fixed = matches!(second, Partner::Fixed(_));
    // A body that slides over one of a row of fixed things is farther from the next one than the distance at which it
    // touches.
    let touches = if is_fixed { TOUCHES } else { 1.0 };
    let (near, touching) = (NEAR * (skin + noise), touches * skin + noise);
    let is_solid = !(is_fixed || first.is_round() || second.is_round());
    let (slow, share) = if is_solid { SLOW_SOLIDS } else { SLOW };
    let least = near.max(slow * first.inner_radius().min(second.inner_radius()));
    if known.manifold.distance() <= near || motion.length() + f64::from(share) * most <= f64::from(least) {
        return FirstTouch::Known;
    }
    // The earliest time at which they may be as near as that; things that turn may come together later.
    let after = |normal: DVec3, distance: f32| {
        let closing = normal.dot(motion) + turning(normal);
        let room = f64::from(distance - 0.5 * touching).max(0.0);
        if closing <= 0.0 && most == 0.0 { f32::INFINITY } else { (room / closing.max(most * 1e-3)).min(2.0) as f32 }
    };
    let (normal, distance) = (known.manifold.normal().as_dvec3(), known.manifold.distance());
    let mut time = after(normal, distance);
    // Mostly the contact of things so far apart has no effect.
    if after(normal, distance - 0.5 * near) > LATEST {
        return FirstTouch::Known;
    }
    if let (Some(one), Some(other)) = (first.edged(dt, first.center()), second.edged(dt, first.center())) {
        let bulge =
            |normal: DVec3| swings.iter().flatten().map(|swing| swing.bulge(normal, [0.0, LATEST])).sum::<f64>();
        let (mut unknown, touching) = (UnknownSpan::ALL, f64::from(touching));
        let passes = any_axis(&one, &other, 1, |normal, depths| {
            let bulge = bulge(normal) + touching;
            depths.iter().for_each(|[before, after]| unknown.shrink([before + touching, after + bulge]));
            unknown.is_empty()
        });
        if passes {
            return FirstTouch::Never;
        }
        time = time.max(unknown.from as f32 * LATEST);
    }
    // With all points that may meet in the step after turning.
    let margin = distance.max(margin).max(touching) + (motion.length() + most) as f32;
    let (mut manifold, mut cache) = (ContactManifold::default(), known.cache);
    for _ in 0..ADVANCES {
        if time > LATEST {
            return FirstTouch::Never;
        }
        let moved = [first.at(time, dt), second.at(time, dt)];
        let parts = (first.part(moved[0].as_ref()), second.part(moved[1].as_ref()));
        let (Some(own), Some(other)) = parts else { return FirstTouch::Known };
        manifold.update(&own.contact_shape(), &other.contact_shape(), margin, &mut cache);
        let normal = manifold.normal().as_dvec3();
        if manifold.distance() <= touching {
            if let Partner::Fixed(Convex::Triangle(..)) = second {
                // Which edge of a surface of triangles is met depends on the neighbouring triangles.
                return FirstTouch::Known;
            }
            let (mut points, mut arms) = (SmallVec::new(), [[Vec3::ZERO; 2]; POINTS]);
            let normal = manifold.normal();
            for (point, arms) in manifold.points().iter().zip(&mut arms) {
                let (from_first, here, own) = first.before(point.from_first, moved[0].as_ref(), normal, time, dt);
                let (from_second, there, other) =
                    second.before(point.from_second, moved[1].as_ref(), -normal, time, dt);
                points.push(ManifoldPoint { from_first, from_second, separation: (-there - here) as f32, ..*point });
                *arms = [own, other];
            }
            manifold.expire();
            return FirstTouch::At(Box::new(PredictedContact { manifold, points, arms }));
        }
        time += after(normal, manifold.distance());
    }
    FirstTouch::Known
}
