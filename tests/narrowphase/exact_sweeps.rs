//! Moving boxes against planes, compared with exact arithmetic on aimed cases.
//!
//! The verdict is exact. The time of impact is rounded toward zero, and the position at impact does not penetrate in
//! exact arithmetic.

use cullide_narrowphase::{BoxSweep, Obb, Plane, PlaneTouch, Sides, Sweep, SweepHit, glam::Vec3};
use cullide_oracle::{self as oracle, Exact, Parameter, Sided, ulp};
use cullide_scenes::{
    Rng,
    aimed::{self, Wrong, each_case},
};
use cullide_support::exact::{self, *};

/// The angle up to which an edge counts as parallel to a plane; near it rounding may decide either way.
const FEATURE_ANGLE: f64 = 1e-4;

#[derive(Debug, Default)]
struct Verdicts {
    clear: usize,
    hit: usize,
    overlap: usize,
}

impl Verdicts {
    fn check(&mut self, got: &Sweep, exact: &oracle::Sweep, wrong: &mut Wrong) -> bool {
        let (name, same) = match got {
            Sweep::Clear => (&mut self.clear, matches!(exact, oracle::Sweep::Clear)),
            Sweep::Hit(_) => (&mut self.hit, matches!(exact, oracle::Sweep::Hit(_))),
            Sweep::Overlap(_) => (&mut self.overlap, matches!(exact, oracle::Sweep::Overlap)),
        };
        *name += 1;
        wrong.unless(same, || format!("got {got:?}, expected {exact:?}"));
        same
    }

    fn assert_all_common(&self) {
        assert!(self.clear.min(self.hit).min(self.overlap) > CASES / 20, "{self:?}");
    }
}

/// A case in which the plane moves as well: the relative motion is about that of the case.
type Moving = ([[f32; 3]; 4], [[f32; 3]; 2], [f32; 4]);

fn moving(rng: &mut Rng) -> Moving {
    let (obb, delta, plane) = aimed::sweep_obb_plane(rng);
    let other = match rng.u32(0..4) {
        0 => [0.0; 3],
        1 => delta,
        2 => [(); 3].map(|()| rng.i32(-4..=4) as f32),
        _ => delta.map(|x| x * rng.f32()),
    };
    let sum = std::array::from_fn(|i| (delta[i] + other[i]).clamp(-1e9, 1e9));
    (obb, [sum, other], plane)
}

fn with(sides: Sides) -> Sided {
    match sides {
        Sides::Front => Sided::Front,
        Sides::Both => Sided::Both,
    }
}

#[test]
fn a_box_meets_a_plane_exactly_when_it_should() {
    let mut verdicts = Verdicts::default();
    each_case(CASES, 0.8, aimed::sweep_obb_plane, |&(obb, delta, plane), wrong| {
        let (body, plane) = (exact::obb(obb)?, exact::plane(plane)?);
        let sweep = BoxSweep::new(body, Vec3::from(delta)).ok()?;
        for sides in [Sides::Front, Sides::Both] {
            let exact = expected(&sweep, &plane, Vec3::ZERO, sides);
            let got = sweep.against_plane(&plane, sides);
            wrong.unless_equal("touch", sweep.touch_plane(&plane, sides), PlaneTouch::from(got));
            if !verdicts.check(&got, &exact, wrong) {
                continue;
            }
            let side = if body_side(&sweep, &plane, Vec3::ZERO, sides) { 1.0 } else { -1.0 };
            check_answer(&sweep, &plane, Vec3::ZERO, side, (&got, &exact), wrong);
            if let Sweep::Hit(hit) = got {
                check_position(&body, &plane, side, &hit, wrong);
                check_contacts(&body, &plane, side, &hit, wrong);
            }
        }
        Some(())
    });
    verdicts.assert_all_common();
}

#[test]
fn a_box_meets_a_moving_plane_exactly_when_it_should() {
    let mut verdicts = Verdicts::default();
    each_case(CASES, 0.8, moving, |&(obb, [delta, other], plane), wrong| {
        let (body, plane) = (exact::obb(obb)?, exact::plane(plane)?);
        let (sweep, other) = (BoxSweep::new(body, Vec3::from(delta)).ok()?, Vec3::from(other));
        for sides in [Sides::Front, Sides::Both] {
            let exact = expected(&sweep, &plane, other, sides);
            let got = sweep.against_moving_plane(&plane, other, sides);
            if verdicts.check(&got, &exact, wrong) {
                let side = if body_side(&sweep, &plane, other, sides) { 1.0 } else { -1.0 };
                check_answer(&sweep, &plane, other, side, (&got, &exact), wrong);
            }
        }
        Some(())
    });
    verdicts.assert_all_common();
}

fn expected(sweep: &BoxSweep, plane: &Plane, other: Vec3, sides: Sides) -> oracle::Sweep {
    let (obb, delta) = (of_obb(sweep.body()), sweep.motion().to_array());
    oracle::sweep_obb_plane(obb, delta, of_plane(plane), other.to_array(), with(sides))
}

/// Whether the box is kept in front: always for one-sided planes, otherwise if its centre starts there or, if it is on
/// the plane, moves there.
fn body_side(sweep: &BoxSweep, plane: &Plane, other: Vec3, sides: Sides) -> bool {
    let height = oracle::height(of_plane(plane), sweep.body().center().to_array());
    let normal = oracle::Vector::new(plane.normal().to_array());
    let motion =
        oracle::Vector::new(sweep.motion().to_array()).minus(&oracle::Vector::new(other.to_array())).dot(&normal);
    sides == Sides::Front || height.is_positive() || (height.is_zero() && !motion.is_negative())
}

/// The sum of the magnitudes of all products in a gap.
fn terms(body: &Obb, plane: &Plane) -> f64 {
    let edges: f64 = body.half_edges().iter().map(|&edge| magnitude(plane.normal(), edge)).sum();
    magnitude(plane.normal(), body.center()) + f64::from(plane.d().abs()) + edges
}

/// Checks times, depths and normals. The gap at the start is a sum of 13 exact products, the approach a sum of six:
/// with `M` and `m` the sums of the magnitudes, they err by `13 u M` and `6 u m`, for which `16 u M` and `8 u m` are
/// allowed.
fn check_answer(
    sweep: &BoxSweep,
    plane: &Plane,
    other: Vec3,
    side: f32,
    (got, exact): (&Sweep, &oracle::Sweep),
    wrong: &mut Wrong,
) {
    let gap_error = 16.0 * ROUNDING * terms(sweep.body(), plane);
    match (got, exact) {
        (Sweep::Hit(hit), oracle::Sweep::Hit(toi)) => {
            let normal = plane.normal();
            let approach = relative(sweep, other, normal);
            let sum = magnitude(normal, sweep.motion()) + magnitude(normal, other);
            let error = (gap_error + 8.0 * ROUNDING * sum) / approach.abs();
            check_toi(hit.toi, toi, error, wrong);
            wrong.unless_equal("normal", hit.normal, normal * side);
            wrong.unless(approach * f64::from(side) < 0.0, || "the normal is not against the motion".into());
        }
        (Sweep::Overlap(overlap), oracle::Sweep::Overlap) => {
            wrong.unless_equal("normal", overlap.normal, plane.normal() * side);
            wrong.unless(overlap.depth >= 0.0, || format!("depth {}", overlap.depth));
            let facing = of_plane(plane).map(|x| x * side);
            let depth = -oracle::plane_gap(of_obb(sweep.body()), facing).to_f64() / wide(plane.normal()).length();
            let error = 0.6 * ulp(overlap.depth) + gap_error;
            wrong.unless((f64::from(overlap.depth) - depth).abs() <= error, || {
                format!("depth {:e}, exactly {depth:e}", overlap.depth)
            });
        }
        _ => {}
    }
}

/// The exact relative motion along the normal, rounded.
fn relative(sweep: &BoxSweep, other: Vec3, normal: Vec3) -> f64 {
    let [a, b, n] = [sweep.motion(), other, normal].map(|v| oracle::Vector::new(v.to_array()));
    a.minus(&b).dot(&n).to_f64()
}

/// Checks that a time is rounded toward zero: it is after the exact time by no more than the error of the `f64` time,
/// and less than one step of `f32` before it.
fn check_toi(got: f32, exact: &Parameter, error: f64, wrong: &mut Wrong) {
    wrong.unless((0.0..1.0).contains(&got), || format!("toi {got}"));
    let toi = f64::from(got);
    let low = Exact::new(toi) - Exact::new(error);
    let high = Exact::new(toi) + Exact::new(error) + Exact::new(ulp(got));
    let within = exact.cmp_exact(&low).is_ge() && exact.cmp_exact(&high).is_le();
    wrong.unless(within, || format!("toi {toi:e}, exactly {:e}, error {error:e}", exact.to_f64()));
}

/// Checks that the gap at the impact is not negative, and no more than rounding the centre costs: `Σ |N| ulp(Q)`,
/// twice. A position that cannot be represented is left at the start.
fn check_position(body: &Obb, plane: &Plane, side: f32, hit: &SweepHit, wrong: &mut Wrong) {
    let facing = of_plane(plane).map(|x| x * side);
    let mut there = of_obb(body);
    there[0] = hit.position.to_array();
    let gap = oracle::plane_gap(there, facing);
    wrong.unless(!gap.is_negative(), || format!("penetrates by {:e} at {}", -gap.to_f64(), hit.position));
    let steps: f64 = (0..3).map(|i| f64::from(plane.normal()[i].abs()) * ulp(hit.position[i])).sum();
    let bound = 2.0 * steps + 32.0 * ROUNDING * terms(body, plane);
    wrong.unless(hit.toi == 0.0 || gap <= Exact::new(bound), || {
        format!("stops {:e} before the plane, {:.1} steps", gap.to_f64(), gap.to_f64() / steps)
    });
}

/// Checks the number of contacts, which follows from the edges parallel to the plane: one, two or four. Each is a
/// vertex of the box, and none is higher above the lowest point than parallel edges lean.
fn check_contacts(body: &Obb, plane: &Plane, side: f32, hit: &SweepHit, wrong: &mut Wrong) {
    let normal = wide(plane.normal()).normalize();
    let edges: Vec<_> = body.half_edges().iter().map(|&edge| wide(edge)).filter(|edge| edge.length() > 0.0).collect();
    let lean = |edge: &cullide_narrowphase::glam::DVec3| normal.dot(*edge).abs() / edge.length() / FEATURE_ANGLE;
    let is_close_call = edges.iter().any(|edge| (lean(edge) - 1.0).abs() < 1e-6);
    let parallel: Vec<_> = edges.iter().filter(|edge| lean(edge) <= 1.0).collect();
    let points = hit.contacts.points();
    wrong.unless(is_close_call || points.len() == [1, 2, 4, 4][parallel.len()], || {
        format!("{} contacts for {} parallel edges", points.len(), parallel.len())
    });
    let center = wide(hit.position);
    let size = edges.iter().fold(center.abs(), |sum, edge| sum + edge.abs());
    let reach: f64 = edges.iter().map(|edge| normal.dot(*edge).abs()).sum();
    let tilt: f64 = parallel.iter().map(|edge| 2.0 * normal.dot(**edge).abs()).sum();
    for point in points {
        // Each coordinate is rounded to `f32` separately.
        let rounding: f64 = (0..3).map(|i| normal[i].abs() * ulp(point[i])).sum::<f64>() + 1e-14 * size.element_sum();
        let above = f64::from(side) * normal.dot(wide(*point) - center) + reach;
        let low = above >= -rounding && above <= tilt * (1.0 + 1e-6) + rounding;
        // If all three edges count as parallel, the box is a spike, and only two of them are used.
        wrong.unless(is_close_call || parallel.len() > 2 || low, || format!("contact {point} lies {above:e} above"));
    }
}
