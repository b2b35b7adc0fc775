//! What a level editor asks: what is under the cursor, what is nearest, how far apart things are, where they come to rest,
//! whether furniture fits through a door; and reloading, copies, undo.
//!
//! `cargo run --release -p games --bin editor` draws the scene to `target/editor.png`.

use cullide_world::{
    Compound, DrawOptions, Filter, LineKind, Mesh, Object, ObjectKey, Shape, ShapeSweep, World,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{Aabb, Camera, Hull, Obb, Sphere},
};
use std::{error::Error, f32::consts::FRAC_PI_2};
use tiny_skia::{Color, Paint, PathBuilder, Pixmap, Stroke, Transform};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

const FILE: &str = "target/editor.png";

fn main() -> Outcome {
    let mut world = World::new();
    let ground = world.insert(Object::fixed(hill(33, 1.0)?));
    let place = Obb::new(Vec3::new(10.0, 4.0, 10.0), Quat::from_rotation_y(0.5), Vec3::ONE)?;
    let crate_ = world.insert(Object::fixed(place));
    let corner = |i: f32| Vec3::new((i * 2.4).cos(), i / 12.0 - 1.0, (i * 2.4).sin()) * (1.0 - 0.02 * i);
    let rock = Hull::new(&(0..24_u8).map(|i| corner(i.into())).collect::<Vec<_>>())?;
    let rock = world.insert_at(Object::moving(rock), Quat::from_rotation_z(0.4), Vec3::new(16.0, 6.0, 12.0))?;

    pick(&world, crate_)?;
    find_nearest(&world, ground, crate_);
    [rock, crate_].iter().try_for_each(|key| drop_onto(&mut world, *key, ground))?;
    measure()?;
    move_furniture()?;
    reload(&mut world)?;
    copy_all(&mut world)?;
    draw(&world)?;
    undo(world, rock, crate_)
}

fn block(min: [f32; 3], max: [f32; 3]) -> Outcome<Shape> {
    Ok(Aabb::new(min.into(), max.into())?.into())
}

fn hill(columns: u32, height: f32) -> Outcome<Mesh> {
    let vertex = |i| Vec2::new((i % columns) as f32, (i / columns) as f32);
    let raised = |at: Vec2| Vec3::new(at.x, height * (at.x * 0.5).sin() * (at.y * 0.4).cos(), at.y);
    let vertices: Vec<Vec3> = (0..columns * columns).map(|i| raised(vertex(i))).collect();
    let cells = (0..columns - 1).flat_map(|row| (0..columns - 1).map(move |column| row * columns + column));
    let halves = |i| [[i, i + columns, i + 1], [i + 1, i + columns, i + columns + 1]];
    Ok(Mesh::new(&vertices, &cells.flat_map(halves).collect::<Vec<_>>())?)
}

/// The middle pixel of a picture shows the crate.
fn pick(world: &World, crate_: ObjectKey) -> Outcome {
    let (position, forward) = (Vec3::new(10.0, 14.0, 26.0), Vec3::new(0.0, -10.0, -16.0));
    let camera = Camera { position, forward, ..Camera::default() };
    let (pixel, size) = (Vec2::new(800.0, 450.0), Vec2::new(1600.0, 900.0));
    let ray = camera.ray(Vec2::new(2.0, -2.0) * pixel / size + Vec2::new(-1.0, 1.0))?;
    let hit = world.cast_ray(&ray, 1000.0, &Filter::ALL).ok_or("nothing there")?;
    assert_eq!(hit.target, crate_.into());
    Ok(())
}

/// What is nearest to a point, with the way to it; or out of it, from inside.
fn find_nearest(world: &World, ground: ObjectKey, crate_: ObjectKey) {
    let (above, beside, inside) = (Vec3::new(5.0, 3.0, 20.0), Vec3::new(13.0, 4.0, 10.0), Vec3::new(10.2, 4.3, 10.0));
    for (from, expected) in [(above, ground), (beside, crate_), (inside, crate_)] {
        let mut near = vec![];
        world.nearest(from, f32::INFINITY, 1, &Filter::ALL, &mut near);
        let (found, surface) = (near[0], from - near[0].normal * near[0].separation);
        assert!(found.target == expected.into() && (found.separation < 0.0) == (from == inside));
        near.clear();
        world.nearest(surface, f32::INFINITY, 1, &Filter::ALL, &mut near);
        assert!(near[0].separation.abs() < 1e-5, "{surface} is on no surface");
    }
}

/// Lets an object fall straight down, whatever its shape.
fn drop_onto(world: &mut World, key: ObjectKey, ground: ObjectKey) -> Outcome {
    let object = world.object(key).ok_or("gone")?;
    let ((turn, place), sweep) = (object.transform(), ShapeSweep::new(&object.shape, Vec3::NEG_Y * 20.0)?);
    let fall = world.sweep(&sweep, &Filter::ALL.without(&[key])).translation;
    world.object_mut(key).ok_or("gone")?.set_transform(turn, place + fall)?;
    let [own, floor] = [key, ground].map(|key| world.object(key));
    let gap = own.ok_or("gone")?.shape.distance(&floor.ok_or("gone")?.shape).ok_or("no distance")?;
    println!("{key} fell by {:.4}, to a gap of {:.1e}", -fall.y, gap.separation);
    assert!((0.0..1e-4).contains(&gap.separation));
    Ok(())
}

/// Distances of any two shapes.
fn measure() -> Outcome {
    let hull = Shape::from(Hull::new(&[Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 2.0, Vec3::Z * 2.0])?);
    let table = [block([0.0, 1.0, 0.0], [2.0, 1.2, 1.0])?, block([0.0, 0.0, 0.0], [0.2, 1.0, 1.0])?];
    let table = Shape::from(Compound::new(table)?);
    let corners = [(-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0)].map(|(x, z)| Vec3::new(x, -3.0, z));
    let floor = Shape::from(Mesh::new(&corners, &[[0, 2, 1], [0, 3, 2]])?);
    let ball = Shape::from(Sphere::new(Vec3::splat(4.0), 1.0)?);
    let [low, high] = [block([0.0; 3], [1.0; 3])?, block([4.0, 5.0, 1.0], [5.0, 6.0, 2.0])?];
    let chair = block([1.0, 0.0, 4.0], [2.0, 1.1, 5.0])?;
    for (one, other, expected) in [
        (&hull, &floor, 3.0),
        (&table, &chair, 3.0),
        (&ball, &hull, 10.0 / 3_f64.sqrt() - 1.0),
        (&low, &high, 5.0),
        (&table, &floor, 3.0),
    ] {
        let found = one.distance(other).ok_or("no distance")?.separation;
        assert!((found - expected).abs() < 1e-6, "{found} instead of {expected}");
    }
    Ok(())
}

/// A sofa, 2 metres by 0.9, goes through a door of 1 metre only with an end first.
fn move_furniture() -> Outcome {
    let mut room = World::new();
    for (min, max) in [
        ([-5.0, 0.0, -0.1], [-0.5, 3.0, 0.1]),
        ([0.5, 0.0, -0.1], [5.0, 3.0, 0.1]),
        ([-0.5, 2.0, -0.1], [0.5, 3.0, 0.1]),
    ] {
        room.insert(Object::fixed(block(min, max)?));
    }
    let sofa = [block([-1.0, 0.0, -0.45], [1.0, 0.45, 0.45])?, block([-1.0, 0.45, -0.45], [1.0, 0.85, -0.2])?];
    let (pivot, through) = (Vec3::new(0.0, 0.01, 3.0), Vec3::NEG_Z * 6.0);
    let sofa = Shape::from(Compound::new(sofa)?).transformed(Quat::IDENTITY, pivot)?;
    let broadside = room.sweep(&ShapeSweep::new(&sofa, through)?, &Filter::ALL);
    let turn = ShapeSweep::new(&sofa, Vec3::ZERO)?.turning(pivot, Vec3::Y * FRAC_PI_2)?;
    let turned = room.sweep_turning(&turn, 1e-3, &Filter::ALL);
    let sofa = sofa.transformed(turned.rotation, turned.translation)?;
    let end_first = room.sweep(&ShapeSweep::new(&sofa, through)?, &Filter::ALL);
    println!(
        "the sofa moves {:.3} m broadside, and {:.3} m end first",
        -broadside.translation.z, -end_first.translation.z
    );
    assert!((broadside.translation.z + 2.45).abs() < 1e-5 && end_first.translation == through);
    Ok(())
}

/// Exchanges the mesh of an object, which stays where it is.
fn reload(world: &mut World) -> Outcome {
    let pose = (Quat::from_rotation_y(0.3), Vec3::new(20.0, 5.0, 0.0));
    let key = world.insert_at(Object::fixed(hill(9, 0.5)?), pose.0, pose.1)?;
    world.object_mut(key).ok_or("gone")?.set_model(hill(9, 0.8)?)?;
    assert_eq!(world.object(key).ok_or("gone")?.transform(), pose);
    Ok(())
}

/// Inserts everything once more, higher up.
fn copy_all(world: &mut World) -> Outcome {
    let keys: Vec<_> = world.objects().map(|(key, _)| key).collect();
    for key in keys {
        let original = world.object(key).ok_or("gone")?;
        let (low, (turn, place)) = (original.shape.aabb().min(), original.transform());
        let copy = Object { shape: original.model().ok_or("too long to copy")?, ..original.clone() };
        let copy = world.insert_at(copy, turn, place + Vec3::Y * 10.0)?;
        let moved = world.object(copy).ok_or("gone")?.shape.aabb().min() - low;
        assert!((moved - Vec3::Y * 10.0).length() < 1e-4, "a copy elsewhere");
    }
    Ok(())
}

/// Draws what is near the crate and the rock, seen at a slant.
fn draw(world: &World) -> Outcome {
    let mut picture = Pixmap::new(1000, 720).ok_or("the picture is too large")?;
    picture.fill(Color::WHITE);
    let within = Some(Aabb::new(Vec3::new(6.0, -9.0, 6.0), Vec3::new(20.0, 20.0, 16.0))?);
    let (mut path, mut drawn) = ([PathBuilder::new(), PathBuilder::new()], 0);
    world.debug_draw(&DrawOptions { within, ..DrawOptions::default() }, &Filter::ALL, |line| {
        let [start, end] =
            [line.start, line.end].map(|at| Vec2::new(at.x + 0.3 * at.z, 14.0 - at.y + 0.5 * at.z) * 30.0);
        let path = &mut path[usize::from(line.kind == LineKind::Moving)];
        path.move_to(start.x, start.y);
        path.line_to(end.x, end.y);
        drawn += 1;
    });
    for (path, color) in
        path.into_iter().zip([Color::from_rgba8(120, 120, 120, 255), Color::from_rgba8(200, 0, 0, 255)])
    {
        let mut paint = Paint { anti_alias: true, ..Paint::default() };
        paint.set_color(color);
        let path = path.finish().ok_or("nothing to draw")?;
        picture.stroke_path(&path, &paint, &Stroke::default(), Transform::identity(), None);
    }
    picture.save_png(FILE).map_err(|error| format!("{FILE}: {error}"))?;
    println!("{drawn} lines drawn; see {FILE}");
    Ok(())
}

/// Keeps a clone before each edit, among 20,000 objects, and goes back through all of them.
fn undo(mut world: World, rock: ObjectKey, crate_: ObjectKey) -> Outcome {
    let pebble = Object::fixed(Sphere::new(Vec3::Y * -50.0, 0.1)?);
    world.insert_batch(std::iter::repeat_n(pebble, 20_000));
    let mut past = vec![];
    for i in 0..120_u8 {
        past.push((world.clone(), world.hash()));
        let key = if i < 100 { rock } else { crate_ };
        let place = Vec3::new(10.0, 6.0 + f32::from(i), 12.0);
        world.object_mut(key).ok_or("gone")?.set_transform(Quat::from_rotation_z(0.1 * f32::from(i)), place)?;
    }
    println!("{} edits undone, among {} objects", past.len(), world.len());
    while let Some((before, hash)) = past.pop() {
        assert!(before != world && before.hash() == hash);
        world = before;
    }
    Ok(())
}
