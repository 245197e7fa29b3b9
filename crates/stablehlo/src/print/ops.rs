//! Prints each HLO instruction as a `StableHLO` op.

use super::attributes::{array, fields, flag, int, ints, matrix, precision, window, word};
use super::{Printer, Scope, Value, types};
use xla_array::Shape;
use xla_hlo::module::Instruction;
use xla_ops::{AttrValue, ComputationId};

/// Opcodes of instructions that become the `StableHLO` op of the same name with the same operands and no attributes.
const ATTRIBUTE_FREE_OPCODES: [&str; 50] = [
    "abs",
    "add",
    "and",
    "atan2",
    "bitcast-convert",
    "cbrt",
    "ceil",
    "clamp",
    "complex",
    "convert",
    "cosine",
    "count-leading-zeros",
    "divide",
    "dynamic-update-slice",
    "exponential",
    "exponential-minus-one",
    "floor",
    "imag",
    "is-finite",
    "log",
    "log-plus-one",
    "logistic",
    "maximum",
    "minimum",
    "multiply",
    "negate",
    "not",
    "or",
    "partition-id",
    "popcnt",
    "power",
    "real",
    "remainder",
    "replica-id",
    "reshape",
    "round-nearest-afz",
    "round-nearest-even",
    "rsqrt",
    "select",
    "shift-left",
    "shift-right-arithmetic",
    "shift-right-logical",
    "sign",
    "sine",
    "sqrt",
    "subtract",
    "tan",
    "tanh",
    "xor",
    "after-all",
];
/// Opcodes that become such an op of chlo.
const ATTRIBUTE_FREE_CHLO_OPCODES: [&str; 9] =
    ["erf", "acos", "acosh", "asin", "asinh", "atanh", "cosh", "sinh", "mulhi"];

fn computation(instruction: &Instruction, name: &str) -> Option<ComputationId> {
    match instruction.attrs.get(name)? {
        AttrValue::Computation(id) => Some(*id),
        _ => None,
    }
}

impl Printer<'_> {
    /// Prints an instruction, and returns its value.
    pub(super) fn instruction(&mut self, scope: &mut Scope, instruction: &Instruction) -> Option<Value> {
        let mut values = Vec::new();
        for id in &instruction.operands {
            values.push(Self::value(scope, *id)?);
        }
        let printed = self.print_supported(scope, instruction, &values);
        if printed.is_none() && self.errors.is_empty() {
            return self.reject(instruction.spans.opcode, &instruction.opcode);
        }
        printed
    }

    /// Prints an instruction that `StableHLO` has an op for; `None` for others.
    fn print_supported(
        &mut self,
        scope: &mut Scope,
        instruction: &Instruction,
        values: &[Value],
    ) -> Option<Value> {
        let operands: Vec<(String, Shape)> = values.iter().flat_map(Value::leaves).collect();
        let opcode = instruction.opcode.as_str();
        let name = match opcode {
            "tuple" => return Some(Value::Tuple(values.to_vec())),
            "get-tuple-element" => match values.first()? {
                Value::Tuple(items) => {
                    return items.get(usize::try_from(int(instruction, "index")?).ok()?).cloned();
                }
                Value::Single(..) => return None,
            },
            // `StableHLO` has no layouts, but a later bitcast depends on that of the copy.
            "copy" | "add-dependency" => {
                return values.first().map(|value| value.with_shape(&instruction.shape));
            }
            "call" | "fusion" => return self.call(scope, instruction, &operands),
            "while" => return self.while_loop(scope, instruction, values.first()?),
            "conditional" => return self.conditional(scope, instruction, values),
            "bitcast" => return self.bitcast(scope, instruction, values.first()?),
            "broadcast" => "stablehlo.broadcast_in_dim".to_owned(),
            "dot" => "stablehlo.dot_general".to_owned(),
            "opt-barrier" => "stablehlo.optimization_barrier".to_owned(),
            "topk" => "chlo.top_k".to_owned(),
            _ => {
                let dialect =
                    if ATTRIBUTE_FREE_CHLO_OPCODES.contains(&opcode) { "chlo" } else { "stablehlo" };
                format!("{dialect}.{}", opcode.replace('-', "_"))
            }
        };
        let has_no_attributes =
            ATTRIBUTE_FREE_OPCODES.contains(&opcode) || ATTRIBUTE_FREE_CHLO_OPCODES.contains(&opcode);
        let attributes = if has_no_attributes || opcode == "opt-barrier" {
            String::new()
        } else {
            data_movement_attributes(instruction, opcode, &operands)
                .or_else(|| arithmetic_attributes(instruction, opcode))
                .or_else(|| window_and_index_attributes(instruction, opcode))
                .or_else(|| collective(instruction, opcode, &operands))?
        };
        let regions: &[&str] = match opcode {
            "select-and-scatter" => &["select", "scatter"],
            "sort" | "reduce" | "map" | "reduce-window" | "scatter" | "all-reduce" | "reduce-scatter" => {
                &["to_apply"]
            }
            _ => &[],
        };
        let mut texts = Vec::new();
        for region in regions {
            texts.push(self.region(scope, computation(instruction, region)?)?);
        }
        self.op(scope, instruction, &name, &operands, &attributes, &texts)
    }

    fn call(
        &mut self,
        scope: &mut Scope,
        instruction: &Instruction,
        operands: &[(String, Shape)],
    ) -> Option<Value> {
        let called = computation(instruction, "to_apply").or_else(|| computation(instruction, "calls"))?;
        let name = self.function(called, false)?;
        self.op(
            scope,
            instruction,
            "func.call",
            operands,
            &format!("callee = @{}", types::string(&name)),
            &[],
        )
    }

    fn while_loop(&mut self, scope: &mut Scope, instruction: &Instruction, state: &Value) -> Option<Value> {
        let regions = ["condition", "body"]
            .into_iter()
            .map(|name| self.region(scope, computation(instruction, name)?))
            .collect::<Option<Vec<_>>>()?;
        self.op(scope, instruction, "stablehlo.while", &state.leaves(), "", &regions)
    }

    fn conditional(
        &mut self,
        scope: &mut Scope,
        instruction: &Instruction,
        values: &[Value],
    ) -> Option<Value> {
        let (selector, operands) = values.split_first()?;
        let (name, branches) = match instruction.attrs.get("branch_computations") {
            Some(AttrValue::Computations(branches)) => ("stablehlo.case", branches.clone()),
            _ => (
                "stablehlo.if",
                vec![
                    computation(instruction, "true_computation")?,
                    computation(instruction, "false_computation")?,
                ],
            ),
        };
        let regions = branches
            .iter()
            .zip(operands)
            .map(|(branch, operand)| self.branch(scope, *branch, operand))
            .collect::<Option<Vec<_>>>()?;
        self.op(scope, instruction, name, &selector.leaves(), "", &regions)
    }
}

fn convolution(instruction: &Instruction) -> Option<String> {
    let Some(AttrValue::DimLabels(labels)) = instruction.attrs.get("dim_labels") else { return None };
    let [lhs, rhs, out] = labels
        .0
        .each_ref()
        .map(|labels| format!("[{}]", labels.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")));
    let mut all = window(instruction, ["window_strides", "lhs_dilation", "rhs_dilation"]);
    if let Some(AttrValue::Window(dims)) = instruction.attrs.get("window")
        && dims.iter().any(|dim| dim.reversal)
    {
        let reversals: Vec<String> = dims.iter().map(|dim| dim.reversal.to_string()).collect();
        all.push(format!("window_reversal = array<i1: {}>", reversals.join(", ")));
    }
    for name in ["feature_group_count", "batch_group_count"] {
        all.push(format!("{name} = {} : i64", int(instruction, name).unwrap_or(1)));
    }
    all.push(format!("dimension_numbers = #stablehlo.conv<{lhs}x{rhs}->{out}>"));
    Some(format!("{}{}", all.join(", "), precision(instruction)))
}

fn collective(instruction: &Instruction, opcode: &str, operands: &[(String, Shape)]) -> Option<String> {
    let mut all = Vec::new();
    let groups = if opcode == "collective-permute" { "source_target_pairs" } else { "replica_groups" };
    all.push(matrix(instruction, groups)?);
    if let Some(channel) = int(instruction, "channel_id") {
        all.push(format!("channel_handle = #stablehlo.channel_handle<handle = {channel}, type = 1>"));
    }
    if flag(instruction, "use_global_device_ids") {
        all.push("use_global_device_ids".to_owned());
    }
    let dimension = int(instruction, "dimensions");
    match opcode {
        "all-gather" => all.push(format!("all_gather_dim = {} : i64", dimension?)),
        "reduce-scatter" => all.push(format!("scatter_dimension = {} : i64", dimension?)),
        "all-to-all" => {
            // Without a dimension it exchanges the elements of a tuple.
            let (dimension, [_]) = (dimension?, operands) else { return None };
            let count = match instruction.attrs.get("replica_groups") {
                Some(AttrValue::IntLists(groups)) => groups.first()?.len(),
                _ => return None,
            };
            all.push(format!(
                "split_dimension = {dimension} : i64, concat_dimension = {dimension} : i64, split_count = {count} : i64"
            ));
        }
        _ => {}
    }
    Some(all.join(", "))
}

/// The attributes of constants, and of ops that move elements.
fn data_movement_attributes(
    instruction: &Instruction,
    opcode: &str,
    operands: &[(String, Shape)],
) -> Option<String> {
    Some(match opcode {
        "constant" => {
            let Some(AttrValue::Literal(literal)) = instruction.attrs.iter().map(|(_, value)| value).next()
            else {
                return None;
            };
            format!("value = {}", types::dense(literal.as_array()?)?)
        }
        "iota" => format!("iota_dimension = {} : i64", int(instruction, "iota_dimension")?),
        "broadcast" => format!("broadcast_dimensions = {}", array(ints(instruction, "dimensions"))),
        "transpose" => format!("permutation = {}", array(ints(instruction, "dimensions"))),
        "reverse" => format!("dimensions = {}", array(ints(instruction, "dimensions"))),
        "concatenate" | "get-dimension-size" => {
            format!("dimension = {} : i64", int(instruction, "dimensions")?)
        }
        "slice" => {
            let Some(AttrValue::Slice(dims)) = instruction.attrs.get("slice") else { return None };
            format!(
                "start_indices = {}, limit_indices = {}, strides = {}",
                array(dims.iter().map(|dim| dim.start)),
                array(dims.iter().map(|dim| dim.limit)),
                array(dims.iter().map(|dim| dim.stride))
            )
        }
        "pad" => {
            let Some(AttrValue::Padding(dims)) = instruction.attrs.get("padding") else { return None };
            format!(
                "edge_padding_low = {}, edge_padding_high = {}, interior_padding = {}",
                array(dims.iter().map(|dim| dim.low)),
                array(dims.iter().map(|dim| dim.high)),
                array(dims.iter().map(|dim| dim.interior))
            )
        }
        "dynamic-slice" => {
            // XLA 2017 passes all start indices as one array.
            let starts = operands.get(1..)?;
            let are_scalars =
                starts.iter().all(|(_, shape)| shape.as_array().is_some_and(|array| array.rank() == 0));
            are_scalars.then_some(())?;
            format!("slice_sizes = {}", array(ints(instruction, "dynamic_slice_sizes")))
        }
        "topk" => {
            let is_largest = flag(instruction, "largest") || instruction.attrs.get("largest").is_none();
            is_largest.then(|| int(instruction, "k")).flatten().map(|k| format!("k = {k} : i64"))?
        }
        "custom-call" => {
            let Some(AttrValue::String(target)) = instruction.attrs.get("custom_call_target") else {
                return None;
            };
            format!("call_target_name = {}", types::string(target))
        }
        _ => return None,
    })
}

/// The attributes of ops that compute elements.
fn arithmetic_attributes(instruction: &Instruction, opcode: &str) -> Option<String> {
    Some(match opcode {
        "compare" => {
            let direction = word(instruction, "direction")?;
            let kind = word(instruction, "type")
                .map(|kind| format!(", compare_type = #stablehlo<comparison_type {kind}>"));
            format!(
                "comparison_direction = #stablehlo<comparison_direction {direction}>{}",
                kind.unwrap_or_default()
            )
        }
        "reduce-precision" => format!(
            "exponent_bits = {} : i32, mantissa_bits = {} : i32",
            int(instruction, "exponent_bits")?,
            int(instruction, "mantissa_bits")?
        ),
        "fft" => format!(
            "fft_type = #stablehlo<fft_type {}>, fft_length = {}",
            word(instruction, "fft_type")?,
            array(ints(instruction, "fft_length"))
        ),
        "cholesky" => format!("lower = {}", flag(instruction, "lower")),
        "triangular-solve" => format!(
            "left_side = {}, lower = {}, unit_diagonal = {}, transpose_a = #stablehlo<transpose {}>",
            flag(instruction, "left_side"),
            flag(instruction, "lower"),
            flag(instruction, "unit_diagonal"),
            word(instruction, "transpose_a")?
        ),
        "rng-bit-generator" => {
            let algorithm = word(instruction, "algorithm")?.trim_start_matches("rng_").to_ascii_uppercase();
            format!("rng_algorithm = #stablehlo<rng_algorithm {algorithm}>")
        }
        "batch-norm-training" | "batch-norm-inference" | "batch-norm-grad" => {
            let Some(AttrValue::Float(epsilon)) = instruction.attrs.get("epsilon") else { return None };
            format!(
                "epsilon = {epsilon:e} : f32, feature_index = {} : i64",
                int(instruction, "feature_index")?
            )
        }
        _ => return None,
    })
}

/// The attributes of contractions, of reductions and of ops with windows or indices.
fn window_and_index_attributes(instruction: &Instruction, opcode: &str) -> Option<String> {
    Some(match opcode {
        "dot" => {
            let list = |name| format!("{:?}", ints(instruction, name));
            format!(
                "dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = {}, rhs_batching_dimensions = {}, lhs_contracting_dimensions = {}, rhs_contracting_dimensions = {}>{}",
                list("lhs_batch_dims"),
                list("rhs_batch_dims"),
                list("lhs_contracting_dims"),
                list("rhs_contracting_dims"),
                precision(instruction)
            )
        }
        "convolution" => convolution(instruction)?,
        "gather" => format!(
            "dimension_numbers = #stablehlo.gather<{}>, slice_sizes = {}, indices_are_sorted = {}",
            fields(
                instruction,
                &[
                    ("offset_dims", "offset_dims"),
                    ("collapsed_slice_dims", "collapsed_slice_dims"),
                    ("operand_batching_dims", "operand_batching_dims"),
                    ("start_indices_batching_dims", "start_indices_batching_dims"),
                    ("start_index_map", "start_index_map"),
                ]
            ),
            array(ints(instruction, "slice_sizes")),
            flag(instruction, "indices_are_sorted")
        ),
        "scatter" => format!(
            "scatter_dimension_numbers = #stablehlo.scatter<{}>, indices_are_sorted = {}, unique_indices = {}",
            fields(
                instruction,
                &[
                    ("update_window_dims", "update_window_dims"),
                    ("inserted_window_dims", "inserted_window_dims"),
                    ("input_batching_dims", "input_batching_dims"),
                    ("scatter_indices_batching_dims", "scatter_indices_batching_dims"),
                    ("scatter_dims_to_operand_dims", "scatter_dims_to_operand_dims"),
                ]
            ),
            flag(instruction, "indices_are_sorted"),
            flag(instruction, "unique_indices")
        ),
        "sort" => format!(
            "dimension = {} : i64, is_stable = {}",
            int(instruction, "dimensions")?,
            flag(instruction, "is_stable")
        ),
        "reduce" | "map" => format!("dimensions = {}", array(ints(instruction, "dimensions"))),
        "reduce-window" | "select-and-scatter" => {
            let names = if opcode == "reduce-window" {
                ["window_strides", "base_dilations", "window_dilations"]
            } else {
                ["window_strides", "", ""]
            };
            let mut all = window(instruction, names);
            let sizes = match instruction.attrs.get("window") {
                Some(AttrValue::Window(dims)) => dims.iter().map(|dim| dim.size).collect(),
                _ => Vec::new(),
            };
            all.insert(0, format!("window_dimensions = {}", array(sizes)));
            all.join(", ")
        }
        _ => return None,
    })
}
