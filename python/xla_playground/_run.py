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
        # Notes on what was lowered may come before.
        saved = next(saved for saved in map(json.loads, printed.splitlines()) if "dtypes" in saved)
        arrays = _read(folder.read(out), saved["dtypes"])
    return arrays if saved["shape"].startswith("(") else arrays[0]


def _read(archive: bytes, dtypes: list[str]) -> list[np.ndarray]:
    arrays = []
    with zipfile.ZipFile(io.BytesIO(archive)) as members:
        for number, dtype in enumerate(dtypes):
            array = np.load(io.BytesIO(members.read(f"arr_{number}.npy")), allow_pickle=False)
            arrays.append(_typed(array, dtype))
    return arrays


def _typed(array: np.ndarray, dtype: str) -> np.ndarray:
    """An array of bytes as one of its type, where ml_dtypes, which comes with JAX, is installed."""
    if array.dtype.kind != "V":
        return array
    try:
        import ml_dtypes
    except ImportError:
        return array
    known = getattr(ml_dtypes, dtype, None)
    return array if known is None else array.view(known)


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
