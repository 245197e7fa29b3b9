//! Routines of LAPACK, as JAX lowers linear algebra for the CPU: custom calls of the same name, options and layouts.

use super::fields::{braces, integers};
use super::{Body, Translator, Value, names};
use crate::ast::{Attr, Op, Type};

/// The layouts in an attribute of a custom call: `[dense<[0, 1]> : tensor<2xindex>, …]`.
fn layouts(op: &Op<'_>, attribute: &str) -> Vec<Vec<i64>> {
    let Some(Attr::List(items)) = op.attr(attribute) else { return Vec::new() };
    items.iter().map(|item| integers(item).unwrap_or_default()).collect()
}

/// The shapes of types with their layouts, which MLIR and HLO both list from minor to major.
fn shapes(types: &[&Type], layouts: &[Vec<i64>]) -> Vec<String> {
    let shape = |(i, ty): (usize, &&Type)| {
        let layout = layouts.get(i).filter(|layout| layout.len() > 1 && layout.len() == ty.sizes().len());
        layout.map_or_else(|| ty.shape(), |layout| format!("{}{}", ty.shape(), braces(layout)))
    };
    types.iter().enumerate().map(shape).collect()
}

impl<'a, 's> Translator<'a, 's> {
    /// A call of a routine, whose options are in its `backend_config` or among its operands.
    pub(super) fn lapack(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>, target: &str) -> Option<()> {
        let operands = self.operands(body, op)?;
        let operand_types: Vec<&Type> = operands.iter().map(|operand| &operand.ty).collect();
        let constraints = shapes(&operand_types, &layouts(op, "operand_layouts")).join(", ");
        let mut text = format!(
            "custom-call({}), custom_call_target=\"{target}\", operand_layout_constraints={{{constraints}}}",
            names(&operands)
        );
        let configs = ["backend_config", "mhlo.backend_config"].map(|name| op.attr(name));
        let options = configs.into_iter().flatten().find_map(|config| match config {
            Attr::Dict(fields) => Some(fields.as_slice()),
            _ => None,
        });
        let option = |field: &crate::ast::Named<'s>| {
            let Attr::Word(value) = field.value else { return None };
            Some(match (field.name, value) {
                (name, "true" | "false") => format!("{name} = {value}"),
                (name @ ("low" | "high"), _) => format!("{name} = {value} : i32"),
                (name, _) => format!("{name} = {value} : ui8"),
            })
        };
        let Some(options) = options.unwrap_or_default().iter().map(option).collect::<Option<Vec<_>>>() else {
            return self.malformed(op, "mhlo.backend_config");
        };
        if target.ends_with("_ffi") || !options.is_empty() {
            text += ", api_version=API_VERSION_TYPED_FFI";
        }
        if !options.is_empty() {
            text += &format!(", backend_config={{{}}}", options.join(", "));
        }
        // Before the foreign function interface, JAX had one result, a tuple.
        let types: Vec<&Type> = match &op.types[..] {
            [Type::Tuple(elements)] => elements.iter().collect(),
            types => types.iter().collect(),
        };
        let shapes = shapes(&types, &layouts(op, "result_layouts"));
        let is_tuple = op.types.len() != 1 || matches!(op.types[..], [Type::Tuple(_)]);
        let shape = if is_tuple { format!("({})", shapes.join(", ")) } else { shapes.concat() };
        let name = self.instruction(body, op, &shape, &text);
        let values = match &op.types[..] {
            // Values of StableHLO have the default layout.
            [only @ Type::Tensor(..)] if shape != only.shape() => {
                let name = body.line("copy", &only.shape(), &format!("copy({name})"), op.span);
                vec![Value::new(name, only.clone())]
            }
            [only] => vec![Value::new(name, only.clone())],
            types => body.elements(&name, types, op.span),
        };
        self.bind(body, op, values)
    }
}
