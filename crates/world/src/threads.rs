//! Dividing work among threads, or not: the results are the same.

use cullide_bvh::Team;

/// Pieces of a list for each thread, so that all end at about the same time.
const PIECES: usize = 8;

/// Calls `work` for each item, no fewer than `least` a piece.
pub(crate) fn each_mut<T: Send>(team: &Team, items: &mut [T], least: usize, work: impl Fn(&mut T) + Sync) {
    let size = piece(team, items.len(), least);
    team.each(items.chunks_mut(size), |items| items.iter_mut().for_each(&work));
}

/// How long the pieces of a list of this length are, no shorter than `least`.
pub(crate) fn piece(team: &Team, len: usize, least: usize) -> usize {
    match team.threads() {
        1 => len.max(1),
        threads => len.div_ceil(PIECES * threads).max(least),
    }
}
