//! Operations that make one element of many: dot, reduce, sort.

use super::{ComputationBuilder, Op, ints};
use crate::module::Module;
use xla_array::Dims;
use xla_messages::i18n::Message;
use xla_ops::{AttrValue, Attrs, OpError};

/// Dot products, reductions, sorting.
impl ComputationBuilder {
    /// `Dot`: sums of products over the last dimension of `lhs` and the first of `rhs`.
    ///
    /// | lhs | rhs | result |
    /// |---|---|---|
    /// | vector `[n]` | vector `[n]` | scalar |
    /// | matrix `[m,k]` | vector `[k]` | vector `[m]` |
    /// | matrix `[m,k]` | matrix `[k,n]` | matrix `[m,n]` |
    /// | vector `[k]` | matrix `[k,n]` | vector `[n]` |
    ///
    /// The page says "one before last" of `rhs`: for a matrix that is the first, and a vector has no other. Errors:
    /// `dot-rank` for other ranks ([`ComputationBuilder::dot_general`] takes them), `dot-1` for types, `dot-5` for the
    /// contracted sizes. Section: Dot.
    ///
    /// ```
    /// # use xla_hlo::{ComputationBuilder, Evaluator};
    /// let b = ComputationBuilder::new("e");
    /// let m = b.constant_r2(&[&[1, 2], &[3, 4]])?;
    /// b.dot(m, b.constant_r1(&[5, 6])?)?;
    /// assert_eq!(Evaluator::new(&b.build()?).run(&[])?.to_string(), "{17, 39}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dot(&self, lhs: Op, rhs: Op) -> Result<Op, OpError> {
        let mut last = 0;
        for (i, (name, op)) in [("lhs", lhs), ("rhs", rhs)].into_iter().enumerate() {
            let shape = self.array("dot", name, i, op)?;
            if !matches!(shape.rank(), 1 | 2) {
                let message = Message::engine("builder-dot-rank")
                    .with("operand", name)
                    .with("shape", shape.human_string());
                let advice = Message::engine("builder-hint-dot-general");
                return Err(OpError::new("dot", "dot-rank", message).at_operand(i).advise(advice));
            }
            if i == 0 {
                last = i64::from(shape.rank() == 2);
            }
        }
        self.dot_general([lhs, rhs], [&[last], &[0]], [&[], &[]])
    }

    /// Today's `DotGeneral`: sums of products over pairs of contracting dimensions, side by side in pairs of batch
    /// dimensions; each list is that of the left operand, then that of the right.
    ///
    /// Result: batch dimensions, the other ones of `lhs`, those of `rhs`. Errors: `dot-1` to `dot-5`.
    ///
    /// ```
    /// # use xla_hlo::ComputationBuilder;
    /// let b = ComputationBuilder::new("e");
    /// let x = b.parameter(0, &"f32[8,2,3]".parse()?, "x")?;
    /// let y = b.parameter(1, &"f32[8,3,5]".parse()?, "y")?;
    /// let r = b.dot_general([x, y], [&[2], &[1]], [&[0], &[0]])?;
    /// assert_eq!(b.shape(r)?.human_string(), "f32[8,2,5]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dot_general(
        &self,
        operands: [Op; 2],
        contracting: [&[i64]; 2],
        batch: [&[i64]; 2],
    ) -> Result<Op, OpError> {
        let mut attrs = Attrs::new();
        for (name, numbers) in [
            ("lhs_batch_dims", batch[0]),
            ("lhs_contracting_dims", contracting[0]),
            ("rhs_batch_dims", batch[1]),
            ("rhs_contracting_dims", contracting[1]),
        ] {
            if !numbers.is_empty() {
                attrs.set(name, ints(numbers));
            }
        }
        self.instruction("dot", &operands, attrs, None)
    }

    /// `Reduce`: folds these dimensions with a computation of two scalars, from `init_value`.
    ///
    /// The result has the dimensions that are left, in order. The order of the fold is not specified. Errors:
    /// `reduce-3` for a dimension that is not there, `-4` for one named twice (`Edition::V2017` lets that pass), `-5`
    /// and `-6` for the computation's and the init's shapes. Section: Reduce.
    ///
    /// ```
    /// # use xla_hlo::{ComputationBuilder, Evaluator};
    /// let add = ComputationBuilder::new("add");
    /// add.add(add.parameter(0, &"s32[]".parse()?, "x")?, add.parameter(1, &"s32[]".parse()?, "y")?, &[])?;
    /// let b = ComputationBuilder::new("e");
    /// let m = b.constant_r2(&[&[1, 2, 3], &[4, 5, 6]])?;
    /// b.reduce(m, b.constant_r0(0)?, &add.build()?, &[1])?;
    /// assert_eq!(Evaluator::new(&b.build()?).run(&[])?.to_string(), "{6, 15}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reduce(
        &self,
        operand: Op,
        init_value: Op,
        computation: &Module,
        dimensions: &[i64],
    ) -> Result<Op, OpError> {
        let attrs = Attrs::new().with("dimensions", ints(dimensions));
        self.calling("reduce", &[operand, init_value], &[("to_apply", computation)], attrs)
    }

    /// `Sort`: the elements in ascending order along the last dimension; NaN after all numbers, -0 before +0.
    ///
    /// The page says no more than "sorts the elements", and no backend of 2017 did. A scalar stays as it is. Errors:
    /// `compare-3` for complex numbers, which have no order. Section: Sort.
    ///
    /// ```
    /// # use xla_hlo::{ComputationBuilder, Evaluator};
    /// let b = ComputationBuilder::new("e");
    /// b.sort(b.constant_r1(&[3, 1, 2])?)?;
    /// assert_eq!(Evaluator::new(&b.build()?).run(&[])?.to_string(), "{1, 2, 3}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sort(&self, operand: Op) -> Result<Op, OpError> {
        let of = self.array("sort", "operand", 0, operand)?;
        let Some(last) = of.rank().checked_sub(1) else {
            return self.instruction("copy", &[operand], Attrs::new(), None);
        };
        self.lowered(|| {
            let mut less = Attrs::new().with("direction", AttrValue::Word("LT"));
            if of.element_type.is_floating() {
                less.set("type", AttrValue::Word("TOTALORDER"));
            }
            let less = self.scalar_computation("compare", of.element_type, less)?;
            let last: Dims = i64::try_from(last).into_iter().collect();
            let attrs =
                Attrs::new().with("dimensions", ints(&last)).with("to_apply", AttrValue::Computation(less));
            self.instruction("sort", &[operand], attrs, None)
        })
    }
}
