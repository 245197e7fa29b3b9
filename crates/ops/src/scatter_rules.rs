//! The rules of `scatter`, each with an instruction that violates it.

use super::Rule;

/// In the order of their labels. Rules 1–9 (dimension numbers) match those of gather; see `DimensionNumbers::check`.
pub(super) const RULES: &[Rule] = &[
    Rule {
        identifier: "scatter-1",
        description: "rule-indices-type",
        violated_by: "x = f32[4,3] parameter(0) i = f32[2] parameter(1) u = f32[2,3] parameter(2)
                    ROOT r = scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0},
                    scatter_dims_to_operand_dims={0}, index_vector_dim=1,
                    to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
    },
    Rule {
        identifier: "scatter-2",
        description: "rule-index-vector-dim",
        violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) u = f32[2,3] parameter(2)
                    ROOT r = scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0},
                    scatter_dims_to_operand_dims={0}, index_vector_dim=2,
                    to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
    },
    Rule {
        identifier: "scatter-3",
        description: "rule-window-dims-order",
        violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) u = f32[1,2,3] parameter(2)
                    ROOT r = scatter(x, i, u), update_window_dims={1,0}, inserted_window_dims={},
                    scatter_dims_to_operand_dims={0}, index_vector_dim=1,
                    to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
    },
    Rule {
        identifier: "scatter-4",
        description: "rule-window-dims-range",
        violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) u = f32[2,3] parameter(2)
                    ROOT r = scatter(x, i, u), update_window_dims={2}, inserted_window_dims={0},
                    scatter_dims_to_operand_dims={0}, index_vector_dim=1,
                    to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
    },
    Rule {
        identifier: "scatter-5",
        description: "rule-index-components",
        violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) u = f32[2,3] parameter(2)
                    ROOT r = scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0},
                    scatter_dims_to_operand_dims={0,1}, index_vector_dim=1,
                    to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
    },
    Rule {
        identifier: "scatter-6",
        description: "rule-index-map",
        violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) u = f32[2,3] parameter(2)
                    ROOT r = scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0},
                    scatter_dims_to_operand_dims={2}, index_vector_dim=1,
                    to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
    },
    Rule {
        identifier: "scatter-7",
        description: "rule-dropped-dims",
        violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) u = f32[2,3] parameter(2)
                    ROOT r = scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0,0},
                    scatter_dims_to_operand_dims={0}, index_vector_dim=1,
                    to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
    },
    Rule {
        identifier: "scatter-8",
        description: "rule-batching-dims",
        violated_by: "x = f32[4,3] parameter(0) i = s32[4] parameter(1) u = f32[4,3] parameter(2)
                    ROOT r = scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0},
                    scatter_dims_to_operand_dims={0}, input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=1,
                    to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
    },
    Rule {
        identifier: "scatter-9",
        description: "rule-batching-sizes",
        violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) u = f32[2] parameter(2)
                    ROOT r = scatter(x, i, u), update_window_dims={}, inserted_window_dims={1},
                    scatter_dims_to_operand_dims={1}, input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=1,
                    to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
    },
    Rule {
        identifier: "scatter-10",
        description: "rule-scatter-operands",
        violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) u = f32[2,3] parameter(2)
                    ROOT r = scatter(x, i, u, u), update_window_dims={1}, inserted_window_dims={0},
                    scatter_dims_to_operand_dims={0}, index_vector_dim=1,
                    to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
    },
    Rule {
        identifier: "scatter-11",
        description: "rule-same-sizes",
        violated_by: "x = f32[4,3] parameter(0) y = f32[4,2] parameter(1) i = s32[2] parameter(2) u = f32[2,3] parameter(3)
                    ROOT r = scatter(x, y, i, u, u), update_window_dims={1}, inserted_window_dims={0},
                    scatter_dims_to_operand_dims={0}, index_vector_dim=1,
                    to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2) d = f32[] parameter(3)
                    ROOT t = tuple(a, b) }",
    },
    Rule {
        identifier: "scatter-12",
        description: "rule-reducer-parameters",
        violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) u = f32[2,3] parameter(2)
                    ROOT r = scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0},
                    scatter_dims_to_operand_dims={0}, index_vector_dim=1,
                    to_apply={ a = f32[] parameter(0) ROOT c = negate(a) }",
    },
    Rule {
        identifier: "scatter-13",
        description: "rule-reducer-types",
        violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) u = s32[2,3] parameter(2)
                    ROOT r = scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0},
                    scatter_dims_to_operand_dims={0}, index_vector_dim=1,
                    to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
    },
    Rule {
        identifier: "scatter-14",
        description: "rule-updates-rank",
        violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) u = f32[2] parameter(2)
                    ROOT r = scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0},
                    scatter_dims_to_operand_dims={0}, index_vector_dim=1,
                    to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
    },
    Rule {
        identifier: "scatter-15",
        description: "rule-scatter-window",
        violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) u = f32[2,3] parameter(2)
                    ROOT r = scatter(x, i, u), update_window_dims={1}, inserted_window_dims={},
                    scatter_dims_to_operand_dims={0}, index_vector_dim=1,
                    to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
    },
    Rule {
        identifier: "scatter-16",
        description: "rule-slice-fits",
        violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) u = f32[2,4] parameter(2)
                    ROOT r = scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0},
                    scatter_dims_to_operand_dims={0}, index_vector_dim=1,
                    to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
    },
    Rule {
        identifier: "scatter-17",
        description: "rule-updates-batch",
        violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) u = f32[3,3] parameter(2)
                    ROOT r = scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0},
                    scatter_dims_to_operand_dims={0}, index_vector_dim=1,
                    to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
    },
];
