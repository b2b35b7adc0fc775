//! How many nodes a query visits: its time cannot be asserted on a shared machine, its nodes can.

use cullide_bvh::{
    ALL, Bvh, Probe, Visit,
    narrowphase::{Aabb, Ray, glam::Vec3},
};
use cullide_scenes::{Rng, SEED, uniform};
use cullide_support::scene::aabb;

const RAYS: usize = 2000;

/// Less than the width of any box.
const HAIR: f32 = 1e-3;

/// One in this many of the boxes across z = 0 is cut off there.
const CUT: usize = 8;

/// The number of nodes that the rays visit until they have found all boxes, and until they have found the closest.
fn nodes(tree: &Bvh, rays: &[(Vec3, Vec3)]) -> [usize; 2] {
    let mut nodes = [0; 2];
    for &(origin, direction) in rays {
        let probe = Probe::ray(&Ray::new(origin, direction).expect("a ray"), f32::INFINITY);
        nodes[0] += tree.counted().cast(&probe, ALL, |_, _| Visit::Continue).nodes;
        nodes[1] += tree.counted().cast(&probe, ALL, |_, entry| Visit::Within(entry)).nodes;
    }
    nodes
}

#[test]
fn a_ray_in_the_plane_of_a_face_at_zero_visits_as_many_nodes_as_one_beside_it() {
    let mut boxes: Vec<Aabb> = uniform(20_000, SEED).into_iter().map(aabb).collect();
    // Boxes with a face at z = 0, and the direction from the face into the box.
    let mut faces = vec![];
    let across = boxes.iter_mut().filter(|aabb| aabb.min().z < -2.0 * HAIR && aabb.max().z > 2.0 * HAIR);
    for (i, aabb) in across.step_by(CUT).enumerate() {
        let (min, max, inward) = (aabb.min(), aabb.max(), if i % 2 == 0 { HAIR } else { -HAIR });
        let cut = if inward > 0.0 { Aabb::new(min.with_z(0.0), max) } else { Aabb::new(min, max.with_z(0.0)) };
        *aabb = cut.expect("an upright box");
        faces.push((*aabb, inward));
    }
    assert!(faces.len() > 20, "{} faces", faces.len());
    let tree = Bvh::build(&boxes);
    let reach = tree.bounds().expect("a tree with leaves").max().x + 1.0;

    let mut rng = Rng::with_seed(SEED);
    let [mut within, mut beside] = [vec![], vec![]];
    for i in 0..RAYS {
        let (aabb, inward) = faces[rng.usize(0..faces.len())];
        let mut origin = (aabb.min() + aabb.size() * Vec3::new(rng.f32(), rng.f32(), 0.0)).with_z(0.0);
        // Along x or y, from outside all boxes or from the face.
        let (axis, forward) = (i % 2, if rng.bool() { 1.0 } else { -1.0 });
        if rng.u32(0..3) > 0 {
            origin[axis] = -forward * reach;
        }
        let mut direction = Vec3::ZERO;
        direction[axis] = forward;
        within.push((origin, direction));
        beside.push((origin.with_z(inward), direction));
    }
    let (within, beside) = (nodes(&tree, &within), nodes(&tree, &beside));
    println!("all, closest: {within:?} nodes in the plane, {beside:?} beside it");
    for (within, beside) in within.into_iter().zip(beside) {
        let ratio = within as f64 / beside as f64;
        assert!((0.9..=1.1).contains(&ratio), "{ratio} times the nodes");
    }
}
