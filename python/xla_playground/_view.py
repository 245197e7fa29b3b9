"""What a notebook displays."""

from __future__ import annotations

import base64
import html
import pathlib
from typing import Any, Sequence

from ._inputs import array_program, is_array, is_shape, leaves, read_program, write_arguments
from ._program import Folder, template
from ._sharding import Sharding, sharding_of

#: The height of the frame, in pixels.
HEIGHT = 620

#: Bytes of the picture in an output, which has it twice. A larger one is replaced by a line of text.
MAX_PICTURE_BYTES = 20 << 10

#: The class of the frame.
FRAME = "xla-playground-frame"

#: Browsers give the page in a frame the color scheme of the frame's element. Jupyter, its exports, VS Code, Colab and Sphinx name
#: the theme at the root of their pages; elsewhere the frame inherits the scheme of the page around it.
THEME = "".join(
    f":is({hosts}) .{FRAME}{{color-scheme:{scheme}}}"
    for scheme, hosts in (
        ("light", "[data-jp-theme-light=true],[data-vscode-theme-kind$=light],html[theme=light],html[data-theme=light]"),
        ("dark", "[data-jp-theme-light=false],[data-vscode-theme-kind$=dark],html[theme=dark],html[data-theme=dark]"),
        ("dark", "[data-vscode-theme-kind$=contrast]"),
    )
)


class View:
    """A page that shows an array or a program.

    In a notebook it is a frame that contains everything it needs, so that it is still there when the notebook is opened
    again or converted. Where frames are not shown, a picture is. Of arrays on several devices, a table above lists which device
    holds which slice.
    """

    def __init__(
        self, page: str, picture: str, title: str, height: int = HEIGHT, shardings: Sequence[Sharding] = (), is_array: bool = False
    ) -> None:
        self.html = page
        self.svg = picture
        self.title = title
        self.height = int(height)
        self.shardings = tuple(shardings)
        self._is_array = is_array

    def save(self, path: str | pathlib.Path) -> None:
        """Writes the page into a file, which any browser opens from disk."""
        pathlib.Path(path).write_text(self.html, encoding="utf-8")

    def __repr__(self) -> str:
        return f"<xla_playground.View {self.title!r}>"

    @property
    def picture(self) -> str:
        """The picture for programs that show no frames."""
        if len(self.svg) <= MAX_PICTURE_BYTES:
            return self.svg
        text = html.escape(f"{self.title[:80]}: too large for a picture")
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="40"><rect width="640" height="40" fill="#fff"/>'
            f'<text x="8" y="25" font-family="sans-serif" font-size="14" fill="#111">{text}</text></svg>'
        )

    def _frame(self) -> str:
        title = html.escape(self.title, quote=True)
        # Within srcdoc only these two are special.
        source = self.html.replace("&", "&amp;").replace('"', "&quot;")
        picture = base64.b64encode(self.picture.encode()).decode()
        # The frame covers the picture; where a site removes frames, the picture remains.
        shardings = "".join(sharding.html(self._is_array) for sharding in self.shardings)
        return (
            f"<style>{THEME}</style>{shardings}"
            f'<div style="position:relative;height:{self.height}px;overflow:hidden">'
            f'<img alt="{title}" src="data:image/svg+xml;base64,{picture}" style="max-width:100%">'
            f'<iframe title="{title}" class="{FRAME}" loading="lazy" '
            'sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox" '
            f'style="position:absolute;inset:0;width:100%;height:100%;border:0;background:Canvas" srcdoc="{source}"></iframe></div>'
        )

    def bundle(self) -> dict[str, str]:
        """What is displayed, by media type."""
        text = "\n".join([repr(self), *(line for sharding in self.shardings for line in sharding.lines())])
        return {"text/html": self._frame(), "image/svg+xml": self.picture, "text/plain": text}

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        bundle = self.bundle()
        if include:
            bundle = {kind: content for kind, content in bundle.items() if kind in include}
        return {kind: content for kind, content in bundle.items() if kind not in (exclude or ())}


def show(
    thing: Any, *args: Any, title: str | None = None, seed: int = 0, height: int = HEIGHT, seconds: float | None = 60.0
) -> View:
    """Shows an array, a shape, or a program with its values.

    ``thing`` is an array of NumPy or JAX, a shape such as ``"f32[2,3]{0,1}"``, HLO or StableHLO text, a function of ``jax.jit`` or
    a plain function (both with their arguments), ``jax.jit(f).lower(...)`` or its ``compile()``. Without arguments, a program that
    has parameters runs on random ones, which ``seed`` determines.
    """
    if is_array(thing):
        if args:
            raise TypeError("an array has no arguments")
        named = {"array": thing}
    else:
        named = {f"argument {number}": value for number, value in enumerate(leaves(args))}
    shardings = [sharding for sharding in (sharding_of(name, value) for name, value in named.items()) if sharding]
    with Folder() as folder:
        if isinstance(thing, str) and is_shape(thing):
            subject, options = thing.strip(), []
        else:
            program = array_program(thing) if is_array(thing) else read_program(thing, args)
            subject = folder.write("program.txt", program.text)
            options = write_arguments(folder, program.args) or ["--random", str(seed)]
        title = title or _title(thing)
        picture = folder.call("export", subject, *options, "--picture", seconds=seconds)
        file = folder.write("template.html", template())
        page = folder.call("export", subject, *options, "--template", file, "--title", title, seconds=seconds)
    return View(page, picture, title, height, shardings, is_array(thing))


def _title(thing: Any) -> str:
    if isinstance(thing, str):
        return thing.strip().splitlines()[0][:80] if thing.strip() else "program"
    if is_array(thing):
        return f"{thing.dtype}[{', '.join(map(str, thing.shape))}]"
    name = getattr(thing, "__name__", None) or getattr(getattr(thing, "fun", None), "__name__", None)
    return name or type(thing).__name__
