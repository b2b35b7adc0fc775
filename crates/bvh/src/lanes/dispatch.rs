//! Which instruction sets code is compiled for, and which version runs.

/// Runs `$body` compiled for the best instruction set that `$level` allows, with `$simd` as its token. If `$alone` is
/// given, it runs instead where there are no vector instructions: there, each operation is a loop, and a long body
/// would take minutes to compile.
macro_rules! vectorized {
    ($level:expr, $simd:ident => $body:expr) => {
        $crate::lanes::dispatch::dispatch!($level, $simd => $body)
    };
    ($level:expr, $simd:ident => $body:expr, else $alone:expr) => {
        match $level {
            #[cfg(target_arch = "aarch64")]
            $crate::lanes::Level::Neon(token) => $crate::lanes::dispatch::compiled_for!(token, $simd => $body),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            $crate::lanes::Level::WasmSimd128(token) => $crate::lanes::dispatch::compiled_for!(token, $simd => $body),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            $crate::lanes::Level::Avx512(token) => $crate::lanes::dispatch::compiled_for!(token, $simd => $body),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            $crate::lanes::Level::Avx2(token) => $crate::lanes::dispatch::compiled_for!(token, $simd => $body),
            #[cfg(all(feature = "scalar", any(target_arch = "x86", target_arch = "x86_64")))]
            $crate::lanes::Level::Fallback(_) => $alone,
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            other => match other.as_sse2() {
                Some(token) => $crate::lanes::dispatch::compiled_for_sse2!(token, $simd => $body),
                None => $alone,
            },
            #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
            _ => $alone,
        }
    };
}
pub(crate) use vectorized;

/// The SIMD library's macro of this name, except that SSE2 is used instead of SSE4.2: with the latter, building this
/// crate takes a quarter longer, and a closest-hit ray a fifth less on processors from before 2013.
#[cfg(target_arch = "x86_64")]
macro_rules! dispatch {
    ($level:expr, $simd:ident => $body:expr) => {
        match $level {
            $crate::lanes::Level::Avx512(token) => $crate::lanes::dispatch::compiled_for!(token, $simd => $body),
            $crate::lanes::Level::Avx2(token) => $crate::lanes::dispatch::compiled_for!(token, $simd => $body),
            #[cfg(feature = "scalar")]
            $crate::lanes::Level::Fallback(token) => $crate::lanes::dispatch::compiled_for!(token, $simd => $body),
            other => match other.as_sse2() {
                Some(token) => $crate::lanes::dispatch::compiled_for_sse2!(token, $simd => $body),
                None => unreachable!("every x86-64 processor has SSE2"),
            },
        }
    };
}
#[cfg(target_arch = "x86_64")]
pub(crate) use dispatch;
#[cfg(not(target_arch = "x86_64"))]
pub(crate) use fearless_simd::dispatch;

/// Runs `$body` compiled for the instruction set of a token.
macro_rules! compiled_for {
    ($token:expr, $simd:ident => $body:expr) => {{
        let $simd = $token;
        $crate::lanes::Simd::vectorize(
            $simd,
            #[inline(always)]
            || $body,
        )
    }};
}
pub(crate) use compiled_for;

/// The same for SSE2, in a separate function: it would otherwise be inlined into the caller, whose stack frame would
/// then have room for it whatever instructions are chosen.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
macro_rules! compiled_for_sse2 {
    ($token:expr, $simd:ident => $body:expr) => {
        $crate::lanes::dispatch::apart(
            #[inline(always)]
            || $crate::lanes::dispatch::compiled_for!($token, $simd => $body),
        )
    };
}
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub(crate) use compiled_for_sse2;

/// Calls a function out of line.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[inline(never)]
pub(crate) fn apart<R>(f: impl FnOnce() -> R) -> R {
    f()
}

/// Runs `$body` compiled for a single instruction set that every processor has: for code that is not worth the time to
/// compile it for all of them.
macro_rules! baseline {
    ($simd:ident => $body:expr) => {{
        #[cfg(target_arch = "x86_64")]
        match $crate::lanes::Level::new().as_sse2() {
            Some(token) => $crate::lanes::dispatch::compiled_for!(token, $simd => $body),
            None => unreachable!("every x86-64 processor has SSE2"),
        }
        #[cfg(not(target_arch = "x86_64"))]
        $crate::lanes::dispatch::dispatch!($crate::lanes::Level::new(), $simd => $body)
    }};
}
pub(crate) use baseline;
