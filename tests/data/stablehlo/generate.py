"""Writes cases of this folder: programs lowered by JAX, in both printed forms, with XLA's values.

    python -m venv venv && venv/bin/pip install 'jax[cpu]==0.10.2'
    venv/bin/python generate.py FOLDER     # writes NAME.jsonl into the folder

Any version since 0.4.35 works; `merge.py` selects what is kept here of several versions.

A line has the fields of `eval --batch` with `mlir` in place of `hlo`, and `generic`: the same program in MLIR's generic form.
"""

import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

os.environ["XLA_FLAGS"] = "--xla_allow_excess_precision=false --xla_cpu_enable_fast_math=false --xla_force_host_platform_device_count=4"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax as jax_lax

import more

TYPES = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "int8": "s8", "int16": "s16", "int32": "s32",
         "int64": "s64", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "bool": "pred", "complex64": "c64",
         "complex128": "c128"}
# Relative and absolute tolerance by element type: the order of sums and the polynomials of functions differ.
TOLERANCE = {"f16": 4e-3, "bf16": 3e-2, "f32": 1e-5, "c64": 2e-5, "f64": 1e-11, "c128": 1e-11}


class Available:
    """A module, whose functions that this version lacks fail only when they are called."""

    def __init__(self, module):
        self.module = module

    def __getattr__(self, name):
        def missing(*_, **__):
            raise NotImplementedError(f"no {name}")
        return getattr(self.module, name, missing)


lax = Available(jax_lax)
import jax.experimental

enable_x64 = jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64
FILES = {}
SKIPPED = []
rng = np.random.default_rng(0)


def number(x):
    x = float(str(x)) if not isinstance(x, float) else x
    if x != x:
        return "NaN"
    if x in (float("inf"), float("-inf")):
        return "Infinity" if x > 0 else "-Infinity"
    if x == 0 and str(x).startswith("-"):
        return "-0"
    return int(x) if x == int(x) and abs(x) < 1e15 else x


def literal(value):
    a = np.asarray(value)
    name = TYPES[a.dtype.name]
    layout = "{" + ",".join(str(d) for d in reversed(range(a.ndim))) + "}" if a.ndim else ""
    flat = a.reshape(-1)
    if name == "pred":
        values = [bool(x) for x in flat]
    elif name[0] in "su":
        values = [int(x) for x in flat]
    elif name[0] == "c":
        values = [[number(x.real), number(x.imag)] for x in flat]
    elif name in ("bf16", "f16"):
        values = [number(float(x)) for x in flat]
    else:
        values = [number(x) for x in flat]
    return {"shape": name + str(list(a.shape)).replace(" ", "") + layout, "values": values}


def case(file, name, f, *args, x64=False, tol=None, static=None, debug=False, jit=None):
    try:
        with enable_x64(x64):
            jitted = jax.jit(f, keep_unused=True) if jit is None else jit
            lowered = jitted.lower(*args)
            operation = lowered.compiler_ir("stablehlo").operation
            results = jax.tree_util.tree_leaves(jitted(*args))
            text = operation.get_asm(enable_debug_info=True, large_elements_limit=None) if debug else lowered.as_text()
            line = {"name": name, "mlir": text,
                    "generic": operation.get_asm(print_generic_op_form=True, enable_debug_info=debug, large_elements_limit=None),
                    "args": [literal(a) for a in jax.tree_util.tree_leaves(args)]}
    except Exception as error:
        SKIPPED.append(f"{file}/{name}: {type(error).__name__} {str(error)[:150]}")
        return
    # Locations name this file without its folder.
    for form in ("mlir", "generic"):
        line[form] = line[form].replace(str(Path(__file__).resolve().parent) + "/", "")
    expected = [literal(r) for r in results]
    kinds = {e["shape"].split("[")[0] for e in expected} | {a["shape"].split("[")[0] for a in line["args"]}
    wide = max([TOLERANCE.get(kind, 0) for kind in kinds] + [0]) if tol is None else tol
    line["expected"] = expected[0] if len(expected) == 1 else {"tuple": expected}
    line["rtol"] = line["atol"] = wide
    FILES.setdefault(file, []).append(line)


def f32(*shape, lo=-2.0, hi=2.0, dtype=np.float32):
    return np.round(rng.uniform(lo, hi, shape), 2).astype(dtype)


def ints(*shape, lo=-9, hi=10, dtype=np.int32):
    return rng.integers(lo, hi, shape).astype(dtype)


def c64(*shape, dtype=np.complex64):
    return (f32(*shape) + 1j * f32(*shape)).astype(dtype)


bf16 = ml_dtypes.bfloat16


def unary():
    ops = dict(abs=lax.abs, neg=lax.neg, sign=lax.sign, floor=lax.floor, ceil=lax.ceil, exp=lax.exp, exp2=lax.exp2, expm1=lax.expm1,
               sin=lax.sin, cos=lax.cos, tan=lax.tan, tanh=lax.tanh, sinh=lax.sinh, cosh=lax.cosh, asinh=lax.asinh, atan=lax.atan, erf=lax.erf,
               erfc=lax.erfc, logistic=lax.logistic, cbrt=lax.cbrt, is_finite=lax.is_finite, square=lax.square, integer_pow3=lambda x: lax.integer_pow(x, 3),
               round_even=lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), round_away=lax.round, isinf=jnp.isinf, isnan=jnp.isnan, sinc=jnp.sinc,
               isposinf=jnp.isposinf, isneginf=jnp.isneginf, relu=jax.nn.relu, gelu=jax.nn.gelu, gelu_exact=lambda x: jax.nn.gelu(x, approximate=False),
               silu=jax.nn.silu, softplus=jax.nn.softplus, elu=jax.nn.elu)
    for name, op in ops.items():
        case("unary", name, op, f32(2, 3))
    for name in ["abs", "exp", "tanh", "floor", "erf", "logistic", "erfc"]:
        case("unary", name + "_bf16", ops[name], f32(5, dtype=bf16))
        case("unary", name + "_f16", ops[name], f32(5, dtype=np.float16))
        case("unary", name + "_f64", ops[name], f32(5, dtype=np.float64), x64=True)
    inside = dict(asin=lax.asin, acos=lax.acos, atanh=lax.atanh, erf_inv=lax.erf_inv)
    for name, op in inside.items():
        case("unary", name, op, f32(6, lo=-0.95, hi=0.95))
        case("unary", name + "_f64", op, f32(6, lo=-0.95, hi=0.95, dtype=np.float64), x64=True)
    positive = dict(log=lax.log, log1p=lax.log1p, sqrt=lax.sqrt, rsqrt=lax.rsqrt, lgamma=lax.lgamma, digamma=lax.digamma, acosh=lambda x: lax.acosh(x + 1),
                    bessel_i0e=lax.bessel_i0e, bessel_i1e=lax.bessel_i1e)
    for name, op in positive.items():
        case("unary", name, op, f32(7, lo=0.1, hi=6))
        case("unary", name + "_f64", op, f32(7, lo=0.1, hi=6, dtype=np.float64), x64=True)
    case("unary", "lgamma_negative", lax.lgamma, np.array([-0.5, -1.5, -2.25, 0.0, -3.0, 171.0, 1e6, np.inf, np.nan], np.float32), tol=1e-4)
    case("unary", "digamma_negative", lax.digamma, np.array([-0.5, -1.5, 0.0, -3.0, 100.0], np.float32), tol=1e-4)
    case("unary", "erf_inv_edges", lax.erf_inv, np.array([-1, 1, 0, 0.999, -0.9999], np.float32), tol=1e-4)
    case("unary", "special_is_inf", lambda x: (jnp.isinf(x), jnp.isposinf(x), jnp.isneginf(x), jnp.isnan(x), jnp.isfinite(x)),
         np.array([np.inf, -np.inf, np.nan, 0, -0.0, 1], np.float32))
    for name, op in dict(abs=lax.abs, neg=lax.neg, sign=lax.sign, not_=lax.bitwise_not, popcnt=lax.population_count, clz=lax.clz).items():
        for t in [np.int8, np.int32, np.uint8, np.uint32]:
            if not (name in ("abs", "sign", "neg") and np.dtype(t).kind == "u"):
                case("unary", f"{name}_{np.dtype(t).name}", op, ints(6, lo=0, dtype=t) - (0 if np.dtype(t).kind == "u" else 5))
    for name, op in dict(exp=lax.exp, log=lax.log, sin=lax.sin, cos=lax.cos, tanh=lax.tanh, sqrt=lax.sqrt, conj=lax.conj, real=lax.real, imag=lax.imag, abs=lax.abs,
                         rsqrt=lax.rsqrt, sign=lax.sign, expm1=lax.expm1, log1p=lax.log1p, neg=lax.neg).items():
        case("unary", name + "_c64", op, c64(4), tol=1e-4)
    case("unary", "exp_c128", lax.exp, c64(4, dtype=np.complex128), x64=True)
    case("unary", "not_pred", jnp.logical_not, np.array([True, False]))
    case("unary", "reduce_precision", lambda x: lax.reduce_precision(x, 5, 3), f32(6))


def binary():
    ops = dict(add=lax.add, sub=lax.sub, mul=lax.mul, div=lax.div, rem=lax.rem, max=lax.max, min=lax.min, atan2=lax.atan2)
    for name, op in ops.items():
        for t in [np.float32, np.int32, bf16, np.uint8]:
            if name == "atan2" and np.dtype(t).kind in "iu":
                continue
            a, b = (f32(2, 3, dtype=t), f32(2, 3, lo=0.5, dtype=t)) if t in (np.float32, bf16) else (ints(6, lo=0, dtype=t), ints(6, lo=1, dtype=t))
            case("binary", f"{name}_{np.dtype(t).name}", op, a, b)
    case("binary", "pow", lax.pow, f32(5, lo=0.1), f32(5))
    case("binary", "pow_int", lambda x, y: lax.pow(x, y), f32(5), ints(5, lo=-3, hi=4))
    case("binary", "nextafter", lax.nextafter, np.array([0, 1, -1, 2, 0, np.inf], np.float32), np.array([1, 2, 0, 2, -1, 0], np.float32), tol=0)
    case("binary", "nextafter_f64", lax.nextafter, f32(4, dtype=np.float64), f32(4, dtype=np.float64), x64=True, tol=0)
    case("binary", "igamma", lax.igamma, f32(4, lo=0.5, hi=3), f32(4, lo=0.5, hi=3), tol=1e-4)
    case("binary", "zeta", lax.zeta, f32(4, lo=2, hi=5), f32(4, lo=1, hi=3), tol=1e-4)
    case("binary", "zeta_f64", lax.zeta, f32(4, lo=2, hi=5, dtype=np.float64), f32(4, lo=1, hi=3, dtype=np.float64), x64=True)
    case("binary", "polygamma", lax.polygamma, np.array([0, 1, 2, 3], np.float32), f32(4, lo=1, hi=3), tol=2e-4)
    case("binary", "betainc", lax.betainc, f32(3, lo=1, hi=3), f32(3, lo=1, hi=3), f32(3, lo=0.1, hi=0.9), tol=1e-4)
    case("binary", "complex", lax.complex, f32(3), f32(3))
    for name, op in dict(add=lax.add, mul=lax.mul, div=lax.div, pow=lax.pow).items():
        case("binary", name + "_c64", op, c64(4), c64(4), tol=1e-4)
    for name, op in dict(and_=lax.bitwise_and, or_=lax.bitwise_or, xor=lax.bitwise_xor, shl=lax.shift_left, shrl=lax.shift_right_logical, shra=lax.shift_right_arithmetic).items():
        case("binary", name + "_s32", op, ints(6), ints(6, lo=0, hi=8))
        case("binary", name + "_u8", op, ints(6, lo=0, dtype=np.uint8), ints(6, lo=0, hi=8, dtype=np.uint8))
    for name in ["and_", "or_", "xor"]:
        case("binary", name + "pred", getattr(lax, "bitwise_" + name.rstrip("_")), np.array([True, True, False]), np.array([True, False, False]))
    for name, op in dict(eq=lax.eq, ne=lax.ne, lt=lax.lt, le=lax.le, gt=lax.gt, ge=lax.ge).items():
        for t in [np.float32, np.int32, np.uint32]:
            case("binary", f"{name}_{np.dtype(t).name}", op, ints(6, lo=0, dtype=t), ints(6, lo=0, dtype=t))
    case("binary", "eq_pred", lax.eq, np.array([True, False]), np.array([True, True]))
    case("binary", "eq_c64", lax.eq, np.array([1 + 1j, 2], np.complex64), np.array([1 + 1j, 2j], np.complex64))
    case("binary", "floor_divide", jnp.floor_divide, ints(6), ints(6, lo=1))
    case("binary", "mod", jnp.mod, f32(6), f32(6, lo=0.5))
    case("binary", "clamp", lambda x: lax.clamp(-1.0, x, 1.0), f32(6))
    case("binary", "clamp_arrays", lax.clamp, f32(6, lo=-1, hi=0), f32(6), f32(6, lo=0, hi=1))
    case("binary", "select", lambda p, x, y: lax.select(p, x, y), np.array([True, False, True]), f32(3), f32(3))
    case("binary", "select_n3", lambda i, a, b, c: lax.select_n(i, a, b, c), ints(4, lo=0, hi=3), f32(4), f32(4), f32(4))
    case("binary", "where_scalar", lambda x: jnp.where(x > 0, x, 0.5), f32(5))
    case("binary", "heaviside", jnp.heaviside, f32(4), f32(4))
    case("binary", "logaddexp", jnp.logaddexp, f32(4), f32(4))
    case("binary", "hypot", jnp.hypot, f32(4), f32(4))
    case("binary", "s64", lambda x, y: x * y + 7, ints(4, dtype=np.int64), np.array([2**40, -3, 5, 2**62], np.int64), x64=True)
    case("binary", "u64", lambda x, y: x * y, np.array([2**63, 3], np.uint64), np.array([3, 2**63 + 1], np.uint64), x64=True)
    case("binary", "mulhi", lambda x, y: lax.mulhi(x, y), np.array([2**30, -5], np.int32), np.array([12345, 2**31 - 1], np.int32)) if hasattr(lax, "mulhi") else None


def convert():
    types = [np.float32, np.int32, np.uint8, bf16, np.float16, np.bool_, np.int8, np.complex64]
    for a in types:
        for b in types:
            if a is b or (a is np.complex64 and b is not np.complex64):
                continue
            value = ints(5, lo=0, hi=9, dtype=a)
            case("convert", f"{np.dtype(a).name}_to_{np.dtype(b).name}", lambda x: lax.convert_element_type(x, b), value)
    case("convert", "bitcast_f32_u32", lambda x: lax.bitcast_convert_type(x, jnp.uint32), f32(4))
    case("convert", "bitcast_u32_u8", lambda x: lax.bitcast_convert_type(x, jnp.uint8), ints(3, lo=0, dtype=np.uint32))
    case("convert", "bitcast_u8_u32", lambda x: lax.bitcast_convert_type(x, jnp.uint32), ints(3, 4, lo=0, dtype=np.uint8))
    for name in ["float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float8_e5m2fnuz", "float8_e4m3", "float8_e3m4", "int4", "uint4"]:
        if hasattr(jnp, name):
            case("convert", "via_" + name, lambda x: x.astype(getattr(jnp, name)).astype(jnp.float32), f32(6, lo=0, hi=6))


def movement():
    x = f32(2, 3, 4)
    case("movement", "reshape", lambda x: x.reshape(4, 6), x)
    case("movement", "transpose", lambda x: lax.transpose(x, (2, 0, 1)), x)
    case("movement", "swapaxes_matrix", lambda x: x.T, f32(2, 3))
    case("movement", "broadcast", lambda x: lax.broadcast(x, (2, 2)), f32(3))
    case("movement", "broadcast_in_dim", lambda x: lax.broadcast_in_dim(x, (2, 3, 4), (1,)), f32(3))
    case("movement", "broadcast_expand", lambda x: jnp.broadcast_to(x, (2, 3, 4)), f32(2, 1, 4))
    case("movement", "broadcast_ones", lambda x: jnp.broadcast_to(x, (5, 2, 3)), f32(1, 1, 1))
    case("movement", "broadcast_scalar", lambda x: jnp.full((2, 2), x), np.float32(3))
    case("movement", "slice", lambda x: lax.slice(x, (0, 1, 0), (2, 3, 4), (1, 1, 2)), x)
    case("movement", "dynamic_slice", lambda x, i: lax.dynamic_slice(x, (i, 0, i), (1, 2, 2)), x, np.int32(1))
    case("movement", "dynamic_slice_clamped", lambda x, i: lax.dynamic_slice(x, (i, 0, i), (1, 2, 2)), x, np.int32(99))
    case("movement", "dynamic_update_slice", lambda x, u, i: lax.dynamic_update_slice(x, u, (i, 0, i)), x, f32(1, 2, 2), np.int32(1))
    case("movement", "concatenate", lambda a, b, c: lax.concatenate([a, b, c], 1), f32(2, 1), f32(2, 2), f32(2, 3))
    case("movement", "pad", lambda x: lax.pad(x, 0.5, ((1, 2, 1), (-1, 0, 0))), f32(2, 3))
    case("movement", "pad_ints", lambda x: lax.pad(x, 7, ((0, 1, 2),)), ints(3))
    case("movement", "rev", lambda x: lax.rev(x, (0, 2)), x)
    for t in [np.float32, np.int32, np.uint8, bf16, np.complex64]:
        case("movement", f"iota_{np.dtype(t).name}", lambda x: x + lax.broadcasted_iota(t, (2, 3), 1), np.zeros((2, 3), t))
    case("movement", "stack", lambda a, b: jnp.stack([a, b]), f32(3), f32(3))
    case("movement", "tile", lambda a: jnp.tile(a, (2, 2)), f32(2, 2))
    case("movement", "roll", lambda a: jnp.roll(a, 2, axis=1), f32(2, 5))
    case("movement", "repeat", lambda a: jnp.repeat(a, 3, axis=0), f32(2, 2))
    case("movement", "flip", jnp.flip, f32(2, 2))
    case("movement", "rot90", jnp.rot90, f32(2, 3))
    case("movement", "tril", jnp.tril, f32(3, 3))
    case("movement", "triu", lambda x: jnp.triu(x, 1), f32(3, 3))
    case("movement", "diag", jnp.diag, f32(3))
    case("movement", "eye", lambda x: x + jnp.eye(3), f32(3, 3))
    case("movement", "meshgrid", lambda a, b: jnp.meshgrid(a, b), f32(2), f32(3))
    case("movement", "linspace", lambda a, b: jnp.linspace(a, b, 5), np.float32(0), np.float32(2))
    case("movement", "split", lambda a: jnp.split(a, 3, axis=1), f32(2, 6))
    case("movement", "zero_size", lambda a: (a[:0], jnp.concatenate([a[:0], a])), f32(3))
    case("movement", "no_arguments", lambda: jnp.arange(5) * 2)
    case("movement", "identity", lambda a: a, f32(2))
    case("movement", "nothing_used", lambda a, b: b, f32(2), f32(3))
    case("movement", "expand_dims", lambda a: a[:, None, :], f32(2, 3))
    case("movement", "einshape", lambda a: jnp.moveaxis(a, 0, -1).reshape(-1), x)


def constants():
    for t in [np.float32, np.int32, np.uint8, bf16, np.float16, np.bool_, np.complex64, np.int8]:
        value = ints(2, 3, lo=0, hi=9, dtype=t) if t is not np.complex64 else c64(2, 3)
        case("constants", f"dense_{np.dtype(t).name}", lambda x: (x, jnp.asarray(value)), np.float32(1))
        large = (rng.integers(0, 100, (4, 33)).astype(t)) if t is not np.complex64 else c64(4, 9)
        case("constants", f"blob_{np.dtype(t).name}", lambda x: (x, jnp.asarray(large)), np.float32(1))
        splat = np.full((2, 2), value.reshape(-1)[0])
        case("constants", f"splat_{np.dtype(t).name}", lambda x: (x, jnp.asarray(splat)), np.float32(1))
    case("constants", "special", lambda x: x + np.array([np.inf, -np.inf, np.nan, -0.0, 1e-30, 3.4e38, 1 / 3], np.float32), np.zeros(7, np.float32))
    case("constants", "splat_inf", lambda x: jnp.maximum(x, jnp.full((3,), -jnp.inf)), f32(3))
    case("constants", "scalar_nan", lambda x: jnp.where(x > 0, x, jnp.nan), f32(3))
    case("constants", "f64", lambda x: x * np.array([np.pi, 1e300, -1e-300]), np.ones(3), x64=True)
    case("constants", "s64", lambda x: x + np.array([2**62, -2**62, 5]), np.ones(3, np.int64), x64=True)
    case("constants", "u64", lambda x: x + np.array([2**63, 3], np.uint64), np.ones(2, np.uint64), x64=True)
    case("constants", "bools_17", lambda x: (x, jnp.asarray(np.arange(17) % 3 == 0)), np.float32(1))
    case("constants", "bools_257", lambda x: (x, jnp.asarray(np.arange(257) % 3 == 0)), np.float32(1))
    case("constants", "empty", lambda x: (x, jnp.zeros((0, 3)), jnp.zeros((2, 0))), np.float32(1))
    case("constants", "int4", lambda x: (x, jnp.asarray(np.array([1, -3, 7, -8]), dtype=jnp.int4).astype(jnp.int32)), np.float32(1))


def reduce():
    x = f32(2, 3, 4)
    for name, op in dict(sum=jnp.sum, prod=jnp.prod, max=jnp.max, min=jnp.min, mean=jnp.mean, var=jnp.var, std=jnp.std, argmax=jnp.argmax, argmin=jnp.argmin).items():
        case("reduce", name, lambda x: op(x, axis=1), x)
        case("reduce", name + "_all", lambda x: op(x), f32(2, 3))
    for name, op in dict(any=jnp.any, all=jnp.all).items():
        case("reduce", name, lambda x: op(x > 0, axis=1), f32(2, 3))
    for t in [np.int32, np.uint8, bf16, np.complex64]:
        case("reduce", f"sum_{np.dtype(t).name}", lambda x: lax.reduce_sum_p.bind(x, axes=(0,), out_sharding=None) if False else lax.reduce(x, np.zeros((), t), lax.add, (0,)), ints(4, 2, lo=0, dtype=t))
    case("reduce", "xor", lambda x: lax.reduce(x, np.int32(0), lax.bitwise_xor, (0,)), ints(4, 2))
    case("reduce", "custom", lambda x: lax.reduce(x, np.float32(1), lambda a, b: a * b + 1, (1,)), f32(2, 3))
    case("reduce", "two", lambda x, y: lax.reduce((x, y), (np.float32(0), np.int32(0)), lambda a, b: (a[0] + b[0], jnp.maximum(a[1], b[1])), (1,)), f32(2, 3), ints(2, 3))
    case("reduce", "logsumexp", lambda x: jax.scipy.special.logsumexp(x, axis=1), f32(2, 3))
    case("reduce", "softmax", jax.nn.softmax, f32(2, 3))
    case("reduce", "log_softmax", jax.nn.log_softmax, f32(2, 3))
    case("reduce", "norm", lambda x: jnp.linalg.norm(x), f32(3, 3))
    case("reduce", "median", jnp.median, f32(7))
    for name, op in dict(cumsum=jnp.cumsum, cumprod=jnp.cumprod, cummax=lambda x, axis: lax.cummax(x, axis), cummin=lambda x, axis: lax.cummin(x, axis), cumlogsumexp=lambda x, axis: lax.cumlogsumexp(x, axis)).items():
        case("reduce", name, lambda x: op(x, axis=1), f32(2, 5))
    case("reduce", "cumsum_reverse", lambda x: lax.cumsum(x, 0, reverse=True), ints(6))
    case("reduce", "associative_scan", lambda x: lax.associative_scan(jnp.add, x), f32(7))
    for name, args in dict(max=(-np.inf, lax.max, (2, 2), (1, 1), "VALID"), add=(0.0, lax.add, (2, 3), (2, 1), "SAME"), min=(np.inf, lax.min, (3, 1), (1, 2), "SAME")).items():
        case("reduce", "window_" + name, lambda x: lax.reduce_window(x, np.float32(args[0]), args[1], args[2], args[3], args[4]), f32(5, 6))
    case("reduce", "window_dilated", lambda x: lax.reduce_window(x, np.float32(0), lax.add, (2, 2), (1, 1), ((1, 0), (0, 2)), base_dilation=(2, 1), window_dilation=(1, 2)), f32(4, 5))
    case("reduce", "window_custom", lambda x: lax.reduce_window(x, np.float32(1), lambda a, b: a * b, (2,), (1,), "VALID"), f32(5))
    case("reduce", "window_two", lambda x, y: lax.reduce_window((x, y), (np.float32(0), np.int32(0)), lambda a, b: (a[0] + b[0], a[1] + b[1]), (2,), (1,), "VALID"), f32(5), ints(5))
    case("reduce", "avg_pool_grad", jax.grad(lambda x: jnp.sum(lax.reduce_window(x, np.float32(0), lax.add, (2, 2), (2, 2), "VALID") ** 2)), f32(4, 4))
    case("reduce", "max_pool_grad", jax.grad(lambda x: jnp.sum(lax.reduce_window(x, -np.float32(np.inf), lax.max, (2, 2), (2, 2), "VALID") ** 2)), f32(4, 4))
    case("reduce", "histogram", lambda x: jnp.histogram(x, bins=4, range=(-2, 2))[0], f32(9))
    case("reduce", "bincount", lambda x: jnp.bincount(x, length=5), ints(9, lo=0, hi=5))
    case("reduce", "trapezoid", jnp.trapezoid, f32(5))


def dots():
    case("dot", "matmul", jnp.matmul, f32(2, 3), f32(3, 4))
    case("dot", "vector", jnp.dot, f32(3), f32(3))
    case("dot", "matrix_vector", jnp.dot, f32(2, 3), f32(3))
    case("dot", "batch", jnp.matmul, f32(2, 2, 3), f32(2, 3, 2))
    case("dot", "batch_broadcast", jnp.matmul, f32(2, 1, 2, 3), f32(3, 3, 2))
    case("dot", "tensordot", lambda a, b: jnp.tensordot(a, b, axes=([0, 1], [1, 0])), f32(2, 3, 2), f32(3, 2, 2))
    for spec, shapes in {"ij,jk->ik": ((2, 3), (3, 2)), "bij,bkj->bik": ((2, 2, 3), (2, 2, 3)), "ij,kj->ki": ((2, 3), (2, 3)), "i,j->ij": ((2,), (3,)), "ijk->kji": ((2, 3, 2),),
                         "ij->": ((2, 3),), "abc,cd,be->ade": ((2, 2, 2), (2, 3), (2, 2)), "ii->i": ((3, 3),), "bhqd,bhkd->bhqk": ((1, 2, 2, 3), (1, 2, 2, 3))}.items():
        case("dot", "einsum " + spec, lambda *a: jnp.einsum(spec, *a), *[f32(*s) for s in shapes])
    case("dot", "highest", lambda a, b: jnp.matmul(a, b, precision="highest"), f32(2, 3), f32(3, 2))
    case("dot", "bf16", jnp.matmul, f32(2, 3, dtype=bf16), f32(3, 2, dtype=bf16))
    case("dot", "bf16_to_f32", lambda a, b: jnp.matmul(a, b, preferred_element_type=jnp.float32), f32(2, 3, dtype=bf16), f32(3, 2, dtype=bf16))
    case("dot", "int8_to_int32", lambda a, b: lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32), ints(2, 3, dtype=np.int8), ints(3, 2, dtype=np.int8))
    case("dot", "int32", jnp.matmul, ints(2, 3), ints(3, 2))
    case("dot", "c64", jnp.matmul, c64(2, 2), c64(2, 2))
    case("dot", "f64", jnp.matmul, f32(2, 2, dtype=np.float64), f32(2, 2, dtype=np.float64), x64=True)
    case("dot", "algorithm", lambda a, b: lax.dot(a, b, precision=lax.DotAlgorithmPreset.F32_F32_F32), f32(2, 3), f32(3, 2))
    case("dot", "outer", jnp.outer, f32(2), f32(3))
    case("dot", "kron", jnp.kron, f32(2, 2), f32(2, 2))
    case("dot", "ragged", lambda a, b, g: lax.ragged_dot(a, b, g), f32(5, 3), f32(2, 3, 2), np.array([2, 3], np.int32))
    case("dot", "matrix_power", lambda a: jnp.linalg.matrix_power(a, 3), f32(2, 2))
    case("dot", "vander", lambda a: jnp.vander(a, 3), f32(3))


def convolutions():
    x, k = f32(1, 5, 6, 2), f32(3, 2, 2, 3)
    nhwc = ("NHWC", "HWIO", "NHWC")
    conv = lax.conv_general_dilated
    case("convolution", "valid", lambda x, k: conv(x, k, (1, 1), "VALID", dimension_numbers=nhwc), x, k)
    case("convolution", "same_strided", lambda x, k: conv(x, k, (2, 1), "SAME", dimension_numbers=nhwc), x, k)
    case("convolution", "dilated", lambda x, k: conv(x, k, (1, 1), ((1, 2), (0, 1)), lhs_dilation=(2, 1), rhs_dilation=(1, 2), dimension_numbers=nhwc), x, k)
    case("convolution", "grouped", lambda x, k: conv(x, k, (1, 1), "VALID", dimension_numbers=nhwc, feature_group_count=2), f32(1, 4, 4, 4), f32(2, 2, 2, 4))
    case("convolution", "depthwise", lambda x, k: conv(x, k, (1, 1), "VALID", dimension_numbers=nhwc, feature_group_count=3), f32(1, 4, 4, 3), f32(2, 2, 1, 3))
    case("convolution", "batch_groups", lambda x, k: conv(x, k, (1, 1), "VALID", dimension_numbers=nhwc, batch_group_count=2), f32(2, 4, 4, 3), f32(2, 2, 3, 4))
    case("convolution", "nchw", lambda x, k: lax.conv(x, k, (1, 1), "VALID"), f32(1, 2, 4, 4), f32(3, 2, 2, 2))
    case("convolution", "one_dimension", lambda x, k: conv(x, k, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC")), f32(2, 5, 2), f32(3, 2, 2))
    case("convolution", "three_dimensions", lambda x, k: conv(x, k, (1, 1, 1), "VALID", dimension_numbers=("NDHWC", "DHWIO", "NDHWC")), f32(1, 3, 3, 3, 1), f32(2, 2, 2, 1, 2))
    case("convolution", "transpose", lambda x, k: lax.conv_transpose(x, k, (2, 2), "SAME"), f32(1, 3, 3, 2), f32(2, 2, 2, 3))
    case("convolution", "precision", lambda x, k: conv(x, k, (1, 1), "VALID", dimension_numbers=nhwc, precision="highest"), x, k)
    case("convolution", "grad", jax.grad(lambda k, x: jnp.sum(conv(x, k, (2, 1), "SAME", dimension_numbers=nhwc) ** 2)), k, x, tol=1e-4)
    case("convolution", "grad_input", jax.grad(lambda x, k: jnp.sum(conv(x, k, (2, 1), "SAME", dimension_numbers=nhwc) ** 2)), x, k, tol=1e-4)
    case("convolution", "grad_grouped", jax.grad(lambda k, x: jnp.sum(conv(x, k, (1, 1), "VALID", dimension_numbers=nhwc, feature_group_count=2) ** 2)), f32(2, 2, 2, 4), f32(1, 4, 4, 4), tol=1e-4)
    case("convolution", "convolve", lambda a, b: jnp.convolve(a, b), f32(5), f32(3))
    case("convolution", "correlate", lambda a, b: jnp.correlate(a, b, "same"), f32(5), f32(3))
    case("convolution", "bf16", lambda x, k: conv(x, k, (1, 1), "VALID", dimension_numbers=nhwc), x.astype(bf16), k.astype(bf16), tol=6e-2)
    case("convolution", "int32", lambda x, k: conv(x, k, (1, 1), "VALID", dimension_numbers=nhwc), ints(1, 3, 3, 1), ints(2, 2, 1, 2))
    case("convolution", "patches", lambda x: lax.conv_general_dilated_patches(x, (2, 2), (1, 1), "VALID"), f32(1, 1, 3, 3))


def indexing():
    x = f32(4, 5)
    case("indexing", "take_rows", lambda x, i: x[i], x, np.array([0, 3, 1], np.int32))
    case("indexing", "take_columns", lambda x, i: x[:, i], x, np.array([0, -1], np.int32))
    case("indexing", "pairs", lambda x, i, j: x[i, j], x, np.array([0, 3], np.int32), np.array([4, 2], np.int32))
    case("indexing", "grid", lambda x, i, j: x[i[:, None], j[None]], x, np.array([0, 3], np.int32), np.array([4, 2, 1], np.int32))
    case("indexing", "scalar", lambda x, i: x[i], x, np.int32(2))
    case("indexing", "take_fill", lambda x, i: jnp.take(x, i, axis=0, mode="fill"), x, np.array([0, 9, -7], np.int32))
    case("indexing", "take_clip", lambda x, i: jnp.take(x, i, axis=0, mode="clip"), x, np.array([0, 9, -7], np.int32))
    case("indexing", "take_wrap", lambda x, i: jnp.take(x, i, axis=0, mode="wrap"), x, np.array([0, 9, -7], np.int32))
    case("indexing", "take_along_axis", lambda x, i: jnp.take_along_axis(x, i, axis=1), x, ints(4, 2, lo=0, hi=5))
    case("indexing", "batched", jax.vmap(lambda x, i: x[i]), x, ints(4, lo=0, hi=5))
    case("indexing", "batched_slices", jax.vmap(lambda x, i: lax.dynamic_slice(x, (i,), (2,))), x, ints(4, lo=0, hi=5))
    case("indexing", "slices", lambda x, i: lax.gather(x, i, lax.GatherDimensionNumbers((1, 2), (), (0, 1)), (2, 2)), x, ints(3, 2, lo=0, hi=4))
    case("indexing", "mask", lambda x: jnp.where(x > 0, x, 0), x)
    for name, op in dict(set="set", add="add", mul="multiply", max="max", min="min").items():
        case("indexing", "at_" + name, lambda x, i, u: getattr(x.at[i], op)(u), x, np.array([0, 3, 0], np.int32) if name != "set" else np.array([0, 3, 1], np.int32), f32(3, 5))
    case("indexing", "at_set_scalar", lambda x: x.at[1, 2].set(9), x)
    case("indexing", "at_set_slice", lambda x: x.at[1:3, ::2].set(0), x)
    case("indexing", "at_drop", lambda x, i: x.at[i].set(1.0, mode="drop"), x, np.array([0, 9], np.int32))
    case("indexing", "at_clip", lambda x, i: x.at[i].add(1.0, mode="clip"), x, np.array([0, 9], np.int32))
    case("indexing", "at_unique_sorted", lambda x, i: x.at[i].add(1.0, unique_indices=True, indices_are_sorted=True), x, np.array([0, 2], np.int32))
    case("indexing", "at_apply", lambda x, i: x.at[i].apply(jnp.exp), x, np.array([0, 2], np.int32))
    case("indexing", "scatter_batched", jax.vmap(lambda x, i, u: x.at[i].add(u)), x, ints(4, lo=0, hi=5), f32(4))
    case("indexing", "scatter_int", lambda x, i, u: x.at[i].add(u), ints(6), np.array([1, 1, 5], np.int32), ints(3))
    case("indexing", "gather_grad", jax.grad(lambda x, i: jnp.sum(x[i] ** 2)), x, np.array([0, 3, 0], np.int32))
    case("indexing", "segment_sum", lambda x, i: jax.ops.segment_sum(x, i, num_segments=3), f32(5), np.array([0, 2, 0, 1, 2], np.int32))
    case("indexing", "segment_max", lambda x, i: jax.ops.segment_max(x, i, num_segments=3), f32(5), np.array([0, 2, 0, 1, 2], np.int32))
    case("indexing", "one_hot", lambda i: jax.nn.one_hot(i, 4), np.array([0, 3, 1], np.int32))
    case("indexing", "nonzero_fixed", lambda x: jnp.nonzero(x > 0, size=4, fill_value=-1), f32(6))
    case("indexing", "searchsorted", lambda a, v: jnp.searchsorted(a, v), np.array([1, 2, 4, 8], np.float32), np.array([0, 3, 9], np.float32))
    case("indexing", "interp", lambda x, a, b: jnp.interp(x, a, b), f32(3), np.array([-1, 0, 1], np.float32), f32(3))
    case("indexing", "unique_fixed", lambda x: jnp.unique(x, size=4), ints(6, lo=0, hi=4))
    case("indexing", "select_and_gather", lambda x: lax.reduce_window(x, -np.inf, lax.max, (2,), (1,), "VALID"), f32(5))


def sorting():
    case("sort", "sort", lambda x: jnp.sort(x), f32(2, 5))
    case("sort", "sort_axis0", lambda x: jnp.sort(x, axis=0), f32(5, 2))
    case("sort", "descending", lambda x: jnp.sort(x, descending=True), f32(6))
    case("sort", "argsort", lambda x: jnp.argsort(x), f32(2, 5))
    case("sort", "two_keys", lambda a, b: lax.sort((a, b), num_keys=2), ints(6, lo=0, hi=3), f32(6))
    case("sort", "unstable", lambda a: lax.sort(a, is_stable=False), ints(6))
    case("sort", "lexsort", lambda a, b: jnp.lexsort((a, b)), ints(6, lo=0, hi=3), ints(6, lo=0, hi=3))
    case("sort", "specials", lambda a: lax.sort(a), np.array([np.nan, 1, -np.inf, -0.0, 0.0, np.inf], np.float32))
    case("sort", "complex", lambda a: lax.sort(a), c64(5))
    case("sort", "bf16", lambda a: lax.sort(a), f32(5, dtype=bf16))
    case("sort", "top_k", lambda a: lax.top_k(a, 3), f32(2, 6))
    case("sort", "top_k_int", lambda a: lax.top_k(a, 2), ints(6))
    case("sort", "approx_max_k", lambda a: lax.approx_max_k(a, 2), f32(1, 6))
    case("sort", "quantile", lambda a: jnp.quantile(a, 0.3), f32(7))
    case("sort", "percentile", lambda a: jnp.percentile(a, 40), f32(7))
    case("sort", "partition", lambda a: jnp.partition(a, 3), f32(7))
    case("sort", "argpartition", lambda a: jnp.take(a, jnp.argpartition(a, 3))[3], f32(7))


def control():
    case("control", "cond", lambda p, x: lax.cond(p > 0, lambda x: x * 2, lambda x: x - 1, x), np.int32(1), f32(3))
    case("control", "cond_captured", lambda p, x, y: lax.cond(p > 0, lambda: x * y, lambda: x - y), np.int32(-1), f32(3), f32(3))
    case("control", "cond_tuple", lambda p, x: lax.cond(p > 0, lambda x: (x, x.sum()), lambda x: (-x, x.max()), x), np.int32(1), f32(3))
    case("control", "cond_nested", lambda p, x: lax.cond(p > 0, lambda x: lax.cond(p > 1, lambda: x + 1, lambda: x + 2), lambda x: x, x), np.int32(1), f32(3))
    case("control", "switch", lambda i, x: lax.switch(i, [lambda x: x, lambda x: x * 2, lambda x: x.sum() + x], x), np.int32(2), f32(3))
    case("control", "switch_outside", lambda i, x: lax.switch(i, [lambda x: x, lambda x: x * 2], x), np.int32(-5), f32(3))
    case("control", "while", lambda x: lax.while_loop(lambda s: s[0] < 5, lambda s: (s[0] + 1, s[1] * 1.5), (0, x)), f32(3))
    case("control", "while_captured", lambda x, y: lax.while_loop(lambda s: jnp.sum(s) < jnp.sum(y), lambda s: s + y, x), f32(3), f32(3, lo=0.5))
    case("control", "while_one", lambda x: lax.while_loop(lambda s: s < 100, lambda s: s * 2, x), np.int32(3))
    case("control", "fori", lambda x: lax.fori_loop(0, 4, lambda i, a: a + i * x, x), f32(3))
    case("control", "fori_dynamic", lambda n, x: lax.fori_loop(0, n, lambda i, a: a + i, x), np.int32(5), f32(3))
    case("control", "scan", lambda c, xs: lax.scan(lambda c, x: (c + x, c * x), c, xs), np.float32(1), f32(5))
    case("control", "scan_reverse", lambda c, xs: lax.scan(lambda c, x: (c * x, c), c, xs, reverse=True), np.float32(1), f32(5))
    case("control", "scan_unrolled", lambda c, xs: lax.scan(lambda c, x: (c + x, c), c, xs, unroll=2), np.float32(1), f32(5))
    case("control", "scan_matrix", lambda w, h, xs: lax.scan(lambda h, x: (jnp.tanh(h @ w + x), h), h, xs), f32(3, 3), f32(3), f32(4, 3), tol=1e-4)
    case("control", "scan_grad", jax.grad(lambda w, xs: jnp.sum(lax.scan(lambda c, x: (jnp.sin(c * w) + x, c), 0.0, xs)[1] ** 2)), np.float32(0.5), f32(5), tol=1e-4)
    case("control", "scan_nested", lambda x: lax.scan(lambda c, r: (c + lax.scan(lambda d, e: (d * e, None), 1.0, r)[0], None), 0.0, x)[0], f32(3, 2))
    case("control", "map", lambda x: lax.map(lambda r: r / r.sum(), x), f32(3, 2, lo=1))
    case("control", "call", lambda x: jax.jit(lambda y: y + 1)(x) + jax.jit(lambda y: y * 2)(x), f32(3))
    case("control", "call_shared", lambda x: (lambda g: g(g(x)) + g(x[::-1]))(jax.jit(lambda y: jnp.sin(y) + 1)), f32(3))
    case("control", "remat", jax.grad(jax.checkpoint(lambda x: jnp.sum(jnp.sin(jnp.sin(x))))), f32(3))
    case("control", "custom_jvp", jax.grad(lambda x: jnp.sum(jax.nn.relu(x) * jax.nn.softplus(x))), f32(3))
    case("control", "optimization_barrier", lambda x, y: lax.optimization_barrier((x, y)), f32(3), ints(2))
    case("control", "composite", lambda x: jax.lax.composite(lambda y: jnp.sin(y) * 2, "my.op")(x) if hasattr(jax.lax, "composite") else x, f32(3))
    case("control", "debug_locations", lambda x: jnp.sum(jax.nn.relu(x) * 2), f32(3), debug=True)
    case("control", "named_scope", lambda x: jax.named_scope("block")(lambda y: jnp.exp(y) + 1)(x), f32(3), debug=True)
    case("control", "while_nested", lambda n: lax.fori_loop(0, n, lambda i, a: lax.fori_loop(0, i, lambda j, b: b + j * a % 7, a), 1), np.int32(4))
    case("control", "reduce_captured", lambda x, y: lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] + jnp.sum(x * y)), (0, 0.0)), f32(3), f32(3))


def randoms():
    key = np.array([3, 42], np.uint32)
    wrap = jax.random.wrap_key_data
    case("random", "split", lambda k: jax.random.key_data(jax.random.split(wrap(k))), key)
    case("random", "bits", lambda k: jax.random.bits(wrap(k), (5,)), key)
    case("random", "uniform", lambda k: jax.random.uniform(wrap(k), (5,)), key)
    case("random", "normal", lambda k: jax.random.normal(wrap(k), (5,)), key)
    case("random", "randint", lambda k: jax.random.randint(wrap(k), (5,), 0, 10), key)
    case("random", "bernoulli", lambda k: jax.random.bernoulli(wrap(k), 0.3, (6,)), key)
    case("random", "categorical", lambda k, x: jax.random.categorical(wrap(k), x, shape=(4,)), key, f32(3))
    case("random", "permutation", lambda k: jax.random.permutation(wrap(k), 6), key)
    case("random", "gumbel", lambda k: jax.random.gumbel(wrap(k), (4,)), key)
    case("random", "fold_in", lambda k, i: jax.random.key_data(jax.random.fold_in(wrap(k), i)), key, np.int32(7))
    case("random", "exponential", lambda k: jax.random.exponential(wrap(k), (4,)), key)
    case("random", "rng_bit_generator_philox", lambda k: lax.rng_bit_generator(k, (4,), dtype=np.uint32, algorithm=lax.RandomAlgorithm.RNG_PHILOX), np.array([3, 42, 1, 2], np.uint32))
    case("random", "rng_bit_generator_threefry", lambda k: lax.rng_bit_generator(k, (4,), dtype=np.uint32, algorithm=lax.RandomAlgorithm.RNG_THREE_FRY), np.array([3, 42, 1, 2], np.uint32))


def networks():
    def mlp(params, x):
        for w, b in params:
            x = jnp.tanh(x @ w + b)
        return x
    params = [(f32(3, 4), f32(4)), (f32(4, 2), f32(2))]
    x, y = f32(5, 3), f32(5, 2)
    loss = lambda p, x, y: jnp.mean((mlp(p, x) - y) ** 2)
    case("network", "mlp", mlp, params, x, tol=1e-4)
    case("network", "mlp_grad", jax.grad(loss), params, x, y, tol=1e-4)
    case("network", "mlp_step", lambda p, x, y: jax.tree.map(lambda a, g: a - 0.1 * g, p, jax.grad(loss)(p, x, y)), params, x, y, tol=1e-4)
    case("network", "hessian", jax.hessian(lambda x: jnp.sum(jnp.sin(x) * x ** 2)), f32(3), tol=1e-4)
    case("network", "jacobian", jax.jacfwd(lambda x: jnp.tanh(x @ np.ones((3, 2), np.float32))), f32(3), tol=1e-4)

    def attention(q, k, v):
        s = jnp.einsum("qhd,khd->hqk", q, k) / np.float32(np.sqrt(q.shape[-1]))
        mask = jnp.tril(jnp.ones(s.shape[-2:], bool))
        return jnp.einsum("hqk,khd->qhd", jax.nn.softmax(jnp.where(mask, s, -1e9), axis=-1), v)
    qkv = [f32(4, 2, 3) for _ in range(3)]
    case("network", "attention", attention, *qkv, tol=1e-4)
    case("network", "attention_grad", jax.grad(lambda q, k, v: jnp.sum(attention(q, k, v) ** 2), argnums=(0, 1, 2)), *qkv, tol=1e-4)
    case("network", "dot_product_attention", lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True), *[f32(1, 4, 2, 3) for _ in range(3)], tol=1e-4)
    case("network", "layer_norm", lambda x, g, b: (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * g + b, f32(3, 4), f32(4), f32(4), tol=1e-4)
    case("network", "batch_norm", lambda x, g, b: lax.batch_norm_training(x, g, b, 1e-5, 1) if hasattr(lax, "batch_norm_training") else x, f32(3, 2), f32(2), f32(2))
    case("network", "cross_entropy", jax.grad(lambda z, t: -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(z), t[:, None], 1))), f32(3, 4), np.array([0, 3, 1], np.int32), tol=1e-4)

    def convnet(p, x):
        x = jax.nn.relu(lax.conv_general_dilated(x, p[0], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))
        x = lax.reduce_window(x, -np.float32(np.inf), lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return x.reshape(x.shape[0], -1) @ p[1]
    p = [f32(3, 3, 1, 2), f32(8, 3)]
    case("network", "convnet", convnet, p, f32(2, 4, 4, 1), tol=1e-4)
    case("network", "convnet_grad", jax.grad(lambda p, x: jnp.sum(convnet(p, x) ** 2)), p, f32(2, 4, 4, 1), tol=1e-3)
    case("network", "adam", lambda p, m, v, g: (p - 0.1 * (0.9 * m + 0.1 * g) / (jnp.sqrt(0.99 * v + 0.01 * g * g) + 1e-8),), f32(3), f32(3), f32(3, lo=0), f32(3), tol=1e-4)
    case("network", "rope", lambda x, t: jnp.concatenate([x[..., :2] * jnp.cos(t) - x[..., 2:] * jnp.sin(t), x[..., 2:] * jnp.cos(t) + x[..., :2] * jnp.sin(t)], -1), f32(3, 4), f32(3, 2))
    case("network", "embedding", lambda e, i: jnp.sum(e[i], axis=1), f32(5, 3), ints(2, 4, lo=0, hi=5))
    case("network", "image_resize", lambda x: jax.image.resize(x, (4, 4), "bilinear"), f32(2, 2), tol=1e-4)


def linear_algebra():
    a = f32(3, 3)
    spd = (a @ a.T + 3 * np.eye(3)).round(2).astype(np.float32)
    case("linalg", "fft", jnp.fft.fft, c64(4), tol=1e-4)
    case("linalg", "ifft", jnp.fft.ifft, c64(4), tol=1e-4)
    case("linalg", "rfft", jnp.fft.rfft, f32(5), tol=1e-4)
    case("linalg", "irfft", lambda x: jnp.fft.irfft(x, 6), c64(4), tol=1e-4)
    case("linalg", "fft2", jnp.fft.fft2, c64(2, 4), tol=1e-4)
    case("linalg", "rfftn", jnp.fft.rfftn, f32(2, 2, 4), tol=1e-4)
    case("linalg", "cholesky", jnp.linalg.cholesky, spd, tol=1e-4)
    case("linalg", "cholesky_batch", jnp.linalg.cholesky, np.stack([spd, spd + np.eye(3, dtype=np.float32)]), tol=1e-4)
    case("linalg", "cholesky_fails", jnp.linalg.cholesky, -spd, tol=1e-4)
    for lower in [True, False]:
        for trans in [0, 1]:
            case("linalg", f"solve_triangular_{lower}_{trans}", lambda a, b: jax.scipy.linalg.solve_triangular(a, b, lower=lower, trans=trans), spd, f32(3, 2), tol=1e-3)
    case("linalg", "triangular_right", lambda a, b: lax.linalg.triangular_solve(a, b, left_side=False, lower=True), spd, f32(2, 3), tol=1e-3)
    case("linalg", "triangular_unit", lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True, lower=True, unit_diagonal=True), spd, f32(3, 2), tol=1e-3)
    case("linalg", "det_2x2", jnp.linalg.det, f32(2, 2), tol=1e-4)
    case("linalg", "cross", jnp.cross, f32(3), f32(3))
    case("linalg", "trace", jnp.trace, f32(3, 3))
    case("linalg", "cho_solve", lambda a, b: jax.scipy.linalg.cho_solve((jnp.linalg.cholesky(a), True), b), spd, f32(3), tol=1e-3)
    case("linalg", "solve", jnp.linalg.solve, spd, f32(3), tol=1e-3)
    case("linalg", "inv", jnp.linalg.inv, spd, tol=1e-3)
    case("linalg", "qr", jnp.linalg.qr, spd, tol=1e-3)
    case("linalg", "eigh", jnp.linalg.eigh, spd, tol=1e-3)
    case("linalg", "expm", jax.scipy.linalg.expm, f32(2, 2), tol=1e-3)
    case("linalg", "tridiagonal", lambda d, u: jnp.sum(lax.linalg.tridiagonal_solve(d, d + 4, u, np.ones((3, 1), np.float32))), np.array([0, 1, 1], np.float32), np.array([1, 1, 0], np.float32), tol=1e-3)


def main():
    for part in [unary, binary, convert, movement, constants, reduce, dots, convolutions, indexing, sorting, control, randoms, networks, linear_algebra]:
        part()
    helpers = SimpleNamespace(case=case, f32=f32, ints=ints, c64=c64, lax=lax, jnp=jnp, jax=jax)
    for part in more.parts(helpers):
        part()
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for file, lines in FILES.items():
        (folder / f"{file}.jsonl").write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
        print(f"{file:12} {len(lines):4}")
    print(sum(len(lines) for lines in FILES.values()), "cases; skipped:", *SKIPPED, sep="\n  ")


main()
