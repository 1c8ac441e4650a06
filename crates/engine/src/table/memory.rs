//! Zeroed memory for the clusters of a table: mapped with large pages where the system has them, else from the heap.

use super::Cluster;

#[cfg(any(unix, windows))]
mod system {
    use super::Cluster;
    use memmap2::{MmapMut, MmapRaw};

    /// Memory of a table.
    pub struct Memory(MmapRaw);

    impl Memory {
        /// Zeroed memory for whole clusters. An error is the system's reason.
        pub fn zeroed(clusters: usize) -> Result<Memory, String> {
            let mapped = MmapMut::map_anon(clusters * size_of::<Cluster>()).map_err(|error| error.to_string())?;
            // Raw: what is written through shared references must not come from a pointer that may only read.
            let memory = MmapRaw::from(mapped);
            #[cfg(all(target_os = "linux", not(miri)))]
            let _ = memory.advise(memmap2::Advice::HugePage); // only a hint: without large pages the table is slower, not wrong
            Ok(Memory(memory))
        }

        #[inline(always)]
        #[expect(unsafe_code, reason = "the one place where mapped memory is seen as clusters")]
        pub fn clusters(&self) -> &[Cluster] {
            // SAFETY: the mapping is page-aligned, zero-filled, lives as long as `self`, and holds whole clusters of atomics, for which
            // every bit pattern is valid. The pointer is the one the system gave, which may write; a raw mapping hands out no
            // reference to its bytes, so all access goes through shared references to atomics.
            unsafe {
                std::slice::from_raw_parts(self.0.as_mut_ptr().cast::<Cluster>(), self.0.len() / size_of::<Cluster>())
            }
        }
    }
}

#[cfg(not(any(unix, windows)))]
mod system {
    use super::Cluster;

    /// Memory of a table.
    pub struct Memory(Vec<Cluster>);

    impl Memory {
        /// Zeroed memory for whole clusters. An error is the reason.
        pub fn zeroed(clusters: usize) -> Result<Memory, String> {
            let mut memory = Vec::new();
            memory.try_reserve_exact(clusters).map_err(|error| error.to_string())?;
            memory.resize_with(clusters, Cluster::default);
            Ok(Memory(memory))
        }

        #[inline(always)]
        pub fn clusters(&self) -> &[Cluster] {
            &self.0
        }
    }
}

pub(super) use system::Memory;
