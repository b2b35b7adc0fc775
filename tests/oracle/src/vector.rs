//! Exact vectors, and the raw arrays that they are made from.

use crate::{Exact, Ratio};

/// A number that `f64` represents exactly: `f32`, `f64` and the small integers.
pub trait Real: Copy + Into<f64> {}

impl<T: Copy + Into<f64>> Real for T {}

/// A plane as `[a, b, c, d]`: the points with `a·x + b·y + c·z + d = 0`; the front is where that is positive.
pub type Plane<T> = [T; 4];
/// A closed axis-aligned box as `[min, max]`, `min <= max` in every coordinate.
pub type Aabb<T> = [[T; 3]; 2];
/// A closed parallelepiped as `[center, half edge, half edge, half edge]`: the points `center + Σ s·h` with `|s| <= 1`;
/// the edges need be neither orthogonal nor linearly independent.
pub type Obb<T> = [[T; 3]; 4];
/// A closed ball as `[x, y, z, radius]`; the radius is not negative.
pub type Sphere<T> = [T; 4];

/// Three exact coordinates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector(pub [Exact; 3]);

impl Vector {
    /// The exact value of three floats.
    pub fn new<T: Real>(coordinates: [T; 3]) -> Self {
        Self(coordinates.map(Exact::new))
    }

    /// The unit vector along an axis.
    pub fn axis(index: usize) -> Self {
        Self(std::array::from_fn(|i| if i == index { Exact::ONE } else { Exact::ZERO }))
    }

    /// The sum.
    pub fn plus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| &self.0[i] + &other.0[i]))
    }

    /// The difference.
    pub fn minus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| &self.0[i] - &other.0[i]))
    }

    /// Every coordinate times a factor.
    pub fn times(&self, factor: &Exact) -> Self {
        Self(std::array::from_fn(|i| &self.0[i] * factor))
    }

    /// The dot product.
    pub fn dot(&self, other: &Self) -> Exact {
        (0..3).map(|i| &self.0[i] * &other.0[i]).sum()
    }

    /// The cross product.
    pub fn cross(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            &self.0[j] * &other.0[k] - &self.0[k] * &other.0[j]
        }))
    }

    /// The square of the length.
    pub fn length_squared(&self) -> Exact {
        self.dot(self)
    }

    /// Whether all coordinates are zero.
    pub fn is_zero(&self) -> bool {
        self.0.iter().all(Exact::is_zero)
    }
}

/// A point with rational coordinates `numerator / denominator`; the denominator is positive.
#[derive(Clone, Debug)]
pub struct Point {
    pub(crate) numerator: Vector,
    pub(crate) denominator: Exact,
}

impl Point {
    /// The exact value of three floats.
    pub fn new<T: Real>(coordinates: [T; 3]) -> Self {
        Self { numerator: Vector::new(coordinates), denominator: Exact::ONE }
    }

    /// `numerator / denominator`, `None` for a zero denominator.
    pub(crate) fn from_quotient(numerator: Vector, denominator: Exact) -> Option<Self> {
        match denominator.sign() {
            std::cmp::Ordering::Less => {
                Some(Self { numerator: Vector(numerator.0.map(|x| -x)), denominator: -denominator })
            }
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(Self { numerator, denominator }),
        }
    }

    /// One coordinate.
    pub fn coordinate(&self, axis: usize) -> Ratio {
        Ratio::new(self.numerator.0[axis].clone(), self.denominator.clone())
    }

    /// The three coordinates as floats, each accurate to one ulp.
    pub fn to_f64(&self) -> [f64; 3] {
        std::array::from_fn(|axis| self.coordinate(axis).to_f64())
    }

    /// The dot product with a vector.
    pub fn dot(&self, vector: &Vector) -> Ratio {
        Ratio::new(self.numerator.dot(vector), self.denominator.clone())
    }

    /// The direction to another point, times the two (positive) denominators.
    pub(crate) fn direction_to(&self, other: &Self) -> Vector {
        let there = other.numerator.times(&self.denominator);
        there.minus(&self.numerator.times(&other.denominator))
    }
}

impl PartialEq for Point {
    fn eq(&self, other: &Self) -> bool {
        self.direction_to(other).is_zero()
    }
}

/// A plane's normal and `d`.
pub(crate) fn plane<T: Real>([a, b, c, d]: Plane<T>) -> (Vector, Exact) {
    (Vector::new([a, b, c]), Exact::new(d))
}

/// A sphere's centre and radius.
pub(crate) fn sphere<T: Real>([x, y, z, radius]: Sphere<T>) -> (Vector, Exact) {
    (Vector::new([x, y, z]), Exact::new(radius))
}

/// `normal · point + d`, zero on the plane and positive in front; in units of the normal's length.
pub fn height<T: Real, U: Real>(plane: Plane<T>, point: [U; 3]) -> Exact {
    let (normal, d) = self::plane(plane);
    normal.dot(&Vector::new(point)) + d
}

/// The one common point of three planes `normal · p = distance`, by Cramer's rule; `None` unless there is exactly one.
pub fn common_point(planes: [(&Vector, &Exact); 3]) -> Option<Point> {
    let [(n0, d0), (n1, d1), (n2, d2)] = planes;
    let crosses = [n1.cross(n2), n2.cross(n0), n0.cross(n1)];
    let determinant = n0.dot(&crosses[0]);
    if determinant.is_zero() {
        return None;
    }
    let sum = crosses[0].times(d0).plus(&crosses[1].times(d1)).plus(&crosses[2].times(d2));
    Point::from_quotient(sum, determinant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cross_and_dot_follow_the_right_hand() {
        let (x, y) = (Vector::axis(0), Vector::axis(1));
        assert_eq!(x.cross(&y), Vector::axis(2));
        assert!(Vector::new([2.0, 3.0, 5.0]).cross(&Vector::new([4.0, 6.0, 10.0])).is_zero());
        assert_eq!(Vector::new([2, 3, 5]).length_squared(), Exact::new(38));
    }

    #[test]
    fn three_planes_meet_in_a_rational_point() {
        let normals = [[3, 0, 0], [1, 7, 0], [0, 0, -2]].map(Vector::new);
        let distances = [1, 2, 3].map(Exact::new);
        let at = |i: usize| (&normals[i], &distances[i]);
        let point = common_point([at(0), at(1), at(2)]).expect("independent normals");
        // x = 1/3, y = (2 - 1/3)/7 = 5/21, z = -3/2
        let expected = Point::from_quotient(Vector::new([14, 10, -63]), Exact::new(42));
        assert_eq!(Some(point), expected);
        assert!(common_point([at(0), at(0), at(2)]).is_none());
    }
}
