"""Optimal transport baselines: word vectors, distances between documents, exact nearest neighbours with pruning."""

from troenpy.transport import embeddings
from troenpy.transport.classifier import TransportClassifier
from troenpy.transport.distances import centroid_distance, hoftt, hott, relaxed_wmd, wfr, wmd
from troenpy.transport.vectors import WordVectors

__all__ = [
    "TransportClassifier",
    "WordVectors",
    "centroid_distance",
    "embeddings",
    "hoftt",
    "hott",
    "relaxed_wmd",
    "wfr",
    "wmd",
]
