//! Animated GIFs, decoded by a `GIF89a` decoder written here: header, palette, frames, and every pixel.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use xla_view::gif::{Animation, MAX_FRAMES, fits};
use xla_view::palette::Theme;
use xla_view::scene::Ink;

/// A frame: left, top, width and height; delay; the palette indices of its pixels.
struct Frame {
    rect: [usize; 4],
    delay: u16,
    pixels: Vec<u8>,
}

struct Gif {
    size: (usize, usize),
    palette: Vec<[u8; 3]>,
    repeats: bool,
    frames: Vec<Frame>,
}

fn u16_at(bytes: &[u8], at: usize) -> usize {
    usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]))
}

/// The data of the sub-blocks from `at` on, and the offset after them.
fn blocks(bytes: &[u8], mut at: usize) -> (Vec<u8>, usize) {
    let mut data = Vec::new();
    while bytes[at] != 0 {
        let length = usize::from(bytes[at]);
        data.extend_from_slice(&bytes[at + 1..=at + length]);
        at += length + 1;
    }
    (data, at + 1)
}

/// Variable-length-code LZW, as appendix F of the `GIF89a` specification describes it.
fn unpack(data: &[u8], min_code_size: u32) -> Vec<u8> {
    let (clear, end) = (1_usize << min_code_size, (1_usize << min_code_size) + 1);
    let fresh = || (0..clear + 2).map(|i| vec![u8::try_from(i.min(255)).unwrap()]).collect::<Vec<_>>();
    let (mut table, mut width, mut before) = (fresh(), min_code_size + 1, None::<Vec<u8>>);
    let (mut out, mut bit) = (Vec::new(), 0);
    loop {
        let code = (0..width as usize).fold(0, |code, i| {
            let at = bit + i;
            code | usize::from(data[at / 8] >> (at % 8) & 1) << i
        });
        bit += width as usize;
        if code == end {
            return out;
        }
        if code == clear {
            (table, width, before) = (fresh(), min_code_size + 1, None);
            continue;
        }
        let entry = match &before {
            Some(before) if code == table.len() => [before.as_slice(), &before[..1]].concat(),
            _ => table[code].clone(),
        };
        out.extend_from_slice(&entry);
        if let Some(mut before) = before.filter(|_| table.len() < 4_096) {
            before.push(entry[0]);
            table.push(before);
        }
        if table.len() == 1 << width && width < 12 {
            width += 1;
        }
        before = Some(entry);
    }
}

fn read(bytes: &[u8]) -> Gif {
    assert_eq!(&bytes[..6], b"GIF89a");
    let size = (u16_at(bytes, 6), u16_at(bytes, 8));
    let colours = 2_usize << (bytes[10] & 7);
    assert_eq!(bytes[10] & 0x80, 0x80, "a global palette");
    let palette = bytes[13..13 + 3 * colours].as_chunks::<3>().0.to_vec();
    let mut at = 13 + 3 * colours;
    let (mut frames, mut delay, mut repeats) = (Vec::new(), 0, false);
    loop {
        match bytes[at] {
            0x3b => {
                assert_eq!(at + 1, bytes.len());
                return Gif { size, palette, repeats, frames };
            }
            0x21 if bytes[at + 1] == 0xf9 => {
                delay = u16::try_from(u16_at(bytes, at + 4)).unwrap();
                at += 8;
            }
            0x21 => {
                let (data, next) = blocks(bytes, at + 2);
                repeats |= data.starts_with(b"NETSCAPE2.0");
                at = next;
            }
            0x2c => {
                let rect = [1, 3, 5, 7].map(|i| u16_at(bytes, at + i));
                assert_eq!(bytes[at + 9] & 0xc0, 0, "no local palette, not interlaced");
                let (data, next) = blocks(bytes, at + 11);
                frames.push(Frame { rect, delay, pixels: unpack(&data, u32::from(bytes[at + 10])) });
                at = next;
            }
            other => unreachable!("block {other:#x}"),
        }
    }
}

/// The picture after each frame, which is drawn over the previous ones.
fn composited(gif: &Gif) -> Vec<Vec<[u8; 3]>> {
    let mut screen = vec![[0; 3]; gif.size.0 * gif.size.1];
    let drawn = |frame: &Frame| {
        let [left, top, width, height] = frame.rect;
        assert_eq!(frame.pixels.len(), width * height);
        for (i, number) in frame.pixels.iter().enumerate() {
            screen[(top + i / width) * gif.size.0 + left + i % width] = gif.palette[usize::from(*number)];
        }
        screen.clone()
    };
    gif.frames.iter().map(drawn).collect()
}

fn rgba(pixels: &[[u8; 3]]) -> Vec<u8> {
    pixels.iter().flat_map(|[r, g, b]| [*r, *g, *b, 255]).collect()
}

#[test]
fn theme_colours_are_exact_and_frames_contain_only_changes() {
    for theme in [Theme::light(), Theme::dark()] {
        let of = |ink| theme.resolve(ink).0.0;
        let inks = [Ink::Strong, Ink::Soft, Ink::Select, Ink::Dimension(0), Ink::Dimension(5), Ink::Surface];
        let (width, height) = (40_usize, 30);
        let mut frames: Vec<Vec<[u8; 3]>> = Vec::new();
        for (index, ink) in inks.into_iter().enumerate() {
            let mut pixels = vec![of(Ink::Background); width * height];
            for y in 3 * index..3 * index + 4 {
                for x in 5..9 + index {
                    pixels[y * width + x] = of(ink);
                }
            }
            frames.push(pixels);
        }
        // A frame equal to the previous one.
        frames.push(frames[5].clone());
        let mut animation = Animation::new(40, 30, &theme).unwrap();
        for (i, frame) in frames.iter().enumerate() {
            animation.frame(&rgba(frame), i + 1 == frames.len()).unwrap();
        }
        let gif = read(&animation.finish().unwrap());
        assert_eq!((gif.size, gif.frames.len(), gif.repeats), ((width, height), 7, true));
        assert!(gif.palette.len() <= 256);
        assert_eq!(composited(&gif), frames);
        assert_eq!(gif.frames[0].rect, [0, 0, width, height]);
        assert_eq!(gif.frames[1].rect, [5, 0, 5, 7]);
        assert_eq!(gif.frames[6].rect, [0, 0, 1, 1]);
        let delays: Vec<u16> = gif.frames.iter().map(|frame| frame.delay).collect();
        assert!(delays[..6].iter().all(|delay| *delay == delays[0]) && delays[6] > delays[0]);
    }
}

#[test]
fn other_colours_become_the_nearest_palette_colour() {
    // Colours from the whole cube, many more than a palette holds, so that LZW codes reach their full width.
    let pixels: Vec<[u8; 3]> =
        (0..64_u32 * 64).map(|i| [i * 37, i * 91, i * 53].map(|n| u8::try_from(n % 256).unwrap())).collect();
    let mut animation = Animation::new(64, 64, &Theme::light()).unwrap();
    animation.frame(&rgba(&pixels), true).unwrap();
    let gif = read(&animation.finish().unwrap());
    let background = Theme::light().background.0;
    // The palette is padded with black, which is not a colour of the theme.
    let palette: Vec<_> = gif.palette.iter().filter(|colour| **colour != [0; 3]).collect();
    assert!(palette.len() > 150);
    for (got, want) in composited(&gif)[0].iter().zip(&pixels) {
        let error = |a: &[u8; 3]| {
            (0..3).map(|i| u32::from(a[i].abs_diff(want[i])).pow(2) * [2, 4, 1][i]).sum::<u32>()
        };
        assert!(error(got) <= error(&background), "{got:?} for {want:?}");
        assert!(palette.iter().all(|colour| error(colour) >= error(got)), "{got:?} for {want:?}");
    }
}

#[test]
fn frames_of_wrong_size_and_too_many_pixels_are_rejected() {
    let mut animation = Animation::new(4, 4, &Theme::light()).unwrap();
    assert!(animation.frame(&[0; 60], true).is_err());
    assert!(fits(800.0, 600.0, 16) && fits(10.0, 10.0, MAX_FRAMES));
    assert!(!fits(800.0, 600.0, 0) && !fits(10.0, 10.0, MAX_FRAMES + 1));
    assert!(
        !fits(2_000.0, 1_000.0, 200) && !fits(70_000.0, 1.0, 1) && !fits(f64::INFINITY, f64::INFINITY, 200)
    );
}
