//! Assigns the arrays of a file to the parameters of a program.
//!
//! The arrays of an archive belong to the parameters of their names; if no name fits, to the parameters in order. A single
//! array belongs to the parameter that the file is named after, else to the only parameter, else to the only one with its
//! shape. Small arrays become text, so that a link contains them.

use super::argument_files::{OpenFile, Rejection, format, read, rejection};
use super::arguments::parameter_shapes;
use super::wire::{Argument, ArgumentProblem, AssignedArguments, FileArgument, FileRequest};
use crate::array::{Literal, Shape, shape_util};
use crate::experiment::arguments::one_line;
use crate::files::{ArgumentReader, Format};
use crate::hlo::{Instruction, InstructionId, Module};
use crate::i18n::{Language, Message};
use crate::inspect::compare::names::match_names;

/// Maximum elements of an array that becomes text.
const MAX_TEXT_ELEMENTS: i64 = 64;

/// Maximum bytes of an array that is read to become text.
const MAX_TEXT_ARRAY_BYTES: u64 = 1 << 20;

/// Maximum names that a message lists.
const MAX_LISTED: usize = 5;

/// The parameters of a program.
struct Parameters<'m> {
    instructions: Vec<(InstructionId, &'m Instruction)>,
    shapes: Vec<Shape>,
}

impl<'m> Parameters<'m> {
    fn new(module: &'m Module) -> Self {
        let entry = module.entry_computation();
        let ids = entry.into_iter().flat_map(|entry| &entry.parameters);
        let instructions = ids.filter_map(|id| Some((*id, entry?.get(*id)?))).collect();
        Self { instructions, shapes: parameter_shapes(module) }
    }

    /// Matches parameters with the names of arrays: for each parameter, the index of its name, if there is one.
    fn match_names(&self, module: &Module, names: &[String]) -> Vec<Option<usize>> {
        let mut found = vec![None; self.shapes.len()];
        if let Some(entry) = module.entry_computation() {
            for (index, id) in match_names(entry, names).matched {
                let number = self.instructions.iter().position(|(parameter, _)| *parameter == id);
                if let Some(slot) = number.and_then(|number| found.get_mut(number)) {
                    *slot = Some(index);
                }
            }
        }
        // The others by their names in the source program, e.g. of the arguments of a function that JAX compiled.
        for (slot, (_, instruction)) in found.iter_mut().zip(&self.instructions) {
            let source_name = instruction.op_name().filter(|_| slot.is_none());
            if let Some(source_name) = source_name {
                *slot = names.iter().position(|name| without_extension(name) == source_name);
            }
        }
        found
    }
}

/// The name of an array in an archive, without the extension that `np.savez` adds.
fn without_extension(name: &str) -> &str {
    name.strip_suffix(".npy").unwrap_or(name)
}

/// The parameters that get the arrays of a file; the arrays are not read yet.
#[derive(Default)]
struct Assignment {
    /// Numbers of parameters, each with the name of its array in an archive.
    arrays: Vec<(usize, Option<String>)>,
    /// Problems, with the number of the parameter that they are about.
    problems: Vec<(Option<usize>, Message)>,
}

fn assign_archive(
    module: &Module,
    parameters: &Parameters,
    request: &FileRequest,
    file: &mut OpenFile,
) -> Result<Assignment, Rejection> {
    let names = ArgumentReader::names(&request.file, &mut file.content).map_err(rejection)?;
    let by_name = parameters.match_names(module, &names);
    let mut found = Assignment::default();
    if let Some(number) = request.parameter {
        let position = by_name.get(number).copied().flatten().or_else(|| (names.len() == 1).then_some(0));
        if let Some(member) = position.and_then(|index| names.get(index)) {
            found.arrays.push((number, Some(member.clone())));
        } else {
            let message = Message::program("program-file-several")
                .with("file", request.file.as_str())
                .with("names", name_list(names.iter().map(String::as_str)));
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
    let unused: Vec<&str> = unused.map(|(name, _)| without_extension(name)).collect();
    if !unused.is_empty() {
        let message = Message::program("program-file-unused")
            .with("file", request.file.as_str())
            .with("names", name_list(unused.iter().copied()));
        found.problems.push((None, message));
    }
    Ok(found)
}

/// The first [`MAX_LISTED`] names, as text.
fn name_list<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let count = names.len();
    let mut first: Vec<&str> = names.take(MAX_LISTED).collect();
    if count > first.len() {
        first.push("…");
    }
    first.join(", ")
}

fn assign_array(
    module: &Module,
    parameters: &Parameters,
    request: &FileRequest,
    file: &mut OpenFile,
    format: Format,
) -> Assignment {
    let stem = request.file.rsplit_once('.').map_or(request.file.as_str(), |(stem, _)| stem);
    let with_name = || parameters.match_names(module, &[stem.to_owned()]).iter().position(Option::is_some);
    let only_parameter = || (parameters.shapes.len() == 1).then_some(0);
    let number = request.parameter.or_else(with_name).or_else(only_parameter);
    let number = number.or_else(|| only_parameter_with_shape(parameters, request, file, format));
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
fn only_parameter_with_shape(
    parameters: &Parameters,
    request: &FileRequest,
    file: &mut OpenFile,
    format: Format,
) -> Option<usize> {
    // Raw elements have no shape of their own.
    if format == Format::Raw {
        return None;
    }
    // The reader knows the shape only with the elements, so all of them are read, however many there are.
    let max_bytes = file.length.max(MAX_TEXT_ARRAY_BYTES);
    let mut reader = ArgumentReader::new(max_bytes, &|| false);
    let read = reader.read(&request.file, format, &mut file.content, Some(file.length), &[]).ok()?;
    let shape = read.first()?.shape();
    let mut fitting =
        (0..).zip(&parameters.shapes).filter(|(_, wanted)| shape_util::compatible(&shape, wanted));
    let (number, _) = fitting.next()?;
    fitting.next().is_none().then_some(number)
}

/// The value as text, if it is small.
fn text_argument(
    argument: &FileArgument,
    shape: &Shape,
    file: &mut OpenFile,
) -> Option<Result<Argument, Rejection>> {
    let elements = shape.as_array()?.elements()?;
    (elements <= MAX_TEXT_ELEMENTS).then(|| {
        let mut reader = ArgumentReader::new(MAX_TEXT_ARRAY_BYTES, &|| false);
        let value: Literal = read(argument, file, shape, &mut reader)?;
        Ok(Argument::Text(one_line(&value)))
    })
}

/// Assigns the arrays of a file; nothing if there is no file.
pub(super) fn assign(
    module: &Module,
    request: &FileRequest,
    file: Option<OpenFile>,
    language: Language,
) -> AssignedArguments {
    let parameters = Parameters::new(module);
    let mut answer = AssignedArguments::default();
    let problem = |parameter: Option<usize>, message: &Message| ArgumentProblem {
        parameter,
        message: message.localize(language),
    };
    let Some(mut file) = file else { return answer };
    let assignment = match format(&request.file, &mut file) {
        Some(Format::Npz) => assign_archive(module, &parameters, request, &mut file),
        Some(format) => Ok(assign_array(module, &parameters, request, &mut file, format)),
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
            .push(parameters.instructions.get(number).map_or_else(String::new, |(id, i)| i.unique_name(*id)));
        let value = match text_argument(&argument, shape, &mut file) {
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
