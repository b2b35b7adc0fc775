//! The competitors, one file each.

#[cfg(feature = "box3d")]
pub mod box3d;
pub mod bvh;
#[cfg(feature = "embree")]
pub mod embree;
pub mod obvhs;
pub mod ours;
pub mod parry;
pub mod scan;
