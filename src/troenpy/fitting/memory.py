"""Check that arrays fit in memory before allocating them."""

import os


def check_memory(owner: str, n_documents: int, n_classes: int, n_numbers: int) -> None:
    """Raise MemoryError if this many 8-byte numbers exceed the machine's memory.

    Parameters
    ----------
    owner : str
        The estimator, for the error message.
    n_documents, n_classes : int
        For the error message.
    n_numbers : int
    """
    needed, present = 8 * n_numbers, memory_size()
    if present is not None and needed > present:
        raise MemoryError(
            f"{owner} needs {needed / 1e9:,.1f} GB for {n_documents:,} documents and {n_classes:,} classes, but this"
            f" machine has {present / 1e9:,.1f} GB: use fewer classes or documents, or limit the terms with min_df"
        )


def memory_size() -> int | None:
    """Return the memory of this machine in bytes, or None if unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
