//! The two orders of the catalogue as plain data: all ops by category, and the documentation's entries under their
//! headings.

use crate::app::context::Context;
use crate::documents::{self, Entry, SECTIONS};
use crate::i18n::Message;
use crate::ops::{self, Category, OpMeta};

/// The categories in display order, with the message keys of their names.
const CATEGORIES: [(Category, &str); 11] = [
    (Category::Movement, "category-movement"),
    (Category::Reduction, "category-reduction"),
    (Category::Contraction, "category-contraction"),
    (Category::Unary, "category-unary"),
    (Category::Binary, "category-binary"),
    (Category::Conversion, "category-conversion"),
    (Category::Control, "category-control"),
    (Category::Collective, "category-collective"),
    (Category::Host, "category-outside"),
    (Category::Tuple, "category-tuple"),
    (Category::Source, "category-source"),
];

/// The order of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Every op, by category.
    Categories,
    /// The entries of the documentation, in their order.
    Documentation,
}

impl Order {
    /// Its name in the storage of the tab.
    pub fn name(self) -> &'static str {
        match self {
            Self::Categories => "categories",
            Self::Documentation => "documents",
        }
    }

    /// The order with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Categories, Self::Documentation].into_iter().find(|order| order.name() == name)
    }
}

/// A part of the catalogue.
pub struct Group {
    /// The heading; `None` for headings of the documentation with a single entry of the same name.
    pub heading: Option<String>,
    /// Its items, at least one.
    pub items: Vec<Item>,
}

/// An op or an entry in the catalogue.
pub struct Item {
    /// The opcode or the entry's name, unique within the catalogue; links name it.
    pub id: &'static str,
    /// The displayed name.
    pub name: &'static str,
    /// The opcode where the displayed name is not unique, or the alias that matches the search text.
    pub matched: Option<&'static str>,
}

/// The items that match the search text, all if it is empty.
pub fn groups(order: Order, search: &str, context: &Context) -> Vec<Group> {
    let mut groups = match order {
        Order::Categories => by_category(search, context),
        Order::Documentation => by_heading(search),
    };
    let search = search.trim().to_lowercase();
    if !search.is_empty() {
        // Enter opens the first item.
        for group in &mut groups {
            group.items.sort_by_key(|item| match_rank(item, &search));
        }
        groups.sort_by_key(|group| group.items.iter().map(|item| match_rank(item, &search)).min());
    }
    groups
}

/// The rank of an item among the matches of a search text; see [`name_match_rank`].
fn match_rank(item: &Item, search: &str) -> u8 {
    name_match_rank([item.name, item.id], item.matched.into_iter(), search)
}

/// The rank of an op that matches a search text by other words than its names.
pub const NO_NAME_MATCH: u8 = 4;

/// The rank of an op as a match of a search text: 0 if a name equals it, 1 if a search word does, 2 if a name starts with it, 3 if one
/// contains it, otherwise [`NO_NAME_MATCH`]. `sum` finds Reduce before `CrossReplicaSum`.
pub fn name_match_rank<'a>(names: [&str; 2], mut words: impl Iterator<Item = &'a str>, search: &str) -> u8 {
    let search = search.trim().to_lowercase();
    let rank = |name: &str| match name.to_lowercase() {
        name if name == search => 0,
        name if name.starts_with(&search) => 2,
        name if name.contains(&search) => 3,
        _ => NO_NAME_MATCH,
    };
    let of_names = names.map(rank).into_iter().min().unwrap_or_default();
    if of_names > 1 && words.any(|word| word.eq_ignore_ascii_case(&search)) { 1 } else { of_names }
}

fn by_category(search: &str, context: &Context) -> Vec<Group> {
    let group = |(category, name): &(Category, &'static str)| {
        let found: Vec<_> = with_examples(*category)
            .into_iter()
            .filter(|meta| matches_search(meta, search, context))
            .collect();
        let items = found.iter().map(|meta| Item {
            id: meta.opcode,
            name: meta.title,
            // XLA's documentation uses one name for ops that HLO distinguishes.
            matched: if found.iter().filter(|other| other.title == meta.title).count() > 1 {
                Some(meta.opcode)
            } else {
                matched_alias(meta, search)
            },
        });
        Group { heading: Some(context.text(&Message::ops(name)).to_string()), items: items.collect() }
    };
    CATEGORIES.iter().map(group).filter(|group| !group.items.is_empty()).collect()
}

fn by_heading(search: &str) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for heading in SECTIONS {
        let found = heading.entries.iter().filter(|entry| entry.matches(search));
        let items: Vec<Item> = found.map(|entry| item(entry, search)).collect();
        let is_table = heading.entries.len() > 1;
        match groups.last_mut().filter(|last| !is_table && last.heading.is_none()) {
            Some(last) => last.items.extend(items),
            None if items.is_empty() => {}
            None => groups.push(Group { heading: is_table.then(|| heading.name.to_owned()), items }),
        }
    }
    groups
}

fn item(entry: &'static Entry, search: &str) -> Item {
    Item { id: entry.name, name: entry.name, matched: entry.matched_word(search) }
}

/// The ops of a category that have an example, sorted by name.
fn with_examples(category: Category) -> Vec<&'static OpMeta> {
    let is_listed = |meta: &&OpMeta| meta.category == category && !meta.examples.is_empty();
    let mut found: Vec<&OpMeta> = ops::all().map(ops::OpDef::meta).filter(is_listed).collect();
    found.sort_by_key(|meta| meta.title.to_lowercase());
    found
}

/// The link to the first example of an op or an entry, by its id, without `#`.
pub fn address(id: &str) -> String {
    format!("ops1/@{id}")
}

/// The names of an op, and its search terms.
pub fn searched_names(meta: &OpMeta) -> impl Iterator<Item = &'static str> {
    meta.all_search_terms().chain(documents::search_terms(meta.opcode))
}

/// Whether every word of the search text occurs in the op's names, search words or summary.
pub fn matches_search(meta: &OpMeta, search: &str, context: &Context) -> bool {
    let summary = context.text(&Message::ops(meta.summary));
    let searched_text =
        format!("{} {summary}", searched_names(meta).collect::<Vec<_>>().join(" ")).to_lowercase();
    search.to_lowercase().split_whitespace().all(|word| searched_text.contains(word))
}

/// The alias of the op that matches the search text, if the displayed names do not.
fn matched_alias(meta: &OpMeta, search: &str) -> Option<&'static str> {
    let search = search.trim().to_lowercase();
    let has = |name: &&str| name.to_lowercase().contains(&search);
    if search.is_empty() || [meta.title, meta.opcode].iter().any(has) {
        return None;
    }
    let is_equal = |name: &&str| name.eq_ignore_ascii_case(&search);
    searched_names(meta).find(is_equal).or_else(|| searched_names(meta).find(has))
}
