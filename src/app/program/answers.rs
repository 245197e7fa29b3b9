//! Routes the query worker's answers to the shown view.

use std::cell::RefCell;
use std::rc::Rc;

use yew::prelude::*;

use crate::worker::program::wire::Answer;

/// Passes answers to the shown view; compared by identity.
#[derive(Clone, Default)]
pub struct Answers(Rc<RefCell<Option<Callback<Answer>>>>);

impl PartialEq for Answers {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Answers {
    /// Passes on an answer. One to a view that is no longer shown is dropped.
    pub fn pass(&self, answer: Answer) {
        let listener = self.0.borrow().clone();
        if let Some(listener) = listener {
            listener.emit(answer);
        }
    }
}

/// Calls `on_answer` with the answers to the view's queries while the component is shown.
#[hook]
pub fn use_answers(answers: &Answers, on_answer: Callback<Answer>) {
    use_effect_with((answers.clone(), on_answer), move |(answers, on_answer)| {
        answers.0.replace(Some(on_answer.clone()));
        let (answers, on_answer) = (answers.clone(), on_answer.clone());
        move || {
            // The next view may have registered its callback already.
            let is_own = answers.0.borrow().as_ref() == Some(&on_answer);
            if is_own {
                answers.0.take();
            }
        }
    });
}
