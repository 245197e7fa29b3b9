//! The kernels, natively: each against a plain reading of the definition, over all layouts, lengths and odd numbers.

#![allow(
    clippy::many_single_char_names,
    clippy::needless_range_loop,
    clippy::cast_possible_wrap,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    clippy::too_many_lines,
    clippy::inconsistent_digit_grouping,
    clippy::items_after_statements,
    clippy::cast_lossless,
    clippy::type_complexity,
    clippy::match_same_arms,
    clippy::needless_pass_by_value,
    reason = "definitions written as plainly as they can be, with the names of their formulas"
)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

mod convert;
mod convolution;
mod dot;
mod gather;
mod held;
mod map;
mod math;
mod reduce;
mod select_and_scatter;
mod softmax;
mod sort;
mod soundness;
mod support;
mod transfer;
mod window;
