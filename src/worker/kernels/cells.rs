//! Copies cells between the engine's buffers and JavaScript's memory, at the speed of memory.

use std::ops::Range;

use js_sys::{
    ArrayBuffer, BigInt64Array, BigUint64Array, Float32Array, Float64Array, Int8Array, Int16Array,
    Int32Array, Uint8Array, Uint16Array, Uint32Array, WebAssembly,
};
use wasm_bindgen::JsValue;

use crate::array::literal::Buffer;

/// Some cells of a buffer.
pub type CellRange<'a> = (&'a Buffer, Range<usize>);

macro_rules! copies {
    ($($variant:ident $array:ident $flat:ident;)*) => {
        /// Copies cells into the module's memory, at an address.
        pub(super) fn copy_to_memory(buffer: &Buffer, range: &Range<usize>, memory: &WebAssembly::Memory, at: u32) {
            match buffer {
                $(Buffer::$variant(cells) => {
                    let cells = $flat(cells.get(range.clone()).unwrap_or_default());
                    let length = u32::try_from(cells.len()).unwrap_or(0);
                    $array::new_with_byte_offset_and_length(&memory.buffer(), at, length).copy_from(cells);
                })*
            }
        }

        /// Copies cells out of memory, from an address.
        pub fn copy_from_memory(memory: &JsValue, at: u32, buffer: &mut Buffer, range: &Range<usize>) {
            match buffer {
                $(Buffer::$variant(cells) => {
                    let cells = $flat::mutable(cells.get_mut(range.clone()).unwrap_or_default());
                    let length = u32::try_from(cells.len()).unwrap_or(0);
                    $array::new_with_byte_offset_and_length(memory, at, length).copy_to(cells);
                })*
            }
        }

        /// Cells as a buffer of their own, which can be transferred.
        pub fn to_array_buffer(buffer: &Buffer, range: &Range<usize>) -> ArrayBuffer {
            match buffer {
                $(Buffer::$variant(cells) => {
                    $array::from($flat(cells.get(range.clone()).unwrap_or_default())).buffer()
                })*
            }
        }
    };
}

/// Cells that are numbers.
fn each<T>(cells: &[T]) -> &[T] {
    cells
}

/// Cells that are pairs of numbers.
fn pairs<T>(cells: &[[T; 2]]) -> &[T] {
    cells.as_flattened()
}

mod each {
    pub fn mutable<T>(cells: &mut [T]) -> &mut [T] {
        cells
    }
}

mod pairs {
    pub fn mutable<T>(cells: &mut [[T; 2]]) -> &mut [T] {
        cells.as_flattened_mut()
    }
}

copies! {
    U8 Uint8Array each; I8 Int8Array each; U16 Uint16Array each; I16 Int16Array each; U32 Uint32Array each;
    I32 Int32Array each; U64 BigUint64Array each; I64 BigInt64Array each; F32 Float32Array each; F64 Float64Array each;
    C64 Float32Array pairs; C128 Float64Array pairs;
}
