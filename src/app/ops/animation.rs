//! A GIF that steps through the output cells: paints one cell per browser frame, so that the page stays responsive.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, BlobPropertyBag, CanvasRenderingContext2d, HtmlCanvasElement};
use yew::Callback;

use crate::app::canvas::paint::paint_at;
use crate::app::components::files::save;
use crate::i18n::Language;
use crate::view::export::with_background;
use crate::view::gif::{self, Animation};
use crate::view::op_picture::OpPicture;
use crate::view::palette::Theme;
use crate::view::scene::Scene;

/// The progress of the animation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// No animation is being encoded.
    None,
    /// The frame being painted, and the number of frames.
    Frame(i64, i64),
    /// The file was offered for download.
    Done,
    /// The browser could not paint it.
    Failed,
}

/// An animation that is being encoded; dropping it cancels it.
pub struct Job(Rc<Cell<bool>>);

impl Drop for Job {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

/// Pixels per unit of the scene: 1.5 for sharp text, or 1 if the file would be too large.
pub fn pixel_scale(scene: &Scene, frames: i64) -> f64 {
    let sharp = 1.5;
    if gif::fits(scene.width * sharp, scene.height * sharp, frames) { sharp } else { 1.0 }
}

/// Starts encoding the animation, and offers the file for download at the end.
pub fn start(
    picture: Rc<OpPicture>,
    language: Language,
    theme: Theme,
    on_progress: Callback<Progress>,
) -> Job {
    let is_active = Rc::new(Cell::new(true));
    let job = Job(is_active.clone());
    spawn_local(async move {
        match encode(&picture, language, &theme, &on_progress, &is_active).await {
            Some(bytes) if is_active.get() => {
                offer(&bytes);
                on_progress.emit(Progress::Done);
            }
            None if is_active.get() => on_progress.emit(Progress::Failed),
            _ => {}
        }
    });
    job
}

/// The file; `None` if it was cancelled or the browser provides no canvas.
async fn encode(
    picture: &OpPicture,
    language: Language,
    theme: &Theme,
    on_progress: &Callback<Progress>,
    is_active: &Cell<bool>,
) -> Option<Vec<u8>> {
    let frames = picture.cell_count();
    let canvas: HtmlCanvasElement = gloo::utils::document().create_element("canvas").ok()?.dyn_into().ok()?;
    let options = js_sys::Object::new();
    js_sys::Reflect::set(&options, &"willReadFrequently".into(), &true.into()).ok()?;
    let context = canvas.get_context_with_context_options("2d", &options).ok()??;
    let context: CanvasRenderingContext2d = context.dyn_into().ok()?;
    let mut animation = None;
    for cell in 0..frames {
        on_progress.emit(Progress::Frame(cell, frames));
        next_frame().await;
        if !is_active.get() {
            return None;
        }
        let scene = with_background(picture.frame(cell, language));
        paint_at(&canvas, &scene, theme, pixel_scale(&scene, frames)).ok()?;
        let (width, height) = (canvas.width(), canvas.height());
        let pixels = context.get_image_data(0.0, 0.0, f64::from(width), f64::from(height)).ok()?.data();
        let animation = if let Some(animation) = &mut animation {
            animation
        } else {
            let (width, height) = (u16::try_from(width).ok()?, u16::try_from(height).ok()?);
            animation.insert(Animation::new(width, height, theme).ok()?)
        };
        animation.frame(&pixels, cell + 1 == frames).ok()?;
    }
    animation?.finish().ok()
}

/// Waits for the next animation frame; in a hidden page, which gets none, for a timer.
async fn next_frame() {
    let promise = js_sys::Promise::new(&mut |resolve, _| {
        let window = gloo::utils::window();
        if gloo::utils::document().hidden() || window.request_animation_frame(&resolve).is_err() {
            // This fails only for an argument that is not a function.
            let _ = window.set_timeout_with_callback(&resolve);
        }
    });
    // It is never rejected.
    let _ = JsFuture::from(promise).await;
}

fn offer(bytes: &[u8]) {
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes));
    let options = BlobPropertyBag::new();
    options.set_type("image/gif");
    if let Ok(blob) = Blob::new_with_u8_array_sequence_and_options(&parts, &options) {
        save("experiment.gif", &blob);
    }
}
