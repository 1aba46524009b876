"""Groups of columns that are one feature together, in every method, the store and the report."""

from dataclasses import replace
from html import unescape

import numpy as np
import pandas as pd
import pytest

import xcompare
from xcompare.core.errors import DataError
from xcompare.harness.preparation import prepare
from xcompare.methods import CONTROL, MEASURES, METHODS
from xcompare.methods.cluster_tests import CLUSTER_TESTS
from xcompare.methods.single_feature_measures import eta_squared
from xcompare.methods.tables import run_on_table

FAST = {"n_runs": 1, "n_jobs": 1, "progress": False}
QUICK = {"n_replicas": 20, "n_trees": 100, "n_permutations": 2, "n_patches": 60}
GROUPS = {"shape": ["perimeter", "area"], "noise": ["n1", "n2", "n3"]}
GROUP = np.repeat([0, 1, 2], 30)
PYTHON = [name for name in METHODS if "python" in METHODS[name].engines]


@pytest.fixture(scope="module")
def frame():
    """Three groups in ``area`` and ``perimeter``, which are apart in the table, and in ``color``."""
    rng = np.random.default_rng(0)
    columns = {
        "area": rng.normal(8 * (GROUP == 0)),
        "n1": rng.normal(size=90),
        "color": rng.normal(8 * GROUP),
        "perimeter": rng.normal(8 * (GROUP == 2)),
        "n2": rng.normal(size=90),
        "n3": rng.normal(size=90),
    }
    return pd.DataFrame(columns)


@pytest.fixture(scope="module")
def data(frame):
    return prepare(frame, 3, feature_groups=GROUPS)


def run(method, data, target=3):
    options = {name: value for name, value in QUICK.items() if name in method.options}
    return run_on_table(
        method, data.X, target, data.info.scored, random_state=0, engine="python", options=options
    )


@pytest.mark.parametrize("name", PYTHON)
def test_every_method_gives_a_group_one_score(name, data):
    found = run(METHODS[name], data)
    assert data.feature_names == ("shape", "noise", "color")
    for scores in (found.scores, *found.variants.values()):
        assert scores.shape == (3,)
        assert np.isfinite(scores).all()
    if METHODS[name].family != CONTROL:
        best = found.scores if METHODS[name].larger_is_better else -found.scores
        assert best[0] > best[1]


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_gives_a_group_one_score(name, data):
    scores = run(MEASURES[name], data, GROUP).scores
    assert scores.shape == (3,)
    assert scores.argmin() == 1


def test_the_effect_of_a_group_is_that_of_its_columns_together(frame, data):
    between = [eta_squared(data.X[:, [j]], GROUP, None, None)[0] for j in (0, 1)]
    assert run(MEASURES["eta_squared"], data, GROUP).scores[0] == pytest.approx(np.mean(between))


def test_a_group_of_one_column_is_the_column_and_members_have_no_order(frame):
    alone, plain = prepare(frame, 3, feature_groups={"a": ["area"]}), prepare(frame, 3)
    assert (alone.fingerprint, alone.info.features, alone.feature_names) == (
        plain.fingerprint, (), plain.feature_names,
    )  # fmt: skip
    one = prepare(frame, 3, feature_groups=GROUPS)
    turned = {group: members[::-1] for group, members in reversed(GROUPS.items())}
    other = prepare(frame, 3, feature_groups=turned)
    assert (one.fingerprint, one.info.features) == (other.fingerprint, other.info.features)
    assert one.fingerprint != plain.fingerprint
    shuffled = prepare(frame[["n3", "perimeter", "color", "n1", "area", "n2"]], 3, feature_groups=GROUPS)
    for name in ("ls", "variance"):  # which draw nothing
        found = dict(zip(shuffled.feature_names, run(METHODS[name], shuffled).scores, strict=True))
        assert [found[name] for name in one.feature_names] == pytest.approx(run(METHODS[name], one).scores)


@pytest.mark.parametrize("name", ["twkm", "fgkm"])
def test_weighted_k_means_takes_them_as_its_groups(name, data, monkeypatch):
    seen = {}
    method = replace(METHODS[name], run=lambda X, k, **given: seen.update(given) or np.zeros(6))
    run(method, data)
    assert seen["groups"] == [0, 0, 1, 1, 1, 2]


def test_p_values_of_a_group_are_the_smallest_times_their_number(data):
    method = replace(CLUSTER_TESTS, run=lambda *_, **__: np.array([0.01, 0.5, 0.4, 0.6, 0.9, 0.2]))
    assert run(method, data).scores == pytest.approx([0.02, 1.0, 0.2])


def test_indicators_are_the_column_of_categories_that_they_encode(frame):
    level = np.array(["red", "blue", "green"])[GROUP]
    names = ["c_blue", "c_green", "c_red"]
    encoded = frame.drop(columns="color")
    for name in names:
        encoded[name] = (level == name[2:]).astype(float)
    categories = frame.drop(columns="color").assign(c=pd.Categorical(level))
    with pytest.warns(UserWarning, match="c: 3 indicators with one 1 in every row"):
        found = prepare(encoded, 3, feature_groups={"c": names})
    with pytest.warns(UserWarning, match="not numeric: c"):
        expected = prepare(categories, 3)
    assert found.fingerprint == expected.fingerprint
    assert found.info.features == expected.info.features
    offered = xcompare.compare(encoded, 3, methods="variance", **FAST)
    text = "c_blue, ..., c_red are 3 indicators of one column, c"
    text += ": pass them as a group (feature_groups, --groups)"
    assert text in offered.notes
    assert text in xcompare.inspect(encoded).odd


@pytest.fixture(scope="module")
def compared(frame, tmp_path_factory):
    store = tmp_path_factory.mktemp("groups") / "run.sqlite"
    found = xcompare.compare(
        frame, 3, feature_groups=GROUPS, methods="efron, mi_kmeans, twkm", store=store,
        options={"n_replicas": 20}, max_features=2, **FAST,
    )  # fmt: skip
    return found, store


def test_tables_have_a_row_for_the_group_and_effects_for_its_columns(compared, tmp_path):
    found, store = compared
    assert found.failures.empty
    assert list(found.table.columns) == ["shape", "noise", "color"]
    assert set(found.effects["feature"]) == {"area", "perimeter", "n1", "n2", "n3", "color"}
    assert found.decision.differing is not None
    assert "groups of columns, one feature each: shape (area, perimeter), noise (n1, n2, n3)" in found.notes
    again = xcompare.Comparison.from_store(store)
    pd.testing.assert_frame_equal(again.raw, found.raw)
    pd.testing.assert_frame_equal(again.effects, found.effects)
    assert again.notes == found.notes
    found.write(tmp_path, figures=["svg"])
    page = unescape((tmp_path / "report.html").read_text())
    assert "feature_groups={'shape': ['area', 'perimeter'], 'noise': ['n1', 'n2', 'n3']}" in page


def test_explain_scores_groups_and_describes_columns(frame):
    labels = np.array(["u", "v", "w"])[GROUP]
    found = xcompare.explain(frame, labels, feature_groups=GROUPS, n_bootstraps=2, **FAST)
    assert found.failures.empty
    assert list(found.overall_ranks.index)[-1] == "noise"
    effects = found.effects[found.effects["cluster"] == "u"].set_index("feature")
    assert effects.loc["area", "importance"] == effects.loc["perimeter", "importance"]
    assert "high area" in found.sentences[0]
    assert all("noise" not in str(rule) for rule in found.rules)


def test_choose_k_names_features(frame):
    found = xcompare.choose_k(frame, feature_groups=GROUPS, n_jobs=1, progress=False)
    assert set(found.features) <= {"shape", "noise", "color"}


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ({"g": ["area", "nope"]}, "'nope', which is no feature"),
        ({"g": ["area", "n1"], "h": ["n1", "n2"]}, "'n1' is in two groups"),
        ({"color": ["area", "n1"]}, "color is also the name of a column"),
        ({"g": ["area", "n1", "color", "perimeter", "n2", "n3"]}, "at least two features"),
    ],
)
def test_groups_that_make_no_sense_are_refused(frame, groups, said):
    with pytest.raises(DataError, match=said):
        prepare(frame, 3, feature_groups=groups)
