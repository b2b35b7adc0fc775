//! Everything that reads the shared data (`CULLIDE_DATA`, or `../shared/data` beside the workspace): levels, captured
//! boxes and cases by other authors. Every test here is ignored, and all tests that read the data are here.

mod brushes;
mod cases_of_others;
mod files;
mod hulls;
mod level_bodies;
mod level_of_others;
mod mesh_walks;
mod oracle;
mod oracle_cases;
mod trees;
