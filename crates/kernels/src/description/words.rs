//! Serialization of tasks as words, the form in which a WebAssembly module receives them. Each word is an `i32`; lists are
//! preceded by their length; the order of fields is that of [`fields`].

use crate::support::element::Type;
use crate::support::view::View;

/// Reads words in sequence.
pub struct Reader<'a>(pub(crate) std::slice::Iter<'a, i32>);

impl Reader<'_> {
    /// The next number.
    pub fn number(&mut self) -> Option<i32> {
        self.0.next().copied()
    }

    /// The item of a list whose index is the next number.
    pub fn item<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        items.get(usize::try_from(self.number()?).ok()?).copied()
    }
}

/// A value that is serialized as words.
pub trait Words: Sized {
    /// Appends its words; `None` if a number does not fit in an `i32`.
    fn write(&self, words: &mut Vec<i32>) -> Option<()>;
    /// Reads its words; `None` if they encode no value.
    fn read(reader: &mut Reader) -> Option<Self>;
    /// Visits its views, whose layouts tests change.
    fn for_each_view_mut(&mut self, _visit: &mut dyn FnMut(&mut View)) {}
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
        reader.item(&[false, true])
    }
}

impl<T: Words> Words for Vec<T> {
    fn write(&self, words: &mut Vec<i32>) -> Option<()> {
        self.len().write(words)?;
        self.iter().try_for_each(|item| item.write(words))
    }
    fn read(reader: &mut Reader) -> Option<Self> {
        let length = usize::read(reader)?;
        // Each item has at least one word: a wrong length must not allocate.
        (length <= reader.0.len()).then_some(())?;
        (0..length).map(|_| T::read(reader)).collect()
    }
    fn for_each_view_mut(&mut self, visit: &mut dyn FnMut(&mut View)) {
        for item in self {
            item.for_each_view_mut(visit);
        }
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
    fn for_each_view_mut(&mut self, visit: &mut dyn FnMut(&mut View)) {
        self.0.for_each_view_mut(visit);
        self.1.for_each_view_mut(visit);
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

/// Serializes an enum as its index in `ALL`.
macro_rules! one_of {
    ($($name:ident)*) => {
        $(impl $crate::description::words::Words for $name {
            fn write(&self, words: &mut Vec<i32>) -> Option<()> {
                words.push((*self as u8).into());
                Some(())
            }
            fn read(reader: &mut $crate::description::words::Reader) -> Option<Self> {
                reader.item(&Self::ALL)
            }
        })*
    };
}

pub(crate) use one_of;

/// Serializes a struct, field by field in the order of the list.
macro_rules! fields {
    ($($name:ident { $($field:ident)* })*) => {
        $(impl $crate::description::words::Words for $name {
            fn write(&self, words: &mut Vec<i32>) -> Option<()> {
                $($crate::description::words::Words::write(&self.$field, words)?;)*
                Some(())
            }
            fn read(reader: &mut $crate::description::words::Reader) -> Option<Self> {
                $(let $field = $crate::description::words::Words::read(reader)?;)*
                Some(Self { $($field),* })
            }
            fn for_each_view_mut(&mut self, visit: &mut dyn FnMut(&mut $crate::support::view::View)) {
                $($crate::description::words::Words::for_each_view_mut(&mut self.$field, visit);)*
            }
        })*
    };
}
pub(crate) use fields;

one_of! { Type }

impl Words for View {
    fn write(&self, words: &mut Vec<i32>) -> Option<()> {
        self.offset.write(words)?;
        self.sizes.write(words)?;
        self.strides.write(words)
    }
    fn read(reader: &mut Reader) -> Option<Self> {
        Some(Self { offset: usize::read(reader)?, sizes: Vec::read(reader)?, strides: Vec::read(reader)? })
    }
    fn for_each_view_mut(&mut self, visit: &mut dyn FnMut(&mut View)) {
        visit(self);
    }
}
