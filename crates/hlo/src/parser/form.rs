//! Builder forms in an instruction: recognized where its shape is inferred, then reported as a note (XLA 2017) or as an error
//! with a fix that applies the same edits (current XLA). [`crate::lowering`] defines the forms.

use std::collections::BTreeMap;

use super::computation::Body;
use super::state::{OperandTexts, Parser};
use crate::lowering::arguments::{Argument, Arguments, BERNOULLI, COLLAPSE, parse_padding};
use crate::lowering::text::{Names, Statements, statements};
use crate::lowering::{Candidate, FormKind, LoweredForm, dimension, recognize, window};
use crate::module::{Instruction, InstructionId, Module};
use xla_array::{Edition, Shape, shape_util};
use xla_messages::diagnostic::{Edit, Hint, Severity, Span};
use xla_messages::i18n::Message;
use xla_ops::{AttrSpec, AttrValue, DimensionsOf, OpError, OpPart};

/// Maximum length of the lowered text that a note quotes.
const MAX_QUOTED_CHARS: usize = 240;

/// The result of [`Parser::find_forms`].
pub(super) enum FormOutcome {
    /// The instruction has the shape of its form, or an error was reported.
    Handled,
    /// The instruction is plain HLO, possibly after attribute values were replaced by numbers.
    PlainHlo,
}

/// The edits that replace a form by plain HLO.
struct FormEdits {
    kind: FormKind,
    at: OpPart,
    edits: Vec<Edit>,
    /// The statements of plain HLO, for the note.
    lowered_text: String,
}

/// An error of a form, without an op: a diagnostic shows its span instead.
fn error_without_op(rule: &'static str, message: Message) -> OpError {
    OpError::new("form", rule, message)
}

/// The first [`MAX_QUOTED_CHARS`] characters of the text.
fn excerpt(text: &str) -> String {
    let mut out: String = text.chars().take(MAX_QUOTED_CHARS).collect();
    if out.len() < text.len() {
        out.push('…');
    }
    out
}

impl Parser<'_> {
    /// Parses the value of a builder argument. If it is malformed, reports it and returns `false`.
    pub(super) fn builder_argument(
        &mut self,
        argument: Argument,
        body: &Body,
        arguments: &mut Arguments,
    ) -> bool {
        match argument {
            Argument::BroadcastDimensions => arguments.broadcast_dimensions = self.dimensions(),
            Argument::BroadcastSizes => arguments.broadcast_sizes = self.sizes(),
            Argument::Dimensions => arguments.dimensions = self.dimensions(),
            Argument::Padding => {
                let token = self.bump();
                arguments.padding = parse_padding(self.text(token.span));
                if arguments.padding.is_none() {
                    let message = self.expected_message("same, valid", token.span);
                    self.error(token.span, "hlo-attribute-value", message);
                }
            }
            Argument::StaticOperands => arguments.static_operands = self.preceding_names(body),
        }
        arguments.first_name().is_some()
    }

    /// Parses the names of preceding instructions, in braces.
    fn preceding_names(&mut self, body: &Body) -> Option<Vec<InstructionId>> {
        self.value_or_skip(|parser| {
            parser.braced(|parser| {
                let token = parser.peek();
                if !token.kind.is_name() {
                    parser.report_expected("hlo-an-operand");
                    return None;
                }
                parser.bump();
                let id = body.names.get(parser.text(token.span).trim_start_matches('%')).copied();
                if id.is_none() {
                    parser.unknown_operand(body, token.span);
                }
                id
            })
        })
    }

    /// Finds and lowers the forms of an instruction whose operands are valid. Words in attributes are replaced by numbers.
    pub(super) fn find_forms(
        &mut self,
        body: &Body,
        instruction: &mut Instruction,
        arguments: &mut Arguments,
        written: Option<&Shape>,
    ) -> FormOutcome {
        self.normalize_dimensions(body, instruction, arguments, written);
        if arguments.padding.is_some() && !self.resolve_padding(body, instruction, arguments) {
            instruction.is_invalid = written.is_none();
            return FormOutcome::Handled;
        }
        // The distinct operands, and the position of each operand among them.
        let (mut ids, mut operands): (Vec<InstructionId>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut numbers = BTreeMap::new();
        let statics = arguments.static_operands.clone().unwrap_or_default();
        for id in instruction.operands.iter().chain(&statics) {
            let number = *numbers.entry(*id).or_insert(ids.len());
            if number == ids.len() {
                ids.push(*id);
            }
            operands.push(number);
        }
        let shapes: Vec<&Shape> =
            ids.iter().filter_map(|id| body.computation.get(*id)).map(|operand| &operand.shape).collect();
        let (operands, static_operands) = operands.split_at(instruction.operands.len());
        let recognized = recognize(&Candidate {
            opcode: &instruction.opcode,
            shapes: &shapes,
            operands,
            static_operands,
            attrs: &instruction.attrs,
            arguments,
            written,
            module: &self.module,
            edition: self.edition,
        });
        match recognized {
            None if instruction.opcode == COLLAPSE => {
                let message =
                    Message::ops("op-attribute-missing").with("op", COLLAPSE).with("name", "dimensions");
                self.error(instruction.spans.whole, "attribute-missing", message);
                instruction.is_invalid = written.is_none();
                FormOutcome::Handled
            }
            None => FormOutcome::PlainHlo,
            Some(Err(error)) => {
                instruction.is_invalid = written.is_none();
                let spans = instruction.spans.clone();
                self.report_op_error(error, &spans);
                FormOutcome::Handled
            }
            Some(Ok(form)) => {
                // The form may contain copies of the called computations.
                self.charge_work(form.module.computations.iter().map(|c| c.instructions.len()).sum());
                self.apply_form(body, instruction, arguments, written, &ids, &form);
                FormOutcome::Handled
            }
        }
    }

    /// Sets the shape of an instruction to that of its lowered form, and reports the form.
    fn apply_form(
        &mut self,
        body: &Body,
        instruction: &mut Instruction,
        arguments: &Arguments,
        written: Option<&Shape>,
        ids: &[InstructionId],
        form: &LoweredForm,
    ) {
        let form_error = self.form_error(body, instruction, arguments, form.kind, written);
        if let Some(written) = written.filter(|written| !shape_util::compatible(written, &form.shape)) {
            let inferred = form.shape.human_string();
            let message = Message::ops("op-result-differs")
                .with("inferred", inferred.as_str())
                .with("written", written.human_string());
            let error = error_without_op("result-differs", message).at(OpPart::Result);
            self.report_op_error(error.with_fix(OpPart::Result, inferred), &instruction.spans.clone());
        }
        instruction.shape = written.unwrap_or(&form.shape).clone();
        let Some((edits, lowered_text)) = self.edits(body, instruction, ids, form) else { return };
        self.report_form(
            instruction,
            FormEdits { kind: form.kind, at: form_error.at.clone(), edits, lowered_text },
            form_error,
        );
    }

    /// Reports a form: as a note in XLA 2017, whose builder has it; else as an error with the edits as its fix.
    fn report_form(&mut self, instruction: &Instruction, form: FormEdits, form_error: OpError) {
        let FormEdits { kind, at, edits, lowered_text } = form;
        if self.edition == Edition::V2017 && kind != FormKind::ScalarStartIndices {
            let error = OpError { rule: kind.rule(), message: kind.note(), at, ..form_error };
            let mut note = self.op_diagnostic(
                OpError { hints: Vec::new(), ..error },
                &instruction.spans,
                &OperandTexts::default(),
            );
            note.severity = Severity::Note;
            let message = Message::ops("lowering-becomes").with("text", excerpt(&lowered_text));
            self.notes.push(note.with_hint(Hint { message, edits }));
            return;
        }
        let message = match kind {
            FormKind::Dimension | FormKind::Padding => {
                Message::ops("op-hint-write").with("text", lowered_text)
            }
            kind => kind.fix(),
        };
        let error = self.op_diagnostic(
            OpError { hints: Vec::new(), ..form_error },
            &instruction.spans,
            &OperandTexts::default(),
        );
        self.report(error.with_hint(Hint { message, edits }));
    }

    /// The error of a form in current XLA: that of the op if it has one, else that HLO lacks the form.
    fn form_error(
        &self,
        body: &Body,
        instruction: &Instruction,
        arguments: &Arguments,
        kind: FormKind,
        written: Option<&Shape>,
    ) -> OpError {
        let (rule, at, form) = match (kind, arguments.first_name()) {
            (FormKind::Collapse, _) => ("hlo-opcode", OpPart::Opcode, COLLAPSE),
            (FormKind::Bernoulli, _) => ("hlo-attribute-value", OpPart::Attr("distribution"), BERNOULLI),
            (_, Some(name)) => ("hlo-attribute", OpPart::Attr(name), name),
            (_, None) => {
                let operands = Module::operand_shapes(&body.computation, instruction);
                let cx = self.module.infer(instruction, &operands, written, self.edition);
                let error = cx.zip(instruction.op).and_then(|(cx, op)| xla_ops::check(op, &cx).err());
                let default_error = || error_without_op(kind.rule(), kind.note()).at(OpPart::Operation);
                return error.unwrap_or_else(default_error);
            }
        };
        error_without_op(rule, Message::ops("lowering-form").with("form", form)).at(at)
    }

    /// The edits that write a form as plain HLO, and its statements on one line.
    fn edits(
        &mut self,
        body: &Body,
        instruction: &Instruction,
        ids: &[InstructionId],
        form: &LoweredForm,
    ) -> Option<(Vec<Edit>, String)> {
        let source = self.lexer.source;
        let mut names = self.form_names.take().unwrap_or_else(|| Names::used_in(source));
        let mut before = Vec::new();
        // A nested operand has no name: it becomes a separate statement.
        let operands: Vec<String> = ids
            .iter()
            .filter_map(|id| body.computation.get(*id))
            .map(|operand| {
                if !operand.name.is_empty() {
                    return operand.name.clone();
                }
                let name = names.fresh(&operand.opcode);
                before.push(format!("{name} = {}", self.text(operand.spans.whole)));
                name
            })
            .collect();
        let printed = statements(form, &operands, (&self.module, self.edition), &mut names);
        let new_name = instruction.name.is_empty().then(|| names.fresh(&instruction.opcode));
        self.form_names = Some(names);
        let Statements { computations, before: added, shape, mut operation } = printed?;
        before.extend(added);
        for (name, value) in &instruction.annotations {
            operation.extend([", ", name, "=", value]);
        }
        let spans = &instruction.spans;
        let is_shape_written = spans.shape.start < spans.shape.end;
        let shape = shape.filter(|_| !is_shape_written).map(|shape| format!("{shape} ")).unwrap_or_default();
        operation.insert_str(0, &shape);
        let lowered_text =
            before.iter().chain([&operation]).map(String::as_str).collect::<Vec<_>>().join("; ");
        let mut replaced = Edit { span: Span::new(spans.opcode.start, spans.whole.end), text: operation };
        if let Some(name) = new_name {
            // Nested instructions have no attributes.
            let written = self.text(spans.shape);
            let written = if written.is_empty() { String::new() } else { format!("{written} ") };
            before.push(format!("{name} = {written}{}", replaced.text));
            replaced = Edit { span: spans.whole, text: name };
        }
        let mut edits = Vec::new();
        if !computations.is_empty() {
            let text = computations.join("\n") + "\n";
            edits.push(Edit { span: Span::at(self.computation_start), text });
        }
        if !before.is_empty() {
            edits.push(Edit {
                span: Span::at(body.instruction_start),
                text: self.statement_lines(body.instruction_start, &before),
            });
        }
        edits.push(replaced);
        Some((edits, lowered_text))
    }

    /// The text of statements to insert before the one at `start`: on separate lines if that one begins its line.
    pub(super) fn statement_lines(&self, start: usize, statements: &[String]) -> String {
        let before = self.lexer.source.get(..start).unwrap_or_default();
        let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
        let begins_line = line.len() < before.len() && line.trim().is_empty();
        let separator = if begins_line { format!("\n{line}") } else { " ".to_owned() };
        statements.iter().flat_map(|statement| [statement.as_str(), &separator]).collect()
    }

    /// Replaces dimensions that are counted from the end or named by letter.
    fn normalize_dimensions(
        &mut self,
        body: &Body,
        instruction: &mut Instruction,
        arguments: &mut Arguments,
        written: Option<&Shape>,
    ) {
        let shapes: Vec<Shape> =
            Module::operand_shapes(&body.computation, instruction).into_iter().cloned().collect();
        let specs = instruction.op.map_or([].as_slice(), |op| op.meta().attrs);
        for spec in specs {
            let Some(array) = spec.dimensions_of else { continue };
            let value = match instruction.attrs.get(spec.name) {
                Some(AttrValue::Ints(dimensions)) => dimensions.clone(),
                Some(AttrValue::Int(dimension)) => [*dimension].into_iter().collect(),
                _ => continue,
            };
            let Some(rank) = rank_of(array, &shapes, written) else { continue };
            let span =
                instruction.spans.attrs.iter().find(|(name, _)| *name == spec.name).map(|(_, span)| *span);
            let Some(numbered) = self.normalized_dimensions(&value, rank, span) else { continue };
            let error = self.dimension_error(body, instruction, spec, span, written);
            let number = match numbered[..] {
                [number] if matches!(instruction.attrs.get(spec.name), Some(AttrValue::Int(_))) => {
                    AttrValue::Int(number)
                }
                _ => AttrValue::Ints(numbered),
            };
            self.write_attribute(instruction, FormKind::Dimension, spec.name, number, error);
        }
        let max_rank =
            shapes.iter().filter_map(Shape::as_array).map(xla_array::ArrayShape::rank).max().unwrap_or(0);
        for argument in [Argument::Dimensions, Argument::BroadcastDimensions] {
            let list = match argument {
                Argument::Dimensions => &mut arguments.dimensions,
                _ => &mut arguments.broadcast_dimensions,
            };
            let span =
                instruction.spans.attrs.iter().find(|(n, _)| *n == argument.name()).map(|(_, span)| *span);
            if let Some(numbered) =
                list.as_ref().and_then(|list| self.normalized_dimensions(list, max_rank, span))
            {
                *list = Some(numbered);
            }
        }
    }

    /// Counts dimensions from 0 that are counted from the end or named by letter; `None` if there are none.
    fn normalized_dimensions(
        &self,
        value: &[i64],
        rank: usize,
        span: Option<Span>,
    ) -> Option<xla_array::Dims> {
        let has_letters =
            span.is_some_and(|span| self.text(span).contains(|c: char| c.is_ascii_alphabetic()));
        dimension::normalize(value, rank, has_letters)
    }

    /// The error of current XLA for a dimension that is counted from the end or named by letter.
    fn dimension_error(
        &self,
        body: &Body,
        instruction: &Instruction,
        spec: &'static AttrSpec,
        span: Option<Span>,
        written: Option<&Shape>,
    ) -> OpError {
        let operands = Module::operand_shapes(&body.computation, instruction);
        let cx = self.module.infer(instruction, &operands, written, self.edition);
        let op_error = cx.zip(instruction.op).and_then(|(cx, op)| xla_ops::check(op, &cx).err());
        let text = span.map_or("", |span| self.text(span));
        let has_letters = text.contains(|c: char| c.is_ascii_alphabetic());
        op_error.filter(|error| error.at == OpPart::Attr(spec.name) && !has_letters).unwrap_or_else(|| {
            let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
            let letter = words.find(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()));
            let message = match letter {
                Some(letter) => {
                    let expected = Message::ops("hlo-a-number");
                    Message::ops("hlo-expected").with("expected", expected).with("found", letter)
                }
                None => Message::ops("lowering-form").with("form", format!("{}={text}", spec.name)),
            };
            error_without_op("hlo-attribute-value", message).at_attr(spec.name)
        })
    }

    /// Replaces the value of an attribute, and reports the form.
    fn write_attribute(
        &mut self,
        instruction: &mut Instruction,
        kind: FormKind,
        name: &'static str,
        value: AttrValue,
        error: OpError,
    ) {
        let text = value.to_string();
        instruction.attrs.set(name, value);
        let Some((_, span)) = instruction.spans.attrs.iter().find(|(n, _)| *n == name) else { return };
        let edits = vec![Edit { span: *span, text: text.clone() }];
        let lowered_text = format!("{name}={text}");
        self.report_form(instruction, FormEdits { kind, at: OpPart::Attr(name), edits, lowered_text }, error);
    }

    /// Replaces named padding by numbers. If it cannot be resolved, reports that and returns `false`.
    fn resolve_padding(
        &mut self,
        body: &Body,
        instruction: &mut Instruction,
        arguments: &mut Arguments,
    ) -> bool {
        let Some(padding) = arguments.padding.take() else { return true };
        let operands = Module::operand_shapes(&body.computation, instruction);
        let spans = instruction.spans.clone();
        let span_of = |name: &str| spans.attrs.iter().find(|(n, _)| *n == name).map(|(_, span)| *span);
        let (padding_span, window_span) = (span_of(Argument::Padding.name()), span_of("window"));
        let at = if padding_span.is_some() {
            OpPart::Attr(Argument::Padding.name())
        } else {
            OpPart::Attr("window")
        };
        let Some(window) = window::padded(&instruction.opcode, &operands, &instruction.attrs, padding) else {
            let error = error_without_op("hlo-attribute-value", Message::ops("lowering-no-padding")).at(at);
            self.report_op_error(error, &spans);
            return false;
        };
        let value = AttrValue::Window(window);
        let text = value.to_string();
        instruction.attrs.set("window", value);
        // The argument is removed with the comma before it.
        let last_before = |span: Span, pattern: &str| {
            self.text(Span::new(0, span.start)).rfind(pattern).unwrap_or(span.start)
        };
        let edits = match (window_span, padding_span) {
            (Some(span), None) => vec![Edit { span, text: text.clone() }],
            (Some(span), Some(padding_span)) => {
                let mut edits = vec![
                    Edit { span, text: text.clone() },
                    Edit {
                        span: Span::new(last_before(padding_span, ","), padding_span.end),
                        text: String::new(),
                    },
                ];
                edits.sort_by_key(|edit| edit.span.start);
                edits
            }
            (None, Some(padding_span)) => {
                let start = last_before(padding_span, Argument::Padding.name());
                vec![Edit { span: Span::new(start, padding_span.end), text: format!("window={text}") }]
            }
            (None, None) => Vec::new(),
        };
        let form = match padding {
            crate::builder::Padding::Same => "SAME",
            crate::builder::Padding::Valid => "VALID",
        };
        let message = Message::ops("lowering-form").with("form", form);
        let error = error_without_op("hlo-attribute-value", message).at(at.clone());
        let form_edits =
            FormEdits { kind: FormKind::Padding, at, edits, lowered_text: format!("window={text}") };
        self.report_form(instruction, form_edits, error);
        true
    }

    /// Reports a builder argument that has no effect.
    pub(super) fn report_unused_argument(&mut self, instruction: &Instruction, arguments: &Arguments) {
        if let Some(name) = arguments.first_name() {
            let message = Message::ops("lowering-form").with("form", name);
            let error = error_without_op("hlo-attribute", message).at_attr(name);
            let remove = Message::ops("edition-remove").with("name", name);
            self.report_op_error(
                error.with_described_fix(remove, OpPart::WholeAttr(name), ""),
                &instruction.spans.clone(),
            );
        }
    }
}

/// The rank of the array that an attribute's dimensions refer to.
fn rank_of(array: DimensionsOf, operands: &[Shape], written: Option<&Shape>) -> Option<usize> {
    let shape = match array {
        DimensionsOf::Operand(i) => operands.get(i),
        DimensionsOf::ScatterIndices => operands.get(operands.len() / 2),
        DimensionsOf::LastOperand => operands.last(),
        DimensionsOf::Result => written,
    };
    Some(shape?.as_array()?.rank())
}
