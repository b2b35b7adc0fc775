//! Solids and compounds as bodies: a shape that is rotated and moved as a whole.
//!
//! ```text
//!   model, as it was given  ── rotation · p + translation ──►  where it is
//! ```
//! Each pose is computed from the model, so that errors do not accumulate in the shape from step to step. Rotation is
//! about the centre of mass: the centre moves in a straight line, and the translation follows from it.

use super::{
    moments::{moments_of, principal},
    pose::quaternion,
};
use crate::{Compound, PlacedCompound, Shape, shape::Convex, tuning::SLANT};
use cullide_narrowphase::{
    Brush, Mapped, Moments, Obb,
    glam::{DMat3, DVec3, Vec3},
};
use std::{borrow::Cow, sync::Arc};

/// A solid or a compound, placed somewhere.
#[derive(Clone, Debug)]
pub(in crate::dynamics) struct Rigid {
    model: Arc<Model>,
    rotation: DMat3,
    translation: DVec3,
    /// The position of its centre of mass.
    center: DVec3,
    /// The model at its pose.
    shape: Shape,
}

/// What does not depend on the pose.
#[derive(Debug)]
struct Model {
    /// A brush that can be moved, or a compound of convex solids whose brushes can be moved.
    shape: Shape,
    /// At density 1, or as given.
    moments: Moments,
    /// Principal moments, and their axes.
    principal: ([f64; 3], [DVec3; 3]),
    radius: f32,
    inner_radius: f32,
}

impl Rigid {
    /// Returns `None` for a shape that is neither a brush nor a compound of solids, and for one without a volume.
    pub(in crate::dynamics) fn new(shape: &Shape) -> Option<Self> {
        let (model, rotation, translation) = model_of(shape)?;
        Self::at(Arc::new(Model::new(model, None)?), rotation, translation)
    }

    /// The same with moments that are given in the coordinates of the model, for example because they were saved; the
    /// volume stands for the mass, and any other solid is taken as a compound of it.
    pub(in crate::dynamics) fn weighted(shape: &Shape, moments: impl FnOnce(&DMat3, DVec3) -> Moments) -> Option<Self> {
        let is_alone = !matches!(shape, Shape::Brush(_) | Shape::Compound(_));
        let shape =
            if is_alone { Cow::Owned(Compound::new([shape.clone()]).ok()?.into()) } else { Cow::Borrowed(shape) };
        let (model, rotation, translation) = model_of(&shape)?;
        let moments = moments(&rotation, translation);
        Self::at(Arc::new(Model::new(model, Some(moments))?), rotation, translation)
    }

    /// The moments about its centre of mass, in the coordinates of the model.
    #[cfg(feature = "serde")]
    pub(in crate::dynamics) fn moments(&self) -> &Moments {
        &self.model.moments
    }

    fn at(model: Arc<Model>, rotation: DMat3, translation: DVec3) -> Option<Self> {
        let shape = match &model.shape {
            Shape::Brush(brush) => brush.moved(&rotation, translation).ok()?.into(),
            Shape::Compound(placed) => {
                PlacedCompound::restored(placed.compound().clone(), rotation, translation).ok()?.into()
            }
            _ => return None,
        };
        let center = rotation * model.moments.center + translation;
        Some(Self { model, rotation, translation, center, shape })
    }

    /// Where it gets by a motion and a rotation about its centre; `None` beyond the range of coordinates.
    pub(in crate::dynamics) fn moved(&self, motion: Vec3, rotation: Vec3) -> Option<Self> {
        let (rotation, translation) = self.pose_after(motion, rotation);
        Self::at(self.model.clone(), rotation, translation)
    }

    /// One of its parts there, and where its centre of mass is.
    pub(in crate::dynamics) fn part_moved(&self, part: u32, motion: Vec3, rotation: Vec3) -> Option<(Shape, DVec3)> {
        let (rotation, translation) = self.pose_after(motion, rotation);
        let shape = match &self.model.shape {
            Shape::Brush(brush) => brush.moved(&rotation, translation).ok()?.into(),
            Shape::Compound(placed) => {
                placed.compound().children().get(part as usize)?.transformed_by(&rotation, translation).ok()?
            }
            _ => return None,
        };
        Some((shape, rotation * self.model.moments.center + translation))
    }

    fn pose_after(&self, motion: Vec3, rotation: Vec3) -> (DMat3, DVec3) {
        if rotation == Vec3::ZERO {
            return (self.rotation, self.translation + motion.as_dvec3());
        }
        let turned = orthonormal(&(rotation_by(rotation.as_dvec3()) * self.rotation));
        (turned, self.center + motion.as_dvec3() - turned * self.model.moments.center)
    }

    /// Whether this is the shape of an object.
    pub(in crate::dynamics) fn is(&self, shape: &Shape) -> bool {
        match (&self.shape, shape) {
            (Shape::Brush(own), Shape::Brush(other)) => match (own.moved_from(), other.moved_from()) {
                (Some((model, rotation, translation)), Some(other)) => {
                    rotation == other.1 && translation == other.2 && (std::ptr::eq(model, other.0) || model == other.0)
                }
                _ => false,
            },
            (Shape::Compound(own), Shape::Compound(other)) => {
                own.map() == other.map() && own.compound() == other.compound()
            }
            _ => false,
        }
    }

    pub(in crate::dynamics) fn shape(&self) -> &Shape {
        &self.shape
    }

    pub(in crate::dynamics) fn center(&self) -> DVec3 {
        self.center
    }

    pub(in crate::dynamics) fn radius(&self) -> f32 {
        self.model.radius
    }

    pub(in crate::dynamics) fn inner_radius(&self) -> f32 {
        self.model.inner_radius
    }

    /// The unit axes about which the moments of inertia are taken.
    pub(in crate::dynamics) fn axes(&self) -> [Vec3; 3] {
        self.model.principal.1.mapped(|axis| (self.rotation * axis).as_vec3())
    }

    /// Its volume, and the squares of the radii of gyration about its axes.
    pub(in crate::dynamics) fn gyration(&self) -> (f64, [f64; 3]) {
        let volume = self.model.moments.volume;
        (volume, self.model.principal.0.mapped(|moment| moment / volume))
    }

    pub(in crate::dynamics) fn part_count(&self) -> u32 {
        part_count(&self.shape)
    }
}

/// The model of a brush or a compound, and where it is placed.
fn model_of(shape: &Shape) -> Option<(Shape, DMat3, DVec3)> {
    match shape {
        Shape::Brush(brush) => Some(match brush.moved_from() {
            Some((model, rotation, translation)) => (movable(model)?.into(), rotation, translation),
            None => (movable(brush)?.into(), DMat3::IDENTITY, DVec3::ZERO),
        }),
        Shape::Compound(placed) => {
            let (compound, rotation, translation) = placed.baked()?;
            Some((movable_children(&compound)?.into(), rotation, translation))
        }
        _ => None,
    }
}

impl Model {
    fn new(shape: Shape, given: Option<Moments>) -> Option<Self> {
        let parts = || (0..part_count(&shape)).map(|number| shape.part(number));
        let moments = given.or_else(|| {
            let mut sum: Option<Moments> = None;
            for part in parts() {
                let own = moments_of(&part?)?;
                sum = Some(sum.map_or(own, |sum| sum.joined(&own)));
            }
            sum
        });
        let moments = moments.filter(|sum| sum.volume > 0.0 && sum.volume.is_finite() && sum.inertia.is_finite())?;
        let radius = parts().flatten().map(|part| farthest(&part, moments.center)).fold(0.0, f64::max);
        let thickness = |part: Convex| thickness(&part, moments.center);
        let inner_radius = parts().flatten().map(thickness).fold(f64::INFINITY, f64::min);
        let principal = principal(&moments.inertia);
        // Rounding must not make the radius less.
        let radius = (radius as f32).next_up();
        Some(Self { shape, moments, principal, radius, inner_radius: inner_radius.max(0.0) as f32 })
    }
}

fn part_count(shape: &Shape) -> u32 {
    if let Shape::Compound(placed) = shape { placed.compound().len() as u32 } else { 1 }
}

/// The brush where it is, in a form that keeps its faces wherever it is moved.
fn movable(brush: &Brush) -> Option<Brush> {
    match brush.moved_from() {
        Some(_) => Some(brush.clone()),
        None => brush.moved(&DMat3::IDENTITY, DVec3::ZERO).ok(),
    }
}

/// The compound with movable brushes, which also replace its skewed boxes; `None` if a child is not a solid.
fn movable_children(compound: &Compound) -> Option<Compound> {
    let is_fixed = |child: &Shape| match child {
        Shape::Brush(brush) => brush.moved_from().is_none(),
        Shape::Obb(shape) => is_skewed(shape),
        _ => false,
    };
    let is_solid = |child: &Shape| child.convex().is_some_and(|child| moments_of(&child).is_some());
    if !compound.children().iter().all(is_solid) {
        return None;
    }
    if !compound.children().iter().any(is_fixed) {
        return Some(compound.clone());
    }
    let children = compound.children().iter().map(|child| match child {
        Shape::Brush(brush) => Some(movable(brush)?.into()),
        Shape::Obb(shape) if is_skewed(shape) => Some(movable(&Brush::try_from(shape).ok()?)?.into()),
        other => Some(other.clone()),
    });
    compound.with_children(children.collect::<Option<_>>()?)
}

/// Whether the edges of a box are not at right angles, by more than rounding: a box that was rotated and then scaled.
pub(in crate::dynamics) fn is_skewed(shape: &Obb) -> bool {
    crate::shape::is_skewed(shape, SLANT)
}

/// The distance of the farthest point of a solid from a point.
fn farthest(shape: &Convex, from: DVec3) -> f64 {
    match shape {
        Convex::Aabb(shape) => {
            let [low, high] = [shape.min(), shape.max()].mapped(|corner| (corner.as_dvec3() - from).abs());
            low.max(high).length()
        }
        Convex::Obb(shape) => shape.corners().iter().map(|corner| corner.as_dvec3().distance(from)).fold(0.0, f64::max),
        Convex::Sphere(shape) => shape.center().as_dvec3().distance(from) + f64::from(shape.radius()),
        Convex::Capsule(shape) => {
            let (center, half) = (shape.center().as_dvec3(), shape.half_axis().as_dvec3());
            (center + half).distance(from).max((center - half).distance(from)) + f64::from(shape.radius())
        }
        Convex::Cylinder(shape) => shape.farthest_from(from),
        Convex::Brush(shape) => shape.vertices().iter().map(|vertex| vertex.distance(from)).fold(0.0, f64::max),
        Convex::Patch(_) | Convex::Triangle(..) => 0.0,
    }
}

/// The radius of a ball that fits into a solid: for a brush, around the point if that is inside, otherwise around the
/// brush's own centre.
fn thickness(shape: &Convex, center: DVec3) -> f64 {
    match shape {
        Convex::Aabb(shape) => f64::from(0.5 * (shape.max() - shape.min()).min_element()),
        Convex::Obb(shape) => f64::from(shape.half_extents().min_element()),
        Convex::Sphere(shape) => f64::from(shape.radius()),
        Convex::Capsule(shape) => f64::from(shape.radius()),
        Convex::Cylinder(shape) => shape.inner_radius(),
        Convex::Brush(shape) => {
            let around = |point: DVec3| {
                shape.planes().iter().map(|plane| -plane.signed_distance(point)).fold(f64::INFINITY, f64::min)
            };
            let own = around(center);
            if own > 0.0 { own } else { around(shape.moments().center) }
        }
        Convex::Patch(_) | Convex::Triangle(..) => 0.0,
    }
}

/// The rotation of a rotation vector.
pub(in crate::dynamics) fn rotation_by(vector: DVec3) -> DMat3 {
    let turn = quaternion(vector);
    let (v, w) = (turn.xyz(), turn.w);
    let column = |axis: DVec3| axis + v.cross(axis) * (2.0 * w) + v.cross(v.cross(axis)) * 2.0;
    DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))
}

/// The rotation near a matrix (Gram and Schmidt).
pub(in crate::dynamics) fn orthonormal(matrix: &DMat3) -> DMat3 {
    let x = matrix.x_axis / matrix.x_axis.length();
    let y = matrix.y_axis - x * x.dot(matrix.y_axis);
    let y = y / y.length();
    DMat3::from_cols(x, y, x.cross(y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cullide_narrowphase::{Aabb, Hull, glam::DQuat};
    use cullide_scenes::{Rng, SEED};

    #[test]
    fn rotations_are_those_of_their_vectors() {
        let mut rng = Rng::with_seed(SEED);
        for case in 0..1000 {
            let any = |rng: &mut Rng| 2.0 * f64::from(rng.f32()) - 1.0;
            let size = [1e-9, 1e-3, 0.3, 3.0, 40.0][case % 5];
            let vector = DVec3::new(any(&mut rng), any(&mut rng), any(&mut rng)) * size;
            let expected = DMat3::from_quat(DQuat::from_scaled_axis(vector));
            let off = rotation_by(vector) - expected;
            let most = [off.x_axis, off.y_axis, off.z_axis].map(|column| column.length());
            assert!(most.into_iter().fold(0.0, f64::max) < 1e-13, "{vector}: {most:?}");
        }
        assert_eq!(rotation_by(DVec3::ZERO), DMat3::IDENTITY);
    }

    #[test]
    fn a_hull_that_turns_for_an_hour_is_the_same_hull_and_about_its_centre_of_mass() {
        let points = [Vec3::ZERO, Vec3::X * 3.0, Vec3::Y * 2.0, Vec3::Z, Vec3::new(1.0, 1.0, -1.0)];
        let given = Shape::from(Hull::new(&points).unwrap());
        let first = Rigid::new(&given).unwrap();
        let mut body = first.clone();
        for _ in 0..216_000 {
            body = body.moved(Vec3::ZERO, Vec3::new(0.01, -0.02, 0.03)).unwrap();
        }
        assert!(body.center().distance(first.center()) < 1e-9);
        let (Shape::Brush(was), Shape::Brush(is)) = (first.shape(), body.shape()) else { panic!("hulls") };
        for (i, a) in was.vertices().iter().enumerate() {
            for (j, b) in was.vertices().iter().enumerate() {
                let now = is.vertices()[i].distance(is.vertices()[j]);
                assert!((now - a.distance(*b)).abs() < 1e-14, "{i} {j}: {now}");
            }
        }
        assert!(body.is(&Shape::Brush(is.clone())) && !first.is(body.shape()));
    }

    #[test]
    fn what_is_no_solid_is_no_body() {
        let flat = Aabb::new(Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0)).unwrap();
        let thick = Aabb::new(Vec3::ZERO, Vec3::ONE).unwrap();
        let triangle = cullide_narrowphase::Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y).unwrap();
        let of = |children: Vec<Shape>| Rigid::new(&Compound::new(children).unwrap().into());
        assert!(of(vec![flat.into()]).is_none());
        assert!(of(vec![thick.into(), triangle.into()]).is_none());
        assert!(of(vec![thick.into(), flat.into()]).is_some());
        let thin = Hull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z * 1e-30]).unwrap();
        assert!(Rigid::new(&thin.into()).is_none());
    }
}
