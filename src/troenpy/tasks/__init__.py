"""Work on one's own file: train and test a classifier, predict rows, and say what a model is."""

from troenpy.tasks.evaluation import ClassResult, Evaluation
from troenpy.tasks.model_info import ModelInfo, info
from troenpy.tasks.prediction import Predictions, predict
from troenpy.tasks.training import train
from troenpy.tasks.training_result import Training

__all__ = ["ClassResult", "Evaluation", "ModelInfo", "Predictions", "Training", "info", "predict", "train"]
