//! The scene in perspective: for every pixel, a ray and, from where that ends, a ray towards the sun.

use crate::{HEIGHT, Hiker, RADIUS};
use cullide_world::{
    Filter, RayHit, World,
    glam::{Vec2, Vec3},
    narrowphase::{Aabb, Ray, Segment},
};
use tiny_skia::{Color, LineCap, Paint, Path, PathBuilder, Pixmap, PremultipliedColorU8, Stroke, Transform};

const WIDTH: u32 = 1280;
const PIXELS: u32 = 720;
/// Half the height that the camera sees at a distance of 1.
const HALF_HEIGHT: f32 = 0.45;
const SUN: Vec3 = Vec3::new(-0.5, 0.8, 0.35);
/// The fraction of the light that comes from the sky.
const AMBIENT: f32 = 0.35;
const SKY: Vec3 = Vec3::new(0.75, 0.85, 0.95);
/// The colors of surfaces, used cyclically.
const COLORS: [Vec3; 6] = [
    Vec3::new(0.62, 0.72, 0.46),
    Vec3::new(0.55, 0.50, 0.44),
    Vec3::new(0.86, 0.72, 0.58),
    Vec3::new(0.72, 0.72, 0.74),
    Vec3::new(0.66, 0.56, 0.46),
    Vec3::new(0.78, 0.76, 0.70),
];
/// Paths are drawn, and rays to the sun start, this far above a surface, in metres.
const LIFT: f32 = 0.02;
/// The opacity of paths that something hides.
const HIDDEN: f32 = 0.2;

/// A camera above the south of the scene.
struct View {
    eye: Vec3,
    forward: Vec3,
    right: Vec3,
    up: Vec3,
}

/// Draws the world, the paths of the hikers, and where they are at the end.
pub fn draw(world: &World, bounds: &Aabb, hikers: &[Hiker]) -> Result<Pixmap, Box<dyn std::error::Error>> {
    let mut picture = Pixmap::new(WIDTH, PIXELS).ok_or("the picture is too large")?;
    let view = View::of(bounds);
    for (pixel, color) in picture.pixels_mut().iter_mut().zip(colors(world, &view)?) {
        let [red, green, blue] = (color.clamp(Vec3::ZERO, Vec3::ONE) * 255.0).to_array().map(|channel| channel as u8);
        *pixel = PremultipliedColorU8::from_rgba(red, green, blue, 255).ok_or("an opaque color")?;
    }

    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    let mut stroke = Stroke { width: 2.5, line_cap: LineCap::Round, ..Stroke::default() };
    for (number, hiker) in hikers.iter().enumerate() {
        let hue = number as f32 / hikers.len() as f32;
        for step in hiker.ways.iter().flat_map(|way| way.windows(2)) {
            let [from, to] = [step[0], step[1]].map(|foot| foot + Vec3::Y * LIFT);
            let Some(line) = view.line(from, to) else { continue };
            let is_hidden = world.any_segment_hit(&Segment::between(view.eye, to)?, &Filter::ALL);
            paint.set_color(rainbow(hue, if is_hidden { HIDDEN } else { 1.0 })?);
            picture.stroke_path(&line, &paint, &stroke, Transform::identity(), None);
        }
    }
    for (number, hiker) in hikers.iter().enumerate() {
        let Some(&foot) = hiker.ways.last().and_then(|way| way.last()) else { continue };
        let [low, high] = [RADIUS, HEIGHT - RADIUS].map(|height| foot + Vec3::Y * height);
        let Some(line) = view.line(low, high) else { continue };
        let is_hidden = world.any_segment_hit(&Segment::between(view.eye, high)?, &Filter::ALL);
        stroke.width = 2.0 * RADIUS * view.pixels_at(low);
        paint.set_color(rainbow(number as f32 / hikers.len() as f32, if is_hidden { HIDDEN } else { 1.0 })?);
        picture.stroke_path(&line, &paint, &stroke, Transform::identity(), None);
    }
    Ok(picture)
}

/// Returns the color of every pixel.
fn colors(world: &World, view: &View) -> Result<Vec<Vec3>, Box<dyn std::error::Error>> {
    let cast = |rays: Result<Vec<Ray>, _>| {
        let mut hits = Vec::new();
        rays.map(|rays| world.cast_ray_batch(&rays, f32::INFINITY, &Filter::ALL, &mut hits)).map(|()| hits)
    };
    let directions =
        (0..WIDTH * PIXELS).map(|i| view.direction(Vec2::new((i % WIDTH) as f32, (i / WIDTH) as f32) + 0.5));
    let seen = cast(directions.map(|direction| Ray::new(view.eye, direction)).collect())?;
    let places = seen.iter().flatten();
    let shadows = cast(places.map(|hit| Ray::new(hit.point + hit.normal * LIFT, SUN)).collect())?;
    let mut shadows = shadows.iter();
    let color = |hit: &Option<RayHit>| {
        let Some(hit) = hit else { return SKY };
        let is_lit = shadows.next().is_some_and(Option::is_none);
        let sun = if is_lit { hit.normal.dot(SUN.normalize()).max(0.0) } else { 0.0 };
        COLORS[usize::from(hit.surface) % COLORS.len()] * (AMBIENT * (0.7 + 0.3 * hit.normal.y) + sun)
    };
    Ok(seen.iter().map(color).collect())
}

/// A color by its position in the rainbow, from 0 to 1.
fn rainbow(hue: f32, opacity: f32) -> Result<Color, &'static str> {
    let channel = |shift: f32| (2.0 - 6.0 * ((hue + shift).fract() - 0.5).abs()).clamp(0.0, 1.0);
    let [red, green, blue] = [0.5, 1.0 / 6.0, 5.0 / 6.0].map(channel);
    Color::from_rgba(red, green, blue, opacity).ok_or("shares are from 0 to 1")
}

impl View {
    fn of(bounds: &Aabb) -> Self {
        let size = bounds.size().max_element();
        let eye = bounds.center() + size * Vec3::new(-0.12, 0.75, 0.95);
        // Looks slightly to this side of the center, as near things take more room.
        let forward = (bounds.center() + 0.1 * size * Vec3::Z - eye).normalize();
        let right = forward.cross(Vec3::Y).normalize();
        Self { eye, forward, right, up: right.cross(forward) }
    }

    /// The direction through a point of the picture; rows go down.
    fn direction(&self, at: Vec2) -> Vec3 {
        let away = (at - 0.5 * Vec2::new(WIDTH as f32, PIXELS as f32)) * (2.0 * HALF_HEIGHT / PIXELS as f32);
        self.forward + self.right * away.x - self.up * away.y
    }

    /// The number of pixels per metre at the depth of a point.
    fn pixels_at(&self, point: Vec3) -> f32 {
        PIXELS as f32 / (2.0 * HALF_HEIGHT * (point - self.eye).dot(self.forward))
    }

    /// The line between two points; `None` behind the camera.
    fn line(&self, from: Vec3, to: Vec3) -> Option<Path> {
        let mut path = PathBuilder::new();
        for (point, is_first) in [(from, true), (to, false)] {
            let scale = self.pixels_at(point);
            if !(scale > 0.0 && scale.is_finite()) {
                return None;
            }
            let away = point - self.eye;
            let (x, y) = (away.dot(self.right) * scale, -away.dot(self.up) * scale);
            let (x, y) = (0.5 * WIDTH as f32 + x, 0.5 * PIXELS as f32 + y);
            if is_first { path.move_to(x, y) } else { path.line_to(x, y) }
        }
        path.finish()
    }
}
