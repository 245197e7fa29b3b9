//! Finds the instruction at an offset in the text.

use super::ids::at;
use super::wire::InstructionKey;
use crate::diagnostic::Span;
use crate::hlo::Module;
use crate::ops::ComputationId;

/// The spans in the text of a module's instructions.
pub struct InstructionSpans {
    /// Start, end and instruction. Sorted by start, then by falling end, then by falling id.
    spans: Vec<(usize, usize, InstructionKey)>,
    /// For each span, the maximum end of all spans up to it.
    max_ends: Vec<usize>,
}

impl InstructionSpans {
    /// The spans of all instructions of a module.
    pub fn new(module: &Module) -> Self {
        let computations = (0..).map(ComputationId).zip(&module.computations);
        let spans = computations.flat_map(|(id, computation)| {
            computation.iter().map(move |(instruction, found)| {
                let Span { start, end } = found.spans.whole;
                (start, end, at((id, instruction)))
            })
        });
        let mut spans: Vec<(usize, usize, InstructionKey)> = spans.collect();
        spans.sort_by_key(|(start, end, at)| (*start, std::cmp::Reverse(*end), std::cmp::Reverse(*at)));
        let mut max_end = 0;
        let max_ends = spans.iter().map(|(_, end, _)| {
            max_end = max_end.max(*end);
            max_end
        });
        let max_ends = max_ends.collect();
        Self { spans, max_ends }
    }

    /// The innermost instruction whose span contains an offset.
    pub fn innermost(&self, offset: usize) -> Option<InstructionKey> {
        let count = self.spans.partition_point(|(start, ..)| *start <= offset);
        // Spans are nested or disjoint, so that the innermost one is the last that has not ended.
        let before = self.spans[..count].iter().zip(&self.max_ends).rev();
        let reaching = before.take_while(|(_, max_end)| **max_end > offset);
        reaching.map(|(span, _)| span).find(|(_, end, _)| *end > offset).map(|(.., at)| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_instruction_is_found_as_by_a_search_through_all() {
        let nested = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %t = stablehlo.constant dense<true> : tensor<i1>\n  %y = \"stablehlo.if\"(%t) ({\n    %a = stablehlo.cosine %x : tensor<f32>\n    stablehlo.return %a : tensor<f32>\n  }, {\n    stablehlo.return %x : tensor<f32>\n  }) : (tensor<i1>) -> tensor<f32>\n  return %y : tensor<f32>\n}\n";
        let scan = include_str!("../../../static/programs/scan.hlo");
        for (text, parsed) in [(nested, crate::stablehlo::parse(nested)), (scan, crate::hlo::parse(scan))] {
            let module = parsed.module;
            let instruction_spans = InstructionSpans::new(&module);
            let all = || {
                (0..).map(ComputationId).zip(&module.computations).flat_map(|(id, computation)| {
                    computation
                        .iter()
                        .map(move |(instruction, found)| (at((id, instruction)), found.spans.whole))
                })
            };
            assert!(all().count() > 2);
            for offset in (0..text.len() + 2).step_by(3) {
                let around = all().filter(|(_, span)| (span.start..span.end).contains(&offset));
                let expected = around.min_by_key(|(at, span)| (span.end - span.start, *at)).map(|(at, _)| at);
                assert_eq!(instruction_spans.innermost(offset), expected, "{offset}");
            }
        }
    }
}
