//! Minifies the modules' scripts and the style sheets of a release, and bundles scripts that import others.
//!
//! Trunk's own minifier does not read the JavaScript of this wasm-bindgen.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::Result;
use crate::process::Process;

/// The folder of the files before and after.
const FOLDER: &str = "target/xtask/minify";

/// What the scripts of wasm-bindgen have and the site does not need, each with its replacement: a second way to start, a check of how
/// the first one is called, and a warning that browsers give, too.
const UNNEEDED: [(&str, &str); 3] = [
    ("export { initSync, __wbg_init as default };", "export { __wbg_init as default };"),
    (
        "console.warn('using deprecated parameters for the initialization function; pass a single object instead')",
        "0",
    ),
    (
        "\"`WebAssembly.instantiateStreaming` failed because your server does not serve Wasm with `application/wasm` MIME type. \
         Falling back to `WebAssembly.instantiate` which is slower. Original error:\\n\", ",
        "",
    ),
];

/// The function that writes a value into the message of a panic. It tells twelve kinds of values apart, of which the site has errors.
const DEBUG_FUNCTION: &str = "function debugString(val) {\n";
/// The end of a function at the outermost level.
const FUNCTION_END: &str = "\n}\n";
/// What replaces its body: an error with its stack, and any other value as text.
const DEBUG_BODY: &str = "try { return String(val instanceof Error ? `${val}\\n${val.stack}` : val); } catch { return typeof val; }";

/// A script of wasm-bindgen without what the site does not need.
fn without_unneeded(script: &str) -> String {
    let script = UNNEEDED.iter().fold(script.to_owned(), |script, (from, to)| script.replace(from, to));
    let Some((before, rest)) = script.split_once(DEBUG_FUNCTION) else { return script };
    let Some((_, after)) = rest.split_once(FUNCTION_END) else { return script };
    [before, DEBUG_FUNCTION, DEBUG_BODY, FUNCTION_END, after].concat()
}

/// Writes a script and what it imports as one minified module.
pub fn bundle(script: &Path, out: &Path) -> Result<()> {
    Process::new("esbuild")?
        .args("--bundle --minify --format=esm --target=es2022 --charset=utf8 --log-level=error")
        .arg(script)
        .arg(format!("--outfile={}", out.display()))
        .run()
}

/// Minifies the script of every module (`x.js` where there is `x_bg.wasm`) and every style sheet of a site, by the files' plain
/// paths.
///
/// Names of properties stay, since the modules import by them. Functions that are not used are removed.
pub fn minify(files: &mut BTreeMap<String, Vec<u8>>) -> Result<()> {
    let (before, after) = (Path::new(FOLDER).join("before"), Path::new(FOLDER).join("after"));
    fs::create_dir_all(&before)?;
    let has_module = |script: &str| files.contains_key(&format!("{script}_bg.wasm"));
    let is_input = |path: &&String| match path.rsplit_once('.') {
        Some((script, "js")) => has_module(script),
        Some((style, "css")) => !style.contains('/'),
        _ => false,
    };
    let names: Vec<String> = files.keys().filter(is_input).cloned().collect();
    let mut esbuild = Process::new("esbuild")?.args("--minify --tree-shaking=true --log-level=warning");
    for name in &names {
        let mut content = files[name].clone();
        if let Ok(text) = str::from_utf8(&content) {
            content = without_unneeded(text).into_bytes();
        }
        fs::write(before.join(name), content)?;
        esbuild = esbuild.arg(before.join(name));
    }
    esbuild.arg(format!("--outdir={}", after.display())).run()?;
    for name in names {
        let minified = fs::read(after.join(&name))?;
        files.insert(name, minified);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_needed_is_removed() {
        let script = "const a = 1;\nfunction debugString(val) {\n    if (val) {\n        return 1;\n    }\n}\nfunction b() {\n}\n\
                      export { initSync, __wbg_init as default };\n";
        let short = without_unneeded(script);
        assert!(short.starts_with("const a = 1;\nfunction debugString(val) {\ntry {"), "{short}");
        assert!(short.ends_with("\n}\nfunction b() {\n}\nexport { __wbg_init as default };\n"), "{short}");
        assert_eq!(without_unneeded("function f() {\n}\n"), "function f() {\n}\n");
    }
}
