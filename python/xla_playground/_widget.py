"""A frame whose selection Python reads and sets. It needs anywidget."""

from __future__ import annotations

import functools
import hashlib
import pathlib
import sys
from typing import Any

import anywidget
import traitlets

from ._program import template
from ._record import Record
from ._view import THEME, View

#: Compressed bytes of the values in the frame that programs without widgets show. Of larger ones they show the picture.
MAX_FALLBACK_BYTES = 24 << 10

_SELECTION = ("instruction", "path", "index")


@functools.cache
def _page() -> tuple[str, bytes]:
    """The page without values, with its hash."""
    page = template().encode()
    return hashlib.sha256(page).hexdigest(), page


class Widget(anywidget.AnyWidget):
    """A frame that shows an array or a program. ``instruction`` and ``index`` are the selected cell, in both directions.

    The page is sent once for all widgets of a browser tab, when the first of them is shown; the values are sent as bytes. Programs
    that show no widgets show the frame of ``show``.
    """

    _esm = (pathlib.Path(__file__).parent / "_widget.js").read_text(encoding="utf-8")
    _css = THEME

    instruction = traitlets.Unicode(help="The name of the selected instruction; empty for an array alone.").tag(sync=True)
    path = traitlets.List(traitlets.Int(), help="The tuple path of the selected array.").tag(sync=True)
    index = traitlets.List(
        traitlets.Int(), allow_none=True, help="The index of the selected cell; None if there is none, or it is padding."
    ).tag(sync=True)

    _title = traitlets.Unicode().tag(sync=True)
    _height = traitlets.Int().tag(sync=True)
    _picture = traitlets.Unicode().tag(sync=True)
    _page = traitlets.Unicode().tag(sync=True)
    _record = traitlets.Bytes().tag(sync=True)

    def __init__(self, view: View) -> None:
        record = Record.of_page(view.html)
        self._view, self._recorded = view, record
        path = record.first_path(record.selected)
        super().__init__(
            instruction=record.selected,
            path=path,
            index=record.first_index(record.selected, path),
            _title=view.title,
            _height=view.height,
            _picture=view.picture,
            _page=_page()[0],
            _record=record.data,
        )
        self.on_msg(self._answer)

    @property
    def instructions(self) -> list[str]:
        """The names of the instructions."""
        return [name for name in self._recorded.arrays if name]

    @property
    def html(self) -> str:
        """The page, which any browser opens."""
        return self._view.html

    def save(self, path: str | pathlib.Path) -> None:
        """Writes the page into a file."""
        self._view.save(path)

    @traitlets.validate("instruction")
    def _has_instruction(self, proposal: dict[str, Any]) -> str:
        name = proposal["value"]
        if name not in self._recorded.arrays:
            raise traitlets.TraitError(f"there is no instruction {name[:80]!r}; see `instructions`")
        return name

    @traitlets.validate("path")
    def _has_path(self, proposal: dict[str, Any]) -> list[int]:
        path = proposal["value"]
        if path != self._recorded.first_path(self.instruction) and self._recorded.sizes(self.instruction, path) is None:
            raise traitlets.TraitError(f"the value of {self.instruction} has no array {path[:8]}")
        return path

    @traitlets.validate("index")
    def _has_index(self, proposal: dict[str, Any]) -> list[int]:
        index = proposal["value"]
        if not self._recorded.has_cell(self.instruction, self.path, index):
            sizes = self._recorded.sizes(self.instruction, self.path)
            subject = self.instruction or "the array"
            raise traitlets.TraitError(f"{subject} has no cell {index[:8]}: its sizes are {list(sizes or ())}")
        return index

    # Traitlets validates no None.
    @traitlets.observe("instruction", "path", "index")
    def _keep_valid(self, _: Any) -> None:
        """Array and cell stay where the new value has them, else its first ones are selected."""
        record = self._recorded
        if record.sizes(self.instruction, self.path) is None:
            self.path = record.first_path(self.instruction)
        if not record.has_cell(self.instruction, self.path, self.index):
            self.index = record.first_index(self.instruction, self.path)

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Takes the selection of a frontend, and nothing else."""
        super().set_state({name: sync_data[name] for name in _SELECTION if name in sync_data})

    def _answer(self, _: Any, content: Any, __: Any) -> None:
        """Sends the page to a browser tab that does not have it."""
        if isinstance(content, dict) and content.get("type") == "page":
            self.send({"type": "page", "page": self._page}, buffers=[_page()[1]])

    def __repr__(self) -> str:
        return repr(self._view)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        fallback = self._view.bundle()
        if len(self._recorded.data) > MAX_FALLBACK_BYTES:
            del fallback["text/html"]
        if _is_batch():
            return fallback, {}
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        return {**(data or {}), **fallback}, metadata


def _is_batch() -> bool:
    """Whether a program without a reader, such as ``nbconvert --execute``, runs the notebook: it keeps outputs, and no kernel."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    get_parent = getattr(shell, "get_parent", None)
    request = get_parent() if get_parent is not None else {}
    # Such programs say that nobody can answer ``input()``.
    return request.get("content", {}).get("allow_stdin") is False
