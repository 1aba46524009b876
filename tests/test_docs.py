"""The documentation is true: its Python runs, what it shows is what comes out, its lists are complete."""

import doctest
import inspect
import io
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from functools import partial
from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest

import xcompare
from xcompare.io.datasets import paper_tables
from xcompare.methods import METHODS
from xcompare.studies.validation import Check

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
PAGES = sorted(DOCS.glob("*.md"))
SHELLS = {"sh": ("sh", "-ec"), "r": ("Rscript", "-e")}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(page):
    """Fenced blocks: language, content, and the ``text`` block that directly follows, if any."""
    fence = re.compile(r"^```(\w+)\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)
    return [(m[1], m[2], m[3]) for m in fence.finditer(page.read_text(encoding="utf-8")) if m[1] != "text"]


def same(expected, got):
    return doctest.OutputChecker().check_output(expected, got, FLAGS)


def pages_with(languages):
    found = [page for page in [README, *PAGES] if any(language in languages for language, *_ in blocks(page))]
    return pytest.mark.parametrize("page", found, ids=lambda page: page.stem)


@pytest.fixture
def registry():
    """Whatever a page adds to the registry is gone afterwards."""
    before = dict(METHODS)
    yield
    METHODS.clear()
    METHODS.update(before)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """What one page computes, the next finds here: many compare the same methods on the same data."""
    return tmp_path_factory.mktemp("pages") / "runs.sqlite"


@pytest.fixture
def one_store(store, monkeypatch):
    for function in (xcompare.compare, xcompare.sweep):
        given = partial(function, store=store, n_jobs=1)  # a page may say otherwise
        monkeypatch.setattr(xcompare, function.__name__, given)


@pytest.mark.slow
@pytest.mark.usefixtures("registry", "one_store")
@pages_with(["python"])
def test_python_runs_and_prints_what_is_shown(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if "import scanpy" in page.read_text(encoding="utf-8"):
        pytest.importorskip("scanpy", reason="needs scanpy, which needs pandas < 3: its own environment")
    scope = {"__name__": "__main__"}
    for language, source, shown in blocks(page):
        if language != "python" or (page is README and shown is None):  # there to be read
            continue
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(source, page.name, "exec"), scope)
        if shown is not None:
            assert same(shown, printed.getvalue()), f"{source}\nprinted\n{printed.getvalue()}"


def test_gallery_draws_the_pictures_it_shows():
    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^]]+\]\(gallery-([\w-]+)\.png\)", page)
    assert shown == re.findall(r'save\(.*, "([\w-]+)"\)$', page, re.MULTILINE)
    assert {f"gallery-{name}.png" for name in shown} == {path.name for path in DOCS.glob("gallery-*.png")}


@pytest.mark.slow
@pytest.mark.r
@pages_with(SHELLS)
def test_commands_print_what_is_shown(page, tmp_path):
    """Commands with output below them run, in a folder that holds r_scripts."""
    (tmp_path / "r_scripts").symlink_to(ROOT / "r_scripts")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for language, source, shown in blocks(page):
        if language in SHELLS and shown is not None:
            done = subprocess.run(
                [*SHELLS[language], source], cwd=tmp_path, env=os.environ | {"PATH": path},
                capture_output=True, text=True, timeout=120,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
            assert same(shown, done.stdout), f"{source}\nprinted\n{done.stdout}"


@pytest.mark.parametrize(
    "page", sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md")]), ids=lambda page: page.stem
)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
        if not target.startswith(("http:", "https:", "#")):
            assert (page.parent / target.partition("#")[0]).exists(), target


PUBLIC = (
    "xcompare",
    "xcompare.bagging",
    "xcompare.methods",
    "xcompare.io.datasets",
    "xcompare.results.report",
)


@pytest.mark.parametrize("package", PUBLIC)
def test_api_pages_describe_every_public_name(package):
    pages = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "api").glob("*.md"))
    module = import_module(package)
    for name in module.__all__:
        thing = getattr(module, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            homes = [home for home in PUBLIC if getattr(import_module(home), name, None) is thing]
            homes.append(thing.__module__)  # of what a package imports when first used
            assert any(f"::: {home}.{name}\n" in pages for home in homes), name


def test_every_folder_of_the_package_is_in_the_picture():
    package = Path(xcompare.__file__).parent
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    pictures = "".join(re.findall(r"^```text\n(.*?)^```", page, re.DOTALL | re.MULTILINE))
    for front in package.glob("*/__init__.py"):
        assert f"{front.parent.name}/" in pictures, front.parent.name


def test_every_method_is_explained():
    text = (DOCS / "which-method.md").read_text(encoding="utf-8")
    for name in METHODS:
        assert f"`{name}`" in text, name


@pytest.mark.slow
def test_every_column_is_explained(tmp_path):
    text = (DOCS / "tables.md").read_text(encoding="utf-8")
    iris = xcompare.load_dataset("iris")
    store = tmp_path / "runs.sqlite"
    found = xcompare.compare(iris, methods="efron,cubt", n_runs=1, n_jobs=1, store=store, progress=False)
    swept = xcompare.sweep(iris, max_features=[2], methods="efron", n_runs=1, n_jobs=1, progress=False)
    judged = xcompare.bench("lone", methods="ls", n_draws=1, n_jobs=1, timeout=None, progress=False)
    frames = [
        judged.table.reset_index(), judged.nearest.reset_index().drop(columns="ls"), judged.scores,
        judged.answers, judged.failures,
        found.raw, found.clustering.reset_index(), found.timings.reset_index(), found.failures,
        found.warnings, found.agreement(), found.profiles, found.effects, found.overall_ranks.reset_index(),
        swept.raw, xcompare.list_runs(store), pd.DataFrame(columns=list(Check.__annotations__)),
        paper_tables(),
    ]  # fmt: skip
    for column in {column for frame in frames for column in frame.columns}:
        assert f"`{column}`" in text, column


@pytest.mark.slow
def test_every_file_is_explained(tmp_path):
    from xcompare.cli import run

    text = (DOCS / "tables.md").read_text(encoding="utf-8")
    quick = ["--runs", "1", "--jobs", "1", "--quiet", "--methods", "efron"]
    run(["compare", "iris", *quick, "--out", str(tmp_path / "a")])
    run(["sweep", "iris", "--max-features", "2", *quick, "--out", str(tmp_path / "b")])
    names = {path.name for folder in ("a", "b") for path in (tmp_path / folder).iterdir()}
    assert names >= {"report.html", "run.sqlite", "sweep.png"}
    for name in names:
        assert f"`{name}`" in text, name
