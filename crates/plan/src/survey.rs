//! What is noted of the values of a run while it overwrites them: how often each instruction was executed, where the first NaN
//! and the first infinity appeared, and which instruction amplified most.
//!
//! A value is scanned when an instruction has it that was written since the last scan; views of the whole value share the result. The jump of an
//! instruction is the maximum magnitude of its result divided by that of its operands, over finite elements of floats and
//! complex numbers.

use xla_array::float_format::FloatFormat;
use xla_array::index::Indices;
use xla_array::literal::Buffer;
use xla_array::{Class, ElementType, Value};
use xla_hlo::InstructionId;
use xla_ops::ComputationId;

use crate::array::{Array, ValueId};
use crate::memory::Memory;
use crate::observation::ObservedInstruction;
use crate::plan::Plan;

/// An instruction where a run first had something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The instruction.
    pub at: (ComputationId, InstructionId),
    /// Whether the program was given such an element: the instruction is a parameter or a constant, or an operand has one, too.
    pub is_given: bool,
    /// The execution of the instruction, from 0.
    pub execution: u64,
}

/// An instruction whose result exceeds its operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jump {
    /// The instruction.
    pub at: (ComputationId, InstructionId),
    /// The growth: the maximum magnitude of the result by that of the operands.
    pub ratio: f64,
    /// The execution of the instruction, from 0.
    pub execution: u64,
}

/// What was noted of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survey {
    /// Where the first NaN appeared.
    pub first_nan: Option<Event>,
    /// Where the first infinity appeared.
    pub first_infinity: Option<Event>,
    /// The largest jump; of equal ones, the first.
    pub largest_jump: Option<Jump>,
    /// How often each instruction was executed, in the order of the instructions; those that were not are missing.
    pub executions: Vec<((ComputationId, InstructionId), u64)>,
    /// The steps that the run took.
    pub steps: u64,
}

/// What was seen in a value.
#[derive(Clone, Copy, Debug, Default)]
struct Scan {
    /// The maximum magnitude of the finite elements; `None` without any.
    max: Option<f64>,
    has_nan: bool,
    has_infinity: bool,
}

impl Scan {
    fn merge(&mut self, other: Self) {
        self.max = self.max.into_iter().chain(other.max).reduce(f64::max);
        self.has_nan |= other.has_nan;
        self.has_infinity |= other.has_infinity;
    }

    /// Adds one element by its magnitude, NaN if a part of it is NaN.
    fn add(&mut self, magnitude: f64) {
        self.has_nan |= magnitude.is_nan();
        self.has_infinity |= magnitude.is_infinite();
        if magnitude.is_finite() {
            self.max = Some(self.max.map_or(magnitude, |max| max.max(magnitude)));
        }
    }

    /// Floats by their codes without the sign: as integers they are ordered like the magnitudes, then infinity, then NaN.
    fn of_codes<T: Copy + Ord + Default>(
        codes: &[T],
        magnitude: impl Fn(T) -> T + Copy,
        decode: impl Fn(T) -> f64,
    ) -> Self {
        let mut scan = Self::default();
        // Without a branch, so that it is vectorized.
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

    fn of_floats(floats: &[f32]) -> Self {
        let mut scan = Self::default();
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

    /// All cells of a buffer.
    fn of_buffer(buffer: &Buffer, element_type: ElementType, cells: usize) -> Self {
        match (buffer, FloatFormat::of(element_type)) {
            (Buffer::F32(floats), _) => Self::of_floats(floats.get(..cells).unwrap_or(floats)),
            (Buffer::U16(codes), Some(format)) => {
                let codes = codes.get(..cells).unwrap_or(codes);
                Self::of_codes(codes, |code| code & 0x7fff, |code| format.decode(code.into()))
            }
            _ => {
                let mut scan = Self::default();
                for cell in 0..cells {
                    scan.add(buffer.get(element_type, cell).map_or(0.0, magnitude));
                }
                scan
            }
        }
    }

    /// The cells of a view.
    fn of_view(memory: &Memory, array: &Array) -> Self {
        let mut scan = Self::default();
        // Repeated cells count once.
        let distinct = |(size, stride): (&usize, &isize)| if *stride == 0 { 1 } else { *size };
        let sizes = array.view.sizes.iter().zip(&array.view.strides).map(distinct);
        let sizes: Vec<i64> = sizes.map(|size| i64::try_from(size).unwrap_or(i64::MAX)).collect();
        let mut indices = Indices::row_major(&sizes);
        while let Some(index) = indices.advance() {
            let offsets = index.iter().zip(&array.view.strides).map(|(i, stride)| i * *stride as i64);
            let offset = array.view.offset.cast_signed() as i64 + offsets.sum::<i64>();
            scan.add(magnitude(memory.cell(array, usize::try_from(offset).unwrap_or(usize::MAX))));
        }
        scan
    }
}

/// The magnitude of an element; of a complex number with a NaN, NaN.
fn magnitude(value: Value) -> f64 {
    match value {
        Value::Float(value) => value.abs(),
        Value::Complex(re, im) if re.is_nan() || im.is_nan() => f64::NAN,
        // The modulus of large finite parts may exceed the doubles.
        Value::Complex(re, im) if re.is_finite() && im.is_finite() => re.hypot(im).min(f64::MAX),
        Value::Complex(..) => f64::INFINITY,
        Value::Pred(_) | Value::Int(_) | Value::Uint(_) => 0.0,
    }
}

/// Surveys a run.
pub struct Surveyor {
    survey: Survey,
    /// What each value has; `None` if it was written since it was scanned.
    of_values: Vec<Option<Scan>>,
    /// Per observed instruction, what its last value had, and its executions.
    of_instructions: Vec<(Scan, u64)>,
}

impl Surveyor {
    pub fn new(plan: &Plan) -> Self {
        Self {
            survey: Survey::default(),
            of_values: vec![None; plan.values.len()],
            of_instructions: vec![(Scan::default(), 0); plan.observed.len()],
        }
    }

    /// Sees the value of an observed instruction.
    pub fn see(&mut self, index: usize, instruction: &ObservedInstruction, memory: &Memory) {
        let mut scan = Scan::default();
        instruction.value.for_each_array(&mut |array| scan.merge(self.scan(array, memory)));
        let known = instruction.operands.iter().filter_map(|operand| self.of_instructions.get(*operand));
        let operands: Vec<Scan> = known.map(|(scan, _)| *scan).collect();
        let at = instruction.at;
        // A computation that several instructions call is inlined once for each.
        let execution = || {
            let inlined = memory.plan.observed.iter().zip(&self.of_instructions);
            inlined.filter(|(each, _)| each.at == at).map(|(_, (_, executions))| *executions).sum()
        };
        let event = |has: fn(&Scan) -> bool| Event {
            at,
            is_given: instruction.is_source || operands.iter().any(has),
            execution: execution(),
        };
        if scan.has_nan && self.survey.first_nan.is_none() {
            self.survey.first_nan = Some(event(|scan| scan.has_nan));
        }
        if scan.has_infinity && self.survey.first_infinity.is_none() {
            self.survey.first_infinity = Some(event(|scan| scan.has_infinity));
        }
        let before = operands.iter().filter_map(|scan| scan.max).reduce(f64::max);
        if !instruction.calls
            && let (Some(before), Some(after)) = (before, scan.max)
            && before > 0.0
            && after > 0.0
            && self.survey.largest_jump.is_none_or(|largest| after / before > largest.ratio)
        {
            self.survey.largest_jump = Some(Jump { at, ratio: after / before, execution: execution() });
        }
        if let Some((last, executions)) = self.of_instructions.get_mut(index) {
            *last = scan;
            *executions += 1;
        }
    }

    fn scan(&mut self, array: &Array, memory: &Memory) -> Scan {
        let info = *memory.plan.value_info(array);
        if !matches!(info.element_type.class(), Class::Float | Class::Complex) {
            return Scan::default();
        }
        let distinct = array.view.sizes.iter().zip(&array.view.strides).filter(|(_, stride)| **stride != 0);
        let distinct: usize = distinct.map(|(size, _)| *size).product();
        if array.view.elements() == 0 {
            Scan::default()
        } else if distinct == info.cells {
            self.scan_value(array.value, memory)
        } else {
            Scan::of_view(memory, array)
        }
    }

    fn scan_value(&mut self, value: ValueId, memory: &Memory) -> Scan {
        let info = memory.plan.values[value.0];
        *self.of_values[value.0]
            .get_or_insert_with(|| Scan::of_buffer(memory.buffer(value), info.element_type, info.cells))
    }

    /// Notes that a step has written a value.
    pub fn written(&mut self, value: ValueId) {
        self.of_values[value.0] = None;
    }

    /// What was noted of a run that took this many steps.
    pub fn finish(mut self, plan: &Plan, steps: u64) -> Survey {
        let mut executions: Vec<_> = plan
            .observed
            .iter()
            .zip(&self.of_instructions)
            .filter(|(_, (_, executions))| *executions > 0)
            .map(|(instruction, (_, executions))| (instruction.at, *executions))
            .collect();
        // A computation that several instructions call is inlined once for each.
        executions.sort_by_key(|((computation, instruction), _)| (computation.0, instruction.0));
        executions.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 += next.1;
            }
            is_same
        });
        self.survey.executions = executions;
        self.survey.steps = steps;
        self.survey
    }
}
