"""Every module of the benchmarks loads, the speed table is rewritten in place, FSEVAL is followed."""

from importlib import import_module
from pkgutil import iter_modules

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.io import savemat

import benchmarks
from benchmarks import feature_selection, harsh_designs, judgement_designs
from benchmarks.bagged_clustering import BEGIN, END, PAGE, Timing, with_table


@pytest.mark.parametrize("name", [module.name for module in iter_modules(benchmarks.__path__)])
def test_every_module_loads(name):
    if name == "cells":
        pytest.importorskip("anndata")
    import_module(f"benchmarks.{name}")


@pytest.mark.parametrize(("defaults", "slipped"), [(3.0, False), (8.1, True)])
def test_a_ratio_worse_than_twice_its_goal_has_slipped(defaults, slipped):
    assert Timing("a fit", defaults, 1.0, 2.0, goal=2).slipped is slipped


def test_only_the_speed_table_is_rewritten():
    before = "before\n<!-- speed: make bench -->\nold\n<!-- end of speed -->\nafter\n"
    timings = [Timing("wine", 3.0, 1.0, 2.0, goal=4)]
    written = with_table(before, timings)
    assert written.startswith("before\n<!-- speed: make bench -->\n| data |")
    assert written.endswith("| wine | 1.5 (3.00 s) | 0.5 (1.00 s) | 2.00 s |\n<!-- end of speed -->\nafter\n")
    assert with_table(written, timings) == written
    page = PAGE.read_text(encoding="utf-8")
    assert page.count(BEGIN) == page.count(END) == 1


def test_no_design_with_clusters_has_the_name_of_one_without():
    names = [
        name
        for module in (harsh_designs, judgement_designs)
        for part in (module.DESIGNS, module.NULLS)
        for name in part
    ]
    assert len(names) == len(set(names))


def test_selected_features_are_judged_by_kmeans_as_in_fseval(tmp_path):
    rng = np.random.default_rng(0)
    classes = np.repeat([3, 1, 2], 30)
    X = rng.normal(size=(90, 10))
    X[:, :4] += 20 * np.eye(4)[classes]
    savemat(tmp_path / "set.mat", {"X": X, "Y": classes[:, None]})
    read, codes = feature_selection.labelled(tmp_path / "set.mat")
    np.testing.assert_array_equal(read, X)
    assert codes.tolist() == (classes - 1).tolist()
    assert feature_selection.judge(X[:, :4], codes) == (1.0, 1.0)
    nmi, accuracy = feature_selection.judge(X[:, 4:6], codes)
    assert nmi < 0.2
    assert 1 / 3 <= accuracy < 0.6
    [row] = feature_selection.measure("set", X, codes, ["variance_ratio"], 0.2)[:1]
    assert row[:2] == ("set", "variance_ratio")
    assert row[2] == 1  # the first two of 10 features


def test_differences_to_random_features_are_paired_by_dataset():
    nmi = {"refined": [0.5, 0.7, 0.4], "random": [0.4, 0.5, 0.45]}
    rows = [(f"s{i}", m, v, 0.0, 0.0, 0.0) for m, some in nmi.items() for i, v in enumerate(some)]
    columns = ["set", "method", "nmi", *feature_selection.OTHERS]
    found = feature_selection.summary(pd.DataFrame(rows, columns=columns)).set_index("method")
    paired = np.subtract(nmi["refined"], nmi["random"])
    reach = stats.t.ppf(0.975, 2) * paired.std(ddof=1) / np.sqrt(3)
    expected = [paired.mean(), paired.mean() - reach, paired.mean() + reach]
    assert found.loc["refined", ["over_random", "low", "high"]].tolist() == pytest.approx(expected)
