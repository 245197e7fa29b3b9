//! Synchronizes a screen's state with the address bar: actions update the URL, a link that the user opens is loaded, and
//! its problems are displayed.

use std::cell::Cell;
use std::rc::Rc;

use gloo::events::EventListener;
use yew::prelude::*;

use super::context::Context;
use super::link::{self, NavigationListener};
use crate::i18n::Message;
use crate::state::screens::Screen;
use crate::state::session::LinkChange;
use crate::state::stored_history::{self, History};

/// A state that has a link.
pub trait Linked: Clone + PartialEq + 'static {
    /// The part of the state that the link contains.
    type LinkState: Clone + PartialEq + 'static;
    /// The user's actions.
    type Action: 'static;

    /// The screen.
    const SCREEN: Screen;

    /// Whether a fragment belongs to this screen.
    fn is_own_link(fragment: &str) -> bool;
    /// Parses a fragment; returns the problems too.
    fn read(fragment: &str) -> (Self::LinkState, Vec<Message>);
    /// The fragment of this link state.
    fn write(link_state: &Self::LinkState) -> String;
    /// The initial state for the link `fragment`.
    fn new(link_state: Self::LinkState, fragment: &str) -> Self;
    /// The part of the state that the link contains.
    fn link_state(&self) -> &Self::LinkState;
    /// Performs an action; returns how to update the URL.
    fn apply(&mut self, action: Self::Action) -> LinkChange;
    /// Loads the link `fragment`.
    fn load(&mut self, link_state: Self::LinkState, fragment: &str);
    /// Whether the screen has undo and redo.
    const HAS_HISTORY: bool = false;
    /// The states that undo and redo return to.
    fn history(&self) -> History<&Self::LinkState> {
        History { undo: Vec::new(), redo: Vec::new() }
    }
    /// Sets the states that undo and redo return to.
    fn restore_history(&mut self, _history: History<Self::LinkState>) {}
}

/// Stores undo and redo in the tab, for a return to the screen. An embed keeps nothing.
fn store_history<S: Linked>(state: &S) {
    let history = state.history();
    if link::is_embed() || history.is_empty() {
        return;
    }
    let links = |states: Vec<&S::LinkState>| {
        let omitted = states.len().saturating_sub(stored_history::MAX_STATES);
        states.into_iter().skip(omitted).map(S::write).collect()
    };
    let text = stored_history::write(S::write(state.link_state()), &history.map(links));
    link::store_history(S::SCREEN.bundle, &text);
}

/// Restores undo and redo, if the tab stored them.
fn restore_history<S: Linked>(state: &mut S) {
    let Some(text) = link::stored_history(S::SCREEN.bundle) else { return };
    let Some(history) = stored_history::read(&text, &S::write(state.link_state())) else { return };
    // Without the state of one step, the others would be wrong.
    let read =
        |link: &str| Some(S::read(link)).filter(|(_, problems)| problems.is_empty()).map(|(state, _)| state);
    let states = |links: Vec<&str>| links.into_iter().map(read).collect::<Option<Vec<_>>>();
    if let Some((undo, redo)) = states(history.undo).zip(states(history.redo)) {
        state.restore_history(History { undo, redo });
    }
}

/// The actions of the reducer.
pub enum PageAction<A> {
    /// Applies an action of the user.
    Apply(A),
    /// Loads a fragment, which is in the address bar already.
    Navigate(String),
    /// Closes the list of the link's problems.
    DismissProblems,
}

/// A state, with the pending update of the URL.
#[derive(Clone, PartialEq)]
pub struct Page<S> {
    /// The state of the screen.
    pub state: S,
    /// The number of the link, which counts its changes.
    number: u32,
    /// The pending update of the URL, with the number of the link that it leads to. Several actions may precede a rendering: the
    /// strongest of their updates applies.
    pending: Rc<Cell<(u32, LinkChange)>>,
    /// The problems of the link.
    problems: Vec<Message>,
}

impl<S: Linked> Reducible for Page<S> {
    type Action = PageAction<S::Action>;

    fn reduce(self: Rc<Self>, action: Self::Action) -> Rc<Self> {
        let mut next = (*self).clone();
        match action {
            PageAction::Apply(action) => {
                let change = next.state.apply(action);
                if next.state.link_state() != self.state.link_state() {
                    next.number += 1;
                    next.pending.set((next.number, next.pending.get().1.max(change)));
                }
            }
            PageAction::Navigate(fragment) => {
                // Updates of the URL by this page fire events too.
                if S::write(next.state.link_state()) == fragment {
                    return self;
                }
                let (link_state, problems) = S::read(&fragment);
                next.state.load(link_state, &fragment);
                next.problems = problems;
                next.number += 1;
                next.pending.set((next.number, LinkChange::Keep));
            }
            PageAction::DismissProblems => next.problems.clear(),
        }
        Rc::new(next)
    }
}

/// The state that the link in the address bar describes, kept synchronized with it, and the dispatcher of actions.
#[hook]
pub fn use_linked<S: Linked>() -> (UseReducerHandle<Page<S>>, Callback<S::Action>) {
    let page = use_reducer(|| {
        let link = link::current_link();
        let (link_state, problems) = S::read(&link);
        let mut state = S::new(link_state, &link);
        if S::HAS_HISTORY {
            restore_history(&mut state);
        }
        Page { state, number: 0, pending: Rc::new(Cell::new((0, LinkChange::Keep))), problems }
    });
    let dispatch = {
        let dispatcher = page.dispatcher();
        use_callback((), move |action: S::Action, ()| dispatcher.dispatch(PageAction::Apply(action)))
    };
    {
        let dispatcher = page.dispatcher();
        use_effect_with((), move |()| {
            let on_link = move |fragment| dispatcher.dispatch(PageAction::Navigate(fragment));
            let listener = NavigationListener::listen(S::is_own_link, on_link);
            move || drop(listener)
        });
    }
    {
        // The page is left by a link, by the browser's buttons, or by a reload.
        let latest = use_mut_ref(|| page.clone());
        latest.borrow_mut().clone_from(&page);
        use_effect_with((), move |()| {
            let on_leave = move |_: &Event| {
                let state = &latest.borrow().state;
                link::store_screen_link(S::SCREEN.bundle, &S::write(state.link_state()));
                if S::HAS_HISTORY {
                    store_history(state);
                }
            };
            // An embed keeps nothing, wherever its address leads next.
            let listener =
                (!link::is_embed()).then(|| EventListener::new(&gloo::utils::window(), "pagehide", on_leave));
            move || drop(listener)
        });
    }
    {
        let page = page.clone();
        use_effect_with(page.number, move |number| {
            let (newest, change) = page.pending.get();
            // An action may come between a rendering and its effects: the next rendering updates the URL.
            if newest == *number {
                page.pending.set((newest, LinkChange::Keep));
                link::update_url(&S::write(page.state.link_state()), change);
            }
        });
    }
    (page, dispatch)
}

/// The problems of the link.
pub fn problems<S: Linked>(context: &Context, page: &UseReducerHandle<Page<S>>) -> Html {
    let dispatcher = page.dispatcher();
    let dismiss = Callback::from(move |_: MouseEvent| dispatcher.dispatch(PageAction::DismissProblems));
    html! {
        if !page.problems.is_empty() {
            <div class="notice" id="link-problems" role="alert">
                <p>{context.text_of_key("link-problems")}</p>
                <ul>{for page.problems.iter().map(|m| html! { <li>{context.text(m)}</li> })}</ul>
                <button class="btn small" onclick={dismiss}>{context.text_of_key("close")}</button>
            </div>
        }
    }
}
