"""keras.layers.TFSMLayer: an endpoint of a SavedModel as a layer."""

import os

from brio import _saved_load
from brio.keras import _serialization
from brio.keras._layer import Layer
from brio.keras.export import variables_used


class TFSMLayer(Layer):
    """Calls an endpoint of a SavedModel, whose weights can be trained further.

    >>> import tempfile
    >>> model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    >>> folder = tempfile.mkdtemp()
    >>> model.export(folder, verbose=False)
    >>> layer = keras.layers.TFSMLayer(folder)
    >>> bool(tf.reduce_all(layer(tf.ones((3, 2))) == model(tf.ones((3, 2)))))
    True
    """

    def __init__(
        self, filepath, call_endpoint="serve", call_training_endpoint=None, trainable=True, name=None, dtype=None
    ):
        super().__init__(trainable=trainable, name=name, dtype=dtype)
        self.filepath, self.call_endpoint, self.call_training_endpoint = (
            os.fspath(filepath),
            call_endpoint,
            call_training_endpoint,
        )
        loaded = _saved_load.load(filepath)
        functions = [_endpoint(loaded, call_endpoint)]
        if call_training_endpoint:
            functions.append(_endpoint(loaded, call_training_endpoint))
        object.__setattr__(self, "_functions", functions)
        self.loaded_weights = variables_used(functions, loaded.variables)

    def call(self, inputs, training=False, **kwargs):
        return self._functions[-1 if training else 0](inputs, **kwargs)

    def get_config(self):
        return {
            **self._base_config(),
            "filepath": self.filepath,
            "call_endpoint": self.call_endpoint,
            "call_training_endpoint": self.call_training_endpoint,
        }

    @classmethod
    def from_config(cls, config, custom_objects=None, safe_mode=None):
        if safe_mode or (safe_mode is None and not _serialization._unsafe.get()):
            raise ValueError(
                "the config names a SavedModel, whose graph would be run; pass safe_mode=False if you trust where it "
                "is from"
            )
        return cls(**config)


def _endpoint(loaded, name):
    if name in vars(loaded) and name != "signatures":
        return vars(loaded)[name]
    if name in loaded.signatures:
        return loaded.signatures[name]
    raise ValueError(
        f"the SavedModel has no endpoint '{name}'; its signatures are {', '.join(loaded.signatures) or 'none'}"
    )
