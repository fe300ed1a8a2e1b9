"""Every class of keras.metrics takes each argument of its signature by name, and gives it back in its config."""

import inspect

import pytest

import brio as tf
from brio.keras import _signatures

keras = tf.keras

VALUES = {
    "name": "mine", "dtype": "float32", "threshold": 0.25, "thresholds": [0.25, 0.75], "top_k": 2, "class_id": 1,
    "num_thresholds": 20, "specificity": 0.75, "sensitivity": 0.75, "recall": 0.75, "precision": 0.75, "curve": "PR",
    "summation_method": "minoring", "multi_label": True, "num_labels": 3, "label_weights": [0.25, 0.5],
    "from_logits": True, "label_smoothing": 0.125, "axis": 0, "average": "macro", "beta": 2.0, "num_classes": 3,
    "target_class_ids": [1], "ignore_class": 2, "sparse_y_true": False, "sparse_y_pred": True, "k": 3,
    "from_sorted_ids": True, "class_aggregation": "variance_weighted_average", "num_regressors": 2,
}  # fmt: skip
NEEDS = {"num_labels": {"multi_label": True}}  # to take one, which others must be given

METRICS = sorted({*_signatures.METRICS, "Mean", "Sum"})


def parameters(name):
    return inspect.signature(getattr(keras.metrics, name)).parameters.values()


@pytest.mark.parametrize("name", METRICS)
def test_arguments_are_taken_and_given_back(name):
    made = getattr(keras.metrics, name)
    needed = {p.name: VALUES[p.name] for p in parameters(name) if p.default is p.empty}
    for p in parameters(name):
        metric = made(**{**needed, **NEEDS.get(p.name, {}), p.name: VALUES[p.name]})
        config = metric.get_config()
        assert config[p.name] == VALUES[p.name], p.name
        assert made.from_config(config).get_config() == config, p.name


@pytest.mark.parametrize("name", METRICS)
def test_defaults_are_those_of_the_signature(name):
    """Without arguments and with each default: the same state."""
    made = getattr(keras.metrics, name)
    needed = {p.name: VALUES[p.name] for p in parameters(name) if p.default is p.empty}
    defaults = {p.name: p.default for p in parameters(name) if p.default is not p.empty and p.name != "name"}
    shapes = [[v.shape for v in metric.variables] for metric in (made(**needed), made(**needed, **defaults))]
    assert shapes[0] == shapes[1]


@pytest.mark.parametrize("name", METRICS)
def test_other_arguments_are_refused(name):
    made = getattr(keras.metrics, name)
    needed = {p.name: VALUES[p.name] for p in parameters(name) if p.default is p.empty}
    with pytest.raises(TypeError, match="nonsense"):
        made(**needed, nonsense=1)


@pytest.mark.parametrize("make, said", [
    (lambda: keras.metrics.AUC(curve="ROCK"), "'ROC', 'PR', 'PRGAIN'"),
    (lambda: keras.metrics.AUC(summation_method="most"), "'interpolation', 'minoring', 'majoring'"),
    (lambda: keras.metrics.F1Score(average="most"), "'none', 'micro', 'macro', 'weighted'"),
    (lambda: keras.metrics.R2Score(class_aggregation="most"), "'uniform_average', 'variance_weighted_average'"),
    (lambda: keras.losses.Huber(reduction="most"), "'sum_over_batch_size', 'sum', 'none', 'mean'"),
])  # fmt: skip
def test_choices_are_named(make, said):
    with pytest.raises(ValueError, match=said):
        make()
