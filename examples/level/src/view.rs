//! What a camera sees: one ray per pixel, shaded by the normal where it hits and by distance.

use cullide_world::glam::Vec3;

use crate::camera::Lens;
use crate::picture::{Canvas, Rgb};

const ZENITH: Rgb = Vec3::new(0.30, 0.47, 0.72);
const HORIZON: Rgb = Vec3::new(0.80, 0.83, 0.84);

/// Towards the sun.
const SUN: Vec3 = Vec3::new(-0.48, -0.36, 0.80);

/// The distance in units at which 63 % of a colour is fog.
const FOG: f32 = 2400.0;

/// The fraction of a neighbour's distance, per unit of slope, above which there is an edge between two pixels.
const EDGE: f32 = 0.04;

/// What a ray hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    pub distance: f32,
    /// A unit vector, against the ray.
    pub normal: Vec3,
    /// The number of the brush, in the order of the map.
    pub brush: usize,
}

/// Draws a picture of `width` columns from samples, row by row from the top; `None` is sky.
pub fn draw(lens: &Lens, width: u32, height: u32, samples: &[Option<Sample>]) -> Canvas {
    let mut canvas = Canvas::new(width, height, Vec3::ZERO);
    let at = |x: u32, y: u32| samples.get((y * width + x) as usize).copied().flatten();
    for y in 0..height {
        for x in 0..width {
            let sky = sky(lens.direction(x, y, width, height));
            let color = match at(x, y) {
                None => sky,
                Some(sample) => {
                    // Only two of the four neighbours: an edge is one pixel wide, not two.
                    let neighbours = [(x + 1 < width).then(|| at(x + 1, y)), (y + 1 < height).then(|| at(x, y + 1))];
                    let edges = neighbours.into_iter().flatten().filter(|&near| is_edge(sample, near)).count();
                    surface(sample, sky) * (1.0 - 0.22 * edges as f32)
                }
            };
            canvas.pixel(x, y, color);
        }
    }
    canvas
}

/// Lambert shading from the sun, some light from the sky above and from the ground lit by the sun, then fog in the
/// colour of the sky behind.
fn surface(sample: Sample, sky: Rgb) -> Rgb {
    let sun = sample.normal.dot(SUN).max(0.0);
    let back = sample.normal.dot(-SUN).max(0.0);
    let above = 0.5 + 0.5 * sample.normal.z;
    let light =
        Vec3::new(1.0, 0.95, 0.85) * (0.62 * sun) + Vec3::new(0.85, 0.92, 1.0) * (0.34 + 0.22 * back + 0.16 * above);
    let fog = 1.0 - (-sample.distance / FOG).exp();
    (tint(sample) * light).lerp(sky, fog)
}

/// One of a few kinds of stone and wood per brush, slightly lighter or darker from brush to brush; surfaces that look
/// up are dustier.
fn tint(sample: Sample) -> Rgb {
    const PALETTE: [Rgb; 5] = [
        Vec3::new(0.80, 0.55, 0.42),
        Vec3::new(0.86, 0.76, 0.58),
        Vec3::new(0.56, 0.60, 0.66),
        Vec3::new(0.62, 0.66, 0.50),
        Vec3::new(0.66, 0.50, 0.38),
    ];
    let dust = Vec3::new(0.78, 0.76, 0.70);
    let share = (sample.brush as f32 * 0.618_034).fract();
    let stone = PALETTE[(share * PALETTE.len() as f32) as usize % PALETTE.len()];
    stone.lerp(dust, 0.45 * sample.normal.z.max(0.0)) * (0.9 + 0.2 * (share * 37.0).fract())
}

fn sky(direction: Vec3) -> Rgb {
    HORIZON.lerp(ZENITH, direction.z.max(0.0).sqrt())
}

/// Whether there is an edge between two pixels: where the sky begins, where the surface turns, or where the distance
/// jumps.
fn is_edge(sample: Sample, near: Option<Sample>) -> bool {
    near.is_none_or(|near| {
        sample.normal.dot(near.normal) < 0.95
            || (sample.distance - near.distance).abs() > EDGE * sample.distance.min(near.distance)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_that_faces_the_sun_is_brighter_and_a_far_one_is_hazier() {
        let lens = Lens::new(0.0, 0.0, 90.0, 3.0);
        let wall = |distance, normal| Some(Sample { distance, normal, brush: 3 });
        let canvas = draw(&lens, 3, 1, &[wall(100.0, SUN), wall(100.0, -SUN), wall(9000.0, -SUN)]);
        let [lit, dark, far] = [0, 1, 2].map(|x| canvas.at(x, 0).unwrap().element_sum());
        assert!(lit > dark && far > dark, "{lit} {dark} {far}");
    }
}
