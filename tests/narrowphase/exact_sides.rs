//! Planes against points and volumes, compared with exact arithmetic on aimed cases.
//!
//! The answers are exact for the stored numbers.

use cullide_narrowphase::{Side, glam::Vec3};
use cullide_oracle::{self as oracle, NormalLength, ulp};
use cullide_scenes::aimed::{self, each_case};
use cullide_support::exact::{self, *};

/// The number of cases on each side: a test that always sees the same answer shows little.
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
        // Four exact terms, three additions in `f64`, and one rounding to `f32`.
        let sum = magnitude(plane.normal(), point) + f64::from(plane.d().abs());
        let distance = plane.signed_distance(point);
        let near = oracle::Ratio::from(height).within(distance.into(), 0.5 * ulp(distance) + 4.0 * ROUNDING * sum);
        wrong.unless(near, || format!("distance {distance:e}"));
        Some(())
    });
    assert!(sides.0[Side::Front as usize] > CASES / 10 && sides.0[Side::Back as usize] > CASES / 10, "{sides:?}");
}

#[test]
fn the_side_of_a_box_is_exact() {
    let mut sides = Sides::default();
    each_case(CASES, 0.85, aimed::plane_aabb, |&(plane, aabb), wrong| {
        let (plane, aabb) = (exact::plane(plane)?, exact::aabb(aabb)?);
        let side = plane.side_of_aabb(&aabb);
        wrong.unless_equal("side", side, named(oracle::side_of_aabb(of_plane(&plane), of_aabb(&aabb))));
        sides.count(side);
        Some(())
    });
    sides.assert_all_common();
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
