//! The numerics of a run: its first NaN, its first infinity, and the instruction with the largest growth in magnitude.
//!
//! A [`NumericsObserver`] scans the value of each instruction when it is computed ([`xla_hlo::Observer`]). It keeps a summary per
//! instruction of the computations that are running, never a value.
//!
//! The growth of an instruction is the maximum magnitude of its result divided by that of its operands, over the finite
//! elements of floats and complex numbers. It is undefined if either is zero or missing, and for an instruction whose called
//! computations were observed, e.g. a loop: their instructions have a growth of their own.

use std::ops::ControlFlow;

use super::cells::{for_each, is_finite, is_inexact};
use super::parts::parts;
use xla_array::index::Indices;
use xla_array::magnitudes::Magnitudes;
use xla_array::{Dims, Value};
use xla_hlo::{Frame, InstructionId, Module, Observer};
use xla_ops::Data;

/// The first NaN or infinity of a run: an element of an instruction's value in one call of its computation.
#[derive(Clone, Debug, PartialEq)]
pub struct NonFiniteEvent {
    /// The computation that ran, and the index of its call.
    pub frame: Frame,
    /// The instruction.
    pub instruction: InstructionId,
    /// The path of tuple indices of the array within the value.
    pub path: Vec<usize>,
    /// The index of the element.
    pub index: Dims,
    /// Whether the instruction did not create it: it is a parameter or a constant, or has an operand with such an element.
    pub is_inherited: bool,
}

/// The instruction with the largest growth.
#[derive(Clone, Debug, PartialEq)]
pub struct Growth {
    /// The computation that ran, and the index of its call.
    pub frame: Frame,
    /// The instruction.
    pub instruction: InstructionId,
    /// The maximum magnitude of its operands.
    pub operands: f64,
    /// The maximum magnitude of its result.
    pub result: f64,
}

impl Growth {
    /// The maximum magnitude of the result divided by that of the operands.
    pub fn ratio(&self) -> f64 {
        self.result / self.operands
    }
}

/// Scans the floats and complex numbers of a value.
fn scan(data: &Data) -> Magnitudes {
    let mut scan = Magnitudes::default();
    for part in parts(data).iter().filter(|part| is_inexact(part.array.element_type())) {
        for_each(&part.array, |value| scan.add_value(value));
    }
    scan
}

/// The values of a running computation.
struct Running {
    frame: Frame,
    scans: Vec<Magnitudes>,
    /// Whether instructions of a called computation were observed since the last value of this one.
    has_call: bool,
}

/// Observes a run.
///
/// ```
/// use xla_hlo::{Evaluator, parse};
/// use xla_inspect::values::NumericsObserver;
///
/// let module = parse("HloModule m ENTRY e { x = f32[2] constant({1, 0}) l = log(x) ROOT r = multiply(l, x) }");
/// let module = module.into_module().unwrap();
/// let mut numerics = NumericsObserver::new(&module);
/// Evaluator::new(&module).observer(&mut numerics).run(&[]).unwrap();
/// let name = |id: xla_hlo::InstructionId| module.entry_computation().and_then(|e| e.get(id)).map(|i| i.name.as_str());
/// assert_eq!(numerics.first_infinity.as_ref().and_then(|found| name(found.instruction)), Some("l"));
/// assert_eq!(numerics.first_nan.as_ref().and_then(|found| name(found.instruction)), Some("r"));
/// ```
pub struct NumericsObserver<'m> {
    module: &'m Module,
    running: Vec<Running>,
    /// The first NaN.
    pub first_nan: Option<NonFiniteEvent>,
    /// The first infinity.
    pub first_infinity: Option<NonFiniteEvent>,
    /// The first NaN that an instruction computed from operands without NaN.
    pub first_computed_nan: Option<NonFiniteEvent>,
    /// The first infinity that an instruction computed from operands without infinities.
    pub first_computed_infinity: Option<NonFiniteEvent>,
    /// The largest growth; of equal ones, the first.
    pub largest_growth: Option<Growth>,
    /// The number of values observed.
    pub values: u64,
}

impl<'m> NumericsObserver<'m> {
    /// An observer for one run of a module.
    pub fn new(module: &'m Module) -> Self {
        Self {
            module,
            running: Vec::new(),
            first_nan: None,
            first_infinity: None,
            first_computed_nan: None,
            first_computed_infinity: None,
            largest_growth: None,
            values: 0,
        }
    }

    /// Records the value of an instruction. Values must come in the order of the run.
    pub fn record(&mut self, frame: Frame, instruction: InstructionId, data: &Data) {
        self.values += 1;
        let Some(computation) = self.module.get(frame.computation) else { return };
        let Some(node) = computation.get(instruction) else { return };
        let has_call = self.enter(frame, computation.instructions.len());
        let scan = scan(data);
        let operands = |running: &Running| -> Vec<Magnitudes> {
            let known = node.operands.iter().filter_map(|id| running.scans.get(id.index()));
            known.copied().collect()
        };
        let operands = self.running.last().map(operands).unwrap_or_default();
        let is_source = matches!(node.opcode.as_str(), "parameter" | "constant");
        let event = |has: fn(&Magnitudes) -> bool, is_such: fn(Value) -> bool| {
            let (path, index) = locate(data, is_such)?;
            let is_inherited = is_source || operands.iter().any(has);
            Some(NonFiniteEvent { frame, instruction, path, index, is_inherited })
        };
        if scan.has_nan && (self.first_nan.is_none() || self.first_computed_nan.is_none()) {
            let found = event(|scan| scan.has_nan, Value::is_nan);
            keep_first(found, &mut self.first_nan, &mut self.first_computed_nan);
        }
        if scan.has_infinity && (self.first_infinity.is_none() || self.first_computed_infinity.is_none()) {
            let found = event(|scan| scan.has_infinity, |value| !is_finite(value) && !value.is_nan());
            keep_first(found, &mut self.first_infinity, &mut self.first_computed_infinity);
        }
        if !has_call && let Some((operands, result)) = scan.growth_from(&operands) {
            let growth = Growth { frame, instruction, operands, result };
            if self.largest_growth.as_ref().is_none_or(|largest| growth.ratio() > largest.ratio()) {
                self.largest_growth = Some(growth);
            }
        }
        let slot = self.running.last_mut().and_then(|running| running.scans.get_mut(instruction.index()));
        if let Some(slot) = slot {
            *slot = scan;
        }
    }

    /// Makes the computation of `frame` the innermost running one. Returns whether a computation that it calls ran since its last
    /// value.
    fn enter(&mut self, frame: Frame, instructions: usize) -> bool {
        // Frames that ended: deeper ones, and another call at this depth.
        let is_running = |running: &Running| running.frame.depth < frame.depth || running.frame == frame;
        self.running.truncate(self.running.partition_point(is_running));
        match self.running.last_mut() {
            Some(running) if running.frame == frame => std::mem::take(&mut running.has_call),
            _ => {
                for running in &mut self.running {
                    running.has_call = true;
                }
                let scans = vec![Magnitudes::default(); instructions];
                self.running.push(Running { frame, scans, has_call: false });
                false
            }
        }
    }
}

/// Keeps an event if it is the first of all, and if it is the first that is not inherited.
fn keep_first(
    found: Option<NonFiniteEvent>,
    first: &mut Option<NonFiniteEvent>,
    computed: &mut Option<NonFiniteEvent>,
) {
    let Some(found) = found else { return };
    if !found.is_inherited && computed.is_none() {
        *computed = Some(found.clone());
    }
    first.get_or_insert(found);
}

impl Observer for NumericsObserver<'_> {
    fn value(&mut self, frame: Frame, instruction: InstructionId, value: &Data) -> ControlFlow<()> {
        self.record(frame, instruction, value);
        ControlFlow::Continue(())
    }

    fn wants_all(&self) -> bool {
        false
    }
}

/// The first element in row-major order for which `is_such` holds: its path and index.
fn locate(data: &Data, is_such: fn(Value) -> bool) -> Option<(Vec<usize>, Dims)> {
    parts(data).into_iter().find_map(|part| {
        part.array.memory_map().build_tables();
        let mut indices = Indices::row_major(part.array.memory_map().sizes());
        while let Some(index) = indices.advance() {
            if part.array.get(index).is_some_and(is_such) {
                return Some((part.path, index.iter().copied().collect()));
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_hlo::{Evaluator, parse};

    /// The names of the instructions with the first NaN, the first infinity and the largest growth.
    #[track_caller]
    fn names(text: &str) -> [Option<String>; 3] {
        let module = parse(&format!("HloModule m {text}")).into_module().unwrap();
        let mut numerics = NumericsObserver::new(&module);
        Evaluator::new(&module).observer(&mut numerics).run(&[]).unwrap();
        let name = |frame: Frame, id| Some(module.get(frame.computation)?.get(id)?.name.clone());
        [
            numerics.first_nan.as_ref().and_then(|e| name(e.frame, e.instruction)),
            numerics.first_infinity.as_ref().and_then(|e| name(e.frame, e.instruction)),
            numerics.largest_growth.as_ref().and_then(|growth| name(growth.frame, growth.instruction)),
        ]
    }

    #[track_caller]
    fn assert_names(text: &str, expected: [&str; 3]) {
        assert_eq!(names(text).map(Option::unwrap_or_default), expected);
    }

    #[test]
    fn a_bf16_overflow_follows_the_largest_growth() {
        assert_names(
            "ENTRY e { x = f32[2] constant({60, 3}) y = exponential(x) z = negate(y)
               b = bf16[2] convert(z) s = multiply(b, b) ROOT d = subtract(s, s) }",
            ["d", "s", "y"],
        );
    }

    #[test]
    fn the_first_infinity_is_found_in_a_loop_body() {
        let text = "
            cond { p = (s32[], f32[]) parameter(0) i = get-tuple-element(p), index=0
              n = s32[] constant(5) ROOT l = compare(i, n), direction=LT }
            body { q = (s32[], f32[]) parameter(0) j = get-tuple-element(q), index=0
              v = get-tuple-element(q), index=1 k = f32[] constant(1e10) w = multiply(v, k)
              o = s32[] constant(1) m = add(j, o) ROOT t = tuple(m, w) }
            ENTRY e { z = s32[] constant(0) a = f32[] constant(2) s = tuple(z, a)
              u = while(s), condition=cond, body=body
              r = get-tuple-element(u), index=1 ROOT n2 = subtract(r, r) }";
        let module = parse(&format!("HloModule m {text}")).into_module().unwrap();
        let mut numerics = NumericsObserver::new(&module);
        Evaluator::new(&module).observer(&mut numerics).run(&[]).unwrap();
        let infinity = numerics.first_infinity.unwrap();
        let body = module.find("body").unwrap();
        assert_eq!((infinity.frame.computation, infinity.frame.depth), (body, 1));
        assert_eq!(module.get(body).unwrap().get(infinity.instruction).unwrap().name, "w");
        // The fourth iteration: each has two calls, after that of the entry.
        assert_eq!((infinity.frame.call, infinity.is_inherited), (8, false));
        let growth = numerics.largest_growth.unwrap();
        assert_eq!((growth.frame.computation, growth.instruction), (body, infinity.instruction));
    }

    #[test]
    fn growth_is_attributed_to_the_body_of_a_call() {
        // The call grows by 10,000, each instruction of its body by 100.
        assert_names(
            "f { p = f32[1] parameter(0) c = f32[1] constant({0.01}) a = divide(p, c) ROOT b = divide(a, c) }
             ENTRY e { x = f32[1] constant({5}) ROOT y = f32[1] call(x), to_apply=f }",
            ["", "", "a"],
        );
    }

    #[test]
    fn inherited_nans_are_distinguished() {
        let module = parse("HloModule m ENTRY e { x = f32[3] constant({1, nan, nan}) ROOT y = negate(x) }")
            .into_module()
            .unwrap();
        let mut numerics = NumericsObserver::new(&module);
        Evaluator::new(&module).observer(&mut numerics).run(&[]).unwrap();
        let nan = numerics.first_nan.unwrap();
        assert_eq!(
            (nan.index.as_slice(), nan.is_inherited, nan.instruction),
            ([1].as_slice(), true, InstructionId(0))
        );
        assert_eq!((numerics.first_infinity, numerics.first_computed_nan, numerics.values), (None, None, 2));
    }

    #[test]
    fn integers_and_zeros_have_no_growth() {
        assert_names(
            "ENTRY e { x = s32[] constant(3) y = multiply(x, x) z = f32[] constant(0) e = exponential(z)
               f = f32[] convert(y) g = multiply(f, f) ROOT t = tuple(e, g) }",
            ["", "", "g"],
        );
    }
}
