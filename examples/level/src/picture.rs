//! A picture in memory: filled polygons, lines and single pixels, saved as PNG. Points are in pixels, y down.

use std::path::Path;

use cullide_world::glam::{Vec2, Vec3};
use tiny_skia::{Color, FillRule, LineCap, LineJoin, Paint, PathBuilder, Pixmap, Stroke, Transform};

/// A colour of red, green and blue in 0..=1.
pub type Rgb = Vec3;

/// How much a colour covers what lies below: 0 is invisible, 1 covers all of it.
pub type Opacity = f32;

/// A picture being drawn.
pub struct Canvas {
    pixels: Pixmap,
}

impl Canvas {
    /// Creates a canvas of one colour. A side of 0 becomes 1 pixel.
    pub fn new(width: u32, height: u32, background: Rgb) -> Self {
        let mut pixels = Pixmap::new(width.max(1), height.max(1)).expect("a picture of this size fits in memory");
        pixels.fill(color(background, 1.0));
        Self { pixels }
    }

    pub fn width(&self) -> u32 {
        self.pixels.width()
    }

    pub fn height(&self) -> u32 {
        self.pixels.height()
    }

    /// Fills a polygon, with antialiased edges. Fewer than three points draw nothing.
    pub fn polygon(&mut self, points: &[Vec2], fill: Rgb, opacity: Opacity) {
        if let Some(path) = path(points, Ends::Joined).filter(|_| points.len() > 2) {
            self.pixels.fill_path(&path, &paint(fill, opacity), FillRule::Winding, Transform::identity(), None);
        }
    }

    /// Draws the border of a polygon.
    pub fn outline(&mut self, points: &[Vec2], width: f32, stroke: Rgb, opacity: Opacity) {
        self.stroke(path(points, Ends::Joined), width, stroke, opacity);
    }

    /// Draws a line through the points.
    pub fn polyline(&mut self, points: &[Vec2], width: f32, stroke: Rgb, opacity: Opacity) {
        self.stroke(path(points, Ends::Open), width, stroke, opacity);
    }

    /// Sets one pixel; outside the picture, this is a no-op.
    pub fn pixel(&mut self, x: u32, y: u32, value: Rgb) {
        let (width, height) = (self.width(), self.height());
        if x < width && y < height {
            let value = color(value, 1.0).premultiply().to_color_u8();
            self.pixels.pixels_mut()[(y * width + x) as usize] = value;
        }
    }

    /// The colour of a pixel; `None` outside of the picture.
    #[cfg(test)]
    pub fn at(&self, x: u32, y: u32) -> Option<Rgb> {
        // The rasteriser's own lookup wraps a column past the right edge into the next row.
        let pixel = self.pixels.pixel(x, y).filter(|_| x < self.width())?;
        Some(Vec3::new(pixel.red().into(), pixel.green().into(), pixel.blue().into()) / 255.0)
    }

    /// Writes the picture, and its folder if it is missing. The error names the file.
    pub fn save(&self, file: &Path) -> Result<(), String> {
        let written = match file.parent() {
            Some(folder) => std::fs::create_dir_all(folder),
            None => Ok(()),
        };
        let fail = |error: &dyn std::error::Error| format!("{}: cannot be written: {error}", file.display());
        written.map_err(|error| fail(&error))?;
        self.pixels.save_png(file).map_err(|error| fail(&error))
    }

    fn stroke(&mut self, path: Option<tiny_skia::Path>, width: f32, stroke: Rgb, opacity: Opacity) {
        let Some(path) = path else { return };
        let pen = Stroke { width, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
        self.pixels.stroke_path(&path, &paint(stroke, opacity), &pen, Transform::identity(), None);
    }
}

/// Whether a line returns to its first point.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    Open,
    Joined,
}

/// `None` for fewer than two points and for lines that the rasteriser cannot take (not finite).
fn path(points: &[Vec2], ends: Ends) -> Option<tiny_skia::Path> {
    let mut builder = PathBuilder::new();
    let (first, rest) = points.split_first()?;
    builder.move_to(first.x, first.y);
    for point in rest {
        builder.line_to(point.x, point.y);
    }
    if ends == Ends::Joined {
        builder.close();
    }
    builder.finish()
}

fn paint(rgb: Rgb, opacity: Opacity) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(color(rgb, opacity));
    paint
}

/// Values outside 0..=1, and NaN, are replaced by the nearest that can be shown.
fn color(rgb: Rgb, opacity: Opacity) -> Color {
    let shown = |x: f32| if x > 0.0 { x.min(1.0) } else { 0.0 };
    Color::from_rgba(shown(rgb.x), shown(rgb.y), shown(rgb.z), shown(opacity)).expect("every channel is in 0..=1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polygon_covers_its_inside_and_nothing_outside() {
        let mut canvas = Canvas::new(20, 30, Vec3::ZERO);
        canvas.polygon(
            &[Vec2::new(4.0, 6.0), Vec2::new(10.0, 6.0), Vec2::new(10.0, 16.0), Vec2::new(4.0, 16.0)],
            Vec3::X,
            1.0,
        );
        assert_eq!(canvas.at(5, 7), Some(Vec3::X));
        assert_eq!(canvas.at(12, 7), Some(Vec3::ZERO));
        assert_eq!(canvas.at(20, 7), None);
    }

    #[test]
    fn odd_input_draws_nothing_and_does_not_panic() {
        let mut canvas = Canvas::new(4, 6, Vec3::ZERO);
        canvas.polygon(&[], Vec3::ONE, 1.0);
        canvas.polyline(&[Vec2::NAN, Vec2::INFINITY], 1.0, Vec3::ONE, 1.0);
        canvas.outline(&[Vec2::splat(1e30), Vec2::ZERO, Vec2::splat(-1e30)], 1.0, Vec3::NAN, 2.0);
        canvas.pixel(9, 9, Vec3::ONE);
        assert_eq!(canvas.at(3, 0), Some(Vec3::ZERO));
    }
}
