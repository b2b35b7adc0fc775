//! The C interface: its header, what it does with wrong arguments, that its answers are those of the crates, and the
//! programs in C and C++.

mod answers;
mod csharp;
mod header;
mod hostile;
mod moving;
mod programs;
mod scene;
mod scripts;
mod twins;
