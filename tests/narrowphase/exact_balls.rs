//! Balls that move: against each other, compared with exact arithmetic on aimed cases; from very far away against tiny
//! balls and boxes that they are known from the start to hit; and next to axis-aligned boxes whose middle is not an
//! `f32` number.

use cullide_narrowphase::{
    Aabb, BoxSweep, Obb, Solid, Sphere, SphereSweep, Sweep,
    glam::{DVec3, Quat, Vec3},
};
use cullide_oracle::{Exact, Vector};
use cullide_scenes::{
    Rng, SEED,
    aimed::{each_case, path_sphere},
};
use cullide_support::exact::*;
use std::cmp::Ordering::{self, Greater, Less};

fn ball(center: Vec3, radius: f32, motion: Vec3) -> Option<SphereSweep> {
    SphereSweep::new(Sphere::new(center, radius).ok()?, motion).ok()
}

/// Two balls as one point that moves against the sum of both.
struct Exactly {
    way: Vector,
    motion: Vector,
    radius: Exact,
}

impl Exactly {
    fn new(a: &SphereSweep, b: &SphereSweep) -> Self {
        let vector = |v: Vec3| Vector::new(v.to_array());
        Self {
            way: vector(a.body().center()).minus(&vector(b.body().center())),
            motion: vector(a.motion()).minus(&vector(b.motion())),
            radius: &Exact::new(a.body().radius()) + &Exact::new(b.body().radius()),
        }
    }

    /// The squared distance relative to that at which they touch: negative if they overlap.
    fn outside(&self, way: &Vector) -> Exact {
        &way.length_squared() - &(&self.radius * &self.radius)
    }

    /// 0 for clear, 1 for a hit and 2 for an overlap.
    fn verdict(&self) -> usize {
        let (start, end) = (self.outside(&self.way), self.way.plus(&self.motion));
        let (b, a) = (self.way.dot(&self.motion), self.motion.length_squared());
        // The closest approach is within the radius, and ahead.
        let enters = (&(&b * &b) - &(&a * &start)).sign() == Greater;
        let in_time = self.outside(&end).sign() == Less || end.dot(&self.motion).sign() != Less;
        match start.sign() {
            Less => 2,
            _ => usize::from(b.sign() == Less && enters && in_time),
        }
    }
}

fn kind(sweep: &Sweep) -> usize {
    match sweep {
        Sweep::Clear => 0,
        Sweep::Hit(_) => 1,
        Sweep::Overlap(_) => 2,
    }
}

#[test]
fn two_balls_that_move_meet_exactly_when_they_should() {
    let mut verdicts = [0; 3];
    each_case(CASES, 0.5, path_sphere, |&([start, delta], [x, y, z, radius]), wrong| {
        // Halving is exact, so tangents stay tangents.
        let still = Vec3::ZERO;
        let a = ball(start.into(), 0.5 * radius, delta.into())?;
        let b = ball(Vec3::new(x, y, z), 0.5 * radius, still)?;
        let (exactly, got) = (Exactly::new(&a, &b), a.against_moving_sphere(&b));
        wrong.unless_equal("verdict", kind(&got), exactly.verdict());
        let swapped = b.against_moving_sphere(&a);
        wrong.unless_equal("verdict the other way", kind(&swapped), exactly.verdict());
        verdicts[kind(&got)] += 1;
        let Sweep::Hit(hit) = got else { return Some(()) };
        let beside = ball(hit.position, 0.5 * radius, still)?;
        let there = ball(b.pose(hit.toi).center(), 0.5 * radius, still)?;
        let there = Exactly::new(&beside, &there);
        wrong.unless(there.outside(&there.way).sign() != Less, || format!("penetrates: {hit:?}"));
        wrong.unless(is_unit(hit.normal), || format!("normal: {hit:?}"));
        Some(())
    });
    assert!(verdicts.iter().all(|&count| count > CASES / 50), "{verdicts:?}");
}

#[test]
fn the_time_is_that_of_the_touch() {
    let mut rng = Rng::with_seed(SEED);
    let mut verdicts = [0; 3];
    for case in 0..CASES {
        let size = [0.01, 1.0, 4096.0][case % 3];
        let mut next = || {
            let mut vector = |size: f32| Vec3::from([0; 3].map(|_| size * (2.0 * rng.f32() - 1.0)));
            let (center, motion) = (vector(2.0 * size), vector(4.0 * size));
            ball(center, size * rng.f32(), motion).unwrap()
        };
        let (a, b) = (next(), next());
        let radius = f64::from(a.body().radius()) + f64::from(b.body().radius());
        let way = wide(a.body().center()) - wide(b.body().center());
        let motion = wide(a.motion()) - wide(b.motion());
        let gap = |time: f64| (way + motion * time).length() - radius;
        let got = a.against_moving_sphere(&b);
        assert_eq!(kind(&got), Exactly::new(&a, &b).verdict(), "{a:?} {b:?} {got:?}");
        verdicts[kind(&got)] += 1;
        let tolerance = 1e-6 * f64::from(size);
        match got {
            Sweep::Clear => {}
            Sweep::Overlap(overlap) => assert!((gap(0.0) + f64::from(overlap.depth)).abs() < tolerance, "{a:?} {b:?}"),
            Sweep::Hit(hit) => {
                let toi = f64::from(hit.toi);
                let nearest = -way.dot(motion) / motion.length_squared();
                assert!(gap(toi).abs() < tolerance && toi <= nearest + 1e-6, "{a:?} {b:?} {hit:?}");
                let there = wide(hit.position).distance(wide(b.pose(hit.toi).center())) - radius;
                assert!(there < tolerance * 4.0, "{a:?} {b:?} {hit:?} {there:e}");
                assert!(wide(hit.normal).dot(motion) <= tolerance * 4.0);
            }
        }
    }
    assert!(verdicts.iter().all(|&count| count > CASES / 50), "{verdicts:?}");
}

/// A direction, and one perpendicular to it.
fn directions(rng: &mut Rng) -> (Vec3, Vec3) {
    let mut vector = || Vec3::from([0; 3].map(|_| 2.0 * rng.f32() - 1.0));
    let direction = vector();
    (direction, direction.any_orthogonal_vector().normalize())
}

#[test]
fn a_ball_from_far_away_passes_through_nothing_however_small_and_hits_nothing_beside_its_way() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..20_000 {
        let distance = [1e3, 1e4, 1e6, 1e7, 1e8, 3e8][case % 6];
        let radius = [0.005, 1.0, 1e-6, 1e-20][case / 6 % 4];
        let (direction, across) = directions(&mut rng);
        // Its middle passes exactly through the origin.
        let from = direction * distance;
        let flying = ball(from, radius, from * -2.0).unwrap();
        let beside = |by: f32| ball(across * by, radius, Vec3::ZERO).unwrap();
        assert_eq!(kind(&flying.against_moving_sphere(&beside(0.0))), 1, "{flying:?}");
        assert_eq!(kind(&beside(0.0).against_moving_sphere(&flying)), 1, "{flying:?}");
        assert_eq!(kind(&flying.against_moving_sphere(&beside(1.999 * radius))), 1, "{flying:?}");
        assert_eq!(kind(&flying.against_moving_sphere(&beside(2.001 * radius))), 0, "{flying:?}");
        assert_eq!(kind(&flying.against(Sphere::new(Vec3::ZERO, 0.0).unwrap())), 1, "{flying:?}");
    }
}

#[test]
fn a_box_from_far_away_passes_through_no_ball_however_small_and_hits_none_beside_its_way() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..20_000 {
        let distance = [1e3, 1e4, 1e6, 1e7, 1e8, 3e8][case % 6];
        let size = [0.005, 1.0, 1e-6, 1e-20][case / 6 % 4];
        let (direction, across) = directions(&mut rng);
        let (from, turn) = (direction * distance, Quat::from_scaled_axis(4.0 * directions(&mut rng).0));
        let body = Obb::new(from, turn, size * Vec3::new(0.25, 1.0, 0.5)).unwrap();
        let flying = BoxSweep::new(body, from * -2.0).unwrap();
        // The origin is within its smallest extent as it passes, and it reaches at most 1.15 sizes.
        let verdict = |by: f32| {
            let ball = ball(across * by * size, 0.1 * size, Vec3::ZERO).unwrap();
            let got = flying.against(ball.body());
            assert_eq!(kind(&flying.against_moving_sphere(&ball)), kind(&got), "{flying:?} {ball:?}");
            assert_eq!(kind(&ball.against_moving_box(&flying)), kind(&got), "{flying:?} {ball:?}");
            kind(&got)
        };
        assert_eq!([0.0, 0.34].map(verdict), [1, 1], "{flying:?}");
        let point = Sphere::new(Vec3::ZERO, 0.0).unwrap();
        assert_eq!(kind(&flying.against(point)), 1, "{flying:?}");
        // Times in `f64` are no closer to the touch than 2^-54 of the way, and a rotating box is found if it penetrates
        // by more than 2^-45.
        if size > 1e-12 * distance {
            assert_eq!(verdict(1.3), 0, "{flying:?}");
            let turning = flying.rotating(direction.any_orthogonal_vector()).unwrap();
            assert_eq!(kind(&turning.against(point, 0.0)), 1, "{turning:?}");
            let still = ball(Vec3::ZERO, 0.0, Vec3::ZERO).unwrap();
            assert_eq!(kind(&turning.against_moving_sphere(&still, 0.0)), 1, "{turning:?}");
        }
    }
}

#[test]
fn a_body_that_meets_a_ball_stops_apart_from_it_and_not_where_it_started() {
    let mut rng = Rng::with_seed(SEED);
    let mut hits = [0; 3];
    for case in 0..40_000 {
        let mut vector = |size: f32| Vec3::from([0; 3].map(|_| size * (rng.f32() - 0.5)));
        let middle = vector([0.0, 10.0, 1000.0, 1e5][case % 4]);
        let body =
            Obb::new(middle + vector(4.0), Quat::from_scaled_axis(vector(6.0)), vector(2.0).abs() + 0.01).unwrap();
        let other = ball(middle + vector(4.0), vector(2.0).x.abs(), vector(4.0)).unwrap();
        let sweep = BoxSweep::new(body, vector(8.0)).unwrap();
        let turning = sweep.rotating(vector(4.0)).unwrap();
        // As stored, in exact arithmetic.
        let order = |ball: &Sphere, body: &Obb| -> Ordering {
            let square = &Exact::new(ball.radius()) * &Exact::new(ball.radius());
            cullide_oracle::obb_distance_squared(of_obb(body), ball.center().to_array()).cmp_exact(&square)
        };
        if let Some(hit) = sweep.against(other.body()).hit() {
            hits[0] += 1;
            assert_ne!(order(other.body(), &with_center(&body, hit.position)), Less, "{sweep:?} {other:?}");
            let way = f64::from(hit.toi) * wide(sweep.motion()).length();
            let off = wide(hit.position).distance(wide(body.center()) + wide(sweep.motion()) * f64::from(hit.toi));
            assert!(off <= 1e-6 * (way + wide(middle).length() + 1.0), "{sweep:?} {other:?} {hit:?}");
        }
        if let Some(hit) = turning.against(other.body(), 1e-3).hit() {
            hits[1] += 1;
            assert_ne!(order(other.body(), &turning.body_at(&hit)), Less, "{turning:?} {other:?}");
        }
        if let Some(hit) = turning.against_moving_sphere(&other, 1e-3).hit() {
            hits[2] += 1;
            assert_ne!(order(&other.pose(hit.toi), &turning.body_at(&hit)), Less, "{turning:?} {other:?}");
        }
    }
    assert!(hits.iter().all(|&count| count > 2_000), "{hits:?}");
}

fn with_center(body: &Obb, center: Vec3) -> Obb {
    Obb::from_half_edges(center, body.half_edges()).unwrap()
}

#[test]
fn concentric_balls_far_from_the_origin_overlap_by_both_radii() {
    let at = |motion: Vec3| ball(Vec3::X * 1e9, 1e-3, motion).unwrap();
    let overlap = at(Vec3::Y).against_moving_sphere(&at(Vec3::ZERO)).overlap().unwrap();
    // Separated upward, and the lowest point is where they touch.
    assert_eq!((overlap.depth, overlap.normal), (2e-3, Vec3::Y));
    assert_eq!(overlap.contacts.points(), [Vec3::new(1e9, -1e-3, 0.0)]);
    // Touching from the start, and pressed together or moved along each other.
    let [left, right] = [-1.0, 1.0].map(|x| Sphere::new(Vec3::X * x, 1.0).unwrap());
    let verdict = |motion: Vec3| kind(&SphereSweep::new(left, motion).unwrap().against(right));
    assert_eq!([Vec3::X, Vec3::Y, Vec3::NEG_X].map(verdict), [1, 0, 0]);
}

/// A box, and a ball with its motion, in whole steps of `f32` at their place.
struct OnGrid {
    min: [i64; 3],
    max: [i64; 3],
    center: [i64; 3],
    radius: i64,
    motion: [i64; 3],
}

impl OnGrid {
    fn random(rng: &mut Rng) -> Self {
        let mut vector = |range: std::ops::RangeInclusive<i64>| [(); 3].map(|()| rng.i64(range.clone()));
        let (min, size, center, off) = (vector(-6..=6), vector(0..=7), vector(-12..=12), vector(-6..=6));
        let max = [0, 1, 2].map(|i| min[i] + size[i]);
        // Past a corner, or not that far.
        let motion = [0, 1, 2].map(|i| min[i] - center[i] + off[i]);
        Self { min, max, center, radius: rng.i64(0..=8), motion }
    }

    /// How far the centre is outside the box on each axis; and how close it is to a face if it is inside.
    fn outside(&self) -> ([i64; 3], i64) {
        let beyond = |i: usize| (self.min[i] - self.center[i]).max(self.center[i] - self.max[i]);
        ([0, 1, 2].map(|i| beyond(i).max(0)), -beyond(0).max(beyond(1)).max(beyond(2)))
    }

    fn is_outside(&self) -> bool {
        self.outside().0 != [0; 3]
    }

    /// Whether the interiors overlap, by squares of integers.
    fn overlaps(&self) -> bool {
        let ([x, y, z], depth) = self.outside();
        let square = x * x + y * y + z * z;
        square < self.radius * self.radius || square == 0 && self.radius + depth > 0
    }

    /// The distance of the ball's centre from the box at a time, in `f64`, which represents these numbers exactly.
    fn distance(&self, time: f64) -> f64 {
        let offset = |i: usize| {
            let at = self.center[i] as f64 + self.motion[i] as f64 * time;
            at - at.clamp(self.min[i] as f64, self.max[i] as f64)
        };
        DVec3::new(offset(0), offset(1), offset(2)).length()
    }
}

#[test]
fn a_ball_next_to_an_aligned_box_is_apart() {
    let at = |offset: [f32; 3]| Vec3::splat(1e6) + Vec3::from(offset);
    let ball = Sphere::new(at([0.4375, 0.5625, 0.25]), 0.3125).unwrap();
    let aabb = Aabb::new(at([0.1875, 0.875, 0.25]), at([0.25, 0.9375, 0.5])).unwrap();
    // Three sixteenths along x and five along y.
    let distance = f64::from(3 * 3 + 5 * 5).sqrt() / 16.0;
    assert!((aabb.gap_of_sphere(&ball).separation - (distance - 0.3125)).abs() < 1e-9);
    let still = SphereSweep::new(ball, Vec3::ZERO).unwrap();
    assert_eq!(still.against(aabb), Sweep::Clear);
}

#[test]
fn a_ball_swept_against_an_aligned_box_stops_where_it_should_far_from_the_origin() {
    let mut rng = Rng::with_seed(SEED);
    let mut verdicts = [0; 3];
    for case in 0..CASES {
        let base = Vec3::splat([1e4, 1e5, 1e6, 1e7, -1e6, 0.0][case % 6]);
        let step = if base.x == 0.0 { 0.125 } else { base.x.abs().next_up() - base.x.abs() };
        let grid = OnGrid::random(&mut rng);
        let point = |v: [i64; 3]| base + Vec3::from(v.map(|x| x as f32 * step));
        let aabb = Aabb::new(point(grid.min), point(grid.max)).unwrap();
        let ball = Sphere::new(point(grid.center), grid.radius as f32 * step).unwrap();
        let motion = Vec3::from(grid.motion.map(|x| x as f32 * step));
        let got = SphereSweep::new(ball, motion).unwrap().against(aabb);
        let context = || format!("{base} {aabb:?} {ball:?} {motion} {got:?}");
        verdicts[kind(&got)] += 1;

        // How much rounding may change a distance in steps, which are 2^-23 of the coordinates.
        let (radius, margin) = (grid.radius as f64, 1e-7);
        match got {
            Sweep::Overlap(overlap) => {
                assert!(grid.overlaps(), "{}", context());
                let (depth, outside) = (f64::from(overlap.depth) / f64::from(step), grid.outside());
                let expected = if grid.is_outside() { radius - grid.distance(0.0) } else { radius + outside.1 as f64 };
                assert!((depth - expected).abs() <= margin + 1e-6 * expected, "{depth} {expected}: {}", context());
            }
            Sweep::Hit(hit) => {
                assert!(!grid.overlaps(), "{}", context());
                let toi = f64::from(hit.toi);
                let late = DVec3::from(grid.motion.map(|x| x as f64)).length() * 2f64.powi(-23) + margin;
                let there = grid.distance(toi) - radius;
                assert!(-margin <= there && there <= late, "{there:e} away when it touches: {}", context());
                let stops = OnGrid {
                    center: [0, 1, 2].map(|i| ((wide(hit.position) - wide(base))[i] / f64::from(step)) as i64),
                    ..grid
                };
                // On the grid, where integers decide whether it penetrates.
                let is_on_grid = point(stops.center) == hit.position;
                assert!(!is_on_grid || !stops.overlaps(), "penetrates: {}", context());
                assert!(is_unit(hit.normal) && wide(hit.normal).dot(wide(motion)) < 0.0, "{}", context());
            }
            Sweep::Clear => {
                assert!(!grid.overlaps(), "{}", context());
                // The distance is a convex function of time.
                let (mut low, mut high) = (0.0, 1.0);
                for _ in 0..50 {
                    let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                    (low, high) = if grid.distance(a) <= grid.distance(b) { (low, b) } else { (a, high) };
                }
                let nearest = grid.distance(low) - radius;
                assert!(nearest >= -margin, "clear, and penetrates by {nearest:e} at {low}: {}", context());
            }
        }
    }
    assert!(verdicts.iter().all(|&count| count > CASES / 20), "{verdicts:?}");
}
