//! Lists of numbers that begin on a cache line: a tile that crosses two lines takes twice as long to read.

use std::ops::{Deref, DerefMut};

/// Bytes of a cache line.
const LINE: usize = 64;

/// A list of numbers of fixed length that begins on a cache line.
#[derive(Debug)]
pub struct Aligned {
    list: Vec<f32>,
    first: usize,
    length: usize,
}

impl Aligned {
    /// An array of `length` zeros.
    pub fn zeros(length: usize) -> Aligned {
        let spare = LINE / size_of::<f32>();
        let list = vec![0.0; length + spare];
        // If the address cannot be aligned, the list works too, but slower.
        let first = list.as_ptr().align_offset(LINE).min(spare);
        Aligned { list, first, length }
    }

    /// These numbers.
    pub fn of(values: &[f32]) -> Aligned {
        let mut list = Aligned::zeros(values.len());
        list.copy_from_slice(values);
        list
    }
}

impl Deref for Aligned {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.list[self.first..self.first + self.length]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.list[self.first..self.first + self.length]
    }
}

impl Clone for Aligned {
    fn clone(&self) -> Aligned {
        Aligned::of(self)
    }
}

impl PartialEq for Aligned {
    fn eq(&self, other: &Aligned) -> bool {
        **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_begins_on_a_cache_line_and_so_does_its_copy() {
        for length in [1, 100, 100_000] {
            let mut list = Aligned::zeros(length);
            list[length - 1] = 3.0;
            let copy = list.clone();
            assert_eq!((list.as_ptr().addr() % LINE, copy.as_ptr().addr() % LINE), (0, 0));
            assert!(copy == list && copy.len() == length);
        }
    }
}
