//! Characters as words of a hash.

use super::{Character, Ground, body::CharacterBody, platform::Frame};
use crate::scene::hash::{Words, add_shape, add_target};

impl<B: CharacterBody> Character<B> {
    /// Adds all that its next walk starts from.
    pub(crate) fn add_to(&self, words: &mut impl Words) {
        let Self { body, velocity, ground, object, lost } = self;
        words.add_vector(body.place());
        if let Some(shape) = body.shape_at(body.place()) {
            add_shape(&shape, words);
        }
        words.add_vector(*velocity);
        words.add(ground.is_some().into());
        if let Some(Ground { target, part, surface, normal, velocity, frame: Frame { origin, axes } }) = ground {
            add_target(*target, words);
            words.add(u64::from(*surface) << 32 | u64::from(*part));
            words.add_vector(*normal);
            words.add_vector(*velocity);
            words.add_wide(*origin);
            axes.iter().for_each(|axis| words.add_wide(*axis));
        }
        words.add(object.map_or(0, |key| key.to_bits()));
        words.add_vector(lost.at);
        words.add_vector(lost.motion);
    }
}
