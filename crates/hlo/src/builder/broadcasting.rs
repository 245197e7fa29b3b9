//! Implicit broadcasting of element-wise binary operations, lowered to `broadcast` instructions, and to `reshape` for
//! dimensions of size 1: HLO requires operands of equal shapes.
//!
//! Rules, in the order they are checked (`broadcasting-1`, the element types, is the op's rule
//! `elementwise-same-type`): `broadcasting-2` sizes differ and neither is 1; `-3` ranks differ and there are no
//! `broadcast_dimensions`; `-4` `broadcast_dimensions` for equal ranks; `-5` their number is not the lower rank; `-6`
//! one is out of range; `-7` a size is incompatible with its dimension; `-8` they are not strictly ascending. Source:
//! XLA's "Broadcasting" page; `ShapeInference::InferBinaryOpShape`.

use super::{ComputationBuilder, Op, ints};
use xla_array::{ArrayShape, Dims, Edition, Shape};
use xla_messages::i18n::Message;
use xla_ops::infer::comma_separated;
use xla_ops::{Attrs, OpError, OpPart};

/// The argument of the builder that errors refer to; HLO has no such attribute.
const ATTR: &str = "broadcast_dimensions";

/// The rule that operands of different ranks need `broadcast_dimensions`.
pub(crate) const MISSING_DIMENSIONS_RULE: &str = "broadcasting-3";

/// The size that two sizes broadcast to.
fn broadcast_size(a: i64, b: i64) -> Option<i64> {
    match (a, b) {
        (a, b) if a == b => Some(a),
        (1, size) | (size, 1) => Some(size),
        _ => None,
    }
}

/// Suggests `broadcast_dimensions` from `small` to `large`, matching the last dimensions first.
pub(crate) fn suggest_dimensions(small: &[i64], large: &[i64]) -> Option<Vec<i64>> {
    let mut dimensions = Vec::new();
    let mut end = large.len();
    for (i, size) in small.iter().enumerate().rev() {
        let d = (i..end).rev().find(|d| broadcast_size(*size, large[*d]).is_some())?;
        dimensions.push(i64::try_from(d).ok()?);
        end = d;
    }
    dimensions.reverse();
    Some(dimensions)
}

/// The result of broadcasting two operands.
struct BroadcastPlan {
    /// The sizes of the result.
    sizes: Dims,
    /// The result dimension of each dimension of the left operand.
    lhs: Vec<i64>,
    /// The result dimension of each dimension of the right operand.
    rhs: Vec<i64>,
}

fn identity(rank: usize) -> Vec<i64> {
    (0..).take(rank).collect()
}

/// Checks the `broadcast_dimensions` of the operand of lower rank, and returns the result's sizes and the dimensions.
fn plan_lower_rank(
    op: &'static str,
    small: &ArrayShape,
    large: &ArrayShape,
    dimensions: &[i64],
) -> Result<(Dims, Vec<i64>), OpError> {
    let error = |rule, message: Message| OpError::new(op, rule, message).at_attr(ATTR);
    let with_shapes =
        |message: Message| message.with("small", small.human_string()).with("large", large.human_string());
    let add_fix = |error: OpError| match suggest_dimensions(&small.dimensions, &large.dimensions) {
        Some(dimensions) => {
            error.with_fix(OpPart::Attr(ATTR), format!("{{{}}}", comma_separated(&dimensions)))
        }
        None => error.with_hint(Message::ops("op-hint-broadcast")),
    };
    if dimensions.is_empty() && small.rank() > 0 {
        let message = with_shapes(Message::ops("builder-broadcast-ranks"));
        return Err(add_fix(error(MISSING_DIMENSIONS_RULE, message)));
    }
    if dimensions.len() != small.rank() {
        let message = with_shapes(Message::ops("builder-broadcast-count")).with("found", dimensions.len());
        return Err(add_fix(error("broadcasting-5", message)));
    }
    let mut sizes = large.dimensions.clone();
    for (i, (&d, &size)) in dimensions.iter().zip(&small.dimensions).enumerate() {
        let Some(target) = usize::try_from(d).ok().filter(|d| *d < large.rank()) else {
            let message = Message::ops("op-dimension-range")
                .with("name", ATTR)
                .with("dimension", d)
                .with("rank", large.rank());
            return Err(add_fix(error("broadcasting-6", message)));
        };
        let Some(result_size) = broadcast_size(size, large.dimensions[target]) else {
            let message = Message::ops("builder-broadcast-size")
                .with("dimension", i)
                .with("size", size)
                .with("to", target)
                .with("found", large.dimensions[target]);
            return Err(add_fix(error("broadcasting-7", message)));
        };
        if i > 0 && dimensions[i - 1] >= d {
            let message = Message::ops("builder-broadcast-order").with("found", comma_separated(dimensions));
            return Err(add_fix(error("broadcasting-8", message)));
        }
        sizes[target] = result_size;
    }
    Ok((sizes, dimensions.to_vec()))
}

fn plan(
    op: &'static str,
    lhs: &ArrayShape,
    rhs: &ArrayShape,
    dimensions: &[i64],
    edition: Edition,
) -> Result<BroadcastPlan, OpError> {
    let (a, b) = (identity(lhs.rank()), identity(rhs.rank()));
    if lhs.rank() < rhs.rank() {
        let (sizes, lhs) = plan_lower_rank(op, lhs, rhs, dimensions)?;
        return Ok(BroadcastPlan { sizes, lhs, rhs: b });
    }
    if rhs.rank() < lhs.rank() {
        let (sizes, rhs) = plan_lower_rank(op, rhs, lhs, dimensions)?;
        return Ok(BroadcastPlan { sizes, lhs: a, rhs });
    }
    if !dimensions.is_empty() && (edition == Edition::V2017 || dimensions != a) {
        let message = Message::ops("builder-broadcast-same-rank").with("found", comma_separated(dimensions));
        let error = OpError::new(op, "broadcasting-4", message).at_attr(ATTR);
        return Err(error.with_fix(OpPart::Attr(ATTR), "{}"));
    }
    let mut sizes = Dims::new();
    for (d, (l, r)) in lhs.dimensions.iter().zip(&rhs.dimensions).enumerate() {
        let Some(size) = broadcast_size(*l, *r) else {
            let message = Message::ops("builder-broadcast-sizes")
                .with("dimension", d)
                .with("lhs", *l)
                .with("rhs", *r)
                .with("lhsshape", lhs.human_string())
                .with("rhsshape", rhs.human_string());
            let error = OpError::new(op, "broadcasting-2", message).at_operand(1);
            return Err(error.with_hint(Message::ops("op-hint-broadcast")));
        };
        sizes.push(size);
    }
    Ok(BroadcastPlan { sizes, lhs: a, rhs: b })
}

impl ComputationBuilder {
    /// Broadcasts an operand to `sizes`; its dimension `i` becomes dimension `dimensions[i]`.
    fn broadcast_to(
        &self,
        operand: Op,
        shape: &ArrayShape,
        dimensions: &[i64],
        sizes: &Dims,
    ) -> Result<Op, OpError> {
        if shape.dimensions == *sizes {
            return Ok(operand);
        }
        // HLO's `broadcast` does not expand dimensions of size 1, so they are removed first.
        let has_full_size = |i: usize| {
            let size = usize::try_from(dimensions[i]).ok().and_then(|d| sizes.get(d));
            size == Some(&shape.dimensions[i])
        };
        let full_dims: Vec<usize> = (0..shape.rank()).filter(|i| has_full_size(*i)).collect();
        let mut operand = operand;
        if full_dims.len() < shape.rank() {
            operand =
                self.reshape(operand, &full_dims.iter().map(|i| shape.dimensions[*i]).collect::<Dims>())?;
        }
        let dimensions: Dims = full_dims.iter().map(|i| dimensions[*i]).collect();
        let result = Shape::Array(ArrayShape::new(shape.element_type, sizes.iter().copied()));
        self.instruction(
            "broadcast",
            &[operand],
            Attrs::new().with("dimensions", ints(&dimensions)),
            Some(&result),
        )
    }

    /// Adds a binary op, after the instructions that broadcast its operands to one shape.
    pub(crate) fn binary(
        &self,
        op: &'static str,
        [lhs, rhs]: [Op; 2],
        dimensions: &[i64],
        attrs: Attrs,
    ) -> Result<Op, OpError> {
        let (a, b) = (self.array(op, "lhs", 0, lhs)?, self.array(op, "rhs", 1, rhs)?);
        if a.element_type != b.element_type {
            // The op itself reports the mismatch.
            return self.instruction(op, &[lhs, rhs], attrs, None);
        }
        let plan = plan(op, &a, &b, dimensions, self.edition)?;
        self.transaction(|| {
            let lhs = self.broadcast_to(lhs, &a, &plan.lhs, &plan.sizes)?;
            let rhs = self.broadcast_to(rhs, &b, &plan.rhs, &plan.sizes)?;
            self.instruction(op, &[lhs, rhs], attrs, None)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_array::ElementType;

    fn result(small: &[i64], large: &[i64], dimensions: &[i64]) -> Result<Vec<i64>, &'static str> {
        let shape = |sizes: &[i64]| ArrayShape::new(ElementType::F32, sizes.iter().copied());
        let both = [
            plan("add", &shape(small), &shape(large), dimensions, Edition::Current),
            plan("add", &shape(large), &shape(small), dimensions, Edition::Current),
        ];
        let [a, b] = both.map(|plan| plan.map(|plan| plan.sizes.to_vec()).map_err(|error| error.rule));
        assert_eq!(a, b);
        a
    }

    #[test]
    fn sizes_broadcast_like_in_the_table_of_the_broadcasting_page() {
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
    fn suggested_dimensions_are_compatible() {
        assert_eq!(suggest_dimensions(&[3], &[4, 3]), Some(vec![1]));
        assert_eq!(suggest_dimensions(&[2, 3], &[2, 3, 4]), Some(vec![0, 1]));
        assert_eq!(suggest_dimensions(&[3], &[3, 3]), Some(vec![1]));
        assert_eq!(suggest_dimensions(&[5], &[4, 3]), None);
    }
}
