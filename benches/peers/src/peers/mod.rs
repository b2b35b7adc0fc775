//! The competitors, one file each; those of `moving`, `room`, `bumpy`, `pile`, `sweep`, `capsule` and `mesh` have files
//! of their own.

#[cfg(feature = "box3d")]
pub mod box3d;
#[cfg(feature = "box3d")]
pub mod box3d_mesh;
#[cfg(feature = "box3d")]
pub mod box3d_moving;
#[cfg(feature = "box3d")]
pub mod box3d_pile;
pub mod bvh;
#[cfg(feature = "embree")]
pub mod embree;
pub mod obvhs;
pub mod obvhs_moving;
pub mod ours;
pub mod ours_bumpy;
pub mod ours_capsule;
pub mod ours_mesh;
pub mod ours_moving;
pub mod ours_pile;
pub mod ours_room;
pub mod ours_scene;
pub mod ours_sweep;
pub mod parry;
pub mod parry_capsule;
pub mod parry_mesh;
pub mod parry_moving;
pub mod parry_sweep;
pub mod rapier_bumpy;
pub mod rapier_engine;
pub mod rapier_moving;
pub mod rapier_pile;
pub mod rapier_room;
pub mod rapier_scene;
pub mod scan;
