//! Scenes, workloads and inputs aimed at trouble, shared by tests, benches and examples.
//!
//! Everything is a raw array of `f32` (of integers in [`convex`]) and a pure function of its arguments, seed included, so that a case can be
//! repeated from the numbers in a message. Readers for the files under [`data_dir`] are here as well.
//!
//! | array | meaning |
//! |---|---|
//! | `[[f32; 3]; 2]`, a box | min, max |
//! | `[[f32; 3]; 2]`, a path | start, delta |
//! | `[[f32; 3]; 3]`, a triangle | corners |
//! | `[[f32; 3]; 4]`, an oriented box | center, three half edges |
//! | `[f32; 4]`, a plane | normal, d of `normal · p + d = 0` |
//! | `[f32; 4]`, a sphere | center, radius |

pub mod aimed;
pub mod awkward;
mod broadmark;
mod bumpy;
pub mod convex;
mod data;
mod fractal;
mod level;
mod moving;
mod obj;
mod town;
mod workload;

pub use bumpy::{CRATE_HALF_EXTENTS, Crate, bumpy, crates};
pub use data::{
    Brush, bounds, bullet_boxes, data_dir, known_hulls, map_brushes, map_spots, oracles_dir, point_clouds, read_boxes,
};
pub use fastrand::Rng;
pub use fractal::{fractal, grid};
pub use level::{Thrown, thrown};
pub use moving::{Motion, Moving};
pub use obj::{Surface, read_obj};
pub use town::{Bounds, bounds_of, city, uniform};
pub use workload::{
    BoxSweep, Camera, camera_rays, cull_cameras, long_segments, overlap_boxes, plane_sweeps, short_segments,
};

/// The default seed of every workload.
pub const SEED: u64 = 0x5eed;

/// Uniform in [low, high).
pub(crate) fn within(rng: &mut Rng, low: f32, high: f32) -> f32 {
    low + (high - low) * rng.f32()
}

/// A direction uniform on the sphere, of unit length up to rounding.
pub(crate) fn direction(rng: &mut Rng) -> [f32; 3] {
    loop {
        let point = [(); 3].map(|()| 2.0 * rng.f64() - 1.0);
        let square: f64 = point.iter().map(|x| x * x).sum();
        if (1e-6..=1.0).contains(&square) {
            return point.map(|x| (x / square.sqrt()) as f32);
        }
    }
}

/// Three orthogonal directions, rotated uniformly: the rows of a random unit quaternion's matrix.
pub(crate) fn orientation(rng: &mut Rng) -> [[f64; 3]; 3] {
    let [x, y, z, w] = loop {
        let q = [(); 4].map(|()| 2.0 * rng.f64() - 1.0);
        let square: f64 = q.iter().map(|x| x * x).sum();
        if (1e-6..=1.0).contains(&square) {
            break q.map(|x| x / square.sqrt());
        }
    };
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)],
        [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)],
        [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// An oriented box from a center, half extents and a random orientation.
pub(crate) fn turned_box(rng: &mut Rng, center: [f32; 3], half_extents: [f32; 3]) -> [[f32; 3]; 4] {
    let axes = orientation(rng);
    let edge = |i: usize| axes[i].map(|x| (x * f64::from(half_extents[i])) as f32);
    [center, edge(0), edge(1), edge(2)]
}
