//! The gamma function's logarithm and derivatives (Lanczos's series), and the Hurwitz zeta function (Euler and Maclaurin's).

use std::f64::consts::PI;

use super::super::formula::Term;

/// The parameter g of Lanczos's series, plus a half.
const G_PLUS_HALF: f64 = 7.5;
/// The first coefficient of Lanczos's series.
const BASE: f64 = 0.999_999_999_999_809_9;
/// The further coefficients of Lanczos's series.
const LANCZOS: [f64; 8] = [
    676.520_368_121_885_1,
    -1_259.139_216_722_402_8,
    771.323_428_777_653_1,
    -176.615_029_162_140_6,
    12.507_343_278_686_905,
    -0.138_571_095_265_720_12,
    9.984_369_578_019_572e-6,
    1.505_632_735_149_311_6e-7,
];
/// `B₂ₖ / (2k)!` from k = 12 down to k = 1: the corrections of Euler and Maclaurin's sum.
const CORRECTIONS: [f64; 12] = [
    -1.0 / 7.166_165_256_175_667e18,
    1.0 / 1.815_210_540_194_354_7e17,
    -1.0 / 4.597_978_722_407_473e15,
    1.0 / 1.164_678_281_435_006_7e14,
    -1.0 / 2.950_130_727_918_164_5e12,
    1.0 / 7.472_424_96e10,
    -1.0 / 1_892_437_580.318_379_2,
    1.0 / 47_900_160.0,
    -1.0 / 1_209_600.0,
    1.0 / 30_240.0,
    -1.0 / 720.0,
    1.0 / 12.0,
];
/// The number of further terms of the zeta function that are summed before the tail is approximated.
const SUMMED_TERMS: usize = 9;

/// Whether x is below 1/2, where the reflection formula applies, and the argument of Lanczos's series: -x there, else x - 1.
fn reflected(x: Term<'_>) -> (Term<'_>, Term<'_>) {
    let is_reflected = x.compare_number("LT", 0.5);
    (is_reflected, is_reflected.select(-x, x - 1.0))
}

/// `ln(z + 7.5)`, accurate for small z.
fn log_shifted(z: Term<'_>) -> Term<'_> {
    (z / G_PLUS_HALF).apply("log-plus-one") + G_PLUS_HALF.ln()
}

/// Lanczos's series.
fn lanczos(z: Term<'_>) -> Term<'_> {
    let mut sum = z.constant(BASE);
    for (coefficient, shift) in LANCZOS.iter().zip(1_u8..) {
        sum = z.constant(*coefficient) / (z + f64::from(shift)) + sum;
    }
    sum
}

/// `ln |Γ(x)|`.
pub(super) fn log_gamma(x: Term<'_>) -> Term<'_> {
    let (is_reflected, z) = reflected(x);
    let log = log_shifted(z);
    let main = (z + 0.5 - (z + G_PLUS_HALF) / log) * log + (2.0 * PI).sqrt().ln() + lanczos(z).apply("log");
    // Γ(x) Γ(1 - x) = π / sin πx, with the sine of the fraction for its accuracy.
    let size = x.apply("abs");
    let fraction = size - size.apply("floor");
    let fraction =
        fraction.constant(0.5).compare("LT", fraction).select(x.constant(1.0) - fraction, fraction);
    let log_sine = (fraction * PI).apply("sine").apply("log");
    let reflection = x.constant(PI.ln()) - log_sine - main;
    let reflection = log_sine.is_finite().select(reflection, -log_sine);
    let value = is_reflected.select(reflection, main);
    size.compare_number("EQ", f64::INFINITY).select(x.constant(f64::INFINITY), value)
}

/// The derivative of `ln Γ(x)`.
pub(super) fn digamma(x: Term<'_>) -> Term<'_> {
    let (is_reflected, z) = reflected(x);
    let (mut numerator, mut denominator) = (z.constant(0.0), z.constant(BASE));
    for (coefficient, shift) in LANCZOS.iter().zip(1_u8..) {
        let (coefficient, shifted) = (z.constant(*coefficient), z + f64::from(shift));
        numerator = numerator - coefficient / (shifted * shifted);
        denominator = coefficient / shifted + denominator;
    }
    let g = z.constant(G_PLUS_HALF - 0.5);
    let main = log_shifted(z) + numerator / denominator - g / (z + G_PLUS_HALF);
    let angle = (x + (x + 0.5).apply("floor").apply("abs")) * PI;
    let reflection = main - angle.apply("cosine") * PI / angle.apply("sine");
    let value = is_reflected.select(reflection, main);
    let is_pole = x.compare_number("LE", 0.0).with("and", x.compare("EQ", x.apply("floor")));
    is_pole.select(x.constant(f64::NAN), value)
}

/// The derivative of digamma, of this order.
pub(super) fn polygamma<'f>(order: Term<'f>, x: Term<'f>, is_double: bool) -> Term<'f> {
    // (-1)^(order + 1)
    let sign = order.with("remainder", order.constant(2.0)) * 2.0 - 1.0;
    let next = order + 1.0;
    let derivative = sign * log_gamma(next).apply("exponential") * zeta(next, x, is_double);
    let value = order.compare_number("EQ", 0.0).select(digamma(x), derivative);
    let is_invalid = order.compare("NE", order.apply("floor")).with("or", order.compare_number("LT", 0.0));
    is_invalid.select(x.constant(f64::NAN), value)
}

/// The Hurwitz zeta function, `∑ (q + k)^-x`.
pub(super) fn zeta<'f>(x: Term<'f>, q: Term<'f>, is_double: bool) -> Term<'f> {
    let mut last = q;
    let mut sum = q.with("power", -x);
    for _ in 0..SUMMED_TERMS {
        last = last + 1.0;
        sum = sum + last.with("power", -x);
    }
    last = last + 1.0;
    let term = last.with("power", -x);
    let inverse_square = x.constant(1.0) / (last * last);
    let mut correction: Option<Term<'_>> = None;
    for (coefficient, k) in CORRECTIONS.iter().zip((0_u8..12).rev()) {
        let next = correction.map_or_else(
            || x.constant(*coefficient),
            |inner| {
                // (x + 2k + 2) (x + 2k + 1)
                let k = f64::from(k);
                (x + (2.0 * k + 2.0)) * (x + (2.0 * k + 1.0)) * (inverse_square * inner) + *coefficient
            },
        );
        correction = Some(next);
    }
    let correction = correction.map_or(x, |inner| x / last * inner);
    let tail = term * last / (x - 1.0);
    let value = sum + tail + term * (correction + 0.5);
    // A last term below the resolution of the sum has no correction.
    let resolution = if is_double { f64::from_bits(1) } else { f64::from(f32::from_bits(1)) };
    let is_converged = term.apply("abs").compare("LT", sum.apply("abs") * resolution);
    let value = is_converged.select(sum, value);
    let nan = x.constant(f64::NAN);
    let infinity = x.constant(f64::INFINITY);
    let value = x.compare_number("LT", 1.0).select(nan, value);
    let is_negative = q.compare_number("LE", 0.0);
    let value = is_negative.with("and", x.compare("NE", x.apply("floor"))).select(nan, value);
    let is_even = x
        .compare("EQ", x.apply("floor"))
        .with("and", x.with("remainder", x.constant(2.0)).compare_number("EQ", 0.0));
    let is_pole = is_negative.with("and", q.compare("EQ", q.apply("floor")));
    let value = is_pole.select(is_even.select(infinity, nan), value);
    x.compare_number("EQ", 1.0).select(infinity, value)
}
