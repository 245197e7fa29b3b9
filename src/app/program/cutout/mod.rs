//! The view that cuts instructions out of the program and reduces it. Read [`view`] first.
//!
//! `cutting` and `shrinking` are the forms of the two tasks, `result` is the program that either made.

mod cutting;
mod props;
mod result;
mod shrinking;
pub mod view;
