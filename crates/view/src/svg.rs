//! Writes a [`Scene`] as an SVG file: self-contained, without scripts and external references.
//!
//! Invariant: equal scenes have equal text. Numbers have at most two decimals; every text is escaped. Source: SVG 1.1;
//! the accessible name is the `<title>` of a `role="img"`. See [`super::png`] for large rasters, [`super::palette`] for
//! the colours.

use std::fmt::{self, Display, Write};

use super::colour::Rgb;
use super::palette::{HATCH_LINES, HATCH_SIDE, MONO, Theme};
use super::png::png;
use super::scene::{Anchor, Ink, Item, Label, Rect, Scene, Stroke};
use xla_array::decimal;
use xla_messages::escape::base64::{self, Alphabet};
use xla_messages::escape::xml;

/// Rasters of at most this many pixels become shapes that a drawing program can edit; larger ones an embedded PNG.
pub const MAX_SHAPES: usize = 4_096;

/// Distance of the baseline below the vertical middle of the text, in font sizes.
///
/// Added to the position, because many programs ignore `dominant-baseline`.
const BASELINE_OFFSET: f64 = 0.35;

/// The text of an SVG file.
///
/// `title` is its accessible name. Items without area, and rasters whose bytes do not match their size, are omitted.
pub fn svg(scene: &Scene, theme: &Theme, title: &str, description: &str) -> String {
    let mut writer = Writer { theme, out: String::new(), hatched: false, embeds: false };
    for item in &scene.items {
        writer.item(item);
    }
    let Writer { out: body, hatched, embeds, .. } = writer;
    let link = if embeds { r#" xmlns:xlink="http://www.w3.org/1999/xlink""# } else { "" };
    let (width, height) = (Number(scene.width.max(0.0)), Number(scene.height.max(0.0)));
    let pattern = if hatched { hatch_pattern(theme) } else { String::new() };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\"{link} version=\"1.1\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"{}\">\n\
         <title>{}</title>\n<desc>{}</desc>\n{pattern}\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\n{body}</svg>\n",
        xml(MONO),
        xml(title),
        xml(description),
        theme.background,
    )
}

/// The id of the hatch pattern; it contains the colour, so that pictures of both themes can be in one page.
fn hatch_name(theme: &Theme) -> String {
    theme.hatch.to_string().replace('#', "hatch-")
}

fn hatch_pattern(theme: &Theme) -> String {
    let (side, (colour, alpha)) = (Number(HATCH_SIDE), theme.resolve(Ink::Hatch));
    let lines = HATCH_LINES.map(|line| Points("L", &line).to_string()).concat();
    format!(
        "<defs><pattern id=\"{}\" width=\"{side}\" height=\"{side}\" patternUnits=\"userSpaceOnUse\">\
         <path d=\"{lines}\" stroke=\"{colour}\" stroke-opacity=\"{}\"/></pattern></defs>\n",
        hatch_name(theme),
        Number(alpha),
    )
}

struct Writer<'a> {
    theme: &'a Theme,
    out: String,
    hatched: bool,
    embeds: bool,
}

impl Writer<'_> {
    /// Adds text. Writing to a `String` cannot fail.
    fn put(&mut self, text: fmt::Arguments<'_>) {
        let _ = self.out.write_fmt(text);
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Box { rect, radius, fill, stroke } => self.rectangle(*rect, *radius, *fill, *stroke),
            Item::Hatch { rect } if has_area(*rect) => {
                self.hatched = true;
                self.put(format_args!(
                    "<rect{} fill=\"url(#{})\"/>\n",
                    RectAttributes(*rect),
                    hatch_name(self.theme)
                ));
            }
            Item::Raster { rect, columns, rows, rgba } => self.raster(*rect, *columns, *rows, rgba),
            Item::Path { points, stroke } if points.len() > 1 => self.path("L", points, *stroke),
            Item::Hatch { .. } | Item::Path { .. } => {}
            Item::Curve { points, stroke } => self.path("C", points, *stroke),
            Item::Label(label) => self.label(label),
        }
    }

    /// Writes ` name="colour"`, and the opacity if it is not 1.
    fn paint(&mut self, name: &str, colour: Rgb, alpha: f64) {
        self.put(format_args!(" {name}=\"{colour}\""));
        if alpha < 1.0 {
            self.put(format_args!(" {name}-opacity=\"{}\"", Number(alpha)));
        }
    }

    fn ink(&mut self, name: &str, ink: Ink) {
        let (colour, alpha) = self.theme.resolve(ink);
        self.paint(name, colour, alpha);
    }

    fn stroke(&mut self, stroke: Stroke) {
        self.ink("stroke", stroke.ink);
        if stroke.width.to_bits() != 1.0_f64.to_bits() {
            self.put(format_args!(" stroke-width=\"{}\"", Number(stroke.width.max(0.0))));
        }
        if let Some([dash, gap]) = stroke.dash {
            let (dash, gap) = (Number(dash.max(0.0)), Number(gap.max(0.0)));
            self.put(format_args!(" stroke-dasharray=\"{dash} {gap}\""));
        }
    }

    fn rectangle(&mut self, rect: Rect, radius: f64, fill: Option<Ink>, stroke: Option<Stroke>) {
        if !has_area(rect) || (fill.is_none() && stroke.is_none()) {
            return;
        }
        self.put(format_args!("<rect{}", RectAttributes(rect)));
        if radius > 0.0 {
            self.put(format_args!(" rx=\"{}\"", Number(radius)));
        }
        match fill {
            Some(ink) => self.ink("fill", ink),
            None => self.out.push_str(" fill=\"none\""),
        }
        if let Some(stroke) = stroke {
            self.stroke(stroke);
        }
        self.out.push_str("/>\n");
    }

    fn path(&mut self, command: &'static str, points: &[(f64, f64)], stroke: Stroke) {
        self.put(format_args!("<path d=\"{}\" fill=\"none\"", Points(command, points)));
        self.stroke(stroke);
        self.out.push_str("/>\n");
    }

    fn label(&mut self, label: &Label) {
        let (x, y) = (Number(label.x), Number(label.y + BASELINE_OFFSET * label.size));
        self.put(format_args!("<text x=\"{x}\" y=\"{y}\" font-size=\"{}\"", Number(label.size.max(0.0))));
        if label.bold {
            self.out.push_str(" font-weight=\"700\"");
        }
        match label.anchor {
            Anchor::Start => {}
            Anchor::Middle => self.out.push_str(" text-anchor=\"middle\""),
            Anchor::End => self.out.push_str(" text-anchor=\"end\""),
        }
        self.ink("fill", label.ink);
        if label.text.trim().len() != label.text.len() || label.text.contains("  ") {
            self.out.push_str(" xml:space=\"preserve\"");
        }
        self.put(format_args!(">{}</text>\n", xml(&label.text)));
    }

    fn raster(&mut self, rect: Rect, columns: usize, rows: usize, rgba: &[u8]) {
        if !has_area(rect) || columns == 0 || rows == 0 || !rgba.len().is_multiple_of(4) {
            return;
        }
        let pixels = rgba.len() / 4;
        if columns.checked_mul(rows) != Some(pixels) {
            return;
        }
        if pixels <= MAX_SHAPES {
            self.out.push_str("<g shape-rendering=\"crispEdges\">\n");
            for (row, pixels) in rgba.chunks_exact(columns * 4).enumerate() {
                self.runs(rect, (columns, rows), row, pixels);
            }
            self.out.push_str("</g>\n");
        } else if let Ok(file) = png(columns, rows, rgba) {
            self.embeds = true;
            self.put(format_args!(
                "<image{} preserveAspectRatio=\"none\" image-rendering=\"pixelated\" \
                 xlink:href=\"data:image/png;base64,{}\"/>\n",
                RectAttributes(rect),
                base64::encode(&file, Alphabet::Standard),
            ));
        }
    }

    /// Writes one rectangle per run of equal pixels in a row.
    fn runs(&mut self, rect: Rect, (columns, rows): (usize, usize), row: usize, pixels: &[u8]) {
        let (top, bottom) = (edge(rect.y, rect.h, row, rows), edge(rect.y, rect.h, row + 1, rows));
        let mut column = 0;
        let (pixels, _) = pixels.as_chunks::<4>();
        for run in pixels.chunk_by(|a, b| a == b) {
            let [r, g, b, alpha] = run[0];
            let (left, right) = (column, column + run.len());
            column = right;
            if alpha == 0 {
                continue;
            }
            let (left, right) = (edge(rect.x, rect.w, left, columns), edge(rect.x, rect.w, right, columns));
            self.put(format_args!(
                "<rect{}",
                RectAttributes(Rect::new(left, top, right - left, bottom - top))
            ));
            self.paint("fill", Rgb([r, g, b]), f64::from(alpha) / 255.0);
            self.out.push_str("/>\n");
        }
    }
}

/// The start of pixel `index` of `count`, rounded like it is printed, so that adjacent pixels share their edge.
fn edge(start: f64, length: f64, index: usize, count: usize) -> f64 {
    // At most `MAX_SHAPES` pixels are drawn as shapes, so both fit.
    let as_f64 = |n: usize| u32::try_from(n).map_or(0.0, f64::from);
    ((start + length * as_f64(index) / as_f64(count)) * 100.0).round() / 100.0
}

/// Whether a rectangle has a positive width and height; false for NaN.
fn has_area(rect: Rect) -> bool {
    rect.w > 0.0 && rect.h > 0.0
}

/// Prints a number with at most two decimals, as short as possible; non-finite numbers are 0.
struct Number(f64);

impl Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = if self.0.is_finite() { self.0 } else { 0.0 };
        let text = decimal::fixed(value, 2);
        let short = text.trim_end_matches('0').trim_end_matches('.');
        f.write_str(if short == "-0" { "0" } else { short })
    }
}

/// Prints the position and size attributes of a rectangle.
struct RectAttributes(Rect);

impl Display for RectAttributes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rect { x: left, y: top, w: width, h: height } = self.0;
        let [left, top, width, height] = [left, top, width, height].map(Number);
        write!(f, " x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\"")
    }
}

/// Prints path data: a move to the first point, then the command with all other points.
struct Points<'a>(&'static str, &'a [(f64, f64)]);

impl Display for Points<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, &(x, y)) in self.1.iter().enumerate() {
            let before = match i {
                0 => "M",
                1 => self.0,
                _ => " ",
            };
            write!(f, "{before}{} {}", Number(x), Number(y))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let printed = [0.0, -0.001, 1.0, 1.005, -2.5, 100.0, 0.333_3, f64::NAN, f64::INFINITY];
        let expected = ["0", "0", "1", "1", "-2.5", "100", "0.33", "0", "0"];
        assert_eq!(printed.map(|v| Number(v).to_string()), expected);
    }

    #[test]
    fn items_without_area_are_left_out() {
        let mut scene = Scene::new(10.0, 10.0);
        let empty = svg(&scene, &Theme::light(), "t", "d");
        scene.fill(Rect::new(1.0, 1.0, 0.0, 5.0), 0.0, Ink::Strong);
        scene.items.push(Item::Hatch { rect: Rect::new(0.0, 0.0, f64::NAN, 1.0) });
        let rect = Rect::new(0.0, 0.0, 4.0, 4.0);
        for (columns, rows, bytes) in [(0, 0, 0), (2, 2, 15), (2, 2, 20), (usize::MAX, 4, 16), (0, 4, 16)] {
            scene.items.push(Item::Raster { rect, columns, rows, rgba: vec![255; bytes] });
        }
        assert_eq!(svg(&scene, &Theme::light(), "t", "d"), empty);
    }

    #[test]
    fn adjacent_pixels_share_their_edge() {
        let edges: Vec<f64> = (0..=7).map(|i| edge(3.0, 10.0, i, 7)).collect();
        assert_eq!((edges[0].to_bits(), edges[7].to_bits()), (3.0_f64.to_bits(), 13.0_f64.to_bits()));
        assert!(edges.windows(2).all(|w| w[1] - w[0] > 1.4 && w[1] - w[0] < 1.45));
    }
}
