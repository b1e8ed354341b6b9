"""C and views are chosen from held-out training documents, the same whatever their order."""

import warnings

import numpy as np
import pytest
from kernel_switch import kernel_off, needs_kernel
from made_up_texts import made_up_texts
from scipy import special
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from some_views import words

import troenpy
from troenpy import CountVectorizer, TermFeatures, TroenpyClassifier, settings
from troenpy.counts.labels import read_labels
from troenpy.models import choice, held_out, logistic
from troenpy.models.choice import STRENGTHS, Choice, search
from troenpy.models.default_views import read_candidates
from troenpy.models.held_out import NEVER_HELD_OUT, NOT_USED, HeldOut, choose_folds, draw_folds

TEXTS, LABELS = made_up_texts(300, n_shared=80, n_words=14)
LABELS = np.array(LABELS)
WORDS = TermFeatures(words("certainty", "profile"), leave_out="copies")


def counted(texts=TEXTS, labels=LABELS, weight=None, features=WORDS):
    return features._count(list(texts), read_labels(labels), weight)


def folds_of(documents, random_state):
    text_of, fold_of_text = draw_folds(documents, random_state)
    return fold_of_text[text_of]


# Which documents are held out.


def test_every_class_is_held_out_by_quarters():
    folds = folds_of(counted(), 0)
    for name in np.unique(LABELS):
        sizes = np.bincount(folds[name == LABELS], minlength=4)
        assert sizes.max() - sizes.min() <= 1
        assert len(sizes) == 4


def test_copies_are_held_out_together_whatever_their_labels():
    texts, labels = [*TEXTS, *TEXTS[:50]], [*LABELS, *LABELS[1:51]]
    folds = folds_of(counted(texts, labels), 0)
    assert folds[:50].tolist() == folds[300:].tolist()


def test_neither_order_nor_copies_nor_weights_change_the_folds():
    folds = folds_of(counted(), 0)
    order = np.random.default_rng(0).permutation(300)
    np.testing.assert_array_equal(folds_of(counted([TEXTS[i] for i in order], LABELS[order]), 0), folds[order])
    twice = folds_of(counted([*TEXTS, *TEXTS], [*LABELS, *LABELS]), 0)
    np.testing.assert_array_equal(twice, [*folds, *folds])
    np.testing.assert_array_equal(folds_of(counted(weight=np.full(300, 2.0)), 0), folds)
    assert (folds_of(counted(), 1) != folds).any()


def test_the_only_text_of_a_class_is_never_held_out():
    texts, labels = [*TEXTS, "goal alone", "goal alone"], [*LABELS, "rare", "rare"]
    assert folds_of(counted(texts, labels), 0)[-2:].tolist() == [NEVER_HELD_OUT] * 2
    model = TroenpyClassifier().fit(texts, labels)
    assert model.choice_.n_held_out == 300
    assert "rare" in model.classes_


def test_a_class_is_never_held_out_whole(monkeypatch):
    """Neither one of which few texts are drawn, nor one that has only copies of another's texts."""
    texts = [*TEXTS, *(f"rare{i} word{i % 50}" for i in range(60)), *TEXTS[:2]]
    labels = [*LABELS, *(f"rare {i // 3}" for i in range(60)), "copies", "copies"]
    for most in (20_000, 200):
        monkeypatch.setattr(held_out, "MOST_DOCUMENTS", most)
        folds = folds_of(counted(texts, labels), 0)
        for k in range(4):
            in_use = {label for label, fold in zip(labels, folds, strict=True) if fold > NOT_USED}
            assert {label for label, fold in zip(labels, folds, strict=True) if fold > NOT_USED and fold != k} == in_use
    two = TroenpyClassifier().fit([*TEXTS[:99:3], *TEXTS[:2], "x y"], ["a"] * 33 + ["b"] * 2 + ["a"])
    assert set(two.classes_) == {"a", "b"}


@pytest.mark.filterwarnings("ignore:.* all weights are zero:UserWarning")
def test_nothing_to_learn_from_in_a_trial_is_no_error(tmp_path):
    sizes = TermFeatures(words("ecib"))  # without a weight for classes of equal size
    texts, labels = made_up_texts(82, ("sport", "politics"), n_words=14)
    assert TroenpyClassifier(sizes).fit(texts[:-1], labels[:-1]).C_ > 0
    everything = TroenpyClassifier().fit(TEXTS, np.ones((300, 2), dtype=int))
    assert everything.choice_ == Choice(("pairs", "pieces"), 3.0)
    troenpy.save(everything, tmp_path / "model")


def test_copies_are_equal_in_all_views():
    views = [("few", CountVectorizer(vocabulary=["goal"]), ("btf",)), ("words", CountVectorizer(), ("boost",))]
    assert TroenpyClassifier(TermFeatures(views)).fit(TEXTS, LABELS).choice_.trials


def test_documents_without_weight_are_not_used():
    weight = np.ones(300)
    weight[::3] = 0
    assert (folds_of(counted(weight=weight), 0)[::3] == NOT_USED).all()


def test_many_documents_are_held_out_once_and_very_many_are_sampled(monkeypatch):
    assert len(choose_folds(counted(), 0).held_out) == 4
    monkeypatch.setattr(held_out, "FEW_DOCUMENTS", 200)
    folds = choose_folds(counted(), 0)
    assert [len(part) for part in folds.held_out] == [75]
    monkeypatch.setattr(held_out, "MOST_DOCUMENTS", 210)
    folds = choose_folds(counted(), 0)
    assert 208 <= len(folds.documents) <= 213
    assert sorted(np.bincount(np.unique(LABELS[folds.documents], return_inverse=True)[1])) == [70, 70, 70]
    model = TroenpyClassifier().fit(TEXTS, LABELS)
    assert (model.choice_.n_documents, model.choice_.n_turns) == (len(folds.documents), 1)


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (TEXTS[:39], LABELS[:39]),
        (["late goal", "close vote"] * 100, ["s", "p"] * 100),  # copies of one another
        ([f"goal{i} vote{i}" for i in range(99)] + ["goal"], [*map(str, range(99)), "0"]),  # one document per class
    ],
    ids=["few", "copies", "one per class"],
)
def test_with_too_few_texts_there_is_no_choice(texts, labels):
    model = TroenpyClassifier().fit(texts, labels)
    assert model.choice_ == Choice(("pairs", "pieces"), 3.0)
    assert str(model.choice_) == "pairs + pieces, C = 3"
    assert model.C_ == 3.0


# How well they are predicted.


def exact_losses(features, texts, labels, held_out, C):
    """Return log loss and error by scikit-learn on documents that are really left out."""
    loss = wrong = 0.0
    for documents in held_out:
        others = np.setdiff1d(np.arange(len(texts)), documents)
        # Terms of held-out documents only are in the vocabulary, too, with a weight of zero.
        counter = CountVectorizer().fit(texts)
        own = TermFeatures([("words", "counts", ("certainty", "profile"))], leave_out="copies")
        X = own.fit_transform(counter.transform([texts[i] for i in others]), labels[others])
        model = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(X, labels[others])
        p = model.predict_proba(own.transform(counter.transform([texts[i] for i in documents])))
        at = np.searchsorted(model.classes_, labels[documents])
        loss -= np.log(p[np.arange(len(at)), at]).sum()
        wrong += (p.argmax(axis=1) != at).sum()
    return loss / len(texts), wrong / len(texts)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_losses_are_those_of_documents_left_out(n_classes, monkeypatch):
    monkeypatch.setattr("troenpy.models.strength_path.SETTLED", 1e-7)
    monkeypatch.setattr("troenpy.models.strength_path.MOST_ROUNDS", 300)
    monkeypatch.setattr("troenpy.models.strength_path.NEWTON_ACCURACY", 1e-6)
    texts, labels = made_up_texts(200, ("sport", "politics", "science")[:n_classes], n_shared=80, n_words=14)
    labels, documents = np.array(labels), counted(texts, np.array(labels))
    folds = choose_folds(documents, 0)
    trial = HeldOut(WORDS, documents, np.ones(n_classes), folds.held_out)
    for C in (1.0, 10.0, 3.0):
        exact = exact_losses(WORDS, texts, labels, folds.held_out, C)
        np.testing.assert_allclose(trial.losses(C), exact, rtol=1e-3)
    with kernel_off():
        twin = HeldOut(WORDS, documents, np.ones(n_classes), folds.held_out)
        np.testing.assert_allclose(twin.losses(3.0), trial.losses(3.0), rtol=1e-3)


@needs_kernel
def test_a_path_ends_where_a_fresh_solution_does():
    documents = counted()
    folds = choose_folds(documents, 0)
    path, fresh = (HeldOut(WORDS, documents, np.ones(3), folds.held_out) for _ in range(2))
    for C in (3.0, 10.0, 30.0, 1.0):
        found = path.losses(C)
    np.testing.assert_allclose(found, fresh.losses(1.0), rtol=0.01)


def test_several_labels_are_judged_one_by_one():
    indicator = np.column_stack([name == LABELS for name in ("sport", "politics")]).astype(int)
    plain = TermFeatures(words("btf"))  # does not depend on the labels
    documents = counted(labels=indicator, features=plain)
    folds = choose_folds(documents, 0)
    loss, error = HeldOut(plain, documents, np.ones(2), folds.held_out).losses(3.0)
    apart = [counted(labels=column.astype(str), features=plain) for column in indicator.T]
    apart = [HeldOut(plain, of_label, np.ones(2), folds.held_out).losses(3.0) for of_label in apart]
    assert (loss, error) == pytest.approx(np.mean(apart, axis=0), rel=1e-6)
    assert TroenpyClassifier().fit(TEXTS, indicator).choice_.trials


def test_of_many_labels_the_most_frequent_are_judged(monkeypatch):
    rare = np.arange(300) % 30 == 0
    indicator = np.column_stack([rare, LABELS == "sport", LABELS == "politics", rare]).astype(int)
    plain = TermFeatures(words("btf"))
    folds = choose_folds(counted(), 0)
    frequent = HeldOut(plain, counted(labels=indicator[:, 1:3], features=plain), np.ones(2), folds.held_out).losses(3.0)
    monkeypatch.setattr(held_out, "MOST_LABELS", 2)
    assert HeldOut(plain, counted(labels=indicator, features=plain), np.ones(4), folds.held_out).losses(3.0) == frequent


def test_sample_weights_are_repetitions():
    times = np.random.default_rng(0).integers(1, 4, 300)
    again = np.repeat(np.arange(300), times)
    weighted = TroenpyClassifier().fit(TEXTS, LABELS, sample_weight=times)
    repeated = TroenpyClassifier().fit([TEXTS[i] for i in again], LABELS[again])
    assert (weighted.choice_.views, weighted.C_) == (repeated.choice_.views, repeated.C_)
    losses = [[trial.log_loss for trial in model.choice_.trials] for model in (weighted, repeated)]
    np.testing.assert_allclose(*losses, rtol=0.1)  # SETTLED is coarse


def test_class_weights_count_in_the_losses():
    plain, weighted = (TroenpyClassifier(class_weight=w).fit(TEXTS, LABELS) for w in (None, {"sport": 5}))
    assert plain.choice_.trials[0].log_loss != weighted.choice_.trials[0].log_loss


# The choice.


@pytest.mark.parametrize(
    ("least", "expected"), [(0.3, [3, 10, 1, 0.3]), (1, [3, 10, 1, 0.3]), (3, [3, 10, 1]), (30, [3, 10, 30])]
)
def test_the_search_walks_to_the_least_loss(least, expected):
    found = list(search(lambda C: (abs(np.log(C / least)), 0.0), STRENGTHS, 3.0))
    assert [C for C, *_ in found] == expected
    assert min(found, key=lambda trial: trial[1])[0] == least


def test_what_was_chosen_has_the_least_loss_and_is_what_was_fitted():
    model = TroenpyClassifier().fit(TEXTS, LABELS)
    best = min(model.choice_.trials, key=lambda trial: trial.log_loss)
    assert (model.choice_.views, model.C_) == (best.views, best.C)
    assert tuple(view.name for view in model.features_.views_) == best.views
    fixed = TroenpyClassifier(candidates=[best.views], C=best.C).fit(TEXTS, LABELS)
    assert fixed.choice_.trials == ()
    np.testing.assert_array_equal(fixed.coef_, model.coef_)
    assert {trial.views for trial in model.choice_.trials} == {("words",), ("pairs",), ("pairs", "pieces")}


def test_views_with_too_many_coefficients_are_left_out(monkeypatch):
    counted = settings.features("auto")._count(list(TEXTS), read_labels(LABELS), None)
    n_terms = {view.name: rows.matrix.shape[1] for view, rows in zip(counted.views, counted.rows, strict=True)}
    monkeypatch.setattr(choice, "MOST_COEFFICIENTS", 3 * 2 * n_terms["pairs"])  # classes x blocks x terms
    model = TroenpyClassifier().fit(TEXTS, LABELS)
    assert {trial.views for trial in model.choice_.trials} == {("words",), ("pairs",)}
    two = TroenpyClassifier().fit(TEXTS, LABELS == "sport")  # one decision instead of three
    assert len({trial.views for trial in two.choice_.trials}) == 3
    monkeypatch.setattr(choice, "MOST_COEFFICIENTS", 1)
    assert TroenpyClassifier().fit(TEXTS, LABELS).choice_.views == ("words",)
    assert TroenpyClassifier().fit(TEXTS[:30], LABELS[:30]).choice_ == Choice(("words",), 3.0)


def spaced_characters():
    """Texts of one-character tokens, which are no words for scikit-learn."""
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(list("天地人大小" if k else "上下左右中"), 5)) for k in [0, 1] * 60]
    return texts, [0, 1] * 60


@pytest.mark.parametrize("method", ["fit", "fit_batches"])
def test_candidates_with_a_view_without_terms_are_left_out(method):
    texts, labels = spaced_characters()
    model = TroenpyClassifier()
    model = model.fit(texts, labels) if method == "fit" else model.fit_batches([(texts, labels)])
    assert {trial.views for trial in model.choice_.trials} == {("pairs",), ("pairs", "pieces")}
    assert "words" not in [view.name for view in model.features_.views_]
    assert np.mean(model.predict(texts) == labels) == 1


def test_if_no_candidate_has_terms_it_is_one_error():
    texts, labels = spaced_characters()
    with pytest.raises(ValueError, match=r"^view 'words' has no terms, and no candidate does without it"):
        TroenpyClassifier(candidates=[("words",), ("words", "pieces")]).fit(texts, labels)
    with pytest.raises(ValueError, match=r"^view 'words': empty vocabulary"):
        TroenpyClassifier().fit([""] * 120, labels)
    with pytest.raises(ValueError, match=r"^empty vocabulary"):
        TroenpyClassifier(candidates=[("words",)]).fit(texts, labels)


def test_only_C_is_chosen_for_features_of_ones_own():
    model = TroenpyClassifier(settings.features("linear")).fit(TEXTS, LABELS)
    assert {trial.views for trial in model.choice_.trials} == {("words",)}
    assert len(TroenpyClassifier(C=2).fit(TEXTS, LABELS).choice_.trials) == 3


def test_the_same_twice_and_in_any_number_of_threads():
    first = TroenpyClassifier().fit(TEXTS, LABELS)
    for again in (TroenpyClassifier().fit(TEXTS, LABELS), TroenpyClassifier(n_jobs=2).fit(TEXTS, LABELS)):
        assert again.choice_ == first.choice_
        np.testing.assert_array_equal(again.coef_, first.coef_)


def test_blocks_that_are_dropped_in_a_trial_do_not_warn():
    features = TermFeatures(words("pi", "ecib"))
    texts, labels = made_up_texts(200, ("sport", "politics", "science"), n_words=12)
    assert TroenpyClassifier(features).fit(texts, labels).choice_.trials


def test_ctrl_c_during_the_search_leaves_the_model_as_it_was(monkeypatch):
    model = TroenpyClassifier().fit(TEXTS, LABELS)
    before = dict(vars(model))
    calls = []

    def interrupt(*_):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return 1.0, 0.5

    monkeypatch.setattr(choice.HeldOut, "losses", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(TEXTS[::-1], LABELS[::-1])
    assert vars(model) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": "best"}, "C must be a positive, finite number, got 'best': or 'auto', to choose it"),
        ({"C": -1}, "C must be a positive, finite number, got -1"),
        ({"candidates": "words"}, "candidates must be None or sets of views, got 'words': give a list of tuples"),
        ({"candidates": []}, r"candidates must be None or sets of views, got \[\]"),
        ({"candidates": ["words"]}, "got 'words' among them"),
        ({"candidates": [("word",)]}, "unknown view 'word': .* the views are 'words', 'pairs', 'pieces'"),
        ({"candidates": [("words", "words")]}, "a view twice"),
    ],
)
def test_bad_choices_are_one_clear_error(options, message):
    with pytest.raises(ValueError, match=message):
        TroenpyClassifier(**options).fit(TEXTS, LABELS)


def test_candidates_of_other_views():
    views = [(name, CountVectorizer(ngram_range=n), ("boost",)) for name, n in (("one", (1, 1)), ("two", (1, 2)))]
    model = TroenpyClassifier(TermFeatures(views), candidates=[("one",), ("one", "two")]).fit(TEXTS, LABELS)
    assert {trial.views for trial in model.choice_.trials} == {("one",), ("one", "two")}
    assert read_candidates(None, ["one", "two"]) == [("one", "two")]


def test_a_choice_is_a_table_and_is_saved(tmp_path):
    model = TroenpyClassifier().fit(TEXTS, LABELS)
    shown = str(model.choice_).splitlines()
    assert shown[0] == f"{' + '.join(model.choice_.views)}, C = {model.C_:g}"
    assert shown[1] == "300 of 300 training documents held out, in 4 turns:"
    assert shown[2].split() == ["views", "C", "log", "loss", "error"]
    assert len(shown) == 3 + len(model.choice_.trials)
    frame = model.choice_.to_frame()
    assert frame["log_loss"].min() == min(trial.log_loss for trial in model.choice_.trials)
    assert "<td>words</td>" in model.choice_._repr_html_()
    troenpy.save(model, tmp_path / "model")
    loaded = troenpy.load(tmp_path / "model")
    assert loaded.choice_ == model.choice_
    assert loaded.C_ == model.C_
    np.testing.assert_array_equal(loaded.class_frequencies_, model.class_frequencies_)


# Documents without a known term.


@pytest.mark.parametrize("name", ["linear", "views", "paper_2b"])
def test_unknown_documents_get_the_class_frequencies(name):
    labels = np.array(["a", "b", "c", "c"])[np.arange(300) % 4]
    model = settings.classifier(name, C=3).fit(TEXTS, labels)
    for found in (model.predict_proba(["漢", "", TEXTS[0]]), model.predict_proba(iter(["漢", "", TEXTS[0]]))):
        np.testing.assert_allclose(found[:2], [[0.25, 0.25, 0.5]] * 2)
        assert not np.allclose(found[2], found[0])
    assert model.predict(["漢"]).tolist() == ["c"]
    with kernel_off():
        twin = settings.classifier(name, C=3).fit(TEXTS, labels)
        np.testing.assert_allclose(twin.predict_proba(["漢"]), [[0.25, 0.25, 0.5]])
    explanation = model.explain("漢")
    assert not explanation.has_known_terms
    assert "no known term: the probabilities do not depend on the text" in str(explanation)
    np.testing.assert_allclose(explanation.decision, model.decision_function(["漢"])[0])
    assert explanation.probability == pytest.approx(0.5)
    assert model.explain(TEXTS[0]).has_known_terms


def test_frequencies_count_weights_and_two_classes_and_several_labels():
    labels, weight = np.array(["a", "b", "b"] * 100), np.array([2.0, 1, 1] * 100)
    model = TroenpyClassifier(C=3).fit(TEXTS, labels, sample_weight=weight)
    np.testing.assert_allclose(model.class_frequencies_, [0.5, 0.5])
    np.testing.assert_allclose(model.predict_proba(["漢"]), [[0.5, 0.5]])
    model = TroenpyClassifier(C=3).fit(TEXTS, labels)
    np.testing.assert_allclose(model.predict_proba(["漢"]), [[1 / 3, 2 / 3]])
    indicator = np.column_stack([labels == "a", np.arange(300) % 4 > 0, np.ones(300), np.zeros(300)]).astype(int)
    several = TroenpyClassifier(C=3).fit(TEXTS, indicator)
    np.testing.assert_allclose(several.predict_proba(["漢"]), [[1 / 3, 0.75, 1, 0]])


def test_documents_that_had_no_known_term_in_training_say_what_they_mean():
    texts, labels = [*TEXTS, *[""] * 60], [*LABELS, *["blank"] * 60]
    for model in (TroenpyClassifier(), settings.classifier("linear", C=10)):
        found = model.fit(texts, labels).predict_proba(["", "漢"])
        np.testing.assert_allclose(found[:, model.classes_.tolist().index("blank")], (60 + 60 / 360) / 61)


def test_frequencies_of_labels_that_all_have_are_one_whatever_the_weights():
    indicator = np.column_stack([np.ones(300), LABELS == "sport"]).astype(int)
    for seed in range(20):
        weight = np.random.default_rng(seed).random(300) + 0.1
        model = TroenpyClassifier(C=3, candidates=[("words",)]).fit(TEXTS, indicator, sample_weight=weight)
        assert model.predict_proba(["漢"])[0, 0] == 1
        assert model.predict(["漢"])[0, 0] == 1


def test_enormous_weights_are_bounded_in_trials_too():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = TroenpyClassifier(candidates=[("words",)]).fit(TEXTS, LABELS, sample_weight=np.full(300, 1e50))
    assert model.score(TEXTS, LABELS) > 0.9


# When the solver stops.


@needs_kernel
def test_without_a_tolerance_it_stops_near_the_minimum():
    features = settings.features("linear")
    settled, exact = (TroenpyClassifier(features, C=10, tol=tol).fit(TEXTS, LABELS) for tol in (None, 1e-5))
    assert settled.n_iter_ < exact.n_iter_
    assert settled.solver_ == "ascent"
    X = features.fit_transform(TEXTS, LABELS)

    def objective(model):
        logs = special.log_softmax(X @ model.coef_.T + model.intercept_, axis=1)
        return -10 * logs[np.arange(300), np.searchsorted(model.classes_, LABELS)].sum() + (model.coef_**2).sum() / 2

    assert objective(exact) <= objective(settled) < 1.02 * objective(exact)


@needs_kernel
def test_newton_goes_on_if_predictions_do_not_settle(monkeypatch):
    monkeypatch.setattr(logistic, "SETTLED", 0.0)
    monkeypatch.setattr(logistic, "MOST_SETTLING", 2)
    assert TroenpyClassifier(C=3).fit(TEXTS, LABELS).solver_ == "ascent, newton"
