"""Datasets of files and arrays as Keras and TensorFlow make them: tests/golden/sources_*.json. Run by make_golden.py.

Elements are joined along the batch axis; how many batches there were is a parameter.
"""

import itertools
import pathlib
import tempfile

import keras
import numpy as np
import tensorflow as tf


def timeseries_cases(case):
    data = np.arange(40, dtype="float32").reshape(20, 2)
    options = {
        "sequence_length": (1, 3, 5),
        "sequence_stride": (1, 2),
        "sampling_rate": (1, 3),
        "indices": ((None, None), (2, None), (None, 15), (3, 12)),
        "targets": (None, 20, 6),
    }
    for length, stride, rate, (start, end), rows in itertools.product(*options.values()):
        targets = None if rows is None else np.arange(100, 100 + rows, dtype="int32")
        try:
            batches = list(
                keras.utils.timeseries_dataset_from_array(
                    data,
                    targets,
                    length,
                    sequence_stride=stride,
                    sampling_rate=rate,
                    batch_size=4,
                    start_index=start,
                    end_index=end,
                )
            )
        except tf.errors.InvalidArgumentError:  # a target behind the last one
            continue
        params = {"length": length, "stride": stride, "rate": rate, "batches": len(batches), "targets": rows or 0}
        params |= {k: v for k, v in (("start", start), ("end", end)) if v is not None}
        windows = [b[0] if targets is not None else b for b in batches]
        outputs = {"windows": np.concatenate(windows) if windows else np.zeros((0,), "float32")}
        if targets is not None:
            outputs["labels"] = np.concatenate([b[1] for b in batches]) if batches else np.zeros((0,), "int32")
        yield case(f"{length}/{stride}/{rate}/{start}:{end}/{rows}", {}, params, outputs)


TEXTS = {
    "a/1.txt": "one",
    "a/10.txt": "ten",
    "a/2.txt": "",
    "b/x.txt": "a longer\ntext",
    "b/deep/y.txt": "below",
    "c.d/z.TXT": "third",
    "b/no.md": "not read",
    "top.txt": "on top",
}


def text_cases(case):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in TEXTS.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        wanted = [
            {},
            {"label_mode": "categorical"},
            {"label_mode": None},
            {"max_length": 3},
            {"max_length": 0},
            {"class_names": ["b", "a"]},
            {"class_names": ["b", "a"], "label_mode": "binary"},
            {"labels": None},
            {"labels": [5, 3, 3, 5, 4, 3, 5]},
            {"labels": [5, 3, 3, 5, 4, 3, 5], "label_mode": "int"},
        ] + [
            {"validation_split": split, "subset": subset}
            for split in (0.3, 0.5)
            for subset in ("training", "validation")
        ]
        for options in wanted:
            texts, labels = [], []
            for batch in keras.utils.text_dataset_from_directory(
                folder, batch_size=2, shuffle=False, verbose=False, **options
            ):
                batch = batch if isinstance(batch, tuple) else (batch,)
                texts += [value.decode() for value in batch[0].numpy()]
                labels += [batch[1].numpy()] if len(batch) > 1 else []
            params = {k: " ".join(map(str, v)) if isinstance(v, list) else str(v) for k, v in options.items()}
            outputs = {"labels": np.concatenate(labels).astype("float32")} if labels else {}
            yield case(str(options), {}, params | {"texts": "|".join(texts)}, outputs)


CSV = 'name,x,n,y\n"a, b",1.5,3,1\nc,,4,0\nd,-2e3,-5,1\n,0.25,6,0\ne,7,,1\n'


def csv_cases(case):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "rows.csv"
        path.write_text(CSV)
        for options in [
            {},
            {"label_name": "y"},
            {"label_name": "name"},
            {"select_columns": ["y", "x"]},
            {"select_columns": ["name", "n"], "label_name": "n"},
            {"batch_size": 5},
            {"num_epochs": 3},
            {"num_rows_for_inference": 1},
        ]:
            wanted = {"batch_size": 2, "num_epochs": 1, "shuffle": False, **options}
            columns = {}
            for batch in tf.data.experimental.make_csv_dataset(str(path), **wanted):
                features, label = batch if isinstance(batch, tuple) else (batch, None)
                for key, value in (*features.items(), *([("(label)", label)] if label is not None else [])):
                    columns.setdefault(key, []).append(value.numpy())
            params = {k: " ".join(v) if isinstance(v, list) else v for k, v in options.items()}
            outputs = {}
            for key, parts in columns.items():
                value = np.concatenate(parts)
                if value.dtype == object:
                    params[f"column {key}"] = "|".join(v.decode() for v in value)
                else:
                    params[f"dtype {key}"] = value.dtype.name
                    outputs[key] = value
            yield case(str(options), {}, params | {"file": CSV, "order": " ".join(columns)}, outputs)


def files(case):
    cases = list(timeseries_cases(case))
    half = len(cases) // 2
    yield "sources_timeseries_1.json", cases[:half]
    yield "sources_timeseries_2.json", cases[half:]
    yield "sources_texts.json", list(text_cases(case))
    yield "sources_csv.json", list(csv_cases(case))
