//! Loads the file, once.

use std::cell::Cell;

use js_sys::{Object, Reflect, WebAssembly};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use yew::prelude::*;

use super::Extras;
use crate::app::components::remedies::remedies;
use crate::app::context::Context;
use crate::array::values::ReadTyped;
use crate::cause::{Cause, Part};
use crate::state::compression::Compression;
use crate::worker::site::{fetch, files};

/// The name of the file; `xtask/src/code_splitting.rs` writes it.
const FILE: &str = "extras.wasm";
/// The name by which it imports what the page's module exports.
const IMPORTS: &str = "__wasm_split";

thread_local! {
    static LOADED: Cell<Option<&'static Extras>> = const { Cell::new(None) };
    static IS_LOADING: Cell<bool> = const { Cell::new(false) };
}

/// Returns the functions of the file once it is instantiated: the program's own boundary.
#[derive(Clone, Copy)]
pub struct Boundary(pub fn() -> &'static Extras);

impl PartialEq for Boundary {
    /// A program has one.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Loads the file, unless it is there or on its way.
///
/// # Errors
/// It does not arrive, or is no module.
pub async fn load(boundary: Boundary) -> Result<(), Cause> {
    if LOADED.get().is_some() || IS_LOADING.replace(true) {
        return Ok(());
    }
    let instantiated = instantiate().await;
    IS_LOADING.set(false);
    instantiated?;
    LOADED.set(Some(boundary.0()));
    Ok(())
}

/// The compression of long links, once it is there.
pub fn compression() -> Option<&'static Compression> {
    LOADED.get().map(|extras| extras.compression)
}

/// The reader of typed values, once it is there.
pub fn read_typed() -> Option<ReadTyped> {
    LOADED.get().map(|extras| extras.read_typed)
}

async fn instantiate() -> Result<(), Cause> {
    let bytes = fetch::bytes(&files::address(FILE)).await?;
    let imports = Object::new();
    // Setting a property of a plain object succeeds.
    let _ = Reflect::set(&imports, &IMPORTS.into(), &wasm_bindgen::exports());
    let instance = JsFuture::from(WebAssembly::instantiate_buffer(&bytes, &imports)).await;
    instance.map(drop).map_err(|_| Cause::Malformed)
}

/// The functions, and how it is with loading them.
pub struct UsedExtras {
    /// The functions, once they are there.
    pub functions: Option<&'static Extras>,
    is_wanted: bool,
    /// Why they are not there.
    problem: Option<Cause>,
    retry: Callback<()>,
}

impl UsedExtras {
    /// Whether they are on their way.
    pub fn is_loading(&self) -> bool {
        self.is_wanted && self.functions.is_none() && self.problem.is_none()
    }

    /// What a function shows: nothing until it is there, but always one node, so that its neighbours stay what they are.
    pub fn show(&self, function: impl FnOnce(&'static Extras) -> Html) -> Html {
        self.functions.map(function).unwrap_or_default()
    }

    /// The callback, which first tries again if loading has failed.
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

    /// Why they are not there, with what may help. `close` gives up on them.
    pub fn notice(&self, context: &Context, close: Option<&Callback<()>>) -> Html {
        let Some(cause) = &self.problem else { return Html::default() };
        html! {
            <div class="notice" id="extras-problem" role="alert" data-cause={cause.name()}>
                <p>{context.text(&cause.message(Part::LazyModule))}</p>
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

/// Loads the functions when they are wanted.
#[hook]
pub fn use_extras(boundary: Boundary, is_wanted: bool) -> UsedExtras {
    let problem = use_state_eq(|| None::<Cause>);
    let attempt = use_state_eq(|| 0_u32);
    let update = use_force_update();
    let functions = LOADED.get();
    {
        let problem = problem.clone();
        use_effect_with((is_wanted && functions.is_none(), *attempt), move |(is_missing, _)| {
            problem.set(None);
            if *is_missing {
                spawn_local(async move {
                    match load(boundary).await {
                        Ok(()) => update.force_update(),
                        Err(cause) => problem.set(Some(cause)),
                    }
                });
            }
        });
    }
    let problem = (*problem).clone();
    let retry = Callback::from(move |()| attempt.set(*attempt + 1));
    UsedExtras { functions, is_wanted, problem, retry }
}
