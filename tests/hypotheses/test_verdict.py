"""From p-values to words."""

import numpy as np

from xcompare.hypotheses.verdict import q_values, verdicts


def test_q_values_are_benjamini_and_hochberg_s():
    np.testing.assert_allclose(q_values(np.array([0.01, 0.04, 0.03, 0.5])), [0.04, 0.16 / 3, 0.16 / 3, 0.5])


def test_verdicts_in_words():
    shared, own, gaussian = np.array(
        [[0.01, 0.9, 0.01, 0.01, 0.9], [0.9, 0.01, 0.9, 0.06, 0.9], [0.9, 0.9, 0.05, 0.06, 0.9]]
    )
    assert verdicts(shared, own, gaussian) == [
        "goes along with others",
        "makes clusters",
        "makes clusters",
        "goes along with others",
        "noise",
    ]
