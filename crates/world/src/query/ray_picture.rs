//! Rays that are the scanlines of an image, one after the other, such as those of a camera or a scanner.
//!
//! ```text
//!   rays in their order          packets: tiles of 4 by 4
//!   0 1 2 3 4 5 …                |0   1   2   3  | 4 …
//!   w …                          |w   w+1 w+2 w+3|
//!   2w …                         |2w  …          |
//!   3w …                         |3w  …          |
//! ```
//! Sixteen rays of a scanline spread four times as far as those of a tile. A tile meets fewer nodes and triangles, each
//! with more of its rays.

use super::ray_packet::Neighbourhood;
use cullide_bvh::Packet;
use cullide_narrowphase::Ray;

/// Rays along a side of a tile.
pub(super) const SIDE: usize = 4;

const _: () = assert!(SIDE * SIDE == Packet::MAX);

/// A scanline is at least this long.
const MIN_WIDTH: usize = 4 * SIDE;

/// A scanline has ended where a ray comes nearer to the first one than this fraction of the farthest distance so far.
const BACK: f32 = 1.0 / 8.0;

/// Returns the length of the scanlines that these rays seem to consist of; `None` if they do not begin with one
/// scanline and the start of another.
pub(super) fn width_of_lines(near: &Neighbourhood, rays: &[Ray]) -> Option<usize> {
    if rays.len() < SIDE * MIN_WIDTH || !near.are_near(&rays[0], &rays[1]) {
        return None;
    }
    let first = &rays[0];
    let (mut farthest, mut last) = (0.0, f32::INFINITY);
    let most = rays.len() / SIDE;
    let (start, direction) = (first.origin(), first.direction());
    for (number, ray) in rays.iter().enumerate().take(most + 2).skip(1) {
        // For parallel rays, the origins differ.
        let away = near.apart(ray.origin() - start) + (ray.direction() - direction).length_squared();
        // The last ray is beside the first one if the next is farther off again.
        if number > MIN_WIDTH && last < BACK * BACK * farthest && away > last {
            return Some(number - 1);
        }
        last = away;
        farthest = if away > farthest { away } else { farthest };
    }
    None
}

/// The rays of a tile, by the number of its first one and the length of a scanline.
#[derive(Clone, Copy)]
pub(super) struct RayTile {
    pub(super) first: usize,
    pub(super) width: usize,
}

impl RayTile {
    /// The number of the ray in a lane.
    #[inline(always)]
    pub(super) fn number(&self, lane: usize) -> usize {
        self.first + lane / SIDE * self.width + lane % SIDE
    }

    /// Its rays by lane.
    #[inline(always)]
    pub(super) fn rays(&self, rays: &[Ray]) -> [Ray; Packet::MAX] {
        std::array::from_fn(
            #[inline(always)]
            |lane| rays[self.number(lane)],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::ray_packet::tests::near;
    use cullide_narrowphase::glam::Vec3;

    /// Scanlines of a picture, in perspective or with parallel rays.
    fn picture(width: usize, lines: usize, is_parallel: bool) -> Vec<Ray> {
        let ray = |i: usize| {
            let across = Vec3::new(0.0, (i / width) as f32, (i % width) as f32) * 0.01;
            if is_parallel {
                Ray::new(across, Vec3::ONE)
            } else {
                Ray::new(Vec3::X, Vec3::new(1.0, 0.05, 0.05) + across)
            }
        };
        (0..width * lines).map(|i| ray(i).unwrap()).collect()
    }

    #[test]
    fn lines_are_as_long_as_they_are_wherever_they_begin() {
        let near = near();
        for (width, is_parallel, skipped) in [(40, false, 0), (40, true, 0), (97, false, 13), (64, true, 63)] {
            let rays = picture(width, 9, is_parallel);
            assert_eq!(width_of_lines(&near, &rays[skipped..]), Some(width));
            assert!(near.is_band(&rays, width));
        }
    }

    #[test]
    fn what_is_no_picture_has_no_lines() {
        let near = near();
        // A single line, two lines, a narrow picture, the same ray repeated, and rays all over.
        let scattered = |i: u32| Vec3::from([277, 411, 713].map(|k| (i * i * k % 1009) as f32 - 500.2));
        let scattered = (0..400).map(|i| Ray::new(scattered(i), scattered(3 * i + 1)).unwrap()).collect();
        let same = vec![picture(1, 1, false)[0]; 400];
        for rays in [picture(400, 1, false), picture(200, 2, false), picture(8, 50, false), same, scattered, vec![]] {
            let width = width_of_lines(&near, &rays);
            assert!(width.is_none_or(|width| !near.is_band(&rays, width)), "{width:?}");
        }
        assert_eq!(width_of_lines(&near, &picture(200, 2, false)), None);
    }

    #[test]
    fn a_tile_has_four_rays_of_each_of_four_lines() {
        let (rays, tile) = (picture(40, 4, false), RayTile { first: 5, width: 40 });
        assert_eq!([0, 3, 4, 15].map(|lane| tile.number(lane)), [5, 8, 45, 128]);
        assert_eq!(tile.rays(&rays)[6], rays[47]);
    }
}
