"""Atomic fitting: a fit that fails leaves the estimator unchanged, and threads take turns."""

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast
from weakref import WeakKeyDictionary

P = ParamSpec("P")
E = TypeVar("E")
R = TypeVar("R")

# Not stored in the estimators, because a lock cannot be copied or pickled.
_locks: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
_creating_lock = threading.Lock()


def estimator_lock(estimator: Any) -> Any:
    """Return the reentrant lock of an estimator."""
    with _creating_lock:
        return _locks.setdefault(estimator, threading.RLock())


def all_or_nothing(fit: Callable[Concatenate[E, P], R]) -> Callable[Concatenate[E, P], R]:
    """Decorate `fit` so that the estimator is unchanged if it fails or is interrupted.

    The method must assign attributes, not change them in place. Calls from several threads take turns.

    Examples
    --------
    >>> class Model:
    ...     @all_or_nothing
    ...     def fit(self, value):
    ...         self.first_ = value
    ...         self.second_ = 1 / value
    >>> model = Model()
    >>> model.fit(2)
    >>> try:
    ...     model.fit(0)
    ... except ZeroDivisionError:
    ...     print(model.first_, model.second_)
    2 0.5
    """

    @wraps(fit)
    def fit_or_restore(self: E, *args: P.args, **kwargs: P.kwargs) -> R:
        with estimator_lock(self):
            before = dict(vars(self))
            try:
                return fit(self, *args, **kwargs)
            except BaseException:
                vars(self).clear()
                vars(self).update(before)
                raise

    return cast(Callable[Concatenate[E, P], R], fit_or_restore)
