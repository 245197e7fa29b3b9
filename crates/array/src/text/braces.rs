//! Layouts in braces: `minor_to_major`, then properties in their order.
//!
//! XLA's parser continues after a mistake inside a property and fails only where the next token cannot follow, so that it
//! accepts `{0:T(8}` and `{0:S}`. Such mistakes are warnings here, and errors only if the same layout has another error. Next:
//! `property`, the values after each letter.

use super::cursor::{MAX_LOOKAHEAD_TOKENS, Parser};
use super::diagnostics::{remove_message, write_message};
use super::lexer::{Kind, Token};
use super::list::{Entry, ListEnd, ListKind, MissingClose};
use super::spans::{ArraySpans, Property};
use crate::Layout;
use xla_messages::diagnostic::{Edit, Hint, Span};
use xla_messages::i18n::Message;

impl Parser<'_> {
    /// Whether a property of a layout comes next.
    pub fn at_property(&self) -> bool {
        match self.kind() {
            Kind::Punct('#') => true,
            Kind::Punct('*') => self.ahead(1).kind == Kind::Punct('('),
            Kind::Word => {
                let word = self.word();
                let known = Property::ALL.iter().any(|p| p.head().eq_ignore_ascii_case(&word));
                let upper = word.starts_with(|c: char| c.is_ascii_uppercase());
                known && (upper || self.ahead(1).kind == Kind::Punct('('))
            }
            _ => false,
        }
    }

    /// Whether a layout comes next, possibly without its `{`: numbers up to a colon or a `}`.
    pub fn at_layout(&self) -> bool {
        let number = |n: &usize| matches!(self.ahead(*n).kind, Kind::Int(_) | Kind::Punct(','));
        let numbers = (0..MAX_LOOKAHEAD_TOKENS).take_while(number).count();
        match self.ahead(numbers).kind {
            Kind::Punct('{') => numbers == 0,
            Kind::Punct(':') => {
                numbers > 0 || matches!(self.ahead(1).kind, Kind::Word | Kind::Punct('#' | '*'))
            }
            Kind::Punct('}') => numbers > 0,
            _ => false,
        }
    }

    /// Reads the layout of an array of this rank, with the cursor at its `{`; `None` if the braces are empty.
    pub fn layout(&mut self, rank: usize, spans: &mut ArraySpans) -> Option<Layout> {
        let brace = if self.kind() == Kind::Punct('{') {
            self.bump().span
        } else {
            self.report_missing("{", Span::at(self.prev_token_end));
            Span::at(self.prev_token_end)
        };
        if matches!(self.kind(), Kind::Punct('}') | Kind::End) {
            let span = if self.eat('}') { Span::new(brace.start, self.prev_token_end) } else { brace };
            let default = Layout::descending(rank).xla_text();
            let mut hints = vec![Hint::replace(remove_message(self.quote(span)), span, "")];
            if rank > 0 {
                hints.insert(0, Hint::replace(write_message(&default), span, default));
            }
            self.diagnostics.error(span, "text-empty-braces", Message::new("text-empty-braces"), hints);
            return None;
        }
        let mut layout = Layout::new([]);
        let (entries, ended) = self.list(ListKind::Order, None, MissingClose::Unreported);
        for (entry, span) in entries {
            if let Entry::Int(d) = entry {
                layout.minor_to_major.push(d);
                spans.minor_to_major.push(span);
            }
        }
        if ended == ListEnd::BeforeProperties {
            let end = Span::at(self.prev_token_end);
            let colon = self.eat_span(':');
            spans.colon = Some(colon.unwrap_or(end));
            if colon.is_none() {
                self.report_missing(":", end);
            }
            self.properties(&mut layout, spans);
        }
        spans.layout = Some(Span::new(brace.start, self.prev_token_end));
        spans.opening_brace = Some(brace);
        Some(layout)
    }

    /// Reads the properties and the closing brace.
    fn properties(&mut self, layout: &mut Layout, spans: &mut ArraySpans) {
        let mark = self.diagnostics.mark();
        let mut order = Order::default();
        loop {
            let token = self.peek();
            match token.kind {
                Kind::Punct('}') => {
                    self.bump();
                    break;
                }
                Kind::End => break self.report_missing("}", Span::at(self.prev_token_end)),
                Kind::Punct(')') if self.paren_depth > 0 && !self.finds_closing_brace() => {
                    break self.report_missing("}", Span::at(self.prev_token_end));
                }
                Kind::Punct(']') if !self.finds_closing_brace() => {
                    let message = Message::new("text-bracket").with("found", "]").with("token", "}");
                    let hint = Hint::replace(write_message("}"), token.span, "}");
                    self.diagnostics.error(token.span, "text-bracket", message, vec![hint]);
                    self.bump();
                    break;
                }
                Kind::Punct(',') if self.paren_depth > 0 && !self.finds_closing_brace() => {
                    // The comma of the enclosing tuple, unless a property follows it.
                    self.bump();
                    let property = self.at_property();
                    self.unread(token);
                    if !property {
                        break self.report_missing("}", Span::at(self.prev_token_end));
                    }
                    self.skip_unexpected();
                }
                Kind::Punct('(') if order.last.is_none() => {
                    self.report_missing("T", Span::at(self.prev_token_end));
                    self.tiles(token.span, layout, spans);
                    order.enter(Property::Tiles);
                }
                Kind::Int(_) if order.last == Some(Property::Tiles) => {
                    self.report_missing("(", Span::at(self.prev_token_end));
                    self.tile(token.span.start, None, layout, spans);
                }
                Kind::Word if self.at_padding() && !self.finds_closing_brace() => {
                    break self.report_missing("}", Span::at(self.prev_token_end));
                }
                _ => match self.property_head() {
                    Some((property, head)) => self.property(property, head, &mut order, layout, spans),
                    None if self.paren_depth > 0
                        && token.kind == Kind::Word
                        && self.at_shape()
                        && !self.finds_closing_brace() =>
                    {
                        break self.report_missing("}", Span::at(self.prev_token_end));
                    }
                    None => {
                        let mut span = token.span;
                        if matches!(token.kind, Kind::Word) {
                            self.bump();
                            if self.kind() == Kind::Punct('(') {
                                span = span.join(self.skip_group());
                            }
                        } else {
                            span = self.skip_group();
                        }
                        self.report_unexpected(span);
                    }
                },
            }
        }
        self.report_order(&order, spans);
        self.diagnostics.tolerate(mark);
    }

    /// Consumes the head of a property: its letter, in either case, or its mark.
    pub fn property_head(&mut self) -> Option<(Property, Token)> {
        let token = self.peek();
        let word = match token.kind {
            Kind::Word => self.word().into_owned(),
            Kind::Punct(c) => c.to_string(),
            _ => return None,
        };
        if let Some(property) = Property::ALL.into_iter().find(|p| p.head() == word) {
            return Some((property, self.bump()));
        }
        // `T8`: the brackets are missing.
        let digits = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
        let prefix = Property::ALL.into_iter().find(|p| p.head() == &word[..word.len() - digits.len()]);
        if let (Some(property), Ok(n)) = (prefix, digits.parse()) {
            let middle = self.after_chars(token.span, word.len() - digits.len());
            self.bump();
            self.prev_token_end = middle;
            self.pending_token = Some(Token { kind: Kind::Int(n), span: Span::new(middle, token.span.end) });
            return Some((property, Token { span: Span::new(token.span.start, middle), ..token }));
        }
        let property = Property::ALL.into_iter().find(|p| p.head().eq_ignore_ascii_case(&word))?;
        let message = Message::new("text-property-case").with("property", property.head());
        let hint = Hint::replace(write_message(property.head()), token.span, property.head());
        self.diagnostics.error(token.span, "text-property-case", message, vec![hint]);
        Some((property, self.bump()))
    }

    pub fn property(
        &mut self,
        property: Property,
        head: Token,
        order: &mut Order,
        layout: &mut Layout,
        spans: &mut ArraySpans,
    ) {
        let repeated = spans.property(property).is_some();
        let more_tiles = repeated && property == Property::Tiles && order.last == Some(property);
        if repeated && !more_tiles {
            // A repeated property is parsed and discarded; the first one counts.
            self.property_body(property, head.span, &mut Layout::new([]), &mut ArraySpans::default());
        } else {
            self.property_body(property, head.span, layout, spans);
        }
        let span = Span::new(head.span.start, self.prev_token_end);
        if repeated {
            let removed = if more_tiles { head.span } else { span };
            let message = Message::new("text-property-repeated").with("property", property.head());
            let hint = Hint::replace(remove_message(self.quote(removed)), removed, "");
            self.diagnostics.error(span, "text-property-repeated", message, vec![hint]);
        } else {
            spans.properties.push((property, span));
            if !order.enter(property) {
                order.misplaced = order.misplaced.or(Some(span));
            }
        }
    }

    fn property_body(&mut self, property: Property, head: Span, layout: &mut Layout, spans: &mut ArraySpans) {
        // A property whose number cannot be read was reported, and has its default.
        match property {
            Property::DimLevelTypes => self.level_types(head),
            Property::Tiles => self.tiles(head, layout, spans),
            Property::TailPaddingAlignment => {
                layout.tail_padding_alignment = self.property_number(head).unwrap_or(1);
            }
            Property::IndexType => layout.index_type = self.property_type(head),
            Property::PointerType => layout.pointer_type = self.property_type(head),
            Property::ElementSize => layout.element_size_in_bits = self.property_number(head).unwrap_or(0),
            Property::MemorySpace => {
                let given = self.property_number(head).unwrap_or(0);
                // XLA stores the memory space as one signed byte.
                layout.memory_space = i64::from(i8::from_le_bytes([given.to_le_bytes()[0]]));
                self.report_read_as(head, given, layout.memory_space);
            }
            Property::Splits => self.splits(head, layout, spans),
            Property::PhysicalShape => layout.physical_shape = self.physical_shape(head),
            Property::MetadataPrefix => {
                let given = self.property_number(head).unwrap_or(0);
                layout.dynamic_shape_metadata_prefix_bytes = given.max(0);
                self.report_read_as(head, given, given.max(0));
            }
        }
    }

    fn report_read_as(&mut self, head: Span, given: i64, read: i64) {
        if given != read {
            let span = Span::new(head.start, self.prev_token_end);
            let message =
                Message::new("text-read-as").with("given", given.to_string()).with("read", read.to_string());
            let text = format!("{}({read})", self.quote(head));
            self.diagnostics.warning(
                span,
                "text-read-as",
                message,
                vec![Hint::replace(write_message(&text), span, text)],
            );
        }
    }

    /// Reports properties out of their order, with the edit that sorts them.
    fn report_order(&mut self, order: &Order, spans: &ArraySpans) {
        let Some(misplaced) = order.misplaced else { return };
        let all = spans.properties.iter().map(|(_, span)| *span).reduce(Span::join).unwrap_or(misplaced);
        let of_kind = |kind| spans.properties.iter().filter(move |(property, _)| *property == kind);
        let sorted = Property::ALL.into_iter().flat_map(of_kind);
        let text: String = sorted.filter_map(|(_, span)| self.text.get(span.range())).collect();
        let hints =
            vec![Hint { message: write_message(&text), edits: vec![Edit { span: all, text: text.clone() }] }];
        self.diagnostics.error(misplaced, "text-property-order", Message::new("text-property-order"), hints);
    }
}

/// Tracks the order of properties.
#[derive(Default)]
pub(super) struct Order {
    last: Option<Property>,
    misplaced: Option<Span>,
}

impl Order {
    /// Adds `property`; returns whether it may follow those before it.
    fn enter(&mut self, property: Property) -> bool {
        let fits = self.last.is_none_or(|last| last < property);
        self.last = self.last.max(Some(property));
        fits
    }
}
