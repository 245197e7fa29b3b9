//! The text of the program: lines with numbers, of which only the visible ones are drawn, and on request a field to edit
//! it. The lines of the selected instruction are marked; a click, or Enter on the line at the cursor, selects the instruction of a line.

use yew::prelude::*;

use super::code_line::code_line;
use super::editor::Editor;
use super::problems::problems;
use super::reading::Reading;
use super::virtual_list::VirtualList;
use crate::app::components::latest::use_latest;
use crate::app::context::use_app_context;
use crate::app::keys;
use crate::i18n::Message;
use crate::state::program::session::Action;
use crate::worker::program::wire::Query;

/// The height of a line, pixels; see the style sheet.
const LINE_HEIGHT: u32 = 19;

/// The lines that a page key moves the cursor by.
const PAGE_LINES: usize = 20;

/// Maximum bytes of text that can be edited here: it is read again after each pause.
pub const MAX_EDITED_BYTES: usize = 4_000_000;

/// Properties of [`TextPane`].
#[derive(Clone, PartialEq, Properties)]
pub struct TextPaneProps {
    /// The program.
    pub reading: Reading,
    /// The bytes of the selected instruction.
    pub selected: Option<(usize, usize)>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
    /// Asks the query worker.
    pub ask: Callback<Query>,
}

/// The id of a line.
fn line_id(line: usize) -> String {
    format!("program-line-{line}")
}

/// The pane.
#[component]
pub fn TextPane(props: &TextPaneProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let is_editing = use_state_eq(|| false);
    let drawn_lines = use_mut_ref(|| 0..0);
    let shown_line = use_state_eq(|| (0_usize, 0_u32));
    let start_line = use_state_eq(|| None::<usize>);
    let source = &props.reading.text;
    let can_edit = source.text().len() <= MAX_EDITED_BYTES;
    let lines = props
        .selected
        .map(|(start, end)| (source.line_of(start), source.line_of(end.saturating_sub(1).max(start))));
    let cursor = use_state_eq(|| 0_usize);
    {
        // The text follows the selection until the user scrolls elsewhere.
        let (shown_line, cursor) = (shown_line.clone(), cursor.setter());
        use_effect_with(lines, move |lines| {
            if let Some((first, _)) = lines {
                cursor.set(*first);
                shown_line.set((*first, shown_line.1 + 1));
            }
        });
    }
    let show = {
        let shown_line = shown_line.clone();
        Callback::from(move |line: usize| shown_line.set((line, shown_line.1 + 1)))
    };
    let cursor_line = (*cursor).min(source.line_count().saturating_sub(1));
    let select = {
        let (source, ask) = (source.clone(), props.ask.clone());
        Callback::from(move |line: usize| {
            let written = source.line(line);
            let indent = written.len() - written.trim_start().len();
            ask.emit(Query::Locate(vec![source.line_start(line) + indent]));
        })
    };
    let latest_line = use_latest(cursor_line);
    let onkeydown = {
        let (cursor, show, select, count) =
            (cursor.setter(), show.clone(), select.clone(), source.line_count());
        Callback::from(move |event: KeyboardEvent| {
            let key = keys::key(&event);
            let line = latest_line.get();
            if key.ctrl || key.meta || key.alt || key.shift {
                return;
            }
            let to = match key.name.as_str() {
                "ArrowUp" => line.saturating_sub(1),
                "ArrowDown" => line + 1,
                "PageUp" => line.saturating_sub(PAGE_LINES),
                "PageDown" => line + PAGE_LINES,
                "Home" => 0,
                "End" => count,
                "Enter" | " " => {
                    event.prevent_default();
                    return select.emit(line);
                }
                _ => return,
            };
            event.prevent_default();
            let to = to.min(count.saturating_sub(1));
            latest_line.set(to);
            cursor.set(to);
            show.emit(to);
        })
    };
    let row = {
        let (source, context, folded) = (source.clone(), context.clone(), text("program-folded"));
        let wrong: Vec<usize> = props
            .reading
            .opened
            .iter()
            .flat_map(|opened| opened.problems.iter().filter(|problem| problem.is_error).map(|p| p.line))
            .collect();
        Callback::from(move |line: usize| {
            let onclick = select.reform(move |_: MouseEvent| line);
            let is_selected = lines.is_some_and(|(first, last)| (first..=last).contains(&line));
            let is_wrong = wrong.contains(&(line + 1));
            let is_at_cursor = line == cursor_line;
            let class = classes!(
                "line",
                is_selected.then_some("selected"),
                is_wrong.then_some("wrong"),
                is_at_cursor.then_some("at-cursor")
            );
            // An empty line has no other name.
            let written = source.line(line);
            let label = written
                .trim()
                .is_empty()
                .then(|| context.text(&Message::program("program-line").with("line", line + 1)));
            html! {
                <div {class} {onclick} key={line} id={line_id(line)} role="option" aria-label={label} aria-selected={is_selected.to_string()}
                    aria-posinset={(line + 1).to_string()} aria-setsize={source.line_count().to_string()}>
                    <span class="number" aria-hidden="true">{line + 1}</span><span class="code">{code_line(written, &folded)}</span>
                </div>
            }
        })
    };
    let edit = {
        let (is_editing, drawn_lines, start_line) =
            (is_editing.clone(), drawn_lines.clone(), start_line.setter());
        Callback::from(move |_: MouseEvent| {
            let shown = drawn_lines.borrow();
            // Where the user has scrolled away from the selected instruction, the middle of what is shown.
            let is_shown = lines.is_some_and(|(first, last)| first < shown.end && last >= shown.start);
            start_line.set((!is_shown && !shown.is_empty()).then(|| usize::midpoint(shown.start, shown.end)));
            is_editing.set(!*is_editing);
        })
    };
    let on_range = {
        let drawn_lines = drawn_lines.clone();
        use_callback((), move |(start, end): (usize, usize), ()| {
            drawn_lines.replace(start..end);
        })
    };
    let width = format!("calc({}ch + 64px)", source.max_line_bytes().min(400));
    html! {
        <section class="pane text-pane" aria-labelledby="h-text">
            <div class="pane-head">
                <h2 id="h-text">{text("program-text")}</h2>
                <span class="dim">{context.text(&Message::program("program-lines").with("count", source.line_count()))}</span>
                <span class="end">
                    <button class="btn tiny" id="edit-text" onclick={edit} disabled={!can_edit}
                        title={(!can_edit).then(|| text("program-edit-too-long"))}>{text(if *is_editing { "program-edit-end" } else { "program-edit" })}</button>
                </span>
            </div>
            if *is_editing && can_edit {
                <Editor reading={props.reading.clone()} selected={props.selected} start_line={*start_line} dispatch={props.dispatch.clone()} ask={props.ask.clone()} />
            } else {
                <VirtualList id="program-lines" class="code-lines" label={text("program-text")} role="listbox" active={line_id(cursor_line)} {onkeydown} count={source.line_count()}
                    row_height={LINE_HEIGHT} {width} reveal={*shown_line} {row} {on_range} />
            }
            {problems(&context, &props.reading, &props.dispatch, &show)}
        </section>
    }
}
