//! What is to be measured: an op with sizes, within what memory and patience allow.
//!
//! Invariant: a setup has as many sizes as its op asks for, each at least 1, and its list of dimensions fits them; that it
//! is small enough is a question of its own ([`Setup::problem`]), so that what a link says is shown and can be mended.

use super::ops::{Dims, Kind, OPS, Op, Sizes, Unit};
use crate::i18n::Message;

/// The largest size.
pub const MAX_DIMENSION_SIZE: u64 = 1 << 24;

/// The most bytes of all arrays together; each of three modules holds them once.
pub const MEMORY: u64 = 96 << 20;

/// The most multiply-adds: some seconds for the slowest row.
pub const WORK: u64 = 1 << 33;

/// The reference is measured up to so many steps; it takes some seconds then.
pub const MAX_REFERENCE_STEPS: u64 = 1 << 21;

/// The sizes of a sweep.
const SWEEP: [u64; 7] = [16, 32, 64, 128, 256, 512, 1024];

/// What is measured of a setup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum View {
    /// The ways to compute it, beside one another.
    #[default]
    Ways,
    /// Its rate over sizes.
    Sizes,
    /// Its rate over layouts of its operands.
    Layouts,
}

impl View {
    /// Every one, with its name in links.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Ways, ""), (Self::Sizes, "sizes"), (Self::Layouts, "layouts")];
}

/// What is to be measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The op.
    pub op: &'static Op,
    /// Its sizes.
    pub sizes: Vec<u64>,
    /// Its list of dimensions.
    pub dims: Vec<usize>,
    /// What is measured of it.
    pub view: View,
}

impl Default for Setup {
    fn default() -> Self {
        Self::of(OPS.first().unwrap_or(&OPS[0]))
    }
}

/// What is too much, and a setup that is not.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// What is wrong.
    pub message: Message,
    /// What can be done about it, in words.
    pub fix: Message,
    /// The setup mended.
    pub mended: Setup,
}

impl Setup {
    /// An op as it starts.
    pub fn of(op: &'static Op) -> Self {
        Self { op, sizes: op.start.to_vec(), dims: op.dims.1.to_vec(), view: View::default() }
    }

    /// Takes a list of dimensions that fits the sizes in place of one that does not.
    #[must_use]
    pub fn fitted(mut self) -> Self {
        let rank = self.sizes.len();
        let fits = |dims: &[usize]| match self.op.dims.0 {
            Dims::None => dims.is_empty(),
            Dims::Over => dims.iter().all(|d| *d < rank) && dims.windows(2).all(|pair| pair[0] < pair[1]),
            Dims::To => dims.len() == rank && (0..rank).all(|d| dims.contains(&d)),
        };
        if !fits(&self.dims) {
            self.dims = match self.op.dims.0 {
                Dims::None => Vec::new(),
                Dims::Over => vec![rank.saturating_sub(1)],
                Dims::To => (0..rank).rev().collect(),
            };
        }
        self
    }

    /// Whether the sizes are what the op asks for.
    pub fn is_sized(&self) -> bool {
        let count = self.sizes.len();
        let is_right = match self.op.sizes {
            Sizes::Named(names) => count == names.len(),
            Sizes::Dimensions(least, most) => (least..=most).contains(&count),
        };
        is_right && self.sizes.iter().all(|size| (1..=MAX_DIMENSION_SIZE).contains(size))
    }

    /// The sizes of the operands, and of the result last.
    pub fn shapes(&self) -> Vec<Vec<u64>> {
        let s = &self.sizes;
        match (self.op.kind, s.as_slice()) {
            (Kind::Dot, [m, k, n]) => vec![vec![*m, *k], vec![*k, *n], vec![*m, *n]],
            (Kind::Convolution, [batch, side, from, to, window]) => vec![
                vec![*batch, *side, *side, *from],
                vec![*window, *window, *from, *to],
                vec![*batch, *side, *side, *to],
            ],
            (Kind::Reduce(_), _) => {
                let kept = (0..s.len()).filter(|d| !self.dims.contains(d)).map(|d| s[d]).collect();
                vec![s.clone(), kept]
            }
            (Kind::Binary(_), _) => vec![s.clone(), s.clone(), s.clone()],
            (Kind::Transpose, _) => {
                vec![s.clone(), self.dims.iter().filter_map(|d| s.get(*d).copied()).collect()]
            }
            _ => vec![s.clone(), s.clone()],
        }
    }

    /// The bytes of all arrays, as far as they can be counted.
    pub fn bytes(&self) -> u64 {
        let cells = |shape: &Vec<u64>| shape.iter().fold(1, |all: u64, size| all.saturating_mul(*size));
        self.shapes().iter().map(cells).fold(0, u64::saturating_add).saturating_mul(4)
    }

    /// The steps of the work: multiply-adds, or else elements of the largest array.
    pub fn steps(&self) -> u64 {
        let product = |sizes: &[u64]| sizes.iter().fold(1, |all: u64, size| all.saturating_mul(*size));
        match (self.op.kind, self.sizes.as_slice()) {
            (Kind::Convolution, [batch, side, from, to, window]) => {
                product(&[*batch, *side, *side, *from, *to, *window, *window])
            }
            (_, sizes) => product(sizes),
        }
    }

    /// The rate of a run that takes so many milliseconds: billions of floating-point operations or of bytes a second.
    #[allow(clippy::cast_precision_loss, reason = "a rate for the eye")]
    pub fn rate(&self, ms: f64) -> f64 {
        let amount = match self.op.unit {
            Unit::Flops => self.steps().saturating_mul(2),
            Unit::Bytes => self.bytes(),
        };
        if ms > 0.0 { amount as f64 / ms / 1e6 } else { 0.0 }
    }

    /// What is too much of it.
    pub fn problem(&self) -> Option<Problem> {
        let (bytes, steps) = (self.bytes(), self.steps());
        let message = if bytes > MEMORY {
            let mb = bytes.div_ceil(1 << 20);
            Message::speed("speed-too-large")
                .with("size", i64::try_from(mb).unwrap_or(i64::MAX))
                .with("limit", i64::try_from(MEMORY >> 20).unwrap_or(0))
        } else if steps > WORK {
            let billions = steps.div_ceil(1_000_000_000);
            Message::speed("speed-too-long")
                .with("steps", i64::try_from(billions).unwrap_or(i64::MAX))
                .with("limit", i64::try_from(WORK / 1_000_000_000).unwrap_or(0))
        } else {
            return None;
        };
        let mut mended = self.clone();
        while mended.bytes() > MEMORY || mended.steps() > WORK {
            let largest = mended.sizes.iter_mut().max()?;
            *largest = (*largest / 2).max(1);
        }
        let sizes = mended.sizes_text();
        Some(Problem { message, fix: Message::speed("speed-smaller").with("sizes", sizes), mended })
    }

    /// The sizes as in the link, `512x512x512`.
    pub fn sizes_text(&self) -> String {
        self.sizes.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
    }

    /// The same work at other sizes, with the length that stands for each: all that are not too much.
    pub fn sweep(&self) -> Vec<(u64, Self)> {
        let at = |size: u64| {
            let mut sizes = self.sizes.clone();
            match self.op.kind {
                Kind::Convolution => sizes.iter_mut().skip(2).take(2).for_each(|s| *s = size),
                // A row as long as the plane has elements.
                _ if sizes.len() == 1 => sizes = vec![size.saturating_mul(size)],
                _ => sizes.fill(size),
            }
            Self { sizes, ..self.clone() }
        };
        let points = SWEEP.into_iter().map(|size| (size, at(size)));
        points.filter(|(_, setup)| setup.is_sized() && setup.problem().is_none()).collect()
    }

    /// The orders (`minor_to_major`) of the operands and the result to compare: both operands of a dot, else the first
    /// operand, in every order; the rest is row-major.
    pub fn orders(&self) -> Vec<Vec<Vec<usize>>> {
        let majors: Vec<Vec<usize>> =
            self.shapes().iter().map(|shape| (0..shape.len()).rev().collect()).collect();
        let turned = |operand: usize, bases: Vec<Vec<Vec<usize>>>| -> Vec<Vec<Vec<usize>>> {
            let all = permutations(majors[operand].clone());
            let with = |base: &Vec<Vec<usize>>| {
                let base = base.clone();
                all.clone().into_iter().map(move |order| {
                    let mut orders = base.clone();
                    orders[operand] = order;
                    orders
                })
            };
            bases.iter().flat_map(with).collect()
        };
        let first = turned(0, vec![majors.clone()]);
        if self.op.kind == Kind::Dot { turned(1, first) } else { first }
    }

    /// Orders as they are shown: those that vary, as `{0,1} {1,0}`.
    pub fn order_text(&self, orders: &[Vec<usize>]) -> String {
        let shown = if self.op.kind == Kind::Dot { 2 } else { 1 };
        let text = |order: &Vec<usize>| {
            format!("{{{}}}", order.iter().map(usize::to_string).collect::<Vec<_>>().join(","))
        };
        orders.iter().take(shown).map(text).collect::<Vec<_>>().join(" ")
    }
}

/// Every order of these, the given one first.
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
            let setup = Setup::of(op);
            assert!(setup.is_sized() && setup.problem().is_none(), "{}", op.name);
            assert_eq!(setup.clone().fitted(), setup);
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
    fn too_much_is_told_and_mended() {
        let dot = |sizes: &[u64]| Setup { sizes: sizes.to_vec(), ..Setup::default() };
        for sizes in [
            [4096, 4096, 4096],
            [MAX_DIMENSION_SIZE, MAX_DIMENSION_SIZE, MAX_DIMENSION_SIZE],
            [2048, 4096, 2048],
            [1, 1, MAX_DIMENSION_SIZE * 2],
        ] {
            let problem = dot(&sizes).problem().unwrap_or_else(|| panic!("{sizes:?}"));
            assert_eq!(problem.mended.problem(), None);
            assert!(problem.mended.is_sized());
            assert!(problem.fix.to_string().contains(&problem.mended.sizes_text()));
        }
        assert_eq!(dot(&[2048, 2048, 2048]).problem(), None);
    }

    #[test]
    fn rates_count_what_is_done() {
        let dot = Setup { sizes: vec![100, 200, 50], ..Setup::default() };
        assert_eq!((dot.steps(), dot.bytes()), (1_000_000, 4 * (20_000 + 10_000 + 5_000)));
        assert!((dot.rate(1.0) - 2.0).abs() < 1e-12);
        assert!(dot.rate(0.0).abs() < 1e-12);
        let sum = Op::named("reduce-sum").map(Setup::of).unwrap();
        assert_eq!(sum.shapes(), [vec![1024, 1024], vec![1024]]);
        assert_eq!(sum.bytes(), 4 * (1024 * 1024 + 1024));
    }
}
