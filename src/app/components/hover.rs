//! The cell under the pointer, which every picture of the page highlights.

use yew::prelude::*;

/// The cell under the pointer; `None` after the current position has moved, until the pointer moves again.
///
/// The pointer often rests on a picture while keys, the player or a link move the position: what is highlighted and explained
/// must then be the position that has moved.
#[hook]
pub fn use_hover<C: PartialEq + 'static, P: PartialEq + 'static>(position: P) -> UseStateHandle<Option<C>> {
    let hover = use_state_eq(|| None::<C>);
    {
        let hover = hover.setter();
        use_effect_with(position, move |_| hover.set(None));
    }
    hover
}
