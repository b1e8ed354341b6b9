"""Made-up files of labelled text."""

import csv
import json

import numpy as np

WORDS = {
    "sport": "goal match team cup keeper",
    "politics": "vote tax law party minister",
    "food": "salt oven soup rice oil",
}
COMMON = ["the", "of", "a", "in", "today", "again", "said", "more", "old", "new", "two", "three", "big", "small"]


def made_up(n=120, classes=("sport", "politics", "food"), seed=0):
    """Return rows with text, label and id; most words of a text are of its class, some of another."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(n):
        label = classes[number % len(classes)]
        other = classes[int(rng.integers(len(classes)))]
        own, others = WORDS[label].split(), WORDS[other].split()
        words = [*rng.choice(own, 2), *rng.choice(others, 1), *rng.choice(COMMON, 4)]
        rows.append({"id": str(number), "text": " ".join(rng.permutation(words)), "label": label})
    return rows


def write_csv(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_lines(path, rows):
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return path
