//! Records minimum, maximum, NaNs and infinities of every execution of an instruction. No value is kept.

use std::ops::ControlFlow;

use super::wire::{InstructionKey, Timeline, TimelinePoint};
use crate::array::Value;
use crate::hlo::InstructionId;
use crate::hlo::eval::meter::{Frame, Observer};
use crate::inspect::values::{Statistics, parts};
use crate::ops::Data;

/// Maximum points of a timeline: further executions share points.
const MAX_POINTS: usize = 256;

/// Observes the executions of an instruction.
pub(super) struct TimelineRecorder {
    at: InstructionKey,
    leaf: usize,
    device: u32,
    count: u64,
    /// Executions of each point.
    stride: u64,
    points: Vec<TimelinePoint>,
}

fn number(value: Option<Value>) -> Option<f64> {
    #[allow(clippy::cast_precision_loss, reason = "a height in a picture")]
    let number = match value? {
        Value::Pred(truth) => f64::from(u8::from(truth)),
        Value::Int(value) => value as f64,
        Value::Uint(value) => value as f64,
        Value::Float(value) => value,
        Value::Complex(re, im) => re.hypot(im),
    };
    number.is_finite().then_some(number)
}

impl TimelineRecorder {
    pub fn new(at: InstructionKey, leaf: usize, device: u32) -> Self {
        Self { at, leaf, device, count: 0, stride: 1, points: Vec::new() }
    }

    /// The timeline.
    pub fn finish(self) -> Timeline {
        Timeline { at: self.at, leaf: self.leaf, device: self.device, count: self.count, points: self.points }
    }

    fn add(&mut self, point: TimelinePoint) {
        if self.count.is_multiple_of(self.stride) {
            if self.points.len() == MAX_POINTS {
                self.halve();
            }
            if self.count.is_multiple_of(self.stride) {
                self.points.push(point);
                self.count += 1;
                return;
            }
        }
        if let Some(last) = self.points.last_mut() {
            merge(last, &point);
        }
        self.count += 1;
    }

    /// Merges neighbouring points.
    fn halve(&mut self) {
        let merged = self.points.chunks(2).map(|pair| {
            let mut first = pair[0].clone();
            if let Some(second) = pair.get(1) {
                merge(&mut first, second);
            }
            first
        });
        self.points = merged.collect();
        self.stride *= 2;
    }
}

fn merge(into: &mut TimelinePoint, other: &TimelinePoint) {
    let merged = |a: Option<f64>, b: Option<f64>, choose: fn(f64, f64) -> f64| match (a, b) {
        (Some(a), Some(b)) => Some(choose(a, b)),
        (a, b) => a.or(b),
    };
    into.min = merged(into.min, other.min, f64::min);
    into.max = merged(into.max, other.max, f64::max);
    into.has_nan |= other.has_nan;
    into.has_infinity |= other.has_infinity;
}

impl Observer for TimelineRecorder {
    fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> ControlFlow<()> {
        if (frame.computation.0, id.0) == (self.at.computation, self.at.instruction) {
            let found = parts(value).get(self.leaf).map(|part| Statistics::of(&part.array));
            let point = found.map(|found| TimelinePoint {
                execution: self.count,
                min: number(found.min),
                max: number(found.max),
                has_nan: found.nans > 0,
                has_infinity: found.positive_infinities + found.negative_infinities > 0,
            });
            self.add(point.unwrap_or(TimelinePoint { execution: self.count, ..TimelinePoint::default() }));
        }
        ControlFlow::Continue(())
    }

    fn wants_all(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_executions_share_points_and_lose_no_extreme() {
        let mut recorder = TimelineRecorder::new(InstructionKey::default(), 0, 0);
        for execution in 0..1_000_u32 {
            let height = Some(f64::from(execution));
            recorder.add(TimelinePoint {
                execution: execution.into(),
                min: height,
                max: height,
                has_nan: execution == 777,
                has_infinity: false,
            });
        }
        let found = recorder.finish();
        assert!(found.count == 1_000 && found.points.len() <= MAX_POINTS, "{}", found.points.len());
        assert_eq!((found.points[0].min, found.points.last().unwrap().max), (Some(0.0), Some(999.0)));
        let with_nan: Vec<_> = found.points.iter().filter(|point| point.has_nan).collect();
        assert!(matches!(with_nan[..], [point] if (point.execution..point.execution + 8).contains(&777)));
        assert!(found.points.is_sorted_by_key(|point| point.execution));
    }
}
