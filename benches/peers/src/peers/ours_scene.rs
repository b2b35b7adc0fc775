//! `cullide-world`.

use crate::scene_peer::{Asked, Placed, Question, ScenePeer};
use cullide_narrowphase::{Aabb, BoxSweep, Obb, Ray, glam::Quat};
use cullide_world::{Filter, Object, World};
use std::{cell::RefCell, ops::Range};

pub struct Ours {
    world: World,
    /// Kept to reuse its memory.
    found: RefCell<(Vec<cullide_world::Target>, Vec<cullide_world::Near>)>,
}

impl Ours {
    pub fn new(objects: &[Placed]) -> Self {
        let mut world = World::new();
        for placed in objects {
            let Placed { center, rotation, half_extents } = *placed;
            world.insert(if rotation == Quat::IDENTITY {
                Object::fixed(Aabb::from_center_half_extents(center, half_extents).expect("a box"))
            } else {
                Object::fixed(obb(placed))
            });
        }
        world.optimize();
        Self { world, found: RefCell::default() }
    }
}

impl ScenePeer for Ours {
    fn name(&self) -> &'static str {
        "ours"
    }

    fn ask(&self, asked: &Asked, question: Question, which: Range<usize>, answers: &mut Vec<f32>) {
        let (targets, near) = &mut *self.found.borrow_mut();
        match question {
            Question::Ray => answers.extend(asked.rays[which].iter().map(|&(start, direction, length)| {
                let ray = Ray::new(start, direction).expect("a direction");
                self.world.cast_ray(&ray, length, &Filter::ALL).map_or(f32::INFINITY, |hit| hit.distance)
            })),
            Question::Overlap => answers.extend(asked.volumes[which].iter().map(|volume| {
                targets.clear();
                self.world.overlap(&obb(volume), &Filter::ALL, targets);
                targets.len() as f32
            })),
            Question::Sweep => answers.extend(asked.sweeps[which].iter().map(|(body, motion)| {
                let swept = self.world.sweep(&BoxSweep::new(obb(body), *motion).expect("a motion"), &Filter::ALL);
                if swept.overlap.is_some() { 0.0 } else { swept.hit.map_or(f32::INFINITY, |hit| hit.toi) }
            })),
            Question::Nearest => answers.extend(asked.volumes[which].iter().map(|volume| {
                near.clear();
                self.world.nearest(volume.center, f32::INFINITY, 1, &Filter::ALL, near);
                near.first().map_or(f32::INFINITY, |near| near.distance)
            })),
        }
    }
}

fn obb(placed: &Placed) -> Obb {
    Obb::new(placed.center, placed.rotation, placed.half_extents).expect("a box")
}
