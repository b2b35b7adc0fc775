//! What every competitor over a whole scene does, and the questions.

use crate::{peer::Bounds, peers};
use cullide_narrowphase::glam::{Quat, Vec3};
use cullide_scenes as scenes;
use std::ops::Range;

/// A box with its pose.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    pub center: Vec3,
    pub rotation: Quat,
    pub half_extents: Vec3,
}

/// The kinds of question. An answer is a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// How far a ray gets, with the normal there; infinite for a miss.
    Ray,
    /// How many objects a rotated box touches.
    Overlap,
    /// The fraction of its motion after which a rotated box touches something; infinite if nothing does, 0 if it
    /// touches at the start.
    Sweep,
    /// The distance of a point from the nearest object.
    Nearest,
}

impl Question {
    pub const ALL: [Self; 4] = [Self::Ray, Self::Overlap, Self::Sweep, Self::Nearest];

    pub fn title(self) -> &'static str {
        match self {
            Self::Ray => "ray ns",
            Self::Overlap => "overlap ns",
            Self::Sweep => "sweep ns",
            Self::Nearest => "nearest ns",
        }
    }
}

/// The objects of a scene and the questions about them.
pub struct Asked {
    pub objects: Vec<Placed>,
    /// Start, unit direction and length.
    pub rays: Vec<(Vec3, Vec3, f32)>,
    pub volumes: Vec<Placed>,
    /// Boxes of a player's size, with motions of a few metres.
    pub sweeps: Vec<(Placed, Vec3)>,
}

/// The half extents of a player, in metres.
const PLAYER: Vec3 = Vec3::new(0.4, 0.9, 0.3);

/// Questions per kind.
pub const COUNT: usize = 20_000;

impl Asked {
    /// The boxes of a scene as objects, every second one rotated within its bounds.
    pub fn new(boxes: &[Bounds], seed: u64) -> Self {
        let mut rng = scenes::Rng::with_seed(seed);
        let mut turn =
            move || Quat::from_scaled_axis(Vec3::from_array(std::array::from_fn(|_| 4.0 * (rng.f32() - 0.5))));
        let upright = |[min, max]: &Bounds| {
            let [min, max] = [min, max].map(|corner| Vec3::from_array(*corner));
            Placed { center: 0.5 * (min + max), rotation: Quat::IDENTITY, half_extents: 0.5 * (max - min) }
        };
        let mut turned = |aabb: &Bounds| {
            let upright = upright(aabb);
            // A rotated box reaches up to √3 times as far.
            Placed { rotation: turn(), half_extents: upright.half_extents / 3f32.sqrt(), ..upright }
        };
        let bounds = scenes::bounds_of(boxes);
        let volumes: Vec<Placed> = scenes::overlap_boxes(bounds, COUNT, seed).iter().map(&mut turned).collect();
        let path = |[start, delta]: [[f32; 3]; 2]| (Vec3::from(start), Vec3::from(delta));
        let sweep = |(path, volume): ((Vec3, Vec3), &Placed)| {
            (Placed { center: path.0, half_extents: PLAYER, ..*volume }, path.1)
        };
        let long = scenes::long_segments(bounds, COUNT, seed).into_iter().map(path);
        let short = scenes::short_segments(bounds, COUNT, seed).into_iter().map(path);
        Self {
            objects: boxes.iter().enumerate().map(|(i, b)| if i % 2 == 0 { upright(b) } else { turned(b) }).collect(),
            rays: long.map(|(start, delta)| (start, delta.normalize(), delta.length())).collect(),
            sweeps: short.zip(&volumes).map(sweep).collect(),
            volumes,
        }
    }
}

/// A competitor over one scene.
pub trait ScenePeer {
    fn name(&self) -> &'static str;

    /// Appends the answers to a range of questions of one kind.
    fn ask(&self, asked: &Asked, question: Question, which: Range<usize>, answers: &mut Vec<f32>);
}

/// The number of competitors that are ours; they come first.
pub const OURS: usize = 1;

/// All competitors. The others are compared with the first one.
pub fn competitors(asked: &Asked) -> Vec<Box<dyn ScenePeer>> {
    vec![
        Box::new(peers::ours_scene::Ours::new(&asked.objects)),
        Box::new(peers::rapier_scene::Pipeline::kept(&asked.objects)),
        Box::new(peers::rapier_scene::Pipeline::built(&asked.objects)),
    ]
}
