//! Which dimension is drawn where: two make the grid, up to two more repeat it as facets, the rest get sliders.

/// The most facets along one dimension, and in all.
const FACETS_ALONG: i64 = 16;
const FACETS: i64 = 36;

/// Where each dimension of an array is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The dimension whose index grows downwards; none below rank 2.
    pub rows: Option<usize>,
    /// The dimension whose index grows to the right; none for a scalar.
    pub columns: Option<usize>,
    /// The dimension of which each index is one grid, beside one another.
    pub facet_columns: Option<usize>,
    /// The dimension of which each index is one line of grids, below one another.
    pub facet_rows: Option<usize>,
    /// Dimensions of which one index is shown at a time, the outermost first.
    pub sliders: Vec<usize>,
}

impl Plan {
    /// The plan for an array of these sizes: `axes` (rows, columns) if chosen, else the last two dimensions; the
    /// next inner ones become facets while there are few enough, the others sliders.
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
            let fits = size <= FACETS_ALONG && facets * size.max(1) <= FACETS && plan.sliders.is_empty();
            if fits && plan.facet_columns.is_none() {
                plan.facet_columns = Some(d);
                facets *= size.max(1);
            } else if fits && plan.facet_rows.is_none() {
                plan.facet_rows = Some(d);
                facets *= size.max(1);
            } else {
                plan.sliders.insert(0, d);
            }
        }
        plan
    }

    /// Whether more than one grid may be shown.
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
    fn chosen_axes_are_kept_where_they_exist() {
        let plan = Plan::new(&[2, 3, 4], Some((2, 0)));
        assert_eq!((plan.rows, plan.columns, plan.facet_columns), (Some(2), Some(0), Some(1)));
        assert_eq!(Plan::new(&[2, 3], Some((5, 0))).rows, Some(0));
    }
}
