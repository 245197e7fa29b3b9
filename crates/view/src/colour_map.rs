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
            LazyLock::new(|| ColourMap::ALL.map(|map| interpolate(map.anchors())));
        let [viridis, cividis, batlow, vik] = &*TABLES;
        match self {
            Self::Viridis => viridis,
            Self::Cividis => cividis,
            Self::Batlow => batlow,
            Self::Vik => vik,
        }
    }

    fn anchors(self) -> &'static str {
        match self {
            Self::Viridis => VIRIDIS,
            Self::Cividis => CIVIDIS,
            Self::Batlow => BATLOW,
            Self::Vik => VIK,
        }
    }
}

/// Interpolates the table from its entries 0, 3, 6 … 255, given as six hexadecimal digits each.
fn interpolate(anchors: &str) -> [Rgb; ENTRIES] {
    let digit = |b: u8| char::from(b).to_digit(16).unwrap_or(0);
    let colours: Vec<Rgb> = anchors
        .as_bytes()
        .chunks_exact(6)
        .map(|six| Rgb::hex(six.iter().fold(0, |sum, &b| sum * 16 + digit(b))))
        .collect();
    let mut table = [Rgb::BLACK; ENTRIES];
    for (entry, (slot, thirds)) in
        table.iter_mut().zip([0.0, 1.0 / 3.0, 2.0 / 3.0].iter().cycle()).enumerate()
    {
        let (from, to) = (colours.get(entry / 3), colours.get(entry / 3 + 1));
        let from = from.copied().unwrap_or_default();
        *slot = from.mixed(to.copied().unwrap_or(from), *thirds);
    }
    table
}

const VIRIDIS: &str = "\
    440154450559460a5d470e61471365481769481b6d481f70482374482677472a7a472e7c46327e453581443983433d84424086\
    4144873f47883e4a893d4e8a3b518b3a548c38588c375b8d355e8d34618d32648e31678e306a8e2e6d8e2d708e2c728e2b758e\
    2a788e297b8e277e8e26818e25838e24868e23898e228c8d218f8d20928c1f948c1f978b1f9a8a1e9d891fa0881fa28721a585\
    22a88425ab8227ad812ab07f2eb37c32b67a37b8783bbb7540bd7246c06f4cc26c52c56958c7655ec96265cb5e6ccd5a73d056\
    7ad15181d34d89d54890d74398d83ea0da39a8db34b0dd2fb8de29c0df25c8e020d0e11cd8e219dfe318e7e419efe51cf6e620\
    fde725";
const CIVIDIS: &str = "\
    00224e00255300275800295d002b62002d68002f6d0031700533710f35701637701c396f213b6e263d6e2a3f6d2e416d32436d\
    35456c39486c3c4a6c3f4c6c424e6c45506c48526c4b546c4e566c51586d545a6d565c6d595e6e5c616e5e636f61656f646770\
    666970696b716c6d726e6f737172747374757676767878777b7a787e7c78807f788381798683798985788c88788f8a78928c78\
    948e779791779a93769d9576a09875a39a74a69c74a99f73aca172afa471b3a670b6a96fb9ab6dbcae6cbfb06bc2b369c5b568\
    c8b866ccba64cfbd62d2c060d5c25ed9c55cdcc859dfca57e2cd54e6d051e9d34eedd54af0d846f3db42f7de3efbe138fee434\
    fee838";
const BATLOW: &str = "\
    011959041e5a07225b09275c0b2b5c0c2f5d0d335e0e375e0f3b5f103e5f114160114460124761134a61144d62154f62175262\
    1855621a57621c5a621e5d62215f6124616027635f2b655e2f675c33695a376b583b6d563f6e5444705248714f4d734d52744a\
    5776475b7745607942657a3f6a7b3d6f7d3a747e387980357f81338483318a842f8f862d95872c9b892ba18a2ba78b2cad8c2d\
    b38e2fb98f32be9035c49138ca923ccf9340d49445d9954ade964fe39754e7985aeb9a60ef9b67f29d6df59f74f8a17bf9a382\
    fba689fca890fdaa97fdac9efdafa5fdb1abfdb3b1fdb5b8fdb7befdbac4fdbccbfcbed1fcc0d8fcc3dffcc5e5fbc7ecfbcaf3\
    faccfa";
const VIK: &str = "\
    001261011764021c6702206a02256d022a70022e73023376023779033c7c03417f034582034a85044f8806548b08598f0c5e92\
    1164961769991e6f9d2575a12d7ba53681a93f87ad488db25194b65a9aba64a0be6da6c277acc680b2ca8ab8ce94bed29dc4d6\
    a7c9dab0cfdebad5e2c3dae5ccdfe8d5e3e9dee6e9e5e7e8eae6e4ede4deeee0d8eedbd0edd5c8ebd0c0e9cab8e6c4b0e4bea8\
    e1b8a0dfb298dcac90daa688d7a081d59b79d39572d0906bce8b64cc855dc98056c77b4fc57548c27041c06b3abe6533bb602d\
    b75a26b3531faf4c18a94512a33e0d9c37099631078f2b068926068321067e1d067818067314066d1007680c076307075e0308\
    590008";

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
            assert_eq!(map.anchors().len(), 86 * 6);
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
    fn text_is_readable_on_every_entry() {
        for colour in ColourMap::ALL.iter().flat_map(|map| map.table()).chain([&NAN_COLOUR]) {
            assert!(colour.text_colour().contrast(*colour) >= 4.5, "{colour}");
        }
    }
}
