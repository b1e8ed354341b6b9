"""Load corpora by name, from a folder, the cache or their public source, verified by checksum."""

from troenpy.datasets.corpora import Corpus, Listing, available, load

__all__ = ["Corpus", "Listing", "available", "load"]
