//! Meshes, terrains, capsules and hulls, and everything that meets them, in a world of their own.

use crate::{draw::Draw, fold::Fold, scene::Scene};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Filter, Mesh, Object, ObjectKey, PlacedMesh, PlacedTerrain, Response,
    SlideOptions, Terrain, World,
    glam::{Vec2, Vec3},
    narrowphase::{BoxSweep, Capsule, CapsuleSweep, Hull, Sides, SphereSweep},
};

/// The skin, in units of length.
const SKIN: f32 = 1.0 / 1024.0;

/// The number of bodies that fall on them.
const BODIES: usize = 4;

/// Queries of a world with a few of each, in random places.
pub(crate) fn triangles(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    let mut world = World::new();
    let keys = insert_all(scene, draw, &mut world);
    keys.iter().for_each(|key| fold.learn(*key));
    let place = &scene.place;
    let options = SlideOptions::default();
    for _ in 0..scene.asks(6) {
        let aim = place.point(draw);
        let ray = place.ray(draw, Some(aim));
        let mut hits = vec![];
        world.cast_ray_all(&ray, f32::INFINITY, &Filter::ALL, &mut hits);
        fold.list(&hits, |fold, hit| {
            fold.ray_hit(hit);
            fold.word(hit.part.into());
        });
        let motion = place.point(draw) - place.origin;
        let body = BoxSweep::new(place.obb(draw, 0.5), motion).expect("in range");
        let swept = world.sweep(&body, &Filter::ALL);
        fold.vector(swept.position);
        fold.stop(swept.hit, swept.overlap);
        let ball = SphereSweep::new(place.sphere(draw, 0.5), motion).expect("in range");
        let swept = world.sweep(&ball, &Filter::ALL);
        fold.vector(swept.position);
        fold.stop(swept.hit, swept.overlap);
        let capsule = CapsuleSweep::new(capsule(scene, draw), motion).expect("in range");
        let swept = world.sweep(&capsule, &Filter::ALL);
        fold.vector(swept.position);
        fold.stop(swept.hit, swept.overlap);
        let spin = body.rotating(draw.cube() * 2.0).expect("in range");
        let swept = world.sweep_turning(&spin, SKIN, &Filter::ALL);
        fold.obb(&swept.body);
        fold.slide(&world.slide(&body, &Filter::ALL, &options));
        fold.slide(&world.slide(&capsule, &Filter::ALL, &options));
        let mut near = vec![];
        world.overlap(capsule.body(), &Filter::ALL, &mut near);
        fold.list(near, Fold::target);
        let mut nearest = vec![];
        world.nearest(place.point(draw), f32::INFINITY, 3, &Filter::ALL, &mut nearest);
        fold.list(&nearest, |fold, near| {
            fold.number(near.distance);
            fold.vector(near.point);
        });
    }
    steps(scene, draw, world, fold);
}

/// Boxes that fall on everything in the world.
fn steps(scene: &Scene, draw: &mut Draw, mut world: World, fold: &mut Fold) {
    let response = Response::Bounce { restitution: 0.25, friction: 0.5 };
    let (mut boxes, mut bodies) = (BoxStepper::new(), Vec::<ObjectKey>::new());
    for _ in 0..BODIES {
        let key = world.insert(Object::moving(scene.place.obb(draw, 0.5)));
        boxes
            .insert(&mut world, key, BoxBody { velocity: draw.cube() * 4.0, response, ..BoxBody::default() })
            .expect("a box");
        bodies.push(key);
    }
    for _ in 0..16 {
        boxes.step(&mut world, 1.0 / 64.0, &BoxStepConfig::default()).expect("its world");
    }
    fold.list(&bodies, |fold, key| fold.vector(world.object(*key).expect("it is there").shape.aabb().min()));
    fold.word(world.hash());
    fold.word(boxes.hash(&world));
}

fn insert_all(scene: &Scene, draw: &mut Draw, world: &mut World) -> Vec<ObjectKey> {
    let place = &scene.place;
    let mut keys = vec![];
    for sides in [Sides::Front, Sides::Both] {
        let vertices: Vec<Vec3> = (0..40).map(|_| place.point(draw) - place.origin).collect();
        let triangles: Vec<[u32; 3]> = (0..60).map(|_| [(); 3].map(|()| draw.below(40) as u32)).collect();
        let mesh = Mesh::new(&vertices, &triangles).expect("vertices in range").with_sides(sides);
        let scale = Vec3::new(1.0, draw.of([1.0, -0.5]), draw.of([1.0, 1.5]));
        let placed = PlacedMesh::new(&mesh, place.rotation(draw), place.origin, scale).expect("in range");
        keys.push(world.insert(Object::fixed(placed)));
    }
    let heights: Vec<f32> = (0..12 * 10).map(|_| place.vector(draw, 0.125 * place.room).y).collect();
    let spacing = Vec2::splat(0.125 * place.room);
    let terrain = Terrain::new(12, 10, &heights, spacing, Vec2::ZERO).expect("heights in range");
    let placed = PlacedTerrain::new(&terrain, place.rotation(draw), place.origin).expect("in range");
    keys.push(world.insert(Object::fixed(placed)));
    for _ in 0..4 {
        keys.push(world.insert(Object::fixed(capsule(scene, draw))));
        let center = place.point(draw);
        let points: Vec<Vec3> = (0..24).map(|_| center + place.vector(draw, 0.25 * place.room)).collect();
        keys.extend(Hull::new(&points).ok().map(|hull| world.insert(Object::fixed(hull))));
    }
    keys
}

fn capsule(scene: &Scene, draw: &mut Draw) -> Capsule {
    let (ball, axis) = (scene.place.sphere(draw, 0.5), scene.place.vector(draw, 1.0));
    Capsule::from_half_axis(ball.center(), axis, ball.radius()).expect("in range")
}
