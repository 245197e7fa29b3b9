//! Orders the dumps of a compiler by pass, from the names that XLA gives the files.
//!
//! `module_0001.jit_f.before_optimizations.txt`, `module_0001.jit_f.0003.simplification.after_dce.before_cse.txt`,
//! `module_0001.jit_f.cpu_after_optimizations.txt`. Other names are ordered by the numbers in them.

use std::collections::BTreeMap;

use super::changes::{Diff, diff};
use xla_hlo::Module;

/// A dump of a series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dump {
    /// The index of its file among the names given.
    pub file: usize,
    /// The index of the pass; `None` before and after all passes.
    pub pass_number: Option<u64>,
    /// The last pass that ran (`dce`), or the stage in the file's name (`before_optimizations`).
    pub label: String,
    /// The pipeline of the pass.
    pub pipeline: Option<String>,
}

/// The dumps of one module, the earliest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// The name that the files have in common: `module_0001.jit_f`.
    pub module: String,
    /// The dumps.
    pub dumps: Vec<Dump>,
}

/// The stage of a dump, in order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Before,
    Pass(u64),
    Other(Vec<Chunk>),
    After,
}

/// A chunk of a name: digits compare as a number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Chunk {
    Number(u64),
    Text(String),
}

/// Splits text into numbers and other text.
fn chunks(text: &str) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_digit = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != is_digit).unwrap_or(rest.len());
        let (chunk, after) = rest.split_at(end);
        // A number of more than 64 bits is text.
        let number = chunk.parse().ok().filter(|_| is_digit);
        chunks.push(number.map_or_else(|| Chunk::Text(chunk.to_owned()), Chunk::Number));
        rest = after;
    }
    chunks
}

/// The name of a module, ordered by its numbers.
type ModuleName = (Vec<Chunk>, String);

/// Orders the names of files, which may have folders, into the series of each module.
///
/// ```
/// use xla_inspect::compare::series::order_dumps;
///
/// let files = ["d/module_0001.f.cpu_after_optimizations.txt", "d/module_0001.f.0002.p.after_cse.before_dce.txt",
///     "d/module_0001.f.before_optimizations.txt", "d/module_0001.f.0001.p.after_dce.before_cse.txt"];
/// let series = order_dumps(&files);
/// let labels: Vec<&str> = series[0].dumps.iter().map(|dump| dump.label.as_str()).collect();
/// assert_eq!(labels, ["before_optimizations", "dce", "cse", "cpu_after_optimizations"]);
/// ```
pub fn order_dumps<S: AsRef<str>>(files: &[S]) -> Vec<Series> {
    let mut by_module: BTreeMap<ModuleName, Vec<(Stage, Dump)>> = BTreeMap::new();
    for (file, name) in files.iter().enumerate() {
        let (module, stage, dump) = parse_file_name(file, name.as_ref());
        by_module.entry((chunks(&module), module)).or_default().push((stage, dump));
    }
    let series = by_module.into_iter().map(|((_, module), mut dumps)| {
        dumps.sort_by(|(a, x), (b, y)| (a, x.file).cmp(&(b, y.file)));
        Series { module, dumps: dumps.into_iter().map(|(_, dump)| dump).collect() }
    });
    series.collect()
}

/// The differences between the adjacent modules of a series: one less than modules. Each is computed when the iterator reaches it.
pub fn pass_diffs<'m>(modules: &'m [&'m Module]) -> impl Iterator<Item = Diff> + 'm {
    modules
        .windows(2)
        .filter_map(|pair| if let [before, after] = pair { Some(diff(before, after)) } else { None })
}

/// Parses a file's name: the module, the stage and the dump.
fn parse_file_name(file: usize, name: &str) -> (String, Stage, Dump) {
    let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = [".txt", ".hlo", ".mlir"].iter().find_map(|end| base.strip_suffix(end)).unwrap_or(base);
    let fields: Vec<&str> = stem.split('.').collect();
    let module_end = fields.iter().skip(1).position(|field| is_stage(field) || is_number(field));
    // `sm_8.0_gpu_after_optimizations` is one stage.
    let starts_within = |end: usize| {
        fields.get(end).is_some_and(|f| !is_number(f) && f.starts_with(|c: char| c.is_ascii_digit()))
    };
    let module_end = module_end.map(|position| position + 1);
    let Some(end) = module_end.map(|end| if end > 1 && starts_within(end) { end - 1 } else { end }) else {
        let dump = Dump { file, pass_number: None, label: stem.to_owned(), pipeline: None };
        return (String::new(), Stage::Other(chunks(stem)), dump);
    };
    let (module, rest) = fields.split_at(end);
    let dump = |label: &str| Dump { file, pass_number: None, label: label.to_owned(), pipeline: None };
    let module = module.join(".");
    if let [number, pipeline, passes @ ..] = rest
        && let (true, Ok(number)) = (is_number(number), number.parse::<u64>())
    {
        let after = passes.iter().find_map(|field| field.strip_prefix("after_"));
        let label = after.map_or_else(|| passes.join("."), str::to_owned);
        let pipeline = Some((*pipeline).to_owned());
        return (module, Stage::Pass(number), Dump { pass_number: Some(number), pipeline, ..dump(&label) });
    }
    let text = rest.join(".");
    let stage = if text.ends_with("before_optimizations") {
        Stage::Before
    } else if text.ends_with("after_optimizations") {
        Stage::After
    } else {
        Stage::Other(chunks(&text))
    };
    (module, stage, dump(&text))
}

fn is_number(field: &str) -> bool {
    !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_stage(field: &str) -> bool {
    field.ends_with("before_optimizations") || field.contains("after_optimizations")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_and_passes_are_in_order() {
        let files = [
            "module_0010.jit_g.before_optimizations.txt",
            "module_0002.jit_f.0010.p.after_b.before_c.txt",
            "module_0002.jit_f.0009.p.after_pipeline-start.before_b.txt",
            "module_0002.jit_f.sm_8.0_gpu_after_optimizations.txt",
            "module_0002.jit_f.before_optimizations.txt",
            "b.hlo",
            "a10.hlo",
            "a9.hlo",
        ];
        let found = order_dumps(&files);
        let summary: Vec<(&str, Vec<usize>)> =
            found.iter().map(|s| (s.module.as_str(), s.dumps.iter().map(|d| d.file).collect())).collect();
        assert_eq!(
            summary,
            [("", vec![7, 6, 5]), ("module_0002.jit_f", vec![4, 2, 1, 3]), ("module_0010.jit_g", vec![0])]
        );
        let pass = &found[1].dumps[1];
        assert_eq!((pass.pass_number, pass.label.as_str()), (Some(9), "pipeline-start"));
        assert_eq!(pass.pipeline.as_deref(), Some("p"));
    }

    #[test]
    fn each_step_of_a_series_has_its_differences() {
        let parse =
            |body: &str| xla_hlo::parse(&format!("HloModule m ENTRY e {{ {body} }}")).into_module().unwrap();
        let first = parse("x = f32[2] parameter(0) c = copy(x) ROOT y = negate(c)");
        let second = parse("x = f32[2] parameter(0) ROOT y = negate(x)");
        let counts: Vec<usize> =
            pass_diffs(&[&first, &second, &second]).map(|diff| diff.changes.len()).collect();
        assert_eq!(counts, [2, 0]);
    }

    #[test]
    fn any_name_is_ordered() {
        for name in ["", ".", "..", "1", "module_1.2", "/", "99999999999999999999999", "é.1.ü"] {
            assert_eq!(order_dumps(&[name]).iter().map(|s| s.dumps.len()).sum::<usize>(), 1, "{name}");
        }
    }
}
