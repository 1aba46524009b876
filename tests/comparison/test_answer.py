"""The answer in one sentence."""

import numpy as np
import pytest

import xcompare
from xcompare.comparison.answer import answer, overall_ranks

NAMES = ("a", "b", "c")
A, B, C = np.array([1.0, 0.5, 0.0]), np.array([0.2, 1.0, 0.1]), np.array([0.1, 0.2, 0.9])
FLAT, UNKNOWN = np.ones(3), np.full(3, np.nan)


@pytest.mark.parametrize(
    ("voices", "expected"),
    [
        ([A, A, A], "a matters most: all 3 methods agree."),
        ([A, A, B], "a matters most; 2 of 3 methods agree."),
        ([A, B, C], "The methods disagree: b comes first in 1 of 3, a in 1."),
        ([A, A, B, B, C], "The methods disagree: b comes first in 2 of 5, a in 2."),
        ([A, FLAT, UNKNOWN], "a matters most, by the one of the methods that ranks the features."),
        ([FLAT, UNKNOWN], "No answer: none of the methods could rank the features."),
        ([], "No answer: none of the methods could rank the features."),
        # Equal at two decimals: both come first.
        ([A, np.array([0.999, 1.0, 0.0])], "a matters most: all 2 methods agree."),
    ],
)
def test_sentences(voices, expected):
    assert answer({str(n): scores for n, scores in enumerate(voices)}, NAMES) == expected


def test_overall_ranks_are_mean_places():
    ranks = overall_ranks({"1": A, "2": B, "flat": FLAT}, NAMES)
    assert ranks.to_dict() == {"a": 1.5, "b": 1.5, "c": 3.0}
    assert list(ranks.index) == ["a", "b", "c"]
    assert overall_ranks({}, NAMES).isna().all()


def test_engines_count_once_and_variants_not_at_all():
    iris = xcompare.load_dataset("iris")
    options = {"n_replicas": 5}
    found = xcompare.compare(iris, methods="efron,ls", n_runs=1, n_jobs=1, options=options, progress=False)
    assert "efron_unweighted" in found.table.index
    assert list(found.voices) == ["efron", "ls"]
    # The Laplacian score reads the other way: turned, so that larger means more important.
    np.testing.assert_allclose(found.voices["ls"], 1 - found.table.loc["ls"])
    assert found.answer.startswith("Petal ")
