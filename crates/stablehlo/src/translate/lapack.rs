//! LAPACK custom calls, to which JAX lowers linear algebra on CPUs: `potrf` and `trsm` become HLO ops, and `getrf` a loop.

use super::custom_calls::backend_config_integer;
use super::dynamic::constant_integers;
use super::fields::joined;
use super::{Body, ComputationKind, Translator, Value};
use crate::ast::{Op, Type, tuple_shape};
use xla_array::ElementType;

/// A character option of LAPACK, such as `uplo`, in the backend configuration.
fn option_char(op: &Op<'_>, name: &str) -> Option<char> {
    char::from_u32(u32::try_from(backend_config_integer(op, name)?).ok()?)
}

/// An integer option that is passed as a constant operand.
fn option_operand(value: &Value<'_, '_>) -> Option<i64> {
    constant_integers(value)?.first().copied()
}

/// The types of the results, which older versions of JAX return as one tuple.
fn result_types(op: &Op<'_>) -> Vec<Type> {
    match &op.types[..] {
        [Type::Tuple(items)] => items.clone(),
        types => types.to_vec(),
    }
}

impl<'a, 's> Translator<'a, 's> {
    /// The Cholesky factors, and for each matrix an info code: 1 if it is not positive definite. Operands before the FFI: `(lower, batch, n, matrix)`.
    pub(super) fn potrf(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        let types = result_types(op);
        let (Some(operand), [matrix, info]) = (operands.last(), &types[..]) else {
            return self.malformed(op, "operands");
        };
        let rank = matrix.sizes().len();
        let lower = match option_char(op, "uplo") {
            Some(uplo) => Some(uplo == 'L'),
            None => operands.first().and_then(option_operand).map(|lower| lower != 0),
        };
        let (Some(lower), true) = (lower, rank >= 2) else { return self.malformed(op, "uplo") };
        let text = format!("cholesky({}), lower={lower}", operand.name);
        let factor = self.instruction(body, op, &matrix.shape(), &text);
        let shape = matrix.with_element(ElementType::Pred).shape();
        let text = format!("compare({factor}, {factor}), direction=NE");
        let failed = body.line("compare", &shape, &text, op.span);
        let no = body.line("constant", "pred[]", "constant(false)", op.span);
        let reducer = self.scalar_reducer("or", "pred[]", op);
        let shape = info.with_element(ElementType::Pred).shape();
        let text =
            format!("reduce({failed}, {no}), dimensions={{{},{}}}, to_apply={reducer}", rank - 2, rank - 1);
        let failed = body.line("reduce", &shape, &text, op.span);
        let code = body.line("convert", &info.shape(), &format!("convert({failed})"), op.span);
        let values = vec![Value::new(factor, matrix.clone()), Value::new(code, info.clone())];
        self.bind_results(body, op, values)
    }

    /// Solves triangular systems. Operands before the FFI: `(left, lower, transpose, unit diagonal, m, n, batch, 1, a, b)`.
    pub(super) fn trsm(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        let [.., a, b] = &operands[..] else { return self.malformed(op, "operands") };
        let (left, lower, transpose, unit) = if operands.len() == 2 {
            let options = ["side", "uplo", "trans_x", "diag"].map(|name| option_char(op, name));
            let [Some(side), Some(uplo), Some(transpose), Some(diagonal)] = options else {
                return self.malformed(op, "mhlo.backend_config");
            };
            let is_known = "LR".contains(side) && "LU".contains(uplo) && "NTC".contains(transpose);
            if !is_known || !"NU".contains(diagonal) {
                return self.malformed(op, "mhlo.backend_config");
            }
            (side == 'L', uplo == 'L', transpose, diagonal == 'U')
        } else {
            let options = [0, 1, 2, 3].map(|at| operands.get(at).and_then(option_operand));
            let [Some(left), Some(lower), Some(transpose), Some(unit)] = options else {
                return self.malformed(op, "operands");
            };
            let transpose = match transpose {
                0 => 'N',
                1 => 'T',
                2 => 'C',
                _ => return self.malformed(op, "operands"),
            };
            (left != 0, lower != 0, transpose, unit != 0)
        };
        let transpose = match transpose {
            'T' => "TRANSPOSE",
            'C' => "ADJOINT",
            _ => "NO_TRANSPOSE",
        };
        let text = format!(
            "triangular-solve({}, {}), left_side={left}, lower={lower}, unit_diagonal={unit}, transpose_a={transpose}",
            a.name, b.name
        );
        self.emit(body, op, &text)
    }

    /// Binds an op's results, which older versions of JAX return as one tuple.
    fn bind_results(
        &mut self,
        body: &mut Body<'a, 's>,
        op: &'a Op<'s>,
        values: Vec<Value<'a, 's>>,
    ) -> Option<()> {
        if let [tuple @ Type::Tuple(_)] = &op.types[..] {
            let name = body.tuple(&values, op.span);
            return self.bind(body, op, vec![Value::new(name, tuple.clone())]);
        }
        self.bind(body, op, values)
    }

    /// The LU decomposition with partial pivoting: both factors, the row that each row was exchanged with (from 1), and the
    /// first column whose pivot is 0 (from 1). One loop over the columns handles the whole batch. Operands before the FFI:
    /// `(batch, m, n, matrix)`.
    pub(super) fn getrf(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>) -> Option<()> {
        let operands = self.operands(body, op)?;
        let types = result_types(op);
        let (Some(operand), [matrix, pivots, info]) = (operands.last(), &types[..]) else {
            return self.malformed(op, "operands");
        };
        let rank = matrix.sizes().len();
        if rank < 2 || operand.ty != *matrix || pivots.sizes().len() != rank - 1 {
            return self.malformed(op, "type");
        }
        let counter = Type::Tensor(Vec::new(), ElementType::S32);
        let state = [counter.clone(), matrix.clone(), pivots.clone(), info.clone()];
        let columns = pivots.sizes().last().copied().unwrap_or(0);
        let condition = {
            let mut inner = Body::default();
            let parameter = inner.line("state", &tuple_shape(&state), "parameter(0)", op.span);
            let [column, ..] = &inner.elements(&parameter, &state, op.span)[..] else { return None };
            let column = column.name.clone();
            let end = inner.line("end", "s32[]", &format!("constant({columns})"), op.span);
            let text = format!("compare({column}, {end}), direction=LT");
            let root = inner.line("continues", "pred[]", &text, op.span);
            self.finish(inner, "lu_condition", &root, op.span, ComputationKind::Called)
        };
        let sum = self.scalar_reducer("add", &matrix.with_sizes(&[]).shape(), op);
        let part = matrix.element().map(|element| element.component().unwrap_or(element))?;
        let real = matrix.with_element(part);
        let maximum = self.scalar_reducer("maximum", &real.with_sizes(&[]).shape(), op);
        let minimum = self.scalar_reducer("minimum", "s32[]", op);
        let mut inner = Body::default();
        let parameter = inner.line("state", &tuple_shape(&state), "parameter(0)", op.span);
        let parts = inner.elements(&parameter, &state, op.span);
        let step = Column { body: &mut inner, op, matrix, real: &real, sum, maximum, minimum };
        let next = step.eliminate(&parts, pivots, info)?;
        let root = inner.line("next", &tuple_shape(&state), &format!("tuple({})", next.join(", ")), op.span);
        let step = self.finish(inner, "lu_column", &root, op.span, ComputationKind::Called);
        let zero = body.line("zero", "s32[]", "constant(0)", op.span);
        let [no_pivots, no_info] = [pivots, info].map(|ty| {
            body.line("zeros", &ty.shape(), &format!("broadcast({zero}), dimensions={{}}"), op.span)
        });
        let text = format!("tuple({zero}, {}, {no_pivots}, {no_info})", operand.name);
        let initial = body.line("initial", &tuple_shape(&state), &text, op.span);
        let text = format!("while({initial}), condition={condition}, body={step}");
        let name = self.instruction(body, op, &tuple_shape(&state), &text);
        let results = body.elements(&name, &state, op.span);
        self.bind_results(body, op, results.into_iter().skip(1).collect())
    }
}

/// Emits the elimination of one column: the loop's body.
struct Column<'b, 'a, 's> {
    body: &'b mut Body<'a, 's>,
    op: &'b Op<'s>,
    /// The type of the matrices.
    matrix: &'b Type,
    /// The same with real elements, for magnitudes.
    real: &'b Type,
    /// The reducer that adds elements.
    sum: String,
    /// The reducer of magnitudes to their maximum.
    maximum: String,
    /// The reducer of row indices to their minimum.
    minimum: String,
}

/// The constant that a sum of elements of this type starts from: negative zero, which keeps the sign of a zero.
fn neutral(ty: &Type) -> &'static str {
    if ty.element().is_some_and(ElementType::is_complex) { "(-0.0, -0.0)" } else { "-0.0" }
}

impl Column<'_, '_, '_> {
    fn line(&mut self, hint: &str, ty: &Type, text: &str) -> String {
        self.body.line(hint, &ty.shape(), text, self.op.span)
    }

    fn constant(&mut self, ty: &Type, value: &str) -> String {
        let scalar = self.line("constant", &ty.with_sizes(&[]), &format!("constant({value})"));
        self.line("broadcast", ty, &format!("broadcast({scalar}), dimensions={{}}"))
    }

    /// Broadcasts a value, whose dimensions are `dims` of the result.
    fn broadcast(&mut self, value: &str, ty: &Type, dims: &[i64]) -> String {
        self.line("broadcast", ty, &format!("broadcast({value}), dimensions={{{}}}", joined(dims, ",")))
    }

    fn compare(&mut self, ty: &Type, left: &str, right: &str, direction: &str) -> String {
        let ty = ty.with_element(ElementType::Pred);
        self.line("compare", &ty, &format!("compare({left}, {right}), direction={direction}"))
    }

    fn select(&mut self, ty: &Type, test: &str, yes: &str, no: &str) -> String {
        self.line("select", ty, &format!("select({test}, {yes}, {no})"))
    }

    fn and(&mut self, ty: &Type, left: &str, right: &str) -> String {
        self.line("and", &ty.with_element(ElementType::Pred), &format!("and({left}, {right})"))
    }

    /// Reduces a dimension to the only element that the mask selects in it.
    fn reduce_masked(&mut self, value: &str, from: &Type, mask: &str, dimension: i64, to: &Type) -> String {
        let zero = self.constant(from, neutral(from));
        let masked = self.select(from, mask, value, &zero);
        let zero = self.line("constant", &from.with_sizes(&[]), &format!("constant({})", neutral(from)));
        let text = format!("reduce({masked}, {zero}), dimensions={{{dimension}}}, to_apply={}", self.sum);
        self.line("picked", to, &text)
    }

    /// Returns the names of the next state's values: column, matrices, exchanged rows and failed column.
    fn eliminate(mut self, state: &[Value<'_, '_>], pivots: &Type, info: &Type) -> Option<[String; 4]> {
        let [column, matrix, exchanged, failed] = state else { return None };
        let (column, a) = (column.name.as_str(), matrix.name.as_str());
        let ty = self.matrix.clone();
        let sizes = ty.sizes();
        let rank = sizes.len();
        let (batch, last) = (i64::try_from(rank - 2).ok()?, i64::try_from(rank - 1).ok()?);
        let batch_dims: Vec<i64> = (0..batch).collect();
        let row_dims: Vec<i64> = (0..=batch).collect();
        let column_dims: Vec<i64> = (0..batch).chain([last]).collect();
        let rows = ty.with_sizes(sizes.get(..=rank - 2)?);
        let columns = ty.with_sizes(&[sizes.get(..rank - 2)?, sizes.get(rank - 1..)?].concat());
        let single = ty.with_sizes(sizes.get(..rank - 2)?);
        let index = |ty: &Type| ty.with_element(ElementType::S32);
        let whole = index(&ty);
        // Masks of the current column, its row, the rows below and the columns to the right.
        let row = self.line("row", &whole, &format!("iota(), iota_dimension={batch}"));
        let col = self.line("column", &whole, &format!("iota(), iota_dimension={last}"));
        let at = self.broadcast(column, &whole, &[]);
        let in_column = self.compare(&whole, &col, &at, "EQ");
        let in_row = self.compare(&whole, &row, &at, "EQ");
        let below = self.compare(&whole, &row, &at, "GT");
        let right = self.compare(&whole, &col, &at, "GT");
        // The pivot: the element of maximum magnitude on or below the diagonal; as in LAPACK, |re| + |im| for complex ones.
        let values = self.reduce_masked(a, &ty, &in_column, last, &rows);
        let real_rows = self.real.with_sizes(&rows.sizes());
        let magnitude = if ty.element()?.is_complex() {
            let [re, im] = ["real", "imag"].map(|part| {
                let part = self.line(part, &real_rows, &format!("{part}({values})"));
                self.line("abs", &real_rows, &format!("abs({part})"))
            });
            self.line("add", &real_rows, &format!("add({re}, {im})"))
        } else {
            self.line("abs", &real_rows, &format!("abs({values})"))
        };
        let row_index = self.line("row", &index(&rows), &format!("iota(), iota_dimension={batch}"));
        let diagonal = self.broadcast(column, &index(&rows), &[]);
        let is_candidate = self.compare(&rows, &row_index, &diagonal, "GE");
        let none = self.constant(&real_rows, "-1");
        let magnitude = self.select(&real_rows, &is_candidate, &magnitude, &none);
        let real_single = self.real.with_sizes(&single.sizes());
        let below_all = self.line("constant", &self.real.with_sizes(&[]), "constant(-1)");
        let text =
            format!("reduce({magnitude}, {below_all}), dimensions={{{batch}}}, to_apply={}", self.maximum);
        let largest = self.line("largest", &real_single, &text);
        let largest = self.broadcast(&largest, &real_rows, &batch_dims);
        let is_largest = self.compare(&rows, &magnitude, &largest, "EQ");
        // If the magnitudes contain NaN, no element equals the maximum, and the current row remains.
        let end = sizes.get(rank - 2)?.to_string();
        let after = self.constant(&index(&rows), &end);
        let found = self.select(&index(&rows), &is_largest, &row_index, &after);
        let end_scalar = self.line("constant", &index(&ty.with_sizes(&[])), &format!("constant({end})"));
        let text =
            format!("reduce({found}, {end_scalar}), dimensions={{{batch}}}, to_apply={}", self.minimum);
        let found = self.line("found", &index(&single), &text);
        let current = self.broadcast(column, &index(&single), &[]);
        let end_single = self.constant(&index(&single), &end);
        let is_missing = self.compare(&single, &found, &end_single, "EQ");
        let pivot_row = self.select(&index(&single), &is_missing, &current, &found);
        // Exchange the current row and the pivot's.
        let from = self.broadcast(&pivot_row, &whole, &batch_dims);
        let in_pivot_row = self.compare(&whole, &row, &from, "EQ");
        let upper = self.reduce_masked(a, &ty, &in_row, batch, &columns);
        let lower = self.reduce_masked(a, &ty, &in_pivot_row, batch, &columns);
        let upper = self.broadcast(&upper, &ty, &column_dims);
        let pivot_values = self.broadcast(&lower, &ty, &column_dims);
        let swapped = self.select(&ty, &in_pivot_row, &upper, a);
        let swapped = self.select(&ty, &in_row, &pivot_values, &swapped);
        // Divide the column below the diagonal by the pivot, and subtract the outer product from the columns to the right.
        let column_index = self.line("column", &index(&columns), &format!("iota(), iota_dimension={batch}"));
        let current_columns = self.broadcast(column, &index(&columns), &[]);
        let is_pivot = self.compare(&columns, &column_index, &current_columns, "EQ");
        let pivot = self.reduce_masked(&lower, &columns, &is_pivot, batch, &single);
        let zero = self.constant(&single, neutral(&single));
        let is_zero = self.compare(&single, &pivot, &zero, "EQ");
        let pivot = self.broadcast(&pivot, &ty, &batch_dims);
        let is_singular = self.broadcast(&is_zero, &ty.with_element(ElementType::Pred), &batch_dims);
        let divided = self.line("divide", &ty, &format!("divide({swapped}, {pivot})"));
        let divided = self.select(&ty, &is_singular, &swapped, &divided);
        let factors = self.reduce_masked(&divided, &ty, &in_column, last, &rows);
        let factors = self.broadcast(&factors, &ty, &row_dims);
        let product = self.line("multiply", &ty, &format!("multiply({factors}, {pivot_values})"));
        let eliminated = self.line("subtract", &ty, &format!("subtract({swapped}, {product})"));
        let in_rest = self.and(&ty, &below, &right);
        let in_factors = self.and(&ty, &below, &in_column);
        let next = self.select(&ty, &in_rest, &eliminated, &swapped);
        let next = self.select(&ty, &in_factors, &divided, &next);
        // LAPACK reports rows and columns from 1.
        let one = self.line("constant", &index(&ty.with_sizes(&[])), "constant(1)");
        let following = self.line("add", &index(&ty.with_sizes(&[])), &format!("add({column}, {one})"));
        let ones = self.constant(&index(&single), "1");
        let reported = self.line("add", &index(&single), &format!("add({pivot_row}, {ones})"));
        let reported = self.broadcast(&reported, pivots, &batch_dims);
        let position = self.line("position", pivots, &format!("iota(), iota_dimension={batch}"));
        let here = self.broadcast(column, pivots, &[]);
        let is_here = self.compare(pivots, &position, &here, "EQ");
        let exchanged = self.select(pivots, &is_here, &reported, &exchanged.name);
        let no_failure = self.constant(info, "0");
        let is_first = self.compare(info, &failed.name, &no_failure, "EQ");
        let is_failure = self.and(info, &is_first, &is_zero);
        let code = self.broadcast(&following, info, &[]);
        let failed = self.select(info, &is_failure, &code, &failed.name);
        Some([following, next, exchanged, failed])
    }
}
