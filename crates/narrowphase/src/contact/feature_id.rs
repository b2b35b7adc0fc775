//! Names for the parts of a box that touch something.

/// The vertices of a moving box that touch, as one number: the same feature has the same id from step to step, whatever
/// the position and orientation of the box, so that what is known about its points can be carried over.
///
/// Vertices are numbered as in [`Obb::corners`](crate::Obb::corners): bit `i` of a vertex's number is set if half edge
/// `i` has a positive sign there. A ball has no vertices, and its id is [`FeatureId::NONE`].
///
/// ```
/// use cullide_narrowphase::{FeatureId, Obb, Plane, Sides, glam::{Quat, Vec3}};
/// let body = Obb::new(Vec3::Y * 2.0, Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0))?;
/// let floor = Plane::new(Vec3::Y, 0.0)?;
/// let contacts = floor.manifold(&body, Sides::Front, 0.0, FeatureId::NONE).unwrap().contacts;
/// assert_eq!(contacts.id().vertices().collect::<Vec<_>>(), [0b101, 0b001, 0b000, 0b100]);
/// assert_eq!(contacts.points()[0], body.corners()[0b101]);
/// # Ok::<(), cullide_narrowphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct FeatureId(u8);

/// For each half edge, the vertices at its lower end.
const LOWER_ENDS: [u8; 3] = [0b0101_0101, 0b0011_0011, 0b0000_1111];

impl FeatureId {
    /// No vertices: the id of a ball's contact, and the value to start from.
    pub const NONE: Self = Self(0);

    pub(crate) fn new(mask: u8) -> Self {
        Self(mask)
    }

    /// Returns the vertices as a mask: bit `k` is set for vertex `k`.
    pub fn mask(self) -> u8 {
        self.0
    }

    /// Returns the numbers of the vertices, in the order of the contact points of a box on a plane. For an edge, its
    /// upper end comes first. For a face, the order is: the upper ends of both edges, the upper end of its first edge
    /// only, the lower ends of both, the upper end of its second edge only; three vertices of a face keep that order.
    /// Empty for an id that names no feature.
    pub fn vertices(self) -> impl Iterator<Item = usize> {
        let all = (0..8).filter(move |vertex| self.0 >> vertex & 1 == 1);
        let (low, high) = all.fold((7, 0), |(low, high), vertex| (low & vertex, high | vertex));
        let mut spanned = (0..3).map(|i| 1 << i).filter(|bit| (high & !low) & bit != 0);
        let numbers = match (self.0.count_ones(), spanned.next(), spanned.next(), spanned.next()) {
            (1, ..) => [Some(low), None, None, None],
            (2, Some(a), None, _) => [Some(low | a), Some(low), None, None],
            (3 | 4, Some(a), Some(b), None) => [Some(low | a | b), Some(low | a), Some(low), Some(low | b)],
            _ => [None; 4],
        };
        numbers.into_iter().flatten().filter(move |vertex| self.0 >> vertex & 1 == 1)
    }

    /// Returns whether both ends of half edge `i` are among the vertices.
    #[inline]
    pub(crate) fn spans(self, i: usize) -> bool {
        self.0 & LOWER_ENDS[i] & (self.0 >> (1 << i)) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_of_a_face_run_round_it() {
        // The face where half edge 1 has a positive sign.
        let face = FeatureId::new(0b1100_1100);
        assert_eq!(face.vertices().collect::<Vec<_>>(), [7, 3, 2, 6]);
        assert_eq!([0, 1, 2].map(|i| face.spans(i)), [true, false, true]);
        assert_eq!(FeatureId::new(0b1000_1000).vertices().collect::<Vec<_>>(), [7, 3]);
        assert_eq!(FeatureId::new(0b0010_0000).vertices().collect::<Vec<_>>(), [5]);
        // Without vertex 2, the lowest one.
        assert_eq!(FeatureId::new(0b1100_1000).vertices().collect::<Vec<_>>(), [7, 3, 6]);
    }

    #[test]
    fn a_number_that_names_no_feature_has_no_vertices() {
        for mask in [0, 0b0110, 0b0001_0110, 0xff] {
            assert_eq!(FeatureId::new(mask).vertices().count(), 0);
        }
    }
}
