//! Which vector instructions code is compiled for, and which version runs; vectors of three coordinates in lanes.
//!
//! For cullide-bvh and cullide-world of the same version as well. It is not part of the interface, and outside of
//! semantic versioning: any release may change it.

mod vectors;

pub use crate::{baseline, one_by_one, vectorized, vectorized_512};
pub use fearless_simd::{Level, Simd};
#[cfg(feature = "testing")]
use std::sync::OnceLock;
pub use vectors::{DVec3x4, DVec3x8, Vec3x8, Vec3x16, Vectors};

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

/// Runs `$body` compiled for the best instruction set that `$level` allows, with `$simd` as its token. On x86-64 these
/// are AVX2 and SSE2: more of them would gain little, and each takes seconds to compile. If `$alone` is given, it runs
/// instead where there are no vector instructions: there, each operation is a loop, and a long body would take minutes
/// to compile.
///
/// SSE2 is in a separate function: it would otherwise be inlined into the caller, whose stack frame would then have room
/// for it whatever instructions are chosen. SSE4.2 in place of SSE2 would make building cullide-bvh take a quarter
/// longer, and a closest-hit ray a fifth less on processors from before 2013.
#[doc(hidden)]
#[macro_export]
macro_rules! vectorized {
    (with $token:expr, $simd:ident => $body:expr) => {{
        let $simd = $token;
        $crate::simd::Simd::vectorize(
            $simd,
            #[inline(always)]
            || $body,
        )
    }};
    ($level:expr, $simd:ident => $body:expr) => {
        $crate::vectorized!($level, $simd => $body, else $crate::one_by_one!($level, $simd => $body))
    };
    ($level:expr, $simd:ident => $body:expr, else $alone:expr) => {
        match $level {
            #[cfg(target_arch = "aarch64")]
            $crate::simd::Level::Neon(token) => $crate::vectorized!(with token, $simd => $body),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            $crate::simd::Level::WasmSimd128(token) => $crate::vectorized!(with token, $simd => $body),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            level => match ($crate::simd::Level::as_avx2(level), $crate::simd::Level::as_sse2(level)) {
                (Some(token), _) => $crate::vectorized!(with token, $simd => $body),
                (_, Some(token)) => $crate::simd::apart(
                    #[inline(always)]
                    || $crate::vectorized!(with token, $simd => $body),
                ),
                _ => $alone,
            },
            #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
            _ => $alone,
        }
    };
}

/// Runs `$body` compiled for one number at a time: on processors that have no vector instructions for certain, and with
/// the feature `scalar`, where `$level` has none.
#[cfg(any(
    feature = "scalar",
    not(any(
        all(any(target_arch = "x86", target_arch = "x86_64"), target_feature = "sse2"),
        all(target_arch = "aarch64", target_feature = "neon"),
        all(target_arch = "wasm32", target_feature = "simd128")
    ))
))]
#[doc(hidden)]
#[macro_export]
macro_rules! one_by_one {
    ($level:expr, $simd:ident => $body:expr) => {
        match $level {
            $crate::simd::Level::Fallback(token) => $crate::vectorized!(with token, $simd => $body),
            _ => unreachable!("the level is another one"),
        }
    };
}

/// Every processor of this kind has vector instructions.
#[cfg(not(any(
    feature = "scalar",
    not(any(
        all(any(target_arch = "x86", target_arch = "x86_64"), target_feature = "sse2"),
        all(target_arch = "aarch64", target_feature = "neon"),
        all(target_arch = "wasm32", target_feature = "simd128")
    ))
)))]
#[doc(hidden)]
#[macro_export]
macro_rules! one_by_one {
    ($level:expr, $simd:ident => $body:expr) => {
        unreachable!("every processor of this kind has vector instructions")
    };
}

/// The same with AVX-512 as well, for what gains from vectors of sixteen lanes: queries of trees of boxes, and pairs.
/// Trees over triangles and heights gain 5 to 8 % for rays and lose as much for sweeps; builds and edits gain nothing.
#[doc(hidden)]
#[macro_export]
macro_rules! vectorized_512 {
    ($level:expr, $simd:ident => $body:expr $(, else $alone:expr)?) => {
        match $level {
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            $crate::simd::Level::Avx512(token) => $crate::vectorized!(with token, $simd => $body),
            level => $crate::vectorized!(level, $simd => $body $(, else $alone)?),
        }
    };
}

/// Runs `$body` compiled for a single instruction set that every processor has: for code that is not worth the time to
/// compile it for all of them.
#[doc(hidden)]
#[macro_export]
macro_rules! baseline {
    ($simd:ident => $body:expr) => {{
        #[cfg(target_arch = "x86_64")]
        match $crate::simd::Level::new().as_sse2() {
            Some(token) => $crate::vectorized!(with token, $simd => $body),
            None => unreachable!("every x86-64 processor has SSE2"),
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            $crate::vectorized!($crate::simd::Level::new(), $simd => $body)
        }
    }};
}

/// Calls a function out of line.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[inline(never)]
pub fn apart<R>(f: impl FnOnce() -> R) -> R {
    f()
}

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
