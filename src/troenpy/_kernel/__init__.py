"""The compiled loops, or None where the package was installed without a compiler.

Arrays in, arrays out, no policy. Whoever calls a kernel function has a twin in Python for the other case; the
environment variable ``TROENPY_KERNEL=0`` makes all of them run the twin.
"""

import os
import warnings
from types import ModuleType

#: The kernel, for what is no slower without it; `compiled` returns it for all else. Tests set it to None.
native: ModuleType | None = None
#: Whether to say at the next call that there is no kernel: once, and only to those who did not switch it off.
is_missed = False

if os.environ.get("TROENPY_KERNEL", "1") != "0":
    try:
        import troenpy._kernel._native as native
    except ModuleNotFoundError:  # built without a compiler; a kernel that is there but broken raises ImportError
        is_missed = True


def compiled() -> ModuleType | None:
    """Return the kernel, or None where the twin has to run; warn once if that is because it was not built."""
    global is_missed
    if is_missed:
        is_missed = False
        warnings.warn(
            "troenpy was installed without its compiled kernel: results are the same, but take several times longer. "
            "Install a C++ compiler (g++, clang++ or Visual Studio's), then reinstall troenpy with pip install "
            "--force-reinstall --no-cache-dir --no-deps; or set TROENPY_KERNEL=0 to run without it and not see this",
            RuntimeWarning,
            stacklevel=3,
        )
    return native


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
