"""The forest against brute force: every split, every vote, every bag."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcompare.core.compilation import can_compile
from xcompare.methods.forest import cuts as cuts_module
from xcompare.methods.forest import growing
from xcompare.methods.forest.cuts import FeatureRanks, Level, best_cuts
from xcompare.methods.forest.growing import grow_forest, majority
from xcompare.methods.forest.votes import predict_permuted

compiled = pytest.mark.skipif(not can_compile(), reason="numba is not installed, or XCOMPARE_COMPILED is 0")
LOOPS = [False, pytest.param(True, marks=compiled)]
ARRAYS = ("counts", "feature", "threshold", "left", "label", "gini", "nominal")
COLUMNS = [
    pytest.param(False, None, id="numbers"),
    pytest.param(True, None, id="ties"),
    pytest.param(True, np.array([True, False, True, False]), id="levels"),
]


def data(seed, n=40, p=4, ties=False):
    rng = np.random.default_rng(seed)
    X = rng.integers(4, size=(n, p)).astype(float) if ties else rng.normal(size=(n, p))
    return X, np.repeat([0, 1], n // 2), rng


def gini(weights, y):
    """Weighted rows times impurity."""
    n, n1 = weights.sum(), weights[y == 1].sum()
    return 2 * n1 * (n - n1) / n if n else 0.0


def split_gains(X, y, weights, feature, nominal=None):
    """Decrease of the Gini index at every midpoint of a feature, or for every subset of levels."""
    x = X[:, feature]
    values = np.unique(x[weights > 0])
    if nominal is not None and nominal[feature]:
        chosen = [some for n in range(1, len(values)) for some in combinations(values[:-1], n)]
        lefts = {float(sum(1 << int(level) for level in some)): np.isin(x, some) for some in chosen}
    else:
        lefts = {cut: x <= cut for cut in (values[1:] + values[:-1]) / 2}
    left = {cut: weights * goes for cut, goes in lefts.items()}
    return {cut: gini(weights, y) - gini(w, y) - gini(weights - w, y) for cut, w in left.items()}


def walk(trees, node, x):
    while trees.feature[node] >= 0:
        j, limit = trees.feature[node], trees.threshold[node]
        right = not int(limit) >> int(x[j]) & 1 if trees.nominal[j] else x[j] > limit
        node = trees.left[node] + right
    return node


@pytest.mark.slow
@pytest.mark.parametrize("by_loops", LOOPS)
@pytest.mark.parametrize(("ties", "nominal"), COLUMNS)
def test_with_all_features_drawn_every_split_is_the_best_one(ties, nominal, by_loops):
    X, y, rng = data(0, ties=ties)
    for trees in grow_forest(X, y, 5, X.shape[1], rng, nominal=nominal, by_loops=by_loops):
        total = np.zeros(X.shape[1])
        todo = [(tree, weights.astype(float)) for tree, weights in enumerate(trees.counts)]
        while todo:
            node, weights = todo.pop()
            gains = [split_gains(X, y, weights, j, nominal) for j in range(X.shape[1])]
            feature = trees.feature[node]
            if feature < 0:
                assert gini(weights, y) == 0 or not any(gains)  # pure, or nothing left to split on
                share = weights[y == 1].sum() / weights.sum()
                assert share == 0.5 or trees.label[node] == (share > 0.5)
                continue
            gain = gains[feature][trees.threshold[node]]
            assert gain == pytest.approx(max(max(g.values()) for g in gains if g))
            total[feature] += gain
            right = X[:, feature] > trees.threshold[node]
            if trees.nominal[feature]:
                right = int(trees.threshold[node]) >> X[:, feature].astype(int) & 1 == 0
            todo += [(trees.left[node], weights * ~right), (trees.left[node] + 1, weights * right)]
        np.testing.assert_allclose(trees.gini, total)


def assert_same_trees(trees, expected):
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(trees, name), getattr(expected, name), err_msg=name)


@pytest.mark.parametrize("ties", [False, True])
def test_long_integers_grow_the_trees_of_short_ones(ties, monkeypatch):
    X, y, _ = data(7, n=200, ties=ties)
    X[:, 3] = 1.0
    (short,) = grow_forest(X, y, 10, 2, np.random.default_rng(0))
    monkeypatch.setattr(cuts_module, "SHORT_KEY", 0)
    (long,) = grow_forest(X, y, 10, 2, np.random.default_rng(0))
    assert_same_trees(long, short)


@pytest.mark.parametrize("n_levels", [2, 10, 64, 1000])
def test_cuts_are_those_of_the_largest_gain(n_levels):
    rng = np.random.default_rng(n_levels)
    sizes = np.array([3, 40, 2, 90])
    rank = rng.integers(n_levels, size=sizes.sum())
    weight, y = rng.integers(1, 4, size=len(rank)), rng.integers(2, size=len(rank))
    starts = np.cumsum(sizes) - sizes
    total, ones = np.add.reduceat(weight, starts), np.add.reduceat(weight * y, starts)
    level = Level((np.arange(len(rank)) << 3) | (2 * weight + y), 3, sizes, total, ones)
    ranks = FeatureRanks(rank[:, None].astype(float))
    ranks.flat = rank.astype(np.uint32)
    ranks.n_levels = n_levels
    drawn = np.zeros((1, 4), dtype=np.intp)
    found = [best_cuts(level, ranks, drawn, rng, by_loops) for by_loops in {False, can_compile()}]
    for node, start in enumerate(starts):
        rows = slice(start, start + sizes[node])
        gains = split_gains(rank[rows, None].astype(float), y[rows], weight[rows].astype(float), 0)
        for cuts in found:
            cut = (cuts.below[node] + cuts.above[node]) / 2
            assert cuts.gain[node] == (pytest.approx(max(gains.values())) if gains else -1)
            assert not gains or gains[cut] == pytest.approx(cuts.gain[node])


# Around the limits of what marks ranks: 64 of them in a word, 4,096 in a block.
@compiled
@pytest.mark.slow
@given(
    st.integers(0, 2**31),
    st.sampled_from([2, 3, 30, 64, 65, 66, 150, 2048, 4096, 4097, 4100]),
    st.sampled_from([1, 2, 5, 63, 64, 65, 10**6]),
    st.integers(1, 3),
    st.floats(0, 1),
    st.booleans(),
)
def test_trees_and_votes_are_the_same_in_machine_code(seed, n_rows, n_levels, max_features, share, levels):
    rng = np.random.default_rng(seed)
    X = rng.integers(n_levels, size=(n_rows, 3)) * rng.choice([1.0, 1e-300, 1e300], size=3)
    nominal = np.array([False, levels, levels])
    if levels:
        X[:, 1:] = rng.integers(min(n_levels, 53), size=(n_rows, 2))
    y = (rng.random(n_rows) < share).astype(int)
    n_trees = 3 if n_rows > 1000 else 12
    streams = [np.random.default_rng(seed) for _ in range(2)]
    forests = [
        list(grow_forest(X, y, n_trees, max_features, stream, nominal=nominal, by_loops=by_loops))
        for stream, by_loops in zip(streams, (False, True), strict=True)
    ]
    assert streams[0].random() == streams[1].random()  # as much was drawn
    for trees, same in zip(*forests, strict=True):
        assert_same_trees(same, trees)
    (trees,) = forests[0]
    tree, row = np.nonzero(trees.counts == 0)
    given = trees, X, rng.permuted(X, axis=0), tree, row, row[::-1].copy()
    assert_same_votes(*given)


def assert_same_votes(*given):
    votes, *others = predict_permuted(*given)
    same_votes, *same_others = predict_permuted(*given, by_loops=True)
    np.testing.assert_array_equal(same_votes, votes)
    orders = [np.lexsort(found[::-1]) for found in (others, same_others)]
    for values, same_values in zip(others, same_others, strict=True):
        np.testing.assert_array_equal(same_values[orders[1]], values[orders[0]])


@compiled
def test_many_trees_are_grown_in_parts_in_machine_code_too(monkeypatch):
    monkeypatch.setattr(growing, "GROW_AT_ONCE", 100)
    X, y, _ = data(8, ties=True)
    forests = [
        list(grow_forest(X, y, 7, 2, np.random.default_rng(0), by_loops=by_loops))
        for by_loops in (False, True)
    ]
    assert [len(trees.counts) for trees in forests[0]] == [2, 2, 2, 1]
    for trees, same in zip(*forests, strict=True):
        assert_same_trees(same, trees)


@pytest.mark.parametrize(("n_features", "max_features"), [(2, 2), (5, 3), (3000, 4)])
def test_features_drawn_for_a_node_are_distinct(n_features, max_features):
    drawn = growing._draw_features(500, n_features, max_features, np.random.default_rng(0))
    assert drawn.shape == (max_features, 500)
    assert drawn.min() >= 0
    assert drawn.max() < n_features
    assert all(len(set(features)) == max_features for features in drawn.T)


def test_every_order_of_features_is_drawn_equally_often():
    drawn = growing._draw_features(24_000, 4, 3, np.random.default_rng(1))
    counts = np.unique(drawn, axis=1, return_counts=True)[1]
    assert len(counts) == 24
    np.testing.assert_allclose(counts, 1000, atol=150)


def test_bags_are_bootstrap_samples():
    X, y, rng = data(1)
    counts = np.concatenate([trees.counts for trees in grow_forest(X, y, 2000, 2, rng)])
    assert counts.shape == (2000, 40)
    assert (counts.sum(axis=1) == 40).all()
    assert (counts == 0).mean() == pytest.approx((1 - 1 / 40) ** 40, abs=0.01)


def test_a_node_whose_drawn_features_are_constant_is_a_leaf():
    X, y, rng = data(2)
    X[:, 1:] = 7.0  # of 4 features only the first can split
    roots = np.concatenate([trees.feature[: len(trees.counts)] for trees in grow_forest(X, y, 2000, 2, rng)])
    assert set(roots) == {-1, 0}
    assert (roots == 0).mean() == pytest.approx(1 / 2, abs=0.05)  # 3 of the 6 pairs contain the first


def test_every_feature_is_drawn_equally_often():
    X, y, rng = data(3, p=5)
    X[:] = X[:, :1]  # equal columns: whichever is drawn first splits
    roots = np.concatenate([trees.feature[: len(trees.counts)] for trees in grow_forest(X, y, 5000, 2, rng)])
    np.testing.assert_allclose(np.bincount(roots) / 5000, 1 / 5, atol=0.03)


@pytest.mark.parametrize("by_loops", LOOPS)
@pytest.mark.parametrize(("ties", "nominal"), COLUMNS)
def test_votes_with_a_feature_replaced_are_those_of_the_row_so_changed(ties, nominal, by_loops):
    X, y, rng = data(4, n=30, ties=ties)
    permuted = rng.permuted(X, axis=0)
    (trees,) = grow_forest(X, y, 6, 2, rng, nominal=nominal)
    tree, row = (index.ravel() for index in np.indices((6, 30)))
    votes, entry, feature = predict_permuted(trees, X, permuted, tree, row, row, by_loops=by_loops)
    changed = np.repeat(votes[:, None], X.shape[1], axis=1)
    changed[entry, feature] = 1 - votes[entry]
    assert len(entry) == len(set(zip(entry, feature, strict=True)))
    for i, (t, r) in enumerate(zip(tree, row, strict=True)):
        assert votes[i] == trees.label[walk(trees, t, X[r])]
        for j in range(X.shape[1]):
            x = X[r].copy()
            x[j] = permuted[r, j]
            assert changed[i, j] == trees.label[walk(trees, t, x)]


def test_in_bag_rows_are_learnt_by_heart():
    X, y, rng = data(5)
    (trees,) = grow_forest(X, y, 20, 2, rng)
    tree, row = np.nonzero(trees.counts)
    votes, *_ = predict_permuted(trees, X, X, tree, row, row)
    np.testing.assert_array_equal(votes, y[row])


def test_majority_breaks_ties_at_random():
    rng = np.random.default_rng(6)
    np.testing.assert_array_equal(majority(np.array([0, 1, 2, 3]), np.full(4, 3), rng), [0, 0, 1, 1])
    assert majority(np.full(4000, 2), np.full(4000, 4), rng).mean() == pytest.approx(0.5, abs=0.05)


def test_53_levels_are_split_into_subsets_and_those_a_node_lacks_go_right():
    codes = np.arange(53.0).repeat(4)
    X, y = codes[:, None], (codes % 2).astype(int)
    (trees,) = grow_forest(X, y, 3, 1, np.random.default_rng(0), nominal=np.array([True]))
    for tree, counts in enumerate(trees.counts):
        present = np.unique(codes[counts > 0]).astype(int)
        subset = int(trees.threshold[tree])
        left = {level for level in range(53) if subset >> level & 1}
        assert left == {level for level in present if level % 2 != present[-1] % 2}
