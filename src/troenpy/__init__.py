"""Labelled text to features: term weights from troenpy, the dual of Shannon entropy."""
