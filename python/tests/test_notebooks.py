"""Tests of what a view becomes in IPython and in HTML that nbconvert writes."""

import html.parser
import importlib.util
import os
import tempfile
import unittest
import unittest.mock

import xla_playground as xla
from xla_playground._program import template

PROGRAM = "HloModule m\nENTRY e {\n  x = f32[2,3] parameter(0)\n  ROOT y = f32[2,3] negate(x)\n}\n"
HAS_ANYWIDGET = importlib.util.find_spec("anywidget") is not None


class Elements(html.parser.HTMLParser):
    """The attributes of the frames and the pictures of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, list[dict[str, str]]] = {"iframe": [], "img": []}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.found:
            self.found[tag].append({name: value or "" for name, value in attrs})


def has(*packages: str) -> bool:
    return all(importlib.util.find_spec(package) for package in packages)


@unittest.skipUnless(has("IPython"), "IPython is not installed")
class Terminal(unittest.TestCase):
    def test_ipython_prints_a_line(self):
        from IPython.core.interactiveshell import InteractiveShell
        from IPython.utils.capture import capture_output
        from traitlets.config import Config

        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, {"IPYTHONDIR": folder}):
            shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
            shell.push({"view": xla.show(PROGRAM, title="negate")})
            with capture_output() as captured:
                shell.run_cell("view")
            self.assertIn("<xla_playground.View 'negate'>", captured.stdout)
            self.assertNotIn("<iframe", captured.stdout)
            # As a terminal and as a kernel ask for it.
            data, _ = shell.display_formatter.format(shell.user_ns["view"], include={"text/plain"})
            self.assertEqual(data, {"text/plain": "<xla_playground.View 'negate'>"})
            data, _ = shell.display_formatter.format(shell.user_ns["view"])
            self.assertEqual(sorted(data), ["image/svg+xml", "text/html", "text/plain"])
            if HAS_ANYWIDGET:
                shell.push({"widget": xla.widget(PROGRAM, title="negate")})
                data, _ = shell.display_formatter.format(shell.user_ns["widget"])
                self.assertEqual(data["text/plain"], "<xla_playground.View 'negate'>")
                self.assertIn("application/vnd.jupyter.widget-view+json", data)


@unittest.skipUnless(has("nbconvert", "nbformat", "ipykernel"), "nbconvert or ipykernel is not installed")
class Nbconvert(unittest.TestCase):
    def assert_frames(self, page: str, titles: list[str]):
        """The frames with their pages, and the pictures below them."""
        shown = Elements()
        shown.feed(page)
        frames = {frame["title"]: frame for frame in shown.found["iframe"]}
        self.assertEqual(list(frames), titles)
        for title, frame in frames.items():
            self.assertTrue(frame["sandbox"].startswith("allow-scripts"))
            self.assertNotIn("allow-same-origin", frame["sandbox"])
            self.assertIn(f"<title>{title}</title>", frame["srcdoc"])
            self.assertIn("default-src 'none'", frame["srcdoc"])
        pictures = [image for image in shown.found["img"] if image["src"].startswith("data:image/svg+xml;base64,")]
        self.assertEqual([image["alt"] for image in pictures], titles)

    def test_a_notebook_that_is_executed(self):
        import nbformat
        from nbclient import NotebookClient
        from nbconvert import HTMLExporter

        cells = [f"import xla_playground as xla\ntext = {PROGRAM!r}", "xla.show(text, title='shown')"]
        if HAS_ANYWIDGET:
            cells.append("xla.widget(text, title='widget')")
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, {"IPYTHONDIR": folder}):
            NotebookClient(notebook, kernel_name="python3", timeout=120).execute()
        page, _ = HTMLExporter().from_notebook_node(notebook)
        self.assert_frames(page, ["shown", "widget"][: len(cells) - 1])
        for cell in notebook.cells[1:]:
            # The page is about 600 kB in a release, larger in a test build.
            output = nbformat.v4.writes(nbformat.v4.new_notebook(cells=[cell]))
            self.assertLess(len(output) - len(template()), 84_000)

    @unittest.skipUnless(HAS_ANYWIDGET, "anywidget is not installed")
    def test_a_notebook_with_a_widget_that_a_reader_has_saved(self):
        import nbformat
        from nbconvert import HTMLExporter

        bundle, _ = xla.widget(PROGRAM, title="widget")._repr_mimebundle_()
        self.assertIn("application/vnd.jupyter.widget-view+json", bundle)
        output = nbformat.v4.new_output("execute_result", data=bundle, execution_count=1)
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("w", outputs=[output], execution_count=1)])
        page, _ = HTMLExporter().from_notebook_node(notebook)
        self.assert_frames(page, ["widget"])


if __name__ == "__main__":
    unittest.main()
