//! A file as arguments: which of its arrays is the argument of which parameter.
//!
//! The arrays of an archive belong to the parameters of their names; if no name fits, to the parameters in order. A single
//! array belongs to the parameter that the file is named like, or to the only one with its shape. Small arrays become
//! text, which a link can hold.

use super::argument_files::{OpenFile, Refusal, format, read, refusal};
use super::arguments::parameter_shapes;
use super::ids::name;
use super::wire::{Argument, ArgumentProblem, Assigned, FileArgument, FileRequest};
use crate::array::{Literal, Shape, shape_util};
use crate::experiment::arguments::one_line;
use crate::files::{ArgumentReader, Format};
use crate::hlo::{Instruction, InstructionId, Module};
use crate::i18n::{Language, Message};
use crate::inspect::compare::names::match_names;

/// Maximum elements of an array that becomes text.
const MAX_TYPED_ELEMENTS: i64 = 64;

/// Maximum bytes of the arrays that are read to become text.
const MAX_READ_BYTES: u64 = 1 << 20;

/// Maximum names that a sentence lists.
const MAX_LISTED: usize = 5;

/// The parameters of a program.
struct Parameters<'m> {
    instructions: Vec<(InstructionId, &'m Instruction)>,
    shapes: Vec<Shape>,
}

impl<'m> Parameters<'m> {
    fn of(module: &'m Module) -> Self {
        let entry = module.entry_computation();
        let ids = entry.into_iter().flat_map(|entry| &entry.parameters);
        let instructions = ids.filter_map(|id| Some((*id, entry?.get(*id)?))).collect();
        Self { instructions, shapes: parameter_shapes(module) }
    }

    /// The parameters by the names of arrays: for each that has one, the index of the name.
    fn by_name(&self, module: &Module, names: &[String]) -> Vec<Option<usize>> {
        let mut found = vec![None; self.shapes.len()];
        if let Some(entry) = module.entry_computation() {
            for (index, id) in match_names(entry, names).matched {
                let number = self.instructions.iter().position(|(parameter, _)| *parameter == id);
                if let Some(slot) = number.and_then(|number| found.get_mut(number)) {
                    *slot = Some(index);
                }
            }
        }
        // The name in the source program, e.g. of an argument of a function that JAX compiled.
        for (slot, (_, instruction)) in found.iter_mut().zip(&self.instructions) {
            let source_name = instruction.op_name().filter(|_| slot.is_none());
            if let Some(source_name) = source_name {
                *slot = names.iter().position(|name| plain(name) == source_name);
            }
        }
        found
    }
}

/// The name of an array without the extension of its file.
fn plain(name: &str) -> &str {
    name.strip_suffix(".npy").unwrap_or(name)
}

/// What a file is assigned to.
#[derive(Default)]
struct Assignment {
    /// The parameter, and the name of the array in an archive.
    arrays: Vec<(usize, Option<String>)>,
    problems: Vec<(Option<usize>, Message)>,
}

fn of_archive(
    module: &Module,
    parameters: &Parameters,
    request: &FileRequest,
    file: &mut OpenFile,
) -> Result<Assignment, Refusal> {
    let names = ArgumentReader::names(&request.file, &mut file.content).map_err(refusal)?;
    let by_name = parameters.by_name(module, &names);
    let mut found = Assignment::default();
    if let Some(number) = request.parameter {
        let position = by_name.get(number).copied().flatten().or_else(|| (names.len() == 1).then_some(0));
        if let Some(member) = position.and_then(|index| names.get(index)) {
            found.arrays.push((number, Some(member.clone())));
        } else {
            let message = Message::program("program-file-several")
                .with("file", request.file.as_str())
                .with("names", listed(names.iter().map(String::as_str)));
            found.problems.push((Some(number), message));
        }
        return Ok(found);
    }
    let is_by_name = by_name.iter().any(Option::is_some);
    let index_of = |number: usize| if is_by_name { by_name[number] } else { Some(number) };
    let mut is_used = vec![false; names.len()];
    for number in 0..parameters.shapes.len() {
        if let Some((index, member)) = index_of(number).and_then(|index| Some((index, names.get(index)?))) {
            is_used[index] = true;
            found.arrays.push((number, Some(member.clone())));
        }
    }
    let unused = names.iter().zip(&is_used).filter(|(_, is_used)| !**is_used);
    let unused: Vec<&str> = unused.map(|(name, _)| plain(name)).collect();
    if !unused.is_empty() {
        let message = Message::program("program-file-unused")
            .with("file", request.file.as_str())
            .with("names", listed(unused.iter().copied()));
        found.problems.push((None, message));
    }
    Ok(found)
}

/// The first names of a list.
fn listed<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let count = names.len();
    let mut first: Vec<&str> = names.take(MAX_LISTED).collect();
    if count > first.len() {
        first.push("…");
    }
    first.join(", ")
}

fn of_array(
    module: &Module,
    parameters: &Parameters,
    request: &FileRequest,
    file: &mut OpenFile,
    format: Format,
) -> Assignment {
    let stem = request.file.rsplit_once('.').map_or(request.file.as_str(), |(stem, _)| stem);
    let named = || parameters.by_name(module, &[stem.to_owned()]).iter().position(Option::is_some);
    let only = || (parameters.shapes.len() == 1).then_some(0);
    let number = request.parameter.or_else(named).or_else(only);
    let number = number.or_else(|| by_shape(parameters, request, file, format));
    let mut found = Assignment::default();
    if let Some(number) = number {
        found.arrays.push((number, None));
    } else {
        let message = Message::program("program-file-whose").with("file", request.file.as_str());
        found.problems.push((None, message));
    }
    found
}

/// The only parameter with the shape of an array.
fn by_shape(
    parameters: &Parameters,
    request: &FileRequest,
    file: &mut OpenFile,
    format: Format,
) -> Option<usize> {
    // Raw elements have no shape of their own.
    if format == Format::Raw {
        return None;
    }
    let mut reader = ArgumentReader::new(MAX_READ_BYTES.max(file.length), &|| false);
    let read = reader.read(&request.file, format, &mut file.content, Some(file.length), &[]).ok()?;
    let shape = read.first()?.shape();
    let mut fitting =
        (0..).zip(&parameters.shapes).filter(|(_, wanted)| shape_util::compatible(&shape, wanted));
    let (number, _) = fitting.next()?;
    fitting.next().is_none().then_some(number)
}

/// The value as text, if it is small.
fn typed(argument: &FileArgument, shape: &Shape, file: &mut OpenFile) -> Option<Result<Argument, Refusal>> {
    let elements = shape.as_array()?.elements()?;
    (elements <= MAX_TYPED_ELEMENTS).then(|| {
        let mut reader = ArgumentReader::new(MAX_READ_BYTES, &|| false);
        let value: Literal = read(argument, file, shape, &mut reader)?;
        Ok(Argument::Typed(one_line(&value)))
    })
}

/// The arguments of a program from a file.
pub(super) fn assign(
    module: &Module,
    request: &FileRequest,
    file: Option<OpenFile>,
    language: Language,
) -> Assigned {
    let parameters = Parameters::of(module);
    let mut answer = Assigned::default();
    let problem = |parameter: Option<usize>, message: &Message| ArgumentProblem {
        parameter,
        message: message.localize(language),
    };
    let Some(mut file) = file else { return answer };
    let assignment = match format(&request.file, &mut file) {
        Some(Format::Npz) => of_archive(module, &parameters, request, &mut file),
        Some(format) => Ok(of_array(module, &parameters, request, &mut file, format)),
        None => Err(("array-file", Message::files("file-format").with("file", request.file.as_str()))),
    };
    let assignment = match assignment {
        Ok(assignment) => assignment,
        Err((_, message)) => {
            answer.problems.push(problem(request.parameter, &message));
            return answer;
        }
    };
    answer.problems.extend(assignment.problems.iter().map(|(number, message)| problem(*number, message)));
    for (number, member) in assignment.arrays {
        let Some(shape) = parameters.shapes.get(number) else { continue };
        let argument = FileArgument { file: request.file.clone(), member, number: Some(request.number) };
        answer
            .parameters
            .push(parameters.instructions.get(number).map_or_else(String::new, |(id, i)| name(*id, i)));
        let value = match typed(&argument, shape, &mut file) {
            Some(Ok(value)) => value,
            Some(Err((_, message))) => {
                answer.problems.push(problem(Some(number), &message));
                Argument::File(argument)
            }
            None => Argument::File(argument),
        };
        answer.arguments.push((number, value));
    }
    answer
}
