//! `cargo xtask serve`: builds the app, serves it and rebuilds on changes, until Ctrl+C.

use crate::arguments::Arguments;
use crate::process::Process;
use crate::{Result, project, setup};

const PORT: u16 = 8080;

/// Serves until it is interrupted.
pub fn run(mut arguments: Arguments) -> Result<()> {
    let release = arguments.flag("--release");
    let port = match arguments.value("--port")? {
        Some(port) => port.parse().map_err(|_| format!("--port {port}: a port is a number up to 65535"))?,
        None => PORT,
    };
    arguments.finish()?;
    setup::ensure(if release { setup::DIST } else { setup::SERVE })?;
    println!("the app will be at http://127.0.0.1:{port}/ once it is built; Ctrl+C ends the server");
    let serve = trunk()?.args("serve --address 127.0.0.1 --port").arg(port.to_string());
    if release {
        // As `cargo xtask dist` builds it, so that the two share what is compiled.
        serve.env(project::SITE_FLAGS, project::path_flags()).arg("--release").exec()
    } else {
        serve.exec()
    }
}

/// Trunk, without its check for updates.
pub fn trunk() -> Result<Process> {
    // Trunk accepts only `true` and `false` in this variable, for which other programs accept any value.
    Ok(Process::new("trunk")?.env("TRUNK_SKIP_VERSION_CHECK", "true").without_env("NO_COLOR"))
}
