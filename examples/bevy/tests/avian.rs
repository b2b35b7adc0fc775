//! What code written for avian relies on.

mod support;

use bevy_cullide::prelude::*;
use bevy_math::Vec3;
use bevy_transform::components::Transform;
use support::*;

#[derive(Clone, Copy, Debug, Default)]
enum Layer {
    #[default]
    Default,
    Player,
    Ground,
}
physics_layer!(Layer);

#[test]
fn layers_are_combined_and_compared_as_masks_numbers_and_values() {
    assert_eq!([Layer::default(), Layer::Player, Layer::Ground].map(|layer| layer.to_bits()), [0b1, 0b10, 0b100]);
    assert_eq!(LayerMask(0b100), Layer::Ground);
    assert_eq!(LayerMask(0b101), [Layer::Default, Layer::Ground]);
    let mut layers = LayerMask::from(Layer::Player);
    layers |= Layer::Ground;
    assert_eq!(layers, 0b110);
    layers &= !0b10;
    assert_eq!(layers, Layer::Ground);
    assert!((layers & Layer::Ground) != 0 && (layers & Layer::Player) == 0 && !layers != layers);
    assert_eq!((layers | 0b1) & LayerMask(0b11), Layer::Default);
}

#[test]
fn components_have_the_constructors_of_avian() {
    assert_eq!(
        (Friction::new(0.5), Restitution::new(0.25), Mass::new(2.0)),
        (Friction(0.5), Restitution(0.25), Mass(2.0))
    );
    assert_eq!((LinearVelocity::ZERO.0, AngularVelocity::ZERO), (Vec3::ZERO, AngularVelocity::default()));
    let kinds = [RigidBody::Dynamic, RigidBody::Static, RigidBody::Kinematic];
    assert_eq!(kinds.map(|body| body.is_dynamic()), [true, false, false]);
    assert_eq!(kinds.map(|body| body.is_static()), [false, true, false]);
    assert_eq!(kinds.map(|body| body.is_kinematic()), [false, false, true]);
}

#[test]
fn a_character_that_lands_is_grounded() {
    let mut app = app();
    floor(&mut app);
    let hero = app.world_mut().spawn((CharacterController::default(), Collider::sphere(0.5), at(0.0, 2.0, 0.0))).id();
    let is_grounded = |app: &bevy_app::App| app.world().get::<CharacterState>(hero).unwrap().is_grounded();
    ticks(&mut app, 1);
    assert!(!is_grounded(&app));
    ticks(&mut app, 60);
    assert!(is_grounded(&app));
}

#[test]
fn interpolation_that_is_removed_and_comes_again_starts_anew() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    app.insert_resource(bevy_time::TimeUpdateStrategy::ManualDuration(std::time::Duration::from_secs_f32(DT * 0.5)));
    let ball = (RigidBody::Dynamic, Collider::sphere(0.5), LinearVelocity(Vec3::X), TransformInterpolation);
    let ball = app.world_mut().spawn(ball).id();
    ticks(&mut app, 9);
    app.world_mut().entity_mut(ball).remove::<TransformInterpolation>().insert(LinearVelocity::ZERO);
    ticks(&mut app, 2);
    let rests = place(&app, ball);
    app.world_mut().entity_mut(ball).insert(TransformInterpolation);
    for _ in 0..4 {
        app.update();
        assert_eq!(app.world().get::<Transform>(ball).unwrap().translation, rests);
    }
}
