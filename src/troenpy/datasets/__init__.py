"""Corpora by name: from a folder, the cache, or their public source, always checked against a checksum."""

from troenpy.datasets.corpora import Corpus, Listing, available, load

__all__ = ["Corpus", "Listing", "available", "load"]
