"""analyzer="text": worked examples in many scripts, and the kernel equals its twin in Python."""

import pickle
import sys
import unicodedata
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_switch import kernel_off, needs_kernel, on_both
from sklearn.base import clone

from troenpy import CountVectorizer, TermFeatures, TfPiVectorizer, TroenpyClassifier, load, save
from troenpy._kernel import characters, native

FAMILY = "👨\u200d👩\u200d👧"
SCOTLAND = "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"

EXAMPLES = {
    "Chinese": ("我在北京，2024年。", "我 在 北 京 ， 2024 年 。"),
    "Han numbers": ("二〇〇八 〡〹", "二 〇 〇 八 〡 〹"),
    "Japanese": ("東京タワーへ行こう!", "東 京 タ ワ ー へ 行 こ う !"),
    "Japanese marks": ("時々 か\u3099 ﾊﾟﾝ ゝ", "時 々 か\u3099 ﾊ ﾟ ﾝ ゝ"),
    "Thai": ("ที่นี่ ๒๕", "ที่ นี่ ๒๕"),
    "Lao, Khmer, Myanmar": ("ຂ້ອຍ កម្ពុជា မြန်", "ຂ້ ອ ຍ ក ម្ ពុ ជា မြ န်"),
    "Korean": ("안녕하세요 여러분", "안녕하세요 여러분"),
    "Arabic": ("قَالَ النَّبِيُّ،", "قَالَ النَّبِيُّ ،"),
    "Persian": ("می\u200cخواهم کتاب\u200cها", "می\u200cخواهم کتاب\u200cها"),
    "Hindi": ("हिन्दी में लिखो।", "हिन्दी में लिखो ।"),
    "Sinhala": ("ශ්\u200dරී ලංකා", "ශ්\u200dරී ලංකා"),
    "Hebrew": ("שָׁלוֹם־עולם", "שָׁלוֹם ־ עולם"),
    "Russian": ("Всё хорошо, ёлка!", "всё хорошо , ёлка !"),
    "Greek": ("ΟΔΟΣ Σ", "οδος σ"),
    "Turkish": ("İstanbul", "i\u0307stanbul"),
    "German": ("Größe: 3,50 € - schön!", "größe : 3 , 50 € - schön !"),
    "decomposed": ("Cafe\u0301s cafés", "cafe\u0301s cafés"),
    "single letters": ("I am a b_c 7", "i am a b_c 7"),
    "hashtag": ("#goal @ref_1", "# goal @ ref_1"),
    "URL": ("https://a.org/?q=1", "https : / / a . org / ? q = 1"),
    "apostrophe": ("don't rock-n-roll", "don ' t rock - n - roll"),
    "symbols": ("!!! :-) ...", "! ! ! : - ) . . ."),
    "controls": ("a\x00b\x1fc\x7fd\x85e\xa0f\u3000g", "a b c d e f g"),
    "invisible": ("soft\xadhyphen \ufeffbom rtl\u200fmark", "soft hyphen bom rtl mark"),
    "emoji": ("👍👍 ok", "👍 👍 ok"),
    "family": (FAMILY * 2, f"{FAMILY} {FAMILY}"),
    "skin tone": ("👍🏽👋 🏽 a🏽", "👍🏽 👋 🏽 a 🏽"),
    "astronaut": ("👩🏽\u200d🚀!", "👩🏽\u200d🚀 !"),
    "flags": ("🇩🇪🇫🇷🇪", "🇩🇪 🇫🇷 🇪"),
    "Scotland": (f"{SCOTLAND}{SCOTLAND}", f"{SCOTLAND} {SCOTLAND}"),
    "keycap": ("1\ufe0f\u20e3 #\ufe0f\u20e3", "1\ufe0f\u20e3 #\ufe0f\u20e3"),
    "heart": ("❤\ufe0f\u200d🔥❤", "❤\ufe0f\u200d🔥 ❤"),
    "a mark alone": (" \u0301a \u0301\u0301", "\u0301 a \u0301\u0301"),
    "a joiner alone": ("\u200d \u200ca\u200d \u200db", "a\u200d b"),
    "a joiner before ASCII": ("👍\u200d! 👍\u200da", "👍\u200d ! 👍\u200d a"),
    "a joined letter": ("a\u200d👍 中\u200d👍", "a\u200d 👍 中\u200d 👍"),
    "surrogates": ("a\ud800b\udfff", "a \ud800 b \udfff"),
}


def terms(texts, **parameters):
    """Fit, and return the terms of each text, sorted, with repetitions."""
    vectorizer = CountVectorizer(analyzer="text", **parameters)
    rows, names = vectorizer.fit_transform(texts), vectorizer.get_feature_names_out()
    return [sorted(np.repeat(names[row.indices], row.data).tolist()) for row in rows]


@pytest.mark.parametrize(("text", "expected"), EXAMPLES.values(), ids=EXAMPLES)
def test_worked_examples(text, expected):
    assert CountVectorizer(analyzer="text").build_analyzer()(text) == expected.split(" ")
    assert terms([text]) == [sorted(expected.split(" "))]


def test_ngrams_cross_symbols_and_lines():
    assert terms(["Late\ngoal!"], ngram_range=(1, 2)) == [["!", "goal", "goal !", "late", "late goal"]]


# --- The table of classes ---

CLASSES_OF_CATEGORY = {"L": "WS", "N": "WS", "M": "M", "Z": "X", "P": "WPY", "S": "PYDR", "Cc": "X", "Cf": "XNZM"}


def test_the_classes_are_those_of_unicode():
    letters = np.array(list(characters.LETTERS))[characters.character_classes()]
    assert len(letters) == sys.maxunicode + 1
    for code_point, letter in enumerate(letters):
        category = unicodedata.category(chr(code_point))
        known = CLASSES_OF_CATEGORY.get(category, CLASSES_OF_CATEGORY.get(category[0], "Y"))
        if category != "Cn":  # perhaps assigned by now
            assert letter in known, f"U+{code_point:04X} is {category}, class {letter}"
        if chr(code_point).isspace():
            assert letter == "X"


SCRIPTS = (
    *("CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA", "HENTAIGANA", "KATAKANA"),
    *("HALFWIDTH KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR"),
)
# Iteration marks, Han numbers and small kana, whose names do not begin with their script.
OTHER_SINGLE = {0x3005, 0x3006, 0x3007, 0x16FE3, *range(0x3021, 0x302A), *range(0x3031, 0x3036), *range(0x3038, 0x303D)}
OTHER_SINGLE |= {*range(0x1AFF0, 0x1B170)}


def test_letters_of_scripts_without_spaces_are_single():
    is_single = characters.character_classes() == characters.LETTERS.index("S")
    for code_point in range(sys.maxunicode + 1):
        name = unicodedata.name(chr(code_point), "")
        is_letter = unicodedata.category(chr(code_point))[0] == "L"
        is_expected = code_point in OTHER_SINGLE or (is_letter and name.startswith(SCRIPTS))
        assert is_single[code_point] == is_expected or not name, name


@needs_kernel
def test_the_kernel_checks_the_table():
    for classes in (np.zeros(5, np.uint8), np.full(0x110000, 10, np.uint8)):
        with pytest.raises(ValueError, match="every code point needs a class"):
            native.set_character_classes(classes)


# --- The kernel and its twin ---

CONTEXTS = ("{0}", "a{0}b", "#{0}!", "👍\u200d{0}👍", "🇩{0}", "中{0}")


def fitted(texts, others, **parameters):
    """Return the vocabulary, and the counts of fit_transform and transform."""
    vectorizer = CountVectorizer(analyzer="text", **parameters)
    rows = [vectorizer.fit_transform(texts), vectorizer.transform(others)]
    counts = [(X.shape, X.indptr.tolist(), X.indices.tolist(), X.data.tolist()) for X in rows]
    return vectorizer.get_feature_names_out().tolist(), counts


@needs_kernel
@pytest.mark.parametrize(("plane", "lowercase"), [*((plane, False) for plane in range(17)), (0, True), (1, True)])
def test_every_code_point_in_every_context(plane, lowercase):
    every = [chr(c) for c in range(plane << 16, (plane + 1) << 16)]
    texts = [" ".join(map(context.format, every[i : i + 99])) for context in CONTEXTS for i in range(0, len(every), 99)]
    by_kernel, by_twin = on_both(fitted, texts, texts[:1], lowercase=lowercase)
    assert by_kernel == by_twin


TRICKY = "aB9_.#'- \n\x00\x7f\x85\xa0\xadéÉßΣσςİı\u0301\u0308\ufe0f\u20e3\u200c\u200d🇩🇪👍🏽🏿❤🔥中〇カーไท่กि한ق\u064e"
TRICKY += "\u3000\ufeff\U000e0062\U000e007f𝒳Ⅷ٣²Ⱥ\ud800\udfff\uffff€×"
tricky = st.text(st.sampled_from(TRICKY), max_size=20)
stretch = st.builds(
    lambda unit, n: unit * n, st.sampled_from(["a", "Ab ", ".", "x-", " ", "é", "中"]), st.integers(0, 140)
)
corpora = st.lists(st.lists(st.one_of(tricky, stretch), max_size=6).map("".join), max_size=5)
parameters = st.fixed_dictionaries(
    {
        "lowercase": st.booleans(),
        "ngram_range": st.sampled_from([(1, 1), (1, 2), (2, 3)]),
        "n_jobs": st.sampled_from([None, 2]),
        "stop_words": st.sampled_from([None, ["ab", "👍", ".", "中"]]),
    }
)


@needs_kernel
@given(corpora, corpora, parameters)
@settings(max_examples=300, deadline=None)
def test_the_kernel_equals_its_twin(texts, others, parameters):
    with warnings.catch_warnings(record=True):
        by_kernel, by_twin = on_both(fitted, [*texts, "late own goal"], others, **parameters)
    assert by_kernel == by_twin


@needs_kernel
def test_a_token_goes_on_after_a_block_of_ascii():
    blocks = [("word, " * 30)[:length] + last for length in (62, 63, 64, 127) for last in "a. "]
    texts = [block + one + other + "🚀" for block in blocks for one in TRICKY for other in "\u200d🏽a\u0301"]
    by_kernel, by_twin = on_both(fitted, texts, texts[:9])
    assert by_kernel == by_twin


@needs_kernel
@given(corpora, st.booleans(), st.integers(1, 2))
@settings(max_examples=200, deadline=None)
def test_the_portable_scan_and_arrow_equal_the_twin(texts, lowercase, max_n):
    pa = pytest.importorskip("pyarrow")
    characters.prepare_kernel()
    texts = [text.encode("utf-8", "ignore").decode() for text in texts]  # Arrow has no lone surrogates
    arrow = native.ArrowSource(*pa.array(texts, pa.string()).__arrow_c_array__()).read()
    analyze = CountVectorizer(analyzer="text", lowercase=lowercase, ngram_range=(1, max_n)).build_analyzer()
    expected = sorted({term for text in texts for term in analyze(text)})
    for documents in (texts, arrow):
        for portable in (True, False):
            counter = native.TermCounter(
                analyzer="text",
                lowercase=lowercase,
                min_n=1,
                max_n=max_n,
                stop_words=[],
                n_threads=1,
                portable=portable,
            )
            counter.add(documents)
            assert list(native.columns_by_name(*counter.finish().take_terms().pack())) == expected


@needs_kernel
def test_threads_do_not_change_the_result():
    texts = ["late goal! 東京 " * 40 + f"w{i} 👍🏽 it's é" for i in range(3000)]  # several chunks
    assert fitted(texts, texts[:9], n_jobs=2, ngram_range=(1, 2)) == fitted(texts, texts[:9], ngram_range=(1, 2))


# --- As an estimator ---

TEXTS = ["late goal! 👍", "own goal?", "東京 vote: no", "a vote 👍🏽"]
LABELS = ["sport", "sport", "politics", "politics"]


def test_stop_words_are_used_and_other_parameters_are_not():
    vectorizer = CountVectorizer(analyzer="text", stop_words=["goal", "!"], ngram_range=(2, 2))
    assert vectorizer.fit(TEXTS[:2]).get_feature_names_out().tolist() == ["late 👍", "own ?"]
    for setting in ({"token_pattern": r"\w+"}, {"tokenizer": str.split, "token_pattern": None}):
        name = next(iter(setting))
        with pytest.warns(UserWarning, match=f"'{name}' will not be used since 'analyzer' != 'word'"):
            assert len(CountVectorizer(analyzer="text", **setting).fit(TEXTS[:1]).vocabulary_) == 4


def test_stop_words_that_are_several_tokens_are_reported():
    with pytest.warns(UserWarning, match="Your stop_words may be inconsistent"):
        CountVectorizer(analyzer="text", stop_words=["don't"]).fit(["don't"])


def test_an_unknown_analyzer_lists_the_known_ones():
    for vectorizer in (CountVectorizer(analyzer="texts"), TfPiVectorizer(analyzer="texts")):
        with pytest.raises(ValueError, match=r"'analyzer' parameter.*'text'"):
            vectorizer.fit(TEXTS, LABELS)


@pytest.mark.parametrize(
    "parameters",
    [{"preprocessor": str.upper}, {"strip_accents": "unicode"}, {"strip_accents": str.title}, {"lowercase": False}],
)
def test_preprocessing_comes_first(parameters):
    vectorizer = CountVectorizer(analyzer="text", **parameters)
    analyze = vectorizer.build_analyzer()
    assert set(vectorizer.fit(["Été à 2!"]).vocabulary_) == set(analyze("Été à 2!"))


def test_a_given_vocabulary():
    vectorizer = CountVectorizer(analyzer="text", vocabulary=["👍", "own goal", "!", "goal  !"], ngram_range=(1, 2))
    expected = [[1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    assert vectorizer.fit_transform(TEXTS).toarray().tolist() == expected
    assert vectorizer.transform(TEXTS).toarray().tolist() == expected
    with kernel_off():
        assert clone(vectorizer).fit_transform(TEXTS).toarray().tolist() == expected


def test_a_stream_equals_fit():
    whole = TfPiVectorizer(analyzer="text", ngram_range=(1, 2), min_df=2).fit(TEXTS, LABELS)
    stream = TfPiVectorizer(analyzer="text", ngram_range=(1, 2), min_df=2)
    for i in range(4):
        stream.partial_fit(TEXTS[i : i + 1], LABELS[i : i + 1])
    assert whole.get_feature_names_out().tolist() == stream.get_feature_names_out().tolist() == ["goal", "vote"]
    assert (whole.transform(TEXTS) != stream.transform(TEXTS)).nnz == 0


def test_a_bounded_stream_keeps_the_frequent_terms():
    for setting in ({}, {"ngram_range": (1, 2)}, {"stop_words": ["own"]}):
        stream = TfPiVectorizer(analyzer="text", max_terms=12, **setting)
        for i in range(0, 40, 2):
            stream.partial_fit([f"goal! w{i}", "vote? 👍"], ["sport", "politics"])
        kept = stream.get_feature_names_out().tolist()
        assert len(kept) <= 12
        assert {"goal", "!", "vote", "?", "👍"} <= set(kept)


@pytest.mark.parametrize("setting", [{}, {"ngram_range": (1, 2), "stop_words": ["own"]}])
def test_saved_and_pickled_vectorizers_give_the_same_rows(tmp_path, setting):
    vectorizer = TfPiVectorizer(analyzer="text", **setting).fit(TEXTS, LABELS)
    save(vectorizer, tmp_path / "model")
    for other in (load(tmp_path / "model"), pickle.loads(pickle.dumps(vectorizer))):
        assert other.analyzer == "text"
        assert (other.transform(TEXTS) != vectorizer.transform(TEXTS)).nnz == 0
        with kernel_off():
            assert (other.transform(TEXTS) != vectorizer.transform(TEXTS)).nnz == 0


def test_views_and_classifiers_take_it():
    features = TermFeatures(views=[("text", CountVectorizer(analyzer="text"), ("pi",))]).fit(TEXTS, LABELS)
    assert features.transform(["👍 goal"]).nnz == 2
    classifier = TroenpyClassifier(features=features).fit(TEXTS * 5, LABELS * 5)
    assert classifier.predict(["late goal!", "vote"]).tolist() == ["sport", "politics"]
