//! Capsules: overlaps and casts compared with exact arithmetic, on a small grid that forces touches.

use super::capsule_gaps::distance_to_axis;
use cullide_narrowphase::{Aabb, Capsule, Ray, Segment, Solid, Sphere, glam::Vec3};
use cullide_oracle::Exact;
use cullide_scenes::{Rng, SEED};
use std::cmp::Ordering::{Greater, Less};

const CASES: usize = 100_000;

type Point = [Exact; 3];

/// A point plus `t` times a direction, for `t` from 0 to 1.
struct Line {
    base: Point,
    direction: Point,
}

fn exact(v: Vec3) -> Point {
    v.to_array().map(Exact::new)
}

fn zip(a: &Point, b: &Point, f: impl Fn(&Exact, &Exact) -> Exact) -> Point {
    std::array::from_fn(|i| f(&a[i], &b[i]))
}

fn dot(a: &Point, b: &Point) -> Exact {
    let [x, y, z] = zip(a, b, |a, b| a * b);
    &(&x + &y) + &z
}

fn axis_of(capsule: &Capsule) -> Line {
    let (center, half) = (exact(capsule.center()), exact(capsule.half_axis()));
    Line { base: zip(&center, &half, |a, b| a - b), direction: half.map(|x| &x + &x) }
}

/// Whether a quotient is between 0 and 1, inclusive.
fn is_share(numerator: &Exact, denominator: &Exact) -> bool {
    !numerator.is_negative() && (denominator - numerator).sign() != Less
}

/// Whether two lines come within `reach` of each other: by the minimum of the quadratic form of their offset, inside
/// its square domain or on its sides.
fn are_within(p: &Line, q: &Line, reach: &Exact) -> bool {
    let (d, e) = (&p.direction, &q.direction);
    let w = zip(&p.base, &q.base, |a, b| a - b);
    let (a, b, c) = (dot(d, d), dot(d, e), dot(e, e));
    let (f, g) = (dot(d, &w), dot(e, &w));
    let rest = &dot(&w, &w) - &(reach * reach);
    let determinant = &(&a * &c) - &(&b * &b);
    let (s, t) = (&(&b * &g) - &(&c * &f), &(&a * &g) - &(&b * &f));
    if determinant.is_positive() && is_share(&s, &determinant) && is_share(&t, &determinant) {
        let least = &(&(&rest * &determinant) + &(&s * &f)) - &(&t * &g);
        if least.sign() != Greater {
            return true;
        }
    }
    let end = |line: &Line| zip(&line.base, &line.direction, |a, b| a + b);
    [&p.base, &end(p)].into_iter().any(|point| reaches(q, point, reach))
        || [&q.base, &end(q)].into_iter().any(|point| reaches(p, point, reach))
}

fn reaches(line: &Line, point: &Point, reach: &Exact) -> bool {
    let w = zip(point, &line.base, |a, b| a - b);
    let (length, along) = (dot(&line.direction, &line.direction), dot(&w, &line.direction));
    let rest = &dot(&w, &w) - &(reach * reach);
    // At both ends, and at the foot between them.
    rest.sign() != Greater
        || (&(&rest - &(&along + &along)) + &length).sign() != Greater
        || length.is_positive()
            && is_share(&along, &length)
            && (&(&rest * &length) - &(&along * &along)).sign() != Greater
}

/// Whether a line comes within `reach` of a box: by the least squared distance over all places where the axis crosses
/// the plane of a face, where it ends, or where the quadratic of one region of the box has its minimum.
fn box_is_within(line: &Line, aabb: &Aabb, reach: &Exact) -> bool {
    let (min, max) = (exact(aabb.min()), exact(aabb.max()));
    let mut places = vec![(Exact::ZERO, Exact::ONE), (Exact::ONE, Exact::ONE)];
    for i in 0..3 {
        for face in [&min[i], &max[i]] {
            places.push((face - &line.base[i], line.direction[i].clone()));
        }
    }
    for region in 0..27 {
        let (mut numerator, mut denominator) = (Exact::ZERO, Exact::ZERO);
        for i in 0..3 {
            let face = match region / [1, 3, 9][i] % 3 {
                0 => &min[i],
                1 => &max[i],
                _ => continue,
            };
            numerator = &numerator + &(&line.direction[i] * &(face - &line.base[i]));
            denominator = &denominator + &(&line.direction[i] * &line.direction[i]);
        }
        places.push((numerator, denominator));
    }
    places.into_iter().any(|(numerator, denominator)| {
        let (numerator, denominator) =
            if denominator.is_negative() { (-&numerator, -&denominator) } else { (numerator, denominator) };
        if denominator.is_zero() || !is_share(&numerator, &denominator) {
            return false;
        }
        let mut square = Exact::ZERO;
        for i in 0..3 {
            let at = &(&line.base[i] * &denominator) + &(&line.direction[i] * &numerator);
            let (above, below) = (&at - &(&max[i] * &denominator), &(&min[i] * &denominator) - &at);
            let outside = if above.is_positive() {
                above
            } else if below.is_positive() {
                below
            } else {
                Exact::ZERO
            };
            square = &square + &(&outside * &outside);
        }
        (&square - &(&(reach * reach) * &(&denominator * &denominator))).sign() != Greater
    })
}

/// Points of a small grid, at one of a few scales, some of them off it by one step of `f32`.
struct Grid {
    rng: Rng,
    scale: f32,
}

impl Grid {
    fn new(seed: u64) -> Self {
        Self { rng: Rng::with_seed(seed), scale: 1.0 }
    }

    fn next_case(&mut self) {
        self.scale = [1.0, 1.0 / 1024.0, 4096.0, 0.1][self.rng.usize(0..4)];
    }

    fn number(&mut self) -> f32 {
        let x = self.scale * f32::from(self.rng.i8(-4..=4));
        match self.rng.u8(0..32) {
            0 => x.next_up(),
            1 => x.next_down(),
            2 => x + self.scale * self.rng.f32(),
            _ => x,
        }
    }

    fn point(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }

    fn radius(&mut self) -> f32 {
        self.number().abs()
    }

    fn capsule(&mut self) -> Capsule {
        let (center, mut half) = (self.point(), 0.5 * self.point());
        match self.rng.u8(0..8) {
            0 => half = Vec3::ZERO,
            1 => half = Vec3::AXES[self.rng.usize(0..3)] * self.scale,
            _ => {}
        }
        Capsule::from_half_axis(center, half, self.radius()).unwrap()
    }
}

#[test]
fn capsules_overlap_exactly_when_the_rationals_say_so() {
    let (mut grid, mut touching) = (Grid::new(SEED), 0);
    for _ in 0..CASES {
        grid.next_case();
        let (a, b) = (grid.capsule(), grid.capsule());
        let reach = &Exact::new(a.radius()) + &Exact::new(b.radius());
        let expected = are_within(&axis_of(&a), &axis_of(&b), &reach);
        assert_eq!((a.overlaps(&b), b.overlaps(&a)), (expected, expected), "{a:?} {b:?}");
        touching += usize::from(a.gap_of_capsule(&b).separation == 0.0);
        let ball = Sphere::new(b.center(), b.radius()).unwrap();
        let expected = reaches(&axis_of(&a), &exact(ball.center()), &reach);
        assert_eq!((a.overlaps_sphere(&ball), ball.overlaps_capsule(&a)), (expected, expected), "{a:?} {ball:?}");
        let expected = reaches(&axis_of(&a), &exact(b.center()), &Exact::new(a.radius()));
        assert_eq!(a.contains_point(b.center()), expected, "{a:?} {b:?}");
    }
    assert!(touching > CASES / 1000, "{touching}");
}

#[test]
fn capsules_overlap_boxes_exactly_when_the_rationals_say_so() {
    let (mut grid, mut touching) = (Grid::new(SEED + 1), 0);
    for _ in 0..CASES / 4 {
        grid.next_case();
        let (a, p, q) = (grid.capsule(), grid.point(), grid.point());
        let aabb = Aabb::new(p.min(q), p.max(q)).unwrap();
        let expected = box_is_within(&axis_of(&a), &aabb, &Exact::new(a.radius()));
        assert_eq!(aabb.overlaps_capsule(&a), expected, "{a:?} {aabb:?}");
        touching += usize::from(aabb.gap_of_capsule(&a).separation == 0.0);
    }
    assert!(touching > CASES / 800, "{touching}");
}

#[test]
fn segments_hit_capsules_exactly_when_the_rationals_say_so_and_where_the_axis_is_a_radius_away() {
    let (mut grid, mut hits) = (Grid::new(SEED + 2), [0; 2]);
    for _ in 0..CASES {
        grid.next_case();
        let (capsule, start, delta) = (grid.capsule(), grid.point(), grid.point());
        let Ok(segment) = Segment::new(start, delta) else { continue };
        let delta = segment.delta();
        let path = Line { base: exact(segment.start()), direction: exact(segment.delta()) };
        let expected = are_within(&path, &axis_of(&capsule), &Exact::new(capsule.radius()));
        let hit = segment.cast(&capsule);
        assert_eq!((hit.is_some(), segment.hits(&capsule)), (expected, expected), "{segment:?} {capsule:?}");
        let Some(hit) = hit else { continue };
        assert_eq!(hit.inside, capsule.contains_point(start), "{segment:?} {capsule:?} {hit:?}");
        hits[usize::from(hit.inside)] += 1;
        assert!(hit.normal.is_normalized() || delta == Vec3::ZERO, "{segment:?} {capsule:?} {hit:?}");
        let against = hit.normal.dot(delta) <= f32::EPSILON * delta.length();
        assert!(against, "{segment:?} {capsule:?} {hit:?}");
        let apart = |fraction: f32| {
            let at = start.as_dvec3() + delta.as_dvec3() * f64::from(fraction);
            distance_to_axis(&capsule, at) - f64::from(capsule.radius())
        };
        let error = 4.0 * f64::from(f32::EPSILON) * f64::from(start.abs().max_element() + delta.abs().max_element());
        assert!(hit.inside || apart(hit.fraction).abs() <= error, "{segment:?} {capsule:?} {hit:?}");
        assert!(hit.exit == 1.0 || apart(hit.exit).abs() <= error, "{segment:?} {capsule:?} {hit:?}");
    }
    assert!(hits.iter().all(|&hits| hits > CASES / 100), "{hits:?}");
}

#[test]
fn a_long_ray_aimed_at_the_rim_of_a_capsule_hits_as_its_segment_does() {
    let mut rng = Rng::with_seed(SEED + 3);
    let mut number = |size: f32| size * (2.0 * rng.f32() - 1.0);
    let mut hits = 0;
    for _ in 0..CASES / 4 {
        let capsule = Capsule::new(
            Vec3::from([(); 3].map(|()| number(4.0))),
            Vec3::from([(); 3].map(|()| number(4.0))),
            number(2.0).abs(),
        )
        .unwrap();
        let start = Vec3::from([(); 3].map(|()| number(1e5)));
        let target = capsule.center() + Vec3::from([(); 3].map(|()| number(4.0)));
        let Ok(ray) = Ray::new(start, target - start) else { continue };
        let far = ray.cast(&capsule, f32::INFINITY);
        let near = ray.cast(&capsule, 4e5);
        assert_eq!(far.map(|hit| hit.distance), near.map(|hit| hit.distance), "{ray:?} {capsule:?}");
        hits += usize::from(far.is_some());
    }
    assert!(hits > CASES / 20, "{hits}");
}
