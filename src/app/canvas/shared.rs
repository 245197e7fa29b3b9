//! Arrays and scenes compared by identity: the components' properties would otherwise be compared cell by cell.

use std::rc::Rc;

use crate::view::array_view::ArrayView;
use crate::view::scene::Scene;

/// An array compared by identity.
#[derive(Clone)]
pub struct SharedArray(pub Rc<ArrayView>);

impl PartialEq for SharedArray {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// A scene compared by identity.
#[derive(Clone)]
pub struct SharedScene(pub Rc<Scene>);

impl PartialEq for SharedScene {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}
