//! Causes why no kernel computed a value: each keeps its name on the way from the worker to the page, and none is
//! confused with another.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use xla_playground::array::literal::Buffer;
use xla_playground::array::literal::raw::LiteralReceiver;
use xla_playground::cause::Cause;
use xla_playground::hlo::eval::kernel::{
    Build, ComputedBy, InProcess, Kernels, KernelsError, Mode, UnavailableKernels,
};
use xla_playground::hlo::parse;
use xla_playground::i18n::Language;
use xla_playground::kernels::{KernelError, Task};
use xla_playground::ops::Fallback;
use xla_playground::state::experiment::Experiment;
use xla_playground::worker::channel::frame::Body;
use xla_playground::worker::evaluation::job::job;
use xla_playground::worker::evaluation::run::run;
use xla_playground::worker::evaluation::transfer::{expected_arrays, finished_run};
use xla_playground::worker::evaluation::wire::Reply;

const DOT: &str = "HloModule m
ENTRY e {
  a = f32[40,30] parameter(0)
  b = f32[30,40] parameter(1)
  ROOT r = f32[40,40] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}";

/// What computed the values of the instructions of these names, as the page sees it.
fn made(text: &str, names: &[&str], kernels: Rc<dyn Kernels>) -> Vec<Option<ComputedBy>> {
    let experiment = Experiment::from_text(text);
    let module = Rc::new(parse(text).into_module().unwrap());
    let entry = module.entry_computation().unwrap();
    let job = job(&experiment, entry.root.unwrap(), Language::ENGLISH);
    let (reply, memory) = {
        let mut tell = |_| {};
        let mut run = pin!(run(&job, Some(kernels), &|| 0.0, &mut tell));
        let Poll::Ready(answer) = run.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("it waits")
        };
        answer
    };
    let Reply::Done(done) = Reply::from_text(&reply.to_text().unwrap()).unwrap() else { panic!("{reply:?}") };
    let filled = expected_arrays(&done).unwrap().into_iter().zip(&memory).map(|(of, bytes)| {
        let mut filling = LiteralReceiver::new(of.shape).unwrap();
        filling.push(bytes);
        filling.finish().unwrap()
    });
    let finished = finished_run(&done, &filled.collect::<Vec<Arc<_>>>(), &experiment, &module).unwrap();
    names.iter().map(|name| finished.computed_by()[entry.find(name).unwrap().index()].clone()).collect()
}

/// Kernels that reject every task for one reason, or substitute others.
struct One(Result<(), KernelsError>, Option<(Build, Cause)>);

impl Kernels for One {
    fn mode(&self) -> Mode {
        Mode::Strict
    }

    fn substitute_build(&self) -> Option<(Build, Cause)> {
        self.1.clone()
    }

    fn run(
        &self,
        task: &Task,
        read: &[&Buffer],
        written: &mut [&mut Buffer],
        tick: &mut dyn FnMut(u64) -> bool,
    ) -> Result<String, KernelsError> {
        self.0.clone()?;
        InProcess::default().run(task, read, written, tick)
    }
}

#[test]
fn unavailable_kernels_are_neither_too_small_nor_unsupported() {
    let causes = [
        Cause::Status(404),
        Cause::Unreachable,
        Cause::Offline,
        Cause::TimedOut(10),
        Cause::Corrupt,
        Cause::ReleaseMismatch,
        Cause::OutOfMemory(Some(1 << 31)),
        Cause::Crashed("dot f32".to_owned()),
    ];
    for cause in causes {
        let found = made(DOT, &["r"], Rc::new(UnavailableKernels(cause.clone())));
        assert_eq!(found, [Some(ComputedBy::Reference(Fallback::Unavailable(cause.clone())))]);
        let rejecting = One(Err(KernelsError::Unavailable(cause.clone())), None);
        let found = made(DOT, &["r"], Rc::new(rejecting));
        assert_eq!(found, [Some(ComputedBy::Reference(Fallback::Unavailable(cause)))]);
    }
}

#[test]
fn unsupported_tasks_are_not_reported_as_a_missing_module() {
    let missing = || Rc::new(UnavailableKernels(Cause::Unreachable));
    let small = DOT.replace("40,30", "4,3").replace("30,40", "3,4").replace("40,40", "4,4");
    assert_eq!(made(&small, &["r"], missing()), [Some(ComputedBy::Reference(Fallback::TooSmall))]);
    let no_kernel = "HloModule m ENTRY e { a = f32[80,80] parameter(0)
        ROOT r = (f32[80,80], f32[80,80]) tuple(a, a) }";
    assert_ne!(
        made(no_kernel, &["r"], missing()),
        [Some(ComputedBy::Reference(Fallback::Unavailable(Cause::Unreachable)))]
    );
    let tiled = DOT.replace("ROOT r = f32[40,40]", "ROOT r = f32[40,40]{1,0:T(8,128)}");
    assert_eq!(made(&tiled, &["r"], missing()), [Some(ComputedBy::Reference(Fallback::UnsupportedLayout))]);
}

#[test]
fn rejected_tasks_keep_their_reason() {
    for (stop, why) in [
        (KernelError::NoKernel, Fallback::UnsupportedTask),
        (KernelError::RowTooLong, Fallback::UnsupportedTask),
        (KernelError::InvalidTask, Fallback::UnsupportedTask),
        (KernelError::OutOfMemory, Fallback::Unavailable(Cause::OutOfMemory(None))),
    ] {
        let found = made(DOT, &["r"], Rc::new(One(Err(stop.into()), None)));
        assert_eq!(found, [Some(ComputedBy::Reference(why))]);
    }
}

#[test]
fn another_build_than_the_one_asked_for_is_named_with_its_cause() {
    for (build, cause) in [
        (Build::Scalar, Cause::NoSimd),
        (Build::Simd, Cause::NoRelaxedSimd),
        (Build::Simd, Cause::Status(503)),
    ] {
        let found = made(DOT, &["r"], Rc::new(One(Ok(()), Some((build, cause.clone())))));
        assert_eq!(found, [Some(ComputedBy::Substitute { kernel: "dot f32".to_owned(), build, cause })]);
    }
    let found = made(DOT, &["r"], Rc::new(One(Ok(()), None)));
    assert_eq!(found, [Some(ComputedBy::Kernel("dot f32".to_owned(), Mode::Strict, 1))]);
}
