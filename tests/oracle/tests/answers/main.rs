//! The oracle against itself, against answers worked by hand, and against cases of others.

mod agreement;
mod aim;
mod cases_of_others;
mod documented_bugs;
mod shared_data;
mod worked_by_hand;
