//! Opens mutated links in a real browser, one after another: none may break the page or make it unresponsive for
//! more than [`MAX_UNRESPONSIVE_MS`].
//!
//! A link is a function of its number, as in `tests/mutations`. `cargo xtask soak --browser firefox --links 20000`
//! runs the first 20,000 of them; a slow link is opened again alone before it counts as slow.

// The modules of the mutations, which import one another from the root of their crate.
#[path = "../../mutations/bombs.rs"]
#[allow(dead_code, reason = "texts are mutated elsewhere")]
mod bombs;
#[path = "../../mutations/corpus.rs"]
#[allow(dead_code, clippy::unwrap_used, reason = "a module of other tests, of which only links are used")]
mod corpus;
#[path = "../../mutations/mutate.rs"]
#[allow(dead_code, clippy::unwrap_used, reason = "a module of other tests, of which only links are used")]
mod mutate;

use std::collections::BTreeMap;
use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use harness::{Browser, Emulation, Kind, Page, Site};
use serde_json::{Value, json};
use xla_playground::state::{experiment, speed};

use corpus::Corpus;

/// The longest time in milliseconds that the page may not respond.
const MAX_UNRESPONSIVE_MS: f64 = 1_000.0;

/// Links per script: few enough that a hang is noticed, many enough that the overhead of a script is small.
const LINKS_PER_SCRIPT: usize = 20;

/// Batches after which a page is replaced by a new one.
const BATCHES_PER_PAGE: usize = 25;

/// How often a slow link is opened again.
const RETRIES: usize = 3;

/// The time that a page may take to load another screen.
const SCREEN_LOAD_TIMEOUT: Duration = Duration::from_secs(3);

/// Opens the links of an array one after another; returns the longest pause of each in milliseconds, and whether
/// the page broke. A link counts as opened once the page has responded promptly for 30 ms.
const OPEN: &str = "(async (links) => {
    const channel = new MessageChannel();
    const nextTask = () => new Promise((done) => { channel.port1.onmessage = done; channel.port2.postMessage(0); });
    const results = [];
    for (const link of links) {
        let longest = 0, last = performance.now(), quiet = last;
        const begin = last;
        location.hash = link;
        while (performance.now() - quiet < 30 && performance.now() - begin < 5000) {
            await nextTask();
            const now = performance.now();
            if (now - last > 16) quiet = now;
            longest = Math.max(longest, now - last);
            last = now;
        }
        const broke = document.querySelector('main.trouble')?.innerText ?? null;
        results.push([longest, broke]);
        if (broke !== null) break;
    }
    return results;
})";

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

/// The address that opens the screen of a link. Changing the screen reloads the page.
fn start_address(link: &str) -> String {
    let (prefix, fragment) = match link.strip_prefix("embed/") {
        Some(fragment) => ("embed/", fragment),
        None => ("", link),
    };
    let screen = if experiment::link::is_own_link(fragment) {
        "ops1/@broadcast"
    } else if speed::link::is_own_link(fragment) {
        "speed/"
    } else {
        ""
    };
    format!("#{prefix}{screen}")
}

/// The results of the links.
#[derive(Default)]
struct Tally {
    pauses: Vec<(f64, u64)>,
    slow: Vec<String>,
    broken: Vec<String>,
}

impl Tally {
    fn print(&mut self) -> bool {
        self.pauses.sort_by(|a, b| b.0.total_cmp(&a.0));
        let median = self.pauses.get(self.pauses.len() / 2).map_or(0.0, |pause| pause.0);
        println!("{} links, median {median:.0} ms, the longest:", self.pauses.len());
        for (pause, number) in self.pauses.iter().take(10) {
            println!("  {pause:.0} ms, link {number}");
        }
        for line in self.slow.iter().chain(&self.broken) {
            println!("{line}");
        }
        println!("{} slow, {} broke the page", self.slow.len(), self.broken.len());
        self.slow.is_empty() && self.broken.is_empty()
    }
}

/// The longest pause of a link in milliseconds, and the page's message if it broke.
type Opened = (f64, Option<String>);

fn open(page: &Page, links: &[&String]) -> Result<Vec<Opened>, Box<dyn Error>> {
    let results: Vec<Opened> = page.try_eval(&format!("{OPEN}({})", json!(links)))?;
    Ok(results)
}

/// Opens links of one screen in batches, and opens slow ones again.
fn batch(page: &Page, start: &str, links: &[(u64, String)], tally: &mut Tally) -> Result<(), Box<dyn Error>> {
    let mut rest = links;
    while !rest.is_empty() {
        let results = match open(page, &rest.iter().map(|(_, link)| link).collect::<Vec<_>>()) {
            Ok(results) => results,
            // A link of another screen ends the script: each link is then opened alone.
            Err(error) if rest.len() == 1 => {
                let (number, link) = &rest[0];
                tally.pauses.push((0.0, *number));
                println!("link {number} opened another screen ({error}): {}", shortened(link));
                page.goto(start);
                return Ok(());
            }
            Err(_) => {
                page.goto(start);
                for link in rest.chunks(1) {
                    batch(page, start, link, tally)?;
                }
                return Ok(());
            }
        };
        let (opened, remaining) = rest.split_at(results.len().max(1).min(rest.len()));
        rest = remaining;
        for ((number, link), (pause, broke)) in opened.iter().zip(results) {
            tally.pauses.push((pause, *number));
            let reopen = || {
                page.goto(start);
                open(page, &[link]).ok().and_then(|results| results.first().map(|first| first.0))
            };
            if let Some(message) = broke {
                // A link of another screen reloads the page, which aborts its requests.
                let is_broken = stays_broken(page, start, link);
                let line = format!("link {number}: {}\n{message}", shortened(link));
                if is_broken {
                    tally.broken.push(line);
                } else {
                    println!("opened another screen: {line}");
                }
                page.visit("about:blank");
                page.goto(start);
            } else if pause > MAX_UNRESPONSIVE_MS {
                let times: Vec<f64> = (0..RETRIES).filter_map(|_| reopen()).collect();
                if times.iter().all(|time| *time > MAX_UNRESPONSIVE_MS) {
                    tally.slow.push(format!(
                        "link {number}: {pause:.0} ms, reopened {times:.0?}: {}",
                        shortened(link)
                    ));
                }
                page.goto(start);
            }
        }
    }
    Ok(())
}

/// Whether a link that is opened alone breaks the page.
fn stays_broken(page: &Page, start: &str, link: &str) -> bool {
    page.visit("about:blank");
    page.goto(start);
    // The script may end with its document.
    let _ = page.try_eval::<Value>(&format!("(location.hash = {}, null)", json!(link)));
    std::thread::sleep(SCREEN_LOAD_TIMEOUT);
    page.try_eval::<bool>("document.querySelector('main.trouble') !== null").unwrap_or(true)
}

fn shortened(link: &str) -> String {
    link.chars().take(160).collect()
}

fn run() -> Result<bool, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [browser, first, count] = &arguments[..] else {
        return Err("usage: soak BROWSER FIRST COUNT".into());
    };
    let (first, count): (u64, u64) = (first.parse()?, count.parse()?);
    let kind = Kind::from_name(browser)?;
    let corpus = Corpus::new();
    let mut screens: BTreeMap<String, Vec<(u64, String)>> = BTreeMap::new();
    for number in first..first + count {
        let link = mutate::link(&corpus, number);
        let link = link.trim_start_matches('#').to_owned();
        screens.entry(start_address(&link)).or_default().push((number, link));
    }
    let site = Site::serve(&harness::site(), "/some/where/")?;
    let browser = Browser::start(kind)?;
    let mut tally = Tally::default();
    for (start, links) in &screens {
        println!("{} links of `{start}`", links.len());
        for page_links in links.chunks(LINKS_PER_SCRIPT * BATCHES_PER_PAGE) {
            let page = browser.page(&site)?;
            page.emulate(Emulation::default());
            page.goto(start);
            for links in page_links.chunks(LINKS_PER_SCRIPT) {
                batch(&page, start, links, &mut tally)?;
            }
            page.close()?;
        }
    }
    Ok(tally.print())
}
