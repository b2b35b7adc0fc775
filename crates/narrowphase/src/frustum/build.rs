//! Frusta from a camera and from a matrix.

use super::Frustum;
use crate::{
    Error, MAX_COORDINATE, Plane, Ray,
    arrays::Mapped,
    exact::{unit, vector},
    sweep::rotating::rotation::sin_cos,
};
use arrayvec::ArrayVec;
use glam::{DVec3, DVec4, Mat4, Vec2, Vec3};

/// Which depths a projection keeps, after the division by `w`. A matrix does not say, so the caller must.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ClipSpace {
    /// `0 ≤ z ≤ 1`: Direct3D, Metal, Vulkan, WebGPU.
    ZeroToOne,
    /// `−1 ≤ z ≤ 1`: OpenGL.
    MinusOneToOne,
}

/// A perspective view. The fields are checked by [`Frustum::from_camera`].
///
/// [`Camera::default`] stands at the origin and looks along −z with y up; its view is 60° high, 16:9 wide, and from 0.1
/// to 1000 deep.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Camera {
    /// The eye.
    pub position: Vec3,
    /// Where the camera looks, of any length.
    pub forward: Vec3,
    /// The rough direction that is up in the picture; not along `forward`.
    pub up: Vec3,
    /// The angle between the bottom and the top of the picture in radians, in `(0, π)`.
    pub fov_y: f32,
    /// The width of the picture divided by its height, positive.
    pub aspect: f32,
    /// The distance along `forward` at which the view begins, positive.
    pub near: f32,
    /// The distance along `forward` at which the view ends, beyond `near`; infinite for a view without end.
    pub far: f32,
}

impl Default for Camera {
    fn default() -> Self {
        Self {
            position: Vec3::ZERO,
            forward: Vec3::NEG_Z,
            up: Vec3::Y,
            fov_y: std::f32::consts::FRAC_PI_3,
            aspect: 16.0 / 9.0,
            near: 0.1,
            far: 1000.0,
        }
    }
}

impl Camera {
    /// Returns the ray from the eye through a point of the picture: `(-1, -1)` is its lower left corner, `(1, 1)` the
    /// upper right one. To pick what lies under a cursor, cast it.
    ///
    /// # Errors
    /// Those of [`Frustum::from_camera`] for the position, the directions and the angles; [`Error::NonFinite`] for `at`.
    ///
    /// ```
    /// # use cullide_narrowphase::{Camera, glam::{Vec2, Vec3}};
    /// let camera = Camera { position: Vec3::Y, fov_y: std::f32::consts::FRAC_PI_2, aspect: 2.0, ..Camera::default() };
    /// // The middle of the right border, of a picture of 800 by 400 pixels.
    /// let (pixel, size) = (Vec2::new(800.0, 200.0), Vec2::new(800.0, 400.0));
    /// let ray = camera.ray(Vec2::new(2.0, -2.0) * pixel / size + Vec2::new(-1.0, 1.0))?;
    /// assert_eq!(ray.origin(), Vec3::Y);
    /// assert!(ray.direction().distance(Vec3::new(2.0, 0.0, -1.0).normalize()) < 1e-6);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn ray(&self, at: Vec2) -> Result<Ray, Error> {
        if !at.is_finite() {
            return Err(Error::NonFinite { field: "at" });
        }
        let [right, up, forward] = self.axes()?;
        let ([width, height], at) = (self.slopes()?, at.as_dvec2());
        let direction = forward + right * (width * at.x) + up * (height * at.y);
        Ray::new(unit::coordinates(self.position, "position")?, vector::normalized(direction).as_vec3())
    }

    /// The unit vectors to the right, up and forward.
    fn axes(&self) -> Result<[DVec3; 3], Error> {
        let unit = |v: Vec3, field| unit::normal_length(v.as_dvec3(), field).map(|length| v.as_dvec3() / length);
        let (forward, up) = (unit(self.forward, "forward")?, unit(self.up, "up")?);
        let right = forward.cross(up);
        // Parallel vectors leave the rounding of their normalisation.
        if right.length() <= 4.0 * f64::EPSILON {
            return Err(Error::ZeroNormal { field: "up" });
        }
        let right = vector::normalized(right);
        Ok([right, right.cross(forward), forward])
    }

    /// Half the width and height of the picture at distance 1.
    fn slopes(&self) -> Result<[f64; 2], Error> {
        let fov = f64::from(unit::coordinate(self.fov_y, "fov_y")?);
        let aspect = f64::from(unit::coordinate(self.aspect, "aspect")?);
        if fov <= 0.0 || fov >= std::f64::consts::PI {
            return Err(Error::OutOfRange { field: "fov_y" });
        }
        if aspect <= 0.0 {
            return Err(Error::OutOfRange { field: "aspect" });
        }
        let (sin, cos) = sin_cos(0.5 * fov * std::f64::consts::FRAC_2_PI);
        let slope = sin / cos;
        Ok([slope * aspect, slope])
    }

    /// Near and far; the latter may be infinite.
    fn depths(&self) -> Result<[f64; 2], Error> {
        let near = unit::coordinate(self.near, "near")?;
        if near <= 0.0 {
            return Err(Error::OutOfRange { field: "near" });
        }
        let far = if self.far == f32::INFINITY { self.far } else { unit::coordinate(self.far, "far")? };
        if near < far { Ok([near.into(), far.into()]) } else { Err(Error::Inverted { field: "near" }) }
    }
}

impl Frustum {
    /// Creates the frustum that `camera` sees. Prefer this to [`Frustum::from_matrix`]: the far plane of a matrix in
    /// `f32` is off by 1 % at 10⁵ times the near distance, and by much more beyond.
    ///
    /// # Errors
    /// The errors name the field: [`Error::NonFinite`], [`Error::OutOfRange`], [`Error::ZeroNormal`] for a `forward` or
    /// `up` of length zero and for an `up` along `forward`, [`Error::Inverted`] for a `near` that is not below `far`.
    /// [`Error::Empty`] names the `camera`: rounding leaves nothing between its planes, as for a view one unit deep at
    /// 10⁸ units from the origin.
    ///
    /// ```
    /// # use cullide_narrowphase::{Camera, Error, Frustum, glam::Vec3};
    /// let frustum = Frustum::from_camera(&Camera { near: 1.0, far: 9.0, ..Camera::default() })?;
    /// assert!(frustum.contains_point(Vec3::Z * -9.0) && !frustum.contains_point(Vec3::Z * -9.001));
    /// let flat = Camera { up: Vec3::Z, ..Camera::default() };
    /// assert_eq!(Frustum::from_camera(&flat), Err(Error::ZeroNormal { field: "up" }));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn from_camera(camera: &Camera) -> Result<Self, Error> {
        Self::from_camera_part(camera, Vec2::NEG_ONE, Vec2::ONE)
    }

    /// Creates the frustum of what `camera` sees in a rectangle of its picture, in which `(-1, -1)` is the lower left
    /// corner and `(1, 1)` the upper right one: what a mirror or a portal shows, or what a mouse drags a frame around,
    /// from any corner to the opposite one.
    ///
    /// # Errors
    /// Those of [`Frustum::from_camera`], of which [`Error::Empty`] may also be due to a rectangle that is too thin;
    /// [`Error::NonFinite`] and [`Error::OutOfRange`] for a corner, [`Error::Inverted`] for corners that
    /// are level with or above each other: a rectangle needs an area, which it has not before the mouse has moved.
    ///
    /// ```
    /// # use cullide_narrowphase::{Camera, Frustum, glam::{Vec2, Vec3}};
    /// let camera = Camera { fov_y: std::f32::consts::FRAC_PI_2, aspect: 1.0, ..Camera::default() };
    /// let upper_right = Frustum::from_camera_part(&camera, Vec2::ONE, Vec2::ZERO)?;
    /// assert!(upper_right.contains_point(Vec3::new(3.0, 3.0, -4.0)));
    /// assert!(!upper_right.contains_point(Vec3::new(-0.1, 3.0, -4.0)));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn from_camera_part(camera: &Camera, corner: Vec2, opposite: Vec2) -> Result<Self, Error> {
        for (corner, field) in [(corner, "corner"), (opposite, "opposite")] {
            unit::coordinate(corner.x, field)?;
            unit::coordinate(corner.y, field)?;
        }
        let (min, max) = (corner.min(opposite), corner.max(opposite));
        if min.cmpeq(max).any() {
            return Err(Error::Inverted { field: "corner" });
        }
        let eye = unit::coordinates(camera.position, "position")?.as_dvec3();
        let [right, up, forward] = camera.axes()?;
        let [width, height] = camera.slopes()?;
        let [near, far] = camera.depths()?;
        // A side plane contains the eye and a border of the rectangle, (-slope, 1) in (side, forward): its normal is
        // perpendicular to that.
        let (min, max) = (min.as_dvec2(), max.as_dvec2());
        let sides = [(right, -min.x * width), (-right, max.x * width), (up, -min.y * height), (-up, max.y * height)];
        let mut planes: ArrayVec<Plane, { Self::MAX_PLANES }> = ArrayVec::new();
        for (side, slope) in sides {
            let normal = side + forward * slope;
            planes.push(Plane::from_wide(normal, -normal.dot(eye), "position")?);
        }
        planes.push(Plane::from_wide(forward, -(forward.dot(eye) + near), "near")?);
        if far.is_finite() {
            planes.push(Plane::from_wide(-forward, forward.dot(eye) + far, "far")?);
        }
        Self::bounded_by(&planes, "camera")
    }

    /// Creates the frustum of the points that `matrix` (projection · view, or projection · view · model for the model's
    /// space) maps into the clip volume. Any handedness, a flipped y, reversed z and an infinite far plane are all
    /// supported; reversed z only swaps which plane is called near. A plane farther away than [`MAX_COORDINATE`] bounds
    /// nothing.
    ///
    /// # Errors
    /// The errors name the `matrix`: [`Error::NonFinite`], [`Error::OutOfRange`], [`Error::Empty`] when it maps nothing
    /// into the clip volume, [`Error::Unbounded`] when it has no corner.
    ///
    /// Source: Gribb and Hartmann (2001): each plane is the last row plus or minus another.
    ///
    /// ```
    /// # use cullide_narrowphase::{ClipSpace, Frustum, glam::{Mat4, Vec3}};
    /// let cube = Frustum::from_matrix(&Mat4::IDENTITY, ClipSpace::MinusOneToOne)?;
    /// assert!(cube.contains_point(Vec3::NEG_ONE) && cube.corners().len() == 8);
    /// assert!(!Frustum::from_matrix(&Mat4::IDENTITY, ClipSpace::ZeroToOne)?.contains_point(Vec3::NEG_ONE));
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    pub fn from_matrix(matrix: &Mat4, clip_space: ClipSpace) -> Result<Self, Error> {
        let field = "matrix";
        if !matrix.is_finite() {
            return Err(Error::NonFinite { field });
        }
        let [x, y, z, w] = [0, 1, 2, 3].mapped(|i| matrix.row(i).as_dvec4());
        let near = match clip_space {
            ClipSpace::ZeroToOne => z,
            ClipSpace::MinusOneToOne => w + z,
        };
        let mut planes: ArrayVec<Plane, { Self::MAX_PLANES }> = ArrayVec::new();
        let mut normals: ArrayVec<DVec3, { Self::MAX_PLANES }> = ArrayVec::new();
        for row in [w + x, w - x, w + y, w - y, near, w - z] {
            let DVec4 { x, y, z, w: d } = row;
            let normal = DVec3::new(x, y, z);
            // A plane beyond the range of coordinates, or a zero normal, which is a plane at infinity: everything lies
            // on the same side of it. An infinite far plane that was multiplied by a view is often a plane a little
            // nearer than that.
            if d.abs() <= f64::from(MAX_COORDINATE) * normal.length() && normal != DVec3::ZERO {
                planes.push(Plane::from_wide(normal, d, field)?);
                normals.push(normal);
            } else if d < 0.0 {
                return Err(Error::Empty { field });
            }
        }
        if !span_space(&normals) {
            return Err(Error::Unbounded { field });
        }
        Self::bounded_by(&planes, field)
    }
}

/// Whether three of the normals span space by more than the rounding to `f32` could fake: only then do three of the
/// planes have a corner that is not an artefact of rounding.
fn span_space(normals: &[DVec3]) -> bool {
    normals.iter().enumerate().any(|(i, a)| {
        normals[i + 1..].iter().enumerate().any(|(j, b)| {
            let across = a.cross(*b);
            let size = a.length() * b.length();
            normals[i + j + 2..].iter().any(|c| across.dot(*c).abs() > NORMAL_ROUNDING * size * c.length())
        })
    })
}

/// How much rounding three unit normals to `f32` may change their determinant: each by at most √3 · 2^-25.
const NORMAL_ROUNDING: f64 = 2.0 * f32::EPSILON as f64;
