//! Encodes pictures of one size as an animated GIF.
//!
//! All frames share a palette: the theme's colours, and blends between backgrounds and inks for antialiased text. Theme
//! colours are exact; any other colour becomes the nearest one. A frame has only the rectangle that differs from the
//! previous frame. The caller rasterizes the [`super::scene::Scene`]s. Source: `GIF89a`; the `gif` crate writes the
//! blocks.

use std::collections::BTreeMap;

use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};

use super::colour::Rgb;
use super::palette::Theme;
use super::scene::Ink;

/// Bound on the frames of an animation.
pub const MAX_FRAMES: i64 = 256;

/// Bound on the pixels of all frames together, for a few seconds of work and a file of moderate size.
pub const MAX_TOTAL_PIXELS: u64 = 160_000_000;

/// Duration of a frame, and of the last one, in hundredths of a second.
const DELAY_CENTISECONDS: (u16, u16) = (60, 160);

/// Number of steps of a blend from a background to an ink.
const BLEND_STEPS: u16 = 7;

/// The palette of an animation, at most 256 colours.
pub struct ColourTable {
    entries: Vec<Rgb>,
    /// The palette index of each entry, and of the other colours looked up so far.
    indices: BTreeMap<[u8; 3], u8>,
}

impl ColourTable {
    /// The colours of pictures of an experiment in a theme.
    pub fn for_theme(theme: &Theme) -> Self {
        let mut colours = Self { entries: Vec::new(), indices: BTreeMap::new() };
        let resolved = |ink| theme.resolve(ink).0;
        let inks = [Ink::Strong, Ink::Soft, Ink::Faint, Ink::LineStrong, Ink::Select, Ink::Hatch];
        let inks = inks.into_iter().chain((0..6).map(Ink::Dimension)).map(resolved);
        let inks: Vec<Rgb> = inks.collect();
        let backgrounds = [resolved(Ink::Background), resolved(Ink::Surface)];
        let tints: Vec<Rgb> = (0..6)
            .map(|d| {
                let (ink, alpha) = theme.resolve(Ink::Tint(d));
                backgrounds[1].mixed(ink, alpha)
            })
            .collect();
        // Exact colours first, since the palette may become full.
        for colour in backgrounds.iter().chain(&inks).chain(&tints) {
            colours.add(*colour);
        }
        let add_blend = |colours: &mut Self, from: Rgb, to: Rgb| {
            for step in 1..BLEND_STEPS {
                colours.add(from.mixed(to, f64::from(step) / f64::from(BLEND_STEPS)));
            }
        };
        for ink in &inks {
            add_blend(&mut colours, backgrounds[0], *ink);
            add_blend(&mut colours, backgrounds[1], *ink);
        }
        // A tint is the background of a cell's value and of its outline.
        for (d, tint) in tints.iter().enumerate() {
            add_blend(&mut colours, *tint, inks[0]);
            add_blend(&mut colours, *tint, resolved(Ink::Dimension(d)));
        }
        colours
    }

    fn add(&mut self, colour: Rgb) {
        if let Ok(index) = u8::try_from(self.entries.len())
            && !self.indices.contains_key(&colour.0)
        {
            self.indices.insert(colour.0, index);
            self.entries.push(colour);
        }
    }

    /// The index of the nearest colour.
    fn nearest_index(&mut self, rgb: [u8; 3]) -> u8 {
        if let Some(index) = self.indices.get(&rgb) {
            return *index;
        }
        let distance = |colour: &Rgb| -> u32 {
            // The eye is most sensitive to green, least to blue.
            let weights = [2, 4, 1];
            let weighted = |i: usize| u32::from(colour.0[i].abs_diff(rgb[i])).pow(2) * weights[i];
            (0..3).map(weighted).sum()
        };
        let nearest = (0..=u8::MAX).zip(&self.entries).min_by_key(|(_, colour)| distance(colour));
        let index = nearest.map_or(0, |(index, _)| index);
        self.indices.insert(rgb, index);
        index
    }

    fn bytes(&self) -> Vec<u8> {
        self.entries.iter().flat_map(|colour| colour.0).collect()
    }
}

/// Whether an animation with this size and number of frames is within the limits.
pub fn fits(width: f64, height: f64, frames: i64) -> bool {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates, and too many pixels are rejected"
    )]
    let pixels = (width.max(0.0) * height.max(0.0)) as u64;
    let total = u64::try_from(frames).ok().and_then(|frames| pixels.checked_mul(frames));
    (1..=MAX_FRAMES).contains(&frames)
        && total.is_some_and(|total| total <= MAX_TOTAL_PIXELS)
        && width.max(height) <= f64::from(u16::MAX)
}

/// An animation that is being written.
pub struct Animation {
    encoder: Encoder<Vec<u8>>,
    colours: ColourTable,
    size: (u16, u16),
    /// The palette indices of the previous frame.
    previous: Vec<u8>,
}

impl Animation {
    /// An animation without frames, which repeats forever. Fails if a side is 0.
    pub fn new(width: u16, height: u16, theme: &Theme) -> Result<Self, EncodingError> {
        let colours = ColourTable::for_theme(theme);
        let mut encoder = Encoder::new(Vec::new(), width, height, &colours.bytes())?;
        encoder.set_repeat(Repeat::Infinite)?;
        Ok(Self { encoder, colours, size: (width, height), previous: Vec::new() })
    }

    /// Adds a frame: its pixels from the top left, 4 bytes each, of which the last one is ignored. Fails if the number
    /// of bytes does not match the size.
    pub fn frame(&mut self, rgba: &[u8], is_last: bool) -> Result<(), EncodingError> {
        let (width, height) = (usize::from(self.size.0), usize::from(self.size.1));
        let (pixels, _) = rgba.as_chunks::<4>();
        if pixels.len() != width * height {
            let kind = std::io::ErrorKind::InvalidInput;
            return Err(EncodingError::Io(std::io::Error::new(
                kind,
                "the number of pixels does not match the size",
            )));
        }
        let mut indices = Vec::with_capacity(pixels.len());
        // Adjacent pixels are mostly equal, so the last look-up is cached.
        let mut last = ([0; 3], self.colours.nearest_index([0; 3]));
        for [r, g, b, _] in pixels {
            if last.0 != [*r, *g, *b] {
                last = ([*r, *g, *b], self.colours.nearest_index([*r, *g, *b]));
            }
            indices.push(last.1);
        }
        let (left, top, right, bottom) = self.changed_bounds(&indices);
        let rows = indices.chunks_exact(width.max(1)).skip(top).take(bottom - top);
        let buffer: Vec<u8> = rows.flat_map(|row| &row[left..right]).copied().collect();
        let short = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        let frame = Frame {
            delay: if is_last { DELAY_CENTISECONDS.1 } else { DELAY_CENTISECONDS.0 },
            dispose: DisposalMethod::Keep,
            left: short(left),
            top: short(top),
            width: short(right - left),
            height: short(bottom - top),
            buffer: buffer.into(),
            ..Frame::default()
        };
        self.encoder.write_frame(&frame)?;
        self.previous = indices;
        Ok(())
    }

    /// Left, top, right and bottom of the difference from the previous frame; one pixel if there is none.
    fn changed_bounds(&self, indices: &[u8]) -> (usize, usize, usize, usize) {
        let (width, height) = (usize::from(self.size.0), usize::from(self.size.1));
        if self.previous.len() != indices.len() {
            return (0, 0, width, height);
        }
        let (mut left, mut top, mut right, mut bottom) = (width, height, 0, 0);
        let rows = indices.chunks_exact(width.max(1)).zip(self.previous.chunks_exact(width.max(1)));
        for (y, (current, previous)) in rows.enumerate() {
            let differs = |x: &usize| current[*x] != previous[*x];
            if let Some(first) = (0..width).find(differs) {
                (top, bottom) = (top.min(y), y + 1);
                left = left.min(first);
                right = right.max((0..width).rev().find(differs).unwrap_or(first) + 1);
            }
        }
        if right == 0 { (0, 0, 1.min(width), 1.min(height)) } else { (left, top, right, bottom) }
    }

    /// The encoded file.
    pub fn finish(self) -> Result<Vec<u8>, EncodingError> {
        self.encoder.into_inner()
    }
}
