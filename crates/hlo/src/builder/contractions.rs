//! Dot products, reductions and sorting.

use super::{ComputationBuilder, Op, ints};
use crate::module::Module;
use xla_array::{Dims, Edition};
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
    /// Errors: `dot-rank` for other ranks (see [`ComputationBuilder::dot_general`]), `dot-5` for the
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
                let message = Message::ops("builder-dot-rank")
                    .with("operand", name)
                    .with("shape", shape.human_string());
                let advice = Message::ops("builder-hint-dot-general");
                return Err(OpError::new("dot", "dot-rank", message).at_operand(i).with_hint(advice));
            }
            if i == 0 {
                last = i64::from(shape.rank() == 2);
            }
        }
        self.dot_general([lhs, rhs], [&[last], &[0]], [&[], &[]])
    }

    /// `DotGeneral` of current XLA: sums of products over contracting dimensions, separately for each index of the
    /// batch dimensions. Each pair has the dimensions of `lhs` and of `rhs`.
    ///
    /// Dimensions of the result: batch, the other ones of `lhs`, the other ones of `rhs`. Errors: `dot-2` to `dot-5`.
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

    /// `Reduce`: reduces dimensions by a computation of two scalars, starting with `init_value`.
    ///
    /// The result has the remaining dimensions. The order of the reduction is unspecified. Errors: `reduce-3` for a
    /// dimension out of range, `-4` for a duplicate one (accepted in `Edition::V2017`), `-5` and `-6` for the shapes of
    /// the computation and the initial value. Section: Reduce.
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
        self.add_call("reduce", &[operand, init_value], &[("to_apply", computation)], attrs)
    }

    /// `Sort`: sorts the elements in ascending order along the last dimension; NaN is last, -0 before +0.
    ///
    /// XLA's documentation of 2017 only says "sorts the elements", and no backend implemented it. Errors: `compare-3`
    /// for complex numbers, which are unordered. Section: Sort.
    ///
    /// ```
    /// # use xla_hlo::{ComputationBuilder, Evaluator};
    /// let b = ComputationBuilder::new("e");
    /// b.sort(b.constant_r1(&[3, 1, 2])?)?;
    /// assert_eq!(Evaluator::new(&b.build()?).run(&[])?.to_string(), "{1, 2, 3}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sort(&self, operand: Op) -> Result<Op, OpError> {
        let operand_shape = self.array("sort", "operand", 0, operand)?;
        let Some(last) = operand_shape.rank().checked_sub(1) else {
            return self.reshape(operand, &[]);
        };
        if self.edition == Edition::V2017 {
            return self.instruction("sort", &[operand], Attrs::new(), None);
        }
        self.transaction(|| {
            let mut less = Attrs::new().with("direction", AttrValue::Keyword("LT"));
            if operand_shape.element_type.is_floating() {
                less.set("type", AttrValue::Keyword("TOTALORDER"));
            }
            let less = self.scalar_computation("compare", operand_shape.element_type, less)?;
            let last: Dims = i64::try_from(last).into_iter().collect();
            let attrs =
                Attrs::new().with("dimensions", ints(&last)).with("to_apply", AttrValue::Computation(less));
            self.instruction("sort", &[operand], attrs, None)
        })
    }
}
