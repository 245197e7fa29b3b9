//! The browsers and their drivers: found on the machine, or installed by apt-get where available.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Result;
use crate::process::Process;
use crate::project::find_program;

/// The minimum version of geckodriver: tests set preferences of a running Firefox.
const MIN_GECKODRIVER_VERSION: (u32, u32) = (0, 36);

/// The program names of Chromium's headless shell: the same engine in two thirds of the processor time.
const HEADLESS_SHELLS: &[&str] = &["chromium-headless-shell", "chrome-headless-shell"];

/// A browser in which the site is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Browser {
    /// Chrome or Chromium.
    Chrome,
    /// Firefox.
    Firefox,
}

impl Browser {
    /// The browser named `chrome` or `firefox`.
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "chrome" => Ok(Self::Chrome),
            "firefox" => Ok(Self::Firefox),
            _ => Err(format!("unknown browser `{name}`: it is `chrome` or `firefox`").into()),
        }
    }

    /// Its name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chrome => "chrome",
            Self::Firefox => "firefox",
        }
    }

    /// The environment variable with the path of its driver.
    pub fn driver_variable(self) -> &'static str {
        match self {
            Self::Chrome => "CHROMEDRIVER",
            Self::Firefox => "GECKODRIVER",
        }
    }

    /// Its driver: the variable's value, or the one on the path.
    pub fn driver(self) -> Result<PathBuf> {
        let name = match self {
            Self::Chrome => "chromedriver",
            Self::Firefox => "geckodriver",
        };
        let named = env::var_os(self.driver_variable()).map(PathBuf::from);
        let missing =
            || format!("{name} is missing: install it, or set {} to its path", self.driver_variable()).into();
        named.or_else(|| find_program(&[name])).ok_or_else(missing)
    }

    fn is_installed(self) -> bool {
        let names: &[&str] = match self {
            Self::Chrome => {
                &["chromium", "google-chrome", "google-chrome-stable", "chromium-browser", "chrome"]
            }
            Self::Firefox => &["firefox", "firefox-esr"],
        };
        let applications: &[&str] = match self {
            Self::Chrome => &["/Applications/Google Chrome.app", "/Applications/Chromium.app"],
            Self::Firefox => &["/Applications/Firefox.app"],
        };
        find_program(names).is_some() || applications.iter().any(|path| PathBuf::from(path).is_dir())
    }
}

/// Installs a browser that is missing, and Chrome's driver with it; Firefox's is a Rust program ([`crate::setup`]).
pub fn ensure(browser: Browser) -> Result<()> {
    match browser {
        Browser::Chrome => {
            if !browser.is_installed() || browser.driver().is_err() {
                apt_install(
                    &["chromium", "chromium-driver"],
                    "Chrome or Chromium, and chromedriver of the same version",
                )?;
            }
            // Optional: only Debian has it, and tests run in the full browser without it.
            let is_debian = Path::new("/usr/lib/chromium").is_dir() && find_program(&["apt-get"]).is_some();
            if find_program(HEADLESS_SHELLS).is_none() && is_debian {
                let installed = apt_install(&["chromium-headless-shell"], "Chromium's headless shell");
                installed.unwrap_or_else(|error| println!("{error}"));
            }
            Ok(())
        }
        Browser::Firefox if !browser.is_installed() => {
            apt_install(&["firefox-esr"], "Firefox (the current or the extended support release)")
        }
        Browser::Firefox => Ok(()),
    }
}

/// Chromium's headless shell, if it has the version of Chrome's driver and no other browser is chosen.
pub fn headless_shell() -> Option<PathBuf> {
    if env::var_os("XLA_PLAYGROUND_CHROME").is_some() {
        return None;
    }
    let shell = find_program(HEADLESS_SHELLS)?;
    let driver = Browser::Chrome.driver().ok()?;
    (major_version(&shell)? == major_version(&driver)?).then_some(shell)
}

/// The major version in a program's output for `--version`, such as "Chromium 156.0.8078.79".
fn major_version(program: &Path) -> Option<u32> {
    let text = Process::new(program.to_str()?).ok()?.arg("--version").output().ok()?;
    text.split_whitespace().find_map(|word| word.split_once('.')?.0.parse().ok())
}

/// Whether there is a recent enough geckodriver.
pub fn has_geckodriver() -> bool {
    let version = || -> Option<(u32, u32)> {
        let driver = Browser::Firefox.driver().ok()?;
        let text = Process::new(driver.to_str()?).ok()?.arg("--version").output().ok()?;
        let mut parts = text.split_whitespace().nth(1)?.split('.');
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    };
    version().is_some_and(|version| version >= MIN_GECKODRIVER_VERSION)
}

/// Installs packages on a Debian-like system; elsewhere the error says that `what` must be installed by hand.
pub fn apt_install(packages: &[&str], what: &str) -> Result<()> {
    static LISTS_ARE_FRESH: AtomicBool = AtomicBool::new(false);
    let by_hand =
        |reason: &str| format!("{what} is missing and {reason}: install it so that it is on the path");
    if find_program(&["apt-get"]).is_none() {
        return Err(by_hand("there is no apt-get here").into());
    }
    let is_root = Process::new("id")?.arg("-u").output().is_ok_and(|id| id.trim() == "0");
    if !is_root && find_program(&["sudo"]).is_none() {
        return Err(by_hand("apt-get needs root").into());
    }
    let apt = || if is_root { Process::new("apt-get") } else { Ok(Process::new("sudo")?.arg("apt-get")) };
    println!("installing {}", packages.join(", "));
    if !LISTS_ARE_FRESH.swap(true, Ordering::Relaxed) {
        apt()?.args("update --quiet").run()?;
    }
    let install = apt()?.args("install --yes --quiet --no-install-recommends");
    let install = packages.iter().fold(install, Process::arg).env("DEBIAN_FRONTEND", "noninteractive");
    install.run().map_err(|error| format!("{error}\n{}", by_hand("apt-get could not install it")).into())
}
