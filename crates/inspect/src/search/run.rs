//! A search in steps, with the best hits so far.

use xla_hlo::Module;

use super::index::field_text;
use super::table::Match;
use super::{Field, Query, SearchIndex};
use crate::calls::InstructionRef;

/// An instruction that matches a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The instruction.
    pub id: InstructionRef,
    /// How well it matches; higher is better.
    pub score: u32,
    /// The field in which the first term matches best.
    pub field: Field,
    /// The text of that field.
    pub text: String,
    /// The first occurrence of the term in the text, in bytes.
    pub range: std::ops::Range<usize>,
}

/// How well a term matches each text of a field.
#[derive(Clone, Debug)]
struct FieldMatches {
    /// The index of the field.
    field: usize,
    matches: Vec<Match>,
}

/// A search that may be continued.
#[derive(Clone, Debug)]
pub struct Search<'i> {
    index: &'i SearchIndex,
    query: Query,
    /// For each term, the fields in which it matches anything.
    terms: Vec<Vec<FieldMatches>>,
    /// The number of visited instructions.
    visited: usize,
    /// The matching instructions, by index, with their scores.
    found: Vec<(u32, u32)>,
}

impl<'i> Search<'i> {
    /// Starts a search: looks for the terms in the texts, but visits no instruction yet.
    pub fn new(index: &'i SearchIndex, query: Query) -> Self {
        let term_matches = |term: &super::Term| {
            let is_searched = |field: Field| term.field.map_or(field.is_default(), |only| only == field);
            let searched = index.fields.iter().enumerate().filter(|(_, (field, ..))| is_searched(*field));
            let matches = searched
                .map(|(field, (_, table, _))| FieldMatches { field, matches: table.matches(&term.text) });
            matches.filter(|field| field.matches.iter().any(|m| *m != Match::None)).collect()
        };
        let terms: Vec<Vec<FieldMatches>> = query.terms.iter().map(term_matches).collect();
        // Nothing can match if a term does not occur.
        let visited = if terms.is_empty() || terms.iter().any(Vec::is_empty) { index.len() } else { 0 };
        Self { index, query, terms, visited, found: Vec::new() }
    }

    /// Visits up to `count` further instructions; returns whether the search is finished.
    pub fn advance(&mut self, count: usize) -> bool {
        let end = self.visited.saturating_add(count).min(self.index.len());
        for instruction in self.visited..end {
            let mut total = 0;
            let matches_all = self.terms.iter().all(|term| {
                let (score, _) = self.best(term, instruction);
                total += score;
                score > 0
            });
            if matches_all {
                self.found.push((crate::calls::index32(instruction), total));
            }
        }
        self.visited = end;
        self.is_finished()
    }

    /// Whether every instruction is visited.
    pub fn is_finished(&self) -> bool {
        self.visited == self.index.len()
    }

    /// The number of matching instructions so far.
    pub fn count(&self) -> usize {
        self.found.len()
    }

    /// The score of a term for an instruction, and the index of the field with the best match; 0 without a match.
    fn best(&self, term: &[FieldMatches], instruction: usize) -> (u32, usize) {
        let mut best = (0, 0);
        for FieldMatches { field, matches } in term {
            let Some((kind, _, numbers)) = self.index.fields.get(*field) else { continue };
            let number = numbers.get(instruction).copied().unwrap_or(u32::MAX);
            let quality = matches.get(number as usize).copied().unwrap_or_default() as u32;
            let score = quality * kind.score();
            if score > best.0 {
                best = (score, *field);
            }
        }
        best
    }

    /// Up to `count` of the hits so far after skipping `skip`, the best first; equal ones with the entry computation first, then
    /// in order.
    pub fn hits(&self, module: &Module, skip: usize, count: usize) -> Vec<Hit> {
        let key = |(instruction, score): &(u32, u32)| (std::cmp::Reverse(*score), *instruction);
        let mut best = self.found.clone();
        let end = skip.saturating_add(count);
        // Only the requested hits are sorted.
        if end < best.len() {
            best.select_nth_unstable_by_key(end, key);
            best.truncate(end);
        }
        best.sort_unstable_by_key(key);
        let page = best.into_iter().skip(skip);
        page.filter_map(|(instruction, score)| self.hit(module, instruction as usize, score)).collect()
    }

    fn hit(&self, module: &Module, instruction: usize, score: u32) -> Option<Hit> {
        let id = *self.index.instructions.get(instruction)?;
        let (_, field) = self.best(self.terms.first()?, instruction);
        let field = self.index.fields.get(field)?.0;
        let text = field_text(module, id, field);
        let term = &self.query.terms.first()?.text;
        let start = text.to_ascii_lowercase().replace(['\n', '\r'], " ").find(term.as_str())?;
        Some(Hit { id, score, field, range: start..start + term.len(), text })
    }
}
