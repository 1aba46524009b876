"""Tables as they occur in many fields, simulated by an author who had not seen the package.

Data with clusters (DESIGNS), without (NULLS), and with a known number of clusters (KDESIGNS), as in
`judgement_designs`. In the relevant features a mixture, K-means or linear discriminant analysis recovers the
clusters of every design with an adjusted Rand index of at least .86, over 20 draws.
"""

import numpy as np
from scipy import stats
from scipy.special import expit


def _labels(rng, n, props):
    """Random-order labels with (almost) the given proportions."""
    props = np.asarray(props, float) / np.sum(props)
    cut = np.round(np.cumsum(props) * n).astype(int)
    lab = np.searchsorted(cut, np.arange(n), side="right")
    return rng.permutation(lab)


def _finish(rng, rel, noise, lab):
    """Put relevant and irrelevant columns together in random column order."""
    X = np.column_stack([rel, noise]) if noise is not None and noise.shape[1] else np.asarray(rel, float)
    r = np.zeros(X.shape[1], bool)
    r[: rel.shape[1]] = True
    o = rng.permutation(X.shape[1])
    return np.ascontiguousarray(X[:, o], float), lab.astype(int), r[o]


def _factor(rng, n, m, nf=2, load=0.6, sparse=False):
    """Unit-variance Gaussian columns with nf common factors of about this loading (communality)."""
    if m == 0:
        return np.zeros((n, 0))
    L = rng.normal(size=(m, nf))
    if sparse:
        L = np.zeros((m, nf))
        L[np.arange(m), np.arange(m) % nf] = rng.choice([-1, 1], m)
    L /= np.maximum(np.linalg.norm(L, axis=1, keepdims=True), 1e-9)
    h = np.clip(load * rng.uniform(0.6, 1.3, m), 0, 0.95)
    return (rng.normal(size=(n, nf)) @ L.T) * h[:, None].T + rng.normal(size=(n, m)) * np.sqrt(1 - h**2)


def _general(rng, n, m, load=0.5):
    """Unit-variance Gaussian columns with one positive common factor (response style, size, market)."""
    h = np.clip(load * rng.uniform(0.6, 1.3, m), 0, 0.9)
    return rng.normal(size=(n, 1)) * h + rng.normal(size=(n, m)) * np.sqrt(1 - h**2)


def _blocks(rng, n, m, size=4, rho=0.7):
    """Unit-variance Gaussian columns in equicorrelated blocks."""
    return np.column_stack(
        [
            np.sqrt(rho) * rng.normal(size=(n, 1)) + np.sqrt(1 - rho) * rng.normal(size=(n, min(size, m - j)))
            for j in range(0, m, size)
        ]
    )


def _ordinal(Z, k, rng, spread=1.6):
    """Cut latent columns at item-specific thresholds into 1..k."""
    out = np.empty_like(Z)
    for j in range(Z.shape[1]):
        t = np.linspace(-spread, spread, k - 1) + rng.normal(0, 0.25)
        out[:, j] = 1 + np.searchsorted(t, Z[:, j])
    return out


def _randcov(rng, q, cond=8.0):
    """Random covariance with mean variance one and the given axis-ratio (of variances)."""
    Q, _ = np.linalg.qr(rng.normal(size=(q, q)))
    ev = np.exp(np.linspace(0, np.log(cond), q)) if q > 1 else np.ones(1)
    ev *= q / ev.sum()
    return (Q * ev) @ Q.T


def _nb(rng, mu, size):
    """Negative binomial counts with mean mu and dispersion size."""
    return rng.poisson(rng.gamma(size, mu / size)).astype(float)


def _ar(rng, n, m, phi=0.7):
    """Unit-variance columns, neighbours correlated like an AR(1) along the columns."""
    Z = rng.normal(size=(n, m))
    for j in range(1, m):
        Z[:, j] = phi * Z[:, j - 1] + np.sqrt(1 - phi**2) * Z[:, j]
    return Z


# ------------------------------------------------------------------ designs with clusters


def clinic_liver_panel(rng):
    """Hospital liver panel: log-normal enzymes in different units, three patient groups, rounding."""
    n = 320
    lab = _labels(rng, n, [0.55, 0.28, 0.17])
    mu = np.array(
        [[3.2, 3.2, 4.3, 2.3, 3.7], [5.2, 5.0, 4.5, 2.6, 3.6], [3.7, 3.9, 5.9, 4.4, 3.3]]
    )  # ALT AST ALP BILI ALB
    sd = np.array([0.65, 0.58, 0.45, 0.6, 0.15])
    Z = 0.5 * rng.normal(size=(n, 1)) + np.sqrt(0.75) * rng.normal(size=(n, 5))
    R = np.round(np.exp(mu[lab] + sd * Z))
    G = _factor(rng, n, 13, 3, 0.6)
    loc = rng.uniform(0.5, 5.5, 13)
    N = np.exp(loc + rng.uniform(0.08, 0.5, 13) * G)
    N[:, :7] = np.round(N[:, :7], 1)
    N[:, 7] = np.round(np.clip(54 + 15 * G[:, 7], 18, 95))
    return _finish(rng, R, N, lab)


def market_likert_segments(rng):
    """Market survey: 1-5 attitude items, four segments, acquiescence among the other items."""
    n, m, K = 420, 12, 4
    lab = _labels(rng, n, [0.35, 0.28, 0.22, 0.15])
    A = np.zeros((K, m))
    for k in range(K):
        A[k] = -0.95
        A[k, 3 * k : 3 * k + 3] = 1.15
    A += rng.normal(0, 0.12, A.shape)
    R = _ordinal(A[lab] + 0.95 * rng.normal(size=(n, m)), 5, rng, 1.3)
    return _finish(rng, R, _ordinal(_general(rng, n, 14, 0.55), 5, rng), lab)


def psychometric_severity_line(rng):
    """Depression questionnaire 1-7: three ordered severity classes on nine items, personality items beside
    it."""
    n, m = 350, 9
    lab = _labels(rng, n, [0.5, 0.3, 0.2])
    lev = np.array([-1.5, 0.1, 1.7])[lab][:, None] * rng.uniform(0.85, 1.15, m)
    R = _ordinal(lev + 0.25 * rng.normal(size=(n, 1)) + 0.7 * rng.normal(size=(n, m)), 7, rng, 1.9)
    return _finish(rng, R, _ordinal(_factor(rng, n, 15, 3, 0.65, True), 7, rng, 1.8), lab)


def machine_regimes(rng):
    """Pump sensors: four operating regimes as elongated correlated clouds, correlated neighbouring
    channels as noise."""
    n, q = 500, 4
    lab = _labels(rng, n, [0.4, 0.3, 0.18, 0.12])
    C = np.array([[0, 0, 0, 0], [4.5, 1.5, 0, 3], [0, 4.8, 3.8, -1], [4.5, -2, 4.5, 0.5]])
    R = np.empty((n, q))
    for k in range(4):
        i = lab == k
        R[i] = C[k] + rng.multivariate_normal(np.zeros(q), 1.5 * _randcov(rng, q, 12), i.sum())
    R = R * np.array([3.0, 0.4, 12.0, 55.0]) + np.array([60, 4.2, 210, 1450])
    N = _ar(rng, n, 9, 0.75) * rng.uniform(0.1, 40, 9) + rng.uniform(0, 200, 9)
    return _finish(rng, R, N, lab)


def cytometry_cell_types(rng):
    """Flow cytometry, arcsinh scale: six cell types by on/off markers, markers off or unspecific as noise."""
    n = 600
    lab = _labels(rng, n, [0.27, 0.2, 0.17, 0.14, 0.12, 0.10])
    on = np.array(
        [
            [1, 1, 0, 0, 0, 0, 0],
            [1, 0, 1, 0, 0, 0, 0],
            [0, 0, 0, 1, 0, 0, 1],
            [0, 0, 0, 0, 1, 0, 1],
            [0, 0, 0, 0, 0, 1, 0],
            [1, 0, 0, 0, 1, 1, 0],
        ]
    )
    mu = np.where(on, rng.uniform(2.8, 3.6, on.shape), rng.uniform(0.3, 0.6, on.shape))
    R = mu[lab] + np.where(on[lab], 0.8, 0.55) * rng.normal(size=(n, 7)) + 0.2 * rng.normal(size=(n, 1))
    N = 0.6 + 0.5 * _general(rng, n, 9, 0.5)
    N[:, :3] += rng.exponential(0.6, (n, 3))
    return _finish(rng, R, N, lab)


def tumour_expression_subtypes(rng):
    """Log gene expression, 250 genes, three tumour subtypes by 24 genes, co-expression modules among the
    rest."""
    n, m = 150, 24
    lab = _labels(rng, n, [0.45, 0.33, 0.22])
    A = np.zeros((3, m))
    for k in range(3):
        A[k, 8 * k : 8 * k + 8] = rng.choice([-1, 1], 8) * rng.uniform(1.2, 1.8, 8)
    R = A[lab] + rng.normal(size=(n, m)) * 0.95
    N = np.column_stack([_blocks(rng, n, 90, 9, 0.45), _factor(rng, n, 136, 3, 0.4)])
    X = np.column_stack([R, N])
    s = rng.uniform(0.5, 1.4, X.shape[1])
    X = X * s + rng.uniform(4, 12, X.shape[1])
    return _finish(rng, X[:, :m], X[:, m:], lab)


def metabolomics_two_types(rng):
    """Mass spectrometry metabolites, log-normal with detection limits, 180 columns, two metabolic types."""
    n, m = 200, 14
    lab = _labels(rng, n, [0.62, 0.38])
    A = np.outer([0, 1], rng.choice([-1, 1], m) * rng.uniform(1.1, 1.7, m))
    Z = np.column_stack(
        [A[lab] + 0.25 * rng.normal(size=(n, 1)) + rng.normal(size=(n, m)), _blocks(rng, n, 166, 6, 0.5)]
    )
    s = rng.uniform(0.3, 0.8, 180)
    X = np.exp(rng.uniform(1, 6, 180) + s * Z)
    for j in range(180):
        if rng.random() < 0.35:
            lod = np.quantile(X[:, j], rng.uniform(0.03, 0.2))
            X[:, j] = np.maximum(X[:, j], lod)
    return _finish(rng, X[:, :m], X[:, m:], lab)


def stream_invertebrates(rng):
    """Ecology: overdispersed counts of 34 taxa at sites of three habitats, 12 indicator taxa."""
    n, m = 200, 12
    lab = _labels(rng, n, [0.45, 0.33, 0.22])
    M = np.full((3, m), 1.0)
    for k in range(3):
        M[k, 4 * k : 4 * k + 4] = rng.uniform(7, 15, 4)
    R = _nb(rng, M[lab], 2.0)
    mu = np.exp(rng.uniform(-0.5, 2.5, 22) + 0.6 * _factor(rng, n, 22, 2, 0.5))
    return _finish(rng, R, _nb(rng, mu, 1.5), lab)


def web_usage_zero_inflated(rng):
    """Web log: zero-inflated page counts per user, four usage types each with its own two sections, 8 of
    20 columns."""
    n, m = 520, 8
    lab = _labels(rng, n, [0.4, 0.27, 0.2, 0.13])
    M = np.full((4, m), 0.35)
    for k in range(4):
        M[k, 2 * k : 2 * k + 2] = rng.uniform(11, 19, 2)
    R = _nb(rng, M[lab], 3.0)
    zi = np.where(M[lab] > 1, 0.06, 0.5)
    R[rng.random((n, m)) < zi] = 0
    N = _nb(rng, np.exp(rng.uniform(-0.3, 1.6, 12) + 0.7 * _general(rng, n, 12, 0.5)), 1.0)
    N[rng.random(N.shape) < 0.25] = 0
    return _finish(rng, R, N, lab)


def symptom_checklist_binary(rng):
    """Yes/no symptom checklist of 34 items, three syndromes on 18 of them, a complaint trait in the rest."""
    n, m = 330, 18
    lab = _labels(rng, n, [0.45, 0.32, 0.23])
    P = np.full((3, m), 0.13)
    for k in range(3):
        P[k, 6 * k : 6 * k + 6] = rng.uniform(0.7, 0.86, 6)
    R = (rng.random((n, m)) < P[lab]).astype(float)
    N = (_general(rng, n, 16, 0.5) > rng.uniform(-0.6, 1.1, 16)).astype(float)
    return _finish(rng, R, N, lab)


def fund_returns_heavy_tails(rng):
    """Fund characteristics with t(4) tails: three styles by five measures, a market factor in the others."""
    n, m = 280, 5
    lab = _labels(rng, n, [0.5, 0.3, 0.2])
    A = np.array([[0, 0, 0, 0, 0], [3.6, -1.2, 2.8, 0, 2.2], [0.6, 3.6, -1.8, 3.4, -2.2]])
    R = A[lab] + 0.75 * stats.t.rvs(4, size=(n, m), random_state=rng)
    R = R * np.array([0.06, 0.3, 1.5, 2.2, 0.01]) + np.array([0.12, 0.9, 3, 5, 0.02])
    G = _general(rng, n, 11, 0.65) / np.sqrt(rng.chisquare(4, size=(n, 1)) / 4)
    return _finish(rng, R, G * rng.uniform(0.01, 3, 11), lab)


def one_bimodal_hormone(rng):
    """Clinical table where a single hormone splits the sample in two, eleven correlated labs do not."""
    n = 240
    lab = _labels(rng, n, [0.6, 0.4])
    R = np.exp(np.array([1.2, 3.6])[lab] + 0.46 * rng.normal(size=n))[:, None]
    N = np.exp(rng.uniform(0, 4, 11) + 0.3 * _factor(rng, n, 11, 2, 0.65))
    return _finish(rng, np.round(R, 1), np.round(N, 1), lab)


def wine_chemistry(rng):
    """Wine chemistry: three cultivars, eight correlated measures of fourteen, elongated clouds, rounding."""
    n, m = 178, 8
    lab = _labels(rng, n, [0.33, 0.4, 0.27])
    A = np.array(
        [
            [1.0, 1.4, 1.5, 0.6, 1.2, -0.5, 1.1, 1.3],
            [-1.6, 0.1, 0.0, -0.3, -0.6, 1.2, 0.8, -1.2],
            [0.6, -1.6, -1.9, -0.9, 0.7, -1.5, -1.9, 0.2],
        ]
    )
    R = np.empty((n, m))
    for k in range(3):
        i = lab == k
        R[i] = 1.1 * A[k] + rng.multivariate_normal(np.zeros(m), 1.1 * _randcov(rng, m, 10), i.sum())
    R = np.round(
        R * np.array([0.8, 0.6, 0.9, 0.1, 0.5, 2.0, 0.2, 300])
        + np.array([13, 2.3, 2, 0.4, 1.6, 19, 0.9, 750]),
        2,
    )
    N = np.round(_factor(rng, n, 6, 2, 0.5) * rng.uniform(0.1, 14, 6) + rng.uniform(1, 100, 6), 2)
    return _finish(rng, R, N, lab)


def soil_survey_sites(rng):
    """Geodata: three survey areas as uniform patches in easting/northing with altitude, skewed metals as
    noise."""
    n = 300
    lab = _labels(rng, n, [0.45, 0.3, 0.25])
    c = np.array([[512.0, 5210.0], [531.0, 5222.0], [545.0, 5203.0]])
    xy = c[lab] + rng.uniform(-1, 1, (n, 2)) * np.array([[5.5, 4.0], [4.0, 5.0], [5.0, 4.0]])[lab]
    alt = np.array([120.0, 310.0, 190.0])[lab] + 35 * rng.normal(size=n) + rng.exponential(15, n)
    N = np.exp(rng.uniform(0, 4, 10) + 0.7 * _factor(rng, n, 10, 2, 0.7))
    return _finish(rng, np.column_stack([xy, alt]), np.round(N, 1), lab)


def customer_rfm(rng):
    """Shop customers: recency, orders, spend and basket log-normal, five groups, five other skewed
    columns."""
    n = 450
    lab = _labels(rng, n, [0.3, 0.24, 0.2, 0.15, 0.11])
    mu = np.array(
        [
            [2.0, 3.2, 6.2, 2.6],
            [5.2, 0.9, 3.4, 2.2],
            [3.6, 2.0, 7.6, 4.6],
            [2.2, 3.4, 3.8, 0.9],
            [5.4, 2.9, 5.6, 4.2],
        ]
    )
    R = np.exp(mu[lab] + np.array([0.55, 0.4, 0.65, 0.5]) * rng.normal(size=(n, 4)))
    R[:, :2] = np.round(R[:, :2]) + 1
    R[:, 2] = np.round(R[:, 2], 2)
    N = np.column_stack(
        [
            np.round(rng.gamma(9, 5, n)),
            _nb(rng, np.full(n, 2.0), 1.0),
            np.round(rng.lognormal(3, 0.8, n), 2),
            rng.beta(2, 5, n),
            rng.gamma(2, 30, n),
        ]
    )
    return _finish(rng, R, N, lab)


def mixed_intake_form(rng):
    """Clinic intake: continuous, binary, ordinal and count columns mixed; two patient types on nine of 24."""
    n = 290
    lab = _labels(rng, n, [0.64, 0.36])
    s = lab[:, None]
    cont = (
        np.array([[27, 130, 5.2]])
        + s * np.array([[7.0, 24, 1.8]])
        + rng.normal(size=(n, 3)) * np.array([[3.6, 13, 1.0]])
    )
    binr = (rng.random((n, 3)) < np.where(s == 1, [0.8, 0.75, 0.15], [0.15, 0.2, 0.7])).astype(float)
    ordi = _ordinal(1.5 * s - 0.6 + 0.8 * rng.normal(size=(n, 2)), 5, rng)
    cnt = rng.poisson(np.where(s == 1, 5.5, 1.8)).astype(float)
    R = np.column_stack([np.round(cont, 1), binr, ordi, cnt])
    G = _factor(rng, n, 15, 3, 0.55)
    N = np.column_stack(
        [
            np.round(50 + 14 * G[:, :1]),
            np.round(np.exp(2 + 0.5 * G[:, 1:5]), 1),
            (G[:, 5:9] > rng.uniform(-0.5, 0.9, 4)),
            _ordinal(G[:, 9:13], 5, rng),
            rng.poisson(np.exp(0.7 + 0.4 * G[:, 13:15])),
        ]
    )
    return _finish(rng, R, N, lab)


def duplicated_columns(rng):
    """Merged data base: irrelevant measurements stored several times (near duplicates), three clusters in
    four columns."""
    n = 240
    lab = _labels(rng, n, [0.42, 0.33, 0.25])
    A = np.array([[0, 0, 0, 0], [3.2, 0.4, 2.8, 0], [0.3, 3.2, 1.0, 2.9]])
    R = A[lab] + 0.85 * rng.normal(size=(n, 4))
    B = _factor(rng, n, 6, 1, 0.4)
    src = np.repeat(np.arange(6), [5, 4, 3, 3, 2, 1])
    N = B[:, src] * rng.uniform(0.5, 20, src.size) + rng.uniform(-5, 5, src.size)
    N = N + 0.06 * N.std(0) * rng.normal(size=N.shape)
    N[:, 1] = 2.54 * N[:, 0]
    return _finish(rng, R, N, lab)


def spectrometer_with_outliers(rng):
    """Process chemistry: three grades by four peaks, 0.7% gross errors in every column."""
    n = 260
    lab = _labels(rng, n, [0.45, 0.35, 0.2])
    A = np.array([[0, 0, 0, 0], [4.2, 2.6, 0, 1.5], [0, 3.5, 4.4, -2.4]])
    R = A[lab] + rng.multivariate_normal(np.zeros(4), 0.4 * np.eye(4) + 0.25, n)
    N = _blocks(rng, n, 8, 4, 0.6)
    X = np.column_stack([R, N]) * rng.uniform(0.5, 30, 12) + 100
    bad = rng.random(X.shape) < 0.007
    X = X + bad * X.std(0) * rng.choice([-1, 1], X.shape) * rng.uniform(4, 8, X.shape)
    return _finish(rng, X[:, :4], X[:, 4:], lab)


def trace_elements_lod(rng):
    """Water samples: trace elements, whole aquifers under the detection limit for some, three aquifers."""
    n, m = 220, 6
    lab = _labels(rng, n, [0.45, 0.32, 0.23])
    A = np.array(
        [[2.2, -0.8, -0.9, 2.2, 0, 1.0], [-0.9, 2.2, -0.8, 0.2, 2.2, 1.0], [-0.9, -0.9, 2.3, -0.9, 1.1, 3.2]]
    )
    X = np.exp(A[lab] + 0.85 * rng.normal(size=(n, m)) + 0.25 * rng.normal(size=(n, 1)))
    X = np.round(np.maximum(X, 0.5), 2)
    N = np.exp(0.8 * _factor(rng, n, 10, 2, 0.6))
    N = np.round(np.maximum(N, np.quantile(N, rng.uniform(0, 0.35, 10), axis=0).diagonal()), 2)
    return _finish(rng, X, N, lab)


def time_use_two_by_two(rng):
    """Time-use shares in percent (beta): one set of columns splits work type, another leisure type; four
    groups."""
    n = 380
    lab = _labels(rng, n, [0.33, 0.27, 0.22, 0.18])
    a, b = lab // 2, lab % 2
    m = 5
    P = np.column_stack(
        [
            np.where(a[:, None] == 1, rng.uniform(0.62, 0.72, m), rng.uniform(0.28, 0.38, m)),
            np.where(b[:, None] == 1, rng.uniform(0.25, 0.35, m), rng.uniform(0.58, 0.68, m)),
        ]
    )
    c = 13.0
    R = np.round(100 * rng.beta(c * P, c * (1 - P)))
    U = stats.norm.cdf(_general(rng, n, 22, 0.45))
    N = np.round(100 * stats.beta.ppf(U, rng.uniform(1.5, 5, 22), rng.uniform(2, 5, 22)))
    return _finish(rng, R, N, lab)


def rare_subtype(rng):
    """Insurance claims: a small group of 9% differs in six columns of 28, skewed amounts."""
    n, m = 550, 6
    lab = _labels(rng, n, [0.91, 0.09])
    d = np.array([2.3, 2.2, -2.1, 2.0, 2.2, -2.0])
    Z = np.where(lab[:, None] == 1, d, 0) + _general(rng, n, m, 0.25)
    R = np.exp(rng.uniform(1, 6, m) + 0.4 * Z)
    N = np.exp(rng.uniform(1, 6, 22) + rng.uniform(0.3, 0.7, 22) * _factor(rng, n, 22, 3, 0.55))
    return _finish(rng, np.round(R, 1), np.round(N, 1), lab)


def disease_stage_line(rng):
    """Biomarker panel of 45: four ordered disease stages on one line through eight markers."""
    n, m = 320, 8
    lab = _labels(rng, n, [0.35, 0.27, 0.22, 0.16])
    b = rng.choice([-1, 1], m) * rng.uniform(1.35, 1.75, m)
    R = np.array([0, 1, 2, 3.1])[lab][:, None] * b + rng.normal(size=(n, m))
    N = np.column_stack([_blocks(rng, n, 18, 6, 0.5), _factor(rng, n, 19, 2, 0.5)])
    return _finish(rng, R * rng.uniform(0.2, 5, m), N * rng.uniform(0.2, 5, 37), lab)


def proteomics_small_sample(rng):
    """Olink-type proteins, 110 persons, 70 proteins, two endotypes by ten, a sample-quality factor in the
    rest."""
    n, m = 110, 10
    lab = _labels(rng, n, [0.6, 0.4])
    A = np.outer([0, 1], rng.choice([-1, 1, 1], m) * rng.uniform(1.3, 2.0, m))
    R = A[lab] + _factor(rng, n, m, 2, 0.35)
    N = np.column_stack([_general(rng, n, 40, 0.65), stats.t.rvs(5, size=(n, 20), random_state=rng)])
    X = np.round(np.column_stack([R, N]) * rng.uniform(0.3, 1.2, 70) + rng.uniform(1, 9, 70), 2)
    return _finish(rng, X[:, :m], X[:, m:], lab)


def penguin_body_measures(rng):
    """Morphometrics: three species, all four body measures differ, allometric correlation, rounding."""
    n = 160
    lab = _labels(rng, n, [0.43, 0.22, 0.35])
    mu = np.array([[38.8, 18.3, 190, 3700], [49.3, 18.5, 197, 3650], [47.5, 14.9, 218, 5150]])
    sd = np.array([2.6, 1.05, 6.5, 380])
    Z = np.sqrt(0.45) * rng.normal(size=(n, 1)) + np.sqrt(0.55) * rng.normal(size=(n, 4))
    R = mu[lab] + sd * Z
    R = np.column_stack(
        [np.round(R[:, 0], 1), np.round(R[:, 1], 1), np.round(R[:, 2]), 25 * np.round(R[:, 3] / 25)]
    )
    return _finish(rng, R, None, lab)


DESIGNS = {
    f.__name__: f
    for f in [
        clinic_liver_panel,
        market_likert_segments,
        psychometric_severity_line,
        machine_regimes,
        cytometry_cell_types,
        tumour_expression_subtypes,
        metabolomics_two_types,
        stream_invertebrates,
        web_usage_zero_inflated,
        symptom_checklist_binary,
        fund_returns_heavy_tails,
        one_bimodal_hormone,
        wine_chemistry,
        soil_survey_sites,
        customer_rfm,
        mixed_intake_form,
        duplicated_columns,
        spectrometer_with_outliers,
        trace_elements_lod,
        time_use_two_by_two,
        rare_subtype,
        disease_stage_line,
        proteomics_small_sample,
        penguin_body_measures,
    ]
}

# ------------------------------------------------------------------ tables without clusters


def null_gaussian_factors(rng):
    """Ability tests: Gaussian three-factor model, 300 x 18."""
    return 100 + 15 * _factor(rng, 300, 18, 3, 0.75, True)


def null_skewed_labs(rng):
    """Healthy blood panel: correlated log-normal and gamma values in different units."""
    G = _factor(rng, 350, 16, 3, 0.55)
    X = np.exp(rng.uniform(0, 5, 16) + rng.uniform(0.15, 0.7, 16) * G)
    X[:, 12:] = stats.gamma.ppf(stats.norm.cdf(G[:, 12:]), rng.uniform(1.2, 4, 4)) * 20
    return np.round(X, 1)


def null_heavy_tails(rng):
    """Daily returns of one market: a market factor, t(3)-like tails."""
    n, m = 400, 20
    Z = 0.6 * stats.t.rvs(4, size=(n, 1), random_state=rng) + stats.t.rvs(3, size=(n, m), random_state=rng)
    return 0.01 * Z * rng.uniform(0.5, 2, m)


def null_counts(rng):
    """Plant counts in one habitat: overdispersed counts with a site-size factor."""
    mu = np.exp(rng.uniform(0.3, 2.8, 22) + 0.5 * _general(rng, 250, 22, 0.6))
    return _nb(rng, mu, 3.0)


def null_zero_inflated(rng):
    """Single-cell-type gene counts: low negative binomial counts with dropouts, many zeros."""
    n, m = 300, 30
    depth = rng.lognormal(0, 0.35, (n, 1))
    X = _nb(rng, depth * np.exp(rng.uniform(-0.8, 1.2, m)), 1.0)
    X[rng.random((n, m)) < 0.2] = 0
    return X


def null_likert_one_factor(rng):
    """Job satisfaction scale 1-5: one common factor with response style."""
    return _ordinal(_general(rng, 400, 20, 0.6), 5, rng, 1.5)


def null_binary_trait(rng):
    """Test of 25 right/wrong items with one latent ability (Rasch-like)."""
    n, m = 350, 25
    th = rng.normal(size=(n, 1))
    return (rng.random((n, m)) < expit(1.1 * th - rng.uniform(-1.5, 1.5, m))).astype(float)


def null_mixed_columns(rng):
    """Health survey: Gaussian copula with normal, skewed, count, ordinal and binary margins."""
    G = _factor(rng, 380, 18, 3, 0.5)
    U = stats.norm.cdf(G)
    return np.column_stack(
        [
            170 + 9 * G[:, 0],
            np.round(45 + 13 * G[:, 1]),
            np.exp(3 + 0.6 * G[:, 2:6]),
            stats.poisson.ppf(U[:, 6:9], 2.5),
            _ordinal(G[:, 9:14], 5, rng),
            (G[:, 14:18] > rng.uniform(-0.3, 1.0, 4)),
        ]
    )


def null_bounded_shares(rng):
    """Visual analogue scales 0-100: bounded beta answers with a common factor."""
    U = stats.norm.cdf(_general(rng, 260, 12, 0.5))
    return 100 * stats.beta.ppf(U, rng.uniform(1.2, 4, 12), rng.uniform(1.2, 4, 12))


def null_rounded_anthropometry(rng):
    """Body measures of one sex with a strong size factor, rounded to whole or half centimetres."""
    X = 80 + _general(rng, 300, 9, 0.8) * rng.uniform(2, 8, 9)
    X[:, :5] = np.round(X[:, :5])
    X[:, 5:] = np.round(2 * X[:, 5:]) / 2
    return X


def null_detection_limit(rng):
    """Pollutants from one region: log-normal, up to 45% at the detection limit."""
    X = np.exp(0.9 * _factor(rng, 240, 14, 2, 0.6))
    q = rng.uniform(0, 0.45, 14)
    lod = np.array([np.quantile(X[:, j], q[j]) for j in range(14)])
    return np.round(np.maximum(X, lod), 2)


def null_compositional(rng):
    """Rock geochemistry in percent: logistic-normal composition closed to 100."""
    L = rng.normal(0, 1.2, 10) + 0.5 * _factor(rng, 280, 10, 2, 0.6)
    E = np.exp(L)
    return 100 * E / E.sum(1, keepdims=True)


def null_many_columns(rng):
    """Gene expression of one tissue, n=120 and 220 genes in co-expression modules with a batch-like
    continuous factor."""
    n = 120
    X = np.column_stack([_blocks(rng, n, 100, 10, 0.5), _general(rng, n, 120, 0.4)])
    return 7 + X * rng.uniform(0.4, 1.5, 220)


def null_small_elliptical(rng):
    """Small pilot study, n=100: elliptical t(5) with random covariance, eight measures."""
    Z = rng.multivariate_normal(np.zeros(8), _randcov(rng, 8, 25), 100) / np.sqrt(
        rng.chisquare(5, (100, 1)) / 5
    )
    return Z * rng.uniform(0.5, 30, 8)


NULLS = {
    f.__name__[5:]: f
    for f in [
        null_gaussian_factors,
        null_skewed_labs,
        null_heavy_tails,
        null_counts,
        null_zero_inflated,
        null_likert_one_factor,
        null_binary_trait,
        null_mixed_columns,
        null_bounded_shares,
        null_rounded_anthropometry,
        null_detection_limit,
        null_compositional,
        null_many_columns,
        null_small_elliptical,
    ]
}

# ------------------------------------------------------------------ how many clusters


def _unit_shape(rng, n, q, shape):
    """n standardised (mean 0, variance 1, uncorrelated) draws of a shape."""
    if shape == "gauss":
        return rng.normal(size=(n, q))
    if shape == "uniform":
        return rng.uniform(-np.sqrt(3), np.sqrt(3), (n, q))
    if shape == "skew":
        return (rng.gamma(4.0, 1, (n, q)) - 4.0) / 2.0
    if shape == "t":
        return stats.t.rvs(7, size=(n, q), random_state=rng) / np.sqrt(7 / 5)
    raise ValueError(shape)


def _place(rng, covs, gap, line=False):
    """Centres whose nearest neighbours lie `gap` (mean) standard deviations apart along the line between
    them."""
    K, q = len(covs), covs[0].shape[0]

    def dist(a, b, ca, cb):
        d = a - b
        r = np.linalg.norm(d)
        u = d / r
        return r / (0.5 * (np.sqrt(u @ ca @ u) + np.sqrt(u @ cb @ u)))

    for _ in range(500):
        u0 = rng.normal(size=q)
        C = [np.zeros(q)]
        for k in range(1, K):
            for _try in range(200):
                j = k - 1 if line else rng.integers(k)
                u = u0 + (0.15 * rng.normal(size=q) if line else 0) if line else rng.normal(size=q)
                u = u / np.linalg.norm(u)
                s = 0.5 * (np.sqrt(u @ covs[j] @ u) + np.sqrt(u @ covs[k] @ u))
                c = C[j] + gap * s * u
                if all(i == j or dist(c, C[i], covs[k], covs[i]) >= gap * 1.02 for i in range(k)):
                    C.append(c)
                    break
            else:
                break
        if len(C) == K:
            return np.array(C)
    raise RuntimeError("centres could not be placed")


def _many(
    rng, n, props, q, shape="gauss", cond=1.0, common=False, gap=5.0, line=False, scales=None, full=False
):
    """Clusters of a shape, returned with labels."""
    K = len(props)
    lab = _labels(rng, n, props)
    S0 = _randcov(rng, q, cond) if q > 1 else np.ones((1, 1))
    covs = []
    for k in range(K):
        S = S0 if common or q == 1 else _randcov(rng, q, cond)
        covs.append(S * (scales[k] ** 2 if scales is not None else 1.0))
    C = _place(rng, covs, gap, line)
    X = np.empty((n, q))
    for k in range(K):
        i = lab == k
        w, V = np.linalg.eigh(covs[k])
        B = (V * np.sqrt(w)) @ V.T
        X[i] = C[k] + _unit_shape(rng, i.sum(), q, shape) @ B
    return X, lab


def _mix(rng, X, N=None):
    """Join with irrelevant columns, shuffle columns, shift and change the common unit."""
    if N is not None:
        X = np.column_stack([X, N])
    X = X[:, rng.permutation(X.shape[1])]
    return X * rng.uniform(0.5, 3) + rng.uniform(0, 10, X.shape[1])


def hm1_gauss_correlated(rng):
    """k=1: body measures, one correlated Gaussian cloud."""
    return _mix(rng, _general(rng, 250, 6, 0.7)), 1


def hm1_skewed_incomes(rng):
    """k=1: household money amounts, correlated skewed columns."""
    return np.exp(1 + 0.5 * _general(rng, 300, 5, 0.5)), 1


def hm1_uniform_settings(rng):
    """k=1: experimental settings spread uniformly, with Gaussian irrelevant columns."""
    return _mix(rng, rng.uniform(0, 4, (280, 3)), rng.normal(size=(280, 4))), 1


def hm1_heavy_tails(rng):
    """k=1: elliptical t(4) returns with irrelevant t columns."""
    n = 320
    Z = _general(rng, n, 5, 0.6) / np.sqrt(rng.chisquare(4, (n, 1)) / 4)
    return _mix(rng, Z, stats.t.rvs(5, size=(n, 4), random_state=rng)), 1


def hm1_small_factor(rng):
    """k=1: small sample, two strong factors in twelve questionnaire scores."""
    return _mix(rng, _factor(rng, 120, 12, 2, 0.7)), 1


def hm2_elongated(rng):
    """k=2: two parallel elongated clouds (two alloys)."""
    X, _ = _many(rng, 220, [0.55, 0.45], 4, cond=12, common=True)
    return _mix(rng, X), 2


def hm2_unequal_noise(rng):
    """k=2: rare type of 12% in three columns, six irrelevant correlated columns."""
    X, _ = _many(rng, 400, [0.88, 0.12], 3)
    return _mix(rng, X, _factor(rng, 400, 6, 2, 0.5)), 2


def hm3_round(rng):
    """k=3: three round clusters in five measures (species morphometrics)."""
    X, _ = _many(rng, 240, [0.4, 0.33, 0.27], 5)
    return _mix(rng, X), 3


def hm3_skewed_noise(rng):
    """k=3: skewed clusters (laboratory values) with five irrelevant skewed columns."""
    X, _ = _many(rng, 330, [0.5, 0.3, 0.2], 4, "skew")
    return _mix(rng, X, (rng.gamma(3, 1, (330, 5)) - 3) / np.sqrt(3)), 3


def hm3_line_ordered(rng):
    """k=3: ordered severity, three clusters on a line in four columns."""
    X, _ = _many(rng, 300, [0.45, 0.35, 0.2], 4, line=True)
    return _mix(rng, X), 3


def hm4_uniform_patches(rng):
    """k=4: uniform patches on a map (two coordinates), sizes unequal."""
    X, _ = _many(rng, 400, [0.35, 0.3, 0.2, 0.15], 2, "uniform", gap=5.2)
    return _mix(rng, X), 4


def hm4_correlated_noise(rng):
    """k=4: differently correlated clouds (operating regimes) with eight irrelevant sensors."""
    X, _ = _many(rng, 450, [0.33, 0.27, 0.22, 0.18], 4, cond=6)
    return _mix(rng, X, _blocks(rng, 450, 8, 4, 0.5)), 4


def hm5_unequal_sizes_spread(rng):
    """k=5: customer groups of unequal size and spread in three columns."""
    X, _ = _many(rng, 500, [0.36, 0.24, 0.18, 0.13, 0.09], 3, scales=[1.2, 0.8, 1.0, 0.7, 1.1])
    return _mix(rng, X), 5


def hm5_round_noise(rng):
    """k=5: cell types in six markers with six unspecific markers."""
    X, _ = _many(rng, 500, [0.25, 0.23, 0.2, 0.18, 0.14], 6)
    return _mix(rng, X, _general(rng, 500, 6, 0.3)), 5


def hm6_round(rng):
    """k=6: six chemical grades, round heavy-shouldered (t7) clusters in four columns."""
    X, _ = _many(rng, 540, [0.22, 0.2, 0.17, 0.15, 0.14, 0.12], 4, "t")
    return _mix(rng, X), 6


def hm6_elongated_noise(rng):
    """k=6: elongated clusters of common orientation in five columns, four irrelevant columns."""
    X, _ = _many(rng, 600, [0.22, 0.2, 0.18, 0.15, 0.13, 0.12], 5, cond=5, common=True)
    return _mix(rng, X, rng.normal(size=(600, 4))), 6


KDESIGNS = {
    f.__name__: f
    for f in [
        hm1_gauss_correlated,
        hm1_skewed_incomes,
        hm1_uniform_settings,
        hm1_heavy_tails,
        hm1_small_factor,
        hm2_elongated,
        hm2_unequal_noise,
        hm3_round,
        hm3_skewed_noise,
        hm3_line_ordered,
        hm4_uniform_patches,
        hm4_correlated_noise,
        hm5_unequal_sizes_spread,
        hm5_round_noise,
        hm6_round,
        hm6_elongated_noise,
    ]
}
