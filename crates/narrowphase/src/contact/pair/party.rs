//! A cylinder, a capsule, a ball or a solid, as contacts with cylinders take it: how far it reaches along a normal, and
//! what it touches with there.

use super::{clip::NumberedOutline, rod::Rod, solid::PairSolid};
use crate::{
    ConvexCore, Cylinder,
    arrays::Mapped,
    contact::faces::Outline,
    exact::{ROUNDING, vector},
    lists::Listed,
    shape::cylinder::Profile,
};
use glam::{DVec3, Vec3};
use smallvec::SmallVec;
use std::f64::consts::FRAC_1_SQRT_2;

/// A disc that leans from a plane by a smaller sine than this, 2^-11, touches it with points of its rim in directions
/// that do not depend on how it leans, so that noise does not turn them.
const LEVEL: f64 = 1.0 / 2048.0;

/// The cosine and the sine of a sixteenth of a turn, and the cosine of half of that.
const SIXTEENTH: [f64; 3] = [0.923_879_532_511_286_7, 0.382_683_432_365_089_8, 0.980_785_280_403_230_4];

/// One of the two shapes.
pub(super) enum PairShape<'a, 'b> {
    Cylinder(Profile),
    Rod(Rod),
    Solid(&'a PairSolid<'b>),
}

/// What a shape touches with.
pub(super) struct TouchingFeature {
    /// One point, the ends of a line, or the corners of a polygon, with numbers of their own.
    pub(super) points: NumberedOutline,
    /// Outward; the direction asked for, if it is no polygon.
    pub(super) normal: DVec3,
}

impl PairShape<'_, '_> {
    pub(super) fn center(&self) -> DVec3 {
        match self {
            Self::Cylinder(profile) => profile.center,
            Self::Rod(rod) => rod.center,
            Self::Solid(solid) => solid.center,
        }
    }

    /// How far it reaches from its centre, up to a factor of two.
    pub(super) fn reach(&self) -> f64 {
        match self {
            Self::Cylinder(profile) => profile.half.max(profile.radii[0]).max(profile.radii[1]),
            Self::Rod(rod) => rod.reach(),
            Self::Solid(solid) => solid.reach,
        }
    }

    pub(super) fn error(&self) -> f64 {
        match self {
            Self::Cylinder(profile) => 32.0 * ROUNDING * (profile.center.abs().max_element() + self.reach()),
            Self::Rod(rod) => rod.error(),
            Self::Solid(solid) => solid.error,
        }
    }

    /// Unit vector along its axis, if it has one.
    pub(super) fn axis(&self) -> Option<DVec3> {
        match self {
            Self::Cylinder(profile) => Some(profile.axis),
            Self::Rod(rod) => vector::try_normalized(rod.half),
            Self::Solid(_) => None,
        }
    }

    /// The shape as seen from an origin near it.
    pub(super) fn core(&self, origin: DVec3) -> ConvexCore {
        match self {
            Self::Cylinder(profile) => {
                let half_axis = (profile.axis * profile.half).as_vec3();
                let radii = profile.radii.mapped(|radius| radius as f32);
                let own = Cylinder::from_half_axis(Vec3::ZERO, half_axis, radii);
                own.map_or_else(|_| ConvexCore::of_points([DVec3::ZERO], 0.0), |own| own.core())
                    .mapped(|point| point + (profile.center - origin))
            }
            Self::Rod(rod) => ConvexCore::of_points([rod.at(0.0), rod.at(1.0)].mapped(|end| end - origin), rod.radius),
            Self::Solid(solid) => ConvexCore::of_points(solid.vertices().iter().map(|vertex| *vertex - origin), 0.0),
        }
    }

    /// A point that is farthest along a unit direction.
    pub(super) fn farthest(&self, n: DVec3) -> DVec3 {
        match self {
            Self::Cylinder(profile) => {
                let (along, across) = profile.split(n);
                let (side, length) = (vector::normalized_or_zero(across), across.length());
                let is_top = 2.0 * profile.half * along + length * (profile.radii[1] - profile.radii[0]) >= 0.0;
                let (end, radius) = if is_top { (1.0, profile.radii[1]) } else { (-1.0, profile.radii[0]) };
                profile.center + profile.half_axis() * end + side * radius
            }
            Self::Rod(rod) => rod.at(if n.dot(rod.half) >= 0.0 { 1.0 } else { 0.0 }) + n * rod.radius,
            Self::Solid(solid) => solid.vertices()[solid.lowest_vertex(-n)],
        }
    }

    /// The outward normals of its faces or discs.
    pub(super) fn normals(&self) -> Outline {
        match self {
            Self::Cylinder(profile) => SmallVec::from_slice(&[profile.axis, -profile.axis]),
            Self::Rod(_) => SmallVec::new(),
            Self::Solid(solid) => (0..solid.face_count()).map(|i| solid.face(i).normal).listed(),
        }
    }

    /// What it touches with along a unit direction.
    pub(super) fn side(&self, n: DVec3) -> TouchingFeature {
        let number = |points: &[DVec3]| points.iter().copied().zip(0..).listed();
        match self {
            Self::Cylinder(profile) => side_of_cylinder(profile, n),
            Self::Rod(rod) if rod.half == DVec3::ZERO => {
                TouchingFeature { points: number(&[rod.center + n * rod.radius]), normal: n }
            }
            Self::Rod(rod) => TouchingFeature {
                points: number(&[0.0, 1.0].mapped(|share| rod.at(share) + n * rod.radius)),
                normal: n,
            },
            Self::Solid(solid) => {
                let face = solid.opposing(-n);
                let corner = |vertex: usize| (solid.vertices()[vertex], vertex as u32);
                TouchingFeature {
                    points: solid.corners(face).into_iter().map(corner).listed(),
                    normal: solid.face(face).normal,
                }
            }
        }
    }

    /// The polygon that bounds the points of others above its side: around a disc, with sides that touch it.
    pub(super) fn outline(&self, side: &TouchingFeature) -> NumberedOutline {
        let Self::Cylinder(profile) = self else { return side.points.clone() };
        let is_top = side.normal.dot(profile.axis) > 0.0;
        let radius = profile.radii[usize::from(is_top)] / SIXTEENTH[2];
        let middle = profile.center + side.normal * profile.half;
        let u = vector::perpendicular(side.normal);
        let v = side.normal.cross(u);
        let [cos, sin, _] = SIXTEENTH;
        let quarter = [[1.0, 0.0], [cos, sin], [FRAC_1_SQRT_2, FRAC_1_SQRT_2], [sin, cos]];
        let turned = [[u, v], [v, -u], [-u, -v], [-v, u]];
        let all = turned.into_iter().flat_map(|[u, v]| quarter.mapped(|[x, y]| middle + (u * x + v * y) * radius));
        all.zip(0..).listed()
    }
}

/// Points of the rim of the disc that faces a direction most, or else the ends of the line along the side.
fn side_of_cylinder(profile: &Profile, n: DVec3) -> TouchingFeature {
    let (along, across) = profile.split(n);
    let (slope, length) = (profile.slope(), across.length());
    let facing = (length - along * slope) / (1.0 + slope * slope).sqrt();
    let (end, radius) = if along > 0.0 { (1.0, profile.radii[1]) } else { (-1.0, profile.radii[0]) };
    let fixed = || vector::perpendicular(profile.axis);
    if along.abs() <= facing || radius == 0.0 {
        let out = vector::try_normalized(across).unwrap_or_else(fixed);
        let ends = [(-1.0, profile.radii[0]), (1.0, profile.radii[1])];
        let at = |(end, radius): (f64, f64)| profile.center + profile.half_axis() * end + out * radius;
        return TouchingFeature { points: ends.mapped(at).into_iter().zip(0..).listed(), normal: n };
    }
    let normal = profile.axis * end;
    let u = if length > LEVEL { across / length } else { fixed() };
    let v = normal.cross(u);
    let middle = profile.center + profile.half_axis() * end;
    let half = (u + v) * FRAC_1_SQRT_2;
    let other = (v - u) * FRAC_1_SQRT_2;
    let ways = [u, half, v, other, -u, -half, -v, -other];
    TouchingFeature { points: ways.into_iter().map(|way| middle + way * radius).zip(0..).listed(), normal }
}
