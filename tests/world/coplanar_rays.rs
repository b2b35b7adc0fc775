//! Rays, segments and points along the ground: flat, and at heights and places that are not short binary numbers.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Filter, Mesh, Object, Terrain, World,
    glam::{Vec2, Vec3},
    narrowphase::{Cast, Path, Ray, Segment, Triangle},
};

/// Samples per side.
const SIDE: u32 = 9;

/// The spacing of samples, and the height of the ground.
const STEP: f32 = 0.1;

/// A world, the points of its samples, its triangles, and how it permutes the axes of the ground.
struct Ground {
    world: World,
    samples: Vec<Vec3>,
    triangles: Vec<Triangle>,
    turn: fn(Vec3) -> Vec3,
}

impl Ground {
    /// The ground as a terrain, as a mesh, and as a mesh that is a wall of either kind.
    fn all() -> [Self; 4] {
        let heights = [STEP; (SIDE * SIDE) as usize];
        let terrain = Terrain::new(SIDE, SIDE, &heights, Vec2::splat(STEP), Vec2::ZERO).unwrap();
        let samples: Vec<Vec3> = (0..SIDE * SIDE).map(|i| terrain.vertex(i % SIDE, i / SIDE).unwrap()).collect();
        let triangles: Vec<Triangle> = (0..terrain.len() as u32).map(|i| terrain.triangle(i).unwrap()).collect();
        let turned = |turn: fn(Vec3) -> Vec3| {
            let triangles: Vec<Triangle> =
                triangles.iter().map(|one| Triangle::try_from(one.points().map(turn)).unwrap()).collect();
            let vertices: Vec<Vec3> = triangles.iter().flat_map(|one| one.points()).collect();
            let corners: Vec<[u32; 3]> = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let world = world_of(Object::fixed(Mesh::new(&vertices, &corners).unwrap()));
            Self { world, samples: samples.iter().map(|&p| turn(p)).collect(), triangles, turn }
        };
        let turn = |p: Vec3| p;
        let ground = Self {
            world: world_of(Object::fixed(&terrain)),
            samples: samples.clone(),
            triangles: triangles.clone(),
            turn,
        };
        [ground, turned(turn), turned(|p| Vec3::new(p.y, p.z, p.x)), turned(|p| Vec3::new(p.x - p.y, p.z, p.y))]
    }

    /// The number of the triangle that a path hits first, and when, by asking each triangle; the lowest number for
    /// ties.
    fn first(&self, path: &Path) -> Option<(u32, f32)> {
        let times = self.triangles.iter().zip(0..).filter_map(|(triangle, number)| {
            let crossing = triangle.crossing(path)?;
            Some((number, crossing.enter as f32))
        });
        times.min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)))
    }
}

fn world_of(object: Object) -> World {
    let mut world = World::new();
    world.insert(object);
    world
}

#[test]
fn every_sample_is_a_point_of_the_ground() {
    for ground in Ground::all() {
        for &sample in &ground.samples {
            let point = Segment::new(sample, Vec3::ZERO).unwrap();
            let hit = ground.world.cast_segment(&point, &Filter::ALL).expect("a sample");
            assert_eq!((hit.fraction, hit.exit, hit.inside), (0.0, 1.0, true));
            assert_eq!(ground.first(&point.path()), Some((hit.part, 0.0)));
            assert!(ground.world.any_segment_hit(&point, &Filter::ALL));
            let above = sample + (ground.turn)(Vec3::Y) * f32::EPSILON;
            let above = Segment::new(above, Vec3::ZERO).unwrap();
            assert!(!ground.world.any_segment_hit(&above, &Filter::ALL), "{above:?}");
        }
    }
}

#[test]
fn rays_along_the_ground_meet_it_alone_and_in_batches_as_its_triangles_do() {
    let mut rng = Rng::with_seed(SEED);
    let (mut met, mut asked) = ([0; 2], 0);
    for ground in Ground::all() {
        for &sample in ground.samples.iter().step_by(17) {
            let mut rays = vec![];
            for i in 0..48 {
                let way = match i % 3 {
                    0 => Vec3::new(rng.f32() - 0.5, 0.0, rng.f32() - 0.5),
                    1 => Vec3::new([1.0, 0.0, -1.0, 1.0][i / 3 % 4], 0.0, [0.0, 1.0, 1.0, -1.0][i / 3 % 4]),
                    _ => Vec3::new(1.0, 0.0, 0.2 * rng.f32()),
                };
                let way = (ground.turn)(way);
                // From a sample, from a place in a cell or beside the ground, or from above.
                let start = match i % 4 {
                    0 | 1 => sample,
                    2 => sample - way * rng.f32(),
                    _ => sample - way + (ground.turn)(Vec3::Y) * 1e-7,
                };
                rays.push(Ray::new(start, way).unwrap());
            }
            for limit in [f32::INFINITY, 0.3, 0.0] {
                let mut answers = vec![];
                ground.world.cast_ray_batch(&rays, limit, &Filter::ALL, &mut answers);
                for (ray, answer) in rays.iter().zip(&answers) {
                    let alone = ground.world.cast_ray(ray, limit, &Filter::ALL);
                    assert_eq!(*answer, alone, "{ray:?}");
                    let expected = ground.first(&ray.path(limit).unwrap());
                    assert_eq!(alone.map(|hit| (hit.part, hit.distance)), expected, "{ray:?} up to {limit}");
                    assert_eq!(ground.world.any_ray_hit(ray, limit, &Filter::ALL), expected.is_some(), "{ray:?}");
                    assert!(ray.origin() != sample || expected.is_some_and(|(_, distance)| distance == 0.0), "{ray:?}");
                    met[0] += u32::from(expected.is_some_and(|(_, distance)| distance == 0.0));
                    met[1] += u32::from(expected.is_some_and(|(_, distance)| distance > 0.0));
                    asked += 1;
                }
            }
        }
    }
    assert!(met[0] > asked / 2 && met[1] > asked / 50 && met[0] + met[1] < asked * 9 / 10, "{met:?} of {asked}");
}
