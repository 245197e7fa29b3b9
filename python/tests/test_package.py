"""Tests of the installed wheel: ``python -m unittest``. Tests of JAX are skipped unless it is installed."""

import importlib.util
import json
import re
import unittest

import numpy as np

import xla_playground as xla

NEGATE = "HloModule m\nENTRY e {\n  x = f32[2,3] parameter(0)\n  ROOT y = f32[2,3] negate(x)\n}\n"
SUM = "HloModule m\nENTRY e {\n  x = f32[2,3] parameter(0)\n  ROOT y = f32[2,3] add(x, x)\n}\n"
HAS_JAX = importlib.util.find_spec("jax") is not None


def array() -> np.ndarray:
    return np.arange(6, dtype=np.float32).reshape(2, 3)


class Layout(unittest.TestCase):
    def test_strides_and_slots(self):
        found = xla.layout("f32[2,3]{0,1}")
        self.assertEqual((found["strides"], found["bytes"]), ([1, 2], 24))
        self.assertEqual(found["memory"][1], [1, 0])

    def test_an_error_has_a_rule(self):
        with self.assertRaises(xla.PlaygroundError) as raised:
            xla.layout("f32[2,3]{0,0}")
        self.assertTrue(raised.exception.rule)


class Run(unittest.TestCase):
    def test_an_array(self):
        result = xla.run(NEGATE, array())
        self.assertEqual(result.dtype, np.float32)
        np.testing.assert_array_equal(result, -array())

    def test_bits_of_special_values(self):
        x = np.array([[np.nan, -0.0, 0.0], [np.inf, -np.inf, 1e-45]], np.float32)
        np.testing.assert_array_equal(xla.run(NEGATE, x).view(np.uint32)[0, 1:], (-x).view(np.uint32)[0, 1:])
        np.testing.assert_array_equal(xla.run(NEGATE, x).view(np.uint32)[1], (-x).view(np.uint32)[1])

    def test_a_tuple_of_several_types(self):
        text = (
            "HloModule m\nENTRY e {\n  x = f32[2,3] parameter(0)\n  i = s32[2,3] convert(x)\n"
            "  p = pred[2,3] compare(x, x), direction=EQ\n  ROOT t = (s32[2,3], pred[2,3]) tuple(i, p)\n}\n"
        )
        integers, equal = xla.run(text, array())
        self.assertEqual((integers.dtype, equal.dtype), (np.int32, np.bool_))
        self.assertTrue(equal.all())

    def test_empty_and_scalar_arrays(self):
        text = NEGATE.replace("[2,3]", "[0]")
        self.assertEqual(xla.run(text, np.zeros(0, np.float32)).shape, (0,))
        self.assertEqual(xla.run(NEGATE.replace("[2,3]", "[]"), 2.0).item(), -2.0)

    def test_errors(self):
        for text in ("", "nonsense", NEGATE.replace("negate", "negat"), NEGATE.replace("f32[2,3] negate", "f32[9] negate")):
            with self.assertRaises(xla.PlaygroundError, msg=text):
                xla.run(text, array())
        with self.assertRaises(xla.PlaygroundError):
            xla.run(NEGATE, np.zeros((3, 2), np.float32))
        with self.assertRaises(xla.PlaygroundError):
            xla.run(NEGATE)
        with self.assertRaises(TypeError):
            xla.run(NEGATE, object())
        with self.assertRaises(TypeError):
            xla.run(3)

    def test_an_infinite_loop_times_out(self):
        text = (
            "HloModule m\nc {\n  x = s32[] parameter(0)\n  ROOT t = pred[] constant(true)\n}\n"
            "b {\n  x = s32[] parameter(0)\n  ROOT y = s32[] negate(x)\n}\n"
            "ENTRY e {\n  x = s32[] parameter(0)\n  ROOT w = s32[] while(x), condition=c, body=b\n}\n"
        )
        with self.assertRaises(xla.PlaygroundError) as raised:
            xla.run(text, 1, seconds=0.5)
        self.assertEqual(raised.exception.rule, "time-limit")

    def test_paths_cannot_escape_the_sandbox(self):
        # The program sees its own temporary folder only.
        with self.assertRaises(xla.PlaygroundError):
            xla.show("/etc/hostname")


class Diff(unittest.TestCase):
    def test_what_differs(self):
        self.assertIn("add", str(xla.diff(NEGATE, SUM)))
        self.assertTrue(xla.diff(NEGATE, NEGATE).same)
        self.assertTrue(xla.diff(NEGATE, NEGATE, array()).same)
        self.assertFalse(xla.diff(NEGATE, SUM).equivalent)
        # The operations differ, and so no value corresponds.
        negated_square = NEGATE.replace("ROOT y = f32[2,3] negate(x)", "h = f32[2,3] multiply(x, x)\n  ROOT y = f32[2,3] negate(h)")
        self.assertFalse(xla.diff(NEGATE, negated_square, array()).equivalent)


class Show(unittest.TestCase):
    def check(self, view: xla.View) -> str:
        bundle = view._repr_mimebundle_()
        self.assertEqual(sorted(bundle), ["image/svg+xml", "text/html", "text/plain"])
        self.assertTrue(bundle["image/svg+xml"].startswith("<svg"))
        self.assertIn("srcdoc=", bundle["text/html"])
        self.assertNotIn("http-equiv=\"refresh", bundle["text/html"])
        json.dumps(bundle)
        return view.html

    def test_a_shape(self):
        page = self.check(xla.show("f32[2,3]{0,1}"))
        self.assertIn("<title>f32[2,3]{0,1}</title>", page)

    def test_a_program_with_and_without_arguments(self):
        with_arguments = self.check(xla.show(NEGATE, array(), title="negate"))
        self.assertIn("<title>negate</title>", with_arguments)
        self.assertNotEqual(with_arguments, self.check(xla.show(NEGATE, title="negate")))

    def test_a_title_is_text(self):
        view = xla.show(NEGATE, array(), title='</title><script>alert(1)</script>"')
        self.assertNotIn("<script>alert", view.html)
        frame = view._repr_mimebundle_()["text/html"]
        self.assertEqual(len(re.findall(r"<iframe", frame)), 1)
        self.assertNotIn("<script", frame.split("srcdoc=")[0])


@unittest.skipUnless(HAS_JAX, "JAX is not installed")
class Jax(unittest.TestCase):
    def test_jax_functions(self):
        import jax
        import jax.numpy as jnp

        def f(x, w):
            return jax.nn.softmax(x @ w), (x > 1), x.astype(jnp.bfloat16)

        arguments = array(), np.ones((3, 4), np.float32)
        expected = jax.jit(f)(*arguments)
        for thing in (f, jax.jit(f), jax.jit(f).lower(*arguments), jax.jit(f).lower(*arguments).compile()):
            found = xla.run(thing, *arguments)
            self.assertEqual([a.dtype for a in found], [a.dtype for a in expected])
            for a, b in zip(found, expected):
                np.testing.assert_allclose(np.asarray(a, np.float32), np.asarray(b, np.float32), rtol=1e-6)
            self.assertIn("iframe", xla.show(thing, *arguments)._repr_mimebundle_()["text/html"])

    def test_arguments_are_flattened_like_jax(self):
        import jax

        tree = {"b": [array(), array() + 1], "a": array() * 2}
        # One of the arrays is not used, and JAX drops its parameter.
        f = lambda t: t["a"] - t["b"][1]  # noqa: E731
        for thing in (f, jax.jit(f), jax.jit(f).lower(tree), jax.jit(f).lower(tree).compile()):
            np.testing.assert_array_equal(xla.run(thing, tree), tree["a"] - tree["b"][1])


if __name__ == "__main__":
    unittest.main()
