//! A scrolling list of rows of one height, of which only the visible ones are in the document.

use std::ops::Range;

use web_sys::Element;
use yew::prelude::*;

/// Rows that are drawn beyond the visible ones on either side.
const OVERSCAN: usize = 12;

/// Rows that are drawn before the list has a size.
const FIRST_ROWS: usize = 60;

/// Properties of [`VirtualList`].
#[derive(Clone, PartialEq, Properties)]
pub struct VirtualListProps {
    /// Id of the scrolling element.
    pub id: AttrValue,
    /// Its CSS classes.
    #[prop_or_default]
    pub class: AttrValue,
    /// Its label.
    pub label: AttrValue,
    /// Its role.
    pub role: AttrValue,
    /// The id of the active row, for roles whose focus stays on the list.
    #[prop_or_default]
    pub active: Option<AttrValue>,
    /// The number of rows.
    pub count: usize,
    /// The height of a row, pixels.
    pub row_height: u32,
    /// The CSS width of the rows, where they may be wider than the list.
    #[prop_or_default]
    pub width: Option<AttrValue>,
    /// The row to show, whenever it changes, and a number that changes where it is to be shown again.
    #[prop_or_default]
    pub reveal: Option<(usize, u32)>,
    /// Draws a row.
    pub row: Callback<usize, Html>,
    /// Reports the rows that are drawn.
    #[prop_or_default]
    pub on_range: Callback<(usize, usize)>,
    /// Handles keys.
    #[prop_or_default]
    pub onkeydown: Callback<KeyboardEvent>,
}

/// The rows in a window of `height` pixels that is scrolled to `top`.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a scroll offset is not negative, and less than 2^31"
)]
fn visible(top: f64, height: f64, row_height: u32, count: usize) -> Range<usize> {
    let row = |pixels: f64| (pixels.max(0.0) / f64::from(row_height)) as usize;
    let start = row(top).saturating_sub(OVERSCAN).min(count);
    let rows = if height > 0.0 { row(height) + 2 * OVERSCAN + 1 } else { FIRST_ROWS };
    start..(start + rows).min(count)
}

/// The list.
#[component]
pub fn VirtualList(props: &VirtualListProps) -> Html {
    let node = use_node_ref();
    let view = use_state_eq(|| (0.0_f64, 0.0_f64));
    let measure = {
        let (node, view) = (node.clone(), view.setter());
        use_callback((), move |(), ()| {
            if let Some(element) = node.cast::<Element>() {
                view.set((f64::from(element.scroll_top()), f64::from(element.client_height())));
            }
        })
    };
    {
        // The height changes with the window and with the elements around the list.
        let measure = measure.clone();
        use_effect(move || measure.emit(()));
    }
    {
        let (node, row_height) = (node.clone(), f64::from(props.row_height));
        use_effect_with(props.reveal, move |reveal| {
            let (Some((row, _)), Some(element)) = (*reveal, node.cast::<Element>()) else { return };
            #[allow(clippy::cast_precision_loss, reason = "a row number")]
            let top = row as f64 * row_height;
            let (from, height) = (f64::from(element.scroll_top()), f64::from(element.client_height()));
            if top < from || top + row_height > from + height {
                #[allow(clippy::cast_possible_truncation, reason = "pixels")]
                element.set_scroll_top((top - (height - row_height) / 2.0).max(0.0) as i32);
            }
        });
    }
    let range = visible(view.0, view.1, props.row_height, props.count);
    {
        let on_range = props.on_range.clone();
        use_effect_with((range.start, range.end, on_range), move |(start, end, on_range)| {
            on_range.emit((*start, *end));
        });
    }
    let onscroll = measure.reform(|_: Event| ());
    let height = u64::from(props.row_height).saturating_mul(props.count as u64);
    let top = u64::from(props.row_height).saturating_mul(range.start as u64);
    let width = props.width.as_ref().map_or_else(String::new, |width| format!("min-width:{width};"));
    html! {
        <div class={classes!("virtual", props.class.to_string())} id={&props.id} ref={node} role={&props.role} tabindex="0"
            aria-label={&props.label} aria-activedescendant={props.active.clone()} {onscroll} onkeydown={&props.onkeydown}>
            <div class="virtual-all" role="presentation" style={format!("{width}height:{height}px")}>
                <div class="virtual-rows" role="presentation" style={format!("transform:translateY({top}px)")}>
                    {for range.map(|row| props.row.emit(row))}
                </div>
            </div>
        </div>
    }
}
