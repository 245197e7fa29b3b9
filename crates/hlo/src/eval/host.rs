//! The host of a run, provided by the embedder: queues for infeed, outfeed and host transfers, functions for custom
//! calls.
//!
//! Invariant: a [`Host`] is a handle whose clones share the queues, so that they can be filled while a run waits. It
//! stays on one thread.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::future::ready;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use super::{annotations, top_k};
use xla_array::{Literal, Shape};
use xla_ops::{CellAt, Data, Source};

#[derive(Debug, Default)]
struct QueueState {
    items: VecDeque<Literal>,
    wakers: Vec<Waker>,
}

/// A queue of values, shared by its clones.
#[derive(Clone, Debug, Default)]
pub struct Queue(Rc<RefCell<QueueState>>);

impl Queue {
    /// Adds a value at the end and wakes the runs that wait for it.
    pub fn push(&self, item: Literal) {
        let wakers = {
            let mut state = self.0.borrow_mut();
            state.items.push_back(item);
            std::mem::take(&mut state.wakers)
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Removes and returns the first value.
    pub fn pop(&self) -> Option<Literal> {
        self.0.borrow_mut().items.pop_front()
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.0.borrow().items.len()
    }

    /// Whether the queue has no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes and returns the first value; if there is none, wakes the task when one arrives.
    pub fn poll(&self, context: &mut Context) -> Poll<Literal> {
        let mut state = self.0.borrow_mut();
        if let Some(item) = state.items.pop_front() {
            return Poll::Ready(item);
        }
        if !state.wakers.iter().any(|waker| waker.will_wake(context.waker())) {
            state.wakers.push(context.waker().clone());
        }
        Poll::Pending
    }
}

/// The future result of a host function; an error is a message in English.
pub type CustomCallFuture = Pin<Box<dyn Future<Output = Result<Literal, String>>>>;

type CallFn = dyn Fn(Vec<Literal>, &Shape) -> CustomCallFuture;
type SourcesFn = dyn Fn(&[Shape], &CellAt) -> Vec<Source>;

#[derive(Clone)]
struct Function {
    call: Rc<CallFn>,
    sources: Option<Rc<SourcesFn>>,
}

/// Queues and functions of a run. The default host has the function `TopK`, to which XLA's CPU compiler lowers `topk`, and the
/// annotations of compiler passes, such as `Sharding`, which return their operand.
///
/// The `myfunc` example of XLA's operation semantics (`CustomCall`):
///
/// ```
/// use xla_array::{ArrayLiteral, Literal, Value};
/// use xla_hlo::{Evaluator, Host, parse};
///
/// let host = Host::default().custom_call("myfunc", |arguments, shape| {
///     let cell = |i: usize, index: &[i64]| match arguments[i].as_array().and_then(|array| array.get(index)) {
///         Some(Value::Float(x)) => x,
///         _ => f64::NAN,
///     };
///     let shape = shape.as_array().ok_or("the result must be an array")?.clone();
///     // z[i][j] = x[(i + 1) % 2] + y[(i + 1) % 2][j]
///     let value = |_: i64, index: &[i64]| {
///         let row = (index[0] + 1) % 2;
///         Value::Float(cell(0, &[row]) + cell(1, &[row, index[1]]))
///     };
///     Ok(ArrayLiteral::from_fn(shape, value).map_err(|e| e.rule)?.into())
/// });
/// let module = parse("HloModule m ENTRY e {
///     x = f32[2] constant({1, 2}) y = f32[2,3] constant({ {10, 20, 30}, {40, 50, 60} })
///     ROOT z = f32[3,3] custom-call(x, y), custom_call_target=\"myfunc\" }").into_module().unwrap();
/// let z = Evaluator::new(&module).host(&host).run(&[]).unwrap();
/// assert_eq!(z.as_array().and_then(|z| z.get(&[0, 0])), Some(Value::Float(42.0)));
/// ```
#[derive(Clone)]
pub struct Host {
    infeed: Queue,
    outfeed: Queue,
    /// The queues of host transfers to the device and from it, by channel number.
    channels: Rc<RefCell<BTreeMap<i64, [Queue; 2]>>>,
    functions: BTreeMap<String, Function>,
}

impl Default for Host {
    fn default() -> Self {
        let empty = Self {
            infeed: Queue::default(),
            outfeed: Queue::default(),
            channels: Rc::default(),
            functions: BTreeMap::new(),
        };
        let host = empty.custom_call("TopK", top_k::evaluate).custom_call_sources("TopK", top_k::sources);
        annotations::TARGETS.iter().fold(host, |host, target| {
            host.custom_call(target, annotations::evaluate).custom_call_sources(target, annotations::sources)
        })
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let functions: Vec<&String> = self.functions.keys().collect();
        f.debug_struct("Host")
            .field("infeed", &self.infeed)
            .field("functions", &functions)
            .finish_non_exhaustive()
    }
}

impl Host {
    /// Adds the function that `custom-call` instructions with this target call. It gets the operands in the layouts of
    /// their instructions, and the shape its result must have (layouts may differ). It must have no side effects.
    #[must_use]
    pub fn custom_call(
        self,
        target: &str,
        function: impl Fn(&[Literal], &Shape) -> Result<Literal, String> + 'static,
    ) -> Self {
        self.with_function(
            target,
            Rc::new(move |arguments, shape| Box::pin(ready(function(&arguments, shape)))),
        )
    }

    /// Like [`Host::custom_call`], for an asynchronous function.
    #[must_use]
    pub fn custom_call_async<F>(
        self,
        target: &str,
        function: impl Fn(Vec<Literal>, Shape) -> F + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Literal, String>> + 'static,
    {
        self.with_function(
            target,
            Rc::new(move |arguments, shape| Box::pin(function(arguments, shape.clone()))),
        )
    }

    fn with_function(mut self, target: &str, call: Rc<CallFn>) -> Self {
        self.functions.insert(target.to_owned(), Function { call, sources: None });
        self
    }

    /// Sets the function that returns the source cells of a result cell, given the operands' shapes. By default, all
    /// cells of all operands are sources.
    #[must_use]
    pub fn custom_call_sources(
        mut self,
        target: &str,
        sources: impl Fn(&[Shape], &CellAt) -> Vec<Source> + 'static,
    ) -> Self {
        if let Some(function) = self.functions.get_mut(target) {
            function.sources = Some(Rc::new(sources));
        }
        self
    }

    /// The queue that `infeed` instructions read.
    pub fn infeed(&self) -> &Queue {
        &self.infeed
    }

    /// The queue that `outfeed` instructions write.
    pub fn outfeed(&self) -> &Queue {
        &self.outfeed
    }

    /// The queue that `recv` instructions with `is_host_transfer` read on a channel.
    pub fn recv_queue(&self, channel: i64) -> Queue {
        self.channels.borrow_mut().entry(channel).or_default()[0].clone()
    }

    /// The queue that `send` instructions with `is_host_transfer` write on a channel.
    pub fn send_queue(&self, channel: i64) -> Queue {
        self.channels.borrow_mut().entry(channel).or_default()[1].clone()
    }

    /// The targets that have a function, sorted.
    pub fn targets(&self) -> Vec<String> {
        self.functions.keys().cloned().collect()
    }

    pub(super) fn call(
        &self,
        target: &str,
        arguments: Vec<Literal>,
        shape: &Shape,
    ) -> Option<CustomCallFuture> {
        Some((self.functions.get(target)?.call)(arguments, shape))
    }

    pub(super) fn sources(&self, target: &str, operands: &[Data], cell: &CellAt) -> Option<Vec<Source>> {
        let sources = self.functions.get(target)?.sources.as_ref()?;
        let shapes: Vec<Shape> = operands.iter().map(Data::shape).collect();
        Some(sources(&shapes, cell))
    }
}
