"""tf.sysconfig: how the library was built."""

import collections as _collections
import os as _os

from brio import _core
from brio._missing import attribute_error_of as _attribute_error_of

__getattr__ = _attribute_error_of(__name__)

CXX11_ABI_FLAG, CXX_VERSION, MONOLITHIC_BUILD = 1, 202002, 1


def get_lib():
    """The folder that has the library.

    >>> import os
    >>> os.path.isdir(tf.sysconfig.get_lib())
    True
    """
    return _os.path.dirname(_os.path.abspath(_core.__file__))


def get_build_info():
    """What the build was made for, and the names under which TensorFlow tells it; GPUs are found when the program runs.

    >>> tf.sysconfig.get_build_info()["is_rocm_build"]
    False
    """
    return _collections.OrderedDict(is_cuda_build=True, is_rocm_build=False, is_tensorrt_build=False)
