//! Translates each op to one or a few instructions.

use super::dimension_numbers::window;
use super::fields::{braces, flag, list, one, word};
use super::{Body, Translator, Value, annotations, names};
use crate::ast::{Attr, Op, tuple_shape};
use xla_messages::diagnostic::Hint;
use xla_messages::i18n::Message;

/// Ops that HLO spells differently, beyond `-` for `_`.
const RENAMED: [(&str, &str); 3] =
    [("create-token", "after-all"), ("optimization-barrier", "opt-barrier"), ("top-k", "topk")];

/// Whether HLO has an op with this opcode, and it has no attributes.
pub(super) fn has_no_attributes(opcode: &str) -> bool {
    let has_none = |op: &dyn xla_ops::OpDef| op.meta().attrs.is_empty() && op.meta().inline_attr.is_none();
    xla_ops::find(opcode).is_some_and(has_none)
}

impl<'a, 's> Translator<'a, 's> {
    /// Translates an op for one device. `None` if it was rejected, which is reported.
    pub(super) fn op_on_one_device(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let (dialect, name) = op.name.split_once('.').unwrap_or(("", op.name));
        match (dialect, name) {
            ("func", "call") => match op.attr("callee") {
                Some(Attr::Symbol(callee)) => self.call(body, op, callee),
                _ => self.malformed(op, "callee"),
            },
            ("stablehlo" | "mhlo" | "chlo", _) => self.hlo_dialect_op(body, op, name),
            ("sdy", "sharding_constraint" | "reshard") => self.identity(body, op),
            _ => {
                let message = Message::stablehlo("stablehlo-unknown").with("op", op.name);
                self.reject(op, message, None)
            }
        }
    }

    /// Translates an op of a dialect of HLO. Ops that HLO lacks are rejected.
    pub(super) fn hlo_dialect_op(
        &mut self,
        body: &mut Body<'a, 's>,
        op: &'a Op<'s>,
        name: &'s str,
    ) -> Option<()> {
        match name {
            "constant" => self.constant(body, op),
            "constant_like" => self.constant_like(body, op),
            "while" => self.while_loop(body, op),
            "if" | "case" => self.conditional(body, op),
            "composite" => match op.attr("decomposition") {
                Some(Attr::Symbol(callee)) => self.call(body, op, callee),
                _ => self.malformed(op, "decomposition"),
            },
            "dot_general" => self.dot_general(body, op),
            "dot" => self.dot(body, op),
            "convolution" => self.convolution(body, op),
            "gather" => self.gather(body, op),
            "scatter" => self.scatter(body, op),
            "broadcast_in_dim" => self.broadcast_in_dim(body, op),
            "broadcast" => self.broadcast(body, op),
            "reduce" => self.reduce(body, op),
            "optimization_barrier" => self.barrier(body, op),
            "custom_call" => self.custom_call(body, op),
            "all_gather"
            | "all_reduce"
            | "all_to_all"
            | "reduce_scatter"
            | "collective_broadcast"
            | "collective_permute"
            | "cross-replica-sum" => self.collective(body, op, name),
            "batch_norm_training" | "batch_norm_inference" | "batch_norm_grad" => {
                self.batch_norm(body, op, &opcode(name))
            }
            "infeed" => self.infeed(body, op),
            "outfeed" => self.outfeed(body, op),
            "send" | "recv" => self.transfer(body, op, name),
            "ragged_dot" => self.ragged_dot(body, op),
            "einsum" => self.einsum(body, op),
            "square" | "atan" | "conj" | "is_inf" | "is_pos_inf" | "is_neg_inf" => {
                self.short_function(body, op, name)
            }
            "lgamma" | "digamma" | "polygamma" | "zeta" | "erfc" | "erf_inv" | "bessel_i1e"
            | "next_after" => self.special(body, op, name),
            "dynamic_broadcast_in_dim"
            | "dynamic_conv"
            | "dynamic_gather"
            | "dynamic_iota"
            | "dynamic_pad"
            | "real_dynamic_slice"
            | "dynamic_reshape" => self.dynamic(body, op, name),
            "uniform_quantize" | "uniform_dequantize" => {
                self.reject(op, Message::stablehlo("stablehlo-quantized"), Some("stablehlo-hint-quantized"))
            }
            "dynamic_slice" if op.types.first().is_some_and(|ty| ty.sizes().is_empty()) => {
                // A slice of a scalar, which has no start indices.
                let operands = self.operands(body, op)?.into_iter().take(1).collect();
                self.alias(body, op, operands)
            }
            _ if op.name.starts_with("chlo.broadcast_") && name.starts_with("broadcast_") => {
                self.broadcasting_op(body, op, name.trim_start_matches("broadcast_"))
            }
            _ => match self.attributes(op, name, body) {
                Some(Some(attributes)) => self.simple(body, op, name, &attributes),
                Some(None) => None,
                None => self.reject_unknown(op, name),
            },
        }
    }

    /// Rejects an op that HLO lacks, and suggests the name that was probably meant; returns `None`.
    fn reject_unknown(&mut self, op: &Op<'s>, name: &str) -> Option<()> {
        let message = Message::stablehlo("stablehlo-unsupported").with("op", op.name);
        let rejected = self.reject(op, message, None);
        // In the generic form the name is quoted.
        let quote = if op.span.end - op.span.start > op.name.len() { "\"" } else { "" };
        let opcode = xla_hlo::nearest_opcode(name).filter(|opcode| opcode.replace('-', "_") != name);
        if let (Some(opcode), Some(error)) = (opcode, self.diagnostics.last_mut()) {
            let text = format!("{quote}stablehlo.{}{quote}", opcode.replace('-', "_"));
            let message = Message::stablehlo("stablehlo-hint-write").with("text", text.as_str());
            error.hints.push(Hint::replace(message, op.span, text));
        }
        rejected
    }

    /// Emits one instruction of the same name, with these attributes.
    fn simple(
        &mut self,
        body: &mut Body<'a, 's>,
        op: &'a Op<'s>,
        name: &str,
        attributes: &str,
    ) -> Option<()> {
        let mut operands = self.operands(body, op)?;
        if name == "rng" {
            // The last operand is the shape, which the result has.
            operands.truncate(2);
        }
        if name == "pad" && operands.first().is_some_and(|value| value.ty.sizes().is_empty()) {
            operands.truncate(1);
            return self.alias(body, op, operands);
        }
        let opcode = opcode(name);
        self.emit_tuple(body, op, &format!("{opcode}({}){attributes}", names(&operands)))
    }

    /// The HLO attributes of an op, each after a comma. `None` if HLO has no such op; `Some(None)` if an attribute is malformed,
    /// which is reported.
    #[allow(clippy::option_option, reason = "an op that is unknown is not one that is malformed")]
    fn attributes(&mut self, op: &'a Op<'s>, name: &str, body: &Body<'a, 's>) -> Option<Option<String>> {
        let numbers =
            |attribute: &str, hlo: &str| list(op, attribute).map(|n| format!(", {hlo}={}", braces(&n)));
        let number = |attribute: &str, hlo: &str| one(op, attribute).map(|n| format!(", {hlo}={n}"));
        let dimension = |attribute: &str| one(op, attribute).map(|n| format!(", dimensions={{{n}}}"));
        let text = match name {
            "iota" => number("iota_dimension", "iota_dimension"),
            "compare" => word(op, "comparison_direction").map(|direction| {
                let total = word(op, "compare_type") == Some("TOTALORDER");
                format!(", direction={direction}{}", if total { ", type=TOTALORDER" } else { "" })
            }),
            "transpose" => numbers("permutation", "dimensions"),
            "reverse" => numbers("dimensions", "dimensions"),
            "concatenate" | "get_dimension_size" | "set_dimension_size" => dimension("dimension"),
            "slice" => slice(op),
            "dynamic_slice" => numbers("slice_sizes", "dynamic_slice_sizes"),
            "pad" => padding(op),
            "get_tuple_element" => number("index", "index"),
            "reduce_precision" => number("exponent_bits", "exponent_bits")
                .zip(number("mantissa_bits", "mantissa_bits"))
                .map(|(exponent, mantissa)| exponent + &mantissa),
            "fft" => word(op, "fft_type")
                .zip(numbers("fft_length", "fft_length"))
                .map(|(kind, length)| format!(", fft_type={kind}{length}")),
            "cholesky" => Some(format!(", lower={}", flag(op, "lower"))),
            "triangular_solve" => word(op, "transpose_a").map(|transpose| {
                let flags = ["left_side", "lower", "unit_diagonal"];
                let flags: String = flags.iter().map(|name| format!(", {name}={}", flag(op, name))).collect();
                format!("{flags}, transpose_a={transpose}")
            }),
            "rng" => word(op, "rng_distribution")
                .map(|kind| format!(", distribution=rng_{}", kind.to_ascii_lowercase())),
            "rng_bit_generator" => {
                word(op, "rng_algorithm").map(|kind| format!(", algorithm=rng_{}", kind.to_ascii_lowercase()))
            }
            "top_k" | "topk" => {
                let largest = op.attr("largest").is_none() || flag(op, "largest");
                number("k", "k").map(|k| format!("{k}, largest={largest}"))
            }
            "sort" => {
                let Some(comparator) = self.only_body(body, op) else { return Some(None) };
                let stable = if flag(op, "is_stable") { ", is_stable=true" } else { "" };
                dimension("dimension").map(|dims| format!("{dims}{stable}, to_apply={comparator}"))
            }
            "map" => {
                let Some(mapped) = self.only_body(body, op) else { return Some(None) };
                numbers("dimensions", "dimensions").map(|dims| format!("{dims}, to_apply={mapped}"))
            }
            "reduce_window" => {
                let Some(reducer) = self.only_body(body, op) else { return Some(None) };
                let sizes = list(op, "window_dimensions");
                sizes
                    .and_then(|sizes| {
                        window(op, &sizes, ["window_strides", "base_dilations", "window_dilations"])
                    })
                    .map(|window| format!("{window}, to_apply={reducer}"))
            }
            "select_and_scatter" => {
                if op.regions.len() != 2 {
                    return Some(self.malformed(op, "regions"));
                }
                let [select, scatter] = &self.bodies(body, op).unwrap_or_default()[..] else {
                    return Some(None);
                };
                let sizes = list(op, "window_dimensions");
                sizes
                    .and_then(|sizes| window(op, &sizes, ["window_strides", "", ""]))
                    .map(|window| format!("{window}, select={select}, scatter={scatter}"))
            }
            "reshape" => Some(String::new()),
            _ if has_no_attributes(&opcode(name)) => Some(String::new()),
            _ => return None,
        };
        Some(text.or_else(|| self.malformed(op, "attributes")))
    }

    /// Binds the results to the operands' values: no instruction is needed.
    fn alias(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>, values: Vec<Value<'a, 's>>) -> Option<()> {
        self.bind(body, op, values)
    }

    /// An op that returns its operand; a sharding is kept on a copy.
    pub(super) fn identity(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        if operands.iter().map(|value| &value.ty).ne(&op.types) {
            let message = Message::stablehlo("stablehlo-unsupported").with("op", op.name);
            return self.reject(op, message, None);
        }
        if let ([only], false) = (&operands[..], annotations(op).is_empty()) {
            return self.emit(body, op, &format!("copy({})", only.name));
        }
        self.alias(body, op, operands)
    }

    /// `reduce` with a region, or pretty-printed with the op it `applies`.
    fn reduce(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        let Some(dims) = list(op, "dimensions") else { return self.malformed(op, "dimensions") };
        let reducer = match (op.attr("applies"), operands.last()) {
            (Some(Attr::Word(applied)), Some(initial)) => {
                let opcode = opcode(applied.split_once('.').map_or(*applied, |(_, name)| name));
                if !has_no_attributes(&opcode) {
                    let message = Message::stablehlo("stablehlo-unknown").with("op", *applied);
                    return self.reject(op, message, None);
                }
                self.scalar_reducer(&opcode, &initial.ty.shape(), op)
            }
            _ => match &self.bodies(body, op)?[..] {
                [reducer] => reducer.clone(),
                _ => return self.malformed(op, "region"),
            },
        };
        let text = format!("reduce({}), dimensions={}, to_apply={reducer}", names(&operands), braces(&dims));
        self.emit_tuple(body, op, &text)
    }

    fn barrier(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        let tuple = body.tuple(&operands, op.span);
        let types: Vec<_> = operands.iter().map(|value| value.ty.clone()).collect();
        let name = self.instruction(body, op, &tuple_shape(&types), &format!("opt-barrier({tuple})"));
        let values = body.elements(&name, &types, op.span);
        self.bind(body, op, values)
    }
}

/// The opcode of an op's name.
pub(super) fn opcode(name: &str) -> String {
    let dashed = name.replace('_', "-");
    let renamed = RENAMED.iter().find(|(from, _)| *from == dashed);
    renamed.map_or(dashed, |(_, to)| (*to).to_owned())
}

fn slice(op: &Op<'_>) -> Option<String> {
    let (start, limit) = (list(op, "start_indices")?, list(op, "limit_indices")?);
    let strides = list(op, "strides")?;
    let ranges: Vec<String> = start
        .iter()
        .zip(&limit)
        .zip(&strides)
        .map(|((start, limit), stride)| format!("[{start}:{limit}:{stride}]"))
        .collect();
    Some(format!(", slice={{{}}}", ranges.join(", ")))
}

fn padding(op: &Op<'_>) -> Option<String> {
    let low = list(op, "edge_padding_low")?;
    let high = list(op, "edge_padding_high")?;
    let interior = list(op, "interior_padding")?;
    let dims: Vec<String> = low
        .iter()
        .zip(&high)
        .zip(&interior)
        .map(|((low, high), interior)| format!("{low}_{high}_{interior}"))
        .collect();
    Some(format!(", padding={}", dims.join("x")))
}
