//! Operations that move elements: broadcast, collapse, concatenate, convert, pad, reshape, reverse, select, slice,
//! transpose.

use super::state::ShapeSource;
use super::{ComputationBuilder, Op, ints};
use xla_array::{ArrayShape, Dims, ElementType, Shape, permutation};
use xla_messages::i18n::Message;
use xla_ops::attrs::{PaddingDim, SliceDim};
use xla_ops::infer::comma_separated;
use xla_ops::{AttrValue, Attrs, OpError, OpPart};

/// Operations that move elements.
impl ComputationBuilder {
    /// `Broadcast`: repeats an array along new leading dimensions of `broadcast_sizes`.
    ///
    /// `output[i…, j…] = operand[j…]`. Errors: `shape-2` for a negative size. Section: Broadcast.
    ///
    /// ```
    /// # use xla_hlo::{ComputationBuilder, Evaluator};
    /// let b = ComputationBuilder::new("e");
    /// b.broadcast(b.constant_r0(2.0_f32)?, &[2, 3])?;
    /// let module = b.build()?;
    /// assert_eq!(Evaluator::new(&module).run(&[])?.to_string(), "{ { 2, 2, 2 }, { 2, 2, 2 } }");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn broadcast(&self, operand: Op, broadcast_sizes: &[i64]) -> Result<Op, OpError> {
        let operand_shape = self.array("broadcast", "operand", 0, operand)?;
        let sizes = broadcast_sizes.iter().chain(&operand_shape.dimensions).copied();
        let result = Shape::Array(ArrayShape::new(operand_shape.element_type, sizes));
        let dimensions: Dims = (0_i64..).skip(broadcast_sizes.len()).take(operand_shape.rank()).collect();
        self.instruction(
            "broadcast",
            &[operand],
            Attrs::new().with("dimensions", ints(&dimensions)),
            Some(&result),
        )
    }

    /// `Collapse`: replaces consecutive dimensions by one whose size is their product.
    ///
    /// Lowered to a `reshape`. Empty `dimensions` do not change the array. XLA's documented example swaps the results
    /// for `{0,1}` and `{1,2}`, contrary to its own rule, which this method follows. Errors: `collapse-1` for a
    /// dimension out of range, `collapse-2` for dimensions that are not consecutive. Section: Collapse.
    ///
    /// ```
    /// # use xla_hlo::ComputationBuilder;
    /// let b = ComputationBuilder::new("e");
    /// let v = b.parameter(0, &"f32[4,2,3]".parse()?, "v")?;
    /// assert_eq!(b.shape(b.collapse(v, &[0, 1, 2])?)?.human_string(), "f32[24]");
    /// assert_eq!(b.shape(b.collapse(v, &[0, 1])?)?.human_string(), "f32[8,3]");
    /// assert_eq!(b.shape(b.collapse(v, &[1, 2])?)?.human_string(), "f32[4,6]");
    /// assert_eq!(b.collapse(v, &[0, 2]).unwrap_err().rule, "collapse-2");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn collapse(&self, operand: Op, dimensions: &[i64]) -> Result<Op, OpError> {
        let operand_shape = self.array("collapse", "operand", 0, operand)?;
        let error = |rule, message: Message| OpError::new("collapse", rule, message).at_attr("dimensions");
        let is_in_range = |d: &i64| usize::try_from(*d).is_ok_and(|d| d < operand_shape.rank());
        if let Some(d) = dimensions.iter().find(|d| !is_in_range(d)) {
            let message = Message::ops("op-dimension-range")
                .with("name", "dimensions")
                .with("dimension", *d)
                .with("rank", operand_shape.rank());
            return Err(error("collapse-1", message));
        }
        if dimensions.windows(2).any(|pair| pair[1] != pair[0] + 1) {
            let message = Message::ops("builder-collapse").with("found", comma_separated(dimensions));
            // Not empty: two adjacent dimensions were just compared.
            let (first, last) =
                dimensions.iter().fold((i64::MAX, 0), |(low, high), d| (low.min(*d), high.max(*d)));
            let consecutive: Vec<i64> = (first..=last).collect();
            return Err(error("collapse-2", message)
                .with_fix(OpPart::Attr("dimensions"), format!("{{{}}}", comma_separated(&consecutive))));
        }
        let mut sizes = operand_shape.dimensions.clone();
        if let Some(first) = dimensions.first().and_then(|d| usize::try_from(*d).ok()) {
            let product = sizes.drain(first..first + dimensions.len()).try_fold(1_i64, i64::checked_mul);
            // The rules of shapes report an overflow.
            sizes.insert(first, product.unwrap_or(i64::MAX));
        }
        self.reshape(operand, &sizes)
    }

    /// `ConcatInDim`: concatenates arrays along `dimension`.
    ///
    /// Operands have equal element types, and equal sizes in the other dimensions. Errors: `operand-count` without
    /// operands, `concatenate-2` for a dimension out of range, `-3` and `-4` for types and sizes. Section: Concatenate.
    ///
    /// ```
    /// # use xla_hlo::{ComputationBuilder, Evaluator};
    /// let b = ComputationBuilder::new("e");
    /// let [x, y, z] = [b.constant_r1(&[2, 3])?, b.constant_r1(&[4, 5])?, b.constant_r1(&[6, 7])?];
    /// b.concat_in_dim(&[x, y, z], 0)?;
    /// assert_eq!(Evaluator::new(&b.build()?).run(&[])?.to_string(), "{2, 3, 4, 5, 6, 7}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn concat_in_dim(&self, operands: &[Op], dimension: i64) -> Result<Op, OpError> {
        self.instruction("concatenate", operands, Attrs::new().with("dimensions", ints(&[dimension])), None)
    }

    /// `ConvertElementType`: converts every element to another type.
    ///
    /// Floats convert to integers by rounding toward zero and saturating, NaN to 0; numbers convert to floats by
    /// rounding to nearest even. `Edition::V2017` widens integers by the signedness of the new type. Errors:
    /// `operand-array`. Section: `ConvertElementType`.
    ///
    /// ```
    /// # use {xla_array::ElementType, xla_hlo::ComputationBuilder};
    /// let b = ComputationBuilder::new("e");
    /// let r = b.convert_element_type(b.constant_r1(&[0, 1, 2])?, ElementType::F32)?;
    /// assert_eq!(b.shape(r)?.human_string(), "f32[3]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn convert_element_type(&self, operand: Op, new_element_type: ElementType) -> Result<Op, OpError> {
        let mut result = self.array("convert", "operand", 0, operand)?;
        result.element_type = new_element_type;
        self.instruction("convert", &[operand], Attrs::new(), Some(&result.into()))
    }

    /// `Pad`: inserts `padding_value` around an array and between its elements; negative padding crops.
    ///
    /// `padding_config` has one entry per dimension; a size `n` becomes `low + n + max(n - 1, 0)·interior + high`.
    /// Errors: `pad-1` for a value that is not a scalar, `-2` for its type, `-3` for the number of entries, `-4` and
    /// `-5` for negative interior padding and sizes. Section: Pad.
    ///
    /// ```
    /// # use {xla_hlo::{ComputationBuilder, Evaluator}, xla_ops::attrs::PaddingDim};
    /// let b = ComputationBuilder::new("e");
    /// let config = [PaddingDim { low: 1, high: -1, interior: 1 }];
    /// b.pad(b.constant_r1(&[1, 2, 3])?, b.constant_r0(0)?, &config)?;
    /// assert_eq!(Evaluator::new(&b.build()?).run(&[])?.to_string(), "{0, 1, 0, 2, 0}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pad(&self, operand: Op, padding_value: Op, padding_config: &[PaddingDim]) -> Result<Op, OpError> {
        let padding = AttrValue::Padding(padding_config.iter().copied().collect());
        self.instruction("pad", &[operand, padding_value], Attrs::new().with("padding", padding), None)
    }

    /// `Reshape`: changes the sizes, keeping the row-major order of elements.
    ///
    /// Errors: `reshape-2` if the number of elements differs. Section: Reshape.
    ///
    /// ```
    /// # use xla_hlo::{ComputationBuilder, Evaluator};
    /// let b = ComputationBuilder::new("e");
    /// b.reshape(b.constant_r2(&[&[5]])?, &[])?;
    /// assert_eq!(Evaluator::new(&b.build()?).run(&[])?.to_string(), "5");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reshape(&self, operand: Op, new_sizes: &[i64]) -> Result<Op, OpError> {
        let operand_shape = self.array("reshape", "operand", 0, operand)?;
        let result = Shape::Array(ArrayShape::new(operand_shape.element_type, new_sizes.iter().copied()));
        self.instruction("reshape", &[operand], Attrs::new(), Some(&result))
    }

    /// `Reshape` with `dimensions`: collapses the operand in this order of its dimensions, the slowest-varying first,
    /// then refines it to `new_sizes`. Lowered to a `transpose`, unless in order, and a `reshape`.
    ///
    /// Errors: `transpose-1` if `dimensions` are not a permutation, `reshape-2` if the number of elements differs.
    /// Section: Reshape.
    ///
    /// ```
    /// # use xla_hlo::{ComputationBuilder, Evaluator};
    /// let b = ComputationBuilder::new("e");
    /// let v = b.constant_r2(&[&[1, 2, 3], &[4, 5, 6]])?;
    /// b.reshape_with_dimensions(v, &[1, 0], &[6])?;
    /// assert_eq!(Evaluator::new(&b.build()?).run(&[])?.to_string(), "{1, 4, 2, 5, 3, 6}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reshape_with_dimensions(
        &self,
        operand: Op,
        dimensions: &[i64],
        new_sizes: &[i64],
    ) -> Result<Op, OpError> {
        let rank = self.array("reshape", "operand", 0, operand)?.rank();
        self.transaction(|| {
            let is_identity = dimensions == permutation::identity(rank).as_slice();
            let operand = if is_identity { operand } else { self.transpose(operand, dimensions)? };
            self.reshape(operand, new_sizes)
        })
    }

    /// `Rev`: reverses dimensions; index `i` in a dimension of size `n` becomes `n - 1 - i`.
    ///
    /// Errors: `reverse-1` for a dimension out of range, `reverse-2` for a duplicate one. Section: Rev.
    ///
    /// ```
    /// # use xla_hlo::{ComputationBuilder, Evaluator};
    /// let b = ComputationBuilder::new("e");
    /// b.rev(b.constant_r1(&[1, 2, 3])?, &[0])?;
    /// assert_eq!(Evaluator::new(&b.build()?).run(&[])?.to_string(), "{3, 2, 1}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rev(&self, operand: Op, dimensions: &[i64]) -> Result<Op, OpError> {
        self.instruction("reverse", &[operand], Attrs::new().with("dimensions", ints(dimensions)), None)
    }

    /// `Select`: per element, `on_true` if `pred` is true, else `on_false`.
    ///
    /// `on_true` and `on_false` have equal shapes; `pred` has their sizes or is a scalar. `Edition::V2017`: a scalar
    /// selects between tuples, too. Errors: `select-1` for the type of `pred`, `-2` and `-3` for the shapes. Section:
    /// Select.
    ///
    /// ```
    /// # use xla_hlo::{ComputationBuilder, Evaluator};
    /// let b = ComputationBuilder::new("e");
    /// let pred = b.constant_r1(&[true, false, false, true])?;
    /// b.select(pred, b.constant_r1(&[1, 2, 3, 4])?, b.constant_r1(&[100, 200, 300, 400])?)?;
    /// assert_eq!(Evaluator::new(&b.build()?).run(&[])?.to_string(), "{1, 200, 300, 4}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn select(&self, pred: Op, on_true: Op, on_false: Op) -> Result<Op, OpError> {
        self.instruction("select", &[pred, on_true, on_false], Attrs::new(), None)
    }

    /// `Slice`: the elements from `start` (inclusive) to `limit` (exclusive) in each dimension. Like
    /// [`ComputationBuilder::strided_slice`] with strides of 1. Section: Slice.
    ///
    /// ```
    /// # use xla_hlo::{ComputationBuilder, Evaluator};
    /// let b = ComputationBuilder::new("e");
    /// b.slice(b.constant_r1(&[0, 1, 2, 3, 4])?, &[2], &[4])?;
    /// assert_eq!(Evaluator::new(&b.build()?).run(&[])?.to_string(), "{2, 3}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn slice(&self, operand: Op, start_indices: &[i64], limit_indices: &[i64]) -> Result<Op, OpError> {
        self.strided_slice(operand, start_indices, limit_indices, &[])
    }

    /// `Slice` of current XLA: the elements from `start` (inclusive) to `limit` (exclusive) with a stride, in each
    /// dimension.
    ///
    /// The lists have one entry per dimension; empty `strides` are all 1. Contrary to XLA's documentation, `start` may
    /// equal `limit`; the size is then 0. Errors: `slice-1` for the number of entries, `-2` for a stride that is not
    /// positive, `-3` for an invalid range. Section: Slice.
    ///
    /// ```
    /// # use xla_hlo::{ComputationBuilder, Evaluator};
    /// let b = ComputationBuilder::new("e");
    /// b.strided_slice(b.constant_r1(&[0, 1, 2, 3, 4])?, &[0], &[5], &[2])?;
    /// assert_eq!(Evaluator::new(&b.build()?).run(&[])?.to_string(), "{0, 2, 4}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn strided_slice(
        &self,
        operand: Op,
        start_indices: &[i64],
        limit_indices: &[i64],
        strides: &[i64],
    ) -> Result<Op, OpError> {
        let count = start_indices.len();
        let others = [("limit_indices", limit_indices.len()), ("strides", strides.len())];
        for (name, found) in others {
            if found != count && !(name == "strides" && found == 0) {
                let message = Message::ops("builder-lengths")
                    .with("name", name)
                    .with("found", found)
                    .with("other", "start_indices")
                    .with("expected", count);
                return Err(OpError::new("slice", "slice-1", message).at_attr("slice"));
            }
        }
        let ranges = (0..count).map(|d| SliceDim {
            start: start_indices[d],
            limit: limit_indices[d],
            stride: strides.get(d).copied().unwrap_or(1),
        });
        let attrs = Attrs::new().with("slice", AttrValue::Slice(ranges.collect()));
        self.insert("slice", &[operand], attrs, ShapeSource::InferredByOp)
    }

    /// `DynamicSlice`: a slice of sizes `size_indices` at start indices that are values.
    ///
    /// `start_indices` is one vector with one entry per dimension, or one scalar per dimension. Start indices are
    /// clamped to `0 ..= size - slice size`; in `Edition::V2017`, indices wrap modulo the dimension size. Errors:
    /// `dynamic-slice-1` for the number of start indices, `-2` for their types, `-3` and `-4` for the sizes. Section:
    /// `DynamicSlice`.
    ///
    /// ```
    /// # use {xla_array::Edition, xla_hlo::{ComputationBuilder, Evaluator}};
    /// for (edition, result) in [(Edition::Current, "{4, 5, 6, 7}"), (Edition::V2017, "{6, 7, 0, 1}")] {
    ///     let b = ComputationBuilder::with_edition("e", edition);
    ///     let v = b.constant_r1(&[0, 1, 2, 3, 4, 5, 6, 7])?;
    ///     b.dynamic_slice(v, &[b.constant_r1(&[6])?], &[4])?;
    ///     assert_eq!(Evaluator::new(&b.build()?).edition(edition).run(&[])?.to_string(), result);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dynamic_slice(
        &self,
        operand: Op,
        start_indices: &[Op],
        size_indices: &[i64],
    ) -> Result<Op, OpError> {
        let operands: Vec<Op> = std::iter::once(operand).chain(start_indices.iter().copied()).collect();
        let attrs = Attrs::new().with("dynamic_slice_sizes", ints(size_indices));
        self.insert("dynamic-slice", &operands, attrs, ShapeSource::InferredByOp)
    }

    /// `DynamicUpdateSlice`: `operand` overwritten by `update` at start indices that are values.
    ///
    /// `start_indices` are like for [`ComputationBuilder::dynamic_slice`], clamped to `0 ..= size - update size`. In
    /// `Edition::V2017`, elements beyond the end are dropped, and a negative start index writes nothing. Errors:
    /// `dynamic-slice-1` and `-2` for the start indices, `-4` for the update's sizes, `-5` for its type. Section:
    /// `DynamicUpdateSlice`.
    ///
    /// ```
    /// # use {xla_array::Edition, xla_hlo::{ComputationBuilder, Evaluator}};
    /// for (edition, result) in [(Edition::Current, "{0, 1, 5, 6, 7}"), (Edition::V2017, "{0, 1, 2, 5, 6}")] {
    ///     let b = ComputationBuilder::with_edition("e", edition);
    ///     let v = b.constant_r1(&[0, 1, 2, 3, 4])?;
    ///     b.dynamic_update_slice(v, b.constant_r1(&[5, 6, 7])?, &[b.constant_r1(&[3])?])?;
    ///     assert_eq!(Evaluator::new(&b.build()?).edition(edition).run(&[])?.to_string(), result);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dynamic_update_slice(&self, operand: Op, update: Op, start_indices: &[Op]) -> Result<Op, OpError> {
        let operands: Vec<Op> = [operand, update].into_iter().chain(start_indices.iter().copied()).collect();
        self.insert("dynamic-update-slice", &operands, Attrs::new(), ShapeSource::InferredByOp)
    }

    /// `Transpose`: dimension `i` of the result is dimension `permutation[i]` of the operand.
    ///
    /// Errors: `transpose-1` if it is not a permutation of the operand's dimensions. Section: Transpose.
    ///
    /// ```
    /// # use xla_hlo::{ComputationBuilder, Evaluator};
    /// let b = ComputationBuilder::new("e");
    /// b.transpose(b.constant_r2(&[&[1, 2, 3], &[4, 5, 6]])?, &[1, 0])?;
    /// let module = b.build()?;
    /// assert_eq!(Evaluator::new(&module).run(&[])?.to_string(), "{ { 1, 4 }, { 2, 5 }, { 3, 6 } }");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn transpose(&self, operand: Op, permutation: &[i64]) -> Result<Op, OpError> {
        self.instruction("transpose", &[operand], Attrs::new().with("dimensions", ints(permutation)), None)
    }
}
