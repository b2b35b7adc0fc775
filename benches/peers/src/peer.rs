//! What every competitor does, and the list of them.

use crate::peers;

/// A box: min, max.
pub type Bounds = [[f32; 3]; 2];

/// A start and a direction or delta.
pub type Path = [[f32; 3]; 2];

/// A plane of a frustum, `[normal, d]`, with the inside in front.
pub type Plane = [f32; 4];

/// How far paths go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reach {
    /// Unit directions, up to this distance; answers are distances.
    Distance(f32),
    /// Deltas, to their end; answers are fractions.
    Delta,
}

impl Reach {
    /// The limit in the unit of the answers.
    pub fn limit(self) -> f32 {
        match self {
            Self::Distance(distance) => distance,
            Self::Delta => 1.0,
        }
    }
}

/// Questions per lap: tens of microseconds, compared with about 30 ns for the clock.
pub const SLICE: usize = 128;

/// Whether a competitor offers a question at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    Answered,
    NotOffered,
}

/// A competitor over one set of boxes, copied at construction into its own type. Whatever it derives from a question
/// (its own ray type, reciprocals, unit normals), it derives within the timed call.
pub trait Peer {
    /// Its name and variant, as the table shows it.
    fn name(&self) -> &str;

    /// Builds its tree over the boxes, if it has one.
    fn build(&mut self) -> Support {
        Support::NotOffered
    }

    /// The bytes that its tree holds outside Rust's heap.
    fn foreign_bytes(&self) -> usize {
        0
    }

    /// The number of paths that it is given at a time.
    fn slice(&self) -> usize {
        SLICE
    }

    /// Appends each path's nearest entry into a box, 0 for a start inside, `None` for a miss.
    fn closest(&self, _paths: &[Path], _reach: Reach, _entries: &mut Vec<Option<f32>>) -> Support {
        Support::NotOffered
    }

    /// Appends how many boxes overlap each of `queries`, touching ones included.
    fn overlap(&self, _queries: &[Bounds], _counts: &mut Vec<u32>) -> Support {
        Support::NotOffered
    }

    /// Appends the indices of the boxes that are not wholly behind any of the planes.
    fn cull(&self, _planes: &[Plane; 6], _seen: &mut Vec<u32>) -> Support {
        Support::NotOffered
    }
}

/// Makes a competitor, not yet built, over boxes.
pub type New = fn(&[Bounds]) -> Box<dyn Peer>;

/// The number of competitors that are ours; they come first.
pub const OURS: usize = 3;

/// All competitors. The others are compared with the first one.
pub fn competitors() -> Vec<New> {
    #[cfg_attr(not(feature = "embree"), expect(unused_mut))]
    let mut all: Vec<New> = vec![
        |boxes| Box::new(peers::ours::Ours::new(boxes, 1)),
        |boxes| Box::new(peers::ours::Builder::new(boxes, 2)),
        |boxes| Box::new(peers::ours::Batch::new(boxes)),
        |boxes| Box::new(peers::scan::Scan::new(boxes)),
        |boxes| Box::new(peers::parry::Parry::new(boxes)),
        |boxes| Box::new(peers::obvhs::Binary::fastest(boxes)),
        |boxes| Box::new(peers::obvhs::Binary::medium(boxes)),
        |boxes| Box::new(peers::obvhs::Wide::fastest(boxes)),
        |boxes| Box::new(peers::obvhs::Wide::slow(boxes)),
        |boxes| Box::new(peers::bvh::Binary::new(boxes)),
        #[cfg(feature = "box3d")]
        |boxes| Box::new(peers::box3d::Tree::new(boxes)),
    ];
    #[cfg(feature = "embree")]
    if peers::embree::three().is_some() {
        all.push(|boxes| Box::new(peers::embree::boxes::Boxes::new(boxes)));
    }
    all
}
