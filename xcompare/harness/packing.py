"""Encode values for a run store, and validate them when they are read.

A store may be damaged or forged. Invalid values raise `Damage`, and sizes are checked before
decompression, as a few kilobytes can expand to gigabytes.
"""

import json
import math
import zlib
from typing import Any

import numpy as np

from xcompare.core.features import FEATURE_KINDS, Feature, feature_of_columns, scored_names
from xcompare.harness.data import DataInfo
from xcompare.harness.hashing import as_text
from xcompare.harness.plan import Plan, Unit, registered
from xcompare.harness.unit import UnitResult
from xcompare.methods import Scores
from xcompare.methods.base import Kind, n_scores

LARGEST_ARRAY = 2**28  # bytes


class Damage(ValueError):
    """An invalid value in a run store."""


def pack_labels(labels: np.ndarray | None) -> bytes | None:
    """Labels as compressed 32-bit integers."""
    return None if labels is None else zlib.compress(np.asarray(labels, dtype="<i4").tobytes())


def unpack_labels(packed: Any, n_samples: int) -> np.ndarray | None:
    """Decompress labels."""
    return None if packed is None else np.frombuffer(_unpack(packed, 4 * n_samples), dtype="<i4")


def pack_data(X: np.ndarray) -> bytes:
    """Data as compressed 64-bit floats, row by row."""
    return zlib.compress(np.ascontiguousarray(X, dtype="<f8").tobytes(), level=1)


def unpack_data(packed: Any, data: DataInfo) -> np.ndarray:
    """Decompress the data: codes of levels, and NaN where missing, unless it is plain."""
    shape = data.n_samples, len(data.columns)
    X = np.frombuffer(_unpack(packed, 8 * shape[0] * shape[1]), dtype="<f8").reshape(shape)
    if data.plain and not np.isfinite(X[:, : len(data.feature_names)]).all():
        raise Damage("data are not finite numbers")
    if np.isinf(X).any():
        raise Damage("data hold infinity")
    for feature, x in zip(data.features, X.T, strict=False):
        codes = x[~np.isnan(x)]
        if feature.kind != "numeric" and not np.isin(codes, np.arange(n_codes(feature))).all():
            raise Damage(f"values of {feature.name} are not codes of its levels")
    return X


def n_codes(feature: Feature) -> int:
    """Number of codes of a feature with levels; a flag without names has two."""
    return len(feature.levels) or 2


def check_comparison(plan: Plan, data: DataInfo) -> None:
    """Raise `Damage` where what is stored of a comparison, each value of its kind, does not fit together."""
    labels, label_names = data.labels, data.label_names
    names = [feature.name for feature in data.columns]
    if len(set(names)) < len(names) or len(set(data.feature_names)) < len(data.feature_names):
        raise Damage("duplicate names of features")
    rows = [(row.method, row.engine) for row in (*plan.rows, *plan.clusterings)]
    if len(set(rows)) < len(rows):
        raise Damage("duplicate rows in the plan")
    whole = "" if plan.part is None else plan.part.kind
    kinds: dict[str, Kind] = {"explanation": "measure", "choice": "choice"}
    for some, kind in (
        (plan.rows, kinds.get(whole, "importance")),
        (plan.clusterings, "clustering"),
        (plan.tests, "tests"),
    ):
        for row in some:
            # Methods of users' own are not known here; they are of the first kind.
            known = registered(row.method).kind if row.kind != "importance" else row.kind
            if not row.kind == known == kind:
                raise Damage(f"{row.method} does not belong in its part of the plan")
    if whole == "explanation" and (labels is None or plan.n_clusters != len(label_names)):
        raise Damage("an explanation has different labels")
    if plan.n_clusters > data.n_samples:
        raise Damage(f"{data.n_samples} rows are too few for {plan.n_clusters} clusters")
    if labels is not None and not np.array_equal(np.unique(labels), np.arange(len(label_names))):
        raise Damage("labels do not match their names")


def pack_features(data: DataInfo) -> str:
    """Names of numbers, and levels by name; or name, kind and levels of each, if they are not plain.

    Those that only describe clusters, or are part of a group, have a fourth value.
    """
    given: list[Any] = []
    for one in data.columns:
        if one.described or not data.plain:
            more = ["described"] if one.described else [[one.group]] if one.group else []
            given.append([one.name, one.kind, one.levels, *more])
        else:
            given.append(one.name if one.kind == "numeric" else {one.name: one.levels})
    return json.dumps(given)


def features_in(text: str) -> tuple[tuple[str, ...], tuple[Feature, ...], bool]:
    """Decode names of features, the features unless all are complete numbers, and whether they are plain."""
    given = _list_in(text)
    if not given:
        raise Damage("invalid names of features")
    if all(isinstance(one, str) for one in given):
        return tuple(given), (), True
    features = tuple(_feature_in(one) for one in given)
    scored = [(one, told) for one, told in zip(features, given, strict=True) if not one.described]
    plain = not any(isinstance(told, list) for _, told in scored)
    if not scored or any(one.described for one in features[: len(scored)]):
        raise Damage("invalid features")
    names, parts = scored_names(features), feature_of_columns([one for one, _ in scored])
    if (np.diff(parts) < 0).any():
        raise Damage("invalid groups of features")
    return names, features, plain


def _feature_in(given: Any) -> Feature:
    if isinstance(given, str):
        return Feature(given)
    if isinstance(given, dict):
        ((name, levels),) = given.items()
        given = name, "binary", levels
    name, kind, levels, *more = given
    group = more[0][0] if more and isinstance(more[0], list) and len(more[0]) == 1 else ""
    if not isinstance(group, str) or more not in ([], ["described"], [[group]]):
        raise Damage("invalid features")
    if kind not in FEATURE_KINDS or not all(isinstance(text, str) for text in (name, *levels)):
        raise Damage("invalid features")
    return Feature(name, kind, tuple(levels), more == ["described"], group)


def label_names_in(text: str) -> tuple[str, ...]:
    """Decode the names of reference labels; empty without a reference."""
    names = _list_in(text)
    if not all(isinstance(name, str) for name in names):
        raise Damage("names are not strings")
    return tuple(names)


def row_of(result: UnitResult, plan: Plan) -> dict[str, Any]:
    """Encode a result as a row of the table of units."""
    unit, scores = result.unit, result.scores
    found: dict[str, Any] = dict.fromkeys(("scores", "variants", "numbers", "labels", "software"))
    if scores is not None:
        found = {
            "scores": json.dumps(scores.scores.tolist()),
            "variants": json.dumps({name: values.tolist() for name, values in scores.variants.items()}),
            "numbers": json.dumps({name: values.tolist() for name, values in scores.numbers.items()}),
            "labels": pack_labels(scores.labels),
            "software": scores.software,
        }
    return found | {
        "key": unit.key,
        "fingerprint": plan.fingerprint,
        "n_clusters": plan.n_clusters,
        "method": unit.method,
        "engine": unit.engine,
        "options": as_text(unit.options),
        "version": unit.version,
        "run": unit.run,
        "seed": unit.seed,
        "status": result.status,
        "message": result.message,
        "seconds": result.seconds,
        "warnings": json.dumps(result.warnings),
        "output": result.output,
        "versions": json.dumps(dict(result.versions)),
        "memory": result.memory,
    }


def result_in(unit: Unit, row: dict[str, Any], shape: tuple[int, int]) -> UnitResult:
    """Decode a row of the table of units; ``shape`` is that of the data."""
    scores = None
    if row["status"] == "ok":
        variants, numbers = json.loads(row["variants"]), json.loads(row["numbers"])
        if not isinstance(variants, dict) or not isinstance(numbers, dict):
            raise Damage("invalid variants or numbers")
        length = n_scores(unit.kind, shape[1])
        scores = Scores(
            scores=_scores_in(json.loads(row["scores"]), length),
            software=str(row["software"]),
            labels=unpack_labels(row["labels"], shape[0]),
            variants={name: _scores_in(values, length) for name, values in variants.items()},
            numbers={name: _numbers_in(values) for name, values in numbers.items()},
        )
        if unit.kind in ("tests", "choice"):
            read = registered(unit.method).read
            assert read is not None
            read(scores)
    versions = json.loads(row["versions"])
    if not isinstance(versions, dict) or not math.isfinite(row["seconds"]):
        raise Damage("invalid versions or seconds")
    if row["memory"] is not None and not math.isfinite(row["memory"]):
        raise Damage("invalid memory")
    return UnitResult(
        unit,
        row["status"],
        row["message"],
        row["seconds"],
        scores,
        tuple(str(text) for text in _list_in(row["warnings"])),
        row["output"],
        {name: str(version) for name, version in versions.items()},
        row["memory"],
    )


def _list_in(text: str) -> list[Any]:
    value = json.loads(text)
    if not isinstance(value, list):
        raise Damage(f"expected a list, got {text[:40]!r}")
    return value


def _scores_in(values: Any, n_scores: int) -> np.ndarray:
    if not isinstance(values, list) or len(values) != n_scores:
        raise Damage(f"expected {n_scores} scores, got another number")
    return _numbers_in(values)


def _numbers_in(values: Any) -> np.ndarray:
    if not isinstance(values, list) or not all(
        isinstance(value, int | float) and math.isfinite(value) for value in values
    ):
        raise Damage("scores are not finite numbers")
    return np.array(values, dtype=float)


def _unpack(packed: Any, size: int) -> bytes:
    """Decompress to exactly ``size`` bytes."""
    if not 0 < size <= LARGEST_ARRAY or not isinstance(packed, bytes):
        raise Damage(f"an array of {size} bytes cannot be read")
    unpacking = zlib.decompressobj()
    unpacked = unpacking.decompress(packed, size + 1)
    if len(unpacked) != size or not unpacking.eof:
        raise Damage(f"expected an array of {size} bytes, got another size")
    return unpacked
