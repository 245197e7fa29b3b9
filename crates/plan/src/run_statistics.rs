//! Statistics of the values of a run, collected before the run overwrites them: the executions of each instruction, the first NaN,
//! the first computed infinity, and the instruction with the largest growth in magnitude.
//!
//! The growth of an instruction is the maximum magnitude of its result divided by that of its operands, over finite elements of
//! floats and complex numbers.
//!
//! The scan of a buffer is kept until a step writes the buffer, so that instructions that are views of all of it share one scan.

use xla_array::float_format::FloatFormat;
use xla_array::index::Indices;
use xla_array::literal::Buffer;
use xla_array::magnitudes::Magnitudes;
use xla_array::{Class, ElementType};
use xla_hlo::InstructionId;
use xla_ops::ComputationId;

use crate::array::{Array, ValueId};
use crate::memory::Memory;
use crate::observation::ObservedInstruction;
use crate::plan::Plan;

/// The instruction at which a run first had a NaN, or an infinity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonFiniteEvent {
    /// The instruction.
    pub at: (ComputationId, InstructionId),
    /// Whether the instruction did not create it: it is a parameter or a constant, or has an operand with such an element.
    pub is_inherited: bool,
    /// The execution of the instruction, from 0.
    pub execution: u64,
}

/// The growth in magnitude from the operands of an instruction to its result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// The instruction.
    pub at: (ComputationId, InstructionId),
    /// The maximum magnitude of the result divided by that of the operands.
    pub ratio: f64,
    /// The execution of the instruction, from 0.
    pub execution: u64,
}

/// Statistics of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunStatistics {
    /// The first NaN.
    pub first_nan: Option<NonFiniteEvent>,
    /// The first infinity that an instruction computed. Most programs have an inherited one: the initial value of a maximum.
    pub first_computed_infinity: Option<NonFiniteEvent>,
    /// The largest growth; of equal ones, the first.
    pub largest_growth: Option<Growth>,
    /// The number of executions of each instruction, in the order of the module. Instructions without any are omitted.
    pub executions: Vec<((ComputationId, InstructionId), u64)>,
    /// The steps that the run took.
    pub steps: u64,
}

/// Scans encoded floats. Without the sign, codes are ordered as integers: finite magnitudes, then infinity, then NaN.
fn scan_codes<T: Copy + Ord + Default>(
    codes: &[T],
    magnitude: impl Fn(T) -> T + Copy,
    decode: impl Fn(T) -> f64,
) -> Magnitudes {
    let mut scan = Magnitudes::default();
    // The usual case, all elements finite, takes one branch-free pass, which LLVM vectorizes.
    let max = codes.iter().fold(T::default(), |max, code| max.max(magnitude(*code)));
    if !codes.is_empty() && decode(max).is_finite() {
        scan.max = Some(decode(max));
    } else {
        for code in codes {
            scan.add(decode(magnitude(*code)));
        }
    }
    scan
}

/// Scans floats, like [`scan_codes`].
fn scan_floats(floats: &[f32]) -> Magnitudes {
    let mut scan = Magnitudes::default();
    let max = floats.iter().fold(0, |max, float| (float.to_bits() & 0x7fff_ffff).max(max));
    if !floats.is_empty() && f32::from_bits(max).is_finite() {
        scan.max = Some(f32::from_bits(max).into());
    } else {
        for float in floats {
            scan.add(float.abs().into());
        }
    }
    scan
}

/// Scans the first `count` elements of a buffer.
fn scan_buffer(buffer: &Buffer, element_type: ElementType, count: usize) -> Magnitudes {
    match (buffer, FloatFormat::of(element_type)) {
        (Buffer::F32(floats), _) => scan_floats(floats.get(..count).unwrap_or(floats)),
        (Buffer::U16(codes), Some(format)) => {
            let codes = codes.get(..count).unwrap_or(codes);
            scan_codes(codes, |code| code & 0x7fff, |code| format.decode(code.into()))
        }
        _ => {
            let mut scan = Magnitudes::default();
            for value in (0..count).filter_map(|offset| buffer.get(element_type, offset)) {
                scan.add_value(value);
            }
            scan
        }
    }
}

/// Scans the elements of a view.
fn scan_view(memory: &Memory, array: &Array) -> Magnitudes {
    let mut scan = Magnitudes::default();
    // A broadcast dimension has the same element at every index.
    let distinct = |(size, stride): (&usize, &isize)| if *stride == 0 { 1 } else { *size };
    let sizes = array.view.sizes.iter().zip(&array.view.strides).map(distinct);
    let sizes: Vec<i64> = sizes.map(|size| i64::try_from(size).unwrap_or(i64::MAX)).collect();
    let mut indices = Indices::row_major(&sizes);
    while let Some(index) = indices.advance() {
        let offsets = index.iter().zip(&array.view.strides).map(|(i, stride)| i * *stride as i64);
        let offset = array.view.offset.cast_signed() as i64 + offsets.sum::<i64>();
        scan.add_value(memory.element(array, usize::try_from(offset).unwrap_or(usize::MAX)));
    }
    scan
}

/// Collects the statistics of a run.
pub struct StatisticsRecorder {
    statistics: RunStatistics,
    /// The scan of each value's buffer; `None` if it was written since.
    value_scans: Vec<Option<Magnitudes>>,
    /// The scan of the last value of each observed instruction, and the number of its executions.
    instructions: Vec<(Magnitudes, u64)>,
}

impl StatisticsRecorder {
    pub fn new(plan: &Plan) -> Self {
        Self {
            statistics: RunStatistics::default(),
            value_scans: vec![None; plan.values.len()],
            instructions: vec![(Magnitudes::default(), 0); plan.observed.len()],
        }
    }

    /// Records an execution of an observed instruction, whose index among the observed ones is `index`.
    pub fn record(&mut self, index: usize, instruction: &ObservedInstruction, memory: &Memory) {
        let mut scan = Magnitudes::default();
        instruction.value.for_each_array(&mut |array| scan.merge(self.scan(array, memory)));
        let operands = instruction.operands.iter().filter_map(|operand| self.instructions.get(*operand));
        let operands: Vec<Magnitudes> = operands.map(|(scan, _)| *scan).collect();
        let at = instruction.at;
        // A computation is inlined once for each instruction that calls it: add up the executions of all copies.
        let execution = || {
            let copies = memory.plan.observed.iter().zip(&self.instructions);
            copies.filter(|(copy, _)| copy.at == at).map(|(_, (_, executions))| *executions).sum()
        };
        let is_inherited = |has: fn(&Magnitudes) -> bool| instruction.is_source || operands.iter().any(has);
        if scan.has_nan && self.statistics.first_nan.is_none() {
            let is_inherited = is_inherited(|scan| scan.has_nan);
            self.statistics.first_nan = Some(NonFiniteEvent { at, is_inherited, execution: execution() });
        }
        if scan.has_infinity
            && self.statistics.first_computed_infinity.is_none()
            && !is_inherited(|scan| scan.has_infinity)
        {
            self.statistics.first_computed_infinity =
                Some(NonFiniteEvent { at, is_inherited: false, execution: execution() });
        }
        if !instruction.has_calls
            && let Some((operand_max, result_max)) = scan.growth_from(&operands)
            && self.statistics.largest_growth.is_none_or(|largest| result_max / operand_max > largest.ratio)
        {
            self.statistics.largest_growth =
                Some(Growth { at, ratio: result_max / operand_max, execution: execution() });
        }
        if let Some((last, executions)) = self.instructions.get_mut(index) {
            *last = scan;
            *executions += 1;
        }
    }

    /// The scan of an array, which may be a view of its value.
    fn scan(&mut self, array: &Array, memory: &Memory) -> Magnitudes {
        let info = *memory.plan.value_info(array);
        if !matches!(info.element_type.class(), Class::Float | Class::Complex) {
            return Magnitudes::default();
        }
        let distinct = array.view.sizes.iter().zip(&array.view.strides).filter(|(_, stride)| **stride != 0);
        let distinct: usize = distinct.map(|(size, _)| *size).product();
        if array.view.elements() == 0 {
            Magnitudes::default()
        } else if distinct == info.elements {
            self.scan_value(array.value, memory)
        } else {
            scan_view(memory, array)
        }
    }

    fn scan_value(&mut self, value: ValueId, memory: &Memory) -> Magnitudes {
        let info = memory.plan.values[value.0];
        *self.value_scans[value.0]
            .get_or_insert_with(|| scan_buffer(memory.buffer(value), info.element_type, info.elements))
    }

    /// Discards the scan of a value that a step has written.
    pub fn invalidate(&mut self, value: ValueId) {
        self.value_scans[value.0] = None;
    }

    /// The statistics of the run, which took this many steps.
    pub fn finish(mut self, plan: &Plan, steps: u64) -> RunStatistics {
        let mut executions: Vec<_> = plan
            .observed
            .iter()
            .zip(&self.instructions)
            .filter(|(_, (_, executions))| *executions > 0)
            .map(|(instruction, (_, executions))| (instruction.at, *executions))
            .collect();
        // A computation is inlined once for each instruction that calls it: merge the copies.
        executions.sort_by_key(|((computation, instruction), _)| (computation.0, instruction.0));
        executions.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 += next.1;
            }
            is_same
        });
        self.statistics.executions = executions;
        self.statistics.steps = steps;
        self.statistics
    }
}
