//! Selection of the processor's instruction set at run time.

pub(crate) use fearless_simd::{Level, Simd};

/// Runs `$body` compiled for the instruction set of `$level`, with `$simd` as its token. Runs `$alone` where there are
/// no vector instructions, because there `$body` would expand to a page of scalar code per number.
macro_rules! vectorized {
    (with $simd:ident, $body:expr) => {
        $simd.vectorize(
            #[inline(always)]
            || $body,
        )
    };
    ($level:expr, $simd:ident => $body:expr, else $alone:expr) => {
        match $level {
            #[cfg(target_arch = "aarch64")]
            Level::Neon($simd) => vectorized!(with $simd, $body),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Level::WasmSimd128($simd) => vectorized!(with $simd, $body),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Sse2($simd) => vectorized!(with $simd, $body),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Sse4_2($simd) => vectorized!(with $simd, $body),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Avx2($simd) => vectorized!(with $simd, $body),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Avx512($simd) => vectorized!(with $simd, $body),
            _ => $alone,
        }
    };
}
pub(crate) use vectorized;

/// All instruction sets that this processor supports.
#[cfg(test)]
pub(crate) fn levels() -> Vec<Level> {
    let all = Level::new();
    #[cfg(target_arch = "x86_64")]
    let some = [
        all.as_sse2().map(Level::Sse2),
        all.as_sse4_2().map(Level::Sse4_2),
        all.as_avx2().map(Level::Avx2),
        all.as_avx512().map(Level::Avx512),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let some = [Some(all)];
    some.into_iter().flatten().collect()
}
