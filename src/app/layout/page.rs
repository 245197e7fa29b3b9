//! The Layout screen: holds the session and the highlights, and composes the panels.

use std::rc::Rc;

use yew::prelude::*;

use crate::app;
use crate::app::canvas::SharedArray;
use crate::app::components::cell_panel::CellPanel;
use crate::app::components::compare::ComparePanelProps;
use crate::app::components::facts::{Caption, Cost};
use crate::app::components::form::Form;
use crate::app::components::frame::Frame;
use crate::app::components::grid_panel::GridPanel;
use crate::app::components::header::{Dialog, Dialogs, Header, use_dialogs};
use crate::app::components::hover::use_hover;
use crate::app::components::latest::use_latest;
use crate::app::components::player::{Player, PlayerLabels};
use crate::app::components::skip_link::{focus, skip_link};
use crate::app::components::spec_bar::SpecBar;
use crate::app::components::strip_panel::StripPanel;
use crate::app::components::tools::{quick_buttons, strip_tools, view_tools};
use crate::app::context::{Context, use_app_context};
use crate::app::keys::PageKeys;
use crate::app::layout::extras::{self, Extras, ExtrasHandle, OpenDialog, SplitPoint, use_extras};
use crate::app::link;
use crate::app::linked::{Linked, problems, use_linked};
use crate::array::Shape;
use crate::i18n::{Domain, Message};
use crate::interaction::keys::Command;
use crate::state::document::Document;
use crate::state::session::{Action, LinkChange, Session};
use crate::state::stored_history::History;
use crate::state::{permalink, screens};
use crate::view::array_view::ArrayView;
use crate::view::highlights::SlotHighlights;
use crate::view::inspect::SlotProperties;

impl Linked for Session {
    type LinkState = Document;
    type Action = Action;

    const HAS_HISTORY: bool = true;
    const SCREEN: screens::Screen = screens::LAYOUT;

    fn is_own_link(fragment: &str) -> bool {
        // A compressed link that cannot be read yet reloads the page, which then waits for the compression.
        let is_readable = !permalink::is_compressed(fragment) || extras::compression().is_some();
        permalink::is_own_link(fragment) && is_readable
    }

    fn read(fragment: &str) -> (Document, Vec<Message>) {
        let loaded = permalink::read_with(fragment, extras::compression());
        (loaded.document, loaded.problems)
    }

    fn write(document: &Document) -> String {
        permalink::write_with(document, extras::compression())
    }

    fn new(document: Document, _: &str) -> Self {
        Self::new(document)
    }

    fn link_state(&self) -> &Document {
        self.document()
    }

    fn apply(&mut self, action: Action) -> LinkChange {
        self.apply(action)
    }

    fn load(&mut self, document: Document, _: &str) {
        self.apply(Action::Load(Box::new(document)));
    }

    fn history(&self) -> History<&Document> {
        self.history()
    }

    fn restore_history(&mut self, history: History<Document>) {
        self.restore_history(history);
    }
}

/// Mounts the app with the Layout screen, after loading the split module if its link needs that.
pub fn mount(split_point: fn() -> &'static Extras) {
    let split_point = SplitPoint(split_point);
    let ready = async move {
        let link = link::current_link();
        if permalink::is_compressed(&link) || needs_extras(&permalink::read_with(&link, None).document) {
            // If this fails, the page retries and displays the error.
            let _ = extras::load(split_point).await;
        }
    };
    app::mount_after(ready, &[Domain::CORE], html! { <LayoutPage {split_point} /> });
}

/// Whether a document can be displayed only with the split module.
fn needs_extras(document: &Document) -> bool {
    let has_typed_values = document.has_typed_values();
    document.compare.is_some() || has_typed_values || matches!(document.shape, Shape::Tuple(_))
}

/// Properties of [`LayoutPage`].
#[derive(Clone, PartialEq, Properties)]
struct LayoutPageProps {
    /// Returns the functions of the split module.
    split_point: SplitPoint,
}

/// The Layout screen.
#[component]
fn LayoutPage(props: &LayoutPageProps) -> Html {
    let context = use_app_context();
    let (page, dispatch) = use_linked::<Session>();
    let Dialogs { dialog, open, close } = use_dialogs();
    let playing = use_state_eq(|| false);

    let document = use_memo(page.state.document().clone(), Clone::clone);
    let hover = use_hover::<i64, _>(document.cursor);
    let array = use_array(&document, &context, None);
    let other = use_array(&document, &context, array.as_ref());

    let set_hover = {
        let hover = hover.clone();
        use_callback((), move |slot: Option<i64>, ()| hover.set(slot))
    };
    let play = {
        let playing = playing.clone();
        use_callback((), move |on: bool, ()| playing.set(on))
    };
    let is_long = link::current_link().len() > permalink::MAX_READABLE_CHARS;
    let extras = use_extras(props.split_point, dialog.is_some() || is_long || needs_extras(&document));
    use_compressed_link(&document, extras.functions.is_some());
    let open = extras.retry_before(&open);
    let busy = dialog.filter(|_| extras.is_loading());
    use_keys(&context, &document, array.as_ref(), &dispatch, &open, &playing);

    let cells = array.as_ref().map_or(0, |a| a.0.memory_map().slot_count());
    let cursor = document.cursor;
    let highlights = SlotHighlights {
        cursor: (cells > 0).then_some(cursor),
        hover: hover.filter(|slot| *slot < cells),
        pins: document.pins.clone(),
    };
    let focus = highlights.focus();
    let current = array.as_ref().and_then(|a| SlotProperties::new(&a.0, cursor));
    let screen_reader_text = current.as_ref().map(|properties| context.text(&properties.description()));
    let view = &document.view;
    let pictures = array.as_ref().map(|array| {
        let pictures = Pictures {
            context: &context,
            document: &document,
            array,
            other: other.as_ref(),
            extras: &extras,
            highlights: &highlights,
            hover: &set_hover,
            dispatch: &dispatch,
        };
        pictures.html()
    });
    if link::is_embed() {
        let title = page.state.text().to_owned();
        return html! {
            <>
                <Frame {title} fragment={Session::write(&document)}>
                    {problems(&context, &page)}
                    {extras.notice(&context, None)}
                    {pictures.unwrap_or_else(|| no_array(&context))}
                </Frame>
                <Player {cells} {cursor} is_playing={*playing} {play} move_to={dispatch.reform(Action::MoveCursor)}
                    labels={PlayerLabels::SLOTS} />
                <p class="sr-only" role="status" id="spoken" data-slot={current.as_ref().map(|_| cursor.to_string())}
                    data-index={current.map(|properties| properties.index_text())}>{screen_reader_text}</p>
            </>
        };
    }
    html! {
        <>
            {skip_link(&context)}
            <Header screen={screens::LAYOUT} open={open.clone()} {busy} />
            <section class="spec" aria-label={context.text_of_key("spec-label")}>
                <SpecBar text={page.state.text().to_owned()} parsed={page.state.parsed().clone()}
                    rejection={page.state.rejection().cloned()} dispatch={dispatch.clone()} />
                {quick_buttons(&context, &page.state, &dispatch)}
            </section>
            {problems(&context, &page)}
            {extras.notice(&context, dialog.map(|_| &close))}
            <main>
                <aside aria-label={context.text_of_key("definition")}>
                    if let Some(array) = &array {
                        <Form array={array.0.shape().clone()} values={document.values.clone()}
                            values_error={array.0.values_error().cloned()}
                            dispatch={dispatch.clone()} />
                        <Cost array={array.clone()} line_bytes={view.line_bytes} />
                    }
                </aside>
                <div class="stage" id="stage" tabindex="-1">
                    {extras.render(|extras| (extras.tuple_tabs)(document.clone(), dispatch.clone()))}
                    if let Some(array) = &array {
                        <div class="told">
                            <Caption array={array.clone()} values={document.values.clone()} compared={document.compare.clone()} />
                        </div>
                        <div class="pair">
                            {pictures.clone()}
                            <CellPanel array={array.clone()} slot={focus} line_bytes={view.line_bytes} />
                        </div>
                    } else {
                        {no_array(&context)}
                    }
                </div>
            </main>
            <Player {cells} {cursor} is_playing={*playing} play={play} move_to={dispatch.reform(Action::MoveCursor)}
                open_goto={open.reform(|()| Dialog::GoTo)} is_goto_busy={busy == Some(Dialog::GoTo)} labels={PlayerLabels::SLOTS} />
            <p class="sr-only" role="status" id="spoken">{screen_reader_text}</p>
            {dialog.map(|dialog| extras.render(|extras| {
                let (context, array, document, dispatch, close) = (&context, array.as_ref(), &document, &dispatch, &close);
                (extras.dialog)(&OpenDialog { dialog, context, array, document, dispatch, close })
            })).unwrap_or_default()}
        </>
    }
}

/// Compresses a long link in the address bar that was written before the compression was loaded.
#[hook]
fn use_compressed_link(document: &Rc<Document>, is_loaded: bool) {
    let document = document.clone();
    use_effect_with(is_loaded, move |is_loaded| {
        let link = link::current_link();
        let is_long = link.len() > permalink::MAX_READABLE_CHARS;
        if *is_loaded && is_long && link == permalink::write_with(&document, None) {
            link::update_url(&Session::write(&document), LinkChange::Replace);
        }
    });
}

/// The pictures of the Layout screen: the array as a grid and its memory, in one layout or two.
struct Pictures<'a> {
    context: &'a Context,
    document: &'a Rc<Document>,
    array: &'a SharedArray,
    /// The array in the compared layout.
    other: Option<&'a SharedArray>,
    extras: &'a ExtrasHandle,
    highlights: &'a SlotHighlights,
    hover: &'a Callback<Option<i64>>,
    dispatch: &'a Callback<Action>,
}

impl Pictures<'_> {
    fn html(&self) -> Html {
        let view = &self.document.view;
        let first = self.other.map(|_| "A · ");
        let second = self.other.map(|other| {
            let (array, other, document) = (self.array.clone(), other.clone(), self.document.clone());
            let (highlights, hover, dispatch) =
                (self.highlights.clone(), self.hover.clone(), self.dispatch.clone());
            ComparePanelProps { array, other, document, highlights, hover, dispatch }
        });
        let is_comparing = second.is_some() && self.extras.functions.is_some();
        let render = |function: fn(&Extras) -> fn(ComparePanelProps) -> Html| {
            self.extras.render(|extras| second.clone().map(function(extras)).unwrap_or_default())
        };
        html! {
            <div class="pictures">
                <div class={classes!("grids", is_comparing.then_some("two"))}>
                    <section aria-labelledby="h-grid">
                        <div class="head">
                            <h2 id="h-grid">{first}{self.context.text(&heading(self.array))}</h2>
                            {view_tools(self.context, self.document, self.array, self.other.is_some() && self.extras.is_loading(), self.dispatch)}
                        </div>
                        <GridPanel id="grid" array={self.array.clone()} document={self.document.clone()}
                            highlights={self.highlights.clone()} hover={self.hover.clone()}
                            dispatch={self.dispatch.clone()} />
                    </section>
                    {render(|extras| extras.second_grid)}
                </div>
                <section aria-labelledby="h-memory">
                    <div class="head">
                        <h2 id="h-memory">{first}{self.context.text_of_key("memory")}</h2>
                        {strip_tools(self.context, self.document, self.dispatch)}
                    </div>
                    <StripPanel id="strip" label={self.context.text_of_key("memory")} array={self.array.clone()}
                        line_bytes={view.line_bytes} slot_text={view.slot_text} highlights={self.highlights.clone()}
                        prefers_one_row={is_comparing} hover={self.hover.clone()}
                        dispatch={self.dispatch.clone()} />
                    {render(|extras| extras.second_strip)}
                </section>
            </div>
        }
    }
}

fn no_array(context: &Context) -> Html {
    html! { <p class="nothing" id="no-array">{context.text_of_key("no-array")}</p> }
}

/// "Array" or "Array, padded to [3,5]".
fn heading(array: &SharedArray) -> Message {
    let map = array.0.memory_map();
    if map.padded_sizes() == map.sizes() {
        return Message::new("array");
    }
    let sizes: Vec<String> = map.padded_sizes().iter().map(i64::to_string).collect();
    Message::new("array-padded").with("sizes", format!("[{}]", sizes.join(",")))
}

/// The array in the document's layout; given that as `first`, the array in the compared layout.
#[hook]
fn use_array(document: &Rc<Document>, context: &Context, first: Option<&SharedArray>) -> Option<SharedArray> {
    let shape = match first {
        None => document.array().cloned(),
        Some(first) => document.compare.clone().map(|layout| first.0.shape().clone().with_layout(layout)),
    };
    let map = context.preferences.colour_map.colours();
    let read = extras::read_user_text();
    let key = (shape, document.values.clone(), document.view.colour, map, read.is_some());
    let array = use_memo(key, |(shape, values, colour, map, _)| {
        let array = ArrayView::with_reader(shape.as_ref()?, values, *colour, *map, read)?;
        Some(SharedArray(Rc::new(array)))
    });
    (*array).clone()
}

/// Performs the page's shortcuts.
#[hook]
fn use_keys(
    context: &Context,
    document: &Rc<Document>,
    array: Option<&SharedArray>,
    dispatch: &Callback<Action>,
    open: &Callback<Dialog>,
    playing: &UseStateHandle<bool>,
) {
    let letters = context.preferences.letter_keys;
    let last = array.map_or(0, |a| (a.0.memory_map().slot_count() - 1).max(0));
    let (dispatch, open, playing) = (dispatch.clone(), open.clone(), playing.clone());
    let cursor = use_latest(document.cursor);
    use_effect_with((letters, last, *playing), move |(letters, last, is_playing)| {
        let (letters, last, is_playing) = (*letters, *last, *is_playing);
        let keys = PageKeys::listen(letters, move |command| {
            match command {
                Command::Step(by) | Command::StepSource(by) => {
                    dispatch.emit(Action::MoveCursor(cursor.step(by, last)));
                }
                Command::TogglePlayback => playing.set(!is_playing),
                Command::GoTo => open.emit(Dialog::GoTo),
                Command::ClearHighlights => dispatch.emit(Action::ClearPins),
                Command::ShowTiles => scroll_to("tiles"),
                Command::ShowPadding => scroll_to("padded-0"),
                Command::ShowFormula => scroll_to("h-forward"),
                Command::Undo => dispatch.emit(Action::Undo),
                Command::Redo => dispatch.emit(Action::Redo),
                Command::Share => open.emit(Dialog::Share),
                Command::Help => open.emit(Dialog::Help),
                // This screen has no list to search.
                Command::FocusSearch => return false,
            }
            // Escape must still reach an open dialog.
            command != Command::ClearHighlights
        });
        move || drop(keys)
    });
}

/// Scrolls to an element and focuses it.
fn scroll_to(id: &str) {
    if let Some(element) = gloo::utils::document().get_element_by_id(id) {
        element.scroll_into_view();
    }
    focus(id);
}
