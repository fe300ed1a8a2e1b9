"""The variable that counts steps of training."""

from brio import _core
from brio._graph import core
from brio._graph.variables import GraphKeys

_eager_step = None


def create_global_step(graph=None):
    """The variable that counts steps; there must be none yet."""
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    return get_or_create_global_step(graph)


def get_or_create_global_step(graph=None):
    """The variable that counts steps."""
    global _eager_step
    found = get_global_step(graph)
    if found is not None:
        return found
    if core.building() is None:
        _eager_step = _core.Variable(0, trainable=False, name="global_step", dtype="int64")
        return _eager_step
    from brio.compat._variables import get_variable
    from brio.compat.v1 import initializers

    before, core.building()._variable_scopes = core.building()._variable_scopes, []
    try:
        return get_variable(
            "global_step",
            [],
            "int64",
            initializers.zeros(),
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
        )
    finally:
        core.default_graph()._variable_scopes = before


def get_global_step(graph=None):
    """The variable that counts steps, or None where none was made."""
    if core.building() is None and graph is None:
        return _eager_step
    graph = graph or core.default_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if found:
        return found[0]
    return next((v for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES) if v.name == "global_step:0"), None)


def global_step(sess, global_step_tensor):
    """The number of steps in a session."""
    return int(sess.run(global_step_tensor))


def assert_global_step(global_step_tensor):
    """An error where this counts no steps."""
    if not global_step_tensor.dtype.is_integer or global_step_tensor.shape.rank != 0:
        raise TypeError(f'Existing "global_step" does not have integer type, or is no scalar: {global_step_tensor!r}')
