"""fit and evaluate with run_eagerly=True: every step is Python's, so that prints and breakpoints in it work."""

import numpy as np

from brio import _core


def _batches(source, y, sample_weight, batch_size, order=None):
    """(x, y, sample_weight) as lists of tensors."""
    if hasattr(source, "start"):
        yield from source.start(0)
        return
    rows = len(source[0])
    for part in (y, sample_weight):
        for tensor in part or []:
            if len(tensor) != rows:
                raise ValueError(f"x has {rows} samples, but y or sample_weight has {len(tensor)}")
    for begin in range(0, rows, batch_size):
        if order is None:
            pick = lambda t, a=begin: t[a : a + batch_size]  # noqa: E731
        else:
            pick = lambda t, a=begin: _core.gather(t, order[a : a + batch_size])  # noqa: E731
        yield tuple([pick(t) for t in part] if part else [] for part in (source, y, sample_weight))


def _float(logs):
    return {name: float(value) for name, value in logs.items()}


def evaluate(model, x, y, sample_weight, batch_size, steps, watchers):
    watchers.on_test_begin({})
    logs = {}
    for step, batch in enumerate(_batches(x, y, sample_weight, batch_size)):
        if steps is not None and step >= steps:
            break
        watchers.on_test_batch_begin(step, {})
        logs = _float(model._test(*batch))
        watchers.on_test_batch_end(step, logs)
    watchers.on_test_end(logs)
    return logs


def fit(model, x, y, watchers, options, verbose):
    weights, validation = options.get("sample_weight"), options.get("validation_data")
    if options["validation_split"] and validation is None:
        cut = int(len(x[0]) * (1 - options["validation_split"]))
        part = lambda tensors, s: None if tensors is None else [t[s] for t in tensors]  # noqa: E731
        validation = tuple(part(t, slice(cut, None)) for t in (x, y, weights))
        x, y, weights = (part(t, slice(0, cut)) for t in (x, y, weights))
    if options.get("class_weight") and weights is None:
        table = options["class_weight"]
        weights = [_core.constant([float(table.get(int(c), 1.0)) for c in np.asarray(y[0]).reshape(-1)])]
    watchers.on_train_begin({})
    logs = {}
    for epoch in range(options["initial_epoch"], options["epochs"]):
        watchers.on_epoch_begin(epoch, {})
        order = np.random.permutation(len(x[0])) if options["shuffle"] and isinstance(x, list) else None
        for step, batch in enumerate(_batches(x, y, weights, options["batch_size"], order)):
            if options["steps_per_epoch"] is not None and step >= options["steps_per_epoch"]:
                break
            watchers.on_train_batch_begin(step, {})
            logs = _float(model._step(*batch))
            if watchers.on_train_batch_end(step, logs):
                break
        if validation is not None and (epoch + 1) % options["validation_freq"] == 0:
            parts = validation if isinstance(validation, tuple) else (validation, None, None)
            found = evaluate(model, *parts, options["validation_batch_size"] or options["batch_size"], options["validation_steps"], watchers)
            logs = {**logs, **{"val_" + k: v for k, v in found.items()}}
        stop = watchers.on_epoch_end(epoch, logs)
        if verbose:
            print(f"Epoch {epoch + 1}/{options['epochs']} - " + " - ".join(f"{k}: {v:.4f}" for k, v in logs.items()))
        if stop:
            break
    model.optimizer.finalize_variable_values(model.trainable_variables)
    watchers.on_train_end(logs)
