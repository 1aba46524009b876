"""Plots of clusters: every feature and cluster by name, numbers that are those of the data."""

from itertools import pairwise
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from xcompare.core.errors import DataError, UnknownNameError
from xcompare.core.features import Feature
from xcompare.results.clustered_table import ClusteredTable, deviations
from xcompare.results.effect_sizes import effect_sizes
from xcompare.results.plots.cluster_plots import ClusterPlots
from xcompare.results.plots.distributions import curve_panel, effect_curve, violin_panel, visible_range
from xcompare.results.plots.profiles import deviation_map, dot_plot, dot_values, shown_deviations
from xcompare.results.plots.style import panels

mpl.use("Agg")
FEATURES = (
    Feature("spend"),
    Feature("visits $_2$"),
    Feature("size", "ordinal", ("S", "M", "L")),
    Feature("member", "binary", ("no", "yes")),
    Feature("colour", "nominal", ("red", "green", "blue")),
)


@pytest.fixture(scope="module", params=[3, 20])
def plots(request):
    rng = np.random.default_rng(0)
    n_clusters = request.param
    codes = np.repeat(np.arange(n_clusters), 15)
    n = len(codes)
    X = np.column_stack(
        [
            rng.lognormal(3 + 0.3 * (codes % 5)),
            rng.poisson(codes % 3),
            rng.integers(0, 3, n),
            rng.random(n) < 0.5,
            (codes + (rng.random(n) < 0.3)) % 3,
        ]
    ).astype(float)
    X[rng.random(X.shape) < 0.05] = np.nan
    table = ClusteredTable(X, FEATURES, codes, tuple(map(str, range(n_clusters))))
    names = [feature.name for feature in FEATURES]
    effects = effect_sizes(table, table.against_rest(), n_bootstraps=20)
    return ClusterPlots(
        SimpleNamespace(name="shop", clustered=table, effects=effects, overall_ranks=pd.Series(1.0, names))
    )


def texts(labels):
    return [label.get_text() for label in labels]


def test_deviations_of_every_feature_and_cluster(plots):
    ax = plots.deviations()
    table = plots._table
    found = deviations(table)
    assert sorted(texts(ax.get_yticklabels())) == sorted(found.index)
    assert len(ax.get_xticklabels()) == len(table.clusters)
    shown = np.asarray(ax.images[0].get_array())
    assert shown == pytest.approx(found.loc[texts(ax.get_yticklabels())].to_numpy())


def test_dots_are_shares_and_means(plots):
    table = plots._table
    sizes, means = dot_values(table, ["spend", "member"])
    x = table.X[table.codes == 1, 0]
    assert sizes.loc["spend", "1"] == pytest.approx((x[~np.isnan(x)] > np.nanmedian(table.X[:, 0])).mean())
    assert (means.loc["spend"].min(), means.loc["spend"].max()) == (0, 1)
    assert sizes.loc["member: yes", "1"] == pytest.approx(np.nanmean(table.X[table.codes == 1, 3]))
    plots.dots().figure.canvas.draw()


def test_long_names_fit_beside_the_dots():
    names = [f"satisfaction with the service in the year {year}" for year in range(2020, 2024)]
    X = np.random.default_rng(0).normal(size=(20, 4))
    table = ClusteredTable(X, tuple(map(Feature, names)), np.repeat([0, 1], 10), ("a", "b"))
    for plot in (dot_plot, deviation_map):
        ax = plot(table, names, "survey")
        ax.figure.canvas.draw()
        assert all(label.get_window_extent().x0 >= 0 for label in ax.get_yticklabels())


def test_long_titles_are_wrapped():
    def draw(ax, name):
        ax.set_title(name)

    long, short = panels(["satisfaction with the service in the year 2020", "a  b"], draw)
    assert (long.get_title(), short.get_title()) == (
        "satisfaction with the service in\nthe year 2020",
        "a  b",
    )


def test_snakes_of_many_clusters_have_a_panel_each(plots):
    axes = plots.snake()
    n_clusters = len(plots._table.clusters)
    assert len(axes) == (1 if n_clusters == 3 else n_clusters)
    assert len(axes[0].get_lines()) == n_clusters + 1  # and the line at 0


def test_distributions_and_curves_by_feature(plots):
    axes = plots.distributions()
    assert [ax.get_title() for ax in axes] == [feature.name for feature in FEATURES]
    assert texts(axes[0].get_yticklabels())[:2] == ["cluster 0", "cluster 1"]
    [legend] = [ax.get_legend() for ax in axes if ax.get_title() == "colour"]
    assert texts(legend.get_texts()) == ["red", "green", "blue"]
    assert [ax.get_title() for ax in plots.curves(["size"])] == ["size"]


def test_effect_curves_share_out_all_rows(plots):
    table = plots._table
    for feature in FEATURES:
        middles, shares = effect_curve(table, feature.name)
        assert (np.diff(middles) > 0).all()
        assert shares.sum(axis=1) == pytest.approx(1)


def test_contrast_bars_lie_within_their_intervals(plots):
    ax = plots.contrast(1, top=4)
    assert len(ax.patches) == 4
    assert ax.get_title() == "cluster 1 against rest"
    ends = np.array([segment[:, 0] for segment in ax.collections[0].get_segments()])
    widths = np.array([bar.get_width() for bar in ax.patches])
    assert ((ends[:, 0] <= widths + 0.1) & (widths - 0.1 <= ends[:, 1])).all()
    assert len(plots.contrasts()) == len(plots._table.clusters)
    with pytest.raises(UnknownNameError, match="got 1 against 2"):
        plots.contrast(1, 2)


def test_without_clusters_there_is_nothing_to_draw():
    with pytest.raises(DataError, match="there are no clusters to draw"):
        ClusterPlots(SimpleNamespace(clustered=None)).deviations()


def test_one_far_value_does_not_squeeze_the_others():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], [12, 8])
    values = rng.normal(3 * codes)
    values[0] = 1e4
    low, high = visible_range(values, codes)
    assert low > -6
    assert high < 12
    ax = mpl.figure.Figure().add_subplot()
    violin_panel(ax, values, codes, ("a", "b"))
    assert ax.get_xlabel().startswith("1 row beyond the axis")
    assert ax.get_xlim()[1] < 13
    # A small cluster far from the others is no outlier.
    assert (
        visible_range(np.append(rng.normal(size=200), rng.normal(100, 1, 12)), np.repeat([0, 1], [200, 12]))[
            1
        ]
        > 99
    )


@pytest.mark.parametrize(("draw", "left"), [("curve", 0.17), ("violin", 0.35)])
def test_labels_of_long_numbers_do_not_overlap(draw, left):
    days = np.linspace(18_600, 19_500, 220)
    codes = np.arange(220) // 110
    figure = Figure(figsize=(3.6, 2.6))
    ax = figure.add_axes((left, 0.19, 0.93 - left, 0.77))
    if draw == "curve":
        curve_panel(ax, ClusteredTable(days[:, None], (Feature("joined"),), codes, ("1", "2")), "joined")
    else:
        violin_panel(ax, days, codes, ("1", "2"))
    figure.canvas.draw()
    low, high = ax.get_xlim()
    labels = [one for one, at in zip(ax.get_xticklabels(), ax.get_xticks(), strict=True) if low <= at <= high]
    boxes = [label.get_window_extent() for label in labels]
    assert len(boxes) > 1
    assert all(left.x1 + 10 < right.x0 for left, right in pairwise(boxes))


def test_the_strongest_deviations_are_at_the_top():
    codes = np.repeat([0, 1], 50)
    rng = np.random.default_rng(0)
    strong = 5 * codes[:, None] + rng.normal(size=(100, 2))
    for X, names in (
        (np.c_[strong, rng.normal(size=(100, 5))], "abnnnnn"),
        (np.c_[rng.normal(size=(100, 5)), strong], "nnnnnab"),
    ):
        features = tuple(Feature(f"{name}{at}") for at, name in enumerate(names))
        shown = shown_deviations(
            ClusteredTable(X, features, codes, ("1", "2")), [one.name for one in features]
        )
        assert {name[0] for name in shown.index[:2]} == {"a", "b"}
