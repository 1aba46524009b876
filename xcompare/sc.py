"""Functions in scanpy's form: genes that separate the clusters of an AnnData object.

    import xcompare.sc
    xcompare.sc.rank_features_groups(adata, "leiden")
    sc.get.rank_genes_groups_df(adata, "0", key="xcompare")

anndata and scanpy are not imported: what is read and written are plain arrays and data frames.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.stats import rankdata

from xcompare.bagging.information.discrete import discrete_information, value_codes
from xcompare.core.errors import DataError
from xcompare.io.h5ad import groups_of
from xcompare.methods.single_feature_measures import eta_squared

MEASURES = ("information", "eta_squared", "kruskal")
BLOCK_VALUES = 2**18  # values of the dense block of genes that are scored together
REST = "rest"
TINY = 1e-9  # added to means before the fold change, as scanpy does


class GeneScores(NamedTuple):
    """Scores of genes, overall and for each cluster."""

    overall: np.ndarray  # (n_measures, n_genes)
    by_cluster: np.ndarray  # (n_clusters, n_measures, n_genes); NaN for the reference
    differences: np.ndarray  # (n_clusters, n_genes), of means


def rank_features_groups(
    adata: Any,
    groupby: str,
    *,
    layer: str | None = None,
    use_raw: bool | None = None,
    mask_var: Any = None,
    reference: str = REST,
    batch_key: str | None = None,
    key_added: str = "xcompare",
    copy: bool = False,
) -> Any:
    """Rank genes by how well they separate the clusters, all together and one by one.

    Three quick measures of `xcompare.explain` are used: mutual information (discrete estimate), eta squared
    and its version for ranks. They measure size, not significance: the clusters were chosen to differ.

    Parameters
    ----------
    adata : AnnData
        Log-transformed expression. Sparse values are made dense in blocks of genes.
    groupby : str
        Column of ``.obs`` with the clusters. Cells without one are left out.
    layer : str or None, default=None
        Layer to use instead of ``X``.
    use_raw : bool or None, default=None
        Use ``.raw``; None: if there is one and no ``layer``.
    mask_var : array-like of bool, str or None, default=None
        Genes to score, or the column of ``.var`` that marks them.
    reference : str, default="rest"
        Cluster that the others are compared with, instead of the rest of the cells.
    batch_key : str or None, default=None
        Column of ``.obs`` with batches. Genes are scored within each batch and averaged, weighted by cells.
    key_added : str, default="xcompare"
        Key in ``.uns``, and prefix of the columns in ``.var``.
    copy : bool, default=False
        Return a copy instead of changing ``adata``.

    Returns
    -------
    AnnData or None
        ``.var`` gets ``xcompare_score`` (mean of the measures, each divided by its maximum),
        ``xcompare_rank``, a column for each measure and, with ``batch_key``, ``xcompare_spread``: the
        standard deviation of the score over the batches. ``.uns["xcompare"]`` is as
        ``sc.tl.rank_genes_groups`` leaves it, for `scanpy.get` and `scanpy.pl`: ``scores`` are those of the
        cluster, negative for genes that are lower in it; ``pvals`` are NaN, as no test on the same cells is
        valid.

    Raises
    ------
    DataError

    Examples
    --------
    >>> import anndata, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> adata = anndata.AnnData(rng.poisson(1.0, size=(60, 4)).astype(float))
    >>> adata.obs["cluster"] = pd.Categorical(["a", "b", "c"] * 20)
    >>> adata.X[::3, 2] += 5
    >>> rank_features_groups(adata, "cluster")
    >>> adata.uns["xcompare"]["names"]["a"][0]
    '2'
    """
    adata = adata.copy() if copy else adata
    X, var = _values(adata, layer, use_raw)
    genes = _genes(mask_var, var)
    codes, names = _clusters(groups_of(adata, groupby), reference)
    base = None if reference == REST else names.index(reference)
    batches = _batches(adata, batch_key, codes)
    columns = X if len(genes) == X.shape[1] else X[:, genes]
    if sparse.issparse(columns):
        columns = sparse.csc_array(columns)  # genes are taken from it in blocks
    _check_finite(columns)

    sizes = np.array([len(rows) for rows in batches], dtype=float)
    each = [_scored(columns, rows, codes, len(names), base) for rows in batches]
    found = GeneScores(*(_average(np.stack(part), sizes) for part in zip(*each, strict=True)))
    score = _combined(found.overall)
    out = pd.DataFrame({"score": score}, index=var.index[genes])
    out["rank"] = rankdata(-score, method="min").astype(int)
    out = out.assign(**dict(zip(MEASURES, found.overall, strict=True)))
    if batch_key is not None:
        out["spread"] = np.std([_combined(one.overall) for one in each], axis=0)
    for column, values in out.items():
        adata.var[f"{key_added}_{column}"] = values.reindex(adata.var_names)
    signs = np.sign(found.differences)
    by_cluster = np.stack([_combined(one) for one in found.by_cluster]) * signs
    kept = [k for k in range(len(names)) if k != base]
    params = {
        "groupby": groupby,
        "reference": reference,
        "method": "xcompare",
        "use_raw": _uses_raw(adata, layer, use_raw),
        "layer": layer,
        "corr_method": "none",
    }
    fold_changes = _fold_changes(columns, codes, len(names), base)[kept]
    kept_names = [names[k] for k in kept]
    records = _records(by_cluster[kept], kept_names, var.index[genes].to_numpy(), fold_changes)
    adata.uns[key_added] = {"params": params, **records}
    return adata if copy else None


def _scored(X: Any, rows: np.ndarray, codes: np.ndarray, n_clusters: int, base: int | None) -> GeneScores:
    parts = [_block_scores(block, codes[rows], n_clusters, base) for block in _blocks(X, rows)]
    return GeneScores(*(np.concatenate(one, axis=-1) for one in zip(*parts, strict=True)))


def _blocks(X: Any, rows: np.ndarray) -> Iterator[np.ndarray]:
    """Dense blocks of genes, for some of the cells."""
    width = max(1, BLOCK_VALUES // X.shape[0])
    for start in range(0, X.shape[1], width):
        block = X[:, start : start + width]
        dense = block.toarray() if sparse.issparse(block) else np.asarray(block)
        yield (dense if len(rows) == len(dense) else dense[rows]).astype(np.float64)


def _block_scores(values: np.ndarray, codes: np.ndarray, n_clusters: int, base: int | None) -> GeneScores:
    by_cluster = np.full((n_clusters, len(MEASURES), values.shape[1]), np.nan)
    present = np.unique(codes)
    if base is None:
        overall, *each = _measured(values, codes, [None, *present])
        by_cluster[present] = each
    else:
        [overall] = _measured(values, codes, [None])
    if base is not None and base in present:
        for k in present[present != base]:
            pair = np.isin(codes, (k, base))
            [by_cluster[k]] = _measured(values[pair], (codes[pair] == k).astype(np.intp), [None])
    member = (codes == np.arange(n_clusters)[:, None]).astype(float)
    sizes = member.sum(axis=1)[:, None]
    sums = member @ values
    with np.errstate(invalid="ignore", divide="ignore"):
        other = (sums.sum(axis=0) - sums) / (len(codes) - sizes) if base is None else (sums / sizes)[base]
        differences = sums / sizes - other
    return GeneScores(overall, by_cluster, differences)


def _measured(values: np.ndarray, codes: np.ndarray, clusters: Any) -> np.ndarray:
    """The measures, for all clusters together (None) or for a cluster against the rest."""
    ranks = rankdata(values, axis=0)
    labels = np.stack([codes if k is None else (codes == k).astype(np.intp) for k in clusters])
    binned = [value_codes(column)[0] for column in values.T]
    information = discrete_information(binned, labels, int(labels.max()) + 1)
    found = [
        (one, eta_squared(values, own, None, None), eta_squared(ranks, own, None, None))
        for one, own in zip(information, labels, strict=True)
    ]
    return np.array(found)


def _average(parts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Mean over the batches that have the cluster, weighted by cells."""
    known = ~np.isnan(parts)
    weights = sizes.reshape(-1, *[1] * (parts.ndim - 1)) * known
    return (np.where(known, parts, 0) * weights).sum(axis=0) / np.maximum(weights.sum(axis=0), TINY)


def _combined(measured: np.ndarray) -> np.ndarray:
    """Mean of the measures, each divided by its maximum."""
    measured = np.maximum(np.nan_to_num(measured), 0)
    return (measured / np.maximum(measured.max(axis=-1, keepdims=True), TINY)).mean(axis=0)


def _fold_changes(X: Any, codes: np.ndarray, n_clusters: int, base: int | None) -> np.ndarray:
    """log2 fold changes of mean counts, as scanpy computes them from logarithms of counts plus one."""
    member = (codes[:, None] == np.arange(n_clusters)).astype(np.float64)
    sums, sizes = np.asarray(X.T @ member).T, member.sum(axis=0)[:, None]
    means = sums / sizes
    other = (sums.sum(axis=0) - sums) / (sizes.sum() - sizes) if base is None else means[base]
    with np.errstate(invalid="ignore", over="ignore"):  # of scaled values, which are no logarithms
        return np.log2((np.expm1(means) + TINY) / (np.expm1(other) + TINY))


def _records(
    scores: np.ndarray, names: list[str], genes: np.ndarray, fold_changes: np.ndarray
) -> dict[str, np.ndarray]:
    """Record arrays with a field per cluster, genes from the largest score to the smallest."""
    orders = [np.argsort(-one, kind="stable") for one in scores]
    missing = np.full(len(genes), np.nan)

    def records(columns: list[np.ndarray], kind: str) -> np.ndarray:
        return np.rec.fromarrays(columns, dtype=[(name, kind) for name in names])

    nothing = records([missing] * len(names), "float64")
    return {
        "names": records([genes[order] for order in orders], "O"),
        "scores": records([one[order] for one, order in zip(scores, orders, strict=True)], "float32"),
        "logfoldchanges": records(
            [one[order] for one, order in zip(fold_changes, orders, strict=True)], "float32"
        ),
        "pvals": nothing,
        "pvals_adj": nothing.copy(),
    }


def _uses_raw(adata: Any, layer: str | None, use_raw: bool | None) -> bool:
    return adata.raw is not None and layer is None if use_raw is None else use_raw


def _values(adata: Any, layer: str | None, use_raw: bool | None) -> tuple[Any, pd.DataFrame]:
    if _uses_raw(adata, layer, use_raw):
        if adata.raw is None or layer is not None:
            raise DataError("use_raw=True needs adata.raw and no layer")
        return adata.raw.X, adata.raw.var
    if layer is not None and layer not in adata.layers:
        raise DataError(f"layer must be one of {', '.join(adata.layers) or 'none'}; got {layer!r}")
    X = adata.X if layer is None else adata.layers[layer]
    if X is None:
        raise DataError("the AnnData object has no X; name a layer")
    return X, adata.var


def _genes(mask_var: Any, var: pd.DataFrame) -> np.ndarray:
    if mask_var is None:
        return np.arange(len(var))
    if isinstance(mask_var, str) and mask_var not in var:
        raise DataError(f"mask_var must be a column of .var, or one bool per gene; got {mask_var!r}")
    mask = np.asarray(var[mask_var] if isinstance(mask_var, str) else mask_var)
    if mask.shape != (len(var),) or mask.dtype != bool:
        raise DataError(f"mask_var must be one bool per gene ({len(var)}); got {mask.dtype} of {mask.shape}")
    if not mask.any():
        raise DataError("mask_var must mark at least one gene; got none")
    return np.flatnonzero(mask)


def _clusters(groups: pd.Series, reference: str) -> tuple[np.ndarray, list[str]]:
    """Codes of the cells, -1 without a cluster, and names of the clusters."""
    kinds = groups.astype(str).where(groups.notna()).astype("category")
    if isinstance(groups.dtype, pd.CategoricalDtype):
        kinds = groups.cat.remove_unused_categories()
    names = [str(name) for name in kinds.cat.categories]
    if len(names) < 2:
        raise DataError(f"groupby must have at least two clusters; {groups.name!r} has {len(names)}")
    if reference != REST and reference not in names:
        raise DataError(f"reference must be 'rest' or one of {', '.join(names)}; got {reference!r}")
    return kinds.cat.codes.to_numpy().astype(np.intp), names


def _batches(adata: Any, batch_key: str | None, codes: np.ndarray) -> list[np.ndarray]:
    """Cells of each batch that have a cluster; batches with a single cluster are left out."""
    inside = np.flatnonzero(codes >= 0)
    if batch_key is None:
        return [inside]
    batch = groups_of(adata, batch_key).astype(str).to_numpy()[inside]
    found = [inside[batch == one] for one in np.unique(batch)]
    kept = [rows for rows in found if len(np.unique(codes[rows])) > 1]
    if not kept:
        raise DataError(
            f"no batch of {batch_key!r} has cells of two clusters: batches and clusters are the same"
        )
    return kept


def _check_finite(X: Any) -> None:
    if not np.isfinite(X.data if sparse.issparse(X) else X).all():
        raise DataError("the values must be finite; got NaN or infinite ones")
