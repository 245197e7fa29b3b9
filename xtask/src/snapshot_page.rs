//! The template of exported pages, `snapshot.html`: a page of the site that contains its program, style sheets and
//! translations, and gets a snapshot when something is exported. It loads nothing, so that it can be opened from disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::Result;
use crate::json::quote;
use crate::process::Process;
use crate::{minify, policy};

/// The name of the template in the site.
pub const PAGE: &str = "snapshot.html";

/// The program and its script, which the site has only within the template.
const CODE: &str = "snapshot_bg.wasm";
const SCRIPT: &str = "snapshot.js";

/// The sources of the template.
const SOURCES: &str = "static/snapshot";

/// The style sheets of the template.
const STYLES: [&str; 2] = ["tokens.css", "app.css"];

/// The style sheet that only the template has.
const OWN_STYLE: &str = "styles/snapshot.css";

/// The translations in the template: all files with these prefixes.
const DOMAINS: [&str; 2] = ["core.", "ops."];

/// The folder of the files that are bundled.
const FOLDER: &str = "target/xtask/snapshot";

/// Compresses a file, and prints it in base64.
const COMPRESS: &str = "const bytes = require('fs').readFileSync(process.argv[1]);
    process.stdout.write(require('zlib').deflateSync(bytes, { level: 9 }).toString('base64'));";

/// Adds the template to the files of a site by their plain paths, and removes its program from them and from the site's folder.
pub fn assemble(site: &Path, files: &mut BTreeMap<String, Vec<u8>>) -> Result<()> {
    let folder = Path::new(FOLDER);
    fs::create_dir_all(folder)?;
    for name in [CODE, SCRIPT] {
        let content = files.remove(name).ok_or_else(|| format!("the site has no {name}"))?;
        fs::write(folder.join(name), content)?;
        fs::remove_file(site.join(name))?;
    }
    for source in ["static/snapshot/boot.js", "static/snapshot/port.js", "static/frame_messages.js"] {
        let source = Path::new(source);
        fs::copy(source, folder.join(source.file_name().unwrap_or_default()))?;
    }
    let mut translations = Vec::new();
    for (name, content) in files.iter().filter(|(name, _)| is_translation(name)) {
        translations.push(format!("{}:{}", quote(name), quote(std::str::from_utf8(content)?)));
    }
    fs::write(folder.join("translations.json"), format!("{{{}}}", translations.join(",")))?;
    let script = script(folder)?;
    let mut style = String::new();
    for name in STYLES {
        let content = files.get(name).ok_or_else(|| format!("the site has no {name}"))?;
        style.push_str(std::str::from_utf8(content)?);
    }
    style.push_str(&fs::read_to_string(OWN_STYLE)?);
    let template = fs::read_to_string(Path::new(SOURCES).join("page.html"))?;
    let code = compress(&folder.join(CODE))?;
    let translations = compress(&folder.join("translations.json"))?;
    let page = page(&template, &style, &script, &[("code", &code), ("translations", &translations)])?;
    fs::write(site.join(PAGE), &page)?;
    files.insert(PAGE.to_owned(), page.into_bytes());
    Ok(())
}

/// The script of the page, with that of its program.
fn script(folder: &Path) -> Result<String> {
    let out = folder.join("page.js");
    minify::bundle(&folder.join("boot.js"), &out)?;
    Ok(fs::read_to_string(out)?)
}

fn is_translation(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|end| end == "txt")
        && DOMAINS.iter().any(|domain| name.starts_with(domain))
}

fn compress(file: &Path) -> Result<String> {
    Process::new("node")?.arg("-e").arg(COMPRESS).arg("--").arg(file).output()
}

/// The template with style sheet, script and data, and with the policy that allows only these.
fn page(template: &str, style: &str, script: &str, data: &[(&str, &str)]) -> Result<String> {
    if style.contains("</style") || script.contains("</script") {
        return Err("style sheet or script end their element".into());
    }
    let mut page = template.to_owned();
    for (id, content) in data {
        let element = format!("id=\"{id}\">");
        let (before, after) = page.split_once(&element).ok_or_else(|| format!("page.html has no {id}"))?;
        page = format!("{before}{element}\"{content}\"{after}");
    }
    let (before, after) = page.split_once("</head>").ok_or("page.html has no </head>")?;
    page = format!("{before}<style>{style}</style>\n</head>{after}");
    let (before, after) = page.rsplit_once("</body>").ok_or("page.html has no </body>")?;
    page = format!("{before}<script type=\"module\">{script}</script>\n</body>{after}");
    Ok(policy::insert_isolated_csp(&page, style, script)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEMPLATE: &str = "<meta charset=\"utf-8\"></head><body><script id=\"code\"></script></body>";

    #[test]
    fn the_page_contains_everything_and_loads_nothing() {
        let page = page(TEMPLATE, "a{}", "run()", &[("code", "QUJD")]).unwrap();
        assert!(page.contains("<style>a{}</style>"), "{page}");
        assert!(page.contains("<script type=\"module\">run()</script>"), "{page}");
        assert!(page.contains("id=\"code\">\"QUJD\"</script>"), "{page}");
        assert!(page.contains("default-src 'none'"), "{page}");
        assert!(!page.contains("'self'"), "{page}");
    }

    #[test]
    fn what_would_end_an_element_is_rejected() {
        assert!(page(TEMPLATE, "</style>", "", &[]).is_err());
        assert!(page(TEMPLATE, "", "</script>", &[]).is_err());
        assert!(page(TEMPLATE, "", "", &[("other", "")]).is_err());
    }

    #[test]
    fn only_used_translations_are_included() {
        assert!(is_translation("core.zh-Hans.txt") && !is_translation("program.zh-Hans.txt"));
    }
}
