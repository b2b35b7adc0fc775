//! Exact reference answers for geometric tests, over raw arrays of floats.
//!
//! The truth is what the *stored* numbers say: every `f32` and `f64` is a dyadic rational, and each answer here follows
//! from the definition of the sets involved (intervals of linear constraints, half-spaces, Minkowski sums) without any
//! rounding. The crate shares no code, no types and no named algorithms with the code that it checks, and prefers the
//! plain way to the fast one.
//!
//! Conventions: sets are closed, so touching counts; a plane is `normal · p + d = 0`, and its front is where that is
//! positive; sweeps are half-open in time, [0, 1). Functions panic if given infinities or NaN.
//!
//! ```
//! use cullide_oracle::{Path, path_aabb};
//! let path = Path::segment([-1.0f32, 1.0, 1.0], [6.0, 0.0, 0.0]);
//! let crossing = path_aabb(&path, [[0.0, 0.0, 0.0], [2.0, 3.0, 5.0]]).expect("straight through");
//! assert!(crossing.enter.within(1.0 / 6.0, 1e-15) && crossing.exit.unwrap().within(0.5, 0.0));
//! ```

pub mod convex;
mod distance;
mod exact;
mod frustum;
mod interval;
mod overlap;
mod path;
mod polytope;
mod ratio;
mod side;
mod slide;
mod sweep;
mod turn;
mod vector;
mod zonotope;

pub use distance::solid_distance_squared;
pub use exact::Exact;
pub use frustum::{
    Containment, frustum_aabb, frustum_contains_point, frustum_obb, frustum_planes_aabb, frustum_planes_obb,
    frustum_sphere,
};
pub use overlap::{
    aabb_aabb, aabb_contains_aabb, aabb_contains_point, aabb_distance_squared, aabb_obb, aabb_sphere,
    obb_contains_point, obb_distance_squared, obb_obb, obb_sphere, solid_contains_point, sphere_contains_point,
    sphere_sphere,
};
pub use path::{
    Crossing, Path, PlaneCrossing, path_aabb, path_obb, path_patch, path_plane, path_plane_front, path_polygon,
    path_solid, path_sphere,
};
pub use polytope::{
    Gap, Polytope, aabb_polytope, gap_aabb_polytope, gap_obb_polytope, obb_polytope, sweep_aabb_polytope,
    sweep_obb_polytope,
};
pub use ratio::{Parameter, Ratio, Root, Which, ulp};
pub use side::{NormalLength, Side, side_of_aabb, side_of_obb, side_of_point, side_of_sphere};
pub use slide::{SlideResiduals, slide, slide_residuals};
pub use sweep::{
    Sided, Sweep, plane_gap, sweep_aabb_aabb, sweep_obb_aabb, sweep_obb_obb, sweep_obb_plane, sweep_sphere_plane,
};
pub use turn::{TurningBox, TurningPlane, turning_dip, turning_gap, turning_pose};
pub use vector::{Aabb, Obb, Plane, Point, Real, Sphere, Vector, common_point, height};
