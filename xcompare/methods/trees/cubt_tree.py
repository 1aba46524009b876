"""The maximal tree of CUBT and its surrogate splits, which define the importances."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

TIE_TOLERANCE = 1e-9  # relative difference of gains that counts as a tie: rounding must not choose a split


@dataclass(frozen=True, eq=False)
class CubtTree:
    """A maximal tree and the clusters from pruning and joining; arrays over the nodes, the root first."""

    feature: np.ndarray  # (n_nodes,): feature of the split; -1 for a leaf
    threshold: np.ndarray  # (n_nodes,): points with ``x <= threshold`` go left; nan for a leaf
    # left, right: (n_nodes,): children; -1 for a leaf
    left: np.ndarray
    right: np.ndarray
    n_samples: np.ndarray  # (n_nodes,): points in the node
    deviance: np.ndarray  # (n_nodes,): sum of squares within the node, divided by the total number of points
    gain: np.ndarray  # (n_nodes,): decrease in deviance by the split; 0 for a leaf
    # (n_nodes,): cluster of a leaf of the pruned tree; -1 for its inner nodes and below its leaves
    cluster: np.ndarray

    def __repr__(self) -> str:
        inner = int((self.feature >= 0).sum())
        return f"CubtTree({inner} splits, {inner + 1} leaves, {self.cluster.max() + 1} clusters)"

    def export_text(
        self, feature_names: Sequence[str] | None = None, *, maximal: bool = False, decimals: int = 2
    ) -> str:
        """Text representation: a line per node with its condition, number of points and, for a leaf, cluster.

        ``feature_names``: None: ``x0, x1, ...``. ``maximal``: whether to show the tree before pruning.
        ``decimals``: digits of the thresholds.
        """
        n_features = int(self.feature.max()) + 1
        if feature_names is None:
            feature_names = [f"x{j}" for j in range(n_features)]
        elif len(feature_names) < n_features:
            raise ValueError(
                f"feature_names must name all features: the tree splits on feature {n_features - 1}, "
                f"got {len(feature_names)} names"
            )
        lines = []
        todo: list[tuple[int, int, str, str]] = [(0, -1, "", "all points")]
        while todo:
            node, cluster, indent, condition = todo.pop()
            cluster = max(cluster, int(self.cluster[node]))  # nodes below a pruned leaf belong to its cluster
            leaf = self.feature[node] < 0 or (cluster >= 0 and not maximal)
            lines.append(f"{indent}{condition} ({self.n_samples[node]})")
            if leaf:
                lines[-1] += f" -> cluster {cluster}"
                continue
            name, cut = feature_names[self.feature[node]], f"{self.threshold[node]:.{decimals}f}"
            for side, sign in ((self.right[node], ">"), (self.left[node], "<=")):
                todo.append((int(side), cluster, indent + "|   ", f"{name} {sign} {cut}"))
        return "\n".join(lines)


def grow(
    X: np.ndarray, min_split: int, min_size: int, min_dev: float, max_depth: int
) -> tuple[CubtTree, np.ndarray, list[np.ndarray]]:
    """Maximal tree, importance of each feature, and the rows of X in each node.

    Grows all nodes of one depth at a time. ``order``, of shape (n_features, n_rows), has their rows sorted
    by each feature; a node is the same segment of each line.
    """
    n, p = X.shape
    columns = np.ascontiguousarray(X.T)
    points = _in_few_dimensions(columns - columns.mean(axis=1, keepdims=True))
    order = np.argsort(columns, axis=1)
    sizes = np.array([n])
    goes_left = np.zeros(n, dtype=bool)
    child = np.zeros(n, dtype=np.intp)
    importances = np.zeros(p)
    levels: list[dict[str, np.ndarray]] = []
    members: list[np.ndarray] = []
    n_nodes, root_gain = 0, 0.0
    while len(sizes):
        segments = Segments(sizes)
        local, squares = _from_node_means(points, order[0], segments)
        levels.append(_leaves(sizes, squares / n))
        members += np.split(order[0], segments.starts[1:])
        n_nodes += len(sizes)
        if len(levels) > max_depth:
            break
        # With fewer than twice min_size points, one child would be too small.
        large = sizes >= max(min_split, 2 * min_size)
        searched = np.flatnonzero(large)
        if not len(searched):
            break
        if not large.all():
            order, sizes = order[:, large[segments.of]], sizes[large]
            segments = Segments(sizes)

        values = np.take_along_axis(columns, order, axis=1)
        cuts = np.zeros(order.shape, dtype=bool)  # whether a cut after this point is possible
        cuts[:, :-1] = values[:, :-1] < values[:, 1:]
        cuts[:, segments.ends] = False
        gains = np.where(cuts, _gains(local, order, segments) / n, -np.inf)
        best = segments.maximum(gains).max(axis=0)
        if len(levels) == 1:
            root_gain = best[0]
        cut_of = segments.first(gains >= np.where(best > 0, best * (1 - TIE_TOLERANCE), np.inf)[segments.of])
        feature = (cut_of <= segments.ends).argmax(axis=0)
        cut = np.minimum(cut_of[feature, np.arange(len(sizes))], segments.ends)
        left_sizes = cut - segments.starts + 1
        is_split = (best > max(min_dev, 1e-12) * root_gain * (1 + TIE_TOLERANCE)) & (
            np.minimum(left_sizes, sizes - left_sizes) >= min_size
        )
        if not is_split.any():
            break

        at = np.arange(order.shape[1])
        goes_left[order[feature[segments.of], at]] = at <= cut[segments.of]
        lefts = goes_left[order]
        importances += _surrogate_gains(gains, cuts, lefts, segments)[:, is_split].sum(axis=1)

        rank = np.cumsum(is_split) - 1
        below, above = values[feature, cut], values[feature, (cut + 1) % len(at)]
        middle = below / 2 + above / 2
        split = {
            "feature": feature,
            "threshold": np.where(middle < above, middle, below),
            "left": n_nodes + 2 * rank,
            "right": n_nodes + 2 * rank + 1,
            "gain": gains[feature, cut],
        }
        for name, value in split.items():
            levels[-1][name][searched[is_split]] = value[is_split]

        # Divide the rows of the split nodes by the child they go to; they stay sorted.
        child[order[0]] = (2 * rank)[segments.of] + ~lefts[0]
        order = order[:, is_split[segments.of]]
        target = child[order].astype(np.min_scalar_type(2 * len(sizes)))  # small integers sort in linear time
        order = np.take_along_axis(order, np.argsort(target, axis=1, kind="stable"), axis=1)
        sizes = np.column_stack([left_sizes, sizes - left_sizes])[is_split].ravel()

    arrays = {name: np.concatenate([level[name] for level in levels]) for name in levels[0]}
    return CubtTree(**arrays), importances, members


class Segments:
    """Consecutive segments of a line of points, one for each node."""

    def __init__(self, sizes: np.ndarray) -> None:
        self.sizes = sizes
        self.starts = np.cumsum(sizes) - sizes
        self.ends = self.starts + sizes - 1
        self.of = np.repeat(np.arange(len(sizes)), sizes)  # segment of each point
        self.k = np.arange(len(self.of)) - self.starts[self.of] + 1  # 1, 2, ... within a segment

    def maximum(self, lines: np.ndarray) -> np.ndarray:
        """Largest value of each line in each segment; shape (n_lines, n_segments)."""
        return np.maximum.reduceat(lines, self.starts, axis=1)

    def first(self, lines: np.ndarray) -> np.ndarray:
        """First true position of each line in each segment; beyond the end of the line if there is none."""
        n = len(self.of)
        return np.minimum.reduceat(np.where(lines, np.arange(n), n), self.starts, axis=1)


def _leaves(n_samples: np.ndarray, deviance: np.ndarray) -> dict[str, np.ndarray]:
    """The nodes of one depth, before splitting."""
    none = np.full(len(n_samples), -1)
    return {
        "feature": none,
        "threshold": np.full(len(none), np.nan),
        "left": none.copy(),
        "right": none.copy(),
        "n_samples": n_samples,
        "deviance": deviance,
        "gain": np.zeros(len(none)),
        "cluster": none.copy(),
    }


def _in_few_dimensions(columns: np.ndarray) -> np.ndarray:
    """Rotate the points into at most n_samples dimensions, which preserves norms and sums.

    Gains depend only on norms of sums of points, and n points span at most n dimensions.
    """
    n_features, n_samples = columns.shape
    return columns if n_features <= n_samples else np.linalg.qr(columns).R


def _from_node_means(
    columns: np.ndarray, rows: np.ndarray, segments: Segments
) -> tuple[np.ndarray, np.ndarray]:
    """The points centred by the mean of their node, and the sum of squares within each node."""
    points = columns[:, rows]
    means = np.add.reduceat(points, segments.starts, axis=1) / segments.sizes
    points -= means[:, segments.of]
    squares = np.einsum("cq,cq->q", points, points)
    local = np.zeros_like(columns)
    local[:, rows] = points
    return local, np.add.reduceat(squares, segments.starts)


def _gains(local: np.ndarray, order: np.ndarray, segments: Segments) -> np.ndarray:
    """Decrease in the sum of squares by each cut of each feature; same shape as ``order``.

    With s the sum of the k points on the left, centred by the mean of the node, the decrease is
    |s|^2 n / (k (n - k)). All s come from one cumulative sum, which returns to 0 at the end of a node
    up to a rounding error that is negligible for any split above min_dev.
    """
    squares = np.zeros(order.shape)
    for x in local:
        squares += np.square(np.cumsum(x[order], axis=1))
    n, k = segments.sizes[segments.of], segments.k
    return squares * (n / np.maximum(k * (n - k), 1))


def _surrogate_gains(
    gains: np.ndarray, cuts: np.ndarray, lefts: np.ndarray, segments: Segments
) -> np.ndarray:
    """Gain of each feature's surrogate for each node's split; shape (n_features, n_nodes).

    The surrogate is the ``x <= v``, with v a value of the feature, that sends the most points to the same
    side as the split; the smallest such v. At the largest v all points go left and the gain is 0.
    """
    # Points sent to the same side, up to a constant of the node.
    agreeing = 2 * np.cumsum(lefts, axis=1) - segments.k
    allowed = cuts.copy()
    allowed[:, segments.ends] = True
    agreeing[~allowed] = np.iinfo(agreeing.dtype).min
    at = segments.first(agreeing == segments.maximum(agreeing)[:, segments.of])
    gained = np.take_along_axis(gains, at, axis=1)
    gained[at == segments.ends] = 0
    return gained
