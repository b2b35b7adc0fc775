//! Queries of a world with a few hundred mixed shapes.

use criterion::{Criterion, criterion_group, criterion_main};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Compound, Filter, Object, ObjectKey, PlacedCompound, Shape, SlideOptions,
    World, WorldPlane,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, BoxSweep, Brush, Camera, Frustum, Obb, Patch, Plane, Ray, Segment, Sphere, SphereSweep},
};
use scene::{PLAYER, Scene};

/// The number of rays cast together.
const BATCH: usize = 4096;

const FILTER: Filter = Filter::ALL;

/// Shapes of all kinds in turn, each as large as its box of the scene.
fn shapes(scene: &Scene) -> Vec<Shape> {
    let turned = scene.turned();
    let shape = |(i, (aabb, turned)): (usize, (&Aabb, &Obb))| {
        let (center, half) = (aabb.center(), aabb.half_extents());
        let edges = turned.half_edges().map(|edge| edge.normalize());
        let obb =
            Obb::from_half_edges(center, [half.x * edges[0], half.y * edges[1], half.z * edges[2]]).expect("a box");
        match i % 5 {
            0 => Shape::from(*aabb),
            1 => Shape::from(obb),
            2 => Shape::from(Sphere::new(center, half.max_element()).expect("a ball")),
            3 => Shape::from(Brush::try_from(&obb).expect("a solid")),
            _ => Shape::from(Patch::new(&[0, 1, 3, 2].map(|corner| obb.corners()[corner])).expect("a polygon")),
        }
    };
    scene.boxes.iter().zip(&turned).enumerate().map(shape).collect()
}

fn world(scene: &Scene) -> (World, Vec<ObjectKey>) {
    let mut world = World::new();
    let keys = shapes(scene).into_iter().map(|shape| world.insert(Object::fixed(shape))).collect();
    world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, -scene.bounds[0][1]).expect("a floor")).layers(1));
    world.optimize();
    (world, keys)
}

/// As many boxes as there are shapes, from which the queries are made.
fn place() -> Scene {
    Scene { name: "mixed-world", ..Scene::uniform(500) }
}

fn change(c: &mut Criterion) {
    let scene = place();
    let shapes = shapes(&scene);
    scene.group(c, "insert", shapes.len()).bench_function("all", |b| {
        b.iter(|| {
            let mut world = World::new();
            for shape in &shapes {
                world.insert(Object::fixed(shape.clone()));
            }
            world
        });
    });
    let (mut world, keys) = world(&scene);
    scene.group(c, "optimize", shapes.len()).bench_function("all", |b| b.iter(|| world.optimize()));
    // There and back, so that each of them moves.
    let there = keys.iter().copied().zip(shapes.iter().rev());
    let moves: Vec<(ObjectKey, &Shape)> = there.chain(keys.iter().copied().zip(&shapes)).collect();
    scene.each(c, "set-shape", "far", &moves, |(key, shape)| {
        world.object_mut(*key).map(|mut object| object.set_shape((*shape).clone()))
    });
}

fn rays(c: &mut Criterion) {
    let scene = place();
    let (world, _) = world(&scene);
    let segments: Vec<Segment> = scene.long();
    let rays: Vec<Ray> = segments.iter().filter_map(|s| Ray::new(s.start(), s.delta()).ok()).collect();
    let mut hits = Vec::new();
    scene.each(c, "cast-ray", "long", &rays, |ray| world.cast_ray(ray, f32::INFINITY, &FILTER));
    scene.each(c, "cast-segment", "long", &segments, |segment| world.cast_segment(segment, &FILTER));
    scene.each(c, "any-hit", "long", &segments, |segment| world.any_segment_hit(segment, &FILTER));
    scene.each(c, "any-ray-hit", "long", &rays, |ray| world.any_ray_hit(ray, f32::INFINITY, &FILTER));
    scene.each(c, "cast-ray-all", "long", &rays, |ray| {
        hits.clear();
        world.cast_ray_all(ray, f32::INFINITY, &FILTER, &mut hits);
        hits.len()
    });
    let mut answers = Vec::new();
    for (threads, variant) in [(1, "long-1-thread"), (2, "long-2-threads")] {
        let pool = scene::threads(threads);
        let mut turn = rays.chunks_exact(BATCH).cycle();
        scene.group(c, "cast-rays", BATCH).bench_function(variant, |b| {
            b.iter(|| {
                answers.clear();
                let rays = turn.next().expect("a batch");
                pool.install(|| world.cast_ray_batch(rays, f32::INFINITY, &FILTER, &mut answers));
            });
        });
    }
}

fn volumes(c: &mut Criterion) {
    let scene = place();
    let (world, _) = world(&scene);
    let turned = scene.turned();
    let balls: Vec<Sphere> = turned.iter().map(|obb| Sphere::new(obb.center(), 2.0).expect("a ball")).collect();
    let (mut targets, mut near) = (Vec::new(), Vec::new());
    scene.each(c, "overlap", "box", &turned, |obb| {
        targets.clear();
        world.overlap(obb, &FILTER, &mut targets);
        targets.len()
    });
    scene.each(c, "overlap", "sphere", &balls, |ball| {
        targets.clear();
        world.overlap(ball, &FILTER, &mut targets);
        targets.len()
    });
    scene.each(c, "overlap", "point", &balls, |ball| {
        targets.clear();
        world.overlap(&ball.center(), &FILTER, &mut targets);
        targets.len()
    });
    scene.each(c, "nearest", "4", &balls, |ball| {
        near.clear();
        world.nearest(ball.center(), f32::INFINITY, 4, &FILTER, &mut near);
        near.len()
    });
}

fn views(c: &mut Criterion) {
    let scene = place();
    let (world, _) = world(&scene);
    let frustum = |camera: &cullide_scenes::Camera| {
        let camera = Camera {
            position: camera.position.into(),
            forward: camera.forward.into(),
            up: camera.up.into(),
            fov_y: camera.fov_y,
            aspect: camera.aspect,
            near: camera.near,
            far: camera.far,
        };
        Frustum::from_camera(&camera).expect("a view")
    };
    let frusta: Vec<Frustum> = cullide_scenes::cull_cameras(scene.bounds).iter().map(frustum).collect();
    let planes: Vec<Plane> = frusta.iter().map(|frustum| frustum.planes()[0]).collect();
    let mut visible = Vec::new();
    scene.each(c, "cull", "frustum", &frusta, |frustum| {
        visible.clear();
        world.cull(frustum, &FILTER, &mut visible);
        visible.len()
    });
    scene.each(c, "cull-each", "frustum", &frusta, |frustum| {
        let mut count = 0;
        world.for_each_visible(frustum, &FILTER, |_, _, _| count += 1);
        count
    });
    scene.each(c, "sides", "plane", &planes, |plane| {
        let mut count = [0; 3];
        world.for_each_side(plane, &FILTER, |_, _, side| count[side as usize] += 1);
        count
    });
}

fn bodies(c: &mut Criterion) {
    let scene = place();
    let (world, _) = world(&scene);
    let sweep = |segment: &Segment| {
        let body = Obb::new(segment.start(), Quat::IDENTITY, PLAYER).expect("a body");
        BoxSweep::new(body, segment.delta()).expect("a motion")
    };
    let overlaps = |sweep: &BoxSweep| {
        let mut targets = Vec::new();
        world.overlap(sweep.body(), &FILTER, &mut targets);
        !targets.is_empty()
    };
    let (stuck, free): (Vec<BoxSweep>, Vec<BoxSweep>) = scene.short().iter().map(sweep).partition(overlaps);
    let options = SlideOptions::default();
    scene.each(c, "sweep-box", "player", &free, |sweep| world.sweep(sweep, &FILTER));
    let ball = |sweep: &BoxSweep| {
        let around = Sphere::new(sweep.body().center(), PLAYER.min_element()).expect("a ball");
        SphereSweep::new(around, sweep.motion()).expect("a motion")
    };
    let balls: Vec<SphereSweep> = free.iter().map(ball).collect();
    scene.each(c, "sweep-sphere", "player", &balls, |sweep| world.sweep(sweep, &FILTER));
    scene.each(c, "slide-box", "player", &free, |sweep| world.slide(sweep, &FILTER, &options));
    scene.each(c, "depenetrate", "free", &free, |sweep| world.depenetrate(sweep.body(), &FILTER));
    scene.each(c, "depenetrate", "stuck", &stuck, |sweep| world.depenetrate(sweep.body(), &FILTER));
}

/// Columns per side of a terrain of cubes.
const COLUMNS: i16 = 64;

/// Times what rays and bodies meet among cubes; the faces of both lie on whole numbers, so they touch all the time.
fn cubes(c: &mut Criterion) {
    let mut rng = cullide_scenes::Rng::with_seed(cullide_scenes::SEED);
    let corners: Vec<Vec3> = (0..COLUMNS * COLUMNS)
        .flat_map(|i| {
            let (x, z) = (f32::from(i % COLUMNS), f32::from(i / COLUMNS));
            (0..rng.u8(1..=6)).map(move |y| Vec3::new(x, f32::from(y), z))
        })
        .collect();
    let cube = |corner: &Vec3| Aabb::new(*corner, *corner + 1.0).expect("a box");
    let mut whole = |low: i16, high: i16| f32::from(rng.i16(low..high));
    let along = |y: f32, z: f32| Ray::new(Vec3::new(-5.0, y, z), Vec3::X).expect("a ray");
    let rays: Vec<Ray> = (0..BATCH).map(|_| along(whole(0, 7), whole(0, COLUMNS + 1))).collect();
    let walk = |center: Vec3| {
        let body = Obb::new(center, Quat::IDENTITY, Vec3::new(0.5, 1.0, 0.5)).expect("a body");
        BoxSweep::new(body, Vec3::new(2.0, -4.0, 1.0)).expect("a motion")
    };
    let mut start = || Vec3::new(whole(0, COLUMNS), whole(3, 8), whole(0, COLUMNS));
    let walks: Vec<BoxSweep> = (0..BATCH).map(|_| walk(start())).collect();
    let options = SlideOptions::default();
    let turned = |cube: &Aabb| Obb::from(cube).into();
    let solid = |cube: &Aabb| Brush::try_from(cube).expect("a solid").into();
    let upright = |cube: &Aabb| Shape::from(*cube);
    let kinds: [fn(&Aabb) -> Shape; 3] = [upright, turned, solid];
    for (name, shape) in ["cubes", "turned-cubes", "brush-cubes"].into_iter().zip(kinds) {
        let mut world = World::new();
        world.insert_batch(corners.iter().map(|corner| Object::fixed(shape(&cube(corner)))));
        let place = |query: &str| format!("{query}/{name}/{}", world.len());
        scene::each(c, place("cast-ray"), "in-faces", &rays, |ray| world.cast_ray(ray, 100.0, &FILTER));
        scene::each(c, place("sweep-box"), "down", &walks, |sweep| world.sweep(sweep, &FILTER));
        scene::each(c, place("slide-box"), "down", &walks, |sweep| world.slide(sweep, &FILTER, &options));
    }
}

/// The number of frames that a game rolls back when it learns what another player did.
const BACK: usize = 8;

/// Times clones of a world in which one in a hundred objects is a body that drifts.
fn rollback(c: &mut Criterion) {
    let scene = Scene { name: "level", ..Scene::uniform(101_000) };
    let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    let above = |aabb: &Aabb| Aabb::new(aabb.min() + Vec3::Y * 200.0, aabb.max() + Vec3::Y * 200.0).expect("a box");
    let object = |(i, aabb): (usize, &Aabb)| match i % 101 {
        100 => Object::moving(above(aabb)),
        _ => Object::fixed(*aabb),
    };
    let keys = world.insert_batch(scene.boxes.iter().enumerate().map(object));
    let mut rng = cullide_scenes::Rng::with_seed(cullide_scenes::SEED);
    for key in keys.iter().skip(100).step_by(101) {
        let velocity = Vec3::from_array([(); 3].map(|()| rng.f32() - 0.5));
        boxes.insert(&mut world, *key, BoxBody { velocity, gravity_scale: 0.0, ..BoxBody::default() }).expect("a body");
    }
    let frame = |world: &mut World, boxes: &mut BoxStepper| {
        boxes.step(world, 1.0 / 60.0, &BoxStepConfig::default()).expect("its world");
        world.update_pairs(1.0 / 60.0);
    };
    frame(&mut world, &mut boxes);
    scene.group(c, "clone", 1).bench_function("all", |b| b.iter(|| (world.clone(), boxes.clone())));
    let frames = |world: &World, boxes: &BoxStepper| {
        let (mut world, mut boxes, mut past) = (world.clone(), boxes.clone(), Vec::with_capacity(BACK));
        for _ in 0..BACK {
            past.push((world.clone(), boxes.clone()));
            frame(&mut world, &mut boxes);
        }
        past
    };
    scene.group(c, "rollback", BACK).bench_function("frames", |b| b.iter(|| frames(&world, &boxes)));
    scene.group(c, "frame", 1).bench_function("all", |b| b.iter(|| frame(&mut world, &mut boxes)));
}

/// Times a town as one compound that is attached and detached, and rays through it as ten compounds, with and without
/// rotation, beside one tree of all boxes.
fn compounds(c: &mut Criterion) {
    let scene = Scene::city(100_000);
    let rays: Vec<Ray> = scene.long().iter().filter_map(|way| Ray::new(way.start(), way.delta()).ok()).collect();
    let mut boxes = scene.boxes.clone();
    boxes.sort_by(|a, b| a.center().x.total_cmp(&b.center().x));
    let compound = |boxes: &[Aabb]| Compound::new(boxes.iter().map(|aabb| Shape::from(*aabb))).expect("a few boxes");

    let (mut world, town) = (World::new(), Object::fixed(compound(&boxes)));
    scene.group(c, "attach-detach", 1).bench_function("one-compound", |b| {
        b.iter(|| {
            let key = world.insert(town.clone());
            world.remove(key)
        });
    });
    let place = format!("cast-ray/city/{}", boxes.len());
    let mut cast = |variant: &str, objects: Vec<Object>| {
        let mut world = World::new();
        world.insert_batch(objects);
        scene::each(c, place.clone(), variant, &rays, |ray| world.cast_ray(ray, f32::INFINITY, &FILTER));
    };
    cast("boxes", boxes.iter().map(|aabb| Object::fixed(*aabb)).collect());
    let parts: Vec<Compound> = boxes.chunks(boxes.len() / 10).map(compound).collect();
    cast("ten-compounds", parts.iter().map(Object::fixed).collect());
    let turned = |part| PlacedCompound::new(part, Quat::from_rotation_y(1e-3), Vec3::ZERO).expect("in range");
    cast("ten-turned-compounds", parts.iter().map(|part| Object::fixed(turned(part))).collect());
}

criterion_group! {
    name = benches;
    config = scene::criterion();
    targets = change, rays, volumes, views, bodies, cubes, rollback, compounds
}
criterion_main!(benches);
