//! A memory report: what does not fit, and each buffer with what its tiles pad and with changes that waste less.

use std::rc::Rc;

use yew::prelude::*;

use super::neighbourhood::bytes_text;
use crate::app::context::{Context, grouped, use_app_context};
use crate::i18n::Message;
use crate::state::program::source_text::SourceText;
use crate::worker::program::wire::{
    LayoutLink, MemoryReport, ReportBuffer, ReportChange, ReportKind, ReportSuggestion, TilePicture,
};

/// The size of the picture of a buffer's tiles, pixels.
const PICTURE_WIDTH: f64 = 168.0;
const PICTURE_HEIGHT: f64 = 64.0;

/// Maximum bytes of the report's text that are shown.
const MAX_TEXT_BYTES: usize = 200_000;

/// Properties of [`ReportView`].
#[derive(Clone, PartialEq, Properties)]
pub struct ReportViewProps {
    /// The report.
    pub report: Rc<MemoryReport>,
    /// Its text.
    pub text: SourceText,
}

/// A share in percent.
fn percent(part: u64, whole: u64) -> u64 {
    let hundredfold = u128::from(part) * 100 + u128::from(whole) / 2;
    u64::try_from(hundredfold.checked_div(u128::from(whole)).unwrap_or(0)).unwrap_or(100)
}

/// The message key of the title of a report.
pub fn title_key(kind: ReportKind) -> &'static str {
    match kind {
        ReportKind::OutOfMemory => "program-report-oom",
        ReportKind::BufferAssignment => "program-report-assignment",
        ReportKind::MemoryUsage => "program-report-usage",
    }
}

/// The view.
#[component]
pub fn ReportView(props: &ReportViewProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let report = &props.report;
    let largest = report.buffers.iter().map(|buffer| buffer.memory).max().unwrap_or(0);
    let buffers = report.buffers.iter().enumerate().map(|(number, buffer)| {
        html! { <li key={number}>{buffer_view(&context, number, buffer, largest)}</li> }
    });
    let more = report.buffer_count.saturating_sub(report.buffers.len());
    let source = props.text.text();
    let end = source.floor_char_boundary(source.len().min(MAX_TEXT_BYTES));
    html! {
        <div class="report" id="memory-report">
            <section class="report-head" aria-labelledby="h-report">
                <h2 class="title" id="h-report">{text(title_key(report.kind))}</h2>
                {totals(&context, report)}
            </section>
            <section aria-labelledby="h-buffers">
                <h2 id="h-buffers">{text("program-report-ranked")}</h2>
                <ol class="buffers">{for buffers}</ol>
                if more > 0 { <p class="dim">{context.text(&Message::program("program-report-more").with("count", more))}</p> }
            </section>
            <details class="report-text">
                <summary>{text("program-report-text")}</summary>
                <pre tabindex="0">{source[..end].to_owned()}</pre>
            </details>
        </div>
    }
}

/// The required and the available memory.
fn totals(context: &Context, report: &MemoryReport) -> Html {
    let need = report.used.zip(report.capacity).map(|(used, capacity)| {
        let message = if used > capacity {
            Message::program("program-report-exceeds").with("excess", bytes_text(used - capacity))
        } else {
            Message::program("program-report-fits")
        };
        let message = message.with("used", bytes_text(used)).with("capacity", bytes_text(capacity));
        let whole = used.max(capacity);
        let style = format!("--used:{}%;--capacity:{}%", percent(used, whole), percent(capacity, whole));
        html! {
            <>
                <p class="report-need" id="report-need">{context.text(&message)}</p>
                <div class={classes!("need-bar", (used > capacity).then_some("over"))} {style} aria-hidden="true"><i></i><b></b></div>
            </>
        }
    });
    let requested = report.requested.map(|bytes| {
        let message = Message::program("program-report-requested").with("bytes", bytes_text(bytes));
        html! { <p>{context.text(&message)}</p> }
    });
    let padding = Message::program("program-report-padding")
        .with("padding", bytes_text(report.padding))
        .with("memory", bytes_text(report.memory))
        .with("percent", percent(report.padding, report.memory));
    html! {
        <>
            {need.unwrap_or_default()}
            {requested.unwrap_or_default()}
            <p id="report-padding">{context.text(&padding)}</p>
        </>
    }
}

fn buffer_view(context: &Context, number: usize, buffer: &ReportBuffer, largest: u64) -> Html {
    let width = percent(buffer.memory, largest).max(1);
    let data = 100 - percent(buffer.padding, buffer.memory).min(100);
    let waste = Message::program("program-report-waste")
        .with("memory", bytes_text(buffer.memory))
        .with("padding", bytes_text(buffer.padding))
        .with("percent", percent(buffer.padding, buffer.memory));
    let line = Message::program("program-report-line").with("line", buffer.line);
    let suggestions = buffer.suggestions.iter().enumerate().map(|(index, each)| {
        html! { <li key={index}>{suggestion(context, number, index, each)}</li> }
    });
    html! {
        <article class="buffer">
            <h3><code>{&buffer.shape}</code></h3>
            <div class="memory-bar" style={format!("--width:{width}%;--data:{data}%")} aria-hidden="true"><i></i></div>
            <p class="waste">{context.text(&waste)}</p>
            <div class="buffer-parts">
                if let Some(tiles) = &buffer.tiles { {picture(context, tiles)} }
                <div class="buffer-facts">
                    if !buffer.operator.is_empty() { <p class="dim"><code>{&buffer.operator}</code></p> }
                    if !buffer.label.is_empty() { <p class="dim"><code>{&buffer.label}</code></p> }
                    <p class="row wrap">
                        <span class="dim">{context.text(&line)}</span>
                        if let Some(link) = &buffer.layout { {layout_button(context, &format!("buffer-{number}-layout"), link, &buffer.shape)} }
                    </p>
                </div>
            </div>
            if !buffer.suggestions.is_empty() {
                <p class="better">{context.text(&Message::program("program-report-better"))}</p>
                <ul class="suggestions">{for suggestions}</ul>
            }
        </article>
    }
}

/// The link that opens an array in the Layout screen.
fn layout_button(context: &Context, id: &str, link: &LayoutLink, shape: &str) -> Html {
    let key = if link.is_part { "program-report-layout-part" } else { "editor-link-layout" };
    let label = context.text(&Message::program(key));
    html! {
        <a class="btn tiny" id={id.to_owned()} href={format!("#{}", link.fragment)} aria-label={format!("{label}: {shape}")}>{&label}</a>
    }
}

fn suggestion(context: &Context, number: usize, index: usize, each: &ReportSuggestion) -> Html {
    let what = match each.change {
        ReportChange::Order => Message::program("program-report-order"),
        ReportChange::Merge(first) => {
            Message::program("program-report-merge").with("first", first).with("second", first + 1)
        }
        ReportChange::Size(dimension, size) => {
            let size = grouped(size);
            Message::program("program-report-size").with("dimension", dimension).with("size", size)
        }
    };
    let gain = if each.saved > 0 {
        Message::program("program-report-saves")
            .with("saved", bytes_text(each.saved))
            .with("memory", bytes_text(each.memory))
    } else {
        Message::program("program-report-same").with("memory", bytes_text(each.memory))
    };
    html! {
        <>
            <span>{context.text(&what)}</span>{" "}<code>{&each.shape}</code>{" "}
            <b class="gain">{context.text(&gain)}</b>{" "}
            {layout_button(context, &format!("buffer-{number}-suggestion-{index}"), &each.layout, &each.shape)}
        </>
    }
}

/// The two most minor dimensions: data, and what the tiles add. Both directions fill the picture, whatever their sizes.
fn picture(context: &Context, tiles: &TilePicture) -> Html {
    #[allow(clippy::cast_precision_loss, reason = "a length in pixels")]
    let part = |(size, padded): (i64, i64)| size as f64 / padded.max(1) as f64;
    // A sliver of data, or of padding, stays visible.
    let visible = |part: f64, side: f64| {
        let length = part * side;
        if part >= 1.0 { side } else { length.clamp(2.0, side - 2.0) }
    };
    let (width, height) =
        (visible(part(tiles.columns), PICTURE_WIDTH), visible(part(tiles.rows), PICTURE_HEIGHT));
    let message = |key: &'static str, (size, padded): (i64, i64)| {
        Message::program(key).with("size", grouped(size)).with("padded", grouped(padded))
    };
    let columns = context.text(&message("program-report-columns", tiles.columns));
    let rows = context.text(&message("program-report-rows", tiles.rows));
    html! {
        <figure class="tile-picture">
            <div class="tiles" style={format!("width:{PICTURE_WIDTH}px;height:{PICTURE_HEIGHT}px")} role="img" aria-label={format!("{columns}; {rows}")}>
                <i style={format!("width:{width:.1}px;height:{height:.1}px")}></i>
            </div>
            <figcaption>{&columns}<br />{&rows}</figcaption>
        </figure>
    }
}
