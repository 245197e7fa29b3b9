//! The host of a run: the infeed of `eval` (`--infeed`), its custom functions (`--call`), and the outfeed.

use std::io::Write;
use std::rc::Rc;

use serde::Serialize;

use super::arguments::EvalArgs;
use super::clock::Clock;
use super::function::Function;
use super::module::read;
use super::output::{Failure, json_line, print_error};
use super::report::report;
use super::run_options::parse_value;
use super::trace::print_value;
use crate::array::Literal;
use crate::hlo::Host;
use crate::i18n::Message;
use crate::wire::literal::AsJson;

/// The infeed and the functions that the host provides to every device.
pub(super) struct HostInputs {
    infeed: Vec<Literal>,
    functions: Vec<Rc<Function>>,
}

/// The outfeed as JSON.
#[derive(Serialize)]
struct OutfeedJson<'a> {
    outfeed: Vec<AsJson<'a>>,
}

impl HostInputs {
    /// Reads the values and the functions of the command line.
    pub fn read(out: &mut impl Write, args: &EvalArgs, clock: &Clock) -> Result<Self, Failure> {
        let mut texts = args.infeed.clone();
        if let Some(file) = &args.infeed_file {
            let lines = read(file, clock).map_err(|error| report(out, args.json, &error, ""))?;
            texts.extend(lines.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned));
        }
        let mut infeed = Vec::with_capacity(texts.len());
        for (index, text) in texts.iter().enumerate() {
            let name = Message::terminal("cli-infeed").with("number", index);
            infeed.push(parse_value(out, args.json, &name, text)?);
        }
        let mut functions = Vec::with_capacity(args.calls.len());
        for call in &args.calls {
            let code = read(&call.file, clock).map_err(|error| report(out, args.json, &error, ""))?;
            functions.push(Rc::new(Function::new(&call.name, &call.file, code, args.memory, clock)));
        }
        Ok(Self { infeed, functions })
    }

    /// The host of one device, which takes its own copy of every infeed value.
    pub fn host(&self) -> Host {
        let add_function = |host: Host, function: &Rc<Function>| {
            let callee = function.clone();
            host.custom_call(&function.name, move |arguments, shape| {
                callee.call(arguments, shape).map_err(|message| message.to_string())
            })
        };
        let host = self.functions.iter().fold(Host::default(), add_function);
        self.infeed.iter().for_each(|item| host.infeed().push(item.clone()));
        host
    }
}

/// The values in the outfeed of a host.
pub(super) fn take_outfeed(host: &Host) -> Vec<Literal> {
    std::iter::from_fn(|| host.outfeed().pop()).collect()
}

/// Prints the values in the outfeed, a line each or as one JSON object, and reports what is left of the infeed.
pub(super) fn print_outfeed(out: &mut impl Write, host: &Host, json: bool) -> Result<(), Failure> {
    report_unread_infeed(host);
    let items = take_outfeed(host);
    if json && !items.is_empty() {
        return json_line(out, &OutfeedJson { outfeed: items.iter().map(AsJson).collect() });
    }
    for item in &items {
        write!(out, "outfeed ")?;
        print_value(out, item)?;
    }
    Ok(())
}

/// Reports infeed values that the run did not take.
pub(super) fn report_unread_infeed(host: &Host) {
    let count = host.infeed().len();
    if count > 0 {
        print_error(&Message::terminal("cli-infeed-left").with("count", count).to_string());
    }
}
