//! The C interface: its header, what it does with wrong arguments, and that its answers are those of the crates.

mod answers;
mod header;
mod hostile;
mod moving;
mod scene;
mod twins;
