"""Blocks of columns: how each weighs the terms of a document, and those that have a name."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from troenpy.counts.class_counts import ClassCounts
from troenpy.features.rows import Norm, TermFrequency, check_names
from troenpy.weights.cells import Floats
from troenpy.weights.schemes import check_scheme, term_weights


@dataclass(frozen=True)
class Block:
    """One block of columns, a column per term: tf x weight, normalised by row.

    Parameters
    ----------
    name : str
        Its columns are named by it: name, two underscores, term.
    scheme : str or None, default=None
        The weight of a term: a name of `troenpy.WEIGHTS` or an expression such as "rf*idf"; None weighs every term 1.
    tf : {"raw", "log", "sqrt", "binary", "bm25"}, default="raw"
        What stands for the count of a term in a document.
    norm : {"l2", "l1", "hellinger"} or None, default="l2"
        How each row is scaled.
    takes_pcf : bool, default=False
        Whether ``TermFeatures(pcf=True)`` multiplies it by PCF.

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
        """Raise an error for what is no name, scheme, tf or norm."""
        if not isinstance(self.name, str) or not self.name:
            raise ValueError(f"the name of a block must be text, got {self.name!r}")
        check_names(self.tf, self.norm)
        if self.scheme is not None:
            check_scheme(self.scheme, smoothing=1.0)

    def fields(self) -> list[Any]:
        """Return what makes the block, for a file: `Block(*fields)` is it again."""
        return [self.name, self.scheme, self.tf, self.norm, self.takes_pcf]

    def weights(self, counts: ClassCounts, *, smoothing: float, pcf: bool) -> Floats:
        """Return one weight per term; zero for a term that no document holds."""
        weight = np.ones(len(counts.term_docs))
        if self.scheme is not None:
            weight = weight * term_weights(counts, self.scheme, smoothing=smoothing)
        if pcf and self.takes_pcf:
            weight = weight * term_weights(counts, "pcf", smoothing=smoothing)
        return np.where(counts.term_docs > 0, weight, 0.0)


#: The blocks of terms by name; ECIB is two.
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
#: The name of the block that has one column per class, not per term.
PROFILE = "profile"


def read_blocks(blocks: Any) -> tuple[list[Block], bool]:
    """Return the blocks of terms that are asked for, and whether the class profile is.

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
        raise ValueError(f"blocks must be a sequence of names such as ('pi', 'btf'), got {blocks!r}")
    if not blocks:
        raise ValueError("blocks must name at least one block, such as ('pi', 'btf'), got none")
    for block in blocks:
        if isinstance(block, Block):
            block.check()
        elif block not in BLOCKS and block != PROFILE:
            raise ValueError(f"unknown block {block!r}; known are {', '.join([*BLOCKS, PROFILE])}")
    has_profile = blocks[-1] == PROFILE
    if PROFILE in blocks[:-1]:
        raise ValueError(f"the block {PROFILE!r} must come last, once, got {_names(blocks)}")
    chosen = [one for block in (blocks[:-1] if has_profile else blocks) for one in _expanded(block)]
    if len({block.name for block in chosen}) < len(chosen):
        raise ValueError(f"blocks must not repeat, got {_names(blocks)}")
    return chosen, has_profile


def _expanded(block: str | Block) -> tuple[Block, ...]:
    return BLOCKS[block] if isinstance(block, str) else (block,)


def _names(blocks: Sequence[str | Block]) -> tuple[str, ...]:
    return tuple(block if isinstance(block, str) else block.name for block in blocks)
