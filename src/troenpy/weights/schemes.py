"""All weights by name, and expressions such as "sqrt(pcf_present)*idf"."""

import ast
import inspect
import re
from collections.abc import Callable
from difflib import get_close_matches
from functools import lru_cache

import numpy as np

from troenpy.counts.class_counts import ClassCounts
from troenpy.information.estimators import check_smoothing
from troenpy.weights import beyond, paper, rivals
from troenpy.weights.count_table import Floats, check_counts

Weight = Callable[..., Floats]

#: Every weight by its name.
WEIGHTS: dict[str, Weight] = {
    function.__name__: function
    for function in (
        paper.idf,
        paper.pcf,
        paper.pcf_present,
        beyond.pcf_gain,
        beyond.pcf_boost,
        beyond.certainty,
        paper.ncf,
        paper.pi,
        paper.cib_ncf,
        paper.cib_pcf,
        paper.cib_ncf_abs,
        paper.cib_pcf_abs,
        paper.delta_idf,
        rivals.rf,
        rivals.icf,
        rivals.dc,
        rivals.bdc,
        rivals.igm,
        rivals.chi2,
        rivals.ig,
        rivals.gain_ratio,
        rivals.odds_ratio,
        rivals.bns,
        rivals.re,
        rivals.nb,
    )
}


def term_weights(counts: ClassCounts, scheme: str | Weight = "pi", *, smoothing: float = 1.0) -> Floats:
    """Return one weight per term, according to a scheme.

    Parameters
    ----------
    counts : ClassCounts
    scheme : str or callable, default="pi"
        A name in `WEIGHTS`; an expression of names with `*`, `sqrt()` and parentheses; or a function of the counts
        that returns one number per term.
    smoothing : float, default=1.0
        Passed to the weights in `WEIGHTS` that have this parameter; your own function is called with the counts only.

    Returns
    -------
    ndarray of shape (V,)

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1, 0], [1, 1]], ["a", "b"])
    >>> term_weights(counts, "sqrt(icf*icf)") == WEIGHTS["icf"](counts)
    array([ True,  True])
    """
    check_scheme(scheme, smoothing)
    check_counts(counts)
    if isinstance(scheme, str):
        result = _value(_read(scheme), counts, smoothing, scheme)
    else:
        result = _as_numbers(_call(scheme, counts, smoothing), scheme)
    expected = (counts.doc_freq.shape[1],)
    if result.shape != expected:
        raise ValueError(f"scheme {scheme!r} must return one number per term, shape {expected}, got {result.shape}")
    if not np.isfinite(result).all():
        wrong = result[~np.isfinite(result)][0]
        raise ValueError(f"scheme {scheme!r} must return finite weights, got {wrong}")
    return result


def check_scheme(scheme: str | Weight, smoothing: float) -> None:
    """Raise unless the scheme can be parsed and the smoothing is positive, before anything is counted."""
    check_smoothing(smoothing)
    if isinstance(scheme, str):
        _read(scheme)
    elif not callable(scheme):
        raise TypeError(f"scheme must be a name, an expression or a function, got {scheme!r}")


def scheme_names(scheme: str | Weight) -> list[str]:
    """Return the distinct names of `WEIGHTS` in a scheme; an empty list for your own function.

    Examples
    --------
    >>> scheme_names("sqrt(certainty*idf)"), scheme_names(paper.pi), scheme_names(lambda counts: counts.term_docs)
    (['certainty', 'idf'], ['pi'], [])
    """
    if isinstance(scheme, str):
        return [name for name in dict.fromkeys(re.findall(r"\w+", scheme)) if name in WEIGHTS]
    return [name for name, weight in WEIGHTS.items() if weight is scheme]


def _call(function: Weight, counts: ClassCounts, smoothing: float) -> Floats:
    if function in WEIGHTS.values() and "smoothing" in inspect.signature(function).parameters:
        return function(counts, smoothing=smoothing)
    return function(counts)


def _as_numbers(values: object, scheme: Weight) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"scheme {scheme!r} must return one number per term, got {values!r:.60}") from None


@lru_cache(maxsize=256)  # every fit parses the scheme several times
def _read(scheme: str) -> ast.expr:
    """Parse an expression and check its names."""
    try:
        tree = ast.parse(scheme.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(_unreadable(scheme)) from None
    try:
        _check_names(tree, scheme)
    except RecursionError:
        raise ValueError(_unreadable(scheme)) from None
    return tree


def _check_names(node: ast.expr, scheme: str) -> None:
    """Check that the syntax tree only has names of weights, products and square roots."""
    match node:
        case ast.Name(id=name) if name in WEIGHTS:
            return
        case ast.Name(id=name):
            close = get_close_matches(name, WEIGHTS, n=1)
            hint = f" (did you mean {close[0]}?)" if close else ""
            raise ValueError(f"unknown scheme {name[:40]!r}{hint}: choose from {', '.join(WEIGHTS)}")
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            _check_names(left, scheme)
            _check_names(right, scheme)
        case ast.Call(func=ast.Name(id="sqrt"), args=[argument], keywords=[]):
            _check_names(argument, scheme)
        case _:
            raise ValueError(_unreadable(scheme))


def _value(node: ast.expr, counts: ClassCounts, smoothing: float, scheme: str) -> Floats:
    """Evaluate a checked syntax tree, without running it as Python."""
    match node:
        case ast.BinOp(left=left, right=right):
            return _value(left, counts, smoothing, scheme) * _value(right, counts, smoothing, scheme)
        case ast.Call(args=[argument]):
            return _square_root(_value(argument, counts, smoothing, scheme), scheme, counts)
        case ast.Name(id=name):
            return _call(WEIGHTS[name], counts, smoothing)
    raise AssertionError(node)


def _square_root(values: Floats, scheme: str, counts: ClassCounts) -> Floats:
    if (values < 0).any():
        advice = "use a weight that is never negative, such as pcf_present"
        if counts.n_documents < 1:
            advice = (
                f"the sample weights sum to {counts.n_documents:g} documents, and IDF can be negative below one;"
                " scale them, e.g. to a mean of 1"
            )
        raise ValueError(
            f"scheme {scheme!r} takes the square root of negative weights, the smallest is {values.min():g}: {advice}"
        )
    return np.sqrt(values)


def _unreadable(scheme: str) -> str:
    shown = scheme if len(scheme) <= 80 else f"{scheme[:77]}..."
    return f"cannot read scheme {shown!r}: write names of weights with * and sqrt(), such as 'sqrt(pcf_present)*idf'"
