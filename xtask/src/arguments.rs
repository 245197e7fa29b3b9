//! Parses the command line: a command takes its arguments, and [`Arguments::finish`] rejects the rest.

use crate::Result;
use crate::browsers::Browser;

/// The arguments that are not taken yet.
pub struct Arguments(Vec<String>);

impl Arguments {
    /// The arguments of this process, without its name.
    pub fn from_env() -> Self {
        Self(std::env::args().skip(1).collect())
    }

    /// Takes the first argument, unless it is an option.
    pub fn positional(&mut self) -> Option<String> {
        let is_positional = self.0.first().is_some_and(|first| !first.starts_with('-'));
        is_positional.then(|| self.0.remove(0))
    }

    /// Takes the flag `name`; returns whether it was present.
    pub fn flag(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|argument| argument != name);
        self.0.len() < before
    }

    /// Takes `name` with the following value, or `name=value`.
    pub fn value(&mut self, name: &str) -> Result<Option<String>> {
        let with_value =
            |argument: &String| argument.strip_prefix(name)?.strip_prefix('=').map(str::to_owned);
        if let Some(position) = self.0.iter().position(|argument| with_value(argument).is_some()) {
            return Ok(with_value(&self.0.remove(position)));
        }
        let Some(position) = self.0.iter().position(|argument| argument == name) else { return Ok(None) };
        if position + 1 >= self.0.len() {
            return Err(format!("{name} needs a value").into());
        }
        self.0.remove(position);
        Ok(Some(self.0.remove(position)))
    }

    /// Takes `--browser`; without it, both browsers.
    pub fn browsers(&mut self) -> Result<Vec<Browser>> {
        match self.value("--browser")? {
            Some(name) => Ok(vec![Browser::from_name(&name)?]),
            None => Ok(vec![Browser::Chrome, Browser::Firefox]),
        }
    }

    /// Takes the remaining arguments, for another program.
    pub fn rest(self) -> Vec<String> {
        self.0
    }

    /// Rejects arguments that were not taken.
    pub fn finish(self) -> Result<()> {
        match self.0.first() {
            Some(unknown) => {
                Err(format!("`{unknown}` is unknown here; `cargo xtask` lists the commands").into())
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(line: &str) -> Arguments {
        Arguments(line.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn options_are_taken_in_any_order() {
        let mut given = arguments("serve --port 9000 --release");
        assert_eq!(given.positional().as_deref(), Some("serve"));
        assert!(given.flag("--release"));
        assert_eq!(given.value("--port").unwrap().as_deref(), Some("9000"));
        assert!(given.finish().is_ok());
        assert_eq!(arguments("--port=9000").value("--port").unwrap().as_deref(), Some("9000"));
    }

    #[test]
    fn unknown_arguments_are_rejected() {
        assert!(arguments("--port").value("--port").is_err());
        assert!(arguments("--relase").finish().is_err());
        assert!(arguments("--browser opera").browsers().is_err());
        assert_eq!(arguments("").browsers().unwrap().len(), 2);
    }
}
