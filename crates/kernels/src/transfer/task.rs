//! The description of copies.

use crate::description::describe::{Buffer, Describe, elements};
use crate::description::words::fields;
use crate::support::element::Type;
use crate::support::view::View;

/// A copy of elements: transpose, slice, reverse, broadcast, relayout, pad, concatenate, and dynamic slices with known start
/// indices. Parts are copied one after another: where two overlap, the later one wins. Buffers: those of the parts, then, with
/// `has_fill`, one element, then the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The element type, of which only the size matters.
    pub ty: Type,
    /// Source and destination of each part, of the same sizes. Each part has a separate source buffer.
    pub parts: Vec<(View, View)>,
    /// Whether the element fills every element of the result outside of all parts; otherwise these keep their values.
    pub has_fill: bool,
}

fields! { Move { ty parts has_fill } }

impl Describe for Move {
    const NAME: &'static str = "move";

    fn reads(&self) -> Vec<Buffer<'_>> {
        let from =
            self.parts.iter().map(|(from, _)| Buffer { ty: self.ty, views: vec![from], min_length: 0 });
        from.chain(self.has_fill.then(|| Buffer::scalar(self.ty))).collect()
    }

    fn writes(&self) -> Vec<Buffer<'_>> {
        // All parts are written to the same buffer, which exists even if there is no part.
        vec![Buffer { ty: self.ty, views: self.parts.iter().map(|(_, to)| to).collect(), min_length: 0 }]
    }

    fn is_consistent(&self) -> bool {
        self.parts.iter().all(|(from, to)| from.sizes == to.sizes)
    }

    fn steps(&self) -> u64 {
        self.parts.iter().map(|(_, to)| elements(to)).fold(0, u64::saturating_add)
    }

    fn examples() -> Vec<Self> {
        let view = |offset, sizes: &[usize], strides: &[isize]| View {
            offset,
            sizes: sizes.to_vec(),
            strides: strides.to_vec(),
        };
        let mut examples = Vec::new();
        for ty in [Type::U8, Type::F16, Type::F32, Type::F64, Type::C128] {
            let mut part = |from: View, to: View, has_fill| {
                examples.push(Self { ty, parts: vec![(from, to)], has_fill });
            };
            // Transposes, one smaller than a vector; reversals; a broadcast; padding; strides without vectors. Under Miri a
            // transpose has one vector of rows, two of columns, and a remainder.
            let lanes = if cfg!(miri) { 16 / ty.bytes().min(16) } else { 16 };
            let [rows, columns] = [lanes + 3, 2 * lanes + 3];
            let [down, along] = [rows, columns].map(usize::cast_signed);
            part(view(0, &[rows, columns], &[along, 1]), view(0, &[rows, columns], &[1, down]), false);
            part(
                view(columns - 1, &[rows, columns], &[along, -1]),
                view(0, &[rows, columns], &[1, down]),
                false,
            );
            part(view(0, &[3, 5], &[5, 1]), view(0, &[3, 5], &[1, 3]), false);
            part(view(0, &[3, 4, 5], &[20, 5, 1]), view(0, &[3, 4, 5], &[5, 15, 1]), false);
            part(view(1, &[3, 2], &[2, -1]), view(0, &[3, 2], &[2, 1]), false);
            part(view(0, &[3, 5], &[5, 1]), view(14, &[3, 5], &[-5, -1]), false);
            // One run, short runs, and one element.
            part(View::row_major(&[2, 3, 4]), View::row_major(&[2, 3, 4]), false);
            part(view(0, &[4, 3], &[3, 1]), view(0, &[4, 3], &[5, 1]), false);
            part(view(0, &[], &[]), view(0, &[], &[]), false);
            part(view(34, &[3, 35], &[35, -1]), view(0, &[3, 35], &[35, 1]), false);
            part(view(0, &[7, 21], &[1, 0]), view(0, &[7, 21], &[21, 1]), false);
            part(view(0, &[4, 20], &[20, 1]), view(23, &[4, 20], &[22, 1]), true);
            part(view(1, &[5, 6, 7], &[84, 2, 12]), view(0, &[5, 6, 7], &[42, 7, 1]), false);
        }
        // Transposes in tiles of a cache line, with and without remainders. Under Miri a line is half as long.
        let tiles = [(Type::U8, [64; 2], 1100), (Type::F32, [16; 2], 1100), (Type::F64, [66; 2], 130)];
        let small = [(Type::F32, [8; 2], 130), (Type::F64, [4, 34], 130), (Type::F64, [34, 4], 130)];
        for (ty, sizes, pitch) in if cfg!(miri) { small } else { tiles } {
            let [rows, columns] = [[pitch, 1], [1, pitch]];
            let parts = vec![(view(0, &sizes, &rows), view(0, &sizes, &columns))];
            examples.push(Self { ty, parts, has_fill: false });
        }
        // No part: everything is filled.
        let nothing = View::row_major(&[0, 3]);
        examples.push(Self { ty: Type::F32, parts: vec![(nothing.clone(), nothing)], has_fill: true });
        let halves = [view(0, &[8, 3], &[6, 1]), view(3, &[8, 3], &[6, 1])];
        let source = View::row_major(&[8, 3]);
        let parts = halves.map(|half| (source.clone(), half)).to_vec();
        examples.push(Self { ty: Type::F32, parts, has_fill: true });
        examples
    }

    fn benchmarks() -> Vec<(&'static str, Self)> {
        let transpose =
            |sizes: &[usize], permutation: &[usize]| Self::transpose(Type::F32, sizes, permutation);
        vec![
            ("transpose 1024²", transpose(&[1024; 2], &[1, 0])),
            ("transpose 2048²", transpose(&[2048; 2], &[1, 0])),
            ("NHWC → NCHW, 56x56x256", transpose(&[1, 56, 56, 256], &[0, 3, 1, 2])),
        ]
    }
}

impl Move {
    /// A transpose of an array in row-major order: dimension `i` of the result is `permutation[i]` of the operand.
    pub fn transpose(ty: Type, sizes: &[usize], permutation: &[usize]) -> Self {
        let from = View::row_major(sizes).permuted(permutation);
        let to = View::row_major(&from.sizes);
        Self { ty, parts: vec![(from, to)], has_fill: false }
    }
}
