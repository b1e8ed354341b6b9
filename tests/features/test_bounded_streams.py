"""A bounded stream: the Space-Saving summary keeps its promises, whatever the order, the batches and the threads."""

import pickle
from collections import Counter
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_switch import on_both
from some_views import words

from troenpy import ClassCounts, CountVectorizer, TermFeatures, TfPiVectorizer

LABELS = ("a", "b", "c")


def summarise(documents, labels, max_terms):
    """Count as a dict and min() would: the bounds of each kept term, its documents by class, and kept_above."""
    table, kept_above = {}, 0
    for document, label in zip(documents, labels, strict=True):
        for term in dict.fromkeys(document):
            if term not in table:
                error = 0
                if len(table) == max_terms:
                    # the first with the smallest upper bound: a dict keeps the order of entrance
                    least = min(table, key=lambda term: sum(table[term][1].values()) + table[term][0])
                    error = kept_above = table[least][0] + sum(table[least][1].values())
                    del table[least]
                table[term] = error, Counter()
            table[term][1][label] += 1
    return table, kept_above


def stream(documents, labels, max_terms, batch=3, n_jobs=1):
    vectorizer = TfPiVectorizer(max_terms=max_terms, n_jobs=n_jobs)
    texts = [" ".join(document) for document in documents]
    for start in range(0, len(texts), batch):
        vectorizer.partial_fit(texts[start : start + batch], labels[start : start + batch])
    return vectorizer._stream.tally()


def as_table(tally):
    """Return the counts of a tally in the form of `summarise`."""
    counts, terms = tally.counts, tally.terms.names()
    doc_freq = counts.doc_freq.toarray()
    errors = np.zeros(len(terms), int) if counts.errors is None else counts.errors
    return {
        term: (errors[i], Counter({c: n for c, n in zip(counts.classes, doc_freq[:, i].tolist(), strict=True) if n}))
        for i, term in enumerate(terms)
    }


@st.composite
def labelled(draw):
    """Draw documents of few terms, in orders that are hard for a summary, and their labels."""
    terms = [f"t{i:02}" for i in range(draw(st.integers(2, 25)))]
    kind = draw(st.sampled_from(["any", "round robin", "rare first", "frequent first", "bursts"]))
    any_document = st.lists(st.sampled_from(terms), max_size=8)
    documents = draw(st.lists(any_document, min_size=1, max_size=30))
    if kind == "round robin":
        documents = [[terms[i % len(terms)], terms[(i + 1) % len(terms)]] for i in range(len(documents) * 2)]
    elif kind in ("rare first", "frequent first"):
        times = Counter(chain(*documents))
        flat = sorted(chain(*documents), key=lambda term: times[term], reverse=kind == "frequent first")
        documents = [[term] for term in flat] or [[]]
    elif kind == "bursts":
        documents = [[term] for term in terms for _ in range(draw(st.integers(1, 3)))]
    labels = draw(st.lists(st.sampled_from(LABELS), min_size=len(documents), max_size=len(documents)))
    return documents, labels


def true_documents(documents, labels):
    return Counter((term, label) for document, label in zip(documents, labels, strict=True) for term in set(document))


def check_bounds(counts, terms, documents, labels):
    """Check what inexact counts promise against the true ones."""
    truth = true_documents(documents, labels)
    of_term = Counter()
    for (term, _), n in truth.items():
        of_term[term] += n
    doc_freq = counts.doc_freq.toarray()
    errors = np.zeros(len(terms), int) if counts.errors is None else counts.errors
    for i, term in enumerate(terms):
        assert counts.term_docs[i] <= of_term[term] <= counts.term_docs[i] + errors[i]
        assert errors[i] <= counts.kept_above
        for c, label in enumerate(counts.classes):
            assert doc_freq[c, i] <= truth[term, label] <= doc_freq[c, i] + errors[i]
    for term in of_term.keys() - set(terms):
        assert of_term[term] <= counts.kept_above


@given(
    given_labelled=labelled(), max_terms=st.integers(1, 12), batch=st.integers(1, 40), n_jobs=st.sampled_from([1, 2])
)
@settings(max_examples=200, deadline=None)
def test_the_summary_is_that_of_a_dict_and_min(given_labelled, max_terms, batch, n_jobs):
    documents, labels = given_labelled
    expected, kept_above = summarise(documents, labels, max_terms)
    for tally in on_both(stream, documents, labels, max_terms, batch, n_jobs):
        assert as_table(tally) == expected
        assert tally.counts.kept_above == tally.summary.kept_above == kept_above
        check_bounds(tally.counts, tally.terms.names(), documents, labels)
        assert kept_above * max_terms <= sum(len(set(document)) for document in documents)
        assert tally.counts.is_exact == (kept_above == 0)
        if kept_above == 0:
            assert tally.counts == stream(documents, labels, None).counts


@given(
    first=labelled(),
    second=labelled(),
    bounds=st.tuples(*[st.none() | st.integers(1, 10)] * 2),
    pruned=st.integers(1, 8),
)
@settings(max_examples=100, deadline=None)
def test_sums_of_summaries_keep_their_promises(first, second, bounds, pruned):
    parts = [stream(*given_labelled, bound) for given_labelled, bound in zip((first, second), bounds, strict=True)]
    ours, theirs = (tally.counts.with_terms(tally.terms.names()) for tally in parts)
    documents, labels = first[0] + second[0], first[1] + second[1]
    merged = ours + theirs
    assert merged == theirs + ours
    assert merged.kept_above == ours.kept_above + theirs.kept_above
    assert merged.is_exact == (ours.is_exact and theirs.is_exact)
    check_bounds(merged, merged.terms, documents, labels)
    fewer = merged.prune(pruned)
    assert len(fewer.terms) == min(pruned, len(merged.terms))
    check_bounds(fewer, fewer.terms, documents, labels)


def test_a_worked_example():
    """Three places: "dd" takes that of "cc", which is in one document; then "ee" that of "bb", which is in two."""
    texts, labels = ["aa bb", "aa bb", "cc", "aa"], ["x", "x", "y", "y"]
    vectorizer = TfPiVectorizer(max_terms=3).partial_fit(texts, labels)
    assert vectorizer.counts_.is_exact
    assert vectorizer.count_error_.by_term.tolist() == [0, 0, 0]
    assert vectorizer.count_error_.kept_above == 0
    vectorizer.partial_fit(["dd"], ["x"])  # instead of "cc", so that it may be in two documents
    assert vectorizer.vocabulary_ == {"aa": 0, "bb": 1, "dd": 2}
    assert vectorizer.counts_.term_docs.tolist() == [3, 2, 1]
    assert vectorizer.count_error_.by_term.tolist() == [0, 0, 1]
    assert vectorizer.count_error_.kept_above == 1
    vectorizer.partial_fit(["ee ee"], ["y"])  # "bb" and "dd" may be in two: "bb" entered first
    assert vectorizer.vocabulary_ == {"aa": 0, "dd": 1, "ee": 2}
    assert vectorizer.counts_.doc_freq.toarray().tolist() == [[2, 1, 0], [1, 0, 1]]
    assert vectorizer.count_error_.by_term.tolist() == [0, 1, 2]
    assert vectorizer.count_error_.kept_above == 2
    assert repr(vectorizer.counts_).endswith("inexact by up to 2 documents)")


def test_long_terms_come_and_go():
    """Many terms that are longer than a key leave their bytes behind, which are used again."""
    rng = np.random.default_rng(0)
    ranks = np.minimum(rng.zipf(1.3, 30_000), 4000)
    documents = [[f"{rank:04}" * 25 for rank in part] for part in np.array_split(ranks, 1500)]
    labels = rng.choice(LABELS, len(documents)).tolist()
    expected, kept_above = summarise(documents, labels, 100)
    for batch, n_jobs in ((100, 1), (700, 2)):
        tally = stream(documents, labels, 100, batch, n_jobs)
        assert as_table(tally) == expected
        assert tally.counts.kept_above == kept_above > 0


@pytest.mark.parametrize("counting", [{}, {"ngram_range": (1, 2)}, {"analyzer": "char_wb", "ngram_range": (2, 3)}])
def test_the_kernel_and_the_plain_way_take_terms_in_the_same_order(counting):
    rng = np.random.default_rng(1)
    texts = [" ".join(rng.choice([f"word{i}" for i in range(60)], 12)) for _ in range(80)]
    labels = rng.choice(LABELS, len(texts)).tolist()

    def counts():
        vectorizer = TfPiVectorizer(max_terms=40, **counting)
        for start in range(0, 80, 16):
            vectorizer.partial_fit(texts[start : start + 16], labels[start : start + 16])
        return vectorizer.counts_

    by_kernel, plain = on_both(counts)
    assert by_kernel == plain
    assert not by_kernel.is_exact


@given(given_labelled=labelled(), max_terms=st.integers(1, 8))
@settings(max_examples=60, deadline=None)
def test_with_weights_the_errors_are_in_weights(given_labelled, max_terms):
    documents, labels = given_labelled
    weights = 0.5 + np.arange(len(documents)) % 4
    vectorizer = TfPiVectorizer(max_terms=max_terms)
    vectorizer.partial_fit([" ".join(document) for document in documents], labels, weights)
    tally = vectorizer._stream.tally()
    errors = np.zeros(len(tally.frequency)) if tally.counts.errors is None else tally.counts.errors
    truth = Counter()
    for document, weight in zip(documents, weights, strict=True):
        for term in set(document):
            truth[term] += weight
    for term, seen, error in zip(tally.terms.names(), tally.counts.term_docs, errors, strict=True):
        assert seen <= truth[term] <= seen + error
    assert all(truth[term] <= tally.counts.kept_above for term in truth.keys() - set(tally.terms.names()))


def test_features_say_how_much_may_be_missing():
    features = TermFeatures(words("pi", "btf", max_terms=3))
    features.partial_fit(["aa bb", "aa bb", "cc", "aa", "dd"], list("xxyyx"))
    assert features.count_error_.by_term.tolist() == [0, 0, 1]
    assert features.count_error_.kept_above == 1


def test_fit_refuses_a_bound():
    for model in (CountVectorizer(max_terms=3), TfPiVectorizer(max_terms=3), TermFeatures(words("pi", max_terms=3))):
        with pytest.raises(ValueError, match="max_terms is only for partial_fit, got max_terms=3: use max_features"):
            model.fit(["aa bb", "aa"] * 2, ["x", "y"] * 2)


# ClassCounts that are inexact


def inexact():
    tally = stream([["aa", "bb"], ["aa"], ["cc"], ["dd"]], list("aabb"), 2)
    return tally.counts.with_terms(tally.terms.names())


def test_inexact_counts_stay_inexact(tmp_path):
    counts = inexact()
    assert not counts.is_exact
    for same in (pickle.loads(pickle.dumps(counts)), counts.select([0, 1]), counts.with_terms(counts.terms)):
        assert same == counts
    counts.save(tmp_path / "counts")
    assert ClassCounts.load(tmp_path / "counts") == counts
    assert counts.select([1]).errors.tolist() == [counts.errors[1]]
    exact = ClassCounts.from_matrix([[1, 1]], ["a"], terms=counts.terms)
    assert (counts + exact).errors.tolist() == counts.errors.tolist()
    assert counts != counts._with(errors=None, kept_above=0)
    assert sum([counts, counts]).kept_above == 2 * counts.kept_above


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"errors": [1]}, r"errors must have shape \(2,\) to fit doc_freq, got \(1,\)"),
        ({"errors": [0, 99]}, "errors must be between 0 and kept_above, 1, got 99"),
        ({"errors": [0, -1]}, "errors must be between 0 and kept_above, 1, got -1"),
        ({"errors": None}, "kept_above must be 0 for exact counts, got 1: give errors, too"),
        ({"kept_above": "many"}, "kept_above must be a finite number and not negative, got 'many'"),
        ({"kept_above": -1}, "kept_above must be a finite number and not negative, got -1"),
    ],
)
def test_wrong_errors(changes, message):
    counts = inexact()
    counts = counts._with(kept_above=1, errors=np.minimum(counts.errors, 1))
    with pytest.raises(ValueError, match=message):
        counts._with(**changes)


def test_pruning_needs_a_number_of_terms():
    with pytest.raises(ValueError, match="max_terms must be a whole number of at least 1, got 0"):
        inexact().prune(0)
