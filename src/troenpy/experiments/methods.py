"""Lists of methods to compare: the paper's, its rivals, and those that go beyond it."""

from troenpy.weights.schemes import WEIGHTS

#: The paper's methods: kNN on TF-IDF and TF-PI, logistic regression on TF-PI with and without 2B, and six settings of
#: BTF and ECIB, with and without PCF.
PAPER = (
    "knn: tf*idf",
    "knn: tf*pi",
    "lr: tf*pi",
    "lr: tf*pi + 2b",
    "lr: btf",
    "lr: ecib",
    "lr: 2b",
    "lr: btf*pcf",
    "lr: ecib*pcf",
    "lr: 2b*pcf",
)
#: What its reviewers asked for: the factors of PI separately, other norms, log tf, and the best-known other weights.
RIVALS = (
    "knn: tf",
    "knn: tf*pcf",
    "knn: tf*ncf*idf",
    "knn: tf*idf + btf",
    "knn-manhattan: tf*idf/l1",
    "knn: tf*idf/hellinger",
    "knn: logtf*idf",
    "knn: tf*rf",
    "knn: tf*delta_idf",
    "knn: tf*bns",
    "knn: tf*odds_ratio",
    "knn: tf*chi2",
    "knn: tf*ig",
    "knn: tf*rf*idf/hellinger",
    "knn: tf*sqrt(pcf_present)*idf/hellinger",
    "lr: tf*idf",
    "lr: logtf*idf",
    "lr: tf*rf",
)
#: Beyond the paper, with kNN: certainty and the class profile, tf.rf and the class profile, and certainty alone.
BEYOND_KNN = (
    "knn: tf*sqrt(certainty*idf)/hellinger & 2*profile",
    "knn: tf*rf*idf/hellinger & 2*profile",
    "knn: tf*sqrt(certainty*idf)/hellinger",
)
#: Ablations: other factors of the class profile, the profile alone, without leaving rows out, and with other weights.
ABLATION_KNN = (
    "knn: profile",
    "knn: tf*sqrt(certainty*idf)/hellinger & profile",
    "knn: tf*sqrt(certainty*idf)/hellinger & 1.5*profile",
    "knn: tf*sqrt(certainty*idf)/hellinger & 2.5*profile",
    "knn: tf*sqrt(certainty*idf)/hellinger & 3*profile",
    "knn: tf*sqrt(certainty*idf)/hellinger & 4*profile",
    "knn: tf*sqrt(certainty*idf)/hellinger & 2*profile-all",
    "knn: tf*idf/hellinger & 2*profile",
    "knn: tf*sqrt(pcf_present)*idf/hellinger & 2*profile",
)
#: Beyond the paper, with linear models and their rivals; C from cross-validation, or TroenpyClassifier's default.
BEYOND_LINEAR = (
    "lr3: logtf*sqrt(certainty*idf) + logtf*pcf_boost*idf + profile-copies",
    "svm-cv: logtf*sqrt(certainty*idf) + logtf*pcf_boost*idf + profile-copies",
    "svm-cv: logtf*pcf_boost*idf",
    "svm-cv: logtf*idf",
    "svm-cv: logtf*rf*idf",
    "nbsvm-cv: btf",
    "svm-cv: tf*pi + 2b",
)
ABLATION_LINEAR = (
    "svm-cv: logtf*sqrt(certainty*idf) + logtf*pcf_boost*idf",
    "svm-cv: logtf*idf + profile-copies",
    "svm-cv: logtf*sqrt(certainty*idf) + logtf*pcf_boost*idf + profile-all",
)
#: Our recommended settings: neighbours, logistic regression and a linear SVM.
OURS = (BEYOND_KNN[0], *BEYOND_LINEAR[:2])
#: What is run unless more is asked for: the paper's methods, their rivals, ours, and the linear SVM that is theirs.
USUAL = (*PAPER, *RIVALS, *OURS, "svm-cv: logtf*idf")
#: Everything beyond the paper.
BEYOND = BEYOND_KNN + ABLATION_KNN + BEYOND_LINEAR + ABLATION_LINEAR
#: Every weight, with kNN under both norms and with logistic regression.
ALL_WEIGHTS = tuple(
    pattern.format(weight) for pattern in ("knn: tf*{}", "knn: tf*{}/hellinger", "lr: tf*{}") for weight in WEIGHTS
)
