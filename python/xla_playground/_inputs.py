"""Programs and arguments in the forms that Python has them."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np

from ._program import Folder, PlaygroundError

#: Bytes of a program's text.
MAX_TEXT_BYTES = 64 << 20

_SHAPE = re.compile(r"^\s*\(?\s*[a-z][a-z0-9]*\s*\[[^\]\n]*\][^\n]*$")


def is_shape(text: str) -> bool:
    """Whether a text is a shape such as ``f32[2,3]{0,1}``, not a program."""
    return bool(_SHAPE.match(text)) and "\n" not in text.strip()


def is_array(thing: Any) -> bool:
    """Whether a thing is an array of NumPy or JAX."""
    return not isinstance(thing, type) and hasattr(thing, "dtype") and hasattr(thing, "shape") and not hasattr(thing, "as_text")


@dataclass(frozen=True)
class Program:
    """The text of a program, and the arguments of its parameters."""

    text: str
    args: list[Any]


def read_program(thing: Any, args: Sequence[Any] = ()) -> Program:
    """A program from its text, or from what JAX makes of a function.

    A function of ``jax.jit`` is lowered for the arguments; a plain function is jitted first. JAX drops the parameters that a function
    does not use: their arguments are dropped, too.
    """
    flat = leaves(args)
    if isinstance(thing, str):
        text, kept = thing, None
    elif hasattr(thing, "as_text"):
        text, kept = thing.as_text(), _kept(thing)
    elif hasattr(thing, "lower"):
        lowered = thing.lower(*args)
        text, kept = lowered.as_text(), _kept(lowered)
    elif callable(thing):
        import jax

        text, kept = jax.jit(thing, keep_unused=True).lower(*args).as_text(), None
    else:
        raise TypeError(
            f"cannot read {type(thing).__name__}: pass an array, a shape, HLO or StableHLO text, or jax.jit(f) with its arguments"
        )
    if len(text.encode()) > MAX_TEXT_BYTES:
        raise PlaygroundError(f"the text has more than {MAX_TEXT_BYTES >> 20} MiB")
    if kept is not None:
        flat = [arg for number, arg in enumerate(flat) if number in kept]
    return Program(text, flat)


def array_program(value: Any) -> Program:
    """A program whose result is an array, with the layout that it has."""
    array = array_of(value)
    shape = f"{_element_type(array.dtype)}[{','.join(map(str, array.shape))}]"
    order = _minor_to_major(value)
    if array.ndim > 0 and len(order) == array.ndim:
        shape += "{" + ",".join(map(str, order)) + "}"
    return Program(f"HloModule array\n\nENTRY array {{\n  ROOT array = {shape} parameter(0)\n}}\n", [np.asarray(array, order="C")])


def _element_type(dtype: np.dtype) -> str:
    """The name of an element type in XLA: ``bf16`` for ``bfloat16``, ``f8e4m3fn`` for ``float8_e4m3fn``."""
    if dtype == np.bool_:
        return "pred"
    kind = re.fullmatch(r"(bfloat|float|uint|int|complex)(\d+)(?:_(\w+))?", dtype.name)
    if kind is None:
        raise TypeError(f"XLA has no element type {dtype.name}")
    prefix = {"bfloat": "bf", "float": "f", "uint": "u", "int": "s", "complex": "c"}[kind.group(1)]
    return prefix + kind.group(2) + (kind.group(3) or "")


def _minor_to_major(value: Any) -> list[int]:
    """The order of an array's dimensions in memory; empty if it is not known."""
    if isinstance(value, np.ndarray):
        is_reversed = value.flags.f_contiguous and not value.flags.c_contiguous
        return list(range(value.ndim)) if is_reversed else list(range(value.ndim))[::-1]
    layout = getattr(getattr(value, "format", None), "layout", None)
    return list(reversed(getattr(layout, "major_to_minor", None) or ()))


def _kept(stage: Any) -> set[int] | None:
    """The numbers of the parameters that JAX has kept; None if it does not say: it has no public name for them."""
    lowering = getattr(stage, "_lowering", None)
    kept = getattr(lowering, "compile_args", {}).get("kept_var_idx") if lowering is not None else None
    if kept is None:
        kept = getattr(getattr(stage, "_executable", None), "_kept_var_idx", None)
    return None if kept is None else set(kept)


def leaves(args: Sequence[Any]) -> list[Any]:
    """The arrays of arguments, in the order in which JAX flattens them: dictionaries by their sorted keys."""
    out: list[Any] = []
    for arg in args:
        if isinstance(arg, (list, tuple)):
            out.extend(leaves(arg))
        elif isinstance(arg, dict):
            out.extend(leaves([arg[key] for key in sorted(arg)]))
        elif arg is not None:
            out.append(arg)
    return out


def array_of(value: Any) -> np.ndarray:
    """A value as an array on this machine. Numbers become 32 bits wide, as in JAX."""
    if isinstance(value, bool):
        return np.asarray(value)
    if isinstance(value, int):
        return np.asarray(value, np.int32)
    if isinstance(value, float):
        return np.asarray(value, np.float32)
    if isinstance(value, complex):
        return np.asarray(value, np.complex64)
    if getattr(value, "is_fully_addressable", True) is False:
        raise TypeError("an array has slices on devices of other processes: gather it first")
    array = np.asarray(value)
    if array.dtype == object:
        raise TypeError(f"an argument of type {type(value).__name__} is no array")
    return array


def write_arguments(folder: Folder, args: Sequence[Any]) -> list[str]:
    """Writes each array into a file; returns the options that name them."""
    options: list[str] = []
    for number, value in enumerate(leaves(args)):
        buffer = io.BytesIO()
        np.save(buffer, array_of(value), allow_pickle=False)
        options += ["--arg", folder.write(f"arg{number}.npy", buffer.getvalue())]
    return options
