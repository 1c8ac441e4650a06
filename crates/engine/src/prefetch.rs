//! Asking the processor for memory before it is read: most tables of a search are larger than the caches near a core, and an entry that
//! was asked for while a move is made is there when its position is looked at.

/// Asks the processor to bring what `place` refers to near: the cache line of its first byte. A hint that changes no result.
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
