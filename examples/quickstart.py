"""Compare TF-IDF with TF-PI on synthetic text: a first look at what labels add to a weighting.

Documents on four topics share most of their words; only a few words lean towards one topic.
"""

import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from troenpy import TfPiVectorizer

TOPICS = ("sport", "politics", "science", "travel")


def synthetic_documents(n_documents: int = 800, seed: int = 0) -> tuple[list[str], list[str]]:
    """Return texts and labels: 60 words each, one in ten from the vocabulary of a topic, the rest shared by all."""
    rng = np.random.default_rng(seed)
    shared = np.array([f"shared{i}" for i in range(1000)])
    popularity = 1 / np.arange(10, 1010)
    own = {topic: np.array([f"{topic}{i}" for i in range(80)]) for topic in TOPICS}
    labels = rng.choice(TOPICS, n_documents)
    texts = []
    for label in labels:
        words = rng.choice(shared, 54, p=popularity / popularity.sum())
        # Topics are not pure: a third of the topical words come from another topic.
        topics = np.where(rng.random(6) < 2 / 3, label, rng.choice(TOPICS, 6))
        texts.append(" ".join([*words, *(rng.choice(own[topic]) for topic in topics)]))
    return texts, labels.tolist()


def main() -> None:
    texts, labels = synthetic_documents()
    print(f"{len(texts)} synthetic documents, {len(TOPICS)} topics; 7 nearest neighbours, 5-fold cross-validation")
    for scheme, name in (("idf", "TF-IDF"), ("pi", "TF-PI")):
        model = make_pipeline(TfPiVectorizer(scheme=scheme), KNeighborsClassifier(7))
        error = 1 - cross_val_score(model, texts, labels, cv=5).mean()
        print(f"  {name:<7} {error:6.1%}")

    vectorizer = TfPiVectorizer().fit(texts, labels)
    best = vectorizer.get_feature_names_out()[np.argmax(vectorizer.weights_)]
    print("\nThe term with the largest weight:")
    print(vectorizer.explain(best))


if __name__ == "__main__":
    main()
