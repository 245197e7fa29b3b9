"""Programs and arguments in the forms that Python has them."""

from __future__ import annotations

import io
import re
from typing import Any, Sequence

import numpy as np

from ._program import Folder, PlaygroundError

#: Bytes of a program's text.
MAX_TEXT_BYTES = 64 << 20

_SHAPE = re.compile(r"^\s*\(?\s*[a-z][a-z0-9]*\s*\[[^\]\n]*\][^\n]*$")


def is_shape(text: str) -> bool:
    """Whether a text is a shape such as ``f32[2,3]{0,1}``, not a program."""
    return bool(_SHAPE.match(text)) and "\n" not in text.strip()


def program_text(thing: Any, args: Sequence[Any] = ()) -> str:
    """The text of a program: itself, or what JAX makes of a function.

    A function of ``jax.jit`` is lowered for the arguments; a plain function is jitted first.
    """
    if isinstance(thing, str):
        text = thing
    elif hasattr(thing, "lower") and not hasattr(thing, "as_text"):
        text = thing.lower(*args).as_text()
    elif hasattr(thing, "as_text"):
        text = thing.as_text()
    elif hasattr(thing, "jaxpr"):
        raise TypeError("a jaxpr is no program: pass the function, jax.jit(f), or its lower(...)")
    elif callable(thing):
        import jax

        text = jax.jit(thing).lower(*args).as_text()
    else:
        raise TypeError(
            f"cannot show {type(thing).__name__}: pass a shape, HLO or StableHLO text, or jax.jit(f) with its arguments"
        )
    if len(text.encode()) > MAX_TEXT_BYTES:
        raise PlaygroundError(f"the text has more than {MAX_TEXT_BYTES >> 20} MiB")
    return text


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
