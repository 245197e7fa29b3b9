//! Colours: luminance, distance, and simulation of colour vision deficiencies.
//!
//! Everything is computed from the 8-bit sRGB value and is the same on every machine.
//! Sources: sRGB is IEC 61966-2-1; luminance and contrast are WCAG 2.2; OKLab is Ottosson 2020; colour vision is
//! simulated as in Machado, Oliveira and Fernandes 2009, severity 1. `tests/view/palette.rs` checks
//! [`super::palette`] with these measures.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use super::pixels::clamped;

use thiserror::Error;

/// An opaque sRGB colour with 8 bits per channel, printed as `#rrggbb`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rgb(pub [u8; 3]);

/// The error of text that is not a colour.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a colour; write # and six hexadecimal digits, such as #1f4fd8")]
pub struct ParseColourError(String);

/// A kind of colour vision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vision {
    /// All three kinds of cones.
    Normal,
    /// Without the cones for long waves.
    Protan,
    /// Without the cones for middle waves.
    Deutan,
    /// Without the cones for short waves.
    Tritan,
}

impl Vision {
    /// All kinds of vision.
    pub const ALL: [Self; 4] = [Self::Normal, Self::Protan, Self::Deutan, Self::Tritan];

    /// The simulation matrix on linear red, green and blue.
    fn matrix(self) -> [[f64; 3]; 3] {
        match self {
            Self::Normal => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            Self::Protan => [
                [0.152_286, 1.052_583, -0.204_868],
                [0.114_503, 0.786_281, 0.099_216],
                [-0.003_882, -0.048_116, 1.051_998],
            ],
            Self::Deutan => [
                [0.367_322, 0.860_646, -0.227_968],
                [0.280_085, 0.672_501, 0.047_413],
                [-0.011_820, 0.042_940, 0.968_881],
            ],
            Self::Tritan => [
                [1.255_528, -0.076_749, -0.178_779],
                [-0.078_411, 0.930_809, 0.147_602],
                [0.004_733, 0.691_367, 0.303_900],
            ],
        }
    }
}

/// A colour in a perceptually uniform space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OkLab {
    /// Lightness, from 0 (black) to 1 (white).
    pub lightness: f64,
    /// From green (negative) to red.
    pub a: f64,
    /// From blue (negative) to yellow.
    pub b: f64,
}

impl OkLab {
    /// Euclidean distance; black to white is 1.
    pub fn distance(self, other: Self) -> f64 {
        let (l, a, b) = (self.lightness - other.lightness, self.a - other.a, self.b - other.b);
        (l * l + a * a + b * b).sqrt()
    }
}

/// A power of a positive number. `f64::powf` is more precise by some ulps, which no channel shows, and takes two kilobytes more of the
/// page's first download.
fn power(base: f64, exponent: f64) -> f64 {
    (exponent * base.ln()).exp()
}

/// The linear value of each 8-bit channel value.
static LINEAR: LazyLock<[f64; 256]> = LazyLock::new(|| {
    let mut table = [0.0; 256];
    for (slot, value) in table.iter_mut().zip(0_u8..=255) {
        let v = f64::from(value) / 255.0;
        *slot = if v <= 0.040_45 { v / 12.92 } else { power((v + 0.055) / 1.055, 2.4) };
    }
    table
});

/// Rounds and clamps a value to a channel; NaN becomes 0.
pub(super) fn channel(value: f64) -> u8 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the value is clamped to 0..=255, and `as` saturates"
    )]
    let rounded = clamped(value, 0.0, 255.0).round() as u8;
    rounded
}

fn times(matrix: [[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

/// OKLab of linear red, green and blue.
fn ok_lab(linear: [f64; 3]) -> OkLab {
    let cones = times(
        [
            [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9],
            [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6],
            [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5],
        ],
        linear,
    );
    let [lightness, a, b] = times(
        [
            [0.210_454_255_3, 0.793_617_785_0, -0.004_072_046_8],
            [1.977_998_495_1, -2.428_592_205_0, 0.450_593_709_9],
            [0.025_904_037_1, 0.782_771_766_2, -0.808_675_766_0],
        ],
        cones.map(f64::cbrt),
    );
    OkLab { lightness, a, b }
}

impl Rgb {
    /// #000000.
    pub const BLACK: Self = Self([0; 3]);
    /// #ffffff.
    pub const WHITE: Self = Self([255; 3]);

    /// The colour `0xrrggbb`; higher bits are ignored.
    pub const fn hex(value: u32) -> Self {
        let [_, r, g, b] = value.to_be_bytes();
        Self([r, g, b])
    }

    /// Linear red, green and blue, from 0 to 1.
    pub fn linear(self) -> [f64; 3] {
        self.0.map(|c| LINEAR[usize::from(c)])
    }

    /// The nearest colour to linear red, green and blue, which are clamped to 0 to 1.
    pub fn from_linear(linear: [f64; 3]) -> Self {
        Self(linear.map(|v| {
            let encoded = if v <= 0.003_130_8 { v * 12.92 } else { 1.055 * power(v, 1.0 / 2.4) - 0.055 };
            channel(encoded * 255.0)
        }))
    }

    /// OKLab for normal colour vision.
    pub fn ok_lab(self) -> OkLab {
        ok_lab(self.linear())
    }

    /// OKLab of this colour as seen with `vision`.
    pub fn seen_by(self, vision: Vision) -> OkLab {
        ok_lab(times(vision.matrix(), self.linear()).map(|v| clamped(v, 0.0, 1.0)))
    }

    /// The minimum of the OKLab distances, times 100, over all kinds of colour vision.
    pub fn min_distance(self, other: Self) -> f64 {
        let distances = Vision::ALL.map(|v| self.seen_by(v).distance(other.seen_by(v)) * 100.0);
        distances.into_iter().fold(f64::INFINITY, f64::min)
    }

    /// WCAG relative luminance, from 0 (black) to 1 (white).
    pub fn luminance(self) -> f64 {
        let [r, g, b] = self.linear();
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    /// WCAG contrast ratio, from 1 to 21.
    pub fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Black or white, whichever has more contrast with this colour. The contrast is at least √21 ≈ 4.58, since the
    /// product of the two ratios is 21.
    #[must_use]
    pub fn text_colour(self) -> Self {
        if self.contrast(Self::BLACK) >= self.contrast(Self::WHITE) { Self::BLACK } else { Self::WHITE }
    }

    /// This colour painted over `background` with an opacity from 0 to 1, blended in sRGB like browsers do.
    #[must_use]
    pub fn painted_over(self, background: Self, alpha: f64) -> Self {
        self.mixed(background, 1.0 - alpha)
    }

    /// Linear interpolation in sRGB: this colour at `t` 0, `other` at 1.
    #[must_use]
    pub fn mixed(self, other: Self, t: f64) -> Self {
        let mix = |a: u8, b: u8| channel(f64::from(a) + (f64::from(b) - f64::from(a)) * t);
        let ([r, g, b], [r2, g2, b2]) = (self.0, other.0);
        Self([mix(r, r2), mix(g, g2), mix(b, b2)])
    }
}

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [r, g, b] = self.0;
        write!(f, "#{r:02x}{g:02x}{b:02x}")
    }
}

impl FromStr for Rgb {
    type Err = ParseColourError;

    /// Reads `#rrggbb`, in either case.
    fn from_str(text: &str) -> Result<Self, ParseColourError> {
        let error = || ParseColourError(text.to_owned());
        let digits = text.strip_prefix('#').ok_or_else(error)?;
        if digits.len() != 6 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(error());
        }
        u32::from_str_radix(digits, 16).map(Self::hex).map_err(|_| error())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance, "{a} is not within {tolerance} of {b}");
    }

    #[test]
    fn hex_is_read_and_printed() {
        assert_eq!("#1F4fd8".parse(), Ok(Rgb([0x1f, 0x4f, 0xd8])));
        assert_eq!(Rgb::hex(0x1f_4f_d8).to_string(), "#1f4fd8");
        for bad in ["", "#", "1f4fd8", "#1f4fd", "#1f4fd88", "#+f4fd8", "#é4fd8"] {
            assert_eq!(bad.parse::<Rgb>(), Err(ParseColourError(bad.to_owned())));
        }
    }

    #[test]
    fn linear_values_round_trip() {
        for v in 0..=255 {
            let colour = Rgb([v, 255 - v, v / 2]);
            assert_eq!(Rgb::from_linear(colour.linear()), colour);
        }
        assert_eq!(Rgb::from_linear([-1.0, 2.0, f64::NAN]), Rgb([0, 255, 0]));
    }

    #[test]
    fn contrast_matches_wcag() {
        assert_near(Rgb::BLACK.contrast(Rgb::WHITE), 21.0, 1e-9);
        // #767676 is the lightest grey that is readable on white, #777777 is not: an example of WCAG.
        assert!(Rgb::hex(0x76_76_76).contrast(Rgb::WHITE) >= 4.5);
        assert!(Rgb::hex(0x77_77_77).contrast(Rgb::WHITE) < 4.5);
    }

    #[test]
    fn ok_lab_matches_the_published_values() {
        let red = Rgb::hex(0xff_00_00).ok_lab();
        assert_near(red.lightness, 0.627_96, 1e-4);
        assert_near(red.a, 0.224_86, 1e-4);
        assert_near(red.b, 0.125_85, 1e-4);
        assert_near(Rgb::WHITE.ok_lab().distance(Rgb::BLACK.ok_lab()), 1.0, 1e-6);
    }

    #[test]
    fn colour_vision_affects_red_and_green_but_not_greys() {
        let grey = Rgb::hex(0x80_80_80);
        for vision in Vision::ALL {
            assert_near(grey.seen_by(vision).distance(grey.ok_lab()), 0.0, 1e-4);
        }
        let (red, green) = (Rgb::hex(0xa0_50_40), Rgb::hex(0x60_70_30));
        let distance = |v| red.seen_by(v).distance(green.seen_by(v));
        assert!(distance(Vision::Deutan) < 0.5 * distance(Vision::Normal));
        let min_distance = distance(Vision::Deutan).min(distance(Vision::Protan));
        assert_near(red.min_distance(green), 100.0 * min_distance, 1e-9);
    }

    #[test]
    fn black_or_white_is_readable_on_every_colour() {
        let steps = || (0..=255_u8).step_by(5);
        for r in steps() {
            for g in steps() {
                for b in steps() {
                    let colour = Rgb([r, g, b]);
                    assert!(colour.text_colour().contrast(colour) >= 4.5, "{colour}");
                }
            }
        }
    }

    #[test]
    fn blending_interpolates_each_channel() {
        assert_eq!(Rgb::BLACK.painted_over(Rgb::WHITE, 0.2), Rgb([204; 3]));
        assert_eq!(Rgb::BLACK.painted_over(Rgb::WHITE, 1.0), Rgb::BLACK);
        assert_eq!(Rgb::BLACK.mixed(Rgb([10, 20, 30]), 0.5), Rgb([5, 10, 15]));
    }
}
