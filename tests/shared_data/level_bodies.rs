//! Ten thousand bodies in a level by other authors: in no solid, by exact arithmetic, and the same bits for any number
//! of threads and any build.

use cullide_oracle::{Polytope, gap_obb_polytope};
use cullide_scenes::SEED;
use cullide_support::level::{Course, DT, Level, config};
use cullide_world::{
    BoxStepper, ObjectKey, Shape, World,
    glam::{DVec3, Vec3},
    narrowphase::Obb,
};
use rayon::prelude::*;

const BODIES: usize = 10_000;
const STEPS: usize = 120;
const COURSES: [Course; 2] = [Course::Flying, Course::Falling];

/// The state after all steps, for each course: the same in every build, on any machine. A change of any decision or
/// rounding in a step changes them.
const STATES: [u64; 2] = [0x6d39_59bf_90d3_9e15, 0x2fb8_2ed7_0832_f6b9];

fn obb(world: &World, key: ObjectKey) -> Obb {
    match &world.object(key).expect("nothing is removed").shape {
        Shape::Obb(obb) => *obb,
        other => panic!("a body is a box, not {other:?}"),
    }
}

/// All bits of all bodies in one number (Fowler, Noll and Vo's hash).
fn state(world: &World, boxes: &BoxStepper, keys: &[ObjectKey]) -> u64 {
    let vectors = keys.iter().flat_map(|key| {
        let (pose, body) = (obb(world, *key), boxes.body(*key).expect("it is one"));
        let [a, b, c] = pose.half_edges();
        [pose.center(), a, b, c, body.velocity, body.angular_velocity]
    });
    let bytes = vectors.flat_map(|v| v.to_array()).flat_map(f32::to_le_bytes);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
#[ignore = "reads the shared data"]
fn bodies_in_a_level_are_the_same_bits_on_any_number_of_threads_and_in_any_build() {
    let level = Level::load().expect("the level is readable");
    let states = [1, 2, 3, 8, 16].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        COURSES.map(|course| {
            pool.install(|| {
                let (mut world, mut boxes, keys) = level.with_bodies(BODIES, course, SEED);
                for _ in 0..STEPS {
                    boxes.step(&mut world, DT, &config()).unwrap();
                }
                state(&world, &boxes, &keys)
            })
        })
    });
    assert!(states.iter().all(|found| *found == states[0]), "not all threads agree: {states:x?}");
    assert_eq!(states[0], STATES, "not {:#x?}", states[0]);
}

/// A solid of the level, by its own points, as rationals and rounded to `f64`, without any number computed by the
/// library.
struct Solid {
    polytope: Polytope,
    corners: Vec<DVec3>,
    normals: Vec<DVec3>,
    edges: Vec<DVec3>,
    low: DVec3,
    high: DVec3,
}

impl Solid {
    fn new(faces: &[[[f64; 3]; 3]]) -> Self {
        let polytope = Polytope::from_point_triples(faces).expect("every brush of this map is a solid");
        let corners: Vec<DVec3> = polytope.vertices().iter().map(|corner| corner.to_f64().into()).collect();
        let normals = faces.iter().map(|points| points.map(DVec3::from)).map(|[a, b, c]| (c - a).cross(b - a));
        let edges =
            polytope.edge_directions().iter().map(|edge| DVec3::from_array([0, 1, 2].map(|i| edge.0[i].to_f64())));
        Self {
            normals: normals.map(DVec3::normalize).collect(),
            edges: edges.map(DVec3::normalize).collect(),
            low: corners.iter().copied().reduce(DVec3::min).expect("corners"),
            high: corners.iter().copied().reduce(DVec3::max).expect("corners"),
            corners,
            polytope,
        }
    }

    /// How deep a box is in the solid: in `f64` if they are clearly separated along an axis, otherwise exactly.
    fn depth(&self, body: &Obb) -> f64 {
        // An axis, a corner and their product are off by a few 2^-53 each; coordinates are below 4096.
        const DOUBT: f64 = 1e-12 * 4096.0;
        let (center, edges) = (body.center().as_dvec3(), body.half_edges().map(|edge| edge.as_dvec3()));
        let bounds = body.aabb();
        if bounds.min().as_dvec3().cmpgt(self.high + DOUBT).any()
            || bounds.max().as_dvec3().cmplt(self.low - DOUBT).any()
        {
            return 0.0;
        }
        let separation = |axis: DVec3| {
            let heights = || self.corners.iter().map(|corner| axis.dot(*corner));
            let (low, high) = (heights().fold(f64::INFINITY, f64::min), heights().fold(f64::NEG_INFINITY, f64::max));
            let reach: f64 = edges.iter().map(|edge| axis.dot(*edge).abs()).sum();
            (axis.dot(center) - high).max(low - axis.dot(center)) - reach
        };
        let faces = [0, 1, 2].map(|i| edges[i].cross(edges[(i + 1) % 3]));
        let across = self.edges.iter().flat_map(|edge| edges.map(|other| edge.cross(other)));
        let mut axes = self.normals.iter().copied().chain(faces).chain(across).filter_map(DVec3::try_normalize);
        if axes.any(|axis| separation(axis) > DOUBT) {
            return 0.0;
        }
        let [center, a, b, c] = [body.center(), body.half_edges()[0], body.half_edges()[1], body.half_edges()[2]];
        let gap = gap_obb_polytope([center, a, b, c].map(|v| v.to_array()), &self.polytope);
        if gap.is_penetrating() { -gap.to_f64() } else { 0.0 }
    }
}

#[test]
#[ignore = "reads the shared data"]
fn no_body_is_ever_in_a_solid_or_outside_of_the_level() {
    let level = Level::load().expect("the level is readable");
    let solids: Vec<Solid> = level.solids.par_iter().map(|faces| Solid::new(faces)).collect();
    let low = solids.iter().map(|solid| solid.low).reduce(DVec3::min).expect("solids");
    let high = solids.iter().map(|solid| solid.high).reduce(DVec3::max).expect("solids");
    for course in COURSES {
        let (mut world, mut boxes, keys) = level.with_bodies(BODIES, course, SEED);
        for step in 0..STEPS {
            let touched = boxes.step(&mut world, DT, &config()).unwrap().begun.len();
            if step % 20 != 19 {
                continue;
            }
            let bodies: Vec<Obb> = keys.iter().map(|key| obb(&world, *key)).collect();
            let depth = |body: &Obb| solids.iter().map(|solid| solid.depth(body)).fold(0.0, f64::max);
            let depths: Vec<f64> = bodies.par_iter().map(depth).collect();
            assert!(
                depths.iter().all(|depth| *depth == 0.0),
                "{course:?}, step {step}: {:?}",
                depths.iter().fold(0.0f64, |a, b| a.max(*b))
            );
            let is_inside =
                |body: &Obb| body.center().as_dvec3().cmpgt(low).all() && body.center().as_dvec3().cmplt(high).all();
            let outside = bodies.iter().filter(|body| !is_inside(body)).count();
            let moving = keys.iter().filter(|key| boxes.body(**key).expect("a body").velocity != Vec3::ZERO).count();
            println!("{course:?}, step {step}: {moving} moving, {touched} contacts began, {outside} outside");
            assert_eq!(outside, 0);
        }
    }
}
