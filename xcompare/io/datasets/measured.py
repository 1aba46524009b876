"""Measured data: wine and iris from scikit-learn, breast from the package.

scikit-learn takes a second to import and is imported only where needed: a file that cannot be read is refused
before.
"""

import numpy as np

from xcompare.io.datasets.dataset import Dataset
from xcompare.io.datasets.files import read_bundled

# Short names, as in the paper's tables.
WINE_FEATURES = (
    "Alcohol", "Malicacid", "Ash", "Alcalinity", "Magnesium", "Total phenols", "Flavanoids",
    "Nonflavanoid", "Proanth", "Color", "Hue", "Diluted", "Proline",
)  # fmt: skip


def wine() -> Dataset:
    """Chemical analysis of 178 wines from three cultivars (doi:10.24432/C5PC7J)."""
    from sklearn.datasets import load_wine

    X, labels = load_wine(return_X_y=True)
    return Dataset("wine", X, labels, WINE_FEATURES, 3)


def iris() -> Dataset:
    """Sepals and petals of 150 irises of three species (doi:10.24432/C56C76)."""
    from sklearn.datasets import load_iris

    X, labels = load_iris(return_X_y=True)
    return Dataset("iris", X, labels, ("Sepal length", "Sepal width", "Petal length", "Petal width"), 3)


def breast() -> Dataset:
    """Wisconsin breast cancer (original), the 683 complete rows (doi:10.24432/C5HP4Z, CC BY 4.0)."""
    frame = read_bundled("breast.csv")
    labels = (frame["class"] == "malignant").to_numpy(dtype=np.int64)
    frame = frame.drop(columns="class")
    return Dataset("breast", frame.to_numpy(dtype=np.float64), labels, tuple(frame.columns), 2)
