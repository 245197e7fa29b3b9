//! Every example of every entry gives the printed result; links open entries, remember them and forget them.

use std::rc::Rc;

use crate::world::{myfunc, now};
use xla_playground::array::literal::Equality;
use xla_playground::array::{Edition, Literal};
use xla_playground::documents::{self, Entry, Example, ExpectedResult, SECTIONS};
use xla_playground::hlo::{Module, parser};
use xla_playground::i18n::Language;
use xla_playground::state::experiment::needs::Needs;
use xla_playground::state::experiment::next::next_ops;
use xla_playground::state::experiment::session::{Action, Session};
use xla_playground::state::experiment::{Experiment, link};

fn module_of(experiment: &Experiment, name: &str) -> Rc<Module> {
    let parsed = parser::parse_edition(&experiment.text, experiment.edition);
    assert!(parsed.diagnostics.is_empty(), "{name}: {:?}\n{}", parsed.diagnostics, experiment.text);
    Rc::new(parsed.module)
}

/// Every example with its entry and its name in links.
fn examples() -> impl Iterator<Item = (String, &'static Entry, &'static Example)> {
    documents::entries().flat_map(|entry| {
        entry
            .examples
            .iter()
            .enumerate()
            .map(move |(i, example)| (format!("{}.{i}", entry.name), entry, example))
    })
}

/// The experiments of an example: one for each edition that gives its result.
fn editions(entry: &Entry, example: &Example) -> Vec<Experiment> {
    let all = [Edition::Current, Edition::V2017].into_iter();
    all.filter(|edition| example.edition.is_none_or(|only| only == *edition))
        .map(|edition| Experiment { edition, ..example.experiment(entry) })
        .collect()
}

#[test]
fn every_example_gives_the_printed_result() {
    let (mut compared, mut problems) = (0, Vec::new());
    for (name, entry, example) in examples() {
        for experiment in editions(entry, example) {
            let name = format!("{name} in {:?}", experiment.edition);
            match check(&experiment, example, &name) {
                Ok(replicas) => compared += replicas,
                Err(problem) => problems.push(format!("{name}: {problem}")),
            }
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
    assert!(compared > 200, "{compared}");
}

/// Compares the result of every replica; returns their number, 0 if no result is determined.
fn check(experiment: &Experiment, example: &Example, name: &str) -> Result<usize, String> {
    let module = module_of(experiment, name);
    let results = example.expected.results();
    let is_deadlock = example.expected.reason().is_some_and(|reason| reason.key == "reason-deadlock");
    let run = match now(experiment, &module, myfunc) {
        Ok(_) if is_deadlock => return Err("every replica finishes".to_owned()),
        Ok(run) => run,
        Err(_) if is_deadlock => return Ok(0),
        Err(failure) => return Err(format!("{failure:?}")),
    };
    if run.replicas() != example.replicas || !results.is_empty() && results.len() != example.replicas {
        return Err(format!("{} replicas, {} results", run.replicas(), results.len()));
    }
    let root = module.entry_computation().unwrap().root.unwrap();
    for (replica, result) in results.iter().enumerate() {
        let wanted: Literal = result.parse().map_err(|error| format!("{error} in {result}"))?;
        let found = run.values(replica).unwrap().get(root).unwrap().to_literal();
        if !found.equals(&wanted, Equality::Same) {
            return Err(format!("{found}, not {wanted}"));
        }
    }
    Ok(results.len())
}

/// Row 55 of the table of gaps: "Collapse, … and that contradiction told to the learner".
#[test]
fn collapse_and_that_contradiction_told_to_the_learner() {
    let collapse = documents::by_name("Collapse").unwrap();
    let mut exchanged = Vec::new();
    for example in collapse.examples {
        if let ExpectedResult::IncorrectlyDocumented { documented, correct, .. } = example.expected {
            let [documented, correct] = [documented, correct].map(|text| text.parse::<Literal>().unwrap());
            assert!(!documented.equals(&correct, Equality::Same), "{}", example.call);
            exchanged.push((documented.to_string(), correct.to_string()));
        }
    }
    let [(a, b), (c, d)] = &exchanged[..] else { panic!("{exchanged:?}") };
    assert_eq!((a, b), (d, c), "the documents exchange the two results");
    for language in Language::all() {
        assert!(collapse.text().localize(language).contains("4x6"), "{}", language.tag());
    }
}

/// Row 247: "names, addresses by the documents' names".
#[test]
fn names_addresses_by_the_documents_names() {
    for (name, entry, example) in examples() {
        let loaded = link::read(&format!("#ops1/@{name}"));
        assert_eq!((loaded.experiment, loaded.problems.len()), (example.experiment(entry), 0), "{name}");
    }
    for (name, entry) in [("Collapse", "Collapse"), ("collapse", "Collapse"), ("Rev", "Rev"), ("Eq.1", "Eq")]
    {
        let loaded = link::read(&format!("#ops1/@{name}"));
        assert_eq!((loaded.experiment.document_entry.as_str(), loaded.problems.len()), (entry, 0), "{name}");
    }
    for opcode in ["reshape", "all-reduce.1", "sort.2"] {
        let loaded = link::read(&format!("#ops1/@{opcode}"));
        assert_eq!((loaded.experiment.document_entry.as_str(), loaded.problems.len()), ("", 0), "{opcode}");
    }
    // An op is found in any spelling.
    for (name, opcode) in
        [("AllGather", "all-gather"), ("all_gather", "all-gather"), ("Gather.1", "gather.1")]
    {
        let [spelled, plain] = [name, opcode].map(|name| link::read(&format!("#ops1/@{name}")));
        assert_eq!((&spelled, plain.problems.len()), (&plain, 0), "{name}");
    }
    let long = "@".repeat(1 << 12);
    for name in
        ["", "Nothing", "Collapse.3", "Collapse.-1", "Collapse.x", "Collapse.0.0", "%00", "../Rev", &long]
    {
        let loaded = link::read(&format!("#ops1/@{name}"));
        assert_eq!((loaded.experiment, loaded.problems.len()), (Experiment::default(), 1), "{name}");
    }
}

#[test]
fn a_link_keeps_the_entry_and_rejects_names_that_are_none() {
    for (name, entry, example) in examples() {
        let experiment = example.experiment(entry);
        let again = link::read(&link::write(&experiment));
        assert_eq!((again.experiment, again.problems.len()), (experiment, 0), "{name}");
    }
    let plain = link::write(&Experiment::default());
    let hostile = ["collapse", "<b>", "Collapse\u{0}", "", &"C".repeat(1 << 12)];
    for name in hostile {
        let loaded = link::read(&format!("{plain};entry={name}"));
        assert_eq!(loaded.experiment.document_entry, "", "{name:?}");
        assert_eq!(loaded.problems.len(), 1, "{name:?}");
    }
}

#[test]
fn a_session_shows_the_entry_until_another_op_is_chosen() {
    for (name, entry, example) in examples() {
        let session = Session::new(example.experiment(entry));
        assert!(!session.has_invalid_text(), "{name}: {:?}", session.diagnostics());
        let shown = session.document_entry().map(|entry| entry.name);
        assert_eq!(shown, Some(entry.name), "{name}");
    }
    let of = |name: &str| documents::experiment(name, 0).unwrap();
    let mut session = Session::new(of("Collapse"));
    let shown = |session: &Session| session.document_entry().map(|entry| entry.name);
    // An edit of the op keeps it; another op forgets it, and undo brings it back.
    session.apply(Action::Type(session.text().replace("f32[24]", "f32[4,6]")));
    assert_eq!(shown(&session), Some("Collapse"));
    session.apply(Action::CommitText);
    session.apply(Action::Load(Box::new(of("abs"))));
    assert_eq!((shown(&session), session.experiment().document_entry.as_str()), (None, ""));
    session.apply(Action::Undo);
    assert_eq!(shown(&session), Some("Collapse"));
    let offered = next_ops(session.experiment(), session.module());
    let reshape = offered.into_iter().find(|next| next.meta.opcode == "reshape").unwrap();
    session.apply(Action::Load(Box::new(reshape.outcome.unwrap())));
    assert_eq!(session.experiment().document_entry, "");
    // Another instruction of the chain shows its own op.
    let mut session = Session::new(documents::experiment("Reshape", 2).unwrap());
    assert_eq!(shown(&session), Some("Reshape"));
    let transposed = session.module().entry_computation().unwrap().find("v120").unwrap();
    session.apply(Action::SelectInstruction(transposed));
    assert_eq!(shown(&session), None);
    // Text without the op is not what the entry describes.
    let mut session = Session::new(of("Infeed"));
    session.apply(Action::Type("HloModule m\n\nENTRY e {\n  ROOT x = f32[] parameter(0)\n}\n".to_owned()));
    assert_eq!(shown(&session), None);
}

#[test]
fn examples_with_a_host_state_what_they_need() {
    for (name, entry, example) in examples() {
        let experiment = example.experiment(entry);
        let needs = Needs::new(&module_of(&experiment, &name));
        let has_host = example.replicas > 1 || !example.infeed.is_empty() || !example.functions.is_empty();
        assert!(!has_host || needs != Needs::default(), "{name} needs nothing");
    }
}

/// Row 245: "headings, link to the heading".
#[test]
fn headings_link_to_the_heading() {
    assert_eq!(SECTIONS.len(), 33);
    for entry in documents::entries() {
        let heading = entry.section().unwrap();
        assert!(heading.address_2017().starts_with("https://github.com/tensorflow/tensorflow/blob/r1.3/"));
        match entry.current_address() {
            Some(address) => assert!(address.starts_with("https://openxla.org/xla/operation_semantics#")),
            None => assert_eq!(entry.name, "RngBernoulli", "only this one is described nowhere today"),
        }
    }
}

/// Rows 79, 183: words of other frameworks and textbooks.
#[test]
fn names_of_other_frameworks_find_their_entry() {
    for (word, name) in [
        ("pooling", "ReduceWindow"),
        ("max pool", "ReduceWindow"),
        ("cumsum", "ReduceWindow"),
        ("atrous", "ConvWithGeneralPadding"),
        ("dilated", "ConvWithGeneralPadding"),
        ("deconvolution", "ConvWithGeneralPadding"),
        ("transposed convolution", "ConvWithGeneralPadding"),
        ("softmax", "Reduce"),
        ("softmax", "Exp"),
        ("relu", "Max"),
        ("matmul", "Dot"),
        ("flatten", "Collapse"),
        ("broadcast_sizes", "Broadcast"),
        ("Rev", "Rev"),
        ("eq", "Eq"),
    ] {
        let found: Vec<&str> =
            documents::entries().filter(|entry| entry.matches(word)).map(|entry| entry.name).collect();
        assert!(found.contains(&name), "{word}: {found:?}");
    }
    let window = documents::by_name("ReduceWindow").unwrap();
    assert_eq!((window.matched_word("cumsum"), window.matched_word("window")), (Some("cumsum"), None));
    assert!(!documents::entries().any(|entry| entry.matches("nothing of the kind")));
}
