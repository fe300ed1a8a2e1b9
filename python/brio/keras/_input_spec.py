"""keras.layers.InputSpec: what a layer written in Python asks of its inputs."""

from brio import _core, _nest


class InputSpec:
    """The rank, the dtype and the sizes that an input must have. A layer sets self.input_spec to one, or to several."""

    def __init__(self, dtype=None, shape=None, ndim=None, max_ndim=None, min_ndim=None, axes=None,
                 allow_last_axis_squeeze=False, name=None, optional=False):  # fmt: skip
        self.dtype = None if dtype is None else _core.as_dtype(dtype).name
        self.shape = None if shape is None else tuple(shape)
        self.ndim = ndim if shape is None else len(self.shape)
        self.max_ndim, self.min_ndim, self.name, self.optional = max_ndim, min_ndim, name, optional
        self.allow_last_axis_squeeze = allow_last_axis_squeeze
        if not isinstance(axes or {}, dict):
            raise TypeError(f"[InputSpec] axes is a dict of axes and sizes, but got {axes!r}")
        self.axes = {int(axis): size for axis, size in (axes or {}).items()}
        highest = self.ndim or self.max_ndim
        if self.axes and highest is not None and max(self.axes) > highest - 1:
            raise ValueError(
                f"[InputSpec] axes names axis {max(self.axes)}, but an input has no more than {highest} axes"
            )

    def get_config(self):
        """What it was made with."""
        return {n: getattr(self, n) for n in ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes", "optional")}

    @classmethod
    def from_config(cls, config):
        """One of a config."""
        return cls(**config)

    def __repr__(self):
        given = ((n, getattr(self, n)) for n in ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes"))
        return f"InputSpec({', '.join(f'{n}={v}' for n, v in given if v)})"


def check(specs, inputs, layer):
    """Raises a ValueError where inputs are not what a layer asks for."""
    specs = specs if isinstance(specs, (list, tuple)) else [specs]
    inputs = _nest.flatten(inputs)
    if len(inputs) != len(specs):
        raise ValueError(f"[{layer}] takes {len(specs)} inputs, but got {len(inputs)}")
    for i, (x, spec) in enumerate(zip(inputs, specs)):
        wrong = None if spec is None or (x is None and spec.optional) else _difference(spec, x)
        if wrong:
            raise ValueError(f"[{layer}] input {i} must have {wrong}; its shape is {tuple(x.shape)}")


def _difference(spec, x):
    """What an input should have and has not, or None."""
    shape = tuple(x.shape)
    if spec.ndim is not None and not spec.allow_last_axis_squeeze and len(shape) != spec.ndim:
        return f"{spec.ndim} axes"
    if spec.max_ndim is not None and len(shape) > spec.max_ndim:
        return f"at most {spec.max_ndim} axes"
    if spec.min_ndim is not None and len(shape) < spec.min_ndim:
        return f"at least {spec.min_ndim} axes"
    if spec.dtype is not None and _core.as_dtype(x.dtype).name != spec.dtype:
        return f"the dtype {spec.dtype}"
    for axis, size in spec.axes.items():
        if size is not None and shape[axis] not in (size, None):
            return f"the size {size} in axis {axis}"
    if spec.shape is not None:
        trim = lambda s: s[:-1] if spec.allow_last_axis_squeeze and s and s[-1] == 1 else s
        if any(
            want is not None and have is not None and want != have for want, have in zip(trim(spec.shape), trim(shape))
        ):
            return f"the shape {spec.shape}"
    return None
