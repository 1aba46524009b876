"""xcompare: which features made the clusters? Importance methods side by side, in Python and R."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from xcompare.version import __version__

if TYPE_CHECKING:
    from xcompare.bagging.estimator import BaggedClustering
    from xcompare.core.errors import XCompareError
    from xcompare.harness.store import list_runs
    from xcompare.io.datasets import load_dataset
    from xcompare.io.tables import read_table
    from xcompare.refined.estimator import RefinedClustering
    from xcompare.results.choosing_k import KChoice, choose_k
    from xcompare.results.comparing import compare, significance
    from xcompare.results.comparison import Comparison
    from xcompare.results.explaining import explain
    from xcompare.results.explanation import Explanation
    from xcompare.results.inspection import Inspection, inspect
    from xcompare.results.significance import Significance
    from xcompare.results.sweep import Sweep
    from xcompare.results.sweeping import sweep
    from xcompare.studies.benchmark import Leaderboard, bench
    from xcompare.studies.reproduction import Reproduction, reproduce
    from xcompare.studies.validation import Validation, validate

__all__ = [
    "BaggedClustering",
    "Comparison",
    "Explanation",
    "Inspection",
    "KChoice",
    "Leaderboard",
    "RefinedClustering",
    "Reproduction",
    "Significance",
    "Sweep",
    "Validation",
    "XCompareError",
    "__version__",
    "bench",
    "choose_k",
    "compare",
    "explain",
    "inspect",
    "list_runs",
    "load_dataset",
    "read_table",
    "reproduce",
    "significance",
    "sweep",
    "validate",
]

# Where each public name lives. They load when first used: worker processes start quickly.
_HOMES = {
    "BaggedClustering": "xcompare.bagging.estimator",
    "Comparison": "xcompare.results.comparison",
    "Explanation": "xcompare.results.explanation",
    "Inspection": "xcompare.results.inspection",
    "KChoice": "xcompare.results.choosing_k",
    "Leaderboard": "xcompare.studies.benchmark",
    "RefinedClustering": "xcompare.refined.estimator",
    "Reproduction": "xcompare.studies.reproduction",
    "Significance": "xcompare.results.significance",
    "Sweep": "xcompare.results.sweep",
    "Validation": "xcompare.studies.validation",
    "XCompareError": "xcompare.core.errors",
    "bench": "xcompare.studies.benchmark",
    "choose_k": "xcompare.results.choosing_k",
    "compare": "xcompare.results.comparing",
    "explain": "xcompare.results.explaining",
    "inspect": "xcompare.results.inspection",
    "list_runs": "xcompare.harness.store",
    "load_dataset": "xcompare.io.datasets",
    "read_table": "xcompare.io.tables",
    "reproduce": "xcompare.studies.reproduction",
    "significance": "xcompare.results.comparing",
    "sweep": "xcompare.results.sweeping",
    "validate": "xcompare.studies.validation",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'xcompare' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
