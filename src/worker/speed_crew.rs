//! Several workers that share a dot by its rows: each has an instance of the kernels of its own with the whole right
//! operand; rows and results go to and fro as buffers that are handed over, not copied.

use std::cell::RefCell;

use js_sys::{Array, Float32Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;

use super::kernels::Module;
use super::member::{self, Member, in_time, is_called};
use super::speed_messages::{Reply, RowsReply, RowsRequest, header, read};
use super::speed_service::send as send_page;
use super::speed_timing::shares;
use crate::hlo::eval::kernel::Build;
use crate::state::speed::Setup;
use crate::state::speed::task::task;

/// The name by which a measuring worker asks for one of this kind.
pub const NAME: &str = "measure-rows";

/// Milliseconds in which a worker starts, or makes a dot ready.
const PATIENCE: u32 = 10_000;

/// A worker with rows and result, while they are here.
struct Own {
    member: Member,
    buffers: RefCell<Option<(Float32Array, Float32Array)>>,
}

/// A message with arrays beside, and their buffers.
fn message(header: &str, beside: &[&Float32Array]) -> (Array, Array) {
    let (message, handed) = (Array::of1(&header.into()), Array::new());
    for array in beside {
        message.push(array);
        handed.push(&array.buffer());
    }
    (message, handed)
}

/// What a worker said.
fn heard(data: &JsValue) -> Option<(RowsReply, Array)> {
    let parts: Array = data.clone().dyn_into().ok()?;
    Some((read(&parts.get(0).as_string()?)?, parts))
}

/// Multiply-adds in a millisecond of one worker, at the very least.
const SLOWEST: u64 = 50_000;

/// The most milliseconds that a dot is waited for.
const LONGEST: u32 = 3_600_000;

/// Workers with a dot.
pub struct Crew {
    members: Vec<Own>,
    /// Milliseconds after which a worker that does its rows is given up.
    patience: u32,
}

impl Crew {
    /// So many workers with shares of the rows of a dot; `None` where they cannot be had.
    pub async fn of(count: u32, setup: &Setup, values: Vec<Vec<f32>>) -> Option<Self> {
        let [m, k, n] = *setup.sizes.as_slice() else { return None };
        let (m, k, n) = (u32::try_from(m).ok()?, u32::try_from(k).ok()?, u32::try_from(n).ok()?);
        let start = || Member::start(NAME);
        let start = || Some(Own { member: start()?, buffers: RefCell::default() });
        send_page(&Reply::Starts(true));
        let members = (0..count).map(|_| start()).collect::<Option<Vec<Own>>>();
        send_page(&Reply::Starts(false));
        let members = members?;
        for own in &members {
            in_time(own.member.greeting(), PATIENCE).await;
            own.member.is_ready().then_some(())?;
        }
        let (lhs, rhs) = (values.first()?, Float32Array::from(values.get(1)?.as_slice()));
        let mut first = 0;
        let mut ready = Vec::new();
        for (own, rows) in members.iter().zip(shares(m, count)) {
            // Each gets a copy of the right operand.
            let (message, _) = message(&header(RowsRequest::Prepare { sizes: [rows, k, n] }), &[&rhs]);
            ready.push(own.member.ask(&message, &Array::new())?);
            let (from, to) = (first as usize * k as usize, (first + rows) as usize * k as usize);
            let lhs = Float32Array::from(lhs.get(from..to)?);
            *own.buffers.borrow_mut() = Some((lhs, Float32Array::new_with_length(rows.checked_mul(n)?)));
            first += rows;
        }
        for answer in ready {
            let (reply, _) = heard(&in_time(answer, PATIENCE).await?)?;
            (reply == RowsReply::Prepared(true)).then_some(())?;
        }
        let longest = u32::try_from(setup.steps() / SLOWEST).unwrap_or(LONGEST).min(LONGEST);
        Some(Self { members, patience: PATIENCE.saturating_add(longest) })
    }

    /// Does the dot once: every worker its rows. Says whether all did.
    pub async fn once(&self) -> bool {
        self.all().await.is_some()
    }

    async fn all(&self) -> Option<()> {
        let mut answers = Vec::new();
        for own in &self.members {
            let (rows, out) = own.buffers.borrow_mut().take()?;
            let (message, handed) = message(&header(RowsRequest::Go), &[&rows, &out]);
            answers.push(own.member.ask(&message, &handed)?);
        }
        for (own, answer) in self.members.iter().zip(answers) {
            let (reply, parts) = heard(&in_time(answer, self.patience).await?)?;
            (reply == RowsReply::Went(true)).then_some(())?;
            *own.buffers.borrow_mut() = Some((parts.get(1).dyn_into().ok()?, parts.get(2).dyn_into().ok()?));
        }
        Some(())
    }
}

/// Whether this worker was started to do rows.
pub fn is_asked_for() -> bool {
    is_called(NAME)
}

thread_local! {
    /// The instance, the handle of its dot and the cells of its buffers.
    static DOT: RefCell<Option<(Module, u32, [usize; 3])>> = const { RefCell::new(None) };
}

/// Takes requests from now on.
pub fn serve() {
    member::serve(|parts: Array| {
        let request = parts.get(0).as_string().and_then(|text| read::<RowsRequest>(&text));
        match request {
            Some(RowsRequest::Prepare { sizes }) => spawn_local(async move {
                let is_ready = prepare(sizes, &parts).await.is_some();
                send(RowsReply::Prepared(is_ready), &[]);
            }),
            Some(RowsRequest::Go) => {
                let went = go(&parts);
                let beside = went.as_ref().map(|(rows, out)| vec![rows, out]).unwrap_or_default();
                send(RowsReply::Went(went.is_some()), &beside);
            }
            None => send(RowsReply::Went(false), &[]),
        }
    });
    member::say_hello();
}

async fn prepare(sizes: [u32; 3], parts: &Array) -> Option<()> {
    let module = Module::load(Build::Strict).await.ok()?;
    let setup = Setup { sizes: sizes.map(u64::from).to_vec(), ..Setup::default() };
    let prepared = task(&setup, None)?;
    let cells = [*prepared.read.first()?, *prepared.read.get(1)?, prepared.written];
    let handle = module.prepared(&prepared.task, cells.into_iter()).ok()?;
    let rhs: Float32Array = parts.get(1).dyn_into().ok()?;
    let memory = module.floats(handle, 1, cells[1])?;
    (memory.length() == rhs.length()).then(|| memory.set(&rhs, 0))?;
    DOT.set(Some((module, handle, cells)));
    Some(())
}

/// Does the rows beside a request, and answers rows and result.
fn go(parts: &Array) -> Option<(Float32Array, Float32Array)> {
    let (rows, out) =
        (parts.get(1).dyn_into::<Float32Array>().ok()?, parts.get(2).dyn_into::<Float32Array>().ok()?);
    DOT.with_borrow(|dot| {
        let (module, handle, [from, _, to]) = dot.as_ref()?;
        let memory = module.floats(*handle, 0, *from)?;
        (memory.length() == rows.length()).then(|| memory.set(&rows, 0))?;
        module.once(*handle).ok()?;
        let result = module.floats(*handle, 2, *to)?;
        (result.length() == out.length()).then(|| out.set(&result, 0))
    })?;
    Some((rows, out))
}

fn send(reply: RowsReply, beside: &[&Float32Array]) {
    let (message, handed) = message(&header(reply), beside);
    member::say(&message, &handed);
}
