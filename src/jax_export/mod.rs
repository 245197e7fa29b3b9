//! A program with its arguments and its values as files, with a script that runs it with XLA and compares.
//!
//! The script gets the program as `StableHLO`, which JAX compiles for any backend. All arrays of the entry computation become
//! results, so that the script can name the first instruction whose value differs.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::array::{ArrayLiteral, Literal};
use crate::experiment::needs::Needs;
use crate::files::write;
use crate::hlo::{Computation, InstructionId, Module, Outcome};
use crate::i18n::Message;
use crate::inspect::cut::{CutOptions, Results, cut};
use crate::ops::Data;
use crate::stablehlo;

/// The script.
const SCRIPT: &str = include_str!("run_on_jax.py");

/// Maximum bytes of all values that are compared.
pub const MAX_VALUE_BYTES: u64 = 1 << 30;

/// The description of the program that the script reads: `about.json`.
#[derive(Serialize)]
struct Manifest {
    replicas: usize,
    /// The name of the root; empty if it is not an array.
    root: String,
    /// The types of the arguments, as `NumPy` or `ml_dtypes` names them.
    arguments: Vec<&'static str>,
    /// The results of the program: names of instructions, and types.
    values: Vec<(String, &'static str)>,
}

/// The program that the script runs.
pub struct JaxProgram {
    text: String,
    /// The instructions whose values are its results.
    results: Vec<InstructionId>,
}

/// The exported files.
pub struct JaxFiles {
    /// Their names and contents. The first is the script.
    pub files: Vec<(&'static str, Vec<u8>)>,
    /// Whether all values are among them; else as many as [`MAX_VALUE_BYTES`] allows.
    pub is_complete: bool,
}

/// The arrays of an archive, with their names.
type NamedArrays<'a> = Vec<(String, &'a ArrayLiteral)>;

impl JaxProgram {
    /// The program with all arrays of its entry computation as results.
    ///
    /// # Errors
    ///
    /// A program that needs a host, that computes no array, or that `StableHLO` cannot express.
    pub fn new(module: &Module) -> Result<Self, Message> {
        let needs = Needs::new(module);
        if !needs.items.is_empty() || needs.outfeed || !needs.functions.is_empty() {
            return Err(Message::files("export-host"));
        }
        let (id, entry) = module.entry.zip(module.entry_computation()).ok_or_else(no_array)?;
        let arrays: BTreeSet<InstructionId> =
            entry.iter().filter(|(_, i)| i.shape.as_array().is_some()).map(|(id, _)| id).collect();
        // An unused tuple would become a result, too.
        let used = entry.iter().flat_map(|(_, instruction)| instruction.operands.iter().copied());
        let selection = arrays.iter().copied().chain(used).collect();
        let options = CutOptions { max_constant_elements: 0, keeps_annotations: false };
        let found = cut(module, id, &selection, &Results::Selected(arrays), &options, |_| None)
            .map_err(|_| no_array())?;
        let program = &found.program.module;
        let new_entry = program.entry_computation().ok_or_else(no_array)?;
        let root = new_entry.root.ok_or_else(no_array)?;
        let origin = |id: &InstructionId| found.origins.get(id.index()).copied().flatten();
        // With a single result, the root is that result, not a tuple.
        let results = match origin(&root) {
            Some(only) => vec![only],
            None => {
                new_entry.get(root).into_iter().flat_map(|tuple| &tuple.operands).filter_map(origin).collect()
            }
        };
        match stablehlo::print(program) {
            Ok(text) => Ok(Self { text, results }),
            Err(errors) => Err(errors.into_iter().next().map_or_else(no_array, |error| error.message)),
        }
    }

    /// The files of a run, given each device's arguments and outcome.
    ///
    /// # Errors
    ///
    /// A program without an entry computation, or that was partitioned for these devices; arguments or values that are too large for an
    /// archive.
    pub fn files(
        &self,
        module: &Module,
        arguments: &[Vec<Literal>],
        outcomes: &[Outcome],
    ) -> Result<JaxFiles, Message> {
        let entry = module.entry_computation().ok_or_else(no_array)?;
        if arguments.len() > 1 && module.partitions() > 1 {
            return Err(Message::files("export-partitions").with("partitions", module.partitions()));
        }
        let manifest = self.manifest(entry, arguments);
        let manifest = serde_json::to_vec_pretty(&manifest).map_err(|_| too_large())?;
        let (values, is_complete) = self.named_values(entry, outcomes);
        let archive = |named: &NamedArrays<'_>| {
            let archive = write::npz(named.iter().map(|(name, array)| (name.clone(), *array)));
            archive.ok().flatten().ok_or_else(too_large)
        };
        let files = vec![
            ("run.py", SCRIPT.as_bytes().to_vec()),
            ("program.mlir", self.text.as_bytes().to_vec()),
            ("about.json", manifest),
            ("arguments.npz", archive(&named_arguments(arguments))?),
            ("values.npz", archive(&values)?),
        ];
        Ok(JaxFiles { files, is_complete })
    }

    fn manifest(&self, entry: &Computation, arguments: &[Vec<Literal>]) -> Manifest {
        let dtype = |array: &ArrayLiteral| write::dtype_name(array.element_type());
        let first_device_arguments = arguments.first().into_iter().flatten();
        let values = self.results.iter().filter_map(|id| {
            let instruction = entry.get(*id)?;
            let array = instruction.shape.as_array()?;
            Some((instruction.name.clone(), write::dtype_name(array.element_type)))
        });
        let root = entry.root.filter(|root| self.results.contains(root)).and_then(|root| entry.get(root));
        Manifest {
            replicas: arguments.len(),
            root: root.map(|root| root.name.clone()).unwrap_or_default(),
            arguments: first_device_arguments.filter_map(Literal::as_array).map(dtype).collect(),
            values: values.collect(),
        }
    }

    /// The values by instruction and replica, and whether these are all.
    fn named_values<'a>(&self, entry: &Computation, outcomes: &'a [Outcome]) -> (NamedArrays<'a>, bool) {
        let (mut named, mut bytes) = (NamedArrays::new(), 0);
        for id in &self.results {
            let Some(instruction) = entry.get(*id) else { continue };
            for (replica, outcome) in outcomes.iter().enumerate() {
                let Some(array) = outcome.values.get(*id).and_then(Data::as_array) else { continue };
                bytes += array.held_bytes();
                if bytes > MAX_VALUE_BYTES {
                    return (named, false);
                }
                named.push((format!("{}@{replica}", instruction.name), array));
            }
        }
        (named, true)
    }
}

/// The message that the program computes no array.
fn no_array() -> Message {
    Message::files("export-nothing")
}

/// The message that the files would be too large.
pub fn too_large() -> Message {
    Message::files("export-large")
}

fn named_arguments(arguments: &[Vec<Literal>]) -> NamedArrays<'_> {
    let mut named = NamedArrays::new();
    for (replica, arguments) in arguments.iter().enumerate() {
        for (parameter, argument) in arguments.iter().enumerate() {
            named.extend(argument.as_array().map(|array| (format!("{parameter}@{replica}"), array)));
        }
    }
    named
}
