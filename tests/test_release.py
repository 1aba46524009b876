"""What is said about a release in several places agrees."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from xcompare.version import __version__

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def jobs():
    return yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8"))["jobs"]


def test_version_has_its_changes_and_its_citation():
    assert re.search(rf"^## {re.escape(__version__)}\b", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert cited["version"] == __version__
    assert [one["version"] for one in cited["references"]] == [__version__]  # the benchmark


def test_the_conda_recipe_needs_what_the_package_needs():
    recipe = yaml.safe_load((ROOT / "packaging" / "conda-forge" / "recipe.yaml").read_text(encoding="utf-8"))
    assert recipe["context"]["version"] == __version__
    assert recipe["context"]["name"] == PROJECT["name"]
    named = {
        line.replace(" ", "").replace("matplotlib-base", "matplotlib")
        for line in recipe["requirements"]["run"]
    }
    assert named - {"python>=${{python_min}}"} == set(PROJECT["dependencies"])
    assert f">={recipe['context']['python_min']}" == PROJECT["requires-python"]


def test_every_python_is_tested_with_and_without_r(jobs):
    named = {c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r":: Python :: 3\.\d+$", c)}
    assert min(named, key=lambda v: int(v.split(".")[1])) == PROJECT["requires-python"].removeprefix(">=")
    assert set(jobs["without-r"]["strategy"]["matrix"]["python"]) == named
    assert {row["python"] for row in jobs["with-r"]["strategy"]["matrix"]["include"]} == named


def test_r_packages_of_the_tests_are_installed_everywhere(jobs):
    script = (ROOT / "r_scripts" / "install_debian.sh").read_text()
    packages = re.findall(r'^packages="(.*)"$', script, re.MULTILINE)[0].split()
    packages += re.findall(r'^    packages="\$packages (.*)"$', script, re.MULTILINE)[0].split()
    debian = re.findall(r"r-(?:cran|bioc)-\S+?(?=[ \"])", script)
    assert len(packages) == len(debian) == 13
    steps = [step.get("with", {}).get("packages", "") for step in jobs["with-r"]["steps"]]
    for package in packages:
        assert {f"r-cran-{package.lower()}", f"r-bioc-{package.lower()}"} & set(debian), package
        assert any(re.search(rf"(any|bioc)::{package},", step) for step in steps), package
    more = [row.get("more", "") for row in jobs["with-r"]["strategy"]["matrix"]["include"]]
    assert any("any::wskm" in row and "any::Rdimtools" in row for row in more)


def test_every_make_target_named_in_the_documents_exists():
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for quoted, listed in re.findall(
            r"`make ([a-z-]+)`|^make ([a-z-]+)(?= +#)", page.read_text(), re.MULTILINE
        ):
            assert (quoted or listed) in targets, f"{page.name}: make {quoted or listed}"
