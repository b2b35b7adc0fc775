//! Divides work among threads, or does not: the results are the same.

use cullide_bvh::Team;

/// Pieces of a list per thread, so that all threads finish at about the same time.
const PIECES: usize = 8;

/// Calls `work` with each of the pieces: see [`Team::each`], which would compile it twice.
pub(crate) fn each<T: Send>(team: &Team, pieces: impl IntoIterator<Item = T>, work: &(dyn Fn(T) + Sync)) {
    team.each(pieces, work);
}

/// Calls `work` for each item, in pieces of at least `least` items.
pub(crate) fn each_mut<T: Send>(team: &Team, items: &mut [T], least: usize, work: impl Fn(&mut T) + Sync) {
    let size = piece(team, items.len(), least);
    each(team, items.chunks_mut(size), &|items| items.iter_mut().for_each(&work));
}

/// Returns the length of the pieces of a list of `len` items: all of it on one thread, otherwise at least `least`.
pub(crate) fn piece(team: &Team, len: usize, least: usize) -> usize {
    match team.threads() {
        1 => len.max(1),
        threads => len.div_ceil(PIECES * threads).max(least),
    }
}
