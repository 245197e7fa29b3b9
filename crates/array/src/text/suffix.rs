//! The padding of XLA 2017 after an array: ` padded[3,5]=zero`.

use super::cursor::Parser;
use super::diagnostics::{insert_message, remove_message, write_message};
use super::lexer::{Kind, Token};
use super::list::{Entry, ListKind, MissingClose, Opened};
use super::spans::ArraySpans;
use super::words;
use crate::{Padding, PaddingValue};
use xla_messages::diagnostic::{Hint, Span};
use xla_messages::i18n::Message;

impl Parser<'_> {
    /// Whether `padded`, or a misspelling of it, comes next.
    pub fn at_padding(&self) -> bool {
        let word = self.word();
        self.kind() == Kind::Word
            && (&*word == "padded"
                || split_number(&word).is_some()
                || words::resembles(&word, "padded")
                    && matches!(self.ahead(1).kind, Kind::Punct('[' | '(' | '{')))
    }

    /// Reads the padding, with the cursor at the word that [`Parser::at_padding`] accepted.
    pub fn padding(&mut self, spans: &mut ArraySpans) -> Padding {
        let word = self.word();
        let known = &*word == "padded" || split_number(&word).is_some();
        let mut head = self.bump().span;
        if let Some(first) = split_number(&word) {
            self.prev_token_end = self.after_chars(head, "padded".len());
            self.pending_token =
                Some(Token { kind: Kind::Int(first), span: Span::new(self.prev_token_end, head.end) });
            head.end = self.prev_token_end;
        }
        if !known {
            let message = Message::new("text-unexpected").with("text", self.quote(head));
            self.diagnostics.error(
                head,
                "text-unexpected",
                message,
                vec![Hint::replace(write_message("padded"), head, "padded")],
            );
        }
        let mut padding = Padding { dimensions: [].into_iter().collect(), value: PaddingValue::Invalid };
        let number = matches!(self.kind(), Kind::Int(_) | Kind::TooBig | Kind::BadNumber | Kind::Punct(']'));
        let opened = self.open('[', ']');
        if opened == Opened::No && !number {
            self.report_missing("[]", Span::at(self.prev_token_end));
        } else {
            if opened == Opened::No {
                self.report_missing("[", Span::at(self.prev_token_end));
            }
            for (entry, span) in
                self.list(ListKind::Padded, opened.close_of_wrong_open(), MissingClose::Unreported).0
            {
                if let Entry::Int(size) = entry {
                    padding.dimensions.push(size);
                    spans.padded.push(span);
                }
            }
        }
        self.padding_value(&mut padding, spans);
        spans.padding = Some(Span::new(head.start, self.prev_token_end));
        padding
    }

    fn padding_value(&mut self, padding: &mut Padding, spans: &mut ArraySpans) {
        let sign = self.peek();
        match sign.kind {
            Kind::Punct('=') => {
                self.bump();
            }
            Kind::Punct(':') => {
                let message = Message::new("text-unexpected").with("text", ":");
                self.diagnostics.error(
                    sign.span,
                    "text-unexpected",
                    message,
                    vec![Hint::replace(write_message("="), sign.span, "=")],
                );
                self.bump();
            }
            Kind::Word if PaddingValue::from_word(&self.word()).is_some() => {
                let span = Span::at(self.prev_token_end);
                let message = Message::new("text-missing").with("token", "=");
                self.diagnostics.error(
                    span,
                    "text-missing",
                    message,
                    vec![Hint::replace(insert_message("="), span, "=")],
                );
            }
            _ => return,
        }
        let word = self.peek();
        let value = match word.kind {
            Kind::Int(0) => Some(PaddingValue::Zero),
            Kind::Int(1) => Some(PaddingValue::One),
            Kind::Word if !self.at_shape() => PaddingValue::from_word(&self.word()),
            Kind::Int(_) | Kind::TooBig | Kind::BadNumber => None,
            _ => {
                let hint = Hint::replace(remove_message("="), sign.span, "");
                let other = Hint::replace(insert_message("zero"), Span::at(sign.span.end), "zero");
                let message = Message::new("text-padding-value").with("word", "");
                self.diagnostics.error(sign.span, "text-padding-value", message, vec![hint, other]);
                return;
            }
        };
        padding.value = value.unwrap_or_else(|| {
            let nearest = words::nearest_padding(&self.word());
            let message = Message::new("text-padding-value").with("word", self.quote(word.span));
            let hint = Hint::replace(write_message(nearest.word()), word.span, nearest.word());
            self.diagnostics.error(word.span, "text-padding-value", message, vec![hint]);
            nearest
        });
        self.bump();
        spans.padding_value = Some(word.span);
    }
}

/// The number in `padded3`, where the bracket before it is missing.
fn split_number(word: &str) -> Option<i64> {
    let digits = word.strip_prefix("padded").filter(|d| d.bytes().all(|b| b.is_ascii_digit()))?;
    digits.parse().ok()
}
