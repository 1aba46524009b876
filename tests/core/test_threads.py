"""Workers clear their files away."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from joblib import delayed

from xcompare.core import threads
from xcompare.core.threads import workers


def folder_of(array):
    return Path(array.filename).parent


LARGE_ENOUGH_FOR_A_FILE = np.ones(2**18)


def test_files_of_workers_are_cleared_away_after_they_are_left(monkeypatch):
    started = []

    class Noted(threads.Thread):
        def start(self):
            started.append(self)
            super().start()

    monkeypatch.setattr(threads, "Thread", Noted)
    with workers(2) as parallel:
        [folder] = parallel([delayed(folder_of)(LARGE_ENOUGH_FOR_A_FILE)])
        assert folder.exists()
    [clearing] = started
    clearing.join(60)
    assert not folder.exists()
    with workers(2) as parallel:  # the next ones are not disturbed
        assert parallel(delayed(np.sum)(LARGE_ENOUGH_FOR_A_FILE) for _ in range(4)) == [2**18] * 4


def test_files_of_workers_are_gone_when_a_task_failed():
    folders = []

    def fail():
        with workers(2) as parallel:
            folders.extend(parallel([delayed(folder_of)(LARGE_ENOUGH_FOR_A_FILE)]))
            parallel([delayed(divmod)(1, 0)])

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not folders[0].exists()


def test_workers_of_a_fit_import_nothing_from_the_working_folder(tmp_path):
    (tmp_path / "random.py").write_text("raise SystemExit('shadowed')")
    (tmp_path / "script.py").write_text(
        "import sys; sys.path.pop(0)\n"
        "import numpy as np\n"
        "from xcompare import BaggedClustering\n"
        "X = np.random.default_rng(0).normal(size=(30, 3))\n"
        "print(BaggedClustering(2, n_replicas=8, n_jobs=2, random_state=0).fit(X).labels_.max())"
    )
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "1\n", done.stderr
