"""Work on one's own file: train and test a classifier, predict rows, and say what a model is."""
