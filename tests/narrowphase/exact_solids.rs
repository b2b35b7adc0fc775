//! Segments against brushes and patches, and boxes swept against brushes, compared with exact arithmetic on aimed
//! cases.
//!
//! Whether a point is in a brush is exact for its stored planes. The rest is decided in `f64`: it may differ from the
//! exact answer only if moving the surface by 1e-12 of the scale would change that.

use cullide_narrowphase::{
    BoxSweep, Brush, Obb, Patch, Segment, Solid, Sweep,
    glam::{DVec3, Vec3},
};
use cullide_oracle::{self as oracle, Path, Polytope};
use cullide_scenes::{
    Rng,
    aimed::{self, each_case},
};
use cullide_support::exact::{self, *};

type Segment2 = [[f32; 3]; 2];

/// The brush of an oriented box, with one edge cut off every other time.
fn brush(obb: &Obb) -> Option<Brush> {
    let boxed = Brush::try_from(obb).ok()?;
    if obb.center().x.to_bits() & 1 == 0 {
        return Some(boxed);
    }
    let [a, b] = [boxed.planes()[0], boxed.planes()[2]];
    let cut = (a.normal + b.normal, a.distance + b.distance - 0.3 * wide(obb.half_edges()[0]).length());
    let planes = boxed.planes().iter().map(|plane| (plane.normal, plane.distance)).chain([cut]);
    Brush::from_half_spaces(&planes.collect::<Vec<_>>()).ok()
}

/// The planes as `[normal, distance]`, moved outward.
fn moved_planes(brush: &Brush, by: f64) -> Vec<[f64; 4]> {
    let planes = brush.planes().iter();
    planes.map(|plane| plane.normal.extend(plane.distance + by).to_array()).collect()
}

fn size_of(brush: &Brush, point: Vec3) -> f64 {
    let planes = brush.planes().iter().map(|plane| plane.distance.abs());
    planes.chain(wide(point).abs().to_array()).fold(0.0, f64::max)
}

#[test]
#[ignore = "takes long"]
fn a_segment_crosses_a_brush_when_it_should_and_starts_in_it_exactly() {
    let mut met = 0;
    each_case(CASES, 0.5, aimed::path_obb, |&([start, delta], obb), wrong| {
        let brush = brush(&exact::obb(obb)?)?;
        let segment = Segment::new(Vec3::from(start), Vec3::from(delta)).ok()?;
        let (start, delta) = (wide(segment.start()), wide(segment.delta()));
        let path = Path::segment(start.to_array(), delta.to_array());
        let exactly = |by: f64| oracle::path_solid(&path, &moved_planes(&brush, by));
        let hit = segment.cast(&brush);
        let holds = oracle::solid_contains_point(&moved_planes(&brush, 0.0), start.to_array());
        wrong.unless_equal("contains", brush.contains_point(segment.start()), holds);
        wrong.unless_equal("inside", hit.is_some_and(|hit| hit.inside), holds);
        wrong.unless_equal("boolean", segment.hits(&brush), hit.is_some());
        met += usize::from(hit.is_some());
        let margin = 1e-12 * size_of(&brush, segment.start());
        let Some(exact) = exactly(0.0) else {
            wrong.unless(hit.is_none() || exactly(margin).is_some(), || format!("got {hit:?}, expected none"));
            return Some(());
        };
        let Some(hit) = hit else {
            wrong.unless(exactly(-margin).is_none(), || format!("got none, expected {exact:?}"));
            return Some(());
        };
        // The times are between those of a slightly larger and a slightly smaller brush, if those are crossed.
        let between = |got: f32, time: &dyn Fn(&oracle::Crossing) -> f64| {
            let bounds = [exactly(margin), exactly(-margin)].map(|crossing| crossing.map(|crossing| time(&crossing)));
            let [Some(a), Some(b)] = bounds else { return true };
            let slack = 1e-7 * f64::from(got) + f64::from(f32::MIN_POSITIVE);
            (a.min(b) - slack..=a.max(b) + slack).contains(&f64::from(got))
        };
        let enter = |crossing: &oracle::Crossing| crossing.enter.to_f64().min(1.0);
        let exit = |crossing: &oracle::Crossing| crossing.exit.as_ref().map_or(1.0, |exit| exit.to_f64().min(1.0));
        wrong.unless(between(hit.fraction, &enter), || format!("{hit:?}, exactly {}", enter(&exact)));
        wrong.unless(between(hit.exit, &exit), || format!("{hit:?}, exit exactly {}", exit(&exact)));
        let against = wide(hit.normal).dot(delta) <= 1e-6 * delta.length();
        wrong.unless(delta == DVec3::ZERO || (is_unit(hit.normal) && against), || format!("normal {}", hit.normal));
        Some(())
    });
    assert!(met > CASES / 10, "{met}");
}

/// A segment aimed at a box and a triangle of three of its corners.
fn segment_and_triangle(rng: &mut Rng) -> (Segment2, [[f32; 3]; 3]) {
    let (path, aabb) = aimed::path_aabb(rng);
    let first = rng.usize(0..8);
    let corner = |index: usize| std::array::from_fn(|axis| aabb[index >> axis & 1][axis]);
    (path, [first, first ^ [1, 2, 4, 3][rng.usize(0..4)], first ^ [6, 5, 7][rng.usize(0..3)]].map(corner))
}

#[test]
fn a_segment_meets_a_triangle_when_it_should() {
    let mut met = 0;
    each_case(CASES, 0.6, segment_and_triangle, |&([start, delta], corners), wrong| {
        let patch = Patch::new(&corners.map(Vec3::from)).ok()?;
        let segment = Segment::new(Vec3::from(start), Vec3::from(delta)).ok()?;
        let hit = segment.cast(&patch);
        wrong.unless_equal("boolean", segment.hits(&patch), hit.is_some());
        met += usize::from(hit.is_some());
        let corners = corners.map(|corner| wide(Vec3::from(corner)));
        let (start, delta) = (wide(segment.start()), wide(segment.delta()));
        let exactly = |start: DVec3, corners: [DVec3; 3]| {
            let path = Path::segment(start.to_array(), delta.to_array());
            oracle::path_polygon(&path, &corners.map(|corner| corner.to_array()))
        };
        let expected = exactly(start, corners);
        if hit.is_some() != expected.is_some() {
            let size = corners.iter().fold(start.abs(), |size, corner| size.max(corner.abs())).max_element();
            let margin = 1e-12 * size;
            let near = if hit.is_some() {
                let path = Path::segment(start.to_array(), delta.to_array());
                oracle::path_solid(&path, &prism(corners, margin)).is_some()
            } else {
                let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
                let smaller = corners.map(|corner| corner - (corner - middle).normalize_or_zero() * margin);
                let ways = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|way| [way, -way]);
                let mut moved = ways.map(|way| exactly(start + way * margin, corners)).chain([exactly(start, smaller)]);
                moved.any(|answer| answer.is_none())
            };
            wrong.unless(near, || format!("got {hit:?}, expected {expected:?}"));
        }
        Some(())
    });
    assert!(met > CASES / 50, "{met}");
}

/// A triangle grown by `margin` on all sides, as planes `[normal, distance]`.
fn prism(corners: [DVec3; 3], margin: f64) -> Vec<[f64; 4]> {
    let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    let edges = (0..3).map(|i| ((corners[(i + 1) % 3] - corners[i]).cross(normal), corners[i]));
    let planes = [(normal, corners[0]), (-normal, corners[0])].into_iter().chain(edges);
    let plane = |(normal, corner): (DVec3, DVec3)| {
        let normal = normal.normalize_or_zero();
        normal.extend(normal.dot(corner) + margin).to_array()
    };
    planes.map(plane).collect()
}

/// The exact answers for polytopes take a fraction of a millisecond.
const SWEEPS: usize = CASES / 10;

#[test]
fn a_box_swept_against_a_brush_stops_where_it_should() {
    compare_sweeps(SWEEPS);
}

#[test]
#[ignore = "takes minutes"]
fn a_box_swept_against_a_brush_stops_where_it_should_at_length() {
    compare_sweeps(CASES / 4);
}

fn compare_sweeps(cases: usize) {
    let verdicts =
        aimed::each_case_on_all_threads(cases, 0.4, aimed::sweep_obb_obb, |&(moving, delta, still), wrong| {
            let (body, still) = (exact::obb(moving)?, exact::obb(still)?);
            if !is_of_good_shape(&body) || !is_of_good_shape(&still) {
                return None;
            }
            let brush = brush(&still)?;
            let sweep = BoxSweep::new(body, Vec3::from(delta)).ok()?;
            let polytope = Polytope::from_planes(&moved_planes(&brush, 0.0))?;
            let motion = wide(sweep.motion()).to_array();
            let stored = of_obb(&body).map(|v| v.map(f64::from));
            let got = sweep.against(&brush);
            let exact = oracle::sweep_obb_polytope(stored, motion, &polytope);
            let (verdict, expected) = (verdict(&got), exact_verdict(&exact));
            if verdict != expected {
                let margin = 1e-12 * size_of(&brush, body.center().abs() + body.aabb().max().abs());
                let near = [-margin, margin].into_iter().any(|margin| {
                    let moved = Polytope::from_planes(&moved_planes(&brush, margin));
                    moved.is_none_or(|p| exact_verdict(&oracle::sweep_obb_polytope(stored, motion, &p)) != expected)
                });
                wrong.unless(near, || format!("got {got:?}, expected {exact:?}"));
                return Some(None);
            }
            if let Sweep::Hit(hit) = got {
                let mut there = stored;
                there[0] = wide(hit.position).to_array();
                let gap = oracle::gap_obb_polytope(there, &polytope);
                wrong.unless(!gap.is_penetrating(), || format!("penetrates by {:e}", -gap.to_f64()));
            }
            Some(Some(expected))
        });
    let verdicts = [0, 1, 2].map(|kind| verdicts.iter().filter(|&&verdict| verdict == Some(kind)).count());
    assert!(verdicts.iter().all(|&count| count > cases / 50), "{verdicts:?}");
}

fn verdict(sweep: &Sweep) -> usize {
    match sweep {
        Sweep::Clear => 0,
        Sweep::Hit(_) => 1,
        Sweep::Overlap(_) => 2,
    }
}

/// A graze without entering is not a hit.
fn exact_verdict(sweep: &oracle::Sweep) -> usize {
    match sweep {
        oracle::Sweep::Clear | oracle::Sweep::Graze(_) => 0,
        oracle::Sweep::Hit(_) => 1,
        oracle::Sweep::Overlap => 2,
    }
}
