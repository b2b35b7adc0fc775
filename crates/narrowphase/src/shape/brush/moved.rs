//! A brush rotated and moved as a whole, with the same faces, edges and vertices.
//!
//! ```text
//!   made of: planes or points  ── rotation · p + translation, in f64 ──►  planes and vertices where it is
//! ```
//! Nothing is rebuilt, so the topology stays as it was. A brush that is moved often is always computed from what it was
//! made from, so its shape does not drift, however often it moves.

use super::{
    Brush, BrushGeometry, BrushPlane, Given,
    flat::{Faces, beyond},
};
use crate::{Error, exact::ROUNDING};
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// How far the axes of a rotation may be from orthonormal ones: 2^-40.
const SLANT: f64 = 1.0 / (1u64 << 40) as f64;

/// How far a vertex may be off, relative to the coordinates before and after and to the translation, summed: 2^-24, half
/// a step of `f32`.
const THINNEST: f64 = 1.0 / (1u64 << 24) as f64;

/// Where a moved brush comes from.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BrushOrigin {
    /// The brush as it was made, before it was moved.
    model: Arc<Brush>,
    faces: Arc<Faces>,
    rotation: DMat3,
    translation: DVec3,
}

impl Brush {
    /// Returns this brush turned about the origin by `rotation` and then moved by `translation`, with the same faces,
    /// edges and vertices wherever it goes. Planes and vertices are computed in `f64` from what the brush was made
    /// from; for a brush that was moved before, the moves are combined, and the rotation is kept orthonormal.
    ///
    /// Faces of a hull that lie in one plane up to 2^-22 of its coordinates, such as the sides of a box whose corners
    /// were rotated and rounded, become one face, without vertices inside.
    ///
    /// The result is defined by its planes, like a brush that was given by planes. The planes of a hull pass through
    /// its vertices up to the same bound.
    ///
    /// # Errors
    /// [`Error::NonFinite`]; [`Error::OutOfRange`] for a matrix that is not a rotation up to 2^-40, and when a vertex
    /// leaves the range of coordinates; [`Error::Empty`] for a brush so thin at its destination that rounding may move
    /// a vertex by 2^-24 of its coordinates, before and after, and of the translation together.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Brush, glam::{DMat3, DVec3, Vec3}};
    /// let brush = Brush::try_from(&Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0))?)?;
    /// let quarter = DMat3::from_cols(DVec3::Y, DVec3::NEG_X, DVec3::Z);
    /// let moved = brush.moved(&quarter, DVec3::X * 10.0)?;
    /// assert_eq!((moved.aabb().min(), moved.aabb().max()), (Vec3::X * 7.0, Vec3::new(10.0, 2.0, 5.0)));
    /// assert_eq!(moved.moved_from().map(|(model, ..)| model), Some(&brush));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn moved(&self, rotation: &DMat3, translation: DVec3) -> Result<Self, Error> {
        if !rotation.is_finite() {
            return Err(Error::NonFinite { field: "rotation" });
        }
        if !translation.is_finite() {
            return Err(Error::NonFinite { field: "translation" });
        }
        if !is_rotation(rotation) {
            return Err(Error::OutOfRange { field: "rotation" });
        }
        let origin = match &self.given {
            Given::Moved(origin) => origin.then(rotation, translation),
            Given::Planes | Given::Points => {
                let faces = Arc::new(Faces::of(self));
                BrushOrigin { model: Arc::new(self.clone()), faces, rotation: *rotation, translation }
            }
        };
        origin.place()
    }

    /// Returns the brush that this one was moved from, and how: by a rotation about the origin, then a translation.
    /// `None` for a brush that was never moved.
    #[doc(hidden)]
    pub fn moved_from(&self) -> Option<(&Brush, DMat3, DVec3)> {
        match &self.given {
            Given::Moved(origin) => Some((&origin.model, origin.rotation, origin.translation)),
            Given::Planes | Given::Points => None,
        }
    }
}

impl BrushOrigin {
    /// The same brush, turned and moved further.
    fn then(&self, rotation: &DMat3, translation: DVec3) -> Self {
        let turned =
            if self.rotation == DMat3::IDENTITY { *rotation } else { orthonormal(&(*rotation * self.rotation)) };
        let translation = *rotation * self.translation + translation;
        Self { model: self.model.clone(), faces: self.faces.clone(), rotation: turned, translation }
    }

    fn place(self) -> Result<Brush, Error> {
        let Self { model, faces, rotation, translation } = &self;
        let vertices: Vec<DVec3> = faces.vertices.iter().map(|vertex| *rotation * *vertex + *translation).collect();
        // Collecting results would grow the list step by step.
        let mut planes = Vec::with_capacity(faces.normals.len());
        for (face, normal) in faces.normals.iter().enumerate() {
            let normal = *rotation * *normal;
            let normal = normal / normal.length();
            let along = faces.topology.face(face).iter().map(|vertex| normal.dot(vertices[*vertex]));
            planes.push(BrushPlane::new(normal, along.fold(f64::NEG_INFINITY, f64::max))?);
        }
        let vertex_error = vertex_error(model, faces, &vertices, &planes, *translation)?;
        let first = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        let [mut min, mut max] = vertices.iter().fold(first, |[min, max], vertex| [min.min(*vertex), max.max(*vertex)]);
        (min, max) = (min - vertex_error, max + vertex_error);
        for plane in &planes {
            if let Some((axis, coordinate)) = plane.axial() {
                let bound = if plane.normal[axis] > 0.0 { &mut max } else { &mut min };
                bound[axis] = coordinate;
            }
        }
        let shared = faces.topology.clone();
        let solid = BrushGeometry { planes, vertices, bounds: [min, max], vertex_error };
        Brush::of(solid, shared, 0.0, Given::Moved(self), "translation")
    }
}

/// A bound on how far the solid between the planes may reach beyond the vertices along any direction: each plane passes
/// through its vertices up to some error.
fn vertex_error(
    model: &Brush,
    faces: &Faces,
    vertices: &[DVec3],
    planes: &[BrushPlane],
    translation: DVec3,
) -> Result<f64, Error> {
    let behind = |inside| planes.iter().map(|plane| -plane.signed_distance(inside)).fold(f64::INFINITY, f64::min);
    let beyond = beyond(vertices, behind);
    // The rounding of sums of three products, and of three products and a translation.
    let size = |points: &[DVec3]| points.iter().map(|point| point.abs().element_sum()).fold(0.0, f64::max);
    let size = size(vertices) + size(&model.vertices) + translation.abs().element_sum();
    let off = 2.0 * model.plane_error + 16.0 * ROUNDING * size;
    let error = |off: f64| model.vertex_error + off * beyond;
    if error(off) <= THINNEST * size { Ok(error(off + faces.off)) } else { Err(Error::Empty { field: "rotation" }) }
}

fn is_rotation(matrix: &DMat3) -> bool {
    let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    let products = [x.length_squared() - 1.0, y.length_squared() - 1.0, x.dot(y)];
    products.iter().all(|off| off.abs() <= SLANT) && (x.cross(y) - z).abs().max_element() <= SLANT
}

/// The rotation close to a matrix (Gram-Schmidt).
fn orthonormal(matrix: &DMat3) -> DMat3 {
    let x = matrix.x_axis / matrix.x_axis.length();
    let y = matrix.y_axis - x * x.dot(matrix.y_axis);
    let y = y / y.length();
    DMat3::from_cols(x, y, x.cross(y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ContactManifold, ContactShape, Hull, ManifoldCache, Obb, Segment};
    use cullide_scenes::{Rng, SEED};
    use glam::{DQuat, Vec3};

    fn any(rng: &mut Rng) -> Vec3 {
        Vec3::from([0; 3].map(|_| 2.0 * rng.f32() - 1.0))
    }

    fn any_turn(rng: &mut Rng) -> DMat3 {
        DMat3::from_quat(DQuat::from_scaled_axis(any(rng).as_dvec3() * 3.0))
    }

    #[test]
    fn every_vertex_lies_behind_every_plane_and_none_is_lost() {
        let mut rng = Rng::with_seed(SEED);
        for case in 0..200 {
            let size = 10f32.powi(case % 5 - 2);
            let points: Vec<Vec3> = (0..5 + case % 40).map(|_| any(&mut rng) * size).collect();
            let hull = Brush::from(Hull::new(&points).unwrap());
            let (turn, shift) = (any_turn(&mut rng), any(&mut rng).as_dvec3() * 1e3);
            let moved = hull.moved(&turn, shift).unwrap();
            assert_eq!((moved.edges(), moved.faces().len()), (hull.edges(), hull.faces().len()));
            assert!(moved.points().is_none() && moved.moved_from().is_some());
            for plane in moved.planes() {
                for vertex in moved.vertices() {
                    assert!(plane.signed_distance(*vertex) <= moved.vertex_error(), "case {case}");
                }
            }
            let bounds = moved.aabb();
            assert!(
                moved
                    .vertices()
                    .iter()
                    .all(|v| { v.cmpge(bounds.min().as_dvec3()).all() && v.cmple(bounds.max().as_dvec3()).all() })
            );
        }
    }

    #[test]
    fn a_spike_reaches_hardly_beyond_its_vertices() {
        let mut rng = Rng::with_seed(SEED);
        let (mut moved, mut most) = (0, 0.0f64);
        for case in 0..2000 {
            let (turn, tip) = (any_turn(&mut rng), 10f64.powi(-(case % 7)));
            let shape = if case % 2 == 0 { [1.0, tip, 1.0] } else { [tip, tip, 1.0] };
            let corner = |x: f64, y: f64, z: f64| {
                let size = if z > 0.0 { shape[1] } else { shape[0] };
                (turn * DVec3::new(x * size, y * size, z * 3.0 * shape[2])).as_vec3()
            };
            let sides = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
            let points: Vec<Vec3> =
                sides.into_iter().flat_map(|(x, y)| [corner(x, y, 1.0), corner(x, y, -1.0)]).collect();
            let Ok(hull) = Hull::new(&points) else { continue };
            let Ok(spike) = Brush::from(hull).moved(&any_turn(&mut rng), any(&mut rng).as_dvec3()) else { continue };
            moved += 1;
            most = most.max(spike.vertex_error());
        }
        assert!(moved > 1000 && most < 1e-3, "{moved} {most}");
    }

    #[test]
    fn a_hull_that_is_moved_on_a_hundred_thousand_times_is_still_the_same_hull() {
        let mut rng = Rng::with_seed(SEED);
        let points: Vec<Vec3> = (0..20).map(|_| any(&mut rng)).collect();
        let hull = Brush::from(Hull::new(&points).unwrap());
        let step = any_turn(&mut rng);
        let mut moved = hull.clone();
        for _ in 0..100_000 {
            moved = moved.moved(&step, DVec3::ZERO).unwrap();
        }
        for (i, a) in hull.vertices().iter().enumerate() {
            for (j, b) in hull.vertices().iter().enumerate() {
                let found = moved.vertices()[i].distance(moved.vertices()[j]);
                assert!((found - a.distance(*b)).abs() < 1e-14, "{i} {j}");
            }
        }
        let (model, rotation, translation) = moved.moved_from().unwrap();
        assert_eq!(model.moved(&rotation, translation).unwrap(), moved);
    }

    #[test]
    fn a_moved_hull_is_crossed_and_touched_where_the_hull_of_moved_points_is() {
        let mut rng = Rng::with_seed(SEED);
        let mut hits = 0;
        for case in 0..500 {
            let points: Vec<Vec3> = (0..12).map(|_| any(&mut rng)).collect();
            let (turn, shift) = (any_turn(&mut rng), any(&mut rng).as_dvec3() * 4.0);
            let moved = Brush::from(Hull::new(&points).unwrap()).moved(&turn, shift).unwrap();
            let there: Vec<Vec3> = points.iter().map(|p| (turn * p.as_dvec3() + shift).as_vec3()).collect();
            let again = Brush::from(Hull::new(&there).unwrap());
            let from = shift.as_vec3() + any(&mut rng) * 3.0;
            let path = Segment::between(from, shift.as_vec3() + any(&mut rng) * 0.3).unwrap();
            if let (Some(a), Some(b)) = (path.cast(&moved), path.cast(&again)) {
                assert!((a.fraction - b.fraction).abs() < 1e-4, "case {case}: {a:?} {b:?}");
                hits += 1;
            }
            let body = Obb::new(from, glam::Quat::from_rotation_x(0.3), Vec3::new(0.2, 0.3, 0.5)).unwrap();
            let distance = |brush: &Brush| {
                let (mut manifold, shape) = (ContactManifold::default(), ContactShape::Box(&body));
                manifold.update(&ContactShape::Brush(brush), &shape, 9.0, &mut ManifoldCache::default());
                manifold.distance()
            };
            assert!((distance(&moved) - distance(&again)).abs() < 1e-5, "case {case}");
            assert!((moved.gap(&body).separation - again.gap(&body).separation).abs() < 1e-5, "case {case}");
        }
        assert!(hits > 300, "{hits}");
    }

    #[test]
    fn what_is_no_rotation_and_what_would_be_too_thin_is_refused() {
        let brush = Brush::from(Hull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]).unwrap());
        let mirror = DMat3::from_diagonal(DVec3::new(1.0, 1.0, -1.0));
        for matrix in [mirror, DMat3::ZERO, DMat3::IDENTITY * 1.001] {
            assert_eq!(brush.moved(&matrix, DVec3::ZERO), Err(Error::OutOfRange { field: "rotation" }));
        }
        let infinite = DVec3::splat(f64::INFINITY);
        assert_eq!(brush.moved(&DMat3::IDENTITY, infinite), Err(Error::NonFinite { field: "translation" }));
        assert!(brush.moved(&DMat3::IDENTITY, DVec3::X * 1e10).is_err());
        let flat = Brush::from(Hull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z * 1e-30]).unwrap());
        assert_eq!(flat.moved(&DMat3::IDENTITY, DVec3::ZERO), Err(Error::Empty { field: "rotation" }));
    }

    #[cfg(feature = "serde")]
    #[test]
    fn a_moved_brush_is_loaded_bit_for_bit() {
        let mut rng = Rng::with_seed(SEED);
        for case in 0..40 {
            let points: Vec<Vec3> = (0..12).map(|_| any(&mut rng)).collect();
            let made = Brush::from(Hull::new(&points).unwrap());
            let body = Obb::new(any(&mut rng), glam::Quat::from_rotation_x(0.7), Vec3::new(1.0, 2.0, 3.0)).unwrap();
            let made = if case % 2 == 0 { made } else { Brush::try_from(&body).unwrap() };
            let moved = made.moved(&any_turn(&mut rng), any(&mut rng).as_dvec3()).unwrap();
            let saved = super::super::raw::Raw::from(moved.clone());
            assert_eq!(Brush::try_from(saved).unwrap(), moved);
        }
    }
}
