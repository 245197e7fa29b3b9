//! The content of the documentation: a file per group of sections, in the documentation's order in [`SECTIONS`].

mod binary;
mod comparison;
mod computations;
mod control;
mod convolution;
mod dot;
mod host;
mod movement;
mod padding;
mod random;
mod reduce;
mod reshape;
mod scatter;
mod selection;
mod slices;
mod unary;
mod windows;

use crate::entry::Section;

/// The sections of the Operation Semantics of 2017, in their order.
pub static SECTIONS: &[Section] = &[
    movement::BROADCAST,
    control::CALL,
    reshape::COLLAPSE,
    movement::CONCATENATE,
    movement::CONVERT,
    convolution::CONV,
    convolution::GENERAL,
    host::CROSS_REPLICA_SUM,
    host::CUSTOM_CALL,
    dot::DOT,
    binary::BINARY,
    comparison::COMPARISON,
    unary::UNARY,
    control::GET_TUPLE_ELEMENT,
    host::INFEED,
    control::MAP,
    padding::PAD,
    reduce::REDUCE,
    windows::REDUCE_WINDOW,
    reshape::RESHAPE,
    movement::REV,
    random::BERNOULLI,
    random::NORMAL,
    random::UNIFORM,
    scatter::SELECT_AND_SCATTER,
    selection::SELECT,
    slices::SLICE,
    slices::DYNAMIC_SLICE,
    slices::DYNAMIC_UPDATE_SLICE,
    selection::SORT,
    reshape::TRANSPOSE,
    control::TUPLE,
    control::WHILE,
];
