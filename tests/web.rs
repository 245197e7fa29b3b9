//! Tests that need a browser but no site, run by wasm-bindgen-test.
#![cfg(target_os = "unknown")]
#![allow(clippy::unwrap_used, reason = "tests may panic; the lint knows only the native attribute")]

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn there_is_a_page() {
    let document = web_sys::window().and_then(|window| window.document());
    assert!(document.is_some_and(|document| document.body().is_some()));
}

#[wasm_bindgen_test]
fn a_canvas_shows_the_colours_of_the_scene() {
    use wasm_bindgen::JsCast;
    use xla_playground::view::palette::Theme;
    use xla_playground::view::scene::{Ink, Item, Rect, Rgb, Scene};

    let document = web_sys::window().unwrap().document().unwrap();
    let canvas: web_sys::HtmlCanvasElement = document.create_element("canvas").unwrap().unchecked_into();
    let mut scene = Scene::new(40.0, 20.0);
    scene.fill(Rect::new(0.0, 0.0, 20.0, 20.0), 0.0, Ink::Exact(Rgb([200, 100, 50])));
    let rgba = vec![1, 2, 3, 255, 4, 5, 6, 255];
    scene.items.push(Item::Raster { rect: Rect::new(20.0, 0.0, 20.0, 20.0), columns: 2, rows: 1, rgba });
    xla_playground::app::canvas::paint::paint(&canvas, &scene, &Theme::light()).unwrap();
    let context = canvas.get_context("2d").unwrap().unwrap();
    let context: web_sys::CanvasRenderingContext2d = context.unchecked_into();
    let ratio = f64::from(canvas.width()) / 40.0;
    let pixel = |x: f64, y: f64| context.get_image_data(x * ratio, y * ratio, 1.0, 1.0).unwrap().data().0;
    assert_eq!(pixel(10.0, 10.0), [200, 100, 50, 255]);
    assert_eq!(pixel(25.0, 10.0), [1, 2, 3, 255]);
    assert_eq!(pixel(35.0, 10.0), [4, 5, 6, 255]);
}
