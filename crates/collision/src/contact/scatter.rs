//! Access to disjoint elements of one array from several threads.

use std::marker::PhantomData;

/// A mutable slice that several threads read and write at once, each at its own indices.
///
/// The contacts of one colour share no dynamic particle, so their scattered writes never meet; the borrow
/// checker cannot see that. Bounds are always checked; that indices are disjoint is the caller's promise.
pub(crate) struct Scatter<'a, T> {
    start: *mut T,
    len: usize,
    borrow: PhantomData<&'a mut [T]>,
}

// SAFETY: access goes through `read` and `write` alone, whose callers promise that no element is written by
// one thread while another touches it; T itself moves between threads.
unsafe impl<T: Send> Sync for Scatter<'_, T> {}
// SAFETY: as above; the pointer comes from a unique borrow that outlives this value.
unsafe impl<T: Send> Send for Scatter<'_, T> {}

impl<'a, T: Copy> Scatter<'a, T> {
    /// Takes the slice for as long as the value lives.
    pub fn new(slice: &'a mut [T]) -> Self {
        Scatter { start: slice.as_mut_ptr(), len: slice.len(), borrow: PhantomData }
    }

    /// Element `i`.
    ///
    /// # Safety
    /// No other thread writes element `i` at the same time.
    #[inline]
    pub unsafe fn read(&self, i: usize) -> T {
        assert!(i < self.len);
        // SAFETY: `i` is in bounds of a live slice; the caller excludes a concurrent write.
        unsafe { *self.start.add(i) }
    }

    /// Replaces element `i`.
    ///
    /// # Safety
    /// No other thread reads or writes element `i` at the same time.
    #[inline]
    pub unsafe fn write(&self, i: usize, value: T) {
        assert!(i < self.len);
        // SAFETY: `i` is in bounds of a live slice; the caller excludes concurrent access.
        unsafe { *self.start.add(i) = value }
    }
}
