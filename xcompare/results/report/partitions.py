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
    found = figure(
        lambda ax: scatter_panel(ax, points, shares, labels),
        "Consensus partition",
        f"Rows on two principal components, coloured by {len(sizes)} clusters.",
        (4.6, 3.6),
    )
    blocks: list[Block] = [text(_chosen(consensus, comparison)), Figures((found,), legend, wide=True)]
    if comparison.labels is not None:
        n_codes = max(int(comparison.labels.max()), int(labels.max())) + 1
        reference = align_labels(comparison.labels[None, :], labels, n_codes)[0]
        known = figure(
            lambda ax: scatter_panel(ax, points, shares, reference),
            "Reference labels",
            "The same rows, each label in the colour of its best-matching cluster.",
            (4.6, 3.6),
        )
        codes = dict(zip(comparison.labels.tolist(), reference.tolist(), strict=True))
        labelled = tuple((color(codes[at]), f"label {comparison.label_names[at]}") for at in sorted(codes))
        blocks[1] = Figures((found, known), (*legend, *labelled), wide=True)
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
    counts = np.zeros((len(comparison.label_names), int(labels.max()) + 1), dtype=int)
    np.add.at(counts, (reference, labels), 1)
    heads = tuple(f"Cluster {k + 1}" for k in range(counts.shape[1]))
    rows = tuple(
        (Cell(name), *(Cell(str(n), strength(n / max(line.sum(), 1)), number=True) for n in line))
        for name, line in zip(comparison.label_names, counts, strict=True)
    )
    return Table("Rows by reference label and cluster.", ("Label", *heads), rows)


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
    wide = profiles.pivot(index="feature", columns="cluster").loc[names]
    differences, means, entropies = (wide[of] for of in ("difference", "mean", "conditional_entropy"))
    whole = profiles.drop_duplicates("feature").set_index("feature")["entropy"]
    heads = tuple(f"Cluster {cluster}" for cluster in differences.columns)
    by_mean = Table(
        "Standardised mean difference: the mean in the cluster minus the mean outside, in pooled standard"
        " deviations.",
        ("Feature", *heads),
        tuple((Cell(name), *map(_difference, differences.loc[name], means.loc[name])) for name in names),
    )
    by_entropy = Table(
        "Entropy of the standardised feature, in nats: of all rows, and within each cluster. The larger"
        " the reduction (stronger colour), the more informative the cluster is about the feature.",
        ("Feature", "All rows", *heads),
        tuple(
            (
                Cell(name),
                Cell(f"{whole[name]:.2f}", number=True),
                *(_entropy(value, whole[name]) for value in entropies.loc[name]),
            )
            for name in names
        ),
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


def _difference(value: float, mean: float) -> Cell:
    shade = deviation(value, LARGEST_DIFFERENCE)
    return Cell(f"{value:+.2f}", shade, f"mean in the cluster: {mean:.4g}", number=True)


def _entropy(value: float, whole: float) -> Cell:
    fall = whole - value
    return Cell(
        f"{value:.2f}", strength(max(fall, 0.0) / 2), f"{fall:+.2f} nats less than all rows", number=True
    )


def quality_section(comparison: "Comparison") -> Section | None:
    """Agreement of the partitions with the reference labels and the consensus."""
    title = "Clustering quality"
    if comparison.consensus is None and comparison.clustering.empty:
        return None
    frame = comparison.clustering.reset_index()
    alike = _agreement_with_consensus(comparison)
    if comparison.labels is None:
        return Section("quality", title, (text(NO_LABELS), Table.of(alike, "Agreement with the consensus.")))
    keys = [column for column in ("method", "engine") if column in frame]
    frame = frame.merge(
        alike.drop(columns="Runs"), how="left", left_on=keys, right_on=[key.title() for key in keys]
    )
    columns = {"ari_mean": "ARI", "ari_std": "± sd", "fm_mean": "FM", "fm_std": "± sd ", "runs": "Runs"}
    names = {key: key.title() for key in keys}
    shown = frame[[*keys, *columns, "ARI with consensus"]].rename(columns={**names, **columns})
    table = Table.of(
        shown,
        "Agreement of partitions with the reference labels: adjusted Rand index (ARI) and Fowlkes-Mallows"
        " index (FM): 1 for identical partitions, and an ARI of 0 by chance. The last rows are baselines.",
    )
    return Section("quality", title, (table,))


def _agreement_with_consensus(comparison: "Comparison") -> pd.DataFrame:
    """Mean adjusted Rand index of each method's partitions with the consensus."""
    records = [
        (found.method, found.engine, adjusted_rand_score(comparison.consensus.labels, found.labels))
        for found in comparison.partitions
        if comparison.consensus is not None
    ]
    frame = pd.DataFrame(records, columns=["Method", "Engine", "ARI with consensus"])
    keys = ["Method", "Engine"] if comparison.shows_engines else ["Method"]
    grouped = frame.groupby(keys, sort=False)["ARI with consensus"].agg(["mean", "size"]).reset_index()
    return grouped.rename(columns={"mean": "ARI with consensus", "size": "Runs"})


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
