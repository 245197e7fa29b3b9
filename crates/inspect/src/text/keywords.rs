//! Meanings of keywords that are values of attributes, such as `GE` and `kLoop`.

use xla_messages::i18n::Message;

/// The meaning of a keyword as the value of an attribute.
pub(super) fn meaning(name: &str, word: &str) -> Option<Message> {
    let key = match (name, word) {
        ("direction", "EQ") => "inspect-direction-eq",
        ("direction", "NE") => "inspect-direction-ne",
        ("direction", "GE") => "inspect-direction-ge",
        ("direction", "GT") => "inspect-direction-gt",
        ("direction", "LE") => "inspect-direction-le",
        ("direction", "LT") => "inspect-direction-lt",
        ("type", "FLOAT") => "inspect-compare-float",
        ("type", "TOTALORDER") => "inspect-compare-total",
        ("type", "SIGNED") => "inspect-compare-signed",
        ("type", "UNSIGNED") => "inspect-compare-unsigned",
        ("kind", "kLoop") => "inspect-fusion-loop",
        ("kind", "kInput") => "inspect-fusion-input",
        ("kind", "kOutput") => "inspect-fusion-output",
        ("kind", "kCustom") => "inspect-fusion-custom",
        ("fft_type", "FFT") => "inspect-fft",
        ("fft_type", "IFFT") => "inspect-ifft",
        ("fft_type", "RFFT") => "inspect-rfft",
        ("fft_type", "IRFFT") => "inspect-irfft",
        ("distribution", "rng_uniform") => "inspect-rng-uniform",
        ("distribution", "rng_normal") => "inspect-rng-normal",
        ("algorithm", "rng_three_fry") => "inspect-rng-three-fry",
        ("algorithm", "rng_philox") => "inspect-rng-philox",
        ("algorithm", "rng_default") => "inspect-rng-default",
        ("transpose_a", "NO_TRANSPOSE") => "inspect-transpose-no",
        ("transpose_a", "TRANSPOSE") => "inspect-transpose-yes",
        ("transpose_a", "ADJOINT") => "inspect-transpose-adjoint",
        _ => return None,
    };
    Some(Message::inspect(key))
}
