"""What a benchmark's row says, when a ratio has slipped, and what is made of the rows that are kept."""

import json
from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.io import savemat

from benchmarks import Row, feature_selection, harsh_designs, judgement_designs
from benchmarks.__main__ import KEPT, SPEED_PAGE, page, with_speed

KEPT_ROWS = {
    "bagged_clustering": {
        "title": "Bags",
        "measured": "2026-11-16, a machine",
        "rows": [
            asdict(Row("wine", "K-means", 3.0, 2.0, goal=1.3, note="defaults")),
            asdict(Row("wine", "K-means", 1.0, 2.0, note="published")),
            asdict(Row("two workers", "one", 1.0, 2.0, goal=1.9, times_faster=True)),
            asdict(Row("a peer that is not installed", "K-means", 3.0, None, goal=1.3)),
        ],
    }
}


@pytest.mark.parametrize(
    ("row", "ratio", "slipped"),
    [
        (Row("a fit", "K-means", 3.0, 2.0, goal=1.5), 1.5, False),
        (Row("a fit", "K-means", 6.2, 2.0, goal=1.5), 3.1, True),
        (Row("a method", "R", 2.0, 8.0, goal=5, times_faster=True), 4.0, False),
        (Row("a method", "R", 4.0, 8.0, goal=5, times_faster=True), 2.0, True),
        (Row("no goal", "R", 4.0, 8.0), 0.5, False),
        (Row("a peer that is not installed", "R", 4.0, None, goal=1), None, False),
    ],
)
def test_a_ratio_worse_than_twice_its_goal_has_slipped(row, ratio, slipped):
    assert row.ratio == (None if ratio is None else pytest.approx(ratio))
    assert row.slipped is slipped


def test_the_page_says_ratios_first_and_when_they_were_measured():
    lines = page(KEPT_ROWS).splitlines()
    assert "2026-11-16, a machine." in lines
    assert "| 1.50 | 1.3 | wine | K-means | 3.00 | 2.00 | defaults |" in lines
    assert "| 2.00 x faster | 1.9 | two workers | one | 1.00 | 2.00 |  |" in lines
    assert "| - | 1.3 | a peer that is not installed | K-means | 3.00 | - |  |" in lines


def test_only_the_speed_table_is_rewritten():
    before = "before\n<!-- speed: make bench -->\nold\n<!-- end of speed -->\nafter\n"
    written = with_speed(before, KEPT_ROWS)
    assert written.startswith("before\n<!-- speed: make bench -->\n| data |")
    assert written.endswith("| wine | 1.5 (3.00 s) | 0.5 (1.00 s) | 2.00 s |\n<!-- end of speed -->\nafter\n")
    assert with_speed(written, KEPT_ROWS) == written


def test_the_pages_are_made_of_what_is_kept():
    kept = json.loads(KEPT.read_text())
    assert with_speed(SPEED_PAGE.read_text(), kept) == SPEED_PAGE.read_text()
    assert (KEPT.parent / "results.md").read_text() == page(kept)


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
    [row] = feature_selection.measure("set", X, codes, ["variance_ratio"], [0.2])[:1]
    assert row[:3] == ("set", "variance_ratio", 0.2)
    assert row[3] == 1  # the first two of 10 features


def test_differences_to_random_features_are_paired_by_dataset():
    nmi = {"refined": [0.5, 0.7, 0.4], "random": [0.4, 0.5, 0.45]}
    rows = [(f"s{i}", m, 0.05, v, 0.0, 0.0, 0.0) for m, some in nmi.items() for i, v in enumerate(some)]
    columns = ["set", "method", "share", "nmi", *feature_selection.OTHERS]
    found = feature_selection.summary(pd.DataFrame(rows, columns=columns)).set_index("method")
    paired = np.subtract(nmi["refined"], nmi["random"])
    reach = stats.t.ppf(0.975, 2) * paired.std(ddof=1) / np.sqrt(3)
    expected = [paired.mean(), paired.mean() - reach, paired.mean() + reach]
    assert found.loc["refined", ["over_random", "low", "high"]].tolist() == pytest.approx(expected)
