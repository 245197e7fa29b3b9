//! A position or value that inputs continue from, however fast they follow one another.

use std::cell::RefCell;
use std::rc::Rc;

use yew::prelude::*;

/// The position or value at the last rendering, or what a key has made of it since then.
///
/// While the page is busy, the browser may dispatch several keys before the next rendering. Each continues from what the one before
/// has made, not from what is still displayed.
#[derive(Clone)]
pub struct Latest<T>(Rc<RefCell<T>>);

impl<T: Clone> Latest<T> {
    /// The position.
    pub fn get(&self) -> T {
        self.0.borrow().clone()
    }

    /// Sets the position to which a key has moved.
    pub fn set(&self, to: T) {
        *self.0.borrow_mut() = to;
    }
}

impl Latest<i64> {
    /// Moves by a number of positions, of which `last` is the last, and returns where that leads.
    pub fn step(&self, by: i64, last: i64) -> i64 {
        let to = (self.get() + by).clamp(0, last);
        self.set(to);
        to
    }
}

/// The latest position; at each rendering it is `current`.
#[hook]
pub fn use_latest<T: Clone + 'static>(current: T) -> Latest<T> {
    let latest = use_mut_ref(|| current.clone());
    *latest.borrow_mut() = current;
    Latest(latest)
}
