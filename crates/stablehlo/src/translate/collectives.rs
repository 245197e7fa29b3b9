//! Collectives, batch normalization, and the ops of host and devices.

use super::fields::{braces, field, flag, list, one};
use super::{Body, Translator, Value, names};
use crate::ast::{Attr, Op, Type, tuple_shape};

/// The rows of an integer matrix, such as replica groups, without the -1 that pad short rows.
fn integer_rows(op: &Op<'_>, name: &str) -> Option<Vec<Vec<i64>>> {
    let width = match op.attr(name)? {
        Attr::Dense(_, ty) => match ty.sizes()[..] {
            [_, width] => usize::try_from(width).ok()?,
            _ => return None,
        },
        _ => return None,
    };
    let numbers = list(op, name)?;
    let rows = numbers.chunks(width.max(1));
    Some(rows.map(|row| row.iter().copied().filter(|number| *number >= 0).collect()).collect())
}

/// Formats rows as nested braces: `{{0,1},{2,3}}`.
fn nested_braces(rows: &[Vec<i64>]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| braces(row)).collect();
    format!("{{{}}}", rows.join(","))
}

/// The channel ID, if it has one; `StableHLO` writes 0 for none.
fn channel_id(op: &Op<'_>) -> Option<i64> {
    field(op, "channel_handle", "handle").first().copied().filter(|handle| *handle > 0)
}

/// The HLO attributes `channel_id` and `replica_groups` of a collective, each after a comma.
fn group_attributes(op: &Op<'_>) -> Option<String> {
    let mut text = String::new();
    if let Some(channel) = channel_id(op) {
        text.push_str(&format!(", channel_id={channel}"));
    }
    text.push_str(&format!(", replica_groups={}", nested_braces(&integer_rows(op, "replica_groups")?)));
    if flag(op, "use_global_device_ids") {
        text.push_str(", use_global_device_ids=true");
    }
    Some(text)
}

impl<'a, 's> Translator<'a, 's> {
    /// Translates a collective that runs across replicas. Collectives in a manual region, whose devices are all in one module, are
    /// expanded instead (`per_device`).
    pub(super) fn collective(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>, name: &str) -> Option<()> {
        if name == "collective_permute" {
            let Some(pairs) = integer_rows(op, "source_target_pairs") else {
                return self.malformed(op, "source_target_pairs");
            };
            let operands = self.operands(body, op)?;
            let channel = channel_id(op).map_or_else(String::new, |id| format!(", channel_id={id}"));
            let pairs = nested_braces(&pairs);
            let text =
                format!("collective-permute({}){channel}, source_target_pairs={pairs}", names(&operands));
            return self.emit_tuple(body, op, &text);
        }
        let Some(groups) = group_attributes(op) else { return self.malformed(op, "replica_groups") };
        let operands = self.operands(body, op)?;
        let operand_names = names(&operands);
        let dimension = |name: &str| one(op, name).map(|dimension| format!(", dimensions={{{dimension}}}"));
        let text = match name {
            "all_gather" => {
                dimension("all_gather_dim").map(|d| format!("all-gather({operand_names}){groups}{d}"))
            }
            "collective_broadcast" => Some(format!("collective-broadcast({operand_names}){groups}")),
            "all_to_all" => return self.all_to_all(body, op, &operands, &groups),
            _ => {
                let [reducer] = &self.bodies(body, op)?[..] else { return self.malformed(op, "region") };
                if name == "reduce_scatter" {
                    dimension("scatter_dimension")
                        .map(|d| format!("reduce-scatter({operand_names}){groups}{d}, to_apply={reducer}"))
                } else {
                    Some(format!("all-reduce({operand_names}){groups}, to_apply={reducer}"))
                }
            }
        };
        let Some(text) = text else { return self.malformed(op, "dimension") };
        self.emit_tuple(body, op, &text)
    }

    /// HLO's all-to-all splits and concatenates along the same dimension. If they differ, a transpose moves the received slices to
    /// the concat dimension.
    fn all_to_all(
        &mut self,
        body: &mut Body<'a, 's>,
        op: &'a Op<'s>,
        operands: &[Value<'a, 's>],
        groups: &str,
    ) -> Option<()> {
        let numbers = [one(op, "split_dimension"), one(op, "concat_dimension"), one(op, "split_count")];
        let [Some(split), Some(concat), Some(count)] = numbers else {
            return self.malformed(op, "split_dimension");
        };
        let (Ok(split), Ok(concat)) = (usize::try_from(split), usize::try_from(concat)) else {
            return self.malformed(op, "split_dimension");
        };
        let mut values = Vec::new();
        for (operand, result) in operands.iter().zip(&op.types) {
            let sizes = operand.ty.sizes();
            if split >= sizes.len() || concat >= sizes.len() || count < 1 {
                return self.malformed(op, "split_dimension");
            }
            let text = format!("all-to-all({}){groups}, dimensions={{{split}}}", operand.name);
            let mut name = self.instruction(body, op, &operand.ty.shape(), &text);
            if split != concat {
                let mut split_sizes = sizes.clone();
                split_sizes[split] /= count;
                split_sizes.insert(split, count);
                let shape = operand.ty.with_sizes(&split_sizes).shape();
                name = body.line("reshape", &shape, &format!("reshape({name})"), op.span);
                let others = (0..split_sizes.len()).filter(|dimension| *dimension != split);
                let mut permutation: Vec<usize> = others.collect();
                permutation.insert(concat, split);
                let transposed_sizes: Vec<i64> =
                    permutation.iter().map(|dimension| split_sizes[*dimension]).collect();
                let permutation: Vec<i64> =
                    permutation.iter().filter_map(|d| i64::try_from(*d).ok()).collect();
                let shape = operand.ty.with_sizes(&transposed_sizes).shape();
                let text = format!("transpose({name}), dimensions={}", braces(&permutation));
                name = body.line("transpose", &shape, &text, op.span);
                name = body.line("reshape", &result.shape(), &format!("reshape({name})"), op.span);
            }
            values.push(Value::new(name, result.clone()));
        }
        self.bind(body, op, values)
    }

    /// `batch_norm_inference`, `batch_norm_training`, `batch_norm_grad`.
    pub(super) fn batch_norm(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>, opcode: &str) -> Option<()> {
        let operands = self.operands(body, op)?;
        let Some(feature) = one(op, "feature_index") else { return self.malformed(op, "feature_index") };
        let Some(Attr::Word(epsilon)) = op.attr("epsilon") else { return self.malformed(op, "epsilon") };
        let Some(epsilon) = super::literal::number(epsilon, xla_array::ElementType::F32) else {
            return self.malformed(op, "epsilon");
        };
        let text = format!("{opcode}({}), epsilon={epsilon}, feature_index={feature}", names(&operands));
        self.emit_tuple(body, op, &text)
    }

    /// `infeed`: HLO's result is a pair: the tuple of the received arrays, and a token.
    pub(super) fn infeed(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        let Some((token, items)) = op.types.split_last() else { return self.malformed(op, "type") };
        let item = tuple_shape(items);
        let text = format!("infeed({}){}", names(&operands), config(op, "infeed_config"));
        let shape = format!("({item}, {})", token.shape());
        let name = self.instruction(body, op, &shape, &text);
        let pair = body.elements(&name, &[Type::Tuple(items.to_vec()), token.clone()], op.span);
        let [tuple, token] = &pair[..] else { return None };
        let mut values = body.elements(&tuple.name, items, op.span);
        values.push(token.clone());
        self.bind(body, op, values)
    }

    /// `outfeed`.
    pub(super) fn outfeed(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let mut operands = self.operands(body, op)?;
        let Some(token) = operands.pop() else { return self.malformed(op, "operands") };
        let types: Vec<Type> = operands.iter().map(|value| value.ty.clone()).collect();
        let item = body.tuple(&operands, op.span);
        let config = config(op, "outfeed_config");
        let text = format!("outfeed({item}, {}), outfeed_shape={}{config}", token.name, tuple_shape(&types));
        self.emit(body, op, &text)
    }

    /// `send` and `recv`, each followed by its `-done`: `StableHLO`'s ops complete the transfer.
    pub(super) fn transfer(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>, name: &str) -> Option<()> {
        let operands = self.operands(body, op)?;
        let Some(token) = operands.last() else { return self.malformed(op, "operands") };
        let channel = channel_id(op).unwrap_or(0);
        let host = if flag(op, "is_host_transfer") { ", is_host_transfer=true" } else { "" };
        let item = match name {
            "send" => operands.first().map(|value| value.ty.clone()),
            _ => op.types.first().cloned(),
        };
        let (Some(item), true) = (item, operands.len() <= 2 && op.types.len() <= 2) else {
            return self.malformed(op, "operands");
        };
        let shape = format!("({}, u32[], token[])", item.shape());
        let operand_names = names(&operands);
        let text = format!("{name}({operand_names}), channel_id={channel}{host}");
        let started = self.instruction(body, op, &shape, &text);
        let text = format!("{name}-done({started}), channel_id={channel}{host}");
        if name == "send" {
            return self.emit(body, op, &text);
        }
        let types = [item, token.ty.clone()];
        let done = body.line("recv-done", &tuple_shape(&types), &text, op.span);
        let values = body.elements(&done, &types, op.span);
        self.bind(body, op, values)
    }
}

/// The HLO attribute `infeed_config` or `outfeed_config`, after a comma; empty if there is none.
fn config(op: &Op<'_>, name: &str) -> String {
    match op.attr(name) {
        Some(Attr::String(text)) if !text.is_empty() => format!(", {name}=\"{text}\""),
        _ => String::new(),
    }
}

/// A collective across the devices of a module that is expanded for all of them (`per_device`).
pub(super) struct Collective {
    /// The op's name without its dialect.
    pub name: &'static str,
    /// Groups of devices, or pairs of a source and a target.
    pub groups: Vec<Vec<i64>>,
    /// The dimension that is gathered, scattered or split.
    pub dimension: i64,
    /// The dimension of `all_to_all` along which the received slices are concatenated.
    pub concat_dimension: i64,
}

/// Reads a collective's attributes; `None` for other ops, and if an attribute is missing or malformed.
pub(super) fn collective(op: &Op<'_>) -> Option<Collective> {
    /// Names of collectives, each with its attribute that holds a dimension.
    const COLLECTIVES: [(&str, &str); 6] = [
        ("all_reduce", ""),
        ("all_gather", "all_gather_dim"),
        ("all_to_all", "split_dimension"),
        ("reduce_scatter", "scatter_dimension"),
        ("collective_broadcast", ""),
        ("collective_permute", ""),
    ];
    let (name, dimension_attribute) = COLLECTIVES.iter().find(|(known, _)| op.is(known))?;
    let groups = if *name == "collective_permute" { "source_target_pairs" } else { "replica_groups" };
    let dimension = if dimension_attribute.is_empty() { 0 } else { one(op, dimension_attribute)? };
    let concat_dimension = one(op, "concat_dimension").unwrap_or(dimension);
    Some(Collective { name, groups: integer_rows(op, groups)?, dimension, concat_dimension })
}
