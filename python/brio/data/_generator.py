"""Datasets out of Python's generators."""

from brio import _core, _nest
from brio._core import _sources
from brio._spec import TensorSpec
from brio.data import _elements


class _Announced:
    """A part of which only the dtype is known."""

    def __init__(self, dtype, shape=None):
        self.dtype, self.shape = _core.as_dtype(dtype), shape


def from_generator(generator, output_types, output_shapes, args, output_signature):
    from brio.data._dataset import Dataset

    if not callable(generator):
        raise TypeError("`generator` must be a Python callable.")
    if output_signature is not None:
        if output_types is not None or output_shapes is not None:
            raise TypeError(
                "The `output_types` and `output_shapes` arguments can not be used together with the `output_signature` "
                "argument."
            )
        announced = _tuples(output_signature)
        for leaf in _nest.flatten(announced):
            if not isinstance(leaf, (TensorSpec, _elements.RaggedTensorSpec)):
                raise TypeError(
                    "`output_signature` must contain objects that are subclass of `tf.TypeSpec` but found "
                    f"{type(leaf)} which is not."
                )
    elif output_types is None:
        raise TypeError(
            "To specify the output signature you need to provide either the `output_signature` argument or the "
            "`output_types` argument."
        )
    else:
        types = _tuples(output_types)
        if output_shapes is None:
            announced = _nest.map_structure(_Announced, types)
        else:
            shapes = iter(_elements.flatten_up_to(_nest.map_structure(_Announced, types), _tuples(output_shapes)))
            announced = _nest.map_structure(lambda t: _leaf(t, next(shapes)), types)
    leaves = _nest.flatten(announced)
    args = tuple(_core.convert_to_tensor(a).numpy() for a in args or ())

    def make():
        values = iter(generator(*args))

        def next_element():
            try:
                element = next(values)
            except StopIteration:
                return None
            return _converted(announced, leaves, element)

        return next_element

    core = _sources.from_generator(make, _elements.template(announced))
    known = all(isinstance(leaf, (TensorSpec, _elements.RaggedTensorSpec)) for leaf in leaves)
    static = known and all(isinstance(leaf, TensorSpec) and leaf.shape.is_fully_defined() for leaf in leaves)
    made = Dataset(core, announced if known else (lambda: _spec_of_first(made, announced)), static=static)
    if static and all(leaf.dtype != _core.string for leaf in leaves):
        # Functions are tried with zeros first, so the generator need not run before it is read.
        made._made_examples = lambda: _Lazy(announced, core)
    return made


class _Lazy(list):
    """Zeros, then what the generator yields first."""

    def __init__(self, spec, core):
        super().__init__([_elements.made_up(spec)])
        self._core = core

    def __iter__(self):
        yield self[0]
        yield from self._core.first(1)


def _leaf(dtype, shape):
    if shape is None:
        return _Announced(dtype)
    return TensorSpec(shape, dtype)


def _tuples(structure):
    """Lists stand for tuples here, as in TensorFlow; shapes stay what they are."""
    if isinstance(structure, dict):
        return type(structure)((key, _tuples(value)) for key, value in structure.items())
    if type(structure) in (tuple, list) and not all(n is None or isinstance(n, int) for n in structure):
        return tuple(_tuples(item) for item in structure)
    return structure


def _spec_of_first(dataset, announced):
    found = dataset._examples()
    tensors = iter(found[0]) if found else None
    if tensors is None:
        return _nest.map_structure(
            lambda leaf: leaf if isinstance(leaf, TensorSpec) else TensorSpec([], leaf.dtype), announced
        )
    return _nest.map_structure(lambda leaf: _open(leaf, next(tensors)), announced)


def _open(leaf, tensor):
    return leaf if isinstance(leaf, TensorSpec) else TensorSpec([None] * tensor.shape.rank, leaf.dtype)


def _converted(announced, leaves, element):
    from brio.errors import InvalidArgumentError

    try:
        values = _elements.flatten_up_to(announced, element)
    except (TypeError, KeyError, ValueError, IndexError):
        raise InvalidArgumentError(
            "TypeError: `generator` yielded an element that did not match the expected structure. The expected "
            f"structure was {_nest.map_structure(lambda leaf: leaf.dtype, announced)}, but the yielded element was "
            f"{element}."
        ) from None
    tensors = []
    for leaf, value in zip(leaves, values):
        if isinstance(leaf, _elements.RaggedTensorSpec) and hasattr(value, "row_splits"):
            if not leaf.is_compatible_with(value):
                raise InvalidArgumentError(
                    f"TypeError: `generator` yielded an element of {type(leaf).from_value(value)} where one of {leaf} "
                    "was expected."
                )
            tensors += [value.flat_values, *value.nested_row_splits]
            continue
        try:
            tensor = _of_dtype(value, leaf.dtype)
        except (TypeError, ValueError) as error:
            raise InvalidArgumentError(
                "TypeError: `generator` yielded an element that could not be converted to the expected type. "
                f"The expected type was {leaf.dtype.name}, but the yielded element was {value}: {error}"
            ) from None
        if leaf.shape is not None and not leaf.shape.is_compatible_with(tensor.shape):
            raise InvalidArgumentError(
                f"TypeError: `generator` yielded an element of shape {tensor.shape} where an element of shape "
                f"{leaf.shape} was expected."
            )
        tensors.append(tensor)
    return tensors


def _of_dtype(value, dtype):
    if _core.is_tensor(value):
        return value if value.dtype == dtype else _core.cast(value, dtype)
    if hasattr(value, "astype") and dtype != _core.string:
        return _core.convert_to_tensor(value.astype(dtype.as_numpy_dtype))
    return _core.convert_to_tensor(value, dtype)
