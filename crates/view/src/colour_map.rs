//! Colour maps for values and memory slots.
//!
//! The maps are published, perceptually uniform and suitable for all kinds of colour vision; the lightness of
//! sequential maps increases. Every third of the 256 entries is stored; interpolated entries differ from the published
//! ones by at most 1 (viridis, batlow, vik) or 2 (cividis) per channel, which `tests/view/palette.rs` checks against the
//! originals in `tests/data/colour_maps.txt`.
//!
//! Sources: viridis (Smith and van der Walt 2015) and cividis (Nuñez, Anderton and Renslow 2018) as in Matplotlib,
//! CC0; batlow and vik are Fabio Crameri's Scientific colour maps 8, MIT licence, DOI 10.5281/zenodo.1243862.

use std::sync::LazyLock;

use super::colour::{Rgb, channel};

/// A colour map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ColourMap {
    /// Values: dark violet to yellow. The default.
    #[default]
    Viridis,
    /// Values: dark blue to yellow, looks the same with nearly every colour vision.
    Cividis,
    /// Memory slots: dark blue over green to pink.
    Batlow,
    /// Signed values: blue below, near white in the middle (0.5), red-brown above.
    Vik,
}

/// The colour of NaN, which is in no map: at least 0.1 away in OKLab from every entry of the maps for values, with every
/// kind of colour vision. `styles/tokens.css` has it as `--nan`.
pub const NAN_COLOUR: Rgb = Rgb::hex(0xb4_0f_ff);

/// The colour of +inf, which is in no map: at least 0.07 away in OKLab from every entry of the maps for values, and 0.1 from
/// [`NAN_COLOUR`], with every kind of colour vision. `styles/tokens.css` has it as `--inf`.
pub const INFINITY_COLOUR: Rgb = Rgb::hex(0xff_5a_ff);

/// The colour of -inf, as far away as [`INFINITY_COLOUR`]. `styles/tokens.css` has it as `--negative-inf`.
pub const NEGATIVE_INFINITY_COLOUR: Rgb = Rgb::BLACK;

/// Entries of a map's table.
pub const ENTRIES: usize = 256;

impl ColourMap {
    /// All colour maps.
    pub const ALL: [Self; 4] = [Self::Viridis, Self::Cividis, Self::Batlow, Self::Vik];

    /// The map's published name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Viridis => "viridis",
            Self::Cividis => "cividis",
            Self::Batlow => "batlow",
            Self::Vik => "vik",
        }
    }

    /// The map with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|map| map.name() == name)
    }

    /// Whether it is sequential, from dark to light, rather than diverging.
    pub fn is_sequential(self) -> bool {
        self != Self::Vik
    }

    /// The colour at `t`, which is clamped to 0 to 1; NaN has [`NAN_COLOUR`].
    pub fn colour(self, t: f32) -> Rgb {
        if t.is_nan() { NAN_COLOUR } else { self.table()[usize::from(channel(f64::from(t) * 255.0))] }
    }

    /// All colours, for equidistant `t` from 0 to 1.
    pub fn table(self) -> &'static [Rgb; ENTRIES] {
        static TABLES: LazyLock<[[Rgb; ENTRIES]; 4]> =
            LazyLock::new(|| ColourMap::ALL.map(|map| interpolate(map.curves())));
        let [viridis, cividis, batlow, vik] = &*TABLES;
        match self {
            Self::Viridis => viridis,
            Self::Cividis => cividis,
            Self::Batlow => batlow,
            Self::Vik => vik,
        }
    }

    fn curves(self) -> &'static Curves {
        match self {
            Self::Viridis => &VIRIDIS,
            Self::Cividis => &CIVIDIS,
            Self::Batlow => &BATLOW,
            Self::Vik => &VIK,
        }
    }
}

/// Every third entry of a map: 0, 3, 6 … 255. The curves of its channels are smooth: by their second differences they take a quarter
/// of the space, on the first page that a visitor loads.
struct Curves {
    first: [u8; 3],
    /// The second anchor minus the first.
    step: [i8; 3],
    /// The second differences of red, green and blue, a letter each: `d` is 0, `a` is -3, `l` is 8.
    bends: [&'static str; 3],
}

/// The number of anchors of a map.
const ANCHORS: usize = 86;

/// Interpolates the table of a map.
fn interpolate(curves: &Curves) -> [Rgb; ENTRIES] {
    let mut colours = [Rgb::BLACK; ANCHORS];
    for channel in 0..3 {
        let (mut value, mut step) = (curves.first[channel], curves.step[channel]);
        let bends = curves.bends[channel].as_bytes();
        for (anchor, colour) in colours.iter_mut().enumerate() {
            colour.0[channel] = value;
            value = value.wrapping_add_signed(step);
            step = step.wrapping_add_unsigned(bends.get(anchor).map_or(0, |bend| bend.wrapping_sub(b'd')));
        }
    }
    std::array::from_fn(|entry| {
        let (from, to) = (colours[entry / 3], colours[(entry / 3 + 1).min(ANCHORS - 1)]);
        from.mixed(to, [0.0, 1.0 / 3.0, 2.0 / 3.0][entry % 3])
    })
}

const VIRIDIS: Curves = Curves {
    first: [68, 1, 84],
    step: [1, 4, 5],
    bends: [
        "ddcecdddcecdddddcedcecececedceddddcedddddddedcfcfcfceedeceeddddeddddeceddddddddcedcd",
        "ececdddceddcedcecdecdecdddddddceddddceddddcedddceddceddcecececdddebeddcececddddddddd",
        "cddddcecdcdeccecdddddcecdecddddddddddddcececddddcececcedcddddcecddcecdddddcfceefffee",
    ],
};
const CIVIDIS: Curves = Curves {
    first: [0, 34, 78],
    step: [0, 3, 5],
    bends: [
        "ddddddiiaccdcddcecddddddddcedcedcedcececedcedddddceddddddddecddddddecddecddececdedca",
        "cdddddddddddddddecddddddddddecddddddecddddecddecddecdecdececececececedcedceddcedddde",
        "dddecbbbecdecedcedddddddecdecececedddddddcdecceddcececdecddddcedcecdddddcecddcdddbfl",
    ],
};
const BATLOW: Curves = Curves {
    first: [1, 25, 89],
    step: [3, 5, 1],
    bends: [
        "dcdcdddddcedddeceddeddedddddeceddcedddddececeddddddcedcddddcddcddbecdcdddddddceddcec",
        "cecddddcdddddcedcedcdddddddcececececdecececececddecdddddddddecedddecddecdddecddecdec",
        "ddcedcececececdddddcdddcdddddcecdecdececedddedeedeeddededddedecedddddddcdecdecedcedd",
    ],
};
const VIK: Curves = Curves {
    first: [0, 18, 97],
    step: [1, 5, 3],
    bends: [
        "dcdddddecddeedfeeedeeddddececedcececdddbbbbcccdcecececedcedcedcedccddbdcecedececeddd",
        "dcedcecedceddddecedddddecdddddddcedcdccbbcbccecdddddddecedcedcedceccddddededeceddcee",
        "dddddddddddddececeddddecdddddddddddcdbccabdbdddddddddecedddddddddecddeeefeeddddecdec",
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_match_the_published_ones_and_values_are_clamped() {
        let ends = ColourMap::ALL.map(|map| (map.colour(0.0).to_string(), map.colour(1.0).to_string()));
        let expected =
            [("#440154", "#fde725"), ("#00224e", "#fee838"), ("#011959", "#faccfa"), ("#001261", "#590008")];
        assert_eq!(ends, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
        for map in ColourMap::ALL {
            assert_eq!(map.colour(-3.0), map.colour(0.0));
            assert_eq!(map.colour(f32::INFINITY), map.colour(1.0));
            assert_eq!(map.colour(f32::NAN), NAN_COLOUR);
            assert_eq!(map.colour(0.5), map.table()[128]);
            assert_eq!(map.curves().bends.map(str::len), [ANCHORS - 2; 3]);
            assert_eq!(ColourMap::named(map.name()), Some(map));
        }
    }

    #[test]
    fn sequential_maps_increase_in_lightness() {
        for map in ColourMap::ALL.into_iter().filter(|map| map.is_sequential()) {
            let light: Vec<f64> = map.table().iter().map(|c| c.ok_lab().lightness).collect();
            // A step is about 0.0025; rounding to 8 bits alone moves an entry by up to 0.001.
            assert!(light.windows(2).all(|w| w[1] > w[0] - 0.001), "{map:?}");
            assert!(light.windows(5).all(|w| w[4] > w[0]), "{map:?}");
            assert!(light[255] - light[0] > 0.6, "{map:?}");
        }
    }

    #[test]
    fn the_diverging_map_is_lightest_in_the_middle() {
        let light = |t| ColourMap::Vik.colour(t).ok_lab().lightness;
        assert!(light(0.5) > 0.9);
        for (outer, inner) in [(0.0, 0.25), (0.25, 0.5), (1.0, 0.75), (0.75, 0.5)] {
            assert!(light(outer) < light(inner));
        }
    }

    #[test]
    fn nan_is_unlike_every_value() {
        for map in [ColourMap::Viridis, ColourMap::Cividis, ColourMap::Vik] {
            let distances = map.table().iter().map(|entry| entry.min_distance(NAN_COLOUR));
            assert!(distances.fold(f64::INFINITY, f64::min) > 10.0, "{map:?}");
        }
    }

    #[test]
    fn infinities_are_unlike_every_value() {
        for infinity in [INFINITY_COLOUR, NEGATIVE_INFINITY_COLOUR] {
            for map in [ColourMap::Viridis, ColourMap::Cividis, ColourMap::Vik] {
                let distances = map.table().iter().map(|entry| entry.min_distance(infinity));
                assert!(distances.fold(f64::INFINITY, f64::min) > 7.0, "{map:?} {infinity}");
            }
            assert!(infinity.min_distance(NAN_COLOUR) > 10.0, "{infinity}");
        }
        assert!(INFINITY_COLOUR.min_distance(NEGATIVE_INFINITY_COLOUR) > 10.0);
    }

    #[test]
    fn text_is_readable_on_every_entry() {
        let others = [NAN_COLOUR, INFINITY_COLOUR, NEGATIVE_INFINITY_COLOUR];
        for colour in ColourMap::ALL.iter().flat_map(|map| map.table()).chain(&others) {
            assert!(colour.text_colour().contrast(*colour) >= 4.5, "{colour}");
        }
    }
}
