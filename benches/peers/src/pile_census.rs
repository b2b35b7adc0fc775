//! The state of a pile's crates: which are lost, and how deep they are in each other and in fixed things.

use crate::pile_scene::PileScene;
use cullide_bvh::Bvh;
use cullide_narrowphase::Solid as _;
use cullide_narrowphase::{
    Aabb, Gap, Obb, Patch,
    glam::{Quat, Vec3},
};
use std::ops::ControlFlow;

/// The state of all crates. A depth is how far a crate would have to move to leave what it is in, computed in `f64`
/// from the poses that a competitor reports; lost crates have none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Census {
    /// Crates whose centre is not in the yard.
    pub lost: usize,
    /// The greatest depth in another crate.
    pub in_crates: f64,
    /// The greatest depth in the floor, a wall or the ground.
    pub in_fixed: f64,
}

impl Census {
    /// The census of the crates of `scene` at these poses.
    pub fn of(scene: &PileScene, poses: &[(Vec3, Quat)]) -> Self {
        let crates: Vec<Obb> = scene
            .crates
            .iter()
            .zip(poses)
            .filter(|(_, (center, _))| scene.yard.contains_point(*center))
            .filter_map(|(thing, (center, rotation))| Obb::new(*center, *rotation, thing.half_extents).ok())
            .collect();
        let bounds: Vec<Aabb> = crates.iter().map(Obb::aabb).collect();
        let mut in_crates = 0.0;
        Bvh::build(&bounds).for_each_pair(|a, b| {
            in_crates = depth(crates[a.index()].penetration(&crates[b.index()])).max(in_crates);
            ControlFlow::Continue(())
        });
        let in_boxes = crates.iter().flat_map(|body| scene.fixed.iter().map(|fixed| depth(fixed.penetration(body))));
        let in_fixed = in_boxes.fold(0.0, f64::max).max(in_ground(scene, &crates, &bounds));
        Self { lost: scene.crates.len() - crates.len(), in_crates, in_fixed }
    }
}

fn depth(gap: Option<Gap>) -> f64 {
    gap.map_or(0.0, |gap| -gap.separation)
}

/// The greatest depth of any crate in a triangle of the ground.
fn in_ground(scene: &PileScene, crates: &[Obb], bounds: &[Aabb]) -> f64 {
    let corners = scene.ground.iter().flat_map(|ground| ground.corners());
    let patches: Vec<Patch> =
        corners.map(|corners| Patch::new(&corners.map(Vec3::from)).expect("a triangle")).collect();
    let ground = Bvh::build(&patches.iter().map(Patch::aabb).collect::<Vec<_>>());
    let mut deepest = 0.0;
    for (body, aabb) in crates.iter().zip(bounds) {
        ground.overlap_aabb(aabb, u32::MAX, |leaf| {
            deepest = depth(patches[leaf.index()].penetration(body)).max(deepest);
            ControlFlow::Continue(())
        });
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Pile;

    #[test]
    fn a_crate_in_another_one_or_in_the_floor_is_told() {
        let scene = PileScene::new(Pile::Stack(3), 1);
        let at = |y: f32| (Vec3::Y * y, Quat::IDENTITY);
        let census = Census::of(&scene, &[at(0.25), at(1.125), at(2.25)]);
        assert_eq!(census, Census { lost: 0, in_crates: 0.125, in_fixed: 0.25 });
    }

    #[test]
    fn a_crate_below_the_floor_is_lost_and_one_without_a_place_as_well() {
        let scene = PileScene::new(Pile::Stack(3), 1);
        let at = |y: f32| (Vec3::Y * y, Quat::IDENTITY);
        let census = Census::of(&scene, &[at(-0.25), at(1.5), at(f32::NAN)]);
        assert_eq!(census, Census { lost: 2, in_crates: 0.0, in_fixed: 0.0 });
    }

    #[test]
    fn a_crate_in_the_ground_is_told() {
        let scene = PileScene::new(Pile::Bumpy(1), 1);
        // A crate's lowest face is 0.5 below its centre; with bumps of 0.1, it is 0.3 to 0.5 deep in the ground.
        let census = Census::of(&scene, &[(Vec3::Y * 0.1, Quat::IDENTITY)]);
        assert!((0.3..0.5).contains(&census.in_fixed), "{census:?}");
    }
}
