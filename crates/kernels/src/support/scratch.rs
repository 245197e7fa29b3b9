//! Scratch memory of tasks: a pool of allocations that the next task reuses.

/// Bytes of a cache line, to which panels are aligned.
const CACHE_LINE_BYTES: usize = 64;

/// A pool of allocations that no task is using.
#[derive(Debug, Default)]
pub struct Scratch {
    floats: Vec<Vec<f32>>,
    words: Vec<Vec<u32>>,
}

/// Floats aligned to a cache line. Their initial contents are unspecified.
#[derive(Debug)]
pub struct Floats {
    memory: Vec<f32>,
    /// The index of the first aligned float.
    start: usize,
    length: usize,
}

impl Floats {
    /// Allocates `length` zeros, not from scratch memory.
    pub fn new(length: usize) -> Self {
        Self::aligned(vec![0.0; length + CACHE_LINE_BYTES / size_of::<f32>()], length)
    }

    fn aligned(memory: Vec<f32>, length: usize) -> Self {
        let start = memory.as_ptr().align_offset(CACHE_LINE_BYTES).min(CACHE_LINE_BYTES / size_of::<f32>());
        Self { memory, start, length }
    }

    /// The floats. `Self::aligned` receives `length` floats and a cache line more, so the range exists.
    pub fn as_slice(&self) -> &[f32] {
        self.memory.get(self.start..self.start + self.length).unwrap_or_default()
    }

    /// The floats, as [`Self::as_slice`].
    pub fn as_mut_slice(&mut self) -> &mut [f32] {
        self.memory.get_mut(self.start..self.start + self.length).unwrap_or_default()
    }
}

/// Takes the smallest allocation of at least `length` elements; if there is none, replaces the largest by a longer one.
fn take<T: Copy + Default>(pool: &mut Vec<Vec<T>>, length: usize) -> Vec<T> {
    let fits = |i: &usize| pool[*i].len() >= length;
    let smallest = (0..pool.len()).filter(fits).min_by_key(|i| pool[*i].len());
    let chosen = smallest.or_else(|| (0..pool.len()).max_by_key(|i| pool[*i].len()));
    let mut memory = chosen.map_or_else(Vec::new, |i| pool.swap_remove(i));
    if memory.len() < length {
        memory.clear();
        memory.reserve_exact(length);
        memory.resize(length, T::default());
    }
    memory
}

impl Scratch {
    /// Takes `length` floats with unspecified contents.
    pub fn floats(&mut self, length: usize) -> Floats {
        Floats::aligned(take(&mut self.floats, length + CACHE_LINE_BYTES / size_of::<f32>()), length)
    }

    /// Returns floats to the pool.
    pub fn recycle(&mut self, floats: Floats) {
        self.floats.push(floats.memory);
    }

    /// Takes at least `length` words with unspecified contents.
    pub fn words(&mut self, length: usize) -> Vec<u32> {
        take(&mut self.words, length)
    }

    /// Returns words to the pool.
    pub fn recycle_words(&mut self, words: Vec<u32>) {
        self.words.push(words);
    }

    /// The bytes of the pool's allocations.
    pub fn bytes(&self) -> usize {
        let floats: usize = self.floats.iter().map(Vec::capacity).sum();
        let words: usize = self.words.iter().map(Vec::capacity).sum();
        (floats + words) * size_of::<u32>()
    }

    /// Frees all buffers of the pool.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recycled_memory_is_reused() {
        let mut scratch = Scratch::default();
        let floats = scratch.floats(1000);
        assert_eq!(
            (floats.as_slice().len(), floats.as_slice().as_ptr().align_offset(CACHE_LINE_BYTES)),
            (1000, 0)
        );
        scratch.recycle(floats);
        let bytes = scratch.bytes();
        for _ in 0..10 {
            let (long, short) = (scratch.floats(990), scratch.floats(0));
            assert_eq!((long.as_slice().len(), short.as_slice().len()), (990, 0));
            scratch.recycle(long);
            scratch.recycle(short);
        }
        assert!(scratch.bytes() <= bytes + 4 * 2 * 16, "{} of {bytes}", scratch.bytes());
        scratch.clear();
        assert_eq!(scratch.bytes(), 0);
    }
}
