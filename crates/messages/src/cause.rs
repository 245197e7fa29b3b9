//! Causes of failures of the parts of the app that are loaded separately: workers, kernel modules, translations, dialogs.
//!
//! Each cause has a message, which ends with what to do, and the remedies that a page offers with it. [`Cause::code`]
//! is the form in which a worker sends it to the page. [`Cause::of_error`] maps the error text of a browser to a
//! cause; it uses no web types, so that native tests cover it.

use std::panic::PanicHookInfo;

use crate::compact::{contains, find, rfind};
use crate::i18n::Message;

/// A part of the app that is loaded separately, and failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A worker that the page started.
    Worker,
    /// A WebAssembly module of the kernels.
    Kernels,
    /// The messages of a language other than English.
    Translation,
    /// Code that is loaded on demand: dialogs, the layout comparison (`extras.wasm`), and the export page.
    OnDemandCode,
}

/// The cause of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Not loaded: the browser is offline.
    Offline,
    /// Not loaded: the server did not respond.
    Unreachable,
    /// Not loaded: the server responded with this HTTP status.
    Status(u16),
    /// Loaded, but not a valid script, module or text.
    Corrupt,
    /// Loading stalled for this many seconds.
    TimedOut(u32),
    /// Out of memory; the requested bytes, if known.
    OutOfMemory(Option<u64>),
    /// A WebAssembly trap, a panic or an uncaught exception, which is a bug; with the name of the kernel or the error text.
    Crashed(String),
    /// It belongs to another release than the page.
    ReleaseMismatch,
    /// The browser has no WebAssembly SIMD.
    NoSimd,
    /// The browser has no relaxed SIMD.
    NoRelaxedSimd,
    /// The browser does not allow workers here, e.g. in a frame of an opaque origin.
    NotAllowed,
    /// It ended for an unknown reason.
    Unknown,
}

/// An action that a page offers for a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Repeat what failed.
    Retry,
    /// Reload the page.
    Reload,
}

/// The maximum length of a displayed error text: about two lines.
const MAX_ERROR_CHARS: usize = 160;

/// Parts of the error texts by which browsers and the Rust runtime report out of memory, in lower case.
const OUT_OF_MEMORY: [&str; 6] = [
    "out of memory",
    "buffer allocation failed",
    "allocation size overflow",
    "could not allocate memory",
    "memory allocation of",
    "memory.grow()",
];

/// The location and message of a panic, without the folders of the build machine.
pub fn panic_text(info: &PanicHookInfo) -> String {
    let text = info.to_string();
    match info.location() {
        Some(location) => replace_first(&text, location.file(), source_file(location.file())),
        None => text,
    }
}

/// The text with the first occurrence of a part, which is not empty, replaced.
fn replace_first(text: &str, part: &str, by: &str) -> String {
    find(text, part)
        .map_or_else(|| text.to_owned(), |at| text[..at].to_owned() + by + &text[at + part.len()..])
}

/// The path of a source file, starting at the folder of its crate, which does not depend on the build machine. A
/// relative path is returned unchanged.
fn source_file(path: &str) -> &str {
    const SLASHES: [char; 2] = ['/', '\\'];
    // The start of the next component of a path; `start` if there is no further component.
    let next = |text: &str, start: usize| start + text[start..].find(SLASHES).map_or(0, |slash| slash + 1);
    let is_absolute = path.starts_with(SLASHES) || path.get(1..2) == Some(":");
    if !is_absolute {
        return path;
    }
    let slashed = path.replace('\\', "/");
    // A registry has a folder per index, which contains a folder per crate.
    if let Some(registry) = rfind(&slashed, "/registry/src/") {
        return &path[next(path, registry + "/registry/src/".len())..];
    }
    // A file that is not in `src` begins after the last slash.
    let folder = rfind(&slashed, "/src/").unwrap_or_else(|| slashed.rfind('/').map_or(0, |slash| slash + 1));
    path[slashed[..folder].rfind('/').unwrap_or(0)..].trim_start_matches(SLASHES)
}

impl Cause {
    /// The cause of an uncaught error of a part, from the error text of a browser.
    ///
    /// A panic of the worker throws text that begins with `panicked` (`report_panics`), while a failed allocation
    /// executes `unreachable` without text. In a kernel module both are `unreachable`, and only its caller can
    /// distinguish them.
    pub fn of_error(part: Part, text: &str) -> Self {
        let text = text.trim();
        let text = text.strip_prefix("Uncaught ").unwrap_or(text).trim();
        let lower = text.to_ascii_lowercase();
        let has_panicked = contains(&lower, "panicked");
        let reports_out_of_memory = OUT_OF_MEMORY.iter().any(|text| contains(&lower, text));
        let is_aborted = part == Part::Worker && contains(&lower, "unreachable");
        if text.is_empty() || lower.starts_with("script error") {
            Self::Unknown
        } else if !has_panicked && (reports_out_of_memory || is_aborted) {
            Self::OutOfMemory(None)
        } else if lower.starts_with("compileerror") || lower.starts_with("syntaxerror") {
            Self::Corrupt
        } else {
            Self::Crashed(
                text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_ERROR_CHARS).collect(),
            )
        }
    }

    /// Actions to offer, the best first.
    pub const fn remedies(&self) -> &'static [Remedy] {
        match self {
            Self::Offline
            | Self::Unreachable
            | Self::TimedOut(_)
            | Self::OutOfMemory(_)
            | Self::Crashed(_)
            | Self::Unknown => &[Remedy::Retry],
            Self::Status(_) | Self::Corrupt => &[Remedy::Retry, Remedy::Reload],
            Self::ReleaseMismatch => &[Remedy::Reload],
            Self::NoSimd | Self::NoRelaxedSimd | Self::NotAllowed => &[],
        }
    }

    /// The text for the user.
    pub fn message(&self, part: Part) -> Message {
        let with_part = |key| {
            let part_key = match part {
                Part::Worker => "part-worker",
                Part::Kernels => "part-kernels",
                Part::Translation => "part-translation",
                Part::OnDemandCode => "part-extras",
            };
            Message::new(key).with("part", Message::new(part_key))
        };
        match self {
            Self::Offline => with_part("cause-offline"),
            Self::Unreachable => with_part("cause-unreachable"),
            Self::Status(status) => with_part("cause-status").with("status", status.to_string()),
            Self::Corrupt => with_part("cause-damaged"),
            Self::TimedOut(seconds) => with_part("cause-timed-out").with("seconds", i64::from(*seconds)),
            Self::OutOfMemory(None) => with_part("cause-out-of-memory"),
            Self::OutOfMemory(Some(bytes)) => {
                with_part("cause-out-of-memory-of").with("size", rounded_size(*bytes))
            }
            Self::Crashed(detail) => with_part(match part {
                Part::Worker => "cause-trapped-worker",
                Part::Kernels => "cause-trapped-kernels",
                Part::Translation | Part::OnDemandCode => "cause-trapped-code",
            })
            .with("detail", detail.as_str()),
            Self::ReleaseMismatch => with_part("cause-other-release"),
            Self::NoSimd => Message::new("cause-no-simd"),
            Self::NoRelaxedSimd => Message::new("cause-no-relaxed-simd"),
            Self::NotAllowed => with_part("cause-not-allowed"),
            Self::Unknown => with_part("cause-ended"),
        }
    }

    /// A word, then a space and a detail if the cause has one; [`Cause::of_code`] is the inverse.
    pub fn code(&self) -> String {
        match self {
            Self::Offline => "offline".to_owned(),
            Self::Unreachable => "unreachable".to_owned(),
            Self::Status(status) => format!("status {status}"),
            Self::Corrupt => "damaged".to_owned(),
            Self::TimedOut(seconds) => format!("timed-out {seconds}"),
            Self::OutOfMemory(None) => "out-of-memory".to_owned(),
            Self::OutOfMemory(Some(bytes)) => format!("out-of-memory {bytes}"),
            Self::Crashed(detail) => format!("trapped {detail}"),
            Self::ReleaseMismatch => "other-release".to_owned(),
            Self::NoSimd => "no-simd".to_owned(),
            Self::NoRelaxedSimd => "no-relaxed-simd".to_owned(),
            Self::NotAllowed => "not-allowed".to_owned(),
            Self::Unknown => "ended".to_owned(),
        }
    }

    /// The cause with this [`Cause::code`].
    pub fn of_code(code: &str) -> Option<Self> {
        // Most causes have no detail.
        let (word, detail) = code.split_once(' ').unwrap_or((code, ""));
        Some(match word {
            "offline" => Self::Offline,
            "unreachable" => Self::Unreachable,
            "status" => Self::Status(detail.parse().ok()?),
            "damaged" => Self::Corrupt,
            "timed-out" => Self::TimedOut(detail.parse().ok()?),
            "out-of-memory" if detail.is_empty() => Self::OutOfMemory(None),
            "out-of-memory" => Self::OutOfMemory(Some(detail.parse().ok()?)),
            "trapped" => Self::Crashed(detail.to_owned()),
            "other-release" => Self::ReleaseMismatch,
            "no-simd" => Self::NoSimd,
            "no-relaxed-simd" => Self::NoRelaxedSimd,
            "not-allowed" => Self::NotAllowed,
            "ended" => Self::Unknown,
            _ => return None,
        })
    }

    /// The first word of the code, which identifies the cause in the page.
    pub fn name(&self) -> String {
        let code = self.code();
        code.split_once(' ').map_or(code.as_str(), |(word, _)| word).to_owned()
    }
}

/// A number of bytes in kB, MB or GB, rounded up.
fn rounded_size(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1_000_000 => (1_000, "kB"),
        1_000_000..1_000_000_000 => (1_000_000, "MB"),
        _ => (1_000_000_000, "GB"),
    };
    format!("{} {name}", bytes.div_ceil(unit))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::i18n::Language;

    #[test]
    fn panic_texts_name_no_folder_of_the_build_machine() {
        for (path, shown) in [
            ("src/app/page.rs", "src/app/page.rs"),
            (
                "/build/me/.cargo/registry/src/index-1949/yew-0.23.0/src/dom/mod.rs",
                "yew-0.23.0/src/dom/mod.rs",
            ),
            ("/build/me/.cargo/registry/src/index-1949/flat-1.0.0/lib.rs", "flat-1.0.0/lib.rs"),
            ("C:\\Users\\me\\.cargo\\registry\\src\\index-1949\\a-1.0.0\\src\\b.rs", "a-1.0.0\\src\\b.rs"),
            ("/rustc/59807616e/library/core/src/option.rs", "core/src/option.rs"),
            ("/build/me/src/playground/src/app/page.rs", "playground/src/app/page.rs"),
            ("/tmp/made/out.rs", "out.rs"),
            ("/src/main.rs", "src/main.rs"),
            ("/main.rs", "main.rs"),
            ("", ""),
        ] {
            assert_eq!(source_file(path), shown, "{path}");
        }
    }

    fn every_cause() -> Vec<Cause> {
        vec![
            Cause::Offline,
            Cause::Unreachable,
            Cause::Status(404),
            Cause::Corrupt,
            Cause::TimedOut(10),
            Cause::OutOfMemory(None),
            Cause::OutOfMemory(Some(3_000_000_000)),
            Cause::Crashed("dot f32".to_owned()),
            Cause::ReleaseMismatch,
            Cause::NoSimd,
            Cause::NoRelaxedSimd,
            Cause::NotAllowed,
            Cause::Unknown,
        ]
    }

    #[test]
    fn codes_round_trip() {
        for cause in every_cause() {
            assert_eq!(Cause::of_code(&cause.code()), Some(cause.clone()));
            assert!(!cause.name().contains(' '));
        }
        for garbage in ["", "status", "status x", "timed-out -1", "out-of-memory x", "Offline"] {
            assert_eq!(Cause::of_code(garbage), None, "{garbage}");
        }
    }

    #[test]
    fn every_cause_has_its_own_message_in_every_language() {
        for language in Language::all() {
            for part in [Part::Worker, Part::Kernels, Part::OnDemandCode] {
                let said: BTreeSet<String> =
                    every_cause().iter().map(|cause| cause.message(part).localize(language)).collect();
                assert_eq!(said.len(), every_cause().len(), "{said:#?}");
                assert!(said.iter().all(|text| !text.contains("cause-") && !text.contains('$')), "{said:#?}");
            }
        }
        let memory = Cause::OutOfMemory(Some(1_500_001)).message(Part::Kernels).to_string();
        assert!(memory.contains("2 MB"), "{memory}");
        assert!(Cause::Status(404).message(Part::Worker).to_string().contains("404"));
    }

    #[test]
    fn errors_of_browsers_are_distinguished() {
        let worker = |text| Cause::of_error(Part::Worker, text);
        for text in [
            "Uncaught RuntimeError: unreachable",
            "RuntimeError: unreachable executed",
            "Uncaught RangeError: Array buffer allocation failed",
            "InternalError: allocation size overflow",
            "out of memory",
            "uncaught exception: out of memory",
            "Uncaught RangeError: WebAssembly.Memory.grow(): Maximum memory size exceeded",
            "RangeError: WebAssembly.instantiate(): Out of memory: wasm memory",
        ] {
            assert_eq!(worker(text), Cause::OutOfMemory(None), "{text}");
        }
        for text in [
            "Uncaught Error: panicked at src/a.rs:1:2: index out of bounds",
            "Error: panicked at src/a.rs:1:2: unreachable code: out of memory is not what happened",
            "Uncaught RangeError: Maximum call stack size exceeded",
            "RuntimeError: memory access out of bounds",
            "InternalError: too much recursion",
        ] {
            assert!(matches!(worker(text), Cause::Crashed(_)), "{text}");
        }
        // A panic of a kernel is `unreachable` too.
        assert!(matches!(Cause::of_error(Part::Kernels, "unreachable"), Cause::Crashed(_)));
        assert_eq!(worker(""), Cause::Unknown);
        assert_eq!(worker("Script error."), Cause::Unknown);
        assert_eq!(worker("SyntaxError: Unexpected end of input"), Cause::Corrupt);
        assert_eq!(worker("CompileError: WebAssembly.instantiate(): expected magic word"), Cause::Corrupt);
        let long = worker(&format!("Error: {}\nstack", "x".repeat(1_000)));
        assert!(matches!(long, Cause::Crashed(text) if text.chars().count() == MAX_ERROR_CHARS));
    }

    #[test]
    fn every_temporary_cause_has_a_remedy() {
        for cause in every_cause() {
            let is_permanent = matches!(cause, Cause::NoSimd | Cause::NoRelaxedSimd | Cause::NotAllowed);
            assert_eq!(cause.remedies().is_empty(), is_permanent, "{cause:?}");
        }
        assert_eq!(Cause::ReleaseMismatch.remedies(), [Remedy::Reload], "trying again would change nothing");
    }
}
