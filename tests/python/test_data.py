"""tf.data where it is more than TensorFlow's: how functions are written down and replayed, what they cost, files."""

import collections
import gc
import threading
import time
import warnings

import numpy as np
import pytest

import brio as tf

Dataset = tf.data.Dataset


def values(dataset):
    return list(dataset.as_numpy_iterator())


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


# ---- journals


def test_python_is_called_once():
    calls = []
    d = Dataset.range(1000).map(lambda x: (calls.append(1), x + 1)[1])
    assert values(d) == list(range(1, 1001)) and len(calls) == 1
    assert d._learned.traced and d._learned.core.journals == 1


def test_shapes_that_vary_need_no_other_journal():
    calls = []

    def f(x):
        calls.append(1)
        return tf.reduce_sum(tf.reshape(x, [-1])) + tf.cast(tf.size(x), tf.int64)

    d = Dataset.range(1, 60).map(lambda n: tf.ones([n, 2], tf.int64)).map(f)
    assert values(d) == [4 * n for n in range(1, 60)]
    assert len(calls) == 1


@pytest.mark.parametrize(
    "f",
    [
        lambda n: tf.ones([n, 2]),
        lambda n: tf.fill([n], n),
        lambda n: tf.zeros(tf.stack([n, 3])),
        lambda n: tf.reshape(tf.zeros([n, 4]), [n * 2, 2]),
        lambda n: tf.range(n),
        lambda n: tf.range(100)[n : n + 3],
        lambda n: tf.range(100)[:-n],
        lambda n: tf.range(100)[n],
        lambda n: tf.pad(tf.ones([n]), [[0, 60 - n], [0, 0]][:1]),
        lambda n: tf.random.uniform([n, 2]),
        lambda n: tf.random.uniform([], 0, n, tf.int64),
        lambda n: tf.random.normal([], tf.cast(n, tf.float32), 0.001),
        lambda n: tf.image.crop_to_bounding_box(tf.ones([60, 60, 1]), n, 0, 1, 1),
        lambda n: tf.convert_to_tensor([[n, 1], [2, n]]),
        lambda n: tf.strings.as_string(n),
        lambda n: tf.one_hot(n, 60),
    ],
)
def test_numbers_that_are_tensors_need_no_other_journal(f):
    d = Dataset.range(1, 40).map(f)
    found = values(d)
    assert d._learned.core.python_calls == 1 and d._learned.core.journals == 1
    for n in (1, 20, 39):
        want = f(tf.constant(n, tf.int64)).numpy()
        assert np.shape(found[n - 1]) == np.shape(want)


def test_sizes_that_differ_are_open():
    d = Dataset.range(1, 5).map(lambda x: (tf.fill([x, 3], x), x))
    assert d.element_spec[0].shape == (None, 3) and d.element_spec[1].shape == ()


def test_a_shape_that_python_looks_at_is_a_guard():
    calls = []

    def f(x):
        calls.append(1)
        return tf.zeros([x.shape[0]]) if x.shape[0] < 3 else tf.ones([x.shape[0]])

    d = Dataset.from_tensor_slices([1, 2, 3, 1, 3, 2, 4]).map(lambda n: tf.fill([n], 1)).map(f)
    assert [v.tolist() for v in values(d)] == [[0], [0, 0], [1, 1, 1], [0], [1, 1, 1], [0, 0], [1] * 4]
    assert 4 <= len(calls) <= 8 and not d._learned.core.runs_as_python


def test_a_value_that_python_looks_at_is_a_guard():
    calls = []

    def f(x):
        calls.append(1)
        if x > 5:
            return x * 10
        return -x

    d = Dataset.range(100).map(f)
    assert values(d) == [x * 10 if x > 5 else -x for x in range(100)]
    assert len(calls) == 2 and d._learned.core.journals == 2


def test_text_that_python_looks_at_is_a_guard():
    d = Dataset.from_tensor_slices(["a", "b"] * 20).map(lambda s: 1 if s.numpy() == b"a" else 2)
    assert values(d) == [1, 2] * 20 and d._learned.core.journals == 2


def test_random_branches_take_both_ways():
    def f(x):
        if tf.random.uniform([]) > 0.5:
            return x
        return -x

    d = Dataset.range(1, 201).map(f)
    found = values(d)
    assert [abs(v) for v in found] == list(range(1, 201))
    assert 50 < sum(v > 0 for v in found) < 150
    assert d._learned.core.journals == 2 and d._learned.core.python_calls <= 3


def test_random_numbers_differ_between_elements_and_follow_the_seed():
    def drawn():
        tf.random.set_seed(3)
        return values(Dataset.range(50).map(lambda x: tf.random.uniform([], minval=2.0, maxval=3.0)))

    first = drawn()
    assert len(set(first)) == 50 and min(first) >= 2 and max(first) < 3
    assert first == drawn()


def test_a_seed_of_a_draw_is_that_of_the_whole():
    f = lambda x: tf.random.uniform([], seed=7)
    first = values(Dataset.range(20).map(f))
    assert len(set(first)) == 20 and first == values(Dataset.range(20).map(f))
    flipped = Dataset.range(40).map(lambda x: tf.image.random_flip_left_right(tf.constant([[[0.0], [1.0]]]), seed=3))
    assert 5 < sum(v[0, 0, 0] for v in values(flipped)) < 35


def test_large_values_run_in_python_with_a_warning():
    rows = np.random.default_rng(1).random((6, 100)).astype("float32")
    with pytest.warns(
        RuntimeWarning, match=r"Dataset.map: .*every element.* us .*reads the values of f32\[100\]"
    ) as caught:
        d = Dataset.from_tensor_slices(rows).map(lambda x: tf.constant(np.sort(x.numpy())))
    assert len(caught) == 1 and caught[0].filename == __file__
    assert all((a == np.sort(b)).all() for a, b in zip(values(d), rows))


def test_a_function_that_always_goes_another_way_runs_in_python():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        d = Dataset.range(40).map(lambda x: int(x) * 2)
        assert values(d) == [2 * x for x in range(40)]
        assert values(d) == [2 * x for x in range(40)]
    assert len(caught) == 1 and "16 journals" in str(caught[0].message)


def test_numpy_functions_on_tensors_are_seen():
    with pytest.warns(RuntimeWarning, match="reads the values"):
        d = Dataset.from_tensor_slices(np.arange(60.0).reshape(3, 20)).map(lambda x: np.asarray(x).sum())
    assert values(d) == [np.arange(20.0).sum() + 400 * i for i in range(3)]


def test_lists_of_tensors_are_stacked_in_replays():
    d = Dataset.range(5).map(lambda x: tf.convert_to_tensor([x, x * 2, 7]))
    assert [v.tolist() for v in values(d)] == [[x, 2 * x, 7] for x in range(5)]
    assert d._learned.core.python_calls == 1


def test_an_option_that_depends_on_the_element():
    pictures = np.zeros((3, 2, 2, 3), "float32")
    d = Dataset.from_tensor_slices((pictures, [0.1, 0.2, 0.3])).map(lambda p, by: tf.image.adjust_brightness(p, by))
    assert np.allclose([v[0, 0, 0] for v in values(d)], [0.1, 0.2, 0.3])


def test_assigning_to_a_variable_is_done_for_every_element():
    count = tf.Variable(0, dtype=tf.int64)
    with pytest.warns(RuntimeWarning, match="assigns to a variable"):
        d = Dataset.range(5).map(lambda x: count.assign_add(1) + x)
    count.assign(0)
    values(d)
    assert int(count) == 5


def test_printing_is_done_for_every_element(capfd):
    d = Dataset.range(3).map(lambda x: (tf.print("element", x), x)[1])
    capfd.readouterr()
    values(d)
    assert sorted(capfd.readouterr().err.split("\n")[:-1]) == ["element 0", "element 1", "element 2"]


def test_layers_and_functions_inside():
    layer = tf.keras.layers.Dense(3)
    scaled = tf.function(lambda x: x / 2)
    rows = np.random.default_rng(2).random((8, 4)).astype("float32")
    d = Dataset.from_tensor_slices(rows).batch(3).map(lambda x: layer(scaled(x)))
    assert np.allclose(np.concatenate(values(d)), layer(rows / 2).numpy(), atol=1e-6)
    assert d._learned.core.python_calls <= 3  # a layer looks at the shape, and there are three


def test_a_layer_of_python_inside():
    class Twice(tf.keras.layers.Layer):
        def call(self, x):
            return x * 2

    d = Dataset.from_tensor_slices(np.ones((4, 2), "float32")).batch(2).map(Twice())
    assert [v.tolist() for v in values(d)] == [[[2, 2], [2, 2]]] * 2


def test_the_structure_must_stay():
    def f(x):
        return (x, x) if x > 2 else x

    with pytest.raises(TypeError, match="for one element"):
        values(Dataset.range(5).map(f))


# ---- errors


def test_exceptions_of_functions_reach_the_user():
    def f(x):
        def g(y):
            if y == 3:
                raise KeyError("number three")
            return y

        return tf.py_function(g, [x], tf.int64)

    with pytest.raises(KeyError, match="number three"):
        values(Dataset.range(5).map(f))
    with pytest.raises(ZeroDivisionError):
        Dataset.range(3).map(lambda x: 1 // 0)


def test_exceptions_of_generators_reach_the_user():
    def g():
        yield 1
        raise RuntimeError("the generator broke")

    found = []
    with pytest.raises(RuntimeError, match="the generator broke"):
        for x in Dataset.from_generator(g, tf.int32).prefetch(2):
            found.append(int(x))
    assert found == [1]


def test_a_broken_first_element_does_not_stop_the_others():
    good = tf.io.encode_png(np.zeros((2, 2, 1), "uint8")).numpy()
    d = Dataset.from_tensor_slices([b"broken", good, good]).map(tf.io.decode_png)
    with pytest.raises(tf.errors.InvalidArgumentError):
        values(d)
    assert len(values(d.ignore_errors())) == 2


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(tf.errors.NotFoundError):
        values(Dataset.from_tensor_slices([str(tmp_path / "no")]).map(tf.io.read_file))
    with pytest.raises(tf.errors.InvalidArgumentError):
        Dataset.list_files(str(tmp_path / "*.no"))
    with pytest.raises((tf.errors.NotFoundError, tf.errors.InvalidArgumentError)):
        values(tf.data.TFRecordDataset(str(tmp_path / "no.tfrecord")))


# ---- threads and lifetime


def test_waiting_releases_the_lock():
    ran = []

    def other():
        for _ in range(20):
            ran.append(1)
            time.sleep(0.005)

    thread = threading.Thread(target=other)
    d = Dataset.range(3).map(lambda x: tf.py_function(lambda y: (time.sleep(0.1), y)[1], [x], tf.int64))
    thread.start()
    values(d)
    thread.join()
    assert len(ran) == 20


def test_replays_hold_no_lock():
    """While this thread holds the lock and never gives it away, workers fill the buffer."""
    d = Dataset.range(64).map(lambda x: tf.cast(x, tf.float32) + tf.ones([1000])).prefetch(32)
    iterator = iter(d)
    next(iterator)
    before = time.perf_counter()
    while time.perf_counter() - before < 0.1:  # no call that gives the lock away
        pass
    assert len(list(iterator)) == 63


def test_an_iterator_may_be_left():
    for _ in range(5):
        for _ in Dataset.range(1000).map(lambda x: tf.py_function(lambda y: y, [x], tf.int64)).prefetch(4):
            break
    gc.collect()


def test_iterators_save_their_place():
    d = Dataset.range(20).shuffle(20, seed=1).batch(3)
    a = iter(d)
    next(a)
    state = a.save()
    rest = [b.numpy().tolist() for b in a]
    b = iter(d)
    b.restore(state)
    assert [x.numpy().tolist() for x in b] == rest


def test_functions_live_as_long_as_datasets():
    class Big:
        pass

    import weakref

    held = Big()
    alive = weakref.ref(held)
    d = Dataset.range(3).map(lambda x, h=held: x)
    values(d)
    del held, d
    gc.collect()
    assert alive() is None


# ---- sources and training


def test_autotune_shuffles_everything():
    d = Dataset.range(1000).shuffle(tf.data.AUTOTUNE, seed=1)
    found = values(d)
    assert sorted(found) == list(range(1000))
    assert np.mean(np.abs(np.array(found) - np.arange(1000))) > 200


def test_a_generator_is_not_run_before_it_is_read():
    runs = []

    def g():
        runs.append(1)
        yield np.float32(1)

    d = Dataset.from_generator(g, output_signature=tf.TensorSpec([], tf.float32)).map(lambda x: x * 2).batch(2)
    assert not runs
    assert values(d)[0].tolist() == [2.0] and len(runs) == 1


def test_named_tuples():
    Point = collections.namedtuple("Point", "x y")
    d = Dataset.from_tensor_slices(Point([1, 2], [3, 4]))
    assert values(d) == [Point(1, 3), Point(2, 4)]
    assert values(d.map(lambda p: p.x + p.y)) == [4, 6]


def records(tmp_path, compression=None):
    for shard in range(2):
        with tf.io.TFRecordWriter(str(tmp_path / f"{shard}.tfrecord"), compression) as writer:
            for i in range(3):
                feature = {
                    "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[bytes([shard * 3 + i] * 4)])),
                    "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[i])),
                }
                writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    return str(tmp_path / "*.tfrecord")


@pytest.mark.parametrize("compression", [None, "GZIP", "ZLIB"])
def test_records_there_and_back(tmp_path, compression):
    pattern = records(tmp_path, compression)

    def parse(example):
        spec = {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)}
        found = tf.io.parse_single_example(example, spec)
        return tf.cast(tf.io.decode_raw(found["image"], tf.uint8), tf.float32), found["label"]

    d = tf.data.TFRecordDataset(pattern, compression).map(parse, num_parallel_calls=tf.data.AUTOTUNE)
    assert d._learned.core.python_calls == 1
    (x, y), (x2, _) = values(d.batch(4))
    assert x[:, 0].tolist() == [0, 1, 2, 3] and y.tolist() == [0, 1, 2, 0] and x2.shape == (2, 4)


def test_records_interleaved(tmp_path):
    records(tmp_path)
    files = Dataset.list_files(str(tmp_path / "*.tfrecord"), shuffle=False)
    spec = {"image": tf.io.FixedLenFeature([], tf.string)}
    d = files.interleave(
        lambda f: tf.data.TFRecordDataset(f).map(lambda e: tf.io.parse_single_example(e, spec)["image"]), cycle_length=2
    )
    assert [v[0] for v in values(d)] == [0, 3, 1, 4, 2, 5]


# Written by TensorFlow 2.21: one record, tf.train.Example {"a": int64 [1, -2], "b": float [1.5], "c": bytes ["xy"]}.
WRITTEN_BY_TENSORFLOW = (
    "34000000000000005e33175c0a320a140a0161120f1a0d0a0b01feffffffffffffffff010a0d0a01"
    "62120812060a040000c03f0a0b0a016312060a040a027879d8eb4344"
)


def test_the_bytes_are_tensorflows(tmp_path):
    example = tf.train.Example(
        features=tf.train.Features(
            feature={
                "c": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"xy"])),
                "a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, -2])),
                "b": tf.train.Feature(float_list=tf.train.FloatList(value=[1.5])),
            }
        )
    )
    path = tmp_path / "x.tfrecord"
    with tf.io.TFRecordWriter(str(path)) as writer:
        writer.write(example.SerializeToString())
    assert path.read_bytes().hex() == WRITTEN_BY_TENSORFLOW
    (record,) = values(tf.data.TFRecordDataset(str(path)))
    assert tf.train.Example.FromString(record) == example


def test_text_lines(tmp_path):
    (tmp_path / "a.txt").write_text("one\ntwo\r\nthree")
    assert values(tf.data.TextLineDataset(str(tmp_path / "a.txt"))) == [b"one", b"two", b"three"]
    names = Dataset.from_tensors(str(tmp_path / "a.txt"))
    assert len(values(tf.data.TextLineDataset(names).skip(1))) == 2


def test_csv(tmp_path):
    (tmp_path / "a.csv").write_text("b,a,label\n1,x,0\n2,y,1\n3,z,0\n")
    d = tf.data.experimental.make_csv_dataset(
        str(tmp_path / "a.csv"), 2, label_name="label", num_epochs=1, shuffle=False
    )
    (x, y), _ = values(d)
    assert (
        list(x) == ["b", "a"] and x["b"].tolist() == [1, 2] and x["a"].tolist() == [b"x", b"y"] and y.tolist() == [0, 1]
    )
    rows = tf.data.experimental.CsvDataset(str(tmp_path / "a.csv"), [tf.int32, tf.string, 0], header=True)
    assert values(rows)[2] == (3, b"z", 0)


def test_pictures_of_a_directory(tmp_path):
    for kind, level in (("dark", 10), ("light", 240)):
        (tmp_path / kind).mkdir()
        for i in range(4):
            tf.io.write_file(
                str(tmp_path / kind / f"{i}.png"), tf.io.encode_png(np.full((6, 5, 3), level + i, "uint8"))
            )
    d = tf.keras.utils.image_dataset_from_directory(
        str(tmp_path), image_size=(4, 4), batch_size=3, shuffle=False, verbose=False
    )
    assert d.class_names == ["dark", "light"] and len(d.file_paths) == 8
    x, y = next(iter(d))
    assert x.shape == (3, 4, 4, 3) and x.dtype == tf.float32 and y.numpy().tolist() == [0, 0, 0]
    assert d.element_spec[0].shape == (None, 4, 4, 3) and d.element_spec[1].dtype == tf.int32
    both = tf.keras.utils.image_dataset_from_directory(
        str(tmp_path),
        image_size=(4, 4),
        validation_split=0.25,
        subset="both",
        seed=1,
        label_mode="categorical",
        verbose=False,
    )
    assert [len(part.file_paths) for part in both] == [6, 2] and both[0].element_spec[1].shape == (None, 2)
    paths = Dataset.list_files(str(tmp_path / "*" / "*.png"), shuffle=False)

    def load(path):
        picture = tf.image.resize(tf.image.decode_png(tf.io.read_file(path), channels=3), [4, 4])
        return picture / 255.0, tf.strings.split(path, "/")[-2] == "light"

    loaded = paths.map(load, num_parallel_calls=2).batch(8)
    x, y = next(iter(loaded))
    assert x.shape == (8, 4, 4, 3) and y.numpy().tolist() == [False] * 4 + [True] * 4


def test_texts_of_a_directory(tmp_path):
    for kind in ("a", "b"):
        (tmp_path / kind).mkdir()
        (tmp_path / kind / "1.txt").write_text(f"text {kind}")
    d = tf.keras.utils.text_dataset_from_directory(str(tmp_path), shuffle=False, verbose=False)
    ((x, y),) = values(d)
    assert x.tolist() == [b"text a", b"text b"] and y.tolist() == [0, 1]


def test_fit_evaluate_and_predict():
    rng = np.random.default_rng(0)
    x = rng.random((64, 3)).astype("float32")
    y = x @ np.array([[1.0], [-2.0], [0.5]], "float32")
    d = (
        Dataset.from_tensor_slices((x, y))
        .shuffle(64, seed=1)
        .map(lambda a, b: (a * 2, b))
        .batch(16)
        .prefetch(tf.data.AUTOTUNE)
    )
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile(optimizer=tf.keras.optimizers.SGD(0.1), loss="mse")
    history = model.fit(d, epochs=30, verbose=0, validation_data=d)
    assert history.history["loss"][-1] < 0.02 and history.history["val_loss"][-1] < 0.02
    assert model.evaluate(d, verbose=0) < 0.02
    assert model.predict(Dataset.from_tensor_slices(x).batch(10), verbose=0).shape == (64, 1)


def test_fit_by_names():
    x = {"b": np.ones((8, 2), "float32"), "a": np.zeros((8, 3), "float32")}
    inputs = {"a": tf.keras.Input((3,), name="a"), "b": tf.keras.Input((2,), name="b")}
    joined = tf.keras.layers.Concatenate()([inputs["a"], inputs["b"]])
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(joined))
    model.compile(optimizer="sgd", loss="mse")
    d = Dataset.from_tensor_slices((x, np.ones((8, 1), "float32"))).batch(4)
    assert np.isfinite(model.fit(d, verbose=0).history["loss"][0])


def test_ragged_batches():
    d = Dataset.range(1, 6).map(lambda n: (tf.fill([n], n), n)).ragged_batch(2)
    rows, numbers = next(iter(d))
    assert rows.to_list() == [[1], [2, 2]] and numbers.numpy().tolist() == [1, 2]
    assert [int(n) for n in d.map(lambda r, n: tf.reduce_sum(r.flat_values))] == [5, 25, 25]


def test_py_dataset():
    class Batches(tf.keras.utils.PyDataset):
        asked, ended = [], 0

        def __len__(self):
            return 4

        def __getitem__(self, i):
            self.asked.append(i)
            x = np.full((2, 3), i, "float32")
            return x, x[:, :1]

        def on_epoch_end(self):
            self.ended += 1

    batches = Batches()
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile(optimizer="sgd", loss="mse")
    model.fit(batches, epochs=2, verbose=0)
    assert batches.ended == 2 and set(batches.asked) == {0, 1, 2, 3}
    assert np.isfinite(model.evaluate(batches, verbose=0))
    assert model.predict(batches, verbose=0).shape == (8, 1)


def test_elements_that_are_ragged_are_not_batched_part_by_part():
    ragged = Dataset.range(8).batch(3).ragged_batch(2)
    assert [b.to_list() for b in ragged.batch(2)] == [[[[0, 1, 2], [3, 4, 5]], [[6, 7]]]]
    pairs = Dataset.zip((ragged, Dataset.range(2))).batch(2)
    assert [(a.to_list(), b.numpy().tolist()) for a, b in pairs] == [([[[0, 1, 2], [3, 4, 5]], [[6, 7]]], [0, 1])]
    for batched in (ragged.padded_batch, ragged.ragged_batch):
        with pytest.raises(TypeError, match="elements that hold a RaggedTensor cannot be batched"):
            batched(2)


def test_explain(capsys):
    text = Dataset.range(1000).map(lambda x: x + 1).batch(10).explain(0.05)
    assert "map" in text and "batch" in text and capsys.readouterr().out == ""


def test_explain_names_a_slow_generator(capsys):
    def slow():
        while True:
            time.sleep(0.002)
            yield 1.0

    numbers = Dataset.from_generator(slow, output_signature=tf.TensorSpec([], tf.float32))
    assert "limited by: generator\n" in numbers.map(lambda x: x * 2).batch(4).prefetch(2).explain(0.3)


def test_functions_before_a_batch_run_for_many_rows():
    x, y = np.random.default_rng(1).integers(0, 255, (50, 4, 3), np.uint8), np.arange(50, dtype=np.int32) % 10
    mean = tf.constant([120.0, 110.0, 100.0])
    rows = Dataset.from_tensor_slices((x, y))

    def normal(x, y):
        return tf.nn.sigmoid((tf.cast(x, tf.float32) - mean) / 58.0), tf.one_hot(y, 10)

    batches = rows.map(normal).batch(8)
    singles = values(rows.map(normal))
    for part in (0, 1):
        np.testing.assert_array_equal(np.concatenate([b[part] for b in values(batches)]), [s[part] for s in singles])
    assert "elements at a time, which gives the same bits" in batches.repeat().explain(0.05)
    sums = rows.map(lambda x, y: tf.reduce_sum(tf.cast(x, tf.float32))).batch(8)
    assert "one element at a time: [batch_axis] reduce_sum of floats" in sums.repeat().explain(0.05)


def test_throughput(capsys):
    """Printed only."""
    n = 20_000

    def rate(d):
        begin = time.perf_counter()
        count = sum(1 for _ in d)
        return count / (time.perf_counter() - begin)

    with capsys.disabled():
        print(
            (
                f"\nrange({n}).map(x + 1).batch(100): "
                f"{100 * rate(Dataset.range(n).map(lambda x: x + 1).batch(100)):,.0f} elements/s"
            ),
            end="; ",
        )
        strings = Dataset.from_tensor_slices([f"a,{i}" for i in range(n)])
        print(
            "split and to_number: "
            f"{100 * rate(strings.map(lambda s: tf.strings.to_number(tf.strings.split(s, ',')[1])).batch(100)):,.0f} "
            "elements/s"
        )


def test_iterators_have_next():
    """As TensorFlow's do."""
    iterator = iter(tf.data.Dataset.range(2))
    assert [int(iterator.next()), int(iterator.get_next())] == [0, 1]
    with pytest.raises(StopIteration):
        iterator.next()
    ragged = iter(tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1, 2], [3]])))
    assert ragged.next().numpy().tolist() == [1, 2]
