//! The link of a setup: `speed1/dot/512x512x512`, then, separated by slashes, the list of dimensions if the op has
//! one (`over=0.1` of a reduction, `to=1.0` of a transpose) and the view if it is not the default (`sizes`,
//! `layouts`).
//!
//! A link is read as far as possible and the rest is reported; opening one starts no measurement.

// Writing to a string cannot fail.
use std::fmt::Write as _;

use super::ops::{DimsRole, Op};
use super::setup::{Setup, View};
use crate::i18n::Message;
use crate::state::permalink::{decode, limit_problems, too_long};

/// The version of new links.
const VERSION: &str = "speed1";

/// Maximum number of characters of a link; a setup takes a few dozen.
pub const MAX_LINK_CHARS: usize = 2_000;

/// A parsed link.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// What could be read; the default setup if nothing could.
    pub setup: Setup,
    /// What could not be read.
    pub problems: Vec<Message>,
}

/// Whether a fragment belongs to the Speed screen.
pub fn is_own_link(fragment: &str) -> bool {
    fragment.trim_start_matches('#').starts_with("speed")
}

fn prefix(role: DimsRole) -> &'static str {
    match role {
        DimsRole::None => "",
        DimsRole::Reduced => "over=",
        DimsRole::Permutation => "to=",
    }
}

/// The fragment of a setup's link, without `#`.
pub fn write(setup: &Setup) -> String {
    let mut out = format!("{VERSION}/{}/{}", setup.op.name, setup.sizes_text());
    if setup.op.dims_role != DimsRole::None {
        let dims: Vec<String> = setup.dims.iter().map(usize::to_string).collect();
        let _ = write!(out, "/{}{}", prefix(setup.op.dims_role), dims.join("."));
    }
    if let Some((_, name)) = View::ALL.iter().find(|(view, name)| *view == setup.view && !name.is_empty()) {
        out.push('/');
        out.push_str(name);
    }
    out
}

/// Numbers separated by `separator`: an empty list if the text is empty, `None` if a part is not a number.
fn numbers<T: std::str::FromStr>(text: &str, separator: char) -> Option<Vec<T>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    text.split(separator).map(|number| number.parse().ok()).collect()
}

/// Reads a fragment, with or without `#`.
pub fn read(fragment: &str) -> Loaded {
    let fragment = fragment.trim_start_matches('#');
    let mut loaded = Loaded { setup: Setup::default(), problems: Vec::new() };
    if fragment.len() > MAX_LINK_CHARS {
        loaded.problems.push(too_long(fragment.len(), MAX_LINK_CHARS));
        return loaded;
    }
    read_into(&mut loaded, fragment);
    loaded.problems = limit_problems(loaded.problems);
    loaded
}

fn read_into(loaded: &mut Loaded, fragment: &str) {
    let text = decode(fragment, b'+');
    // A link of the version alone is the default setup.
    let (version, rest) = text.split_once('/').unwrap_or((&text, ""));
    if version != VERSION && version != "speed" {
        loaded.problems.push(part_problem(version));
    }
    let mut parts = rest.split('/').filter(|part| !part.is_empty());
    let Some(name) = parts.next() else { return };
    let Some(op) = Op::by_name(name) else {
        loaded.problems.push(part_problem(name));
        return;
    };
    let setup = &mut loaded.setup;
    *setup = Setup::new(op);
    for (i, text) in parts.enumerate() {
        let is_valid = if i == 0 && text.starts_with(|c: char| c.is_ascii_digit()) {
            let sizes = numbers(text, 'x').map(|sizes| Setup { sizes, ..setup.clone() });
            sizes.filter(Setup::has_valid_sizes).map(|sized| *setup = sized).is_some()
        } else if let Some((view, _)) = View::ALL.iter().find(|(_, name)| *name == text) {
            setup.view = *view;
            true
        } else {
            let dims = text.strip_prefix(prefix(op.dims_role)).filter(|_| op.dims_role != DimsRole::None);
            let changed =
                dims.and_then(|dims| numbers(dims, '.')).map(|dims| Setup { dims, ..setup.clone() });
            changed
                .filter(|changed| changed.clone().with_valid_dims() == *changed)
                .map(|changed| *setup = changed)
                .is_some()
        };
        if !is_valid {
            loaded.problems.push(part_problem(text));
        }
    }
    *setup = setup.clone().with_valid_dims();
}

/// The problem of a part that cannot be read.
fn part_problem(text: &str) -> Message {
    let short: String = text.chars().take(40).collect();
    Message::speed("speed-link-part").with("part", short)
}

#[cfg(test)]
mod tests {
    use super::super::ops::OPS;
    use super::*;

    /// A linear congruential generator.
    fn next(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *state >> 33
    }

    #[test]
    fn links_round_trip() {
        let mut state = 7;
        for _ in 0..10_000 {
            let op = &OPS[usize::try_from(next(&mut state)).unwrap() % OPS.len()];
            let mut setup = Setup::new(op);
            if let super::super::ops::Sizes::Dimensions { min_rank, max_rank } = op.sizes {
                setup.sizes.resize(
                    min_rank + usize::try_from(next(&mut state)).unwrap() % (max_rank - min_rank + 1),
                    1,
                );
            }
            for size in &mut setup.sizes {
                *size = 1 + next(&mut state) % 5000;
            }
            if op.dims_role == DimsRole::Reduced {
                setup.dims = (0..setup.sizes.len()).filter(|_| next(&mut state).is_multiple_of(2)).collect();
            }
            setup.view = View::ALL[usize::try_from(next(&mut state)).unwrap() % 3].0;
            let setup = setup.with_valid_dims();
            let link = write(&setup);
            assert!(is_own_link(&link) && link.len() < 60, "{link}");
            let encoded = link.replace('/', "%2F").replace('=', "%3D");
            for link in [link.clone(), format!("#{link}"), encoded] {
                assert_eq!(read(&link), Loaded { setup: setup.clone(), problems: vec![] }, "{link}");
            }
        }
    }

    #[test]
    fn old_links_keep_their_meaning() {
        let dot = read("speed1/dot/1024x1024x1024").setup;
        assert_eq!((dot.op.name, dot.sizes.as_slice()), ("dot", [1024; 3].as_slice()));
        let sum = read("speed1/reduce-sum/64x256x256/over=0.2/layouts").setup;
        assert_eq!((sum.dims, sum.view), (vec![0, 2], View::Layouts));
        assert_eq!(read("speed/").problems, []);
        assert_eq!(
            write(&read("speed1/transpose/2x3x4/to=2.0.1/sizes").setup),
            "speed1/transpose/2x3x4/to=2.0.1/sizes"
        );
    }

    #[test]
    fn malformed_parts_of_links_are_reported_and_the_rest_is_read() {
        for (link, problems) in [
            ("speed1/nonsense/1x2", 1),
            ("speed1/dot/0x1x1", 1),
            ("speed1/dot/1x1", 1),
            ("speed1/dot/99999999999999999999x1x1", 1),
            ("speed1/add/1x1x1x1x1", 1),
            ("speed1/transpose/3x4/to=0.0", 1),
            ("speed1/reduce-sum/3x4/over=1.0", 1),
            ("speed1/reduce-sum/3x4/over=7", 1),
            ("speed1/add/3x4/over=0", 1),
            ("speed1/add/3x4/更多/<b>", 2),
            ("speed9/add/3x4", 1),
            ("speed1/dot/%", 1),
        ] {
            let loaded = read(link);
            assert_eq!(loaded.problems.len(), problems, "{link}: {loaded:?}");
            assert!(loaded.setup.has_valid_sizes(), "{link}");
            assert_eq!(read(&write(&loaded.setup)).problems, [], "{link}");
        }
    }
}
