"""The leaderboard as a LaTeX table for a paper."""

import pandas as pd

from xcompare.core.escaping import for_latex
from xcompare.results.export import latex_table
from xcompare.results.wording import DASH

HEADS = {
    "method": "Method",
    "rank": "Rank",
    "auc": "AUC",
    "auc_1": "AUC 1",
    "auc_2": "AUC 2",
    "auc_3": "AUC 3",
    "precision": "Precision",
    "ari": "ARI",
    "stability": "Stability",
    "seconds": "Time (s)",
    "memory": "Memory (MiB)",
    "n_failed": "Failed",
}
SMALLER_IS_BETTER = ("rank", "seconds", "memory")
CAPTION = (
    "Benchmark of xcompare. Rank: average rank by AUC over the scenarios. AUC: area under the ROC curve of"
    " the ranking of the features, mean over the scenarios; AUC 1, 2 and 3: of simulated data, of real data"
    " with noise features, and of tests that others designed. Precision: share of relevant features among the"
    " first $k$, where $k$ is their number. ARI: adjusted Rand index of $K$-means on the first $k$ features."
    " Stability: of the first $k$ features over the draws. Time: median of a run. Memory: peak growth."
    " Failed: runs without a result, which count as random rankings. Bold: the best method."
)


def latex(printed: pd.DataFrame, upper: str) -> str:
    """The leaderboard in LaTeX (booktabs), with the best of each column in bold.

    ``printed``: as `Leaderboard.printed`. ``upper``: the upper control, which is never bold. Columns without
    a value are left out.
    """
    shown = printed[[name for name in HEADS if name in printed and (printed[name] != DASH).any()]]
    bold = pd.DataFrame({name: _best(column, printed["method"] == upper) for name, column in shown.items()})
    texts = shown.map(lambda cell: for_latex(str(cell).replace(DASH, "--")))
    texts = texts.where(~bold, r"\textbf{" + texts + "}")
    lines = [[HEADS[str(name)] for name in shown], *texts.to_numpy().tolist()]
    return latex_table(lines, CAPTION)


def _best(column: pd.Series, upper: pd.Series) -> pd.Series:
    """Which values of a column are the best as printed."""
    if column.name in ("method", "n_failed"):
        return pd.Series(False, column.index)
    values = pd.to_numeric(column.where(~upper), errors="coerce")
    return values == (values.min() if column.name in SMALLER_IS_BETTER else values.max())
