"""What a model's file says about where the model comes from."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from troenpy.display import printable
from troenpy.files.drafts import FilePath


def check_is_model(path: FilePath, hint: str = "") -> None:
    """Raise if a file is something else, such as a table: a model is a file of safetensors."""
    if not Path(path).is_file():
        return  # which opening it will say
    with Path(path).open("rb") as file:
        start = file.read(9)
    if start[8:] != b"{":
        raise ValueError(f"{printable(str(path))} is not a troenpy model{hint}")


@dataclass(frozen=True)
class About:
    """What is known of a model that `train` has made.

    Attributes
    ----------
    source : str
        The name of the file.
    text, label : tuple of str
        The columns.
    separator : str or None
        Between several labels in a cell.
    trained : str
        When, in UTC.
    seconds : float
        How long it took.
    n_documents : int
        Documents that the model has learnt from.
    n_by_class : dict
        How many of them are in each class.
    n_skipped : int
        Broken rows that were left out.
    in_passes : bool
        Whether the documents were too many for memory.
    evaluation : dict or None
        The result of the test.
    warnings : tuple of str
    """

    source: str
    text: tuple[str, ...]
    label: tuple[str, ...]
    separator: str | None = None
    trained: str = ""
    seconds: float = 0.0
    n_documents: int = 0
    n_by_class: dict[str, int] = field(default_factory=dict)
    n_skipped: int = 0
    in_passes: bool = False
    evaluation: dict[str, Any] | None = None
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {**asdict(self), "text": [*self.text], "label": [*self.label], "warnings": [*self.warnings]}

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> "About | None":
        """Rebuild the result of `to_dict` from a file, which may hold anything; None if it holds nothing.

        Examples
        --------
        >>> About.from_dict(About("x.csv", ("text",), ("label",)).to_dict()).text
        ('text',)
        """
        if not found:
            return None
        try:
            evaluation = found["evaluation"]
            return cls(
                source=str(found["source"]),
                text=tuple(map(str, found["text"])),
                label=tuple(map(str, found["label"])),
                separator=None if found["separator"] is None else str(found["separator"]),
                trained=str(found["trained"]),
                seconds=float(found["seconds"]),
                n_documents=int(found["n_documents"]),
                n_by_class={str(name): int(n) for name, n in found["n_by_class"].items()},
                n_skipped=int(found["n_skipped"]),
                in_passes=bool(found["in_passes"]),
                evaluation=None if evaluation is None else dict(evaluation),
                warnings=tuple(map(str, found["warnings"])),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"what the model's file says about the model cannot be read: {error!r}") from None
