//! Element-wise operations: arithmetic and comparisons of two operands, functions of one.

use super::{ComputationBuilder, Op};
use xla_ops::{AttrValue, Attrs, OpError};

/// `name "opcode" "Title" "what it does" "element types", "lhs" "rhs" => "result";`
macro_rules! binary {
    ($($name:ident $opcode:literal $title:literal $does:literal $types:literal, $a:literal $b:literal => $result:literal;)*) => {
        /// Element-wise binary arithmetic (section of that name).
        ///
        /// Operands are arrays of one element type; the result has it too. Sizes are the same, or one operand is a
        /// scalar, or dimensions of size 1 meet larger ones; an operand of lower rank says in `broadcast_dimensions`
        /// which dimension of the other each of its own is. What that implies is added as `broadcast` and `reshape`.
        impl ComputationBuilder {
            $(
            #[doc = concat!("`", $title, "`: ", $does, ".")]
            ///
            #[doc = concat!("Types: ", $types, ". Errors: `elementwise-same-type`, `elementwise-type`, `operand-array`,")]
            /// and `broadcasting-2` to `-8` where the sizes do not go together. Section: element-wise binary
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
    add "add" "Add" "the sum; integers wrap, of `pred` it is `or`" "all", "f32[2] {1, 2}" "f32[] 0.5" => "{1.5, 2.5}";
    sub "subtract" "Sub" "the difference; integers wrap" "all but `pred`", "s32[2] {1, 2}" "s32[2] {3, 1}" => "{-2, 1}";
    mul "multiply" "Mul" "the product; integers wrap, of `pred` it is `and`" "all", "s32[2] {3, 4}" "s32[] 2" => "{6, 8}";
    div "divide" "Div" "the quotient, of integers toward zero; by 0 it is -1, or the largest value of an unsigned type"
        "all but `pred`", "s32[2] {-7, 7}" "s32[2] {2, 0}" => "{-3, -1}";
    rem "remainder" "Rem" "the remainder, with the sign of the dividend; of integers by 0 it is the dividend"
        "integers and floats", "s32[2] {-7, 7}" "s32[] 4" => "{-3, 3}";
    max "maximum" "Max" "the larger; NaN wins over any number (`Edition::V2017`: any number over NaN); complex numbers by their real parts"
        "all, in 2017 no complex ones", "f32[2] {1, nan}" "f32[] 3" => "{3, nan}";
    min "minimum" "Min" "the smaller; NaN wins over any number (`Edition::V2017`: any number over NaN); complex numbers by their real parts"
        "all, in 2017 no complex ones", "f32[2] {1, 5}" "f32[] 3" => "{1, 3}";
    logical_and "and" "LogicalAnd" "both; of integers bit by bit" "`pred`, and today integers",
        "pred[2] {1, 1}" "pred[2] {1, 0}" => "{1, 0}";
    logical_or "or" "LogicalOr" "either or both; of integers bit by bit" "`pred`, and today integers",
        "pred[2] {0, 1}" "pred[2] {0, 0}" => "{0, 1}";
    pow "power" "Pow" "the power; integers wrap" "all but `pred`", "f32[2] {2, 9}" "f32[2] {10, 0.5}" => "{1024, 3}";
}

/// `name "DIRECTION" "Title" "what it asks", "result of {1, 2, nan} against 2";`
macro_rules! comparison {
    ($($name:ident $direction:literal $title:literal $asks:literal, $result:literal;)*) => {
        /// Element-wise comparisons (section of that name); operands as those of binary arithmetic.
        impl ComputationBuilder {
            $(
            #[doc = concat!("`", $title, "`: whether the left operand is ", $asks, " the right one, as `pred`.")]
            ///
            /// NaN differs from everything, itself too, and stands in no other relation. Errors: `compare-1` to `-3`
            /// (complex numbers have no order), `operand-array`, and `broadcasting-2` to `-8` where the sizes do not
            /// go together. Section: element-wise comparison operations.
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
    ne "NE" "Ne" "other than", "{1, 0, 1}";
    ge "GE" "Ge" "greater than or equal to", "{0, 1, 0}";
    gt "GT" "Gt" "greater than", "{0, 0, 0}";
    le "LE" "Le" "less than or equal to", "{1, 1, 0}";
    lt "LT" "Lt" "less than", "{1, 0, 0}";
}

impl ComputationBuilder {
    fn compare(&self, direction: &'static str, lhs: Op, rhs: Op, dimensions: &[i64]) -> Result<Op, OpError> {
        let attrs = Attrs::new().with("direction", AttrValue::Word(direction));
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
    abs "abs" "Abs" "the absolute value; of the least signed integer it is itself, of complex numbers it is real"
        "signed integers, floats, complex (`Edition::V2017`: unsigned too)", "f32[2] {-1.5, 2}" => "{1.5, 2}";
    ceil "ceil" "Ceil" "the least whole number that is not below" "floats", "f32[2] {1.25, -1.25}" => "{2, -1}";
    cos "cosine" "Cos" "the cosine" "floats and complex", "f32[1] {0}" => "{1}";
    exp "exponential" "Exp" "the natural exponential" "floats and complex", "f32[2] {0, -inf}" => "{1, 0}";
    floor "floor" "Floor" "the greatest whole number that is not above" "floats", "f32[2] {1.25, -1.25}" => "{1, -2}";
    is_finite "is-finite" "IsFinite" "whether it is neither infinite nor NaN, as `pred`" "floats",
        "f32[3] {1, inf, nan}" => "{1, 0, 0}";
    log "log" "Log" "the natural logarithm" "floats and complex", "f32[2] {1, 0}" => "{0, -inf}";
    logical_not "not" "LogicalNot" "the contrary; of integers bit by bit" "`pred`, and today integers",
        "pred[2] {1, 0}" => "{0, 1}";
    neg "negate" "Neg" "the negative; integers wrap" "all but `pred`", "s8[2] {1, -128}" => "{-1, -128}";
    sign "sign" "Sign" "-1, 0 or 1; of NaN it is NaN, of -0 it is -0 (`Edition::V2017`: both 0)"
        "signed integers, floats, complex (`Edition::V2017`: unsigned too)", "f32[3] {-7, 0, 2}" => "{-1, 0, 1}";
    tanh "tanh" "Tanh" "the hyperbolic tangent" "floats and complex", "f32[2] {0, inf}" => "{0, 1}";
}
