//! Boxes whose edges are not at right angles.

use cullide_world::{
    Dynamics, DynamicsConfig, Object, RigidBody, World,
    glam::Vec3,
    narrowphase::{Aabb, Error, Obb},
};

/// A box with edges that are not at right angles keeps its shape, as a brush.
#[test]
fn a_skewed_box_keeps_its_form_and_enters_no_floor() {
    for skew in [0.8, 0.1, 1e-4] {
        let (mut world, mut dynamics) = (World::with_tag(1), Dynamics::new());
        world.insert(Object::fixed(Aabb::new(Vec3::new(-9.0, -1.0, -9.0), Vec3::new(9.0, 0.0, 9.0)).unwrap()));
        let edges = [Vec3::X * 0.5, Vec3::new(skew, 0.5, 0.0), Vec3::Z * 0.5];
        let skewed = Obb::from_half_edges(Vec3::Y * 0.51, edges).unwrap();
        let key = world.insert(Object::moving(skewed));
        dynamics.insert(&mut world, key, RigidBody::dynamic()).unwrap();
        assert!((dynamics.body(key).unwrap().mass(&world).unwrap().mass - 1.0).abs() < 1e-6);
        for _ in 0..200 {
            dynamics.step(&mut world, 1.0 / 60.0, &DynamicsConfig::default()).unwrap();
            let aabb = world.object(key).unwrap().shape.aabb();
            assert!(aabb.min().y >= 0.0 && aabb.max().y - aabb.min().y < 1.0 + 2.0 * skew, "{aabb:?}");
        }
        assert!(world.object(key).unwrap().shape.aabb().min().y < 0.1);
    }
    let (mut world, mut dynamics) = (World::new(), Dynamics::new());
    let flat = Obb::from_half_edges(Vec3::ZERO, [Vec3::X, Vec3::new(0.5, 1.0, 0.0), Vec3::ZERO]).unwrap();
    let key = world.insert(Object::moving(flat));
    let error = dynamics.insert(&mut world, key, RigidBody::dynamic()).unwrap_err();
    assert_eq!(error, Error::NotABody { field: "key" });
}
