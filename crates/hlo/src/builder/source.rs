//! Parameters and constants.

use std::sync::Arc;

use super::{ComputationBuilder, Op};
use xla_array::literal::{LiteralError, NativeElement};
use xla_array::{ArrayLiteral, ArrayShape, ElementType, Layout, Literal, Shape};
use xla_messages::i18n::Message;
use xla_ops::{AttrValue, Attrs, OpError};

/// Adds the default layout to arrays without one.
fn with_layouts(shape: &Shape) -> Shape {
    match shape {
        Shape::Array(array) if array.layout.is_none() => {
            let array: ArrayShape = array.clone();
            let layout = Layout::descending(array.rank());
            Shape::Array(array.with_layout(layout))
        }
        Shape::Tuple(elements) => Shape::Tuple(elements.iter().map(with_layouts).collect()),
        other => other.clone(),
    }
}

fn literal_error(error: LiteralError) -> OpError {
    OpError::new("constant", error.rule, error.message)
}

fn unordered_type_error(element_type: ElementType) -> OpError {
    let message = Message::ops("builder-order").with("type", element_type.name());
    OpError::new("constant", "builder-order", message)
}

/// A length as a dimension size; a slice in memory always fits.
fn size(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// Parameters and constants.
impl ComputationBuilder {
    /// `Parameter`: parameter `number` of the computation. An invalid or taken name is adjusted.
    ///
    /// Parameters may be added in any order. Errors: `parameter-1` for a negative number, `hlo-parameters` for a
    /// duplicate one, and the rules of shapes (`shape-2`, `layout-1` …).
    ///
    /// ```
    /// # use xla_hlo::ComputationBuilder;
    /// let b = ComputationBuilder::new("e");
    /// b.parameter(0, &"f32[2,3]{0,1}".parse()?, "x")?;
    /// assert_eq!(b.parameter(0, &"f32[]".parse()?, "y").unwrap_err().rule, "hlo-parameters");
    /// assert!(b.build()?.to_string().contains("ROOT x = f32[2,3]{0,1} parameter(0)"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parameter(&self, number: i64, shape: &Shape, name: &str) -> Result<Op, OpError> {
        let number_attr = AttrValue::Int(number);
        let is_taken = self.state.borrow().body.instructions.iter().any(|instruction| {
            instruction.opcode == "parameter"
                && instruction.attrs.get("parameter_number") == Some(&number_attr)
        });
        if is_taken {
            let message = Message::ops("hlo-parameter-twice").with("number", number);
            return Err(OpError::new("parameter", "hlo-parameters", message));
        }
        let attrs = Attrs::new().with("parameter_number", number_attr);
        let op = self.instruction("parameter", &[], attrs, Some(&with_layouts(shape)))?;
        self.state.borrow_mut().rename(op.id, name);
        Ok(op)
    }

    /// `ConstantLiteral`: a constant array or tuple.
    ///
    /// ```
    /// # use xla_hlo::{ComputationBuilder, Evaluator};
    /// let b = ComputationBuilder::new("e");
    /// b.constant_literal("(f32[2], s32[]) ( {1, 2}, 5 )".parse()?)?;
    /// assert_eq!(Evaluator::new(&b.build()?).run(&[])?.to_string(), "( {1, 2}, 5 )");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn constant_literal(&self, literal: Literal) -> Result<Op, OpError> {
        let shape = with_layouts(&literal.shape());
        let attrs = Attrs::new().with("literal", AttrValue::Literal(Arc::new(literal)));
        self.instruction("constant", &[], attrs, Some(&shape))
    }

    /// `MinValue`: the lowest value of a type as a scalar constant, e.g. to start a maximum with
    /// ([`Literal::min_value`]). Errors: `builder-order` for complex types.
    ///
    /// ```
    /// # use {xla_array::ElementType, xla_hlo::{ComputationBuilder, Evaluator}};
    /// let b = ComputationBuilder::new("e");
    /// b.min_value(ElementType::F32)?;
    /// assert_eq!(Evaluator::new(&b.build()?).run(&[])?.to_string(), "-inf");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn min_value(&self, element_type: ElementType) -> Result<Op, OpError> {
        self.constant_literal(
            Literal::min_value(element_type).ok_or_else(|| unordered_type_error(element_type))?,
        )
    }

    /// `MaxValue`: the highest value of a type as a scalar constant, e.g. to start a minimum with
    /// ([`Literal::max_value`]). Errors: `builder-order` for complex types.
    pub fn max_value(&self, element_type: ElementType) -> Result<Op, OpError> {
        self.constant_literal(
            Literal::max_value(element_type).ok_or_else(|| unordered_type_error(element_type))?,
        )
    }

    /// `ConstantR0`: a scalar constant of the element type of `T` (`pred` for `bool`).
    pub fn constant_r0<T: NativeElement>(&self, value: T) -> Result<Op, OpError> {
        self.constant_literal(ArrayLiteral::from_slice([], &[value]).map_err(literal_error)?.into())
    }

    /// `ConstantR1`: a vector constant.
    pub fn constant_r1<T: NativeElement>(&self, values: &[T]) -> Result<Op, OpError> {
        let literal = ArrayLiteral::from_slice([size(values.len())], values).map_err(literal_error)?;
        self.constant_literal(literal.into())
    }

    /// `ConstantR2`: a matrix constant, by rows. Errors: `literal-count` if rows differ in length.
    ///
    /// ```
    /// # use xla_hlo::ComputationBuilder;
    /// let b = ComputationBuilder::new("e");
    /// let m = b.constant_r2(&[&[1_i32, 2, 3], &[4, 5, 6]])?;
    /// assert_eq!(b.shape(m)?.to_string(), "s32[2,3]{1,0}");
    /// assert!(b.constant_r2::<i32>(&[&[1, 2], &[3]]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn constant_r2<T: NativeElement>(&self, rows: &[&[T]]) -> Result<Op, OpError> {
        let columns = rows.first().map_or(0, |row| row.len());
        let sizes = [size(rows.len()), size(columns)];
        let flat = rows.concat();
        if let Some(row) = rows.iter().find(|row| row.len() != columns) {
            let message = Message::new("literal-value-count")
                .with("size", size(columns))
                .with("found", size(row.len()));
            return Err(OpError::new("constant", "literal-count", message));
        }
        let literal = ArrayLiteral::from_slice(sizes, &flat).map_err(literal_error)?;
        self.constant_literal(literal.into())
    }
}
