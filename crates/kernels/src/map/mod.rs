//! Element-wise operations.

pub mod blocks;
pub mod convert;
pub mod dispatch;
pub mod float;
pub mod half;
pub mod loops;
pub mod wide;
