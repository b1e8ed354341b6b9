"""Results of compare and audit as plain data, made up: the pages know nothing else."""

HOSTILE = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(1)>{{7*7}}${alert(1)}</script><!--'
NAMES = {
    "troenpy": ("troenpy", "ours"),
    "tfidf-lr": ("TF-IDF, logistic regression", "rivals"),
    "naive-bayes": ("ComplementNB", "rivals"),
    "majority": ("majority class", "rivals"),
}


def method(short, error, p=None, metric="error", seconds=0.5):
    """Return a method's result, with an interval of 2 points each way."""
    name, group = NAMES[short]
    value = {"error": error, "macro-f1": 1 - error, "log-loss": 2 * error}[metric]
    return {
        "name": name,
        "short_name": short,
        "description": name,
        "group": group,
        "metric": metric,
        "error": error,
        "macro_f1": 1 - error,
        "log_loss": 2 * error,
        "low": value - 0.02,
        "high": value + 0.02,
        "interval": "Nadeau-Bengio",
        "by_test": [error, error],
        "train_seconds": seconds,
        "seconds_per_document": 0.0004,
        "chosen": None,
        "p": p,
    }


def curve(errors=((50, 0.3), (100, 0.2), (200, 0.15), (400, 0.1))):
    """Return a learning curve, with what twice the labels would bring."""
    n, last = errors[-1]
    points = [
        {"fraction": size / n, "n_train": size, "loss": e, "low": e - 0.02, "high": e + 0.02} for size, e in errors
    ]
    twice = {"n_train": 2 * n, "loss": last - 0.03, "low": last - 0.06, "high": last, "is_flat": False}
    return {"method": "troenpy", "n_tests": 5, "points": points, "twice": twice}


def comparison(methods=None, **changed):
    """Return a comparison; the first method is recommended."""
    found = methods or [
        method("troenpy", 0.1, seconds=2.0),
        method("tfidf-lr", 0.16, 0.0002),
        method("naive-bayes", 0.12, 0.2, seconds=0.1),
        method("majority", 0.7, 0.0001, seconds=0.0),
    ]
    return {
        "source": "tickets.csv",
        "n_documents": 500,
        "n_classes": 3,
        "metric": "error",
        "tested": "5-fold cross-validation",
        "tests": [{"n_train": 400, "n_test": 100}] * 5,
        "methods": found,
        "recommended": found[0]["name"],
        "advice": ["recommended: it", "no significant difference from it: naive-bayes", "twice the labels would help"],
        "python": "from troenpy import TroenpyClassifier\n\nmodel = TroenpyClassifier()",
        "command": "troenpy train tickets.csv -o tickets.model",
        "command_method": found[0]["name"],
        "learning_curve": curve(),
        "notices": ["tickets.csv: CSV"],
        "warnings": [],
        **changed,
    }


def suspect(rank, label="billing", suggested="returns", text="my card was declined", **changed):
    """Return a doubtful row."""
    return {
        "rank": rank,
        "row": 10 * rank,
        "label": label,
        "suggested": suggested,
        "p_label": 0.001 * rank,
        "p_suggested": 0.9,
        "is_likely": rank % 2 == 1,
        "against": [["card", 1.25], ["was declined", 0.5]],
        "nearest": [{"row": 7, "labels": [suggested], "similarity": 0.75, "text": f"near {text}"[:160]}],
        "copies": {},
        "text": text,
        **changed,
    }


def audit(suspects, **changed):
    """Return an audit."""
    classes = sorted({str(one[key]) for one in suspects for key in ("label", "suggested")})
    return {
        "source": "tickets.csv",
        "n_documents": 1000,
        "classes": classes,
        "tested": "5-fold cross-validation",
        "error": 0.12,
        "wrong_share": {"share": 0.061, "low": 0.045, "high": 0.08},
        "n_likely": sum(one["is_likely"] for one in suspects),
        "suspects": suspects,
        "contradictions": [],
        "pairs": [],
        "not_judged": {},
        "commands": [{"about": "Write them:", "command": "troenpy audit tickets.csv -o doubtful.csv"}],
        "python": "found = troenpy.audit(texts, labels)",
        "notices": [],
        "warnings": [],
        **changed,
    }


def pair(first, second, there=5, back=3):
    """Return a confused pair."""
    return {
        "first": first,
        "second": second,
        "n_first": 100,
        "n_second": 50,
        "first_as_second": there,
        "second_as_first": back,
        "share": 0.08,
        "advice": "look at these rows",
    }
