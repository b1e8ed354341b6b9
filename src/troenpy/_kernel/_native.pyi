from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

class ArrowSource:
    @overload
    def __init__(self, stream: object) -> None: ...
    @overload
    def __init__(self, schema: object, array: object) -> None: ...
    @property
    def columns(self) -> list[str] | None: ...
    def read(self, n_bytes: int = ...) -> ArrowTexts | None: ...

class ArrowTexts:
    def __len__(self) -> int: ...
    @property
    def is_binary(self) -> bool: ...
    @property
    def n_missing(self) -> int: ...
    @property
    def first_missing(self) -> list[int]: ...
    def fill_missing(self) -> None: ...
    def to_list(self) -> list[Any]: ...

def set_character_classes(classes: NDArray[np.uint8]) -> None: ...

class TermCounter:
    def __init__(
        self,
        *,
        analyzer: str,
        lowercase: bool,
        min_n: int,
        max_n: int,
        stop_words: Sequence[object],
        n_threads: int,
        portable: bool = False,
        index: TermIndex | None = None,
        tables: Sequence[TermTable] = (),
    ) -> None: ...
    @property
    def n_documents(self) -> int: ...
    @property
    def n_workers(self) -> int: ...
    def add(self, documents: list[str] | ArrowTexts) -> None: ...
    def finish(self) -> TermCounts: ...
    def rows(self) -> CountedRows: ...
    def match(self, vocabulary: dict[Any, Any]) -> CountedRows: ...

class CountedRows:
    @property
    def n_documents(self) -> int: ...
    @property
    def n_columns(self) -> int: ...
    def occurrences(self) -> NDArray[np.int64]: ...
    def row_borders(self) -> NDArray[np.int64]: ...
    def write_rows(self, indices: NDArray[Any], data: NDArray[Any], binary: bool) -> int: ...

class TermCounts(CountedRows):
    def document_frequencies(self) -> NDArray[np.int64]: ...
    def keep(self, mask: NDArray[np.bool_]) -> None: ...
    def take_terms(self) -> LearnedTerms: ...

class LearnedTerms:
    def __len__(self) -> int: ...
    def pack(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]: ...
    def take_index(self) -> TermIndex | None: ...

class TermTable: ...

class TermIndex:
    def __init__(
        self,
        text: NDArray[np.uint8],
        ends: NDArray[np.int64],
        has_words: bool,
        stop_words: Sequence[object],
        frequent: NDArray[np.int64],
    ) -> None: ...

class ViewFeatures:
    def __init__(
        self,
        blocks: Sequence[tuple[str, str]],
        weights: NDArray[np.float64],
        profiles: Any,
        sizes: NDArray[np.float64],
        n_labels: float,
        smoothing: float,
        scale: float,
    ) -> None: ...
    def add_scores(
        self,
        counts: CountedRows,
        is_binary: bool,
        first: int,
        coef: NDArray[Any],
        out: NDArray[np.float64],
        known: NDArray[np.uint8],
        like: NDArray[Any],
        n_threads: int,
    ) -> None: ...
    def add_scores_of_texts(
        self,
        counter: TermCounter,
        documents: list[str],
        is_binary: bool,
        coef: NDArray[Any],
        out: NDArray[np.float64],
        known: NDArray[np.uint8],
        like: NDArray[Any],
        n_threads: int,
    ) -> None: ...

class SavedCounts:
    def __init__(
        self,
        n_documents: NDArray[np.int64],
        weights: NDArray[np.float64],
        occurrences: NDArray[np.float64],
        indptr: NDArray[np.int64],
        classes: NDArray[np.int32],
        counts: NDArray[np.float64],
    ) -> None: ...

class TermTally:
    def __init__(self, max_terms: int) -> None: ...
    @property
    def n_terms(self) -> int: ...
    @property
    def n_cells(self) -> int: ...
    @property
    def kept_above(self) -> int: ...
    def hold(
        self,
        counter: TermCounter,
        starts: NDArray[np.int64],
        codes: NDArray[np.int64],
        weights: NDArray[np.float64],
        n_classes: int,
        binary: bool,
    ) -> None: ...
    def settle(self, n_batches: int, n_threads: int) -> None: ...
    def counts(
        self, ranks: NDArray[np.int64], n_threads: int
    ) -> tuple[
        NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], tuple[NDArray[Any], ...]
    ]: ...
    def restore(
        self,
        text: NDArray[np.uint8],
        ends: NDArray[np.int64],
        errors: NDArray[np.int64],
        sequence: NDArray[np.int64],
        saved: SavedCounts,
        n_classes: int,
        n_documents: int,
        kept_above: int,
        weighted: bool,
    ) -> None: ...

class _DesignRows:
    def log_loss(
        self,
        codes: NDArray[np.int64],
        weights: NDArray[np.float64],
        scale: float,
        coef: NDArray[np.float64],
        intercept: NDArray[np.float64],
        p: NDArray[np.float64],
        n_threads: int,
    ) -> float: ...
    def curve(
        self,
        codes: NDArray[np.int64],
        weights: NDArray[np.float64],
        scale: float,
        p: NDArray[np.float64],
        direction: NDArray[np.float64],
        intercept: NDArray[np.float64],
        out: NDArray[np.float64],
        n_threads: int,
    ) -> None: ...
    def multiply(self, m: NDArray[np.float64], out: NDArray[np.float64], n_threads: int) -> None: ...
    def combine(self, m: NDArray[np.float64], out: NDArray[np.float64], n_threads: int) -> None: ...

class Rows32(_DesignRows):
    def __init__(
        self,
        parts: Sequence[tuple[NDArray[np.float32], NDArray[Any], NDArray[Any], int, int]],
        tail: NDArray[np.float32],
        tail_indices: NDArray[np.int32],
        tail_indptr: NDArray[np.int64],
        n_rows: int,
        n_tail: int,
    ) -> None: ...

class Rows64(_DesignRows):
    def __init__(
        self,
        parts: Sequence[tuple[NDArray[np.float64], NDArray[Any], NDArray[Any], int, int]],
        tail: NDArray[np.float64],
        tail_indices: NDArray[np.int32],
        tail_indptr: NDArray[np.int64],
        n_rows: int,
        n_tail: int,
    ) -> None: ...

class _Ascent:
    def __init__(
        self,
        rows: _DesignRows,
        codes: NDArray[np.int64],
        weights: NDArray[np.float64],
        strength: float,
        intercept: NDArray[np.float64],
        portable: bool = False,
    ) -> None: ...
    def change_strength(self, strength: float) -> None: ...
    def climb(self) -> float: ...
    def decide(self, rows: NDArray[np.int64], out: NDArray[np.float64]) -> None: ...
    def gap(self) -> tuple[float, float, float]: ...
    def read(self, coef: NDArray[np.float64], intercept: NDArray[np.float64]) -> None: ...

class Ascent32(_Ascent): ...
class Ascent64(_Ascent): ...

class _PassAscent:
    width: int
    def __init__(
        self, n_columns: int, strength: float, intercept: NDArray[np.float64], portable: bool = False
    ) -> None: ...
    def climb(
        self,
        rows: _DesignRows,
        codes: NDArray[np.int64],
        weights: NDArray[np.float64],
        logs: NDArray[np.float32],
    ) -> None: ...
    def end_pass(self) -> float: ...
    def decide(self, rows: _DesignRows, out: NDArray[np.float64]) -> None: ...
    def half_squares(self) -> float: ...
    def read(self, coef: NDArray[np.float64], intercept: NDArray[np.float64]) -> None: ...

class PassAscent32(_PassAscent): ...
class PassAscent64(_PassAscent): ...

def columns_by_name(text: NDArray[np.uint8], ends: NDArray[np.int64]) -> dict[str, int]: ...
def terms_ascend(text: NDArray[np.uint8], ends: NDArray[np.int64]) -> bool: ...
def write_names(text: NDArray[np.uint8], ends: NDArray[np.int64], names: NDArray[np.object_]) -> None: ...
def names_by_column(vocabulary: dict[Any, Any], names: NDArray[np.object_]) -> bool: ...
def add_one_troenpy(
    starts: NDArray[np.int64], counts: NDArray[np.float64], smoothing: float
) -> NDArray[np.float64]: ...
def two_sided_troenpy(
    starts: NDArray[np.int64],
    classes: NDArray[np.int64],
    counts: NDArray[np.float64],
    sizes: NDArray[np.float64],
    smoothing: float,
) -> NDArray[np.float64]: ...
def least_differences(table: NDArray[np.float64], less: NDArray[np.float64]) -> NDArray[np.float64]: ...
def weigh_rows(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    weights: NDArray[np.float64],
    norm: str,
    out: NDArray[Any],
    n_threads: int,
) -> None: ...
def number_strings(strings: list[Any]) -> tuple[list[str], NDArray[np.int64]] | None: ...
def return_free_memory() -> None: ...
def class_document_counts(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    codes: NDArray[np.int64],
    n_classes: int,
    n_columns: int,
    n_threads: int,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64], NDArray[np.int64]]: ...
def stack_blocks(
    counts: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    weights: NDArray[np.float64],
    sets: NDArray[np.int64],
    blocks: Sequence[tuple[str, str]],
    tail: NDArray[Any],
    out: NDArray[Any],
    out_indices: NDArray[Any],
    n_threads: int,
) -> None: ...
def decision_values(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    first: int,
    coef: NDArray[Any],
    intercept: NDArray[np.float64],
    out: NDArray[np.float64],
    n_threads: int,
) -> None: ...

class TermProfiles:
    def __init__(
        self,
        indptr: NDArray[Any],
        classes: NDArray[Any],
        counts: NDArray[Any],
        n_classes: int,
        weights: NDArray[np.float64],
        totals: NDArray[np.float64],
    ) -> None: ...
    def write(
        self,
        data: NDArray[Any],
        indices: NDArray[Any],
        indptr: NDArray[Any],
        left_out: NDArray[np.float64],
        smoothing: float,
        out: NDArray[np.float64],
        sums: NDArray[np.float64],
        n_threads: int,
    ) -> None: ...

_Rows = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]

class NearestRows:
    def __init__(self) -> None: ...
    def add(self, rows: _Rows, n_columns: int, metric: str) -> None: ...
    def search(
        self,
        queries: list[_Rows],
        skips_own_row: bool,
        n_threads: int,
        distances: NDArray[np.float64],
        rows: NDArray[np.int64],
    ) -> None: ...
