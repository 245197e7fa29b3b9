//! The worker's side of measuring: makes every row of a setup ready, then runs them in turn, A B C A B C, so that what
//! else the machine does meets all alike. It is never asked to stop: the page ends the whole worker.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Float32Array;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::kernels::{Module, NotDone};
use super::member::say_hello;
use super::speed_crew::Crew;
use super::speed_messages::{Job, LeftOut, Limit, Reply, Way, header, read};
use super::speed_timing::{crews, more_runs, rounds, sample_ms};
use crate::array::{ArrayLiteral, Literal};
use crate::cause::Cause;
use crate::hlo::eval::kernel::Build;
use crate::hlo::parser::parse;
use crate::hlo::{Evaluator, Limits, Module as HloModule};
use crate::state::speed::ops::{Kind, Unit};
use crate::state::speed::task::{Prepared, hlo, task};
use crate::state::speed::{Setup, View, link};

/// The name by which the page asks for a worker of this kind.
pub const NAME: &str = "measure";

/// Milliseconds for the rows that are measured in turn, about: of all ways, of one size, of a share of the layouts.
const PATIENCE: f64 = 4_000.0;
const PATIENCE_SIZE: f64 = 700.0;

/// Milliseconds after which a sample of several workers ends, however many runs it was to be: on a busy machine a word to a worker
/// and back takes a hundred times as long now and then.
const LONG: f64 = 200.0;

/// Bytes of memory of layouts that are measured in turn.
const TOGETHER: u64 = 256 << 20;

/// Rows of a dot that a worker has at least.
const LEAST_ROWS: u64 = 4;

fn scope() -> Option<DedicatedWorkerGlobalScope> {
    js_sys::global().dyn_into().ok()
}

/// Whether this worker was started to measure.
pub fn is_asked_for() -> bool {
    scope().is_some_and(|scope| scope.name() == NAME)
}

/// Takes a job from now on.
pub fn serve() {
    let Some(scope) = scope() else { return };
    let listener = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| {
        match read::<Job>(&event.data().as_string().unwrap_or_default()) {
            Some(job) => spawn_local(measure(job)),
            None => send(&Reply::Refused),
        }
    });
    scope.set_onmessage(Some(listener.as_ref().unchecked_ref()));
    // It listens as long as the worker lives.
    listener.forget();
    say_hello();
}

pub(super) fn send(reply: &Reply) {
    if let Some(scope) = scope()
        && let Err(error) = scope.post_message(&header(reply).into())
    {
        // Nobody can be told but the page's own look at errors.
        wasm_bindgen::throw_val(error);
    }
}

/// Milliseconds, as fine as the browser lets us know.
fn now() -> f64 {
    scope()
        .and_then(|scope| scope.performance())
        .map_or_else(js_sys::Date::now, |performance| performance.now())
}

/// The smallest step of the clock.
fn grain() -> f64 {
    let mut smallest = f64::MAX;
    for _ in 0..5 {
        let start = now();
        let mut end = now();
        while end <= start {
            end = now();
        }
        smallest = smallest.min(end - start);
    }
    smallest
}

/// A module, or why there is none.
type Loaded = RefCell<Result<Rc<Module>, Cause>>;

/// The modules.
struct Modules {
    /// Whether this worker starts no others.
    is_alone: bool,
    scalar: Option<Loaded>,
    strict: Loaded,
    fast: Loaded,
}

impl Modules {
    async fn load(view: View, is_alone: bool) -> Self {
        let only_strict = view == View::Layouts;
        let load = async |build| RefCell::new(Module::load(build).await.map(Rc::new));
        Self {
            is_alone,
            strict: load(Build::Strict).await,
            scalar: if only_strict { None } else { Some(load(Build::Scalar).await) },
            fast: load(Build::Fast).await,
        }
    }

    fn slot(&self, way: Way) -> &Loaded {
        match (way, &self.scalar) {
            (Way::Scalar, Some(scalar)) => scalar,
            (Way::Fast, _) => &self.fast,
            _ => &self.strict,
        }
    }

    fn of(&self, way: Way) -> Result<Rc<Module>, Cause> {
        self.slot(way).borrow().clone()
    }

    /// Takes another instance for the rows that come, after a crash.
    fn renew(&self, way: Way) {
        let again = self.of(way).and_then(|module| module.again());
        drop(self.slot(way).replace(again.map(Rc::new)));
    }
}

/// Why a row is left out.
fn left_out(why: NotDone) -> LeftOut {
    match why {
        NotDone::NoKernel => LeftOut::NoKernel,
        NotDone::Refused => LeftOut::Failed,
        NotDone::Unavailable(cause) => LeftOut::Unavailable(cause.code()),
    }
}

/// A row to be measured: a way, at a size or in a layout.
struct Candidate {
    way: Way,
    point: u32,
    setup: Setup,
    orders: Option<Vec<Vec<usize>>>,
}

/// What runs a row.
enum Runner {
    Kernel(Rc<Module>, u32),
    Reference(Box<HloModule>, Vec<Literal>),
    Crew(Crew),
}

impl Runner {
    /// One run. Errors: why it was not done.
    async fn once(&mut self) -> Result<(), LeftOut> {
        match self {
            Self::Kernel(module, handle) => module.once(*handle).map_err(left_out),
            Self::Reference(module, arguments) => {
                let limits = Limits { steps: u64::MAX, ..Limits::default() };
                let ran = Evaluator::new(module).limits(limits).run(arguments);
                // Its steps are not limited, so what ended it is memory.
                ran.map(drop).map_err(|_| LeftOut::Unavailable(Cause::OutOfMemory(None).code()))
            }
            Self::Crew(crew) => {
                if crew.once().await {
                    Ok(())
                } else {
                    Err(LeftOut::NoWorkers)
                }
            }
        }
    }

    /// So many runs, or fewer; answers the milliseconds of one. Errors: why one was not done.
    async fn sample(&mut self, runs: u32) -> Result<f64, LeftOut> {
        let (start, mut done) = (now(), 0);
        loop {
            self.once().await?;
            done += 1;
            if done >= runs || matches!(self, Self::Crew(_)) && now() - start > LONG {
                return Ok((now() - start) / f64::from(done));
            }
        }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        if let Self::Kernel(module, handle) = self {
            module.dispose(*handle);
        }
    }
}

/// A row that is ready.
struct Row {
    way: Way,
    point: u32,
    runner: Runner,
    once: f64,
    runs: u32,
}

/// The rows of a job, in groups that are measured in turn.
fn groups(setup: &Setup, cores: u32) -> Vec<Vec<Candidate>> {
    let candidate = |way, point: usize, setup: &Setup, orders| Candidate {
        way,
        point: u32::try_from(point).unwrap_or(0),
        setup: setup.clone(),
        orders,
    };
    match setup.view {
        View::Ways => {
            let mut ways = vec![Way::Reference, Way::Scalar, Way::Strict, Way::Fast];
            if setup.op.kind == Kind::Dot {
                ways.extend(crews(cores).into_iter().map(Way::Workers));
            }
            vec![ways.into_iter().map(|way| candidate(way, 0, setup, None)).collect()]
        }
        View::Sizes => {
            let ways = [Way::Scalar, Way::Strict, Way::Fast];
            let sweep = setup.sweep().into_iter().enumerate();
            sweep.map(|(i, (_, at))| ways.iter().map(|way| candidate(*way, i, &at, None)).collect()).collect()
        }
        View::Layouts => {
            let at_once = usize::try_from(TOGETHER / setup.bytes().max(1)).unwrap_or(usize::MAX).max(2);
            let orders = setup.orders();
            let numbered: Vec<_> = orders.into_iter().enumerate().collect();
            let group = |part: &[(usize, Vec<Vec<usize>>)]| {
                part.iter()
                    .map(|(i, orders)| candidate(Way::Strict, *i, setup, Some(orders.clone())))
                    .collect()
            };
            numbered.chunks(at_once).map(group).collect()
        }
    }
}

/// Whether the definition is too slow for it: what it does for an element differs from op to op.
fn is_too_long(setup: &Setup) -> bool {
    let steps = setup.steps();
    let each = match setup.op.kind {
        Kind::Sort => u64::from(steps.max(2).ilog2()),
        Kind::Softmax => 5,
        _ => 1,
    };
    steps.saturating_mul(each) > crate::state::speed::setup::REFERENCE
}

/// The module and the arguments of the reference.
fn reference(setup: &Setup, prepared: &Prepared) -> Option<Runner> {
    let module = parse(&hlo(setup, None)).into_module().ok()?;
    let entry = module.entry_computation()?;
    let mut arguments = Vec::new();
    for (id, values) in entry.parameters.iter().zip(prepared.values()) {
        let shape = entry.get(*id)?.shape.as_array()?.clone();
        let mut literal = ArrayLiteral::zeros(shape).ok()?;
        literal.as_mut_slice::<f32>()?.copy_from_slice(&values);
        arguments.push(Literal::Array(literal));
    }
    Some(Runner::Reference(Box::new(module), arguments))
}

/// Makes a candidate ready; answers who runs it, and the kernel's name.
async fn ready(candidate: &Candidate, modules: &Modules) -> Result<(Runner, String), LeftOut> {
    let setup = &candidate.setup;
    if candidate.way == Way::Reference && is_too_long(setup) {
        return Err(LeftOut::TooLong);
    }
    let prepared = task(setup, candidate.orders.as_deref()).ok_or(LeftOut::Failed)?;
    if candidate.way == Way::Reference {
        return reference(setup, &prepared).map(|runner| (runner, String::new())).ok_or(LeftOut::Failed);
    }
    let module = modules.of(candidate.way).map_err(|cause| LeftOut::Unavailable(cause.code()))?;
    if let (Way::Workers(count), [m, _, _]) = (candidate.way, setup.sizes.as_slice()) {
        if *m < u64::from(count) * LEAST_ROWS {
            return Err(LeftOut::NotSplit);
        }
        if modules.is_alone {
            return Err(LeftOut::NoWorkers);
        }
        let crew = Crew::of(count, setup, prepared.values()).await.ok_or(LeftOut::NoWorkers)?;
        return Ok((Runner::Crew(crew), "dot f32".to_owned()));
    }
    let cells = prepared.read.iter().copied().chain([prepared.written]);
    let handle = module.prepared(&prepared.task, cells).map_err(left_out)?;
    let runner = Runner::Kernel(module.clone(), handle);
    for (i, values) in prepared.values().iter().enumerate() {
        let memory = module.floats(handle, i, values.len()).ok_or(LeftOut::Failed)?;
        memory.set(&Float32Array::from(values.as_slice()), 0);
    }
    Ok((runner, module.name(handle).unwrap_or_default()))
}

/// What the machine can do, in the unit of the op.
fn limits(setup: &Setup, modules: &Modules, target: f64) {
    let fastest = |module: &Module, export: &str| {
        let (mut count, mut best) = (1.0, 0.0_f64);
        for _ in 0..40 {
            let start = now();
            let done = module.call(export, count)?;
            let ms = now() - start;
            if ms < target {
                // Not long enough for the clock yet.
                count = (count * (target * 1.2 / ms.max(target / 100.0))).ceil().min(4e9);
            } else {
                best = best.max(done / ms / 1e6);
            }
            if count >= 4e9 || (best > 0.0 && ms * 8.0 > 400.0) {
                break;
            }
        }
        (best > 0.0).then_some(best)
    };
    let tell = |limit, value: Option<f64>| {
        if let Some(value) = value {
            send(&Reply::Limit(limit, value));
        }
    };
    match setup.op.unit {
        Unit::Flops => {
            tell(Limit::MulAdd, modules.of(Way::Strict).ok().and_then(|module| fastest(&module, "peak")));
            if setup.view != View::Layouts {
                tell(Limit::Fused, modules.of(Way::Fast).ok().and_then(|module| fastest(&module, "peak")));
            }
        }
        Unit::Bytes => {
            let Ok(module) = modules.of(Way::Strict) else { return };
            #[allow(clippy::cast_precision_loss, reason = "far below 2^53")]
            let half = (setup.bytes() / 2).max(64) as f64;
            if module.call("copy_room", half).is_some_and(|room| room > 0.0) {
                tell(Limit::Copy, fastest(&module, "copy"));
            }
            module.call("copy_room", 0.0);
        }
    }
}

/// Measures a job and tells of it.
async fn measure(job: Job) {
    let setup = link::read(&job.setup).setup;
    if setup.problem().is_some() {
        send(&Reply::Refused);
        return;
    }
    let modules = Modules::load(setup.view, job.is_alone).await;
    let target = sample_ms(grain());
    let groups = groups(&setup, job.cores);
    let count = groups.iter().map(Vec::len).sum::<usize>();
    send(&Reply::Rows(u32::try_from(count).unwrap_or(0)));
    limits(&setup, &modules, target);
    let patience = match setup.view {
        View::Ways => PATIENCE,
        View::Sizes => PATIENCE_SIZE,
        View::Layouts => PATIENCE / f64::from(u32::try_from(groups.len().max(1)).unwrap_or(1)),
    };
    for group in groups {
        in_turn(group, &modules, target, patience).await;
    }
    send(&Reply::Done);
}

/// Measures a group: each row once to know it, then all of them in turn.
async fn in_turn(group: Vec<Candidate>, modules: &Modules, target: f64, patience: f64) {
    let mut rows: Vec<Row> = Vec::new();
    for candidate in group {
        let (way, point) = (candidate.way, candidate.point);
        let by = ready(&candidate, modules).await;
        let told = by.as_ref().map(|(_, kernel)| kernel.clone()).map_err(Clone::clone);
        // Where there is no memory for the operands the instance goes on; a row that crashed in it ended it.
        if matches!(&told, Err(LeftOut::Unavailable(code)) if code.starts_with("trapped")) {
            modules.renew(way);
        }
        send(&Reply::Row { way, point, by: told });
        let Ok((mut runner, _)) = by else { continue };
        // The first run makes the browser compile and the caches warm.
        let first = match runner.sample(1).await {
            Ok(first) => first,
            Err(why) => {
                if matches!(why, LeftOut::Unavailable(_)) {
                    modules.renew(way);
                }
                send(&Reply::Row { way, point, by: Err(why) });
                continue;
            }
        };
        let (mut runs, mut once) = (1, first);
        while once <= patience / 4.0 {
            let Ok(ms) = runner.sample(runs).await else { break };
            once = ms;
            let Some(more) = more_runs(runs, ms * f64::from(runs), target) else { break };
            runs = more;
        }
        // Long enough to count: a bar is there before all rows are ready.
        if once > 0.0 {
            send(&Reply::Sample { way, point, ms: once });
        }
        rows.push(Row { way, point, runner, once, runs });
    }
    // What takes long is measured once more, the rest as often as there is time.
    let (slow, quick): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.once > patience / 4.0);
    let round: f64 = quick.iter().map(|row| row.once * f64::from(row.runs)).sum();
    let mut all = quick;
    let (count, start) = (rounds(round, patience), now());
    for _ in 0..count {
        for row in &mut all {
            told(row).await;
        }
        if now() - start > 2.0 * patience {
            break;
        }
    }
    for mut row in slow {
        told(&mut row).await;
    }
}

/// Takes a sample of a row and tells it.
async fn told(row: &mut Row) {
    if let Ok(ms) = row.runner.sample(row.runs).await {
        send(&Reply::Sample { way: row.way, point: row.point, ms });
    }
}
