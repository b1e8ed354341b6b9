"""Fitted estimators to one file and back: arrays and a JSON header, nothing that can run."""

from troenpy.persistence.models import load, save

__all__ = ["load", "save"]
