//! Every answer that names a part reports its surface, and a sweep's hit reports whether a vertex, an edge or a face
//! touches.

use cullide_world::{
    Compound, Filter, Mesh, Object, ObjectKey, PlacedMesh, SlideOptions, World, WorldPlane,
    glam::{Quat, Vec3},
    narrowphase::{BoxSweep, Capsule, CapsuleSweep, Feature, Obb, Plane, Sphere, SphereSweep},
};

/// A floor of two triangles about the origin, with surface 7 where x is less than z and 9 where it is greater.
fn floor() -> Mesh {
    let corners = [(-5.0, -5.0), (-5.0, 5.0), (5.0, 5.0), (5.0, -5.0)].map(|(x, z)| Vec3::new(x, 0.0, z));
    Mesh::new(&corners, &[[0, 1, 2], [0, 2, 3]]).unwrap().with_surfaces(&[7, 9]).unwrap()
}

/// The floor as it is, mirrored onto itself, and as a part of a compound.
fn worlds() -> [(World, ObjectKey); 3] {
    let turn = Quat::from_rotation_y(std::f32::consts::PI);
    let mirrored = PlacedMesh::new(&floor(), turn, Vec3::ZERO, Vec3::new(-1.0, 1.0, -1.0)).unwrap();
    let far = Sphere::new(Vec3::Y * 90.0, 1.0).unwrap();
    let compound = Compound::new([far.into(), floor().into()]).unwrap().with_surfaces(&[1, 2]).unwrap();
    [floor().into(), mirrored.into(), compound.into()].map(|shape: cullide_world::Shape| {
        let mut world = World::new();
        let key = world.insert(Object::fixed(shape));
        (world, key)
    })
}

#[test]
fn sweeps_tell_the_surface_and_the_feature() {
    for (world, key) in worlds() {
        for (center, surface) in [(Vec3::new(-2.0, 3.0, 1.0), 7), (Vec3::new(2.0, 3.0, -1.0), 9)] {
            let (half, down) = (Vec3::new(0.2, 0.3, 0.5), Vec3::Y * -5.0);
            for (rotation, feature) in [
                (Quat::IDENTITY, Feature::Face),
                (Quat::from_rotation_x(0.7), Feature::Edge),
                (Quat::from_rotation_x(0.7) * Quat::from_rotation_z(0.7), Feature::Vertex),
            ] {
                let sweep = BoxSweep::new(Obb::new(center, rotation, half).unwrap(), down).unwrap();
                let hit = world.sweep(&sweep, &Filter::ALL).hit.unwrap();
                assert_eq!((hit.surface, hit.contacts.feature()), (surface, feature));
                let turning = sweep.rotating(Vec3::Y).unwrap();
                let hit = world.sweep_turning(&turning, 1e-3, &Filter::ALL).hit.unwrap();
                assert_eq!(hit.surface, surface);
                let slide = world.slide(&sweep, &Filter::ALL, &SlideOptions::default());
                assert_eq!(slide.contacts[0].surface, surface);
                let slide = world.slide_turning(&turning, 1e-3, &Filter::ALL, &SlideOptions::default());
                assert_eq!(slide.contacts[0].surface, surface);
            }
            let ball = SphereSweep::new(Sphere::new(center, 0.5).unwrap(), down).unwrap();
            let hit = world.sweep(&ball, &Filter::ALL).hit.unwrap();
            assert_eq!((hit.surface, hit.contacts.feature()), (surface, Feature::Vertex));
            assert_eq!(world.surface(hit.target, hit.part), Some(surface));
            let lying = Capsule::new(center - Vec3::X * 0.4, center + Vec3::X * 0.4, 0.2).unwrap();
            let hit = world.sweep(&CapsuleSweep::new(lying, down).unwrap(), &Filter::ALL).hit.unwrap();
            assert_eq!((hit.target, hit.surface, hit.contacts.feature()), (key.into(), surface, Feature::Edge));
        }
    }
}

#[test]
fn overlaps_and_nearest_points_tell_the_surface() {
    for (world, _) in worlds() {
        for (center, surface) in [(Vec3::new(-2.0, 0.1, 1.0), 7), (Vec3::new(2.0, 0.1, -1.0), 9)] {
            let still = SphereSweep::new(Sphere::new(center, 0.5).unwrap(), Vec3::ZERO).unwrap();
            assert_eq!(world.sweep(&still, &Filter::ALL).overlap.unwrap().surface, surface);
            let mut near = vec![];
            world.nearest(center, 9.0, 1, &Filter::ALL, &mut near);
            assert_eq!((near[0].surface, near[0].point), (surface, center.with_y(0.0)));
        }
    }
}

#[test]
fn what_has_no_surface_is_of_surface_0_and_a_stale_key_of_none() {
    let mut world = World::new();
    let plane = world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
    let ball = world.insert(Object::fixed(Sphere::new(Vec3::Y, 1.0).unwrap()));
    assert_eq!([0, 5].map(|part| world.surface(ball.into(), part)), [Some(0); 2]);
    assert_eq!(world.surface(plane.into(), 0), Some(0));
    world.remove(ball);
    world.remove_plane(plane);
    assert_eq!([ball.into(), plane.into()].map(|target| world.surface(target, 0)), [None; 2]);
}
