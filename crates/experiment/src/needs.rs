//! What a module needs of its host and of other devices, asked of its ops, whatever they are called.

use crate::state::Environment;
use xla_array::Shape;
use xla_hlo::{Host, Module};
use xla_ops::HostNeeds;

/// What a module needs of its host and of other devices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Needs {
    /// The shapes of the items it takes out of the infeed, in the order of the text.
    pub items: Vec<Shape>,
    /// Whether it writes to the outfeed.
    pub outfeed: bool,
    /// The functions it calls that are not known here, each once.
    pub functions: Vec<String>,
    /// Whether it exchanges data with other replicas.
    pub devices: bool,
    /// Whether it draws random numbers.
    pub seed: bool,
}

impl Needs {
    /// What the instructions of a module need.
    pub fn of(module: &Module) -> Self {
        let mut needs = Self::default();
        let known = Host::default().targets();
        for instruction in module.computations.iter().flat_map(|c| &c.instructions) {
            let Some(op) = instruction.op else { continue };
            match op.host_needs(&instruction.attrs, &instruction.shape) {
                HostNeeds::Nothing => {}
                HostNeeds::Item(shape) => needs.items.push(*shape),
                HostNeeds::Outfeed => needs.outfeed = true,
                HostNeeds::Function(name) => {
                    if !known.contains(&name) && !needs.functions.contains(&name) {
                        needs.functions.push(name);
                    }
                }
                HostNeeds::Devices => needs.devices = true,
                HostNeeds::Seed => needs.seed = true,
            }
        }
        needs
    }

    /// Whether it runs with a host and devices, so that their answers are recorded and every cell can be traced.
    pub fn need_host_or_devices(&self) -> bool {
        self.devices || !self.items.is_empty() || self.outfeed || !self.functions.is_empty()
    }

    /// Whether it could run on a lone device as well, without those answers.
    pub fn could_run_alone(&self, environment: &Environment) -> bool {
        environment.replicas <= 1 && self.items.is_empty() && !self.outfeed && self.functions.is_empty()
    }

    /// The shape that item `number` of the queue is read as: the infeeds take them in the order of the text, the last
    /// one all that are left.
    pub fn item(&self, number: usize) -> Option<&Shape> {
        self.items.get(number).or(self.items.last())
    }
}
