//! Bodies of a player's size close to the ground, which is a town of boxes, a mesh or a terrain: sweeps, slides, walks,
//! overlaps and distances of each kind of convex; and steps of rigid bodies.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use cullide_scenes::{Rng, SEED, fractal};
use cullide_world::{
    Character, CharacterBody, Dynamics, DynamicsConfig, Filter, Material, Mesh, Mover, MovingShape, Object, RigidBody,
    Shape, ShapeSweep, SlideOptions, Terrain, Walk, World,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{BoxSweep, Capsule, CapsuleSweep, Cylinder, Hull, Obb, Plane, Ray, Segment, Sphere, SphereSweep},
};
use scene::{PLAYER, Scene};
use std::{f32::consts::TAU, time::Instant};

/// The number of bodies that take turns.
const BODIES: usize = 1024;

const DT: f32 = 1.0 / 60.0;

/// The frames until a body has landed and walks.
const WARM_UP: usize = 30;

/// The steps of a fall.
const FALL: usize = 90;

/// The steps after which everything lies still.
const STILL: usize = 900;

const FILTER: Filter = Filter::ALL;

/// What bodies move upon, and their ways.
struct Ground {
    name: &'static str,
    /// The number of its boxes or triangles.
    size: usize,
    world: World,
    /// From where a player's box is free, up to 1 m above the ground, for up to 6 m across and 3 m down: some end in it.
    ways: Vec<Segment>,
}

impl Ground {
    fn new(name: &'static str, size: usize, objects: impl IntoIterator<Item = Object>) -> Self {
        let mut world = World::new();
        world.insert_batch(objects);
        world.optimize();
        let bounds =
            world.objects().map(|(_, object)| object.shape.aabb()).reduce(|a, b| a.union(&b)).expect("objects");
        let mut rng = Rng::with_seed(SEED);
        let mut vector = || Vec3::from_array([(); 3].map(|()| rng.f32()));
        let mut way = || {
            let above = (bounds.min() + vector() * (bounds.max() - bounds.min())).with_y(bounds.max().y + 5.0);
            let ray = Ray::new(above, Vec3::NEG_Y).expect("a ray");
            let height = ray.origin().y - world.cast_ray(&ray, f32::INFINITY, &FILTER)?.distance;
            let start = above.with_y(height + PLAYER.y + vector().y);
            let motion = (vector() - Vec3::new(0.5, 1.0, 0.5)) * Vec3::new(12.0, 3.0, 12.0);
            let is_free = !world.any_overlap(&upright(start), &FILTER);
            is_free.then(|| Segment::new(start, motion).expect("in range"))
        };
        let ways = std::iter::repeat_with(&mut way).flatten().take(BODIES).collect();
        Self { name, size, world, ways }
    }

    fn all() -> [Self; 3] {
        let town = Scene::city(10_000);
        let (mesh, terrain) = (ring(256, 128), hills(257));
        [
            Self::new("town", town.boxes.len(), town.boxes.iter().map(|aabb| Object::fixed(*aabb))),
            Self::new("mesh", mesh.len(), [Object::fixed(&mesh)]),
            Self::new("terrain", terrain.len(), [Object::fixed(&terrain)]),
        ]
    }

    /// Times one query after another.
    fn each<Q, A>(&self, c: &mut Criterion, query: &str, variant: &str, questions: &[Q], ask: impl FnMut(&Q) -> A) {
        scene::each(c, format!("{query}/{}/{}", self.name, self.size), variant, questions, ask);
    }

    /// The same for a query that appends its answers to a list.
    fn list<Q, A>(
        &self,
        c: &mut Criterion,
        query: &str,
        variant: &str,
        questions: &[Q],
        ask: impl Fn(&Q, &mut Vec<A>),
    ) {
        let mut answers = Vec::new();
        self.each(c, query, variant, questions, |question| {
            answers.clear();
            ask(question, &mut answers);
            answers.len()
        });
    }

    fn per_way<T>(&self, of: impl FnMut(&Segment) -> T) -> Vec<T> {
        self.ways.iter().map(of).collect()
    }
}

/// A bumpy torus, 120 m across and 40 m high, of two triangles for each of `around` × `across` squares.
fn ring(around: u32, across: u32) -> Mesh {
    let vertex = |i: u32| {
        let [a, b] = [(i / across, around), (i % across, across)].map(|(i, n)| TAU * i as f32 / n as f32);
        let radius = 20.0 + 0.5 * (9.0 * a).sin() * (7.0 * b).cos() + 0.25 * (31.0 * a + 13.0 * b).sin();
        Quat::from_rotation_y(a) * Vec3::new(40.0 + radius * b.cos(), radius * b.sin(), 0.0)
    };
    let at = |i: u32, j: u32| i % around * across + j % across;
    let square = |k: u32| {
        let (i, j) = (k / across, k % across);
        [[at(i, j), at(i, j + 1), at(i + 1, j)], [at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)]]
    };
    let vertices: Vec<Vec3> = (0..around * across).map(vertex).collect();
    let triangles: Vec<[u32; 3]> = (0..around * across).flat_map(square).collect();
    Mesh::new(&vertices, &triangles).expect("a mesh")
}

/// A landscape of `side` × `side` samples, 1 m apart, whose slopes reach about 45 degrees.
fn hills(side: u16) -> Terrain {
    let heights = fractal(side.into(), SEED);
    Terrain::new(side.into(), side.into(), &heights, Vec2::ONE, Vec2::splat(-0.5 * f32::from(side))).expect("a terrain")
}

fn ball(center: Vec3) -> Sphere {
    Sphere::new(center, PLAYER.x).expect("a ball")
}

/// A player's box, rotated about up.
fn upright(center: Vec3) -> Obb {
    Obb::new(center, Quat::from_rotation_y(0.5), PLAYER).expect("a box")
}

fn capsule(center: Vec3) -> Capsule {
    Capsule::from_half_axis(center, Vec3::Y * (PLAYER.y - PLAYER.x), PLAYER.x).expect("a capsule")
}

/// A hull of twenty points.
fn hull() -> Hull {
    let mut rng = Rng::with_seed(SEED);
    let mut point = || PLAYER * (Vec3::from_array([(); 3].map(|()| rng.f32())) - 0.5).normalize();
    Hull::new(&[(); 20].map(|()| point())).expect("a hull")
}

/// One of each kind, about the origin.
fn kinds() -> [(&'static str, Shape); 5] {
    let cylinder = Cylinder::new(Vec3::Y * -PLAYER.y, Vec3::Y * PLAYER.y, PLAYER.x).expect("a cylinder");
    [
        ("ball", ball(Vec3::ZERO).into()),
        ("box", upright(Vec3::ZERO).into()),
        ("capsule", capsule(Vec3::ZERO).into()),
        ("hull", hull().into()),
        ("cylinder", cylinder.into()),
    ]
}

fn end(way: &Segment) -> Vec3 {
    way.start() + way.delta()
}

fn shapes(c: &mut Criterion) {
    for ground in Ground::all() {
        let (world, options) = (&ground.world, SlideOptions::default());
        for (kind, shape) in kinds() {
            let at = |place: Vec3| shape.transformed(Quat::IDENTITY, place).expect("in range");
            let starts = ground.per_way(|way| at(way.start()));
            let ends = ground.per_way(|way| at(end(way)));
            let sweep = |(shape, way): (_, &Segment)| ShapeSweep::new(shape, way.delta()).expect("a convex");
            let sweeps: Vec<ShapeSweep> = starts.iter().zip(&ground.ways).map(sweep).collect();
            ground.each(c, "sweep-shape", kind, &sweeps, |sweep| world.sweep(sweep, &FILTER));
            ground.each(c, "slide-shape", kind, &sweeps, |sweep| world.slide(sweep, &FILTER, &options));
            ground.list(c, "overlap-shape", kind, &ends, |shape, near| world.overlap(shape, &FILTER, near));
            ground.list(c, "nearest-to-shape", kind, &starts, |shape, near| {
                world.nearest(shape, f32::INFINITY, 1, &FILTER, near);
            });
        }
    }
}

fn bodies(c: &mut Criterion) {
    for ground in Ground::all() {
        let (world, options) = (&ground.world, SlideOptions::default());
        let balls = ground.per_way(|way| SphereSweep::new(ball(way.start()), way.delta()).expect("in range"));
        let boxes = ground.per_way(|way| BoxSweep::new(upright(way.start()), way.delta()).expect("in range"));
        let capsules = ground.per_way(|way| CapsuleSweep::new(capsule(way.start()), way.delta()).expect("in range"));
        ground.each(c, "sweep", "sphere", &balls, |sweep| world.sweep(sweep, &FILTER));
        ground.each(c, "sweep", "box", &boxes, |sweep| world.sweep(sweep, &FILTER));
        ground.each(c, "sweep", "capsule", &capsules, |sweep| world.sweep(sweep, &FILTER));
        ground.each(c, "slide", "sphere", &balls, |sweep| world.slide(sweep, &FILTER, &options));
        ground.each(c, "slide", "box", &boxes, |sweep| world.slide(sweep, &FILTER, &options));
        ground.each(c, "slide", "capsule", &capsules, |sweep| world.slide(sweep, &FILTER, &options));

        let ends = ground.per_way(end);
        let balls = ground.per_way(|way| ball(end(way)));
        let boxes = ground.per_way(|way| upright(end(way)));
        let capsules = ground.per_way(|way| capsule(end(way)));
        ground.list(c, "overlap", "sphere", &balls, |ball, near| world.overlap(ball, &FILTER, near));
        ground.list(c, "overlap", "box", &boxes, |obb, near| world.overlap(obb, &FILTER, near));
        ground.list(c, "overlap", "capsule", &capsules, |capsule, near| world.overlap(capsule, &FILTER, near));
        ground.list(c, "nearest", "1", &ends, |point, near| world.nearest(*point, f32::INFINITY, 1, &FILTER, near));
    }
}

/// Walks on the ground along a way, or falls.
fn walk<B: CharacterBody>(world: &World, hero: &mut Character<B>, way: Vec3) -> Walk {
    hero.velocity = if hero.is_on_ground() { way } else { hero.velocity - Vec3::Y * 9.81 * DT };
    Mover::default().walk(world, hero, DT, &FILTER).expect("in range")
}

/// Times a frame of characters that are on their way at up to 6 m/s in each direction.
fn walks(c: &mut Criterion) {
    fn each<B: CharacterBody>(c: &mut Criterion, ground: &Ground, variant: &str, body: impl Fn(Vec3) -> B) {
        let heroes = ground.per_way(|way| {
            let mut hero = Character::new(body(way.start()));
            (0..WARM_UP).for_each(|_| _ = walk(&ground.world, &mut hero, way.delta().with_y(0.0)));
            (hero, way.delta().with_y(0.0))
        });
        ground.each(c, "walk", variant, &heroes, |(hero, way)| walk(&ground.world, &mut hero.clone(), *way));
    }
    let rock = MovingShape::new(hull(), Vec3::ZERO).expect("a body");
    for ground in Ground::all() {
        each(c, &ground, "box", upright);
        each(c, &ground, "capsule", capsule);
        each(c, &ground, "hull", |place| rock.at(place).expect("in range"));
    }
}

/// Rigid bodies.
#[derive(Clone)]
struct Game {
    world: World,
    dynamics: Dynamics,
}

impl Game {
    fn new(world: &World, bodies: &[Shape], can_sleep: bool) -> Self {
        let (mut world, mut dynamics) = (world.clone(), Dynamics::new());
        let material = Material { rolling_resistance: 0.1, ..Material::default() };
        for shape in bodies {
            let key = world.insert(Object::moving(shape.clone()));
            let body = RigidBody { can_sleep, material, ..RigidBody::dynamic() };
            dynamics.insert(&mut world, key, body).expect("a body");
        }
        Self { world, dynamics }
    }

    fn step(&mut self) {
        self.dynamics.step(&mut self.world, DT, &DynamicsConfig::default()).expect("its own world");
    }
}

/// Times steps of bodies that fall, and that lie still, awake and asleep, on one thread.
fn steps(c: &mut Criterion) {
    fn each(c: &mut Criterion, name: &str, world: &World, bodies: &[Shape], rests: &[(&str, bool)]) {
        let mut group = c.benchmark_group(format!("step/{name}/{}", bodies.len()));
        let (pool, start) = (scene::threads(1), Game::new(world, bodies, true));
        let fall = || {
            let (mut game, start) = (start.clone(), Instant::now());
            (0..FALL).for_each(|_| game.step());
            start.elapsed()
        };
        group
            .throughput(Throughput::Elements(FALL as u64))
            .bench_function("fall", |b| b.iter_custom(|count| pool.install(|| (0..count).map(|_| fall()).sum())));
        for &(variant, can_sleep) in rests {
            let still = || {
                let mut game = Game::new(world, bodies, can_sleep);
                (0..STILL).for_each(|_| game.step());
                assert_eq!(game.dynamics.report().awake == 0, can_sleep);
                game
            };
            let mut game = None;
            group.throughput(Throughput::Elements(1)).bench_function(variant, |b| {
                let game = game.get_or_insert_with(still);
                let mut steps = |count| {
                    let start = Instant::now();
                    (0..count).for_each(|_| game.step());
                    start.elapsed()
                };
                b.iter_custom(|count| pool.install(|| steps(count)));
            });
        }
    }
    let mut rng = Rng::with_seed(SEED);
    let mut turn = || Quat::from_scaled_axis(Vec3::from_array([(); 3].map(|()| 6.0 * rng.f32())));
    let mut floor = World::new();
    floor.insert_plane(Plane::new(Vec3::Y, 0.0).expect("a floor"));
    let place = |i: u8| Vec3::new(f32::from(i % 5), 1.0 + f32::from(i / 25), f32::from(i / 5 % 5));
    let crates: Vec<Shape> =
        (0..200).map(|i| Obb::new(1.5 * place(i), turn(), Vec3::new(0.4, 0.5, 0.6)).expect("a crate").into()).collect();
    each(c, "heap", &floor, &crates, &[("awake", false), ("asleep", true)]);

    let mut hills = Ground::new("hills", 0, [Object::fixed(hills(257))]);
    for out in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
        hills.world.insert_plane(Plane::new(-out, 127.0).expect("a wall"));
    }
    let cylinder = |way: &Segment| {
        Cylinder::from_half_axis(way.start(), turn() * Vec3::Y * 0.5, [0.4, 0.4]).expect("a cylinder").into()
    };
    let cylinders: Vec<Shape> = hills.ways.iter().take(50).map(cylinder).collect();
    each(c, "cylinders-on-terrain", &hills.world, &cylinders, &[("awake", false)]);
}

criterion_group! {
    name = benches;
    config = scene::criterion();
    targets = shapes, bodies, walks, steps
}
criterion_main!(benches);
