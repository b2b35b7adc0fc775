//! What the module keeps between two calls, and the arrays that it exchanges with its host.

use crate::worlds::Scene;
use cullide_world::{
    Shape,
    glam::{Quat, Vec3},
};
use std::{cell::RefCell, fmt::Display};

/// Everything that the module owns.
#[derive(Default)]
pub(crate) struct Module {
    pub(crate) scenes: Slots<Scene>,
    pub(crate) shapes: Slots<Shape>,
    pub(crate) input: Vec<u64>,
    pub(crate) answer: Answer,
    error: String,
}

/// The answers of the last call, in columns.
#[derive(Default)]
pub(crate) struct Answer {
    pub(crate) keys: Vec<f64>,
    pub(crate) floats: Vec<f32>,
    pub(crate) words: Vec<u32>,
    pub(crate) bytes: Vec<u8>,
}

/// Why a call failed, for people to read.
pub(crate) struct Failure(pub(crate) String);

impl<E: Display> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// Says which of many the error is about.
pub(crate) fn number<T>(i: usize, result: Result<T, impl Display>) -> Result<T, Failure> {
    result.map_err(|error| Failure(format!("number {i}: {error}")))
}

thread_local! {
    static MODULE: RefCell<Module> = RefCell::default();
}

/// Runs a call, and returns its number, or -1 after an error.
pub(crate) fn call(work: impl FnOnce(&mut Module) -> Result<usize, Failure>) -> i32 {
    MODULE.with_borrow_mut(|module| {
        let Answer { keys, floats, words, bytes } = &mut module.answer;
        keys.clear();
        floats.clear();
        words.clear();
        bytes.clear();
        work(module).map_or_else(
            |Failure(error)| {
                module.error = error;
                -1
            },
            |number| number as i32,
        )
    })
}

/// Values that the host knows by number, from 1.
#[derive(Clone)]
pub(crate) struct Slots<T> {
    values: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { values: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slots<T> {
    /// Values by number, of which those that were removed are free.
    #[cfg(feature = "snapshots")]
    pub(crate) fn new(values: Vec<Option<T>>) -> Self {
        let free = (1..).zip(&values).filter(|(_, value)| value.is_none()).map(|(handle, _)| handle).collect();
        Self { values, free }
    }

    #[cfg(feature = "snapshots")]
    pub(crate) fn values(&self) -> &[Option<T>] {
        &self.values
    }

    pub(crate) fn insert(&mut self, value: T) -> usize {
        let handle = self.free.pop().unwrap_or(self.values.len() as u32 + 1);
        if handle as usize > self.values.len() {
            self.values.push(None);
        }
        self.values[handle as usize - 1] = Some(value);
        handle as usize
    }

    pub(crate) fn remove(&mut self, handle: u32) -> Option<T> {
        let value = self.values.get_mut((handle as usize).wrapping_sub(1))?.take();
        self.free.extend(value.is_some().then_some(handle));
        value
    }

    pub(crate) fn get(&self, handle: u32) -> Result<&T, Failure> {
        let value = self.values.get((handle as usize).wrapping_sub(1)).and_then(Option::as_ref);
        value.ok_or_else(|| "it was freed".into())
    }

    pub(crate) fn get_mut(&mut self, handle: u32) -> Result<&mut T, Failure> {
        let value = self.values.get_mut((handle as usize).wrapping_sub(1)).and_then(Option::as_mut);
        value.ok_or_else(|| "it was freed".into())
    }
}

/// Reads the arrays of a call in the order in which the host has written them.
pub(crate) struct Input<'a>(pub(crate) &'a [u64]);

impl<'a> Input<'a> {
    /// The next `count` numbers of a type.
    fn column<T: bytemuck::Pod>(&mut self, count: usize) -> Result<&'a [T], Failure> {
        let length = count.checked_mul(size_of::<T>()).ok_or("too many")?;
        let (column, rest) = self.0.split_at_checked(length.div_ceil(8)).ok_or("an array is too short")?;
        self.0 = rest;
        Ok(&bytemuck::cast_slice(column)[..count])
    }

    pub(crate) fn keys(&mut self, count: usize) -> Result<&'a [f64], Failure> {
        self.column(count)
    }

    pub(crate) fn floats(&mut self, count: usize) -> Result<&'a [f32], Failure> {
        self.column(count)
    }

    pub(crate) fn words(&mut self, count: usize) -> Result<&'a [u32], Failure> {
        self.column(count)
    }

    #[cfg(feature = "snapshots")]
    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8], Failure> {
        self.column(count)
    }

    pub(crate) fn vectors(&mut self, count: usize) -> Result<impl ExactSizeIterator<Item = Vec3> + use<'a>, Failure> {
        Ok(self.floats(3 * count)?.chunks_exact(3).map(Vec3::from_slice))
    }

    /// Poses, each as a translation and a quaternion.
    pub(crate) fn poses(
        &mut self,
        count: usize,
    ) -> Result<impl ExactSizeIterator<Item = (Quat, Vec3)> + use<'a>, Failure> {
        Ok(self.floats(7 * count)?.chunks_exact(7).map(|pose| (Quat::from_slice(&pose[3..]), Vec3::from_slice(pose))))
    }
}

impl Answer {
    pub(crate) fn vectors(&mut self, vectors: impl Iterator<Item = Vec3>) {
        self.floats.extend(vectors.flat_map(|vector| vector.to_array()));
    }

    pub(crate) fn pose(&mut self, (rotation, translation): (Quat, Vec3)) {
        self.floats.extend(translation.to_array());
        self.floats.extend(rotation.to_array());
    }
}

/// Where the host writes the arrays of the next call: `bytes` of room.
#[unsafe(no_mangle)]
extern "C" fn input(bytes: usize) -> *mut u64 {
    MODULE.with_borrow_mut(|module| {
        module.input.resize(bytes.div_ceil(8).max(module.input.len()), 0);
        module.input.as_mut_ptr()
    })
}

/// The keys of the last answer: see `keys`.
#[unsafe(no_mangle)]
extern "C" fn answer_keys() -> *const f64 {
    MODULE.with_borrow(|module| module.answer.keys.as_ptr())
}

/// Its floats.
#[unsafe(no_mangle)]
extern "C" fn answer_floats() -> *const f32 {
    MODULE.with_borrow(|module| module.answer.floats.as_ptr())
}

/// Its whole numbers.
#[unsafe(no_mangle)]
extern "C" fn answer_words() -> *const u32 {
    MODULE.with_borrow(|module| module.answer.words.as_ptr())
}

/// Its bytes.
#[unsafe(no_mangle)]
extern "C" fn answer_bytes() -> *const u8 {
    MODULE.with_borrow(|module| module.answer.bytes.as_ptr())
}

/// Moves the text of the last error to the bytes of the answer, and returns its length.
#[unsafe(no_mangle)]
extern "C" fn error() -> usize {
    MODULE.with_borrow_mut(|module| {
        module.answer.bytes = std::mem::take(&mut module.error).into_bytes();
        module.answer.bytes.len()
    })
}
