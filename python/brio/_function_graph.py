"""The graph of a traced function, for programs that look at it: its operations by name, and as a text."""

import re
import types


class FuncGraph:
    """The operations of one trace, in the form in which brio writes them down."""

    def __init__(self, name, trace):
        self.name = name
        self._text = trace.write([v for v in trace.variables if v is not None], [])
        self.inputs, self.outputs = list(trace.arguments), list(trace.results)

    def get_operations(self):
        """The operations, each with its name and type."""
        return [
            types.SimpleNamespace(name=f"{op}_{i}", type=op, inputs=inputs)
            for i, (op, inputs) in enumerate(self._ops())
        ]

    def _ops(self):
        """(operation, names of those whose results it takes), in order."""
        rows = re.findall(r"^\s*((?:%\w+(?:, )?)+) = ([A-Za-z_]\w*)([^{:]*)", self._text, re.M)
        makers = {result: f"{op}_{i}" for i, (results, op, _) in enumerate(rows) for result in results.split(", ")}
        return [
            (op, [makers.get(value, value.replace("%", "input_")) for value in re.findall(r"%\w+", given)])
            for _, op, given in rows
        ]

    def as_graph_def(self, from_version=None, add_shapes=False):
        """The same with `node`, a list of operations, and a text to print."""
        return GraphDef(self)

    def __repr__(self):
        return f"<FuncGraph of {self.name}>"


class GraphDef:
    """The operations of a graph."""

    def __init__(self, graph):
        self.node = [types.SimpleNamespace(name=op.name, op=op.type, input=op.inputs) for op in graph.get_operations()]
        self._text = graph._text

    def __repr__(self):
        return self._text
