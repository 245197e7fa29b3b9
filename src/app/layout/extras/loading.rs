//! Loads the split module, once.

use std::cell::Cell;

use js_sys::{Object, Reflect, WebAssembly};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use yew::prelude::*;

use super::Extras;
use crate::app::components::remedies::remedies;
use crate::app::context::Context;
use crate::array::values::ReadUserText;
use crate::cause::{Cause, Part};
use crate::state::compression::Compression;
use crate::worker::site::{fetch, files};

/// The file of the split module; `xtask/src/code_splitting.rs` writes it.
const EXTRAS_FILE: &str = "extras.wasm";
/// The name under which the split module imports the exports of the page's module.
const IMPORT_MODULE: &str = "__wasm_split";

thread_local! {
    static LOADED: Cell<Option<&'static Extras>> = const { Cell::new(None) };
    static IS_LOADING: Cell<bool> = const { Cell::new(false) };
}

/// Returns the functions of the split module; callable once that is instantiated.
#[derive(Clone, Copy)]
pub struct SplitPoint(pub fn() -> &'static Extras);

impl PartialEq for SplitPoint {
    /// A program has a single split point.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Loads the split module, unless it is loaded or being loaded.
///
/// # Errors
/// The file cannot be loaded, or is not a valid module.
pub async fn load(split_point: SplitPoint) -> Result<(), Cause> {
    if LOADED.get().is_some() || IS_LOADING.replace(true) {
        return Ok(());
    }
    let instantiated = instantiate().await;
    IS_LOADING.set(false);
    instantiated?;
    LOADED.set(Some(split_point.0()));
    Ok(())
}

/// The compression of long links; `None` until the split module is loaded.
pub fn compression() -> Option<&'static Compression> {
    LOADED.get().map(|extras| extras.compression)
}

/// The reader of typed values; `None` until the split module is loaded.
pub fn read_user_text() -> Option<ReadUserText> {
    LOADED.get().map(|extras| extras.read_user_text)
}

async fn instantiate() -> Result<(), Cause> {
    let bytes = fetch::bytes(&files::address(EXTRAS_FILE)).await?;
    let imports = Object::new();
    // Setting a property of a plain object succeeds.
    let _ = Reflect::set(&imports, &IMPORT_MODULE.into(), &wasm_bindgen::exports());
    let instance = JsFuture::from(WebAssembly::instantiate_buffer(&bytes, &imports)).await;
    instance.map(drop).map_err(|_| Cause::Corrupt)
}

/// The functions of the split module, and the status of loading it.
pub struct ExtrasHandle {
    /// The functions; `None` until they are loaded.
    pub functions: Option<&'static Extras>,
    is_needed: bool,
    /// The reason why loading failed.
    problem: Option<Cause>,
    retry: Callback<()>,
}

impl ExtrasHandle {
    /// Whether the module is being loaded.
    pub fn is_loading(&self) -> bool {
        self.is_needed && self.functions.is_none() && self.problem.is_none()
    }

    /// Renders with a function: nothing until it is loaded, but always one node, so that Yew does not re-create its siblings.
    pub fn render(&self, function: impl FnOnce(&'static Extras) -> Html) -> Html {
        self.functions.map(function).unwrap_or_default()
    }

    /// Wraps a callback: if loading has failed, it is retried first.
    pub fn retry_before<T: 'static>(&self, then: &Callback<T>) -> Callback<T> {
        if self.problem.is_none() {
            return then.clone();
        }
        let retry = self.retry.clone();
        then.reform(move |value| {
            retry.emit(());
            value
        })
    }

    /// A notice if loading failed: the reason, remedies, and a button that calls `close`, if given.
    pub fn notice(&self, context: &Context, close: Option<&Callback<()>>) -> Html {
        let Some(cause) = &self.problem else { return Html::default() };
        html! {
            <div class="notice" id="extras-problem" role="alert" data-cause={cause.name()}>
                <p>{context.text(&cause.message(Part::OnDemandCode))}</p>
                {remedies(context, cause, "extras", &self.retry)}
                if let Some(close) = close {
                    <button type="button" class="btn small" id="extras-close" onclick={close.reform(|_: MouseEvent| ())}>
                        {context.text_of_key("close")}
                    </button>
                }
            </div>
        }
    }
}

/// The split module, which is loaded once it is needed.
#[hook]
pub fn use_extras(split_point: SplitPoint, is_needed: bool) -> ExtrasHandle {
    let problem = use_state_eq(|| None::<Cause>);
    let attempt = use_state_eq(|| 0_u32);
    let update = use_force_update();
    let functions = LOADED.get();
    {
        let problem = problem.clone();
        use_effect_with((is_needed && functions.is_none(), *attempt), move |(is_missing, _)| {
            problem.set(None);
            if *is_missing {
                spawn_local(async move {
                    match load(split_point).await {
                        Ok(()) => update.force_update(),
                        Err(cause) => problem.set(Some(cause)),
                    }
                });
            }
        });
    }
    let problem = (*problem).clone();
    let retry = Callback::from(move |()| attempt.set(*attempt + 1));
    ExtrasHandle { functions, is_needed, problem, retry }
}
