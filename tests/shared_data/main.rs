//! Levels, captured boxes and cases that others made, read from the shared data (`CULLIDE_DATA`).

mod brushes;
mod cases_of_others;
mod level_bodies;
mod level_of_others;
