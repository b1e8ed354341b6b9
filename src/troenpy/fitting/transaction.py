"""Fitting as one step: an estimator that fails to fit is as it was before, and threads take turns."""

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast
from weakref import WeakKeyDictionary

P = ParamSpec("P")
E = TypeVar("E")
R = TypeVar("R")

# Beside the estimators, not in them: a lock can be neither copied nor pickled.
_locks: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
_making_a_lock = threading.Lock()


def lock_of(estimator: Any) -> Any:
    """Return the lock of an estimator, which the thread that has it may take again."""
    with _making_a_lock:
        return _locks.setdefault(estimator, threading.RLock())


def all_or_nothing(fit: Callable[Concatenate[E, P], R]) -> Callable[Concatenate[E, P], R]:
    """Make a method that learns leave its estimator unchanged if it fails or is interrupted.

    Attributes must be assigned, not changed in place. Calls from several threads take turns.

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
        with lock_of(self):
            before = dict(vars(self))
            try:
                return fit(self, *args, **kwargs)
            except BaseException:
                vars(self).clear()
                vars(self).update(before)
                raise

    return cast(Callable[Concatenate[E, P], R], fit_or_restore)
