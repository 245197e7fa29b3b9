//! A screen's state and the address bar, kept in step: what the visitor does is written there, a link that arrives is
//! taken, and what could not be read of it is told.

use std::cell::Cell;
use std::rc::Rc;

use yew::prelude::*;

use super::context::Context;
use super::link::{self, Arrivals};
use crate::i18n::Message;
use crate::state::session::LinkChange;

/// A state of which a link tells.
pub trait Linked: Clone + PartialEq + 'static {
    /// What a link tells of it.
    type Told: Clone + PartialEq + 'static;
    /// What the visitor can do.
    type Action: 'static;

    /// Whether a fragment is of this screen.
    fn is_own_link(fragment: &str) -> bool;
    /// What a fragment tells, and what of it could not be read.
    fn read(fragment: &str) -> (Self::Told, Vec<Message>);
    /// The fragment that tells it.
    fn write(told: &Self::Told) -> String;
    /// The state to begin with.
    fn new(told: Self::Told) -> Self;
    /// What its link tells.
    fn told(&self) -> &Self::Told;
    /// Does what the visitor wants; what that means for the link.
    fn apply(&mut self, action: Self::Action) -> LinkChange;
    /// Takes what a link told.
    fn load(&mut self, told: Self::Told);
}

/// What the reducer takes.
pub enum Step<A> {
    /// The visitor does something.
    Act(A),
    /// A fragment that arrived; it is in the address bar already.
    Arrive(String),
    /// The visitor has read what was wrong with the link.
    Dismiss,
}

/// A state, with what the steps since the link was last written mean for it.
#[derive(Clone, PartialEq)]
pub struct Page<S> {
    /// The state.
    pub state: S,
    /// Several steps may come before the page is drawn: the greatest change counts.
    change: Rc<Cell<LinkChange>>,
    /// What could not be read of the link.
    problems: Vec<Message>,
}

impl<S: Linked> Reducible for Page<S> {
    type Action = Step<S::Action>;

    fn reduce(self: Rc<Self>, step: Self::Action) -> Rc<Self> {
        let mut next = (*self).clone();
        match step {
            Step::Act(action) => {
                let change = next.state.apply(action);
                if next.state.told() != self.state.told() {
                    next.change.set(next.change.get().max(change));
                }
            }
            Step::Arrive(fragment) => {
                // Our own changes of the address come back as events too.
                if S::write(next.state.told()) == fragment {
                    return self;
                }
                let (told, problems) = S::read(&fragment);
                next.state.load(told);
                next.problems = problems;
                next.change.set(LinkChange::Keep);
            }
            Step::Dismiss => next.problems.clear(),
        }
        Rc::new(next)
    }
}

/// The state that the address tells of, from now on in step with it, and what the visitor's actions go to.
#[hook]
pub fn use_linked<S: Linked>() -> (UseReducerHandle<Page<S>>, Callback<S::Action>) {
    let page = use_reducer(|| {
        let (told, problems) = S::read(&link::fragment());
        Page { state: S::new(told), change: Rc::new(Cell::new(LinkChange::Keep)), problems }
    });
    let dispatch = {
        let dispatcher = page.dispatcher();
        use_callback((), move |action: S::Action, ()| dispatcher.dispatch(Step::Act(action)))
    };
    {
        let dispatcher = page.dispatcher();
        use_effect_with((), move |()| {
            let arrived = move |fragment| dispatcher.dispatch(Step::Arrive(fragment));
            let arrivals = Arrivals::listen(S::is_own_link, arrived);
            move || drop(arrivals)
        });
    }
    {
        let change = page.change.clone();
        use_effect_with(page.state.told().clone(), move |told| {
            link::show(&S::write(told), change.replace(LinkChange::Keep));
        });
    }
    (page, dispatch)
}

/// What could not be read of the link.
pub fn problems<S: Linked>(context: &Context, page: &UseReducerHandle<Page<S>>) -> Html {
    let dispatcher = page.dispatcher();
    let dismiss = Callback::from(move |_: MouseEvent| dispatcher.dispatch(Step::Dismiss));
    html! {
        if !page.problems.is_empty() {
            <div class="notice" id="link-problems" role="alert">
                <p>{context.say("link-problems")}</p>
                <ul>{for page.problems.iter().map(|m| html! { <li>{context.tell(m)}</li> })}</ul>
                <button class="btn small" onclick={dismiss}>{context.say("close")}</button>
            </div>
        }
    }
}
