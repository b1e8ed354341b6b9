"""Save fitted estimators to a file and load them, without running code from the file."""

from troenpy.persistence.models import load, save

__all__ = ["load", "save"]
