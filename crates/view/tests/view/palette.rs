//! Properties of the colours: page and pictures have the same ones, texts have enough contrast, dimensions are
//! distinguishable, and the colour maps match the published ones.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may panic")]

use std::collections::BTreeMap;

use xla_view::colour::Rgb;
use xla_view::colour_map::ColourMap;
use xla_view::palette::{MONO, Theme};

const CSS: &str = include_str!("../../../../styles/tokens.css");

/// Red, green, blue and opacity in hundredths.
type Colour = (Rgb, u32);

/// The declarations of the block that `selector` opens, without the leading `--`.
fn declarations(selector: &str) -> BTreeMap<&'static str, &'static str> {
    let (_, after) = CSS.split_once(&format!("{selector} {{")).expect(selector);
    let (block, _) = after.split_once('}').expect("a closing brace");
    let pairs = block.split(';').filter_map(|line| line.trim().strip_prefix("--")?.split_once(':'));
    let mut found = BTreeMap::new();
    for (name, value) in pairs {
        assert_eq!(found.insert(name, value.trim()), None, "{name} is declared twice");
    }
    found
}

fn hundredths(alpha: &str) -> u32 {
    format!("{:.0}", alpha.trim().parse::<f64>().unwrap() * 100.0).parse().unwrap()
}

/// A value that is a colour: `#rrggbb` or `rgba(r,g,b,a)`.
fn colour(value: &str) -> Option<Colour> {
    if value.starts_with('#') {
        return Some((value.parse().unwrap(), 100));
    }
    let parts: Vec<&str> = value.strip_prefix("rgba(")?.strip_suffix(')')?.split(',').collect();
    let [r, g, b, alpha] = parts[..] else { panic!("{value} has not four parts") };
    Some((Rgb([r, g, b].map(|c| c.trim().parse().unwrap())), hundredths(alpha)))
}

fn themes() -> [(&'static str, Theme, &'static str); 2] {
    [("light", Theme::light(), ":root"), ("dark", Theme::dark(), ":root[data-theme=\"dark\"]")]
}

fn backgrounds(theme: &Theme) -> [(&'static str, Rgb); 3] {
    [("ground", theme.background), ("surface", theme.surface), ("sunken", theme.sunken)]
}

#[test]
fn the_style_sheet_has_the_same_colours() {
    for (name, theme, selector) in themes() {
        let css: BTreeMap<&str, Colour> =
            declarations(selector).into_iter().filter_map(|(name, v)| Some((name, colour(v)?))).collect();
        let tokens = theme.tokens().into_iter();
        let rust: BTreeMap<&str, Colour> =
            tokens.map(|(name, rgb, alpha)| (name, (rgb, hundredths(&alpha.to_string())))).collect();
        assert_eq!(css, rust, "{name}");
    }
    assert_eq!(declarations(":root")["mono"], MONO);
}

#[test]
fn texts_can_be_read() {
    for (name, theme, _) in themes() {
        let mut pairs = vec![
            ("on-accent on accent".to_owned(), theme.on_accent, theme.accent),
            ("danger on danger-ground".to_owned(), theme.danger, theme.danger_background),
            ("ink on danger-ground".to_owned(), theme.strong, theme.danger_background),
        ];
        let texts = theme.tokens().into_iter().filter(|(name, ..)| {
            let dimension = name.len() == 2 && name.starts_with('d');
            dimension || ["ink", "ink-2", "ink-3", "accent", "danger", "good"].contains(name)
        });
        for (token, text, _) in texts {
            pairs.extend(
                backgrounds(&theme).map(|(background, rgb)| (format!("{token} on {background}"), text, rgb)),
            );
        }
        assert_eq!(pairs.len(), 3 + 12 * 3);
        for (what, text, background) in pairs {
            let ratio = text.contrast(background);
            assert!(ratio >= 4.5, "{name}: {what}: {ratio:.2}");
        }
    }
}

#[test]
fn meaningful_lines_have_enough_contrast() {
    for (name, theme, _) in themes() {
        let lines = [("line-strong", theme.line_strong), ("select", theme.select), ("hover", theme.hover)];
        for (line, rgb) in lines.into_iter().chain([("focus ring", theme.accent)]) {
            for (background, below) in backgrounds(&theme) {
                let ratio = rgb.contrast(below);
                assert!(ratio >= 3.0, "{name}: {line} on {background}: {ratio:.2}");
            }
        }
    }
}

#[test]
fn dimension_colours_are_distinguishable_with_every_colour_vision() {
    // The minimum distances that `palette.rs` documents, among all dimensions and among the first three.
    for ((name, theme, _), (min_of_all, min_of_first)) in
        themes().into_iter().zip([(11.15, 13.15), (11.55, 14.85)])
    {
        let pairs = (0..6).flat_map(|a| (0..a).map(move |b| (a, b)));
        for (a, b) in pairs {
            let distance = theme.dimensions[a].min_distance(theme.dimensions[b]);
            let min_distance = if a < 3 { min_of_first } else { min_of_all };
            assert!(distance >= min_distance, "{name}: d{b} and d{a}: {distance:.2}");
        }
    }
}

#[test]
fn the_colour_maps_are_the_published_ones() {
    let originals: BTreeMap<&str, &str> = include_str!("../../../../tests/data/colour_maps.txt")
        .lines()
        .filter_map(|line| line.split_once(' '))
        .collect();
    assert_eq!(originals.len(), ColourMap::ALL.len());
    for map in ColourMap::ALL {
        let original = originals[map.name()];
        assert_eq!(original.len(), 256 * 6);
        let error = |entry: usize| {
            let expected: Rgb = format!("#{}", &original[entry * 6..entry * 6 + 6]).parse().unwrap();
            let channels = expected.0.into_iter().zip(map.table()[entry].0);
            channels.map(|(a, b)| a.abs_diff(b)).max().unwrap()
        };
        // The errors that the module states.
        let stated = if map == ColourMap::Cividis { 2 } else { 1 };
        assert_eq!((0..256).map(error).max(), Some(stated), "{map:?}");
        assert!((0..256).step_by(3).all(|entry| error(entry) == 0), "{map:?}");
    }
}
