//! The web app's entry point. A native build prints how to serve it.

/// The point at which `cargo xtask assets` splits the compiled program: code that is reachable only from `extras` becomes a
/// separate module. It is here and not in the library, where its export would be linked into every program.
#[cfg(target_os = "unknown")]
#[allow(unsafe_code, reason = "a function of another file is imported and exported by name")]
mod boundary {
    use std::ffi::c_void;

    use xla_playground::app::layout::extras::{EXTRAS, Extras};

    // The names that the tool looks for: that of the file, and an id that import and export share.
    #[link(wasm_import_module = "__wasm_split_placeholder__")]
    unsafe extern "C" {
        #[link_name = "__wasm_split_00extras00_import_00000000000000000000000000000001_extras"]
        fn import_extras() -> *const c_void;
    }

    /// The functions of the file; to be called once it is loaded.
    pub fn extras() -> &'static Extras {
        // SAFETY: the loader calls this after instantiating the file, which puts the function below into the table; that
        // returns the address of a static.
        unsafe { &*import_extras().cast::<Extras>() }
    }

    #[unsafe(export_name = "__wasm_split_00extras00_export_00000000000000000000000000000001_extras")]
    extern "C" fn export_extras() -> *const c_void {
        (&raw const EXTRAS).cast()
    }
}

#[cfg(target_os = "unknown")]
fn main() {
    xla_playground::app::layout::page::mount(boundary::extras);
}

#[cfg(not(target_os = "unknown"))]
fn main() {
    println!("this is the web app: serve it with `cargo xtask serve`");
}
