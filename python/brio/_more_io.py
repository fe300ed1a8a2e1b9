"""Functions of tf.io of the rarer kind: sparse tensors as bytes, compressed strings, Examples in JSON."""

import base64
import json
import zlib

import numpy as np

from brio import _core
from brio._sparse import SparseTensor
from brio._tensor_proto import parse, serialize
from brio.errors import InvalidArgumentError


def _only_strings(who, out_type):
    if _core.as_dtype(out_type) != _core.string:
        raise ValueError(f"[{who}] out_type is {_core.as_dtype(out_type).name}; it is tf.string")


def _three(indices, values, shape):
    return [serialize(_core.convert_to_tensor(x)) for x in (indices, values, shape)]


def serialize_sparse(sp_input, out_type="string", name=None):
    """A sparse tensor as three strings: its places, its elements and its shape.

    >>> tf.io.serialize_sparse(tf.sparse.eye(2)).shape
    TensorShape([3])
    """
    _only_strings("serialize_sparse", out_type)
    return _core.constant(_three(sp_input.indices, sp_input.values, sp_input.dense_shape), "string")


def serialize_many_sparse(sp_input, out_type="string", name=None):
    """Each row of a sparse tensor as three strings.

    >>> tf.io.serialize_many_sparse(tf.sparse.eye(4)).shape
    TensorShape([4, 3])
    """
    _only_strings("serialize_many_sparse", out_type)
    if len(sp_input.shape) < 2:
        raise InvalidArgumentError(f"[serialize_many_sparse] takes two axes or more, but the shape is {sp_input.shape}")
    indices, values, shape = sp_input.indices.numpy(), sp_input.values, sp_input.dense_shape.numpy()
    if (np.diff(indices[:, 0]) < 0).any():
        raise InvalidArgumentError(
            "[serialize_many_sparse] the places are not in order; tf.sparse.reorder puts them in order"
        )
    edges = np.searchsorted(indices[:, 0], np.arange(shape[0] + 1))
    rows = [_three(indices[a:b, 1:], values[a:b], shape[1:]) for a, b in zip(edges[:-1].tolist(), edges[1:].tolist())]
    return _core.constant([text for row in rows for text in row], "string", shape=[len(rows), 3])


def deserialize_many_sparse(serialized_sparse, dtype, rank=None, name=None):
    """The sparse tensor whose rows serialize_many_sparse, or serialize_sparse one by one, wrote;
    the largest row decides on the shape.

    >>> tf.io.deserialize_many_sparse(
    ...     tf.io.serialize_many_sparse(tf.sparse.eye(3)), tf.float32
    ... ).dense_shape.numpy().tolist()
    [3, 3]
    """
    texts = _core.convert_to_tensor(serialized_sparse)
    if texts.shape.rank != 2 or texts.shape[1] != 3:
        raise InvalidArgumentError(
            f"[deserialize_many_sparse] takes three strings for each row, but got shape {tuple(texts.shape)}"
        )
    dtype, places, values, shapes = _core.as_dtype(dtype), [], [], []
    for i, row in enumerate(texts.numpy().tolist()):
        at, shape = parse(row[0], _core.int64).numpy(), parse(row[2], _core.int64).numpy()
        if rank is not None and len(shape) + 1 != rank:
            raise InvalidArgumentError(
                f"[deserialize_many_sparse] rows of {len(shape)} axes make a tensor of rank {len(shape) + 1}, not "
                f"{rank}"
            )
        values.append(parse(row[1], dtype))
        places.append(np.concatenate([np.full((len(at), 1), i, np.int64), at.reshape(-1, len(shape))], 1))
        shapes.append(shape)
    if not shapes:
        raise InvalidArgumentError("[deserialize_many_sparse] there are no rows")
    return SparseTensor(
        np.concatenate(places), _core.concat(values, 0), [len(shapes), *np.max(shapes, axis=0).tolist()]
    )


def decode_compressed(bytes, compression_type):
    kinds = {"ZLIB": zlib.MAX_WBITS, "GZIP": zlib.MAX_WBITS | 16, "": None}
    if compression_type not in kinds:
        raise InvalidArgumentError(
            f"[decode_compressed] compression_type is {compression_type!r}; it is 'ZLIB', 'GZIP' or ''"
        )
    x = _core.convert_to_tensor(bytes)
    bits = kinds[compression_type]
    if bits is None:
        return x
    try:
        made = [zlib.decompress(text, bits) for text in np.asarray(x.numpy(), object).reshape(-1).tolist()]
    except zlib.error as error:
        from brio.errors import DataLossError

        raise DataLossError(f"[decode_compressed] the bytes are no {compression_type}: {error}") from None
    return _core.reshape(_core.constant(made, "string", shape=[len(made)]), x.shape)


def match_filenames_once(pattern, name=None):
    """The names of files that match patterns, in order."""
    from brio.io import matching_files

    return matching_files(pattern)


_LISTS = {"bytesList": "bytes_list", "floatList": "float_list", "int64List": "int64_list"}


def _feature(value):
    from brio import train

    ((kind, held),) = value.items()
    kind = _LISTS.get(kind, kind)
    items = held.get("value", [])
    if kind == "bytes_list":
        return train.Feature(bytes_list=train.BytesList(value=[base64.b64decode(v) for v in items]))
    if kind == "float_list":
        return train.Feature(float_list=train.FloatList(value=[float(v) for v in items]))
    if kind == "int64_list":
        return train.Feature(int64_list=train.Int64List(value=[int(v) for v in items]))
    raise ValueError(kind)


def decode_json_example(json_examples):
    from brio import train

    x, made = _core.convert_to_tensor(json_examples), []
    for text in np.asarray(x.numpy(), object).reshape(-1).tolist():
        try:
            features = json.loads(text).get("features", {}).get("feature", {})
            example = train.Example(
                features=train.Features(feature={k: _feature(v) if v else train.Feature() for k, v in features.items()})
            )
        except (ValueError, AttributeError, TypeError) as error:
            raise InvalidArgumentError(f"[decode_json_example] a string is no Example in JSON: {error}") from None
        made.append(example.SerializeToString())
    return _core.reshape(_core.constant(made, "string", shape=[len(made)]), x.shape)
