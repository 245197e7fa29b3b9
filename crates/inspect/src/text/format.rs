//! Formats a module by XLA's printer, and restores the comments of the text.
//!
//! The printed module is the parsed one: one instruction per line, attributes in XLA's order, computations before their callers,
//! and instructions in post-order unless the module is scheduled. Names keep their `%` if the text has any. A comment on lines of
//! its own goes before the line of the instruction or computation it preceded, a comment at the end of a line after that line's.
//! XLA's `/*index=5*/` is written by the printer anew. Comments within an instruction move to its end.

use std::collections::BTreeMap;
use std::fmt::Write;

use xla_hlo::lexer::{Lexer, TokenKind};
use xla_hlo::module::Module;
use xla_hlo::{PrintOptions, parse};
use xla_messages::diagnostic::Diagnostic;

/// A formatted text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formatted {
    /// The text.
    pub text: String,
    /// The number of comments whose anchor does not exist any more; they are at the end.
    pub moved_comments: usize,
}

/// The position of a comment: a computation and an instruction of it, both by name; without an instruction the head of the
/// computation, without a computation the header.
type Anchor = (String, String);

/// The comments around one line of the printed text.
#[derive(Default)]
struct Comments {
    before: Vec<String>,
    after: Vec<String>,
}

/// Formats text.
///
/// # Errors
///
/// The first error of the text, which must be fixed first.
///
/// ```
/// let text = "HloModule m ENTRY e { x = f32[2] parameter(0) // the input\n ROOT y = negate(x) }";
/// let formatted = xla_inspect::text::format(text).unwrap();
/// assert!(formatted.text.contains("  x = f32[2]{0} parameter(0)  // the input\n"), "{}", formatted.text);
/// ```
pub fn format(text: &str) -> Result<Formatted, Box<Diagnostic>> {
    let module = parse(text).into_module()?;
    let mut comments = comments(text, &module);
    let percent = module.computations.iter().flat_map(|c| &c.instructions).any(|instruction| {
        text.get(instruction.spans.name.range()).is_some_and(|name| name.starts_with('%'))
    });
    let printed = module.text(PrintOptions { percent, layouts: true, annotations: true });
    let mut out = String::new();
    let mut computation = String::new();
    for line in printed.lines() {
        let anchor = anchor_of(line, &mut computation);
        let attached = anchor.and_then(|anchor| comments.remove(&anchor)).unwrap_or_default();
        let indent = &line[..line.len() - line.trim_start().len()];
        for comment in attached.before {
            push(&mut out, indent, &comment);
        }
        out.push_str(line);
        for comment in attached.after {
            push(&mut out, "  ", &comment);
            out.pop();
        }
        out.push('\n');
    }
    let mut moved_comments = 0;
    for comment in comments.into_values().flat_map(|c| c.before.into_iter().chain(c.after)) {
        push(&mut out, "", &comment);
        moved_comments += 1;
    }
    Ok(Formatted { text: out, moved_comments })
}

/// Appends a comment and a line break.
fn push(out: &mut String, indent: &str, comment: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{indent}{comment}");
}

/// A name without `%`.
fn bare(word: &str) -> String {
    word.strip_prefix('%').unwrap_or(word).to_owned()
}

/// The anchor of a printed line; `computation` is the one whose body it is in.
fn anchor_of(line: &str, computation: &mut String) -> Option<Anchor> {
    let mut words = line.split_whitespace().filter(|word| !matches!(*word, "ROOT" | "ENTRY"));
    let first = words.next()?;
    if first == "HloModule" {
        return Some(Anchor::default());
    }
    if line.starts_with(' ') {
        return (words.next() == Some("=")).then(|| (computation.clone(), bare(first)));
    }
    if !line.ends_with('{') || first == "FileNames" {
        return None;
    }
    *computation = bare(first.split('(').next().unwrap_or(first));
    Some((computation.clone(), String::new()))
}

/// The comments of the text, by anchor.
fn comments(text: &str, module: &Module) -> BTreeMap<Anchor, Comments> {
    let header = Lexer::new(text).peek().span.start;
    // Definitions that begin a line of the printed text, by position.
    let mut anchors: Vec<(usize, usize, Anchor)> = vec![(header, header, Anchor::default())];
    for computation in module.computations.iter().filter(|c| !c.name.is_empty()) {
        let head = computation.span;
        anchors.push((head.start, head.start, (computation.name.clone(), String::new())));
        for instruction in computation.instructions.iter().filter(|i| !i.name.is_empty()) {
            let span = instruction.spans.whole;
            anchors.push((span.start, span.end, (computation.name.clone(), instruction.name.clone())));
        }
    }
    anchors.sort();
    let mut by_anchor: BTreeMap<Anchor, Comments> = BTreeMap::new();
    for (start, comment) in comments_of(text) {
        let next = anchors.partition_point(|(offset, ..)| *offset <= start);
        let line = text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |offset| offset + 1);
        let is_alone = text.get(line..start).is_some_and(|before| before.trim().is_empty());
        let previous = next.checked_sub(1).and_then(|index| anchors.get(index));
        let is_inside = previous.is_some_and(|(_, end, _)| start < *end);
        match (anchors.get(next), previous) {
            (Some((.., anchor)), _) if is_alone && !is_inside => {
                by_anchor.entry(anchor.clone()).or_default().before.push(comment);
            }
            (_, Some((.., anchor))) => by_anchor.entry(anchor.clone()).or_default().after.push(comment),
            _ => {}
        }
    }
    by_anchor
}

/// The comments of text with their offsets, without those that the printer writes.
fn comments_of(text: &str) -> Vec<(usize, String)> {
    let mut lexer = Lexer::new(text);
    let mut comments = Vec::new();
    loop {
        let from = lexer.offset;
        let token = lexer.next();
        let mut offset = from;
        while let Some(rest) = text.get(offset..token.span.start).filter(|rest| !rest.is_empty()) {
            let length = if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else if rest.starts_with("//") {
                rest.find(['\n', '\r']).unwrap_or(rest.len())
            } else {
                offset += rest.chars().next().map_or(1, char::len_utf8);
                continue;
            };
            let comment = rest.get(..length).unwrap_or(rest).trim_end();
            if !comment.starts_with("/*index=") {
                comments.push((offset, comment.to_owned()));
            }
            offset += length;
        }
        if token.kind == TokenKind::End {
            return comments;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_stay_where_they_belong() {
        let text = "// about the module
HloModule m, is_scheduled=true

/* adds */
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, /*right*/ b) }

ENTRY e {
  // the data
  x   =   f32[2,3]{1,0} parameter(0)   // from the caller
  /* zero */ c = f32[] constant(0)
  ROOT r = f32[] reduce(x, c), to_apply=sum,
     dimensions={0,1}
}
// the end
";
        let formatted = format(text).unwrap();
        let expected = "// about the module
HloModule m, entry_computation_layout={(f32[2,3]{1,0})->f32[]}, is_scheduled=true

/* adds */
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)  /*right*/
}

ENTRY e {
  // the data
  x = f32[2,3]{1,0} parameter(0)  // from the caller
  /* zero */
  c = f32[] constant(0)
  ROOT r = f32[] reduce(x, c), dimensions={0,1}, to_apply=sum  // the end
}
";
        for part in expected.lines() {
            assert!(formatted.text.contains(part), "{part}:\n{}", formatted.text);
        }
        assert_eq!(formatted.moved_comments, 0);
        assert_eq!(format(&formatted.text).unwrap(), formatted);
        assert!(parse(&formatted.text).error().is_none());
    }

    #[test]
    fn the_percent_style_stays_and_errors_are_rejected() {
        let text = "HloModule m\nENTRY %e (x: f32[]) -> f32[] { ROOT %x = f32[] parameter(0), metadata={op_name=\"a // b\"} }";
        let formatted = format(text).unwrap().text;
        assert!(
            formatted.contains("ROOT %x = f32[] parameter(0), metadata={op_name=\"a // b\"}\n"),
            "{formatted}"
        );
        assert!(format("HloModule m\nENTRY e { x = f32[] parameter(0").is_err());
    }
}
