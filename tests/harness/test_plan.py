"""A plan enumerates units whose seeds and keys follow from what they are, not from their order."""

from dataclasses import replace

import pytest

from xcompare.core.errors import DataError, UnknownNameError
from xcompare.harness.plan import Part, Plan, chosen_methods, plan_rows, subspace_size, wide_default
from xcompare.methods import METHODS


def plan(methods="all", engine="both", n_runs=3, options=None, **fields):
    rows = plan_rows(methods, engine, n_runs, options or {})
    return Plan(**{"fingerprint": "f", "n_clusters": 3, "random_state": 0, "rows": rows, **fields})


def keys(plan):
    return {unit.key: unit for unit in plan.units()}


def test_methods_without_randomness_run_once():
    runs = {row.method: row.n_runs for row in plan("efron, cubt, ls").rows}
    assert runs == {"efron": 3, "cubt": 1, "ls": 1}


@pytest.mark.parametrize(("n_features", "wide"), [(500, False), (501, True)])
def test_above_500_features_other_methods_are_the_default(n_features, wide):
    rows = plan_rows("default", "auto", 1, {}, n_features)
    names = [row.method for row in rows]
    assert (names == ["refined", "sparse_kmeans", "spec"]) == wide
    assert "refined" in names
    notes = wide_default(plan("default, sparse_kmeans"), n_features)
    assert notes == []
    notes = wide_default(Plan("f", 3, 0, rows), n_features)
    assert [note.split(":")[0] for note in notes] == (["501 features"] if wide else [])


def test_more_methods_or_runs_change_no_unit():
    few, many = keys(plan("efron", n_runs=2)), keys(plan("all", n_runs=5))
    assert few.items() <= many.items()


def test_both_engines_share_a_seed_and_no_key():
    python, r = sorted(plan("fgkm", n_runs=1).units(), key=lambda unit: unit.engine)
    assert python.seed == r.seed
    assert python.key != r.key


@pytest.mark.parametrize(
    "other",
    [
        {"fingerprint": "g"},
        {"random_state": 1},
        {"n_clusters": 4},
        {"options": {"n_replicas": 7}},
        {"options": {"efron": {"n_replicas": 7}}},
    ],
)
def test_units_of_another_run_have_other_keys(other):
    assert not keys(plan("efron")).keys() & keys(plan("efron", **other)).keys()


def test_every_run_of_a_method_has_a_seed_of_its_own():
    units = plan("efron, urf_gini", "python", n_runs=50).units()
    assert len({unit.seed for unit in units}) == len({unit.key for unit in units}) == 100


def test_round_trip_through_json():
    before = plan(options={"ls": {"graph": ("knn", 5)}, "n_replicas": 7})
    before = replace(before, part=Part("sweep", "key", 3))
    after = Plan.from_json(before.to_json())
    assert keys(after).keys() == keys(before).keys()
    assert after.part == before.part


@pytest.mark.parametrize(
    ("engine", "expected"),
    [
        ("auto", [("ls", "python"), ("mi_kmeans", "python")]),
        ("python", [("ls", "python"), ("mi_kmeans", "python")]),
        ("r", [("ls", "r"), ("mi_kmeans", "r")]),
        ("both", [("ls", "python"), ("ls", "r"), ("mi_kmeans", "python")]),
    ],
)
def test_engines(engine, expected):
    rows = plan_rows(["ls", "mi_kmeans"], engine, 2, {})
    assert [(row.method, row.engine) for row in rows] == expected


def test_all_methods_once_in_the_order_of_the_registry():
    assert [row.method for row in plan_rows("all", "auto", 2, {})] == list(METHODS)


def test_the_default_methods_are_the_published_ones_their_baselines_and_refined():
    bagging, others = (
        ["basic", "efron", "bbc", "refined"],
        ["urf_gini", "urf_perm", "cubt", "twkm", "fgkm", "ls"],
    )
    expected = [*bagging, *others, "mi_kmeans", "perm_kmeans"]
    assert [row.method for row in plan_rows("default", "auto", 2, {})] == expected


def test_own_options_go_before_those_for_all():
    rows = plan_rows("basic, bbc, ls", "python", 1, {"n_replicas": 9, "bbc": {"n_replicas": 5}})
    assert [row.options for row in rows] == [{"n_replicas": 9}, {"n_replicas": 5}, {}]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("efrn", "auto", 1, {}), "no method named 'efrn'; did you mean 'efron'"),
        (("all", "julia", 1, {}), "engine must be one of auto, python, r, both; got 'julia'"),
        (("efron", "auto", 1, {"n_replica": 3}), "no option named 'n_replica'; did you mean 'n_replicas'"),
        (("efron", "auto", 1, {"ls": {"k": 3}}), "no option named 'k'; known: graph, t"),
    ],
)
def test_unknown_names_are_refused(arguments, message):
    with pytest.raises(UnknownNameError, match=message):
        plan_rows(*arguments)


@pytest.mark.parametrize("n_runs", [0, -1, 2.0, True, 10**6])
def test_runs_must_be_a_positive_whole_number(n_runs):
    with pytest.raises(DataError, match="n_runs must be a whole number from 1 to 100000"):
        plan_rows("ls", "auto", n_runs, {})


def test_options_in_the_place_of_methods_are_refused():
    with pytest.raises(DataError, match=r"methods are given by name, their options as options="):
        plan_rows({"efron": {"n_replicas": 5}}, "auto", 1, {})


def test_no_method_is_refused():
    with pytest.raises(DataError, match="at least one method must be selected"):
        plan_rows([], "auto", 1, {})


def test_subspace_size():
    assert [subspace_size(m, 13) for m in (None, 1, 13, 0.5, 1.0, 0.01)] == [None, 1, 13, 6, 13, 1]
    for wrong in (0, 14, 1.5, -0.5, "3", True):
        with pytest.raises(DataError, match="max_features must be a number of features from 1 to 13"):
            subspace_size(wrong, 13)


def test_names_of_sets_within_lists():
    default = [method.name for method in chosen_methods("default")]
    assert [method.name for method in chosen_methods("default, dip, efron")] == [*default, "dip"]
    assert chosen_methods(["ls", "all"])[0].name == "ls"
    assert len(chosen_methods(["ls", "all"])) == len(METHODS)
