//! The displayed arrays of an experiment: their selection, their highlights, and their panels.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use yew::prelude::*;

use super::cell_editing::cell_editor;
use super::panel_fields::{PanelFields, ParameterSettings};
use crate::app::canvas::SharedArray;
use crate::app::components::array_panel::ArrayPanel;
use crate::app::context::Context;
use crate::app::link;
use crate::array::index::row_major_index;
use crate::array::{ArrayLiteral, Dims};
use crate::hlo::{InstructionId, Module};
use crate::i18n::Message;
use crate::ops::{CellAt, OpDef, Role, ScalarCall, Source};
use crate::state::document::{ColourBy, ValueRule};
use crate::state::experiment::Experiment;
use crate::state::experiment::arguments::Field;
use crate::state::experiment::run::{FinishedRun, UsedArrays, leaves};
use crate::state::experiment::session::{Action, FormField, Session};
use crate::view::array_view::ArrayView;
use crate::view::colour_map::ColourMap;
use crate::view::derivation::{Derivation, derivation, index_text};
use crate::view::out_of_range::{OutOfRangeStart, out_of_range_starts};
use crate::view::replica_derivation::replica_derivation;
use crate::view::sources::{CellHighlights, HighlightedCell, operand_highlights};

/// Maximum number of output cells that a note names.
const MAX_NAMED_USES: usize = 6;

/// The role of a displayed array for the selected instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayRole {
    /// A parameter that the operands depend on, by its index.
    Origin(usize),
    /// An operand, by its index.
    Operand(usize),
    /// The result of the op.
    Result,
}

impl ArrayRole {
    /// The kind and number of an input; `None` for the result.
    pub fn input(self) -> Option<(UsedArrays, usize)> {
        match self {
            Self::Origin(number) => Some((UsedArrays::Parameters, number)),
            Self::Operand(number) => Some((UsedArrays::Operands, number)),
            Self::Result => None,
        }
    }
}

/// A displayed array.
#[derive(Clone, PartialEq)]
pub struct DisplayedArray {
    /// Its role, or that of the tuple it belongs to.
    pub role: ArrayRole,
    /// The instruction whose value it belongs to.
    pub instruction: InstructionId,
    /// The tuple path in that value.
    pub path: Vec<usize>,
    /// The array that is displayed.
    pub array: SharedArray,
}

impl DisplayedArray {
    /// The cell of an index.
    pub fn cell(&self, index: &Dims) -> CellAt {
        CellAt { path: self.path.iter().copied().collect(), index: index.clone() }
    }
}

/// A hovered cell.
#[derive(Clone, Debug, PartialEq)]
pub struct CellOnScreen {
    /// The index of the displayed array.
    pub array: usize,
    /// The index in it.
    pub index: Dims,
}

/// The arrays of an instruction's operands and of its result.
pub fn arrays(finished: &FinishedRun, focus: InstructionId, map: ColourMap) -> Vec<DisplayedArray> {
    let Some(instruction) = finished.module().entry_computation().and_then(|e| e.get(focus)) else {
        return Vec::new();
    };
    let view = |literal: Arc<ArrayLiteral>| {
        let view = match finished.range(&literal) {
            Some(range) => ArrayView::from_literal_with_range(literal, range, ColourBy::Value, map),
            None => ArrayView::from_literal(literal, ColourBy::Value, map),
        };
        SharedArray(Rc::new(view.without_value_colours()))
    };
    let arrays_of = |id: InstructionId, role: ArrayRole| {
        let parts = finished.value(id).map(leaves).unwrap_or_default();
        parts.into_iter().map(move |(path, array)| DisplayedArray {
            role,
            instruction: id,
            path,
            array: view(array),
        })
    };
    let operands_and_result: BTreeSet<InstructionId> =
        instruction.operands.iter().copied().chain([focus]).collect();
    let is_origin = |id: &InstructionId| !operands_and_result.contains(id);
    let origins = finished.parameter_dependencies(focus).into_iter().filter(|(_, id)| is_origin(id));
    let origins = origins.flat_map(|(number, id)| arrays_of(id, ArrayRole::Origin(number)));
    let operands =
        instruction.operands.iter().enumerate().flat_map(|(i, id)| arrays_of(*id, ArrayRole::Operand(i)));
    origins.chain(operands).chain(arrays_of(focus, ArrayRole::Result)).collect()
}

/// The operands of the selected instruction that are parameters: these can be displayed and set before any run.
pub fn inputs(session: &Session, map: ColourMap) -> Vec<DisplayedArray> {
    let (Some((_, instruction)), Some(entry)) = (session.focus(), session.module().entry_computation())
    else {
        return Vec::new();
    };
    let numbers: BTreeMap<InstructionId, usize> =
        entry.parameters.iter().enumerate().map(|(number, id)| (*id, number)).collect();
    let operands = instruction.operands.iter().enumerate();
    let displayed = operands.filter_map(|(operand, id)| {
        let number = *numbers.get(id)?;
        let shape = entry.get(*id)?.shape.as_array()?;
        let values = session.experiment().values(number);
        let view = ArrayView::new(shape, &values, ColourBy::Value, map)?.without_value_colours();
        let array = SharedArray(Rc::new(view));
        Some(DisplayedArray { role: ArrayRole::Operand(operand), instruction: *id, path: Vec::new(), array })
    });
    displayed.collect()
}

/// The highlights and their explanation.
#[derive(Default)]
pub struct Highlighting {
    /// For each displayed array.
    pub cells: Vec<Vec<HighlightedCell>>,
    /// How the output cell was computed.
    pub derivation: Option<Derivation>,
    /// The same, for screen readers.
    pub screen_reader_text: AttrValue,
    /// The start indices out of range.
    pub out_of_range_starts: Vec<OutOfRangeStart>,
    /// A remark that explains the highlights.
    pub note: Option<Message>,
    /// The cells read for the output cell.
    pub sources: Vec<Source>,
    /// The calls of computations that computed it.
    pub calls: Vec<ScalarCall>,
    /// The slice that the output cell is copied from: its operand, and the first and last indices of its parts.
    pub copied_slice: Option<(usize, Vec<[Dims; 2]>)>,
}

/// The output cells that use a cell: few are named.
fn used_by(uses: &[CellAt]) -> Message {
    let counted = Message::ops("used-by").with("count", uses.len());
    if uses.is_empty() || uses.len() > MAX_NAMED_USES {
        return counted;
    }
    let name = |cell: &CellAt| {
        let elements = cell.path.iter().map(usize::to_string);
        let parts: Vec<String> = ["out".to_owned()].into_iter().chain(elements).collect();
        parts.join(".") + &index_text(&cell.index)
    };
    let cells: Vec<String> = uses.iter().map(name).collect();
    Message::ops("used-by-named").with("used", counted).with("cells", cells.join(", "))
}

/// The highlights for the current output cell, or for a hovered cell.
pub fn highlight(
    finished: &FinishedRun,
    focus: InstructionId,
    displayed: &[DisplayedArray],
    hovered: Option<&CellOnScreen>,
    current: Option<&CellOnScreen>,
) -> Highlighting {
    let at = hovered.filter(|p| displayed[p.array].role == ArrayRole::Result).or(current);
    let out = at.map(|at| explain(finished, focus, displayed, at));
    let mut out = out.unwrap_or_else(|| Highlighting {
        cells: vec![Vec::new(); displayed.len()],
        ..Highlighting::default()
    });
    if let Some(p) = hovered
        && let Some((arrays, number)) = displayed[p.array].role.input()
    {
        // A hovered input cell highlights the output cells that use it. The explanation of the current one stays, so that nothing
        // below the arrays moves.
        let uses = finished.uses(focus, arrays, number, &displayed[p.array].cell(&p.index));
        out.cells = displayed.iter().map(|each| use_highlights(each, uses.as_deref())).collect();
        out.note = Some(match &uses {
            None if finished.start_tracing_uses(focus, arrays) => Message::ops("uses-counting"),
            None => Message::ops("uses-too-many"),
            Some(uses) => used_by(uses),
        });
    }
    out
}

/// The cells of an array among the uses of a cell.
fn use_highlights(each: &DisplayedArray, uses: Option<&[CellAt]>) -> Vec<HighlightedCell> {
    if each.role != ArrayRole::Result {
        return Vec::new();
    }
    let here = uses.unwrap_or_default().iter().filter(|cell| cell.path.as_slice() == each.path.as_slice());
    here.map(|cell| HighlightedCell { index: cell.index.clone(), role: Role::Value, order: 0, times: 1 })
        .collect()
}

/// The highlights for an output cell, and how it was computed.
fn explain(
    finished: &FinishedRun,
    focus: InstructionId,
    displayed: &[DisplayedArray],
    at: &CellOnScreen,
) -> Highlighting {
    let mut out = Highlighting { cells: vec![Vec::new(); displayed.len()], ..Highlighting::default() };
    let cell = displayed[at.array].cell(&at.index);
    let (sources, calls) = match finished.sources_and_calls(focus, &cell) {
        Ok(sources_and_calls) => sources_and_calls,
        Err(error) => {
            out.note = Some(error.error.message);
            return out;
        }
    };
    let is_chain = displayed.iter().any(|each| matches!(each.role, ArrayRole::Origin(_)));
    let origins = if is_chain { finished.origins(focus, &cell) } else { Ok(Vec::new()) };
    let (origins, why) = match origins {
        Ok(origins) => (origins, None),
        Err(error) => (Vec::new(), Some(error.error.message)),
    };
    for (i, each) in displayed.iter().enumerate() {
        out.cells[i] = match each.role {
            ArrayRole::Operand(operand) => operand_highlights(&sources, operand, &each.path),
            // A chain of several instructions has no single evaluation order.
            ArrayRole::Origin(number) => operand_highlights(&origins, number, &each.path)
                .into_iter()
                .map(|cell| HighlightedCell { order: 0, ..cell })
                .collect(),
            ArrayRole::Result => Vec::new(),
        };
    }
    if is_chain {
        out.note = Some(why.unwrap_or_else(|| Message::ops("chain-origins").with("count", origins.len())));
    }
    let device = finished.selected_replica();
    out.derivation = replica_derivation(finished, device, focus, &cell)
        .or_else(|| derivation(finished, focus, &cell, &sources));
    out.out_of_range_starts = out_of_range_starts(finished, focus, &sources);
    out.copied_slice = finished.copied_slice(focus, &at.index, &sources);
    (out.sources, out.calls) = (sources, calls);
    out.screen_reader_text = out.derivation.as_ref().map(Derivation::text).unwrap_or_default().into();
    out
}

/// A displayed array with the context of its panel.
pub struct PanelView<'a> {
    /// Language and theme.
    pub context: &'a Context,
    /// The editing session.
    pub session: &'a Session,
    /// The experiment that is displayed.
    pub experiment: &'a Experiment,
    /// The module of the array: that of the session, or the previous one.
    pub module: &'a Module,
    /// The index of the displayed array.
    pub number: usize,
    /// The array in the panel.
    pub displayed: &'a DisplayedArray,
    /// The highlighted cells.
    pub highlights: CellHighlights,
    /// The number of windows along each dimension, and the callback for dragging one.
    pub windows: (Dims, Callback<Dims>),
    /// Whether it predates the current experiment.
    pub is_stale: bool,
    /// Called when a cell of an input is chosen.
    pub follow_use: Callback<Dims>,
}

impl PanelView<'_> {
    /// The parameter whose values the panel edits.
    pub fn parameter(&self) -> Option<usize> {
        let entry = self.session.module().entry_computation()?;
        let name = &self.module.entry_computation()?.get(self.displayed.instruction)?.name;
        let set = entry.find(name).unwrap_or(self.displayed.instruction);
        let number = entry.parameters.iter().position(|id| *id == set)?;
        (self.displayed.role != ArrayRole::Result && self.displayed.path.is_empty()).then_some(number)
    }

    /// The panel; `screen_reader_text` describes the current output cell for screen readers.
    pub fn panel(
        self,
        screen_reader_text: &AttrValue,
        is_result: bool,
        dispatch: &Callback<Action>,
        hover: &UseStateHandle<Option<CellOnScreen>>,
        pinned: &UseStateHandle<Option<CellOnScreen>>,
    ) -> Html {
        let Self {
            context,
            session,
            experiment,
            module,
            number,
            displayed,
            highlights,
            windows: (window_counts, on_drag),
            is_stale,
            follow_use,
        } = self;
        let is_stale = is_stale && displayed.role == ArrayRole::Result;
        let instruction = module.entry_computation().and_then(|e| e.get(displayed.instruction));
        let name = instruction.map(|i| i.name.clone()).unwrap_or_default();
        // The fields show the current settings, even if the displayed array is an earlier one.
        let entry = session.module().entry_computation();
        let set = entry.and_then(|e| e.find(&name)).unwrap_or(displayed.instruction);
        let focus = session.focus().and_then(|(_, i)| i.op).map(OpDef::meta);
        let path = displayed.path.iter().fold(String::new(), |path, i| path + "." + &i.to_string());
        let title = match (displayed.role, focus) {
            (ArrayRole::Operand(operand), Some(meta)) => {
                let count = session.focus().map_or(0, |(_, i)| i.operands.len());
                format!("{}{path}", meta.operands.label(operand, count))
            }
            (ArrayRole::Origin(number), _) => format!("parameter {number}{path}"),
            _ => format!("out{path}"),
        };
        let parameter = entry.and_then(|e| e.parameters.iter().position(|id| *id == set));
        let editable = parameter.filter(|_| displayed.path.is_empty());
        // For the result only the layout can be chosen: its sizes follow from the operands.
        let is_whole_result = displayed.role == ArrayRole::Result && displayed.path.is_empty();
        let instruction = entry.and_then(|e| e.get(set)).filter(|_| editable.is_some() || is_whole_result);
        let settings = editable.and_then(|number| {
            let replica = experiment.environment.selected_replica;
            let field = Field::Parameter { replica, number };
            let invalid = session.invalid_fields().iter().find(|other| other.field == field);
            let (shape, values) = session.parameter(number)?;
            Some(ParameterSettings { shape, values, values_error: invalid.map(|field| field.error.clone()) })
        });
        let shape_state = session.field(FormField::Shape(set));
        let set_shape =
            instruction.map(|_| dispatch.reform(move |shape: String| Action::SetShape(set, shape)));
        let shape = instruction.map(|instruction| instruction.shape.to_string());
        let set_values = match editable {
            Some(number) => dispatch.reform(move |values: ValueRule| Action::SetValues(number, values)),
            None => Callback::noop(),
        };
        let on_hover = {
            let hover = hover.clone();
            Callback::from(move |index: Option<Dims>| {
                hover.set(index.map(|index| CellOnScreen { array: number, index }));
            })
        };
        let sizes = displayed.array.0.shape().dimensions.clone();
        let choose = {
            let (dispatch, pinned) = (dispatch.clone(), pinned.clone());
            Callback::from(move |index: Dims| {
                if is_result {
                    pinned.set(None);
                    dispatch.emit(Action::MoveCursor(row_major_index(&index, &sizes)));
                } else {
                    follow_use.emit(index.clone());
                    pinned.set(Some(CellOnScreen { array: number, index }));
                }
            })
        };
        let shows_memory = experiment.shown_memory.contains(&title);
        let cell_description = match &highlights.cursor {
            Some(_) if is_result => screen_reader_text.clone(),
            Some(index) => {
                let value = displayed.array.0.label(index, 24);
                let text = index.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
                context.text(&Message::ops("operand-cell").with("index", text).with("value", value))
            }
            None => context.text(&Message::ops("operand-no-cell")),
        };
        let toggle_memory = {
            let title = title.clone();
            dispatch.reform(move |()| Action::ToggleMemory(title.clone()))
        };
        let id = format!("array-{number}");
        let edit = settings.as_ref().filter(|_| !link::is_embed());
        let edit = edit.and_then(|settings| cell_editor(&id, settings, &set_values));
        let array = displayed.array.clone();
        let edits = PanelFields {
            id: &id,
            name: &name,
            array: &array,
            set_shape,
            shape,
            is_whole_result,
            settings,
            shape_state,
            set_values,
            dispatch,
        };
        let (heading, fields, buttons) = (edits.heading(context), edits.fields(), edits.buttons());
        html! {
            <ArrayPanel {id} {title} {name} {array} {highlights} {cell_description} {heading} {fields} {buttons} {toggle_memory}
                {is_stale} {shows_memory} hover={on_hover} {choose} {edit} {window_counts} {on_drag} />
        }
    }
}
