//! Exports an experiment as a `LaTeX` file: its arrays as `TikZ` grids with cells highlighted by role, and the
//! derivation.
//!
//! The file compiles by itself (`standalone`); its `tikzpicture` can be pasted into documents that load `tikz`,
//! together with the colour definitions, which are named by role. Every slice of an array over its last two dimensions
//! is a grid. See [`super::op_picture`] for the content.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::derivation::{Derivation, Part};
use super::op_picture::{HighlightedArray, OpPicture};
use super::palette::Theme;
use super::scene::Ink;
use super::sources::{HighlightedCell, stroke};
use xla_array::Dims;
use xla_array::index::multi_index;
use xla_messages::escape::{comment, tex};
use xla_messages::i18n::{Language, Message};
use xla_ops::Role;

/// Bound on the cells of a drawing; `TeX` takes seconds for more.
pub const MAX_CELLS: i64 = 2_000;

/// The side of a cell, the unit of the drawing.
const UNIT: &str = "8mm";

/// The drawing for an output cell; `None` if there are more than [`MAX_CELLS`] cells.
pub fn tikz(picture: &OpPicture, cell: i64, language: Language, theme: &Theme) -> Option<String> {
    if picture.total_cells() > MAX_CELLS {
        return None;
    }
    let (arrays, derivation) = picture.select(cell);
    let mut body = String::new();
    let mut roles = BTreeSet::new();
    // Operands, op and result from left to right, vertically centred.
    let mut x = 0;
    let is_last_operand =
        |i: usize| !arrays[i].is_result && arrays.get(i + 1).is_none_or(|next| next.is_result);
    for (i, array) in arrays.iter().enumerate() {
        let grids = Grids::new(array);
        // Writing to a `String` cannot fail.
        let _ = writeln!(body, "  % {}", comment(&array.title));
        let title = tex(&array.title);
        let half_height_tenths = grids.rows * 5;
        let _ = writeln!(body, "  \\begin{{scope}}[shift={{({x},-{})}}]", format_tenths(half_height_tenths));
        let _ = writeln!(body, "    \\node[title] at (0,-0.2) {{{title}}};");
        grids.draw(&mut body, array, &mut roles);
        body.push_str("  \\end{scope}\n");
        x += grids.columns.max(i64::try_from(array.title.chars().count() / 3).unwrap_or(0)) + 1;
        if is_last_operand(i) {
            let arrow_length = 1 + i64::try_from(picture.opcode().len() / 3).unwrap_or(0);
            let (from, to) = (x, x + arrow_length);
            let op = tex(picture.opcode());
            let _ = writeln!(body, "  \\draw[->, thick] ({from},0) -- node[above] {{{op}}} ({to},0);");
            x = to + 1;
        }
    }
    if let Some(derivation) = &derivation {
        let bottom_tenths = arrays.iter().map(|array| Grids::new(array).rows).max().unwrap_or(0) * 5 + 8;
        let line = format_derivation(derivation, language, &mut roles);
        let _ = writeln!(body, "  \\node[anchor=west] at (0,{}) {{{line}}};", format_tenths(bottom_tenths));
    }
    let mut out = String::from("\\documentclass[tikz, border=4pt]{standalone}\n");
    let mut colour = |name: &str, ink: Ink| {
        let [r, g, b] = theme.resolve(ink).0.0;
        let _ = writeln!(out, "\\definecolor{{{name}}}{{HTML}}{{{r:02X}{g:02X}{b:02X}}}");
    };
    colour("line", Ink::LineStrong);
    colour("text", Ink::Strong);
    colour("soft", Ink::Soft);
    colour("step", Ink::Select);
    for role in roles {
        colour(role, ink_of_role(role));
    }
    let _ = write!(
        out,
        "\\begin{{document}}\n\\begin{{tikzpicture}}[x={UNIT}, y=-{UNIT}, text=text,\n    \
         cell/.style={{draw=line, minimum size={UNIT}, inner sep=0pt, font=\\scriptsize}},\n    \
         lit/.style={{cell, draw=#1, very thick, fill=#1!20}},\n    \
         step/.style={{cell, draw=step, very thick}},\n    \
         title/.style={{anchor=south west, inner xsep=0pt, font=\\footnotesize\\ttfamily, text=soft}}]\n\
         {body}\\end{{tikzpicture}}\n\\end{{document}}\n"
    );
    Some(out)
}

/// Formats a number of tenths as a decimal number.
fn format_tenths(n: i64) -> String {
    if n % 10 == 0 { (n / 10).to_string() } else { format!("{}.{}", n / 10, n % 10) }
}

fn ink_of_role(name: &str) -> Ink {
    Role::ALL.into_iter().find(|role| role.name() == name).map_or(Ink::Strong, |role| stroke(role).ink)
}

/// The arrangement of the slices of an array, in a row with one cell between them.
struct Grids {
    /// Rows and columns of a slice.
    slice: (i64, i64),
    /// Total columns, including the gaps.
    columns: i64,
    /// Total rows.
    rows: i64,
    /// Number of slices.
    slices: i64,
}

impl Grids {
    fn new(shown: &HighlightedArray) -> Self {
        if shown.array.memory_map().elements() == 0 {
            // Only one mark is drawn; the other sizes may be arbitrarily large.
            return Self { slice: (1, 1), columns: 1, rows: 1, slices: 1 };
        }
        let sizes = &shown.array.shape().dimensions;
        let slice = match sizes.as_slice() {
            [] => (1, 1),
            [columns] => (1, *columns),
            [.., rows, columns] => (*rows, *columns),
        };
        let slices = sizes.iter().rev().skip(2).product::<i64>().max(1);
        let gap = i64::from(slices > 1);
        let columns = slices.saturating_mul(slice.1.saturating_add(gap)) - gap;
        Self { slice, columns: columns.max(1), rows: slice.0.max(1), slices }
    }

    fn draw(&self, out: &mut String, shown: &HighlightedArray, roles: &mut BTreeSet<&'static str>) {
        let sizes = &shown.array.shape().dimensions;
        if shown.array.memory_map().elements() == 0 {
            out.push_str("    \\node[anchor=north west, text=soft] at (0,0) {$\\emptyset$};\n");
            return;
        }
        let (rows, columns) = self.slice;
        for slice in 0..self.slices {
            let left = slice * (columns + 1);
            let first_index = multi_index(slice * rows * columns, sizes);
            if self.slices > 1 {
                let leading = &first_index[..first_index.len().saturating_sub(2)];
                let name = leading.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
                let below = format_tenths(rows * 10 + 4);
                // Writing to a `String` cannot fail.
                let _ = writeln!(out, "    \\node[title] at ({left},{below}) {{[{name},:,:]}};");
            }
            for row in 0..rows {
                for column in 0..columns {
                    let index = multi_index((slice * rows + row) * columns + column, sizes);
                    let (x, y) = (format_tenths((left + column) * 10 + 5), format_tenths(row * 10 + 5));
                    let style = cell_style(shown, &index, roles);
                    let value = format_value(&shown.array.label(&index, 7));
                    let _ = writeln!(out, "    \\node[{style}] at ({x},{y}) {{{value}}};");
                }
            }
        }
    }
}

fn cell_style(shown: &HighlightedArray, index: &Dims, roles: &mut BTreeSet<&'static str>) -> String {
    if shown.highlights.cursor.as_ref() == Some(index) {
        return "step".to_owned();
    }
    let highlighted: Option<&HighlightedCell> =
        shown.highlights.cells.iter().find(|cell| cell.index == *index);
    highlighted.map_or_else(
        || "cell".to_owned(),
        |highlighted| {
            let name = highlighted.role.name();
            roles.insert(name);
            format!("lit={name}")
        },
    )
}

/// Formats a value as `TeX`, numbers in math mode for their minus signs.
fn format_value(text: &str) -> String {
    let is_number = text.chars().all(|c| c.is_ascii_digit() || "-+.".contains(c));
    if is_number { format!("${text}$") } else { tex(text) }
}

/// Formats a derivation as one line.
fn format_derivation(
    derivation: &Derivation,
    language: Language,
    roles: &mut BTreeSet<&'static str>,
) -> String {
    let mut out = String::new();
    for part in &derivation.parts {
        match part {
            Part::Plain(text) => out.push_str(&tex(text)),
            Part::Read { text, role, .. } => {
                let name = role.name();
                roles.insert(name);
                let _ = write!(out, "\\textcolor{{{name}}}{{\\textbf{{{}}}}}", tex(text));
            }
            Part::Omitted(count) => {
                let omitted = Message::ops("working-more").with("count", *count).localize(language);
                let _ = write!(out, "\\textcolor{{soft}}{{{}}}", tex(&omitted));
            }
            Part::Result(text) => {
                let _ = write!(out, "\\textbf{{{}}}", tex(text));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::op_picture::tests::picture;
    use super::*;

    fn drawn(opcode: &str) -> String {
        tikz(&picture(opcode), 0, Language::ENGLISH, &Theme::light()).unwrap()
    }

    #[test]
    fn braces_and_environments_match_and_colours_are_defined_once() {
        for opcode in ["dot", "convolution", "compare", "while", "iota", "pad", "gather", "erf", "not"] {
            let text = drawn(opcode);
            let mut depth = 0_i64;
            for line in text.lines().filter(|line| !line.trim_start().starts_with('%')) {
                let mut before = ' ';
                for c in line.chars() {
                    depth += match c {
                        '{' if before != '\\' => 1,
                        '}' if before != '\\' => -1,
                        _ => 0,
                    };
                    before = c;
                    assert!(depth >= 0, "{line}");
                }
            }
            assert_eq!(depth, 0, "{opcode}");
            assert!(text.is_ascii(), "{opcode}: {text}");
            for environment in ["document", "tikzpicture", "scope"] {
                let count = |which: &str| text.matches(&format!("\\{which}{{{environment}}}")).count();
                assert_eq!(count("begin"), count("end"));
            }
            for used in text.split("lit=").skip(1).filter_map(|rest| rest.split(']').next()) {
                assert_eq!(text.matches(&format!("\\definecolor{{{used}}}")).count(), 1, "{opcode} {used}");
            }
        }
    }

    #[test]
    fn every_value_is_in_its_cell() {
        let text = drawn("dot");
        let values = |style: &str| {
            let lines = text.lines().filter(|line| line.contains(&format!("\\node[{style}]")));
            lines
                .map(|line| line.rsplit('{').next().unwrap().trim_end_matches("};").to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(values("lit=lhs"), ["$1$", "$2$"]);
        assert_eq!(values("lit=rhs"), ["$5$", "$7$"]);
        assert_eq!(values("step"), ["$19$"]);
        assert_eq!(values("cell"), ["$3$", "$4$", "$6$", "$8$", "$22$", "$43$", "$50$"]);
        let line = "out[0,0] = \\textcolor{lhs}{\\textbf{1}}$\\cdot$\\textcolor{rhs}{\\textbf{5}} + ";
        assert!(text.contains(line), "{text}");
    }

    #[test]
    fn special_characters_of_tex_are_escaped() {
        assert_eq!(tex("a_b{1}%\\"), "a\\_b\\{1\\}\\%\\textbackslash{}");
        assert_eq!(
            [format_value("-1.5"), format_value("-inf"), format_value("(1, 2)")],
            ["$-1.5$", "-inf", "(1, 2)"]
        );
    }
}
