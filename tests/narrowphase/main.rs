//! One pair of shapes at a time: exact predicates, sweeps and frusta, compared with exact arithmetic.

mod capsule_gaps;
mod coplanar_rays;
mod exact_ball_sweeps;
mod exact_balls;
mod exact_capsules;
mod exact_moving_turns;
mod exact_rays;
mod exact_sides;
mod exact_solid_sweeps;
mod exact_solids;
mod exact_sweeps;
mod exact_turning_solids;
mod exact_turns;
mod exact_volumes;
mod frustum;
mod hit_features;
mod manifolds;
mod once_wrong;
mod picture;
mod ratios;
mod sources_planes_boxes;
mod sources_sweep;
mod touching_triangles;
