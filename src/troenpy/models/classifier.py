"""TroenpyClassifier: classify text with TermFeatures and logistic regression, and explain the result.

The module is long because every parameter and method is documented where scikit-learn users expect it.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from troenpy._kernel.matrix import decision_values
from troenpy._kernel.solver import Part
from troenpy.counts.counting import read_weights
from troenpy.counts.labels import Labels, read_required_labels
from troenpy.features.checkpoints import Checkpoint
from troenpy.features.counted_documents import CountedDocuments
from troenpy.features.term_features import TermFeatures
from troenpy.files import archive
from troenpy.files.drafts import FilePath
from troenpy.files.saved import Saved, check_array
from troenpy.fitting.jobs import job_count
from troenpy.fitting.memory import check_memory
from troenpy.fitting.notices import warn_user
from troenpy.fitting.parameters import check_flag, check_not_negative, check_positive, check_whole
from troenpy.fitting.transaction import all_or_nothing
from troenpy.models.batch_fitting import BatchFit, check_batch_parameters, document_reader
from troenpy.models.choice import STRENGTHS, Choice, choose, n_coefficients, with_terms
from troenpy.models.coefficients import by_feature, coefficient_type
from troenpy.models.default_views import linear_features, read_candidates
from troenpy.models.document_passes import Callback, DocumentPasses, read_source
from troenpy.models.explanation import Explanation
from troenpy.models.folding import ViewTerms
from troenpy.models.has_features import HasFeatures, check_explained, check_features
from troenpy.models.held_out import design_parts
from troenpy.models.logistic import TINY, Design, Fit
from troenpy.models.shuffled_copy import ShuffledCopy
from troenpy.models.survey import survey

#: Decision values computed at a time: 32 MB.
DECISIONS_PER_BLOCK = 2**22
#: Decision values that Python compares as fast as numpy, including its overhead.
FEW_VALUES = 256


class TroenpyClassifier(HasFeatures, ClassifierMixin, BaseEstimator):
    """Classify text by logistic regression; C, and which views of the text to use, are chosen from the training data.

    Parameters
    ----------
    features : TermFeatures or None, default=None
        How to turn documents into features. None means three views of a text, each with two weightings of its terms and
        a class profile, in float32: "words"; "pairs", which are tokens of any script and pairs of them; and "pieces" of
        words, 2 to 4 characters long. Set their parameters as ``features__pairs__min_df``. Named settings are in
        `troenpy.settings`; the paper's features are ``TermFeatures()``.
    candidates : sequence of tuples of str, or None, default=None
        Names of the views to choose from, such as ``[("words",), ("words", "pieces")]``. None means
        ``[("words",), ("pairs",), ("pairs", "pieces")]`` if the views have the default names, and otherwise no choice:
        all views of `features`.
    C : float or "auto", default="auto"
        Inverse strength of the L2 penalty. "auto" chooses one of 0.3, 1, 3, 10 and 30.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes in the loss, as in scikit-learn's LogisticRegression. Not supported for multi-label
        targets.
    cv : None, int, splitter or iterable of splits, default=None
        Cross-fitting of the training features; overrides the `cv` of `features`. C and views are chosen without it. It
        did not help logistic regression.
    tol : float or None, default=None
        None stops as soon as the predictions have settled: when a pass over the documents has less than 0.2 % of the
        objective to gain. A number stops when the duality gap proves that the coefficients are within `tol` of the
        optimum, relative to their length.
    max_iter : int, default=300
        Maximum number of passes over the documents and Newton steps; a ConvergenceWarning says if they were too few.
    random_state : int, RandomState instance or None, default=0
        Draws the held-out documents and the folds of an int `cv`; the solver itself is deterministic.
    n_jobs : int or None, default=None
        Number of threads, also for `features` without an `n_jobs` of its own: None means one, -1 one per processor.
        Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    features_ : TermFeatures
        The fitted features, with the views that were chosen.
    C_ : float
        The C that was used.
    choice_ : Choice
        What was chosen, and the log loss and error of everything that was tried; `to_frame` returns a table.
    class_frequencies_ : ndarray of shape (n_classes,)
        The probabilities of a document without a known term: the fraction of the training documents of each class, by
        weight; if some of them had no known term either, mostly of these.
    coef_, intercept_ : ndarrays of shape (n_decisions, n_features) and (n_decisions,)
        One decision for two classes, otherwise one per class. The coefficients are float32 (float64 only if they are
        out of its range), stored by feature.
    n_iter_ : int
        Number of passes and Newton steps; for multi-label targets, the maximum over labels.
    solver_ : str
        What found the coefficients: "ascent" (dual coordinate ascent), "newton", or "ascent, newton" if ascent was too
        slow or not accurate enough, as for a large C or a small `tol`. Tiny problems, and all problems without the
        kernel, use "newton".

    Notes
    -----
    The choice minimises the log loss of training documents that are held out: a quarter of each class, once; or each
    quarter in turn with fewer than 5,000 documents. Of more than 20,000 documents, as many are used. Vocabulary counts
    come from all training documents, but weights, profiles and coefficients are learnt again from those that are not
    held out. Copies of a text are held out together, and the only text of a class never is. With several labels for a
    document, the twenty most frequent ones are judged. With fewer than 40 different texts to hold out there is no
    choice: it is the last candidate, with C = 3. Candidates but the first are left out if they have more than 200
    million coefficients (terms x blocks x classes): a fit of them would take 4 GB. Texts are counted once, and the
    choice takes one to six times as long as the final fit.

    A document without a known term gets the class frequencies of the training documents as probabilities; if there were
    such documents among them, those of these documents and of one average document.

    On 17 corpora the choice and its alternatives are compared in ``docs/beyond.md``, and the classifier with others in
    ``docs/results.md``.

    Examples
    --------
    >>> from troenpy import TroenpyClassifier
    >>> texts = ["late goal", "own goal", "late vote", "close vote", "no vote"]
    >>> model = TroenpyClassifier().fit(texts, ["sport", "sport", "politics", "politics", "politics"])
    >>> model.predict(["another goal"])
    array(['sport'], dtype=object)

    Options of the text can be set for all views, or for one:

    >>> from troenpy import CountVectorizer, TermFeatures, settings
    >>> model = settings.classifier("auto", min_df=2, stop_words="english")
    >>> model = TroenpyClassifier().set_params(features__pairs__ngram_range=(1, 3))

    Fixed settings: one view of words, and blocks of your choice:

    >>> model = settings.classifier("linear", ngram_range=(1, 2), C=10)
    >>> pairs = CountVectorizer(ngram_range=(1, 2), stop_words="english")
    >>> model = TroenpyClassifier(TermFeatures([("words", pairs, ("boost", "profile"))]))
    """

    # `raw_documents` is data, not routable metadata.
    __metadata_request__fit = {"raw_documents": UNUSED}  # noqa: RUF012
    __metadata_request__predict = {"raw_documents": UNUSED}  # noqa: RUF012
    __metadata_request__predict_proba = {"raw_documents": UNUSED}  # noqa: RUF012
    __metadata_request__decision_function = {"raw_documents": UNUSED}  # noqa: RUF012

    def __init__(
        self,
        features: TermFeatures | None = None,
        *,
        candidates: Any = None,
        C: Any = "auto",
        class_weight: Any = None,
        cv: Any = None,
        tol: float | None = None,
        max_iter: int = 300,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.features = features
        self.candidates = candidates
        self.C = C
        self.class_weight = class_weight
        self.cv = cv
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    @staticmethod
    def default_features() -> TermFeatures:
        """Return the default features, unfitted: the views of which some are chosen."""
        return linear_features()

    @all_or_nothing
    def fit(self, raw_documents: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn features and coefficients.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, array, Series or Arrow string data
        y : array-like of shape (n_documents,), or indicator matrix of shape (n_documents, n_classes)
            The labels. Each column of an indicator matrix is fitted separately.
        sample_weight : array-like of shape (n_documents,), optional
            How many documents each document counts as.

        Returns
        -------
        self
        """
        n_threads = job_count(self.n_jobs)
        tol = None if self.tol is None else check_not_negative("tol", self.tol)
        max_iter = check_whole("max_iter", self.max_iter)
        features, candidates, strengths = self._settings()
        labels = read_required_labels(y, "TroenpyClassifier")
        self.classes_, self._is_multilabel = labels.classes, not (labels.is_single and labels.is_list)
        if not self._is_multilabel:
            check_memory("TroenpyClassifier", len(labels), len(labels.classes), 2 * len(labels) * len(labels.classes))
        given = read_weights(sample_weight, len(labels))
        weights = np.ones(len(labels)) if given is None else given
        class_weights = self._class_weights(labels, weights)
        if not self._is_multilabel:
            weights = weights * class_weights[labels.indicator.indices]
            self._check_weighted_classes(labels.indicator.indices, weights)
        counted = features._count(raw_documents, labels, sample_weight, is_choice=len(candidates) > 1)
        candidates = with_terms(counted, candidates)
        check_memory(
            "TroenpyClassifier", len(labels), len(labels.classes), n_coefficients(counted.of_views(candidates[0]))
        )
        choice = choose(features, counted, class_weights, candidates, strengths, self.random_state)
        if len(choice.views) < len(features._views_or_default()):
            counted = counted.of_views(choice.views)
            features.views = [view for view in features._views_or_default() if view[0] in choice.views]
        parts = design_parts(features._learn_parts(counted), n_threads)
        self.features_, self.choice_, self.C_ = features, choice, choice.C
        self.class_frequencies_: NDArray[np.float64] | None = _frequencies(counted, weights)
        del counted
        n_columns, n_decisions = features.n_columns_, 1 if self._is_binary() else len(self.classes_)
        check_memory("TroenpyClassifier", len(labels), len(self.classes_), n_decisions * n_columns)
        design = _sure_design(parts, choice.C * weights.max(), n_threads)
        del parts
        solve = partial(design.fit, C=choice.C, sample_weight=weights, tol=tol, max_iter=max_iter)
        if self._is_multilabel:
            self._fit_each_label(solve, labels, n_columns)
        else:
            fit = solve(labels.indicator.indices, len(self.classes_))
            self.coef_, self.intercept_ = by_feature(fit.coef), fit.intercept
            self.n_iter_, self.solver_ = fit.n_iter, fit.solver
        return self

    @all_or_nothing
    def fit_batches(
        self,
        batches: Any,
        *,
        text: str | None = None,
        label: str | None = None,
        max_terms: int | None = None,
        shuffle: bool = True,
        checkpoint: FilePath | Checkpoint | None = None,
        callback: Callback | None = None,
    ) -> Self:
        """Learn from documents that do not fit in memory, a batch at a time.

        The first pass reads labels, recognises copies of a text and draws a sample, from which C and views are chosen
        as in `fit`; the second counts terms; the others learn coefficients, until a pass has less than 1 % of the
        objective to gain, or after `max_iter` or 30 passes. Memory holds the model, a batch and 16 bytes for each
        document. Temporary files hold a copy of the texts, and 4 bytes for each document and class: they are in the
        folder of Python's `tempfile`, which TMPDIR names. The error is about that of `fit`: on three corpora within 0.1 points.

        Parameters
        ----------
        batches : callable, iterable, records.Records, pyarrow.dataset.Dataset or pyarrow.Table
            Pairs (texts, y), or a function without arguments that returns an iterable of them. Labels are as in `fit`;
            not every batch needs every class.
        text, label : str, optional
            The columns of an Arrow dataset or table.
        max_terms : int, optional
            How many terms of each view to keep at most: from where there are more, counts of rare terms are
            approximate (see the Notes of :class:`TfPiVectorizer`). By default 1,048,576, or fewer if there are many
            classes; a counter's own `max_terms` goes first.
        shuffle : bool, default=True
            Copy the texts to a temporary file, and learn from them in random order. False needs no copy and reads the
            batches in every pass instead, which must then give the same documents in the same order. Only use it for
            documents in random order: with one class after the other, many more are misclassified.
        checkpoint : path-like, optional
            A file to which counts are written now and then: if the process is killed, the same call goes on from there.
            It is deleted at the end.
        callback : callable, optional
            Called after each part of a batch with an object that has the attributes `stage` ("reading", "choosing",
            "counting" or "learning"), `n_documents`, `total`, `n_pass` and `done`.

        Returns
        -------
        self

        Examples
        --------
        >>> from troenpy import TroenpyClassifier
        >>> def batches():
        ...     yield ["late goal", "own goal", "late vote"], ["sport", "sport", "politics"]
        ...     yield ["close vote", "no vote"], ["politics", "politics"]
        >>> TroenpyClassifier().fit_batches(batches).predict(["another goal"])
        array(['sport'], dtype=object)
        """
        n_threads, max_iter = job_count(self.n_jobs), check_whole("max_iter", self.max_iter, least=1)
        features, candidates, strengths = self._settings()
        check_batch_parameters(features, self.tol, max_terms, callback)
        source = read_source(batches, text, label, once=check_flag("shuffle", shuffle))
        saved_counts = checkpoint if isinstance(checkpoint, Checkpoint | None) else Checkpoint(checkpoint)
        with closing(ShuffledCopy()) if shuffle else nullcontext() as copy:
            passes = DocumentPasses(source, document_reader(features), callback, copy)
            self._fit_passes(passes, features, candidates, strengths, max_terms, saved_counts, n_threads, max_iter)
        return self

    def _fit_passes(
        self,
        passes: DocumentPasses,
        features: TermFeatures,
        candidates: list[tuple[str, ...]],
        strengths: tuple[float, ...],
        max_terms: int | None,
        saved_counts: Checkpoint | None,
        n_threads: int,
        max_iter: int,
    ) -> None:
        sample = survey(passes, int(check_random_state(self.random_state).randint(2**31)))
        batch_fit = BatchFit(passes, features, n_threads)
        batch_fit.check_classes()
        labels, sizes = batch_fit.labels, batch_fit.sizes.astype(np.float64)
        self.classes_, self._is_multilabel = labels.classes, not batch_fit.is_single
        class_weights = self._class_weights(labels, sizes)
        if batch_fit.is_single:
            self._check_weighted_classes(labels.indicator.indices, sizes * class_weights[labels.indicator.indices])
        self.choice_ = batch_fit.choose(sample, class_weights, candidates, strengths, self.random_state)
        del sample
        self.C_ = self.choice_.C
        batch_fit.count(self.choice_.views, max_terms, saved_counts)
        n_columns, n_decisions = features.n_columns_, 1 if self._is_binary() else len(self.classes_)
        check_memory("TroenpyClassifier", 1, len(self.classes_), n_decisions * n_columns)
        batch_fit.find_copies()
        fit = batch_fit.learn(self.C_, class_weights, max_iter)
        if not fit.is_settled and fit.n_passes >= max_iter:
            warn_user(f"stopped after {fit.n_passes} passes: raise max_iter, or lower C", ConvergenceWarning)
        self.features_, self.n_iter_, self.solver_ = features, fit.n_passes, f"{fit.solver}, in passes"
        self.class_frequencies_ = batch_fit.frequencies(class_weights)
        if self._is_multilabel:
            self._spread_labels(fit.coef, fit.intercept, batch_fit.varying(), sizes @ labels.indicator)
        else:
            centre = 0.0 if self._is_binary() else fit.intercept.mean()
            self.coef_, self.intercept_ = by_feature(fit.coef), fit.intercept - centre
        if saved_counts is not None:
            saved_counts.remove()

    def _spread_labels(self, coef: Any, intercept: Any, fitted: NDArray[np.int64], n_documents: Any) -> None:
        """Set coefficients of fitted labels; others are those that all or no documents have."""
        shape = coef.shape[1], len(self.classes_)
        self.coef_ = np.zeros(shape, dtype=coefficient_type(coef)).T
        self.intercept_ = np.where(n_documents > 0, np.inf, -np.inf)
        self.coef_[fitted], self.intercept_[fitted] = coef, intercept

    def _settings(self) -> tuple[TermFeatures, list[tuple[str, ...]], tuple[float, ...]]:
        """Return unfitted features of all candidates, the candidates, and what C is chosen from."""
        features = self.new_features()
        if self.cv is not None:
            features.set_params(cv=self.cv, random_state=self.random_state)
        views = features._views_or_default()
        candidates = read_candidates(self.candidates, [name for name, *_ in views])
        used = {name for names in candidates for name in names}
        if len(used) < len(views):
            features.views = [view for view in views if view[0] in used]
        return features, candidates, self._strengths()

    def decision_function(self, raw_documents: Any) -> NDArray[np.float64]:
        """Return the decision values: one per class, or one for the second of two classes.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, array, Series or Arrow string data

        Returns
        -------
        ndarray of shape (n_documents, n_decisions), or (n_documents,) for two classes
        """
        values = np.concatenate([*self._decisions(raw_documents)])
        return values[:, 0] if self._is_binary() else values

    def predict_proba(self, raw_documents: Any) -> NDArray[np.float64]:
        """Return the probability of each class.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, array, Series or Arrow string data

        Returns
        -------
        ndarray of shape (n_documents, n_classes)
            Rows sum to one, except for multi-label targets.
        """
        return np.concatenate([self._probabilities(values) for values in self._decisions(raw_documents)])

    def predict(self, raw_documents: Any) -> NDArray[Any]:
        """Return the label of each document, or an indicator matrix for multi-label targets.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, array, Series or Arrow string data

        Returns
        -------
        ndarray of shape (n_documents,) or (n_documents, n_classes)
        """
        return np.concatenate([self._predictions(values) for values in self._decisions(raw_documents)])

    def explain(self, text: str, label: Any = None, *, view: str | None = None) -> Explanation:
        """Return how much each term of a text speaks for or against a class.

        With several views, pieces of words are shown as part of the words they stand in; `to_frame` has all terms.

        Parameters
        ----------
        text : str
        label : class, optional
            The class to explain (for multi-label targets, the column). None means the predicted class, or the most
            probable one for multi-label targets.
        view : str, optional
            Show the terms of one view only, and each other view as one line.

        Returns
        -------
        Explanation

        Examples
        --------
        >>> from troenpy import settings
        >>> texts, labels = ["own goal", "late goal", "late vote", "vote"], ["s", "s", "p", "p"]
        >>> model = settings.classifier("linear").fit(texts, labels)
        >>> explanation = model.explain("a late goal")
        >>> explanation.label, explanation.terms.tolist()
        ('s', ['goal', 'late'])
        >>> model.explain("a late goal", label="p").probability < 0.5
        True
        """
        check_is_fitted(self, "coef_")
        check_explained(text, self.features_)
        names = [fitted.name for fitted in self.features_.views_]
        if view is not None and view not in names:
            raise ValueError(f"view must be one of {_some(names)}, got {view!r}")
        views, intercept = self._terms_by_view(text)
        has_known_terms = any(len(of_view.terms) for of_view in views)
        if not has_known_terms and self.class_frequencies_ is not None:
            intercept = self._decision_of(self.class_frequencies_)
        decision = intercept + sum(of_view.values.sum(axis=0) for of_view in views)
        prediction = self._predictions(decision[np.newaxis])[0]
        probability = self._probabilities(decision[np.newaxis])[0]
        if self._is_binary():  # what speaks for one class speaks against the other
            signs = np.array([-1.0, 1.0])
            intercept, decision = intercept * signs, decision * signs
            views = [replace(of_view, values=of_view.values * signs) for of_view in views]
        column = int(np.argmax(probability)) if label is None else self._class_number(label)
        is_shown = [view is None or of_view.name == view for of_view in views]
        return Explanation(
            text=text,
            label=self.classes_.tolist()[column],
            prediction=self.classes_[prediction.astype(bool)].tolist() if self._is_multilabel else prediction,
            probability=float(probability[column]),
            classes=self.classes_,
            decision=decision,
            intercept=intercept,
            shown_views=[of_view for of_view, shown in zip(views, is_shown, strict=True) if shown],
            rest={v.name: v.values.sum(axis=0) for v, shown in zip(views, is_shown, strict=True) if not shown},
            has_known_terms=has_known_terms,
        )

    def _terms_by_view(self, text: str) -> tuple[list[ViewTerms], NDArray[np.float64]]:
        """Return the contributions of terms by view, and what no term contributes."""
        found, intercept, layout = [], self.intercept_, self.features_.layout_
        views = zip(self.features_.views_, self.features_._parts_by_term(text), strict=True)
        for number, (view, (held, parts)) in enumerate(views):
            coef = self._coef_by_feature()[layout.columns(number)]
            arrays = parts.data, parts.indices, parts.indptr
            products = decision_values(*arrays, coef, np.zeros_like(intercept), slice(0, len(held) + 1))
            counter: Any = view.counter  # checked: it is a model of text
            found.append(ViewTerms(view.name, counter, text, view.terms_of(held), products[:-1]))
            intercept = intercept + products[-1]
        return found, intercept

    def _saved(self) -> Saved | None:
        """Return the fitted state for a file."""
        if not hasattr(self, "coef_"):
            return None
        arrays = archive.pack("classes", self.classes_)
        arrays |= {"coef_by_feature": self.coef_.T, "intercept": self.intercept_}
        state = {"is_multilabel": self._is_multilabel, "n_iter": int(self.n_iter_), "solver": self.solver_}
        if self.class_frequencies_ is not None:  # unless this model comes from an older file
            arrays["class_frequencies"] = self.class_frequencies_
            state["choice"] = self.choice_.to_dict()
        return Saved(state, arrays, {"features": self.features_})

    def _restore(self, saved: Saved) -> None:
        """Restore and check what `_saved` returned."""
        self.features_ = check_features(saved.parts["features"])
        self.classes_ = archive.unpack("classes", saved.arrays)
        self._is_multilabel = bool(saved.state["is_multilabel"])
        n_decisions = 1 if self._is_binary() else len(self.classes_)
        arrays, shape = saved.arrays, (self.features_.n_columns_, n_decisions)
        if "coef_by_feature" in arrays:
            coef = check_array(arrays["coef_by_feature"], shape)
            self.coef_ = coef.astype(np.result_type(coef, np.float32), copy=False).T
        else:  # before version 3
            self.coef_ = by_feature(check_array(arrays["coef"].T, shape).T)
        intercept = check_array(arrays["intercept"], (n_decisions,), may_be_infinite=True)
        self.intercept_ = intercept.astype(np.float64, copy=False)
        if saved.state.get("choice") is None:  # in files from before there was a choice, C is a number
            self.choice_ = Choice(tuple(view.name for view in self.features_.views_), float(self.C))
            self.class_frequencies_ = None
            self.features = linear_features("words") if self.features is None else self.features  # the default then
        else:
            self.choice_ = Choice.from_dict(saved.state["choice"])
            frequencies = check_array(arrays["class_frequencies"], (len(self.classes_),))
            self.class_frequencies_ = frequencies.astype(np.float64, copy=False)
        self.C_ = self.choice_.C
        if "n_iter" in saved.state:  # missing in older files
            self.n_iter_ = check_whole("n_iter", saved.state["n_iter"])
            self.solver_ = str(saved.state.get("solver", "newton"))

    def _strengths(self) -> tuple[float, ...]:
        """Return what C is chosen from."""
        if isinstance(self.C, str):
            if self.C != "auto":
                raise ValueError(f"C must be a positive, finite number, got {self.C!r}: or 'auto', to choose it")
            return STRENGTHS
        return (check_positive("C", self.C),)

    def _class_weights(self, labels: Labels, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return one factor per class."""
        n_classes, given = len(labels.classes), self.class_weight
        if given is None:
            return np.ones(n_classes)
        if self._is_multilabel:
            raise ValueError("class_weight does not support multi-label targets: use sample_weight")
        if isinstance(given, str) and given == "balanced":
            totals = np.bincount(labels.indicator.indices, weights, n_classes)
            return totals.sum() / (n_classes * np.where(totals > 0, totals, np.inf))
        if not isinstance(given, Mapping):
            raise ValueError(f"class_weight must be a dict, 'balanced' or None, got {given!r}")  # noqa: TRY004
        names = labels.classes.tolist()
        for name, weight in given.items():
            if name not in names:
                raise ValueError(f"class_weight must name classes, got {name!r}; the classes are {_some(names)}")
            check_not_negative(f"class_weight[{name!r}]", weight)
        return np.array([given.get(name, 1.0) for name in names], dtype=np.float64)

    def _check_weighted_classes(self, codes: NDArray[Any], weights: NDArray[np.float64]) -> None:
        if self.class_weight is not None and np.count_nonzero(np.bincount(codes, weights)) < 2:
            raise ValueError(f"class_weight must leave two classes a positive weight, got {self.class_weight!r}")

    def _fit_each_label(self, solve: Callable[..., Fit], labels: Labels, n_columns: int) -> None:
        columns = labels.indicator.tocsc()
        n_documents, n_classes = columns.shape
        sizes = np.diff(columns.indptr)
        coef = np.zeros((n_columns, n_classes), dtype=np.float32).T
        self.intercept_ = np.where(sizes > 0, np.inf, -np.inf)  # for labels that all or no documents have
        self.n_iter_, solvers = 0, set[str]()
        for number in np.flatnonzero((sizes > 0) & (sizes < n_documents)).tolist():
            codes = np.zeros(n_documents, dtype=np.int64)
            codes[columns.indices[columns.indptr[number] : columns.indptr[number + 1]]] = 1
            fit = solve(codes, 2)
            coef = coef.astype(np.result_type(coef, coefficient_type(fit.coef)), copy=False)
            coef[number], self.intercept_[number] = fit.coef[0], fit.intercept[0]
            self.n_iter_ = max(self.n_iter_, fit.n_iter)
            solvers.add(fit.solver)
        self.coef_, self.solver_ = coef, "; ".join(sorted(solvers))

    def _decisions(self, raw_documents: Any) -> Iterator[NDArray[np.float64]]:
        """Yield decision values block by block; one empty array if there are no documents."""
        check_is_fitted(self, "coef_")
        n_threads, step = job_count(self.n_jobs), max(1, DECISIONS_PER_BLOCK // len(self.coef_))
        scores = self.features_._scores(raw_documents, self._coef_by_feature(), step, n_threads)
        if scores is not None:
            for of_batch in scores:
                values = np.add(of_batch.values, self.intercept_, out=of_batch.values)
                yield self._with_unknown(values, of_batch.unknown)
            return
        rows, known = self.features_._rows_and_known(raw_documents)
        for first in range(0, max(1, rows.shape[0]), step):
            part = slice(first, min(rows.shape[0], first + step))
            values = self._multiply(rows, self.intercept_, part, n_threads)
            yield self._with_unknown(values, np.flatnonzero(~known[part]))

    def _with_unknown(self, values: NDArray[np.float64], unknown: NDArray[np.int64]) -> NDArray[np.float64]:
        """Set the decision values of documents without a known term: those of the class frequencies."""
        if len(unknown) and self.class_frequencies_ is not None:
            values[unknown] = self._decision_of(self.class_frequencies_)
        return values

    def _decision_of(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the decision values that give these probabilities of the classes."""
        if self._is_multilabel:
            return special.logit(probabilities)
        logs = np.log(np.maximum(probabilities, TINY))
        return logs[1:] - logs[:1] if self._is_binary() else logs - logs.mean()

    def _coef_by_feature(self) -> NDArray[Any]:
        """Return the coefficients without a copy, unless a user has set others."""
        coef = self.coef_.T
        if not (coef.flags.c_contiguous and coef.dtype.char in "fd" and coef.dtype.isnative):
            coef = np.ascontiguousarray(coef, dtype=np.float32 if coef.dtype == np.float32 else np.float64)
        expected = self.features_.n_columns_, len(self.intercept_)
        if coef.shape != expected:
            raise ValueError(f"coef_ must have shape {expected[::-1]}, got {self.coef_.shape}")
        return coef

    def _multiply(self, rows: Any, intercept: Any, part: slice, n_threads: int = 1) -> NDArray[np.float64]:
        """Multiply some rows by the coefficients, and add the intercept."""
        coef = self._coef_by_feature()
        return decision_values(rows.data, rows.indices, rows.indptr, coef, intercept, part, n_threads=n_threads)

    def _probabilities(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        if self._is_multilabel:
            return special.expit(values)
        if self._is_binary():
            values = np.hstack([np.zeros_like(values), values])
        return special.softmax(values, axis=1)

    def _class_number(self, label: Any) -> int:
        names = self.classes_.tolist()
        if np.ndim(label) or label not in names:
            raise ValueError(f"label must be one of the classes {_some(names)}, got {label!r}")
        return names.index(label)

    def _is_binary(self) -> bool:
        return not self._is_multilabel and len(self.classes_) == 2

    def _predictions(self, values: NDArray[np.float64]) -> NDArray[Any]:
        if self._is_multilabel:
            return (values > 0).astype(np.int64)
        codes = (values[:, 0] > 0).astype(np.int64) if self._is_binary() else _largest(values)
        return self.classes_[codes]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.classifier_tags.multi_label = True
        return tags


def _sure_design(parts: list[Part], strength: float, n_threads: int) -> Design:
    """Return the design, in double precision if the penalty is too small for single."""
    design = Design(*parts, n_threads=n_threads)
    if parts[0].X.dtype == np.float32 and not design.is_sure(strength):
        design = Design(*(part._replace(X=part.X.astype(np.float64)) for part in parts), n_threads=n_threads)
    return design


def _frequencies(counted: CountedDocuments, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weighted fractions of the classes among documents without a known term, and one document of them all.

    That is the class frequencies of all documents if all of them have a known term.
    """
    indicator, n_documents = counted.labels.indicator, len(counted.labels)
    overall = np.clip((indicator.T @ weights) / weights.sum(), 0.0, 1.0)
    overall[np.bincount(indicator.indices, minlength=len(overall)) == n_documents] = 1.0  # whatever the rounding
    known = np.any([np.diff(rows.matrix.indptr) > 0 for rows in counted.rows], axis=0)
    if known.all():
        return overall
    unknown = np.where(known, 0.0, weights)
    return np.clip((indicator.T @ unknown + overall) / (unknown.sum() + 1), 0.0, overall > 0)


def _largest(values: NDArray[np.float64]) -> Any:
    """Return the column of the largest value of each row, the first if there are several."""
    if values.size > FEW_VALUES:
        return values.argmax(axis=1)
    # numpy's argmax releases the GIL however little there is to do, and other threads then wake up for nothing
    return np.array([row.index(max(row)) for row in values.tolist()], dtype=np.intp)


def _some(names: list[Any]) -> str:
    """List the first names."""
    shown = ", ".join(map(repr, names[:10]))
    return f"{shown}, ... ({len(names)} in all)" if len(names) > 10 else shown
