"""Cases of linear algebra that JAX lowers to routines of LAPACK on the CPU; `generate.py` writes them."""

import numpy as np


def cases(case, jax, lax, jnp):
    rng = np.random.default_rng(7)

    def real(*shape, dtype=np.float32):
        return np.round(rng.uniform(-2, 2, shape), 2).astype(dtype)

    def complex_(*shape, dtype=np.complex64):
        return (real(*shape) + 1j * real(*shape)).astype(dtype)

    def hermitian(a):
        return ((a + np.conj(np.swapaxes(a, -1, -2))) / 2).astype(a.dtype)

    linalg, scipy = lax.linalg, jax.scipy.linalg
    matrices = {
        "square": real(4, 4), "tall": real(5, 3), "wide": real(3, 5), "long": real(7, 2), "batch": real(2, 3, 3),
        "complex": complex_(4, 4), "complex_tall": complex_(7, 3), "complex_wide": complex_(2, 5), "double": real(4, 4, dtype=np.float64),
        "complex_double": complex_(3, 3, dtype=np.complex128), "single": real(1, 1), "row": real(1, 4), "column": real(4, 1), "diagonal": np.diag(real(3)),
        "large": real(9, 9), "singular": np.outer(real(3), real(3)).astype(np.float32) + np.eye(3, dtype=np.float32),
    }

    def add(name, f, *args):
        wide = any(np.asarray(a).dtype in (np.float64, np.complex128) for a in args)
        case("lapack", name, f, *args, x64=wide, tol=1e-9 if wide else 2e-4)

    for name, a in matrices.items():
        add(f"qr_{name}", jnp.linalg.qr, a)
        add(f"qr_full_{name}", lambda a: jnp.linalg.qr(a, mode="complete"), a)
        add(f"qr_raw_{name}", lambda a: jnp.linalg.qr(a, mode="raw"), a)
        add(f"qr_pivoting_{name}", lambda a: scipy.qr(a, pivoting=True), a)
        add(f"svd_{name}", jnp.linalg.svd, a)
        add(f"svd_thin_{name}", lambda a: jnp.linalg.svd(a, full_matrices=False), a)
        add(f"svd_values_{name}", lambda a: jnp.linalg.svd(a, compute_uv=False), a)
        add(f"svd_qr_{name}", lambda a: linalg.svd(a, algorithm=linalg.SvdAlgorithm.QR), a)
        add(f"lu_{name}", linalg.lu, a)
        if a.shape[-1] == a.shape[-2]:
            symmetric = hermitian(a)
            positive = (a @ np.conj(np.swapaxes(a, -1, -2)) + 2 * np.eye(a.shape[-1])).astype(a.dtype)
            add(f"eigh_{name}", jnp.linalg.eigh, symmetric)
            add(f"eigh_upper_{name}", lambda a: linalg.eigh(a, lower=False, symmetrize_input=False), symmetric)
            add(f"eigvalsh_{name}", jnp.linalg.eigvalsh, symmetric)
            add(f"cholesky_{name}", jnp.linalg.cholesky, positive)
            add(f"tridiagonal_{name}", linalg.tridiagonal, symmetric)
            add(f"tridiagonal_upper_{name}", lambda a: linalg.tridiagonal(a, lower=False), symmetric)
            add(f"hessenberg_{name}", linalg.hessenberg, a)
            add(f"eig_{name}", jnp.linalg.eig, a)
            add(f"eigvals_{name}", jnp.linalg.eigvals, a)
            add(f"eig_left_{name}", lambda a: linalg.eig(a, compute_left_eigenvectors=True, compute_right_eigenvectors=True), a)
            add(f"schur_{name}", linalg.schur, a)
            add(f"solve_{name}", jnp.linalg.solve, a, a)
            add(f"det_{name}", jnp.linalg.det, a)
            add(f"inv_{name}", jnp.linalg.inv, a)
            add(f"expm_{name}", scipy.expm, a)
    add("pinv", jnp.linalg.pinv, matrices["tall"])
    add("lstsq", lambda a, b: jnp.linalg.lstsq(a, b)[0], matrices["tall"], real(5))
    add("matrix_rank", jnp.linalg.matrix_rank, matrices["wide"])
    add("cond", jnp.linalg.cond, matrices["square"])
    add("norm_nuclear", lambda a: jnp.linalg.norm(a, "nuc"), matrices["square"])
    add("slogdet", jnp.linalg.slogdet, matrices["square"])
    add("householder_product", linalg.householder_product, matrices["tall"], real(3))
    add("householder_product_fewer", linalg.householder_product, matrices["tall"], real(2))
    for left in (True, False):
        for transpose in (True, False):
            add(f"ormqr_{left}_{transpose}", lambda a, t, c: linalg.ormqr(a, t, c, left=left, transpose=transpose), matrices["tall"], real(3), real(5, 2) if left else real(2, 5))
            add(f"unmqr_{left}_{transpose}", lambda a, t, c: linalg.ormqr(a, t, c, left=left, transpose=transpose), matrices["complex_tall"], complex_(3), complex_(7, 2) if left else complex_(2, 7))
    for name, b in (("", real(4, 2)), ("_batch", real(3, 4, 2)), ("_complex", complex_(4, 1)), ("_double", real(4, 2, dtype=np.float64))):
        diagonals = [real(*b.shape[:-1]).astype(b.dtype) for _ in range(3)]
        add(f"tridiagonal_solve{name}", linalg.tridiagonal_solve, *diagonals, b)
    add("eigh_gradient", jax.grad(lambda a: jnp.sum(jnp.linalg.eigh(a)[0] ** 2)), hermitian(matrices["square"]))
    add("svd_gradient", jax.grad(lambda a: jnp.sum(jnp.linalg.svd(a, full_matrices=False)[1])), matrices["tall"])
    add("qr_gradient", jax.grad(lambda a: jnp.sum(jnp.linalg.qr(a)[1] ** 2)), matrices["tall"])
    add("cholesky_not_definite", jnp.linalg.cholesky, hermitian(matrices["square"]) - 3 * np.eye(4, dtype=np.float32))
    add("eigh_vmap", jax.vmap(jnp.linalg.eigh), hermitian(matrices["batch"]))
    add("sqrtm", scipy.sqrtm, (matrices["square"] @ matrices["square"].T).astype(np.float32))
