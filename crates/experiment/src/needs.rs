//! What a module requires of its host and of other devices, according to its ops.

use crate::state::Environment;
use xla_array::Shape;
use xla_hlo::{Host, Module};
use xla_ops::HostSetup;

/// What a module requires of its host and of other devices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Needs {
    /// The shapes of the infeed items it reads, in source order.
    pub items: Vec<Shape>,
    /// Whether it writes to the outfeed.
    pub outfeed: bool,
    /// The custom-call targets that are not built in, each once.
    pub functions: Vec<String>,
    /// Whether it exchanges data with other replicas.
    pub devices: bool,
    /// Whether it generates random numbers.
    pub seed: bool,
}

impl Needs {
    /// Collects the requirements of the instructions of a module.
    pub fn new(module: &Module) -> Self {
        let mut needs = Self::default();
        let built_in = Host::default().targets();
        for instruction in module.computations.iter().flat_map(|c| &c.instructions) {
            let Some(op) = instruction.op else { continue };
            match op.host_setup(&instruction.attrs, &instruction.shape) {
                HostSetup::Nothing => {}
                HostSetup::InfeedItem(shape) => needs.items.push(*shape),
                HostSetup::Outfeed => needs.outfeed = true,
                HostSetup::Function(name) => {
                    if !built_in.contains(&name) && !needs.functions.contains(&name) {
                        needs.functions.push(name);
                    }
                }
                HostSetup::Devices => needs.devices = true,
                HostSetup::Seed => needs.seed = true,
            }
        }
        needs
    }

    /// Whether it runs with a simulated host and simulated devices, which record their answers so that every cell can be traced.
    pub fn requires_simulation(&self) -> bool {
        self.devices || !self.items.is_empty() || self.outfeed || !self.functions.is_empty()
    }

    /// Whether it can also run on a single device without a host.
    pub fn can_run_on_single_device(&self, environment: &Environment) -> bool {
        environment.replicas <= 1 && self.items.is_empty() && !self.outfeed && self.functions.is_empty()
    }

    /// The shape of item `index` of the infeed queue. Infeeds read items in source order; the last infeed reads all
    /// further ones.
    pub fn item(&self, index: usize) -> Option<&Shape> {
        self.items.get(index).or(self.items.last())
    }
}
