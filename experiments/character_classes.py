"""Write the character classes of analyzer="text" from the newest Unicode.

    pip install unicodedata2
    python experiments/character_classes.py

The classes are a table in the package, because the `unicodedata` of the standard library differs between releases of
Python, and a model must cut a text into the same terms everywhere. The table is CLASSES in _kernel/characters.py, which
explains the classes; this script replaces it. A new table changes the terms of new texts: say so in the changelog.
"""

import re
import sys
from itertools import groupby
from pathlib import Path

import numpy as np
import unicodedata2

MODULE = Path(__file__).parents[1] / "src" / "troenpy" / "_kernel" / "characters.py"

# Letters in these ranges are of scripts written without spaces.
WITHOUT_SPACES = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3006),  # the ideographic iteration and closing marks
    (0x3031, 0x3035),  # kana repeat marks
    (0x303B, 0x303C),  # the vertical iteration mark, the masu mark
    (0x3040, 0x30FF),  # Hiragana, Katakana, the prolonged sound mark
    (0x31F0, 0x31FF),  # Katakana phonetic extensions
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xA9E0, 0xA9FF),  # Myanmar extended
    (0xAA60, 0xAA7F),
    (0xF900, 0xFAFF),  # Han, compatibility
    (0xFF66, 0xFF9F),  # halfwidth Katakana
    (0x116D0, 0x116FF),  # Myanmar extended
    (0x16FE3, 0x16FE3),  # the old Chinese iteration mark
    (0x16FF2, 0x16FF3),  # small Han signs
    (0x1AFF0, 0x1B16F),  # Kana extended, supplement and small
    (0x20000, 0x3FFFF),  # Han, the supplementary planes
)
HAN_NUMBERS = {0x3007, *range(0x3021, 0x302A), *range(0x3038, 0x303B)}
TAGS = range(0xE0020, 0xE0080)
NAMED = {
    0x200C: "N",
    0x200D: "Z",
    **dict.fromkeys(range(0x1F3FB, 0x1F400), "D"),
    **dict.fromkeys(range(0x1F1E6, 0x1F200), "R"),
    **dict.fromkeys(TAGS, "M"),
    **dict.fromkeys(HAN_NUMBERS, "S"),
}


def class_of(code_point: int) -> str:
    """Return the letter of the class of a code point."""
    if code_point in NAMED:
        return NAMED[code_point]
    character = chr(code_point)
    category = unicodedata2.category(character)
    if character.isspace() or category[0] == "Z" or category in ("Cc", "Cf"):
        return "X"
    if category[0] == "M":
        return "M"
    if category[0] == "L" and any(first <= code_point <= last for first, last in WITHOUT_SPACES):
        return "S"
    if category[0] in "LN" or character == "_":
        return "W"
    return "P" if code_point < 0x80 else "Y"


def encode(classes: str) -> str:
    """Encode runs of equal letters as their length in base 36 and the letter."""
    return "".join(np.base_repr(sum(1 for _ in run), 36).lower() + letter for letter, run in groupby(classes))


def main() -> None:
    """Replace the table in the module."""
    runs = encode("".join(map(class_of, range(sys.maxunicode + 1))))
    print(f"Unicode {unicodedata2.unidata_version}: {len(runs)} characters")
    lines = "\n".join(f'    "{runs[i : i + 112]}"' for i in range(0, len(runs), 112))
    source = MODULE.read_text(encoding="utf-8")
    source = re.sub(r"(?s)(?<=\nCLASSES = \(\n).*?(?=\n\)\n)", lines, source)
    source = re.sub(r'(?<=\nUNICODE = ").*?(?=")', unicodedata2.unidata_version, source)
    MODULE.write_text(source, encoding="utf-8")


if __name__ == "__main__":
    main()
