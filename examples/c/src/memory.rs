//! Pointers of the caller as references and slices.

use crate::status::{CullideStatus, Failure};
use std::{cell::Cell, mem::MaybeUninit, slice, thread::LocalKey};

/// A reference that must be there.
pub(crate) fn given<T>(reference: Option<T>, name: &str) -> Result<T, Failure> {
    reference.ok_or_else(|| null(name))
}

fn null(name: &str) -> Failure {
    Failure::new(CullideStatus::NullPointer, format!("`{name}` is NULL; give a pointer that is valid for the call"))
}

/// Checks a pointer to `count` values; `false` if there are none, which NULL may stand for.
fn check<T>(data: *const T, count: usize, name: &str) -> Result<bool, Failure> {
    if count == 0 {
        return Ok(false);
    }
    if data.is_null() {
        return Err(null(name));
    }
    if !data.is_aligned() {
        let message = format!("`{name}` is at an odd address; give an array of the declared type");
        return Err(Failure::new(CullideStatus::NullPointer, message));
    }
    if count > isize::MAX as usize / size_of::<T>().max(1) {
        let message = format!("{count} values at `{name}` are more than memory holds; give the length of the array");
        return Err(Failure::new(CullideStatus::BadLength, message));
    }
    Ok(true)
}

/// The caller's array.
///
/// # Safety
/// Unless it is NULL, `data` points to `count` values that nobody writes during `'a`.
pub(crate) unsafe fn values<'a, T>(data: *const T, count: usize, name: &str) -> Result<&'a [T], Failure> {
    if !check(data, count, name)? {
        return Ok(&[]);
    }
    // SAFETY: not null, aligned, not longer than memory, and valid as the caller promises.
    Ok(unsafe { slice::from_raw_parts(data, count) })
}

/// The caller's array, into which results go.
///
/// # Safety
/// Unless it is NULL, `data` points to room for `count` values that nobody else uses during `'a`.
pub(crate) unsafe fn room<'a, T>(data: *mut T, count: usize, name: &str) -> Result<&'a mut [MaybeUninit<T>], Failure> {
    if !check(data, count, name)? {
        return Ok(&mut []);
    }
    // SAFETY: not null, aligned, not longer than memory, and valid as the caller promises.
    Ok(unsafe { slice::from_raw_parts_mut(data.cast(), count) })
}

/// Writes as many items as there is room for, and how many there are.
pub(crate) fn fill<T>(
    room: &mut [MaybeUninit<T>],
    total: Option<&mut MaybeUninit<usize>>,
    items: impl IntoIterator<Item = T>,
) -> Result<(), Failure> {
    let total = given(total, "total")?;
    let mut count = 0;
    for item in items {
        if let Some(place) = room.get_mut(count) {
            place.write(item);
        }
        count += 1;
    }
    total.write(count);
    Ok(())
}

/// Appends what each of a list stands for; a failure says which one it was.
pub(crate) fn each<T, U>(
    list: &[T],
    name: &str,
    converted: &mut Vec<U>,
    mut convert: impl FnMut(&T) -> Result<U, Failure>,
) -> Result<(), Failure> {
    converted.reserve(list.len());
    for (number, item) in list.iter().enumerate() {
        converted.push(convert(item).map_err(|failure| failure.of(name, number))?);
    }
    Ok(())
}

/// Runs `work` with an empty list, whose memory the thread keeps for the next time.
pub(crate) fn with_list<T, R>(kept: &'static LocalKey<Cell<Vec<T>>>, work: impl FnOnce(&mut Vec<T>) -> R) -> R {
    let mut list = kept.try_with(Cell::take).unwrap_or_default();
    list.clear();
    let result = work(&mut list);
    let _ = kept.try_with(|kept| kept.set(list));
    result
}
