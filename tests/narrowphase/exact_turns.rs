//! Rotating boxes against planes, compared vertex by vertex with bounds on intervals of time.
//!
//! There is no touch before a time of impact, the gap there is at most the skin, nothing that penetrates is missed, and
//! where a box stops it does not penetrate in exact arithmetic.

use cullide_narrowphase::{
    BoxSweep, Feature, FeatureId, Obb, Plane, PlaneMotion, Sides, Sweep, SweepHit, TurningBoxSweep,
    glam::{Quat, Vec3},
};
use cullide_oracle::{self as oracle, TurningBox, TurningPlane, turning_dip, turning_gap, ulp};
use cullide_scenes::{
    Rng, SEED,
    aimed::{Wrong, each_case, turning},
};
use cullide_support::{exact::*, turns::*};

/// What `f64` may lose to rounding, relative to the sum of all lengths involved.
const LOST: f64 = 1.0 / (1u64 << 43) as f64;

const SKINS: [f32; 3] = [0.0, 1e-4, 1e-2];

#[derive(Debug, Default)]
struct Verdicts {
    clear: usize,
    hit: usize,
    overlap: usize,
}

/// One plane, at rest or in motion, and the sweep of a box to be checked against it.
struct Case<'a> {
    sweep: &'a TurningBoxSweep,
    plane: &'a Plane,
    motion: Option<&'a PlaneMotion>,
    truth: (TurningBox, TurningPlane),
    sides: Sides,
    skin: f32,
}

impl Case<'_> {
    fn check(&self, verdicts: &mut Verdicts, wrong: &mut Wrong) {
        let got = match self.motion {
            None => self.sweep.against_plane(self.plane, self.sides, self.skin),
            Some(motion) => self.sweep.against_moving_plane(self.plane, motion, self.sides, self.skin),
        };
        let body = self.sweep.body();
        let height = oracle::height(of_plane(self.plane), body.center().to_array());
        let is_behind = self.sides == Sides::Both && height.is_negative();
        if self.sides == Sides::Both && height.is_zero() {
            return;
        }
        let plane = if is_behind { self.truth.1.flipped() } else { self.truth.1 };
        let facing = of_plane(self.plane).map(|x| if is_behind { -x } else { x });
        let start = oracle::plane_gap(of_obb(body), facing);
        let back = oracle::plane_gap(of_obb(body), of_plane(self.plane).map(|x| -x));
        let ignored = self.sides == Sides::Front && back.is_positive();
        let overlaps = start.is_negative() && !ignored;
        wrong.unless(got.overlap().is_some() == overlaps, || format!("overlap: {got:?}, gap {:e}", start.to_f64()));
        let lost = LOST * (self.truth.0.size() + plane.size());
        match got {
            Sweep::Overlap(_) => verdicts.overlap += 1,
            Sweep::Clear if ignored || overlaps => verdicts.clear += 1,
            Sweep::Clear => {
                verdicts.clear += 1;
                let dip = turning_dip(&self.truth.0, &plane, -lost, 0.0, 1.0);
                wrong.unless(dip.is_none(), || format!("missed: {dip:?} with skin {}", self.skin));
            }
            Sweep::Hit(hit) => {
                verdicts.hit += 1;
                wrong.unless(!ignored, || "hit from behind".into());
                self.check_hit(&hit, &plane, lost, wrong);
            }
        }
    }

    fn check_hit(&self, hit: &SweepHit, plane: &TurningPlane, lost: f64, wrong: &mut Wrong) {
        let body = &self.truth.0;
        let toi = f64::from(hit.toi);
        wrong.unless((0.0..1.0).contains(&toi), || format!("toi {toi}"));
        let dip = turning_dip(body, plane, -lost, 0.0, toi);
        wrong.unless(dip.is_none(), || format!("late: {toi:e}, below at {dip:?}, skin {}", self.skin));
        let gap = turning_gap(body, plane, toi);
        let most = f64::from(self.skin).max(self.covered() * f64::from(f32::EPSILON)) + lost;
        wrong.unless(gap <= most, || format!("early: gap {gap:e} at {toi:e}, skin {}", self.skin));
        // Where it stops, as stored.
        let there = self.sweep.body_at(hit);
        let at = match self.motion {
            None => *self.plane,
            Some(motion) => motion.at(self.plane, hit.toi).expect("in range"),
        };
        let turns_over = hit.normal.dot(at.normal()) < 0.0;
        let facing = of_plane(&at).map(|x| if turns_over { -x } else { x });
        let exactly = oracle::plane_gap(of_obb(&there), facing);
        let sizes: f64 = there.half_edges().iter().map(|h| wide(*h).length()).sum::<f64>()
            + wide(there.center()).length()
            + f64::from(at.d().abs());
        let rounding = f64::from(f32::EPSILON) * sizes;
        if self.motion.is_none() {
            wrong.unless(!exactly.is_negative(), || format!("penetrates by {:e}", exactly.to_f64()));
        } else {
            // Here the plane is rounded as well, but not where the box was pushed out of it.
            wrong.unless(exactly.to_f64() >= -4.0 * rounding, || format!("penetrates by {:e}", exactly.to_f64()));
        }
        wrong.unless(exactly.to_f64() <= most + 4.0 * rounding, || format!("stops {:e} away", exactly.to_f64()));
        for (point, separation) in hit.contacts.points().iter().zip(hit.contacts.separations()) {
            let above = wide(hit.normal).dot(wide(*point)) + f64::from(facing[3]);
            let error = 4.0 * rounding + ulp(*separation);
            wrong.unless((above - f64::from(*separation)).abs() <= error, || {
                format!("contact {point} is {above:e} away, not {separation:e}")
            });
        }
    }

    /// An upper bound on the distance that the lowest vertex covers in the step.
    fn covered(&self) -> f64 {
        let sweep = self.sweep;
        let reach: f64 = sweep.body().half_edges().iter().map(|h| wide(*h).length()).sum();
        let [motion, spin, pull] = [sweep.motion(), sweep.rotation(), sweep.acceleration()].map(|v| wide(v).length());
        let plane = if self.motion.is_some() { 4.0 * (self.truth.0.size() + self.truth.1.size()) * 8.0 } else { 0.0 };
        motion + pull + spin * reach + plane
    }
}

fn compare(count: usize) {
    let mut verdicts = Verdicts::default();
    each_case(count, 0.9, turning, |case, wrong| {
        let (sweep, plane) = (sweep_of(case)?, plane(case.plane)?);
        let truth = (truth_of(&sweep), TurningPlane::fixed(of_plane(&plane)));
        for (sides, skin) in [(Sides::Front, SKINS[0]), (Sides::Both, SKINS[1]), (Sides::Front, SKINS[2])] {
            Case { sweep: &sweep, plane: &plane, motion: None, truth, sides, skin }.check(&mut verdicts, wrong);
        }
        Some(())
    });
    println!("{verdicts:?}");
    assert!(verdicts.clear.min(verdicts.hit).min(verdicts.overlap) > count / 20, "{verdicts:?}");
}

fn compare_moving(count: usize) {
    let mut verdicts = Verdicts::default();
    each_case(count, 0.9, turning, |case, wrong| {
        let (sweep, plane) = (sweep_of(case)?, plane(case.plane)?);
        let [sway, turn, pivot] = case.plane_motion;
        let motion = PlaneMotion::new(Vec3::from(sway), Vec3::from(turn), Vec3::from(pivot)).ok()?;
        let truth = (truth_of(&sweep), TurningPlane::fixed(of_plane(&plane)).moving(sway, turn, pivot));
        for (sides, skin) in [(Sides::Front, SKINS[0]), (Sides::Both, SKINS[1])] {
            Case { sweep: &sweep, plane: &plane, motion: Some(&motion), truth, sides, skin }
                .check(&mut verdicts, wrong);
        }
        Some(())
    });
    println!("{verdicts:?}");
    assert!(verdicts.clear.min(verdicts.hit).min(verdicts.overlap) > count / 40, "{verdicts:?}");
}

#[test]
fn a_turning_box_never_passes_a_plane_and_never_stops_early() {
    compare(20_000);
}

#[test]
#[ignore = "a million cases take minutes"]
fn a_turning_box_never_passes_a_plane_in_a_million_cases() {
    compare(1_000_000);
}

#[test]
fn a_turning_box_never_passes_a_plane_that_turns() {
    compare_moving(5_000);
}

#[test]
#[ignore = "two hundred thousand cases take minutes"]
fn a_turning_box_never_passes_a_plane_that_turns_in_many_cases() {
    compare_moving(200_000);
}

#[test]
fn without_rotation_the_answer_is_that_of_the_translating_sweep() {
    each_case(20_000, 0.9, cullide_scenes::aimed::sweep_obb_plane, |&(body, delta, surface), wrong| {
        let (body, surface) = (obb(body)?, plane(surface)?);
        let sweep = BoxSweep::new(body, Vec3::from(delta)).ok()?;
        let turning = sweep.rotating(Vec3::ZERO).ok()?;
        for sides in [Sides::Front, Sides::Both] {
            let (got, expected) = (turning.against_plane(&surface, sides, 0.1), sweep.against_plane(&surface, sides));
            wrong.unless_equal("sweep", got, expected);
        }
        Some(())
    });
}

#[test]
fn face_on_contacts_are_found_as_faces() {
    let mut rng = Rng::with_seed(SEED);
    let mut random = || Vec3::new(rng.f32() - 0.5, rng.f32() - 0.5, rng.f32() - 0.5);
    let (mut faces, mut all) = (0, 0);
    for _ in 0..20_000 {
        let (v, center, half) = (random(), 20.0 * random(), random().abs() * 4.0 + 0.1);
        let turn = Quat::from_xyzw(v.x, v.y, v.z, 0.3).normalize();
        let body = Obb::new(center, turn, half).unwrap();
        let normal = turn * Vec3::Y;
        let at = center - normal * (half.y + 0.5);
        let surface = Plane::from_point_normal(at, normal).unwrap();
        let hit = BoxSweep::new(body, -normal).unwrap().against_plane(&surface, Sides::Front).hit().unwrap();
        let near = surface.manifold(&body, Sides::Front, 1.0, FeatureId::NONE).unwrap();
        assert_eq!(near.contacts.id(), hit.contacts.id());
        faces += usize::from(hit.contacts.feature() == Feature::Face);
        all += 1;
    }
    assert!(faces * 1000 >= all * 999, "{faces} of {all}");
}
