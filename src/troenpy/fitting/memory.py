"""Whether arrays fit this machine, before they are asked for."""

import os


def check_room(owner: str, n_documents: int, n_classes: int, n_numbers: int) -> None:
    """Raise MemoryError if so many numbers of 8 bytes are more than the machine's memory.

    Parameters
    ----------
    owner : str
        Who needs them.
    n_documents, n_classes : int
        What they grow with.
    n_numbers : int
    """
    needed, present = 8 * n_numbers, memory_size()
    if present is not None and needed > present:
        raise MemoryError(
            f"{owner} needs {needed / 1e9:,.1f} GB for {n_documents:,} documents and {n_classes:,} classes, and this"
            f" machine has {present / 1e9:,.1f} GB: take fewer classes or documents, or limit the terms by min_df"
        )


def memory_size() -> int | None:
    """Return the bytes of memory of this machine; None where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
