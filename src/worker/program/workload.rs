//! An estimate of how much a program computes, before it runs.

use crate::hlo::Module;
use crate::inspect::performance::bytes::Sizes;
use crate::inspect::performance::cost::{Cost, Costs, Iterations};
use crate::inspect::performance::roles::ComputationRoles;
use crate::ops::ComputationId;

/// FLOPs that a transcendental function counts as: roughly what its polynomial takes.
const FLOPS_PER_TRANSCENDENTAL: u64 = 16;

/// Bytes of memory traffic that count as an operation: a vector.
const BYTES_PER_OPERATION: u64 = 16;

/// Operations that an executed instruction counts as at least: its dispatch takes about as long.
const OPERATIONS_PER_INSTRUCTION: u64 = 64;

/// The FLOPs of a cost, with those of transcendental functions.
pub(super) fn flops(cost: Cost) -> u64 {
    cost.flops.saturating_add(cost.transcendentals.saturating_mul(FLOPS_PER_TRANSCENDENTAL))
}

/// The operations of a run on one device: arithmetic, memory traffic, and the dispatch of instructions. A loop whose trip count is
/// unknown counts as one iteration.
pub(super) fn operations(module: &Module) -> u64 {
    let (sizes, roles) = (Sizes::of(module), ComputationRoles::of(module));
    let total = Costs::with_sizes(module, &sizes, Iterations::Known).total();
    let computations = (0..).map(ComputationId).zip(&module.computations);
    let executed = computations
        .filter(|(id, _)| roles.role(*id).materializes_values())
        .map(|(id, computation)| roles.executions(id).saturating_mul(computation.instructions.len() as u64))
        .fold(0, u64::saturating_add);
    flops(total)
        .saturating_add(total.bytes() / BYTES_PER_OPERATION)
        .saturating_add(executed.saturating_mul(OPERATIONS_PER_INSTRUCTION))
}

#[cfg(test)]
mod tests {
    use super::super::queries::Program;
    use crate::i18n::Language;

    fn starts_unasked(text: &str, devices: u32) -> bool {
        let (_, opened) = Program::open(text.to_owned(), Language::ENGLISH);
        assert_eq!(opened.error_count, 0, "{:?}", opened.problems);
        opened.starts_unasked(devices)
    }

    #[test]
    fn a_long_run_does_not_start_unasked() {
        let product = |size: u32| {
            format!(
                "HloModule m ENTRY e {{ x = f32[{size},{size}] parameter(0)
                ROOT y = f32[{size},{size}] dot(x, x), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}} }}"
            )
        };
        // 2 · 256³ and 2 · 1024³ FLOPs, of few elements.
        assert!(starts_unasked(&product(256), 1));
        assert!(!starts_unasked(&product(1024), 1));
        // On each device.
        assert!(!starts_unasked(&product(256), 8));
        let counter = |limit: u32| {
            format!(
                "HloModule m
                body {{ i = s32[] parameter(0) o = s32[] constant(1) ROOT n = s32[] add(i, o) }}
                cond {{ i = s32[] parameter(0) l = s32[] constant({limit}) ROOT c = pred[] compare(i, l), direction=LT }}
                ENTRY e {{ z = s32[] constant(0) ROOT w = s32[] while(z), condition=cond, body=body }}"
            )
        };
        assert!(starts_unasked(&counter(10_000), 1));
        assert!(!starts_unasked(&counter(20_000_000), 1));
    }

    #[test]
    fn the_samples_of_the_site_start_unasked() {
        for text in [
            include_str!("../../../static/programs/softmax.hlo"),
            include_str!("../../../static/programs/attention.hlo"),
            include_str!("../../../static/programs/scan.hlo"),
            include_str!("../../../static/programs/convnet-gradient.hlo"),
            include_str!("../../../static/programs/tpu.hlo"),
        ] {
            assert!(starts_unasked(text, 1));
        }
        assert!(!starts_unasked("HloModule m ENTRY e { ROOT x = f32[2097152] parameter(0) }", 1));
    }
}
