//! How calls end: a code, and a message for the thread that called.

use cullide_world::{CompoundError, MeshError, TerrainError, narrowphase::Error};
use std::{
    any::Any,
    cell::RefCell,
    ffi::{CString, c_char},
    fmt::Display,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// How a call ended. `cullide_last_error` says more about all but the first.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CullideStatus {
    /// The call did what it says.
    Ok = 0,
    /// A pointer that must not be NULL is, or is not aligned for what it points to.
    NullPointer = 1,
    /// A count does not fit another one, or is larger than memory.
    BadLength = 2,
    /// The key names nothing in this world: it was removed, or never existed.
    StaleKey = 3,
    /// A number is not finite or out of range, or numbers do not make up a shape.
    BadValue = 4,
    /// A number stands for none of the listed choices.
    BadChoice = 5,
    /// This kind of shape cannot be used for this, such as a mesh for a shape that moves.
    WrongShape = 6,
    /// Bodies of one world with another world.
    OtherWorld = 7,
    /// Bytes that are no snapshot of this kind or of this version.
    BadSnapshot = 8,
    /// The header does not belong to this library.
    OtherVersion = 9,
    /// A fault of the library. Free the handles of the call and nothing else; please report it with the message.
    Panic = 10,
}

/// A call that failed.
#[derive(Debug)]
pub(crate) struct Failure {
    status: CullideStatus,
    message: String,
}

impl Failure {
    pub(crate) fn new(status: CullideStatus, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    /// The same, of one of a list.
    pub(crate) fn of(self, list: &str, number: usize) -> Self {
        Self { message: format!("{list}[{number}]: {}", self.message), ..self }
    }

    /// A choice by number that does not exist.
    pub(crate) fn choice(field: &str, given: u32, choices: &str) -> Self {
        Self::new(CullideStatus::BadChoice, format!("`{field}` is {given}; give {choices}"))
    }

    /// A key that names nothing.
    pub(crate) fn stale(key: u64) -> Self {
        Self::new(
            CullideStatus::StaleKey,
            format!("{key:#x} is the key of nothing in this world; forget keys when you remove what they name"),
        )
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let status = match error {
            Error::NotABody { .. } | Error::NotKinematic { .. } | Error::Surface { .. } => CullideStatus::WrongShape,
            Error::StaleKey { .. } => CullideStatus::StaleKey,
            Error::OtherWorld { .. } => CullideStatus::OtherWorld,
            Error::Inconsistent { .. } => CullideStatus::BadSnapshot,
            _ => CullideStatus::BadValue,
        };
        Self::new(status, error.to_string())
    }
}

fn bad_value(error: impl Display) -> Failure {
    Failure::new(CullideStatus::BadValue, error.to_string())
}

impl From<MeshError> for Failure {
    fn from(error: MeshError) -> Self {
        bad_value(error)
    }
}

impl From<TerrainError> for Failure {
    fn from(error: TerrainError) -> Self {
        bad_value(error)
    }
}

impl From<CompoundError> for Failure {
    fn from(error: CompoundError) -> Self {
        bad_value(error)
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Runs a call, catches its panics, and keeps the message of its failure.
pub(crate) fn guard(call: impl FnOnce() -> Result<(), Failure>) -> CullideStatus {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => CullideStatus::Ok,
        Ok(Err(failure)) => remember(failure),
        Err(panic) => remember(Failure::new(CullideStatus::Panic, of_panic(&*panic))),
    }
}

fn of_panic(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("a fault of the library, which please report: {}", text.unwrap_or("no message"))
}

#[cold]
fn remember(failure: Failure) -> CullideStatus {
    let message = CString::new(failure.message).unwrap_or_default();
    // A thread that ends has no more use for messages.
    let _ = LAST.try_with(|last| *last.borrow_mut() = message);
    failure.status
}

/// Returns what was wrong with the last call of this thread that failed, and what to do about it: UTF-8 that ends with a
/// zero, empty if none has failed. It stays valid until another call of this thread fails; it is the library's.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_last_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}
