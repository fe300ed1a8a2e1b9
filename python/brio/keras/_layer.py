"""Layer: what is common to Brio's layers, which are C++, and to layers written in Python."""

import functools
import inspect
import sys
import threading
import weakref

import numpy

from brio import _autograph, _core, _nest, _recording, _signals
from brio.errors import InvalidArgumentError as _InvalidArgument
from brio.errors import _UnknownValueError
from brio.keras import _classes, _input_spec, _tracking, _training_flag

KerasTensor = _core.KerasTensor
KerasTensor.name = property(
    lambda symbol: _core._symbol_layer(symbol).name, doc="The name of the layer that gives it; of an Input, its own."
)

# Layers by the address of their C++ module: one Python object for each.
_known = weakref.WeakValueDictionary()


def _is_value(x):
    return x is not None and _core.is_tensor(x) or (hasattr(x, "dtype") and hasattr(x, "shape"))


class _ShapesOnly(threading.local):
    """Whether this thread calls layers on symbols."""

    depth = 0

    def __enter__(self):
        self.depth += 1

    def __exit__(self, *error):
        self.depth -= 1


_shapes_only = _ShapesOnly()
_RUNNING = object()  # stands for a call's results while the call runs


def _mask_deleter(tensor):
    if _core._mask_of(tensor) is None:
        raise AttributeError("_keras_mask")
    _core._drop_mask(tensor)


_core.Tensor._keras_mask = property(
    lambda tensor: _core._mask_of(tensor), None, _mask_deleter
)  # del x._keras_mask, as tutorials do


def as_dense(x):
    """A tensor in the place of a sparse one: layers compute with all numbers."""
    if hasattr(x, "dense_shape"):
        from brio import sparse

        return sparse.to_dense(x)
    return x


def remembering(layer, args, kwargs):
    """A layer that knows what it is made with, for get_config():
    the classes of this package know that by themselves."""
    if not type(layer).__module__.startswith("brio."):
        object.__setattr__(layer, "_made_with", (args, kwargs))
    return layer


class Layer:
    """Something with weights that maps tensors to tensors.

    Derive from it and write call(inputs); make weights with add_weight() in build(input_shape), or use other layers.

    >>> class Scale(keras.layers.Layer):
    ...     def build(self, input_shape):
    ...         self.factor = self.add_weight(shape=(input_shape[-1],), initializer="ones", name="factor")
    ...     def call(self, inputs):
    ...         return inputs * self.factor
    >>> Scale()(tf.constant([[1.0, 2.0]])).numpy().tolist()
    [[1.0, 2.0]]
    """

    _is_told = False  # C++'s loops have told it whether it trains
    input_spec = None  # the kind of inputs that a class accepts, if it says so
    # What constructors of layers accept, besides the names in their signatures.
    _also_taken = ("name", "dtype", "trainable", "autocast", "activity_regularizer", "input_shape", "batch_input_shape",
                   "input_dim", "input_length", "batch_size", "weights")  # fmt: skip

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        own = cls.__dict__.get("build")
        if inspect.isfunction(own) and not cls.__module__.startswith("brio."):
            cls.build = _marking(own)

    def __new__(cls, *args, **kwargs):
        return remembering(object.__new__(cls), args, kwargs)

    def __init__(self, *, activity_regularizer=None, trainable=True, dtype=None, autocast=True, name=None, **kwargs):
        if kwargs:
            _take_input_shape(self, kwargs)
            if kwargs:
                raise ValueError(f"{type(self).__name__} got arguments that no layer knows: {', '.join(kwargs)}")
        handle = _core._python_layer(self, _classes.snake(type(self).__name__), name, dtype)
        object.__setattr__(self, "_pending", threading.local())
        self._adopt(handle)
        for early in self.__dict__.pop("_early", ()):
            setattr(self, early, self.__dict__[early])
        if activity_regularizer is not None:
            handle.set_activity_regularizer(activity_regularizer)
        if not autocast:
            handle.set_autocast(False)
        if not trainable:
            handle.trainable = False

    def _adopt(self, handle):
        object.__setattr__(self, "_handle", handle)
        _known[handle.id] = self

    # ---- methods that users override

    def build(self, input_shape=None):
        """Makes the weights. Called once, before the first call."""

    def call(self, *args, **kwargs):
        """The layer's work: override it. Use the layer itself, layer(x), to have it built first."""
        raise NotImplementedError(f"{type(self).__name__} needs call(inputs)")

    def compute_mask(self, inputs, previous_mask=None):
        """The mask of the result, given the input's."""
        return previous_mask

    def get_config(self):
        """What the layer was made with; from_config() makes another of it."""
        config = self._base_config()
        if not hasattr(
            type(self).get_config, "_by_default"
        ):  # called by the get_config of a class, which adds its own options
            return config
        given = inspect.signature(type(self).__init__).parameters
        base = inspect.signature(Layer.__init__).parameters
        own = [
            n
            for n, p in given.items()
            if n not in ("self", *config)
            and (n not in base or n in self.__dict__)
            and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
        ]
        made_with = self._arguments()
        missing = [n for n in own if n not in made_with and not hasattr(self, n)]
        if missing:
            raise NotImplementedError(
                f"{type(self).__name__} takes {', '.join(missing)} and needs get_config() of its own"
            )
        return {**config, **{n: made_with[n] if n in made_with else getattr(self, n) for n in own}}

    get_config._by_default = True

    def _arguments(self):
        """What a class of the user's was made with, by name."""
        if "_made_with" not in self.__dict__:  # a class of this package: its attributes have the options
            return {}
        args, kwargs = self.__dict__["_made_with"]
        try:
            bound = inspect.signature(type(self).__init__).bind(None, *args, **kwargs)
        except TypeError:
            return {}
        bound.apply_defaults()
        return bound.arguments

    def _base_config(self):
        from brio.keras._serialization import serialize_keras_object

        return {"name": self.name, "trainable": self.trainable, "dtype": serialize_keras_object(self.dtype_policy)}

    @classmethod
    def from_config(cls, config):
        """A layer of a config."""
        return cls(**config)

    def get_build_config(self):
        """What build_from_config() makes the weights of."""
        return {"input_shape": self._built_for} if "_built_for" in self.__dict__ else None

    def build_from_config(self, config):
        """Makes the weights as get_build_config() says."""
        if config and config.get("input_shape") is not None:
            self._build_once(config["input_shape"])

    def save_own_variables(self, store):
        """Puts the layer's own variables into a dictionary, by their numbers."""
        for i, variable in enumerate(self._own_variables()):
            store[str(i)] = variable

    save_own_variables._by_default = True

    def load_own_variables(self, store):
        """Takes them out again."""
        own = self._own_variables()
        if len(store) != len(own):
            raise ValueError(f"layer '{self.name}' has {len(own)} variables of its own, but {len(store)} were saved")
        for i, variable in enumerate(own):
            variable.assign(store[str(i)])

    load_own_variables._by_default = True

    def _own_variables(self):
        from brio.keras import _state

        found = [e.variables for e in _state.entries(self) if e.owner is self]
        return found[0] if found else []

    def _build_once(self, shape):
        nested = shape and isinstance(shape[0], (list, tuple))
        shapes = [tuple(s) for s in shape] if nested else [tuple(shape)]
        object.__setattr__(self, "_built_for", shapes if nested else shapes[0])
        try:
            self._handle.build(shapes)
        except _InvalidArgument as error:
            if "takes strings" not in str(error):
                raise
            self._handle.build(shapes, True)  # a shape does not say which dtype it has

    def _when_built(self, run):
        """Calls run() when there are weights, before they are first used: the values of a checkpoint go there."""
        object.__setattr__(self, "_waiting", run)
        object.__setattr__(self, "__class__", _waiting_class(type(self)))

    # ---- being called

    def __call__(self, *args, **kwargs):
        if self.__dict__.get("input_spec") is not None and args:
            _input_spec.check(self.input_spec, args[0], self.name)
        training = kwargs.pop("training", None)
        if len(args) > 1 and "training" in _call_arguments(type(self)):
            args, kwargs, training = _without_training(type(self), args, kwargs, training)
        ragged = sys.modules.get("brio._ragged_function")  # loaded with the first ragged tensor
        if ragged:
            args, kwargs = ragged.held(args), ragged.held(kwargs)
        flat = _nest.flatten((args, kwargs))
        symbolic = any(isinstance(x, KerasTensor) for x in flat)
        simple = not kwargs and len(args) == 1 and not _is_nested(args[0])
        if symbolic and (not simple or (training is not None and _training_flag.is_default(type(self)))):
            return _on_symbols(self, args, kwargs, training)
        values = [i for i, x in enumerate(flat) if isinstance(x, KerasTensor) or _is_value(x)]
        if not values and flat:  # a list of numbers
            args = (
                _nest.map_structure(_core.convert_to_tensor, args[0])
                if not isinstance(args[0], list)
                else _core.convert_to_tensor(args[0]),
                *args[1:],
            )
            flat = _nest.flatten((args, kwargs))
            values = [i for i, x in enumerate(flat) if _is_value(x)]
        if symbolic:
            with _shapes_only:
                made = _packed(self, on_symbols(self._handle, [flat[i] for i in values], training), args[0])
            _remember_call(self, args[0], made)
            return made
        if training is None and "training" not in kwargs:
            training = _training_flag.unsaid(type(self))
        if (
            not simple and values and _recording.state.on
        ):  # the record holds only tensors: other arguments belong to the step
            step = Step(
                self, (args, kwargs), [None if i in values else x for i, x in enumerate(flat)], values, training
            )
            with _recording.Recording(False):
                return _packed(step, step._handle.keeping(step).call([flat[i] for i in values], None), None)
        stack = self._pending.__dict__.setdefault("stack", [])
        stack.append([(args, kwargs), flat, values, None])
        try:
            if training is None:
                results = self._handle.call([flat[i] for i in values], training)
            else:
                with _training_flag.known(_training_flag.TOLD):
                    results = self._handle.call([flat[i] for i in values], training)
            return _nest.pack(stack[-1][3], results)
        finally:
            stack.pop()

    def _core_call(self, tensors, training, masks):
        stack = self._pending.__dict__.setdefault("stack", [])
        mine = (
            stack[-1] if stack and stack[-1][3] is not _RUNNING else None
        )  # C++ may call twice: to make the weights, and to trace
        if mine:
            structure, flat, values, _ = mine
            flat = list(flat)
            for place, tensor in zip(values, tensors):
                flat[place] = tensor
            args, kwargs = _nest.pack(structure, flat)
            kwargs = dict(kwargs)
        else:  # called by a model
            structure = self.__dict__.get("_input_structure")
            if structure is not None and len(_nest.flatten(structure)) == len(tensors):
                args, kwargs = (_nest.pack(structure, tensors),), {}
            else:
                args, kwargs = (tensors[0] if len(tensors) == 1 else tensors,), {}
        takes = _call_arguments(type(self))
        by_default = not mine and not training and not self._is_told and _training_flag.unsaid(type(self))
        if "training" in takes and "training" not in kwargs:
            kwargs["training"] = bool(by_default) or training
        if any(m is not None for m in masks):
            self._give_masks(takes, args, kwargs, masks)
        if mine:
            mine[3] = _RUNNING  # a call of this layer inside itself has an entry of its own
        call = _autograph.convert(self.call) if _core._tracing() else self.call
        if by_default or (self._is_told and not mine and "training" in takes):
            call = functools.partial(_knowing, _training_flag.BY_DEFAULT if by_default else _training_flag.TOLD, call)
        try:
            results = call(*args, **kwargs)
        except Exception:
            if mine:
                mine[3] = None
            raise
        if results is None:
            raise ValueError(f"call() of {type(self).__name__} returned None; return a tensor")
        ragged = sys.modules.get("brio._ragged_function")
        if ragged:
            results = ragged.held(results)
        object.__setattr__(self, "_result_structure", results)
        if mine:
            mine[3] = results
        return _nest.flatten(results)

    def _give_masks(self, takes, args, kwargs, masks):
        """One argument of tensors has its masks in `mask`;
        each of several has them in NAME_mask, where call() takes that."""
        names = _positional(type(self))
        given = [(names[i] if i < len(names) else None, a) for i, a in enumerate(args)] + [
            (k, v) for k, v in kwargs.items()
        ]
        given = [(name, sum(_is_value(x) for x in _nest.flatten(a))) for name, a in given]
        given = [(name, count) for name, count in given if count]
        if len(given) <= 1:
            if "mask" in takes and "mask" not in kwargs:
                kwargs["mask"] = masks[0] if len(masks) == 1 else masks
            return
        rest = iter(masks)
        for name, count in given:
            mine = [next(rest, None) for _ in range(count)]
            if f"{name}_mask" in takes and kwargs.get(f"{name}_mask") is None:
                kwargs[f"{name}_mask"] = mine[0] if count == 1 else mine

    def _core_build(self, shapes):
        object.__setattr__(self, "_built_for", tuple(shapes[0]) if len(shapes) == 1 else [tuple(s) for s in shapes])
        object.__setattr__(self, "_building", True)
        try:
            self._core_build_for(shapes)
        finally:
            del self.__dict__["_building"]
            self.__dict__.pop("_call_builds", None)

    def _core_build_for(self, shapes):
        if self._own_build() and "_was_built" not in self.__dict__:
            stack = self._pending.__dict__.get("stack")
            if stack and stack[-1][3] is None and len(shapes) > 1:
                self._build_for(stack[-1], shapes)
            else:
                self.build(shapes[0] if len(shapes) == 1 else shapes)

    def _own_build(self):
        return type(self).build is not Layer.build

    def _build_for(self, pending, shapes):
        """build() takes the shape of the first argument, or those of several by name: query_shape, value_shape."""
        structure, flat, values, _ = pending
        ragged = sys.modules.get("brio._ragged_function")
        if ragged and structure[0] and ragged.has_held(structure[0][0]):
            first = ragged.released(structure[0][0])
            return self.build(_nest.map_structure(lambda x: tuple(x.shape), first))
        placed = [None] * len(flat)
        for place, shape in zip(values, shapes):
            placed[place] = shape
        args, kwargs = _nest.pack(structure, [_Leaf(s) for s in placed])
        names = list(inspect.signature(self.call).parameters)
        by_name = {**dict(zip(names, args)), **kwargs}
        by_name = {n: _nest.map_structure(lambda leaf: leaf.shape, v) for n, v in by_name.items()}
        wanted = list(inspect.signature(self.build).parameters)
        several = {
            w: by_name[w[: -len("_shape")]] for w in wanted if w.endswith("_shape") and w[: -len("_shape")] in by_name
        }
        if len(wanted) > 1 and several:
            self.build(**several)
        else:
            first = next(iter(by_name.values()))
            object.__setattr__(self, "_built_for", first)
            self.build(first)

    def _core_masks(self, tensors, masks, results):
        if type(self).compute_mask is Layer.compute_mask:
            return None
        one = len(tensors) == 1
        made = self.compute_mask(tensors[0] if one else tensors, masks[0] if one else masks)
        return list(made) if isinstance(made, (list, tuple)) else [made] * results

    # ---- weights

    def add_weight(self, *args, **kwargs):
        """A variable that belongs to this layer: add_weight(shape, initializer, dtype, trainable, ..., name)."""
        if args and isinstance(args[0], str):  # in Keras 2 the name came first
            kwargs["name"], args = args[0], args[1:]
        return self._add_weight(*args, **kwargs)

    def _add_weight(self, shape=None, initializer=None, dtype=None, trainable=True, autocast=True, regularizer=None,
                    constraint=None, aggregation=None, overwrite_with_gradient=False, name=None, **old):  # fmt: skip
        unknown = set(old) - {"synchronization", "use_resource", "getter", "experimental_autocast", "collections"}
        if unknown:
            raise TypeError(f"{type(self).__name__}.add_weight() does not know {', '.join(sorted(unknown))}")
        if initializer is None:
            initializer = "glorot_uniform" if shape else "zeros"
        return self._handle.add_weight(name or "variable", () if shape is None else shape, initializer, dtype,
                                       trainable, autocast, regularizer, constraint)  # fmt: skip

    def add_variable(self, *args, **kwargs):
        """As add_weight(), which is its newer name: add_variable(shape, initializer, ...),
        or as in Keras 2 with the name first."""
        return self.add_weight(*args, **kwargs)

    def add_loss(self, loss):
        """Something to be added to the loss of the model: a scalar, or several.
        Of what is no scalar the sum is added, as in Keras."""
        for one in loss if isinstance(loss, (list, tuple)) else [loss]:
            one = _core.convert_to_tensor(one)
            self._handle.add_loss(_core.reduce_sum(one) if len(one.shape) else one)

    def __setattr__(self, name, value):
        own = getattr(type(self), name, None)
        if hasattr(own, "__set__"):  # a property
            object.__setattr__(self, name, value)
            return
        if "_handle" in self.__dict__:
            value = _tracking.wrapped(value, self._track)
            self._track(value)
        else:  # before super().__init__(), which tracks it
            self.__dict__.setdefault("_early", []).append(name)
        object.__setattr__(self, name, value)

    def _track(self, value):
        if isinstance(value, Layer):
            if value._handle.id not in [h.id for h in self._handle.layers()]:
                self._handle.add_layer(value._handle)
        elif isinstance(value, (list, tuple)):
            for item in value:
                self._track(item)
        elif isinstance(value, dict):
            for item in value.values():
                self._track(item)
        elif isinstance(value, _core.Variable):
            known = [v._key() for v in self._handle.variables()]
            if value._key() not in known:
                self._handle.add_variable(value)

    @property
    def weights(self):
        """All variables: those that training changes, then the others."""
        return self._handle.variables()

    variables = weights

    @property
    def trainable_weights(self):
        """The variables that training changes."""
        return self._handle.trainable_variables()

    trainable_variables = trainable_weights

    @property
    def non_trainable_weights(self):
        """The variables that training does not change."""
        return self._handle.non_trainable_variables()

    non_trainable_variables = non_trainable_weights

    def get_weights(self):
        """The values of all variables, as NumPy arrays."""
        return [v.numpy() for v in self.weights]

    def set_weights(self, weights):
        """Sets all variables, in the order of get_weights()."""
        weights, variables = list(weights), self.weights
        if len(weights) == len(variables):
            weights = [_core.convert_to_tensor(numpy.asarray(w), v.dtype) for w, v in zip(weights, variables)]
        self._handle.set_weights(weights)

    def count_params(self):
        """How many numbers the variables hold."""
        return self._handle.count_params()

    # ---- the rest

    @property
    def name(self):
        """Its name."""
        return self._handle.name

    @property
    def built(self):
        """Are there weights yet?"""
        return self._handle.built

    @built.setter
    def built(self, value):  # build() of Keras 2 ends with this; here C++ knows whether it is built
        pass

    @property
    def trainable(self):
        """Does training change it?"""
        return self._handle.trainable

    @trainable.setter
    def trainable(self, value):
        self._handle.trainable = bool(value)

    @property
    def dtype_policy(self):
        """Which dtypes it computes in and keeps its variables in."""
        from brio.keras.mixed_precision import DTypePolicy

        return DTypePolicy(self._handle.policy)

    @property
    def dtype(self):
        """The dtype of its variables."""
        return self.dtype_policy.variable_dtype

    variable_dtype = dtype

    @property
    def compute_dtype(self):
        """The dtype that it computes in."""
        return self.dtype_policy.compute_dtype

    @property
    def losses(self):
        """What add_loss() and regularizers add to the loss."""
        return self._handle.losses()

    @property
    def supports_masking(self):
        """Does it pass masks on?"""
        return self.__dict__.get("_supports_masking", False)

    @supports_masking.setter
    def supports_masking(self, value):
        object.__setattr__(self, "_supports_masking", value)
        self._handle.set_supports_masking(value)

    @property
    def input(self):
        """The symbol that the layer was called on in a functional model."""
        return _call_of(self)[0]

    @property
    def output(self):
        """The symbol that the layer gave in a functional model."""
        return _call_of(self)[1]

    @property
    def input_shape(self):
        """The shape of the layer's input in a functional model."""
        return _nest.map_structure(lambda s: tuple(s.shape), self.input)

    @property
    def output_shape(self):
        """The shape of what the layer gave in a functional model."""
        return _nest.map_structure(lambda s: tuple(s.shape), self.output)

    @property
    def path(self):
        """Its name with those of the layers around it."""
        return self.name

    @property
    def input_dtype(self):
        """The dtype that floating-point inputs are cast to."""
        return self.compute_dtype

    @property
    def metrics(self):
        """Metrics that are attributes of the layer, and of those in it."""
        from brio.keras.metrics import Metric

        own = [v for v in self.__dict__.values() if isinstance(v, Metric)]
        from brio.keras.layers import _python_layer

        return own + [m for handle in self._handle.layers() for m in _python_layer(handle).metrics]

    def stateless_call(self, trainable_variables, non_trainable_variables, *args, return_losses=False, **kwargs):
        """(outputs, the non-trainable variables after the call) of the layer with these values in place of its
        variables, which stay as they are."""
        variables = [*self.trainable_variables, *self.non_trainable_variables]
        given = [
            v() if callable(v) else v for v in (*trainable_variables, *non_trainable_variables)
        ]  # v.value is a property in Keras
        if len(given) != len(variables):
            raise ValueError(
                f"stateless_call() of '{self.name}' takes {len(variables)} variables, but got {len(given)}"
            )
        before = [_core.convert_to_tensor(v) + _core.zeros([], v.dtype) for v in variables]
        try:
            for variable, value in zip(variables, given):
                variable.assign(value)
            outputs = self(*args, **kwargs)
            after = [_core.convert_to_tensor(v) + _core.zeros([], v.dtype) for v in self.non_trainable_variables]
            return (outputs, after, list(self.losses)) if return_losses else (outputs, after)
        finally:
            for variable, value in zip(variables, before):
                variable.assign(value)

    def add_metric(self, *args, **kwargs):
        """Keras 3 has none: make a Metric in the constructor, and update it in call()."""
        raise NotImplementedError(
            "Keras 3 has no add_metric(); make a keras.metrics.Metric an attribute and update it in call()"
        )

    def compute_output_shape(self, input_shape):
        """The shape of the result for inputs of this shape."""
        nested = isinstance(input_shape, (list, tuple)) and input_shape and isinstance(input_shape[0], (list, tuple))
        shapes = self._handle.output_specs(list(input_shape) if nested else [input_shape])
        return tuple(shapes[0]) if len(shapes) == 1 else [tuple(s) for s in shapes]

    def __repr__(self):
        return f"<{type(self).__name__} name={self.name}, built={self.built}>"


def _marking(build):
    """build() of a class of the user's: a call of it by hand makes the weights once and for all,
    as a first call of the layer does."""

    @functools.wraps(build)
    def marked(self, *args, **kwargs):
        if "_building" in self.__dict__ or "_handle" not in self.__dict__:  # made by C++, or by a derived class
            return build(self, *args, **kwargs)
        object.__setattr__(self, "_building", True)
        try:
            result = build(self, *args, **kwargs)
        finally:
            del self.__dict__["_building"]
        shape = args[0] if args else kwargs.get("input_shape")
        if "_built_for" not in self.__dict__ and isinstance(shape, (list, tuple)):
            object.__setattr__(self, "_built_for", shape)
        if self.__dict__.pop("_call_builds", False):  # build() of a model: its layers get their weights by a call
            object.__setattr__(self, "_was_built", True)
            self._build_once(shape)
        elif hasattr(self._handle, "mark_built") and self._handle.python_object() is self:
            self._handle.mark_built()
        return result

    return marked


_waiting_classes = weakref.WeakKeyDictionary()


def _waiting_class(cls):
    """The class of layers that wait for their weights: only these look for it when they are called."""
    if "_waits_as" in cls.__dict__:
        return cls
    if cls not in _waiting_classes:
        _waiting_classes[cls] = type(
            cls.__name__, (cls,), {"__module__": cls.__module__, "__call__": _call_waiting, "_waits_as": cls}
        )
    return _waiting_classes[cls]


def _call_waiting(self, *args, **kwargs):
    cls = type(self)._waits_as
    if any(isinstance(x, KerasTensor) for x in _nest.flatten((args, kwargs))):
        return cls.__call__(self, *args, **kwargs)
    object.__setattr__(self, "__class__", cls)
    run = self.__dict__.pop("_waiting")
    if not self.built:  # a call whose results are not needed makes the weights
        self(*args, **{**kwargs, "training": False} if "training" in _call_arguments(cls) else kwargs)
    run()
    return self(*args, **kwargs)


def _knowing(how, call, *args, **kwargs):
    with _training_flag.known(how):
        return call(*args, **kwargs)


def _call_arguments(cls):
    """Names that call() takes, looked up once a class."""
    if "_call_names" not in cls.__dict__:
        parameters = inspect.signature(cls.call).parameters
        names = frozenset(n for n, p in parameters.items() if p.kind is not p.VAR_KEYWORD)
        type.__setattr__(cls, "_call_names", names)
    return cls._call_names


def _positional(cls):
    """The names of call()'s arguments, in order, looked up once a class."""
    if "_call_order" not in cls.__dict__:
        order = [
            n
            for n, p in inspect.signature(cls.call).parameters.items()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ][1:]
        type.__setattr__(cls, "_call_order", order)
    return cls._call_order


def _without_training(cls, args, kwargs, training):
    """layer(x, training, mask): C++ is told of training apart, and what stands behind it goes by its name."""
    names = _positional(cls)
    at = names.index("training") if "training" in names else len(args)
    if at >= len(args):
        return args, kwargs, training
    if training is not None:
        raise TypeError(f"{cls.__name__}.call() got multiple values for argument 'training'")
    training = args[at]
    if len(names) < len(args):
        raise TypeError(f"{cls.__name__}.call() takes {len(names)} arguments, but {len(args)} were given")
    kwargs = {**dict(zip(names[at + 1 :], args[at + 1 :])), **kwargs}
    if _core.is_tensor(training) or isinstance(training, _core.Variable):
        if not _core._is_known(
            _core.convert_to_tensor(training)
        ):  # a tensor of the traced function: call() sees it, layers do not
            return args[:at], {**kwargs, "training": training}, None
        training = bool(training)
    return args[:at], kwargs, None if training is None else bool(training)


def _is_nested(x):
    """Is it a structure of symbols that a list of them does not tell? A call has to remember it."""
    return isinstance(x, dict) or isinstance(x, (list, tuple)) and any(isinstance(v, (dict, list, tuple)) for v in x)


def _packed(layer, results, like):
    """Results of a layer that was called on symbols: in the structure that its call() last returned."""
    structure = layer.__dict__.get("_result_structure")
    if structure is not None and len(_nest.flatten(structure)) == len(results):
        return _nest.pack(structure, results)
    return results[0] if len(results) == 1 else results


class Step(Layer):
    """One call of a layer on symbols, with arguments beside them."""

    def __init__(self, layer, structure, flat, places, training):
        super().__init__(name=_core._unique_name(layer.name + "_call"))
        self._how = (structure, flat, places, training)
        self.layer = layer
        self._handle.mark_step()

    def call(self, inputs):
        structure, flat, places, training = self.__dict__["_how"]
        flat = list(flat)
        for place, tensor in zip(places, inputs if isinstance(inputs, list) else [inputs]):
            flat[place] = tensor
        args, kwargs = _nest.pack(structure, flat)
        if training is not None:
            kwargs = {**kwargs, "training": training}
        return self.layer(*args, **kwargs)


def _on_symbols(layer, args, kwargs, training):
    flat = _nest.flatten((args, kwargs))
    places = [i for i, x in enumerate(flat) if isinstance(x, KerasTensor)]
    step = Step(layer, (args, kwargs), [None if i in places else x for i, x in enumerate(flat)], places, training)
    symbols = [flat[i] for i in places]
    made = step(symbols if len(symbols) > 1 else symbols[0])
    _remember_call(layer, symbols, made)
    return made


def on_symbols(handle, symbols, training=None, masks=None):
    """A layer called on symbols. One that needs the values of tensors is called on examples instead,
    which show the shapes of its results."""
    try:
        return handle.call(symbols, training, masks)
    except _UnknownValueError:
        specs = _specs_by_example(handle, symbols, training)
        if specs is None:
            raise
        return _core._call_with_specs(handle, symbols, training, specs)


def _specs_by_example(handle, symbols, training):
    """[(shape, dtype)] of what a layer gives; sizes that differ between examples of two sizes are open.
    None where it takes no such example."""
    shapes = []
    for size in (2, 3):
        tensors = [
            _core.zeros([size + (i > 0) if n is None else n for i, n in enumerate(s.shape)], s.dtype) for s in symbols
        ]
        try:
            with _core._InitScope():
                results = handle.call(tensors, training)
                shapes.append([(tuple(r.shape), r.dtype.name) for r in results])
        except Exception as error:  # noqa: BLE001  it may not accept zeros as data
            _signals.let_pass(error)
            return None
    return [([a if a == b else None for a, b in zip(one[0], two[0])], one[1]) for one, two in zip(*shapes)]


def _take_input_shape(layer, given):
    """input_shape=, which Keras 2 had on every layer, for a Sequential to begin with."""
    shape = given.pop("input_shape", None)
    if "input_dim" in given:
        dim = given.pop("input_dim")
        shape = (given.pop("input_length", None), dim) if "input_length" in given else (dim,)
    if "batch_input_shape" in given:
        shape = given.pop("batch_input_shape")[1:]
    given.pop("batch_size", None) if shape is not None else None
    if shape is not None:
        object.__setattr__(layer, "_input_shape", tuple(shape) if isinstance(shape, (list, tuple)) else (shape,))


class _Leaf:
    """A shape that is one leaf of a structure, though it is a tuple."""

    def __init__(self, shape):
        self.shape = shape


def _call_of(layer):
    """The symbols of a layer's first call: (inputs, outputs)."""
    calls = layer.__dict__.get("_calls")
    if not calls:
        raise AttributeError(f"layer '{layer.name}' was not called on symbols of a model: it has no input and output")
    found = tuple(_nest.map_structure(lambda weak: weak.get(), part) for part in calls)
    if any(s is None for part in found for s in _nest.flatten(part)):
        raise AttributeError(f"the model that layer '{layer.name}' was called in is gone")
    return found


def _remember_call(layer, inputs, outputs):
    if "_calls" not in layer.__dict__:
        weak = lambda s: _core._WeakSymbol(s) if isinstance(s, KerasTensor) else s
        flat = [s for s in _nest.flatten(inputs) if isinstance(s, KerasTensor)]
        object.__setattr__(
            layer,
            "_calls",
            (weak(flat[0]) if len(flat) == 1 else [weak(s) for s in flat], _nest.map_structure(weak, outputs)),
        )
