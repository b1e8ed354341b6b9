"""The compiled loops, or None where the package was installed without a compiler.

Arrays in, arrays out, no policy. Whoever calls a kernel function has a twin in Python for the other case.
"""

from contextlib import suppress
from importlib import import_module
from types import ModuleType

native: ModuleType | None = None
with suppress(ModuleNotFoundError):  # built without a compiler; a kernel that is there but broken raises ImportError
    native = import_module("troenpy._kernel._native")


def kernel_available() -> bool:
    """Say whether the compiled kernel runs; without it everything works, more slowly.

    Examples
    --------
    >>> kernel_available() in (True, False)
    True
    """
    return native is not None
