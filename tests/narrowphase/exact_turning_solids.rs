//! Rotating boxes against boxes and patches at rest, sampled at many times on their way.
//!
//! The box does not penetrate at any of the times sampled before a time of impact, or at any time if there is none; at
//! the time of impact the gap is at most the skin; and where it stops it does not penetrate in exact arithmetic.

use cullide_narrowphase::{Aabb, BoxSweep, Brush, Obb, Patch, Solid, Sweep, TurningBoxSweep, glam::Vec3};
use cullide_oracle::{Polytope, gap_obb_polytope, turning_pose};
use cullide_scenes::aimed::{Wrong, each_case, each_case_on_all_threads};
use cullide_support::{exact::*, turns::*};

const SKIN: f32 = 1e-3;

/// A solid, and its distance from a box: negative if the box penetrates.
trait Tested {
    fn sweep(&self, sweep: &TurningBoxSweep, skin: f32) -> Sweep;
    fn distance(&self, body: &Obb) -> f64;
    fn exactly(&self) -> Polytope;
}

impl Tested for Aabb {
    fn sweep(&self, sweep: &TurningBoxSweep, skin: f32) -> Sweep {
        // The order of faces, and so the choice among ties, differs; where and whether they meet does not.
        let (got, brush) = (sweep.against(self, skin), sweep.against(&Brush::try_from(self).unwrap(), skin));
        assert_eq!(got.overlap().map(|overlap| overlap.depth), brush.overlap().map(|overlap| overlap.depth));
        if let (Some(hit), Some(other)) = (got.hit(), brush.hit()) {
            assert!((hit.toi - other.toi).abs() < 0.1, "{hit:?} {other:?}");
        }
        got
    }

    fn distance(&self, body: &Obb) -> f64 {
        self.gap(body).separation
    }

    fn exactly(&self) -> Polytope {
        let (min, max) = (self.min(), self.max());
        let low = Vec3::AXES.map(|axis| (-axis).extend(-axis.dot(min)).to_array());
        let high = Vec3::AXES.map(|axis| axis.extend(axis.dot(max)).to_array());
        Polytope::from_planes(&[low, high].concat()).expect("not flat")
    }
}

impl Tested for Patch {
    fn sweep(&self, sweep: &TurningBoxSweep, skin: f32) -> Sweep {
        sweep.against(self, skin)
    }

    fn distance(&self, body: &Obb) -> f64 {
        self.gap(body).separation
    }

    fn exactly(&self) -> Polytope {
        let corners: Vec<_> = self.points().iter().map(|corner| corner.to_array()).collect();
        Polytope::from_polygon(&corners)
    }
}

fn check(sweep: &TurningBoxSweep, solid: &impl Tested, looks: usize, exact_looks: usize, wrong: &mut Wrong) -> bool {
    let got = solid.sweep(sweep, SKIN);
    let body = sweep.body();
    let (truth, polytope) = (truth_of(sweep), solid.exactly());
    let exactly = |time: f64| gap_obb_polytope(turning_pose(&truth, time), &polytope).to_f64();
    let tolerance = 1e-5 * (1.0 + f64::from(body.aabb().max().abs().max_element()));
    let until = match got {
        Sweep::Overlap(_) => {
            wrong.unless(exactly(0.0) < 0.0, || format!("overlaps by {:e}", exactly(0.0)));
            return false;
        }
        Sweep::Clear => 1.0,
        Sweep::Hit(hit) => {
            let gap = exactly(hit.toi.into());
            wrong.unless(gap <= f64::from(SKIN) + 1e-9 && gap >= -1e-9, || format!("gap {gap:e} at {}", hit.toi));
            let there = sweep.body_at(&hit);
            let stopped = gap_obb_polytope(of_obb(&there), &polytope);
            wrong.unless(!stopped.is_penetrating(), || format!("penetrates by {:e}", stopped.to_f64()));
            wrong.unless(stopped.to_f64() <= f64::from(SKIN) + tolerance, || {
                format!("stops {:e} away", stopped.to_f64())
            });
            wrong.unless(is_unit(hit.normal), || format!("normal {}", hit.normal));
            f64::from(hit.toi)
        }
    };
    for look in 0..looks {
        let time = until * look as f64 / looks as f64;
        let gap = solid.distance(&sweep.pose(time as f32));
        wrong.unless(gap >= -tolerance, || format!("passes: gap {gap:e} at {time}, {got:?}"));
    }
    for look in 0..exact_looks {
        let time = until * look as f64 / exact_looks as f64;
        wrong.unless(exactly(time) >= -1e-9, || format!("passes: exactly {:e} at {time}, {got:?}", exactly(time)));
    }
    matches!(got, Sweep::Hit(_))
}

fn compare(count: usize, looks: usize, exact_looks: usize) {
    let step = Aabb::new(Vec3::new(-2.0, -1.0, -3.0), Vec3::new(1.0, 2.0, 2.5)).unwrap();
    let patch =
        Patch::new(&[Vec3::new(-4.0, 0.5, -3.0), Vec3::new(5.0, 1.0, -2.0), Vec3::new(1.0, -1.0, 4.0)]).unwrap();
    let hits = each_case_on_all_threads(count, 0.9, near_turning, |case, wrong| {
        let sweep = sweep_of(case)?;
        let on_step = check(&sweep, &step, looks, exact_looks, wrong);
        Some([on_step, check(&sweep, &patch, looks, exact_looks, wrong)])
    });
    let hits = [0, 1].map(|solid| hits.iter().filter(|hit| hit[solid]).count());
    println!("hits {hits:?}");
    assert!(hits.iter().all(|&hits| hits > count / 20), "{hits:?}");
}

#[test]
fn a_turning_box_passes_no_solid_and_stops_within_the_skin() {
    compare(2_000, 200, 4);
}

#[test]
#[ignore = "fifty thousand cases take a minute"]
fn a_turning_box_passes_no_solid_in_many_cases() {
    compare(50_000, 500, 2);
}

#[test]
fn without_rotation_the_answer_is_that_of_the_translating_sweep() {
    let step = Aabb::new(Vec3::new(-2.0, -1.0, -3.0), Vec3::new(1.0, 2.0, 2.5)).unwrap();
    each_case(5_000, 0.9, near_turning, |case, wrong| {
        let sweep = BoxSweep::new(obb(case.obb)?, Vec3::from(case.motion)).ok()?;
        let turning = sweep.rotating(Vec3::ZERO).ok()?;
        wrong.unless_equal("sweep", turning.against(step, SKIN), sweep.against(step));
        Some(())
    });
}

#[test]
fn a_box_that_rests_beside_a_wall_may_spin_about_its_normal_and_slide_along() {
    let wall = Aabb::new(Vec3::new(-9.0, -1.0, -9.0), Vec3::new(9.0, 0.0, 9.0)).unwrap();
    let body = Obb::from_half_edges(Vec3::Y * 2.0, [Vec3::X, Vec3::Y * 2.0, Vec3::Z * 3.0]).unwrap();
    let spin = |motion: Vec3| BoxSweep::new(body, motion).unwrap().rotating(Vec3::Y * 3.0).unwrap();
    assert_eq!(spin(Vec3::ZERO).against(wall, 0.0), Sweep::Clear);
    assert_eq!(spin(Vec3::X * 2.0).against(wall, 0.0), Sweep::Clear);
    assert_eq!(spin(Vec3::NEG_Y).against(wall, 0.0).hit().expect("pressed").toi, 0.0);
}

#[test]
fn a_box_that_lifts_off_an_edge_while_its_ends_swing_down_is_let_go() {
    // The ends drop below the level of the post's top, but the post does not reach the face above it.
    let post = Aabb::new(Vec3::new(-0.5, -2.0, -3.0), Vec3::new(0.5, 0.495, 3.0)).unwrap();
    let edge = Aabb::new(Vec3::new(-9.0, -2.0, -3.0), Vec3::new(0.5, 0.495, 3.0)).unwrap();
    let plank = Obb::from_half_edges(Vec3::Y, [Vec3::X * 4.0, Vec3::Y * 0.5, Vec3::Z]).unwrap();
    let lifted = |turn: Vec3| BoxSweep::new(plank, Vec3::Y * 1.5).unwrap().rotating(turn).unwrap();
    for skin in [0.0, 0.004, 0.01] {
        assert_eq!(lifted(Vec3::Z).against(post, skin), Sweep::Clear, "skin {skin}");
        assert_eq!(lifted(Vec3::Z * -0.2).against(edge, skin), Sweep::Clear, "skin {skin}");
        let brush = Brush::try_from(&post).unwrap();
        assert_eq!(lifted(Vec3::Z).against(&brush, skin), Sweep::Clear, "skin {skin}");
    }
    // A plank that tilts faster than it rises hits the post's corner.
    let hit = lifted(Vec3::Z * 4.0).against(post, 1e-3).hit().expect("the post's corner");
    assert!(hit.toi > 0.0, "{hit:?}");
    // Crossed edges: only a direction that rotates about the post's edge separates them.
    let tilted =
        Obb::new(Vec3::Y, cullide_narrowphase::glam::Quat::from_rotation_x(0.8), Vec3::new(4.0, 0.5, 0.5)).unwrap();
    let low = tilted.corners().iter().map(|corner| corner.y).fold(f32::INFINITY, f32::min);
    let bar = Obb::new(
        Vec3::Y * (low - 0.7121),
        cullide_narrowphase::glam::Quat::from_rotation_z(0.8),
        Vec3::new(0.5, 0.5, 4.0),
    )
    .unwrap();
    let start = bar.gap(&tilted);
    assert!(start.separation > 0.0 && start.separation < 0.01, "{start:?}");
    let leaves = BoxSweep::new(tilted, Vec3::Y * 0.5).unwrap().rotating(Vec3::Z * 0.6).unwrap();
    assert_eq!(leaves.against(bar, 0.01), Sweep::Clear);
}
