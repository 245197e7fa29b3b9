//! The axes of a picture: two dimensions make the grid, up to two more repeat it as facets, the rest have sliders.

/// Bound on the facets along one dimension, so that each stays readable.
const MAX_FACETS_PER_DIMENSION: i64 = 16;
/// Bound on all facets of a picture.
const MAX_FACETS: i64 = 36;
/// Bound on the cell columns of all adjacent facets: more would be smaller than a pixel.
const MAX_FACET_COLUMNS: i64 = 1_024;
/// Bound on the cell rows of all facets below each other; windows are wider than high.
const MAX_FACET_ROWS: i64 = 512;
/// Bound on the elements of a small array, which is drawn like its literal: the last two dimensions are rows and columns.
const MAX_SMALL_ELEMENTS: i64 = 1_024;

/// The assignment of an array's dimensions to the axes of a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AxisAssignment {
    /// The dimension whose index increases downwards; `None` below rank 2.
    pub rows: Option<usize>,
    /// The dimension whose index increases to the right; `None` for a scalar.
    pub columns: Option<usize>,
    /// The dimension whose indices are columns of grids.
    pub facet_columns: Option<usize>,
    /// The dimension whose indices are rows of grids.
    pub facet_rows: Option<usize>,
    /// The dimensions with a slider, which show one index, outermost first.
    pub sliders: Vec<usize>,
}

impl AxisAssignment {
    /// The assignment for an array of these sizes. Rows and columns are `axes`, by default the two largest dimensions; up to
    /// two of the others become facets, from the innermost, if they are small enough; the rest have sliders.
    pub fn new(sizes: &[i64], axes: Option<(usize, usize)>) -> Self {
        let rank = sizes.len();
        let mut assignment = Self::default();
        match (rank, axes) {
            (0, _) => return assignment,
            (1, _) => assignment.columns = Some(0),
            (_, Some((rows, columns))) if rows < rank && columns < rank && rows != columns => {
                (assignment.rows, assignment.columns) = (Some(rows), Some(columns));
            }
            _ => {
                let (rows, columns) = default_axes(sizes);
                (assignment.rows, assignment.columns) = (Some(rows), Some(columns));
            }
        }
        let size_of = |d: Option<usize>| d.map_or(1, |d| sizes[d].max(1));
        let (columns, rows) = (size_of(assignment.columns), size_of(assignment.rows));
        let mut facets = 1;
        for d in (0..rank).rev().filter(|d| Some(*d) != assignment.rows && Some(*d) != assignment.columns) {
            let size = sizes[d].max(1);
            let is_facet = size <= MAX_FACETS_PER_DIMENSION
                && facets * size <= MAX_FACETS
                && assignment.sliders.is_empty();
            // A dimension of size 1 repeats nothing.
            let fits = |cells: i64, bound: i64| size == 1 || cells.saturating_mul(size) <= bound;
            if is_facet && assignment.facet_columns.is_none() && fits(columns, MAX_FACET_COLUMNS) {
                assignment.facet_columns = Some(d);
                facets *= size;
            } else if is_facet
                && assignment.facet_columns.is_some()
                && assignment.facet_rows.is_none()
                && fits(rows, MAX_FACET_ROWS)
            {
                assignment.facet_rows = Some(d);
                facets *= size;
            } else {
                assignment.sliders.insert(0, d);
            }
        }
        assignment
    }

    /// Whether the picture may have more than one grid.
    pub fn has_facets(&self) -> bool {
        self.facet_columns.is_some()
    }
}

/// Rows and columns of an array of at least two dimensions: the two largest in their order, among equal ones the later.
/// Small arrays use the last two, like a literal, unless other two show more than twice as many cells.
fn default_axes(sizes: &[i64]) -> (usize, usize) {
    let rank = sizes.len();
    let last_two = (rank - 2, rank - 1);
    let largest_but = |other: Option<usize>| {
        let others = (0..rank).filter(|d| Some(*d) != other);
        others.max_by_key(|d| (sizes[*d], *d)).unwrap_or_default()
    };
    let first = largest_but(None);
    let second = largest_but(Some(first));
    let largest = (first.min(second), first.max(second));
    let cells = |(rows, columns): (usize, usize)| sizes[rows].saturating_mul(sizes[columns]);
    let elements = sizes.iter().fold(1_i64, |product, size| product.saturating_mul(*size));
    let is_small = elements <= MAX_SMALL_ELEMENTS;
    if is_small && cells(last_two).saturating_mul(2) >= cells(largest) { last_two } else { largest }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes(sizes: &[i64]) -> (Option<usize>, Option<usize>) {
        let assignment = AxisAssignment::new(sizes, None);
        (assignment.rows, assignment.columns)
    }

    #[test]
    fn the_two_largest_dimensions_are_rows_and_columns() {
        // Channels last, channels first, and a filter of a convolution.
        assert_eq!(axes(&[8, 224, 224, 3]), (Some(1), Some(2)));
        assert_eq!(axes(&[8, 3, 224, 224]), (Some(2), Some(3)));
        assert_eq!(axes(&[1, 4, 4, 1]), (Some(1), Some(2)));
        // Of equal dimensions, the later.
        assert_eq!(axes(&[64, 64, 64]), (Some(1), Some(2)));
        assert_eq!(axes(&[64, 32, 64, 64]), (Some(2), Some(3)));
        // A column of pixels is no picture.
        assert_eq!(axes(&[100, 4, 5]), (Some(0), Some(2)));
        assert_eq!(axes(&[1000, 1, 1]), (Some(0), Some(2)));
        // Two dimensions stay as they are written.
        assert_eq!(axes(&[256, 16]), (Some(0), Some(1)));
        assert_eq!(axes(&[0, 5, 3]), (Some(1), Some(2)));
    }

    #[test]
    fn small_arrays_are_drawn_as_their_literal_is_written() {
        assert_eq!(axes(&[4, 2, 3]), (Some(1), Some(2)));
        assert_eq!(axes(&[3, 2, 2]), (Some(1), Some(2)));
        assert_eq!(axes(&[1, 4, 4, 3]), (Some(2), Some(3)));
        assert_eq!(axes(&[16, 2, 3]), (Some(0), Some(2)), "others show more than twice as much");
    }

    #[test]
    fn facets_stay_larger_than_a_pixel_a_cell() {
        let assignment = AxisAssignment::new(&[8, 224, 224, 3], None);
        assert_eq!((assignment.facet_columns, assignment.facet_rows), (Some(3), None));
        assert_eq!(assignment.sliders, [0], "eight images below each other would be too high");
        let assignment = AxisAssignment::new(&[4, 1000, 1000], None);
        assert_eq!((assignment.facet_columns, assignment.sliders.as_slice()), (None, [0].as_slice()));
        let assignment = AxisAssignment::new(&[1, 2000, 2000, 1], None);
        assert_eq!((assignment.facet_columns, assignment.facet_rows), (Some(3), Some(0)));
    }

    #[test]
    fn inner_dimensions_make_the_grid_and_outer_ones_repeat_it() {
        let assignment = AxisAssignment::new(&[2, 3, 4, 5], None);
        assert_eq!((assignment.rows, assignment.columns), (Some(2), Some(3)));
        assert_eq!((assignment.facet_rows, assignment.facet_columns), (Some(0), Some(1)));
        assert!(assignment.sliders.is_empty());
        assert_eq!(AxisAssignment::new(&[7, 2, 3, 4, 5], None).sliders, [0]);
        assert_eq!(AxisAssignment::new(&[100, 90, 80], None).sliders, [2]);
        assert_eq!(AxisAssignment::new(&[5], None).columns, Some(0));
        assert_eq!(AxisAssignment::new(&[], None), AxisAssignment::default());
    }

    #[test]
    fn selected_axes_are_used_if_they_exist() {
        let assignment = AxisAssignment::new(&[2, 3, 4], Some((2, 0)));
        assert_eq!(
            (assignment.rows, assignment.columns, assignment.facet_columns),
            (Some(2), Some(0), Some(1))
        );
        assert_eq!(AxisAssignment::new(&[2, 3], Some((5, 0))).rows, Some(0));
    }
}
