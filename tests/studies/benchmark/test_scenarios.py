"""The scenarios: what they call relevant differs between the clusters, and what they call noise does not."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import f as f_distribution
from scipy.stats import kruskal
from sklearn.metrics import mutual_info_score

from xcompare.core.errors import DataError, UnknownNameError
from xcompare.inference.unimodality import dip_p_values
from xcompare.studies.benchmark.measured import with_noise
from xcompare.studies.benchmark.scenarios import SCENARIOS, chosen_scenarios

SIMULATED = [row for row in SCENARIOS.values() if row.tier == 1 and not row.r_packages]
WITH_CLUSTERS = [row for row in SIMULATED if not row.empty]
FROM_R = [row for row in SCENARIOS.values() if row.r_packages]


def ids(rows):
    return {"argvalues": rows, "ids": [row.name for row in rows]}


def differs(x, labels):
    """p-value that a feature, and its distance from its middle, are distributed alike in all clusters."""
    x, labels = x[~np.isnan(x)], labels[~np.isnan(x)]
    readings = [x, np.abs(x - np.median(x))]
    return min(
        kruskal(*(values[labels == k] for k in np.unique(labels))).pvalue
        for values in readings
        if np.ptp(values) > 0
    )


def p_of_columns(X, labels, columns):
    """p-value that these columns add nothing to a linear prediction of the clusters (F test, Bonferroni)."""
    X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    n, p = X.shape
    Z = np.column_stack([np.ones(n), (X - X.mean(axis=0)) / X.std(axis=0)])
    kept = np.delete(Z, 1 + np.asarray(columns), axis=1)
    classes = np.unique(labels)
    p_values = []
    for k in classes:
        y = (labels == k).astype(float)
        full, less = (np.linalg.lstsq(A, y, rcond=None)[1][0] for A in (Z, kept))
        f = (less - full) / len(columns) / (full / (n - p - 1))
        p_values.append(f_distribution.sf(f, len(columns), n - p - 1))
    return min(p_values) * len(classes)


@pytest.mark.parametrize("row", **ids(WITH_CLUSTERS))
def test_every_relevant_feature_differs_between_clusters(row):
    data = row.draw(1)
    for j in np.flatnonzero(data.relevant):
        alone = differs(data.X[:, j], data.labels)
        together = 1.0 if row.name == "few_of_1000" else p_of_columns(data.X, data.labels, [j])
        assert min(alone, together) < 1e-3, (row.name, data.feature_names[j])


@pytest.mark.slow
@pytest.mark.parametrize("row", **ids(WITH_CLUSTERS))
def test_noise_knows_nothing_of_the_clusters(row):
    # One draw may look so by chance; the median of five is below .01 in 1 of 100,000 cases.
    p_values, together = {}, []
    for seed in range(5):
        data = row.draw(seed)
        noise = np.flatnonzero(~data.relevant)
        for j in noise:
            name = data.feature_names[j]
            if int(name.removeprefix("noise")) <= 60:
                p_values.setdefault(name, []).append(differs(data.X[:, j], data.labels))
        if row.name != "few_of_1000":  # more features than rows
            together.append(p_of_columns(data.X, data.labels, noise))
    assert min(np.median(found) for found in p_values.values()) > 0.01
    assert not together or np.median(together) > 0.01


@pytest.mark.parametrize("row", **ids([row for row in SIMULATED if row.empty]))
def test_where_there_are_no_clusters_nothing_is_relevant(row):
    data = row.draw(0)
    assert data.labels is None
    assert not data.relevant.any()
    assert set(data.groups) == {"noise"}


@pytest.mark.parametrize("row", **ids(SIMULATED))
def test_a_draw_is_fixed_by_its_seed_and_its_columns_are_in_any_order(row):
    one, again, other = row.draw(3), row.draw(3), row.draw(4)
    np.testing.assert_array_equal(one.X, again.X)
    assert one.feature_names == again.feature_names
    assert not np.array_equal(one.X, other.X)
    assert sorted(one.feature_names) == sorted(other.feature_names)
    assert one.feature_names != other.feature_names
    assert [name.startswith("signal") for name in one.feature_names] == one.relevant.tolist()


@pytest.mark.parametrize("name", ["mixed_levels", "mixed_grades", "mixed_scales"])
def test_features_of_every_kind_carry_the_information_of_a_number(name):
    """0.763 nats, as the relevant features of "shared"; the plug-in estimate of 20,000 rows."""
    row = replace(SCENARIOS[name], parameters={**SCENARIOS[name].parameters, "n": 20_000})
    data = row.draw(0)
    for j in np.flatnonzero(data.relevant):
        x = data.X[:, j]
        codes = x if data.kinds[j] != "numeric" else np.digitize(x, np.quantile(x, np.arange(1, 100) / 100))
        assert mutual_info_score(codes, data.labels) == pytest.approx(0.763, abs=0.02)
    assert {*data.kinds} == {"numeric", *SCENARIOS[name].parameters["noise"]}


@pytest.mark.parametrize("name", ["missing_random", "missing_by_value", "mixed_missing"])
def test_a_fifth_of_the_values_is_missing(name):
    data = SCENARIOS[name].draw(0)
    gaps = np.isnan(data.X)
    assert gaps.mean() == pytest.approx(0.2, abs=0.03)
    assert gaps.any(axis=0).all()


@pytest.mark.parametrize("name", ["iris", "wine", "wdbc"])
def test_measured_data_keep_their_features_and_get_noise(name):
    data = SCENARIOS[name].draw(0)
    noise = np.array(data.groups) == "noise"
    assert noise.sum() == min(20, (~noise).sum())
    p_values = np.array([differs(x, data.labels) for x in data.X[:, noise].T])
    assert p_values.min() * 2 * len(p_values) > 0.01
    for x in data.X[:, data.relevant].T:
        assert kruskal(*(x[data.labels == k] for k in np.unique(data.labels))).pvalue < 0.01


def test_no_feature_with_two_peaks_is_permuted_and_called_noise():
    rng = np.random.default_rng(0)
    labels = np.arange(300) % 2
    two_peaks, one_peak = 8 * labels + rng.normal(size=300), labels + rng.normal(size=300)
    parts = with_noise(rng, np.column_stack([two_peaks, one_peak]), labels, n_noise=12)
    continuous = [x for x in parts.noise.T if len(np.unique(x)) > 2]
    assert dip_p_values(np.column_stack(continuous)).min() > 0.01
    assert sum(np.array_equal(np.sort(x), np.sort(one_peak)) for x in continuous) == 3
    assert not any(np.array_equal(np.sort(x), np.sort(two_peaks)) for x in continuous)


@pytest.mark.slow
@pytest.mark.r("clusterGeneration")
def test_designs_of_cluster_generation_say_which_features_are_noise():
    row = SCENARIOS["design_separated"]
    data = row.draw(1)
    np.testing.assert_array_equal(data.X, row.draw(1).X)
    assert (data.n_clusters, data.relevant.sum(), len(data.relevant)) == (3, 4, 8)
    p_values = [differs(x, data.labels) for x in data.X[:, ~data.relevant].T]
    assert min(p_values) > 1e-3
    assert p_of_columns(data.X, data.labels, np.flatnonzero(data.relevant)) < 1e-10


@pytest.mark.slow
@pytest.mark.r("mclust", "mlbench", "palmerpenguins", "multtest", "MASS")
@pytest.mark.parametrize("row", **ids([row for row in FROM_R if row.tier == 2 and row.name != "golub"]))
def test_tables_of_r_packages_are_read(row):
    data = row.draw(0)
    assert np.isfinite(data.X).all()
    assert data.relevant.any()
    assert "noise" in data.groups
    assert len(np.unique(data.labels)) == data.n_clusters


def test_scenarios_whose_package_is_missing_say_so(monkeypatch):
    monkeypatch.setattr("xcompare.rbridge.why_unavailable", lambda packages: f"no {packages[0]} here")
    assert SCENARIOS["crabs"].why_left_out == "no MASS here"
    assert SCENARIOS["wine"].why_left_out is None


def test_names_tiers_and_the_quick_selection():
    assert [row.name for row in chosen_scenarios("lone, shared")] == ["shared", "lone"]
    assert {row.tier for row in chosen_scenarios(tiers=[2])} == {2}
    assert all(row.quick for row in chosen_scenarios(quick=True))
    assert [row.name for row in chosen_scenarios(["zoo"], quick=True)] == ["zoo"]
    with pytest.raises(UnknownNameError, match="did you mean 'lone'"):
        chosen_scenarios("loen")
    with pytest.raises(UnknownNameError, match="tiers must be among 1, 2, 3; got 4"):
        chosen_scenarios(tiers=[4])
    with pytest.raises(DataError, match="no scenario is selected"):
        chosen_scenarios("wine", tiers=[1])
