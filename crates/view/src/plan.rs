//! The axes of a picture: two dimensions make the grid, up to two more repeat it as facets, the rest have sliders.

/// Bound on the facets along one dimension, so that each stays readable.
const MAX_FACETS_PER_DIMENSION: i64 = 16;
/// Bound on all facets of a picture.
const MAX_FACETS: i64 = 36;

/// The assignment of an array's dimensions to the axes of a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
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

impl Plan {
    /// The plan for an array of these sizes. Rows and columns are `axes`, by default the last two dimensions; up to two
    /// of the others become facets, from the innermost, if they are small enough; the rest have sliders.
    pub fn new(sizes: &[i64], axes: Option<(usize, usize)>) -> Self {
        let rank = sizes.len();
        let mut plan = Self::default();
        match (rank, axes) {
            (0, _) => return plan,
            (1, _) => plan.columns = Some(0),
            (_, Some((rows, columns))) if rows < rank && columns < rank && rows != columns => {
                (plan.rows, plan.columns) = (Some(rows), Some(columns));
            }
            _ => (plan.rows, plan.columns) = (Some(rank - 2), Some(rank - 1)),
        }
        let mut facets = 1;
        for d in (0..rank).rev().filter(|d| Some(*d) != plan.rows && Some(*d) != plan.columns) {
            let size = sizes[d];
            let is_facet = size <= MAX_FACETS_PER_DIMENSION
                && facets * size.max(1) <= MAX_FACETS
                && plan.sliders.is_empty();
            if is_facet && plan.facet_columns.is_none() {
                plan.facet_columns = Some(d);
                facets *= size.max(1);
            } else if is_facet && plan.facet_rows.is_none() {
                plan.facet_rows = Some(d);
                facets *= size.max(1);
            } else {
                plan.sliders.insert(0, d);
            }
        }
        plan
    }

    /// Whether the picture may have more than one grid.
    pub fn has_facets(&self) -> bool {
        self.facet_columns.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_dimensions_make_the_grid_and_outer_ones_repeat_it() {
        let plan = Plan::new(&[2, 3, 4, 5], None);
        assert_eq!((plan.rows, plan.columns), (Some(2), Some(3)));
        assert_eq!((plan.facet_rows, plan.facet_columns), (Some(0), Some(1)));
        assert!(plan.sliders.is_empty());
        assert_eq!(Plan::new(&[7, 2, 3, 4, 5], None).sliders, [0]);
        assert_eq!(Plan::new(&[100, 4, 5], None).sliders, [0]);
        assert_eq!(Plan::new(&[5], None).columns, Some(0));
        assert_eq!(Plan::new(&[], None), Plan::default());
    }

    #[test]
    fn selected_axes_are_used_if_they_exist() {
        let plan = Plan::new(&[2, 3, 4], Some((2, 0)));
        assert_eq!((plan.rows, plan.columns, plan.facet_columns), (Some(2), Some(0), Some(1)));
        assert_eq!(Plan::new(&[2, 3], Some((5, 0))).rows, Some(0));
    }
}
