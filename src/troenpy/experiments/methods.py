"""The methods that are compared, by name: the paper's, those of its rivals, and what goes beyond it."""

from troenpy.weights.schemes import WEIGHTS

#: What the paper compares: TF-IDF and TF-PI by kNN, TF-PI with and without 2B by logistic regression, and its six
#: settings of BTF and ECIB, each with and without PCF.
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
#: What its reviewers asked for: the parts of PI apart, other norms, log tf, and the best-known weights of others.
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
#: Beyond the paper, by neighbours: certainty beside the class profile, tf.rf beside it, and certainty alone.
BEYOND_KNN = (
    "knn: tf*sqrt(certainty*idf)/hellinger & 2*profile",
    "knn: tf*rf*idf/hellinger & 2*profile",
    "knn: tf*sqrt(certainty*idf)/hellinger",
)
#: What their parts do: other factors of the class profile, the profile alone, with nothing left out, and beside others.
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
#: And by linear models, with the linear rivals; C by cross-validation of the training part, or TroenpyClassifier's.
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
#: All of them.
BEYOND = BEYOND_KNN + ABLATION_KNN + BEYOND_LINEAR + ABLATION_LINEAR
#: Every weight there is, under both norms by kNN, and by logistic regression.
ALL_WEIGHTS = tuple(
    pattern.format(weight) for pattern in ("knn: tf*{}", "knn: tf*{}/hellinger", "lr: tf*{}") for weight in WEIGHTS
)
