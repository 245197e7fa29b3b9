//! Measures the built site against its goals: `bench [--browser chrome|firefox]`. A missed goal is an exit code of 1.

use std::error::Error;
use std::process::ExitCode;

use harness::measure::{self, Measure};
use harness::{Browser, Emulation, Kind, Site};

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures, prints, and answers whether every goal is met.
fn run() -> Result<bool, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let kind = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Kind::Chrome,
        ["--browser", name] => Kind::from_name(name)?,
        _ => return Err("usage: cargo xtask bench [--browser chrome|firefox]".into()),
    };
    let site = Site::serve(&harness::dist(), "/some/where/")?;
    let browser = Browser::start(kind)?;
    let measures = measure_all(&browser, &site)?;
    println!("\n{} in {kind}, headless, software rendering\n", site.url());
    println!("{}", measure::heading());
    for each in &measures {
        println!("{each}");
    }
    let missed = measures.iter().filter(|each| !each.is_met()).count();
    println!("\n{} of {} goals met", measures.len() - missed, measures.len());
    Ok(missed == 0)
}

/// Every measurement, in the order of the goals.
fn measure_all(browser: &Browser, site: &Site) -> Result<Vec<Measure>, Box<dyn Error>> {
    let start = Measure {
        name: "first painted frame of the app, empty cache, no throttle".to_owned(),
        samples: measure::start(browser, site, "", 10)?,
        goals: vec![(95, 1500.0)],
    };
    let page = browser.page(site)?;
    page.emulate(Emulation::default());
    page.viewport(1280, 800);
    page.goto("");
    let points: Vec<(f64, f64)> = (0..40).map(|step| (100.0 + 20.0 * f64::from(step), 300.0)).collect();
    let hover = Measure {
        name: "pointer move on the landing page to the next frame".to_owned(),
        samples: page.hover_to_paint(&points, "true"),
        goals: vec![(95, 33.0)],
    };
    let drag = Measure {
        name: "frames while dragging across the landing page".to_owned(),
        samples: page.frames(|page| page.drag_along(&[(100.0, 300.0), (900.0, 300.0)], 60)),
        goals: vec![(50, 20.0), (95, 100.0)],
    };
    page.close()?;
    Ok(vec![start, hover, drag])
}
