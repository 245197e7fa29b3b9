//! The worker's side of measuring: prepares every row of a setup, then samples them in turn, A B C A B C, so that what
//! else the machine does meets all alike.

use super::clock::{now, resolution};
use super::limits::limits;
use super::plan::{Candidate, Modules, groups};
use super::runner::Runner;
use super::timing::{more_runs, rounds, sample_ms};
use super::wire::{Done, Measurement};
use crate::cause::Cause;
use crate::state::speed::measurement::{LeftOut, Observation, Way};
use crate::state::speed::{View, link};
use crate::worker::channel::Parts;
use crate::worker::channel::server::{self, Answer, Call, Reporter};

/// Milliseconds for the rows that are sampled in turn, about: of all ways, of one size, and of all layouts together.
const WAYS_MS: f64 = 4_000.0;
const SIZE_MS: f64 = 700.0;
const LAYOUTS_MS: f64 = 4_000.0;

/// A row that is ready.
struct Row {
    way: Way,
    point: u32,
    runner: Runner,
    /// Milliseconds of one run.
    once: f64,
    /// Runs of a sample.
    runs: u32,
}

/// Measures from now on, if this worker was started to.
pub fn serve() {
    server::serve(answer);
}

async fn answer(call: Call<Measurement>) -> Answer<Measurement> {
    let Call { request: job, is_alone, reporter, .. } = call;
    let setup = link::read(&job.setup).setup;
    if setup.problem().is_some() {
        return None;
    }
    let modules = Modules::load(setup.view, is_alone).await;
    let target = sample_ms(resolution());
    let groups = groups(&setup, job.cores);
    let report = |observation: Observation| reporter.report(&observation.into());
    report(Observation::Rows(u32::try_from(groups.iter().map(Vec::len).sum::<usize>()).ok()?));
    for (limit, value) in limits(&setup, &modules, target) {
        report(Observation::Limit(limit, value));
    }
    let patience = match setup.view {
        View::Ways => WAYS_MS,
        View::Sizes => SIZE_MS,
        View::Layouts => LAYOUTS_MS / f64::from(u32::try_from(groups.len().max(1)).ok()?),
    };
    for group in groups {
        in_turn(group, &modules, target, patience, &reporter).await;
    }
    Some((Done, Parts::default()))
}

/// Measures a group: each row once to know it, then all of them in turn.
async fn in_turn(
    group: Vec<Candidate>,
    modules: &Modules,
    target: f64,
    patience: f64,
    reporter: &Reporter<Measurement>,
) {
    let mut rows: Vec<Row> = Vec::new();
    for candidate in group {
        rows.extend(prepare(&candidate, modules, target, patience, reporter).await);
    }
    // Slow rows are sampled once more, the rest as often as there is time.
    let (slow, mut quick): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.once > patience / 4.0);
    let round: f64 = quick.iter().map(|row| row.once * f64::from(row.runs)).sum();
    let (count, start) = (rounds(round, patience), now());
    for _ in 0..count {
        for row in &mut quick {
            sample(row, reporter).await;
        }
        if now() - start > 2.0 * patience {
            break;
        }
    }
    for mut row in slow {
        sample(&mut row, reporter).await;
    }
}

/// Prepares a row and finds how many runs make a sample; `None` where the row is left out.
async fn prepare(
    candidate: &Candidate,
    modules: &Modules,
    target: f64,
    patience: f64,
    reporter: &Reporter<Measurement>,
) -> Option<Row> {
    let report = |observation: Observation| reporter.report(&observation.into());
    let (way, point) = (candidate.way, candidate.point);
    let by = Runner::new(candidate, modules).await;
    // Without memory for the operands the instance goes on; a crash while they were prepared ended it.
    if matches!(&by, Err(LeftOut::Unavailable(Cause::Trapped(_)))) {
        modules.renew(way);
    }
    let kernel = by.as_ref().map(|(_, kernel)| kernel.clone()).map_err(Clone::clone);
    report(Observation::Row { way, point, by: kernel });
    let (mut runner, _) = by.ok()?;
    // The first run makes the browser compile and warms the caches.
    let first = match runner.sample(1).await {
        Ok(first) => first,
        Err(why) => {
            if matches!(why, LeftOut::Unavailable(_)) {
                modules.renew(way);
            }
            report(Observation::Row { way, point, by: Err(why) });
            return None;
        }
    };
    let (mut runs, mut once) = (1, first);
    while once <= patience / 4.0 {
        let Ok(ms) = runner.sample(runs).await else { break };
        once = ms;
        let Some(more) = more_runs(runs, ms * f64::from(runs), target) else { break };
        runs = more;
    }
    // Long enough to count: a bar is shown before all rows are ready.
    if once > 0.0 {
        report(Observation::Sample { way, point, ms: once });
    }
    Some(Row { way, point, runner, once, runs })
}

/// Takes a sample of a row and reports it.
async fn sample(row: &mut Row, reporter: &Reporter<Measurement>) {
    if let Ok(ms) = row.runner.sample(row.runs).await {
        reporter.report(&Observation::Sample { way: row.way, point: row.point, ms }.into());
    }
}
