"""AdaptiveAveragePooling and AdaptiveMaxPooling: windows as large as it takes for a result of a given size."""

from brio.keras import backend
from brio.keras._layer import Layer


class _AdaptivePooling(Layer):
    """Windows over one to three axes."""

    _axes, _pool = 2, "adaptive_average_pool"

    def __init__(self, output_size, data_format=None, **kwargs):
        super().__init__(**kwargs)
        size = (output_size,) * self._axes if isinstance(output_size, int) else output_size
        if not isinstance(size, (tuple, list)) or len(size) != self._axes:
            raise ValueError(
                f"[{type(self).__name__}] output_size is {output_size!r}; it is a number, or {self._axes} of them"
            )
        self.output_size, self.data_format = tuple(size), data_format or backend.image_data_format()
        if self.data_format not in ("channels_last", "channels_first"):
            raise ValueError(
                f"[{type(self).__name__}] data_format is {data_format!r}; it is 'channels_last' or 'channels_first'"
            )

    def call(self, inputs):
        from brio.keras.ops import _adaptive

        return getattr(_adaptive, self._pool)(inputs, self.output_size, self.data_format)


class AdaptiveAveragePooling1D(_AdaptivePooling):
    """The means of so many windows along an axis, (batch, steps, channels).

    >>> keras.layers.AdaptiveAveragePooling1D(2)(np.float32([[[1], [2], [6]]])).numpy().ravel().tolist()
    [1.5, 4.0]
    """

    _axes = 1


class AdaptiveAveragePooling2D(_AdaptivePooling):
    """The means of so many windows of pictures, (batch, rows, columns, channels).

    >>> keras.layers.AdaptiveAveragePooling2D(4)(np.ones((2, 14, 10, 3))).shape
    TensorShape([2, 4, 4, 3])
    """


class AdaptiveAveragePooling3D(_AdaptivePooling):
    """The means of so many windows of volumes, (batch, planes, rows, columns, channels).

    >>> keras.layers.AdaptiveAveragePooling3D((2, 3, 4))(np.ones((2, 8, 8, 8, 3))).shape
    TensorShape([2, 2, 3, 4, 3])
    """

    _axes = 3


class AdaptiveMaxPooling1D(_AdaptivePooling):
    """The largest of so many windows along an axis, (batch, steps, channels).

    >>> keras.layers.AdaptiveMaxPooling1D(2)(np.float32([[[1], [2], [6]]])).numpy().ravel().tolist()
    [2.0, 6.0]
    """

    _axes, _pool = 1, "adaptive_max_pool"


class AdaptiveMaxPooling2D(_AdaptivePooling):
    """The largest of so many windows of pictures, (batch, rows, columns, channels).

    >>> keras.layers.AdaptiveMaxPooling2D(4)(np.ones((2, 14, 10, 3))).shape
    TensorShape([2, 4, 4, 3])
    """

    _pool = "adaptive_max_pool"


class AdaptiveMaxPooling3D(_AdaptivePooling):
    """The largest of so many windows of volumes, (batch, planes, rows, columns, channels).

    >>> keras.layers.AdaptiveMaxPooling3D((2, 3, 4))(np.ones((2, 8, 8, 8, 3))).shape
    TensorShape([2, 2, 3, 4, 3])
    """

    _axes, _pool = 3, "adaptive_max_pool"


for _cls in (AdaptiveAveragePooling1D, AdaptiveAveragePooling2D, AdaptiveAveragePooling3D, AdaptiveMaxPooling1D,
             AdaptiveMaxPooling2D, AdaptiveMaxPooling3D):  # fmt: skip
    _cls.__module__ = "brio.keras.layers"  # where configs find it
