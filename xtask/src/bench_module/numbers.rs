//! Generates a JavaScript module with the numbers of tasks and enum values in serialized tasks, from the kernels' sources.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::Result;

/// The folder of the kernels' sources.
pub const SOURCES: &str = "crates/kernels/src";

/// The constants of the module, each with the file and the enum whose values it numbers.
const ENUMS: [(&str, &str, &str); 4] = [
    ("TYPE", "support/element.rs", "Type"),
    ("REDUCER", "description/parts.rs", "Reducer"),
    ("UNARY", "map/task.rs", "Unary"),
    ("BINARY", "map/task.rs", "Binary"),
];

/// The source of the module: a constant with names and numbers for the tasks, and one for each enum.
pub fn module(sources: &Path) -> Result<String> {
    let read = |file: &str| {
        let path = sources.join(file);
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let mut module = constant_line("TASK", tasks(&read("registry.rs")?))?;
    for (name, file, enum_name) in ENUMS {
        module += &constant_line(name, values(&read(file)?, enum_name).into_iter().zip(0..))?;
    }
    Ok(module)
}

fn constant_line<'a>(name: &str, numbers: impl IntoIterator<Item = (&'a str, u32)>) -> Result<String> {
    let mut line = format!("export const {name} = {{");
    for (i, (key, number)) in numbers.into_iter().enumerate() {
        write!(line, "{} {key}: {number}", if i == 0 { "" } else { "," })?;
    }
    if line.ends_with('{') { Err(format!("{name}: no value found").into()) } else { Ok(line + " };\n") }
}

/// The tasks in the registry's source with their numbers: `("Dot", 3)` for the line `3 Dot(…) "…" => …;`.
fn tasks(source: &str) -> Vec<(&str, u32)> {
    let entries =
        source.split("\ntasks! {").nth(1).and_then(|rest| rest.split("\n}").next()).unwrap_or_default();
    entries
        .lines()
        .filter_map(|line| {
            let (number, rest) = line.trim().split_once(' ')?;
            Some((rest.split_once('(')?.0, number.parse().ok()?))
        })
        .collect()
}

/// The values of an enum, in the order of its `ALL`; empty if the source has no such enum.
fn values<'a>(source: &'a str, enum_name: &str) -> Vec<&'a str> {
    let all =
        source.split(&format!("\nimpl {enum_name} {{")).nth(1).and_then(|rest| rest.split("ALL: [").nth(1));
    let list = all.and_then(|rest| rest.split("= [").nth(1)).and_then(|rest| rest.split(']').next());
    let items = list.unwrap_or_default().split(',').map(str::trim);
    items.filter_map(|item| item.strip_prefix("Self::")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_task_numbers_and_enum_values() {
        let registry =
            "x\ntasks! {\n    0 Dot(crate::Dot) \"Sums.\" => K;\n    7 Map(Map<F, 2>) \"A (b).\" => M;\n}\n";
        assert_eq!(tasks(registry), [("Dot", 0), ("Map", 7)]);
        let source = "enum A { X, Y }\n\nimpl A {\n    pub const ALL: [Self; 2] = [Self::X, Self::Y];\n}\n";
        assert_eq!(values(source, "A"), ["X", "Y"]);
        assert!(values(source, "B").is_empty());
    }

    #[test]
    fn every_number_that_the_script_uses_exists() {
        let module = module(&Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name(SOURCES)).unwrap();
        let script = super::super::TASKS;
        let mut checked = 0;
        for name in ["TASK"].into_iter().chain(ENUMS.map(|(name, ..)| name)) {
            let line = module.lines().find(|line| line.contains(&format!(" {name} ="))).unwrap();
            for rest in script.split(&format!("{name}.")).skip(1) {
                let key = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap();
                assert!(line.contains(&format!(" {key}: ")), "{name}.{key}");
                checked += 1;
            }
        }
        assert!(checked > 20, "{checked}");
    }
}
