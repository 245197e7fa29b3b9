//! A headless Chrome started for this run, with a profile of its own.
//!
//! The browser is `XLA_PLAYGROUND_CHROME`, or found on the path. Dropping the value ends it and deletes its profile; no other process
//! is affected.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{env, fs, process};

use crate::error::{Context, Error, Result};

/// The timeout of starting a browser on a busy machine.
const START_TIMEOUT: Duration = Duration::from_secs(90);

/// The names of the browser on the path; a shell without a window comes last.
const PROGRAMS: [&str; 6] = [
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
    "chromium-headless-shell",
];

/// The browser as an application of macOS.
const APPLICATIONS: [&str; 2] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/// The arguments of every browser.
const ARGUMENTS: [&str; 20] = [
    "--headless=new",
    "--remote-debugging-port=0",
    "--disable-background-networking",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    // Every test has its own process: a spare one is never used.
    "--disable-features=SpareRendererForSitePerProcess",
    "--disable-gpu",
    "--disable-hang-monitor",
    "--disable-popup-blocking",
    "--disable-quic",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--force-device-scale-factor=1",
    "--lang=en-US",
    "--no-default-browser-check",
    "--no-first-run",
    "--password-store=basic",
    "--use-mock-keychain",
];

/// A running browser.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    profile: PathBuf,
    /// The address of its socket.
    pub(super) socket: String,
}

impl Process {
    /// Starts a browser and waits until it accepts connections.
    pub(super) fn start() -> Result<Self> {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let profile = env::temp_dir().join(format!("xla-playground-chrome-{}-{number}", process::id()));
        fs::create_dir_all(&profile).context(profile.display())?;
        let program = program()?;
        let mut command = Command::new(&program);
        command.args(ARGUMENTS).arg(format!("--user-data-dir={}", profile.display()));
        // Chrome's sandbox refuses to run as root, which is the user in a container.
        if is_root() {
            command.arg("--no-sandbox");
        }
        let command =
            command.arg("about:blank").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let name = Path::new(&program).display().to_string();
        let child = command.spawn().context(format!("starting `{name}`"))?;
        let mut process = Self { child, profile, socket: String::new() };
        process.socket = process.wait_for_socket(&name)?;
        Ok(process)
    }

    /// The address of the socket, which the browser writes to a file of its profile: port and path.
    fn wait_for_socket(&mut self, name: &str) -> Result<String> {
        let (started, file) = (Instant::now(), self.profile.join("DevToolsActivePort"));
        loop {
            let text = fs::read_to_string(&file).unwrap_or_default();
            if let Some((port, path)) = text.split_once('\n').filter(|(_, path)| path.starts_with('/')) {
                return Ok(format!("ws://127.0.0.1:{port}{}", path.trim_end()));
            }
            if let Ok(Some(status)) = self.child.try_wait() {
                return Err(Error::new(format!("`{name}` ended immediately ({status})")));
            }
            if started.elapsed() > START_TIMEOUT {
                return Err(Error::new(format!(
                    "`{name}` did not start within {} s",
                    START_TIMEOUT.as_secs()
                )));
            }
            sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // Its processes may still write to it for a moment; what is left is in the system's temporary folder.
        let _ = fs::remove_dir_all(&self.profile);
    }
}

/// The browser's program.
fn program() -> Result<OsString> {
    if let Some(chosen) = env::var_os("XLA_PLAYGROUND_CHROME") {
        return Ok(chosen);
    }
    let folders: Vec<PathBuf> = env::var_os("PATH").iter().flat_map(env::split_paths).collect();
    let on_path = PROGRAMS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let mut found = on_path.chain(APPLICATIONS.map(PathBuf::from));
    let found = found.find(|path| path.is_file()).map(PathBuf::into_os_string);
    found.ok_or_else(|| Error::new("Chrome or Chromium is not installed; XLA_PLAYGROUND_CHROME selects one"))
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
