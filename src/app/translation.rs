//! The language of the page. English is linked in; any other is loaded as files, by `boot.js` in parallel with the code or
//! here.

use js_sys::Reflect;
use wasm_bindgen::JsValue;
use yew::prelude::*;

use crate::cause::{Cause, Part};
use crate::i18n::{Domain, Language, Message};
use crate::worker::site::{fetch, files};

/// The language to display: the requested one once its files are loaded, English until then. If loading failed, the reason
/// too.
#[hook]
pub fn use_language(domains: &'static [Domain], requested: Language) -> (Language, Option<Message>) {
    let failure = use_state_eq(|| None::<(Language, Cause)>);
    let update = use_force_update();
    let is_installed = domains.iter().all(|domain| is_installed_or_preloaded(*domain, requested));
    {
        let failure = failure.clone();
        use_effect_with((requested, is_installed), move |(requested, is_installed)| {
            let requested = *requested;
            failure.set(None);
            if !is_installed {
                wasm_bindgen_futures::spawn_local(async move {
                    match load(domains, requested).await {
                        Ok(()) => update.force_update(),
                        Err(cause) => failure.set(Some((requested, cause))),
                    }
                });
            }
        });
    }
    if is_installed {
        return (requested, None);
    }
    let failed = failure.as_ref().filter(|(language, _)| *language == requested);
    (Language::ENGLISH, failed.map(|(_, cause)| cause.message(Part::Translation)))
}

/// Whether a domain's messages are installed in a language; installs those that `boot.js` loaded.
fn is_installed_or_preloaded(domain: Domain, language: Language) -> bool {
    domain.is_installed(language)
        || preloaded(&domain.file(language)).is_some_and(|text| domain.install(language, text))
}

/// The text of a file that `boot.js` loaded.
fn preloaded(file: &str) -> Option<String> {
    let path = ["xlaPlayground", "translations", file];
    let value = path.iter().try_fold(JsValue::from(js_sys::global()), |value, key| {
        Reflect::get(&value, &JsValue::from_str(key)).ok()
    });
    value?.as_string()
}

/// Loads and installs the files of a language that are missing.
///
/// # Errors
/// A file cannot be loaded, or belongs to another release.
async fn load(domains: &[Domain], language: Language) -> Result<(), Cause> {
    for domain in domains.iter().filter(|domain| !domain.is_installed(language)) {
        let bytes = fetch::bytes(&files::address(&domain.file(language))).await?;
        let text = String::from_utf8(bytes).map_err(|_| Cause::Corrupt)?;
        if !domain.install(language, text) {
            return Err(Cause::ReleaseMismatch);
        }
    }
    Ok(())
}
