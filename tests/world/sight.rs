//! Many lines of sight in scenes of many thousands of parts.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Filter, Mesh, Object, Terrain, World,
    glam::{Vec2, Vec3},
    narrowphase::{Aabb, Segment},
};

/// Samples along a side.
const SIDE: u32 = 201;

fn terrain(rng: &mut Rng) -> Terrain {
    let heights: Vec<f32> = (0..SIDE * SIDE).map(|_| 3.0 * rng.f32()).collect();
    Terrain::new(SIDE, SIDE, &heights, Vec2::ONE, Vec2::ZERO).unwrap()
}

/// A terrain, the same as a mesh, and as many boxes as it has triangles.
fn large(rng: &mut Rng) -> [World; 3] {
    let terrain = terrain(rng);
    let mut worlds = [World::new(), World::new(), World::new()];
    let triangles = (0..terrain.len() as u32).filter_map(|number| terrain.triangle(number));
    let vertices: Vec<Vec3> = triangles.flat_map(|triangle| triangle.points()).collect();
    let corners: Vec<[u32; 3]> = (0..vertices.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    worlds[1].insert(Object::fixed(Mesh::new(&vertices, &corners).unwrap()));
    for corners in vertices.chunks(3) {
        let (low, high) = (corners[0].min(corners[1]), corners[0].max(corners[1]));
        worlds[2].insert(Object::fixed(Aabb::new(low, high).unwrap()));
    }
    worlds[0].insert(Object::fixed(terrain));
    worlds
}

#[test]
fn each_line_is_told_in_its_place_whatever_the_order_in_which_they_are_taken() {
    let mut rng = Rng::with_seed(SEED);
    let worlds = large(&mut rng);
    let place = |rng: &mut Rng| Vec3::new(rng.f32() * 200.0, 2.0 + rng.f32(), rng.f32() * 200.0);
    let mut lines = |kind: usize| -> Vec<Segment> {
        let any = place(&mut rng);
        let line = |rng: &mut Rng| match kind {
            // All over the ground, from one place, all the same, all points, and far out.
            0 => Segment::between(place(rng), place(rng)),
            1 => Segment::between(any, place(rng)),
            2 => Segment::between(any, Vec3::splat(2.0)),
            3 => Segment::new(place(rng), Vec3::ZERO),
            _ => Segment::between(place(rng), Vec3::splat(if rng.bool() { 1e9 } else { -1e9 })),
        };
        (0..3000).map(|_| line(&mut rng).unwrap()).collect()
    };
    let mut counts = [0; 2];
    for kind in 0..5 {
        let lines = lines(kind);
        for world in &worlds {
            let alone: Vec<bool> = lines.iter().map(|line| world.any_segment_hit(line, &Filter::ALL)).collect();
            for threads in [1, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut answers = vec![true];
                pool.install(|| world.any_segment_hit_batch(&lines, &Filter::ALL, &mut answers));
                assert!(answers[0] && answers[1..] == alone, "kind {kind}, {threads} threads");
            }
            alone.iter().for_each(|hit| counts[usize::from(*hit)] += 1);
        }
    }
    assert!(counts.iter().all(|count| *count > 5000), "{counts:?}");
}
