//! Mass, centre and inertia of the parts of a body, at density 1.

use super::pose::{across, axes_of};
use crate::shape::Convex;
use cullide_narrowphase::{
    Cylinder, Mapped, Moments, Obb,
    glam::{DMat3, DVec3, Vec3},
};

/// An off-diagonal entry counts as zero if it is a smaller share of the trace.
const DIAGONAL: f64 = 1e-15;

/// The number of rounds over all off-diagonal entries: once they are small, each round squares what is left of them.
const SWEEPS: usize = 12;

/// The moments of a convex solid; `None` for a polygon.
pub(in crate::dynamics) fn moments_of(shape: &Convex) -> Option<Moments> {
    let (center, axes, (volume, gyration)) = match shape {
        Convex::Aabb(shape) => return moments_of(&Convex::Obb(Obb::from(shape))),
        Convex::Obb(shape) => {
            let edges = shape.half_edges();
            let size = of_box(edges.mapped(|edge| edge.as_dvec3().length()));
            (shape.center(), axes_of(edges), size)
        }
        Convex::Sphere(shape) => (shape.center(), [Vec3::X, Vec3::Y, Vec3::Z], of_ball(f64::from(shape.radius()))),
        Convex::Capsule(shape) => {
            let along = shape.half_axis().try_normalize().unwrap_or(Vec3::Y);
            let (x, z) = across(along);
            let size = of_capsule(shape.half_axis().as_dvec3().length(), f64::from(shape.radius()));
            (shape.center(), [x, along, z], size)
        }
        Convex::Cylinder(shape) => return Some(shape.moments()),
        Convex::Brush(shape) => return Some(shape.moments()),
        Convex::Patch(_) | Convex::Triangle(..) => return None,
    };
    let mut inertia = DMat3::ZERO;
    for (axis, square) in axes.into_iter().zip(gyration) {
        let axis = axis.as_dvec3();
        inertia += DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z) * (square * volume);
    }
    Some(Moments { volume, center: center.as_dvec3(), inertia })
}

/// Half extents a, b, c: the volume, and the squares of the radii of gyration, (b² + c²) / 3 about the first axis.
pub(in crate::dynamics) fn of_box([a, b, c]: [f64; 3]) -> (f64, [f64; 3]) {
    let (x, y, z) = (a * a / 3.0, b * b / 3.0, c * c / 3.0);
    (8.0 * a * b * c, [y + z, x + z, x + y])
}

pub(in crate::dynamics) fn of_ball(radius: f64) -> (f64, [f64; 3]) {
    (4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius, [0.4 * radius * radius; 3])
}

/// Along y: a cylinder, and two half balls whose centres of mass are 3/8 of the radius beyond its ends.
pub(in crate::dynamics) fn of_capsule(half: f64, radius: f64) -> (f64, [f64; 3]) {
    let square = radius * radius;
    let cylinder = std::f64::consts::PI * square * 2.0 * half;
    let ball = 4.0 / 3.0 * std::f64::consts::PI * square * radius;
    let volume = cylinder + ball;
    if volume <= 0.0 {
        // A rod without a volume.
        let across = half * half / 3.0;
        return (0.0, [across, 0.0, across]);
    }
    let about = (cylinder * 0.5 * square + ball * 0.4 * square) / volume;
    let along = cylinder * (0.25 * square + half * half / 3.0);
    let ends = ball * (0.4 * square + half * half + 0.75 * half * radius);
    let across = (along + ends) / volume;
    (volume, [across, about, across])
}

/// The same for a cylinder or a cone, about its centre of mass, the second about its axis.
pub(in crate::dynamics) fn of_cylinder(shape: &Cylinder) -> (f64, [f64; 3]) {
    let (moments, half) = (shape.moments(), shape.half_axis().as_dvec3());
    if moments.volume <= 0.0 {
        let across = half.length_squared() / 3.0;
        return (0.0, [across, 0.0, across]);
    }
    let axis = half / half.length();
    let (about, inertia) = (axis.dot(moments.inertia * axis), moments.inertia);
    let across = 0.5 * (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z - about);
    (moments.volume, [across, about, across].mapped(|moment| moment / moments.volume))
}

/// The symmetric part of a tensor.
pub(in crate::dynamics) fn symmetric(tensor: &DMat3) -> DMat3 {
    (*tensor + tensor.transpose()) * 0.5
}

/// The moments about the principal axes of a symmetric tensor, none of them negative, and these axes, right-handed.
///
/// Source: Jacobi's method; Golub and Van Loan, *Matrix Computations*, §8.5.
pub(in crate::dynamics) fn principal(tensor: &DMat3) -> ([f64; 3], [DVec3; 3]) {
    let mut a = tensor.to_cols_array_2d();
    let mut axes = DVec3::AXES;
    let least = DIAGONAL * (a[0][0] + a[1][1] + a[2][2]).abs();
    for _ in 0..SWEEPS {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q].abs() <= least {
                continue;
            }
            // The rotation in the plane of the two axes that makes the entry zero.
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let cos = 1.0 / (tangent * tangent + 1.0).sqrt();
            let sin = tangent * cos;
            for row in &mut a {
                let (x, y) = (row[p], row[q]);
                (row[p], row[q]) = (cos * x - sin * y, sin * x + cos * y);
            }
            let (x, y) = (a[p], a[q]);
            a[p] = [0, 1, 2].mapped(|k| cos * x[k] - sin * y[k]);
            a[q] = [0, 1, 2].mapped(|k| sin * x[k] + cos * y[k]);
            let (x, y) = (axes[p], axes[q]);
            (axes[p], axes[q]) = (x * cos - y * sin, x * sin + y * cos);
        }
    }
    ([a[0][0], a[1][1], a[2][2]].mapped(|moment| moment.max(0.0)), axes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_narrowphase::glam::DQuat;
    use cullide_scenes::{Rng, SEED};

    #[test]
    fn principal_axes_are_those_that_a_tensor_was_made_of() {
        let mut rng = Rng::with_seed(SEED);
        for case in 0..500 {
            let mut any = || 2.0 * f64::from(rng.f32()) - 1.0;
            let turn = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(any(), any(), any()) * 3.0));
            let size = 10f64.powi(case % 9 - 4);
            let given = DVec3::new(1.0 + any(), 3.0 + any(), 10.0 + any()) * size;
            let tensor = turn * DMat3::from_diagonal(given) * turn.transpose();
            let (moments, axes) = principal(&tensor);
            assert!((axes[0].cross(axes[1]) - axes[2]).length() < 1e-14);
            for (moment, axis) in moments.into_iter().zip(axes) {
                assert!((tensor * axis - axis * moment).length() < 1e-13 * given.z, "case {case}: {moments:?} {given}");
            }
        }
    }

    #[test]
    fn a_diagonal_tensor_keeps_its_axes() {
        let tensor = DMat3::from_diagonal(DVec3::new(5.0, 2.0, 5.0));
        assert_eq!(principal(&tensor), ([5.0, 2.0, 5.0], DVec3::AXES));
        assert_eq!(principal(&DMat3::ZERO), ([0.0; 3], DVec3::AXES));
    }
}
