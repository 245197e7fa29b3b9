//! Attributes as typed values: their kinds, their schema in an op's [`OpMeta`](super::OpMeta), and their text.
//!
//! Invariant: `Display` of a value is the canonical text of XLA, and `hlo::parser` reads it back to an equal value.
//! Each [`AttrKind`] has one editor in the form and one case in the parser; no op has special ones.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;
use std::sync::Arc;

use smallvec::SmallVec;

use xla_array::value::text::Exactness;
use xla_array::{Dims, Edition, Literal};
use xla_messages::diagnostic::{Diagnostic, Span};
use xla_messages::escape;
use xla_messages::i18n::Message;

/// A computation of the same module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ComputationId(pub u32);

/// The syntax of an attribute's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttrKind {
    /// Numbers in braces, `{0,1}`: dimension numbers or sizes.
    Ints,
    /// Groups of numbers, `{{0,1},{2,3}}`, or the short form `[2,2]<=[4]`.
    IntLists,
    /// An integer: `iota_dimension=0`.
    Int,
    /// `true` or `false`.
    Bool,
    /// A floating-point number.
    Float,
    /// One of these keywords.
    Keyword(&'static [&'static str]),
    /// `low_high[_interior]` per dimension, joined by `x`.
    Padding,
    /// `{size=2x3 stride=2x2 pad=0_0x1_1 …}`.
    Window,
    /// `bf01_oi01->bf01`.
    DimLabels,
    /// `{[0:4], [1:3:2]}`.
    Slice,
    /// The name of a computation, or its body in braces.
    Computation,
    /// Names of computations in braces.
    Computations,
    /// A number in parentheses in place of the operands.
    Number,
    /// A literal in parentheses in place of the operands.
    Literal,
    /// A quoted string.
    String,
    /// Any text with balanced brackets, kept verbatim.
    Text,
}

impl AttrKind {
    /// Whether a value is of this kind.
    pub fn accepts(self, value: &AttrValue) -> bool {
        match value {
            AttrValue::Ints(_) => self == Self::Ints,
            AttrValue::IntLists(_) => self == Self::IntLists,
            AttrValue::Int(_) => matches!(self, Self::Int | Self::Number),
            AttrValue::Bool(_) => self == Self::Bool,
            AttrValue::Float(_) => self == Self::Float,
            AttrValue::Keyword(word) => matches!(self, Self::Keyword(words) if words.contains(word)),
            AttrValue::Padding(_) => self == Self::Padding,
            AttrValue::Window(_) => self == Self::Window,
            AttrValue::DimLabels(_) => self == Self::DimLabels,
            AttrValue::Slice(_) => self == Self::Slice,
            AttrValue::Computation(_) => self == Self::Computation,
            AttrValue::Computations(_) => self == Self::Computations,
            AttrValue::Literal(_) | AttrValue::Elided => self == Self::Literal,
            AttrValue::String(_) | AttrValue::Bytes(_) => self == Self::String,
            AttrValue::Text(_) => self == Self::Text,
        }
    }
}

/// The array to whose dimensions the numbers of an attribute refer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DimensionsOf {
    /// The dimensions of this operand.
    Operand(usize),
    /// The indices of a scatter: its middle operand.
    ScatterIndices,
    /// The last operand.
    LastOperand,
    /// The dimensions of the result.
    Result,
}

/// The schema of an attribute of an op.
#[derive(Debug)]
pub struct AttrSpec {
    /// Its name in HLO text.
    pub name: &'static str,
    /// The syntax of its value.
    pub kind: AttrKind,
    /// Whether an instruction without it is an error.
    pub required: bool,
    /// Description: a message key.
    pub description: &'static str,
    /// The first edition that has it.
    pub since: Edition,
    /// The array of which its values are dimension numbers; `None` if they are not dimension numbers.
    pub dimensions_of: Option<DimensionsOf>,
}

impl AttrSpec {
    /// An attribute that every instruction of the op has.
    pub const fn required(name: &'static str, kind: AttrKind, description: &'static str) -> Self {
        Self { name, kind, required: true, description, since: Edition::V2017, dimensions_of: None }
    }

    /// An attribute that may be omitted.
    pub const fn optional(name: &'static str, kind: AttrKind, description: &'static str) -> Self {
        Self { name, kind, required: false, description, since: Edition::V2017, dimensions_of: None }
    }

    /// The same, only in current XLA; unnecessary where XLA 2017 does not have the op either.
    #[must_use]
    pub const fn current_only(self) -> Self {
        Self { since: Edition::Current, ..self }
    }

    /// The same, with values that are dimension numbers of this array.
    #[must_use]
    pub const fn dimensions_of(self, array: DimensionsOf) -> Self {
        Self { dimensions_of: Some(array), ..self }
    }
}

/// Padding of one dimension, in elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PaddingDim {
    /// Before the first element; negative crops.
    pub low: i64,
    /// After the last element; negative crops.
    pub high: i64,
    /// Between two adjacent elements.
    pub interior: i64,
}

/// One dimension of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowDim {
    /// The number of elements of the window.
    pub size: i64,
    /// The distance between adjacent windows, in elements of the dilated and padded base.
    pub stride: i64,
    /// Padding before the first element; negative crops.
    pub pad_low: i64,
    /// Padding after the last element; negative crops.
    pub pad_high: i64,
    /// `lhs_dilate`: the distance between adjacent elements of the base; 1 is dense.
    pub base_dilation: i64,
    /// `rhs_dilate`: the distance between adjacent elements of the window; 1 is dense.
    pub window_dilation: i64,
    /// `rhs_reversal`: whether the window's elements are in reverse order.
    pub reversal: bool,
}

impl Default for WindowDim {
    fn default() -> Self {
        Self {
            size: 1,
            stride: 1,
            pad_low: 0,
            pad_high: 0,
            base_dilation: 1,
            window_dilation: 1,
            reversal: false,
        }
    }
}

/// Start, limit and stride of one dimension of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceDim {
    /// The first index.
    pub start: i64,
    /// One past the last index.
    pub limit: i64,
    /// The distance between indices.
    pub stride: i64,
}

/// The role of a dimension of a convolution's array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DimLabel {
    /// `b`.
    Batch,
    /// `f`.
    Feature,
    /// `i`: input feature of the kernel.
    Input,
    /// `o`: output feature of the kernel.
    Output,
    /// A digit: a spatial dimension.
    Spatial(u8),
    /// `?`: not used.
    Unused,
}

impl DimLabel {
    /// The label of this character.
    pub fn from_char(c: char) -> Option<Self> {
        Some(match c {
            'b' => Self::Batch,
            'f' => Self::Feature,
            'i' => Self::Input,
            'o' => Self::Output,
            '?' => Self::Unused,
            _ => Self::Spatial(u8::try_from(c.to_digit(10)?).ok()?),
        })
    }
}

impl Display for DimLabel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Batch => f.write_str("b"),
            Self::Feature => f.write_str("f"),
            Self::Input => f.write_str("i"),
            Self::Output => f.write_str("o"),
            Self::Spatial(n) => write!(f, "{n}"),
            Self::Unused => f.write_str("?"),
        }
    }
}

/// The dimension labels of a convolution: left operand, right operand, result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DimLabels(pub [SmallVec<[DimLabel; 6]>; 3]);

impl FromStr for DimLabels {
    type Err = Box<Diagnostic>;

    /// In HLO text: `bf01_oi01->bf01`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = |text: &str| text.chars().map(DimLabel::from_char).collect::<Option<SmallVec<_>>>();
        let read = || {
            let (operands, out) = text.split_once("->")?;
            let (lhs, rhs) = operands.split_once('_')?;
            Some(Self([parse(lhs)?, parse(rhs)?, parse(out)?]))
        };
        read().ok_or_else(|| {
            let message =
                Message::ops("hlo-expected").with("expected", "bf01_oi01->bf01").with("found", text);
            Box::new(Diagnostic::error(Span::new(0, text.len()), "hlo-attribute-value", message))
        })
    }
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum AttrValue {
    /// A value of [`AttrKind::Ints`].
    Ints(Dims),
    /// A value of [`AttrKind::IntLists`].
    IntLists(Vec<Dims>),
    /// A value of [`AttrKind::Int`] and [`AttrKind::Number`].
    Int(i64),
    /// A value of [`AttrKind::Bool`].
    Bool(bool),
    /// A value of [`AttrKind::Float`].
    Float(f64),
    /// A value of [`AttrKind::Keyword`].
    Keyword(&'static str),
    /// A value of [`AttrKind::Padding`].
    Padding(SmallVec<[PaddingDim; 4]>),
    /// A value of [`AttrKind::Window`].
    Window(SmallVec<[WindowDim; 2]>),
    /// A value of [`AttrKind::DimLabels`].
    DimLabels(DimLabels),
    /// A value of [`AttrKind::Slice`].
    Slice(SmallVec<[SliceDim; 4]>),
    /// A value of [`AttrKind::Computation`].
    Computation(ComputationId),
    /// A value of [`AttrKind::Computations`].
    Computations(Vec<ComputationId>),
    /// A value of [`AttrKind::Literal`].
    Literal(Arc<Literal>),
    /// A literal whose values are elided in the text (`{...}`): only its shape is known.
    Elided,
    /// A value of [`AttrKind::String`], unescaped and without quotation marks.
    String(String),
    /// A value of [`AttrKind::String`] whose escapes are not UTF-8.
    Bytes(Vec<u8>),
    /// A value of [`AttrKind::Text`], and any attribute of an unknown opcode: on one line, without comments and control
    /// characters.
    Text(String),
}

impl AttrValue {
    /// The value of a quoted string with these unescaped bytes.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::String(text.to_owned()),
            Err(_) => Self::Bytes(bytes.to_owned()),
        }
    }
}

fn list<T: Display>(
    f: &mut Formatter<'_>,
    items: impl IntoIterator<Item = T>,
    separator: &str,
) -> fmt::Result {
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            f.write_str(separator)?;
        }
        write!(f, "{item}")?;
    }
    Ok(())
}

impl Display for PaddingDim {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.low, self.high)
    }
}

/// A window in braces.
fn window(f: &mut Formatter<'_>, dims: &[WindowDim]) -> fmt::Result {
    let default = WindowDim::default();
    f.write_str("{size=")?;
    list(f, dims.iter().map(|d| d.size), "x")?;
    if dims.iter().any(|d| d.stride != default.stride) {
        f.write_str(" stride=")?;
        list(f, dims.iter().map(|d| d.stride), "x")?;
    }
    if dims.iter().any(|d| d.pad_low != 0 || d.pad_high != 0) {
        f.write_str(" pad=")?;
        list(f, dims.iter().map(|d| PaddingDim { low: d.pad_low, high: d.pad_high, interior: 0 }), "x")?;
    }
    if dims.iter().any(|d| d.base_dilation != 1) {
        f.write_str(" lhs_dilate=")?;
        list(f, dims.iter().map(|d| d.base_dilation), "x")?;
    }
    if dims.iter().any(|d| d.window_dilation != 1) {
        f.write_str(" rhs_dilate=")?;
        list(f, dims.iter().map(|d| d.window_dilation), "x")?;
    }
    if dims.iter().any(|d| d.reversal) {
        f.write_str(" rhs_reversal=")?;
        list(f, dims.iter().map(|d| u8::from(d.reversal)), "x")?;
    }
    f.write_str("}")
}

impl Display for AttrValue {
    /// The text after `name=` as XLA prints it, but -0 is `-0.0`, which round-trips, and computations are printed by
    /// number, as only the module knows their names.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ints(ints) => {
                f.write_str("{")?;
                list(f, ints, ",")?;
                f.write_str("}")
            }
            Self::IntLists(lists) => {
                f.write_str("{")?;
                list(f, lists.iter().map(|ints| Self::Ints(ints.clone())), ",")?;
                f.write_str("}")
            }
            Self::Int(n) => write!(f, "{n}"),
            Self::Bool(b) => write!(f, "{b}"),
            Self::Float(x) => {
                let text =
                    xla_array::Value::Float(*x).text(xla_array::ElementType::F32, Exactness::RoundTrip);
                f.write_str(&text)
            }
            Self::Keyword(word) => f.write_str(word),
            Self::Padding(dims) => {
                let with_interior = dims.iter().any(|d| d.interior != 0);
                let text = |d: &PaddingDim| {
                    if with_interior { format!("{d}_{}", d.interior) } else { d.to_string() }
                };
                list(f, dims.iter().map(text), "x")
            }
            Self::Window(dims) => window(f, dims),
            Self::DimLabels(DimLabels([lhs, rhs, out])) => {
                list(f, lhs, "")?;
                f.write_str("_")?;
                list(f, rhs, "")?;
                f.write_str("->")?;
                list(f, out, "")
            }
            Self::Slice(dims) => {
                f.write_str("{")?;
                let with_strides = dims.iter().any(|d| d.stride != 1);
                let text = |d: &SliceDim| {
                    let stride = if with_strides { format!(":{}", d.stride) } else { String::new() };
                    format!("[{}:{}{stride}]", d.start, d.limit)
                };
                list(f, dims.iter().map(text), ", ")?;
                f.write_str("}")
            }
            Self::Computation(id) => write!(f, "#{}", id.0),
            Self::Computations(ids) => {
                f.write_str("{")?;
                list(f, ids.iter().map(|id| format!("#{}", id.0)), ", ")?;
                f.write_str("}")
            }
            Self::Literal(literal) => f.write_str(&literal.text(Exactness::RoundTrip)),
            Self::Elided => f.write_str(xla_array::literal::print::ELIDED),
            Self::String(text) => write!(f, "\"{}\"", escape::c::escape(text.as_bytes())),
            Self::Bytes(bytes) => write!(f, "\"{}\"", escape::c::escape(bytes)),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// The attributes of an instruction, by name, each once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attrs(Vec<(&'static str, AttrValue)>);

impl Attrs {
    /// An empty list of attributes.
    pub fn new() -> Self {
        Self::default()
    }

    /// The attributes with `name` set.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: AttrValue) -> Self {
        self.set(name, value);
        self
    }

    /// Sets an attribute.
    pub fn set(&mut self, name: &'static str, value: AttrValue) {
        match self.0.iter_mut().find(|(n, _)| *n == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// Frees unused capacity: most instructions have at most one attribute.
    pub fn shrink(&mut self) {
        self.0.shrink_to_fit();
    }

    /// The value of an attribute, if it is set.
    pub fn get(&self, name: &str) -> Option<&AttrValue> {
        self.0.iter().find(|(n, _)| *n == name).map(|(_, value)| value)
    }

    /// All of them, in the order they were set.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &AttrValue)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    /// The called computations.
    pub fn computations(&self) -> impl Iterator<Item = ComputationId> + '_ {
        self.0.iter().flat_map(|(_, value)| match value {
            AttrValue::Computation(id) => std::slice::from_ref(id).to_vec(),
            AttrValue::Computations(ids) => ids.clone(),
            _ => Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_print_as_xla_prints_them() {
        let window = |dims: &[WindowDim]| AttrValue::Window(dims.iter().copied().collect()).to_string();
        let plain = WindowDim { size: 2, ..WindowDim::default() };
        assert_eq!(window(&[plain]), "{size=2}");
        let odd = WindowDim { size: 3, stride: 2, pad_high: -1, base_dilation: 2, reversal: true, ..plain };
        assert_eq!(
            window(&[plain, odd]),
            "{size=2x3 stride=1x2 pad=0_0x0_-1 lhs_dilate=1x2 rhs_reversal=0x1}"
        );
        let pad = |interior| {
            let dims = [PaddingDim { low: 1, high: -2, interior }, PaddingDim::default()];
            AttrValue::Padding(dims.into_iter().collect()).to_string()
        };
        assert_eq!([pad(0), pad(3)], ["1_-2x0_0", "1_-2_3x0_0_0"]);
        let slice = [SliceDim { start: 0, limit: 4, stride: 1 }, SliceDim { start: 1, limit: 3, stride: 2 }];
        assert_eq!(AttrValue::Slice(slice.into_iter().collect()).to_string(), "{[0:4:1], [1:3:2]}");
    }
}
