"""min_class_df: a term stays if some class has it in enough documents, by every way from text to terms."""

import pickle
from collections import Counter
from contextlib import nullcontext
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_switch import kernel_off
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer as Reference

import troenpy
from troenpy import ClassCounts, CountVectorizer, TermFeatures, TfPiVectorizer, TroenpyClassifier

WORDS = ["ab", "cd", "ef", "gh", "ij"]
OWN_TOKENIZER = {"tokenizer": str.split, "token_pattern": None}
# 1,000 documents: 995 of one class, of which 100 say "some"; 5 of another, of which 4 say "gene".
MANY = ["all some"] * 100 + ["all"] * 895 + ["all gene"] * 4 + ["all"]
MANY_LABELS = ["common"] * 995 + ["rare"] * 5


def is_kept(word, texts, labels, min_class_df, weights):
    """The rule as a plain loop: labels are the set of classes of each document."""
    for label in set().union(*labels):
        members = [i for i in range(len(texts)) if label in labels[i]]
        n_with = sum(weights[i] for i in members if word in texts[i].split())
        n_all = sum(weights[i] for i in members)
        enough = min_class_df if isinstance(min_class_df, int) else min_class_df * n_all
        if n_with > 0 and n_with >= enough - 1e-9:
            return True
    return False


@pytest.mark.usefixtures("kernel_or_twin")
@pytest.mark.parametrize("parameters", [{}, OWN_TOKENIZER, {"n_jobs": 2}])
def test_a_rare_class_keeps_its_words(parameters):
    def terms(**limits):
        return sorted(CountVectorizer(**limits, **parameters).fit(MANY, MANY_LABELS).vocabulary_)

    assert terms(min_df=5) == ["all", "some"]
    assert terms(min_class_df=0.2) == ["all", "gene"]
    assert terms(min_class_df=0.8) == ["all", "gene"]
    assert terms(min_class_df=0.81) == ["all"]
    assert terms(min_class_df=4) == ["all", "gene", "some"]
    assert terms(min_class_df=5) == ["all", "some"]
    assert terms(min_class_df=0.2, min_df=5) == ["all"]
    assert terms(min_class_df=0.2, max_df=999) == ["gene"]
    assert terms(min_class_df=0.2, max_df=999, max_features=1) == ["gene"]  # chosen after the classes have
    assert terms(min_class_df=4, max_df=999, max_features=1) == ["some"]


def test_every_estimator_from_text_has_it():
    expected = ["all", "gene"]
    assert sorted(TfPiVectorizer(min_class_df=0.2).fit(MANY, MANY_LABELS).vocabulary_) == expected
    features = TermFeatures().set_params(words__min_class_df=0.2)
    assert features.fit(MANY, MANY_LABELS).terms().tolist() == expected
    for name in ("linear", "knn"):
        model = troenpy.settings.classifier(name, min_class_df=0.2).fit(MANY[-30:], MANY_LABELS[-30:])
        assert sorted(model.features_.vocabulary_) == expected
    model = TroenpyClassifier(candidates=[("words",)]).set_params(features__words__min_class_df=0.2)
    assert sorted(model.fit(MANY, MANY_LABELS).features_.vocabulary_) == expected
    both = troenpy.settings.classifier("views", min_class_df=0.2).fit(MANY, MANY_LABELS).features_
    assert both.views_[0].terms().tolist() == ["all", "all gene", "gene"]


documents = st.lists(
    st.tuples(
        st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join),
        st.sets(st.sampled_from(range(3)), max_size=2),
        st.sampled_from([0.0, 0.5, 1.0, 1.0, 2.0]),
    ),
    min_size=2,
    max_size=12,
)
limits = st.one_of(st.integers(1, 4), st.sampled_from([0.07, 0.1, 0.2, 1 / 3, 0.5, 2 / 3, 0.9, 1.0]))


@given(documents, limits, st.booleans(), st.booleans(), st.sampled_from([{}, OWN_TOKENIZER, {"n_jobs": 2}]))
@settings(max_examples=200)
def test_the_terms_are_those_of_a_plain_loop(rows, min_class_df, weighted, with_kernel, parameters):
    texts, labels, weights = map(list, zip(*rows, strict=True))
    indicator = np.array([[label in of_one for label in range(3)] for of_one in labels], dtype=int)
    weights = weights if weighted else [1] * len(texts)
    words = sorted(set(" ".join(texts).split()))
    expected = [word for word in words if is_kept(word, texts, labels, min_class_df, weights)]
    vectorizer = CountVectorizer(**parameters, min_class_df=min_class_df)
    by_class = vectorizer._class_filter(troenpy.counts.labels.read_labels(indicator), weights if weighted else None)
    with nullcontext() if with_kernel else kernel_off():
        if not expected:
            with pytest.raises(ValueError, match=r"After pruning, no terms remain|empty vocabulary"):
                vectorizer._fit_rows(texts, by_class=by_class)
            return
        X = vectorizer._fit_rows(texts, by_class=by_class).matrix
    assert vectorizer.get_feature_names_out().tolist() == expected
    assert (Reference(vocabulary=expected).fit_transform(texts) != X).nnz == 0
    counts = ClassCounts.from_matrix(
        Reference(vocabulary=words).fit_transform(texts),
        indicator,
        sample_weight=weights if weighted else None,
        terms=words,
    )
    assert counts.select(min_class_df=min_class_df).terms.tolist() == expected


@given(
    order=st.permutations(range(12)),
    cuts=st.lists(st.integers(1, 11), max_size=3),
    min_class_df=limits,
    weighted=st.booleans(),
)
@settings(max_examples=60)
def test_batches_keep_the_terms_of_one_fit(order, cuts, min_class_df, weighted):
    texts = ["ab cd", "ab", "ab ef", "ab", "cd", "gh", "ab gh", "ab", "ij ab", "ij", "", "ab cd ij"]
    labels = ["x"] * 7 + ["y"] * 3 + ["z"] * 2
    texts, labels = [texts[i] for i in order], [labels[i] for i in order]
    weight = np.resize([0.1, 1, 0.7], 12) if weighted else None
    whole, parts = (TfPiVectorizer(min_class_df=min_class_df, min_df=1, max_df=0.9) for _ in range(2))
    for start, end in pairwise(sorted({0, *cuts, 12})):
        parts.partial_fit(texts[start:end], labels[start:end], None if weight is None else weight[start:end])
    if not hasattr(parts, "weights_"):
        with pytest.raises(ValueError, match="no terms remain"):
            whole.fit(texts, labels, weight)
        return
    whole.fit(texts, labels, weight)
    assert parts.vocabulary_ == whole.vocabulary_
    np.testing.assert_allclose(parts.weights_, whole.weights_)


def test_a_later_batch_brings_a_term_in_and_takes_it_out():
    vectorizer = TfPiVectorizer(min_class_df=0.5)
    vectorizer.partial_fit(["ab cd", "ab", "ab", "ef", "ef gh"], ["x", "x", "x", "y", "y"])
    assert sorted(vectorizer.vocabulary_) == ["ab", "ef", "gh"]
    vectorizer.partial_fit(["cd", "ef", "ef"], ["x", "y", "y"])
    assert sorted(vectorizer.vocabulary_) == ["ab", "cd", "ef"]


def test_a_share_is_not_spoilt_by_rounding():
    texts = ["all rare"] * 7 + ["all"] * 93 + ["none"]
    assert 0.07 * 100 > 7
    assert "rare" in CountVectorizer(min_class_df=0.07).fit(texts, ["x"] * 100 + ["y"]).vocabulary_
    weighted = TfPiVectorizer(min_class_df=1).fit(["ab"] * 10 + ["cd"] * 2, ["x"] * 10 + ["y"] * 2, [0.1] * 10 + [1, 1])
    assert sum([0.1] * 10) < 1
    assert "ab" in weighted.vocabulary_


def test_weights_are_repetitions():
    texts, labels, weights = ["ab cd", "ab", "ef", "ef gh"], ["x", "x", "y", "y"], [1, 2, 3, 0]
    repeated = [text for text, n in zip(texts, weights, strict=True) for _ in range(n)]
    of_repeated = [label for label, n in zip(labels, weights, strict=True) for _ in range(n)]
    for limit in (1, 2, 3, 0.3, 0.5, 1.0):
        once = TfPiVectorizer(min_class_df=limit).fit(texts, labels, weights)
        again = TfPiVectorizer(min_class_df=limit).fit(repeated, of_repeated)
        assert once.vocabulary_ == again.vocabulary_
        features = (
            TermFeatures().set_params(words__min_class_df=limit, words__blocks=("pi",)).fit(texts, labels, weights)
        )
        assert features.vocabulary_ == once.vocabulary_


def test_a_document_without_a_class_counts_for_none():
    y = np.array([[1, 0], [1, 0], [0, 1], [0, 0]])
    kept = CountVectorizer(min_class_df=1).fit(["ab", "ab cd", "ef", "gh"], y).vocabulary_
    assert sorted(kept) == ["ab", "cd", "ef"]


def test_a_given_vocabulary_stays_and_needs_no_labels():
    vectorizer = CountVectorizer(vocabulary=["ab", "never"], min_class_df=9)
    assert vectorizer.fit(["ab"]).vocabulary_ == {"ab": 0, "never": 1}
    batches = TfPiVectorizer(vocabulary=["ab", "never"], min_class_df=9).partial_fit(["ab", "cd"], ["x", "y"])
    assert sorted(batches.vocabulary_) == ["ab", "never"]


def test_folds_without_a_rare_class():
    texts, labels = ["ab cd", "ab", "cd", "ab cd", "gh"], ["x", "y", "x", "y", "z"]
    splits = [([2, 3, 4], [0, 1]), ([0, 1], [2, 3, 4])]
    features = TermFeatures(cv=splits).set_params(words__min_class_df=0.5)
    assert features.fit_transform(texts, labels).shape[0] == 5
    assert "gh" in features.vocabulary_
    assert TfPiVectorizer(cv=splits, min_class_df=0.5).fit_transform(texts, labels).shape == (5, 3)


def test_it_is_cloned_pickled_saved_and_loaded(tmp_path):
    vectorizer = clone(TfPiVectorizer()).set_params(min_class_df=0.2).partial_fit(MANY[:990], MANY_LABELS[:990])
    troenpy.save(vectorizer, tmp_path / "half.safetensors")
    for half in (troenpy.load(tmp_path / "half.safetensors"), pickle.loads(pickle.dumps(vectorizer))):
        assert half.get_params()["min_class_df"] == 0.2
        assert sorted(half.partial_fit(MANY[990:], MANY_LABELS[990:]).vocabulary_) == ["all", "gene"]
    model = troenpy.settings.classifier("linear", min_class_df=0.2).fit(MANY, MANY_LABELS)
    troenpy.save(model, tmp_path / "model.safetensors")
    loaded = troenpy.load(tmp_path / "model.safetensors")
    assert loaded.get_params()["features__words__min_class_df"] == 0.2
    assert loaded.predict(MANY).tolist() == model.predict(MANY).tolist()


def test_without_it_labels_are_ignored_as_in_scikit_learn():
    assert CountVectorizer().fit(["ab cd"], y=object()).vocabulary_ == {"ab": 0, "cd": 1}
    assert CountVectorizer().get_params()["min_class_df"] is None


def test_select_combines_columns_and_classes():
    counts = ClassCounts.from_matrix(
        [[1, 0, 1, 0], [1, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0]], ["x", "x", "x", "y"], terms=["d", "c", "b", "a"]
    )
    assert counts.select() == counts
    assert counts.select(min_class_df=0.5).terms.tolist() == ["d", "c"]
    assert counts.select([1, 2, 0], min_class_df=0.5).terms.tolist() == ["c", "d"]
    assert counts.select([-1, -4], min_class_df=1).terms.tolist() == ["d"]
    assert counts.select([True, False, True, False], min_class_df=1).terms.tolist() == ["d", "b"]
    assert counts.select(min_class_df=4).terms.tolist() == []
    assert Counter(counts.select(min_class_df=1).term_docs.tolist()) == Counter([4, 1, 1])
