//! What the tests share: scenes, trees with a history of edits, queries, brute force, the truth, and comparisons with
//! the exact oracle.

pub mod alike;
pub mod asked;
pub mod exact;
pub mod frames;
pub mod hike;
pub mod history;
pub mod level;
pub mod question;
pub mod scan;
pub mod scene;
pub mod shown;
pub mod soup;
pub mod truth;
pub mod turns;
