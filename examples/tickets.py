"""Write tickets.csv, 400 made-up messages to a shop with the team that answers each: a file to try the commands on."""

import csv
import random
import sys
from pathlib import Path

ITEMS = "the kettle|the lamp|the red jacket|the phone case|the headphones|the desk|the running shoes|the coffee grinder"
PROBLEMS = {
    "billing": "I was charged twice for {}|the invoice for {} shows the wrong amount|my card was declined for {}"
    "|the discount code does not work for {}|you took the payment for {} before I confirmed it",
    "delivery": "{} has not arrived|the courier left {} in the rain|when will {} be shipped"
    "|the tracking of {} has not moved since Monday|the parcel with {} went to my old address",
    "repairs": "{} stopped working after a week|there is a crack in {}|a part of {} is missing"
    "|{} makes a strange noise|{} gets far too hot",
    "returns": "how do I send {} back|{} is too small, I want to exchange it|I have changed my mind about {}"
    "|I returned {} and never got my money|where is the return label for {}",
}
OPENINGS = "Hello, |Hi team, |Good morning, |Order 4{}: |Second message: |||"
ENDINGS = "Please help.|Thanks!|I am still waiting for a reply.|What happens now?|This is urgent.|||"


def write_tickets(path: Path, n_rows: int = 400) -> None:
    """Write the file; a fifth of the messages also mention what another team does."""
    rng = random.Random(0)  # noqa: S311 (no secrets here)

    def one_of(phrases: str) -> str:
        return rng.choice(phrases.split("|"))

    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["ticket", "message", "team"])
        for number in range(1, n_rows + 1):
            team = rng.choice([*PROBLEMS])
            sentences = [one_of(PROBLEMS[team]).format(one_of(ITEMS))]
            if rng.random() < 0.2:
                sentences.append(one_of(PROBLEMS[rng.choice([*PROBLEMS])]).format(one_of(ITEMS)))
            rng.shuffle(sentences)
            message = f"{one_of(OPENINGS).format(rng.randint(100, 999))}{'. Also, '.join(sentences)}. {one_of(ENDINGS)}"
            rows.writerow([number, message.strip(), team])


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "tickets.csv")
    write_tickets(target)
    print(f"wrote {target}")
