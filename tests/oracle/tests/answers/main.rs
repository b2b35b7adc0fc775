//! The oracle against itself and against answers worked by hand; against the shared data see tests/shared_data.

mod agreement;
mod aim;
mod documented_bugs;
mod worked_by_hand;
