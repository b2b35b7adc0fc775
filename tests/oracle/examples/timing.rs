//! Measures how long each exact answer takes on aimed inputs: `cargo run --release -p cullide-oracle --example timing`.

use std::hint::black_box;
use std::time::Instant;

use cullide_oracle::*;
use cullide_scenes::convex::{Family, convex_pair_of};
use cullide_scenes::{Rng, aimed};

fn time<T, U>(name: &str, generate: impl Fn(&mut Rng) -> T, answer: impl Fn(&T) -> U) {
    let mut rng = Rng::with_seed(1);
    let cases: Vec<T> = (0..5000).map(|_| generate(&mut rng)).collect();
    let start = Instant::now();
    for case in &cases {
        black_box(answer(case));
    }
    let each = start.elapsed().as_secs_f64() * 1e6 / cases.len() as f64;
    println!("{name:24} {each:8.2} µs");
}

fn main() {
    let segment = |path: &[[f32; 3]; 2]| Path::segment(path[0], path[1]);
    time("path_plane", aimed::path_plane, |(p, s)| path_plane(&segment(p), *s));
    time("path_aabb", aimed::path_aabb, |(p, s)| path_aabb(&segment(p), *s));
    time("path_obb", aimed::path_obb, |(p, s)| path_obb(&segment(p), *s));
    time("path_sphere", aimed::path_sphere, |(p, s)| path_sphere(&segment(p), *s));
    time("side_of_aabb", aimed::plane_aabb, |(p, s)| side_of_aabb(*p, *s));
    time("side_of_obb", aimed::plane_obb, |(p, s)| side_of_obb(*p, *s));
    time("side_of_sphere", aimed::plane_sphere, |(p, s)| side_of_sphere(*p, *s, NormalLength::Stored));
    time("aabb_aabb", aimed::aabb_aabb, |(a, b)| aabb_aabb(*a, *b));
    time("obb_obb", aimed::obb_obb, |(a, b)| obb_obb(*a, *b));
    time("obb_distance_squared", aimed::path_obb, |(p, s)| obb_distance_squared(*s, p[0]));
    time("frustum_sphere", aimed::frustum_sphere, |(p, s)| frustum_sphere(p, *s, NormalLength::Stored));
    time("frustum_planes_aabb", aimed::frustum_aabb, |(p, s)| frustum_planes_aabb(p, *s));
    time("frustum_aabb (exact)", aimed::frustum_aabb, |(p, s)| frustum_aabb(p, *s));
    time("frustum_obb (exact)", aimed::frustum_obb, |(p, s)| frustum_obb(p, *s));
    let still = [0.0; 3];
    time("sweep_obb_plane", aimed::sweep_obb_plane, |(b, v, p)| sweep_obb_plane(*b, *v, *p, still, Sided::Front));
    time("sweep_aabb_aabb", aimed::sweep_aabb_aabb, |(a, v, b)| sweep_aabb_aabb(*a, *v, *b));
    time("sweep_obb_obb", aimed::sweep_obb_obb, |(a, v, b)| sweep_obb_obb(*a, *v, *b));
    let wedge = [
        [3.0f64, 0.0, 4.0, 9.0],
        [-1.0, 0.0, 0.0, 5.0],
        [0.0, 1.0, 0.0, 5.0],
        [0.0, -1.0, 0.0, 5.0],
        [0.0, 0.0, -1.0, 9.0],
    ];
    let wedge = Polytope::from_planes(&wedge).expect("bounded");
    time("sweep_obb_polytope", aimed::sweep_obb_obb, |(a, v, _)| sweep_obb_polytope(*a, *v, &wedge));
    time("gap_obb_polytope", aimed::obb_obb, |(a, _)| gap_obb_polytope(*a, &wedge));
    let normals = [[1.0f32, 0.1, 0.0], [0.2, 1.0, 0.3], [-0.5, 0.0, 1.0]];
    time("slide (3 planes)", aimed::path_aabb, |(p, _)| slide(p[1], &normals));
    time("slide_residuals", aimed::path_aabb, |(p, _)| slide_residuals(p[1], &normals, p[0]));
    for (name, family) in [("boxes", Family::TinyAngles), ("hulls", Family::Hulls)] {
        let pair = |rng: &mut Rng| convex_pair_of(family, rng);
        time(&format!("convex::sweep ({name})"), pair, |p| convex::sweep(&p.a, &p.b, p.motion));
        time(&format!("convex::distance ({name})"), pair, |p| convex::distance_squared(&p.a, &p.b));
    }
}
