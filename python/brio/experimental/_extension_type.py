"""tf.experimental.ExtensionType: classes of fields that go through functions, branches,
loops and datasets as tensors do.

An object is a tuple of its fields, with a name for each, so that all that knows structures of tensors knows it too.
`__init__` of a class's own fills a draft, of which the tuple is made.
"""

import collections.abc
import types
import typing

from brio import _core, _nest, nest
from brio._shape import TensorShape, UnknownShape
from brio._spec import TensorSpec

_PLAIN = (bool, int, float, str, bytes)


class _Meta(type):
    """Makes the fields of a class of its annotations, and objects by way of a draft."""

    def __new__(meta, name, bases, namespace, **kwargs):
        shown = namespace.pop("__name__", None)  # the name that a file would know it by
        spec = namespace.pop("Spec", None)
        fields = [
            f
            for base in reversed(bases)
            for f in getattr(base, "_fields", ())
            if base.__dict__.get("_fields") is not None
        ]
        own = [f for f in namespace.get("__annotations__", {}) if f not in fields]
        for field in own:
            if field.startswith("__") or field in ("Spec", "_fields", "_make"):
                raise ValueError(f"{name}: a field cannot be called {field!r}")
        defaults = {
            **{k: v for base in reversed(bases) for k, v in getattr(base, "_defaults", {}).items()},
            **{f: namespace.pop(f) for f in own if f in namespace},
        }
        fields += own
        namespace["__slots__"] = ()
        for place, field in enumerate(fields):
            namespace.setdefault(field, property(lambda self, place=place: tuple.__getitem__(self, place)))
        cls = super().__new__(meta, name, bases, namespace, **kwargs)
        cls._fields, cls._defaults, cls._kinds, cls._shown = tuple(fields), defaults, None, shown
        cls.Spec = _spec_class(cls, spec)
        return cls

    def __call__(cls, *args, **kwargs):
        if cls.__init__ is not ExtensionType.__init__:
            given = _drafted(cls, cls.__init__, args, kwargs)
        else:
            given = _bound(cls, args, kwargs)
        made = tuple.__new__(
            cls,
            [_converted(kind, given[field], f"{cls.__name__}.{field}") for field, kind in cls._field_kinds().items()],
        )
        made.__validate__()
        return made

    def _field_kinds(cls):
        """{field: what its annotation says}, looked up when the first object is made: a class may name itself."""
        if cls._kinds is None:
            here = {cls.__name__: cls}
            hints = {}
            for base in reversed(cls.__mro__):
                module = vars(__import__("sys").modules.get(base.__module__, types.SimpleNamespace()))
                for field, kind in base.__dict__.get("__annotations__", {}).items():
                    hints[field] = _evaluated(kind, module, here)
            cls._kinds = {field: hints[field] for field in cls._fields}
        return cls._kinds

    def _make(cls, items):
        """An object of the tensors of another: nothing is converted or validated."""
        items = [
            TensorShape(v) if kind is TensorShape and not isinstance(v, TensorShape) else v
            for v, kind in zip(items, cls._field_kinds().values())
        ]
        return tuple.__new__(cls, items)


def _evaluated(kind, module, here):
    scope = {**module, **here}
    if isinstance(kind, str):
        kind = eval(kind, scope)  # noqa: S307  an annotation of the program's own
    return (
        typing.get_type_hints(types.SimpleNamespace(__annotations__={"kind": kind}), scope, here)["kind"]
        if typing.get_origin(kind)
        else kind
    )


class _Draft:
    """What `__init__` of a class of the user's sees as self."""

    def __init__(self, cls):
        object.__setattr__(self, "_cls", cls)

    def __getattr__(self, name):
        found = getattr(object.__getattribute__(self, "_cls"), name)
        if isinstance(found, property):
            raise AttributeError(f"'{name}' has no value yet")
        return types.MethodType(found, self) if isinstance(found, types.FunctionType) else found


def _drafted(cls, init, args, kwargs):
    draft = _Draft(cls)
    init(draft, *args, **kwargs)
    given = {**cls._defaults, **{k: v for k, v in vars(draft).items() if k != "_cls"}}
    missing = [f for f in cls._fields if f not in given]
    if missing:
        raise TypeError(f"{cls.__name__}.__init__() sets no {', '.join(missing)}")
    return given


def _bound(cls, args, kwargs):
    if len(args) > len(cls._fields):
        raise TypeError(
            f"{cls.__name__}() takes {len(cls._fields)} arguments ({', '.join(cls._fields)}), but {len(args)} were "
            "given"
        )
    given = dict(zip(cls._fields, args))
    for name, value in kwargs.items():
        if name not in cls._fields or name in given:
            raise TypeError(f"{cls.__name__}() {'got two values for' if name in given else 'has no field'} '{name}'")
        given[name] = value
    missing = [f for f in cls._fields if f not in given and f not in cls._defaults]
    if missing:
        raise TypeError(f"{cls.__name__}() needs {', '.join(missing)}")
    return {**cls._defaults, **given}


def _converted(kind, value, where):
    """A value as the annotation of a field asks for it. Throws TypeError where it is none."""
    origin = typing.get_origin(kind)
    if isinstance(kind, type) and issubclass(kind, _core.Tensor):
        if isinstance(value, TensorSpec):
            return value
        if value is None or isinstance(value, ExtensionType):
            raise TypeError(f"{where}: a tensor is expected, but got {value!r}")
        try:
            return _core.convert_to_tensor(value)
        except (ValueError, TypeError) as error:
            raise TypeError(f"{where}: a tensor is expected, but got {value!r} ({error})") from None
    if kind is TensorShape:
        return value if isinstance(value, (TensorShape, UnknownShape)) else TensorShape(value)
    if kind is _core.DType:
        return _core.as_dtype(value)
    if origin is typing.Union or isinstance(kind, getattr(types, "UnionType", ())):
        for option in typing.get_args(kind):
            try:
                return _converted(option, value, where)
            except TypeError:
                continue
        raise TypeError(f"{where}: {kind} is expected, but got {value!r}")
    if origin in (collections.abc.Mapping, dict):
        if not isinstance(value, collections.abc.Mapping):
            raise TypeError(f"{where}: a mapping is expected, but got {value!r}")
        _, inner = typing.get_args(kind)
        return {k: _converted(inner, v, f"{where}[{k!r}]") for k, v in value.items()}
    if origin is tuple:
        if not isinstance(value, (list, tuple)) or isinstance(value, ExtensionType):
            raise TypeError(f"{where}: a tuple is expected, but got {value!r}")
        inner = typing.get_args(kind)
        inner = inner[:1] * len(value) if len(inner) == 2 and inner[1] is Ellipsis else inner
        if len(inner) != len(value):
            raise TypeError(f"{where}: {len(inner)} values are expected, but got {len(value)}")
        return tuple(_converted(k, v, f"{where}[{i}]") for i, (k, v) in enumerate(zip(inner, value)))
    if kind is type(None) or kind is None:
        if value is not None:
            raise TypeError(f"{where}: None is expected, but got {value!r}")
        return None
    if isinstance(kind, type) and kind in _PLAIN:
        if not isinstance(value, kind) or (kind in (int, float) and isinstance(value, bool)):
            raise TypeError(f"{where}: {kind.__name__} is expected, but got {value!r}")
        return value
    if (
        isinstance(kind, type)
        and not isinstance(value, kind)
        and not (isinstance(value, _Spec) and issubclass(kind, ExtensionType))
    ):
        raise TypeError(f"{where}: {kind.__name__} is expected, but got {value!r}")
    return value


def _spec_of(value):
    """The description of a field's value."""
    if isinstance(value, ExtensionType):
        return type(value).Spec._of([_spec_of(v) for v in tuple.__iter__(value)])
    if isinstance(value, dict):
        return {k: _spec_of(v) for k, v in value.items()}
    if type(value) is tuple:
        return tuple(map(_spec_of, value))
    return TensorSpec.from_tensor(value) if isinstance(value, _core.Tensor) else value


class _Spec(tuple):
    """The description of extension types: a tuple of those of the fields.
    In the structure of a signature it stands for an object."""

    __slots__ = ()

    @classmethod
    def _of(cls, items):
        return tuple.__new__(cls, items)

    @classmethod
    def _make(cls, items):
        return cls._owner._make(items)

    @property
    def value_type(self):
        """The class of what it describes."""
        return self._owner

    def is_compatible_with(self, value):
        """Can it describe such an object?"""
        if not isinstance(value, (self._owner, type(self))):
            return False
        return all(
            a.is_compatible_with(b) if hasattr(a, "is_compatible_with") else a == b
            for a, b in zip(_nest.flatten(tuple(self)), _nest.flatten(tuple(value)))
        )

    def __repr__(self):
        fields = ", ".join(f"{f}={v!r}" for f, v in zip(self._fields, tuple.__iter__(self)))
        return f"{self._owner.__name__}.Spec({fields})"


def _spec_class(owner, given):
    """The class of descriptions: one for each class, with what the user's Spec defines."""
    namespace = (
        {k: v for k, v in vars(given).items() if k not in ("__dict__", "__weakref__", "__init__")}
        if given is not None
        else {}
    )
    init = vars(given).get("__init__") if given is not None else None

    def new(cls, *args, **kwargs):
        if init is not None:
            fields = _drafted_spec(cls, init, args, kwargs)
        else:
            fields = _bound(owner, args, kwargs)
        return tuple.__new__(cls, [fields[f] for f in owner._fields])

    for place, field in enumerate(owner._fields):
        namespace.setdefault(field, property(lambda self, place=place: tuple.__getitem__(self, place)))
    namespace.update(
        __slots__=(),
        __new__=new,
        _owner=owner,
        _fields=owner._fields,
        __module__=owner.__module__,
        __qualname__=f"{owner.__qualname__}.Spec",
    )
    return type("Spec", (_Spec,), namespace)


def _drafted_spec(cls, init, args, kwargs):
    draft = _Draft(cls)
    init(draft, *args, **kwargs)
    return vars(draft)


class ExtensionType(tuple, metaclass=_Meta):
    """Derive from it and annotate the fields: class Masked(tf.experimental.ExtensionType): values: tf.Tensor;
    mask: tf.Tensor."""

    def __init__(self, *args, **kwargs):  # replaced by classes that convert their arguments themselves
        pass

    def __validate__(self):
        """Override it: it is called with the object when it was made."""

    def __eq__(self, other):
        if type(self) is not type(other):
            return False
        mine, others = _nest.flatten(tuple(self)), _nest.flatten(tuple(other))
        if len(mine) != len(others):
            return False
        alike = []
        for a, b in zip(mine, others):
            if isinstance(a, _core.Tensor) and isinstance(b, _core.Tensor):
                if a.dtype != b.dtype or tuple(a.shape) != tuple(b.shape):
                    return False
                alike.append(_core.reduce_all(_core.equal(a, b)))
            elif a != b:
                return False
        return _core.reduce_all(_core.stack(alike)) if alike else True

    def __ne__(self, other):
        same = self.__eq__(other)
        return _core.logical_not(same) if isinstance(same, _core.Tensor) else not same

    __hash__ = None

    def __repr__(self):
        fields = ", ".join(f"{f}={tuple.__getitem__(self, i)!r}" for i, f in enumerate(self._fields))
        return f"{type(self).__name__}({fields})"


class BatchableExtensionType(ExtensionType):
    """One whose fields have the batch as their first axis."""


nest._leaves = (ExtensionType,)
