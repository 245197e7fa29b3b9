//! Any text: read; what has no error is printed, read again, and run on zeros within a small budget.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xla_playground::array::{Literal, shape_util};
use xla_playground::hlo::{Evaluator, Limits, PrintOptions, parse};

fuzz_target!(|text: &str| {
    let parsed = parse(text);
    for diagnostic in &parsed.diagnostics {
        assert!(text.get(diagnostic.span.range()).is_some(), "{diagnostic:?} has no place");
    }
    if parsed.error().is_some() {
        return;
    }
    for options in [PrintOptions::SHORT, PrintOptions::LONG] {
        let printed = parsed.module.text(options);
        let again = parse(&printed);
        assert!(again.error().is_none(), "{:?} in\n{printed}", again.error());
        assert_eq!(again.module.text(options), printed);
    }
    let Some(interface) = parsed.module.interface() else { return };
    let is_small = |shape| shape_util::elements_in(shape).is_some_and(|count| count <= 1 << 16);
    let zeros = |shape| Literal::zeros(shape).ok().filter(|_| is_small(shape));
    if let Some(arguments) = interface.parameters.iter().map(zeros).collect::<Option<Vec<_>>>() {
        let limits = Limits { steps: 100_000, cells: 1 << 20 };
        // A value or an error; which does not matter.
        let _ = Evaluator::new(&parsed.module).limits(limits).run(&arguments);
    }
});
