//! Boxes that come down on flat ground of many triangles, all of which they touch at the same time.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Filter, Mesh, Object, Terrain, World,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{BoxSweep, Filtered, Limit, Obb, SweepHit, Triangle},
};
use std::time::{Duration, Instant};

/// Samples per side.
const SIDE: u32 = 33;

/// A flat ground, and its triangles.
struct Ground {
    world: World,
    triangles: Vec<Triangle>,
}

impl Ground {
    fn of(terrain: &Terrain) -> Self {
        let triangles = (0..terrain.len() as u32).map(|number| terrain.triangle(number).unwrap()).collect();
        Self::with(Object::fixed(terrain), triangles)
    }

    fn with(object: Object, triangles: Vec<Triangle>) -> Self {
        let mut world = World::new();
        world.insert(object);
        Self { world, triangles }
    }

    /// The same triangles as a mesh, in any order and leaning.
    fn mixed(&self, rng: &mut Rng, turn: Quat) -> Self {
        let mut triangles = self.triangles.clone();
        rng.shuffle(&mut triangles);
        let vertices: Vec<Vec3> = triangles.iter().flat_map(|one| one.points()).map(|point| turn * point).collect();
        let corners: Vec<[u32; 3]> = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let triangles = vertices.chunks(3).map(|chunk| Triangle::new(chunk[0], chunk[1], chunk[2]).unwrap()).collect();
        Self::with(Object::fixed(Mesh::new(&vertices, &corners).unwrap()), triangles)
    }

    /// The first hit by asking each triangle, of several at the same time that of the smallest number; and how many
    /// there are at that time.
    fn first(&self, sweep: &BoxSweep) -> Option<(u32, SweepHit, usize)> {
        let asked = self.triangles.iter().zip(0..);
        let hits: Vec<(u32, SweepHit)> =
            asked.filter_map(|(triangle, number)| Some((number, sweep.against(triangle).hit()?))).collect();
        let least = hits.iter().map(|(_, hit)| hit.toi).fold(f32::INFINITY, f32::min);
        let mut first = hits.into_iter().filter(|(_, hit)| hit.toi == least);
        let (number, hit) = first.next()?;
        Some((number, hit, 1 + first.count()))
    }
}

fn flat(step: f32, height: f32) -> Terrain {
    Terrain::new(SIDE, SIDE, &[height; (SIDE * SIDE) as usize], Vec2::splat(step), Vec2::ZERO).unwrap()
}

#[test]
fn of_all_that_a_box_touches_at_once_it_hits_the_first() {
    let mut rng = Rng::with_seed(SEED);
    let (mut hits, mut ties) = (0, 0);
    for case in 0..400 {
        let (step, height) = ([0.5, 0.3][case % 2], [0.0, 0.1, 7.0][case % 3]);
        let turn = if case % 4 < 2 { Quat::IDENTITY } else { Quat::from_rotation_x(rng.f32() - 0.5) };
        let level = Ground::of(&flat(step, height));
        let ground = if case % 4 == 0 { level } else { level.mixed(&mut rng, turn) };
        // At the ground, one half above it, or somewhere; turned about the upright, or level with the grid.
        let size = Vec3::new(0.3 + rng.f32(), 0.5, 0.3 + rng.f32());
        let above = [0.0, 0.5, rng.f32()][case / 4 % 3];
        let at = Vec3::new(3.0 + 3.0 * rng.f32(), height + size.y + above, 3.0 + 3.0 * rng.f32());
        let yaw = Quat::from_rotation_y(if case % 5 == 0 { 0.0 } else { rng.f32() });
        let body = Obb::new(turn * at, turn * yaw, size).unwrap();
        let motion = Vec3::new(rng.f32() - 0.5, -1.0, [0.0, rng.f32()][case % 2]);
        let sweep = BoxSweep::new(body, turn * motion).unwrap();
        let found = ground.world.sweep(&sweep, &Filter::ALL);
        let Some((part, hit, count)) = ground.first(&sweep) else {
            assert_eq!(found.hit, None, "case {case}");
            continue;
        };
        // What overlaps at the start comes before all hits.
        if found.overlap.is_some() {
            continue;
        }
        let told = found.hit.unwrap_or_else(|| panic!("case {case}: {hit:?}"));
        assert_eq!((told.part, told.toi, told.contacts), (part, hit.toi, hit.contacts), "case {case}");
        assert!(told.normal.distance(hit.normal) < 1e-6, "case {case}: {} for {}", told.normal, hit.normal);
        hits += 1;
        ties += usize::from(count > 4);
    }
    assert!(hits > 300 && ties > 100, "{hits} hits, {ties} of many triangles");
}

/// Returns the least time that it takes of five.
fn least_time(mut ask: impl FnMut()) -> Duration {
    let times = [(); 5].map(|()| {
        let start = Instant::now();
        ask();
        start.elapsed()
    });
    times.into_iter().min().unwrap()
}

#[test]
fn where_a_box_touches_flat_ground_is_computed_for_few_of_the_triangles() {
    let terrain = flat(0.125, 0.0);
    let mesh = Ground::of(&terrain).mixed(&mut Rng::with_seed(SEED), Quat::IDENTITY);
    for ground in [Ground::of(&terrain), mesh] {
        let body = Obb::new(Vec3::new(2.0, 1.5, 2.0), Quat::from_rotation_y(0.2), Vec3::ONE).unwrap();
        let sweep = BoxSweep::new(body, Vec3::new(0.01, -1.0, 0.02)).unwrap();
        let near = body.aabb().swept(sweep.motion()).unwrap();
        let below: Vec<Triangle> = ground.triangles.iter().copied().filter(|one| near.overlaps(&one.aabb())).collect();
        let each = least_time(|| {
            for triangle in &below {
                std::hint::black_box(sweep.against_part(&triangle.into(), Limit::Until(1.0), Filtered::Yes));
            }
        });
        let found = least_time(|| _ = std::hint::black_box(ground.world.sweep(&sweep, &Filter::ALL)));
        assert!(2 * found < each, "{found:?}, {each:?} for {} triangles one by one", below.len());
    }
}
