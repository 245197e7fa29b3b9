//! Records an array, or a finished run: for each instruction of the entry computation its value, and for each cell of that its
//! source cells and its arithmetic.

use std::collections::BTreeMap;

use super::data::{Arithmetic, Array, Entry, Operand, Snapshot, Term, Values, cell_count};
use super::reads::{Read, role_number, write_cell};
use crate::array::index::{multi_index, row_major_index};
use crate::array::{ArrayLiteral, Dims, Edition};
use crate::experiment::run::{FinishedRun, leaves};
use crate::hlo::{Instruction, InstructionId, InstructionPrinter};
use crate::i18n::Language;
use crate::ops::{CellAt, OpDef, Source};
use crate::state::document::{Document, ValueRule};
use crate::view::array_view::ArrayView;
use crate::view::colour_map::ColourMap;
use crate::view::derivation::{self, Derivation, derivation};

/// Bounds on a recording, so that a page is small enough to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Maximum bytes of all values.
    pub value_bytes: usize,
    /// Maximum reads of all cells of an instruction.
    pub reads: usize,
    /// Maximum reads of all instructions.
    pub all_reads: usize,
    /// Maximum cells of an instruction whose arithmetic is recorded.
    pub arithmetic_cells: u64,
}

impl Bounds {
    /// Those of an exported page, which has some hundred kilobytes at these bounds.
    pub const PAGE: Self =
        Self { value_bytes: 8 << 20, reads: 200_000, all_reads: 1_000_000, arithmetic_cells: 2_048 };
}

/// Records the array of a document; `None` if it has none that can be shown.
pub fn array(document: &Document, title: &str) -> Option<Snapshot> {
    let shape = document.array()?;
    let view = ArrayView::new(shape, &document.values, document.view.colour, ColourMap::Viridis)?;
    let mut snapshot = Snapshot { title: title.to_owned(), cursor: document.cursor, ..Snapshot::default() };
    let values = if document.values == ValueRule::Letters {
        Values::Letters
    } else {
        let literal = ArrayLiteral::from_fn(shape.clone(), |linear, _| view.value(linear)).ok()?;
        Values::Raw(snapshot.record(&literal.to_raw().ok()?))
    };
    let recorded = Array { path: Vec::new(), shape: shape.to_string(), values };
    snapshot.entries.push(Entry { arrays: vec![recorded], ..Entry::default() });
    Some(snapshot)
}

/// Records a run in steps, so that a page remains responsive.
pub struct Recorder {
    finished: FinishedRun,
    bounds: Bounds,
    snapshot: Snapshot,
    /// The instructions in text order.
    ids: Vec<InstructionId>,
    current: Option<CurrentEntry>,
    /// The index of the next instruction.
    next: usize,
    /// The reads of all recorded instructions.
    reads: usize,
}

/// The entry whose cells are being recorded.
struct CurrentEntry {
    index: usize,
    /// The cells that remain.
    cells: Box<dyn Iterator<Item = CellAt>>,
    /// The index and the sizes of each array of each operand, by its tuple path.
    arrays: BTreeMap<(usize, Vec<usize>), (usize, Dims)>,
    bytes: Vec<u8>,
    reads: usize,
    arithmetic: Option<Vec<Arithmetic>>,
}

impl Recorder {
    /// Starts to record a run. `selected` is the instruction that is shown first, with its cell `cursor`.
    pub fn new(
        finished: &FinishedRun,
        title: &str,
        (selected, cursor): (Option<InstructionId>, i64),
        language: Language,
        bounds: Bounds,
    ) -> Self {
        let module = finished.module().clone();
        let mut snapshot = Snapshot { title: title.to_owned(), cursor, ..Snapshot::default() };
        let mut ids = Vec::new();
        if let Some(computation) = module.entry_computation() {
            ids = computation.iter().map(|(id, _)| id).collect();
            // A module with an error may have no root: its last instruction is shown instead.
            let shown = selected.or(computation.root).or(ids.last().copied());
            snapshot.selected = ids.iter().position(|id| Some(*id) == shown).unwrap_or_default();
            let printer = InstructionPrinter::new(&module);
            let index_of: BTreeMap<InstructionId, usize> =
                ids.iter().enumerate().map(|(index, id)| (*id, index)).collect();
            let mut remaining_bytes = bounds.value_bytes;
            for (id, instruction) in computation.iter() {
                let mut entry = describe(instruction, &index_of, finished.edition(), language);
                entry.text = module.entry.map(|entry| printer.text(entry, id)).unwrap_or_default();
                entry.arrays = record_arrays(finished, id, &mut snapshot, &mut remaining_bytes);
                snapshot.entries.push(entry);
            }
        }
        Self { finished: finished.clone(), bounds, snapshot, ids, current: None, next: 0, reads: 0 }
    }

    /// Records some cells; returns whether more remain.
    pub fn step(&mut self, cells: usize) -> bool {
        if self.current.is_none() {
            let Some(id) = self.ids.get(self.next).copied() else { return false };
            self.current = self.start_entry(self.next, id);
            self.next += 1;
        }
        let Some(mut current) = self.current.take() else { return true };
        let Some(id) = self.ids.get(current.index).copied() else { return true };
        for _ in 0..cells {
            let Some(cell) = current.cells.next() else {
                self.reads += current.reads;
                let reads = self.snapshot.record(&current.bytes);
                let arithmetic = current.arithmetic.and_then(|cells| serde_json::to_vec(&cells).ok());
                let arithmetic = arithmetic.map(|text| self.snapshot.record(&text));
                if let Some(entry) = self.snapshot.entries.get_mut(current.index) {
                    (entry.reads, entry.arithmetic) = (Some(reads), arithmetic);
                }
                return true;
            };
            let Ok(sources) = self.finished.sources(id, &cell) else { return true };
            current.reads += sources.len();
            let exceeds_bounds = current.reads > self.bounds.reads
                || self.reads + current.reads > self.bounds.all_reads
                || current.write_sources(&sources).is_none();
            if exceeds_bounds {
                return true;
            }
            let arithmetic = derivation(&self.finished, id, &cell, &sources);
            current.arithmetic = current.arithmetic.zip(arithmetic).map(|(mut cells, derivation)| {
                cells.push(arithmetic_of(derivation));
                cells
            });
        }
        self.current = Some(current);
        true
    }

    /// The snapshot. Cells that were not recorded yet are omitted.
    pub fn finish(self) -> Snapshot {
        self.snapshot
    }

    /// Prepares to record the cells of an instruction; `None` if it has no sources, or they cannot be traced.
    fn start_entry(&self, index: usize, id: InstructionId) -> Option<CurrentEntry> {
        let entry = self.snapshot.entries.get(index)?;
        if entry.operands.is_empty() || entry.arrays.is_empty() {
            return None;
        }
        let mut own_arrays: Vec<(Vec<usize>, Dims)> = Vec::new();
        for array in &entry.arrays {
            own_arrays.push((array.path.clone(), array.shape()?.dimensions));
        }
        let mut arrays = BTreeMap::new();
        for (i, (operand, array)) in self.snapshot.operand_arrays(entry).into_iter().enumerate() {
            arrays.insert((operand, array.path.clone()), (i, array.shape()?.dimensions));
        }
        let count: u64 = entry.arrays.iter().filter_map(Array::shape).map(|shape| cell_count(&shape)).sum();
        // With few exceptions, each cell has at least one read.
        if usize::try_from(count).ok()? > self.bounds.reads {
            return None;
        }
        // Values that were not computed have no sources.
        self.finished.value(id)?;
        let cells = own_arrays.into_iter().flat_map(|(path, sizes)| {
            let count = sizes.iter().product::<i64>();
            (0..count).map(move |linear| CellAt {
                path: path.iter().copied().collect(),
                index: multi_index(linear, &sizes),
            })
        });
        Some(CurrentEntry {
            index,
            cells: Box::new(cells),
            arrays,
            bytes: Vec::new(),
            reads: 0,
            arithmetic: (count <= self.bounds.arithmetic_cells).then(Vec::new),
        })
    }
}

impl CurrentEntry {
    /// Encodes the sources of the next cell; `None` if one is not in a recorded array.
    fn write_sources(&mut self, sources: &[Source]) -> Option<()> {
        let mut reads = Vec::with_capacity(sources.len());
        for source in sources {
            let (array, sizes) = self.arrays.get(&(source.operand, source.cell.path.to_vec()))?;
            let cell = u64::try_from(row_major_index(&source.cell.index, sizes)).ok()?;
            reads.push(Read { array: *array, cell, role: source.role });
        }
        write_cell(&mut self.bytes, &reads);
        Some(())
    }
}

/// An entry with the name, opcode, formula and operands of an instruction.
fn describe(
    instruction: &Instruction,
    index_of: &BTreeMap<InstructionId, usize>,
    edition: Edition,
    language: Language,
) -> Entry {
    let meta = instruction.op.map(OpDef::meta);
    let count = instruction.operands.len();
    let operands = instruction.operands.iter().enumerate().filter_map(|(i, id)| {
        let label = meta.map_or_else(String::new, |meta| meta.operands.label(i, count));
        Some(Operand { entry: *index_of.get(id)?, label })
    });
    let formula = meta.map(|meta| meta.formula_in(edition)).map(|formula| {
        let words = || formula.message().map(|message| message.localize(language));
        formula.symbols().map(str::to_owned).or_else(words).unwrap_or_default()
    });
    Entry {
        name: instruction.name.clone(),
        opcode: meta.map_or_else(String::new, |meta| meta.opcode.to_owned()),
        formula: formula.unwrap_or_default(),
        operands: operands.collect(),
        ..Entry::default()
    }
}

/// Records the arrays of a value, within the remaining bytes.
fn record_arrays(
    finished: &FinishedRun,
    id: InstructionId,
    snapshot: &mut Snapshot,
    remaining_bytes: &mut usize,
) -> Vec<Array> {
    let parts = finished.value(id).map(leaves).unwrap_or_default();
    let recorded = parts.into_iter().map(|(path, literal)| {
        let bytes = literal.held_bytes();
        let fits = usize::try_from(bytes).is_ok_and(|bytes| bytes <= *remaining_bytes);
        let raw = fits.then(|| literal.to_raw().ok()).flatten();
        *remaining_bytes -= raw.as_ref().map_or(0, Vec::len).min(*remaining_bytes);
        let values = raw.map_or(Values::Omitted, |raw| Values::Raw(snapshot.record(&raw)));
        Array { path, shape: literal.shape().to_string(), values }
    });
    recorded.collect()
}

fn arithmetic_of(derivation: Derivation) -> Arithmetic {
    let terms = derivation.parts.into_iter().map(|part| match part {
        derivation::Part::Plain(text) => Term::Text(text),
        derivation::Part::Read { text, role, .. } => Term::Read(text, role_number(role)),
        derivation::Part::Omitted(count) => Term::More(count),
        derivation::Part::Result(text) => Term::Result(text),
    });
    Arithmetic {
        terms: terms.collect(),
        reads: derivation.reads,
        roles: derivation.roles.into_iter().map(role_number).collect(),
        update_label: derivation.update_label,
    }
}

/// Records a run at once. `selected` is the instruction that is shown first; `None` for the root.
pub fn run(
    finished: &FinishedRun,
    title: &str,
    selected: Option<InstructionId>,
    language: Language,
    bounds: Bounds,
) -> Snapshot {
    let mut recorder = Recorder::new(finished, title, (selected, 0), language, bounds);
    while recorder.step(1_024) {}
    recorder.finish()
}
