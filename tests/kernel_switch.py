"""The kernel, switched off: all that tests need to know of it outside tests/_kernel."""

from contextlib import contextmanager

import pytest

from troenpy import _kernel, kernel_available

needs_kernel = pytest.mark.skipif(not kernel_available(), reason="no kernel")


@contextmanager
def kernel_off():
    """Run the twins in Python inside the block."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_kernel, "native", None)
        yield


def on_both(function, *arguments, **settings):
    """Return what the kernel gives and what the twin gives."""
    by_kernel = function(*arguments, **settings)
    with kernel_off():
        return [by_kernel, function(*arguments, **settings)]
