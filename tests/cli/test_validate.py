"""``xcompare validate``: the run itself is tested elsewhere; here what the command makes of it."""

import json

import pytest

import xcompare as package
from xcompare.studies.validation import Check, Validation

AGREES = Check.judge("density entropy", "iris", 1e-12, "R 4.2.2")
DIFFERS = Check.judge("Dunn index", "iris", 0.5, "R 4.2.2", note="of the first bag")


@pytest.fixture
def validation(monkeypatch):
    """Have `xcompare.validate` find this."""
    asked = {}

    def found(*checks):
        def validate(datasets=None, *, on_check=None, **options):
            asked.update(options, datasets=datasets)
            for check in checks:
                if on_check is not None:
                    on_check(check)
            return Validation(checks, {"R": "4.2.2"}, 1.5)

        monkeypatch.setattr(package, "validate", validate, raising=False)
        return asked

    return found


def test_agreement(xcompare, validation):
    asked = validation(AGREES)
    done = xcompare("validate", "iris", "wine", "--quick", "--seed", 4)
    assert asked == {"datasets": ["iris", "wine"], "quick": True, "seed": 4}
    assert done.status == 0
    assert done.stderr == ""
    assert "density entropy" in done.stdout
    assert "agree" in done.stdout
    assert "1 comparisons in 2 s; R 4.2.2" in done.stdout


def test_a_difference_is_status_1(xcompare, validation):
    assert validation(AGREES, DIFFERS) == {}
    done = xcompare("validate", "--all")
    assert done.status == 1
    assert "differ: Dunn index on iris: of the first bag" in done.stdout
    assert done.stderr == "xcompare: 1 of 2 comparisons failed: Dunn index on iris\n"
    as_json = xcompare("validate", "--json")
    assert as_json.status == 1
    assert json.loads(as_json.stdout)["passed"] is False
    quiet = xcompare("validate", "--quiet")
    assert (quiet.status, quiet.stdout) == (1, "")


@pytest.mark.r
def test_unknown_dataset(refused):
    assert "did you mean 'wine'?" in refused("validate", "wime")


@pytest.mark.slow
def test_without_r(xcompare_process, tmp_path):
    done = xcompare_process("validate", "iris", PATH=str(tmp_path), R_HOME="")
    assert done.status == 2
    assert done.stderr.startswith("xcompare: validate needs R: R is not installed")
    assert done.stderr.count("\n") == 1


def test_no_word_is_broken_at_80_columns(xcompare, validation):
    quantities = (
        "replica importances, given replicas",
        "variation of information",
        "Laplacian Score, proportion",
    )
    checks = [
        Check.judge(quantity, dataset, 1e-12, "R 4.2.2, reference implementation")
        for quantity in quantities
        for dataset in ("illustrative", "correlation")
    ]
    validation(*checks)
    for options in ([], ["--all"]):
        shown = xcompare("validate", *options).stdout
        assert max(map(len, shown.splitlines())) <= 80
        words = {word for line in shown.splitlines() for word in line.split()}
        used = checks if options else checks[::2]
        for check in used:
            assert {*check.quantity.split(), check.dataset, "reference", "implementation"} <= words
