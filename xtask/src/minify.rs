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
            content =
                UNNEEDED.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to)).into_bytes();
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
