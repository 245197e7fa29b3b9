//! The Content-Security-Policy of a built page, as a meta tag, because a static host sends no custom headers.
//!
//! Scripts come from the site or have their hash in the policy; WebAssembly is allowed, `eval` is not. Style
//! attributes are allowed (the app positions elements by them), style elements are not.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

/// Whether a page has a policy of its own; fails if that blocks the page's own scripts, or allows any request to the
/// network.
///
/// Such a page is the sandbox of user functions: the app's policy, which allows loading from the site, would be too
/// permissive.
/// too much for it.
pub fn is_sealed(html: &str) -> Result<bool, String> {
    let Some((_, after)) = html.split_once("http-equiv=\"Content-Security-Policy\" content=\"") else {
        return Ok(false);
    };
    let policy = after.split('"').next().unwrap_or_default();
    if !policy.starts_with("default-src 'none'; ") {
        return Err("a policy of a page's own must begin with default-src 'none'".to_owned());
    }
    for too_much in ["'unsafe-", "'self'", "connect-src", "http", "*"] {
        if policy.contains(too_much) {
            return Err(format!("a policy of a page's own must not have {too_much}"));
        }
    }
    let scripts = inline_scripts(html);
    match scripts.iter().map(|script| hash(script)).find(|hash| !policy.contains(hash.as_str())) {
        Some(hash) => Err(format!("the policy of the page lacks its script's hash {hash}")),
        None => Ok(true),
    }
}

fn hash(script: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(script.as_bytes())))
}

/// Adds the policy to a page as early as possible: directly after the page's encoding, before everything that it
/// loads.
///
/// Fails, quoting the text, if the page has something that the policy would block or that binds it to one host.
pub fn seal(html: &str) -> Result<String, String> {
    if html.contains("Content-Security-Policy") {
        return Err("the page has a Content-Security-Policy already".to_owned());
    }
    if html.contains("<style") {
        return Err("a <style> element is blocked by the policy: put it into styles/".to_owned());
    }
    if let Some(address) = absolute_address(html) {
        return Err(format!("`{address}` binds the site to one host and path: make it relative"));
    }
    let meta = html.find("<meta charset").ok_or("the page has no <meta charset>")?;
    let end = html[meta..].find('>').ok_or("the page's <meta charset> does not end")?;
    let (before, after) = html.split_at(meta + end + 1);
    // Frames are only the sandbox of user functions, a page of the site in a frame of an opaque origin. A page of
    // embeds is to be copied to another site, whose frames then come from this one.
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

/// An absolute address in the page, if there is one.
fn absolute_address(html: &str) -> Option<&str> {
    ["href=", "src=", "from ", "module_or_path: "].iter().find_map(|before| {
        html.match_indices(before).find_map(|(place, _)| {
            let value = html[place + before.len()..].trim_start_matches(['"', '\'']);
            let address = value.split(['"', '\'', ' ', '>']).next().unwrap_or_default();
            let is_absolute = address.starts_with('/') || address.contains("://");
            (is_absolute && !leads_elsewhere(&html[..place])).then_some(address)
        })
    })
}

/// Whether the text ends inside of a hyperlink, which may lead anywhere.
fn leads_elsewhere(before: &str) -> bool {
    before.rfind('<').is_some_and(|tag| before[tag..].starts_with("<a "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<html><meta charset=utf-8><title>t</title><script src=./a.js></script>\
                        <script type=module>import a from './b.js';</script><link href=./c.css>";

    #[test]
    fn the_policy_stands_before_all_the_page_loads_and_names_its_inline_script() {
        let sealed = seal(PAGE).unwrap();
        let place = sealed.find("Content-Security-Policy").unwrap();
        assert!(place < sealed.find("<title>").unwrap() && place < sealed.find("<script").unwrap());
        // sha256 of `import a from './b.js';`
        assert_eq!(sealed.matches("'sha256-").count(), 1);
        assert!(!sealed.contains("'unsafe-eval'") && !sealed.contains("script-src 'unsafe-inline'"));
        assert!(seal(&sealed).is_err());
    }

    #[test]
    fn data_in_the_page_needs_no_leave() {
        let data =
            seal(&format!("{PAGE}<script type=\"application/json\" id=\"release\">{{}}</script>")).unwrap();
        assert_eq!(data.matches("'sha256-").count(), 1);
    }

    #[test]
    fn only_a_page_of_frames_may_show_those_of_other_sites() {
        let framing = seal(&format!("{PAGE}<iframe src=../#embed/>")).unwrap();
        // Of several directives with the same name only the first counts.
        for (sealed, frames) in [(seal(PAGE).unwrap(), "; frame-src 'self';"), (framing, "; frame-src *;")] {
            assert!(sealed.contains(frames) && sealed.matches("frame-src").count() == 1, "{sealed}");
        }
        // A policy in a meta tag cannot forbid framing, so it must not try.
        assert!(!seal(PAGE).unwrap().contains("frame-ancestors"));
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
        assert_eq!(is_sealed(sandbox), Ok(true));
        assert!(
            is_sealed(&sandbox.replace("let port", "var port")).is_err(),
            "a changed script needs another hash"
        );
        assert!(is_sealed(&sandbox.replace("worker-src", "connect-src")).is_err());
        assert!(is_sealed(&sandbox.replace("blob:;", "'unsafe-inline';")).is_err());
        assert_eq!(is_sealed(PAGE), Ok(false));
    }

    #[test]
    fn what_would_break_on_another_host_is_refused() {
        for wrong in
            ["<link href=/c.css>", "<script src=\"https://a.example/b.js\"></script>", "<style>a{}</style>"]
        {
            assert!(seal(&format!("{PAGE}{wrong}")).is_err(), "{wrong}");
        }
        assert!(seal(&format!("{PAGE}<a href=\"https://a.example/\">elsewhere</a>")).is_ok());
        let module = "<script type=module>import b from '/b.js';</script>";
        assert!(seal(&format!("{PAGE}{module}")).is_err());
    }
}
