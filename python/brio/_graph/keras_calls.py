"""Layers of Keras that are called on tensors of a graph: each call is one operation.
Their weights have one value for all sessions."""

import functools

from brio import _core
from brio._graph import nested
from brio._graph.core import Tensor, building, paused


def places():
    """(class, name, method, door) of the calls of layers, models, losses and functions."""
    from brio import _function
    from brio.keras import _builtin, _layer, _trainer, losses, models, optimizers

    found, seen = [], set()
    for module in (_layer, _builtin, models, losses):
        for value in list(vars(module).values()):
            if (
                isinstance(value, type)
                and "__call__" in vars(value)
                and value not in seen
                and value.__module__ == module.__name__
            ):
                seen.add(value)
                found.append((value, "__call__", value.__call__, _called(value.__call__)))
    for name in ("fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch"):
        method = getattr(_trainer.Trainer, name)
        found.append((_trainer.Trainer, name, method, _computing(method)))
    found.append(
        (
            _function.Function,
            "__call__",
            None,
            _called(lambda *args, **kwargs: _core._Function.__call__(*args, **kwargs)),
        )
    )
    found.append((_layer.Layer, "losses", _layer.Layer.losses, _losses(_layer.Layer.losses)))
    found.append(
        (optimizers.Optimizer, "minimize", optimizers.Optimizer.minimize, _minimized(optimizers.Optimizer.minimize))
    )
    return found


def _computing(original):
    """A method that computes, and so do the functions that it is given."""

    @functools.wraps(original)
    def method(self, *args, **kwargs):
        with paused():
            return original(self, *args, **kwargs)

    return method


def _losses(original):
    """What regularizers and add_loss() add, computed when it is run."""
    from brio._graph import variables, wrap

    def losses(self):
        graph = building()
        if graph is None:
            return original.fget(self)
        with paused():
            count = len(original.fget(self))
        made = [wrap.add_call(graph, "Loss", lambda values, i=i: original.fget(self)[i], []) for i in range(count)]
        for one in made:
            one.op.layer_variables = [variables.of_core(w, graph) for w in self.weights]
        return made

    return property(losses, doc=original.__doc__)


def _minimized(original):
    @functools.wraps(original)
    def minimize(self, loss, var_list=None, tape=None):
        return _minimize(self, loss, var_list) if isinstance(loss, Tensor) else original(self, loss, var_list, tape)

    return minimize


def _called(original):
    from brio._graph import variables, wrap

    @functools.wraps(original)
    def call(self, *args, **kwargs):
        graph = building()
        if graph is None:
            return original(self, *args, **kwargs)
        if not any(isinstance(x, Tensor) or hasattr(x, "_as_graph_element") for x in nested.leaves((args, kwargs))):
            if isinstance(self, _core._Function):  # it may read variables of the graph
                return wrap.call(graph, lambda *a, **k: original(self, *a, **k), "Function", args, kwargs, of_user=True)
            with paused():
                return original(self, *args, **kwargs)
        made = wrap.call(
            graph,
            lambda *a, **k: original(self, *a, **k),
            wrap.kind_of(type(self).__name__),
            args,
            kwargs,
            of_user=True,
        )
        weights = list(getattr(self, "weights", ()))
        if weights:
            held = [variables.of_core(w, graph) for w in weights]
            for leaf in nested.leaves(made):
                if isinstance(leaf, Tensor):
                    leaf.op.layer_variables = held
        return made

    return call


def _minimize(optimizer, loss, var_list):
    """An operation that makes a step of one of Keras' optimizers."""
    from brio._graph import gradients, variables

    graph = building() or loss.graph
    with graph.as_default():
        chosen = var_list() if callable(var_list) else var_list
        held = [
            variables.as_variable(v)
            for v in (graph.get_collection("trainable_variables") if chosen is None else chosen)
        ]
        pairs = [(g, v) for g, v in zip(gradients.gradients(loss, held), held) if g is not None]
        if not pairs:
            raise ValueError("No gradients provided for any variable: the loss depends on none of them")

        def run_in(state, op, values):
            cells = [v.core if v.core is not None else state.session.value(v) for _, v in pairs]
            optimizer.apply_gradients(list(zip(values, cells)))
            for _, v in pairs:
                state.now.pop(v, None)
            return []

        op = graph.add("Minimize", optimizer.name, run=run_in, inputs=[g for g, _ in pairs])
    op.writes = op.needs = tuple(v for _, v in pairs)
    return op
