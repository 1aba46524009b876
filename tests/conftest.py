"""What all tests share: tests marked ``r`` need R and rpy2, and say so when they cannot run."""

import os

import pytest

from xcompare import rbridge


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("r") is None:
        return
    reason = rbridge.why_unavailable()
    if reason is None:
        return
    if os.environ.get("XCOMPARE_REQUIRE_R") == "1":
        pytest.fail(f"XCOMPARE_REQUIRE_R=1, but {reason}", pytrace=False)
    pytest.skip(reason)
