//! The simulated devices that a program is for.

use super::wire::DeviceCounts;
use crate::hlo::{Instruction, Module, SimulatedDevices};
use crate::ops::HostSetup;

/// A number of devices as a message has it, at most the limit.
fn bounded(count: usize) -> u32 {
    // The limit fits.
    u32::try_from(count.min(SimulatedDevices::MAX_DEVICES)).unwrap_or(u32::MAX)
}

/// The devices that a module is for.
pub(super) fn device_counts(module: &Module) -> DeviceCounts {
    let mut instructions = module.computations.iter().flat_map(|computation| &computation.instructions);
    let needs_devices =
        |i: &Instruction| i.op.is_some_and(|op| op.host_setup(&i.attrs, &i.shape) == HostSetup::Devices);
    let (replicas, partitions) = (module.replicas(), module.partitions());
    // A larger number of devices is reduced to whole replicas.
    let whole = replicas.min((SimulatedDevices::MAX_DEVICES / partitions).max(1));
    DeviceCounts {
        declared: bounded(whole.saturating_mul(partitions)),
        partitions: bounded(partitions),
        is_distributed: instructions.any(needs_devices),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::parse;

    #[test]
    fn the_header_and_the_ops_decide() {
        let sum = "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }";
        for (header, body, expected) in [
            ("", "ROOT x = f32[2] parameter(0)", (1, 1, false)),
            (", replica_count=2, num_partitions=3", "ROOT x = f32[2] parameter(0)", (6, 3, false)),
            ("", "ROOT i = u32[] partition-id()", (1, 1, true)),
            ("", "ROOT i = u32[] replica-id()", (1, 1, true)),
            (
                "",
                "x = f32[2] parameter(0) ROOT r = f32[2] all-reduce(x), replica_groups={}, to_apply=add",
                (1, 1, true),
            ),
            (", replica_count=5000", "ROOT x = f32[2] parameter(0)", (1024, 1, false)),
            (", replica_count=5000, num_partitions=3", "ROOT x = f32[2] parameter(0)", (1023, 3, false)),
        ] {
            let text = format!("HloModule m{header}\n{sum}\nENTRY e {{ {body} }}");
            let found = device_counts(&parse(&text).into_module().unwrap());
            assert_eq!((found.declared, found.partitions, found.is_distributed), expected, "{text}");
        }
    }
}
