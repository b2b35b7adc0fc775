//! Why a value was rejected.

use std::fmt;

/// Why a shape could not be constructed. `field` names the offending argument.
///
/// ```
/// use cullide_narrowphase::{Aabb, Error, glam::Vec3};
/// assert_eq!(Aabb::new(Vec3::ONE, Vec3::NAN), Err(Error::NonFinite { field: "max" }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A NaN or an infinity.
    NonFinite {
        /// The argument that holds it.
        field: &'static str,
    },
    /// A coordinate beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE), or a normal too long or too short to normalise.
    OutOfRange {
        /// The argument that holds it.
        field: &'static str,
    },
    /// A minimum above its maximum, or level with it where there must be something between.
    Inverted {
        /// The pair of bounds, by the name of the lower one.
        field: &'static str,
    },
    /// A normal of zero length, points that do not span a plane, or an `up` along `forward`.
    ZeroNormal {
        /// The argument that holds it.
        field: &'static str,
    },
    /// A ray direction of zero length, or a cylinder without a height.
    ZeroDirection {
        /// The argument that holds it.
        field: &'static str,
    },
    /// A length that must not be negative.
    Negative {
        /// The argument that holds it.
        field: &'static str,
    },
    /// A mass that must be positive.
    NotPositive {
        /// The argument that holds it.
        field: &'static str,
    },
    /// A tensor that is the inertia of no distribution of mass.
    NotAnInertia {
        /// The argument that holds it.
        field: &'static str,
    },
    /// Fewer planes, points or rows than the shape needs.
    TooFew {
        /// The argument that holds them.
        field: &'static str,
    },
    /// More planes, points or rows than the shape may have.
    TooMany {
        /// The argument that holds them.
        field: &'static str,
    },
    /// The half-spaces have no interior in common.
    Empty {
        /// The argument that holds the planes.
        field: &'static str,
    },
    /// The half-spaces leave some direction open to infinity.
    Unbounded {
        /// The argument that holds the planes.
        field: &'static str,
    },
    /// The points are not the corners of a flat convex polygon, in order.
    NotConvex {
        /// The argument that holds the points.
        field: &'static str,
    },
    /// The points are all the same.
    Coincident {
        /// The argument that holds the points.
        field: &'static str,
    },
    /// The points are exactly collinear.
    Collinear {
        /// The argument that holds the points.
        field: &'static str,
    },
    /// The points are exactly coplanar.
    Coplanar {
        /// The argument that holds the points.
        field: &'static str,
    },
    /// An object whose shape cannot be a body.
    NotABody {
        /// The argument that names it.
        field: &'static str,
    },
    /// A body that forces move where one is needed that only its velocity moves.
    NotKinematic {
        /// What names it.
        field: &'static str,
    },
    /// The key of an object that was removed, or that is of another world.
    StaleKey {
        /// The argument that holds it.
        field: &'static str,
    },
    /// A surface of triangles where something solid must be.
    Surface {
        /// The argument that holds it.
        field: &'static str,
    },
    /// A world other than the one that the bodies are in.
    OtherWorld {
        /// The argument that holds it.
        field: &'static str,
    },
    /// Saved data that contradicts itself.
    Inconsistent {
        /// The part that does not fit the rest.
        field: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (field, what) = match self {
            Self::NonFinite { field } => (field, "holds a NaN or an infinity; give finite numbers"),
            Self::OutOfRange { field } => (field, out_of_range(field)),
            Self::Inverted { field: field @ "near" } => (field, "is not below `far`; give a smaller one"),
            Self::Inverted { field: field @ "corner" } => {
                (field, "is level with the opposite one; a rectangle of a picture needs an area")
            }
            Self::Inverted { field } => (field, "lies above its maximum; sort the bounds"),
            Self::ZeroNormal { field: field @ "up" } => {
                (field, "is zero, or lies along `forward`; give a direction across the view")
            }
            Self::ZeroNormal { field } => (
                field,
                "gives no direction for a normal; give three points not in a line, or a vector that is not zero",
            ),
            Self::ZeroDirection { field: field @ "rotation" } => {
                (field, "is a quaternion of zeros; give Quat::IDENTITY for no rotation")
            }
            Self::ZeroDirection { field: field @ "half_axis" } => {
                (field, "has length zero, so that the discs have no direction; give the cylinder a height")
            }
            Self::ZeroDirection { field } => (field, "has length zero; use a Segment for a point query"),
            Self::Negative { field } => (field, "is negative; give zero or more"),
            Self::NotPositive { field } => (field, "is zero or negative; give more than zero"),
            Self::NotAnInertia { field } => (
                field,
                "is the inertia of no body; give a symmetric tensor about the centre of mass, in which no principal \
                 moment is negative or larger than the sum of the other two",
            ),
            Self::TooFew { field } => (field, "holds too few elements to bound the shape"),
            Self::TooMany { field } => (field, "holds too many elements; drop the redundant ones"),
            Self::Unbounded { field: field @ "matrix" } => {
                (field, "has an open frustum; give a view-projection matrix, with the clip space of the renderer")
            }
            Self::Empty { field: field @ "matrix" } => {
                (field, "has a frustum without an inside; give a view-projection matrix that can be inverted")
            }
            Self::Empty { field } => (field, "leave no solid between them; check which way the normals point"),
            Self::Unbounded { field } => (field, "do not close the solid; add the missing plane"),
            Self::NotConvex { field } => (field, "are not the corners of a flat convex polygon in order"),
            Self::Coincident { field } => {
                (field, "are all the same point; a solid needs four that do not lie in a plane")
            }
            Self::Collinear { field } => (field, "lie in a line; a solid needs four that do not lie in a plane"),
            Self::Coplanar { field } => (field, "lie in a plane; give their outline as a Patch, or a point beside it"),
            Self::NotKinematic { field } => (field, "is moved by forces; give it impulses, or make it a kinematic one"),
            Self::StaleKey { field } => (field, "is of an object that was removed, or of another world"),
            Self::NotABody { field } => (
                field,
                "names an object that cannot be a body; give it a box (a ball, capsule, cylinder, hull, brush or compound of these \
                 can be a rigid body, too); a mesh, a terrain, a triangle or a patch can only be a kinematic one, and nothing else may be without a \
                 volume",
            ),
            Self::Surface { field } => (
                field,
                "is a mesh or a terrain, or a compound that holds one; give a convex shape, or a compound of such",
            ),
            Self::OtherWorld { field } => {
                (field, "is not the one that the bodies are in; give each world a Dynamics of its own")
            }
            Self::Inconsistent { field } => (field, "contradicts the rest of what was saved; save it again"),
        };
        write!(f, "`{field}` {what}")
    }
}

/// Advice for an argument that is out of range.
fn out_of_range(field: &str) -> &'static str {
    match field {
        "fov_y" => "is no angle of view; give radians between 0 and pi: degrees times pi / 180",
        "max_slope" => "is steeper than a wall; give radians from 0 to pi / 2: degrees times pi / 180",
        "aspect" | "near" | "spacing" => "is out of range; give more than zero, and keep coordinates within 2^30",
        "height" => "is less than the body is wide, or the body does not stand along Mover::up; give a larger one",
        "normal" => "is too long or too short; give a length within 2^60 of 1",
        "rotation" => "is no rotation, turns by more than 65536 radians, or leads out of coordinates within 2^30",
        "scale" | "linear" => {
            "does not fit the shape; keep factors between 2^-20 and 2^20, those of balls and capsules alike, and those across \
             the axes of cylinders, and terrains and compounds as they are"
        }
        _ => "is out of range; keep coordinates within 2^30, normals within 2^60 of unit length",
    }
}

impl std::error::Error for Error {}
