"""Functional models as configs in Keras' form, and back."""

from brio import _core, _nest
from brio.keras._layer import Layer, Step
from brio.keras.layers import _python_layer
from brio.keras.ops._operations import SYMBOL


def write(model):
    """The config of a functional model: each layer with the arguments of each of its calls."""
    from brio.keras._serialization import serialize_keras_object

    inputs, calls, outputs = _core._graph(model._handle)
    layers, nodes = [], {}  # nodes: the place of a call → (layer's name, number of the call)
    inbound = {}
    for i, (handle, _) in enumerate(inputs):
        layer = _python_layer(handle)
        layers.append(layer)
        nodes[-1 - i] = (layer.name, 0)
        inbound[layer.name] = []
    for place, (handle, *_) in enumerate(calls):
        layer = _python_layer(handle)
        layer = layer.layer if isinstance(layer, Step) else layer
        if layer.name not in inbound:
            layers.append(layer)
            inbound[layer.name] = []
        nodes[place] = (layer.name, len(inbound[layer.name]))
        inbound[layer.name].append(None)

    def history(taken):
        place, index, _ = taken
        return [*nodes[place], index]

    def symbol(taken):
        found = taken[2]
        return {
            "class_name": "__keras_tensor__",
            "config": {"shape": list(found.shape), "dtype": found.dtype, "keras_history": history(taken)},
        }

    for place, (handle, taken, training, causal, scores) in enumerate(calls):
        args, kwargs = _arguments(_python_layer(handle), [symbol(t) for t in taken], serialize_keras_object)
        for name, value, default in (
            ("training", training, None),
            ("use_causal_mask", causal, False),
            ("return_attention_scores", scores, False),
        ):
            if value != default:
                kwargs[name] = value
        name, number = nodes[place]
        inbound[name][number] = {"args": args, "kwargs": kwargs}
    layers = [_python_layer(handle) for handle in model._handle.layers()]
    rows = [
        {**_described(layer, serialize_keras_object), "name": layer.name, "inbound_nodes": inbound[layer.name]}
        for layer in layers
    ]
    input_structure, output_structure = model._structures
    in_order = [[*nodes[-1 - i], 0] for i in range(len(inputs))]
    return {
        "name": model.name, "trainable": model.trainable, "layers": rows,
        "input_layers": _packed(input_structure, in_order),
        "output_layers": _packed(output_structure, [history(t) for t in outputs]),
    }  # fmt: skip


def is_operation(layer):
    """Is it a function of symbols, which Keras does not count among the layers?"""
    return isinstance(layer, OperationLayer) or layer._handle.kind == "Operation"


def _described(layer, serialize):
    """What a config says of a layer, or of a function of symbols."""
    if hasattr(layer, "operation"):
        return layer._described()
    if isinstance(layer, OperationLayer):
        return {
            **layer._row,
            "config": {**{k: serialize(v) for k, v in layer._row["config"].items()}, "name": layer.name},
        }
    found = _core._operation(layer._handle) if layer._handle.kind == "Operation" else None
    if found is None:
        return serialize(layer)
    if isinstance(found[1], tuple):  # a function of keras.ops
        row = found[1][0]
        return {**row, "config": {"name": layer.name, **{k: serialize(v) for k, v in row["config"].items()}}}
    return {
        "module": "keras.src.ops.numpy",
        "class_name": found[0],
        "config": {"name": layer.name},
        "registered_name": found[0],
    }


class OperationLayer(Layer):
    """A function of keras.ops that a config names as a step of a model."""

    def __init__(self, row, function):
        super().__init__(name=row["config"].get("name"))
        object.__setattr__(
            self, "_row", {k: v for k, v in row.items() if k in ("module", "class_name", "config", "registered_name")}
        )
        object.__setattr__(self, "_function", function)

    def call(self, *args, **kwargs):
        return self._function(*args, **kwargs)


def _is_of(value, names):
    """Is it a tensor of one of these layers, in a config?"""
    return (
        isinstance(value, dict)
        and value.get("class_name") == "__keras_tensor__"
        and value["config"]["keras_history"][0] in names
    )


def _packed(structure, histories):
    """As Keras: one history for a bare symbol, and the structure otherwise."""
    if not isinstance(structure, (list, tuple, dict)):
        return histories[0]
    return _nest.pack(_nest.map_structure(lambda s: None, structure), histories)


def _arguments(layer, symbols, serialize):
    """How a layer was called."""
    if isinstance(layer, Step):
        structure, flat, places, _ = layer._how
        flat = [serialize(x) for x in flat]
        for place, made in zip(places, symbols):
            flat[place] = made
        args, kwargs = _nest.pack(structure, flat)
        return list(args), dict(kwargs)
    if getattr(layer, "_kind", "") and layer._input_names:
        names = (*layer._input_names, "attention_mask")
        return symbols[:1], dict(zip(names[1:], symbols[1:]))
    if getattr(layer, "_kind", "") in ("LSTM", "GRU", "SimpleRNN", "RNN", "Bidirectional") and len(symbols) > 1:
        return symbols[:1], {"initial_state": symbols[1:]}
    if layer._handle.kind == "Operation":
        found, rest = _core._operation(layer._handle), iter(symbols)
        if found is None:
            raise TypeError(
                "a model with functions of symbols other than operators cannot be written to a config; put them into a "
                "layer"
            )
        if isinstance(found[1], tuple):
            return _nest.map_structure(lambda x: next(rest) if x is SYMBOL else serialize(x), found[1][1]), {}
        return [next(rest) if symbolic else serialize(value) for symbolic, value in found[1]], {}
    return ([symbols] if len(symbols) > 1 else symbols), {}


def read(config, made_layer):
    """(inputs, outputs, name) of a config. made_layer(row) makes the layer of a row."""
    results, waiting = {}, []  # results: layer's name → the flat results of each of its calls
    for row in config["layers"]:
        layer = made_layer(row)
        if row["class_name"] == "InputLayer":
            results[row["name"]] = [[_core._layer_symbol(layer._handle)]]
        else:
            results[row["name"]] = []
            waiting.append((row["name"], layer, list(row["inbound_nodes"])))

    made_masks = {
        row["name"] for row in config["layers"] if row["class_name"] in ("NotEqual", "Any")
    }  # as Embedding and Masking make them

    def ready(value):
        if isinstance(value, dict) and value.get("class_name") == "__keras_tensor__":
            name, call, index = value["config"]["keras_history"]
            found = results.get(name, [])
            if call >= len(found):
                raise _NotYet
            return found[call][index]
        if isinstance(value, dict):
            if "class_name" in value and "config" in value:
                from brio.keras._serialization import _made

                return _made(value)
            return {k: ready(v) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            return [ready(v) for v in value]
        return value

    while any(calls for _, _, calls in waiting):
        progress = False
        for name, layer, calls in waiting:
            while calls:
                node = calls[0]
                try:
                    if isinstance(node, dict):
                        args, kwargs = [ready(a) for a in node["args"]], ready(node["kwargs"])
                    else:
                        raise ValueError("the config is one of Keras 2, which is not read; save the model with Keras 3")
                except _NotYet:
                    break
                kwargs = {k: v for k, v in kwargs.items() if not (k in ("training", "mask") and v is None)}
                if (type(layer).__name__.startswith("Random") or hasattr(layer, "trains_unless_told")) and kwargs.get(
                    "training"
                ) is True:
                    kwargs.pop(
                        "training"
                    )  # the default of their call() in Keras, which writes it down, and does not mean it
                if hasattr(layer, "_kind"):  # tensors carry the masks that layers make from layer to layer
                    told = {k for k, v in node["kwargs"].items() if k != "mask" or _is_of(v, made_masks)}
                    told = {k for k in told if k.endswith("mask") and k not in ("attention_mask", "use_causal_mask")}
                    kwargs = {k: v for k, v in kwargs.items() if k not in told}
                results[name].append(_nest.flatten(layer(*args, **kwargs)))
                calls.pop(0)
                progress = True
        if not progress:
            raise ValueError(f"the config of '{config.get('name')}' names results that no layer gives")

    def symbols(structure):
        if isinstance(structure, (list, tuple)) and len(structure) == 3 and isinstance(structure[0], str):
            return results[structure[0]][structure[1]][structure[2]]
        if isinstance(structure, dict):
            return {k: symbols(v) for k, v in structure.items()}
        return [symbols(s) for s in structure]

    return symbols(config["input_layers"]), symbols(config["output_layers"])


class _NotYet(Exception):
    pass
