//! Selection of the processor's instruction set at run time.

pub(crate) use fearless_simd::{Level, Simd};
#[cfg(feature = "testing")]
use std::sync::OnceLock;

/// The level of this process, once it is known.
#[cfg(feature = "testing")]
static LEVEL: OnceLock<Level> = OnceLock::new();

/// What the processor has. With the feature `testing` less, if `set_level` was called first.
#[inline]
pub fn level() -> Level {
    #[cfg(feature = "testing")]
    return *LEVEL.get_or_init(Level::new);
    #[cfg(not(feature = "testing"))]
    Level::new()
}

/// Restricts this library and those above it to the instructions of `level`, for as long as the process runs. Returns
/// false, without any effect, if some of them have already asked for their level.
#[cfg(feature = "testing")]
pub fn set_level(level: Level) -> bool {
    LEVEL.set(level).is_ok()
}

/// Runs `$body` compiled for the best instruction set that `$level` allows, SSE2 or AVX2 on x86, with `$simd` as its
/// token. Runs `$alone` where there are no vector instructions, because there `$body` would expand to a page of scalar
/// code per number.
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
            fearless_simd::Level::Neon($simd) => vectorized!(with $simd, $body),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            fearless_simd::Level::WasmSimd128($simd) => vectorized!(with $simd, $body),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            level => match (level.as_avx2(), level.as_sse2()) {
                (Some($simd), _) => vectorized!(with $simd, $body),
                (_, Some($simd)) => vectorized!(with $simd, $body),
                _ => $alone,
            },
            #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
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
    let some = [all.as_sse2().map(Level::Sse2), all.as_avx2().map(Level::Avx2)];
    #[cfg(not(target_arch = "x86_64"))]
    let some = [Some(all)];
    some.into_iter().flatten().collect()
}
