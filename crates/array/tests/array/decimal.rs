//! Decimal text is read and printed exactly as by the standard library.

use proptest::prelude::*;
use xla_array::decimal::{Rounded, fixed, parse, shortest};

fn assert_reads_like_std(text: &str) {
    let (got, expected) = (parse(text), text.parse::<f64>().ok());
    assert_eq!(got.map(f64::to_bits), expected.map(f64::to_bits), "{text}: {got:?}, not {expected:?}");
}

fn assert_prints_like_std(value: f64) {
    assert_eq!(shortest(value), value.to_string(), "{value:e}");
    for digits in [1, 2, 3, 6, 9, 15, 16, 17] {
        let rounded = Rounded::new(value, digits);
        let text = format!("{}e{}", rounded.mantissa(), rounded.exponent);
        assert_eq!(text, format!("{value:.*e}", digits - 1));
    }
    for places in 0..4 {
        assert_eq!(fixed(value, places), format!("{value:.places$}"), "{value:e}");
    }
}

/// All digits of the midpoint between a positive double and the next one.
fn middle(bits: u64) -> String {
    let (low, high) = (f64::from_bits(bits), f64::from_bits(bits + 1));
    // Every double has at most 1,074 decimal places; the mean of two has one more.
    let (low, high) = (format!("{low:.1074}"), format!("{high:.1074}"));
    let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).map(|b| b - b'0').collect::<Vec<u8>>();
    let (low, high) = (digits(&low), digits(&high));
    let padded = std::iter::repeat_n(0, high.len() - low.len()).chain(low);
    let sums: Vec<u8> = padded.zip(&high).map(|(a, b)| a + b).collect();
    let mut places = sums.len();
    // The digits of twice the mean; then those of its half, with one more digit.
    let mut carry = 0;
    let mut twice = vec![0; places + 1];
    while places > 0 {
        places -= 1;
        let sum = sums[places] + carry;
        twice[places + 1] = sum % 10;
        carry = sum / 10;
    }
    twice[0] = carry;
    let mut rest = 0;
    let mut mean = String::new();
    for digit in twice.iter().chain(&[0]) {
        let dividend = rest * 10 + digit;
        mean.push(char::from(b'0' + dividend / 2));
        rest = dividend % 2;
    }
    mean.insert(mean.len() - 1075, '.');
    mean
}

#[test]
fn numbers_at_the_limits_of_doubles() {
    let texts = [
        "0",
        "-0",
        "+0",
        "0.0",
        "000.000e5",
        "1",
        "+1",
        "-1",
        ".5",
        "5.",
        "1.e1",
        "0.1",
        "0.3",
        "1e22",
        "1e23",
        "1e-22",
        "1e-23",
        "9007199254740991",
        "9007199254740992",
        "9007199254740993",
        "9007199254740993.0000000000000000000000000000000001",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999",
        "1e27",
        "7e27",
        "12345678901234567e27",
        "12345678901234567e-27",
        "12345678901234567e28",
        "12345678901234567e-28",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "179769313486231580793e289",
        "1e308",
        "1e309",
        "1e310",
        "1e400",
        "-1e400",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "2.225073858507201e-308",
        "4.9406564584124654e-324",
        "5e-324",
        "2.5e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2e-324",
        "1e-323",
        "1e-324",
        "1e-400",
        "1e999999999",
        "1e-999999999",
        "1e99999999999999999999999",
        "-1e-99999999999999999999999",
        "0e99999999999999999999999",
        "8.98846567431158e307",
        "6.631236846766476e-316",
        "3.2378839133029012895883e-319",
    ];
    for text in texts {
        assert_reads_like_std(text);
    }
}

#[test]
fn other_texts_are_not_numbers() {
    for text in [
        "", "+", "-", ".", "e", "e5", ".e5", "1e", "1e+", "1e-", "--1", "+-1", "1-", "1.2.3", "1e5e5",
        "1e1.5", "1_000", "0x10", " 1", "1 ", "1,5", "１", "1f32", "−1", "∞",
    ] {
        assert_eq!(parse(text), None, "{text:?}");
        assert!(text.parse::<f64>().is_err(), "{text:?}");
    }
    // The standard library reads these words too; this crate has its own rules for them.
    for word in ["inf", "nan", "infinity", "-inf"] {
        assert_eq!(parse(word), None, "{word}");
    }
}

#[test]
fn a_million_digits_are_read_fast() {
    let zeros = "0".repeat(1_000_000);
    let nines = "9".repeat(1_000_000);
    for text in [
        format!("{zeros}1"),
        format!("0.{zeros}1"),
        format!("0.{nines}"),
        nines.clone(),
        format!("1.{nines}e-5"),
        format!("9007199254740993.{zeros}1"),
        format!("1e{zeros}5"),
        format!("1e{nines}"),
    ] {
        let start = std::time::Instant::now();
        assert_reads_like_std(&text);
        assert!(start.elapsed().as_secs() < 2, "{} … takes {:?}", &text[..20], start.elapsed());
    }
    // The standard library returns 0 and infinity here.
    assert_eq!(parse(&format!("0.{zeros}1e1000001")), Some(1.0));
    assert_eq!(parse(&format!("1{zeros}e-1000000")), Some(1.0));
}

#[test]
fn powers_and_their_neighbours_print_like_std() {
    let powers_of_two = (0..f64::INFINITY.to_bits() >> 52).map(|field| f64::from_bits(field << 52));
    let subnormals = (0..52).map(|bit| f64::from_bits(1 << bit));
    let powers_of_ten = (-323..309).map(|power| parse(&format!("1e{power}")).unwrap());
    let halves = (-20..20).map(|power| parse(&format!("9.995e{power}")).unwrap());
    for value in powers_of_two.chain(subnormals).chain(powers_of_ten).chain(halves) {
        for value in [value, -value, value.next_up(), value.next_down()] {
            assert_prints_like_std(value);
        }
    }
    assert_prints_like_std(f64::MAX);
    assert_eq!([f64::INFINITY, f64::NEG_INFINITY, f64::NAN].map(shortest), ["inf", "-inf", "NaN"]);
}

#[test]
fn halfway_values_between_doubles_round_to_even() {
    let mut all =
        vec![0, 1, 2, (1 << 52) - 1, 1 << 52, f64::MAX.to_bits() - 1, 1.0_f64.to_bits(), 0.1_f64.to_bits()];
    all.extend(
        (0..200)
            .map(|n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 2)
            .filter(|bits| *bits < f64::MAX.to_bits()),
    );
    for bits in all {
        let exact = middle(bits);
        assert_reads_like_std(&exact);
        assert_eq!(parse(&exact).unwrap().to_bits(), bits + (bits & 1), "{exact}");
        // A little more, and a little less.
        let (above, below) = (format!("{exact}0001"), f64::from_bits(bits));
        assert_reads_like_std(&above);
        assert_eq!(parse(&above).unwrap().to_bits(), bits + 1);
        let last = exact.rfind(|c: char| c.is_ascii_digit() && c != '0').unwrap();
        let digit = char::from(exact.as_bytes()[last] - 1);
        let less = format!("{}{digit}{}9999", &exact[..last], exact[last + 1..].replace('0', "9"));
        assert_eq!(parse(&less).unwrap().to_bits(), below.to_bits(), "{less}");
    }
}

#[allow(clippy::cast_possible_truncation, reason = "rounds to the nearest single")]
fn single(value: f64) -> f32 {
    value as f32
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn digits_with_a_point_and_an_exponent(
        text in "[+-]?[0-9]{0,30}\\.?[0-9]{0,30}(e[+-]?[0-9]{1,3})?",
    ) {
        assert_reads_like_std(&text);
    }

    #[test]
    fn long_digits(text in "[1-9][0-9]{700,900}(\\.[0-9]{0,20})?(e-?[0-9]{1,4})?") {
        assert_reads_like_std(&text);
    }

    #[test]
    fn every_double_as_it_is_printed(bits in any::<u64>()) {
        let value = f64::from_bits(bits);
        prop_assume!(value.is_finite());
        for text in [format!("{value}"), format!("{value:e}"), format!("{value:.16e}"), format!("{value:.17e}")] {
            assert_reads_like_std(&text);
        }
    }

    #[test]
    fn subnormals(bits in 0_u64..1 << 53, digits in 0_usize..25) {
        assert_reads_like_std(&format!("{:.digits$e}", f64::from_bits(bits)));
    }

    #[test]
    fn singles_with_nine_digits(bits in any::<u32>()) {
        let value = f32::from_bits(bits);
        prop_assume!(value.is_finite());
        let text = format!("{value:.8e}");
        assert_reads_like_std(&text);
        prop_assert_eq!(parse(&text).map(single), Some(value));
    }

    #[test]
    fn every_double_prints_like_std(bits in any::<u64>()) {
        let value = f64::from_bits(bits);
        prop_assume!(value.is_finite());
        assert_prints_like_std(value);
    }

    #[test]
    fn everyday_numbers_print_like_std(number in -1_000_000_i32..1_000_000, by in 1_u32..1000, single in any::<f32>()) {
        assert_prints_like_std(f64::from(number) / f64::from(by));
        assert_prints_like_std(f64::from(number) / 64.0);
        prop_assume!(single.is_finite());
        assert_prints_like_std(f64::from(single));
    }

    #[test]
    fn any_text(text in "[0-9.eE+-]{0,12}") {
        assert_reads_like_std(&text);
    }
}
