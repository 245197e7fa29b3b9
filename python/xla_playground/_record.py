"""What a page has recorded: the names of its instructions, and the sizes of their arrays."""

from __future__ import annotations

import base64
import json
import re
import zlib
from dataclasses import dataclass
from typing import Sequence

_ELEMENT = re.compile(r'<script type="application/json" id="snapshot">"([A-Za-z0-9+/=]*)"</script>')
_SIZES = re.compile(r"\[([0-9,<= ]*)\]")

#: A tuple path, and the sizes of the array there.
RecordedArray = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class Record:
    """The record of a page."""

    #: The compressed bytes, as the page gets them.
    data: bytes
    #: The arrays of each instruction that have values. An array alone is an instruction without a name.
    arrays: dict[str, list[RecordedArray]]
    #: The instruction that is shown first.
    selected: str

    @staticmethod
    def of_page(page: str) -> "Record":
        """Reads the record of a page that the program has written."""
        element = _ELEMENT.search(page)
        if element is None:
            raise ValueError("the page has no record")
        data = base64.b64decode(element.group(1))
        record = zlib.decompress(data)
        length = int.from_bytes(record[4:8], "little")
        header = json.loads(record[8 : 8 + length])
        arrays = {
            entry["name"]: [
                (tuple(array["path"]), _sizes(array["shape"])) for array in entry["arrays"] if array["values"] != "omitted"
            ]
            for entry in header["entries"]
        }
        return Record(data, arrays, header["entries"][header["selected"]]["name"])

    @property
    def is_array(self) -> bool:
        """Whether the page shows an array without a program: slots of padding have no index."""
        return list(self.arrays) == [""]

    def sizes(self, instruction: str, path: Sequence[int]) -> tuple[int, ...] | None:
        """The sizes of an array; None if the instruction has no such array with values."""
        return dict(self.arrays.get(instruction, ())).get(tuple(path))

    def has_cell(self, instruction: str, path: Sequence[int], index: Sequence[int] | None) -> bool:
        """Whether a cell exists. Without an index: whether that is so since there is no cell, or since it may be padding."""
        sizes = self.sizes(instruction, path)
        if index is None:
            return self.is_array or sizes is None or 0 in sizes
        return sizes is not None and len(index) == len(sizes) and all(0 <= i < size for i, size in zip(index, sizes))

    def first_path(self, instruction: str) -> list[int]:
        """The tuple path of the array that is shown first."""
        arrays = self.arrays.get(instruction, ())
        return list(arrays[0][0]) if arrays else []

    def first_index(self, instruction: str, path: Sequence[int]) -> list[int] | None:
        """The index of the first cell; None if there is none."""
        sizes = self.sizes(instruction, path)
        return None if sizes is None or 0 in sizes else [0] * len(sizes)


def _sizes(shape: str) -> tuple[int, ...]:
    """The sizes of a shape such as ``f32[2,<=3]{1,0}``."""
    found = _SIZES.search(shape)
    return tuple(int(size.strip(" <=")) for size in found.group(1).split(",") if size.strip()) if found else ()
