//! Which programs run as soon as they are read.

use super::queries::Opened;

/// Limits of a program that runs as soon as it is read: instructions and elements of all parameters, on all devices.
const MAX_UNASKED_INSTRUCTIONS: usize = 3_000;
const MAX_UNASKED_ELEMENTS: i64 = 1 << 20;

/// The estimated operations, on all devices, of a run that starts unasked: a second in the slowest case, the evaluator.
const MAX_UNASKED_OPERATIONS: u64 = 1 << 28;

impl Opened {
    /// Whether a run on this many devices has few instructions and parameters with few elements.
    pub fn is_small(&self, devices: u32) -> bool {
        let elements = self.parameters.iter().map(|p| p.elements).fold(0, i64::saturating_add);
        let instructions = self.instruction_count.saturating_mul(devices as usize);
        instructions <= MAX_UNASKED_INSTRUCTIONS
            && elements.saturating_mul(devices.into()) <= MAX_UNASKED_ELEMENTS
    }

    /// The estimated operations of a run on this many devices, if they are the reason why it does not start unasked.
    pub fn long_run(&self, devices: u32) -> Option<u64> {
        let operations = self.operations.saturating_mul(devices.into());
        (operations > MAX_UNASKED_OPERATIONS).then_some(operations)
    }

    /// Whether the program runs as soon as it is read, on this many devices.
    pub fn starts_unasked(&self, devices: u32) -> bool {
        self.is_small(devices) && self.long_run(devices).is_none()
    }
}
