//! A setup to measure: an op with sizes, within limits of memory and time.
//!
//! Invariant: a setup has the number of sizes that its op requires, each at least 1, and a list of dimensions that
//! fits them. Whether it is small enough is checked separately ([`Setup::problem`]), so that a setup from a link is
//! shown even if it is too large, with a fix.

use super::ops::{DimsRole, Kind, OPS, Op, Sizes, Unit};
use crate::i18n::Message;

/// The maximum size of a dimension.
pub const MAX_DIMENSION_SIZE: u64 = 1 << 24;

/// The maximum bytes of all arrays together; three kernel modules hold a copy each.
pub const MAX_BYTES: u64 = 96 << 20;

/// The maximum number of multiply-adds: some seconds for the slowest case.
pub const MAX_STEPS: u64 = 1 << 33;

/// The maximum number of steps of the reference evaluator: some seconds.
pub const MAX_REFERENCE_STEPS: u64 = 1 << 21;

/// The sizes of a sweep.
const SWEEP: [u64; 7] = [16, 32, 64, 128, 256, 512, 1024];

/// What is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum View {
    /// The implementations of the op.
    #[default]
    Implementations,
    /// The rate over sizes.
    Sizes,
    /// The rate over layouts of the operands.
    Layouts,
}

impl View {
    /// All views, each with its name in links.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Implementations, ""), (Self::Sizes, "sizes"), (Self::Layouts, "layouts")];
}

/// A setup to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The op to measure.
    pub op: &'static Op,
    /// The sizes, whose meaning the op defines.
    pub sizes: Vec<u64>,
    /// Its list of dimensions.
    pub dims: Vec<usize>,
    /// What is compared.
    pub view: View,
}

impl Default for Setup {
    fn default() -> Self {
        Self::new(&OPS[0])
    }
}

/// Why a setup cannot be measured, with a fix.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The limit that it exceeds.
    pub message: Message,
    /// A description of the fix.
    pub fix: Message,
    /// The setup with the fix applied.
    pub fixed: Setup,
}

impl Setup {
    /// An op with its default sizes.
    pub fn new(op: &'static Op) -> Self {
        Self { op, sizes: op.default_sizes.to_vec(), dims: op.default_dims.to_vec(), view: View::default() }
    }

    /// Replaces a list of dimensions that does not fit the sizes by a default one.
    #[must_use]
    pub fn with_valid_dims(mut self) -> Self {
        let rank = self.sizes.len();
        let fits = |dims: &[usize]| match self.op.dims_role {
            DimsRole::None => dims.is_empty(),
            DimsRole::Reduced => {
                dims.iter().all(|d| *d < rank) && dims.windows(2).all(|pair| pair[0] < pair[1])
            }
            DimsRole::Permutation => dims.len() == rank && (0..rank).all(|d| dims.contains(&d)),
        };
        if !fits(&self.dims) {
            self.dims = match self.op.dims_role {
                DimsRole::None => Vec::new(),
                DimsRole::Reduced => vec![rank.saturating_sub(1)],
                DimsRole::Permutation => (0..rank).rev().collect(),
            };
        }
        self
    }

    /// Whether the sizes are valid for the op.
    pub fn has_valid_sizes(&self) -> bool {
        let count = self.sizes.len();
        let is_count_valid = match self.op.sizes {
            Sizes::Named(names) => count == names.len(),
            Sizes::Dimensions { min_rank, max_rank } => (min_rank..=max_rank).contains(&count),
        };
        is_count_valid && self.sizes.iter().all(|size| (1..=MAX_DIMENSION_SIZE).contains(size))
    }

    /// The sizes of the operands, then of the result.
    pub fn shapes(&self) -> Vec<Vec<u64>> {
        let s = &self.sizes;
        match (self.op.kind, s.as_slice()) {
            (Kind::Dot, [m, k, n]) => vec![vec![*m, *k], vec![*k, *n], vec![*m, *n]],
            (Kind::Convolution, [batch, side, inputs, outputs, window]) => vec![
                vec![*batch, *side, *side, *inputs],
                vec![*window, *window, *inputs, *outputs],
                vec![*batch, *side, *side, *outputs],
            ],
            (Kind::Reduce(_), _) => {
                let remaining = (0..s.len()).filter(|d| !self.dims.contains(d)).map(|d| s[d]).collect();
                vec![s.clone(), remaining]
            }
            (Kind::Binary(_), _) => vec![s.clone(), s.clone(), s.clone()],
            (Kind::Transpose, _) => {
                vec![s.clone(), self.dims.iter().filter_map(|d| s.get(*d).copied()).collect()]
            }
            _ => vec![s.clone(), s.clone()],
        }
    }

    /// The bytes of all arrays, saturating.
    pub fn bytes(&self) -> u64 {
        let cells =
            |shape: &Vec<u64>| shape.iter().fold(1, |product: u64, size| product.saturating_mul(*size));
        self.shapes().iter().map(cells).fold(0, u64::saturating_add).saturating_mul(4)
    }

    /// The steps: multiply-adds, or for other ops elements of the largest array; saturating.
    pub fn steps(&self) -> u64 {
        let product =
            |sizes: &[u64]| sizes.iter().fold(1, |product: u64, size| product.saturating_mul(*size));
        match (self.op.kind, self.sizes.as_slice()) {
            (Kind::Convolution, [batch, side, inputs, outputs, window]) => {
                product(&[*batch, *side, *side, *inputs, *outputs, *window, *window])
            }
            (_, sizes) => product(sizes),
        }
    }

    /// The bytes of the result, saturating.
    pub fn written_bytes(&self) -> u64 {
        let cells =
            |shape: &Vec<u64>| shape.iter().fold(1, |product: u64, size| product.saturating_mul(*size));
        self.shapes().last().map_or(0, cells).saturating_mul(4)
    }

    /// Whether the reference evaluator would take too long: its steps are weighted by op.
    pub fn is_too_long_for_reference(&self) -> bool {
        let steps = self.steps();
        let weight = match self.op.kind {
            Kind::Sort => u64::from(steps.max(2).ilog2()),
            Kind::Softmax => 5,
            _ => 1,
        };
        steps.saturating_mul(weight) > MAX_REFERENCE_STEPS
    }

    /// The default sizes of an array of this rank: about a million elements, or as many as the reference evaluator can
    /// process, so that no case is omitted.
    #[must_use]
    pub fn with_rank(mut self, rank: usize) -> Self {
        let sizes: &[u64] = match rank {
            1 => &[1 << 20],
            2 => &[1024, 1024],
            3 => &[64, 128, 128],
            _ => &[16, 32, 32, 64],
        };
        self.sizes = sizes.to_vec();
        while self.is_too_long_for_reference()
            && let Some(largest) = self.sizes.iter_mut().max()
        {
            *largest /= 2;
        }
        self.with_valid_dims()
    }

    /// The rate of a run of this duration, in billions of floating-point operations or bytes per second.
    #[allow(clippy::cast_precision_loss, reason = "a rate for display")]
    pub fn rate(&self, ms: f64) -> f64 {
        let amount = match self.op.unit {
            Unit::Flops => self.steps().saturating_mul(2),
            Unit::Bytes => self.bytes(),
        };
        if ms > 0.0 { amount as f64 / ms / 1e6 } else { 0.0 }
    }

    /// The limit that the setup exceeds, if any.
    pub fn problem(&self) -> Option<Problem> {
        let (bytes, steps) = (self.bytes(), self.steps());
        let message = if bytes > MAX_BYTES {
            let mb = bytes.div_ceil(1 << 20);
            Message::speed("speed-too-large").with("size", mb).with("limit", MAX_BYTES >> 20)
        } else if steps > MAX_STEPS {
            let billions = steps.div_ceil(1_000_000_000);
            Message::speed("speed-too-long").with("steps", billions).with("limit", MAX_STEPS / 1_000_000_000)
        } else {
            return None;
        };
        let mut fixed = self.clone();
        while fixed.bytes() > MAX_BYTES || fixed.steps() > MAX_STEPS {
            let largest = fixed.sizes.iter_mut().max()?;
            *largest = (*largest / 2).max(1);
        }
        let sizes = fixed.sizes_text();
        Some(Problem { message, fix: Message::speed("speed-smaller").with("sizes", sizes), fixed })
    }

    /// The sizes as in a link: `512x512x512`.
    pub fn sizes_text(&self) -> String {
        self.sizes.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
    }

    /// The setup at the sizes of a sweep, as far as they are within the limits, each with its nominal size.
    pub fn sweep(&self) -> Vec<(u64, Self)> {
        let with_size = |size: u64| {
            let mut sizes = self.sizes.clone();
            match self.op.kind {
                Kind::Convolution => sizes.iter_mut().skip(2).take(2).for_each(|s| *s = size),
                // A vector with as many elements as the square array has.
                _ if sizes.len() == 1 => sizes = vec![size.saturating_mul(size)],
                _ => sizes.fill(size),
            }
            Self { sizes, ..self.clone() }
        };
        let points = SWEEP.into_iter().map(|size| (size, with_size(size)));
        points.filter(|(_, setup)| setup.has_valid_sizes() && setup.problem().is_none()).collect()
    }

    /// The layouts (`minor_to_major` of each operand and the result) to compare: every order of both operands of a
    /// dot, of the first operand of other ops; the rest is row-major.
    pub fn orders(&self) -> Vec<Vec<Vec<usize>>> {
        let row_major: Vec<Vec<usize>> =
            self.shapes().iter().map(|shape| (0..shape.len()).rev().collect()).collect();
        let permuted = |operand: usize, bases: Vec<Vec<Vec<usize>>>| -> Vec<Vec<Vec<usize>>> {
            let orders_of_operand = permutations(row_major[operand].clone());
            let with = |base: &Vec<Vec<usize>>| {
                let base = base.clone();
                orders_of_operand.clone().into_iter().map(move |order| {
                    let mut orders = base.clone();
                    orders[operand] = order;
                    orders
                })
            };
            bases.iter().flat_map(with).collect()
        };
        let first = permuted(0, vec![row_major.clone()]);
        if self.op.kind == Kind::Dot { permuted(1, first) } else { first }
    }

    /// The orders that vary, as `{0,1} {1,0}`.
    pub fn order_text(&self, orders: &[Vec<usize>]) -> String {
        let shown = if self.op.kind == Kind::Dot { 2 } else { 1 };
        let text = |order: &Vec<usize>| {
            format!("{{{}}}", order.iter().map(usize::to_string).collect::<Vec<_>>().join(","))
        };
        orders.iter().take(shown).map(text).collect::<Vec<_>>().join(" ")
    }
}

/// All permutations, the given one first.
fn permutations(items: Vec<usize>) -> Vec<Vec<usize>> {
    if items.len() < 2 {
        return vec![items];
    }
    let mut all = Vec::new();
    for i in 0..items.len() {
        let mut rest = items.clone();
        let first = rest.remove(i);
        all.extend(permutations(rest).into_iter().map(|mut order| {
            order.insert(0, first);
            order
        }));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_op_starts_within_the_limits_and_has_sweeps_and_orders() {
        for op in OPS {
            let setup = Setup::new(op);
            assert!(setup.has_valid_sizes() && setup.problem().is_none(), "{}", op.name);
            assert!(!setup.is_too_long_for_reference(), "{}: no case is omitted", op.name);
            assert!(
                setup.sizes[0] < 4 || setup.sizes[0].is_multiple_of(64),
                "{}: enough rows for workers",
                op.name
            );
            if let Sizes::Dimensions { min_rank, max_rank } = op.sizes {
                for rank in min_rank..=max_rank {
                    let ranked = setup.clone().with_rank(rank);
                    assert!(
                        ranked.has_valid_sizes()
                            && ranked.problem().is_none()
                            && !ranked.is_too_long_for_reference()
                    );
                    assert!(ranked.steps() >= 1 << 16, "{}: {:?}", op.name, ranked.sizes);
                }
            }
            assert_eq!(setup.clone().with_valid_dims(), setup);
            assert!(setup.sweep().len() >= 4, "{}", op.name);
            let orders = setup.orders();
            assert!((2..=24).contains(&orders.len()), "{}: {}", op.name, orders.len());
            let mut texts: Vec<String> = orders.iter().map(|o| setup.order_text(o)).collect();
            assert!(orders.iter().all(|o| o.len() == setup.shapes().len()));
            texts.sort();
            texts.dedup();
            assert_eq!(texts.len(), orders.len(), "{}", op.name);
        }
    }

    #[test]
    fn setups_beyond_the_limits_are_reported_with_a_fix() {
        let dot = |sizes: &[u64]| Setup { sizes: sizes.to_vec(), ..Setup::default() };
        for sizes in [
            [4096, 4096, 4096],
            [MAX_DIMENSION_SIZE, MAX_DIMENSION_SIZE, MAX_DIMENSION_SIZE],
            [2048, 4096, 2048],
            [1, 1, MAX_DIMENSION_SIZE * 2],
        ] {
            let problem = dot(&sizes).problem().unwrap_or_else(|| panic!("{sizes:?}"));
            assert_eq!(problem.fixed.problem(), None);
            assert!(problem.fixed.has_valid_sizes());
            assert!(problem.fix.to_string().contains(&problem.fixed.sizes_text()));
        }
        assert_eq!(dot(&[2048, 2048, 2048]).problem(), None);
    }

    #[test]
    fn rates_count_multiply_adds_or_bytes() {
        let dot = Setup { sizes: vec![100, 200, 50], ..Setup::default() };
        assert_eq!((dot.steps(), dot.bytes()), (1_000_000, 4 * (20_000 + 10_000 + 5_000)));
        assert!((dot.rate(1.0) - 2.0).abs() < 1e-12);
        assert!(dot.rate(0.0).abs() < 1e-12);
        let sum = Op::by_name("reduce-sum").map(Setup::new).unwrap();
        assert_eq!(sum.shapes(), [vec![1024, 1024], vec![1024]]);
        assert_eq!(sum.bytes(), 4 * (1024 * 1024 + 1024));
    }
}
