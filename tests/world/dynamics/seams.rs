//! Sliding over adjacent tiles and triangles is like sliding over one box.

use cullide_world::{
    Compound, Dynamics, DynamicsConfig, Material, Mesh, Object, PlacedCompound, PlacedMesh, RigidBody, Shape, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Capsule, Cylinder, Obb, Sphere},
};

/// The place of a body after two seconds of sliding over things without friction, its rotation then, and how high it
/// hopped. The things are fixed, or kinematic where `is_kinematic` says so of their numbers.
fn slid(ground: &[Shape], is_kinematic: fn(usize) -> bool, body: &Shape) -> (Vec3, f32, f32) {
    let (mut world, mut dynamics) = (World::new(), Dynamics::new());
    let material = Material { friction: 0.0, ..Material::default() };
    for (number, shape) in ground.iter().enumerate() {
        let key = world.insert(Object::fixed(shape.clone()));
        if is_kinematic(number) {
            dynamics.insert(&mut world, key, RigidBody::kinematic()).unwrap();
        }
        dynamics.set_material(&world, key, material).unwrap();
    }
    let key = world.insert(Object::moving(body.clone()));
    let moving = RigidBody { velocity: Vec3::new(8.0, 0.0, 0.7), material, ..RigidBody::dynamic() };
    dynamics.insert(&mut world, key, moving).unwrap();
    let mut highest = 0.0f32;
    for _ in 0..120 {
        dynamics.step(&mut world, 1.0 / 60.0, &DynamicsConfig::default()).unwrap();
        highest = highest.max(world.object(key).unwrap().shape.aabb().min().y);
    }
    let center = world.object(key).unwrap().shape.aabb().center();
    (center, dynamics.body(key).unwrap().angular_velocity.length(), highest)
}

fn tiles() -> Vec<Shape> {
    let tile = |x: i8, z: i8| {
        let corner = Vec3::new(f32::from(x), -1.0, f32::from(z));
        Aabb::new(corner, corner + Vec3::ONE).unwrap().into()
    };
    (-20..20).flat_map(|x| (-4..4).map(move |z| tile(x, z))).collect()
}

/// Quads of two triangles each, with the given width, from a corner on, at height 0.
fn grid(from: [f32; 2], quads: [u16; 2], width: f32) -> Shape {
    let columns = quads[0] + 1;
    let corner = |i: u16| {
        let (x, z) = (f32::from(i % columns), f32::from(i / columns));
        Vec3::new(from[0] + x * width, 0.0, from[1] + z * width)
    };
    let vertices: Vec<Vec3> = (0..columns * (quads[1] + 1)).map(corner).collect();
    let quad = |i: u16| {
        let a = u32::from(i / quads[0] * columns + i % quads[0]);
        let (b, c) = (a + 1, a + u32::from(columns));
        [[a, c, b], [b, c, c + 1]]
    };
    let triangles: Vec<[u32; 3]> = (0..quads[0] * quads[1]).flat_map(quad).collect();
    PlacedMesh::from(Mesh::new(&vertices, &triangles).unwrap()).into()
}

#[test]
fn seams_between_tiles_and_triangles_are_not_felt() {
    let one: Vec<Shape> = vec![Aabb::new(Vec3::new(-20.0, -1.0, -20.0), Vec3::new(20.0, 0.0, 20.0)).unwrap().into()];
    let start = |height: f32| Vec3::new(-10.0, height, 0.2);
    let bodies: [Shape; 4] = [
        Obb::new(start(0.501), Quat::from_rotation_y(0.3), Vec3::splat(0.5)).unwrap().into(),
        Sphere::new(start(0.401), 0.4).unwrap().into(),
        Capsule::from_half_axis(start(0.301), Vec3::Z * 0.4, 0.3).unwrap().into(),
        Cylinder::from_half_axis(start(0.501), Vec3::Y * 0.5, [0.4; 2]).unwrap().into(),
    ];
    let fine = grid([-11.0, -1.5], [280, 80], 1.0 / 16.0);
    let compound =
        |parts: Vec<Shape>| -> Vec<Shape> { vec![PlacedCompound::from(Compound::new(parts).unwrap()).into()] };
    let meshes = || vec![grid([-20.0, -20.0], [20, 40], 1.0), grid([0.0, -20.0], [20, 40], 1.0)];
    let [none, all, odd]: [fn(usize) -> bool; 3] = [|_| false, |_| true, |number| number % 2 == 1];
    let from = |x: f32| Aabb::new(Vec3::new(x, -1.0, -20.0), Vec3::new(x + 20.0, 0.0, 20.0)).unwrap().into();
    let grounds = [
        ("tiles", tiles(), none),
        ("kinematic tiles", tiles(), all),
        ("tiles of which half are kinematic", tiles(), odd),
        ("a compound of tiles", compound(tiles()), none),
        ("a kinematic compound of tiles", compound(tiles()), all),
        ("a mesh", vec![grid([-20.0, -20.0], [40, 40], 1.0)], none),
        // A crate touches hundreds of triangles at a time.
        ("fine triangles", vec![fine.clone()], none),
        ("a compound of fine triangles", compound(vec![fine]), none),
        ("two meshes", meshes(), none),
        ("two meshes, one of them kinematic", meshes(), odd),
        ("a box and a kinematic mesh", vec![from(-20.0), meshes().remove(1)], odd),
    ];
    for body in &bodies {
        let (center, ..) = slid(&one, none, body);
        for (name, ground, is_kinematic) in &grounds {
            let (there, spin, highest) = slid(ground, *is_kinematic, body);
            assert!(there.distance(center) < 0.01, "{body:?} on {name}: {there} instead of {center}");
            // A ball touches several small triangles, which rotate it slightly.
            let most = if name.contains("fine") { 0.2 } else { 0.02 };
            assert!(spin < most && highest < 0.003, "{body:?} on {name}: {spin} {highest}");
        }
    }
}
