//! How far apart two shapes are, or how deep in each other.
//!
//! ```text
//!   one convex ──► parts of the other near its box, nearest first
//!                  ──► apart by more than the best along its normal?  left out
//!                  ──► distance of the two, which narrows the search
//! ```
//! Of two composite shapes, each part of one is asked against the other.

use super::{Convex, Shape, parts::Parts};
use cullide_narrowphase::{
    Aabb, ConvexCore, Distance, Mapped, Plane, Sides, Solid,
    glam::{DVec3, Vec3},
};

/// How far apart two shapes are, or how deep in each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ShapeDistance {
    /// The distance; negative if they overlap, and then how far to move one of the two parts until they only touch.
    pub separation: f64,
    /// Unit direction in which to move the first shape away from the other.
    pub normal: DVec3,
    /// The nearest points of the first shape and of the other; the deepest ones if they overlap.
    pub points: [DVec3; 2],
    /// The parts of the first shape and of the other that these are points of: the triangle of a mesh or a terrain, the
    /// child of a compound or its triangle (see [`Compound::child_of`](crate::Compound::child_of)); 0 for other shapes.
    pub parts: [u32; 2],
    /// The caller's numbers for these parts, such as their materials; 0 if there is none.
    pub surfaces: [u16; 2],
}

/// What rounding of boxes and of distances may amount to, as a fraction of the largest coordinate: 2^-21.
const ROUNDING: f64 = 1.0 / (1u32 << 21) as f64;

/// An upper bound on what rounding may do to distances of what lies in these boxes.
pub(crate) fn margin(boxes: [&Aabb; 2]) -> f64 {
    let size = |aabb: &Aabb| f64::from(aabb.min().abs().max(aabb.max().abs()).max_element());
    ROUNDING * size(boxes[0]).max(size(boxes[1]))
}

impl Shape {
    /// Returns how far apart the shape and another are, or how deep in each other, with the nearest points; `None` if
    /// one of them has no part: a mesh of triangles without area, a terrain of holes.
    ///
    /// Of a composite shape it is the nearest part, or the deepest; of equal ones that with the smallest number, first
    /// of this shape's parts. Meshes and terrains are surfaces: what lies wholly inside a closed mesh is apart from it.
    /// As each part counts alone, moving by the depth may not be enough to leave all of them.
    ///
    /// Of two composite shapes, each part of the one with fewer parts that is no farther from the box of the other than
    /// the two are apart is searched for in the other.
    ///
    /// ```
    /// # use cullide_world::{Mesh, Shape, narrowphase::{Capsule, Sphere}, glam::{DVec3, Vec3}};
    /// let corners = [Vec3::ZERO, Vec3::X * 4.0, Vec3::new(4.0, 0.0, 4.0), Vec3::Z * 4.0];
    /// let floor = Shape::from(Mesh::new(&corners, &[[0, 2, 1], [0, 3, 2]])?);
    /// let post = Shape::from(Capsule::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, 6.0, 3.0), 0.5)?);
    /// let found = post.distance(&floor).unwrap();
    /// assert_eq!((found.separation, found.normal, found.parts), (1.5, DVec3::Y, [0, 1]));
    /// assert_eq!(found.points, [DVec3::new(1.0, 1.5, 3.0), DVec3::new(1.0, 0.0, 3.0)]);
    /// let ball = Shape::from(Sphere::new(Vec3::new(1.0, 0.25, 3.0), 1.0)?);
    /// assert_eq!(ball.distance(&floor).unwrap().separation, -0.75);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn distance(&self, other: &Self) -> Option<ShapeDistance> {
        Measured::new(self).distance(other, f64::INFINITY)
    }
}

/// A convex as it is measured against many parts.
#[derive(Clone, Debug)]
struct Baked<'a> {
    convex: Convex<'a>,
    core: ConvexCore,
    bounds: Aabb,
}

impl<'a> Baked<'a> {
    fn new(convex: Convex<'a>) -> Self {
        Self { core: convex.core(), bounds: convex.aabb(), convex }
    }

    /// A direction, and how far the convex lies along it.
    fn along(&self, n: DVec3) -> (DVec3, f64) {
        (n, -self.convex.reach(-n))
    }

    /// The same for the direction from a triangle to a point of the convex, which is mostly near the best; `None` for
    /// other shapes, of which few are near each other.
    fn way_from(&self, convex: &Convex, point: Vec3) -> Option<(DVec3, f64)> {
        let Convex::Triangle(triangle, _) = convex else { return None };
        let way = point.as_dvec3() - triangle.closest_point(point).as_dvec3();
        let length = way.length();
        (length > 0.0).then(|| self.along(way / length))
    }
}

/// A shape as it is measured against many others: the core of a convex one is made once.
#[derive(Clone, Debug)]
pub(crate) struct Measured<'a> {
    shape: &'a Shape,
    whole: Option<Baked<'a>>,
}

impl<'a> Measured<'a> {
    pub(crate) fn new(shape: &'a Shape) -> Self {
        let whole = if let Parts::One(convex) = shape.parts() { Some(Baked::new(convex)) } else { None };
        Self { shape, whole }
    }

    /// As [`Shape::distance`]; `None` also if they are farther apart than `limit`.
    pub(crate) fn distance(&self, other: &Shape, limit: f64) -> Option<ShapeDistance> {
        let margin = margin([&self.shape.aabb(), &other.aabb()]);
        let mut best = NearestParts { limit, margin, found: None };
        match (&self.whole, other.parts()) {
            (Some(own), parts) => best.search(own, PartPlace::First(0), parts),
            (None, Parts::One(convex)) => best.search(&Baked::new(convex), PartPlace::Second(0), self.shape.parts()),
            (None, parts) => best.search_pairs(self.shape, (other, parts)),
        }
        let (found, parts) = best.found?;
        let surfaces = [self.shape.surface(parts[0]), other.surface(parts[1])];
        Some(ShapeDistance::new(&found, parts, surfaces))
    }

    /// The same to a plane: a half-space is solid, a wall has no thickness.
    pub(crate) fn distance_to_plane(&self, plane: &Plane, sides: Sides, limit: f64) -> Option<ShapeDistance> {
        let normal = plane.normal().as_dvec3();
        let length = normal.length();
        let (normal, d) = (normal / length, f64::from(plane.d()) / length);
        let mut best: Option<(Distance, u32)> = None;
        let mut ask = |part: u32, core: &ConvexCore| {
            let toward = |n: DVec3, d: f64| {
                let point = core.support(-n);
                let separation = n.dot(point) + d;
                let points = [point, point - n * separation];
                Distance { separation, bounds: [separation; 2], normal: n + DVec3::ZERO, points }
            };
            let mut found = toward(normal, d);
            if sides == Sides::Both {
                let behind = toward(-normal, -d);
                if behind.separation > found.separation {
                    found = behind;
                }
            }
            let key = (found.separation, part);
            if found.separation <= limit && best.as_ref().is_none_or(|(best, part)| key < (best.separation, *part)) {
                best = Some((found, part));
            }
        };
        match &self.whole {
            Some(own) => ask(0, &own.core),
            None => self.shape.parts_near(&self.shape.aabb(), &mut |part, convex| {
                ask(part, &convex.core());
            }),
        }
        let (found, part) = best?;
        Some(ShapeDistance::new(&found, [part, 0], [self.shape.surface(part), 0]))
    }
}

impl ShapeDistance {
    fn new(found: &Distance, parts: [u32; 2], surfaces: [u16; 2]) -> Self {
        let Distance { separation, normal, points, .. } = *found;
        Self { separation: separation + 0.0, normal, points, parts, surfaces }
    }
}

/// Which of the two shapes a convex is a part of, with its number.
#[derive(Clone, Copy)]
enum PartPlace {
    First(u32),
    Second(u32),
}

/// The side of a convex that faces the nearest part so far.
#[derive(Default)]
struct FacingSide {
    /// The direction from that part, and how far the convex lies along it.
    way: Option<(DVec3, f64)>,
    /// The point of the core that is nearest to it.
    point: Option<Vec3>,
}

/// The nearest parts so far.
struct NearestParts {
    limit: f64,
    margin: f64,
    found: Option<(Distance, [u32; 2])>,
}

impl NearestParts {
    /// The separation beyond which nothing matters.
    fn within(&self) -> f64 {
        self.found.map_or(self.limit, |(found, _)| found.separation) + self.margin
    }

    /// Measures a convex against the parts of another shape that may be the nearest.
    fn search(&mut self, own: &Baked, place: PartPlace, parts: Parts) {
        let mut facing = FacingSide::default();
        let mut ask = |best: &mut Self, number: u32, convex: Convex| {
            best.meet(own, place, number, convex, &mut facing);
            best.within()
        };
        // All boxes that touch are at the distance 0; the part nearest to the middle is a better start.
        if !matches!(parts, Parts::One(_)) {
            let middle = own.bounds.center();
            let radius = f64::from(own.bounds.half_extents().length());
            let start = parts.closest_point(middle, (self.within() + radius + self.margin) as f32);
            if let Some((number, convex)) = start.and_then(|(number, _)| Some((number, parts.part(number)?))) {
                ask(self, number, convex);
            }
        }
        let within = self.within();
        parts.around(&own.bounds, within, &mut |number, convex| ask(self, number, convex));
    }

    /// The same for each part of a composite shape: of the one with fewer parts.
    fn search_pairs(&mut self, first: &Shape, (second, parts): (&Shape, Parts)) {
        let own = first.parts();
        let within = self.within();
        if own.count() <= parts.count() {
            own.around(&second.aabb(), within, &mut |number, convex| {
                self.search(&Baked::new(convex), PartPlace::First(number), parts);
                self.within()
            });
        } else {
            parts.around(&first.aabb(), within, &mut |number, convex| {
                self.search(&Baked::new(convex), PartPlace::Second(number), own);
                self.within()
            });
        }
    }

    /// Measures a convex against one part, unless that is certainly not the nearest.
    fn meet(&mut self, own: &Baked, place: PartPlace, number: u32, convex: Convex, facing: &mut FacingSide) {
        let parts = match place {
            PartPlace::First(part) => [part, number],
            PartPlace::Second(part) => [number, part],
        };
        let within = self.within();
        let is_beyond = |(n, along): &(DVec3, f64)| along - convex.reach(*n) > within;
        if self.found.is_some_and(|(_, found)| found == parts)
            || least_separation(&own.bounds, &convex.aabb()) > within
            || facing.way.as_ref().is_some_and(is_beyond)
            || own.way_from(&convex, own.bounds.center()).as_ref().is_some_and(is_beyond)
            || facing.point.and_then(|point| own.way_from(&convex, point)).as_ref().is_some_and(is_beyond)
        {
            return;
        }
        let core = convex.core();
        let (found, away) = match place {
            PartPlace::First(_) => {
                let found = own.core.distance(&core);
                (found, found.normal)
            }
            PartPlace::Second(_) => {
                let found = core.distance(&own.core);
                (found, -found.normal)
            }
        };
        let is_first = |(best, parts_of_best): &(Distance, [u32; 2])| {
            (found.separation, parts) < (best.separation, *parts_of_best)
        };
        if found.separation <= self.limit && self.found.as_ref().is_none_or(is_first) {
            self.found = Some((found, parts));
            let [first, second] = found.points;
            let point = if let PartPlace::First(_) = place { first } else { second };
            let point = (point + away * own.core.radius()).as_vec3();
            *facing = FacingSide { way: Some(own.along(away)), point: Some(point) };
        }
    }
}

/// The least that the separation of what lies in two boxes may be: their distance, or if they overlap, how far they do
/// so along the axis along which that is least.
fn least_separation(a: &Aabb, b: &Aabb) -> f64 {
    let [a, b] = [a, b].mapped(|aabb| [aabb.min().as_dvec3(), aabb.max().as_dvec3()]);
    let apart = (b[0] - a[1]).max(a[0] - b[1]);
    let most = apart.max_element();
    if most > 0.0 { apart.max(DVec3::ZERO).length() } else { most }
}
