//! Bodies that tumble over kerbs, ridges and the rims of meshes and terrains: they enter nothing, and nothing throws
//! them.

use super::{Scene, ball, capsule, obb, turn, vector};
use cullide_scenes::{Rng, SEED};
use cullide_world::{
    ContactTracker, Filter, Material, Mesh, Object, ObjectKey, RigidBody, Shape, Terrain, World,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{BoxSweep, Hull, Obb},
};

/// A road along x with kerbs, a ridge and a ditch.
fn road() -> Shape {
    let profile: [(f32, f32); 13] = [
        (-30.0, 0.0),
        (-2.0, 0.0),
        (-2.0, 0.15),
        (-1.0, 0.15),
        (-1.0, 0.0),
        (0.0, 0.0),
        (1.0, 0.3),
        (2.0, 0.0),
        (3.0, 0.0),
        (3.0, -0.6),
        (5.0, -0.6),
        (5.0, 0.0),
        (30.0, 0.0),
    ];
    let columns = 12u32;
    let vertices =
        profile.iter().flat_map(|&(z, y)| (0..=columns).map(move |i| Vec3::new(10.0 * i as f32 - 60.0, y, z)));
    let vertices: Vec<Vec3> = vertices.collect();
    let squares = (0..profile.len() as u32 - 1).flat_map(|row| (0..columns).map(move |i| row * (columns + 1) + i));
    let triangles: Vec<[u32; 3]> =
        squares.flat_map(|a| [[a, a + columns + 1, a + 1], [a + 1, a + columns + 1, a + columns + 2]]).collect();
    Mesh::new(&vertices, &triangles).unwrap().into()
}

fn rough(rng: &mut Rng, is_mesh: bool) -> Shape {
    let (side, width) = (25u32, 1.0);
    let most = 0.5 * rng.f32();
    let heights: Vec<f32> = (0..side * side).map(|_| most * (2.0 * rng.f32() - 1.0)).collect();
    let terrain = Terrain::new(side, side, &heights, Vec2::splat(width), Vec2::splat(-12.0)).unwrap();
    if !is_mesh {
        return terrain.into();
    }
    let vertices = (0..side).flat_map(|row| (0..side).map(move |column| (column, row)));
    let vertices: Vec<Vec3> = vertices.map(|(column, row)| terrain.vertex(column, row).unwrap()).collect();
    let squares = (0..side - 1).flat_map(|row| (0..side - 1).map(move |column| row * side + column));
    let triangles: Vec<[u32; 3]> =
        squares.flat_map(|a| [[a, a + side, a + 1], [a + 1, a + side, a + side + 1]]).collect();
    Mesh::new(&vertices, &triangles).unwrap().into()
}

fn any_body(rng: &mut Rng, kind: usize) -> Shape {
    let at = Vec3::new(16.0 * rng.f32() - 8.0, 1.2 + 1.8 * rng.f32(), 14.0 * rng.f32() - 7.0);
    match kind % 4 {
        0 | 1 => obb(at, turn(rng), Vec3::new(2.1, 0.3, 0.9)).into(),
        2 => {
            let turn = turn(rng);
            let foot = (0..8u8).map(|i| Quat::from_rotation_y(0.785 * f32::from(i)) * Vec3::new(0.2, -0.35, 0.0));
            let points: Vec<Vec3> = foot.chain([Vec3::Y * 0.35]).map(|point| at + turn * point).collect();
            Hull::new(&points).unwrap().into()
        }
        _ => capsule(at, vector(rng, 0.4), 0.25).into(),
    }
}

/// The kinetic energy and the potential energy per unit of mass.
fn energy(scene: &Scene, key: ObjectKey) -> f32 {
    let mass = scene.dynamics.body(key).unwrap().mass(&scene.world).unwrap();
    let (velocity, spin) = (scene.velocity(key), scene.spin(key));
    let turning: f32 = (0..3).map(|i| mass.inertia[i] * mass.axes[i].dot(spin).powi(2)).sum();
    0.5 * (velocity.length_squared() + turning / mass.mass) - scene.config.gravity.y * mass.center.y
}

#[test]
fn bodies_enter_neither_kerbs_nor_ridges_and_gain_no_energy() {
    let mut rng = Rng::with_seed(SEED);
    let (mut touching, mut gained) = (0, 0);
    for case in 0..240 {
        let mut scene = Scene::new();
        let ground = match case % 3 {
            0 => road(),
            kind => rough(&mut rng, kind == 1),
        };
        let ground = scene.fixed(ground);
        let share = rng.f32();
        let velocity = Vec3::new(120.0 * rng.f32() - 60.0, 22.0 * rng.f32() - 20.0, 60.0 * rng.f32() - 30.0) * share;
        let material = Material { friction: rng.f32(), ..Material::default() };
        let body = RigidBody { velocity, angular_velocity: vector(&mut rng, 8.0), material, ..RigidBody::dynamic() };
        let key = scene.add(any_body(&mut rng, case / 3), body);
        let enters = |scene: &Scene| match scene.shape(key) {
            Shape::Obb(shape) => {
                let only_fixed = Filter::ALL.without(&[key]);
                scene.world.sweep(&BoxSweep::new(*shape, Vec3::ZERO).unwrap(), &only_fixed).overlap.is_some()
            }
            _ => false,
        };
        if enters(&scene) {
            continue;
        }
        let mut before = energy(&scene, key);
        for step in 0..180 {
            scene.step();
            if scene.shape(key).aabb().center().abs().max_element() > 11.0 {
                break;
            }
            assert!(!enters(&scene), "case {case}, step {step}: in the ground");
            let now = energy(&scene, key);
            // Rounding, and what is lost and regained where it turns beside an edge.
            if now - before > 0.05 + 0.01 * now.abs() {
                gained += 1;
            }
            before = now;
            touching += usize::from(scene.dynamics.contact(key, ground).is_some_and(|pair| pair.is_touching()));
        }
    }
    // One that the ground holds on all sides may gather speed for a few steps before it is stopped.
    assert!(touching > 5000 && gained <= 3, "touching in {touching} steps, gained energy in {gained}");
}

/// One triangle with a free edge, at which a box begins to touch it or tips over it.
#[test]
fn a_box_at_a_free_edge_is_neither_let_in_nor_lifted() {
    let step = |corners: [Vec3; 3], body: Obb, velocity: Vec3, angular_velocity: Vec3, gravity: f32| {
        let mut scene = Scene::new();
        scene.config.gravity = Vec3::Y * -gravity;
        scene.fixed(Mesh::new(&corners, &[[0, 1, 2]]).unwrap());
        let key = scene.add(body, RigidBody { velocity, angular_velocity, ..RigidBody::dynamic() });
        scene.step();
        let Shape::Obb(body) = *scene.shape(key) else { panic!("a box") };
        let overlap =
            scene.world.sweep(&BoxSweep::new(body, Vec3::ZERO).unwrap(), &Filter::ALL.without(&[key])).overlap;
        (body.center(), overlap)
    };
    let edges = |a: [f32; 3], b: [f32; 3], c: [f32; 3]| [a, b, c].map(Vec3::from);
    let fast = Obb::from_half_edges(
        Vec3::new(0.462_316_93, 1.171_208_4, 5.472_167),
        edges(
            [1.606_620_4, -0.456_227_93, 1.273_038],
            [0.192_311_91, 0.103_954_69, -0.205_449_64],
            [-0.055_152_018, 0.821_285_8, 0.363_933_98],
        ),
    );
    let corners = edges([-1.212_12, 0.0, 4.0], [-1.212_12, 0.0, 6.0], [1.212_12, 0.0, 6.0]);
    let (velocity, spin) =
        (Vec3::new(-55.293_77, 4.672_071_5, -17.396_072), Vec3::new(3.761_421_2, -1.485_147_5, 2.850_849_6));
    let (_, overlap) = step(corners, fast.unwrap(), velocity, spin, 0.0);
    assert_eq!(overlap, None);

    let tipping = Obb::from_half_edges(
        Vec3::new(-2.576_079, 0.116_647_86, 4.490_757),
        edges(
            [-2.086_331, 0.088_254_705, 0.222_335_32],
            [-0.000_871_375_44, 0.275_941_3, -0.117_709_97],
            [-0.102_485_664, -0.351_108_28, -0.822_325_65],
        ),
    );
    let corners = edges([-10.0, 0.0, 5.0], [-10.0, 0.0, 30.0], [0.0, 0.0, 5.0]);
    let (velocity, spin) =
        (Vec3::new(0.135_369_9, -0.498_777_36, 0.663_473_2), Vec3::new(1.936_395_2, -0.378_347_93, -0.644_652_3));
    let tipping = tipping.unwrap();
    let (center, _) = step(corners, tipping, velocity, spin, 10.0);
    let risen = center.y - tipping.center().y;
    assert!(risen < 0.003, "{risen}");
}

/// What is just apart from a triangle is not reported to be in it.
#[test]
fn a_contact_at_a_free_edge_is_no_deeper_than_the_two_are() {
    let mut rng = Rng::with_seed(SEED);
    let corners = [Vec3::new(-1.2, 0.0, -1.0), Vec3::new(-1.2, 0.0, 1.0), Vec3::new(1.2, 0.0, 1.0)];
    let triangle = Shape::from(Mesh::new(&corners, &[[0, 1, 2]]).unwrap());
    let mut found = 0;
    for case in 0..3000 {
        let at = vector(&mut rng, 1.6) * Vec3::new(1.0, 0.8, 1.0);
        let shape = match case % 3 {
            0 => Shape::from(obb(at, turn(&mut rng), Vec3::new(2.1, 0.3, 0.9))),
            1 => capsule(at, vector(&mut rng, 1.0), 0.3).into(),
            _ => ball(at, 0.4).into(),
        };
        let mut world = World::new();
        let ground = world.insert(Object::fixed(triangle.clone()));
        if !world.any_overlap(&shape, &Filter::ALL) {
            continue;
        }
        // Apart by a tenth of a millimetre.
        let way = vector(&mut rng, 1.0).normalize();
        let moved = |far: f32| shape.transformed(Quat::IDENTITY, way * far).unwrap();
        let (mut low, mut high) = (0.0f32, 8.0);
        for _ in 0..22 {
            let middle = 0.5 * (low + high);
            let overlaps = world.any_overlap(&moved(middle), &Filter::ALL);
            (low, high) = if overlaps { (middle, high) } else { (low, middle) };
        }
        let body = world.insert(Object::moving(moved(high + 1e-4)));
        let mut tracker = ContactTracker::new();
        tracker.update(&mut world, 1.0 / 60.0, 0.02);
        let Some(pair) = tracker.contact(body, ground) else { continue };
        for part in pair.parts() {
            let distance = part.manifold.distance();
            assert!(distance > -1e-4, "case {case}: {distance}");
            found += 1;
        }
    }
    assert!(found > 500, "{found}");
}
