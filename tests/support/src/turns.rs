//! What comparisons of rotating boxes share.

use crate::exact::{obb, of_obb};
use cullide_narrowphase::{BoxSweep, TurningBoxSweep, glam::Vec3};
use cullide_oracle::TurningBox;
use cullide_scenes::{
    Rng,
    aimed::{Turning, turning},
};

/// The sweep of a case, if the case is valid.
pub fn sweep_of(case: &Turning) -> Option<TurningBoxSweep> {
    let sweep =
        BoxSweep::new(obb(case.obb)?, Vec3::from(case.motion)).ok()?.rotating(Vec3::from(case.rotation)).ok()?;
    sweep.accelerated(Vec3::from(case.acceleration)).ok()
}

/// The same sweep for the oracle.
pub fn truth_of(sweep: &TurningBoxSweep) -> TurningBox {
    let [motion, rotation, pull] = [sweep.motion(), sweep.rotation(), sweep.acceleration()].map(|v| v.to_array());
    TurningBox::new(of_obb(sweep.body()), motion, rotation, pull)
}

/// Cases near the middle of the range in which the box moves, so that about half of them meet what is there, with at
/// most about three turns: a sweep that hovers beside a solid for hundreds of turns is stopped early.
pub fn near_turning(rng: &mut Rng) -> Turning {
    loop {
        let mut case = turning(rng);
        let size = case.obb.as_flattened().iter().fold(0f32, |a, x| a.max(x.abs()));
        if size > 0.1 && size < 100.0 && case.rotation.iter().all(|x| x.abs() < 19.0) {
            case.obb[0] = case.obb[0].map(|x| 0.5 * x);
            return case;
        }
    }
}
