"""Layouts, runs and comparisons."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._inputs import read_program, write_arguments
from ._program import Folder

_DTYPES = {
    "pred": "bool", "s8": "int8", "s16": "int16", "s32": "int32", "s64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "f16": "float16", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128",
}  # fmt: skip

#: Types that NumPy has with the package ml_dtypes, which comes with JAX.
_MORE_DTYPES = {
    "bf16": "bfloat16", "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2", "f8e4m3b11fnuz": "float8_e4m3b11fnuz",
    "f8e4m3fnuz": "float8_e4m3fnuz", "f8e5m2fnuz": "float8_e5m2fnuz", "f8e4m3": "float8_e4m3", "f8e3m4": "float8_e3m4",
    "f8e8m0fnu": "float8_e8m0fnu", "s4": "int4", "u4": "uint4", "s2": "int2", "u2": "uint2", "f4e2m1fn": "float4_e2m1fn",
}  # fmt: skip


def layout(shape: str) -> dict[str, Any]:
    """The layout of a shape: strides, size, and the index of each memory slot (``None`` for padding).

    >>> layout("f32[2,3]{0,1}")["strides"]
    [1, 2]
    """
    with Folder() as folder:
        return json.loads(folder.call("layout", shape, "--json"))


def run(program: Any, *args: Any, seconds: float | None = 60.0) -> Any:
    """Runs a program on arrays with the reference evaluator and the strict kernels, which give the bits of XLA's semantics.

    Returns an array, or a list of arrays for a tuple. Types that NumPy lacks (bfloat16, the 8-bit floats) are those of
    ml_dtypes where it is installed, else bytes of their width.
    """
    read = read_program(program, args)
    with Folder() as folder:
        file = folder.write("program.txt", read.text)
        out = "result.npz"
        options = write_arguments(folder, read.args)
        printed = folder.call("eval", file, *options, "--json", "--out", folder.guest(out), seconds=seconds)
        shape = next(json.loads(line)["shape"] for line in printed.splitlines() if '"shape"' in line)
        arrays = _read(folder.read(out), _types(shape))
    return arrays if shape.startswith("(") else arrays[0]


def _types(shape: str) -> list[str]:
    """The element types of the arrays in a shape, in order."""
    types, word = [], ""
    depth = 0
    for c in shape:
        if c in "{[":
            if c == "[" and depth == 0:
                types.append(word)
            depth += 1
        elif c in "}]":
            depth -= 1
        if depth == 0:
            word = word + c if c.isalnum() else ""
    return types


def _read(archive: bytes, types: list[str]) -> list[np.ndarray]:
    arrays = []
    with zipfile.ZipFile(io.BytesIO(archive)) as members:
        for number, element_type in enumerate(types):
            array = np.load(io.BytesIO(members.read(f"arr_{number}.npy")), allow_pickle=False)
            arrays.append(array.view(dtype) if (dtype := _dtype(element_type, array)) is not None else array)
    return arrays


def _dtype(element_type: str, array: np.ndarray) -> Any:
    """The type of the elements of an array that has them as bytes; None if it has them already, or NumPy lacks the type."""
    if array.dtype.kind != "V":
        return None
    try:
        import ml_dtypes

        dtype = np.dtype(getattr(ml_dtypes, _MORE_DTYPES[element_type]))
    except (ImportError, KeyError, AttributeError):
        return None
    return dtype if dtype.itemsize == array.dtype.itemsize else None


@dataclass(frozen=True)
class Difference:
    """How two programs differ. ``text`` is what ``xla-playground diff`` prints."""

    text: str
    #: Whether their values were compared, too.
    has_values: bool

    @property
    def equivalent(self) -> bool:
        """Whether they have the same operations, up to names, order and annotations."""
        return "The programs compute the same with the same operations" in self.text

    @property
    def same(self) -> bool:
        """Whether no compared value differs; without arguments, whether the programs are equivalent."""
        return "the difference begins at" not in self.text if self.has_values else self.equivalent

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def diff(a: Any, b: Any, *args: Any, ulp: int = 0, seconds: float | None = 60.0) -> Difference:
    """What differs between two programs: operations, shapes, attributes; with arguments, their values, too.

    ``ulp`` is the distance in units in the last place up to which values are equal.
    """
    with Folder() as folder:
        programs = [read_program(thing, args) for thing in (a, b)]
        files = [folder.write(f"{number}.txt", program.text) for number, program in enumerate(programs)]
        options = write_arguments(folder, programs[0].args)
        text = folder.call("diff", *files, *options, "--ulp", str(ulp), seconds=seconds)
        return Difference(text, bool(options))
