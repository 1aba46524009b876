"""Simulation designs, written independently of the package.

Data with clusters (DESIGNS), without (NULLS), and with a known number of clusters (KDESIGNS):

DESIGNS[name](rng)  -> X (n,p) float, labels (n,) int, relevant (p,) bool
NULLS[name](rng)    -> X (n,p) float
KDESIGNS[name](rng) -> X (n,p) float, K int
"""

import numpy as np

DESIGNS, NULLS, KDESIGNS = {}, {}, {}


def _reg(d):
    def deco(f):
        d[f.__name__.split("__", 1)[1]] = f
        return f

    return deco


# ------------------------------------------------------------------ helpers
def _labels(rng, sizes):
    z = np.repeat(np.arange(len(sizes)), sizes)
    rng.shuffle(z)
    return z


def _even(n, K):
    return [n // K + (k < n % K) for k in range(K)]


def _finish(rng, R, N, z):
    """R relevant columns, N irrelevant columns (or None) -> shuffled columns."""
    R = np.asarray(R, float)
    if N is None:
        N = np.empty((len(z), 0))
    X = np.hstack([R, N]).astype(float)
    rel = np.r_[np.ones(R.shape[1], bool), np.zeros(N.shape[1], bool)]
    o = rng.permutation(X.shape[1])
    return np.ascontiguousarray(X[:, o]), z.astype(int), rel[o]


def _shufcols(rng, X):
    return np.ascontiguousarray(np.asarray(X, float)[:, rng.permutation(X.shape[1])])


def _profile(rng, K, q, levels, mindiff):
    """K x q table of levels; every column varies; clusters differ in >= mindiff columns."""
    levels = np.asarray(levels)
    while True:
        P = levels[rng.integers(len(levels), size=(K, q))]
        for j in range(q):
            while np.ptp(P[:, j]) == 0:
                P[:, j] = levels[rng.integers(len(levels), size=K)]
        D = (P[:, None] != P[None]).sum(2)
        if D[~np.eye(K, dtype=bool)].min() >= mindiff:
            return P


def _block(rng, n, m, rho):
    """equicorrelated Gaussian block"""
    return np.sqrt(rho) * rng.standard_normal((n, 1)) + np.sqrt(1 - rho) * rng.standard_normal((n, m))


def _randcov(rng, q, stretch):
    """covariance with random orientation and eigen-sd from 1 to stretch"""
    Q, _ = np.linalg.qr(rng.standard_normal((q, q)))
    s = np.geomspace(1, stretch, q) if q > 1 else np.ones(1)
    return Q @ np.diag(s**2) @ Q.T


def _centres(rng, K, q, covs, sep=5.0, tries=200):
    """K centres in q dims; distance / mean sd along the joining line is `sep` for the nearest pair
    and as even as possible over the nearest neighbours."""
    if K == 1:
        return np.zeros((1, q))
    best, bestscore = None, -1
    for _ in range(tries):
        C = rng.uniform(-1, 1, (K, q))
        R = np.full((K, K), np.inf)
        for i in range(K):
            for j in range(i):
                d = C[i] - C[j]
                L = np.linalg.norm(d)
                u = d / L
                s = (np.sqrt(u @ covs[i] @ u) + np.sqrt(u @ covs[j] @ u)) / 2
                R[i, j] = R[j, i] = L / s
        nn = R.min(1)
        score = nn.min() / nn.max()
        # every feature should carry a visible share of the separation
        r = np.ptp(C * (sep / nn.min()), axis=0) / np.sqrt(np.mean([np.diag(c) for c in covs], 0))
        if r.min() < 1.5:
            score *= r.min() / 1.5 * 0.5
        if score > bestscore:
            best, bestscore = C * (sep / nn.min()), score
    return best


def _nb(rng, mu, size):
    """negative binomial with mean mu and dispersion `size`"""
    return rng.poisson(mu * rng.gamma(size, 1.0 / size, np.shape(mu))).astype(float)


def _likert(x, top):
    return np.clip(np.rint(x), 1, top)


def _std_gamma(rng, shape, size):
    return (rng.gamma(shape, 1.0, size) - shape) / np.sqrt(shape)


def _std_lognormal(rng, s, size):
    m, v = np.exp(s * s / 2), (np.exp(s * s) - 1) * np.exp(s * s)
    return (np.exp(s * rng.standard_normal(size)) - m) / np.sqrt(v)


# ------------------------------------------------------------------ DESIGNS
@_reg(DESIGNS)
def d__single_feature_bimodal(rng):
    z = _labels(rng, [170, 130])
    R = rng.standard_normal((300, 1)) + 6.0 * z[:, None]
    return _finish(rng, R, rng.standard_normal((300, 11)), z)


@_reg(DESIGNS)
def d__all_features_round(rng):
    K, q, n = 4, 6, 200
    z = _labels(rng, _even(n, K))
    C = _centres(rng, K, q, [np.eye(q)] * K, 5.0)
    return _finish(rng, C[z] + rng.standard_normal((n, q)), None, z)


@_reg(DESIGNS)
def d__correlated_noise_blocks(rng):
    n, K, q = 250, 3, 4
    z = _labels(rng, [100, 80, 70])
    C = _centres(rng, K, q, [np.eye(q)] * K, 5.5)
    R = C[z] + rng.standard_normal((n, q))
    N = np.hstack(
        [_block(rng, n, 8, 0.85), _block(rng, n, 6, 0.7), _block(rng, n, 5, 0.5), rng.standard_normal((n, 7))]
    )
    return _finish(rng, R, N, z)


@_reg(DESIGNS)
def d__line_many_weak(rng):
    # three stages of one process, each of 25 markers moves by about one sd per stage
    n, q = 400, 25
    z = _labels(rng, [150, 130, 120])
    w = rng.uniform(0.85, 1.25, q) * rng.choice([-1, 1], q)
    R = z[:, None] * w + rng.standard_normal((n, q))
    return _finish(rng, R, rng.standard_normal((n, 15)), z)


@_reg(DESIGNS)
def d__elongated_joint_pair(rng):
    # two parallel cigars; each margin alone looks like one hump
    n = 300
    z = _labels(rng, [150, 150])
    t = 5.0 * rng.standard_normal(n)
    e = rng.standard_normal(n) + 6.5 * (z - 0.5)
    R = np.c_[t + e, t - e] / np.sqrt(2)
    return _finish(rng, R, 3 * rng.standard_normal((n, 6)), z)


@_reg(DESIGNS)
def d__heavy_tailed_t3(rng):
    n, K, q = 350, 3, 5
    z = _labels(rng, [130, 120, 100])
    C = _centres(rng, K, q, [3 * np.eye(q)] * K, 5.0)
    R = C[z] + rng.standard_t(3, (n, q))
    return _finish(rng, R, 1.5 * rng.standard_t(3, (n, 10)), z)


@_reg(DESIGNS)
def d__skewed_spending(rng):
    # customer spending by category, lognormal
    n, q = 450, 6
    z = _labels(rng, [180, 150, 120])
    P = _profile(rng, 3, q, [2.0, 4.0], 3)
    R = np.exp(P[z] + 0.55 * rng.standard_normal((n, q)))
    N = np.exp(rng.uniform(1.5, 4, 9) + rng.uniform(0.4, 0.9, 9) * rng.standard_normal((n, 9)))
    return _finish(rng, R, N, z)


@_reg(DESIGNS)
def d__wild_scales(rng):
    n, K, q, m = 240, 3, 5, 13
    z = _labels(rng, [90, 80, 70])
    C = _centres(rng, K, q, [np.eye(q)] * K, 5.5)
    R = (C[z] + rng.standard_normal((n, q))) * 10.0 ** rng.uniform(-4, 2, q)
    N = (rng.standard_normal((n, m)) + rng.normal(0, 20, m)) * 10.0 ** rng.uniform(-3, 6, m)
    return _finish(rng, R, N, z)


@_reg(DESIGNS)
def d__ordinal_1to7_survey(rng):
    n, q, m = 400, 12, 10
    z = _labels(rng, [160, 130, 110])
    P = _profile(rng, 3, q, [2.3, 4.0, 5.7], 7)
    R = _likert(P[z] + 1.0 * rng.standard_normal((n, q)), 7)
    N = _likert(rng.uniform(3, 5, m) + rng.uniform(1.0, 1.8, m) * rng.standard_normal((n, m)), 7)
    return _finish(rng, R, N, z)


@_reg(DESIGNS)
def d__raw_negbin_counts(rng):
    n, q, m = 300, 10, 20
    z = _labels(rng, [120, 100, 80])
    P = _profile(rng, 3, q, [3.0, 30.0], 5)
    R = _nb(rng, P[z] * rng.uniform(0.7, 1.5, q), 4.0)
    N = _nb(rng, np.tile(rng.uniform(2, 25, m), (n, 1)), 4.0)
    return _finish(rng, R, N, z)


@_reg(DESIGNS)
def d__raw_poisson_visits(rng):
    # event counts per subject, two regimes plus an intermediate one
    n, q, m = 220, 5, 7
    z = _labels(rng, [90, 70, 60])
    lam = np.array([1.5, 9.0, 25.0])
    mult = rng.uniform(0.8, 1.4, q)
    perm = np.array([lam if rng.random() < 0.7 else lam[::-1] for _ in range(q)]).T
    R = rng.poisson(perm[z] * mult)
    N = rng.poisson(rng.uniform(1, 15, m), (n, m))
    return _finish(rng, R, N, z)


@_reg(DESIGNS)
def d__log1p_expression_wide(rng):
    # 4 cell types, 10 marker genes each, 260 other genes
    n, K, g, m = 240, 4, 10, 260
    z = _labels(rng, [80, 70, 50, 40])
    mu = np.repeat(rng.uniform(1.0, 2.5, (1, K * g)), K, 0)
    for k in range(K):
        mu[k, k * g : (k + 1) * g] *= rng.uniform(7, 12, g)
    R = np.log1p(_nb(rng, mu[z], 3.0))
    N = np.log1p(_nb(rng, np.tile(rng.lognormal(1.0, 0.9, m) + 0.3, (n, 1)), 3.0))
    return _finish(rng, R, N, z)


@_reg(DESIGNS)
def d__zero_inflated_usage(rng):
    # product usage minutes: many zeros; the users of a product differ by segment
    n, q, m = 420, 9, 8
    z = _labels(rng, [160, 140, 120])
    P = _profile(rng, 3, q, [0.08, 0.95], 5)
    use = rng.random((n, q)) < P[z]
    R = use * (3 + 0.8 * rng.standard_normal((n, q)))
    N = (rng.random((n, m)) < rng.uniform(0.3, 0.7, m)) * (3 + 0.8 * rng.standard_normal((n, m)))
    return _finish(rng, R, N, z)


@_reg(DESIGNS)
def d__clinical_binary_and_numeric(rng):
    n = 320
    z = _labels(rng, [130, 110, 80])
    Pb = _profile(rng, 3, 5, [0.12, 0.88], 2)
    C = _centres(rng, 3, 4, [np.eye(4)] * 3, 4.5)
    R = np.hstack([C[z] + rng.standard_normal((n, 4)), rng.random((n, 5)) < Pb[z]])
    N = np.hstack(
        [
            rng.standard_normal((n, 5)),
            rng.normal(55, 14, (n, 1)),
            rng.gamma(2.0, 3.0, (n, 2)),
            rng.random((n, 6)) < rng.uniform(0.25, 0.75, 6),
        ]
    )
    return _finish(rng, R, N, z)


@_reg(DESIGNS)
def d__latent_class_binary(rng):
    n, q, m = 500, 20, 10
    z = _labels(rng, [200, 170, 130])
    P = _profile(rng, 3, q, [0.1, 0.9], 9)
    R = rng.random((n, q)) < P[z]
    N = rng.random((n, m)) < rng.uniform(0.2, 0.8, m)
    return _finish(rng, R, N, z)


@_reg(DESIGNS)
def d__sizes_70_20_10(rng):
    n, K, q = 300, 3, 3
    z = _labels(rng, [210, 60, 30])
    C = _centres(rng, K, q, [np.eye(q)] * K, 5.5)
    return _finish(rng, C[z] + rng.standard_normal((n, q)), rng.standard_normal((n, 9)), z)


@_reg(DESIGNS)
def d__unequal_spreads(rng):
    n, q = 330, 4
    z = _labels(rng, [120, 110, 100])
    s = np.array([0.4, 1.0, 2.2])
    C = _centres(rng, 3, q, [v * v * np.eye(q) for v in s], 5.5)
    R = C[z] + s[z][:, None] * rng.standard_normal((n, q))
    return _finish(rng, R, 1.5 * rng.standard_normal((n, 8)), z)


@_reg(DESIGNS)
def d__near_duplicate_columns(rng):
    n, q = 260, 3
    z = _labels(rng, [100, 90, 70])
    C = _centres(rng, 3, q, [np.eye(q)] * 3, 5.5)
    R = C[z] + rng.standard_normal((n, q))
    R = np.hstack([R, R[:, :2] + 0.05 * rng.standard_normal((n, 2))])
    N = rng.standard_normal((n, 6))
    N = np.hstack(
        [
            N,
            N[:, :4] + 0.05 * rng.standard_normal((n, 4)),
            N[:, :2] * 2.54 + 0.1 * rng.standard_normal((n, 2)),
        ]
    )
    return _finish(rng, R, N, z)


@_reg(DESIGNS)
def d__one_feature_per_cluster(rng):
    # each of 5 groups is raised (or lowered) on one feature of its own
    n, K = 400, 5
    z = _labels(rng, _even(n, K))
    R = rng.standard_normal((n, K))
    sh = rng.uniform(5, 6.5, K) * rng.choice([-1, 1], K)
    R[np.arange(n), z] += sh[z]
    return _finish(rng, R, rng.standard_normal((n, 13)), z)


@_reg(DESIGNS)
def d__outlier_cells(rng):
    n, K, q, m = 280, 4, 5, 12
    z = _labels(rng, [90, 75, 65, 50])
    C = _centres(rng, K, q, [np.eye(q)] * K, 5.5)
    X, z, rel = _finish(rng, C[z] + rng.standard_normal((n, q)), rng.standard_normal((n, m)), z)
    bad = rng.random(X.shape) < 0.01
    X[bad] += rng.choice([-1, 1], bad.sum()) * rng.uniform(7, 14, bad.sum())
    return X, z, rel


@_reg(DESIGNS)
def d__microarray_small_n(rng):
    # 100 arrays, 450 probes, 30 differential, co-regulated noise modules
    n, q = 100, 30
    z = _labels(rng, [40, 33, 27])
    P = _profile(rng, 3, q, [-1.0, 1.0], 12)
    R = P[z] * rng.uniform(0.9, 1.4, q) + rng.standard_normal((n, q))
    N = np.hstack([_block(rng, n, 15, 0.4) for _ in range(6)] + [rng.standard_normal((n, 330))])
    return _finish(rng, R, N, z)


@_reg(DESIGNS)
def d__sensor_regimes(rng):
    # 4 operating regimes; relevant channels correlated within regime; other channels share
    # an unrelated ambient factor with far larger variance
    n, K, q, m = 500, 4, 6, 10
    z = _labels(rng, [170, 140, 110, 80])
    S = _randcov(rng, q, 2.5)
    C = _centres(rng, K, q, [S] * K, 5.0)
    R = C[z] + rng.standard_normal((n, q)) @ np.linalg.cholesky(S).T + rng.uniform(10, 80, q)
    amb = rng.standard_normal((n, 1))
    N = 20 + 8 * amb * rng.uniform(0.5, 1.3, m) + 3 * rng.standard_normal((n, m))
    return _finish(rng, R, N, z)


@_reg(DESIGNS)
def d__six_segments(rng):
    n, K, q = 600, 6, 4
    z = _labels(rng, [150, 120, 100, 90, 80, 60])
    C = _centres(rng, K, q, [np.eye(q)] * K, 5.0)
    N = np.hstack([rng.standard_normal((n, 5)), rng.uniform(-2, 2, (n, 4)), rng.exponential(1.0, (n, 3))])
    return _finish(rng, C[z] + rng.standard_normal((n, q)), N, z)


@_reg(DESIGNS)
def d__tiny_table_two_of_four(rng):
    n = 100
    z = _labels(rng, [60, 40])
    a = rng.uniform(0.4, 1.1)
    R = 5.5 * z[:, None] * np.array([np.cos(a), np.sin(a)]) + rng.standard_normal((n, 2))
    N = np.c_[rng.uniform(0, 3, n), rng.exponential(1.0, n)]
    return _finish(rng, R, N, z)


# ------------------------------------------------------------------ NULLS
@_reg(NULLS)
def n__gauss_iid(rng):
    return rng.standard_normal((200, 10))


@_reg(NULLS)
def n__gauss_factor_model(rng):
    n, p, f = 300, 20, 3
    return rng.standard_normal((n, f)) @ rng.normal(0, 0.8, (f, p)) + rng.standard_normal((n, p))


@_reg(NULLS)
def n__gauss_strong_corr(rng):
    return _block(rng, 150, 6, 0.93) * rng.uniform(0.5, 5, 6)


@_reg(NULLS)
def n__uniform_cube(rng):
    return rng.random((250, 5))


@_reg(NULLS)
def n__uniform_ball(rng):
    n, p = 200, 3
    u = rng.standard_normal((n, p))
    return u / np.linalg.norm(u, axis=1, keepdims=True) * rng.random((n, 1)) ** (1 / p)


@_reg(NULLS)
def n__t3(rng):
    return rng.standard_t(3, (300, 12))


@_reg(NULLS)
def n__exponential(rng):
    return rng.exponential(1.0, (200, 8)) * rng.uniform(0.5, 20, 8)


@_reg(NULLS)
def n__lognormal(rng):
    return np.exp(rng.uniform(0.4, 1.0, 15) * rng.standard_normal((400, 15)))


@_reg(NULLS)
def n__laplace(rng):
    return rng.laplace(0, 1, (120, 25))


@_reg(NULLS)
def n__mixed_margins(rng):
    n = 350
    X = np.hstack(
        [
            rng.standard_normal((n, 4)),
            rng.uniform(0, 10, (n, 3)),
            rng.exponential(2.0, (n, 3)),
            rng.standard_t(3, (n, 3)),
            rng.poisson(rng.uniform(1, 6, 4), (n, 4)),
            rng.random((n, 4)) < rng.uniform(0.2, 0.8, 4),
        ]
    )
    return _shufcols(rng, X)


@_reg(NULLS)
def n__poisson_small_means(rng):
    return rng.poisson(rng.uniform(0.4, 2.5, 18), (260, 18)).astype(float)


@_reg(NULLS)
def n__negbin(rng):
    return _nb(rng, np.tile(rng.uniform(1, 20, 30), (220, 1)), 1.5)


@_reg(NULLS)
def n__log1p_library_size(rng):
    n, p = 300, 40
    lib = np.exp(0.4 * rng.standard_normal((n, 1)))
    return np.log1p(_nb(rng, lib * rng.lognormal(1.2, 0.8, p), 3.0))


@_reg(NULLS)
def n__ordinal_1to5_common_factor(rng):
    n, p = 500, 14
    f = rng.standard_normal((n, 1))
    return _likert(
        rng.uniform(2.3, 3.8, p) + rng.uniform(0.3, 0.9, p) * f + 0.9 * rng.standard_normal((n, p)), 5
    )


@_reg(NULLS)
def n__binary_independent(rng):
    return (rng.random((240, 16)) < rng.uniform(0.15, 0.85, 16)).astype(float)


@_reg(NULLS)
def n__copula_skewed_margins(rng):
    n, p = 80, 7
    L = rng.normal(0, 0.9, (2, p))
    g = rng.standard_normal((n, 2)) @ L + rng.standard_normal((n, p))
    g /= np.sqrt((L**2).sum(0) + 1)
    X = g.copy()
    X[:, :3] = np.exp(0.7 * g[:, :3])
    # exponential margins through a logistic approximation of the normal cdf
    X[:, 3:5] = np.log1p(np.exp(1.702 * g[:, 3:5]))
    X[:, 5:] = (g[:, 5:] + 4.0) ** 3 / 10
    return _shufcols(rng, X)


# ------------------------------------------------------------------ KDESIGNS
def _kmix(rng, K, q, sizes, kind="gauss", stretch=1.0, own_cov=False, spreads=None, noise=None, sep=5.0):
    """Mixture of K clusters in q features. kind: gauss, gamma, lognormal, uniform, ball."""
    n = int(np.sum(sizes))
    z = _labels(rng, sizes)
    spreads = np.ones(K) if spreads is None else np.asarray(spreads, float)
    common = _randcov(rng, q, stretch)
    covs = [(_randcov(rng, q, stretch) if own_cov else common) * s * s for s in spreads]
    C = _centres(rng, K, q, covs, sep)
    if kind == "gauss":
        E = rng.standard_normal((n, q))
    elif kind == "gamma":
        E = _std_gamma(rng, 3.0, (n, q))
    elif kind == "lognormal":
        E = _std_lognormal(rng, 0.45, (n, q))
    elif kind == "uniform":
        E = rng.uniform(-np.sqrt(3), np.sqrt(3), (n, q))
    elif kind == "ball":
        u = rng.standard_normal((n, q))
        E = u / np.linalg.norm(u, axis=1, keepdims=True) * rng.random((n, 1)) ** (1 / q) * np.sqrt(q + 2)
    X = np.empty((n, q))
    for k in range(K):
        # stretch 1: plain scaling, so skewed / uniform margins stay along the axes
        A = spreads[k] * np.eye(q) if stretch == 1.0 else np.linalg.cholesky(covs[k])
        X[z == k] = C[k] + E[z == k] @ A.T
    if noise is not None:
        X = np.hstack([X, noise(rng, n)])
    return _shufcols(rng, X), K


def _noise(m, kind="gauss"):
    def f(rng, n):
        if kind == "gauss":
            return rng.standard_normal((n, m))
        if kind == "corr":
            return _block(rng, n, m, 0.6)
        if kind == "skew":
            return _std_gamma(rng, 1.5, (n, m))
        if kind == "uniform":
            return rng.uniform(-1.7, 1.7, (n, m))

    return f


def _k(name, K, q, sizes, **kw):
    def f(rng):
        return _kmix(rng, K, q, sizes, **kw)

    f.__name__ = "k__" + name
    KDESIGNS[name] = f


_k("k1_round", 1, 5, [200])
_k("k1_elongated", 1, 4, [250], stretch=6.0)
_k("k1_gamma_noise", 1, 4, [300], kind="gamma", noise=_noise(6))
_k("k1_lognormal", 1, 3, [180], kind="lognormal")
_k("k1_uniform", 1, 4, [220], kind="uniform")
_k("k1_ball_corr_noise", 1, 3, [260], kind="ball", noise=_noise(7, "corr"))

_k("k2_round_noise", 2, 3, [110, 90], noise=_noise(8))
_k("k2_elongated_own", 2, 3, [140, 120], stretch=3.0, own_cov=True)
_k("k2_unequal_size", 2, 4, [250, 40], noise=_noise(4))
_k("k2_gamma", 2, 3, [130, 110], kind="gamma")
_k("k2_uniform_noise", 2, 2, [100, 100], kind="uniform", noise=_noise(5, "uniform"))

_k("k3_round", 3, 2, [70, 70, 70])
_k("k3_elongated_noise", 3, 4, [110, 100, 90], stretch=3.0, noise=_noise(6, "corr"))
_k("k3_unequal_spread", 3, 3, [100, 100, 100], spreads=[0.5, 1.0, 1.8])
_k("k3_lognormal_noise", 3, 4, [110, 90, 80], kind="lognormal", noise=_noise(5, "skew"))

_k("k4_round_noise", 4, 3, [80, 75, 70, 60], noise=_noise(7))
_k("k4_uniform", 4, 2, [80, 80, 70, 70], kind="uniform")
_k("k4_unequal_size", 4, 4, [200, 80, 50, 35])
_k("k4_gamma_noise", 4, 4, [100, 90, 80, 70], kind="gamma", noise=_noise(4))

_k("k5_round", 5, 4, [70, 65, 60, 55, 50])
_k("k5_elongated", 5, 5, [90, 80, 80, 70, 70], stretch=2.5, own_cov=True)
_k(
    "k5_unequal_size_spread_noise",
    5,
    4,
    [160, 90, 70, 60, 50],
    spreads=[1.4, 1.0, 0.7, 1.2, 0.8],
    noise=_noise(6),
)
_k("k5_ball_noise", 5, 3, [70, 70, 70, 60, 60], kind="ball", noise=_noise(3, "uniform"))

_k("k6_round", 6, 3, [70, 70, 65, 65, 60, 60])
_k("k6_round_noise", 6, 5, [90, 85, 80, 75, 70, 60], noise=_noise(8))
_k("k6_elongated_corr_noise", 6, 4, [90, 90, 85, 80, 75, 70], stretch=2.5, noise=_noise(5, "corr"))
_k("k6_lognormal", 6, 5, [80, 80, 75, 70, 70, 65], kind="lognormal")
_k("k6_uniform_unequal_size", 6, 4, [150, 110, 80, 60, 50, 40], kind="uniform")
