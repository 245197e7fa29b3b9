//! Definitions, references and renaming of instructions and computations.
//!
//! Names of instructions occur within their computation: as a definition, an operand, a control predecessor or a parameter of the
//! signature. Names of computations occur at their definition and in attributes that call them.

use super::token_context::{TokenContext, computation_at};
use crate::instruction_at::InstructionAt;
use xla_hlo::lexer::{Lexer, Token, TokenKind, is_reserved};
use xla_hlo::module::Module;
use xla_messages::diagnostic::{Edit, Span, sort_by_span};
use xla_messages::i18n::Message;
use xla_ops::{AttrKind, ComputationId};

/// The definition that a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// An instruction.
    Instruction(InstructionAt),
    /// A computation.
    Computation(ComputationId),
}

/// The role of a name within the text of a computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// The name of the computation.
    Head,
    /// A parameter in the signature.
    Signature,
    /// The name of an instruction.
    Definition,
    /// An operand or a control predecessor.
    Use,
}

/// Visits the names that a computation's text defines and uses, without those of bodies within its attributes.
fn visit_names(text: &str, span: Span, mut visit: impl FnMut(Token, Role)) {
    let mut lexer = Lexer::starting_at(text, span.start);
    // The name before each open bracket within the body.
    let mut brackets: Vec<(char, Option<&str>)> = Vec::new();
    let mut is_in_body = text.get(span.range()).is_some_and(|text| text.starts_with('{'));
    if is_in_body {
        lexer.next();
    }
    let mut previous: Option<Token> = None;
    while lexer.offset < span.end {
        let token = lexer.next();
        let word = lexer.text(token.span);
        match token.kind {
            TokenKind::End => return,
            TokenKind::Punct('{') if !is_in_body && brackets.is_empty() => {
                // Not the layout of the result in the signature.
                let mut ahead = lexer.clone();
                let is_layout = previous.is_some_and(|before| before.span.end == token.span.start)
                    && matches!(ahead.next().kind, TokenKind::Int | TokenKind::Punct(':' | '}'));
                if is_layout {
                    brackets.push(('{', None));
                } else {
                    is_in_body = true;
                }
            }
            TokenKind::Punct(open @ ('{' | '(' | '[')) => {
                let attribute = previous.filter(|before| before.kind == TokenKind::AttrName);
                brackets.push((open, attribute.map(|before| lexer.text(before.span))));
            }
            TokenKind::Punct('}' | ')' | ']') => {
                brackets.pop();
            }
            TokenKind::ParamName if !is_in_body && brackets.len() == 1 => visit(token, Role::Signature),
            kind if kind.is_name() && !is_reserved(word) => {
                let is_operand = !brackets.is_empty() && brackets.iter().all(|(open, _)| *open == '(');
                let is_predecessor = matches!(brackets[..], [('{', Some("control-predecessors"))]);
                let is_opcode = text.as_bytes().get(token.span.end) == Some(&b'(') && !word.starts_with('%');
                let follows_attribute = previous.is_some_and(|before| before.kind == TokenKind::AttrName);
                if !is_in_body {
                    if brackets.is_empty() && previous.is_none_or(|before| lexer.text(before.span) == "ENTRY")
                    {
                        visit(token, Role::Head);
                    }
                } else if is_operand && !is_opcode || is_predecessor {
                    visit(token, Role::Use);
                } else if brackets.is_empty()
                    && !follows_attribute
                    && lexer.peek().kind == TokenKind::Punct('=')
                {
                    visit(token, Role::Definition);
                }
            }
            _ => {}
        }
        previous = Some(token);
    }
}

/// A name without its `%`.
fn bare(word: &str) -> &str {
    word.strip_prefix('%').unwrap_or(word)
}

/// Whether the cursor is in an attribute whose value names computations.
fn is_callee(cursor: &TokenContext, module: &Module) -> bool {
    let Some((name, _)) = cursor.attribute else { return false };
    let spec = cursor.instruction(module).and_then(|(_, instruction)| instruction.op?.meta().attr(name));
    spec.is_some_and(|spec| matches!(spec.kind, AttrKind::Computation | AttrKind::Computations))
}

/// The definition that the name at a byte refers to; `None` if there is no name of the module.
pub fn symbol(text: &str, module: &Module, offset: usize) -> Option<Symbol> {
    let cursor = TokenContext::find(text, module, offset)?;
    if !cursor.token.kind.is_name() {
        return None;
    }
    let name = bare(cursor.word);
    if is_callee(&cursor, module) {
        return module.find(name).map(Symbol::Computation);
    }
    let computation = computation_at(module, offset)?;
    let body = module.get(computation)?;
    let mut role_at_place = None;
    visit_names(text, body.span, |token, role| {
        if token.span == cursor.token.span {
            role_at_place = Some(role);
        }
    });
    match role_at_place? {
        Role::Head => Some(Symbol::Computation(computation)),
        _ => Some(Symbol::Instruction(InstructionAt { computation, instruction: body.find(name)? })),
    }
}

/// The name where an instruction or a computation is defined.
pub fn definition_of(text: &str, module: &Module, symbol: Symbol) -> Option<Span> {
    match symbol {
        Symbol::Instruction(at) => Some(at.of(module)?.1.spans.name),
        Symbol::Computation(id) => {
            let mut head = None;
            let computation = module.get(id)?;
            visit_names(text, computation.span, |token, role| {
                if role == Role::Head && head.is_none() {
                    head = Some(token.span);
                }
            });
            Some(head.unwrap_or_else(|| Span::at(computation.span.start)))
        }
    }
}

/// The definition of the name at a byte.
///
/// ```
/// let text = "HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n  ROOT y = f32[] negate(x)\n}";
/// let module = xla_hlo::parse(text).module;
/// let found = xla_inspect::text::definition(text, &module, text.rfind("x)").unwrap()).unwrap();
/// assert_eq!(found.start, text.find("x =").unwrap());
/// ```
pub fn definition(text: &str, module: &Module, offset: usize) -> Option<Span> {
    definition_of(text, module, symbol(text, module, offset)?)
}

/// Every occurrence of a symbol, its definition included, in ascending order.
pub fn references(text: &str, module: &Module, symbol: Symbol) -> Vec<Span> {
    let mut found = Vec::new();
    match symbol {
        Symbol::Instruction(at) => {
            let Some((computation, instruction)) = at.of(module) else { return found };
            let is_parameter = instruction.opcode == "parameter";
            visit_names(text, computation.span, |token, role| {
                let is_named =
                    text.get(token.span.range()).is_some_and(|word| bare(word) == instruction.name);
                if is_named && role != Role::Head && (role != Role::Signature || is_parameter) {
                    found.push(token.span);
                }
            });
        }
        Symbol::Computation(id) => {
            let Some(name) = module.get(id).map(|computation| &*computation.name) else { return found };
            found.extend(definition_of(text, module, symbol).filter(|span| span.start < span.end));
            for instruction in module.computations.iter().flat_map(|c| &c.instructions) {
                if !instruction.attrs.computations().any(|callee| callee == id) {
                    continue;
                }
                let specs = instruction.op.map_or(&[][..], |op| op.meta().attrs);
                let is_call = |kind| matches!(kind, AttrKind::Computation | AttrKind::Computations);
                let spans = specs.iter().filter(|spec| is_call(spec.kind));
                for span in spans.filter_map(|spec| instruction.attribute_span(spec.name)) {
                    found.extend(
                        names_in(text, span)
                            .filter(|span| text.get(span.range()).is_some_and(|word| bare(word) == name)),
                    );
                }
            }
        }
    }
    sort_by_span(&mut found, |span| *span);
    found.dedup();
    found
}

/// The names in a list of computations, without those within bodies.
fn names_in(text: &str, span: Span) -> impl Iterator<Item = Span> {
    let mut lexer = Lexer::starting_at(text, span.start);
    std::iter::from_fn(move || {
        let token = lexer.next();
        (lexer.offset <= span.end && token.kind != TokenKind::End).then_some(token)
    })
    // A body has instructions: it is no list of names.
    .take_while(|token| token.kind != TokenKind::AttrName && token.kind != TokenKind::Punct('='))
    .filter(|token| token.kind == TokenKind::Name)
    .map(|token| token.span)
}

/// The edits that rename the symbol at a byte. Each occurrence keeps its `%` or its lack of one.
///
/// # Errors
///
/// The reason: there is no name at the byte, the new text is not a name, or another definition of the scope has it.
pub fn rename(text: &str, module: &Module, offset: usize, new: &str) -> Result<Vec<Edit>, Message> {
    let symbol = symbol(text, module, offset).ok_or_else(|| Message::inspect("inspect-rename-nothing"))?;
    let new = bare(new.trim());
    let mut lexer = Lexer::new(new);
    let token = lexer.next();
    if token.kind != TokenKind::Name || token.span != Span::new(0, new.len()) {
        return Err(Message::inspect("inspect-rename-invalid").with("name", new));
    }
    let (own, is_taken) = match symbol {
        Symbol::Instruction(at) => {
            let (computation, instruction) =
                at.of(module).ok_or_else(|| Message::inspect("inspect-rename-nothing"))?;
            (&instruction.name, computation.find(new).is_some())
        }
        Symbol::Computation(id) => {
            let computation = module.get(id).ok_or_else(|| Message::inspect("inspect-rename-nothing"))?;
            (&computation.name, module.find(new).is_some())
        }
    };
    if own == new {
        return Ok(Vec::new());
    }
    if is_taken {
        return Err(Message::inspect("inspect-rename-taken").with("name", new));
    }
    let occurrences = references(text, module, symbol);
    let has_percent = |span: &Span| text.get(span.range()).is_some_and(|word| word.starts_with('%'));
    if is_reserved(new) && !occurrences.iter().all(has_percent) {
        return Err(Message::inspect("inspect-rename-reserved").with("name", new));
    }
    let edit = |span: &Span| Edit {
        span: *span,
        text: if has_percent(span) { format!("%{new}") } else { new.to_owned() },
    };
    Ok(occurrences.iter().map(edit).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_messages::diagnostic::Hint;

    const TEXT: &str = "HloModule m

%add (x: f32[], add: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %add = f32[] parameter(1)
  ROOT %r = f32[] add(%x, f32[] %add), control-predecessors={%x}
}

ENTRY %e (p: f32[2]) -> f32[]{:T(128)} {
  %p = f32[2]{0} parameter(0)
  %c = f32[] constant(0)
  %inner = f32[] reduce(%p, %c), dimensions={0}, to_apply={ x = f32[] parameter(0) y = f32[] parameter(1) ROOT p = f32[] add(x, y) }
  ROOT %s = f32[] reduce(%p, %c), dimensions={0}, to_apply=%add, metadata={op_name=\"%p\"}
}
";

    fn module() -> Module {
        let parsed = xla_hlo::parse(TEXT);
        assert_eq!(parsed.error(), None);
        parsed.module
    }

    fn renamed(at: &str, new: &str) -> Result<String, String> {
        let offset = TEXT.find(at).unwrap();
        let edits = rename(TEXT, &module(), offset, new).map_err(|message| message.to_string())?;
        let hint = Hint { message: Message::inspect("inspect-rename-nothing"), edits };
        Ok(hint.apply(TEXT).unwrap_or_else(|| TEXT.to_owned()))
    }

    #[test]
    fn a_name_leads_to_its_definition() {
        let module = module();
        let lead = |from: &str, to: &str| {
            let found = definition(TEXT, &module, TEXT.find(from).unwrap());
            assert_eq!(found.map(|span| span.start), Some(TEXT.find(to).unwrap()), "{from}");
        };
        lead("%x, f32", "%x = ");
        lead("%add), control", "%add = f32");
        lead("%x}", "%x = ");
        lead("%add, metadata", "%add (x");
        lead("%p, %c), dimensions={0}, to_apply=%", "%p = ");
        lead("y) }", "y = ");
        lead("%e (p", "%e (p");
        for nothing in ["reduce(", "op_name", "f32[2]", "HloModule"] {
            assert_eq!(definition(TEXT, &module, TEXT.find(nothing).unwrap()), None, "{nothing}");
        }
    }

    #[test]
    fn renaming_changes_one_scope() {
        let text = renamed("%p = ", "input").unwrap();
        for part in [
            "(input: f32[2])",
            "%input = f32[2]",
            "reduce(%input, %c), dimensions={0}, to_apply={ x",
            "ROOT p = ",
            "op_name=\"%p\"",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(xla_hlo::parse(&text).error().is_none());
        let text = renamed("%add (x", "%sum").unwrap();
        assert!(text.contains("%sum (x: f32[], add: f32[])") && text.contains("to_apply=%sum,"), "{text}");
        assert!(text.contains("%add = f32[] parameter(1)"), "{text}");
        assert!(xla_hlo::parse(&text).error().is_none());
        let text = renamed("y) }", "z").unwrap();
        assert!(text.contains("z = f32[] parameter(1) ROOT p = f32[] add(x, z) }"), "{text}");
        assert_eq!(renamed("%p = ", "p").unwrap(), TEXT);
    }

    #[test]
    fn collisions_and_invalid_names_are_rejected() {
        assert!(renamed("%p = ", "c").unwrap_err().contains("already"));
        assert!(renamed("%add (x", "e").unwrap_err().contains("already"));
        for invalid in ["", "1", "a b", "a=", "é", "a(", "\"a\""] {
            assert!(renamed("%p = ", invalid).is_err(), "{invalid}");
        }
        // `%f32` is a name, but the body within the attribute has no `%`.
        assert!(renamed("%c = ", "f32").is_ok());
        assert!(renamed("y = f32", "f32").is_err());
        assert!(renamed("HloModule", "x").is_err());
    }
}
