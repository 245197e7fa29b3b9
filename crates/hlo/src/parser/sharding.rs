//! The syntax of shardings: `{replicated}`, `{devices=[2,1]<=[2]}`, tuples of shardings, and shardings by the axes of a mesh.

use std::collections::BTreeSet;

use super::annotation::AnnotationReader;
use crate::lexer::TokenKind;

/// The parts of a sharding that determine whether it is valid.
#[derive(Default)]
struct Parts {
    is_whole: bool,
    is_maximal: bool,
    has_tiles: bool,
    devices: usize,
}

/// The axes of a mesh.
struct Mesh<'s> {
    axes: BTreeSet<&'s str>,
    /// The product of their sizes; `None` if it is too large.
    devices: Option<i64>,
}

impl Mesh<'_> {
    /// Whether it has an axis of this name or number.
    fn has(&self, axis: &str) -> bool {
        self.axes.contains(axis) || axis.parse().is_ok_and(|number: usize| number < self.axes.len())
    }
}

impl<'s> AnnotationReader<'s> {
    /// A sharding, or a tuple of shardings.
    pub fn sharding(&mut self) -> Option<()> {
        self.expect('{')?;
        if self.eat('}') {
            return Some(());
        }
        if !self.is_at('{') {
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
        if self.eat_word("mesh") {
            return self.sharding_on_mesh();
        }
        if self.eat_word("maximal_mesh") {
            return self.maximal_mesh();
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
                    self.list(['{', '}'], &mut |reader| {
                        let words = ["maximal", "replicated", "manual", "unreduced"];
                        words.iter().any(|word| reader.eat_word(word)).then_some(())
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

    /// `[2,1]0,1` or `[2,2]<=[2,2]T(1,0)`. Returns the number of devices; for the second form, `usize::MAX`.
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

    /// At least one number in square brackets; returns how many.
    fn bracketed_ints(&mut self) -> Option<usize> {
        self.list(['[', ']'], &mut |reader| reader.int().map(|_| ())).filter(|count| *count > 0)
    }

    /// `[8]` or `[2,4]T(1,0)`.
    fn iota(&mut self) -> Option<()> {
        let rank = self.bracketed_ints()?;
        if !self.eat_word("T") {
            return (rank == 1).then_some(());
        }
        let order = self.list(['(', ')'], &mut |reader| {
            reader.int().and_then(|d| usize::try_from(d).ok()).filter(|d| *d < rank).map(|_| ())
        })?;
        (order == rank).then_some(())
    }

    fn metadata_or_list(&mut self) -> Option<()> {
        let mut ahead = self.lookahead();
        ahead.expect('{')?;
        if !ahead.is_at('{') {
            return self.metadata();
        }
        self.list(['{', '}'], &mut AnnotationReader::metadata).map(|_| ())
    }

    /// `[device_id=3]`, from the bracket on, with `, metadata={…}`.
    fn maximal_mesh(&mut self) -> Option<()> {
        self.expect('[')?;
        (self.field()? == "device_id").then_some(())?;
        self.int()?;
        self.expect(']')?;
        self.metadata_and_end()
    }

    /// The end of a sharding, after optional metadata.
    fn metadata_and_end(&mut self) -> Option<()> {
        if self.eat(',') {
            (self.field()? == "metadata").then_some(())?;
            self.metadata_or_list()?;
        }
        self.expect('}')
    }

    /// `["a"=2,"b"=4], device_ids=([8]), [{"a"},{"b":(1)2,?}], replicated={…}`, from the bracket on: one word for the whole
    /// mesh, or the axes of each dimension and then fields (`ParseSingleSharding` of a `NamedSharding` in XLA's parser).
    fn sharding_on_mesh(&mut self) -> Option<()> {
        let mesh = self.mesh()?;
        if ["replicated", "unreduced", "manual"].iter().any(|word| self.eat_word(word)) {
            return self.metadata_and_end();
        }
        self.list(['[', ']'], &mut |reader| reader.axes(&mesh, true))?;
        while !self.eat('}') {
            self.expect(',')?;
            match self.field()? {
                "replicated" | "unreduced" | "manual" => self.axes(&mesh, false)?,
                "metadata" => self.metadata_or_list()?,
                _ => return None,
            }
        }
        Some(())
    }

    /// A mesh from the bracket on, and the comma after it.
    fn mesh(&mut self) -> Option<Mesh<'s>> {
        let mut mesh = Mesh { axes: BTreeSet::new(), devices: Some(1) };
        // Axes are quoted; older texts name them without quotation marks.
        self.list(['[', ']'], &mut |reader| {
            let name = if reader.peek().kind == TokenKind::AttrName {
                reader.field()?
            } else {
                let name = reader.string()?;
                reader.expect('=')?;
                name
            };
            let size = reader.int()?;
            mesh.axes.insert(name);
            mesh.devices = mesh.devices.and_then(|devices| devices.checked_mul(size));
            Some(())
        })?;
        self.eat(',');
        if self.peek().kind == TokenKind::AttrName {
            (self.field()? == "device_ids").then_some(())?;
            self.device_ids(&mesh)?;
            self.eat(',');
        }
        Some(mesh)
    }

    /// `([8])`, or a permutation of the devices of a mesh.
    fn device_ids(&mut self, mesh: &Mesh) -> Option<()> {
        self.expect('(')?;
        if self.is_at('[') {
            self.iota()?;
            return self.expect(')');
        }
        let mut ids = BTreeSet::new();
        while !self.is_at(')') {
            let id = self.int()?;
            let is_device =
                mesh.axes.is_empty() || mesh.devices.is_none_or(|devices| (0..devices).contains(&id));
            (is_device && ids.insert(id)).then_some(())?;
            if !self.eat(',') {
                break;
            }
        }
        let count = i64::try_from(ids.len()).ok();
        (mesh.axes.is_empty() || count == mesh.devices).then_some(())?;
        self.expect(')')
    }

    /// `{"a","b":(1)2,?}`: axes of a mesh. A trailing `?` marks a dimension that can be sharded further.
    fn axes(&mut self, mesh: &Mesh, is_dimension: bool) -> Option<()> {
        let mut is_open = false;
        let mut axis = |reader: &mut Self| {
            if is_open {
                return None;
            }
            if is_dimension && reader.eat('?') {
                is_open = true;
                return Some(());
            }
            let token = reader.next();
            let text = reader.text(token);
            let (name, has_sub_axis) = match token.kind {
                TokenKind::ParamName => (text.trim_end_matches(':'), true),
                TokenKind::Name => (text, reader.eat(':')),
                TokenKind::String => (text.get(1..text.len().saturating_sub(1))?, reader.eat(':')),
                _ => return None,
            };
            mesh.has(name).then_some(())?;
            if has_sub_axis {
                reader.expect('(')?;
                reader.int()?;
                reader.expect(')')?;
                reader.int()?;
            }
            Some(())
        };
        self.list(['{', '}'], &mut axis).map(|_| ())
    }
}
