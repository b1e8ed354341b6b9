"""Work on one's own texts: train and test, predict, compare methods, find the terms of classes and wrong labels."""

from troenpy.tasks.audit_result import Audit, ConfusedPair, Contradiction, Neighbour, Suspect
from troenpy.tasks.class_terms import terms, terms_file
from troenpy.tasks.comparison_result import MethodComparison, MethodResult
from troenpy.tasks.evaluation import ClassResult, Evaluation
from troenpy.tasks.label_audit import audit, audit_file
from troenpy.tasks.method_comparison import compare, compare_file
from troenpy.tasks.model_info import ModelInfo, info
from troenpy.tasks.prediction import Predictions, predict
from troenpy.tasks.review import Corrected, apply_review
from troenpy.tasks.terms_result import ClassTerms, Terms
from troenpy.tasks.text_data import TextData, read_texts
from troenpy.tasks.training import train
from troenpy.tasks.training_result import Training

__all__ = [
    "Audit",
    "ClassResult",
    "ClassTerms",
    "ConfusedPair",
    "Contradiction",
    "Corrected",
    "Evaluation",
    "MethodComparison",
    "MethodResult",
    "ModelInfo",
    "Neighbour",
    "Predictions",
    "Suspect",
    "Terms",
    "TextData",
    "Training",
    "apply_review",
    "audit",
    "audit_file",
    "compare",
    "compare_file",
    "info",
    "predict",
    "read_texts",
    "terms",
    "terms_file",
    "train",
]
