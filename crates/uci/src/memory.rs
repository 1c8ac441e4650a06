//! How much memory there is.

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

const MEBIBYTE: u64 = 1 << 20;

/// Memory this process can ever have (MiB): that of the machine or of its container, whichever is less. `None` if it
/// is not known.
pub fn mebibytes() -> Option<u64> {
    let refresh = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(refresh).ok()?;
    let container = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory);
    let bytes = system.total_memory().min(container);
    (bytes > 0).then_some(bytes / MEBIBYTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_some_memory() {
        let amount = mebibytes().expect("the test machine tells its memory");
        assert!((64..1 << 30).contains(&amount), "{amount} MiB");
    }
}
