//! The structure of the program: the outline, and the selected instruction with its neighbours.

use std::rc::Rc;

use yew::prelude::*;

use super::outline::OutlineTree;
use super::reading::Reading;
use super::search::Search;
use super::selected_part::selected_part;
use super::source_view::SourceView;
use crate::app::context::use_app_context;
use crate::i18n::Message;
use crate::state::program::session::Action;
use crate::worker::program::wire::{InstructionPath, Query};

/// Properties of [`StructurePane`].
#[derive(Clone, PartialEq, Properties)]
pub struct StructurePaneProps {
    /// The program.
    pub reading: Rc<Reading>,
    /// The selected instruction.
    pub selected: Option<InstructionPath>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
    /// Asks the query worker.
    pub ask: Callback<Query>,
    /// Searches.
    pub search: Callback<String>,
}

/// The pane.
#[component]
pub fn StructurePane(props: &StructurePaneProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let reading = &props.reading;
    let shown = reading.details_of(props.selected.as_ref().map(|selected| selected.at));
    let fold_all = |is_open: bool| props.ask.reform(move |_: MouseEvent| Query::FoldAll { is_open });
    // The lines are asked for when they are first shown.
    let shows_source = use_state_eq(|| false);
    let ontoggle = {
        let shows_source = shows_source.clone();
        Callback::from(move |_: Event| shows_source.set(true))
    };
    html! {
        <section class="pane structure-pane" aria-labelledby="h-structure">
            <div class="pane-head">
                <h2 id="h-structure">{text("program-structure")}</h2>
                <Search found={reading.found.clone()} search={props.search.clone()} dispatch={props.dispatch.clone()} />
                <span class="end row">
                    <button class="btn tiny" id="open-all" onclick={fold_all(true)} title={text("program-open-all")} aria-label={text("program-open-all")}>{"+"}</button>
                    <button class="btn tiny" id="fold-all" onclick={fold_all(false)} title={text("program-fold-all")} aria-label={text("program-fold-all")}>{"−"}</button>
                </span>
            </div>
            <OutlineTree reading={reading.clone()} selected={props.selected.clone()} dispatch={props.dispatch.clone()} ask={props.ask.clone()} />
            {selected_part(&context, shown, false, &props.dispatch)}
            if reading.opened.as_ref().is_some_and(|opened| opened.has_sources) {
                <details class="source-section" id="source-section" {ontoggle}>
                    <summary>{text("program-view-source")}</summary>
                    if *shows_source {
                        <SourceView reading={reading.clone()} selected={props.selected.clone()} dispatch={props.dispatch.clone()} ask={props.ask.clone()} />
                    }
                </details>
            }
        </section>
    }
}
