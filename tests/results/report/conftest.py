"""Small comparisons to report on."""

import pandas as pd
import pytest

import xcompare

QUICK = {"n_runs": 2, "n_jobs": 1, "options": {"n_replicas": 20}, "progress": False}


@pytest.fixture(scope="session")
def wine():
    return xcompare.compare(xcompare.load_dataset("wine"), methods="efron,urf_gini,cubt,fgkm,ls", **QUICK)


@pytest.fixture(scope="session")
def sweep(tmp_path_factory):
    path = tmp_path_factory.mktemp("sweep") / "run.sqlite"
    iris = xcompare.load_dataset("iris")
    return xcompare.sweep(iris, max_features=[2, 3], methods="basic,efron", store=path, **QUICK)


@pytest.fixture(scope="session")
def hostile():
    """A comparison of data whose names are made to be read as markup."""
    iris = xcompare.load_dataset("iris")
    names = [
        "<script>window.hacked = 1</script>",
        '"><img src=x onerror="hacked=1">',
        "{{ 7 * 7 }} $x_1$",
        "</svg>&amp;",
    ]
    return xcompare.compare(
        pd.DataFrame(iris.X, columns=names), 3, methods="efron,cubt,ls", name="<b>iris</b>", **QUICK
    )
