//! Paints a [`Scene`] on a canvas. Colours come from the theme, everything else from the scene.

use js_sys::Uint8ClampedArray;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

use crate::array::decimal::shortest;
use crate::view::palette::{HATCH_SIDE, MONO, Theme};
use crate::view::pixels::clamped;
use crate::view::scene::{Anchor, Ink, Item, Label, Rect, Scene, Stroke};

/// Paints `scene` on `canvas` and resizes it to the scene.
pub fn paint(canvas: &HtmlCanvasElement, scene: &Scene, theme: &Theme) -> Result<(), JsValue> {
    paint_at(canvas, scene, theme, clamped(gloo::utils::window().device_pixel_ratio(), 1.0, 3.0))
}

/// Like [`paint`], with `ratio` canvas pixels per unit of the scene.
pub fn paint_at(canvas: &HtmlCanvasElement, scene: &Scene, theme: &Theme, ratio: f64) -> Result<(), JsValue> {
    let (width, height) = (device_pixels(scene.width * ratio), device_pixels(scene.height * ratio));
    if canvas.width() != width || canvas.height() != height {
        canvas.set_width(width);
        canvas.set_height(height);
        let style = canvas.style();
        style.set_property("width", &format!("{}px", shortest(scene.width)))?;
        style.set_property("height", &format!("{}px", shortest(scene.height)))?;
    }
    let Some(context) = canvas.get_context("2d")? else { return Ok(()) };
    let context: CanvasRenderingContext2d = context.unchecked_into();
    context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0)?;
    context.clear_rect(0.0, 0.0, scene.width, scene.height);
    let mut painter = Painter { context, theme, fill: None, font: String::new() };
    painter.items(&scene.items)
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to the size limits of a canvas"
)]
fn device_pixels(pixels: f64) -> u32 {
    clamped(pixels.ceil(), 1.0, 16_384.0) as u32
}

struct Painter<'a> {
    context: CanvasRenderingContext2d,
    theme: &'a Theme,
    /// The current fill and font: setting them for each label would be slow.
    fill: Option<Ink>,
    font: String,
}

impl Painter<'_> {
    fn items(&mut self, items: &[Item]) -> Result<(), JsValue> {
        let mut rest = items;
        while let Some((item, tail)) = rest.split_first() {
            rest = tail;
            match item {
                Item::Box { rect, radius, fill, stroke } => self.rectangle(*rect, *radius, *fill, *stroke)?,
                Item::Hatch { rect } => self.hatch(*rect)?,
                Item::Raster { rect, columns, rows, rgba } => self.raster(*rect, *columns, *rows, rgba)?,
                Item::Path { points, stroke } => {
                    // Adjacent lines of one style are one stroke.
                    self.stroke(*stroke)?;
                    self.context.begin_path();
                    self.trace(points);
                    while let Some((Item::Path { points, stroke: next }, tail)) = rest.split_first() {
                        if next != stroke {
                            break;
                        }
                        self.trace(points);
                        rest = tail;
                    }
                    self.context.stroke();
                }
                Item::Curve { points: [a, b, c, d], stroke } => {
                    self.stroke(*stroke)?;
                    self.context.begin_path();
                    self.context.move_to(a.0, a.1);
                    self.context.bezier_curve_to(b.0, b.1, c.0, c.1, d.0, d.1);
                    self.context.stroke();
                }
                Item::Label(label) => self.label(label)?,
            }
        }
        Ok(())
    }

    fn trace(&self, points: &[(f64, f64)]) {
        if let Some(((x, y), rest)) = points.split_first() {
            self.context.move_to(*x, *y);
            for (x, y) in rest {
                self.context.line_to(*x, *y);
            }
        }
    }

    fn css(&self, ink: Ink) -> String {
        let (rgb, alpha) = self.theme.resolve(ink);
        let [r, g, b] = rgb.0;
        format!("rgba({r},{g},{b},{})", shortest(alpha))
    }

    fn fill(&mut self, ink: Ink) {
        if self.fill != Some(ink) {
            self.context.set_fill_style_str(&self.css(ink));
            self.fill = Some(ink);
        }
    }

    fn stroke(&self, stroke: Stroke) -> Result<(), JsValue> {
        self.context.set_stroke_style_str(&self.css(stroke.ink));
        self.context.set_line_width(stroke.width);
        let dash = js_sys::Array::new();
        for length in stroke.dash.into_iter().flatten() {
            dash.push(&length.into());
        }
        self.context.set_line_dash(&dash)
    }

    fn rectangle(
        &mut self,
        rect: Rect,
        radius: f64,
        fill: Option<Ink>,
        stroke: Option<Stroke>,
    ) -> Result<(), JsValue> {
        let Rect { x, y, w, h } = rect;
        if let (Some(ink), None, true) = (fill, stroke, radius == 0.0) {
            self.fill(ink);
            self.context.fill_rect(x, y, w, h);
            return Ok(());
        }
        self.context.begin_path();
        let r = radius.min(w / 2.0).min(h / 2.0).max(0.0);
        self.context.move_to(x + r, y);
        self.context.arc_to(x + w, y, x + w, y + h, r)?;
        self.context.arc_to(x + w, y + h, x, y + h, r)?;
        self.context.arc_to(x, y + h, x, y, r)?;
        self.context.arc_to(x, y, x + w, y, r)?;
        self.context.close_path();
        if let Some(ink) = fill {
            self.fill(ink);
            self.context.fill();
        }
        if let Some(stroke) = stroke {
            self.stroke(stroke)?;
            self.context.stroke();
        }
        Ok(())
    }

    /// Lines at 45° that continue across adjacent hatched rectangles.
    fn hatch(&mut self, rect: Rect) -> Result<(), JsValue> {
        let Rect { x, y, w, h } = rect;
        self.context.save();
        self.context.begin_path();
        self.context.rect(x, y, w, h);
        self.context.clip();
        self.stroke(Stroke::solid(Ink::Hatch, 1.0))?;
        self.context.begin_path();
        // Lines of equal x - y at multiples of the side, like the SVG writer's pattern.
        let mut offset = ((x - y - h) / HATCH_SIDE).floor() * HATCH_SIDE;
        while offset < x + w - y {
            self.context.move_to(offset + y, y);
            self.context.line_to(offset + y + h, y + h);
            offset += HATCH_SIDE;
        }
        self.context.stroke();
        self.context.restore();
        self.fill = None;
        Ok(())
    }

    fn raster(&self, rect: Rect, columns: usize, rows: usize, rgba: &[u8]) -> Result<(), JsValue> {
        let (Ok(columns), Ok(rows)) = (u32::try_from(columns), u32::try_from(rows)) else { return Ok(()) };
        let document = gloo::utils::document();
        let scratch: HtmlCanvasElement = document.create_element("canvas")?.unchecked_into();
        scratch.set_width(columns);
        scratch.set_height(rows);
        let Some(context) = scratch.get_context("2d")? else { return Ok(()) };
        let context: CanvasRenderingContext2d = context.unchecked_into();
        // A copy: a view of this module's memory is detached when the memory grows.
        let pixels = Uint8ClampedArray::from(rgba);
        let image = ImageData::new_with_js_u8_clamped_array_and_sh(&pixels, columns, rows)?;
        context.put_image_data(&image, 0.0, 0.0)?;
        self.context.set_image_smoothing_enabled(false);
        self.context
            .draw_image_with_html_canvas_element_and_dw_and_dh(&scratch, rect.x, rect.y, rect.w, rect.h)
    }

    fn label(&mut self, label: &Label) -> Result<(), JsValue> {
        let font = format!("{} {}px {MONO}", if label.bold { 600 } else { 500 }, shortest(label.size));
        if font != self.font {
            self.context.set_font(&font);
            self.font = font;
        }
        self.fill(label.ink);
        self.context.set_text_align(match label.anchor {
            Anchor::Start => "left",
            Anchor::Middle => "center",
            Anchor::End => "right",
        });
        self.context.set_text_baseline("middle");
        self.context.fill_text(&label.text, label.x, label.y)
    }
}
