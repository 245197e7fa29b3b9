//! `eval --replicas`: runs a module on several devices and prints the result of each.

use std::io::{self, Write};

use serde::Serialize;

use super::arguments::EvalArgs;
use super::clock::Clock;
use super::host::{HostInputs, report_unread_infeed, take_outfeed};
use super::observer::{ProgressStyle, RunObserver};
use super::output::{Failure, json_line};
use super::report::{report, report_run_error};
use super::run_options::limits;
use super::trace::{Tracer, print_value};
use crate::array::Literal;
use crate::diagnostic::{Diagnostic, Hint, Severity, Span};
use crate::hlo::{EvalError, Host, Limits, Module, SimulatedDevices};
use crate::i18n::Message;
use crate::ops::OpError;
use crate::wire::literal::AsJson;

/// The result of a replica as JSON.
#[derive(Serialize)]
struct ReplicaResult<'a> {
    replica: usize,
    result: AsJson<'a>,
    /// Its outfeed; omitted if it is empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outfeed: Vec<AsJson<'a>>,
}

/// A note that a module for several devices runs on one: its result is that of device 0.
pub(super) fn single_device_note(module: &Module, source: &str) -> Option<Diagnostic> {
    let devices = module.replicas().saturating_mul(module.partitions());
    let attribute = if module.partitions() > 1 { "num_partitions" } else { "replica_count" };
    let start = source.find(attribute)?;
    let message = Message::terminal("cli-single-device").with("devices", devices);
    let note = Diagnostic::error(Span::new(start, start + attribute.len()), "replicas", message);
    (devices > 1).then_some(Diagnostic { severity: Severity::Note, ..note })
}

/// The arguments of each replica: `values`, which are those of one replica, for all, or those of every replica.
pub(super) fn arguments(
    out: &mut impl Write,
    module: &Module,
    is_json: bool,
    replicas: usize,
    values: Vec<Literal>,
) -> Result<Vec<Vec<Literal>>, Failure> {
    let parameters = module.entry_computation().map_or(0, |entry| entry.parameters.len());
    if values.len() == parameters {
        return Ok(vec![values; replicas]);
    }
    let needed = parameters.saturating_mul(replicas);
    if values.len() == needed {
        return Ok(values.chunks(parameters.max(1)).map(<[Literal]>::to_vec).collect());
    }
    let message = Message::terminal("cli-replica-arguments")
        .with("found", values.len())
        .with("parameters", parameters)
        .with("all", needed);
    let hint = Hint::advice(Message::terminal("cli-hint-replica-arguments"));
    Err(report(out, is_json, &Diagnostic::error(Span::default(), "replicas", message).with_hint(hint), ""))
}

/// Runs the module on this many replicas.
pub(super) fn run(
    out: &mut impl Write,
    (module, source): (&Module, &str),
    args: &EvalArgs,
    replicas: usize,
    values: Vec<Literal>,
    clock: &Clock,
) -> Result<(), Failure> {
    let arguments = arguments(out, module, args.json, replicas, values)?;
    let inputs = HostInputs::read(out, args, clock)?;
    let hosts: Vec<Host> = (0..replicas).map(|_| inputs.host()).collect();
    // One line of progress is enough: the steps are those of all replicas.
    let style =
        |device| if device == 0 { ProgressStyle::for_stderr(args.progress) } else { ProgressStyle::Hidden };
    let mut observers: Vec<RunObserver<'_, io::Sink>> = (0..replicas)
        .map(|device| RunObserver::new(module, clock.clone(), style(device), None::<Tracer<'_, io::Sink>>))
        .collect();
    let mut devices = SimulatedDevices::new(module, replicas)
        .edition(args.edition.into())
        .limits(limits(args, Limits::default().steps));
    for (device, (host, observer)) in hosts.iter().zip(&mut observers).enumerate() {
        devices = devices.host(device, host).observer(device, observer);
    }
    let result = devices.run(&arguments);
    drop(devices);
    observers.iter_mut().for_each(RunObserver::clear);
    let results = result.map_err(|failed| {
        let error = match failed.device {
            Some(device) => {
                let error = observers
                    .get(device)
                    .map_or(failed.error.clone(), |observer| observer.with_stop_reason(failed.error));
                let message = Message::terminal("cli-replica-error")
                    .with("replica", device)
                    .with("error", error.error.message.clone());
                EvalError { error: Box::new(OpError { message, ..*error.error }), ..error }
            }
            None => failed.error,
        };
        report_run_error(out, args.json, error, module, source)
    })?;
    for (replica, (result, host)) in results.iter().zip(&hosts).enumerate() {
        report_unread_infeed(host);
        let outfeed_values = take_outfeed(host);
        if args.json {
            let outfeed = outfeed_values.iter().map(AsJson).collect();
            json_line(out, &ReplicaResult { replica, result: AsJson(result), outfeed })?;
            continue;
        }
        write!(out, "{} ", Message::terminal("cli-replica").with("replica", replica))?;
        print_value(out, result)?;
        for item in &outfeed_values {
            write!(out, "{} outfeed ", Message::terminal("cli-replica").with("replica", replica))?;
            print_value(out, item)?;
        }
    }
    Ok(())
}
