//! A program that the terminal program serves, opened in the browser.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use harness::{Page, Test};

use crate::program::{READY, wait_for_run};

pub const TESTS: &[Test] = harness::tests![a_program_of_the_terminal_opens_in_the_browser];

/// The terminal program as the native tests use it, built by cargo if it is not up to date: with these packages it has the
/// features of the native tests, and nothing is compiled twice.
#[track_caller]
fn terminal_program() -> PathBuf {
    let built = Command::new(env!("CARGO"))
        .args([
            "test",
            "--quiet",
            "--no-run",
            "--package",
            "xla-playground",
            "--package",
            "xla-messages",
            "--test",
            "native",
        ])
        .current_dir(harness::project())
        .status()
        .expect("cargo");
    assert!(built.success());
    // Beside the folder of this test's program.
    let test = std::env::current_exe().expect("the path of this program");
    let folder = test.ancestors().nth(2).expect("the folder of programs");
    folder.join("xla-playground").with_extension(std::env::consts::EXE_EXTENSION)
}

/// A running server, ended when it is dropped.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn program(name: &str, comments: usize) -> String {
    let comments = "// A line that makes the text long.\n".repeat(comments);
    format!(
        "HloModule {name}\n\n{comments}ENTRY e {{\n  a = f32[4]{{0}} iota(), iota_dimension=0\n  ROOT sum = f32[4]{{0}} add(a, a)\n}}\n"
    )
}

fn a_program_of_the_terminal_opens_in_the_browser(page: &Page) {
    let kind = if page.is_firefox() { "firefox" } else { "chrome" };
    let file = std::env::temp_dir().join(format!("xla-playground-{kind}-{}.hlo", std::process::id()));
    std::fs::write(&file, program("short", 0)).expect("a temporary file");
    let mut child = Command::new(terminal_program())
        .args(["serve", "--no-open", "--site"])
        .arg(harness::site())
        .arg(&file)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the terminal program");
    let mut address = String::new();
    let output = child.stdout.take().expect("its output");
    BufReader::new(output).read_line(&mut address).expect("the address");
    let server = Server(child);
    let address = address.trim();
    let origin = address.splitn(4, '/').take(3).collect::<Vec<_>>().join("/");
    page.allow_origin(&origin);
    page.allow_service_worker();
    // A short program is in the link, a long one is kept by the tab.
    for (name, comments, link) in [("short", 0, "#program1/"), ("long", 20_000, "#program1/!")] {
        std::fs::write(&file, program(name, comments)).expect("a temporary file");
        page.visit(address);
        page.wait_for(READY);
        assert_eq!(page.text("#program-name"), name);
        wait_for_run(page, "done");
        page.wait_for(&format!("location.hash.startsWith('{link}')"));
        assert!(page.url().starts_with(&format!("{origin}/#program1/")), "{}", page.url());
    }
    page.run("for (let k = 0; k < 3; k++) await new Promise((done) => setTimeout(() => requestIdleCallback(done)));");
    assert_eq!(page.eval::<usize>("navigator.serviceWorker.getRegistrations().then((all) => all.length)"), 0);
    // The browser reports that there is no service worker.
    page.take_problems();
    drop(server);
    std::fs::remove_file(file).expect("the temporary file");
}
