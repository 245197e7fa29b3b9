//! The arrays of an experiment: which are shown, what is lit in each, and the panel of one.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use yew::prelude::*;

use super::panel::{Held, Panel};
use crate::app::canvas::SharedArray;
use crate::app::context::Context;
use crate::array::index::number_of;
use crate::array::{ArrayLiteral, Dims};
use crate::diagnostic::Severity;
use crate::hlo::{InstructionId, Module};
use crate::i18n::Message;
use crate::ops::{Applied, CellAt, OpDef, Role, Source};
use crate::state::document::{ColourBy, Values};
use crate::state::experiment::Experiment;
use crate::state::experiment::arguments::{Field, values_here};
use crate::state::experiment::run::{FinishedRun, leaves};
use crate::state::experiment::session::{Action, Session};
use crate::view::array_view::ArrayView;
use crate::view::colour_map::ColourMap;
use crate::view::derivation::{Derivation, derivation};
use crate::view::replica_derivation::replica_derivation;
use crate::view::sources::{HighlightedCell, Lights, of_operand};

/// What an array on the screen is for the instruction that is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A parameter further up the chain, by its number.
    Origin(usize),
    /// An operand, by its number.
    Operand(usize),
    /// The result.
    Result,
}

/// One array on the screen.
#[derive(Clone, PartialEq)]
pub struct Shown {
    /// What it is (a part of).
    pub place: Place,
    /// The instruction whose value it is (a part of).
    pub instruction: InstructionId,
    /// The way through the tuples of that value.
    pub path: Vec<usize>,
    /// The array.
    pub array: SharedArray,
}

impl Shown {
    /// The cell of an index.
    pub fn cell(&self, index: &Dims) -> CellAt {
        CellAt { path: self.path.iter().copied().collect(), index: index.clone() }
    }
}

/// A cell the visitor points at.
#[derive(Clone, Debug, PartialEq)]
pub struct Pointed {
    /// The number of the array on the screen.
    pub shown: usize,
    /// The index in it.
    pub index: Dims,
}

/// The arrays of an instruction's operands and of its result.
pub fn arrays(ran: &FinishedRun, focus: InstructionId, map: ColourMap) -> Vec<Shown> {
    let Some(instruction) = ran.module().entry_computation().and_then(|e| e.get(focus)) else {
        return Vec::new();
    };
    let view = |literal: Arc<ArrayLiteral>| {
        let view = match ran.range(&literal) {
            Some(range) => ArrayView::of_literal_within(literal, range, ColourBy::Value, map),
            None => ArrayView::of_literal(literal, ColourBy::Value, map),
        };
        SharedArray(Rc::new(view.without_value_colours()))
    };
    let of = |id: InstructionId, place: Place| {
        let parts = ran.value(id).map(leaves).unwrap_or_default();
        parts.into_iter().map(move |(path, array)| Shown { place, instruction: id, path, array: view(array) })
    };
    let own: BTreeSet<InstructionId> = instruction.operands.iter().copied().chain([focus]).collect();
    let is_origin = |id: &InstructionId| !own.contains(id);
    let origins = ran.parameters_behind(focus).into_iter().filter(|(_, id)| is_origin(id));
    let origins = origins.flat_map(|(number, id)| of(id, Place::Origin(number)));
    let operands = instruction.operands.iter().enumerate().flat_map(|(i, id)| of(*id, Place::Operand(i)));
    origins.chain(operands).chain(of(focus, Place::Result)).collect()
}

/// The operands of the instruction that is looked at, as far as they are parameters: what can be shown and set before
/// anything has run.
pub fn inputs(session: &Session, map: ColourMap) -> Vec<Shown> {
    let (Some((_, instruction)), Some(entry)) = (session.focus(), session.module().entry_computation())
    else {
        return Vec::new();
    };
    let numbers: BTreeMap<InstructionId, usize> =
        entry.parameters.iter().enumerate().map(|(number, id)| (*id, number)).collect();
    let operands = instruction.operands.iter().enumerate();
    let shown = operands.filter_map(|(operand, id)| {
        let number = *numbers.get(id)?;
        let shape = entry.get(*id)?.shape.as_array()?;
        let values = session.experiment().values(number);
        let view = ArrayView::new(shape, &values, ColourBy::Value, map)?.without_value_colours();
        let array = SharedArray(Rc::new(view));
        Some(Shown { place: Place::Operand(operand), instruction: *id, path: Vec::new(), array })
    });
    shown.collect()
}

/// What is lit and said.
#[derive(Default)]
pub struct LitUp {
    /// For each array on the screen.
    pub cells: Vec<Vec<HighlightedCell>>,
    /// How the output cell was made.
    pub working: Option<Derivation>,
    /// The same, to be spoken.
    pub said: AttrValue,
    /// What else is to be said.
    pub note: Option<Message>,
    /// What was read for the output cell.
    pub sources: Vec<Source>,
    /// The calls of computations that made it.
    pub applied: Vec<Applied>,
}

/// What is lit when the pointer is at one cell and the step at another.
pub fn lit(
    ran: &FinishedRun,
    focus: InstructionId,
    shown: &[Shown],
    pointed: Option<&Pointed>,
    stepped: Option<&Pointed>,
) -> LitUp {
    let mut out = LitUp { cells: vec![Vec::new(); shown.len()], ..LitUp::default() };
    let at = pointed.filter(|p| shown[p.shown].place == Place::Result).or(stepped);
    if let Some(p) = pointed
        && let Place::Operand(operand) = shown[p.shown].place
    {
        // A cell of an operand: where it went.
        match ran.uses(focus, operand, &shown[p.shown].cell(&p.index)) {
            None if ran.count_uses(focus, 0) => out.note = Some(Message::engine("uses-counting")),
            None => out.note = Some(Message::engine("uses-too-many")),
            Some(uses) => {
                out.note = Some(Message::engine("used-by").with("count", uses.len()));
                for (i, each) in shown.iter().enumerate().filter(|(_, each)| each.place == Place::Result) {
                    let own = uses.iter().filter(|cell| cell.path.as_slice() == each.path.as_slice());
                    let lit = |cell: &CellAt| HighlightedCell {
                        index: cell.index.clone(),
                        role: Role::Value,
                        order: 0,
                        times: 1,
                    };
                    out.cells[i] = own.map(lit).collect();
                }
            }
        }
        return out;
    }
    let Some(at) = at else { return out };
    let cell = shown[at.shown].cell(&at.index);
    let (sources, applied) = match ran.applications(focus, &cell) {
        Ok(found) => found,
        Err(error) => {
            out.note = Some(error.error.message);
            return out;
        }
    };
    let is_chain = shown.iter().any(|each| matches!(each.place, Place::Origin(_)));
    let origins = if is_chain { ran.origins(focus, &cell) } else { Ok(Vec::new()) };
    let (origins, why) = match origins {
        Ok(origins) => (origins, None),
        Err(error) => (Vec::new(), Some(error.error.message)),
    };
    for (i, each) in shown.iter().enumerate() {
        out.cells[i] = match each.place {
            Place::Operand(operand) => of_operand(&sources, operand, &each.path),
            // Through several instructions there is no one order.
            Place::Origin(number) => of_operand(&origins, number, &each.path)
                .into_iter()
                .map(|lit| HighlightedCell { order: 0, ..lit })
                .collect(),
            Place::Result => Vec::new(),
        };
    }
    if is_chain {
        out.note = Some(why.unwrap_or_else(|| Message::engine("chain-origins").with("count", origins.len())));
    }
    let device = ran.device();
    out.working =
        replica_derivation(ran, device, focus, &cell).or_else(|| derivation(ran, focus, &cell, &sources));
    (out.sources, out.applied) = (sources, applied);
    out.said = out.working.as_ref().map(Derivation::text).unwrap_or_default().into();
    out
}

/// One array of the screen, ready to be shown.
pub struct PanelView<'a> {
    /// Language and theme.
    pub context: &'a Context,
    /// The sitting.
    pub session: &'a Session,
    /// What it is about.
    pub experiment: &'a Experiment,
    /// The module the array comes from: that of the session, or of before.
    pub module: &'a Module,
    /// The array's number on the screen.
    pub number: usize,
    /// The array.
    pub shown: &'a Shown,
    /// What is lit in it.
    pub lights: Lights,
    /// How many windows slide over it in each dimension of what counts them, and where one was dragged.
    pub slide: (Dims, Callback<Dims>),
    /// Whether what is shown is of values or of a program of before.
    pub is_stale: bool,
}

impl PanelView<'_> {
    /// The parameter whose values the panel edits.
    pub fn parameter(&self) -> Option<usize> {
        let entry = self.session.module().entry_computation()?;
        let name = &self.module.entry_computation()?.get(self.shown.instruction)?.name;
        let set = entry.find(name).unwrap_or(self.shown.instruction);
        let number = entry.parameters.iter().position(|id| *id == set)?;
        (self.shown.place != Place::Result && self.shown.path.is_empty()).then_some(number)
    }

    /// The panel; `said` is what a screen reader says of the output cell stepped to.
    pub fn panel(
        self,
        said: &AttrValue,
        is_result: bool,
        dispatch: &Callback<Action>,
        hover: &UseStateHandle<Option<Pointed>>,
        pinned: &UseStateHandle<Option<Pointed>>,
    ) -> Html {
        let Self {
            context,
            session,
            experiment,
            module,
            number,
            shown,
            lights,
            slide: (window_counts, slide),
            is_stale,
        } = self;
        let is_stale = is_stale && shown.place == Place::Result;
        let instruction = module.entry_computation().and_then(|e| e.get(shown.instruction));
        let name = instruction.map(|i| i.name.clone()).unwrap_or_default();
        // What is edited is what is set now, whatever is shown.
        let entry = session.module().entry_computation();
        let set = entry.and_then(|e| e.find(&name)).unwrap_or(shown.instruction);
        let focus = session.focus().and_then(|(_, i)| i.op).map(OpDef::meta);
        let part = shown.path.iter().fold(String::new(), |path, i| path + "." + &i.to_string());
        let title = match (shown.place, focus) {
            (Place::Operand(operand), Some(meta)) => {
                let of = meta.operands.name(operand);
                // Operands beyond those that are named share a name.
                let count = session.focus().map_or(0, |(_, i)| i.operands.len());
                let named = meta.operands.fixed.len();
                let is_alone = operand < named || count <= named + 1;
                if is_alone { format!("{of}{part}") } else { format!("{of} {}{part}", operand - named) }
            }
            (Place::Origin(number), _) => format!("parameter {number}{part}"),
            _ => format!("out{part}"),
        };
        let parameter = entry.and_then(|e| e.parameters.iter().position(|id| *id == set));
        let editable = parameter.filter(|_| shown.place != Place::Result && shown.path.is_empty());
        // The result's can be chosen too: its sizes follow, its layout is free.
        let is_whole_result = shown.place == Place::Result && shown.path.is_empty();
        let of = entry.and_then(|e| e.get(set)).filter(|_| editable.is_some() || is_whole_result);
        let device = experiment.environment.device;
        let held = editable.zip(of).map(|(number, of)| {
            let field = Field::Parameter { replica: device, number };
            let wrong = session.unreadable().iter().find(|wrong| wrong.field == field);
            Held {
                shape: of.shape.clone(),
                values: wrong.map_or_else(
                    || values_here(experiment, &of.shape, number),
                    |wrong| Values::Typed(wrong.text.clone()),
                ),
                unreadable: wrong.map(|wrong| wrong.unreadable.clone()),
            }
        });
        let program_problem = session.diagnostics().iter().find(|d| d.severity == Severity::Error);
        let program_problem = program_problem.filter(|_| session.is_behind()).map(|d| d.message.clone());
        let set_shape = of.map(|_| dispatch.reform(move |shape: String| Action::SetShape(set, shape)));
        let shape = of.map(|of| of.shape.to_string());
        let set_values = match editable {
            Some(number) => dispatch.reform(move |values: Values| Action::SetValues(number, values)),
            None => Callback::noop(),
        };
        let tell_hover = {
            let hover = hover.clone();
            Callback::from(move |index: Option<Dims>| {
                hover.set(index.map(|index| Pointed { shown: number, index }));
            })
        };
        let sizes = shown.array.0.shape().dimensions.clone();
        let choose = {
            let (dispatch, pinned) = (dispatch.clone(), pinned.clone());
            Callback::from(move |index: Dims| {
                if is_result {
                    pinned.set(None);
                    dispatch.emit(Action::MoveCursor(number_of(&index, &sizes)));
                } else {
                    pinned.set(Some(Pointed { shown: number, index }));
                }
            })
        };
        let phrase = match &lights.cursor {
            Some(_) if is_result => said.clone(),
            Some(index) => {
                let value = shown.array.0.label(index, 24);
                let text = index.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
                context.tell(&Message::engine("operand-cell").with("index", text).with("value", value))
            }
            None => context.tell(&Message::engine("operand-no-cell")),
        };
        html! {
            <Panel id={format!("array-{number}")} {title} {name} array={shown.array.clone()} {lights} {phrase} {set_shape}
                {held} {set_values} {shape} {program_problem} {is_stale} {is_whole_result} hover={tell_hover} {choose} {window_counts} {slide} />
        }
    }
}
