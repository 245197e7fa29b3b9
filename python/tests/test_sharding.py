"""Tests of shardings: of eight devices that JAX makes of one processor, where it is installed, and of made-up ones."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import unittest
from types import SimpleNamespace

import numpy as np

import xla_playground as xla
from xla_playground._sharding import MAX_SLICES, sharding_of

# Prints the text of some views, as JSON. The number of devices is set before JAX starts.
SCRIPT = """
import json, jax, jax.numpy as jnp, numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P
import xla_playground as xla
mesh = jax.make_mesh((4, 2), ("x", "y"))
x = np.arange(32, dtype=np.float32).reshape(8, 4)
put = lambda *spec: jax.device_put(x, NamedSharding(mesh, P(*spec)))
views = {
    "both": xla.show(put("x", "y")),
    "rows": xla.show(put("x")),
    "replicated": xla.show(put()),
    "alone": xla.show(jnp.asarray(x)),
    "argument": xla.show("HloModule m\\nENTRY e { x = f32[8,4] parameter(0)\\n ROOT y = f32[8,4] negate(x) }", put("x")),
}
bundles = {name: view._repr_mimebundle_() for name, view in views.items()}
print(json.dumps({name: [bundle["text/plain"], bundle["text/html"].split("<iframe")[0]] for name, bundle in bundles.items()}))
"""


def sharded(shape, index_of_device):
    """An array of made-up devices."""
    return SimpleNamespace(shape=shape, sharding=SimpleNamespace(devices_indices_map=lambda _: index_of_device))


class Shardings(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("jax"), "JAX is not installed")
    def test_shards_of_jax(self):
        environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=8", "JAX_PLATFORMS": "cpu"}
        command = [sys.executable, "-c", SCRIPT]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = json.loads(done.stdout.splitlines()[-1])
        text, markup = shown["both"]
        lines = text.splitlines()
        self.assertEqual(lines[1], "array [8, 4] on 8 devices, one slice per device")
        self.assertEqual(lines[2], "  [0:2, 0:2]  cpu:0")
        self.assertEqual(len(lines), 10)
        self.assertIn("<details open", markup)
        self.assertEqual(markup.count("<tr>"), 9)
        self.assertIn("[6:8, 2:4]", markup)
        self.assertIn("data:image/svg+xml", markup)
        text, _ = shown["rows"]
        self.assertEqual(text.splitlines()[1:3], ["array [8, 4] on 8 devices, 4 slices, replicated", "  [0:2, 0:4]  cpu:0, cpu:1"])
        text, markup = shown["replicated"]
        self.assertIn("array [8, 4] on 8 devices, replicated: each holds the whole array", text)
        self.assertEqual(len(text.splitlines()), 3)
        self.assertEqual(len(shown["alone"][0].splitlines()), 1)
        self.assertNotIn("<details", shown["alone"][1])
        text, markup = shown["argument"]
        self.assertIn("argument 0 [8, 4] on 8 devices", text)
        self.assertIn("<details style", markup)

    def test_many_devices_are_bounded(self):
        devices = {f"tpu:{i}": (slice(i, i + 1), slice(None)) for i in range(4096)}
        found = sharding_of("x", sharded((4096, 2), devices))
        self.assertEqual(len(found.lines()), MAX_SLICES + 2)
        self.assertEqual(found.lines()[-1].strip(), f"… {4096 - MAX_SLICES} more slices")
        self.assertLess(len(found.html(True)), 30_000)
        self.assertIsNone(found.svg())
        replicas = sharding_of("x", sharded((4,), {f"tpu:{i}": (slice(None),) for i in range(4096)}))
        self.assertLess(len("".join(replicas.lines())), 300)
        self.assertIn("and 4080 more", replicas.lines()[1])

    def test_pictures_of_one_and_two_dimensions(self):
        def svg(shape, *indices):
            return sharding_of("x", sharded(shape, {f"d{i}": index for i, index in enumerate(indices)})).svg()

        half, other, whole = slice(0, 2), slice(2, 4), slice(None)
        self.assertEqual(svg((4,), (half,), (other,)).count("<rect"), 2)
        vertical = svg((4, 3), (half, whole), (other, whole))
        self.assertIn('y="80.00" width="320.00" height="80.00"', vertical)
        horizontal = svg((3, 4), (whole, half), (whole, other))
        self.assertIn('x="160.00" y="0.00" width="160.00" height="160.00"', horizontal)
        self.assertIsNone(svg((4,), (whole,), (whole,)))
        three = [(a, b, c) for a in (half, other) for b in (half, other) for c in (half, other)]
        self.assertIsNone(svg((4, 4, 4), *three))

    def test_names_of_devices_are_text(self):
        hostile = '<script>alert(1)</script>"'
        found = sharding_of(hostile, sharded((2,), {hostile: (slice(0, 1),), "b": (slice(1, 2),)}))
        for markup in (found.html(True), found.svg()):
            tags = set(re.findall(r"<(\w+)", markup))
            self.assertLessEqual(tags, set("details summary div img table thead tbody tr th td svg g rect text".split()))
            self.assertNotIn(')</script>"', markup)

    def test_values_without_a_sharding_have_none(self):
        for value in (np.zeros(3), 1, "x", None, SimpleNamespace(sharding=None), sharded((2,), {"a": (slice(None),)})):
            self.assertIsNone(sharding_of("x", value))


class Arrays(unittest.TestCase):
    def test_types_and_layouts(self):
        self.assertEqual(xla.show(np.zeros((2, 3))).title, "float64[2, 3]")
        for array in (np.arange(4), np.array(True), np.zeros((0, 2), np.uint8), np.ones((2, 2), np.complex64, order="F")):
            self.assertIn("srcdoc=", xla.show(array)._repr_mimebundle_()["text/html"])

    def test_unsupported_values_are_rejected(self):
        with self.assertRaises(TypeError):
            xla.show(np.zeros(2), 1)
        with self.assertRaises(TypeError):
            xla.show(np.array(["a"]))
        with self.assertRaises(TypeError):
            xla.show(np.array([object()]))
        with self.assertRaises(TypeError):
            xla.show(SimpleNamespace(dtype=np.dtype("f4"), shape=(2,), is_fully_addressable=False))


if __name__ == "__main__":
    unittest.main()
