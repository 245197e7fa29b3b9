//! The selected cell: the formula of its slot with numbers, the inverse, and its properties.

use yew::prelude::*;

use crate::app::canvas::SharedArray;
use crate::app::context::{Context, dimension_class, use_app_context};
use crate::array::memory::SlotKind;
use crate::array::value::fields::{FieldKind, Part};
use crate::i18n::Message;
use crate::view::formula::{self, Line, Term, Words};
use crate::view::inspect::SlotProperties;

/// Properties of [`CellPanel`].
#[derive(Clone, PartialEq, Properties)]
pub struct CellPanelProps {
    /// The array that the cell is in.
    pub array: SharedArray,
    /// The slot to describe.
    pub slot: Option<i64>,
    /// Bytes per cache line.
    pub line_bytes: i64,
}

/// Describes a slot: its value, and the mapping between its index and its position.
#[component]
pub fn CellPanel(props: &CellPanelProps) -> Html {
    let context = use_app_context();
    let array = &props.array.0;
    let Some(properties) = props.slot.and_then(|slot| SlotProperties::new(array, slot)) else {
        return html! { <p class="dim">{context.text_of_key("empty-array")}</p> };
    };
    let words = words(&context);
    let tiles = array.shape().layout.as_ref().map(|l| l.tiles.to_vec()).unwrap_or_default();
    let forward = formula::forward(array.memory_map(), &tiles, &properties.index, &words);
    let forward = forward.filter(|_| properties.kind != SlotKind::UnindexedPadding);
    let backward = formula::backward(array.memory_map(), &tiles, properties.slot, &words);
    html! {
        <div class="where">
            <section aria-labelledby="h-forward">
                <h2 id="h-forward">{context.text_of_key("where-it-lives")}</h2>
                <div class="formula" id="formula">
                    {match forward {
                        Some(lines) => lines_html(&lines),
                        None => html! { <p class="dim">{context.text_of_key("no-index")}</p> },
                    }}
                </div>
            </section>
            <section aria-labelledby="h-backward">
                <h2 id="h-backward">{context.text_of_key("and-back")}</h2>
                <div class="formula" id="inverse">
                    {match backward {
                        Some(lines) if !lines.is_empty() => lines_html(&lines),
                        Some(_) => html! { <p class="dim">{context.text_of_key("nothing-to-divide")}</p> },
                        None => html! { <p class="dim">{context.text_of_key("no-index")}</p> },
                    }}
                </div>
            </section>
            <section aria-labelledby="h-cell">
                <h2 id="h-cell">{context.text_of_key("cell")}</h2>
                {facts(&context, &properties, props.line_bytes)}
            </section>
        </div>
    }
}

/// The words of formulas.
pub fn words(context: &Context) -> Words {
    let word = |key| context.text_of_key(key).to_string();
    Words {
        slot: word("word-slot"),
        index: word("word-index"),
        stride: word("word-stride"),
        tile: word("word-tile"),
        physical: word("word-physical"),
        within: word("word-within"),
    }
}

/// The lines of a formula, each number in the colour of its dimension.
pub fn lines_html(lines: &[Line]) -> Html {
    let lines = lines.iter().map(|line| {
        let group = |terms: &[Term]| {
            let terms = terms.iter().map(term_html);
            html! { <span class="term">{for terms}</span> }
        };
        // A line may break before the next product of a sum, before a tuple, and before words after a comma.
        let is_joined = |a: &Term, b: &Term| {
            let is_after_comma = a.text == ", " && !b.text.starts_with(|c: char| c.is_ascii_digit());
            !(is_after_comma || b.text.starts_with(" + ") || b.text.starts_with('('))
        };
        html! { <p>{for line.chunk_by(is_joined).map(group)}</p> }
    });
    lines.collect()
}

fn term_html(term: &Term) -> Html {
    match (term.dimension, term.strong) {
        (Some(d), _) => html! { <b class={dimension_class(d)}>{&term.text}</b> },
        (None, true) => html! { <b>{&term.text}</b> },
        (None, false) => html! { <span>{&term.text}</span> },
    }
}

/// Index, value, address and bits.
fn facts(context: &Context, properties: &SlotProperties, line_bytes: i64) -> Html {
    let kind = match properties.kind {
        SlotKind::Element => "kind-element",
        SlotKind::IndexedPadding => "kind-padding",
        SlotKind::UnindexedPadding => "kind-tile-padding",
    };
    let index = properties.index.iter().enumerate().map(|(d, e)| {
        html! { <>if d > 0 {{", "}}<b class={dimension_class(d)}>{*e}</b></> }
    });
    let value = match &properties.letter {
        Some(letter) => context.text(
            &Message::new("letter-for")
                .with("letter", letter.as_str())
                .with("value", properties.value.as_str()),
        ),
        None if properties.value.is_empty() => context.text_of_key("value-unset"),
        None => properties.value.clone().into(),
    };
    let address = {
        let SlotProperties { byte, last_byte, bit, .. } = *properties;
        let message = match (bit, last_byte - byte) {
            (0, 0) => Message::new("address"),
            (0, _) => Message::new("address-bytes").with("last", last_byte),
            _ => Message::new("address-bit").with("bit", bit),
        };
        let message = message.with("hex", format!("0x{byte:x}")).with("byte", byte);
        context.text(&message.with("line", byte / line_bytes))
    };
    html! {
        <dl class="kv" id="inspector">
            <dt>{context.text_of_key("index")}</dt>
            <dd>
                if properties.kind == SlotKind::UnindexedPadding { {"–"} } else { {"("}{for index}{")"} }
                {" "}<span class="dim">{context.text_of_key(kind)}</span>
            </dd>
            <dt>{context.text_of_key("value")}</dt><dd>{value}</dd>
            <dt>{context.text_of_key("word-slot")}</dt><dd>{properties.slot}</dd>
            <dt>{context.text_of_key("address-label")}</dt><dd>{address}</dd>
            if !properties.fields.is_empty() {
                <dt>{context.text_of_key("bits")}</dt>
                <dd>{bits(context, properties)}</dd>
            }
        </dl>
    }
}

/// The bits in groups by field, most significant first, each with its name.
fn bits(context: &Context, properties: &SlotProperties) -> Html {
    let fields = properties.fields.iter().map(|field| {
        let (class, key) = match field.kind {
            FieldKind::Sign => ("sign", "bits-sign"),
            FieldKind::Exponent => ("exponent", "bits-exponent"),
            FieldKind::Mantissa => ("mantissa", "bits-mantissa"),
            FieldKind::Integer => ("integer", "bits-integer"),
            FieldKind::Pred => ("integer", "bits-truth"),
        };
        let part = match field.part {
            Part::Whole => None,
            Part::Real => Some(context.text_of_key("bits-real")),
            Part::Imaginary => Some(context.text_of_key("bits-imaginary")),
        };
        let digits = format!("{:0width$b}", field.bits, width = usize::from(field.width));
        let name = context.text_of_key(key);
        html! {
            <span class={classes!("bitfield", class)}>
                <code>{digits}</code>
                <small>{part}{" "}{name}</small>
            </span>
        }
    });
    html! {
        <span class="bits">
            <code class="hex">{&properties.hex}</code>
            <span class="bitfields">{for fields}</span>
        </span>
    }
}
