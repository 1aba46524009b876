"""Judgement designs harsher than `judgement_designs`, by an author who had not seen the package.

Strong nuisance: correlated blocks, gradients and common factors among the noise, counts with dropout,
outliers, response styles, rare clusters. They were fixed before they were first run, and seen since.

DESIGNS[name](rng) -> X (n, p), labels (n,), relevant (p,) bool
NULLS[name](rng)   -> X (n, p)
"""

import numpy as np
from scipy import stats


def lab(r, n, w):
    """Labels with given weights, in random order."""
    w = np.array(w, float)
    w /= w.sum()
    c = np.floor(w * n).astype(int)
    c[0] += n - c.sum()
    return r.permutation(np.repeat(np.arange(len(w)), c))


def block(r, n, p, rho):
    """Normal features that all correlate by rho."""
    return np.sqrt(rho) * r.normal(size=(n, 1)) + np.sqrt(1 - rho) * r.normal(size=(n, p))


def factors(r, n, p, k, s=1.0):
    """Normal features with k common factors."""
    return r.normal(size=(n, k)) @ (r.normal(size=(k, p)) * s) / np.sqrt(k) + r.normal(size=(n, p))


def done(r, parts, rel, y):
    """Columns in random order, with the labels and which columns are relevant."""
    X = np.hstack(parts).astype(float)
    rel = np.array(rel, bool)
    o = r.permutation(X.shape[1])
    return X[:, o], y, rel[o]


def relevant(a, b):
    """The first a columns of a + b."""
    return [1] * a + [0] * b


def apart(r, K, q, d):
    """Normal means, scaled so that the smallest distance between two is d."""
    best, bv = None, -1
    for _ in range(50):
        m = r.normal(size=(K, q))
        D = np.linalg.norm(m[:, None] - m[None], axis=2)[np.triu_indices(K, 1)]
        if D.min() / D.max() > bv:
            best, bv = m * d / D.min(), D.min() / D.max()
    return best


def ordinal(z, cuts):
    """Grades from 1."""
    return np.digitize(z, cuts) + 1


def s01_spreads(r):
    """Statistician: unequal sizes and spreads."""
    n = 300
    y = lab(r, n, [0.5, 0.3, 0.2])
    mu = np.array([[0, 0, 0, 0, 0], [3, 0, 3, 0, 2.5], [0, 3.5, 0, 3, -2.5]])
    sd = np.array([1, 0.7, 1.4])
    return done(
        r, [mu[y] + sd[y][:, None] * r.normal(size=(n, 5)), r.normal(size=(n, 15))], relevant(5, 15), y
    )


def s02_cells(r):
    """Biologist: NB counts, markers per cluster, library size, dropout, log1p."""
    n = 600
    y = lab(r, n, [0.4, 0.3, 0.2, 0.1])
    base = np.exp(r.normal(0.8, 0.8, 200))
    fc = np.ones((4, 200))
    for k in range(4):
        fc[k, 6 * k : 6 * k + 6] = r.uniform(4, 8, 6)
    base[:24] = r.uniform(1, 4, 24)
    lam = base * fc[y] * np.exp(r.normal(0, 0.3, (n, 1)))
    X = r.poisson(lam * r.gamma(3, 1 / 3, (n, 200))) * (r.random((n, 200)) > 0.1)
    return done(r, [np.log1p(X)], relevant(24, 176), y)


def s03_zinb(r):
    """Microbiome: raw zero-inflated counts, sequencing depth, not transformed."""
    n = 200
    y = lab(r, n, [0.6, 0.4])
    base = np.exp(r.normal(2, 0.7, 60))
    fc = np.ones((2, 60))
    fc[1, :6] = 4
    fc[0, 6:10] = 4
    X = r.poisson(base * fc[y] * np.exp(r.normal(0, 0.25, (n, 1))) * r.gamma(4, 1 / 4, (n, 60))) * (
        r.random((n, 60)) > 0.25
    )
    return done(r, [X], relevant(10, 50), y)


def s04_likert(r):
    """Survey: 1-5 items, response style in the irrelevant ones."""
    n = 800
    y = lab(r, n, [0.35, 0.3, 0.2, 0.15])
    c = [-1.5, -0.5, 0.5, 1.5]
    mu = np.array(
        [
            [1.5, 1.5, 1.5, -1.5, -1.5, -1.5, 0, 0, 0, 1, 1, -1],
            [-1.5, -1.5, -1.5, 1.5, 1.5, 1.5, 0, 0, 0, 1, -1, 1],
            [1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, -1, 0, 0],
            [-1.5, -1.5, -1.5, -1.5, -1.5, -1.5, -1.5, -1.5, -1.5, -1, 0, 0],
        ]
    )
    return done(
        r,
        [ordinal(mu[y] + r.normal(size=(n, 12)), c), ordinal(1.2 * block(r, n, 12, 0.5), c)],
        relevant(12, 12),
        y,
    )


def s05_rfm(r):
    """Marketing: spend, visits, flags; scales differ by 1e6."""
    n = 1500
    y = lab(r, n, [0.5, 0.25, 0.15, 0.1])
    spend = np.exp(np.array([3, 4.8, 6.5, 4.8])[y] + 0.5 * r.normal(size=n)) * 100
    basket = np.exp(np.array([1, 1, 2.5, 2.5])[y] + 0.5 * r.normal(size=n))
    visits = r.poisson(np.array([2, 12, 25, 5])[y])
    calls = r.poisson(np.array([0.2, 0.2, 0.5, 4])[y])
    recency = r.gamma(2, np.array([90, 20, 5, 60])[y] / 2)
    app = r.random(n) < np.array([0.1, 0.8, 0.9, 0.2])[y]
    disc = r.beta(np.array([2, 8, 2, 8])[y], np.array([8, 3, 8, 8])[y])
    ret = r.poisson(np.array([0.1, 0.4, 1, 5])[y])
    g = r.normal(size=(n, 1))
    noise = [
        np.exp(10 + 0.6 * g + 0.6 * r.normal(size=(n, 1))),
        r.gamma(3, 12, (n, 1)),
        r.poisson(np.exp(1 + 0.5 * g)),
        r.random((n, 2)) < 0.4,
        1e-3 * r.beta(2, 5, (n, 1)),
        r.poisson(3, (n, 1)),
    ]
    return done(
        r,
        [np.column_stack([spend, basket, visits, calls, recency, app, disc, ret]), *noise],
        relevant(8, 7),
        y,
    )


def s06_binary(r):
    """Binary profile, correlated binary noise."""
    n = 500
    y = lab(r, n, [0.45, 0.35, 0.2])
    P = np.full((3, 12), 0.15)
    for k in range(3):
        P[k, 4 * k : 4 * k + 4] = 0.85
    z = block(r, n, 28, 0.35)
    return done(r, [r.random((n, 12)) < P[y], z < r.normal(0, 0.5, 28)], relevant(12, 28), y)


def s07_blocks(r):
    """Two correlated noise blocks, each more than three times the signal."""
    n = 250
    y = lab(r, n, [0.4, 0.35, 0.25])
    mu = apart(r, 3, 6, 4.5)
    return done(
        r,
        [mu[y] + r.normal(size=(n, 6)), block(r, n, 20, 0.7), block(r, n, 20, 0.6), r.normal(size=(n, 14))],
        relevant(6, 54),
        y,
    )


def s08_gradient(r):
    """Continuous nuisance factor through 60 of 80."""
    n = 400
    y = lab(r, n, [0.6, 0.4])
    t = r.uniform(-1.73, 1.73, (n, 1))
    L = r.uniform(0.3, 1.2, 60) * r.choice([-1, 1], 60)
    mu = np.array([2.2, 2, 2, -2, 1.8, -1.8])
    return done(
        r,
        [mu * y[:, None] + r.normal(size=(n, 6)), t * L + r.normal(size=(n, 60)), r.normal(size=(n, 14))],
        relevant(6, 74),
        y,
    )


def s09_onecluster(r):
    """Every feature marks one cluster only."""
    n = 500
    y = lab(r, n, [0.3, 0.25, 0.2, 0.15, 0.1])
    mu = np.zeros((5, 10))
    for k in range(5):
        mu[k, 2 * k : 2 * k + 2] = 3.5
    return done(
        r, [mu[y] + r.normal(size=(n, 10)), r.normal(size=(n, 20)), block(r, n, 20, 0.4)], relevant(10, 40), y
    )


def s10_joint(r):
    """Parallel sausages: margins overlap, pairs separate."""
    n = 400
    y = lab(r, n, [0.5, 0.5])
    parts = []
    for _ in range(3):
        t = r.normal(size=(n, 1))
        s = (2 * y - 1)[:, None]
        parts.append(
            np.hstack(
                [t + 0.55 * s + 0.25 * r.normal(size=(n, 1)), t - 0.55 * s + 0.25 * r.normal(size=(n, 1))]
            )
        )
    return done(r, [*parts, r.normal(size=(n, 8))], relevant(6, 8), y)


def s11_graded(r):
    """Strength 3.5 down to .4."""
    n = 400
    y = lab(r, n, [0.55, 0.45])
    mu = np.linspace(3.5, 0.4, 10) * r.choice([-1, 1], 10)
    return done(
        r,
        [mu * y[:, None] + r.normal(size=(n, 10)), r.normal(size=(n, 12)), block(r, n, 8, 0.5)],
        relevant(10, 20),
        y,
    )


def s12_outliers(r):
    """3% wild cells, heavy-tailed noise."""
    n = 200
    y = lab(r, n, [0.4, 0.35, 0.25])
    mu = apart(r, 3, 5, 5)
    X = np.hstack([mu[y] + r.normal(size=(n, 5)), r.standard_t(2, (n, 10)), r.normal(size=(n, 10))])
    bad = r.random(n) < 0.04
    X[bad] += r.standard_cauchy((bad.sum(), 25)) * 5
    return done(r, [X], relevant(5, 20), y)


def s13_redundant(r):
    """Two signals in eight columns, one noise column in twelve."""
    n = 300
    y = lab(r, n, [0.4, 0.3, 0.3])
    mu = np.array([[0, 0], [5, 0], [2.5, 4.5]])
    S = mu[y] + r.normal(size=(n, 2))
    sig = np.hstack([S[:, [0]] * [1, 2, -1, 0.5], S[:, [1]] * [1, 3, -1, 10]])
    sig = sig + 0.4 * np.array([1, 2, 1, 0.5, 1, 3, 1, 10]) * r.normal(size=(n, 8))
    w = r.normal(size=(n, 1))
    return done(r, [sig, w + 0.4 * r.normal(size=(n, 12)), r.normal(size=(n, 10))], relevant(8, 22), y)


def s14_small(r):
    """60 rows."""
    n = 60
    y = lab(r, n, [0.6, 0.4])
    return done(
        r,
        [3 * y[:, None] * np.array([1, -1, 1, -1, 0.8, 0.8]) + r.normal(size=(n, 6)), r.normal(size=(n, 24))],
        relevant(6, 24),
        y,
    )


def s15_wide(r):
    """100 x 400."""
    n = 100
    y = lab(r, n, [0.4, 0.35, 0.25])
    mu = np.zeros((3, 16))
    mu[1, :8] = 2.5
    mu[2, 8:] = 2.5
    return done(
        r,
        [mu[y] + r.normal(size=(n, 16))]
        + [block(r, n, 10, 0.5) for _ in range(20)]
        + [r.normal(size=(n, 184))],
        relevant(16, 384),
        y,
    )


def s16_six(r):
    """Six clusters, 5 to 30 per cent."""
    n = 900
    y = lab(r, n, [0.3, 0.22, 0.18, 0.15, 0.1, 0.05])
    mu = apart(r, 6, 8, 4.5)
    return done(
        r, [mu[y] + r.normal(size=(n, 8)), r.normal(size=(n, 20)), block(r, n, 12, 0.5)], relevant(8, 32), y
    )


def s17_rare(r):
    """One cluster of 6%, twice as wide."""
    n = 1000
    y = lab(r, n, [0.94, 0.06])
    return done(
        r,
        [4 * y[:, None] + (1 + y)[:, None] * r.normal(size=(n, 5)), r.normal(size=(n, 15))],
        relevant(5, 15),
        y,
    )


def s18_large(r):
    """2,000 x 100, moderate separation, three strong noise factors."""
    n = 2000
    y = lab(r, n, [0.3, 0.25, 0.2, 0.15, 0.1])
    mu = apart(r, 5, 15, 4.2)
    return done(
        r,
        [mu[y] + r.normal(size=(n, 15)), factors(r, n, 40, 3, 1.2), r.normal(size=(n, 45))],
        relevant(15, 85),
        y,
    )


def s19_lognormal_margins(r):
    """All margins log-normal, noise correlated."""
    n = 350
    y = lab(r, n, [0.45, 0.3, 0.25])
    mu = np.zeros((3, 8))
    mu[1, :4] = 2.6
    mu[2, 4:] = 2.6
    return done(
        r,
        [
            np.exp(0.7 * (mu[y] + r.normal(size=(n, 8)))),
            np.exp(0.8 * block(r, n, 16, 0.5)),
            np.exp(0.8 * r.normal(size=(n, 16))),
        ],
        relevant(8, 32),
        y,
    )


def s20_batch(r):
    """Five batches with small offsets in 20 noise features, rows shuffled, scales 1e-3..1e3."""
    n = 400
    y = lab(r, n, [0.4, 0.35, 0.25])
    b = r.integers(0, 5, n)
    mu = apart(r, 3, 7, 4.5)
    off = r.normal(0, 0.35, (5, 20))
    X, y, rel = done(
        r,
        [mu[y] + r.normal(size=(n, 7)), off[b] + r.normal(size=(n, 20)), r.normal(size=(n, 23))],
        relevant(7, 43),
        y,
    )
    return X * 10.0 ** r.uniform(-3, 3, X.shape[1]) + 5, y, rel


def s21_mixed(r):
    """Gaussian, log-normal, count, binary, ordinal; noise of the same types, correlated."""
    n = 700
    y = lab(r, n, [0.4, 0.35, 0.25])

    def g(a):
        return np.array(a)[y]

    sig = [
        g([0, 2.5, 0]) + r.normal(size=n),
        g([0, 0, 2.5]) + r.normal(size=n),
        g([2, 0, 0]) + r.normal(size=n),
        np.exp(g([0, 2, 0]) + 0.8 * r.normal(size=n)),
        np.exp(g([0, 0, 2]) + 0.8 * r.normal(size=n)),
        r.poisson(g([2, 8, 2])),
        r.poisson(g([2, 2, 9])),
        r.random(n) < g([0.1, 0.8, 0.1]),
        r.random(n) < g([0.2, 0.2, 0.85]),
        ordinal(g([-1, 1, -1]) + r.normal(size=n), [-1.5, -0.5, 0.5, 1.5]),
        ordinal(g([-1, -1, 1]) + r.normal(size=n), [-1.5, -0.5, 0.5, 1.5]),
    ]
    z = factors(r, n, 24, 3)
    z /= z.std(0)
    noise = np.hstack(
        [
            z[:, :6],
            np.exp(0.8 * z[:, 6:12]),
            stats.poisson.ppf(stats.norm.cdf(z[:, 12:16]), 3),
            z[:, 16:20] > 0.3,
            ordinal(z[:, 20:], [-1.5, -0.5, 0.5, 1.5]),
        ]
    )
    return done(r, [np.column_stack(sig), noise], relevant(11, 24), y)


def s22_oriented(r):
    """Elongated clusters of different orientation."""
    n = 360
    y = lab(r, n, [0.4, 0.35, 0.25])
    mu = np.array([[0] * 6, [3, -3, 3, -3, 0, 0], [0, 0, 3.2, 3, -3, 3.2]], float)
    X = np.empty((n, 6))
    for k in range(3):
        s = r.choice([-1, 1], 6)
        C = 0.7 * np.outer(s, s)
        np.fill_diagonal(C, 1)
        i = y == k
        X[i] = mu[k] + r.multivariate_normal(np.zeros(6), C * [1, 1.5, 0.8][k], i.sum())
    return done(r, [X, block(r, n, 6, 0.6), r.normal(size=(n, 6))], relevant(6, 12), y)


def n01_factors(r):
    return factors(r, 300, 40, 4, 1.5)


def n02_elliptic(r):
    A = r.normal(size=(15, 15))
    return (r.normal(size=(250, 15)) @ A) / np.sqrt(r.chisquare(3, (250, 1)) / 3)


def n03_skewed(r):
    return np.hstack(
        [
            r.gamma(0.8, 1, (300, 10)),
            r.chisquare(2, (300, 6)),
            r.exponential(size=(300, 1)) + r.exponential(0.7, (300, 4)),
        ]
    )


def n04_convex(r):
    """Triangle x cone x disc x cube, mixed by a fixed linear map within each."""
    n = 300
    tri = r.dirichlet([1, 1, 1], n)[:, :2]
    h = r.random((n, 1)) ** (1 / 3)
    a = r.uniform(0, 2 * np.pi, (n, 2))
    q = np.sqrt(r.random((n, 2)))
    cone = np.hstack([h, h * q[:, :1] * np.cos(a[:, :1]), h * q[:, :1] * np.sin(a[:, :1])])
    disc = q[:, 1:] * np.column_stack([np.cos(a[:, 1]), np.sin(a[:, 1])])
    return np.hstack([tri, cone, disc, r.random((n, 3)) @ np.array([[1, 0.5, 0], [0, 1, 0.5], [0, 0, 1]])])


def n05_library(r):
    return r.poisson(
        np.exp(r.normal(1.2, 0.8, 50)) * np.exp(r.normal(0, 0.5, (300, 1))) * r.gamma(3, 1 / 3, (300, 50))
    )


def n06_ordinal(r):
    return ordinal(
        r.normal(size=(500, 1)) * r.uniform(0.4, 1.2, 15) + r.normal(size=(500, 15)), [-1.5, -0.5, 0.5, 1.5]
    )


def n07_binary(r):
    return r.normal(size=(400, 1)) * r.uniform(0.4, 1.2, 25) + r.normal(size=(400, 25)) > r.normal(0, 0.6, 25)


def n08_mixed(r):
    z = factors(r, 400, 24, 2)
    z /= z.std(0)
    return np.hstack(
        [
            z[:, :6],
            np.exp(z[:, 6:11]),
            stats.poisson.ppf(stats.norm.cdf(z[:, 11:15]), 2),
            z[:, 15:19] > 0.4,
            ordinal(z[:, 19:22], [-1, 0, 1]),
            stats.norm.cdf(z[:, 22:]),
        ]
    )


def n09_lowrank(r):
    return 2.0 * r.normal(size=(200, 3)) @ r.normal(size=(3, 100)) + r.normal(size=(200, 100))


def n10_banana(r):
    t = r.normal(size=300)
    return np.column_stack(
        [
            t,
            0.7 * t**2 + 0.5 * r.normal(size=300),
            0.5 * t + 0.8 * r.normal(size=300),
            0.3 * t**2 - t + 0.7 * r.normal(size=300),
            r.normal(size=(300, 6)),
        ]
    )


def n11_lognormal_block(r):
    return np.exp(0.8 * block(r, 300, 20, 0.5))


def n12_wide(r):
    e = r.normal(size=(80, 300))
    for j in range(1, 300):
        e[:, j] = 0.7 * e[:, j - 1] + np.sqrt(1 - 0.49) * e[:, j]
    return e


DESIGNS = {
    name[4:]: make for name, make in sorted(globals().items()) if name[0] == "s" and name[1:3].isdigit()
}
NULLS = {
    "no_" + name[4:]: make
    for name, make in sorted(globals().items())
    if name[0] == "n" and name[1:3].isdigit()
}
