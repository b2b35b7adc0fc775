//! What the gizmos of the plugin draw, without a window: as a picture, if it is given the name of a file.

use bevy_app::{App, Startup, TaskPoolPlugin};
use bevy_asset::{AssetPlugin, Assets};
use bevy_color::ColorToPacked;
use bevy_cullide::prelude::*;
use bevy_ecs::prelude::*;
use bevy_gizmos::{GizmoAsset, GizmoPlugin};
use bevy_math::{Dir3, Quat, Vec2, Vec3};
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::{TransformPlugin, components::Transform};
use std::time::Duration;
use tiny_skia::{Color, Paint, PathBuilder, Pixmap, Stroke};

const WIDTH: u16 = 576;
const HEIGHT: u16 = 324;

fn main() -> Result {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin, CullidePlugins))
        .add_plugins((AssetPlugin::default(), GizmoPlugin, PhysicsDebugPlugin))
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_micros(15_625)))
        .add_systems(Startup, spawn);
    (0..=64).for_each(|_| app.update());

    let eye = Vec3::new(2.0, 3.6, 10.0);
    let ahead = (Vec3::new(0.0, 1.0, 0.0) - eye).normalize();
    let right = ahead.cross(Vec3::Y).normalize();
    // To the right, up and ahead.
    let seen = |end: Vec3| Vec3::new(right.dot(end - eye), right.cross(ahead).dot(end - eye), ahead.dot(end - eye));
    let mut picture = Pixmap::new(WIDTH.into(), HEIGHT.into()).ok_or("a picture of no size")?;
    picture.fill(Color::from_rgba8(20, 20, 26, 255));
    let mut count = 0;
    for (_, asset) in app.world().resource::<Assets<GizmoAsset>>().iter() {
        let lines = asset.buffer().buffer();
        for (ends, colors) in lines.list_positions.chunks_exact(2).zip(lines.list_colors.chunks_exact(2)) {
            let Some([from, to]) = in_front(seen(ends[0]), seen(ends[1])) else { continue };
            let mut path = PathBuilder::new();
            path.move_to(from.x, from.y);
            path.line_to(to.x, to.y);
            let mut paint = Paint::default();
            let [r, g, b, a] = bevy_color::Srgba::from(colors[0]).to_u8_array();
            paint.set_color_rgba8(r, g, b, a);
            if let Some(path) = path.finish() {
                picture.stroke_path(&path, &paint, &Stroke::default(), Default::default(), None);
                count += 1;
            }
        }
    }
    println!("{count} lines");
    assert!(count > 500);
    if let Some(file) = std::env::args().nth(1) {
        picture.save_png(file)?;
    }
    Ok(())
}

/// The part of a line that is in front of the camera, in pixels.
fn in_front(from: Vec3, to: Vec3) -> Option<[Vec2; 2]> {
    const NEAR: f32 = 0.1;
    let cut = |end: Vec3, other: Vec3| match end.z < NEAR {
        true => end.lerp(other, (NEAR - end.z) / (other.z - end.z)),
        false => end,
    };
    let size = Vec2::new(WIDTH.into(), HEIGHT.into());
    let pixel = |end: Vec3| 0.5 * size + Vec2::new(end.x, -end.y) / end.z * 2.0 * size.y;
    (from.z.max(to.z) > NEAR).then(|| [pixel(cut(from, to)), pixel(cut(to, from))])
}

fn spawn(mut commands: Commands) -> Result {
    let height = |x: u8, z: u8| 0.3 * (f32::from(x) * 0.9).sin() * (f32::from(z) * 0.7).cos() - 0.6;
    let heights = (0..=6).map(|x| (0..=4).map(|z| height(x, z)).collect()).collect();
    commands.spawn((Collider::heightfield(heights, Vec3::new(10.0, 1.0, 6.0)), Transform::default()));
    commands.spawn((Collider::cuboid(5.6, 0.2, 3.0), Transform::from_xyz(0.0, 0.4, 0.0)));

    let mut body = |collider: Collider, place: Transform| {
        commands.spawn((RigidBody::Dynamic, collider, AngularDamping(1.0), place));
    };
    for (x, y) in [(-1.6, 1.0), (-0.5, 1.0), (-1.05, 2.02)] {
        body(Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(x, y, 0.0));
    }
    body(Collider::sphere(0.4), Transform::from_xyz(1.0, 1.0, -0.8));
    body(Collider::capsule(0.25, 0.8), Transform::from_xyz(1.2, 1.5, 0.8).with_rotation(Quat::from_rotation_z(1.2)));
    body(Collider::cylinder(0.4, 0.8), Transform::from_xyz(2.0, 1.0, 0.0));
    let corners = [Vec3::new(0.7, -0.3, 0.0), Vec3::new(-0.5, -0.3, 0.6), Vec3::new(-0.5, -0.3, -0.6), Vec3::Y * 0.7];
    let rock = Collider::convex_hull(corners.to_vec()).ok_or("a flat rock")?;
    body(rock, Transform::from_xyz(-3.6, 1.5, 1.0));
    body(Collider::sphere(0.5), Transform::from_xyz(3.6, 6.6, -0.5));

    let ray = RayCaster::new(Vec3::ZERO, Dir3::NEG_X).with_max_hits(1);
    commands.spawn((Transform::from_xyz(4.2, 1.1, 0.3), ray));
    let shape = ShapeCaster::new(Collider::sphere(0.2), Vec3::ZERO, Quat::IDENTITY, Dir3::NEG_Y);
    commands.spawn((Transform::from_xyz(-1.0, 3.4, 0.2), shape));
    Ok(())
}
