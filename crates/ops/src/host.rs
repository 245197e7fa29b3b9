//! The host and other devices, as ops see them: queues, functions of the embedder, replicas.
//!
//! Invariant: an op reaches them only through [`Environment`] and [`super::Caller::ask`]; `hlo::eval::host` and
//! `hlo::eval::replicas` answer. Every answer is kept with the position of its request, so that a trace gets the same.

use super::data::Data;
use super::provenance::{CellAt, Source};
use xla_array::Shape;

/// The side effect of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// None: it runs only if its value is needed.
    None,
    /// It waits for other devices, which must all run it or none: it runs only if its value is needed.
    Meets,
    /// Something outside changes: it is always run.
    Outside,
    /// It takes the next item of a stream: it is always run, and its order counts.
    Feeds,
}

/// The needs of an instruction of host and other devices, which the page asks the user to supply.
#[derive(Clone, Debug, PartialEq)]
pub enum HostNeeds {
    /// Nothing.
    Nothing,
    /// The next item of the infeed, of this shape.
    Item(Box<Shape>),
    /// A place for what it puts out.
    Outfeed,
    /// A function of this name.
    Function(String),
    /// Other devices to talk to, or its number among them.
    Devices,
    /// A seed for random numbers.
    Seed,
}

/// The source of random numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Any number from the first up to, but not including, the second, each as likely.
    Uniform(f64, f64),
    /// Mean and standard deviation.
    Normal(f64, f64),
}

impl Distribution {
    /// The probability of a number below this one.
    pub fn below(self, x: f64) -> f64 {
        match self {
            Self::Uniform(a, b) => ((x - a) / (b - a)).clamp(0.0, 1.0),
            Self::Normal(mean, deviation) => {
                0.5 * (1.0 + libm::erf((x - mean) / (deviation * std::f64::consts::SQRT_2)))
            }
        }
    }

    /// Mean and standard deviation.
    pub fn moments(self) -> (f64, f64) {
        match self {
            Self::Uniform(a, b) => (f64::midpoint(a, b), (b - a) / 12.0_f64.sqrt()),
            Self::Normal(mean, deviation) => (mean, deviation),
        }
    }
}

/// An example that needs a host or other devices.
#[derive(Debug)]
pub struct Staged {
    /// A module.
    pub hlo: &'static str,
    /// Values of the parameters: a list of literals without shapes for each replica with its own values.
    pub values: &'static [&'static [&'static str]],
    /// The infeed queue: literals of the shapes that the infeeds read.
    pub infeed: &'static [&'static str],
    /// Functions by name, as JavaScript: the body of a function of `output` and `inputs`.
    pub functions: &'static [(&'static str, &'static str)],
    /// The number of replicas.
    pub replicas: usize,
    /// The result of each replica, literals after their shapes; empty if none is stated.
    pub results: &'static [&'static str],
}

/// The position of a device among all devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DevicePosition {
    /// The number of its replica.
    pub replica: usize,
    /// The number of its partition.
    pub partition: usize,
    /// The number of replicas.
    pub replicas: usize,
    /// The number of partitions per replica.
    pub partitions: usize,
}

impl DevicePosition {
    /// The only device.
    pub const ALONE: Self = Self { replica: 0, partition: 0, replicas: 1, partitions: 1 };

    /// Whether there is no other device.
    pub fn is_alone(self) -> bool {
        self.replicas.saturating_mul(self.partitions) == 1
    }

    /// Its number among all devices: replicas in order, partitions of each side by side.
    pub fn device(self) -> usize {
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
    /// The value of a function of the embedder.
    Custom {
        /// The name it is registered by.
        target: &'a str,
        /// Its arguments.
        operands: &'a [Data],
        /// The shape of its value.
        shape: &'a Shape,
    },
    /// The operands of every device that takes part, a tuple of tuples in the order of `members`.
    Rendezvous {
        /// Who takes part, by number of the device.
        members: &'a [usize],
        /// The operands of this device.
        operands: &'a [Data],
    },
    /// Puts an item into a channel.
    Send {
        /// The number of the channel.
        channel: i64,
        /// Whether it goes to the host rather than to a device.
        to_host: bool,
        /// The item.
        data: &'a Data,
    },
    /// Takes an item out of a channel.
    Receive {
        /// The number of the channel.
        channel: i64,
        /// Whether it comes from the host rather than from a device.
        from_host: bool,
        /// The shape of the item.
        shape: &'a Shape,
    },
}

/// Queries of host and devices that need not wait.
pub trait Environment {
    /// The position of this device.
    fn place(&self) -> DevicePosition;

    /// The names of the embedder's functions, in order.
    fn targets(&self) -> Vec<String>;

    /// The cells of the arguments that a cell of such a function's value came from; `None` if that was not said.
    fn custom_sources(&self, target: &str, operands: &[Data], cell: &CellAt) -> Option<Vec<Source>>;
}
