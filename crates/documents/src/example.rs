//! Examples of the documents and their results.

use xla_array::Edition;
use xla_messages::i18n::Message;

/// An example of an entry.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The call as the documents print it; if they print none, in their notation.
    pub call: &'static str,
    /// The message key of its title.
    pub title: &'static str,
    /// The computations it calls.
    pub computations: &'static [&'static str],
    /// The instructions of the entry computation, a line each.
    pub instructions: &'static str,
    /// The values of the parameters: a list of literals without shapes for each replica with values of its own.
    pub values: &'static [&'static [&'static str]],
    /// The infeed queue: literals of the shapes that the infeeds read.
    pub infeed: &'static [&'static str],
    /// Functions by name, as JavaScript: the body of a function of `output` and `inputs`.
    pub functions: &'static [(&'static str, &'static str)],
    /// The number of replicas.
    pub replicas: usize,
    /// The only edition that gives the result; `None` if both do.
    pub edition: Option<Edition>,
    /// The result.
    pub printed: Printed,
}

/// The result of an example: literals after their shapes, one for each replica.
#[derive(Clone, Copy, Debug)]
pub enum Printed {
    /// As the documents print it.
    Result(&'static [&'static str]),
    /// The documents print a result that contradicts their own rule.
    Contradicts {
        /// What they print.
        printed: &'static str,
        /// The result by the rule.
        result: &'static str,
        /// The key of the explanation.
        reason: &'static str,
    },
    /// The documents print no result.
    Absent {
        /// The key of the reason.
        reason: &'static str,
        /// The result; empty if it is not determined, or if the run cannot finish.
        result: &'static [&'static str],
    },
}

impl Printed {
    /// The results of a run, one for each replica; empty if none is determined.
    pub fn results(&self) -> &[&'static str] {
        match self {
            Self::Result(results) | Self::Absent { result: results, .. } => results,
            Self::Contradicts { result, .. } => std::slice::from_ref(result),
        }
    }

    /// Why the documents print no result, or why the printed one is wrong.
    pub fn reason(&self) -> Option<Message> {
        match self {
            Self::Result(_) => None,
            Self::Contradicts { reason, .. } | Self::Absent { reason, .. } => {
                Some(Message::documents(reason))
            }
        }
    }
}

impl Example {
    /// The title.
    pub fn title(&self) -> Message {
        Message::documents(self.title)
    }

    /// Sets the computations that it calls.
    pub(crate) const fn calling(self, computations: &'static [&'static str]) -> Self {
        Self { computations, ..self }
    }

    /// Restricts the example to one edition.
    pub(crate) const fn only(self, edition: Edition) -> Self {
        Self { edition: Some(edition), ..self }
    }

    /// Runs the example on one replica for each list of values.
    pub(crate) const fn on_replicas(self, values: &'static [&'static [&'static str]]) -> Self {
        Self { values, replicas: values.len(), ..self }
    }

    /// Sets the items of the infeed queue.
    pub(crate) const fn fed(self, infeed: &'static [&'static str]) -> Self {
        Self { infeed, ..self }
    }

    /// Sets the functions of custom calls.
    pub(crate) const fn with_functions(self, functions: &'static [(&'static str, &'static str)]) -> Self {
        Self { functions, ..self }
    }
}

/// An example without computations or host, with the values of its parameters, for both editions.
pub(crate) const fn example(
    call: &'static str,
    title: &'static str,
    instructions: &'static str,
    values: &'static [&'static [&'static str]],
    printed: Printed,
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
        printed,
    }
}

/// The result of an example whose result the documents print.
macro_rules! printed {
    ($($result:expr),+) => { $crate::example::Printed::Result(&[$($result),+]) };
}

/// The result of an example whose result the documents do not print, with the key of the reason.
macro_rules! absent {
    ($reason:literal $(, $result:expr)*) => {
        $crate::example::Printed::Absent { reason: $reason, result: &[$($result),*] }
    };
}

pub(crate) use {absent, printed};
