"""See what XLA programs do, cell by cell.

``show`` displays a shape or a program with its values in a notebook, ``layout`` describes how an array lies in memory,
``run`` runs a program on NumPy arrays with the reference evaluator, and ``diff`` finds the first instruction in which two
programs differ. Programs are HLO or StableHLO text, or what JAX makes of a function: ``jax.jit(f)``, its ``lower(...)`` or
``compile()``.

Everything runs in this process, in a sandbox of WebAssembly: nothing is sent anywhere.
"""

from ._program import PlaygroundError
from ._run import Difference, diff, layout, run
from ._view import View, show

__all__ = ["Difference", "PlaygroundError", "View", "diff", "layout", "run", "show"]
