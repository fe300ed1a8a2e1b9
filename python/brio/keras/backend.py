"""keras.backend: what programs still use of it."""

from brio import _core
from brio._missing import attribute_error_of
from brio.keras.config import (  # noqa: F401
    backend,
    epsilon,
    floatx,
    image_data_format,
    set_epsilon,
    set_floatx,
    set_image_data_format,
)  # fmt: skip
from brio.keras.utils import clear_session, get_uid  # noqa: F401

_missing = attribute_error_of(__name__)


def __getattr__(name):
    if name == "__all__":
        from brio._lazy import public

        return public(__name__)
    if name.startswith("_"):
        return _missing(name)
    from brio.keras import _legacy_backend

    own = getattr(_legacy_backend, name, None)
    if getattr(own, "__module__", None) == _legacy_backend.__name__:
        return own
    if name in ("name_scope", "Variable"):
        import brio

        return getattr(brio, name)
    return _missing(name)


def __dir__():
    from brio.keras import _legacy_backend

    return sorted(
        {
            *globals(),
            "name_scope",
            *(
                n
                for n, v in vars(_legacy_backend).items()
                if getattr(v, "__module__", None) == _legacy_backend.__name__ and n[0] != "_"
            ),
        }
    )


def get_value(x):
    """The value of a variable, as a NumPy array."""
    return x.numpy() if hasattr(x, "numpy") else x


def set_value(x, value):
    """Sets a variable."""
    x.assign(value)


def result_type(*dtypes):
    """The dtype that values of these dtypes have together."""
    from brio.keras.ops import _convert

    plain = {int: "int", float: "float", None: _convert.tf.keras.config.floatx()}
    return _convert.result_type(
        *(plain[d] if d is None or d in (int, float) else _core.as_dtype(d).name for d in dtypes)
    )


def is_float_dtype(dtype):
    """Is this a floating-point dtype?"""
    return _core.as_dtype(dtype).is_floating


def is_int_dtype(dtype):
    """Is this an integer dtype?"""
    return _core.as_dtype(dtype).is_integer


def is_keras_tensor(x):
    """Is this a symbol of a functional model?"""
    return isinstance(x, _core.KerasTensor)


def standardize_dtype(dtype):
    """The name of a dtype."""
    if dtype is None or dtype is float or isinstance(dtype, str) and dtype == "float":
        return floatx()
    return "int64" if dtype is int or isinstance(dtype, str) and dtype == "int" else _core.as_dtype(dtype).name


def ctc_batch_cost(y_true, y_pred, input_length, label_length):
    """The CTC loss (batch, 1) of labels beside probabilities (batch, time, classes),
    whose last class is the blank. Lengths are (batch, 1)."""
    from brio import _ctc

    lengths = [_core.cast(_core.squeeze(n, [-1]), "int32") for n in (label_length, input_length)]
    logits = _core._math.log(_core.convert_to_tensor(y_pred) + epsilon())
    return _core.expand_dims(
        _ctc.loss(_core.cast(y_true, "int32"), logits, *lengths, logits_time_major=False, blank_index=-1), 1
    )


def ctc_decode(y_pred, input_length, greedy=True, beam_width=100, top_paths=1):
    """([labels filled up with -1], scores) of probabilities (batch, time, classes), whose last class is the blank."""
    from brio import _ctc, nn

    logits = _core._math.log(_core.transpose(_core.convert_to_tensor(y_pred), [1, 0, 2]) + epsilon())
    lengths = _core.cast(input_length, "int32")
    found, scores = (
        nn.ctc_greedy_decoder(logits, lengths)
        if greedy
        else _ctc.beam_search(logits, lengths, beam_width, top_paths, True)
    )
    return [_ctc.padded(f, logits.shape[1], logits.shape[0]) for f in found], scores


def ctc_label_dense_to_sparse(labels, label_lengths):
    """The labels of each row that count, as a sparse tensor."""
    from brio._sparse import SparseTensor

    labels, lengths = _core.convert_to_tensor(labels), _core.cast(label_lengths, "int64")
    counts = _core.range(labels.shape[1], dtype="int64")[None] < lengths[:, None]
    places = _core.where(counts)
    return SparseTensor(places, _core.gather_nd(labels, places), list(labels.shape))
