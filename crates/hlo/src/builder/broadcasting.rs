//! Broadcasting of element-wise binary operations, made visible: HLO takes operands of one shape only, so that what the
//! documents imply becomes `broadcast` instructions, and `reshape` for dimensions of size 1.
//!
//! Labels, in the order the rules are checked (`broadcasting-1`, the element types, is the op's own
//! `elementwise-same-type`): `broadcasting-2` sizes that differ, neither of them 1; `-3` ranks that differ without
//! `broadcast_dimensions`; `-4` `broadcast_dimensions` of arrays of one rank; `-5` another number of them than the lower
//! rank; `-6` one that the higher rank does not have; `-7` a size that does not fit the dimension it becomes; `-8` not
//! strictly ascending. Source: "Broadcasting" of the documents; `ShapeInference::InferBinaryOpShape`.

use super::{ComputationBuilder, Op, ints};
use xla_array::{ArrayShape, Dims, Edition, Shape};
use xla_messages::i18n::Message;
use xla_ops::infer::joined;
use xla_ops::{At, Attrs, OpError};

/// The attribute of the documents that HLO has not.
const ATTR: &str = "broadcast_dimensions";

/// The size of two that broadcast to it.
fn common(a: i64, b: i64) -> Option<i64> {
    match (a, b) {
        (a, b) if a == b => Some(a),
        (1, size) | (size, 1) => Some(size),
        _ => None,
    }
}

/// Dimensions of `large`, ascending, that the dimensions of `small` can become; the last ones first tried.
fn fitting(small: &[i64], large: &[i64]) -> Option<Vec<i64>> {
    let mut found = Vec::new();
    let mut end = large.len();
    for (i, size) in small.iter().enumerate().rev() {
        let d = (i..end).rev().find(|d| common(*size, large[*d]).is_some())?;
        found.push(i64::try_from(d).ok()?);
        end = d;
    }
    found.reverse();
    Some(found)
}

/// What two operands become: the sizes of the result, and which dimension of it each of theirs is.
struct Plan {
    sizes: Dims,
    lhs: Vec<i64>,
    rhs: Vec<i64>,
}

fn identity(rank: usize) -> Vec<i64> {
    (0..).take(rank).collect()
}

/// The sizes and the mapping of the operand of lower rank. `dimensions` are checked as they are.
fn expand(
    op: &'static str,
    small: &ArrayShape,
    large: &ArrayShape,
    dimensions: &[i64],
) -> Result<(Dims, Vec<i64>), OpError> {
    let error = |rule, message: Message| OpError::new(op, rule, message).at_attr(ATTR);
    let shown =
        |message: Message| message.with("small", small.human_string()).with("large", large.human_string());
    let fix = |error: OpError| match fitting(&small.dimensions, &large.dimensions) {
        Some(fix) => error.write(At::Attr(ATTR), format!("{{{}}}", joined(&fix))),
        None => error.advise(Message::engine("op-hint-broadcast")),
    };
    if dimensions.is_empty() && small.rank() > 0 {
        let message = shown(Message::engine("builder-broadcast-ranks"));
        return Err(fix(error("broadcasting-3", message)));
    }
    if dimensions.len() != small.rank() {
        let message = shown(Message::engine("builder-broadcast-count")).with("found", dimensions.len());
        return Err(fix(error("broadcasting-5", message)));
    }
    let mut sizes = large.dimensions.clone();
    for (i, (&d, &size)) in dimensions.iter().zip(&small.dimensions).enumerate() {
        let Some(to) = usize::try_from(d).ok().filter(|d| *d < large.rank()) else {
            let message = Message::engine("op-dimension-range")
                .with("name", ATTR)
                .with("dimension", d)
                .with("rank", large.rank());
            return Err(fix(error("broadcasting-6", message)));
        };
        let Some(both) = common(size, large.dimensions[to]) else {
            let message = Message::engine("builder-broadcast-size")
                .with("dimension", i)
                .with("size", size)
                .with("to", to)
                .with("found", large.dimensions[to]);
            return Err(fix(error("broadcasting-7", message)));
        };
        if i > 0 && dimensions[i - 1] >= d {
            let message = Message::engine("builder-broadcast-order").with("found", joined(dimensions));
            return Err(fix(error("broadcasting-8", message)));
        }
        sizes[to] = both;
    }
    Ok((sizes, dimensions.to_vec()))
}

fn plan(
    op: &'static str,
    lhs: &ArrayShape,
    rhs: &ArrayShape,
    dimensions: &[i64],
    edition: Edition,
) -> Result<Plan, OpError> {
    let (a, b) = (identity(lhs.rank()), identity(rhs.rank()));
    if lhs.rank() < rhs.rank() {
        let (sizes, lhs) = expand(op, lhs, rhs, dimensions)?;
        return Ok(Plan { sizes, lhs, rhs: b });
    }
    if rhs.rank() < lhs.rank() {
        let (sizes, rhs) = expand(op, rhs, lhs, dimensions)?;
        return Ok(Plan { sizes, lhs: a, rhs });
    }
    if !dimensions.is_empty() && (edition == Edition::V2017 || dimensions != a) {
        let message = Message::engine("builder-broadcast-same-rank").with("found", joined(dimensions));
        let error = OpError::new(op, "broadcasting-4", message).at_attr(ATTR);
        return Err(error.write(At::Attr(ATTR), "{}"));
    }
    let mut sizes = Dims::new();
    for (d, (l, r)) in lhs.dimensions.iter().zip(&rhs.dimensions).enumerate() {
        let Some(size) = common(*l, *r) else {
            let message = Message::engine("builder-broadcast-sizes")
                .with("dimension", d)
                .with("lhs", *l)
                .with("rhs", *r)
                .with("lhsshape", lhs.human_string())
                .with("rhsshape", rhs.human_string());
            let error = OpError::new(op, "broadcasting-2", message).at_operand(1);
            return Err(error.advise(Message::engine("op-hint-broadcast")));
        };
        sizes.push(size);
    }
    Ok(Plan { sizes, lhs: a, rhs: b })
}

impl ComputationBuilder {
    /// Brings an operand to `sizes`; its dimension `i` is dimension `to[i]` of them.
    fn stretched(&self, of: Op, shape: &ArrayShape, to: &[i64], sizes: &Dims) -> Result<Op, OpError> {
        if shape.dimensions == *sizes {
            return Ok(of);
        }
        // HLO stretches nothing: a dimension of size 1 that is to be larger goes away first.
        let stays = |i: usize| {
            let size = usize::try_from(to[i]).ok().and_then(|d| sizes.get(d));
            size == Some(&shape.dimensions[i])
        };
        let kept: Vec<usize> = (0..shape.rank()).filter(|i| stays(*i)).collect();
        let mut operand = of;
        if kept.len() < shape.rank() {
            operand = self.reshape(of, &kept.iter().map(|i| shape.dimensions[*i]).collect::<Dims>())?;
        }
        let dimensions: Dims = kept.iter().map(|i| to[*i]).collect();
        let result = Shape::Array(ArrayShape::new(shape.element_type, sizes.iter().copied()));
        self.instruction(
            "broadcast",
            &[operand],
            Attrs::new().with("dimensions", ints(&dimensions)),
            Some(&result),
        )
    }

    /// Adds an op of two operands behind what brings them to one shape.
    pub(super) fn binary(
        &self,
        op: &'static str,
        [lhs, rhs]: [Op; 2],
        dimensions: &[i64],
        attrs: Attrs,
    ) -> Result<Op, OpError> {
        let (a, b) = (self.array(op, "lhs", 0, lhs)?, self.array(op, "rhs", 1, rhs)?);
        if a.element_type != b.element_type {
            // The op's own rule says so.
            return self.instruction(op, &[lhs, rhs], attrs, None);
        }
        let plan = plan(op, &a, &b, dimensions, self.edition)?;
        self.lowered(|| {
            let lhs = self.stretched(lhs, &a, &plan.lhs, &plan.sizes)?;
            let rhs = self.stretched(rhs, &b, &plan.rhs, &plan.sizes)?;
            self.instruction(op, &[lhs, rhs], attrs, None)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_array::ElementType;

    fn result(small: &[i64], large: &[i64], dimensions: &[i64]) -> Result<Vec<i64>, &'static str> {
        let of = |sizes: &[i64]| ArrayShape::new(ElementType::F32, sizes.iter().copied());
        let both = [
            plan("add", &of(small), &of(large), dimensions, Edition::Now),
            plan("add", &of(large), &of(small), dimensions, Edition::Now),
        ];
        let [a, b] = both.map(|plan| plan.map(|plan| plan.sizes.to_vec()).map_err(|error| error.rule));
        assert_eq!(a, b);
        a
    }

    #[test]
    fn the_table_of_the_specification() {
        assert_eq!(result(&[], &[2, 3], &[]), Ok(vec![2, 3]));
        assert_eq!(result(&[3], &[4, 3], &[1]), Ok(vec![4, 3]));
        assert_eq!(result(&[3], &[3, 3], &[0]), Ok(vec![3, 3]));
        assert_eq!(result(&[2, 3], &[2, 3, 4], &[0, 1]), Ok(vec![2, 3, 4]));
        assert_eq!(result(&[2, 1], &[2, 3, 4], &[0, 2]), Ok(vec![2, 3, 4]));
        assert_eq!(result(&[2, 3], &[2, 1, 4], &[0, 1]), Ok(vec![2, 3, 4]));
        assert_eq!(result(&[3, 4], &[2, 3, 4], &[1, 2]), Ok(vec![2, 3, 4]));
        assert_eq!(result(&[4, 3], &[1, 3], &[]), Ok(vec![4, 3]));
        assert_eq!(result(&[4, 1], &[1, 3], &[]), Ok(vec![4, 3]));
        assert_eq!(result(&[0], &[1], &[]), Ok(vec![0]));
        assert_eq!(result(&[4, 3], &[4, 3], &[0, 1]), Ok(vec![4, 3]));
        assert_eq!(result(&[4, 3], &[2, 3], &[]), Err("broadcasting-2"));
        assert_eq!(result(&[3], &[2, 3], &[]), Err("broadcasting-3"));
        assert_eq!(result(&[2, 3], &[2, 3], &[1, 0]), Err("broadcasting-4"));
        assert_eq!(result(&[3], &[2, 3], &[0, 1]), Err("broadcasting-5"));
        assert_eq!(result(&[], &[2, 3], &[0]), Err("broadcasting-5"));
        assert_eq!(result(&[3], &[2, 3], &[2]), Err("broadcasting-6"));
        assert_eq!(result(&[3], &[2, 3], &[-1]), Err("broadcasting-6"));
        assert_eq!(result(&[3], &[4, 3], &[0]), Err("broadcasting-7"));
        assert_eq!(result(&[2, 1], &[2, 3, 4], &[1, 2]), Err("broadcasting-7"));
        assert_eq!(result(&[3, 3], &[3, 3, 3], &[1, 0]), Err("broadcasting-8"));
        assert_eq!(result(&[3, 3], &[3, 3, 3], &[1, 1]), Err("broadcasting-8"));
    }

    #[test]
    fn a_hint_names_dimensions_that_fit() {
        assert_eq!(fitting(&[3], &[4, 3]), Some(vec![1]));
        assert_eq!(fitting(&[2, 3], &[2, 3, 4]), Some(vec![0, 1]));
        assert_eq!(fitting(&[3], &[3, 3]), Some(vec![1]));
        assert_eq!(fitting(&[5], &[4, 3]), None);
    }
}
