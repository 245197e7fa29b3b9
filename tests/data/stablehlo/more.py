"""Further cases of `generate.py`: every element type, special values, the functions of chlo, collectives, and whole transformations."""

from types import SimpleNamespace

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

bf16 = ml_dtypes.bfloat16
# NaN, zeros, infinities, the smallest normal number (XLA takes subnormal ones as 0), halves, and large numbers.
SPECIAL = [np.nan, 0.0, -0.0, np.inf, -np.inf, 1.1754944e-38, 2e-38, 0.5, -0.5, 1.5, -2.5, 1.0, -1.0, 3e38, 7.25]
FLOATS = [np.float32, bf16, np.float16]


def special(dtype=np.float32):
    with np.errstate(over="ignore", invalid="ignore"):
        return np.array(SPECIAL, np.float32).astype(dtype)


def complex_special():
    parts = [np.nan, 0.0, -0.0, np.inf, -np.inf, 1.5, -2.0]
    return np.array([complex(a, b) for a in parts for b in parts], np.complex64)


def parts(g: SimpleNamespace):
    case, f32, ints, c64, lax_, jnp_, jax_ = g.case, g.f32, g.ints, g.c64, g.lax, g.jnp, g.jax
    key = np.array([3, 42], np.uint32)
    wrap = jax.random.wrap_key_data

    def special_values():
        for name in ["abs", "neg", "sign", "floor", "ceil", "exp", "exp2", "expm1", "log", "log1p", "sqrt", "rsqrt", "cbrt", "sin", "cos", "tan", "tanh", "sinh",
                     "cosh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "erf", "erfc", "erf_inv", "lgamma", "digamma", "logistic", "is_finite", "square",
                     "bessel_i0e", "bessel_i1e", "round"]:
            for t in FLOATS:
                tol = {np.float32: 2e-5, bf16: 3e-2, np.float16: 4e-3}[t]
                values = special(t)
                if name in ("sin", "cos", "tan", "digamma"):
                    values = np.where(np.abs(values.astype(np.float32)) > 1e5, 2, values).astype(t)
                case("special", f"{name}_{np.dtype(t).name}", getattr(lax_, name), values, tol=tol)
        for name in ["add", "sub", "mul", "div", "rem", "max", "min", "pow", "atan2", "nextafter", "eq", "lt", "ne", "ge"]:
            a, b = [m.reshape(-1).astype(np.float32) for m in np.meshgrid([np.nan, 0.0, -0.0, np.inf, -np.inf, 1.5, -2.0], [np.nan, 0.0, -0.0, np.inf, -np.inf, 1.5, -2.0])]
            case("special", f"{name}_pairs", getattr(lax_, name), a, b)
        for name in ["igamma", "igammac", "zeta", "polygamma"]:
            case("special", f"{name}_more", getattr(lax_, name), np.array([0.5, 1, 2, 3, 5, np.nan], np.float32), np.array([0.3, 1.5, 7, 0.1, 2, 1], np.float32), tol=2e-4)
        case("special", "zeta_poles", lax_.zeta, np.array([1, 2, 3, 0.5, 2.5, 2, 3], np.float32), np.array([2, 0, -1, 2, -1.5, -2, 0.5], np.float32), tol=2e-4)
        case("special", "polygamma_poles", lax_.polygamma, np.array([0, 1, 1.5, -1, 2, 1, 0], np.float32), np.array([0, -1, 2, 2, 0.5, -1.5, -1.5], np.float32), tol=2e-3)
        for name in ["lgamma", "digamma", "erf_inv", "erfc", "bessel_i1e"]:
            case("special", name + "_range", getattr(lax_, name), np.linspace(-0.99, 0.99, 15).astype(np.float32), tol=1e-4)
            case("special", name + "_range_f64", getattr(lax_, name), np.linspace(-0.99, 0.99, 15), x64=True, tol=1e-10)
            case("special", name + "_far", getattr(lax_, name), np.array([-9.5, -3.25, -1.2, 1.2, 3, 8, 9, 12, 30, 100], np.float32), tol=1e-4)
        for t in [bf16, np.float16]:
            case("special", f"nextafter_{np.dtype(t).name}", lax_.nextafter, np.array([0, 1, -1, 2, 0, np.inf, np.nan], t), np.array([1, 2, 0, 2, -1, 0, 1], t), tol=0)
        for name in ["sort", "argsort", "argmax", "argmin", "max", "min", "cumsum", "sum", "prod", "isnan", "nan_to_num", "sign", "round", "nansum", "nanmax", "trunc", "unique_counts"]:
            if name != "unique_counts":
                case("special", "jnp_" + name, getattr(jnp_, name), special())
        for t in [np.int32, np.uint8, np.int8]:
            case("special", f"convert_{np.dtype(t).name}", lambda x: lax.convert_element_type(x, t), special())
        case("special", "subnormals", lambda x: (x[::-1], x.reshape(2, 2).T, lax.bitcast_convert_type(x, np.uint32), jnp.concatenate([x, x]), x + np.array([1e-44, 3e-39, 1, 1], np.float32)),
             np.array([1e-40, -1e-44, 1.5e-38, 0], np.float32), tol=1e-37)

    def complexes():
        for name in ["abs", "neg", "exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "sin", "cos", "tan", "tanh", "sinh", "cosh", "asin", "acos", "atan", "asinh",
                     "acosh", "atanh", "sign", "square", "logistic", "conj", "real", "imag", "cbrt"]:
            case("complex", name, getattr(lax_, name), c64(6), tol=1e-4)
        for name in ["abs", "exp", "log", "sqrt", "tanh", "asinh", "acosh", "log1p", "expm1"]:
            case("complex", name + "_c128", getattr(lax_, name), c64(4, dtype=np.complex128), x64=True, tol=1e-9)
        for name in ["add", "sub", "mul", "div", "eq", "ne", "pow"]:
            case("complex", name + "_pairs", getattr(lax_, name), c64(5), c64(5), tol=1e-4)
        case("complex", "mul_special", lambda x: x * x[::-1], complex_special()[:9])
        case("complex", "abs_special", lax_.abs, complex_special())
        for name in ["sum", "prod", "mean", "cumsum", "cumprod", "sort", "angle", "round", "isnan", "isfinite"]:
            case("complex", "jnp_" + name, getattr(jnp_, name), c64(5), tol=1e-4)
        case("complex", "dot_general", lambda a, b: jnp.einsum("ij,jk->ik", a, b), c64(2, 3), c64(3, 2), tol=1e-4)
        case("complex", "conv", lambda x, k: lax.conv(x, k, (1, 1), "VALID"), c64(1, 1, 3, 3), c64(1, 1, 2, 2), tol=1e-4)
        case("complex", "select", lambda p, a, b: jnp.where(p, a, b), np.array([True, False, True]), c64(3), c64(3))
        case("complex", "grad", jax.grad(lambda x: jnp.sum(jnp.abs(jnp.exp(1j * x)) + jnp.real(jnp.sin(1j * x)))), f32(3), tol=1e-4)

    def types():
        for t in [np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32, bf16, np.float16, np.float32]:
            n = np.dtype(t).name
            a, b = (ints(5, lo=0, dtype=t), ints(5, lo=1, dtype=t)) if np.dtype(t).kind in "iu" else (f32(5, dtype=t), f32(5, lo=0.5, dtype=t))
            tol = {"bfloat16": 3e-2, "float16": 4e-3}.get(n)
            case("types", f"arithmetic_{n}", lambda a, b: (a + b, a - b, a * b, lax.div(a, b), lax.rem(a, b), lax.max(a, b), lax.min(a, b)), a, b, tol=tol)
            case("types", f"compare_{n}", lambda a, b: (a == b, a != b, a < b, a <= b, a > b, a >= b), a, b)
            case("types", f"reduce_{n}", lambda a: (jnp.sum(a), jnp.max(a), jnp.min(a), jnp.prod(a[:2]), jnp.argmax(a), jnp.sort(a), jnp.cumsum(a)), a, tol=tol)
            case("types", f"window_{n}", lambda a: lax.reduce_window(a, np.zeros((), t), lax.add, (2,), (1,), "SAME"), a, tol=tol)
            case("types", f"dot_{n}", lambda a, b: lax.dot_general(a, b, (((0,), (0,)), ((), ()))), a, b, tol=tol)
            case("types", f"gather_{n}", lambda a, i: (a[i], a.at[i].add(a[:2]), a.at[i].set(0), jnp.take(a, i)), a, np.array([3, 1], np.int32), tol=tol)
            case("types", f"update_{n}", lambda a, i: lax.dynamic_update_slice(a, a[:2], (i,)), a, np.int32(4))
            case("types", f"pad_{n}", lambda a: (lax.pad(a, np.ones((), t), ((1, -1, 2),)), jnp.flip(a), jnp.tile(a, 2)), a)
            case("types", f"iota_{n}", lambda a: a + lax.iota(t, 5), a, tol=tol)
            case("types", f"clamp_{n}", lambda a: lax.clamp(np.ones((), t), a, np.full((), 3, t)), a)
            case("types", f"top_k_{n}", lambda a: lax.top_k(a, 2), a)
            if np.dtype(t).kind in "iu":
                case("types", f"bits_{n}", lambda a, b: (a & b, a | b, a ^ b, ~a, lax.population_count(a), lax.clz(a), lax.shift_left(a, b), lax.shift_right_logical(a, b),
                                                       lax.shift_right_arithmetic(a, b)), a, ints(5, lo=0, hi=7, dtype=t))
                case("types", f"power_{n}", lambda a: lax.integer_pow(a, 3), a)
                case("types", f"overflow_{n}", lambda a: (a * a, a + a, -a, jnp.abs(a), lax.div(a, jnp.zeros_like(a)), lax.rem(a, jnp.zeros_like(a))), np.array([np.iinfo(t).min, np.iinfo(t).max, 3], t))
        for name in ["float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float8_e5m2fnuz", "float8_e4m3fnuz", "float8_e4m3", "float8_e3m4", "float8_e8m0fnu", "float4_e2m1fn",
                     "int4", "uint4", "int2", "uint2"]:
            t = getattr(jnp, name, None)
            if t is None:
                continue
            low = 0 if name.startswith("u") or "e8m0" in name else -6
            case("types", "from_" + name, lambda x: x.astype(t).astype(jnp.float32), f32(8, lo=low, hi=6), tol=0)
            if "e8m0" not in name:  # has no 0
                case("types", "constant_" + name, lambda x: jnp.array([0, 1, 1, 0], t).astype(jnp.float32) + x, f32(4))
            case("types", "splat_" + name, lambda x: jnp.full((4,), 1, t).astype(jnp.float32) + x, f32(4))
            case("types", "dot_" + name, lambda x: lax.dot_general(x.astype(t), x.astype(t), (((0,), (0,)), ((), ())), preferred_element_type=jnp.float32), f32(4, lo=0, hi=2), tol=1e-5)
            case("types", "add_" + name, lambda x: (x.astype(t) + x.astype(t)).astype(jnp.float32), f32(4, lo=0, hi=2), tol=0.2)
        for t in [np.int64, np.uint64, np.float64]:
            case("types", f"wide_{np.dtype(t).name}", lambda a: (a + a, a * a, jnp.sum(a), jnp.sort(a), a.astype(np.float32), a.astype(np.int32)), np.array([3, 1, 2], t), x64=True)

    def shapes():
        for shape in [(), (0,), (1,), (0, 3), (2, 0), (1, 1), (1, 3, 1)]:
            n = "x".join(map(str, shape)) or "rank0"
            case("shapes", f"elementwise_{n}", lambda x: (x + 1, jnp.exp(x), -x, x > 0, jnp.where(x > 0, x, 0)), f32(*shape))
            case("shapes", f"reduce_{n}", lambda x: (jnp.sum(x), jnp.prod(x), jnp.all(x > 0)), f32(*shape))
            case("shapes", f"reshape_{n}", lambda x: (x.reshape(-1), x[None], x.T, x.ravel().reshape(shape)), f32(*shape))
            case("shapes", f"concat_{n}", lambda x: jnp.concatenate([x[None], x[None]]), f32(*shape))
            case("shapes", f"dot_{n}", lambda x: jnp.tensordot(x, x, axes=len(shape)), f32(*shape))
            case("shapes", f"broadcast_{n}", lambda x: jnp.broadcast_to(x, (2, *shape)), f32(*shape))
            case("shapes", f"sort_{n}", lambda x: jnp.sort(x.reshape(-1)), f32(*shape))
            case("shapes", f"grad_{n}", jax.grad(lambda x: jnp.sum(jnp.sin(x) * x)), f32(*shape))
            case("shapes", f"constant_{n}", lambda x: (x, jnp.zeros(shape), jnp.ones(shape, np.int32), jnp.asarray(np.full(shape, 2.5, np.float32))), f32(2))
            case("shapes", f"scan_{n}", lambda x: lax.scan(lambda c, y: (c + 1, y * 2), 0, x.reshape(-1)), f32(*shape))
            case("shapes", f"fori_{n}", lambda x: lax.fori_loop(0, 3, lambda i, y: y * 2 + i, x), f32(*shape))
            case("shapes", f"cond_{n}", lambda p, x: lax.cond(p, lambda y: y + 1, lambda y: y * 2, x), np.bool_(True), f32(*shape))
        case("shapes", "rank8", lambda x: (x.transpose(7, 6, 5, 4, 3, 2, 1, 0), x.sum((1, 3))), f32(1, 2, 1, 2, 1, 2, 1, 1))
        case("shapes", "no_results", lambda x: (), f32(2))
        case("shapes", "nested_results", lambda x: {"a": x, "b": (x + 1, [x * 2])}, f32(2))
        case("shapes", "same_twice", lambda x: (x, x), f32(2))
        case("shapes", "gather_empty", lambda x, i: x[i], f32(3, 2), np.zeros((0,), np.int32))
        case("shapes", "scatter_empty", lambda x, i: x.at[i].add(1.0), f32(3), np.zeros((0,), np.int32))
        case("shapes", "conv_empty", lambda x, k: lax.conv(x, k, (1, 1), "VALID"), f32(0, 1, 3, 3), f32(1, 1, 2, 2))
        case("shapes", "pad_empty", lambda x: lax.pad(x, 1.0, ((2, 1, 0),)), f32(0))
        case("shapes", "while_no_state", lambda x: lax.while_loop(lambda s: False, lambda s: s, ()), f32(2))

    def libraries():
        sp = jax.scipy.special
        for name in ["erf", "erfc", "erfinv", "expit", "logit", "gammaln", "digamma", "i0", "i0e", "i1", "i1e", "ndtr", "ndtri", "log_ndtr", "entr", "xlogy", "xlog1py", "gamma",
                     "exp1", "expi", "factorial", "spence", "loggamma", "poch", "rel_entr", "kl_div", "multigammaln", "betaln", "beta", "sinc", "log_softmax", "softmax", "fresnel", "wofz", "hyp1f1"]:
            f = getattr(sp, name, None)
            if f is None:
                continue
            x = f32(5, lo=0.1, hi=0.9)
            many = {"xlogy": 2, "xlog1py": 2, "poch": 2, "rel_entr": 2, "kl_div": 2, "betaln": 2, "beta": 2}.get(name, 1)
            if name == "multigammaln":
                case("libraries", "scipy_" + name, lambda x: f(x + 3, 2), x, tol=1e-3)
            elif name == "hyp1f1":
                case("libraries", "scipy_" + name, lambda x: f(1.5, 2.5, x), x, tol=1e-3)
            else:
                case("libraries", "scipy_" + name, f, *[x] * many, tol=1e-3)
        stats = jax.scipy.stats
        for name in ["norm", "cauchy", "expon", "laplace", "logistic", "uniform", "t", "gamma", "beta", "chi2", "pareto", "poisson", "geom", "bernoulli", "gumbel_r"]:
            m = getattr(stats, name, None)
            if m is None:
                continue
            extra = {"t": (3.0,), "gamma": (2.0,), "beta": (2.0, 3.0), "chi2": (3.0,), "pareto": (2.0,), "poisson": (2.0,), "geom": (0.5,), "bernoulli": (0.4,)}.get(name, ())
            density = getattr(m, "logpdf", None) or m.logpmf
            x = np.array([1, 0, 1], np.int32) if name in ("bernoulli", "poisson", "geom") else f32(4, lo=0.1, hi=0.9)
            case("libraries", "stats_" + name, lambda x: density(x, *extra), x, tol=1e-3)
            if name in ("norm", "cauchy", "laplace", "logistic", "expon", "gamma"):
                case("libraries", "cdf_" + name, lambda x: m.cdf(x, *extra), x, tol=1e-3)
        for name in ["relu", "relu6", "sigmoid", "softplus", "sparse_plus", "soft_sign", "silu", "log_sigmoid", "leaky_relu", "hard_sigmoid", "hard_silu", "hard_tanh", "tanh", "elu", "celu",
                     "selu", "gelu", "glu", "squareplus", "mish", "softmax", "log_softmax", "logsumexp", "standardize", "identity"]:
            f = getattr(jax.nn, name, None)
            if f is None:
                continue
            case("libraries", "nn_" + name, f, f32(6), tol=1e-4)
            case("libraries", "nn_grad_" + name, jax.grad(lambda x: jnp.sum(f(x) ** 2)), f32(6), tol=1e-3)
        case("libraries", "nn_one_hot", lambda i: jax.nn.one_hot(i, 4), np.array([0, 3, 5], np.int32))
        for name in ["sinc", "i0", "cbrt", "exp2", "log2", "log10", "deg2rad", "rad2deg", "fabs", "positive", "reciprocal", "signbit", "spacing", "frexp", "modf", "fix", "rint", "nan_to_num", "ptp",
                     "diff", "ediff1d", "gradient", "cov", "corrcoef", "unwrap", "nanmean", "nanstd", "average", "isreal", "argwhere_", "count_nonzero", "tri_", "diagflat", "atleast_3d", "sort_complex_",
                     "fliplr_", "packbits_", "vander", "poly_", "roots_", "hanning_", "logspace_", "mgrid_"]:
            f = getattr(jnp, name, None)
            if f is not None:
                case("libraries", "jnp_" + name, f, f32(5, lo=0.2), tol=1e-4)
        for name in ["logaddexp2", "copysign", "ldexp", "float_power", "fmod", "fmax", "fmin", "nextafter", "hypot", "arctan2", "divmod", "gcd", "lcm", "bitwise_count", "left_shift", "isclose", "interp",
                     "polyval", "polyadd", "polymul", "convolve", "inner", "vdot", "cross", "searchsorted", "digitize", "isin", "intersect1d_", "union1d_", "setdiff1d_", "array_equal", "allclose", "remainder"]:
            f = getattr(jnp, name, None)
            if f is None:
                continue
            whole = name in ("gcd", "lcm", "left_shift")
            a, b = (ints(3, lo=1), ints(3, lo=1)) if whole else (f32(3, lo=0.2), np.sort(f32(3, lo=0.2)))
            if name == "bitwise_count":
                case("libraries", "jnp_" + name, f, ints(3))
            elif name == "ldexp":
                case("libraries", "jnp_" + name, f, a, ints(3))
            elif name == "interp":
                case("libraries", "jnp_" + name, lambda x, y: jnp.interp(x, y, y * 2), a, b)
            elif name in ("searchsorted", "digitize"):
                case("libraries", "jnp_" + name, lambda x, y: f(y, x) if name == "searchsorted" else f(x, y), a, b)
            else:
                case("libraries", "jnp_" + name, f, a, b, tol=1e-4)
        case("libraries", "packbits", jnp.packbits, np.array([1, 0, 1, 1, 0, 0, 1, 0, 1], np.uint8))
        case("libraries", "unpackbits", jnp.unpackbits, np.array([3, 200], np.uint8))
        case("libraries", "percentile", lambda x: jnp.percentile(x, 30.0), f32(7))
        case("libraries", "quantile_nan", lambda x: jnp.nanquantile(x, 0.4), f32(7))
        case("libraries", "lexsort", lambda a, b: jnp.lexsort((a, b)), ints(5), ints(5))
        case("libraries", "partition", lambda x: jnp.partition(x, 2), f32(6))
        case("libraries", "unique", lambda x: jnp.unique(x, size=4, fill_value=0), ints(6, lo=0, hi=3))
        case("libraries", "nonzero", lambda x: jnp.nonzero(x, size=4), ints(6, lo=0, hi=2))
        case("libraries", "where_indices", lambda x: jnp.where(x > 0, size=4, fill_value=-1), f32(6))
        case("libraries", "choose", lambda i, x: jnp.choose(i, [x, x * 2, x * 3], mode="clip"), np.array([0, 2, 1], np.int32), f32(3))
        case("libraries", "select_list", lambda x: jnp.select([x > 1, x > 0], [x, x * 2], 0.0), f32(5))
        case("libraries", "piecewise", lambda x: jnp.piecewise(x, [x < 0, x >= 0], [lambda v: -v, lambda v: v * 2]), f32(4))
        case("libraries", "apply_along_axis", lambda x: jnp.apply_along_axis(lambda r: r.sum() * r, 0, x), f32(2, 3))
        case("libraries", "image_linear", lambda x: jax.image.resize(x, (5, 3), "linear"), f32(3, 4), tol=1e-4)
        case("libraries", "image_nearest", lambda x: jax.image.resize(x, (5, 3), "nearest"), f32(3, 4))
        case("libraries", "image_cubic", lambda x: jax.image.resize(x, (5, 3), "cubic"), f32(3, 4), tol=1e-4)
        case("libraries", "image_lanczos", lambda x: jax.image.resize(x, (5, 3), "lanczos3"), f32(3, 4), tol=1e-4)
        case("libraries", "map_coordinates", lambda x, c: jax.scipy.ndimage.map_coordinates(x, [c, c], order=1), f32(3, 3), f32(4, lo=0), tol=1e-4)
        case("libraries", "convolve2d", lambda a, b: jax.scipy.signal.convolve2d(a, b), f32(3, 3), f32(2, 2), tol=1e-4)
        case("libraries", "stft", lambda x: jax.scipy.signal.stft(x, nperseg=4)[2], f32(12), tol=1e-4)
        case("libraries", "bessel_jn", lambda x: jax.scipy.special.bessel_jn(x, v=2, n_iter=20), f32(3, lo=0.5), tol=1e-3)
        case("libraries", "sph_harm", lambda x: jax.scipy.special.lpmn_values(2, 2, x, False) if hasattr(jax.scipy.special, "lpmn_values") else x, f32(3, lo=0.1, hi=0.9), tol=1e-3)

    def randoms():
        for name, args in dict(beta=(1.5, 2.0), cauchy=(), chisquare=(3.0,), dirichlet=(np.ones(3, np.float32),), double_sided_maxwell=(0.0, 1.0), f=(2.0, 3.0), gamma=(1.5,), generalized_normal=(1.5,),
                               geometric=(0.4,), laplace=(), loggamma=(1.5,), logistic=(), lognormal=(), maxwell=(), pareto=(2.0,), poisson=(2.0,), rademacher=(), rayleigh=(1.5,), t=(3.0,),
                               triangular=(0.0, 0.5, 1.0), truncated_normal=(-1.0, 1.0), wald=(1.5,), weibull_min=(1.0, 2.0), binomial=(5.0, 0.4), multivariate_normal=(np.zeros(2, np.float32), np.eye(2, dtype=np.float32)),
                               ball=(2,), orthogonal=(2,)).items():
            f = getattr(jax.random, name, None)
            if f is None:
                continue
            shape = {} if name in ("orthogonal",) else {"shape": (3,)}
            case("randoms", name, lambda k: f(wrap(k), *args, **shape), key, tol=2e-3)
        for impl, size in [("rbg", 4), ("unsafe_rbg", 4), ("threefry2x32", 2)]:
            k = np.arange(1, size + 1, dtype=np.uint32)
            w = lambda k: jax.random.wrap_key_data(k, impl=impl)
            case("randoms", f"{impl}_bits", lambda k: jax.random.bits(w(k), (5,)), k)
            case("randoms", f"{impl}_uniform", lambda k: jax.random.uniform(w(k), (4,)), k)
            case("randoms", f"{impl}_normal", lambda k: jax.random.normal(w(k), (3,)), k, tol=1e-4)
            case("randoms", f"{impl}_split", lambda k: jax.random.key_data(jax.random.split(w(k), 3)), k)
            case("randoms", f"{impl}_fold", lambda k: jax.random.key_data(jax.random.fold_in(w(k), 9)), k)
            case("randoms", f"{impl}_ints", lambda k: jax.random.randint(w(k), (4,), -5, 5), k)
            case("randoms", f"{impl}_bits8", lambda k: jax.random.bits(w(k), (5,), np.uint8), k)
            case("randoms", f"{impl}_bits16", lambda k: jax.random.bits(w(k), (5,), np.uint16), k)
        for t in [bf16, np.float16]:
            case("randoms", f"uniform_{np.dtype(t).name}", lambda k: jax.random.uniform(wrap(k), (4,), t), key)
            case("randoms", f"normal_{np.dtype(t).name}", lambda k: jax.random.normal(wrap(k), (4,), t), key)
        case("randoms", "normal_f64", lambda k: jax.random.normal(wrap(k), (4,), np.float64), key, x64=True, tol=1e-9)
        case("randoms", "normal_c64", lambda k: jax.random.normal(wrap(k), (3,), np.complex64), key, tol=1e-4)
        case("randoms", "choice", lambda k, x: jax.random.choice(wrap(k), x, (3,), replace=False), key, f32(5))
        case("randoms", "choice_weights", lambda k, x: jax.random.choice(wrap(k), x, (3,), p=np.array([0.1, 0.2, 0.3, 0.2, 0.2], np.float32)), key, f32(5))
        case("randoms", "permutation_array", lambda k, x: jax.random.permutation(wrap(k), x), key, f32(4, 2))
        case("randoms", "dropout", lambda k, x: jnp.where(jax.random.bernoulli(wrap(k), 0.5, x.shape), x * 2, 0), key, f32(6))
        for t in [np.uint8, np.uint16, np.uint32]:
            for algorithm in ["RNG_DEFAULT", "RNG_PHILOX", "RNG_THREE_FRY"]:
                case("randoms", f"generator_{np.dtype(t).name}_{algorithm}", lambda k: lax.rng_bit_generator(k, (2, 3), dtype=t, algorithm=getattr(lax.RandomAlgorithm, algorithm)),
                     np.array([1, 2, 3, 4], np.uint32))
        case("randoms", "generator_u64", lambda k: lax.rng_bit_generator(k, (3,), dtype=np.uint64, algorithm=lax.RandomAlgorithm.RNG_PHILOX), np.array([5, 7, 9], np.uint64), x64=True)

    def windows():
        for pad in ["SAME", "VALID", ((2, 1), (0, 3))]:
            for strides in [(1, 1), (2, 3)]:
                n = f"{pad if isinstance(pad, str) else 'pads'}_{strides[0]}"
                case("windows", "max_" + n, lambda x: lax.reduce_window(x, -np.float32(np.inf), lax.max, (2, 3), strides, pad), f32(5, 6))
                case("windows", "add_" + n, lambda x: lax.reduce_window(x, np.float32(0), lax.add, (2, 3), strides, pad), f32(5, 6))
                case("windows", "grad_max_" + n, jax.grad(lambda x: jnp.sum(lax.reduce_window(x, -np.float32(np.inf), lax.max, (2, 3), strides, pad) ** 2)), f32(5, 6), tol=1e-4)
                case("windows", "conv_" + n, lambda x, k: lax.conv_general_dilated(x[None, None], k[None, None], strides, pad), f32(5, 6), f32(2, 3), tol=1e-4)
        case("windows", "select_and_gather", lambda x, t: jax.jvp(lambda x: lax.reduce_window(x, -np.float32(np.inf), lax.max, (2,), (1,), "VALID"), (x,), (t,)), f32(6), f32(6))
        case("windows", "reduce_window_jvp", lambda x, t: jax.jvp(lambda x: lax.reduce_window(x, np.float32(0), lax.add, (2, 2), (1, 1), "SAME"), (x,), (t,)), f32(3, 3), f32(3, 3))
        for name in ["mul", "max", "min", "bitwise_and", "bitwise_or", "bitwise_xor"]:
            whole = "bitwise" in name
            x = ints(6) if whole else f32(6)
            init = {"mul": 1, "max": -np.inf, "min": np.inf, "bitwise_and": -1}.get(name, 0)
            case("windows", "op_" + name, lambda x: lax.reduce_window(x, x.dtype.type(init), getattr(lax, name), (3,), (1,), "SAME"), x)
        case("windows", "and_pred", lambda x: lax.reduce_window(x > 0, np.bool_(True), lax.bitwise_and, (3,), (1,), "VALID"), f32(6))
        for dims in [("NHWC", "HWIO", "NHWC"), ("NCHW", "OIHW", "NCHW"), ("NHWC", "OHWI", "NHWC"), ("HWNC", "HWIO", "HWNC"), ("CHWN", "IHWO", "CHWN")]:
            lhs, rhs = dict(N=2, H=4, W=5, C=2), dict(O=4, I=2, H=2, W=3)
            x, k = f32(*[lhs[c] for c in dims[0]]), f32(*[rhs[c] for c in dims[1]])
            case("windows", "conv_" + "_".join(dims), lambda x, k: lax.conv_general_dilated(x, k, (1, 2), "SAME", dimension_numbers=dims), x, k, tol=1e-4)
            case("windows", "conv_grad_" + "_".join(dims), jax.grad(lambda x, k: jnp.sum(lax.conv_general_dilated(x, k, (1, 2), "SAME", dimension_numbers=dims) ** 2), argnums=(0, 1)), x, k, tol=1e-3)
        case("windows", "conv_vmap", jax.vmap(lambda x, k: lax.conv(x, k, (1,), "VALID") if False else lax.conv_general_dilated(x, k, (1,), "VALID")), f32(2, 1, 1, 5), f32(2, 1, 1, 2), tol=1e-4)
        case("windows", "conv_transpose_valid", lambda x, k: lax.conv_transpose(x, k, (2,), "VALID", rhs_dilation=(2,), transpose_kernel=True), f32(1, 4, 2), f32(2, 3, 2), tol=1e-4)
        case("windows", "conv_f16", lambda x, k: lax.conv_general_dilated(x, k, (1,), "VALID"), f32(1, 1, 5, dtype=np.float16), f32(1, 1, 2, dtype=np.float16))
        case("windows", "conv_preferred", lambda x, k: lax.conv_general_dilated(x, k, (1,), "VALID", preferred_element_type=jnp.float32), f32(1, 1, 5, dtype=bf16), f32(1, 1, 2, dtype=bf16), tol=1e-3)
        case("windows", "batch_norm", lambda x: (lambda m, v: (x - m) / jnp.sqrt(v + 1e-5))(x.mean(0), x.var(0)), f32(3, 2), tol=1e-4)
        for kind in ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2", "fftn", "rfftn", "irfftn", "fftshift"]:
            f = getattr(jnp.fft, kind)
            x = f32(4, 6) if kind in ("rfft", "rfft2", "rfftn", "ihfft") else c64(4, 6)
            case("windows", "transform_" + kind, f, x, tol=1e-3)
        case("windows", "fft_grad", jax.grad(lambda x: jnp.sum(jnp.abs(jnp.fft.rfft(x)) ** 2)), f32(6), tol=1e-3)
        case("windows", "fft_f64", jnp.fft.fft, c64(5, dtype=np.complex128), x64=True)

    def scatters():
        for name in ["add", "set", "multiply", "min", "max"]:
            for mode in ["clip", "drop", "promise_in_bounds", "fill"]:
                indices = np.array([1, 0, 3, 1], np.int32) if mode == "promise_in_bounds" else np.array([1, -1, 9, 1], np.int32)
                unique = {"unique_indices": False}
                updates = f32(4, 2) if name != "set" else np.broadcast_to(f32(1, 2), (4, 2)).copy()
                case("scatters", f"{name}_{mode}", lambda x, i, u: getattr(x.at[i], name)(u, mode=mode, **unique), f32(4, 2), indices, updates)
        for mode in ["clip", "fill", "promise_in_bounds", "wrap"]:
            indices = np.array([[1, 0], [3, 1]], np.int32) if mode == "promise_in_bounds" else np.array([[1, -1], [9, 1]], np.int32)
            if mode != "wrap":
                case("scatters", f"gather_{mode}", lambda x, i: x.at[i].get(mode=mode), f32(4, 2), indices)
                case("scatters", f"gather_grad_{mode}", jax.grad(lambda x, i: jnp.sum(x.at[i].get(mode=mode) ** 2)), f32(4, 2), indices)
            case("scatters", f"take_{mode}", lambda x, i: jnp.take(x, i, axis=1, mode=mode) if mode != "promise_in_bounds" else x, f32(2, 4), indices)
        case("scatters", "apply", lambda x, i: x.at[i].apply(jnp.sin), f32(5), np.array([1, 3], np.int32))
        case("scatters", "power", lambda x, i: x.at[i].power(2.0), f32(5, lo=0.1), np.array([1, 3], np.int32))
        case("scatters", "divide", lambda x, i: x.at[i].divide(2.0), f32(5), np.array([1, 3], np.int32))
        case("scatters", "slices", lambda x, i: x.at[:, i].set(7.0), f32(3, 4), np.array([2, 0], np.int32))
        case("scatters", "two_lists", lambda x, i, j: x.at[i, j].add(1.0), f32(3, 4), np.array([2, 0], np.int32), np.array([1, 3], np.int32))
        case("scatters", "broadcast_lists", lambda x, i, j: x[i[:, None], j[None, :]], f32(3, 4), np.array([2, 0], np.int32), np.array([1, 3], np.int32))
        case("scatters", "mask", lambda x: jnp.where(jnp.zeros_like(x, bool).at[1:3].set(True), x, 0), f32(5))
        case("scatters", "strided", lambda x: (x[::2], x[::-1, 1:], x[..., -1], x[1:2, None]), f32(4, 3))
        case("scatters", "strided_set", lambda x: x.at[::2, 1:].set(0.5), f32(4, 3))
        case("scatters", "vmap_gather", jax.vmap(lambda x, i: x[i]), f32(3, 4), np.array([0, 3, 2], np.int32))
        case("scatters", "vmap_scatter", jax.vmap(lambda x, i: x.at[i].add(1.0)), f32(3, 4), np.array([0, 3, 2], np.int32))
        case("scatters", "vmap_slice", jax.vmap(lambda x, i: lax.dynamic_slice(x, (i,), (2,))), f32(3, 4), np.array([0, 3, 2], np.int32))
        case("scatters", "vmap_update", jax.vmap(lambda x, i: lax.dynamic_update_slice(x, x[:1] * 2, (i,))), f32(3, 4), np.array([0, 3, 2], np.int32))
        case("scatters", "take_along", lambda x, i: jnp.take_along_axis(x, i, 0), f32(3, 2), np.array([[0, 2]], np.int32))
        case("scatters", "put_along", lambda x, i: jnp.put_along_axis(x, i, 5.0, 0, inplace=False) if hasattr(jnp, "put_along_axis") else x, f32(3, 2), np.array([[0, 2]], np.int32))
        case("scatters", "segment_sum", lambda x, i: jax.ops.segment_sum(x, i, 3), f32(5, 2), np.array([0, 2, 1, 0, 2], np.int32))
        case("scatters", "segment_max", lambda x, i: jax.ops.segment_max(x, i, 4), f32(5), np.array([0, 2, 1, 0, 2], np.int32))
        case("scatters", "segment_prod", lambda x, i: jax.ops.segment_prod(x, i, 3), f32(5), np.array([0, 2, 1, 0, 2], np.int32))
        case("scatters", "scatter_in_dim", lambda x, i, u: lax.scatter_add(x, i, u, lax.ScatterDimensionNumbers((1,), (0,), (0,))), f32(4, 2), np.array([[1], [3]], np.int32), f32(2, 2))
        case("scatters", "gather_sorted", lambda x, i: x.at[i].get(indices_are_sorted=True, unique_indices=True), f32(4), np.array([1, 3], np.int32))
        for name in ["uint8", "uint32", "int64"]:
            case("scatters", "index_" + name, lambda x, i: x[i], f32(4), np.array([1, 3], name), x64=name == "int64")
        for k in [1, 3]:
            case("scatters", f"top_k_{k}", lambda x: lax.top_k(x, k), f32(2, 5))
        case("scatters", "top_k_nan", lambda x: lax.top_k(x, 4), special())
        case("scatters", "top_k_grad", jax.grad(lambda x: jnp.sum(lax.top_k(x, 2)[0] ** 2)), f32(5))
        case("scatters", "approx_max_k", lambda x: lax.approx_max_k(x, 2), f32(8))
        case("scatters", "sort_multi", lambda a, b, c: lax.sort((a, b, c), num_keys=2), ints(6, lo=0, hi=2), ints(6, lo=0, hi=2), f32(6))
        case("scatters", "sort_descending", lambda x: jnp.sort(x, descending=True), f32(5))
        case("scatters", "sort_unstable", lambda x: lax.sort(x, is_stable=False), f32(5))
        case("scatters", "sort_grad", jax.grad(lambda x: jnp.sum(jnp.sort(x) * np.arange(5))), f32(5))
        case("scatters", "argsort_axis", lambda x: jnp.argsort(x, axis=0), f32(4, 2))

    def transformations():
        f = lambda x: jnp.sum(jnp.sin(x) * jnp.exp(-x ** 2))
        case("transformations", "value_and_grad", jax.value_and_grad(f), f32(4))
        case("transformations", "jvp", lambda x, t: jax.jvp(f, (x,), (t,)), f32(4), f32(4))
        case("transformations", "vjp", lambda x: jax.vjp(jnp.sin, x)[1](x), f32(4))
        case("transformations", "hessian", jax.hessian(f), f32(3), tol=1e-4)
        case("transformations", "jacrev", jax.jacrev(lambda x: jnp.outer(x, x)), f32(2), tol=1e-4)
        case("transformations", "linearize", lambda x: jax.linearize(jnp.tanh, x)[1](x), f32(3))
        case("transformations", "vmap_grad", jax.vmap(jax.grad(f)), f32(3, 2))
        case("transformations", "vmap_axes", jax.vmap(lambda a, b: a @ b, in_axes=(0, 1), out_axes=1), f32(2, 3), f32(3, 2))
        case("transformations", "vmap_while", jax.vmap(lambda n: lax.while_loop(lambda s: s < 10, lambda s: s + n, n)), np.array([1, 3, 4], np.int32))
        case("transformations", "vmap_cond", jax.vmap(lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x)), np.array([True, False]), f32(2))
        case("transformations", "vmap_scan", jax.vmap(lambda x: lax.scan(lambda c, y: (c + y, c), 0.0, x)), f32(2, 3))
        case("transformations", "vmap_random", jax.vmap(lambda k: jax.random.uniform(wrap(k), (2,))), np.array([[1, 2], [3, 4]], np.uint32))
        case("transformations", "vmap_sort", jax.vmap(jnp.sort), f32(2, 4))
        case("transformations", "vmap_dot", jax.vmap(jnp.dot), f32(2, 3), f32(2, 3))
        case("transformations", "vmap_cholesky_free", jax.vmap(lambda a: a @ a.T), f32(2, 2, 2))
        case("transformations", "checkpoint", jax.grad(jax.checkpoint(lambda x: jnp.sum(jnp.sin(jnp.cos(x))))), f32(3))
        case("transformations", "remat_policy", jax.grad(jax.checkpoint(lambda x: jnp.sum(jnp.sin(x @ x)), policy=jax.checkpoint_policies.dots_saveable)), f32(2, 2), tol=1e-4)

        @jax.custom_vjp
        def clipped(x):
            return x * 2
        clipped.defvjp(lambda x: (x * 2, x), lambda x, g: (jnp.clip(g * x, -1, 1),))
        case("transformations", "custom_vjp", jax.grad(lambda x: jnp.sum(clipped(x) ** 2)), f32(3))
        case("transformations", "custom_root", lambda x: lax.custom_root(lambda y: y ** 2 - x, x, lambda f, y: lax.fori_loop(0, 20, lambda i, y: y - f(y) / (2 * y), y), lambda g, y: y / g(1.0)), np.float32(2))
        case("transformations", "custom_linear_solve", lambda b: lax.custom_linear_solve(lambda x: 2.0 * x, b, lambda mv, b: b / 2.0), f32(3))
        case("transformations", "cond_grad", jax.grad(lambda x, p: lax.cond(p, lambda y: y ** 2, lambda y: jnp.sin(y), x)), np.float32(1.5), np.bool_(True))
        case("transformations", "switch_grad", jax.grad(lambda x, i: lax.switch(i, [jnp.sin, jnp.cos, lambda y: y * y], x)), np.float32(1.5), np.int32(2))
        case("transformations", "switch_clamped", lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, lambda y: y * y], x), np.int32(7), f32(2))
        case("transformations", "cond_tuple", lambda p, x: lax.cond(p, lambda a, b: (a + b, a), lambda a, b: (a - b, b), x, x * 2), np.bool_(False), f32(2))
        case("transformations", "cond_captured", lambda p, x, y: lax.cond(p, lambda: x + y, lambda: x * 2), np.bool_(True), f32(2), f32(2))
        case("transformations", "nested_cond", lambda a, b, x: lax.cond(a, lambda: lax.cond(b, lambda: x, lambda: -x), lambda: x * 3), np.bool_(True), np.bool_(False), f32(2))
        case("transformations", "while_captured", lambda n, y: lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * y), (0, y)), np.int32(3), f32(2))
        case("transformations", "while_grad", jax.grad(lambda x: lax.fori_loop(0, 4, lambda i, a: jnp.sin(a) * x, x)), np.float32(0.7))
        case("transformations", "scan_pytree", lambda c, xs: lax.scan(lambda c, x: ({"a": c["a"] + x[0], "b": c["b"] * x[1]}, (c["a"], x[0])), c, xs), {"a": np.float32(1), "b": np.float32(2)}, (f32(3), f32(3)))
        case("transformations", "scan_length", lambda c: lax.scan(lambda c, _: (c * 2, c), c, None, length=4), f32(2))
        case("transformations", "scan_jvp", lambda x: jax.jvp(lambda x: lax.scan(lambda c, y: (jnp.sin(c * y), c), 1.0, x)[0], (x,), (x,)), f32(4))
        case("transformations", "scan_remat", jax.grad(lambda w, x: lax.scan(jax.checkpoint(lambda c, y: (jnp.tanh(c * w + y), None)), 0.0, x)[0]), np.float32(0.5), f32(4))
        case("transformations", "associative", lambda x: lax.associative_scan(lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (x, x)), f32(5), tol=1e-4)
        case("transformations", "map_batched", lambda x: lax.map(jnp.sin, x, batch_size=2), f32(5))
        case("transformations", "custom_jvp_nan", jax.grad(lambda x: jnp.sum(jnp.where(x > 0, jnp.sqrt(x), 0))), np.array([1.0, -1.0, 4.0], np.float32))
        case("transformations", "stop_gradient", jax.grad(lambda x: jnp.sum(lax.stop_gradient(x) * x)), f32(3))
        case("transformations", "donated", lambda x, y: x * 2 + y, f32(3), f32(3), jit=jax.jit(lambda x, y: x * 2 + y, donate_argnums=0))
        case("transformations", "inner_jit_names", lambda x: jax.jit(lambda y: jnp.cumsum(y), inline=False)(x) + jnp.clip(x, 0, 1), f32(4))
        case("transformations", "scopes", jax.named_call(lambda x: jnp.sin(x) * 2, name="my block"), f32(2), debug=True)
        case("transformations", "locations_grad", jax.grad(lambda x: jnp.sum(jax.nn.gelu(x) * jnp.where(x > 0, x, 1))), f32(3), debug=True, tol=1e-4)
        case("transformations", "locations_scan", lambda x: lax.scan(lambda c, y: (c + y, c * y), 0.0, x), f32(3), debug=True)
        case("transformations", "optimizer", lambda p, g, m: jax.tree.map(lambda p, g, m: (p - 0.1 * (0.9 * m + g), 0.9 * m + g), p, g, m), {"w": f32(2, 2), "b": f32(2)}, {"w": f32(2, 2), "b": f32(2)}, {"w": f32(2, 2), "b": f32(2)})
        case("transformations", "lstm", lambda w, h, xs: lax.scan(lambda s, x: (lambda z: ((jax.nn.sigmoid(z[0]) * s[0] + jax.nn.sigmoid(z[1]) * jnp.tanh(z[2]), jax.nn.sigmoid(z[3])), None))(jnp.split(w @ jnp.concatenate([s[1], x]), 4)), h, xs)[0],
             f32(8, 4), (f32(2), f32(2)), f32(3, 2), tol=1e-4)
        case("transformations", "kalman", lambda a, p: lax.fori_loop(0, 3, lambda i, p: a @ p @ a.T + jnp.eye(2), p), f32(2, 2), f32(2, 2), tol=1e-4)
        case("transformations", "power_iteration", lambda a, v: lax.fori_loop(0, 5, lambda i, v: (lambda w: w / jnp.linalg.norm(w))(a @ v), v), f32(3, 3), f32(3), tol=1e-3)
        case("transformations", "conjugate_gradient", lambda a, b: jax.scipy.sparse.linalg.cg(lambda x: a @ a.T @ x + x, b, maxiter=5)[0], f32(3, 3), f32(3), tol=1e-2)
        case("transformations", "ode", lambda y: __import__("jax.experimental.ode", fromlist=["odeint"]).odeint(lambda y, t: -y, y, np.linspace(0, 1, 3).astype(np.float32)), f32(2), tol=1e-3)
        case("transformations", "weights_int8", lambda x, w, s: (x @ w.astype(np.float32)) * s, f32(2, 3), ints(3, 2, dtype=np.int8), f32(2))
        case("transformations", "precision_default", lambda a, b: lax.dot(a, b, precision=(lax.Precision.HIGH, lax.Precision.HIGHEST)), f32(2, 2), f32(2, 2))
        for preset in ["BF16_BF16_F32", "F32_F32_F32", "TF32_TF32_F32", "BF16_BF16_F32_X3", "DEFAULT"]:
            case("transformations", "algorithm_" + preset, lambda a, b: lax.dot(a, b, precision=getattr(lax.DotAlgorithmPreset, preset)), f32(2, 2), f32(2, 2), tol=5e-2)

    def devices():
        from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
        shard_map = getattr(jax, "shard_map", None)
        if shard_map is None:
            from jax.experimental.shard_map import shard_map
        mesh = Mesh(np.array(jax.devices()[:4]), ("i",))
        grid = Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("a", "b"))
        one = Mesh(np.array(jax.devices()[:1]), ("i",))
        sm = lambda f, m, i, o: shard_map(f, mesh=m, in_specs=i, out_specs=o)
        x = f32(8, 4)
        case("devices", "elementwise", sm(lambda x: x * 2, mesh, P("i"), P("i")), x)
        case("devices", "psum", sm(lambda x: lax.psum(x, "i"), mesh, P("i"), P()), x)
        case("devices", "pmax", sm(lambda x: lax.pmax(x, "i"), mesh, P("i"), P()), x)
        case("devices", "pmean", sm(lambda x: lax.pmean(x, "i"), mesh, P("i"), P()), x)
        case("devices", "all_gather", sm(lambda x: lax.all_gather(x, "i"), mesh, P("i"), P("i")), x)
        case("devices", "all_gather_tiled", sm(lambda x: lax.all_gather(x, "i", tiled=True, axis=1), mesh, P("i"), P("i")), x)
        case("devices", "psum_scatter", sm(lambda x: lax.psum_scatter(x, "i", scatter_dimension=1, tiled=True), mesh, P("i"), P("i")), x)
        case("devices", "all_to_all", sm(lambda x: lax.all_to_all(x, "i", 1, 0, tiled=True), mesh, P("i"), P("i")), x)
        case("devices", "all_to_all_same", sm(lambda x: lax.all_to_all(x, "i", 1, 1, tiled=True), mesh, P("i"), P("i")), x)
        case("devices", "ppermute", sm(lambda x: lax.ppermute(x, "i", [(0, 1), (1, 2), (2, 3), (3, 0)]), mesh, P("i"), P("i")), x)
        case("devices", "ppermute_partial", sm(lambda x: lax.ppermute(x, "i", [(0, 2)]), mesh, P("i"), P("i")), x)
        case("devices", "axis_index", sm(lambda x: x + lax.axis_index("i"), mesh, P("i"), P("i")), x)
        case("devices", "grid", sm(lambda x: lax.psum(x, "a") + lax.axis_index("b"), grid, P("a", "b"), P(None, "b")), x)
        case("devices", "grid_both", sm(lambda x: lax.psum(x, ("a", "b")), grid, P("a", "b"), P()), x)
        case("devices", "grid_gather", sm(lambda x: lax.all_gather(x, "b", tiled=True), grid, P("a", "b"), P("a", None)), x) if False else None
        case("devices", "matmul", sm(lambda a, b: lax.psum(a @ b, "i"), mesh, (P(None, "i"), P("i")), P()), f32(2, 8), f32(8, 3))
        case("devices", "loop", sm(lambda x: lax.fori_loop(0, 3, lambda i, y: y * 2 + i, x), mesh, P("i"), P("i")), x)
        case("devices", "grad", jax.grad(lambda x: jnp.sum(sm(lambda x: jnp.sin(x), mesh, P("i"), P("i"))(x) ** 2)), x, tol=1e-4)
        case("devices", "one_device", sm(lambda x: lax.psum(x, "i") + lax.axis_index("i"), one, P("i"), P()), x)
        case("devices", "jit_within", sm(lambda x: jax.jit(lambda y: lax.psum(jnp.sin(y), "i"))(x), mesh, P("i"), P()), x, tol=1e-4)
        case("devices", "two_arguments", sm(lambda x, y: (lax.psum(x, "i") + y, x * y), mesh, (P("i"), P()), (P(), P("i"))), x, f32(2, 4))
        case("devices", "scan_local", sm(lambda x: lax.scan(lambda c, r: (c + r, c), x[0], x)[1], mesh, P("i"), P("i")), x)
        case("devices", "loop_permute", sm(lambda x: lax.fori_loop(0, 3, lambda i, y: lax.ppermute(y, "i", [(0, 1), (1, 2), (2, 3), (3, 0)]) + x, x), mesh, P("i"), P("i")), x)
        case("devices", "scan_psum", sm(lambda x: lax.scan(lambda c, r: (c + lax.psum(r, "i").sum(), c), x.sum() * 0, x)[1][None], mesh, P("i"), P("i")), x, tol=1e-4)
        # Loops whose devices have different trip counts, or the same by a collective. JAX's own check does not know these conditions.
        local = lambda f, m, i, o: shard_map(f, mesh=m, in_specs=i, out_specs=o, **({"check_vma": False} if hasattr(jax, "shard_map") else {"check_rep": False}))
        ramp = np.arange(32, dtype=np.float32).reshape(8, 4) / 8 - 1.5
        case("devices", "loop_index_condition", local(lambda x: lax.while_loop(lambda c: c[0] < lax.axis_index("i"), lambda c: (c[0] + 1, c[1] * 2), (0, x))[1], mesh, P("i"), P("i")), ramp)
        case("devices", "loop_converges", local(lambda x: lax.while_loop(lambda y: lax.psum(jnp.abs(y).sum(), "i") > 3, lambda y: y * 0.5, x), mesh, P("i"), P("i")), ramp)
        case("devices", "loop_of_groups", local(lambda x: lax.while_loop(lambda c: c[0] <= lax.axis_index("b"), lambda c: (c[0] + 1, c[1] + lax.psum(c[1], "a")), (0, x))[1], grid, P("a", "b"), P("a", "b")), ramp)
        case("devices", "loop_index_body", local(lambda x: lax.while_loop(lambda c: c[1].sum() < 20, lambda c: (c[0] + 1, c[1] + 1 + lax.axis_index("i")), (0, x))[1], mesh, P("i"), P("i")), ramp)
        case("devices", "psum_int", sm(lambda x: lax.psum(x, "i"), mesh, P("i"), P()), ints(8))
        case("devices", "cond_local", sm(lambda x: lax.cond(x[0, 0] > 0, lambda: x * 2, lambda: -x), mesh, P("i"), P("i")), x)
        s = NamedSharding(mesh, P("i"))
        case("devices", "sharded_argument", None, x, jit=jax.jit(lambda x: x @ x.T, in_shardings=s, out_shardings=s))
        case("devices", "constraint", None, x, jit=jax.jit(lambda x: lax.with_sharding_constraint(x * 2, s).sum(0)))
        case("devices", "constraint_grid", None, x, jit=jax.jit(lambda x: lax.with_sharding_constraint(x, NamedSharding(grid, P(("a", "b"), None))) + 1))
        for axis in [0, 1]:
            case("devices", f"vmap_psum_{axis}", jax.vmap(lambda x: x / lax.psum(x, "v"), axis_name="v", in_axes=axis), f32(3, 2, lo=0.5))
        case("devices", "vmap_gather", jax.vmap(lambda x: lax.all_gather(x, "v"), axis_name="v"), f32(3, 2))
        case("devices", "vmap_index", jax.vmap(lambda x: x + lax.axis_index("v"), axis_name="v"), f32(3, 2))
        case("devices", "pmap", None, f32(1, 3), jit=jax.pmap(lambda x: lax.psum(x, "p") * 2, axis_name="p"))

    return [special_values, complexes, types, shapes, libraries, randoms, windows, scatters, transformations, devices]
