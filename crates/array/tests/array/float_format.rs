//! The float formats, exhaustively: every code, every midpoint, and independent oracles for the wide types.

#![allow(
    clippy::float_cmp,
    clippy::cast_possible_truncation,
    reason = "the tests are about exact values and the machine's own rounding"
)]

use xla_array::ElementType;
use xla_array::float_format::{FloatFormat, FloatKind};

fn power_of_two(exponent: i32) -> f64 {
    2.0_f64.powi(exponent)
}

fn small() -> impl Iterator<Item = (ElementType, FloatFormat)> {
    ElementType::ALL
        .iter()
        .filter_map(|t| FloatFormat::of(*t).map(|f| (*t, f)))
        .filter(|(t, _)| t.bits() <= 16)
}

#[test]
fn every_float_type_has_a_format_of_its_width() {
    for t in ElementType::ALL {
        assert_eq!(FloatFormat::of(*t).map(FloatFormat::bits), t.is_floating().then(|| t.bits()), "{t}");
    }
}

#[test]
fn every_code_survives_decode_then_encode() {
    for (t, format) in small() {
        for bits in 0..1_u64 << t.bits() {
            assert_eq!(format.encode(format.decode(bits)), bits, "{t} {bits:#x}");
        }
    }
}

#[test]
fn midpoints_go_to_the_even_code_and_their_neighbours_to_the_nearest() {
    for (t, format) in small().filter(|(_, f)| f.is_signed()) {
        for low in 0..format.max() {
            let (a, b) = (format.decode(low), format.decode(low + 1));
            let middle = f64::midpoint(a, b);
            assert_eq!(format.encode(middle), low + (low & 1), "{t} {middle}");
            assert_eq!(format.encode(middle.next_down()), low, "{t} below {middle}");
            assert_eq!(format.encode(middle.next_up()), low + 1, "{t} above {middle}");
            let negative = format.encode(-middle.next_up());
            assert_eq!(negative, format.sign_mask() | (low + 1), "{t} {middle}");
        }
    }
}

#[test]
fn the_wide_formats_agree_with_the_machine() {
    let [single, double] = [ElementType::F32, ElementType::F64].map(|t| FloatFormat::of(t).unwrap());
    let mut state = 1_u64;
    for _ in 0..200_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let value = f64::from_bits(state ^ state >> 29);
        assert_eq!(double.encode(value), value.to_bits());
        assert_eq!(double.decode(value.to_bits()).to_bits(), value.to_bits());
        // Spread over the range of f32, subnormals included.
        let value = f64::from_bits((state >> 63 << 63) | (860 + (state >> 40) % 310) << 52 | state >> 12);
        assert_eq!(single.encode(value), u64::from((value as f32).to_bits()), "{value:e}");
        let code = (state >> 32) as u32;
        if !f32::from_bits(code).is_nan() {
            assert_eq!(single.decode(u64::from(code)), f64::from(f32::from_bits(code)));
        }
    }
}

#[test]
fn sixteen_bits_agree_with_half() {
    let [f16, bf16] = [ElementType::F16, ElementType::BF16].map(|t| FloatFormat::of(t).unwrap());
    let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
    for bits in 0..=u16::MAX {
        assert!(same(f16.decode(bits.into()), half::f16::from_bits(bits).to_f64()));
        assert!(same(bf16.decode(bits.into()), half::bf16::from_bits(bits).to_f64()));
    }
    let mut state = 7_u64;
    for _ in 0..200_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // From an `f32`: the oracle's own conversion of an `f64` drops its lowest bits before it rounds.
        let value = f64::from_bits((state >> 63 << 63) | (880 + (state >> 40) % 290) << 52 | state >> 12);
        let value = value as f32;
        assert_eq!(f16.encode(value.into()), u64::from(half::f16::from_f32(value).to_bits()), "{value:e}");
        assert_eq!(bf16.encode(value.into()), u64::from(half::bf16::from_f32(value).to_bits()), "{value:e}");
    }
}

#[test]
fn the_largest_and_smallest_values_are_those_of_the_specification() {
    let table = [
        ("f16", 65504.0, -14, -24),
        ("f8e5m2", 57344.0, -14, -16),
        ("f8e4m3", 240.0, -6, -9),
        ("f8e3m4", 15.5, -2, -6),
        ("f8e4m3fn", 448.0, -6, -9),
        ("f8e4m3b11fnuz", 30.0, -10, -13),
        ("f8e5m2fnuz", 57344.0, -15, -17),
        ("f8e4m3fnuz", 240.0, -7, -10),
        ("f6e3m2fn", 28.0, -2, -4),
        ("f6e2m3fn", 7.5, 0, -3),
        ("f4e2m1fn", 6.0, 0, -1),
    ];
    for (name, max, normal, positive) in table {
        let f = FloatFormat::of(ElementType::from_name(name).unwrap()).unwrap();
        assert_eq!(f.decode(f.max()), max, "{name}");
        assert_eq!(f.decode(f.lowest()), -max, "{name}");
        assert_eq!(f.decode(f.min_normal()), power_of_two(normal), "{name}");
        assert_eq!(f.decode(f.min_positive()), power_of_two(positive), "{name}");
        assert_eq!(f.decode(f.encode(1.0) + 1), 1.0 + f.epsilon(), "{name}");
    }
}

#[test]
fn overflow_follows_the_kind() {
    for (t, f) in small() {
        let (over, inf) = (f.encode(1e300), f.encode(f64::INFINITY));
        assert_eq!(over, inf, "{t}");
        match f.kind {
            FloatKind::Ieee => assert_eq!(Some(over), f.infinity()),
            FloatKind::FiniteOnly => assert_eq!((over, f.encode(f64::NAN)), (f.max(), f.sign_mask())),
            _ => assert!(f.is_nan(over), "{t}"),
        }
        assert_eq!(f.nan().is_some_and(|nan| f.encode(f64::NAN) == nan), f.nan().is_some(), "{t}");
    }
    let f = FloatFormat::of(ElementType::F8E4M3FN).unwrap();
    // 464 is the midpoint of 448 and 480, which is not in the format; 448 is the even one.
    assert_eq!((f.encode(464.0), f.encode(464.1), f.encode(-1e9)), (0x7E, 0x7F, 0xFF));
    let f = FloatFormat::of(ElementType::F8E4M3FNUZ).unwrap();
    assert_eq!((f.encode(-0.0), f.encode(-1e-9), f.encode(f64::NAN)), (0, 0, 0x80));
    let f = FloatFormat::of(ElementType::F16).unwrap();
    assert_eq!((f.encode(65519.99), f.encode(65520.0)), (0x7BFF, 0x7C00));
}

#[test]
fn powers_of_two_round_to_the_nearest_and_ties_go_up() {
    let f = FloatFormat::of(ElementType::F8E8M0FNU).unwrap();
    let tiny = power_of_two(-127);
    for value in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, power_of_two(127) * 1.5] {
        assert_eq!(f.encode(value), 0xFF, "{value}");
    }
    for (value, code) in
        [(tiny, 0), (tiny / 1024.0, 0), (tiny * 1.49, 0), (tiny * 1.5, 1), (tiny * 2.99, 1), (tiny * 3.0, 2)]
    {
        assert_eq!(f.encode(value), code, "{value}");
    }
    for (value, power) in [(1.0, 0), (1.49, 0), (1.5, 1), (2.99, 1), (3.0, 2), (1.7e38, 127)] {
        assert_eq!(f.decode(f.encode(value)), power_of_two(power), "{value}");
    }
}
