//! The description of element-wise operations.

use std::fmt::Debug;

use crate::description::describe::{Buffer, Describe, elements};
use crate::description::parts::{Array, Direction};
use crate::description::words::{Reader, Words, one_of};
use crate::support::element::Type;
use crate::support::view::View;

/// A function of one element, named after HLO's opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are those of HLO's opcodes")]
pub enum Unary {
    Abs,
    Negate,
    Sign,
    Not,
    Ceil,
    Floor,
    RoundNearestEven,
    RoundNearestAfz,
    Exponential,
    ExponentialMinusOne,
    Log,
    LogPlusOne,
    Logistic,
    Tanh,
    Sqrt,
    Rsqrt,
    Cbrt,
    Sine,
    Cosine,
    Tan,
    Erf,
    PopulationCount,
    CountLeadingZeros,
    IsFinite,
}

impl Unary {
    /// Every value, in the order of their discriminants.
    pub const ALL: [Self; 24] = [
        Self::Abs,
        Self::Negate,
        Self::Sign,
        Self::Not,
        Self::Ceil,
        Self::Floor,
        Self::RoundNearestEven,
        Self::RoundNearestAfz,
        Self::Exponential,
        Self::ExponentialMinusOne,
        Self::Log,
        Self::LogPlusOne,
        Self::Logistic,
        Self::Tanh,
        Self::Sqrt,
        Self::Rsqrt,
        Self::Cbrt,
        Self::Sine,
        Self::Cosine,
        Self::Tan,
        Self::Erf,
        Self::PopulationCount,
        Self::CountLeadingZeros,
        Self::IsFinite,
    ];
}

/// A function of two elements, named after HLO's opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are those of HLO's opcodes")]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Maximum,
    Minimum,
    Power,
    Atan2,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRightArithmetic,
    ShiftRightLogical,
}

impl Binary {
    /// Every value, in the order of their discriminants.
    pub const ALL: [Self; 15] = [
        Self::Add,
        Self::Subtract,
        Self::Multiply,
        Self::Divide,
        Self::Remainder,
        Self::Maximum,
        Self::Minimum,
        Self::Power,
        Self::Atan2,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::ShiftLeft,
        Self::ShiftRightArithmetic,
        Self::ShiftRightLogical,
    ];
}

one_of! { Unary Binary }

macro_rules! functions_without_attributes {
    ($($(#[$doc:meta])* $name:ident)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name;

        impl Words for $name {
            fn write(&self, _: &mut Vec<i32>) -> Option<()> {
                Some(())
            }
            fn read(_: &mut Reader) -> Option<Self> {
                Some(Self)
            }
        })*
    };
}

functions_without_attributes! {
    /// The second operand where the first, a `pred`, is true, else the third.
    Select
    /// Lower bound, operand, upper bound.
    Clamp
    /// Conversion to another element type.
    Convert
}

/// An element-wise function; broadcast dimensions of an operand have stride 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map<F, const N: usize> {
    /// Operands, all of the result's sizes.
    pub operands: [Array; N],
    /// The result, of the operands' sizes.
    pub out: Array,
    /// The function that is applied to each element.
    pub f: F,
}

/// A function of `N` elements.
pub trait Function<const N: usize>: Words + Clone + Debug + PartialEq + 'static {
    /// The operation's name.
    const NAME: &'static str;

    /// Whether operands and result may have these types.
    fn allows(_operands: [Type; N], _out: Type) -> bool {
        true
    }

    /// Each function, with types of the operands and the result to test it with.
    fn examples() -> Vec<(Self, [Type; N], Type)>;

    /// Functions to benchmark on a million elements, with types of the operands and the result, each with its name.
    fn benchmarks() -> Vec<(&'static str, Self, [Type; N], Type)>;
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
    fn for_each_view_mut(&mut self, visit: &mut dyn FnMut(&mut View)) {
        for operand in &mut self.operands {
            operand.for_each_view_mut(visit);
        }
        self.out.for_each_view_mut(visit);
    }
}

impl<F: Function<N>, const N: usize> Describe for Map<F, N> {
    const NAME: &'static str = F::NAME;

    fn reads(&self) -> Vec<Buffer<'_>> {
        self.operands.iter().map(Buffer::array).collect()
    }

    fn writes(&self) -> Vec<Buffer<'_>> {
        vec![Buffer::array(&self.out)]
    }

    fn is_consistent(&self) -> bool {
        let types = self.operands.each_ref().map(|operand| operand.ty);
        self.operands.iter().all(|operand| operand.view.sizes == self.out.view.sizes)
            && F::allows(types, self.out.ty)
    }

    fn steps(&self) -> u64 {
        elements(&self.out.view)
    }

    fn examples() -> Vec<Self> {
        let mut all = Vec::new();
        let mut examples = F::examples();
        if cfg!(miri) {
            // Functions have no `unsafe` code of their own: one of each type is enough.
            let same = |a: &(F, [Type; N], Type), b: &(F, [Type; N], Type)| (a.1, a.2) == (b.1, b.2);
            examples = examples
                .iter()
                .enumerate()
                .filter(|(i, f)| !examples[..*i].iter().any(|e| same(e, f)))
                .map(|(_, f)| f.clone())
                .collect();
        }
        for (f, types, out) in examples {
            // Rows of whole vectors and a remainder; nothing; a broadcast first operand.
            all.push(Self::row_major(types, out, &[3, 37], f.clone()));
            all.push(Self::row_major(types, out, &[3, 0], f.clone()));
            let mut broadcast = Self::row_major(types, out, &[2, 5], f);
            broadcast.operands[0].view.strides = vec![0, 1];
            all.push(broadcast);
        }
        all
    }

    fn benchmarks() -> Vec<(&'static str, Self)> {
        let all = F::benchmarks().into_iter();
        all.map(|(name, f, types, out)| (name, Self::row_major(types, out, &[1024; 2], f))).collect()
    }
}

impl<F, const N: usize> Map<F, N> {
    /// The function on arrays in row-major order.
    pub fn row_major(types: [Type; N], out: Type, sizes: &[usize], f: F) -> Self {
        Self { operands: types.map(|ty| Array::row_major(ty, sizes)), out: Array::row_major(out, sizes), f }
    }
}

impl Function<1> for Unary {
    const NAME: &'static str = "unary";

    fn examples() -> Vec<(Self, [Type; 1], Type)> {
        let with_types = |f| {
            let types: &[Type] = match f {
                Self::Not | Self::PopulationCount | Self::CountLeadingZeros => &[Type::S32, Type::U8],
                Self::Abs | Self::Negate | Self::Sign => &[Type::F32, Type::BF16, Type::S64],
                _ => &[Type::F32, Type::F16],
            };
            let out = move |ty| if f == Self::IsFinite { Type::Pred } else { ty };
            types.iter().map(move |ty| (f, [*ty], out(*ty)))
        };
        Self::ALL.into_iter().flat_map(with_types).collect()
    }

    fn benchmarks() -> Vec<(&'static str, Self, [Type; 1], Type)> {
        [("negate, 1M", Self::Negate), ("exponential, 1M", Self::Exponential), ("tanh, 1M", Self::Tanh)]
            .map(|(name, f)| (name, f, [Type::F32], Type::F32))
            .to_vec()
    }
}

impl Function<2> for Binary {
    const NAME: &'static str = "binary";

    fn examples() -> Vec<(Self, [Type; 2], Type)> {
        let with_types = |f| {
            let types: &[Type] = match f {
                Self::And
                | Self::Or
                | Self::Xor
                | Self::ShiftLeft
                | Self::ShiftRightArithmetic
                | Self::ShiftRightLogical => &[Type::S32, Type::U8],
                Self::Atan2 => &[Type::F32],
                Self::Remainder | Self::Power => &[Type::F32, Type::S16],
                _ => &[Type::F32, Type::F16, Type::F64, Type::U32],
            };
            types.iter().map(move |ty| (f, [*ty; 2], *ty))
        };
        Self::ALL.into_iter().flat_map(with_types).collect()
    }

    fn benchmarks() -> Vec<(&'static str, Self, [Type; 2], Type)> {
        [("add, 1M", Self::Add), ("power, 1M", Self::Power)]
            .map(|(name, f)| (name, f, [Type::F32; 2], Type::F32))
            .to_vec()
    }
}

impl Function<2> for Direction {
    const NAME: &'static str = "compare";

    fn allows(_: [Type; 2], out: Type) -> bool {
        out == Type::Pred
    }

    fn examples() -> Vec<(Self, [Type; 2], Type)> {
        let types = [Type::F32, Type::BF16, Type::S8, Type::U64];
        Self::ALL.into_iter().flat_map(|f| types.map(|ty| (f, [ty; 2], Type::Pred))).collect()
    }

    fn benchmarks() -> Vec<(&'static str, Self, [Type; 2], Type)> {
        vec![("less, 1M", Self::Lt, [Type::F32; 2], Type::Pred)]
    }
}

impl Function<3> for Select {
    const NAME: &'static str = "select";

    fn allows([on, ..]: [Type; 3], _: Type) -> bool {
        on == Type::Pred
    }

    fn examples() -> Vec<(Self, [Type; 3], Type)> {
        [Type::F32, Type::U8, Type::C128].map(|ty| (Self, [Type::Pred, ty, ty], ty)).to_vec()
    }

    fn benchmarks() -> Vec<(&'static str, Self, [Type; 3], Type)> {
        vec![("select, 1M", Self, [Type::Pred, Type::F32, Type::F32], Type::F32)]
    }
}

impl Function<3> for Clamp {
    const NAME: &'static str = "clamp";

    fn examples() -> Vec<(Self, [Type; 3], Type)> {
        [Type::F32, Type::F16, Type::F64, Type::S32].map(|ty| (Self, [ty; 3], ty)).to_vec()
    }

    fn benchmarks() -> Vec<(&'static str, Self, [Type; 3], Type)> {
        vec![("clamp, 1M", Self, [Type::F32; 3], Type::F32)]
    }
}

impl Function<1> for Convert {
    const NAME: &'static str = "convert";

    fn examples() -> Vec<(Self, [Type; 1], Type)> {
        let types =
            [(Type::F32, Type::BF16), (Type::F16, Type::F64), (Type::S32, Type::F32), (Type::U8, Type::S64)];
        types.map(|(from, to)| (Self, [from], to)).to_vec()
    }

    fn benchmarks() -> Vec<(&'static str, Self, [Type; 1], Type)> {
        vec![("convert f32 → bf16, 1M", Self, [Type::F32], Type::BF16)]
    }
}
