"""What tf.data gives for the transforms of a dataset: tests/golden/datasets_*.json.

Run by make_golden.py. A case has a parameter `elements`, and an output "ELEMENT.PART" for each tensor of each element;
a ragged tensor is two of them, its values and its row lengths.
"""

import numpy as np
import tensorflow as tf

Dataset = tf.data.Dataset


def parts(element):
    for part in tf.nest.flatten(element):
        if isinstance(part, tf.RaggedTensor):
            yield part.flat_values.numpy()
            yield part.row_lengths().numpy()
        else:
            yield part.numpy()


def files(case):
    def golden(name, dataset):
        outputs, elements = {}, 0
        for i, element in enumerate(dataset):
            elements += 1
            for k, part in enumerate(parts(element)):
                outputs[f"{i}.{k}"] = np.asarray(part)
        return case(name, {}, {"elements": elements}, outputs)

    def numbers(n):
        """Vectors of lengths 0, 1, 2, …: [], [1], [2, 2], …"""
        return Dataset.range(n).map(lambda x: tf.fill([x], x))

    def repeated(times):
        return lambda x: Dataset.from_tensors(x).repeat(times(x))

    pairs = Dataset.range(5).map(lambda x: (tf.fill([x % 3], x), tf.strings.as_string(tf.fill([1, x % 2 + 1], x))))
    joined = [
        golden("zip/shortest", Dataset.zip(Dataset.range(4), Dataset.range(10, 17))),
        golden("zip/nested", Dataset.zip(Dataset.range(3), Dataset.zip(Dataset.range(5), Dataset.range(5, 9)))),
        golden("concatenate", Dataset.range(3).concatenate(Dataset.range(10, 14)).concatenate(Dataset.range(1))),
        golden("enumerate", Dataset.range(10, 14).enumerate(5)),
        golden("shard/3/1", Dataset.range(10).shard(3, 1)),
        golden("shard/4/3", Dataset.range(10).filter(lambda x: x != 4).shard(4, 3)),
        golden("padded_batch/longest", numbers(7).padded_batch(3)),
        golden("padded_batch/drop", numbers(7).padded_batch(3, drop_remainder=True)),
        golden("padded_batch/fixed", numbers(5).padded_batch(2, padded_shapes=[6], padding_values=np.int64(-1))),
        golden("padded_batch/strings", pairs.padded_batch(3)),
        golden(
            "padded_batch/values",
            pairs.padded_batch(2, padded_shapes=([-1], [2, -1]), padding_values=(np.int64(7), "-")),
        ),
        golden("ragged_batch", numbers(6).ragged_batch(4)),
        golden(
            "ragged_batch/drop",
            numbers(6).map(lambda x: tf.tile(x[:, None], [1, 2])).ragged_batch(4, drop_remainder=True),
        ),
        golden("unbatch", numbers(4).unbatch()),
        golden("unbatch/parts", Dataset.range(7).map(lambda x: (x, tf.strings.as_string(x))).batch(3).unbatch()),
    ]
    for name, sizes, drop in (
        ("3", 3, False),
        ("3/drop", 3, True),
        ("7", 7, False),
        ("1,3", [1, 3], False),
        ("1,0,3", [1, 0, 3], False),
        ("2,5/drop", [2, 5], True),
    ):
        joined.append(golden(f"rebatch/{name}", Dataset.range(10).batch(4).rebatch(sizes, drop_remainder=drop)))

    nested = [golden("flat_map", Dataset.range(6).flat_map(repeated(lambda x: x % 3)))]
    for cycle in (1, 2, 3, 9):
        for block in (1, 2, 4):
            nested.append(
                golden(
                    f"interleave/{cycle}/{block}",
                    Dataset.range(7).interleave(
                        repeated(lambda x: (x * 2) % 5), cycle_length=cycle, block_length=block
                    ),
                )
            )
    for size, shift, stride, drop in (
        (3, 3, 1, False),
        (3, 1, 1, False),
        (3, 1, 2, True),
        (2, 4, 1, False),
        (2, 5, 3, False),
        (3, 2, 2, False),
        (4, 1, 3, False),
        (1, 1, 1, True),
    ):
        windows = Dataset.range(7).window(size, shift, stride, drop).flat_map(lambda w: w.batch(10))
        nested.append(golden(f"window/{size}/{shift}/{stride}/{drop:d}", windows))
    nested += [
        golden(
            "group_by_window",
            Dataset.range(10).group_by_window(
                key_func=lambda x: x % 3, reduce_func=lambda key, window: window.batch(5), window_size=2
            ),
        ),
        golden(
            "group_by_window/sizes",
            Dataset.range(12).group_by_window(
                key_func=lambda x: 1 - x % 2,
                reduce_func=lambda key, window: window.batch(2),
                window_size_func=lambda key: key + 3,
            ),
        ),
    ]
    lengths = Dataset.from_tensor_slices(np.int64([1, 5, 2, 9, 3, 3, 1, 4, 12, 2, 6, 5, 7])).map(
        lambda n: tf.fill([n], n)
    )
    for name, options in (
        ("plain", {}),
        ("drop", {"drop_remainder": True}),
        ("value", {"padding_values": np.int64(-1)}),
        ("shape", {"padded_shapes": [15]}),
    ):
        nested.append(
            golden(
                f"bucket_by_sequence_length/{name}",
                lengths.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3, 5, 8], [2, 3, 2, 1], **options),
            )
        )
    nested.append(
        golden(
            "bucket_by_sequence_length/boundary",
            lengths.filter(lambda x: tf.shape(x)[0] < 8).bucket_by_sequence_length(
                lambda x: tf.shape(x)[0], [3, 5, 8], [2, 3, 2, 1], pad_to_bucket_boundary=True
            ),
        )
    )

    total = Dataset.range(6).reduce((np.int64(0), np.int64(1)), lambda state, x: (state[0] + x, state[1] * (x + 1)))
    choice = Dataset.from_tensor_slices(np.int64([0, 1, 1, 2, 2, 2, 0, 1, 0, 0, 2, 1]))
    datasets = [Dataset.range(10, 13), Dataset.range(20, 30), Dataset.range(30, 32)]
    states = [
        golden("scan", Dataset.range(8).scan(np.int64(0), lambda state, x: (state + x, (state, state * x)))),
        golden("reduce", Dataset.from_tensors(total)),
        golden("unique", Dataset.from_tensor_slices(np.int64([3, 1, 3, 3, 2, 1, 0, 2])).unique()),
        golden("unique/strings", Dataset.from_tensor_slices(["b", "a", "", "b", "", "c"]).unique()),
        golden("take_while", Dataset.range(8).take_while(lambda x: x * x < 20)),
        golden("take_while/gap", Dataset.range(8).take_while(lambda x: x != 3)),
        golden("choose_from_datasets/stop", Dataset.choose_from_datasets(datasets, choice)),
        golden("choose_from_datasets/go_on", Dataset.choose_from_datasets(datasets, choice, False)),
        golden(
            "ignore_errors",
            Dataset.range(8)
            .map(lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x % 3, tf.float32), ""))
            .ignore_errors(),
        ),
        golden("cache", Dataset.range(5).cache().repeat(2)),
    ]
    return [("datasets_joined.json", joined), ("datasets_nested.json", nested), ("datasets_states.json", states)]
