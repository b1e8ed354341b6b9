"""Choose the settings of WMD and WFR by their error on a fold of the training part, never on test labels.

    python experiments/transport_settings.py --vectors FILE --datasets twitter,r8,bbcsport

Vectors as they are or of length 1, and for WFR how far words may be moved. At most 150 documents of the fold are
classified by their seven nearest among the rest of the training part.
"""

import argparse
import time

import numpy as np
from scipy import sparse
from sklearn.model_selection import train_test_split

from troenpy import datasets, embeddings
from troenpy.experiments.splits import count_terms
from troenpy.models.votes import vote
from troenpy.transport.distances import word_distance
from troenpy.transport.pruning import NearestDocuments

COEFS = (0.75, 1.0, 1.25)
MOST_DOCUMENTS = 150


def main() -> None:
    """Print the error of each setting on each corpus."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", default="glove-50d", help="a name or a file")
    parser.add_argument("--datasets", default="twitter,r8,bbcsport")
    arguments = parser.parse_args()
    print("| corpus | setting | error, % | seconds |\n|---|---|---:|---:|")
    for name in arguments.datasets.split(","):
        corpus = datasets.load(name)
        counted = count_terms(corpus)
        columns, plain = embeddings.load(arguments.vectors, counted.terms).select(counted.terms)
        counts = sparse.csr_array(counted.counts[:, columns])
        train, _ = counted.parts(None if corpus.split is not None else 0)
        kept, fold = train_test_split(train, test_size=0.2, random_state=0)
        fold = fold[:MOST_DOCUMENTS]
        classes, codes = np.unique(counted.labels, return_inverse=True)
        unit = plain.normalize()
        settings = {"wmd": word_distance("wmd", plain), "wmd, length 1": word_distance("wmd", unit)}
        settings |= {f"wfr, length 1, coef {coef}": word_distance("wfr", unit, coef=coef) for coef in COEFS}
        for title, distance in settings.items():
            begin = time.perf_counter()
            nearest = NearestDocuments(distance.space, distance.shares(counts[kept]))
            _, rows = nearest.search(distance.shares(counts[fold]), 7)
            error = 100 * (vote(codes[kept][rows], len(classes)) != codes[fold]).mean()
            print(f"| {name} | {title} | {error:.2f} | {time.perf_counter() - begin:.0f} |", flush=True)


if __name__ == "__main__":
    main()
