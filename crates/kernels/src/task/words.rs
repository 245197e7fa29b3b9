//! Tasks as numbers, as they go to a WebAssembly module: what the app's worker and the benchmark write, and the module
//! reads. Each number is an `i32`; lists have their length before them; fields come in the order of [`crate::task::description`].

use crate::task::description::{
    Array, Binary, Convolution, Direction, Dot, Fold, Gather, Map, Move, Reduce, ReduceWindow,
    SelectAndScatter, Softmax, Sort, Task, Type, Unary, Window,
};
use crate::ground::view::View;

/// Reads numbers one after the other.
struct Reader<'a>(std::slice::Iter<'a, i32>);

impl Reader<'_> {
    fn number(&mut self) -> Option<i32> {
        self.0.next().copied()
    }

    fn at<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        all.get(usize::try_from(self.number()?).ok()?).copied()
    }
}

/// What is written as numbers and read again.
trait Words: Sized {
    fn write(&self, words: &mut Vec<i32>) -> Option<()>;
    fn read(reader: &mut Reader) -> Option<Self>;
}

impl Words for usize {
    fn write(&self, words: &mut Vec<i32>) -> Option<()> {
        words.push(i32::try_from(*self).ok()?);
        Some(())
    }
    fn read(reader: &mut Reader) -> Option<Self> {
        Self::try_from(reader.number()?).ok()
    }
}

impl Words for isize {
    fn write(&self, words: &mut Vec<i32>) -> Option<()> {
        words.push(i32::try_from(*self).ok()?);
        Some(())
    }
    fn read(reader: &mut Reader) -> Option<Self> {
        Self::try_from(reader.number()?).ok()
    }
}

impl Words for bool {
    fn write(&self, words: &mut Vec<i32>) -> Option<()> {
        words.push((*self).into());
        Some(())
    }
    fn read(reader: &mut Reader) -> Option<Self> {
        reader.at(&[false, true])
    }
}

impl<T: Words> Words for Vec<T> {
    fn write(&self, words: &mut Vec<i32>) -> Option<()> {
        self.len().write(words)?;
        self.iter().try_for_each(|item| item.write(words))
    }
    fn read(reader: &mut Reader) -> Option<Self> {
        let length = usize::read(reader)?;
        // Each item is at least one number: a length that is not true asks for no memory.
        (length <= reader.0.len()).then_some(())?;
        (0..length).map(|_| T::read(reader)).collect()
    }
}

impl<A: Words, B: Words> Words for (A, B) {
    fn write(&self, words: &mut Vec<i32>) -> Option<()> {
        self.0.write(words)?;
        self.1.write(words)
    }
    fn read(reader: &mut Reader) -> Option<Self> {
        Some((A::read(reader)?, B::read(reader)?))
    }
}

impl Words for () {
    fn write(&self, _: &mut Vec<i32>) -> Option<()> {
        Some(())
    }
    fn read(_: &mut Reader) -> Option<Self> {
        Some(())
    }
}

macro_rules! one_of {
    ($($name:ident)*) => {
        $(impl Words for $name {
            fn write(&self, words: &mut Vec<i32>) -> Option<()> {
                words.push((*self as u8).into());
                Some(())
            }
            fn read(reader: &mut Reader) -> Option<Self> {
                reader.at(&Self::ALL)
            }
        })*
    };
}

one_of! { Type Fold Direction Unary Binary }

macro_rules! fields {
    ($($name:ident { $($field:ident)* })*) => {
        $(impl Words for $name {
            fn write(&self, words: &mut Vec<i32>) -> Option<()> {
                $(self.$field.write(words)?;)*
                Some(())
            }
            fn read(reader: &mut Reader) -> Option<Self> {
                $(let $field = Words::read(reader)?;)*
                Some(Self { $($field),* })
            }
        })*
    };
}

fields! {
    View { offset sizes strides }
    Array { ty view }
    Window { size stride low high base_dilation dilation is_reversed }
    Dot { lhs rhs out lhs_batch rhs_batch lhs_contracting rhs_contracting }
    Convolution { lhs rhs out window feature_groups batch_groups }
    Reduce { operand out dimensions fold }
    ReduceWindow { operand out window fold }
    SelectAndScatter { operand source out window select scatter }
    Move { ty parts has_fill }
    Gather { operand indices out slice_sizes collapsed }
    Sort { operands outs dimension is_descending is_total is_stable }
    Softmax { operand out dimension }
}

impl<F: Words, const N: usize> Words for Map<F, N> {
    fn write(&self, words: &mut Vec<i32>) -> Option<()> {
        self.operands.iter().try_for_each(|operand| operand.write(words))?;
        self.out.write(words)?;
        self.f.write(words)
    }
    fn read(reader: &mut Reader) -> Option<Self> {
        let operands = (0..N).map(|_| Array::read(reader)).collect::<Option<Vec<_>>>()?;
        Some(Self { operands: operands.try_into().ok()?, out: Words::read(reader)?, f: Words::read(reader)? })
    }
}

macro_rules! tasks {
    ($($number:literal $name:ident)*) => {
        impl Words for Task {
            fn write(&self, words: &mut Vec<i32>) -> Option<()> {
                match self {
                    $(Self::$name(task) => {
                        words.push($number);
                        task.write(words)
                    })*
                }
            }
            fn read(reader: &mut Reader) -> Option<Self> {
                Some(match reader.number()? {
                    $($number => Self::$name(Words::read(reader)?),)*
                    _ => return None,
                })
            }
        }
    };
}

tasks! {
    0 Dot 1 Convolution 2 Reduce 3 ReduceWindow 4 SelectAndScatter 5 Unary 6 Binary 7 Compare 8 Select 9 Clamp
    10 Convert 11 Move 12 Gather 13 Sort 14 Softmax
}

impl Task {
    /// The task as numbers; `None` where one does not fit an `i32`.
    pub fn to_words(&self) -> Option<Vec<i32>> {
        let mut words = Vec::new();
        self.write(&mut words)?;
        Some(words)
    }

    /// The task of these numbers; `None` where they are not one.
    pub fn from_words(words: &[i32]) -> Option<Self> {
        let mut reader = Reader(words.iter());
        let task = Self::read(&mut reader)?;
        reader.0.next().is_none().then_some(task)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_survive() {
        let array = |sizes: &[usize]| Array { ty: Type::F32, view: View::row_major(sizes) };
        let tasks = [
            Task::Dot(Dot {
                lhs: array(&[2, 3]),
                rhs: array(&[3, 4]),
                out: array(&[2, 4]),
                lhs_batch: vec![],
                rhs_batch: vec![],
                lhs_contracting: vec![1],
                rhs_contracting: vec![0],
            }),
            Task::Select(Map { operands: [array(&[]), array(&[]), array(&[])], out: array(&[]), f: () }),
            Task::Unary(Map { operands: [array(&[7])], out: array(&[7]), f: Unary::IsFinite }),
            Task::Move(Move {
                ty: Type::C128,
                parts: vec![(View::row_major(&[2]), View::row_major(&[2]))],
                has_fill: true,
            }),
        ];
        for task in tasks {
            let words = task.to_words().unwrap();
            assert_eq!(Task::from_words(&words).as_ref(), Some(&task));
            for cut in 0..words.len() {
                assert_eq!(Task::from_words(&words[..cut]), None);
            }
        }
        assert_eq!(Task::from_words(&[0, 11, 0, i32::MAX, 1]), None);
        assert_eq!(Task::from_words(&[-1]), None);
    }
}
