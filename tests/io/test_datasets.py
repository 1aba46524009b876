"""The bundled datasets are the paper's: shapes, sizes, groups, and fixed draws."""

import numpy as np
import pytest

from xcompare.core.errors import UnknownNameError
from xcompare.io.datasets import DATASETS, load_dataset, paper_tables

SHAPES = {
    "wine": ((178, 13), 3),
    "breast": ((683, 9), 2),
    "iris": ((150, 4), 3),
    "illustrative": ((297, 6), 3),
    "overlap": ((120, 21), 4),
    "proportion": ((120, 16), 5),
    "correlation": ((120, 18), 4),
}


@pytest.mark.parametrize("name", DATASETS)
def test_shape_labels_and_names(name):
    data = load_dataset(name)
    assert (data.X.shape, data.n_clusters) == SHAPES[name]
    assert data.name == name
    assert len(data.feature_names) == data.X.shape[1] == len(set(data.feature_names))
    assert np.isfinite(data.X).all()
    assert set(data.labels) == set(range(data.n_clusters))


@pytest.mark.parametrize("name", DATASETS)
def test_arrays_are_read_only(name):
    data = load_dataset(name)
    with pytest.raises(ValueError, match="read-only"):
        data.X[0, 0] = 1.0


@pytest.mark.parametrize("name", [name for name, row in DATASETS.items() if row.drawn])
def test_draws_are_fixed_by_their_seed(name):
    np.testing.assert_array_equal(load_dataset(name, seed=3).X, load_dataset(name, seed=3).X)
    assert not np.array_equal(load_dataset(name, seed=3).X, load_dataset(name, seed=4).X)


@pytest.mark.parametrize("name", ["wine", "breast", "iris"])
def test_measured_data_do_not_depend_on_the_seed(name):
    np.testing.assert_array_equal(load_dataset(name, seed=1).X, load_dataset(name, seed=2).X)


@pytest.mark.parametrize(
    ("name", "sizes", "relevant", "noise"),
    [
        ("illustrative", [99, 99, 99], 3, 3),
        ("overlap", [30] * 4, 15, 6),
        ("proportion", [15, 20, 40, 30, 15], 8, 8),
        ("correlation", [30] * 4, 12, 6),
    ],
)
def test_simulated_data_have_the_published_make_up(name, sizes, relevant, noise):
    data = load_dataset(name)
    assert np.bincount(data.labels).tolist() == sizes
    assert data.relevant.sum() == relevant
    assert (~data.relevant).sum() == noise
    assert [g == "noise" for g in data.groups] == (~data.relevant).tolist()


@pytest.mark.parametrize(
    ("name", "spreads"),
    [("overlap", [0.2, 0.35, 0.5]), ("proportion", [0.25, 0.5]), ("correlation", [0.25, 0.35, 0.45])],
)
def test_block_spreads_are_the_published_ones(name, spreads):
    """Within-cluster standard deviation of each block, over 40 draws."""
    found = {sd: [] for sd in spreads}
    for seed in range(40):
        data = load_dataset(name, seed=seed)
        residual = data.X - (data.labels + 1)[:, None]
        for sd in spreads:
            columns = [g == f"sd {sd:g}" for g in data.groups]
            found[sd].append(np.mean(residual[:, columns] ** 2))
    for sd in spreads:
        assert np.sqrt(np.mean(found[sd])) == pytest.approx(sd, rel=0.02)


def test_correlated_block_has_the_published_correlations():
    blocks = []
    for seed in range(60):
        data = load_dataset("correlation", seed=seed)
        blocks.append((data.X - (data.labels + 1)[:, None])[:, :4])
    found = np.corrcoef(np.vstack(blocks).T)
    loading = np.array([1.0, 0.75, 0.25, 0.1])
    expected = np.outer(loading, loading)
    np.fill_diagonal(expected, 1.0)
    np.testing.assert_allclose(found, expected, atol=0.05)


def test_breast_is_the_complete_rows_of_the_original_data():
    data = load_dataset("breast")
    assert np.bincount(data.labels).tolist() == [444, 239]
    assert data.X.min() == 1
    assert data.X.max() == 10


def test_unknown_name_gets_the_nearest_one():
    with pytest.raises(UnknownNameError, match="did you mean 'wine'"):
        load_dataset("wines")
    with pytest.raises(UnknownNameError, match="known: wine, breast"):
        load_dataset("zzzzzz")


def test_every_published_cell_is_there():
    cells = paper_tables()
    assert len(cells) == 1339
    flavanoids = cells.query("dataset == 'wine' and method == 'Basic' and feature == 'Flavanoids'")
    assert flavanoids["mean"].item() == 1.0
    for name in set(cells["dataset"]):
        published = cells.loc[cells["dataset"] == name, "feature"].dropna().unique()
        assert tuple(published) == load_dataset(name).feature_names


def test_published_cells_cannot_be_changed_by_a_caller():
    cells = paper_tables()
    cells["mean"] = 0.0
    assert paper_tables()["mean"].max() == 1.0


def test_shown_in_a_notebook():
    shown = load_dataset("wine")._repr_html_()
    assert shown.startswith("<p>wine: 178 rows, 13 features, 3 clusters</p>")
    assert "<th>Flavanoids</th>" in shown
    assert len(shown) < 10_000
