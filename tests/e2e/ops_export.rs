//! "Copy as" of the Ops screen: every format produces a file or text that its consumers accept.

use harness::{Page, Test};
use xla_playground::hlo::parse;

use crate::app::{IN_CHROME, IN_FIREFOX};

pub const TESTS: &[Test] = harness::tests![
    exported_hlo_is_the_typed_text_and_loads_again: IN_CHROME,
    programs_are_copied_and_saved,
    a_text_with_an_error_is_not_what_the_link_has: IN_FIREFOX,
    the_svg_is_well_formed_and_has_every_value: IN_FIREFOX,
    the_png_is_a_picture: IN_CHROME,
    tikz_has_every_value: IN_FIREFOX,
    the_gif_has_a_frame_an_output_cell: IN_CHROME,
    the_animation_can_be_cancelled_and_the_page_answers: IN_FIREFOX,
    unavailable_formats_state_the_reason: IN_FIREFOX,
];

#[track_caller]
fn open(page: &Page, address: &str) {
    page.goto(address);
    page.wait_for("document.querySelector('#op-title') && document.querySelector('#result-shape')");
    page.wait_two_frames();
    page.click("#share");
    page.wait_for("document.querySelector('#save-gif')");
}

#[track_caller]
fn copied(page: &Page, button: &str) -> String {
    page.run(
        "window.copied = null; navigator.clipboard.writeText = async (text) => { window.copied = text; };",
    );
    page.click(button);
    page.wait_for("window.copied !== null");
    page.wait_for(
        "[...document.querySelectorAll('#share-dialog .good')].some((each) => each.innerText === 'Copied.')",
    );
    page.eval("window.copied")
}

fn exported_hlo_is_the_typed_text_and_loads_again(page: &Page) {
    open(page, "#ops1/@dot");
    let shown = page.value("#hlo");
    assert_eq!(copied(page, "#copy-hlo"), shown);
    let file = page.save("#save-hlo");
    assert_eq!(file.name, "experiment.hlo");
    let text = file.text();
    assert!(parse(&text).into_module().is_ok_and(|module| module.entry_computation().is_some()));
    assert_eq!(text, shown);
}

fn a_text_with_an_error_is_not_what_the_link_has(page: &Page) {
    open(page, "#ops1/@transpose");
    assert_eq!(page.count("#share-last-valid"), 0);
    let link = page.value("#link");
    page.key("Escape");
    page.type_into("#attr-dimensions", "{0}");
    page.key("Enter");
    page.wait_for("document.querySelector('.problem')");
    page.click("#share");
    page.wait_for("document.querySelector('#share-last-valid')");
    assert_eq!(page.value("#link"), link);
}

fn programs_are_copied_and_saved(page: &Page) {
    open(page, "#ops1/@dot");
    for (id, name, media_type, says) in [
        ("rust", "experiment.rs", "text/x-rust", "b.dot_general([a, b_2], [&[1], &[0]], [&[], &[]])?"),
        (
            "jax",
            "experiment_jax.py",
            "text/x-python",
            "return lax.dot_general(a, b_2, (((1,), (0,)), ((), ())))",
        ),
        (
            "numpy",
            "experiment_numpy.py",
            "text/x-python",
            "return np.einsum(\"ba,ac->bc\", a, b_2, dtype=np.int32)",
        ),
    ] {
        let text = copied(page, &format!("#copy-{id}"));
        assert!(text.contains(says), "{text}");
        let file = page.save(&format!("#save-{id}"));
        assert_eq!((file.name.as_str(), file.media_type.as_str()), (name, media_type));
        assert_eq!(file.text(), text);
    }
}

fn the_svg_is_well_formed_and_has_every_value(page: &Page) {
    open(page, "#ops1/@dot");
    let file = page.save("#save-svg");
    assert_eq!((file.name.as_str(), file.media_type.as_str()), ("experiment.svg", "image/svg+xml"));
    let svg = file.text();
    let labels = page.svg_texts(&svg);
    assert_eq!(labels[0], "dot");
    for value in ["1", "2", "3", "4", "5", "6", "7", "8", "19", "22", "43", "50"] {
        assert!(labels.iter().any(|label| label == value), "{value} in {labels:?}");
    }
    assert!(labels.concat().contains("out[0,0] = 1·5 + 2·7 = 19"), "{labels:?}");
}

fn the_png_is_a_picture(page: &Page) {
    open(page, "#ops1/@reduce-window");
    let file = page.save("#save-png");
    assert_eq!((file.name.as_str(), file.media_type.as_str()), ("experiment.png", "image/png"));
    let (width, height) = file.png_size();
    assert!(file.bytes.len() > 2_000 && width >= 420 && height >= 150, "{width} by {height}");
}

fn tikz_has_every_value(page: &Page) {
    open(page, "#ops1/@dot");
    let file = page.save("#save-tikz");
    assert_eq!(file.name, "experiment.tex");
    let text = file.text();
    assert!(text.starts_with("\\documentclass[tikz") && text.trim_end().ends_with("\\end{document}"));
    for value in [1, 2, 3, 4, 5, 6, 7, 8, 19, 22, 43, 50] {
        assert_eq!(text.matches(&format!("{{${value}$}};")).count(), 1, "{value} in {text}");
    }
}

/// Width, height and the number of frames of a GIF, by its blocks.
fn gif(bytes: &[u8]) -> (usize, usize, usize) {
    assert!(bytes.starts_with(b"GIF89a"));
    let short = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    let palette = |packed: u8| if packed & 0x80 == 0 { 0 } else { 3 * (2_usize << (packed & 7)) };
    let (mut at, mut frames) = (13 + palette(bytes[10]), 0);
    loop {
        match bytes[at] {
            0x3b => return (short(6), short(8), frames),
            0x21 => at += 2,
            0x2c => {
                frames += 1;
                at += 11 + palette(bytes[at + 9]);
            }
            other => panic!("block {other:#x}"),
        }
        while bytes[at] != 0 {
            at += 1 + usize::from(bytes[at]);
        }
        at += 1;
    }
}

fn the_gif_has_a_frame_an_output_cell(page: &Page) {
    open(page, "#ops1/@dot");
    let file = page.save("#save-gif");
    assert_eq!((file.name.as_str(), file.media_type.as_str()), ("experiment.gif", "image/gif"));
    let (width, height, frames) = gif(&file.bytes);
    assert_eq!(frames, 4);
    assert!(width >= 420 && height >= 150, "{width} by {height}");
    page.wait_for(
        "[...document.querySelectorAll('#share-dialog .good')].some((each) => each.innerText === 'Saved.')",
    );
    // The browser decodes it, too.
    let size: Vec<usize> = page.eval(&format!(
        "(async () => {{
            const bytes = new Uint8Array({:?});
            const picture = await createImageBitmap(new Blob([bytes], {{ type: 'image/gif' }}));
            return [picture.width, picture.height];
        }})()",
        file.bytes
    ));
    assert_eq!(size, [width, height]);
}

/// An experiment with many output cells: `cells` numbers in rows of 16.
fn many(page: &Page, cells: usize) {
    page.goto("#ops1/@dot");
    page.wait_for("document.querySelector('#result-shape')");
    page.wait_two_frames();
    page.click("#hlo");
    page.key("Control+a");
    page.run(&format!(
        "document.execCommand('insertText', false, 'HloModule m ENTRY e {{ ROOT i = s32[{},16] iota(), iota_dimension=1 }}');",
        cells / 16
    ));
    page.wait_for(&format!(
        "document.querySelector('#result-shape').textContent.startsWith('s32[{},16]')",
        cells / 16
    ));
    // While it has the focus, the text stays in its place of the window.
    page.run("document.activeElement.blur();");
    page.wait_two_frames();
    page.click("#share");
    page.wait_for("document.querySelector('#save-gif')");
}

fn the_animation_can_be_cancelled_and_the_page_answers(page: &Page) {
    many(page, 256);
    page.intercept_downloads();
    page.click("#save-gif");
    page.wait_for("document.querySelector('#gif-progress')?.value > 2");
    page.click("#cancel-gif");
    page.wait_for(
        "!document.querySelector('#gif-progress') && !document.querySelector('#save-gif').disabled",
    );
    page.wait_two_frames();
    assert_eq!(page.eval::<usize>("window[Symbol.for('e2e.downloads')].length"), 0);
}

fn unavailable_formats_state_the_reason(page: &Page) {
    many(page, 4_096);
    assert!(page.eval::<bool>("document.querySelector('#save-gif').disabled"));
    assert!(page.text("#about-gif").contains("4,096") || page.text("#about-gif").contains("4096"));
    assert!(page.eval::<bool>(
        "document.querySelector('#save-tikz').disabled && !document.querySelector('#copy-tikz')"
    ));
    assert_eq!(page.attribute("#save-gif", "aria-describedby").as_deref(), Some("about-gif"));
    page.click("#share-dialog .sheet-head .btn");
    page.wait_for("!document.querySelector('#share-dialog')");
    open(page, "#ops1/@rng");
    assert!(page.text("#about-jax").contains("rng"));
    assert!(copied(page, "#copy-jax").contains("raise NotImplementedError(\"rng\")"));
}
