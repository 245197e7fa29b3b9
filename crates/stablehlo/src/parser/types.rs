//! Types.

use super::Parser;
use crate::ast::Type;
use crate::lexer::Kind;
use xla_array::ElementType;
use xla_messages::diagnostic::{Diagnostic, Span};
use xla_messages::i18n::Message;

/// The element type of a name in MLIR.
fn element(name: &str) -> Option<ElementType> {
    match name {
        "i1" => return Some(ElementType::Pred),
        "index" => return Some(ElementType::S64),
        "complex<f32>" => return Some(ElementType::C64),
        "complex<f64>" => return Some(ElementType::C128),
        _ => {}
    }
    let renamed = if let Some(bits) = name.strip_prefix("ui") {
        format!("u{bits}")
    } else if let Some(bits) = name.strip_prefix("si").or_else(|| name.strip_prefix('i')) {
        format!("s{bits}")
    } else {
        name.to_ascii_lowercase()
    };
    ElementType::from_name(&renamed).filter(|found| !matches!(found, ElementType::Pred))
}

impl Parser<'_> {
    /// Parses a type.
    pub(super) fn ty(&mut self) -> Option<Type> {
        let token = self.lexer.peek();
        match (token.kind, self.lexer.text(token.span)) {
            (Kind::Word, "tensor") => self.tensor(),
            (Kind::Word, "tuple") => {
                self.lexer.bump();
                self.expect('<')?;
                Some(Type::Tuple(self.nested(|parser| parser.list('>', Self::ty))?))
            }
            (Kind::Bang, "!stablehlo.token" | "!mhlo.token") => {
                self.lexer.bump();
                Some(Type::Token)
            }
            (Kind::Word, name) if element(name).is_some() => {
                self.lexer.bump();
                Some(Type::Tensor(Vec::new(), element(name)?))
            }
            (Kind::Bang, name) => {
                let message = Message::stablehlo("stablehlo-unsupported").with("op", name);
                self.report(Diagnostic::error(token.span, "stablehlo-type", message));
                self.stop();
                None
            }
            _ => self.expected("tensor<2x3xf32>"),
        }
    }

    /// `tensor<2x?xf32, #stablehlo.bounds<?, 4>>`.
    fn tensor(&mut self) -> Option<Type> {
        self.lexer.bump();
        if self.kind() != Kind::Punct('<') {
            return self.expected("<");
        }
        let span = self.lexer.balanced()?;
        let inner = Span::new(span.start + 1, span.end - 1);
        let text = self.lexer.text(inner);
        let (sizes, encoding) = text.split_once(',').unwrap_or((text, ""));
        let mut rest = sizes.trim();
        let mut dims = Vec::new();
        while let Some((size, after)) = rest.split_once('x') {
            let size = size.trim();
            match size.parse::<i64>() {
                Ok(number) if number >= 0 => dims.push((number, false)),
                _ if size == "?" => dims.push((-1, false)),
                _ => break,
            }
            rest = after.trim();
        }
        let Some(element) = element(rest) else { return self.unreadable(inner, rest) };
        if let Some(bounds) = encoding.trim().strip_prefix("#stablehlo.bounds<") {
            for (dim, bound) in dims.iter_mut().zip(bounds.trim_end_matches('>').split(',')) {
                if let Ok(bound) = bound.trim().parse() {
                    *dim = (bound, true);
                }
            }
        }
        Some(Type::Tensor(dims, element))
    }

    fn unreadable(&mut self, span: Span, element: &str) -> Option<Type> {
        let key =
            if element.starts_with("!quant") { "stablehlo-quantized" } else { "stablehlo-element-type" };
        let message = if key == "stablehlo-quantized" {
            Message::stablehlo("stablehlo-quantized")
        } else {
            Message::stablehlo("stablehlo-element-type").with("name", element)
        };
        self.report(Diagnostic::error(span, "stablehlo-type", message));
        if key == "stablehlo-quantized" {
            // Every other value would have the same error.
            self.stop();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_the_shapes_of_hlo() {
        for (text, shape) in [
            ("tensor<2x3xf32>", "f32[2,3]{1,0}"),
            ("tensor<i1>", "pred[]"),
            ("tensor<4xui8>", "u8[4]{0}"),
            ("tensor<2xcomplex<f64>>", "c128[2]{0}"),
            ("tensor<?x2xbf16, #stablehlo.bounds<4, ?>>", "bf16[<=4,2]{1,0}"),
            ("tensor<2xf8E4M3FN>", "f8e4m3fn[2]{0}"),
            ("tuple<tensor<i32>, !stablehlo.token>", "(s32[], token[])"),
        ] {
            assert_eq!(
                Parser::for_fragment(text).ty().map(|ty| ty.shape()).as_deref(),
                Some(shape),
                "{text}"
            );
        }
        for text in
            ["tensor<2x!quant.uniform<i8:f32, 2.0>>", "tensor<*xf32>", "tensor<f32", "memref<2xf32>", ""]
        {
            assert_eq!(Parser::for_fragment(text).ty(), None, "{text}");
        }
    }
}
