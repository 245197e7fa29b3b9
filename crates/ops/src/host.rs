//! The host and other devices, as ops see them: queues, functions of the embedder, replicas.
//!
//! Invariant: an op reaches them only through [`Environment`] and [`super::SuspendingRun::request`]; `hlo::eval::host`
//! and `hlo::eval::devices` respond. Every response is recorded with the position of its request, so that a trace gets
//! the same one.

use super::data::Data;
use super::provenance::{CellAt, Source};
use xla_array::Shape;

/// The side effect of an instruction, from weakest to strongest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// None: it runs only if its value is needed.
    None,
    /// It waits for other devices, all of which run it or none: it runs only if its value is needed.
    Rendezvous,
    /// It changes something outside the module: it always runs.
    External,
    /// It dequeues an item: it always runs, in program order.
    Ordered,
}

/// What the user must set up on the simulated host to run an instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum HostSetup {
    /// It runs without any setup.
    Nothing,
    /// The next item of the infeed, of this shape.
    InfeedItem(Box<Shape>),
    /// An outfeed queue.
    Outfeed,
    /// A function of this name.
    Function(String),
    /// Other devices, or the device's number among them.
    Devices,
    /// A seed for random numbers.
    Seed,
}

/// A distribution of random numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Uniform from the first number (inclusive) to the second (exclusive).
    Uniform(f64, f64),
    /// Normal, with this mean and standard deviation.
    Normal(f64, f64),
}

impl Distribution {
    /// The probability of a number below `x`: the cumulative distribution function.
    pub fn cdf(self, x: f64) -> f64 {
        match self {
            Self::Uniform(a, b) => ((x - a) / (b - a)).clamp(0.0, 1.0),
            Self::Normal(mean, deviation) => {
                0.5 * (1.0 + libm::erf((x - mean) / (deviation * std::f64::consts::SQRT_2)))
            }
        }
    }

    /// Mean and standard deviation.
    pub fn mean_and_deviation(self) -> (f64, f64) {
        match self {
            Self::Uniform(a, b) => (f64::midpoint(a, b), (b - a) / 12.0_f64.sqrt()),
            Self::Normal(mean, deviation) => (mean, deviation),
        }
    }
}

/// An example that needs a host or other devices.
#[derive(Debug)]
pub struct HostExample {
    /// The title: a message key.
    pub title: &'static str,
    /// The text of the module.
    pub hlo: &'static str,
    /// Values of the parameters: a list of literals without shapes for each replica with its own values. Another replica r has
    /// those of replica 0, with 10 r added to each number.
    pub values: &'static [&'static [&'static str]],
    /// The infeed queue: literals of the shapes that the infeeds read.
    pub infeed: &'static [&'static str],
    /// Custom-call targets by name, as JavaScript: the body of a function of `output` and `inputs`.
    pub functions: &'static [(&'static str, &'static str)],
    /// The number of replicas.
    pub replicas: usize,
    /// The result of each replica, literals after their shapes; empty if none is stated.
    pub results: &'static [&'static str],
}

/// The position of a device among all devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DevicePosition {
    /// The id of its replica.
    pub replica: usize,
    /// The id of its partition.
    pub partition: usize,
    /// The number of replicas.
    pub replicas: usize,
    /// The number of partitions per replica.
    pub partitions: usize,
}

impl DevicePosition {
    /// The only device.
    pub const SINGLE: Self = Self { replica: 0, partition: 0, replicas: 1, partitions: 1 };

    /// Whether there is no other device.
    pub fn is_single_device(self) -> bool {
        self.replicas.saturating_mul(self.partitions) == 1
    }

    /// Its number among all devices: `replica · partitions + partition`.
    pub fn number(self) -> usize {
        self.replica * self.partitions + self.partition
    }
}

/// A request to the host or to other devices.
#[derive(Clone, Copy, Debug)]
pub enum Request<'a> {
    /// The next item of the infeed, of this shape.
    Infeed(&'a Shape),
    /// Puts an item into the outfeed.
    Outfeed(&'a Data),
    /// A call of a custom-call target.
    Custom {
        /// The name it is registered by.
        target: &'a str,
        /// The values of the arguments.
        operands: &'a [Data],
        /// The shape of its value.
        shape: &'a Shape,
    },
    /// Waits until all members of a group have arrived; the response is a tuple with the operands of each, in the order
    /// of `members`.
    Rendezvous {
        /// The device numbers of the group.
        members: &'a [usize],
        /// The operands of this device.
        operands: &'a [Data],
    },
    /// Puts an item into a channel.
    Send {
        /// The number of the channel.
        channel: i64,
        /// Whether the receiver is the host, not a device.
        to_host: bool,
        /// The value to send.
        data: &'a Data,
    },
    /// Takes an item out of a channel.
    Receive {
        /// The number of the channel.
        channel: i64,
        /// Whether the sender is the host, not a device.
        from_host: bool,
        /// The shape of the item.
        shape: &'a Shape,
    },
}

/// Queries to host and devices that do not suspend the run.
pub trait Environment {
    /// The position of this device.
    fn device_position(&self) -> DevicePosition;

    /// The names of the registered custom-call targets, in order.
    fn custom_call_targets(&self) -> Vec<String>;

    /// The cells of the arguments that a cell of a custom call's result came from; `None` if the target does not
    /// provide them.
    fn custom_sources(&self, target: &str, operands: &[Data], cell: &CellAt) -> Option<Vec<Source>>;
}
