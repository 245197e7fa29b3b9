//! The costs view: operations and bytes, memory over time, data movement with its causes, and padding.

use std::cmp::Reverse;

use super::ids::{at, find};
use super::loaded::Loaded;
use super::shapes::short_shape;
use super::wire::costs::{
    Answer, Chain, Expensive, Free, LiveValue, Memory, Movements, Moving, Named, Padded, Padding, Query,
    Step, Totals,
};
use crate::array::{ArrayShape, Shape};
use crate::hlo::Module;
use crate::i18n::{Language, Message};
use crate::inspect::performance::bytes::Sizes;
use crate::inspect::performance::chain::{self, DataMovement, Reason};
use crate::inspect::performance::cost::{Cost, Costs, Iterations};
use crate::inspect::performance::memory::memory;
use crate::inspect::performance::movement::{Movement, movement};
use crate::inspect::performance::padding::{PaddedShape, padding};
use crate::inspect::performance::roles::ComputationRoles;
use crate::inspect::performance::{InstructionRef, instruction};
use crate::inspect::report::suggest::{Change, suggestions};
use crate::ops::ComputationId;
use crate::state::document::Document;
use crate::state::permalink;

/// Maximum rows of a list.
const MAX_ROWS: usize = 100;

/// Maximum instructions of a chain, and steps of a timeline, that are sent.
const MAX_CHAIN: usize = 6;
const MAX_STEPS: usize = 480;

/// The state of the view between queries.
#[derive(Default)]
pub struct State {
    /// The sizes of all values, and how computations are called; computed by the first query.
    basis: Option<(Sizes, ComputationRoles)>,
}

impl State {
    /// Answers a query.
    pub fn answer(&mut self, loaded: Loaded<'_>, query: Query) -> Answer {
        let Loaded { module, language, .. } = loaded;
        let (sizes, roles) =
            self.basis.get_or_insert_with(|| (Sizes::of(module), ComputationRoles::of(module)));
        let view = View { module, sizes, roles, language };
        match query {
            Query::Totals => Answer::Totals(view.totals()),
            Query::Memory => Answer::Memory(view.memory()),
            Query::Movements => Answer::Movements(view.movements()),
            Query::Padding => Answer::Padding(view.padding()),
        }
    }
}

/// The part of a link that shows an array on the Layout screen.
fn layout_link(array: &ArrayShape) -> String {
    permalink::write(&Document::with_shape(Shape::Array(array.clone())))
}

/// The program and the analyses that answers are computed from.
struct View<'a> {
    module: &'a Module,
    sizes: &'a Sizes,
    roles: &'a ComputationRoles,
    language: Language,
}

impl View<'_> {
    fn named(&self, id: InstructionRef) -> Named {
        let found = find(self.module, at(id)).map(|(_, instruction)| instruction);
        Named {
            at: at(id),
            name: found.map(|instruction| instruction.unique_name(id.1)).unwrap_or_default(),
            opcode: found.map(|instruction| instruction.opcode.clone()).unwrap_or_default(),
        }
    }

    fn shape(&self, id: InstructionRef) -> String {
        instruction(self.module, id).map(|found| short_shape(&found.shape)).unwrap_or_default()
    }

    /// The shape of the first operand of an instruction.
    fn operand_shape(&self, id: InstructionRef) -> String {
        let operand = instruction(self.module, id).and_then(|found| found.operands.first().copied());
        operand.map(|operand| self.shape((id.0, operand))).unwrap_or_default()
    }

    /// The instructions of the computations whose values are in memory.
    fn in_memory(&self) -> impl Iterator<Item = InstructionRef> {
        let computations = (0..).map(ComputationId).zip(&self.module.computations);
        let in_memory = computations.filter(|(id, _)| self.roles.role(*id).materializes_values());
        in_memory
            .flat_map(|(id, computation)| computation.iter().map(move |(instruction, _)| (id, instruction)))
    }

    fn totals(&self) -> Totals {
        let costs = Costs::with_sizes(self.module, self.sizes, Iterations::Known);
        let total = costs.total();
        // A call costs what it calls, which is listed itself.
        let is_call = |id: InstructionRef| {
            instruction(self.module, id).is_none_or(|found| {
                matches!(found.opcode.as_str(), "while" | "conditional" | "call" | "async-start")
            })
        };
        let expensive = self.in_memory().filter(|id| !is_call(*id)).filter_map(|id| {
            let (cost, executions) = (costs.instruction(id.0, id.1), self.roles.executions(id.0));
            let cost = cost.times(executions);
            (cost.bytes() > 0 || cost.flops > 0).then_some((id, cost, executions))
        });
        let mut expensive: Vec<_> = expensive.collect();
        let to_wire = |(id, cost, executions): &(_, Cost, u64)| Expensive {
            instruction: self.named(*id),
            shape: self.shape(*id),
            flops: cost.flops,
            bytes: cost.bytes(),
            executions: *executions,
        };
        expensive.sort_by_key(|(id, cost, _)| (Reverse((cost.flops, cost.bytes())), *id));
        let by_flops = expensive.iter().filter(|(_, cost, _)| cost.flops > 0).take(MAX_ROWS).map(to_wire);
        let by_flops = by_flops.collect();
        expensive.sort_by_key(|(id, cost, _)| (Reverse((cost.bytes(), cost.flops)), *id));
        let by_bytes = expensive.iter().take(MAX_ROWS).map(to_wire).collect();
        Totals {
            flops: total.flops,
            transcendentals: total.transcendentals,
            bytes_read: total.bytes_read,
            bytes_written: total.bytes_written,
            intensity: total.intensity(),
            unknown_instructions: total.unknown,
            unknown_loops: total.unknown_loops,
            by_bytes,
            by_flops,
        }
    }

    fn memory(&self) -> Memory {
        let found = memory(self.module, self.roles);
        let entry = self.module.entry.unwrap_or(ComputationId(0));
        let live = found.timelines.get(entry.0 as usize).map_or(&[][..], |timeline| &timeline.live);
        let per_step = live.len().div_ceil(MAX_STEPS).max(1);
        let timeline = (0_u32..).zip(live).collect::<Vec<_>>();
        let timeline = timeline.chunks(per_step).filter_map(|chunk| {
            // The first of several equal ones.
            let (instruction, bytes) = chunk.iter().rev().max_by_key(|(_, bytes)| **bytes)?;
            let named = self.named((entry, crate::hlo::InstructionId(*instruction)));
            Some(Step { instruction: *instruction, name: named.name, bytes: **bytes })
        });
        let values = found.peak.values.iter().take(MAX_ROWS).map(|value| LiveValue {
            instruction: self.named(value.at),
            shape: self.shape(value.at),
            bytes: value.bytes,
            is_permanent: value.is_permanent,
        });
        Memory {
            is_scheduled: found.is_scheduled,
            parameter_bytes: found.parameter_bytes,
            constant_bytes: found.constant_bytes,
            peak_bytes: found.peak.bytes,
            instructions: live.len(),
            timeline: timeline.collect(),
            path: found.peak.path.iter().map(|id| self.named(*id)).collect(),
            values: values.collect(),
            value_count: found.peak.values.len(),
        }
    }

    fn movements(&self) -> Movements {
        let copies = chain::copies(self.module, self.sizes, self.roles);
        let is_candidate = |id: &InstructionRef| {
            let opcode = instruction(self.module, *id).map(|found| found.opcode.as_str());
            matches!(opcode, Some("bitcast" | "reshape" | "transpose" | "copy" | "bitcast-convert"))
        };
        let mut free: Vec<InstructionRef> = self.in_memory().filter(is_candidate).collect();
        free.retain(|id| movement(self.module, self.sizes, *id) == Movement::Free);
        let rows = free.iter().take(MAX_ROWS).map(|id| Free {
            instruction: self.named(*id),
            from: self.operand_shape(*id),
            to: self.shape(*id),
        });
        Movements {
            moving: copies.iter().take(MAX_ROWS).map(|copy| self.moving(copy)).collect(),
            moving_count: copies.len(),
            moving_bytes: copies.iter().fold(0, |sum: u64, copy| sum.saturating_add(copy.bytes())),
            free: rows.collect(),
            free_count: free.len(),
        }
    }

    fn moving(&self, copy: &DataMovement) -> Moving {
        let written = instruction(self.module, copy.at).and_then(|found| found.shape.as_array());
        Moving {
            instruction: self.named(copy.at),
            from: self.operand_shape(copy.at),
            to: self.shape(copy.at),
            layout: written.filter(|array| array.layout.is_some()).map(layout_link),
            changes_order: matches!(copy.movement, Movement::Relayout { .. }),
            bytes: copy.bytes(),
            executions: copy.executions,
            source: self.chain(&copy.source),
            demand: self.chain(&copy.demand),
        }
    }

    fn chain(&self, chain: &chain::Chain) -> Chain {
        let opcode = chain.path.last().map(|last| self.named(*last).opcode).unwrap_or_default();
        let of_opcode = |key: &'static str| Message::program(key).with("opcode", opcode.as_str());
        let reason = match chain.reason {
            Reason::EntryParameter(number) => {
                Message::program("costs-reason-parameter").with("number", number)
            }
            Reason::EntryResult => Message::program("costs-reason-result"),
            Reason::LoopState => Message::program("costs-reason-loop"),
            Reason::Branch => Message::program("costs-reason-branch"),
            Reason::Call => Message::program("costs-reason-call"),
            Reason::Constant => Message::program("costs-reason-constant"),
            Reason::Operand(number) => of_opcode("costs-reason-operand").with("number", number),
            Reason::Result => of_opcode("costs-reason-written"),
            Reason::Movement => of_opcode("costs-reason-movement"),
            Reason::Unknown => Message::program("costs-reason-none"),
        };
        let count = chain.path.len();
        let is_sent = |number: usize| number + 1 < MAX_CHAIN || number + 1 == count;
        let path = chain.path.iter().enumerate().filter(|(number, _)| is_sent(*number));
        let path: Vec<Named> = path.map(|(_, id)| self.named(*id)).collect();
        Chain { reason: reason.localize(self.language), omitted: count - path.len(), path }
    }

    fn padding(&self) -> Padding {
        let found = padding(self.module, self.roles);
        Padding {
            shapes: found.shapes.iter().take(MAX_ROWS).map(|shape| self.padded(shape)).collect(),
            shape_count: found.shapes.len(),
            data_bytes: found.total.data,
            memory_bytes: found.total.memory,
        }
    }

    fn padded(&self, shape: &PaddedShape) -> Padded {
        let text = |array: &ArrayShape| short_shape(&Shape::Array(array.clone()));
        // Another size is another program; another order is a layout that can be asked for.
        let better = suggestions(&shape.array)
            .into_iter()
            .find(|found| found.saved > 0 && matches!(found.change, Change::Order(_)));
        Padded {
            first: self.named(shape.first),
            shape: text(&shape.array),
            layout: layout_link(&shape.array),
            count: shape.count,
            data_bytes: shape.bytes.data,
            memory_bytes: shape.bytes.memory,
            better: better.map(|found| (text(&found.array), layout_link(&found.array), found.saved)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::super::queries::Program;
    use super::super::wire;
    use super::*;

    const TPU: &str = include_str!("../../../static/programs/tpu.hlo");

    fn ask(program: &mut Program, query: Query) -> Answer {
        match program.answer(wire::Query::Costs(query)) {
            wire::Answer::Costs(answer) => answer,
            other => panic!("an answer of another kind: {other:?}"),
        }
    }

    #[test]
    fn a_program_of_tiled_layouts_shows_its_copies_and_its_padding() {
        let (mut program, _) = Program::open(TPU.to_owned(), Language::ENGLISH);
        let Answer::Totals(totals) = ask(&mut program, Query::Totals) else { panic!("no totals") };
        assert!(totals.flops > 0 && totals.bytes_read > 0 && totals.intensity.is_some());
        assert!(totals.by_bytes.windows(2).all(|pair| pair[0].bytes >= pair[1].bytes));
        assert!(totals.by_flops.windows(2).all(|pair| pair[0].flops >= pair[1].flops));
        assert!(!totals.by_bytes.is_empty() && totals.by_flops.last().is_some_and(|row| row.flops > 0));
        let Answer::Memory(memory) = ask(&mut program, Query::Memory) else { panic!("no memory") };
        assert_eq!(memory.timeline.iter().map(|step| step.bytes).max(), Some(memory.peak_bytes));
        assert_eq!(memory.timeline.len(), memory.instructions);
        let live: u64 = memory.values.iter().map(|value| value.bytes).sum();
        assert_eq!(live, memory.peak_bytes, "the live values add up to the peak");
        let Answer::Movements(movements) = ask(&mut program, Query::Movements) else {
            panic!("no movements")
        };
        let copy = &movements.moving[0];
        assert!(copy.changes_order && copy.bytes > 0 && copy.from != copy.to, "{copy:?}");
        assert!(!copy.source.reason.is_empty() && !copy.source.path.is_empty(), "{copy:?}");
        let Answer::Padding(padding) = ask(&mut program, Query::Padding) else { panic!("no padding") };
        let shape = &padding.shapes[0];
        assert!(shape.memory_bytes > shape.data_bytes && padding.memory_bytes > padding.data_bytes);
        assert!(permalink::read(&shape.layout).problems.is_empty(), "{}", shape.layout);
    }

    #[test]
    fn padding_of_more_than_half_of_all_bytes_is_excessive() {
        let padding = |sizes: &str| {
            let text = format!(
                "HloModule m ENTRY e {{ x = f32[{sizes}]{{1,0:T(8,128)}} parameter(0) s = f32[] constant(1)
                ROOT y = f32[{sizes}]{{1,0:T(8,128)}} negate(x) }}"
            );
            match ask(&mut Program::open(text, Language::ENGLISH).0, Query::Padding) {
                Answer::Padding(padding) => padding,
                other => panic!("no padding: {other:?}"),
            }
        };
        let narrow = padding("4096,2");
        assert!(narrow.is_excessive());
        assert_eq!(narrow.wasted_bytes(), 2 * 4 * 4096 * 126);
        assert!(!padding("4096,128").is_excessive());
        assert!(!padding("4096,100").is_excessive() && padding("4096,100").wasted_bytes() > 0);
    }

    #[test]
    fn long_timelines_keep_their_peak_and_empty_programs_cost_nothing() {
        let mut text =
            String::from("HloModule m, is_scheduled=true\nENTRY e {\n  x0 = f32[64] parameter(0)\n");
        for number in 1..2_000 {
            let root = if number == 1_999 { "ROOT " } else { "" };
            let _ = writeln!(text, "  {root}x{number} = f32[64] negate(x{})", number - 1);
        }
        text.push_str("}\n");
        let (mut program, _) = Program::open(text, Language::ENGLISH);
        let Answer::Memory(memory) = ask(&mut program, Query::Memory) else { panic!("no memory") };
        assert!(memory.timeline.len() <= MAX_STEPS && memory.instructions == 2_000);
        assert_eq!(memory.timeline.iter().map(|step| step.bytes).max(), Some(memory.peak_bytes));
        let (mut empty, _) = Program::open(String::new(), Language::ENGLISH);
        assert_eq!(ask(&mut empty, Query::Totals), Answer::Totals(Totals::default()));
        assert_eq!(ask(&mut empty, Query::Memory), Answer::Memory(Memory::default()));
        assert_eq!(ask(&mut empty, Query::Movements), Answer::Movements(Movements::default()));
        assert_eq!(ask(&mut empty, Query::Padding), Answer::Padding(Padding::default()));
    }
}
