"""Encode values for a run store, and decode them.

What a store holds is only decoded if its checksum is right; the size of an array is checked before it is
decompressed, as a few kilobytes can expand to gigabytes.
"""

import hashlib
import json
import zlib
from collections.abc import Iterable
from dataclasses import astuple
from typing import Any

import numpy as np

from xcompare.core.features import Feature
from xcompare.harness.data import DataInfo
from xcompare.harness.hashing import as_text
from xcompare.harness.plan import Plan, Unit
from xcompare.harness.unit import UnitResult
from xcompare.methods import Scores

LARGEST_ARRAY = 2**28  # bytes


class Damage(ValueError):
    """An invalid value in a run store."""


def checksum(values: Iterable[Any]) -> str:
    """Hash of the values of a row, the same before they are stored and after they are read."""
    hasher = hashlib.blake2b(digest_size=16)
    for value in values:
        text = repr(float(value)) if isinstance(value, float) else str(value)
        packed = value if isinstance(value, bytes) else text.encode(errors="backslashreplace")
        hasher.update(b"%d:%b" % (len(packed), packed))
    return hasher.hexdigest()


def verified(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values of a row without the last one, their checksum."""
    *values, expected = row
    if checksum(values) != expected:
        raise Damage("a checksum is wrong")
    return tuple(values)


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
    """Decompress the data."""
    shape = data.n_samples, len(data.columns)
    return np.frombuffer(_unpack(packed, 8 * shape[0] * shape[1]), dtype="<f8").reshape(shape)


def pack_features(data: DataInfo) -> str:
    """Names of the features; kinds, levels and roles of the columns; and whether the data are plain."""
    return json.dumps([data.feature_names, [astuple(one) for one in data.features], data.plain])


def features_in(text: str) -> tuple[tuple[str, ...], tuple[Feature, ...], bool]:
    """Decode what `pack_features` encodes."""
    names, columns, plain = json.loads(text)
    features = (Feature(name, kind, tuple(levels), *roles) for name, kind, levels, *roles in columns)
    return tuple(names), tuple(features), plain


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
        "seconds": float(result.seconds),
        "warnings": json.dumps(result.warnings),
        "output": result.output,
        "versions": json.dumps(dict(result.versions)),
        "memory": None if result.memory is None else float(result.memory),
    }


def result_in(unit: Unit, row: dict[str, Any], n_samples: int) -> UnitResult:
    """Decode a row of the table of units."""
    scores = None
    if row["status"] == "ok":
        scores = Scores(
            scores=np.array(json.loads(row["scores"]), dtype=float),
            software=row["software"],
            labels=unpack_labels(row["labels"], n_samples),
            variants=_arrays(row["variants"]),
            numbers=_arrays(row["numbers"]),
        )
    return UnitResult(
        unit, row["status"], row["message"], row["seconds"], scores, tuple(json.loads(row["warnings"])),
        row["output"], json.loads(row["versions"]), row["memory"],
    )  # fmt: skip


def _arrays(text: str) -> dict[str, np.ndarray]:
    return {name: np.array(values, dtype=float) for name, values in json.loads(text).items()}


def _unpack(packed: Any, size: int) -> bytes:
    """Decompress to exactly ``size`` bytes."""
    if not 0 < size <= LARGEST_ARRAY or not isinstance(packed, bytes):
        raise Damage(f"an array of {size} bytes cannot be read")
    unpacking = zlib.decompressobj()
    unpacked = unpacking.decompress(packed, size + 1)
    if len(unpacked) != size or not unpacking.eof:
        raise Damage(f"expected an array of {size} bytes, got another size")
    return unpacked
