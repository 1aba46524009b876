"""The standardised data in a file that workers on other machines read themselves."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from os import PathLike
from pathlib import Path

import numpy as np

from xcompare.core.errors import DataError
from xcompare.core.writing import replacing


@dataclass(frozen=True)
class DataFile:
    """Where the data is, what shape it has, and a hash of its values."""

    path: str  # an .npy file, under the same path on all machines
    shape: tuple[int, int]  # rows by features
    digest: str

    @classmethod
    def write(cls, X: np.ndarray, folder: str | PathLike[str]) -> "DataFile":
        """Write the data into a folder, under the name of its hash; a complete file of that name is kept."""
        digest = _digest(X)
        path = Path(folder).absolute() / f"xcompare-{digest}.npy"
        if not path.exists():
            with replacing(path) as unfinished:
                np.save(unfinished, X)
        return cls(str(path), X.shape, digest)

    def __len__(self) -> int:
        return self.shape[0]

    def read(self) -> np.ndarray:
        """The data as a read-only memory map, checked once per process.

        Raises
        ------
        DataError
            The file cannot be read here, or holds other data.
        """
        return _read(self)


@lru_cache(maxsize=1)
def _read(file: DataFile) -> np.ndarray:
    try:
        X = np.load(file.path, mmap_mode="r").view(np.ndarray)
    except (OSError, ValueError) as error:
        raise DataError(
            f"this worker cannot read {file.path} ({error}); data_on_workers must be a folder that all"
            " workers see under the same path"
        ) from error
    if X.shape != file.shape or _digest(X) != file.digest:
        raise DataError(f"{file.path} holds other data; delete it and run again")
    return X


def _digest(X: np.ndarray) -> str:
    return hashlib.blake2b(np.ascontiguousarray(X, dtype="<f8").data, digest_size=16).hexdigest()
