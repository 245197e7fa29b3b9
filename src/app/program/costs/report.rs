//! The parts of the report, as far as the query worker has answered.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::program::answers::use_answers;
use crate::app::program::reading::ReadStatus;
use crate::app::program::view_props::ViewProps;
use crate::worker::program::wire::costs::{Answer, Memory, Movements, Padding, Query, Totals};
use crate::worker::program::wire::{self};

/// The parts that have arrived.
#[derive(Clone, Default, PartialEq)]
pub struct Report {
    /// Operations and bytes.
    pub totals: Option<Rc<Totals>>,
    /// Memory over time.
    pub memory: Option<Rc<Memory>>,
    /// Copies and transposes.
    pub movements: Option<Rc<Movements>>,
    /// Padding.
    pub padding: Option<Rc<Padding>>,
}

impl Report {
    /// Whether every part has arrived.
    pub fn is_complete(&self) -> bool {
        self.totals.is_some() && self.memory.is_some() && self.movements.is_some() && self.padding.is_some()
    }
}

/// A change of the report.
pub enum Change {
    /// Another program is analyzed.
    Start,
    /// A part arrives.
    Answer(Answer),
}

impl Reducible for Report {
    type Action = Change;

    fn reduce(self: Rc<Self>, change: Change) -> Rc<Self> {
        let mut next = (*self).clone();
        match change {
            Change::Start => return Rc::default(),
            Change::Answer(Answer::Totals(totals)) => next.totals = Some(Rc::new(totals)),
            Change::Answer(Answer::Memory(memory)) => next.memory = Some(Rc::new(memory)),
            Change::Answer(Answer::Movements(movements)) => next.movements = Some(Rc::new(movements)),
            Change::Answer(Answer::Padding(padding)) => next.padding = Some(Rc::new(padding)),
        }
        Rc::new(next)
    }
}

/// The report of the program.
#[hook]
pub fn use_report(props: &ViewProps) -> Report {
    let report = use_reducer(Report::default);
    {
        let dispatcher = report.dispatcher();
        let on_answer = use_callback((), move |answer: wire::Answer, ()| {
            if let wire::Answer::Costs(answer) = answer {
                dispatcher.dispatch(Change::Answer(answer));
            }
        });
        use_answers(&props.answers, on_answer);
    }
    {
        let (dispatcher, ask) = (report.dispatcher(), props.ask.clone());
        let opened = props.reading.answer();
        let is_ready = props.reading.status == ReadStatus::Ready;
        use_effect_with((opened, is_ready), move |(opened, is_ready)| {
            if opened.is_known() && *is_ready {
                dispatcher.dispatch(Change::Start);
                for query in Query::ALL {
                    ask.emit(wire::Query::Costs(query));
                }
            }
        });
    }
    (*report).clone()
}
