//! A hull in a world behaves as it does outside of one, when it moves and when it is saved and restored.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Filter, Object, Shape, Snapshot, World, WorldPlane,
    glam::{Quat, Vec3},
    narrowphase::{Hull, Obb, Plane, Ray},
};

fn cloud(rng: &mut Rng, center: Vec3) -> Vec<Vec3> {
    let mut any = || 2.0 * rng.f32() - 1.0;
    (0..30).map(|_| center + Vec3::new(any(), any(), any())).collect()
}

#[test]
fn a_world_of_hulls_is_restored_bit_for_bit_and_goes_on_alike() {
    let mut rng = Rng::with_seed(SEED);
    let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
    let hulls: Vec<Hull> =
        (0..20).map(|i| Hull::new(&cloud(&mut rng, Vec3::new(i as f32 * 1.7, 1.0, 0.3))).expect("a solid")).collect();
    let keys: Vec<_> = hulls.iter().map(|hull| world.insert(Object::fixed(hull.clone()))).collect();
    for i in 0..20 {
        let body = Obb::new(Vec3::new(i as f32 * 1.6, 4.0, 0.0), Quat::from_rotation_z(0.3), Vec3::splat(0.3)).unwrap();
        let key = world.insert(Object::moving(body));
        boxes.insert(&mut world, key, BoxBody { velocity: Vec3::NEG_Y, ..BoxBody::default() }).unwrap();
    }
    world.set_transform_batch(&[(keys[3], Quat::from_rotation_x(0.4), Vec3::Y * 0.1)]).unwrap();
    (0..30).for_each(|_| _ = boxes.step(&mut world, 1.0 / 60.0, &BoxStepConfig::default()).unwrap());

    let text = serde_json::to_string(&world.snapshot()).unwrap();
    let bytes = postcard::to_allocvec(&world.snapshot()).unwrap();
    let of_text: Snapshot = serde_json::from_str(&text).unwrap();
    let of_bytes: Snapshot = postcard::from_bytes(&bytes).unwrap();
    for saved in [of_text, of_bytes] {
        let mut restored = World::restore(&saved).unwrap();
        assert_eq!(restored.hash(), world.hash());
        for (key, hull) in keys.iter().zip(&hulls) {
            let shape = restored.object(*key).unwrap().shape.clone();
            assert_eq!(shape, world.object(*key).unwrap().shape);
            assert!(*key == keys[3] || shape == Shape::from(hull.clone()));
        }
        let mut boxes_restored = BoxStepper::restore(&boxes.snapshot(&world).unwrap(), &restored).unwrap();
        let (mut other, mut boxes) = (world.clone(), boxes.clone());
        for _ in 0..60 {
            boxes_restored.step(&mut restored, 1.0 / 60.0, &BoxStepConfig::default()).unwrap();
            boxes.step(&mut other, 1.0 / 60.0, &BoxStepConfig::default()).unwrap();
        }
        assert_eq!((restored.hash(), boxes_restored.hash(&restored)), (other.hash(), boxes.hash(&other)));
    }
}

#[test]
fn a_turned_hull_is_that_of_the_turned_points() {
    let mut rng = Rng::with_seed(SEED);
    let quarter = Quat::from_xyzw(0.0, 0.0, 1.0, 1.0);
    for _ in 0..50 {
        let points = cloud(&mut rng, Vec3::ZERO);
        let shape = Shape::from(Hull::new(&points).unwrap());
        let half_turned: Vec<Vec3> = points.iter().map(|p| Vec3::new(-p.x, -p.y, p.z) + Vec3::X * 4.0).collect();
        let half_turn = Quat::from_xyzw(0.0, 0.0, 1.0, 0.0);
        assert_eq!(shape.transformed(half_turn, Vec3::X * 4.0), Ok(Hull::new(&half_turned).unwrap().into()));
        let Ok(Shape::Brush(turned)) = shape.transformed(quarter, Vec3::ZERO) else { panic!("a hull") };
        assert!(turned.points().is_some());
    }
}

#[test]
fn a_ray_meets_a_hull_in_a_world_where_it_does_alone() {
    let mut rng = Rng::with_seed(SEED);
    let mut world = World::new();
    let hull = Hull::new(&cloud(&mut rng, Vec3::new(3.0, 0.0, 0.0))).unwrap();
    let key = world.insert(Object::moving(hull.clone()));
    let mut hits = 0;
    for _ in 0..1000 {
        let mut any = || 2.0 * rng.f32() - 1.0;
        let ray = Ray::new(Vec3::new(-5.0, any(), any()), Vec3::new(4.0, any(), any())).unwrap();
        let found = world.cast_ray(&ray, 50.0, &Filter::default());
        let alone = ray.cast(hull.solid(), 50.0);
        assert_eq!(found.map(|hit| (hit.distance, hit.normal)), alone.map(|hit| (hit.distance, hit.normal)));
        assert!(found.is_none_or(|hit| hit.target == key.into()));
        hits += usize::from(alone.is_some());
    }
    assert!((100..1000).contains(&hits), "{hits}");
}
