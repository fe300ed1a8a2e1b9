"""Objects of Keras as plain data and back, in Keras' form: {"module", "class_name", "config", "registered_name"}.

A config never names code to import: classes are Brio's own, or ones that the program registered or passed.
"""

import contextvars
import importlib
import types

import numpy as np

from brio import _core

_registered = {}  # "Package>Name" → object
_names = {}  # object → "Package>Name"
_scope = contextvars.ContextVar("custom_objects", default=types.MappingProxyType({}))
_unsafe = contextvars.ContextVar("unsafe", default=False)

# Where a class of Brio's is in Keras, by the module that it lives in here.
_HOMES = (
    "layers",
    "losses",
    "metrics",
    "optimizers",
    "initializers",
    "regularizers",
    "constraints",
    "activations",
    "callbacks",
    "utils",
    "random",
    "quantizers",
)


def register_keras_serializable(package="Custom", name=None):
    """A decorator: configs may name this class or function from now on."""

    def register(thing):
        full = f"{package}>{name or thing.__name__}"
        if isinstance(thing, type) and not hasattr(thing, "get_config"):
            raise ValueError(f"{thing.__name__} cannot be registered: it has no get_config()")
        _registered[full] = thing
        _names[thing] = full
        return thing

    return register


def get_registered_name(thing):
    """The name under which a class or function was registered, or its own."""
    return _names.get(thing, thing.__name__)


def get_registered_object(name, custom_objects=None, module_objects=None):
    """What was registered under this name, or None."""
    for source in (_scope.get(), _registered, custom_objects or {}, module_objects or {}):
        if name in source:
            return source[name]
    return None


def get_custom_objects():
    """The registered objects, which may be changed."""
    return _registered


class CustomObjectScope:
    """Within it, configs may name these objects."""

    def __init__(self, custom_objects):
        self.custom_objects = dict(custom_objects or {})

    def __enter__(self):
        self._token = _scope.set({**_scope.get(), **self.custom_objects})
        return self

    def __exit__(self, *exception):
        _scope.reset(self._token)


class _UnsafeScope:
    def __init__(self, safe_mode):
        self.unsafe = not safe_mode

    def __enter__(self):
        self._token = _unsafe.set(self.unsafe or _unsafe.get())

    def __exit__(self, *exception):
        _unsafe.reset(self._token)


def enable_unsafe_deserialization():
    """Model files may hold Python code from now on: trust them first."""
    _unsafe.set(True)


def serialize_keras_object(obj):
    """Plain data that deserialize_keras_object() makes the object of again."""
    if obj is None or isinstance(obj, (str, int, float, bool)):
        return obj
    if isinstance(obj, _core.KerasTensor):
        raise TypeError("a symbol of a functional model cannot be serialized by itself")
    if hasattr(obj, "as_numpy_dtype"):
        return obj.name
    if isinstance(obj, (list, tuple)):
        made = [serialize_keras_object(x) for x in obj]
        return tuple(made) if isinstance(obj, tuple) else made
    if isinstance(obj, dict):
        return {k: serialize_keras_object(v) for k, v in obj.items()}
    if isinstance(obj, bytes):
        return {"class_name": "__bytes__", "config": {"value": obj.decode("utf-8")}}
    if isinstance(obj, slice):
        return {"class_name": "__slice__", "config": {"start": obj.start, "stop": obj.stop, "step": obj.step}}
    if obj is Ellipsis:
        return {"class_name": "__ellipsis__", "config": {}}
    if _core.is_tensor(obj):
        return {"class_name": "__tensor__", "config": {"value": obj.numpy().tolist(), "dtype": obj.dtype.name}}
    if isinstance(obj, np.ndarray) and obj.ndim:
        return {"class_name": "__numpy__", "config": {"value": obj.tolist(), "dtype": obj.dtype.name}}
    if isinstance(obj, (np.ndarray, np.generic)):
        return obj.item()
    if hasattr(obj, "_brio_name"):  # an activation
        return obj._brio_name
    if isinstance(obj, type):
        raise TypeError(f"{obj.__name__} is a class, of which no config is made; make an object of it")
    if hasattr(obj, "get_config"):
        return _object_config(obj)
    name = getattr(obj, "__name__", "")
    if name == "<lambda>":
        return {"class_name": "__lambda__", "config": {"value": _dump_function(obj)}}
    if not name:
        raise TypeError(f"{obj!r} cannot be serialized: it has no get_config()")
    home = getattr(obj, "__module__", None) or ""
    if home.startswith("brio"):
        return {
            "module": "keras." + home.rsplit(".", 1)[-1],
            "class_name": "function",
            "config": name,
            "registered_name": name,
        }
    registered = get_registered_name(obj)
    return {
        "module": "builtins" if obj in _names else home,
        "class_name": "function",
        "config": registered,
        "registered_name": registered,
    }


def _object_config(obj):
    cls = type(obj)
    cls = cls.__dict__.get("_made_of", cls)  # a model of symbols, of a class of the user's
    module, registered = cls.__module__, None
    if cls.__name__ == "Functional":
        module, registered = "keras.src.models.functional", "Functional"
    elif module.startswith("brio."):
        module = _public_module(cls)
    else:
        registered = get_registered_name(cls)
        module = None if module == "__main__" else module
    config = {
        "module": module,
        "class_name": cls.__name__,
        "config": serialize_keras_object(obj.get_config()),
        "registered_name": registered,
    }
    for name, of in (("build_config", "get_build_config"), ("compile_config", "get_compile_config")):
        part = getattr(obj, of)() if hasattr(obj, of) else None
        if part is not None:
            config[name] = serialize_keras_object(part)
    return config


def _public_module(cls):
    last = cls.__module__.rsplit(".", 1)[-1]
    if cls.__name__ == "DTypePolicyMap":
        return "keras.dtype_policies"
    if last == "schedules":
        return "keras.optimizers.schedules"
    if last in _HOMES:
        return f"keras.{last}"
    return "keras"


def deserialize_keras_object(config, custom_objects=None, safe_mode=True):
    """The object that a config describes."""
    with CustomObjectScope(custom_objects), _UnsafeScope(safe_mode):
        return _made(config)


_PLAIN = {
    "__tensor__": lambda c: _core.convert_to_tensor(c["value"], dtype=c["dtype"]),
    "__numpy__": lambda c: np.array(c["value"], dtype=c["dtype"]),
    "__bytes__": lambda c: c["value"].encode("utf-8"),
    "__ellipsis__": lambda c: Ellipsis,
    "__slice__": lambda c: slice(c["start"], c["stop"], c["step"]),
}


def _made(config):
    if isinstance(config, (list, tuple)):
        return [_made(x) for x in config]
    if not isinstance(config, dict):
        return config
    if "class_name" not in config or "config" not in config:
        return {k: _made(v) for k, v in config.items()}
    name, inner = config["class_name"], config["config"]
    if name in _PLAIN:
        return _PLAIN[name](inner)
    if name == "__lambda__":
        if not _unsafe.get():
            raise ValueError(
                "the config holds a lambda, which is code; pass safe_mode=False if you trust where it is from"
            )
        return _load_function(inner["value"])
    if name == "function":
        return _find(inner, config, callable)
    if (config.get("module") or "").startswith("keras.src.ops"):
        return _operation(name, config)
    cls = _find(name, config, lambda found: isinstance(found, type))
    if not hasattr(cls, "from_config"):
        raise TypeError(f"{name} has no from_config()")
    obj = cls.from_config(inner if isinstance(inner, dict) else {})
    if config.get("build_config") and hasattr(obj, "build_from_config"):
        obj.build_from_config(config["build_config"])
    if config.get("compile_config") and hasattr(obj, "compile_from_config"):
        obj.compile_from_config(config["compile_config"])
    return obj


def _operation(name, row):
    """A function of keras.ops that Keras wrote as a step of a model."""
    import functools

    from brio.keras import _classes, _graph, ops
    from brio.keras.ops import _operations

    by_name = name in (
        "Cast",
        "OneHot",
        "SaturateCast",
        "MultiHot",
    )  # whose dtype is an argument; that of others is a policy
    given = {k: _made(v) for k, v in row["config"].items() if k != "name" and (k != "dtype" or by_name)}
    if name == "GetItem":  # lists of indices are tuples to Python
        return _graph.OperationLayer(row, lambda x, key: x[tuple(key) if isinstance(key, list) else key])
    if name == "Einsum":
        return _graph.OperationLayer(row, lambda *operands: ops.einsum(given["subscripts"], *operands))
    home = ops.image if (row.get("module") or "").endswith(".image") else ops
    function = getattr(home, _operations.function_of(name) or _classes.snake(name))
    return _graph.OperationLayer(row, functools.partial(function, **given))


def _find(name, config, wanted):
    """The class or function that a config names."""
    registered = config.get("registered_name") or name
    for candidate in (registered, name, registered.split(">")[-1]):
        found = get_registered_object(candidate)
        if found is not None:
            return found
    module = config.get("module") or ""
    homes = [module.rsplit(".", 1)[-1]] if module.startswith("keras") else []
    for home in homes + ["models", "mixed_precision", *_HOMES, "dtype_policies"]:
        if home == "schedules":
            from brio.keras.optimizers import schedules as found
        elif home in (*_HOMES, "models", "mixed_precision", "dtype_policies"):
            found = importlib.import_module(f"brio.keras.{home}")
        else:
            continue
        found = getattr(found, name, None) if not name.startswith("_") else None
        if found is not None and wanted(found):
            return found
    raise TypeError(
        f"the config names '{registered}' of {module or 'a script'}, which is not known; pass "
        f"custom_objects={{'{name}': ...}}, or put @keras.saving.register_keras_serializable() before its definition"
    )


# ---- lambdas, in Keras' form


def _dump_function(f):
    import base64
    import marshal

    code = base64.b64encode(marshal.dumps(f.__code__)).decode("ascii")
    cells = None if f.__closure__ is None else tuple(c.cell_contents for c in f.__closure__)
    return {"class_name": "__lambda__", "config": {"code": code, "defaults": f.__defaults__, "closure": cells}}


def _load_function(value):
    import base64
    import marshal

    config = value["config"]
    closure = config["closure"]
    return types.FunctionType(
        marshal.loads(base64.b64decode(config["code"])), {"__builtins__": __builtins__}, "<lambda>",
        None if config["defaults"] is None else tuple(config["defaults"]),
        None if closure is None else tuple(types.CellType(c) for c in closure),
    )  # fmt: skip
