"""Whatever a method raises or returns costs its own unit only; a request to stop is never taken for that."""

import signal
import sys

import numpy as np
import pytest

import xcompare
from tests.harness import misbehaving

FAIL = {
    misbehaving.exits: "SystemExit: 3",
    misbehaving.interrupts: "KeyboardInterrupt",
    misbehaving.raises_its_own: "OwnError: mine",
    misbehaving.raises_mute: "MuteError: <MuteError that has no text>",
    misbehaving.changes_the_data: "ValueError: cannot set WRITEABLE flag to True of this array",
    misbehaving.raises_half: r"ValueError: half a pair \ud800",
    misbehaving.returns_nothing: "one per feature, in an array or in Scores; got None",
    misbehaving.returns_mute: "one per feature, in an array or in Scores; got <Mute",
    misbehaving.returns_text: "scores must be 4 finite numbers",
    misbehaving.returns_too_few: "got array([2., 3., 4.])",
    misbehaving.returns_no_scores: "scores must be 4 finite numbers",
    misbehaving.returns_labels_with_gaps: "labels must have no gaps; got 60 of 60 missing",
}
WORK = [
    misbehaving.forks,
    misbehaving.forgets_numpy,
    misbehaving.returns_an_array,
    misbehaving.returns_a_list,
    misbehaving.returns_text_labels,
    misbehaving.returns_odd_words,
]


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{"n_jobs": 1}, {"n_jobs": 2}, {"n_jobs": 1, "timeout": 60}], ids=str)
def test_a_method_that_misbehaves_costs_its_unit_only(X, register, settings, tmp_path):
    register(*FAIL, *WORK)
    names = [run.__name__ for run in (*FAIL, *WORK)]
    found = xcompare.compare(
        X, 2, methods=names, n_runs=1, store=tmp_path / "run.sqlite", y_true=[0, 1] * 30, **settings
    )
    failures = found.failures.set_index("method")
    assert failures.index.tolist() == [run.__name__ for run in FAIL]
    assert set(failures.status) == {"failed"}
    for run, message in FAIL.items():
        assert message in failures.message[run.__name__]
    for run in WORK:
        assert found.table.loc[run.__name__].tolist() == [0.25, 0.5, 0.75, 1.0]
    assert found.clustering.loc["returns_text_labels", "ari_mean"] == 1
    assert found.software["returns_an_array"] == "returns_an_array"
    assert found.software["returns_odd_words"] == "('fake', 1)"
    assert set(found.warnings.message) == {
        r"half a pair \ud800", "3", r"UserWarning: half a pair \ud800",
    }  # fmt: skip
    again = xcompare.Comparison.from_store(tmp_path / "run.sqlite")
    assert again.table.equals(found.table)
    assert again.warnings.equals(found.warnings)


def test_a_variant_that_only_some_runs_have_is_averaged_over_those(X, register):
    register(misbehaving.varies_at_times)
    found = xcompare.compare(X, 2, methods="varies_at_times", n_runs=6, n_jobs=1)
    method, variant = found.rows
    odd = [unit.run for unit in found.plan.units() if unit.seed % 2]
    assert 0 < len(odd) < 6
    assert variant.runs.tolist() == odd
    assert method.runs.tolist() == list(range(6))


def test_ctrl_c_stops_the_comparison(X, register):
    register(misbehaving.asked_to_stop)
    with pytest.raises(KeyboardInterrupt):
        xcompare.compare(X, 2, methods="asked_to_stop", n_runs=1, n_jobs=1)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_signal_the_program_handles_stops_the_comparison(X, register):
    register(misbehaving.asked_to_end)
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        with pytest.raises(SystemExit):
            xcompare.compare(X, 2, methods="asked_to_end", n_runs=1, n_jobs=1)
    finally:
        signal.signal(signal.SIGTERM, before)


def test_labels_keep_their_numbers(X, register):
    register(misbehaving.returns_text_labels)
    found = xcompare.compare(X, 2, methods="returns_text_labels", n_runs=1, n_jobs=1)
    [result] = found.results.values()
    np.testing.assert_array_equal(result.scores.labels, [0, 1] * 30)
