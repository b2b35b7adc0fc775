//! The level from above: its brushes from low to high, what the last camera sees, and where the walkers went.

use cullide_world::glam::{Vec2, Vec3};

use crate::picture::{Canvas, Rgb};

/// The longer side of the picture in pixels.
const LONGER_SIDE: f32 = 1600.0;
/// The width of the empty border around the level, in pixels.
const BORDER: f32 = 24.0;

/// Walls look alike from this many units above the highest ground, so that colours are left to distinguish floors.
const TALL: f32 = 160.0;

const PAPER: Rgb = Vec3::new(0.06, 0.07, 0.09);
const INK: Rgb = Vec3::new(0.03, 0.03, 0.05);
const LOW: Rgb = Vec3::new(0.30, 0.35, 0.45);
const HIGH: Rgb = Vec3::new(0.86, 0.85, 0.80);
const SEEN: Rgb = Vec3::new(1.0, 0.68, 0.22);
const FRUSTUM: Rgb = Vec3::new(1.0, 0.82, 0.35);

/// Towards the light: from the upper left, high.
const LIGHT: Vec3 = Vec3::new(-0.41, 0.50, 0.76);

/// Whether the last camera sees a brush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    Seen,
    Unseen,
}

/// Whether a brush covers what a plan should show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cover {
    Ground,
    /// Drawn translucent.
    Roof,
}

/// A face of a brush, with its corners in order around its unit normal. Only faces that look up are drawn.
#[derive(Clone, Debug)]
pub struct PlanFace {
    pub corners: Vec<Vec3>,
    pub normal: Vec3,
    pub cover: Cover,
    pub sight: Sight,
}

/// Everything on the plan.
pub struct Plan<'a> {
    pub faces: Vec<PlanFace>,
    /// The height of the highest ground.
    pub overhead: f32,
    /// The eight corners of the last camera's frustum, the near four first; both rings are in the same order.
    pub frustum: [Vec3; 8],
    /// Where each walker was, step after step.
    pub trails: &'a [Vec<Vec3>],
}

/// From the level to the picture: x to the right, y up.
struct Scale {
    low: Vec2,
    pixels_per_unit: f32,
    height: f32,
}

impl Plan<'_> {
    /// Draws the plan as a picture.
    pub fn draw(mut self) -> Canvas {
        self.faces.retain(|face| face.normal.z > 0.0);
        let corners = || self.faces.iter().flat_map(|face| &face.corners);
        let low = corners().copied().reduce(Vec3::min).unwrap_or(Vec3::ZERO);
        let high = corners().copied().reduce(Vec3::max).unwrap_or(Vec3::ONE);
        let size = (high - low).truncate().max(Vec2::ONE);
        let pixels_per_unit = (LONGER_SIDE - 2.0 * BORDER) / size.max_element();
        let picture = size * pixels_per_unit + 2.0 * BORDER;
        let scale = Scale { low: low.truncate(), pixels_per_unit, height: picture.y };
        let mut canvas = Canvas::new(picture.x as u32, picture.y as u32, PAPER);

        // Painter's order: a face covers every face that ends below it.
        self.faces.sort_by(|a, b| top(a).total_cmp(&top(b)));
        for face in &self.faces {
            draw_face(&mut canvas, &scale, face, low.z..high.z.min(self.overhead + TALL));
        }
        // A few trails are drawn boldly; hundreds form a haze through which the level is visible.
        let opacity = (5.0 / (self.trails.len() as f32).sqrt()).clamp(0.1, 0.75);
        for (number, trail) in self.trails.iter().enumerate() {
            let trail: Vec<Vec2> = trail.iter().map(|&point| scale.pixel(point)).collect();
            canvas.polyline(&trail, 1.2, trail_color(number), opacity);
        }
        draw_frustum(&mut canvas, &scale, &self.frustum);
        canvas
    }
}

impl Scale {
    fn pixel(&self, point: Vec3) -> Vec2 {
        let offset = (point.truncate() - self.low) * self.pixels_per_unit + BORDER;
        Vec2::new(offset.x, self.height - offset.y)
    }
}

fn top(face: &PlanFace) -> f32 {
    face.corners.iter().map(|corner| corner.z).fold(f32::NEG_INFINITY, f32::max)
}

fn draw_face(canvas: &mut Canvas, scale: &Scale, face: &PlanFace, heights: std::ops::Range<f32>) {
    let share = (top(face) - heights.start) / (heights.end - heights.start).max(1.0);
    let tint = LOW.lerp(HIGH, share.clamp(0.0, 1.0));
    let tint = match face.sight {
        Sight::Seen => tint.lerp(SEEN, 0.5),
        Sight::Unseen => tint,
    };
    let shade = 0.35 + 0.65 * face.normal.dot(LIGHT).max(0.0) / LIGHT.length();
    let opacity = if face.cover == Cover::Roof { 0.12 } else { 1.0 };
    let corners: Vec<Vec2> = face.corners.iter().map(|&corner| scale.pixel(corner)).collect();
    canvas.polygon(&corners, tint * shade, opacity);
    canvas.outline(&corners, 0.8, INK, opacity.max(0.3));
}

/// Draws the frustum's twelve edges, and a faint colour over what they enclose.
fn draw_frustum(canvas: &mut Canvas, scale: &Scale, corners: &[Vec3; 8]) {
    let corners = corners.map(|corner| scale.pixel(corner));
    for side in 0..4 {
        let next = (side + 1) % 4;
        let quad = [corners[side], corners[next], corners[4 + next], corners[4 + side]];
        canvas.polygon(&quad, FRUSTUM, 0.06);
        canvas.outline(&quad, 1.6, FRUSTUM, 0.8);
    }
}

/// Gives neighbouring numbers very different colours: hues a golden angle apart.
fn trail_color(number: usize) -> Rgb {
    let hue = (number as f32 * 0.618_034).fract() * std::f32::consts::TAU;
    Vec3::new(hue.cos(), (hue - 2.094_395).cos(), (hue - 4.188_79).cos()) * 0.35 + 0.6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(low: Vec2, high: Vec2, z: f32, sight: Sight) -> PlanFace {
        let corners = vec![
            Vec3::new(low.x, low.y, z),
            Vec3::new(high.x, low.y, z),
            Vec3::new(high.x, high.y, z),
            Vec3::new(low.x, high.y, z),
        ];
        PlanFace { corners, normal: Vec3::Z, cover: Cover::Ground, sight }
    }

    #[test]
    fn the_higher_face_covers_the_lower_whatever_their_order() {
        let floor = square(Vec2::ZERO, Vec2::new(300.0, 200.0), 0.0, Sight::Unseen);
        let crate_top = square(Vec2::new(100.0, 50.0), Vec2::new(200.0, 150.0), 50.0, Sight::Seen);
        let frustum = [Vec3::splat(-1e6); 8];
        let draw = |faces| Plan { faces, overhead: 100.0, frustum, trails: &[] }.draw();
        let (one, other) = (draw(vec![floor.clone(), crate_top.clone()]), draw(vec![crate_top, floor]));
        let (x, y) = (one.width() / 2, one.height() / 2);
        assert_eq!(one.at(x, y), other.at(x, y));
        assert!(one.at(x, y).unwrap().x > one.at(60, 60).unwrap().x);
        assert_eq!(one.at(2, 2), Canvas::new(4, 4, PAPER).at(2, 2));
    }
}
