"""The compiled loops, or None where the package was installed without a compiler.

Arrays in, arrays out, no policy. Whoever calls a kernel function has a twin in Python for the other case; the
environment variable ``TROENPY_KERNEL=0`` makes all of them run the twin.
"""

import os
from types import ModuleType

native: ModuleType | None = None
if os.environ.get("TROENPY_KERNEL", "1") != "0":
    try:
        import troenpy._kernel._native as native
    except ModuleNotFoundError:  # built without a compiler; a kernel that is there but broken raises ImportError
        native = None


def kernel_available() -> bool:
    """Say whether the compiled kernel runs; without it everything works, more slowly.

    It does not run where the package was built without a compiler, or with ``TROENPY_KERNEL=0`` in the
    environment.

    Examples
    --------
    >>> kernel_available() in (True, False)
    True
    """
    return native is not None
