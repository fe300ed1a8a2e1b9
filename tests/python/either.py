"""`tf` and `keras` of whichever package this Python has: Brio's, or else TensorFlow's and Keras'."""

import os

try:
    import brio as tf
    from brio import keras

    BRIO = True
except ImportError:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import keras
    import tensorflow as tf

    BRIO = False

__all__ = ["BRIO", "keras", "tf"]
