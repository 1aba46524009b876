"""Without R, without rpy2 or without a package: what is missing, what still works, how to get it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from xcompare import rbridge
from xcompare.core import worker_folders
from xcompare.core.errors import RPackageMissingError, RUnavailableError
from xcompare.rbridge import detect

STILL_WORKS = 'Everything with engine="python" works without it.'


@pytest.fixture
def fresh():
    """Detection starts anew, and leaves nothing behind that is not so."""
    rbridge.shutdown()
    yield
    rbridge.shutdown()


def run_python(source, **environment):
    return subprocess.run(
        [sys.executable, "-c", source],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | environment,
    )


@pytest.mark.slow
def test_neither_import_nor_status_loads_rpy2():
    done = run_python(
        "import sys, xcompare, xcompare.rbridge; xcompare.rbridge.status(['stats'])\n"
        "print([name for name in sys.modules if name.startswith('rpy2')])"
    )
    assert done.stdout == "[]\n", done.stderr


@pytest.mark.r
def test_status_with_r():
    status = rbridge.status(["stats", "no.such.package"])
    assert status.r_version[0].isdigit()
    assert status.rpy2_version[0].isdigit()
    assert status.packages == {"stats": status.r_version, "no.such.package": None}
    assert not status.ok
    assert rbridge.status(["stats"]).ok
    assert rbridge.why_unavailable(["stats"]) is None
    rbridge.require(["stats"], caller="this test")


@pytest.mark.r
def test_missing_package():
    with pytest.raises(RPackageMissingError) as caught:
        rbridge.require(["no.such.package", "stats"], caller="twkm")
    assert str(caught.value) == (
        f"twkm needs R: the R package no.such.package is not installed. {STILL_WORKS} "
        """To install it: Rscript -e 'install.packages(c("no.such.package"))'"""
    )
    assert "packages a.b, c.d are not installed" in rbridge.why_unavailable(["a.b", "c.d"])


NO_R = """
from xcompare import rbridge
from xcompare.core.errors import RPackageMissingError, RUnavailableError
for ask in (lambda: rbridge.require([], caller="urf"), lambda: rbridge.call("f", {})):
    try:
        ask()
    except RPackageMissingError:
        print("wrong")
    except RUnavailableError as error:
        print(error)
print(rbridge.status(["stats"]))
"""


def test_no_r_on_path(tmp_path):
    done = run_python(NO_R, PATH=str(tmp_path), R_HOME="")
    required, called, status = done.stdout.splitlines()
    message = f"R is not installed, or not on PATH. {STILL_WORKS} To use R: install R 4.2 or later"
    assert required.startswith(f"urf needs R: {message}")
    assert called.startswith(message)
    assert called.endswith("pip install 'xcompare-clustering[r]'")
    assert "ok=False" in status
    assert "packages={'stats': None}" in status


def test_r_home_without_r(tmp_path):
    done = run_python(NO_R, R_HOME=str(tmp_path))
    assert f"R is not installed, or not in R_HOME, which is set to {tmp_path}." in done.stdout


def test_no_rpy2(fresh, monkeypatch, tmp_path):
    fake_r(tmp_path, monkeypatch)
    monkeypatch.setattr(detect, "find_rpy2", lambda: None)
    with pytest.raises(
        RUnavailableError, match=r"^R 4\.2\.2 is installed, but rpy2 is not\. Everything"
    ) as caught:
        rbridge.call("xc_standardize", {})
    assert str(caught.value).endswith("pip install 'rpy2-rinterface<3.6.6' 'rpy2-robjects>=3.6.4,<3.7'")
    assert rbridge.status().rpy2_version is None


@pytest.mark.parametrize(
    ("r_version", "line"),
    [
        ("4.2.2", "--no-cache-dir 'rpy2-rinterface<3.6.6' 'rpy2-robjects>=3.6.4,<3.7'"),
        ("4.6.1", "--no-cache-dir 'rpy2>=3.6.9'"),
    ],
)
def test_unusable_rpy2_gives_the_line_that_repairs_it(fresh, monkeypatch, tmp_path, r_version, line):
    fake_r(tmp_path, monkeypatch, r_version)
    fake_rpy2(tmp_path, monkeypatch, "raise RuntimeError('symbol not found: R_getVar')")
    reason = rbridge.why_unavailable()
    assert reason.startswith(
        f"rpy2 3.6.7 cannot be used with R {r_version}: "
        f"RuntimeError: symbol not found: R_getVar. {STILL_WORKS}"
    )
    assert reason.endswith(f"pip install --force-reinstall {line}")
    with pytest.raises(RUnavailableError, match="symbol not found"):
        rbridge.call("xc_standardize", {})


def test_rpy2_that_takes_the_process_down(fresh, monkeypatch, tmp_path):
    fake_r(tmp_path, monkeypatch)
    fake_rpy2(tmp_path, monkeypatch, "import os; os.kill(os.getpid(), 11)")
    assert "cannot be used with R 4.2.2" in rbridge.why_unavailable()
    with pytest.raises(RUnavailableError, match=r"rpy2 3\.6\.7 cannot be used"):
        rbridge.call("xc_standardize", {})


def test_r_that_does_not_start(fresh, monkeypatch, tmp_path):
    fake_r(tmp_path, monkeypatch)
    (tmp_path / "Rscript").write_text(
        "#!/bin/sh\necho 'libR.so: cannot open shared object file' >&2; exit 127\n"
    )
    reason = rbridge.why_unavailable()
    assert reason.startswith(
        "R is installed but does not start: libR.so: cannot open shared object file. Every"
    )


def test_probes_that_are_killed_leave_no_folder(fresh, monkeypatch, tmp_path):
    fake_r(tmp_path, monkeypatch)
    (tmp_path / "Rscript").write_text(
        '#!/bin/sh\nmkdir "$TMPDIR/Rtmp123"; echo "$TMPDIR" >"$0.told"; exec sleep 60\n'
    )
    monkeypatch.setattr(detect, "PROBE_LIMIT", 1.0)
    assert "does not start: no answer within 1 s" in rbridge.why_unavailable()
    folder = Path((tmp_path / "Rscript.told").read_text().strip())
    assert folder.parent == worker_folders.home()
    assert not folder.exists()


def test_start_that_fails_though_nothing_was_found_wrong(fresh, monkeypatch, tmp_path):
    fake_r(tmp_path, monkeypatch)
    fake_rpy2(tmp_path, monkeypatch, "set_initoptions = print")
    assert rbridge.status().ok
    with pytest.raises(RUnavailableError, match=r"R could not be started: .*rpy2.* Everything with"):
        rbridge.call("xc_standardize", {})


def fake_r(folder, monkeypatch, version="4.2.2"):
    """An R that answers the one question asked of it."""
    for name in ("R", "Rscript"):
        (folder / name).write_text(
            f"#!/bin/sh\nprintf 'a site profile\\nxcompare\\n{version}\\n{folder}\\n'\n"
        )
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    monkeypatch.delenv("R_HOME", raising=False)


def fake_rpy2(folder, monkeypatch, source):
    package = folder / "rpy2" / "rinterface_lib"
    package.mkdir(parents=True)
    (folder / "rpy2" / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "embedded.py").write_text(source)
    (folder / "rpy2_rinterface-3.6.7.dist-info").mkdir()
    (folder / "rpy2_rinterface-3.6.7.dist-info" / "METADATA").write_text(
        "Name: rpy2-rinterface\nVersion: 3.6.7\n"
    )
    monkeypatch.syspath_prepend(folder)


def test_package_version_is_read_where_r_would_find_it(tmp_path):
    for library, version in (("first", "2.0-1"), ("second", "1.0")):
        (tmp_path / library / "pkg").mkdir(parents=True)
        (tmp_path / library / "pkg" / "DESCRIPTION").write_text(f"Package: pkg\nVersion: {version}\n")
    libraries = (tmp_path / "empty", tmp_path / "first", tmp_path / "second")
    assert detect.package_version("pkg", libraries) == "2.0-1"
    assert detect.package_version("other", libraries) is None
