//! Questions about one thing that moves through a world: sweeps, slides, depenetration and walks.

use crate::{draw::Draw, fold::Fold, scene::Scene};
use cullide_world::{
    Character, Mover, SlideOptions,
    glam::{Quat, Vec3},
    narrowphase::{BoxSweep, Obb, SphereSweep, TurningBoxSweep},
};

/// The skin, in units of length.
const SKIN: f32 = 1.0 / 1024.0;

/// The duration of a walk, in seconds.
const DT: f32 = 1.0 / 64.0;

/// Where boxes stop.
pub(crate) fn box_sweeps(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    for _ in 0..scene.asks(32) {
        let swept = scene.world.sweep(&moving_box(scene, draw), &scene.filter(draw));
        fold.vector(swept.position);
        fold.stop(swept.hit, swept.overlap);
    }
}

/// Where balls stop.
pub(crate) fn ball_sweeps(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    for _ in 0..scene.asks(32) {
        let swept = scene.world.sweep(&moving_ball(scene, draw), &scene.filter(draw));
        fold.vector(swept.position);
        fold.stop(swept.hit, swept.overlap);
    }
}

/// Where rotating boxes stop.
pub(crate) fn rotating_sweeps(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    for _ in 0..scene.asks(12) {
        let sweep = rotating_box(scene, draw);
        let swept = scene.world.sweep_turning(&sweep, SKIN, &scene.filter(draw));
        fold.obb(&swept.body);
        fold.stop(swept.hit, swept.overlap);
    }
}

/// Where boxes and balls end up when they slide along what they meet.
pub(crate) fn slides(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    let options = SlideOptions::default();
    for _ in 0..scene.asks(12) {
        fold.slide(&scene.world.slide(&moving_box(scene, draw), &scene.filter(draw), &options));
        fold.slide(&scene.world.slide(&moving_ball(scene, draw), &scene.filter(draw), &options));
    }
}

/// The same for boxes that rotate.
pub(crate) fn rotating_slides(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    let options = SlideOptions::default();
    for _ in 0..scene.asks(6) {
        let sweep = rotating_box(scene, draw);
        let slide = scene.world.slide_turning(&sweep, SKIN, &scene.filter(draw), &options);
        fold.obb(&slide.body);
        fold.vector(slide.motion);
        fold.number(slide.turned);
        fold.list(&slide.contacts, Fold::slide_contact);
        fold.overlap(slide.overlap);
    }
}

/// Where boxes and balls that overlap something are pushed out to.
pub(crate) fn depenetration(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    for _ in 0..scene.asks(12) {
        let (obb, sphere) = (scene.place.obb(draw, 0.5), scene.place.sphere(draw, 0.5));
        fold.maybe(scene.world.depenetrate(&obb, &scene.filter(draw)), Fold::vector);
        fold.maybe(scene.world.depenetrate(&sphere, &scene.filter(draw)), Fold::vector);
    }
}

/// Characters that walk, jump, rotate and are carried by what moves under them.
pub(crate) fn walks(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    let (mut world, mover) = (scene.world.clone(), Mover::default());
    for _ in 0..scene.asks(2) {
        let filter = scene.filter(draw);
        let half_extents = Vec3::new(0.25, 0.875, 0.375);
        let body = Obb::new(scene.place.point(draw), Quat::IDENTITY, half_extents).expect("in range");
        let mut character = Character::new(body);
        let mut wish = Vec3::ZERO;
        for frame in 0..48 {
            if frame % 12 == 0 {
                wish = draw.cube() * 8.0;
                let turned = mover.turn(&world, &mut character, 2.0 * draw.cube().x, &filter).expect("a finite angle");
                fold.number(turned);
            }
            if frame % 16 == 5
                && let Some(ground) = &character.ground
                && let cullide_world::Target::Object(key) = ground.target
            {
                // What it stands on moves and rotates a little.
                let (rotation, translation) =
                    world.object(key).map(|object| object.transform()).expect("nothing is removed");
                let rotation = Quat::from_xyzw(rotation.x, rotation.y + 0.0625, rotation.z, rotation.w);
                let translation = translation + draw.cube() * 0.25;
                _ = world.object_mut(key).map(|mut object| object.set_transform(rotation, translation));
            }
            character.velocity = match character.is_on_ground() {
                true if frame % 12 == 11 => Vec3::Y * 4.0 + wish,
                true => Vec3::new(wish.x, 0.0, wish.z),
                false => character.velocity - Vec3::Y * (10.0 * DT),
            };
            let walk = mover.walk(&world, &mut character, DT, &filter).expect("finite numbers");
            fold.number(walk.stepped);
            fold.list(&walk.contacts, Fold::slide_contact);
            fold.overlap(walk.overlap);
            fold.obb(&character.body);
            fold.vector(character.velocity);
            fold.maybe(character.ground, |fold, ground| {
                fold.target(ground.target);
                fold.vector(ground.normal);
                fold.vector(ground.velocity);
            });
        }
    }
}

/// A motion from the centre of a box or a ball: random, or toward something.
fn motion(scene: &Scene, center: Vec3, draw: &mut Draw) -> Vec3 {
    match draw.below(3) {
        0 => scene.place.vector(draw, 2.0),
        1 => scene.place.vector(draw, 8.0),
        _ => scene.aim(draw) - center,
    }
}

fn moving_box(scene: &Scene, draw: &mut Draw) -> BoxSweep {
    let most = draw.of([0.125, 0.25, 1.0]);
    let body = scene.place.obb(draw, most);
    BoxSweep::new(body, motion(scene, body.center(), draw)).expect("in range")
}

fn moving_ball(scene: &Scene, draw: &mut Draw) -> SphereSweep {
    let most = draw.of([0.125, 0.25, 1.0]);
    let body = scene.place.sphere(draw, most);
    SphereSweep::new(body, motion(scene, body.center(), draw)).expect("in range")
}

/// A box that rotates by a fraction of a turn up to several turns.
pub(crate) fn rotating_box(scene: &Scene, draw: &mut Draw) -> TurningBoxSweep {
    let angle = draw.of([0.0, 0.125, 1.0, 4.0, 40.0]);
    let sweep = moving_box(scene, draw).rotating(draw.cube() * angle).expect("in range");
    if draw.one_in(4) { sweep.accelerated(draw.cube() * 4.0).expect("in range") } else { sweep }
}
