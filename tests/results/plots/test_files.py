"""Figures as files."""

import matplotlib
import pytest
from matplotlib import pyplot

import xcompare
from xcompare.core.errors import OutputError, UnknownNameError

matplotlib.use("Agg")
QUICK = {"n_runs": 1, "n_jobs": 1, "options": {"n_replicas": 10}, "progress": False}
STARTS = {".svg": b"<?xml", ".pdf": b"%PDF", ".png": b"\x89PNG"}


@pytest.fixture
def found(iris_compared):
    return iris_compared


@pytest.mark.slow
def test_every_plot_in_a_file(found, tmp_path):
    files = found.plot.save(tmp_path, ("png",))
    names = ["heatmap", "bars", "agreement", "components", "densities", "profiles"]
    names += ["deviations", "dots", "snake", "distributions", "curves", "contrasts"]
    assert [file.name for file in files] == [f"{name}.png" for name in names]
    for file in files:
        assert file.read_bytes().startswith(STARTS[file.suffix])
    assert set(tmp_path.iterdir()) == set(files)
    assert pyplot.get_fignums() == []


@pytest.mark.slow
def test_the_same_figure_is_the_same_file(tmp_path):
    swept = xcompare.sweep(xcompare.load_dataset("iris"), max_features=[2, 3], methods="efron", **QUICK)
    first, second = (
        [file.read_bytes() for file in swept.plot.save(folder, ("svg", "pdf"))]
        for folder in (tmp_path, tmp_path)
    )
    assert first == second


def test_without_a_partition_there_are_no_clusters_to_draw(tmp_path):
    found = xcompare.compare(xcompare.load_dataset("iris"), methods="ls", **QUICK)
    assert [file.name for file in found.plot.save(tmp_path)] == ["heatmap.svg", "bars.svg", "agreement.svg"]


@pytest.mark.slow
def test_refusals(found, tmp_path):
    with pytest.raises(UnknownNameError, match="figures must be among svg, pdf, png; got 'gif'"):
        found.plot.save(tmp_path, ("gif",))
    with pytest.raises(OutputError, match=r"cannot write .*heatmap\.svg: No such file"):
        found.plot.save(tmp_path / "gone")
    assert pyplot.get_fignums() == []
