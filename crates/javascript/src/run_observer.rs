//! Progress, pauses and cancellation of a run.
//!
//! A run calls its observer every few tens of microseconds. The observer forwards some of these reports, and decides when a pause
//! is due: before the next instruction, an asynchronous run then awaits a promise of the package, which lets the event loop run
//! and resolves to whether to continue.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::rc::Rc;

use js_sys::{Date, Function, Object, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use xla_hlo::{Frame, InstructionId, Module, Observer, Pause, Position};
use xla_ops::Data;

use crate::module::instruction_name;

/// Milliseconds between reports of progress.
const PROGRESS_INTERVAL_MS: f64 = 50.0;
/// Milliseconds that a run may occupy the thread before it pauses: less than one frame of a page.
const PAUSE_INTERVAL_MS: f64 = 12.0;
/// Calls of the observer per reading of the clock.
const CLOCK_INTERVAL_CALLS: u32 = 8;

/// Reports the progress of a run, and decides when it pauses.
pub struct RunObserver {
    module: Rc<Module>,
    on_progress: Option<Function>,
    instruction: InstructionId,
    calls: u32,
    reported_ms: f64,
    paused_ms: Rc<Cell<f64>>,
    is_pause_due: Rc<Cell<bool>>,
}

impl RunObserver {
    /// An observer of a run that begins now.
    pub fn new(module: Rc<Module>, on_progress: Option<Function>) -> Self {
        let now = Date::now();
        Self {
            module,
            on_progress,
            instruction: InstructionId::default(),
            calls: 0,
            reported_ms: now,
            paused_ms: Rc::new(Cell::new(now)),
            is_pause_due: Rc::default(),
        }
    }

    /// Returns pauses: promises of `pause`, which resolve to whether to continue.
    pub fn pauses(&self, pause: Function) -> Rc<dyn Fn() -> Option<Pause>> {
        let (is_due, paused_ms) = (self.is_pause_due.clone(), self.paused_ms.clone());
        Rc::new(move || {
            if !is_due.replace(false) {
                return None;
            }
            let promise = pause.call0(&JsValue::UNDEFINED).ok()?.dyn_into::<Promise>().ok()?;
            let paused_ms = paused_ms.clone();
            Some(Box::pin(async move {
                let answer = JsFuture::from(promise).await;
                paused_ms.set(Date::now());
                answer.is_ok_and(|answer| answer.is_truthy())
            }))
        })
    }

    #[allow(clippy::cast_precision_loss, reason = "steps are far below 2^53")]
    fn report(&self, steps: u64) {
        let Some(on_progress) = &self.on_progress else { return };
        let report = Object::new();
        // A new plain object has no setters that could fail; a callback that throws does not end the run.
        let _ = Reflect::set(&report, &"steps".into(), &(steps as f64).into());
        let name = instruction_name(&self.module, self.instruction);
        let _ = Reflect::set(&report, &"instruction".into(), &name.into());
        let _ = on_progress.call1(&JsValue::UNDEFINED, &report);
    }
}

impl Observer for RunObserver {
    fn value(&mut self, _: Frame, _: InstructionId, _: &Data) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn reached(&mut self, position: Position) {
        self.instruction = position.instruction;
    }

    fn progress(&mut self, steps: u64) -> ControlFlow<()> {
        self.calls = self.calls.wrapping_add(1);
        if self.calls.is_multiple_of(CLOCK_INTERVAL_CALLS) {
            let now = Date::now();
            if now - self.paused_ms.get() >= PAUSE_INTERVAL_MS {
                self.is_pause_due.set(true);
            }
            if now - self.reported_ms >= PROGRESS_INTERVAL_MS {
                self.reported_ms = now;
                self.report(steps);
            }
        }
        ControlFlow::Continue(())
    }

    fn wants_all(&self) -> bool {
        false
    }
}
