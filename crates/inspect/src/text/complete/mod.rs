//! Completion: opcodes, attributes, names in scope, computations, and the words of an attribute's value.
//!
//! Candidates are in the order in which they are offered: those that begin with the typed text, required before optional, names
//! with a fitting shape before others, near definitions before far ones.

use super::keywords::meaning;
use super::token_context::{TokenContext, computation_at};
use xla_array::{ElementType, Shape, shape_util};
use xla_hlo::lexer::{Lexer, TokenKind};
use xla_hlo::module::{Computation, Instruction, Module};
use xla_messages::diagnostic::Span;
use xla_messages::i18n::Message;
use xla_ops::{AttrKind, AttrSpec, OpDef};

/// The kind of a candidate, which decides its symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateKind {
    /// An opcode.
    Opcode,
    /// An attribute that the instruction lacks and needs.
    Required,
    /// Any other attribute or field.
    Attribute,
    /// An instruction.
    Instruction,
    /// A computation.
    Computation,
    /// A word of an attribute's value.
    Word,
    /// An element type.
    Type,
}

/// What may be inserted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The text to insert, which is shown, too.
    pub text: String,
    /// Its kind.
    pub kind: CandidateKind,
    /// Its shape, or the title of the operation; may be empty.
    pub detail: String,
    /// Its meaning.
    pub description: Option<Message>,
}

/// The candidates at a byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The text that a candidate replaces: the word around the byte.
    pub span: Span,
    /// The candidates.
    pub candidates: Vec<Candidate>,
}

impl Completion {
    /// What replaces the word: the candidate, without a bracket or sign at its end that follows the word already.
    pub fn replacement<'c>(&self, text: &str, candidate: &'c Candidate) -> &'c str {
        let next = text.get(self.span.end..).and_then(|rest| rest.chars().next());
        next.and_then(|next| candidate.text.strip_suffix(next)).unwrap_or(&candidate.text)
    }
}

/// Maximum number of candidates that are offered.
const MAX_CANDIDATES: usize = 200;

/// Attributes that any instruction may have.
const COMMON_ATTRIBUTES: [(&str, &str); 5] = [
    ("sharding", "inspect-note-sharding"),
    ("metadata", "inspect-note-metadata"),
    ("frontend_attributes", "inspect-note-frontend-attributes"),
    ("backend_config", "inspect-note-backend-config"),
    ("control-predecessors", "inspect-note-control-predecessors"),
];

/// Attributes of the header.
const HEADER_ATTRIBUTES: [(&str, &str); 8] = [
    ("is_scheduled", "inspect-header-is-scheduled"),
    ("entry_computation_layout", "inspect-header-entry-layout"),
    ("input_output_alias", "inspect-header-alias"),
    ("buffer_donor", "inspect-header-donor"),
    ("replica_count", "inspect-header-replica-count"),
    ("num_partitions", "inspect-header-num-partitions"),
    ("allow_spmd_sharding_propagation_to_parameters", "inspect-header-spmd-parameters"),
    ("allow_spmd_sharding_propagation_to_output", "inspect-header-spmd-output"),
];

/// Fields of a window.
const WINDOW_FIELDS: [(&str, &str); 6] = [
    ("size", "inspect-window-size"),
    ("stride", "inspect-window-stride"),
    ("pad", "inspect-window-pad"),
    ("lhs_dilate", "inspect-window-lhs-dilate"),
    ("rhs_dilate", "inspect-window-rhs-dilate"),
    ("rhs_reversal", "inspect-window-reversal"),
];

/// The candidates for completing the word around a byte by its letters before the byte; `None` if there are none.
///
/// ```
/// let text = "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] nega\n}";
/// let module = xla_hlo::parse(text).module;
/// let found = xla_inspect::text::complete(text, &module, text.find("nega").unwrap() + 4).unwrap();
/// assert_eq!(found.candidates[0].text, "negate(");
/// ```
pub fn complete(text: &str, module: &Module, offset: usize) -> Option<Completion> {
    let before = text.get(..offset)?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_.-%".contains(c);
    let start = before.trim_end_matches(is_word).len();
    let word = text.get(start..offset)?;
    let cursor = TokenContext::near(text, module, start);
    // Not within a string or a comment.
    let is_string = matches!(cursor.token.kind, TokenKind::String | TokenKind::OpenString);
    if is_string && cursor.token.span.start < start || before.rsplit('\n').next()?.contains("//") {
        return None;
    }
    let mut candidates = Completer { text, module, cursor, start }.candidates()?;
    let bare = word.trim_start_matches('%').to_ascii_lowercase();
    let rank = |candidate: &Candidate| {
        let name = candidate.text.trim_start_matches('%').to_ascii_lowercase();
        if name.starts_with(&bare) { Some(0) } else { name.contains(&bare).then_some(1) }
    };
    candidates.retain(|candidate| rank(candidate).is_some());
    candidates.sort_by_key(rank);
    candidates.truncate(MAX_CANDIDATES);
    let rest = text.get(offset..)?;
    let end = offset + rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    (!candidates.is_empty()).then_some(Completion { span: Span::new(start, end), candidates })
}

struct Completer<'t> {
    text: &'t str,
    module: &'t Module,
    cursor: TokenContext<'t>,
    /// The start of the word.
    start: usize,
}

fn candidate(text: impl Into<String>, kind: CandidateKind) -> Candidate {
    Candidate { text: text.into(), kind, detail: String::new(), description: None }
}

/// The attributes or fields of a table that are not present.
fn missing_fields(table: &'static [(&str, &str)], present: &[&str]) -> Vec<Candidate> {
    let missing = table.iter().filter(|(name, _)| !present.contains(name));
    let described = missing.map(|(name, key)| Candidate {
        description: Some(Message::inspect(key)),
        ..candidate(format!("{name}="), CandidateKind::Attribute)
    });
    described.collect()
}

fn word_candidates(words: &[&str]) -> Vec<Candidate> {
    words.iter().map(|word| candidate(*word, CandidateKind::Word)).collect()
}

impl<'t> Completer<'t> {
    fn candidates(&self) -> Option<Vec<Candidate>> {
        let cursor = &self.cursor;
        let previous = cursor.previous.map(|token| self.text.get(token.span.range()).unwrap_or_default());
        let op = cursor.opcode.and_then(xla_ops::find);
        if self.is_line_start() && cursor.enclosing.is_empty() && previous != Some(",") {
            return Some(word_candidates(&["ROOT", "ENTRY", "HloModule"]));
        }
        if let Some((name, _)) = cursor.attribute {
            return self.values(name, op);
        }
        if let Some(bracket) = cursor.enclosing.last() {
            let opcode = bracket.name.filter(|_| bracket.open == '(')?;
            return Some(self.operands(xla_ops::find(opcode), bracket.index));
        }
        let is_header = self.statement_begins_with("HloModule");
        match previous {
            Some(",") if is_header => Some(missing_fields(&HEADER_ATTRIBUTES, &cursor.attributes)),
            Some(",") => Some(self.attributes(op?)),
            Some("=") => Some(self.types().into_iter().chain(Self::opcodes()).collect()),
            Some("]" | "}" | ")") if cursor.opcode.is_none() && !is_header => Some(Self::opcodes()),
            _ => None,
        }
    }

    fn is_line_start(&self) -> bool {
        let line = self.text.get(..self.start).and_then(|before| before.rsplit('\n').next());
        line.is_some_and(|line| line.trim().is_empty())
    }

    fn statement_begins_with(&self, word: &str) -> bool {
        let before = self.text.get(..self.start).unwrap_or_default();
        let line = before.rsplit('\n').find(|line| !line.trim().is_empty()).unwrap_or_default();
        line.trim_start().starts_with(word)
    }

    fn opcodes() -> Vec<Candidate> {
        let described = xla_ops::all().map(|op| Candidate {
            detail: op.meta().title.to_owned(),
            description: Some(Message::ops(op.meta().summary)),
            ..candidate(format!("{}(", op.meta().opcode), CandidateKind::Opcode)
        });
        let mut opcodes: Vec<Candidate> = described.collect();
        opcodes.sort_by(|a, b| a.text.cmp(&b.text));
        opcodes
    }

    fn types(&self) -> Vec<Candidate> {
        // Types that the program uses come first.
        let used = self.module.computations.iter().flat_map(|c| &c.instructions).take(MAX_CANDIDATES);
        let used: Vec<ElementType> = used.filter_map(|i| Some(i.shape.as_array()?.element_type)).collect();
        let mut types: Vec<ElementType> = ElementType::ALL.to_vec();
        types.sort_by_key(|ty| !used.contains(ty));
        types.into_iter().map(|ty| candidate(format!("{}[", ty.name()), CandidateKind::Type)).collect()
    }

    /// The attributes that the instruction does not have yet, required ones first.
    fn attributes(&self, op: &'static dyn OpDef) -> Vec<Candidate> {
        let after = self.attributes_after();
        let is_present = |name: &str| self.cursor.attributes.contains(&name) || after.contains(&name);
        let missing = || op.meta().attrs.iter().filter(|spec| !is_present(spec.name));
        let described = |spec: &AttrSpec| Candidate {
            description: Some(Message::ops(spec.description)),
            ..candidate(
                format!("{}=", spec.name),
                if spec.required { CandidateKind::Required } else { CandidateKind::Attribute },
            )
        };
        let required = missing().filter(|spec| spec.required).map(described);
        let optional = missing().filter(|spec| !spec.required).map(described);
        required.chain(optional).chain(missing_fields(&COMMON_ATTRIBUTES, &self.cursor.attributes)).collect()
    }

    /// The attributes on the rest of the line.
    fn attributes_after(&self) -> Vec<&'t str> {
        let rest = self.text.get(self.start..).unwrap_or_default().lines().next().unwrap_or_default();
        let mut lexer = Lexer::new(rest);
        let mut names = Vec::new();
        loop {
            let token = lexer.next();
            match token.kind {
                TokenKind::AttrName => names.extend(rest.get(token.span.range())),
                TokenKind::End => return names,
                _ => {}
            }
        }
    }

    /// The words and names that the value of an attribute may have.
    fn values(&self, name: &str, op: Option<&'static dyn OpDef>) -> Option<Vec<Candidate>> {
        let enclosing = self.cursor.enclosing.last();
        let spec = op.and_then(|op| op.meta().attr(name));
        match (name, spec.map(|spec| spec.kind)) {
            ("control-predecessors", _) if enclosing.is_some() => Some(self.operands(None, 0)),
            (_, Some(AttrKind::Computation)) if enclosing.is_none() => Some(self.computations(op)),
            (_, Some(AttrKind::Computations)) if enclosing.is_some() => Some(self.computations(op)),
            (_, Some(AttrKind::Keyword(keywords))) => Some(
                keywords
                    .iter()
                    .map(|word| Candidate {
                        description: meaning(name, word),
                        ..candidate(*word, CandidateKind::Word)
                    })
                    .collect(),
            ),
            (_, Some(AttrKind::Bool)) | ("is_scheduled" | "alias_passthrough_params", None) => {
                Some(word_candidates(&["true", "false"]))
            }
            (_, Some(AttrKind::Window)) if enclosing.is_some() => Some(missing_fields(&WINDOW_FIELDS, &[])),
            ("sharding", _) if enclosing.is_some() => Some(word_candidates(&[
                "replicated",
                "devices=[",
                "maximal device=",
                "manual",
                "last_tile_dim_replicate",
            ])),
            ("entry_computation_layout", _) => Some(self.types()),
            _ => None,
        }
    }

    /// The computations, those with the number of parameters that the op passes first.
    fn computations(&self, op: Option<&'static dyn OpDef>) -> Vec<Candidate> {
        let written =
            self.text.get(self.start..).is_some_and(|rest| rest.starts_with('%')) || self.uses_percent();
        let operands =
            self.cursor.instruction(self.module).map(|(_, instruction)| instruction.operands.len());
        let is_call = op.is_some_and(|op| matches!(op.meta().opcode, "call" | "fusion" | "while" | "map"));
        let enclosing = computation_at(self.module, self.start).map(|id| id.0 as usize);
        let callable = self.module.computations.iter().take(enclosing.unwrap_or(usize::MAX)).rev();
        let callable: Vec<&Computation> =
            callable.filter(|c| !c.name.is_empty()).take(MAX_CANDIDATES).collect();
        let fits = |c: &Computation| {
            if is_call {
                Some(c.parameters.len()) == operands
            } else {
                c.parameters.len() == operands.unwrap_or(2)
            }
        };
        let (fitting, others): (Vec<_>, Vec<_>) = callable.into_iter().partition(|c| fits(c));
        let described = fitting.into_iter().chain(others).map(|computation| {
            let detail = computation.signature().map(|signature| {
                let parameters: Vec<String> = signature.parameters.iter().map(Shape::human_string).collect();
                format!("({}) -> {}", parameters.join(", "), signature.result.human_string())
            });
            let percent = if written { "%" } else { "" };
            Candidate {
                detail: detail.unwrap_or_default(),
                ..candidate(format!("{percent}{}", computation.name), CandidateKind::Computation)
            }
        });
        described.collect()
    }

    /// Whether the names of the text have a `%`.
    fn uses_percent(&self) -> bool {
        let first = self.module.computations.first().and_then(|c| c.instructions.first());
        let name = first.and_then(|instruction| self.text.get(instruction.spans.name.range()));
        name.is_some_and(|name| name.starts_with('%'))
    }

    /// The instructions above, those with a fitting shape first.
    fn operands(&self, op: Option<&'static dyn OpDef>, index: usize) -> Vec<Candidate> {
        let Some(computation) = computation_at(self.module, self.start).and_then(|id| self.module.get(id))
        else {
            return Vec::new();
        };
        let percent = if self.uses_percent() { "%" } else { "" };
        let above = |instruction: &&Instruction| {
            !instruction.name.is_empty() && instruction.spans.whole.end <= self.cursor.statement
        };
        let above: Vec<&Instruction> = computation.instructions.iter().filter(above).collect();
        let wanted = self.wanted(op, index);
        let fits = |instruction: &Instruction| {
            wanted.as_ref().is_none_or(|wanted| wanted.accepts(&instruction.shape))
        };
        let (fitting, others): (Vec<_>, Vec<_>) = above.into_iter().rev().partition(|i| fits(i));
        let described = fitting.into_iter().chain(others).map(|instruction| Candidate {
            detail: instruction.shape.human_string(),
            ..candidate(format!("{percent}{}", instruction.name), CandidateKind::Instruction)
        });
        described.collect()
    }

    /// The known properties of an operand's shape before the instruction is complete.
    fn wanted(&self, op: Option<&'static dyn OpDef>, index: usize) -> Option<Wanted> {
        let meta = op?.meta();
        match meta.operands.name(index) {
            "pred" | "predicate" => return Some(Wanted::Type(ElementType::Pred)),
            name if name.contains("init") || name.contains("start ind") && meta.opcode != "gather" => {
                return Some(Wanted::Scalar);
            }
            "padding value" => return Some(Wanted::Scalar),
            _ => {}
        }
        if matches!(meta.opcode, "get-tuple-element" | "while") {
            return Some(Wanted::Tuple);
        }
        // Element by element, operands have the sizes of the result and of each other.
        let is_elementwise = op?.element_types(xla_array::Edition::Current).is_some()
            || matches!(meta.opcode, "select" | "clamp" | "compare" | "copy" | "convert");
        if !is_elementwise {
            return None;
        }
        let (computation, instruction) = self.cursor.instruction(self.module)?;
        let others = instruction.operands.iter().zip(&instruction.spans.operands);
        let other =
            others.filter(|(_, span)| span.end < self.start).map(|(id, _)| computation.get(*id)).next_back();
        match other {
            Some(Some(other)) if meta.opcode != "select" || index > 1 => {
                Some(Wanted::Like(other.shape.clone()))
            }
            _ => instruction.shape.as_array().map(|_| Wanted::Sizes(instruction.shape.clone())),
        }
    }
}

/// The shapes that fit.
enum Wanted {
    /// Any array of this element type.
    Type(ElementType),
    Scalar,
    Tuple,
    /// The same type and sizes.
    Like(Shape),
    /// The same sizes.
    Sizes(Shape),
}

impl Wanted {
    fn accepts(&self, shape: &Shape) -> bool {
        let array = shape.as_array();
        match self {
            Self::Type(of) => array.is_some_and(|array| array.element_type == *of),
            Self::Scalar => array.is_some_and(|array| array.rank() == 0),
            Self::Tuple => shape.as_tuple().is_some(),
            Self::Like(other) => shape_util::compatible(other, shape),
            Self::Sizes(other) => {
                let sizes = |shape: &Shape| shape.as_array().map(|array| array.dimensions.clone());
                sizes(other) == sizes(shape)
            }
        }
    }
}

#[cfg(test)]
mod tests;
