//! The course of a run: where the first NaN and the first infinity appear, and which instruction amplifies most.
//!
//! A [`Course`] sees the value of each instruction as it is computed ([`xla_hlo::Observer`]) and keeps one number per
//! instruction of the computations that are running, never a value.
//!
//! The jump of an instruction is the maximum magnitude of its result divided by that of its operands, over the finite
//! elements of floats and complex numbers. An instruction has none if either is zero or missing, or if it ran other
//! instructions that were seen, e.g. the calls of a loop: these have their own.

use std::ops::ControlFlow;

use super::cells::{for_each, for_each_float, is_finite, is_inexact, magnitude};
use super::parts::parts;
use xla_array::index::Indices;
use xla_array::{ArrayLiteral, Dims, Value};
use xla_hlo::{Frame, InstructionId, Module, Observer};
use xla_ops::Data;

/// An element of an instruction's value at some time of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct CourseEvent {
    /// The computation that ran, and the number of its call.
    pub frame: Frame,
    /// The instruction.
    pub instruction: InstructionId,
    /// The path of tuple indices of the array within the value.
    pub path: Vec<usize>,
    /// The index of the element.
    pub index: Dims,
    /// Whether the program was given such an element: the instruction is a parameter or a constant, or has an operand that
    /// holds one, too.
    pub is_given: bool,
}

/// The instruction with the largest jump.
#[derive(Clone, Debug, PartialEq)]
pub struct Jump {
    /// The computation that ran, and the number of its call.
    pub frame: Frame,
    /// The instruction.
    pub instruction: InstructionId,
    /// The maximum magnitude of its operands.
    pub operands: f64,
    /// The maximum magnitude of its result.
    pub result: f64,
}

impl Jump {
    /// The growth: result by operands.
    pub fn ratio(&self) -> f64 {
        self.result / self.operands
    }
}

/// What was seen in a value.
#[derive(Clone, Copy, Debug, Default)]
struct Scan {
    /// Maximum magnitude of the finite elements of floats and complex numbers.
    max: Option<f64>,
    has_nan: bool,
    has_infinity: bool,
}

impl Scan {
    fn of(data: &Data) -> Self {
        let mut found = Self::default();
        for part in parts(data).iter().filter(|part| is_inexact(part.array.element_type())) {
            found.add(&part.array);
        }
        found
    }

    fn add(&mut self, array: &ArrayLiteral) {
        let (mut max, mut has_nan, mut has_infinity, mut has_finite) = (0.0_f64, false, false, false);
        let mut see = |size: f64, is_finite: bool| {
            has_nan |= size.is_nan();
            has_infinity |= !is_finite && !size.is_nan();
            has_finite |= is_finite;
            if is_finite && size > max {
                max = size;
            }
        };
        if !for_each_float(array, |x| see(x.abs(), x.is_finite())) {
            for_each(array, |value| {
                let size = if value.is_nan() { f64::NAN } else { magnitude(value) };
                see(size, is_finite(value));
            });
        }
        self.has_nan |= has_nan;
        self.has_infinity |= has_infinity;
        if has_finite {
            self.max = Some(self.max.map_or(max, |other| other.max(max)));
        }
    }
}

/// The values of a running computation.
struct Running {
    frame: Frame,
    scans: Vec<Scan>,
    /// Whether instructions of a call were seen since the last value of this computation.
    has_call: bool,
}

/// Watches a run.
///
/// ```
/// use xla_hlo::{Evaluator, parse};
/// use xla_inspect::values::Course;
///
/// let module = parse("HloModule m ENTRY e { x = f32[2] constant({1, 0}) l = log(x) ROOT r = multiply(l, x) }");
/// let module = module.into_module().unwrap();
/// let mut course = Course::new(&module);
/// Evaluator::new(&module).observer(&mut course).run(&[]).unwrap();
/// let name = |id: xla_hlo::InstructionId| module.entry_computation().and_then(|e| e.get(id)).map(|i| i.name.as_str());
/// assert_eq!(course.first_infinity.as_ref().and_then(|found| name(found.instruction)), Some("l"));
/// assert_eq!(course.first_nan.as_ref().and_then(|found| name(found.instruction)), Some("r"));
/// ```
pub struct Course<'m> {
    module: &'m Module,
    running: Vec<Running>,
    /// The first NaN.
    pub first_nan: Option<CourseEvent>,
    /// The first infinity.
    pub first_infinity: Option<CourseEvent>,
    /// The largest jump; of equal ones, the first.
    pub largest_jump: Option<Jump>,
    /// The number of values seen.
    pub values: u64,
}

impl<'m> Course<'m> {
    /// A run of this module that has not begun.
    pub fn new(module: &'m Module) -> Self {
        Self {
            module,
            running: Vec::new(),
            first_nan: None,
            first_infinity: None,
            largest_jump: None,
            values: 0,
        }
    }

    /// Sees the value of an instruction, in the order of the run.
    pub fn see(&mut self, frame: Frame, instruction: InstructionId, data: &Data) {
        self.values += 1;
        let Some(computation) = self.module.get(frame.computation) else { return };
        let Some(node) = computation.get(instruction) else { return };
        let has_call = self.enter(frame, computation.instructions.len());
        let scan = Scan::of(data);
        let operands = |running: &Running| -> Vec<Scan> {
            let known = node.operands.iter().filter_map(|id| running.scans.get(id.index()));
            known.copied().collect()
        };
        let operands = self.running.last().map(operands).unwrap_or_default();
        let is_source = matches!(node.opcode.as_str(), "parameter" | "constant");
        let event = |has: fn(&Scan) -> bool, is_such: fn(Value) -> bool| {
            let (path, index) = locate(data, is_such)?;
            let is_given = is_source || operands.iter().any(has);
            Some(CourseEvent { frame, instruction, path, index, is_given })
        };
        if scan.has_nan && self.first_nan.is_none() {
            self.first_nan = event(|scan| scan.has_nan, Value::is_nan);
        }
        if scan.has_infinity && self.first_infinity.is_none() {
            self.first_infinity =
                event(|scan| scan.has_infinity, |value| !is_finite(value) && !value.is_nan());
        }
        let before = operands.iter().filter_map(|scan| scan.max).reduce(f64::max);
        if !has_call
            && let (Some(operands), Some(result)) = (before, scan.max)
            && operands > 0.0
            && result > 0.0
        {
            let jump = Jump { frame, instruction, operands, result };
            if self.largest_jump.as_ref().is_none_or(|largest| jump.ratio() > largest.ratio()) {
                self.largest_jump = Some(jump);
            }
        }
        let slot = self.running.last_mut().and_then(|running| running.scans.get_mut(instruction.index()));
        if let Some(slot) = slot {
            *slot = scan;
        }
    }

    /// Makes the computation of `frame` the innermost running one. Returns whether it has made a call since its last value.
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
                let scans = vec![Scan::default(); instructions];
                self.running.push(Running { frame, scans, has_call: false });
                false
            }
        }
    }
}

impl Observer for Course<'_> {
    fn value(&mut self, frame: Frame, instruction: InstructionId, value: &Data) -> ControlFlow<()> {
        self.see(frame, instruction, value);
        ControlFlow::Continue(())
    }

    fn wants_all(&self) -> bool {
        false
    }
}

/// The first element in row-major order for which `is_such` holds: its path and index.
fn locate(data: &Data, is_such: fn(Value) -> bool) -> Option<(Vec<usize>, Dims)> {
    parts(data).into_iter().find_map(|part| {
        part.array.map().build_tables();
        let mut indices = Indices::row_major(part.array.map().sizes());
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

    /// The course of a program without parameters, and the names of the instructions found.
    #[track_caller]
    fn names(text: &str) -> [Option<String>; 3] {
        let module = parse(&format!("HloModule m {text}")).into_module().unwrap();
        let mut course = Course::new(&module);
        Evaluator::new(&module).observer(&mut course).run(&[]).unwrap();
        let name = |frame: Frame, id| Some(module.get(frame.computation)?.get(id)?.name.clone());
        [
            course.first_nan.as_ref().and_then(|e| name(e.frame, e.instruction)),
            course.first_infinity.as_ref().and_then(|e| name(e.frame, e.instruction)),
            course.largest_jump.as_ref().and_then(|j| name(j.frame, j.instruction)),
        ]
    }

    #[track_caller]
    fn assert_names(text: &str, expected: [&str; 3]) {
        assert_eq!(names(text).map(Option::unwrap_or_default), expected);
    }

    #[test]
    fn a_bf16_overflow_follows_a_jump() {
        assert_names(
            "ENTRY e { x = f32[2] constant({60, 3}) y = exponential(x) z = negate(y)
               b = bf16[2] convert(z) s = multiply(b, b) ROOT d = subtract(s, s) }",
            ["d", "s", "y"],
        );
    }

    #[test]
    fn the_first_bad_instruction_is_within_a_loop() {
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
        let mut course = Course::new(&module);
        Evaluator::new(&module).observer(&mut course).run(&[]).unwrap();
        let infinity = course.first_infinity.unwrap();
        let body = module.find("body").unwrap();
        assert_eq!((infinity.frame.computation, infinity.frame.depth), (body, 1));
        assert_eq!(module.get(body).unwrap().get(infinity.instruction).unwrap().name, "w");
        // The fourth iteration: each has two calls, after that of the entry.
        assert_eq!((infinity.frame.call, infinity.is_given), (8, false));
        let jump = course.largest_jump.unwrap();
        assert_eq!((jump.frame.computation, jump.instruction), (body, infinity.instruction));
    }

    #[test]
    fn a_call_does_not_jump_in_place_of_its_body() {
        // The call grows by 10,000, each instruction of its body by 100.
        assert_names(
            "f { p = f32[1] parameter(0) c = f32[1] constant({0.01}) a = divide(p, c) ROOT b = divide(a, c) }
             ENTRY e { x = f32[1] constant({5}) ROOT y = f32[1] call(x), to_apply=f }",
            ["", "", "a"],
        );
    }

    #[test]
    fn given_nans_are_distinguished() {
        let module = parse("HloModule m ENTRY e { x = f32[3] constant({1, nan, nan}) ROOT y = negate(x) }")
            .into_module()
            .unwrap();
        let mut course = Course::new(&module);
        Evaluator::new(&module).observer(&mut course).run(&[]).unwrap();
        let nan = course.first_nan.unwrap();
        assert_eq!(
            (nan.index.as_slice(), nan.is_given, nan.instruction),
            ([1].as_slice(), true, InstructionId(0))
        );
        assert_eq!((course.first_infinity, course.values), (None, 2));
    }

    #[test]
    fn integers_and_zeros_do_not_jump() {
        assert_names(
            "ENTRY e { x = s32[] constant(3) y = multiply(x, x) z = f32[] constant(0) e = exponential(z)
               f = f32[] convert(y) g = multiply(f, f) ROOT t = tuple(e, g) }",
            ["", "", "g"],
        );
    }
}
