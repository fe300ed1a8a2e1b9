"""tf.compat.v1: placeholders and sessions, beside eager code.

A placeholder is a symbol, as an Input of a functional model is. What is computed from it is a graph; Session.run() traces
that graph once for what it is asked for, and runs it with what is fed.
"""

import importlib
import types

from brio import _core, _nest
from brio._core import *
from brio.compat._variables import (
    AUTO_REUSE, Graph, Saver as _Saver, forget_variables as _forget_variables, get_default_graph, get_variable, get_variable_scope,
    global_variables, trainable_variables, variable_scope,
)  # fmt: skip

_graphs = {}  # functions by what they compute, as long as somebody holds it


def placeholder(dtype, shape=None, name=None):
    """A value that Session.run() is fed. The first axis is that of the samples, of any number."""
    if shape is None or len(shape) == 0:
        raise ValueError("placeholder() needs a shape whose first axis is that of the samples: placeholder(tf.float32, [None, 2])")
    return _core._input(tuple(shape[1:]), -1 if shape[0] is None else shape[0], dtype, name)


class TrainOp:
    """What optimizer.minimize() gives for a loss of placeholders: one step, when a session runs it."""

    def __init__(self, optimizer, loss, variables):
        self.optimizer, self.loss, self.variables = optimizer, loss, variables


class _Nothing:
    """An operation that has nothing left to do: variables have their values from the start."""


def global_variables_initializer():
    """Something for Session.run; variables have their values when they are made."""
    return _Nothing()


local_variables_initializer = tables_initializer = global_variables_initializer


def _placeholders(symbols):
    """The placeholders that symbols are computed from."""
    return _core._inputs_of(list(symbols))


class Session:
    """Runs graphs of placeholders."""

    def __init__(self, target="", graph=None, config=None):
        self.graph = graph

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """The values of what is fetched, as NumPy arrays, in the structure it is given in."""
        feeds = {} if feed_dict is None else feed_dict
        return _nest.pack(fetches, [self._one(fetch, feeds) for fetch in _nest.flatten(fetches)])

    def _one(self, fetch, feeds):
        if fetch is None or isinstance(fetch, _Nothing):
            return None
        if isinstance(fetch, TrainOp):
            self._function(fetch)(*self._fed(fetch.loss, feeds))
            return None
        if isinstance(fetch, _core.KerasTensor):
            return self._function(fetch)(*self._fed(fetch, feeds)).numpy()
        if hasattr(fetch, "numpy"):
            return fetch.numpy()
        raise TypeError(f"Session.run() computes tensors, variables and training operations, but got {fetch!r}")

    def _fed(self, symbol, feeds):
        values = []
        for name, place in _placeholders([symbol]):
            value = next((v for k, v in feeds.items() if isinstance(k, _core.KerasTensor) and _core._same_symbol(k, place)), None)
            if value is None:
                raise ValueError(f"the placeholder '{name}' is needed for this and is not in feed_dict")
            value = _core.convert_to_tensor(value, dtype_hint=place.dtype)
            values.append(_core.cast(value, place.dtype) if value.dtype != place.dtype else value)
        return values

    def _function(self, fetch):
        if id(fetch) in _graphs and _graphs[id(fetch)][0] is fetch:
            return _graphs[id(fetch)][1]
        symbol = fetch.loss if isinstance(fetch, TrainOp) else fetch
        graph = _core._functional([place for _, place in _placeholders([symbol])], [symbol], None)
        if isinstance(fetch, TrainOp):

            def step(*values):
                with _core.GradientTape() as tape:
                    loss = graph.call(list(values), True)[0]
                fetch.optimizer.apply_gradients(zip(tape.gradient(loss, fetch.variables), fetch.variables))

        else:

            def step(*values):
                return graph.call(list(values), False)[0]

        made = _core._Function(step, None)
        _graphs[id(fetch)] = (fetch, made)
        return made

    def close(self):
        """Nothing needs to be closed."""

    def as_default(self):
        """The session itself, for a with statement."""
        return self

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


InteractiveSession = Session


def ConfigProto(**kwargs):  # noqa: N802
    """Settings of a session: they are kept, and nothing depends on them."""
    return types.SimpleNamespace(**{"gpu_options": types.SimpleNamespace(), **kwargs})


def disable_eager_execution():
    """Eager code and sessions work side by side: there is nothing to switch off."""


enable_eager_execution = disable_v2_behavior = enable_v2_behavior = disable_resource_variables = disable_eager_execution
enable_tensor_equality = enable_resource_variables = disable_eager_execution


def reset_default_graph():
    """Forgets the operations of sessions, and the variables of get_variable()."""
    _graphs.clear()
    _forget_variables()


class train:  # noqa: N801: a namespace
    """tf.compat.v1.train: optimizers under their old names."""

    _step = None
    Saver = _Saver

    @staticmethod
    def latest_checkpoint(checkpoint_dir, latest_filename=None):
        """The newest checkpoint of a directory, or None."""
        from brio import _checkpoint

        return _checkpoint.latest_checkpoint(checkpoint_dir, latest_filename)

    @staticmethod
    def GradientDescentOptimizer(learning_rate, use_locking=False, name="GradientDescent"):  # noqa: N802
        """keras.optimizers.SGD without momentum."""
        from brio.keras import optimizers

        return optimizers.SGD(learning_rate)

    @staticmethod
    def AdamOptimizer(learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False, name="Adam"):  # noqa: N802
        """keras.optimizers.Adam."""
        from brio.keras import optimizers

        return optimizers.Adam(learning_rate, beta_1=beta1, beta_2=beta2, epsilon=epsilon)

    @staticmethod
    def AdagradOptimizer(learning_rate, initial_accumulator_value=0.1, use_locking=False, name="Adagrad"):  # noqa: N802
        """keras.optimizers.Adagrad without an epsilon."""
        from brio.keras import optimizers

        return optimizers.Adagrad(learning_rate, initial_accumulator_value=initial_accumulator_value, epsilon=0.0)

    @staticmethod
    def get_or_create_global_step(graph=None):
        """The variable that counts steps."""
        if train._step is None:
            train._step = _core.Variable(0, trainable=False, name="global_step", dtype="int64")
        return train._step

    @staticmethod
    def get_global_step(graph=None):
        """The variable that counts steps, or None where none was made."""
        return train._step

    @staticmethod
    def exponential_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
        """A function that gives the rate at the step now: it falls by decay_rate every decay_steps."""
        from brio.keras.optimizers import schedules

        rate = schedules.ExponentialDecay(learning_rate, decay_steps, decay_rate, staircase)
        return lambda: rate(_core.convert_to_tensor(global_step))

    @staticmethod
    def polynomial_decay(learning_rate, global_step, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False, name=None):
        """A function that gives the rate at the step now: it falls to end_learning_rate along a power of the step."""
        from brio.keras.optimizers import schedules

        rate = schedules.PolynomialDecay(learning_rate, decay_steps, end_learning_rate, power, cycle)
        return lambda: rate(_core.convert_to_tensor(global_step))

    @staticmethod
    def MomentumOptimizer(learning_rate, momentum, use_locking=False, name="Momentum", use_nesterov=False):  # noqa: N802
        """keras.optimizers.SGD with momentum."""
        from brio.keras import optimizers

        return optimizers.SGD(learning_rate, momentum=momentum, nesterov=use_nesterov)


class losses:  # noqa: N801: a namespace
    """tf.compat.v1.losses: one number each, the mean over what has a weight."""

    @staticmethod
    def _mean(values, weights):
        weights = _core.broadcast_to(_core.cast(weights, values.dtype), values.shape)
        count = _core.reduce_sum(_core.cast(weights != 0, values.dtype))
        return _core._math.divide_no_nan(_core.reduce_sum(values * weights), count)

    @staticmethod
    def mean_squared_error(labels, predictions, weights=1.0):
        """(predictions - labels) squared."""
        predictions = _core.convert_to_tensor(predictions)
        return losses._mean(_core.square(predictions - _core.cast(labels, predictions.dtype)), weights)

    @staticmethod
    def absolute_difference(labels, predictions, weights=1.0):
        """|predictions - labels|."""
        predictions = _core.convert_to_tensor(predictions)
        return losses._mean(_core.abs(predictions - _core.cast(labels, predictions.dtype)), weights)

    @staticmethod
    def softmax_cross_entropy(onehot_labels, logits, weights=1.0, label_smoothing=0):
        """The cross entropy of one-hot labels and logits."""
        logits = _core.convert_to_tensor(logits)
        labels = _core.cast(onehot_labels, logits.dtype)
        if label_smoothing:
            labels = labels * (1 - label_smoothing) + label_smoothing / labels.shape[-1]
        return losses._mean(_core._nn.softmax_cross_entropy_with_logits(labels, logits), weights)

    @staticmethod
    def sparse_softmax_cross_entropy(labels, logits, weights=1.0):
        """The cross entropy of class numbers and logits."""
        return losses._mean(_core._nn.sparse_softmax_cross_entropy_with_logits(labels, logits), weights)

    @staticmethod
    def sigmoid_cross_entropy(multi_class_labels, logits, weights=1.0, label_smoothing=0):
        """The cross entropy of labels 0 and 1 and logits, element by element."""
        logits = _core.convert_to_tensor(logits)
        labels = _core.cast(multi_class_labels, logits.dtype)
        if label_smoothing:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        return losses._mean(_core._nn.sigmoid_cross_entropy_with_logits(labels, logits), weights)


class logging:  # noqa: N801: a namespace
    """tf.compat.v1.logging: levels, and a function that sets one."""

    DEBUG, INFO, WARN, ERROR, FATAL = 10, 20, 30, 40, 50

    @staticmethod
    def set_verbosity(level):
        """Taken and ignored: Brio logs nothing by itself."""


def __getattr__(name):
    return getattr(importlib.import_module("brio"), name)


def __dir__():
    return sorted(set(globals()) | set(dir(importlib.import_module("brio"))))
