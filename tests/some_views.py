"""Views for TermFeatures, as tests want them: one, of words or of counts."""

from troenpy import CountVectorizer


def words(*blocks, **options):
    """Return the view of words, counted with these options."""
    return [("words", CountVectorizer(**options), blocks)]


def counted(*blocks):
    """Return the view of documents that come as rows of counts."""
    return [("words", "counts", blocks)]
