"""Datasets out of files."""

import os

from brio import _core
from brio._core import _sources
from brio._spec import TensorSpec
from brio.data import _elements
from brio.data._dataset import AUTOTUNE, Dataset
from brio.data._sources_of import number_of, text_of, texts_of


class _FileDataset(Dataset):
    def __init__(self, filenames, read, num_parallel_reads=None):
        """`read`: names → what C++ reads from them."""
        spec = TensorSpec([], "string")
        if isinstance(filenames, Dataset):
            names = filenames
        elif num_parallel_reads is not None and int(num_parallel_reads) > 1:
            names = Dataset.from_tensor_slices(texts_of(filenames))
        else:
            super().__init__(read(texts_of(filenames)), spec)
            return
        one = lambda name: Dataset(read(texts_of(name)), spec)
        if num_parallel_reads is None or int(num_parallel_reads) == AUTOTUNE:
            made = names.flat_map(one)
        else:
            made = names.interleave(one, cycle_length=int(num_parallel_reads), num_parallel_calls=num_parallel_reads)
        super().__init__(made._brio_dataset, spec, made._examples)


class TFRecordDataset(_FileDataset):
    """The records of TFRecord files; names may be patterns."""

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None):
        how = text_of(compression_type or "")
        super().__init__(filenames, lambda names: _sources.tfrecord(names, how), num_parallel_reads)


class TextLineDataset(_FileDataset):
    """The lines of text files."""

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None):
        how = text_of(compression_type or "")
        super().__init__(filenames, lambda names: _sources.text_line(names, how), num_parallel_reads)


def _column(value):
    """(dtype, default or None) of a column's default, which may be a dtype: then it is required."""
    if isinstance(value, (_core.DType, str, type)) and not isinstance(value, (bytes,)):
        return _core.as_dtype(value), None
    tensor = _core.convert_to_tensor(value)
    if tensor.shape.num_elements() == 0:
        return tensor.dtype, None
    only = tensor.numpy().reshape(-1)[0] if tensor.shape.rank else tensor.numpy()
    return tensor.dtype, only.decode() if isinstance(only, bytes) else only.item()


class CsvDataset(Dataset):
    """The rows of CSV files: a tuple of scalars."""

    def __init__(self, filenames, record_defaults, compression_type=None, buffer_size=None, header=False,
                 field_delim=",", use_quote_delim=True, na_value="", select_cols=None, exclude_cols=None):  # fmt: skip
        if exclude_cols is not None:
            raise NotImplementedError("[CsvDataset] name the columns that you want: select_cols")
        columns = [_column(d) for d in record_defaults]
        core = _sources.csv(texts_of(filenames), columns, {
            "compression_type": compression_type or "", "header": bool(header), "field_delim": field_delim,
            "use_quote_delim": bool(use_quote_delim), "na_value": na_value, "select_cols": select_cols,
        })  # fmt: skip
        super().__init__(core, tuple(TensorSpec([], dtype) for dtype, _ in columns))


def make_csv_dataset(file_pattern, batch_size, column_names=None, column_defaults=None, label_name=None,
                     select_columns=None, field_delim=",", use_quote_delim=True, na_value="", header=True,
                     num_epochs=None, shuffle=True, shuffle_buffer_size=10000, shuffle_seed=None,
                     prefetch_buffer_size=None, num_parallel_reads=None, sloppy=False, num_rows_for_inference=100,
                     compression_type=None, ignore_errors=False, encoding="utf-8"):  # fmt: skip
    """Batches of the columns of CSV files, by name."""
    import collections

    core, names, labelled = _sources.make_csv(texts_of(file_pattern), int(batch_size), {
        "column_names": column_names,
        "columns": None if column_defaults is None else [_column(d) for d in column_defaults], "label_name": label_name,
        "select_columns": select_columns, "field_delim": field_delim, "use_quote_delim": bool(use_quote_delim),
        "na_value": na_value, "header": bool(header), "num_epochs": num_epochs, "shuffle": bool(shuffle),
        "shuffle_buffer_size": shuffle_buffer_size, "shuffle_seed": shuffle_seed,
        "num_rows_for_inference": num_rows_for_inference or 100, "ignore_errors": bool(ignore_errors),
        "compression_type": compression_type or "",
    })  # fmt: skip
    first = core.first(1)
    if not first:
        raise ValueError("[make_csv_dataset] the files have no rows")
    # C++ gives the columns in their order; here they are looked up by name.
    features = collections.OrderedDict((n, TensorSpec([None], t.dtype)) for n, t in zip(names, first[0]))
    label = TensorSpec([None], first[0][-1].dtype)
    order = [names.index(n) for n in sorted(names)]
    core = core.reorder(
        order + ([len(names)] if labelled else []), _elements.template((features, label) if labelled else features)
    )
    return Dataset(core, (features, label) if labelled else features)


def _labelled(core, label_mode, batch_size, spec, label_shape=()):
    n = () if batch_size is None else (None,)
    x = TensorSpec([*n, *spec.shape], spec.dtype)
    first = lambda: core.first(1)  # a batch of pictures takes time
    if label_mode is None:
        return Dataset(core, x, first)
    dtype = "int32" if label_mode == "int" else "float32"
    return Dataset(core, (x, TensorSpec([*n, *label_shape], dtype)), first)


def _label_shape(label_mode, class_names):
    return {"categorical": [len(class_names)], "binary": [1]}.get(label_mode, [])


def _folder(make, directory, labels, label_mode, class_names, batch_size, subset, options, spec):
    if not os.path.isdir(text_of(directory)):
        raise FileNotFoundError(f"there is no directory {text_of(directory)}")

    def one(which):
        core, names, paths = make(text_of(directory), {**options, "labels": labels, "label_mode": label_mode,
                                                     "class_names": class_names, "batch_size": batch_size,
                                                     "subset": which})  # fmt: skip
        made = _labelled(
            core, label_mode if labels is not None else None, batch_size, spec, _label_shape(label_mode, names)
        )
        made.class_names, made.file_paths = names, paths
        return made

    return (one("training"), one("validation")) if subset == "both" else one(subset)


def image_dataset_from_directory(directory, labels="inferred", label_mode="int", class_names=None, color_mode="rgb",
                                 batch_size=32, image_size=(256, 256), shuffle=True, seed=None, validation_split=None,
                                 subset=None, interpolation="bilinear", follow_links=False, crop_to_aspect_ratio=False,
                                 pad_to_aspect_ratio=False, data_format=None, format="tf", verbose=True):  # fmt: skip
    """Batches of the pictures in a directory whose subdirectories are classes."""
    channels = {"grayscale": 1, "rgb": 3, "rgba": 4}.get(color_mode)
    if channels is None:
        raise ValueError(
            f'`color_mode` must be one of {{"rgb", "rgba", "grayscale"}}. Received: color_mode={color_mode}'
        )
    if data_format not in (None, "channels_last"):
        raise NotImplementedError("[image_dataset_from_directory] pictures are channels_last here")
    options = {
        "color_mode": color_mode, "image_size": tuple(image_size), "shuffle": shuffle, "seed": seed,
        "validation_split": validation_split, "interpolation": interpolation, "follow_links": follow_links,
        "crop_to_aspect_ratio": crop_to_aspect_ratio, "pad_to_aspect_ratio": pad_to_aspect_ratio,
    }  # fmt: skip
    spec = TensorSpec([*image_size, channels], "float32")
    made = _folder(_sources.image_folder, directory, labels, label_mode, class_names, batch_size, subset, options, spec)
    _say_what_was_found(made, subset, verbose)
    return made


def text_dataset_from_directory(directory, labels="inferred", label_mode="int", class_names=None, batch_size=32,
                                max_length=None, shuffle=True, seed=None, validation_split=None, subset=None,
                                follow_links=False, format="tf", verbose=True):  # fmt: skip
    """Batches of the texts in a directory whose subdirectories are classes."""
    options = {
        "shuffle": shuffle,
        "seed": seed,
        "validation_split": validation_split,
        "follow_links": follow_links,
        "max_length": max_length,
    }
    spec = TensorSpec([], "string")
    made = _folder(_sources.text_folder, directory, labels, label_mode, class_names, batch_size, subset, options, spec)
    _say_what_was_found(made, subset, verbose)
    return made


def _say_what_was_found(made, subset, verbose):
    if not verbose:
        return
    parts = made if subset == "both" else (made,)
    count = sum(len(part.file_paths) for part in parts)
    classes = f" belonging to {len(parts[0].class_names)} classes" if parts[0].class_names else ""
    print(f"Found {count} files{classes}.")
    if subset == "both":
        print(
            f"Using {len(parts[0].file_paths)} files for training.\nUsing {len(parts[1].file_paths)} files for "
            "validation."
        )
    elif subset:
        print(f"Using {count} files for {subset}.")


def timeseries_dataset_from_array(data, targets, sequence_length, sequence_stride=1, sampling_rate=1, batch_size=128,
                                  shuffle=False, seed=None, start_index=None, end_index=None):  # fmt: skip
    """Windows of rows, each beside the target at its beginning."""
    rows = _core.convert_to_tensor(data)
    goals = None if targets is None else _core.convert_to_tensor(targets)
    core = _sources.timeseries(rows, goals, int(sequence_length), int(sequence_stride), int(sampling_rate),
                               number_of(batch_size), bool(shuffle), number_of(seed), number_of(start_index),
                               number_of(end_index))  # fmt: skip
    n = [] if batch_size is None else [None]
    x = TensorSpec([*n, sequence_length, *rows.shape[1:]], rows.dtype)
    return Dataset(core, x if goals is None else (x, TensorSpec([*n, *goals.shape[1:]], goals.dtype)))
