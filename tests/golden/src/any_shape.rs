//! Questions that any convex shape may ask: where it stops, how far it is from others, and when it touches as it turns.

use crate::{draw::Draw, fold::Fold, scene::Scene};
use cullide_world::{
    Character, Mover, MovingShape, Shape, ShapeSweep, SlideOptions,
    glam::Vec3,
    narrowphase::{Convex, ConvexCore, ConvexSweep, Turn},
};

/// Where shapes stop, and what is nearest to them; how far two are from each other; and where one touches as it turns.
pub(crate) fn any_shape(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    let (world, place) = (&scene.world, &scene.place);
    for _ in 0..scene.asks(8) {
        let (shape, other, filter) = (place.shape(draw), place.shape(draw), scene.filter(draw));
        if let Ok(sweep) = ShapeSweep::new(&shape, scene.aim(draw) - shape.aabb().center()) {
            let swept = world.sweep(&sweep, &filter);
            fold.vector(swept.translation);
            fold.maybe(swept.hit, |fold, hit| {
                fold.target(hit.target);
                fold.number(hit.toi);
                fold.vector(hit.normal);
                fold.vector(hit.point);
            });
            fold.maybe(swept.overlap, |fold, overlap| {
                fold.target(overlap.target);
                fold.number(overlap.depth);
                fold.vector(overlap.normal);
            });
        }
        let mut near = vec![];
        world.nearest(&shape, place.room, 3, &filter, &mut near);
        fold.list(near, |fold, near| {
            fold.target(near.target);
            fold.wide(near.distance.separation);
            fold.wide_vector(near.distance.normal);
        });
        fold.maybe(shape.distance(&other), |fold, distance| {
            fold.wide(distance.separation);
            fold.list(distance.points, Fold::wide_vector);
        });
        turn(&shape, &other, draw, fold);
    }
}

/// Where shapes slide, turn, walk and are pushed out to, and all that they touch on their way.
pub(crate) fn moving_shapes(scene: &Scene, draw: &mut Draw, fold: &mut Fold) {
    let (world, place, mover) = (&scene.world, &scene.place, Mover::default());
    for _ in 0..scene.asks(6) {
        let (shape, filter) = (place.shape(draw), scene.filter(draw));
        let center = shape.aabb().center();
        let Ok(sweep) = ShapeSweep::new(&shape, scene.aim(draw) - center) else { continue };
        let mut hits = vec![];
        world.sweep_all(&sweep, &filter, &mut hits);
        fold.list(hits, |fold, hit| {
            fold.target(hit.target);
            fold.number(hit.toi);
        });
        fold.slide(&world.slide(&sweep, &filter, &SlideOptions::default()));
        fold.maybe(
            MovingShape::new(shape.clone(), Vec3::ZERO).ok().and_then(|body| world.depenetrate(&body, &filter)),
            Fold::vector,
        );
        if let Ok(turning) = sweep.turning(center, draw.cube() * 4.0) {
            let swept = world.sweep_turning(&turning, 1.0 / 1024.0, &filter);
            fold.quaternion(swept.rotation);
            fold.vector(swept.translation);
            fold.maybe(swept.hit, |fold, hit| fold.target(hit.target));
        }
        let Ok(body) = MovingShape::new(shape, Vec3::ZERO) else { continue };
        let mut character = Character::new(body);
        let wish = draw.cube() * 8.0;
        for _ in 0..6 {
            let is_on_ground = character.is_on_ground();
            character.velocity = if is_on_ground { wish } else { character.velocity - Vec3::Y * 0.25 };
            if let Ok(walk) = mover.walk(world, &mut character, 1.0 / 64.0, &filter) {
                fold.number(walk.stepped);
                fold.list(&walk.contacts, Fold::slide_contact);
            }
            fold.vector(character.position());
            fold.vector(character.velocity);
        }
    }
}

fn turn(shape: &Shape, other: &Shape, draw: &mut Draw, fold: &mut Fold) {
    let (Some(core), Some(rest)) = (core(shape), core(other)) else { return };
    let center = shape.aabb().center();
    let Ok(turn) = Turn::new(center, other.aabb().center() - center, draw.cube() * 4.0) else { return };
    if let ConvexSweep::Hit(hit) = core.turn(&turn, &rest, 1.0, 1.0 / 1024.0) {
        fold.wide(hit.time);
        fold.wide_vector(hit.normal);
    }
}

fn core(shape: &Shape) -> Option<ConvexCore> {
    Some(match shape {
        Shape::Obb(shape) => Convex::from(*shape).core(),
        Shape::Sphere(shape) => Convex::from(*shape).core(),
        Shape::Brush(shape) => Convex::from(&**shape).core(),
        Shape::Patch(shape) => Convex::from(&**shape).core(),
        _ => return None,
    })
}
