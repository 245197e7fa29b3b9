//! The ranked lists of the report. Every row has a button that selects its instruction.

use yew::prelude::*;

use super::amounts::{format_count, percent};
use super::ranked::Ranked;
use crate::app::context::Context;
use crate::app::program::neighbourhood::bytes_text;
use crate::i18n::Message;
use crate::state::program::session::Action;
use crate::worker::program::wire::costs::{
    Chain, Expensive, Free, LiveValue, Memory, Movements, Moving, Named, Padded, Padding, Totals,
};
use crate::worker::program::wire::{InstructionKey, InstructionPath};

/// The context of all lists.
pub struct Lists<'a> {
    /// The context.
    pub context: &'a Context,
    /// Dispatches actions.
    pub dispatch: &'a Callback<Action>,
    /// The selected instruction.
    pub selected: Option<InstructionKey>,
}

impl Lists<'_> {
    fn text(&self, key: &'static str) -> AttrValue {
        self.context.text(&Message::program(key))
    }

    /// The button that selects an instruction.
    fn instruction(&self, named: &Named) -> Html {
        let instruction = InstructionPath { at: named.at, calls: Vec::new() };
        let onclick = self.dispatch.reform(move |_: MouseEvent| Action::Select(instruction.clone()));
        html! { <button class="as-link name" {onclick} aria-pressed={(self.selected == Some(named.at)).to_string()}>{&named.name}</button> }
    }

    /// The link that draws an array on the Layout screen.
    fn layout(&self, fragment: &str) -> Html {
        html! { <a class="btn tiny" href={format!("#{fragment}")}>{self.text("editor-link-layout")}</a> }
    }

    /// The instructions with the most memory traffic, and those with the most operations.
    pub fn expensive(&self, totals: &Totals) -> Html {
        html! {
            <>
                {self.costs("costs-expensive", &totals.by_bytes)}
                {self.costs("costs-most-flops", &totals.by_flops)}
            </>
        }
    }

    /// A list of costs; `id` is also the key of its title.
    fn costs(&self, id: &'static str, rows: &[Expensive]) -> Html {
        if rows.is_empty() {
            return Html::default();
        }
        let row = |row: &Expensive| {
            html! {
                <>
                    <td class="num">{bytes_text(row.bytes)}</td>
                    <td class="num">{format_count(row.flops)}<span class="unit">{" FLOP"}</span></td>
                    <td>{self.instruction(&row.instruction)}{" "}<span class="opcode">{&row.instruction.opcode}</span>{executions(row.executions)}</td>
                    <td class="shape">{&row.shape}</td>
                </>
            }
        };
        let head = ["costs-bytes", "costs-flops", "costs-instruction", "costs-shape"];
        html! {
            <Ranked {id} numbers=2 title={self.text(id)} head={head.map(|key| self.text(key)).to_vec()}
                rows={rows.iter().map(row).collect::<Vec<_>>()} total={rows.len()} />
        }
    }

    /// The values that are live at the peak.
    pub fn live(&self, memory: &Memory) -> Html {
        let row = |row: &LiveValue| {
            let kind = if row.is_permanent { "costs-throughout" } else { "costs-at-the-time" };
            html! {
                <>
                    <td class="num">{bytes_text(row.bytes)}</td>
                    <td class="num">{percent(row.bytes, memory.peak_bytes)}</td>
                    <td>{self.instruction(&row.instruction)}{" "}<span class="opcode">{&row.instruction.opcode}</span>{" "}<span class="dim">{self.text(kind)}</span></td>
                    <td class="shape">{&row.shape}</td>
                </>
            }
        };
        let path = memory.path.iter().enumerate().map(|(depth, at)| {
            html! { <>if depth > 0 { {" › "} }{self.instruction(at)}</> }
        });
        let note = html! { <p class="dim">{self.text("costs-peak-at")}{" "}{for path}</p> };
        let head = ["costs-bytes", "costs-part", "costs-instruction", "costs-shape"];
        html! {
            <Ranked id="costs-live" numbers=2 title={self.text("costs-live")} {note} head={head.map(|key| self.text(key)).to_vec()}
                rows={memory.values.iter().map(row).collect::<Vec<_>>()} total={memory.value_count} />
        }
    }

    /// Copies and transposes that move bytes, and what forced each; then those that are free.
    pub fn movements(&self, movements: &Movements) -> Html {
        let bytes = Message::program("costs-moving-sum").with("bytes", bytes_text(movements.moving_bytes));
        let summary = if movements.moving_count == 0 {
            html! { <p class="dim">{self.text("costs-no-moving")}</p> }
        } else {
            html! { <p class="dim">{self.context.text(&bytes)}</p> }
        };
        let rows: Vec<Html> = movements.moving.iter().map(|row| self.moving(row)).collect();
        let columns = ["costs-bytes", "costs-instruction", "costs-cause"];
        let free = |row: &Free| {
            html! {
                <>
                    <td>{self.instruction(&row.instruction)}{" "}<span class="opcode">{&row.instruction.opcode}</span></td>
                    <td class="shape">{&row.from}{" → "}{&row.to}</td>
                </>
            }
        };
        html! {
            <>
                <Ranked id="costs-moving" numbers=1 title={self.text("costs-moving")} note={summary} head={columns.map(|key| self.text(key)).to_vec()} {rows}
                    total={movements.moving_count} />
                if movements.free_count > 0 {
                    <Ranked id="costs-free" title={self.text("costs-free")} note={html! { <p class="dim">{self.text("costs-free-note")}</p> }}
                        head={["costs-instruction", "costs-shape"].map(|key| self.text(key)).to_vec()}
                        rows={movements.free.iter().map(free).collect::<Vec<_>>()} total={movements.free_count} />
                }
            </>
        }
    }

    fn moving(&self, row: &Moving) -> Html {
        let kind = if row.changes_order { "costs-relayout" } else { "costs-copy" };
        html! {
            <>
                <td class="num">{bytes_text(row.bytes)}</td>
                <td>
                    {self.instruction(&row.instruction)}{" "}<span class="opcode">{&row.instruction.opcode}</span>{executions(row.executions)}
                    <div class="shape">{&row.from}{" → "}{&row.to}</div>
                    <div class="dim">{self.text(kind)}{" "}if let Some(layout) = &row.layout { {self.layout(layout)} }</div>
                </td>
                <td class="cause">
                    {self.chain("costs-reads", &row.source)}
                    {self.chain("costs-writes", &row.demand)}
                </td>
            </>
        }
    }

    /// The cause of a layout, with the path of instructions from it.
    fn chain(&self, side: &'static str, chain: &Chain) -> Html {
        let count = chain.path.len();
        let steps = chain.path.iter().enumerate().map(|(number, at)| {
            let is_after_gap = chain.omitted > 0 && number + 1 == count;
            let gap = is_after_gap.then(|| format!("… {} … › ", chain.omitted));
            html! { <>{gap}{self.instruction(at)}if number + 1 < count { {" › "} }</> }
        });
        html! {
            <p><span class="dim">{self.text(side)}</span>{" "}{&chain.reason}if count > 0 { <span class="cause-path">{": "}{for steps}</span> }</p>
        }
    }

    /// The shapes that tiles pad.
    pub fn padding(&self, padding: &Padding) -> Html {
        let waste = padding.wasted_bytes();
        let note = if padding.shape_count == 0 {
            html! { <p class="dim">{self.text("costs-no-padding")}</p> }
        } else {
            let sum = Message::program("costs-padding-sum")
                .with("bytes", bytes_text(waste))
                .with("percent", percent(waste, padding.memory_bytes));
            html! { <p class="dim">{self.context.text(&sum)}</p> }
        };
        let row = |row: &Padded| self.padded(row);
        let head = ["costs-padding-bytes", "costs-part", "costs-shape", "costs-better"];
        html! {
            <Ranked id="costs-padding" numbers=2 title={self.text("costs-padding")} {note} head={head.map(|key| self.text(key)).to_vec()}
                rows={padding.shapes.iter().map(row).collect::<Vec<_>>()} total={padding.shape_count} />
        }
    }

    fn padded(&self, row: &Padded) -> Html {
        let waste = row.memory_bytes.saturating_sub(row.data_bytes);
        let better = row.better.as_ref().map(|(shape, link, saved)| {
            let saves = Message::program("costs-saves").with("bytes", bytes_text(saved.saturating_mul(row.count)));
            html! { <><span class="shape">{shape}</span>{" "}<span class="dim">{self.context.text(&saves)}</span>{" "}{self.layout(link)}</> }
        });
        html! {
            <>
                <td class="num">{bytes_text(waste.saturating_mul(row.count))}</td>
                <td class="num">{percent(waste, row.memory_bytes)}</td>
                <td><span class="shape">{&row.shape}</span>{executions(row.count)}{" "}{self.instruction(&row.first)}{" "}{self.layout(&row.layout)}</td>
                <td>{better}</td>
            </>
        }
    }
}

/// The number of executions of an instruction, unless it is 1.
fn executions(count: u64) -> Html {
    if count == 1 {
        Html::default()
    } else {
        html! { <span class="dim">{format!(" × {count}")}</span> }
    }
}
