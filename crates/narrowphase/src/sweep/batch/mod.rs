//! Many translating boxes against a plane, or many planes against a translating box, from columns of numbers.
//!
//! One coordinate of all boxes lies together, so that four of them fill a vector; what a caller keeps in columns anyway is swept
//! without being moved. Answers are those of [`BoxSweep::against_plane`](crate::BoxSweep::against_plane), bit for bit.

mod boxes;
mod lanes;
mod open;
mod planes;
mod touch;

pub use boxes::BoxColumns;
pub use planes::PlaneColumns;
pub use touch::PlaneTouch;

/// The first `groups` groups of four of each column.
fn fours<'a>([x, y, z]: [&'a [f32]; 3], groups: usize) -> [&'a [[f32; 4]]; 3] {
    let cut = |column: &'a [f32]| &column.as_chunks().0[..groups];
    [cut(x), cut(y), cut(z)]
}

#[cfg(test)]
mod tests;
