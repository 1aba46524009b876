"""Data checks: columns that are probably not features, or need a transformation."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from xcompare.core.names import listed
from xcompare.core.standardization import Fences
from xcompare.harness.data import DataInfo
from xcompare.inference import rankings
from xcompare.io.coding import NOT_NUMERIC, not_numeric_notes
from xcompare.io.kinds import Column
from xcompare.io.levels import is_number, some

NEARLY_CONSTANT = 0.95  # share of the rows with the same value
FEWEST_ROWS = 10  # with fewer, whole numbers may be distinct by chance
CODE_SPREAD = 10  # range of codes, per distinct value
SENTINELS = [sign * (10.0**digits - 1) for digits in (2, 3, 4, 5) for sign in (-1, 1)]  # -99, 99, -999, ...
NEAR_COPY = 0.999  # correlation
MOSTLY_MISSING = 0.5
PREFIX = re.compile(r"(.+)[_.=: -].+")  # color_red
SCALES = (
    ("xs", "s", "m", "l", "xl", "xxl"),
    ("small", "medium", "large"),
    ("very poor", "very bad", "poor", "bad", "fair", "ok", "okay", "average", "good", "very good",
     "excellent"),
    ("strongly disagree", "disagree", "somewhat disagree", "neutral", "neither agree nor disagree",
     "somewhat agree", "agree", "strongly agree"),
    ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"),
    ("very unlikely", "unlikely", "neutral", "likely", "very likely"),
    ("none", "very low", "low", "mild", "moderate", "medium", "high", "severe", "very high"),
    ("never", "rarely", "seldom", "sometimes", "often", "usually", "always"),
)  # fmt: skip
NO_ANSWERS = {"unknown", "don't know", "dont know", "no answer", "not stated", "refused", "prefer not to say"}
MOST_COLUMNS, MOST_ROWS = 2000, 10_000  # compared in pairs
EQUIVALENT = "is equivalent to the reference labels: drop it, as it gives the answer away"
HEAVY_TAIL = 0.8  # share of the variance due to outliers: they more than double the standard deviation


def column_notes(info: DataInfo) -> list[str]:
    """Which columns are not numbers, which only describe the clusters, and which are groups."""
    notes = not_numeric_notes(info.features)
    if info.described:
        notes.append(f"used only to describe the clusters: {listed(info.described)}")
    if info.groups:
        groups = [f"{group} ({listed(names)})" for group, names in info.groups.items()]
        notes.append(f"groups of columns, one feature each: {', '.join(groups)}")
    return notes


def all_notes(given: Sequence[str], own: Sequence[str]) -> list[str]:
    """Notes on how data were read, then those of a result that do not repeat the beginning of one.

    Examples
    --------
    >>> all_notes(["not numeric: a (binary); left out: id"], ["not numeric: a (binary)", "heavy tail"])
    ['not numeric: a (binary); left out: id', 'heavy tail']
    """
    told = any(one.startswith(NOT_NUMERIC) for one in given)
    return [
        *given,
        *(
            note
            for note in own
            if not any(one.startswith(note) for one in given) and not (told and note.startswith(NOT_NUMERIC))
        ),
    ]


def odd_columns(
    columns: Sequence[Column],
    labels: np.ndarray | None,
    groups: Mapping[str, Sequence[str]],
    *,
    copies: bool = True,
) -> list[str]:
    """Notes on columns that look like identifiers, codes, constants or labels, or have a heavy tail.

    ``labels`` of shape (n_samples,) or None: reference labels. ``groups``: one-hot blocks; see
    `one_hot_groups`. ``copies``: whether to look for nearly equal columns. Returns at most one note per
    column, on the rows where it was observed. Codes 1, 2, 3 cannot be distinguished from counts and are not
    noted.

    Examples
    --------
    >>> values = {"id": np.arange(20.0), "wave": np.sin(range(20))}
    >>> odd_columns([Column(name, "numeric", "", x) for name, x in values.items()], None, {})
    ['id has a different whole number in every row: drop it if it identifies the rows']
    """
    notes = [
        f"{names[0]}, ..., {names[-1]} are {len(names)} indicators of one column, {group}: pass them"
        " as a group (feature_groups, --groups)"
        for group, names in groups.items()
    ]
    if dates := [column.name for column in columns if column.kind == "date"]:
        notes.append(f"dates are left out: {listed(dates)}; use --date-as days to convert them to numbers")
    notes += [f"{column.name} {note}" for column in columns if (note := _odd(column, labels))]
    blocks = {name for names in groups.values() for name in names}
    return notes + (
        _near_copies([column for column in columns if column.name not in blocks]) if copies else []
    )


def odd_features(info: DataInfo, values: np.ndarray) -> list[str]:
    """As `odd_columns`, for the data of a comparison; ``values``: with codes of levels."""
    columns = [
        Column(feature.name, feature.kind, "", x, feature.levels)
        for feature, x in zip(info.columns, values.T, strict=True)
    ]
    groups = one_hot_groups([one.name for one in columns], values)
    # Complete numbers are searched for redundant features, which include copies.
    return odd_columns(columns, info.labels, groups, copies=not info.plain)


def redundancy_notes(groups: Sequence[Sequence[str]], importances: pd.DataFrame) -> list[str]:
    """A note on each group of redundant features, with its importance by the first method, if any."""
    notes = []
    for at, group in enumerate(groups):
        together = importances.iloc[:, at].dropna()
        worth = ""
        if len(together):
            row = together.index[0]
            name = row if isinstance(row, str) else f"{row[0]} ({row[1]})"
            worth = f" (together {together.iloc[0]:.2f} by {name})"
        notes.append(
            f"{rankings.listed(group)} are redundant{worth} and count more than once in every distance:"
            " keep one of them and see whether the answer changes"
        )
    return notes


def one_hot_groups(columns: Sequence[str], X: np.ndarray) -> dict[str, list[str]]:
    """Blocks of three or more indicators with exactly one 1 in every row, by the start of their names.

    Examples
    --------
    >>> one_hot_groups(["color_red", "color_blue", "color_green"], np.eye(3))
    {'color': ['color_red', 'color_blue', 'color_green']}
    """
    names: dict[str, list[str]] = {}
    indicators: dict[str, list[np.ndarray]] = {}
    for name, values in zip(columns, X.T, strict=True):
        prefix = PREFIX.match(name)
        if prefix and ((values == 0) | (values == 1)).all():
            names.setdefault(prefix[1], []).append(name)
            indicators.setdefault(prefix[1], []).append(values)
    return {
        group: block
        for group, block in names.items()
        if len(block) > 2 and (np.sum(indicators[group], axis=0) == 1).all()
    }


def _odd(column: Column, labels: np.ndarray | None) -> str | None:
    """Note on a column of any kind, without its name."""
    if column.values is None:
        return f"has {column.reason}" if column.to_mend else None
    if np.isinf(column.values).any():
        n_infinite = int(np.isinf(column.values).sum())
        return f"holds infinity in {n_infinite} row{'s' if n_infinite > 1 else ''}: read as missing"
    observed = np.isfinite(column.values)
    values = column.values[observed]
    if len(values) == 0 or column.kind == "constant":
        return None
    own = None if labels is None else labels[observed]
    note = _odd_levels(column, own) if column.levels else _odd_numbers(values, own)
    missing = 1 - len(values) / len(observed)
    return note or (f"is missing in {missing:.0%} of the rows" if missing > MOSTLY_MISSING else None)


def _odd_levels(column: Column, labels: np.ndarray | None) -> str | None:
    """Note on levels that may be the same, or that occur once; ``labels``: of the rows observed."""
    assert column.values is not None
    codes = column.values[~np.isnan(column.values)].astype(int)
    if labels is not None and _same_partition(codes, labels):
        return EQUIVALENT
    spellings: dict[str, list[str]] = {}
    for level in column.levels:
        spellings.setdefault(" ".join(level.casefold().split()), []).append(level)
    same = [" and ".join(map(repr, levels)) for levels in spellings.values() if len(levels) > 1]
    if same:
        return f"spells a level in several ways: {'; '.join(same)}"
    unanswered = [level for level in column.levels if level.casefold() in NO_ANSWERS]
    if unanswered and column.kind == "nominal":
        return f"holds {unanswered[0]!r}: if it means missing, empty those cells"
    strange = [level for level in column.levels if not is_number(level)]
    if column.kind == "nominal" and 2 * len(strange) < len(column.levels) and strange:
        return (
            f"holds numbers and {some(strange)}: --ordinal gives the order of all, --numeric takes"
            f" {some(strange)} as missing"
        )
    folded = {level.casefold() for level in column.levels}
    scale = next((scale for scale in SCALES if len(folded) > 2 and folded <= set(scale)), None)
    if scale and column.kind == "nominal":
        order = "<".join(sorted(column.levels, key=lambda level: scale.index(level.casefold())))
        return f"looks ordered: if so, use --ordinal '{column.name}: {order}'"
    counts = np.bincount(codes)
    once = int((counts == 1).sum())
    if 2 * once > len(column.levels):
        return f"has {once} of {len(column.levels)} levels in one row each"
    return _nearly_constant(counts, column.levels)


def _near_copies(columns: Sequence[Column]) -> list[str]:
    """Notes on complete columns that are nearly the same as an earlier one."""
    complete = [
        (column.name, column.values[:MOST_ROWS])
        for column in columns
        if column.values is not None and column.kind in ("numeric", "ordinal", "binary")
        if np.isfinite(column.values).all() and np.ptp(column.values[:MOST_ROWS]) > 0
    ]
    if not 2 <= len(complete) <= MOST_COLUMNS or len(complete[0][1]) < FEWEST_ROWS:
        return []
    values = np.array([column - column.mean() for _, column in complete])
    with np.errstate(over="ignore", invalid="ignore", under="ignore", divide="ignore"):
        values /= np.abs(values).max(axis=1, keepdims=True)
        values /= np.linalg.norm(values, axis=1, keepdims=True)
        first, second = np.nonzero(np.triu(np.abs(values @ values.T) >= NEAR_COPY, k=1))
    copies = dict(zip(second[::-1].tolist(), first[::-1].tolist(), strict=True))
    return [
        f"{complete[copy][0]} is nearly a copy of {complete[of][0]}: the same information counts twice"
        for copy, of in sorted(copies.items())
    ]


def _odd_numbers(column: np.ndarray, labels: np.ndarray | None) -> str | None:
    """Note on a column of numbers, without its name."""
    values, codes, counts = np.unique(column, return_inverse=True, return_counts=True)
    for sentinel in SENTINELS:
        others = values[values != sentinel]
        n_equal = int(counts[values == sentinel].sum())
        if n_equal > 1 and others.size and np.abs(others - sentinel).min() > np.ptp(others):
            return (
                f"holds {sentinel:g} in {n_equal} rows, far from its other values: if it means missing,"
                " empty those cells"
            )
    n = len(column)
    whole = bool((values == np.round(values)).all())
    if labels is not None and len(values) > 1 and _same_partition(codes, labels):
        return EQUIVALENT
    if whole and n >= FEWEST_ROWS and len(values) > 1 and _are_days(values):
        day = f"{values[0]:.0f}"
        return f"looks like dates written as numbers, such as {day}: write {day[:4]}-{day[4:6]}-{day[6:]}"
    if whole and len(values) == n >= FEWEST_ROWS:
        return "has a different whole number in every row: drop it if it identifies the rows"
    if note := _nearly_constant(counts, [f"{value:g}" for value in values]):
        return note
    repeated = len(values) <= max(2, n / 5)
    if whole and repeated and len(values) > 2 and np.ptp(values) > CODE_SPREAD * len(values):
        numbers = f"{len(values)} whole numbers from {values[0]:g} to {values[-1]:g}"
        return f"may hold codes, {numbers}: if so, drop it, as distances between codes are meaningless"
    return _note_on_tail(column)


def _nearly_constant(counts: np.ndarray, names: Sequence[str]) -> str | None:
    n, most = int(counts.sum()), int(counts.max())
    if most < NEARLY_CONSTANT * n or n < FEWEST_ROWS:
        return None
    return f"is nearly constant: {names[int(counts.argmax())]} in {most} of {n} rows"


def _are_days(values: np.ndarray) -> bool:
    """Whether all whole numbers are days of two centuries, as 20200131."""
    month, day = values // 100 % 100, values % 100
    return bool(
        ((values >= 19000101) & (values <= 20991231)).all()
        and ((month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)).all()
    )


def _note_on_tail(column: np.ndarray) -> str | None:
    """Note on a column whose variance is mostly due to a few outliers."""
    far = Fences.of(column[:, None]).far(column[:, None])[:, 0]
    with np.errstate(over="ignore", invalid="ignore"):
        off = ((column - column[~far].mean()) / np.abs(column).max()) ** 2 if far.any() else np.zeros(1)
    if off[far.nonzero()].sum() <= HEAVY_TAIL * off.sum():
        return None
    return (
        f"has a heavy tail: {far.sum()} of {len(column)} rows are outliers, the most extreme at"
        f" {column[np.abs(column).argmax()]:.3g}. Check for errors; otherwise take logarithms or use"
        " standardize='rank' (--standardize rank)"
    )


def _same_partition(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two labellings define the same partition."""
    pairs = np.unique(np.stack([a, np.unique(b, return_inverse=True)[1]]), axis=1).shape[1]
    return pairs == len(np.unique(a)) == len(np.unique(b))
