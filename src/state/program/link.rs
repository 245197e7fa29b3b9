//! The link of the Program screen: `program1/`, the program, then `;name=value` for each setting that is not the default.
//!
//! | program | meaning |
//! |---|---|
//! | `@softmax` | a sample of the site |
//! | `t.` and the text | the text, percent-encoded |
//! | `z.` and base64url | the compressed text |
//! | `!` and 16 digits | a text that is too long for a link: the tab keeps it |
//!
//! | field | meaning |
//! |---|---|
//! | `at` | the selected instruction: computation, `.`, instruction |
//! | `via` | the calls that lead to it, separated by `,`: computation, `.`, instruction, `.`, number of the body |
//! | `run` | the shown execution of the selected instruction (default: 0) |
//! | `v0`, `v1` … | the value of a parameter: `iota`, `typed.` and its text, or `file.` and the name of a file (default: random) |
//! | `cell` | the chosen cell of its value: its index, after its path through tuples and `:` if it has one; `:` in a scalar |
//! | `seed` | the seed of random values |
//! | `devices` | the number of simulated devices (default: what the module states) |
//! | `device` | the device whose values are shown, from 0 (default: 0) |
//! | `view` | the shown view, by its name (default: `read`) |
//! | `with` | the program that it is compared with, as above |
//!
//! A link is read as far as possible and the rest is reported.

// Writing to a string cannot fail.
use std::fmt::Write as _;

use super::packing::{escape_fields, pack_text, unescape_fields};
use super::references::{
    Argument, Call, CellRequest, CellTarget, ChosenCell, FileArgument, InstructionKey, InstructionPath,
};
use super::samples::Sample;
use super::session::{Session, Source, own_source};
use super::source_text::SourceText;
use super::view::View;
use crate::i18n::Message;
use crate::state::compression::{COMPRESSION, Unpacked};
use crate::state::permalink::{
    LONG_LINK_CHARS, MAX_LINK_CHARS, decode, encode, field_problem, limit_problems, too_long,
};

/// The version that is written.
const VERSION: &str = "program1";

/// Maximum parameters whose values a link sets.
pub(super) const MAX_ARGUMENTS: usize = 4_096;

/// Maximum number of simulated devices. The evaluator has the same limit, but its crate is not linked to the page.
pub const MAX_DEVICES: u32 = 1024;

/// A parsed link.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// What could be read.
    pub session: Session,
    /// What could not be read.
    pub problems: Vec<Message>,
}

/// Whether a fragment belongs to the Program screen.
pub fn is_own_link(fragment: &str) -> bool {
    fragment.trim_start_matches('#').starts_with("program")
}

/// Whether the link of the text has only its key, so that the tab has to keep the text.
pub fn is_stored(text: &SourceText) -> bool {
    pack_text(text).starts_with('!')
}

/// Whether the link has only the key of the program that is compared with, so that the tab has to keep its text.
pub fn stores_other(session: &Session) -> bool {
    matches!(&session.other, Source::Own(text, _) if write(session).contains(&format!(";with=!{}", text.key())))
}

/// The fragment of a link, without `#`.
pub fn write(session: &Session) -> String {
    let mut out = match &session.source {
        Source::Empty => return "program/".to_owned(),
        source => format!("{VERSION}/{}", write_source(source)),
    };
    if let Some(InstructionPath { at, calls: path }) = &session.selected {
        let _ = write!(out, ";at={}.{}", at.computation, at.instruction);
        let call =
            |call: &Call| format!("{}.{}.{}", call.at.computation, call.at.instruction, call.callee_index);
        if !path.is_empty() {
            let _ = write!(out, ";via={}", path.iter().map(call).collect::<Vec<_>>().join(","));
        }
    }
    if session.view != View::default() {
        let _ = write!(out, ";view={}", session.view.name());
    }
    if session.execution != 0 {
        let _ = write!(out, ";run={}", session.execution);
    }
    if let Some(cell) = &session.chosen {
        let _ = write!(out, ";cell={}", write_cell(cell));
    }
    if session.seed != 0 {
        let _ = write!(out, ";seed={}", session.seed);
    }
    if let Some(devices) = session.devices {
        let _ = write!(out, ";devices={devices}");
    }
    if session.device != 0 {
        let _ = write!(out, ";device={}", session.device);
    }
    if session.other != Source::Empty {
        let other = write_source(&session.other);
        let is_short = out.len() + other.len() <= LONG_LINK_CHARS;
        match &session.other {
            Source::Own(text, _) if !is_short => {
                let _ = write!(out, ";with=!{}", text.key());
            }
            _ => {
                let _ = write!(out, ";with={other}");
            }
        }
    }
    for (number, argument) in session.arguments.iter().enumerate().take(MAX_ARGUMENTS) {
        match argument {
            Argument::Random => {}
            Argument::Iota => {
                let _ = write!(out, ";v{number}=iota");
            }
            // The elements are not in the link: the file has to be chosen again.
            Argument::File(file) => {
                let named = format!(";v{number}=file.{}", encode(&escape_fields(&file.name())));
                if out.len() + named.len() <= LONG_LINK_CHARS {
                    out.push_str(&named);
                }
            }
            Argument::Text(text) => {
                let typed = format!(";v{number}=typed.{}", encode(&escape_fields(text)));
                // Long values would displace the program from its link.
                if out.len() + typed.len() <= LONG_LINK_CHARS {
                    out.push_str(&typed);
                }
            }
        }
    }
    out
}

/// Writes a cell for a link: `2,3`, in a tuple `0.1:2,3`, in a scalar `:`.
fn write_cell(cell: &ChosenCell) -> String {
    let path = cell.path.iter().map(usize::to_string).collect::<Vec<_>>().join(".");
    let index = cell.index.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    if path.is_empty() && !index.is_empty() { index } else { format!("{path}:{index}") }
}

/// Reads what [`write_cell`] writes; whether the cell exists is known when the program has run.
fn read_cell(text: &str) -> Option<ChosenCell> {
    fn numbers<T: std::str::FromStr>(text: &str, separator: char) -> Option<Vec<T>> {
        if text.is_empty() {
            return Some(Vec::new());
        }
        text.split(separator).map(|number| number.parse().ok()).collect()
    }
    if text.is_empty() {
        return None;
    }
    let (path, index) = text.split_once(':').unwrap_or(("", text));
    Some(ChosenCell { path: numbers(path, '.')?, index: numbers(index, ',')? })
}

/// Writes a program for a link.
fn write_source(source: &Source) -> String {
    match source {
        Source::Empty => String::new(),
        Source::Sample(sample) => format!("@{}", sample.name),
        Source::Own(_, packed) => packed.0.to_string(),
        Source::Stored(key) => format!("!{key}"),
    }
}

/// Reads a fragment, with or without `#`.
pub fn read(fragment: &str) -> Loaded {
    let fragment = fragment.trim_start_matches('#');
    let mut loaded = Loaded { session: Session::default(), problems: Vec::new() };
    if fragment.len() > MAX_LINK_CHARS {
        loaded.problems.push(too_long(fragment.len(), MAX_LINK_CHARS));
        return loaded;
    }
    // Some programs percent-encode the whole fragment: then it has no slash.
    let fragment = if fragment.contains('/') { fragment.to_owned() } else { decode(fragment, b'+') };
    let (version, rest) = fragment.split_once('/').unwrap_or((&fragment, ""));
    if version != VERSION && version != "program" {
        loaded.problems.push(Message::new("link-unknown-version").with("version", version));
        return loaded;
    }
    let mut parts = rest.split(';');
    // `split` returns at least one part.
    let program = parts.next().unwrap_or_default();
    loaded.session.source = read_source(program, &mut loaded.problems);
    for part in parts.filter(|part| !part.is_empty()) {
        // A field without a value is reported.
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        if name == "with" {
            loaded.session.other = read_source(value, &mut loaded.problems);
            continue;
        }
        let value = unescape_fields(&decode(value, b' '));
        if set_field(&mut loaded.session, name, &value).is_none() {
            loaded.problems.push(field_problem(name, &value));
        }
    }
    loaded.problems = limit_problems(loaded.problems);
    loaded
}

fn read_source(program: &str, problems: &mut Vec<Message>) -> Source {
    if let Some(name) = program.strip_prefix('@') {
        let sample = Sample::by_name(name).map(Source::Sample);
        return sample.unwrap_or_else(|| {
            problems.push(field_problem("@", name));
            Source::Empty
        });
    }
    if let Some(key) = program.strip_prefix('!') {
        let is_key = key.len() == 16 && key.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_key {
            return Source::Stored(key.to_owned());
        }
    }
    if let Some(packed) = program.strip_prefix("z.") {
        let Unpacked { plain, problem } = (COMPRESSION.unpack)(packed);
        problems.extend(problem);
        return own_source(SourceText::new(plain));
    }
    if let Some(text) = program.strip_prefix("t.") {
        return own_source(SourceText::new(unescape_fields(&decode(text, b' '))));
    }
    if !program.is_empty() {
        problems.push(field_problem("", program));
    }
    Source::Empty
}

/// Numbers separated by dots.
fn read_numbers<const N: usize>(text: &str) -> Option<[u32; N]> {
    let numbers: Vec<u32> = text.split('.').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

fn read_call(text: &str) -> Option<Call> {
    let [computation, instruction, callee_index] = read_numbers(text)?;
    Some(Call { at: InstructionKey { computation, instruction }, callee_index })
}

/// Sets one field; `None` if the name is unknown or the value malformed.
fn set_field(session: &mut Session, name: &str, value: &str) -> Option<()> {
    match name {
        "at" => {
            let [computation, instruction] = read_numbers(value)?;
            session.selected =
                Some(InstructionPath { at: InstructionKey { computation, instruction }, calls: Vec::new() });
        }
        // The calls follow the instruction that they lead to.
        "via" => {
            session.selected.as_mut()?.calls = value.split(',').map(read_call).collect::<Option<_>>()?;
        }
        "run" => session.execution = value.parse().ok()?,
        "cell" => {
            let ChosenCell { path, index } = read_cell(value)?;
            let target = CellTarget::Index { path: path.clone(), index: index.clone() };
            session.cell = Some(CellRequest { target, number: 0 });
            session.chosen = Some(ChosenCell { path, index });
        }
        "seed" => session.seed = value.parse().ok()?,
        "devices" => {
            session.devices = Some(value.parse().ok().filter(|count| (1..=MAX_DEVICES).contains(count))?);
        }
        "device" => session.device = value.parse().ok().filter(|device| *device < MAX_DEVICES)?,
        "view" => session.view = View::by_name(value)?,
        _ => {
            let number: usize = name.strip_prefix('v')?.parse().ok().filter(|n| *n < MAX_ARGUMENTS)?;
            let argument = match value.split_once('.') {
                None if value == "iota" => Argument::Iota,
                Some(("typed", text)) => Argument::Text(text.to_owned()),
                Some(("file", name)) if !name.is_empty() => {
                    let (file, member) = match name.split_once('/') {
                        Some((file, member)) => (file, Some(member.to_owned())),
                        None => (name, None),
                    };
                    Argument::File(FileArgument { file: file.to_owned(), member, number: None })
                }
                _ => return None,
            };
            if session.arguments.len() <= number {
                session.arguments.resize(number + 1, Argument::Random);
            }
            session.arguments[number] = argument;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::samples::SAMPLES;
    use super::super::session::Action;
    use super::*;

    const SCAN: &str = include_str!("../../../static/programs/scan.hlo");

    fn text_of(source: &Source) -> &str {
        match source {
            Source::Own(text, _) => text.text(),
            other => panic!("no text: {other:?}"),
        }
    }

    #[test]
    fn texts_and_settings_round_trip() {
        let odd = "HloModule m; // 100 % ;z=1\nENTRY e { ROOT c = f32[] constant(1) }\n 更多 <b>";
        for text in [odd, SCAN] {
            let mut session = Session::default();
            let call = Call { at: InstructionKey { computation: 2, instruction: 9 }, callee_index: 1 };
            let selected = InstructionPath {
                at: InstructionKey { computation: 1, instruction: 4 },
                calls: vec![call, call],
            };
            for action in [
                Action::OpenText(SourceText::new(text)),
                Action::SelectExecution(selected.clone(), 12),
                Action::ChooseCell(Some(ChosenCell { path: vec![1], index: vec![0, 5] })),
                Action::SetSeed(7),
                Action::SetDevices(Some(8)),
                Action::SelectDevice(5),
                Action::Show(View::Compare),
                Action::SetArgument(0, Argument::Text("{1, 2; 100 %}".to_owned())),
                Action::SetArgument(2, Argument::Iota),
                Action::CompareWith(own_source(SourceText::new(format!("{odd}2")))),
            ] {
                session.apply(action);
            }
            let link = write(&session);
            assert!(is_own_link(&link) && link.len() < LONG_LINK_CHARS, "{}", link.len());
            let loaded = read(&link);
            assert_eq!(loaded.problems, []);
            assert_eq!(text_of(&loaded.session.source), text);
            assert_eq!(text_of(&loaded.session.other), format!("{odd}2"));
            let rest = |session: &Session| Session {
                source: Source::Empty,
                other: Source::Empty,
                // A link leads to the chosen cell.
                cell: None,
                ..session.clone()
            };
            assert_eq!(rest(&loaded.session), rest(&session));
            assert!(loaded.session.cell.is_some());
            assert_eq!(write(&loaded.session), link);
        }
    }

    #[test]
    fn cells_round_trip_and_others_are_reported() {
        let cell = |path: &[usize], index: &[i64]| ChosenCell { path: path.to_vec(), index: index.to_vec() };
        for (text, cell) in [
            ("2,3", cell(&[], &[2, 3])),
            (":", cell(&[], &[])),
            ("0.1:7", cell(&[0, 1], &[7])),
            ("2:", cell(&[2], &[])),
        ] {
            assert_eq!(read_cell(text).as_ref(), Some(&cell), "{text}");
            assert_eq!(write_cell(&cell), text);
        }
        for text in ["", "x", "1,", "1:2:3", "-1:2", "99999999999999999999"] {
            assert_eq!(read_cell(text), None, "{text}");
            assert_eq!(read(&format!("program1/@scan;cell={text}")).problems.len(), 1, "{text}");
        }
    }

    #[test]
    fn the_limit_of_devices_is_that_of_the_evaluator() {
        assert_eq!(usize::try_from(MAX_DEVICES), Ok(crate::hlo::SimulatedDevices::MAX_DEVICES));
    }

    #[test]
    fn samples_have_short_links_and_long_texts_have_keys() {
        for sample in &SAMPLES {
            let session = Session { source: Source::Sample(sample), ..Session::default() };
            assert_eq!(write(&session), format!("program1/@{}", sample.name));
            assert_eq!(read(&write(&session)).session, session);
        }
        let long = SourceText::new(SCAN.repeat(20));
        let session = Session { source: own_source(long.clone()), ..Session::default() };
        let key = long.key();
        assert_eq!(write(&session), format!("program1/!{key}"));
        assert!(is_stored(&long));
        assert_eq!(read(&write(&session)).session.source, Source::Stored(key.clone()));
        // So does a program to compare with.
        let session = Session { other: session.source, ..read("program1/@scan").session };
        assert_eq!(write(&session), format!("program1/@scan;with=!{key}"));
    }

    #[test]
    fn malformed_parts_are_reported_and_the_rest_is_read() {
        for (link, problems) in [
            ("program/", 0),
            ("program", 0),
            ("program1/", 0),
            ("program9/@softmax", 1),
            ("program1/@nonsense", 1),
            ("program1/!xyz", 1),
            ("program1/<b>", 1),
            ("program1/@softmax;at=1", 1),
            ("program1/@softmax;at=1.x;in=1;seed=-1;v=1;v99999999=iota;view=x;nope", 7),
            ("program1/@softmax;at=1.2;via=1.2.0,3", 1),
            ("program1/@softmax;devices=4;device=3", 0),
            ("program1/@softmax;devices=0;device=-1", 2),
            ("program1/@softmax;devices=1025;device=1024", 2),
            ("program1/z.!!!", 1),
            ("program1/@softmax;with=@nonsense;with=!1", 2),
        ] {
            let loaded = read(link);
            assert_eq!(loaded.problems.len(), problems, "{link}: {:?}", loaded.problems);
            assert_eq!(read(&write(&loaded.session)).session, loaded.session, "{link}");
        }
        let session = read("program1/@softmax;at=1.2;v1=iota;nope=1").session;
        assert_eq!(
            session.selected.map(|selected| selected.at),
            Some(InstructionKey { computation: 1, instruction: 2 })
        );
        assert_eq!(session.arguments, [Argument::Random, Argument::Iota]);
    }

    #[test]
    fn a_link_has_the_names_of_files_and_not_their_elements() {
        let named = |number| FileArgument {
            file: "my; weights.npz".to_owned(),
            member: Some("layer/w.npy".to_owned()),
            number,
        };
        let mut session = read("program1/@softmax").session;
        session.apply(Action::Assign(vec![(1, Argument::File(named(Some(7))))]));
        let loaded = read(&write(&session));
        assert_eq!(loaded.problems, []);
        assert_eq!(loaded.session.arguments, [Argument::Random, Argument::File(named(None))]);
    }
}
