//! Bodies pressed into a two-sided mesh get out on the side they came from; if there is no room on that side they stay,
//! and the overlap is reported.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Character, Filter, Mesh, Mover, Object, World,
    glam::{Quat, Vec3},
    narrowphase::{BoxSweep, Capsule, CapsuleSweep, Obb, Segment, Sides, Sphere, SphereSweep},
};

const RADIUS: f32 = 0.3;
const HALF: Vec3 = Vec3::new(0.3, 0.9, 0.3);

fn capsule(center: Vec3) -> Capsule {
    Capsule::from_half_axis(center, Vec3::Y * 0.6, RADIUS).unwrap()
}

fn ball(center: Vec3) -> Sphere {
    Sphere::new(center, RADIUS).unwrap()
}

fn obb(center: Vec3) -> Obb {
    Obb::new(center, Quat::from_rotation_y(0.4), HALF).unwrap()
}

/// A square of rough ground, eight wide, with samples `unit` apart, and a crate on it.
fn rough(unit: f32, height: f32) -> World {
    let side = (8.0 / unit) as usize + 1;
    let sample = |i: usize| {
        let [x, z] = [i % side, i / side].map(|i| i as f32 * unit - 4.0);
        Vec3::new(x, height * ((3.0 * x).sin() * (2.7 * z).cos() + 0.3 * (7.0 * x + 5.0 * z).sin()), z)
    };
    let mut vertices: Vec<Vec3> = (0..side * side).map(sample).collect();
    let mut triangles = vec![];
    for i in (0..side * (side - 1)).filter(|i| i % side + 1 < side) {
        let [a, b, c, d] = [i, i + 1, i + side, i + side + 1].map(|i| i as u32);
        triangles.extend([[a, c, d], [d, b, a]]);
    }
    let first = vertices.len() as u32;
    let crate_ = obb(Vec3::new(0.3, 0.5, -0.2));
    vertices.extend(crate_.corners());
    let faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
    for [a, b, c, d] in faces.map(|face| face.map(|corner: u32| first + corner)) {
        triangles.extend([[a, b, c], [a, c, d]]);
    }
    let mut world = World::new();
    world.insert(Object::fixed(Mesh::new(&vertices, &triangles).unwrap().with_sides(Sides::Both)));
    world
}

/// Lets a character stand for half a second; returns it if it overlaps nothing at the end.
fn stood<B>(mut walk: impl FnMut(&mut Character<B>) -> bool, mut hero: Character<B>) -> Option<Character<B>> {
    let is_free = (0..30).map(|_| walk(&mut hero)).last();
    is_free.unwrap_or(false).then_some(hero)
}

#[test]
fn what_was_pressed_into_a_mesh_by_two_centimetres_gets_out_where_it_came_from() {
    let mut rng = Rng::with_seed(SEED);
    let mut pressed = [0; 3];
    for (unit, height) in [(2.0, 0.0), (0.5, 0.0), (0.5, 0.1), (0.15, 0.1)] {
        let world = rough(unit, height);
        for case in 0..450 {
            let mut any = |size: f32| Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0)));
            // From above and from below.
            let start = any(3.0) * Vec3::new(1.0, 0.0, 1.0) + Vec3::Y * if case % 2 == 0 { 4.0 } else { -4.0 };
            let motion = any(2.5) * Vec3::new(1.0, 0.0, 1.0) - Vec3::Y * 2.0 * start.y;
            let swept = match case % 3 {
                0 => world.sweep(&CapsuleSweep::new(capsule(start), motion).unwrap(), &Filter::ALL),
                1 => world.sweep(&SphereSweep::new(ball(start), motion).unwrap(), &Filter::ALL),
                _ => world.sweep(&BoxSweep::new(obb(start), motion).unwrap(), &Filter::ALL),
            };
            if swept.hit.is_none() {
                continue;
            }
            let depth = 0.02 * rng.f32();
            let inside = swept.position + motion.normalize() * depth;
            let (mover, dt) = (Mover::default(), 1.0 / 60.0);
            let (out, stands) = match case % 3 {
                0 => {
                    let walk = |hero: &mut _| mover.walk(&world, hero, dt, &Filter::ALL).unwrap().overlap.is_none();
                    let hero = stood(walk, Character::new(capsule(inside))).map(|hero| hero.position());
                    (world.depenetrate(&capsule(inside), &Filter::ALL), hero)
                }
                1 => {
                    let body = Capsule::from(ball(inside));
                    let walk = |hero: &mut _| mover.walk(&world, hero, dt, &Filter::ALL).unwrap().overlap.is_none();
                    let hero = stood(walk, Character::new(body)).map(|hero| hero.position());
                    (world.depenetrate(&ball(inside), &Filter::ALL), hero)
                }
                _ => {
                    let walk = |hero: &mut _| mover.walk(&world, hero, dt, &Filter::ALL).unwrap().overlap.is_none();
                    let hero = stood(walk, Character::new(obb(inside))).map(|hero| hero.position());
                    (world.depenetrate(&obb(inside), &Filter::ALL), hero)
                }
            };
            for end in [out, stands] {
                let end = end.unwrap_or_else(|| panic!("case {case} at {inside} stays"));
                let way = Segment::between(swept.position, end).unwrap();
                assert!(!world.any_segment_hit(&way, &Filter::ALL), "case {case}: through the mesh to {end}");
            }
            assert!(out.is_some_and(|end| end.distance(inside) < 0.05), "case {case}: {inside} to {out:?}");
            pressed[case % 3] += 1;
        }
    }
    assert!(pressed.iter().all(|&count| count > 400), "{pressed:?}");
}

/// Two-sided walls closer together than a body is wide, whether of a corridor or of a solid that the body is in.
#[test]
fn a_body_between_walls_closer_than_it_is_wide_stays_and_that_is_told() {
    let wall = |x: f32| [(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)].map(|(y, z)| Vec3::new(x, y, z));
    let vertices = [wall(-0.25), wall(0.25)].concat();
    let triangles = [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]];
    let mut world = World::new();
    world.insert(Object::fixed(Mesh::new(&vertices, &triangles).unwrap().with_sides(Sides::Both)));
    for x in [-0.03, 0.0, 0.03] {
        let at = Vec3::X * x;
        assert_eq!(world.depenetrate(&ball(at), &Filter::ALL), None);
        assert_eq!(world.depenetrate(&capsule(at), &Filter::ALL), None);
        assert_eq!(world.depenetrate(&Obb::new(at, Quat::IDENTITY, HALF).unwrap(), &Filter::ALL), None);
        let mut hero = Character::new(capsule(at));
        let walk = Mover::default().walk(&world, &mut hero, 1.0 / 60.0, &Filter::ALL).unwrap();
        assert!(walk.overlap.is_some() && hero.position() == at);
    }
    // With its middle beyond a wall, it gets out on that side.
    let out = world.depenetrate(&ball(Vec3::X * 0.3), &Filter::ALL).unwrap();
    assert!((out.x - 0.55).abs() < 1e-5, "{out}");
}

/// Crates as meshes that are hit only from the front, and ground of the same kind: a body that leaves one must not end
/// in the front of another.
#[test]
fn what_comes_out_of_one_sided_surfaces_is_in_nothing() {
    let mut rng = Rng::with_seed(SEED);
    let mut moved = [0; 3];
    for _ in 0..60 {
        let mut any = |size: f32| Vec3::from([(); 3].map(|()| size * (2.0 * rng.f32() - 1.0)));
        let mut world = World::new();
        for _ in 0..4 {
            let turn = Quat::from_scaled_axis(any(3.0));
            let corners = Obb::new(any(1.5), turn, Vec3::splat(0.6) + 0.4 * any(1.0)).unwrap().corners();
            let faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
            let triangles = faces.map(|[a, b, c, d]| [[a, b, c], [a, c, d]]);
            let mesh = Mesh::new(&corners, triangles.as_flattened()).unwrap().with_sides(Sides::Front);
            world.insert(Object::fixed(mesh));
        }
        for case in 0..300 {
            let at = any(2.5);
            let (end, overlap) = match case % 3 {
                0 => {
                    let end = world.depenetrate(&capsule(at), &Filter::ALL);
                    let still = |end: Vec3| CapsuleSweep::new(capsule(end), Vec3::ZERO).unwrap();
                    (end, end.and_then(|end| world.sweep(&still(end), &Filter::ALL).overlap))
                }
                1 => {
                    let end = world.depenetrate(&ball(at), &Filter::ALL);
                    let still = |end: Vec3| SphereSweep::new(ball(end), Vec3::ZERO).unwrap();
                    (end, end.and_then(|end| world.sweep(&still(end), &Filter::ALL).overlap))
                }
                _ => {
                    let end = world.depenetrate(&obb(at), &Filter::ALL);
                    let still = |end: Vec3| BoxSweep::new(obb(end), Vec3::ZERO).unwrap();
                    (end, end.and_then(|end| world.sweep(&still(end), &Filter::ALL).overlap))
                }
            };
            assert!(overlap.is_none(), "case {case} at {at}: to {end:?}, in {overlap:?}");
            moved[case % 3] += usize::from(end.is_some_and(|end| end != at));
        }
    }
    assert!(moved.iter().all(|&count| count > 500), "{moved:?}");
}
