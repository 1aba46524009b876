"""Scenarios on which `refined` was developed, those that judge it, and the gap between them."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from xcompare.studies.benchmark.development import by_role, gap_sentences, lead
from xcompare.studies.benchmark.scenarios import SCENARIOS

SEEN = ["shared", "lone", "iris", "wine", "pbmc68k"]
UNSEEN = ["loco_gaussian_20", "loco_moons_20", "loco_gamma_20", "sparse_kmeans_200", "clustvarsel"]


@pytest.fixture
def results():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.uniform(0.5, 1, size=(10, 3)), SEEN + UNSEEN, ["refined", "a", "b"])
    return table.sample(frac=1, random_state=0)


def test_tests_of_others_judge_but_for_the_one_that_was_in_view():
    roles = {name: row.role for name, row in SCENARIOS.items()}
    assert {SCENARIOS[name].family for name, role in roles.items() if role == "judgement"} == {
        "cluster_loco", "sparse_kmeans", "clustvarsel",
    }  # fmt: skip
    assert roles["pbmc68k"] == "development"


def test_means_by_role_and_their_gap(results):
    found = by_role(results)
    assert list(found.columns) == ["development", "judgement", "gap"]
    for method in results:
        seen, unseen = results.loc[SEEN, method].mean(), results.loc[UNSEEN, method].mean()
        assert found.loc[method].tolist() == pytest.approx([seen, unseen, unseen - seen])
    assert by_role(results.loc[SEEN])[["judgement", "gap"]].isna().all(axis=None)


def test_change_of_the_lead_has_welchs_interval(results):
    ahead = results["refined"] - results[["a", "b"]].mean(axis=1)
    seen, unseen = ahead[SEEN], ahead[UNSEEN]
    v, w = seen.var() / 5, unseen.var() / 5
    reach = stats.t.ppf(0.975, (v + w) ** 2 / ((v**2 + w**2) / 4)) * np.sqrt(v + w)
    change = unseen.mean() - seen.mean()
    found = lead(results, "refined")
    assert found == pytest.approx((seen.mean(), unseen.mean(), change - reach, change + reach))
    assert lead(results.loc[SEEN + UNSEEN[:4]], "refined") is None
    assert lead(results[["refined"]], "refined") is None


def test_the_gap_is_said_beside_that_of_the_others():
    aucs = {"refined": [0.9] * 5 + [0.8] * 5, "a": [0.7] * 5 + [0.65] * 5, "b": [0.6] * 5 + [0.57] * 5}
    results = pd.DataFrame(aucs, SEEN + UNSEEN)
    results.loc[["shared", "clustvarsel"], "refined"] += [0.05, 0.0]
    results.loc[["loco_moons_20", "loco_gamma_20"], "refined"] += [0.01, -0.01]
    first, second = gap_sentences(results, "refined")
    assert first == (
        "refined was developed on 5 of these scenarios, with other draws; 5 took no part in it. Its mean AUC"
        " is 0.910 on the former and 0.800 on the latter, a gap of -0.110; the median gap of the other"
        " methods is -0.040."
    )
    assert second.startswith(
        "Its lead over the mean of the others is 0.260 and 0.190: a change of -0.070 (95%"
    )
    assert gap_sentences(results.drop(columns="refined"), "refined") == []
    assert gap_sentences(results.loc[SEEN], "refined") == []
    assert gap_sentences(results.loc[["shared", "clustvarsel"]], "refined") == [
        "refined was developed on 1 of these scenarios, with other draws; 1 took no part in it. Its mean AUC"
        " is 0.950 on the former and 0.800 on the latter, a gap of -0.150; the median gap of the other"
        " methods is -0.040."
    ]
