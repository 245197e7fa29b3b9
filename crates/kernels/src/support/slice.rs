//! Typed slices of a buffer: the cells of an array in memory order.

#![allow(unsafe_code, reason = "copies access plain cells as bytes")]

macro_rules! slices {
    ($($variant:ident $native:ty, $doc:literal;)*) => {
        /// A read-only slice of cells, in memory order.
        #[derive(Clone, Copy, Debug)]
        pub enum Slice<'a> { $(#[doc = $doc] $variant(&'a [$native]),)* }

        /// A mutable slice of cells, in memory order.
        #[derive(Debug)]
        pub enum SliceMut<'a> { $(#[doc = $doc] $variant(&'a mut [$native]),)* }

        /// A native type that cells are stored as.
        pub trait Cell: Copy + Default + PartialEq + std::fmt::Debug + 'static {
            /// The cells; `None` if they are stored as another type.
            fn view<'a>(slice: &Slice<'a>) -> Option<&'a [Self]>;
            /// The cells; `None` if they are stored as another type.
            fn view_mut<'s>(slice: &'s mut SliceMut<'_>) -> Option<&'s mut [Self]>;
        }

        $(impl Cell for $native {
            fn view<'a>(slice: &Slice<'a>) -> Option<&'a [Self]> {
                if let Slice::$variant(cells) = slice { Some(cells) } else { None }
            }
            fn view_mut<'s>(slice: &'s mut SliceMut<'_>) -> Option<&'s mut [Self]> {
                if let SliceMut::$variant(cells) = slice { Some(cells) } else { None }
            }
        })*

        impl<'a> Slice<'a> {
            /// The bytes of the cells, in native byte order.
            pub fn as_bytes(&self) -> &'a [u8] {
                match self {
                    $(Self::$variant(cells) => {
                        // SAFETY: these types have no padding bytes.
                        unsafe { std::slice::from_raw_parts(cells.as_ptr().cast(), size_of_val(*cells)) }
                    })*
                }
            }
        }

        impl Slice<'_> {
            /// The number of cells.
            pub fn len(&self) -> usize {
                match self { $(Self::$variant(cells) => cells.len(),)* }
            }

            /// The bytes of a cell.
            pub fn cell_bytes(&self) -> usize {
                match self { $(Self::$variant(_) => size_of::<$native>(),)* }
            }
        }

        impl SliceMut<'_> {
            /// The number of cells.
            pub fn len(&self) -> usize {
                match self { $(Self::$variant(cells) => cells.len(),)* }
            }

            /// The bytes of a cell.
            pub fn cell_bytes(&self) -> usize {
                match self { $(Self::$variant(_) => size_of::<$native>(),)* }
            }

            /// The bytes of the cells, in native byte order.
            pub fn as_bytes_mut(&mut self) -> &mut [u8] {
                match self {
                    $(Self::$variant(cells) => {
                        // SAFETY: these types have no padding bytes, and every bit pattern is a value.
                        unsafe { std::slice::from_raw_parts_mut(cells.as_mut_ptr().cast(), size_of_val(*cells)) }
                    })*
                }
            }

            /// The cells, read-only.
            pub fn as_slice(&self) -> Slice<'_> {
                match self { $(Self::$variant(cells) => Slice::$variant(cells),)* }
            }
        }

        /// An owned buffer of cells.
        #[derive(Debug)]
        pub enum Cells { $(#[doc = $doc] $variant(Vec<$native>),)* }

        impl<'a> Slice<'a> {
            /// The `length` cells from slot `from` on; empty if they exceed the slice, which the check of the task excludes.
            #[must_use]
            pub fn part(&self, from: usize, length: usize) -> Slice<'a> {
                match self {
                    $(Self::$variant(cells) => Slice::$variant(cells.get(from..from + length).unwrap_or_default()),)*
                }
            }
        }

        impl SliceMut<'_> {
            /// The `length` cells from slot `from` on; empty if they exceed the slice, which the check of the task excludes.
            pub fn part(&mut self, from: usize, length: usize) -> SliceMut<'_> {
                match self {
                    $(Self::$variant(cells) => {
                        SliceMut::$variant(cells.get_mut(from..from + length).unwrap_or_default())
                    })*
                }
            }

            /// Allocates `length` zeros of the same native type.
            pub fn zeroed_like(&self, length: usize) -> Cells {
                self.as_slice().zeroed_like(length)
            }
        }

        impl Slice<'_> {
            /// Allocates `length` zeros of the same native type.
            pub fn zeroed_like(&self, length: usize) -> Cells {
                match self { $(Self::$variant(_) => Cells::$variant(vec![<$native>::default(); length]),)* }
            }
        }

        impl Cells {
            /// The first `length` cells.
            pub fn prefix(&self, length: usize) -> Slice<'_> {
                match self { $(Self::$variant(cells) => Slice::$variant(&cells[..length]),)* }
            }

            /// The first `length` cells.
            pub fn prefix_mut(&mut self, length: usize) -> SliceMut<'_> {
                match self { $(Self::$variant(cells) => SliceMut::$variant(&mut cells[..length]),)* }
            }

            /// Fills the first `length` cells with the cell of `from` at `slot`, if both have the same type.
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

/// Reinterprets cells as unsigned integers of their width: calls `$bits` for the variants that change, `$unchanged` for the
/// others.
macro_rules! as_unsigned {
    ($slice:expr, $bits:ident, $other:ident => $unchanged:expr) => {
        match $slice {
            Self::I8(cells) => $bits!(cells U8 u8),
            Self::I16(cells) => $bits!(cells U16 u16),
            Self::I32(cells) => $bits!(cells U32 u32),
            Self::F32(cells) => $bits!(cells U32 u32),
            Self::I64(cells) => $bits!(cells U64 u64),
            Self::F64(cells) => $bits!(cells U64 u64),
            $other => $unchanged,
        }
    };
}

impl<'a> Slice<'a> {
    /// The same cells as unsigned integers of their width; complex numbers are unchanged.
    #[allow(unsafe_code, reason = "the same memory, read as bits")]
    #[must_use]
    pub fn as_bits(&self) -> Slice<'a> {
        macro_rules! bits {
            ($cells:ident $variant:ident $native:ty) => {
                // SAFETY: both types have the same size and every pattern of bits is a value; the new type's alignment
                // is no larger.
                Slice::$variant(unsafe { std::slice::from_raw_parts($cells.as_ptr().cast::<$native>(), $cells.len()) })
            };
        }
        as_unsigned!(self, bits, other => *other)
    }
}

impl SliceMut<'_> {
    /// The same cells as unsigned integers of their width; complex numbers are unchanged.
    #[allow(unsafe_code, reason = "the same memory, read as bits")]
    pub fn as_bits_mut(&mut self) -> SliceMut<'_> {
        macro_rules! bits {
            ($cells:ident $variant:ident $native:ty) => {{
                let length = $cells.len();
                // SAFETY: as in `as_bits`; the cells are borrowed mutably.
                SliceMut::$variant(unsafe {
                    std::slice::from_raw_parts_mut($cells.as_mut_ptr().cast::<$native>(), length)
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
    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl SliceMut<'_> {
    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The bytes of words.
pub fn bytes_of(words: &mut [u32]) -> &mut [u8] {
    // SAFETY: words have no padding bytes, and every bit pattern is a value.
    unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
}
