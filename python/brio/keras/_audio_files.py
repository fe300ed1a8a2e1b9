"""keras.utils.audio_dataset_from_directory: WAV files of folders, one folder for each class."""

import os

import numpy as np

from brio import audio, data, io
from brio._core import one_hot


def audio_dataset_from_directory(directory, labels="inferred", label_mode="int", class_names=None, batch_size=32,
                                 sampling_rate=None, output_sequence_length=None, ragged=False, shuffle=True, seed=None,
                                 validation_split=None, subset=None, follow_links=False, verbose=True):  # fmt: skip
    """Batches of sounds (batch, samples, channels), filled up with zeros to the longest,
    and their labels. subset="both" gives two datasets."""
    _check(
        labels,
        label_mode,
        class_names,
        sampling_rate,
        output_sequence_length,
        ragged,
        validation_split,
        subset,
        shuffle,
        seed,
    )
    if labels is None or label_mode is None:
        labels = label_mode = None
    seed = np.random.randint(1000000) if seed is None else seed
    paths, numbers, names = _files(os.fspath(directory), labels, class_names, follow_links)
    if verbose:
        print(f"Found {len(paths)} files{f' belonging to {len(names)} classes' if labels == 'inferred' else ''}.")
    if label_mode == "binary" and len(names) != 2:
        raise ValueError(f"label_mode='binary' is for two classes, but there are {names}")
    if shuffle:
        for values in (paths, numbers):
            np.random.RandomState(seed).shuffle(values)
    cut = len(paths) - int((validation_split or 0) * len(paths))
    parts = {"training": slice(0, cut), "validation": slice(cut, None), None: slice(None)}

    def made(part):
        chosen = parts[part]
        if not paths[chosen]:
            raise ValueError(f"there are no {part + ' ' if part else ''}files that end in .wav in {directory}")
        dataset = data.Dataset.from_tensor_slices(paths[chosen]).map(lambda path: _sound(path, output_sequence_length))
        if label_mode is not None:
            dataset = data.Dataset.zip((dataset, _labels(numbers[chosen], label_mode, len(names))))
        if shuffle:
            dataset = dataset.shuffle((batch_size or 128) * 8, seed=seed)
        dataset = dataset.prefetch(data.AUTOTUNE)
        if batch_size is not None:
            one_size = output_sequence_length is not None
            dataset = (
                dataset.batch(batch_size)
                if one_size
                else dataset.ragged_batch(batch_size)
                if ragged
                else dataset.padded_batch(batch_size)
            )
        dataset.class_names = names
        return dataset

    return (made("training"), made("validation")) if subset == "both" else made(subset)


def _check(labels, label_mode, class_names, sampling_rate, length, ragged, split, subset, shuffle, seed):
    if labels not in ("inferred", None) and not isinstance(labels, (list, tuple)):
        raise ValueError(f"labels is 'inferred', None or a list of numbers, one for each file, but it is {labels!r}")
    if isinstance(labels, (list, tuple)) and class_names:
        raise ValueError("class_names go with labels='inferred' alone")
    if label_mode not in ("int", "categorical", "binary", None):
        raise ValueError(f"label_mode is 'int', 'categorical', 'binary' or None, but it is {label_mode!r}")
    if ragged and length is not None:
        raise ValueError("ragged=True keeps the lengths that output_sequence_length makes equal; give one of them")
    if sampling_rate is not None:
        raise ImportError(
            "sampling_rate asks for sounds of another rate, which needs tensorflow_io; bring the files to one rate "
            "before"
        )
    if (split is None) != (subset is None) or split is not None and not 0 < split < 1:
        raise ValueError(
            f"validation_split (above 0 and below 1) and subset go together, but they are {split} and {subset!r}"
        )
    if subset not in (None, "training", "validation", "both"):
        raise ValueError(f"subset is 'training', 'validation' or 'both', but it is {subset!r}")
    if split is not None and shuffle and seed is None:
        raise ValueError("with validation_split and shuffle give a seed, so that the parts have no file in common")


def _files(directory, labels, class_names, follow_links):
    """(paths, numbers of classes, names of classes)."""
    if labels == "inferred":
        found = sorted(
            n for n in os.listdir(directory) if os.path.isdir(os.path.join(directory, n)) and not n.startswith(".")
        )
        if class_names is not None and not set(class_names) <= set(found):
            raise ValueError(f"class_names are {class_names}, but the folders of {directory} are {found}")
        names = list(class_names) if class_names is not None else found
    else:
        names = [""]
    paths, numbers = [], []
    for number, name in enumerate(names):
        for at, _, files in sorted(os.walk(os.path.join(directory, name), followlinks=follow_links)):
            some = [os.path.join(at, f) for f in sorted(files) if f.lower().endswith(".wav")]
            paths += some
            numbers += [number] * len(some)
    if isinstance(labels, (list, tuple)):
        if len(labels) != len(paths):
            raise ValueError(f"{len(labels)} labels are given, but {directory} has {len(paths)} files that end in .wav")
        numbers, names = list(labels), [str(v) for v in sorted(set(labels))]
    return paths, numbers, names if labels is not None else None


def _sound(path, length):
    return audio.decode_wav(io.read_file(path), desired_samples=-1 if length is None else length)[0]


def _labels(numbers, mode, classes):
    dataset = data.Dataset.from_tensor_slices(np.array(numbers, "int32" if mode != "binary" else "float32"))
    if mode == "binary":
        return dataset.map(lambda x: x[..., None])
    return dataset.map(lambda x: one_hot(x, classes)) if mode == "categorical" else dataset
