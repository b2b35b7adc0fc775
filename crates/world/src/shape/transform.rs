//! Rotates and translates shapes, and finds the poses that put them into the world.
//!
//! ```text
//!   shape as given  ->  model: the same about its own origin  ->  posed: turned about that origin, then moved
//! ```
//! The own origin of a box, a ball, a capsule or a cylinder is its centre, and the own axes of a box run along its edges. A brush
//! and a patch are given by planes and points in some coordinates, whose origin is theirs.

#[cfg(feature = "dynamics")]
use crate::{Mesh, PlacedCompound, PlacedMesh, PlacedTerrain};
use crate::{Shape, shape::placement::Placement};
use cullide_narrowphase::{
    Aabb, Brush, Capsule, Cylinder, Error, Hull, Mapped, Obb, Patch, Sphere, Triangle,
    glam::{DMat3, DVec3, Quat, Vec3},
};

/// The axes of a box count as perpendicular if they are so up to some thirty roundings of its edges.
const SLANT: f64 = crate::tuning::SLANT;

/// Whether the edges of a box are off right angles by more than this fraction of their lengths.
pub(crate) fn is_skewed(shape: &Obb, share: f64) -> bool {
    let [a, b, c] = shape.half_edges().mapped(|edge| edge.as_dvec3());
    [(a, b), (b, c), (c, a)].iter().any(|(a, b)| a.dot(*b).abs() > share * a.length() * b.length())
}

/// The shape as an oriented box, if it is one.
pub(crate) fn oriented(shape: &Shape) -> Option<Obb> {
    match shape {
        Shape::Aabb(shape) => Some(Obb::from(shape)),
        Shape::Obb(shape) => Some(*shape),
        _ => None,
    }
}

impl Shape {
    /// Returns the shape rotated by `rotation` about the origin and then translated by `translation`, rounded once. A
    /// rotated axis-aligned box becomes an oriented one. For a brush, its planes are rotated in `f64`; for a hull its
    /// points, unless it was [moved](Brush::moved) before.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`], [`Error::ZeroDirection`] for a rotation of length zero, and the
    /// errors of the shape's own constructor, for example for a brush too thin for its new position.
    ///
    /// ```
    /// # use cullide_world::{Shape, narrowphase::Sphere, glam::{Quat, Vec3}};
    /// let ball = Shape::from(Sphere::new(Vec3::X, 2.0)?);
    /// let moved = ball.transformed(Quat::from_xyzw(0.0, 0.0, 1.0, 0.0), Vec3::Y)?;
    /// assert_eq!(moved, Sphere::new(Vec3::new(-1.0, 1.0, 0.0), 2.0)?.into());
    /// # Ok::<(), cullide_world::narrowphase::Error>(())
    /// ```
    pub fn transformed(&self, rotation: Quat, translation: Vec3) -> Result<Self, Error> {
        if !rotation.is_finite() {
            return Err(Error::NonFinite { field: "rotation" });
        }
        if !translation.is_finite() {
            return Err(Error::NonFinite { field: "translation" });
        }
        let turn = matrix(rotation).ok_or(Error::ZeroDirection { field: "rotation" })?;
        self.transformed_by(&turn, translation.as_dvec3())
    }

    /// The same, by the matrix of a rotation.
    pub(crate) fn transformed_by(&self, turn: &DMat3, shift: DVec3) -> Result<Self, Error> {
        let point = |p: Vec3| (*turn * p.as_dvec3() + shift).as_vec3();
        let turned = |edges: [Vec3; 3]| edges.mapped(|edge| (*turn * edge.as_dvec3()).as_vec3());
        Ok(match self {
            Self::Aabb(shape) if *turn == DMat3::IDENTITY => Aabb::new(point(shape.min()), point(shape.max()))?.into(),
            // From its centre and half extents in f64, so that each number is rounded only once.
            Self::Aabb(shape) => {
                let (min, max) = (shape.min().as_dvec3(), shape.max().as_dvec3());
                let (center, half) = (*turn * (0.5 * (min + max)) + shift, 0.5 * (max - min));
                let edge = |axis: usize| (turn.col(axis) * half[axis]).as_vec3();
                Obb::from_half_edges(center.as_vec3(), [edge(0), edge(1), edge(2)])?.into()
            }
            Self::Obb(shape) => Obb::from_half_edges(point(shape.center()), turned(shape.half_edges()))?.into(),
            Self::Sphere(shape) => Sphere::new(point(shape.center()), shape.radius())?.into(),
            Self::Capsule(shape) => {
                let half_axis = (*turn * shape.half_axis().as_dvec3()).as_vec3();
                Capsule::from_half_axis(point(shape.center()), half_axis, shape.radius())?.into()
            }
            Self::Cylinder(shape) => {
                let half_axis = (*turn * shape.half_axis().as_dvec3()).as_vec3();
                Cylinder::from_half_axis(point(shape.center()), half_axis, shape.radii())?.into()
            }
            Self::Brush(shape) if shape.moved_from().is_some() => shape.moved(turn, shift)?.into(),
            Self::Brush(shape) => {
                if let Some(points) = shape.points() {
                    return Ok(Hull::new(&points.map(point).collect::<Vec<_>>())?.into());
                }
                let planes: Vec<(DVec3, f64)> = shape
                    .planes()
                    .iter()
                    .map(|plane| {
                        let normal = *turn * plane.normal;
                        (normal, plane.distance + normal.dot(shift))
                    })
                    .collect();
                Brush::from_half_spaces(&planes)?.into()
            }
            Self::Patch(shape) => {
                let points: Vec<Vec3> = shape.points().iter().map(|&p| point(p)).collect();
                Patch::new(&points)?.into()
            }
            Self::Triangle(shape) => {
                let [a, b, c] = shape.points().mapped(point);
                Triangle::new(a, b, c)?.into()
            }
            Self::Mesh(shape) => shape.transformed(turn, shift)?.into(),
            Self::Terrain(shape) => shape.transformed(turn, shift)?.into(),
            Self::Compound(shape) => shape.transformed(turn, shift)?.into(),
        })
    }

    /// Returns a triangle or a patch as a mesh, as which a body moves it; `None` for any other shape.
    #[cfg(feature = "dynamics")]
    pub(crate) fn flat_as_mesh(&self) -> Option<Self> {
        let corners = match self {
            Self::Triangle(shape) => shape.points().to_vec(),
            Self::Patch(shape) => shape.points().to_vec(),
            _ => return None,
        };
        let fan: Vec<[u32; 3]> = (2..corners.len() as u32).map(|i| [0, i - 1, i]).collect();
        Some(Mesh::new(&corners, &fan).ok()?.into())
    }

    /// Returns the bounds of a composite shape in its own coordinates, and the map from these to the world; `None` for a
    /// convex shape.
    #[cfg(feature = "dynamics")]
    pub(crate) fn placed(&self) -> Option<(Aabb, DMat3, DVec3)> {
        let placement = self.placement()?;
        let aabb = match self {
            Self::Mesh(shape) => shape.mesh().aabb(),
            Self::Terrain(shape) => shape.terrain().aabb(),
            Self::Compound(shape) => shape.compound().aabb(),
            _ => return None,
        };
        Some((aabb, *placement.linear(), placement.translation()))
    }

    /// Returns the rotation of that map, and the scale that is applied before it.
    #[cfg(feature = "dynamics")]
    pub(crate) fn rotation_and_scale(&self) -> Option<(DMat3, DMat3)> {
        Some(self.placement()?.rotation_and_scale())
    }

    /// Returns a composite shape placed by another map; `None` if that leads out of range, or for a convex shape.
    #[cfg(feature = "dynamics")]
    pub(crate) fn placed_at(&self, linear: DMat3, translation: DVec3) -> Option<Self> {
        Some(match self {
            Self::Mesh(shape) => PlacedMesh::restored(shape.mesh().clone(), linear, translation).ok()?.into(),
            Self::Terrain(shape) => PlacedTerrain::restored(shape.terrain().clone(), linear, translation).ok()?.into(),
            Self::Compound(shape) => {
                PlacedCompound::restored(shape.compound().clone(), linear, translation).ok()?.into()
            }
            _ => return None,
        })
    }

    /// Returns the pose that takes this composite shape, as it was given, to where `other` is, which is another placement
    /// of the same: `pose` itself, if that does.
    pub(crate) fn pose_to(&self, other: &Self, pose: (Quat, Vec3)) -> Option<(Quat, Vec3)> {
        Some(self.placement()?.pose_to(other.placement()?, pose))
    }

    fn placement(&self) -> Option<&Placement> {
        match self {
            Self::Mesh(shape) => Some(shape.placement()),
            Self::Terrain(shape) => Some(shape.placement()),
            Self::Compound(shape) => Some(shape.placement()),
            _ => None,
        }
    }

    /// Returns the shape about its own origin, from which poses start. Its size is rounded once, here.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for an oriented box nearly as long as the range of coordinates.
    pub(crate) fn model(&self) -> Result<Self, Error> {
        Ok(match self {
            Self::Aabb(shape) => {
                let half_extents = (0.5 * (shape.max().as_dvec3() - shape.min().as_dvec3())).as_vec3();
                Aabb::new(-half_extents, half_extents)?.into()
            }
            Self::Obb(shape) => {
                let edges = shape.half_edges().mapped(|edge| edge.as_dvec3());
                let [x, y, z] = frame(edges);
                // Drops rounding along axes to which an edge should be perpendicular.
                let along = |axis: DVec3, edge: DVec3| {
                    let along = axis.dot(edge);
                    if along.abs() <= SLANT * edge.length() { 0.0 } else { along }
                };
                let edges = edges.mapped(|edge| DVec3::new(along(x, edge), along(y, edge), along(z, edge)));
                let is_square = (0..3).all(|i| (0..3).all(|j| i == j || edges[i][j] == 0.0));
                let own = |i: usize| if is_square { DVec3::AXES[i] * edges[i].length() } else { edges[i] };
                Obb::from_half_edges(Vec3::ZERO, [own(0), own(1), own(2)].mapped(DVec3::as_vec3))?.into()
            }
            Self::Sphere(shape) => Sphere::new(Vec3::ZERO, shape.radius())?.into(),
            Self::Capsule(shape) => Capsule::from_half_axis(Vec3::ZERO, shape.half_axis(), shape.radius())?.into(),
            Self::Cylinder(shape) => Cylinder::from_half_axis(Vec3::ZERO, shape.half_axis(), shape.radii())?.into(),
            Self::Brush(shape) => match shape.moved_from() {
                Some((model, ..)) => model.moved(&DMat3::IDENTITY, DVec3::ZERO)?.into(),
                None => self.clone(),
            },
            Self::Patch(_) | Self::Triangle(_) | Self::Mesh(_) | Self::Terrain(_) | Self::Compound(_) => self.clone(),
        })
    }

    /// Returns the rotation of a box and the centre of a box, a ball, a capsule or a cylinder; for a
    /// brush, the pose that it was
    /// moved to. The identity for what is where it was given.
    pub(crate) fn own_pose(&self) -> (Quat, Vec3) {
        match self {
            Self::Aabb(shape) => (Quat::IDENTITY, shape.center()),
            Self::Obb(shape) => (rotation_to(frame(shape.half_edges().mapped(|edge| edge.as_dvec3()))), shape.center()),
            Self::Sphere(shape) => (Quat::IDENTITY, shape.center()),
            Self::Capsule(shape) => (Quat::IDENTITY, shape.center()),
            Self::Cylinder(shape) => (Quat::IDENTITY, shape.center()),
            Self::Brush(shape) => match shape.moved_from() {
                Some((_, rotation, translation)) => pose_of(&rotation, translation),
                None => (Quat::IDENTITY, Vec3::ZERO),
            },
            Self::Patch(_) | Self::Triangle(_) | Self::Mesh(_) | Self::Terrain(_) | Self::Compound(_) => {
                (Quat::IDENTITY, Vec3::ZERO)
            }
        }
    }
}

/// Returns the rotation matrix of a finite quaternion of any length; `None` for one of length zero. Written out, so
/// that every version of glam gives the same bits.
pub(crate) fn matrix(rotation: Quat) -> Option<DMat3> {
    let [x, y, z, w] = [rotation.x, rotation.y, rotation.z, rotation.w].mapped(f64::from);
    let length = (x * x + y * y + z * z + w * w).sqrt();
    let [x, y, z, w] = [x, y, z, w].mapped(|part| part * (1.0 / length));
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz, yy, yz, zz) = (x * x2, x * y2, x * z2, y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    let columns = [
        DVec3::new(1.0 - (yy + zz), xy + wz, xz - wy),
        DVec3::new(xy - wz, 1.0 - (xx + zz), yz + wx),
        DVec3::new(xz + wy, yz - wx, 1.0 - (xx + yy)),
    ];
    (length > 0.0).then(|| DMat3::from_cols_array_2d(&columns.mapped(|column| column.to_array())))
}

/// Returns a rotation and a translation as a pose.
pub(crate) fn pose_of(rotation: &DMat3, translation: DVec3) -> (Quat, Vec3) {
    (rotation_to([rotation.x_axis, rotation.y_axis, rotation.z_axis]), translation.as_vec3())
}

/// Returns unit axes along the edges of a box, right-handed and perpendicular: the first along the first edge, the
/// second as close to the second edge as possible. For an edge of length zero, the axis is chosen perpendicular to the
/// others.
///
/// Inline, as edges passed through memory are waited for: a fifth of the time of a pose.
#[inline(always)]
fn frame(edges: [DVec3; 3]) -> [DVec3; 3] {
    let unit = |v: DVec3| (v != DVec3::ZERO).then(|| v / v.length());
    // The direction of the part of `v` perpendicular to a unit axis, unless that part is only rounding.
    let across = |v: DVec3, axis: DVec3| {
        let rest = v - axis * v.dot(axis);
        if rest.length() > SLANT * v.length() { unit(rest) } else { None }
    };
    let [a, b, c] = edges;
    if let Some(x) = unit(a) {
        let y = across(b, x).or_else(|| across(c, x).map(|z| z.cross(x))).unwrap_or_else(|| perpendicular(x));
        return [x, y, x.cross(y)];
    }
    if let Some(y) = unit(b) {
        let z = across(c, y).unwrap_or_else(|| perpendicular(y));
        return [y.cross(z), y, z];
    }
    match unit(c) {
        Some(z) => {
            let x = perpendicular(z);
            [x, z.cross(x), z]
        }
        None => DVec3::AXES,
    }
}

/// Returns a unit vector perpendicular to a unit axis: in the plane of the axis's two larger coordinates, and along a
/// world axis if `axis` is along one.
fn perpendicular(axis: DVec3) -> DVec3 {
    let least = if axis.x.abs() <= axis.y.abs().min(axis.z.abs()) {
        DVec3::new(0.0, -axis.z, axis.y)
    } else if axis.y.abs() <= axis.z.abs() {
        DVec3::new(axis.z, 0.0, -axis.x)
    } else {
        DVec3::new(-axis.y, axis.x, 0.0)
    };
    least / least.length()
}

/// Returns the rotation that takes the coordinate axes to these.
///
/// Source: Shepperd, "Quaternion from Rotation Matrix", 1978: by the largest of the four components, so that none loses
/// digits.
#[inline]
fn rotation_to([x, y, z]: [DVec3; 3]) -> Quat {
    let squares = [1.0 + x.x - y.y - z.z, 1.0 - x.x + y.y - z.z, 1.0 - x.x - y.y + z.z, 1.0 + x.x + y.y + z.z];
    let (largest, square) =
        (0..3).fold((3, squares[3]), |best, i| if squares[i] > best.1 { (i, squares[i]) } else { best });
    // Twice each component times twice the largest.
    let (wx, wy, wz) = (y.z - z.y, z.x - x.z, x.y - y.x);
    let (xy, xz, yz) = (x.y + y.x, z.x + x.z, y.z + z.y);
    let products = match largest {
        0 => [squares[0], xy, xz, wx],
        1 => [xy, squares[1], yz, wy],
        2 => [xz, yz, squares[2], wz],
        _ => [wx, wy, wz, squares[3]],
    };
    let scale = 0.5 / square.sqrt();
    Quat::from_array(products.mapped(|product| (product * scale) as f32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(a: Vec3, b: Vec3) -> bool {
        (a - b).abs().max_element() < 1e-6
    }

    #[test]
    fn a_turned_aligned_box_is_rounded_once() {
        // Three steps of `f32` wide along y: neither its middle nor half its width is a whole number of steps.
        let aabb = Aabb::new(Vec3::new(0.0, 1e6, 0.0), Vec3::new(2.0, 1e6 + 0.1875, 3.0)).unwrap();
        let quarter = Quat::from_xyzw(1.0, 0.0, 0.0, 1.0);
        let Ok(Shape::Obb(turned)) = Shape::from(aabb).transformed(quarter, Vec3::Z * -1e6) else { panic!("a box") };
        assert_eq!(turned.center(), Vec3::new(1.0, -1.5, 0.09375));
        assert_eq!(turned.half_extents(), Vec3::new(1.0, 0.09375, 1.5));
    }

    #[test]
    fn the_pose_of_a_box_is_the_rotation_and_the_center_that_it_was_made_with() {
        for i in 0..400 {
            let f = i as f32;
            let axis = Vec3::new((f * 1.3).sin(), (f * 2.1).cos(), (f * 0.7).sin() + 0.01).normalize();
            // Half turns, too, where the real part is zero.
            let angle = if i % 4 == 0 { std::f32::consts::PI } else { f * 0.37 };
            let (rotation, center) = (Quat::from_axis_angle(axis, angle), Vec3::new(f, -2.0, 0.5 * f));
            let size = [Vec3::new(2.0, 3.0, 5.0), Vec3::new(2.0, 0.0, 5.0), Vec3::new(0.0, 3.0, 5.0)][i % 3];
            let shape = Shape::from(Obb::new(center, rotation, size).unwrap());
            let (found, origin) = shape.own_pose();
            assert_eq!(origin, center);
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                assert!(is_near(found * axis, rotation * axis), "{rotation} {found}");
            }
            let model = shape.model().unwrap();
            let Shape::Obb(model) = model else { panic!("{model:?}") };
            let [a, b, c] = model.half_edges();
            assert!(is_near(Vec3::new(a.x, b.y, c.z), size), "{model:?}");
            assert!((a.y, a.z, b.x, b.z, c.x, c.y) == (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), "{model:?}");
        }
    }

    #[test]
    fn rods_points_and_skewed_boxes_have_a_pose_that_makes_them_again() {
        let rod = |edge: Vec3, at: usize| {
            let mut edges = [Vec3::ZERO; 3];
            edges[at] = edge;
            edges
        };
        let skewed = [Vec3::new(1.0, 0.5, 0.0), Vec3::new(0.25, 2.0, 1.0), Vec3::new(-1.0, 0.0, 3.0)];
        let mirrored = [Vec3::X, Vec3::Y * 2.0, Vec3::NEG_Z * 3.0];
        let long = Vec3::new(1.0, 2.0, 3.0);
        for edges in [rod(long, 0), rod(long, 1), rod(long, 2), rod(Vec3::ZERO, 0), skewed, mirrored] {
            let obb = Obb::from_half_edges(Vec3::new(7.0, 8.0, 9.0), edges).unwrap();
            let shape = Shape::from(obb);
            let (rotation, translation) = shape.own_pose();
            let again = shape.model().unwrap().transformed(rotation, translation).unwrap();
            let Shape::Obb(again) = again else { panic!("{again:?}") };
            assert_eq!(again.center(), obb.center());
            for (i, edge) in again.half_edges().into_iter().enumerate() {
                assert!(is_near(edge, edges[i]) || is_near(-edge, edges[i]), "{again:?} {obb:?}");
            }
        }
    }
}
