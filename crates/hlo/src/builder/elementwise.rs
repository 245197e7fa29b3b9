//! Element-wise operations: binary arithmetic, comparisons, unary functions.

use super::{ComputationBuilder, Op};
use xla_ops::{AttrValue, Attrs, OpError};

/// `name "opcode" "Title" "what it does" "element types", "lhs" "rhs" => "result";`
macro_rules! binary {
    ($($name:ident $opcode:literal $title:literal $does:literal $types:literal, $a:literal $b:literal => $result:literal;)*) => {
        /// Element-wise binary arithmetic (section of that name).
        ///
        /// Operands and result have one element type. Operands of different sizes are broadcast: scalars, dimensions of
        /// size 1, and, by `broadcast_dimensions`, the operand of lower rank. The implied `broadcast` and `reshape`
        /// instructions are added.
        impl ComputationBuilder {
            $(
            #[doc = concat!("`", $title, "`: ", $does, ".")]
            ///
            #[doc = concat!("Types: ", $types, ". Errors: `elementwise-same-type`, `elementwise-type`, `operand-array`,")]
            /// and `broadcasting-2` to `-8` if the sizes cannot be broadcast. Section: element-wise binary
            /// arithmetic operations.
            ///
            /// ```
            /// # use xla_hlo::{ComputationBuilder, Evaluator};
            /// let b = ComputationBuilder::new("e");
            #[doc = concat!("let x = b.constant_literal(\"", $a, "\".parse()?)?;")]
            #[doc = concat!("let y = b.constant_literal(\"", $b, "\".parse()?)?;")]
            #[doc = concat!("b.", stringify!($name), "(x, y, &[])?;")]
            #[doc = concat!("assert_eq!(Evaluator::new(&b.build()?).run(&[])?.to_string(), \"", $result, "\");")]
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn $name(&self, lhs: Op, rhs: Op, broadcast_dimensions: &[i64]) -> Result<Op, OpError> {
                self.binary($opcode, [lhs, rhs], broadcast_dimensions, Attrs::new())
            }
            )*
        }
    };
}

binary! {
    add "add" "Add" "the sum; integers wrap; `or` for `pred`" "all", "f32[2] {1, 2}" "f32[] 0.5" => "{1.5, 2.5}";
    sub "subtract" "Sub" "the difference; integers wrap" "all but `pred`", "s32[2] {1, 2}" "s32[2] {3, 1}" => "{-2, 1}";
    mul "multiply" "Mul" "the product; integers wrap; `and` for `pred`" "all", "s32[2] {3, 4}" "s32[] 2" => "{6, 8}";
    div "divide" "Div" "the quotient; integers round toward zero; integer division by 0 gives -1, unsigned the largest value"
        "all but `pred`", "s32[2] {-7, 7}" "s32[2] {2, 0}" => "{-3, -1}";
    rem "remainder" "Rem" "the remainder, with the sign of the dividend; the dividend for integer division by 0"
        "integers and floats", "s32[2] {-7, 7}" "s32[] 4" => "{-3, 3}";
    max "maximum" "Max" "the maximum; NaN if either is NaN (`Edition::V2017`: the other operand); complex numbers by real part"
        "all (`Edition::V2017`: not complex)", "f32[2] {1, nan}" "f32[] 3" => "{3, nan}";
    min "minimum" "Min" "the minimum; NaN if either is NaN (`Edition::V2017`: the other operand); complex numbers by real part"
        "all (`Edition::V2017`: not complex)", "f32[2] {1, 5}" "f32[] 3" => "{1, 3}";
    logical_and "and" "LogicalAnd" "logical and; bitwise for integers" "`pred` and integers (`Edition::V2017`: `pred`)",
        "pred[2] {1, 1}" "pred[2] {1, 0}" => "{1, 0}";
    logical_or "or" "LogicalOr" "logical or; bitwise for integers" "`pred` and integers (`Edition::V2017`: `pred`)",
        "pred[2] {0, 1}" "pred[2] {0, 0}" => "{0, 1}";
    pow "power" "Pow" "the power; integers wrap" "all but `pred`", "f32[2] {2, 9}" "f32[2] {10, 0.5}" => "{1024, 3}";
}

/// `name "DIRECTION" "Title" "relation", "result of {1, 2, nan} compared with 2";`
macro_rules! comparison {
    ($($name:ident $direction:literal $title:literal $relation:literal, $result:literal;)*) => {
        /// Element-wise comparisons (section of that name), with operands like binary arithmetic.
        impl ComputationBuilder {
            $(
            #[doc = concat!("`", $title, "`: whether the left operand is ", $relation, " the right one, as `pred`.")]
            ///
            /// NaN is unequal to everything, including itself, and unordered. Errors: `compare-1` to `-3`
            /// (complex numbers are unordered), `operand-array`, and `broadcasting-2` to `-8` if the sizes cannot be
            /// broadcast. Section: element-wise comparison operations.
            ///
            /// ```
            /// # use xla_hlo::{ComputationBuilder, Evaluator};
            /// let b = ComputationBuilder::new("e");
            /// let x = b.constant_literal("f32[3] {1, 2, nan}".parse()?)?;
            #[doc = concat!("b.", stringify!($name), "(x, b.constant_r0(2.0_f32)?, &[])?;")]
            #[doc = concat!("assert_eq!(Evaluator::new(&b.build()?).run(&[])?.to_string(), \"", $result, "\");")]
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn $name(&self, lhs: Op, rhs: Op, broadcast_dimensions: &[i64]) -> Result<Op, OpError> {
                self.compare($direction, lhs, rhs, broadcast_dimensions)
            }
            )*
        }
    };
}

comparison! {
    eq "EQ" "Eq" "equal to", "{0, 1, 0}";
    ne "NE" "Ne" "not equal to", "{1, 0, 1}";
    ge "GE" "Ge" "greater than or equal to", "{0, 1, 0}";
    gt "GT" "Gt" "greater than", "{0, 0, 0}";
    le "LE" "Le" "less than or equal to", "{1, 1, 0}";
    lt "LT" "Lt" "less than", "{1, 0, 0}";
}

impl ComputationBuilder {
    fn compare(&self, direction: &'static str, lhs: Op, rhs: Op, dimensions: &[i64]) -> Result<Op, OpError> {
        let attrs = Attrs::new().with("direction", AttrValue::Keyword(direction));
        self.binary("compare", [lhs, rhs], dimensions, attrs)
    }
}

/// `name "opcode" "Title" "what it does" "element types", "operand" => "result";`
macro_rules! unary {
    ($($name:ident $opcode:literal $title:literal $does:literal $types:literal, $a:literal => $result:literal;)*) => {
        /// Element-wise functions of one array (section of that name); the result has its sizes.
        impl ComputationBuilder {
            $(
            #[doc = concat!("`", $title, "`: ", $does, ".")]
            ///
            #[doc = concat!("Types: ", $types, ". Errors: `elementwise-type`, `operand-array`. Section: element-wise")]
            /// unary functions.
            ///
            /// ```
            /// # use xla_hlo::{ComputationBuilder, Evaluator};
            /// let b = ComputationBuilder::new("e");
            #[doc = concat!("b.", stringify!($name), "(b.constant_literal(\"", $a, "\".parse()?)?)?;")]
            #[doc = concat!("assert_eq!(Evaluator::new(&b.build()?).run(&[])?.to_string(), \"", $result, "\");")]
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn $name(&self, operand: Op) -> Result<Op, OpError> {
                self.instruction($opcode, &[operand], Attrs::new(), None)
            }
            )*
        }
    };
}

unary! {
    abs "abs" "Abs" "the absolute value, which wraps for the minimum of a signed type; real for complex numbers"
        "signed integers, floats, complex (`Edition::V2017`: unsigned too)", "f32[2] {-1.5, 2}" => "{1.5, 2}";
    ceil "ceil" "Ceil" "rounds up to an integer" "floats", "f32[2] {1.25, -1.25}" => "{2, -1}";
    cos "cosine" "Cos" "the cosine" "floats and complex", "f32[1] {0}" => "{1}";
    exp "exponential" "Exp" "the natural exponential" "floats and complex", "f32[2] {0, -inf}" => "{1, 0}";
    floor "floor" "Floor" "rounds down to an integer" "floats", "f32[2] {1.25, -1.25}" => "{1, -2}";
    is_finite "is-finite" "IsFinite" "whether the operand is neither infinite nor NaN, as `pred`" "floats",
        "f32[3] {1, inf, nan}" => "{1, 0, 0}";
    log "log" "Log" "the natural logarithm" "floats and complex", "f32[2] {1, 0}" => "{0, -inf}";
    logical_not "not" "LogicalNot" "logical not; bitwise for integers" "`pred` and integers (`Edition::V2017`: `pred`)",
        "pred[2] {1, 0}" => "{0, 1}";
    neg "negate" "Neg" "the negation; integers wrap" "all but `pred`", "s8[2] {1, -128}" => "{-1, -128}";
    sign "sign" "Sign" "-1, 0 or 1; NaN for NaN and -0 for -0 (`Edition::V2017`: 0 for both)"
        "signed integers, floats, complex (`Edition::V2017`: unsigned too)", "f32[3] {-7, 0, 2}" => "{-1, 0, 1}";
    tanh "tanh" "Tanh" "the hyperbolic tangent" "floats and complex", "f32[2] {0, inf}" => "{0, 1}";
}
