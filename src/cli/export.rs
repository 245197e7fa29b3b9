//! `export`: an array, or a program with its values, as one self-contained page; or its picture.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::rc::Rc;

use super::clock::Clock;
use super::export_jax;
use super::input;
use super::module::module_or_report;
use super::output::Failure;
use super::picture::print_svg;
use super::program_arguments::ExportArgs;
use super::recording::{run_arguments, run_with_values};
use super::report::{report, report_run_error};
use super::site::Site;
use crate::array::{Edition, Literal, text};
use crate::diagnostic::{Diagnostic, Span};
use crate::experiment::Experiment;
use crate::experiment::run::FinishedRun;
use crate::hlo::Module;
use crate::i18n::{Language, Message};
use crate::snapshot::record::{Bounds, array, run as record};
use crate::snapshot::{Snapshot, page};
use crate::state::document::Document;
use crate::view::colour_map::ColourMap;
use crate::view::op_picture::OpPicture;
use crate::view::palette::Theme;

/// What is exported.
enum Subject {
    Array(Box<Document>),
    Run(Box<FinishedRun>),
}

/// Prints the page.
pub(super) fn run(out: &mut impl Write, args: &ExportArgs, clock: &Clock) -> Result<(), Failure> {
    if let Some(folder) = &args.jax {
        let (source, module) = module_or_report(&args.input, Edition::Current, clock)?;
        let arguments = arguments(out, args, &module, clock)?;
        return export_jax::run(out, folder, args, (&module, &source), arguments, clock);
    }
    let subject = subject(out, args, clock)?;
    if args.picture {
        let picture = match &subject {
            Subject::Array(document) => return print_svg(out, document, args.dark),
            Subject::Run(finished) => picture(finished, args.dark),
        };
        let picture = picture.ok_or_else(|| {
            let message = Message::terminal("cli-export-picture");
            report(out, false, &Diagnostic::error(Span::default(), "cli-export", message), "")
        })?;
        return Ok(out.write_all(picture.as_bytes())?);
    }
    let template = template(out, args)?;
    let title = args.title.clone();
    let snapshot = match &subject {
        Subject::Array(document) => array(document, &title.unwrap_or_else(|| document.shape.to_string())),
        Subject::Run(finished) => Some(record_run(finished, title)),
    };
    let page = snapshot.and_then(|snapshot| page::page(&template, &snapshot)).ok_or_else(|| {
        let message = Message::terminal("cli-export-nothing");
        report(out, false, &Diagnostic::error(Span::default(), "cli-export", message), "")
    })?;
    Ok(out.write_all(page.as_bytes())?)
}

fn record_run(finished: &FinishedRun, title: Option<String>) -> Snapshot {
    let title = title.unwrap_or_else(|| finished.module().name.clone());
    record(finished, &title, None, Language::of_output(), Bounds::PAGE)
}

/// The shape of the command line, or the run of its program.
fn subject(out: &mut impl Write, args: &ExportArgs, clock: &Clock) -> Result<Subject, Failure> {
    // Text that is a shape is taken as one, unless there is a file of this name.
    let is_file = args.input == "-" || Path::new(&args.input).is_file();
    if !is_file && text::parse_spec(&args.input).valid().is_some() {
        let input = input::valid(&args.input)?;
        return Ok(Subject::Array(Box::new(Document::with_shape(input.shape))));
    }
    let (source, module) = module_or_report(&args.input, Edition::Current, clock)?;
    let arguments = arguments(out, args, &module, clock)?;
    let outcome = run_with_values(&module, arguments, args.run.limits(), clock);
    match outcome {
        Ok(outcome) => {
            let experiment = Experiment::from_text("");
            let steps = outcome.steps;
            let finished = FinishedRun::from_values(&experiment, Rc::new(module), outcome.values, steps);
            Ok(Subject::Run(Box::new(finished)))
        }
        Err(error) => Err(report_run_error(out, false, error, &module, &source)),
    }
}

/// The arguments of a program, which must have one for each parameter.
fn arguments(
    out: &mut impl Write,
    args: &ExportArgs,
    module: &Module,
    clock: &Clock,
) -> Result<Vec<Literal>, Failure> {
    run_arguments(out, &args.run, args.replicas.unwrap_or(1), module, clock)?.ok_or_else(|| {
        let message = Message::terminal("cli-export-arguments");
        report(out, false, &Diagnostic::error(Span::default(), "cli-export", message), "")
    })
}

/// The picture of the root with its operands; `None` if it has no array, or too many.
fn picture(finished: &FinishedRun, dark: bool) -> Option<String> {
    let root = finished.module().entry_computation()?.root?;
    let picture = OpPicture::new(finished, root, 0, ColourMap::Viridis)?;
    let theme = if dark { Theme::dark() } else { Theme::light() };
    let about = Message::terminal("picture-of").to_string();
    Some(picture.svg(0, Language::of_output(), &theme, &about))
}

/// The template of the page: that of `--template`, or that of the built site.
fn template(out: &mut impl Write, args: &ExportArgs) -> Result<String, Failure> {
    let found = match &args.template {
        Some(file) => fs::read_to_string(file).map_err(|error| {
            Message::terminal("cli-export-template")
                .with("file", file.as_str())
                .with("error", error.to_string())
        }),
        None => Site::find(args.site.as_deref())
            .and_then(|site| site.template().ok_or_else(|| Message::terminal("cli-export-site"))),
    };
    found
        .map_err(|message| report(out, false, &Diagnostic::error(Span::default(), "cli-export", message), ""))
}
