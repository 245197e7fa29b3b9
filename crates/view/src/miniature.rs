//! A small picture of an example: its arrays as grids, and how one output cell was computed. It is independent of the op.
//!
//! A loop is drawn as its loop-carried values, a column per iteration.

use std::rc::Rc;
use std::sync::Arc;

use super::derivation::{Derivation, derivation};
use xla_array::index::multi_index;
use xla_array::{ArrayLiteral, Dims};
use xla_experiment::Experiment;
use xla_experiment::run::iterations::{LoopRecord, LoopTrace, iterations};
use xla_experiment::run::summary::element_summaries;
use xla_experiment::run::{FinishedRun, leaves};
use xla_hlo::{InstructionId, Limits, parse};
use xla_ops::{Category, CellAt, OpDef, Role, Source};

/// Maximum number of rows and columns of an array.
const MAX_SIDE: i64 = 10;

/// The cancellation check of a run that is never cancelled: its limits are small.
const NEVER_CANCELLED: &dyn Fn() -> bool = &|| false;

/// The limits of the run; an example that needs more has no picture.
const LIMITS: Limits = Limits { steps: 20_000, bytes: 1 << 20 };

/// Maximum number of characters of a cell.
const MAX_CHARS: usize = 4;

/// The finished run of an example, to be drawn with any output cell selected.
#[derive(Clone, PartialEq)]
pub struct Miniature {
    finished: FinishedRun,
    focus: InstructionId,
    arrays: Vec<Array>,
    /// The loop-carried values, if it is a loop.
    carried: Option<LoopRecord>,
    /// Whether each output cell holds only a padding value; empty unless the op moves elements.
    is_fill: Vec<bool>,
}

#[derive(Clone, Debug, PartialEq)]
struct Array {
    operand: Option<usize>,
    name: String,
    literal: Arc<ArrayLiteral>,
}

/// The picture with one output cell selected.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The arrays: the operands, then the result.
    pub tables: Vec<Table>,
    /// The arithmetic of the selected cell.
    pub derivation: Option<Derivation>,
}

/// A drawn array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its role: `operand`, `lhs`, `out`.
    pub name: String,
    /// Whether it is the result.
    pub is_result: bool,
    /// The number of columns.
    pub columns: usize,
    /// The cells in row-major order.
    pub cells: Vec<Cell>,
}

/// A drawn cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The value of the cell as text.
    pub text: String,
    /// Its role for the selected output cell.
    pub role: Option<Role>,
    /// Whether it is the selected output cell.
    pub is_selected: bool,
    /// Whether it holds only a padding value.
    pub is_fill: bool,
}

impl Cell {
    fn plain(text: String) -> Self {
        Self { text, role: None, is_selected: false, is_fill: false }
    }
}

impl Miniature {
    /// Runs an example; `None` if it exceeds the limits of the run, has no array, or has one that is too large to draw.
    pub fn new(experiment: &Experiment) -> Option<Self> {
        let module = Rc::new(parse(&experiment.text).into_module().ok()?);
        let entry = module.entry_computation()?;
        let focus = entry.find(&experiment.focus).or(entry.root)?;
        let instruction = entry.get(focus)?;
        let meta = instruction.op.map(OpDef::meta)?;
        let finished = FinishedRun::run(experiment, &module, LIMITS).ok()?;
        let trace = iterations(experiment, &module, focus, (LIMITS, NEVER_CANCELLED), element_summaries);
        let carried = match trace {
            Some(LoopTrace::Recorded(found)) if !found.is_truncated => Some(found),
            Some(_) => return None,
            None => None,
        };
        let mut arrays = Vec::new();
        for (i, id) in instruction.operands.iter().enumerate() {
            let name = meta.operands.label(i, instruction.operands.len());
            let of_operand = leaves(finished.value(*id)?).into_iter();
            arrays.extend(of_operand.map(|(_, literal)| Array {
                operand: Some(i),
                name: name.clone(),
                literal,
            }));
        }
        let (_, result) = leaves(finished.value(focus)?).into_iter().next()?;
        arrays.push(Array { operand: None, name: "out".to_owned(), literal: result });
        let is_small = |array: &Array| rows_and_columns(&array.literal).is_some();
        if carried.is_none() && !arrays.iter().all(is_small) {
            return None;
        }
        let mut miniature = Self { finished, focus, arrays, carried, is_fill: Vec::new() };
        if meta.category == Category::Movement {
            let is_filled = |cell: usize| {
                let sources = miniature.sources(cell);
                !sources.is_empty() && sources.iter().all(|source| source.role == Role::Fill)
            };
            miniature.is_fill = (0..miniature.selectable_count()).map(is_filled).collect();
        }
        Some(miniature)
    }

    /// The number of positions that [`Self::select`] takes: the output cells; for a loop, its states.
    pub fn selectable_count(&self) -> usize {
        match &self.carried {
            Some(carried) => carried.states.len(),
            None => self.result().map_or(0, |literal| literal.values().count()),
        }
    }

    fn result(&self) -> Option<&ArrayLiteral> {
        self.arrays.last().map(|array| &*array.literal)
    }

    fn cell_at(&self, cell: usize) -> Option<CellAt> {
        let sizes = &self.result()?.shape().dimensions;
        Some(CellAt::array(&multi_index(i64::try_from(cell).ok()?, sizes)))
    }

    fn sources(&self, cell: usize) -> Vec<Source> {
        self.cell_at(cell).and_then(|at| self.finished.sources(self.focus, &at).ok()).unwrap_or_default()
    }

    /// The picture with an output cell selected; for a loop, with a state.
    pub fn select(&self, position: usize) -> Snapshot {
        if let Some(carried) = &self.carried {
            return Snapshot { tables: loop_tables(carried, position), derivation: None };
        }
        let sources = self.sources(position);
        let tables = self.arrays.iter().map(|array| self.table(array, &sources, position)).collect();
        let derivation =
            self.cell_at(position).and_then(|at| derivation(&self.finished, self.focus, &at, &sources));
        Snapshot { tables, derivation }
    }

    fn table(&self, array: &Array, sources: &[Source], selected: usize) -> Table {
        let (_, columns) = rows_and_columns(&array.literal).unwrap_or((1, 1));
        let sizes: Dims = array.literal.shape().dimensions.iter().copied().collect();
        let cell = |(number, value): (usize, xla_array::Value)| {
            let text = value.short(array.literal.element_type(), MAX_CHARS);
            let Some(operand) = array.operand else {
                let is_fill = self.is_fill.get(number).copied().unwrap_or_default();
                return Cell { is_selected: number == selected, is_fill, ..Cell::plain(text) };
            };
            let index = i64::try_from(number).map(|number| multi_index(number, &sizes)).unwrap_or_default();
            let is_this_cell = |source: &&Source| source.operand == operand && source.cell.index == index;
            Cell { role: sources.iter().find(is_this_cell).map(|source| source.role), ..Cell::plain(text) }
        };
        let cells = array.literal.values().enumerate().map(cell).collect();
        Table { name: array.name.clone(), is_result: array.operand.is_none(), columns, cells }
    }
}

/// The rows and columns of a drawn array, whose last dimension is a row; `None` if there are too many or none.
fn rows_and_columns(literal: &ArrayLiteral) -> Option<(usize, usize)> {
    let sizes = &literal.shape().dimensions;
    let columns = sizes.last().copied().unwrap_or(1);
    let rows: i64 = sizes.iter().rev().skip(1).product();
    let fits = |count: i64| usize::try_from(count).ok().filter(|_| (1..=MAX_SIDE).contains(&count));
    Some((fits(rows)?, fits(columns)?))
}

/// A row per loop-carried value. The previous iteration is highlighted as the source of the selected one.
fn loop_tables(carried: &LoopRecord, selected: usize) -> Vec<Table> {
    let elements = carried.states.first().map_or(0, Vec::len);
    let row = |element: usize| {
        let cell = |(index, state): (usize, &Vec<String>)| Cell {
            is_selected: index == selected,
            role: (index + 1 == selected).then_some(Role::Value),
            ..Cell::plain(state.get(element).cloned().unwrap_or_default())
        };
        let cells: Vec<Cell> = carried.states.iter().enumerate().map(cell).collect();
        Table { name: String::new(), is_result: true, columns: cells.len(), cells }
    };
    (0..elements).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn miniature(body: &str) -> Option<Miniature> {
        Miniature::new(&Experiment::from_text(format!("HloModule m ENTRY e {{ {body} }}")))
    }

    #[test]
    fn the_selected_cell_highlights_its_sources() {
        let picture = miniature(
            "a = s32[2,2] constant({{1,2},{3,4}}) b = s32[2,2] constant({{5,6},{7,8}})
             ROOT r = dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
        )
        .unwrap();
        let frame = picture.select(1);
        let roles = |table: &Table| table.cells.iter().map(|cell| cell.role).collect::<Vec<_>>();
        assert_eq!(roles(&frame.tables[0]), [Some(Role::Lhs), Some(Role::Lhs), None, None]);
        assert_eq!(roles(&frame.tables[1]), [None, Some(Role::Rhs), None, Some(Role::Rhs)]);
        assert_eq!(frame.tables[2].cells.iter().position(|cell| cell.is_selected), Some(1));
        assert_eq!(frame.derivation.unwrap().text(), "out[0,1] = 1·6 + 2·8 = 22");
        assert_eq!(picture.selectable_count(), 4);
    }

    #[test]
    fn padding_is_marked_and_a_loop_is_its_states() {
        let padded =
            miniature("x = s32[2] constant({1,2}) v = s32[] constant(0) ROOT r = pad(x, v), padding=1_1");
        let fills: Vec<bool> = padded.unwrap().select(1).tables[2].cells.iter().map(|c| c.is_fill).collect();
        assert_eq!(fills, [true, false, false, true]);
        let doubled = miniature(
            "n = s32[] constant(1) ROOT r = while(n),
             condition={ a = s32[] parameter(0) k = s32[] constant(5) ROOT c = compare(a, k), direction=LT },
             body={ b = s32[] parameter(0) ROOT d = add(b, b) }",
        )
        .unwrap();
        let texts: Vec<String> = doubled.select(0).tables[0].cells.iter().map(|c| c.text.clone()).collect();
        assert_eq!(texts, ["1", "2", "4", "8"]);
    }

    #[test]
    fn empty_and_large_arrays_have_no_picture() {
        assert!(miniature("ROOT r = s32[2,30] iota(), iota_dimension=1").is_none());
        assert!(miniature("ROOT r = s32[0] iota(), iota_dimension=0").is_none());
    }
}
