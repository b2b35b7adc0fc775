//! The oracle against itself and against answers worked by hand; tests/shared_data checks it against the shared data.

mod agreement;
mod aim;
mod convex_by_hand;
mod documented_bugs;
mod worked_by_hand;
