//! Eight contacts at a time. The only file of the solver that names the SIMD library.
//!
//! No operation fuses a multiplication and an addition, so every instruction set gives the same bits.

pub(super) use cullide_narrowphase::simd::{Level, Simd, Vec3x8, level, vectorized};
pub(super) use fearless_simd::f32x8;
use fearless_simd::{f32x4, mask32x8, prelude::*};

/// The number of contacts that are solved together.
pub(super) const LANES: usize = 8;

/// One number per lane.
pub(super) type Row = [f32; LANES];

/// Loads eight numbers into a vector.
#[inline(always)]
pub(super) fn load<S: Simd>(simd: S, row: &Row) -> f32x8<S> {
    f32x8::simd_from(simd, *row)
}

/// The same number in all lanes.
#[inline(always)]
pub(super) fn splat<S: Simd>(simd: S, x: f32) -> f32x8<S> {
    f32x8::splat(simd, x)
}

#[inline(always)]
pub(super) fn store<S: Simd>(register: f32x8<S>) -> Row {
    register.into()
}

#[inline(always)]
pub(super) fn above<S: Simd>(a: f32x8<S>, b: f32x8<S>) -> mask32x8<S> {
    a.simd_gt(b)
}

#[inline(always)]
pub(super) fn select<S: Simd>(mask: mask32x8<S>, a: f32x8<S>, b: f32x8<S>) -> f32x8<S> {
    mask.select(a, b)
}

/// The larger of two numbers, neither of which is NaN.
#[inline(always)]
pub(super) fn max<S: Simd>(a: f32x8<S>, b: f32x8<S>) -> f32x8<S> {
    select(a.simd_gt(b), a, b)
}

/// The smaller of two numbers, neither of which is NaN.
#[inline(always)]
pub(super) fn min<S: Simd>(a: f32x8<S>, b: f32x8<S>) -> f32x8<S> {
    select(a.simd_lt(b), a, b)
}

#[inline(always)]
pub(super) fn sqrt<S: Simd>(a: f32x8<S>) -> f32x8<S> {
    a.sqrt()
}

/// A symmetric matrix in each lane: xx, yy, zz, yz, xz, xy.
#[derive(Clone, Copy)]
pub(super) struct Symmetric<S: Simd>([f32x8<S>; 6]);

impl<S: Simd> Symmetric<S> {
    #[inline(always)]
    pub(super) fn load(simd: S, rows: &[Row; 6]) -> Self {
        let [xx, yy, zz, yz, xz, xy] = rows;
        Self([load(simd, xx), load(simd, yy), load(simd, zz), load(simd, yz), load(simd, xz), load(simd, xy)])
    }

    #[inline(always)]
    pub(super) fn apply(self, v: Vec3x8<S>) -> Vec3x8<S> {
        let [xx, yy, zz, yz, xz, xy] = self.0;
        let (a, b, c) = (Vec3x8::from([xx, xy, xz]), Vec3x8::from([xy, yy, yz]), Vec3x8::from([xz, yz, zz]));
        Vec3x8 { x: a.dot(v), y: b.dot(v), z: c.dot(v) }
    }

    /// The adjugate and the determinant of the matrix divided by its trace, and the reciprocal of the trace; all zero
    /// for zero.
    #[inline(always)]
    pub(super) fn adjugate(self, simd: S) -> (Self, f32x8<S>, f32x8<S>) {
        let [xx, yy, zz, yz, xz, xy] = self.0;
        let (zero, one, trace) = (splat(simd, 0.0), splat(simd, 1.0), xx + yy + zz);
        let scale = select(above(trace, zero), one / select(above(trace, zero), trace, one), zero);
        let (xx, yy, zz, yz, xz, xy) = (xx * scale, yy * scale, zz * scale, yz * scale, xz * scale, xy * scale);
        let (a, f, e) = (yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy);
        let adjugate = Self([a, xx * zz - xz * xz, xx * yy - xy * xy, xz * xy - xx * yz, e, f]);
        (adjugate, xx * a + xy * f + xz * e, scale)
    }
}

/// The rows of eight bodies, by coordinate.
#[inline(always)]
pub(super) fn gather<S: Simd>(simd: S, rows: &[Row], at: &[u32; LANES]) -> [f32x8<S>; LANES] {
    let [a, b, c, d, e, f, g, h] = *at;
    let row = |at: u32| halves(simd, &rows[at as usize]);
    let (a, b, c, d) = (row(a), row(b), row(c), row(d));
    let (e, f, g, h) = (row(e), row(f), row(g), row(h));
    let [p, q, r, s] = joined([a[0], b[0], c[0], d[0]], [e[0], f[0], g[0], h[0]]);
    let [t, u, v, w] = joined([a[1], b[1], c[1], d[1]], [e[1], f[1], g[1], h[1]]);
    [p, q, r, s, t, u, v, w]
}

/// Writes coordinates back to the rows of eight bodies.
#[inline(always)]
pub(super) fn scatter<S: Simd>(rows: &mut [Row], at: &[u32; LANES], columns: [f32x8<S>; LANES]) {
    let [p, q, r, s, t, u, v, w] = columns;
    let (p, q, r, s) = (p.split(), q.split(), r.split(), s.split());
    let (t, u, v, w) = (t.split(), u.split(), v.split(), w.split());
    let starts = [transposed([p.0, q.0, r.0, s.0]), transposed([p.1, q.1, r.1, s.1])];
    let ends = [transposed([t.0, u.0, v.0, w.0]), transposed([t.1, u.1, v.1, w.1])];
    for i in 0..LANES {
        let row = &mut rows[at[i] as usize];
        let (start, end) = row.split_at_mut(4);
        starts[i / 4][i % 4].store_slice(start);
        ends[i / 4][i % 4].store_slice(end);
    }
}

#[inline(always)]
fn halves<S: Simd>(simd: S, row: &Row) -> [f32x4<S>; 2] {
    [f32x4::from_slice(simd, &row[..4]), f32x4::from_slice(simd, &row[4..])]
}

/// The coordinates of four rows, and of four more beside them.
#[inline(always)]
fn joined<S: Simd>(low: [f32x4<S>; 4], high: [f32x4<S>; 4]) -> [f32x8<S>; 4] {
    let ([a, b, c, d], [e, f, g, h]) = (transposed(low), transposed(high));
    [a.combine(e), b.combine(f), c.combine(g), d.combine(h)]
}

/// Transposes four by four numbers by two perfect shuffles.
#[inline(always)]
fn transposed<S: Simd>([a, b, c, d]: [f32x4<S>; 4]) -> [f32x4<S>; 4] {
    let (p, q, r, s) = (a.zip_low(c), a.zip_high(c), b.zip_low(d), b.zip_high(d));
    [p.zip_low(r), p.zip_high(r), q.zip_low(s), q.zip_high(s)]
}

/// Eight rows, by coordinate.
#[inline(always)]
pub(super) fn columns<S: Simd>(simd: S, rows: &[Row; LANES]) -> [f32x8<S>; LANES] {
    gather(simd, rows, &[0, 1, 2, 3, 4, 5, 6, 7])
}

/// The inverse of [`columns`].
#[inline(always)]
pub(super) fn rows_of<S: Simd>(columns: [f32x8<S>; LANES]) -> [Row; LANES] {
    let mut rows = [[0.0; LANES]; LANES];
    scatter(&mut rows, &[0, 1, 2, 3, 4, 5, 6, 7], columns);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gathering_and_scattering_are_opposites() {
        let rows: Vec<Row> = (0..20).map(|i| std::array::from_fn(|j| (10 * i + j) as f32)).collect();
        let at = [3, 1, 19, 0, 7, 8, 2, 5];
        vectorized!(Level::new(), simd => {
            let columns = gather(simd, &rows, &at);
            assert_eq!(store(columns[4]), at.map(|i| (10 * i + 4) as f32));
            let mut copy = [[0.0; LANES]; 20];
            scatter(&mut copy, &at, columns);
            assert!(at.iter().all(|&i| copy[i as usize] == rows[i as usize]));
        });
    }
}
