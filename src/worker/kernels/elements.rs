//! Copies elements between buffers of the evaluator and the memory of a kernel module.

use std::ops::Range;

use js_sys::{
    ArrayBuffer, BigInt64Array, BigUint64Array, Float32Array, Float64Array, Int8Array, Int16Array,
    Int32Array, Uint8Array, Uint16Array, Uint32Array, WebAssembly,
};
use wasm_bindgen::JsValue;

use crate::array::literal::Buffer;

/// A range of the elements of a buffer.
pub type ElementRange<'a> = (&'a Buffer, Range<usize>);

macro_rules! copies {
    ($($variant:ident $array:ident $scalars:ident;)*) => {
        /// Copies elements into the module's memory at an address; `None` if the range exceeds the buffer.
        pub fn copy_to_memory(
            buffer: &Buffer,
            range: &Range<usize>,
            memory: &WebAssembly::Memory,
            address: u32,
        ) -> Option<()> {
            match buffer {
                $(Buffer::$variant(elements) => {
                    let elements = $scalars(elements.get(range.clone())?);
                    let length = u32::try_from(elements.len()).ok()?;
                    $array::new_with_byte_offset_and_length(&memory.buffer(), address, length).copy_from(elements);
                })*
            }
            Some(())
        }

        /// Copies elements from an address of the module's memory; `None` if the range exceeds the buffer.
        pub fn copy_from_memory(
            memory: &JsValue,
            address: u32,
            buffer: &mut Buffer,
            range: &Range<usize>,
        ) -> Option<()> {
            match buffer {
                $(Buffer::$variant(elements) => {
                    let elements = $scalars::mutable(elements.get_mut(range.clone())?);
                    let length = u32::try_from(elements.len()).ok()?;
                    $array::new_with_byte_offset_and_length(memory, address, length).copy_to(elements);
                })*
            }
            Some(())
        }

        /// Copies elements into a new buffer, which can be transferred; `None` if the range exceeds the buffer.
        pub fn to_array_buffer(buffer: &Buffer, range: &Range<usize>) -> Option<ArrayBuffer> {
            Some(match buffer {
                $(Buffer::$variant(elements) => {
                    $array::from($scalars(elements.get(range.clone())?)).buffer()
                })*
            })
        }
    };
}

/// The elements of a real type.
fn real<T>(elements: &[T]) -> &[T] {
    elements
}

/// The elements of a complex type, as real and imaginary buffers.
fn complex<T>(elements: &[[T; 2]]) -> &[T] {
    elements.as_flattened()
}

mod real {
    pub fn mutable<T>(elements: &mut [T]) -> &mut [T] {
        elements
    }
}

mod complex {
    pub fn mutable<T>(elements: &mut [[T; 2]]) -> &mut [T] {
        elements.as_flattened_mut()
    }
}

copies! {
    U8 Uint8Array real; I8 Int8Array real; U16 Uint16Array real; I16 Int16Array real; U32 Uint32Array real;
    I32 Int32Array real; U64 BigUint64Array real; I64 BigInt64Array real; F32 Float32Array real; F64 Float64Array real;
    C64 Float32Array complex; C128 Float64Array complex;
}
