//! The text of the program to compare with.

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::app::link as storage;
use crate::app::program::reading::text_of;
use crate::cause::Cause;
use crate::state::program::link;
use crate::state::program::session::{Session, Source};
use crate::state::program::source_text::SourceText;
use crate::worker::site::{fetch, files};

/// The second program.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Second {
    /// None was chosen.
    #[default]
    Empty,
    /// It is fetched.
    Fetching,
    /// Its text.
    Text(SourceText),
    /// The tab does not have the text of the link.
    Missing,
    /// It could not be fetched.
    Failed(Cause),
}

/// The text of the program to compare with.
#[hook]
pub fn use_second(session: &Session) -> Second {
    let second = use_state_eq(Second::default);
    {
        // The id of the newest source, so that text that arrives for an earlier one is ignored.
        let newest = use_mut_ref(|| 0_u32);
        let second = second.setter();
        use_effect_with(session.other.clone(), {
            let session = session.clone();
            move |other: &Source| {
                let request = {
                    let mut newest = newest.borrow_mut();
                    *newest += 1;
                    *newest
                };
                match other {
                    Source::Empty => second.set(Second::Empty),
                    Source::Sample(sample) => {
                        second.set(Second::Fetching);
                        let address = files::address(sample.file);
                        spawn_local(async move {
                            let fetched = fetch::bytes(&address).await;
                            if *newest.borrow() != request {
                                return;
                            }
                            second.set(match fetched {
                                Ok(bytes) => {
                                    let text = String::from_utf8_lossy(&bytes).into_owned();
                                    Second::Text(SourceText::new(text))
                                }
                                Err(cause) => Second::Failed(cause),
                            });
                        });
                    }
                    own => match text_of(own) {
                        Some(text) => {
                            if link::stores_other(&session) {
                                storage::store_compared_text(&text.key(), text.text());
                            }
                            second.set(Second::Text(text));
                        }
                        None => second.set(Second::Missing),
                    },
                }
            }
        });
    }
    (*second).clone()
}
