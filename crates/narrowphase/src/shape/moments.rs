//! Volume, centre of mass and inertia of a solid of uniform density.

use crate::Brush;
use glam::{DMat3, DVec3};

/// Mass properties of a solid of density 1: its volume, its centre of mass, and its inertia about that centre.
///
/// ```
/// use cullide_narrowphase::{Hull, glam::{DVec3, Vec3}};
/// let hull = Hull::new(&[Vec3::ZERO, Vec3::X * 4.0, Vec3::Y * 4.0, Vec3::Z * 4.0])?;
/// let moments = hull.solid().moments();
/// assert!((moments.volume - 64.0 / 6.0).abs() < 1e-12 && (moments.center - DVec3::ONE).length() < 1e-12);
/// // About one of the edges it is V (4² + 4²) / 10; about the centre V (1² + 1²) less.
/// let inertia = moments.inertia.x_axis.x;
/// assert!((inertia - moments.volume * 1.2).abs() < 1e-12);
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// The volume, in cubed units of length; also the mass at density 1.
    pub volume: f64,
    /// The centre of mass.
    pub center: DVec3,
    /// The symmetric inertia tensor about the centre of mass, along the coordinate axes, at density 1.
    pub inertia: DMat3,
}

impl Moments {
    /// Returns the moments of two solids that form one body: their sum, about the common centre of mass. Where the
    /// solids overlap, the overlap counts twice.
    ///
    /// Source: the parallel axis theorem, `I = Σ Iᵢ + Vᵢ (|dᵢ|² − dᵢ dᵢᵀ)`.
    ///
    /// ```
    /// # use cullide_narrowphase::{Aabb, Brush, glam::Vec3};
    /// let part = |x: f32| {
    ///     let half = Brush::try_from(&Aabb::new(Vec3::X * x, Vec3::new(x + 1.0, 2.0, 3.0))?)?;
    ///     Ok::<_, cullide_narrowphase::Error>(half.moments())
    /// };
    /// let whole = Brush::try_from(&Aabb::new(Vec3::ZERO, Vec3::new(2.0, 2.0, 3.0))?)?.moments();
    /// let sum = part(0.0)?.joined(&part(1.0)?);
    /// assert!((sum.center - whole.center).length() < 1e-12);
    /// assert!((sum.inertia - whole.inertia).x_axis.length() < 1e-12);
    /// # Ok::<(), cullide_narrowphase::Error>(())
    /// ```
    #[must_use]
    pub fn joined(&self, other: &Self) -> Self {
        let volume = self.volume + other.volume;
        if volume <= 0.0 {
            return *self;
        }
        let center = self.center + (other.center - self.center) * (other.volume / volume);
        let about = |part: &Self| part.inertia + inertia_of(of_point(part.center - center) * part.volume);
        Self { volume, center, inertia: about(self) + about(other) }
    }
}

impl Brush {
    /// Returns its volume, centre of mass and inertia at density 1: exact integrals over the solid between its faces,
    /// in `f64`.
    ///
    /// For a solid so small or thin that its volume is lost to rounding, the volume is 0, the centre is the mean of its
    /// vertices, and the inertia is zero.
    ///
    /// Sources: Mirtich, "Fast and Accurate Computation of Polyhedral Mass Properties", 1996; Eberly, "Polyhedral Mass
    /// Properties (Revisited)", 2002; here by tetrahedra from the centre to triangles of the faces.
    pub fn moments(&self) -> Moments {
        let vertices = self.vertices();
        let middle = vertices.iter().sum::<DVec3>() / vertices.len() as f64;
        let (mut volume, mut first) = (0.0, DVec3::ZERO);
        self.for_each_tetrahedron(middle, |six, [a, b, c]| {
            volume += six / 6.0;
            first += (a + b + c) * (six / 24.0);
        });
        let offset = first / volume;
        if !(volume > 0.0 && offset.is_finite()) {
            return Moments { volume: 0.0, center: middle, inertia: DMat3::ZERO };
        }
        // A second pass from the centre of mass, so that no accuracy is lost by moving the tensor there.
        let center = middle + offset;
        let mut second = DMat3::ZERO;
        self.for_each_tetrahedron(center, |six, [a, b, c]| {
            let sum = of_point(a) + of_point(b) + of_point(c) + of_point(a + b + c);
            second += sum * (six / 120.0);
        });
        Moments { volume, center, inertia: inertia_of(second) }
    }

    /// Calls `visit` for each tetrahedron from `apex` to a triangle of a face, with six times its volume and its other
    /// three corners relative to `apex`.
    fn for_each_tetrahedron(&self, apex: DVec3, mut visit: impl FnMut(f64, [DVec3; 3])) {
        for face in self.faces() {
            let at = |i: usize| self.vertices()[face.vertices[i]] - apex;
            for i in 2..face.vertices.len() {
                let corners = [at(0), at(i - 1), at(i)];
                visit(corners[0].dot(corners[1].cross(corners[2])), corners);
            }
        }
    }
}

/// `p pᵀ`.
fn of_point(p: DVec3) -> DMat3 {
    DMat3::from_cols(p * p.x, p * p.y, p * p.z)
}

/// The inertia of a distribution with these second moments: their trace on the diagonal, minus the moments.
fn inertia_of(second: DMat3) -> DMat3 {
    DMat3::from_diagonal(DVec3::splat(second.x_axis.x + second.y_axis.y + second.z_axis.z)) - second
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hull, Obb};
    use cullide_scenes::{Rng, SEED};
    use glam::{Quat, Vec3};

    /// The sum over the small cubes of a grid whose centres are inside.
    fn by_cells(hull: &Hull, cells: usize) -> Moments {
        let (min, size) = (hull.aabb().min().as_dvec3(), (hull.aabb().max() - hull.aabb().min()).as_dvec3());
        let cell = size / cells as f64;
        let mut inside = Vec::new();
        for i in 0..cells * cells * cells {
            let at = [i % cells, i / cells % cells, i / cells / cells].map(|k| k as f64 + 0.5);
            let point = min + cell * DVec3::from(at);
            if hull.solid().planes().iter().all(|plane| plane.signed_distance(point) <= 0.0) {
                inside.push(point);
            }
        }
        let weight = cell.x * cell.y * cell.z;
        let center = inside.iter().sum::<DVec3>() / inside.len() as f64;
        let mut inertia = DMat3::ZERO;
        for point in &inside {
            let d = *point - center;
            inertia +=
                DMat3::from_diagonal(DVec3::splat(d.length_squared())) - DMat3::from_cols(d * d.x, d * d.y, d * d.z);
        }
        Moments { volume: weight * inside.len() as f64, center, inertia: inertia * weight }
    }

    #[test]
    fn hulls_of_random_points_weigh_what_the_cells_inside_do() {
        let mut rng = Rng::with_seed(SEED);
        let mut any = || 2.0 * rng.f32() - 1.0;
        for case in 0..6 {
            let points: Vec<Vec3> = (0..12).map(|_| Vec3::new(2.0 * any(), 3.0 + any(), 0.7 * any())).collect();
            let hull = Hull::new(&points).unwrap();
            let (found, expected) = (hull.solid().moments(), by_cells(&hull, 96));
            // A cell on the surface is in or out: about 1/96 of the cells, half of them wrong, with either sign.
            assert!((found.volume / expected.volume - 1.0).abs() < 3e-3, "{case}: {found:?} {expected:?}");
            assert!((found.volume / hull.volume() - 1.0).abs() < 1e-12);
            assert!((found.center - expected.center).length() < 3e-3, "{case}: {found:?} {expected:?}");
            let scale = expected.inertia.x_axis.x.max(expected.inertia.y_axis.y);
            for axis in 0..3 {
                let off = (found.inertia.col(axis) - expected.inertia.col(axis)).length();
                assert!(off < 1e-2 * scale, "{case}: {found:?} {expected:?}");
            }
        }
    }

    #[test]
    fn a_turned_box_as_a_hull_has_the_moments_of_the_box_along_its_axes() {
        let (center, half) = (Vec3::new(5.0, -3.0, 2.0), Vec3::new(1.0, 1.5, 2.5));
        let obb = Obb::new(center, Quat::from_scaled_axis(Vec3::new(0.4, -0.9, 0.2)), half).unwrap();
        let moments = Hull::new(&obb.corners()).unwrap().solid().moments();
        assert!((moments.volume - 30.0).abs() < 1e-4 && (moments.center - center.as_dvec3()).length() < 1e-6);
        for (i, edge) in obb.half_edges().iter().enumerate() {
            let axis = edge.as_dvec3().normalize();
            let (j, k) = (f64::from(half[(i + 1) % 3]), f64::from(half[(i + 2) % 3]));
            let expected = 30.0 * (j * j + k * k) / 3.0;
            let found = moments.inertia * axis;
            assert!((found - axis * expected).length() < 1e-4 * expected, "{found} {}", axis * expected);
        }
    }
}
