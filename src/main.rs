//! The web app's entry point. A native build prints how to serve it.

/// The point at which `cargo xtask assets` splits the compiled program: code that is reachable only from `extras` becomes a
/// separate module. It is here and not in the library, where its export would be linked into every program.
#[cfg(target_arch = "wasm32")]
#[allow(
    unsafe_code,
    reason = "a function of another file is declared and exported by its name, as for any linker"
)]
mod boundary {
    use std::ffi::c_void;

    use xla_playground::app::layout::extras::{EXTRAS, Extras};

    // The names are what the tool looks for: the file's name, and an id that the two share.
    #[link(wasm_import_module = "__wasm_split_placeholder__")]
    unsafe extern "C" {
        #[link_name = "__wasm_split_00extras00_import_00000000000000000000000000000001_extras"]
        fn there() -> *const c_void;
    }

    /// The functions of the file; to be called once it is there.
    pub fn extras() -> &'static Extras {
        // SAFETY: the loader calls this after the file is instantiated, which puts the function below into the table; it returns the
        // address of a static.
        unsafe { &*there().cast::<Extras>() }
    }

    #[unsafe(export_name = "__wasm_split_00extras00_export_00000000000000000000000000000001_extras")]
    extern "C" fn here() -> *const c_void {
        (&raw const EXTRAS).cast()
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {
    xla_playground::app::layout::page::mount(boundary::extras);
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    println!("this is the web app: serve it with `cargo xtask serve`");
}
