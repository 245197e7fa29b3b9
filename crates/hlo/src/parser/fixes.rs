//! Fixes of mistakes that need more than one token to recognize: what was probably meant, as edits.
//!
//! Each scans at most [`MAX_FIX_BYTES`] ahead, and only after a mistake, so that parsing stays linear.

use super::computation::Body;
use super::state::Parser;
use crate::lexer::{Lexer, Token, TokenKind};
use crate::module::{Instruction, computation_id};
use xla_array::Dims;
use xla_messages::diagnostic::{Diagnostic, Edit, Hint, Span};
use xla_messages::i18n::Message;
use xla_ops::{AttrKind, AttrValue, OpContext, OpDef};

/// Maximum length of the source text that a fix reads.
const MAX_FIX_BYTES: usize = 1 << 12;
/// How texts in MLIR begin.
const MLIR_STARTS: [&str; 7] =
    ["module @", "module {", "module attributes", "func.func", "\"builtin.module\"", "#loc", "#map"];

/// Quotation marks of word processors, and those that are meant.
const CURLY_MARKS: [(char, &str); 5] = [('“', "\""), ('”', "\""), ('„', "\""), ('‘', "'"), ('’', "'")];

/// Maximum number of values that are tried for a missing attribute.
const MAX_TRIED_VALUES: usize = 64;
/// Maximum rank for which all lists of dimensions are tried.
const MAX_TRIED_RANK: usize = 4;
/// Maximum number of leaves of the operands for values to be tried: each trial may visit all of them.
const MAX_TRIED_LEAVES: usize = 1 << 10;

/// Maximum length of a computation that a fix moves.
const MAX_MOVED_BYTES: usize = 1 << 16;

/// Maximum length of the text before an error in which the end of the code is searched.
const MAX_SEARCHED_BYTES: usize = 1 << 12;

/// The ascending lists of dimensions of a rank, those of one dimension first, then the other permutations.
fn dimension_lists(rank: usize) -> Vec<Dims> {
    let dimensions = 0..i64::try_from(rank.min(MAX_TRIED_RANK)).unwrap_or(0);
    let mut lists = vec![Dims::new()];
    let mut longest = vec![Dims::new()];
    for _ in dimensions.clone() {
        let longer = |list: &Dims| {
            let list = list.clone();
            let unused = dimensions.clone().filter(|d| !list.contains(d)).collect::<Vec<_>>();
            unused.into_iter().map(move |d| list.iter().copied().chain([d]).collect::<Dims>())
        };
        longest = longest.iter().flat_map(longer).collect();
        lists.extend(longest.iter().cloned());
    }
    let is_ascending = |list: &Dims| list.is_sorted();
    // The empty list is last: it is rarely what is missing.
    lists.sort_by_key(|list| (list.is_empty(), !is_ascending(list), list.len()));
    lists
}

impl Parser<'_> {
    /// Adds to the errors of calls of a computation below the fix that moves it above its caller.
    pub(super) fn offer_callees_below(&mut self) {
        for (name, caller_start) in std::mem::take(&mut self.missing_callees) {
            let callee = self.computations.get(self.text(name).trim_start_matches('%'));
            let Some(callee) = callee.and_then(|id| self.module.get(*id)) else { continue };
            let mut span = callee.span;
            // Attributes after the brace belong to it.
            let after = self.text(Span::new(span.end, self.lexer.source.len()));
            let line = after.lines().next().unwrap_or_default();
            if line.trim_start().starts_with(',') {
                span.end += line.len();
            }
            if span.start <= caller_start || span.end - span.start > MAX_MOVED_BYTES {
                continue;
            }
            let message = Message::ops("hlo-hint-move-callee").with("name", callee.name.as_str());
            let moved = format!("{}\n\n", self.text(span));
            let edits =
                vec![Edit { span: Span::at(caller_start), text: moved }, Edit { span, text: String::new() }];
            let errors =
                self.diagnostics.iter_mut().filter(|d| d.rule == "hlo-computation" && d.span == name);
            for error in errors {
                error.hints.retain(|hint| !hint.edits.is_empty());
                error.hints.insert(0, Hint { message: message.clone(), edits: edits.clone() });
            }
        }
    }

    /// Where a missing mark belongs: after the code before `offset` if the mark ends something, else at `offset`.
    pub(super) fn end_of_code_before(&self, offset: usize, mark: char) -> usize {
        let source = self.lexer.source;
        // A longer line is not searched: every error would cost its length.
        let start = source.ceil_char_boundary(offset.saturating_sub(MAX_SEARCHED_BYTES));
        let before = source.get(..offset).unwrap_or_default();
        let searched = source.get(start..offset).unwrap_or_default();
        let before = before.get(..start + searched.trim_end().len()).unwrap_or_default();
        let line =
            searched.trim_end().rsplit_once('\n').map(|(_, line)| line).or((start == 0).then_some(searched));
        // Not within a comment to the end of the line.
        let is_code = line.is_some_and(|line| !line.contains("//"));
        if matches!(mark, ',' | ')' | ']') && is_code { before.len() } else { offset }
    }

    /// The fix that adds a missing attribute: with the first value with which the instruction is valid.
    pub(super) fn missing_attribute(
        &self,
        op: &'static dyn OpDef,
        cx: &OpContext,
        instruction: &Instruction,
        rule: &'static str,
    ) -> Option<Hint> {
        let leaves = cx.operands.iter().map(|shape| shape.leaves()).fold(0, usize::saturating_add);
        if rule != "attribute-missing" || leaves > MAX_TRIED_LEAVES {
            return None;
        }
        let spec = op.meta().attrs.iter().find(|spec| spec.required && cx.attrs.get(spec.name).is_none())?;
        let rank = cx.operands.iter().filter_map(|shape| Some(shape.as_array()?.rank())).max().unwrap_or(0);
        let named = self.module.computations.iter().enumerate().filter(|(_, c)| !c.name.is_empty());
        let values: Vec<AttrValue> = match spec.kind {
            AttrKind::Keyword(words) => words.iter().map(|word| AttrValue::Keyword(word)).collect(),
            AttrKind::Bool => vec![AttrValue::Bool(false), AttrValue::Bool(true)],
            AttrKind::Int => (0..8).map(AttrValue::Int).collect(),
            AttrKind::Ints => dimension_lists(rank).into_iter().map(AttrValue::Ints).collect(),
            AttrKind::Computation => {
                named.rev().map(|(index, _)| AttrValue::Computation(computation_id(index))).collect()
            }
            _ => return None,
        };
        let value = values.into_iter().take(MAX_TRIED_VALUES).find(|value| {
            let attrs = cx.attrs.clone().with(spec.name, value.clone());
            xla_ops::check(op, &OpContext { attrs: &attrs, ..*cx }).is_ok()
        })?;
        let text = match value {
            AttrValue::Computation(id) => {
                let name = instruction.spans.name;
                let percent = if self.text(name).starts_with('%') { "%" } else { "" };
                format!("{percent}{}", self.module.get(id)?.name)
            }
            value => value.to_string(),
        };
        let text = format!("{}={text}", spec.name);
        let message = Message::ops("op-hint-write").with("text", text.as_str());
        Some(Hint::replace(message, Span::at(instruction.spans.whole.end), format!(", {text}")))
    }

    /// Whether the source is MLIR, for example StableHLO; reports it.
    pub(super) fn reports_mlir(&mut self) -> bool {
        let source = self.lexer.source;
        let Some(rest) = source.get(self.peek().span.start..) else { return false };
        let is_mlir = MLIR_STARTS.iter().any(|start| rest.starts_with(start));
        if is_mlir {
            let line = rest.lines().next().unwrap_or_default().len();
            let start = source.len() - rest.len();
            let message = Message::ops("hlo-is-mlir");
            let error = Diagnostic::error(Span::new(start, start + line), "hlo-header", message);
            self.report(error.with_hint(Hint::advice(Message::ops("hlo-hint-mlir"))));
            self.lexer.abort();
        }
        is_mlir
    }

    /// Consumes a misspelled `ROOT` before a name and `=`, and reports it.
    pub(super) fn eat_misspelled_root(&mut self) -> bool {
        let token = self.peek();
        let word = self.text(token.span);
        if token.kind != TokenKind::Name || !word.eq_ignore_ascii_case("ROOT") {
            return false;
        }
        let mut ahead = self.lexer.clone();
        ahead.next();
        let name = ahead.next();
        let is_root = name.kind.is_name() && ahead.peek().kind == TokenKind::Punct('=');
        if is_root {
            let message = self.expected_message("ROOT", token.span);
            self.report_with_fix(Diagnostic::error(token.span, "hlo-root", message), token.span, "ROOT");
            self.bump();
        }
        is_root
    }

    /// Reports a second `ROOT`; the fix removes it.
    pub(super) fn report_second_root(&mut self, root: Span) {
        let rest = self.lexer.source.get(root.end..).unwrap_or_default();
        let spaces_len = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let span = Span::new(root.start, root.end + spaces_len);
        let hint = Hint::replace(Message::ops("hlo-hint-remove"), span, "");
        self.report(Diagnostic::error(root, "hlo-root", Message::ops("hlo-two-roots")).with_hint(hint));
    }

    /// Reports a list that does not begin with a brace. The fix encloses its text in braces.
    pub(super) fn report_missing_brace(&mut self) {
        let token = self.peek();
        let span = match token.kind {
            TokenKind::Punct(open @ ('[' | '(')) => {
                let close = if open == '[' { ']' } else { ')' };
                let rest = self.lexer.source.get(token.span.end..).unwrap_or_default();
                let length = rest.find(|c: char| !(c.is_ascii_digit() || " \t,-".contains(c)));
                length.filter(|length| rest.get(*length..).is_some_and(|rest| rest.starts_with(close))).map(
                    |length| (Span::new(token.span.start, token.span.end + length + 1), rest.get(..length)),
                )
            }
            TokenKind::Int => Some((token.span, Some(self.text(token.span)))),
            _ => None,
        };
        let Some((span, Some(content))) = span else {
            self.expect('{');
            return;
        };
        let error = Diagnostic::error(span, "hlo-syntax", self.expected_message("{", token.span));
        self.report_with_fix(error, span, format!("{{{content}}}"));
    }

    /// Reports an instruction whose name is already used. The fix gives it another, and changes its later uses.
    pub(super) fn report_name_twice(&mut self, body: &Body, name: Token) {
        let bare = self.text(name.span).trim_start_matches('%');
        let error =
            Diagnostic::error(name.span, "hlo-name", Message::ops("hlo-name-twice").with("name", bare));
        let fresh =
            (1..=100_u32).map(|n| format!("{bare}.{n}")).find(|other| !body.names.contains_key(other));
        let Some((fresh, uses)) = fresh.zip(self.later_uses(bare)) else { return self.report(error) };
        let edit = |span: Span| {
            let percent = if self.text(span).starts_with('%') { "%" } else { "" };
            Edit { span, text: format!("{percent}{fresh}") }
        };
        let edits = std::iter::once(name.span).chain(uses).map(edit).collect();
        let message = Message::ops("op-hint-write").with("text", fresh.as_str());
        self.report(error.with_hint(Hint { message, edits }));
    }

    /// The uses of a name as an operand from here to the end of the body; `None` if that is too far.
    fn later_uses(&self, name: &str) -> Option<Vec<Span>> {
        let mut lexer = self.lexer.clone();
        let end = lexer.offset + MAX_FIX_BYTES;
        let (mut brackets, mut uses) = (Vec::new(), Vec::new());
        while lexer.offset < end {
            let token = lexer.next();
            match token.kind {
                TokenKind::Punct(open @ ('{' | '(' | '[')) => brackets.push(open),
                TokenKind::Punct('}' | ')' | ']') if brackets.pop().is_none() => return Some(uses),
                TokenKind::Name if lexer.text(token.span).trim_start_matches('%') == name => {
                    let is_operand = !brackets.is_empty() && brackets.iter().all(|open| *open == '(');
                    uses.extend(
                        (is_operand && lexer.peek().kind != TokenKind::Punct('(')).then_some(token.span),
                    );
                }
                TokenKind::End => return None,
                _ => {}
            }
        }
        None
    }

    /// The edits that move the definition of `name`, which is one line below the instruction that needs it, above it.
    pub(super) fn moved_definition(&self, body: &Body, name: &str) -> Option<Vec<Edit>> {
        let source = self.lexer.source;
        let (below, line) = self.definition_below(name)?;
        let user = body.instruction_start;
        let indent = source.get(..user)?.rsplit('\n').next()?;
        // Both must have lines of their own, and the definition must not need the user.
        let is_own_line = indent.trim().is_empty() && source.get(line.start..below)?.trim().is_empty();
        let definition = source.get(below..line.end)?.trim_end();
        let mut words = Lexer::starting_at(source, user);
        let first = words.next();
        let own = if words.text(first.span) == "ROOT" { words.next() } else { first };
        let own = words.text(own.span).trim_start_matches('%');
        let mut words_of_definition = Lexer::new(definition);
        let mut needs_user = false;
        loop {
            let token = words_of_definition.next();
            match token.kind {
                TokenKind::End => break,
                _ => needs_user |= words_of_definition.text(token.span).trim_start_matches('%') == own,
            }
        }
        let closes =
            definition.ends_with([')', '}', '"']) || definition.ends_with(|c: char| c.is_alphanumeric());
        if !is_own_line || needs_user || !closes || definition.contains("ROOT ") {
            return None;
        }
        let text = format!("{definition}\n{indent}");
        Some(vec![Edit { span: Span::at(user), text }, Edit { span: line, text: String::new() }])
    }

    /// Where the same body defines `name` below: the start of the name, and its line with the line break.
    fn definition_below(&self, name: &str) -> Option<(usize, Span)> {
        let mut lexer = self.lexer.clone();
        let end = lexer.offset + MAX_FIX_BYTES;
        let mut braces = 0_usize;
        while lexer.offset < end {
            let token = lexer.next();
            match token.kind {
                TokenKind::Punct('{') => braces += 1,
                TokenKind::Punct('}') => braces = braces.checked_sub(1)?,
                TokenKind::End => return None,
                TokenKind::Name
                    if braces == 0
                        && lexer.text(token.span).trim_start_matches('%') == name
                        && lexer.peek().kind == TokenKind::Punct('=') =>
                {
                    let source = self.lexer.source;
                    let start = source.get(..token.span.start)?.rfind('\n')? + 1;
                    let length = source.get(token.span.start..)?.find('\n')? + 1;
                    return Some((token.span.start, Span::new(start, token.span.start + length)));
                }
                _ => {}
            }
        }
        None
    }

    /// Adds the fix that removes the operands beyond those that the op takes.
    pub(super) fn with_surplus_removed(mut error: Diagnostic, instruction: &Instruction) -> Diagnostic {
        let operands = instruction.op.map(|op| op.meta().operands);
        let spans = &instruction.spans.operands;
        if let Some(operands) = operands.filter(|_| error.rule == "operand-count")
            && let (None, Some(surplus), Some(last)) =
                (operands.rest, spans.get(operands.fixed.len()), spans.last())
        {
            error.span = surplus.join(*last);
            let kept = operands.fixed.len().checked_sub(1).and_then(|index| spans.get(index));
            let span = Span::new(kept.map_or(surplus.start, |kept| kept.end), last.end);
            error.hints.push(Hint::replace(Message::ops("hlo-hint-remove"), span, ""));
        }
        error
    }

    /// Adds the fix that writes straight quotation marks for the curly ones of a value.
    pub(super) fn with_straight_quotes(&self, error: Diagnostic, value: Span) -> Diagnostic {
        let edits: Vec<Edit> = self
            .text(value)
            .char_indices()
            .filter_map(|(at, c)| {
                let (_, straight) = CURLY_MARKS.iter().find(|(curly, _)| *curly == c)?;
                let start = value.start + at;
                Some(Edit { span: Span::new(start, start + c.len_utf8()), text: (*straight).to_owned() })
            })
            .collect();
        if edits.is_empty() {
            return error;
        }
        let message = Message::ops("op-hint-write").with("text", "\"");
        error.with_hint(Hint { message, edits })
    }
}
