//! Base64 (RFC 4648): the alphabet of URLs without padding for links, the standard one with padding for data URLs.

/// An alphabet of Base64: two of its 64 characters, and whether there is padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alphabet {
    /// `+` and `/`, padded with `=`.
    Standard,
    /// `-` and `_`, without padding.
    Url,
}

impl Alphabet {
    /// The characters for 62 and 63.
    fn last_two(self) -> [u8; 2] {
        match self {
            Self::Standard => *b"+/",
            Self::Url => *b"-_",
        }
    }

    fn digit(self, six_bits: u8) -> u8 {
        match six_bits {
            0..26 => b'A' + six_bits,
            26..52 => b'a' + (six_bits - 26),
            52..62 => b'0' + (six_bits - 52),
            other => self.last_two()[usize::from(other & 1)],
        }
    }
}

/// Bytes as text.
pub fn encode(bytes: &[u8], alphabet: Alphabet) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let [first, second, third] = [0, 1, 2].map(|at| group.get(at).copied().unwrap_or(0));
        let digits = [first >> 2, first << 4 | second >> 4, second << 2 | third >> 6, third];
        let digits = digits.map(|bits| char::from(alphabet.digit(bits & 0x3f)));
        out.extend(&digits[..=group.len()]);
        if alphabet == Alphabet::Standard {
            out.extend(std::iter::repeat_n('=', 3 - group.len()));
        }
    }
    out
}

/// The bytes of the text in the alphabet of URLs without padding; `None` where [`encode`] writes no such text.
pub fn decode_url(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for group in text.as_bytes().chunks(4) {
        let mut bits = 0;
        for digit in group {
            let six_bits = match digit {
                b'A'..=b'Z' => digit - b'A',
                b'a'..=b'z' => digit - b'a' + 26,
                b'0'..=b'9' => digit - b'0' + 52,
                b'-' => 62,
                b'_' => 63,
                _ => return None,
            };
            bits = bits << 6 | u32::from(six_bits);
        }
        let [_, first, second, third] = (bits << (6 * (4 - group.len()))).to_be_bytes();
        let (bytes, rest) = match group.len() {
            4 => (&[first, second, third][..], 0),
            3 => (&[first, second][..], third),
            2 => (&[first][..], second),
            _ => return None,
        };
        if rest != 0 {
            return None;
        }
        out.extend(bytes);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_of_the_rfc() {
        let texts = ["", "Zg", "Zm8", "Zm9v", "Zm9vYg", "Zm9vYmE", "Zm9vYmFy"];
        for (length, text) in texts.into_iter().enumerate() {
            let bytes = &b"foobar"[..length];
            assert_eq!(encode(bytes, Alphabet::Url), text);
            assert_eq!(encode(bytes, Alphabet::Standard).trim_end_matches('='), text);
            assert_eq!(encode(bytes, Alphabet::Standard).len() % 4, 0);
            assert_eq!(decode_url(text).as_deref(), Some(bytes));
        }
        assert_eq!(encode(&[0xfb, 0xff], Alphabet::Standard), "+/8=");
        assert_eq!(encode(&[0xfb, 0xff], Alphabet::Url), "-_8");
    }

    #[test]
    fn all_bytes_survive_at_every_place() {
        for start in 0..3 {
            let bytes: Vec<u8> =
                std::iter::repeat_n(7, start).chain(0..=255).chain((0..=255).rev()).collect();
            assert_eq!(decode_url(&encode(&bytes, Alphabet::Url)), Some(bytes));
        }
    }

    #[test]
    fn only_what_is_written_is_read() {
        for text in ["A", "AAAAA", "Zg==", "Zm8=", "Zh", "Zm9", "Zm+v", "Zm/v", "Zm v", "Zmé", "Z\n", "AA=A"]
        {
            assert_eq!(decode_url(text), None, "{text}");
        }
    }
}
