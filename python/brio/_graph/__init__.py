"""Graph mode, as TensorFlow 1 had it: calls of functions become operations of a graph, and a session runs them.

A call is kept whole. In graph mode the public functions (wrap.py) do not compute: they add an Operation to the default
Graph that remembers the function and its arguments, and return graph tensors (core.py) for its results, whose shapes
and dtypes come of calling the function on tensors without values (infer.py). Variables are operations that read and
assign (variables.py); branches and loops hold graphs of their own (control.py); gradients are operations that ask the
tape of the run (gradients.py).

Session.run() (run.py) takes what its fetches depend on, puts it in order, and calls these functions once more inside of
a tf.function: that is traced once for each kind of what is fed, and from then on a run is one plan. Each session has
values of its own for the variables, and generators for what draws random numbers.

Outside of graph mode nothing of this is loaded, and functions are what they are: entering graph mode for the first time
puts doors before them.
"""
