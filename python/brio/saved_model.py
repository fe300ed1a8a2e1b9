"""tf.saved_model: objects with their variables and functions in a directory,
to be loaded without the code that made them."""

import os

from brio import _missing
from brio._saved_load import load as _load
from brio._saved_objects import FILE as _FILE
from brio._saved_objects import save as _save

ASSETS_DIRECTORY, ASSETS_KEY = "assets", "saved_model_assets"
CLASSIFY_INPUTS, CLASSIFY_METHOD_NAME = "inputs", "tensorflow/serving/classify"
CLASSIFY_OUTPUT_CLASSES, CLASSIFY_OUTPUT_SCORES = "classes", "scores"
DEBUG_DIRECTORY, DEBUG_INFO_FILENAME_PB = "debug", "saved_model_debug_info.pb"
DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
GPU, SERVING, TPU, TRAINING = "gpu", "serve", "tpu", "train"
PREDICT_INPUTS, PREDICT_METHOD_NAME, PREDICT_OUTPUTS = "inputs", "tensorflow/serving/predict", "outputs"
REGRESS_INPUTS, REGRESS_METHOD_NAME, REGRESS_OUTPUTS = "inputs", "tensorflow/serving/regress", "outputs"
SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT = "saved_model.pb", "saved_model.pbtxt"
SAVED_MODEL_SCHEMA_VERSION = 1
VARIABLES_DIRECTORY, VARIABLES_FILENAME = "variables", "variables"


class SaveOptions:
    """Options of save(). Those that are about TensorFlow's files and devices change nothing here."""

    def __init__(self, namespace_whitelist=None, save_debug_info=False, function_aliases=None,
                 experimental_debug_stripper=False, experimental_io_device=None, experimental_variable_policy=None,
                 experimental_custom_gradients=True, experimental_image_format=False, experimental_skip_saver=False,
                 experimental_sharding_callback=None, extra_tags=None):  # fmt: skip
        self.namespace_whitelist = namespace_whitelist
        self.save_debug_info, self.experimental_debug_stripper = save_debug_info, experimental_debug_stripper
        self.function_aliases = dict(function_aliases or {})
        self.experimental_io_device, self.experimental_variable_policy = (
            experimental_io_device,
            experimental_variable_policy,
        )
        self.experimental_custom_gradients, self.experimental_image_format = (
            experimental_custom_gradients,
            experimental_image_format,
        )
        self.experimental_skip_saver, self.experimental_sharding_callback = (
            experimental_skip_saver,
            experimental_sharding_callback,
        )
        self.extra_tags = extra_tags


class LoadOptions:
    """Options of load(). Those that are about TensorFlow's files and devices change nothing here."""

    def __init__(self, allow_partial_checkpoint=False, experimental_io_device=None, experimental_skip_checkpoint=False,
                 experimental_variable_policy=None, experimental_load_function_aliases=False):  # fmt: skip
        self.allow_partial_checkpoint, self.experimental_io_device = allow_partial_checkpoint, experimental_io_device
        self.experimental_skip_checkpoint, self.experimental_variable_policy = (
            experimental_skip_checkpoint,
            experimental_variable_policy,
        )
        self.experimental_load_function_aliases = experimental_load_function_aliases


def save(obj, export_dir, signatures=None, options=None):
    """Writes an object with its variables and tf.functions to a directory;
    load() needs nothing of the code that made it.

    A function is saved with the traces that it has, or with that of its input_signature, in which sizes may be None.
    `signatures` is a function with an input_signature, a concrete function, or a dictionary of such.

    >>> import tempfile
    >>> class Adder(tf.Module):
    ...     def __init__(self):
    ...         self.step = tf.Variable(2.0)
    ...     @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    ...     def add(self, x):
    ...         return x + self.step
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(Adder(), folder)
    >>> loaded = tf.saved_model.load(folder)
    >>> loaded.add(tf.constant([1.0, 5.0])).numpy().tolist()
    [3.0, 7.0]
    """
    _save(obj, export_dir, signatures, options)


def load(export_dir, tags=None, options=None):
    """The object of a SavedModel: its attributes are variables, functions and other objects,
    `signatures` the functions by name."""
    return _load(export_dir)


def contains_saved_model(export_dir):
    """Is there a SavedModel in this directory?"""
    return os.path.exists(os.path.join(os.fspath(export_dir), _FILE))


__getattr__ = _missing.attribute_error_of(__name__)
