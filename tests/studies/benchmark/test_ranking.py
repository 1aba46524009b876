"""Statistics over scenarios, on the example that Demšar worked by hand."""

import numpy as np
import pandas as pd
import pytest

from xcompare.studies.benchmark import ranking

# Demšar (2006), table 6: AUC of four variants of C4.5 on 14 data sets, cell by cell as others quote it. The
# fourth decimal of "voting" is ours, as the paper ranks two values that are equal as printed.
TREES = pd.DataFrame(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
)


def test_ranks_and_friedman_are_those_of_the_paper():
    ranks = ranking.average_ranks(TREES)
    assert ranks[TREES.columns].round(3).tolist() == [3.143, 2.0, 2.893, 1.964]
    assert ranks.index[0] == "C4.5+m+cf"
    found = ranking.friedman(TREES)
    assert (round(found.chi_square, 2), round(found.f, 2)) == (9.28, 3.69)
    assert 0.01 < found.f_p_value < 0.05  # the critical value at .05 is 2.85


@pytest.mark.parametrize(
    ("n_methods", "level", "quantile"),
    [(2, 0.05, 1.960), (4, 0.05, 2.569), (4, 0.10, 2.291), (10, 0.05, 3.164)],  # Demšar's table 5
)
def test_critical_difference_takes_the_studentized_range_over_the_root_of_two(n_methods, level, quantile):
    expected = quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * 14))
    assert ranking.critical_difference(n_methods, 14, level) == pytest.approx(expected, abs=1e-3)


def test_groups_that_cannot_be_told_apart():
    ranks = ranking.average_ranks(TREES)
    assert ranking.alike(ranks, 1.25) == [("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5")]
    assert ranking.alike(ranks, 1.12) == [("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5")]
    assert ranking.alike(ranks, 0.01) == []


@pytest.mark.slow
def test_pairs_by_wilcoxon_and_holm():
    pytest.importorskip("scikit_posthocs")
    found = ranking.pairwise(TREES)
    assert len(found) == 6
    assert found["p_value"].between(0, 1).all()
    better = TREES.assign(**{"C4.5": TREES["C4.5"] - 0.2})
    p_values = ranking.pairwise(better).set_index(["method", "other"])["p_value"]
    # 14 differences of one sign: 2 / 2 ** 14, after Holm for 6 pairs.
    assert p_values["C4.5+m", "C4.5"] == pytest.approx(6 * 2 / 2**14, rel=0.2)


@pytest.mark.slow
def test_ties_in_few_scenarios_make_pairs_neither_slow_nor_bold(monkeypatch):
    """scipy would go through all 2 ** 13 signs of each pair. Two methods alike, whose AUCs often tie."""
    pytest.importorskip("scikit_posthocs")
    monkeypatch.setattr(
        "scipy.stats.permutation_test", lambda *_, **__: pytest.fail("goes through all signs")
    )
    monkeypatch.setattr("gc.collect", lambda: 0)  # which statsmodels calls every time
    rng = np.random.default_rng(0)
    draws = (pd.DataFrame(rng.binomial(6, 0.8, size=(13, 2)) / 6, columns=["a", "b"]) for _ in range(200))
    p_values = np.array([ranking.pairwise(draw)["p_value"].item() for draw in draws])
    assert 0.01 < (p_values <= 0.05).mean() <= 0.05
    same = pd.DataFrame({"a": TREES["C4.5"], "b": TREES["C4.5"]})
    assert ranking.pairwise(same)["p_value"].item() == 1


def test_the_first_against_each_other_by_the_bayesian_signed_rank_test():
    pytest.importorskip("baycomp")
    results = pd.DataFrame(
        {"worse": TREES["C4.5"] - 0.2, "best": TREES["C4.5+m"], "alike": TREES["C4.5+m"] - 0.001}
    )
    found = ranking.against_best(results).set_index("other")
    assert (found["method"] == "best").all()
    assert found.loc["worse", "p_better"] > 0.99
    assert found.loc["alike", "p_equal"] > 0.99
    np.testing.assert_allclose(found[["p_better", "p_equal", "p_worse"]].sum(axis=1), 1)
    pd.testing.assert_frame_equal(ranking.against_best(results).set_index("other"), found)
