"""Names that people say: one for every method, and no two alike."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troenpy.experiments.grammar import read_methods
from troenpy.experiments.methods import ALL_WEIGHTS, BEYOND, OURS, USUAL
from troenpy.report.names import FAMILIES, corpus_name, name_of

METHODS = [method.name for method in read_methods((*USUAL, *BEYOND, *ALL_WEIGHTS))]


@pytest.mark.parametrize(
    ("method", "short", "family"),
    [
        ("knn: tf*pi", "TF-PI", "knn"),
        ("knn: tf*idf", "TF-IDF", "knn"),
        ("knn-manhattan: tf*idf/l1", "TF-IDF, L1", "knn"),
        ("knn: tf*idf/l1", "TF-IDF, L1, Euclidean", "knn"),
        ("knn: tf*idf + btf", "TF-IDF + BTF", "knn"),
        ("lr: tf*pi + btf + ecib", "TF-PI + BTF + ECIB", "lr"),
        ("lr: tf*pi + 2b", "TF-PI + BTF + ECIB", "lr"),
        ("lr: btf*pcf + ecib*pcf", "BTF × PCF + ECIB × PCF", "lr"),
        ("lr3: tf*idf", "TF-IDF, C = 3", "lr"),
        ("lr-cv: tf*idf", "TF-IDF, C chosen", "lr"),
        ("svm-cv: logtf*idf", "log TF-IDF", "svm"),
        ("svm2: logtf*idf", "log TF-IDF, C = 2", "svm"),
        ("nbsvm-cv: btf", "BTF", "nbsvm"),
        ("knn: wmd", "WMD", "transport"),
        ("knn: hoftt", "HOFTT", "transport"),
        ("troenpy", "troenpy", "other"),
    ],
)
def test_what_people_say(method, short, family):
    name = name_of(method)
    assert (name.short, name.family) == (short, family)


@pytest.mark.parametrize("k", [1, 7])
def test_no_two_methods_have_one_name(k):
    names = [name_of(method.name) for method in read_methods(METHODS, [k])]
    assert len(names) > 100
    assert [entry for entry, times in Counter(name.full for name in names).items() if times > 1] == []
    assert len({name.brief for name in names}) == len(names)


def test_ours_are_marked_and_named():
    ours = [name for name in map(name_of, METHODS) if name.is_ours]
    assert [name.method for name in ours] == list(OURS)
    assert [name.full for name in ours] == [
        "our settings, nearest neighbours",
        "our settings, logistic regression",
        "our settings, linear SVM",
    ]
    other = name_of(OURS[0].replace("knn", "knn15"))
    assert (other.short, other.is_ours) == ("our settings, k = 15", False)


@given(st.text(max_size=30))
def test_any_string_has_a_name(text):
    name = name_of(text)
    assert name.method == text
    assert name.family in FAMILIES
    assert name.full == text or "," in name.full


def test_a_method_with_word_vectors_is_transport_by_any_name():
    assert name_of("wmd5: tf", is_transport=True).family == "transport"


def test_corpora():
    assert corpus_name("20news") == "20 Newsgroups"
    assert corpus_name("r8, sample of 50") == "Reuters R8, sample of 50"
    assert corpus_name("my tickets, all") == "my tickets, all"
