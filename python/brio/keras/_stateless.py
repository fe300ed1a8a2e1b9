"""keras.StatelessScope: variables that have other values for a while, and whose changes are kept apart."""

from brio import _core

_METHODS = ("assign", "assign_add", "assign_sub", "scatter_nd_add", "scatter_nd_sub", "scatter_nd_update")
_open = []  # scopes, the innermost last
_plain = {}  # methods of variables as they are outside of all scopes


def _copy(variable):
    """Its value now, whatever it becomes."""
    return _core.identity(_core.convert_to_tensor(variable))


class StatelessScope:
    """Within it variables have the values of state_mapping, pairs of variable and value. Afterwards they are as they
    were before: get_current_value(variable) tells what they had become.

    >>> v = keras.Variable([1.0, 2.0])
    >>> with keras.StatelessScope([(v, [5.0, 6.0])]) as scope:
    ...     _ = v.assign_add([1.0, 1.0])
    >>> scope.get_current_value(v).numpy().tolist(), v.numpy().tolist()
    ([6.0, 7.0], [1.0, 2.0])
    """

    def __init__(self, state_mapping=None, collect_losses=False, initialize_variables=True):
        self.collect_losses, self.initialize_variables = collect_losses, initialize_variables
        self.losses, self.state_mapping = [], {}
        self._before, self._after = {}, None  # by variables' keys: (variable, value)
        for variable, value in state_mapping or ():
            if not isinstance(variable, _core.Variable):
                raise ValueError(
                    "[StatelessScope] state_mapping has pairs of a variable and its value, but one begins with "
                    f"{variable!r}"
                )
            value = _core.cast(_core.convert_to_tensor(value), variable.dtype)
            if tuple(value.shape) != tuple(variable.shape):
                raise ValueError(
                    f"[StatelessScope] the value for '{variable.name}' has shape {tuple(value.shape)}, and the "
                    f"variable {tuple(variable.shape)}"
                )
            self.state_mapping[variable._key()] = (variable, value)

    def __enter__(self):
        if not _open:
            for name in _METHODS:
                _plain[name] = getattr(_core.Variable, name)
                setattr(_core.Variable, name, _watched(name))
        _open.append(self)
        for variable, value in self.state_mapping.values():
            variable.assign(value)
        return self

    def __exit__(self, *error):
        self._after = {key: _copy(variable) for key, (variable, _) in self._before.items()}
        _open.remove(self)
        for variable, value in self._before.values():
            _plain["assign"](variable, value)
        if not _open:
            for name in _METHODS:
                setattr(_core.Variable, name, _plain[name])

    def _keep(self, variable):
        """Remembers what a variable is before it changes."""
        if self._after is None and variable._key() not in self._before:
            self._before[variable._key()] = (variable, _copy(variable))

    def add_loss(self, loss):
        """Keeps a loss in the list `losses`."""
        self.losses.append(loss)

    def add_update(self, update):
        """Takes a pair of a variable and the value that it is to have."""
        variable, value = update
        variable.assign(value)

    def get_current_value(self, variable):
        """What the variable is, or was when the scope ended; None of one that the scope has not changed."""
        key = variable._key()
        if self._after is not None:
            return self._after.get(key)
        return _copy(variable) if key in self._before else None


def _watched(name):
    def change(variable, *args, **kwargs):
        for scope in _open:
            scope._keep(variable)
        return _plain[name](variable, *args, **kwargs)

    change.__name__, change.__doc__ = name, _plain[name].__doc__
    return change


def run(variables, values, call):
    """(what call() gives with these values of variables, the variables' values after it);
    the variables stay as they are."""
    with StatelessScope(zip(variables, values)) as scope:
        for variable in variables:  # C++ changes them without a word
            scope._keep(variable)
        made = call()
    return made, [scope.get_current_value(v) for v in variables]


class RematScope:
    """What is computed within it may be computed again for the gradients, by `mode`: "full", "activations",
    "larger_than", "list_of_layers" or None. Results are the same. Here a whole step decides what to compute again:
    fit(memory="fit").

    >>> with keras.RematScope(mode="full"):
    ...     y = keras.layers.Dense(2, kernel_initializer="ones")(tf.ones([1, 3]))
    >>> y.numpy().tolist()
    [[3.0, 3.0]]
    """

    def __init__(self, mode="full", output_size_threshold=1024, layer_names=None):
        known = ("full", "activations", "larger_than", "list_of_layers", None)
        if mode not in known:
            raise ValueError(f"[RematScope] mode is {mode!r}; it is one of {known}")
        self.mode, self.output_size_threshold, self.layer_names = mode, output_size_threshold, layer_names or []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


def remat(f):
    """f, whose inner results may be computed again for its gradients.
    Here a whole step decides that: fit(memory="fit").

    >>> keras.remat(lambda x: x * x)(tf.constant(3.0)).numpy()
    np.float32(9.0)
    """
    from brio import recompute_grad

    return recompute_grad(f)
