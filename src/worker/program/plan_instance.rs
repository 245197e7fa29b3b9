//! An instance of the module of plans (`crates/program`), with one program.

use js_sys::{Array, ArrayBuffer, Function, Object, Reflect, Uint8Array, WebAssembly};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};

use super::planned::{PlanFailure, PlanObserver};
use crate::hlo::{InstructionId, Limits};
use crate::worker::kernels::file;

/// The status of a call that waits for the parts of other workers.
pub const EXCHANGE: u32 = 5;

/// An instance of the module, with its memory.
pub struct Instance {
    exports: Object,
    /// Its memory.
    pub memory: WebAssembly::Memory,
    _progress: Closure<dyn FnMut(f64, u32) -> i32>,
}

impl Instance {
    /// Instantiates the module; `None` without memory for it.
    pub fn new(compiled: &WebAssembly::Module, observer: PlanObserver) -> Option<Self> {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of steps")]
        let progress = Closure::<dyn FnMut(f64, u32) -> i32>::new(move |steps: f64, instruction: u32| {
            observer(steps as u64, InstructionId(instruction));
            1
        });
        let (imports, env) = (Object::new(), Object::new());
        Reflect::set(&env, &"progress".into(), progress.as_ref()).ok()?;
        Reflect::set(&imports, &"env".into(), &env).ok()?;
        let exports = file::instantiate_sync(compiled, &imports).ok()?.exports();
        let memory = Reflect::get(&exports, &"memory".into()).ok()?.dyn_into().ok()?;
        Some(Self { exports, memory, _progress: progress })
    }

    /// Calls an export. Its result is an `i32`, which for an address is reinterpreted as unsigned.
    pub fn call(&self, name: &str, arguments: &[f64]) -> Result<u32, PlanFailure> {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an i32 of the module, reinterpreted"
        )]
        self.number(name, arguments).map(|number| number as i64 as u32)
    }

    /// Calls an export that returns a number.
    pub fn number(&self, name: &str, arguments: &[f64]) -> Result<f64, PlanFailure> {
        let export = Reflect::get(&self.exports, &name.into()).ok();
        let export: Function =
            export.and_then(|export| export.dyn_into().ok()).ok_or(PlanFailure::Rejected)?;
        let arguments: Array = arguments.iter().copied().map(JsValue::from_f64).collect();
        let returned = export.apply(&JsValue::UNDEFINED, &arguments).map_err(|_| PlanFailure::Rejected)?;
        Ok(returned.as_f64().unwrap_or(0.0))
    }

    /// The bytes of the module's memory at an address.
    pub fn bytes(&self, address: u32, length: u32) -> Uint8Array {
        Uint8Array::new_with_byte_offset_and_length(&self.memory.buffer(), address, length)
    }

    /// Reserves memory for the input of the next call; `None` if there is none.
    fn reserve(&self, length: u32) -> Option<Uint8Array> {
        let address = self.call("reserve", &[length.into()]).ok().filter(|address| *address != 0)?;
        Some(self.bytes(address, length))
    }

    /// Writes the input of the next call; `None` without memory for it.
    pub fn write_input(&self, bytes: &[u8]) -> Option<()> {
        self.reserve(u32::try_from(bytes.len()).ok()?)?.copy_from(bytes);
        Some(())
    }

    /// Compiles a program, all of whose values are observed; `None` if plans do not support it.
    pub fn compile(&self, text: &str, seed: u32) -> Option<()> {
        self.write_input(text.as_bytes())?;
        (self.call("compile_observed", &[seed.into()]).ok()? == 0).then_some(())
    }

    /// The memory of the array with this number of the arguments; `None` if there is no such array, or no memory.
    pub fn argument(&self, number: u32) -> Option<Uint8Array> {
        let number = [f64::from(number)];
        let address = self.call("argument", &number).ok().filter(|address| *address != 0)?;
        Some(self.bytes(address, self.call("argument_bytes", &number).ok()?))
    }

    /// A copy of the part that the other workers need.
    pub fn part(&self) -> Option<ArrayBuffer> {
        let (address, length) = (self.call("part", &[]).ok()?, self.call("part_bytes", &[]).ok()?);
        Some(self.bytes(address, length).slice(0, length).buffer())
    }

    /// Writes the parts of the other workers as the input of the next call; `None` if they have another length.
    pub fn write_parts(&self, parts: &[ArrayBuffer]) -> Option<()> {
        let length = parts.iter().map(ArrayBuffer::byte_length).fold(0, u32::saturating_add);
        if self.call("other_parts_bytes", &[]).ok()? != length {
            return None;
        }
        let (input, mut start) = (self.reserve(length)?, 0);
        for part in parts {
            input.set(&Uint8Array::new(part), start);
            start += part.byte_length();
        }
        Some(())
    }
}

/// Limits as the arguments of a call.
#[allow(clippy::cast_precision_loss, reason = "limits are far below 2^53")]
pub fn limit_arguments(limits: Limits) -> [f64; 2] {
    [limits.steps as f64, limits.bytes as f64]
}
