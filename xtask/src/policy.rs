//! The Content-Security-Policy of a built page, as a meta tag, because a static host sends no custom headers.
//!
//! Scripts come from the site or have their hash in the policy; WebAssembly is allowed, `eval` is not. Style
//! attributes are allowed (the app positions elements by them), style elements are not.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

/// Whether a page has a policy of its own. Fails if that blocks the page's own scripts, or allows any request to the
/// network.
///
/// Such a page is the sandbox of user functions: the app's policy, which allows loading from the site, would be too
/// permissive.
pub fn validate_own_csp(html: &str) -> Result<bool, String> {
    let Some((_, rest)) = html.split_once("http-equiv=\"Content-Security-Policy\" content=\"") else {
        return Ok(false);
    };
    let policy = rest.split('"').next().unwrap_or_default();
    if !policy.starts_with("default-src 'none'; ") {
        return Err("a page's own policy must begin with default-src 'none'".to_owned());
    }
    for forbidden in ["'unsafe-", "'self'", "connect-src", "http", "*"] {
        if policy.contains(forbidden) {
            return Err(format!("a page's own policy must not contain {forbidden}"));
        }
    }
    let scripts = inline_scripts(html);
    match scripts.iter().map(|script| hash(script)).find(|hash| !policy.contains(hash.as_str())) {
        Some(hash) => Err(format!("the policy of the page lacks its script's hash {hash}")),
        None => Ok(true),
    }
}

/// Adds the policy of a page that loads nothing: only its own style sheet and its own script apply.
///
/// Fails if the page has no `<meta charset>`, after which the policy is inserted.
pub fn insert_isolated_csp(html: &str, style: &str, script: &str) -> Result<String, String> {
    let meta = html.find("<meta charset").ok_or("the page has no <meta charset>")?;
    let end = html[meta..].find('>').ok_or("the page's <meta charset> does not end")?;
    let (before, after) = html.split_at(meta + end + 1);
    let policy = [
        "default-src 'none'".to_owned(),
        format!("script-src {} 'wasm-unsafe-eval'", hash(script)),
        format!("style-src {}", hash(style)),
        "style-src-attr 'unsafe-inline'".to_owned(),
        "img-src blob: data:".to_owned(),
        "base-uri 'none'".to_owned(),
        "form-action 'none'".to_owned(),
    ]
    .join("; ");
    Ok(format!("{before}<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">{after}"))
}

/// Whether a page was assembled with [`insert_isolated_csp`].
pub fn is_isolated(html: &str) -> bool {
    html.contains("content=\"default-src 'none'; script-src 'sha256-")
        && html.contains("'wasm-unsafe-eval'; style-src 'sha256-")
}

fn hash(script: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(script.as_bytes())))
}

/// Adds the policy to a page as early as possible: directly after its `<meta charset>`, before everything that it
/// loads.
///
/// Fails, quoting the text, if the page has something that the policy would block or that binds it to one host.
pub fn insert_csp(html: &str) -> Result<String, String> {
    if html.contains("Content-Security-Policy") {
        return Err("the page has a Content-Security-Policy already".to_owned());
    }
    if html.contains("<style") {
        return Err("a <style> element is blocked by the policy: put it into styles/".to_owned());
    }
    if let Some(url) = absolute_url(html) {
        return Err(format!("`{url}` binds the site to one host and path: make it relative"));
    }
    let meta = html.find("<meta charset").ok_or("the page has no <meta charset>")?;
    let end = html[meta..].find('>').ok_or("the page's <meta charset> does not end")?;
    let (before, after) = html.split_at(meta + end + 1);
    // The app's only iframe is the sandbox of user functions, a page of the site. The example page of embeds may be
    // copied to other sites, so its frames are cross-origin.
    let frames = if html.contains("<iframe") { "frame-src *" } else { "frame-src 'self'" };
    let policy = policy(&inline_scripts(html), frames);
    Ok(format!("{before}<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">{after}"))
}

fn policy(scripts: &[&str], frames: &str) -> String {
    let mut allowed = vec!["script-src 'self' 'wasm-unsafe-eval'".to_owned()];
    allowed.extend(scripts.iter().map(|script| hash(script)));
    [
        "default-src 'self'",
        &allowed.join(" "),
        "style-src 'self'",
        "style-src-attr 'unsafe-inline'",
        "img-src 'self' blob: data:",
        "worker-src 'self'",
        "manifest-src 'self'",
        frames,
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    .join("; ")
}

/// The texts of the inline scripts.
fn inline_scripts(html: &str) -> Vec<&str> {
    let mut scripts = Vec::new();
    let mut rest = html;
    while let Some((_, found)) = rest.split_once("<script") {
        let Some((attributes, found)) = found.split_once('>') else { break };
        let Some((text, found)) = found.split_once("</script>") else { break };
        // Browsers do not run data blocks: no policy applies to them.
        if !attributes.contains(" src=") && !attributes.contains("application/json") {
            scripts.push(text);
        }
        rest = found;
    }
    scripts
}

/// An absolute URL that the page loads, if there is one.
fn absolute_url(html: &str) -> Option<&str> {
    ["href=", "src=", "from ", "module_or_path: "].iter().find_map(|before| {
        html.match_indices(before).find_map(|(offset, _)| {
            let value = html[offset + before.len()..].trim_start_matches(['"', '\'']);
            let url = value.split(['"', '\'', ' ', '>']).next().unwrap_or_default();
            let is_absolute = url.starts_with('/') || url.contains("://");
            (is_absolute && !is_in_hyperlink(&html[..offset])).then_some(url)
        })
    })
}

/// Whether the text ends inside the tag of a hyperlink, which may name any site.
fn is_in_hyperlink(before: &str) -> bool {
    before.rfind('<').is_some_and(|tag| before[tag..].starts_with("<a "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<html><meta charset=utf-8><title>t</title><script src=./a.js></script>\
                        <script type=module>import a from './b.js';</script><link href=./c.css>";

    #[test]
    fn the_policy_precedes_all_that_the_page_loads_and_names_its_inline_script() {
        let page = insert_csp(PAGE).unwrap();
        let offset = page.find("Content-Security-Policy").unwrap();
        assert!(offset < page.find("<title>").unwrap() && offset < page.find("<script").unwrap());
        // sha256 of `import a from './b.js';`
        assert_eq!(page.matches("'sha256-").count(), 1);
        assert!(!page.contains("'unsafe-eval'") && !page.contains("script-src 'unsafe-inline'"));
        assert!(insert_csp(&page).is_err());
    }

    #[test]
    fn a_data_block_needs_no_hash() {
        let data =
            insert_csp(&format!("{PAGE}<script type=\"application/json\" id=\"release\">{{}}</script>"))
                .unwrap();
        assert_eq!(data.matches("'sha256-").count(), 1);
    }

    #[test]
    fn only_a_page_with_frames_of_its_own_may_show_those_of_other_sites() {
        let embed_page = insert_csp(&format!("{PAGE}<iframe src=../#embed/>")).unwrap();
        // Of several directives with the same name only the first counts.
        for (page, frames) in
            [(insert_csp(PAGE).unwrap(), "; frame-src 'self';"), (embed_page, "; frame-src *;")]
        {
            assert!(page.contains(frames) && page.matches("frame-src").count() == 1, "{page}");
        }
        // A policy in a meta tag cannot forbid framing, so it must not try.
        assert!(!insert_csp(PAGE).unwrap().contains("frame-ancestors"));
    }

    #[test]
    fn a_hash_is_the_one_browsers_compute() {
        // The example of the Content Security Policy specification, level 3.
        let hash = "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='";
        assert!(policy(&["alert('Hello, world.');"], "frame-src 'self'").contains(hash));
    }

    #[test]
    fn the_sandbox_has_a_policy_of_its_own_that_fits_its_script() {
        let sandbox = include_str!("../../static/sandbox.html");
        assert_eq!(validate_own_csp(sandbox), Ok(true));
        assert!(
            validate_own_csp(&sandbox.replace("let port", "var port")).is_err(),
            "a changed script needs another hash"
        );
        assert!(validate_own_csp(&sandbox.replace("worker-src", "connect-src")).is_err());
        assert!(validate_own_csp(&sandbox.replace("blob:;", "'unsafe-inline';")).is_err());
        assert_eq!(validate_own_csp(PAGE), Ok(false));
    }

    #[test]
    fn a_page_that_would_break_on_another_host_is_rejected() {
        for wrong in
            ["<link href=/c.css>", "<script src=\"https://a.example/b.js\"></script>", "<style>a{}</style>"]
        {
            assert!(insert_csp(&format!("{PAGE}{wrong}")).is_err(), "{wrong}");
        }
        assert!(insert_csp(&format!("{PAGE}<a href=\"https://a.example/\">elsewhere</a>")).is_ok());
        let module = "<script type=module>import b from '/b.js';</script>";
        assert!(insert_csp(&format!("{PAGE}{module}")).is_err());
    }
}
