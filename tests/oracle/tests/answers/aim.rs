//! The aimed generators have to find what single precision gets wrong; uniform ones would not.

use cullide_oracle::*;
use cullide_scenes::{Rng, SEED, aimed, plane_sweeps};

const CASES: usize = 20_000;

/// Counts the cases that a test gets wrong.
fn wrong<T>(generate: impl Fn(&mut Rng) -> T, is_wrong: impl Fn(&T) -> bool) -> usize {
    let mut rng = Rng::with_seed(SEED);
    (0..CASES).filter(|_| is_wrong(&generate(&mut rng))).count()
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[test]
fn a_textbook_slab_test_is_wrong_on_one_path_in_a_hundred() {
    let slab = |[start, delta]: [[f32; 3]; 2], [min, max]: [[f32; 3]; 2]| {
        let (mut enter, mut exit) = (0.0f32, 1.0f32);
        for i in 0..3 {
            let (a, b) = ((min[i] - start[i]) / delta[i], (max[i] - start[i]) / delta[i]);
            enter = enter.max(a.min(b));
            exit = exit.min(a.max(b));
        }
        enter <= exit
    };
    let is_wrong = |(path, aabb): &([[f32; 3]; 2], [[f32; 3]; 2])| {
        path_aabb(&Path::segment(path[0], path[1]), *aabb).is_some() != slab(*path, *aabb)
    };
    let wrong = wrong(aimed::path_aabb, is_wrong);
    assert!(wrong > CASES / 100, "{wrong}");
}

#[test]
fn single_precision_is_wrong_on_one_plane_in_a_hundred() {
    let side = |[x, y, z, d]: [f32; 4], obb: [[f32; 3]; 4]| {
        let normal = [x, y, z];
        let (height, radius) = (dot(normal, obb[0]) + d, obb[1..].iter().map(|&h| dot(normal, h).abs()).sum());
        match height {
            _ if height > radius => Side::Front,
            _ if height < -radius => Side::Back,
            _ => Side::Straddling,
        }
    };
    let count = wrong(aimed::plane_obb, |&(plane, obb)| side_of_obb(plane, obb) != side(plane, obb));
    assert!(count > CASES / 100, "{count}");
    let count = wrong(aimed::sweep_obb_plane, |&(obb, _, plane)| side_of_obb(plane, obb) != side(plane, obb));
    assert!(count > CASES / 100, "{count}");
}

#[test]
fn separating_axes_in_single_precision_are_wrong_on_one_pair_in_a_hundred() {
    let cross =
        |a: [f32; 3], b: [f32; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let meet = |a: [[f32; 3]; 4], b: [[f32; 3]; 4]| {
        let offset: [f32; 3] = std::array::from_fn(|i| b[0][i] - a[0][i]);
        let edges = [a[1], a[2], a[3], b[1], b[2], b[3]];
        let apart = |axis: [f32; 3]| dot(axis, offset).abs() > edges.iter().map(|&edge| dot(axis, edge).abs()).sum();
        !edges.iter().any(|&p| edges.iter().any(|&q| apart(cross(p, q))))
    };
    let count = wrong(aimed::obb_obb, |&(a, b)| obb_obb(a, b) != meet(a, b));
    assert!(count > CASES / 100, "{count}");
}

#[test]
fn three_in_ten_of_the_plane_sweeps_hit() {
    let still = [0.0; 3];
    let hits = |sweep: &&cullide_scenes::BoxSweep| {
        sweep_obb_plane(sweep.obb, sweep.delta, sweep.plane, still, Sided::Front).toi().is_some()
    };
    let hits = plane_sweeps(CASES, SEED).iter().filter(hits).count();
    assert!((CASES * 27 / 100..CASES * 34 / 100).contains(&hits), "{hits}");
}
