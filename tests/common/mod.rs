//! What the tests of the tree share: scenes, trees with a past, questions, brute force, and the truth.
#![allow(dead_code, reason = "each test file uses its own part")]

pub mod frames;
pub mod history;
pub mod question;
pub mod scan;
pub mod scene;
pub mod truth;
