//! Dots, convolutions, windows, gather and scatter: their dimension numbers as HLO writes them.

use super::fields::{braces, field, flag, joined, list, one};
use super::{Body, Translator, names};
use crate::ast::{Attr, Op};

/// A window attribute with one number per dimension; the default if it is absent.
fn window_field(op: &Op<'_>, name: &str, rank: usize, default: i64) -> Option<Vec<i64>> {
    match op.attr(name) {
        None => Some(vec![default; rank]),
        Some(_) => list(op, name).filter(|numbers| numbers.len() == rank),
    }
}

/// A window attribute with the comma before it; empty for rank 0.
pub(super) fn window(
    op: &Op<'_>,
    sizes: &[i64],
    [strides, base_dilations, window_dilations]: [&str; 3],
) -> Option<String> {
    let rank = sizes.len();
    if rank == 0 {
        return Some(String::new());
    }
    let padding = match op.attr("padding") {
        None => vec![0; 2 * rank],
        Some(_) => list(op, "padding").filter(|numbers| numbers.len() == 2 * rank)?,
    };
    let pads: Vec<String> = padding.chunks(2).map(|pair| joined(pair, "_")).collect();
    let mut text = format!(", window={{size={} pad={}", joined(sizes, "x"), pads.join("x"));
    for (name, field) in
        [(strides, "stride"), (base_dilations, "lhs_dilate"), (window_dilations, "rhs_dilate")]
    {
        text.push_str(&format!(" {field}={}", joined(&window_field(op, name, rank, 1)?, "x")));
    }
    let reversal = window_field(op, "window_reversal", rank, 0)?;
    if reversal.contains(&1) {
        text.push_str(&format!(" rhs_reversal={}", joined(&reversal, "x")));
    }
    text.push('}');
    Some(text)
}

/// The precision of operands, if it is not the default.
fn precision(op: &Op<'_>) -> String {
    let Some(Attr::List(items)) = op.attr("precision_config") else { return String::new() };
    let words: Vec<String> = items
        .iter()
        .map(|item| match item {
            Attr::Word(text) | Attr::Text(text) => {
                let word = text.trim_end_matches('>').rsplit([' ', '<']).next();
                word.unwrap_or_default().to_ascii_lowercase()
            }
            _ => "default".to_owned(),
        })
        .collect();
    if words.iter().all(|word| word == "default") {
        return String::new();
    }
    format!(", operand_precision={{{}}}", words.join(","))
}

impl<'a, 's> Translator<'a, 's> {
    pub(super) fn dot_general(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        let pair = |name: &str, left: &str, right: &str| -> Option<[Vec<i64>; 2]> {
            match op.attr(name) {
                Some(Attr::List(sides)) => match &sides[..] {
                    [lhs, rhs] => Some([super::fields::integers(lhs)?, super::fields::integers(rhs)?]),
                    _ => None,
                },
                Some(_) => None,
                None => {
                    let numbers = "dot_dimension_numbers";
                    Some([field(op, numbers, left), field(op, numbers, right)])
                }
            }
        };
        let batch = pair("batching_dims", "lhs_batching_dimensions", "rhs_batching_dimensions");
        let contracting =
            pair("contracting_dims", "lhs_contracting_dimensions", "rhs_contracting_dimensions");
        let (Some([lb, rb]), Some([lc, rc])) = (batch, contracting) else {
            return self.malformed(op, "dot_dimension_numbers");
        };
        let mut text = format!("dot({})", names(&operands));
        for (name, dims) in [
            ("lhs_batch_dims", lb),
            ("lhs_contracting_dims", lc),
            ("rhs_batch_dims", rb),
            ("rhs_contracting_dims", rc),
        ] {
            if !dims.is_empty() {
                text.push_str(&format!(", {name}={}", braces(&dims)));
            }
        }
        text.push_str(&precision(op));
        self.emit(body, op, &text)
    }

    pub(super) fn dot(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        let Some(lhs) = operands.first() else { return self.malformed(op, "operands") };
        let last = lhs.ty.sizes().len().saturating_sub(1);
        let dims = format!(", lhs_contracting_dims={{{last}}}, rhs_contracting_dims={{0}}");
        self.emit(body, op, &format!("dot({}){dims}{}", names(&operands), precision(op)))
    }

    /// CHLO's `ragged_dot`.
    pub(super) fn ragged_dot(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        let mut text = format!("ragged-dot({})", names(&operands));
        for (name, hlo) in [
            ("lhs_batching_dimensions", "lhs_batch_dims"),
            ("lhs_contracting_dimensions", "lhs_contracting_dims"),
            ("rhs_batching_dimensions", "rhs_batch_dims"),
            ("rhs_contracting_dimensions", "rhs_contracting_dims"),
            ("lhs_ragged_dimensions", "lhs_ragged_dims"),
            ("rhs_group_dimensions", "rhs_group_dims"),
        ] {
            let dims = field(op, "ragged_dot_dimension_numbers", name);
            if !dims.is_empty() {
                text.push_str(&format!(", {hlo}={}", braces(&dims)));
            }
        }
        text.push_str(&precision(op));
        self.emit(body, op, &text)
    }

    /// `einsum` of two operands: a dot, then a transpose to the result's dimension order.
    pub(super) fn einsum(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        let ([lhs, rhs], [ty]) = (&operands[..], &op.types[..]) else {
            return self.malformed(op, "operands");
        };
        let Some(Attr::String(equation)) = op.attr("einsum_config") else {
            return self.malformed(op, "einsum_config");
        };
        let labels = |text: &str| text.trim().chars().collect::<Vec<char>>();
        let parts = equation.split_once("->").and_then(|(from, to)| {
            let (left, right) = from.split_once(',')?;
            Some((labels(left), labels(right), labels(to)))
        });
        let Some((left, right, to)) = parts else { return self.malformed(op, "einsum_config") };
        let at = |labels: &[char], label: char| labels.iter().position(|known| *known == label);
        let shared: Vec<char> = left.iter().copied().filter(|label| right.contains(label)).collect();
        let (batch, contracted): (Vec<char>, Vec<char>) = shared.iter().partition(|label| to.contains(label));
        let free = |labels: &[char]| -> Vec<char> {
            labels.iter().copied().filter(|label| !shared.contains(label)).collect()
        };
        let order = [batch.clone(), free(&left), free(&right)].concat();
        let dims = |labels: &[char], of: &[char]| -> Vec<usize> {
            of.iter().filter_map(|label| at(labels, *label)).collect()
        };
        let list = |dims: Vec<usize>| {
            format!("{{{}}}", dims.iter().map(usize::to_string).collect::<Vec<_>>().join(","))
        };
        let permutation = dims(&order, &to);
        let mut unique = to.clone();
        unique.sort_unstable();
        unique.dedup();
        let (sizes, ranks_match) =
            (ty.sizes(), lhs.ty.sizes().len() == left.len() && rhs.ty.sizes().len() == right.len());
        if !ranks_match
            || permutation.len() != order.len()
            || unique.len() != to.len()
            || sizes.len() != to.len()
        {
            return self.malformed(op, "einsum_config");
        }
        let text = format!(
            "dot({}), lhs_batch_dims={}, lhs_contracting_dims={}, rhs_batch_dims={}, rhs_contracting_dims={}{}",
            names(&operands),
            list(dims(&left, &batch)),
            list(dims(&left, &contracted)),
            list(dims(&right, &batch)),
            list(dims(&right, &contracted)),
            precision(op),
        );
        let order_sizes: Vec<i64> =
            order.iter().filter_map(|label| sizes.get(at(&to, *label)?)).copied().collect();
        let dot = self.instruction(body, op, &ty.with_sizes(&order_sizes).shape(), &text);
        self.emit(body, op, &format!("transpose({dot}), dimensions={}", list(permutation)))
    }

    pub(super) fn convolution(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        let Some(Attr::Text(text)) = op.attr("dimension_numbers") else {
            return self.malformed(op, "dimension_numbers");
        };
        let text = text.strip_prefix("#stablehlo.conv<").map_or(*text, |inner| inner.trim_end_matches('>'));
        let labels: String = text
            .chars()
            .filter(|c| !matches!(c, ' ' | '[' | ']' | ','))
            .map(|c| if c == 'x' { '_' } else { c })
            .collect();
        let kernel = labels.split(['_', '-']).nth(1).unwrap_or_default();
        let kernel_sizes = operands.get(1).map(|value| value.ty.sizes()).unwrap_or_default();
        let mut sizes: Vec<(u32, i64)> = Vec::new();
        for (label, size) in kernel.chars().zip(kernel_sizes) {
            sizes.extend(label.to_digit(10).map(|digit| (digit, size)));
        }
        sizes.sort_unstable();
        let sizes: Vec<i64> = sizes.into_iter().map(|(_, size)| size).collect();
        let Some(window) = window(op, &sizes, ["window_strides", "lhs_dilation", "rhs_dilation"]) else {
            return self.malformed(op, "window");
        };
        let mut text = format!("convolution({}){window}, dim_labels={labels}", names(&operands));
        for name in ["feature_group_count", "batch_group_count"] {
            if let Some(count) = one(op, name).filter(|count| *count != 1) {
                text.push_str(&format!(", {name}={count}"));
            }
        }
        text.push_str(&precision(op));
        self.emit(body, op, &text)
    }

    pub(super) fn gather(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        let Some(sizes) = list(op, "slice_sizes") else { return self.malformed(op, "slice_sizes") };
        let text = format!(
            "gather({}){}, slice_sizes={}{}",
            names(&operands),
            dimensions(op, "dimension_numbers", &GATHER),
            braces(&sizes),
            flags(op, &["indices_are_sorted"]),
        );
        self.emit(body, op, &text)
    }

    pub(super) fn scatter(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        let [reducer] = &self.bodies(body, op)?[..] else { return self.malformed(op, "region") };
        let text = format!(
            "scatter({}){}{}, to_apply={reducer}",
            names(&operands),
            dimensions(op, "scatter_dimension_numbers", &SCATTER),
            flags(op, &["indices_are_sorted", "unique_indices"]),
        );
        self.emit_tuple(body, op, &text)
    }
}

/// Fields of dimension numbers: the name in MLIR, the name in HLO, and whether an empty one is omitted.
pub(super) type Fields = [(&'static str, &'static str, bool); 5];

pub(super) const GATHER: Fields = [
    ("offset_dims", "offset_dims", false),
    ("collapsed_slice_dims", "collapsed_slice_dims", false),
    ("start_index_map", "start_index_map", false),
    ("operand_batching_dims", "operand_batching_dims", true),
    ("start_indices_batching_dims", "start_indices_batching_dims", true),
];

const SCATTER: Fields = [
    ("update_window_dims", "update_window_dims", false),
    ("inserted_window_dims", "inserted_window_dims", false),
    ("scatter_dims_to_operand_dims", "scatter_dims_to_operand_dims", false),
    ("input_batching_dims", "input_batching_dims", true),
    ("scatter_indices_batching_dims", "scatter_indices_batching_dims", true),
];

pub(super) fn dimensions(op: &Op<'_>, attribute: &str, names: &Fields) -> String {
    let mut text = String::new();
    for (name, hlo, is_optional) in names {
        let dims = field(op, attribute, name);
        if !(*is_optional && dims.is_empty()) {
            text.push_str(&format!(", {hlo}={}", braces(&dims)));
        }
    }
    let vector = field(op, attribute, "index_vector_dim").first().copied().unwrap_or(0);
    text.push_str(&format!(", index_vector_dim={vector}"));
    text
}

pub(super) fn flags(op: &Op<'_>, names: &[&str]) -> String {
    names.iter().filter(|name| flag(op, name)).map(|name| format!(", {name}=true")).collect()
}
