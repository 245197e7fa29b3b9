"""Runs program.mlir with XLA, on the arguments in arguments.npz, and compares every value with those in values.npz.

    python run.py [--ulp N]        # values that differ by at most N units in the last place are equal (default: 16)

Since XLA may sum in another order, a unit is that of the value, or of the largest value of its array where terms may have cancelled.

It needs JAX (pip install jax) and runs on JAX's default devices: CPU, GPU or TPU. values.npz has the values of XLA Playground's reference
evaluator, by instruction and replica. The exit code is 1 if a value differs.
"""

import argparse
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
ABOUT = json.loads((HERE / "about.json").read_text())
REPLICAS = ABOUT["replicas"]

# Before XLA starts: on a CPU there is one device unless it is asked for more; and narrow floats are to be rounded where the program
# says so.
flags = os.environ.get("XLA_FLAGS", "")
for name, value in (("xla_force_host_platform_device_count", REPLICAS), ("xla_allow_excess_precision", "false")):
    if name not in flags:
        flags = f"{flags} --{name}={value}".strip()
os.environ["XLA_FLAGS"] = flags

import jax  # noqa: E402
import numpy as np  # noqa: E402

# Otherwise 64-bit arguments would be converted to 32 bits.
jax.config.update("jax_enable_x64", True)


# The distance of values that are not neighbours at all: of a number and NaN, of unequal integers, of other shapes.
NEVER = float("inf")


def compiled(text, devices):
    """The program, compiled for the devices. JAX has no public function for this, so the names depend on its version."""
    try:
        from jax._src.lib import xla_client

        options = xla_client.CompileOptions()
        options.num_replicas = REPLICAS
        options.num_partitions = 1
        ids = np.array([device.id for device in devices]).reshape(REPLICAS, 1)
        options.device_assignment = xla_client.DeviceAssignment.create(ids)
        return devices[0].client.compile_and_load(text, xla_client.DeviceList(tuple(devices)), options)
    except (ImportError, AttributeError) as error:
        sys.exit(f"this script was written for JAX 0.10; version {jax.__version__} lacks what it needs: {error}")


def typed(array, dtype):
    """An array of NumPy's bytes as one of its type, which JAX's package ml_dtypes has."""
    if array.dtype.kind != "V":
        return array
    import ml_dtypes

    return array.view(getattr(ml_dtypes, dtype))


def distance(ours, theirs):
    """The largest distance of two arrays in units in the last place, of the values or of the largest one, and where it is."""
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return NEVER, None
    if ours.size == 0:
        return 0, None
    if ours.dtype.kind == "c":
        ours, theirs = (array[..., None].view(f"f{array.dtype.itemsize // 2}") for array in (ours, theirs))
    if ours.dtype.kind in "fV":
        steps = np.abs(ordered(ours) - ordered(theirs))
        with np.errstate(all="ignore"):
            nan = [np.isnan(array.astype(np.float64)) for array in (ours, theirs)]
            wide = [array.astype(np.float64) for array in (ours, theirs)]
            largest = np.max(np.abs(wide[1]), initial=0, where=np.isfinite(wide[1]))
            unit = largest * float(jax.numpy.finfo(theirs.dtype).eps)
            if unit > 0:
                steps = np.fmin(steps, np.abs(wide[0] - wide[1]) / unit)
        steps = np.where(nan[0] & nan[1], 0, np.where(nan[0] != nan[1], NEVER, steps))
    else:
        steps = np.where(ours == theirs, 0, NEVER)
    at = np.unravel_index(int(np.argmax(steps)), steps.shape)
    return steps[at], tuple(int(i) for i in at)


def ordered(array):
    """For each float its position among all floats, as a double: exact for types of up to 32 bits."""
    bits = np.ascontiguousarray(array).view(f"i{array.dtype.itemsize}").reshape(array.shape)
    lowest = float(np.iinfo(bits.dtype).min)
    positions = bits.astype(np.float64)
    return np.where(positions < 0, lowest - positions, positions)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ulp", type=int, default=16, help="the distance up to which values are equal")
    options = parser.parse_args()
    devices = jax.devices()[:REPLICAS]
    if len(devices) < REPLICAS:
        sys.exit(f"the program has {REPLICAS} replicas, but there are {len(devices)} devices: {jax.devices()}")
    executable = compiled((HERE / "program.mlir").read_text(), devices)
    with np.load(HERE / "arguments.npz") as archive:
        arguments = [
            [typed(archive[f"{number}@{replica}"], kind) for replica in range(REPLICAS)]
            for number, kind in enumerate(ABOUT["arguments"])
        ]
    # To JAX these are replicated arrays, of which XLA gets the copy of each device: its own argument.
    mesh = jax.sharding.Mesh(np.array(devices), ("replica",))
    replicated = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
    shards = [[jax.device_put(array, device) for array, device in zip(each, devices)] for each in arguments]
    inputs = [jax.make_array_from_single_device_arrays(each[0].shape, replicated, each) for each in shards]
    results = executable.execute_sharded(inputs).disassemble_into_single_device_arrays()
    first, count = None, 0

    def at_index(array, at):
        return array[at] if array.size and at is not None else f"of shape {array.shape}"

    with np.load(HERE / "values.npz") as archive:
        for (name, kind), result in zip(ABOUT["values"], results):
            for replica in range(REPLICAS):
                key = f"{name}@{replica}"
                if key not in archive:
                    continue
                ours, theirs = typed(archive[key], kind), np.asarray(result[replica])
                ulp, at = distance(ours, theirs)
                count += 1
                if name == ABOUT["root"]:
                    print(f"{name}{f' on replica {replica}' if REPLICAS > 1 else ''} = {theirs}")
                if ulp > options.ulp and first is None:
                    first = name, replica, ulp, at, at_index(ours, at), at_index(theirs, at)
    platform = devices[0].platform
    if first is None:
        print(f"{count} values: all equal within {options.ulp} ulp (XLA on {platform}, JAX {jax.__version__})")
        return 0
    name, replica, ulp, at, ours, theirs = first
    print(f"the first difference: {name}{list(at or ())} on replica {replica} is {theirs} (XLA on {platform}) and {ours} (XLA Playground)"
          + (f", {ulp:.1f} ulp apart (--ulp {np.ceil(ulp):.0f} accepts it)" if ulp < NEVER else ""))
    return 1


if __name__ == "__main__":
    sys.exit(main())
