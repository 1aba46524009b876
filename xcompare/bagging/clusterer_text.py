"""Convert clusterers to text that can be stored and typed, and back.

The text is the constructor call with the non-default parameters: ``GaussianMixture(covariance_type='tied')``.
scikit-learn classes are written by name, others as ``package.module.Name``. Parsing a text only imports and
calls a class that derives from scikit-learn's ``ClusterMixin`` or ``DensityMixin``.
"""

import ast
import inspect
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from sklearn import cluster, mixture
from sklearn.base import ClusterMixin, DensityMixin

from xcompare.core.errors import DataError, UnknownNameError, XCompareError


def _is_clusterer(found: Any) -> bool:
    return inspect.isclass(found) and issubclass(found, ClusterMixin | DensityMixin)


KNOWN = {
    name: getattr(module, name)
    for module in (cluster, mixture)
    for name in module.__all__
    if _is_clusterer(getattr(module, name))
}


def clusterer_text(estimator: Any) -> str:
    """Text of a clusterer, in canonical form; a text is brought to that form.

    Raises
    ------
    DataError
        Not a clusterer, or its class or parameters cannot be written as text.

    Examples
    --------
    >>> from sklearn.mixture import GaussianMixture
    >>> clusterer_text(GaussianMixture(covariance_type="tied", tol=1e-3))
    "GaussianMixture(covariance_type='tied')"
    >>> clusterer_text("KMeans")
    'KMeans()'
    """
    if isinstance(estimator, str):
        estimator = clusterer_from_text(estimator)
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        raise DataError(f"estimator must be a scikit-learn clusterer, or the text of one; got {estimator!r}")
    kind = type(estimator)
    name = kind.__name__ if KNOWN.get(kind.__name__) is kind else f"{kind.__module__}.{kind.__qualname__}"
    defaults = {p.name: p.default for p in inspect.signature(kind).parameters.values()}
    given = {
        key: value
        for key, value in sorted(estimator.get_params(deep=False).items())
        if repr(value) != repr(defaults.get(key))
    }
    text = f"{name}({', '.join(f'{key}={value!r}' for key, value in given.items())})"
    try:
        clusterer_from_text(text)
    except (UnknownNameError, DataError) as error:
        raise DataError(
            f"estimator must be a class that can be imported, with parameters that are plain values; {error}"
        ) from None
    return text


def clusterer_from_text(text: str) -> Any:
    """Clusterer from text: ``"GaussianMixture"`` or ``"GaussianMixture(covariance_type='tied')"``.

    Raises
    ------
    DataError
        The text is not such a call, or the class does not have its parameters.
    UnknownNameError
        There is no such class.

    Examples
    --------
    >>> clusterer_from_text("AgglomerativeClustering(linkage='single')")
    AgglomerativeClustering(linkage='single')
    """
    try:
        call = ast.parse(text.strip(), mode="eval").body
        head, keywords = (call.func, call.keywords) if isinstance(call, ast.Call) else (call, [])
        if isinstance(call, ast.Call) and call.args:
            raise ValueError("parameters must be given by name")
        parameters = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in keywords}
        return _class_of(ast.unparse(head))(**parameters)
    except (SyntaxError, TypeError, ValueError) as error:
        if isinstance(error, XCompareError):
            raise
        raise DataError(
            f"estimator must be written as in GaussianMixture(covariance_type='tied'); got {text!r}: {error}"
        ) from None


def _class_of(name: str) -> Any:
    """Clusterer class from its scikit-learn name or its full path."""
    if name in KNOWN:
        return KNOWN[name]
    module, _, own = name.rpartition(".")
    try:
        found = getattr(import_module(module), own)
    except (ImportError, AttributeError, ValueError):
        near = get_close_matches(name, KNOWN, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(sorted(KNOWN))}, or module.Class"
        raise UnknownNameError(f"no clusterer named {name!r}; {hint}") from None
    if not _is_clusterer(found):
        raise DataError(
            "estimator must be a class that derives from scikit-learn's ClusterMixin or DensityMixin;"
            f" got {name!r}"
        )
    return found
