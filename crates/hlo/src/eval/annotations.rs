//! Custom calls that annotate a value for a pass of XLA's compiler, and return it unchanged: of its sharding, its layout or its
//! memory space.

use xla_array::{Literal, Shape};
use xla_ops::{CellAt, Role, Source};

/// The targets. Source: `xla/hlo/ir`, `xla/service/host_offload_utils.h`, Shardy's round-trip import, and JAX's lowering of
/// `with_sharding_constraint`, `with_layout_constraint` and `device_put`.
pub(super) const TARGETS: [&str; 6] = [
    "LayoutConstraint",
    "MoveToDevice",
    "MoveToHost",
    "Sharding",
    "annotate_device_placement",
    "xla.sdy.FuncResultSharding",
];

/// The operand.
pub(super) fn evaluate(arguments: &[Literal], _: &Shape) -> Result<Literal, String> {
    match arguments {
        [operand] => Ok(operand.clone()),
        _ => Err("an annotation has one operand".to_owned()),
    }
}

/// The same cell of the operand.
pub(super) fn sources(_: &[Shape], cell: &CellAt) -> Vec<Source> {
    vec![Source { operand: 0, cell: cell.clone(), role: Role::Value }]
}
