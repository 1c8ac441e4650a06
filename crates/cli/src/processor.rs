//! A message instead of an illegal instruction, on processors that lack what the program was compiled for.

use std::process::ExitCode;

/// Exit code of a program that cannot run here.
const CANNOT_RUN: u8 = 2;

/// Instructions that the program was compiled with, by their bits in ECX of CPUID leaf 1.
#[cfg(all(target_arch = "x86_64", target_feature = "sse4.2", target_feature = "popcnt"))]
const NEEDED: [(u32, &str); 6] =
    [(0, "SSE3"), (9, "SSSE3"), (13, "CMPXCHG16B"), (19, "SSE4.1"), (20, "SSE4.2"), (23, "POPCNT")];

/// Names the instructions that this processor lacks, and returns the exit code; `None` if it lacks none.
#[inline(never)]
pub fn refuse() -> Option<ExitCode> {
    let lacking = lacking();
    if lacking.is_empty() {
        return None;
    }
    eprintln!(
        "quarterply: this processor lacks {}; the program was compiled for x86-64-v2 (most processors since 2009). Build it for this one: \
         RUSTFLAGS='-C target-cpu=native' cargo build --release",
        lacking.join(", ")
    );
    Some(ExitCode::from(CANNOT_RUN))
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse4.2", target_feature = "popcnt"))]
fn lacking() -> Vec<&'static str> {
    // `is_x86_feature_detected!` is constant for features enabled at compile time, so CPUID is read directly.
    among(std::arch::x86_64::__cpuid(1).ecx)
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse4.2", target_feature = "popcnt"))]
fn among(bits: u32) -> Vec<&'static str> {
    let mut names = Vec::new();
    for (bit, name) in NEEDED {
        if bits >> bit & 1 == 0 {
            names.push(name);
        }
    }
    names
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "sse4.2", target_feature = "popcnt")))]
fn lacking() -> Vec<&'static str> {
    Vec::new()
}

#[cfg(all(test, target_arch = "x86_64", target_feature = "sse4.2", target_feature = "popcnt"))]
mod tests {
    use super::*;

    #[test]
    fn missing_processor_features_are_named() {
        assert_eq!(among(u32::MAX), Vec::<&str>::new());
        assert_eq!(among(!(1 << 23)), ["POPCNT"]);
        assert_eq!(among(!(1 << 19 | 1 << 20)), ["SSE4.1", "SSE4.2"]);
        assert_eq!(among(0).len(), NEEDED.len());
        assert!(lacking().is_empty(), "these tests run");
    }
}
