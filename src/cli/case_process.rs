//! The child process that runs the cases of a batch, so that a case that crashes or hangs affects no other.
//!
//! It is this program with a hidden option: it reads a case per line and prints a result per line. It is reused for
//! all cases, and restarted after a crash. If it cannot be started, cases run in this process.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::case::{CaseSettings, MAX_OUTPUT_LINE_BYTES, failed_case_line, run_case};
use super::clock::{StopReason, is_interrupted};
use crate::i18n::Message;

/// How long after a case's time limit the child may report the timeout itself before it is killed.
const KILL_GRACE: Duration = Duration::from_secs(1);
/// The interval at which Ctrl+C is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The child process, which runs cases.
struct CaseProcess {
    child: Child,
    input: ChildStdin,
    results: Receiver<Vec<u8>>,
}

impl CaseProcess {
    fn start(command: &mut Command) -> io::Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let ends = child.stdin.take().zip(child.stdout.take());
        let (input, output) = ends.ok_or(io::ErrorKind::BrokenPipe)?;
        let (sender, results) = sync_channel(1);
        thread::Builder::new().name("results".to_owned()).spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            let limit = MAX_OUTPUT_LINE_BYTES as u64 + 1;
            while matches!((&mut output).take(limit).read_until(b'\n', &mut line), Ok(1..))
                && line.last() == Some(&b'\n')
                && sender.send(std::mem::take(&mut line)).is_ok()
            {}
        })?;
        Ok(Self { child, input, results })
    }

    /// Kills the process; returns its exit status as text.
    fn kill(mut self) -> String {
        // It may have ended already.
        let _ = self.child.kill();
        self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string())
    }
}

/// The parent of the child process: sends it one case at a time.
pub(super) struct CaseRunner {
    command: Option<Command>,
    process: Option<CaseProcess>,
    settings: CaseSettings,
}

impl CaseRunner {
    /// Runs cases by this command, or in this process if there is none.
    pub fn new(command: Option<Command>, settings: CaseSettings) -> Self {
        Self { command, process: None, settings }
    }

    fn take_or_start(&mut self) -> Option<CaseProcess> {
        self.process.take().or_else(|| CaseProcess::start(self.command.as_mut()?).ok())
    }

    /// Runs the case on a line, which ends with a line break; returns its output line.
    pub fn run_case(&mut self, number: usize, line: &[u8]) -> Vec<u8> {
        let Some(mut process) = self.take_or_start() else {
            self.command = None;
            return run_case(number, line, &self.settings);
        };
        // The line number precedes the case, because errors mention it.
        let head = format!("{number}\n");
        let sent = process.input.write_all(head.as_bytes()).and_then(|()| process.input.write_all(line));
        let start = Instant::now();
        let limit = self.settings.time.map(|time| time + KILL_GRACE);
        while sent.is_ok() {
            match process.results.recv_timeout(POLL_INTERVAL) {
                Ok(output) => {
                    self.process = Some(process);
                    return output;
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            let stop = match self.settings.time {
                _ if is_interrupted() => StopReason::Interrupted,
                Some(time) if limit.is_some_and(|limit| start.elapsed() >= limit) => {
                    StopReason::TimeLimit(time)
                }
                _ => continue,
            };
            process.kill();
            return failed_case_line(line, stop.rule(), &stop.message(), stop.hint().as_ref());
        }
        let message = Message::terminal("cli-case-crashed").with("status", process.kill());
        failed_case_line(line, "batch-crashed", &message, Some(&Message::terminal("cli-hint-crashed")))
    }
}

impl Drop for CaseRunner {
    fn drop(&mut self) {
        if let Some(process) = self.process.take() {
            process.kill();
        }
    }
}

/// The child process: runs cases from standard input until its end. Each is a line with its number and a line with the case.
pub(super) fn run_case_loop(
    input: &mut impl BufRead,
    out: &mut impl Write,
    settings: &CaseSettings,
) -> io::Result<()> {
    let (mut head, mut line) = (String::new(), Vec::new());
    loop {
        head.clear();
        line.clear();
        if input.read_line(&mut head)? == 0 || input.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        out.write_all(&run_case(head.trim().parse().unwrap_or(0), &line, settings))?;
        out.flush()?;
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::array::Edition;
    use crate::hlo::Limits;

    fn runner(script: &str, time: Option<Duration>) -> CaseRunner {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        CaseRunner::new(
            Some(command),
            CaseSettings { edition: Edition::Current, limits: Limits::default(), time },
        )
    }

    fn output_of(runner: &mut CaseRunner, name: &str) -> String {
        let line = format!("{{\"name\":\"{name}\",\"hlo\":\"\"}}\n");
        String::from_utf8(runner.run_case(1, line.as_bytes())).unwrap()
    }

    #[test]
    fn a_crashing_case_affects_no_other() {
        let script =
            "while read n && read line; do case $line in *bad*) kill -SEGV $$;; *) echo ok;; esac; done";
        let mut runner = runner(script, None);
        for _ in 0..2 {
            assert_eq!(output_of(&mut runner, "good"), "ok\n");
            let output = output_of(&mut runner, "bad");
            assert!(output.contains("\"name\":\"bad\"") && output.contains("batch-crashed"), "{output}");
        }
        assert_eq!(output_of(&mut runner, "good"), "ok\n");
    }

    #[test]
    fn a_hanging_case_is_ended_by_its_time_limit() {
        let script = "while read n && read line; do case $line in *bad*) sleep 60;; *) echo ok;; esac; done";
        let mut runner = runner(script, Some(Duration::from_millis(100)));
        let output = output_of(&mut runner, "bad");
        assert!(output.contains("\"name\":\"bad\"") && output.contains("time-limit"), "{output}");
        assert_eq!(output_of(&mut runner, "good"), "ok\n");
    }

    #[test]
    fn a_partial_output_line_is_a_crash() {
        let mut runner = runner("read n; read line; printf half; exit 1", None);
        assert!(output_of(&mut runner, "x").contains("batch-crashed"));
    }

    #[test]
    fn cases_run_in_this_process_if_none_can_be_started() {
        let settings = CaseSettings { edition: Edition::Current, limits: Limits::default(), time: None };
        let mut runner = CaseRunner::new(Some(Command::new("/nonexistent/program")), settings);
        assert!(output_of(&mut runner, "x").contains("\"name\":\"x\""));
    }
}
