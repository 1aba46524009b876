"""Plots return matplotlib axes, whatever features are called."""

from types import SimpleNamespace

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba

import xcompare
from xcompare.core.errors import UnknownNameError
from xcompare.results.plots import ComparisonPlots, bag_cluster_map
from xcompare.results.plots.partitions import density_panel
from xcompare.results.plots.style import luminance

matplotlib.use("Agg")
QUICK = {"n_runs": 2, "n_jobs": 1, "options": {"n_replicas": 10}, "progress": False}


@pytest.fixture
def found(iris_compared):
    return iris_compared


@pytest.mark.slow
def test_calling_draws_the_heat_map(found):
    ax = found.plot()
    assert isinstance(ax, Axes)
    assert ax.get_title() == found.caption
    assert [label.get_text() for label in ax.get_xticklabels()] == list(found.feature_names)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["heatmap", "agreement", "components", "profiles"])
def test_one_axes_or_the_given_one(found, name):
    assert isinstance(getattr(found.plot, name)(), Axes)
    own = pyplot.figure().add_subplot()
    assert getattr(found.plot, name)(own) is own


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bars", "densities"])
def test_a_panel_per_feature_most_important_first(found, name):
    axes = getattr(found.plot, name)()
    assert all(isinstance(ax, Axes) for ax in axes)
    assert [ax.get_title() for ax in axes] == list(found.overall_ranks.index)
    assert [ax.get_title() for ax in getattr(found.plot, name)(["Sepal width"])] == ["Sepal width"]


@pytest.mark.parametrize("name", ["bars", "densities", "dots"])
def test_a_misspelt_feature_is_named(found, name):
    with pytest.raises(UnknownNameError, match=r"features must be among Sepal length, .*; got 'Sepal'"):
        getattr(found.plot, name)(features=["Sepal"])


def test_bars_show_importance_and_spread(found):
    [ax] = found.plot.bars(["Sepal width"])
    rows = found.method_rows
    at = found.feature_names.index("Sepal width")
    assert [bar.get_width() for bar in ax.patches] == pytest.approx([row.importance[at] for row in rows])
    ends = [path.vertices[:, 0] for collection in ax.collections for path in collection.get_paths()]
    [drawn] = [x for x in ends if np.isfinite(x).all()]  # for the one method with randomness
    efron = rows[0]
    assert efron.std[at] > 0
    assert drawn.tolist() == pytest.approx(
        [max(efron.mean[at] - efron.std[at], 0), min(efron.mean[at] + efron.std[at], 1)]
    )


def test_agreement_is_the_rank_correlation(found):
    matrix = found.agreement_matrix()
    pairs = found.agreement().set_index(["method", "other_method"])["spearman"]
    assert matrix.loc["efron", "ls"] == pytest.approx(pairs["efron", "ls"])
    assert matrix.loc["ls", "efron"] == matrix.loc["efron", "ls"]


def test_numbers_can_be_read_on_every_colour():
    """White on pale yellow is nothing: strong disagreement was invisible."""
    names = list("abcdefghi")
    values = np.linspace(-1, 1, 81).reshape(9, 9)
    values[4, 4] = np.nan
    matrix = pd.DataFrame(values, names, names)
    ax = ComparisonPlots(SimpleNamespace(name="any", agreement_matrix=lambda: matrix)).agreement()
    (image,) = ax.images
    cells = luminance(image.to_rgba(image.get_array())).ravel()
    for cell, text in zip(cells, ax.texts, strict=True):
        light, dark = sorted([cell, luminance(np.array(to_rgba(text.get_color())))], reverse=True)
        assert (light + 0.05) / (dark + 0.05) > 4.5, text.get_text()


@pytest.mark.slow
def test_sweep_lines():
    sweep = xcompare.sweep(xcompare.load_dataset("iris"), max_features=[2, 3], methods="efron", **QUICK)
    for axes in (sweep.plot(), sweep.plot.sweep()):
        assert [ax.get_title() for ax in axes] == ["Efron", "Partitions"]


@pytest.mark.slow
@pytest.mark.parametrize("unit", [1e-200, 1.0, 1e200, 1.5e308])
def test_densities_of_values_of_any_size(unit):
    _, ax = pyplot.subplots()
    rng = np.random.default_rng(0)
    density_panel(ax, rng.uniform(-1, 1, 60) * unit, np.arange(60) % 2)
    ax.figure.canvas.draw()
    assert max(line.get_ydata().max() for line in ax.lines[::2]) > 0
    assert ax.get_xlabel() == {1e-200: "in units of 1e-201", 1e200: "in units of 1e+199"}.get(
        unit, "in units of 1e+308" if unit > 1 else ""
    )


def test_names_are_never_formulas():
    iris = xcompare.load_dataset("iris")
    frame = pd.DataFrame(iris.X, columns=["$\\bad$", "$x_1$", "a_b^c", "100 %"])
    found = xcompare.compare(frame, 3, methods="cubt,ls", name="$\\data$", **QUICK)
    for ax in (found.plot(), found.plot.profiles(), found.plot.components(), *found.plot.bars()):
        ax.figure.canvas.draw()
    sweep = xcompare.sweep(frame, 3, [2], methods="efron", name="$\\data$", **QUICK)
    sweep.plot()[0].figure.canvas.draw()


def test_a_bag_as_features_by_clusters():
    """Each feature by name, most important first; each cell the importance for that cluster."""
    iris = xcompare.load_dataset("iris")
    frame = pd.DataFrame(iris.X, columns=iris.feature_names)
    model = xcompare.BaggedClustering(3, n_replicas=10, redundancy="ignore", random_state=0).fit(frame)
    ax = bag_cluster_map(model)
    order = np.argsort(-model.feature_importances_, kind="stable")
    assert [label.get_text() for label in ax.get_yticklabels()] == [iris.feature_names[j] for j in order]
    sizes = np.bincount(model.labels_)
    heads = [label.get_text() for label in ax.get_xticklabels()]
    assert heads == [f"cluster {k}\n{size} rows" for k, size in enumerate(sizes)]
    np.testing.assert_array_equal(ax.images[0].get_array(), model.cluster_importances_[:, order].T)
    own = pyplot.figure().add_subplot()
    assert bag_cluster_map(xcompare.BaggedClustering(2, n_replicas=5).fit(iris.X[:, :2]), own) is own
