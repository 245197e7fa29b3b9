"""Tests of frames and widgets in JupyterLab, in a browser."""

import unittest

from lab import Lab, missing, served, wait_for

PROGRAM = """HloModule m

ENTRY e {
  x = f32[2,3] parameter(0)
  n = f32[2,3] negate(x)
  ROOT y = f32[3,2] transpose(n), dimensions={1,0}
}
"""

CELLS = [
    f"import numpy as np\nimport xla_playground as xla\ntext = {PROGRAM!r}\nx = np.arange(6, dtype=np.float32).reshape(2, 3)",
    "xla.show(text, x, title='shown')",
    "w = xla.widget(text, x, title='widget')\nw",
    "heard = []\nw.observe(lambda change: heard.append((change['name'], change['new'])), ['instruction', 'index'])",
]

NOTEBOOK = {
    "cells": [
        {"cell_type": "code", "id": f"cell{i}", "execution_count": None, "metadata": {}, "outputs": [], "source": cell}
        for i, cell in enumerate(CELLS)
    ],
    "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}

SETTINGS = {
    "@jupyterlab/apputils-extension/themes": {"theme": "JupyterLab Dark"},
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}

SELECTION = "(w.instruction, w.index)"


@unittest.skipIf(missing(), f"{missing()}")
class JupyterLab(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        context = served(NOTEBOOK, SETTINGS)
        address = context.__enter__()
        cls.addClassCleanup(context.__exit__, None, None, None)
        cls.lab = Lab(address)
        cls.addClassCleanup(cls.lab.close)

    def assert_selected(self, instruction: str, index: list[int]) -> None:
        expected = repr((instruction, index))
        found = lambda: self.lab.python(SELECTION)  # noqa: E731
        wait_for(lambda: found() == expected, lambda: f"{SELECTION} is {expected}, not {found()}")

    def test_frames_and_widgets(self):
        lab = self.lab
        lab.open()
        lab.command("notebook:run-all-cells")
        with lab.frame("shown") as frame:
            frame.wait_for_text("#working", "out[0,0] = ")
            frame.click("#next")
            frame.wait_for_text("#working", "out[0,1] = ")
            self.assertEqual(frame.script("document.documentElement.dataset.theme"), "dark")
        with lab.frame("widget") as frame:
            frame.wait_for_text("#working", "out[0,0] = ")
            self.assertEqual(frame.script("document.documentElement.dataset.theme"), "dark")
            frame.click("#next")
        # The reader selects, and Python hears it.
        self.assert_selected("y", [0, 1])
        with lab.frame("widget") as frame:
            frame.click(".snapshot-step[data-name=n]")
        self.assert_selected("n", [0, 0])
        with lab.frame("widget") as frame:
            frame.wait_for_text(".snapshot-head h2", "n = ")
            frame.click_at("#array-1", 0.8, 0.8)
        self.assert_selected("n", [1, 2])
        self.assertEqual(lab.python("heard[-1]"), "('index', [1, 2])")
        # Python selects, and the frame follows.
        lab.python("None", "w.index = [0, 2]")
        with lab.frame("widget") as frame:
            frame.wait_for_text("#working", "out[0,2] = ")
        lab.python("None", "w.instruction = 'y'; w.index = [2, 1]")
        with lab.frame("widget") as frame:
            frame.wait_for_text(".snapshot-head h2", "y = ")
            frame.wait_for_text("#working", "out[2,1] = ")
        self.assert_selected("y", [2, 1])
        # The theme changes while the frame is open.
        lab.page.execute_script("jupyterapp.commands.execute('apputils:change-theme', { theme: 'JupyterLab Light' })")
        for title in ("shown", "widget"):
            with lab.frame(title) as frame:
                wait_for(lambda: frame.script("document.documentElement.dataset.theme") == "light", f"{title} is light")
        self.assertEqual(lab.python("len(heard) < 20"), "True")
        # A frame that moves in the document loads again, and keeps the selection.
        lab.page.execute_script("const frame = document.querySelector('iframe[title=widget]'); frame.parentNode.append(frame)")
        with lab.frame("widget") as frame:
            frame.wait_for_text("#working", "out[2,1] = ")
        lab.command("docmanager:save")
        # The notebook is opened again, with its kernel and without.
        lab.open()
        with lab.frame("widget") as frame:
            frame.wait_for_text("#working", "out[2,1] = ")
            frame.click("#previous")
        self.assert_selected("y", [2, 0])
        lab.end_kernel()
        lab.open()
        with lab.frame("shown") as frame:
            frame.wait_for_text("#working", "out[0,0] = ")


if __name__ == "__main__":
    unittest.main()
