"""Sections on the clusters: the consensus partition, its profiles, and its quality."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from xcompare.bagging.consensus.medoid import align_labels
from xcompare.results.partition import cluster_profiles
from xcompare.results.plots.partitions import (
    LARGEST_DIFFERENCE,
    density_panel,
    principal_components,
    scatter_panel,
)
from xcompare.results.plots.scores import PANELS
from xcompare.results.plots.style import LINES, color
from xcompare.results.report.colors import deviation, strength
from xcompare.results.report.drawing import figure
from xcompare.results.report.page import Block, Cell, Details, Figure, Figures, Section, Table, listed, text
from xcompare.results.wording import ENGINES

if TYPE_CHECKING:
    from xcompare.results.comparison import Comparison
    from xcompare.results.partition import ConsensusPartition
    from xcompare.results.sweep import Sweep

NO_DATA = (
    "Not available: the run store did not keep the data because of its size. The report written by the"
    " original comparison has this section."
)
NO_LABELS = "Without reference labels, partitions are compared with the consensus only."
NOTABLE = 0.5  # least difference of a feature named in a profile, in standard deviations
NAMED = 4  # features named per cluster at most


def partition_section(
    comparison: "Comparison", consensus: "ConsensusPartition | None", order: Sequence[str] | None = None
) -> Section | None:
    """The consensus partition on two components, and densities by feature; None without a partition."""
    title = "The clusters"
    if consensus is None:
        return None
    X, labels = comparison.X, consensus.labels
    table = () if comparison.labels is None else (_crosstab(comparison, comparison.labels, labels),)
    if X is None:
        # Components and densities are of numbers only.
        blocks_without = table if not comparison.info.plain else (text(NO_DATA), *table)
        return Section("clusters", title, blocks_without) if blocks_without else None
    sizes = np.bincount(labels)
    legend = tuple((color(k), f"cluster {k + 1} ({size} rows)") for k, size in enumerate(sizes))
    points, shares = principal_components(X)

    def scatter(codes: np.ndarray, title: str, description: str) -> Figure:
        return figure(lambda ax: scatter_panel(ax, points, shares, codes), title, description, (4.6, 3.6))

    said = f"Rows on two principal components, coloured by {len(sizes)} clusters."
    found, key = [scatter(labels, "Consensus partition", said)], legend
    if comparison.labels is not None:
        n_codes = max(int(comparison.labels.max()), int(labels.max())) + 1
        reference = align_labels(comparison.labels[None, :], labels, n_codes)[0]
        said = "The same rows, each label in the colour of its best-matching cluster."
        found.append(scatter(reference, "Reference labels", said))
        codes = dict(zip(comparison.labels.tolist(), reference.tolist(), strict=True))
        key += tuple((color(codes[at]), f"label {comparison.label_names[at]}") for at in sorted(codes))
    blocks: list[Block] = [text(_chosen(consensus, comparison)), Figures(tuple(found), key, wide=True)]
    blocks += table
    if len(sizes) > LINES:  # too many curves in a panel; the distributions show them
        return Section("clusters", title, tuple(blocks))
    names = list(comparison.overall_ranks.index if order is None else order)
    densities = density_figures(X, comparison.feature_names, names, labels)
    cut = f" The first {PANELS} of {len(names)}." if len(names) > PANELS else ""
    blocks.append(
        text(
            "Density of each feature within each cluster, most important feature first: features whose curves"
            f" do not overlap separate the clusters. Marks are rows; units are those of the data.{cut}"
        )
    )
    blocks.append(Figures(densities, legend))
    return Section("clusters", title, tuple(blocks))


def density_figures(
    X: np.ndarray, feature_names: Sequence[str], order: Sequence[str], labels: np.ndarray
) -> tuple[Figure, ...]:
    """Densities of the first features within each cluster."""
    return tuple(
        figure(
            partial(density_panel, values=X[:, feature_names.index(name)], labels=labels),
            f"{rank}. {name}",
            f"Density of {name} within each cluster, with a mark per row.",
            size=(3.4, 2.1),
            left=0.15,
            bottom=0.5,  # with space for the number of rows beyond the axis
        )
        for rank, name in enumerate(order[:PANELS], 1)
    )


def _crosstab(comparison: "Comparison", reference: np.ndarray, labels: np.ndarray) -> Table:
    heads = [f"Cluster {k + 1}" for k in range(int(labels.max()) + 1)]
    counts = pd.DataFrame(0, list(comparison.label_names), heads)
    np.add.at(counts.to_numpy(), (reference, labels), 1)
    sizes = counts.sum(axis=1).clip(lower=1)

    def cell(n: int, label: str, _: str) -> Cell:
        return Cell(str(n), strength(n / sizes[label]), number=True)

    return Table.indexed(counts, "Rows by reference label and cluster.", cell, first="Label")


def _chosen(consensus: "ConsensusPartition", comparison: "Comparison") -> str:
    """Origin of the consensus partition and its agreement with the others."""
    judged = ""
    if comparison.labels is not None:
        ari = adjusted_rand_score(comparison.labels, consensus.labels)
        judged = f" Its adjusted Rand index with the reference labels is {ari:.2f}."
    return (
        f"Of {consensus.n_partitions} partitions found by {consensus.n_methods} methods, this one is the"
        f" medoid (mean variation of information {consensus.distance:.2f} nats): run {consensus.run + 1} of"
        f" {consensus.method} in {ENGINES[consensus.engine]}.{judged}"
    )


def profiles_section(
    comparison: "Comparison", consensus: "ConsensusPartition | None", order: Sequence[str] | None = None
) -> Section | None:
    """Profiles of the clusters; None without a partition or the data."""
    if consensus is None or comparison.X is None:
        return None
    profiles = cluster_profiles(comparison.X, consensus.labels, comparison.feature_names)
    names = list(comparison.overall_ranks.index if order is None else order)
    sentences = listed([_sentence(part) for _, part in profiles.groupby("cluster")])
    profiles["cluster"] = "Cluster " + profiles["cluster"].astype(str)
    wide = profiles.pivot(index="feature", columns="cluster").loc[names, :]
    heads = list(dict.fromkeys(profiles["cluster"]))  # in order, as 10 comes before 2 in a pivot
    differences, means, entropies = (
        pd.DataFrame(wide[of], columns=heads) for of in ("difference", "mean", "conditional_entropy")
    )
    whole = profiles.drop_duplicates("feature").set_index("feature")["entropy"]

    def difference(value: float, name: str, cluster: str) -> Cell:
        mean = f"mean in the cluster: {means[cluster][name]:.4g}"
        return Cell(f"{value:+.2f}", deviation(value, LARGEST_DIFFERENCE), mean, number=True)

    def entropy(value: float, name: str, column: str) -> Cell:
        if column == "All rows":
            return Cell(f"{value:.2f}", number=True)
        fall = whole[name] - value
        less = f"{fall:+.2f} nats less than all rows"
        return Cell(f"{value:.2f}", strength(max(fall, 0.0) / 2), less, number=True)

    by_mean = Table.indexed(
        differences,
        "Standardised mean difference: the mean in the cluster minus the mean outside, in pooled standard"
        " deviations.",
        difference,
    )
    by_entropy = Table.indexed(
        pd.concat([whole[names].rename("All rows"), entropies], axis=1),
        "Entropy of the standardised feature, in nats: of all rows, and within each cluster. The larger"
        " the reduction (stronger colour), the more informative the cluster is about the feature.",
        entropy,
    )
    blocks = (sentences, by_mean, Details("Conditional entropy", (by_entropy,)))
    return Section("profiles", "What characterises each cluster", blocks)


def _sentence(part: pd.DataFrame) -> str:
    largest = part.loc[part["difference"].abs().sort_values(ascending=False).index].head(NAMED)
    said = [
        f"{'high' if row['difference'] > 0 else 'low'} {row['feature']} ({row['difference']:+.1f})"
        for _, row in largest.iterrows()
        if abs(row["difference"]) >= NOTABLE
    ]
    what = ", ".join(said) or "no feature differs by half a standard deviation"
    cluster, size = part[["cluster", "size"]].iloc[0]
    return f"Cluster {cluster} ({size} rows): {what}."


def quality_section(comparison: "Comparison") -> Section | None:
    """Agreement of the partitions with the reference labels and the consensus."""
    title, alike = "Clustering quality", "ARI with consensus"
    consensus, keys = comparison.consensus, list(comparison.clustering.index.names)
    if consensus is None and comparison.clustering.empty:
        return None
    found = pd.DataFrame(
        [
            (one.method, one.engine, adjusted_rand_score(consensus.labels, one.labels))
            for one in comparison.partitions
            if consensus is not None
        ],
        columns=["method", "engine", alike],
    ).astype({alike: float})
    of_methods = found.groupby(keys, sort=False)[alike].agg(["mean", "size"])
    of_methods.columns = [alike, "Runs"]
    names = {key: str(key).title() for key in keys}
    if comparison.labels is None:
        shown = of_methods.reset_index().rename(columns=names)
        return Section("quality", title, (text(NO_LABELS), Table.of(shown, "Agreement with the consensus.")))
    columns = {"ari_mean": "ARI", "ari_std": "± sd", "fm_mean": "FM", "fm_std": "± sd ", "runs": "Runs"}
    judged = comparison.clustering.rename(columns=columns).join(of_methods[alike])
    table = Table.of(
        judged.reset_index().rename(columns=names),
        "Agreement of partitions with the reference labels: adjusted Rand index (ARI) and Fowlkes-Mallows"
        " index (FM): 1 for identical partitions, and an ARI of 0 by chance. The last rows are baselines.",
    )
    return Section("quality", title, (table,))


def sweep_quality_section(sweep: "Sweep") -> Section | None:
    """Agreement with the reference labels by value; None without labels."""
    frame = sweep.clustering
    if frame.empty:
        return None
    wide = frame["ari_mean"].unstack(sweep.swept.option, sort=False)
    wide.columns = [sweep.swept.label(value) for value in sweep.comparisons]
    wide.index.names = [str(name).title() for name in wide.index.names]
    by = f"by number of {sweep.swept.words}"
    caption = f"Adjusted Rand index with the reference labels, mean over the runs, {by}."
    return Section("quality", "Clustering quality", (Table.of(wide.reset_index(), caption),))
