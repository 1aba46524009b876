"""With equal weights, the consensus is clue's medoid by variation of information."""

from pathlib import Path

import numpy as np
import pytest

from xcompare import rbridge
from xcompare.bagging.consensus.medoid import consensus_partition, pairwise_vi, variation_of_information

pytestmark = pytest.mark.r
SCRIPT = Path(__file__).parents[1] / "data" / "r" / "oracles.R"


@pytest.fixture(autouse=True)
def needs_clue():
    reason = rbridge.why_unavailable(["clue"])
    if reason is not None:
        pytest.skip(reason)


def ensemble(kind, rng):
    """Twelve partitions of 40 samples: unrelated, alike, or of very different sizes."""
    if kind == "unrelated":
        return rng.integers(3, size=(12, 40))
    if kind == "alike":
        labels = np.tile(rng.integers(4, size=40), (12, 1))
        changed = rng.random(labels.shape) < 0.2
        labels[changed] = rng.integers(4, size=changed.sum())
        return labels
    return np.array([rng.integers(size, size=40) for size in rng.integers(1, 9, size=12)])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["unrelated", "alike", "sizes"])
def test_consensus_is_the_medoid(kind, seed):
    labels = ensemble(kind, np.random.default_rng(seed))
    theirs = rbridge.call("clue_medoid", {"labels": labels + 1}, script=SCRIPT).values
    found = consensus_partition(labels)
    # The very partition, or one exactly as near to all: clue does not say which of equals it takes.
    cost = [sum(variation_of_information(x, row) for row in labels) for x in (found.labels, theirs["labels"])]
    assert cost[0] == pytest.approx(cost[1], abs=1e-9)
    if (np.sort(found.cost)[:2] < found.cost.min() + 1e-9).sum() == 1:
        assert variation_of_information(found.labels, theirs["labels"]) == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["unrelated", "alike", "sizes"])
def test_variation_of_information_is_clue_s(kind):
    labels = ensemble(kind, np.random.default_rng(99))
    theirs = rbridge.call("clue_medoid", {"labels": labels + 1}, script=SCRIPT).values["distance"]
    np.testing.assert_allclose(pairwise_vi(labels), theirs, atol=1e-9)
