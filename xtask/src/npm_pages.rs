//! Pages that use the JavaScript package, for the end-to-end tests: `target/npm/pages`.
//!
//! The page of the guide; the checks of `crates/javascript/tests/checks.js` with the package's files, with the single file, and
//! bundled by esbuild and by Vite.

use std::fs;
use std::path::Path;

use crate::process::Process;
use crate::{Result, npm, npm_tests};

/// The folder of the pages.
pub const PAGES: &str = "target/npm/pages";
const GUIDE: &str = "docs/javascript.md";
const CHECKS: &str = "crates/javascript/tests/checks.js";
/// The name under which the checks import the package.
const IMPORTED: &str = "'xla-playground'";

/// A page with the strictest policy under which the package works.
fn page(script: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'; \
         script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; connect-src 'self'\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>Checks</title>\n<div id=\"picture\"></div>\n<output id=\"result\"></output>\n\
         {script}\n</html>\n"
    )
}

/// The example page of the guide.
fn guide_page() -> Result<String> {
    let guide = fs::read_to_string(GUIDE)?;
    let example = guide.split("```html\n").nth(1).and_then(|rest| rest.split("```").next());
    example.map(str::to_owned).ok_or_else(|| format!("{GUIDE} has no page as an example").into())
}

/// Writes the pages for a built package.
pub fn write(package: &Path) -> Result<()> {
    let pages = Path::new(PAGES);
    if pages.is_dir() {
        fs::remove_dir_all(pages)?;
    }
    let copy = pages.join("xla-playground");
    fs::create_dir_all(&copy)?;
    for entry in fs::read_dir(package)? {
        let entry = entry?;
        fs::copy(entry.path(), copy.join(entry.file_name()))?;
    }
    fs::write(pages.join("index.html"), guide_page()?)?;
    let checks = fs::read_to_string(CHECKS)?;
    if !checks.contains(IMPORTED) {
        return Err(format!("{CHECKS} does not import the package").into());
    }
    for (name, entry) in [("files", "index.js"), ("inline", "inline.js")] {
        let script = checks.replace(IMPORTED, &format!("'./xla-playground/{entry}'"));
        fs::write(pages.join(format!("{name}.js")), script)?;
        let tag = format!("<script type=\"module\" src=\"{name}.js\"></script>");
        fs::write(pages.join(format!("{name}.html")), page(&tag))?;
    }
    esbuild(pages, package)?;
    vite(pages, package, &checks)
}

/// A classic script with everything in it.
fn esbuild(pages: &Path, package: &Path) -> Result<()> {
    Process::new("esbuild")?
        .args("--bundle --format=iife --log-level=warning")
        .arg(format!("--alias:xla-playground={}", package.join(npm::INLINE).display()))
        .arg(CHECKS)
        .arg(format!("--outfile={}", pages.join("esbuild.js").display()))
        .run()?;
    fs::write(pages.join("esbuild.html"), page("<script defer src=\"esbuild.js\"></script>"))?;
    Ok(())
}

/// A page that Vite builds from a project with the package among its modules.
fn vite(pages: &Path, package: &Path, checks: &str) -> Result<()> {
    let Some(tools) = npm_tests::tools() else { return Ok(()) };
    let project = std::path::absolute(Path::new("target/npm/vite"))?;
    let modules = project.join("node_modules/xla-playground");
    if project.is_dir() {
        fs::remove_dir_all(&project)?;
    }
    fs::create_dir_all(&modules)?;
    for entry in fs::read_dir(package)? {
        let entry = entry?;
        fs::copy(entry.path(), modules.join(entry.file_name()))?;
    }
    fs::write(project.join("package.json"), "{ \"type\": \"module\" }\n")?;
    fs::write(project.join("main.js"), checks)?;
    let tag = "<script type=\"module\" src=\"/main.js\"></script>";
    fs::write(project.join("index.html"), page(tag))?;
    Process::new("node")?
        .arg(tools.join("node_modules/vite/bin/vite.js"))
        .arg("build")
        .arg(&project)
        .args("--base ./ --logLevel warn --outDir")
        .arg(std::path::absolute(pages.join("vite"))?)
        .run()
}
