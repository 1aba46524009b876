"""The native engines where POSIX is missing, as on Windows: a subprocess goes without its functions."""

import os
import subprocess
import sys

import pytest

# Other packages go by the name of the platform, so they are imported first.
BLOCKED = """
import os, signal, sys
import joblib, matplotlib.pyplot, pandas, sklearn.cluster, sklearn.ensemble
for module in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[module] = None
for module, names in {
    os: ("fork", "forkpty", "getpgid", "getuid", "killpg", "setsid", "uname"),
    signal: ("SIGHUP", "SIGKILL", "SIGALRM", "setitimer"),
}.items():
    for name in names:
        delattr(module, name)
"""


def run_blocked(code, folder):
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED + code], cwd=folder, capture_output=True, text=True, timeout=200,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


NATIVE = """
import xcompare
iris = xcompare.load_dataset("iris")
found = xcompare.compare(iris, methods="efron, cubt", n_runs=2, n_jobs=1, progress=False, random_state=0)
print(found.table.to_numpy().tolist())
print(xcompare.BaggedClustering(3, n_replicas=10, random_state=0).fit(iris.X).feature_importances_.tolist())
"""


@pytest.mark.slow
def test_native_engines_give_the_same_numbers(tmp_path, capsys):
    exec(NATIVE, {})
    assert run_blocked(NATIVE, tmp_path) == capsys.readouterr().out.splitlines()


POSIX_ONLY = """
import xcompare
from xcompare.core.errors import XCompareError
from xcompare.core.worker import Worker
iris = xcompare.load_dataset("iris")
for ask in (
    lambda: xcompare.compare(iris, methods="cubt", timeout=9, progress=False),
    lambda: Worker().run("math", "hypot", 3.0, 4.0),
):
    try:
        ask()
    except XCompareError as error:
        print(error)
print(xcompare.rbridge.status().reason)
"""


def test_what_needs_posix_says_so_in_one_line(tmp_path):
    assert run_blocked(POSIX_ONLY, tmp_path) == [
        "timeout needs processes that can be killed, on Linux or macOS; leave it out here",
        "processes that can be killed need Linux or macOS",
        'The R engines need Linux or macOS. Everything with engine="python" works without it.',
    ]
