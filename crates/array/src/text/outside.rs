//! Layouts that are not written as XLA reads them, though their meaning is clear: `[3,5]T(8,128)`, `[3,5]{T(8,128)}`,
//! `[3,5] with tiling T(8,128)` and `[3,5] column-major`. One fix writes the whole layout: fixes of its parts would not compose.

use super::braces::Order;
use super::cursor::Parser;
use super::diagnostics::{remove_message, write_message};
use super::fix::complete_permutation;
use super::lexer::Kind;
use super::spans::{ArraySpans, Property};
use crate::Layout;
use xla_messages::diagnostic::{Hint, Span};
use xla_messages::i18n::Message;

/// Filler words before a layout or tiles, as in `[3,5] with tiling T(8,128)`.
const FILLERS: [&str; 8] = ["with", "in", "and", "layout", "tiling", "tiles", "tiled", "tile"];

/// Maximum number of filler words in a row.
const MAX_FILLERS: usize = 3;

impl Parser<'_> {
    /// Reads the layout of an array, with the cursor after its sizes.
    pub fn whole_layout(&mut self, rank: usize, spans: &mut ArraySpans) -> Layout {
        let (mark, from) = (self.diagnostics.mark(), self.prev_token_end);
        let start = self.peek().span.start;
        let read = if self.at_layout() { self.layout(rank, spans) } else { None };
        let mut layout = read.unwrap_or_else(|| Layout::descending(rank));
        let without_order = layout.minor_to_major.is_empty() && !spans.properties.is_empty();
        let mut misread = without_order && self.diagnostics.mark().1 > mark.1;
        misread |= self.properties_outside(&mut layout, spans);
        layout.minor_to_major = match self.order_in_words(rank) {
            Some(order) => order.minor_to_major,
            None if misread => complete_permutation(&layout.minor_to_major, rank).into_iter().collect(),
            None => return layout,
        };
        self.diagnostics.reset(mark);
        let span = Span::new(start, self.prev_token_end);
        let trivial = layout.minor_to_major.is_empty() && layout.has_only_order();
        let (text, hint) = if trivial {
            (String::new(), remove_message(self.quote(span)))
        } else {
            (layout.xla_text(), write_message(&layout.xla_text()))
        };
        let message = Message::new("text-layout-form").with("text", self.quote(span));
        let hint = Hint::replace(hint, Span::new(from, self.prev_token_end), text);
        self.diagnostics.error(span, "text-layout-form", message, vec![hint]);
        layout
    }

    /// Reads the properties after the braces or without braces: `T(8,128)` or `:T(8,128)`. Returns whether there is one.
    fn properties_outside(&mut self, layout: &mut Layout, spans: &mut ArraySpans) -> bool {
        if self.paren_depth > 0 && self.finds_closing_brace() {
            // Inside the braces of another layout: a property of that one.
            return false;
        }
        let words = self.words_before_tiles();
        let colon = words + usize::from(self.ahead(words).kind == Kind::Punct(':'));
        let head = self.ahead(colon);
        let head = self.text.get(head.span.range()).unwrap_or_default();
        let known = Property::ALL.iter().any(|p| p.head().eq_ignore_ascii_case(head));
        if !known || self.ahead(colon + 1).kind != Kind::Punct('(') {
            return false;
        }
        for _ in 0..words {
            self.bump();
        }
        self.eat(':');
        let mut order = Order::default();
        while self.at_property()
            && let Some((property, head)) = self.property_head()
        {
            self.property(property, head, &mut order, layout, spans);
        }
        if self.paren_depth == 0 {
            self.eat('}');
        }
        true
    }

    /// The number of words in `with tiling T(8,128)` before the property.
    fn words_before_tiles(&self) -> usize {
        let is_filler = |at: usize| {
            let token = self.ahead(at);
            let word = self.text.get(token.span.range()).unwrap_or_default();
            token.kind == Kind::Word && FILLERS.iter().any(|filler| word.eq_ignore_ascii_case(filler))
        };
        (0..MAX_FILLERS).take_while(|at| is_filler(*at)).count()
    }

    /// Reads `row-major` or `column-major`.
    fn order_in_words(&mut self, rank: usize) -> Option<Layout> {
        if self.kind() != Kind::Word {
            return None;
        }
        let words = self.word().to_ascii_lowercase();
        let (first, rest) = words.split_once(['-', '_']).unwrap_or((&words, ""));
        let ascending = match first {
            "row" => false,
            "column" | "col" => true,
            _ => return None,
        };
        let second = self.text.get(self.ahead(1).span.range()).unwrap_or_default();
        if rest == "major" {
            self.bump();
        } else if rest.is_empty() && second.eq_ignore_ascii_case("major") {
            self.bump();
            self.bump();
        } else {
            return None;
        }
        Some(if ascending { Layout::ascending(rank) } else { Layout::descending(rank) })
    }
}
