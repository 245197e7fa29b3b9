//! The kernels, natively: each against a plain reading of the definition, over all layouts, lengths and odd numbers.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::cast_lossless,
    reason = "readings of the definitions convert numbers that fit, or mean what the conversion does"
)]
#![allow(clippy::type_complexity, reason = "tables of functions")]
#![allow(clippy::float_cmp, reason = "results are to be exact")]
#![allow(clippy::many_single_char_names, reason = "operands are called what the formulas call them")]
#![allow(clippy::too_many_lines, clippy::items_after_statements, reason = "one case after the other")]

mod convert;
mod map;
mod math;
mod reduce;
mod select_and_scatter;
mod softmax;
mod support;
mod window;
