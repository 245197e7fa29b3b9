//! The colours of the two themes, by role.
//!
//! Invariant: `styles/tokens.css` has the same values under the names of [`Theme::tokens`]. `tests/view/palette.rs` checks
//! that, and the contrasts and distances documented here. The dimension colours are the result of a search: the minimum
//! OKLab distance (× 100) between two of them over all kinds of colour vision is 11.2 (light) and 11.6 (dark), 13.2 and
//! 14.9 among the first three, each with a text contrast of 4.5. See [`super::scene`] for the roles, [`super::colour`]
//! for the measures.

use super::colour::Rgb;
use super::colour_map::{INFINITY_COLOUR, NAN_COLOUR, NEGATIVE_INFINITY_COLOUR};
use super::scene::Ink;

/// The font of pictures, as in `styles/tokens.css`: the system's monospaced font.
pub const MONO: &str = r#"ui-monospace, "JetBrains Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace"#;

/// The period of the hatch pattern, in CSS pixels, aligned to the picture's corner.
pub const HATCH_SIDE: f64 = 8.0;

/// The lines of one period, 1 CSS pixel wide in [`Ink::Hatch`]; they extend beyond it to join those of the next.
pub const HATCH_LINES: [[(f64, f64); 2]; 3] =
    [[(-1.0, -1.0), (9.0, 9.0)], [(-1.0, 7.0), (1.0, 9.0)], [(7.0, -1.0), (9.0, 1.0)]];

/// The opacity of [`Ink::Shade`].
const SHADE_OPACITY: f64 = 0.3;

/// The opacity of [`Ink::Tint`].
const TINT_OPACITY: f64 = 0.2;

/// The colours of one theme.
///
/// On `background`, `surface` and `sunken`: text colours have a contrast of at least 4.5, `line_strong` and the outlines
/// at least 3. `line` and `hatch` are decorative and have no minimum contrast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Theme {
    /// The background of the page.
    pub background: Rgb,
    /// Panels, raised above the page.
    pub surface: Rgb,
    /// Wells: pressed buttons, code.
    pub sunken: Rgb,
    /// Decorative hairlines.
    pub line: Rgb,
    /// Lines that carry meaning: the border of a field, cache lines, the edge of padding.
    pub line_strong: Rgb,
    /// Primary text.
    pub strong: Rgb,
    /// Secondary text.
    pub soft: Rgb,
    /// Tertiary text.
    pub faint: Rgb,
    /// The one accent: links, the main button, the focus ring.
    pub accent: Rgb,
    /// Text on the accent.
    pub on_accent: Rgb,
    /// Text of errors, also on `danger_background`.
    pub danger: Rgb,
    /// The background of an error.
    pub danger_background: Rgb,
    /// Text of success messages.
    pub good: Rgb,
    /// The outline of the selected cell.
    pub select: Rgb,
    /// The outline of the hovered cell.
    pub hover: Rgb,
    /// Strokes of the hatch.
    pub hatch: Rgb,
    /// Opacity of the hatch's strokes.
    pub hatch_alpha: f64,
    /// Dimensions 0 to 5; also usable as text.
    pub dimensions: [Rgb; 6],
}

impl Theme {
    /// Dark on light.
    pub const fn light() -> Self {
        Self {
            background: Rgb::hex(0xff_ff_ff),
            surface: Rgb::hex(0xf7_f7_f5),
            sunken: Rgb::hex(0xef_ef_ec),
            line: Rgb::hex(0xdc_dc_d7),
            line_strong: Rgb::hex(0x83_83_7d),
            strong: Rgb::hex(0x16_16_1a),
            soft: Rgb::hex(0x55_55_5c),
            faint: Rgb::hex(0x65_65_6c),
            accent: Rgb::hex(0x1f_4f_d8),
            on_accent: Rgb::hex(0xff_ff_ff),
            danger: Rgb::hex(0xb3_26_1e),
            danger_background: Rgb::hex(0xfd_ee_ec),
            good: Rgb::hex(0x1b_6e_3c),
            select: Rgb::hex(0x16_16_1a),
            hover: Rgb::hex(0x1f_4f_d8),
            hatch: Rgb::hex(0x16_16_1a),
            hatch_alpha: 0.16,
            dimensions: [
                Rgb::hex(0x21_3d_93),
                Rgb::hex(0xa8_46_04),
                Rgb::hex(0x02_79_74),
                Rgb::hex(0x76_03_5a),
                Rgb::hex(0x80_50_c2),
                Rgb::hex(0x42_3a_00),
            ],
        }
    }

    /// Light on dark.
    pub const fn dark() -> Self {
        Self {
            background: Rgb::hex(0x11_13_18),
            surface: Rgb::hex(0x19_1c_23),
            sunken: Rgb::hex(0x0c_0e_12),
            line: Rgb::hex(0x2c_31_3b),
            line_strong: Rgb::hex(0x6f_76_82),
            strong: Rgb::hex(0xec_ee_f2),
            soft: Rgb::hex(0xaa_b1_bd),
            faint: Rgb::hex(0x8d_95_a3),
            accent: Rgb::hex(0x8f_b0_ff),
            on_accent: Rgb::hex(0x0c_12_20),
            danger: Rgb::hex(0xff_8a_80),
            danger_background: Rgb::hex(0x2b_17_15),
            good: Rgb::hex(0x6f_d3_9a),
            select: Rgb::hex(0xff_ff_ff),
            hover: Rgb::hex(0x8f_b0_ff),
            hatch: Rgb::hex(0xec_ee_f2),
            hatch_alpha: 0.16,
            dimensions: [
                Rgb::hex(0x6a_90_e0),
                Rgb::hex(0xf3_a2_55),
                Rgb::hex(0x8a_e5_d5),
                Rgb::hex(0xdc_64_95),
                Rgb::hex(0xb9_b1_fd),
                Rgb::hex(0xfe_d9_78),
            ],
        }
    }

    /// The colour of a dimension; from 6 on colours repeat, with another line style (see [`dash`]).
    pub const fn dimension(&self, dimension: usize) -> Rgb {
        self.dimensions[dimension % 6]
    }

    /// The colour and the opacity (0 to 1) of a role.
    pub fn resolve(&self, ink: Ink) -> (Rgb, f64) {
        let colour = match ink {
            Ink::Background => self.background,
            Ink::Surface => self.surface,
            Ink::Shade => return (self.background, SHADE_OPACITY),
            Ink::Tint(dimension) => return (self.dimension(dimension), TINT_OPACITY),
            Ink::Strong => self.strong,
            Ink::Soft => self.soft,
            Ink::Faint => self.faint,
            Ink::Line => self.line,
            Ink::LineStrong => self.line_strong,
            Ink::Hatch => return (self.hatch, self.hatch_alpha),
            Ink::Select => self.select,
            Ink::Hover => self.hover,
            Ink::Dimension(dimension) => self.dimension(dimension),
            Ink::Exact(colour) => colour,
            Ink::On(background) => background.text_colour(),
            Ink::OnSoft(background) => return soft_on(background),
        };
        (colour, 1.0)
    }

    /// Every colour with its name in `styles/tokens.css` (without `--`) and its opacity.
    pub fn tokens(&self) -> [(&'static str, Rgb, f64); 25] {
        let [d0, d1, d2, d3, d4, d5] = self.dimensions;
        [
            ("ground", self.background, 1.0),
            ("surface", self.surface, 1.0),
            ("sunken", self.sunken, 1.0),
            ("line", self.line, 1.0),
            ("line-strong", self.line_strong, 1.0),
            ("ink", self.strong, 1.0),
            ("ink-2", self.soft, 1.0),
            ("ink-3", self.faint, 1.0),
            ("accent", self.accent, 1.0),
            ("on-accent", self.on_accent, 1.0),
            ("danger", self.danger, 1.0),
            ("danger-ground", self.danger_background, 1.0),
            ("good", self.good, 1.0),
            ("d0", d0, 1.0),
            ("d1", d1, 1.0),
            ("d2", d2, 1.0),
            ("d3", d3, 1.0),
            ("d4", d4, 1.0),
            ("d5", d5, 1.0),
            ("hatch", self.hatch, self.hatch_alpha),
            ("select", self.select, 1.0),
            ("hover", self.hover, 1.0),
            ("nan", NAN_COLOUR, 1.0),
            ("inf", INFINITY_COLOUR, 1.0),
            ("negative-inf", NEGATIVE_INFINITY_COLOUR, 1.0),
        ]
    }
}

/// Black or white on `background`, with the lowest opacity from 0.75 on that has a contrast of 4.5.
fn soft_on(background: Rgb) -> (Rgb, f64) {
    let ink = background.text_colour();
    let alpha = [0.75, 0.8, 0.85, 0.9, 0.95]
        .into_iter()
        .find(|&a| ink.painted_over(background, a).contrast(background) >= 4.5);
    (ink, alpha.unwrap_or(1.0))
}

/// The line style of a dimension: lengths of a dash and of the gap after it in CSS pixels, `None` for a solid line.
///
/// With seven styles and six colours, no two dimensions up to 41 share both.
pub fn dash(dimension: usize) -> Option<[f64; 2]> {
    match dimension % 7 {
        0 => None,
        1 => Some([8.0, 3.0]),
        2 => Some([2.0, 2.0]),
        3 => Some([14.0, 4.0]),
        4 => Some([4.0, 4.0]),
        5 => Some([2.0, 6.0]),
        _ => Some([8.0, 8.0]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_differ_in_colour_or_line_style() {
        let theme = Theme::light();
        let appearance = |d: usize| (theme.dimension(d), dash(d).map(|lengths| lengths.map(f64::to_bits)));
        for a in 0..42 {
            assert!((0..a).all(|b| appearance(a) != appearance(b)), "{a}");
        }
        assert_eq!(theme.resolve(Ink::Dimension(7)).0, theme.dimensions[1]);
        assert!(theme.dimensions.contains(&theme.dimension(usize::MAX)));
    }

    #[test]
    fn small_print_is_translucent_but_readable() {
        let theme = Theme::dark();
        for v in 0..=255 {
            for background in [Rgb([v; 3]), Rgb([v, 255 - v, 90]), Rgb([40, v, v])] {
                let (ink, alpha) = theme.resolve(Ink::OnSoft(background));
                assert!(
                    ink.painted_over(background, alpha).contrast(background) >= 4.5,
                    "{background} {alpha}"
                );
                assert_eq!((ink, 1.0), theme.resolve(Ink::On(background)));
            }
        }
        assert_eq!(theme.resolve(Ink::OnSoft(Rgb::BLACK)), (Rgb::WHITE, 0.75));
        assert_eq!(theme.resolve(Ink::Hatch), (theme.hatch, 0.16));
    }
}
