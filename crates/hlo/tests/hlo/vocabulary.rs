//! The ops are the opcodes of XLA.

/// The opcodes of `HloOpcode`, as of 2026.
const XLA_OPCODES: &str = "
    abs acos acosh add add-dependency after-all all-gather all-gather-done all-gather-start all-reduce
    all-reduce-done all-reduce-start all-to-all and asin asinh async-done async-start async-update atan2 atanh
    batch-norm-grad batch-norm-inference batch-norm-training bitcast bitcast-convert broadcast call cbrt ceil
    cholesky clamp collective-broadcast collective-permute collective-permute-start collective-permute-done
    compare complex concatenate conditional constant convert convolution copy copy-start copy-done cosh cosine
    count-leading-zeros custom-call divide domain dot dynamic-reshape dynamic-slice dynamic-update-slice erf
    exponential exponential-minus-one fft floor fusion gather get-dimension-size get-tuple-element imag infeed
    iota is-finite log log-plus-one logistic map maximum minimum mulhi multiply negate not opt-barrier or
    outfeed pad parameter partition-id popcnt power ragged-all-to-all ragged-dot real recv recv-done reduce
    reduce-precision reduce-scatter remainder replica-id reshape reverse rng rng-bit-generator
    rng-get-and-update-state round-nearest-afz round-nearest-even rsqrt scaled-dot scan scatter select
    select-and-scatter send send-done set-dimension-size shift-left shift-right-arithmetic shift-right-logical
    sign sine sinh slice sort sqrt stochastic-convert subtract tan tanh topk transpose triangular-solve tuple
    while xor reduce-window
";

#[test]
fn every_opcode_of_xla_is_an_op() {
    let missing: Vec<&str> =
        XLA_OPCODES.split_whitespace().filter(|opcode| xla_ops::find(opcode).is_none()).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(XLA_OPCODES.split_whitespace().count() > 130);
}

#[test]
fn every_op_is_an_opcode_of_xla() {
    let unknown: Vec<&str> = xla_ops::all()
        .map(|op| op.meta().opcode)
        .filter(|opcode| !XLA_OPCODES.split_whitespace().any(|v| v == *opcode))
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
