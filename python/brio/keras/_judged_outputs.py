"""Models of several outputs of which some are judged, or that are dictionaries:
which loss and metrics, targets and predictions go together.

C++ knows lists of outputs that all have targets. Where Keras goes by the names of outputs, or tells one loss alone, the
step is Python's (Trainer.train_step), and this module says what is compared with what, and what the logs are called.
"""

from brio import _nest


class Plan:
    """What compile() was told of each output: rows of (loss, weight, metrics, weighted metrics) by key,
    a name or a place."""

    def __init__(self, keys, rows, names):
        from brio.keras.metrics import Mean

        self.rows = dict(zip(keys, rows))
        self.names = names  # of the outputs in the logs, by key
        losses = [key for key, row in self.rows.items() if row[0] is not None]
        self.trackers = {key: Mean(name=f"{names[key]}_loss") for key in losses} if len(losses) > 1 else {}
        self.several = len(keys) > 1

    def judged(self):
        """Keys of outputs that have a loss or a metric."""
        return [key for key, row in self.rows.items() if row[0] is not None or row[2] or row[3]]

    def by_key(self, values, keys):
        """Values of a dictionary or a list by the outputs that they are of:
        a list has those of all outputs, or of the judged ones."""
        if values is None:
            return {}
        if isinstance(values, dict):
            return values
        listed = _nest.flatten(values) if isinstance(values, (list, tuple)) else [values]
        if len(listed) != len(keys) and len(listed) != len(self.judged()):
            judged = len(self.judged())
            raise ValueError(
                f"the model has {len(keys)} outputs, of which {judged} are judged, but {len(listed)} targets or "
                "weights are given"
            )
        return dict(zip(keys if len(listed) == len(keys) else self.judged(), listed))

    def pairs(self, y, y_pred, sample_weight):
        """(key, row, target, prediction, weight) of each output that is judged."""
        predictions = y_pred if isinstance(y_pred, dict) else None
        if predictions is None:
            flat = _nest.flatten(y_pred)
            predictions = dict(zip(list(self.rows) if len(self.rows) == len(flat) else range(len(flat)), flat))
        self.several = len(predictions) > 1
        keys = list(predictions)
        unknown = [key for key in self.rows if key not in predictions]
        if unknown:
            raise ValueError(f"compile() names the outputs {unknown}, but the model gives {keys}")
        targets = self.by_key(y, keys)
        one_weight = sample_weight is not None and not isinstance(sample_weight, (dict, list, tuple))
        weights = {} if one_weight else self.by_key(sample_weight, keys)
        for key, row in self.rows.items():
            target = targets.get(key)
            if target is None and row[0] is not None:
                raise ValueError(
                    f"output '{self.names[key]}' has a loss, but y has no target for it: y has "
                    f"{sorted(map(str, targets))}"
                )
            if target is not None:
                yield key, row, target, predictions[key], sample_weight if one_weight else weights.get(key)

    def prefix(self, key):
        """What the names of an output's metrics begin with."""
        return f"{self.names[key]}_" if self.several and self.names[key] else ""


def plan(model, given, names, rows):
    """The plan for what compile() was given, or None where C++ does all of it."""
    from brio.keras.models import Functional, Sequential

    if isinstance(model, Sequential):
        return None
    loss = given["loss"]
    with_loss = [row for row in rows if row[0] is not None]
    some = len(rows) > 1 and 0 < len(with_loss) < len(rows)
    if isinstance(model, Functional):
        renamed = isinstance(model._structures[1], dict) and len(rows) > 1 and names != model._layer_names
        return Plan(names, rows, dict(zip(names, names))) if some or renamed else None
    if isinstance(loss, dict):
        return Plan(names, rows, dict(zip(names, names)))
    return (
        Plan(
            range(len(rows)),
            rows,
            [f"output_{i + 1}" for i in range(len(rows))] if len(with_loss) > 1 else [""] * len(rows),
        )
        if some
        else None
    )


def named(given):
    """Names of outputs in a dictionary of losses, and in those of metrics beside it."""
    found = set(given["loss"])
    for part in ("metrics", "weighted_metrics", "loss_weights"):
        found |= set(given[part]) if isinstance(given[part], dict) else set()
    return sorted(found)
