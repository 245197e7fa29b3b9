//! Code splitting of the landing page's program: code that only the dialogs and the comparison reach is moved to a second
//! WebAssembly file, which the page loads on first use.
//!
//! The program is compiled and linked as a whole, with relocations, from which `wasm_split_cli` knows the functions and data
//! that each part references. The second file contains only code that the page's module does not need, shares its memory,
//! and imports common functions from it. The split point is in `src/main.rs`; `src/app/layout/extras` loads the file.

use std::env;
use std::fs;
use std::path::Path;

use crate::Result;
use crate::import_names::with_renamed_imports;
use crate::process::Process;

/// The environment variable with the folder of the Cargo profile that the programs were compiled with, below
/// `target/wasm32-unknown-unknown`, if it is not that of Trunk's profile.
pub const PROFILE_FOLDER_VARIABLE: &str = "XLA_PLAYGROUND_PROGRAMS";

/// The program to split, and the name of its second file.
const PROGRAM: &str = "app";
const EXTRAS: &str = "extras";
const OUT: &str = "target/xtask/code_splitting";

/// The module from which wasm-bindgen's runtime imports its functions: the one that returns the number of its constants, and
/// functions that are never called, which less optimized builds import too.
const RUNTIME_MODULE: &str = "__wbindgen_externref_xform__";
const CONSTANT_COUNT_FUNCTION: &str = "__wbindgen_externref_statics_end";
const UNCALLED_FUNCTIONS: [&str; 2] =
    ["__wbindgen_externref_table_grow", "__wbindgen_externref_table_set_null"];

/// The import whose calls wasm-bindgen replaces. `wasm_split_cli` must leave its callers in the page's module, where
/// wasm-bindgen finds them; it does so only for callers of the second name.
const DESCRIBE_IMPORT: &str = "__wbindgen_describe_generic_import";
const PINNED_DESCRIBE_IMPORT: &str = "__wbindgen_describe_cast";

/// The WebAssembly features that both files may use, and the options of the optimizer. Functions are sorted by name: those of one type
/// and the instances of generic ones then are neighbours, which compresses better than sorting by the number of calls.
const WASM_OPT_FEATURES: &str = "--enable-bulk-memory --enable-multivalue --enable-mutable-globals --enable-nontrapping-float-to-int \
    --enable-reference-types --enable-sign-ext";
const WASM_OPT_OPTIONS: &str = "--low-memory-unused --flatten --rereloop -Oz -Oz -Oz -Oz \
    --one-caller-inline-max-function-size=30 --reorder-functions-by-name --reorder-locals --optimize-added-constants \
    --strip-debug --strip-producers --strip-target-features";

/// Replaces the program in the site that Trunk is building by its two files.
pub fn split(site: &Path) -> Result<()> {
    let profile = env::var("TRUNK_PROFILE").unwrap_or_default();
    let profile_folder = env::var(PROFILE_FOLDER_VARIABLE).unwrap_or_else(|_| profile.clone());
    let program =
        Path::new("target/wasm32-unknown-unknown").join(profile_folder).join(PROGRAM).with_extension("wasm");
    let out = Path::new(OUT);
    fs::create_dir_all(out)?;
    let whole = out.join("whole.wasm");
    rename_import(&program, &whole, DESCRIBE_IMPORT, PINNED_DESCRIBE_IMPORT)?;
    Process::new("wasm_split_cli")?.arg(whole).arg(out).run()?;
    let main = out.join("main.wasm");
    rename_import(&main, &main, PINNED_DESCRIBE_IMPORT, DESCRIBE_IMPORT)?;
    let bind = Process::new("wasm-bindgen")?
        .args("--target web --no-typescript --keep-lld-exports --out-name")
        .arg(PROGRAM)
        .arg("--out-dir");
    bind.arg(out).arg(&main).run()?;
    let script = format!("{PROGRAM}.js");
    let bound = with_constant_count(&fs::read_to_string(out.join(&script))?);
    fs::write(site.join(&script), bound.map_err(|error| format!("{script}: {error}"))?)?;
    let code = format!("{PROGRAM}_bg.wasm");
    let extras = format!("{EXTRAS}.wasm");
    for (from, to) in [(code.clone(), code), (format!("split_{extras}"), extras)] {
        let (from, to) = (out.join(from), site.join(to));
        if profile == "release" {
            let optimize = Process::new("wasm-opt")?.args(WASM_OPT_FEATURES).args(WASM_OPT_OPTIONS);
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
        with_renamed_imports(&fs::read(from)?, &mut |name| if name == old { new } else { name }.to_owned());
    Ok(fs::write(to, renamed.map_err(|error| format!("{}: {error}", from.display()))?)?)
}

/// The script with a definition of the runtime's import.
///
/// `wasm_split_cli` disables reference types in wasm-bindgen: with them, wasm-bindgen rewrites calls of imports, but not
/// those from the second file, which are indirect. Without them it leaves this import undefined, although its script
/// contains the number.
fn with_constant_count(script: &str) -> Result<String> {
    let count = script.split("if (idx < ").nth(1).and_then(|rest| rest.split_once(") return;"));
    let count =
        count.and_then(|(count, _)| count.parse::<u32>().ok()).ok_or("states no number of constants")?;
    let (imports, body): (Vec<&str>, Vec<&str>) =
        script.lines().partition(|line| line.starts_with("import "));
    let [import] = imports.as_slice() else {
        return Err(format!("has {} imports, not one", imports.len()).into());
    };
    let binding = import.strip_prefix("import * as ").and_then(|rest| rest.split_once(" from "));
    let (binding, _) =
        binding.filter(|(_, from)| from.contains(RUNTIME_MODULE)).ok_or("imports another file")?;
    let undefined = format!("\"{RUNTIME_MODULE}\": {binding},");
    let body = body.join("\n");
    if !body.contains(&undefined) {
        return Err(format!("does not pass `{binding}` to the module").into());
    }
    let uncalled = UNCALLED_FUNCTIONS.map(|name| format!("{name}: function() {{}},\n")).concat();
    let defined = format!(
        "\"{RUNTIME_MODULE}\": {{\n{CONSTANT_COUNT_FUNCTION}: function() {{ return {count}; }},\n{uncalled}}},"
    );
    Ok(body.replace(&undefined, &defined) + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "import * as import1 from \"__wbindgen_externref_xform__\"\n\
        f({ \"./app_bg.js\": import0, \"__wbindgen_externref_xform__\": import1,\n });\n\
        function g(idx) {\nif (idx < 1028) return;\n}\n";

    #[test]
    fn the_constant_count_is_taken_from_the_script() {
        let script = with_constant_count(SCRIPT).unwrap();
        assert!(
            script.contains("\n__wbindgen_externref_statics_end: function() { return 1028; },\n"),
            "{script}"
        );
        assert!(!script.contains("import1"), "{script}");
    }

    #[test]
    fn a_script_of_another_wasm_bindgen_is_rejected() {
        assert!(with_constant_count(&SCRIPT.replace("idx < 1028", "index < 1028")).is_err());
        assert!(with_constant_count(&SCRIPT.replace("import1,", "import2,")).is_err());
        assert!(with_constant_count(&SCRIPT.replace("externref_xform__\"\n", "else\"\n")).is_err());
        assert!(with_constant_count(&format!("import \"./other.js\";\n{SCRIPT}")).is_err());
    }
}
