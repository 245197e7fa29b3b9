"""Tests of the folders that ``xla-playground export --jax`` writes: their scripts run with XLA, where JAX is installed."""

import importlib.util
import io
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

from xla_playground._program import Folder, PlaygroundError

ROOT = pathlib.Path(__file__).parents[2]
SAMPLES = ROOT / "static" / "programs"
#: Programs of JAX, as it lowered them and as it compiled them for a CPU.
DUMPS = ROOT / "tests" / "data" / "hlo-samples"
#: A perceptron and a transformer of ordinary sizes; the third whole model, ResNet-18, is among the samples.
MODELS = ROOT / "tests" / "data" / "models"

#: Runs the scripts of folders one after another, so that JAX starts once; prints the exit code and the last line of each.
RUN_ALL = """
import contextlib, io, runpy, sys
for script in sys.argv[1:]:
    # Sums of thousands of terms, in another order, through many layers.
    is_large = any(name in script for name in ("resnet", "mlp", "transformer"))
    sys.argv = [script, "--ulp", "256" if is_large else "16"]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            runpy.run_path(script, run_name="__main__")
        except SystemExit as end:
            code = end.code
    print(script, code, out.getvalue().strip().splitlines()[-1:])
"""

COLLECTIVE = """HloModule m

add {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}}

ENTRY e {{
  x = f32[8,2] parameter(0)
  ROOT r = {}
}}
"""

COLLECTIVES = [
    "f32[8,2] all-reduce(x), replica_groups={{0,1,2,3},{4,5,6,7}}, to_apply=add",
    "f32[64,2] all-gather(x), dimensions={0}, replica_groups={}",
    "f32[1,2] reduce-scatter(x), dimensions={0}, replica_groups={}, to_apply=add",
    "f32[8,2] collective-permute(x), source_target_pairs={{0,1},{1,2},{2,3},{3,0},{5,6}}",
    "f32[8,2] all-to-all(x), dimensions={0}, replica_groups={{0,1,2,3,4,5,6,7}}",
]


def export(folder: Folder, text: str, *options: str) -> pathlib.Path:
    """Exports a program; returns the folder with its script."""
    file = folder.write("program.hlo", text)
    folder.call("export", file, *options, "--jax", folder.guest("out"))
    return folder.path / "out"


def trained(text: str) -> bytes:
    """An archive of arguments as those of a trained model: random ones would be amplified from layer to layer."""
    random = np.random.default_rng(7)
    layout = text[: text.index("->")]
    archive = io.BytesIO()
    arrays = []
    for kind, sizes in re.findall(r"([fs]32)\[([\d,]*)\]", layout):
        shape = [int(size) for size in sizes.split(",")]
        if kind == "s32":
            arrays.append(random.integers(0, 5000, shape, np.int32))
        elif len(shape) == 1:
            arrays.append(np.ones(shape, np.float32))
        else:
            arrays.append((random.normal(size=shape) * shape[0] ** -0.5).astype(np.float32))
    np.savez(archive, *arrays)
    return archive.getvalue()


def run(script: pathlib.Path) -> tuple[int, str]:
    """Runs the script; returns its exit code, and what it prints at the end."""
    done = subprocess.run([sys.executable, script / "run.py"], capture_output=True, text=True, timeout=300, check=False)
    lines = (done.stdout + done.stderr).strip().splitlines()
    return done.returncode, lines[-1] if lines else ""


@unittest.skipUnless(importlib.util.find_spec("jax"), "JAX is not installed")
class Export(unittest.TestCase):
    def test_samples_have_the_values_of_xla(self):
        programs = sorted(SAMPLES.glob("*.hlo")) + sorted(DUMPS.glob("*.lowered.hlo")) + sorted(DUMPS.glob("*.compiled.hlo"))
        programs += sorted(MODELS.glob("*.hlo"))
        options = ["--steps", "20000000000"]
        with tempfile.TemporaryDirectory() as all_exports:
            scripts = {}
            for program in programs:
                with self.subTest(program.name), Folder() as folder:
                    target = pathlib.Path(all_exports) / program.stem
                    text = program.read_text()
                    is_model = program.parent == MODELS
                    values = ["--arg", folder.write("trained.npz", trained(text))] if is_model else ["--random", "1"]
                    shutil.move(export(folder, text, *values, *options), target)
                    scripts[str(target / "run.py")] = program.name
            done = subprocess.run([sys.executable, "-c", RUN_ALL, *scripts], capture_output=True, text=True, timeout=600, check=False)
            printed = {line.split(" ", 1)[0]: line.split(" ", 1)[1] for line in done.stdout.splitlines()}
            for script, name in scripts.items():
                with self.subTest(name):
                    self.assertRegex(printed.get(script, done.stderr), "^0 .*all equal within")

    def test_collectives_on_eight_devices(self):
        for op in COLLECTIVES:
            with self.subTest(op), Folder() as folder:
                options = ["--replicas", "8"]
                for replica in range(8):
                    buffer = io.BytesIO()
                    np.save(buffer, np.random.default_rng(replica).normal(size=(8, 2)).astype(np.float32))
                    options += ["--arg", folder.write(f"x{replica}.npy", buffer.getvalue())]
                code, printed = run(export(folder, COLLECTIVE.format(op), *options))
                self.assertEqual((code, printed.split(" ")[0]), (0, "16"), printed)

    def test_the_first_difference_is_named(self):
        with Folder() as folder:
            text = "HloModule m\nENTRY e {\n x = f32[4] parameter(0)\n y = f32[4] exponential(x)\n ROOT z = f32[4] negate(y)\n}\n"
            out = export(folder, text, "--random", "1")
            with np.load(out / "values.npz") as archive:
                values = {name: archive[name].copy() for name in archive}
            values["y@0"][2] *= 1.001
            np.savez(out / "values.npz", **values)
            code, printed = run(out)
            self.assertEqual(code, 1, printed)
            self.assertIn("the first difference: y[2] on replica 0", printed)


class Rejected(unittest.TestCase):
    def test_a_program_that_is_already_partitioned(self):
        text = "HloModule m, num_partitions=2\nENTRY e {\n x = f32[2] parameter(0)\n ROOT y = f32[2] negate(x)\n}\n"
        with Folder() as folder, self.assertRaises(PlaygroundError) as raised:
            export(folder, text, "--replicas", "2", "--random", "1")
        self.assertIn("2 partitions", str(raised.exception))

    def test_a_program_that_needs_a_host(self):
        text = "HloModule c\nENTRY e {\n t = token[] after-all()\n i = (f32[2], token[]) infeed(t)\n ROOT x = f32[2] get-tuple-element(i), index=0\n}\n"
        with Folder() as folder, self.assertRaises(PlaygroundError) as raised:
            export(folder, text)
        self.assertEqual(raised.exception.rule, "cli-export")


if __name__ == "__main__":
    unittest.main()
