//! Runs other programs: prints the command, passes its output through, and fails if it fails.

use std::env;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::{Result, project};

/// A program to run, with the project's tools first on its path.
pub struct Process {
    command: Command,
    command_line: String,
}

impl Process {
    /// The program named `name`.
    pub fn new(name: &str) -> Result<Self> {
        let program = project::find_program(&[name]).unwrap_or_else(|| name.into());
        let mut command = Command::new(program);
        command.env("PATH", env::join_paths(project::search_path()?)?);
        Ok(Self { command, command_line: name.to_owned() })
    }

    /// The cargo that runs this command.
    pub fn cargo() -> Result<Self> {
        let mut process = Self::new("cargo")?;
        if let Some(cargo) = env::var_os("CARGO") {
            let path = env::join_paths(project::search_path()?)?;
            process.command = Command::new(cargo);
            process.command.env("PATH", path);
        }
        Ok(process)
    }

    /// Adds an argument.
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command_line = format!("{} {}", self.command_line, argument.as_ref().display());
        self.command.arg(argument);
        self
    }

    /// Adds space-separated arguments.
    pub fn args(self, line: &str) -> Self {
        line.split_whitespace().fold(self, Process::arg)
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command_line = format!("{name}={} {}", value.as_ref().display(), self.command_line);
        self.command.env(name, value);
        self
    }

    /// Removes an environment variable.
    pub fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Prints the command and runs it with its output visible; fails if it fails.
    pub fn run(mut self) -> Result<()> {
        println!("$ {}", self.command_line);
        let status = self.command.stdin(Stdio::null()).status();
        let status = status.map_err(|error| format!("`{}`: {error}", self.command_line))?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("`{}` failed ({status})", self.command_line).into())
        }
    }

    /// Like [`Process::run`], for a program that prints like `cargo test` or `node --test`; returns the number of passed tests.
    pub fn run_tests(mut self) -> Result<u64> {
        println!("$ {}", self.command_line);
        let failed = |error| format!("`{}`: {error}", self.command_line);
        let mut child = self.command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(failed)?;
        let mut passed = 0;
        for line in child.stdout.take().into_iter().flat_map(|output| BufReader::new(output).split(b'\n')) {
            let line = String::from_utf8_lossy(&line.map_err(failed)?).into_owned();
            passed += passed_tests(&line).unwrap_or(0);
            println!("{line}");
        }
        let status = child.wait().map_err(failed)?;
        if status.success() {
            Ok(passed)
        } else {
            Err(format!("`{}` failed ({status})", self.command_line).into())
        }
    }

    /// Prints the command and replaces this process with it, so that a signal ends it.
    #[cfg(unix)]
    pub fn exec(mut self) -> Result<()> {
        use std::os::unix::process::CommandExt;
        println!("$ {}", self.command_line);
        let error = self.command.exec();
        Err(format!("`{}`: {error}", self.command_line).into())
    }

    /// Prints the command and runs it, on systems that cannot replace a process.
    #[cfg(not(unix))]
    pub fn exec(self) -> Result<()> {
        self.run()
    }

    /// Runs the program and returns its standard output, if it succeeds.
    pub fn output(mut self) -> Result<String> {
        let output = self.command.stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("`{}`: {error}", self.command_line))?;
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            return Err(
                format!("`{}` failed ({})\n{}", self.command_line, output.status, stderr.trim_end()).into()
            );
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// The number of passed tests, if the line is the result of a test program, or of Node's.
fn passed_tests(line: &str) -> Option<u64> {
    if let Some(passed) = line.strip_prefix("# pass ") {
        return passed.parse().ok();
    }
    let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    counts.split_once(" passed")?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_of_a_test_program_is_counted() {
        assert_eq!(passed_tests("test result: ok. 12 passed; 0 failed; 1 ignored"), Some(12));
        assert_eq!(passed_tests("test result: FAILED. 3 passed; 2 failed"), Some(3));
        assert_eq!(passed_tests("# pass 7"), Some(7));
        assert_eq!(passed_tests("test ops::passed ... ok"), None);
    }
}
