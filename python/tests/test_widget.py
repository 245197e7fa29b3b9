"""Tests of the widget without a browser: its traits, and what a frontend may send."""

import contextlib
import importlib.util
import io
import logging
import unittest
import unittest.mock

import numpy as np

import xla_playground as xla
from xla_playground._program import template

PROGRAM = """HloModule m

ENTRY e {
  x = f32[2,3] parameter(0)
  n = f32[2,3] negate(x)
  s = f32[] constant(1)
  k = token[] after-all()
  t = (f32[2,3], f32[]) tuple(n, s)
  ROOT y = f32[3,2] transpose(n), dimensions={1,0}
}
"""

HAS_ANYWIDGET = importlib.util.find_spec("anywidget") is not None


class Missing(unittest.TestCase):
    def test_without_anywidget_show_remains(self):
        with unittest.mock.patch.dict("sys.modules", {"anywidget": None, "xla_playground._widget": None}):
            with self.assertRaisesRegex(ImportError, "pip install anywidget"):
                xla.widget(PROGRAM)
            self.assertIn("srcdoc=", xla.show(PROGRAM)._repr_mimebundle_()["text/html"])


@unittest.skipUnless(HAS_ANYWIDGET, "anywidget is not installed")
class Widget(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.view = xla.show(PROGRAM, np.arange(6, dtype=np.float32).reshape(2, 3), title="t")

    def setUp(self):
        import comm.base_comm

        self.sent = sent = []

        class Comm(comm.base_comm.BaseComm):
            def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
                sent.append((msg_type, data, buffers))

        patched = unittest.mock.patch("comm.create_comm", Comm)
        patched.start()
        self.addCleanup(patched.stop)
        from xla_playground._widget import Widget

        self.widget = Widget(self.view)

    def frontend(self, state):
        """Takes a message of a frontend; ipywidgets prints what is wrong with it."""
        message = {"content": {"data": {"method": "update", "state": state, "buffer_paths": []}}, "buffers": []}
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            self.widget._handle_msg(message)

    def selection(self):
        return self.widget.instruction, self.widget.path, self.widget.index

    def test_the_root_is_selected_first(self):
        self.assertEqual(self.selection(), ("y", [], [0, 0]))
        self.assertEqual(self.widget.instructions, ["x", "n", "s", "k", "t", "y"])

    def test_python_selects(self):
        self.widget.index = (2, 1)
        self.assertEqual(self.selection(), ("y", [], [2, 1]))
        # The cell stays where the new value has it.
        self.widget.index = [1, 1]
        self.widget.instruction = "n"
        self.assertEqual(self.selection(), ("n", [], [1, 1]))
        # Without an index, the first cell.
        self.widget.index = None
        self.assertEqual(self.selection(), ("n", [], [0, 0]))
        self.widget.index = [1, 1]
        for instruction, expected in (("t", ([0], [1, 1])), ("s", ([], [])), ("k", ([], None)), ("y", ([], [0, 0]))):
            self.widget.instruction = instruction
            self.assertEqual(self.selection(), (instruction, *expected))
        self.widget.instruction = "t"
        self.widget.path = [1]
        self.assertEqual(self.selection(), ("t", [1], []))
        states = [data["state"] for kind, data, _ in self.sent if kind == "comm_msg"]
        self.assertEqual({"path": [1], "index": []}, {name: value for state in states[-2:] for name, value in state.items()})

    def test_python_cannot_select_what_does_not_exist(self):
        import traitlets

        for name, values in {
            "instruction": ["z", "", 5, None, "x" * 10_000],
            "path": [[0], [-1], "0", None],
            "index": [[3, 0], [0, -1], [0], [0, 0, 0], [0.5, 0], "00", 7, [10**30, 0]],
        }.items():
            for value in values:
                with self.assertRaises(traitlets.TraitError, msg=(name, value)):
                    setattr(self.widget, name, value)
        self.assertEqual(self.selection(), ("y", [], [0, 0]))

    def test_a_frontend_selects(self):
        heard = []
        self.widget.observe(lambda change: heard.append((change["name"], change["new"])), ["instruction", "index"])
        self.frontend({"instruction": "n", "path": [], "index": [1, 2]})
        self.assertEqual(self.selection(), ("n", [], [1, 2]))
        self.assertEqual(sorted(heard), [("index", [1, 2]), ("instruction", "n")])
        self.frontend({"instruction": "t", "path": [1], "index": []})
        self.assertEqual(self.selection(), ("t", [1], []))
        self.frontend({"instruction": "k", "path": [], "index": None})
        self.assertEqual(self.selection(), ("k", [], None))

    def test_hostile_messages_change_nothing(self):
        logging.disable(logging.CRITICAL)
        self.addCleanup(logging.disable, logging.NOTSET)
        state = {name: getattr(self.widget, name) for name in ("_record", "_page", "_esm", "_title", "_picture", "_height")}
        for message in (
            {"instruction": "z"},
            {"instruction": {"a": 1}},
            {"instruction": "n", "index": [9, 9]},
            {"instruction": "x" * 1_000_000},
            {"index": [10**400, 0]},
            {"index": [[0], [0]]},
            {"index": {"0": 0, "1": 0}},
            {"index": [True, None]},
            {"path": ["0"]},
            {"path": [5]},
            {"__class__": "x", "_recorded": {}, "_view": None, "comm": None},
            {"_record": b"x", "_page": "x", "_esm": "alert(1)", "_title": "x", "_picture": "x", "_height": 9, "layout": "x"},
        ):
            with contextlib.suppress(Exception):
                self.frontend(message)
            self.assertEqual(self.selection(), ("y", [], [0, 0]), str(message)[:80])
            self.assertEqual({name: getattr(self.widget, name) for name in state}, state)
        for content in (None, 5, [], {}, {"type": "template"}, {"type": ["page"]}, "page"):
            self.sent.clear()
            self.widget._handle_msg({"content": {"data": {"method": "custom", "content": content}}, "buffers": []})
            self.assertEqual(self.sent, [], content)

    def test_the_page_is_sent_once_it_is_asked_for_and_values_are_buffers(self):
        import traitlets

        opened = [(data, buffers) for kind, data, buffers in self.sent if kind == "comm_open"]
        # That of its layout comes first.
        data, buffers = opened[-1]
        self.assertIn(["_record"], data["buffer_paths"])
        self.assertNotIn("_record", data["state"])
        self.assertLess(len(str(data["state"])), 60_000)
        self.assertEqual(sum(map(len, buffers)), len(self.widget._record))
        self.sent.clear()
        self.widget._handle_msg({"content": {"data": {"method": "custom", "content": {"type": "page"}}}, "buffers": []})
        ((_, data, buffers),) = self.sent
        self.assertEqual(data["content"], {"type": "page", "page": self.widget._page})
        self.assertIn(b'<script type="application/json" id="snapshot"></script>', bytes(buffers[0]))
        self.assertIsInstance(self.widget.traits()["_record"], traitlets.Bytes)

    def test_an_array_alone(self):
        from xla_playground._widget import Widget

        widget = Widget(xla.show("f32[2,3]{0,1}"))
        self.assertEqual((widget.instruction, widget.instructions, widget.index), ("", [], [0, 0]))
        widget.index = [1, 2]
        # Slots of padding have no index.
        widget.index = None

    def test_programs_that_show_no_widgets_have_the_frame(self):
        bundle, _ = self.widget._repr_mimebundle_()
        kinds = ["application/vnd.jupyter.widget-view+json", "image/svg+xml", "text/html", "text/plain"]
        self.assertEqual(sorted(bundle), kinds)
        self.assertEqual(bundle["text/html"], self.view.bundle()["text/html"])
        # The page is about 600 kB in a release, larger in a test build.
        self.assertLess(sum(len(str(content)) for content in bundle.values()) - len(template()), 84_000)
        large = xla.widget("HloModule m\nENTRY e { ROOT x = f32[512,512] parameter(0) }")
        bundle, _ = large._repr_mimebundle_()
        self.assertNotIn("text/html", bundle)
        self.assertIn("too large for a picture", bundle["image/svg+xml"])
        self.assertLess(len(large._picture), 1_000)


if __name__ == "__main__":
    unittest.main()
