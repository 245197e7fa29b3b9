//! Divides the landing page's program: what only its extras reach becomes a file of its own, which the page loads when it is first
//! asked for a dialog or a comparison.
//!
//! The program is compiled and linked as one, with its relocations, which say where functions and data are named. So the
//! tool knows what each part reaches: the file has only what the page's module does not have, shares its memory, and takes from
//! it what both need. `src/main.rs` has the boundary, `src/app/layout/extras` loads the file.

use std::env;
use std::fs;
use std::path::Path;

use crate::Result;
use crate::bindings::with_imports_named;
use crate::process::Process;

/// The environment variable with the folder of the compiled programs, where it is not that of Trunk's profile.
pub const FOLDER: &str = "XLA_PLAYGROUND_PROGRAMS";

/// The divided program, and the name of its second file.
const PROGRAM: &str = "app";
const EXTRAS: &str = "extras";
const OUT: &str = "target/xtask/division";

/// The module from which wasm-bindgen's runtime imports, the function that counts its constants, and those that nothing calls, which
/// less optimized builds import too.
const RUNTIME: &str = "__wbindgen_externref_xform__";
const COUNT: &str = "__wbindgen_externref_statics_end";
const UNUSED: [&str; 2] = ["__wbindgen_externref_table_grow", "__wbindgen_externref_table_set_null"];

/// The function by whose calls wasm-bindgen finds what it is to replace, and the name by which the tool knows that its callers
/// belong into the page's module, where wasm-bindgen looks.
const MARKER: &str = "__wbindgen_describe_generic_import";
const KNOWN_MARKER: &str = "__wbindgen_describe_cast";

/// What the optimizer may take for granted in both files.
const FEATURES: &str = "--enable-bulk-memory --enable-multivalue --enable-mutable-globals --enable-nontrapping-float-to-int \
    --enable-reference-types --enable-sign-ext";
const OPTIMIZE: &str = "--low-memory-unused --flatten --rereloop -Oz -Oz --one-caller-inline-max-function-size=30 --reorder-locals \
    --optimize-added-constants --strip-debug --strip-producers --strip-target-features";

/// Replaces the program in the site that Trunk is building by its two parts.
pub fn divide(site: &Path) -> Result<()> {
    let profile = env::var("TRUNK_PROFILE").unwrap_or_default();
    let folder = env::var(FOLDER).unwrap_or_else(|_| profile.clone());
    let program =
        Path::new("target/wasm32-unknown-unknown").join(folder).join(PROGRAM).with_extension("wasm");
    let out = Path::new(OUT);
    fs::create_dir_all(out)?;
    let whole = out.join("whole.wasm");
    rename_import(&program, &whole, MARKER, KNOWN_MARKER)?;
    Process::new("wasm_split_cli")?.arg(whole).arg(out).run()?;
    let main = out.join("main.wasm");
    rename_import(&main, &main, KNOWN_MARKER, MARKER)?;
    let bind = Process::new("wasm-bindgen")?
        .line("--target web --no-typescript --keep-lld-exports --out-name")
        .arg(PROGRAM)
        .arg("--out-dir");
    bind.arg(out).arg(&main).run()?;
    let script = format!("{PROGRAM}.js");
    let bound = with_count(&fs::read_to_string(out.join(&script))?);
    fs::write(site.join(&script), bound.map_err(|error| format!("{script}: {error}"))?)?;
    let code = format!("{PROGRAM}_bg.wasm");
    let extras = format!("{EXTRAS}.wasm");
    for (from, to) in [(code.clone(), code), (format!("split_{extras}"), extras)] {
        let (from, to) = (out.join(from), site.join(to));
        if profile == "release" {
            let optimize = Process::new("wasm-opt")?.line(FEATURES).line(OPTIMIZE);
            optimize.arg(from).arg("-o").arg(to).run()?;
        } else {
            fs::copy(from, to)?;
        }
    }
    Ok(())
}

/// Copies a module with another name for an import.
fn rename_import(from: &Path, to: &Path, old: &str, new: &str) -> Result<()> {
    let renamed =
        with_imports_named(&fs::read(from)?, &mut |name| if name == old { new } else { name }.to_owned());
    Ok(fs::write(to, renamed.map_err(|error| format!("{}: {error}", from.display()))?)?)
}

/// The script with an answer to the runtime's import.
///
/// The tool keeps wasm-bindgen from reference types: with them wasm-bindgen rewrites the calls of imports, but not those of the second
/// file, which go through the table. Without them it leaves this import open, although its own script has the number.
fn with_count(script: &str) -> Result<String> {
    let count = script.split("if (idx < ").nth(1).and_then(|rest| rest.split_once(") return;"));
    let count =
        count.and_then(|(count, _)| count.parse::<u32>().ok()).ok_or("states no number of constants")?;
    let (imports, body): (Vec<&str>, Vec<&str>) =
        script.lines().partition(|line| line.starts_with("import "));
    let [import] = imports.as_slice() else {
        return Err(format!("has {} imports, not one", imports.len()).into());
    };
    let name = import.strip_prefix("import * as ").and_then(|rest| rest.split_once(" from "));
    let (name, _) = name.filter(|(_, from)| from.contains(RUNTIME)).ok_or("imports another file")?;
    let open = format!("\"{RUNTIME}\": {name},");
    let body = body.join("\n");
    if !body.contains(&open) {
        return Err(format!("does not pass `{name}` on").into());
    }
    let unused = UNUSED.map(|name| format!("{name}: function() {{}},\n")).concat();
    let closed = format!("\"{RUNTIME}\": {{\n{COUNT}: function() {{ return {count}; }},\n{unused}}},");
    Ok(body.replace(&open, &closed) + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "import * as import1 from \"__wbindgen_externref_xform__\"\n\
        f({ \"./app_bg.js\": import0, \"__wbindgen_externref_xform__\": import1,\n });\n\
        function g(idx) {\nif (idx < 1028) return;\n}\n";

    #[test]
    fn the_runtime_gets_the_number_of_the_script() {
        let script = with_count(SCRIPT).unwrap();
        assert!(
            script.contains("\n__wbindgen_externref_statics_end: function() { return 1028; },\n"),
            "{script}"
        );
        assert!(!script.contains("import1"), "{script}");
    }

    #[test]
    fn a_script_of_another_wasm_bindgen_is_refused() {
        assert!(with_count(&SCRIPT.replace("idx < 1028", "index < 1028")).is_err());
        assert!(with_count(&SCRIPT.replace("import1,", "import2,")).is_err());
        assert!(with_count(&SCRIPT.replace("externref_xform__\"\n", "else\"\n")).is_err());
        assert!(with_count(&format!("import \"./other.js\";\n{SCRIPT}")).is_err());
    }
}
