//! Sort of rows along any dimension: keys by radix sort, further operands by the source positions of the keys.
//!
//! A row of one operand whose equal values have the same bits is sorted as keys alone. Otherwise each key carries its position,
//! which yields the stable order. An unstable sort has the same order if no two keys are equal; if two are, or a NaN does not
//! compare, the row is sorted by the algorithm of the reference evaluator ([`crate::sort::comparison`]), on keys.

use crate::description::check::CheckedTask;
use crate::description::kernel::{Kernel, KernelEntry, only_in_kernel_builds};
use crate::sort::comparison;
use crate::sort::keys::{KeyEncoding, Word};
use crate::sort::radix::{self, Histograms, Sortable};
use crate::sort::rows::{RowNest, for_each_chunk};
use crate::sort::task::Sort;
use crate::support::context::Context;
use crate::support::element::Type;
use crate::support::error::KernelError;
use crate::support::slice::{Slice, SliceMut};

/// Elements between cancellation checks.
pub const CANCEL_CHECK_INTERVAL_ELEMENTS: u64 = 1 << 17;
/// Comparisons between cancellation checks of a comparison sort.
const CANCEL_CHECK_INTERVAL_COMPARISONS: u64 = 1 << 18;

/// Sorts keys by radix.
pub const KERNEL: KernelEntry<Sort> = KernelEntry {
    kernel: Kernel { name: "sort by radix", is_vector: false, error_bound_ulp: 0.0 },
    supports: |task| task.operands.first().is_some_and(|first| encoding_of(task, first.ty).is_some()),
    run: only_in_kernel_builds(run),
};

/// The encoding of a type's values as keys; `None` if there is none.
pub fn encoding_of(task: &Sort, ty: Type) -> Option<KeyEncoding> {
    KeyEncoding::new(ty, task.is_descending, task.is_total_order)
}

fn run(task: CheckedTask<Sort>, context: &mut Context) -> Result<(), KernelError> {
    let (task, read, written) = task.into_parts();
    let keys = task.operands.first().ok_or(KernelError::InvalidTask)?;
    let encoding = encoding_of(task, keys.ty).ok_or(KernelError::InvalidTask)?;
    let length = keys.view.sizes[task.dimension];
    if u32::try_from(length).is_err() {
        return Err(KernelError::RowTooLong);
    }
    match encoding.bits {
        8 => sort::<u32, 1>(task, encoding, length, read, written, context),
        16 => sort::<u32, 2>(task, encoding, length, read, written, context),
        32 => sort::<u32, 4>(task, encoding, length, read, written, context),
        _ => sort::<u64, 8>(task, encoding, length, read, written, context),
    }
}

/// A sorted row, with the index of the sorter's buffer that has it.
#[derive(Clone, Copy)]
pub enum Sorted {
    /// The keys alone.
    Keys(usize),
    /// Pairs of a key and its position in the row before sorting.
    Pairs(usize),
}

/// Sorts rows of one length, with the buffers it needs.
pub struct RowSorter {
    /// Source and destination of a radix pass.
    words: [Vec<u32>; 2],
    histograms: Histograms,
    length: usize,
}

/// Sorts rows by keys of `W` bytes.
fn sort<K: Word, const W: usize>(
    task: &Sort,
    encoding: KeyEncoding,
    length: usize,
    read: &[Slice],
    written: &mut [SliceMut],
    context: &mut Context,
) -> Result<(), KernelError> {
    let Some(row_nest) = RowNest::new(task) else { return Ok(()) };
    let mut sorter = RowSorter::new(length);
    let outcome = sorter.sort_rows::<K, W>((task, encoding, &row_nest), read, written, context);
    sorter.recycle(context);
    outcome
}

/// The values of a row.
#[inline(always)]
fn values<K: Word, const W: usize>(row: &[u8]) -> impl Iterator<Item = K> {
    row.as_chunks::<W>().0.iter().map(|bytes| {
        let mut word = [0; 8];
        word[..W].copy_from_slice(bytes);
        K::from_bits(u64::from_le_bytes(word))
    })
}

impl RowSorter {
    /// A sorter of rows of `length` elements. The first row allocates the buffers.
    pub fn new(length: usize) -> Self {
        Self { words: [const { Vec::new() }; 2], histograms: Histograms::default(), length }
    }

    /// Returns the buffers to scratch memory.
    pub fn recycle(self, context: &mut Context) {
        self.words.into_iter().for_each(|words| context.scratch.recycle_words(words));
    }

    /// Grows both buffers to a row of `E`.
    fn reserve<E: Sortable>(&mut self, context: &mut Context) {
        for words in &mut self.words {
            if words.len() < radix::words::<E>(self.length) {
                let longer = context.scratch.words(radix::words::<E>(self.length));
                context.scratch.recycle_words(std::mem::replace(words, longer));
            }
        }
    }

    fn buffers<E: Sortable>(&mut self) -> Option<(&mut [E], &mut [E], &mut Histograms)> {
        let [a, b] = &mut self.words;
        Some((radix::elements(a, self.length)?, radix::elements(b, self.length)?, &mut self.histograms))
    }

    /// Sorts rows by keys of `W` bytes, one by one.
    fn sort_rows<K: Word, const W: usize>(
        &mut self,
        (task, encoding, row_nest): (&Sort, KeyEncoding, &RowNest),
        read: &[Slice],
        written: &mut [SliceMut],
        context: &mut Context,
    ) -> Result<(), KernelError> {
        let widths: Vec<usize> = task.operands.iter().map(|operand| operand.ty.bytes()).collect();
        let mut unreported = 0;
        for_each_chunk((task, row_nest), read, written, context, &mut |rows, ins, outs, context| {
            for row in 0..rows {
                let keys = ins.first().ok_or(KernelError::InvalidTask)?.row(row);
                let sorted = self.sort::<K, W>(task, encoding, keys, context)?;
                for ((from, to), width) in ins.iter().zip(outs.iter_mut()).zip(&widths) {
                    self.write_row::<K, W>(sorted, encoding, *width, from.row(row), to.row(row));
                }
                unreported += (self.length * ins.len()) as u64;
                if unreported >= CANCEL_CHECK_INTERVAL_ELEMENTS {
                    context.tick(std::mem::take(&mut unreported))?;
                }
            }
            Ok(())
        })?;
        context.tick(unreported)
    }

    /// Sorts the values of a row.
    pub fn sort<K: Word, const W: usize>(
        &mut self,
        task: &Sort,
        encoding: KeyEncoding,
        row: &[u8],
        context: &mut Context,
    ) -> Result<Sorted, KernelError> {
        let specials = encoding.scan_specials(values::<K, W>(row));
        if task.operands.len() == 1 && !specials.has_nan && !specials.has_both_zeros {
            self.reserve::<K>(context);
            let (keys, other, histograms) = self.buffers::<K>().ok_or(KernelError::InvalidTask)?;
            for (key, value) in keys.iter_mut().zip(values::<K, W>(row)) {
                *key = encoding.encode(value);
            }
            let is_in_other = radix::sort(keys, other, histograms, [0, encoding.bits], context)?;
            return Ok(Sorted::Keys(is_in_other.into()));
        }
        self.reserve::<K::Pair>(context);
        let (pairs, other, histograms) = self.buffers::<K::Pair>().ok_or(KernelError::InvalidTask)?;
        let write_pairs = |pairs: &mut [K::Pair]| {
            for ((pair, value), position) in pairs.iter_mut().zip(values::<K, W>(row)).zip(0..) {
                *pair = encoding.encode_merging_zeros(value).with_position(position);
            }
        };
        write_pairs(pairs);
        if !specials.has_nan {
            let is_in_other =
                radix::sort(pairs, other, histograms, [K::BITS, K::BITS + encoding.bits], context)?;
            let sorted = if is_in_other { &*other } else { &*pairs };
            let has_ties = || sorted.windows(2).any(|two| K::key_of(two[0]) == K::key_of(two[1]));
            if task.is_stable || !has_ties() {
                return Ok(Sorted::Pairs(is_in_other.into()));
            }
            write_pairs(pairs);
        }
        let [low, high] = encoding.non_nan_key_range::<K>();
        let mut comparisons = 0_u64;
        let mut before = |a: K::Pair, b: K::Pair| {
            comparisons += 1;
            if comparisons.is_multiple_of(CANCEL_CHECK_INTERVAL_COMPARISONS) {
                context.tick(0)?;
            }
            let [a, b] = [K::key_of(a), K::key_of(b)];
            Ok(a < b && low <= a && b <= high)
        };
        if task.is_stable {
            comparison::stable_sort(pairs, &mut before)?;
        } else {
            comparison::unstable_sort(pairs, &mut before)?;
        }
        Ok(Sorted::Pairs(0))
    }

    /// Writes a row of an operand in the order of the keys.
    pub fn write_row<K: Word, const W: usize>(
        &mut self,
        sorted: Sorted,
        encoding: KeyEncoding,
        width: usize,
        from: &[u8],
        to: &mut [u8],
    ) {
        match sorted {
            Sorted::Keys(buffer) => {
                let Some(keys) = radix::elements::<K>(&mut self.words[buffer], self.length) else { return };
                for (key, to) in keys.iter().zip(to.as_chunks_mut::<W>().0) {
                    let value = encoding.decode(*key).to_bits().to_le_bytes();
                    to.copy_from_slice(&value[..W]);
                }
            }
            Sorted::Pairs(buffer) => {
                let Some(pairs) = radix::elements::<K::Pair>(&mut self.words[buffer], self.length) else {
                    return;
                };
                match width {
                    1 => write_permuted::<K, 1>(pairs, from, to),
                    2 => write_permuted::<K, 2>(pairs, from, to),
                    4 => write_permuted::<K, 4>(pairs, from, to),
                    8 => write_permuted::<K, 8>(pairs, from, to),
                    _ => write_permuted::<K, 16>(pairs, from, to),
                }
            }
        }
    }
}

/// Writes elements of `W` bytes in the order of the sorted pairs.
fn write_permuted<K: Word, const W: usize>(pairs: &[K::Pair], from: &[u8], to: &mut [u8]) {
    let from = from.as_chunks::<W>().0;
    for (pair, to) in pairs.iter().zip(to.as_chunks_mut::<W>().0) {
        if let Some(value) = from.get(K::position_of(*pair)) {
            *to = *value;
        }
    }
}
