"""Turn text and labels into feature matrices: term counts, weights, class profiles, and blocks of them."""

from troenpy.features.blocks import Block
from troenpy.features.class_profile import ClassProfile
from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.term_features import TermFeatures
from troenpy.features.term_weighter import TermWeighter
from troenpy.features.tfpi_vectorizer import TfPiVectorizer

__all__ = ["Block", "ClassProfile", "CountVectorizer", "TermFeatures", "TermWeighter", "TfPiVectorizer"]
