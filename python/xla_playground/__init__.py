"""See what XLA programs do, cell by cell.

``show`` displays an array, a shape or a program with its values in a notebook; ``widget`` does the same with a selection that
Python reads and sets. ``layout`` describes how an array lies in memory, ``run`` runs a program on NumPy arrays with the reference
evaluator, and ``diff`` finds the first instruction in which two programs differ. Programs are HLO or StableHLO text, or what JAX
makes of a function: ``jax.jit(f)``, its ``lower(...)`` or ``compile()``.

Everything runs in this process, in a sandbox of WebAssembly: nothing is sent anywhere.
"""

from typing import TYPE_CHECKING, Any

from ._program import PlaygroundError
from ._run import Difference, diff, layout, run
from ._view import View, show

if TYPE_CHECKING:
    from ._widget import Widget

__all__ = ["Difference", "PlaygroundError", "View", "diff", "layout", "run", "show", "widget"]


def widget(thing: Any, *args: Any, **options: Any) -> "Widget":
    """Like ``show``, as a widget: ``instruction`` and ``index`` are the selected cell, in both directions. It needs anywidget.

    A widget needs a kernel, as every widget does: JupyterLab shows none after a notebook is opened again, until its cell runs.
    """
    try:
        from ._widget import Widget
    except ImportError as error:
        raise ImportError(f"widgets need anywidget (pip install anywidget); `show` does without: {error}") from error
    return Widget(show(thing, *args, **options))
