//! The dunes from above: for every pixel, a ray down and, from where that ends, a ray towards the sun.

use crate::{RADIUS, SIDE};
use cullide_world::{Filter, World, glam::Vec3, narrowphase::Ray};
use tiny_skia::{Color, FillRule, LineCap, Paint, PathBuilder, Pixmap, PremultipliedColorU8, Stroke, Transform};

/// Pixels along a side.
const PIXELS: u32 = 1000;
const SCALE: f32 = PIXELS as f32 / SIDE;
/// Higher than everything, in metres.
const ABOVE: f32 = 100.0;
/// Towards the sun: in the north-west, as hills are usually shaded.
const SUN: Vec3 = Vec3::new(-0.62, 0.45, -0.64);
/// How far above the sand a ray towards the sun starts, in metres.
const LIFT: f32 = 1e-3;
const SAND: Vec3 = Vec3::new(0.96, 0.84, 0.62);
/// The fraction of the light that comes from the sky.
const SKY: f32 = 0.32;

/// Draws the world from above, and the path of the ball.
pub fn draw(world: &World, way: &[Vec3]) -> Result<Pixmap, Box<dyn std::error::Error>> {
    let mut picture = Pixmap::new(PIXELS, PIXELS).ok_or("the picture is too large")?;
    for (pixel, light) in picture.pixels_mut().iter_mut().zip(lights(world)?) {
        let [red, green, blue] = (SAND * light * 255.0).to_array().map(|channel| channel as u8);
        *pixel = PremultipliedColorU8::from_rgba(red, green, blue, 255).ok_or("an opaque color")?;
    }

    let scale = Transform::from_scale(SCALE, SCALE);
    let stroke = Stroke { width: RADIUS, line_cap: LineCap::Round, ..Stroke::default() };
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    for (step, ends) in way.windows(2).enumerate() {
        let late = step as f32 / way.len() as f32;
        paint.set_color(Color::from_rgba(late, 0.2, 1.0 - late, 1.0).ok_or("shares are from 0 to 1")?);
        let mut path = PathBuilder::new();
        path.move_to(ends[0].x, ends[0].z);
        path.line_to(ends[1].x, ends[1].z);
        let Some(path) = path.finish() else { continue };
        picture.stroke_path(&path, &paint, &stroke, scale, None);
    }
    let ball =
        way.last().and_then(|end| PathBuilder::from_circle(end.x, end.z, RADIUS)).ok_or("the ball is nowhere")?;
    picture.fill_path(&ball, &Paint::default(), FillRule::Winding, scale, None);
    Ok(picture)
}

/// Returns the brightness of each pixel, from 0 to 1.
fn lights(world: &World) -> Result<Vec<f32>, Box<dyn std::error::Error>> {
    let cast = |rays: Result<Vec<Ray>, _>| {
        let mut hits = Vec::new();
        rays.map(|rays| world.cast_ray_batch(&rays, f32::INFINITY, &Filter::ALL, &mut hits)).map(|()| hits)
    };
    let centers = (0..PIXELS * PIXELS).map(|i| [i % PIXELS, i / PIXELS].map(|x| (x as f32 + 0.5) / SCALE));
    let ground = cast(centers.map(|[x, z]| Ray::new(Vec3::new(x, ABOVE, z), Vec3::NEG_Y)).collect())?;
    let ground = ground.into_iter().collect::<Option<Vec<_>>>().ok_or("there is a hole in the dunes")?;
    let shadows = cast(ground.iter().map(|hit| Ray::new(hit.point + hit.normal * LIFT, SUN)).collect())?;
    let light = |(normal, is_shaded): (Vec3, bool)| {
        let sun = if is_shaded { 0.0 } else { normal.dot(SUN.normalize()).max(0.0) };
        (SKY * normal.y + 1.4 * (1.0 - SKY) * sun).min(1.0)
    };
    let lit = ground.iter().zip(&shadows).map(|(hit, shadow)| light((hit.normal, shadow.is_some())));
    Ok(lit.collect())
}
