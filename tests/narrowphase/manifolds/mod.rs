//! Contact manifolds, compared with separating axes and distances in `f64`.

mod balls;
mod boxes;
mod oracle;
mod polytope;
mod rods;
mod solids;
mod stacks;
