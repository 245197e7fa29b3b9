//! Typed slices of a buffer: the elements of an array in memory order.

#![allow(unsafe_code, reason = "copies access elements as bytes")]

macro_rules! slices {
    ($($variant:ident $native:ty, $doc:literal;)*) => {
        /// A read-only slice of elements, in memory order.
        #[derive(Clone, Copy, Debug)]
        pub enum Slice<'a> { $(#[doc = $doc] $variant(&'a [$native]),)* }

        /// A mutable slice of elements, in memory order.
        #[derive(Debug)]
        pub enum SliceMut<'a> { $(#[doc = $doc] $variant(&'a mut [$native]),)* }

        /// A native type that elements of arrays are stored as.
        pub trait Element: Copy + Default + PartialEq + std::fmt::Debug + 'static {
            /// The elements; `None` if they are stored as another type.
            fn view<'a>(slice: &Slice<'a>) -> Option<&'a [Self]>;
            /// The elements; `None` if they are stored as another type.
            fn view_mut<'s>(slice: &'s mut SliceMut<'_>) -> Option<&'s mut [Self]>;
        }

        $(impl Element for $native {
            fn view<'a>(slice: &Slice<'a>) -> Option<&'a [Self]> {
                if let Slice::$variant(elements) = slice { Some(elements) } else { None }
            }
            fn view_mut<'s>(slice: &'s mut SliceMut<'_>) -> Option<&'s mut [Self]> {
                if let SliceMut::$variant(elements) = slice { Some(elements) } else { None }
            }
        })*

        impl<'a> Slice<'a> {
            /// The bytes of the elements, in native byte order.
            pub fn as_bytes(&self) -> &'a [u8] {
                match self {
                    $(Self::$variant(elements) => {
                        // SAFETY: these types have no padding bytes.
                        unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(*elements)) }
                    })*
                }
            }
        }

        impl Slice<'_> {
            /// The number of elements.
            pub fn len(&self) -> usize {
                match self { $(Self::$variant(elements) => elements.len(),)* }
            }

            /// The bytes of an element.
            pub fn element_bytes(&self) -> usize {
                match self { $(Self::$variant(_) => size_of::<$native>(),)* }
            }
        }

        impl SliceMut<'_> {
            /// The number of elements.
            pub fn len(&self) -> usize {
                match self { $(Self::$variant(elements) => elements.len(),)* }
            }

            /// The bytes of an element.
            pub fn element_bytes(&self) -> usize {
                match self { $(Self::$variant(_) => size_of::<$native>(),)* }
            }

            /// The bytes of the elements, in native byte order.
            pub fn as_bytes_mut(&mut self) -> &mut [u8] {
                match self {
                    $(Self::$variant(elements) => {
                        // SAFETY: these types have no padding bytes, and every bit pattern is a value.
                        unsafe { std::slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), size_of_val(*elements)) }
                    })*
                }
            }

            /// The elements, read-only.
            pub fn as_slice(&self) -> Slice<'_> {
                match self { $(Self::$variant(elements) => Slice::$variant(elements),)* }
            }
        }

        /// An owned buffer of elements.
        #[derive(Debug)]
        pub enum TypedVec { $(#[doc = $doc] $variant(Vec<$native>),)* }

        impl<'a> Slice<'a> {
            /// The `length` elements from slot `from` on; empty if they exceed the slice, which the check of the task excludes.
            #[must_use]
            pub fn part(&self, from: usize, length: usize) -> Slice<'a> {
                match self {
                    $(Self::$variant(elements) => Slice::$variant(elements.get(from..from + length).unwrap_or_default()),)*
                }
            }
        }

        impl SliceMut<'_> {
            /// The `length` elements from slot `from` on; empty if they exceed the slice, which the check of the task excludes.
            pub fn part(&mut self, from: usize, length: usize) -> SliceMut<'_> {
                match self {
                    $(Self::$variant(elements) => {
                        SliceMut::$variant(elements.get_mut(from..from + length).unwrap_or_default())
                    })*
                }
            }

            /// Allocates `length` zeros of the same native type.
            pub fn zeroed_like(&self, length: usize) -> TypedVec {
                self.as_slice().zeroed_like(length)
            }
        }

        impl Slice<'_> {
            /// Allocates `length` zeros of the same native type.
            pub fn zeroed_like(&self, length: usize) -> TypedVec {
                match self { $(Self::$variant(_) => TypedVec::$variant(vec![<$native>::default(); length]),)* }
            }
        }

        impl TypedVec {
            /// The first `length` elements.
            pub fn prefix(&self, length: usize) -> Slice<'_> {
                match self { $(Self::$variant(elements) => Slice::$variant(&elements[..length]),)* }
            }

            /// The first `length` elements.
            pub fn prefix_mut(&mut self, length: usize) -> SliceMut<'_> {
                match self { $(Self::$variant(elements) => SliceMut::$variant(&mut elements[..length]),)* }
            }

            /// Fills the first `length` elements with the element of `from` at `slot`, if both have the same type.
            pub fn fill_prefix(&mut self, from: &Slice, slot: usize, length: usize) {
                match (self, from) {
                    $((Self::$variant(to), Slice::$variant(from)) => to[..length].fill(from[slot]),)*
                    _ => {}
                }
            }
        }
    };
}

slices! {
    U8 u8, "`u8`, `pred`, and the bits of types of 8 bits or fewer.";
    I8 i8, "`s8`.";
    U16 u16, "`u16`, and the bits of `f16` and `bf16`.";
    I16 i16, "`s16`.";
    U32 u32, "`u32`.";
    I32 i32, "`s32`.";
    U64 u64, "`u64`.";
    I64 i64, "`s64`.";
    F32 f32, "`f32`.";
    F64 f64, "`f64`.";
    C64 [f32; 2], "`c64`.";
    C128 [f64; 2], "`c128`.";
}

/// Reinterprets elements as unsigned integers of their width: calls `$bits` for the variants that change, `$unchanged` for the
/// others.
macro_rules! as_unsigned {
    ($slice:expr, $bits:ident, $other:ident => $unchanged:expr) => {
        match $slice {
            Self::I8(elements) => $bits!(elements U8 u8),
            Self::I16(elements) => $bits!(elements U16 u16),
            Self::I32(elements) => $bits!(elements U32 u32),
            Self::F32(elements) => $bits!(elements U32 u32),
            Self::I64(elements) => $bits!(elements U64 u64),
            Self::F64(elements) => $bits!(elements U64 u64),
            $other => $unchanged,
        }
    };
}

impl<'a> Slice<'a> {
    /// The same elements as unsigned integers of their width; complex numbers are unchanged.
    #[allow(unsafe_code, reason = "the same memory, read as bits")]
    #[must_use]
    pub fn as_bits(&self) -> Slice<'a> {
        macro_rules! bits {
            ($elements:ident $variant:ident $native:ty) => {
                // SAFETY: both types have the same size and every pattern of bits is a value; the new type's alignment
                // is no larger.
                Slice::$variant(unsafe { std::slice::from_raw_parts($elements.as_ptr().cast::<$native>(), $elements.len()) })
            };
        }
        as_unsigned!(self, bits, other => *other)
    }
}

impl SliceMut<'_> {
    /// The same elements as unsigned integers of their width; complex numbers are unchanged.
    #[allow(unsafe_code, reason = "the same memory, read as bits")]
    pub fn as_bits_mut(&mut self) -> SliceMut<'_> {
        macro_rules! bits {
            ($elements:ident $variant:ident $native:ty) => {{
                let length = $elements.len();
                // SAFETY: as in `as_bits`; the elements are borrowed mutably.
                SliceMut::$variant(unsafe {
                    std::slice::from_raw_parts_mut($elements.as_mut_ptr().cast::<$native>(), length)
                })
            }};
        }
        as_unsigned!(self, bits, other => {
            let length = other.len();
            other.part(0, length)
        })
    }
}

impl Slice<'_> {
    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl SliceMut<'_> {
    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The bytes of words.
pub fn bytes_of(words: &mut [u32]) -> &mut [u8] {
    // SAFETY: words have no padding bytes, and every bit pattern is a value.
    unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
}
