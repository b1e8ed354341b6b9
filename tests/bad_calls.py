"""Tables of calls that must fail: a name, the call, the type of the error, and its message."""

import pytest


def bad_calls(*entries):
    """Parametrize a test over (name, call, error, message)."""
    rows = [pytest.param(call, error, message, id=name) for name, call, error, message in entries]
    return pytest.mark.parametrize(("call", "error", "message"), rows)
