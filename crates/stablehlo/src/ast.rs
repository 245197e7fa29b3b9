//! The syntax tree. The custom and the generic form of an op result in the same node, with the attributes of the generic form.

use xla_array::ElementType;
use xla_messages::diagnostic::Span;

/// The type of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// `tensor<2x?xf32>`: sizes with whether they are bounds, and -1 for an unbounded one.
    Tensor(Vec<(i64, bool)>, ElementType),
    /// `tuple<…>`.
    Tuple(Vec<Type>),
    /// `!stablehlo.token`.
    Token,
}

impl Type {
    /// The sizes of a tensor.
    pub fn sizes(&self) -> Vec<i64> {
        match self {
            Self::Tensor(dims, _) => dims.iter().map(|dim| dim.0).collect(),
            Self::Tuple(_) | Self::Token => Vec::new(),
        }
    }

    /// The element type of a tensor.
    pub fn element(&self) -> Option<ElementType> {
        if let Self::Tensor(_, element) = self { Some(*element) } else { None }
    }

    /// A tensor with other sizes.
    pub fn with_sizes(&self, sizes: &[i64]) -> Self {
        match self {
            Self::Tensor(_, element) => {
                Self::Tensor(sizes.iter().map(|size| (*size, false)).collect(), *element)
            }
            other => other.clone(),
        }
    }

    /// A tensor with another element type.
    pub fn with_element(&self, element: ElementType) -> Self {
        match self {
            Self::Tensor(dims, _) => Self::Tensor(dims.clone(), element),
            other => other.clone(),
        }
    }

    /// Its shape in HLO text, with the default layout.
    pub fn shape(&self) -> String {
        match self {
            Self::Token => "token[]".to_owned(),
            Self::Tuple(types) => tuple_shape(types),
            Self::Tensor(dims, element) => {
                let sizes: Vec<String> = dims
                    .iter()
                    .map(|(size, is_bound)| match (size, is_bound) {
                        (-1, _) => "?".to_owned(),
                        (size, true) => format!("<={size}"),
                        (size, false) => size.to_string(),
                    })
                    .collect();
                let layout: Vec<String> = (0..dims.len()).rev().map(|d| d.to_string()).collect();
                let layout =
                    if layout.is_empty() { String::new() } else { format!("{{{}}}", layout.join(",")) };
                format!("{}[{}]{layout}", element.name(), sizes.join(","))
            }
        }
    }
}

/// The shape of a tuple in HLO text.
pub fn tuple_shape(types: &[Type]) -> String {
    let shapes: Vec<String> = types.iter().map(Type::shape).collect();
    format!("({})", shapes.join(", "))
}

/// An attribute's value.
#[derive(Clone, Debug)]
pub enum Attr<'s> {
    /// A number or a word, as written: `1`, `true`, `e5m10`, `DEFAULT`.
    Word(&'s str),
    /// A string, without quotation marks and with its escapes.
    String(&'s str),
    /// A symbol, without `@` and quotation marks.
    Symbol(&'s str),
    /// `[…]` and `array<i64: …>`.
    List(Vec<Attr<'s>>),
    /// The text within `dense<…>`, and its type.
    Dense(&'s str, Type),
    /// The name within `dense_resource<…>`, and its type.
    Resource(&'s str, Type),
    /// `{…}`.
    Dict(Vec<Named<'s>>),
    /// `#name<…>` and whatever else, as written.
    Text(&'s str),
    /// A type of a function: the types of its results.
    Function(Vec<Type>),
}

/// A named attribute.
#[derive(Clone, Debug)]
pub struct Named<'s> {
    /// Its name.
    pub name: &'s str,
    /// The value that is assigned to the name.
    pub value: Attr<'s>,
}

/// A use of a value.
#[derive(Clone, Copy, Debug)]
pub struct Use<'s> {
    /// Its name, with `%`.
    pub name: &'s str,
    /// Which result of its op.
    pub index: usize,
    /// Its position in the source.
    pub span: Span,
}

/// A block's argument.
#[derive(Clone, Debug)]
pub struct Argument<'s> {
    /// Its name, with `%`.
    pub name: &'s str,
    /// The type after the colon.
    pub ty: Type,
    /// Its attributes, named as in the generic form.
    pub attrs: Vec<Named<'s>>,
    /// The text of its `loc(…)`.
    pub location: Option<&'s str>,
    /// Its position in the source.
    pub span: Span,
}

/// A region of one block.
#[derive(Clone, Debug, Default)]
pub struct Region<'s> {
    /// The block's arguments.
    pub arguments: Vec<Argument<'s>>,
    /// The ops of the block.
    pub ops: Vec<Op<'s>>,
}

/// An op with its operands, attributes, regions and result types.
#[derive(Clone, Debug)]
pub struct Op<'s> {
    /// Its name with its dialect, `stablehlo.add`.
    pub name: &'s str,
    /// The position of its name.
    pub span: Span,
    /// The names of its results, with their numbers.
    pub results: Vec<(&'s str, usize)>,
    /// The values that it uses.
    pub operands: Vec<Use<'s>>,
    /// Its attributes, named as in the generic form.
    pub attrs: Vec<Named<'s>>,
    /// The regions that belong to it, such as a reducer.
    pub regions: Vec<Region<'s>>,
    /// The types of its results.
    pub types: Vec<Type>,
    /// The text of its `loc(…)`.
    pub location: Option<&'s str>,
}

impl<'s> Op<'s> {
    /// Whether it is this op of `StableHLO`, or of MHLO or CHLO, which have the same ops.
    pub fn is(&self, name: &str) -> bool {
        matches!(self.name.split_once('.'), Some(("stablehlo" | "mhlo" | "chlo", known)) if known == name)
    }

    /// The value of an attribute.
    pub fn attr(&self, name: &str) -> Option<&Attr<'s>> {
        self.attrs.iter().find(|attr| attr.name == name).map(|attr| &attr.value)
    }
}

/// A function of the module.
#[derive(Clone, Debug)]
pub struct Function<'s> {
    /// Its name, without `@`.
    pub name: &'s str,
    /// Whether it is marked public.
    pub is_public: bool,
    /// Its position in the source.
    pub span: Span,
    /// Its parameters and ops.
    pub body: Region<'s>,
    /// The number of its results.
    pub result_count: usize,
}

/// A parsed module.
#[derive(Clone, Debug, Default)]
pub struct Module<'s> {
    /// Its name.
    pub name: &'s str,
    /// Its attributes, named as in the generic form.
    pub attrs: Vec<Named<'s>>,
    /// The functions, in source order.
    pub functions: Vec<Function<'s>>,
    /// `#name = …`: names with `#`, and texts.
    pub aliases: Vec<(&'s str, &'s str)>,
    /// `sdy.mesh`: names, and the axes with their sizes.
    pub meshes: Vec<(&'s str, Vec<(&'s str, i64)>)>,
    /// `dialect_resources`: names, and texts without quotation marks.
    pub resources: Vec<(&'s str, &'s str)>,
}
