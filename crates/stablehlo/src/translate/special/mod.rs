//! Special functions of chlo, which HLO lacks: each is a call of a computation that has the function's name.
//!
//! - `gamma`: lgamma, digamma, polygamma, zeta.
//! - `error_function`: `erfc`, `erf_inv`; `bessel`: `bessel_i1e`.
//! - this file: their computations, `next_after`, and short functions of one or two instructions.
//!
//! The approximations are XLA's: other ones differ in the last bits, and where a function has no value.

mod bessel;
mod error_function;
mod gamma;

use super::formula::{Formula, Term};
use super::{Body, ComputationKind, Translator, Value, names};
use crate::ast::Op;
use xla_array::{Class, ElementType};
use xla_messages::i18n::Message;

/// The formula of a function, of its operands in f32 or f64; `None` if it is not one of these.
fn formula<'f>(name: &str, operands: &[Term<'f>], is_double: bool) -> Option<Term<'f>> {
    Some(match (name, operands) {
        ("lgamma", [x]) => gamma::log_gamma(*x),
        ("digamma", [x]) => gamma::digamma(*x),
        ("polygamma", [order, x]) => gamma::polygamma(*order, *x, is_double),
        ("zeta", [x, q]) => gamma::zeta(*x, *q, is_double),
        ("erfc", [x]) => error_function::complement(*x, is_double),
        ("erf_inv", [x]) => error_function::inverse(*x, is_double),
        ("bessel_i1e", [x]) => bessel::i1e(*x, is_double),
        _ => return None,
    })
}

/// The number after `x` in the direction of `y`, by their bits.
fn next_after<'f>(x: Term<'f>, y: Term<'f>, element: ElementType) -> Option<Term<'f>> {
    let (integer, sign_bit) = match element.bits() {
        16 => (ElementType::S16, -32768.0),
        32 => (ElementType::S32, -2_147_483_648.0),
        64 => (ElementType::S64, -9_223_372_036_854_775_808.0),
        _ => return None,
    };
    let is_nan = x.compare("NE", x).with("or", y.compare("NE", y));
    let [from, to] = [x, y].map(|term| term.cast("bitcast-convert", integer));
    let sign = from.constant(sign_bit);
    let [from_sign, to_sign] = [from, to].map(|bits| bits.with("and", sign));
    let [from_size, to_size] = [from, to].map(|bits| bits.with("and", sign.apply("not")));
    let is_zero = from_size.compare_number("EQ", 0.0);
    let smallest = to_size.compare_number("EQ", 0.0).select(to, to_sign.with("or", from.constant(1.0)));
    let shrinks = from_size.compare("GT", to_size).with("or", from_sign.compare("NE", to_sign));
    let moved = from + shrinks.select(from.constant(-1.0), from.constant(1.0));
    let next = is_zero.select(smallest, moved);
    let next = x.compare("EQ", y).select(to, next).cast("bitcast-convert", element);
    Some(is_nan.select(x.constant(f64::NAN), next))
}

impl<'a, 's> Translator<'a, 's> {
    /// Calls the computation of a function, which is written once per shape. `None` if the op is rejected, which is reported.
    pub(super) fn special(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>, name: &str) -> Option<()> {
        let operands = self.operands(body, op)?;
        let (Some(first), [result]) = (operands.first(), &op.types[..]) else {
            return self.malformed(op, "operands");
        };
        let Some(element) = first.ty.element().filter(|element| element.class() == Class::Float) else {
            let message = Message::stablehlo("stablehlo-unsupported").with("op", op.name);
            return self.reject(op, message, None);
        };
        if operands.iter().any(|operand| operand.ty != first.ty) || *result != first.ty {
            return self.malformed(op, "type");
        }
        let key = format!("{name} {}", first.ty.shape());
        let computation = if let Some(known) = self.special.get(&key) {
            known.clone()
        } else {
            let formula = Formula::new(first.ty.clone());
            let parameters: Vec<Term<'_>> = operands.iter().map(|_| formula.parameter(element)).collect();
            // Narrower types are computed in f32, and rounded once.
            let wide = if element == ElementType::F64 { element } else { ElementType::F32 };
            let result = if let ("next_after", [x, y]) = (name, &parameters[..]) {
                next_after(*x, *y, element)
            } else {
                let terms: Vec<_> = parameters.iter().map(|term| term.cast("convert", wide)).collect();
                let result = self::formula(name, &terms, wide == ElementType::F64);
                result.map(|term| term.cast("convert", element))
            };
            let Some(result) = result else { return self.malformed(op, "operands") };
            let mut inner = Body::default();
            let (lines, root) = formula.lines(result);
            for [name, shape, text] in lines {
                inner.line(&name, &shape, &text, op.span);
            }
            let computation =
                self.finish(inner, &format!("chlo.{name}"), &root, op.span, ComputationKind::Called);
            self.special.insert(key, computation.clone());
            computation
        };
        self.emit(body, op, &format!("call({}), to_apply={computation}", names(&operands)))
    }

    /// Functions of a few instructions, which are written in place.
    pub(super) fn short_function(
        &mut self,
        body: &mut Body<'a, 's>,
        op: &'a Op<'s>,
        name: &str,
    ) -> Option<()> {
        let operands = self.operands(body, op)?;
        let ([operand], [ty]) = (&operands[..], &op.types[..]) else { return self.malformed(op, "operands") };
        let (x, shape) = (operand.name.as_str(), operand.ty.shape());
        let is_complex = operand.ty.element().is_some_and(ElementType::is_complex);
        let part = operand.ty.element().and_then(ElementType::component);
        let part = part.map(|part| operand.ty.with_element(part).shape()).unwrap_or_default();
        let scalar = operand.ty.with_sizes(&[]).shape();
        let mut line = |hint: &str, shape: &str, text: String| body.line(hint, shape, &text, op.span);
        let text = match name {
            "square" => format!("multiply({x}, {x})"),
            // arctan z = -i artanh iz
            "atan" if is_complex => {
                let re = line("real", &part, format!("real({x})"));
                let im = line("imag", &part, format!("imag({x})"));
                let im = line("negate", &part, format!("negate({im})"));
                let turned = line("complex", &shape, format!("complex({im}, {re})"));
                let turned = line("atanh", &shape, format!("atanh({turned})"));
                let re = line("real", &part, format!("real({turned})"));
                let im = line("imag", &part, format!("imag({turned})"));
                let re = line("negate", &part, format!("negate({re})"));
                format!("complex({im}, {re})")
            }
            "atan" => {
                let one = line("constant", &scalar, "constant(1)".to_owned());
                let one = line("broadcast", &shape, format!("broadcast({one}), dimensions={{}}"));
                format!("atan2({x}, {one})")
            }
            "conj" if is_complex => {
                let re = line("real", &part, format!("real({x})"));
                let im = line("imag", &part, format!("imag({x})"));
                let im = line("negate", &part, format!("negate({im})"));
                format!("complex({re}, {im})")
            }
            "conj" => return self.bind(body, op, operands),
            _ => {
                let value = if name == "is_neg_inf" { "-inf" } else { "inf" };
                let x =
                    if name == "is_inf" { line("abs", &shape, format!("abs({x})")) } else { x.to_owned() };
                let constant = line("constant", &scalar, format!("constant({value})"));
                let constant = line("broadcast", &shape, format!("broadcast({constant}), dimensions={{}}"));
                format!("compare({x}, {constant}), direction=EQ")
            }
        };
        let name = self.instruction(body, op, &ty.shape(), &text);
        self.bind(body, op, vec![Value::new(name, ty.clone())])
    }
}
