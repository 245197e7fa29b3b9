//! The form of shardings: `{replicated}`, `{devices=[2,1]<=[2]}`, tuples of them, and those by the axes of a mesh.

use super::annotation::Form;
use crate::lexer::TokenKind;

/// The parts of a sharding that decide what else it must have.
#[derive(Default)]
struct Parts {
    is_whole: bool,
    is_maximal: bool,
    has_tiles: bool,
    devices: usize,
}

impl Form<'_> {
    /// A sharding, or a tuple of shardings.
    pub fn sharding(&mut self) -> Option<()> {
        self.expect('{')?;
        if self.eat('}') {
            return Some(());
        }
        if !self.at('{') {
            return self.sharding_after_brace();
        }
        loop {
            self.expect('{')?;
            self.sharding_after_brace()?;
            if !self.eat(',') {
                break;
            }
        }
        self.expect('}')
    }

    /// One sharding, up to and including its closing brace.
    fn sharding_after_brace(&mut self) -> Option<()> {
        if self.eat_word("mesh") || self.eat_word("maximal_mesh") {
            return self.mesh();
        }
        let mut parts = Parts::default();
        while !self.eat('}') {
            let token = self.next();
            match (token.kind, self.text(token)) {
                (TokenKind::Name, "replicated" | "manual" | "unknown" | "unreduced") => parts.is_whole = true,
                (TokenKind::Name, "maximal") => parts.is_maximal = true,
                (TokenKind::Name, "last_tile_dim_replicate") => {}
                (TokenKind::Name, "shard_as" | "shard_like") => {
                    self.int()?;
                }
                (TokenKind::AttrName, "device") => {
                    self.int()?;
                    parts.devices = 1;
                }
                (TokenKind::AttrName, "devices") => {
                    parts.has_tiles = true;
                    parts.devices = self.tiles()?;
                }
                (TokenKind::AttrName, "metadata") => self.metadata_or_list()?,
                (TokenKind::AttrName, "last_tile_dims") => {
                    self.list(['{', '}'], &mut |form| {
                        let words = ["maximal", "replicated", "manual", "unreduced"];
                        words.iter().any(|word| form.eat_word(word)).then_some(())
                    })?;
                }
                _ => return None,
            }
        }
        let is_valid = if parts.is_whole {
            parts.devices == 0
        } else if parts.is_maximal {
            parts.devices == 1
        } else {
            parts.has_tiles && parts.devices > 1
        };
        is_valid.then_some(())
    }

    /// `[2,1]0,1` or `[2,2]<=[2,2]T(1,0)`; the number of devices, of the second form any above one.
    fn tiles(&mut self) -> Option<usize> {
        self.bracketed_ints()?;
        if !self.eat('<') {
            let mut count = 0;
            loop {
                self.int()?;
                count += 1;
                if !self.eat(',') {
                    return Some(count);
                }
            }
        }
        self.expect('=')?;
        self.iota()?;
        Some(usize::MAX)
    }

    /// At least one number in square brackets; their number.
    fn bracketed_ints(&mut self) -> Option<usize> {
        self.list(['[', ']'], &mut |form| form.int().map(|_| ())).filter(|count| *count > 0)
    }

    /// `[8]` or `[2,4]T(1,0)`.
    fn iota(&mut self) -> Option<()> {
        let rank = self.bracketed_ints()?;
        if !self.eat_word("T") {
            return (rank == 1).then_some(());
        }
        let order = self.list(['(', ')'], &mut |form| {
            form.int().and_then(|d| usize::try_from(d).ok()).filter(|d| *d < rank).map(|_| ())
        })?;
        (order == rank).then_some(())
    }

    fn metadata_or_list(&mut self) -> Option<()> {
        let mut ahead = Form::clone_of(self);
        ahead.expect('{')?;
        if !ahead.at('{') {
            return self.metadata();
        }
        self.list(['{', '}'], &mut Form::metadata).map(|_| ())
    }

    /// `["a"=2,"b"=4], device_ids=([8]), [{"a"},{"b":(1)2,?}], replicated={…}`, from the bracket on.
    fn mesh(&mut self) -> Option<()> {
        // Axes are quoted; older texts name them without quotation marks.
        self.list(['[', ']'], &mut |form| {
            if form.peek().kind == TokenKind::AttrName {
                form.next();
            } else {
                form.string()?;
                form.expect('=')?;
            }
            form.int().map(|_| ())
        })?;
        while !self.eat('}') {
            self.eat(',');
            let token = self.peek();
            match token.kind {
                TokenKind::AttrName => {
                    self.next();
                    match self.text(token) {
                        "device_ids" => self.device_ids()?,
                        "replicated" | "unreduced" | "manual" => self.axes()?,
                        "metadata" => self.metadata_or_list()?,
                        _ => return None,
                    }
                }
                TokenKind::Punct('[') => {
                    self.list(['[', ']'], &mut Form::axes)?;
                }
                _ => {
                    let words = ["replicated", "unreduced", "manual"];
                    words.iter().any(|word| self.eat_word(word)).then_some(())?;
                }
            }
        }
        Some(())
    }

    fn device_ids(&mut self) -> Option<()> {
        self.expect('(')?;
        if self.at('[') {
            self.iota()?;
        } else {
            while !self.at(')') {
                self.int()?;
                if !self.eat(',') {
                    break;
                }
            }
        }
        self.expect(')')
    }

    /// `{"a","b":(1)2,?}`.
    fn axes(&mut self) -> Option<()> {
        let mut axis = |form: &mut Self| {
            if form.eat('?') {
                return Some(());
            }
            let token = form.next();
            let has_part = match token.kind {
                TokenKind::ParamName => true,
                TokenKind::Name | TokenKind::String => form.eat(':'),
                _ => return None,
            };
            if has_part {
                form.expect('(')?;
                form.int()?;
                form.expect(')')?;
                form.int()?;
            }
            Some(())
        };
        self.list(['{', '}'], &mut axis).map(|_| ())
    }
}
