"""Find the positions of terms in a text, for analyzers that report them."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from troenpy._kernel.characters import token_spans
from troenpy.features.count_vectorizer import CountVectorizer

#: For each character of a preprocessed text, its position in the original; None if it was added.
Origins = Sequence[int | None]


def occurrences(text: str, counter: CountVectorizer) -> dict[str, list[Sequence[int]]] | None:
    """Return the characters of every occurrence of each term of a text.

    Parameters
    ----------
    text : str
    counter : CountVectorizer

    Returns
    -------
    dict of lists, or None
        An n-gram of words covers its words, not the characters between them. None if the analyzer, tokenizer or
        preprocessor is a function, which does not report positions, or if documents are not strings.

    Examples
    --------
    >>> occurrences("no, no", CountVectorizer())
    {'no': [[0, 1], [4, 5]]}
    """
    is_word = counter.analyzer == "word"
    is_known = isinstance(counter.analyzer, str) and counter.analyzer in NGRAMS
    if not is_known or counter.input != "content" or counter.preprocessor or (is_word and counter.tokenizer):
        return None
    prepared = _preprocess(text, counter)
    if prepared is None:
        return None
    places: dict[str, list[Sequence[int]]] = defaultdict(list)
    found = []
    for term, covered in NGRAMS[counter.analyzer](*prepared, counter):
        found.append(term)
        places[term].append(covered)
    # A subclass may do anything: show no positions rather than wrong ones.
    analyzed = counter.build_analyzer()(text)
    return dict(places) if found == analyzed or sorted(found) == sorted(analyzed) else None


def _preprocess(text: str, counter: CountVectorizer) -> tuple[str, Origins] | None:
    """Convert to lower case and strip accents; None if that does not work character by character."""
    prepare = counter.build_preprocessor()
    whole = prepare(text)
    if text.isascii() and len(whole) == len(text) and not callable(counter.strip_accents):  # character by character
        return whole, range(len(text))
    lengths = [len(prepare(character)) for character in text]
    origins: Origins = [i for i, length in enumerate(lengths) for _ in range(length)]
    return (whole, origins) if len(whole) == len(origins) else None


def _word_ngrams(text: str, origins: Origins, counter: CountVectorizer) -> Iterator[tuple[str, Sequence[int]]]:
    spans, stop_words = _word_spans(text, counter), counter.get_stop_words() or ()
    words = [(text[i:j], _known(origins[i:j])) for i, j in spans if text[i:j] not in stop_words]
    shortest, longest = counter.ngram_range
    for n in range(shortest, min(longest, len(words)) + 1):
        for i in range(len(words) - n + 1):
            chosen = words[i : i + n]
            yield " ".join([word for word, _ in chosen]), [place for _, covered in chosen for place in covered]


def _word_spans(text: str, counter: CountVectorizer) -> list[tuple[int, int]]:
    if counter.analyzer == "text":
        return token_spans(text)
    pattern = re.compile(counter.token_pattern)
    return [found.span(min(1, pattern.groups)) for found in pattern.finditer(text)]


def _char_ngrams(text: str, origins: Origins, counter: CountVectorizer) -> Iterator[tuple[str, Sequence[int]]]:
    text, origins = _without_long_spaces(text, origins)
    shortest, longest = counter.ngram_range
    for n in range(shortest, min(longest, len(text)) + 1):
        for i in range(len(text) - n + 1):
            yield text[i : i + n], _known(origins[i : i + n])


def _char_ngrams_in_words(text: str, origins: Origins, counter: CountVectorizer) -> Iterator[tuple[str, Sequence[int]]]:
    shortest, longest = counter.ngram_range
    for found in re.finditer(r"\S+", text):
        word, places = f" {found[0]} ", [None, *origins[found.start() : found.end()], None]
        for n in range(shortest, longest + 1):
            for i in range(max(1, len(word) - n + 1)):
                yield word[i : i + n], _known(places[i : i + n])
            if n >= len(word):
                break  # a short word is counted once


def _without_long_spaces(text: str, origins: Origins) -> tuple[str, Origins]:
    """Replace runs of white space with one space."""
    pieces: list[str] = []
    kept: list[int | None] = []
    end = 0
    for found in re.finditer(r"\s\s+", text):
        pieces += [text[end : found.start()], " "]
        kept += [*origins[end : found.start()], origins[found.start()]]
        end = found.end()
    return "".join([*pieces, text[end:]]), [*kept, *origins[end:]]


def _known(origins: Origins) -> Sequence[int]:
    if isinstance(origins, range):
        return origins
    return [place for place in origins if place is not None]


#: The n-grams of each analyzer, with the characters they cover.
NGRAMS = {"word": _word_ngrams, "text": _word_ngrams, "char": _char_ngrams, "char_wb": _char_ngrams_in_words}
