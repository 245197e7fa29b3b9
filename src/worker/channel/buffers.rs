//! The buffers sent with a frame.

use js_sys::{Array, ArrayBuffer, Float32Array, Uint8Array, WebAssembly};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::File;

/// Typed arrays and buffers sent with a frame. Each is copied, or transferred: then the sender loses access to it.
#[derive(Clone, Debug, Default)]
pub struct Buffers {
    values: Array,
    transfer: Array,
}

impl Buffers {
    /// Adds a buffer that is transferred.
    pub fn transfer_buffer(&mut self, buffer: &ArrayBuffer) {
        self.values.push(buffer);
        self.transfer.push(buffer);
    }

    /// Adds bytes: copied once, then transferred.
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        let bytes = Uint8Array::from(bytes);
        self.values.push(&bytes);
        self.transfer.push(&bytes.buffer());
    }

    /// Buffers with a text as the only one.
    pub fn from_text(text: &str) -> Self {
        let mut buffers = Self::default();
        buffers.push_bytes(text.as_bytes());
        buffers
    }

    /// The first buffer as text; `None` if it is missing or not UTF-8.
    pub fn text(&self) -> Option<String> {
        let bytes: Uint8Array = self.get(0).dyn_into().ok()?;
        String::from_utf8(bytes.to_vec()).ok()
    }

    /// Adds an array that is transferred.
    pub fn transfer(&mut self, array: &Float32Array) {
        self.values.push(array);
        self.transfer.push(&array.buffer());
    }

    /// Adds an array that is copied.
    pub fn copy(&mut self, array: &Float32Array) {
        self.values.push(array);
    }

    /// Adds a file, which is passed by reference.
    pub fn copy_file(&mut self, file: &File) {
        self.values.push(file);
    }

    /// Adds a compiled module, which is passed by reference.
    pub fn copy_module(&mut self, module: &WebAssembly::Module) {
        self.values.push(module);
    }

    /// The buffers of a received message.
    pub(super) fn from_message(message: &Array) -> Self {
        Self { values: message.slice(1, message.length()), transfer: Array::new() }
    }

    /// A buffer by its index.
    pub fn get(&self, index: u32) -> JsValue {
        self.values.get(index)
    }

    /// The message of a frame with these buffers, and the list of those to transfer.
    pub(super) fn message(&self, frame: &str) -> (Array, &Array) {
        (Array::of1(&frame.into()).concat(&self.values), &self.transfer)
    }
}
