"""xcompare: which features made the clusters? Importance methods side by side, in Python and R."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from xcompare.version import __version__

if TYPE_CHECKING:
    from xcompare.bagged_clustering import BaggedClustering
    from xcompare.crosscheck import Validation, validate
    from xcompare.datasets import load_dataset
    from xcompare.harness.compare import compare
    from xcompare.harness.comparison import Comparison
    from xcompare.harness.store import list_runs
    from xcompare.harness.sweep import Sweep, sweep
    from xcompare.reproduction import Reproduction, reproduce

__all__ = [
    "BaggedClustering",
    "Comparison",
    "Reproduction",
    "Sweep",
    "Validation",
    "__version__",
    "compare",
    "list_runs",
    "load_dataset",
    "reproduce",
    "sweep",
    "validate",
]

# Where each public name lives. They load when first used: worker processes start quickly.
_HOMES = {
    "BaggedClustering": "xcompare.bagged_clustering",
    "Comparison": "xcompare.harness.comparison",
    "Reproduction": "xcompare.reproduction",
    "Sweep": "xcompare.harness.sweep",
    "Validation": "xcompare.crosscheck",
    "compare": "xcompare.harness.compare",
    "list_runs": "xcompare.harness.store",
    "load_dataset": "xcompare.datasets",
    "reproduce": "xcompare.reproduction",
    "sweep": "xcompare.harness.sweep",
    "validate": "xcompare.crosscheck",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'xcompare' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
