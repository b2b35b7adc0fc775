//! Box3D: its dynamic tree, filled box by box and then fully rebuilt.

use crate::{
    leaf::Slab,
    peer::{Bounds, Path, Peer, Reach, Support},
};
use box3d_sys::{
    b3AABB, b3DynamicTree, b3DynamicTree_Create, b3DynamicTree_CreateProxy, b3DynamicTree_Destroy,
    b3DynamicTree_GetByteCount, b3DynamicTree_Query, b3DynamicTree_RayCast, b3DynamicTree_Rebuild, b3RayCastInput,
    b3Vec3,
};
use std::ffi::{c_int, c_void};

pub struct Tree {
    boxes: Vec<Bounds>,
    tree: Option<b3DynamicTree>,
}

impl Tree {
    pub fn new(boxes: &[Bounds]) -> Self {
        Self { boxes: boxes.to_vec(), tree: None }
    }

    fn destroy(&mut self) {
        if let Some(mut tree) = self.tree.take() {
            // SAFETY: the tree came from `b3DynamicTree_Create` and is forgotten here.
            unsafe { b3DynamicTree_Destroy(&mut tree) };
        }
    }

    fn tree(&self) -> &b3DynamicTree {
        self.tree.as_ref().expect("a tree that was built")
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.destroy();
    }
}

impl Peer for Tree {
    fn name(&self) -> &str {
        "Box3D tree, rebuilt"
    }

    fn build(&mut self) -> Support {
        self.destroy();
        // SAFETY: the tree is created by the first call and passed on by a pointer to this frame, where it lives.
        self.tree = Some(unsafe {
            let mut tree = b3DynamicTree_Create(self.boxes.len() as c_int);
            for (i, bounds) in self.boxes.iter().enumerate() {
                b3DynamicTree_CreateProxy(&mut tree, aabb(bounds), 1, i as u64);
            }
            b3DynamicTree_Rebuild(&mut tree, true);
            tree
        });
        Support::Answered
    }

    fn foreign_bytes(&self) -> usize {
        // SAFETY: the tree was built.
        unsafe { b3DynamicTree_GetByteCount(self.tree()) as usize }
    }

    fn closest(&self, paths: &[Path], reach: Reach, entries: &mut Vec<Option<f32>>) -> Support {
        entries.extend(paths.iter().map(|path| {
            let [origin, translation] = path.map(vector);
            let input = b3RayCastInput { origin, translation, maxFraction: reach.limit() };
            let mut cast = Cast { boxes: &self.boxes, slab: Slab::new(path), best: None };
            // SAFETY: the tree was built, and the callback gets the `Cast` that it expects, which outlives the call.
            unsafe { b3DynamicTree_RayCast(self.tree(), &input, 1, false, Some(narrow), (&raw mut cast).cast()) };
            cast.best
        }));
        Support::Answered
    }

    fn overlap(&self, queries: &[Bounds], counts: &mut Vec<u32>) -> Support {
        counts.extend(queries.iter().map(|query| {
            let mut found = 0u32;
            // SAFETY: the tree was built, and the callback gets the counter that it expects, which outlives the call.
            unsafe { b3DynamicTree_Query(self.tree(), aabb(query), 1, false, Some(count), (&raw mut found).cast()) };
            found
        }));
        Support::Answered
    }
}

struct Cast<'a> {
    boxes: &'a [Bounds],
    slab: Slab,
    best: Option<f32>,
}

// SAFETY: called only by Box3D, while `closest` waits for it and keeps what the context points to.
unsafe extern "C" fn narrow(input: *const b3RayCastInput, _proxy: c_int, index: u64, context: *mut c_void) -> f32 {
    // SAFETY: Box3D passes its input and the context of `closest`.
    let (limit, cast) = unsafe { ((*input).maxFraction, &mut *context.cast::<Cast<'_>>()) };
    let [min, max] = cast.boxes[index as usize];
    let entry = cast.slab.entry(min, max, limit);
    if entry == f32::INFINITY {
        return limit;
    }
    cast.best = Some(entry);
    entry
}

// SAFETY: called only by Box3D, while `overlap` waits for it and keeps what the context points to.
unsafe extern "C" fn count(_proxy: c_int, _index: u64, context: *mut c_void) -> bool {
    // SAFETY: the context is the counter of `overlap`.
    unsafe { *context.cast::<u32>() += 1 };
    true
}

fn vector([x, y, z]: [f32; 3]) -> b3Vec3 {
    b3Vec3 { x, y, z }
}

fn aabb(bounds: &Bounds) -> b3AABB {
    let [lower, upper] = bounds.map(vector);
    b3AABB { lowerBound: lower, upperBound: upper }
}
