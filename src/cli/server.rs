//! The process that runs the cases of a batch: a case that crashes or hangs it takes no other with it.
//!
//! It is this program again, with a hidden command: it reads a case a line and answers each with a line. It is kept
//! from case to case, and started anew where it died. Where none can be started cases are run here.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::case::{MAX_ANSWER_BYTES, Terms, answer, unanswered};
use super::clock::{Stop, is_interrupted};
use crate::i18n::Message;

/// How much longer than its time a case is waited for, as the process ends it itself.
const GRACE: Duration = Duration::from_secs(1);
/// How often Ctrl+C is looked at.
const TICK: Duration = Duration::from_millis(50);

/// A process that is running.
struct Running {
    child: Child,
    input: ChildStdin,
    answers: Receiver<Vec<u8>>,
}

impl Running {
    fn start(command: &mut Command) -> io::Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let ends = child.stdin.take().zip(child.stdout.take());
        let (input, output) = ends.ok_or(io::ErrorKind::BrokenPipe)?;
        let (sender, answers) = sync_channel(1);
        thread::Builder::new().name("answers".to_owned()).spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            let limit = MAX_ANSWER_BYTES as u64 + 1;
            while matches!((&mut output).take(limit).read_until(b'\n', &mut line), Ok(1..))
                && line.last() == Some(&b'\n')
                && sender.send(std::mem::take(&mut line)).is_ok()
            {}
        })?;
        Ok(Self { child, input, answers })
    }

    /// Ends it; gives how it ended.
    fn end(mut self) -> String {
        // It may have ended by itself.
        let _ = self.child.kill();
        self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string())
    }
}

/// Runs cases one by one.
pub(super) struct Server {
    command: Option<Command>,
    running: Option<Running>,
    terms: Terms,
}

impl Server {
    /// One that runs this command, or here where there is none.
    pub fn new(command: Option<Command>, terms: Terms) -> Self {
        Self { command, running: None, terms }
    }

    fn started(&mut self) -> Option<Running> {
        self.running.take().or_else(|| Running::start(self.command.as_mut()?).ok())
    }

    /// The answer to a line, which ends with a line break.
    pub fn answer(&mut self, number: usize, line: &[u8]) -> Vec<u8> {
        let Some(mut running) = self.started() else {
            self.command = None;
            return answer(number, line, &self.terms);
        };
        // The number goes first, for the errors that name it.
        let head = format!("{number}\n");
        let sent = running.input.write_all(head.as_bytes()).and_then(|()| running.input.write_all(line));
        let start = Instant::now();
        let limit = self.terms.time.map(|time| time + GRACE);
        while sent.is_ok() {
            match running.answers.recv_timeout(TICK) {
                Ok(answer) => {
                    self.running = Some(running);
                    return answer;
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            let stop = match self.terms.time {
                _ if is_interrupted() => Stop::Interrupted,
                Some(time) if limit.is_some_and(|limit| start.elapsed() >= limit) => Stop::Time(time),
                _ => continue,
            };
            running.end();
            return unanswered(line, stop.rule(), &stop.message(), stop.hint().as_ref());
        }
        let message = Message::terminal("cli-case-crashed").with("status", running.end());
        unanswered(line, "batch-crashed", &message, Some(&Message::terminal("cli-hint-crashed")))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.end();
        }
    }
}

/// Answers cases from standard input until it ends: a line with the number of the case, a line with the case.
pub(super) fn serve(input: &mut impl BufRead, out: &mut impl Write, terms: &Terms) -> io::Result<()> {
    let (mut head, mut line) = (String::new(), Vec::new());
    loop {
        head.clear();
        line.clear();
        if input.read_line(&mut head)? == 0 || input.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        out.write_all(&answer(head.trim().parse().unwrap_or(0), &line, terms))?;
        out.flush()?;
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::array::Edition;
    use crate::hlo::Limits;

    fn server(script: &str, time: Option<Duration>) -> Server {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        Server::new(Some(command), Terms { edition: Edition::Now, limits: Limits::default(), time })
    }

    fn asked(server: &mut Server, name: &str) -> String {
        let line = format!("{{\"name\":\"{name}\",\"hlo\":\"\"}}\n");
        String::from_utf8(server.answer(1, line.as_bytes())).unwrap()
    }

    #[test]
    fn a_case_that_kills_the_process_takes_no_other_with_it() {
        let script =
            "while read n && read line; do case $line in *bad*) kill -SEGV $$;; *) echo ok;; esac; done";
        let mut server = server(script, None);
        for _ in 0..2 {
            assert_eq!(asked(&mut server, "good"), "ok\n");
            let answer = asked(&mut server, "bad");
            assert!(answer.contains("\"name\":\"bad\"") && answer.contains("batch-crashed"), "{answer}");
        }
        assert_eq!(asked(&mut server, "good"), "ok\n");
    }

    #[test]
    fn a_case_that_hangs_the_process_is_given_up() {
        let script = "while read n && read line; do case $line in *bad*) sleep 60;; *) echo ok;; esac; done";
        let mut server = server(script, Some(Duration::from_millis(100)));
        let answer = asked(&mut server, "bad");
        assert!(answer.contains("\"name\":\"bad\"") && answer.contains("time-limit"), "{answer}");
        assert_eq!(asked(&mut server, "good"), "ok\n");
    }

    #[test]
    fn half_an_answer_is_none() {
        let mut server = server("read n; read line; printf half; exit 1", None);
        assert!(asked(&mut server, "x").contains("batch-crashed"));
    }

    #[test]
    fn cases_are_run_here_where_no_process_can_be_started() {
        let terms = Terms { edition: Edition::Now, limits: Limits::default(), time: None };
        let mut server = Server::new(Some(Command::new("/nonexistent/program")), terms);
        assert!(asked(&mut server, "x").contains("\"name\":\"x\""));
    }
}
