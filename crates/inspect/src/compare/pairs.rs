//! One-to-one matchings of numbered items.

/// A one-to-one matching of the items of two lists.
#[derive(Clone, Debug)]
pub(super) struct Pairs<T> {
    pub forward: Vec<Option<T>>,
    pub backward: Vec<Option<T>>,
}

impl<T: Copy> Pairs<T> {
    pub fn new(forward: usize, backward: usize) -> Self {
        Self { forward: vec![None; forward], backward: vec![None; backward] }
    }

    /// Whether both are unmatched.
    pub fn are_free(&self, a: usize, b: usize) -> bool {
        let is_free = |side: &[Option<T>], index: usize| side.get(index).is_some_and(Option::is_none);
        is_free(&self.forward, a) && is_free(&self.backward, b)
    }

    /// Matches two unmatched items.
    pub fn set(&mut self, a: (usize, T), b: (usize, T)) {
        if self.are_free(a.0, b.0) {
            self.forward[a.0] = Some(b.1);
            self.backward[b.0] = Some(a.1);
        }
    }
}
