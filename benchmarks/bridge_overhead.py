"""Overhead of a call to R: round trip of a 1,000 x 20 matrix, after R has started.

The target is 5 ms per call. Run: python benchmarks/bridge_overhead.py
"""

import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

from xcompare import rbridge

TARGET = 5.0  # milliseconds
CALLS = 200


def main() -> None:
    reason = rbridge.why_unavailable()
    if reason is not None:
        print(f"bridge overhead: not measured, {reason}")
        return
    X = np.random.default_rng(0).normal(size=(1000, 20))
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "echo.R")
        script.write_text("echo <- function(x) list(x = x)\n")
        started = time.perf_counter()
        rbridge.call("echo", {"x": X}, script=script)
        first = time.perf_counter() - started
        milliseconds = []
        for _ in range(CALLS):
            started = time.perf_counter()
            rbridge.call("echo", {"x": X}, script=script, seed=1)
            milliseconds.append(1000 * (time.perf_counter() - started))
    rbridge.shutdown()
    median, worst = statistics.median(milliseconds), statistics.quantiles(milliseconds, n=20)[-1]
    print(
        f"bridge overhead, round trip of a 1,000 x 20 matrix, {CALLS} calls: median {median:.2f} ms, ", end=""
    )
    print(f"95th percentile {worst:.2f} ms; {median / TARGET:.2f} of the target of {TARGET:g} ms")
    print(f"first call, including the start of R: {first:.2f} s")


if __name__ == "__main__":
    main()
