//! What bodies lie on is edited: lowered from under them, or raised into them.

use super::{Scene, aabb, ball, capsule, obb};
use cullide_world::{
    Compound, Mesh, RigidBody, Shape, Terrain,
    glam::{Quat, Vec2, Vec3},
    narrowphase::Aabb,
};

/// Cells of the floor along each axis, smaller than the bodies on it.
const CELLS: u32 = 65;

const FLOORS: [fn(f32) -> Shape; 4] = [terrain, mesh, slab, tiles];

fn terrain(height: f32) -> Shape {
    let heights = [height; (CELLS * CELLS) as usize];
    Terrain::new(CELLS, CELLS, &heights, Vec2::splat(0.25), Vec2::splat(-8.0)).unwrap().into()
}

fn mesh(height: f32) -> Shape {
    let at = |i: u32| 0.25 * i as f32 - 8.0;
    let points: Vec<Vec3> = (0..CELLS * CELLS).map(|i| Vec3::new(at(i % CELLS), height, at(i / CELLS))).collect();
    let cells = (0..CELLS - 1).flat_map(|z| (0..CELLS - 1).map(move |x| z * CELLS + x));
    let triangles: Vec<[u32; 3]> =
        cells.flat_map(|i| [[i, i + CELLS, i + 1], [i + 1, i + CELLS, i + CELLS + 1]]).collect();
    (&Mesh::new(&points, &triangles).unwrap()).into()
}

fn slab(height: f32) -> Shape {
    aabb(Vec3::Y * (height - 1.0), Vec3::new(8.0, 1.0, 8.0)).into()
}

fn tiles(height: f32) -> Shape {
    let at = |i: i32| 2.0 * i as f32 - 7.0;
    let tile = |i: i32| aabb(Vec3::new(at(i % 8), height - 1.0, at(i / 8)), Vec3::ONE).into();
    (&Compound::new((0..64).map(tile)).unwrap()).into()
}

/// A crate, a ball, a capsule, and a compound of two boxes, their lowest points at a height of 0.01.
fn bodies() -> [Shape; 4] {
    let at = |x: f32| Vec3::new(x, 0.51, 0.2);
    let two = [-0.6, 0.6].map(|x| aabb(at(3.7 + x), Vec3::splat(0.5)).into());
    [
        obb(at(-5.0), Quat::from_rotation_y(0.3), Vec3::splat(0.5)).into(),
        ball(at(-2.0), 0.5).into(),
        capsule(at(0.5), 0.5 * Vec3::X, 0.5).into(),
        (&Compound::new(two).unwrap()).into(),
    ]
}

/// For each floor and each body: lets it come to rest for `settle` steps, sets the floor to these heights, one per
/// step, and calls `check` after each step and once everything rests again, with the height of the body above the
/// floor.
fn edited(settle: usize, heights: &[f32], check: impl Fn(f32, bool, &str)) {
    for (i, floor) in FLOORS.into_iter().enumerate() {
        for (k, shape) in bodies().into_iter().enumerate() {
            let mut scene = Scene::new();
            let (ground, name) = (scene.fixed(floor(0.0)), format!("body {k} on floor {i}"));
            let body = scene.add(shape, RigidBody::dynamic());
            scene.steps(settle);
            let above = |scene: &Scene, height: f32| {
                let bounds: Aabb = scene.world.object(body).unwrap().shape.aabb();
                bounds.min().y - height
            };
            for height in heights {
                scene.world.object_mut(ground).unwrap().set_shape(floor(*height));
                scene.step();
                check(above(&scene, *height), false, &name);
            }
            scene.steps(180);
            let last = heights[heights.len() - 1];
            check(above(&scene, last), true, &name);
            assert!(scene.dynamics.body(body).unwrap().is_asleep(), "{name}");
        }
    }
}

#[test]
fn what_lies_on_a_floor_that_is_lowered_falls_on_it() {
    for settle in [20, 240] {
        edited(settle, &[-1.0], |above, is_over, name| {
            let most = if is_over { 0.002 } else { 1.1 };
            assert!((0.0..=most).contains(&above), "{name}: {above}");
        });
    }
}

#[test]
fn what_lies_on_a_floor_that_is_raised_slowly_goes_along() {
    let heights: Vec<f32> = (1..=40).map(|i| 0.02 * i as f32).collect();
    edited(20, &heights, |above, is_over, name| {
        let (least, most) = if is_over { (0.0, 0.002) } else { (-0.01, 0.05) };
        assert!((least..=most).contains(&above), "{name}: {above}");
    });
}

#[test]
fn what_a_floor_is_raised_into_is_pushed_out_and_does_not_fall_asleep_before() {
    for height in [0.05, 0.3, 0.45] {
        edited(240, &[height], |above, is_over, name| {
            let (least, most) = if is_over { (0.0, 0.002) } else { (-height, 0.05) };
            assert!((least..=most).contains(&above), "{name}: {above} at {height}");
        });
    }
}
