"""fit and evaluate with run_eagerly=True: every step is Python's, so that prints and breakpoints in it work."""

import numpy as np

from brio import _core, _nest


def _batches(source, y, sample_weight, batch_size, order=None):
    """(x, y, sample_weight) as lists of tensors."""
    if hasattr(source, "start"):
        for parts in source.start(0):
            yield tuple(part or [] for part in parts)
        return
    rows = len(source[0])
    for part in (y, sample_weight):
        for tensor in part or []:
            if len(tensor) != rows:
                raise ValueError(f"x has {rows} samples, but y or sample_weight has {len(tensor)}")
    for begin in range(0, rows, batch_size):
        if order is None:
            pick = lambda t, a=begin: t[a : a + batch_size]
        else:
            pick = lambda t, a=begin: _core.gather(t, order[a : a + batch_size])
        yield tuple([pick(t) for t in part] if part else [] for part in (source, y, sample_weight))


def _by_class(table, y):
    """A weight for each sample."""
    labels = np.asarray(y[0])
    classes = (
        labels.argmax(-1)
        if labels.ndim >= 2 and labels.shape[-1] > 1
        else labels.reshape(labels.shape[: max(1, labels.ndim - 1)])
    )
    return [_core.constant(np.vectorize(lambda c: float(table.get(int(c), 1.0)), otypes=["float32"])(classes))]


def _plain(value):
    """A number, or an array where a metric has several: F1Score() has one for each class."""
    return np.asarray(value) if getattr(value, "shape", ()) else float(value)


def _run(batches, steps, at_once, begin, step, end, skip=0):
    """Runs batches; callbacks hear of them once for so many, as in brio/train. The last logs, and whether to stop."""
    logs, done = {}, 0
    most = None if steps is None else -(-steps // at_once) * at_once
    while done < skip and next(batches, None) is not None:
        done += 1
    while most is None or done < most:
        batch = next(batches, None)
        if batch is None:
            break
        if done % at_once == 0:
            begin(done, {})
        logs = {name: _plain(value) for name, value in step(*batch).items()}
        done += 1
        if done % at_once == 0 and end(done - 1, logs):
            return logs, True
    return logs, bool(done % at_once and end(-(-done // at_once) * at_once - 1, logs))


def _number_of_batches(x, batch_size):
    return -(-len(x[0]) // batch_size) if isinstance(x, list) else getattr(x, "steps", None)


def evaluate(model, x, y, sample_weight, batch_size, steps, watchers, verbose=0):
    watchers.on_test_begin({})
    bar = _core._LoopBar(verbose)
    bar.begin(0, 1, steps or _number_of_batches(x, batch_size))

    def end(step, logs):
        watchers.on_test_batch_end(step, dict(logs))  # changes that it makes to the logs are for training
        bar.advance(step + 1, logs)

    batches = _batches(x, y, sample_weight, batch_size)
    logs, _ = _run(batches, steps, model.steps_per_execution, watchers.on_test_batch_begin, model._test, end)
    bar.end(logs)
    watchers.on_test_end(dict(logs))
    return logs


def fit(model, x, y, watchers, options, verbose):
    weights, validation = options.get("sample_weight"), options.get("validation_data")
    if options["validation_split"] and validation is None:
        cut = int(len(x[0]) * (1 - options["validation_split"]))
        part = lambda tensors, s: None if tensors is None else [t[s] for t in tensors]
        validation = tuple(part(t, slice(cut, None)) for t in (x, y, weights))
        x, y, weights = (part(t, slice(0, cut)) for t in (x, y, weights))
    table, steps = options.get("class_weight"), options["steps_per_epoch"]

    def step(inputs, targets, sample_weight):
        if table and sample_weight:
            raise ValueError("class_weight is not given beside sample_weight")
        nonlocal taken
        taken += 1
        return model._step(inputs, targets, _by_class(table, targets) if table else sample_weight)

    def end(step, logs):
        bar.advance(step + 1, logs)
        return watchers.on_train_batch_end(step, logs)

    def train_and_validate(epoch, batches, skip):
        nonlocal taken
        if batches is None or steps is None or taken == total:  # otherwise an epoch continues where the last one ended
            order = np.random.permutation(len(x[0])) if options["shuffle"] and isinstance(x, list) else None
            batches, taken = _batches(x, y, weights, options["batch_size"], order), 0
        before = taken
        bar.begin(epoch, options["epochs"], steps or total)
        logs, _ = _run(batches, steps, model.steps_per_execution, watchers.on_train_batch_begin, step, end, skip)
        taken += skip
        if steps is not None and taken - before < steps:  # no more data
            batches = None
        if validation is not None and (epoch + 1) % options["validation_freq"] == 0:
            parts = validation if isinstance(validation, tuple) else (validation, None, None)
            found = evaluate(
                model,
                *parts,
                options["validation_batch_size"] or options["batch_size"],
                options["validation_steps"],
                watchers,
            )
            logs = {**logs, **{"val_" + k: v for k, v in found.items()}}
        return logs, batches

    watchers.on_train_begin({})
    logs, batches = {}, None
    taken, total, bar = 0, _number_of_batches(x, options["batch_size"]), _core._LoopBar(verbose)
    first, done = watchers.initial_epoch, watchers.initial_step or 0  # set for a run that was cut off
    first = options["initial_epoch"] if first is None else first
    for epoch in range(first, options["epochs"]):
        with model._turn():
            watchers.on_epoch_begin(epoch, {})
            logs, batches = train_and_validate(epoch, batches, done if epoch == first else 0)
        stop = watchers.on_epoch_end(epoch, logs)
        bar.end(logs)
        if stop:
            break
    model.optimizer.finalize_variable_values(model.trainable_variables)
    watchers.on_train_end(logs)


def predict(step, batches, steps, at_once, watchers, verbose):
    """The results of a step of the user's own, joined."""
    results, told, bar = [], [0], _core._LoopBar(verbose)
    watchers.on_predict_begin({})
    bar.begin(0, 1, steps or batches.steps)

    def run(batch):
        results.append(step(batch))
        return {}

    def end(number, logs):
        if watchers.sees_predictions:
            logs, told[0] = {"outputs": _joined(results[told[0] :])}, len(results)
        watchers.on_predict_batch_end(number, logs)
        bar.advance(number + 1, {})

    _run(((batch,) for batch in batches.start(0)), steps, at_once, watchers.on_predict_batch_begin, run, end)
    bar.end({})
    watchers.on_predict_end({})
    if not results:
        raise ValueError("predict() has no batches")
    return _joined(results)


def _joined(results):
    """Batches of results as NumPy arrays of all rows."""
    return _nest.map_structure(lambda *parts: np.concatenate([p.numpy() for p in parts]), *results)
