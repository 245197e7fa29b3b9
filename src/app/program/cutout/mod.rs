//! The view that cuts instructions out of the program and reduces it. Read [`view`] first.
//!
//! `cutting` and `shrinking` are the forms of the two tasks, `result` shows the program that either produced.

mod cutting;
mod props;
mod result;
mod shrinking;
pub mod view;
