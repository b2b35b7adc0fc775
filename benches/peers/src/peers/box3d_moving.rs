//! Box3D: its dynamic tree, used as its broadphase does: fat boxes are enlarged when a box leaves its own, and then
//! queried; and as in its collision step, pairs whose fat boxes have separated are dropped.

use crate::{moving_peer::MovingPeer, neighbours::Neighbours, peer::Bounds};
use box3d_sys::{
    b3AABB, b3DynamicTree, b3DynamicTree_Create, b3DynamicTree_CreateProxy, b3DynamicTree_Destroy,
    b3DynamicTree_EnlargeProxy, b3DynamicTree_Query, b3DynamicTree_Rebuild, b3Vec3,
};
use std::ffi::{c_int, c_void};

/// Box3D's `B3_AABB_MARGIN_FRACTION`: of the distance from the center to a corner.
const MARGIN: f32 = 0.125;

/// Box3D's `B3_MAX_AABB_MARGIN`, in meters.
const MAX_MARGIN: f32 = 0.05;

pub struct BroadPhase {
    tree: b3DynamicTree,
    proxies: Vec<c_int>,
    fat: Vec<Bounds>,
    margins: Vec<f32>,
    /// The boxes that left their fat boxes in this frame, as a list and as marks.
    left: Vec<u32>,
    marks: Vec<bool>,
    pairs: Neighbours,
}

impl BroadPhase {
    pub fn new(boxes: &[Bounds]) -> Self {
        let margins: Vec<f32> = boxes.iter().map(margin).collect();
        let fat: Vec<Bounds> = boxes.iter().zip(&margins).map(|(bounds, margin)| fattened(bounds, *margin)).collect();
        // SAFETY: the tree is created by the first call and passed on by a pointer to this frame, where it lives.
        let (tree, proxies) = unsafe {
            let mut tree = b3DynamicTree_Create(boxes.len() as c_int);
            let add = |(i, fat)| b3DynamicTree_CreateProxy(&mut tree, aabb(fat), 1, i as u64);
            let proxies = fat.iter().enumerate().map(add).collect();
            b3DynamicTree_Rebuild(&mut tree, true);
            (tree, proxies)
        };
        let left: Vec<u32> = (0..boxes.len() as u32).collect();
        let marks = vec![true; boxes.len()];
        let mut new = Self { tree, proxies, fat, margins, left, marks, pairs: Neighbours::new(boxes.len()) };
        new.find_pairs();
        new
    }

    /// Brings the pairs of the boxes that left their fat boxes up to date.
    fn find_pairs(&mut self) {
        let Self { fat, left, marks, pairs, .. } = self;
        for &index in &*left {
            pairs.retain(index, |other| overlap(&fat[index as usize], &fat[other as usize]));
        }
        for &index in &*left {
            let mut query = Query { index, marks, pairs };
            // SAFETY: the tree was created, and the callback gets the `Query` that it expects, which outlives the call.
            unsafe {
                let fat = aabb(&fat[index as usize]);
                b3DynamicTree_Query(&self.tree, fat, 1, false, Some(meet), (&raw mut query).cast());
            }
        }
        for index in left.drain(..) {
            marks[index as usize] = false;
        }
    }
}

impl Drop for BroadPhase {
    fn drop(&mut self) {
        // SAFETY: the tree came from `b3DynamicTree_Create` and is not used again.
        unsafe { b3DynamicTree_Destroy(&mut self.tree) };
    }
}

impl MovingPeer for BroadPhase {
    fn frame(&mut self, moved: &[(u32, Bounds)]) {
        for (index, bounds) in moved {
            let i = *index as usize;
            if !contains(&self.fat[i], bounds) {
                self.fat[i] = fattened(bounds, self.margins[i]);
                self.left.push(*index);
                self.marks[i] = true;
                // SAFETY: the proxy is one of the tree's, and its old box does not contain the new one.
                unsafe { b3DynamicTree_EnlargeProxy(&mut self.tree, self.proxies[i], aabb(&self.fat[i])) };
            }
        }
        self.find_pairs();
        // SAFETY: the tree was created.
        unsafe { b3DynamicTree_Rebuild(&mut self.tree, false) };
    }

    fn pairs(&self, out: &mut Vec<(u32, u32)>) {
        self.pairs.append_to(out);
    }
}

struct Query<'a> {
    index: u32,
    marks: &'a [bool],
    pairs: &'a mut Neighbours,
}

// SAFETY: called only by Box3D, while `find_pairs` waits for it and keeps what the context points to.
unsafe extern "C" fn meet(_proxy: c_int, other: u64, context: *mut c_void) -> bool {
    // SAFETY: the context is the `Query` of `find_pairs`.
    let Query { index, marks, pairs } = unsafe { &mut *context.cast::<Query<'_>>() };
    let other = other as u32;
    // If both left, the one with the smaller index reports the pair, if it is new.
    let reports = other != *index && !(other < *index && marks[other as usize]);
    if reports && !pairs.are_linked(*index, other) {
        pairs.link(*index, other);
    }
    true
}

fn margin([min, max]: &Bounds) -> f32 {
    let diagonal = (0..3).map(|i| (max[i] - min[i]).powi(2)).sum::<f32>().sqrt();
    (MARGIN * 0.5 * diagonal).min(MAX_MARGIN)
}

fn fattened([min, max]: &Bounds, margin: f32) -> Bounds {
    [min.map(|x| x - margin), max.map(|x| x + margin)]
}

fn contains(outer: &Bounds, inner: &Bounds) -> bool {
    (0..3).all(|i| outer[0][i] <= inner[0][i] && inner[1][i] <= outer[1][i])
}

fn overlap(a: &Bounds, b: &Bounds) -> bool {
    (0..3).all(|i| a[0][i] <= b[1][i] && b[0][i] <= a[1][i])
}

fn aabb(bounds: &Bounds) -> b3AABB {
    let [lower, upper] = bounds.map(|[x, y, z]| b3Vec3 { x, y, z });
    b3AABB { lowerBound: lower, upperBound: upper }
}
