//! Takes a screenshot of the built site: `shot OUT.png [options]`. Prints the page's problems on standard error.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use harness::{Browser, Emulation, Kind, Site};

const USAGE: &str = "\
usage: cargo xtask shot OUT.png [options]
  --hash '#...'         the link's fragment (default: none)
  --page PATH           a page of the site instead of the app, such as demo/lecture.html
  --width N, --height N the viewport (default: 1280 by 800)
  --full                the whole document, not only the viewport
  --dark                prefers-color-scheme: dark
  --reduced-motion      prefers-reduced-motion: reduce
  --locale TAG          the browser's language, such as zh-CN
  --script JS           an expression evaluated before the picture; may be given several times
  --click SELECTOR, --key CHORD, --type TEXT
                        input before the picture, in the order given with --script
  --browser NAME        chrome (default) or firefox
";

/// An action before the screenshot.
enum Step {
    Script(String),
    Click(String),
    Key(String),
    Type(String),
}

struct Request {
    out: PathBuf,
    hash: String,
    page: Option<String>,
    size: (u32, u32),
    full: bool,
    emulation: Emulation,
    locale: Option<String>,
    steps: Vec<Step>,
    kind: Kind,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let Some(request) = parse(std::env::args().skip(1))? else {
        print!("{USAGE}");
        return Ok(());
    };
    let site = Site::serve(&harness::site(), "/some/where/")?;
    let browser = Browser::start(request.kind)?;
    let page = browser.page(&site)?;
    page.emulate(request.emulation);
    page.viewport(request.size.0, request.size.1);
    if let Some(tag) = &request.locale {
        page.locale(tag);
    }
    match &request.page {
        Some(path) => page.visit(&format!("{}{path}", site.url())),
        None => page.goto(&request.hash),
    }
    for step in &request.steps {
        match step {
            Step::Script(script) => {
                let value: serde_json::Value = page.eval(script);
                println!("{value}");
            }
            Step::Click(selector) => page.click(selector),
            Step::Key(chord) => page.key(chord),
            Step::Type(text) => page.type_text(text),
        }
    }
    page.wait_two_frames();
    if request.full {
        page.full_screenshot(&request.out);
    } else {
        page.screenshot(&request.out);
    }
    for problem in page.take_problems() {
        eprintln!("{problem}");
    }
    Ok(())
}

/// Parses the arguments; `None` if they ask for help.
fn parse(arguments: impl Iterator<Item = String>) -> Result<Option<Request>, Box<dyn Error>> {
    let mut arguments = arguments;
    let mut request = Request {
        out: PathBuf::new(),
        hash: String::new(),
        page: None,
        size: (1280, 800),
        full: false,
        emulation: Emulation::default(),
        locale: None,
        steps: Vec::new(),
        kind: Kind::Chrome,
    };
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value\n{USAGE}"));
        match argument.as_str() {
            "--help" | "-h" => return Ok(None),
            "--hash" => request.hash = value()?,
            "--page" => request.page = Some(value()?),
            "--width" => request.size.0 = value()?.parse()?,
            "--height" => request.size.1 = value()?.parse()?,
            "--full" => request.full = true,
            "--dark" => request.emulation.dark = true,
            "--reduced-motion" => request.emulation.reduced_motion = true,
            "--locale" => request.locale = Some(value()?),
            "--script" => request.steps.push(Step::Script(value()?)),
            "--click" => request.steps.push(Step::Click(value()?)),
            "--key" => request.steps.push(Step::Key(value()?)),
            "--type" => request.steps.push(Step::Type(value()?)),
            "--browser" => request.kind = Kind::from_name(&value()?)?,
            path if !path.starts_with('-') && request.out.as_os_str().is_empty() => request.out = path.into(),
            _ => return Err(format!("unknown argument `{argument}`\n{USAGE}").into()),
        }
    }
    if request.out.as_os_str().is_empty() {
        return Err(format!("no file to write is named\n{USAGE}").into());
    }
    Ok(Some(request))
}
