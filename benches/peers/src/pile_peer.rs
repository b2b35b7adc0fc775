//! What every engine does with a pile, and the list of them.

#[cfg(feature = "box3d")]
use crate::peers::box3d_pile;
#[cfg(feature = "jolt")]
use crate::peers::jolt_pile;
use crate::{
    peers::{ours_pile, rapier_pile},
    pile_scene::PileScene,
};
use cullide_narrowphase::glam::{Quat, Vec3};

/// The duration of a step, in seconds.
pub const DT: f32 = 1.0 / 60.0;
/// Downward, along y.
pub const GRAVITY: f32 = 9.81;
/// Between all pairs of things.
pub const FRICTION: f32 = 0.6;

/// An engine with a pile: crates of equal density that do not bounce and may sleep.
pub trait PilePeer {
    /// Advances everything by [`DT`]; timed.
    fn step(&mut self);

    /// The centre and the rotation of the `i`-th crate of the scene.
    fn pose(&self, i: usize) -> (Vec3, Quat);

    /// The number of crates that are not asleep.
    fn awake(&self) -> usize;
}

/// One engine.
#[derive(Clone, Copy, Debug)]
pub struct Competitor {
    /// Its name in the table.
    pub name: &'static str,
    pub new: fn(&PileScene) -> Box<dyn PilePeer>,
}

/// All engines.
pub fn competitors() -> Vec<Competitor> {
    vec![
        Competitor { name: "ours", new: |scene| Box::new(ours_pile::Engine::new(scene)) },
        Competitor { name: "ours, two threads", new: |scene| Box::new(ours_pile::Engine::on_two_threads(scene)) },
        Competitor { name: "rapier3d", new: |scene| Box::new(rapier_pile::Engine::new(scene)) },
        #[cfg(feature = "box3d")]
        Competitor { name: "Box3D", new: |scene| Box::new(box3d_pile::Engine::new(scene)) },
        #[cfg(feature = "jolt")]
        Competitor { name: "Jolt", new: |scene| Box::new(jolt_pile::Engine::new(scene)) },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Pile;

    #[test]
    fn everybody_starts_with_the_same_crates_and_lets_them_fall() {
        let scene = PileScene::new(Pile::Bumpy(9), 3);
        for Competitor { name, new } in competitors() {
            let mut peer = new(&scene);
            for (i, thing) in scene.crates.iter().enumerate() {
                let (center, rotation) = peer.pose(i);
                assert_eq!(center, thing.center, "{name}");
                assert!(rotation.dot(thing.rotation).abs() > 1.0 - 1e-6, "{name}: {rotation}");
            }
            for _ in 0..30 {
                peer.step();
            }
            assert_eq!(peer.awake(), 9, "{name}");
            for (i, thing) in scene.crates.iter().enumerate() {
                // Half a second of free fall, up to what the integration adds in a step.
                let fallen = thing.center.y - peer.pose(i).0.y;
                assert!((0.0..=GRAVITY * 0.5 * DT).contains(&(fallen - 0.5 * GRAVITY * 0.25)), "{name}: {fallen}");
            }
        }
    }
}
