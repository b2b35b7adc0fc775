use crate::{Character, Filter, Mesh, Mover, Object, Shape, SlideOptions, World, WorldPlane};
use cullide_narrowphase::{
    Aabb, Brush, Camera, Capsule, CapsuleSweep, Frustum, Obb, Patch, Plane, Sides, Solid, Sphere, Triangle,
    glam::{Quat, Vec3},
};
use cullide_scenes::{Rng, SEED};

fn any_point(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0)))
}

/// One of each shape, at random places.
fn clutter(rng: &mut Rng) -> Vec<Shape> {
    let aabb = |rng: &mut Rng| {
        let (center, half) = (any_point(rng, 8.0).round(), any_point(rng, 1.0).abs() + 0.25);
        Aabb::new(center - half, center + half).unwrap()
    };
    let corners = |rng: &mut Rng| [(); 3].map(|()| any_point(rng, 6.0));
    let (p, q) = (any_point(rng, 8.0), any_point(rng, 8.0));
    let turn = Quat::from_xyzw(rng.f32(), rng.f32(), rng.f32(), 1.0);
    let [a, b, c] = corners(rng);
    vec![
        aabb(rng).into(),
        Brush::try_from(&aabb(rng)).unwrap().into(),
        Obb::new(p, turn, any_point(rng, 1.0).abs() + 0.25).unwrap().into(),
        Sphere::new(q, 0.75).unwrap().into(),
        Capsule::new(p, p + any_point(rng, 2.0), 0.5).unwrap().into(),
        Patch::new(&corners(rng)).unwrap().into(),
        Triangle::new(a, b, c).unwrap().into(),
    ]
}

fn gap(shape: &Shape, body: &Capsule) -> f64 {
    match shape {
        Shape::Aabb(shape) => shape.gap_of_capsule(body).separation,
        Shape::Obb(shape) => shape.gap_of_capsule(body).separation,
        Shape::Sphere(shape) => shape.gap_of_capsule(body).separation,
        Shape::Capsule(shape) => shape.gap_of_capsule(body).separation,
        Shape::Brush(shape) => shape.gap_of_capsule(body).separation,
        Shape::Patch(shape) => shape.gap_of_capsule(body).separation,
        Shape::Triangle(shape) => shape.gap_of_capsule(body).separation,
        _ => unreachable!("not in the clutter"),
    }
}

#[test]
fn sweeps_slides_and_ways_out_end_apart_from_everything() {
    let mut rng = Rng::with_seed(SEED);
    let (mut hits, mut pushed) = (0, 0);
    for _ in 0..1_000 {
        let shapes: Vec<Shape> = (0..2).flat_map(|_| clutter(&mut rng)).collect();
        let mut world = World::new();
        for shape in &shapes {
            world.insert(Object::fixed(shape.clone()));
        }
        let body = Capsule::from_half_axis(any_point(&mut rng, 8.0), any_point(&mut rng, 1.0), 0.4).unwrap();
        let at = |center: Vec3| Capsule::from_half_axis(center, body.half_axis(), body.radius()).unwrap();
        let free = |center: Vec3| shapes.iter().map(|shape| gap(shape, &at(center))).fold(f64::INFINITY, f64::min);
        let mut near = Vec::new();
        world.overlap(&body, &Filter::ALL, &mut near);
        assert_eq!(near.len(), shapes.iter().filter(|shape| gap(shape, &body) <= 0.0).count(), "{body:?}");
        let sweep = CapsuleSweep::new(body, any_point(&mut rng, 8.0)).unwrap();
        let swept = world.sweep(&sweep, &Filter::ALL);
        assert_eq!(swept.overlap.is_some(), free(body.center()) < 0.0, "{sweep:?} {swept:?}");
        if swept.overlap.is_none() {
            assert!(free(swept.position) >= 0.0, "{sweep:?} {swept:?}");
            // Nor is anything penetrated on the way.
            for share in 0..32 {
                let center = body.center().lerp(swept.position, share as f32 / 32.0);
                assert!(free(center) > -1e-5, "{sweep:?} {swept:?}");
            }
            hits += usize::from(swept.hit.is_some());
        }
        let slide = world.slide(&sweep, &Filter::ALL, &SlideOptions::default());
        assert!(slide.overlap.is_some() || free(slide.position) >= 0.0, "{sweep:?} {slide:?}");
        if let Some(out) = world.depenetrate(&body, &Filter::ALL) {
            assert!(free(out) >= 0.0, "{body:?} {out}");
            pushed += usize::from(out != body.center());
        }
    }
    assert!(hits > 80 && pushed > 50, "{hits} {pushed}");
}

#[test]
fn a_capsule_in_the_world_answers_as_the_shape_itself() {
    let mut rng = Rng::with_seed(SEED + 1);
    let frustum = Frustum::from_camera(&Camera::default()).unwrap();
    for _ in 0..2_000 {
        let capsule = Capsule::new(any_point(&mut rng, 4.0), any_point(&mut rng, 4.0), rng.f32()).unwrap();
        let mut world = World::new();
        let key = world.insert(Object::moving(capsule));
        let asked = |ask: &dyn Fn(&mut Vec<_>)| {
            let mut near = Vec::new();
            ask(&mut near);
            !near.is_empty()
        };
        let ball = Sphere::new(any_point(&mut rng, 4.0), 1.0).unwrap();
        let found = asked(&|near| world.overlap(&ball, &Filter::ALL, near));
        assert_eq!(found, capsule.overlaps_sphere(&ball));
        let obb = Obb::new(ball.center(), Quat::from_rotation_x(0.4), Vec3::new(0.5, 1.0, 0.7)).unwrap();
        assert_eq!(asked(&|near| world.overlap(&obb, &Filter::ALL, near)), capsule.overlaps_obb(&obb));
        let aabb = obb.aabb();
        assert_eq!(asked(&|near| world.overlap(&aabb, &Filter::ALL, near)), capsule.overlaps_aabb(&aabb));
        let mut shown = Vec::new();
        world.cull(&frustum, &Filter::ALL, &mut shown);
        assert_eq!(shown.contains(&key), frustum.intersects_capsule(&capsule), "{capsule:?}");
        // Rotated about its middle, it keeps its length.
        world.object_mut(key).unwrap().set_transform(Quat::from_rotation_z(1.0), Vec3::X).unwrap();
        let Shape::Capsule(turned) = world.object(key).unwrap().shape else { panic!("still a capsule") };
        let expected = Quat::from_rotation_z(1.0) * capsule.half_axis();
        assert!(turned.center() == Vec3::X && turned.half_axis().distance(expected) < 1e-5, "{turned:?}");
        assert_eq!(world.object(key).unwrap().transform().1, Vec3::X);
    }
}

/// A floor of triangles with stairs and a ramp on it.
fn ground(slope: f32) -> Mesh {
    let (mut points, mut indices) = (Vec::new(), Vec::new());
    let mut quad = |corners: [Vec3; 4]| {
        let first = points.len() as u32;
        points.extend(corners);
        indices.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    };
    let mut strip = |from: (f32, f32), to: (f32, f32)| {
        let corner = |(x, y): (f32, f32), z: f32| Vec3::new(x, y, z);
        quad([corner(from, -3.0), corner(from, 3.0), corner(to, 3.0), corner(to, -3.0)]);
    };
    strip((-4.0, 0.0), (2.0, 0.0));
    for step in 0..3 {
        let (x, y) = (2.0 + 0.5 * step as f32, 0.2 * step as f32);
        strip((x, y), (x, y + 0.2));
        strip((x, y + 0.2), (x + 0.5, y + 0.2));
    }
    strip((3.5, 0.6), (6.0, 0.6));
    strip((6.0, 0.6), (10.0, 0.6 + 4.0 * slope));
    Mesh::new(&points, &indices).unwrap()
}

#[test]
fn a_capsule_walks_over_triangles_up_steps_and_a_ramp() {
    let mut world = World::new();
    world.insert(Object::fixed(ground(0.5).with_sides(Sides::Both)));
    let mut hero = Character::new(Capsule::from_half_axis(Vec3::new(-3.0, 0.9, 0.1), Vec3::Y * 0.6, 0.3).unwrap());
    let (mover, dt) = (Mover::default(), 1.0 / 60.0);
    for frame in 0..240 {
        let wish = Vec3::X * 3.0;
        hero.velocity = if hero.is_on_ground() { wish } else { hero.velocity - Vec3::Y * 9.81 * dt };
        let walk = mover.walk(&world, &mut hero, dt, &Filter::ALL).unwrap();
        assert!(walk.overlap.is_none(), "{frame}");
        let mut near = Vec::new();
        let smaller = Capsule::from_half_axis(hero.position(), hero.body.half_axis(), 0.2999).unwrap();
        world.overlap(&smaller, &Filter::ALL, &mut near);
        assert!(near.is_empty(), "{frame}: {hero:?}");
        // On flat ground its height is constant.
        if (-2.5..1.5).contains(&hero.position().x) {
            assert!((hero.position().y - 0.9).abs() < 1e-4, "{frame}: {hero:?}");
        }
    }
    assert!(hero.is_on_ground() && hero.position().x > 8.0 && hero.position().y > 2.0, "{hero:?}");
}

#[test]
fn t19_a_characters_height_never_varies_on_a_flat_box() {
    let mut world = World::new();
    world.insert(Object::fixed(Aabb::new(Vec3::new(-500.0, -1.0, -5.0), Vec3::new(500.0, 0.0, 5.0)).unwrap()));
    let mut hero = Character::new(Capsule::from_half_axis(Vec3::new(-200.0, 1.1, 0.0), Vec3::Y * 0.75, 0.35).unwrap());
    let (mover, dt) = (Mover::default(), 1.0 / 30.0);
    let mut heights = Vec::new();
    for frame in 0..1_000 {
        let level = Vec3::X * 9.0;
        hero.velocity = if hero.is_on_ground() { level } else { hero.velocity + level - Vec3::Y * 30.0 * dt };
        mover.walk(&world, &mut hero, dt, &Filter::ALL).unwrap();
        if frame > 1 {
            heights.push(hero.position().y);
        }
    }
    assert!(
        heights.iter().all(|height| *height == heights[0]),
        "{} {:?}",
        heights[0],
        heights.iter().find(|h| **h != heights[0])
    );
    assert!(hero.position().x > 90.0, "{hero:?}");
}

#[test]
fn t21_a_capsule_stands_up_only_where_there_is_room() {
    let mut world = World::new();
    world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
    world.insert(Object::fixed(Aabb::new(Vec3::new(0.0, 1.2, -5.0), Vec3::new(4.0, 2.0, 5.0)).unwrap()));
    let body =
        |x: f32, height: f32| Capsule::new(Vec3::new(x, 0.301, 0.0), Vec3::new(x, height - 0.301, 0.0), 0.3).unwrap();
    let is_free = |body: &Capsule| {
        let mut near = Vec::new();
        world.overlap(body, &Filter::ALL, &mut near);
        near.is_empty()
    };
    assert!(is_free(&body(2.0, 1.1)) && !is_free(&body(2.0, 1.8)) && is_free(&body(-1.0, 1.8)));
    // Crouched it walks under the beam; upright it stops in front of it.
    for (height, reaches) in [(1.1, true), (1.8, false)] {
        let mut hero = Character::new(body(-1.0, height));
        for _ in 0..60 {
            hero.velocity = Vec3::X * 2.0;
            Mover::default().walk(&world, &mut hero, 1.0 / 60.0, &Filter::ALL).unwrap();
        }
        assert_eq!(hero.position().x > 0.5, reaches, "{hero:?}");
    }
}
