//! Balls that move against brushes and patches, compared with the exact distance of a point from a solid; balls from
//! very far away that are known from the start to hit; and balls of radius zero, compared with segments.

use cullide_narrowphase::{
    Brush, Obb, Patch, Segment, Sphere, SphereSweep, Sweep,
    glam::{DVec3, Quat, Vec3},
};
use cullide_oracle::solid_distance_squared;
use cullide_scenes::{
    Rng, SEED,
    aimed::{self, Wrong, each_case},
};
use cullide_support::exact::{self, *};

/// The exact distance of a seven-sided solid takes a fraction of a millisecond.
const SWEEPS: usize = CASES / 20;

/// How much rounding may change a distance, relative to the largest coordinate.
const MARGIN: f64 = 1e-12;

/// A convex solid as the planes `[normal, distance]` that it lies behind.
struct Solid {
    planes: Vec<[f64; 4]>,
}

impl Solid {
    fn of_brush(brush: &Brush) -> Self {
        Self { planes: brush.planes().iter().map(|plane| plane.normal.extend(plane.distance).to_array()).collect() }
    }

    fn of_triangle([a, b, c]: [Vec3; 3]) -> Self {
        let corners = [a, b, c].map(wide);
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let across = |i: usize| ((corners[(i + 1) % 3] - corners[i]).cross(normal), corners[i]);
        let sides = [(normal, corners[0]), (-normal, corners[0]), across(0), across(1), across(2)];
        let plane = |(normal, corner): (DVec3, DVec3)| {
            let normal = normal.normalize_or_zero();
            normal.extend(normal.dot(corner)).to_array()
        };
        Self { planes: sides.map(plane).to_vec() }
    }

    /// The distance, exact except for one root; `None` if rounding has left nothing of the solid.
    fn distance(&self, point: DVec3) -> Option<f64> {
        Some(solid_distance_squared(&self.planes, point.to_array())?.to_f64().sqrt())
    }

    /// The same in `f64`, by brute force: the nearest of all feet on planes, edges and corners that are in the solid.
    fn rough_distance(&self, point: DVec3, margin: f64) -> f64 {
        let planes: Vec<_> = self.planes.iter().map(|&[x, y, z, d]| (DVec3::new(x, y, z), d)).collect();
        let inside = |foot: DVec3| planes.iter().all(|(normal, distance)| normal.dot(foot) <= distance + margin);
        let mut least = if inside(point) { 0.0 } else { f64::INFINITY };
        let mut offer = |foot: DVec3| {
            if foot.is_finite() && inside(foot) {
                least = least.min(foot.distance(point));
            }
        };
        for (i, &(n, d)) in planes.iter().enumerate() {
            offer(point - n * (n.dot(point) - d));
            for (j, &(m, e)) in planes[..i].iter().enumerate() {
                // The foot on the line of two planes: offset within the span of their normals.
                let (c, below, beneath) = (n.dot(m), d - n.dot(point), e - m.dot(point));
                let scale = 1.0 - c * c;
                offer(point + n * ((below - c * beneath) / scale) + m * ((beneath - c * below) / scale));
                for &(o, f) in &planes[..j] {
                    let volume = n.dot(m.cross(o));
                    offer((m.cross(o) * d + o.cross(n) * e + n.cross(m) * f) / volume);
                }
            }
        }
        least
    }
}

/// Compares a sweep with the distances on its way. Returns 0 for clear, 1 for a hit and 2 for an overlap, if the exact
/// answer is certain.
fn check(sweep: &SphereSweep, got: &Sweep, solid: &Solid, size: f64, wrong: &mut Wrong) -> Option<usize> {
    let (start, motion) = (wide(sweep.body().center()), wide(sweep.motion()));
    let radius = f64::from(sweep.body().radius());
    let margin = MARGIN * (size + motion.length());
    let gap = |time: f64| Some(solid.distance(start + motion * time)? - radius);
    let at_start = gap(0.0)?;
    match got {
        Sweep::Overlap(overlap) => {
            wrong.unless(at_start < margin, || format!("overlaps from {at_start:e} away"));
            wrong.unless(is_unit(overlap.normal) && overlap.depth >= 0.0, || format!("{overlap:?}"));
            let depth = f64::from(overlap.depth);
            // For a centre inside the solid the depth counts from the nearest face, which the distance does not give.
            let is_right = at_start <= margin - radius || (depth + at_start).abs() <= margin + 1e-7 * depth;
            wrong.unless(is_right, || format!("depth {depth:e} and gap {at_start:e}"));
        }
        Sweep::Hit(hit) => {
            let toi = f64::from(hit.toi);
            let late = motion.length() * f64::from(f32::EPSILON) * toi + 4.0 * margin;
            let there = gap(toi)?;
            wrong.unless((0.0..1.0).contains(&hit.toi), || format!("toi {toi}"));
            wrong.unless(-margin <= there && there <= late, || format!("{there:e} away when it touches"));
            for earlier in [0.0, 0.25, 0.5, 0.75, 0.99] {
                let before = gap(toi * earlier)?;
                wrong.unless(before >= -margin, || format!("{before:e} away before it touches"));
            }
            let stops = solid.distance(wide(hit.position))? - radius;
            wrong.unless(stops >= -1e-15 * size, || format!("penetrates by {stops:e}"));
            let off = wide(hit.position).distance(start + motion * toi);
            wrong.unless(off <= late + 1e-6 * size, || format!("stops {off:e} off its way"));
            wrong.unless(is_unit(hit.normal), || format!("normal {}", hit.normal));
            let approach = wide(hit.normal).dot(motion);
            wrong.unless(approach <= 1e-6 * motion.length(), || format!("normal along the motion by {approach:e}"));
            let contact = solid.distance(wide(hit.contacts.points()[0]))?;
            wrong.unless(contact <= margin + 1e-6 * size, || format!("contact {contact:e} off"));
        }
        Sweep::Clear => {
            wrong.unless(at_start >= -margin, || format!("clear at a gap of {at_start:e}"));
            // The distance is a convex function of time.
            let (mut low, mut high) = (0.0, 1.0);
            let rough = |time: f64| solid.rough_distance(start + motion * time, 0.01 * margin);
            for _ in 0..80 {
                let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                (low, high) = if rough(a) <= rough(b) { (low, b) } else { (a, high) };
            }
            let nearest = gap(low)?;
            wrong.unless(nearest >= -margin, || format!("clear, and penetrates by {nearest:e} at {low}"));
        }
    }
    let sure = !matches!(got, Sweep::Overlap(_)) || at_start < -margin;
    sure.then_some(kind(got))
}

fn kind(sweep: &Sweep) -> usize {
    match sweep {
        Sweep::Clear => 0,
        Sweep::Hit(_) => 1,
        Sweep::Overlap(_) => 2,
    }
}

fn largest(points: impl IntoIterator<Item = Vec3>) -> f64 {
    points.into_iter().map(|point| wide(point).abs().max_element()).fold(0.0, f64::max)
}

/// A ball about as large as a box.
fn ball(around: &Obb, delta: [f32; 3]) -> Option<SphereSweep> {
    SphereSweep::new(Sphere::new(around.center(), around.half_extents().min_element()).ok()?, delta.into()).ok()
}

#[test]
fn a_ball_swept_against_a_brush_stops_where_it_should() {
    let mut verdicts = [0; 3];
    each_case(SWEEPS, 0.4, aimed::sweep_obb_obb, |&(moving, delta, still), wrong| {
        let still = exact::obb(still)?;
        let brush = Brush::try_from(&still).ok().filter(|_| is_of_good_shape(&still))?;
        let [a, b] = [brush.planes()[0], brush.planes()[2]];
        // An edge cut off, so that not all corners are right angles.
        let cut = (a.normal + b.normal, a.distance + b.distance - 0.3 * wide(still.half_edges()[0]).length());
        let planes = brush.planes().iter().map(|plane| (plane.normal, plane.distance)).chain([cut]);
        let brush = Brush::from_half_spaces(&planes.collect::<Vec<_>>()).ok()?;
        let sweep = ball(&exact::obb(moving)?, delta)?;
        let got = sweep.against(&brush);
        let size = largest([sweep.body().center(), brush.aabb().min(), brush.aabb().max()]);
        let size = size + f64::from(sweep.body().radius());
        check(&sweep, &got, &Solid::of_brush(&brush), size, wrong).into_iter().for_each(|kind| verdicts[kind] += 1);
        Some(())
    });
    assert!(verdicts.iter().all(|&count| count > SWEEPS / 50), "{verdicts:?}");
}

#[test]
fn a_ball_swept_against_a_triangle_stops_where_it_should() {
    let mut verdicts = [0; 3];
    let mut rng = Rng::with_seed(SEED);
    each_case(SWEEPS, 0.4, aimed::sweep_obb_obb, |&(moving, delta, still), wrong| {
        let still = exact::obb(still).filter(is_of_good_shape)?;
        let [a, b, c] = still.half_edges();
        let corner = |x: f32, y: f32, z: f32| still.center() + a * x + b * y + c * z;
        let third = [corner(-1.0, 1.0, 1.0), corner(-1.0, 1.0, -1.0)][rng.usize(0..2)];
        let corners = [corner(-1.0, -1.0, -1.0), corner(1.0, 1.0, rng.f32()), third];
        let patch = Patch::new(&corners).ok()?;
        let sweep = ball(&exact::obb(moving)?, delta)?;
        let got = sweep.against(&patch);
        let size = largest(corners.into_iter().chain([sweep.body().center()])) + f64::from(sweep.body().radius());
        check(&sweep, &got, &Solid::of_triangle(corners), size, wrong).into_iter().for_each(|kind| verdicts[kind] += 1);
        Some(())
    });
    assert!(verdicts.iter().all(|&count| count > SWEEPS / 50), "{verdicts:?}");
}

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from([0; 3].map(|_| size * (rng.f32() - 0.5)))
}

/// A triangle that contains a point, and a brush around the point that is almost flat.
fn flat_around(middle: Vec3, turn: Quat, size: f32) -> (Patch, Brush) {
    let corner = |angle: f32| middle + turn * Vec3::new(angle.cos(), 0.0, angle.sin()) * size;
    let slab = Obb::new(middle, turn, size * Vec3::new(0.5, 1e-6, 0.7)).unwrap();
    (Patch::new(&[0.0, 2.0, 4.0].map(corner)).unwrap(), Brush::try_from(&slab).unwrap())
}

#[test]
fn a_ball_from_far_away_passes_through_no_patch_however_small_and_hits_none_beside_its_way() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..20_000 {
        let size = [0.005, 1.0, 1e-6, 1e-22][case % 4];
        // As many sizes away as the range of coordinates allows.
        let sizes = [1e3f32, 1e6, 1e9, 1e13, 1e20, 1e30][case / 4 % 6].min(3e8 / size);
        let turn = Quat::from_scaled_axis(vector(&mut rng, 6.0));
        // Its middle passes exactly through the origin, and it does not move along the plane.
        let from = turn * (vector(&mut rng, 1.0) + Vec3::Y * [1.0, -1.0][case % 2]) * size * sizes;
        let across = from.any_orthogonal_vector().normalize() * size;
        for radius in [1e-5 * size * sizes, size, 1e-3 * size, 0.0] {
            let flying = SphereSweep::new(Sphere::new(from, radius).unwrap(), from * -2.0).unwrap();
            let verdicts = |by: f32| {
                let (patch, brush) = flat_around(across * by, turn, size);
                [kind(&flying.against(&patch)), kind(&flying.against(&brush))]
            };
            assert_eq!(verdicts(0.0), [1, 1], "{flying:?} {size}");
            // Times in `f64` are no closer to the touch than 2^-54 of the way.
            if sizes < 1e14 && radius <= size {
                assert_eq!(verdicts(1.02 + radius / size), [0, 0], "{flying:?} {size}");
            }
        }
    }
}

#[test]
fn a_ball_of_radius_zero_hits_what_a_segment_hits() {
    let mut rng = Rng::with_seed(SEED);
    let (mut hits, mut differ) = (0, 0);
    for case in 0..40_000 {
        let middle = vector(&mut rng, [0.0, 10.0, 1000.0][case % 3]);
        let corners = [0; 3].map(|_| middle + vector(&mut rng, 4.0));
        let Ok(patch) = Patch::new(&corners) else { continue };
        let solid = Obb::new(middle, Quat::from_scaled_axis(vector(&mut rng, 6.0)), Vec3::new(0.5, 1.0, 1.5)).unwrap();
        let brush = Brush::try_from(&solid).unwrap();
        let (start, delta) = (middle + vector(&mut rng, 8.0), vector(&mut rng, 12.0));
        let point = SphereSweep::new(Sphere::new(start, 0.0).unwrap(), delta).unwrap();
        let segment = Segment::new(start, delta).unwrap();
        for (got, cast) in
            [(point.against(&patch), segment.cast(&patch)), (point.against(&brush), segment.cast(&brush))]
        {
            match (got, cast) {
                (Sweep::Clear, None) => {}
                (Sweep::Overlap(_), Some(cast)) => assert!(cast.inside),
                (Sweep::Hit(hit), Some(cast)) => {
                    hits += 1;
                    let approach = hit.normal.dot(delta).abs().max(1e-3);
                    let bound = 1e-9 / approach + 2.0 * f32::EPSILON;
                    assert!((hit.toi - cast.fraction).abs() <= bound, "{hit:?} {cast:?} {point:?}");
                    assert!(hit.normal.dot(cast.normal) > 0.999_999, "{hit:?} {cast:?} {point:?}");
                }
                _ => differ += 1,
            }
        }
    }
    assert!(hits > 2_000 && differ == 0, "{hits} {differ}");
}

#[test]
fn a_tiny_fast_ball_stays_on_its_side_of_a_patch_and_a_thin_brush() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..20_000 {
        let size = [1.0, 100.0][case % 2];
        let turn = Quat::from_scaled_axis(vector(&mut rng, 6.0));
        let (patch, brush) = flat_around(Vec3::ZERO, turn, size);
        // From two to ten thousand radii in front, moving up to a hundred thousand radii.
        let radius = [1e-3, 1e-6, 1e-9, 0.0][case / 2 % 4];
        let up = turn * Vec3::Y;
        let aim = turn * (vector(&mut rng, 0.2) * Vec3::new(size, 0.0, size));
        let direction = vector(&mut rng, 0.5) - up;
        let start = aim - direction * (radius * (2.0 + 1e4 * rng.f32() * rng.f32()) + 4e-6 * size);
        let ball = Sphere::new(start, radius).unwrap();
        let sweep = SphereSweep::new(ball, direction * (1e5 * radius).max(0.01)).unwrap();
        type Against<'a> = &'a dyn Fn(&SphereSweep) -> Sweep;
        let solids: [Against; 2] = [&|sweep| sweep.against(&patch), &|sweep| sweep.against(&brush)];
        for against in solids {
            let hit = against(&sweep).hit().unwrap_or_else(|| panic!("{sweep:?} got through"));
            assert!(wide(hit.normal).dot(wide(up)) > 0.999, "{sweep:?} {hit:?}");
            // From there it moves on, and is stopped again.
            let stopped = Sphere::new(hit.position, radius).unwrap();
            let again = against(&SphereSweep::new(stopped, -up).unwrap()).hit();
            let again = again.unwrap_or_else(|| panic!("{sweep:?} {hit:?} got through"));
            assert!(wide(again.normal).dot(wide(up)) > 0.999 && again.toi < 1e-3, "{sweep:?} {hit:?} {again:?}");
        }
    }
}

#[test]
fn touching_and_leaving_or_sliding_is_clear_and_a_buried_ball_leaves_by_the_shortest_way() {
    let patch = Patch::new(&[Vec3::ZERO, Vec3::X * 20.0, Vec3::Z * -30.0]).unwrap();
    let slab = Obb::new(Vec3::new(5.0, -1.0, -5.0), Quat::IDENTITY, Vec3::new(4.0, 1.0, 3.0)).unwrap();
    let brush = Brush::try_from(&slab).unwrap();
    let at = |y: f32, radius: f32, motion: Vec3| {
        let ball = Sphere::new(Vec3::new(5.0, y, -5.0), radius).unwrap();
        let sweep = SphereSweep::new(ball, motion).unwrap();
        [sweep.against(&patch), sweep.against(&brush)]
    };
    for motion in [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1e-3, -1.0)] {
        assert_eq!(at(2.0, 2.0, motion), [Sweep::Clear; 2], "{motion}");
    }
    for sweep in at(2.0, 2.0, Vec3::NEG_Y) {
        let hit = sweep.hit().unwrap();
        assert_eq!((hit.toi, hit.normal), (0.0, Vec3::Y));
        assert!((2.0..2.0001).contains(&hit.position.y));
    }
    // Touching at the very end belongs to the next step.
    assert_eq!(at(4.0, 2.0, Vec3::Y * -2.0), [Sweep::Clear; 2]);
    assert!(at(4.0, 2.0, Vec3::Y * -2.001).iter().all(|sweep| sweep.hit().is_some()));
    let [cut, buried] = at(-0.5, 2.0, Vec3::X).map(|sweep| sweep.overlap().unwrap());
    assert_eq!((cut.depth, cut.normal, buried.depth, buried.normal), (1.5, Vec3::NEG_Y, 2.5, Vec3::Y));
    // A point on the patch counts as leaving it; one on the brush may leave only outward.
    let [through, held] = at(0.0, 0.0, Vec3::NEG_Y);
    assert!(through == Sweep::Clear && held.hit().is_some_and(|hit| hit.toi == 0.0));
    assert_eq!(at(0.0, 0.0, Vec3::Y), [Sweep::Clear; 2]);
}

#[test]
fn hostile_numbers_end_in_an_answer() {
    let mut rng = Rng::with_seed(SEED);
    let sizes = [0.0, 1e-40, 1e-30, 1e-3, 1.0, 1e7, 1e8, 1e9];
    let number = |rng: &mut Rng| sizes[rng.usize(0..sizes.len())] * (rng.f32() - 0.5);
    let vector = |rng: &mut Rng| Vec3::new(number(rng), number(rng), number(rng));
    let mut counts = [0; 3];
    for _ in 0..40_000 {
        let corners = [0; 3].map(|_| vector(&mut rng));
        let radius = vector(&mut rng).x.abs();
        let Ok(ball) = Sphere::new(vector(&mut rng), radius) else { continue };
        let Ok(sweep) = SphereSweep::new(ball, vector(&mut rng)) else { continue };
        let patch = Patch::new(&corners).ok();
        let half_extents = vector(&mut rng).abs();
        let brush = Obb::new(corners[0], Quat::IDENTITY, half_extents).and_then(|obb| Brush::try_from(&obb)).ok();
        let got = [patch.map(|patch| sweep.against(&patch)), brush.map(|brush| sweep.against(&brush))];
        for got in got.into_iter().flatten() {
            counts[kind(&got)] += 1;
            match got {
                Sweep::Clear => {}
                Sweep::Hit(hit) => {
                    assert!(
                        (0.0..1.0).contains(&hit.toi) && hit.position.is_finite() && is_unit(hit.normal),
                        "{hit:?}"
                    );
                }
                Sweep::Overlap(overlap) => assert!(overlap.depth >= 0.0 && is_unit(overlap.normal), "{overlap:?}"),
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
}
