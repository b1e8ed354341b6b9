"""Interruptions at any call or by a signal, and what a model says before and after."""

import inspect
import pickle
import subprocess
import sys
from pathlib import Path

from sklearn.exceptions import NotFittedError

import troenpy
from troenpy.fitting import transaction

SOURCE = str(Path(troenpy.__file__).parent)


def answers(model, X):
    """Return all that a fitted model says of documents, as plain values."""
    found = {}
    for name in ("transform", "predict", "predict_proba", "decision_function", "kneighbors"):
        if hasattr(model, name):
            result = getattr(model, name)(X)
            found[name] = pickle.dumps(result.toarray() if hasattr(result, "toarray") else result)
    return found


def answers_or_not_fitted(model, X):
    try:
        return answers(model, X)
    except NotFittedError:
        return "not fitted"


class Interrupted:
    """Raise KeyboardInterrupt at the n-th call of a function of this package, as Ctrl-C may at any."""

    def __init__(self, at):
        self.at, self.n_calls = at, 0

    def __call__(self, frame, event, argument):
        name = frame.f_code.co_filename
        is_generator = frame.f_code.co_flags & inspect.CO_GENERATOR  # whose end counts as a call, and may be any time
        if event != "call" or is_generator or not name.startswith(SOURCE) or name == transaction.__file__:
            return
        self.n_calls += 1
        if self.n_calls == self.at:
            raise KeyboardInterrupt

    def __enter__(self):
        sys.setprofile(self)
        return self

    def __exit__(self, *error):
        sys.setprofile(None)


SIGNALLED = """
import os, signal, threading
{setup}

heard, n_heard = threading.Event(), 0

def hear(number, frame):
    global n_heard
    n_heard += 1
    if n_heard == 4:
        raise KeyboardInterrupt
    heard.set()

def ask():
    while heard.wait():
        heard.clear()
        os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, hear)
threading.Thread(target=ask, daemon=True).start()
heard.set()
try:
    {call}
except KeyboardInterrupt:
    print("stopped")
else:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("went on")
"""


def hears_signals(setup, call):
    """Say whether one call into C++ is stopped by Ctrl-C, in a process of its own.

    It is asked to stop four times, each time after it has heard the one before: Python itself hears one before the
    call and one after it, so a call that does not listen comes to its end. How long that takes does not matter.
    """
    code = SIGNALLED.format(setup=setup, call=call)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    return {"stopped": True, "went on": False}[run.stdout.strip()]
