"""xcompare: which features made the clusters? Importance methods side by side, in Python and R."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from xcompare.version import __version__

if TYPE_CHECKING:
    from xcompare.bagging.estimator import BaggedClustering
    from xcompare.bagging.refined import RefinedClustering
    from xcompare.benchmark import Leaderboard, bench
    from xcompare.comparison.choosing import KChoice, choose_k
    from xcompare.comparison.compare import compare
    from xcompare.comparison.result import Comparison
    from xcompare.comparison.significance import significance
    from xcompare.comparison.sweep import Sweep, sweep
    from xcompare.comparison.tested import Significance
    from xcompare.datasets import load_dataset
    from xcompare.explanation.explain import explain
    from xcompare.explanation.result import Explanation
    from xcompare.harness.store import list_runs
    from xcompare.reproduction import Reproduction, reproduce
    from xcompare.validation import Validation, validate

__all__ = [
    "BaggedClustering",
    "Comparison",
    "Explanation",
    "KChoice",
    "Leaderboard",
    "RefinedClustering",
    "Reproduction",
    "Significance",
    "Sweep",
    "Validation",
    "__version__",
    "bench",
    "choose_k",
    "compare",
    "explain",
    "list_runs",
    "load_dataset",
    "reproduce",
    "significance",
    "sweep",
    "validate",
]

# Where each public name lives. They load when first used: worker processes start quickly.
_HOMES = {
    "BaggedClustering": "xcompare.bagging.estimator",
    "Comparison": "xcompare.comparison.result",
    "Explanation": "xcompare.explanation.result",
    "KChoice": "xcompare.comparison.choosing",
    "Leaderboard": "xcompare.benchmark",
    "RefinedClustering": "xcompare.bagging.refined",
    "Reproduction": "xcompare.reproduction",
    "Significance": "xcompare.comparison.tested",
    "Sweep": "xcompare.comparison.sweep",
    "Validation": "xcompare.validation",
    "bench": "xcompare.benchmark",
    "choose_k": "xcompare.comparison.choosing",
    "compare": "xcompare.comparison.compare",
    "explain": "xcompare.explanation.explain",
    "list_runs": "xcompare.harness.store",
    "load_dataset": "xcompare.datasets",
    "reproduce": "xcompare.reproduction",
    "significance": "xcompare.comparison.significance",
    "sweep": "xcompare.comparison.sweep",
    "validate": "xcompare.validation",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'xcompare' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
