//! Which instruction sets ours and Embree may use: all that the processor has, or fewer.

use cullide_narrowphase::simd::{level, set_level};
use fearless_simd::Level;
use std::sync::OnceLock;

/// What the command line allows, for as long as the process runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Instructions {
    #[default]
    All,
    Avx2,
    /// Vectors of 128 bits: SSE2 for ours, SSE4.2 for Embree.
    Sse,
}

/// What was allowed.
static ALLOWED: OnceLock<Instructions> = OnceLock::new();

impl Instructions {
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "avx2" => Some(Self::Avx2),
            "sse" => Some(Self::Sse),
            _ => None,
        }
    }

    /// Restricts ours, and all devices of Embree; to be called first and once.
    pub fn allow(self) -> Result<(), String> {
        let level = self.level().ok_or_else(|| format!("this processor does not have {self:?}"))?;
        let is_first = ALLOWED.set(self).is_ok() && set_level(level);
        assert!(is_first, "nobody has asked for instructions yet");
        Ok(())
    }

    /// Those that were allowed.
    #[cfg(feature = "embree")]
    pub fn allowed() -> Self {
        ALLOWED.get().copied().unwrap_or_default()
    }

    /// `None` if the processor lacks them.
    fn level(self) -> Option<Level> {
        let all = Level::new();
        match self {
            Self::All => Some(all),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => all.as_avx2().map(Level::Avx2),
            #[cfg(target_arch = "x86_64")]
            Self::Sse => all.as_sse2().map(Level::Sse2),
            #[cfg(not(target_arch = "x86_64"))]
            _ => None,
        }
    }
}

/// What ours uses, in words.
pub fn ours() -> String {
    match level() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512(_) => "AVX-512 for trees, AVX2 for the rest".into(),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2(_) => "AVX2".into(),
        #[cfg(target_arch = "x86_64")]
        _ => "SSE2".into(),
        #[cfg(not(target_arch = "x86_64"))]
        level => format!("{level:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_instructions_are_allowed_only_on_processors_that_have_them() {
        assert!(Instructions::All.level().is_some());
        #[cfg(target_arch = "x86_64")]
        {
            assert!(matches!(Instructions::Sse.level(), Some(Level::Sse2(_))));
            assert_eq!(Instructions::Avx2.level().is_some(), is_x86_feature_detected!("avx2"));
        }
    }
}
