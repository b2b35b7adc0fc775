//! Four pairs of a translating box and a plane at once.
//!
//! Each lane does what one pair does alone, in the same order: first in `f32` with a bound on the error; then, for those of many that
//! may be hit, collected four by four, in `f64`. What either leaves open is asked again, alone.

use super::{PlaneTouch, touch::Kind};
use crate::{
    FeatureId, Sides,
    sweep::{
        contacts::FEATURE_ANGLE,
        sieve::{SUM_ERROR, UNDERFLOW},
    },
};
use glam::Vec4;

/// Three coordinates of four pairs.
type Vectors = [Vec4; 3];

/// Four pairs, and what `f32` tells of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes {
    normal: Vectors,
    d: Vec4,
    center: Vectors,
    half_edges: [Vectors; 3],
    motion: Vectors,
    sides: Sides,
    /// The half edges along the normal.
    along: [Vec4; 3],
    reach: Vec4,
    height: Vec4,
    change: Vec4,
    error: Vec4,
}

impl Lanes {
    /// Of normal, centre, three half edges and motion, and the planes' `d`.
    #[inline(always)]
    pub(super) fn new([normal, center, a, b, c, motion]: [Vectors; 6], d: Vec4, sides: Sides) -> Self {
        let products = |v: Vectors| [normal[0] * v[0], normal[1] * v[1], normal[2] * v[2]];
        let sum = |[x, y, z]: Vectors| x + y + z;
        let size = |[x, y, z]: Vectors| x.abs() + y.abs() + z.abs();
        let (pa, pb, pc, center_products, toward) =
            (products(a), products(b), products(c), products(center), products(motion));
        let along = [sum(pa), sum(pb), sum(pc)];
        let sizes = size(pa) + size(pb) + size(pc) + size(center_products) + size(toward) + d.abs();
        Self {
            normal,
            d,
            center,
            half_edges: [a, b, c],
            motion,
            sides,
            along,
            reach: along[0].abs() + along[1].abs() + along[2].abs(),
            height: sum(center_products) + d,
            change: sum(toward),
            error: sizes * SUM_ERROR + UNDERFLOW,
        }
    }

    /// Appends the four answers as far as `f32` gives them, and tells which lanes are still open: those that may be hit.
    #[inline(always)]
    pub(super) fn append(&self, answers: &mut Vec<PlaneTouch>) -> u32 {
        let (clear, overlap, _) = self.told();
        let kind = |i: u32| PlaneTouch { kind: KINDS[(overlap >> i & 1) as usize], ..PlaneTouch::CLEAR };
        answers.extend_from_slice(&[kind(0), kind(1), kind(2), kind(3)]);
        !(clear | overlap) & 0b1111
    }

    /// The answers of lanes that may be hit; `None` for what takes more than this.
    #[inline(always)]
    pub(super) fn hits(&self) -> [Option<PlaneTouch>; 4] {
        let (_, overlap, back) = self.told();
        let side = self.side(back);
        let hit = self.closing(side) & !overlap;
        let (tois, vertices) = (self.tois(side), self.vertices(back));
        let answer = |i: usize| {
            let feature = FeatureId::new(vertices[i]);
            (hit >> i & 1 == 1).then_some(PlaneTouch { toi: f32::from_bits(tois[i]), feature, kind: Kind::Hit })
        };
        [answer(0), answer(1), answer(2), answer(3)]
    }

    /// Which lanes are certainly clear, which overlap, and which boxes are held behind their plane.
    #[inline(always)]
    fn told(&self) -> (u32, u32, u32) {
        let (height, reach, change, error) = (self.height, self.reach, self.change, self.error);
        let ends = |height: Vec4, change: Vec4| {
            let gap = height - reach;
            (gap.cmpgt(error) & (gap + change).cmpgt(error)).bitmask()
        };
        let front = ends(height, change);
        match self.sides {
            Sides::Front => {
                let ignored = (height + reach).cmplt(-error).bitmask();
                let cut = ((height - reach).cmplt(-error) & (height + reach).cmpgt(error)).bitmask();
                (front | ignored, cut, 0)
            }
            Sides::Both => {
                let cut = ((height.abs() - reach).cmplt(-error) & height.abs().cmpgt(error)).bitmask();
                (front | ends(-height, -change), cut, height.cmplt(Vec4::ZERO).bitmask())
            }
        }
    }

    /// 1 or −1.
    #[inline(always)]
    fn side(&self, back: u32) -> Vec4 {
        let side = |i: u32| SIDES[(back >> i & 1) as usize];
        Vec4::new(side(0), side(1), side(2), side(3))
    }

    /// Which lanes certainly hit with a vertex.
    #[inline(always)]
    fn closing(&self, side: Vec4) -> u32 {
        let gap = side * self.height - self.reach;
        let closes = gap.cmpgt(self.error) & (gap + side * self.change).cmplt(-self.error);
        closes.bitmask() & self.leans(0) & self.leans(1) & self.leans(2)
    }

    /// The bits of the times of impact, rounded toward zero; of lanes that are not hit they mean nothing.
    #[inline(always)]
    fn tois(&self, side: Vec4) -> [u32; 4] {
        let [x, y, z] = self.normal;
        let (x, y, z) = (x.as_dvec4(), y.as_dvec4(), z.as_dvec4());
        let along = |v: &Vectors| v[0].as_dvec4() * x + v[1].as_dvec4() * y + v[2].as_dvec4() * z;
        let [a, b, c] = &self.half_edges;
        let reach = along(a).abs() + along(b).abs() + along(c).abs();
        let (side, height) = (side.as_dvec4(), along(&self.center) + self.d.as_dvec4());
        let gap = side * height - reach;
        let change = side * along(&self.motion);
        let quotient = gap / -change;
        let toi = [quotient.x, quotient.y, quotient.z, quotient.w];
        let bits = |toi: f64| {
            let toi = if toi < LAST { toi } else { LAST };
            let rounded = toi as f32;
            rounded.to_bits().wrapping_sub(u32::from(f64::from(rounded) > toi))
        };
        [bits(toi[0]), bits(toi[1]), bits(toi[2]), bits(toi[3])]
    }

    /// The lanes in which half edge `i` certainly leans against the plane, as in the sieve.
    #[inline(always)]
    fn leans(&self, i: usize) -> u32 {
        const SINE_SQUARED: f32 = (FEATURE_ANGLE * FEATURE_ANGLE * 1.02) as f32;
        let [x, y, z] = self.half_edges[i];
        let squares = x * x + y * y + z * z;
        (self.along[i] * self.along[i]).cmpgt(squares * SINE_SQUARED + UNDERFLOW).bitmask()
    }

    /// The ids of the lowest vertices.
    #[inline(always)]
    fn vertices(&self, back: u32) -> [u8; 4] {
        // Which edges count positively in front; behind it is the others.
        let [a, b, c] = &self.along;
        let [a, b, c] = [a, b, c].map(|along| along.is_negative_bitmask() ^ back);
        let vertex = |i: u32| 1u8 << ((a >> i & 1) | (b >> i & 1) << 1 | (c >> i & 1) << 2);
        [vertex(0), vertex(1), vertex(2), vertex(3)]
    }
}

/// By whether it overlaps; looked up, because a branch would be guessed wrong.
const KINDS: [Kind; 2] = [Kind::Clear, Kind::Overlap];

/// By whether it is held behind.
const SIDES: [f32; 2] = [1.0, -1.0];

/// The last time of a step.
const LAST: f64 = 1.0 - f64::EPSILON / 2.0;
