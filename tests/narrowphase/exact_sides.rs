//! Planes against points and volumes, compared with exact arithmetic on aimed cases.
//!
//! The answers are exact for the stored numbers; the tests for tree nodes may call a decided box `Straddling`, never the other way.

use cullide_narrowphase::{Aabb, Plane, PlaneTest, Side, glam::Vec3};
use cullide_oracle::{self as oracle, NormalLength, ulp};
use cullide_scenes::aimed::{self, Wrong, each_case};
use cullide_support::exact::{self, *};

/// How many cases gave each side: a test that always meets the same answer shows little.
#[derive(Debug, Default)]
struct Sides([usize; 3]);

impl Sides {
    fn count(&mut self, side: Side) {
        self.0[side as usize] += 1;
    }

    fn assert_all_common(&self) {
        assert!(self.0.iter().all(|&count| count > CASES / 10), "{self:?}");
    }
}

fn named(side: oracle::Side) -> Side {
    match side {
        oracle::Side::Front => Side::Front,
        oracle::Side::Straddling => Side::Straddling,
        oracle::Side::Back => Side::Back,
    }
}

#[test]
fn the_side_of_a_point_is_exact_and_its_distance_is_rounded_once() {
    let mut sides = Sides::default();
    each_case(CASES, 0.85, aimed::path_plane, |&([point, _], plane), wrong| {
        let plane = exact::plane(plane)?;
        let point = Vec3::from(point);
        let height = oracle::height(of_plane(&plane), point.to_array());
        let expected = named(oracle::side_of_point(of_plane(&plane), point.to_array()));
        let side = plane.side_of_point(point);
        wrong.unless_equal("side", side, expected);
        sides.count(side);
        // Four exact terms, three additions in f64, one rounding to f32.
        let sum = magnitude(plane.normal(), point) + f64::from(plane.d().abs());
        let distance = plane.signed_distance(point);
        let near = oracle::Ratio::from(height).within(distance.into(), 0.5 * ulp(distance) + 4.0 * ROUNDING * sum);
        wrong.unless(near, || format!("distance {distance:e}"));
        Some(())
    });
    assert!(sides.0[Side::Front as usize] > CASES / 10 && sides.0[Side::Back as usize] > CASES / 10, "{sides:?}");
}

#[test]
fn the_side_of_a_box_is_exact_and_the_conservative_tests_only_ever_leave_it_open() {
    let (mut sides, mut open) = (Sides::default(), [0; 3]);
    each_case(CASES, 0.85, aimed::plane_aabb, |&(plane, aabb), wrong| {
        let (plane, aabb) = (exact::plane(plane)?, exact::aabb(aabb)?);
        let expected = named(oracle::side_of_aabb(of_plane(&plane), of_aabb(&aabb)));
        let side = plane.side_of_aabb(&aabb);
        wrong.unless_equal("side", side, expected);
        sides.count(side);
        for (i, claim) in conservative(&plane, &aabb).into_iter().enumerate() {
            wrong.unless(claim == side || claim == Side::Straddling, || format!("form {i} claims {claim:?}"));
            open[i] += usize::from(claim != side);
            if claim != Side::Straddling {
                check_child(&plane, &aabb, i, claim, wrong);
            }
        }
        Some(())
    });
    sides.assert_all_common();
    // Without a margin nothing would be left open, and one in a hundred would be wrong.
    assert!(open.iter().all(|&count| count > CASES / 1000), "{open:?}");
}

/// The answers of the forms for tree nodes: without bounds, with the box itself as bounds, and with much larger ones.
fn conservative(plane: &Plane, aabb: &Aabb) -> [Side; 3] {
    let size = aabb.min().abs().max(aabb.max().abs()) * 16.0;
    let wide = Aabb::new(-size, size).unwrap_or(*aabb);
    let prepared = |bounds: &Aabb| PlaneTest::new(plane, bounds).side_of_aabb(aabb);
    [plane.side_of_aabb_conservative(aabb), prepared(aabb), prepared(&wide)]
}

/// A box inside a decided one is decided alike, or a tree would differ from a list.
fn check_child(plane: &Plane, aabb: &Aabb, form: usize, claim: Side, wrong: &mut Wrong) {
    let (min, max) = (aabb.min(), aabb.max());
    for child in [Aabb::new(min, min), Aabb::new(max, max), Aabb::new(min.map(f32::next_up).min(max), max)] {
        let child = child.expect("inside another");
        let answer = match form {
            0 => plane.side_of_aabb_conservative(&child),
            // The bounds are the tree's, which are those of the parent here.
            _ => PlaneTest::new(plane, aabb).side_of_aabb(&child),
        };
        let same = form == 2 || answer == claim;
        wrong.unless(same, || format!("form {form} claims {claim:?}, but {answer:?} of a child"));
    }
}

#[test]
fn the_side_of_an_oriented_box_is_exact() {
    let mut sides = Sides::default();
    each_case(CASES, 0.85, aimed::plane_obb, |&(plane, obb), wrong| {
        let (plane, obb) = (exact::plane(plane)?, exact::obb(obb)?);
        let side = plane.side_of_obb(&obb);
        wrong.unless_equal("side", side, named(oracle::side_of_obb(of_plane(&plane), of_obb(&obb))));
        sides.count(side);
        Some(())
    });
    sides.assert_all_common();
}

#[test]
fn the_side_of_a_sphere_is_exact_by_true_distance() {
    let mut sides = Sides::default();
    each_case(CASES, 0.85, aimed::plane_sphere, |&(plane, sphere), wrong| {
        let (plane, sphere) = (exact::plane(plane)?, exact::sphere(sphere)?);
        let expected = oracle::side_of_sphere(of_plane(&plane), of_sphere(&sphere), NormalLength::Stored);
        let side = plane.side_of_sphere(&sphere);
        wrong.unless_equal("side", side, named(expected));
        sides.count(side);
        Some(())
    });
    sides.assert_all_common();
}
