"""keras.utils.plot_model: the graph of a model as an SVG picture, drawn without Graphviz."""

import html
import os
import warnings

from brio import _nest

_CHARACTER, _LINE, _PADDING, _GAP = 7.2, 18, 8, 32  # in pixels


class Drawing:
    """Boxes in rows, and lines from what gives a value to what takes it. Notebooks show it."""

    def __init__(self, boxes, edges, horizontal):
        self._boxes, self._edges, self._horizontal = boxes, edges, horizontal

    def to_svg(self):
        """The picture as a text."""
        places, width, height = self._placed()
        parts = [
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
                'font-family="monospace" font-size="12">'
            ),
            (
                '<defs><marker id="end" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto"><path '
                'd="M0,0 L8,4 L0,8 z"/></marker></defs>'
            ),
        ]
        for giver, taker in self._edges:
            (x0, y0, w0, h0), (x1, y1, w1, h1) = places[giver], places[taker]
            ends = (
                (x0 + w0, y0 + h0 / 2, x1, y1 + h1 / 2) if self._horizontal else (x0 + w0 / 2, y0 + h0, x1 + w1 / 2, y1)
            )
            parts.append(
                '<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="black" marker-end="url(#end)"/>'.format(
                    *ends
                )
            )
        for name, (x, y, w, h) in places.items():
            parts.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" fill="white" stroke="black"/>'
            )
            for i, line in enumerate(self._boxes[name]):
                weight = ' font-weight="bold"' if i == 0 else ""
                parts.append(
                    f'<text x="{x + _PADDING:.1f}" '
                    f'y="{y + _PADDING + 12 + i * _LINE:.1f}"{weight}>{html.escape(line)}</text>'
                )
        return "\n".join([*parts, "</svg>\n"])

    _repr_svg_ = to_svg

    def create(self, prog=None, format="svg"):
        """The bytes of the picture."""
        if format != "svg":
            raise ValueError(f"brio draws models as SVG, but the format is {format!r}")
        return self.to_svg().encode()

    def write(self, path, prog=None, format="svg"):
        """Writes the picture to a file."""
        with open(path, "wb") as file:
            file.write(self.create(prog, format))

    def _placed(self):
        """The place and size of each box, and the size of all: what takes a value lies behind all that give it one."""
        depth = dict.fromkeys(self._boxes, 0)
        for _ in self._boxes:  # as often as the longest way may be
            for giver, taker in self._edges:
                depth[taker] = max(depth[taker], depth[giver] + 1)
            if all(depth[taker] > depth[giver] for giver, taker in self._edges):
                break
        sizes = {
            name: (max(map(len, lines)) * _CHARACTER + 2 * _PADDING, len(lines) * _LINE + 2 * _PADDING)
            for name, lines in self._boxes.items()
        }
        rows = {}
        for name in self._boxes:
            rows.setdefault(depth[name], []).append(name)
        along, across = (0, 1) if self._horizontal else (1, 0)
        widest = max(sum(sizes[n][across] + _GAP for n in row) for row in rows.values())
        places, at = {}, _GAP / 2
        for _, row in sorted(rows.items()):
            beside = (widest - sum(sizes[n][across] + _GAP for n in row)) / 2 + _GAP / 2
            for name in row:
                places[name] = ((at, beside) if self._horizontal else (beside, at)) + sizes[name]
                beside += sizes[name][across] + _GAP
            at += max(sizes[n][along] for n in row) + _GAP
        return (places, at, widest) if self._horizontal else (places, widest, at)


def model_to_dot(model, show_shapes=False, show_dtype=False, show_layer_names=True, rankdir="TB", expand_nested=False,
                 dpi=200, subgraph=False, show_layer_activations=False, show_trainable=False, **kwargs):  # fmt: skip
    """The drawing of a model."""
    if not model.built:
        raise ValueError("a model that has not been built has no shapes to draw; build() it, or call it on data")
    options = (show_shapes, show_dtype, show_layer_names, show_layer_activations, show_trainable)
    layers, edges = _connections(model)
    return Drawing({layer.name: _lines(layer, *options) for layer in layers}, edges, rankdir in ("LR", "RL"))


def plot_model(model, to_file="model.png", show_shapes=False, show_dtype=False, show_layer_names=False, rankdir="TB",
               expand_nested=False, dpi=200, show_layer_activations=False, show_trainable=False, **kwargs):  # fmt: skip
    """Draws a model to a file, an SVG picture; under another name than *.svg the file beside it, *.svg, is written."""
    drawing = model_to_dot(
        model,
        show_shapes,
        show_dtype,
        show_layer_names,
        rankdir,
        expand_nested,
        dpi,
        False,
        show_layer_activations,
        show_trainable,
    )
    if to_file is not None:
        base, extension = os.path.splitext(os.fspath(to_file))
        if extension != ".svg":
            warnings.warn(
                f"plot_model draws SVG pictures: {base}.svg is written in the place of {to_file}", stacklevel=2
            )
        drawing.write(base + ".svg")
    return drawing


def _connections(model):
    """(layers, pairs of names) of a model."""
    from brio.keras.models import Functional

    if isinstance(model, Functional):
        config = model.get_config()
        layers = {layer.name: layer for layer in [*model.layers, *_every(model)]}
        edges = []
        for row in config["layers"]:
            for giver in _givers(row["inbound_nodes"]):
                if (giver, row["name"]) not in edges:
                    edges.append((giver, row["name"]))
        known = {row["name"] for row in config["layers"]}
        return [layers[name] for name in layers if name in known], edges
    layers = list(model.layers)
    return layers or [model], [(a.name, b.name) for a, b in zip(layers, layers[1:])] if type(
        model
    ).__name__ == "Sequential" else []


def _every(model):
    from brio.keras.layers import _python_layer

    return [_python_layer(handle) for handle in model._handle.layers()]


def _givers(nodes):
    """The names of layers whose results the calls of a layer take."""
    if isinstance(nodes, dict):
        if nodes.get("class_name") == "__keras_tensor__":
            return [nodes["config"]["keras_history"][0]]
        return [name for value in nodes.values() for name in _givers(value)]
    return [name for value in nodes for name in _givers(value)] if isinstance(nodes, (list, tuple)) else []


def _lines(layer, show_shapes, show_dtype, show_names, show_activations, show_trainable):
    kind = type(layer).__name__
    lines = [f"{layer.name} ({kind})" if show_names else kind]
    activation = getattr(layer, "activation", None)
    if show_activations and activation is not None:
        lines.append(f"activation: {getattr(activation, '__name__', activation)}")
    if show_shapes:
        for what in ("input", "output"):
            symbols = _nest.flatten(_symbols(layer, what))
            if symbols:
                shapes = [tuple(s.shape) for s in symbols]
                lines.append(f"{what.capitalize()} shape: {shapes[0] if len(shapes) == 1 else shapes}")
    if show_dtype:
        lines.append(f"dtype: {layer.dtype}")
    if show_trainable:
        lines.append("trainable" if layer.trainable else "not trainable")
    return lines


def _symbols(layer, what):
    try:
        return getattr(layer, what)
    except (AttributeError, ValueError):  # a layer of a Sequential without Input has none
        return []
