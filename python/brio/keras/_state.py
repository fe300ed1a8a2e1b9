"""Which variables a model holds under which path, as Keras' weight files name them: "layers/dense/vars/0"."""

from brio.keras import _classes
from brio.keras._layer import Layer

# Inner layers of C++'s layers, by their attribute in Keras, in the order in which C++ lists them.
_PARTS = {
    **dict.fromkeys(("LSTM", "GRU", "SimpleRNN", "RNN"), ("cell",)),
    "Bidirectional": ("forward_layer", "backward_layer"),
    **dict.fromkeys(("TimeDistributed", "SpectralNormalization"), ("layer",)),
}
_NAMES = {"GroupQueryAttention": "grouped_query_attention"}
_PRIVATE = ("_kept", "_calls", "_symbol", "_symbols", "_structures", "_inner", "_handle", "_compile_arguments",
            "_config", "_judged", "_loss_tracker", "_inputs_list", "_outputs_list", "_how", "_data_structure",
            "_input_structure", "_result_structure", "_built_for", "_made_with", "history")  # fmt: skip


class Entry:
    """An object with variables of its own: saveable, or a layer of C++'s that is inside another."""

    def __init__(self, path, name, variables, owner=None):
        self.path, self.name, self.variables, self.owner = path, name, variables, owner


def _join(path, name):
    return f"{path}/{name}" if path else name


def own_variables(handle):
    """Those of a C++ layer without those of the layers inside, trainable ones first."""
    if handle.kind == "SpectralNormalization":  # the kernel of the inner layer is Keras' own, too
        return handle.variables()[:2]
    inside = {v._key() for layer in handle.layers() for v in layer.variables()}
    own = [v for v in handle.variables() if v._key() not in inside]
    return [v for v in own if v.trainable] + [v for v in own if not v.trainable]


def entries(model, by_attributes=False):
    """Every object with variables, with its path, in the order in which Keras writes them.

    Keras finds the layers of a model of one's own in its list `layers`, where no attribute that comes before has them.
    by_attributes leaves the list out: such paths are in files too.
    """
    from brio.keras.models import Functional, Model, Sequential
    from brio.keras.optimizers import Optimizer

    seen, found = set(), []

    def visit(obj, path):
        if id(obj) in seen:
            return
        seen.add(id(obj))
        if isinstance(obj, Optimizer):
            inner = obj.__dict__.get("inner_optimizer")
            if inner is not None:  # Keras' order: inner layers come once more under their own paths
                begun = len(inner.variables) > 2 or int(inner.iterations) > 0
                found.append(Entry(path, obj.name, obj.variables if begun else obj.variables[:4], obj))
                visit(inner, _join(path, "inner_optimizer"))
            elif (
                "_inner_optimizers" in obj.__dict__
            ):  # several optimizers: their variables come once as its own, and once more under their own paths
                found.append(Entry(path, obj.name, obj.variables, obj))
                container(obj._inner_optimizers, _join(path, "optimizers"))
            elif obj._brio.variables():
                found.append(Entry(path, obj.name, obj.variables, obj))
            return
        if isinstance(obj, (Functional, Sequential)):
            found.append(Entry(path, obj.name, [], obj))
            container(obj.layers, _join(path, "layers"))
            skip = set(dir(Functional)) | set(dir(Sequential)) | {"layers"}
        elif hasattr(obj, "_kind") and obj._inner is obj._handle:
            core(obj._handle, path, obj)
            return
        else:
            found.append(
                Entry(
                    path,
                    obj.name,
                    own_variables(obj._handle) + (own_variables(obj._inner) if hasattr(obj, "_kind") else []),
                    obj,
                )
            )
            skip = set(dir(type(obj).__mro__[-2])) | set(dir(Layer))
        attributes(obj, path, skip)

    def attributes(obj, path, skip):
        names = [n for n in obj.__dict__ if n not in _PRIVATE and not n.startswith("__")] + (
            ["optimizer"] if "optimizer" in obj.__dict__ else []
        )
        if isinstance(obj, Model) and not isinstance(obj, (Functional, Sequential)) and not by_attributes:
            names.append("layers")
        for name in sorted(set(names), key=lambda n: "~" + n if n.startswith("_") else n):
            value = obj.layers if name == "layers" and name in names else obj.__dict__.get(name)
            if isinstance(value, (Layer, Optimizer)):
                visit(value, _join(path, name))
            elif isinstance(value, (list, tuple, dict)):
                container(value, _join(path, name))

    def container(values, path, visited=()):
        if id(values) in visited:
            return
        used = {}
        for value in list(values.values()) if isinstance(values, dict) else list(values):
            if isinstance(value, (Layer, Optimizer)):
                visit(
                    value,
                    _join(path, _unique(_NAMES.get(type(value).__name__, _classes.snake(type(value).__name__)), used)),
                )
            elif isinstance(value, (list, tuple, dict)):
                container(value, _join(path, _unique("container", used)), (*visited, id(values)))

    def core(handle, path, owner=None):
        """A layer of C++'s: its own variables, then the layers inside."""
        python = handle.python_object()
        if python is not None and owner is None:  # a Python layer inside of a C++ layer
            visit(python, path)
            return
        inner = handle.layers()
        if (
            len(inner) == 1 and inner[0].kind == handle.kind and inner[0].python_object() is not None
        ):  # a C++ layer with a Python cell
            core(inner[0], path)
            return
        found.append(Entry(path, handle.name, own_variables(handle), owner))
        if handle.kind == "StackedRNNCells":
            used = {}
            for cell in inner:
                core(cell, _join(path, _join("cells", _unique(_classes.snake(cell.kind), used))))
        elif handle.kind in ("MultiHeadAttention", "GroupQueryAttention"):
            # Keras has a layer for each projection, C++ has weights named after them.
            private, parts = "_" if handle.kind == "GroupQueryAttention" else "", {}
            for variable in found[-1].variables:
                parts.setdefault(variable.path.split("/")[-2], []).append(variable)
            found[-1].variables = []
            for name in sorted(parts):
                short = {"attention_output": "output"}.get(name, name)
                found.append(Entry(_join(path, f"{private}{short}_dense"), name, parts[name]))
        else:
            parts = _PARTS.get(handle.kind, ())
            if (
                len(inner) > len(parts)
                and inner
                and handle.kind not in _PARTS
                and handle.kind in ("Functional", "Sequential")
            ):
                used = {}
                for layer in inner:
                    core(layer, _join(path, _join("layers", _unique(_classes.snake(layer.kind), used))))
            for name, layer in zip(parts, inner):
                core(layer, _join(path, name))

    visit(model, "")
    return found


def _unique(name, used):
    used[name] = used.get(name, -1) + 1
    return f"{name}_{used[name]}" if used[name] else name
