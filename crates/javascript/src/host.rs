//! The host of a run: functions of custom calls, and the queues of infeed and outfeed.

use js_sys::{Array, Function, Object, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use xla_array::{Literal, Shape};
use xla_hlo::Host;
use xla_wire::diagnostic_record::DiagnosticRecord;

use crate::values::{read_literal, read_literals, record};

/// Reads the host from a record `{calls: [[target, function]], infeed: [record]}`.
///
/// # Errors
///
/// An invalid infeed value.
pub fn read_host(options: &JsValue) -> Result<Host, DiagnosticRecord> {
    let list = |name: &str| {
        let value = Reflect::get(options, &name.into()).unwrap_or(JsValue::UNDEFINED);
        value.dyn_into::<Array>().unwrap_or_default()
    };
    let mut host = Host::default();
    for entry in list("calls").iter() {
        let pair = Array::from(&entry);
        let (target, function) = (pair.get(0).as_string(), pair.get(1).dyn_into::<Function>());
        if let (Some(target), Ok(function)) = (target, function) {
            host = host.custom_call_async(&target, move |arguments, shape| {
                call_function(function.clone(), arguments, shape)
            });
        }
    }
    for item in read_literals(&list("infeed"))? {
        host.infeed().push(item);
    }
    Ok(host)
}

/// Calls a function of the package, which checks and converts arguments and result, and never rejects: it resolves to
/// `{value: record}` or `{error: text}`.
async fn call_function(function: Function, arguments: Vec<Literal>, shape: Shape) -> Result<Literal, String> {
    let records: Result<Vec<JsValue>, DiagnosticRecord> = arguments.iter().map(record).collect();
    let records: Array = records.map_err(|error| error.message)?.into_iter().collect();
    drop(arguments);
    let returned = function.call2(&JsValue::UNDEFINED, &records, &shape.to_string().into());
    let returned = returned.ok().and_then(|returned| returned.dyn_into::<Promise>().ok());
    let answer = match returned {
        Some(promise) => JsFuture::from(promise).await.unwrap_or(JsValue::UNDEFINED),
        None => JsValue::UNDEFINED,
    };
    let field = |name: &str| Reflect::get(&answer, &name.into()).unwrap_or(JsValue::UNDEFINED);
    match field("error").as_string() {
        Some(error) => Err(error),
        None => read_literal(&field("value")).map_err(|error| error.message),
    }
}

/// The values in the outfeed, as records.
///
/// # Errors
///
/// No memory for another layout.
pub fn outfeed(host: &Host) -> Result<Array, DiagnosticRecord> {
    let items = Array::new();
    while let Some(item) = host.outfeed().pop() {
        items.push(&record(&item)?);
    }
    Ok(items)
}

/// The record `{value, outfeed}` of a run.
pub fn result_record(value: &JsValue, outfeed: &Array) -> JsValue {
    let object = Object::new();
    // A new plain object has no setters that could fail.
    let _ = Reflect::set(&object, &"value".into(), value);
    let _ = Reflect::set(&object, &"outfeed".into(), outfeed);
    object.into()
}
