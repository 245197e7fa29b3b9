//! The memory of an array literal: a vector of a native type with one entry per slot, in memory order.
//!
//! A kernel reads the vector as a slice ([`Native`]); a `bool` is stored as `u8` ([`NativeElement`]). Elements narrower than
//! a byte are stored unpacked (signed ones sign-extended); [`super::ArrayLiteral::to_bytes`] packs them. Narrow floats
//! are stored as their codes.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the code of an element has the width of the entry"
)]

use super::super::{Class, ElementType, Value};
use super::error::LiteralError;
use xla_messages::bug::OrBug;

mod sealed {
    pub trait Sealed {}
}

/// A native type with the values of an element type: those that elements are stored in, and `bool`.
pub trait NativeElement: Copy + Default + PartialEq + std::fmt::Debug + sealed::Sealed + 'static {
    /// The element type with exactly these values.
    const ELEMENT_TYPE: ElementType;
    /// The type in which its elements are stored.
    type Stored: Native;
    /// The value as it is stored.
    fn stored(self) -> Self::Stored;
}

/// A native type in which elements are stored.
pub trait Native: NativeElement<Stored = Self> {
    /// The entries, if they are of this type.
    fn view(buffer: &Buffer) -> Option<&[Self]>;
    /// The entries, if they are of this type, mutable.
    fn view_mut(buffer: &mut Buffer) -> Option<&mut [Self]>;
    /// A buffer of these entries.
    fn into_buffer(entries: Vec<Self>) -> Buffer;
}

/// Calls a macro with the table of native types: a row `Variant native_type, ElementType "element types";` for each
/// variant of [`Buffer`].
///
/// ```
/// # use xla_array::literal::Buffer;
/// macro_rules! names {
///     ($($variant:ident $native:ty, $element:ident $doc:literal;)*) => {
///         fn name(buffer: &Buffer) -> &'static str {
///             match buffer { $(Buffer::$variant(_) => stringify!($native),)* }
///         }
///     };
/// }
/// xla_array::native_types!(names);
/// assert_eq!(name(&Buffer::F32(vec![1.0])), "f32");
/// ```
#[macro_export]
macro_rules! native_types {
    ($table:ident) => {
        $table! {
            U8 u8, U8 "`u8`, `u4` … `u1`, `pred` (0 or 1), and the codes of floats up to 8 bits.";
            I8 i8, S8 "`s8`, `s4` … `s1`.";
            U16 u16, U16 "`u16`, and the codes of `f16` and `bf16`.";
            I16 i16, S16 "`s16`.";
            U32 u32, U32 "`u32`.";
            I32 i32, S32 "`s32`.";
            U64 u64, U64 "`u64`.";
            I64 i64, S64 "`s64`.";
            F32 f32, F32 "`f32`.";
            F64 f64, F64 "`f64`.";
            C64 [f32; 2], C64 "`c64`: real, imaginary.";
            C128 [f64; 2], C128 "`c128`: real, imaginary.";
        }
    };
}

macro_rules! buffers {
    ($($variant:ident $native:ty, $element:ident $doc:literal;)*) => {
        /// The memory of an array: elements and padding, in memory order.
        #[derive(Clone, Debug)]
        pub enum Buffer { $(#[doc = $doc] $variant(Vec<$native>),)* }

        $(
            impl sealed::Sealed for $native {}
            impl NativeElement for $native {
                const ELEMENT_TYPE: ElementType = ElementType::$element;
                type Stored = Self;
                fn stored(self) -> Self {
                    self
                }
            }
            impl Native for $native {
                fn view(buffer: &Buffer) -> Option<&[Self]> {
                    if let Buffer::$variant(cells) = buffer { Some(cells) } else { None }
                }
                fn view_mut(buffer: &mut Buffer) -> Option<&mut [Self]> {
                    if let Buffer::$variant(cells) = buffer { Some(cells) } else { None }
                }
                fn into_buffer(entries: Vec<Self>) -> Buffer {
                    Buffer::$variant(entries)
                }
            }
        )*

        /// Evaluates a generic expression on the vector of a buffer, regardless of its type.
        macro_rules! match_buffer {
            ($buffer:expr, $cells:ident => $body:expr) => {
                match $buffer { $($crate::literal::storage::Buffer::$variant($cells) => $body,)* }
            };
        }
        pub(super) use match_buffer;
    };
}

crate::native_types!(buffers);

impl sealed::Sealed for bool {}
impl NativeElement for bool {
    const ELEMENT_TYPE: ElementType = ElementType::Pred;
    type Stored = u8;
    fn stored(self) -> u8 {
        u8::from(self)
    }
}

impl Buffer {
    /// `length` entries of `element_type`, all set to `value`.
    ///
    /// # Errors
    ///
    /// `literal-memory` if the allocation fails.
    pub fn filled(element_type: ElementType, length: usize, value: Value) -> Result<Self, LiteralError> {
        let mut one = Self::one(element_type);
        one.set(element_type, 0, value);
        match_buffer!(&one, first => repeated(first, length))
    }

    /// A buffer of one zero entry for `element_type`.
    fn one(element_type: ElementType) -> Self {
        match (element_type.class(), element_type.bytes()) {
            (Class::Signed, 1) => Self::I8(vec![0]),
            (Class::Signed, 2) => Self::I16(vec![0]),
            (Class::Signed, 4) => Self::I32(vec![0]),
            (Class::Signed, _) => Self::I64(vec![0]),
            (Class::Float, 4) => Self::F32(vec![0.0]),
            (Class::Float, 8) => Self::F64(vec![0.0]),
            (Class::Complex, 8) => Self::C64(vec![[0.0; 2]]),
            (Class::Complex, _) => Self::C128(vec![[0.0; 2]]),
            (_, 1) => Self::U8(vec![0]),
            (_, 2) => Self::U16(vec![0]),
            (_, 4) => Self::U32(vec![0]),
            _ => Self::U64(vec![0]),
        }
    }

    /// Bytes per entry of this element type.
    pub fn bytes_per_entry(element_type: ElementType) -> u64 {
        match_buffer!(&Self::one(element_type), first => size_of_val(&first[..]) as u64)
    }

    /// Bytes of all entries.
    pub fn bytes(&self) -> u64 {
        match_buffer!(self, cells => size_of_val(&cells[..]) as u64)
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        match_buffer!(self, cells => cells.len())
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entries, if they are of type `T`.
    pub fn as_slice<T: Native>(&self) -> Option<&[T]> {
        T::view(self)
    }

    /// The entries, if they are of type `T`, mutable.
    pub fn as_mut_slice<T: Native>(&mut self) -> Option<&mut [T]> {
        T::view_mut(self)
    }

    /// The value in a slot, as an element of `element_type`; `None` out of bounds.
    pub fn get(&self, element_type: ElementType, slot: usize) -> Option<Value> {
        let code = |code: u64| Value::from_bits(element_type, code.into());
        Some(match self {
            Self::U8(cells) => code((*cells.get(slot)?).into()),
            Self::U16(cells) => code((*cells.get(slot)?).into()),
            Self::U32(cells) => Value::Uint((*cells.get(slot)?).into()),
            Self::U64(cells) => Value::Uint(*cells.get(slot)?),
            Self::I8(cells) => Value::Int((*cells.get(slot)?).into()),
            Self::I16(cells) => Value::Int((*cells.get(slot)?).into()),
            Self::I32(cells) => Value::Int((*cells.get(slot)?).into()),
            Self::I64(cells) => Value::Int(*cells.get(slot)?),
            Self::F32(cells) => match *cells.get(slot)? {
                cell if cell.is_nan() => code(cell.to_bits().into()),
                cell => Value::Float(cell.into()),
            },
            Self::F64(cells) => Value::Float(*cells.get(slot)?),
            Self::C64(cells) => {
                let [re, im] = cells.get(slot)?.map(|part| u128::from(part.to_bits()));
                Value::from_bits(ElementType::C64, re | im << 32)
            }
            Self::C128(cells) => {
                let [re, im] = *cells.get(slot)?;
                Value::Complex(re, im)
            }
        })
    }

    /// Writes a slot, converting the value to `element_type`; `None` out of bounds.
    pub fn set(&mut self, element_type: ElementType, slot: usize, value: Value) -> Option<()> {
        let code = || value.to_bits(element_type);
        let integer = || value.convert(element_type).as_index();
        match self {
            Self::U8(cells) => *cells.get_mut(slot)? = code() as u8,
            Self::U16(cells) => *cells.get_mut(slot)? = code() as u16,
            Self::U32(cells) => *cells.get_mut(slot)? = code() as u32,
            Self::U64(cells) => *cells.get_mut(slot)? = code() as u64,
            Self::I8(cells) => *cells.get_mut(slot)? = integer() as i8,
            Self::I16(cells) => *cells.get_mut(slot)? = integer() as i16,
            Self::I32(cells) => *cells.get_mut(slot)? = integer() as i32,
            Self::I64(cells) => *cells.get_mut(slot)? = integer(),
            Self::F32(cells) => {
                *cells.get_mut(slot)? = match value {
                    Value::Float(value) if !value.is_nan() => value as f32,
                    _ => f32::from_bits(code() as u32),
                };
            }
            Self::F64(cells) => *cells.get_mut(slot)? = f64::from_bits(code() as u64),
            Self::C64(cells) => {
                let code = code();
                *cells.get_mut(slot)? = [f32::from_bits(code as u32), f32::from_bits((code >> 32) as u32)];
            }
            Self::C128(cells) => {
                let code = code();
                *cells.get_mut(slot)? = [f64::from_bits(code as u64), f64::from_bits((code >> 64) as u64)];
            }
        }
        Some(())
    }
}

/// A buffer of copies of the first entry.
fn repeated<T: Native>(first: &[T], length: usize) -> Result<Buffer, LiteralError> {
    let mut entries = Vec::new();
    entries.try_reserve_exact(length).map_err(|_| LiteralError::no_memory(length))?;
    entries.resize(length, first.first().copied().or_bug(T::default(), "no first entry"));
    Ok(T::into_buffer(entries))
}
