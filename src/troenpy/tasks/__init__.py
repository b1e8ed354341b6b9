"""Work on one's own file: train and test a classifier, predict rows, and say what a model is."""

from troenpy.tasks.class_terms import terms, terms_file
from troenpy.tasks.evaluation import ClassResult, Evaluation
from troenpy.tasks.model_info import ModelInfo, info
from troenpy.tasks.prediction import Predictions, predict
from troenpy.tasks.terms_result import ClassTerms, Terms
from troenpy.tasks.training import train
from troenpy.tasks.training_result import Training

__all__ = [
    "ClassResult",
    "ClassTerms",
    "Evaluation",
    "ModelInfo",
    "Predictions",
    "Terms",
    "Training",
    "info",
    "predict",
    "terms",
    "terms_file",
    "train",
]
