//! Examples, those of the documentation and additional ones, with their expected results.

use xla_array::Edition;
use xla_messages::i18n::Message;

/// An example of an op: a small program with its inputs and its expected result.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The call, as the documentation prints it or in its notation.
    pub call: &'static str,
    /// The message key of its title.
    pub title: &'static str,
    /// The computations it calls.
    pub computations: &'static [&'static str],
    /// The instructions of the entry computation, one per line.
    pub instructions: &'static str,
    /// Parameter literals (without shapes), one list per replica.
    pub values: &'static [&'static [&'static str]],
    /// The infeed queue: literals of the shapes that the infeeds read.
    pub infeed: &'static [&'static str],
    /// Custom-call functions by target name: the JavaScript body of a function of `output` and `inputs`.
    pub functions: &'static [(&'static str, &'static str)],
    /// The number of replicas.
    pub replicas: usize,
    /// The only edition that gives the result; `None` if both do.
    pub edition: Option<Edition>,
    /// The expected result.
    pub expected: ExpectedResult,
}

/// The expected result of an example: literals with their shapes, one per replica.
#[derive(Clone, Copy, Debug)]
pub enum ExpectedResult {
    /// As the documentation prints it.
    Documented(&'static [&'static str]),
    /// The documentation prints a result that contradicts its own rule.
    IncorrectlyDocumented {
        /// The printed result.
        documented: &'static str,
        /// The result by the rule.
        correct: &'static str,
        /// The key of the explanation.
        reason: &'static str,
    },
    /// The documentation prints no result, or does not have the example.
    Undocumented {
        /// The key of the reason.
        reason: &'static str,
        /// The result; empty if it is unspecified, or if the run cannot finish.
        result: &'static [&'static str],
    },
}

impl ExpectedResult {
    /// The results of a run, one per replica; empty if they are unspecified.
    pub fn results(&self) -> &[&'static str] {
        match self {
            Self::Documented(results) | Self::Undocumented { result: results, .. } => results,
            Self::IncorrectlyDocumented { correct, .. } => std::slice::from_ref(correct),
        }
    }

    /// Why the documentation prints no result, or why the printed one is wrong.
    pub fn reason(&self) -> Option<Message> {
        match self {
            Self::Documented(_) => None,
            Self::IncorrectlyDocumented { reason, .. } | Self::Undocumented { reason, .. } => {
                Some(Message::documents(reason))
            }
        }
    }
}

impl Example {
    /// The message of its title.
    pub fn title(&self) -> Message {
        Message::documents(self.title)
    }

    /// Sets the computations that it calls.
    pub(crate) const fn with_computations(self, computations: &'static [&'static str]) -> Self {
        Self { computations, ..self }
    }

    /// Restricts the example to one edition.
    pub(crate) const fn for_edition(self, edition: Edition) -> Self {
        Self { edition: Some(edition), ..self }
    }

    /// Sets the values: one list, and one replica, for each.
    pub(crate) const fn on_replicas(self, values: &'static [&'static [&'static str]]) -> Self {
        Self { values, replicas: values.len(), ..self }
    }

    /// Sets the items of the infeed queue.
    pub(crate) const fn with_infeed(self, infeed: &'static [&'static str]) -> Self {
        Self { infeed, ..self }
    }

    /// Sets the custom-call functions.
    pub(crate) const fn with_functions(self, functions: &'static [(&'static str, &'static str)]) -> Self {
        Self { functions, ..self }
    }
}

/// An example for both editions on one replica, without called computations, an infeed queue or custom calls.
pub(crate) const fn example(
    call: &'static str,
    title: &'static str,
    instructions: &'static str,
    values: &'static [&'static [&'static str]],
    expected: ExpectedResult,
) -> Example {
    Example {
        call,
        title,
        computations: &[],
        instructions,
        values,
        infeed: &[],
        functions: &[],
        replicas: 1,
        edition: None,
        expected,
    }
}

/// A result that the documentation prints.
macro_rules! documented {
    ($($result:expr),+) => { $crate::example::ExpectedResult::Documented(&[$($result),+]) };
}

/// A result that the documentation does not print, with the message key of the reason: `reason-docs-give-no-values` if
/// it describes the example in words only, `reason-shape-only` if they give the shape only,
/// `reason-docs-have-no-example` if the example is ours, `reason-deadlock` if it never ends.
macro_rules! undocumented {
    (reason: $reason:literal $(, $result:expr)*) => {
        $crate::example::ExpectedResult::Undocumented { reason: $reason, result: &[$($result),*] }
    };
}

pub(crate) use {documented, undocumented};
