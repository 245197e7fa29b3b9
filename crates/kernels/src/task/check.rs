//! Whether a task makes sense and stays within its buffers: what every kernel relies on.

use crate::task::description::{Array, Convolution, Dot, Gather, Map, Task, Type, Window};
use crate::ground::view::View;

/// A buffer that a task needs: the cells it reaches, and whether they are written.
struct Needs<'a> {
    ty: Type,
    view: Option<&'a View>,
}

impl Task {
    fn buffers(&self) -> (Vec<Needs<'_>>, Vec<Needs<'_>>) {
        fn array(array: &Array) -> Needs<'_> {
            Needs { ty: array.ty, view: Some(&array.view) }
        }
        fn map<F, const N: usize>(map: &Map<F, N>) -> (Vec<Needs<'_>>, Vec<Needs<'_>>) {
            (map.operands.iter().map(array).collect(), vec![array(&map.out)])
        }
        let one = |ty| Needs { ty, view: None };
        match self {
            Self::Dot(task) => (vec![array(&task.lhs), array(&task.rhs)], vec![array(&task.out)]),
            Self::Convolution(task) => (vec![array(&task.lhs), array(&task.rhs)], vec![array(&task.out)]),
            Self::Reduce(task) => (vec![array(&task.operand), one(task.operand.ty)], vec![array(&task.out)]),
            Self::ReduceWindow(task) => {
                (vec![array(&task.operand), one(task.operand.ty)], vec![array(&task.out)])
            }
            Self::SelectAndScatter(task) => (
                vec![array(&task.operand), array(&task.source), one(task.operand.ty)],
                vec![array(&task.out)],
            ),
            Self::Unary(task) => map(task),
            Self::Binary(task) => map(task),
            Self::Compare(task) => map(task),
            Self::Select(task) | Self::Clamp(task) => map(task),
            Self::Convert(task) => map(task),
            Self::Move(task) => {
                let from = task.parts.iter().map(|(from, _)| Needs { ty: task.ty, view: Some(from) });
                let to = task.parts.iter().map(|(_, to)| Needs { ty: task.ty, view: Some(to) });
                (from.chain(task.has_fill.then(|| one(task.ty))).collect(), to.collect())
            }
            Self::Gather(task) => (vec![array(&task.operand), array(&task.indices)], vec![array(&task.out)]),
            Self::Sort(task) => {
                let outs = task.operands.iter().zip(&task.outs);
                let outs = outs.map(|(operand, view)| Needs { ty: operand.ty, view: Some(view) });
                (task.operands.iter().map(array).collect(), outs.collect())
            }
            Self::Softmax(task) => (vec![array(&task.operand)], vec![array(&task.out)]),
        }
    }

    /// The types of the buffers that are read, and of those that are written.
    pub fn types(&self) -> (Vec<Type>, Vec<Type>) {
        let (read, written) = self.buffers();
        let types = |needs: Vec<Needs>| needs.iter().map(|needs| needs.ty).collect::<Vec<_>>();
        let mut written = types(written);
        if let Self::Move(task) = self {
            // Every part goes to the same buffer, which is there even where there is no part.
            written = vec![task.ty];
        }
        (types(read), written)
    }

    /// Whether the task makes sense, and every cell it names lies in buffers of so many cells. What this lets pass,
    /// no kernel reaches outside of.
    pub fn check(&self, read: &[usize], written: &[usize]) -> bool {
        let (reads, writes) = self.buffers();
        let one = |written: &[usize]| {
            if matches!(self, Self::Move(_)) {
                vec![written.first().copied(); writes.len()]
            } else {
                written.iter().copied().map(Some).collect()
            }
        };
        let lengths = one(written);
        let outs = if matches!(self, Self::Move(_)) { 1 } else { writes.len() };
        read.len() == reads.len()
            && written.len() == outs
            && reads
                .iter()
                .zip(read)
                .all(|(needs, cells)| needs.view.map_or(*cells > 0, |view| view.fits(*cells)))
            && writes.iter().zip(lengths).all(|(needs, cells)| {
                needs.view.is_some_and(|view| view.fits(cells.unwrap_or(0)) && view.is_injective())
            })
            && self.is_consistent()
    }

    /// Whether the sizes of the arrays go together.
    fn is_consistent(&self) -> bool {
        fn map<F, const N: usize>(map: &Map<F, N>) -> bool {
            map.operands.iter().all(|operand| operand.view.sizes == map.out.view.sizes)
        }
        match self {
            Self::Dot(task) => task.is_consistent(),
            Self::Convolution(task) => task.is_consistent(),
            Self::Reduce(task) => {
                let stays = |d: &usize| !task.dimensions.contains(d);
                let sizes = &task.operand.view.sizes;
                let left: Vec<usize> = (0..sizes.len()).filter(stays).map(|d| sizes[d]).collect();
                are_distinct(&task.dimensions, sizes.len())
                    && left == task.out.view.sizes
                    && task.operand.ty == task.out.ty
            }
            Self::ReduceWindow(task) => {
                task.operand.ty == task.out.ty
                    && slides(&task.operand.view.sizes, &task.window, &task.out.view.sizes)
            }
            Self::SelectAndScatter(task) => {
                task.operand.ty == task.out.ty
                    && task.operand.ty == task.source.ty
                    && task.operand.view.sizes == task.out.view.sizes
                    && slides(&task.operand.view.sizes, &task.window, &task.source.view.sizes)
            }
            Self::Unary(task) => map(task),
            Self::Binary(task) => map(task),
            Self::Compare(task) => map(task) && task.out.ty == Type::Pred,
            Self::Select(task) => map(task) && task.operands[0].ty == Type::Pred,
            Self::Clamp(task) => map(task),
            Self::Convert(task) => map(task),
            Self::Move(task) => task.parts.iter().all(|(from, to)| from.sizes == to.sizes),
            Self::Gather(task) => task.is_consistent(),
            Self::Sort(task) => {
                let Some(first) = task.operands.first() else { return false };
                let alike = |view: &View| view.sizes == first.view.sizes;
                task.dimension < first.view.rank()
                    && task.operands.len() == task.outs.len()
                    && task.operands.iter().all(|operand| alike(&operand.view))
                    && task.outs.iter().all(alike)
            }
            Self::Softmax(task) => {
                task.operand.view.sizes == task.out.view.sizes
                    && task.operand.ty == task.out.ty
                    && task.dimension < task.out.view.rank()
            }
        }
    }
}

/// Whether these are different dimensions of an array of this rank.
fn are_distinct(dimensions: &[usize], rank: usize) -> bool {
    dimensions.iter().enumerate().all(|(i, d)| *d < rank && !dimensions[..i].contains(d))
}

/// Whether a window that slides over these sizes has so many places.
fn slides(sizes: &[usize], window: &[Window], places: &[usize]) -> bool {
    sizes.len() == window.len()
        && places.len() == window.len()
        && (sizes.iter().zip(window).zip(places))
            .all(|((size, window), places)| window.places(*size) == Some(*places))
}

impl Window {
    /// The places it has over so many elements; `None` where a number is out of range.
    pub fn places(&self, size: usize) -> Option<usize> {
        let signed = |x: usize| isize::try_from(x).ok().filter(|x| *x < 1 << 30);
        let (stride, dilation) = (signed(self.stride)?, signed(self.dilation)?);
        if stride == 0 || dilation == 0 || self.base_dilation == 0 || self.size == 0 {
            return None;
        }
        let dilated = |size: usize, by: usize| {
            signed(size.saturating_sub(1).checked_mul(by)?.checked_add(size.min(1))?)
        };
        let limit = |padding: isize| (-(1 << 30)..1 << 30).contains(&padding).then_some(padding);
        let base = dilated(size, self.base_dilation)? + limit(self.low)? + limit(self.high)?;
        let reach = dilated(self.size, self.dilation)?;
        Some(if base < reach { 0 } else { ((base - reach) / stride + 1).cast_unsigned() })
    }
}

impl Dot {
    fn is_consistent(&self) -> bool {
        let (lhs, rhs) = (&self.lhs.view.sizes, &self.rhs.view.sizes);
        let all = |batch: &[usize], contracting: &[usize]| [batch, contracting].concat();
        let (left, right) =
            (all(&self.lhs_batch, &self.lhs_contracting), all(&self.rhs_batch, &self.rhs_contracting));
        if !are_distinct(&left, lhs.len())
            || !are_distinct(&right, rhs.len())
            || self.lhs_batch.len() != self.rhs_batch.len()
            || left.len() != right.len()
            || left.iter().zip(&right).any(|(l, r)| lhs[*l] != rhs[*r])
        {
            return false;
        }
        let batch = self.lhs_batch.iter().map(|d| lhs[*d]);
        let free_left = (0..lhs.len()).filter(|d| !left.contains(d)).map(|d| lhs[d]);
        let free_right = (0..rhs.len()).filter(|d| !right.contains(d)).map(|d| rhs[d]);
        batch.chain(free_left).chain(free_right).eq(self.out.view.sizes.iter().copied())
    }
}

impl Convolution {
    fn is_consistent(&self) -> bool {
        let (lhs, rhs, out) = (&self.lhs.view.sizes, &self.rhs.view.sizes, &self.out.view.sizes);
        let rank = self.window.len() + 2;
        let (groups, batches) = (self.feature_groups, self.batch_groups);
        if lhs.len() != rank || rhs.len() != rank || out.len() != rank || groups == 0 || batches == 0 {
            return false;
        }
        rhs[1].checked_mul(groups) == Some(lhs[1])
            && out[0].checked_mul(batches) == Some(lhs[0])
            && out[1] == rhs[0]
            && rhs[0].is_multiple_of(groups)
            && rhs[0].is_multiple_of(batches)
            && (groups == 1 || batches == 1)
            && self.window.iter().zip(&rhs[2..]).all(|(window, size)| window.size == *size)
            && slides(&lhs[2..], &self.window, &out[2..])
    }
}

impl Gather {
    fn is_consistent(&self) -> bool {
        let (operand, indices, out) =
            (&self.operand.view.sizes, &self.indices.view.sizes, &self.out.view.sizes);
        let Some((chosen, batch)) = indices.split_last() else { return false };
        let slice = (0..operand.len()).filter(|d| !self.collapsed.contains(d)).map(|d| self.slice_sizes[d]);
        *chosen <= operand.len()
            && self.slice_sizes.len() == operand.len()
            && self.operand.ty == self.out.ty
            && are_distinct(&self.collapsed, operand.len())
            && self.collapsed.iter().all(|d| self.slice_sizes[*d] == 1)
            && self.slice_sizes.iter().zip(operand).all(|(slice, size)| slice <= size)
            && batch.iter().copied().chain(slice).eq(out.iter().copied())
    }
}
