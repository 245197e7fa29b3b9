//! One picture of an experiment: the operands with highlighted source cells, the op, the result, and the derivation of
//! one output cell. It is independent of the op.
//!
//! The layout depends on the shapes only, so that the pictures of all output cells can be frames of an animation. See
//! [`super::svg`], [`super::tikz`] and [`super::gif`] for the file formats.

mod text;

use std::sync::Arc;

use self::text::{TEXT_CHAR_WIDTH, char_count};
use super::array_view::ArrayView;
use super::axis_assignment::AxisAssignment;
use super::colour_map::ColourMap;
use super::derivation::{Derivation, derivation, index_text};
use super::grid::Grid;
use super::grid::base_area::Area;
use super::instruction_area::InstructionArea;
use super::palette::Theme;
use super::pixels::count_px;
use super::scene::{Anchor, Ink, Item, Label, Rect, Scene, Stroke};
use super::sources::{CellHighlights, operand_highlights};
use super::svg::svg;
use crate::options::ColourBy;
use xla_array::index::multi_index;
use xla_array::{ArrayLiteral, Dims};
use xla_experiment::run::{FinishedRun, leaves};
use xla_hlo::{InstructionId, InstructionPrinter};
use xla_messages::i18n::Language;
use xla_ops::{CellAt, OpDef};

/// Bound on the side of a cell, pixels.
const MAX_CELL: f64 = 48.0;
/// Bound on the width and height of one grid, pixels.
const MAX_GRID: (f64, f64) = (640.0, 560.0);
/// Bound on the width of a row of operands, pixels.
const MAX_ROW_WIDTH: f64 = 720.0;
/// Margin around the picture, and space between arrays, pixels.
const MARGIN: f64 = 20.0;
/// Height of an array's title, pixels.
const TITLE_HEIGHT: f64 = 28.0;
/// Minimum width of the arrow with the op's name, pixels.
const MIN_ARROW_WIDTH: f64 = 34.0;
/// Font size of the derivation, pixels.
const TEXT_SIZE: f64 = 15.0;
/// Line height of the derivation, pixels.
const TEXT_LINE_HEIGHT: f64 = 24.0;
/// Space between the arrays and the derivation, pixels.
const GAP: f64 = 6.0;
/// Minimum width of the picture, pixels.
const MIN_WIDTH: f64 = 420.0;
/// Lines of the derivation in a frame of an animation; its lists are short ([`super::derivation`]).
const FRAME_LINES: usize = 3;

/// Bound on the arrays of one picture; more could not be distinguished.
pub const MAX_ARRAYS: usize = 64;

/// One array of the picture.
struct Panel {
    title: String,
    /// The operand number; `None` for a result.
    operand: Option<usize>,
    /// The tuple path of the array in its value.
    path: Vec<usize>,
    array: ArrayView,
}

/// The arrays of an instruction, to be drawn with any output cell selected.
pub struct OpPicture {
    finished: FinishedRun,
    focus: InstructionId,
    opcode: String,
    /// The attributes, as HLO writes them.
    attributes: String,
    panels: Vec<Panel>,
    /// The operand with its padding, if the op moves a window over it.
    area: Option<InstructionArea>,
    /// The panel whose cells can be selected.
    result: usize,
}

/// An array with its highlights for the selected output cell.
pub struct HighlightedArray<'a> {
    /// Its name and shape.
    pub title: String,
    /// Whether it is the result or a tuple element of it.
    pub is_result: bool,
    /// The array that is drawn.
    pub array: &'a ArrayView,
    /// Its base area, if windows move over it.
    pub area: Option<&'a Area>,
    /// The cells that are highlighted.
    pub highlights: CellHighlights,
}

impl OpPicture {
    /// The arrays of an instruction of the entry computation; `leaf` is the array of the result whose cells can be
    /// selected. `None` if the instruction has no array, or more than [`MAX_ARRAYS`].
    pub fn new(finished: &FinishedRun, focus: InstructionId, leaf: usize, map: ColourMap) -> Option<Self> {
        let instruction = finished.module().entry_computation()?.get(focus)?;
        let meta = instruction.op.map(OpDef::meta)?;
        if Self::array_count(finished, focus) > MAX_ARRAYS {
            return None;
        }
        let view = |literal: Arc<ArrayLiteral>| {
            ArrayView::from_literal(literal, ColourBy::Value, map).without_value_colours()
        };
        let path_text =
            |path: &[usize]| path.iter().fold(String::new(), |path, i| path + "." + &i.to_string());
        let mut panels = Vec::new();
        for (i, id) in instruction.operands.iter().enumerate() {
            for (path, array) in finished.value(*id).map(leaves).unwrap_or_default() {
                let title =
                    format!("{}{}", meta.operands.label(i, instruction.operands.len()), path_text(&path));
                panels.push(Panel { title, operand: Some(i), path, array: view(array) });
            }
        }
        let first = panels.len();
        for (path, array) in finished.value(focus).map(leaves)? {
            panels.push(Panel {
                title: format!("out{}", path_text(&path)),
                operand: None,
                path,
                array: view(array),
            });
        }
        let results = panels.len().checked_sub(first).filter(|count| *count > 0)?;
        let result = first + leaf.min(results - 1);
        Some(Self {
            finished: finished.clone(),
            focus,
            opcode: instruction.opcode.clone(),
            attributes: InstructionPrinter::new(finished.module())
                .attributes(finished.module().entry?, focus),
            panels,
            area: InstructionArea::new(finished, focus),
            result,
        })
    }

    /// The number of arrays in the operands and the result of an instruction.
    pub fn array_count(finished: &FinishedRun, focus: InstructionId) -> usize {
        let instruction = finished.module().entry_computation().and_then(|entry| entry.get(focus));
        let operands = instruction.map(|i| i.operands.as_slice()).unwrap_or_default();
        operands
            .iter()
            .chain([&focus])
            .map(|id| finished.value(*id).map_or(0, |value| leaves(value).len()))
            .sum()
    }

    /// The number of output cells that can be selected.
    pub fn cell_count(&self) -> i64 {
        self.panels[self.result].array.memory_map().elements()
    }

    /// The name of an output cell: `out[1,2]`.
    pub fn cell_name(&self, cell: i64) -> String {
        let result = &self.panels[self.result];
        let index = multi_index(cell, &result.array.shape().dimensions);
        format!("{}{}", result.title, index_text(&index))
    }

    /// The opcode of the drawn instruction.
    pub fn opcode(&self) -> &str {
        &self.opcode
    }

    /// The number of cells of all arrays.
    pub fn total_cells(&self) -> i64 {
        self.panels.iter().map(|panel| panel.array.memory_map().elements()).fold(0, i64::saturating_add)
    }

    /// The arrays with their highlights for an output cell, and the cell's derivation.
    pub fn select(&self, cell: i64) -> (Vec<HighlightedArray<'_>>, Option<Derivation>) {
        let result = &self.panels[self.result];
        let index = (0..self.cell_count())
            .contains(&cell)
            .then(|| multi_index(cell, &result.array.shape().dimensions));
        let at = index.clone().map(|index| CellAt { path: result.path.iter().copied().collect(), index });
        let sources =
            at.as_ref().and_then(|at| self.finished.sources(self.focus, at).ok()).unwrap_or_default();
        let copied = index.as_ref().and_then(|out| self.finished.copied_slice(self.focus, out, &sources));
        let windows = self.area.as_ref().and_then(|area| area.windows(None, index.as_deref(), &sources));
        let winners = self.area.as_ref().zip(windows.as_ref()).map(|(area, windows)| {
            let selected = area.selected_cells(&self.finished, self.focus, windows);
            selected.into_iter().map(|selected| selected.cell).collect::<Vec<_>>()
        });
        let derived = at.and_then(|at| derivation(&self.finished, self.focus, &at, &sources));
        let arrays = self.panels.iter().enumerate().map(|(i, panel)| {
            let cells =
                panel.operand.map(|o| operand_highlights(&sources, o, &panel.path)).unwrap_or_default();
            let cursor = index.clone().filter(|_| i == self.result);
            let is_whole = |operand: usize| panel.operand == Some(operand) && panel.path.is_empty();
            let area = self.area.as_ref().filter(|area| is_whole(area.area.base().operand));
            let slice = copied.clone().filter(|(sliced, _)| is_whole(*sliced)).map(|(_, parts)| parts);
            HighlightedArray {
                title: format!("{} {}", panel.title, panel.array.shape()),
                is_result: panel.operand.is_none(),
                array: &panel.array,
                area: area.map(|area| &*area.area),
                highlights: CellHighlights {
                    cells,
                    cursor,
                    slice: slice.unwrap_or_default(),
                    base_area: windows.clone().filter(|_| area.is_some()),
                    winners: winners.clone().filter(|_| area.is_some()).unwrap_or_default(),
                    ..CellHighlights::default()
                },
            }
        });
        (arrays.collect(), derived)
    }

    /// The picture of an output cell, with words in this language.
    pub fn scene(&self, cell: i64, language: Language) -> Scene {
        self.draw(cell, language, None)
    }

    /// The picture of an output cell as a frame of an animation: all have the same size.
    pub fn frame(&self, cell: i64, language: Language) -> Scene {
        self.draw(cell, language, Some(FRAME_LINES))
    }

    /// The picture of an output cell as an SVG file.
    pub fn svg(&self, cell: i64, language: Language, theme: &Theme, description: &str) -> String {
        svg(&self.scene(cell, language), theme, &self.opcode, description)
    }

    fn draw(&self, cell: i64, language: Language, lines: Option<usize>) -> Scene {
        let (arrays, derivation) = self.select(cell);
        let (results, operands): (Vec<_>, Vec<_>) = arrays.into_iter().partition(|array| array.is_result);
        let (left, right) = (rows(&operands), rows(&results));
        let arrow_width = (TEXT_CHAR_WIDTH * char_count(&self.opcode) + 24.0).max(MIN_ARROW_WIDTH);
        let between = if operands.is_empty() { 0.0 } else { left.width + MARGIN + arrow_width + MARGIN };
        let width = (2.0 * MARGIN + between + right.width).max(MIN_WIDTH);
        let height = left.height.max(right.height);
        let text = text::Text {
            attributes: &self.attributes,
            derivation: derivation.as_ref(),
            operands: operands.iter().map(|operand| &operand.highlights).collect(),
            language,
        };
        let lines = text.lines(width - 2.0 * MARGIN, lines);
        let text_height = count_px(lines.len()) * TEXT_LINE_HEIGHT + GAP;
        let mut scene = Scene::new(width, MARGIN + height + text_height + MARGIN);
        if !operands.is_empty() {
            let middle = MARGIN + height / 2.0;
            scene.insert(left.clone(), MARGIN, MARGIN + (height - left.height) / 2.0);
            let from = MARGIN + left.width + MARGIN;
            let to = from + arrow_width;
            scene.centred_label(
                Rect::new(from, middle - 24.0, to - from, 20.0),
                self.opcode.as_str(),
                15.0,
                true,
                Ink::Strong,
            );
            let line = Stroke::solid(Ink::LineStrong, 2.0);
            scene.line((from, middle), (to - 1.0, middle), line);
            scene.line((to - 8.0, middle - 6.0), (to, middle), line);
            scene.line((to - 8.0, middle + 6.0), (to, middle), line);
        }
        scene.insert(right.clone(), MARGIN + between, MARGIN + (height - right.height) / 2.0);
        for (row, line) in lines.into_iter().enumerate() {
            let y = MARGIN + height + GAP + (count_px(row) + 0.75) * TEXT_LINE_HEIGHT;
            let mut x = MARGIN;
            for (text, ink, bold) in line {
                let text_width = char_count(&text) * TEXT_CHAR_WIDTH;
                let label = Label { x, y, text, size: TEXT_SIZE, bold, anchor: Anchor::Start, ink };
                scene.items.push(Item::Label(label));
                x += text_width;
            }
        }
        scene
    }
}

/// Draws an array with its title.
fn panel(shown: &HighlightedArray) -> Scene {
    let map = shown.array.memory_map();
    let sizes = shown.area.map_or(map.padded_sizes(), Area::sizes);
    let highlighted = shown
        .highlights
        .cursor
        .clone()
        .or_else(|| shown.highlights.cells.first().map(|cell| cell.index.clone()));
    let highlighted = highlighted.map(|index| shown.area.map_or(index.clone(), |area| area.cell(&index)));
    // Dimensions on sliders show the highlighted cell.
    let positions = highlighted.clone().unwrap_or_else(|| Dims::from_elem(0, sizes.len()));
    let assignment = AxisAssignment::new(sizes, None);
    let sliders: Vec<String> =
        assignment.sliders.iter().map(|d| format!("d{d} = {}", positions[*d])).collect();
    let mut grid = Grid::fitted_to(sizes, assignment, &positions, MAX_GRID, MAX_CELL);
    let (width, height) = grid.content_size();
    (grid.width, grid.height) = (width.min(MAX_GRID.0), height.min(MAX_GRID.1));
    if let Some(index) = &highlighted {
        grid.reveal(index);
    }
    let title = if sliders.is_empty() {
        shown.title.clone()
    } else {
        format!("{}  {}", shown.title, sliders.join(" "))
    };
    let mut scene = Scene::new(grid.width.max(char_count(&title) * 7.9 + 6.0), TITLE_HEIGHT + grid.height);
    scene.label((6.0, TITLE_HEIGHT / 2.0), title, 13.0, Anchor::Start, Ink::Soft);
    let picture = match shown.area {
        Some(area) => grid.area_scene(area, shown.array),
        None => grid.scene(shown.array),
    };
    scene.insert(picture, 0.0, TITLE_HEIGHT);
    scene.insert(grid.cell_overlay(&shown.highlights), 0.0, TITLE_HEIGHT);
    scene
}

/// Draws arrays in rows of bounded width.
fn rows(arrays: &[HighlightedArray]) -> Scene {
    let mut scene = Scene::default();
    let (mut x, mut y, mut row_height) = (0.0, 0.0, 0.0_f64);
    for panel in arrays.iter().map(panel) {
        if x > 0.0 && x + panel.width > MAX_ROW_WIDTH {
            (x, y, row_height) = (0.0, y + row_height + MARGIN, 0.0);
        }
        let (width, height) = (panel.width, panel.height);
        scene.insert(panel, x, y);
        row_height = row_height.max(height);
        scene.width = scene.width.max(x + width);
        scene.height = scene.height.max(y + height);
        x += width + MARGIN;
    }
    scene
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::rc::Rc;
    use xla_experiment::preset;
    use xla_hlo::Limits;

    /// The picture of the first example of an op.
    pub fn picture(opcode: &str) -> OpPicture {
        let preset = preset::all().find(|preset| preset.meta.opcode == opcode).unwrap();
        let experiment = preset.experiment();
        let module = Rc::new(xla_hlo::parse(&experiment.text).into_module().unwrap());
        let entry = module.entry_computation().unwrap();
        let focus = entry.find(&experiment.focus).or(entry.root).unwrap();
        let finished = FinishedRun::run(&experiment, &module, Limits::default()).unwrap();
        OpPicture::new(&finished, focus, 0, ColourMap::Viridis).unwrap()
    }

    fn labels(scene: &Scene) -> Vec<&str> {
        scene
            .items
            .iter()
            .filter_map(|item| if let Item::Label(label) = item { Some(label.text.as_str()) } else { None })
            .collect()
    }

    #[test]
    fn the_picture_has_every_array_the_op_and_the_derivation() {
        let picture = picture("dot");
        let scene = picture.scene(1, Language::ENGLISH);
        let labels = labels(&scene);
        for text in ["lhs s32[2,2]{1,0}", "rhs s32[2,2]{1,0}", "out s32[2,2]{1,0}", "dot", "22"] {
            assert!(labels.contains(&text), "{text} in {labels:?}");
        }
        assert!(labels.concat().contains("out[0,1] = 1·6 + 2·8 = 22"), "{labels:?}");
        assert_eq!(picture.cell_count(), 4);
        assert_eq!(picture.total_cells(), 12);
        assert_eq!(picture.cell_name(2), "out[1,0]");
    }

    #[test]
    fn everything_is_within_the_picture_and_frames_have_one_size() {
        for opcode in ["dot", "reduce-window", "convolution", "while", "iota", "gather", "sort", "constant"] {
            let picture = picture(opcode);
            let first = picture.frame(0, Language::ENGLISH);
            for cell in 0..picture.cell_count() {
                let scene = picture.frame(cell, Language::ENGLISH);
                assert_eq!((scene.width, scene.height), (first.width, first.height), "{opcode}");
                for item in &scene.items {
                    let (x, y) = match item {
                        Item::Label(label) => (label.x, label.y),
                        Item::Box { rect, .. } => (rect.x + rect.w, rect.y + rect.h),
                        _ => continue,
                    };
                    assert!((0.0..=scene.width).contains(&x), "{opcode} {item:?} {}", scene.width);
                    assert!((0.0..=scene.height).contains(&y), "{opcode} {item:?} {}", scene.height);
                }
            }
        }
    }

    #[test]
    fn windows_are_drawn_in_their_padding_with_attributes_and_legend() {
        let picture = picture("reduce-window");
        let (arrays, _) = picture.select(0);
        assert!(arrays[0].area.is_some() && arrays[1].area.is_none());
        assert_eq!(arrays[0].highlights.base_area.as_ref().unwrap().indices.len(), 1);
        let scene = picture.scene(0, Language::ENGLISH);
        let labels = labels(&scene).concat();
        assert!(labels.contains("window={size=") && labels.contains("to_apply="), "{labels}");
        assert!(!labels.contains("=,") && !labels.ends_with('='), "{labels}");
        assert!(labels.contains("■\u{a0}initial\u{a0}value"), "{labels}");
    }
}
