"""Blocks of feature columns: term frequency, weight and norm of each, and the blocks that have a name."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from troenpy.counts.class_counts import ClassCounts
from troenpy.features.rows import Norm, TermFrequency, check_tf_and_norm
from troenpy.fitting.parameters import check_flag
from troenpy.weights.count_table import Floats
from troenpy.weights.schemes import check_scheme, term_weights


@dataclass(frozen=True)
class Block:
    """One block of columns, a column per term: tf x weight, normalised by row.

    Parameters
    ----------
    name : str
        Prefix of its column names: ``name__term``.
    scheme : str or None, default=None
        The weight of a term: a name in `troenpy.WEIGHTS` or an expression such as "rf*idf"; None gives every term the
        weight 1.
    tf : {"raw", "log", "sqrt", "binary", "bm25"}, default="raw"
        How to transform the count of a term in a document.
    norm : {"l2", "l1", "hellinger"} or None, default="l2"
        How to normalise each row.
    takes_pcf : bool, default=False
        Whether ``TermFeatures(pcf=True)`` multiplies this block by PCF.

    Examples
    --------
    >>> from troenpy import CountVectorizer, TermFeatures
    >>> features = TermFeatures([("words", CountVectorizer(), (Block("rf", "rf*idf", tf="log"), "btf"))])
    >>> features.fit(["own goal", "late goal", "late vote"], ["s", "s", "p"]).get_feature_names_out()[0]
    'rf__goal'
    """

    name: str
    scheme: str | None = None
    tf: TermFrequency = "raw"
    norm: Norm | None = "l2"
    takes_pcf: bool = False

    def check(self) -> None:
        """Raise an error for an invalid name, scheme, tf or norm."""
        if not isinstance(self.name, str) or not self.name or "__" in self.name or self.name == PROFILE:
            raise ValueError(
                f"the name of a block must be a non-empty string without '__', and not {PROFILE!r}, got {self.name!r}"
            )
        check_flag("takes_pcf", self.takes_pcf)
        check_tf_and_norm(self.tf, self.norm)
        if self.scheme is not None:
            if not isinstance(self.scheme, str):
                raise TypeError(f"the scheme of a block must be a name, an expression or None, got {self.scheme!r}")
            check_scheme(self.scheme, smoothing=1.0)

    def fields(self) -> list[Any]:
        """Return the fields for a file; `Block(*fields)` rebuilds the block."""
        return [self.name, self.scheme, self.tf, self.norm, self.takes_pcf]

    def weights(self, counts: ClassCounts, *, smoothing: float, pcf: bool) -> Floats:
        """Return one weight per term; zero for a term in no document."""
        weight = np.ones(len(counts.term_docs))
        if self.scheme is not None:
            weight = weight * term_weights(counts, self.scheme, smoothing=smoothing)
        if pcf and self.takes_pcf:
            weight = weight * term_weights(counts, "pcf", smoothing=smoothing)
        return np.where(counts.term_docs > 0, weight, 0.0)


#: The named blocks of terms; "ecib" and "ecib_abs" are two blocks each.
BLOCKS: dict[str, tuple[Block, ...]] = {
    "pi": (Block("pi", "pi"),),
    "btf": (Block("btf", tf="binary", takes_pcf=True),),
    "ecib": (Block("cib_ncf", "cib_ncf", takes_pcf=True), Block("cib_pcf", "cib_pcf", takes_pcf=True)),
    "ecib_abs": (
        Block("cib_ncf_abs", "cib_ncf_abs", takes_pcf=True),
        Block("cib_pcf_abs", "cib_pcf_abs", takes_pcf=True),
    ),
    "certainty": (Block("certainty", "sqrt(certainty*idf)", tf="log"),),
    "certainty_hellinger": (Block("certainty_hellinger", "sqrt(certainty*idf)", norm="hellinger"),),
    "boost": (Block("boost", "pcf_boost*idf", tf="log"),),
}
#: The name of the block with one column per class instead of per term.
PROFILE = "profile"


def read_blocks(blocks: Any) -> tuple[list[Block], bool]:
    """Return the requested blocks of terms, and whether the class profile is requested.

    Parameters
    ----------
    blocks : sequence of names and Blocks

    Examples
    --------
    >>> chosen, has_profile = read_blocks(("ecib", "profile"))
    >>> [block.name for block in chosen], has_profile
    (['cib_ncf', 'cib_pcf'], True)
    """
    if not isinstance(blocks, list | tuple) or not all(isinstance(block, str | Block) for block in blocks):
        raise ValueError(f"blocks must be a list or tuple of names and Blocks, such as ('pi', 'btf'), got {blocks!r}")
    if not blocks:
        raise ValueError("blocks must name at least one block, such as ('pi', 'btf'), got none")
    for block in blocks:
        if isinstance(block, Block):
            block.check()
        elif block not in BLOCKS and block != PROFILE:
            raise ValueError(f"unknown block {block!r}: choose from {', '.join([*BLOCKS, PROFILE])}")
    has_profile = blocks[-1] == PROFILE
    if PROFILE in blocks[:-1]:
        raise ValueError(f"the block {PROFILE!r} must come last and only once, got {_block_names(blocks)}")
    chosen = [one for block in (blocks[:-1] if has_profile else blocks) for one in _expand(block)]
    if len({block.name for block in chosen}) < len(chosen):
        raise ValueError(f"blocks must not repeat, got {_block_names(blocks)}")
    return chosen, has_profile


def _expand(block: str | Block) -> tuple[Block, ...]:
    return BLOCKS[block] if isinstance(block, str) else (block,)


def _block_names(blocks: Sequence[str | Block]) -> tuple[str, ...]:
    return tuple(block if isinstance(block, str) else block.name for block in blocks)
