"""The compiled kernel, or None if the package was installed without a compiler.

Kernel functions take arrays and return arrays. Every caller has a fallback in Python with the same results; the
environment variable ``TROENPY_KERNEL=0`` selects the fallbacks.
"""

import os
import warnings
from types import ModuleType

#: The kernel, without a warning if it is missing; speed-critical code calls `compiled` instead. Tests set it to None.
native: ModuleType | None = None
#: Whether `compiled` should warn that the kernel is missing: once, and not if TROENPY_KERNEL=0.
should_warn = False

if os.environ.get("TROENPY_KERNEL", "1") != "0":
    try:
        import troenpy._kernel._native as native
    except ModuleNotFoundError:  # built without a compiler; a broken kernel raises ImportError
        should_warn = True


def compiled() -> ModuleType | None:
    """Return the kernel, or None if the fallback must run; warn once if the kernel was not built."""
    global should_warn
    if should_warn:
        should_warn = False
        warnings.warn(
            "troenpy was installed without its compiled kernel: results are the same, but everything is several times "
            "slower. Install a C++ compiler (g++, clang++ or Visual Studio) and reinstall troenpy with pip install "
            "--force-reinstall --no-cache-dir --no-deps; or set TROENPY_KERNEL=0 to silence this warning",
            RuntimeWarning,
            stacklevel=3,
        )
    return native


def kernel_available() -> bool:
    """Return whether the compiled kernel is in use; without it everything works, but more slowly.

    False if the package was built without a compiler, or if the environment variable ``TROENPY_KERNEL`` is 0.

    Examples
    --------
    >>> kernel_available() in (True, False)
    True
    """
    return native is not None
