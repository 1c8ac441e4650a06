//! Prefetching of table entries. Most tables of a search are larger than the caches near a core; an entry that is requested while a move
//! is made is in the cache when its position is searched.

/// Requests the cache line of the first byte of `place`. A hint that changes no result.
#[inline(always)]
pub(crate) fn prefetch<T>(place: &T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[expect(unsafe_code, reason = "the prefetch hint has no safe form")]
    // SAFETY: the address is that of a reference, and a prefetch is a hint that neither reads nor writes memory.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(any(not(target_arch = "x86_64"), miri))]
    let _ = place;
}
